/* number_buckets.cuh - each leaf of a prefix tree gets as many buckets as its share of a sample
 * asks for; rare neighbours share one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_NUMBER_BUCKETS_CUH
#define USW_GPU_PREFIX_TREE_NUMBER_BUCKETS_CUH

#include "gpu/prefix_tree/grow.cuh"

/* The sizes of a bucket that are tried, in 1/FILL of the mean: a leaf has a whole number of
 * buckets, so that some are less full, and the least size needs more buckets than there are. */
enum { TREE_FILLS = 8, TREE_FILL = 64 };

/* A leaf in which keys end gets up to so many times its share. */
static constexpr float TREE_CLIFF = 8;

/* Shared memory: slots, counts, their sums, needs, what is known of slots, words of a scan. */
constexpr size_t hybrid_weigh_shared = size_t(TREE_SLOTS) * 20 + 16 + 256;

/* What a leaf needs: numbers of buckets; how many of them keys go to; whether and with how many
 * neighbours, as log2, it shares one; and whether it is the first of these. */
struct hybrid_need {
    unsigned numbers, buckets, join;
    bool first;
};

/* Notes the leaf of each bucket of the slots from `from` on, 32 of them: a warp calls. Of leaves
 * that share a bucket it is the first. slots: a copy of the tree's. */
__device__ __forceinline__ void hybrid_note_leaves(hybrid_tree *tree, const unsigned *slots,
                                                   unsigned from)
{
    const unsigned lane = threadIdx.x % 32, i = from + lane;
    const unsigned slot = i < tree->begin[tree->levels] && i != tree->root ? slots[i] : TREE_NODE;
    const unsigned before = i > 0 ? slots[i - 1] : TREE_NODE;
    const bool shares = (before & TREE_NODE) == 0 && ((before ^ slot) & TREE_FIRST) == 0;
    const bool leads = (slot & TREE_NODE) == 0 && (i == tree->node[i] || !shares);
    const unsigned buckets = leads ? slot >> TREE_NUMBER : 0, first = slot & TREE_FIRST;
    unsigned to = buckets; /* those of this lane's slot and the ones before */
    for (unsigned o = 1; o < 32; o <<= 1) {
        const unsigned up = __shfl_up_sync(~0u, to, o);
        to += lane >= o ? up : 0;
    }
    const unsigned sum = __shfl_sync(~0u, to, 31);
    for (unsigned b = lane; b - lane < sum; b += 32) {
        unsigned of = 0; /* the first slot with more buckets up to it than b */
        for (unsigned step = 16; step > 0; step /= 2) {
            of += __shfl_sync(~0u, to, of + step - 1) <= b ? step : 0;
        }
        const unsigned at = __shfl_sync(~0u, first - (to - buckets), of % 32);
        if (b < sum) {
            tree->leaf[at + b] = static_cast<uint16_t>(from + of);
        }
    }
}

/* The block that numbers the buckets, when all have weighed. */
struct hybrid_numbering {
    hybrid_tree *tree;
    unsigned *slots;
    unsigned *counts, *sums, *needs, *scan, *begin; /* begin: of levels, as in the tree */
    uint16_t *node;
    unsigned char *size, *bits;
    unsigned root, levels;
    unsigned end, all; /* slots; keys of the sample */
    unsigned low;      /* of the tree */
    bool keys_alone;   /* equal keys are counted, and not moved */

    __device__ __forceinline__ hybrid_numbering(hybrid_tree *t, unsigned *memory, bool alone)
        : tree(t), slots(memory), counts(slots + TREE_SLOTS), sums(counts + TREE_SLOTS),
          needs(sums + TREE_SLOTS + 4), scan(needs + TREE_SLOTS), begin(scan + 48),
          node(reinterpret_cast<uint16_t *>(scan + 64)),
          size(reinterpret_cast<unsigned char *>(node + TREE_SLOTS)), bits(size + TREE_SLOTS),
          root(t->root), levels(t->levels), end(t->begin[t->levels]), all(0), low(t->low),
          keys_alone(alone)
    {
    }
    __device__ __forceinline__ bool is_leaf(unsigned i) const
    {
        return (slots[i] & TREE_NODE) == 0 && i != root;
    }
    /* The slots of the node that goes on from slot i. */
    __device__ __forceinline__ unsigned slots_of(unsigned i) const
    {
        return 1u << (slots[i] >> TREE_LOG2 & 31);
    }
    /* Sets sums[i] to the sum of f(slot) over the slots before i; returns the sum of all. */
    template <typename F> __device__ __forceinline__ unsigned sum_up(F f)
    {
        constexpr unsigned each = TREE_SLOTS / 1024;
        unsigned c[each], own = 0, before;
        for (unsigned e = 0; e < each; e++) {
            const unsigned i = threadIdx.x * each + e;
            c[e] = i < end ? f(i) : 0;
            own += c[e];
        }
        const unsigned total = hybrid_sum_before(own, scan, before);
        for (unsigned e = 0; e < each; e++) {
            sums[threadIdx.x * each + e] = before;
            before += c[e];
        }
        if (threadIdx.x == 0) {
            sums[TREE_SLOTS] = total;
        }
        __syncthreads();
        return total;
    }
    /* The keys of leaf i, or some times as many where its neighbours show that they are not spread
     * evenly in it: it then needs more buckets, as many as the neighbour where keys end in it, up
     * to CLIFF times as many. of_node: keys for a slot of a node, at least. */
    __device__ __forceinline__ unsigned weight(unsigned i, float of_node) const
    {
        const unsigned first = node[i], keys = counts[i];
        float most = 0;
        for (unsigned side = 0; side < 2; side++) {
            const unsigned at = side == 0 ? i - 1 : i + 1;
            if (side == 0 ? i > first : i + 1 < first + (1u << size[i])) {
                const float here = (slots[at] & TREE_NODE) != 0
                                       ? static_cast<float>(slots_of(at)) * of_node
                                       : static_cast<float>(counts[at]);
                most = most > here ? most : here;
            }
        }
        const float ratio = most / static_cast<float>(keys + 1);
        const float times = ratio < 3 ? 2 : ratio < TREE_CLIFF ? ratio : TREE_CLIFF;
        return ratio > 1.4f ? static_cast<unsigned>(times * static_cast<float>(keys)) : keys;
    }
    __device__ __forceinline__ void weigh_leaves()
    {
        const float of_node = static_cast<float>(tree->leaf_keys) * static_cast<float>(all) /
                              (1024 * HYBRID_SAMPLE_ROWS);
        for (unsigned i = threadIdx.x; i < end; i += 1024) {
            needs[i] = is_leaf(i) ? weight(i, of_node) : 0;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < end; i += 1024) {
            counts[i] = needs[i];
        }
        __syncthreads();
    }
    /* What leaf i needs where buckets hold `full` keys of the sample; part: 1 / full. Leaves that
     * are rare share a bucket with their neighbours, the largest aligned group of a node's slots
     * that fits; chance is greater there, so they fill it less. Where a bucket has few values, all
     * have as many of them. Equal keys that move take the numbers that their share would fill, so
     * that the first scatter stays even. No bucket has a range of more than 1 << low values. */
    __device__ __forceinline__ hybrid_need need(unsigned i, float full, float part) const
    {
        const unsigned first = node[i], number = i - first;
        const float share = static_cast<float>(counts[i]) * part;
        const unsigned spare = low > bits[i] ? low - bits[i] : 0;
        const unsigned wide = bits[i] > low ? 1u << (bits[i] - low) : 1;
        if (share > 1 || wide > 1) {
            unsigned numbers = static_cast<unsigned>(share + 0.95f);
            numbers = numbers > wide ? numbers : wide;
            const unsigned values = bits[i] < 16 ? 1u << bits[i] : ~0u;
            if (numbers > 1 && numbers < values && values / 4 < numbers) {
                numbers = 2u << (31 - __clz(static_cast<int>(numbers - 1)));
            }
            const unsigned buckets = numbers < values ? numbers : values;
            numbers = keys_alone ? buckets : numbers;
            return {numbers, buckets < TREE_LEAF_MOST ? buckets : TREE_LEAF_MOST, 0, true};
        }
        unsigned join = 0;
        for (unsigned most = size[i] < spare ? size[i] : spare; join < most;) {
            const unsigned middle = (join + most + 1) / 2;
            const unsigned from = first + (number >> middle << middle);
            const float keys = static_cast<float>(sums[from + (1u << middle)] - sums[from]);
            join = keys <= full * 0.8f ? middle : join;
            most = keys <= full * 0.8f ? most : middle - 1;
        }
        const bool leads = (number & ((1u << join) - 1)) == 0;
        return {leads ? 1u : 0u, 1, join, leads};
    }
    /* The number of buckets if each holds `full` keys of the sample. */
    __device__ __forceinline__ unsigned numbers(float full)
    {
        unsigned own = 0, before;
        for (unsigned i = threadIdx.x; i < end; i += 1024) {
            own += is_leaf(i) ? need(i, full, 1 / full).numbers : 0;
        }
        return hybrid_sum_before(own, scan, before);
    }
    /* The least size of a bucket with which there are no more than `most`; 0: there is none. */
    __device__ __forceinline__ float choose(unsigned most)
    {
        const unsigned fills[TREE_FILLS] = {66, 68, 71, 75, 80, 88, 110, 180};
        const float mean = static_cast<float>(all) / static_cast<float>(most * TREE_FILL);
        float chosen = 0;
        for (unsigned first = 0, last = TREE_FILLS; first < last;) {
            const unsigned middle = (first + last) / 2;
            unsigned fill = 0;
#pragma unroll
            for (unsigned f = 0; f < TREE_FILLS; f++) {
                fill = f == middle ? fills[f] : fill;
            }
            const float full = mean * static_cast<float>(fill);
            const bool enough = numbers(full) <= most;
            chosen = enough ? full : chosen;
            first = enough ? first : middle + 1;
            last = enough ? middle : last;
        }
        return chosen;
    }
    /* Sums needs up the levels of nodes. mean: keys of the sample for a bucket. */
    __device__ __forceinline__ void sum_needs(float full, float mean)
    {
        for (unsigned i = threadIdx.x; i < end; i += 1024) {
            needs[i] = 0;
            if (is_leaf(i)) {
                const hybrid_need n = need(i, full, 1 / full);
                needs[i] = n.numbers;
                if (static_cast<float>(counts[i]) > 4 * mean * static_cast<float>(n.buckets)) {
                    tree->crowded = 1;
                }
                counts[i] = n.buckets << 8 | n.join << 1 | n.first;
            }
        }
        __syncthreads();
        for (unsigned l = levels; l-- > 0;) {
            sum_up([&](unsigned i) { return i >= begin[l] ? needs[i] : 0; });
            const unsigned from = l > 0 ? begin[l - 1] : 0, to = begin[l];
            for (unsigned i = from + threadIdx.x; l > 0 && i < to; i += 1024) {
                if ((slots[i] & TREE_NODE) != 0) {
                    const unsigned child = slots[i] & TREE_FIRST;
                    needs[i] = sums[child + slots_of(i)] - sums[child];
                }
            }
            __syncthreads();
        }
    }
    /* Numbers the buckets down the levels. In the place of needs stands the first bucket of the
     * node that begins at a slot. */
    __device__ __forceinline__ void number()
    {
        for (unsigned l = 0; l < levels; l++) {
            for (unsigned i = begin[l] + threadIdx.x; i < begin[l + 1]; i += 1024) {
                const unsigned at =
                    l == 0 ? tree->before + sums[i] : needs[node[i]] + sums[i] - sums[node[i]];
                if ((slots[i] & TREE_NODE) != 0) {
                    needs[slots[i] & TREE_FIRST] = at;
                } else if (is_leaf(i)) {
                    place(i, at);
                }
            }
            __syncthreads();
        }
    }
    __device__ __forceinline__ void place(unsigned i, unsigned at)
    {
        const unsigned buckets = counts[i] >> 8, join = counts[i] >> 1 & 127;
        const bool first = (counts[i] & 1) != 0;
        const bool alike = keys_alone && bits[i] + join < 15 && buckets == 1u << (bits[i] + join);
        slots[i] = buckets << TREE_NUMBER | (alike ? TREE_ALIKE : 0) | (first ? at : at - 1);
        tree->slots[i] = slots[i];
        tree->bits[i] = static_cast<unsigned char>(bits[i] + join);
    }
    /* Returns false if there are too few buckets. notes: leaves are noted here, not by others. */
    __device__ __forceinline__ bool number_buckets(unsigned bucket_bits, bool notes)
    {
        for (unsigned i = threadIdx.x; i < end; i += 1024) {
            slots[i] = tree->slots[i];
            counts[i] = usw_load_relaxed(&tree->counts[i]);
            node[i] = tree->node[i];
            size[i] = tree->size[i];
            bits[i] = tree->bits[i];
        }
        if (threadIdx.x <= levels) {
            begin[threadIdx.x] = tree->begin[threadIdx.x];
        }
        __syncthreads();
        all = sum_up([&](unsigned i) { return counts[i]; });
        weigh_leaves();
        /* No group of slots that share a bucket has a node in it. */
        const unsigned never = (all >> bucket_bits) * 4 + 4;
        const unsigned most = (1u << bucket_bits) - tree->outside;
        sum_up([&](unsigned i) { return (slots[i] & TREE_NODE) != 0 ? never : counts[i]; });
        const float full = choose(most);
        if (full == 0) {
            return false;
        }
        sum_needs(full, static_cast<float>(all) / static_cast<float>(most));
        number();
        for (unsigned from = threadIdx.x / 32 * 32; notes && from < end; from += 1024) {
            hybrid_note_leaves(tree, slots, from);
        }
        if (threadIdx.x == 0) {
            tree->until = tree->before + sums[begin[1]];
            tree->behind = tree->until - static_cast<unsigned>((tree->last + 1) >> low);
        }
        return true;
    }
};

#endif

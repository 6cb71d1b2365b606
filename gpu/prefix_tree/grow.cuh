/* grow.cuh - a sample of the keys makes the nodes of a prefix tree (prefix_tree.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_GROW_CUH
#define USW_GPU_PREFIX_TREE_GROW_CUH

#include "gpu/cluster.cuh"
#include "gpu/prefix_tree/prefix_tree.cuh"
#include "gpu/prefix_tree/sample_keys.cuh"

/* Where more than REPEATS of half the sample's keys of 32 bits are equal to others, in buckets of
 * more than 2^DENSE values, there is no tree: step 5 takes equal keys for crowded bins there, and
 * is slower than the radix sort. A table with a bit for each of 2^HASH hashes shows them; of keys
 * that all differ BY_CHANCE find their bit set. Fewer values have a bin, or a bucket, each. */
enum { TREE_REPEATS = 332, TREE_REPEATS_BY_CHANCE = 251, TREE_DENSE = 10, TREE_HASH = 17 };

/* Shared memory of hybrid_grow: slots and what is known of each, sums; of one of several blocks
 * also the counts of all. */
constexpr size_t hybrid_grow_shared = TREE_SLOTS * 20 + 224;
template <unsigned ranks>
constexpr size_t hybrid_grow_shared_of = hybrid_grow_shared + TREE_SLOTS * 4 +
                                         (1 << TREE_HASH >> 3) / ranks;

__device__ __forceinline__ unsigned hybrid_tree_hash(unsigned long long key)
{
    return static_cast<unsigned>(key * 0x9e3779b97f4a7c15ull >> (64 - TREE_HASH));
}

/* Level by level, a slot with many keys of the sample becomes a node of as many slots as make
 * leaves of `leaf` keys, if these are spread evenly; if they are not, the next level goes on. The
 * blocks of a cluster each make all slots, and count a part of the sample. */
template <typename K, unsigned ranks> struct hybrid_grow {
    static constexpr unsigned rows = HYBRID_SAMPLE_ROWS / ranks;
    using cluster = usw_cluster<ranks>;
    const K *keys;
    unsigned long long n;
    const usw_gpu_keymap<K> map;
    unsigned *slots;
    unsigned long long *from;
    unsigned *counts, *sums, *all_counts; /* by this block, and by all */
    unsigned *hashes;                     /* a bit each, of which a block has every ranks-th word */
    uint16_t *node;
    unsigned char *size, *bits;
    hybrid_window<K> window;
    unsigned leaf, begin[TREE_LEVELS + 1], levels;
    bool alone; /* which sample it is */
    /* Of its keys: the slots, and the bits that these do not say, at the upper end. */
    unsigned key_slot[rows];
    K key_rest[rows];

    __device__ __forceinline__ hybrid_grow(const K *array, unsigned long long number,
                                           const usw_gpu_keymap<K> &by, void *memory, K least,
                                           unsigned varying, unsigned leaf_keys, bool singly)
        : keys(array), n(number), map(by), slots(static_cast<unsigned *>(memory)),
          from(reinterpret_cast<unsigned long long *>(slots + TREE_SLOTS)),
          counts(reinterpret_cast<unsigned *>(from + TREE_SLOTS)), sums(counts + TREE_SLOTS),
          all_counts(ranks == 1 ? counts : sums + 56 + TREE_SLOTS),
          hashes(ranks == 1 ? reinterpret_cast<unsigned *>(from) : all_counts + TREE_SLOTS),
          node(reinterpret_cast<uint16_t *>(sums + 56)),
          size(reinterpret_cast<unsigned char *>(node + TREE_SLOTS)), bits(size + TREE_SLOTS),
          window(slots, least, varying), leaf(leaf_keys), levels(1), alone(singly)
    {
    }
    /* Words to share what blocks have found; and one a level, 1 if the tree need not go on. */
    __device__ __forceinline__ unsigned long long *shared_words() const
    {
        return reinterpret_cast<unsigned long long *>(sums + 32);
    }
    __device__ __forceinline__ unsigned &ends_at(unsigned level) const
    {
        return sums[48 + level];
    }
    __device__ __forceinline__ void make(unsigned i, unsigned first, unsigned log2_size,
                                         unsigned log2_values, unsigned long long least)
    {
        slots[i] = counts[i] = 0;
        node[i] = static_cast<uint16_t>(first);
        size[i] = static_cast<unsigned char>(log2_size);
        bits[i] = static_cast<unsigned char>(log2_values);
        from[i] = least;
    }
    /* Makes the root, and counts its keys. Slots of which all have as many keys make a node. */
    __device__ __forceinline__ void make_root()
    {
        const unsigned scale = window.scale;
        const unsigned root_bits = static_cast<unsigned>(__ffs(static_cast<int>(window.root))) - 1;
        begin[0] = 0;
        begin[1] = window.root + 1;
        for (unsigned i = threadIdx.x; i < window.root; i += 1024) {
            const unsigned part = scale != 0 ? i >> scale : 0, above = part > 1 ? part - 1 : 0;
            const unsigned values = scale != 0 ? above : window.shift;
            make(i, part << scale, scale != 0 ? scale : root_bits, values,
                 window.least + (static_cast<unsigned long long>(i - (above << scale)) << values));
        }
        if (threadIdx.x == 0) {
            make(window.root, window.root, 0, 0, 0);
        }
        __syncthreads();
        count_root();
    }
    /* The keys of the sample that are in slots of the root that become nodes. */
    __device__ __forceinline__ unsigned deep_keys()
    {
        unsigned deep = 0, before;
        for (unsigned i = threadIdx.x; i < window.root; i += 1024) {
            deep += node_for(i) != 0 ? all_counts[i] : 0;
        }
        return hybrid_sum_before(deep, sums, before);
    }
    /* Many keys in the first slot: the root becomes one of leading ones, if fewer keys then need
     * another node. varying: bits of the window; most: slots. */
    __device__ __forceinline__ void choose_root(unsigned varying, unsigned most)
    {
        make_root();
        if (all_counts[0] < 1024 * HYBRID_SAMPLE_ROWS / 8 || window.shift == 0) {
            return;
        }
        const hybrid_window<K> linear = window;
        const unsigned deep = deep_keys();
        cluster::barrier(); /* the counts have been read */
        unsigned scale = 1;
        while (((varying - scale) << (scale + 1)) <= most) {
            scale++;
        }
        window.scale = scale;
        window.shift = static_cast<unsigned>(sizeof(K) * 8) - 1 - scale;
        window.root = (varying - scale + 1) << scale;
        make_root();
        const bool deeper = deep_keys() >= deep;
        TREE_WAY(TREE_SCALES, !deeper && threadIdx.x == 0)
        if (deeper) {
            cluster::barrier();
            window = linear;
            make_root();
        }
    }
    /* Key i of this thread, not mapped. It is loaded each time, from the cache. */
    __device__ __forceinline__ K key_of(unsigned i) const
    {
        return hybrid_sample_key(keys, n, cluster::rank() * rows + i, alone);
    }
    /* Adds up what the blocks have counted in slots start .. to, four words at a time: the others
     * of the first and last four get what they had, or what nobody reads. */
    __device__ __forceinline__ void add_up(unsigned start, unsigned to)
    {
        cluster::barrier();
        if constexpr (ranks > 1) {
            for (unsigned i = start / 4 + threadIdx.x; i * 4 < to; i += 1024) {
                auto *own = reinterpret_cast<uint4 *>(counts) + i;
                uint4 all = make_uint4(0, 0, 0, 0);
#pragma unroll
                for (unsigned r = 0; r < ranks; r++) {
                    const uint4 its = *cluster::at(own, r);
                    all = make_uint4(all.x + its.x, all.y + its.y, all.z + its.z, all.w + its.w);
                }
                reinterpret_cast<uint4 *>(all_counts)[i] = all;
            }
            __syncthreads();
        }
    }
    /* Takes the sample's keys to slots of the root, and counts them there. */
    __device__ __forceinline__ void count_root()
    {
#pragma unroll
        for (unsigned i = 0; i < rows; i++) {
            key_rest[i] = key_of(i);
        }
#pragma unroll
        for (unsigned i = 0; i < rows; i++) {
            const K key = map.map(key_rest[i]);
            key_slot[i] = window.is_scaled() ? window.template root_slot<true>(key, key_rest[i])
                                             : window.template root_slot<false>(key, key_rest[i]);
            hybrid_count_slot(counts, key_slot[i]);
        }
        add_up(0, window.root);
    }
    /* Takes them from slots that have become nodes to those of the last level. */
    __device__ __forceinline__ void count_last()
    {
#pragma unroll
        for (unsigned i = 0; i < rows; i++) {
            const unsigned slot = slots[key_slot[i]];
            if ((slot & TREE_NODE) != 0) {
                key_slot[i] = window.child(slot, key_rest[i]);
                atomicAdd(&counts[key_slot[i]], 1u);
            }
        }
        add_up(begin[levels - 1], begin[levels]);
    }
    /* The log2 of the size of the node that a slot becomes, or 0. */
    __device__ __forceinline__ unsigned node_for(unsigned slot) const
    {
        const unsigned found = all_counts[slot], values = bits[slot];
        if (found < leaf * TREE_MORE || size[slot] == 0) {
            return 0;
        }
        const unsigned log2_size =
            31 - static_cast<unsigned>(__clz(static_cast<int>(found / leaf)));
        return log2_size < values ? log2_size : values;
    }
    /* Makes nodes of the slots of the last level that have many keys. Returns whether there are
     * any. Such slots are often neighbours, so that all warps share them. */
    __device__ __forceinline__ bool split()
    {
        constexpr unsigned each = TREE_SLOTS / 1024;
        const unsigned start = begin[levels - 1], to = begin[levels], lane = threadIdx.x % 32;
        unsigned log2_size[each], all_slots = 0, before;
        for (unsigned e = 0; e < each; e++) {
            const unsigned i = start + e * 1024 + threadIdx.x;
            log2_size[e] = i < to ? node_for(i) : 0;
            all_slots += log2_size[e] != 0 ? 1u << log2_size[e] : 0;
        }
        hybrid_sum_before(all_slots, sums, before);
        if (threadIdx.x == 0) {
            sums[0] = to;
        }
        __syncthreads();
        unsigned end = to + before;
        for (unsigned e = 0; e < each; e++) {
            const unsigned i = start + e * 1024 + threadIdx.x;
            const unsigned more = log2_size[e] != 0 ? 1u << log2_size[e] : 0;
            const bool fits = more != 0 && end + more <= TREE_SLOTS;
            const unsigned values = fits ? bits[i] - log2_size[e] : 0;
            const unsigned long long least = fits ? from[i] : 0;
            for (unsigned some = __ballot_sync(~0u, fits); some != 0; some &= some - 1) {
                const int other = __ffs(static_cast<int>(some)) - 1;
                const unsigned at = __shfl_sync(~0u, end, other);
                const unsigned b = __shfl_sync(~0u, log2_size[e], other);
                const unsigned v = __shfl_sync(~0u, values, other);
                const unsigned long long l = __shfl_sync(~0u, least, other);
                for (unsigned c = lane; c < 1u << b; c += 32) {
                    make(at + c, at, b, v, l + (static_cast<unsigned long long>(c) << v));
                }
            }
            if (fits) {
                slots[i] = TREE_NODE | log2_size[e] << TREE_LOG2 | end;
                atomicMax(&sums[0], end + more);
            }
            end += more;
        }
        __syncthreads();
        begin[levels + 1] = sums[0];
        __syncthreads();
        return begin[levels + 1] > to;
    }
    /* Returns false if there are too few slots: some leaf has many keys in a part of its range; or
     * if *unwanted becomes 1, at which the blocks of a cluster look if it is not NULL. */
    __device__ __forceinline__ bool grow(unsigned varying, unsigned most, const unsigned *unwanted)
    {
        choose_root(varying, most);
        while (levels < TREE_LEVELS && split()) {
            levels++;
            const bool may_end = ranks > 1 && unwanted != nullptr;
            if (may_end && cluster::rank() == 0 && threadIdx.x < 32) { /* one load for all */
                const unsigned ends = __shfl_sync(~0u, usw_load_relaxed(unwanted), 0);
                if (threadIdx.x < ranks) {
                    *cluster::at(&ends_at(levels), threadIdx.x) = ends;
                }
            }
            count_last();
            if (may_end && ends_at(levels) != 0) {
                return false;
            }
        }
        bool heavy = false;
        for (unsigned i = threadIdx.x; i < begin[levels]; i += 1024) {
            heavy |= (slots[i] & TREE_NODE) == 0 && bits[i] != 0 &&
                     all_counts[i] >= leaf * TREE_MORE * TREE_HEAVY;
        }
        return !__syncthreads_or(heavy);
    }
};

#endif

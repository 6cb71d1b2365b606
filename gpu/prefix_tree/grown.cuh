/* grown.cuh - a prefix tree that has been grown (grow.cuh) is stored, and looked at once more:
 * whether it serves. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_GROWN_CUH
#define USW_GPU_PREFIX_TREE_GROWN_CUH

#include "gpu/prefix_tree/grow.cuh"

template <typename K, unsigned ranks> struct hybrid_grown {
    using cluster = usw_cluster<ranks>;
    static constexpr unsigned rows = hybrid_grow<K, ranks>::rows;
    const hybrid_grow<K, ranks> &g;

    /* Of the keys in leaves of many values: how many there are, and above 16 bits how many lie in
     * the lower half of theirs. */
    __device__ __forceinline__ unsigned lower_halves() const
    {
        unsigned found = 0;
#pragma unroll
        for (unsigned i = 0; i < rows; i++) {
            const bool lower = g.key_rest[i] >> (sizeof(K) * 8 - 1) == 0;
            found += g.bits[g.key_slot[i]] > TREE_FEW_LEFT ? 1 + (lower ? 1u << 16 : 0) : 0;
        }
        return found;
    }
    /* Whether most keys lie in the same half of their leaves, as where bits are seldom set: then
     * one of a leaf's buckets has far more keys than the others, however many nodes there are. */
    __device__ __forceinline__ static bool leans(unsigned found)
    {
        const unsigned low = found >> 16, all = found & 0xffff;
        const bool some = all >= 1024 * HYBRID_SAMPLE_ROWS / 4;
        const bool leaning = some && (low > all / 8 * 5 || low < all / 8 * 3);
        TREE_WAY(TREE_LEANS, leaning && threadIdx.x == 0)
        return leaning;
    }
    __device__ __forceinline__ void clear_hashes() const
    {
        static_assert(1 << TREE_HASH >> 3 <= TREE_SLOTS * sizeof *g.from,
                      "from has room for a table");
        for (unsigned w = threadIdx.x; w < (1u << TREE_HASH >> 5) / ranks; w += 1024) {
            g.hashes[w] = 0;
        }
    }
    /* How many of half this block's keys in leaves of many values find their bit set. Equal
     * neighbours count once. */
    __device__ __forceinline__ unsigned seen_before(unsigned bucket_bits) const
    {
        unsigned seen = 0;
#pragma unroll
        for (unsigned i = 0; i < rows; i += 2) {
            const K key = g.key_of(i), left = __shfl_up_sync(~0u, key, 1);
            const unsigned slot = g.key_slot[i], hash = hybrid_tree_hash(key), word = hash / 32;
            const unsigned buckets = g.all_counts[slot] << bucket_bits >> 14; /* of 2^14 keys */
            const unsigned log2 = 31 - static_cast<unsigned>(__clz(static_cast<int>(buckets | 1)));
            if (g.bits[slot] > log2 + TREE_DENSE && (threadIdx.x % 32 == 0 || key != left)) {
                unsigned *at = cluster::at(&g.hashes[word / ranks], word % ranks);
                seen += atomicOr(at, 1u << hash % 32) >> hash % 32 & 1;
            }
        }
        return seen;
    }
    /* Whether keys lean to no side of leaves, and no more than `repeats` are equal, if that is not
     * ~0. The tree has been stored: with one block, hashes take the place of `from`. */
    __device__ __forceinline__ bool serves(unsigned bucket_bits, unsigned repeats) const
    {
        if (ranks == 1 && repeats != ~0u) {
            __syncthreads();
            clear_hashes();
            __syncthreads();
        }
        unsigned before;
        unsigned found = hybrid_sum_before(lower_halves(), g.sums, before);
        unsigned seen =
            repeats == ~0u ? 0 : hybrid_sum_before(seen_before(bucket_bits), g.sums, before);
        if constexpr (ranks > 1) {
            auto *all = g.shared_words();
            cluster::share(static_cast<unsigned long long>(seen) << 32 | found, all);
            unsigned long long sum = 0;
            for (unsigned r = 0; r < ranks; r++) {
                sum += all[r];
            }
            found = static_cast<unsigned>(sum);
            seen = static_cast<unsigned>(sum >> 32);
        }
        return !leans(found) && (repeats == ~0u || seen <= repeats);
    }
    /* Notes how many buckets keys before and behind the window have, which varies in `varying`
     * bits. */
    __device__ __forceinline__ void place_outside(hybrid_tree *tree, unsigned varying,
                                                  unsigned low) const
    {
        constexpr K most = static_cast<K>(~K(0));
        const K last = static_cast<K>(g.window.least + (most >> (sizeof(K) * 8 - varying)));
        const auto high = [&](K key) { return static_cast<unsigned>(key >> low); };
        tree->last = last;
        tree->low = low;
        tree->before = g.window.least != 0 ? high(g.window.least - 1) + 1 : 0;
        tree->outside = tree->before + (last != most ? high(most) - high(last + 1) + 1 : 0);
    }
    __device__ __forceinline__ void store(hybrid_tree *tree) const
    {
        for (unsigned i = cluster::rank() * 1024 + threadIdx.x; i < g.begin[g.levels];
             i += ranks * 1024) {
            tree->slots[i] = g.slots[i];
            tree->from[i] = g.from[i];
            tree->node[i] = g.node[i];
            tree->size[i] = g.size[i];
            tree->bits[i] = g.bits[i];
            tree->counts[i] = 0;
        }
        if (cluster::rank() != 0) {
            return;
        }
        if (threadIdx.x == 0) {
            tree->least = g.window.least;
            tree->shift = g.window.shift;
            tree->root = g.window.root;
            tree->scale = g.window.scale;
            tree->leaf_keys = g.leaf;
            tree->levels = g.levels;
            for (unsigned l = 0; l <= g.levels; l++) {
                tree->begin[l] = g.begin[l];
            }
            tree->done = tree->alike = tree->crowded = tree->far = 0;
            tree->alone = g.alone;
            tree->neighbours = tree->measured = 0;
        }
        if (threadIdx.x < TREE_REGIONS) {
            tree->shares[threadIdx.x] = 0;
        }
    }
};

/* Makes a tree of the sample, whose keys agree with `all` above their last `varying` bits, for so
 * many bits of buckets: a leaf should have 16 buckets or more. alone: of single keys, not of
 * stretches. Returns false if the tree would need more slots, keys lean to one side of its leaves,
 * or more than `repeats` of them are equal, if that is not ~0. unwanted: see grow. All blocks of a
 * cluster call, of 1024 threads. */
template <typename K, unsigned ranks>
__device__ __forceinline__ bool
hybrid_grow_by(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map, K all,
               unsigned varying, unsigned bucket_bits, bool alone, unsigned repeats,
               const unsigned *unwanted, hybrid_tree *tree, void *memory)
{
    const K least = varying < sizeof(K) * 8 ? static_cast<K>(all >> varying << varying) : K(0);
    const unsigned keys_16 = (1024u * HYBRID_SAMPLE_ROWS * 16) >> bucket_bits;
    __syncthreads();
    hybrid_grow<K, ranks> g(keys, n, map, memory, least, varying,
                            keys_16 > TREE_LEAF ? keys_16 : unsigned(TREE_LEAF), alone);
    const hybrid_grown<K, ranks> grown = {g};
    const unsigned most = (1u << bucket_bits) / 4;
    if (ranks > 1) {
        grown.clear_hashes();
    }
    const bool enough =
        g.grow(varying, most < TREE_ROOT_SCALED ? most : unsigned(TREE_ROOT_SCALED), unwanted);
    grown.store(tree);
    if (usw_cluster<ranks>::rank() == 0 && threadIdx.x == 0) {
        grown.place_outside(tree, varying, hybrid_tree_low(sizeof(K), bucket_bits));
    }
    return enough && grown.serves(bucket_bits, repeats);
}
/* By one block. */
template <typename K>
__device__ __noinline__ bool hybrid_grow_tree(const K *keys, unsigned long long n,
                                              usw_gpu_keymap<K> map, K all, unsigned varying,
                                              unsigned bucket_bits, bool alone, unsigned repeats,
                                              hybrid_tree *tree, void *memory)
{
    return hybrid_grow_by<K, 1>(keys, n, map, all, varying, bucket_bits, alone, repeats, nullptr,
                                tree, memory);
}

#endif

/* extents.cuh - the keys of a prefix tree's bucket: where their range begins, how many bits are
 * left to sort them by, and how a key is coded whose bucket is known. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_EXTENTS_CUH
#define USW_GPU_PREFIX_TREE_EXTENTS_CUH

#include "gpu/prefix_tree/prefix_tree.cuh"

/* The key with the last bits of its bucket's number above its last `low` ones, 32 or more of keys
 * of 64 bits: the bucket tells all other bits. */
template <typename K>
__device__ __forceinline__ K hybrid_coded(K key, unsigned bucket, unsigned low)
{
    if constexpr (sizeof(K) == 8) {
        const unsigned high = static_cast<unsigned>(key >> 32) & ((1u << (low - 32)) - 1);
        return static_cast<K>(high | bucket << (low - 32)) << 32 | static_cast<unsigned>(key);
    } else {
        return static_cast<K>(key & ((1u << low) - 1)) | static_cast<K>(bucket << low);
    }
}

/* The way back: how much a key of a bucket is above the bucket's least one, and the key. Keys that
 * were not coded are the same. For other buckets than a tree's least is 0, and all bits tell. */
template <typename K> struct hybrid_decoder {
    K least, mask;
    __device__ __forceinline__ hybrid_decoder() : least(0), mask(static_cast<K>(~K(0)))
    {
    }
    __device__ __forceinline__ hybrid_decoder(unsigned long long from, unsigned low)
        : least(static_cast<K>(from)), mask(static_cast<K>((K(1) << low) - 1))
    {
    }
    __device__ __forceinline__ K above(K coded) const
    {
        return static_cast<K>(coded - least) & mask;
    }
    __device__ __forceinline__ K key(K coded) const
    {
        return static_cast<K>(above(coded) + least);
    }
};

/* Of each bucket: see hybrid_extent; low: of the tree. */
struct hybrid_extents {
    unsigned long long *least;
    unsigned char *left;
    unsigned low;
    template <typename K> __device__ __forceinline__ hybrid_decoder<K> decoder(unsigned b) const
    {
        return {least[b], low};
    }
};

/* The least key of bucket b; the most that a key of it is above that, and the bits of this; whether
 * its leaf is TREE_ALIKE. */
struct hybrid_extent {
    unsigned long long least, most;
    unsigned left;
    bool alike;
    __device__ __forceinline__ hybrid_extent(const hybrid_tree *tree, unsigned b)
        : least(0), most((1ull << tree->low) - 1), left(tree->low), alike(false)
    {
        if (b < tree->before || b >= tree->until) {
            const unsigned high = b < tree->before ? b : b - tree->behind;
            least = static_cast<unsigned long long>(high) << tree->low;
            return;
        }
        const unsigned slot = tree->leaf[b], bits = tree->bits[slot];
        const unsigned s = tree->slots[slot], i = b - (s & TREE_FIRST), buckets = s >> TREE_NUMBER;
        alike = (s & TREE_ALIKE) != 0;
        least = begin(buckets, bits, i);
        const bool last = i + 1 >= buckets;
        const unsigned long long end =
            last ? (bits < 64 ? 1ull << bits : 0) : begin(buckets, bits, i + 1);
        most = end - 1 - least;
        left = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(most)));
        least += tree->from[slot];
    }
    /* The least of a leaf's 1 << bits values that goes to its bucket i. */
    __device__ __forceinline__ static unsigned long long begin(unsigned buckets, unsigned bits,
                                                               unsigned i)
    {
        if (i == 0) {
            return 0;
        }
        const unsigned long long t =
            ((static_cast<unsigned long long>(i) << 32) + buckets - 1) / buckets;
        return bits >= 32 ? t << (bits - 32) : (t + (1ull << (32 - bits)) - 1) >> (32 - bits);
    }
};

#endif

/* extents.cuh - the keys of a prefix tree's bucket: where their range begins, how many bits are
 * left to sort them by, and how a key is coded whose bucket is known. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_EXTENTS_CUH
#define USW_GPU_PREFIX_TREE_EXTENTS_CUH

#include "gpu/load_here.cuh"
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
    /* How much of the bits that are left the bucket's range fills, in 1/256. */
    __device__ __forceinline__ unsigned fill() const
    {
        const unsigned long long most_256 =
            left >= 8 ? most >> (left - 8) : ((most + 1) << (8 - left)) - 1;
        return static_cast<unsigned>(most_256) + 1;
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

/* Gives four times a key's bin, of 1 << b: its part of a range that fills `fill` 256ths of `left`
 * bits, all of them if that is 256. Bits above these are not looked at. If there are no more values
 * than bins, each has its own. */
struct hybrid_part_of_range {
    unsigned turn, factor;
    bool high; /* of keys of 64 bits: they are turned by 32 more */
    __device__ __forceinline__ hybrid_part_of_range(unsigned key_bits, unsigned left, unsigned fill,
                                                    unsigned b)
        : turn((key_bits - left) % 32), factor((4u << (b + 8)) / fill), high(key_bits - left >= 32)
    {
    }
    __device__ __forceinline__ unsigned operator()(uint32_t key) const
    {
        return __umulhi(key << turn, factor) & ~3u;
    }
    __device__ __forceinline__ unsigned operator()(uint64_t key) const
    {
        const unsigned lo = static_cast<unsigned>(key), hi = static_cast<unsigned>(key >> 32);
        return __umulhi(__funnelshift_l(high ? 0 : lo, high ? lo : hi, turn), factor) & ~3u;
    }
};

/* Of each bucket: see hybrid_extent, fill less one; low: of the tree. */
struct hybrid_extents {
    unsigned long long *least;
    unsigned char *left, *fill;
    unsigned low;
    static constexpr size_t bytes(size_t buckets)
    {
        return buckets * 10;
    }
    /* In so many bytes of memory, behind the tree. */
    static hybrid_extents behind(hybrid_tree *tree, size_t buckets, unsigned low)
    {
        auto *least = reinterpret_cast<unsigned long long *>(tree + 1);
        auto *left = reinterpret_cast<unsigned char *>(least + buckets);
        return {least, left, left + buckets, low};
    }
    __device__ __forceinline__ void note(unsigned b, const hybrid_extent &e) const
    {
        least[b] = e.least;
        left[b] = static_cast<unsigned char>(e.left);
        fill[b] = static_cast<unsigned char>(e.fill() - 1);
    }
    template <typename K> __device__ __forceinline__ hybrid_decoder<K> decoder(unsigned b) const
    {
        return {least[b], low};
    }
    /* What is noted of a bucket. */
    struct of_bucket {
        unsigned long long least;
        unsigned left, fill, low;
        template <typename K> __device__ __forceinline__ hybrid_decoder<K> decoder() const
        {
            return {least, low};
        }
    };
    /* Of bucket b, loaded at once; where there can be no tree, none. */
    __device__ __forceinline__ of_bucket of(unsigned b) const
    {
        of_bucket e = {0, 0, 256, low};
        if (least != nullptr) {
            e.least = usw_load_here(least + b);
            e.left = usw_load_here(left + b);
            e.fill = usw_load_here(fill + b) + 1u;
        }
        return e;
    }
};

#endif

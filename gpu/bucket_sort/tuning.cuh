/* tuning.cuh - numbers of the bucket sort that can be tuned: how many buckets, and the shapes of
 * blocks and tiles that scatter and sort them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_TUNING_CUH
#define USW_GPU_BUCKET_SORT_TUNING_CUH

#include "gpu/gpu.cuh"

#include <type_traits>

/* BUCKET_KEYS: there are enough buckets for one to have fewer keys than that on average, but at
 * most 2^BITS_MAX. Keys of 32 bits may have twice as many (bits_for of algo/sort_hybrid.cu).
 * Buckets of fewer than HALF_KEYS and of fewer than MORE_KEYS have shapes of their own, those of 32
 * bits also of fewer than LEAST_KEYS and MOST_KEYS. All leave a seventh of a shape's capacity to
 * buckets above the average. */
/* EVEN_KEYS: keys of a bucket at most, by which a sample chooses how many buckets there are. */
#ifdef USW_EMULATE /* two scatters at sizes that the emulator can sort */
enum { BUCKET_KEYS = 256, HALF_KEYS = 160, MORE_KEYS = 320, BITS_MAX = 8, SCATTER_BITS = 2 };
enum { LEAST_KEYS = 100, MOST_KEYS = 400, FINE_CROWDED = 20, WORDS_FROM = 4 };
/* Whether no more than 16 bits of a key of 32 are left where BITS_MAX bits say its bucket. */
static constexpr bool HALVES_SURE = false;
#define LARGE_FROM(bytes) ((bytes) == 8 ? 30000 : 32769)
static constexpr unsigned long long TREE_FROM_32 = 16384, TREE_FROM_64 = 16384;
static constexpr unsigned long long TREE_COUNTS_FROM = 32769;
#define MORE_BELOW(bytes) ((bytes) == 8 ? 60000 : 1)
#define EVEN_KEYS(capacity) ((capacity) < 296 ? (capacity) : 296)
static constexpr unsigned long long TREE_REPEATS_FROM = 80000;
#else
/* TREE_FROM: uneven keys of 32 and of 64 bits go by a prefix tree from so many on; fewer are faster
 * sorted by digits. TREE_REPEATS_FROM: so do pairs of fewer than 2^18 keys. */
/* FINE_CROWDED: with more crowded buckets the radix sort is faster than counts and fills. WORDS_
 * FROM: 64-bit keys are sorted as words where so many bits, or more, say their bucket. */
enum { BUCKET_KEYS = 4200, HALF_KEYS = 2640, MORE_KEYS = 5300, BITS_MAX = 16, SCATTER_BITS = 8 };
enum { LEAST_KEYS = 2100, MOST_KEYS = 6240, FINE_CROWDED = 16, WORDS_FROM = 13 };
static constexpr bool HALVES_SURE = true;
#define LARGE_FROM(bytes) (1ull << ((bytes) == 8 ? 23 : 28))
static constexpr unsigned long long TREE_FROM_32 = 1 << 25, TREE_FROM_64 = 1 << 23;
/* From so many on the first scatter by a tree may count the keys: all that may go by one, but
 * under the emulator, where some are counted before. */
static constexpr unsigned long long TREE_COUNTS_FROM = 1 << 23;
/* Even keys that fill a part of their range have twice as many buckets; from so many keys on, where
 * there is a tree, they go by that. */
#define MORE_BELOW(bytes) (1ull << ((bytes) == 8 ? 25 : 26))
#define EVEN_KEYS(capacity) (capacity)
static constexpr unsigned long long TREE_REPEATS_FROM = 1 << 26;
#endif
/* SLACK: the part of all keys that the regions of a first scatter that counts may have more. DOUBT:
 * how much more uneven than by chance a sample may be for it, as a share. */
#ifdef USW_EMULATE
enum { REGION_SLACK = 2 };
static constexpr float HYBRID_UNCOUNTED_DOUBT = 2;
#else
enum { REGION_SLACK = 20 };
static constexpr float HYBRID_UNCOUNTED_DOUBT = 0;
#endif
static inline unsigned long long hybrid_regions_keys(unsigned long long n)
{
    return n + n / REGION_SLACK;
}

/* Bits by which uneven keys of 32 bits are counted again; as many are left at most. */
static constexpr unsigned FINE_BITS = 16, FINE_BITS_1 = 8;

struct hybrid_shape_32 {
    static constexpr int threads = 1024, keys = 16, slots = 27136, batch = 8;
    static constexpr int several = 8, several_batch = 4; /* tiles of a block, where it has more */
    static constexpr int local_blocks = 4, rounds = 8;
};
struct hybrid_crowd_shape {
    static constexpr int threads = 512, keys = 16, blocks = 3;
};
struct hybrid_shape_64 {
    static constexpr int threads = 512, keys = 16, several = 8;
    static constexpr int local_blocks = 3, rounds = 7;
};
template <typename K> struct hybrid_shape_of {
    using shape = hybrid_shape_32;
};
template <> struct hybrid_shape_of<uint64_t> {
    using shape = hybrid_shape_64;
};

/* Buckets of keys that go by a tree and have too many bits left for halves or words are sorted by
 * blocks of this shape; larger ones by blocks of the next. */
template <typename K> struct hybrid_wide_shape {
    static constexpr int threads = 256, keys = 24, bits = 12, blocks = sizeof(K) == 8 ? 3 : 5;
};
struct hybrid_rest_shape {
    static constexpr int threads = 1024, keys = 17, bits = 14, blocks = 1;
};
static constexpr unsigned TREE_CAPACITY = hybrid_rest_shape::threads * hybrid_rest_shape::keys - 32;

/* The sort of step 5, for buckets of about 2^(12 + size) keys, and a seventh more, on average;
 * sizes 3 and 4: between sizes 0 and 1; -2: fewer keys than -1. halves_blocks of
 * gpu/bucket_sort/5_sort_as_halves.cuh run on a multiprocessor. */
template <int size> struct hybrid_local_shape {
    static constexpr int times = size >= 3 ? 0 : size == -2 ? -1 : size;
    static constexpr int threads = times < 0 ? 128 : 256 << (times < 0 ? 0 : times);
    static constexpr int keys = size == 4 ? 28 : size == -1 || size == 3 ? 24 : size < 2 ? 19 : 17;
    static constexpr int bits = 12 + times + (size == 4);
    static constexpr unsigned capacity = threads * keys - 32;
    static constexpr int blocks(int of_256)
    {
        return size < 0              ? 2 * of_256 - 1
               : size >= 3           ? of_256 - 1
               : of_256 >> times > 0 ? of_256 >> times
                                     : 1;
    }
    static constexpr int halves_blocks = size == -2   ? 10
                                         : size == -1 ? 8
                                         : size == 0  ? 5
                                         : size == 1  ? 2
                                                      : 4;
};

/* Returns f(size) for n keys in 1 << bits buckets, size a std::integral_constant: the shape in
 * which a block sorts a bucket. */
template <typename K, typename F>
static inline auto hybrid_by_size(unsigned long long n, unsigned bits, F f)
{
    const unsigned long long keys = (n - 1) >> bits;
    if constexpr (sizeof(K) == 4) {
        if (keys < LEAST_KEYS && bits + 2 >= BITS_MAX) {
            return f(std::integral_constant<int, -2>{});
        } else if (keys >= MORE_KEYS && keys < MOST_KEYS) {
            return f(std::integral_constant<int, 4>{});
        }
    }
    return keys < HALF_KEYS         ? f(std::integral_constant<int, -1>{})
           : keys < BUCKET_KEYS     ? f(std::integral_constant<int, 0>{})
           : keys < MORE_KEYS       ? f(std::integral_constant<int, 3>{})
           : keys < 2 * BUCKET_KEYS ? f(std::integral_constant<int, 1>{})
                                    : f(std::integral_constant<int, 2>{});
}

#endif

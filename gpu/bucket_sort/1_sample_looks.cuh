/* 1_sample_looks.cuh - step 1 of the bucket sort: what a block sees of a sample: which leading bits
 * say buckets, whether these are crowded, whether keys are equal or in order. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_LOOKS_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_LOOKS_CUH

#include "gpu/block/least_window.cuh"
#include "gpu/bucket_sort/1_sample_few.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/prefix_tree/take_tree.cuh"

/* The sample alone sends keys to the radix sort where more than `buckets` buckets have more than
 * `keys` of its keys (keys 0: never). With walks set it also does where most neighbours share a
 * bucket and rise and fall, as a random walk does, for such buckets hold few different digits: keys
 * of 32 bits only if no bucket is crowded, keys of 64 bits only if these neighbours are much closer
 * than a bucket is wide. */
struct hybrid_crowded {
    unsigned keys, buckets;
    bool walks;
    unsigned bits1;    /* of the first scatter, whose buckets a window begins with one of */
    unsigned capacity; /* keys of a bucket that step 5 can hold */
    bool more;         /* there may be twice as many buckets */
    unsigned falls;    /* with so many neighbours that fall, or fewer, gpu/runs looks at the keys */
    unsigned near;     /* not 0: keys near their places, so many buckets away, may go by a tree,
                        * which looks at them once more */
    unsigned repeats;  /* so many of half the sample may be equal, for a tree */
    bool spares;       /* larger buckets are sorted, too */
};

/* How many of the sample's neighbours fall. A block calls. word: shared. */
template <typename K, int I>
__device__ __forceinline__ unsigned hybrid_falls(const K (&k)[I], unsigned *word)
{
    unsigned falls = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        const K before = __shfl_up_sync(~0u, k[i], 1);
        falls += threadIdx.x % 32 != 0 && k[i] < before;
    }
    falls = __reduce_add_sync(~0u, falls);
    __syncthreads();
    if (threadIdx.x == 0) {
        *word = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(word, falls);
    }
    __syncthreads();
    falls = *word;
    __syncthreads();
    return falls;
}

/* A block counts the sample's keys in each bucket. Of neighbours in one bucket only the first is
 * counted: nearly sorted keys have many such, and their buckets are not crowded. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_is_crowded(const K (&k)[I], unsigned here, unsigned shift,
                                                  unsigned bits, const hybrid_crowded &c,
                                                  unsigned *counts)
{
    const unsigned words = bits > 6 ? 1u << (bits - 1) : 32, mask = (1u << bits) - 1;
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        counts[w] = 0;
    }
    __syncthreads();
    const unsigned close = shift > 10 ? shift - 10 : 0;
    unsigned crowded = 0; /* above its 16 bits: how many neighbours in one bucket fall */
    for (int i = 0; i < I; i++) {
        const unsigned d = static_cast<unsigned>(k[i] >> shift) & mask;
        const unsigned left = __shfl_up_sync(~0u, d, 1);
        const K before = __shfl_up_sync(~0u, k[i], 1);
        if ((here >> i & 1) != 0 && (threadIdx.x % 32 == 0 || d != left)) {
            atomicAdd(&counts[d / 2], 1u << d % 2 * 16);
        } else if ((here >> i & 1) != 0 && k[i] < before &&
                   (sizeof(K) == 4 || (before - k[i]) >> close == 0)) {
            crowded += 1u << 16;
        }
    }
    __syncthreads();
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        crowded += (counts[w] & 0xffff) > c.keys;
        crowded += counts[w] >> 16 > c.keys;
    }
    crowded = __reduce_add_sync(~0u, crowded);
    __syncthreads();
    if (threadIdx.x == 0) {
        counts[0] = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0 && crowded != 0) {
        atomicAdd(&counts[0], crowded);
    }
    __syncthreads();
    const unsigned keys = I * 1024, falls = counts[0] >> 16;
    return (counts[0] & 0xffff) > c.buckets ||
           (c.walks && (sizeof(K) == 8 || (counts[0] & 0xffff) == 0) && falls > keys / 4 &&
            falls < keys / 4 * 3);
}

/* Whether keys that crowd some bucket have few values. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_may_have_few_values(const K (&k)[I], unsigned here,
                                                           const usw_gpu_keymap<K> &map,
                                                           hybrid_few<K> *table, unsigned *counts)
{
    if constexpr (sizeof(K) >= 4) {
        if (table != nullptr) {
            return hybrid_have_few_values<K, I>(k, here, map, hybrid_few_size::values, table,
                                                counts);
        }
    }
    return false;
}

/* The part of 2^top values that are in that range: few ranges fill a power of two. */
__device__ __forceinline__ float hybrid_filled(unsigned long long range, unsigned top)
{
    return (static_cast<float>(range) + 1) * exp2f(-static_cast<float>(top));
}
/* Whether buckets of even keys in that range have no more than step 5 can hold, so many bits of
 * `top` being leading ones. above: deviations of a bucket that are allowed for; of 65,536 buckets
 * chance makes one too large in half of all arrays by 4.25, in few of 1000 by 5.5. equal: keys of a
 * value, whose buckets have more or fewer keys the more that are. */
__device__ __forceinline__ bool hybrid_fits(unsigned long long n, unsigned long long range,
                                            unsigned top, unsigned bits, unsigned capacity,
                                            float above, float equal)
{
    const float buckets = exp2f(static_cast<float>(bits)) * hybrid_filled(range, top);
    const float keys = static_cast<float>(n) / buckets;
    return top <= bits || keys + above * sqrtf(keys * equal) <= static_cast<float>(capacity);
}

/* With more copies of each value the radix sort is faster, where larger buckets are sorted, too. */
static constexpr float HYBRID_SPARED_COPIES = 32;

/* How many keys have the same value, on average, if they are so many that their values make some
 * buckets too large for step 5, though all bits vary evenly: values at random, not all of a grid;
 * else 0. A block calls. */
template <typename K, int I>
__device__ __forceinline__ float hybrid_alike(const K (&k)[I], unsigned long long n,
                                              const hybrid_leading<K> &l, unsigned capacity,
                                              unsigned *words)
{
    if (sizeof(K) == 8 && l.shift <= HYBRID_FEW_LEFT) {
        return 0;
    }
    const float copies = usw_copies<K, I>(k, n, words);
    if (hybrid_fits(n, l.range, l.top, l.bits, capacity, 4.25f, copies)) {
        return 0;
    }
    const unsigned long long grid = usw_grid_of<K, I>(k, reinterpret_cast<K *>(words));
    const auto range = static_cast<float>(l.range / (grid != 0 ? grid : 1));
    return static_cast<float>(n) / copies * 4 < range ? copies : 0;
}

/* Whether so many keys are equal that they do not go by leading bits. copies: see hybrid_alike.
 * Where larger buckets are sorted, too, a fourth of the keys may be in such. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool
hybrid_repeats(const K (&k)[I], unsigned long long n, const hybrid_leading<K> &l,
               const hybrid_crowded &crowded, unsigned *words, float &copies)
{
    copies = hybrid_alike<K, I>(k, n, l, crowded.capacity, words);
    const bool spared = crowded.spares && copies <= HYBRID_SPARED_COPIES &&
                        hybrid_fits(n, l.range, l.top, l.bits, crowded.capacity, 0.67f, copies);
    return copies > 0 && !spared;
}

/* The leading bits for keys that vary in `varying` bits. A block calls. */
template <typename K, int I>
__device__ __forceinline__ hybrid_leading<K>
hybrid_choose_leading(const K (&k)[I], unsigned here, unsigned long long n, unsigned bits,
                      unsigned varying, const hybrid_crowded &crowded)
{
    USW_SHARED_ARRAY(K, ends, [64]);
    const usw_window window = usw_least_window<K, I>(k, here, bits, crowded.bits1, ends, ends + 32);
    const bool in_window = crowded.bits1 < bits && window.bits < varying;
    hybrid_leading<K> l;
    l.base = static_cast<K>(in_window ? window.base : 0);
    l.top = in_window ? window.bits : varying;
    l.range = window.range;
    l.least = static_cast<K>(window.least);
    const float above = n >= LARGE_FROM(sizeof(K)) ? 1 : 5.5f; /* large buckets are sorted, too */
    l.fits = hybrid_fits(n, window.range, l.top, bits, crowded.capacity, above, 1);
    l.bits = bits + (!l.fits && crowded.more ? 1 : 0);
    l.serves = l.fits || l.bits != bits;
    l.filled = l.serves ? hybrid_filled(window.range, l.top) : 1;
    l.shift = l.top > l.bits ? l.top - l.bits : 0;
    return l;
}

#endif

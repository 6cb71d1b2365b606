/* sample_tile.cuh - the steps of the sample sort that concern one bucket or one tile of keys:
 * splitters from a sorted sample, and the search for a key's bucket.
 *
 * A splitter that comes several times in the sample stays once; the others become the next value,
 * so that between the two lies a bucket of that one value, which needs no sorting. */
#ifndef USW_GPU_TEXTBOOK_SAMPLE_TILE_CUH
#define USW_GPU_TEXTBOOK_SAMPLE_TILE_CUH

#include "gpu/block/bitonic.cuh"
#include "gpu/textbook/packed_pairs.cuh"

/* Where sample i of `samples` is taken from n keys: somewhere in its stretch, by a hash of i, so
 * that regular inputs do no harm and the outcome is the same every time. */
__device__ __forceinline__ size_t usw_sample_place(unsigned i, unsigned samples, size_t n)
{
    const size_t begin = static_cast<size_t>(i) * n / samples;
    const size_t end = (static_cast<size_t>(i) + 1) * n / samples;
    const unsigned long long hash = (i + 1) * 0x9e3779b97f4a7c15ull >> 20;
    return begin + (end - begin > 1 ? static_cast<size_t>(hash % (end - begin)) : 0);
}

/* All lanes of the block: `buckets` - 1 splitters of n keys, by a sample in shared memory that has
 * room for `samples` elements, a multiple of buckets. */
template <typename E>
__device__ __forceinline__ void usw_choose_splitters(const E *keys, size_t n, E *sample,
                                                     unsigned samples, E *splitters,
                                                     unsigned buckets)
{
    for (unsigned i = threadIdx.x; i < samples; i += blockDim.x) {
        sample[i] = keys[usw_sample_place(i, samples, n)];
    }
    __syncthreads();
    usw_bitonic_sort(sample, samples);
    const unsigned step = samples / buckets;
    for (unsigned s = threadIdx.x; s + 1 < buckets; s += blockDim.x) {
        const E splitter = sample[(s + 1) * step];
        const bool again = s > 0 && sample[s * step] == splitter;
        splitters[s] = again && splitter != usw_greatest_element<E>() ? splitter + 1 : splitter;
    }
    __syncthreads();
}

/* How many of the buckets - 1 sorted splitters are <= key: each step halves those that may still
 * count, without a branch. */
template <typename E>
__device__ __forceinline__ unsigned usw_find_bucket(const E *splitters, unsigned buckets, E key)
{
    unsigned bucket = 0;
    for (unsigned half = buckets / 2; half > 0; half /= 2) {
        bucket += splitters[bucket + half - 1] <= key ? half : 0;
    }
    return bucket;
}

/* Whether a bucket can hold one value only. */
template <typename E>
__device__ __forceinline__ bool usw_one_value(const E *splitters, unsigned buckets, unsigned bucket)
{
    const E low = bucket == 0 ? static_cast<E>(0) : splitters[bucket - 1];
    if (bucket == buckets - 1) {
        return low == usw_greatest_element<E>();
    }
    return splitters[bucket] - low <= 1;
}

#endif

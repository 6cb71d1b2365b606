/* sample_splitters.cuh - the sample sort on a GPU: its numbers, what follows from them for n keys
 * (levels, buckets, scratch), how splitters come from a sorted sample, and the search for a key's
 * bucket.
 *
 * A splitter that comes several times in the sample stays once; the others become the next value,
 * so that between the two lies a bucket of that one value, which needs no sorting. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TEXTBOOK_SAMPLE_SPLITTERS_CUH
#define USW_GPU_TEXTBOOK_SAMPLE_SPLITTERS_CUH

#include "gpu/block/bitonic.cuh"
#include "gpu/textbook/packed_pairs.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256;
    static constexpr unsigned place_threads = 1024;
    static constexpr unsigned blocks = 8; /* a multiprocessor */
    static constexpr unsigned tile_rounds = 16, tile = threads * tile_rounds;
    static constexpr unsigned bucket_bytes = 32 * 1024, bucket_keys = 4096; /* of one block */
    static constexpr unsigned buckets_most = 512, buckets_spare = 64;
    static constexpr unsigned oversampling = 16, sample_bytes = 64 * 1024;
    static constexpr unsigned filling = 4; /* a bucket should be 1 / filling full */
    static constexpr unsigned levels_spare = 3, levels_most = 12;
};

template <typename E>
constexpr unsigned bucket_most = tuning::bucket_bytes / sizeof(E) < tuning::bucket_keys
                                     ? tuning::bucket_bytes / sizeof(E)
                                     : tuning::bucket_keys;

struct range {
    unsigned long long begin, end;
};

/* How many levels there are, how they split, and how many buckets they may be given. */
struct plan {
    unsigned levels, buckets[tuning::levels_most];
    size_t count_most[tuning::levels_most + 1]; /* buckets of more than bucket_most keys */
    size_t rows;                                /* new buckets of a level at most */
};

plan plan_for(size_t n, size_t most_keys)
{
    plan p = {};
    unsigned bits = 0, needed = 0;
    while ((n * tuning::filling - 1) / most_keys >> bits != 0) {
        bits++;
    }
    while (needed == 0 || (tuning::buckets_most >> ((bits + needed - 1) / needed)) == 0) {
        needed++;
    }
    p.levels = needed + tuning::levels_spare;
    p.count_most[0] = 1;
    for (unsigned i = 0; i < p.levels; i++) {
        p.buckets[i] = i < needed ? 1u << (bits + needed - 1) / needed : tuning::buckets_spare;
        const size_t here = p.count_most[i] * p.buckets[i], most = n / most_keys;
        p.count_most[i + 1] = here < most ? here : most;
        p.rows = here > p.rows ? here : p.rows;
    }
    return p;
}

/* Scratch of a sort. */
template <typename E> struct sort_scratch {
    E *other, *splitters;
    unsigned long long *ends, *before;
    unsigned *counts;
    range *lists[2];
};

template <typename E> bool take_scratch(usw_gpu *g, const plan &p, size_t n, sort_scratch<E> *w)
{
    size_t list = 1;
    for (unsigned i = 0; i <= p.levels; i++) {
        list = p.count_most[i] > list ? p.count_most[i] : list;
    }
    w->other = static_cast<E *>(usw_gpu_scratch(g, n * sizeof(E)));
    w->splitters = static_cast<E *>(usw_gpu_scratch(g, p.rows * sizeof(E)));
    w->ends = static_cast<unsigned long long *>(usw_gpu_scratch(g, p.rows * sizeof *w->ends));
    w->before =
        static_cast<unsigned long long *>(usw_gpu_scratch(g, (list + 1) * sizeof *w->before));
    w->counts =
        static_cast<unsigned *>(usw_gpu_scratch(g, (tuning::levels_most + 1) * sizeof *w->counts));
    w->lists[0] = static_cast<range *>(usw_gpu_scratch(g, list * sizeof(range)));
    w->lists[1] = static_cast<range *>(usw_gpu_scratch(g, list * sizeof(range)));
    return w->other != nullptr && w->splitters != nullptr && w->ends != nullptr &&
           w->before != nullptr && w->counts != nullptr && w->lists[0] != nullptr &&
           w->lists[1] != nullptr;
}

} // namespace

/* ---- splitters, and the bucket of a key ---- */

/* The place of sample i of `samples` in n keys: in the i-th of equal ranges, by a hash of i, so
 * that regular inputs do no harm and the result is the same every time. */
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

/* How many of the buckets - 1 sorted splitters are <= key, by halving, without a branch. */
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

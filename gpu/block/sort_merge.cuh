/* sort_merge.cuh - a block sorts a bucket in shared memory by merging: whatever the distribution, a
 * few times slower than by bins (gpu/bucket_sort/5_sort.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_SORT_MERGE_CUH
#define USW_GPU_BLOCK_SORT_MERGE_CUH

#include "gpu/gpu.cuh"

/* Takes the keys at [at, at + I) of the merge of two sorted runs of `run` keys each. */
template <typename K, int I>
__device__ __forceinline__ void hybrid_merge_path(const K *from, unsigned run, unsigned at,
                                                  K (&x)[I])
{
    const K *left = from, *right = from + run;
    unsigned lo = at > run ? at - run : 0, hi = at < run ? at : run;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (left[mid] <= right[at - 1 - mid]) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    unsigned i = lo, j = at - lo;
    K a = i < run ? left[i] : K(0), b = j < run ? right[j] : K(0);
#pragma unroll
    for (int o = 0; o < I; o++) {
        const bool take = j >= run || (i < run && a <= b);
        x[o] = take ? a : b;
        i += take;
        j += !take;
        const unsigned next = take ? i : run + j;
        if (take ? i < run : j < run) {
            K key = from[next];
            a = take ? key : a;
            b = take ? b : key;
        }
    }
}

/* Sorts m keys from data to tile: I in each thread's registers, then merges run with run. */
template <typename K, int NT, int I>
__device__ __noinline__ void hybrid_by_merging(const K *data, unsigned m, K *tile)
{
    const unsigned tid = threadIdx.x, own = tid * I;
    bool differs = false;
    for (unsigned p = tid; p < NT * I; p += NT) {
        tile[p] = p < m ? data[p] : static_cast<K>(~K(0));
        differs = differs || (p < m && tile[p] != data[0]);
    }
    if (!__syncthreads_or(differs)) {
        return;
    }
    K x[I];
#pragma unroll
    for (int j = 0; j < I; j++) {
        x[j] = tile[own + j];
    }
    if (own < m) {
#pragma unroll
        for (int round = 0; round < I; round++) {
#pragma unroll
            for (int j = round & 1; j + 1 < I; j += 2) {
                K a = x[j], b = x[j + 1];
                x[j] = a < b ? a : b;
                x[j + 1] = a < b ? b : a;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < I; j++) {
        tile[own + j] = x[j];
    }
    __syncthreads();
    for (unsigned threads = 1; threads * I < m; threads *= 2) { /* of a run */
        const unsigned first = tid & ~(2 * threads - 1);
        const bool awake = (first + threads) * I < m; /* else the second run is empty */
        if (awake) {
            hybrid_merge_path<K, I>(tile + first * I, threads * I, (tid - first) * I, x);
        }
        __syncthreads();
        if (awake) {
#pragma unroll
            for (int j = 0; j < I; j++) {
                tile[own + j] = x[j];
            }
        }
        __syncthreads();
    }
}

#endif

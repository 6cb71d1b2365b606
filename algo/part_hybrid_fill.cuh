/* part_hybrid_fill.cuh - the hybrid sort's fill: keys written by their counts alone. */
#ifndef USW_PART_HYBRID_FILL_CUH
#define USW_PART_HYBRID_FILL_CUH

#include "part_hybrid_count.cuh"

/* The last of begins[lo .. hi], which rise, that is p or less. */
__device__ __forceinline__ unsigned hybrid_bucket_at(const unsigned long long *begins, unsigned lo,
                                                     unsigned hi, unsigned long long p)
{
    while (lo < hi) {
        unsigned mid = (lo + hi + 1) / 2;
        if (begins[mid] <= p) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

/* What is filled: the value b, from position begins[b] on, is the key base | b << lo. */
template <typename K> struct hybrid_filling {
    K *keys;
    const unsigned long long *begins;
    unsigned values, lo;
    K base;
};

/* Writes the keys at positions [at, end); a warp calls, or none of it where at == end. */
template <typename K>
__device__ __forceinline__ void hybrid_fill_stretch(const hybrid_filling<K> &f,
                                                    const usw_gpu_keymap<K> &map,
                                                    unsigned long long at, unsigned long long end)
{
    constexpr unsigned V = 16 / sizeof(K);
    const unsigned lane = threadIdx.x % 32;
    unsigned bound = 0;
    if (lane < 2) {
        bound = hybrid_bucket_at(f.begins, 0, f.values - 1, lane == 0 ? at : end - 1);
    }
    const unsigned lo = __shfl_sync(~0u, bound, 0), hi = __shfl_sync(~0u, bound, 1);
    /* Vectors of 16 bytes; the first and the last may not be whole. */
    const unsigned skew =
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(f.keys + at) / sizeof(K)) % V;
    for (unsigned long long q = lane * V; q < end - at + skew; q += 32 * V) {
        const unsigned long long p = at + q - skew; /* may be below at */
        unsigned b = hybrid_bucket_at(f.begins, lo, hi, q < skew ? at : p);
        hybrid_vector<K> v;
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            if (q + j >= skew && b < hi && f.begins[b + 1] <= p + j) {
                b = hybrid_bucket_at(f.begins, b + 1, hi, p + j);
            }
            v.k[j] = map.unmap(static_cast<K>(f.base + static_cast<K>(K(b) << f.lo)));
        }
        if (q >= skew && p + V <= end) {
            *reinterpret_cast<uint4 *>(f.keys + p) = v.v;
        } else {
            for (unsigned j = 0; j < V; j++) {
                if (q + j >= skew && p + j < end) {
                    f.keys[p + j] = v.k[j];
                }
            }
        }
    }
}

/* Of the keys [at, end), a stretch of so many for each warp of a block of NT threads. */
template <typename K, int NT, unsigned stretch>
__device__ __forceinline__ void hybrid_fill_tile(const hybrid_filling<K> &f,
                                                 const usw_gpu_keymap<K> &map,
                                                 unsigned long long at, unsigned long long end)
{
    static_assert(stretch % (NT / 32) == 0, "a warp's share");
    constexpr unsigned share = stretch / (NT / 32);
    const unsigned long long from = at + threadIdx.x / 32 * share;
    if (from < end) {
        hybrid_fill_stretch(f, map, from, end - from < share ? end : from + share);
    }
}

/* Keys of 8 and 16 bits: a block of 256 threads writes a stretch of 8,192. */
template <typename K>
__global__ __launch_bounds__(256) void hybrid_fill(hybrid_filling<K> f, unsigned long long n,
                                                   usw_gpu_keymap<K> map, const hybrid_plan *plan)
{
    constexpr unsigned stretch = 8192;
    if (plan->falls != 0) {
        unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * stretch;
        hybrid_fill_tile<K, 256, stretch>(f, map, at, n - at < stretch ? n : at + stretch);
    }
}

#endif

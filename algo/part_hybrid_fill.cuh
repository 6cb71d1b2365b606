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

/* The last of values begins, which rise, that is p or less. A warp calls. */
__device__ __forceinline__ unsigned hybrid_bucket_of(const unsigned long long *begins,
                                                     unsigned values, unsigned long long p)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned at = 0;
    while (values > 1) {
        const unsigned step = (values + 31) / 32, off = lane * step;
        const unsigned k = __popc(__ballot_sync(~0u, off < values && begins[at + off] <= p)) - 1;
        at += k * step;
        values = values - k * step < step ? values - k * step : step;
    }
    return at;
}

/* Of how many of count lanes, fewer than 32, `rising` is p or less. A warp calls. */
__device__ __forceinline__ unsigned hybrid_lanes_at(unsigned rising, unsigned count, unsigned p)
{
    unsigned k = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        const unsigned v = __shfl_sync(~0u, rising, static_cast<int>(k + step - 1));
        k += k + step <= count && v <= p ? step : 0;
    }
    return k;
}

/* Keys, of which there may be some before at and behind end, as a vector if there are not. */
template <typename K>
__device__ __forceinline__ void hybrid_fill_vector(K *keys, const hybrid_vector<K> &v,
                                                   unsigned from, unsigned to)
{
    if (from == 0 && to == hybrid_vector<K>::keys) {
        *reinterpret_cast<uint4 *>(keys) = v.v;
        return;
    }
#pragma unroll
    for (unsigned j = 0; j < hybrid_vector<K>::keys; j++) {
        if (j >= from && j < to) {
            keys[j] = v.k[j];
        }
    }
}

/* Writes the keys at positions [at, end), fewer than 2^31, of which `lo` is the first's value and
 * hi the last's or, where fewer than 32 others begin here, lo and their number; next: where, a lane
 * each. */
template <typename K>
__device__ __forceinline__ void
hybrid_fill_some(const hybrid_filling<K> &f, const usw_gpu_keymap<K> &map, unsigned long long at,
                 unsigned length, unsigned lo, unsigned hi, unsigned next)
{
    constexpr unsigned V = 16 / sizeof(K);
    const unsigned lane = threadIdx.x % 32, near = hi - lo;
    /* Vectors of 16 bytes; the first and the last may not be whole. */
    const unsigned skew =
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(f.keys + at) / sizeof(K)) % V;
    for (unsigned q0 = 0; q0 < length + skew; q0 += 32 * V) {
        const unsigned q = q0 + lane * V;
        const unsigned first = q > skew ? q - skew : 0, last = q + V - 1 - skew;
        unsigned b = lo, behind = lo;
        if (near >= 32) {
            b = hybrid_bucket_at(f.begins, lo, hi, at + first);
        } else if (near != 0) {
            b += hybrid_lanes_at(next, near, first);
            behind += hybrid_lanes_at(next, near, last);
        }
        const bool some = __any_sync(~0u, b != behind);
        hybrid_vector<K> v;
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            const unsigned p = q + j > skew ? q + j - skew : 0;
            if (near >= 32) {
                if (b < hi && f.begins[b + 1] <= at + p) {
                    b = hybrid_bucket_at(f.begins, b + 1, hi, at + p);
                }
            } else if (j > 0 && some) {
                b = lo + hybrid_lanes_at(next, near, p);
            }
            v.k[j] = map.unmap(static_cast<K>(f.base + static_cast<K>(K(b) << f.lo)));
        }
        if (q < length + skew) {
            const unsigned left = length + skew - q;
            hybrid_fill_vector(f.keys + at + q - skew, v, q < skew ? skew : 0, left < V ? left : V);
        }
    }
}

/* Writes the keys at positions [at, end), some at a time; a warp calls, or none of it where at ==
 * end. */
template <typename K>
__device__ __forceinline__ void hybrid_fill_stretch(const hybrid_filling<K> &f,
                                                    const usw_gpu_keymap<K> &map,
                                                    unsigned long long at, unsigned long long end)
{
    constexpr unsigned some = 1024 / sizeof(K);
    const unsigned lane = threadIdx.x % 32;
    unsigned lo = hybrid_bucket_of(f.begins, f.values, at);
    while (at < end) {
        const unsigned length = end - at < some ? static_cast<unsigned>(end - at) : some;
        /* Where the next values begin; most often these are all that matter. */
        unsigned next = ~0u;
        if (lo + 1 + lane < f.values && f.begins[lo + 1 + lane] - at < length) {
            next = static_cast<unsigned>(f.begins[lo + 1 + lane] - at);
        }
        const unsigned near = __popc(__ballot_sync(~0u, next != ~0u));
        const unsigned hi =
            near < 32 ? lo + near : hybrid_bucket_of(f.begins, f.values, at + length - 1);
        hybrid_fill_some(f, map, at, length, lo, hi, next);
        at += length;
        /* A value that begins here is seen as the next one of the last. */
        lo = hi;
    }
}

/* The keys [at, end), a stretch for each warp of a block of NT threads. */
template <typename K, int NT>
__device__ __forceinline__ void hybrid_fill_block(const hybrid_filling<K> &f,
                                                  const usw_gpu_keymap<K> &map,
                                                  unsigned long long at, unsigned long long end)
{
    const unsigned long long share = ((end - at) / (NT / 32) / 128 + 1) * 128;
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
        hybrid_fill_block<K, 256>(f, map, at, n - at < stretch ? n : at + stretch);
    }
}

#endif

/* bucket_of_key.cuh - from a key to its bucket, as cpu/buckets/histogram_cpu.h does: by digit, by
 * equal widths, by edges, or by a number that the caller gives. A key of no bucket gets `count`.
 *
 * TOTAL: every key has a bucket. ESTIMATES: estimate() finds most buckets fast and tells where its
 * answer may be wrong; settle() corrects that. CLOSE: where the edges fit in shared memory
 * (shared_edges), id_close() finds every bucket. GIVEN: the keys are numbers of buckets, by which
 * only splits are done. FEW: there are at most 256 buckets, so that copies of their counters fit
 * the shared memory of any device. Each of these structs is passed to kernels by value. The whole
 * block calls prepare(), which may fill shared_bytes() bytes of shared memory, and then a
 * barrier. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_BUCKET_OF_KEY_CUH
#define USW_GPU_SELECTION_BUCKET_OF_KEY_CUH

#include "gpu/gpu.cuh"
#include "core/half.h"

#include <type_traits>

template <typename K> struct usw_by_digit {
    using key_type = K;
    static constexpr bool TOTAL = true, ESTIMATES = false, CLOSE = false, GIVEN = false,
                          FEW = sizeof(K) == 1;
    usw_gpu_keymap<K> map;
    unsigned shift;
    uint32_t mask;

    explicit usw_by_digit(const usw_buckets &b)
        : map(usw_gpu_keymap_of<K>(b.map)), shift(b.shift), mask(b.mask)
    {
    }
    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ __forceinline__ void prepare(unsigned char *)
    {
    }
    __device__ __forceinline__ uint32_t id(K raw) const
    {
        return static_cast<uint32_t>(map.map(raw) >> shift) & mask;
    }
};

template <typename K> struct usw_by_number {
    using key_type = K;
    static constexpr bool TOTAL = false, ESTIMATES = false, CLOSE = false, GIVEN = true,
                          FEW = false;
    uint32_t count;

    explicit usw_by_number(const usw_buckets &b) : count(b.count)
    {
    }
    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ __forceinline__ void prepare(unsigned char *)
    {
    }
    __device__ __forceinline__ uint32_t id(K raw) const
    {
        return raw < count ? static_cast<uint32_t>(raw) : count;
    }
};

/* ---- equal widths: the arithmetic of cpu/buckets/histogram_cpu.h ---- */

__device__ __forceinline__ float usw_widen_half(uint16_t raw)
{
#ifdef USW_EMULATE
    return usw_widen_f16(raw);
#else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(raw));
    return value;
#endif
}

/* A key's value as F, which is double or, for keys of up to 32 bits, float. `type` has the width of
 * K and is the same for all threads; floats: `type` is a type of floats. */
template <typename F, bool floats, typename K>
__device__ __forceinline__ F usw_value_of_key(upsweep_type type, K raw)
{
    if constexpr (floats && sizeof(K) == 8) {
        return static_cast<F>(__longlong_as_double(static_cast<long long>(raw)));
    } else if constexpr (floats && sizeof(K) == 4) {
        return static_cast<F>(__uint_as_float(raw));
    } else if constexpr (floats && sizeof(K) == 2) {
        return static_cast<F>(type == UPSWEEP_F16
                                  ? usw_widen_half(raw)
                                  : __uint_as_float(static_cast<uint32_t>(raw) << 16));
    } else if constexpr (sizeof(K) == 8) {
        return type == UPSWEEP_I64 ? static_cast<F>(static_cast<int64_t>(raw))
                                   : static_cast<F>(raw);
    } else {
        using with_sign = typename std::make_signed<K>::type;
        return type == UPSWEEP_I8 || type == UPSWEEP_I16 || type == UPSWEEP_I32
                   ? static_cast<F>(static_cast<with_sign>(raw))
                   : static_cast<F>(raw);
    }
}

/* The whole part of x where that is a bucket's number; ~0 where x is below 0; else a number greater
 * than any bucket's. A power of two is added to x, rounded down, so that the whole part comes to
 * lie in the low bits. */
__device__ __forceinline__ uint32_t usw_whole_part(float x)
{
    return __float_as_uint(__fadd_rd(x, 8388608.0f)) - 0x4b000000;
}
__device__ __forceinline__ uint32_t usw_whole_part(double x)
{
    const long long bits = __double_as_longlong(__dadd_rd(x, 4503599627370496.0));
    const long long high = bits >> 32;
    return high == 0x43300000 ? static_cast<uint32_t>(bits) : high < 0x43300000 ? ~0u : ~1u;
}
__device__ __forceinline__ float usw_multiply_add(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
__device__ __forceinline__ double usw_multiply_add(double x, double y, double z)
{
    return __fma_rn(x, y, z);
}

/* floats: `type` is a type of floats, so that no code converts integers. G: the type of estimates,
 * float or double. */
template <typename K, bool floats, typename G> struct usw_by_width {
    using key_type = K;
    static constexpr bool TOTAL = false, ESTIMATES = true, CLOSE = floats && sizeof(K) <= 4,
                          GIVEN = false, FEW = false;
    upsweep_type type;
    double low, high, step, scale;
    uint32_t count;
    bool rules; /* there is no estimate, and by_rule() finds all buckets */
    /* 64-bit integers beyond the range may be the same double as the range's end, so that they are
     * compared as integers. */
    static constexpr bool WHOLE = sizeof(K) == 8 && !floats;
    uint64_t flip, first, span;
    /* A key's true place, in widths, lies between key * slope + lower and key * slope + upper,
     * further from both than all roundings together. Where both have the same whole part, that is
     * the bucket; else the edge between them decides. Where `rules` is set, the two never have the
     * same whole part. */
    G slope, lower, upper;
    /* CLOSE: f32 holds all keys, so that keys may be compared with edges rounded up to f32. These
     * lie in shared memory, the last edge rounded to more than its value, and NaN behind the last.
     * NULL: there are too many edges. */
    enum : uint32_t { CLOSE_MAX = 2048 };
    const float *shared_edges;

    /* The distance of `lower` and `upper` from the true place, in widths. The roundings of key,
     * slope, and lower or upper are each at most 2^-24 (2^-53) of the greatest key in widths, that
     * of the sum as much of the count; the roundings of by_rule() are much smaller. */
    static double margin(const usw_buckets &b)
    {
        const double size = b.high > -b.low ? b.high : -b.low;
        return (size * b.scale + b.count) * (sizeof(G) == 4 ? 0x1p-22 : 0x1p-50) + 1e-6;
    }
    static bool suits(const usw_buckets &b)
    {
        const double size = b.high > -b.low ? b.high : -b.low, most = sizeof(G) == 4 ? 3e38 : 1e300;
        return margin(b) < 0.25 && size < most && b.scale < most && b.scale > 1e-30;
    }
    explicit usw_by_width(const usw_buckets &b)
        : type(b.type), low(b.low), high(b.high), step(b.step), scale(b.scale), count(b.count),
          rules(!suits(b)), flip(b.map.pos), first(b.first), span(b.last - b.first), slope(0),
          lower(0), upper(1), shared_edges(nullptr)
    {
        if (!rules) {
            slope = static_cast<G>(b.scale);
            lower = static_cast<G>(-b.low * b.scale - margin(b));
            upper = static_cast<G>(-b.low * b.scale + margin(b));
        }
    }
    __host__ __device__ bool is_close() const
    {
        return CLOSE && !rules && count <= CLOSE_MAX;
    }
    size_t shared_bytes() const
    {
        return is_close() ? ((count + size_t(2)) * sizeof(float) + 15) / 16 * 16 : 0;
    }
    __device__ __forceinline__ void prepare(unsigned char *shared)
    {
        if (is_close()) {
            float *to = reinterpret_cast<float *>(shared);
            for (uint32_t i = threadIdx.x; i <= count + 1; i += blockDim.x) {
                to[i] = i > count ? __uint_as_float(0x7fc00000) : rounded_edge(i);
            }
            shared_edges = to;
        }
    }
    __device__ __forceinline__ float rounded_edge(uint32_t i) const
    {
        const double exact = edge(static_cast<int>(i));
        const float f = static_cast<float>(exact);
        const double rounded = static_cast<double>(f);
        const uint32_t bits = __float_as_uint(f);
        const uint32_t after = f == 0 ? 1 : bits >> 31 != 0 ? bits - 1 : bits + 1;
        return rounded < exact || (i == count && rounded == exact) ? __uint_as_float(after) : f;
    }
    __device__ __forceinline__ double edge(int i) const
    {
        const double inner = __dadd_rn(__dmul_rn(static_cast<double>(i), step), low);
        return i == static_cast<int>(count) ? high : inner;
    }
    /* Returns false where `id` may be one too small. An id of count or more says that the key has
     * no bucket. */
    __device__ __forceinline__ bool estimate(K raw, uint32_t &id) const
    {
        if constexpr (WHOLE) {
            if ((raw ^ flip) - first > span) {
                id = ~1u;
                return true;
            }
        }
        const G value = usw_value_of_key<G, floats>(type, raw);
        id = usw_whole_part(usw_multiply_add(value, slope, lower));
        return id == usw_whole_part(usw_multiply_add(value, slope, upper));
    }
    /* The lower estimate is the bucket or the one before, and the edge between these two decides;
     * before the first bucket the estimate is ~0. An id of count or more says that the key has no
     * bucket. */
    __device__ __forceinline__ uint32_t id_close(K raw) const
    {
        const G value = usw_value_of_key<G, floats>(type, raw);
        const uint32_t id = usw_whole_part(usw_multiply_add(value, slope, lower)), next = id + 1;
        const float edge = shared_edges[next <= count ? next : count + 1];
        return usw_value_of_key<float, floats>(type, raw) >= edge ? next : id;
    }
    /* Corrects an estimate that is not sure: the edge behind bucket `id` decides; before the first
     * bucket `id` is ~0. */
    __device__ __forceinline__ uint32_t settle(K raw, uint32_t id) const
    {
        if (rules) {
            return by_rule(raw);
        }
        const double x = usw_value_of_key<double, floats>(type, raw);
        const uint32_t next = id + 1;
        const bool beyond = next == count ? x > high : x >= edge(static_cast<int>(next));
        return beyond ? next : id;
    }
    __device__ __forceinline__ uint32_t id(K raw) const
    {
        uint32_t found = 0;
        if (!estimate(raw, found)) {
            found = settle(raw, found);
        }
        return found < count ? found : count;
    }
    __device__ __forceinline__ uint32_t by_rule(K raw) const
    {
        const double x = usw_value_of_key<double, floats>(type, raw);
        const bool within = x >= low && x <= high;
        const double inside = within ? x : low;
        const int last = static_cast<int>(count) - 1;
        int at = static_cast<int>(__dmul_rn(__dsub_rn(inside, low), scale));
        at = at > last ? last : at;
        at -= inside < edge(at) ? 1 : 0;
        at += at < last && inside >= edge(at + 1) ? 1 : 0;
        return within ? static_cast<uint32_t>(at) : count;
    }
};

/* ---- edges: searched by halving, in shared memory where they fit, else in memory ---- */

template <typename K> struct usw_by_edges {
    using key_type = K;
    static constexpr bool TOTAL = false, ESTIMATES = false, CLOSE = false, GIVEN = false,
                          FEW = false;
    enum : size_t { SHARED_MAX = 64 * 1024 };
    usw_gpu_keymap<K> map;
    const uint64_t *edges; /* mapped keys, device memory */
    const K *shared_edges; /* the same edges in shared memory, or NULL */
    uint32_t count;
    bool is_float, fits;

    explicit usw_by_edges(const usw_buckets &b)
        : map(usw_gpu_keymap_of<K>(b.map)), edges(b.edges), shared_edges(nullptr), count(b.count),
          is_float(b.map.neg != 0), fits((b.count + size_t(1)) * sizeof(K) <= SHARED_MAX)
    {
    }
    size_t shared_bytes() const
    {
        return fits ? ((count + size_t(1)) * sizeof(K) + 15) / 16 * 16 : 0;
    }
    __device__ __forceinline__ void prepare(unsigned char *shared)
    {
        if (fits) {
            K *to = reinterpret_cast<K *>(shared);
            for (uint32_t i = threadIdx.x; i <= count; i += blockDim.x) {
                to[i] = static_cast<K>(edges[i]);
            }
            shared_edges = to;
        }
    }
    template <typename E> __device__ __forceinline__ uint32_t find(const E *at_edges, K key) const
    {
        uint32_t at = 0;
        for (uint32_t length = count; length > 1;) {
            const uint32_t half = length / 2;
            at += at_edges[at + half] <= key ? half : 0;
            length -= half;
        }
        return key < at_edges[0] || key > at_edges[count] ? count : at;
    }
    __device__ __forceinline__ uint32_t id(K raw) const
    {
        /* Both zeros are equal as values: -0 belongs to a bucket that starts at 0. */
        const K sign = static_cast<K>(K(1) << (sizeof(K) * 8 - 1));
        const K key = map.map(is_float && raw == sign ? K(0) : raw);
        return fits ? find(shared_edges, key) : find(edges, key);
    }
};

/* Buckets of equal widths: estimates in f32 where f32 is fine enough. */
template <typename K, bool floats, typename F>
static inline upsweep_status usw_gpu_by_estimate(const usw_buckets &b, F f)
{
    if constexpr (sizeof(K) >= 4) {
        if (!usw_by_width<K, floats, float>::suits(b)) {
            return f(usw_by_width<K, floats, double>(b));
        }
    }
    return f(usw_by_width<K, floats, float>(b));
}

/* Calls f with the bucketing of b, and returns what it returns. */
template <typename F>
static inline upsweep_status usw_gpu_by_bucketing(const usw_buckets &b, unsigned width, F f)
{
    switch (b.kind) {
    case UPSWEEP_BUCKET_DIGIT:
        return usw_gpu_by_width(width, [&](auto k) { return f(usw_by_digit<decltype(k)>(b)); });
    case UPSWEEP_BUCKET_EDGES:
        return usw_gpu_by_width(width, [&](auto k) { return f(usw_by_edges<decltype(k)>(b)); });
    case UPSWEEP_BUCKET_WIDTH:
        return usw_gpu_by_width(width, [&](auto k) {
            using K = decltype(k);
            if constexpr (sizeof(K) > 1) {
                if (usw_type_is_float(b.type)) {
                    return usw_gpu_by_estimate<K, true>(b, f);
                }
            }
            return usw_gpu_by_estimate<K, false>(b, f);
        });
    default: break;
    }
    switch (width) {
    case 0: return f(usw_by_number<uint8_t>(b));
    case 1: return f(usw_by_number<uint16_t>(b));
    default: return f(usw_by_number<uint32_t>(b));
    }
}

#endif

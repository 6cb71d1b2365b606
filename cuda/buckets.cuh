/* buckets.cuh - from a key to its bucket, as part_histogram_cpu.h does it: by digit, by equal
 * widths, by edges, or given. A key of no bucket gets `count`.
 *
 * TOTAL: every key has a bucket. Each of these structs is passed to kernels by value. prepare() is
 * called by the whole block and may fill shared_bytes() bytes of shared memory; it needs a barrier
 * after it. */
#ifndef USW_BUCKETS_CUH
#define USW_BUCKETS_CUH

#include "gpu.cuh"

template <typename K> struct usw_by_digit {
    using key_type = K;
    static constexpr bool TOTAL = true;
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
    static constexpr bool TOTAL = false;
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

/* ---- equal widths: the arithmetic of core/half.h and part_histogram_cpu.h ---- */

__device__ __forceinline__ float usw_widen_half(uint16_t raw)
{
    const uint32_t magnitude = static_cast<uint32_t>(raw & 0x7fff) << 13;
    const float scaled = __fmul_rn(__uint_as_float(magnitude), __uint_as_float(0x77800000));
    const uint32_t full = magnitude >= (0x7c00u << 13) ? 0x7f800000u : 0;
    return __uint_as_float(__float_as_uint(scaled) | full |
                           static_cast<uint32_t>(raw & 0x8000) << 16);
}

/* The value as F, double or, for keys of up to 32 bits, float. type has the width of K and is the
 * same for all threads. */
template <typename F, typename K>
__device__ __forceinline__ F usw_value_of_key(upsweep_type type, K raw)
{
    if constexpr (sizeof(K) == 8) {
        return type == UPSWEEP_F64
                   ? static_cast<F>(__longlong_as_double(static_cast<long long>(raw)))
               : type == UPSWEEP_I64 ? static_cast<F>(static_cast<int64_t>(raw))
                                     : static_cast<F>(raw);
    } else if constexpr (sizeof(K) == 4) {
        return type == UPSWEEP_F32   ? static_cast<F>(__uint_as_float(raw))
               : type == UPSWEEP_I32 ? static_cast<F>(static_cast<int32_t>(raw))
                                     : static_cast<F>(raw);
    } else if constexpr (sizeof(K) == 2) {
        if (type == UPSWEEP_BF16) {
            return static_cast<F>(__uint_as_float(static_cast<uint32_t>(raw) << 16));
        }
        return type == UPSWEEP_F16   ? static_cast<F>(usw_widen_half(raw))
               : type == UPSWEEP_I16 ? static_cast<F>(static_cast<int16_t>(raw))
                                     : static_cast<F>(raw);
    } else {
        return type == UPSWEEP_I8 ? static_cast<F>(static_cast<int8_t>(raw)) : static_cast<F>(raw);
    }
}

template <typename K> struct usw_by_width {
    using key_type = K;
    static constexpr bool TOTAL = false;
    upsweep_type type;
    double low, high, step, scale;
    uint32_t count;
    /* An estimate in f32, and how far from the next edge it must be, in widths of a bucket, to be
     * right: wider than all roundings. Keys that are nearer, and all others if there is no
     * estimate (off >= 1/2), go by the rule itself. */
    float low_f, scale_f, count_f, off;

    explicit usw_by_width(const usw_buckets &b)
        : type(b.type), low(b.low), high(b.high), step(b.step), scale(b.scale), count(b.count),
          low_f(static_cast<float>(b.low)), scale_f(static_cast<float>(b.scale)),
          count_f(static_cast<float>(b.count)), off(1)
    {
        /* Each of key, low and difference is rounded by 2^-24 of its size at most, scale too. */
        const double size = b.high > -b.low ? b.high : -b.low, f32 = 3e38;
        const double far = size * b.scale * 0x1p-22 + b.count * 0x1p-21 + 1e-6;
        if (sizeof(K) < 8 && far < 0.25 && size < f32 && b.scale < f32 && b.scale > 1e-30) {
            off = static_cast<float>(far);
        }
    }
    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ __forceinline__ void prepare(unsigned char *)
    {
    }
    __device__ __forceinline__ double edge(int i) const
    {
        const double inner = __dadd_rn(__dmul_rn(static_cast<double>(i), step), low);
        return i == static_cast<int>(count) ? high : inner;
    }
    /* The estimate; false where it may be wrong. */
    __device__ __forceinline__ bool estimate(K raw, uint32_t &id) const
    {
        /* Adding 2^23 rounds to a whole number, which is then in the low bits. */
        const float at = __fmul_rn(__fsub_rn(usw_value_of_key<float>(type, raw), low_f), scale_f);
        const float up = __fadd_rn(at, 8388608.0f);
        const float above = __fsub_rn(at, __fsub_rn(up, 8388608.0f));
        const uint32_t found = (__float_as_uint(up) & 0x7fffff) - (above < 0 ? 1 : 0);
        id = at > 0 && at < count_f ? found : count;
        return fabsf(above) > off;
    }
    __device__ __forceinline__ uint32_t id(K raw) const
    {
        uint32_t found = 0;
        if constexpr (sizeof(K) < 8) {
            if (estimate(raw, found)) {
                return found;
            }
        }
        return by_rule(raw);
    }
    __device__ __forceinline__ uint32_t by_rule(K raw) const
    {
        const double x = usw_value_of_key<double>(type, raw);
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

/* ---- edges: halved in shared memory where they fit, else in memory ---- */

template <typename K> struct usw_by_edges {
    using key_type = K;
    static constexpr bool TOTAL = false;
    enum : size_t { SHARED_MAX = 64 * 1024 };
    usw_gpu_keymap<K> map;
    const uint64_t *edges; /* mapped keys, device memory */
    const K *near_edges;   /* the same in shared memory, or NULL */
    uint32_t count;
    bool is_float, fits;

    explicit usw_by_edges(const usw_buckets &b)
        : map(usw_gpu_keymap_of<K>(b.map)), edges(b.edges), near_edges(nullptr), count(b.count),
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
            near_edges = to;
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
        /* Zeros are equal here, as values: -0 belongs to a bucket that starts at 0. */
        const K sign = static_cast<K>(K(1) << (sizeof(K) * 8 - 1));
        const K key = map.map(is_float && raw == sign ? K(0) : raw);
        return fits ? find(near_edges, key) : find(edges, key);
    }
};

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
        return usw_gpu_by_width(width, [&](auto k) { return f(usw_by_width<decltype(k)>(b)); });
    default: break;
    }
    switch (width) {
    case 0: return f(usw_by_number<uint8_t>(b));
    case 1: return f(usw_by_number<uint16_t>(b));
    default: return f(usw_by_number<uint32_t>(b));
    }
}

#endif

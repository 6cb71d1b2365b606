/* elements.cuh - kinds of numbers and operators for reductions and scans: a struct for each says
 * how elements are widened, how widened values are joined, and how they are narrowed again.
 *
 * Floats are joined in f64 and in the order of core/order.h (`exact` is false); every other kind is
 * exact, so that any order gives the same bits. Least and greatest work on keys mapped to unsigned
 * integers (core/keymap.h). No expression has both a sum and a product, so that the compiler can
 * contract nothing. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_ELEMENTS_CUH
#define USW_GPU_FOLDS_ELEMENTS_CUH

#include "gpu/gpu.cuh"
#include "core/half.h"

/* ---- floating-point types ---- */

struct usw_f64_number {
    typedef uint64_t Raw;
    static __device__ __forceinline__ double widen(Raw raw)
    {
        return __longlong_as_double(static_cast<long long>(raw));
    }
    static __device__ __forceinline__ Raw narrow(double v)
    {
        return v != v ? uint64_t(0x7ff8) << 48 : static_cast<Raw>(__double_as_longlong(v));
    }
    static constexpr Raw one = uint64_t(0x3ff) << 52;
};

struct usw_f32_number {
    typedef uint32_t Raw;
    static __device__ __forceinline__ double widen(Raw raw)
    {
        return static_cast<double>(__uint_as_float(raw));
    }
    static __device__ __forceinline__ Raw narrow(double v)
    {
        const float f = static_cast<float>(v);
        return f != f ? 0x7fc00000 : __float_as_uint(f);
    }
    static constexpr Raw one = 0x3f800000;
};

/* An f64 as an f32 that rounds to the same bf16: towards zero, with the last bit set where the f32
 * is not exact. */
__device__ __forceinline__ uint32_t usw_round_to_odd(double v)
{
#ifdef USW_EMULATE
    (void)v;
    return 0;
#else
    const float f = __double2float_rz(v);
    return __float_as_uint(f) | (static_cast<double>(f) != v ? 1u : 0u);
#endif
}

struct usw_f16_number {
    typedef uint16_t Raw;
    static __device__ __forceinline__ double widen(Raw raw)
    {
#ifdef USW_EMULATE
        return static_cast<double>(usw_widen_f16(raw));
#else
        double v;
        asm("cvt.f64.f16 %0, %1;" : "=d"(v) : "h"(raw));
        return v;
#endif
    }
    static __device__ __forceinline__ Raw narrow(double v)
    {
#ifdef USW_EMULATE
        return usw_narrow_f16(v);
#else
        Raw raw;
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(raw) : "d"(v));
        return v != v ? 0x7e00 : raw;
#endif
    }
    static constexpr Raw one = 0x3c00;
};

struct usw_bf16_number {
    typedef uint16_t Raw;
    static __device__ __forceinline__ double widen(Raw raw)
    {
        return static_cast<double>(__uint_as_float(static_cast<uint32_t>(raw) << 16));
    }
    static __device__ __forceinline__ Raw narrow(double v)
    {
#ifdef USW_EMULATE
        return usw_narrow_bf16(v);
#else
        const uint32_t bits = usw_round_to_odd(v);
        return v != v ? 0x7fc0 : static_cast<Raw>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
#endif
    }
    static constexpr Raw one = 0x3f80;
};

/* Where sums and products go. rounded: as numbers of the elements' type and not as f64; either way
 * a sum is rounded once, and the kernels are the same. */
struct usw_sums {
    void *at;
    bool rounded;
    template <typename N> __device__ __forceinline__ void store(uint64_t i, double v) const
    {
        if (rounded) {
            static_cast<typename N::Raw *>(at)[i] = N::narrow(v);
        } else {
            static_cast<uint64_t *>(at)[i] = usw_f64_number::narrow(v);
        }
    }
};

/* ---- elements: kinds of number and operator ---- */

/* Raw: an element's bits. Acc: the widened type, in which values are joined. run: elements of a
 * run, the lowest node of a scan's tree. patches: where nothing lies before an element, an
 * exclusive scan writes nothing() and not the narrowed neutral value. bitwise: results have the
 * width of the elements. */
template <typename N, bool product> struct usw_float_elements {
    typedef N Number;
    typedef typename Number::Raw Raw;
    typedef double Acc;
    static constexpr bool exact = false, patches = false, is_product = product;
    static constexpr unsigned run = 8; /* USW_RUN of core/order.h */
    __device__ __forceinline__ Acc neutral() const
    {
        return product ? 1.0 : 0.0;
    }
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return product ? Number::one : Raw(0);
    }
    __device__ __forceinline__ Acc widen(Raw raw) const
    {
        return Number::widen(raw);
    }
    __device__ __forceinline__ Raw narrow(Acc v) const
    {
        return Number::narrow(v);
    }
    __device__ __forceinline__ Acc join(Acc a, Acc b) const
    {
        return product ? a * b : a + b;
    }
    __device__ __forceinline__ Raw nothing() const
    {
        return neutral_raw();
    }
};

template <bool wide> struct usw_acc_of {
    typedef uint32_t type;
};
template <> struct usw_acc_of<true> {
    typedef uint64_t type;
};

/* K unsigned; op other than LEAST and GREATEST. Integers wrap at their own width. */
template <typename K, int op> struct usw_integer_elements {
    typedef K Raw;
    typedef typename usw_acc_of<sizeof(K) == 8>::type Acc;
    static constexpr bool exact = true, patches = false;
    static constexpr bool bitwise = op != UPSWEEP_SUM && op != UPSWEEP_PRODUCT;
    static constexpr unsigned run = 32 / sizeof(K);
    __device__ __forceinline__ Acc neutral() const
    {
        return op == UPSWEEP_PRODUCT ? 1 : op == UPSWEEP_AND ? ~Acc(0) : 0;
    }
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return static_cast<Raw>(neutral());
    }
    __device__ __forceinline__ Acc widen(Raw raw) const
    {
        return raw;
    }
    __device__ __forceinline__ Raw narrow(Acc v) const
    {
        return static_cast<Raw>(v);
    }
    __device__ __forceinline__ Acc join(Acc a, Acc b) const
    {
        return op == UPSWEEP_SUM       ? a + b
               : op == UPSWEEP_PRODUCT ? a * b
               : op == UPSWEEP_AND     ? a & b
               : op == UPSWEEP_OR      ? a | b
                                       : a ^ b;
    }
    __device__ __forceinline__ Raw nothing() const
    {
        return neutral_raw();
    }
};

/* The least mapped key; the greatest is the least of a descending map. */
template <typename K> struct usw_least_elements {
    typedef K Raw;
    typedef typename usw_acc_of<sizeof(K) == 8>::type Acc;
    static constexpr bool exact = true, patches = true;
    static constexpr unsigned run = 32 / sizeof(K);
    usw_gpu_keymap<K> map;
    K identity;
    __device__ __forceinline__ Acc neutral() const
    {
        return static_cast<K>(~K(0));
    }
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return map.unmap(static_cast<K>(~K(0)));
    }
    __device__ __forceinline__ Acc widen(Raw raw) const
    {
        return map.map(raw);
    }
    __device__ __forceinline__ Raw narrow(Acc v) const
    {
        return map.unmap(static_cast<K>(v));
    }
    __device__ __forceinline__ Acc join(Acc a, Acc b) const
    {
        return a < b ? a : b;
    }
    __device__ __forceinline__ Raw nothing() const
    {
        return identity;
    }
};

/* ---- from a type and an operator to elements ---- */

/* log2 of an element's bytes. */
static inline unsigned usw_gpu_width_of(upsweep_type type)
{
    const unsigned bytes = usw_type_bytes(type);
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/* Calls f(elements) for a sum or product of floats. */
template <bool product, typename F>
static inline upsweep_status usw_gpu_float_elements(upsweep_type type, F f)
{
    switch (type) {
    case UPSWEEP_F16: return f(usw_float_elements<usw_f16_number, product>());
    case UPSWEEP_BF16: return f(usw_float_elements<usw_bf16_number, product>());
    case UPSWEEP_F32: return f(usw_float_elements<usw_f32_number, product>());
    default: return f(usw_float_elements<usw_f64_number, product>());
    }
}

/* Calls f(elements) for any operator of keys of type K but LEAST and GREATEST. */
template <typename K, typename F>
static inline upsweep_status usw_gpu_integer_elements(upsweep_op op, F f)
{
    switch (op) {
    case UPSWEEP_SUM: return f(usw_integer_elements<K, UPSWEEP_SUM>());
    case UPSWEEP_PRODUCT: return f(usw_integer_elements<K, UPSWEEP_PRODUCT>());
    case UPSWEEP_AND: return f(usw_integer_elements<K, UPSWEEP_AND>());
    case UPSWEEP_OR: return f(usw_integer_elements<K, UPSWEEP_OR>());
    default: return f(usw_integer_elements<K, UPSWEEP_XOR>());
    }
}

/* Calls f(elements) for every type and operator; identity: the bits of the operator's identity. */
template <typename F>
static inline upsweep_status usw_gpu_elements(upsweep_type type, upsweep_op op, uint64_t identity,
                                              F f)
{
    if (usw_type_is_float(type) && op <= UPSWEEP_PRODUCT) {
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(type, f)
                                     : usw_gpu_float_elements<false>(type, f);
    }
    return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
        typedef decltype(key) K;
        if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
            const usw_keymap map =
                usw_keymap_of(type, op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
            usw_least_elements<K> e;
            e.map = usw_gpu_keymap_of<K>(map);
            e.identity = static_cast<K>(identity);
            return f(e);
        }
        return usw_gpu_integer_elements<K>(op, f);
    });
}

#endif

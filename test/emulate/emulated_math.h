/* emulated_math.h - CUDA's intrinsics, cached loads and stores, and atomic operations. All threads
 * of all kernels run under one lock, so that plain operations are atomic. */
/* SPDX-License-Identifier: MIT */
#ifndef EMULATED_MATH_H
#define EMULATED_MATH_H

#include "test/emulate/emulated_threads.h"

#include <cmath>
#include <limits>
#include <time.h>

/* ---- minimum, maximum: also of mixed types, as in CUDA ---- */

template <typename A, typename B> static constexpr std::common_type_t<A, B> min(A a, B b)
{
    using T = std::common_type_t<A, B>;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B> static constexpr std::common_type_t<A, B> max(A a, B b)
{
    using T = std::common_type_t<A, B>;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

/* ---- bits ---- */

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
static inline int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long y = 0;
    for (int i = 0; i < 64; i++) {
        y |= (x >> i & 1) << (63 - i);
    }
    return y;
}
static inline unsigned __brev(unsigned x)
{
    return static_cast<unsigned>(__brevll(x) >> 32);
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    uint64_t bytes = static_cast<uint64_t>(y) << 32 | x;
    unsigned out = 0;
    for (unsigned i = 0; i < 4; i++) {
        out |= static_cast<unsigned>(bytes >> ((s >> 4 * i & 7) * 8) & 255) << 8 * i;
    }
    return out;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both << (by & 31) >> 32);
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? low : __funnelshift_l(low, high, by);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    uint64_t both = static_cast<uint64_t>(high) << 32 | low;
    return static_cast<unsigned>(both >> (by & 31));
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{
    return by >= 32 ? high : __funnelshift_r(low, high, by);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

#define EMULATED_CAST(name, From, To)                                                              \
    static inline To name(From v)                                                                  \
    {                                                                                              \
        To out;                                                                                    \
        memcpy(&out, &v, sizeof out);                                                              \
        return out;                                                                                \
    }
EMULATED_CAST(__float_as_uint, float, unsigned)
EMULATED_CAST(__float_as_int, float, int)
EMULATED_CAST(__uint_as_float, unsigned, float)
EMULATED_CAST(__int_as_float, int, float)
EMULATED_CAST(__double_as_longlong, double, long long)
EMULATED_CAST(__longlong_as_double, long long, double)
#undef EMULATED_CAST

/* ---- floating point, rounded to nearest: built without contraction, the operators do ---- */

static inline float __fadd_rn(float a, float b)
{
    return a + b;
}
static inline float __fsub_rn(float a, float b)
{
    return a - b;
}
/* Towards minus infinity: the sum's own error tells whether it was rounded up. */
template <typename F> static inline F emulated_add_down(F a, F b)
{
    const F sum = a + b, from_b = sum - a, error = (a - (sum - from_b)) + (b - from_b);
    return error < 0 ? std::nextafter(sum, -std::numeric_limits<F>::infinity()) : sum;
}
static inline float __fadd_rd(float a, float b)
{
    return emulated_add_down(a, b);
}
static inline float __fmul_rn(float a, float b)
{
    return a * b;
}
static inline float __fdiv_rn(float a, float b)
{
    return a / b;
}
static inline float __fmaf_rn(float a, float b, float c)
{
    return std::fma(a, b, c);
}
static inline double __dadd_rn(double a, double b)
{
    return a + b;
}
static inline double __dadd_rd(double a, double b)
{
    return emulated_add_down(a, b);
}
static inline double __dsub_rn(double a, double b)
{
    return a - b;
}
static inline double __dmul_rn(double a, double b)
{
    return a * b;
}
static inline double __fma_rn(double a, double b, double c)
{
    return std::fma(a, b, c);
}

/* ---- cached loads and stores, clocks, traps ---- */

#define EMULATED_LOAD(name)                                                                        \
    template <typename T> static inline T name(const T *p)                                         \
    {                                                                                              \
        emulated_touch();                                                                          \
        return *p;                                                                                 \
    }
EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldcg)
EMULATED_LOAD(__ldca)
EMULATED_LOAD(__ldlu)
EMULATED_LOAD(__ldcv)
#undef EMULATED_LOAD
#define EMULATED_STORE(name)                                                                       \
    template <typename T> static inline void name(T *p, T v)                                       \
    {                                                                                              \
        emulated_touch();                                                                          \
        *p = v;                                                                                    \
    }
EMULATED_STORE(__stcs)
EMULATED_STORE(__stcg)
EMULATED_STORE(__stwt)
EMULATED_STORE(__stwb)
#undef EMULATED_STORE

static inline unsigned long long globaltimer()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull +
           static_cast<unsigned long long>(now.tv_nsec);
}
static inline long long clock64()
{
    return static_cast<long long>(globaltimer());
}
#define __trap() emulated_fail("__trap at %s:%d", __FILE__, __LINE__)
/* What the compiler may assume is checked here. */
#ifdef __builtin_assume
#undef __builtin_assume
#endif
#define __builtin_assume(x)                                                                        \
    ((x) ? (void)0 : emulated_fail("%s, assumed at %s:%d, is not so", #x, __FILE__, __LINE__))

/* ---- atomic operations, for the types CUDA has them for ---- */

#define EMULATED_ATOMIC_AS(T, name, old, v, what)                                                  \
    static inline T name(T *p, T v)                                                                \
    {                                                                                              \
        emulated_touch();                                                                          \
        T old = *p;                                                                                \
        *p = static_cast<T>(what);                                                                 \
        return old;                                                                                \
    }
#define EMULATED_ATOMIC(T, name, what)                                                             \
    EMULATED_ATOMIC_AS(T, name, old, v, what)                                                      \
    EMULATED_ATOMIC_AS(T, name##_block, old, v, what)                                              \
    EMULATED_ATOMIC_AS(T, name##_system, old, v, what)
#define EMULATED_ATOMICS(T)                                                                        \
    EMULATED_ATOMIC(T, atomicMin, v < old ? v : old)                                               \
    EMULATED_ATOMIC(T, atomicMax, v > old ? v : old)                                               \
    EMULATED_ATOMIC(T, atomicAnd, old &v)                                                          \
    EMULATED_ATOMIC(T, atomicOr, old | v)                                                          \
    EMULATED_ATOMIC(T, atomicXor, old ^ v)
#define EMULATED_CAS(T, name)                                                                      \
    static inline T name(T *p, T expected, T v)                                                    \
    {                                                                                              \
        emulated_touch();                                                                          \
        T old = *p;                                                                                \
        *p = old == expected ? v : old;                                                            \
        return old;                                                                                \
    }
EMULATED_ATOMICS(int)
EMULATED_ATOMICS(unsigned)
EMULATED_ATOMICS(long long)
EMULATED_ATOMICS(unsigned long long)
EMULATED_ATOMIC(int, atomicAdd, static_cast<unsigned>(old) + static_cast<unsigned>(v))
EMULATED_ATOMIC(unsigned, atomicAdd, old + v)
EMULATED_ATOMIC(unsigned long long, atomicAdd, old + v)
EMULATED_ATOMIC(float, atomicAdd, old + v)
EMULATED_ATOMIC(double, atomicAdd, old + v)
EMULATED_ATOMIC(int, atomicSub, static_cast<unsigned>(old) - static_cast<unsigned>(v))
EMULATED_ATOMIC(unsigned, atomicSub, old - v)
EMULATED_ATOMIC(unsigned, atomicInc, old >= v ? 0 : old + 1)
EMULATED_ATOMIC(int, atomicExch, v)
EMULATED_ATOMIC(unsigned, atomicExch, v)
EMULATED_ATOMIC(unsigned long long, atomicExch, v)
EMULATED_ATOMIC(float, atomicExch, v)
EMULATED_CAS(int, atomicCAS)
EMULATED_CAS(unsigned, atomicCAS)
EMULATED_CAS(unsigned long long, atomicCAS)
EMULATED_CAS(int, atomicCAS_block)
EMULATED_CAS(unsigned, atomicCAS_block)
EMULATED_CAS(unsigned long long, atomicCAS_block)
#undef EMULATED_ATOMIC
#undef EMULATED_ATOMICS
#undef EMULATED_ATOMIC_AS
#undef EMULATED_CAS

#endif

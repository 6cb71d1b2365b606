/* reduce_exact.cuh - the operators of reductions whose order is free: sums, products and bitwise
 * operators of integers and the least mapped key, which give the same bits in any order, and sums
 * and products of floats that the caller lets go in any order. of() reduces a few vectors of 16
 * bytes, join() two results, last() makes the result; gpu/folds/reduce_shares.cuh calls them. wide:
 * the result is 64 bits, whatever Raw is. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_REDUCE_EXACT_CUH
#define USW_GPU_FOLDS_REDUCE_EXACT_CUH

#include "gpu/folds/reduce_shares.cuh"

/* Sums of integers. The top bit of signed ones is flipped (flip), which adds `flip` to each; last()
 * subtracts it again. */
template <typename K> struct usw_fold_sum {
    typedef K Raw;
    static constexpr bool wide = true;
    K flip;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return flip;
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return 0;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a + b;
    }
    /* There are so few vectors that 32 bits hold the sum of elements of 8 and of 16 bits. */
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint64_t sum = 0;
        uint32_t small = 0;
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
            if constexpr (sizeof(K) >= 4) {
#pragma unroll
                for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                    sum += static_cast<K>(x[i].v[j] ^ flip);
                }
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; j++) {
                    const uint32_t w =
                        x[i].w[j] ^ (flip * (sizeof(K) == 1 ? 0x01010101u : 0x10001u));
                    small = sum_fields(w, small);
                }
            }
        }
        return sum + small;
    }
    static __device__ __forceinline__ uint32_t sum_fields(uint32_t w, uint32_t to)
    {
        if constexpr (sizeof(K) == 2) {
            return to + (w & 0xffff) + (w >> 16);
        } else {
#ifdef USW_EMULATE
            return to + (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
#else
            return __dp4a(w, 0x01010101u, to);
#endif
        }
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t elements) const
    {
        return v - elements * flip;
    }
};

template <typename K> struct usw_fold_product {
    typedef K Raw;
    static constexpr bool wide = true;
    K flip;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return 1;
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return 1;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a * b;
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint64_t product = 1;
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
            for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                product *= static_cast<uint64_t>(static_cast<K>(x[i].v[j] ^ flip)) - flip;
            }
        }
        return product;
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        return v;
    }
};

/* Bitwise operators take words of 64 bits, whatever the type; last() joins the elements of a
 * word. */
template <typename K, int op> struct usw_fold_bits {
    typedef K Raw;
    static constexpr bool wide = false;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return static_cast<K>(neutral());
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return op == UPSWEEP_AND ? ~uint64_t(0) : 0;
    }
    template <typename W> static __device__ __forceinline__ W both(W a, W b)
    {
        return op == UPSWEEP_AND ? a & b : op == UPSWEEP_OR ? a | b : a ^ b;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return both(a, b);
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint4 all = x[0].q;
#pragma unroll
        for (unsigned i = 1; i < USW_FOLD_AHEAD; i++) {
            all = {both(all.x, x[i].q.x), both(all.y, x[i].q.y), both(all.z, x[i].q.z),
                   both(all.w, x[i].q.w)};
        }
        return static_cast<uint64_t>(both(all.y, all.w)) << 32 | both(all.x, all.z);
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        for (unsigned half = 32; half >= 8 * sizeof(K); half /= 2) {
            v = both(v, v >> half);
        }
        return v;
    }
};

/* The least mapped key. */
template <typename K> struct usw_fold_least {
    typedef K Raw;
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    static constexpr bool wide = false;
    usw_gpu_keymap<K> map;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return map.unmap(static_cast<K>(~K(0)));
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return static_cast<K>(~K(0));
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a < b ? a : b;
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        A least = static_cast<K>(~K(0));
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
            for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                const A key = map.map(x[i].v[j]);
                least = key < least ? key : least;
            }
        }
        return least;
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        return map.unmap(static_cast<K>(v));
    }
};

/* Sums and products of floats that may go in any order, in f64, whose bits are the value. */
template <typename Number, bool product> struct usw_fold_floats {
    typedef typename Number::Raw Raw;
    bool wide; /* or rounded to an element's type */
    static __device__ __forceinline__ double both(double a, double b)
    {
        return product ? a * b : a + b;
    }
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return product ? Number::one : Raw(0);
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return static_cast<uint64_t>(__double_as_longlong(product ? 1.0 : 0.0));
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        const double x = __longlong_as_double(static_cast<long long>(a));
        const double y = __longlong_as_double(static_cast<long long>(b));
        return static_cast<uint64_t>(__double_as_longlong(both(x, y)));
    }
    /* Four chains, so that none waits for itself. */
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<Raw> (&x)[USW_FOLD_AHEAD]) const
    {
        constexpr unsigned per = 16 / sizeof(Raw), all = USW_FOLD_AHEAD * per;
        double chain[4];
#pragma unroll
        for (unsigned j = 0; j < all; j++) {
            const double here = Number::widen(x[j / per].v[j % per]);
            chain[j % 4] = j < 4 ? here : both(chain[j % 4], here);
        }
        const double sum = both(both(chain[0], chain[1]), both(chain[2], chain[3]));
        return static_cast<uint64_t>(__double_as_longlong(sum));
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        const double x = __longlong_as_double(static_cast<long long>(v));
        return wide ? usw_f64_number::narrow(x) : uint64_t(Number::narrow(x));
    }
};

#endif

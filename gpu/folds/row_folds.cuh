/* row_folds.cuh - operators of reductions of rows, and the carry of a row's tiles of floats. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_ROW_FOLDS_CUH
#define USW_GPU_FOLDS_ROW_FOLDS_CUH

#include "gpu/folds/reduce_float_tile.cuh"

/* An operator whose order is free: Value is what elements become, of(raw, position) one element,
 * store(row, value) the row's result. */
template <typename K, int op> struct usw_row_integers {
    static constexpr bool wide = op == UPSWEEP_SUM || op == UPSWEEP_PRODUCT;
    typedef K Raw;
    typedef typename usw_acc_of<wide || sizeof(K) == 8>::type Value;
    void *results;
    K flip; /* the top bit of signed elements, for sums and products */

    __device__ __forceinline__ Value neutral() const
    {
        return op == UPSWEEP_PRODUCT ? 1 : op == UPSWEEP_AND ? ~Value(0) : 0;
    }
    __device__ __forceinline__ Value of(K raw, uint64_t) const
    {
        return wide ? static_cast<Value>(static_cast<K>(raw ^ flip)) - flip : raw;
    }
    __device__ __forceinline__ Value join(Value a, Value b) const
    {
        return op == UPSWEEP_SUM       ? a + b
               : op == UPSWEEP_PRODUCT ? a * b
               : op == UPSWEEP_AND     ? a & b
               : op == UPSWEEP_OR      ? a | b
                                       : a ^ b;
    }
    __device__ __forceinline__ Value shuffle(Value v, unsigned lanes) const
    {
        return __shfl_xor_sync(~0u, v, static_cast<int>(lanes));
    }
    __device__ __forceinline__ void store(uint64_t row, Value v, bool) const
    {
        if (wide) {
            static_cast<uint64_t *>(results)[row] = v;
        } else {
            static_cast<K *>(results)[row] = static_cast<K>(v);
        }
    }
};

/* The least mapped key. */
template <typename K> struct usw_row_least {
    typedef K Raw;
    typedef K Value;
    K *results;
    usw_gpu_keymap<K> map;
    K identity; /* of rows of no elements */

    __device__ __forceinline__ Value neutral() const
    {
        return static_cast<K>(~K(0));
    }
    __device__ __forceinline__ Value of(K raw, uint64_t) const
    {
        return map.map(raw);
    }
    __device__ __forceinline__ Value join(Value a, Value b) const
    {
        return a < b ? a : b;
    }
    __device__ __forceinline__ Value shuffle(Value v, unsigned lanes) const
    {
        return static_cast<K>(__shfl_xor_sync(~0u, v, static_cast<int>(lanes)));
    }
    __device__ __forceinline__ void store(uint64_t row, Value v, bool empty) const
    {
        results[row] = empty ? identity : map.unmap(v);
    }
};

/* The first place of the least mapped key. */
template <typename K> struct usw_row_place {
    typedef K Raw;
    struct Value {
        K key;
        uint64_t place;
    };
    void *index;
    unsigned index_bytes;
    usw_gpu_keymap<K> map;
    uint64_t last; /* mapped keys above it are NaNs */

    __device__ __forceinline__ Value neutral() const
    {
        return {static_cast<K>(~K(0)), ~uint64_t(0)};
    }
    __device__ __forceinline__ Value of(K raw, uint64_t position) const
    {
        return {map.map(raw), position};
    }
    __device__ __forceinline__ Value join(const Value &a, const Value &b) const
    {
        return b.key < a.key || (b.key == a.key && b.place < a.place) ? b : a;
    }
    __device__ __forceinline__ Value shuffle(const Value &v, unsigned lanes) const
    {
        return {static_cast<K>(__shfl_xor_sync(~0u, v.key, static_cast<int>(lanes))),
                __shfl_xor_sync(~0u, v.place, static_cast<int>(lanes))};
    }
    __device__ __forceinline__ void store(uint64_t row, const Value &v, bool empty) const
    {
        const uint64_t place = empty ? ~uint64_t(0) : v.key > last ? 0 : v.place;
        if (index_bytes == 4) {
            static_cast<uint32_t *>(index)[row] = static_cast<uint32_t>(place);
        } else {
            static_cast<uint64_t *>(index)[row] = place;
        }
    }
};

/* The carry tree of core/order.h, on one thread: tiles' sums are added in their order. */
template <typename A> struct usw_row_carry {
    enum : unsigned { FANOUT = 64, LEVELS = 6 };
    A level[LEVELS];
    uint64_t tiles;

    template <typename E> __device__ __forceinline__ void start(const E &e)
    {
        tiles = 0;
        for (unsigned l = 0; l < LEVELS; l++) {
            level[l] = e.neutral();
        }
    }
    template <typename E> __device__ __forceinline__ void add(const E &e, A sum)
    {
        tiles++;
        uint64_t whole = tiles;
        for (unsigned l = 0; l < LEVELS; l++) {
            level[l] = e.join(level[l], sum);
            if (whole % FANOUT != 0) {
                return;
            }
            whole /= FANOUT;
            sum = level[l];
            level[l] = e.neutral();
        }
    }
    template <typename E> __device__ __forceinline__ A carry(const E &e) const
    {
        A all = e.neutral();
        for (unsigned l = LEVELS; l-- > 0;) {
            all = e.join(all, level[l]);
        }
        return all;
    }
};

#endif

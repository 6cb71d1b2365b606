/* copy_out.cuh - a radix sort's last step on a GPU: copies to the caller's arrays what the passes
 * have not written there. Keys that are sorted or reversed have had no pass; an odd number of
 * passes may have ended in tmp. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_COPY_OUT_CUH
#define USW_GPU_DIGIT_SORT_COPY_OUT_CUH

#include "gpu/digit_sort/pass_arrays.cuh"

template <typename K> struct usw_copy_out_args {
    const K *keys_in;
    K *keys_out; /* NULL: not wanted */
    const K *keys_tmp;
    const void *values_in;
    void *values_out;
    const void *values_tmp;
    size_t n;
    bool last_in_tmp;
    const void *spare; /* as usw_radix_pass_args */
    const usw_radix_control *control;
    const unsigned *enabled; /* if it is not NULL and *enabled is 0, nothing is to be done */
};

/* to[i] = from[i] or, reversed, from[n - 1 - i]; to may be from; from NULL: i itself. */
template <typename T>
__device__ __forceinline__ void copy_array(const T *from, T *to, size_t n, bool reverse)
{
    size_t t = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    if (from == to) {
        for (size_t i = t; reverse && i < n / 2; i += step) {
            T a = from[i], b = from[n - 1 - i];
            to[i] = b;
            to[n - 1 - i] = a;
        }
    } else {
        size_t i = t;
        constexpr unsigned U = 8; /* on their way at a time */
        for (; !reverse && from != nullptr && i + (U - 1) * step < n; i += U * step) {
            T x[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                x[u] = from[i + u * step];
            }
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                to[i + u * step] = x[u];
            }
        }
        for (; i < n; i += step) {
            size_t j = reverse ? n - 1 - i : i;
            to[i] = from == nullptr ? static_cast<T>(j) : from[j];
        }
    }
}

/* Copies joined pairs to an array of keys and one of values. */
template <typename K>
__device__ __forceinline__ void copy_joined(const usw_joined<K> *from, K *keys, K *values, size_t n)
{
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    constexpr unsigned U = 4; /* on their way at a time */
    for (; i + (U - 1) * step < n; i += U * step) {
        usw_joined<K> x[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            x[u] = from[i + u * step];
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            if (keys != nullptr) {
                keys[i + u * step] = x[u].key;
            }
            values[i + u * step] = x[u].value;
        }
    }
    for (; i < n; i += step) {
        const usw_joined<K> x = from[i];
        if (keys != nullptr) {
            keys[i] = x.key;
        }
        values[i] = x.value;
    }
}

template <typename K, unsigned value_bytes>
__device__ __forceinline__ void usw_copy_out_block(const usw_copy_out_args<K> &a)
{
    using V = typename usw_value_of<value_bytes>::type;
    unsigned passes = a.control->passes;
    const K *keys = a.keys_in;
    const void *values = a.values_in;
    if (passes != 0) {
        if (!a.last_in_tmp || passes % 2 == 0 || usw_takes_spare(a.spare, passes)) {
            return;
        }
        if constexpr (sizeof(K) == value_bytes) {
            copy_joined(reinterpret_cast<const usw_joined<K> *>(a.keys_tmp), a.keys_out,
                        static_cast<K *>(a.values_out), a.n);
            return;
        }
        keys = a.keys_tmp;
        values = a.values_tmp;
    }
    bool reverse = a.control->order == USW_ORDER_REVERSE;
    if (a.keys_out != nullptr) {
        copy_array(keys, a.keys_out, a.n, reverse);
    }
    if constexpr (value_bytes != 0) {
        copy_array(static_cast<const V *>(values), static_cast<V *>(a.values_out), a.n, reverse);
    }
}

template <typename K, unsigned value_bytes>
__global__ void __launch_bounds__(512) usw_radix_copy_out(const usw_copy_out_args<K> a)
{
    usw_chained();
    if (a.enabled == nullptr || *a.enabled != 0) {
        usw_copy_out_block<K, value_bytes>(a);
    }
}

#endif

/* few_values_pass.cuh - a radix sort of keys of few values, which have been counted: one pass,
 * whose digit is the number of the key's value, and the copy out (gpu/digit_sort/copy_out.cuh), in
 * one launch with barriers of all blocks. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_FEW_VALUES_PASS_CUH
#define USW_GPU_DIGIT_SORT_FEW_VALUES_PASS_CUH

#include "gpu/digit_sort/copy_out.cuh"
#include "gpu/digit_sort/pass.cuh"

template <typename K> struct usw_radix_steps {
    usw_radix_count_args<K> count;
    usw_radix_pass_args<K> pass;
    usw_copy_out_args<K> copy_out;
};

/* Writes the plan of this one pass into a control whose words are 0. */
template <typename K>
__device__ __forceinline__ void usw_radix_plan_few(usw_radix_control *control,
                                                   const hybrid_few<K> *few, size_t n)
{
    const unsigned t = threadIdx.x;
    if (t < 256) {
        control->base[0][t] = t < few->values ? few->begins[t] : n;
    }
    if (t == 0) {
        control->order = USW_ORDER_SORT;
        control->passes = 1;
    }
}

/* Sorts by the values' numbers, in a cooperative launch; does nothing if the table has no
 * values. */
template <typename K, unsigned value_bytes, typename Shape, typename W>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    usw_radix_numbered(const usw_radix_steps<K> a, unsigned *barrier)
{
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED(unsigned, taken);
    if (a.pass.few->values == 0) {
        return;
    }
    const size_t step = static_cast<size_t>(gridDim.x) * Shape::threads;
    for (size_t i = blockIdx.x * Shape::threads + threadIdx.x; i < a.count.ring_words; i += step) {
        a.count.ring[i] = 0;
    }
    if (blockIdx.x == 0) {
        unsigned *control = reinterpret_cast<unsigned *>(a.count.control);
        for (unsigned i = threadIdx.x; i < sizeof *a.count.control / 4; i += Shape::threads) {
            control[i] = 0;
        }
        __syncthreads();
        usw_radix_plan_few(a.count.control, a.pass.few, a.pass.n);
    }
    usw_grid_barrier(barrier, 1, false);
    radix_run_pass<K, value_bytes, Shape, W, true>(a.pass, 0, shared, &taken);
    usw_grid_barrier(barrier, 2, true);
    usw_copy_out_block<K, value_bytes>(a.copy_out);
}

#endif

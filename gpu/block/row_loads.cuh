/* row_loads.cuh - how a block goes through the keys of a bucket: in rows of a key a thread, some
 * rows at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_ROW_LOADS_CUH
#define USW_GPU_BLOCK_ROW_LOADS_CUH

#include "gpu/gpu.cuh"

/* Returns x, but hides from the compiler that it is x. What the compiler has computed from x is
 * then computed again, and takes no registers meanwhile. */
__device__ __forceinline__ unsigned hybrid_anew(unsigned x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* A thread's keys are at at + i * NT, of m keys. The rows begin up to 31 keys before the first one,
 * so that the warps' accesses are to whole lines. */
template <int NT> struct hybrid_rows {
    unsigned m, at;
    template <typename K>
    __device__ __forceinline__ hybrid_rows(const K *to, unsigned keys)
        : m(keys), at(threadIdx.x -
                      unsigned(reinterpret_cast<uintptr_t>(to) / sizeof(K)) % (128 / sizeof(K)))
    {
    }
    /* Whether row i has a key for this thread. whole: see hybrid_batches. */
    __device__ __forceinline__ bool here(int i, bool whole) const
    {
        return i == 0 ? at < m : whole || static_cast<int>(at) < static_cast<int>(m) - i * NT;
    }
    /* The place of this thread's key of row i. */
    __device__ __forceinline__ int operator()(int i) const
    {
        return static_cast<int>(at) + i * NT;
    }
    __device__ __forceinline__ void anew()
    {
        at = hybrid_anew(at);
    }
};

/* Calls f(i0, rows, whole) for the rows from 0 to I - 1 that have keys: U at a time up to row
 * sure, then two. whole: all of these rows' keys are there, but for some of row 0. */
template <int NT, int I, int U, int sure, typename F>
__device__ __forceinline__ void hybrid_batches(const hybrid_rows<NT> &row, F f)
{
#pragma unroll
    for (int i = 0; i < I; i += (i + U <= sure ? U : 2)) {
        const int rows = i + U <= sure ? U : I - i < 2 ? I - i : 2;
        if (row.m >= static_cast<unsigned>((i + rows) * NT)) {
            f(i, rows, true);
        } else if (row.m + 32 > static_cast<unsigned>(i * NT)) {
            f(i, rows, false);
        }
    }
}

#endif

/* row_list.cuh - rows of an array on the device: of one length, or by offsets, which a kernel
 * checks while it lists the rows that are long.
 *
 * Kernels that take short rows go over all of them; those that take long ones, a block a row, go
 * over the list. Where the offsets are bad there is a fault, and both do nothing. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_ROW_LIST_CUH
#define USW_GPU_ROW_LIST_CUH

#include "gpu/gpu.cuh"

/* What the device finds out about rows by offsets. Zero at first. */
struct usw_row_control {
    unsigned bad; /* the offsets do not ascend */
    unsigned long long listed;
};

struct usw_row_list {
    const uint64_t *begin; /* NULL: length elements each */
    size_t rows, length;
    const usw_row_control *control; /* NULL without begin; so is list */
    const uint64_t *list;

    __device__ __forceinline__ size_t row(size_t r, size_t &count) const
    {
        const size_t at = begin == nullptr ? r * length : begin[r];
        count = begin == nullptr ? length : begin[r + 1] - at;
        return at;
    }
    __device__ __forceinline__ bool bad() const
    {
        return control != nullptr && control->bad != 0;
    }
    /* Of the kernel for long rows: how many there are, and which the i-th is. */
    __device__ __forceinline__ size_t longs() const
    {
        return control == nullptr ? rows : static_cast<size_t>(control->listed);
    }
    __device__ __forceinline__ size_t long_row(size_t i) const
    {
        return list == nullptr ? i : list[i];
    }
};

/* Lists the rows of `from` elements or more. */
static __global__ void __launch_bounds__(256)
    usw_rows_look(const uint64_t *begin, size_t rows, size_t n, size_t from,
                  usw_row_control *control, uint64_t *list, unsigned long long *fault)
{
    for (size_t r = blockIdx.x * size_t(256) + threadIdx.x; r < rows;
         r += gridDim.x * size_t(256)) {
        const uint64_t at = begin[r], end = begin[r + 1];
        if (at > end || end > n) {
            usw_gpu_fault(fault, USW_FAULT_ROWS, r);
            control->bad = 1;
        } else if (end - at >= from) {
            list[atomicAdd(&control->listed, 1ull)] = r;
        }
    }
}

/* Takes scratch and queues that kernel where rows have offsets. False: a failure is noted. */
static inline bool usw_rows_take(usw_gpu *g, const uint64_t *begin, size_t rows, size_t length,
                                 size_t n, size_t from, usw_row_list *to)
{
    *to = {begin, rows, length, nullptr, nullptr};
    if (begin == nullptr) {
        return true;
    }
    usw_row_control *control = static_cast<usw_row_control *>(usw_gpu_scratch(g, sizeof *control));
    uint64_t *list = static_cast<uint64_t *>(usw_gpu_scratch(g, rows * sizeof *list));
    if (control == nullptr || list == nullptr) {
        return false;
    }
    to->control = control;
    to->list = list;
    const size_t blocks = rows / 256 + 1, most = size_t(g->sms) * 8;
    usw_gpu_fill(g, control, 0, sizeof *control);
    return USW_LAUNCH(g, usw_rows_look, static_cast<unsigned>(blocks < most ? blocks : most), 256,
                      0, begin, rows, n, from, control, list, g->fault) == UPSWEEP_OK;
}

#endif

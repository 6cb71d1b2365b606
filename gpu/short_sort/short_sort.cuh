/* short_sort.cuh - what other rooms call of the sort of up to some 262,144 keys, with or without
 * values, in one launch (gpu/short_sort/short_sort.cu). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SHORT_SORT_SHORT_SORT_CUH
#define USW_GPU_SHORT_SORT_SHORT_SORT_CUH

#include "gpu/sort_choice.cuh"

/* A stable sort as of usw_gpu_pairs, but keys and out_keys may be one array, and out_keys NULL.
 * value_bytes is 0, 1, 2, 4 or 8; 0: there are no values, and keys are sorted to out_keys. */
struct usw_small_sort {
    const void *keys;
    void *out_keys;
    const void *values; /* NULL: value i is i */
    void *out_values;
    unsigned value_bytes;
    size_t n;
    unsigned width;
    usw_keymap map;
    unsigned bit_begin, bit_end;
};

/* The greatest n that usw_gpu_small_sort takes for such keys; and that one block sorts. */
size_t usw_gpu_small_max(const usw_gpu *g, unsigned width, bool pairs);
size_t usw_gpu_one_block_max(const usw_gpu *g, unsigned width, bool pairs);
/* Keys of a run of n keys; 0: this device has not enough blocks or shared memory for runs. */
unsigned usw_gpu_run_keys(const usw_gpu *g, size_t n, unsigned width);
/* method: USW_GPU_BY_RUNS, USW_GPU_BY_ONE_BLOCK or USW_GPU_BY_SAMPLES, as gpu/sort_choice.cu says.
 * Scratch: none up to 4096 keys, or 2048 with values, as a rule up to 16,384; then 4 to 16 bytes a
 * key and 2 MB. */
upsweep_status usw_gpu_small_sort(usw_gpu *g, const usw_small_sort *s, usw_gpu_method method);

#endif

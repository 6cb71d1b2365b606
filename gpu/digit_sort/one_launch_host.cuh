/* one_launch_host.cuh - what other rooms call of the radix sort in one launch: up to a few million
 * keys, with or without values (gpu/digit_sort/one_launch.cu). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_ONE_LAUNCH_HOST_CUH
#define USW_GPU_DIGIT_SORT_ONE_LAUNCH_HOST_CUH

#include "gpu/short_sort/short_sort.cuh"

/* The greatest n that usw_gpu_one_launch_sort takes for such keys, with values of 0, 4 or 8 bytes;
 * 0: none. It is 0 in a plan (g->device < 0), so that the plan counts the scratch of the other
 * sorts, which need more. */
size_t usw_gpu_one_launch_fits(const usw_gpu *g, unsigned width, unsigned value_bytes);
/* Sorts as usw_gpu_small_sort does; value_bytes is 0, 4 or 8. stable false: equal keys may come out
 * in reversed order. enabled: NULL, or a word on the device; if it is 0 when the kernel runs, the
 * kernel does nothing. Scratch: 150 KB, and a copy of the keys if the caller does not want them. */
upsweep_status usw_gpu_one_launch_sort(usw_gpu *g, const usw_small_sort *s, bool stable,
                                       const unsigned *enabled);

#endif

/* bucket_sort.cuh - the bucket sort of pairs (pairs.cu), for algo/sort_hybrid.cu; and what can be
 * sorted in buckets, for gpu/sort_choice.cu. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH
#define USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH

#include "gpu/gpu.cuh"

/* Sorts whole keys of 4 or 8 bytes with values of 4 or 8 bytes, aligned, if they fit. */
upsweep_status usw_bucket_pairs(usw_gpu *g, const usw_gpu_pairs *p);
/* Whether the device's blocks may have the shared memory that the kernels take for these pairs; for
 * n keys (algo/sort_hybrid.cu). */
bool usw_bucket_pairs_fit(const usw_gpu *g, const usw_gpu_pairs *p);
bool usw_bucket_sort_fits(const usw_gpu *g, size_t n, unsigned width);

#endif

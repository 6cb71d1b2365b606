/* vmerge_tuning.cuh - the numbers of the vector merge sort, for benches and tests that vary
 * them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TEXTBOOK_VMERGE_TUNING_CUH
#define USW_GPU_TEXTBOOK_VMERGE_TUNING_CUH

#include "gpu/gpu.cuh"

struct usw_vmerge_tuning {
    size_t piece_keys; /* of the output a lane makes; a power of two; SIZE_MAX: whole merges */
    /* Called after a pass over lists of that many keys was queued; 0: the sort inside vectors. */
    void (*after)(void *context, size_t list_keys);
    void *context;
};

upsweep_status usw_vmerge_tuned(usw_gpu *g, const usw_gpu_sort *s, const usw_vmerge_tuning &tuning);

#endif

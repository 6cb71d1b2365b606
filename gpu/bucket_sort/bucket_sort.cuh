/* bucket_sort.cuh - the bucket sort of pairs (gpu/bucket_sort/pairs.cu), for the form of its
 * stem. */
#ifndef USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH
#define USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH

#include "gpu/gpu.cuh"

upsweep_status usw_hybrid_pairs(usw_gpu *g, const usw_gpu_pairs *p);

#endif

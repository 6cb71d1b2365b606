/* bucket_sort.cuh - the bucket sort of pairs (pairs.cu), for algo/sort_hybrid.cu. */
#ifndef USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH
#define USW_GPU_BUCKET_SORT_BUCKET_SORT_CUH

#include "gpu/gpu.cuh"

upsweep_status usw_hybrid_pairs(usw_gpu *g, const usw_gpu_pairs *p);

#endif

/* part_hybrid_pairs_queue.cuh - the hybrid sort of pairs (sort_hybrid_pairs.cu), for its form. */
#ifndef USW_PART_HYBRID_PAIRS_QUEUE_CUH
#define USW_PART_HYBRID_PAIRS_QUEUE_CUH

#include "gpu.cuh"

upsweep_status usw_hybrid_pairs(usw_gpu *g, const usw_gpu_pairs *p);

#endif

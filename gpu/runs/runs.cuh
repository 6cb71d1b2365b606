/* runs.cuh - queues the sort of keys that are in order but for a few, which is compiled by itself
 * (runs.cu). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_RUNS_CUH
#define USW_GPU_RUNS_RUNS_CUH

#include "gpu/bucket_sort/job.cuh"
#include "gpu/runs/tuning.cuh"

/* Queues the weave of a job that is large enough, between its sample and its next step, for keys of
 * 32 and 64 bits. */
template <typename K> void usw_queue_weave(usw_gpu *g, const hybrid_job<K> &j);

#endif

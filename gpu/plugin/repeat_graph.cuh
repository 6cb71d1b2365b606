/* repeat_graph.cuh - a sort that is called again with the same arguments: its launches are kept as
 * a graph.
 *
 * The host takes 3 us to queue a launch, at times 5, and 1.2 us to queue a graph of one or of a
 * dozen launches. So a handle remembers its last calls. A call that comes with the same arrays,
 * sizes and options for the third time is captured, on a stream of the handle's own, and is one
 * launch from then on. The arrays' contents may change, since all that a sort decides by them is
 * decided on the device. A program that links gpu/plugin/handle.cu by itself links
 * gpu/plugin/repeat_graph.cu too. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PLUGIN_REPEAT_GRAPH_CUH
#define USW_GPU_PLUGIN_REPEAT_GRAPH_CUH

#include "gpu/gpu.cuh"

/* What makes two calls the same. */
struct usw_repeat_key {
    uint64_t words[17];
};

struct usw_repeat_call {
    usw_repeat_key key;
    unsigned calls; /* how often the key has come; not counted beyond the call after the capture */
    cudaGraphExec_t graph; /* or NULL */
    size_t peak;           /* bytes of scratch that the graph uses at most */
};

/* A handle, as usw_gpu_open makes it. */
struct usw_gpu_whole : usw_gpu {
    enum { CALLS = 8 };
    usw_repeat_call repeats[CALLS]; /* the latest first */
    cudaStream_t capture_stream;    /* the stream on which calls are captured */
};

/* The address of the scratch, or NULL. A graph holds addresses in the scratch, so that the address
 * is part of a call's key. */
const void *usw_gpu_scratch_start(const usw_gpu *g);
/* Destroys all graphs. */
void usw_gpu_repeats_free(usw_gpu_whole *g);

/* Queues a sort by `queue`, or by its graph. */
upsweep_status usw_gpu_sort_repeat(usw_gpu *g, const usw_gpu_sort *s,
                                   upsweep_status (*queue)(usw_gpu *, const usw_gpu_sort *));
upsweep_status usw_gpu_pairs_repeat(usw_gpu *g, const usw_gpu_pairs *p,
                                    upsweep_status (*queue)(usw_gpu *, const usw_gpu_pairs *));

#endif

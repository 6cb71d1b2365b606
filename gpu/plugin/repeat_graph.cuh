/* repeat_graph.cuh - a sort that is called again: its launches are kept as a graph.
 *
 * To queue a launch takes a host 3 us, and at times 5; to queue a graph of one or of a dozen takes
 * it 1.2. So a handle remembers its last calls. One that comes with the same arrays, sizes and
 * options for the third time is captured, on a stream of the handle's own, and is one launch from
 * then on. What is in the arrays does not matter: what a sort does is decided on the device. A
 * program that links gpu/plugin/handle.cu by itself links gpu/plugin/repeat_graph.cu too. */
#ifndef USW_GPU_PLUGIN_REPEAT_GRAPH_CUH
#define USW_GPU_PLUGIN_REPEAT_GRAPH_CUH

#include "gpu/gpu.cuh"

/* What makes two calls the same. */
struct usw_repeat_key {
    uint64_t words[17];
};

struct usw_repeat_call {
    usw_repeat_key key;
    unsigned calls;        /* so often, or more than it takes */
    cudaGraphExec_t graph; /* or NULL */
    size_t peak;           /* of its scratch */
};

/* A handle, as usw_gpu_open makes it. */
struct usw_gpu_whole : usw_gpu {
    enum { CALLS = 8 };
    usw_repeat_call repeats[CALLS]; /* the latest first */
    cudaStream_t capture_stream;    /* where they are captured */
};

/* The start of the scratch, or NULL: a graph knows its addresses (scratch.cu). */
const void *usw_gpu_scratch_start(const usw_gpu *g);
/* Gives the graphs back. */
void usw_gpu_repeats_free(usw_gpu_whole *g);

/* Queues a sort by `queue`, or by its graph. */
upsweep_status usw_gpu_sort_repeat(usw_gpu *g, const usw_gpu_sort *s,
                                   upsweep_status (*queue)(usw_gpu *, const usw_gpu_sort *));
upsweep_status usw_gpu_pairs_repeat(usw_gpu *g, const usw_gpu_pairs *p,
                                    upsweep_status (*queue)(usw_gpu *, const usw_gpu_pairs *));

#endif

/* path.h - what the calls for shortest paths on a GPU share (calls/on_gpu/path.c,
 * calls/on_gpu/path_rows.c). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_ON_GPU_PATH_H
#define USW_CALLS_ON_GPU_PATH_H

#include "calls/on_gpu/call.h"
#include "core/paths.h"

/* A query on its way to a form; the arrays of the call are those below, and lie where it is run. */
typedef struct usw_gpu_path_job {
    const upsweep_graph *graph; /* NULL: a matrix */
    usw_gpu_path_query d;
    const char *algorithm;
} usw_gpu_path_job;
enum {
    USW_PATH_SOURCES,
    USW_PATH_TARGETS,
    USW_PATH_DISTANCE,
    USW_PATH_PARENT,
    USW_PATH_MATRIX,
    USW_PATH_BEGIN,
    USW_PATH_CUTOFFS,
    USW_PATH_ARRAYS
};

/* The work of a usw_gpu_call whose context is a usw_gpu_path_job. */
upsweep_status usw_gpu_path_work(usw_gpu_call *c);
/* Sets what CPU and GPU are predicted to take for so many queries. */
void usw_gpu_path_predict(usw_gpu_call *c, const upsweep_graph *g, size_t queries);
/* Whether some path could be too long for the type of distances. */
bool usw_gpu_path_may_overflow(const upsweep_graph *g);

#endif

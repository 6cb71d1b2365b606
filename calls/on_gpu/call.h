/* call.h - one public call on a GPU: where its arrays lie, their way there and back, and its
 * steps. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_ON_GPU_CALL_H
#define USW_CALLS_ON_GPU_CALL_H

#include "core/check.h"
#include "core/plugin.h"

enum { USW_GPU_IN = 1, USW_GPU_OUT = 2, USW_GPU_INOUT = 3 };

/* An array, or a single result, of the caller's. Two of one address share their place. */
typedef struct usw_gpu_array {
    const char *what; /* its name for messages */
    const void *user; /* NULL: there is none, and at stays NULL */
    size_t bytes;
    unsigned use; /* USW_GPU_IN, USW_GPU_OUT */
    /* Of an output in the host's memory only the first *count elements are copied back; NULL: all.
     * *count is itself the target of an earlier array of 8 bytes. */
    const uint64_t *count;
    size_t element;
    bool ours;    /* made by the library in the host's memory, as a plan knows too */
    void *at;     /* in device memory, while the work runs */
    bool on_host; /* at is a copy */
} usw_gpu_array;

static inline usw_gpu_array usw_gpu_of(const char *what, const void *user, size_t bytes,
                                       unsigned use)
{
    return (usw_gpu_array){.what = what, .user = user, .bytes = bytes, .use = use};
}
static inline usw_gpu_array usw_gpu_in(const char *what, const void *user, size_t bytes)
{
    return usw_gpu_of(what, user, bytes, USW_GPU_IN);
}
static inline usw_gpu_array usw_gpu_out(const char *what, const void *user, size_t bytes)
{
    return usw_gpu_of(what, user, bytes, USW_GPU_OUT);
}
static inline usw_gpu_array usw_gpu_inout(const char *what, const void *user, size_t bytes)
{
    return usw_gpu_of(what, user, bytes, USW_GPU_INOUT);
}
/* An output of which the first *count elements count. */
static inline usw_gpu_array usw_gpu_part(const char *what, const void *user, size_t bytes,
                                         const uint64_t *count, size_t element)
{
    usw_gpu_array a = usw_gpu_of(what, user, bytes, USW_GPU_OUT);
    a.count = count;
    a.element = element;
    return a;
}

/* An error that only the device sees, and how the CPU says it: format takes limit as a %llu. */
typedef struct usw_gpu_risk {
    unsigned code; /* USW_FAULT_... or 0 */
    uint64_t limit;
} usw_gpu_risk;

typedef struct usw_gpu_call usw_gpu_call;
struct usw_gpu_call {
    upsweep *u;
    const usw_gpu_plugin *p;
    usw_gpu *g;
    usw_gpu_array *arrays;
    size_t count;
    /* Queues the steps. Runs twice, first as a plan: it does the same both times. */
    upsweep_status (*work)(usw_gpu_call *c);
    void *context;
    /* What is predicted to be taken, for "auto", by the CPU (0: less than copies take) and by the
     * GPU beside the copies. */
    double cpu_ns, gpu_ns;
    bool on_gpu;               /* it belongs there: a call before has decided it */
    usw_gpu_fault_found fault; /* that failed it */
    usw_gpu_risk risks[2];
    bool host_output; /* some output is in the host's memory */
};

/* Runs the call on the GPU if it belongs there, and returns true with its status; false: the
 * caller computes on the CPU. c has u, arrays, count, work, context and what else is known. */
bool usw_gpu_run(usw_gpu_call *c, upsweep_status *status);

/* The step `name` of the plugin ("select", "rows", ...), or NULL with the failure said. */
const void *usw_gpu_form(const usw_gpu_call *c, const char *stem);
/* The form of the row `name` ("scan/sweep"), or NULL with the failure said. *algorithm gets the
 * row's own name, which is static. */
const void *usw_gpu_form_named(const usw_gpu_call *c, const char *name, const char **algorithm);
/* The same for a call with options.algorithm = name: NULL is the standard row of the operation. */
const void *usw_gpu_form_for(const usw_gpu_call *c, usw_operation operation, const char *name,
                             const char **algorithm);
/* The failure of the last step becomes u's. */
upsweep_status usw_gpu_failed(const usw_gpu_call *c, upsweep_status status);
/* The sentence of an error that the device found. */
upsweep_status usw_gpu_say_fault(upsweep *u, const usw_gpu_fault_found *fault, uint64_t limit);
/* Stores bits in device memory or, in a plan, nowhere. */
upsweep_status usw_gpu_store(const usw_gpu_call *c, void *to, uint64_t bits, size_t bytes);
/* Device memory for the call's own results, of 8 bytes each. */
uint64_t *usw_gpu_words(const usw_gpu_call *c, size_t words);

#endif

/* sort_copy.c - upsweep_sort_copy: keys are sorted to another array, with positions or without. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/sort_choice.h"
#include "cpu/cpu.h"

enum { FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE };

/* ---- a copy ---- */

typedef struct copy_job {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
} copy_job;
enum { COPY_CHUNK = 1 << 18 }; /* bytes of one task */

static void copy_task(void *context, size_t i, unsigned lane)
{
    const copy_job *j = context;
    size_t at = i * COPY_CHUNK;
    (void)lane;
    memcpy(j->to + at, j->from + at, usw_min(COPY_CHUNK, j->bytes - at));
}

void usw_copy_by_threads(upsweep *u, void *to, const void *from, size_t bytes)
{
    copy_job j = {to, from, bytes};
    if (to != from) {
        usw_parallel(u, usw_div_up(bytes, COPY_CHUNK), copy_task, &j);
    }
}

/* ---- the call ---- */

/* On the CPU. A sort by name or by a range of bits may fail for want of scratch, after which out
 * must be as it was: such keys are sorted in scratch. */
static upsweep_status sort_there(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                 void *out, const usw_options *o)
{
    const size_t bytes = n * upsweep_type_bytes(type);
    const bool may_fail = o->algorithm != NULL || (o->bit_begin | o->bit_end) != 0;
    void *at = may_fail && out != keys ? usw_scratch(u, bytes) : out;
    if (at == NULL && n > 0) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu keys", n);
    }
    USW_ROUTE_IF(at == out, "keys are copied and sorted there", USW_ALL_TYPES);
    USW_ROUTE_IF(at != out, "keys are sorted in scratch, and copied", USW_ALL_TYPES);
    if (o->algorithm == NULL) {
        USW_SHARE_CALL(u, bytes, USW_LIKE_SORTING, type);
    }
    usw_copy_by_threads(u, at, keys, bytes);
    upsweep_status status = usw_sort_on_cpu(u, at, n, type, o);
    if (status == UPSWEEP_OK) {
        usw_copy_by_threads(u, out, at, bytes);
    }
    return status;
}

static upsweep_status sort_keys_to(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                   void *out, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_check_keys(u, keys, n, type, &o);
    if (status == UPSWEEP_OK && n > 0 && out == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_copy: out and index are NULL");
    }
    status = status == UPSWEEP_OK ? usw_check_place(u, out, "out") : status;
    status = status == UPSWEEP_OK ? usw_check_sort_name(u, o.algorithm) : status;
    if (status == UPSWEEP_OK && !usw_gpu_sort_keys(u, keys, out, n, type, &o, &status)) {
        status = sort_there(u, keys, n, type, out, &o);
    }
    return usw_leave(u, status);
}

upsweep_status upsweep_sort_copy(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                 void *out, void *index, unsigned index_bits,
                                 const upsweep_options *options)
{
    return index == NULL
               ? sort_keys_to(u, keys, n, type, out, options)
               : usw_argsort_call(u, "sort_copy", keys, n, type, out, index, index_bits, options);
}

/* split.c - upsweep_split, upsweep_compact: checks and the choice of the form. Splits into many
 * buckets are in calls/histogram.c. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"

#include <stdio.h>

typedef struct split_call {
    const void *in;
    const uint8_t *flags;
    void *out;
    size_t n, bytes;
    bool keep;
    size_t *count;
} split_call;

static void write_kept(char *text, size_t bytes, const uint64_t *fact)
{
    snprintf(text, bytes, "%zu of %zu elements kept", (size_t)fact[0], (size_t)fact[1]);
}

static void write_zeros(char *text, size_t bytes, const uint64_t *fact)
{
    snprintf(text, bytes, "%zu of %zu elements have flag 0", (size_t)fact[0], (size_t)fact[1]);
}

static upsweep_status run(upsweep *u, const usw_options *o, const split_call *c)
{
    upsweep_status status = usw_check_array(u, c->in, c->n, c->bytes, "in");
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, c->flags, c->n, 1, "flags");
    }
    const usw_split_form *form = NULL;
    if (status == UPSWEEP_OK) {
        form = usw_form_for(u, USW_SPLITS, o->algorithm, &status);
    }
    if (status == UPSWEEP_OK && c->keep && c->count == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "kept is NULL");
    }
    if (status == UPSWEEP_OK && c->out == NULL && c->n > 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "out is NULL, but n is %zu", c->n);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_place(u, c->out, "out");
    }
    if (status == UPSWEEP_OK && !c->keep && c->out == c->in && c->n > 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a split needs two arrays: out is in");
    }
    if (status != UPSWEEP_OK ||
        usw_gpu_split(u, c->in, c->flags, c->out, c->n, c->bytes, c->keep, c->count, o, &status)) {
        return status;
    }
    size_t count = 0;
    USW_SHARE_CALL(u, c->n * c->bytes, USW_LIKE_SCANNING, c->bytes);
    USW_ROUTE_IF(c->keep, "compact", USW_NO_TYPES);
    USW_ROUTE_IF(!c->keep, "split by flags", USW_NO_TYPES);
    if (c->n > 0) {
        status = (c->keep ? form->compact : form->split)(u, c->in, c->flags, c->out, c->n, c->bytes,
                                                         &count);
    }
    if (status == UPSWEEP_OK && c->count != NULL) {
        *c->count = count;
    }
    usw_report_later(u, usw_row_name(USW_SPLITS, o->algorithm), c->keep ? write_kept : write_zeros,
                     count, c->n);
    return status;
}

upsweep_status upsweep_split(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                             size_t bytes, size_t *zeros, const upsweep_options *options)
{
    usw_options o;
    split_call c = {in, flags, out, n, bytes, false, zeros};
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNSTABLE, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, run(u, &o, &c));
}

upsweep_status upsweep_compact(upsweep *u, const void *in, const uint8_t *flags, void *out,
                               size_t n, size_t bytes, size_t *kept, const upsweep_options *options)
{
    usw_options o;
    split_call c = {in, flags, out, n, bytes, true, kept};
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNSTABLE, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, run(u, &o, &c));
}

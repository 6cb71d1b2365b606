/* scan.c - upsweep_scan and its kin: checks and the choice of the form; and the scan by a
 * caller's operator, which is two passes over tiles. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/order.h"

enum { SCAN_FLAGS = UPSWEEP_EXCLUSIVE | UPSWEEP_UNORDERED };

static upsweep_status scan(upsweep *u, const usw_options *o, usw_scan *s)
{
    upsweep_status status = usw_check_type(u, s->type);
    if (status != UPSWEEP_OK) {
        return status;
    }
    size_t bytes = usw_type_bytes(s->type);
    status = usw_check_array(u, s->in, s->n, bytes, "in");
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, s->out, s->n, bytes, "out");
    }
    const usw_scan_form *form = NULL;
    if (status == UPSWEEP_OK) {
        form = usw_form_for(u, USW_SCANS, o->algorithm, &status);
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    s->op = usw_op_of(s->op);
    if (s->op < UPSWEEP_SUM || s->op > UPSWEEP_XOR) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "op is no operator");
    }
    if (upsweep_reduce_type(s->type, s->op) == 0) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "bitwise operators are for integers, not %s",
                        upsweep_type_name(s->type));
    }
    s->exclusive = (o->flags & UPSWEEP_EXCLUSIVE) != 0;
    s->identity = usw_identity_bits(s->type, s->op);
    if (usw_may_leave(u) && usw_gpu_scan(u, s, o, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, s->n * bytes, USW_LIKE_SCANNING, s->type);
    usw_report_tiles(u, usw_row_name(USW_SCANS, o->algorithm), s->n);
    USW_ROUTE_IF(s->heads == NULL && s->keys == NULL, "scan", USW_ALL_TYPES);
    USW_ROUTE_IF(s->heads != NULL, "scan by segments", USW_ALL_TYPES);
    USW_ROUTE_IF(s->keys != NULL, "scan by key", USW_ALL_TYPES);
    return s->n == 0 ? UPSWEEP_OK : form->scan(u, s);
}

upsweep_status upsweep_scan(upsweep *u, const void *in, void *out, size_t n, upsweep_type type,
                            upsweep_op op, const upsweep_options *options)
{
    usw_options o;
    usw_scan s = {.in = in, .out = out, .n = n, .type = type, .op = op};
    upsweep_status status = usw_enter(u, options, SCAN_FLAGS, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, scan(u, &o, &s));
}

upsweep_status upsweep_scan_segmented(upsweep *u, const void *in, const uint8_t *heads, void *out,
                                      size_t n, upsweep_type type, upsweep_op op,
                                      const upsweep_options *options)
{
    usw_options o;
    usw_scan s = {.in = in, .out = out, .n = n, .type = type, .op = op, .heads = heads};
    upsweep_status status = usw_enter(u, options, SCAN_FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_check_array(u, heads, n, 1, "heads");
    return usw_leave(u, status != UPSWEEP_OK ? status : scan(u, &o, &s));
}

upsweep_status upsweep_scan_by_key(upsweep *u, const void *keys, upsweep_type key_type,
                                   const void *in, void *out, size_t n, upsweep_type type,
                                   upsweep_op op, const upsweep_options *options)
{
    usw_options o;
    usw_scan s = {.in = in, .out = out, .n = n, .type = type, .op = op, .keys = keys};
    upsweep_status status = usw_enter(u, options, SCAN_FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_TYPE(type);
    s.key_bytes = upsweep_type_bytes(key_type);
    status = usw_check_type(u, key_type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, keys, n, s.key_bytes, "keys");
    }
    return usw_leave(u, status != UPSWEEP_OK ? status : scan(u, &o, &s));
}

/* ---- a caller's operator: each tile from left to right, then the tiles' results from left to
 * right, then each tile again from what lies before it ---- */

typedef struct by_job {
    const unsigned char *in;
    unsigned char *out;
    size_t n, bytes;
    upsweep_combine combine;
    void *context;
    const void *identity;
    bool exclusive;
    unsigned char *partials; /* a tile's combination; then that of all tiles before it */
    usw_shares buffers;      /* two elements a thread */
} by_job;

static void combine_tile(void *context, size_t t, unsigned thread)
{
    const by_job *j = context;
    size_t begin = t * USW_TILE, end = begin + usw_min(USW_TILE, j->n - begin);
    unsigned char *partial = j->partials + t * j->bytes;
    (void)thread;
    memcpy(partial, j->identity, j->bytes);
    for (size_t i = begin; i < end; i++) {
        j->combine(partial, j->in + i * j->bytes, j->context);
    }
}

static void scan_tile(void *context, size_t t, unsigned thread)
{
    USW_ROUTE_OF("by a caller's operator", USW_NO_TYPES);
    const by_job *j = context;
    size_t begin = t * USW_TILE, end = begin + usw_min(USW_TILE, j->n - begin);
    unsigned char *value = usw_share(&j->buffers, thread), *kept = value + j->bytes;
    memcpy(value, j->partials + t * j->bytes, j->bytes);
    for (size_t i = begin; i < end; i++) {
        memcpy(kept, j->in + i * j->bytes, j->bytes);
        if (j->exclusive) {
            memcpy(j->out + i * j->bytes, value, j->bytes);
        }
        j->combine(value, kept, j->context);
        if (!j->exclusive) {
            memcpy(j->out + i * j->bytes, value, j->bytes);
        }
    }
}

static upsweep_status scan_by(upsweep *u, const usw_options *o, by_job *j)
{
    upsweep_status status = usw_check_array(u, j->in, j->n, j->bytes, "in");
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->out, j->n, j->bytes, "out");
    }
    if (status == UPSWEEP_OK) {
        (void)usw_form_for(u, USW_SCANS, o->algorithm, &status);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_refuse(u, j->in, "in", "scan_by");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_refuse(u, j->out, "out", "scan_by");
    }
    if (status == UPSWEEP_OK && (j->combine == NULL || j->identity == NULL)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "combine or identity is NULL");
    }
    if (status != UPSWEEP_OK || j->n == 0) {
        return status;
    }
    size_t tiles = usw_div_up(j->n, USW_TILE), buffer_bytes;
    USW_SHARE_CALL(u, j->n, USW_LIKE_CALLING, j->bytes);
    j->exclusive = (o->flags & UPSWEEP_EXCLUSIVE) != 0;
    j->partials = usw_scratch(u, tiles * j->bytes);
    j->buffers = (usw_shares){NULL, 0};
    if (!usw_mul_overflows(2, j->bytes, &buffer_bytes)) {
        j->buffers = usw_scratch_shares(u, u->threads, buffer_bytes);
    }
    unsigned char *next = usw_scratch(u, j->bytes), *value = usw_scratch(u, j->bytes);
    if (j->partials == NULL || j->buffers.at == NULL || next == NULL || value == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu partial results of %zu bytes",
                        tiles, j->bytes);
    }
    usw_parallel(u, tiles > 1 ? tiles : 0, combine_tile, j);
    memcpy(value, j->identity, j->bytes);
    for (size_t t = 0; t < tiles; t++) {
        unsigned char *partial = j->partials + t * j->bytes;
        memcpy(next, partial, j->bytes);
        memcpy(partial, value, j->bytes);
        if (t + 1 < tiles) {
            j->combine(value, next, j->context);
        }
    }
    usw_parallel(u, tiles, scan_tile, j);
    usw_report_tiles(u, usw_row_name(USW_SCANS, NULL), j->n);
    return UPSWEEP_OK;
}

upsweep_status upsweep_scan_by(upsweep *u, const void *in, void *out, size_t n, size_t bytes,
                               upsweep_combine combine, void *context, const void *identity,
                               const upsweep_options *options)
{
    usw_options o;
    by_job j = {.in = in,
                .out = out,
                .n = n,
                .bytes = bytes,
                .combine = combine,
                .context = context,
                .identity = identity};
    upsweep_status status = usw_enter(u, options, UPSWEEP_EXCLUSIVE, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, scan_by(u, &o, &j));
}

/* reduce.c - upsweep_reduce and its kin: checks, identities, and the choice of the form.
 *
 * Least and greatest of all types are one question: the least key under a map (keymap.h) that puts
 * NaN last; for the greatest the map is descending. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/row_set.h"
#include "core/order.h"

upsweep_type upsweep_reduce_type(upsweep_type type, upsweep_op op)
{
    bool is_float = usw_type_is_float(type);
    if (upsweep_type_bytes(type) == 0) {
        return (upsweep_type)0;
    }
    switch (usw_op_of(op)) {
    case UPSWEEP_SUM:
    case UPSWEEP_PRODUCT:
        return is_float ? UPSWEEP_F64 : usw_type_is_signed(type) ? UPSWEEP_I64 : UPSWEEP_U64;
    case UPSWEEP_LEAST:
    case UPSWEEP_GREATEST: return type;
    case UPSWEEP_AND:
    case UPSWEEP_OR:
    case UPSWEEP_XOR: return is_float ? (upsweep_type)0 : type;
    }
    return (upsweep_type)0;
}

upsweep_type usw_result_type(upsweep_type type, upsweep_op op, unsigned flags)
{
    const upsweep_type exact = upsweep_reduce_type(type, op);
    return exact == UPSWEEP_F64 && (flags & UPSWEEP_ROUNDED) ? type : exact;
}

/* What all calls of this file check; *form is set on success. */
static upsweep_status check(upsweep *u, const usw_options *o, const void *data, size_t n,
                            upsweep_type type, const usw_reduce_form **form)
{
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, data, n, usw_type_bytes(type), "data");
    }
    if (status == UPSWEEP_OK) {
        *form = usw_form_for(u, USW_REDUCES, o->algorithm, &status);
        usw_report_tiles(u, usw_row_name(USW_REDUCES, o->algorithm), n);
    }
    return status;
}

/* The greatest and the least value of a type. */
static uint64_t extreme_value(upsweep_type type, bool greatest)
{
    usw_keymap map = usw_keymap_of(type, greatest ? 0 : UPSWEEP_DESCENDING);
    if (!usw_type_is_float(type)) {
        return usw_unmap_key(&map, UINT64_MAX >> (64 - map.bits));
    }
    uint64_t sign = greatest ? 0 : 1;
    switch (type) {
    case UPSWEEP_F16: return 0x7c00 | sign << 15;
    case UPSWEEP_BF16: return 0x7f80 | sign << 15;
    case UPSWEEP_F32: return 0x7f800000 | sign << 31;
    default: return UINT64_C(0x7ff) << 52 | sign << 63;
    }
}

uint64_t usw_last_number(upsweep_type type, const usw_keymap *map, bool greatest)
{
    return usw_type_is_float(type) ? usw_map_key(map, extreme_value(type, !greatest)) : UINT64_MAX;
}

static uint64_t one_bits(upsweep_type type)
{
    switch (type) {
    case UPSWEEP_F16: return 0x3c00;
    case UPSWEEP_BF16: return 0x3f80;
    case UPSWEEP_F32: return 0x3f800000;
    case UPSWEEP_F64: return UINT64_C(0x3ff) << 52;
    default: return 1;
    }
}

uint64_t usw_identity_bits(upsweep_type type, upsweep_op op)
{
    switch (op) {
    case UPSWEEP_PRODUCT: return one_bits(type);
    case UPSWEEP_LEAST: return extreme_value(type, true);
    case UPSWEEP_GREATEST: return extreme_value(type, false);
    case UPSWEEP_AND: return UINT64_MAX;
    default: return 0;
    }
}

/* The identity of an operator, into the result of a reduction, which is of type out. */
static void store_identity(upsweep_type out, upsweep_op op, void *result)
{
    usw_store_raw(result, upsweep_type_bytes(out), usw_identity_bits(out, op));
}

static upsweep_status least_or_greatest(upsweep *u, const usw_reduce_form *form, const void *data,
                                        size_t n, upsweep_type type, bool greatest, void *result)
{
    USW_ROUTE("least or greatest");
    usw_keymap map = usw_keymap_of(type, greatest ? UPSWEEP_DESCENDING : 0);
    uint64_t key;
    upsweep_status status = form->least(u, data, n, &map, 1, &key, NULL);
    if (status == UPSWEEP_OK) {
        usw_store_raw(result, map.bits / 8, usw_unmap_key(&map, key));
    }
    return status;
}

static upsweep_status reduce(upsweep *u, const usw_options *o, const void *data, size_t n,
                             upsweep_type type, upsweep_op op, void *result)
{
    const usw_reduce_form *form;
    upsweep_status status = check(u, o, data, n, type, &form);
    if (status != UPSWEEP_OK) {
        return status;
    }
    op = usw_op_of(op);
    if (result == NULL || op < UPSWEEP_SUM || op > UPSWEEP_XOR) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        result == NULL ? "result is NULL" : "op is no operator");
    }
    const upsweep_type to = usw_result_type(type, op, o->flags);
    if (to == 0) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "bitwise operators are for integers, not %s",
                        upsweep_type_name(type));
    }
    if (usw_may_leave(u) && usw_gpu_reduce(u, data, n, type, op, to, o, result, &status)) {
        return status;
    }
    if (n == 0) {
        store_identity(to, op, result);
        return UPSWEEP_OK;
    }
    USW_SHARE_CALL(u, n * usw_type_bytes(type), USW_LIKE_READING, type);
    return op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST
               ? least_or_greatest(u, form, data, n, type, op == UPSWEEP_GREATEST, result)
               : form->reduce(u, data, n, type, op, to, result);
}

upsweep_status upsweep_reduce(upsweep *u, const void *data, size_t n, upsweep_type type,
                              upsweep_op op, void *result, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, reduce(u, &o, data, n, type, op, result));
}

static upsweep_status position(upsweep *u, const usw_options *o, const void *data, size_t n,
                               upsweep_type type, bool greatest, size_t *index)
{
    const usw_reduce_form *form;
    upsweep_status status = check(u, o, data, n, type, &form);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (n == 0 || index == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        n == 0 ? "no element has a position when n is 0" : "index is NULL");
    }
    USW_ROUTE("the place of the least or greatest");
    usw_keymap map = usw_keymap_of(type, greatest ? UPSWEEP_DESCENDING : 0);
    uint64_t key, last = usw_last_number(type, &map, greatest);
    if (usw_gpu_position(u, data, n, &map, last, o, index, &status)) {
        return status;
    }
    size_t found;
    USW_SHARE_CALL(u, n * map.bits / 8, USW_LIKE_READING, type);
    status = form->least(u, data, n, &map, 1, &key, &found);
    if (status == UPSWEEP_OK) {
        *index = key > last ? 0 : found;
    }
    return status;
}

upsweep_status upsweep_argmin(upsweep *u, const void *data, size_t n, upsweep_type type,
                              size_t *index, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status
                                : usw_leave(u, position(u, &o, data, n, type, false, index));
}

upsweep_status upsweep_argmax(upsweep *u, const void *data, size_t n, upsweep_type type,
                              size_t *index, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status
                                : usw_leave(u, position(u, &o, data, n, type, true, index));
}

static upsweep_status extremes(upsweep *u, const usw_options *o, const void *data, size_t n,
                               upsweep_type type, void *least, void *greatest)
{
    const usw_reduce_form *form;
    upsweep_status status = check(u, o, data, n, type, &form);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (least == NULL || greatest == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a result is NULL");
    }
    if (usw_gpu_minmax(u, data, n, type, o, least, greatest, &status)) {
        return status;
    }
    if (n == 0) {
        store_identity(type, UPSWEEP_LEAST, least);
        store_identity(type, UPSWEEP_GREATEST, greatest);
        return UPSWEEP_OK;
    }
    USW_ROUTE("least and greatest");
    usw_keymap maps[2] = {usw_keymap_of(type, 0), usw_keymap_of(type, UPSWEEP_DESCENDING)};
    uint64_t keys[2];
    USW_SHARE_CALL(u, n * maps[0].bits / 8, USW_LIKE_READING, type);
    status = form->least(u, data, n, maps, 2, keys, NULL);
    if (status == UPSWEEP_OK) {
        usw_store_raw(least, maps[0].bits / 8, usw_unmap_key(&maps[0], keys[0]));
        usw_store_raw(greatest, maps[1].bits / 8, usw_unmap_key(&maps[1], keys[1]));
    }
    return status;
}

upsweep_status upsweep_minmax(upsweep *u, const void *data, size_t n, upsweep_type type,
                              void *least, void *greatest, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status
                                : usw_leave(u, extremes(u, &o, data, n, type, least, greatest));
}

/* ---- a caller's operator: tiles from left to right, then the tiles' results likewise ---- */

typedef struct by_job {
    const unsigned char *data;
    unsigned char *partials; /* one accumulator a tile */
    const void *identity;
    size_t n, bytes;
    upsweep_combine combine;
    void *context;
} by_job;

static void by_task(void *context, size_t t, unsigned thread)
{
    USW_ROUTE_OF("by a caller's operator", USW_NO_TYPES);
    const by_job *j = context;
    size_t begin = t * USW_TILE, end = begin + usw_min(USW_TILE, j->n - begin);
    unsigned char *accumulator = j->partials + t * j->bytes;
    (void)thread;
    memcpy(accumulator, j->identity, j->bytes);
    for (size_t i = begin; i < end; i++) {
        j->combine(accumulator, j->data + i * j->bytes, j->context);
    }
}

static upsweep_status reduce_by(upsweep *u, const usw_options *o, by_job *j, void *result)
{
    upsweep_status status = usw_check_array(u, j->data, j->n, j->bytes, "data");
    if (status == UPSWEEP_OK) {
        (void)usw_form_for(u, USW_REDUCES, o->algorithm, &status);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_refuse(u, j->data, "data", "reduce_by");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_refuse(u, result, "result", "reduce_by");
    }
    if (status == UPSWEEP_OK && (j->combine == NULL || result == NULL)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "combine or result is NULL");
    }
    if (status != UPSWEEP_OK || j->n == 0) {
        return status;
    }
    size_t tiles = usw_div_up(j->n, USW_TILE);
    USW_SHARE_CALL(u, j->n, USW_LIKE_CALLING, j->bytes);
    j->identity = result;
    j->partials = usw_scratch(u, tiles * j->bytes);
    if (j->partials == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu partial results of %zu bytes",
                        tiles, j->bytes);
    }
    usw_parallel(u, tiles, by_task, j);
    for (size_t t = 1; t < tiles; t++) {
        j->combine(j->partials, j->partials + t * j->bytes, j->context);
    }
    memcpy(result, j->partials, j->bytes);
    usw_report_tiles(u, usw_row_name(USW_REDUCES, NULL), j->n);
    return UPSWEEP_OK;
}

upsweep_status upsweep_reduce_by(upsweep *u, const void *data, size_t n, size_t bytes,
                                 upsweep_combine combine, void *context, void *result,
                                 const upsweep_options *options)
{
    usw_options o;
    by_job j = {.data = data, .n = n, .bytes = bytes, .combine = combine, .context = context};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, reduce_by(u, &o, &j, result));
}

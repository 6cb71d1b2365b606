/* bucketing.c - checks a caller's bucketing and prepares it: digits, equal widths, edges. */
/* SPDX-License-Identifier: MIT */
#include "calls/bucketing.h"
#include "calls/on_gpu/on_gpu.h"

#include <float.h>
#include <math.h>

#include "core/half.h"
#include "core/structs.h"

enum { BUCKETS_MAX = 1 << 24, DIGIT_BITS_MAX = 16 };

static upsweep_status wrong(upsweep *u, const char *what)
{
    return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "bucketing: %s", what);
}

static double to_double(upsweep_type type, uint64_t raw)
{
    unsigned gone = 64 - 8 * (unsigned)upsweep_type_bytes(type);
    float f;
    double d;
    uint32_t low = (uint32_t)raw;
    switch (type) {
    case UPSWEEP_F16: return (double)usw_widen_f16((uint16_t)raw);
    case UPSWEEP_BF16: return (double)usw_widen_bf16((uint16_t)raw);
    case UPSWEEP_F32: memcpy(&f, &low, sizeof f); return (double)f;
    case UPSWEEP_F64: memcpy(&d, &raw, sizeof d); return d;
    default: break;
    }
    return usw_type_is_signed(type) ? (double)((int64_t)(raw << gone) >> gone) : (double)raw;
}

static upsweep_status make_digit(upsweep *u, const upsweep_bucketing *wish, usw_buckets *b)
{
    if (wish->bits < 1 || wish->bits > DIGIT_BITS_MAX || wish->bit > b->map.bits ||
        wish->bits > b->map.bits - wish->bit) {
        return wrong(u, "a digit has 1 to 16 bits, all of them in the key");
    }
    if (wish->count != (size_t)1 << wish->bits) {
        return wrong(u, "count is not 2^bits");
    }
    b->shift = wish->bit;
    b->mask = (UINT32_C(1) << wish->bits) - 1;
    return UPSWEEP_OK;
}

/* The range from one key to another, both raw. */
static void set_range(usw_buckets *b, uint64_t low, uint64_t high)
{
    b->low = to_double(b->type, low);
    b->high = to_double(b->type, high);
    b->first = usw_map_key(&b->map, low);
    b->last = usw_map_key(&b->map, high);
}

/* The range of the keys, NaN aside; *any is false when there is no key but NaN. */
static upsweep_status range_of_keys(upsweep *u, const void *keys, size_t n, usw_buckets *b,
                                    bool *any)
{
    const usw_reduce_form *form = usw_standard_form(u, USW_REDUCES);
    usw_keymap maps[2] = {usw_keymap_of(b->type, 0), usw_keymap_of(b->type, UPSWEEP_DESCENDING)};
    uint64_t found[2];
    *any = false;
    if (n == 0) {
        return UPSWEEP_OK;
    }
    upsweep_status status;
    if (!usw_gpu_range(u, keys, n, maps, found, &status)) {
        status = form->least(u, keys, n, maps, 2, found, NULL);
    }
    if (status == UPSWEEP_OK) {
        set_range(b, usw_unmap_key(&maps[0], found[0]), usw_unmap_key(&maps[1], found[1]));
        *any = b->low == b->low;
        if (*any && (isinf(b->low) || isinf(b->high))) {
            status =
                usw_fail(u, UPSWEEP_ERROR_RANGE,
                         "the keys reach to infinity: buckets of equal width need low and high");
        }
    }
    return status;
}

/* Half the width of the buckets of equal keys: a unit's, or where keys are so great that a unit is
 * little or nothing to them, some part of them. */
static double half_width(double key)
{
    double size = fabs(key);
    return size < 0x1p49 ? 0.5 : size * 0x1p-20;
}

static upsweep_status make_width(upsweep *u, const void *keys, size_t n,
                                 const upsweep_bucketing *wish, usw_buckets *b)
{
    bool any = true;
    if ((wish->low == NULL) != (wish->high == NULL)) {
        return wrong(u, "low and high go together, or neither");
    }
    if (wish->low != NULL) {
        set_range(b, usw_load_raw(wish->low, b->key_bytes), usw_load_raw(wish->high, b->key_bytes));
    } else {
        upsweep_status status = range_of_keys(u, keys, n, b, &any);
        if (status != UPSWEEP_OK) {
            return status;
        }
    }
    if (!any) {
        b->low = 0;
        b->high = 1; /* as good as any: there is nothing to count */
    }
    bool falls = b->map.neg == 0 ? b->first > b->last : b->low > b->high; /* integers: exactly */
    if (!isfinite(b->low) || !isfinite(b->high) || falls) {
        return wrong(u, "low and high are finite and low is not above high");
    }
    if (b->low == b->high) {
        double half = half_width(b->low);
        b->low = fmax(b->low - half, -DBL_MAX);
        b->high = fmin(b->high + half, DBL_MAX);
    }
    b->step = (b->high - b->low) / (double)b->count;
    b->scale = (double)b->count / (b->high - b->low);
    if (!isfinite(b->step) || !isfinite(b->scale)) {
        return wrong(u, "high - low is too large or too small for f64");
    }
    return UPSWEEP_OK;
}

static upsweep_status make_edges(upsweep *u, const upsweep_bucketing *wish, usw_buckets *b)
{
    uint64_t sign = UINT64_C(1) << (b->map.bits - 1);
    if (wish->edges == NULL) {
        return wrong(u, "edges is NULL");
    }
    b->edges = usw_scratch(u, ((size_t)b->count + 1) * sizeof *b->edges);
    if (b->edges == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %u edges", b->count + 1);
    }
    for (size_t i = 0; i <= b->count; i++) {
        uint64_t raw =
            usw_load_raw((const unsigned char *)wish->edges + i * b->key_bytes, b->key_bytes);
        double value = to_double(b->type, raw);
        raw = b->map.neg != 0 && raw == sign ? 0 : raw;
        b->edges[i] = usw_map_key(&b->map, raw);
        if (value != value || (i > 0 && b->edges[i] < b->edges[i - 1])) {
            return wrong(u, "edges do not ascend, or one is NaN");
        }
    }
    return UPSWEEP_OK;
}

upsweep_status usw_buckets_make(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                const upsweep_bucketing *wish, usw_buckets *b)
{
    upsweep_bucketing at_home; /* a copy, since the host reads the bounds */
    const char *size_wrong =
        wish == NULL ? "it is NULL"
                     : usw_take_struct(&at_home, sizeof at_home, wish, USW_BUCKETING_FIRST);
    if (size_wrong != NULL) {
        return wrong(u, size_wrong);
    }
    wish = &at_home;
    if (wish->count < 1 || wish->count > BUCKETS_MAX) {
        return wrong(u, "there are 1 to 2^24 buckets");
    }
    *b = (usw_buckets){.kind = wish->kind,
                       .type = type,
                       .key_bytes = upsweep_type_bytes(type),
                       .count = (uint32_t)wish->count,
                       .map = usw_keymap_of(type, 0)};
    size_t edges = wish->kind == UPSWEEP_BUCKET_EDGES ? wish->count + 1 : 0;
    bool finds_range = wish->kind == UPSWEEP_BUCKET_WIDTH && wish->low == NULL;
    upsweep_status status = UPSWEEP_OK;
    if (edges > 0 || finds_range) {
        status = usw_gpu_host_reads(u, edges > 0 ? "bucket edges" : "the range of the keys");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_bring_home(u, &at_home.low, b->key_bytes, "the bounds of buckets");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_bring_home(u, &at_home.high, b->key_bytes, "the bounds of buckets");
    }
    if (status == UPSWEEP_OK && edges > 0) {
        status =
            usw_gpu_bring_home(u, &at_home.edges, edges * b->key_bytes, "the bounds of buckets");
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    switch (wish->kind) {
    case UPSWEEP_BUCKET_DIGIT: return make_digit(u, wish, b);
    case UPSWEEP_BUCKET_WIDTH: return make_width(u, keys, n, wish, b);
    case UPSWEEP_BUCKET_EDGES: return make_edges(u, wish, b);
    }
    return wrong(u, "no such kind");
}

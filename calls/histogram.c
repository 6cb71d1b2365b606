/* histogram.c - upsweep_histogram, upsweep_split_keys, upsweep_split_ids.
 *
 * Threads take equal stretches of the keys. Each counts its own buckets; a split then scans the
 * counts bucket by bucket, stretch by stretch, so that every stretch knows where each of its
 * elements goes: stable, and no two threads write to the same place. Bucket numbers are made twice
 * rather than kept. */
/* SPDX-License-Identifier: MIT */
#include "calls/bucketing.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/order.h"

enum {
    STRETCH_MIN = 16 * USW_TILE,
    FOUR_TABLES_MAX = 1024,
    DIGITS_MAX = 256,    /* buckets; so many digits are counted as they are read */
    DIGIT_KEYS = 1 << 30 /* at a time */
};

typedef struct job {
    const usw_buckets *b;
    const usw_histogram_steps *steps;
    usw_isa isa;
    const unsigned char *keys; /* or bucket numbers */
    const unsigned char *in;
    unsigned char *out;
    size_t n, bytes, stretches, stretch; /* elements of a stretch, the last may be short */
    size_t stride;                       /* counters of one table: a bucket each, and none */
    unsigned copies;  /* tables of a stretch: neighbours that are equal count in different ones */
    uint64_t *tables; /* [stretch][copy][counter] */
} job;

static bool is_small_digit(const usw_buckets *b)
{
    return b->kind == UPSWEEP_BUCKET_DIGIT && b->count <= DIGITS_MAX;
}

static upsweep_status take_tables(upsweep *u, job *j)
{
    size_t total;
    j->steps = USW_PICK(u->isa, usw_histogram_steps_cpu);
    j->isa = u->isa;
    j->stretches = usw_max(1, usw_min(u->threads, j->n / STRETCH_MIN));
    j->stretch = usw_div_up(usw_div_up(j->n, j->stretches), USW_TILE) * USW_TILE;
    j->stride = (size_t)j->b->count + 1;
    j->copies = j->stride <= FOUR_TABLES_MAX && !is_small_digit(j->b) ? 4 : 1;
    if (usw_mul_overflows(j->stretches * j->copies * sizeof(uint64_t), j->stride, &total) ||
        (j->tables = usw_scratch(u, total)) == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu tables of %zu counters",
                        j->stretches * j->copies, j->stride);
    }
    return UPSWEEP_OK;
}

/* Counts keys [i, end) by digits that are counted as they are read. The count is scalar, and the
 * few sums around it take longer by vectors of 512 bits: some microseconds after the last of these
 * an Intel processor works at a third of its rate for the next half. */
static void count_digits(const job *j, size_t begin, size_t end, uint64_t *table)
{
    USW_ROUTE("digits are counted as they are read");
    usw_isa isa = j->isa == USW_PORTABLE ? USW_PORTABLE : USW_AVX2;
    const usw_histogram_steps *steps = USW_PICK(isa, usw_histogram_steps_cpu);
    if (begin >= end) {
        memset(table, 0, j->b->count * sizeof *table);
    }
    for (size_t i = begin; i < end; i += DIGIT_KEYS) {
        steps->count_digits[usw_log2_up(j->b->key_bytes)](
            j->b, j->keys + i * j->b->key_bytes, usw_min(end - i, DIGIT_KEYS), i > begin, table);
    }
}

/* Leaves the sum of the stretch's tables in the first one. */
static void count_task(void *context, size_t s, unsigned thread)
{
    const job *j = context;
    uint64_t *table = j->tables + s * j->copies * j->stride;
    size_t end = usw_min(j->n, (s + 1) * j->stretch);
    (void)thread;
    memset(table, 0, j->copies * j->stride * sizeof *table); /* none is outside, of digits */
    if (is_small_digit(j->b)) {
        count_digits(j, s * j->stretch, end, table);
        return;
    }
    USW_ROUTE_IF(j->copies == 4, "counted in four tables", USW_ALL_TYPES);
    USW_ROUTE_IF(j->copies == 1, "counted in one table", USW_ALL_TYPES);
    for (size_t i = s * j->stretch; i < end; i += USW_TILE) {
        uint32_t ids[USW_TILE];
        size_t n = usw_min(USW_TILE, end - i);
        j->steps->ids(j->b, j->keys + i * j->b->key_bytes, n, ids);
        j->steps->count(ids, n, table, j->stride, j->copies);
    }
    for (unsigned copy = 1; copy < j->copies; copy++) {
        for (size_t b = 0; b < j->stride; b++) {
            table[b] += table[copy * j->stride + b];
        }
    }
}

static void scatter_task(void *context, size_t s, unsigned thread)
{
    USW_ROUTE("split into buckets");
    const job *j = context;
    uint64_t *cursor = j->tables + s * j->copies * j->stride;
    size_t end = usw_min(j->n, (s + 1) * j->stretch);
    (void)thread;
    for (size_t i = s * j->stretch; i < end; i += USW_TILE) {
        uint32_t ids[USW_TILE];
        size_t n = usw_min(USW_TILE, end - i);
        j->steps->ids(j->b, j->keys + i * j->b->key_bytes, n, ids);
        j->steps->scatter(ids, n, j->in + i * j->bytes, j->out, j->bytes, cursor);
    }
}

static upsweep_status histogram(upsweep *u, const usw_options *o, const void *keys, size_t n,
                                upsweep_type type, const upsweep_bucketing *wish, uint64_t *counts)
{
    usw_buckets b;
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, keys, n, upsweep_type_bytes(type), "keys");
    }
    if (status == UPSWEEP_OK) {
        status = usw_no_choice(u, o);
    }
    if (status == UPSWEEP_OK && counts == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "counts is NULL");
    }
    if (status == UPSWEEP_OK) {
        status = usw_buckets_make(u, keys, n, type, wish, &b);
    }
    if (status != UPSWEEP_OK ||
        (usw_may_leave(u) && usw_gpu_histogram(u, &b, keys, n, counts, &status))) {
        return status;
    }
    job j = {.b = &b, .keys = keys, .n = n};
    USW_SHARE_CALL(u, n * b.key_bytes, USW_LIKE_SCANNING, type);
    if (is_small_digit(&b) && (u->threads == 1 || n < 2 * STRETCH_MIN)) {
        j.isa = u->isa;
        count_digits(&j, 0, n, counts);
        return UPSWEEP_OK;
    }
    status = take_tables(u, &j);
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_parallel(u, j.stretches, count_task, &j);
    for (size_t k = 0; k < b.count; k++) {
        counts[k] = 0;
        for (size_t s = 0; s < j.stretches; s++) {
            counts[k] += j.tables[s * j.copies * j.stride + k];
        }
    }
    return UPSWEEP_OK;
}

upsweep_status upsweep_histogram(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                 const upsweep_bucketing *buckets, uint64_t *counts,
                                 const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status
                                : usw_leave(u, histogram(u, &o, keys, n, type, buckets, counts));
}

/* ---- splits ---- */

/* Turns counts into the places of each stretch's first element of each bucket. */
static upsweep_status scan_counts(upsweep *u, const job *j, uint64_t *offsets)
{
    uint64_t place = 0, outside = 0;
    for (size_t s = 0; s < j->stretches; s++) {
        outside += j->tables[s * j->copies * j->stride + j->b->count];
    }
    if (outside != 0) {
        return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_NO_BUCKET, j->b->count);
    }
    for (size_t k = 0; k < j->b->count; k++) {
        if (offsets != NULL) {
            offsets[k] = place;
        }
        for (size_t s = 0; s < j->stretches; s++) {
            uint64_t *counter = &j->tables[s * j->copies * j->stride + k], here = *counter;
            *counter = place;
            place += here;
        }
    }
    if (offsets != NULL) {
        offsets[j->b->count] = place;
    }
    return UPSWEEP_OK;
}

static upsweep_status split(upsweep *u, job *j, uint64_t *offsets)
{
    USW_SHARE_CALL(u, j->n * j->bytes, USW_LIKE_GATHERING, j->bytes);
    upsweep_status status = take_tables(u, j);
    if (status == UPSWEEP_OK) {
        usw_parallel(u, j->stretches, count_task, j);
        status = scan_counts(u, j, offsets);
    }
    if (status == UPSWEEP_OK) {
        usw_parallel(u, j->stretches, scatter_task, j);
    }
    return status;
}

static upsweep_status check_split(upsweep *u, const usw_options *o, const void *in, const void *out,
                                  size_t n, size_t bytes)
{
    upsweep_status status = usw_check_array(u, in, n, bytes, "the input");
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, out, n, bytes, "out");
    }
    if (status == UPSWEEP_OK && n > 0 && in == out) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a split needs two arrays: out is the input");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

static upsweep_status split_keys(upsweep *u, const usw_options *o, const void *keys, void *out,
                                 size_t n, upsweep_type type, const upsweep_bucketing *wish,
                                 uint64_t *offsets)
{
    usw_buckets b;
    size_t bytes = upsweep_type_bytes(type);
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = check_split(u, o, keys, out, n, bytes);
    }
    if (status == UPSWEEP_OK) {
        status = usw_buckets_make(u, keys, n, type, wish, &b);
    }
    if (status != UPSWEEP_OK ||
        usw_gpu_split_many(u, &b, keys, NULL, out, n, bytes, offsets, &status)) {
        return status;
    }
    job j = {.b = &b, .keys = keys, .in = keys, .out = out, .n = n, .bytes = bytes};
    return split(u, &j, offsets);
}

upsweep_status upsweep_split_keys(upsweep *u, const void *keys, void *out, size_t n,
                                  upsweep_type type, const upsweep_bucketing *buckets,
                                  uint64_t *offsets, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNSTABLE, &o);
    return status != UPSWEEP_OK
               ? status
               : usw_leave(u, split_keys(u, &o, keys, out, n, type, buckets, offsets));
}

static upsweep_status split_ids(upsweep *u, const usw_options *o, const void *ids,
                                upsweep_type id_type, size_t count, job *j, uint64_t *offsets)
{
    USW_ROUTE_OF("split by given numbers", USW_NO_TYPES);
    upsweep_status status = check_split(u, o, j->in, j->out, j->n, j->bytes);
    if (status == UPSWEEP_OK && id_type != UPSWEEP_U8 && id_type != UPSWEEP_U16 &&
        id_type != UPSWEEP_U32) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "ids are of type u8, u16 or u32");
    }
    if (status == UPSWEEP_OK && ids == NULL && j->n > 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "ids is NULL, but n is %zu", j->n);
    }
    if (status == UPSWEEP_OK && count >= UINT32_MAX) {
        status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "there are fewer than 2^32 - 1 buckets");
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_buckets b = {.count = (uint32_t)count, .key_bytes = upsweep_type_bytes(id_type)};
    if (usw_gpu_split_many(u, &b, j->in, ids, j->out, j->n, j->bytes, offsets, &status)) {
        return status;
    }
    job whole = *j;
    whole.b = &b;
    whole.keys = ids;
    return split(u, &whole, offsets);
}

upsweep_status upsweep_split_ids(upsweep *u, const void *in, const void *ids, upsweep_type id_type,
                                 size_t count, void *out, size_t n, size_t bytes, uint64_t *offsets,
                                 const upsweep_options *options)
{
    usw_options o;
    job j = {.in = in, .out = out, .n = n, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNSTABLE, &o);
    return status != UPSWEEP_OK ? status
                                : usw_leave(u, split_ids(u, &o, ids, id_type, count, &j, offsets));
}

/* ops.c - runs the operation of a cell and checks what comes out, by plain loops. */
/* SPDX-License-Identifier: MIT */
#include "bench/ops.h"

#include <stdlib.h>
#include <string.h>

static const char *const old_ops[] = {"keys", "stable", "pairs", "argsort", "reduce", "scan"};
static const char *const more_ops[] = {"merge", "nth",     "top100", "top1%",   "unique",   "runs",
                                       "by",    "records", "split",  "compact", "histogram"};
enum more { MERGE, NTH, TOP100, TOP1, UNIQUE, RUNS, BY, RECORDS, SPLIT, COMPACT, HISTOGRAM, NONE };

static enum more more_of(const cell *c)
{
    enum more m = 0;
    while (m < NONE && strcmp(c->op, more_ops[m]) != 0) {
        m++;
    }
    return m;
}

static int is(const cell *c, int old)
{
    return strcmp(c->op, old_ops[old]) == 0;
}

/* ---- orders ---- */

#define COMPARE(name, type)                                                                        \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        type x = *(const type *)a, y = *(const type *)b;                                           \
        return (x > y) - (x < y);                                                                  \
    }
COMPARE(by_u32, uint32_t)
COMPARE(by_u64, uint64_t)
COMPARE(by_i32, int32_t)
COMPARE(by_i64, int64_t)
COMPARE(by_f32, float)
COMPARE(by_f64, double)
COMPARE(by_f16, uint16_t) /* none is below 0 */
static int (*const orders[BENCH_TYPES])(const void *, const void *) = {
    by_u32, by_u64, by_i32, by_i64, by_f32, by_f64, by_f16};

static int order(const cell *c, const void *array, size_t i, size_t j)
{
    size_t bytes = type_bytes[c->type];
    return orders[c->type]((const char *)array + i * bytes, (const char *)array + j * bytes);
}

static uint64_t mixed(const void *at, size_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, at, bytes);
    v = (v ^ (v >> 31)) * UINT64_C(0x7fb5d329728ea185);
    return v ^ (v >> 27);
}

/* Order-independent: the sum of a mix of every element's bits. */
static uint64_t checksum(const void *at, size_t n, size_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += mixed((const char *)at + i * bytes, bytes);
    }
    return sum;
}

static int same_sorted(const cell *c, const void *in, const void *out)
{
    for (size_t i = 0; i + 1 < c->n; i++) {
        if (order(c, out, i + 1, i) < 0) {
            return 0;
        }
    }
    size_t bytes = type_bytes[c->type];
    return checksum(in, c->n, bytes) == checksum(out, c->n, bytes);
}

/* ---- running ---- */

int prepare_more(const cell *c, buffers *b, size_t total)
{
    enum more m = more_of(c);
    if (m == NONE) {
        return 1;
    }
    if (total > b->more) {
        free(b->counts), free(b->flags), free(b->records);
        b->counts = malloc((total + 256) * sizeof *b->counts);
        b->flags = malloc(total);
        b->records = malloc(total * sizeof *b->records);
        b->more = total;
        if (b->counts == NULL || b->flags == NULL || b->records == NULL) {
            return 0;
        }
        memset(b->counts, 0, (total + 256) * sizeof *b->counts);
        for (size_t i = 0; i < total; i++) {
            b->flags[i] = (uint8_t)(random_u64() >> 63);
        }
    }
    for (size_t i = 0; m == RECORDS && i < total; i++) {
        uint64_t key = 0;
        memcpy(&key, (char *)b->input + i * type_bytes[c->type], type_bytes[c->type]);
        b->records[i] = (bench_record){key, i};
    }
    return 1;
}

static bench_call call_of(const cell *c, const buffers *b, size_t k)
{
    size_t offset = k * c->n * type_bytes[c->type];
    size_t top = strcmp(c->op, "top100") == 0 ? 100 : c->n / 100;
    return (bench_call){.type = c->type,
                        .n = c->n,
                        .k = more_of(c) == NTH ? c->n / 2
                             : top < 1         ? 1
                             : top > c->n      ? c->n
                                               : top,
                        .threads = c->threads,
                        .in = (char *)b->input + offset,
                        .work = (char *)b->work + offset,
                        .out = (char *)b->values + offset,
                        .counts = b->counts + k * c->n,
                        .flags = b->flags + k * c->n,
                        .compare = orders[c->type],
                        .records = b->records + k * c->n};
}

static int run_more(const cell *c, buffers *b, size_t k)
{
    int (*const calls[])(bench_call *) = {
        rival.merge, rival.nth,     rival.top,   rival.top,     rival.unique,   rival.runs,
        rival.by,    rival.records, rival.split, rival.compact, rival.histogram};
    enum more m = more_of(c);
    bench_call call = call_of(c, b, k);
    if (m == NONE || calls[m] == NULL || calls[m](&call) != 0) {
        return 1;
    }
    b->result = call.result;
    return 0;
}

int run_one(const cell *c, buffers *b, size_t k)
{
    size_t offset = k * c->n * type_bytes[c->type];
    char *in = (char *)b->input + offset, *work = (char *)b->work + offset;
    char *values = (char *)b->values + offset;
    uint32_t *index = b->index + k * c->n;
    if (is(c, 0)) {
        return rival.keys == NULL || rival.keys(c->type, work, c->n, c->threads);
    }
    if (is(c, 1)) {
        return rival.stable == NULL || rival.stable(c->type, work, c->n, c->threads);
    }
    if (is(c, 2)) {
        return rival.pairs == NULL || rival.pairs(c->type, work, values, c->n, c->threads);
    }
    if (is(c, 3)) {
        return rival.argsort == NULL || rival.argsort(c->type, in, index, c->n, c->threads);
    }
    if (is(c, 4)) {
        return rival.reduce == NULL || rival.reduce(c->type, in, c->n, c->threads);
    }
    if (is(c, 5)) {
        return rival.scan == NULL || rival.scan(c->type, in, work, c->n, c->threads);
    }
    return run_more(c, b, k);
}

/* ---- checking ---- */

static int right_sort(const cell *c, const buffers *b, size_t k)
{
    size_t bytes = type_bytes[c->type], offset = k * c->n * bytes;
    const char *in = (char *)b->input + offset, *work = (char *)b->work + offset;
    const uint32_t *index = b->index + k * c->n;
    if (is(c, 3)) {
        for (size_t i = 0; i + 1 < c->n; i++) {
            if (order(c, in, index[i + 1], index[i]) < 0) {
                return 0;
            }
        }
        return 1;
    }
    /* Values still belong to their keys: they start as copies of them. */
    return same_sorted(c, in, work) &&
           (!is(c, 2) || memcmp(work, (char *)b->values + offset, c->n * bytes) == 0);
}

static int right_selection(const cell *c, const bench_call *r, enum more m)
{
    size_t bytes = type_bytes[c->type], below = 0, ties = 0;
    const char *array = m == NTH ? r->work : r->in;
    const char *limit = m == NTH ? array + r->k * bytes : (char *)r->out + (r->k - 1) * bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        int less = orders[c->type](array + i * bytes, limit);
        below += less < 0;
        ties += less == 0;
        sum += less < 0 ? mixed(array + i * bytes, bytes) : 0;
        if (m == NTH && ((i < r->k && less > 0) || (i > r->k && less < 0))) {
            return 0;
        }
    }
    if (m == NTH) {
        return checksum(r->in, c->n, bytes) == checksum(array, c->n, bytes);
    }
    for (size_t i = 0; i + 1 < r->k; i++) {
        if (order(c, r->out, i + 1, i) < 0) {
            return 0;
        }
    }
    sum += (r->k - below) * mixed(limit, bytes);
    return below < r->k && below + ties >= r->k && sum == checksum(r->out, r->k, bytes);
}

static int right_runs(const cell *c, const bench_call *r, enum more m, size_t result)
{
    size_t bytes = type_bytes[c->type], at = 0;
    const char *in = r->in, *out = m == UNIQUE ? r->work : r->out;
    for (size_t i = 0, length; i < c->n; i += length, at++) {
        for (length = 1; i + length < c->n && order(c, in, i, i + length) == 0; length++) {
        }
        if (memcmp(in + i * bytes, out + at * bytes, bytes) != 0 ||
            (m == RUNS && r->counts[at] != length)) {
            return 0;
        }
    }
    return at == result || result == 0; /* 0: not the last of a batch */
}

static int right_split(const cell *c, const bench_call *r, enum more m)
{
    size_t bytes = type_bytes[c->type], at = 0;
    for (int side = m == SPLIT ? 0 : 1; side < 2; side++) {
        for (size_t i = 0; i < c->n; i++) {
            if (r->flags[i] == side &&
                memcmp((char *)r->in + i * bytes, (char *)r->out + at++ * bytes, bytes) != 0) {
                return 0;
            }
        }
    }
    return 1;
}

static int right_records(const cell *c, const bench_call *r)
{
    uint64_t sum = 0;
    size_t bytes = type_bytes[c->type];
    for (size_t i = 0; i < c->n; i++) {
        if (i > 0 && r->records[i].key < r->records[i - 1].key) {
            return 0;
        }
        sum += mixed(&r->records[i].key, sizeof r->records[i].key);
    }
    return bytes != sizeof r->records[0].key || sum == checksum(r->in, c->n, bytes);
}

/* Of the key as the library orders it: floats below zero have all bits flipped, and all are moved
 * on so that NaNs of their sign come last, too: by 1 less a power of two that a byte does not see.
 */
static unsigned char low_digit(const cell *c, const void *array, size_t i)
{
    size_t bytes = type_bytes[c->type];
    const unsigned char *key = (const unsigned char *)array + i * bytes; /* little-endian */
    unsigned char flip = key[bytes - 1] & 0x80 ? 0xff : 0;
    return c->type < BENCH_F32 ? key[0] : (unsigned char)((key[0] ^ flip) + 1);
}

static int right_histogram(const cell *c, const bench_call *r)
{
    uint64_t counts[256] = {0};
    for (size_t i = 0; i < c->n; i++) {
        counts[low_digit(c, r->in, i)]++;
    }
    return memcmp(counts, r->counts, sizeof counts) == 0;
}

int right(const cell *c, const buffers *b)
{
    enum more m = more_of(c);
    for (size_t k = 0; k < c->batch; k++) {
        int good = 1;
        if (m == NONE) {
            good = is(c, 4) || is(c, 5) || right_sort(c, b, k);
        } else {
            bench_call r = call_of(c, b, k);
            size_t result = k + 1 == c->batch ? b->result : 0;
            good = m == MERGE                             ? same_sorted(c, r.in, r.out)
                   : m == NTH || m == TOP100 || m == TOP1 ? right_selection(c, &r, m)
                   : m == UNIQUE || m == RUNS             ? right_runs(c, &r, m, result)
                   : m == BY                              ? same_sorted(c, r.in, r.work)
                   : m == RECORDS                         ? right_records(c, &r)
                   : m == HISTOGRAM ? k + 1 < c->batch || right_histogram(c, &r)
                                    : right_split(c, &r, m);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

/* upsweep itself, through its public call. */
/* SPDX-License-Identifier: MIT */
#include "bench/rival.h"
#include "upsweep.h"

static upsweep *handle;
static const upsweep_type types[BENCH_TYPES] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_I32, UPSWEEP_I64,
                                                UPSWEEP_F32, UPSWEEP_F64, UPSWEEP_F16};

static int open_handle(unsigned threads)
{
    upsweep_config config = {.size = sizeof config, .threads = threads};
    upsweep_close(handle);
    return upsweep_open(&handle, "cpu", &config) != UPSWEEP_OK;
}

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    (void)threads;
    return upsweep_sort(handle, k, n, types[type], NULL) != UPSWEEP_OK;
}

/* Stable only means something for keys that are equal but differ: a sort by radix shows its
 * cost. */
static int stable(enum bench_type type, void *k, size_t n, unsigned threads)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.algorithm = "sort/radix";
    (void)threads;
    return upsweep_sort(handle, k, n, types[type], &o) != UPSWEEP_OK;
}

static int pairs(enum bench_type type, void *k, void *v, size_t n, unsigned threads)
{
    (void)threads;
    return upsweep_sort_pairs(handle, k, v, n, types[type], upsweep_type_bytes(types[type]),
                              NULL) != UPSWEEP_OK;
}

static int argsort(enum bench_type type, const void *k, uint32_t *index, size_t n, unsigned threads)
{
    (void)threads;
    return upsweep_argsort(handle, k, n, types[type], index, 32, NULL) != UPSWEEP_OK;
}

static int reduce(enum bench_type type, const void *k, size_t n, unsigned threads)
{
    uint64_t result;
    (void)threads;
    return upsweep_reduce(handle, k, n, types[type], UPSWEEP_SUM, &result, NULL) != UPSWEEP_OK;
}

static int scan(enum bench_type type, const void *in, void *out, size_t n, unsigned threads)
{
    (void)threads;
    return upsweep_scan(handle, in, out, n, types[type], UPSWEEP_SUM, NULL) != UPSWEEP_OK;
}

static int merge(bench_call *c)
{
    size_t half = c->n / 2, bytes = upsweep_type_bytes(types[c->type]);
    return upsweep_merge(handle, c->in, half, (const char *)c->in + half * bytes, c->n - half,
                         c->out, types[c->type], NULL) != UPSWEEP_OK;
}

static int nth(bench_call *c)
{
    return upsweep_nth_element(handle, c->work, c->n, c->k, types[c->type], NULL) != UPSWEEP_OK;
}

static int top(bench_call *c)
{
    return upsweep_top_k(handle, c->in, c->n, c->k, types[c->type], c->out, NULL, NULL) !=
           UPSWEEP_OK;
}

static int unique(bench_call *c)
{
    return upsweep_unique(handle, c->work, c->n, types[c->type], &c->result, NULL) != UPSWEEP_OK;
}

static int runs(bench_call *c)
{
    return upsweep_run_lengths(handle, c->in, c->n, types[c->type], c->out, c->counts, &c->result,
                               NULL) != UPSWEEP_OK;
}

static int by_call(const void *a, const void *b, void *context)
{
    return ((const bench_call *)context)->compare(a, b);
}

static int by(bench_call *c)
{
    return upsweep_sort_by(handle, c->work, c->n, upsweep_type_bytes(types[c->type]), by_call, c,
                           NULL) != UPSWEEP_OK;
}

static int records(bench_call *c)
{
    upsweep_field key = {.offset = offsetof(bench_record, key), .type = UPSWEEP_U64};
    return upsweep_sort_records(handle, c->records, c->n, sizeof *c->records, &key, 1, NULL) !=
           UPSWEEP_OK;
}

static int split(bench_call *c)
{
    return upsweep_split(handle, c->in, c->flags, c->out, c->n, upsweep_type_bytes(types[c->type]),
                         NULL, NULL) != UPSWEEP_OK;
}

static int compact(bench_call *c)
{
    return upsweep_compact(handle, c->in, c->flags, c->out, c->n,
                           upsweep_type_bytes(types[c->type]), &c->result, NULL) != UPSWEEP_OK;
}

static int histogram(bench_call *c)
{
    upsweep_bucketing low_byte = {
        .size = sizeof low_byte, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 8, .count = 256};
    return upsweep_histogram(handle, c->in, c->n, types[c->type], &low_byte, c->counts, NULL) !=
           UPSWEEP_OK;
}

const bench_rival rival = {"upsweep", open_handle, keys,    stable, pairs,   argsort,
                           reduce,    scan,        merge,   nth,    top,     unique,
                           runs,      by,          records, split,  compact, histogram};

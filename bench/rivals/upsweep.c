/* upsweep itself, through its public call. */
#include "../rival.h"
#include "upsweep.h"

static upsweep *handle;
static const upsweep_type types[BENCH_TYPES] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_I32,
                                                UPSWEEP_I64, UPSWEEP_F32, UPSWEEP_F64};

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

const bench_rival rival = {"upsweep", open_handle, keys, stable, pairs, argsort, reduce, scan};

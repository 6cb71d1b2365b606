/* test_ranks.c - the calls over ranks, each rank a thread: all types and patterns, 1 to 16 ranks,
 * uneven stretches, samples too small to tell anything, and memory that runs out on one rank. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ranks/call.h"
#include "ranks/calls.h"
#include "test/ranks/checks.h"
#include "test/ranks/transport_threads.h"
#include "test/shared/device.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

#define CALL(name, parameters, arguments)                                                          \
    static upsweep_status threads_##name parameters                                                \
    {                                                                                              \
        return usw_ranks_##name arguments;                                                         \
    }
CALL(sort,
     (void *w, upsweep *u, const void *keys, size_t n, upsweep_type type,
      const upsweep_mpi_layout *layout, void *out, size_t *n_out, const upsweep_options *o),
     (w, u, keys, n, type, layout, out, n_out, o))
CALL(sort_pairs,
     (void *w, upsweep *u, const void *keys, const void *values, size_t n, upsweep_type type,
      size_t bytes, const upsweep_mpi_layout *layout, void *out, void *out_values, size_t *n_out,
      const upsweep_options *o),
     (w, u, keys, values, n, type, bytes, layout, out, out_values, n_out, o))
CALL(argsort,
     (void *w, upsweep *u, const void *keys, size_t n, upsweep_type type,
      const upsweep_mpi_layout *layout, uint64_t *index, size_t *n_out, const upsweep_options *o),
     (w, u, keys, n, type, layout, index, n_out, o))
CALL(sort_records,
     (void *w, upsweep *u, const void *records, size_t n, size_t bytes, const upsweep_field *fields,
      size_t count, const upsweep_mpi_layout *layout, void *out, size_t *n_out,
      const upsweep_options *o),
     (w, u, records, n, bytes, fields, count, layout, out, n_out, o))
CALL(top_k,
     (void *w, upsweep *u, const void *keys, size_t n, size_t k, upsweep_type type, void *out,
      uint64_t *index, const upsweep_options *o),
     (w, u, keys, n, k, type, out, index, o))
CALL(unique,
     (void *w, upsweep *u, void *keys, size_t n, upsweep_type type, size_t *kept,
      const upsweep_options *o),
     (w, u, keys, n, type, kept, o))
CALL(histogram,
     (void *w, upsweep *u, const void *keys, size_t n, upsweep_type type,
      const upsweep_bucketing *buckets, uint64_t *counts, const upsweep_options *o),
     (w, u, keys, n, type, buckets, counts, o))
CALL(reduce,
     (void *w, upsweep *u, const void *data, size_t n, upsweep_type type, upsweep_op op,
      void *result, const upsweep_options *o),
     (w, u, data, n, type, op, result, o))
CALL(scan,
     (void *w, upsweep *u, const void *in, void *out, size_t n, upsweep_type type, upsweep_op op,
      const upsweep_options *o),
     (w, u, in, out, n, type, op, o))

static rank_calls calls_of(usw_transport *t)
{
    return (rank_calls){t,
                        t->rank,
                        t->size,
                        threads_sort,
                        threads_sort_pairs,
                        threads_argsort,
                        threads_sort_records,
                        threads_top_k,
                        threads_unique,
                        threads_histogram,
                        threads_reduce,
                        threads_scan,
                        usw_ranks_error};
}

static upsweep *open_one(void)
{
    upsweep *u;
    upsweep_config config = {.size = sizeof config, .threads = 1};
    if (upsweep_open(&u, "cpu", &config) != UPSWEEP_OK) {
        abort();
    }
    return u;
}

static atomic_int faults;

static void cases(usw_transport *t, void *context)
{
    const unsigned *seed = context;
    upsweep *u = open_one();
    rank_calls r = calls_of(t);
    unsigned number = *seed;
    for (unsigned pattern = 0; pattern < INPUT_PATTERNS; pattern++) {
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++, number++) {
            uint64_t state = number;
            uint64_t x = input_random(&state);
            unsigned every = (t->size > 4 ? 3 : 1) * (getenv("UPSWEEP_TEST_SMALL") != NULL ? 4 : 1);
            if ((x >> 40) % every != 0) { /* threads that wait for one another take time */
                continue;
            }
            size_t sizes[4] = {1200, 700, (size_t)t->size / 2, (x >> 48) % 7 == 0 ? 9000 : 330};
            t->sample = (const uint64_t[]){0, 5, 64}[x % 3];
            faults += check_case(&r, u, pattern, (upsweep_type)type, sizes[x / 3 % 4],
                                 (int)(x / 12 % SPREADS), number);
        }
    }
    t->sample = 0;
    faults += check_refused(&r, u);
    upsweep_close(u);
}

static void same_for_any_number_of_ranks(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 7, 16};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned seed = (unsigned)(1000 * i + 1);
        run_ranks(sizes[i], cases, &seed);
        assert_int_equal(faults, 0);
    }
}

/* Enough elements that sums go up several levels, and samples are smaller than the whole. */
static void large(usw_transport *t, void *context)
{
    (void)context;
    upsweep *u = open_one();
    rank_calls r = calls_of(t);
    faults += check_case(&r, u, INPUT_UNIFORM, UPSWEEP_F64, 700001, SPREAD_RANDOM, 4);
    faults += check_case(&r, u, INPUT_FEW_VALUES, UPSWEEP_F32, 300001, SPREAD_LAST, 5);
    faults += check_case(&r, u, INPUT_ONE_FULL_BUCKET, UPSWEEP_U64, 200001, SPREAD_EVEN, 6);
    faults += check_case(&r, u, INPUT_SORTED, UPSWEEP_I32, 200001, SPREAD_HOLES, 7);
    upsweep_close(u);
}

/* Pairs enough for two threads of each rank, whose handle has them. */
static void by_threads(usw_transport *t, void *context)
{
    (void)context;
    enum { N = 300000 };
    upsweep *u = NULL;
    upsweep_config config = {.size = sizeof config, .threads = 2};
    uint32_t *keys = calloc(N, sizeof *keys), *values = calloc(N, sizeof *values);
    if (upsweep_open(&u, "cpu", &config) != UPSWEEP_OK || keys == NULL || values == NULL) {
        abort();
    }
    input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, N, (uint64_t)t->rank);
    upsweep_sort(u, values, N, UPSWEEP_U32, NULL); /* the first of its size is made by one thread */
    memcpy(values, keys, N * sizeof *keys);
    faults += usw_ranks_sort_pairs(t, u, keys, values, N, UPSWEEP_U32, sizeof *values, NULL, keys,
                                   values, NULL, NULL) != UPSWEEP_OK;
    for (size_t i = 0; i < N; i++) { /* that ranks follow one another is asked with one thread */
        faults += keys[i] != values[i] || (i > 0 && keys[i - 1] > keys[i]);
    }
    free(values);
    free(keys);
    upsweep_close(u);
}

static void large_arrays(void **state)
{
    (void)state;
    run_ranks(3, large, NULL);
    run_ranks(2, by_threads, NULL);
    assert_int_equal(faults, 0);
}

/* What a sort sends is what must leave its rank, and little beside it. */
static void counted(usw_transport *t, void *context)
{
    (void)context;
    enum { N = 100000 };
    upsweep *u = open_one();
    uint64_t *keys = calloc(N, sizeof *keys), leave = 0, said;
    input_fill(INPUT_UNIFORM, UPSWEEP_U64, keys, N, (uint64_t)t->rank);
    t->sent_bytes = t->reduced_bytes = 0;
    faults += usw_ranks_sort(t, u, keys, N, UPSWEEP_U64, NULL, keys, NULL, NULL) != UPSWEEP_OK;
    said = t->sent_bytes;
    /* Uniform keys: of this rank's, one in `size` stays. */
    leave = (uint64_t)N * 8 * (uint64_t)(t->size - 1) / (uint64_t)t->size;
    if (said > leave + leave / 50) {
        fprintf(stderr, "rank %d sent %llu bytes, of %llu\n", t->rank, (unsigned long long)said,
                (unsigned long long)leave);
        faults++;
    }
    free(keys);
    upsweep_close(u);
}

static void exchanged_once(void **state)
{
    (void)state;
    run_ranks(4, counted, NULL);
    assert_int_equal(faults, 0);
}

/* Allocation k fails on one rank: all have the status, then the same call succeeds. */
static atomic_int allocations_failed;
static void starve(usw_transport *t, void *context)
{
    const unsigned *what = context;
    upsweep *u = open_one();
    double keys[300], out[300];
    uint64_t index[300];
    upsweep_field field = {.offset = 0, .type = UPSWEEP_F64};
    input_fill(INPUT_UNIFORM, UPSWEEP_F64, keys, 300, (uint64_t)t->rank);
    t->sample = 16;
    for (uint64_t k = 1, fails = 1; fails; k++) {
        upsweep_status status = UPSWEEP_OK;
        t->allocations = 0;
        t->fail_allocation = t->rank == 1 ? k : 0;
        switch (*what) {
        case 0: status = usw_ranks_sort(t, u, keys, 300, UPSWEEP_F64, NULL, out, NULL, NULL); break;
        case 1:
            status = usw_ranks_argsort(t, u, keys, 300, UPSWEEP_F64, NULL, index, NULL, NULL);
            break;
        case 2:
            status = usw_ranks_scan(t, u, keys, out, 300, UPSWEEP_F64, UPSWEEP_SUM, NULL);
            break;
        case 3: status = usw_ranks_top_k(t, u, keys, 300, 50, UPSWEEP_F64, out, index, NULL); break;
        case 4:
            status = usw_ranks_sort_records(t, u, keys, 300, 8, &field, 1, NULL, out, NULL, NULL);
            break;
        default:
            status = usw_ranks_reduce(t, u, keys, 300, UPSWEEP_I64, UPSWEEP_SUM, index, NULL);
            break;
        }
        fails = status != UPSWEEP_OK;
        faults += fails && status != UPSWEEP_ERROR_MEMORY;
        faults += fails && strstr(usw_ranks_error(), "rank 1: ") != usw_ranks_error();
        allocations_failed += fails && t->rank == 0;
    }
    upsweep_close(u);
}

static void memory_runs_out_on_one_rank(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 6; what++) {
        run_ranks(3, starve, &what);
        assert_int_equal(faults, 0);
    }
    assert_true(allocations_failed > 50);
}

/* The library's own scratch runs out on one rank. */
static void small_handle(usw_transport *t, void *context)
{
    (void)context;
    enum { N = 200000 };
    upsweep *u;
    upsweep_config config = {
        .size = sizeof config, .threads = 1, .scratch_limit = t->rank == 1 ? 4096 : 0};
    upsweep_open(&u, "cpu", &config);
    uint64_t *keys = calloc(N, 8), *values = calloc(N, 8);
    upsweep_status status =
        usw_ranks_sort_pairs(t, u, keys, values, N, UPSWEEP_U64, 8, NULL, keys, values, NULL, NULL);
    input_fill(INPUT_UNIFORM, UPSWEEP_U64, keys, N, (uint64_t)t->rank);
    status =
        usw_ranks_sort_pairs(t, u, keys, values, N, UPSWEEP_U64, 8, NULL, keys, values, NULL, NULL);
    faults += status != UPSWEEP_ERROR_MEMORY;
    free(keys);
    free(values);
    upsweep_close(u);
}

static void scratch_runs_out_on_one_rank(void **state)
{
    (void)state;
    run_ranks(2, small_handle, NULL);
    assert_int_equal(faults, 0);
}

/* Arrays in device memory, on a handle of the GPU for each rank: they cross by the host's. */
enum { ON_DEVICE = 3000 };
static uint32_t *device_keys[2], *device_values[2];
static uint64_t *device_index[2];

static void on_device(usw_transport *t, void *context)
{
    (void)context;
    upsweep *u;
    uint32_t *keys = device_keys[t->rank], *values = device_values[t->rank];
    uint64_t *index = device_index[t->rank], sum = 0;
    if (upsweep_open(&u, "cuda", NULL) != UPSWEEP_OK) {
        faults++;
        return; /* on all ranks or on none */
    }
    usw_call c; /* emulated device memory is the host's as well: ask what is believed */
    usw_begin(&c, t, u, 0);
    faults += c.host || usw_end(&c) != UPSWEEP_OK;
    faults += usw_ranks_argsort(t, u, keys, ON_DEVICE, UPSWEEP_U32, NULL, index, NULL, NULL) != 0;
    faults += usw_ranks_reduce(t, u, keys, ON_DEVICE, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL) != 0;
    faults += sum != (uint64_t)t->size * ON_DEVICE * 500;
    faults += usw_ranks_sort_pairs(t, u, keys, values, ON_DEVICE, UPSWEEP_U32, 4, NULL, keys,
                                   values, NULL, NULL) != 0;
    faults += usw_ranks_sort(t, u, values, ON_DEVICE, UPSWEEP_U32, NULL, values, NULL, NULL) != 0;
    upsweep_close(u);
}

static void arrays_on_a_device(void **state)
{
    (void)state;
    static uint32_t keys[2 * ON_DEVICE], values[2 * ON_DEVICE], got[ON_DEVICE];
    static uint64_t index[ON_DEVICE];
    const char *why;
    if (!device_start(1 << 20, &why)) {
        print_message("%s, so arrays in device memory are not tested\n", why);
        skip();
    }
    for (uint32_t i = 0; i < 2 * ON_DEVICE; i++) {
        keys[i] = i * 7 % 1001; /* whose mean is 500 in each stretch of 1001 */
    }
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < 2 * ON_DEVICE; i++) {
        wrong += keys[i];
        values[i] = i;
    }
    keys[0] += (uint32_t)(2 * ON_DEVICE * 500 - wrong); /* of the whole it is 500 exactly */
    size_t order[2 * ON_DEVICE];
    oracle_argsort(UPSWEEP_U32, 0, keys, 2 * ON_DEVICE, order);
    for (int r = 0; r < 2; r++) {
        device_keys[r] = device_take(ON_DEVICE * 4, 0);
        device_values[r] = device_take(ON_DEVICE * 4, 0);
        device_index[r] = device_take(ON_DEVICE * 8, 0);
        device_put(device_keys[r], keys + r * ON_DEVICE, ON_DEVICE * 4);
        device_put(device_values[r], values + r * ON_DEVICE, ON_DEVICE * 4);
    }
    run_ranks(2, on_device, NULL);
    assert_int_equal(faults, 0);
    for (size_t r = 0; r < 2; r++) {
        device_get(index, device_index[r], sizeof index);
        device_get(got, device_keys[r], sizeof got);
        for (size_t i = 0; i < ON_DEVICE; i++) {
            assert_int_equal(index[i], order[r * ON_DEVICE + i]);
            assert_int_equal(got[i], keys[order[r * ON_DEVICE + i]]);
        }
        device_get(got, device_values[r], sizeof got); /* sorted again: 0, 1, 2 ... */
        for (size_t i = 0; i < ON_DEVICE; i++) {
            assert_int_equal(got[i], r * ON_DEVICE + i);
        }
    }
    assert_true(device_intact());
    device_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_for_any_number_of_ranks),
                                       cmocka_unit_test(large_arrays),
                                       cmocka_unit_test(exchanged_once),
                                       cmocka_unit_test(memory_runs_out_on_one_rank),
                                       cmocka_unit_test(scratch_runs_out_on_one_rank),
                                       cmocka_unit_test(arrays_on_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

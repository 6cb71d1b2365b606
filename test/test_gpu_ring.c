/* test_gpu_ring.c - arrays large enough for the rings of tiles, by which a GPU scans, splits and
 * picks (part_sweep_ring.cuh, part_select_ring.cuh), give what the CPU gives; a small program, so
 * that the tools of compute-sanitizer see the rings too. The emulated plugin takes rings for fewer
 * elements. */
#include "device.h"
#include "inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* More than blocks that meet can split, and three tiles of 8192 for 200 multiprocessors each. */
enum { N = 5000003, N_EMULATED = 60003, ARENA_BYTES = 64 << 20 };

static size_t n;
static uint64_t *in, *want, *got;
static uint8_t *flags;

static int start(void **state)
{
    (void)state;
    int status = device_group_start(ARENA_BYTES);
    n = device_is_emulated() ? N_EMULATED : N;
    in = malloc(n * 8);
    want = malloc(2 * n * 8); /* keys, then counts */
    got = malloc(2 * n * 8);
    flags = malloc(n);
    assert_non_null(in);
    assert_non_null(want);
    assert_non_null(got);
    assert_non_null(flags);
    uint64_t seed = 11;
    for (size_t i = 0; i < n; i++) {
        flags[i] = (uint8_t)(input_random(&seed) >> 60);
    }
    return status;
}

static int end(void **state)
{
    free(in);
    free(want);
    free(got);
    free(flags);
    return device_group_end(state);
}

/* Runs of three elements or so. */
static void fill(upsweep_type type)
{
    const size_t bytes = upsweep_type_bytes(type);
    input_fill(INPUT_UNIFORM, type, in, n, type);
    for (size_t i = 1; i < n; i++) {
        if (flags[i] % 3 != 0) {
            memcpy((char *)in + i * bytes, (char *)in + (i - 1) * bytes, bytes);
        }
    }
}

static void test_runs(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const upsweep_type type = wide ? UPSWEEP_U64 : UPSWEEP_U32;
        const size_t bytes = upsweep_type_bytes(type);
        size_t runs = 0, found = 0;
        fill(type);
        assert_int_equal(upsweep_run_lengths(cpu, in, n, type, want, want + n, &runs, NULL),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_run_lengths(gpu, in, n, type, got, got + n, &found, NULL),
                         UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(got, want, runs * bytes);
        assert_memory_equal(got + n, want + n, runs * sizeof *got);
        assert_int_equal(upsweep_unique(gpu, in, n, type, &found, NULL), UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(in, want, runs * bytes);
    }
}

static void test_splits(void **state)
{
    (void)state;
    for (size_t bytes = 4; bytes <= 8; bytes += 4) {
        size_t kept = 0, zeros = 0, found = 0;
        fill(bytes == 4 ? UPSWEEP_U32 : UPSWEEP_U64);
        assert_int_equal(upsweep_split(cpu, in, flags, want, n, bytes, &zeros, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_split(gpu, in, flags, got, n, bytes, &found, NULL), UPSWEEP_OK);
        assert_int_equal(found, zeros);
        assert_memory_equal(got, want, n * bytes);
        assert_int_equal(upsweep_compact(cpu, in, flags, want, n, bytes, &kept, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_compact(gpu, in, flags, in, n, bytes, &found, NULL), UPSWEEP_OK);
        assert_int_equal(found, kept);
        assert_memory_equal(in, want, kept * bytes);
    }
}

static void test_scans(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t bytes = upsweep_type_bytes(types[i]);
        input_fill(INPUT_SORTED, types[i], in, n, i);
        assert_int_equal(upsweep_scan(cpu, in, want, n, types[i], UPSWEEP_SUM, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_scan(gpu, in, got, n, types[i], UPSWEEP_SUM, NULL), UPSWEEP_OK);
        assert_memory_equal(got, want, n * bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_scans),
    };
    return cmocka_run_group_tests(tests, start, end);
}

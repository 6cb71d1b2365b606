/* test_gpu_lengths.c - scans, reductions, splits and merges on a GPU at the very lengths where they
 * go another way, and one element before and behind, give what the CPU gives. The lengths are those
 * of the device's multiprocessors; the emulated plugin changes its ways at fewer elements. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <dlfcn.h>
#include <string.h>

#include <cmocka.h>

/* More than 4096 tiles of 4096 elements, under the emulator 64. */
enum { N = 17000003, N_EMULATED = 270003, ARENA_BYTES = 64 << 20 };

static size_t n, multiprocessors;
static unsigned char in[8 * N], want[8 * N], got[8 * N];
static uint8_t flags[N];

/* Both CUDA's runtime and its driver ask for the 16th attribute; of those one is there. */
static size_t count_multiprocessors(void)
{
    enum { MULTIPROCESSORS = 16 };
    int (*ask)(int *, int, int) = NULL;
    int count = 0;
    void *driver = device_is_emulated() ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = driver == NULL ? device_symbol("cudaDeviceGetAttribute")
                                 : dlsym(driver, "cuDeviceGetAttribute");
    assert_non_null(found);
    memcpy(&ask, &found, sizeof ask);
    assert_int_equal(ask(&count, MULTIPROCESSORS, 0), 0);
    assert_true(count > 0);
    return (size_t)count;
}

static int start(void **state)
{
    (void)state;
    int status = device_group_start(ARENA_BYTES);
    n = device_is_emulated() ? N_EMULATED : N;
    multiprocessors = count_multiprocessors();
    uint64_t seed = 5;
    for (size_t i = 0; i < n; i++) {
        flags[i] = (uint8_t)(input_random(&seed) >> 63);
    }
    return status;
}

/* check(type, length) for lengths around each of `count` ones, if there is memory for them. */
static void around(upsweep_type type, const size_t *at, size_t count,
                   void (*check)(upsweep_type type, size_t length))
{
    input_fill(INPUT_UNIFORM, type, in, n, type);
    for (size_t i = 0; i < count; i++) {
        for (size_t length = at[i] - 1; length <= at[i] + 1 && length <= n; length++) {
            check(type, length);
        }
    }
}

static void check_scan(upsweep_type type, size_t length)
{
    const upsweep_options o = {.flags = length % 2 == 0 ? UPSWEEP_EXCLUSIVE : 0};
    assert_int_equal(upsweep_scan(cpu, in, want, length, type, UPSWEEP_SUM, &o), UPSWEEP_OK);
    assert_int_equal(upsweep_scan(gpu, in, got, length, type, UPSWEEP_SUM, &o), UPSWEEP_OK);
    assert_memory_equal(got, want, length * upsweep_type_bytes(type));
}

/* Blocks that meet have one, two or four tiles of 512 runs each, two blocks a multiprocessor. */
static void test_scans(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t tile = types[i] == UPSWEEP_U64 ? 2048 : 4096;
        const size_t one = 2 * (device_is_emulated() ? 1 : multiprocessors) * tile;
        const size_t at[] = {tile, one, 2 * one, 4 * one};
        around(types[i], at, sizeof at / sizeof at[0], check_scan);
    }
}

static void check_reduce(upsweep_type type, size_t length)
{
    const upsweep_op ops[] = {UPSWEEP_SUM, UPSWEEP_LEAST, UPSWEEP_GREATEST};
    size_t place = 0, found = 0;
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
        uint64_t all = 0, all_got = 0;
        assert_int_equal(upsweep_reduce(cpu, in, length, type, ops[o], &all, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_reduce(gpu, in, length, type, ops[o], &all_got, NULL), UPSWEEP_OK);
        assert_int_equal(all_got, all);
    }
    assert_int_equal(upsweep_argmax(cpu, in, length, type, &place, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_argmax(gpu, in, length, type, &found, NULL), UPSWEEP_OK);
    assert_int_equal(found, place);
}

/* Sums of floats: one tile, a block a tile, a warp a tile; everything else: one block of ever more
 * threads, several blocks. */
static void test_reductions(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_F32, UPSWEEP_F64, UPSWEEP_F16, UPSWEEP_U8, UPSWEEP_I64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t tile = 4096, per = 16 / upsweep_type_bytes(types[i]);
        const size_t few = device_is_emulated() ? 64 : 4096;
        const size_t at[] = {tile, few * tile, 1024 * per, 2048 * per, 4096 * per, 4097 * per};
        around(types[i], at, sizeof at / sizeof at[0], check_reduce);
    }
}

static void check_split(upsweep_type type, size_t length)
{
    device_check_split(in, flags, want, got, length, upsweep_type_bytes(type));
}

/* A block a multiprocessor with a small tile, eight with large ones, a ring. */
static void test_splits(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U32, UPSWEEP_U64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t tile = types[i] == UPSWEEP_U64 ? 2048 : 4096;
        const size_t at[] = {1024, multiprocessors * 1024, 8 * multiprocessors * tile};
        around(types[i], at, sizeof at / sizeof at[0], check_split);
    }
}

static void check_merge(upsweep_type type, size_t length)
{
    const size_t bytes = upsweep_type_bytes(type), na = length / 3;
    unsigned char *const b = in + na * bytes;
    assert_int_equal(upsweep_sort(cpu, in, na, type, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(cpu, b, length - na, type, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_merge(cpu, in, na, b, length - na, want, type, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_merge(gpu, in, na, b, length - na, got, type, NULL), UPSWEEP_OK);
    assert_memory_equal(got, want, length * bytes);
}

/* One block, blocks that each find their own cuts (two under the emulator), a ring. */
static void test_merges(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t tile = 256 * (types[i] == UPSWEEP_U64 ? 15 : 19);
        const size_t at[] = {5120, (device_is_emulated() ? 2 : 4) * multiprocessors * tile};
        around(types[i], at, sizeof at / sizeof at[0], check_merge);
    }
}

/* Records whose keys have every length up to two chunks of 8 bytes: a chunk is sorted as a number
 * of 1, 2, 4 or 8 bytes. There are so many that others would write into room that is too short. */
static void test_keys_of_records(void **state)
{
    (void)state;
    for (size_t length = 1; length <= 17; length++) {
        const upsweep_field field = {.offset = length % 3, .bytes = length};
        const size_t bytes = length + 3, records = 5000 + 97 * length;
        input_fill_bytes(in, records * bytes, length);
        memcpy(want, in, records * bytes);
        memcpy(got, in, records * bytes);
        assert_int_equal(upsweep_sort_records(cpu, want, records, bytes, &field, 1, NULL),
                         UPSWEEP_OK);
        upsweep_trim(gpu);
        assert_int_equal(upsweep_sort_records(gpu, got, records, bytes, &field, 1, NULL),
                         UPSWEEP_OK);
        assert_memory_equal(got, want, records * bytes);
        void *at = device_take(records * bytes, 0);
        device_put(at, in, records * bytes);
        upsweep_trim(gpu);
        assert_int_equal(upsweep_sort_records(gpu, at, records, bytes, &field, 1, NULL),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
        device_get(got, at, records * bytes);
        assert_memory_equal(got, want, records * bytes);
        device_reset();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scans),           cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_splits),          cmocka_unit_test(test_merges),
        cmocka_unit_test(test_keys_of_records),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}

/* test_gpu_huge.c - more elements than 32 bits can count, in device memory: sorts, merges, folds,
 * splits, buckets, selection and moves of 2^32 + 7. What does not fit the device's memory is left
 * out with a sentence. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/huge.h"

#include <stdlib.h>
#include <string.h>

/* ---- sorts ---- */

static void sort_of(upsweep_type type, const char *what)
{
    size_t bytes = upsweep_type_bytes(type);
    PLAN(sort, ANY, huge.n, type, NULL);
    huge_need(what, huge.n * bytes);
    void *keys = huge_repeated(huge.pattern, bytes);
    RUN(sort, keys, huge.n, type, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    run *r = huge_sorted_runs(bytes);
    huge_check_runs(keys, r, bytes);
    /* And the test of order sees the end. */
    size_t first = 0;
    RUN(is_sorted, keys, huge.n, type, &first, NULL);
    assert_true(first == huge.n);
    uint32_t zero = 0;
    device_put((char *)keys + huge.beyond * bytes, &zero, bytes);
    RUN(is_sorted, keys, huge.n, type, &first, NULL);
    assert_true(first == huge.beyond);
    free(r);
}

static void test_sort_u8(void **state)
{
    (void)state;
    sort_of(UPSWEEP_U8, "sort of u8");
}
static void test_sort_u16(void **state)
{
    (void)state;
    sort_of(UPSWEEP_U16, "sort of u16");
}
static void test_sort_u32(void **state)
{
    (void)state;
    sort_of(UPSWEEP_U32, "sort of u32");
}

/* Keys of two halves, each sorted, with the bytes of values: the huge.block's place, low byte. */
static void test_sort_pairs(void **state)
{
    (void)state;
    PLAN(sort_pairs, ANY, ANY, huge.n, UPSWEEP_U8, 1, NULL);
    huge_need("sort of u8 with values of a byte", 2 * huge.n);
    unsigned char *keys = huge_repeated(huge.pattern, 1), *values = huge_repeated(huge.pattern, 1);
    RUN(sort_pairs, keys, values, huge.n, UPSWEEP_U8, 1, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    run *r = huge_sorted_runs(1);
    huge_check_runs(keys, r, 1);
    huge_check_runs(values, r, 1); /* every key had its own copy with it */
    free(r);
}

static void test_merge(void **state)
{
    size_t na = huge.n / 2 - 5, nb = huge.n - na;
    (void)state;
    PLAN(merge, ANY, na, ANY, nb, ANY, UPSWEEP_U8, NULL);
    huge_need("merge of u8", 2 * huge.n);
    unsigned char *keys = huge_repeated(huge.pattern, 1), *out = device_take(huge.n, 0);
    RUN(sort, keys, na, UPSWEEP_U8, NULL);
    RUN(sort, keys + na, nb, UPSWEEP_U8, NULL);
    RUN(merge, keys, na, keys + na, nb, out, UPSWEEP_U8, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    run *r = huge_sorted_runs(1);
    huge_check_runs(out, r, 1);
    free(r);
}

/* ---- folds ---- */

static void test_reduce(void **state)
{
    uint64_t sum = 0, want = 0;
    uint32_t least = 7, greatest = 7, zero = 0;
    size_t where = 0;
    (void)state;
    PLAN(reduce, ANY, huge.n, UPSWEEP_U32, UPSWEEP_SUM, ANY, NULL);
    huge_need("reduce of u32", 4 * huge.n);
    char *data = huge_repeated(huge.pattern, 4);
    for (size_t i = 0; i < huge.block; i++) {
        want += huge_element(i, 4) * (huge.n / huge.block + (i < huge.n % huge.block));
    }
    RUN(reduce, data, huge.n, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL);
    assert_true(sum == want);
    device_put(data + huge.beyond * 4, &zero, 4);
    RUN(argmin, data, huge.n, UPSWEEP_U32, &where, NULL);
    assert_true(where == huge.beyond);
    zero = ~zero;
    device_put(data + (huge.beyond + 1) * 4, &zero, 4);
    RUN(argmax, data, huge.n, UPSWEEP_U32, &where, NULL);
    assert_true(where == huge.beyond + 1);
    RUN(minmax, data, huge.n, UPSWEEP_U32, &least, &greatest, NULL);
    assert_true(least == 0 && greatest == UINT32_MAX);
    /* The three least, with their places: the one put there, then the huge.block's least, twice. */
    uint32_t out[3];
    uint64_t index[3];
    run *r = huge_sorted_runs(4);
    RUN(top_k, data, huge.n, 3, UPSWEEP_U32, out, index, NULL);
    assert_true(out[0] == 0 && index[0] == huge.beyond && out[1] == r[0].value &&
                out[2] == r[0].value);
    assert_true(huge_element((size_t)index[1], 4) == r[0].value &&
                index[2] == index[1] + huge.block);
    free(r);
}

static uint32_t below_two(uint32_t bits)
{
    return bits & 0xbfff;
}

/* Floats have the CPU's bits huge.beyond 2^32 too. */
static void test_reduce_floats(void **state)
{
    double on_cpu = 0, on_gpu = 1;
    (void)state;
    PLAN(reduce, ANY, huge.n, UPSWEEP_F16, UPSWEEP_SUM, ANY, NULL);
    huge_need("reduce of f16", 2 * huge.n);
    uint32_t *list = huge_list_of(below_two);
    void *data = huge_repeated(list, 2), *home = malloc(2 * huge.n);
    free(list);
    assert_non_null(home);
    device_get(home, data, 2 * huge.n);
    RUN(reduce, data, huge.n, UPSWEEP_F16, UPSWEEP_SUM, &on_gpu, NULL);
    huge_must(cpu, upsweep_reduce(cpu, home, huge.n, UPSWEEP_F16, UPSWEEP_SUM, &on_cpu, NULL),
              "reduce");
    free(home);
    assert_memory_equal(&on_cpu, &on_gpu, sizeof on_cpu);
}

static void scan_of(upsweep_type type, const char *what)
{
    size_t bytes = upsweep_type_bytes(type);
    PLAN(scan, ANY, ANY, huge.n, type, UPSWEEP_SUM, NULL);
    huge_need(what, huge.n * bytes);
    void *data = huge_repeated(huge.pattern, bytes);
    uint32_t *sums = malloc(huge.block * sizeof *sums), sum = 0;
    for (size_t i = 0; i < huge.block; i++) {
        sums[i] = sum += huge.pattern[i];
    }
    RUN(scan, data, data, huge.n, type, UPSWEEP_SUM, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    huge_check_repeats(data, 0, huge.n, sums, huge.block, sum, bytes);
    free(sums);
}

static void test_scan(void **state)
{
    (void)state;
    scan_of(UPSWEEP_U8, "scan of u8");
}
static void test_scan_u32(void **state)
{
    (void)state;
    scan_of(UPSWEEP_U32, "scan of u32");
}

/* ---- splits, buckets, selection, moves ---- */

static uint32_t flag_of(uint32_t bits)
{
    return bits >> 8 & 1;
}

static void test_split(void **state)
{
    (void)state;
    PLAN(split, ANY, ANY, ANOTHER, huge.n, 1, ANY, NULL);
    huge_need("split and compact of bytes", 3 * huge.n);
    uint32_t *flags = huge_list_of(flag_of), *list = malloc(2 * huge.block * sizeof *list);
    unsigned char *in = huge_repeated(huge.pattern, 1), *f = huge_repeated(flags, 1),
                  *out = device_take(huge.n, 0);
    size_t zeros = 0, kept = 0, full = 0, rest = 0, want = 0;
    for (size_t i = 0; i < huge.block; i++) {
        want += flags[i] == 0 ? huge.n / huge.block + (i < huge.n % huge.block) : 0;
        list[flags[i] * huge.block + (flags[i] ? full++ : rest++)] = huge.pattern[i];
    }
    RUN(split, in, f, out, huge.n, 1, &zeros, NULL);
    assert_true(zeros == want);
    huge_check_repeats(out, 0, zeros, list, rest, 0, 1);
    huge_check_repeats(out, zeros, huge.n - zeros, list + huge.block, full, 0, 1);
    RUN(compact, in, f, out, huge.n, 1, &kept, NULL);
    assert_true(kept == huge.n - zeros);
    huge_check_repeats(out, 0, kept, list + huge.block, full, 0, 1);
    free(flags);
    free(list);
}

static void test_histogram(void **state)
{
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 16};
    uint64_t *counts = malloc((sizeof *counts << 16) * 2), *want = counts + (1 << 16);
    (void)state;
    b.count = 1 << 16;
    PLAN(histogram, ANY, huge.n, UPSWEEP_U16, &b, ANY, NULL);
    huge_need("histogram of u16", 2 * huge.n);
    void *keys = huge_repeated(huge.pattern, 2);
    memset(want, 0, b.count * sizeof *want);
    for (size_t i = 0; i < huge.block; i++) {
        want[huge_element(i, 2)] += huge.n / huge.block + (i < huge.n % huge.block);
    }
    RUN(histogram, keys, huge.n, UPSWEEP_U16, &b, counts, NULL);
    assert_memory_equal(counts, want, b.count * sizeof *want);
    free(counts);
}

static void test_split_keys(void **state)
{
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 8, .count = 256};
    uint64_t offsets[257];
    (void)state;
    PLAN(split_keys, ANY, ANOTHER, huge.n, UPSWEEP_U8, &b, ANY, NULL);
    huge_need("split of u8 into 256 buckets", 2 * huge.n);
    void *keys = huge_repeated(huge.pattern, 1), *out = device_take(huge.n, 0);
    RUN(split_keys, keys, out, huge.n, UPSWEEP_U8, &b, offsets, NULL);
    run *r = huge_sorted_runs(1);
    huge_check_runs(out, r, 1);
    uint64_t place = 0;
    for (size_t i = 0; i < huge.block; place += r[i++].count) {
        assert_true(i > 0 && r[i].value == r[i - 1].value ? true : offsets[r[i].value] == place);
    }
    assert_true(offsets[256] == huge.n);
    free(r);
}

static void test_runs(void **state)
{
    size_t kept = 0, runs = 0;
    uint8_t value;
    uint64_t count;
    (void)state;
    PLAN(run_lengths, ANY, huge.n, UPSWEEP_U8, ANY, ANY, ANY, NULL);
    huge_need("runs of u8", 10 * huge.n);
    unsigned char *keys = device_take(huge.n, 0),
                  *out = device_take(huge.n, 0); /* all of one value */
    uint64_t *counts = device_take(8 * huge.n, 0);
    RUN(run_lengths, keys, huge.n, UPSWEEP_U8, out, counts, &runs, NULL);
    device_get(&value, keys, 1);
    device_get(&count, counts, sizeof count);
    assert_true(runs == 1 && count == huge.n);
    value++;
    device_put(keys + huge.beyond, &value, 1);
    RUN(unique, keys, huge.n, UPSWEEP_U8, &kept, NULL);
    unsigned char left[3];
    device_get(left, keys, 3);
    assert_true(kept == 3 && left[0] == left[2] && left[1] == value);
}

static void test_nth(void **state)
{
    size_t k = huge.beyond;
    (void)state;
    PLAN(nth_element, ANY, huge.n, k, UPSWEEP_U16, NULL);
    huge_need("nth of u16", 2 * huge.n);
    char *keys = huge_repeated(huge.pattern, 2);
    RUN(nth_element, keys, huge.n, k, UPSWEEP_U16, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    run *r = huge_sorted_runs(2);
    uint64_t seen = 0, sum = 0, want = 0;
    uint16_t got, wrong = 0;
    size_t i = 0;
    while ((seen += r[i].count) <= k) {
        i++;
    }
    device_get(&got, keys + 2 * k, 2);
    assert_int_equal(got, r[i].value);
    for (size_t at = 0; at < huge.n; at += HUGE_CHUNK / 2) {
        size_t here = huge.n - at < HUGE_CHUNK / 2 ? huge.n - at : HUGE_CHUNK / 2;
        device_get(huge.chunk, keys + 2 * at, 2 * here);
        for (size_t e = 0; e < here; e++) {
            uint16_t key = ((uint16_t *)(void *)huge.chunk)[e];
            wrong |= at + e < k ? key > got : key < got;
            sum += key;
        }
    }
    for (size_t e = 0; e < huge.block; e++) {
        want += r[e].value * r[e].count;
    }
    assert_true(wrong == 0 && sum == want);
    free(r);
}

static void test_moves(void **state)
{
    enum { FEW = 1000 };
    uint64_t index[FEW];
    unsigned char bytes[FEW];
    (void)state;
    PLAN(reverse, ANY, huge.n, 1, NULL);
    huge_need("moves of bytes", huge.n);
    void *data = huge_repeated(huge.pattern, 1);
    for (size_t i = 0; i < FEW; i++) {
        index[i] = i % 2 ? i * (huge.n / FEW) : huge.n - 1 - i;
    }
    RUN(gather, data, huge.n, index, 64, bytes, FEW, 1, NULL);
    for (size_t i = 0; i < FEW; i++) {
        assert_int_equal(bytes[i], huge_element((size_t)index[i], 1));
        bytes[i] = (unsigned char)~bytes[i];
    }
    void *from = device_take(FEW, 0), *where = device_take(sizeof index, 0);
    device_put(from, bytes, FEW);
    device_put(where, index, sizeof index);
    for (int round = 0; round < 2; round++) {
        RUN(scatter, from, where, 64, data, huge.n, FEW, 1, NULL);
        RUN(gather, data, huge.n, where, 64, from, FEW, 1, NULL);
        huge_must(gpu, upsweep_wait(gpu), "wait");
        device_get(huge.chunk, from, FEW);
        assert_memory_equal(huge.chunk, bytes, FEW);
        for (size_t i = 0; i < FEW; i++) {
            bytes[i] = (unsigned char)huge_element((size_t)index[i], 1); /* and back */
        }
        device_put(from, bytes, FEW);
    }
    RUN(reverse, data, huge.n, 1, NULL);
    huge_must(gpu, upsweep_wait(gpu), "wait");
    uint32_t *list = malloc(huge.block * sizeof *list);
    for (size_t i = 0; i < huge.block; i++) {
        list[i] = huge.pattern[(huge.n - 1 - i) % huge.block];
    }
    huge_check_repeats(data, 0, huge.n, list, huge.block, 0, 1);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_u8),       cmocka_unit_test(test_sort_u16),
        cmocka_unit_test(test_sort_u32),      cmocka_unit_test(test_sort_pairs),
        cmocka_unit_test(test_merge),         cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_reduce_floats), cmocka_unit_test(test_scan),
        cmocka_unit_test(test_scan_u32),      cmocka_unit_test(test_split),
        cmocka_unit_test(test_histogram),     cmocka_unit_test(test_split_keys),
        cmocka_unit_test(test_runs),          cmocka_unit_test(test_nth),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, huge_start, huge_end);
}

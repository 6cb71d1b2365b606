/* test_pair_stretches.c - keys that are in order but for some, or in a few runs, with what they
 * carry: beside a serial stable sort, for each type, size of payload, instruction set and number of
 * threads, and inputs that look like such until late. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/keymap.h"
#include "test/shared/inputs.h"

static const char *const isas[] = {"portable", "avx2", "avx512"};
static const unsigned threads[] = {1, 2, 5};
static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_F32,
                                     UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_F64};

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

/* ---- inputs: the rank of key i of n, below 2^32 ---- */

typedef uint64_t (*rank_of)(size_t i, size_t n);

static uint64_t any(void)
{
    return next() >> 32;
}

static uint64_t rising(size_t i, size_t n)
{
    return UINT32_MAX / n * i;
}

static uint64_t random_end(size_t i, size_t n)
{
    return i < n - n / 60 ? rising(i, n) : any();
}

static uint64_t random_beginning(size_t i, size_t n)
{
    return i > n / 60 ? rising(i, n) : any();
}

static uint64_t some_changed(size_t i, size_t n)
{
    return next() % 150 == 0 ? any() : rising(i, n);
}

/* Every key stands four times, so that order among equal keys shows. */
static uint64_t equals_changed(size_t i, size_t n)
{
    return next() % 150 == 0 ? rising(next() % n / 4, n / 4) : rising(i / 4, n / 4);
}

/* Wrong ones next to one another, too high and too low. */
static uint64_t wrong_in_a_row(size_t i, size_t n)
{
    return i % 900 < 3 ? any() : rising(i, n);
}

/* At the borders of chunks of every size, which are multiples of 64. */
static uint64_t wrong_at_borders(size_t i, size_t n)
{
    return i % 1024 == 0 ? UINT32_MAX - i % 7 : i % 1024 == 1023 && i % 5 ? i % 7 : rising(i, n);
}

/* Too high ones in the first half, too low ones behind, or the other way round: pairs move far to
 * one side, then back. */
static uint64_t high_then_low(size_t i, size_t n)
{
    return i % 100 != 7 ? rising(i, n) : i < n / 2 ? UINT32_MAX - next() % 1000 : next() % 1000;
}

static uint64_t low_then_high(size_t i, size_t n)
{
    return i % 100 != 7 ? rising(i, n) : i > n / 2 ? UINT32_MAX - next() % 1000 : next() % 1000;
}

static uint64_t high_end(size_t i, size_t n)
{
    return i < n - n / 60 ? rising(i, n) : UINT32_MAX - next() % 1000;
}

static uint64_t one_low(size_t i, size_t n)
{
    return i == n - 2 ? 0 : rising(i, n);
}

static uint64_t two_files(size_t i, size_t n)
{
    return rising(i % (n / 2 + 1), n);
}

static uint64_t random_half(size_t i, size_t n)
{
    return i < n / 2 ? rising(i, n) : any();
}

static uint64_t changed_late(size_t i, size_t n)
{
    return i > n - n / 5 && i % 3 == 0 ? any() : rising(i, n);
}

/* Each key stands in all files, three times in a row. */
static uint64_t equal_files(size_t i, size_t n)
{
    size_t file = n / 8 + 1;
    return rising(i % file / 3, file / 3 + 1);
}

/* Files of all lengths, every other one falling, with equal keys. */
static uint64_t files_up_and_down(size_t i, size_t n)
{
    size_t begin = 0, length = n / 3, file = 0;
    while (i >= begin + length && file < 7) {
        begin += length;
        length = (n - begin) / 3;
        file++;
    }
    length = file < 7 ? length : n - begin;
    size_t k = file % 2 == 1 ? length - 1 - (i - begin) : i - begin;
    return rising(k / 2, length / 2 + 1);
}

static uint64_t up_and_down(size_t i, size_t n)
{
    return rising(i < n / 2 ? i : n - 1 - i, n);
}

static uint64_t falling(size_t i, size_t n)
{
    return rising((n - 1 - i) / 5, n / 5 + 1);
}

/* Falling, with more equal keys than a falling run may have. */
static uint64_t falling_steps(size_t i, size_t n)
{
    return rising((n - 1 - i) / 100, n / 100 + 1);
}

static uint64_t many_files(size_t i, size_t n)
{
    return rising(i % (n / 40 + 1), n);
}

typedef struct input {
    rank_of rank;
    const char *found; /* NULL: nothing */
} input;

static const char nearly[] = "nearly in order", merged[] = "runs merged";
static const input inputs[] = {
    {random_end, nearly},        {random_beginning, nearly}, {some_changed, nearly},
    {equals_changed, nearly},    {two_files, merged},        {equal_files, merged},
    {wrong_in_a_row, nearly},    {wrong_at_borders, nearly}, {high_end, nearly},
    {high_then_low, nearly},     {low_then_high, nearly},    {one_low, nearly},
    {files_up_and_down, merged}, {up_and_down, merged},      {falling, merged},
    {random_half, NULL},         {changed_late, NULL},       {falling_steps, NULL},
    {many_files, NULL}};
enum { INPUTS = sizeof inputs / sizeof *inputs };

/* ---- the serial sort ---- */

typedef struct item {
    uint64_t rank;
    size_t place;
} item;

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->place > y->place) - (x->place < y->place);
}

typedef struct problem {
    size_t n;
    upsweep_type type;
    const input *in;
    item *sorted;
    unsigned char *keys;
} problem;

static problem make(const input *in, size_t n, upsweep_type type, unsigned flags)
{
    problem p = {n, type, in, malloc(n * sizeof *p.sorted), malloc(n * 8)};
    usw_keymap map = usw_keymap_of(type, 0);
    size_t bytes = upsweep_type_bytes(type);
    state = n;
    for (size_t i = 0; i < n; i++) {
        bool falls = (flags & UPSWEEP_DESCENDING) != 0;
        uint64_t rank = in->rank(i, n), high = falls ? UINT32_MAX - rank : rank;
        /* No NaN: those go to the end whatever their ranks. */
        uint64_t key = bytes == 4 ? high / 2 + (UINT64_C(1) << 30) : high * 0x70000000 + (high & 9);
        p.sorted[i] = (item){falls ? UINT64_MAX - key : key, i};
        usw_store_raw(p.keys + i * bytes, bytes, usw_unmap_key(&map, key));
    }
    qsort(p.sorted, n, sizeof *p.sorted, compare_items);
    return p;
}

static void check_report(const upsweep *u, const problem *p)
{
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report((upsweep *)(uintptr_t)u, &r);
    const char *found = strcmp(r.algorithm, nearly) == 0   ? nearly
                        : strcmp(r.algorithm, merged) == 0 ? merged
                                                           : NULL;
    if (found != p->in->found) {
        fail_msg("%zu keys of %s, input %zu: %s", p->n, upsweep_type_name(p->type),
                 (size_t)(p->in - inputs), r.algorithm);
    }
}

static void check_argsort(upsweep *u, const problem *p, unsigned bits, unsigned flags)
{
    upsweep_options o = {.flags = flags};
    unsigned char *index = malloc(p->n * bits / 8);
    assert_int_equal(upsweep_argsort(u, p->keys, p->n, p->type, index, bits, &o), UPSWEEP_OK);
    for (size_t i = 0; i < p->n; i++) {
        assert_int_equal(usw_load_raw(index + i * bits / 8, bits / 8), p->sorted[i].place);
    }
    check_report(u, p);
    free(index);
}

static unsigned char value_byte(size_t place, size_t k)
{
    return (unsigned char)(place * 0x9E3779B97F4A7C15 >> (8 + 8 * (k % 7)));
}

static void check_pairs(upsweep *u, const problem *p, size_t value_bytes, unsigned flags)
{
    upsweep_options o = {.flags = flags};
    size_t bytes = upsweep_type_bytes(p->type);
    unsigned char *keys = malloc(p->n * bytes), *values = malloc(p->n * value_bytes);
    memcpy(keys, p->keys, p->n * bytes);
    for (size_t i = 0; i < p->n * value_bytes; i++) {
        values[i] = value_byte(i / value_bytes, i % value_bytes);
    }
    assert_int_equal(upsweep_sort_pairs(u, keys, values, p->n, p->type, value_bytes, &o),
                     UPSWEEP_OK);
    for (size_t i = 0; i < p->n; i++) {
        size_t place = p->sorted[i].place;
        assert_memory_equal(keys + i * bytes, p->keys + place * bytes, bytes);
        for (size_t k = 0; k < value_bytes; k++) {
            assert_int_equal(values[i * value_bytes + k], value_byte(place, k));
        }
    }
    check_report(u, p);
    free(keys);
    free(values);
}

/* Sorted keys and positions, to elsewhere, or where the keys are. */
static void check_copy(upsweep *u, const problem *p, bool in_place, unsigned flags)
{
    upsweep_options o = {.flags = flags};
    size_t bytes = upsweep_type_bytes(p->type);
    unsigned char *from = malloc(p->n * bytes), *to = in_place ? from : malloc(p->n * bytes);
    uint32_t *index = malloc(p->n * sizeof *index);
    memcpy(from, p->keys, p->n * bytes);
    assert_int_equal(upsweep_sort_copy(u, from, p->n, p->type, to, index, 32, &o), UPSWEEP_OK);
    for (size_t i = 0; i < p->n; i++) {
        assert_int_equal(index[i], p->sorted[i].place);
        assert_memory_equal(to + i * bytes, p->keys + p->sorted[i].place * bytes, bytes);
    }
    check_report(u, p);
    if (!in_place) {
        assert_memory_equal(from, p->keys, p->n * bytes);
        free(to);
    }
    free(from);
    free(index);
}

static void check_input(upsweep *u, const input *in, size_t n, upsweep_type type, unsigned turn)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 12, 24};
    unsigned flags = turn % 3 == 1 ? UPSWEEP_DESCENDING : 0;
    problem p = make(in, n, type, flags);
    check_argsort(u, &p, turn % 2 == 0 ? 32 : 64, flags);
    check_pairs(u, &p, sizes[turn % 7], flags);
    check_copy(u, &p, turn % 5 < 2, flags);
    free(p.sorted);
    free(p.keys);
}

static void as_by_a_serial_sort(void **unused)
{
    (void)unused;
    static const size_t ns[] = {4096, 5003, 30001, 300007};
    unsigned turn = 0;
    for (int i = 0; i < 3; i++) {
        upsweep_config c = {.threads = threads[i]};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = 0; k < INPUTS; k++) {
            for (size_t s = 0; s < sizeof ns / sizeof *ns; s++) {
                for (size_t t = 0; t < (ns[s] < 100000 ? 6 : 1); t++, turn++) {
                    check_input(u, &inputs[k], ns[s], types[(t + turn / 6) % 6], turn);
                }
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Too little scratch for stretches: the keys are as they were, and sorted by another method or
 * refused. */
static void little_scratch(void **unused)
{
    (void)unused;
    enum { N = 30001 };
    for (size_t limit = 1 << 12; limit < (size_t)1 << 23; limit += limit / 3) {
        upsweep_config c = {.threads = 1, .scratch_limit = limit};
        upsweep *u;
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        problem p = make(&inputs[limit % 6], N, types[limit % 6], 0);
        unsigned char keys[8], *values = malloc((size_t)N * 8), *all = malloc((size_t)N * 8);
        size_t bytes = upsweep_type_bytes(p.type);
        memcpy(all, p.keys, N * bytes);
        for (size_t i = 0; i < N; i++) {
            memcpy(values + 8 * i, &i, 8);
        }
        upsweep_status status = upsweep_sort_pairs(u, all, values, N, p.type, 8, NULL);
        assert_true(status == UPSWEEP_OK || status == UPSWEEP_ERROR_MEMORY);
        for (size_t i = 0; i < N; i++) {
            size_t place = status == UPSWEEP_OK ? p.sorted[i].place : i, value;
            memcpy(&value, values + 8 * i, 8);
            memcpy(keys, all + i * bytes, bytes);
            assert_int_equal(value, place);
            assert_memory_equal(keys, p.keys + place * bytes, bytes);
        }
        free(values);
        free(all);
        free(p.sorted);
        free(p.keys);
        upsweep_close(u);
    }
}

/* Records by a key of some bytes, which is sorted with them or with their positions. */
static void records(void **unused)
{
    (void)unused;
    enum { N = 20011 };
    static const size_t record_bytes[] = {8, 16, 40};
    for (size_t r = 0; r < 3; r++) {
        for (size_t k = 0; k < INPUTS; k++) {
            size_t rb = record_bytes[r];
            upsweep *u;
            upsweep_config c = {.threads = threads[k % 3]};
            upsweep_options o = {0};
            upsweep_field field = {.offset = 2, .type = UPSWEEP_U32};
            problem p = make(&inputs[k], N, UPSWEEP_U32, 0);
            unsigned char *all = malloc(N * rb);
            for (size_t i = 0; i < N * rb; i++) {
                all[i] = value_byte(i / rb, i % rb);
            }
            for (size_t i = 0; i < N; i++) {
                memcpy(all + i * rb + 2, p.keys + 4 * i, 4);
            }
            unsigned char *before = malloc(N * rb);
            memcpy(before, all, N * rb);
            assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
            assert_int_equal(upsweep_sort_records(u, all, N, rb, &field, 1, &o), UPSWEEP_OK);
            for (size_t i = 0; i < N; i++) {
                assert_memory_equal(all + i * rb, before + p.sorted[i].place * rb, rb);
            }
            upsweep_close(u);
            free(all);
            free(before);
            free(p.sorted);
            free(p.keys);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_a_serial_sort),
                                       cmocka_unit_test(little_scratch), cmocka_unit_test(records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

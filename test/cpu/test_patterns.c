/* test_patterns.c - inputs that the sort should recognise, and those that look like them until
 * late: each must come out in order, with the same keys, and the report must say what was seen. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/shared/inputs.h"
#include "cpu/cpu.h"
#include "test/shared/key_order.h"

static const char *const isas[] = {"portable", "avx2", "avx512"};
static const unsigned threads[] = {1, 2, 5};

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

/* ---- inputs: the rank of key i of n, in [0, all] ---- */

typedef uint64_t (*rank_of)(size_t i, size_t n, uint64_t all);

static uint64_t sixteen(size_t i, size_t n, uint64_t all)
{
    (void)i, (void)n;
    return next() % 16 * 0x123456789abcdef & all;
}

/* A seventeenth value, which no sample is likely to see. */
static uint64_t sixteen_and_one(size_t i, size_t n, uint64_t all)
{
    return i == n - n / 7 ? all / 3 : sixteen(i, n, all);
}

static uint64_t seventeen(size_t i, size_t n, uint64_t all)
{
    (void)i, (void)n;
    return next() % 17 * 0x123456789abcdef & all;
}

static uint64_t narrow(size_t i, size_t n, uint64_t all)
{
    (void)i, (void)n;
    return all / 2 + next() % 100;
}

static uint64_t narrow_at_the_end(size_t i, size_t n, uint64_t all)
{
    (void)i, (void)n;
    return all - next() % 100;
}

static uint64_t narrow_and_one(size_t i, size_t n, uint64_t all)
{
    return i == n - 2 ? all / 4 : narrow(i, n, all);
}

static uint64_t four_runs(size_t i, size_t n, uint64_t all)
{
    size_t run = n / 4 + 1;
    return all / n * (i % run) + i / run;
}

static uint64_t zigzag(size_t i, size_t n, uint64_t all)
{
    size_t run = n / 5 + 1;
    return all / n * (i / run % 2 ? run - i % run : i % run);
}

static uint64_t nine_runs(size_t i, size_t n, uint64_t all)
{
    size_t run = n / 9 + 1;
    return all / n * (i % run);
}

static uint64_t wrong_here_and_there(size_t i, size_t n, uint64_t all)
{
    return next() % 100 == 0 ? next() & all : all / n * i;
}

static uint64_t falling_and_wrong(size_t i, size_t n, uint64_t all)
{
    return next() % 100 == 0 ? next() & all : all / n * (n - i);
}

/* Wrong keys next to one another, so that one pass does not find them. */
static uint64_t wrong_in_a_row(size_t i, size_t n, uint64_t all)
{
    return i % 200 < 3 ? all / 2 + i % 200 * (all / 8) : all / n * i;
}

static uint64_t wrong_often(size_t i, size_t n, uint64_t all)
{
    return next() % 32 == 0 ? next() & all : all / n * i;
}

/* In order but for [begin, end) in hundredths. */
static uint64_t random_part(size_t i, size_t n, uint64_t all, size_t begin, size_t end)
{
    return i >= n / 100 * begin && i < n / 100 * end + n % 100 ? next() & all : all / n * i;
}

/* In order wherever a sample is likely to look, then random. */
static uint64_t random_end(size_t i, size_t n, uint64_t all)
{
    return random_part(i, n, all, 95, 101);
}

static uint64_t random_ends(size_t i, size_t n, uint64_t all)
{
    return i < n / 30 ? next() & all : random_part(i, n, all, 98, 101);
}

static uint64_t random_middle(size_t i, size_t n, uint64_t all)
{
    return random_part(i, n, all, 60, 65);
}

static uint64_t random_half(size_t i, size_t n, uint64_t all)
{
    return random_part(i, n, all, 55, 101);
}

/* Most stretches stay where they are. */
static uint64_t high_end(size_t i, size_t n, uint64_t all)
{
    return i < n - n / 50 ? all / n * i : all - next() % (all / 8);
}

static uint64_t falling_and_random_end(size_t i, size_t n, uint64_t all)
{
    return i < n - n / 50 ? all / n * (n - i) : next() & all;
}

static uint64_t two_runs_and_random_end(size_t i, size_t n, uint64_t all)
{
    return i < n - n / 50 ? all / n * (i % (n / 2)) : next() & all;
}

static uint64_t short_runs_behind(size_t i, size_t n, uint64_t all)
{
    return i < n - n / 20 ? all / n * i : all / n * (i % (n / 40) * 40);
}

static uint64_t mostly_one(size_t i, size_t n, uint64_t all)
{
    (void)i, (void)n;
    return next() % 64 == 0 ? next() & all : all / 2;
}

static size_t file_keys;
static uint64_t in_files(size_t i, size_t n, uint64_t all)
{
    size_t files = usw_div_up(n, file_keys);
    return all / (files * file_keys) * (i % file_keys * files + i / file_keys);
}
typedef struct input {
    rank_of rank;
    const char *says; /* a part of the reason for large n; NULL: anything */
    const char *name; /* of the method, where says is not NULL */
} input;

static const input inputs[] = {{sixteen, "16 values only", "few values counted"},
                               {sixteen_and_one, NULL, NULL},
                               {seventeen, NULL, NULL},
                               {narrow, "range", "narrow range counted"},
                               {narrow_at_the_end, "range", "narrow range counted"},
                               {narrow_and_one, NULL, NULL},
                               {four_runs, "4 runs", "runs merged"},
                               {zigzag, "5 runs", "runs merged"},
                               {nine_runs, NULL, NULL},
                               {wrong_here_and_there, "by themselves", "nearly in order"},
                               {falling_and_wrong, "by themselves", "nearly in order"},
                               {wrong_in_a_row, "by themselves", "nearly in order"},
                               {wrong_often, "by themselves", "nearly in order"},
                               {random_end, "by themselves", "nearly in order"},
                               {random_ends, "by themselves", "nearly in order"},
                               {random_middle, "by themselves", "nearly in order"},
                               {random_half, NULL, NULL},
                               {high_end, "by themselves", "nearly in order"},
                               {falling_and_random_end, "by themselves", "nearly in order"},
                               {two_runs_and_random_end, "3 runs", "runs merged"},
                               {short_runs_behind, "by themselves", "nearly in order"},
                               {mostly_one, "by themselves", "nearly in order"}};

static const input files = {in_files, NULL, NULL};

/* ---- the tests ---- */

static const upsweep_type wide_types[] = {UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_F32,
                                          UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_F64};

/* Raw bits of the key of a rank: the order of ranks, for floats as for integers. */
static void store_rank(void *keys, size_t i, upsweep_type type, uint64_t rank)
{
    usw_keymap map = usw_keymap_of(type, 0);
    size_t bytes = upsweep_type_bytes(type);
    usw_store_raw((char *)keys + i * bytes, bytes, usw_unmap_key(&map, rank));
}

static void check_input(upsweep *u, const input *in, size_t n, upsweep_type type, unsigned flags)
{
    size_t bytes = upsweep_type_bytes(type);
    void *keys = malloc(n * bytes);
    state = n;
    for (size_t i = 0; i < n; i++) {
        store_rank(keys, i, type, in->rank(i, n, UINT64_MAX >> (64 - 8 * bytes)));
    }
    tally before = tally_of(keys, n, bytes);
    upsweep_options o = {.flags = flags};
    assert_int_equal(upsweep_sort(u, keys, n, type, &o), UPSWEEP_OK);
    check_sorted(keys, n, type, flags, before);
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &r);
    size_t copy = (flags & UPSWEEP_IN_PLACE) != 0 ? 0 : n * bytes;
    assert_true(r.scratch_bytes <= copy + ((size_t)r.threads << 20)); /* as upsweep.h says */
    bool nans_move = usw_type_is_float(type) && flags != 0; /* from where their ranks put them */
    if (n >= 30000 && in->says != NULL && (flags & UPSWEEP_IN_PLACE) == 0 && !nans_move) {
        if (strstr(r.reason, in->says) == NULL || strcmp(r.algorithm, in->name) != 0) {
            fail_msg("%zu keys of %s, input %zu: %s, because %s", n, upsweep_type_name(type),
                     (size_t)(in - inputs), r.algorithm, r.reason);
        }
    }
    free(keys);
}

static void recognised(void **unused)
{
    (void)unused;
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_I64, UPSWEEP_F32,
                                         UPSWEEP_U64, UPSWEEP_F64, UPSWEEP_I32};
    static const size_t sizes[] = {511, 512, 1023, 1025, 4095, 4097, 30001, 300007};
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_IN_PLACE, UPSWEEP_NAN_FIRST};
    for (int i = 0; i < 3; i++) {
        upsweep_config c = {.threads = threads[i]};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                for (size_t t = s % 2; t < 6; t += 2) {
                    check_input(u, &inputs[k], sizes[s], types[t], flags[(k + s + t) % 4]);
                }
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* So many keys of 16 values that threads share them, and with one more value at the very end. */
static void shared_values(void **unused)
{
    (void)unused;
    enum { N = 1100003 };
    for (int i = 0; i < 3; i++) {
        upsweep_config c = {.threads = 3};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = 0; k < 2; k++) {
            check_input(u, &inputs[k], N, UPSWEEP_F64, UPSWEEP_DESCENDING);
            check_input(u, &inputs[k], 2 * N, UPSWEEP_U32, 0);
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Stretches that threads share, in scratch of 1 MB a thread and without that limit. */
static void shared_stretches(void **unused)
{
    (void)unused;
    enum { FIRST = 6, TWO_RUNS = 19, N = 1100003 };
    for (int i = 0; i < 3; i++) {
        upsweep_config c = {.threads = 2 + (unsigned)i};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = FIRST; k < sizeof inputs / sizeof *inputs; k++) {
            unsigned place = k % 2 ? UPSWEEP_IN_PLACE : 0;
            check_input(u, &inputs[k], N, UPSWEEP_I32, place);
            check_input(u, &inputs[k], N, UPSWEEP_U64, UPSWEEP_IN_PLACE - place);
        }
        for (size_t k = 0; k < 6; k++) { /* all runs at once, of different lengths */
            file_keys = N / (3 + 2 * (k % 3)) + 1000 * (k % 2);
            check_input(u, &files, N, wide_types[k], 0);
            check_input(u, &inputs[TWO_RUNS], N, wide_types[k], 0);
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Every type, with all the scratch that is asked for, not enough to merge runs, and none. */
static void types_and_scratch(void **unused)
{
    (void)unused;
    static const size_t limits[] = {0, 100000, 4096};
    enum { FIRST = 6, N = 29999 }; /* less than check_input asks for patterns of */
    for (int i = 0; i < 9; i++) {
        upsweep_config c = {.threads = 1, .scratch_limit = limits[i / 3]};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i % 3], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = FIRST; k < sizeof inputs / sizeof *inputs; k++) {
            for (size_t t = 0; t < 6; t++) {
                size_t n = inputs[k].rank == random_ends && i < 3 ? 10 * N : N; /* moves left far */
                check_input(u, &inputs[k], n, wide_types[t], 0);
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Rows, each of which one thread looks through, with scratch for that and without. */
static void rows(void **unused)
{
    (void)unused;
    enum { FIRST = 6, ROWS = 3 };
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST};
    static const size_t lengths[] = {1000, 1024, 2500, 20011};
    for (size_t i = 0; i < 12; i++) {
        upsweep_config c = {.threads = threads[i % 3], .scratch_limit = i < 9 ? 0 : 4096};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i % 3], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t k = FIRST; k < sizeof inputs / sizeof *inputs; k++) {
            for (size_t t = 0; t < 6; t++) {
                size_t n = lengths[(i / 3 + k) % 4], bytes = upsweep_type_bytes(wide_types[t]);
                upsweep_options o = {.flags = flags[(i / 3 + t) % 3]};
                unsigned char *keys = malloc(ROWS * n * bytes);
                tally before[ROWS];
                for (size_t r = 0; r < ROWS; r++) {
                    for (size_t at = 0; at < n; at++) {
                        uint64_t rank = inputs[k].rank(at, n, UINT64_MAX >> (64 - 8 * bytes));
                        store_rank(keys + r * n * bytes, at, wide_types[t], rank);
                    }
                    before[r] = tally_of(keys + r * n * bytes, n, bytes);
                }
                assert_int_equal(
                    upsweep_sort_rows(u, keys, ROWS * n, wide_types[t], NULL, ROWS, NULL, 0, &o),
                    UPSWEEP_OK);
                for (size_t r = 0; r < ROWS; r++) {
                    check_sorted(keys + r * n * bytes, n, wide_types[t], o.flags, before[r]);
                }
                free(keys);
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Files of some hundred keys, several of which are one chunk: merged, unless they are too many. */
static void short_files(void **unused)
{
    (void)unused;
    static const size_t counts[] = {3, 4, 8, 9, 16, 32, 33, 60};
    for (size_t i = 0; i < 3 * 8 * 6; i++) {
        upsweep *u;
        upsweep_config c = {.threads = threads[i % 3]};
        upsweep_report r = UPSWEEP_REPORT_INIT;
        setenv("UPSWEEP_ISA", isas[i % 3], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        upsweep_type t = wide_types[i / 3 % 6];
        size_t bytes = upsweep_type_bytes(t);
        file_keys = 100 + 100 * (i / 3 % 4);
        size_t n = usw_max(1024, counts[i / 18] * file_keys), count = usw_div_up(n, file_keys);
        check_input(u, &files, n, t, 0);
        upsweep_last_report(u, &r);
        bool digits =
            !usw_type_is_float(t) && (i % 3 == USW_PORTABLE || (i % 3 == USW_AVX2 && bytes == 8));
        bool merged = count <= (digits ? 8 : 32) && n / count >= 256;
        assert_int_equal(strcmp(r.algorithm, "runs merged") == 0, merged);
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognised),        cmocka_unit_test(shared_values),
        cmocka_unit_test(shared_stretches),  cmocka_unit_test(short_files),
        cmocka_unit_test(types_and_scratch), cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

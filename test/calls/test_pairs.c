/* test_pairs.c - sort_pairs and argsort against a serial stable merge sort of the mapped keys, for
 * every type, size, pattern, instruction set, thread count and sort that has a CPU form. Stability
 * shows in the values: they are the positions. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/handles.h"
#include "test/shared/pairs_common.h"

static const size_t sizes[] = {0, 1, 2, 3, 7, 16, 24, 25, 33, 64, 100, 255, 257, 1000, 4097, 20011};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
static const size_t value_sizes[] = {1, 2, 3, 4, 8, 12, 16, 40};
enum { VALUE_SIZES = sizeof value_sizes / sizeof value_sizes[0] };
static const unsigned flag_sets[] = {0,
                                     UPSWEEP_DESCENDING,
                                     UPSWEEP_NAN_FIRST,
                                     UPSWEEP_NAN_RAW | UPSWEEP_DESCENDING,
                                     UPSWEEP_UNSTABLE,
                                     UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST};

/* Two long arrays of three are left out under sanitizers, one of two in the check of every change.
 * What takes turns with six sets of flags is to meet them all. */
static bool left_out(unsigned turn)
{
    return test_small() ? turn % 3 != 0 : !test_thorough() && (turn + turn / 6) % 2 != 0;
}

static void all_types_and_sizes(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)isa;
        unsigned turn = 0;
        for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            for (size_t s = 0; s < SIZES; s++) {
                for (int p = 0; p < PATTERNS; p++, turn++) {
                    upsweep_options o = {.flags = flag_sets[turn % 6]};
                    check_pairs(u, sizes[s], t, value_sizes[turn % VALUE_SIZES], p, o);
                    check_argsort(u, sizes[s], t, turn % 2 ? 32 : 64, p, o);
                }
            }
        }
        upsweep_close(u);
    }
}

static void big_arrays(void **state)
{
    (void)state;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_I32, UPSWEEP_F64, UPSWEEP_U64};
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            upsweep *u = open_with(threads, 0);
            u->isa = (usw_isa)isa;
            for (int p = 0; p < PATTERNS; p++) {
                if (left_out((unsigned)(p + isa) + threads / 2)) {
                    continue;
                }
                upsweep_options o = {.flags = p % 2 ? UPSWEEP_DESCENDING : 0};
                upsweep_type t = types[(unsigned)p % 4],
                             t2 = types[(unsigned)(p + 1 + threads) % 4];
                check_pairs(u, 300007, t, value_sizes[(unsigned)p % VALUE_SIZES], p, o);
                check_argsort(u, 300007, t2, 32, p, o);
            }
            upsweep_close(u);
        }
    }
    /* Long enough for buckets that are split again. */
    upsweep *u = open_with(2, 0);
    for (int p = 0; p < PATTERNS; p += test_small() ? 3 : 1) {
        upsweep_options o = {.flags = p % 2 ? UPSWEEP_DESCENDING : 0};
        check_pairs(u, 900011, UPSWEEP_F32, 4, p, o);
        if (p % 3 != 0 && !test_thorough()) {
            continue;
        }
        check_pairs(u, 300011, UPSWEEP_I64, p % 2 ? 16 : 8, p, o);
        check_argsort(u, 400011, UPSWEEP_U64, 32, p, o);
    }
    upsweep_close(u);
}

/* Keys of 32 bits and what they carry are words of 64 from the start. */
static void words(void **state)
{
    (void)state;
    static const size_t some[] = {300,  1000, 1024, 1025,  2049,  4095,
                                  4096, 8191, 9001, 66001, 600011};
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_F32};
    unsigned turn = 0;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        upsweep *u = open_with(threads, 0);
        for (size_t s = 0; s < sizeof some / sizeof some[0]; s++) {
            for (int p = 0; p < WORD_PATTERNS; p++, turn++) {
                if (some[s] > 50000 && left_out(turn)) {
                    continue;
                }
                upsweep_options o = {.flags = flag_sets[turn % 6]};
                check_pairs(u, some[s], types[turn % 3], 4, p, o);
                check_argsort(u, some[s], types[(turn + 1) % 3], 32, p, o);
                o.bit_begin = turn % 5;
                o.bit_end = 32 - turn % 7;
                check_pairs(u, some[s], types[(turn + 2) % 3], 4, p, o);
                check_argsort(u, some[s], types[turn % 3], 64, p, o);
            }
        }
        upsweep_close(u);
    }
    /* Round the cache by threads together, in ranges that begin within a line, too. */
    upsweep *u = open_with(3, 0);
    for (int p = 0; p < WORD_PATTERNS; p += test_small() ? 4 : 1) {
        upsweep_options o = {.flags = flag_sets[p % 6]};
        check_pairs(u, ((size_t)1 << 22) + 77, types[p % 3], 4, p, o);
    }
    upsweep_close(u);
}

/* Keys of 64 bits and what they carry are scattered together; in ranges that are split first, too,
 * and split again. */
static void units(void **state)
{
    (void)state;
    static const size_t some[] = {2,    9,    300,  511,   512,   1024,
                                  1025, 8191, 8192, 65536, 65537, 262144};
    static const upsweep_type types[] = {UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_F64};
    static const size_t value_bytes[] = {8, 1, 4, 2, 16};
    unsigned turn = 0;
    for (int isa = USW_AVX2; isa <= (int)usw_best_isa(); isa++) {
        for (size_t s = 0; s < sizeof some / sizeof some[0]; s++) {
            upsweep *u = open_with(s % 3 == 2 ? 3 : 1, 0);
            u->isa = (usw_isa)isa;
            values_of_counted = 40 + some[s] / 300;
            for (int p = 0; p < WIDE_PATTERNS; p++, turn++) {
                if (some[s] > 50000 && left_out(turn)) {
                    continue;
                }
                upsweep_options o = {.flags = flag_sets[turn % 6]};
                check_pairs(u, some[s], types[turn % 3], value_bytes[turn % 5], p, o);
                check_argsort(u, some[s], types[(turn + 1) % 3], turn % 2 ? 32 : 64, p, o);
            }
            upsweep_close(u);
        }
    }
}

/* As many values as are placed by value, and more; by several threads in the largest size. */
static void few_values(void **state)
{
    (void)state;
    static const size_t some[] = {1023, 1024, 1025, 9001, 530001};
    static const unsigned counts[] = {2, 3, 6, 15, 16, 17, 19, 20, 21, 22, 31, 32, 33, 40};
    unsigned turn = 0;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        for (size_t s = 0; s < sizeof some / sizeof some[0]; s++) {
            upsweep *u = open_with(s % 2 ? 1 : 3, 0);
            u->isa = (usw_isa)isa;
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++, turn++) {
                if (some[s] > 50000 && left_out(turn)) {
                    continue;
                }
                upsweep_type t = UPSWEEP_U8 + turn % (UPSWEEP_F64 - UPSWEEP_U8 + 1);
                upsweep_options o = {.flags = flag_sets[turn % 6]};
                int p = COUNTED + turn / 3 % 2;
                values_of_counted = counts[c];
                check_pairs(u, some[s], turn % 2 ? UPSWEEP_U64 : UPSWEEP_F32, turn % 2 ? 8 : 4, p,
                            o);
                check_argsort(u, some[s], t, turn % 3 ? 32 : 64, p, o);
                check_pairs(u, some[s] / 8 + 1000, t, value_sizes[turn % VALUE_SIZES], p, o);
            }
            upsweep_close(u);
        }
    }
}

static void bit_ranges(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        unsigned bits = (unsigned)upsweep_type_bytes(t) * 8;
        for (unsigned lo = 0; lo < bits; lo += bits / 4 + 1) {
            for (unsigned hi = lo + 1; hi <= bits; hi += bits / 4 + 1) {
                upsweep_options o = {.bit_begin = lo, .bit_end = hi};
                check_pairs(u, 3001, t, value_sizes[(lo + hi) % VALUE_SIZES], UNIFORM, o);
                check_argsort(u, 3001, t, 64, SKEWED, o);
            }
        }
    }
    upsweep_close(u);
}

/* Every sort that has a CPU form is a stable argsort, since it sees distinct words. */
static void every_algorithm(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)isa;
        for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            check_copy(u, 130, t, t % 2 ? 64 : 32, t % PATTERNS, (upsweep_options){0});
            check_copy(u, 9000, t, t % 2 ? 32 : 64, (t + 1) % PATTERNS, (upsweep_options){0});
            check_copy(u, 9000, t, 64, SORTED, (upsweep_options){0});
        }
        for (size_t a = 0; usw_entry_at(a) != NULL; a++) {
            const usw_entry *e = usw_entry_at(a);
            if (!e->has_cpu || strcmp(e->row->info.operation, "sort") != 0) {
                continue;
            }
            for (int p = 0; p < PATTERNS; p++) {
                upsweep_options o = {.algorithm = e->row->info.name};
                check_pairs(u, 3001, UPSWEEP_I16, 4, p, o);
                check_pairs(u, 777, UPSWEEP_F32, 12, p, o);
                check_pairs(u, 1025, UPSWEEP_I64, 8, p, o);
                check_argsort(u, 2049, UPSWEEP_F64, 32, p, o);
                check_argsort(u, 2049, UPSWEEP_U32, 64, p, o);
                for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
                    check_copy(u, 130, t, t % 2 ? 32 : 64, p, o);
                }
                o.bit_begin = 3;
                o.bit_end = 13;
                check_pairs(u, 999, UPSWEEP_U64, 2, p, o);
                check_copy(u, 999, UPSWEEP_U16, 32, p, o);
                check_argsort(u, 999, UPSWEEP_U32, 32, p, o);
                upsweep_report r = UPSWEEP_REPORT_INIT;
                upsweep_last_report(u, &r);
                assert_string_equal(r.algorithm, e->row->info.name);
            }
        }
        upsweep_close(u);
    }
}

/* With too little scratch a call fails as it says, and touches nothing. */
static void scratch_limits(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint64_t *keys = malloc(N * 8), *values = malloc(N * 8), *index = malloc(N * 8);
    unsigned failed = 0, passed = 0;
    for (size_t limit = 1000; limit < 4000000; limit = limit * 5 / 4) {
        for (size_t vb = 4; vb <= 8; vb += 4) {
            upsweep *u = open_with(2, limit);
            for (size_t i = 0; i < N; i++) {
                keys[i] = N - i;
                values[i] = i;
                index[i] = 5;
            }
            upsweep_status s =
                upsweep_sort_pairs(u, keys, values, N / vb * 4, UPSWEEP_U32, vb, NULL);
            if (s != UPSWEEP_OK) {
                assert_int_equal(s, UPSWEEP_ERROR_MEMORY);
                assert_true(upsweep_error(u)[0] != 0);
                for (size_t i = 0; i < N; i++) {
                    assert_true(keys[i] == N - i && values[i] == i);
                }
                failed++;
            } else {
                passed++;
            }
            s = upsweep_argsort(u, keys, N, UPSWEEP_U64, index, 64, NULL);
            assert_true(s == UPSWEEP_OK || (s == UPSWEEP_ERROR_MEMORY && index[0] == 5));
            upsweep_close(u);
        }
    }
    assert_true(failed > 0 && passed > 0);
    free(keys), free(values), free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_and_sizes),
        cmocka_unit_test(big_arrays),
        cmocka_unit_test(words),
        cmocka_unit_test(units),
        cmocka_unit_test(few_values),
        cmocka_unit_test(bit_ranges),
        cmocka_unit_test(every_algorithm),
        cmocka_unit_test(scratch_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

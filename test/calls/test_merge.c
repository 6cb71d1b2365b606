/* test_merge.c - merge and merge_runs against a serial merge of mapped keys: every type,
 * instruction set, list lengths around the vector width, patterns that interleave, overlap or do
 * not meet; lists that are not sorted must give a permutation. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/shared/inputs.h"
#include "core/keymap.h"
#include "cpu/cpu.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    return input_random(&seed);
}

static upsweep *open_with(int isa, unsigned threads, size_t limit)
{
    upsweep *u = NULL;
    upsweep_config c = {.threads = threads, .scratch_limit = limit};
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    u->isa = (usw_isa)isa;
    return u;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A list of raw keys, sorted by the map; pattern 0 uniform, 1 few values, 2 a narrow part of the
 * range, so that lists may lie apart, 3 nearly all equal. */
static void make_list(unsigned char *raw, size_t n, size_t bytes, const usw_keymap *map,
                      unsigned pattern)
{
    uint64_t *k = malloc((n + 1) * sizeof *k);
    uint64_t all = UINT64_MAX >> (64 - map->bits), base = next();
    for (size_t i = 0; i < n; i++) {
        uint64_t x = next();
        k[i] = pattern == 0   ? x
               : pattern == 1 ? x % 5 * (all / 7)
               : pattern == 2 ? base + x % 64
                              : x % 50 == 0;
        k[i] &= all;
    }
    qsort(k, n, sizeof *k, by_value);
    for (size_t i = 0; i < n; i++) {
        usw_store_raw(raw + i * bytes, bytes, usw_unmap_key(map, k[i]));
    }
    free(k);
}

/* All keys of the lists, mapped and sorted. */
static uint64_t *expected(const unsigned char *const *lists, const size_t *counts, size_t k,
                          size_t bytes, const usw_keymap *map, size_t n)
{
    uint64_t *e = malloc((n + 1) * sizeof *e);
    size_t at = 0;
    for (size_t r = 0; r < k; r++) {
        for (size_t i = 0; i < counts[r]; i++) {
            e[at++] = usw_map_key(map, usw_load_raw(lists[r] + i * bytes, bytes));
        }
    }
    qsort(e, n, sizeof *e, by_value);
    return e;
}

static void check_out(const uint64_t *e, const unsigned char *out, size_t n, size_t bytes,
                      const usw_keymap *map, const char *what, upsweep_type type)
{
    for (size_t i = 0; i < n; i++) {
        if (usw_map_key(map, usw_load_raw(out + i * bytes, bytes)) != e[i]) {
            fail_msg("%s: type %s n %zu: wrong at %zu", what, upsweep_type_name(type), n, i);
        }
    }
}

static void merge_once(upsweep *u, size_t na, size_t nb, upsweep_type type, unsigned flags,
                       unsigned pattern)
{
    size_t bytes = upsweep_type_bytes(type), n = na + nb;
    usw_keymap map = usw_keymap_of(type, flags);
    unsigned char *a = malloc(na * bytes + 1), *b = malloc(nb * bytes + 1);
    unsigned char *out = malloc(n * bytes + 1);
    const unsigned char *lists[2] = {a, b};
    size_t counts[2] = {na, nb};
    upsweep_options o = {.flags = flags};
    make_list(a, na, bytes, &map, pattern);
    make_list(b, nb, bytes, &map, pattern);
    out[n * bytes] = 66;
    uint64_t *e = expected(lists, counts, 2, bytes, &map, n);
    assert_int_equal(upsweep_merge(u, a, na, b, nb, out, type, &o), UPSWEEP_OK);
    check_out(e, out, n, bytes, &map, "merge", type);
    assert_int_equal(out[n * bytes], 66);
    free(e), free(a), free(b), free(out);
}

static const unsigned flag_sets[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW};

static void two_lists(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,  1,  2,  7,  15,  16,  17,   31,
                                   33, 63, 64, 65, 127, 130, 1000, 5003};
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        unsigned turn = 0;
        for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            for (size_t i = 0; i < 16; i++) {
                for (size_t j = 0; j < 16; j++, turn++) {
                    merge_once(u, sizes[i], sizes[j], t, flag_sets[turn / 3 % 4], turn % 4);
                }
            }
        }
        upsweep_close(u);
    }
}

static void long_lists(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        for (unsigned threads = 1; threads <= 3; threads++) {
            upsweep *u = open_with(isa, threads, 0);
            merge_once(u, 200003, 100001, UPSWEEP_U32, 0, 0);
            merge_once(u, 300001, 17, UPSWEEP_U64, 0, 0);
            merge_once(u, 100, 200001, UPSWEEP_F32, UPSWEEP_DESCENDING, 0);
            merge_once(u, 100003, 99001, UPSWEEP_I16, 0, threads);
            merge_once(u, 100003, 99001, UPSWEEP_U8, 0, threads);
            upsweep_close(u);
        }
    }
}

static void many_runs(void **state)
{
    (void)state;
    enum { K_MAX = 40 };
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            size_t bytes = upsweep_type_bytes(t);
            for (size_t k = 0; k < K_MAX; k += k < 10 ? 1 : 7) {
                unsigned flags = flag_sets[k % 4];
                usw_keymap map = usw_keymap_of(t, flags);
                unsigned char *lists[K_MAX];
                size_t counts[K_MAX], n = 0;
                for (size_t r = 0; r < k; r++) {
                    counts[r] = next() % 5 == 0 ? 0 : next() % (r % 3 ? 300 : 3000);
                    lists[r] = malloc(counts[r] * bytes + 1);
                    make_list(lists[r], counts[r], bytes, &map, (unsigned)(r % 4));
                    n += counts[r];
                }
                const unsigned char *const *in = (const unsigned char *const *)lists;
                uint64_t *e = expected(in, counts, k, bytes, &map, n);
                unsigned char *out = malloc(n * bytes + 1);
                out[n * bytes] = 66;
                upsweep_options o = {.flags = flags};
                assert_int_equal(
                    upsweep_merge_runs(u, (const void *const *)lists, counts, k, out, t, &o),
                    UPSWEEP_OK);
                check_out(e, out, n, bytes, &map, "merge_runs", t);
                assert_int_equal(out[n * bytes], 66);
                for (size_t r = 0; r < k; r++) {
                    free(lists[r]);
                }
                free(e), free(out);
            }
        }
        upsweep_close(u);
    }
}

/* many: half of the keys are the greatest, as those are that vectors are filled up with. */
static void make_unsorted(unsigned char *list, size_t n, size_t bytes, bool many)
{
    for (size_t i = 0; i < n; i++) {
        bool greatest = many && next() % 2 == 0;
        for (size_t k = 0; k < bytes; k++) {
            list[i * bytes + k] = greatest ? 0xff : (unsigned char)next();
        }
    }
}

/* Arrays that end (a: begin, b) where memory ends: a read or write outside is a crash. */
static void unsorted_between_guards(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 40 * page;
    char *area[3];
    for (int i = 0; i < 3; i++) {
        area[i] = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(area[i] != MAP_FAILED);
        assert_int_equal(mprotect(area[i] + page, room, PROT_READ | PROT_WRITE), 0);
    }
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_U16,
                                         UPSWEEP_U8};
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        for (unsigned round = 0; round < 150; round++) {
            upsweep_type t = types[round % 5];
            size_t bytes = upsweep_type_bytes(t), half = room / bytes / 2;
            size_t na = next() % (round % 2 ? 200 : half), nb = next() % (round % 3 ? 300 : half);
            char *end[3] = {area[0] + page + room, area[1] + page + room, area[2] + page + room};
            unsigned char *a = (unsigned char *)end[0] - na * bytes,
                          *b = (unsigned char *)area[1] + page;
            unsigned char *out = (unsigned char *)end[2] - (na + nb) * bytes;
            make_unsorted(a, na, bytes, round % 4 == 0);
            make_unsorted(b, nb, bytes, round % 4 == 0);
            const unsigned char *lists[2] = {a, b}, *result[1] = {out};
            size_t counts[2] = {na, nb}, n = na + nb;
            usw_keymap raw = usw_keymap_of(UPSWEEP_U8, 0);
            raw.bits = (unsigned)bytes * 8;
            uint64_t *e = expected(lists, counts, 2, bytes, &raw, n);
            assert_int_equal(upsweep_merge(u, a, na, b, nb, out, t, NULL), UPSWEEP_OK);
            uint64_t *got = expected(result, &n, 1, bytes, &raw, n);
            assert_memory_equal(e, got, n * sizeof *e);
            free(got);
            memset(out, 0, n * bytes);
            assert_int_equal(
                upsweep_merge_runs(u, (const void *const *)lists, counts, 2, out, t, NULL),
                UPSWEEP_OK);
            got = expected(result, &n, 1, bytes, &raw, n);
            assert_memory_equal(e, got, n * sizeof *e);
            free(got), free(e);
        }
        upsweep_close(u);
    }
    for (int i = 0; i < 3; i++) {
        munmap(area[i], room + 2 * page);
    }
}

/* merge_over writes over its second list from below. */
static void overlapping(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 1, 0);
        const usw_merge_steps *part = USW_PICK(u->isa, usw_merge_steps);
        for (unsigned round = 0; round < 400; round++) {
            unsigned width = round % 4;
            size_t bytes = (size_t)1 << width, na = next() % 300, nb = next() % 400;
            usw_keymap map = usw_keymap_of(width == 0   ? UPSWEEP_U8
                                           : width == 1 ? UPSWEEP_U16
                                           : width == 2 ? UPSWEEP_U32
                                                        : UPSWEEP_U64,
                                           0);
            unsigned char *a = malloc(na * bytes + 1), *out = malloc((na + nb) * bytes + 1);
            unsigned char *b = out + na * bytes;
            make_list(a, na, bytes, &map, round / 4 % 4);
            make_list(b, nb, bytes, &map, round / 4 % 4);
            const unsigned char *lists[2] = {a, b};
            size_t counts[2] = {na, nb};
            uint64_t *e = expected(lists, counts, 2, bytes, &map, na + nb);
            part->merge_over[width](a, na, b, nb, out);
            check_out(e, out, na + nb, bytes, &map, "merge_over", UPSWEEP_U8);
            free(e), free(a), free(out);
        }
        upsweep_close(u);
    }
}

static void bad_arguments(void **state)
{
    (void)state;
    upsweep *u = open_with(usw_best_isa(), 2, 100000);
    uint32_t a[4] = {1, 2, 3, 4}, out[8];
    const void *runs[3] = {a, NULL, a};
    size_t counts[3] = {4, 1, 4}, huge[2] = {SIZE_MAX / 2, SIZE_MAX / 2};
    const upsweep_type T = UPSWEEP_U32, NONE = (upsweep_type)0;
    upsweep_options o = {.flags = UPSWEEP_UNSTABLE};
    assert_int_equal(upsweep_merge(NULL, a, 4, a, 4, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, NULL, 4, a, 4, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, a, 4, NULL, 4, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, a, 4, a, 4, NULL, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, a, 4, a, 4, out, NONE, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, a, SIZE_MAX / 2, a, 4, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, a, 4, a, 4, out, T, &o), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge(u, NULL, 0, NULL, 0, NULL, T, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_merge_runs(u, runs, counts, 3, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    counts[1] = 0;
    assert_int_equal(upsweep_merge_runs(u, runs, counts, 3, NULL, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_merge_runs(u, runs, counts, 3, out, T, NULL), UPSWEEP_OK);
    assert_int_equal(out[7], 4);
    runs[1] = a;
    assert_int_equal(upsweep_merge_runs(u, runs, huge, 2, out, T, NULL), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.algorithm = "sort/radix"};
    assert_int_equal(upsweep_merge(u, a, 4, a, 4, out, T, &o), UPSWEEP_ERROR_ALGORITHM);
    uint32_t *big = calloc(200000, 4), *big_out = calloc(400000, 4);
    const void *bigs[3] = {big, big, big};
    size_t many[3] = {100000, 100000, 100000};
    big_out[0] = 7;
    assert_int_equal(upsweep_merge_runs(u, bigs, many, 3, big_out, T, NULL), UPSWEEP_ERROR_MEMORY);
    assert_int_equal(big_out[0], 7);
    assert_true(strlen(upsweep_error(u)) > 10);
    free(big), free(big_out);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_lists),   cmocka_unit_test(long_lists),
        cmocka_unit_test(many_runs),   cmocka_unit_test(unsorted_between_guards),
        cmocka_unit_test(overlapping), cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

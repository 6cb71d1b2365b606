/* test_sort_small.c - short calls of upsweep_sort: few keys of every count, type and order, on
 * every instruction set, between pages that cannot be touched; the networks by zeros and ones; keys
 * that are all equal but for one; and what the report says of calls that take no lock. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/shared/guard.h"
#include "test/shared/inputs.h"
#include "cpu/cpu.h"
#include "test/shared/key_order.h"

enum {
    MOST = 600,    /* keys: some more than are sorted so */
    LONGEST = 1100 /* and than are sorted without a partition */
};

static const char *const isas[] = {"portable", "avx2", "avx512"};

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

/* ---- inputs: the rank of key i of n ---- */

enum { PATTERNS = 10 };

static uint64_t rank_of(unsigned pattern, size_t i, size_t n, uint64_t all)
{
    uint64_t step = all / n;
    switch (pattern) {
    case 0: return next() & all;
    case 1: return step * i;
    case 2: return step * (n - i);
    case 3: return all / 3;
    case 4: return i == n / 2 ? all / 5 : all / 3;         /* one key is another */
    case 5: return step * (i + 2 < n ? i : 2 * n - 3 - i); /* the last two are exchanged */
    case 6: return i + 1 < n ? step * (n - i) : all;       /* falls but for the last */
    case 7: return step * (n - i) / 8 * 8;                 /* falls, with equals */
    case 8: return next() % 3 * (all / 2);
    default: return step * (i < n / 2 ? i : n - i);
    }
}

static const char *reason_for(unsigned pattern, size_t n)
{
    return pattern == 1 || pattern == 3 ? "already in order"
           : pattern == 2 && n > 1      ? "in falling order"
                                        : NULL;
}

static void check_one(upsweep *u, unsigned pattern, size_t n, upsweep_type type, unsigned flags)
{
    size_t bytes = upsweep_type_bytes(type);
    guarded g = guard_new(n * bytes, (n + pattern) % 2);
    usw_keymap map = usw_keymap_of(type, 0);
    uint64_t all = UINT64_MAX >> (64 - 8 * bytes);
    for (size_t i = 0; i < n; i++) {
        usw_store_raw(g.at + i * bytes, bytes,
                      usw_unmap_key(&map, rank_of(pattern, i, n, all) & all));
    }
    tally before = tally_of(g.at, n, bytes);
    upsweep_options o = {.flags = flags};
    assert_int_equal(upsweep_sort(u, g.at, n, type, flags == 0 ? NULL : &o), UPSWEEP_OK);
    check_sorted(g.at, n, type, flags, before);
    assert_true(guard_intact(&g));
    guard_free(&g);
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &r);
    const char *says = reason_for(pattern, n);
    if (flags == 0 && n < 250 && says != NULL && strstr(r.reason, says) == NULL) {
        fail_msg("pattern %u, %zu keys of %s: %s", pattern, n, upsweep_type_name(type), r.reason);
    }
    if (n <= USW_SMALL) {
        bool ordered = strstr(r.reason, "order") != NULL;
        assert_string_equal(r.algorithm, !ordered                      ? "sort/quick"
                                         : strstr(r.reason, "falling") ? "reversed"
                                                                       : "in order");
        assert_int_equal(r.scratch_bytes, 0);
    }
}

static void every_count(void **unused)
{
    (void)unused;
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_RAW,
                                     UPSWEEP_NAN_FIRST | UPSWEEP_DESCENDING};
    for (int isa = 0; isa < 3; isa++) {
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[isa], 1);
        assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
        for (size_t n = 1; n <= MOST; n++) {
            for (unsigned t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
                unsigned pattern = (unsigned)(n / 4 + t + (unsigned)isa) % PATTERNS;
                state = n * t;
                check_one(u, 0, n, (upsweep_type)t, flags[(n + t) % 4]);
                check_one(u, pattern, n, (upsweep_type)t, flags[n % 4]);
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* In order but for stretches of one to three keys that are exchanged, many of them equal: such as
 * are mended, and such as would not be by taking out the keys at their borders. */
static void disordered(uint64_t *rank, size_t n, unsigned exchanges)
{
    unsigned equals = (unsigned)(next() % 5);
    for (size_t i = 0; i < n; i++) {
        rank[i] = (i >> equals) + 1;
    }
    for (unsigned e = 0; e < exchanges; e++) {
        size_t length = 1 + next() % 3, i = next() % (n - length), j = next() % (n - length);
        for (size_t k = 0; k < length; k++) {
            uint64_t x = rank[i + k];
            rank[i + k] = rank[j + k];
            rank[j + k] = x;
        }
    }
}

static void almost_in_order(void **unused)
{
    (void)unused;
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_F32,
                                         UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_F64};
    for (int isa = 0; isa < 3; isa++) {
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[isa], 1);
        assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
        for (unsigned turn = 0; turn < 20000; turn++) {
            upsweep_type type = types[turn % 6];
            size_t n = 80 + next() % 440, bytes = upsweep_type_bytes(type);
            usw_keymap map = usw_keymap_of(type, 0);
            bool real = type == UPSWEEP_F32 || type == UPSWEEP_F64; /* then not about -0 */
            uint64_t rank[MOST], middle = (UINT64_C(1) << (8 * bytes - 1 - real)) - n / 2;
            guarded g = guard_new(n * bytes, turn % 2);
            disordered(rank, n, 1 + turn / 6 % 4);
            for (size_t i = 0; i < n; i++) { /* integers of both signs */
                usw_store_raw(g.at + i * bytes, bytes, usw_unmap_key(&map, middle + rank[i]));
            }
            tally before = tally_of(g.at, n, bytes);
            assert_int_equal(upsweep_sort(u, g.at, n, type, NULL), UPSWEEP_OK);
            check_sorted(g.at, n, type, 0, before);
            assert_true(guard_intact(&g));
            guard_free(&g);
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* A network that sorts all zeros and ones sorts all keys (D. Knuth, The Art of Computer Programming
 * 3, 5.3.4). Of each count come those that are sorted but for a stretch, and some at random. */
static void zeros_and_ones(void **unused)
{
    (void)unused;
    static const usw_cache_sort_steps *const parts[] = USW_ALL_ISAS(usw_cache_sort_steps);
    for (int isa = 0; isa <= (int)usw_best_isa(); isa++) {
        for (unsigned width = 1; width < USW_WIDTHS; width++) {
            size_t bytes = (size_t)1 << width;
            for (size_t n = 2; n <= LONGEST; n += n < USW_SMALL ? 1 : 19) {
                for (unsigned turn = 0; turn < 24; turn++) {
                    usw_u128 keys[LONGEST] = {0};
                    size_t ones = 0;
                    unsigned share = 1 + (unsigned)(next() % 15);
                    for (size_t i = 0; i < n; i++) {
                        bool one = next() % 16 < share;
                        ones += one;
                        ((unsigned char *)keys)[i * bytes] = one;
                    }
                    parts[isa]->sort[width](keys, n);
                    for (size_t i = 0; i < n; i++) {
                        bool one = ((unsigned char *)keys)[i * bytes] == 1;
                        assert_int_equal(one, i >= n - ones);
                    }
                }
            }
        }
    }
}

/* All equal but for the key at `other`: the pass over equal keys must not miss it. */
static void equal_but_one(void **unused)
{
    (void)unused;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_F16, UPSWEEP_I32, UPSWEEP_F64};
    static const size_t sizes[] = {512, 513, 1023, 4096, 5001, 70001, 600000};
    for (int isa = 0; isa < 3; isa++) {
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[isa], 1);
        assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (size_t t = 0; t < 4; t++) {
                size_t n = sizes[s], bytes = upsweep_type_bytes(types[t]);
                const size_t other[] = {0, 1, 15, 16, 17, 511, n / 2, n - 2, n - 1, n};
                unsigned char *keys = malloc(n * bytes);
                for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
                    memset(keys, 0x41, n * bytes);
                    if (other[k] < n) {
                        keys[other[k] * bytes + k % bytes] = 0x40 + k % 2 * 2;
                    }
                    tally before = tally_of(keys, n, bytes);
                    assert_int_equal(upsweep_sort(u, keys, n, types[t], NULL), UPSWEEP_OK);
                    check_sorted(keys, n, types[t], 0, before);
                }
                upsweep_report r = UPSWEEP_REPORT_INIT;
                upsweep_last_report(u, &r);
                assert_non_null(strstr(r.reason, "already in order"));
                free(keys);
            }
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
}

/* Looks scrambled at the beginning and in the middle, where it is looked at, and is in order
 * elsewhere; and the other way round. Whatever is believed of it, it must be sorted. */
static void misleading(void **unused)
{
    (void)unused;
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (size_t n = 512; n < 200000; n = n * 3 + 1) {
        uint32_t *keys = malloc(n * sizeof *keys);
        for (unsigned turn = 0; turn < 4; turn++) {
            for (size_t i = 0; i < n; i++) {
                bool looked_at = i < 20 || (i >= n / 2 && i < n / 2 + 20);
                bool ordered = looked_at == (turn % 2 == 0);
                keys[i] = ordered ? (uint32_t)(turn < 2 ? i : n - i) : (uint32_t)next();
            }
            tally before = tally_of(keys, n, 4);
            assert_int_equal(upsweep_sort(u, keys, n, UPSWEEP_U32, NULL), UPSWEEP_OK);
            check_sorted(keys, n, UPSWEEP_U32, 0, before);
        }
        free(keys);
    }
    upsweep_close(u);
}

/* ---- the report ---- */

static void reports(void **unused)
{
    (void)unused;
    upsweep *u;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    uint32_t few[64], many[3000];
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (uint32_t i = 0; i < 3000; i++) {
        many[i] = i * 2654435761u;
        few[i % 64] = i % 64;
    }
    assert_int_equal(upsweep_sort_pairs(u, many, many + 1500, 1500, UPSWEEP_U32, 4, NULL),
                     UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_true(r.scratch_bytes > 0);
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_int_equal(r.scratch_bytes, 0);
    assert_string_equal(r.reason, "64 keys were already in order");
    /* A longer call comes after a short one of which nobody asked. */
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_options o = {.algorithm = "sort/radix"};
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_U32, &o), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "sort/radix");
    /* What is wrong is still said. */
    o = (upsweep_options){.flags = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW};
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_F32, &o), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, few, 64, (upsweep_type)0, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, few, 64, (upsweep_type)(UPSWEEP_F64 + 1), NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, NULL, 64, UPSWEEP_U32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, NULL, 0, UPSWEEP_U32, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(NULL, few, 64, UPSWEEP_U32, NULL), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.size = 1};
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.flags = 1u << 30};
    assert_int_equal(upsweep_sort(u, few, 64, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    upsweep_close(u);
}

static void *short_and_long(void *handle)
{
    enum { LONG = 5000 };
    uint32_t few[100], *many = malloc(LONG * sizeof *many);
    for (unsigned turn = 0; turn < 300; turn++) {
        for (uint32_t i = 0; i < LONG; i++) {
            many[i] = (i ^ turn) * 2654435761u;
            few[i % 100] = many[i];
        }
        assert_int_equal(upsweep_sort(handle, few, 100, UPSWEEP_U32, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_sort(handle, many, turn % 4 == 0 ? LONG : 1000, UPSWEEP_U32, NULL),
                         UPSWEEP_OK);
        for (unsigned i = 1; i < 1000; i++) {
            assert_true(many[i - 1] <= many[i] && few[i % 99] <= few[i % 99 + 1]);
        }
    }
    free(many);
    return NULL;
}

/* One handle, two threads: for a thread checker, and for the report's words. */
static void shared(void **unused)
{
    (void)unused;
    upsweep *u;
    pthread_t other;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(pthread_create(&other, NULL, short_and_long, u), 0);
    short_and_long(u);
    pthread_join(other, NULL);
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &r);
    assert_int_equal(strncmp(r.algorithm, "sort/", 5), 0);
    assert_non_null(strstr(r.reason, "keys"));
    upsweep_close(u);
}

/* Partitions of every count about which they change their stretches, with the room's ends guarded:
 * as many keys as are not greater than the pivot come first, and all are there still. */
static void partitions(void **unused)
{
    (void)unused;
    enum { LEAST = 64, COUNTS = 640 };
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[i], 1);
        assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
        const usw_cache_sort_steps *part = USW_PICK(u->isa, usw_cache_sort_steps);
        for (size_t n = LEAST; n < LEAST + COUNTS; n++) {
            for (unsigned width = 2; width < 4; width++) {
                size_t bytes = (size_t)1 << width, below = 0;
                guarded g = guard_new(n * bytes, n % 2);
                uint64_t all = UINT64_MAX >> (64 - 8 * bytes);
                uint64_t pivot = n % 5 == 0 ? all : n % 5 == 1 ? 0 : all / 100 * (next() % 100);
                for (size_t k = 0; k < n; k++) {
                    uint64_t x = next() % 7 == 0 ? pivot : next() & all;
                    usw_store_raw(g.at + k * bytes, bytes, x);
                    below += x <= pivot;
                }
                tally before = tally_of(g.at, n, bytes);
                assert_int_equal(part->partition[width](g.at, n, &pivot), below);
                for (size_t k = 0; k < n; k++) {
                    assert_true((usw_load_raw(g.at + k * bytes, bytes) <= pivot) == (k < below));
                }
                tally after = tally_of(g.at, n, bytes);
                assert_memory_equal(&before, &after, sizeof before);
                guard_free(&g);
            }
        }
        upsweep_close(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count),    cmocka_unit_test(almost_in_order),
        cmocka_unit_test(zeros_and_ones), cmocka_unit_test(equal_but_one),
        cmocka_unit_test(misleading),     cmocka_unit_test(reports),
        cmocka_unit_test(shared),         cmocka_unit_test(partitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

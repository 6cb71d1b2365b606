/* test_sort_by.c - upsweep_sort_by against a serial oracle: order, stability, any element size,
 * threads 1 to 8, small scratch, the number of compares, and orders that are none. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/shared/inputs.h"
#include "test/shared/handles.h"
#include "upsweep.h"

static upsweep *open_with(unsigned threads, size_t scratch_limit)
{
    upsweep_config c = {.size = sizeof c, .threads = threads, .scratch_limit = scratch_limit};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    return u;
}

enum { PATTERNS = 8 };

static uint32_t pattern_key(int pattern, size_t i, size_t n, uint64_t *state)
{
    uint32_t at = (uint32_t)i, r = (uint32_t)input_random(state);
    switch (pattern) {
    case 0: return r;
    case 1: return at;
    case 2: return (uint32_t)(n - i);
    case 3: return r % 5;
    case 4: return i < n / 2 ? at : (uint32_t)(n - i);
    case 5: return 7;
    case 6: return r % 100 == 0 ? r : at;
    default: return at % 1000; /* saw teeth */
    }
}

/* Elements start with key and position; wider ones repeat the position's low byte to the end, so
 * that a torn element shows. Elements of under 8 bytes are their first bytes only. */
static void fill(unsigned char *a, size_t n, size_t bytes, int pattern)
{
    uint64_t state = 42 + (uint64_t)pattern;
    for (size_t i = 0; i < n; i++) {
        uint32_t pair[2] = {pattern_key(pattern, i, n, &state), (uint32_t)i};
        memset(a + i * bytes, (int)(i & 255), bytes);
        memcpy(a + i * bytes, pair, bytes < 8 ? bytes : 8);
    }
}

typedef struct order {
    size_t bytes;
    atomic_size_t calls;
} order;

static int compare_keys(const void *a, const void *b, void *context)
{
    order *o = context;
    atomic_fetch_add_explicit(&o->calls, 1, memory_order_relaxed);
    uint32_t x = 0, y = 0;
    memcpy(&x, a, o->bytes < 4 ? o->bytes : 4);
    memcpy(&y, b, o->bytes < 4 ? o->bytes : 4);
    return x < y ? -5 : x > y;
}

/* The oracle: plain top-down merge sort. */
static void oracle(unsigned char *a, unsigned char *spare, size_t n, size_t bytes, order *o,
                   int sign)
{
    if (n < 2) {
        return;
    }
    size_t half = n / 2, i = 0, j = half;
    oracle(a, spare, half, bytes, o, sign);
    oracle(a + half * bytes, spare, n - half, bytes, o, sign);
    for (size_t k = 0; k < n; k++) {
        bool second =
            i == half || (j < n && sign * compare_keys(a + j * bytes, a + i * bytes, o) < 0);
        memcpy(spare + k * bytes, a + (second ? j++ : i++) * bytes, bytes);
    }
    memcpy(a, spare, n * bytes);
}

static void check_one(upsweep *u, size_t n, size_t bytes, int pattern, unsigned flags)
{
    size_t total = n * bytes, guard = 64;
    unsigned char *got = malloc(total + 2 * guard), *want = malloc(total + 1);
    unsigned char *spare = malloc(total + 1);
    memset(got, 0xA5, total + 2 * guard);
    fill(got + guard, n, bytes, pattern);
    memcpy(want, got + guard, total);
    order o = {.bytes = bytes};
    oracle(want, spare, n, bytes, &o, flags & UPSWEEP_DESCENDING ? -1 : 1);
    upsweep_options options = {.size = sizeof options, .flags = flags};
    assert_int_equal(upsweep_sort_by(u, got + guard, n, bytes, compare_keys, &o, &options),
                     UPSWEEP_OK);
    assert_memory_equal(got + guard, want, total);
    for (size_t i = 0; i < guard; i++) {
        assert_int_equal(got[i], 0xA5);
        assert_int_equal(got[guard + total + i], 0xA5);
    }
    free(got);
    free(want);
    free(spare);
}

static void test_sizes(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 5, 31, 32, 33, 64, 65, 100, 1000, 4099};
    upsweep *u = open_with(3, 0);
    for (size_t bytes = 1; bytes <= 200; bytes += bytes < 40 ? 1 : 13) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (int pattern = 0; pattern < PATTERNS; pattern++) {
                check_one(u, counts[c], bytes, pattern, pattern % 2 ? UPSWEEP_DESCENDING : 0);
            }
        }
    }
    upsweep_close(u);
}

static void test_threads(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 8, 12, 16, 24, 32, 80};
    const unsigned one_in = test_thorough() ? 2 : 4;
    for (unsigned threads = 1; threads <= 8; threads += threads < 3 || test_thorough() ? 1 : 2) {
        upsweep *u = open_with(threads, 0);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (unsigned pattern = (threads + s) % one_in; pattern < PATTERNS; pattern += one_in) {
                check_one(u, 40000 + 777 * threads, sizes[s], (int)pattern,
                          s % 2 ? UPSWEEP_DESCENDING : 0);
            }
        }
        upsweep_close(u);
    }
}

static void test_little_scratch(void **state)
{
    (void)state;
    static const size_t limits[] = {1, 64, 100, 5000, 70000, 200000};
    static const size_t sizes[] = {1, 4, 8, 48, 100, 300};
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            upsweep *u = open_with(threads, limits[l]);
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                for (int pattern = 0; pattern < PATTERNS; pattern++) {
                    check_one(u, threads == 1 ? 1500 : 9001, sizes[s], pattern, 0);
                }
                upsweep_report r = UPSWEEP_REPORT_INIT;
                upsweep_last_report(u, &r);
                assert_true(r.scratch_bytes <= limits[l]);
            }
            upsweep_close(u);
        }
    }
}

static void test_in_place(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        upsweep *u = open_with(threads, 0);
        for (int pattern = threads % 2; pattern < PATTERNS; pattern += 2) {
            check_one(u, 60000, 80, pattern, UPSWEEP_IN_PLACE);
            upsweep_report r = UPSWEEP_REPORT_INIT;
            upsweep_last_report(u, &r);
            assert_true(r.scratch_bytes <= (size_t)threads << 20);
        }
        upsweep_close(u);
    }
}

static void *refuse(void *context, size_t bytes, size_t alignment)
{
    (void)context, (void)bytes, (void)alignment;
    return NULL;
}

static void ignore(void *context, void *pointer, size_t bytes)
{
    (void)context, (void)pointer, (void)bytes;
}

static void test_no_memory(void **state)
{
    (void)state;
    upsweep_config c = {.size = sizeof c, .threads = 2, .allocate = refuse, .release = ignore};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        check_one(u, 9000, 8, pattern, 0);
        check_one(u, 2000, 99, pattern, 0);
    }
    upsweep_close(u);
}

static size_t compares_for(upsweep *u, size_t n, int pattern)
{
    unsigned char *a = malloc(n * 8);
    fill(a, n, 8, pattern);
    order o = {.bytes = 8};
    assert_int_equal(upsweep_sort_by(u, a, n, 8, compare_keys, &o, NULL), UPSWEEP_OK);
    free(a);
    return atomic_load(&o.calls);
}

static void test_compares(void **state)
{
    (void)state;
    size_t n = 1 << 17;
    for (unsigned threads = 1; threads <= 4; threads++) {
        upsweep *u = open_with(threads, 0);
        assert_int_equal(compares_for(u, n, 1), n - 1);
        assert_int_equal(compares_for(u, n, 5), n - 1);
        assert_true(compares_for(u, n, 2) <= n + 1000);
        assert_true(compares_for(u, n, 4) <= 4 * n);
        assert_true(compares_for(u, n, 0) <= 17 * n);
        upsweep_close(u);
    }
}

/* ---- orders that are none ---- */

typedef struct liar {
    int kind;
    atomic_size_t calls;
    const unsigned char *lows, *low_end; /* the array */
} liar;

static int compare_lying(const void *a, const void *b, void *context)
{
    liar *l = context;
    uint64_t call = atomic_fetch_add_explicit(&l->calls, 1, memory_order_relaxed), x, y;
    memcpy(&x, a, sizeof x); /* a read outside the array or scratch shows under ASan */
    memcpy(&y, b, sizeof y);
    switch (l->kind) {
    case 0: return -1;
    case 1: return 1;
    case 2: return 0;
    case 3: return (int)(input_random(&call) % 3) - 1;
    case 4: return (int)((x * 7 + y * 3) % 5) - 2;                     /* not antisymmetric */
    case 5: return x % 3 == y % 3 ? 0 : (x + 1) % 3 == y % 3 ? -1 : 1; /* stone, scissors, paper */
    case 6: return call % 2 ? INT32_MIN : INT32_MAX;
    default: return call % 1000 < 500 ? (x < y ? -1 : x > y) : (x > y ? -1 : x < y);
    }
}

static void check_permutation(const unsigned char *a, size_t n, size_t bytes)
{
    unsigned char *seen = calloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t x;
        memcpy(&x, a + i * bytes, sizeof x);
        assert_true(x < n);
        assert_int_equal(seen[x]++, 0);
        for (size_t k = 8; k < bytes; k++) {
            assert_int_equal(a[i * bytes + k], (int)(x & 255));
        }
    }
    free(seen);
}

static void test_liars(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 16, 20, 72};
    for (int in_place = 0; in_place < 2; in_place++) {
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            upsweep *u = open_with(threads, in_place ? 3000 : 0);
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                for (size_t n = 0; n < (in_place ? 3000 : 30000); n = n * 3 + 7) {
                    for (int kind = 0; kind < 8; kind++) {
                        size_t bytes = sizes[s];
                        unsigned char *a = malloc(n * bytes + 1);
                        for (uint64_t i = 0; i < n; i++) {
                            memset(a + i * bytes, (int)(i & 255), bytes);
                            memcpy(a + i * bytes, &i, sizeof i);
                        }
                        liar l = {.kind = kind};
                        assert_int_equal(upsweep_sort_by(u, a, n, bytes, compare_lying, &l, NULL),
                                         UPSWEEP_OK);
                        check_permutation(a, n, bytes);
                        assert_true(atomic_load(&l.calls) <= (in_place ? 200 : 20) * n + 100);
                        free(a);
                    }
                }
            }
            upsweep_close(u);
        }
    }
}

/* M. D. McIlroy, "A killer adversary for quicksort" (1999): decides the order as it is asked,
 * always so that the sort learns least. */
typedef struct killer {
    uint32_t *value, solid, gas, candidate;
    size_t calls;
} killer;

static int compare_killer(const void *a, const void *b, void *context)
{
    killer *k = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    k->calls++;
    if (k->value[x] == k->gas && k->value[y] == k->gas) {
        k->value[x == k->candidate ? x : y] = k->solid++;
    }
    if (k->value[x] == k->gas) {
        k->candidate = x;
    } else if (k->value[y] == k->gas) {
        k->candidate = y;
    }
    return k->value[x] < k->value[y] ? -1 : k->value[x] > k->value[y];
}

static void test_killer(void **state)
{
    (void)state;
    uint32_t n = 1 << 16;
    uint32_t *a = malloc(n * sizeof *a), *value = malloc(n * sizeof *value);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = i;
        value[i] = n;
    }
    killer k = {value, 0, n, 0, 0};
    upsweep *u = open_with(1, 0);
    assert_int_equal(upsweep_sort_by(u, a, n, sizeof *a, compare_killer, &k, NULL), UPSWEEP_OK);
    assert_true(k.calls <= 16 * (size_t)n);
    for (uint32_t i = 1; i < n; i++) {
        assert_true(value[a[i - 1]] <= value[a[i]]);
    }
    upsweep_close(u);
    free(a);
    free(value);
}

static void test_arguments(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    order o = {.bytes = 4};
    uint32_t a[2] = {2, 1};
    upsweep_options named = {.size = sizeof named, .algorithm = "sort/radix"};
    upsweep_options flagged = {.size = sizeof flagged, .flags = UPSWEEP_LARGEST};
    assert_int_equal(upsweep_sort_by(u, NULL, 0, 4, compare_keys, &o, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort_by(u, NULL, 2, 4, compare_keys, &o, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_by(u, a, 2, 0, compare_keys, &o, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_by(u, a, SIZE_MAX, 4, compare_keys, &o, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_by(u, a, 2, 4, NULL, &o, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_by(u, a, 2, 4, compare_keys, &o, &named),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_sort_by(u, a, 2, 4, compare_keys, &o, &flagged),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_by(NULL, a, 2, 4, compare_keys, &o, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_true(upsweep_error(u)[0] != '\0');
    assert_int_equal(a[0], 2);
    assert_int_equal(upsweep_sort_by(u, a, 2, 4, compare_keys, &o, NULL), UPSWEEP_OK);
    assert_int_equal(a[0], 1);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_in_place),  cmocka_unit_test(test_little_scratch),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_compares),
        cmocka_unit_test(test_liars),     cmocka_unit_test(test_killer),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

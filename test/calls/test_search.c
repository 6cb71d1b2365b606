/* test_search.c - upsweep_search_sorted beside counts of the keys that go before each wanted one:
 * every type, order and instruction set, short and long arrays, wanted keys in any order and
 * rising, zeros of both signs and NaNs. */
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
#include "test/shared/oracle.h"

enum { LONG = (1 << 18) + 77, WANTED = (1 << 13) + 5 };

static uint64_t seed = 88172645463325252u;

typedef struct search {
    upsweep_type type;
    unsigned flags;
    size_t bytes, n, m;
    unsigned char *keys, *wanted;
} search;

static const unsigned orders[] = {0,
                                  UPSWEEP_DESCENDING,
                                  UPSWEEP_NAN_FIRST,
                                  UPSWEEP_NAN_RAW,
                                  UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST,
                                  UPSWEEP_DESCENDING | UPSWEEP_NAN_RAW};
enum { ORDERS = sizeof orders / sizeof *orders };

static bool both(upsweep_type type, uint64_t a, uint64_t b, bool (*is)(upsweep_type, uint64_t))
{
    return is(type, a) && is(type, b);
}
static uint64_t magnitude(upsweep_type type, uint64_t raw)
{
    return raw & (UINT64_MAX >> (65 - 8 * upsweep_type_bytes(type)));
}
static bool is_zero(upsweep_type type, uint64_t raw)
{
    return magnitude(type, raw) == 0;
}
static bool is_nan(upsweep_type type, uint64_t raw)
{
    uint64_t infinity = type == UPSWEEP_F16    ? 0x7c00
                        : type == UPSWEEP_BF16 ? 0x7f80
                        : type == UPSWEEP_F32  ? 0x7f800000
                                               : UINT64_C(0x7ff0000000000000);
    return magnitude(type, raw) > infinity;
}

/* Whether key i goes before wanted key j. */
static bool goes_before(const search *s, size_t i, size_t j)
{
    const unsigned char *key = s->keys + i * s->bytes, *w = s->wanted + j * s->bytes;
    uint64_t a = usw_load_raw(key, s->bytes), b = usw_load_raw(w, s->bytes);
    int order = oracle_order(s->type, s->flags & ~(unsigned)UPSWEEP_UPPER, key, w);
    if (usw_type_is_float(s->type) && !(s->flags & UPSWEEP_NAN_RAW) &&
        (both(s->type, a, b, is_zero) || both(s->type, a, b, is_nan))) {
        order = 0;
    }
    return s->flags & UPSWEEP_UPPER ? order <= 0 : order < 0;
}

static void check(upsweep *u, const search *s, unsigned place_bits)
{
    size_t place_bytes = place_bits / 8;
    unsigned char *places = malloc(s->m * place_bytes + 1);
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = s->flags;
    places[s->m * place_bytes] = 123;
    assert_int_equal(
        upsweep_search_sorted(u, s->keys, s->n, s->wanted, s->m, s->type, places, place_bits, &o),
        UPSWEEP_OK);
    assert_int_equal(places[s->m * place_bytes], 123);
    for (size_t j = 0; j < s->m; j++) {
        size_t place = (size_t)usw_load_raw(places + j * place_bytes, place_bytes);
        assert_true(place <= s->n && (place == 0 || goes_before(s, place - 1, j)) &&
                    (place == s->n || !goes_before(s, place, j)));
    }
    free(places);
}

/* Keys in order, a third of the wanted ones from among them; specials: zeros and NaNs of floats. */
static search make(upsweep *u, upsweep_type type, unsigned flags, size_t n, size_t m, bool rising)
{
    search s = {type, flags, upsweep_type_bytes(type), n, m, NULL, NULL};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = flags & ~(unsigned)UPSWEEP_UPPER;
    s.keys = malloc(n * s.bytes + 1);
    s.wanted = malloc(m * s.bytes + 1);
    for (size_t i = 0; i < n + m; i++) {
        unsigned char *at = i < n ? s.keys + i * s.bytes : s.wanted + (i - n) * s.bytes;
        uint64_t x = input_random(&seed), sign = x & UINT64_C(1) << (8 * s.bytes - 1);
        bool special = usw_type_is_float(type) && x % 4 == 0;
        usw_store_raw(at, s.bytes, special ? sign | (x % 8 ? 0 : is_nan(type, x) ? x : 0) : x);
        if (i >= n && n > 0 && x % 3 == 0) {
            memcpy(at, s.keys + x / 3 % n * s.bytes, s.bytes);
        }
    }
    assert_int_equal(upsweep_sort(u, s.keys, n, type, &o), UPSWEEP_OK);
    if (rising) {
        assert_int_equal(upsweep_sort(u, s.wanted, m, type, &o), UPSWEEP_OK);
    }
    return s;
}

static void check_made(upsweep *u, upsweep_type type, unsigned flags, size_t n, size_t m)
{
    for (unsigned rising = 0; rising < 2; rising++) {
        search s = make(u, type, flags, n, m, rising);
        for (unsigned upper = 0; upper < 2; upper++) {
            s.flags = flags | (upper ? UPSWEEP_UPPER : 0);
            check(u, &s, 32);
            check(u, &s, 64);
        }
        free(s.keys);
        free(s.wanted);
    }
}

static void at_all_types(size_t n, size_t m, bool all_orders)
{
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = NULL;
        upsweep_config c = {.size = sizeof c, .threads = 2};
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        u->isa = (usw_isa)isa;
        for (int type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (unsigned order = 0; order < (all_orders ? ORDERS : 2); order++) {
                check_made(u, (upsweep_type)type, orders[order], n, m);
            }
        }
        upsweep_close(u);
    }
}

static void few_keys(void **unused)
{
    (void)unused;
    static const size_t n[] = {0, 1, 2, 3, 17, 100, 1000}, m[] = {0, 1, 2, 15, 16, 17, 40, 300};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        for (size_t j = 0; j < sizeof m / sizeof *m; j++) {
            at_all_types(n[i], m[j], true);
        }
    }
}

static void many_keys(void **unused)
{
    (void)unused;
    at_all_types(LONG, WANTED, false);
}

static void what_is_refused(void **unused)
{
    (void)unused;
    upsweep *u = NULL;
    uint32_t keys[4] = {1, 2, 2, 3}, places[4];
    upsweep_options bits = UPSWEEP_OPTIONS_INIT, named = UPSWEEP_OPTIONS_INIT;
    bits.bit_end = 8;
    named.algorithm = "sort/radix";
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
#define GIVES(status, ...)                                                                         \
    assert_int_equal(upsweep_search_sorted(u, __VA_ARGS__), UPSWEEP_ERROR_##status)
    GIVES(ARGUMENT, NULL, 4, keys, 4, UPSWEEP_U32, places, 32, NULL);
    GIVES(ARGUMENT, keys, 4, NULL, 4, UPSWEEP_U32, places, 32, NULL);
    GIVES(ARGUMENT, keys, 4, keys, 4, UPSWEEP_U32, NULL, 32, NULL);
    GIVES(ARGUMENT, keys, 4, keys, 4, UPSWEEP_U32, places, 16, NULL);
    GIVES(ARGUMENT, keys, 4, keys, 4, (upsweep_type)0, places, 32, NULL);
    GIVES(ARGUMENT, keys, (size_t)UINT32_MAX + 1, keys, 4, UPSWEEP_U32, places, 32, NULL);
    GIVES(ARGUMENT, keys, 4, keys, SIZE_MAX / 2, UPSWEEP_U32, places, 32, NULL);
    GIVES(ARGUMENT, keys, 4, keys, 4, UPSWEEP_U32, places, 32, &bits);
    GIVES(ALGORITHM, keys, 4, keys, 4, UPSWEEP_U32, places, 32, &named);
    assert_int_equal(upsweep_search_sorted(u, NULL, 0, NULL, 0, UPSWEEP_U32, NULL, 32, NULL),
                     UPSWEEP_OK);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_keys), cmocka_unit_test(many_keys),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

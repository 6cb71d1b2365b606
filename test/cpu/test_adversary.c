/* test_adversary.c - the quicksort of cache_sort against an adversary that knows its pivots: keys
 * of which every pivot is among the least of its part, so that each partition takes a few keys away
 * and leaves all others. The sort must then turn to its heap sort, come to the right order, and
 * look at no more keys than O(n log n).
 *
 * How such keys are made: the quicksort is played with keys that have no value yet but are all
 * greater than those that have. Whatever the code's own choice of a pivot picks gets the next
 * value, until it picks one that has a value; then the code's own partition moves the keys, and
 * what it leaves on the right is the next part. Source: M. D. McIlroy, A killer adversary for
 * quicksort (1999). */
/* SPDX-License-Identifier: MIT */
#define USW_CHECKED 1 /* for the hooks that only the library for tests has */
#include "cpu/cpu.h"

#include "test/shared/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N_MOST = 20000, LEFT = 600 };

/* Records of the library's ways (routes.h). */
extern usw_route __start_usw_routes[], __stop_usw_routes[];

/* The work of a way of the quicksort, by all its copies for that instruction set. */
static uint64_t work_of(const char *isa, const char *function, const char *name)
{
    uint64_t work = 0;
    for (const usw_route *r = __start_usw_routes; r < __stop_usw_routes; r++) {
        work += r->mark == USW_ROUTE_MARK && strstr(r->unit, isa) != NULL &&
                        strcmp(r->function, function) == 0 && strcmp(r->name, name) == 0
                    ? r->work
                    : 0;
    }
    return work;
}

static const usw_cache_sort_steps *sorts_of(unsigned isa)
{
    return USW_PICK((usw_isa)isa, usw_cache_sort_steps);
}

static const usw_vsort_pivots *pivots_of(unsigned isa)
{
    return USW_PICK((usw_isa)isa, usw_vsort_pivots);
}

/* Keys of 1 << width bytes, as a number and back. */
static uint64_t get(const void *keys, unsigned width, size_t i)
{
    usw_u128 wide;
    if (width == 4) {
        memcpy(&wide, (const char *)keys + 16 * i, 16);
        return (uint64_t)(wide >> 64);
    }
    return usw_load_raw((const char *)keys + (i << width), (size_t)1 << width);
}

static void put(void *keys, unsigned width, size_t i, uint64_t value)
{
    if (width == 4) {
        usw_u128 wide = (usw_u128)value << 64;
        memcpy((char *)keys + 16 * i, &wide, 16);
        return;
    }
    usw_store_raw((char *)keys + (i << width), (size_t)1 << width, value);
}

/* Fills value[0 .. n) with a permutation of 0 .. n - 1 that is bad for all pivots until no more
 * than LEFT keys are left, and returns how many partitions there were. A key without a value is
 * n + its place at first. */
static size_t play(unsigned isa, unsigned width, size_t n, uint64_t *value, void *keys)
{
    size_t next = 0, from = 0, partitions = 0;
    _Alignas(16) unsigned char pivot[16];
    for (size_t i = 0; i < n; i++) {
        put(keys, width, i, n + i);
        value[i] = UINT64_MAX;
    }
    while (n - from > LEFT) {
        char *part = (char *)keys + (from << width);
        uint64_t picked;
        for (;;) {
            pivots_of(isa)->choose[width](part, n - from, pivot);
            picked = get(pivot, width, 0);
            if (picked < n) {
                break;
            }
            size_t at = 0;
            while (get(part, width, at) != picked) {
                at++;
            }
            put(part, width, at, next);
            value[picked - n] = next++;
        }
        size_t left = sorts_of(isa)->partition[width](part, n - from, pivot);
        assert_true(left > 0 && left < n - from);
        from += left;
        partitions++;
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = value[i] == UINT64_MAX ? next++ : value[i];
    }
    return partitions;
}

typedef struct effort {
    uint64_t parted, heaped; /* keys that partitions, and the heap sort, were given */
} effort;

/* What the quicksorts of an instruction set have done so far. */
static effort effort_of(unsigned isa)
{
    static const char *const copies[] = {"u16", "u32", "u64", "u128", "i32", "i64", "f64"};
    effort e = {0, 0};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char function[32];
        snprintf(function, sizeof function, "quick_sort_%s", copies[i]);
        e.parted += work_of(isa_names[isa], function, "a partition");
        e.heaped += work_of(isa_names[isa], function, "heap sort");
    }
    return e;
}

static effort since(unsigned isa, effort before)
{
    effort now = effort_of(isa);
    return (effort){now.parted - before.parted, now.heaped - before.heaped};
}

/* A partition compares each key once, a heap sort each key with two at each of log2 n levels. */
static void check_effort(effort e, size_t n, const char *what)
{
    uint64_t levels = usw_log2_up(n), compares = e.parted + 2 * e.heaped * levels;
    if (e.heaped == 0) {
        fail_msg("%s: the heap sort was not reached", what);
    }
    if (compares > (4 * levels + 4) * n) {
        fail_msg("%s: %llu compares of %zu keys", what, (unsigned long long)compares, n);
    }
}

static void check_order(const void *keys, unsigned width, size_t n, bool falling, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (get(keys, width, i) != (falling ? n - 1 - i : i)) {
            fail_msg("%s: key %zu is %llu", what, i, (unsigned long long)get(keys, width, i));
        }
    }
}

static size_t keys_for(unsigned width)
{
    return width == 1 ? 12000 : N_MOST; /* 16-bit keys: each twice, and fewer than are counted */
}

/* The part by itself, and how much more it does than for keys in random order. */
static void test_part(void **state)
{
    (void)state;
    uint64_t *value = malloc(N_MOST * sizeof *value);
    void *keys = malloc(N_MOST * sizeof(usw_u128));
    assert_true(value != NULL && keys != NULL);
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        for (unsigned width = 1; width < USW_WIDTHS; width++) {
            char what[64];
            size_t n = keys_for(width), partitions = play(isa, width, n, value, keys);
            snprintf(what, sizeof what, "%s, %u bits", isa_names[isa], 8u << width);
            assert_true(partitions > 2 * usw_log2_up(n) + 4);
            uint64_t random = 1;
            for (size_t i = 0; i < n; i++) {
                put(keys, width, i, i);
            }
            for (size_t i = n; i > 1; i--) { /* shuffled */
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                size_t other = (size_t)((random >> 33) % i);
                uint64_t x = get(keys, width, i - 1);
                put(keys, width, i - 1, get(keys, width, other));
                put(keys, width, other, x);
            }
            effort before = effort_of(isa);
            sorts_of(isa)->sort[width](keys, n);
            effort plain = since(isa, before);
            check_order(keys, width, n, false, what);
            assert_int_equal(plain.heaped, 0);
            for (size_t i = 0; i < n; i++) {
                put(keys, width, i, value[i]);
            }
            before = effort_of(isa);
            sorts_of(isa)->sort[width](keys, n);
            effort bad = since(isa, before);
            check_order(keys, width, n, false, what);
            check_effort(bad, n, what);
            assert_true(bad.parted > 2 * plain.parted);
            printf("%s: %.1f times as many keys parted as of random ones, heap sort of %llu\n",
                   what, (double)bad.parted / (double)plain.parted, (unsigned long long)bad.heaped);
        }
    }
    free(keys);
    free(value);
}

/* The calls: all types, up and down, of which some have a quicksort of their own. Their keys are in
 * the order of the part's: the values are not negative, and floats with their bits. */
static void try_call(upsweep *u, unsigned isa, upsweep_type type, bool falling,
                     const uint64_t *value, size_t n, uint64_t *keys)
{
    unsigned width = usw_log2_up(upsweep_type_bytes(type));
    const upsweep_options by_name = {.size = sizeof by_name,
                                     .algorithm = "sort/hybrid",
                                     .flags = falling ? UPSWEEP_DESCENDING : 0};
    char what[64];
    snprintf(what, sizeof what, "%s, %s%s", isa_names[isa], upsweep_type_name(type),
             falling ? ", falling" : "");
    for (size_t i = 0; i < n; i++) {
        put(keys, width, i, falling ? n - 1 - value[i] : value[i]);
    }
    effort before = effort_of(isa);
    assert_int_equal(upsweep_sort(u, keys, n, type, &by_name), UPSWEEP_OK);
    check_effort(since(isa, before), n, what);
    check_order(keys, width, n, falling, what);
}

static void test_calls(void **state)
{
    (void)state;
    uint64_t *value = malloc(N_MOST * sizeof *value), *keys = malloc(N_MOST * sizeof *keys);
    void *room = malloc(N_MOST * sizeof(usw_u128));
    assert_true(value != NULL && keys != NULL && room != NULL);
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (unsigned width = 1; u != NULL && width < 4; width++) {
            u->scratch_limit = width == 1 ? 4096 : 0; /* with more, 16 bits go by their bytes */
            (void)play(isa, width, keys_for(width), value, room);
            for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
                bool fits = upsweep_type_bytes((upsweep_type)type) == (size_t)1 << width;
                for (unsigned falling = 0; fits && falling < 2; falling++) {
                    try_call(u, isa, (upsweep_type)type, falling == 1, value, keys_for(width),
                             keys);
                }
            }
        }
        upsweep_close(u);
    }
    free(room);
    free(keys);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests_name("adversary", tests, NULL, NULL);
}

/* test_explained.c - every explained form against a serial oracle, and every claim and formula
 * of its row against its trace. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/registry.h"
#include "test/shared/inputs.h"
#include "test/shared/trace_watch.h"

enum { N_MAX = 1100, NETWORK_MAX = 16, PERMUTED_MAX = 8 };

static bool is(const upsweep_algorithm *a, const char *operation)
{
    return strcmp(a->operation, operation) == 0;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void oracle_sort(const uint32_t *in, size_t n, uint32_t *out)
{
    memcpy(out, in, n * sizeof *out);
    qsort(out, n, sizeof *out, by_value);
}

/* What the form should make of the input; returns how many values that is. */
static size_t oracle(const upsweep_algorithm *a, const uint32_t *in, size_t n, uint32_t *out)
{
    uint32_t sum = 0;
    size_t k = 0;
    if (is(a, "sort")) {
        oracle_sort(in, n, out);
    } else if (is(a, "scan")) {
        for (size_t i = 0; i < n; i++) {
            out[i] = sum;
            sum += in[i];
        }
    } else if (is(a, "split")) {
        for (unsigned flag = 0; flag < 2; flag++) {
            for (size_t i = 0; i < n; i++) {
                if ((in[i] & 1) == flag) {
                    out[k++] = in[i];
                }
            }
        }
    } else {
        assert_string_equal(a->operation, "reduce");
        for (size_t i = 0; i < n; i++) {
            sum += in[i];
        }
        bool one = strcmp(a->name, "reduce/tree") == 0;
        for (size_t i = 0; i < (one ? 1 : n); i++) {
            out[i] = sum;
        }
        return one ? 1 : n;
    }
    return n;
}

static void check_form(const upsweep_algorithm *a, const uint32_t *in, size_t n, bool watch)
{
    uint32_t expected[N_MAX + 1] = {0}, result[N_MAX + 2];
    memset(result, 0xa5, sizeof result);
    size_t count = oracle(a, in, n, expected);
    if (watch) {
        trace_watch w;
        trace_watched(&w, a->name, in, n, result);
        trace_watch_free(&w);
    } else {
        assert_int_equal(upsweep_trace(a->name, in, n, result, NULL, NULL), UPSWEEP_OK);
    }
    for (size_t i = 0; i < count; i++) {
        if (result[i] != expected[i]) {
            fail_msg("%s: n = %zu: [%zu] is %u, not %u", a->name, n, i, result[i], expected[i]);
        }
    }
    assert_int_equal(result[count], 0xa5a5a5a5u); /* nothing is written behind the outcome */
}

static void test_oracle(void **state)
{
    (void)state;
    uint32_t in[N_MAX];
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        for (unsigned pattern = 0; !is(a, "path") && pattern < INPUT_PATTERNS; pattern++) {
            for (size_t n = 0; n <= 1027; n = n < 40 ? n + 1 : n * 3) {
                input_fill(pattern, UPSWEEP_U32, in, n, n);
                check_form(a, in, n, n < 200);
            }
        }
    }
}

/* All permutations of 0 .. n - 1, by Heap's method, through every sort. */
static void test_permutations(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        for (size_t n = 1; is(a, "sort") && n <= PERMUTED_MAX; n++) {
            uint32_t p[PERMUTED_MAX];
            size_t c[PERMUTED_MAX] = {0};
            for (size_t i = 0; i < n; i++) {
                p[i] = (uint32_t)i;
            }
            check_form(a, p, n, false);
            for (size_t i = 0; i < n;) {
                if (c[i] < i) {
                    size_t j = i % 2 == 0 ? 0 : c[i];
                    uint32_t was = p[i];
                    p[i] = p[j];
                    p[j] = was;
                    check_form(a, p, n, false);
                    c[i]++;
                    i = 0;
                } else {
                    c[i++] = 0;
                }
            }
        }
    }
}

/* One input of zeros and ones, under a watch or, since those are many, without; returns the hash of
 * which elements met, or 0. */
static uint64_t check_zeros_and_ones(const upsweep_algorithm *a, uint32_t bits, size_t n,
                                     bool watch)
{
    uint32_t in[NETWORK_MAX + 1] = {0}, out[NETWORK_MAX + 1];
    uint64_t meetings = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = bits >> i & 1;
    }
    if (watch) {
        trace_watch w;
        trace_watched(&w, a->name, in, n, out);
        meetings = w.meetings;
        trace_watch_free(&w);
    } else {
        assert_int_equal(upsweep_trace(a->name, in, n, out, NULL, NULL), UPSWEEP_OK);
    }
    for (size_t i = 1; is(a, "sort") && i < n; i++) {
        assert_true(out[i - 1] <= out[i]);
    }
    return meetings;
}

/* The same elements meet for every input, and (0-1 principle) all inputs of zeros and ones come out
 * sorted: then so does any input. */
static void test_oblivious(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    size_t networks = 0;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        bool claimed = (a->claims & UPSWEEP_CLAIM_OBLIVIOUS) != 0, kept = true;
        for (size_t n = 0; !is(a, "path") && n <= NETWORK_MAX; n++) {
            uint64_t first = check_zeros_and_ones(a, 0, n, true);
            for (uint32_t bits = 0; bits < 1u << n; bits += claimed || n < 4 ? 1 : 97) {
                bool watch = n <= 10 || bits % 37 == 0 || !claimed;
                uint64_t meetings = check_zeros_and_ones(a, bits, n, watch);
                kept = kept && (!watch || meetings == first);
            }
        }
        if (claimed != kept && !is(a, "path")) {
            fail_msg("%s: oblivious is%s claimed and is%s so", a->name, claimed ? "" : " not",
                     kept ? "" : " not");
        }
        networks += claimed && is(a, "sort");
    }
    assert_true(networks >= 2);
}

/* Equal keys must come out in the order of their positions, which travel with them as tags. What
 * does not claim it must be caught, or this test would see nothing. */
static void test_stable(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    size_t unstable = 0;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        bool kept = true;
        for (size_t n = 0; (is(a, "sort") || is(a, "split")) && n < 60; n++) {
            uint32_t in[60], out[60];
            input_fill(INPUT_FEW_VALUES, UPSWEEP_U32, in, n, n);
            for (size_t i = 0; i < n; i++) {
                in[i] %= 5;
            }
            trace_watch w;
            trace_watched(&w, a->name, in, n, out);
            const watch_array *r = &w.arrays[w.result];
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(r->e[i].value, out[i]);
                assert_int_equal(in[r->e[i].tag], out[i]);
                kept = kept && (i == 0 || out[i - 1] != out[i] || r->e[i - 1].tag < r->e[i].tag);
            }
            trace_watch_free(&w);
        }
        if ((a->claims & UPSWEEP_CLAIM_STABLE) != 0 && !kept) {
            fail_msg("%s claims to be stable and is not", a->name);
        }
        unstable += !kept;
    }
    assert_true(unstable >= 2); /* bitonic and vmerge */
}

static void test_in_place_and_deterministic(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    size_t in_place = 0;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        uint32_t in[48], out[48];
        for (size_t i = 0; i < 48; i++) {
            in[i] = (uint32_t)(i * 29 % 16);
        }
        trace_watch w, again;
        trace_watched(&w, a->name, in, 48, out);
        trace_watched(&again, a->name, in, 48, out);
        bool one_array = w.array_count == 1, same = w.hash == again.hash;
        if (one_array != ((a->claims & UPSWEEP_CLAIM_IN_PLACE) != 0)) {
            fail_msg("%s uses %zu arrays", a->name, w.array_count);
        }
        assert_true(same && (a->claims & UPSWEEP_CLAIM_DETERMINISTIC) != 0);
        in_place += one_array;
        trace_watch_free(&w);
        trace_watch_free(&again);
    }
    assert_true(in_place >= 3);
}

/* The count that the row's work is stated in: the last word of the statement. */
static uint64_t counted_work(const upsweep_algorithm *a, const trace_watch *w)
{
    static const struct {
        const char *unit;
        upsweep_event_kind kind;
    } units[] = {{"compares", UPSWEEP_EVENT_COMPARE},
                 {"combines", UPSWEEP_EVENT_COMBINE},
                 {"moves", UPSWEEP_EVENT_MOVE}};
    const char *last = strrchr(a->work, ' ');
    for (size_t i = 0; last != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(last + 1, units[i].unit) == 0) {
            return w->counts[units[i].kind];
        }
    }
    fail_msg("%s: work \"%s\" does not end with what it counts", a->name, a->work);
    return 0;
}

static uint64_t log2_up(uint64_t n)
{
    uint64_t log = 0;
    while (UINT64_C(1) << log < n) {
        log++;
    }
    return log;
}

/* The formulas that depend on the greatest key too, as the pages of sort/split and sort/radix
 * state them. */
static void check_by_bits(const upsweep_algorithm *a, const trace_watch *w, uint64_t n,
                          uint32_t greatest)
{
    uint64_t bits = 0, log = log2_up(n);
    while (greatest >> bits != 0) {
        bits++;
    }
    if (strcmp(a->name, "sort/split") == 0 && n > 0) {
        assert_int_equal(w->rounds, bits * (4 * log + 5) + log + 1);
        assert_int_equal(counted_work(a, w), (4 * bits + 1) * (n - 1));
    }
    if (strcmp(a->name, "sort/radix") == 0 && n > 0) {
        uint64_t digits = (bits + 1) / 2, stretch = (n + 3) / 4;
        assert_int_equal(w->rounds, digits * (2 * stretch + 11) + log + 1);
        assert_int_equal(counted_work(a, w), (digits + 1) * n);
    }
}

static void test_formulas(void **state)
{
    (void)state;
    const usw_entry *entry;
    size_t checked = 0;
    for (size_t k = 0; (entry = usw_entry_at(k)) != NULL; k++) {
        const upsweep_algorithm *a = &entry->row->info;
        for (size_t n = 0; !is(a, "path") && n <= 300; n += n < 70 ? 1 : 47) {
            uint32_t in[300], out[301], greatest = 0;
            for (size_t i = 0; i < n; i++) {
                in[i] = (uint32_t)(i * 7919 % 509);
                greatest = in[i] > greatest ? in[i] : greatest;
            }
            trace_watch w;
            trace_watched(&w, a->name, in, n, out);
            uint64_t work = counted_work(a, &w);
            assert_int_equal(w.rounds, w.counts[UPSWEEP_EVENT_ROUND]);
            if (entry->row->rounds != NULL && upsweep_rounds(a, n) != w.rounds) {
                fail_msg("%s: n = %zu: %lu rounds, not %lu", a->name, n, w.rounds,
                         upsweep_rounds(a, n));
            }
            if (entry->row->work != NULL && upsweep_work(a, n) != work) {
                fail_msg("%s: n = %zu: work %lu, not %lu", a->name, n, work, upsweep_work(a, n));
            }
            check_by_bits(a, &w, n, greatest);
            checked += (entry->row->rounds != NULL) + (entry->row->work != NULL);
            trace_watch_free(&w);
        }
    }
    assert_true(checked > 800);
}

/* Random graphs against Bellman and Ford's method: relax every arc until nothing changes. Where
 * all vertices are reached, the formulas of the row hold. */
static void check_paths(const upsweep_algorithm *a, bool by_one)
{
    uint64_t random = 1;
    size_t reached_all = 0;
    for (size_t run = 0; run < 1500; run++) {
        uint32_t vertices = 1 + (uint32_t)(input_random(&random) % 20), arcs[3 * 120], out[360];
        size_t count = 1 + input_random(&random) % 120, reached = 0, most = 0;
        for (size_t k = 0; k < count; k++) {
            arcs[3 * k] = (uint32_t)(input_random(&random) % vertices % (3 * count));
            arcs[3 * k + 1] = (uint32_t)(input_random(&random) % vertices % (3 * count));
            arcs[3 * k + 2] = (uint32_t)(input_random(&random) % 30);
            most = usw_max(most, usw_max(arcs[3 * k], arcs[3 * k + 1]));
        }
        uint64_t dist[20];
        memset(dist, 0xff, sizeof dist);
        dist[0] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t k = 0; k < count; k++) {
                uint64_t from = dist[arcs[3 * k]], *to = &dist[arcs[3 * k + 1]];
                if (from != UINT64_MAX && from + arcs[3 * k + 2] < *to) {
                    *to = from + arcs[3 * k + 2];
                    changed = true;
                }
            }
        }
        trace_watch w;
        trace_watched(&w, a->name, arcs, 3 * count, out);
        for (size_t v = 0; v <= most; v++) {
            assert_int_equal(out[v], dist[v] == UINT64_MAX ? UINT32_MAX : dist[v]);
            reached += dist[v] != UINT64_MAX;
        }
        uint64_t log = log2_up(most + 1), phases = w.counts[UPSWEEP_EVENT_PHASE];
        if (!by_one) {
            assert_int_equal(w.rounds, (phases + 1) * (log + 1) + 2 * phases + 1);
        }
        if (reached == most + 1) {
            assert_true(!by_one || w.rounds == reached * (log + 3) + 1);
            uint64_t work = counted_work(a, &w), all = reached * (reached - 1) + count;
            assert_true(by_one ? work == all : work >= count);
            reached_all++;
        }
        trace_watch_free(&w);
    }
    assert_true(reached_all > 20);
}

static void test_paths(void **state)
{
    (void)state;
    check_paths(upsweep_find("path/dijkstra"), true);
    check_paths(upsweep_find("path/bucket"), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oracle),    cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_oblivious), cmocka_unit_test(test_stable),
        cmocka_unit_test(test_formulas),  cmocka_unit_test(test_in_place_and_deterministic),
        cmocka_unit_test(test_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

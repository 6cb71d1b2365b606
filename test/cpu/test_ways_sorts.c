/* test_ways_sorts.c - all types on all instruction sets, where sorts and folds go ways that they
 * seldom go: keys that are uneven or mostly equal, thresholds set low, many threads, no scratch.
 * The test `routes` tells which ways there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>

#include "test/shared/calls.h"
#include "test/shared/ways.h"

/* ---- the table of calls (calls.h), its calls from all types ---- */

static const call *call_named(const char *name)
{
    for (size_t i = 0; call_at(i) != NULL; i++) {
        if (strcmp(call_at(i)->name, name) == 0) {
            return call_at(i);
        }
    }
    fail_msg("there is no call %s", name);
    return NULL;
}

static void by_table(upsweep *u, unsigned isa, const call *c, unsigned variant, size_t n,
                     unsigned type, unsigned pattern)
{
    job j;
    if (job_start(&j, c, variant, n, (upsweep_type)type, pattern, 7)) {
        upsweep_status status = c->run(u, &j);
        require(status != UPSWEEP_OK ? upsweep_error(u) : job_wrong(&j), c->name, isa, type,
                variant);
        job_free(&j);
    }
}

/* So many floats that they are read from memory. */
static void sum_many(upsweep *u, unsigned isa, unsigned type)
{
    size_t n = (4 << 20) / upsweep_type_bytes((upsweep_type)type) + 100;
    const call *c = call_named("upsweep_reduce");
    for (unsigned variant = 0; variant < 2 && type >= UPSWEEP_F16; variant++) {
        by_table(u, isa, c, variant, n, type, INPUT_UNIFORM);
    }
}

static void test_table(void **state)
{
    (void)state;
    static const char *const names[] = {
        "upsweep_reduce",         "upsweep_scan", "upsweep_scan_by_key", "upsweep_minmax",
        "upsweep_argmin, argmax", "upsweep_sort", "upsweep_histogram",   "upsweep_split_keys"};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            sum_many(u, isa, type);
            for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                const call *c = call_named(names[i]);
                size_t n = strcmp(names[i], "upsweep_sort") == 0 ? 140000 : 70001;
                unsigned stride = c->variants > 7 ? 3 : c->variants > 1 && !test_thorough() ? 2 : 1;
                for (unsigned variant = type % stride; variant < c->variants; variant += stride) {
                    by_table(u, isa, c, variant, n, type, (variant + type) % INPUT_PATTERNS);
                }
            }
        }
        upsweep_close(u);
    }
}

/* ---- sorts whose keys are uneven, or mostly the greatest or the least of all ---- */

static void try_sort(upsweep *u, unsigned isa, unsigned type, unsigned pattern, unsigned flags,
                     const char *algorithm, size_t n)
{
    void *keys = malloc(n * upsweep_type_bytes((upsweep_type)type));
    upsweep_options o = {.size = sizeof o, .flags = flags, .algorithm = algorithm};
    assert_non_null(keys);
    fill(pattern, (upsweep_type)type, keys, n);
    check_sort(u, isa, type, pattern, keys, n, &o);
    free(keys);
}

static void test_sorts(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 4), *scatters = handle_open(isa, 2);
        upsweep *alone = handle_open(isa, 1);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            size_t n = upsweep_type_bytes((upsweep_type)type) <= 2 ? 40000 : 140000;
            upsweep_tuning t = UPSWEEP_TUNING_INIT;
            assert_int_equal(upsweep_get_tuning(scatters, &t), UPSWEEP_OK);
            t.scatter_bytes[0] = t.scatter_bytes[1] = 0;
            t.digit_keys[0] = t.digit_keys[1] = SIZE_MAX;
            assert_int_equal(upsweep_set_tuning(scatters, &t), UPSWEEP_OK);
            try_sort(u, isa, type, INPUT_UNIFORM, 0, "sort/sample", 70000);
            try_sort(alone, isa, type, INPUT_ONE_FULL_BUCKET, 0, "sort/radix", 600000);
            try_sort(scatters, isa, type, INPUT_EQUAL, 0, "sort/hybrid", 2 * n);
            try_sort(scatters, isa, type, INPUT_ZIPF, 0, "sort/hybrid", 2 * n);
            unsigned step = test_small() ? 3 : 1;
            for (unsigned p = type % step; p < PATTERNS; p += step) {
                try_sort(u, isa, type, p, UPSWEEP_IN_PLACE, NULL, n);
                try_sort(u, isa, type, p, p % 2 == 0 ? UPSWEEP_DESCENDING : 0, "sort/radix",
                         140000);
                try_sort(scatters, isa, type, p, p % 2 == 0 ? UPSWEEP_DESCENDING : 0, NULL, 2 * n);
            }
        }
        upsweep_close(alone);
        upsweep_close(scatters);
        upsweep_close(u);
    }
}

/* ---- a handle that may take no scratch: what else there is ---- */

static upsweep *open_scarce(unsigned isa, unsigned threads)
{
    upsweep_config config = {.size = sizeof config, .threads = threads, .scratch_limit = 1};
    upsweep *u = handle_open(isa, 1);
    if (u == NULL) {
        return NULL;
    }
    upsweep_close(u);
    setenv("UPSWEEP_ISA", isa_names[isa], 1);
    upsweep_status status = upsweep_open(&u, "cpu", &config);
    unsetenv("UPSWEEP_ISA");
    assert_int_equal(status, UPSWEEP_OK);
    handle_share_early(u);
    return u;
}

static void test_scarce(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = open_scarce(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            size_t n = upsweep_type_bytes((upsweep_type)type) <= 2 ? 40000 : 70000;
            for (unsigned p = 0; p < PATTERNS; p++) {
                try_sort(u, isa, type, p, 0, NULL, n);
            }
            try_sort(u, isa, type, INPUT_UNIFORM, UPSWEEP_DESCENDING, "sort/sample", n);
            if (upsweep_type_bytes((upsweep_type)type) == 2) { /* from here on values are counted */
                try_sort(u, isa, type, INPUT_UNIFORM, 0, NULL, (size_t)1 << 18);
            }
        }
        upsweep_close(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_scarce),
    };
    return cmocka_run_group_tests_name("ways of sorts", tests, NULL, NULL);
}

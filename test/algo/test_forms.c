/* test_forms.c - walks the registry: every algorithm with a CPU form, on every instruction set, by
 * name through every call of its operation, for all types, sizes and patterns. A new row is tested
 * without a new test. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "test/shared/handles.h"
#include "test/shared/rows.h"

/* Powers of two and their neighbours, widths of vectors and tiles and theirs. */
static const size_t sizes[] = {
    0,    1,     2,     3,     4,     5,     6,     7,     8,      9,      11,     15,
    16,   17,    23,    31,    32,    33,    47,    63,    64,     65,     96,     127,
    128,  129,   191,   255,   256,   257,   383,   511,   512,    513,    767,    1000,
    1023, 1024,  1025,  1536,  2047,  2048,  2049,  4095,  4096,   4097,   8191,   8192,
    8193, 16383, 16385, 32767, 32768, 32769, 65535, 65537, 131071, 262145, 1000000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Quadratic algorithms get short arrays only. */
static bool affordable(const usw_entry *e, size_t n)
{
    uint64_t work = e->row->work != NULL ? e->row->work(n) : n;
    return work < UINT64_C(4000) * 1000000 / 100 && (n < 3000 || work < 40 * (uint64_t)n * 20);
}

/* A form may decline bit ranges and sizes that it says it does not take. */
static bool may_decline(const usw_entry *e, const call *c, unsigned isa, unsigned variant, size_t n)
{
    if (strcmp(e->row->info.operation, "sort") != 0) {
        return false;
    }
    const usw_sort_form *form = e->cpu[isa];
    return (form->n_max != 0 && n > form->n_max) ||
           (!form->in_place && variant == SORT_IN_PLACE && strcmp(c->name, "upsweep_sort") == 0) ||
           (!form->takes_bits && strcmp(c->name, "upsweep_sort by bits") == 0);
}

static unsigned long done;

static void try_form(const usw_entry *e, const call *c, upsweep *u, unsigned isa, unsigned variant,
                     size_t n, upsweep_type type, unsigned pattern)
{
    job j;
    if (!job_start(&j, c, variant, n, type, pattern, done % 1009)) {
        return;
    }
    j.algorithm = e->row->info.name;
    upsweep_status status = c->run(u, &j);
    const char *wrong = NULL;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    if (status == UPSWEEP_ERROR_UNSUPPORTED && may_decline(e, c, isa, variant, n)) {
        wrong = job_untouched(&j) ? NULL : "declined, but an array has changed";
    } else if (status != UPSWEEP_OK) {
        wrong = upsweep_error(u);
    } else {
        wrong = job_wrong(&j);
    }
    /* What a form may decline, another may do in its place. */
    if (wrong == NULL && status == UPSWEEP_OK && n > 1 && !may_decline(e, c, isa, variant, n) &&
        strcmp(report.algorithm, e->row->info.name) != 0) {
        wrong = "the report names another algorithm";
    }
    if (wrong != NULL) {
        fail_msg("%s by %s, variant %u, %s: n = %zu, type %s, %s: %s", e->row->info.name, c->name,
                 variant, isa_names[isa], n, upsweep_type_name(type), input_name(pattern), wrong);
    }
    job_free(&j);
    done++;
}

/* The smallest arrays in every pattern, those up to a thousand in a third of them, which takes
 * turns; long ones in patterns that take turns, and for every other type, other ones on each
 * instruction set; all of them in the long check. */
static void walk(const usw_entry *e, const call *c, upsweep *u, unsigned isa)
{
    bool plain = strcmp(c->name, "upsweep_sort") == 0;
    unsigned long turn = isa, left = 0;
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        const bool all = test_thorough() || n < 65 || n > 100000; /* of the types */
        const size_t long_turns = (plain ? 2 : 4) * (test_thorough() ? 1 : all ? 3 : 5);
        if (!affordable(e, n) || (!plain && n > 140000)) {
            continue;
        }
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (unsigned variant = 0; variant < c->variants; variant++) {
                if ((!all && (s / 2 + type + isa) % 2 != 0) ||
                    (n > 64 && variant != 0 && (variant + type + s) % c->variants != 0) ||
                    (n > 5000 && (variant + type + s + isa) % long_turns != 0) ||
                    (n > 500000 && (type + isa) % 3 != 0) ||
                    (test_small() && n > 64 && !input_one_in(3, ++left))) {
                    continue;
                }
                unsigned patterns = n > 1100 || variant != 0 || !plain ? 1
                                    : n > 64 && !test_thorough()       ? INPUT_PATTERNS / 3
                                                                       : INPUT_PATTERNS;
                for (unsigned p = 0; p < patterns; p++) {
                    try_form(e, c, u, isa, variant, n, (upsweep_type)type,
                             (unsigned)(turn++ % INPUT_PATTERNS));
                }
            }
        }
    }
}

static void test_row(void **state)
{
    const usw_entry *e = *state;
    unsigned long before = done;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, isa == 1 ? 1 : 2);
        for (size_t i = 0; u != NULL && call_at(i) != NULL; i++) {
            if (row_call_runs(call_at(i), e->row->info.operation)) {
                walk(e, call_at(i), u, isa);
            }
        }
        upsweep_close(u);
    }
    assert_true(done > before); /* an operation that no call runs would not be tested */
}

int main(void)
{
    enum { MOST = 100 };
    struct CMUnitTest tests[MOST];
    size_t count = row_tests(tests, MOST, false, test_row);
    int failed = _cmocka_run_group_tests("forms", tests, count, NULL, NULL);
    printf("%lu runs\n", done);
    return failed;
}

/* failures.c - the tests of failures: for each scenario the calls of a kind are counted, and then the
 * scenario is run again for each of them, with that one failing.
 *
 *     failures memory|calls|kills [PART_OF_A_NAME]
 *
 * A run must end with what it ends with where nothing fails, or with status 2, one sentence and the
 * old file; nothing may be left in the folder. FAILURES=all takes every k; otherwise many k are
 * sampled: those at the begin and at the end, and some between. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct totals {
    unsigned long runs, failed, scenarios, wrong;
} totals;

enum { SKIPPED = 77, COMPLAINTS = 100 };

static bool is_all(void)
{
    const char *value = getenv("FAILURES");
    return value != NULL && strcmp(value, "all") == 0;
}

/* The i-th of `limit` numbers out of 1 .. total: a third of them at each end. */
static unsigned long pick(unsigned long total, unsigned long limit, unsigned long i)
{
    unsigned long third = limit / 3, between = limit - 2 * third;
    if (total <= limit || i < third) {
        return i + 1;
    }
    if (i >= limit - third) {
        return total - (limit - 1 - i);
    }
    return third + 1 + (i - third) * (total - 2 * third) / between;
}

/* Runs it without failures, and counting them; false if that is wrong already. */
static bool prepare(const scenario *s, const failure *f, outcome *right, outcome *counted,
                    totals *sum)
{
    failure none = {0};
    *right = run_once(s, &none);
    *counted = run_once(s, f);
    const char *wrong = right->status == s->status ? NULL : "it fails by itself";
    if (right->status == 0 && right->err.size != 0 && strstr(s->words, "--stats") == NULL &&
        strstr(s->words, "--verify") == NULL) {
        wrong = "words on standard error";
    }
    if (s->output != NULL && bytes_equal(right->file, run_old(s->output))) {
        wrong = "the output does not differ from the old file: nothing would be seen";
    }
    wrong = wrong != NULL ? wrong : outcome_wrong(s, f, right, counted);
    if (wrong != NULL) {
        run_complain(s, f, wrong[0] == 'i' ? right : counted, wrong);
        sum->wrong++;
    }
    return wrong == NULL;
}

static void try_one(const scenario *s, const failure *f, const outcome *right, totals *sum)
{
    outcome o = run_once(s, f);
    const char *wrong = outcome_wrong(s, f, right, &o);
    sum->runs++;
    sum->failed += o.failed;
    if (wrong != NULL && sum->wrong++ < COMPLAINTS) {
        run_complain(s, f, &o, wrong);
    }
    outcome_free(&o);
}

/* Every k of one failure in one scenario: that call alone, and with forms 2 that call and all behind
 * it, too. False if the machine allows no such failures. */
static bool try_each(const scenario *s, failure f, int forms, unsigned long limit, totals *sum)
{
    outcome right, counted;
    f.at = 0;
    bool good = prepare(s, &f, &right, &counted, sum), refused = counted.refused;
    unsigned long total = counted.calls[f.in_child];
    unsigned long count = is_all() || total < limit ? total : limit;
    for (unsigned long i = 0; good && !refused && i < count * (unsigned)forms; i++) {
        f.at = pick(total, count, i / (unsigned)forms);
        f.after = i % (unsigned)forms != 0;
        try_one(s, &f, &right, sum);
    }
    outcome_free(&right);
    outcome_free(&counted);
    return !refused;
}

static bool is_asked(const scenario *s, const char *part)
{
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", s->name, s->library ? ", " : "",
             s->library ? s->device : "");
    return part == NULL || strstr(name, part) != NULL;
}

/* ---- memory ---- */

static void fail_memory(const scenario *s, totals *sum)
{
    bool gpu = strstr(s->words, "cuda") != NULL || (s->library && strcmp(s->device, "cuda") == 0);
    unsigned long limit = gpu ? 6 : s->library ? 12 : 20;
    failure f = {.call = "malloc", .how = "ENOMEM"};
    sum->scenarios++;
    try_each(s, f, 2, limit, sum);
    if (gpu && (!s->library || strcmp(s->name, "upsweep_minmax") == 0)) {
        f.call = "loader";
        try_each(s, f, 2, 2 * limit, sum);
    }
}

static int test_memory(const char *part)
{
    totals sum = {0};
    for (const scenario *s = program_scenarios; s->name != NULL; s++) {
        if (is_asked(s, part)) {
            fail_memory(s, &sum);
        }
    }
    for (size_t i = 0; library_scenario(i) != NULL; i++) {
        if (is_asked(library_scenario(i), part)) {
            scenario s = *library_scenario(i);
            fail_memory(&s, &sum);
        }
    }
    printf("%lu failing allocations, in %lu runs of %lu scenarios: %lu wrong\n", sum.failed,
           sum.runs, sum.scenarios, sum.wrong);
    return sum.wrong != 0;
}

int main(int argc, char **argv)
{
    const char *test = argc > 1 ? argv[1] : "", *part = argc > 2 ? argv[2] : NULL;
    if (!run_start()) {
        return 1;
    }
    int status = strcmp(test, "memory") == 0 ? test_memory(part) : SKIPPED;
    run_end();
    return status;
}

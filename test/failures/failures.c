/* failures.c - the tests of failures: for each scenario the calls of a kind are counted, and then
 * the scenario is run again for each of them, with that one failing.
 *
 *     failures memory|calls|kills|limits [PART_OF_A_NAME]
 *
 * A run must end with what it ends with where nothing fails, or with status 2, one sentence and
 * the old file; nothing may be left in the folder. FAILURES=all takes every k; otherwise many k
 * are sampled: those at the begin and at the end, and some between. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool take_all(void)
{
    const char *value = getenv("FAILURES");
    return value != NULL && strcmp(value, "all") == 0;
}

unsigned long pick(unsigned long total, unsigned long limit, unsigned long i)
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

bool prepare(const scenario *s, const failure *f, outcome *right, outcome *counted, totals *sum)
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

enum { COMPLAINTS = 40 };

void add_wrong(const scenario *s, const failure *f, const outcome *o, const char *wrong,
               totals *sum)
{
    if (sum->wrong++ < COMPLAINTS) {
        run_complain(s, f, o, wrong);
    }
}

void try_one(const scenario *s, const failure *f, const outcome *right, totals *sum)
{
    outcome o = run_once(s, f);
    const char *wrong = outcome_wrong(s, f, right, &o);
    sum->runs++;
    sum->failed += o.failed;
    if (wrong != NULL) {
        add_wrong(s, f, &o, wrong, sum);
    }
    outcome_free(&o);
}

void try_each(const scenario *s, failure f, unsigned long total, const sample *few,
              const outcome *right, totals *sum)
{
    bool all = take_all() || total <= few->tries;
    unsigned long count = all ? total : few->tries, of = few->of > count ? few->of : count;
    of = of < total ? of : total;
    bool used_up = strcmp(f.how, "ENOMEM") == 0 || strcmp(f.how, "ENOSPC") == 0;
    for (unsigned long i = 0; i < count; i++) {
        f.at = all ? i + 1 : pick(total, of, (few->from + i) % of);
        bool both = used_up && (all || i % 3 == 0);
        for (int after = 0; after <= both; after++) {
            f.after = after != 0;
            try_one(s, &f, right, sum);
        }
    }
}

static bool on_gpu(const scenario *s)
{
    return strstr(s->words, "cuda") != NULL || (s->library && strcmp(s->device, "cuda") == 0);
}

/* Without the emulated plugin (it is C++) there are no scenarios on a GPU. */
bool is_asked(const scenario *s, const char *part)
{
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", s->name, s->library ? ", " : "",
             s->library ? s->device : "");
    return (part == NULL || strstr(name, part) != NULL) &&
           (!on_gpu(s) || getenv("UPSWEEP_CUDA_PLUGIN") != NULL);
}

int end_test(const char *what, const totals *sum)
{
    printf("%lu %s, in %lu runs of %lu scenarios: %lu wrong\n", sum->failed, what, sum->runs,
           sum->scenarios, sum->wrong);
    return sum->wrong != 0;
}

/* ---- memory ---- */

static void fail_memory(const scenario *s, totals *sum)
{
    bool gpu = on_gpu(s);
    bool loads = gpu && (!s->library || strcmp(s->name, "upsweep_minmax") == 0);
    unsigned long tries = gpu && s->library ? 1 : 6;
    sample few = {tries, 24, tries * sum->scenarios}, loading = {4, 8, 0};
    failure f = {.call = "malloc", .how = "ENOMEM"};
    outcome right, counted;
    sum->scenarios++;
    if (prepare(s, &f, &right, &counted, sum)) {
        try_each(s, f, counted.calls[0], &few, &right, sum);
    }
    if (loads && right.status == s->status) {
        outcome_free(&counted);
        f.call = "loader";
        counted = run_once(s, &f);
        try_each(s, f, counted.calls[0], &loading, &right, sum);
    }
    outcome_free(&right);
    outcome_free(&counted);
}

int test_memory(const char *part)
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
    return end_test("failing allocations", &sum);
}

int main(int argc, char **argv)
{
    const char *test = argc > 1 ? argv[1] : "", *part = argc > 2 ? argv[2] : NULL;
    bool limits = strcmp(test, "limits") == 0;
    /* In memory, without waiting for a disk; but files there count as the memory of a group. */
    bool fast = !limits && access("/dev/shm", W_OK | X_OK) == 0;
    if (!run_start(fast ? "/dev/shm" : "/var/tmp")) {
        return 1;
    }
    int status = strcmp(test, "memory") == 0  ? test_memory(part)
                 : strcmp(test, "calls") == 0 ? test_calls(part)
                 : strcmp(test, "kills") == 0 ? test_kills(part)
                 : limits                     ? test_limits(part)
                                              : 1;
    run_end();
    return status;
}

/* kills.c - signals that end the program, its keeper (the process that puts the output in
 * place), or both, at a system call of the one or the other. The output is then the old file or
 * the new one. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/failures.h"

#include <stdio.h>
#include <string.h>

/* Files that may be left in one run where nobody is left to remove them: program and keeper are
 * killed at once, or the program before there is a keeper. It is the name that a file has for a
 * moment, or from the beginning where there is no O_TMPFILE. */
enum { STRAYS_OF_NOBODY = 1 };

/* The last moments, when the output is put in place, and some before. */
enum { LAST = 14, BEFORE = 4 };

static void kill_once(const scenario *s, const failure *f, const outcome *right, totals *sum)
{
    char name[80] = "";
    outcome o = run_once(s, f);
    int strays = run_strays(s, name, sizeof name);
    bool both = strcmp(f->kill, "both") == 0 && strcmp(f->how, "SIGKILL") == 0;
    bool nobody = both || !o.forked;
    int allowed = nobody && strncmp(name, ".upsweep-", 9) == 0 ? STRAYS_OF_NOBODY : 0;
    char text[200];
    const char *wrong = outcome_wrong(s, f, right, &o);
    if (strays > allowed) {
        snprintf(text, sizeof text, "%d files are left behind or changed, one is %s", strays, name);
        wrong = text;
    } else {
        sum->strays += (unsigned long)strays;
    }
    sum->runs++;
    sum->failed += o.failed;
    if (wrong != NULL) {
        add_wrong(s, f, &o, wrong, sum);
    }
    outcome_free(&o);
}

static void kill_at_each(const scenario *s, failure f, unsigned long total, const outcome *right,
                         totals *sum)
{
    unsigned long last = take_all() || total < LAST ? total : LAST, before = total - last;
    for (unsigned long i = 0; i < last + (before < BEFORE ? before : BEFORE); i++) {
        f.at = i < last ? total - i : 1 + (i - last) * before / BEFORE;
        kill_once(s, &f, right, sum);
    }
}

static bool kill_in(const scenario *s, bool no_tmpfile, totals *sum)
{
    static const struct {
        const char *how, *kill;
    } all[] = {{"SIGKILL", "self"}, {"SIGKILL", "other"}, {"SIGKILL", "both"},
               {"SIGTERM", "self"}, {"SIGINT", "both"},   {"SIGHUP", "both"}};
    outcome right, counted;
    failure f = {.call = "any", .no_tmpfile = no_tmpfile};
    bool good = prepare(s, &f, &right, &counted, sum), refused = counted.refused;
    sum->scenarios++;
    for (size_t i = 0; good && !refused && i < sizeof all / sizeof *all; i++) {
        f.how = all[i].how;
        f.kill = all[i].kill;
        f.in_child = false;
        kill_at_each(s, f, counted.calls[0], &right, sum);
        f.in_child = true;
        kill_at_each(s, f, counted.calls[1], &right, sum);
    }
    outcome_free(&right);
    outcome_free(&counted);
    return !refused;
}

int test_kills(const char *part)
{
    static const char *const names[] = {"sort in place", "sort to a new file",
                                        "sort an array in place"};
    totals sum = {0};
    for (const scenario *s = program_scenarios; s->name != NULL; s++) {
        bool meant = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            meant = meant || strcmp(s->name, names[i]) == 0;
        }
        if (!meant || !is_asked(s, part)) {
            continue;
        }
        if (!kill_in(s, false, &sum)) {
            printf("skipped: this system allows no filter of system calls (seccomp)\n");
            return SKIPPED;
        }
        (void)kill_in(s, true, &sum);
    }
    printf("%lu files were left where nobody was left to remove them\n", sum.strays);
    return end_test("kills", &sum);
}

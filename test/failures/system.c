/* system.c - system calls that fail: each family of them with each error that a disk, a process
 * or a file system may give, in the program and in the process that it forks; short transfers,
 * too. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/failures.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *call, *hows[7];
} families[] = {{"open", {"EMFILE", "EIO", "EINTR", "ENOSPC", "EACCES"}},
                {"read", {"EIO", "EINTR", "short", "ENOSPC", "EMFILE"}},
                {"pread", {"EIO", "EINTR", "short", "ENOSPC", "EMFILE"}},
                {"write", {"ENOSPC", "EIO", "EINTR", "short", "EMFILE"}},
                {"ftruncate", {"ENOSPC", "EIO", "EINTR", "EMFILE"}},
                {"fsync", {"EIO", "ENOSPC", "EINTR", "EMFILE"}},
                {"rename", {"EIO", "ENOSPC", "EINTR", "EMFILE", "EACCES"}},
                {"link", {"ENOSPC", "EIO", "EINTR", "EMFILE", "EACCES"}},
                {"unlink", {"EIO", "ENOSPC", "EINTR", "EMFILE"}},
                {"mmap", {"ENOMEM", "ENOSPC", "EIO", "EINTR", "EMFILE"}},
                {"close", {"EIO", "EINTR", "ENOSPC", "EMFILE"}},
                {"pipe", {"EMFILE", "EIO", "ENOSPC", "EINTR"}},
                {"stat", {"EIO", "EINTR", "ENOSPC", "EMFILE"}},
                {"fork", {"EAGAIN", "ENOMEM"}},
                {"thread", {"EAGAIN"}}};

/* Those of the program's scenarios whose system calls fail. */
static bool has_failing_calls(const scenario *s)
{
    static const char *const names[] = {"sort",
                                        "sort a pipe",
                                        "sort a long pipe",
                                        "sort an array from a pipe",
                                        "reduce",
                                        "sort in place",
                                        "sort to a new file",
                                        "sort -m",
                                        "sort -c, unsorted",
                                        "sort .npy",
                                        "sort an array in place",
                                        "gen as .npy",
                                        "sort -n by threads",
                                        "check two",
                                        "scan to a file",
                                        "select --top",
                                        "histogram by edges",
                                        "paths in .gr",
                                        "paths in .gr.gz",
                                        "paths in .usg",
                                        "paths in .csv",
                                        "paths --pairs",
                                        "paths --plot .svg",
                                        "list",
                                        "graph convert to .usg",
                                        "graph info",
                                        "trace --format jsonl",
                                        "trace a pipe",
                                        "sort an array on a GPU"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(s->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Every failure of every family, in the program and in the process that it forks. */
static bool fail_calls(const scenario *s, bool no_tmpfile, totals *sum)
{
    outcome right, counted;
    failure f = {.call = "read", .no_tmpfile = no_tmpfile};
    bool good = prepare(s, &f, &right, &counted, sum), refused = counted.refused;
    sum->scenarios++;
    for (size_t i = 0; good && !refused && i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i].call, "mmap") == 0 && strstr(s->words, "cuda") != NULL) {
            continue; /* the emulated GPU takes its threads' stacks by it */
        }
        f = (failure){.call = families[i].call, .no_tmpfile = no_tmpfile};
        outcome_free(&counted);
        counted = run_once(s, &f);
        for (int h = 0; families[i].hows[h] != NULL; h++) {
            f.how = families[i].hows[h];
            f.in_child = false;
            sample few = {1, 6, (unsigned long)h}; /* another k with each error */
            try_each(s, f, counted.calls[0], &few, &right, sum);
            f.in_child = true;
            try_each(s, f, counted.calls[1], &few, &right, sum);
        }
    }
    outcome_free(&right);
    outcome_free(&counted);
    return !refused;
}

int test_calls(const char *part)
{
    totals sum = {0};
    for (const scenario *s = program_scenarios; s->name != NULL; s++) {
        if (!has_failing_calls(s) || !is_asked(s, part)) {
            continue;
        }
        if (!fail_calls(s, false, &sum)) {
            printf("skipped: this system allows no filter of system calls (seccomp)\n");
            return SKIPPED;
        }
        if (s->output != NULL && strncmp(s->name, "sort", 4) == 0 &&
            strstr(s->words, "cuda") == NULL) {
            fail_calls(s, true, &sum);
        }
    }
    return end_test("failed system calls", &sum);
}

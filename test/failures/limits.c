/* limits.c - a program that may have little: a control group with little memory, and limits of
 * the process on its address space, its data, its files and what it writes. It must end with
 * the right outcome, or with status 2 and a sentence, and is never killed for memory whose need
 * it can know. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/failures.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MB = 1 << 20, GROUP_MB = 40 };

/* What the child that is to run does first; the group is a folder, or "". */
static struct {
    char group[600];
    const char *procs;
    int resource; /* of setrlimit; -1: none */
    rlim_t most;
} now = {.resource = -1};

static int write_number(const char *folder, const char *name, unsigned long number)
{
    char path[700], text[32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int length = snprintf(text, sizeof text, "%lu", number), fd = open(path, O_WRONLY | O_CLOEXEC);
    int failed = fd < 0 || write(fd, text, (size_t)length) != length;
    if (fd >= 0) {
        close(fd);
    }
    return failed;
}

static void limit_child(void)
{
    if (now.group[0] != '\0' &&
        write_number(now.group, "cgroup.procs", (unsigned long)getpid()) != 0) {
        _exit(125);
    }
    if (now.resource >= 0) {
        struct rlimit limit = {now.most, now.most};
        setrlimit((__rlimit_resource_t)now.resource, &limit);
    }
}

/* Runs it and wants status `wanted` (-1: its own, or 2). */
static void run_limited(const scenario *s, int wanted, const char *what, totals *sum)
{
    static const failure none = {.kill = "self"};
    outcome right = {0}, o;
    run_prepare_child(NULL);
    right = run_once(s, &none);
    run_prepare_child(limit_child);
    o = run_once(s, &none);
    run_prepare_child(NULL);
    const char *wrong = outcome_wrong(s, &none, &right, &o);
    if (wrong == NULL && wanted >= 0 && o.status != wanted) {
        wrong = wanted == 2 ? "it had more than it should have" : "it should have had enough";
    }
    if (o.status > 128) {
        wrong = "it was killed";
    }
    if (o.status == 127 && strstr(o.err.at, "error while loading shared libraries") != NULL) {
        wrong = NULL; /* not even the program was loaded */
    }
    sum->runs++;
    sum->failed += o.status == 2;
    if (wrong != NULL) {
        sum->wrong++;
        printf("FAILED: %s, %s: %s\n    status %d, standard error: %.300s\n", s->name, what, wrong,
               o.status, o.err.at == NULL ? "" : o.err.at);
    }
    outcome_free(&right);
    outcome_free(&o);
}

/* ---- a control group ---- */

/* Makes a group of memory below that of this process, of version 1 or 2. */
static bool make_group(void)
{
    static const char *const tops[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"};
    char line[500];
    FILE *f = fopen("/proc/self/cgroup", "r");
    bool made = false;
    while (f != NULL && !made && fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *path = strstr(line, ":memory:");
        bool first_version = path != NULL;
        path = first_version ? path + 8 : strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        if (path == NULL) {
            continue;
        }
        snprintf(now.group, sizeof now.group, "%s%s/upsweep-test-%ld", tops[!first_version],
                 strcmp(path, "/") == 0 ? "" : path, (long)getpid());
        const char *limit = first_version ? "memory.limit_in_bytes" : "memory.max";
        if (mkdir(now.group, 0755) == 0) {
            made = write_number(now.group, limit, (unsigned long)GROUP_MB * MB) == 0;
            if (made && !first_version) {
                (void)write_number(now.group, "memory.swap.max", 0);
            } else if (made) {
                (void)write_number(now.group, "memory.memsw.limit_in_bytes",
                                   (unsigned long)GROUP_MB * MB);
            } else {
                (void)rmdir(now.group);
            }
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    now.group[made ? strlen(now.group) : 0] = '\0';
    return made;
}

static int write_lines(const char *name, size_t size, unsigned digits)
{
    FILE *f = fopen(name, "wb");
    uint32_t x = 1;
    for (size_t at = 0; f != NULL && at < size; at += digits + 1) {
        x = x * 1664525 + 1013904223;
        fprintf(f, "%0*u\n", (int)digits, x >> 12);
    }
    return f == NULL || fclose(f) != 0;
}

static void test_group(totals *sum)
{
#define S(name, words, input, output)                                                              \
    {                                                                                              \
        name, words, input, output, 0, false, NULL                                                 \
    }
    static const scenario fits = S("4 MB of lines", "sort -o new lines4", NULL, "new"),
                          many_lines =
                              S("16 MB of short lines", "sort -o new lines16", NULL, "new"),
                          large = S("48 MB of lines", "sort -o new lines48", NULL, "new"),
                          pipe = S("48 MB of lines, piped", "sort -o new -", "|lines48", "new"),
                          piped =
                              S("18 MB of long lines, piped", "sort -o new -", "|lines18", "new"),
                          keys = S("-n, 16 MB", "sort -n -o lines16 lines16", NULL, "lines16"),
                          array =
                              S("16 MB of u64", "sort --type u64 -o new numbers16", NULL, "new"),
                          twice = S("48 MB of u64", "sort --type u64 lines48", NULL, NULL);
#undef S
    run_limited(&fits, 0, "in a control group", sum);
    /* Text that does not fit is sorted by runs in temporary files. */
    run_limited(&many_lines, 0, "in a control group", sum);
    run_limited(&large, 0, "in a control group", sum);
    run_limited(&pipe, 0, "in a control group", sum);
    run_limited(&piped, 0, "in a control group", sum);
    run_limited(&keys, 0, "in a control group", sum);
    run_limited(&array, -1, "in a control group", sum);
    run_limited(&twice, 2, "in a control group", sum);
}

/* ---- limits of the process ---- */

static void test_resources(totals *sum)
{
    static const struct {
        int resource;
        const char *name;
        rlim_t most[14];
    } all[] = {{RLIMIT_AS, "address space of", {24, 32, 36, 40, 44, 48, 52, 56, 64, 80, 128}},
               {RLIMIT_DATA, "data of", {1, 2, 4, 6, 8, 10, 12, 16, 20, 32, 64}}};
    static const scenario lines = {
        "4 MB of lines", "sort --threads 2 -o new lines4", NULL, "new", 0, false, NULL};
    static const scenario array = {
        "4 MB of u32", "sort --threads 2 --type u32 -o new lines4", NULL, "new", 0, false, NULL};
    char what[100];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (int k = 0; all[i].most[k] != 0; k++) {
            now.resource = all[i].resource;
            now.most = all[i].most[k] * MB;
            snprintf(what, sizeof what, "%s %lu MB", all[i].name, (unsigned long)all[i].most[k]);
            run_limited(&lines, -1, what, sum);
            run_limited(&array, -1, what, sum);
        }
    }
    static const scenario words = {"words", "sort -o words words", NULL, "words", 0, false, NULL};
    for (rlim_t most = 3; most < 16; most++) {
        now.resource = RLIMIT_NOFILE;
        now.most = most;
        snprintf(what, sizeof what, "with %lu descriptors", (unsigned long)most);
        run_limited(&words, most > 12 ? 0 : -1, what, sum);
    }
    now.resource = -1;
}

int test_limits(const char *part)
{
    totals sum = {.scenarios = 10};
    (void)part;
    if (write_lines("lines4", 4 * MB, 12) || write_lines("lines16", 16 * MB, 5) ||
        write_lines("lines48", 48 * MB, 99) || write_lines("lines18", 18 * MB, 99) ||
        write_lines("numbers16", 16 * MB, 7) || !run_remember()) {
        return 1;
    }
    test_resources(&sum);
    if (make_group()) {
        test_group(&sum);
        if (rmdir(now.group) != 0) {
            perror(now.group);
            sum.wrong++;
        }
    } else {
        printf("no control group of memory can be made here: those runs are left out\n");
    }
    return end_test("sentences on limits", &sum);
}

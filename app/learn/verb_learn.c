/* verb_learn.c - `upsweep learn`: lists the tasks, prints one, or checks the reader's solution. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/learn/learn.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 8192 };

typedef struct settings {
    app_common common;
    size_t hints;
    bool skeleton;
} settings;

static const app_option options[] = {
    {0, "hint", "N", "print the first N hints, too", APP_COUNT, offsetof(settings, hints), NULL},
    {0, "skeleton", NULL, "print only the C file to begin with", APP_FLAG,
     offsetof(settings, skeleton), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_learn = {
    "[TASK [FILE.c]]",
    "Tasks to learn parallel algorithms by. Without a task, lists them in the order in which they\n"
    "rest on each other; with one, prints it; with a C file, checks that solution: it is compiled\n"
    "with your compiler (CC, else cc) against a small header of lanes and rounds, run on small "
    "and\n"
    "random inputs, and its outcome, rounds and work are compared with the claim. If something is\n"
    "wrong, the first wrong round is shown, and the exit status is 1.\n"
    "\n"
    "A solution runs in a child with limits of time and memory, but it is your program: it can do\n"
    "what you can.",
    0, options,
    "upsweep learn\n"
    "upsweep learn reduce/eight\n"
    "upsweep learn reduce/eight --skeleton > my.c\n"
    "upsweep learn reduce/eight my.c\n"
    "upsweep learn reduce/eight --hint 1"};

static int list(void)
{
    const learn_task *t;
    char title[TEXT];
    for (size_t k = 0; (t = learn_task_at(k)) != NULL; k++) {
        learn_text(t->name, LEARN_TITLE, title, sizeof title);
        printf("%2zu  %-18s %s", k + 1, t->name, title);
    }
    puts("\nupsweep learn TASK prints one; it also says how to have a solution checked.");
    return app_finish_stdout();
}

static void print_skeleton(const char *name)
{
    char text[TEXT];
    if (!learn_text(name, LEARN_SKELETON, text, sizeof text)) {
        text[0] = '\0';
    }
    printf("/* %s: see `upsweep learn %s`. Numbers are uint32_t.\n"
           " * get(a, i), set(a, i, v), LANES(t, n): see `upsweep learn map/double`. */\n"
           "#include \"lanes.h\"\n\nvoid solve(array *a)\n{\n%s}\n",
           name, name, text);
}

static int print_task(const learn_task *t, const settings *s)
{
    char text[TEXT];
    if (s->skeleton) {
        print_skeleton(t->name);
        return app_finish_stdout();
    }
    learn_text(t->name, LEARN_TITLE, text, sizeof text);
    printf("%s: %s\n", t->name, text);
    learn_text(t->name, LEARN_TEXT, text, sizeof text);
    printf(
        "%s\nWork: every set and every compare_exchange counts 1; reads and idle lanes are free.\n",
        text);
    if (t != learn_task_at(0) && t != learn_task_at(1)) {
        puts("get(a, i), set(a, i, v), LANES(t, n): see upsweep learn map/double");
    }
    putchar('\n');
    size_t hints = 0;
    while (hints < LEARN_SKELETON - 1 && learn_text(t->name, (int)hints + 1, text, sizeof text)) {
        hints++;
        if (hints <= s->hints) {
            printf("Hint %zu: %s", hints, text);
        }
    }
    puts(s->hints > 0 ? "" : "What to begin with:\n");
    if (s->hints == 0) {
        print_skeleton(t->name);
    }
    printf("\n  upsweep learn %s --skeleton > my.c      writes it to a file\n"
           "  upsweep learn %s my.c                   checks your solution\n",
           t->name, t->name);
    if (s->hints < hints) {
        printf("  upsweep learn %s --hint %zu              gives %s hint (there %s %zu)\n", t->name,
               s->hints + 1, s->hints == 0 ? "a" : "another", hints == 1 ? "is" : "are", hints);
    }
    return app_finish_stdout();
}

static int check(const learn_task *t, const char *file)
{
    learn_case *cases = calloc(LEARN_CASES, sizeof *cases);
    learn_told theirs = {0}, ours = {0};
    size_t count = 0;
    if (cases == NULL) {
        return app_fail("out of memory");
    }
    while (count < LEARN_CASES && t->make(count, &cases[count])) {
        count++;
    }
    int status = learn_run_file(file, cases, count, &theirs);
    if (status == APP_OK) {
        status = learn_run_ours(t->solution, cases, count, &ours);
    }
    if (status == APP_OK) {
        status = learn_judge(t, cases, count, &theirs, &ours);
    }
    if (status == APP_OK) {
        size_t k = 0;
        while (learn_task_at(k) != t) {
            k++;
        }
        const learn_task *next = learn_task_at(k + 1);
        if (next != NULL) {
            printf("Next: upsweep learn %s\n", next->name);
        } else {
            puts("That was the last task.");
        }
    }
    free(theirs.text);
    free(ours.text);
    free(cases);
    int written = app_finish_stdout();
    return written == APP_OK ? status : written;
}

int verb_learn(int argc, char **argv)
{
    settings s = {0};
    int status = app_parse(&usage_learn, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (s.common.operand_count == 0) {
        return list();
    }
    if (s.common.operand_count > 2) {
        return app_fail("takes a task and one file; see `upsweep learn --help`");
    }
    const learn_task *t = learn_task_find(s.common.operands[0]);
    if (t == NULL) {
        return app_fail("there is no task '%s'; `upsweep learn` lists them", s.common.operands[0]);
    }
    return s.common.operand_count == 1 ? print_task(t, &s) : check(t, s.common.operands[1]);
}

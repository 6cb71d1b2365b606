/* learn.h - `upsweep learn`: tasks, and whether the reader's solution of one is right.
 *
 * learn_tasks.c knows the tasks, their inputs and, by plain serial code, their outcomes;
 * learn_run.c runs a solution in a child with limits; learn_judge.c compares it with ours, round
 * by round. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_LEARN_LEARN_H
#define APP_LEARN_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in site/tasks/lanes.h, whose solutions these are. */
struct array;
typedef void (*learn_solution)(struct array *a);

enum { LEARN_MOST = 128, LEARN_CASES = 16 };

typedef struct learn_case {
    size_t n;
    uint32_t values[LEARN_MOST];
} learn_case;

typedef struct learn_task {
    const char *name; /* "scan/sweep" */
    learn_solution solution;
    /* Makes the case of number k; returns false when there are no more. */
    bool (*make)(size_t k, learn_case *c);
    /* What is wrong with the outcome for c, as a sentence, or "". */
    void (*check)(const learn_case *c, const uint32_t *result, char *text, size_t bytes);
    size_t slack;  /* percent of our work that theirs may be above it */
    bool may_copy; /* theirs may end with a round "back" that copies the result to a */
} learn_task;

const learn_task *learn_task_at(size_t i);
const learn_task *learn_task_find(const char *name);

typedef enum learn_language { LEARN_C, LEARN_PYTHON } learn_language;

/* A part of the task's text in site/tasks/tasks.txt: its title (which = -1), all before the first
 * hint (0), hint number `which`, or the skeleton (100), in the words of the language. text gets at
 * most bytes - 1 of it; false: there is no such part. */
enum { LEARN_TITLE = -1, LEARN_TEXT = 0, LEARN_SKELETON = 100 };
bool learn_text(const char *name, int which, learn_language language, char *text, size_t bytes);

/* What a child told of its cases. */
typedef struct learn_told {
    char *text;   /* lines of lanes.c or upsweep/lanes.py; owned */
    bool stopped; /* by a limit of time */
    int signal;   /* that ended it; 0: none */
    int status;
} learn_told;

/* Python where the file's name ends with .py. */
learn_language learn_language_of(const char *file);

/* Compiles the file with the reader's compiler, or gives it to the reader's Python, and runs it on
 * the cases. Returns APP_OK, APP_NO if it does not compile (the compiler has said why), APP_ERROR
 * after a sentence. */
int learn_run_file(const char *file, const learn_case *cases, size_t count, learn_told *told);
/* The same of a solution of ours. */
int learn_run_ours(learn_solution solution, const learn_case *cases, size_t count,
                   learn_told *told);

/* Compares what the two told, and prints the verdict. Returns APP_OK or APP_NO. */
int learn_judge(const learn_task *task, const learn_case *cases, size_t count,
                const learn_told *theirs, const learn_told *ours);

#endif

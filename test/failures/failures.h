/* failures.h - what the tests of memory, of system calls and of kills share: running a scenario for
 * many k, and totals. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_FAILURES_H
#define TEST_FAILURES_H

#include "test/failures/run.h"

typedef struct totals {
    unsigned long runs, failed, scenarios, wrong;
    unsigned long strays; /* files left where that is allowed */
} totals;

enum { SKIPPED = 77 };

/* True with FAILURES=all. */
bool take_all(void);
/* The i-th of `limit` numbers out of 1 .. total: a third of them at each end. */
unsigned long pick(unsigned long total, unsigned long limit, unsigned long i);
/* Runs it without failures, and counting what f names; false if that is wrong already. */
bool prepare(const scenario *s, const failure *f, outcome *right, outcome *counted, totals *sum);
/* Runs it once and adds what came of it. */
void try_one(const scenario *s, const failure *f, const outcome *right, totals *sum);
/* Which k are tried: `tries` of the `of` that pick would give, from the one of number `from` on. */
typedef struct sample {
    unsigned long tries, of, from;
} sample;
/* Every k of one failure, of `total`, or a sample: that call alone and, where memory or a disk
 * is used up, that call and all behind it, too. */
void try_each(const scenario *s, failure f, unsigned long total, const sample *few,
              const outcome *right, totals *sum);
/* Adds an outcome that is wrong. */
void add_wrong(const scenario *s, const failure *f, const outcome *o, const char *wrong,
               totals *sum);
/* Whether the scenario's name has `part`; NULL: all have. */
bool is_asked(const scenario *s, const char *part);
/* Prints the totals of `what`; returns the exit status. */
int end_test(const char *what, const totals *sum);

/* What the program is called with: each runs the scenarios with `part` in their names. */
int test_memory(const char *part);
int test_calls(const char *part);
int test_kills(const char *part);
int test_limits(const char *part);

#endif

/* learn_judge.c - compares what a solution told with what ours told: outcome, rounds and work of
 * each case, and where the outcome is wrong the first round after which the array differs. */
/* SPDX-License-Identifier: MIT */
#include "app/learn/learn.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* Where a reader of told lines stands. */
typedef struct reading {
    const char *at;
} reading;

/* The next line without its end, or NULL. *length gets its length. */
static const char *next_line(reading *r, size_t *length)
{
    const char *line = r->at, *end = strchr(line, '\n');
    if (end == NULL) {
        return NULL;
    }
    *length = (size_t)(end - line);
    r->at = end + 1;
    return line;
}

static bool begins(const char *line, size_t length, const char *word)
{
    return length >= strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* The values of a line "word value ...". */
static size_t values_of(const char *line, size_t length, uint32_t values[LEARN_MOST])
{
    size_t n = 0;
    const char *end = line + length, *p = memchr(line, ' ', length);
    while (p != NULL && p < end && n < LEARN_MOST) {
        char *after;
        values[n++] = (uint32_t)strtoul(p, &after, 10);
        p = after;
    }
    return n;
}

static void print_values(const char *head, const uint32_t *values, size_t n)
{
    printf("  %-8s", head);
    for (size_t i = 0; i < n; i++) {
        printf(" %" PRIu32, values[i]);
    }
    putchar('\n');
}

/* What one case told. */
typedef struct outcome {
    reading begin; /* behind its line "case" */
    bool begun, ended;
    const char *error;
    size_t error_length, rounds, work, n;
    uint32_t result[LEARN_MOST];
} outcome;

static outcome read_case(reading *r)
{
    outcome o = {0};
    const char *line;
    size_t length;
    while (!o.ended && o.error == NULL && (line = next_line(r, &length)) != NULL) {
        if (begins(line, length, "case")) {
            o.begin = *r;
            o.begun = true;
        } else if (begins(line, length, "error ")) {
            o.error = line + 6;
            o.error_length = length - 6;
        } else if (begins(line, length, "result")) {
            o.n = values_of(line, length, o.result);
        } else if (begins(line, length, "end ")) {
            char *after;
            o.rounds = strtoul(line + 4, &after, 10);
            o.work = strtoul(after, NULL, 10);
            o.ended = true;
        }
    }
    return o;
}

/* The next line "state" of a case with the label of its round; false at the case's end. */
static bool next_state(reading *r, char label[64], uint32_t *values, size_t *n)
{
    const char *line;
    size_t length;
    while ((line = next_line(r, &length)) != NULL) {
        if (begins(line, length, "state")) {
            *n = values_of(line, length, values);
            return true;
        }
        if (begins(line, length, "round ")) {
            snprintf(label, 64, "%.*s", (int)(length - 6), line + 6);
        } else if (begins(line, length, "end ") || begins(line, length, "error ")) {
            return false;
        }
    }
    return false;
}

/* Prints the first round after which the array is not as after that round of ours. */
static void print_first_wrong(outcome theirs, outcome ours)
{
    uint32_t mine[LEARN_MOST], yours[LEARN_MOST];
    char label[64] = "", our_label[64] = "";
    size_t n = 0, our_n = 0, round = 0;
    while (true) {
        bool has = next_state(&theirs.begin, label, yours, &n);
        bool should = next_state(&ours.begin, our_label, mine, &our_n);
        if (!has && !should) {
            return;
        }
        round++;
        if (!has) {
            printf(
                "Your solution ends after round %zu; in ours round %zu (%s) follows and leaves:\n",
                round - 1, round, our_label);
            print_values("ours", mine, our_n);
            return;
        }
        if (!should) {
            printf("Round %zu (%s) is one more than ours has.\n", round, label);
            return;
        }
        if (n != our_n || memcmp(mine, yours, n * sizeof *mine) != 0) {
            printf("The first round after which the array differs from ours is round %zu (%s):\n",
                   round, label);
            print_values("yours", yours, n);
            print_values("ours", mine, our_n);
            return;
        }
    }
}

static const char *end_of(const learn_told *told)
{
    if (told->stopped || told->signal == SIGXCPU || told->signal == SIGKILL) {
        return "it takes too long: is there a loop without an end?";
    }
    switch (told->signal) {
    case SIGSEGV:
    case SIGBUS: return "it crashes: it uses memory that is not its own (a NULL pointer, perhaps)";
    case SIGFPE: return "it crashes: it divides by zero";
    case SIGABRT: return "it crashes: it calls abort";
    case 0: return "it ends the program; solve has to return";
    default: return "it crashes";
    }
}

/* The claim's words of the task: the line of its text that begins with `what`. */
static void print_claim(const learn_task *task, const char *what, size_t most)
{
    char text[4096];
    const char *line =
        learn_text(task->name, LEARN_TEXT, text, sizeof text) ? strstr(text, what) : NULL;
    printf("%zu", most);
    if (line != NULL) {
        const char *words = line + strlen(what) + 1;
        printf(" = %.*s", (int)strcspn(words, "\n"), words);
    }
}

/* Prints what is wrong with the case; true if something is. */
static bool refuse(const learn_task *task, const learn_case *c, const learn_told *told,
                   const outcome *theirs, const outcome *ours)
{
    char text[256] = "";
    size_t most = ours->work + ours->work * task->slack / 100;
    if (theirs->error != NULL) {
        printf("Not yet: %.*s.\n", (int)theirs->error_length, theirs->error);
    } else if (!theirs->ended) {
        printf("Not yet: %s.\n", end_of(told));
    } else {
        task->check(c, theirs->result, text, sizeof text);
        if (text[0] != '\0') {
            printf("Not yet: %s.\n", text);
        } else if (theirs->rounds > ours->rounds) {
            printf("Not yet: the outcome is right, but it takes %zu rounds; at most ",
                   theirs->rounds);
            print_claim(task, "rounds", ours->rounds);
            puts(" are needed.");
        } else if (theirs->work > most) {
            printf("Not yet: the outcome is right, but the work is %zu; at most ", theirs->work);
            print_claim(task, "work", most);
            puts(" is needed.");
        } else {
            return false;
        }
    }
    if (c->n > 0 && c->n <= 16) {
        print_values("numbers", c->values, c->n);
    } else {
        printf("  with %zu numbers\n", c->n);
    }
    if (text[0] != '\0' && c->n <= 16) {
        print_first_wrong(*theirs, *ours);
    }
    return true;
}

int learn_judge(const learn_task *task, const learn_case *cases, size_t count,
                const learn_told *theirs, const learn_told *ours)
{
    reading yours = {theirs->text}, mine = {ours->text};
    for (size_t k = 0; k < count; k++) {
        outcome a = read_case(&yours), b = read_case(&mine);
        if (!b.ended) {
            return app_fail("the solution of %s does not run here", task->name);
        }
        if (refuse(task, &cases[k], theirs, &a, &b)) {
            return APP_NO;
        }
        if (k + 1 == count) {
            printf(
                "Right: %zu cases; for %zu numbers %zu round%s and work %zu (ours: %zu and %zu).\n",
                count, cases[k].n, a.rounds, a.rounds == 1 ? "" : "s", a.work, b.rounds, b.work);
        }
    }
    return APP_OK;
}

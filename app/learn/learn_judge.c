/* learn_judge.c - compares what a solution told with what ours told: outcome, rounds and work of
 * each case, and where the outcome is wrong the first round after which the array that it wrote
 * differs. */
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
    bool back; /* its last round is "back", which copies the result to a */
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
        } else if (begins(line, length, "round ")) {
            o.back = length == 10 && begins(line, length, "round back");
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

/* What one round told. */
typedef struct round_told {
    char label[64], array[64]; /* array: the name of the only one that it wrote, or "" */
    bool several;              /* it wrote several arrays, which are not told */
    size_t n, wrote_n;
    uint32_t a[LEARN_MOST], wrote[LEARN_MOST];
} round_told;

/* The next round of a case; false at the case's end. */
static bool next_round(reading *r, round_told *t)
{
    const char *line;
    size_t length;
    *t = (round_told){0};
    while ((line = next_line(r, &length)) != NULL) {
        if (begins(line, length, "state")) {
            t->n = values_of(line, length, t->a);
            return true;
        }
        if (begins(line, length, "round ")) {
            snprintf(t->label, sizeof t->label, "%.*s", (int)(length - 6), line + 6);
        } else if (begins(line, length, "array ")) {
            snprintf(t->array, sizeof t->array, "%.*s", (int)(length - 6), line + 6);
        } else if (begins(line, length, "wrote")) {
            t->wrote_n = values_of(line, length, t->wrote);
        } else if (begins(line, length, "several")) {
            t->several = true;
        } else if (begins(line, length, "end ") || begins(line, length, "error ")) {
            return false;
        }
    }
    return false;
}

static bool same_values(const uint32_t *x, size_t x_n, const uint32_t *y, size_t y_n)
{
    return x_n == y_n && memcmp(x, y, x_n * sizeof *x) == 0;
}

/* Where the difference is. unseen: not every array was compared up to here. */
static void print_place(const char *array, size_t round, const char *label, bool unseen)
{
    if (unseen) {
        printf("The first difference shows after round %zu (%s), in %s; a round that writes "
               "several arrays\nis not compared, so the mistake may be in an earlier round:\n",
               round, label, array);
    } else {
        printf("The first round after which %s differs from ours is round %zu (%s):\n", array,
               round, label);
    }
}

/* Compares what round number `round` wrote, where each wrote one array of one length, else a, and
 * prints the difference; false: there is none. *unseen: other arrays were not compared so far. */
static bool print_difference(const round_told *yours, const round_told *ours, size_t round,
                             bool *unseen)
{
    if (yours->array[0] == '\0' && !yours->several && ours->array[0] != '\0') {
        printf("Your round %zu (%s) writes nothing; in ours it leaves:\n", round, yours->label);
        print_values("ours", ours->wrote, ours->wrote_n);
        return true;
    }
    if (yours->array[0] != '\0' && ours->array[0] != '\0' && yours->wrote_n == ours->wrote_n) {
        if (same_values(yours->wrote, yours->wrote_n, ours->wrote, ours->wrote_n)) {
            return false;
        }
        print_place(yours->array, round, yours->label, *unseen);
        print_values("yours", yours->wrote, yours->wrote_n);
        print_values("ours", ours->wrote, ours->wrote_n);
        return true;
    }
    *unseen = *unseen || yours->array[0] != '\0' || yours->several || ours->several;
    if (same_values(yours->a, yours->n, ours->a, ours->n)) {
        return false;
    }
    print_place("a", round, yours->label, *unseen);
    print_values("yours", yours->a, yours->n);
    print_values("ours", ours->a, ours->n);
    return true;
}

/* Prints the first round that leaves other numbers than ours. */
static void print_first_wrong(outcome theirs, outcome ours)
{
    round_told yours, mine;
    bool unseen = false;
    for (size_t round = 1;; round++) {
        bool has = next_round(&theirs.begin, &yours);
        bool should = next_round(&ours.begin, &mine);
        if (!has && !should) {
            if (!unseen) {
                puts("Every round leaves the numbers that ours leaves, but in the end they do not "
                     "stand in a.");
            }
            return;
        }
        if (!has) {
            printf(
                "Your solution ends after round %zu; in ours round %zu (%s) follows and leaves:\n",
                round - 1, round, mine.label);
            print_values("ours", mine.a, mine.n);
            return;
        }
        if (!should) {
            printf("Round %zu (%s) is one more than ours has.\n", round, yours.label);
            return;
        }
        if (print_difference(&yours, &mine, round, &unseen)) {
            return;
        }
    }
}

static const char *end_of(const learn_told *told)
{
    if (told->stopped || told->signal == SIGXCPU || told->signal == SIGKILL) {
        return "it takes too long: a loop without an end, perhaps";
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

/* "at most 4 are needed: ceil(log2 n), plus one to copy back", the words being the line of the
 * task's text that begins with `what`. */
static void print_claim(const learn_task *task, const char *what, size_t most, bool many)
{
    char text[4096];
    bool known = learn_text(task->name, LEARN_TEXT, LEARN_C, text, sizeof text);
    const char *line = known ? strstr(text, what) : NULL;
    printf("at most %zu %s needed", most, many ? "are" : "is");
    if (line != NULL) {
        const char *words = line + strlen(what) + 1;
        printf(": %.*s", (int)strcspn(words, "\n"), words);
    }
    puts(".");
}

/* Prints what is wrong with the case; true if something is. */
static bool refuse(const learn_task *task, const learn_case *c, const learn_told *told,
                   const outcome *theirs, const outcome *ours)
{
    char text[256] = "";
    size_t copy = task->may_copy && !ours->back ? 1 : 0; /* rounds */
    size_t rounds = ours->rounds + copy;
    size_t most = ours->work + ours->work * task->slack / 100 + copy * c->n;
    if (theirs->error != NULL) {
        printf("Not yet: %.*s.\n", (int)theirs->error_length, theirs->error);
    } else if (!theirs->ended) {
        printf("Not yet: %s.\n", end_of(told));
    } else {
        task->check(c, theirs->result, text, sizeof text);
        if (text[0] != '\0') {
            printf("Not yet: %s.\n", text);
        } else if (theirs->rounds > rounds) {
            printf("Not yet: the outcome is right, but it takes %zu round%s; ", theirs->rounds,
                   theirs->rounds == 1 ? "" : "s");
            print_claim(task, "rounds", rounds, rounds != 1);
        } else if (theirs->work > most) {
            printf("Not yet: the outcome is right, but the work is %zu; ", theirs->work);
            print_claim(task, "work", most, false);
        } else {
            return false;
        }
    }
    if (!theirs->begun) {
        return true;
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

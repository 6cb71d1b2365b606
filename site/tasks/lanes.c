/* lanes.c - runs a solution on cases that it reads, and tells every round: what `upsweep learn`
 * links with the reader's file, and with its own solutions.
 *
 * Reads lines "n value value ...", each a case; prints for each "case", for each round "round
 * LABEL"; if it wrote one array, "array NAME" and "wrote value ...", if several, "several"; and the
 * array that was given as "state value ...". Then "end ROUNDS WORK". An error is a line "error" and
 * the end of all. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS_MOST = 20000, STATE_MOST = 64, NOBODY = 0, MANY = -1 };

/* Who has read and written a place in round `round`: lane + 1, MANY or NOBODY. */
typedef struct place {
    size_t round;
    long reader, writer;
    uint32_t value;
} place;

struct array {
    size_t n;
    unsigned number; /* 0: the array that was given */
    size_t written;  /* the last round that wrote here, 0: none */
    place *places;
};

static struct {
    array *given;
    FILE *out;
    size_t rounds, work, lane, steps;
    array *wrote; /* in this round */
    unsigned wrote_count;
    unsigned arrays;
    bool in_round, in_lane;
} now;

static void wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("error ", now.out);
    vfprintf(now.out, format, arguments);
    fputc('\n', now.out);
    va_end(arguments);
    fflush(now.out);
    _exit(0);
}

/* "a", or "the array from your 1st new_array". */
static const char *name_of(const array *a)
{
    static char name[64];
    unsigned k = a->number;
    if (k == 0) {
        return "a";
    }
    bool teen = k % 100 / 10 == 1;
    const char *end = teen || k % 10 > 3 || k % 10 == 0 ? "th"
                      : k % 10 == 1                     ? "st"
                      : k % 10 == 2                     ? "nd"
                                                        : "rd";
    snprintf(name, sizeof name, "the array from your %u%s new_array", k, end);
    return name;
}

/* "a[7]", or "element 7 of the array ..."; what wrapped round below 0 is told as negative. */
static const char *element_of(const array *a, size_t i)
{
    static char text[128];
    bool below = i > SIZE_MAX / 2;
    snprintf(text, sizeof text, a->number == 0 ? "%s%s%zu]" : "%s%s%zu of %s",
             a->number == 0 ? "a[" : "element ", below ? "-" : "", below ? 0 - i : i, name_of(a));
    return text;
}

static array *make(size_t n)
{
    array *a = calloc(1, sizeof *a);
    if (a == NULL || n > SIZE_MAX / sizeof *a->places) {
        wrong("there is not enough memory for an array of %zu elements", n);
    }
    a->places = calloc(n + 1, sizeof *a->places);
    if (a->places == NULL) {
        wrong("there is not enough memory for an array of %zu elements", n);
    }
    a->n = n;
    a->number = now.arrays++;
    return a;
}

size_t length(const array *a)
{
    return a->n;
}

size_t log2_up(size_t n)
{
    size_t L = 0;
    while (L < 63 && (size_t)1 << L < n) {
        L++;
    }
    return L;
}

array *new_array(size_t n)
{
    if (now.in_round) {
        wrong("new_array stands in a round; arrays are made between rounds");
    }
    return make(n);
}

bool lanes_begin(const char *label)
{
    if (now.in_round) {
        wrong("ROUND(\"%s\") stands within another round", label);
    }
    if (now.rounds == ROUNDS_MOST) {
        wrong("there are more than %d rounds", ROUNDS_MOST);
    }
    now.in_round = true;
    now.wrote_count = 0;
    fprintf(now.out, "round %s\n", label);
    return true;
}

static void print_array(const char *head, const array *a)
{
    fputs(head, now.out);
    for (size_t i = 0; i < a->n; i++) {
        fprintf(now.out, " %" PRIu32, a->places[i].value);
    }
    fputc('\n', now.out);
}

bool lanes_end(void)
{
    now.in_round = false;
    now.rounds++;
    if (now.wrote_count == 1 && now.wrote->n <= STATE_MOST) {
        fprintf(now.out, "array %s\n", name_of(now.wrote));
        print_array("wrote", now.wrote);
    } else if (now.wrote_count > 0) {
        fputs("several\n", now.out);
    }
    if (now.given->n <= STATE_MOST) {
        print_array("state", now.given);
    }
    return false;
}

bool lanes_lane(size_t lane, size_t count)
{
    if (!now.in_round) {
        wrong("LANES stands outside a round");
    }
    now.in_lane = lane < count;
    now.lane = lane;
    now.steps = 0;
    return now.in_lane;
}

/* The place of a step by the lane at hand. */
static place *step(array *a, size_t i, const char *what)
{
    if (!now.in_lane) {
        wrong("%s stands outside LANES: only lanes of a round read and write; write LANES(t, 1) "
              "{ .. } for a single lane",
              what);
    }
    if (i >= a->n) {
        wrong(a->n == 0 ? "round %zu: lane %zu takes %s, which has no elements"
                        : "round %zu: lane %zu takes %s; %s has elements 0 to %zu",
              now.rounds + 1, now.lane, a->n == 0 ? name_of(a) : element_of(a, i),
              a->number == 0 ? "a" : "it", a->n - 1);
    }
    if (++now.steps > LANE_STEPS) {
        wrong("round %zu: lane %zu takes more than %d steps; share them out among lanes and rounds",
              now.rounds + 1, now.lane, LANE_STEPS);
    }
    place *p = &a->places[i];
    if (p->round != now.rounds + 1) {
        p->round = now.rounds + 1;
        p->reader = p->writer = NOBODY;
    }
    return p;
}

static uint32_t read_place(array *a, size_t i, const char *what)
{
    place *p = step(a, i, what);
    long me = (long)now.lane + 1;
    if (p->writer != NOBODY && p->writer != me) {
        wrong("round %zu: lane %zu reads %s, which lane %ld writes in the same round",
              now.rounds + 1, now.lane, element_of(a, i), p->writer - 1);
    }
    p->reader = p->reader == NOBODY || p->reader == me ? me : MANY;
    return p->value;
}

static void write_place(array *a, size_t i, uint32_t value, const char *what)
{
    place *p = step(a, i, what);
    long me = (long)now.lane + 1;
    if (p->writer != NOBODY && p->writer != me) {
        wrong("round %zu: lanes %ld and %zu both write %s", now.rounds + 1, p->writer - 1, now.lane,
              element_of(a, i));
    }
    if (p->reader == MANY || (p->reader != NOBODY && p->reader != me)) {
        wrong("round %zu: lane %zu writes %s, which another lane reads in the same round",
              now.rounds + 1, now.lane, element_of(a, i));
    }
    if (a->written != now.rounds + 1) {
        a->written = now.rounds + 1;
        now.wrote = a;
        now.wrote_count++;
    }
    p->writer = me;
    p->value = value;
}

uint32_t get(array *a, size_t i)
{
    return read_place(a, i, "get");
}

void set(array *a, size_t i, uint32_t value)
{
    write_place(a, i, value, "set");
    now.work++;
}

void compare_exchange(array *a, size_t i, size_t j)
{
    uint32_t x = read_place(a, i, "compare_exchange"), y = read_place(a, j, "compare_exchange");
    write_place(a, i, x <= y ? x : y, "compare_exchange");
    write_place(a, j, x <= y ? y : x, "compare_exchange");
    now.work++;
}

/* The two children of node t of those over 2 d leaves, each at its last leaf. */
static bool children(size_t t, size_t d, size_t n, size_t *left, size_t *right)
{
    *left = 2 * d * t + d < n ? 2 * d * t + d - 1 : n - 1;
    *right = 2 * d * t + 2 * d < n ? 2 * d * t + 2 * d - 1 : n - 1;
    return *left < *right;
}

void scan(array *a)
{
    size_t n = a->n, left, right;
    for (size_t d = 1; d < n; d *= 2) {
        ROUND("scan, up") {
            LANES(t, (n + 2 * d - 1) / (2 * d)) {
                if (children(t, d, n, &left, &right)) {
                    set(a, right, get(a, left) + get(a, right));
                }
            }
        }
    }
    ROUND("scan, root") {
        LANES(t, n > 0 ? 1 : 0) {
            set(a, n - 1 - t, 0);
        }
    }
    for (size_t d = n < 2 ? 0 : (size_t)1 << (log2_up(n) - 1); d > 0; d /= 2) {
        ROUND("scan, down") {
            LANES(t, (n + 2 * d - 1) / (2 * d)) {
                if (children(t, d, n, &left, &right)) {
                    uint32_t before = get(a, right);
                    set(a, right, before + get(a, left));
                    set(a, left, before);
                }
            }
        }
    }
}

void lanes_run(int to, void (*solution)(array *a));
void lanes_run(int to, void (*solution)(array *a))
{
    size_t n;
    now.out = fdopen(to, "w");
    while (now.out != NULL && scanf("%zu", &n) == 1) {
        now.arrays = 0;
        now.rounds = now.work = 0;
        now.given = make(n);
        for (size_t i = 0; i < n; i++) {
            if (scanf("%" SCNu32, &now.given->places[i].value) != 1) {
                _exit(1);
            }
        }
        fputs("case\n", now.out);
        fflush(now.out); /* so that a crash is known to be in this case */
        solution(now.given);
        if (now.in_round) {
            wrong("solve left a round before its end");
        }
        print_array("result", now.given);
        fprintf(now.out, "end %zu %zu\n", now.rounds, now.work);
    }
    if (now.out != NULL) {
        fclose(now.out);
    }
}

#ifndef LANES_NO_MAIN
int main(void)
{
    int to = dup(1);
    dup2(2, 1); /* what the solution prints is for its author */
    lanes_run(to, solve);
    fflush(stdout);
    _exit(0);
}
#endif

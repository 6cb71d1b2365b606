/* explain.h - the words that explained forms (algo/STEM.c) are written in.
 *
 * An explained form is plain C over arrays of u32. What it does in parallel it says with two
 * loops:
 *
 *     ROUNDS(x, r, n, r % 2 == 0 ? "even" : "odd") {      rounds follow one another,
 *         LANES(x, t, n / 2) {                            the lanes of a round act at once
 *             compare_exchange(x, a, 2 * t + r % 2, 2 * t + 1 + r % 2);
 *         }
 *         show(x, a);                                     and the reader sees the array
 *     }
 *
 * and what it does to an array it does with the steps below, which tell the trace as they act.
 * With no sink the same code just computes. Lanes run one after another here, so a lane must not
 * read what another lane of its round writes: the forms keep to that, and so could run side by
 * side.
 *
 * Nothing in a form looks like error handling. A sink that wants no more, a failed allocation
 * and bad input leave the form by a jump to usw_explain_run, which frees what new_array gave. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXPLAIN_H
#define USW_EXPLAIN_H

#include <setjmp.h>

#include "core/registry.h"

/* An array with the name that the trace calls it by. */
typedef struct usw_array {
    const char *name;
    uint32_t *v;
    size_t n;
    size_t vector; /* elements that the reader should see as one vector; 0: none */
    bool hidden;   /* its steps are told, but show() says nothing */
} usw_array;

struct usw_explain {
    upsweep_sink sink; /* NULL: nobody listens */
    void *context;
    uint64_t round, lane; /* rounds begun before this one; the lane that acts */
    const char *file;     /* where the step stands that is being told */
    unsigned line;
    uint64_t counts[UPSWEEP_EVENT_END + 1]; /* events so far, by kind */
    size_t results;                         /* values of out that are the outcome; n at first */
    struct usw_explain_block *blocks;       /* what new_array took */
    jmp_buf leave;
    upsweep_status status; /* why the form was left */
    char text[96];         /* label of the last phase, round or note */
};

/* Runs a row's explained form. out has room for max(n, 1) values; the first x->results of them
 * are the outcome. Counts stay in x. The caller sets sink and context, and zeroes the rest. */
upsweep_status usw_explain_run(usw_explain *x, const usw_row *row, const uint32_t *in, size_t n,
                               uint32_t *out);

/* Fills in round, lane, file and line, counts the event and tells the sink. */
void usw_tell(usw_explain *x, upsweep_event event);
/* Tells an event that has only a text. */
void usw_tell_text(usw_explain *x, upsweep_event_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void usw_round_end(usw_explain *x);
/* Leaves the form with this status, from wherever it is. */
_Noreturn void usw_explain_leave(usw_explain *x, upsweep_status status);

/* The page comments, made by cmake/pages.cmake: usw_sort_oddeven_page, ... */
#define ALGO(stem, operation, cpu, cuda, taken) extern const char usw_##stem##_page[];
#include "algo/algos.def"
#undef ALGO

/* ---- where a step stands ---- */

/* What is told next stands on this line. The steps below are macros for its sake: the functions of
 * the same names, with usw_ before them, do what they say. A call of one stands on one line:
 * compilers differ in which line of several they name. */
static inline void usw_at(usw_explain *x, const char *file, unsigned line)
{
    x->file = file;
    x->line = line;
}
#define USW_HERE(x) usw_at(x, __FILE__, __LINE__)

/* ---- the loops ---- */

/* One round after another, r = 0 .. count - 1; the rest is its label, as for printf. Neither loop
 * may be left by break, goto or return. */
#define ROUNDS(x, r, count, ...)                                                                   \
    for (size_t r = 0, r##_end = (count); r < r##_end && usw_round_begin(x, __VA_ARGS__);          \
         usw_round_end(x), r++)
/* A single round. */
#define ROUND(x, ...) ROUNDS(x, round_, 1, __VA_ARGS__)
/* All lanes of a round, t = 0 .. count - 1. */
#define LANES(x, t, count) for (size_t t = 0, t##_end = (count); t < t##_end && usw_lane(x, t); t++)

#define usw_round_begin(x, ...)                                                                    \
    (USW_HERE(x), usw_tell_text(x, UPSWEEP_EVENT_ROUND, __VA_ARGS__), true)

static inline bool usw_lane(usw_explain *x, size_t lane)
{
    x->lane = lane;
    return true;
}

/* A part of the algorithm begins: "bit 0", "scatter". The rest is its name, as for printf. */
#define phase(x, ...) (USW_HERE(x), usw_tell_text(x, UPSWEEP_EVENT_PHASE, __VA_ARGS__))
/* A sentence for the reader. */
#define note(x, ...) (USW_HERE(x), usw_tell_text(x, UPSWEEP_EVENT_NOTE, __VA_ARGS__))

/* ---- arrays ---- */

/* Pages read better with short words, but in a static library these would be names that a program
 * has, too: the linker knows them by others. */
#define new_memory usw_explain_memory
#define new_array usw_explain_array
#define given(x, ...) (USW_HERE(x), usw_explain_given(x, __VA_ARGS__))
#define show(x, a) (USW_HERE(x), usw_explain_show(x, a, NULL))

/* Zeroed memory; it lasts until the form ends. */
void *new_memory(usw_explain *x, size_t bytes);
/* A fresh array of n zeros. */
usw_array new_array(usw_explain *x, const char *name, size_t n);
/* given: out becomes an array that holds the input, and is shown as the start. */
usw_array usw_explain_given(usw_explain *x, const char *name, const uint32_t *in, size_t n,
                            uint32_t *out);

/* show: the array as it is between two steps. A role says more about it. */
void usw_explain_show(usw_explain *x, usw_array a, const char *role);
/* The same, said to be what the steps before made of the arrays shown before. */
#define show_result(x, a) (USW_HERE(x), usw_explain_show(x, a, "result"))
/* The same for distances, of which UINT32_MAX means: not reached. */
#define show_distances(x, a) (USW_HERE(x), usw_explain_show(x, a, "distances"))
/* The same for bucket numbers: element i of the array that holds the elements is in bucket a[i]. */
#define show_buckets(x, a) (USW_HERE(x), usw_explain_show(x, a, "buckets"))
/* The same for an array that a scan has worked on: each element is the sum of those that stood
 * before it when the array was last shown. */
#define show_scan(x, a) (USW_HERE(x), usw_explain_show(x, a, "scan"))
/* The array, its steps told but not shown. */
static inline usw_array hidden(usw_array a)
{
    a.hidden = true;
    return a;
}

/* ---- the steps of a lane ---- */

#define in_order(x, ...) (USW_HERE(x), usw_in_order(x, __VA_ARGS__))
#define exchange(x, ...) (USW_HERE(x), usw_exchange(x, __VA_ARGS__))
#define compare_exchange(x, ...) (USW_HERE(x), usw_compare_exchange(x, __VA_ARGS__))
#define move(x, ...) (USW_HERE(x), usw_move(x, __VA_ARGS__))
#define combine(x, ...) (USW_HERE(x), usw_combine(x, __VA_ARGS__))
#define set(x, ...) (USW_HERE(x), usw_set(x, __VA_ARGS__))

/* Whether a[i] <= b[j]. */
static inline bool usw_in_order(usw_explain *x, usw_array a, size_t i, usw_array b, size_t j)
{
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_COMPARE,
                                .array = a.name,
                                .other = b.name,
                                .i = i,
                                .j = j,
                                .a = a.v[i],
                                .b = b.v[j]});
    return a.v[i] <= b.v[j];
}

static inline void usw_exchange(usw_explain *x, usw_array a, size_t i, size_t j)
{
    uint32_t was = a.v[i];
    a.v[i] = a.v[j];
    a.v[j] = was;
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_SWAP,
                                .array = a.name,
                                .other = a.name,
                                .i = i,
                                .j = j,
                                .a = a.v[i],
                                .b = a.v[j]});
}

/* The smaller of a[i] and a[j] goes to a[i]. Equal elements stay where they are. */
static inline void usw_compare_exchange(usw_explain *x, usw_array a, size_t i, size_t j)
{
    if (!usw_in_order(x, a, i, a, j)) {
        usw_exchange(x, a, i, j);
    }
}

/* b[j] = a[i]. */
static inline void usw_move(usw_explain *x, usw_array a, size_t i, usw_array b, size_t j)
{
    b.v[j] = a.v[i];
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_MOVE,
                                .array = a.name,
                                .other = b.name,
                                .i = i,
                                .j = j,
                                .a = a.v[i]});
}

/* a[i] = value, which is a[i] and b[j] combined. */
static inline void usw_combine(usw_explain *x, usw_array a, size_t i, usw_array b, size_t j,
                               uint32_t value)
{
    uint32_t with = b.v[j];
    a.v[i] = value;
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_COMBINE,
                                .array = a.name,
                                .other = b.name,
                                .i = i,
                                .j = j,
                                .a = value,
                                .b = with});
}

/* a[i] = value. */
static inline void usw_set(usw_explain *x, usw_array a, size_t i, uint32_t value)
{
    a.v[i] = value;
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_SET, .array = a.name, .i = i, .a = value});
}

#endif

/* tape.h - a trace that is kept, so that it can be played forwards and back: rounds, and the steps
 * of each. It knows steps and arrays, no algorithm. Pure data; docs/trace.md says what it means. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_TAPE_H
#define VIEW_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

enum { VIEW_ARRAYS = 64, VIEW_NONE = 255, VIEW_WORK_ARRAYS = 2, VIEW_NAME = 24 };

typedef enum view_kind {
    VIEW_COMPARE = 0,
    VIEW_SWAP,
    VIEW_MOVE,
    VIEW_COMBINE,
    VIEW_SET,
    VIEW_STATE, /* no step: what an array turned out to hold */
    VIEW_KINDS
} view_kind;

/* As in upsweep_event; a is what array[i] (of a move other[j]) holds afterwards. */
typedef struct view_step {
    uint32_t i, j, a;
    uint8_t kind, array, other;
    bool lane_begins; /* another lane than that of the step before */
} view_step;

typedef struct view_array {
    char name[VIEW_NAME];
    size_t length; /* the greatest it had */
    size_t first;  /* of its elements within a state */
    size_t vector; /* elements that belong together; 0: none */
    bool distances, buckets;
} view_array;

typedef struct view_round {
    size_t begin, end;  /* its steps */
    size_t label, note; /* texts */
    size_t phase;
    size_t lanes;
    uint8_t main;                   /* the array that holds the elements as the round begins */
    uint8_t work[VIEW_WORK_ARRAYS]; /* others that it works on, most steps first; VIEW_NONE */
} view_round;

typedef struct view_tape {
    char algorithm[32];
    size_t n; /* numbers that were given */
    view_step *steps;
    size_t step_count, step_room;
    view_round *rounds; /* one more than there are: the last one is what holds after the end */
    size_t round_count, round_room;
    size_t begin; /* steps before the first round */
    view_array arrays[VIEW_ARRAYS];
    size_t array_count;
    size_t elements; /* of all arrays */
    char *texts;     /* each ended by a zero byte; text 0 is "" */
    size_t text_bytes, text_room;
    uint64_t totals[VIEW_KINDS];
    size_t lanes_most;
} view_tape;

typedef enum view_status {
    VIEW_OK = 0,
    VIEW_NO_MEMORY,
    VIEW_TOO_LONG, /* more steps than limit */
    VIEW_REFUSED   /* the trace itself failed: *status of view_tape_record */
} view_status;

/* Runs the explained form and keeps its trace. limit: the most steps (of 16 bytes). *tape can be
 * freed in any case. */
view_status view_tape_record(view_tape *tape, const char *algorithm, const uint32_t *values,
                             size_t n, size_t limit, upsweep_status *status);
void view_tape_free(view_tape *tape);

static inline const char *view_text(const view_tape *tape, size_t text)
{
    return tape->texts == NULL ? "" : tape->texts + text;
}

#endif

/* trace_print.h - the two ways to print a trace; docs/trace.md describes both. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_TRACE_TRACE_PRINT_H
#define USW_APP_TRACE_TRACE_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/watch/watch.h"
#include "upsweep.h"

enum { TRACE_CELLS = 8, TRACE_LABEL = 96, TRACE_HEAD = 120 };

/* The text format: a row of arrays for each round and phase that shows any, then the totals. It
 * is run twice: first with measure set, which prints nothing but finds how wide the first column
 * is. */
typedef struct trace_text {
    FILE *f;
    const upsweep_algorithm *algorithm;
    bool measure;
    size_t head_width, n;
    char phase[TRACE_LABEL], label[TRACE_LABEL]; /* of the phase and the round that go on */
    char head[TRACE_HEAD];                       /* of the row that is being collected */
    bool in_round, row_in_round;
    char first[32];           /* the array shown first goes without a name */
    char *cells[TRACE_CELLS]; /* the row: one text an array */
    size_t cell_count;
    uint64_t counts[UPSWEEP_EVENT_END + 1];
    uint64_t *swaps; /* in each round */
    size_t round_count, round_room;
    size_t round_rows; /* rounds that have a row */
    bool failed;       /* out of memory */
} trace_text;

int trace_text_sink(void *text, const upsweep_event *event);
void trace_text_free(trace_text *text);

/* The same with a row for every round: arrays that a round wrote and did not show are shown at its
 * end. */
typedef struct trace_every {
    trace_text *text;
    watch_state state;
    uint64_t shown; /* the arrays of state that the round has shown, a bit each */
} trace_every;
int trace_every_sink(void *every, const upsweep_event *event);

/* The jsonl format: one JSON object for each event. context is the FILE to write to. */
int trace_jsonl_sink(void *context, const upsweep_event *event);

#endif

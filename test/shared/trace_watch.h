/* trace_watch.h - a sink that believes nothing: it does every step of a trace once more on
 * arrays of its own, and finds what a trace must not say. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_TRACE_WATCH_H
#define USW_TEST_SHARED_TRACE_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "upsweep.h"

enum { WATCH_ARRAYS = 16 };

typedef struct watch_element {
    uint32_t value, tag; /* tag: the position in the input that the value came from */
    bool known;
    uint64_t written_in, written_by; /* round + 1 and lane of the last write */
} watch_element;

typedef struct watch_array {
    char name[24];
    size_t shown, room; /* elements when last shown */
    watch_element *e;
} watch_array;

typedef struct trace_watch {
    watch_array arrays[WATCH_ARRAYS];
    size_t array_count;
    size_t result; /* the array shown last: by docs/trace.md the outcome of a sort */
    uint64_t counts[UPSWEEP_EVENT_END + 1];
    uint64_t rounds, hash; /* hash: of all events */
    uint64_t meetings;     /* hash of which elements meet, whatever their values */
    bool in_round, in_relax, ended;
    uint64_t stop_at; /* asks to stop at this event, counted from 1; 0: never */
    uint64_t events;
    char problem[256]; /* the first thing found wrong; "" if nothing */
} trace_watch;

int trace_watch_sink(void *watch, const upsweep_event *event);
void trace_watch_free(trace_watch *w);

/* Runs the explained form under a watch and fails the test if anything is wrong with the trace. */
void trace_watched(trace_watch *w, const char *name, const uint32_t *values, size_t n,
                   uint32_t *result);

#endif

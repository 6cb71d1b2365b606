/* page_events.h - a trace as the page's player reads it: JSON, short, with names by number.
 *
 * The same code makes the traces that `upsweep page` writes and those that the explained forms,
 * compiled to WebAssembly (site/wasm/wasm.c), make in the page; docs/trace.md describes them. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_PAGE_PAGE_EVENTS_H
#define APP_PAGE_PAGE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

enum { PAGE_ARRAYS = 64, PAGE_LINES = 256, PAGE_NAME = 32, PAGE_WORD = 40 };

/* Text that grows. */
typedef struct page_text {
    char *bytes;
    size_t size, room;
    bool failed; /* out of memory */
} page_text;

typedef struct page_events {
    page_text text;
    size_t events, most; /* more events than most end the trace; 0: no limit */
    char arrays[PAGE_ARRAYS][PAGE_NAME];
    char lines[PAGE_LINES][PAGE_WORD]; /* "sort_oddeven.c:51" */
    size_t array_count, line_count;
    bool too_long, too_many_names;
} page_events;

/* As upsweep_sink; context is a page_events that was zero at first. */
int page_events_sink(void *events, const upsweep_event *event);
/* Closes the text. rounds and work: what the row's formulas say, 0 where they say no number. */
void page_events_end(page_events *p, const uint32_t *values, size_t n, uint64_t rounds,
                     uint64_t work);
void page_events_free(page_events *p);

void page_put(page_text *t, const char *bytes, size_t count);
void page_put_text(page_text *t, const char *text);
/* As a JSON string, in quotes; < is escaped, so that it may stand in a page's script. */
void page_put_json(page_text *t, const char *text);
void page_put_number(page_text *t, uint64_t number);

#endif

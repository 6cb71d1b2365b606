/* trace_every.c - see trace_print.h: what rounds leave unsaid because their arrays are shown later,
 * or are inner ones. */
/* SPDX-License-Identifier: MIT */
#include "app/trace/trace_print.h"

#include <string.h>

static void mark_shown(trace_every *t, const char *name)
{
    for (size_t k = 0; k < t->state.array_count; k++) {
        if (strcmp(t->state.arrays[k].name, name) == 0) {
            t->shown |= UINT64_C(1) << k;
        }
    }
}

static bool was_written(const watch_array *a)
{
    size_t i = 0;
    while (i < a->count && a->marks[i] != WATCH_WRITTEN) {
        i++;
    }
    return i < a->count;
}

/* Returns what the sink of the text returns. */
static int show_written(trace_every *t, const upsweep_event *end)
{
    bool path = strcmp(t->text->algorithm->operation, "path") == 0;
    for (size_t k = 0; k < t->state.array_count; k++) {
        const watch_array *a = &t->state.arrays[k];
        if ((t->shown >> k & 1) != 0 || !was_written(a)) {
            continue;
        }
        upsweep_event state = {.kind = UPSWEEP_EVENT_ARRAY,
                               .round = end->round,
                               .array = a->name,
                               .i = a->vector,
                               .text = path ? "distances" : NULL,
                               .values = a->values,
                               .count = a->count};
        int status = trace_text_sink(t->text, &state);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

int trace_every_sink(void *every, const upsweep_event *e)
{
    trace_every *t = every;
    watch_take(&t->state, e);
    t->text->failed = t->text->failed || t->state.failed;
    if (e->kind == UPSWEEP_EVENT_ROUND) {
        t->shown = 0;
    } else if (e->kind == UPSWEEP_EVENT_ARRAY) {
        mark_shown(t, e->array);
    } else if (e->kind == UPSWEEP_EVENT_END_ROUND) {
        int status = show_written(t, e);
        if (status != 0) {
            return status;
        }
    }
    return trace_text_sink(t->text, e);
}

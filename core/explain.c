/* explain.c - how the steps of an explained form reach the trace, and where its arrays come from.
 * The words themselves are in explain.h. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/explain.h"

/* An array's memory, kept in a list so that a form that is left half-way leaks nothing. */
typedef struct usw_explain_block {
    struct usw_explain_block *next;
    uint64_t memory[];
} usw_explain_block;

_Noreturn void usw_explain_leave(usw_explain *x, upsweep_status status)
{
    x->status = status;
    longjmp(x->leave, 1);
}

/* Apart from usw_explain_run, so that no variable lives across the jump. */
static void enter(usw_explain *x, const usw_row *row, const uint32_t *in, size_t n, uint32_t *out)
{
    if (setjmp(x->leave) == 0) {
        usw_tell(x,
                 (upsweep_event){.kind = UPSWEEP_EVENT_BEGIN, .text = row->info.name, .count = n});
        row->explain(x, in, n, out);
        usw_at(x, NULL, 0);
        usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_END});
    }
}

upsweep_status usw_explain_run(usw_explain *x, const usw_row *row, const uint32_t *in, size_t n,
                               uint32_t *out)
{
    x->results = n;
    enter(x, row, in, n, out);
    while (x->blocks != NULL) {
        usw_explain_block *next = x->blocks->next;
        free(x->blocks);
        x->blocks = next;
    }
    return x->status;
}

/* The last two names of a path: "algo/sort_oddeven.c", from wherever it was compiled. */
static const char *from_root(const char *file)
{
    const char *name = file == NULL ? NULL : strrchr(file, '/');
    while (name != NULL && name > file && name[-1] != '/') {
        name--;
    }
    return name == NULL ? file : name;
}

void usw_tell(usw_explain *x, upsweep_event event)
{
    x->counts[event.kind]++;
    if (x->sink != NULL) {
        event.round = x->round;
        event.lane = x->lane;
        event.file = from_root(x->file);
        event.line = x->line;
        if (x->sink(x->context, &event) != 0) {
            usw_explain_leave(x, UPSWEEP_STOPPED);
        }
    }
}

void usw_tell_text(usw_explain *x, upsweep_event_kind kind, const char *format, ...)
{
    if (x->sink != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(x->text, sizeof x->text, format, arguments);
        va_end(arguments);
    }
    usw_tell(x, (upsweep_event){.kind = kind, .text = x->text});
}

void usw_round_end(usw_explain *x)
{
    x->lane = 0;
    usw_at(x, NULL, 0);
    usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_END_ROUND});
    x->round++;
}

void *new_memory(usw_explain *x, size_t bytes)
{
    size_t most = SIZE_MAX - sizeof(usw_explain_block);
    usw_explain_block *block = bytes > most ? NULL : calloc(1, sizeof *block + bytes);
    if (block == NULL) {
        usw_explain_leave(x, UPSWEEP_ERROR_MEMORY);
    }
    block->next = x->blocks;
    x->blocks = block;
    return block->memory;
}

usw_array new_array(usw_explain *x, const char *name, size_t n)
{
    return (usw_array){.name = name, .v = new_memory(x, n * sizeof(uint32_t)), .n = n};
}

usw_array usw_explain_given(usw_explain *x, const char *name, const uint32_t *in, size_t n,
                            uint32_t *out)
{
    usw_array a = {.name = name, .v = out, .n = n};
    if (n > 0) {
        memcpy(out, in, n * sizeof *out);
    }
    usw_explain_show(x, a, NULL);
    return a;
}

void usw_explain_show(usw_explain *x, usw_array a, const char *role)
{
    if (!a.hidden) {
        x->lane = 0;
        usw_tell(x, (upsweep_event){.kind = UPSWEEP_EVENT_ARRAY,
                                    .array = a.name,
                                    .i = a.vector,
                                    .text = role,
                                    .values = a.v,
                                    .count = a.n});
    }
}

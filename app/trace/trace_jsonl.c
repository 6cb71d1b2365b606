/* trace_jsonl.c - a trace for programs: one JSON object a line for each event, with the members
 * that its kind has (docs/trace.md). */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/trace/trace_print.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[] = {
    [UPSWEEP_EVENT_BEGIN] = "begin",     [UPSWEEP_EVENT_PHASE] = "phase",
    [UPSWEEP_EVENT_ROUND] = "round",     [UPSWEEP_EVENT_COMPARE] = "compare",
    [UPSWEEP_EVENT_SWAP] = "swap",       [UPSWEEP_EVENT_MOVE] = "move",
    [UPSWEEP_EVENT_COMBINE] = "combine", [UPSWEEP_EVENT_SET] = "set",
    [UPSWEEP_EVENT_ARRAY] = "array",     [UPSWEEP_EVENT_END_ROUND] = "end_round",
    [UPSWEEP_EVENT_NOTE] = "note",       [UPSWEEP_EVENT_END] = "end"};

static void print_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, ",\"%s\":", key);
    app_print_json_text(f, text);
}

static void print_number(FILE *f, const char *key, uint64_t number)
{
    fprintf(f, ",\"%s\":%" PRIu64, key, number);
}

/* A step of a lane: compare, swap, move, combine or set. */
static void print_step(FILE *f, const upsweep_event *e)
{
    print_number(f, "lane", e->lane);
    print_text(f, "array", e->array);
    print_number(f, "i", e->i);
    print_number(f, "a", e->a);
    if (e->kind != UPSWEEP_EVENT_SET) {
        print_text(f, "other", e->other);
        print_number(f, "j", e->j);
        if (e->kind != UPSWEEP_EVENT_MOVE) {
            print_number(f, "b", e->b);
        }
    }
}

static void print_array(FILE *f, const upsweep_event *e)
{
    print_text(f, "array", e->array);
    if (e->text != NULL) {
        print_text(f, "role", e->text);
    }
    if (e->i > 0) {
        print_number(f, "vector", e->i);
    }
    fputs(",\"values\":[", f);
    for (size_t k = 0; k < e->count; k++) {
        fprintf(f, "%s%" PRIu32, k > 0 ? "," : "", e->values[k]);
    }
    fputc(']', f);
}

/* Where the explained form tells this: "sort_oddeven.c:51". */
static void print_line(FILE *f, const upsweep_event *e)
{
    if (e->file != NULL) {
        const char *slash = strrchr(e->file, '/');
        fprintf(f, ",\"line\":\"%s:%u\"", slash == NULL ? e->file : slash + 1, e->line);
    }
}

int trace_jsonl_sink(void *context, const upsweep_event *e)
{
    FILE *f = context;
    fprintf(f, "{\"event\":\"%s\"", kinds[e->kind]);
    switch (e->kind) {
    case UPSWEEP_EVENT_BEGIN:
        print_text(f, "algorithm", e->text);
        print_number(f, "n", e->count);
        break;
    case UPSWEEP_EVENT_PHASE: print_text(f, "name", e->text); break;
    case UPSWEEP_EVENT_ROUND:
        print_number(f, "round", e->round);
        print_text(f, "label", e->text);
        break;
    case UPSWEEP_EVENT_NOTE: print_text(f, "text", e->text); break;
    case UPSWEEP_EVENT_END: print_number(f, "rounds", e->round); break;
    default:
        print_number(f, "round", e->round);
        if (e->kind == UPSWEEP_EVENT_ARRAY) {
            print_array(f, e);
        } else if (e->kind != UPSWEEP_EVENT_END_ROUND) {
            print_step(f, e);
        }
    }
    print_line(f, e);
    fputs("}\n", f);
    return ferror(f);
}

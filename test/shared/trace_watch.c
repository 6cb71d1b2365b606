/* trace_watch.c - see trace_watch.h. What it checks at every event:
 *   the values told are those that the steps before have left (COMPARE, SWAP, MOVE, ARRAY);
 *   what a form tells has its place in algo/;
 *   steps stand inside rounds, rounds are counted without a gap, nothing follows the end;
 *   the lanes of a round could act at once: none reads or writes what another one has written in
 *   the same round (in Dijkstra's relax lanes may offer ways to one vertex, and say so). */
/* SPDX-License-Identifier: MIT */
#include "test/shared/trace_watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

static void wrong(trace_watch *w, const char *format, ...)
{
    if (w->problem[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(w->problem, sizeof w->problem, format, arguments);
        va_end(arguments);
    }
}

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
}

static void mix_text(uint64_t *hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        mix(hash, (unsigned char)*text);
    }
}

static size_t array_number(trace_watch *w, const char *name)
{
    size_t k = 0;
    while (k < w->array_count && strcmp(w->arrays[k].name, name) != 0) {
        k++;
    }
    if (k == w->array_count) {
        assert_true(k < WATCH_ARRAYS);
        snprintf(w->arrays[k].name, sizeof w->arrays[k].name, "%s", name);
        w->array_count++;
    }
    return k;
}

static watch_element *element(trace_watch *w, const char *name, uint64_t i)
{
    watch_array *a = &w->arrays[array_number(w, name)];
    if (i >= a->room) {
        size_t room = (size_t)i + 64;
        a->e = realloc(a->e, room * sizeof *a->e);
        assert_non_null(a->e);
        memset(a->e + a->room, 0, (room - a->room) * sizeof *a->e);
        a->room = room;
    }
    return &a->e[i];
}

static void check_lane(trace_watch *w, const upsweep_event *e, const char *name, uint64_t i)
{
    const watch_element *at = element(w, name, i);
    if (at->written_in == e->round + 1 && at->written_by != e->lane && !w->in_relax) {
        wrong(w,
              "round %" PRIu64 ": lane %" PRIu64 " touches %s[%" PRIu64 "], which lane %" PRIu64
              " has written",
              e->round, e->lane, name, i, at->written_by);
    }
}

static watch_element read_value(trace_watch *w, const upsweep_event *e, const char *name,
                                uint64_t i, uint32_t told)
{
    watch_element *at = element(w, name, i);
    check_lane(w, e, name, i);
    if (at->known && at->value != told) {
        wrong(w, "round %" PRIu64 ": %s[%" PRIu64 "] is told to be %" PRIu32 " and is %" PRIu32,
              e->round, name, i, told, at->value);
    }
    at->known = true;
    at->value = told;
    return *at;
}

static void write_value(trace_watch *w, const upsweep_event *e, const char *name, uint64_t i,
                        uint32_t value, uint32_t tag)
{
    check_lane(w, e, name, i);
    *element(w, name, i) = (watch_element){value, tag, true, e->round + 1, e->lane};
}

static void step(trace_watch *w, const upsweep_event *e)
{
    watch_element a, b;
    if (!w->in_round) {
        wrong(w, "a step outside a round, after round %" PRIu64, e->round);
    }
    switch (e->kind) {
    case UPSWEEP_EVENT_COMPARE:
        read_value(w, e, e->array, e->i, e->a);
        read_value(w, e, e->other, e->j, e->b);
        break;
    case UPSWEEP_EVENT_SWAP:
        a = read_value(w, e, e->array, e->i, e->b);
        b = read_value(w, e, e->array, e->j, e->a);
        write_value(w, e, e->array, e->i, e->a, b.tag);
        write_value(w, e, e->array, e->j, e->b, a.tag);
        break;
    case UPSWEEP_EVENT_MOVE:
        a = read_value(w, e, e->array, e->i, e->a);
        write_value(w, e, e->other, e->j, e->a, a.tag);
        break;
    case UPSWEEP_EVENT_COMBINE:
        read_value(w, e, e->other, e->j, e->b);
        write_value(w, e, e->array, e->i, e->a, 0);
        break;
    default: write_value(w, e, e->array, e->i, e->a, 0);
    }
    if (e->kind != UPSWEEP_EVENT_SWAP) {
        mix(&w->meetings, e->round << 8 | e->kind);
        mix_text(&w->meetings, e->array);
        mix_text(&w->meetings, e->other);
        mix(&w->meetings, e->i);
        mix(&w->meetings, e->j);
    }
}

static void array(trace_watch *w, const upsweep_event *e)
{
    bool first = w->counts[UPSWEEP_EVENT_ARRAY] == 1;
    watch_element *all = e->count > 0 ? element(w, e->array, e->count - 1) + 1 - e->count : NULL;
    for (size_t k = 0; k < e->count; k++) {
        watch_element *at = &all[k];
        if (at->known && at->value != e->values[k]) {
            wrong(w, "round %" PRIu64 ": %s[%zu] is shown as %" PRIu32 " and is %" PRIu32, e->round,
                  e->array, k, e->values[k], at->value);
        }
        at->value = e->values[k];
        at->known = true;
        at->tag = first ? (uint32_t)k : at->tag;
        mix(&w->hash, e->values[k]);
    }
    w->result = array_number(w, e->array);
    w->arrays[w->result].shown = e->count;
}

int trace_watch_sink(void *watch, const upsweep_event *e)
{
    trace_watch *w = watch;
    if (w->ended || (w->stop_at != 0 && w->events >= w->stop_at)) {
        wrong(w, "an event after the end");
    }
    w->events++;
    w->counts[e->kind]++;
    mix(&w->hash, (uint64_t)e->kind << 32 | e->lane);
    mix(&w->hash, e->i << 32 ^ e->j);
    mix(&w->hash, (uint64_t)e->a << 32 | e->b);
    mix_text(&w->hash, e->array);
    mix_text(&w->hash, e->other);
    mix_text(&w->hash, e->text);
    mix_text(&w->hash, e->file);
    mix(&w->hash, e->line);
    bool placed = e->file != NULL && strncmp(e->file, "algo/", 5) == 0 && e->line > 0;
    bool should = e->kind != UPSWEEP_EVENT_BEGIN && e->kind != UPSWEEP_EVENT_END_ROUND &&
                  e->kind != UPSWEEP_EVENT_END;
    if (placed != should || (!should && (e->file != NULL || e->line != 0))) {
        wrong(w, "an event of kind %d stands at %s:%u", (int)e->kind,
              e->file == NULL ? "" : e->file, e->line);
    }
    if (e->round != w->rounds) {
        wrong(w, "round %" PRIu64 " where %" PRIu64 " are over", e->round, w->rounds);
    }
    switch (e->kind) {
    case UPSWEEP_EVENT_BEGIN: break;
    case UPSWEEP_EVENT_ROUND:
        if (w->in_round) {
            wrong(w, "a round inside round %" PRIu64, e->round);
        }
        w->in_round = true;
        w->in_relax = strcmp(e->text, "relax") == 0;
        break;
    case UPSWEEP_EVENT_END_ROUND:
        w->in_round = false;
        w->rounds++;
        break;
    case UPSWEEP_EVENT_ARRAY: array(w, e); break;
    case UPSWEEP_EVENT_PHASE:
    case UPSWEEP_EVENT_NOTE: break;
    case UPSWEEP_EVENT_END: w->ended = true; break;
    default: step(w, e);
    }
    return w->stop_at != 0 && w->events == w->stop_at;
}

void trace_watch_free(trace_watch *w)
{
    for (size_t k = 0; k < w->array_count; k++) {
        free(w->arrays[k].e);
    }
    *w = (trace_watch){.array_count = 0};
}

void trace_watched(trace_watch *w, const char *name, const uint32_t *values, size_t n,
                   uint32_t *result)
{
    *w = (trace_watch){.array_count = 0};
    upsweep_status status = upsweep_trace(name, values, n, result, trace_watch_sink, w);
    if (status != UPSWEEP_OK || w->problem[0] != '\0' || !w->ended || w->in_round ||
        w->counts[UPSWEEP_EVENT_BEGIN] != 1) {
        fail_msg("%s, n = %zu: %s: %s", name, n, upsweep_status_name(status), w->problem);
    }
}

/* watch_state.c - follows a trace: what the arrays hold, which elements the lanes of the round have
 * read and written, and which were brought together. */
/* SPDX-License-Identifier: MIT */
#include "app/watch/watch.h"

#include <stdlib.h>
#include <string.h>

void watch_begin(watch_state *s, size_t slot_count)
{
    *s = (watch_state){.slot_count = slot_count};
    for (size_t k = 0; k < WATCH_SLOTS; k++) {
        s->slots[k] = WATCH_ARRAYS;
    }
}

void watch_free(watch_state *s)
{
    for (size_t k = 0; k < s->array_count; k++) {
        free(s->arrays[k].values);
        free(s->arrays[k].marks);
    }
    free(s->pairs);
    s->pairs = NULL;
    s->array_count = 0;
}

/* The array takes the slot that has been without use for longest. Arrays of this picture stay. */
static void take_slot(watch_state *s, size_t array)
{
    uint64_t now = s->picture + 1, oldest = now;
    size_t place = WATCH_SLOTS;
    for (size_t k = 0; k < s->slot_count; k++) {
        uint64_t used = s->slots[k] == WATCH_ARRAYS ? 0 : s->arrays[s->slots[k]].used;
        if (s->slots[k] == array) {
            return;
        }
        if (used < oldest) {
            oldest = used;
            place = k;
        }
    }
    if (place < WATCH_SLOTS) {
        s->slots[place] = array;
    }
}

/* The array of this name, made to hold count elements; NULL if there is no room for it. */
static watch_array *array_of(watch_state *s, const char *name, size_t count)
{
    size_t k = 0;
    while (k < s->array_count && strcmp(s->arrays[k].name, name) != 0) {
        k++;
    }
    if (k == WATCH_ARRAYS) {
        return NULL;
    }
    watch_array *a = &s->arrays[k];
    if (k == s->array_count) {
        snprintf(a->name, sizeof a->name, "%s", name);
        s->array_count++;
    }
    if (count > a->room) {
        size_t room = count > 2 * a->room ? count : 2 * a->room;
        uint32_t *values = realloc(a->values, room * sizeof *values);
        a->values = values != NULL ? values : a->values;
        unsigned char *marks = realloc(a->marks, room);
        a->marks = marks != NULL ? marks : a->marks;
        if (values == NULL || marks == NULL) {
            s->failed = true;
            return NULL;
        }
        a->room = room;
    }
    for (; a->count < count; a->count++) {
        a->values[a->count] = 0;
        a->marks[a->count] = 0;
    }
    a->longest = count > a->longest ? count : a->longest;
    take_slot(s, k);
    a->used = s->picture + 1;
    return a;
}

static void see(watch_array *a, uint32_t value)
{
    if (value > a->greatest && value != UINT32_MAX) {
        a->greatest = value;
    }
}

static void mark(watch_state *s, const char *name, uint64_t i, uint32_t value, unsigned char how)
{
    watch_array *a = array_of(s, name, (size_t)i + 1);
    if (a == NULL) {
        return;
    }
    a->values[i] = value;
    a->marks[i] = how > a->marks[i] ? how : a->marks[i];
    see(a, value);
}

static void add_pair(watch_state *s, const upsweep_event *e, bool written)
{
    if (strcmp(e->array, e->other) != 0 || e->i == e->j) {
        return;
    }
    size_t i = (size_t)(e->i < e->j ? e->i : e->j), j = (size_t)(e->i < e->j ? e->j : e->i);
    if (s->pair_count > 0) { /* the exchange of those that were compared */
        watch_pair *last = &s->pairs[s->pair_count - 1];
        if (last->i == i && last->j == j && strcmp(s->arrays[last->array].name, e->array) == 0) {
            last->written = last->written || written;
            return;
        }
    }
    if (s->pair_count == s->pair_room) {
        size_t room = s->pair_room == 0 ? 64 : 2 * s->pair_room;
        watch_pair *pairs = realloc(s->pairs, room * sizeof *pairs);
        if (pairs == NULL) {
            s->failed = true;
            return;
        }
        s->pairs = pairs;
        s->pair_room = room;
    }
    size_t array = 0;
    while (array < s->array_count && strcmp(s->arrays[array].name, e->array) != 0) {
        array++;
    }
    s->pairs[s->pair_count++] = (watch_pair){array, i, j, written};
}

static void take_step(watch_state *s, const upsweep_event *e)
{
    if (e->lane + 1 != s->lane) {
        s->lane = e->lane + 1;
        s->lanes++;
    }
    switch (e->kind) {
    case UPSWEEP_EVENT_COMPARE:
        mark(s, e->array, e->i, e->a, WATCH_READ);
        mark(s, e->other, e->j, e->b, WATCH_READ);
        break;
    case UPSWEEP_EVENT_SWAP:
        mark(s, e->array, e->i, e->a, WATCH_WRITTEN);
        mark(s, e->other, e->j, e->b, WATCH_WRITTEN);
        break;
    case UPSWEEP_EVENT_MOVE:
        mark(s, e->array, e->i, e->a, WATCH_READ);
        mark(s, e->other, e->j, e->a, WATCH_WRITTEN);
        break;
    case UPSWEEP_EVENT_COMBINE:
        mark(s, e->other, e->j, e->b, WATCH_READ);
        mark(s, e->array, e->i, e->a, WATCH_WRITTEN);
        break;
    default: mark(s, e->array, e->i, e->a, WATCH_WRITTEN); return;
    }
    add_pair(s, e, e->kind != UPSWEEP_EVENT_COMPARE);
}

static void take_array(watch_state *s, const upsweep_event *e)
{
    watch_array *a = array_of(s, e->array, e->count);
    if (a == NULL) {
        return;
    }
    a->count = e->count;
    a->vector = (size_t)e->i;
    for (size_t k = 0; k < e->count; k++) {
        a->values[k] = e->values[k];
        see(a, e->values[k]);
    }
}

static void forget_round(watch_state *s)
{
    for (size_t k = 0; k < s->array_count; k++) {
        if (s->arrays[k].count > 0) {
            memset(s->arrays[k].marks, 0, s->arrays[k].count);
        }
    }
    s->pair_count = 0;
    s->lanes = s->lane = 0;
}

static void set_text(char to[WATCH_TEXT], const char *from)
{
    snprintf(to, WATCH_TEXT, "%s", from);
}

bool watch_take(watch_state *s, const upsweep_event *e)
{
    s->counts[e->kind]++;
    switch (e->kind) {
    case UPSWEEP_EVENT_BEGIN: s->n = e->count; return false;
    case UPSWEEP_EVENT_PHASE:
        set_text(s->phase, e->text);
        s->note[0] = '\0';
        return false;
    case UPSWEEP_EVENT_NOTE: set_text(s->note, e->text); return false;
    case UPSWEEP_EVENT_ARRAY: take_array(s, e); return false;
    case UPSWEEP_EVENT_ROUND:
        s->picture = e->round + 1;
        set_text(s->label, e->text);
        forget_round(s);
        return false;
    case UPSWEEP_EVENT_END_ROUND: return true;
    case UPSWEEP_EVENT_END:
        forget_round(s);
        s->picture = e->round + 1;
        s->ended = true;
        return true;
    default: take_step(s, e); return false;
    }
}

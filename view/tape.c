/* tape.c - listens to a trace and writes it down. */
/* SPDX-License-Identifier: MIT */
#include "view/tape.h"

#include <stdlib.h>
#include <string.h>

/* What is known while the trace runs. */
typedef struct recorder {
    view_tape *tape;
    size_t limit;
    view_status status;
    uint32_t *values[VIEW_ARRAYS]; /* what the arrays hold now */
    size_t room[VIEW_ARRAYS];
    size_t touched[VIEW_ARRAYS]; /* steps of this round on each array */
    uint8_t main;
    bool in_round;
    uint64_t lane;
    size_t phase, note;
} recorder;

static int stop(recorder *r, view_status why)
{
    r->status = why;
    return 1;
}

static bool grow(void *list, size_t *room, size_t needed, size_t bytes)
{
    if (needed <= *room) {
        return true;
    }
    size_t larger = *room < 64 ? 64 : 2 * *room;
    while (larger < needed) {
        larger *= 2;
    }
    void *memory = NULL;
    memcpy(&memory, list, sizeof memory);
    void *more = realloc(memory, larger * bytes);
    if (more != NULL) {
        memcpy(list, &more, sizeof more);
        *room = larger;
    }
    return more != NULL;
}

static size_t add_text(recorder *r, const char *text)
{
    view_tape *t = r->tape;
    size_t bytes = strlen(text) + 1, at = t->text_bytes;
    if (!grow(&t->texts, &t->text_room, at + bytes, 1)) {
        r->status = VIEW_NO_MEMORY;
        return 0;
    }
    memcpy(t->texts + at, text, bytes);
    t->text_bytes += bytes;
    return at;
}

static uint8_t array_number(recorder *r, const char *name)
{
    view_tape *t = r->tape;
    for (size_t k = 0; k < t->array_count; k++) {
        if (strncmp(t->arrays[k].name, name, VIEW_NAME - 1) == 0) {
            return (uint8_t)k;
        }
    }
    if (t->array_count == VIEW_ARRAYS) {
        return VIEW_ARRAYS - 1; /* more names than anyone can look at */
    }
    strncpy(t->arrays[t->array_count].name, name, VIEW_NAME - 1);
    return (uint8_t)t->array_count++;
}

/* Makes array[0 .. length) be there. */
static bool reach(recorder *r, uint8_t array, size_t length)
{
    view_array *a = &r->tape->arrays[array];
    if (length > a->length) {
        if (!grow(&r->values[array], &r->room[array], length, sizeof(uint32_t))) {
            return false;
        }
        memset(r->values[array] + a->length, 0, (length - a->length) * sizeof(uint32_t));
        a->length = length;
    }
    return true;
}

static int add_step(recorder *r, view_step step)
{
    view_tape *t = r->tape;
    if (t->step_count == r->limit) {
        return stop(r, VIEW_TOO_LONG);
    }
    if (!grow(&t->steps, &t->step_room, t->step_count + 1, sizeof *t->steps)) {
        return stop(r, VIEW_NO_MEMORY);
    }
    t->steps[t->step_count++] = step;
    t->totals[step.kind]++;
    return 0;
}

static int take_step(recorder *r, const upsweep_event *e)
{
    static const uint8_t kinds[UPSWEEP_EVENT_END + 1] = {[UPSWEEP_EVENT_COMPARE] = VIEW_COMPARE,
                                                         [UPSWEEP_EVENT_SWAP] = VIEW_SWAP,
                                                         [UPSWEEP_EVENT_MOVE] = VIEW_MOVE,
                                                         [UPSWEEP_EVENT_COMBINE] = VIEW_COMBINE,
                                                         [UPSWEEP_EVENT_SET] = VIEW_SET};
    view_round *round = &r->tape->rounds[r->tape->round_count - 1];
    view_step s = {.i = (uint32_t)e->i, .j = (uint32_t)e->j, .a = e->a, .kind = kinds[e->kind]};
    s.array = array_number(r, e->array);
    s.other = e->other == NULL ? s.array : array_number(r, e->other);
    s.lane_begins = round->lanes == 0 || e->lane != r->lane;
    r->lane = e->lane;
    round->lanes += s.lane_begins;
    size_t far = s.kind == VIEW_SET ? 0 : (size_t)e->j + 1;
    if (!reach(r, s.array, (size_t)e->i + 1) || !reach(r, s.other, far)) {
        return stop(r, VIEW_NO_MEMORY);
    }
    if (s.kind == VIEW_MOVE) {
        r->values[s.other][s.j] = s.a;
    } else if (s.kind != VIEW_COMPARE) {
        r->values[s.array][s.i] = s.a;
    }
    if (s.kind == VIEW_SWAP) {
        r->values[s.other][s.j] = e->b;
    }
    r->touched[s.array]++;
    r->touched[s.other] += s.other != s.array;
    return add_step(r, s);
}

static bool role_is(const upsweep_event *e, const char *role)
{
    return e->text != NULL && strcmp(e->text, role) == 0;
}

/* The elements are in the array shown first, and then in each result that has as many. */
static void find_main(recorder *r, const upsweep_event *e, uint8_t array)
{
    bool first = r->main == VIEW_NONE;
    if (first || (role_is(e, "result") && e->count >= r->tape->arrays[r->main].length)) {
        r->main = array;
    }
}

/* All steps are told, so this should tell nothing new but where an array begins with more than
 * zeros, or is a new one under a name that was known. */
static int take_array(recorder *r, const upsweep_event *e)
{
    uint8_t array = array_number(r, e->array);
    view_array *a = &r->tape->arrays[array];
    if (!reach(r, array, e->count)) {
        return stop(r, VIEW_NO_MEMORY);
    }
    a->vector = e->i > 0 ? (size_t)e->i : a->vector;
    a->distances = a->distances || role_is(e, "distances");
    a->buckets = a->buckets || role_is(e, "buckets");
    find_main(r, e, array);
    for (size_t i = 0; i < e->count; i++) {
        if (r->values[array][i] != e->values[i]) {
            r->values[array][i] = e->values[i];
            view_step s = {.i = (uint32_t)i,
                           .a = e->values[i],
                           .kind = VIEW_STATE,
                           .array = array,
                           .other = array};
            if (add_step(r, s) != 0) {
                return 1;
            }
        }
    }
    if (r->tape->round_count == 0) {
        r->tape->begin = r->tape->step_count;
    } else {
        r->tape->rounds[r->tape->round_count - 1].end = r->tape->step_count;
    }
    return 0;
}

static int begin_round(recorder *r, const char *label)
{
    view_tape *t = r->tape;
    if (!grow(&t->rounds, &t->round_room, t->round_count + 2, sizeof *t->rounds)) {
        return stop(r, VIEW_NO_MEMORY);
    }
    view_round round = {.begin = t->step_count,
                        .end = t->step_count,
                        .label = add_text(r, label),
                        .note = r->note,
                        .phase = r->phase,
                        .main = r->main,
                        .work = {VIEW_NONE, VIEW_NONE}};
    t->rounds[t->round_count++] = round;
    memset(r->touched, 0, sizeof r->touched);
    r->note = 0;
    return r->status != VIEW_OK;
}

/* The arrays other than the main one that most steps of the round were on. */
static void end_round(recorder *r)
{
    view_tape *t = r->tape;
    view_round *round = &t->rounds[t->round_count - 1];
    round->end = t->step_count;
    t->lanes_most = round->lanes > t->lanes_most ? round->lanes : t->lanes_most;
    round->main = round->main == VIEW_NONE ? r->main : round->main;
    for (size_t w = 0; w < VIEW_WORK_ARRAYS; w++) {
        size_t most = 0;
        for (size_t k = 0; k < t->array_count; k++) {
            bool taken = k == round->main || (w > 0 && k == round->work[0]);
            if (!taken && r->touched[k] > most) {
                most = r->touched[k];
                round->work[w] = (uint8_t)k;
            }
        }
    }
}

static int listen(void *context, const upsweep_event *e)
{
    recorder *r = context;
    switch (e->kind) {
    case UPSWEEP_EVENT_BEGIN: r->tape->n = e->count; break;
    case UPSWEEP_EVENT_PHASE: r->phase = add_text(r, e->text); break;
    case UPSWEEP_EVENT_NOTE: r->note = add_text(r, e->text); break;
    case UPSWEEP_EVENT_ROUND: return begin_round(r, e->text);
    case UPSWEEP_EVENT_END_ROUND: end_round(r); break;
    case UPSWEEP_EVENT_ARRAY: return take_array(r, e);
    case UPSWEEP_EVENT_COMPARE:
    case UPSWEEP_EVENT_SWAP:
    case UPSWEEP_EVENT_MOVE:
    case UPSWEEP_EVENT_COMBINE:
    case UPSWEEP_EVENT_SET: return take_step(r, e);
    case UPSWEEP_EVENT_END: break;
    }
    return r->status != VIEW_OK;
}

/* The place of each array within a state, and the round that stands for the end. */
static void finish(recorder *r)
{
    view_tape *t = r->tape;
    for (size_t k = 0; k < t->array_count; k++) {
        t->arrays[k].first = t->elements;
        t->elements += t->arrays[k].length;
    }
    if (begin_round(r, "") == 0) {
        t->round_count--;
    }
    for (size_t k = t->round_count; k-- > 0;) { /* nothing was shown before the first rounds */
        if (t->rounds[k].main == VIEW_NONE) {
            t->rounds[k].main = t->rounds[k + 1].main;
        }
    }
}

view_status view_tape_record(view_tape *tape, const char *algorithm, const uint32_t *values,
                             size_t n, size_t limit, upsweep_status *status)
{
    recorder r = {.tape = tape, .limit = limit, .main = VIEW_NONE};
    *tape = (view_tape){0};
    strncpy(tape->algorithm, algorithm, sizeof tape->algorithm - 1);
    add_text(&r, "");
    *status = upsweep_trace(algorithm, values, n, NULL, listen, &r);
    if (r.status == VIEW_OK && *status != UPSWEEP_OK) {
        r.status = VIEW_REFUSED;
    }
    if (r.status == VIEW_OK) {
        finish(&r);
    }
    for (size_t k = 0; k < VIEW_ARRAYS; k++) {
        free(r.values[k]);
    }
    return r.status;
}

void view_tape_free(view_tape *tape)
{
    free(tape->steps);
    free(tape->rounds);
    free(tape->texts);
    *tape = (view_tape){0};
}

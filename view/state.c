/* state.c - replays the steps of a tape. */
/* SPDX-License-Identifier: MIT */
#include "view/state.h"

#include <stdlib.h>
#include <string.h>

/* A bucket number says something about the element in the same place of the main array. */
static void tag_element(view_state *s, const view_array *main, size_t i, uint32_t bucket)
{
    if (i < main->length) {
        s->tags[main->first + i] = bucket + 1;
    }
}

static void apply(view_state *s, const view_step *step, const view_array *main)
{
    const view_array *array = &s->tape->arrays[step->array];
    const view_array *other = &s->tape->arrays[step->other];
    size_t i = array->first + step->i, j = other->first + step->j;
    uint32_t was = s->values[i], tag = s->tags[i];
    s->counts[step->kind]++;
    switch (step->kind) {
    case VIEW_COMPARE: return;
    case VIEW_SWAP:
        s->values[i] = s->values[j];
        s->values[j] = was;
        s->tags[i] = s->tags[j];
        s->tags[j] = tag;
        return;
    case VIEW_MOVE:
        s->values[j] = step->a;
        s->tags[j] = other->distances ? step->i + 1 : tag;
        if (other->buckets) {
            tag_element(s, main, step->j, step->a);
        }
        return;
    default:
        s->values[i] = step->a;
        if (array->buckets) {
            tag_element(s, main, step->i, step->a);
        }
        return;
    }
}

static void forward(view_state *s)
{
    const view_tape *t = s->tape;
    const view_round *round = &t->rounds[s->moment++];
    const view_array *main = &t->arrays[round->main == VIEW_NONE ? 0 : round->main];
    for (size_t k = round->begin; k < round->end; k++) {
        apply(s, &t->steps[k], main);
    }
}

static void keep(view_state *s)
{
    size_t bytes = s->tape->elements * sizeof(uint32_t);
    uint32_t *memory = malloc(2 * bytes + 1);
    if (memory == NULL || s->kept_count == VIEW_KEPT) {
        free(memory);
        return;
    }
    memcpy(memory, s->values, bytes);
    memcpy(memory + s->tape->elements, s->tags, bytes);
    s->kept[s->kept_count].memory = memory;
    s->kept[s->kept_count].moment = s->moment;
    memcpy(s->kept[s->kept_count].counts, s->counts, sizeof s->counts);
    s->kept_count++;
}

/* Back to the last state that was kept at or before the moment. */
static void back(view_state *s, size_t moment)
{
    size_t k = s->kept_count - 1, bytes = s->tape->elements * sizeof(uint32_t);
    while (s->kept[k].moment > moment) {
        k--;
    }
    memcpy(s->values, s->kept[k].memory, bytes);
    memcpy(s->tags, s->kept[k].memory + s->tape->elements, bytes);
    memcpy(s->counts, s->kept[k].counts, sizeof s->counts);
    s->moment = s->kept[k].moment;
}

void view_state_seek(view_state *s, size_t moment)
{
    if (moment < s->moment) {
        back(s, moment);
    }
    while (s->moment < moment) {
        forward(s);
    }
}

bool view_state_open(view_state *s, const view_tape *tape)
{
    enum { MEMORY = 256 << 20 };
    *s = (view_state){.tape = tape};
    s->values = calloc(tape->elements + 1, sizeof *s->values);
    s->tags = calloc(tape->elements + 1, sizeof *s->tags);
    if (s->values == NULL || s->tags == NULL) {
        return false;
    }
    for (size_t k = 0; k < tape->begin; k++) {
        apply(s, &tape->steps[k], &tape->arrays[0]);
    }
    memset(s->counts, 0, sizeof s->counts);
    keep(s);
    if (s->kept_count == 0) {
        return false;
    }
    size_t fits = MEMORY / (8 * tape->elements + 1);
    size_t share = tape->step_count / (fits < VIEW_KEPT ? fits + 1 : VIEW_KEPT) + 1, done = 0;
    while (s->moment < tape->round_count) {
        if (tape->rounds[s->moment].begin / share > done && s->kept_count <= fits) {
            done = tape->rounds[s->moment].begin / share;
            keep(s);
        }
        forward(s);
    }
    view_state_seek(s, 0);
    return true;
}

void view_state_free(view_state *s)
{
    for (size_t k = 0; k < s->kept_count; k++) {
        free(s->kept[k].memory);
    }
    free(s->values);
    free(s->tags);
    *s = (view_state){0};
}

/* show.c - prepares panels, and moves their place on. */
/* SPDX-License-Identifier: MIT */
#include "view/show.h"
#include "view/run.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_COLUMNS = 1024,  /* of a network */
    MOST_POINTS = 1 << 20 /* of a real run; more are drawn as their density */
};

/* Arrays that exchange values belong together: joined[k] leads to the least of them. */
static uint8_t leader(const uint8_t *joined, uint8_t k)
{
    while (joined[k] != k) {
        k = joined[k];
    }
    return k;
}

/* The greatest value of each array, and which of them hold elements. */
static void measure(view_panel *p)
{
    const view_tape *t = &p->tape;
    uint8_t joined[VIEW_ARRAYS];
    uint32_t top[VIEW_ARRAYS] = {0};
    for (size_t k = 0; k < VIEW_ARRAYS; k++) {
        joined[k] = (uint8_t)k;
    }
    for (size_t k = 0; k < t->step_count; k++) {
        const view_step *s = &t->steps[k];
        uint8_t a = leader(joined, s->array), b = leader(joined, s->other);
        if (s->kind == VIEW_MOVE || s->kind == VIEW_COMPARE) {
            joined[a > b ? a : b] = a > b ? b : a;
        }
        if (s->a != UINT32_MAX && s->kind != VIEW_COMPARE && s->a > top[a]) {
            top[a] = s->a;
        }
    }
    uint8_t main = leader(joined, t->rounds[0].main == VIEW_NONE ? 0 : t->rounds[0].main);
    for (size_t k = 0; k < t->array_count; k++) {
        uint8_t lead = leader(joined, (uint8_t)k);
        uint32_t most = 1;
        for (size_t other = 0; other < t->array_count; other++) {
            bool same = leader(joined, (uint8_t)other) == lead;
            most = same && top[other] > most ? top[other] : most;
        }
        p->top[k] = most;
        p->elements[k] = lead == main;
    }
    for (size_t k = 0; k < t->round_count; k++) {
        p->works = p->works || t->rounds[k].work[0] != VIEW_NONE;
    }
}

/* Distances are of a graph; where elements are combined in place, how they come together is the
 * point; else it is where they stand. */
static view_style choose_style(const view_panel *p)
{
    const view_tape *t = &p->tape;
    size_t compares = 0, combines = 0;
    if (p->graph != NULL) {
        return VIEW_STYLE_GRAPH;
    }
    for (size_t k = 0; k < t->step_count; k++) {
        const view_step *s = &t->steps[k];
        bool main = t->rounds[0].main == s->array;
        compares += main && (s->kind == VIEW_COMPARE || s->kind == VIEW_SWAP);
        combines += main && s->kind == VIEW_COMBINE;
    }
    bool small = t->arrays[0].length <= 64;
    return combines > compares && small ? VIEW_STYLE_NETWORK : VIEW_STYLE_BARS;
}

static void check_order(view_panel *p)
{
    const view_tape *t = &p->tape;
    view_state_seek(&p->state, t->round_count);
    uint8_t main = t->rounds[t->round_count].main;
    size_t length = main == VIEW_NONE ? 0 : t->arrays[main].length;
    const uint32_t *values = main == VIEW_NONE ? NULL : view_values(&p->state, main);
    length = length < t->n ? length : t->n;
    while (p->in_order < length &&
           (p->in_order == 0 || values[p->in_order - 1] <= values[p->in_order])) {
        p->in_order++;
    }
    view_state_seek(&p->state, 0);
}

bool view_panel_open(view_panel *p)
{
    if (p->run != NULL) {
        bool many = p->run->n > MOST_POINTS && p->run->graph == NULL;
        p->tape.n = p->run->n;
        p->tape.round_count = p->run->count - 1;
        p->sorts = p->run->sorts;
        p->graph = p->run->graph;
        if (p->style == VIEW_STYLE_NONE) {
            p->style = many ? VIEW_STYLE_DENSITY : VIEW_STYLE_POINTS;
        }
        return true;
    }
    p->sorts = p->algorithm != NULL && p->algorithm->operation[0] == 's' &&
               p->algorithm->operation[1] == 'o';
    p->marks = calloc(p->tape.elements + 1, 1);
    if (p->marks == NULL || !view_state_open(&p->state, &p->tape)) {
        return false;
    }
    measure(p);
    check_order(p);
    if (p->style == VIEW_STYLE_NONE) {
        p->style = choose_style(p);
    }
    if (p->style == VIEW_STYLE_GRAPH && p->graph == NULL) {
        p->style = VIEW_STYLE_BARS;
    }
    if (p->style == VIEW_STYLE_NETWORK && p->tape.n > MOST_COLUMNS) {
        p->style = VIEW_STYLE_BARS;
    }
    return p->style != VIEW_STYLE_NETWORK || view_network_open(p);
}

void view_panel_free(view_panel *p)
{
    view_network_free(p->network);
    view_state_free(&p->state);
    view_tape_free(&p->tape);
    free(p->marks);
}

void view_show_begin(view_show *s, double seconds)
{
    bool sorts = false;
    s->longest = 1;
    for (size_t k = 0; k < s->count; k++) {
        s->longest = fmax(s->longest, (double)s->panels[k].tape.round_count);
        sorts = sorts || s->panels[k].sorts;
    }
    s->tail = fmax(s->longest * (sorts ? 0.14 : 0.06), 0.5);
    if (seconds <= 0) {
        seconds = fmin(fmax(0.7 * s->longest, 5), 24);
    }
    s->speed = (s->longest + s->tail) / seconds;
    s->place = 0;
    s->playing = true;
}

void view_show_jump(view_show *s, double place)
{
    s->place = fmin(fmax(place, 0), s->longest + s->tail);
}

void view_show_advance(view_show *s, double seconds)
{
    if (s->playing) {
        view_show_jump(s, s->place + s->speed * seconds);
        s->playing = !view_show_ended(s);
    }
}

bool view_show_ended(const view_show *s)
{
    return s->place >= s->longest + s->tail;
}

void view_show_free(view_show *s)
{
    for (size_t k = 0; k < s->count; k++) {
        view_panel_free(&s->panels[k]);
    }
    s->count = 0;
}

view_now view_panel_now(const view_show *s, const view_panel *p)
{
    double rounds = (double)p->tape.round_count;
    if (s->place >= rounds) {
        double share = (s->place - rounds) / (s->tail * 0.7);
        return (view_now){p->tape.round_count, 0, (float)fmin(share, 1)};
    }
    double whole = floor(s->place);
    return (view_now){(size_t)whole, (float)(s->place - whole), -1};
}

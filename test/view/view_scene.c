/* view_scene.c - what is played and what would be drawn, without OpenGL: the states of a tape
 * against the arrays that the trace shows, forwards, back and at random; and shapes where the
 * arrays say that they are. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/palette.h"
#include "view/show.h"

enum { LIMIT = 1 << 22, MOST_SHOWN = 4096 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Keys, or for paths arcs between few vertices. */
static size_t make_input(const upsweep_algorithm *a, size_t n, uint32_t *values, uint64_t seed)
{
    bool paths = strcmp(a->operation, "path") == 0;
    n = paths ? n / 3 * 3 : n;
    for (size_t i = 0; i < n; i++) {
        uint32_t below = paths && i % 3 < 2 ? (uint32_t)(n / 3 + 1) : 100;
        values[i] = next_random(&seed) % below;
    }
    return n;
}

/* ---- states ---- */

/* The arrays that a trace shows, each with the moment that it is of. */
typedef struct shown {
    char name[VIEW_NAME];
    size_t moment, count;
    uint32_t *values;
} shown;

typedef struct watch {
    shown all[MOST_SHOWN];
    size_t count, rounds, events;
    bool in_round;
} watch;

static int listen(void *context, const upsweep_event *e)
{
    watch *w = context;
    w->in_round =
        e->kind == UPSWEEP_EVENT_ROUND || (w->in_round && e->kind != UPSWEEP_EVENT_END_ROUND);
    w->rounds += e->kind == UPSWEEP_EVENT_END_ROUND;
    w->events += e->kind >= UPSWEEP_EVENT_COMPARE && e->kind <= UPSWEEP_EVENT_SET;
    if (e->kind == UPSWEEP_EVENT_ARRAY && w->count < MOST_SHOWN) {
        shown *s = &w->all[w->count++];
        snprintf(s->name, sizeof s->name, "%s", e->array);
        s->moment = w->rounds + w->in_round;
        s->count = e->count;
        s->values = malloc(e->count * sizeof *s->values + 1);
        memcpy(s->values, e->values, e->count * sizeof *s->values);
    }
    return 0;
}

/* A later array of the same name and moment is the one that holds. */
static bool is_last(const watch *w, size_t k)
{
    for (size_t later = k + 1; later < w->count; later++) {
        if (w->all[later].moment == w->all[k].moment &&
            strcmp(w->all[later].name, w->all[k].name) == 0) {
            return false;
        }
    }
    return true;
}

static void compare_state(view_state *s, const shown *k, const char *algorithm)
{
    const view_tape *t = s->tape;
    uint8_t array = 0;
    while (array < t->array_count && strcmp(t->arrays[array].name, k->name) != 0) {
        array++;
    }
    assert_true(array < t->array_count && t->arrays[array].length >= k->count);
    view_state_seek(s, k->moment);
    assert_int_equal(s->moment, k->moment);
    const uint32_t *values = view_values(s, array);
    for (size_t i = 0; i < k->count; i++) {
        if (values[i] != k->values[i]) {
            fail_msg("%s: after %zu rounds %s[%zu] is %u, not %u", algorithm, k->moment, k->name, i,
                     values[i], k->values[i]);
        }
    }
}

static void check_states(const upsweep_algorithm *a, size_t n, uint64_t seed)
{
    uint32_t values[512];
    view_tape tape;
    view_state state;
    upsweep_status status;
    watch *w = calloc(1, sizeof *w);
    n = make_input(a, n, values, seed);
    assert_int_equal(upsweep_trace(a->name, values, n, NULL, listen, w), UPSWEEP_OK);
    assert_int_equal(view_tape_record(&tape, a->name, values, n, LIMIT, &status), VIEW_OK);
    assert_int_equal(tape.round_count, w->rounds);
    assert_int_equal(tape.step_count - tape.totals[VIEW_STATE], w->events);
    assert_true(view_state_open(&state, &tape));
    for (size_t k = 0; k < w->count; k++) { /* forwards */
        if (is_last(w, k)) {
            compare_state(&state, &w->all[k], a->name);
        }
    }
    for (size_t tries = 0; tries < 40 && w->count > 0; tries++) { /* here and there */
        size_t k = next_random(&seed) % w->count;
        if (is_last(w, k)) {
            compare_state(&state, &w->all[k], a->name);
        }
    }
    for (size_t k = 0; k < w->count; k++) {
        free(w->all[k].values);
    }
    free(w);
    view_state_free(&state);
    view_tape_free(&tape);
}

static void test_states(void **context)
{
    static const size_t sizes[] = {0, 1, 2, 3, 5, 8, 17, 64, 100};
    (void)context;
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_states(a, sizes[s], 7 * k + s);
        }
    }
}

static void test_too_long(void **context)
{
    (void)context;
    uint32_t values[64] = {0};
    view_tape tape;
    upsweep_status status;
    assert_int_equal(view_tape_record(&tape, "sort/oddeven", values, 64, 100, &status),
                     VIEW_TOO_LONG);
    view_tape_free(&tape);
    assert_int_equal(view_tape_record(&tape, "sort/none", values, 64, 100, &status), VIEW_REFUSED);
    assert_int_equal(status, UPSWEEP_ERROR_ALGORITHM);
    view_tape_free(&tape);
}

/* ---- scenes ---- */

static view_glyphs glyphs;

static void open_show(view_show *s, const char *const *names, size_t count, const uint32_t *values,
                      size_t n, view_style style)
{
    *s = (view_show){0};
    for (size_t k = 0; k < count; k++) {
        upsweep_status status;
        view_panel *p = &s->panels[s->count++];
        p->algorithm = upsweep_find(names[k]);
        p->style = style;
        assert_int_equal(view_tape_record(&p->tape, names[k], values, n, LIMIT, &status), VIEW_OK);
        assert_true(view_panel_open(p));
    }
    view_show_begin(s, 0);
}

static size_t count_shapes(const view_ink *ink, uint32_t colour, float x)
{
    size_t count = 0;
    for (size_t k = 0; k < ink->count; k++) {
        const view_shape *s = &ink->shapes[k];
        count += s->kind == VIEW_BOX && s->colour == colour && fabsf(s->at.x - x) < 0.01F;
    }
    return count;
}

/* Whether a round compares element i, by the tape. */
static bool acts(const view_tape *t, size_t round, size_t i)
{
    for (size_t k = t->rounds[round].begin; k < t->rounds[round].end; k++) {
        if (t->steps[k].i == i || t->steps[k].j == i) {
            return true;
        }
    }
    return false;
}

/* Early in a round each element that is compared has a cap, right above its bar, and no other. */
static void test_lit_bars(void **context)
{
    (void)context;
    enum { N = 21 };
    uint32_t values[N];
    view_show s;
    view_ink ink = {.glyphs = &glyphs, .scale = 1};
    make_input(upsweep_find("sort/oddeven"), N, values, 5);
    open_show(&s, (const char *[]){"sort/oddeven"}, 1, values, N, VIEW_STYLE_BARS);
    const view_panel *p = &s.panels[0];
    for (size_t round = 0; round < p->tape.round_count; round++) {
        view_show_jump(&s, (double)round + 0.1);
        view_scene(&s, &ink, 1280, 720);
        const uint32_t *now = view_values(&p->state, 0);
        for (size_t i = 0; i < N; i++) {
            view_rect bar = view_bar_at(p, 0, i, now[i]);
            assert_true(bar.x >= 0 && bar.x + bar.w <= 1280 && bar.y >= 0 && bar.y + bar.h <= 720);
            assert_int_equal(count_shapes(&ink, VIEW_GOLD, bar.x), acts(&p->tape, round, i));
        }
    }
    view_show_free(&s);
    view_ink_free(&ink);
}

/* Bars stand from left to right, and are as high as their values say. */
static void test_heights(void **context)
{
    (void)context;
    uint32_t values[] = {10, 40, 20, 30, 5};
    view_show s;
    view_ink ink = {.glyphs = &glyphs, .scale = 1};
    open_show(&s, (const char *[]){"sort/oddeven"}, 1, values, 5, VIEW_STYLE_BARS);
    view_scene(&s, &ink, 1280, 720);
    view_rect most = view_bar_at(&s.panels[0], 0, 1, 40);
    for (size_t i = 0; i < 5; i++) {
        view_rect bar = view_bar_at(&s.panels[0], 0, i, values[i]);
        assert_true(fabsf(bar.h / most.h - (float)values[i] / 40) < 0.01F);
        assert_true(fabsf(bar.y + bar.h - (most.y + most.h)) < 0.01F);
        assert_true(i == 0 || bar.x > view_bar_at(&s.panels[0], 0, i - 1, 1).x + bar.w);
    }
    view_show_free(&s);
    view_ink_free(&ink);
}

/* After the rounds the sweep passes over as much as is in order, and all of it. */
static void test_sweep(void **context)
{
    (void)context;
    uint32_t values[] = {4, 3, 2, 1, 9, 8};
    view_show s;
    view_ink ink = {.glyphs = &glyphs, .scale = 1};
    open_show(&s, (const char *[]){"sort/bitonic"}, 1, values, 6, VIEW_STYLE_BARS);
    assert_int_equal(s.panels[0].in_order, 6);
    view_show_jump(&s, s.longest + s.tail);
    assert_true(view_show_ended(&s));
    view_scene(&s, &ink, 1280, 720);
    for (size_t i = 0; i < 6; i++) {
        uint32_t value = view_values(&s.panels[0].state, 0)[i];
        assert_int_equal(count_shapes(&ink, VIEW_DONE, view_bar_at(&s.panels[0], 0, i, value).x),
                         1);
    }
    view_show_free(&s);
    view_ink_free(&ink);
}

/* No algorithm, size or place makes a shape outside of the picture or without a place. */
static void test_all_scenes(void **context)
{
    (void)context;
    static const size_t sizes[] = {0, 1, 2, 7, 16, 300};
    const upsweep_algorithm *a;
    view_ink ink = {.glyphs = &glyphs, .scale = 1};
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            uint32_t values[300];
            view_show s;
            size_t n = make_input(a, sizes[size], values, k);
            for (view_style style = VIEW_STYLE_NONE; style <= VIEW_STYLE_NETWORK; style++) {
                open_show(&s, &a->name, 1, values, n, style);
                for (int part = 0; part <= 20; part++) {
                    view_show_jump(&s, (s.longest + s.tail) * part / 20);
                    view_scene(&s, &ink, 800, 500);
                    assert_false(ink.failed);
                    for (size_t i = 0; i < ink.count; i++) {
                        view_rect at = ink.shapes[i].at;
                        if (!(at.x > -40 && at.y > -40 && at.x < 840 && at.y < 540 && at.w > -40 &&
                              at.h > -40 && at.w < 840 && at.h < 840)) {
                            fail_msg("%s, n = %zu, style %d, part %d: a shape at %g %g %g %g",
                                     a->name, n, (int)style, part, at.x, at.y, at.w, at.h);
                        }
                    }
                }
                view_show_free(&s);
            }
        }
    }
    view_ink_free(&ink);
}

/* Two traces of different length are at the same round until the shorter one is over. */
static void test_side_by_side(void **context)
{
    (void)context;
    uint32_t values[32];
    view_show s;
    make_input(upsweep_find("sort/oddeven"), 32, values, 3);
    open_show(&s, (const char *[]){"sort/oddeven", "sort/bitonic"}, 2, values, 32, VIEW_STYLE_NONE);
    assert_true(s.longest == 32);
    view_show_jump(&s, 7.5);
    assert_int_equal(view_panel_now(&s, &s.panels[0]).moment, 7);
    assert_int_equal(view_panel_now(&s, &s.panels[1]).moment, 7);
    view_show_jump(&s, 20);
    assert_int_equal(view_panel_now(&s, &s.panels[1]).moment, 15);
    assert_true(view_panel_now(&s, &s.panels[1]).swept > 0);
    view_show_advance(&s, 1e6);
    assert_true(view_show_ended(&s) && !s.playing);
    view_show_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),      cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_lit_bars),    cmocka_unit_test(test_heights),
        cmocka_unit_test(test_sweep),       cmocka_unit_test(test_all_scenes),
        cmocka_unit_test(test_side_by_side)};
    if (!view_glyphs_make(&glyphs, 1)) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    view_glyphs_free(&glyphs);
    return failed;
}

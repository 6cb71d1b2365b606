/* view_keys.c - what the keys of the window and a click on its foot do to a show; without a
 * window. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/keys.h"

static view_glyphs glyphs;

static void open_show(view_show *s, const char *name, const uint32_t *values, size_t n)
{
    upsweep_status status;
    *s = (view_show){.count = 1, .panels = {{.algorithm = upsweep_find(name)}}};
    assert_int_equal(view_tape_record(&s->panels[0].tape, name, values, n, 1 << 20, &status),
                     VIEW_OK);
    assert_true(view_panel_open(&s->panels[0]));
    view_show_begin(s, 0);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

/* What each key does to the place, the speed and the style. */
static void test_keys(void **context)
{
    (void)context;
    uint32_t values[] = {4, 3, 2, 1, 9, 8, 7, 5};
    view_show s;
    open_show(&s, "sort/oddeven", values, 8);
    double all = s.longest + s.tail, speed = s.speed;
    assert_true(s.playing && s.longest == 8);
    view_press(&s, VIEW_KEY_PLAY);
    assert_false(s.playing);
    for (size_t round = 1; round < 8; round++) {
        view_press(&s, VIEW_KEY_FORWARD);
        assert_int_equal(view_panel_now(&s, &s.panels[0]).moment, round);
    }
    view_press(&s, VIEW_KEY_FORWARD);
    assert_true(view_show_ended(&s));
    view_press(&s, VIEW_KEY_BACK);
    assert_int_equal(view_panel_now(&s, &s.panels[0]).moment, 7);
    view_press(&s, VIEW_KEY_BACK);
    assert_int_equal(view_panel_now(&s, &s.panels[0]).moment, 6);
    view_press(&s, VIEW_KEY_FASTER);
    assert_true(near(s.speed, 1.25 * speed));
    view_press(&s, VIEW_KEY_SLOWER);
    view_press(&s, VIEW_KEY_SLOWER);
    assert_true(near(s.speed, speed / 1.25));
    for (int tenth = 0; tenth < 10; tenth++) {
        view_press(&s, VIEW_KEY_TENTH + tenth);
        assert_true(near(s.place, all * tenth / 10));
    }
    view_press(&s, VIEW_KEY_PAGE_BACK);
    assert_true(near(s.place, 0.8 * all));
    view_press(&s, VIEW_KEY_PAGE_FORWARD);
    assert_true(near(s.place, 0.9 * all));
    view_press(&s, VIEW_KEY_HOME);
    assert_true(near(s.place, 0));
    view_press(&s, VIEW_KEY_BACK);
    assert_int_equal(view_panel_now(&s, &s.panels[0]).moment, 0);
    view_press(&s, VIEW_KEY_END);
    assert_true(view_show_ended(&s) && !s.playing);
    view_press(&s, VIEW_KEY_PLAY); /* at the end: from the beginning */
    assert_true(s.playing && near(s.place, 0));
    static const view_style styles[] = {VIEW_STYLE_POINTS, VIEW_STYLE_NETWORK, VIEW_STYLE_BARS};
    for (size_t k = 0; k < 3; k++) {
        view_press(&s, VIEW_KEY_STYLE);
        assert_int_equal(s.panels[0].style, styles[k]);
    }
    view_show_free(&s);
}

/* The keys are told on the picture, and a click on the line at its foot goes to that place;
 * pictures for files have no such line. */
static void test_foot_and_help(void **context)
{
    (void)context;
    uint32_t values[] = {4, 3, 2, 1};
    view_show s;
    view_ink ink = {.glyphs = &glyphs, .scale = 1};
    open_show(&s, "sort/bitonic", values, 4);
    view_scene(&s, &ink, 800, 500);
    size_t plain = ink.count;
    s.bare = true;
    view_scene(&s, &ink, 800, 500);
    assert_true(ink.count < plain);
    s.bare = false;
    view_press(&s, VIEW_KEY_HELP);
    view_scene(&s, &ink, 800, 500);
    assert_true(ink.count > plain + 100); /* letters */
    view_press(&s, VIEW_KEY_HELP);
    view_scene(&s, &ink, 800, 500);
    assert_int_equal(ink.count, plain);
    view_rect line = view_foot_line((view_rect){12, 500 - 34, 800 - 24, 34}, 1);
    for (int tenth = 0; tenth <= 10; tenth++) {
        float x = line.x + line.w * (float)tenth / 10;
        assert_true(fabs(view_foot_share(x, 490, 800, 500, 1) - tenth / 10.0) < 1e-5);
    }
    assert_true(view_foot_share(400, 200, 800, 500, 1) < 0);
    view_show_free(&s);
    view_ink_free(&ink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_foot_and_help)};
    if (!view_glyphs_make(&glyphs, 1)) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    view_glyphs_free(&glyphs);
    return failed;
}

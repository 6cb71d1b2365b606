/* view_pictures.c - pictures as the program writes them, drawn by software OpenGL: against the
 * scene they are of, pixel by pixel where it says that bars are, and against golden pictures with
 * tolerance; films and frames; and what goes wrong. Ends with 77 where OpenGL without a window is
 * not to be had. UPSWEEP_GOLDEN=write writes the golden pictures anew. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "view/palette.h"
#include "test/shared/pictures.h"
#include "test/shared/folder.h"
#include "view/show.h"
#include "view/view.h"

static program_result run(const char *line)
{
    const char *argv[40] = {getenv("UPSWEEP_PROGRAM"), "view"};
    static char words[2048];
    size_t count = 2;
    snprintf(words, sizeof words, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        argv[count++] = word;
    }
    argv[count] = NULL;
    return program_run(folder, argv, NULL);
}

static void must_run(const char *line)
{
    program_result r = run(line);
    if (r.status != 0) {
        fail_msg("view %s: status %d: %s", line, r.status, r.err);
    }
    program_free(&r);
}

/* One sentence on stderr, status 2, and nothing on stdout. */
static void must_refuse(const char *line, const char *sentence)
{
    program_result r = run(line);
    assert_int_equal(r.status, 2);
    assert_int_equal(r.out_bytes, 0);
    if (strstr(r.err, sentence) == NULL || strchr(r.err, '\n') != r.err + r.err_bytes - 1) {
        fail_msg("view %s: said: %s", line, r.err);
    }
    program_free(&r);
}

static bool exists(const char *name)
{
    struct stat s;
    return stat(path_of(name), &s) == 0;
}

static void expect(const picture *p, float x, float y, uint32_t colour, const char *what, size_t i)
{
    uint32_t found = pixel(p, (int)x, (int)y);
    if (distance(found, colour) > 6) {
        fail_msg("%s %zu at %g %g is %08x, not %08x", what, i, (double)x, (double)y, found, colour);
    }
}

/* ---- lit bars are where the array says ---- */

static bool acts(const view_tape *t, size_t round, size_t i)
{
    for (size_t k = t->rounds[round].begin; k < t->rounds[round].end; k++) {
        if (t->steps[k].i == i || t->steps[k].j == i) {
            return true;
        }
    }
    return false;
}

static void check_bars(const uint32_t *values, size_t n, size_t round)
{
    char line[1000];
    int length =
        snprintf(line, sizeof line, "sort/oddeven --style bars --size 1000x600 --at %zu.1 --png %s",
                 round, path_of("bars.png"));
    for (size_t i = 0; i < n; i++) {
        length += snprintf(line + length, sizeof line - (size_t)length, " %u", values[i]);
    }
    must_run(line);
    /* The same scene, without OpenGL. */
    view_show s = {.count = 1, .bare = true};
    view_panel *panel = &s.panels[0];
    view_glyphs glyphs;
    upsweep_status status;
    assert_true(view_glyphs_make(&glyphs, view_scale(1000, 600)));
    view_ink ink = {.glyphs = &glyphs, .scale = view_scale(1000, 600)};
    panel->algorithm = upsweep_find("sort/oddeven");
    panel->style = VIEW_STYLE_BARS;
    assert_int_equal(view_tape_record(&panel->tape, "sort/oddeven", values, n, 1 << 20, &status),
                     VIEW_OK);
    assert_true(view_panel_open(panel));
    view_show_begin(&s, 0);
    view_show_jump(&s, (double)round + 0.1);
    view_scene(&s, &ink, 1000, 600);
    picture p = load(path_of("bars.png"));
    assert_int_equal(p.width, 1000);
    assert_int_equal(p.height, 600);
    for (size_t i = 0; i < n; i++) {
        uint32_t value = view_values(&panel->state, 0)[i];
        view_rect bar = view_bar_at(panel, 0, i, value);
        bool lit = acts(&panel->tape, round, i);
        uint32_t colour = view_ramp_colour((float)value / (float)panel->top[0]);
        float middle = bar.x + bar.w / 2;
        expect(&p, middle, bar.y + bar.h - 4, lit ? colour : view_mix(VIEW_CARD, colour, 0.5F),
               "the foot of bar", i);
        expect(&p, middle, bar.y - 4, lit ? VIEW_GOLD : VIEW_CARD, "what lies above bar", i);
        expect(&p, middle, bar.y - 16, VIEW_CARD, "the air above bar", i);
    }
    cairo_surface_destroy(p.surface);
    view_show_free(&s);
    view_ink_free(&ink);
    view_glyphs_free(&glyphs);
}

static void test_bars(void **state)
{
    (void)state;
    static const uint32_t values[] = {3, 7, 11, 10, 4, 20, 2, 8, 12, 1, 17};
    for (size_t round = 0; round < 11; round += 2) {
        check_bars(values, 11, round);
        check_bars(values, 8, round / 2);
    }
}

/* ---- golden pictures ---- */

/* Letters depend on the fonts of the machine, edges on the driver: few pixels may differ much, and
 * the mean must be close. */
static void compare(const char *name)
{
    char golden[600];
    snprintf(golden, sizeof golden, "%s/test/golden/view_%s.png", getenv("UPSWEEP_SOURCE"), name);
    if (getenv("UPSWEEP_GOLDEN") != NULL) {
        char command[1000];
        snprintf(command, sizeof command, "cp %s %s", path_of("picture.png"), golden);
        assert_int_equal(system(command), 0);
        return;
    }
    picture a = load(path_of("picture.png")), b = load(golden);
    assert_int_equal(a.width, b.width);
    assert_int_equal(a.height, b.height);
    size_t far = 0, sum = 0, all = (size_t)a.width * (size_t)a.height;
    for (int y = 0; y < a.height; y++) {
        for (int x = 0; x < a.width; x++) {
            int d = distance(pixel(&a, x, y), pixel(&b, x, y));
            far += d > 40;
            sum += (size_t)d;
        }
    }
    if (far * 40 > all || sum > 3 * all) {
        fail_msg("%s: %zu of %zu pixels differ much, the mean by %g", name, far, all,
                 (double)sum / (double)all);
    }
    cairo_surface_destroy(a.surface);
    cairo_surface_destroy(b.surface);
}

static void test_golden(void **state)
{
    (void)state;
    static const struct {
        const char *name, *line;
    } all[] = {{"bars", "sort/bitonic -n 24 --at 4.6"},
               {"network", "sort/bitonic -n 8 --style network"},
               {"tree", "scan/sweep 3 1 7 0 4 1 6 3"},
               {"butterfly", "reduce/butterfly --example"},
               {"vectors", "sort/vmerge -n 16 --at 8.5"},
               {"buckets", "sort/sample -n 24 --at 80%"},
               {"graph", "path/dijkstra -n 40 --at 60%"},
               {"four", "sort/oddeven sort/bitonic sort/split sort/hybrid -n 20 --at 12.3"},
               {"points", "sort/bitonic -n 2000 --at 70%"},
               {"density", "--run sort/radix -n 100000 --style density --at 0"},
               {"places", "--run path/bucket -n 3000 --at 100%"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char line[400];
        snprintf(line, sizeof line, "%s --size 640x400 --png %s", all[k].line,
                 path_of("picture.png"));
        must_run(line);
        compare(all[k].name);
    }
}

/* ---- films and frames ---- */

static void test_frames(void **state)
{
    (void)state;
    char line[400];
    snprintf(line, sizeof line, "sort/oddeven 3 1 2 --fps 4 --seconds 1 --size 320x200 --frames %s",
             path_of("frames"));
    must_run(line);
    assert_true(exists("frames/frame-00000.png") && exists("frames/frame-00006.png"));
    assert_false(exists("frames/frame-00009.png"));
    picture p = load(path_of("frames/frame-00003.png"));
    assert_int_equal(p.width, 320);
    cairo_surface_destroy(p.surface);
}

/* An ffmpeg that copies what it gets, so that each pixel of a film can be counted. */
static void install_ffmpeg(const char *text)
{
    static char path[4000];
    char name[300];
    snprintf(name, sizeof name, "%s/bin", folder);
    mkdir(name, 0700);
    snprintf(name, sizeof name, "%s/bin/ffmpeg", folder);
    assert_int_equal(program_store(name, text, strlen(text)), 0);
    assert_int_equal(chmod(name, 0700), 0);
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/bin:%s", folder, getenv("PATH"));
    }
    setenv("PATH", path, 1);
}

static void test_film(void **state)
{
    (void)state;
    char line[600];
    install_ffmpeg("#!/bin/sh\ncat >/dev/fd/10\n");
    snprintf(line, sizeof line,
             "sort/oddeven 3 1 2 --fps 5 --seconds 1 --size 320x200 --gif %s/a.gif --mp4 %s/a.mp4",
             folder, folder);
    must_run(line);
    size_t bytes = 0;
    char *film = program_load(path_of("a.gif"), &bytes);
    assert_non_null(film);
    assert_int_equal(bytes % (320 * 200 * 4), 0);
    assert_true(bytes / (320 * 200 * 4) >= 9); /* 5 of the play, 4 of its end */
    free(film);
    film = program_load(path_of("a.mp4"), &bytes);
    assert_true(film != NULL && bytes >= 9 * 320 * 200 * 4);
    free(film);
    /* One that fails leaves the old film as it was, and no other. */
    install_ffmpeg("#!/bin/sh\nhead -c 1000 >/dev/fd/10; exit 1\n");
    assert_int_equal(program_store(path_of("a.gif"), "old", 3), 0);
    snprintf(line, sizeof line, "sort/oddeven 3 1 2 --seconds 1 --size 320x200 --gif %s/a.gif",
             folder);
    must_refuse(line, "ffmpeg");
    film = program_load(path_of("a.gif"), &bytes);
    assert_true(bytes == 3 && memcmp(film, "old", 3) == 0);
    free(film);
}

/* ---- what goes wrong ---- */

static void test_refusals(void **state)
{
    (void)state;
    char line[600];
    must_refuse("sort/oddevn 3 1 2 --png x.png", "sort/oddeven");
    must_refuse("", "which algorithm");
    must_refuse("sort/oddeven 3 x --png x.png", "'x'");
    must_refuse("sort/oddeven path/dijkstra --png x.png", "do not take the same input");
    must_refuse("path/dijkstra 0 1 --png x.png", "from, to, weight");
    must_refuse("sort/oddeven -n 100000 --png x.png", "too many to watch");
    must_refuse("sort/oddeven -n 99999999999 --png x.png", "too many");
    must_refuse("sort/oddeven --size 10x10 --png x.png", "'10x10' is no size");
    must_refuse("sort/oddeven --at later --png x.png", "'later'");
    must_refuse("sort/oddeven --style pie --png x.png", "'pie'");
    must_refuse("sort/oddeven --input /none/such --png x.png", "/none/such");
    must_refuse("sort/oddeven --png /none/such/x.png", "/none/such");
    must_refuse("reduce/tree --run --png x.png", "reduce/tree: a reduction writes its total");
    must_refuse("sort/radix --run --device auto --png x.png", "--device cpu or --device cuda");
    must_refuse("sort/radix --run --type f16 --png x.png", "not watched of f16");
    must_refuse("sort/radix --run 3 300 --type u8 --png x.png", "300 does not fit the type u8");
    must_refuse("sort/radix --run 3 --png x.png", "two numbers or more");
    must_refuse("sort/radix --run --style bars --png x.png", "points or density, not as bars");
    must_refuse("sort/radix --run --input /none/such --png x.png", "/none/such");
    must_refuse("sort/radix --run --places x.co --graph x.gr --png x.png", "a graph is for");
    must_refuse("sort/radix --type f32 --png x.png", "for real runs, with --run");
    must_refuse("sort/radix --style density --png x.png", "with --run");
    snprintf(line, sizeof line, "sort/oddeven --input %s --png %s/y.png", path_of("numbers.txt"),
             folder);
    assert_int_equal(program_store(path_of("numbers.txt"), "3 1\n2 9999999999\n", 17), 0);
    must_refuse(line, "line 2: '9999999999'");
    assert_false(exists("y.png"));
    assert_int_equal(program_store(path_of("numbers.txt"), "3 1\n\x01\xff", 6), 0);
    must_refuse(line, "line 2: '?");
    snprintf(line, sizeof line, "yes 1 | head -n 16777217 >%s", path_of("many.txt"));
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "sort/radix --input %s --png y.png", path_of("many.txt"));
    must_refuse(line, "more than 16777216 numbers are too many to watch");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    must_refuse("sort/oddeven", "--png");
}

/* A real run on the CPU: pictures of the array, the last one sorted. */
static void test_run(void **state)
{
    (void)state;
    static const char *const lines[] = {"sort/hybrid -n 100000", "sort/radix -n 100000 --type f64",
                                        "sort/radix -n 100000 --type i8",
                                        "sort/hybrid -n 100000 --style density"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char line[400];
        snprintf(line, sizeof line, "--run %s --threads 2 --at 100%% --size 640x400 --png %s",
                 lines[k], path_of("run.png"));
        must_run(line);
        picture p = load(path_of("run.png"));
        size_t done = 0;
        for (int x = 0; x < 640;
             x++) { /* the sorted array is a line: a column has its own height */
            for (int y = 0; y < 400; y++) {
                done += distance(pixel(&p, x, y), VIEW_DONE) < 40;
            }
        }
        assert_true(done > 400 && done < 640 * 12);
        cairo_surface_destroy(p.surface);
    }
}

/* The run of a file is a picture of its numbers, whatever its format. */
static void test_run_files(void **state)
{
    (void)state;
    static float values[40000];
    char line[600];
    for (size_t i = 0; i < 40000; i++) {
        values[i] = i < 20000 ? -2.5F : 0.001F * (float)i;
    }
    assert_int_equal(program_store(path_of("a.f32"), (const char *)values, sizeof values), 0);
    for (int style = 0; style < 2; style++) {
        snprintf(line, sizeof line, "--run split/flags --type f32 --input %s", path_of("a.f32"));
        snprintf(line + strlen(line), sizeof line - strlen(line),
                 " --style %s --at 0 --size 640x400 --png %s", style == 0 ? "points" : "density",
                 path_of("file.png"));
        must_run(line);
        picture p = load(path_of("file.png"));
        size_t left = 0, right = 0; /* the lower half of values is flat, the upper one rises */
        for (int y = 80; y < 386; y++) {
            bool a = distance(pixel(&p, 200, y), VIEW_CARD) > 30;
            bool b = distance(pixel(&p, 500, y), VIEW_CARD) > 30;
            left = a ? (size_t)y : left;
            right = b ? (size_t)y : right;
        }
        assert_true(left > 0 && right > 0 && right < left);
        cairo_surface_destroy(p.surface);
    }
    assert_int_equal(program_store(path_of("odd.f32"), "12345", 5), 0);
    snprintf(line, sizeof line, "--run sort/radix --type f32 --input %s", path_of("odd.f32"));
    must_refuse(line, "no whole number of f32 elements");
}

static bool can_draw(void)
{
    char line[400];
    snprintf(line, sizeof line, "sort/oddeven 2 1 --size 320x200 --png %s", path_of("try.png"));
    program_result r = run(line);
    bool can = r.status == 0;
    if (!can) {
        print_message("skipped: %s", r.err);
    }
    program_free(&r);
    return can;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bars),    cmocka_unit_test(test_golden),
        cmocka_unit_test(test_frames),  cmocka_unit_test(test_film),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_run_files),
        cmocka_unit_test(test_refusals)};
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    if (!can_draw()) {
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}

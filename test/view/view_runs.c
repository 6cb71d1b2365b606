/* view_runs.c - real runs as the view gets them, without OpenGL: the pictures of every type that
 * the program sorts, scans and splits begin with the input and end with the outcome, on the CPU
 * and on the emulated plugin; those of a search end with its distances; levels and cells are what
 * a plain count makes of the numbers. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/shared/inputs.h"
#include "view/keys.h"
#include "view/palette.h"
#include "view/run.h"

enum { N = 6000, WIDE = 8 };

static const upsweep_type types[] = {UPSWEEP_U8,  UPSWEEP_I8,  UPSWEEP_U16, UPSWEEP_I16,
                                     UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_U64, UPSWEEP_I64,
                                     UPSWEEP_F32, UPSWEEP_F64};
enum { TYPES = sizeof types / sizeof *types };

/* The level of element i within the run's range. */
static uint32_t level_of(const view_run *r, const void *array, size_t i)
{
    double low = r->range[0] / 2, x = input_number(array, i, r->type) / 2;
    double share = (x - low) / (r->range[1] / 2 - low);
    return !(share > 0) ? 0 : share >= 1 ? VIEW_LEVELS : (uint32_t)(share * VIEW_LEVELS);
}

static void check_levels(view_run *r, size_t picture, const void *array, const char *what)
{
    const uint32_t *levels = view_run_picture(r, picture);
    assert_non_null(levels);
    for (size_t i = 0; i < r->n; i++) {
        uint32_t want = level_of(r, array, i);
        if (levels[i] + 1 < want || levels[i] > want + 1) {
            fail_msg("%s of %s on %s: picture %zu of %zu, element %zu is at level %u, not %u",
                     r->algorithm->name, what, r->device, picture + 1, r->count, i, levels[i],
                     want);
        }
    }
}

/* What the call makes of the numbers, by a handle of the CPU. */
static void outcome(const view_run *r, void *out)
{
    upsweep *u;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = r->algorithm->name;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    memcpy(out, r->numbers, r->n * r->bytes);
    if (r->sorts) {
        assert_int_equal(upsweep_sort(u, out, r->n, r->type, &options), UPSWEEP_OK);
    } else if (r->flags == NULL) {
        assert_int_equal(upsweep_scan(u, r->numbers, out, r->n, r->type, UPSWEEP_SUM, &options),
                         UPSWEEP_OK);
    } else {
        size_t low = 0, placed = 0;
        for (int turn = 0; turn < 2; turn++) { /* those below the middle, then the others */
            for (size_t i = 0; i < r->n; i++) {
                bool high = level_of(r, r->numbers, i) > VIEW_LEVELS / 2;
                if (high == (turn == 1)) {
                    memcpy((char *)out + placed++ * r->bytes,
                           (const char *)r->numbers + i * r->bytes, r->bytes);
                }
            }
            low = turn == 0 ? placed : low;
        }
        assert_true(low > 0 && low < r->n);
    }
    upsweep_close(u);
}

static void check_run(const char *name, const char *device, upsweep_type type, unsigned pattern)
{
    static uint64_t numbers[N], out[N];
    view_run r;
    io_error error;
    size_t n = N / (strcmp(name, "sort/oddeven") == 0 ? 4 : 1);
    if (strncmp(name, "scan", 4) == 0) { /* whose order of additions differs */
        input_fill_exact(type, numbers, n, 5, 0);
    } else {
        input_fill(pattern, type, numbers, n, 5);
    }
    view_run_wish wish = {.algorithm = upsweep_find(name),
                          .device = device,
                          .threads = 2,
                          .type = type,
                          .numbers = numbers,
                          .n = n};
    if (!view_run_make(&r, &wish, &error)) {
        fail_msg("%s of %s on %s: %s", name, upsweep_type_name(type), device, error.text);
    }
    outcome(&r, out);
    assert_true(r.count >= 2 && r.range[0] < r.range[1] && r.bytes == upsweep_type_bytes(type));
    check_levels(&r, r.count - 1, out, upsweep_type_name(type));
    check_levels(&r, 0, numbers, upsweep_type_name(type));
    assert_int_equal(r.in_order, r.sorts);
    for (size_t i = 1; i < r.count; i++) { /* each picture differs, as its marks say */
        assert_non_null(view_run_picture(&r, i));
        assert_true(memchr(r.marks, 1, n) != NULL);
    }
    view_run_free(&r);
}

static bool has_plugin(void)
{
    return getenv("UPSWEEP_CUDA_PLUGIN") != NULL;
}

static void test_all_types(void **state)
{
    (void)state;
    static const char *const names[] = {
        "sort/radix",  "sort/hybrid", "sort/bitonic", "sort/oddeven", "scan/sweep",
        "split/flags", NULL};
    for (size_t k = 0; names[k] != NULL; k++) {
        for (size_t t = 0; t < TYPES; t++) {
            check_run(names[k], "cpu", types[t], INPUT_UNIFORM);
            if (has_plugin() && strcmp(names[k], "sort/oddeven") != 0) {
                check_run(names[k], "cuda", types[t], INPUT_UNIFORM);
            }
        }
        if (strncmp(names[k], "sort", 4) == 0) { /* NaN and infinities */
            check_run(names[k], "cpu", UPSWEEP_F32, INPUT_SPECIAL);
            check_run(names[k], "cpu", UPSWEEP_F64, INPUT_SPECIAL);
        }
    }
}

/* ---- searches ---- */

/* wide x high vertices, each joined with its neighbours. */
static void make_grid(view_graph *g, size_t wide, size_t high)
{
    *g = (view_graph){.vertices = wide * high, .aspect = 1};
    g->tail = calloc(4 * wide * high, sizeof *g->tail);
    g->head = calloc(4 * wide * high, sizeof *g->head);
    g->weight = calloc(4 * wide * high, sizeof *g->weight);
    g->x = calloc(wide * high, sizeof *g->x);
    g->y = calloc(wide * high, sizeof *g->y);
    for (size_t v = 0; v < wide * high; v++) {
        g->x[v] = ((float)(v % wide) + 0.5F) / (float)wide;
        g->y[v] = ((float)(v / wide) + 0.5F) / (float)high;
        for (size_t way = 0; way < 4; way++) {
            size_t to = way == 0 ? v + 1 : way == 1 ? v - 1 : way == 2 ? v + wide : v - wide;
            bool fits = way < 2 ? to < wide * high && to / wide == v / wide : to < wide * high;
            if (fits) {
                g->tail[g->arcs] = (uint32_t)v;
                g->head[g->arcs] = (uint32_t)to;
                g->weight[g->arcs++] = (uint32_t)((v + to) % 7 + 1);
            }
        }
    }
}

static void free_grid(view_graph *g)
{
    free(g->tail);
    free(g->head);
    free(g->weight);
    free(g->x);
    free(g->y);
}

/* Ends with the distances: nearer vertices are brighter; what is not reached is at 0. */
static void test_searches(void **state)
{
    (void)state;
    static const char *const names[] = {"path/bucket", "path/dijkstra"};
    view_graph g;
    make_grid(&g, 120, 80);
    g.arcs -= 8; /* the last vertices are reached from nowhere, but for their neighbours */
    for (size_t k = 0; k < 2; k++) {
        view_run r;
        io_error error;
        uint32_t *d = calloc(g.vertices, sizeof *d), most = 0;
        view_run_wish wish = {.algorithm = upsweep_find(names[k]), .device = "cpu", .graph = &g};
        assert_true(view_run_make(&r, &wish, &error));
        assert_true(r.count > 4 && r.n == g.vertices);
        assert_int_equal(view_run_call(&r, r.handle, d), UPSWEEP_OK);
        for (size_t v = 0; v < r.n; v++) {
            most = d[v] != UINT32_MAX && d[v] > most ? d[v] : most;
        }
        const uint32_t *levels = view_run_picture(&r, 0);
        for (size_t v = 0; v < r.n; v++) {
            assert_int_equal(levels[v], 0);
        }
        levels = view_run_picture(&r, r.count - 1);
        for (size_t v = 0; v < r.n; v++) {
            double want = d[v] == UINT32_MAX ? 0 : VIEW_LEVELS * (1 - 0.75 * d[v] / most);
            assert_true(fabs(levels[v] - want) <= 2);
        }
        /* Vertices near the source have their distance before those far away. */
        size_t half = 0, done = 0;
        levels = view_run_picture(&r, r.count / 2);
        for (size_t v = 0; v < r.n; v++) {
            half += levels[v] > 0;
            done += d[v] != UINT32_MAX;
        }
        assert_true(half > 0 && half < done && levels[0] > 0 && levels[r.n - 1] == 0);
        view_run_free(&r);
        free(d);
    }
    free_grid(&g);
}

/* ---- cells ---- */

static void test_cells(void **state)
{
    (void)state;
    static uint32_t levels[N];
    static uint8_t marks[N], cells[2 * 700 * VIEW_CELL_ROWS];
    static const size_t shapes[][2] = {{1, 1}, {7, 100}, {640, 333}, {3, VIEW_CELL_ROWS}, {700, 2}};
    uint64_t seed = 3;
    for (size_t i = 0; i < N; i++) {
        levels[i] = (uint32_t)(i % 3 == 0 ? i * 10 : input_random(&seed) % (VIEW_LEVELS + 1));
        marks[i] = i % 5 == 0;
    }
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        size_t columns = shapes[k][0], rows = shapes[k][1], counted = 0;
        view_cells(levels, marks, N, columns, rows, cells);
        for (size_t c = 0; c < columns; c++) {
            size_t begin = c * N / columns, end = (c + 1) * N / columns;
            for (size_t row = 0; row < rows; row++) {
                size_t here = 0, lit = 0;
                for (size_t i = begin; i < end; i++) {
                    size_t at = levels[i] * rows / VIEW_LEVELS;
                    bool in = (at < rows ? at : rows - 1) == row;
                    here += in;
                    lit += in && marks[i] != 0;
                }
                const uint8_t *cell = cells + 2 * (c * rows + row);
                double shade = 1 + 254 * log2(1 + (double)here) / log2(1 + (double)(end - begin));
                counted += here;
                assert_true(here == 0 ? cell[0] == 0 : fabs(cell[0] - floor(shade)) <= 1);
                assert_int_equal(cell[1], here == 0                     ? 0
                                          : lit > 0 && 255 * lit < here ? 1
                                                                        : 255 * lit / here);
            }
        }
        assert_int_equal(counted, N);
    }
}

/* ---- panels ---- */

/* Few elements are points, many their density, and V changes from one to the other; what a panel
 * draws is the run's picture. */
static void test_panels(void **state)
{
    (void)state;
    static uint32_t values[(1 << 20) + 1];
    view_glyphs glyphs;
    assert_true(view_glyphs_make(&glyphs, 1));
    for (size_t many = 0; many < 2; many++) {
        view_run r;
        io_error error;
        size_t n = many ? sizeof values / sizeof *values : 5000;
        input_fill(INPUT_UNIFORM, UPSWEEP_U32, values, n, 8);
        view_run_wish wish = {upsweep_find("sort/radix"), "cpu", 1, UPSWEEP_U32, values, n, NULL};
        assert_true(view_run_make(&r, &wish, &error));
        view_show s = {.count = 1, .panels = {{.algorithm = wish.algorithm, .run = &r}}};
        view_ink ink = {.glyphs = &glyphs, .scale = 1};
        assert_true(view_panel_open(&s.panels[0]));
        view_show_begin(&s, 0);
        for (int turn = 0; turn < 2; turn++) {
            bool density = (many == 1) != (turn == 1);
            view_scene(&s, &ink, 800, 500);
            assert_int_equal(ink.field_count, 1);
            const view_field *f = &ink.fields[0];
            assert_int_equal(f->count, n);
            assert_int_equal(f->columns > 0, density);
            assert_true(density ? f->cells == r.cells && f->rows == (size_t)f->at.h
                                : f->values == r.levels && f->marks == r.marks);
            view_press(&s, VIEW_KEY_STYLE);
        }
        view_show_jump(&s, s.longest + s.tail);
        view_scene(&s, &ink, 800, 500);
        assert_true(ink.fields[0].unlit && ink.fields[0].swept == n);
        view_show_free(&s);
        view_ink_free(&ink);
        view_run_free(&r);
    }
    view_glyphs_free(&glyphs);
}

static void test_lacking(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        bool reduces = strcmp(a->operation, "reduce") == 0;
        assert_int_equal(view_run_lacks(a, "cpu") != NULL, reduces);
        assert_int_equal(view_run_lacks(a, "cuda") != NULL, reduces);
        assert_int_equal(view_run_lacks(a, "cuda:1") != NULL, reduces);
        assert_non_null(view_run_lacks(a, "auto"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_types),
                                       cmocka_unit_test(test_searches),
                                       cmocka_unit_test(test_cells), cmocka_unit_test(test_panels),
                                       cmocka_unit_test(test_lacking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

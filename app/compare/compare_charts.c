/* compare_charts.c - the plots of a comparison: which there are, what they are made of, and what
 * stands below them. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum plot_kind {
    TIME,
    THROUGHPUT,
    SHARE,
    DEPTH,
    WORK,
    TOUCHES,
    COUNTED_PASSES,
    TIMED_PASSES,
    PLOTS
} plot_kind;

size_t compare_plots(const compare *c)
{
    return c->pass_count > 0 ? PLOTS : COUNTED_PASSES;
}

/* ---- values in words, as short as an axis wants them ---- */

static const char *axis_seconds(char text[32], double value)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    size_t k = 0;
    while (value < units[k].seconds * 0.9999) {
        k++;
    }
    snprintf(text, 32, "%.3g %s", value / (units[k].seconds > 0 ? units[k].seconds : 1e-9),
             units[k].unit);
    return text;
}

static const char *milliseconds(char text[32], double value)
{
    snprintf(text, 32,
             value < 0.9995e-3  ? "%.2f"
             : value < 9.995e-3 ? "%.1f"
                                : "%.0f",
             1e3 * value);
    return text;
}

static const char *axis_rate(char text[32], double value)
{
    compare_amount(text, value);
    size_t length = strlen(text);
    snprintf(text + length, 32 - length, "/s");
    return text;
}

static const char *axis_percent(char text[32], double value)
{
    snprintf(text, 32, "%.3g%%", value * 100);
    return text;
}

/* ---- lines ---- */

typedef struct drawing {
    chart_line lines[2 * COMPARE_LINES];
    double x[2 * COMPARE_LINES][COMPARE_SIZES], y[2 * COMPARE_LINES][COMPARE_SIZES];
    char names[COMPARE_LINES][64];
    size_t count;
} drawing;

static double timed(const compare *c, const compare_line *l, size_t s, plot_kind kind)
{
    double seconds = compare_median(&l->cells[s]), n = (double)c->settings->sizes[s];
    if (l->cells[s].state != COMPARE_DONE || !(seconds > 0)) {
        return 0;
    }
    return kind == TIME         ? seconds
           : kind == THROUGHPUT ? n / seconds
                                : compare_bandwidth(c, l, s) / c->devices[l->device].copy_bandwidth;
}

static chart_line *new_line(drawing *d)
{
    chart_line *line = &d->lines[d->count];
    *line = (chart_line){.x = d->x[d->count], .y = d->y[d->count]};
    d->count++;
    return line;
}

static void add_point(drawing *d, chart_line *line, double x, double y)
{
    size_t k = (size_t)(line - d->lines);
    if (y > 0) {
        d->x[k][line->count] = x;
        d->y[k][line->count++] = y;
    }
}

/* "radix" of "sort/radix": all rows of a plot are of one operation. */
static const char *short_name(const compare *c, size_t row)
{
    const char *name = compare_row_name(c, row), *slash = strchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static void timed_lines(const compare *c, drawing *d, plot_kind kind)
{
    for (size_t k = 0; k < c->line_count; k++) {
        const compare_line *l = &c->lines[k];
        chart_line *line = new_line(d);
        line->colour = l->row;
        line->hollow = l->device > 0;
        snprintf(d->names[k], sizeof d->names[k], "%s%s%s", short_name(c, l->row),
                 c->device_count > 1 ? ", " : "",
                 c->device_count > 1 ? c->devices[l->device].name : "");
        line->name = d->names[k];
        for (size_t s = 0; s < c->settings->size_count; s++) {
            add_point(d, line, (double)c->settings->sizes[s], timed(c, l, s, kind));
        }
    }
}

/* Formulas as thin lines, what was counted as marks on them. */
static void counted_lines(const compare *c, drawing *d, plot_kind kind)
{
    for (size_t r = 0; r < c->row_count; r++) {
        chart_line *counted = new_line(d), *formula = kind != TOUCHES ? new_line(d) : NULL;
        bool path = strcmp(c->operation, "path") == 0; /* whose formulas are not of n alone */
        counted->name = short_name(c, r);
        counted->colour = r;
        if (formula != NULL) {
            formula->colour = r;
            formula->no_marks = true;
        }
        for (size_t s = 0; s < c->settings->size_count && c->rows[r] != NULL; s++) {
            const compare_count *of = &c->counts[r][s];
            size_t n = c->settings->sizes[s];
            double value = kind == DEPTH  ? (double)of->rounds
                           : kind == WORK ? (double)of->work
                                          : (double)of->touches / (double)n;
            if (of->counted) {
                add_point(d, counted, (double)n, value);
            }
            if (formula != NULL && !path) {
                add_point(d, formula, (double)n,
                          (double)(kind == DEPTH ? upsweep_rounds(c->rows[r], n)
                                                 : upsweep_work(c->rows[r], n)));
            }
        }
        if (formula != NULL && formula->count > counted->count) {
            formula->name = counted->name; /* beside the line that goes further */
            counted->name = NULL;
        }
    }
}

static void fill_in(const compare *c, plot_kind kind, chart *to)
{
    static const struct {
        const char *title, *under;
        chart_words words;
    } all[] = {
        [TIME] = {"Time", "of one call, median; lower is better", axis_seconds},
        [THROUGHPUT] = {"Throughput", "elements a second; higher is better", axis_rate},
        [SHARE] = {"Share of the copy bandwidth",
                   "bytes that must be read and written, over time, beside a plain copy",
                   axis_percent},
        [DEPTH] = {"Depth", "rounds of the explained form: marks are counted, lines the formula",
                   compare_amount},
        [WORK] = {"Work", "steps of the explained form: marks are counted, lines the formula",
                  compare_amount},
        [TOUCHES] = {"Elements touched", "reads and writes of the explained form, for each element",
                     compare_amount},
    };
    to->title = all[kind].title;
    to->under = all[kind].under;
    to->words = all[kind].words;
    if (kind == SHARE) {
        to->ceiling = 1;
        to->ceiling_name = c->device_count > 1 ? "a copy on that device" : "a copy";
    }
}

/* ---- passes ---- */

static void draw_passes(const compare *c, io_canvas *canvas, bool timed_ones,
                        const compare_plot *place)
{
    double values[2][COMPARE_PASSES];
    char labels[COMPARE_PASSES][32], under[128];
    chart_bars b = {.x = place->x,
                    .y = place->y,
                    .width = place->width,
                    .height = place->height,
                    .values = {values[0], values[1]},
                    .labels = (const char(*)[32])labels,
                    .under = under,
                    .below = timed_ones ? "keys of a list"
                                        : "vectors of a list: lanes that act on average, counted",
                    .words = timed_ones ? milliseconds : compare_amount};
    char keys[32];
    if (timed_ones) {
        snprintf(under, sizeof under, "milliseconds a pass, least of 25 runs, %s keys, %u thread%s",
                 compare_size(keys, c->pass_keys), c->pass_threads,
                 c->pass_threads == 1 ? "" : "s");
        b.title = "Passes of a merge sort, timed";
        b.names[0] = "a thread for each pair of lists";
        b.names[1] = "merges cut by rank for all threads";
        b.count = c->pass_count;
    } else {
        snprintf(under, sizeof under, "rounds of each pass, %s keys",
                 compare_size(keys, c->counted_pass_keys));
        b.title = "Passes of sort/vmerge, as explained";
        b.names[0] = "a lane for each pair of lists, counted";
        b.names[1] = "cut by rank, by formula";
        b.count = c->counted_pass_count;
    }
    for (size_t k = 0; k < b.count; k++) {
        const compare_counted_pass *p = &c->counted_passes[k];
        if (timed_ones) {
            values[0][k] = c->passes[k].whole_seconds;
            values[1][k] = c->passes[k].cut_seconds;
            compare_size(labels[k], c->passes[k].list);
        } else {
            /* A lane finds by bisection where its two vectors begin, and merges those: the six
             * rounds of a pass whose lists are one vector each. */
            values[0][k] = (double)p->rounds;
            values[1][k] = p->list > 1 ? ceil(log2(4.0 * (double)p->list + 1)) + 6 : 6;
            snprintf(labels[k], sizeof labels[k], "%zu: %.0f", p->list,
                     p->rounds > 0 ? (double)p->lanes / (double)p->rounds : 0);
        }
    }
    chart_draw_bars(canvas, &b);
}

bool compare_draw(const compare *c, size_t k, io_canvas *canvas, const compare_plot *place)
{
    plot_kind kind = (plot_kind)k;
    if (kind >= COUNTED_PASSES) {
        draw_passes(c, canvas, kind == TIMED_PASSES, place);
        return true;
    }
    drawing *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return false;
    }
    chart plot = {.x = place->x, .y = place->y, .width = place->width, .height = place->height};
    (kind <= SHARE ? timed_lines : counted_lines)(c, d, kind);
    fill_in(c, kind, &plot);
    plot.lines = d->lines;
    plot.line_count = d->count;
    chart_draw(canvas, &plot);
    free(d);
    return true;
}

const char *compare_caption(size_t k)
{
    static const char *const captions[PLOTS] = {
        [TIME] = "Both axes are logarithmic: a straight line of double steepness is a quadratic "
                 "algorithm. A line that ends early met the time limit.",
        [THROUGHPUT] = "Elements of the input over the median time.",
        [SHARE] =
            "100% would be as fast as copying the input once. Small inputs lie in the caches, "
            "which are faster than memory, so they may exceed it.",
        [DEPTH] = "How many rounds follow one another. That is the time on a machine with lanes "
                  "without end "
                  "only where each round gives all elements a lane. Forms with a fixed number of "
                  "lanes, four "
                  "workers of a scatter or a vector of four, take rounds in proportion to n on any "
                  "machine.",
        [WORK] = "What all lanes do together. Rows count different steps: see the table.",
        [TOUCHES] =
            "What the textbook form would move. The forms that are timed do less: they keep "
            "keys in registers and caches.",
        [COUNTED_PASSES] =
            "One lane merges a pair of lists, four keys at a time, so each pass has half the lanes "
            "of the one before and twice its rounds: the last one is half of all rounds, with a "
            "single pair at work. Merge path is the cure: every lane finds by rank where its own "
            "piece of the result begins, and all lanes stay busy to the end.",
        [TIMED_PASSES] =
            "With a thread for each pair of lists, the last passes have fewer pairs than threads. "
            "Cut by rank, every pass keeps all threads busy; the CPU and CUDA forms of sort/vmerge "
            "do that. Where one thread alone takes up the memory's bandwidth, both are level."};
    return captions[k];
}

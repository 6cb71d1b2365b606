/* compare_page.c - a comparison as one HTML page that fetches nothing: plots inline as SVG, tables,
 * and how it was measured. The plots are drawn in the colours of paper; in dark mode the page's
 * style gives each of these colours another one, which rules over what stands in the SVG. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_WIDTH = 600, PLOT_HEIGHT = 380, MARGIN = 28, HEAD = 96 };

static const char style[] =
    ":root{color-scheme:light dark;--ground:#ffffff;--ink:#1f2328;--faint:#59636e;--line:#d9dfe5;"
    "--card:#ffffff;--best:#e8f2fa}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1320px;padding:32px 24px 64px;background:var(--ground);"
    "color:var(--ink);font:15px/1.55 system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,"
    "sans-serif}\n"
    "h1{font-size:28px;line-height:1.25;margin:0 0 4px}h2{font-size:19px;margin:40px 0 12px}\n"
    "p{max-width:76ch}.faint,figcaption{color:var(--faint)}.lead{font-size:18px;margin:14px 0}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));"
    "gap:18px;margin-top:26px}\n"
    "figure{margin:0;padding:8px 10px 12px;border:1px solid var(--line);border-radius:10px;"
    "background:var(--card);break-inside:avoid}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    "figure svg text{font-family:system-ui,'Segoe UI','DejaVu Sans',Helvetica,Arial,sans-serif}\n"
    "figcaption{font-size:13px;padding:2px 8px 0}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}\n"
    "th,td{padding:5px 12px;text-align:right;border-bottom:1px solid var(--line);"
    "white-space:nowrap}\n"
    "th{font-weight:600;color:var(--faint);white-space:normal;vertical-align:bottom}"
    "td.row{white-space:normal;padding-top:14px}th:first-child,td:first-child{text-align:left}\n"
    "td.best{background:var(--best);font-weight:600}td.no{color:var(--faint)}\n"
    "li{max-width:76ch;margin:4px 0}\n";

/* What takes the place of each colour of the plots. */
static const char *const dark_colours[][2] = {
    {"ffffff", "0d1117"}, {"1f2328", "e6edf3"}, {"59636e", "9aa5b1"}, {"d9dfe5", "2b323b"},
    {"0072b2", "58a9e0"}, {"d55e00", "f0883e"}, {"009e73", "3fc89b"}, {"b0578d", "e08cc0"},
    {"a67300", "e3b341"}, {"2a8fc9", "79c7f2"}, {"5b5fc7", "a5a8ff"}, {"6e7781", "b1bac4"}};

static void put_style(io_printer *p)
{
    io_put_text(p, "<style>\n");
    io_put_text(p, style);
    io_put_text(p, "@media (prefers-color-scheme:dark){\n:root{--ground:#0d1117;--ink:#e6edf3;"
                   "--faint:#9aa5b1;--line:#2b323b;--card:#0d1117;--best:#12283c}\n");
    for (size_t k = 0; k < sizeof dark_colours / sizeof *dark_colours; k++) {
        const char *const *pair = dark_colours[k];
        io_put_format(p, "svg [fill=\"#%s\"]{fill:#%s}svg [stroke=\"#%s\"]{stroke:#%s}\n", pair[0],
                      pair[1], pair[0], pair[1]);
    }
    io_put_text(p, "}\n@media print{@page{margin:14mm}body{max-width:none;padding:0;font-size:10pt}"
                   ".plots{grid-template-columns:1fr 1fr;gap:8px}table{font-size:8pt}"
                   "th,td{padding:2px 6px;white-space:normal;overflow-wrap:anywhere}}\n</style>\n");
}

/* Text of others: names of machines and reasons. */
static void put_escaped(io_printer *p, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': io_put_text(p, "&lt;"); break;
        case '>': io_put_text(p, "&gt;"); break;
        case '&': io_put_text(p, "&amp;"); break;
        default: io_put(p, text, 1);
        }
    }
}

/* ---- the sentence that says it all ---- */

/* The greatest size that two lines were timed for, and the fastest and the next of them; how many
 * lines were timed. */
static size_t fastest(const compare *c, size_t *size, const compare_line **first,
                      const compare_line **second)
{
    for (size_t s = c->settings->size_count; s-- > 0;) {
        size_t count = 0;
        *first = *second = NULL;
        for (size_t k = 0; k < c->line_count; k++) {
            const compare_line *l = &c->lines[k];
            double seconds = compare_median(&l->cells[s]);
            if (l->cells[s].state != COMPARE_DONE) {
                continue;
            }
            count++;
            if (*first == NULL || seconds < compare_median(&(*first)->cells[s])) {
                *second = *first;
                *first = l;
            } else if (*second == NULL || seconds < compare_median(&(*second)->cells[s])) {
                *second = l;
            }
        }
        if (count > 1) {
            *size = s;
            return count;
        }
    }
    return 0;
}

static void lead(const compare *c, char text[512])
{
    const compare_line *first, *second;
    char a[64], b[64], n[32], time[32], ratio[32];
    size_t s, count = fastest(c, &s, &first, &second);
    text[0] = '\0';
    if (count > 1) {
        double least = compare_median(&first->cells[s]), next = compare_median(&second->cells[s]);
        snprintf(text, 512, "For n = %s, %s takes %s and is %s times as fast as %s%s.",
                 compare_size(n, c->settings->sizes[s]), compare_name(c, first, a),
                 compare_seconds(time, least), compare_amount(ratio, least > 0 ? next / least : 1),
                 compare_name(c, second, b), count > 2 ? ", the next" : "");
    }
}

static void subtitle(const compare *c, char text[512])
{
    snprintf(text, 512, "%s; %s, %s, seed %zu. %s, %s. upsweep %s, %s.", compare_says(c->operation),
             upsweep_type_name(c->settings->common.type), app_gen_patterns[c->settings->pattern],
             c->settings->seed, c->machine.cpu, c->machine.isa, upsweep_version(), c->when);
}

static void title(const compare *c, char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t r = 0; r < c->row_count && used < 200; r++) {
        used += (size_t)snprintf(text + used, 256 - used, "%s%s",
                                 r == 0                  ? ""
                                 : r + 1 == c->row_count ? " and "
                                                         : ", ",
                                 compare_row_name(c, r));
    }
    if (c->row_count > 1) {
        snprintf(text + used, 256 - used, " compared");
    }
}

/* ---- tables ---- */

static void put_time_table(const compare *c, io_printer *p)
{
    char text[64], size[32];
    io_put_text(p, "<h2>Time of one call</h2>\n<div class=\"scroll\"><table>\n<tr><th>n</th>");
    for (size_t k = 0; k < c->line_count; k++) {
        io_put_format(p, "<th>%s</th>", compare_name(c, &c->lines[k], text));
    }
    io_put_text(p, "</tr>\n");
    for (size_t s = 0; s < c->settings->size_count; s++) {
        double best = 0;
        for (size_t k = 0; k < c->line_count; k++) {
            double seconds = compare_median(&c->lines[k].cells[s]);
            best = seconds > 0 && (!(best > 0) || seconds < best) ? seconds : best;
        }
        io_put_format(p, "<tr><td>%s</td>", compare_size(size, c->settings->sizes[s]));
        for (size_t k = 0; k < c->line_count; k++) {
            const compare_cell *cell = &c->lines[k].cells[s];
            double seconds = compare_median(cell);
            if (cell->state == COMPARE_DONE) {
                io_put_format(p, "<td%s title=\"%zu runs, %s",
                              seconds <= best ? " class=\"best\"" : "", cell->runs,
                              compare_seconds(size, cell->seconds[0]));
                io_put_format(p, " to %s\">", compare_seconds(size, cell->seconds[cell->runs - 1]));
                io_put_format(p, "%s</td>", compare_seconds(size, seconds));
            } else if (cell->state == COMPARE_SLOW) {
                io_put_format(p, "<td class=\"no\">about %s</td>",
                              compare_seconds(size, cell->expected_seconds));
            } else {
                io_put_text(p, "<td class=\"no\">none</td>");
            }
        }
        io_put_text(p, "</tr>\n");
    }
    io_put_text(p, "</table></div>\n<p class=\"faint\">Medians; the least and the greatest of the "
                   "runs show when the pointer rests on one. \"About\" is what was expected, and "
                   "not run, because it is longer than the limit.</p>\n");
}

static void put_count(io_printer *p, uint64_t count, bool known, const char *otherwise)
{
    if (known) {
        io_put_format(p, "<td>%" PRIu64 "</td>", count);
    } else {
        io_put_format(p, "<td class=\"no\">%s</td>", otherwise);
    }
}

static void put_pair(io_printer *p, uint64_t formula, uint64_t counted, bool is_counted)
{
    put_count(p, formula, formula > 0, "depends");
    put_count(p, counted, is_counted, "not counted");
}

static void put_count_table(const compare *c, io_printer *p)
{
    bool path = strcmp(c->operation, "path") == 0;
    char size[32];
    io_put_text(p, "<h2>Depth and work of the explained forms</h2>\n<div class=\"scroll\"><table>\n"
                   "<tr><th>n</th><th>depth, formula</th><th>counted</th>"
                   "<th>work, formula</th><th>counted</th><th>lanes a round</th>"
                   "<th>elements touched</th></tr>\n");
    for (size_t r = 0; r < c->row_count; r++) {
        const upsweep_algorithm *a = c->rows[r];
        if (a == NULL) {
            continue;
        }
        io_put_format(p, "<tr><td class=\"row\" colspan=\"7\"><strong>%s</strong>: depth ",
                      a->name);
        put_escaped(p, a->depth);
        io_put_text(p, "; work ");
        put_escaped(p, a->work);
        io_put_text(p, "</td></tr>\n");
        for (size_t s = 0; s < c->settings->size_count; s++) {
            const compare_count *of = &c->counts[r][s];
            size_t n = c->settings->sizes[s];
            io_put_format(p, "<tr><td>%s</td>", compare_size(size, n));
            put_pair(p, path ? 0 : upsweep_rounds(a, n), of->rounds, of->counted);
            put_pair(p, path ? 0 : upsweep_work(a, n), of->work, of->counted);
            put_count(p, of->lanes, of->counted, "not counted");
            put_count(p, of->touches, of->counted, "not counted");
            io_put_text(p, "</tr>\n");
        }
    }
    io_put_text(p, "</table></div>\n");
}

/* ---- how it was measured ---- */

static void put_failures(const compare *c, io_printer *p)
{
    char text[64], size[32];
    for (size_t k = 0; k < c->line_count; k++) {
        for (size_t s = 0; s < c->settings->size_count; s++) {
            const compare_cell *cell = &c->lines[k].cells[s];
            if (cell->state == COMPARE_FAILED) {
                io_put_format(p, "<li>%s, n = %s: ", compare_name(c, &c->lines[k], text),
                              compare_size(size, c->settings->sizes[s]));
                put_escaped(p, cell->why);
                io_put_text(p, "</li>\n");
            }
        }
    }
}

static void put_method(const compare *c, io_printer *p)
{
    char amount[32];
    io_put_format(p,
                  "<h2>How it was measured</h2>\n<ul>\n<li>All rows took turns on the same input, "
                  "which was put back before every call: %zu runs each, %d of those under a "
                  "millisecond, after one that is not counted. A figure is the median.</li>\n",
                  c->settings->repeat, COMPARE_RUNS);
    io_put_format(
        p,
        "<li>A size that was expected, by how the sizes before grew, to take more than %g s "
        "a call was not run, nor the ones above it.</li>\n",
        c->settings->limit_seconds);
    io_put_text(
        p, c->results_differ
               ? "<li><strong>The rows gave different results. Something is wrong.</strong></li>\n"
               : "<li>Every row gave the same bytes for every size.</li>\n");
    io_put_text(
        p, c->counts_differ
               ? "<li><strong>A count differs from its formula.</strong></li>\n"
               : "<li>Wherever depth or work has a formula in n alone, what was counted in the "
                 "trace equals it.</li>\n");
    for (size_t d = 0; d < c->device_count; d++) {
        bool gpu = strncmp(c->devices[d].name, "cuda", 4) == 0;
        io_put_format(p, "<li>%s: ", c->devices[d].name);
        put_escaped(p, c->devices[d].what);
        io_put_format(p, ". In the same run %sB/s, read and written, is what ",
                      compare_amount(amount, c->devices[d].copy_bandwidth));
        io_put_text(p, gpu ? "an array takes to the GPU's memory, reversed there, and back: the "
                             "arrays compared here lie in the host's memory, and every time "
                             "includes both copies.</li>\n"
                           : "memcpy of 256 MB by all threads does.</li>\n");
    }
    io_put_text(p, "<li>The share of the copy bandwidth takes the bytes that any method must read "
                   "and write once; how many a form really moves was not measured.</li>\n");
    put_failures(c, p);
    io_put_text(p, "</ul>\n");
}

/* ---- the whole ---- */

static void put_head(const compare *c, io_printer *p)
{
    char text[512];
    io_put_text(p,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
    title(c, text);
    io_put_text(p, text);
    io_put_text(p, "</title>\n");
    put_style(p);
    io_put_format(p, "</head>\n<body>\n<h1>%s</h1>\n<p class=\"faint\">", text);
    subtitle(c, text);
    put_escaped(p, text);
    lead(c, text);
    io_put_text(p, "</p>\n<p class=\"lead\">");
    put_escaped(p, text);
    io_put_text(p, "</p>\n<div class=\"plots\">\n");
}

static bool put_plot(const compare *c, size_t k, io_output *out, io_error *error)
{
    const compare_plot place = {0, 0, PLOT_WIDTH, PLOT_HEIGHT};
    io_canvas *canvas = io_canvas_new(out, error, place.width, place.height, CHART_GROUND);
    if (canvas == NULL) {
        return io_because(error, "%s: out of memory", out->name);
    }
    bool drawn = compare_draw(c, k, canvas, &place), ended = io_canvas_end(canvas);
    return ended && (drawn || io_because(error, "%s: out of memory", out->name));
}

bool compare_write_page(const compare *c, io_output *out, io_error *error)
{
    io_printer *p = io_printer_new(out, error);
    if (p == NULL) {
        return io_because(error, "%s: out of memory", out->name);
    }
    put_head(c, p);
    bool ok = true;
    for (size_t k = 0; k < compare_plots(c) && ok; k++) {
        io_put_text(p, "<figure>\n");
        ok = io_put_end(p) && put_plot(c, k, out, error);
        io_put_format(p, "<figcaption>%s</figcaption>\n</figure>\n", compare_caption(k));
    }
    io_put_text(p, "</div>\n");
    put_time_table(c, p);
    put_count_table(c, p);
    put_method(c, p);
    io_put_text(p, "</body>\n</html>\n");
    ok = ok && io_put_end(p);
    free(p);
    return ok;
}

/* All plots in two columns, on paper. */
bool compare_write_png(const compare *c, io_output *out, io_error *error)
{
    size_t plots = compare_plots(c), rows = (plots + 1) / 2;
    float width = 2 * PLOT_WIDTH + 3 * MARGIN,
          height = HEAD + (float)rows * (PLOT_HEIGHT + MARGIN) + MARGIN;
    char text[512];
    io_canvas *canvas = io_canvas_new(out, error, width, height, CHART_GROUND);
    if (canvas == NULL) {
        return io_because(error, "%s: out of memory", out->name);
    }
    title(c, text);
    io_words words = {{MARGIN + 8, 46}, 24, IO_ANCHOR_LEFT, true, CHART_INK, IO_NO_COLOUR, text};
    io_canvas_words(canvas, &words);
    subtitle(c, text);
    words =
        (io_words){{MARGIN + 8, 72}, 13, IO_ANCHOR_LEFT, false, CHART_FAINT, IO_NO_COLOUR, text};
    io_canvas_words(canvas, &words);
    bool drawn = true;
    for (size_t k = 0; k < plots && drawn; k++) {
        size_t row = k / 2, column = k % 2;
        compare_plot place = {MARGIN + (float)column * (PLOT_WIDTH + MARGIN),
                              HEAD + (float)row * (PLOT_HEIGHT + MARGIN), PLOT_WIDTH, PLOT_HEIGHT};
        drawn = compare_draw(c, k, canvas, &place);
    }
    bool ended = io_canvas_end(canvas);
    return ended && (drawn || io_because(error, "%s: out of memory", out->name));
}

/* compare_table.c - the figures of a comparison as text for a terminal and as CSV, and the words
 * for sizes, times and names that the page uses too. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"

#include <inttypes.h>
#include <string.h>

const char *compare_size(char text[32], size_t n)
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t unit = 0, value = n;
    while (value >= 1024 && value % 1024 == 0 && unit < 3) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 32, "%zu%s%s", value, unit > 0 ? " " : "", units[unit]);
    return text;
}

const char *compare_seconds(char text[32], double seconds)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    size_t k = 0;
    while (seconds < units[k].seconds) {
        k++;
    }
    snprintf(text, 32, "%.3g %s", seconds / (units[k].seconds > 0 ? units[k].seconds : 1e-9),
             units[k].unit);
    return text;
}

const char *compare_amount(char text[32], double value)
{
    static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};
    size_t k = 0;
    while (value >= 999.5 && k < sizeof units / sizeof *units - 1) {
        value /= 1000;
        k++;
    }
    snprintf(text, 32, "%.3g%s%s", value, *units[k] != '\0' ? " " : "", units[k]);
    return text;
}

const char *compare_row_name(const compare *c, size_t row)
{
    return c->rows[row] != NULL ? c->rows[row]->name : "automatic";
}

const char *compare_name(const compare *c, const compare_line *l, char text[64])
{
    const char *row = compare_row_name(c, l->row);
    if (c->device_count > 1) {
        snprintf(text, 64, "%s, %s", row, c->devices[l->device].name);
    } else {
        snprintf(text, 64, "%s", row);
    }
    return text;
}

/* ---- for a terminal ---- */

static void print_cell(const compare_cell *cell, char text[64])
{
    char seconds[32];
    switch (cell->state) {
    case COMPARE_DONE:
        snprintf(text, 64, "%s", compare_seconds(seconds, compare_median(cell)));
        break;
    case COMPARE_SLOW:
        snprintf(text, 64, "(%s)", compare_seconds(seconds, cell->expected_seconds));
        break;
    default: snprintf(text, 64, "-"); break;
    }
}

void compare_print_table(const compare *c)
{
    char text[64], size[32];
    bool slow = false;
    printf("%-8s", "n");
    for (size_t k = 0; k < c->line_count; k++) {
        printf("  %18s", compare_name(c, &c->lines[k], text));
    }
    putchar('\n');
    for (size_t s = 0; s < c->settings->size_count; s++) {
        printf("%-8s", compare_size(size, c->settings->sizes[s]));
        for (size_t k = 0; k < c->line_count; k++) {
            const compare_cell *cell = &c->lines[k].cells[s];
            print_cell(cell, text);
            printf("  %18s", text);
            slow = slow || cell->state == COMPARE_SLOW;
        }
        putchar('\n');
    }
    printf("\n%s; medians, rows in turn", compare_says(c->operation));
    if (slow) {
        printf("; (in parentheses) expected, and not run: longer than %g s",
               c->settings->limit_seconds);
    }
    puts(c->results_differ ? "\nRESULTS DIFFER between rows" : "; all rows gave the same result");
    for (size_t d = 0; d < c->device_count; d++) {
        printf("%s: copies %sB/s, read and written; %s\n", c->devices[d].name,
               compare_amount(size, c->devices[d].copy_bandwidth), c->devices[d].what);
    }
    for (size_t k = 0; k < c->line_count; k++) {
        for (size_t s = 0; s < c->settings->size_count; s++) {
            if (c->lines[k].cells[s].state == COMPARE_FAILED) {
                printf("%s: n = %s: %s\n", compare_name(c, &c->lines[k], text),
                       compare_size(size, c->settings->sizes[s]), c->lines[k].cells[s].why);
            }
        }
    }
}

/* ---- CSV ---- */

static void put_counts(const compare *c, io_printer *p, const compare_line *l, size_t s)
{
    const compare_count *of = &c->counts[l->row][s];
    const upsweep_algorithm *a = c->rows[l->row];
    size_t n = c->settings->sizes[s];
    bool known = a != NULL && strcmp(c->operation, "path") != 0;
    const uint64_t values[6] = {known ? upsweep_rounds(a, n) : 0,
                                of->rounds,
                                known ? upsweep_work(a, n) : 0,
                                of->work,
                                of->touches,
                                of->lanes};
    for (size_t k = 0; k < 6; k++) {
        io_put(p, ",", 1);
        if (values[k] > 0) {
            io_put_count(p, values[k]);
        }
    }
}

bool compare_write_csv(const compare *c, io_printer *p)
{
    static const char *const states[] = {"not tried", "timed", "too slow", "failed"};
    io_put_text(p, "algorithm,device,n,state,runs,median_seconds,least_seconds,most_seconds,"
                   "elements_per_second,bytes,bytes_per_second,share_of_copy,depth_formula,"
                   "depth_counted,work_formula,work_counted,elements_touched,lanes_a_round\n");
    for (size_t k = 0; k < c->line_count; k++) {
        const compare_line *l = &c->lines[k];
        for (size_t s = 0; s < c->settings->size_count; s++) {
            const compare_cell *cell = &l->cells[s];
            double n = (double)c->settings->sizes[s], seconds = compare_median(cell);
            double rate = compare_bandwidth(c, l, s);
            io_put_format(p, "%s,%s,%.0f,%s,", compare_row_name(c, l->row),
                          c->devices[l->device].name, n, states[cell->state]);
            if (cell->state == COMPARE_DONE && seconds > 0) {
                io_put_format(p, "%zu,%.9g,%.9g,%.9g,%.6g,%.0f,%.6g,%.6g", cell->runs, seconds,
                              cell->seconds[0], cell->seconds[cell->runs - 1], n / seconds,
                              compare_bytes(c, c->settings->sizes[s]), rate,
                              rate / c->devices[l->device].copy_bandwidth);
            } else {
                io_put_text(p, ",,,,,,,");
            }
            put_counts(c, p, l, s);
            io_put_text(p, "\n");
        }
    }
    return io_put_end(p);
}

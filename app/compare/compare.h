/* compare.h - `upsweep compare`: rows of the registry on the same input in one run.
 *
 * verb_compare.c reads the options; compare_jobs.c knows how a row of each kind is called;
 * compare_run.c times, compare_count.c counts the explained forms, compare_passes.c times the
 * passes of the merge sort; compare_chart.c draws one plot, compare_charts.c all of them;
 * compare_page.c and compare_table.c write the page, the CSV and the text. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_COMPARE_COMPARE_H
#define USW_APP_COMPARE_COMPARE_H

#include "app/app.h"
#include "io/canvas.h"
#include "io/printer.h"

enum {
    COMPARE_ROWS = 16,
    COMPARE_DEVICES = 4,
    COMPARE_SIZES = 32,
    COMPARE_RUNS = 25,
    COMPARE_PASSES = 10,
    COMPARE_LINES = COMPARE_ROWS * COMPARE_DEVICES
};

typedef struct compare_settings {
    app_common common;
    size_t sizes[COMPARE_SIZES], size_count; /* ascending */
    double factor;                           /* from one size to the next */
    double limit_seconds;                    /* of one call */
    size_t repeat, seed;
    int pattern;
    const char *devices, *range, *png, *csv;
} compare_settings;

typedef enum compare_state {
    COMPARE_UNTRIED,
    COMPARE_DONE,
    COMPARE_SLOW,  /* expected to take longer than the limit: expected_seconds */
    COMPARE_FAILED /* the call said why */
} compare_state;

typedef struct compare_cell {
    compare_state state;
    size_t runs;
    double seconds[COMPARE_RUNS]; /* in ascending order when done */
    double expected_seconds;
    uint64_t hash; /* of the result */
    char why[160], algorithm[32];
} compare_cell;

/* A row on a device. */
typedef struct compare_line {
    size_t row, device;
    compare_cell cells[COMPARE_SIZES];
    bool gone; /* a smaller size was too slow, or failed */
    size_t probed[2];
    double probe_seconds[2]; /* of the two sizes timed last */
} compare_line;

/* What the explained form did for one size. */
typedef struct compare_count {
    bool counted;
    uint64_t rounds, work, touches; /* touches: elements read and written by the steps */
    uint64_t lanes;                 /* that act in a round, on average */
} compare_count;

/* A pass that merges pairs of sorted lists, both ways. */
typedef struct compare_pass {
    size_t list;          /* keys of each */
    double whole_seconds; /* one thread a pair of lists */
    double cut_seconds;   /* every merge cut by rank into pieces enough for all threads */
} compare_pass;

/* A pass of the explained vector merge sort, counted from its trace. */
typedef struct compare_counted_pass {
    size_t list; /* vectors of a list that it merges */
    uint64_t rounds, lanes;
} compare_counted_pass;

typedef struct compare_device {
    char name[16];
    upsweep *u;
    unsigned threads;
    char what[96];         /* the report's words for it */
    double copy_bandwidth; /* bytes a second, read and written; the roofline */
} compare_device;

typedef struct compare {
    compare_settings *settings;
    const upsweep_algorithm *rows[COMPARE_ROWS]; /* NULL: chosen by the library */
    size_t row_count;
    const char *operation; /* "sort" */
    compare_device devices[COMPARE_DEVICES];
    size_t device_count;
    compare_line *lines;
    size_t line_count;
    compare_count counts[COMPARE_ROWS][COMPARE_SIZES];
    compare_pass passes[COMPARE_PASSES];
    compare_counted_pass counted_passes[COMPARE_PASSES];
    size_t pass_count, pass_keys, counted_pass_count, counted_pass_keys;
    unsigned pass_threads;
    upsweep_machine machine;
    char when[32];
    bool results_differ, counts_differ;
} compare;

/* ---- compare_jobs.c: one input of n elements, and the call that is timed ---- */

typedef struct compare_job {
    const compare *c;
    size_t n;
    void *in, *work; /* work: what the call changes, or writes to */
    size_t in_bytes, work_bytes;
    unsigned char *flags; /* of split */
    upsweep_graph *graphs[COMPARE_DEVICES];
} compare_job;

/* NULL if rows of this operation cannot be compared. */
const char *compare_says(const char *operation);
/* Bytes that every method reads and writes at least once, for n elements. */
double compare_bytes(const compare *c, size_t n);
/* False: out of memory. */
bool compare_job_begin(compare_job *j, const compare *c, size_t n);
void compare_job_end(compare_job *j);
/* Puts the input back. */
void compare_job_restore(compare_job *j);
upsweep_status compare_job_run(compare_job *j, const compare_line *l);
uint64_t compare_job_hash(const compare_job *j);
/* Numbers for the explained form: count of them, from malloc. */
uint32_t *compare_numbers(const compare *c, size_t n, size_t *count);

/* ---- the other parts ---- */

/* Both return APP_OK, or APP_ERROR after a sentence. */
int compare_time(compare *c);
int compare_count_all(compare *c);
int compare_time_passes(compare *c);

double compare_median(const compare_cell *cell);
/* Bytes a second at least moved. */
double compare_bandwidth(const compare *c, const compare_line *l, size_t size);
/* "sort/radix", "the best of sort"; "sort/radix on cuda" where there are several devices. */
const char *compare_name(const compare *c, const compare_line *l, char text[64]);
const char *compare_row_name(const compare *c, size_t row);
/* "4 K", "1000": powers of 1024 where they are. */
const char *compare_size(char text[32], size_t n);
/* "12.3 ms". */
const char *compare_seconds(char text[32], double seconds);
/* "123", "4.5 M". */
const char *compare_amount(char text[32], double value);

void compare_print_table(const compare *c);
bool compare_write_csv(const compare *c, io_printer *p);
bool compare_write_page(const compare *c, io_output *out, io_error *error);
bool compare_write_png(const compare *c, io_output *out, io_error *error);

/* ---- compare_chart.c ---- */

enum {
    CHART_GROUND = 0xffffff,
    CHART_INK = 0x1f2328,
    CHART_FAINT = 0x59636e,
    CHART_GRID = 0xd9dfe5,
    CHART_SERIES = 8 /* colours */
};
int32_t chart_colour(size_t series);

typedef const char *(*chart_words)(char text[32], double value);

typedef struct chart_line {
    const char *name;
    size_t colour;
    bool hollow;   /* dashed, with hollow marks */
    bool no_marks; /* a formula */
    const double *x, *y;
    size_t count;
} chart_line;

typedef struct chart {
    const char *title, *under;
    float x, y, width, height; /* of all of it, in pixels */
    chart_words words;         /* of the values at the left */
    const chart_line *lines;
    size_t line_count;
    double ceiling; /* a level that is marked, or 0 */
    const char *ceiling_name;
} chart;

/* Both axes logarithmic; x are powers of two or anything. */
void chart_draw(io_canvas *canvas, const chart *c);

typedef struct chart_bars {
    const char *title, *under;
    float x, y, width, height;
    chart_words words;
    const char *names[2]; /* of the bars that stand side by side; NULL: there is one */
    const double *values[2];
    const char (*labels)[32]; /* below the bars */
    size_t count;
    const char *below; /* what the labels are */
} chart_bars;
void chart_draw_bars(io_canvas *canvas, const chart_bars *b);

/* ---- compare_charts.c: plot k of all; false past the last one ---- */
typedef struct compare_plot {
    float x, y, width, height;
} compare_plot;
bool compare_draw(const compare *c, size_t k, io_canvas *canvas, const compare_plot *place);
size_t compare_plots(const compare *c);
/* What a reader should see in it, one or two sentences of plain text. */
const char *compare_caption(size_t k);

#endif

/* compare_run.c - times all rows on all devices, taking turns on the same input, so that whatever
 * else the machine does meets all of them. A row whose next size is expected to take longer than
 * the limit takes no further part: a call cannot be ended half-way, so it is not begun. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"
#include "io/memory.h"
#include "io/parallel.h"
#include "io/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_FROM = 1024, PROBE_FACTOR = 4 };

/* Seconds that n elements will take by how the sizes before grew; 0 if none was timed. */
static double foresee(const compare_line *l, size_t n)
{
    double last = l->probe_seconds[1];
    if (l->probed[1] == 0) {
        return 0;
    }
    double power = 2; /* the worst that a row here has */
    if (l->probed[0] > 0 && l->probed[1] > l->probed[0] && l->probe_seconds[0] > 0) {
        power = log(last / l->probe_seconds[0]) / log((double)l->probed[1] / (double)l->probed[0]);
        power = fmin(fmax(power, 1), 2.5);
    }
    return last * pow((double)n / (double)l->probed[1], power);
}

static void remember(compare_line *l, size_t n, double seconds)
{
    l->probed[0] = l->probed[1];
    l->probe_seconds[0] = l->probe_seconds[1];
    l->probed[1] = n;
    l->probe_seconds[1] = seconds;
}

static void set_why(compare_cell *cell, const char *why)
{
    snprintf(cell->why, sizeof cell->why, "%s", why);
    cell->state = COMPARE_FAILED;
}

/* One call; its seconds, or -1 after a failure, which the cell then tells. */
static double time_once(compare_job *j, compare_line *l, compare_cell *cell)
{
    compare_job_restore(j);
    double from = app_seconds();
    upsweep_status status = compare_job_run(j, l);
    double seconds = app_seconds() - from;
    if (status != UPSWEEP_OK) {
        const char *why = upsweep_error(j->c->devices[l->device].u);
        set_why(cell, *why != '\0' ? why : upsweep_status_name(status));
        return -1;
    }
    return seconds;
}

/* Whether the line takes part at n elements; the cell says why it does not. */
static bool takes_part(const compare *c, compare_line *l, compare_cell *cell, size_t n)
{
    double expected = foresee(l, n);
    if (cell->state == COMPARE_FAILED || l->gone) {
        return false;
    }
    if (expected > c->settings->limit_seconds) {
        cell->state = COMPARE_SLOW;
        cell->expected_seconds = expected;
        return false;
    }
    return true;
}

/* The first call, which brings memory and threads in; it is not among the runs unless it is so long
 * that there will be no other. Its result is the one that is compared with the others'. */
static size_t first_call(compare *c, compare_job *j, compare_line *l, compare_cell *cell)
{
    if (!takes_part(c, l, cell, j->n)) {
        return 0;
    }
    double seconds = time_once(j, l, cell);
    if (seconds < 0) {
        l->gone = true;
        return 0;
    }
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(c->devices[l->device].u, &report);
    snprintf(cell->algorithm, sizeof cell->algorithm, "%s",
             report.algorithm != NULL ? report.algorithm : "");
    cell->hash = compare_job_hash(j);
    cell->state = COMPARE_DONE;
    if (seconds > c->settings->limit_seconds / 2) {
        cell->seconds[cell->runs++] = seconds;
        remember(l, j->n, seconds);
        return 0;
    }
    size_t fitting = (size_t)(c->settings->limit_seconds / fmax(seconds, 1e-7));
    size_t wanted = seconds < 1e-3 ? COMPARE_RUNS : c->settings->repeat;
    return wanted < fitting ? wanted : fitting > 0 ? fitting : 1;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void finish_cell(compare *c, compare_line *l, compare_cell *cell, size_t n,
                        const compare_cell *first)
{
    if (cell->state != COMPARE_DONE) {
        return;
    }
    qsort(cell->seconds, cell->runs, sizeof *cell->seconds, ascending);
    if (l->probed[1] != n) {
        remember(l, n, compare_median(cell));
    }
    c->results_differ = c->results_differ || (first != NULL && cell->hash != first->hash);
}

static int time_size(compare *c, size_t s)
{
    size_t n = c->settings->sizes[s], wanted[COMPARE_LINES], most = 0;
    compare_job j;
    if (!compare_job_begin(&j, c, n)) {
        compare_job_end(&j);
        return app_fail("no memory for %zu elements; --n takes smaller ones", n);
    }
    for (size_t k = 0; k < c->line_count; k++) {
        wanted[k] = first_call(c, &j, &c->lines[k], &c->lines[k].cells[s]);
        most = wanted[k] > most ? wanted[k] : most;
    }
    for (size_t run = 0; run < most; run++) {
        for (size_t turn = 0; turn < c->line_count; turn++) {
            size_t k = (turn + run) % c->line_count; /* nobody is always first */
            compare_cell *cell = &c->lines[k].cells[s];
            if (run < wanted[k] && cell->state == COMPARE_DONE) {
                double seconds = time_once(&j, &c->lines[k], cell);
                if (seconds >= 0) {
                    cell->seconds[cell->runs++] = seconds;
                }
            }
        }
    }
    const compare_cell *first = NULL;
    for (size_t k = 0; k < c->line_count; k++) {
        compare_cell *cell = &c->lines[k].cells[s];
        finish_cell(c, &c->lines[k], cell, n, first);
        first = first == NULL && cell->state == COMPARE_DONE ? cell : first;
    }
    compare_job_end(&j);
    return APP_OK;
}

/* Times smaller sizes once, so that it is known what the first of the sizes will take. */
static int probe(compare *c)
{
    for (size_t n = PROBE_FROM; n < c->settings->sizes[0] / 2; n *= PROBE_FACTOR) {
        compare_job j;
        if (!compare_job_begin(&j, c, n)) {
            compare_job_end(&j);
            return app_fail("out of memory");
        }
        for (size_t k = 0; k < c->line_count; k++) {
            compare_line *l = &c->lines[k];
            compare_cell *cell = &l->cells[0];
            for (int run = 0; run < 2 && takes_part(c, l, cell, n); run++) {
                double seconds = time_once(&j, l, cell);
                if (seconds < 0) {
                    l->gone = true;
                } else if (run == 1) { /* the first one starts threads */
                    remember(l, n, seconds);
                }
            }
            if (cell->state == COMPARE_SLOW) {
                cell->state = COMPARE_UNTRIED;
            }
        }
        compare_job_end(&j);
    }
    return APP_OK;
}

/* ---- the roofline ---- */

typedef struct copying {
    unsigned char *from, *to;
    size_t piece;
} copying;

static void copy_piece(void *context, size_t task, unsigned lane)
{
    (void)lane;
    const copying *c = context;
    memcpy(c->to + task * c->piece, c->from + task * c->piece, c->piece);
}

/* Bytes a second that all threads together copy, read and written counted: on a GPU to its memory
 * and back, since that is where these arrays have to go. */
static int measure_copy(const compare *c, compare_device *d)
{
    enum { BYTES = 1 << 28, PIECE = 1 << 22, RUNS = 5 };
    copying job = {io_memory_take(BYTES), io_memory_take(BYTES), PIECE};
    compare_cell cell = {.runs = 0};
    bool ok = job.from != NULL && job.to != NULL, gpu = strncmp(d->name, "cuda", 4) == 0;
    if (ok) {
        memset(job.from, 1, BYTES);
    }
    for (int run = 0; run <= RUNS && ok; run++) {
        double from = app_seconds();
        if (gpu) {
            ok = upsweep_reverse(d->u, job.from, BYTES / 4, 4, NULL) == UPSWEEP_OK;
        } else {
            io_parallel(d->threads, BYTES / PIECE, copy_piece, &job);
        }
        if (run > 0) { /* the first one brings the pages in */
            cell.seconds[cell.runs++] = app_seconds() - from;
        }
    }
    io_memory_give(job.from, BYTES);
    io_memory_give(job.to, BYTES);
    if (!ok) {
        return app_fail("the copy bandwidth of %s cannot be measured: %s", d->name,
                        gpu ? upsweep_error(d->u) : "out of memory");
    }
    (void)c;
    qsort(cell.seconds, cell.runs, sizeof *cell.seconds, ascending);
    d->copy_bandwidth = 2.0 * BYTES / compare_median(&cell);
    return APP_OK;
}

int compare_time(compare *c)
{
    io_progress progress = {.what = NULL};
    io_progress_begin(&progress, "timing");
    int status = probe(c);
    for (size_t d = 0; d < c->device_count && status == APP_OK; d++) {
        status = measure_copy(c, &c->devices[d]);
    }
    for (size_t s = 0; s < c->settings->size_count && status == APP_OK; s++) {
        io_progress_step(&progress, s, c->settings->size_count);
        status = time_size(c, s);
    }
    io_progress_end(&progress);
    return status;
}

double compare_median(const compare_cell *cell)
{
    size_t n = cell->runs;
    return n == 0       ? 0
           : n % 2 == 1 ? cell->seconds[n / 2]
                        : (cell->seconds[n / 2 - 1] + cell->seconds[n / 2]) / 2;
}

double compare_bandwidth(const compare *c, const compare_line *l, size_t size)
{
    double seconds = compare_median(&l->cells[size]);
    return seconds > 0 ? compare_bytes(c, c->settings->sizes[size]) / seconds : 0;
}

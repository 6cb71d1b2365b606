/* verb_compare.c - `upsweep compare NAME...`: rows of the registry on the same input in one run, as
 * a page, a picture, CSV or text. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"
#include "app/algorithm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int take_number(const char *name, const char *text, double least, double most, double *value)
{
    int status = app_parse_number(name, text, value);
    if (status == APP_OK && !(*value >= least && *value <= most)) {
        return app_fail("%s is from %g to %g, not %s", name, least, most, text);
    }
    return status;
}

static int take_limit(void *settings, const char *text)
{
    return take_number("--limit", text, 1e-3, 1e5, &((compare_settings *)settings)->limit_seconds);
}

static int take_factor(void *settings, const char *text)
{
    return take_number("--factor", text, 1.1, 1e6, &((compare_settings *)settings)->factor);
}

static int take_repeat(void *settings, const char *text)
{
    double runs;
    int status = take_number("--repeat", text, 1, COMPARE_RUNS, &runs);
    ((compare_settings *)settings)->repeat = (size_t)runs;
    return status;
}

static int take_input(void *settings, const char *text)
{
    compare_settings *s = settings;
    s->pattern = app_pattern_find(text);
    return s->pattern >= 0 ? APP_OK : APP_ERROR;
}

static const app_option options[] = {
    {'n', "n", "SIZES", "from..to, as in 1K..16M, or sizes parted by commas; 1K..1M if not given",
     APP_TEXT, offsetof(compare_settings, range), NULL},
    {0, "factor", "F", "from one size to the next in from..to; 4 if not given", APP_CALL, 0,
     take_factor},
    {0, "device", "NAMES", "where to compute: cpu, cuda, cuda:NUMBER, or several, as in cpu,cuda",
     APP_TEXT, offsetof(compare_settings, devices), NULL},
    {0, "threads", "N", "use at most N threads; 0, the default, means all cores", APP_COUNT,
     offsetof(app_common, threads), NULL},
    {0, "type", "TYPE", "type of the elements, u32 if not given", APP_TYPE,
     offsetof(app_common, type), NULL},
    {0, "pattern", "PATTERN", "what the elements are, as in `upsweep gen`; uniform if not given",
     APP_CALL, 0, take_input},
    {0, "input", "PATTERN", NULL, APP_CALL, 0, take_input},
    {0, "seed", "N", "another seed gives other random numbers; 0 if not given", APP_COUNT,
     offsetof(compare_settings, seed), NULL},
    {0, "limit", "SECONDS", "leave out what is expected to take longer a call; 2 if not given",
     APP_CALL, 0, take_limit},
    {0, "repeat", "N",
     "runs of each, from 1 to 25; 7 if not given; 25 of what takes less than 1 ms", APP_CALL, 0,
     take_repeat},
    {0, "png", "FILE", "draw the plots into a PNG too", APP_TEXT, offsetof(compare_settings, png),
     NULL},
    {0, "csv", "FILE", "write the figures as CSV too", APP_TEXT, offsetof(compare_settings, csv),
     NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_compare = {
    "NAME...",
    "Runs algorithms of one kind (see `upsweep list`) on the same input, in turn, and tells what\n"
    "they take, over n: time, throughput, the share of the bandwidth of a plain copy measured in\n"
    "the same run, and depth and work of their explained forms, by formula and counted. A kind\n"
    "alone, such as sort, stands for the form that the library chooses by itself.\n"
    "\n"
    "With -o FILE.html the result is one page with plots that fetches nothing, for screen, dark\n"
    "mode and print. Without -o, --png and --csv it is a table of times.\n"
    "\n"
    "Arrays lie in the host's memory: times on a GPU include the copies to it and back. A row is\n"
    "left out from the size on at which a call is expected to take longer than --limit, and the\n"
    "result says so. All rows must give the same bytes; else the exit status is 1.\n"
    "\n"
    "With sort/vmerge among the rows, the passes of a merge sort are shown one by one: with a\n"
    "thread for each pair of lists the last ones starve; cut by rank they do not.",
    APP_OUTPUT, options,
    "upsweep compare sort/oddeven sort/bitonic sort/radix sort/hybrid --n 1K..16M -o report.html\n"
    "upsweep compare sort sort/radix --type u64 --pattern zipf --device cpu,cuda\n"
    "upsweep compare path/dijkstra path/bucket --n 1K..64K --csv paths.csv --png paths.png"};

/* ---- what the words mean ---- */

static int add_size(compare_settings *s, size_t n)
{
    if (n < 2 || n > (SIZE_MAX >> 8)) {
        return app_fail("--n takes sizes from 2 on");
    }
    if (s->size_count == COMPARE_SIZES) {
        return app_fail("--n gives more than %d sizes; a larger --factor gives fewer",
                        COMPARE_SIZES);
    }
    if (s->size_count > 0 && n <= s->sizes[s->size_count - 1]) {
        return app_fail("the sizes of --n ascend");
    }
    s->sizes[s->size_count++] = n;
    return APP_OK;
}

/* "1K", the part of text up to length. */
static int take_size(const char *text, size_t length, size_t *n)
{
    char word[40];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
             text);
    return app_parse_elements(word, n);
}

static int take_range(compare_settings *s)
{
    const char *text = s->range != NULL ? s->range : "1K..1M", *dots = strstr(text, "..");
    size_t from, to;
    int status = APP_OK;
    if (dots == NULL) {
        while (status == APP_OK) {
            size_t length = strcspn(text, ","), n;
            status = take_size(text, length, &n);
            status = status == APP_OK ? add_size(s, n) : status;
            if (text[length] == '\0') {
                return status;
            }
            text += length + 1;
        }
        return status;
    }
    if (take_size(text, (size_t)(dots - text), &from) != APP_OK ||
        take_size(dots + 2, strlen(dots + 2), &to) != APP_OK) {
        return APP_ERROR;
    }
    if (from > to) {
        return app_fail("--n goes from the smaller size to the greater one, not %s", text);
    }
    for (double n = (double)from; n <= (double)to * 1.0001 && status == APP_OK; n *= s->factor) {
        size_t rounded = (size_t)(n + 0.5);
        bool again = s->size_count > 0 && rounded == s->sizes[s->size_count - 1];
        status = again ? APP_OK : add_size(s, rounded);
    }
    return status;
}

static int take_row(compare *c, const char *name)
{
    const char *operation = compare_says(name) != NULL ? name : NULL;
    const upsweep_algorithm *a = NULL;
    if (operation == NULL) {
        a = app_algorithm(name);
        if (a == NULL) {
            return APP_ERROR;
        }
        operation = a->operation;
    }
    if (c->row_count == COMPARE_ROWS) {
        return app_fail("at most %d algorithms are compared at once", COMPARE_ROWS);
    }
    if (compare_says(operation) == NULL) {
        return app_fail("%s cannot be compared", name);
    }
    if (c->operation != NULL && strcmp(c->operation, operation) != 0) {
        return app_fail("%s is no %s: only algorithms of one kind are compared", name,
                        c->operation);
    }
    for (size_t r = 0; r < c->row_count; r++) {
        if (c->rows[r] == a) {
            return app_fail("%s stands there twice", name);
        }
    }
    c->operation = operation;
    c->rows[c->row_count++] = a;
    return APP_OK;
}

static int take_devices(compare *c)
{
    const char *text = c->settings->devices != NULL ? c->settings->devices : "cpu";
    for (;;) {
        size_t length = strcspn(text, ",");
        compare_device *d = &c->devices[c->device_count];
        if (c->device_count == COMPARE_DEVICES || length == 0 || length >= sizeof d->name) {
            return app_fail("--device takes up to %d devices, such as cpu,cuda, not '%s'",
                            COMPARE_DEVICES, c->settings->devices);
        }
        snprintf(d->name, sizeof d->name, "%.*s", (int)length, text);
        bool number = strncmp(d->name, "cuda:", 5) == 0 && d->name[5] != '\0' &&
                      strspn(d->name + 5, "0123456789") == strlen(d->name + 5);
        if (strcmp(d->name, "cpu") != 0 && strcmp(d->name, "cuda") != 0 && !number) {
            return app_fail("--device takes cpu, cuda or cuda:NUMBER, not '%s'", d->name);
        }
        c->device_count++;
        if (text[length] == '\0') {
            return APP_OK;
        }
        text += length + 1;
    }
}

static int open_devices(compare *c)
{
    for (size_t d = 0; d < c->device_count; d++) {
        app_common common = c->settings->common;
        common.device = c->devices[d].name;
        if (app_open(&common, &c->devices[d].u) != APP_OK) {
            return APP_ERROR;
        }
        if (c->machine.isa == NULL) { /* app_describe_cpu does not know */
            upsweep_report report = UPSWEEP_REPORT_INIT;
            upsweep_last_report(c->devices[d].u, &report);
            c->machine.isa = report.isa;
        }
        bool gpu = strncmp(common.device, "cuda", 4) == 0;
        unsigned cores = c->machine.cores;
        c->devices[d].threads =
            common.threads > 0 && common.threads < cores ? (unsigned)common.threads : cores;
        if (gpu) {
            snprintf(c->devices[d].what, sizeof c->devices[d].what, "%.90s", c->machine.gpu);
        } else {
            snprintf(c->devices[d].what, sizeof c->devices[d].what, "%.60s, %u thread%s",
                     c->machine.cpu, c->devices[d].threads, c->devices[d].threads == 1 ? "" : "s");
        }
    }
    return APP_OK;
}

/* GPUs are looked for only where one is asked for. */
static void describe_machine(compare *c)
{
    bool gpu = false;
    for (size_t d = 0; d < c->device_count; d++) {
        gpu |= strncmp(c->devices[d].name, "cuda", 4) == 0;
    }
    if (gpu) {
        c->machine.size = sizeof c->machine;
        (void)upsweep_describe_machine(&c->machine);
    } else {
        app_describe_cpu(&c->machine);
    }
}

static int make_lines(compare *c)
{
    c->lines = calloc(c->row_count * c->device_count, sizeof *c->lines);
    if (c->lines == NULL) {
        return app_fail("out of memory");
    }
    for (size_t r = 0; r < c->row_count; r++) {
        for (size_t d = 0; d < c->device_count; d++) {
            c->lines[c->line_count].row = r;
            c->lines[c->line_count++].device = d;
        }
    }
    return APP_OK;
}

/* ---- outputs ---- */

enum { PAGE, PNG, CSV, OUTPUTS };

static bool write_one(const compare *c, int kind, io_output *out, io_error *error)
{
    if (kind == PAGE) {
        return compare_write_page(c, out, error);
    }
    if (kind == PNG) {
        return compare_write_png(c, out, error);
    }
    io_printer *p = io_printer_new(out, error);
    bool ok = p != NULL && compare_write_csv(c, p);
    free(p);
    return ok || (p == NULL && io_because(error, "%s: out of memory", out->name));
}

static int work(compare *c)
{
    int status = compare_count_all(c);
    status = status == APP_OK ? compare_time(c) : status;
    return status == APP_OK ? compare_time_passes(c) : status;
}

/* The files are opened before the work: one that cannot be written is told at once. */
static int run(compare *c)
{
    const char *const names[OUTPUTS] = {c->settings->common.output, c->settings->png,
                                        c->settings->csv};
    io_output outs[OUTPUTS];
    io_error error;
    bool open[OUTPUTS] = {false}, any = false;
    int status = APP_OK;
    for (int k = 0; k < OUTPUTS && status == APP_OK; k++) {
        if (names[k] != NULL) {
            any = true;
            open[k] = io_output_open(&outs[k], names[k], &error) == 0;
            status = open[k] ? APP_OK : app_fail("%s", error.text);
        }
    }
    status = status == APP_OK ? open_devices(c) : status;
    status = status == APP_OK ? work(c) : status;
    for (int k = 0; k < OUTPUTS && status == APP_OK; k++) {
        if (open[k] && !write_one(c, k, &outs[k], &error)) {
            status = app_fail("%s", error.text);
        }
    }
    for (int k = 0; k < OUTPUTS; k++) {
        if (open[k] && status != APP_OK) {
            io_output_discard(&outs[k]);
        } else if (open[k] && io_output_commit(&outs[k], &error) != 0) {
            status = app_fail("%s", error.text);
        }
    }
    if (status == APP_OK && !any) {
        compare_print_table(c);
    }
    return status;
}

static int check(const compare *c)
{
    const compare_settings *s = c->settings;
    const char *page = s->common.output, *end = page != NULL ? strrchr(page, '.') : NULL;
    io_error error;
    if (end != NULL && (strcmp(end, ".png") == 0 || strcmp(end, ".csv") == 0)) {
        return app_fail(
            "%s: -o writes a page, such as report.html; --png and --csv write the others", page);
    }
    if (s->png != NULL) {
        size_t length = strlen(s->png);
        if (length < 5 || strcmp(s->png + length - 4, ".png") != 0) {
            return app_fail("%s: the name of the PNG ends with .png", s->png);
        }
        if (!io_canvas_can(s->png, &error)) {
            return app_fail("%s", error.text);
        }
    }
    if (c->operation != NULL && strcmp(c->operation, "path") == 0 &&
        s->sizes[s->size_count - 1] > UINT32_MAX / 64) {
        return app_fail("--n is at most %u vertices for paths", UINT32_MAX / 64);
    }
    return APP_OK;
}

int verb_compare(int argc, char **argv)
{
    compare_settings s = {
        .common = {.type = UPSWEEP_U32}, .limit_seconds = 2, .repeat = 7, .factor = 4};
    int status = app_parse(&usage_compare, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    compare *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return app_fail("out of memory");
    }
    c->settings = &s;
    status = s.common.operand_count > 0 ? APP_OK
                                        : app_fail("which algorithms? `upsweep list` shows all");
    for (size_t k = 0; k < s.common.operand_count && status == APP_OK; k++) {
        status = take_row(c, s.common.operands[k]);
    }
    status = status == APP_OK ? take_range(&s) : status;
    status = status == APP_OK ? take_devices(c) : status;
    status = status == APP_OK ? check(c) : status;
    status = status == APP_OK ? make_lines(c) : status;
    if (status == APP_OK) {
        time_t now = time(NULL);
        struct tm utc;
        describe_machine(c);
        strftime(c->when, sizeof c->when, "%Y-%m-%d", gmtime_r(&now, &utc));
        status = run(c);
    }
    for (size_t d = 0; d < c->device_count; d++) {
        upsweep_close(c->devices[d].u);
    }
    bool differ = c->results_differ;
    free(c->lines);
    free(c);
    if (status == APP_OK) {
        status = app_finish_stdout();
    }
    return status == APP_OK && differ ? APP_NO : status;
}

/* verb_scan.c - `upsweep scan`: prefix sums, or another operator's prefix combinations. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "app/arrays/ops.h"

#include <stdint.h>
#include <string.h>

typedef struct settings {
    app_common common;
    const char *op;
    bool exclusive;
} settings;

static const app_option options[] = {
    {0, "op", "sum|product|min|max|and|or|xor", "the operator; sum if not given", APP_TEXT,
     offsetof(settings, op), NULL},
    {'x', "exclusive", NULL, "combine the numbers before each one, without itself", APP_FLAG,
     offsetof(settings, exclusive), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_scan = {
    "[FILE]...",
    "Writes an array of the same length and type: each number combined with all before it. Whole\n"
    "numbers wrap around; floats are added in double precision in an order that does not depend "
    "on\n"
    "the number of threads, and rounded once each. Arrays (.npy) have one axis; truth values stay\n"
    "truth values, so that sum does not take them. --json, with -o FILE, prints how many there "
    "are\n"
    "and the last of them.",
    APP_MACHINERY | APP_JSON | APP_OUTPUT | APP_AS | APP_FROM | APP_TYPED | APP_FROM_TEXT, options,
    "seq 10 | upsweep scan\nupsweep scan --op max --type f32 data.f32 -o running.f32"};

/* Truth values stay truth values, or are refused. */
static int check_array(const settings *s, const io_array *a)
{
    const char *name = app_input_name(&s->common);
    if (a->npy.boolean && strcmp(s->op, "sum") == 0) {
        return app_fail("%s: holds truth values, and their sums are none: --op takes and, or, xor, "
                        "min, max and product of them",
                        name);
    }
    return app_check_one_axis(name, a);
}

static int scan(const settings *s, upsweep *u, io_array *a)
{
    app_output out;
    if (app_output_open_like(&out, &s->common, a) != APP_OK) {
        return APP_ERROR;
    }
    upsweep_options how = UPSWEEP_OPTIONS_INIT;
    how.algorithm = s->common.algorithm;
    how.flags = s->exclusive ? UPSWEEP_EXCLUSIVE : 0;
    double seconds = -app_seconds();
    if (upsweep_scan(u, a->data, a->data, a->n, a->type, app_op_from_name(s->op), &how) !=
        UPSWEEP_OK) {
        return app_output_drop(&out, app_fail_call(u));
    }
    seconds += app_seconds();
    if (s->exclusive && a->npy.boolean && a->n > 0) {
        uint8_t *first = a->data; /* of min and `and` that is 255, the greatest of the type */
        *first = *first != 0;
    }
    if (s->common.stats) {
        app_print_report(u, a->n, upsweep_type_name(a->type), a->n * upsweep_type_bytes(a->type),
                         seconds);
    }
    int status = app_output_array(&out, a->data, a->n);
    if (status == APP_OK && s->common.json) {
        printf("{\"n\": %zu, \"type\": \"%s\", \"last\": ", a->n, upsweep_type_name(a->type));
        if (a->n > 0) {
            app_print_json_number(stdout, a->type,
                                  (const char *)a->data + (a->n - 1) * upsweep_type_bytes(a->type));
        } else {
            fputs("null", stdout);
        }
        puts("}");
        status = app_finish_stdout();
    }
    return status;
}

int verb_scan(int argc, char **argv)
{
    settings s = {.op = "sum"};
    int status = app_parse(&usage_scan, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (app_know_op(s.op, NULL) != APP_OK || app_check_json(&s.common) != APP_OK) {
        return APP_ERROR;
    }
    io_array a;
    upsweep *u = NULL;
    status = app_read_array(&s.common, &a);
    if (status == APP_OK) {
        status = app_check_op(s.op, a.type);
    }
    if (status == APP_OK) {
        status = check_array(&s, &a);
    }
    if (status == APP_OK) {
        status = app_open(&s.common, &u);
    }
    if (status == APP_OK) {
        status = scan(&s, u, &a);
    }
    upsweep_close(u);
    io_array_free(&a);
    return status;
}

/* verb_reduce.c - `upsweep reduce`: all numbers combined into one (or two: minmax). */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "app/arrays/ops.h"

#include <string.h>

typedef struct settings {
    app_common common;
    const char *op;
} settings;

static const app_option options[] = {
    {0, "op", "sum|product|min|max|minmax|argmin|argmax|and|or|xor",
     "the operator; sum if not given", APP_TEXT, offsetof(settings, op), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_reduce = {
    "[FILE]...",
    "Combines all numbers into one and prints it so that it reads back as the same number. Sums "
    "and\n"
    "products of whole numbers are taken modulo 2^64; those of floats in double precision, in an\n"
    "order that is the same for any number of threads, so that the result is the same to the last\n"
    "bit. min and max skip NaN. argmin and argmax print the position, from 0, of the first of "
    "equals.\n"
    "Nothing at all has the sum 0 and the product 1, and neither min nor max. Of a .npy array all\n"
    "elements count, row by row, whatever its shape. Text whose numbers are all whole is read as "
    "i64\n"
    "or u64, never rounded; other text as f64.",
    APP_MACHINERY | APP_FROM | APP_JSON | APP_TYPED | APP_FROM_TEXT, options,
    "upsweep reduce --op max --type f32 data.f32\nseq 1000 | upsweep reduce"};

typedef struct outcome {
    upsweep_type type;
    int count;
    uint64_t value[2];
} outcome;

/* Positions are printed as numbers of type u64. */
static upsweep_status find_position(upsweep *u, const io_array *a, bool greatest,
                                    const upsweep_options *how, outcome *result)
{
    size_t index = 0;
    upsweep_status status =
        (greatest ? upsweep_argmax : upsweep_argmin)(u, a->data, a->n, a->type, &index, how);
    *result = (outcome){.type = UPSWEEP_U64, .count = 1, .value = {index}};
    return status;
}

static upsweep_status combine(upsweep *u, const io_array *a, const char *op,
                              const upsweep_options *how, outcome *result)
{
    if (strcmp(op, "argmin") == 0 || strcmp(op, "argmax") == 0) {
        return find_position(u, a, op[4] == 'a', how, result);
    }
    if (strcmp(op, "minmax") == 0) {
        *result = (outcome){.type = a->type, .count = 2};
        return upsweep_minmax(u, a->data, a->n, a->type, &result->value[0], &result->value[1], how);
    }
    upsweep_op known = app_op_from_name(op);
    *result = (outcome){.type = upsweep_reduce_type(a->type, known), .count = 1};
    return upsweep_reduce(u, a->data, a->n, a->type, known, &result->value[0], how);
}

static int print(const settings *s, const io_array *a, const outcome *result)
{
    if (!s->common.json) {
        app_print_number(stdout, result->type, &result->value[0]);
        if (result->count == 2) {
            putchar(' ');
            app_print_number(stdout, result->type, &result->value[1]);
        }
        putchar('\n');
        return app_finish_stdout();
    }
    printf("{\"op\": \"%s\", \"n\": %zu, \"type\": \"%s\", ", s->op, a->n,
           upsweep_type_name(a->type));
    printf(result->count == 2 ? "\"min\": " : "\"result\": ");
    app_print_json_number(stdout, result->type, &result->value[0]);
    if (result->count == 2) {
        printf(", \"max\": ");
        app_print_json_number(stdout, result->type, &result->value[1]);
    }
    printf(", \"result_type\": \"%s\"}\n", upsweep_type_name(result->type));
    return app_finish_stdout();
}

static int check_op(const settings *s, const io_array *a)
{
    static const char *const best[] = {"min", "max", "minmax", "argmin", "argmax"};
    bool takes_best = false;
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        takes_best |= strcmp(s->op, best[i]) == 0;
    }
    if (takes_best && a->n == 0) {
        return app_fail("%s: has no elements, so there is no %s", app_input_name(&s->common),
                        s->op);
    }
    return app_op_from_name(s->op) == 0 ? APP_OK : app_check_op(s->op, a->type);
}

int verb_reduce(int argc, char **argv)
{
    settings s = {.op = "sum"};
    int status = app_parse(&usage_reduce, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    static const char *const more[] = {"argmin", "argmax", "minmax", NULL};
    if (app_know_op(s.op, more) != APP_OK) {
        return APP_ERROR;
    }
    io_array a;
    upsweep *u = NULL;
    status = app_read_array(&s.common, &a);
    if (status == APP_OK) {
        status = check_op(&s, &a);
    }
    if (status == APP_OK) {
        status = app_open(&s.common, &u);
    }
    if (status == APP_OK) {
        upsweep_options how = UPSWEEP_OPTIONS_INIT;
        how.algorithm = s.common.algorithm;
        outcome result;
        double seconds = -app_seconds();
        bool done = combine(u, &a, s.op, &how, &result) == UPSWEEP_OK;
        seconds += app_seconds();
        if (done && s.common.stats) {
            app_print_report(u, a.n, upsweep_type_name(a.type), a.n * upsweep_type_bytes(a.type),
                             seconds);
        }
        status = done ? print(&s, &a, &result) : app_fail_call(u);
    }
    upsweep_close(u);
    io_array_free(&a);
    return status;
}

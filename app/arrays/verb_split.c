/* verb_split.c - `upsweep split`: a stable partition by a bit, by flags from a file, or by a bound.
 */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "io/numbers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    app_common common;
    size_t bit;
    const char *flags, *less_than;
} settings;

static const size_t no_bit = (size_t)-1;

static const app_option options[] = {
    {0, "bit", "B", "zeros first: those whose bit B, counted from the lowest, is 0", APP_COUNT,
     offsetof(settings, bit), NULL},
    {0, "flags", "FILE", "those with a 0 in FILE first: one u8 for each element, or .npy", APP_TEXT,
     offsetof(settings, flags), NULL},
    {0, "less-than", "X", "numbers less than X first", APP_TEXT, offsetof(settings, less_than),
     NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_split = {
    "[FILE]...",
    "Writes the array in two parts, keeping the order in both: first the elements with flag 0, "
    "then\n"
    "those with flag 1. One of --bit, --flags and --less-than says what the flags are. This is "
    "the\n"
    "step that a radix sort repeats for every bit. --json, with -o FILE, prints how many have flag "
    "0.\n"
    "Arrays (.npy) have one axis.",
    APP_MACHINERY | APP_OUTPUT | APP_AS | APP_FROM | APP_JSON | APP_TYPED | APP_FROM_TEXT, options,
    "echo 5 7 3 1 4 2 7 2 | upsweep split --bit 0\n"
    "upsweep split --type f32 --less-than 0.5 data.f32 -o parts.f32"};

/* An element as a number that can be compared: floats as f64, signed and unsigned on their own. */
typedef struct number {
    double f;
    int64_t i;
    uint64_t u;
} number;

static int flags_of_bit(const settings *s, const io_array *a, uint8_t *flags)
{
    size_t bytes = upsweep_type_bytes(a->type);
    if (s->bit >= 8 * bytes) {
        return app_fail("--bit %zu: elements of type %s have the bits 0 to %zu", s->bit,
                        upsweep_type_name(a->type), 8 * bytes - 1);
    }
    const uint8_t *p = (const uint8_t *)a->data + s->bit / 8;
    for (size_t i = 0; i < a->n; i++, p += bytes) {
        flags[i] = *p >> s->bit % 8 & 1;
    }
    return APP_OK;
}

static int flags_of_file(const settings *s, const io_array *a, uint8_t *flags)
{
    io_array file;
    int status = app_read_beside(&s->common, s->flags, UPSWEEP_U8, false, &file);
    if (status == APP_OK && file.n != a->n) {
        status = app_fail("%s: has %zu flags for %zu elements", s->flags, file.n, a->n);
    }
    if (status == APP_OK && a->n > 0) {
        memcpy(flags, file.data, a->n);
    }
    io_array_free(&file);
    return status;
}

static number load(upsweep_type type, const void *element)
{
    size_t bytes = upsweep_type_bytes(type);
    number x = {.f = 0};
    memcpy(&x.u, element, bytes);
    unsigned unused = 64 - 8 * (unsigned)bytes;
    x.i = (int64_t)(x.u << unused) >> unused;
    if (app_is_float(type)) {
        x.f = io_number_value(type, element);
    }
    return x;
}

static int flags_of_bound(const settings *s, const io_array *a, uint8_t *flags)
{
    uint64_t element = 0;
    if (!io_number_scan(s->less_than, a->type, &element)) {
        return app_fail("--less-than: '%s' is no value of type %s", s->less_than,
                        upsweep_type_name(a->type));
    }
    number bound = load(a->type, &element);
    size_t bytes = upsweep_type_bytes(a->type);
    bool is_signed = a->type >= UPSWEEP_I8 && a->type <= UPSWEEP_I64;
    bool is_float = app_is_float(a->type);
    const char *p = a->data;
    for (size_t i = 0; i < a->n; i++, p += bytes) {
        number x = load(a->type, p);
        bool less = is_float ? x.f < bound.f : is_signed ? x.i < bound.i : x.u < bound.u;
        flags[i] = !less; /* NaN is less than nothing */
    }
    return APP_OK;
}

static int find_flags(const settings *s, const io_array *a, uint8_t *flags)
{
    return s->bit != no_bit   ? flags_of_bit(s, a, flags)
           : s->flags != NULL ? flags_of_file(s, a, flags)
                              : flags_of_bound(s, a, flags);
}

static int split(const settings *s, upsweep *u, const io_array *a, const uint8_t *flags,
                 void *parts)
{
    app_output out;
    if (app_output_open_like(&out, &s->common, a) != APP_OK) {
        return APP_ERROR;
    }
    upsweep_options how = UPSWEEP_OPTIONS_INIT;
    how.algorithm = s->common.algorithm;
    size_t zeros = 0, bytes = upsweep_type_bytes(a->type);
    double seconds = -app_seconds();
    if (upsweep_split(u, a->data, flags, parts, a->n, bytes, &zeros, &how) != UPSWEEP_OK) {
        return app_output_drop(&out, app_fail_call(u));
    }
    seconds += app_seconds();
    if (s->common.stats) {
        app_print_report(u, a->n, upsweep_type_name(a->type), a->n * bytes, seconds);
    }
    int status = app_output_array(&out, parts, a->n);
    if (status == APP_OK && s->common.json) {
        printf("{\"n\": %zu, \"zeros\": %zu, \"ones\": %zu}\n", a->n, zeros, a->n - zeros);
        status = app_finish_stdout();
    }
    return status;
}

static int check(const settings *s)
{
    if ((s->bit != no_bit) + (s->flags != NULL) + (s->less_than != NULL) != 1) {
        return app_fail("one of --bit, --flags and --less-than must say how to split");
    }
    return app_check_json(&s->common);
}

static int find_and_split(const settings *s, const io_array *a)
{
    size_t bytes = a->n * upsweep_type_bytes(a->type);
    uint8_t *flags = malloc(a->n + 1);
    void *parts = malloc(bytes + 1);
    upsweep *u = NULL;
    int status;
    if (flags == NULL || parts == NULL) {
        status = app_fail("%s: no memory for another %zu bytes", app_input_name(&s->common), bytes);
    } else {
        status = find_flags(s, a, flags);
        if (status == APP_OK) {
            status = app_open(&s->common, &u);
        }
        if (status == APP_OK) {
            status = split(s, u, a, flags, parts);
        }
    }
    upsweep_close(u);
    free(parts);
    free(flags);
    return status;
}

int verb_split(int argc, char **argv)
{
    settings s = {.bit = no_bit};
    int status = app_parse(&usage_split, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    io_array a = {.data = NULL};
    status = check(&s);
    if (status == APP_OK) {
        status = app_read_array(&s.common, &a);
    }
    if (status == APP_OK) {
        status = app_check_one_axis(app_input_name(&s.common), &a);
    }
    if (status == APP_OK) {
        status = find_and_split(&s, &a);
    }
    io_array_free(&a);
    return status;
}

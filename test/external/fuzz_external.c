/* fuzz_external.c - sorts beyond memory beside sorts in memory: lines, records and elements under
 * limits from 4 MB on, of up to 20 times as much, in every pattern, with runs merged before.
 *
 *     fuzz_external [--seconds S] [--cases N] [--seed X] [--case X]
 *
 * Ends with 1 at the first case that differs, and says how to run it alone. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/external/fuzz_external.h"

/* Small sizes often, and some of each size up to the most. */
size_t case_draw_size(one_case *c, size_t least, size_t most)
{
    size_t high = least;
    for (; high < most && case_draw(c, 3) != 0; high *= 2) {
    }
    high = high < most ? high : most;
    return least + (size_t)case_draw(c, high - least + 1);
}

void case_wrong(one_case *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (c->wrong[0] == '\0') {
        vsnprintf(c->wrong, sizeof c->wrong, format, arguments);
    }
    va_end(arguments);
}

/* ---- what a case is ---- */

static void *allocate(void *context, size_t bytes, size_t alignment)
{
    one_case *c = context;
    void *p = NULL;
    c->allocated += bytes;
    return posix_memalign(&p, alignment, bytes) == 0 ? p : NULL;
}

static void release(void *context, void *pointer, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(pointer);
}

static void choose(one_case *c)
{
    upsweep_external_config init = UPSWEEP_EXTERNAL_CONFIG_INIT;
    c->config = init;
    c->kind = case_draw(c, 2) == 0 ? ELEMENTS : case_draw(c, 2) == 0 ? LINES : RECORDS;
    c->pattern = (int)case_draw(c, PATTERNS);
    c->file = case_draw(c, 2) == 0;
    c->config.limit = case_draw(c, 4) != 0 ? 4 * MB + (size_t)case_draw(c, 4 * MB)
                                           : case_draw_size(c, 4 * MB, 48 * MB);
    c->config.threads = 1 + (unsigned)case_draw(c, 5);
    c->config.flags = case_draw(c, 3) == 0 ? UPSWEEP_DESCENDING : 0;
    c->config.unique = case_draw(c, 3) == 0;
    size_t most = c->config.limit * (1 + (size_t)case_draw(c, 20));
    most = most < MOST ? most : MOST;
    c->bytes = most - (size_t)case_draw(c, case_draw(c, 4) == 0 ? most + 1 : most / 4);
    if (case_draw(c, 2) == 0) {
        c->config.allocate = allocate;
        c->config.release = release;
        c->config.allocate_context = c;
    }
    if (c->kind == LINES) {
        c->config.end = case_draw(c, 4) == 0 ? 0 : '\n';
        c->longest = case_draw_size(c, 20, c->config.limit / 32);
    } else if (c->kind == RECORDS) {
        size_t bytes = case_draw_size(c, 12, 9000);
        c->field.offset = (size_t)case_draw(c, bytes);
        c->field.bytes = case_draw_size(c, 1, bytes - c->field.offset);
        c->config.record_bytes = bytes;
        c->config.fields = &c->field;
        c->config.field_count = 1;
        c->bytes -= c->bytes % bytes;
    } else {
        c->config.type = (upsweep_type)(UPSWEEP_U8 + case_draw(c, UPSWEEP_F64));
        c->bytes -= c->bytes % upsweep_type_bytes(c->config.type);
    }
}

static const char *describe(const one_case *c)
{
    static char text[300];
    static const char *const kinds[] = {"lines", "records", "elements"};
    static const char *const patterns[] = {"uniform", "few",    "in order",
                                           "falling", "nearly", "runs"};
    snprintf(text, sizeof text,
             "%zu bytes of %s, %s, limit %zu, %u threads, longest %zu, record %zu, field %zu+%zu, "
             "type %s%s%s%s, to a %s",
             c->bytes, kinds[c->kind], patterns[c->pattern], c->config.limit, c->config.threads,
             c->longest, c->config.record_bytes, c->field.offset, c->field.bytes,
             c->kind == ELEMENTS ? upsweep_type_name(c->config.type) : "none",
             c->source != NULL ? ", in a file" : "", c->config.unique ? ", unique" : "",
             c->config.flags ? ", descending" : "", c->file ? "file" : "caller");
    return text;
}

/* ---- a case ---- */

static bool holds(one_case *c, upsweep_external *x, upsweep_status status, const char *what)
{
    if (status != UPSWEEP_OK) {
        case_wrong(c, "%s: %s: %s", what, upsweep_status_name(status),
                   x == NULL ? "" : upsweep_external_error(x));
    }
    return status == UPSWEEP_OK;
}

/* Half of all inputs are in a file, too, behind some other bytes. */
static void make_source(one_case *c, upsweep_external *x)
{
    size_t before = (size_t)case_draw(c, c->bytes < 5000 ? c->bytes + 1 : 5000);
    if (case_draw(c, 2) == 0) {
        return;
    }
    c->source = tmpfile();
    if (c->source == NULL || fwrite(c->in, 1, before, c->source) != before ||
        fwrite(c->in, 1, c->bytes, c->source) != c->bytes || fflush(c->source) != 0) {
        case_wrong(c, "no temporary file");
        return;
    }
    holds(c, x, upsweep_external_source(x, fileno(c->source), before), "source");
}

static void push(one_case *c, upsweep_external *x)
{
    size_t most = case_draw_size(c, 1, 4 * MB);
    make_source(c, x);
    for (size_t at = 0; at < c->bytes && c->wrong[0] == '\0';) {
        size_t step = 1 + (size_t)case_draw(c, most);
        step = step < c->bytes - at ? step : c->bytes - at;
        holds(c, x, upsweep_external_push(x, c->in + at, step), "push");
        at += step;
    }
}

static void pull(one_case *c, upsweep_external *x)
{
    size_t at = 0, bytes = 0;
    const void *records = NULL;
    while (holds(c, x, upsweep_external_pull(x, &records, &bytes), "pull") && bytes > 0) {
        if (bytes > c->want_bytes - at || memcmp(records, c->want + at, bytes) != 0) {
            case_wrong(c, "other records are pulled, from byte %zu on", at);
            return;
        }
        at += bytes;
    }
    if (at != c->want_bytes) {
        case_wrong(c, "%zu bytes are pulled, not %zu", at, c->want_bytes);
    }
}

static void write_out(one_case *c, upsweep_external *x)
{
    FILE *out = tmpfile();
    int number = -1;
    if (out == NULL) {
        case_wrong(c, "no temporary file");
        return;
    }
    unsigned char *got = malloc(c->want_bytes + 1);
    if (holds(c, x, upsweep_external_write(x, fileno(out), &number), "write")) {
        ssize_t bytes = pread(fileno(out), got, c->want_bytes + 1, 0);
        if (bytes != (ssize_t)c->want_bytes || memcmp(got, c->want, c->want_bytes) != 0) {
            case_wrong(c, "other records are written, %zd bytes, not %zu", bytes, c->want_bytes);
        }
    }
    free(got);
    fclose(out);
}

/* Runs a case; returns how many runs were merged before, or -1 where it differs. */
static long run(uint64_t seed, char *text, size_t room)
{
    one_case c = {.random = seed};
    upsweep_external_report report = UPSWEEP_EXTERNAL_REPORT_INIT;
    upsweep_external *x = NULL;
    choose(&c);
    c.in = malloc(c.bytes + 64);
    c.want = malloc(c.bytes + 64);
    case_fill(&c);
    c.want_bytes = case_sort_serially(&c, c.config.unique != 0, c.want);
    if (holds(&c, x, upsweep_external_open(&x, &c.config), "open")) {
        push(&c, x);
        if (c.wrong[0] == '\0' && holds(&c, x, upsweep_external_sort(x), "sort")) {
            (c.file ? write_out : pull)(&c, x);
        }
        holds(&c, x, upsweep_external_last_report(x, &report), "report");
        if (c.allocated > c.config.limit) {
            case_wrong(&c, "%zu bytes are allocated", c.allocated);
        }
        upsweep_external_close(x);
    }
    if (c.source != NULL) {
        fclose(c.source);
    }
    free(c.in);
    free(c.want);
    snprintf(text, room, "%s: %s", describe(&c), c.wrong);
    return c.wrong[0] != '\0' ? -1 : (long)report.merges;
}

int main(int count, char **words)
{
    double seconds = 10;
    uint64_t cases = UINT64_MAX, seed = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15u, done = 0;
    uint64_t merged = 0;
    bool one = false;
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? words[i + 1] : "";
        one |= strcmp(words[i], "--case") == 0;
        if (strcmp(words[i], "--seconds") == 0) {
            seconds = strtod(value, NULL);
        } else if (strcmp(words[i], "--cases") == 0) {
            cases = strtoull(value, NULL, 0);
            seconds = 1e9;
        } else if (one || strcmp(words[i], "--seed") == 0) {
            seed = strtoull(value, NULL, 0);
        } else {
            fprintf(stderr, "fuzz_external: there is no option %s\n", words[i]);
            return 2;
        }
    }
    time_t begin = time(NULL);
    for (uint64_t state = seed; done < cases && difftime(time(NULL), begin) < seconds; done++) {
        uint64_t number = one ? seed : input_random(&state);
        char text[700];
        long merges = run(number, text, sizeof text);
        if (merges < 0 || one) {
            printf("fuzz_external: --case 0x%016" PRIx64 ": %s\n", number, text);
            return merges < 0;
        }
        merged += merges > 0;
    }
    printf("fuzz_external: %" PRIu64 " cases, in %" PRIu64 " of them runs were merged before, seed "
           "0x%" PRIx64 ": none differs\n",
           done, merged, seed);
    return 0;
}

/* fuzz_external.c - sorts beyond memory beside sorts in memory: lines, records and elements under
 * limits from 4 MB on, of up to 20 times as much, in every pattern, with runs merged before.
 *
 *     fuzz_external [--seconds S] [--cases N] [--seed X] [--case X]
 *
 * Ends with 1 at the first case that differs, and says how to run it alone. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test/shared/inputs.h"
#include "upsweep.h"

enum { MB = 1 << 20, MOST = 64 * MB };
enum { LINES, RECORDS, ELEMENTS };
enum { UNIFORM, FEW, IN_ORDER, FALLING, MOSTLY_IN_ORDER, PATTERNS };

typedef struct one_case {
    uint64_t random;
    upsweep_external_config config;
    upsweep_field field;
    int kind, pattern;
    bool file;
    size_t longest, allocated, bytes; /* a line, the block that was allocated, and of the input */
    unsigned char *in, *want;
    size_t want_bytes;
    char wrong[300];
} one_case;

static uint64_t draw(one_case *c, uint64_t below)
{
    return input_random(&c->random) % below;
}

/* Small sizes often, and some of each size up to the most. */
static size_t draw_size(one_case *c, size_t least, size_t most)
{
    size_t high = least;
    for (; high < most && draw(c, 3) != 0; high *= 2) {
    }
    high = high < most ? high : most;
    return least + (size_t)draw(c, high - least + 1);
}

static void wrong(one_case *c, const char *format, ...)
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
    c->kind = draw(c, 2) == 0 ? ELEMENTS : draw(c, 2) == 0 ? LINES : RECORDS;
    c->pattern = (int)draw(c, PATTERNS);
    c->file = draw(c, 2) == 0;
    c->config.limit =
        draw(c, 4) != 0 ? 4 * MB + (size_t)draw(c, 4 * MB) : draw_size(c, 4 * MB, 48 * MB);
    c->config.threads = 1 + (unsigned)draw(c, 5);
    c->config.flags = draw(c, 3) == 0 ? UPSWEEP_DESCENDING : 0;
    c->config.unique = draw(c, 3) == 0;
    size_t most = c->config.limit * (1 + (size_t)draw(c, 20));
    most = most < MOST ? most : MOST;
    c->bytes = most - (size_t)draw(c, draw(c, 4) == 0 ? most + 1 : most / 4);
    if (draw(c, 2) == 0) {
        c->config.allocate = allocate;
        c->config.release = release;
        c->config.allocate_context = c;
    }
    if (c->kind == LINES) {
        c->config.end = draw(c, 4) == 0 ? 0 : '\n';
        c->longest = draw_size(c, 20, c->config.limit / 32);
    } else if (c->kind == RECORDS) {
        size_t bytes = draw_size(c, 12, 9000);
        c->field.offset = (size_t)draw(c, bytes);
        c->field.bytes = draw_size(c, 1, bytes - c->field.offset);
        c->config.record_bytes = bytes;
        c->config.fields = &c->field;
        c->config.field_count = 1;
        c->bytes -= c->bytes % bytes;
    } else {
        c->config.type = (upsweep_type)(UPSWEEP_U8 + draw(c, UPSWEEP_F64));
        c->bytes -= c->bytes % upsweep_type_bytes(c->config.type);
    }
}

static const char *describe(const one_case *c)
{
    static char text[300];
    static const char *const kinds[] = {"lines", "records", "elements"};
    static const char *const patterns[] = {"uniform", "few", "in order", "falling", "nearly"};
    snprintf(text, sizeof text,
             "%zu bytes of %s, %s, limit %zu, %u threads, longest %zu, record %zu, field %zu+%zu, "
             "type %s%s%s, to a %s",
             c->bytes, kinds[c->kind], patterns[c->pattern], c->config.limit, c->config.threads,
             c->longest, c->config.record_bytes, c->field.offset, c->field.bytes,
             c->kind == ELEMENTS ? upsweep_type_name(c->config.type) : "none",
             c->config.unique ? ", unique" : "", c->config.flags ? ", descending" : "",
             c->file ? "file" : "caller");
    return text;
}

/* ---- the order, and the serial sort ---- */

typedef struct record {
    const unsigned char *p;
    size_t bytes, number;
} record;

static int compare(const void *a, const void *b, void *context)
{
    record x = *(const record *)a, y = *(const record *)b;
    const one_case *c = context;
    if (c->kind == RECORDS) {
        x.p += c->field.offset, y.p += c->field.offset;
        x.bytes = y.bytes = c->field.bytes;
    }
    int order = memcmp(x.p, y.p, x.bytes < y.bytes ? x.bytes : y.bytes);
    order = order != 0 ? order : (x.bytes > y.bytes) - (x.bytes < y.bytes);
    return c->config.flags & UPSWEEP_DESCENDING ? -order : order;
}

static int compare_stably(const void *a, const void *b, void *context)
{
    const record *x = a, *y = b;
    int order = compare(a, b, context);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Cuts the input into records. */
static record *cut(const one_case *c, size_t *count)
{
    size_t fixed = c->config.record_bytes, n = 0, room = fixed != 0 ? c->bytes / fixed : 1;
    for (size_t i = 0; fixed == 0 && i < c->bytes; i++) {
        room += c->in[i] == c->config.end;
    }
    record *records = malloc((room + 1) * sizeof *records);
    for (size_t at = 0; at < c->bytes; n++) {
        const unsigned char *p = c->in + at;
        const unsigned char *end =
            fixed != 0 ? p + fixed : memchr(p, (int)c->config.end, c->bytes - at);
        records[n] = (record){p, (size_t)(end - p), n};
        at += records[n].bytes + (fixed == 0);
    }
    *count = n;
    return records;
}

/* The records one behind the other; of equal ones all, or the first. */
static size_t join(one_case *c, const record *records, size_t n, bool unique, unsigned char *to)
{
    size_t bytes = 0, end = c->kind == LINES;
    for (size_t i = 0; i < n; i++) {
        if (!unique || i == 0 || compare(&records[i - 1], &records[i], c) != 0) {
            memcpy(to + bytes, records[i].p, records[i].bytes + end);
            bytes += records[i].bytes + end;
        }
    }
    return bytes;
}

/* Elements are sorted by the call for arrays in memory, which has oracles of its own. */
static size_t sort_elements(one_case *c, bool falling, bool unique, unsigned char *to)
{
    upsweep *u = NULL;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    size_t size = upsweep_type_bytes(c->config.type), kept = c->bytes;
    o.flags = falling ? UPSWEEP_DESCENDING : 0;
    memcpy(to, c->in, c->bytes);
    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK ||
        upsweep_sort(u, to, c->bytes / size, c->config.type, &o) != UPSWEEP_OK) {
        wrong(c, "the array is not sorted in memory");
    }
    upsweep_close(u);
    for (size_t at = kept = unique && c->bytes > 0 ? size : kept; unique && at < c->bytes;
         at += size) {
        if (memcmp(to + at, to + kept - size, size) != 0) {
            memmove(to + kept, to + at, size);
            kept += size;
        }
    }
    return kept;
}

/* The input in order; of equal records all, or the first. */
static size_t sort_serially(one_case *c, bool unique, unsigned char *to)
{
    size_t n = 0, bytes;
    if (c->kind == ELEMENTS) {
        return sort_elements(c, c->config.flags != 0, unique, to);
    }
    record *records = cut(c, &n);
    qsort_r(records, n, sizeof *records, compare_stably, c);
    bytes = join(c, records, n, unique, to);
    free(records);
    return bytes;
}

/* ---- the input ---- */

static void fill_lines(one_case *c)
{
    unsigned letters = 2 + (unsigned)draw(c, 60);
    for (size_t at = 0; at < c->bytes;) {
        size_t n = (size_t)draw(c, draw(c, 8) == 0 ? c->longest + 1 : 30);
        n = n < c->longest ? n : c->longest;
        n = n < c->bytes - at ? n : c->bytes - at - 1;
        uint64_t some = input_random(&c->random);
        for (size_t i = 0; i < n; i++) {
            some = i % 8 == 7 ? input_random(&c->random) : some >> 8;
            c->in[at + i] = (unsigned char)('!' + (some & 0xff) % letters);
        }
        c->in[at + n] = (unsigned char)c->config.end;
        at += n + 1;
    }
}

static void fill(one_case *c)
{
    if (c->kind == LINES) {
        fill_lines(c);
    } else {
        input_fill_bytes(c->in, c->bytes, input_random(&c->random));
    }
    for (size_t i = 0; c->pattern == FEW && c->kind != LINES && i < c->bytes; i++) {
        c->in[i] &= 1;
    }
    if (c->pattern < IN_ORDER) {
        return;
    }
    one_case falls = *c;
    falls.config.flags ^= c->pattern == FALLING ? UPSWEEP_DESCENDING : 0;
    unsigned char *sorted = malloc(c->bytes + 64);
    sort_serially(&falls, false, sorted);
    memcpy(c->in, sorted, c->bytes);
    free(sorted);
    size_t size = c->kind == RECORDS ? c->config.record_bytes : upsweep_type_bytes(c->config.type);
    for (size_t i = 0; c->pattern == MOSTLY_IN_ORDER && i < 100 && c->bytes > 0; i++) {
        size_t at = (size_t)draw(c, c->bytes);
        if (c->kind != LINES) {
            input_fill_bytes(c->in + at / size * size, size, input_random(&c->random));
        } else if (c->in[at] != c->config.end) {
            c->in[at] = '~';
        }
    }
}

/* ---- a case ---- */

static bool holds(one_case *c, upsweep_external *x, upsweep_status status, const char *what)
{
    if (status != UPSWEEP_OK) {
        wrong(c, "%s: %s: %s", what, upsweep_status_name(status),
              x == NULL ? "" : upsweep_external_error(x));
    }
    return status == UPSWEEP_OK;
}

static void push(one_case *c, upsweep_external *x)
{
    size_t most = draw_size(c, 1, 4 * MB);
    for (size_t at = 0; at < c->bytes && c->wrong[0] == '\0';) {
        size_t step = 1 + (size_t)draw(c, most);
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
            wrong(c, "other records are pulled, from byte %zu on", at);
            return;
        }
        at += bytes;
    }
    if (at != c->want_bytes) {
        wrong(c, "%zu bytes are pulled, not %zu", at, c->want_bytes);
    }
}

static void write_out(one_case *c, upsweep_external *x)
{
    FILE *out = tmpfile();
    int number = -1;
    if (out == NULL) {
        wrong(c, "no temporary file");
        return;
    }
    unsigned char *got = malloc(c->want_bytes + 1);
    if (holds(c, x, upsweep_external_write(x, fileno(out), &number), "write")) {
        ssize_t bytes = pread(fileno(out), got, c->want_bytes + 1, 0);
        if (bytes != (ssize_t)c->want_bytes || memcmp(got, c->want, c->want_bytes) != 0) {
            wrong(c, "other records are written, %zd bytes, not %zu", bytes, c->want_bytes);
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
    fill(&c);
    c.want_bytes = sort_serially(&c, c.config.unique != 0, c.want);
    if (holds(&c, x, upsweep_external_open(&x, &c.config), "open")) {
        push(&c, x);
        if (c.wrong[0] == '\0' && holds(&c, x, upsweep_external_sort(x), "sort")) {
            (c.file ? write_out : pull)(&c, x);
        }
        holds(&c, x, upsweep_external_last_report(x, &report), "report");
        if (c.allocated > c.config.limit) {
            wrong(&c, "%zu bytes are allocated", c.allocated);
        }
        upsweep_external_close(x);
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

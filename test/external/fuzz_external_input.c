/* fuzz_external_input.c - the inputs of fuzz_external.c in their patterns, and serial sorts of
 * them. */
/* SPDX-License-Identifier: MIT */
#include "test/external/fuzz_external.h"

#include <stdlib.h>
#include <string.h>

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
    size_t fixed =
        c->kind == ELEMENTS ? upsweep_type_bytes(c->config.type) : c->config.record_bytes;
    size_t n = 0, room = fixed != 0 ? c->bytes / fixed : 1;
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
        case_wrong(c, "the array is not sorted in memory");
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
size_t case_sort_serially(one_case *c, bool unique, unsigned char *to)
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
    unsigned letters = 2 + (unsigned)case_draw(c, 60);
    for (size_t at = 0; at < c->bytes;) {
        size_t n = (size_t)case_draw(c, case_draw(c, 8) == 0 ? c->longest + 1 : 30);
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

/* Of the input, which is in order, a few runs, each of which has every few-th record; some of them
 * fall. */
static void deal(one_case *c)
{
    size_t n = 0, k = 1 + (size_t)case_draw(c, case_draw(c, 2) == 0 ? 4 : 40), at = 0,
           end = c->kind == LINES;
    record *records = cut(c, &n);
    unsigned char *to = malloc(c->bytes + 64);
    for (size_t run = 0; run < k; run++) {
        size_t count = run < n ? (n - run + k - 1) / k : 0;
        bool falls = case_draw(c, 3) == 0;
        for (size_t i = 0; i < count; i++) {
            const record *r = &records[run + (falls ? count - 1 - i : i) * k];
            memcpy(to + at, r->p, r->bytes + end);
            at += r->bytes + end;
        }
    }
    memcpy(c->in, to, at);
    free(to);
    free(records);
}

void case_fill(one_case *c)
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
    case_sort_serially(&falls, false, sorted);
    memcpy(c->in, sorted, c->bytes);
    free(sorted);
    if (c->pattern == RUNS) {
        deal(c);
    }
    size_t size = c->kind == RECORDS ? c->config.record_bytes : upsweep_type_bytes(c->config.type);
    for (size_t i = 0; c->pattern == MOSTLY_IN_ORDER && i < 100 && c->bytes > 0; i++) {
        size_t at = (size_t)case_draw(c, c->bytes);
        if (c->kind != LINES) {
            input_fill_bytes(c->in + at / size * size, size, input_random(&c->random));
        } else if (c->in[at] != c->config.end) {
            c->in[at] = '~';
        }
    }
}

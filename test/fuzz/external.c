/* external.c - sorts beyond memory of lines that are drawn, by a serial sort of the C library. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 1 << 16 };

typedef struct line {
    const char *p;
    size_t bytes;
} line;

static int compare(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void expect(fuzz *f, bool holds, const char *what)
{
    f->calls++;
    if (!holds) {
        fuzz_wrong(f, "%s", what);
    }
    f->succeeded = f->wrong[0] == '\0';
}

/* A text for the functions that give and take one. */
typedef struct given {
    fuzz *f;
    const char *text;
    size_t size, at;
} given;

static upsweep_status give_piece(void *context, const void **piece, size_t *bytes)
{
    given *g = context;
    size_t step = (size_t)fuzz_draw(g->f, 5000), left = g->size - g->at;
    *piece = left == 0 ? NULL : g->text + g->at;
    *bytes = step < left ? step : left;
    g->at += *bytes;
    return UPSWEEP_OK;
}

static upsweep_status take_piece(void *context, const void *records, size_t bytes)
{
    given *g = context;
    bool same =
        bytes > 0 && bytes <= g->size - g->at && memcmp(records, g->text + g->at, bytes) == 0;
    g->at += same ? bytes : 0;
    return same ? UPSWEEP_OK : UPSWEEP_STOPPED;
}

/* Some pieces are pushed, and others put into the room. */
static void push(fuzz *f, upsweep_external *x, const char *text, size_t size)
{
    if (fuzz_draw(f, 3) == 0) {
        given g = {f, text, size, 0};
        expect(f, upsweep_external_push_from(x, give_piece, &g) == UPSWEEP_OK, "not taken");
        return;
    }
    for (size_t at = 0; at < size;) {
        size_t step = 1 + (size_t)fuzz_draw(f, 5000), room = 0;
        void *to = NULL;
        step = step < size - at ? step : size - at;
        if (fuzz_draw(f, 2) == 0) {
            expect(f, upsweep_external_push(x, text + at, step) == UPSWEEP_OK, "no push");
        } else {
            expect(f, upsweep_external_room(x, &to, &room) == UPSWEEP_OK && room > 0, "no room");
            step = step < room ? step : room;
            memcpy(to, text + at, step);
            expect(f, upsweep_external_pushed(x, step) == UPSWEEP_OK, "the room is not taken");
        }
        at += step;
    }
}

static void take(fuzz *f, upsweep_external *x, const char *want, size_t size)
{
    const void *records = NULL;
    size_t bytes = 0, at = 0;
    char *got = malloc(size + 1);
    uint64_t way = fuzz_draw(f, 3);
    if (way == 2) {
        given g = {f, want, size, 0};
        expect(f, upsweep_external_pull_to(x, take_piece, &g) == UPSWEEP_OK, "not given");
        expect(f, g.at == size, "not all are given");
    } else if (way == 0) {
        do {
            expect(f, upsweep_external_pull(x, &records, &bytes) == UPSWEEP_OK, "no pull");
            bool same = bytes == 0 || /* then records may be NULL */
                        (bytes <= size - at && memcmp(records, want + at, bytes) == 0);
            expect(f, same, "other lines");
            at += bytes;
        } while (bytes > 0 && f->wrong[0] == '\0');
        expect(f, at == size, "there are more lines, or fewer");
    } else {
        FILE *out = tmpfile();
        int number = -1;
        expect(f, upsweep_external_write(x, fileno(out), &number) == UPSWEEP_OK && number == 0,
               "they are not written");
        expect(f, pread(fileno(out), got, size + 1, 0) == (ssize_t)size, "not as many bytes");
        expect(f, memcmp(got, want, size) == 0, "other lines are written");
        fclose(out);
    }
    free(got);
}

static void run_external(fuzz *f)
{
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    upsweep_external_report report = UPSWEEP_EXTERNAL_REPORT_INIT;
    upsweep_external *x = NULL;
    size_t size = (size_t)fuzz_draw(f, MOST), n = 0, kept = 0;
    char *text = calloc(size + 1, 1), *want = malloc(size + 1);
    line *lines = malloc((size + 1) * sizeof *lines);
    for (size_t i = 0; i + 1 < size; i++) {
        text[i] = (char)(fuzz_draw(f, 12) == 0 ? 0 : 'a' + fuzz_draw(f, 3));
    }
    for (size_t at = 0; at < size; at += lines[n++].bytes + 1) {
        lines[n] = (line){text + at, strlen(text + at)};
    }
    qsort(lines, n, sizeof *lines, compare);
    config.unique = fuzz_draw(f, 2);
    config.threads = 1 + (unsigned)fuzz_draw(f, 4);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || config.unique == 0 || compare(&lines[i - 1], &lines[i]) != 0) {
            memcpy(want + kept, lines[i].p, lines[i].bytes + 1);
            kept += lines[i].bytes + 1;
        }
    }
    expect(f, upsweep_external_open(&x, &config) == UPSWEEP_OK, "it does not open");
    expect(f, upsweep_external_source(x, -1, 0) == UPSWEEP_OK, "of no file");
    push(f, x, text, size);
    expect(f, upsweep_external_sort(x) == UPSWEEP_OK, upsweep_external_error(x));
    take(f, x, want, kept);
    expect(f, upsweep_external_last_report(x, &report) == UPSWEEP_OK && report.bytes == size,
           "the report has other bytes");
    upsweep_external_close(x);
    free(lines);
    free(want);
    free(text);
}

const fuzz_call fuzz_externals[] = {{"upsweep_external_sort", 1, run_external, true}, {0}};

/* sort_text_keys.c - makes the 64-bit keys.
 *
 * Bytes: seven of them, most significant first, and in the last byte how many the line still had,
 * 255 standing for more than seven. So a line that is the beginning of another comes first, NUL
 * bytes are like any other, and equal keys whose last byte is not 255 belong to equal texts.
 * Numbers: as number.h says. A descending key is the complement. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"
#include "app/sort/sort_text.h"

#include "io/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_CHUNKS = 64, SAMPLE_LINES = 64, SLICE_ITEMS = 1 << 14 };

static inline uint64_t bytes_key(const unsigned char *p, const unsigned char *end, size_t depth)
{
    size_t all = (size_t)(end - p), rest = all > depth ? all - depth : 0;
    uint64_t word = 0;
    if (rest > 0) {
        memcpy(&word, p + depth, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        word = __builtin_bswap64(word);
#endif
    }
    return rest > 7 ? word | 0xff : (word & ~(~UINT64_C(0) >> (8 * rest))) | rest;
}

/* With bytes that do not count, or case that does not. */
static uint64_t some_bytes_key(const sort_order *order, const sort_key *key, sort_text text,
                               size_t depth)
{
    unsigned char seven[8 + IO_SLACK] = {0};
    size_t count = 0;
    for (; text.p < text.end && count < 8; text.p++) {
        unsigned char c = *text.p;
        if (key->ignore != NULL && key->ignore[c]) {
            continue;
        }
        if (depth > 0) {
            depth--;
            continue;
        }
        seven[count++] = key->fold ? order->locale->upper[c] : c;
    }
    return bytes_key(seven, seven + count, 0);
}

uint64_t sort_stage_key(const sort_job *job, sort_stage stage, sort_text line, unsigned *bits)
{
    const sort_key *key = &job->order->keys[stage.key];
    sort_text text = sort_field(job->order, key, line);
    uint64_t made;
    if (key->kind >= SORT_HUMAN) {
        made = sort_kind_key(job, stage, text, bits);
    } else if (key->kind != SORT_BYTES) {
        const unsigned char *stop;
        sort_room room;
        text = sort_number_text(job->order, key, text, &room);
        made = io_number_key(&job->plans[stage.key], text.p, text.end, &stop, bits);
        *bits |= IO_NUMBER_ODD; /* there is more to the line than this number */
        sort_room_give(&room);
    } else if (key->fold || key->ignore != NULL) {
        made = some_bytes_key(job->order, key, text, stage.depth);
    } else {
        made = bytes_key(text.p, text.end, stage.depth);
    }
    return key->reverse ? ~made : made;
}

static const unsigned char *line_end(const sort_job *job, const unsigned char *p)
{
    return memchr(p, job->order->end, (size_t)(job->in.bytes + job->in.size - p));
}

static int make_plan(sort_job *job, size_t k)
{
    const sort_key *key = &job->order->keys[k];
    io_number_plan *plan = &job->plans[k];
    io_number_sample sample = {0};
    plan->general = key->kind == SORT_GENERAL;
    plan->newline = job->order->end == '\0';
    size_t chunks = job->lines.chunks;
    size_t step = chunks > SAMPLE_CHUNKS ? chunks / SAMPLE_CHUNKS : 1;
    for (size_t c = 0; c < chunks; c += step) {
        size_t limit, at = io_lines_chunk(&job->lines, c, &limit);
        for (int i = 0; i < SAMPLE_LINES && at < limit; i++) {
            const unsigned char *p = job->in.bytes + at, *end = line_end(job, p);
            sort_text text = sort_field(job->order, key, (sort_text){p, end});
            sort_room room;
            text = sort_number_text(job->order, key, text, &room);
            io_number_look(&sample, plan, text.p, text.end);
            sort_room_give(&room);
            at += (size_t)(end - p) + 1;
        }
    }
    io_number_decide(plan, &sample);
    if (plan->general && !job->order->locale->point) {
        plan->form = IO_DOUBLE; /* strtold knows the locale's point */
    }
    return APP_OK;
}

int sort_make_plans(sort_job *job)
{
    job->plans = calloc(job->order->count, sizeof *job->plans);
    if (job->plans == NULL) {
        return app_fail("out of memory");
    }
    for (size_t k = 0; k < job->order->count; k++) {
        if (sort_is_number(&job->order->keys[k])) {
            make_plan(job, k);
        }
    }
    return APP_OK;
}

typedef struct making {
    sort_job *job;
    atomic_uint bits;
} making;

/* The lines of a chunk, one case a loop, since this is where a text is read for the first time. */
static unsigned bytes_chunk(sort_job *job, size_t i, size_t at, size_t limit)
{
    const unsigned char *bytes = job->in.bytes;
    uint64_t flip = job->order->keys[0].reverse ? UINT64_MAX : 0;
    for (; at < limit; i++) {
        const unsigned char *p = bytes + at, *end = line_end(job, p);
        job->keys[i] = bytes_key(p, end, 0) ^ flip;
        job->items[i] = sort_item(at, (size_t)(end - p));
        at += (size_t)(end - p) + 1;
    }
    return 0;
}

/* A number mostly ends where its line ends, which is then found in passing. */
static unsigned number_chunk(sort_job *job, size_t i, size_t at, size_t limit)
{
    const unsigned char *bytes = job->in.bytes, *all_end = bytes + job->in.size;
    uint64_t flip = job->order->keys[0].reverse ? UINT64_MAX : 0;
    io_number_plan plan = job->plans[0];
    unsigned bits = 0;
    for (; at < limit; i++) {
        const unsigned char *p = bytes + at, *stop;
        job->keys[i] = io_number_key(&plan, p, all_end, &stop, &bits) ^ flip;
        if (*stop != job->order->end) {
            stop = line_end(job, stop);
            bits |= IO_NUMBER_ODD;
        }
        job->items[i] = sort_item(at, (size_t)(stop - p));
        at += (size_t)(stop - p) + 1;
    }
    return bits;
}

static unsigned any_chunk(sort_job *job, size_t i, size_t at, size_t limit)
{
    unsigned bits = 0;
    for (; at < limit; i++) {
        const unsigned char *p = job->in.bytes + at, *end = line_end(job, p);
        job->keys[i] = sort_stage_key(job, (sort_stage){0, 0}, (sort_text){p, end}, &bits);
        job->items[i] = sort_item(at, (size_t)(end - p));
        at += (size_t)(end - p) + 1;
    }
    return bits;
}

static void make_chunk(void *context, size_t chunk, unsigned lane)
{
    making *m = context;
    sort_job *job = m->job;
    const sort_key *key = &job->order->keys[0];
    size_t limit, at = io_lines_chunk(&job->lines, chunk, &limit);
    size_t first = job->lines.first[chunk];
    unsigned bits;
    bool plain = key->kind != SORT_PLAIN || job->order->locale->plain;
    if (!key->whole || key->fold || key->ignore != NULL || key->kind >= SORT_HUMAN || !plain) {
        bits = any_chunk(job, first, at, limit);
    } else if (key->kind == SORT_BYTES) {
        bits = bytes_chunk(job, first, at, limit);
    } else {
        bits = number_chunk(job, first, at, limit);
    }
    atomic_fetch_or_explicit(&m->bits, bits, memory_order_relaxed);
    sort_progress(job, lane, chunk, job->lines.chunks);
}

void sort_make_keys(sort_job *job)
{
    making m = {.job = job};
    io_parallel(job->threads, job->lines.chunks, make_chunk, &m);
    job->bits = atomic_load(&m.bits);
    if (job->bits & IO_NUMBER_LONG) {
        job->plans[0].form = IO_DOUBLE;
        atomic_store(&m.bits, 0);
        io_parallel(job->threads, job->lines.chunks, make_chunk, &m);
        job->bits = atomic_load(&m.bits) & ~(unsigned)IO_NUMBER_LONG;
    }
}

typedef struct remaking {
    sort_job *job;
    sort_stage stage;
    size_t begin, end;
    atomic_uint bits;
} remaking;

static void remake_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    remaking *r = context;
    size_t from = r->begin + slice * SLICE_ITEMS;
    size_t to = r->end - from > SLICE_ITEMS ? from + SLICE_ITEMS : r->end;
    unsigned bits = 0;
    for (size_t i = from; i < to; i++) {
        if (i + 16 < to) {
            __builtin_prefetch(r->job->in.bytes + (r->job->items[i + 16] >> 24) + r->stage.depth);
        }
        sort_text line = sort_line(r->job, r->job->items[i]);
        r->job->keys[i] = sort_stage_key(r->job, r->stage, line, &bits);
    }
    atomic_fetch_or_explicit(&r->bits, bits, memory_order_relaxed);
}

unsigned sort_remake_keys(sort_job *job, sort_stage stage, size_t begin, size_t end)
{
    remaking r = {.job = job, .stage = stage, .begin = begin, .end = end};
    io_parallel(job->threads, (end - begin + SLICE_ITEMS - 1) / SLICE_ITEMS, remake_slice, &r);
    return atomic_load(&r.bits);
}

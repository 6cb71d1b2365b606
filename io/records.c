/* records.c - lines of ids and numbers by several threads.
 *
 * The lines of the text are counted first, which tells every chunk of it where its records go if
 * every line is one; so one pass reads them. Where comments and empty lines have left gaps, the
 * records behind them move down at the end. */
/* SPDX-License-Identifier: MIT */
#include "io/records.h"

#include "io/lines.h"
#include "io/memory.h"
#include "io/parallel.h"
#include "io/record_line.h"

#include <stdlib.h>

typedef struct chunk {
    size_t count; /* records */
    size_t ids;
    io_fault fault;
} chunk;

typedef struct job {
    const io_record_rules *rules;
    io_records *out;
    const unsigned char *origin; /* of the text: names are told by how far from it they are */
    io_lines lines;
    chunk *chunks;
    bool widen;
    atomic_size_t stop; /* chunks from here on need not be read: one before them has a fault */
    atomic_size_t done;
    io_progress *progress;
} job;

static void read_chunk(void *context, size_t task, unsigned lane)
{
    (void)lane;
    job *j = context;
    chunk *c = &j->chunks[task];
    if (task > atomic_load_explicit(&j->stop, memory_order_relaxed)) {
        return;
    }
    io_line_reader reader = {.rules = j->rules, .widen = j->widen, .origin = j->origin};
    memcpy(reader.column, j->out->column, sizeof reader.column);
    memcpy(reader.type, j->out->type, sizeof reader.type);
    size_t limit, at = io_lines_chunk(&j->lines, task, &limit), first = j->lines.first[task];
    const unsigned char *p = j->lines.bytes + at, *end = j->lines.bytes + limit;
    while (p < end) {
        c->count += io_record_quick(&reader, &p, end, first + c->count);
        if (p >= end) {
            break;
        }
        io_verdict verdict = io_record_line(&reader, &p, first + c->count, &c->fault);
        c->count += verdict == IO_LINE_GOOD;
        if (verdict > IO_LINE_SKIP) {
            size_t stop = atomic_load(&j->stop);
            while (task < stop && !atomic_compare_exchange_weak(&j->stop, &stop, task)) {
            }
            break;
        }
    }
    c->ids = reader.ids;
    size_t done = atomic_fetch_add(&j->done, 1) + 1;
    io_progress_step(j->progress, done, j->lines.chunks);
}

static size_t element(const io_records *r, size_t field)
{
    return upsweep_type_bytes(r->type[field]);
}

static bool take_columns(job *j, size_t count, io_error *error)
{
    io_records *r = j->out;
    for (size_t f = 0; f < j->rules->fields; f++) {
        io_memory_give(r->column[f], r->held[f]);
        r->held[f] = count * element(r, f); /* a line has a byte at least: this fits */
        r->column[f] = io_memory_take(r->held[f]);
        if (r->column[f] == NULL) {
            return io_because(error, "%s: no memory for %zu lines", j->rules->name, count);
        }
    }
    return true;
}

/* Closes the gaps between the records of one chunk and the next. */
static void close_gaps(job *j)
{
    io_records *r = j->out;
    for (size_t c = 0; c < j->lines.chunks; c++) {
        size_t first = j->lines.first[c], count = j->chunks[c].count;
        for (size_t f = 0; f < j->rules->fields && first != r->count; f++) {
            size_t bytes = element(r, f);
            char *column = r->column[f];
            memmove(column + r->count * bytes, column + first * bytes, count * bytes);
        }
        r->count += count;
        r->ids = j->chunks[c].ids > r->ids ? j->chunks[c].ids : r->ids;
    }
}

/* One pass with the types as they are. */
static bool pass(job *j, unsigned threads, io_fault *fault, io_error *error)
{
    *fault = (io_fault){.verdict = IO_LINE_GOOD};
    memset(j->chunks, 0, (j->lines.chunks + 1) * sizeof *j->chunks);
    atomic_store(&j->stop, j->lines.chunks);
    atomic_store(&j->done, 0);
    if (!take_columns(j, j->lines.count, error)) {
        return false;
    }
    io_parallel(threads, j->lines.chunks, read_chunk, j);
    size_t stop = atomic_load(&j->stop);
    if (stop < j->lines.chunks) {
        *fault = j->chunks[stop].fault;
    }
    return true;
}

static void widen_ids(io_records *r, const io_record_rules *rules)
{
    for (size_t f = 0; f < rules->fields; f++) {
        r->type[f] = rules->field[f].kind == IO_FIELD_ID ? UPSWEEP_U64 : r->type[f];
    }
}

/* Passes with ever wider types, as long as a weight asks for one. */
static bool passes(job *j, size_t lines_before, unsigned threads, io_error *error)
{
    io_records *r = j->out;
    for (;;) {
        io_fault fault;
        if (!pass(j, threads, &fault, error)) {
            return false;
        }
        if (fault.verdict == IO_LINE_GOOD) {
            close_gaps(j);
            return true;
        }
        upsweep_type *type = &r->type[fault.field];
        if (fault.verdict == IO_LINE_WIDER) {
            *type = UPSWEEP_U64;
        } else if (fault.verdict == IO_LINE_ID_WIDE) {
            widen_ids(r, j->rules);
        } else if (fault.verdict == IO_LINE_REAL) {
            *type = UPSWEEP_F64;
        } else {
            size_t at = (size_t)(fault.line - j->lines.bytes);
            return io_record_why(j->rules, &fault, *type,
                                 lines_before + io_lines_number(&j->lines, at) + 1, error);
        }
    }
}

bool io_records_read(io_records *r, const io_record_rules *rules, const io_input *in, size_t from,
                     size_t lines_before, unsigned threads, io_progress *progress, io_error *error)
{
    *r = (io_records){0};
    job j = {.rules = rules, .out = r, .origin = in->bytes, .progress = progress};
    for (size_t f = 0; f < rules->fields; f++) {
        const io_field *field = &rules->field[f];
        j.widen |= field->kind == IO_FIELD_WEIGHT && field->type == 0;
        bool weight = field->kind == IO_FIELD_WEIGHT;
        r->type[f] = field->kind == IO_FIELD_PLACE  ? UPSWEEP_F64
                     : field->kind == IO_FIELD_NAME ? UPSWEEP_U64
                     : weight && field->type != 0   ? field->type
                     : weight && rules->negative    ? UPSWEEP_I64
                                                    : UPSWEEP_U32;
    }
    if (io_lines_find(&j.lines, in->bytes + from, in->size - from, '\n', threads) != 0) {
        return io_because(error, "%s: no memory to find its lines", rules->name);
    }
    j.chunks = calloc(j.lines.chunks + 1, sizeof *j.chunks);
    bool ok = j.chunks != NULL;
    if (!ok) {
        io_because(error, "%s: no memory to read its lines", rules->name);
    } else {
        if (progress != NULL) {
            io_progress_begin(progress, "reading");
        }
        ok = passes(&j, lines_before, threads, error);
        r->lines = j.lines.count;
        io_progress_end(progress);
    }
    free(j.chunks);
    io_lines_free(&j.lines);
    return ok;
}

void io_records_free(io_records *r)
{
    for (size_t f = 0; f < IO_FIELDS_MAX; f++) {
        io_memory_give(r->column[f], r->held[f]);
    }
    *r = (io_records){0};
}

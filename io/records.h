/* records.h - lines of ids and numbers, such as the arcs of a graph, read into one array a field by
 * several threads: `a 3 7 120` of DIMACS files, `3 7 0.5` of Matrix Market, `x,3,y,7` of a table.
 *
 * Every line is checked: a line that is none of these is told by its number and what is wrong with
 * it, the first of the file if there are several, whatever the threads. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_RECORDS_H
#define IO_RECORDS_H

#include <stdint.h>

#include "io/input.h"
#include "io/progress.h"
#include "upsweep.h"
#include "io/why.h"

typedef enum io_field_kind {
    IO_FIELD_ID = 1, /* base .. base + vertices - 1; the array has u32, counted from 0 */
    IO_FIELD_WEIGHT, /* not negative unless the rules say so; of the field's type */
    IO_FIELD_PLACE,  /* any finite number, f64 */
    IO_FIELD_NAME    /* any text but the empty one; the array has where its cell begins, u64 */
} io_field_kind;

typedef struct io_field {
    io_field_kind kind;
    unsigned column;   /* from 0; fields come in ascending order of their columns */
    upsweep_type type; /* of weights: u32, u64, f32, f64; 0: the first of u32, u64 and f64 that has
                          all of them, none that is whole being rounded. Where they may be negative:
                          i64, f32, f64, and the first of i64 and f64 */
} io_field;

enum { IO_FIELDS_MAX = 3, IO_COLUMNS_MAX = 1024 };

typedef struct io_record_rules {
    const char *name;     /* of the file */
    const char *comments; /* lines that begin with one of these are skipped, as empty ones are */
    char mark;            /* lines of records begin with this word of one letter; 0: with none */
    char delimiter;       /* between columns; 0: blanks, any number of them */
    bool loose;           /* more columns may follow */
    size_t cells_least, cells_most; /* how many cells a line has; those that are empty at its end
                                       may be more. 0: that is not asked */
    size_t first_line;              /* the number of the line that has shown this */
    bool any_ids;      /* where ids are greater than `vertices` allows, all are read as u64 */
    bool whole;        /* weights of type 0 are whole numbers, never f64 */
    bool negative;     /* weights may be negative */
    uint64_t base;     /* the least id, 0 or 1 */
    uint64_t vertices; /* how many ids there are; IO_VERTICES_MAX when that is to be found */
    io_field field[IO_FIELDS_MAX];
    size_t fields;
} io_record_rules;

static const uint64_t IO_VERTICES_MAX = UINT32_MAX - 1;

typedef struct io_records {
    size_t count;
    size_t lines;                /* that were read, those that are no records as well */
    void *column[IO_FIELDS_MAX]; /* each from io_memory_take */
    size_t held[IO_FIELDS_MAX];
    upsweep_type type[IO_FIELDS_MAX]; /* u32 or u64 for ids, f64 for places */
    size_t ids; /* the greatest id and 1, counted from 0; 0 if there are none */
} io_records;

/* Reads the lines of in from offset `from`, before which there are lines_before lines. The text
 * ends with a newline or is empty. *r can be freed in any case. */
bool io_records_read(io_records *r, const io_record_rules *rules, const io_input *in, size_t from,
                     size_t lines_before, unsigned threads, io_progress *progress, io_error *error);
void io_records_free(io_records *r);

#endif

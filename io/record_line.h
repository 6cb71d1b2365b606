/* record_line.h - one line of ids and numbers: its fields go to their arrays, or a verdict tells
 * what is wrong with it. For records.c, which runs it over whole texts, and record_why.c, which
 * puts the verdict in words. */
#ifndef IO_RECORD_LINE_H
#define IO_RECORD_LINE_H

#include "records.h"

typedef enum io_verdict {
    IO_LINE_GOOD = 0,
    IO_LINE_SKIP,    /* empty, or a comment */
    IO_LINE_ODD,     /* does not begin with the mark */
    IO_LINE_SHORT,   /* ends before the field */
    IO_LINE_LONG,    /* something follows the last field */
    IO_LINE_NO_ID,   /* the field is no whole number */
    IO_LINE_ID_LOW,  /* below the base */
    IO_LINE_ID_HIGH, /* above the number of vertices */
    IO_LINE_NO_NUMBER,
    IO_LINE_NEGATIVE,
    IO_LINE_RANGE,    /* the type has no such number */
    IO_LINE_FRACTION, /* no whole number, and the type has only these */
    IO_LINE_WIDER,    /* 0-typed weights: u32 will not do, u64 may */
    IO_LINE_REAL      /* 0-typed weights: only f64 will do */
} io_verdict;

typedef struct io_fault {
    io_verdict verdict; /* GOOD: none */
    unsigned field;
    const unsigned char *line, *at;
} io_fault;

/* What a thread reads lines with. */
typedef struct io_line_reader {
    const io_record_rules *rules;
    void *column[IO_FIELDS_MAX];
    upsweep_type type[IO_FIELDS_MAX];
    bool widen; /* weights that the type lacks are WIDER or REAL, not an error */
    size_t ids; /* the greatest id seen and 1 */
} io_line_reader;

/* Reads the line at *p as record i and moves *p behind its newline. fault is filled in if the
 * verdict is neither GOOD nor SKIP. */
io_verdict io_record_line(io_line_reader *reader, const unsigned char **p, size_t i,
                          io_fault *fault);

/* Columns 0, 1, 2 parted by blanks, as all formats but tables have them. */
static inline bool io_record_is_plain(const io_record_rules *rules)
{
    return rules->delimiter == 0 && rules->field[rules->fields - 1].column == rules->fields - 1;
}

/* record_quick.c: reads lines of the simplest form, numbers of at most eight digits parted by
 * one blank each, as records i, i + 1 ... and stops before the first line that is any other, or
 * at end. Returns how many there were. */
size_t io_record_quick(io_line_reader *reader, const unsigned char **p, const unsigned char *end,
                       size_t i);

/* Says what a fault is, with the number of its line; returns false. */
bool io_record_why(const io_record_rules *rules, const io_fault *fault, upsweep_type type,
                   size_t line, io_error *error);

#endif

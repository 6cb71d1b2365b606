/* record_line.h - one line of ids and numbers: its fields go to their arrays, or a verdict tells
 * what is wrong with it. For records.c, which runs it over whole texts, and record_why.c, which
 * puts the verdict in words. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_RECORD_LINE_H
#define IO_RECORD_LINE_H

#include "io/records.h"

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
    IO_LINE_CELLS,    /* too few cells, or too many */
    IO_LINE_OPEN,     /* a quote is not closed */
    IO_LINE_ZERO,     /* a name has a zero byte */
    IO_LINE_ROUNDED,  /* 0-typed weights: a whole number that f64, which others ask for, lacks */
    IO_LINE_WIDER,    /* 0-typed weights: u32 will not do, u64 may */
    IO_LINE_ID_WIDE,  /* any ids: u32 will not do */
    IO_LINE_REAL      /* 0-typed weights: only f64 will do */
} io_verdict;

typedef struct io_fault {
    io_verdict verdict; /* GOOD: none */
    unsigned field;
    const unsigned char *line, *at;
    size_t cells; /* of the line, for CELLS */
} io_fault;

/* What a thread reads lines with. */
typedef struct io_line_reader {
    const io_record_rules *rules;
    void *column[IO_FIELDS_MAX];
    upsweep_type type[IO_FIELDS_MAX];
    bool widen; /* weights that the type lacks are WIDER or REAL, not an error */
    size_t ids; /* the greatest id seen and 1 */
    const unsigned char *origin;
    const unsigned char *stop; /* the end of the line, or NULL while nobody has asked */
    size_t cells;              /* of a line whose verdict was CELLS */
} io_line_reader;

/* Reads the line at *p as record i and moves *p behind its newline. fault is filled in if the
 * verdict is neither GOOD nor SKIP. */
io_verdict io_record_line(io_line_reader *reader, const unsigned char **p, size_t i,
                          io_fault *fault);

/* Columns 0, 1, 2 and no others, parted by blanks, as all formats but tables have them. */
static inline bool io_record_is_plain(const io_record_rules *rules)
{
    return rules->delimiter == 0 && rules->field[rules->fields - 1].column == rules->fields - 1 &&
           rules->cells_most <= rules->fields && rules->field[0].kind != IO_FIELD_NAME &&
           rules->field[1].kind != IO_FIELD_NAME;
}

/* A number ends where its cell does. */
static inline bool io_record_ends(const io_record_rules *rules, const unsigned char *p)
{
    return *p == ' ' || *p == '\t' || *p == '\n' || (*p == '\r' && p[1] == '\n') ||
           (rules->delimiter != 0 && *p == (unsigned char)rules->delimiter) || *p == '"';
}

/* Digits at *p, at most 19 of them, which always fit; false if there are none or more. */
static inline bool io_record_digits(const unsigned char **p, uint64_t *value)
{
    const unsigned char *q = *p;
    uint64_t v = 0;
    while ((unsigned)*q - '0' < 10) {
        v = v * 10 + (*q++ - '0');
    }
    bool good = q > *p && q - *p <= 19;
    *p = q;
    *value = v;
    return good;
}

/* record_weight.c: reads the weight at *p as record i, or any other number that is no id. */
io_verdict io_record_weight(io_line_reader *reader, const unsigned char **p, size_t i,
                            unsigned field);
io_verdict io_record_real(io_line_reader *reader, const unsigned char **p, size_t i,
                          unsigned field);

/* record_quick.c: reads lines of the simplest form, numbers of at most eight digits parted by
 * one blank each, as records i, i + 1 ... and stops before the first line that is any other, or
 * at end. Returns how many there were. */
size_t io_record_quick(io_line_reader *reader, const unsigned char **p, const unsigned char *end,
                       size_t i);

/* Says what a fault is, with the number of its line; returns false. */
bool io_record_why(const io_record_rules *rules, const io_fault *fault, upsweep_type type,
                   size_t line, io_error *error);

#endif

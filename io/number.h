/* number.h - numbers written as text: compared exactly, and as 64-bit keys for sorting.
 *
 * Two grammars. Plain is that of sort -n: blanks, "-", digits with at most one ".", no exponent;
 * text that has no digits counts as 0; numbers are compared exactly however long they are. General
 * is that of strtold (sort -g): exponents, hexadecimal, infinities and NaN; text that is no number
 * comes first, then NaN, then the numbers, compared as long double.
 *
 * A key is an unsigned number whose order agrees with that of the numbers, as far as it goes: of
 * two numbers with different keys the one with the lesser key is less. Equal keys decide only if
 * the key is exact; else io_plain_compare or io_general_compare must. A plan, made from a sample of
 * the text, says how digits become keys:
 *   FIXED   value * 10^scale as a signed integer: exact for the integers of 64 bits, and for
 *           decimals such as prices
 *   FLOAT   the sign, the decimal exponent, and the first 17 (16, 14) digits
 *   DOUBLE  the long double rounded to double, for general numbers of more than 18 digits, which
 *           only strtold can compare as sort(1) does
 * Numbers outside the range that the sample has shown get the first or last key, which is no error:
 * the comparison behind the key puts them right. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_NUMBER_H
#define IO_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum io_number_form { IO_FIXED, IO_FLOAT, IO_DOUBLE } io_number_form;

typedef struct io_number_plan {
    io_number_form form;
    bool general;       /* the grammar */
    bool newline;       /* a newline is a blank (in texts whose lines end in NUL) */
    int scale;          /* FIXED: digits behind the point that the key has */
    int digits;         /* FLOAT: digits that the key has */
    int least;          /* FLOAT: the least decimal exponent that the key has */
    uint64_t exponents; /* FLOAT: how many */
} io_number_plan;

/* What the sample has shown. */
typedef struct io_number_sample {
    bool any;
    int least, greatest; /* decimal exponents: number of digits before the point, if positive */
    int fraction;        /* most digits behind the point */
} io_number_sample;

/* Bits told by io_number_key; or-ed over many keys they tell what holds for all. */
enum {
    IO_NUMBER_ODD = 1 << 0,  /* the same number could be written in another way with this key */
    IO_NUMBER_CUT = 1 << 1,  /* the key lacks digits: equal keys do not decide */
    IO_NUMBER_LONG = 1 << 2, /* general, and only a plan of form DOUBLE will do */
    IO_NUMBER_NONE = 1 << 3  /* no number */
};

/* All texts are [p, end), and IO_SLACK (input.h) bytes behind `end` must be readable. */
void io_number_look(io_number_sample *sample, const io_number_plan *plan, const unsigned char *p,
                    const unsigned char *end);
/* Sets the plan's form; general and newline are set by the caller before the first look. */
void io_number_decide(io_number_plan *plan, const io_number_sample *sample);

/* The key of the number that begins at p; *stop gets where it ends, which is p's first blank or
 * byte where there is none. */
uint64_t io_number_key(const io_number_plan *plan, const unsigned char *p, const unsigned char *end,
                       const unsigned char **stop, unsigned *bits);

/* Whether equal keys of this value decide, if no key was IO_NUMBER_CUT. */
bool io_number_key_exact(const io_number_plan *plan, uint64_t key);

/* The number of a key, as it was written, where the plan is FIXED, the key exact, and no bit was
 * told with it. Returns where the text ends; up to IO_NUMBER_ROOM bytes of `to` are written. */
enum { IO_NUMBER_ROOM = 48 };
unsigned char *io_number_text(const io_number_plan *plan, uint64_t key, unsigned char *to);

/* < 0, 0, > 0. */
int io_plain_compare(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                     const unsigned char *b_end, bool newline);
int io_general_compare(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                       const unsigned char *b_end);
/* The same as strtold for most numbers that people write, or false: digits and power of ten are
 * exact, so that what they make is rounded once, as strtold rounds. Points are decimal points. */
bool io_general_quick(const unsigned char *p, const unsigned char *end, const unsigned char **stop,
                      long double *value);
/* strtold of [p, end), which need not be followed by a NUL. *stop = p: no number. */
long double io_general_value(const unsigned char *p, const unsigned char *end,
                             const unsigned char **stop);

/* From now on general numbers are read with the decimal point of this locale, which must stay open.
 * To be called before there are threads. */
void io_general_locale(locale_t locale);

/* Strict readers: all of text must be one number. NULL, or the end of a sentence that begins with
 * the text: "is no whole number", "does not fit into 64 bits", ... */
const char *io_read_u64(const char *text, size_t bytes, uint64_t *value);
const char *io_read_i64(const char *text, size_t bytes, int64_t *value);
const char *io_read_f64(const char *text, size_t bytes, double *value);

#endif

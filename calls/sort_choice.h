/* sort_choice.h - which method sorts what: the questions that the calls of sorts ask of the table
 * in sort_choice.c, and the automatic sort of keys. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_SORT_CHOICE_H
#define USW_CALLS_SORT_CHOICE_H

#include "cpu/cpu.h"

typedef enum usw_sorted {
    USW_KEYS,      /* keys alone */
    USW_PAIRS,     /* keys with values or positions: sort_pairs, argsort */
    USW_ROW,       /* one row of many */
    USW_RECORDS,   /* records by fields */
    USW_BY_COMPARE /* elements by a caller's function */
} usw_sorted;

/* What the choice depends on beside the number of elements and the width of a key. */
enum {
    USW_IF_BITS = 1,        /* a range of bits is sorted by */
    USW_IF_IN_PLACE = 2,    /* UPSWEEP_IN_PLACE */
    USW_IF_NO_COPY = 4,     /* in place, and a copy of the keys is too much */
    USW_IF_CROWDED = 8,     /* floats crowd about zero, and vectors are there to compare them */
    USW_IF_FREQUENT = 16,   /* a sample shows keys that are often equal */
    USW_IF_NO_SCRATCH = 32, /* the scratch that another method needs was refused */
    USW_IF_LONG_KEYS = 64   /* the fields of a record are more than one packed key holds */
};

typedef struct usw_sort_case {
    upsweep *u; /* keeps the last choice for keys of each width */
    usw_sorted what;
    size_t n;
    unsigned width; /* index of the key's width, 0 .. 3 */
    unsigned facts; /* bits USW_IF_... */
} usw_sort_case;

typedef enum usw_sort_method {
    USW_BY_PATTERN,    /* keys that need no sort (cpu/patterns/) */
    USW_BY_FORM,       /* the form of the row that is named */
    USW_BY_DIGITS,     /* counting digits */
    USW_BY_VALUES,     /* counting each value of 8 or 16 bits */
    USW_BY_QUICKSORT,  /* of one thread, in its cache */
    USW_BY_PARTITION,  /* in place, around pivots, by all threads; then quicksort */
    USW_BY_BUCKETS,    /* one pass to buckets that fit the cache; then quicksort */
    USW_BY_TAGS,       /* the same with values: words of key and place (cpu/pair_sort/) */
    USW_BY_MERGES,     /* a stable merge sort */
    USW_BY_ALL_THREADS /* a row that all threads sort together, as if it were the only one */
} usw_sort_method;

/* What a line of the table says. */
typedef struct usw_sort_line {
    usw_sort_method method;
    usw_pattern pattern; /* of USW_BY_PATTERN */
    const char *name;    /* for reports: of a row, or words where no row does it */
    const char *why;     /* a clause after "because" (sort_choice.c); NULL: the call has its own */
} usw_sort_line;

/* Of 16 bytes, which travel in registers: the choice is made within some ns. */
typedef struct usw_sort_choice {
    const usw_sort_line *line;
    uint32_t id;       /* the line's kind and number */
    uint32_t patterns; /* that are worth looking for before: bits 1 << usw_pattern */
} usw_sort_choice;

/* The first line of the table that fits, patterns aside. */
usw_sort_choice usw_choose_sort(const usw_sort_case *c);
/* The longest row, in keys of this width, that one thread sorts by itself. */
size_t usw_row_keys_of_one_thread(unsigned width);

/* Says in the report which method ran on n elements; x is the number that its sentence wants: the
 * bytes of a key, or usw_bits_fact. */
void usw_report_choice(upsweep *u, usw_sort_choice choice, size_t n, uint64_t x);
uint64_t usw_bits_fact(unsigned bit_begin, unsigned bit_end, size_t key_bytes);
/* The same for a pattern that was found in n keys. */
void usw_report_pattern(upsweep *u, usw_sorted what, usw_found found, size_t n);

/* ---- calls/sort.c ---- */

/* The automatic sort, from within a call. Keys are as they were after a failure. */
upsweep_status usw_sort_keys(upsweep *u, void *keys, size_t n, upsweep_type type,
                             const usw_options *o);
/* All of upsweep_sort on the CPU, from within a call that has checked keys and options. */
upsweep_status usw_sort_on_cpu(upsweep *u, void *keys, size_t n, upsweep_type type,
                               const usw_options *o);
/* UPSWEEP_OK if name is NULL or that of a sort. */
upsweep_status usw_check_sort_name(upsweep *u, const char *name);

/* ---- calls/pairs.c ---- */

/* upsweep_argsort under another name; out, if not NULL, gets the sorted keys, and may be keys. */
upsweep_status usw_argsort_call(upsweep *u, const char *call, const void *keys, size_t n,
                                upsweep_type type, void *out, void *index, unsigned index_bits,
                                const upsweep_options *options);

/* ---- calls/sort_copy.c ---- */

/* Copies arrays that do not overlap, or are the same, by the handle's threads. */
void usw_copy_by_threads(upsweep *u, void *to, const void *from, size_t bytes);

#endif

/* sort_choice.c - which method sorts what when nobody asks for one by name: one table, with the
 * name and the sentence by which the report speaks of each method. For a GPU the table names a row;
 * the row's form there chooses its own steps. */
#include "calls/sort_choice.h"
#include "core/registry.h"

#include <stdio.h>

/* Numbers of elements between which a line holds. Those of the handle's tuning (core/tuning.c) are
 * bytes or keys by width. */
typedef enum limit {
    ZERO,
    FEW,         /* more than USW_SMALL keys */
    RUNS,        /* keys; fewer are sorted as fast as they are looked through */
    VALUES,      /* keys; fewer are sorted as fast as they are counted */
    COUNTS,      /* usw_count_from: keys of 8 and 16 bits */
    DIGITS,      /* tuning.digit_keys */
    THREADS,     /* tuning.thread_bytes */
    SCATTER,     /* tuning.scatter_bytes */
    FEW_RECORDS, /* records; fewer are compared in less time than their keys are packed */
    LONG_ROW,    /* keys of a row; more do not fit the cache of one core */
    ENDLESS
} limit;

enum {
    RUNS_FROM = 1024,
    VALUES_FROM = 4096,
    RECORDS_FROM = 100,
    ROW_BYTES = 256 * 1024,
    SHORT = 3, /* widths of 8 and 16 bits: bits of a mask */
    WIDE = 12, /* 32 and 64 bits */
    ALL = 15
};

typedef struct line {
    usw_sorted what;
    unsigned widths;
    limit from, to; /* from <= n < to */
    unsigned needs, lacks;
    usw_sort_method method;
    usw_pattern pattern;
    const char *name; /* NULL: that of the standard row */
    const char
        *why; /* after "because": $n elements; $k keys, bits and bytes; $b bits; $x a number */
} line;

#define BITS USW_IF_BITS
#define IN_PLACE USW_IF_IN_PLACE
#define NO_COPY USW_IF_NO_COPY
#define CROWDED USW_IF_CROWDED
#define FREQUENT USW_IF_FREQUENT
#define NO_SCRATCH USW_IF_NO_SCRATCH
#define LONG_KEYS USW_IF_LONG_KEYS
#define NAMED(method) method, USW_NO_PATTERN
#define PATTERN(pattern) USW_BY_PATTERN, pattern

/* Read from the top: the first line that fits holds. Patterns are tried one after another where
 * they fit, and the first that is found holds. Lines stand in the order of usw_sorted, and the last
 * of each kind has no condition. */
/* clang-format off */
static const line lines[] = {
    /* what, widths,          from,   to,          if,         unless,
     * method, name, because */
    {USW_KEYS,        ALL,   ZERO,   ENDLESS,     NO_COPY,    0,
     NAMED(USW_BY_MERGES), "merge sort in place",
     "only $b of a key count, and a copy of the keys is more than in place allows"},
    {USW_KEYS,        ALL,   ZERO,   ENDLESS,     BITS,       0,
     NAMED(USW_BY_DIGITS), "sort/radix",
     "only $b of a key count, and digits keep keys that agree in them in their order"},
    {USW_KEYS,        ALL,   ZERO,   ENDLESS,     0,          0,
     PATTERN(USW_IN_ORDER), "in order", "$n keys were already in order"},
    {USW_KEYS,        ALL,   ZERO,   ENDLESS,     0,          0,
     PATTERN(USW_REVERSED), "reversed", "$n keys stood in falling order, and were turned round"},
    {USW_KEYS,        WIDE,  RUNS,   ENDLESS,     0,          IN_PLACE,
     PATTERN(USW_RUNS), "runs merged", "$n keys were $x runs, each in order or in falling order"},
    {USW_KEYS,        WIDE,  VALUES, ENDLESS,     0,          0,
     PATTERN(USW_FEW_VALUES), "few values counted",
     "$n keys have $x values only, which were counted and written in order"},
    {USW_KEYS,        WIDE,  VALUES, ENDLESS,     0,          0,
     PATTERN(USW_NARROW_RANGE), "narrow range counted",
     "$n keys lie within a range of $x values, which were counted and written in order"},
    {USW_KEYS,        WIDE,  RUNS,   ENDLESS,     0,          0,
     PATTERN(USW_NEARLY_SORTED), "nearly in order",
     "$n keys were in order but for $x, which were sorted by themselves and merged in again"},
    {USW_KEYS,        SHORT, COUNTS, ENDLESS,     0,          0,
     NAMED(USW_BY_VALUES), "values counted",
     "$k, have few possible values, each of which is counted"},
    {USW_KEYS,        SHORT, ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_QUICKSORT), "sort/quick",
     "$k, are sorted before tables of their values are cleared"},
    {USW_KEYS,        WIDE,  ZERO,   FEW,         0,          0,
     NAMED(USW_BY_QUICKSORT), "sort/quick", "$k, are sorted fastest by one thread in its cache"},
    {USW_KEYS,        WIDE,  ZERO,   ENDLESS,     NO_SCRATCH, 0,
     NAMED(USW_BY_BUCKETS), "sort/hybrid",
     "$k, are left no scratch for digits: one pass moves them to buckets that fit a cache"},
    {USW_KEYS,        WIDE,  ZERO,   ENDLESS,     FREQUENT,   0,
     NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are often equal: the threads split them around pivots, in place"},
    {USW_KEYS,        WIDE,  DIGITS, ENDLESS,     0,          IN_PLACE | CROWDED,
     NAMED(USW_BY_DIGITS), "sort/radix",
     "$k, take fewer steps by counting digits than by comparing, as vectors are narrow here"},
    {USW_KEYS,        WIDE,  ZERO,   THREADS,     0,          0,
     NAMED(USW_BY_QUICKSORT), "sort/quick", "$k, are sorted fastest by one thread in its cache"},
    {USW_KEYS,        WIDE,  ZERO,   ENDLESS,     IN_PLACE,   0,
     NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are enough to share: the threads split them around pivots, in place"},
    {USW_KEYS,        WIDE,  ZERO,   SCATTER,     0,          0,
     NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are enough to share: the threads split them around pivots, in place"},
    {USW_KEYS,        WIDE,  ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_BUCKETS), "sort/hybrid",
     "$k, do not fit a cache: one pass moves them to buckets that do"},

    {USW_PAIRS,       ALL,   ZERO,   ENDLESS,     0,          0,
     PATTERN(USW_IN_ORDER), "in order", "$n keys were already in order"},
    {USW_PAIRS,       ALL,   ZERO,   ENDLESS,     0,          0,
     PATTERN(USW_FEW_VALUES), "few values counted",
     "$n keys have few values only, which were counted"},
    {USW_PAIRS,       ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_TAGS), "buckets and tags",
     "$k, carry values: each bucket that fits a cache is sorted as words of key and place"},

    {USW_ROW,         ALL,   ZERO,   LONG_ROW,    0,          0,
     NAMED(USW_BY_QUICKSORT), "sort/quick", NULL},
    {USW_ROW,         ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_ALL_THREADS), "long rows one by one", NULL},

    {USW_RECORDS,     ALL,   ZERO,   ENDLESS,     IN_PLACE,   0,
     NAMED(USW_BY_MERGES), "merge sort in place",
     "$n records are compared field by field, which takes no copy of them"},
    {USW_RECORDS,     ALL,   ZERO,   ENDLESS,     NO_SCRATCH, 0,
     NAMED(USW_BY_MERGES), "merge sort",
     "$n records are left no scratch for packed keys, and are compared field by field"},
    {USW_RECORDS,     ALL,   ZERO,   FEW_RECORDS, 0,          0,
     NAMED(USW_BY_MERGES), "merge sort",
     "$n records are compared field by field in less time than their keys are packed"},
    {USW_RECORDS,     ALL,   ZERO,   ENDLESS,     LONG_KEYS,  0,
     NAMED(USW_BY_FORM), "sort/radix",
     "the fields of $n records, $x bytes, are sorted eight bytes at a time with their places"},
    {USW_RECORDS,     ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_TAGS), "buckets and tags",
     "the fields of $n records, $x bytes, make one key, which is sorted with record or place"},

    {USW_BY_COMPARE,  ALL,   ZERO,   ENDLESS,     IN_PLACE,   0,
     NAMED(USW_BY_MERGES), "merge sort in place",
     "$n elements are compared by the caller's function, in place"},
    {USW_BY_COMPARE,  ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_MERGES), "merge sort",
     "$n elements are compared by the caller's function, which merges call least often"},

    {USW_GPU_KEYS,    ALL,   ZERO,   ENDLESS,     IN_PLACE,   0,
     NAMED(USW_BY_FORM), "sort/bitonic", NULL},
    {USW_GPU_KEYS,    ALL,   ZERO,   ENDLESS,     BITS,       0,
     NAMED(USW_BY_FORM), "sort/radix", NULL},
    {USW_GPU_KEYS,    ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_FORM), NULL, NULL},
    {USW_GPU_RECORDS, ALL,   ZERO,   ENDLESS,     0,          0,
     NAMED(USW_BY_FORM), "sort/vmerge", NULL},
};
/* clang-format on */
enum { LINES = sizeof lines / sizeof lines[0] };

static size_t keys_of(const usw_sort_case *c, limit l)
{
    const upsweep_tuning *t = &c->u->tuning;
    size_t bytes = (size_t)1 << c->width, is_64_bits = c->width == 3;
    switch (l) {
    case ZERO: return 0;
    case FEW: return USW_SMALL + 1;
    case RUNS: return RUNS_FROM;
    case VALUES: return usw_max(RUNS_FROM, usw_min(VALUES_FROM, t->digit_keys[is_64_bits]));
    case COUNTS: return usw_count_from(c->u->isa, c->width);
    case DIGITS: return t->digit_keys[is_64_bits];
    case THREADS: return usw_div_up(t->thread_bytes, bytes);
    case SCATTER: return usw_div_up(t->scatter_bytes[is_64_bits], bytes);
    case FEW_RECORDS: return RECORDS_FROM;
    case LONG_ROW: return usw_row_keys_of_one_thread(c->width) + 1;
    case ENDLESS: break;
    }
    return SIZE_MAX;
}

static bool fits(const line *l, const usw_sort_case *c)
{
    return l->what == c->what && (l->widths >> c->width & 1) != 0 &&
           (c->facts & l->needs) == l->needs && (c->facts & l->lacks) == 0 &&
           c->n >= keys_of(c, l->from) && (l->to == ENDLESS || c->n < keys_of(c, l->to));
}

static usw_sort_choice choice_of(unsigned i)
{
    const char *name = lines[i].name != NULL ? lines[i].name : usw_row_name(USW_SORTS, NULL);
    return (usw_sort_choice){lines[i].method, name, i, 0};
}

usw_sort_choice usw_choose_sort(const usw_sort_case *c)
{
    unsigned patterns = 0, last = 0;
    for (unsigned i = 0; i < LINES && lines[i].what <= c->what; i++) {
        if (fits(&lines[i], c)) {
            last = i;
            if (lines[i].method != USW_BY_PATTERN) {
                break;
            }
            patterns |= 1u << lines[i].pattern;
        }
    }
    usw_sort_choice choice = choice_of(last);
    choice.patterns = patterns;
    return choice;
}

size_t usw_row_keys_of_one_thread(unsigned width)
{
    return (size_t)ROW_BYTES >> width;
}

/* ---- the report ---- */

enum { LINE_SHIFT = 56, BIT_SHIFT = 8 };

uint64_t usw_bits_fact(unsigned bit_begin, unsigned bit_end, size_t key_bytes)
{
    return bit_begin | (uint64_t)bit_end << BIT_SHIFT | (uint64_t)key_bytes << 2 * BIT_SHIFT;
}

static int print_keys(char *text, size_t size, uint64_t n, uint64_t key_bytes)
{
    double bytes = (double)n * (double)key_bytes;
    const char *unit = bytes < 1e3 ? "bytes" : bytes < 1e6 ? "KB" : "MB";
    double scale = bytes < 1e3 ? 1 : bytes < 1e6 ? 1e3 : 1e6;
    return snprintf(text, size, "%zu keys of %u bits, %.*f %s", (size_t)n, (unsigned)key_bytes * 8,
                    bytes < 1e3 ? 0 : 1, bytes / scale, unit);
}

/* One mark of a sentence. */
static int print_mark(char *text, size_t size, char mark, uint64_t n, uint64_t x)
{
    const unsigned low = (1u << BIT_SHIFT) - 1;
    return mark == 'n'   ? snprintf(text, size, "%zu", (size_t)n)
           : mark == 'x' ? snprintf(text, size, "%zu", (size_t)x)
           : mark == 'k'
               ? print_keys(text, size, n, x)
               : snprintf(text, size, "bits [%u, %u) of %u", (unsigned)x & low,
                          (unsigned)(x >> BIT_SHIFT) & low, (unsigned)(x >> 2 * BIT_SHIFT) * 8);
}

/* fact[0]: n. fact[1]: x, with the number of the line above it. */
static void tell_line(char *text, size_t size, const uint64_t *fact)
{
    uint64_t x = fact[1] & ((UINT64_C(1) << LINE_SHIFT) - 1);
    size_t at = 0;
    for (const char *s = lines[fact[1] >> LINE_SHIFT].why; *s != '\0' && at + 1 < size; s++) {
        if (*s == '$') {
            int length = print_mark(text + at, size - at, *++s, fact[0], x);
            at += length > 0 ? (size_t)length : 0;
        } else {
            text[at++] = *s;
        }
    }
    text[usw_min(at, size - 1)] = '\0';
}

void usw_report_choice(upsweep *u, usw_sort_choice choice, size_t n, uint64_t x)
{
    usw_report_later(u, choice.name, tell_line, n, x | (uint64_t)choice.line << LINE_SHIFT);
}

void usw_report_pattern(upsweep *u, usw_sorted what, usw_found found, size_t n)
{
    unsigned i = 0;
    while (i + 1 < LINES && (lines[i].what != what || lines[i].method != USW_BY_PATTERN ||
                             lines[i].pattern != found.pattern)) {
        i++;
    }
    usw_report_choice(u, choice_of(i), n, found.x);
}

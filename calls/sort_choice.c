/* sort_choice.c - which method sorts what when nobody asks for one by name: one table, with the
 * name and the sentence by which the report speaks of each method. For a GPU gpu/sort_choice.cu
 * says it. */
/* SPDX-License-Identifier: MIT */
#include "calls/sort_choice.h"

#include <stdio.h>

/* Numbers of elements between which a line holds. Those of the handle's tuning (core/tuning.c) are
 * bytes or keys by width. */
typedef enum limit {
    ZERO,
    FEW,         /* more than USW_SMALL keys */
    RUNS,        /* keys; fewer are sorted as fast as they are looked through */
    VALUES,      /* keys; fewer are sorted as fast as they are counted */
    COUNTS,      /* usw_count_from: keys of 8 and 16 bits */
    BYTES,       /* keys of 16 bits where no vectors sort them */
    DIGITS,      /* tuning.digit_keys */
    THREADS,     /* tuning.thread_bytes */
    SCATTER,     /* tuning.scatter_bytes */
    FEW_RECORDS, /* records; fewer are compared in less time than their keys are packed */
    LONG_ROW,    /* keys of a row; more do not fit the cache of one core */
    ENDLESS
} limit;

enum {
    RUNS_FROM = 1024,
    VALUES_BYTES = 8 * 1024, /* fewer keys are sorted as fast as a sample of them is looked at */
    RECORDS_FROM = 100,
    ROW_BYTES = 256 * 1024,
    SHORT = 3, /* widths of 8 and 16 bits: bits of a mask */
    WIDE = 12, /* 32 and 64 bits */
    ALL = 15
};

typedef struct line {
    unsigned widths; /* bits */
    limit from, to;  /* from <= n < to */
    unsigned needs, lacks;
    usw_sort_line says;
} line;

/* In a sentence $n is the number of elements, $x the number that belongs to the pattern or a size
 * in bytes, $k the keys with their bits and bytes, $b a range of bits. */
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
 * they fit, and the first that is found holds: order and falling order before the table is read at
 * all, since short keys in order are looked through in less time than that takes. The last line of
 * each kind has no condition. */
/* clang-format off */
static const line keys[] = {
    /* widths, from,  to,          if,         unless,
     * {method, name, because} */
    {ALL,   ZERO,   ENDLESS,     NO_COPY,    0,
     {NAMED(USW_BY_MERGES), "merge sort in place",
     "only $b of a key count, and a copy of the keys is more than in place allows"}},
    {ALL,   ZERO,   ENDLESS,     BITS,       0,
     {NAMED(USW_BY_DIGITS), "sort/radix",
     "only $b of a key count, and digits keep keys that agree in them in their order"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_IN_ORDER), "in order", "$n keys were already in order"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_REVERSED), "reversed", "$n keys stood in falling order, and were turned round"}},
    {WIDE,  VALUES, ENDLESS,     0,          0,
     {PATTERN(USW_FEW_VALUES), "few values counted",
     "$n keys have $x values only, which were counted and written in order"}},
    {WIDE,  VALUES, ENDLESS,     0,          0,
     {PATTERN(USW_NARROW_RANGE), "narrow range counted",
     "$n keys lie within a range of $x values, which were counted and written in order"}},
    {WIDE,  RUNS,   ENDLESS,     0,          IN_PLACE,
     {PATTERN(USW_RUNS), "runs merged", "$n keys were $x runs, each in order or in falling order"}},
    {WIDE,  RUNS,   ENDLESS,     0,          0,
     {PATTERN(USW_NEARLY_SORTED), "nearly in order",
     "$n keys were in order but for $x, which were sorted by themselves and merged in again"}},
    {SHORT, COUNTS, ENDLESS,     0,          0,
     {NAMED(USW_BY_VALUES), "values counted",
     "$k, have few possible values, each of which is counted"}},
    {SHORT, BYTES,  ENDLESS,     0,          0,
     {NAMED(USW_BY_QUICKSORT), "sort/radix",
     "$k, are sorted by both before tables of their values are cleared"}},
    {SHORT, ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_QUICKSORT), "sort/quick",
     "$k, are sorted before tables of their values are cleared"}},
    {WIDE,  ZERO,   FEW,         0,          0,
     {NAMED(USW_BY_QUICKSORT), "sort/quick", "$k, are sorted fastest by one thread in its cache"}},
    {WIDE,  ZERO,   ENDLESS,     NO_SCRATCH, 0,
     {NAMED(USW_BY_BUCKETS), "sort/hybrid",
     "$k, are left no scratch for digits: one pass moves them to buckets that fit a cache"}},
    {WIDE,  ZERO,   ENDLESS,     FREQUENT,   0,
     {NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are often equal: as many threads as pay split them around pivots, in place"}},
    {WIDE,  DIGITS, ENDLESS,     0,          IN_PLACE | CROWDED,
     {NAMED(USW_BY_DIGITS), "sort/radix",
     "$k, take fewer steps by counting digits than by comparing, as vectors are narrow here"}},
    {WIDE,  ZERO,   THREADS,     0,          0,
     {NAMED(USW_BY_QUICKSORT), "sort/quick", "$k, are sorted fastest by one thread in its cache"}},
    {WIDE,  ZERO,   ENDLESS,     IN_PLACE,   0,
     {NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are enough to share: as many threads as pay split them around pivots, in place"}},
    {WIDE,  ZERO,   SCATTER,     0,          0,
     {NAMED(USW_BY_PARTITION), "sort/quick",
     "$k, are enough to share: as many threads as pay split them around pivots, in place"}},
    {WIDE,  ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_BUCKETS), "sort/hybrid",
     "$k, do not fit a cache: one pass moves them to buckets that do"}},
};
static const line pairs[] = {
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_IN_ORDER), "in order", "$n keys were already in order"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_FEW_VALUES), "few values counted",
     "$n keys have few values only, which were counted"}},
    {WIDE,  ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_RUNS), "runs merged", "$n keys were a few runs, in order or in falling order"}},
    {WIDE,  ZERO,   ENDLESS,     0,          0,
     {PATTERN(USW_NEARLY_SORTED), "nearly in order",
     "$n keys were in order but for some, which were sorted by themselves and merged in again"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_TAGS), "buckets and tags",
     "$k, carry values: each bucket that fits a cache is sorted as words of key and place"}},
};
static const line row[] = {
    {ALL,   ZERO,   LONG_ROW,    0,          0,
     {NAMED(USW_BY_QUICKSORT), "sort/quick", NULL}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_ALL_THREADS), "long rows one by one", NULL}},
};
static const line records[] = {
    {ALL,   ZERO,   ENDLESS,     IN_PLACE,   0,
     {NAMED(USW_BY_MERGES), "merge sort in place",
     "$n records are compared field by field, which takes no copy of them"}},
    {ALL,   ZERO,   ENDLESS,     NO_SCRATCH, 0,
     {NAMED(USW_BY_MERGES), "merge sort",
     "$n records are left no scratch for packed keys, and are compared field by field"}},
    {ALL,   ZERO,   FEW_RECORDS, 0,          0,
     {NAMED(USW_BY_MERGES), "merge sort",
     "$n records are compared field by field in less time than their keys are packed"}},
    {ALL,   ZERO,   ENDLESS,     LONG_KEYS,  0,
     {NAMED(USW_BY_FORM), "sort/radix",
     "the fields of $n records, $x bytes, are sorted eight bytes at a time with their places"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_TAGS), "buckets and tags",
     "the fields of $n records, $x bytes, make one key, which is sorted with record or place"}},
};
static const line by_compare[] = {
    {ALL,   ZERO,   ENDLESS,     IN_PLACE,   0,
     {NAMED(USW_BY_MERGES), "merge sort in place",
     "$n elements are compared by the caller's function, in place"}},
    {ALL,   ZERO,   ENDLESS,     0,          0,
     {NAMED(USW_BY_MERGES), "merge sort",
     "$n elements are compared by the caller's function, which merges call least often"}},
};
/* clang-format on */

typedef struct kind {
    const line *lines;
    unsigned count;
} kind;
enum { KIND_SHIFT = 5, ID_SHIFT = 56 }; /* of a line's number, and of its id in a fact */
#define LINES(name)                                                                                \
    {                                                                                              \
        name, sizeof name / sizeof name[0]                                                         \
    }
static const kind kinds[] = {
    [USW_KEYS] = LINES(keys),       [USW_PAIRS] = LINES(pairs),           [USW_ROW] = LINES(row),
    [USW_RECORDS] = LINES(records), [USW_BY_COMPARE] = LINES(by_compare),
};

/* How many keys make so many bytes, rounded up. */
static size_t keys_of_bytes(size_t bytes, unsigned width)
{
    size_t rest = bytes & (((size_t)1 << width) - 1);
    return (bytes >> width) + (rest != 0);
}

/* What a limit is for this case. */
static inline size_t limit_of(limit l, const usw_sort_case *c)
{
    const upsweep_tuning *t = &c->u->tuning;
    unsigned w = c->width, is_64_bits = w == 3;
    switch (l) {
    case ZERO: return 0;
    case FEW: return USW_SMALL + 1;
    case RUNS: return RUNS_FROM;
    case VALUES:
        return usw_max(RUNS_FROM,
                       usw_min(keys_of_bytes(VALUES_BYTES, w), t->digit_keys[is_64_bits]));
    case COUNTS: return usw_count_from(c->u->isa, w);
    case BYTES: return c->u->isa == USW_AVX512 || w == 0 ? SIZE_MAX : USW_SMALL + 1;
    case DIGITS: return t->digit_keys[is_64_bits];
    case THREADS: return keys_of_bytes(t->thread_bytes, w);
    case SCATTER: return keys_of_bytes(t->scatter_bytes[is_64_bits], w);
    case FEW_RECORDS: return RECORDS_FROM;
    case LONG_ROW: return usw_row_keys_of_one_thread(w) + 1;
    default: return SIZE_MAX;
    }
}

static usw_sort_choice choice_of(usw_sorted what, unsigned i, unsigned patterns)
{
    return (usw_sort_choice){&kinds[what].lines[i].says, what << KIND_SHIFT | i, patterns};
}

/* The walk down the table; *kept: between which n it ends alike. */
static usw_sort_choice walk(const usw_sort_case *c, usw_kept_choice *kept)
{
    const kind *k = &kinds[c->what];
    unsigned patterns = 0, i = 0, facts = c->facts, width = 1u << c->width;
    *kept = (usw_kept_choice){.below = SIZE_MAX, .facts = facts};
    for (; i + 1 < k->count; i++) {
        const line *l = &k->lines[i];
        if (((facts & l->needs) ^ l->needs) | (facts & l->lacks) | (~l->widths & width)) {
            continue;
        }
        size_t limits[2] = {limit_of(l->from, c), limit_of(l->to, c)};
        for (unsigned j = 0; j < 2; j++) {
            kept->from = limits[j] <= c->n ? usw_max(kept->from, limits[j]) : kept->from;
            kept->below = limits[j] > c->n ? usw_min(kept->below, limits[j]) : kept->below;
        }
        if (c->n < limits[0] || c->n >= limits[1]) {
            continue;
        }
        if (l->says.method != USW_BY_PATTERN) {
            break;
        }
        patterns |= 1u << l->says.pattern;
    }
    kept->id = i;
    kept->patterns = patterns;
    return choice_of(c->what, i, patterns);
}

/* The choices for keys and pairs are kept, since the walk takes a tenth of the time of 500 keys. */
usw_sort_choice usw_choose_sort(const usw_sort_case *c)
{
    bool keeps = c->what <= USW_PAIRS;
    usw_kept_choice other = {0}, *kept = keeps ? &c->u->chosen[c->what][c->width] : &other;
    if (keeps && kept->facts == c->facts && kept->from <= c->n && c->n < kept->below) {
        return choice_of(c->what, kept->id, kept->patterns);
    }
    return walk(c, kept);
}

size_t usw_row_keys_of_one_thread(unsigned width)
{
    return (size_t)ROW_BYTES >> width;
}

/* ---- the report ---- */

enum { BIT_SHIFT = 8 };

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

/* fact[0]: n. fact[1]: x, and above it the id of the line. */
static void write_sentence(char *text, size_t size, const uint64_t *fact)
{
    uint64_t x = fact[1] & ((UINT64_C(1) << ID_SHIFT) - 1), id = fact[1] >> ID_SHIFT;
    size_t at = 0;
    const line *l = &kinds[id >> KIND_SHIFT].lines[id & ((1u << KIND_SHIFT) - 1)];
    for (const char *s = l->says.why; *s != '\0' && at + 1 < size; s++) {
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
    usw_report_later(u, choice.line->name, write_sentence, n, x | (uint64_t)choice.id << ID_SHIFT);
}

void usw_report_pattern(upsweep *u, usw_sorted what, usw_found found, size_t n)
{
    unsigned i = 0;
    while (i + 1 < kinds[what].count && kinds[what].lines[i].says.pattern != found.pattern) {
        i++;
    }
    usw_report_choice(u, choice_of(what, i, 0), n, found.x);
}

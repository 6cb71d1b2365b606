/* verb_gen.c - `upsweep gen`: test data, the same on every machine for the same words.
 *
 * Random numbers are a function of their position and the seed: splitmix64 (Steele, Lea, Flood
 * 2014), the state of which is a plain counter. Patterns in order are made of "places": place p of
 * n is the p-th of n values of the type in ascending order. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "io/float16.h"
#include "io/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    app_common common;
    size_t seed;
} settings;

static const app_option options[] = {
    {0, "type", "TYPE", "type of the elements, u32 if not given", APP_TYPE,
     offsetof(app_common, type), NULL},
    {0, "seed", "N", "another seed gives other random numbers; 0 if not given", APP_COUNT,
     offsetof(settings, seed), NULL},
    {0, "text", NULL, NULL, APP_FLAG, offsetof(app_common, text), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_gen = {
    "PATTERN N",
    "Writes N numbers, raw unless --as says otherwise. N may be written 1000000, 1e6,\n"
    "2^20, or 1M for 2^20. The same words give the same numbers on every machine. Patterns:\n"
    "\n"
    "  uniform        whole numbers over all values of the type, floats over [0, 1)\n"
    "  zipf           0, 1, 2, ...: number k comes with frequency about 1 / (k + 1)\n"
    "  normal         whole numbers around the middle of the type, floats around 0 with deviation "
    "1\n"
    "  sorted         ascending\n"
    "  reversed       descending\n"
    "  organ-pipe     ascending, then descending\n"
    "  almost-sorted  ascending, but one element in a hundred has changed places\n"
    "  few            16 different values at random\n"
    "  equal          all elements the same",
    APP_OUTPUT | APP_AS, options,
    "upsweep gen uniform 2^24 --type u32 -o keys.u32\n"
    "upsweep gen zipf 1e6 --type i64 --seed 7 --as text | upsweep sort -n"};

const char *const app_gen_patterns[] = {"uniform",  "zipf",       "normal",        "sorted",
                                        "reversed", "organ-pipe", "almost-sorted", "few",
                                        "equal",    NULL};
enum { UNIFORM, ZIPF, NORMAL, SORTED, REVERSED, ORGAN_PIPE, ALMOST_SORTED, FEW, EQUAL, PATTERNS };

typedef struct maker {
    upsweep_type type;
    unsigned bits;
    bool is_signed, is_float;
    uint64_t seed;
    size_t n;
} maker;

static uint64_t random_at(const maker *m, uint64_t i)
{
    uint64_t z = (m->seed ^ 0x5555555555555555u) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [0, 1), 53 bits. */
static double unit_at(const maker *m, uint64_t i)
{
    return (double)(random_at(m, i) >> 11) * 0x1p-53;
}

static uint64_t mask_of(const maker *m)
{
    return UINT64_MAX >> (64 - m->bits);
}

static void store_float(const maker *m, void *element, double value)
{
    float single = (float)value;
    uint16_t half = m->type == UPSWEEP_F16 ? io_to_f16(value) : io_to_bf16(value);
    if (m->type == UPSWEEP_F64) {
        memcpy(element, &value, sizeof value);
    } else if (m->type == UPSWEEP_F32) {
        memcpy(element, &single, sizeof single);
    } else {
        memcpy(element, &half, sizeof half);
    }
}

/* The low bits of value: all machines that upsweep knows are little-endian. */
static void store_whole(const maker *m, void *element, uint64_t value)
{
    memcpy(element, &value, m->bits / 8);
}

/* Whole numbers: 0, 1, 2 ... if the type has room for n of them above zero; otherwise evenly spread
 * over all values of the type. Floats: whole numbers too, in 16 bits fractions of 1. */
static void store_place(const maker *m, void *element, size_t place)
{
    if (m->is_float) {
        store_float(m, element, m->bits == 16 ? (double)place / (double)m->n : (double)place);
        return;
    }
    uint64_t room = mask_of(m) >> m->is_signed;
    if (m->n - 1 <= room) {
        store_whole(m, element, place);
        return;
    }
    /* Here bits < 64, since n is less than 2^63. */
    double share = (double)place / (double)m->n;
    uint64_t value = (uint64_t)(share * ((double)mask_of(m) + 1));
    store_whole(m, element, value - (m->is_signed ? (mask_of(m) >> 1) + 1 : 0));
}

static void store_uniform(const maker *m, void *element, size_t i)
{
    if (m->is_float) {
        store_float(m, element, unit_at(m, i));
    } else {
        store_whole(m, element, random_at(m, i));
    }
}

/* The logarithm of the rank is uniform: rank k has probability log((k + 1) / k) / log(n + 1). */
static void store_zipf(const maker *m, void *element, size_t i)
{
    double most =
        m->is_float ? (double)m->n : fmin((double)m->n, (double)(mask_of(m) >> m->is_signed));
    double rank = floor(pow(most + 1, unit_at(m, i)));
    if (m->is_float) {
        store_float(m, element, rank - 1);
    } else {
        store_whole(m, element, (uint64_t)rank - 1);
    }
}

/* The sum of twelve uniform numbers less 6 (Irwin, Hall): mean 0, deviation 1, and no logarithm
 * that machines could disagree about. */
static void store_normal(const maker *m, void *element, size_t i)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++) {
        sum += unit_at(m, i * 12 + k);
    }
    if (m->is_float) {
        store_float(m, element, sum);
        return;
    }
    double middle = m->is_signed ? 0 : ldexp(1, (int)m->bits - 1);
    double value = middle + sum * ldexp(1, (int)m->bits - 4); /* 6 deviations stay inside */
    store_whole(m, element, m->is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
}

/* One of 16 places, evenly spread. */
static size_t few_place(const maker *m, size_t i)
{
    return (size_t)(random_at(m, i) % 16) * m->n / 16;
}

/* Of every hundred neighbours one has changed places with one of the hundred that lie as far from
 * the other end. */
static size_t disturbed(const maker *m, size_t i)
{
    size_t block = i / 100, blocks = m->n / 100;
    if (block >= blocks || random_at(m, block) % 100 != i % 100) {
        return i;
    }
    size_t other = blocks - 1 - block;
    return other * 100 + random_at(m, other) % 100;
}

static void store(const maker *m, int pattern, void *element, size_t i)
{
    size_t n = m->n;
    switch (pattern) {
    case UNIFORM: store_uniform(m, element, i); break;
    case ZIPF: store_zipf(m, element, i); break;
    case NORMAL: store_normal(m, element, i); break;
    case REVERSED: store_place(m, element, n - 1 - i); break;
    case ORGAN_PIPE: store_place(m, element, i < n / 2 ? i : n - 1 - i); break;
    case FEW: store_place(m, element, few_place(m, i)); break;
    case EQUAL: store_place(m, element, n / 2); break;
    case ALMOST_SORTED: store_place(m, element, disturbed(m, i)); break;
    default: store_place(m, element, i); break; /* SORTED */
    }
}

int app_parse_elements(const char *text, size_t *n)
{
    char *end, *end_of_power;
    double value = strtod(text, &end);
    if (end != text && *end == '^') {
        double power = strtod(end + 1, &end_of_power);
        value = end_of_power == end + 1 ? -1 : pow(value, power);
        end = end_of_power;
    }
    const char *units = "KkMmGg", *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (end != text && unit != NULL) {
        value = ldexp(value, 10 * (int)((unit - units) / 2 + 1));
        end++;
    }
    if (*text < '0' || *text > '9' || *end != '\0' || !(value >= 0) || value != floor(value)) {
        return app_fail("N is a number of elements such as 1000, 1e6, 2^20 or 1M, not '%s'", text);
    }
    if (value > 0x1p53) {
        return app_fail("%s elements are too many", text);
    }
    *n = (size_t)value;
    return APP_OK;
}

int app_pattern_find(const char *name)
{
    for (int i = 0; i < PATTERNS; i++) {
        if (strcmp(app_gen_patterns[i], name) == 0) {
            return i;
        }
    }
    const char *near = app_near(name, app_gen_patterns, PATTERNS, sizeof *app_gen_patterns);
    if (near != NULL) {
        app_fail("there is no pattern '%s'; did you mean %s?", name, near);
    } else {
        app_fail("there is no pattern '%s'; see `upsweep gen --help`", name);
    }
    return -1;
}

static maker maker_of(upsweep_type type, uint64_t seed, size_t n)
{
    return (maker){.type = type,
                   .bits = 8 * (unsigned)upsweep_type_bytes(type),
                   .is_signed = type >= UPSWEEP_I8 && type <= UPSWEEP_I64,
                   .is_float = app_is_float(type),
                   .seed = seed,
                   .n = n};
}

void app_pattern_fill(int pattern, upsweep_type type, uint64_t seed, size_t n, void *elements)
{
    maker m = maker_of(type, seed, n);
    for (size_t i = 0; i < n; i++) {
        store(&m, pattern, (unsigned char *)elements + i * (m.bits / 8), i);
    }
}

/* Piece by piece, so that any number of elements takes little memory. */
static int generate(const settings *s, const maker *m, int pattern)
{
    enum { PIECE_BYTES = 1 << 18 };
    static unsigned char piece[PIECE_BYTES];
    size_t bytes = m->bits / 8, fit = PIECE_BYTES / bytes;
    app_output out;
    if (app_output_open(&out, &s->common, s->common.text ? IO_TEXT : IO_RAW, m->type) != APP_OK) {
        return APP_ERROR;
    }
    io_progress progress = {0};
    io_progress_begin(&progress, "generating");
    int status = app_output_begin(&out, m->n);
    for (size_t i = 0; i < m->n && status == APP_OK;) {
        size_t count = m->n - i < fit ? m->n - i : fit;
        for (size_t k = 0; k < count; k++) {
            store(m, pattern, piece + k * bytes, i + k);
        }
        status = app_output_some(&out, piece, count);
        i += count;
        io_progress_step(&progress, i, m->n);
    }
    io_progress_end(&progress);
    return status == APP_OK ? app_output_end(&out) : status;
}

int verb_gen(int argc, char **argv)
{
    settings s = {.common = {.type = UPSWEEP_U32}};
    int status = app_parse(&usage_gen, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    if (s.common.operand_count != 2) {
        return app_fail("takes a pattern and a number of elements; see `upsweep gen --help`");
    }
    maker m = maker_of(s.common.type, s.seed, 0);
    int pattern = app_pattern_find(s.common.operands[0]);
    if (pattern < 0 || app_parse_elements(s.common.operands[1], &m.n) != APP_OK) {
        return APP_ERROR;
    }
    return generate(&s, &m, pattern);
}

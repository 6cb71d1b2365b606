/* calls_sorts.c - sorts of keys, pairs, indices, records and by a comparator; merges. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

static const unsigned orders[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST,
                                  UPSWEEP_DESCENDING | UPSWEEP_NAN_RAW};

static bool add_keys(job *j)
{
    input_fill(j->pattern, j->type, job_add(j, j->n * upsweep_type_bytes(j->type), false), j->n,
               j->seed);
    return true;
}

/* ---- sort ---- */

static upsweep_status run_sort(upsweep *u, job *j)
{
    upsweep_options o =
        job_options(j, j->variant == SORT_IN_PLACE ? UPSWEEP_IN_PLACE : orders[j->variant]);
    return upsweep_sort(u, job_at(j, 0), j->n, j->type, &o);
}

static const char *wrong_sort(job *j)
{
    return oracle_sorted(j->type, j->variant == SORT_IN_PLACE ? 0 : orders[j->variant],
                         job_before(j, 0), job_at(j, 0), j->n);
}

/* ---- sort by some bits of the key: integers only, and stable ---- */

typedef struct bits_of {
    const job *j;
    unsigned from, to;
    bool descending;
} bits_of;

static bits_of bits_of_job(const job *j)
{
    unsigned bits = (unsigned)upsweep_type_bytes(j->type) * 8;
    const unsigned from[] = {bits / 4, 0, bits / 2, bits - 1};
    const unsigned to[] = {bits - bits / 4, 1, bits, bits};
    return (bits_of){j, from[j->variant], to[j->variant], j->variant == 2};
}

static int order_of_bits(size_t a, size_t b, const void *context)
{
    const bits_of *k = context;
    size_t bytes = upsweep_type_bytes(k->j->type);
    uint64_t value[2];
    for (int i = 0; i < 2; i++) {
        value[i] =
            oracle_raw(k->j->type, (const char *)job_before(k->j, 0) + (i == 0 ? a : b) * bytes);
        if (oracle_is_signed(k->j->type)) {
            value[i] ^= UINT64_C(1) << (bytes * 8 - 1);
        }
        value[i] = value[i] >> k->from & (UINT64_MAX >> (64 - (k->to - k->from)));
    }
    int order = value[0] < value[1] ? -1 : value[0] > value[1];
    return k->descending ? -order : order;
}

static bool prepare_bits(job *j)
{
    return oracle_mantissa_bits(j->type) == 0 && add_keys(j);
}

static upsweep_status run_bits(upsweep *u, job *j)
{
    bits_of k = bits_of_job(j);
    upsweep_options o = job_options(j, k.descending ? UPSWEEP_DESCENDING : 0);
    o.bit_begin = k.from;
    o.bit_end = k.to;
    return upsweep_sort(u, job_at(j, 0), j->n, j->type, &o);
}

static const char *wrong_bits(job *j)
{
    bits_of k = bits_of_job(j);
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort_by(j->n, index, order_of_bits, &k);
    const char *wrong =
        moved_by(job_at(j, 0), job_before(j, 0), index, j->n, upsweep_type_bytes(j->type));
    free(index);
    return wrong;
}

/* ---- pairs and argsort ---- */

static const size_t value_sizes[] = {4, 8, 1, 16, 12};

static bool prepare_pairs(job *j)
{
    add_keys(j);
    j->element = value_sizes[j->variant];
    input_fill_bytes(job_add(j, j->n * j->element, false), j->n * j->element, j->seed);
    return true;
}

static upsweep_status run_pairs(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, orders[j->variant % 4]);
    return upsweep_sort_pairs(u, job_at(j, 0), job_at(j, 1), j->n, j->type, j->element, &o);
}

static const char *wrong_pairs(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort(j->type, orders[j->variant % 4], job_before(j, 0), j->n, index);
    const char *wrong =
        moved_by(job_at(j, 0), job_before(j, 0), index, j->n, upsweep_type_bytes(j->type));
    if (wrong == NULL) {
        wrong = moved_by(job_at(j, 1), job_before(j, 1), index, j->n, j->element);
    }
    free(index);
    return wrong;
}

static bool prepare_argsort(job *j)
{
    add_keys(j);
    j->element = j->variant % 2 == 0 ? 4 : 8;
    job_add(j, j->n * j->element, true);
    return true;
}

static upsweep_status run_argsort(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, orders[j->variant]);
    return upsweep_argsort(u, job_at(j, 0), j->n, j->type, job_at(j, 1), (unsigned)j->element * 8,
                           &o);
}

static const char *wrong_argsort(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort(j->type, orders[j->variant], job_before(j, 0), j->n, index);
    const char *wrong = job_untouched(j) ? NULL : "argsort changed the keys";
    for (size_t i = 0; wrong == NULL && i < j->n; i++) {
        uint64_t got = 0;
        memcpy(&got, (char *)job_at(j, 1) + i * j->element, j->element);
        wrong = got == index[i] ? NULL : "an index is not that of the stable order";
    }
    free(index);
    return wrong;
}

/* ---- to another array, with positions or without; onto itself ---- */

enum { COPY_ALONE = 0, COPY_NARROW = 1, COPY_ONTO_ITSELF = 3, COPY_VARIANTS };

/* Without positions, with those of 32 and of 64 bits; the last sorts keys where they are. */
static bool prepare_copy(job *j)
{
    add_keys(j);
    j->element = j->variant == COPY_NARROW ? 4 : 8;
    if (j->variant != COPY_ONTO_ITSELF) {
        job_add(j, j->n * upsweep_type_bytes(j->type), true);
    }
    if (j->variant != COPY_ALONE) {
        job_add(j, j->n * j->element, true);
    }
    return true;
}

static upsweep_status run_copy(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, orders[j->variant]);
    unsigned out = j->variant == COPY_ONTO_ITSELF ? 0 : 1;
    return upsweep_sort_copy(u, job_at(j, 0), j->n, j->type, job_at(j, out),
                             j->variant == COPY_ALONE ? NULL : job_at(j, out + 1),
                             (unsigned)j->element * 8, &o);
}

static const char *wrong_copy(job *j)
{
    unsigned out = j->variant == COPY_ONTO_ITSELF ? 0 : 1;
    const char *wrong = out == 0 || job_untouched(j) ? NULL : "sort_copy changed the keys";
    if (wrong != NULL || j->variant == COPY_ALONE) {
        return wrong != NULL ? wrong
                             : oracle_sorted(j->type, orders[j->variant], job_before(j, 0),
                                             job_at(j, out), j->n);
    }
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort(j->type, orders[j->variant], job_before(j, 0), j->n, index);
    wrong = moved_by(job_at(j, out), job_before(j, 0), index, j->n, upsweep_type_bytes(j->type));
    for (size_t i = 0; wrong == NULL && i < j->n; i++) {
        uint64_t got = 0;
        memcpy(&got, (char *)job_at(j, out + 1) + i * j->element, j->element);
        wrong = got == index[i] ? NULL : "an index is not that of the stable order";
    }
    free(index);
    return wrong;
}

/* ---- records: a 16-bit number, a string of 5 and an f64, none of them aligned ---- */

enum { RECORD = 23, AT_NUMBER = 1, AT_STRING = 5, AT_REAL = 11, STRING = 5 };
static const upsweep_field fields[] = {
    {.offset = AT_NUMBER, .type = UPSWEEP_I16, .flags = UPSWEEP_DESCENDING},
    {.offset = AT_STRING, .bytes = STRING},
    {.offset = AT_REAL, .type = UPSWEEP_F64}};

static int order_of_records(size_t a, size_t b, const void *context)
{
    const job *j = context;
    const char *x = (const char *)job_before(j, 0) + a * RECORD;
    const char *y = (const char *)job_before(j, 0) + b * RECORD;
    int order = oracle_order(UPSWEEP_I16, UPSWEEP_DESCENDING, x + AT_NUMBER, y + AT_NUMBER);
    if (order == 0) {
        order = memcmp(x + AT_STRING, y + AT_STRING, STRING);
    }
    if (order == 0) {
        order = oracle_order(UPSWEEP_F64, 0, x + AT_REAL, y + AT_REAL);
    }
    return j->variant == 1 ? -order : order;
}

static bool prepare_records(job *j)
{
    if (j->type != UPSWEEP_U8) { /* the type plays no part */
        return false;
    }
    char *records = job_add(j, j->n * RECORD, false);
    uint64_t state = j->seed;
    for (size_t i = 0; i < j->n; i++) {
        char *at = records + i * RECORD;
        uint64_t r = input_random(&state);
        int16_t number = (int16_t)(r % 5 - 2);
        double real = r % 11 == 0 ? -0.0 : (double)(r >> 40 & 15) - 8;
        input_fill_bytes(at, RECORD, r);
        memcpy(at + AT_NUMBER, &number, sizeof number);
        memset(at + AT_STRING, 'a', STRING);
        at[AT_STRING + r % STRING] = (char)(r >> 20 & 0xff);
        memcpy(at + AT_REAL, &real, sizeof real);
    }
    return true;
}

static upsweep_status run_records(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, j->variant == 1 ? UPSWEEP_DESCENDING : 0);
    return upsweep_sort_records(u, job_at(j, 0), j->n, RECORD, fields, 3, &o);
}

static const char *wrong_records(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort_by(j->n, index, order_of_records, j);
    const char *wrong = moved_by(job_at(j, 0), job_before(j, 0), index, j->n, RECORD);
    free(index);
    return wrong;
}

/* ---- by a comparator: the last digit of the number in front, so that stability shows ---- */

static const size_t element_sizes[] = {8, 4, 24};

static int order_of_digits(const void *a, const void *b, void *context)
{
    uint32_t x, y, base = *(const uint32_t *)context;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x % base > y % base) - (x % base < y % base);
}

static const uint32_t digit_base = 1000;

static int order_of_elements(size_t a, size_t b, const void *context)
{
    const job *j = context;
    uint32_t base = digit_base;
    const char *elements = job_before(j, 0);
    return order_of_digits(elements + a * j->element, elements + b * j->element, &base);
}

static bool prepare_by(job *j)
{
    if (j->type != UPSWEEP_U8) {
        return false;
    }
    j->element = element_sizes[j->variant];
    input_fill_bytes(job_add(j, j->n * j->element, false), j->n * j->element, j->seed);
    return true;
}

static upsweep_status run_by(upsweep *u, job *j)
{
    uint32_t base = digit_base;
    upsweep_options o = job_options(j, 0);
    return upsweep_sort_by(u, job_at(j, 0), j->n, j->element, order_of_digits, &base, &o);
}

static const char *wrong_by(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort_by(j->n, index, order_of_elements, j);
    const char *wrong = moved_by(job_at(j, 0), job_before(j, 0), index, j->n, j->element);
    free(index);
    return wrong;
}

const call calls_of_sorts[] = {
    {"upsweep_sort", 5, add_keys, run_sort, wrong_sort},
    {"upsweep_sort by bits", 4, prepare_bits, run_bits, wrong_bits},
    {"upsweep_sort_pairs", 5, prepare_pairs, run_pairs, wrong_pairs},
    {"upsweep_argsort", 4, prepare_argsort, run_argsort, wrong_argsort},
    {"upsweep_sort_copy", COPY_VARIANTS, prepare_copy, run_copy, wrong_copy},
    {"upsweep_sort_records", 2, prepare_records, run_records, wrong_records},
    {"upsweep_sort_by", 3, prepare_by, run_by, wrong_by},
    {0},
};

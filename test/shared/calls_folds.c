/* calls_folds.c - reductions and scans. Sums and products of floating-point numbers get numbers
 * whose sums are exact, so that there is one right answer. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <string.h>

static const upsweep_op ops[] = {UPSWEEP_SUM, UPSWEEP_PRODUCT, UPSWEEP_LEAST, UPSWEEP_GREATEST,
                                 UPSWEEP_AND, UPSWEEP_OR,      UPSWEEP_XOR};
enum { OPS = sizeof ops / sizeof ops[0] };

static bool arithmetic(upsweep_op op)
{
    return op == UPSWEEP_SUM || op == UPSWEEP_PRODUCT;
}

static bool op_takes(upsweep_op op, upsweep_type type)
{
    return oracle_mantissa_bits(type) == 0 || op <= UPSWEEP_GREATEST;
}

static void add_numbers(job *j)
{
    void *at = job_add(j, j->n * upsweep_type_bytes(j->type), false);
    if (oracle_mantissa_bits(j->type) != 0 && arithmetic(j->op)) {
        input_fill_exact(j->type, at, j->n, j->seed, j->op == UPSWEEP_PRODUCT);
    } else {
        input_fill(j->pattern, j->type, at, j->n, j->seed);
    }
}

static const char *element_of(const job *j, unsigned array, size_t i)
{
    return (const char *)job_before(j, array) + i * upsweep_type_bytes(j->type);
}

/* ---- reduce ---- */

unsigned job_reduce_flags(const job *j)
{
    return j->variant >= OPS ? UPSWEEP_ROUNDED : 0;
}

upsweep_type job_result_type(const job *j)
{
    bool rounded = (job_reduce_flags(j) & UPSWEEP_ROUNDED) != 0;
    return !arithmetic(j->op)                   ? j->type
           : oracle_mantissa_bits(j->type) != 0 ? (rounded ? j->type : UPSWEEP_F64)
           : oracle_is_signed(j->type)          ? UPSWEEP_I64
                                                : UPSWEEP_U64;
}

static bool prepare_reduce(job *j)
{
    j->op = ops[j->variant % OPS];
    if (!op_takes(j->op, j->type)) {
        return false;
    }
    add_numbers(j);
    job_add(j, upsweep_type_bytes(job_result_type(j)), true);
    return true;
}

static upsweep_status run_reduce(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, job_reduce_flags(j));
    return upsweep_reduce(u, job_at(j, 0), j->n, j->type, j->op, job_at(j, 1), &o);
}

static const char *wrong_reduce(job *j)
{
    oracle_fold fold = oracle_fold_start(j->type, j->op);
    for (size_t i = 0; i < j->n; i++) {
        oracle_fold_add(&fold, element_of(j, 0, i));
    }
    return !job_untouched(j)                                         ? "reduce changed its input"
           : oracle_fold_is(&fold, job_result_type(j), job_at(j, 1)) ? NULL
                                                                     : "the result is wrong";
}

/* ---- argmin, argmax, minmax ---- */

static bool prepare_extreme(job *j)
{
    if (j->n == 0) {
        return false;
    }
    input_fill(j->pattern, j->type, job_add(j, j->n * upsweep_type_bytes(j->type), false), j->n,
               j->seed);
    return true;
}

static upsweep_status run_extreme(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return (j->variant == 0 ? upsweep_argmin : upsweep_argmax)(u, job_at(j, 0), j->n, j->type,
                                                               job_out(j), &o);
}

static size_t extreme_of(const job *j, bool greatest)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < j->n; i++) {
        if (!oracle_is_nan(j->type, element_of(j, 0, i)) &&
            (best == SIZE_MAX || oracle_order(j->type, greatest ? UPSWEEP_DESCENDING : 0,
                                              element_of(j, 0, i), element_of(j, 0, best)) < 0)) {
            best = i;
        }
    }
    return best;
}

static const char *wrong_extreme(job *j)
{
    size_t best = extreme_of(j, j->variant == 1);
    return j->out == (best == SIZE_MAX ? 0 : best) ? NULL : "the position is wrong";
}

static bool prepare_minmax(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    j->op = UPSWEEP_LEAST;
    add_numbers(j);
    job_add(j, bytes, true);
    job_add(j, bytes, true);
    return true;
}

static upsweep_status run_minmax(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_minmax(u, job_at(j, 0), j->n, j->type, job_at(j, 1), job_at(j, 2), &o);
}

static const char *wrong_minmax(job *j)
{
    oracle_fold least = oracle_fold_start(j->type, UPSWEEP_LEAST);
    oracle_fold greatest = oracle_fold_start(j->type, UPSWEEP_GREATEST);
    for (size_t i = 0; i < j->n; i++) {
        oracle_fold_add(&least, element_of(j, 0, i));
        oracle_fold_add(&greatest, element_of(j, 0, i));
    }
    return !oracle_fold_is(&least, j->type, job_at(j, 1))      ? "the least is wrong"
           : !oracle_fold_is(&greatest, j->type, job_at(j, 2)) ? "the greatest is wrong"
                                                               : NULL;
}

/* ---- scans. Variants: every op inclusive, then every op exclusive. Heads make segments. ---- */

typedef enum scan_kind { PLAIN, SEGMENTED, BY_KEY } scan_kind;

static bool prepare_scan_kind(job *j, scan_kind kind)
{
    j->op = ops[j->variant % OPS];
    if (!op_takes(j->op, j->type)) {
        return false;
    }
    add_numbers(j);
    job_add(j, j->n * upsweep_type_bytes(j->type), true);
    uint64_t state = j->seed + 5, length = j->seed % 2 ? 3000 : 7;
    if (kind == SEGMENTED) {
        uint8_t *heads = job_add(j, j->n, false);
        for (size_t i = 0; i < j->n; i++) {
            heads[i] = input_random(&state) % length == 0 ? (uint8_t)(1 + i % 255) : 0;
        }
    } else if (kind == BY_KEY) {
        uint16_t key = 0;
        char *keys = job_add(j, j->n * sizeof key, false);
        for (size_t i = 0; i < j->n; i++) {
            key = (uint16_t)(key + (input_random(&state) % length == 0));
            memcpy(keys + i * sizeof key, &key, sizeof key);
        }
    }
    return true;
}

static bool prepare_scan(job *j)
{
    return prepare_scan_kind(j, PLAIN);
}

static bool prepare_segmented(job *j)
{
    return prepare_scan_kind(j, SEGMENTED);
}

static bool prepare_by_key(job *j)
{
    return prepare_scan_kind(j, BY_KEY);
}

static upsweep_options scan_options(const job *j)
{
    return job_options(j, j->variant >= OPS ? UPSWEEP_EXCLUSIVE : 0);
}

static upsweep_status run_scan(upsweep *u, job *j)
{
    upsweep_options o = scan_options(j);
    return upsweep_scan(u, job_at(j, 0), job_at(j, 1), j->n, j->type, j->op, &o);
}

static upsweep_status run_scan_in_place(upsweep *u, job *j)
{
    upsweep_options o = scan_options(j);
    j->copy(job_at(j, 1), job_at(j, 0), j->array[0].g.bytes);
    return upsweep_scan(u, job_at(j, 1), job_at(j, 1), j->n, j->type, j->op, &o);
}

static upsweep_status run_segmented(upsweep *u, job *j)
{
    upsweep_options o = scan_options(j);
    return upsweep_scan_segmented(u, job_at(j, 0), job_at(j, 2), job_at(j, 1), j->n, j->type, j->op,
                                  &o);
}

static upsweep_status run_by_key(upsweep *u, job *j)
{
    upsweep_options o = scan_options(j);
    return upsweep_scan_by_key(u, job_at(j, 2), UPSWEEP_U16, job_at(j, 0), job_at(j, 1), j->n,
                               j->type, j->op, &o);
}

static bool starts_anew(const job *j, scan_kind kind, size_t i)
{
    const uint8_t *with = kind == PLAIN ? NULL : job_before(j, 2);
    return i == 0 || (kind == SEGMENTED && with[i] != 0) ||
           (kind == BY_KEY && memcmp(with + 2 * i, with + 2 * i - 2, 2) != 0);
}

static const char *wrong_scan_kind(job *j, scan_kind kind)
{
    size_t bytes = upsweep_type_bytes(j->type);
    oracle_fold fold = oracle_fold_start(j->type, j->op);
    for (size_t i = 0; i < j->n; i++) {
        if (starts_anew(j, kind, i)) {
            fold = oracle_fold_start(j->type, j->op);
        }
        if (j->variant < OPS) {
            oracle_fold_add(&fold, element_of(j, 0, i));
        }
        if (!oracle_fold_is(&fold, j->type, (char *)job_at(j, 1) + i * bytes)) {
            return "a prefix is wrong";
        }
        if (j->variant >= OPS) {
            oracle_fold_add(&fold, element_of(j, 0, i));
        }
    }
    return job_untouched(j) ? NULL : "scan changed an input";
}

static const char *wrong_scan(job *j)
{
    return wrong_scan_kind(j, PLAIN);
}

static const char *wrong_segmented(job *j)
{
    return wrong_scan_kind(j, SEGMENTED);
}

static const char *wrong_by_key(job *j)
{
    return wrong_scan_kind(j, BY_KEY);
}

/* ---- a caller's operator: affine maps x -> a x + b modulo 2^16, which do not commute ---- */

typedef struct affine {
    uint16_t a, b;
} affine;

static void then(void *accumulator, const void *element, void *context)
{
    affine f, g;
    (void)context;
    memcpy(&f, accumulator, sizeof f);
    memcpy(&g, element, sizeof g);
    affine both = {(uint16_t)((unsigned)f.a * g.a), (uint16_t)((unsigned)g.a * f.b + g.b)};
    memcpy(accumulator, &both, sizeof both);
}

static const affine identity = {1, 0};

static bool prepare_by(job *j)
{
    if (j->type != UPSWEEP_U8) {
        return false;
    }
    input_fill_bytes(job_add(j, j->n * sizeof(affine), false), j->n * sizeof(affine), j->seed);
    job_add(j, (j->n + 1) * sizeof(affine), true);
    return true;
}

static upsweep_status run_reduce_by(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    j->copy(job_at(j, 1), &identity, sizeof identity);
    return upsweep_reduce_by(u, job_at(j, 0), j->n, sizeof(affine), then, NULL, job_at(j, 1), &o);
}

static upsweep_status run_scan_by(upsweep *u, job *j)
{
    upsweep_options o = scan_options(j);
    o.flags = j->variant == 1 ? UPSWEEP_EXCLUSIVE : 0;
    return upsweep_scan_by(u, job_at(j, 0), job_at(j, 1), j->n, sizeof(affine), then, NULL,
                           &identity, &o);
}

static const char *wrong_reduce_by(job *j)
{
    affine sum = identity;
    for (size_t i = 0; i < j->n; i++) {
        then(&sum, (const affine *)job_before(j, 0) + i, NULL);
    }
    return memcmp(&sum, job_at(j, 1), sizeof sum) == 0 ? NULL : "the result is wrong";
}

static const char *wrong_scan_by(job *j)
{
    affine sum = identity;
    for (size_t i = 0; i < j->n; i++) {
        affine before = sum;
        then(&sum, (const affine *)job_before(j, 0) + i, NULL);
        if (memcmp(j->variant == 1 ? &before : &sum, (char *)job_at(j, 1) + i * sizeof sum,
                   sizeof sum) != 0) {
            return "a prefix is wrong";
        }
    }
    return NULL;
}

const call calls_of_folds[] = {
    {"upsweep_reduce", OPS + 3, prepare_reduce, run_reduce, wrong_reduce},
    {"upsweep_argmin, argmax", 2, prepare_extreme, run_extreme, wrong_extreme},
    {"upsweep_minmax", 1, prepare_minmax, run_minmax, wrong_minmax},
    {"upsweep_reduce_by", 1, prepare_by, run_reduce_by, wrong_reduce_by},
    {"upsweep_scan", 2 * OPS, prepare_scan, run_scan, wrong_scan},
    {"upsweep_scan in place", 2 * OPS, prepare_scan, run_scan_in_place, wrong_scan},
    {"upsweep_scan_segmented", 2 * OPS, prepare_segmented, run_segmented, wrong_segmented},
    {"upsweep_scan_by_key", 2 * OPS, prepare_by_key, run_by_key, wrong_by_key},
    {"upsweep_scan_by", 2, prepare_by, run_scan_by, wrong_scan_by},
    {0},
};

/* calls_row_results.c - what each of many rows gives: its best keys, its combination, the place of
 * its least or greatest element, its scan; and positions split by bucket. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows: elements in array 0, offsets in array 1, the outcome in arrays 2 and 3 ---- */

typedef enum shape { SHORT, LONG, ANY } shape;

static void add_rows(job *j, shape s)
{
    if (s == ANY) {
        job_add_offsets(j);
        return;
    }
    size_t rows = s == LONG ? 3 : j->n / 16 + 1;
    while (j->n % rows != 0) {
        rows--;
    }
    j->k = j->n == 0 ? 0 : rows;
    job_add(j, 0, false);
}

static size_t row_begin(const job *j, size_t r)
{
    const uint64_t *begin = job_before(j, 1);
    return j->array[1].g.bytes == 0 ? r * (j->n / j->k) : (size_t)begin[r];
}

static size_t row_length(const job *j, size_t r)
{
    return row_begin(j, r + 1) - row_begin(j, r);
}

static const char *row_at(const job *j, size_t r)
{
    return (const char *)job_before(j, 0) + row_begin(j, r) * upsweep_type_bytes(j->type);
}

static const uint64_t *offsets_of(const job *j)
{
    return j->array[1].g.bytes == 0 ? NULL : job_at(j, 1);
}

static void add_keys(job *j)
{
    input_fill(j->pattern, j->type, job_add(j, j->n * upsweep_type_bytes(j->type), false), j->n,
               j->seed);
}

/* ---- the best of each row ---- */

static const struct {
    shape rows;
    size_t best; /* SIZE_MAX: all of a row */
    unsigned index_bits, flags;
} bests[] = {{SHORT, 3, 32, 0},
             {ANY, 5, 64, UPSWEEP_LARGEST},
             {ANY, 70, 0, UPSWEEP_NAN_FIRST},
             {LONG, 100, 32, UPSWEEP_LARGEST},
             {SHORT, SIZE_MAX, 0, UPSWEEP_DESCENDING},
             {LONG, 300, 64, UPSWEEP_NAN_RAW},
             {LONG, SIZE_MAX, 32, 0}};
enum { BESTS = sizeof bests / sizeof bests[0] };

static bool prepare_best(job *j)
{
    add_keys(j);
    add_rows(j, bests[j->variant].rows);
    size_t best = bests[j->variant].best;
    if (bests[j->variant].rows != ANY && j->k > 0 && best > j->n / j->k) {
        best = j->n / j->k;
    }
    j->element = best == SIZE_MAX ? 0 : best;
    job_add(j, j->k * j->element * upsweep_type_bytes(j->type), true);
    job_add(j, j->k * j->element * bests[j->variant].index_bits / 8, true);
    return true;
}

static upsweep_status run_best(upsweep *u, job *j)
{
    unsigned bits = bests[j->variant].index_bits;
    upsweep_options o = job_options(j, bests[j->variant].flags);
    return upsweep_top_k_rows(u, job_at(j, 0), j->n, j->type, offsets_of(j), j->k, j->element,
                              job_at(j, 2), bits == 0 ? NULL : job_at(j, 3), bits, &o);
}

static const char *wrong_best_row(const job *j, size_t r, const size_t *index)
{
    size_t bytes = upsweep_type_bytes(j->type), width = bests[j->variant].index_bits / 8;
    for (size_t i = 0; i < j->element; i++) {
        const char *key = (const char *)job_at(j, 2) + (r * j->element + i) * bytes;
        uint64_t none = 0, all = UINT64_MAX, at = 0;
        bool there = i < row_length(j, r);
        if (memcmp(key, there ? row_at(j, r) + index[i] * bytes : (const char *)&none, bytes) !=
            0) {
            return "a key is not that of the row's order";
        }
        memcpy(&at, (const char *)job_at(j, 3) + (r * j->element + i) * width, width);
        all = width == 4 ? UINT32_MAX : all;
        if (width > 0 && at != (there ? index[i] : all)) {
            return "an index is not that of the row's stable order";
        }
    }
    return NULL;
}

static const char *wrong_best(job *j)
{
    unsigned flags = bests[j->variant].flags;
    flags = flags & UPSWEEP_LARGEST ? UPSWEEP_DESCENDING : flags;
    const char *wrong = job_untouched(j) ? NULL : "an input has changed";
    for (size_t r = 0; r < j->k && wrong == NULL; r++) {
        size_t n = row_length(j, r), *index = malloc((n + 1) * sizeof *index);
        oracle_argsort(j->type, flags, row_at(j, r), n, index);
        wrong = wrong_best_row(j, r, index);
        free(index);
    }
    return wrong;
}

/* ---- the combination of each row ---- */

static const upsweep_op ops[] = {UPSWEEP_SUM, UPSWEEP_PRODUCT, UPSWEEP_LEAST, UPSWEEP_GREATEST,
                                 UPSWEEP_AND, UPSWEEP_OR,      UPSWEEP_XOR};
enum { OPS = sizeof ops / sizeof ops[0] };

/* Variants: every operator, and sums and products rounded to the type of the elements; rows of one
 * shape or another. */
static bool add_numbers(job *j)
{
    j->op = ops[j->variant % OPS];
    bool real = oracle_mantissa_bits(j->type) != 0;
    if (real && j->op > UPSWEEP_GREATEST) {
        return false;
    }
    void *at = job_add(j, j->n * upsweep_type_bytes(j->type), false);
    if (real && j->op <= UPSWEEP_PRODUCT) {
        input_fill_exact(j->type, at, j->n, j->seed, j->op == UPSWEEP_PRODUCT);
    } else {
        input_fill(j->pattern, j->type, at, j->n, j->seed);
    }
    add_rows(j, (shape)((j->variant + j->seed) % 3));
    return true;
}

static bool prepare_reduce(job *j)
{
    bool takes = add_numbers(j);
    if (takes) {
        job_add(j, j->k * upsweep_type_bytes(job_result_type(j)), true);
    }
    return takes;
}

static upsweep_status run_reduce(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, job_reduce_flags(j));
    return upsweep_reduce_rows(u, job_at(j, 0), j->n, j->type, offsets_of(j), j->k, j->op,
                               job_at(j, 2), &o);
}

static const char *wrong_reduce(job *j)
{
    upsweep_type as = job_result_type(j);
    for (size_t r = 0; r < j->k; r++) {
        oracle_fold fold = oracle_fold_start(j->type, j->op);
        for (size_t i = 0; i < row_length(j, r); i++) {
            oracle_fold_add(&fold, row_at(j, r) + i * upsweep_type_bytes(j->type));
        }
        if (!oracle_fold_is(&fold, as, (const char *)job_at(j, 2) + r * upsweep_type_bytes(as))) {
            return "a row's result is wrong";
        }
    }
    return job_untouched(j) ? NULL : "an input has changed";
}

/* ---- the combination of each column: an array of 2 x length x k ---- */

static bool prepare_axis(job *j)
{
    static const size_t inner[] = {1, 2, 3, 17, 70};
    j->element = inner[j->seed % 5];
    j->n -= j->n % (2 * j->element);
    bool takes = add_numbers(j);
    if (takes) {
        j->k = 2 * j->element;
        job_add(j, j->k * upsweep_type_bytes(job_result_type(j)), true);
    }
    return takes;
}

static upsweep_status run_axis(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, job_reduce_flags(j));
    return upsweep_reduce_axis(u, job_at(j, 0), 2, j->n / j->k, j->element, j->type, j->op,
                               job_at(j, 2), &o);
}

static const char *wrong_axis(job *j)
{
    upsweep_type as = job_result_type(j);
    size_t bytes = upsweep_type_bytes(j->type), length = j->n / j->k;
    for (size_t c = 0; c < j->k; c++) {
        const char *top = job_before(j, 0);
        top += (c / j->element * length * j->element + c % j->element) * bytes;
        oracle_fold fold = oracle_fold_start(j->type, j->op);
        for (size_t l = 0; l < length; l++) {
            oracle_fold_add(&fold, top + l * j->element * bytes);
        }
        if (!oracle_fold_is(&fold, as, (const char *)job_at(j, 2) + c * upsweep_type_bytes(as))) {
            return "a column's result is wrong";
        }
    }
    return job_untouched(j) ? NULL : "an input has changed";
}

/* ---- the place of each row's least, and greatest ---- */

static bool prepare_place(job *j)
{
    add_keys(j);
    add_rows(j, j->variant / 2 == 0 ? ANY : j->variant / 2 == 1 ? SHORT : LONG);
    j->element = j->variant == 3 ? 8 : 4;
    job_add(j, j->k * j->element, true);
    return true;
}

static upsweep_status run_place(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return (j->variant % 2 == 0 ? upsweep_argmin_rows : upsweep_argmax_rows)(
        u, job_at(j, 0), j->n, j->type, offsets_of(j), j->k, job_at(j, 2), 8 * (unsigned)j->element,
        &o);
}

static const char *wrong_place(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    for (size_t r = 0; r < j->k; r++) {
        const char *row = row_at(j, r);
        size_t n = row_length(j, r), best = SIZE_MAX;
        for (size_t i = 0; i < n; i++) {
            if (!oracle_is_nan(j->type, row + i * bytes) &&
                (best == SIZE_MAX || oracle_order(j->type, j->variant % 2 ? UPSWEEP_DESCENDING : 0,
                                                  row + i * bytes, row + best * bytes) < 0)) {
                best = i;
            }
        }
        uint64_t got = 0, want = n > 0 && best == SIZE_MAX ? 0 : best;
        memcpy(&got, (const char *)job_at(j, 2) + r * j->element, j->element);
        if (got != (j->element == 4 ? (uint32_t)want : want)) {
            return "a position is wrong";
        }
    }
    return NULL;
}

/* ---- the scan of each row ---- */

static bool prepare_scan(job *j)
{
    bool takes = add_numbers(j);
    if (takes) { /* what is in no row is to stay */
        size_t bytes = j->n * upsweep_type_bytes(j->type);
        input_fill_bytes(job_add(j, bytes, false), bytes, j->seed + 7);
        j->array[2].output = true;
    }
    return takes;
}

static bool is_exclusive(const job *j)
{
    return (j->variant + j->seed / 3) % 2 == 1;
}

static upsweep_status run_scan(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, is_exclusive(j) ? UPSWEEP_EXCLUSIVE : 0);
    return upsweep_scan_rows(u, job_at(j, 0), job_at(j, 2), j->n, j->type, offsets_of(j), j->k,
                             j->op, &o);
}

static const char *wrong_scan(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), end = 0;
    const char *got = job_at(j, 2), *was = job_before(j, 2);
    for (size_t r = 0; r < j->k; r++) {
        oracle_fold fold = oracle_fold_start(j->type, j->op);
        for (size_t i = row_begin(j, r); i < row_begin(j, r + 1); i++) {
            const char *element = (const char *)job_before(j, 0) + i * bytes;
            if (!is_exclusive(j)) {
                oracle_fold_add(&fold, element);
            }
            if (!oracle_fold_is(&fold, j->type, got + i * bytes)) {
                return "a prefix is wrong";
            }
            if (is_exclusive(j)) {
                oracle_fold_add(&fold, element);
            }
        }
        end = row_begin(j, r + 1);
    }
    size_t first = j->k == 0 ? 0 : row_begin(j, 0);
    bool kept = memcmp(got, was, first * bytes) == 0 &&
                memcmp(got + end * bytes, was + end * bytes, (j->n - end) * bytes) == 0;
    return !kept              ? "an element in no row has changed"
           : job_untouched(j) ? NULL
                              : "an input has changed";
}

/* ---- positions by bucket: ids in array 0, the outcome in arrays 1 to 3 ---- */

static const struct {
    size_t count, id_bytes, multiple, width;
} splits[] = {{8, 1, 1, 4}, {512, 2, 16, 4}, {37, 4, 7, 8}, {3000, 2, 1, 8}, {511, 4, 128, 4}};
enum { SPLITS = sizeof splits / sizeof splits[0] };

static bool prepare_ids(job *j)
{
    size_t count = splits[j->variant].count, bytes = splits[j->variant].id_bytes;
    if (j->type != (bytes == 1 ? UPSWEEP_U8 : bytes == 2 ? UPSWEEP_U16 : UPSWEEP_U32)) {
        return false; /* arrays are aligned to the job's type */
    }
    char *ids = job_add(j, j->n * bytes, false);
    uint64_t state = j->seed;
    for (size_t i = 0; i < j->n; i++) {
        uint64_t id = input_random(&state) % (j->seed % 2 == 0 ? count : (count + 7) / 8);
        memcpy(ids + i * bytes, &id, bytes);
    }
    j->k = j->n + (j->n < count ? j->n : count) * (splits[j->variant].multiple - 1) + j->seed % 3;
    job_add(j, j->k * splits[j->variant].width, true);
    job_add(j, (count + 1) * sizeof(uint64_t), true);
    job_add(j, count * sizeof(uint64_t), true);
    return true;
}

static upsweep_status run_ids(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    size_t bytes = splits[j->variant].id_bytes;
    upsweep_type id = bytes == 1 ? UPSWEEP_U8 : bytes == 2 ? UPSWEEP_U16 : UPSWEEP_U32;
    return upsweep_split_ids_index(
        u, job_at(j, 0), id, splits[j->variant].count, j->n, splits[j->variant].multiple,
        job_at(j, 1), (unsigned)splits[j->variant].width * 8, j->k, job_at(j, 2), job_at(j, 3), &o);
}

static uint64_t place_at(const job *j, size_t at)
{
    uint64_t got = 0;
    memcpy(&got, (const char *)job_at(j, 1) + at * splits[j->variant].width,
           splits[j->variant].width);
    return got;
}

/* Every place holds what comes there next: the bucket's ids in order, then n up to the multiple. */
static const char *wrong_ids(job *j)
{
    size_t bytes = splits[j->variant].id_bytes, multiple = splits[j->variant].multiple, at = 0;
    size_t count = splits[j->variant].count, *order = malloc((j->n + 1) * sizeof *order), next = 0;
    const uint64_t *offsets = job_at(j, 2), *counts = job_at(j, 3);
    const char *wrong = job_untouched(j) ? NULL : "an input has changed";
    oracle_argsort(bytes == 1   ? UPSWEEP_U8
                   : bytes == 2 ? UPSWEEP_U16
                                : UPSWEEP_U32,
                   0, job_before(j, 0), j->n, order);
    for (size_t b = 0; b <= count && wrong == NULL; b++) {
        size_t begin = at, first = next;
        for (; next < j->n && wrong == NULL; next++) {
            uint64_t id = 0;
            memcpy(&id, (const char *)job_before(j, 0) + order[next] * bytes, bytes);
            if (id != b) {
                break;
            }
            wrong = place_at(j, at++) == order[next] ? NULL : "a position is wrong";
        }
        if (offsets[b] != begin || (b < count && counts[b] != next - first)) {
            wrong = "an offset or a count is wrong";
        }
        for (; wrong == NULL && (b == count ? at < j->k : at % multiple != 0); at++) {
            wrong = place_at(j, at) == j->n ? NULL : "a place that no element takes is not n";
        }
    }
    free(order);
    return wrong;
}

const call calls_of_row_results[] = {
    {"upsweep_top_k_rows", BESTS, prepare_best, run_best, wrong_best},
    {"upsweep_reduce_rows", OPS + 3, prepare_reduce, run_reduce, wrong_reduce},
    {"upsweep_reduce_axis", OPS + 3, prepare_axis, run_axis, wrong_axis},
    {"upsweep_argmin_rows, argmax", 6, prepare_place, run_place, wrong_place},
    {"upsweep_scan_rows", OPS, prepare_scan, run_scan, wrong_scan},
    {"upsweep_split_ids_index", SPLITS, prepare_ids, run_ids, wrong_ids},
    {0},
};

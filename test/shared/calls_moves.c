/* calls_moves.c - split, compact, buckets, gather, scatter, permute. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

bool job_add_elements(job *j)
{
    static const size_t bytes[JOB_SIZES] = {4, 8, 1, 2, 16, 13};
    j->element = bytes[j->variant % JOB_SIZES];
    input_fill_bytes(job_add(j, j->n * j->element, false), j->n * j->element, j->seed);
    return j->type == UPSWEEP_U8;
}

/* ---- split and compact: array 1 holds the flags ---- */

static bool prepare_flags(job *j)
{
    bool takes = job_add_elements(j);
    uint8_t *flags = job_add(j, j->n, false);
    uint64_t state = j->seed, share = j->seed % 4; /* none, few, half, all */
    for (size_t i = 0; i < j->n; i++) {
        uint64_t r = input_random(&state);
        bool set = share == 1 ? r % 50 == 0 : share == 2 ? r % 2 : share == 3;
        flags[i] = set ? (uint8_t)(1 + r % 255) : 0;
    }
    job_add(j, j->n * j->element, true);
    return takes;
}

static upsweep_status run_split(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_split(u, job_at(j, 0), job_at(j, 1), job_at(j, 2), j->n, j->element, job_out(j),
                         &o);
}

static upsweep_status run_compact(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_compact(u, job_at(j, 0), job_at(j, 1), job_at(j, 2), j->n, j->element,
                           job_out(j), &o);
}

static upsweep_status run_compact_in_place(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    j->copy(job_at(j, 2), job_at(j, 0), j->n * j->element);
    return upsweep_compact(u, job_at(j, 2), job_at(j, 1), job_at(j, 2), j->n, j->element,
                           job_out(j), &o);
}

/* index gets the positions whose flag is (not) set; returns how many. */
static size_t positions_with(const job *j, bool set, size_t *index)
{
    const uint8_t *flags = job_before(j, 1);
    size_t count = 0;
    for (size_t i = 0; i < j->n; i++) {
        if ((flags[i] != 0) == set) {
            index[count++] = i;
        }
    }
    return count;
}

static const char *wrong_split(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    size_t zeros = positions_with(j, false, index);
    positions_with(j, true, index + zeros);
    const char *wrong = moved_by(job_at(j, 2), job_before(j, 0), index, j->n, j->element);
    free(index);
    return wrong != NULL ? wrong : j->out == zeros ? NULL : "the count of zeros is wrong";
}

static const char *wrong_compact(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    size_t kept = positions_with(j, true, index);
    const char *wrong = moved_by(job_at(j, 2), job_before(j, 0), index, kept, j->element);
    free(index);
    return wrong != NULL ? wrong : j->out == kept ? NULL : "the count of kept ones is wrong";
}

/* ---- buckets ---- */

/* Ids in array 1, of one, two or four bytes; offsets in array 3. */
static bool prepare_ids(job *j)
{
    static const size_t counts[] = {1, 256, 1000, 2, 37, 65536};
    bool takes = job_add_elements(j);
    j->k = counts[j->variant];
    size_t bytes = j->k <= 256 ? 1 : j->k <= 65536 && j->variant % 2 ? 2 : 4;
    char *ids = job_add(j, j->n * bytes, false);
    uint64_t state = j->seed;
    for (size_t i = 0; i < j->n; i++) {
        uint64_t id = input_random(&state) % j->k;
        memcpy(ids + i * bytes, &id, bytes);
    }
    job_add(j, j->n * j->element, true);
    job_add(j, (j->k + 1) * sizeof(uint64_t), true);
    j->op = (upsweep_op)bytes;
    return takes;
}

static upsweep_status run_ids(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    upsweep_type id = (int)j->op == 1 ? UPSWEEP_U8 : (int)j->op == 2 ? UPSWEEP_U16 : UPSWEEP_U32;
    return upsweep_split_ids(u, job_at(j, 0), job_at(j, 1), id, j->k, job_at(j, 2), j->n,
                             j->element, (void *)job_at(j, 3), &o);
}

static int order_of_ids(size_t a, size_t b, const void *context)
{
    const job *j = context;
    size_t bytes = (size_t)j->op;
    uint64_t x = 0, y = 0;
    memcpy(&x, (const char *)job_before(j, 1) + a * bytes, bytes);
    memcpy(&y, (const char *)job_before(j, 1) + b * bytes, bytes);
    return (x > y) - (x < y);
}

static const char *wrong_ids(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index), bytes = (size_t)j->op;
    const uint64_t *offsets = (const void *)job_at(j, 3);
    oracle_argsort_by(j->n, index, order_of_ids, j);
    const char *wrong = moved_by(job_at(j, 2), job_before(j, 0), index, j->n, j->element);
    for (size_t bucket = 0, i = 0; wrong == NULL && bucket <= j->k; bucket++) {
        uint64_t id = 0;
        for (; i < j->n; i++) {
            memcpy(&id, (const char *)job_before(j, 1) + index[i] * bytes, bytes);
            if (id >= bucket) {
                break;
            }
        }
        wrong = offsets[bucket] == i ? NULL : "an offset is wrong";
    }
    free(index);
    return wrong;
}

/* ---- histograms and splits of integer keys by digit and by edges: outcome in arrays 1 and 2 ----
 */

enum { DIGIT_BITS = 5, EDGES = 6 };

static bool prepare_keys(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    if (oracle_mantissa_bits(j->type) != 0) {
        return false;
    }
    j->k = j->variant == 0 ? 1 << DIGIT_BITS : EDGES;
    input_fill(j->pattern, j->type, job_add(j, j->n * bytes, false), j->n, j->seed);
    job_add(j, (j->k + 1) * sizeof(uint64_t), true);
    job_add(j, j->n * bytes, true);
    return true;
}

/* The edges: the whole range of the type in unequal parts, so that every key has a bucket. */
static upsweep_bucketing bucketing_of(const job *j, void *edges)
{
    size_t bytes = upsweep_type_bytes(j->type);
    unsigned bits = (unsigned)bytes * 8;
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bit = bits / 3};
    b.bits = DIGIT_BITS;
    b.count = j->k;
    if (j->variant == 1) {
        uint64_t all = UINT64_MAX >> (64 - bits),
                 flip = oracle_is_signed(j->type) ? all / 2 + 1 : 0;
        const uint64_t at[EDGES + 1] = {0, 1, all / 9, all / 9, all / 2, all / 2 + 1, all};
        for (size_t i = 0; i <= EDGES; i++) {
            uint64_t raw = at[i] ^ flip;
            memcpy((char *)edges + i * bytes, &raw, bytes);
        }
        b.kind = UPSWEEP_BUCKET_EDGES;
        b.edges = edges;
    }
    return b;
}

static upsweep_status run_histogram(upsweep *u, job *j)
{
    uint64_t edges[EDGES + 1];
    upsweep_bucketing b = bucketing_of(j, edges);
    upsweep_options o = job_options(j, 0);
    return upsweep_histogram(u, job_at(j, 0), j->n, j->type, &b, (void *)job_at(j, 1), &o);
}

static upsweep_status run_split_keys(upsweep *u, job *j)
{
    uint64_t edges[EDGES + 1];
    upsweep_bucketing b = bucketing_of(j, edges);
    upsweep_options o = job_options(j, 0);
    return upsweep_split_keys(u, job_at(j, 0), job_at(j, 2), j->n, j->type, &b,
                              (void *)job_at(j, 1), &o);
}

static size_t bucket_of(const job *j, size_t i)
{
    size_t bytes = upsweep_type_bytes(j->type);
    uint64_t edges[EDGES + 1];
    upsweep_bucketing b = bucketing_of(j, edges);
    const char *key = (const char *)job_before(j, 0) + i * bytes;
    if (b.kind == UPSWEEP_BUCKET_DIGIT) {
        uint64_t raw = oracle_raw(j->type, key);
        raw ^= oracle_is_signed(j->type) ? UINT64_C(1) << (bytes * 8 - 1) : 0;
        return raw >> b.bit & ((1u << DIGIT_BITS) - 1);
    }
    size_t bucket = EDGES - 1; /* the last bucket whose lower edge is not above the key */
    while (bucket > 0 && oracle_order(j->type, 0, key, (char *)edges + bucket * bytes) < 0) {
        bucket--;
    }
    return bucket;
}

static int order_of_buckets(size_t a, size_t b, const void *context)
{
    size_t x = bucket_of(context, a), y = bucket_of(context, b);
    return (x > y) - (x < y);
}

static const char *wrong_histogram(job *j)
{
    uint64_t counts[1 << DIGIT_BITS] = {0};
    for (size_t i = 0; i < j->n; i++) {
        counts[bucket_of(j, i)]++;
    }
    return memcmp(counts, job_at(j, 1), j->k * sizeof counts[0]) == 0 ? NULL : "a count is wrong";
}

static const char *wrong_split_keys(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    const uint64_t *offsets = (const void *)job_at(j, 1);
    oracle_argsort_by(j->n, index, order_of_buckets, j);
    const char *wrong =
        moved_by(job_at(j, 2), job_before(j, 0), index, j->n, upsweep_type_bytes(j->type));
    for (size_t bucket = 0, i = 0; wrong == NULL && bucket <= j->k; bucket++) {
        while (i < j->n && bucket_of(j, index[i]) < bucket) {
            i++;
        }
        wrong = offsets[bucket] == i ? NULL : "an offset is wrong";
    }
    free(index);
    return wrong;
}

/* ---- moves by index: array 1 holds the indices. Even variants 32 bits, odd ones 64. ---- */

static size_t index_bytes(const job *j)
{
    return j->variant % 2 == 0 ? 4 : 8;
}

static size_t index_at(const job *j, size_t i)
{
    uint64_t at = 0;
    memcpy(&at, (const char *)job_before(j, 1) + i * index_bytes(j), index_bytes(j));
    return (size_t)at;
}

/* Any indices below limit, or a permutation of 0 .. n-1. */
static void add_index(job *j, size_t limit, bool permutation)
{
    char *index = job_add(j, j->n * index_bytes(j), false);
    uint64_t state = j->seed;
    for (uint64_t i = 0; i < j->n; i++) {
        uint64_t at = permutation ? i : input_random(&state) % limit;
        memcpy(index + i * index_bytes(j), &at, index_bytes(j));
    }
    for (size_t i = j->n; permutation && i > 1; i--) {
        char *a = index + (i - 1) * index_bytes(j);
        char *b = index + input_random(&state) % i * index_bytes(j), kept[8];
        memcpy(kept, a, index_bytes(j));
        memcpy(a, b, index_bytes(j));
        memcpy(b, kept, index_bytes(j));
    }
}

static bool prepare_gather(job *j)
{
    bool takes = job_add_elements(j);
    j->k = j->n / 2 + 1; /* only these can be reached */
    add_index(j, j->n == 0 ? 1 : j->k < j->n ? j->k : j->n, false);
    job_add(j, j->n * j->element, true);
    return takes;
}

static upsweep_status run_gather(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_gather(u, job_at(j, 0), j->k < j->n ? j->k : j->n, job_at(j, 1),
                          (unsigned)index_bytes(j) * 8, job_at(j, 2), j->n, j->element, &o);
}

static const char *wrong_gather(job *j)
{
    const char *in = job_before(j, 0), *out = job_at(j, 2);
    for (size_t i = 0; i < j->n; i++) {
        if (memcmp(out + i * j->element, in + index_at(j, i) * j->element, j->element) != 0) {
            return "an element is wrong";
        }
    }
    return NULL;
}

static bool prepare_scatter(job *j)
{
    bool takes = job_add_elements(j);
    j->k = j->n + 3;
    add_index(j, j->k, false);
    input_fill_bytes(job_add(j, j->k * j->element, false), j->k * j->element, j->seed + 1);
    return takes;
}

static upsweep_status run_scatter(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_scatter(u, job_at(j, 0), job_at(j, 1), (unsigned)index_bytes(j) * 8,
                           job_at(j, 2), j->k, j->n, j->element, &o);
}

static const char *wrong_scatter(job *j)
{
    char *want = malloc(j->k * j->element);
    memcpy(want, job_before(j, 2), j->k * j->element);
    for (size_t i = 0; i < j->n; i++) {
        memcpy(want + index_at(j, i) * j->element, (const char *)job_before(j, 0) + i * j->element,
               j->element);
    }
    bool right = memcmp(want, job_at(j, 2), j->k * j->element) == 0;
    free(want);
    return right ? NULL : "an element is wrong";
}

static bool prepare_permute(job *j)
{
    bool takes = job_add_elements(j);
    add_index(j, j->n, true);
    return takes;
}

static upsweep_status run_permute(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_permute(u, job_at(j, 0), job_at(j, 1), (unsigned)index_bytes(j) * 8, j->n,
                           j->element, &o);
}

static const char *wrong_permute(job *j)
{
    const char *in = job_before(j, 0), *out = job_at(j, 0);
    for (size_t i = 0; i < j->n; i++) {
        if (memcmp(out + index_at(j, i) * j->element, in + i * j->element, j->element) != 0) {
            return "an element is wrong";
        }
    }
    return NULL;
}

const call calls_of_moves[] = {
    {"upsweep_split", JOB_SIZES, prepare_flags, run_split, wrong_split},
    {"upsweep_compact", JOB_SIZES, prepare_flags, run_compact, wrong_compact},
    {"upsweep_compact in place", JOB_SIZES, prepare_flags, run_compact_in_place, wrong_compact},
    {"upsweep_split_ids", JOB_SIZES, prepare_ids, run_ids, wrong_ids},
    {"upsweep_histogram", 2, prepare_keys, run_histogram, wrong_histogram},
    {"upsweep_split_keys", 2, prepare_keys, run_split_keys, wrong_split_keys},
    {"upsweep_gather", JOB_SIZES, prepare_gather, run_gather, wrong_gather},
    {"upsweep_scatter", JOB_SIZES, prepare_scatter, run_scatter, wrong_scatter},
    {"upsweep_permute", JOB_SIZES, prepare_permute, run_permute, wrong_permute},
    {0},
};

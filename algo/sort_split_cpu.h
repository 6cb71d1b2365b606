/* sort_split_cpu.h - split radix sort, CPU form.
 *
 * Same as the explained form: one stable split per key bit, lowest first; the places of the zeros
 * come from an exclusive scan.
 * Differs: the scan runs over the counts of chunks, one chunk a task; inside a chunk zeros and ones
 * are appended behind two running ends, a vector of keys at a time where the machine can compress
 * vectors. Bits in which all keys agree are left out.
 * Source: Blelloch, "Prefix sums and their applications", CMU-CS-90-190. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"

#ifndef USW_SORT_SPLIT_ONCE
#define USW_SORT_SPLIT_ONCE
#define SPLIT_GLUE_(a, b) a##b
#define SPLIT_GLUE(a, b) SPLIT_GLUE_(a, b)
/* _mm512_maskz_compress_epi32 and its like, for the width at hand. */
#define SPLIT_WIDE(stem) SPLIT_GLUE(stem, KEY_BITS)
enum { CHUNK_MIN = 16 * 1024 };
#endif

typedef struct FN(job) {
    const KEY *from;
    KEY *to;
    size_t n, chunk;
    unsigned bit;
    KEY *differ;   /* [chunk] bits that are not the same in all its keys and the first of all */
    size_t *zeros; /* [chunk] how many; then where they begin */
    size_t ones;   /* where the ones of all chunks begin */
} FN(job);

static void FN(compare_bits)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    KEY first = k[0], differ = 0;
    (void)lane;
    for (size_t i = c * job->chunk, end = usw_min(job->n, i + job->chunk); i < end; i++) {
        differ |= (KEY)(k[i] ^ first);
    }
    job->differ[c] = differ;
}

static void FN(count_zeros)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    size_t begin = c * job->chunk, end = usw_min(job->n, begin + job->chunk), ones = 0;
    (void)lane;
    for (size_t i = begin; i < end; i++) {
        ones += (size_t)(k[i] >> job->bit) & 1;
    }
    job->zeros[c] = begin < end ? end - begin - ones : 0;
}

#if USW_LEVEL == 2 && KEY_BITS <= 64

/* Appends the lanes in mask to `to`, nothing else, and returns its new end. */
static inline KEY *FN(append)(KEY *to, USW_LANE_MASK mask, __m512i x)
{
    unsigned count = (unsigned)__builtin_popcountll(mask);
    USW_LANE_MASK low = (USW_LANE_MASK)(count == 0 ? 0 : UINT64_MAX >> (64 - count));
    SPLIT_WIDE(_mm512_mask_storeu_epi)(to, low, SPLIT_WIDE(_mm512_maskz_compress_epi)(mask, x));
    return to + count;
}

static size_t FN(permute_vectors)(const KEY *k, size_t n, unsigned bit, KEY **zero, KEY **one)
{
    enum { LANES = 512 / KEY_BITS };
    KEY pattern[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        pattern[l] = (KEY)((KEY)1 << bit);
    }
    __m512i test = _mm512_loadu_si512(pattern);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        __m512i x = _mm512_loadu_si512(k + i);
        USW_LANE_MASK ones = SPLIT_GLUE(SPLIT_WIDE(_mm512_test_epi), _mask)(x, test);
        *zero = FN(append)(*zero, (USW_LANE_MASK)~ones, x);
        *one = FN(append)(*one, ones, x);
    }
    return i;
}
#else
static size_t FN(permute_vectors)(const KEY *k, size_t n, unsigned bit, KEY **zero, KEY **one)
{
    (void)k, (void)n, (void)bit, (void)zero, (void)one;
    return 0;
}
#endif

/* Keys with the bit 0 go to the bottom, with the bit 1 to the top, in order. */
static void FN(permute)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    size_t begin = c * job->chunk, end = usw_min(job->n, begin + job->chunk);
    if (begin >= end) {
        return;
    }
    size_t zeros_before = job->zeros[c], ones_before = begin - zeros_before;
    KEY *zero = job->to + zeros_before, *one = job->to + job->ones + ones_before;
    unsigned bit = job->bit;
    (void)lane;
    const KEY *k = job->from + begin;
    size_t n = end - begin;
    for (size_t i = FN(permute_vectors)(k, n, bit, &zero, &one); i < n; i++) {
        KEY key = k[i];
        bool is_one = (key >> bit) & 1;
        *(is_one ? one : zero) = key;
        one += is_one;
        zero += !is_one;
    }
}

static void FN(copy_back)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    size_t begin = c * job->chunk, end = usw_min(job->n, begin + job->chunk);
    (void)lane;
    if (begin < end) {
        memcpy(job->to + begin, job->from + begin, (end - begin) * sizeof(KEY));
    }
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    USW_ROUTE("split");
    if (n < 2) {
        return UPSWEEP_OK;
    }
    size_t chunks = usw_min(u->threads == 1 ? 1 : (size_t)u->threads * 4, usw_div_up(n, CHUNK_MIN));
    FN(job) job = {.from = keys, .n = n, .chunk = usw_div_up(n, chunks)};
    KEY *spare = usw_scratch(u, n * sizeof(KEY));
    job.differ = usw_scratch(u, chunks * sizeof(KEY));
    job.zeros = usw_scratch(u, chunks * sizeof(size_t));
    if (spare == NULL || job.differ == NULL || job.zeros == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "sort/split needs scratch for %zu keys", n);
    }
    KEY differ = 0, *from = keys;
    usw_parallel(u, chunks, FN(compare_bits), &job);
    for (size_t c = 0; c < chunks; c++) {
        differ |= job.differ[c];
    }
    for (job.bit = bit_begin; job.bit < bit_end; job.bit++) {
        if (((differ >> job.bit) & 1) == 0) {
            continue;
        }
        job.from = from;
        job.to = spare;
        usw_parallel(u, chunks, FN(count_zeros), &job);
        job.ones = 0;
        for (size_t c = 0; c < chunks; c++) {
            size_t count = job.zeros[c];
            job.zeros[c] = job.ones;
            job.ones += count;
        }
        usw_parallel(u, chunks, FN(permute), &job);
        spare = from;
        from = job.to;
    }
    if (from != keys) {
        job.from = from;
        job.to = keys;
        usw_parallel(u, chunks, FN(copy_back), &job);
    }
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_split, .takes_bits = true)
#endif

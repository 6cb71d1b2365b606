/* sort_vmerge_cpu.h - vector merge sort, CPU form.
 *
 * Same as the explained form: sort inside vectors, then passes that merge 2L sorted lists into L by
 * splitting vectors into their lowest and highest keys (merge), input and output changing
 * roles.
 * Differs: vectors are sorted many at a time, each key position in a vector register of its own, so
 * that a compare-exchange of two positions is one min and one max for a whole row of vectors; the
 * first passes stay inside blocks that fit the cache; in the passes after that each merge is split
 * by rank (merge path), so that the last pass, one merge, keeps all threads as busy as the first.
 * Source: Inoue et al., "AA-Sort", PACT 2007; Chhugani et al., VLDB 2008; Batcher's odd-even merge
 * network for the vectors. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#ifndef USW_SORT_VMERGE_ONCE
#define USW_SORT_VMERGE_ONCE
enum {
    LENGTH = 16,             /* of a vector: the runs that the passes start from */
    BLOCK_BYTES = 128 * 1024 /* keys merged by one thread in its cache */
};
#endif

/* One sort: the lists of a pass lie in from, those it makes in to. */
typedef struct FN(job) {
    const usw_merge_steps *part;
    KEY *keys, *from, *to, *first; /* first: where sorted vectors go */
    size_t n, block, list;         /* keys; of a block; of a list in this pass */
} FN(job);

/* ---- sort inside vectors ---- */

/* ROW vectors at once: row r of v holds the r-th key of each. */
enum { FN(ROW) = 64 / sizeof(KEY) };

static inline void FN(exchange_rows)(KEY *restrict low, KEY *restrict high)
{
    for (unsigned c = 0; c < FN(ROW); c++) {
        KEY a = low[c], b = high[c];
        low[c] = a < b ? a : b;
        high[c] = a < b ? b : a;
    }
}

static void FN(sort_inside_vectors)(const KEY *in, KEY *out)
{
    KEY v[LENGTH][FN(ROW)];
    memcpy(v, in, sizeof v);
    for (unsigned p = 1; p < LENGTH; p *= 2) {
        for (unsigned k = p; k >= 1; k /= 2) {
            for (unsigned j = k % p; j + k < LENGTH; j += 2 * k) {
                for (unsigned i = j; i < j + k && i + k < LENGTH; i++) {
                    if (i / (2 * p) == (i + k) / (2 * p)) {
                        FN(exchange_rows)(v[i], v[i + k]);
                    }
                }
            }
        }
    }
    for (unsigned c = 0; c < FN(ROW); c++) {
        for (unsigned r = 0; r < LENGTH; r++) {
            out[c * LENGTH + r] = v[r][c];
        }
    }
}

/* The last vectors, too few for a row. */
static void FN(insert_vector)(const KEY *in, KEY *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        KEY k = in[i];
        size_t j = i;
        for (; j > 0 && out[j - 1] > k; j--) {
            out[j] = out[j - 1];
        }
        out[j] = k;
    }
}

static void FN(sort_vectors)(const KEY *in, KEY *out, size_t n)
{
    size_t i = 0, step = LENGTH * FN(ROW);
    for (; i + step <= n; i += step) {
        FN(sort_inside_vectors)(in + i, out + i);
    }
    for (; i < n; i += LENGTH) {
        FN(insert_vector)(in + i, out + i, usw_min(LENGTH, n - i));
    }
}

/* ---- merge lists ---- */

static unsigned FN(width)(void)
{
    return usw_log2_up(sizeof(KEY));
}

/* All passes inside one block. */
static void FN(sort_block)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    usw_merge_fn merge = job->part->merge[FN(width)()];
    size_t start = t * job->block, n = usw_min(job->n - start, job->block);
    KEY *other = job->first == job->from ? job->to : job->from;
    KEY *from = job->first + start, *to = other + start;
    (void)lane;
    FN(sort_vectors)(job->keys + start, from, n);
    for (size_t list = LENGTH; list < job->block; list *= 2) {
        for (size_t i = 0; i < n; i += 2 * list) {
            size_t middle = usw_min(i + list, n), end = usw_min(i + 2 * list, n);
            merge(from + i, middle - i, from + middle, end - middle, to + i);
        }
        KEY *t_from = from;
        from = to;
        to = t_from;
    }
}

/* One block of the output of a pass over longer lists: its two ranks cut the merge it belongs
 * to. */
static void FN(merge_piece)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t begin = t * job->block, end = usw_min(job->n, begin + job->block);
    size_t start = begin / (2 * job->list) * (2 * job->list);
    size_t middle = usw_min(start + job->list, job->n), stop = usw_min(middle + job->list, job->n);
    const KEY *a = job->from + start, *b = job->from + middle;
    size_t na = middle - start, nb = stop - middle;
    size_t r0 = begin - start, r1 = end - start;
    size_t i0 = job->part->split[FN(width)()](a, na, b, nb, r0);
    size_t i1 = job->part->split[FN(width)()](a, na, b, nb, r1);
    (void)lane;
    job->part->merge[FN(width)()](a + i0, i1 - i0, b + (r0 - i0), (r1 - i1) - (r0 - i0),
                                  job->to + begin);
}

/* ---- the whole ---- */

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    USW_ROUTE("vmerge");
    (void)bit_begin, (void)bit_end;
    if (n <= LENGTH) {
        FN(insert_vector)(keys, keys, n);
        return UPSWEEP_OK;
    }
    KEY *scratch = usw_scratch(u, n * sizeof(KEY));
    if (scratch == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "sort/vmerge needs scratch for %zu keys", n);
    }
    size_t block = LENGTH, inside = 0, passes = 0;
    for (; block < n && 2 * block * sizeof(KEY) <= BLOCK_BYTES; block *= 2) {
        inside++;
    }
    for (size_t list = block; list < n; list *= 2) {
        passes++;
    }
    /* The last pass must end in the keys. */
    FN(job)
    job = {.part = USW_PICK(u->isa, usw_merge_steps),
           .keys = keys,
           .from = passes % 2 ? scratch : keys,
           .to = passes % 2 ? keys : scratch,
           .first = (passes + inside) % 2 ? scratch : keys,
           .n = n,
           .block = block};
    size_t blocks = usw_div_up(n, block);
    usw_parallel(u, blocks, FN(sort_block), &job);
    for (job.list = block; job.list < n; job.list *= 2) {
        usw_parallel(u, blocks, FN(merge_piece), &job);
        KEY *t = job.from;
        job.from = job.to;
        job.to = t;
    }
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_vmerge, .takes_bits = false)
#endif

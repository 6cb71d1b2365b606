/* unique.c - unique and run_lengths, by the bits of the keys or as numbers.
 *
 * unique: with one or two threads the heads (keys that differ from the one before) are compacted in
 * place by one, since that saturates the memory of small machines. With more, waves of blocks are
 * compacted into scratch side by side and then copied to their places, which lie where the wave or
 * one before it has been read already: no second array is needed.
 *
 * run_lengths: the heads of each block are counted; then every block knows where its runs go and
 * where the next head after it is, writes the places of its heads, and takes differences.
 *
 * As numbers: one thread goes over the keys; Python's unique asks for it of keys on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/cpu.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_IN_PLACE |
            UPSWEEP_NUMBERS,
    WAVE_BYTES = 1 << 20, /* of one block of a wave */
    RUNS_BLOCK = 1 << 14  /* keys */
};

typedef struct wave_block {
    size_t kept, to; /* heads, and the place of the first */
} wave_block;

typedef struct unique_job {
    const usw_unique_steps *steps;
    unsigned width;
    size_t bytes, n;
    unsigned char *keys;
    unsigned char *spare;  /* a block for each of a wave */
    size_t start, block_n; /* of the wave; keys of one block */
    wave_block *blocks;
} unique_job;

static bool is_head(const unsigned char *keys, size_t i, size_t bytes)
{
    return i == 0 || memcmp(keys + i * bytes, keys + (i - 1) * bytes, bytes) != 0;
}

static void compact_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const unique_job *j = context;
    size_t at = j->start + block * j->block_n, n = usw_min(j->block_n, j->n - at);
    j->blocks[block].kept =
        j->steps->compact[j->width](j->keys + at * j->bytes, n, is_head(j->keys, at, j->bytes),
                                    j->spare + block * j->block_n * j->bytes);
}

static void place_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const unique_job *j = context;
    const wave_block *b = &j->blocks[block];
    memcpy(j->keys + b->to * j->bytes, j->spare + block * j->block_n * j->bytes,
           b->kept * j->bytes);
}

static size_t unique_by_waves(upsweep *u, unique_job *j, size_t wave)
{
    USW_ROUTE("unique by waves of blocks");
    size_t kept = 0;
    for (j->start = 0; j->start < j->n; j->start += wave * j->block_n) {
        size_t blocks = usw_min(wave, usw_div_up(j->n - j->start, j->block_n));
        usw_parallel(u, blocks, compact_block, j);
        for (size_t b = 0; b < blocks; b++) {
            j->blocks[b].to = kept;
            kept += j->blocks[b].kept;
        }
        usw_parallel(u, blocks, place_block, j);
    }
    return kept;
}

static size_t run_unique(upsweep *u, unique_job *j)
{
    size_t wave = u->threads;
    j->block_n = WAVE_BYTES / j->bytes;
    if (wave > 2 && j->n >= 2 * j->block_n) {
        j->blocks = usw_scratch(u, wave * sizeof *j->blocks);
        j->spare = usw_scratch(u, wave * WAVE_BYTES);
        if (j->blocks != NULL && j->spare != NULL) {
            return unique_by_waves(u, j, wave);
        }
    }
    USW_ROUTE("unique in place by one thread");
    return j->steps->compact[j->width](j->keys, j->n, true, j->keys);
}

/* ---- as numbers ---- */

/* The bits of the type's infinity where keys are compared as numbers of floating point, else 0. */
static uint64_t infinity_for(upsweep_type type, const usw_options *o)
{
    if ((o->flags & UPSWEEP_NUMBERS) == 0) {
        return 0;
    }
    switch (type) {
    case UPSWEEP_F16: return 0x7c00;
    case UPSWEEP_BF16: return 0x7f80;
    case UPSWEEP_F32: return 0x7f800000;
    case UPSWEEP_F64: return UINT64_C(0x7ff0000000000000);
    default: return 0;
    }
}

/* Runs of numbers that are equal: the first key of each to out, which may be keys; counts may be
 * NULL. */
static size_t number_runs(const unsigned char *keys, size_t n, size_t bytes, uint64_t infinity,
                          unsigned char *out, uint64_t *counts)
{
    USW_ROUTE_OF("runs of equal numbers", USW_NO_TYPES);
    const uint64_t size = (UINT64_C(1) << (8 * bytes - 1)) - 1; /* all bits but the sign */
    uint64_t before = 0;
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = usw_load_raw(keys + i * bytes, bytes), a = key & size,
                       b = before & size;
        if (i == 0 || (key != before && (a | b) != 0 && (a <= infinity || b <= infinity))) {
            memmove(out + runs * bytes, keys + i * bytes, bytes);
            if (counts != NULL) {
                counts[runs] = 0;
            }
            runs++;
        }
        if (counts != NULL) {
            counts[runs - 1]++;
        }
        before = key;
    }
    return runs;
}

static upsweep_status check(upsweep *u, const usw_options *o, const void *keys, size_t n,
                            upsweep_type type, const void *count)
{
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, keys, n, upsweep_type_bytes(type), "keys");
    }
    if (status == UPSWEEP_OK && count == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "there is nowhere to put the count");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_unique(upsweep *u, void *keys, size_t n, upsweep_type type, size_t *kept,
                              const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check(u, &o, keys, n, type, kept);
    const uint64_t infinity = infinity_for(type, &o);
    const size_t bytes = upsweep_type_bytes(type);
    if (status == UPSWEEP_OK && !usw_gpu_unique(u, keys, n, bytes, infinity, kept, &status)) {
        unique_job j = {.steps = USW_PICK(u->isa, usw_unique_steps), .n = n, .keys = keys};
        j.bytes = bytes;
        j.width = usw_log2_up(j.bytes);
        USW_SHARE_CALL(u, n * bytes, USW_LIKE_READING, type);
        *kept = n == 0          ? 0
                : infinity != 0 ? number_runs(keys, n, bytes, infinity, keys, NULL)
                                : run_unique(u, &j);
    }
    return usw_leave(u, status);
}

/* ---- run lengths ---- */

typedef struct runs_block {
    size_t heads, first; /* how many, and where in the block the first is */
    size_t to;           /* runs before the block */
    size_t next;         /* the first head after the block, or n */
} runs_block;

typedef struct runs_job {
    const usw_unique_steps *steps;
    unsigned width;
    size_t bytes, n;
    const unsigned char *keys;
    runs_block *blocks;
    unsigned char *out_keys;
    uint64_t *out_counts;
} runs_job;

static void count_heads(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const runs_job *j = context;
    size_t at = block * RUNS_BLOCK, n = usw_min(RUNS_BLOCK, j->n - at);
    runs_block *b = &j->blocks[block];
    b->heads = j->steps->heads[j->width](j->keys + at * j->bytes, n, is_head(j->keys, at, j->bytes),
                                         &b->first);
}

static void write_runs(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const runs_job *j = context;
    size_t at = block * RUNS_BLOCK, n = usw_min(RUNS_BLOCK, j->n - at);
    const runs_block *b = &j->blocks[block];
    if (b->heads == 0) {
        return;
    }
    uint64_t *counts = j->out_counts + b->to;
    j->steps->runs[j->width](j->keys + at * j->bytes, n, is_head(j->keys, at, j->bytes), b->heads,
                             at, j->out_keys + b->to * j->bytes, counts);
    for (size_t i = 0; i + 1 < b->heads; i++) {
        counts[i] = counts[i + 1] - counts[i];
    }
    counts[b->heads - 1] = b->next - counts[b->heads - 1];
}

static upsweep_status find_runs(upsweep *u, runs_job *j, size_t *runs)
{
    USW_ROUTE("runs");
    size_t blocks = usw_div_up(j->n, RUNS_BLOCK), next = j->n, total = 0;
    j->blocks = usw_scratch(u, blocks * sizeof *j->blocks);
    if (j->blocks == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "run_lengths: no scratch for %zu blocks", blocks);
    }
    usw_parallel(u, blocks, count_heads, j);
    for (size_t b = 0; b < blocks; b++) {
        j->blocks[b].to = total;
        total += j->blocks[b].heads;
    }
    for (size_t b = blocks; b-- > 0;) {
        j->blocks[b].next = next;
        next = j->blocks[b].heads != 0 ? b * RUNS_BLOCK + j->blocks[b].first : next;
    }
    usw_parallel(u, blocks, write_runs, j);
    *runs = total;
    return UPSWEEP_OK;
}

upsweep_status upsweep_run_lengths(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                   void *out_keys, uint64_t *out_counts, size_t *runs,
                                   const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS & ~UPSWEEP_IN_PLACE, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check(u, &o, keys, n, type, runs);
    if (status == UPSWEEP_OK && n > 0 && (out_keys == NULL || out_counts == NULL)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "run_lengths: an output is NULL");
    }
    const uint64_t infinity = infinity_for(type, &o);
    const size_t bytes = upsweep_type_bytes(type);
    if (status == UPSWEEP_OK &&
        !usw_gpu_runs(u, keys, n, bytes, infinity, out_keys, out_counts, runs, &status)) {
        runs_job j = {.steps = USW_PICK(u->isa, usw_unique_steps), .n = n, .keys = keys};
        j.bytes = bytes;
        j.width = usw_log2_up(j.bytes);
        j.out_keys = out_keys;
        j.out_counts = out_counts;
        *runs = 0;
        USW_SHARE_CALL(u, n * bytes, USW_LIKE_MERGING, type);
        if (n > 0 && infinity != 0) {
            *runs = number_runs(keys, n, bytes, infinity, out_keys, out_counts);
        } else if (n > 0) {
            status = find_runs(u, &j, runs);
        }
    }
    return usw_leave(u, status);
}

/* sort_records.c - the stable sort of records by key fields, as a sort of integers.
 *
 * The first 8 bytes of each record's normalised key (record_keys.h) and its position are packed
 * into one integer; keys of up to 4 bytes make integers of 64 bits, others of 128. The integers are
 * sorted; records move once, at the end. If the key is longer than 8 bytes, each run of tied
 * records is sorted by the next 8 bytes, and so on (a sort by the most significant digit first,
 * with digits of 64 bits): short runs by one thread each, runs from LONG_RUN records on by all.
 *
 * Keys of up to 8 bytes, unless the caller names a sort, are read into an array of their own and
 * sorted as pairs with the records, or with their positions. */
/* SPDX-License-Identifier: MIT */
#include "cpu/merging/merging.h"
#include "cpu/pair_sort/pair_sort.h"

enum {
    BLOCK = 1 << 13,    /* records of one task */
    LONG_RUN = 1 << 16, /* records; from here on all threads share a run */
    FETCH_AHEAD = 16    /* records */
};

/* A run of records whose keys agree in all chunks of 8 bytes before `chunk`. */
typedef struct tied_run {
    size_t begin, n, chunk;
} tied_run;

/* The heads in a block: records whose key differs from that of the record before. */
typedef struct block_heads {
    size_t first, last; /* SIZE_MAX: nowhere */
    size_t end;         /* the first head after the block, or the end of the run */
} block_heads;

typedef struct job {
    upsweep *u;
    usw_record_keys keys;
    const usw_sort_form *form;
    unsigned char *records, *copy;
    size_t n, record_bytes;
    usw_pairs pairs; /* the packed keys and positions, or positions alone; for gather */
    size_t position_bytes;
    void *bare_keys; /* [n] of 4 or 8 bytes: the first chunk of each key */
    usw_key_plan plan;
    tied_run run; /* the one that all threads sort now */
    block_heads *heads;
    tied_run *waiting; /* long runs that are to be sorted by their next chunk */
    size_t waiting_count;
} job;

/* ---- packing, sorting, moving ---- */

/* Packs the first chunk of the keys of a block with the records' positions. */
static void pack_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    const unsigned char *record = j->records + block * BLOCK * j->record_bytes;
    size_t begin = block * BLOCK, end = usw_min(begin + BLOCK, j->n);
    for (size_t i = begin; i < end; i++, record += j->record_bytes) {
        uint64_t key = usw_key_chunk(&j->plan, record);
        if (j->pairs.record_bytes == 8) {
            ((uint64_t *)j->pairs.records)[i] = (key >> 32) << 32 | i;
        } else {
            ((usw_u128 *)j->pairs.records)[i] = (usw_u128)key << 64 | i;
        }
    }
}

/* Sorts packed keys of `chunk`; where the key ends inside the chunk, by the used bytes only. */
static upsweep_status sort_packed(const job *j, size_t begin, size_t n, size_t chunk)
{
    size_t used = usw_min(j->keys.key_bytes - chunk * USW_CHUNK_BYTES, USW_CHUNK_BYTES);
    unsigned bits = (unsigned)j->pairs.record_bytes * 8;
    unsigned low = j->form->takes_bits ? bits - 8 * (unsigned)used : 0;
    char *packed = (char *)j->pairs.records + begin * j->pairs.record_bytes;
    usw_mark mark = usw_scratch_mark(j->u);
    upsweep_status status =
        j->form->sort[j->pairs.record_bytes == 8 ? 3 : 4](j->u, packed, n, low, bits);
    usw_scratch_reset(j->u, mark);
    return status;
}

static void gather_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    USW_PICK(j->u->isa, usw_pack_steps)
        ->gather(j->pairs.records, j->pairs.record_bytes, j->position_bytes, j->records, j->copy,
                 j->record_bytes, block * BLOCK, usw_min(block * BLOCK + BLOCK, j->n));
}

static void copy_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    size_t begin = block * BLOCK, end = usw_min(begin + BLOCK, j->n);
    memcpy(j->records + begin * j->record_bytes, j->copy + begin * j->record_bytes,
           (end - begin) * j->record_bytes);
}

static uint64_t position_of(const job *j, size_t i)
{
    return usw_load_raw((const char *)j->pairs.records + i * j->pairs.record_bytes,
                        j->position_bytes);
}

static void set_done(const job *j, size_t i)
{
    usw_store_raw((char *)j->pairs.records + i * j->pairs.record_bytes, j->position_bytes, i);
}

/* Moves records along the cycles of the permutation, by exchanges, without a second array. */
static void move_in_place(const job *j)
{
    USW_ROUTE_OF("records move along cycles", USW_NO_TYPES);
    for (size_t start = 0; start < j->n; start++) {
        size_t at = start;
        for (size_t from; (from = position_of(j, at)) != start; at = from) {
            unsigned char *x = j->records + at * j->record_bytes;
            unsigned char *y = j->records + from * j->record_bytes;
            for (size_t b = 0; b < j->record_bytes; b++) {
                unsigned char byte = x[b];
                x[b] = y[b];
                y[b] = byte;
            }
            set_done(j, at);
        }
        set_done(j, at);
    }
}

/* Moves records to their places, by a copy, or, without scratch for that, in place. */
static void move_records(job *j)
{
    j->copy = usw_scratch(j->u, j->n * j->record_bytes);
    if (j->copy == NULL) {
        move_in_place(j);
        return;
    }
    usw_parallel(j->u, usw_div_up(j->n, BLOCK), gather_block, j);
    usw_parallel(j->u, usw_div_up(j->n, BLOCK), copy_block, j);
}

/* ---- ties: the next chunk ---- */

static inline uint64_t key_at(const usw_u128 *packed, size_t i)
{
    return (uint64_t)(packed[i] >> 64);
}

/* Replaces the chunk in each of n packed keys by the chunk that the plan reads. */
static void pack_next_chunk(const job *j, const usw_key_plan *plan, usw_u128 *packed, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t ahead = (size_t)packed[usw_min(i + FETCH_AHEAD, n - 1)];
        __builtin_prefetch(j->records + ahead * j->record_bytes + plan->parts[0].offset);
        size_t position = (size_t)packed[i];
        uint64_t key = usw_key_chunk(plan, j->records + position * j->record_bytes);
        packed[i] = (usw_u128)key << 64 | position;
    }
}

static size_t run_end(const usw_u128 *packed, size_t begin, size_t n)
{
    size_t end = begin + 1;
    while (end < n && key_at(packed, end) == key_at(packed, begin)) {
        end++;
    }
    return end;
}

/* Sorts a run by all chunks from `chunk` on, on one thread. The longest run of equal keys is left
 * to the loop, so that the recursion is at most log2 n deep. */
static void settle_run(const job *j, usw_u128 *packed, size_t n, size_t chunk)
{
    USW_ROUTE_OF("a run of ties, by one thread", USW_NO_TYPES);
    for (; n > 1 && chunk * USW_CHUNK_BYTES < j->keys.key_bytes; chunk++) {
        usw_key_plan plan = usw_plan_chunk(&j->keys, chunk);
        pack_next_chunk(j, &plan, packed, n);
        USW_PICK(j->u->isa, usw_cache_sort_steps)->sort[4](packed, n);
        size_t longest = 0, longest_n = 1;
        for (size_t i = 0, end; i < n; i = end) {
            end = run_end(packed, i, n);
            if (end - i > longest_n) {
                longest = i;
                longest_n = end - i;
            }
        }
        for (size_t i = 0, end; longest_n > 1 && i < n; i = end) {
            end = run_end(packed, i, n);
            if (i != longest && end - i > 1) {
                settle_run(j, packed + i, end - i, chunk + 1);
            }
        }
        packed += longest;
        n = longest_n;
    }
}

/* Finds the first and the last head of a block of j->run. */
static void find_heads(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    const usw_u128 *packed = (const usw_u128 *)j->pairs.records + j->run.begin;
    size_t begin = block * BLOCK, end = usw_min(begin + BLOCK, j->run.n);
    block_heads h = {SIZE_MAX, SIZE_MAX, 0};
    for (size_t i = begin; i < end; i++) {
        if (i == 0 || key_at(packed, i) != key_at(packed, i - 1)) {
            h.first = h.first == SIZE_MAX ? i : h.first;
            h.last = i;
        }
    }
    j->heads[block] = h;
}

/* Sorts the tied runs that begin in the block, but for those from LONG_RUN records on. */
static void settle_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    const block_heads *h = &j->heads[block];
    usw_u128 *packed = (usw_u128 *)j->pairs.records + j->run.begin;
    for (size_t i = h->first, end; i < h->end; i = end) {
        end = i == h->last ? h->end : run_end(packed, i, h->end);
        if (end - i > 1 && end - i < LONG_RUN) {
            settle_run(j, packed + i, end - i, j->run.chunk);
        }
    }
}

/* j->run is sorted by the chunk before j->run.chunk: sorts its tied runs, and puts the long ones on
 * the list. */
static void settle_ties(job *j)
{
    size_t blocks = usw_div_up(j->run.n, BLOCK), end = j->run.n;
    usw_parallel(j->u, blocks, find_heads, j);
    for (size_t b = blocks; b-- > 0;) {
        block_heads *h = &j->heads[b];
        h->end = h->first == SIZE_MAX ? 0 : end;
        if (h->first == SIZE_MAX) {
            continue;
        }
        if (end - h->last >= LONG_RUN) {
            j->waiting[j->waiting_count++] =
                (tied_run){j->run.begin + h->last, end - h->last, j->run.chunk};
        }
        end = h->first;
    }
    usw_parallel(j->u, blocks, settle_block, j);
}

static void pack_run_block(void *context, size_t block, unsigned lane)
{
    USW_ROUTE_OF("a long run of ties, by all threads", USW_NO_TYPES);
    (void)lane;
    const job *j = context;
    size_t begin = block * BLOCK, end = usw_min(begin + BLOCK, j->run.n);
    usw_u128 *packed = (usw_u128 *)j->pairs.records + j->run.begin + begin;
    pack_next_chunk(j, &j->plan, packed, end - begin);
}

/* Sorts all records that are tied by their first chunk. */
static upsweep_status settle_all(job *j)
{
    j->run = (tied_run){0, j->n, 1};
    settle_ties(j);
    while (j->waiting_count > 0) {
        j->run = j->waiting[--j->waiting_count];
        if (j->run.chunk * USW_CHUNK_BYTES >= j->keys.key_bytes) {
            continue;
        }
        j->plan = usw_plan_chunk(&j->keys, j->run.chunk);
        usw_parallel(j->u, usw_div_up(j->run.n, BLOCK), pack_run_block, j);
        upsweep_status status = sort_packed(j, j->run.begin, j->run.n, j->run.chunk);
        if (status != UPSWEEP_OK) {
            return status;
        }
        j->run.chunk++;
        settle_ties(j);
    }
    return UPSWEEP_OK;
}

/* ---- keys of one chunk: sorted as pairs ---- */

/* Whether the key is a number of 4 or 8 bytes, which is read raw and mapped by the pair sort. */
static bool is_one_number(const job *j)
{
    const usw_key_field *p = &j->plan.parts[0];
    return j->plan.count == 1 && !p->text && (p->bytes == 4 || p->bytes == 8);
}

static void read_numbers(const job *j, const unsigned char *number, size_t begin, size_t end)
{
    if (j->keys.key_bytes == 4) {
        USW_ROUTE_OF("a number of 32 bits", USW_NO_TYPES);
        uint32_t *key = j->bare_keys;
        for (size_t i = begin; i < end; i++, number += j->record_bytes) {
            memcpy(key + i, number, sizeof *key);
        }
        return;
    }
    USW_ROUTE_OF("a number of 64 bits", USW_NO_TYPES);
    uint64_t *key = j->bare_keys;
    for (size_t i = begin; i < end; i++, number += j->record_bytes) {
        memcpy(key + i, number, sizeof *key);
    }
}

static void read_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const job *j = context;
    const unsigned char *record = j->records + block * BLOCK * j->record_bytes;
    size_t begin = block * BLOCK, end = usw_min(begin + BLOCK, j->n);
    if (is_one_number(j)) {
        read_numbers(j, record + j->plan.parts[0].offset, begin, end);
        return;
    }
    for (size_t i = begin; i < end; i++, record += j->record_bytes) {
        uint64_t key = usw_key_chunk(&j->plan, record);
        if (j->keys.key_bytes <= 4) {
            ((uint32_t *)j->bare_keys)[i] = (uint32_t)(key >> 32);
        } else {
            ((uint64_t *)j->bare_keys)[i] = key;
        }
    }
}

/* Sorts pairs of a key and its record if that has 1, 2, 4, 8 or 16 bytes, else of a key and its
 * position. */
static upsweep_status sort_carried(job *j)
{
    USW_ROUTE_OF("keys of one chunk", USW_NO_TYPES);
    size_t key_bytes = j->keys.key_bytes <= 4 ? 4 : 8, rb = j->record_bytes, bytes;
    bool whole = rb <= 16 && (rb & (rb - 1)) == 0;
    if (usw_mul_overflows(j->n, key_bytes, &bytes) ||
        (j->bare_keys = usw_scratch(j->u, bytes)) == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    j->position_bytes = j->n - 1 <= UINT32_MAX ? 4 : 8;
    usw_pair_sort p = {.n = j->n, .keys = j->bare_keys, .payload_bytes = j->position_bytes};
    usw_pattern found = USW_NO_PATTERN;
    p.found = &found;
    p.map.bits = p.bit_end = (unsigned)key_bytes * 8;
    p.bit_begin = p.bit_end - 8 * (unsigned)j->keys.key_bytes;
    p.map = is_one_number(j) ? j->plan.parts[0].map : p.map;
    if (whole) {
        USW_ROUTE_OF("records travel with their keys", USW_NO_TYPES);
        p.payloads = p.out_payloads = j->records;
        p.payload_bytes = rb;
    }
    usw_parallel(j->u, usw_div_up(j->n, BLOCK), read_block, j);
    upsweep_status status = usw_sort_carrying(j->u, &p, key_bytes);
    if (status == UPSWEEP_OK && !whole) {
        USW_ROUTE_OF("records are moved by their positions", USW_NO_TYPES);
        j->pairs.records = p.out_payloads;
        j->pairs.record_bytes = j->position_bytes;
        move_records(j);
    }
    return status;
}

upsweep_status usw_sort_records(upsweep *u, void *records, size_t n, const usw_record_keys *keys,
                                const usw_sort_form *form)
{
    job all = {.u = u, .keys = *keys, .form = form, .records = records, .n = n}, *j = &all;
    j->record_bytes = keys->record_bytes;
    j->pairs.record_bytes = j->keys.key_bytes <= 4 && j->n - 1 <= UINT32_MAX ? 8 : 16;
    j->position_bytes = j->pairs.record_bytes / 2;
    bool ties = j->keys.key_bytes > USW_CHUNK_BYTES;
    if (form == NULL) {
        j->plan = usw_plan_chunk(&j->keys, 0);
        return sort_carried(j);
    }
    USW_ROUTE_IF(j->pairs.record_bytes == 8, "packed in 64 bits", USW_NO_TYPES);
    USW_ROUTE_IF(j->pairs.record_bytes == 16, "packed in 128 bits", USW_NO_TYPES);
    USW_ROUTE_IF(ties, "keys longer than a chunk", USW_NO_TYPES);
    USW_ROUTE_IF(!ties, "by name", USW_NO_TYPES);
    size_t bytes, blocks = usw_div_up(j->n, BLOCK);
    if (usw_mul_overflows(j->n, j->pairs.record_bytes, &bytes)) {
        return UPSWEEP_ERROR_MEMORY;
    }
    j->pairs.records = usw_scratch(j->u, bytes);
    j->heads = ties ? usw_scratch(j->u, blocks * sizeof *j->heads) : NULL;
    j->waiting = ties ? usw_scratch(j->u, (j->n / LONG_RUN + 1) * sizeof *j->waiting) : NULL;
    if (j->pairs.records == NULL || (ties && (j->heads == NULL || j->waiting == NULL))) {
        return UPSWEEP_ERROR_MEMORY;
    }
    j->plan = usw_plan_chunk(&j->keys, 0);
    usw_parallel(j->u, blocks, pack_block, j);
    upsweep_status status = sort_packed(j, 0, j->n, 0);
    if (status == UPSWEEP_OK && ties) {
        status = settle_all(j);
    }
    if (status == UPSWEEP_OK) {
        move_records(j);
    }
    return status;
}

/* select.c - nth_element and top_k. The k-th key is found in cpu/selection/select.c.
 *
 * top_k: a sample gives a key that a little more than k keys do not exceed. If k is small, one pass
 * collects those keys, in any order. Else one pass counts them block by block, a second collects
 * them. Where positions are asked for, records of key and position are collected and sorted, else
 * keys alone. Where the sample was wrong the exact k-th key is found on a copy first. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/top_k.h"
#include "cpu/selection/select.h"

#include <stdatomic.h>

enum {
    NTH_FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_LARGEST |
                UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE,
    TOP_FLAGS = NTH_FLAGS & ~UPSWEEP_IN_PLACE,
    TAKE_KEYS = 1 << 16,      /* that one task looks at */
    TAKE_SMALL = 4096,        /* keys; of so few a good part is taken at once, too */
    TAKE_BYTES = 1 << 14,     /* bytes */
    ONE_THREAD_MOST = 1 << 14 /* records; so few are sorted by the calling thread, in place */
};
_Static_assert((int)TAKE_BYTES >= (int)USW_TAKE_ROOM, "take must get on");

usw_keymap usw_top_map(upsweep_type type, unsigned flags)
{
    return usw_keymap_of(type, flags & UPSWEEP_LARGEST ? flags | UPSWEEP_DESCENDING : flags);
}

static upsweep_status check(upsweep *u, const usw_options *o, const void *keys, size_t n,
                            upsweep_type type)
{
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, keys, n, upsweep_type_bytes(type), "keys");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_nth_element(upsweep *u, void *keys, size_t n, size_t k, upsweep_type type,
                                   const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, NTH_FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check(u, &o, keys, n, type);
    if (status == UPSWEEP_OK && k >= n) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "nth_element: k is %zu, but n is %zu", k, n);
    }
    if (status == UPSWEEP_OK) {
        usw_keymap map = usw_top_map(type, o.flags);
        if (!usw_may_leave(u) || !usw_gpu_nth(u, keys, n, k, &map, &status)) {
            USW_SHARE_CALL(u, n * map.bits / 8, USW_LIKE_SCANNING, type);
            usw_select(u, keys, n, k, &map);
        }
    }
    return usw_leave(u, status);
}

typedef struct top_job {
    upsweep *u;
    const usw_select_steps *steps;
    unsigned width;
    size_t bytes, n, k;
    usw_keymap map;
    const unsigned char *keys;
    uint64_t limit;      /* mapped: no key above it is wanted */
    size_t (*counts)[2]; /* of each block: keys less than limit, and not above it */
    size_t less, ties;   /* keys less than limit, and equal ones that are wanted */
    unsigned char *records;
    size_t record_bytes, records_n; /* as many bytes as a key has: keys alone */
    size_t most;                    /* records that a single pass may collect */
    atomic_size_t used;             /* records that it has collected, or would have */
    unsigned char *out, *index;
    size_t index_bytes;
} top_job;

static size_t block_keys(const top_job *j, size_t block)
{
    return usw_min(USW_SELECT_BLOCK, j->n - block * USW_SELECT_BLOCK);
}

static void count_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const top_job *j = context;
    j->steps->count[j->width](j->keys + block * USW_SELECT_BLOCK * j->bytes, block_keys(j, block),
                              &j->map, j->limit, j->limit, j->counts[block]);
}

/* Counts the keys less than limit and not above it in all. */
static void count_all(top_job *j, size_t totals[2])
{
    size_t blocks = usw_div_up(j->n, USW_SELECT_BLOCK);
    usw_parallel(j->u, blocks, count_block, j);
    totals[0] = totals[1] = 0;
    for (size_t b = 0; b < blocks; b++) {
        totals[0] += j->counts[b][0];
        totals[1] += j->counts[b][1];
    }
}

/* Of the equal keys each block takes what the blocks before it have left over. counts become the
 * place of a block's first record, and its ties. */
static void collect_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const top_job *j = context;
    size_t at = block * USW_SELECT_BLOCK, begin = j->counts[block][0];
    size_t end =
        block + 1 < usw_div_up(j->n, USW_SELECT_BLOCK) ? j->counts[block + 1][0] : j->records_n;
    if (begin < end) {
        j->steps->collect[j->width](j->keys + at * j->bytes, block_keys(j, block), &j->map,
                                    j->limit, j->counts[block][1], at,
                                    j->records + begin * j->record_bytes, j->record_bytes);
    }
}

static void place_blocks(top_job *j)
{
    size_t blocks = usw_div_up(j->n, USW_SELECT_BLOCK), at = 0, ties_left = j->ties;
    for (size_t b = 0; b < blocks; b++) {
        size_t less = j->counts[b][0];
        size_t ties = usw_min(j->counts[b][1] - less, ties_left);
        j->counts[b][0] = at;
        j->counts[b][1] = ties;
        at += less + ties;
        ties_left -= ties;
    }
}

void usw_top_unpack(const usw_keymap *map, const void *records, size_t record_bytes, size_t n,
                    usw_isa isa, unsigned char *out, unsigned char *index, size_t index_bytes)
{
    size_t bytes = map->bits / 8;
    if (record_bytes == bytes && index == NULL) {
        USW_PICK(isa, usw_keymap_steps)->unmap[usw_log2_up(bytes)](out, records, n, map);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t key, position;
        if (record_bytes == 8) {
            uint64_t record = ((const uint64_t *)records)[i];
            key = record >> 32;
            position = (uint32_t)record;
        } else {
            usw_u128 record = ((const usw_u128 *)records)[i];
            key = (uint64_t)(record >> 64);
            position = (uint64_t)record;
        }
        usw_store_raw(out + i * bytes, bytes, usw_unmap_key(map, key));
        if (index != NULL) {
            usw_store_raw(index + i * index_bytes, index_bytes, position);
        }
    }
}

static void unpack_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const top_job *j = context;
    size_t begin = block * USW_SELECT_BLOCK, end = usw_min(begin + USW_SELECT_BLOCK, j->k);
    usw_top_unpack(&j->map, j->records + begin * j->record_bytes, j->record_bytes, end - begin,
                   j->u->isa, j->out + begin * j->bytes,
                   j->index == NULL ? NULL : j->index + begin * j->index_bytes, j->index_bytes);
}

size_t usw_top_limit(const upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                     uint64_t *limit)
{
    uint64_t sample[USW_SAMPLE_MAX];
    size_t bytes = map->bits / 8;
    size_t wanted = usw_min(usw_max(256, n / 128), n / 8); /* 96 at least */
    size_t count = usw_sample_keys(u, keys, n, map, wanted, sample);
    size_t rank = (size_t)((double)k / (double)n * (double)count), gap = 1;
    while (gap * gap < 9 * (rank + 1)) { /* three deviations */
        gap++;
    }
    bool inside = rank + gap < count;
    *limit = UINT64_MAX >> (64 - map->bits);
    if (inside) {
        *limit = usw_load_raw((const char *)sample + (rank + gap) * bytes, bytes);
    }
    return inside ? (rank + gap + 1) * (n / count) : n;
}

/* Records are collected in a buffer of the task's own and moved from there as it fills up. */
static void take_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    top_job *j = context;
    _Alignas(16) unsigned char buffer[TAKE_BYTES];
    size_t at = block * TAKE_KEYS, end = usw_min(at + TAKE_KEYS, j->n);
    while (at < end) {
        size_t count = 0;
        at +=
            j->steps->take[j->width](j->keys + at * j->bytes, end - at, &j->map, j->limit, at,
                                     buffer, j->record_bytes, TAKE_BYTES / j->record_bytes, &count);
        size_t to = atomic_fetch_add_explicit(&j->used, count, memory_order_relaxed);
        if (to > j->most || count > j->most - to) {
            return; /* too many */
        }
        memcpy(j->records + to * j->record_bytes, buffer, count * j->record_bytes);
    }
}

/* Collects all keys up to limit in one pass: false if they turn out too few or too many. */
static bool take_at_once(top_job *j, size_t expected)
{
    j->most = usw_min(2 * expected + ONE_THREAD_MOST, j->n);
    if ((j->k > j->n / 16 && j->n > TAKE_SMALL) || expected > j->n / 4 + 256) {
        return false;
    }
    usw_mark mark = usw_scratch_mark(j->u);
    j->records = usw_scratch(j->u, j->most * j->record_bytes);
    if (j->records != NULL) {
        usw_parallel(j->u, usw_div_up(j->n, TAKE_KEYS), take_block, j);
        j->records_n = atomic_load(&j->used);
        if (j->records_n >= j->k && j->records_n <= j->most) {
            USW_ROUTE("taken in one pass");
            return true;
        }
        USW_ROUTE("one pass takes too few or too many");
    }
    usw_scratch_reset(j->u, mark);
    return false;
}

static upsweep_status no_memory(const top_job *j)
{
    return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "top_k: no scratch for the %zu best of %zu keys",
                    j->k, j->n);
}

/* Makes limit the exact k-th key, found on a copy. */
static upsweep_status find_limit(top_job *j)
{
    usw_mark mark = usw_scratch_mark(j->u);
    unsigned char *copy = usw_scratch(j->u, j->n * j->bytes);
    if (copy == NULL) {
        return no_memory(j);
    }
    USW_ROUTE("the sample misled: the exact k-th key");
    memcpy(copy, j->keys, j->n * j->bytes);
    usw_select(j->u, copy, j->n, j->k - 1, &j->map);
    j->limit = usw_map_key(&j->map, usw_load_raw(copy + (j->k - 1) * j->bytes, j->bytes));
    usw_scratch_reset(j->u, mark);
    return UPSWEEP_OK;
}

/* Sets counts, less and ties so that less + ties >= k, by as little as can be had cheaply; a limit
 * that is a bad one is made exact. */
static upsweep_status set_limit(top_job *j)
{
    size_t totals[2];
    count_all(j, totals);
    bool few = totals[0] <= 2 * j->k + ONE_THREAD_MOST;
    if (totals[1] < j->k || (totals[0] >= j->k && !few)) {
        upsweep_status status = find_limit(j);
        if (status != UPSWEEP_OK) {
            return status;
        }
        count_all(j, totals);
    }
    j->less = totals[0];
    j->ties = totals[0] < j->k ? j->k - totals[0] : 0;
    j->records_n = j->less + j->ties;
    return UPSWEEP_OK;
}

/* Records differ in their positions, and equal keys alone are the same, so any sort gives the one
 * order. */
static void sort_collected(const top_job *j)
{
    unsigned width = usw_log2_up(j->record_bytes);
    USW_ROUTE_IF(j->records_n <= ONE_THREAD_MOST, "few are sorted by one thread", USW_ALL_TYPES);
    USW_ROUTE_IF(j->records_n > ONE_THREAD_MOST, "many are sorted by all threads", USW_ALL_TYPES);
    if (j->records_n <= ONE_THREAD_MOST ||
        USW_PICK(j->u->isa, usw_hybrid_steps)
                ->sort[width](j->u, j->records, j->records_n, NULL, true) != UPSWEEP_OK) {
        USW_PICK(j->u->isa, usw_cache_sort_steps)->sort[width](j->records, j->records_n);
    }
}

static upsweep_status collect_all(top_job *j)
{
    size_t blocks = usw_div_up(j->n, USW_SELECT_BLOCK);
    j->counts = usw_scratch(j->u, blocks * sizeof *j->counts);
    if (j->counts == NULL) {
        return no_memory(j);
    }
    upsweep_status status = set_limit(j);
    if (status != UPSWEEP_OK) {
        return status;
    }
    size_t bytes;
    if (usw_mul_overflows(j->records_n, j->record_bytes, &bytes) ||
        (j->records = usw_scratch(j->u, bytes)) == NULL) {
        return no_memory(j);
    }
    USW_ROUTE("counted, then collected");
    place_blocks(j);
    usw_parallel(j->u, blocks, collect_block, j);
    return UPSWEEP_OK;
}

static upsweep_status run_top_k(top_job *j)
{
    j->record_bytes = usw_top_record_bytes(j->bytes, j->n, j->index != NULL);
    USW_CALL_CARRIES(j->index == NULL ? USW_CARRY_NOTHING : USW_CARRY_INDEX);
    USW_ROUTE_CARRIED("top_k", 1u << USW_CARRY_NOTHING | 1u << USW_CARRY_INDEX);
    size_t expected = usw_top_limit(j->u, j->keys, j->n, j->k, &j->map, &j->limit);
    if (!take_at_once(j, expected)) {
        upsweep_status status = collect_all(j);
        if (status != UPSWEEP_OK) {
            return status;
        }
    }
    sort_collected(j);
    usw_parallel(j->u, usw_div_up(j->k, USW_SELECT_BLOCK), unpack_block, j);
    return UPSWEEP_OK;
}

upsweep_status usw_top_k(upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                         void *out, void *index, unsigned index_bits)
{
    top_job j = {.u = u, .steps = USW_PICK(u->isa, usw_select_steps), .n = n, .k = k};
    j.bytes = map->bits / 8;
    j.width = usw_log2_up(j.bytes);
    j.map = *map;
    j.keys = keys;
    j.out = out;
    j.index = index;
    j.index_bytes = index_bits / 8;
    return run_top_k(&j);
}

upsweep_status upsweep_top_k(upsweep *u, const void *keys, size_t n, size_t k, upsweep_type type,
                             void *out, uint64_t *index, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, TOP_FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check(u, &o, keys, n, type);
    if (status == UPSWEEP_OK && (k > n || (k > 0 && out == NULL))) {
        status = k > n ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "top_k: k is %zu, but n is %zu", k, n)
                       : usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "top_k: out is NULL");
    }
    if (status == UPSWEEP_OK && k > 0) {
        usw_keymap map = usw_top_map(type, o.flags);
        if (!usw_may_leave(u) || !usw_gpu_top_k(u, keys, n, k, &map, out, index, &status)) {
            USW_SHARE_CALL(u, n * map.bits / 8, USW_LIKE_SCANNING, type);
            status = usw_top_k(u, keys, n, k, &map, out, index, 64);
        }
    }
    return usw_leave(u, status);
}

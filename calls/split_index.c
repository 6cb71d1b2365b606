/* split_index.c - upsweep_split_ids_index: where each bucket's elements are, by the caller's bucket
 * ids, with buckets that begin at multiples of a number.
 *
 * Threads take equal stretches of the ids and count them, each in a table of its own. The tables
 * are scanned bucket by bucket, stretch by stretch, with a gap up to the next multiple after each
 * bucket; then every stretch writes its positions, in order, and the gaps are filled. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"

enum { STRETCH_MIN = 64 * 1024 }; /* ids that are worth a second thread */

typedef struct job {
    const unsigned char *ids;
    size_t id_bytes, count, n, multiple, room, index_bytes;
    unsigned char *index;
    uint64_t *offsets, *counts;
    size_t stretches, stretch;
    usw_shares tables; /* count + 1 counters a stretch, the last for ids out of range */
} job;

static size_t id_of(const job *j, size_t i)
{
    size_t id = (size_t)usw_load_raw(j->ids + i * j->id_bytes, j->id_bytes);
    return id < j->count ? id : j->count;
}

static void put(const job *j, size_t at, uint64_t position)
{
    usw_store_raw(j->index + at * j->index_bytes, j->index_bytes, position);
}

static void count_task(void *context, size_t s, unsigned lane)
{
    USW_ROUTE_OF("ids are counted", USW_NO_TYPES);
    const job *j = context;
    uint64_t *table = usw_share(&j->tables, s);
    (void)lane;
    memset(table, 0, (j->count + 1) * sizeof *table);
    for (size_t i = s * j->stretch; i < usw_min(j->n, (s + 1) * j->stretch); i++) {
        table[id_of(j, i)]++;
    }
}

static void place_task(void *context, size_t s, unsigned lane)
{
    USW_ROUTE_OF("positions go to their buckets", USW_NO_TYPES);
    const job *j = context;
    uint64_t *place = usw_share(&j->tables, s);
    (void)lane;
    for (size_t i = s * j->stretch; i < usw_min(j->n, (s + 1) * j->stretch); i++) {
        put(j, (size_t)place[id_of(j, i)]++, i);
    }
}

/* Turns counts into the places of each stretch's first position in each bucket; fills the gaps. */
static upsweep_status scan_counts(upsweep *u, const job *j)
{
    for (size_t s = 0; s < j->stretches; s++) {
        if (((uint64_t *)usw_share(&j->tables, s))[j->count] != 0) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_NO_BUCKET, (unsigned)j->count);
        }
    }
    size_t at = 0;
    for (size_t b = 0; b < j->count; b++) {
        size_t begin = at;
        for (size_t s = 0; s < j->stretches; s++) {
            uint64_t *counter = (uint64_t *)usw_share(&j->tables, s) + b, here = *counter;
            *counter = at;
            at += (size_t)here;
        }
        if (j->offsets != NULL) {
            j->offsets[b] = begin;
        }
        if (j->counts != NULL) {
            j->counts[b] = at - begin;
        }
        for (size_t end = usw_div_up(at, j->multiple) * j->multiple; at < end; at++) {
            put(j, at, j->n);
        }
    }
    if (j->offsets != NULL) {
        j->offsets[j->count] = at;
    }
    for (; at < j->room; at++) {
        put(j, at, j->n);
    }
    return UPSWEEP_OK;
}

static upsweep_status run(upsweep *u, job *j)
{
    USW_SHARE_CALL(u, j->n * j->index_bytes, USW_LIKE_GATHERING, j->index_bytes);
    j->stretches = usw_max(1, usw_min(u->threads, j->n / STRETCH_MIN));
    j->stretch = usw_div_up(j->n, j->stretches);
    j->tables = usw_scratch_shares(u, j->stretches, (j->count + 1) * sizeof(uint64_t));
    if (j->tables.at == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu tables of %zu counters",
                        j->stretches, j->count + 1);
    }
    usw_parallel(u, j->stretches, count_task, j);
    upsweep_status status = scan_counts(u, j);
    if (status == UPSWEEP_OK) {
        usw_parallel(u, j->stretches, place_task, j);
    }
    return status;
}

/* The most places that n positions can take in count buckets; false: more than can be. */
static bool places_fit(const job *j)
{
    size_t gaps, places;
    return !usw_mul_overflows(usw_min(j->n, j->count), j->multiple - 1, &gaps) &&
           !__builtin_add_overflow(gaps, j->n, &places) && places <= j->room;
}

static upsweep_status check(upsweep *u, const job *j, const usw_options *o, upsweep_type id_type,
                            unsigned index_bits)
{
    upsweep_status status = UPSWEEP_OK;
    if (id_type != UPSWEEP_U8 && id_type != UPSWEEP_U16 && id_type != UPSWEEP_U32) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "ids are of type u8, u16 or u32");
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->ids, j->n, j->id_bytes, "ids");
    }
    if (status == UPSWEEP_OK && index_bits != 32 && index_bits != 64) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "index_bits is 32 or 64, not %u", index_bits);
    }
    if (status == UPSWEEP_OK && index_bits == 32 && j->n > UINT32_MAX) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu ids need 64-bit indices", j->n);
    }
    if (status == UPSWEEP_OK && j->multiple == 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "multiple is 0");
    }
    if (status == UPSWEEP_OK && j->count >= UINT32_MAX) {
        status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "there are fewer than 2^32 - 1 buckets");
    }
    if (status == UPSWEEP_OK && !places_fit(j)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                          "index has room for %zu positions: %zu ids in %zu buckets that begin at "
                          "multiples of %zu may take more",
                          j->room, j->n, j->count, j->multiple);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->index, j->room, j->index_bytes, "index");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_split_ids_index(upsweep *u, const void *ids, upsweep_type id_type,
                                       size_t count, size_t n, size_t multiple, void *index,
                                       unsigned index_bits, size_t room, uint64_t *offsets,
                                       uint64_t *counts, const upsweep_options *options)
{
    usw_options o;
    job j = {.ids = ids, .count = count, .n = n, .multiple = multiple, .room = room};
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNSTABLE, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    j.id_bytes = upsweep_type_bytes(id_type);
    j.index = index;
    j.index_bytes = index_bits / 8;
    j.offsets = offsets;
    j.counts = counts;
    status = check(u, &j, &o, id_type, index_bits);
    if (status == UPSWEEP_OK) {
        usw_gpu_ids g = {ids,  j.id_bytes, count,      n,       multiple,
                         room, index,      index_bits, offsets, counts};
        if (!usw_may_leave(u) || !usw_gpu_split_ids_index(u, &g, &status)) {
            status = run(u, &j);
        }
    }
    return usw_leave(u, status);
}

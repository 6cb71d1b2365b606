/* run_write.c - a slot's sorted records are gathered and written as a run. */
/* SPDX-License-Identifier: MIT */
#include "external/writer.h"

enum { AHEAD = 16 };

/* ---- the index ---- */

/* The fuller the index, the larger are the blocks, so that it is never full. */
usw_ext_block *usw_ext_take_blocks(upsweep_external *x, uint64_t bytes, size_t *count,
                                   size_t *block_bytes)
{
    pthread_mutex_lock(&x->lock);
    size_t left = x->blocks_room - x->blocks_used, size = x->block_bytes;
    for (size_t part = x->blocks_room / 2; left < part; part /= 2) {
        size *= 2;
    }
    while (bytes / size + 2 > left / 2 && size < (size_t)1 << 40) {
        size *= 2;
    }
    *count = (size_t)(bytes / size) + 2;
    *block_bytes = size;
    usw_ext_block *blocks = *count <= left ? x->blocks + x->blocks_used : NULL;
    x->blocks_used += blocks != NULL ? *count : 0;
    pthread_mutex_unlock(&x->lock);
    if (blocks == NULL) {
        (void)usw_ext_fail(x, UPSWEEP_ERROR_MEMORY,
                           "the limit of %zu bytes is too small for so many runs", x->limit);
    }
    return blocks;
}

/* Runs are kept in the order of their records. */
upsweep_status usw_ext_add_run(upsweep_external *x, const usw_ext_run *run)
{
    pthread_mutex_lock(&x->lock);
    bool room = x->run_count < x->runs_room;
    size_t i = x->run_count;
    if (room) {
        for (; i > 0 && x->runs[i - 1].order > run->order; i--) {
            x->runs[i] = x->runs[i - 1];
        }
        x->runs[i] = *run;
        x->run_count++;
    }
    pthread_mutex_unlock(&x->lock);
    return room ? UPSWEEP_OK
                : usw_ext_fail(x, UPSWEEP_ERROR_MEMORY,
                               "the limit of %zu bytes is too small for so many runs", x->limit);
}

/* ---- a run ---- */

/* Whether record i, with -u, is as the one before it. */
static inline bool is_repeated(const usw_ext_sorting *s, size_t i, usw_ext_record r)
{
    return s->x->order.unique && i > 0 && (s->keys == NULL || s->keys[i] == s->keys[i - 1]) &&
           usw_ext_compare(&s->x->order, usw_ext_sorted(s, i - 1), r) == 0;
}

/* Records that stand in order are written from where they are, if nothing is packed. */
static upsweep_status write_in_place(usw_ext_writer *w, const usw_ext_sorting *s)
{
    const unsigned char *p = s->data, *end = p + s->kept;
    size_t fixed = s->x->order.record_bytes;
    while (p < end) {
        usw_ext_record r = usw_ext_record_at(&s->x->order, p, end);
        usw_ext_note_block(w, (uint64_t)(p - s->data), (uint64_t)(p - s->data), r);
        size_t step = usw_ext_whole(&s->x->order, r);
        if (fixed != 0) { /* straight to the record where the next block begins */
            size_t records = w->block_bytes / fixed;
            step = usw_min(usw_max(records, 1) * fixed, (size_t)(end - p));
            step += records * fixed < w->block_bytes && step < (size_t)(end - p) ? fixed : 0;
        }
        p += step;
    }
    bool more;
    usw_ext_record last =
        fixed != 0 ? (usw_ext_record){end - fixed, fixed} : usw_ext_sorted(s, s->n - 1);
    w->run.last_key = usw_ext_key(&s->x->order, last, &more);
    size_t pages =
        (uintptr_t)s->data % USW_EXT_PAGE == 0 ? s->kept / USW_EXT_PAGE * USW_EXT_PAGE : 0;
    upsweep_status status =
        pages > 0 ? usw_ext_write(s->x, w->run.file, s->data, pages, w->run.at) : UPSWEEP_OK;
    w->written = w->flushed = pages;
    return status == UPSWEEP_OK ? usw_ext_writer_add_bytes(w, s->data + pages, s->kept - pages)
                                : status;
}

static upsweep_status write_gathered(usw_ext_writer *w, const usw_ext_sorting *s)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t i = 0; i < s->n && status == UPSWEEP_OK; i++) {
        if (i + AHEAD < s->n && (s->items != NULL || s->slices != NULL)) {
            size_t at = s->slices != NULL ? s->slices[i + AHEAD] >> 32
                                          : usw_ext_place_of(s, s->items[i + AHEAD]);
            __builtin_prefetch(s->data + at);
            __builtin_prefetch(s->data + at + 64);
        }
        usw_ext_record r = usw_ext_sorted(s, i);
        if (!is_repeated(s, i, r)) {
            status = usw_ext_writer_add(w, r);
        }
    }
    bool more;
    w->run.last_key = usw_ext_key(&s->x->order, usw_ext_sorted(s, s->n - 1), &more);
    return status;
}

static upsweep_status write_run(usw_ext_sorting *s, uint64_t order, unsigned char *buffer)
{
    usw_ext_writer w;
    upsweep_status status = usw_ext_writer_open(&w, s->x, s->bytes, buffer, s->x->write_bytes);
    if (status != UPSWEEP_OK) {
        return status;
    }
    bool as_is = s->in_order && (!s->x->order.unique || s->x->order.element != 0);
    if (as_is && !usw_ext_writer_try(&w, s->data, s->kept)) {
        USW_EXT_ROUTE("a run from where its records stand in order");
        status = write_in_place(&w, s);
    } else if (as_is && s->x->order.record_bytes != 0) {
        USW_EXT_ROUTE("a run of records that stand in order, to be packed");
        status = usw_ext_writer_add_all(&w, s->data, s->kept);
    } else {
        USW_EXT_ROUTE("a run gathered");
        status = write_gathered(&w, s);
    }
    status = status == UPSWEEP_OK ? usw_ext_writer_close(&w, order) : status;
    pthread_mutex_lock(&s->x->lock);
    s->x->report.runs++;
    pthread_mutex_unlock(&s->x->lock);
    return status;
}

/* Whether merges have room for all records of the slot that were looked at; names the first one for
 * which they have none. */
static upsweep_status check_longest(const usw_ext_sorting *s, const usw_ext_slot *slot)
{
    upsweep_external *x = s->x;
    if (s->longest <= x->record_most) {
        return UPSWEEP_OK;
    }
    const unsigned char *p = slot->at, *end = p + slot->used;
    size_t whole = 0;
    do {
        p += whole;
        whole = usw_ext_whole(&x->order, usw_ext_record_at(&x->order, p, end));
    } while (whole <= x->record_most);
    return usw_ext_refuse(x, slot->begin + (size_t)(p - slot->at));
}

upsweep_status usw_ext_slot_to_runs(usw_ext_sorting *s, usw_ext_slot *slot)
{
    upsweep_external *x = s->x;
    unsigned char *buffer = slot->at + x->slot_bytes - x->write_bytes;
    uint64_t order = slot->order;
    size_t done = 0;
    upsweep_status status = usw_ext_natural_runs(s, slot, &done, &order);
    status = status == UPSWEEP_OK ? check_longest(s, slot) : status;
    for (; done < slot->used && status == UPSWEEP_OK; order++) {
        double begin = usw_ext_seconds();
        status = usw_ext_sort(s, slot->at + done, slot->used - done, buffer);
        double sorted = usw_ext_seconds();
        status = status == UPSWEEP_OK ? check_longest(s, slot) : status;
        status = status == UPSWEEP_OK ? write_run(s, order, buffer) : status;
        done += s->bytes;
        pthread_mutex_lock(&x->lock);
        x->records += s->n;
        x->longest = usw_max(x->longest, s->longest);
        x->report.sort_seconds += sorted - begin;
        x->report.write_seconds += usw_ext_seconds() - sorted;
        pthread_mutex_unlock(&x->lock);
    }
    upsweep_trim(s->u);
    return status;
}

size_t usw_ext_gather(const usw_ext_sorting *s, size_t *from, unsigned char *to, size_t room)
{
    size_t held = 0, i = *from;
    for (; i < s->n; i++) {
        usw_ext_record r = usw_ext_sorted(s, i);
        size_t whole = usw_ext_whole(&s->x->order, r);
        if (is_repeated(s, i, r)) {
            continue;
        }
        if (whole > room - held) {
            break;
        }
        memcpy(to + held, r.p, whole);
        held += whole;
    }
    *from = i;
    return held;
}

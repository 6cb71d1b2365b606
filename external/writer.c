/* writer.c - a run is written, packed where that pays, and where its blocks begin is noted. */
/* SPDX-License-Identifier: MIT */
#include "external/writer.h"

#include <time.h>

enum {
    UNTRIED_MOST = 64, /* blocks that are written as they are before one is packed as a trial */
    TRIAL = 64 << 10   /* bytes of a trial of what stands in order */
};

/* ---- packing ---- */

/* Of this thread: one that waits for a processor packs no slower for that. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 0: the block stays as it is, since an eighth of it would not be saved. */
static size_t pack(upsweep_external *x, const unsigned char *from, size_t bytes, unsigned char *to)
{
    double begin = processor_seconds();
    size_t stored = usw_pack(from, bytes, to, bytes - bytes / 8);
    double seconds = processor_seconds() - begin;
    pthread_mutex_lock(&x->lock);
    usw_packing_note_pack(&x->packing, bytes, stored == 0 ? bytes : stored, seconds);
    pthread_mutex_unlock(&x->lock);
    return stored;
}

static bool pays(upsweep_external *x)
{
    pthread_mutex_lock(&x->lock);
    bool pays = usw_packing_pays(&x->packing);
    pthread_mutex_unlock(&x->lock);
    return pays;
}

/* Bytes that a block may have to be gathered, so that it has room behind less than a page. */
static size_t gather_most(const usw_ext_writer *w)
{
    return w->room / 2 - USW_EXT_PAGE;
}

bool usw_ext_writer_try(usw_ext_writer *w, const unsigned char *p, size_t bytes)
{
    upsweep_external *x = w->x;
    size_t trial = usw_min(TRIAL, gather_most(w));
    if (x->packing.wish == USW_PACK_WHERE_FASTER && bytes > 2 * trial) {
        (void)pack(x, p + (bytes - trial) / 2, trial, w->buffer);
    }
    return pays(x);
}

/* ---- the buffer ---- */

upsweep_status usw_ext_writer_open(usw_ext_writer *w, upsweep_external *x, uint64_t bytes,
                                   unsigned char *buffer, size_t room)
{
    *w = (usw_ext_writer){.x = x, .buffer = buffer, .room = room};
    upsweep_status status = usw_ext_place(x, bytes, &w->run.file, &w->run.at);
    if (status != UPSWEEP_OK) {
        return status;
    }
    w->reserved = bytes;
    w->untried = UNTRIED_MOST;
    w->run.blocks = usw_ext_take_blocks(x, bytes, &w->blocks_room, &w->block_bytes);
    return w->run.blocks != NULL ? UPSWEEP_OK : UPSWEEP_ERROR_MEMORY;
}

/* Whole pages go; what is behind them stays in the buffer, or at the end gets zeros behind it, for
 * which the run has room. */
static upsweep_status flush(usw_ext_writer *w, bool end)
{
    size_t bytes = w->held / USW_EXT_PAGE * USW_EXT_PAGE, rest = w->held - bytes;
    if (end && rest > 0) {
        bytes += USW_EXT_PAGE;
        memset(w->buffer + w->held, 0, bytes - w->held);
    }
    if (bytes == 0) {
        return UPSWEEP_OK;
    }
    upsweep_status status =
        usw_ext_write(w->x, w->run.file, w->buffer, bytes, w->run.at + w->flushed);
    w->flushed += bytes;
    memmove(w->buffer, w->buffer + bytes, end ? 0 : rest);
    w->held = end ? 0 : rest;
    return status;
}

/* The block under way is written as it is after all. */
static void keep_as_is(usw_ext_writer *w)
{
    memmove(w->buffer + w->held, w->buffer + w->room / 2, w->gathered);
    w->held += w->gathered;
    w->gathers = false;
}

static inline upsweep_status add_bytes(usw_ext_writer *w, const unsigned char *p, size_t bytes)
{
    upsweep_status status = UPSWEEP_OK;
    w->written += bytes;
    if (w->gathers && bytes <= gather_most(w) - w->gathered) {
        memcpy(w->buffer + w->room / 2 + w->gathered, p, bytes);
        w->gathered += bytes;
        return UPSWEEP_OK;
    }
    if (w->gathers) {
        USW_EXT_ROUTE("a block too long to be packed");
        keep_as_is(w);
    }
    while (bytes > w->room - w->held && status == UPSWEEP_OK) {
        size_t step = w->room - w->held;
        memcpy(w->buffer + w->held, p, step);
        w->held += step;
        p += step;
        bytes -= step;
        status = flush(w, false);
    }
    memcpy(w->buffer + w->held, p, status == UPSWEEP_OK ? bytes : 0);
    w->held += bytes;
    return status;
}

upsweep_status usw_ext_writer_add_bytes(usw_ext_writer *w, const unsigned char *p, size_t bytes)
{
    return add_bytes(w, p, bytes);
}

/* ---- blocks ---- */

static upsweep_status end_block(usw_ext_writer *w)
{
    upsweep_status status = UPSWEEP_OK;
    if (!w->gathers) {
        return UPSWEEP_OK;
    }
    size_t bytes = w->gathered;
    if (w->held + bytes > w->room / 2) {
        status = flush(w, false);
    }
    size_t stored = pack(w->x, w->buffer + w->room / 2, bytes, w->buffer + w->held);
    if (stored == 0) {
        keep_as_is(w);
        return status;
    }
    USW_EXT_ROUTE("a block packed");
    w->held += stored;
    w->gathers = false;
    w->packed_from += bytes;
    w->packed_to += stored;
    return status;
}

/* One that is only a trial has to fit the half of the buffer; it does before long. */
static upsweep_status begin_block(usw_ext_writer *w)
{
    upsweep_external *x = w->x;
    bool wanted = pays(x), trial = ++w->untried > UNTRIED_MOST && w->held <= w->room / 2;
    if (x->packing.wish == USW_PACK_NEVER || !(wanted || trial)) {
        return UPSWEEP_OK;
    }
    w->gathers = true;
    w->gathered = 0;
    w->untried = 0;
    return w->held > w->room / 2 ? flush(w, false) : UPSWEEP_OK;
}

void usw_ext_note_block(usw_ext_writer *w, uint64_t at, uint64_t stored, usw_ext_record r)
{
    if (w->run.block_count > 0 && at - w->block_begin < w->block_bytes) {
        return;
    }
    bool more;
    size_t before = (size_t)(at - w->block_begin);
    w->run.block_bytes_max = usw_max(w->run.block_bytes_max, before);
    w->run.blocks[w->run.block_count++] =
        (usw_ext_block){usw_ext_key(&w->x->order, r, &more), at, stored};
    w->block_begin = at;
}

/* The same of a block that is written next, if one is due. */
static inline upsweep_status next_block(usw_ext_writer *w, usw_ext_record r)
{
    if (w->run.block_count > 0 && w->written - w->block_begin < w->block_bytes) {
        return UPSWEEP_OK;
    }
    upsweep_status status = end_block(w);
    status = status == UPSWEEP_OK ? begin_block(w) : status;
    usw_ext_note_block(w, w->written, w->flushed + w->held, r);
    if (w->gathers && usw_ext_whole(&w->x->order, r) > USW_PACK_HEAD) {
        w->gathers = false;
    }
    return status;
}

upsweep_status usw_ext_writer_add(usw_ext_writer *w, usw_ext_record r)
{
    upsweep_status status = next_block(w, r);
    return status == UPSWEEP_OK ? add_bytes(w, r.p, usw_ext_whole(&w->x->order, r)) : status;
}

/* Up to the record where the next block begins at once. */
upsweep_status usw_ext_writer_add_all(usw_ext_writer *w, const unsigned char *p, size_t bytes)
{
    size_t fixed = w->x->order.record_bytes;
    upsweep_status status = UPSWEEP_OK;
    bool more;
    if (bytes > 0) {
        w->run.last_key =
            usw_ext_key(&w->x->order, (usw_ext_record){p + bytes - fixed, fixed}, &more);
    }
    while (bytes > 0 && status == UPSWEEP_OK) {
        status = next_block(w, (usw_ext_record){p, fixed});
        size_t left =
            w->block_bytes - usw_min((size_t)(w->written - w->block_begin), w->block_bytes);
        size_t step = usw_min(usw_max((left + fixed - 1) / fixed, 1) * fixed, bytes);
        status = status == UPSWEEP_OK ? add_bytes(w, p, step) : status;
        p += step;
        bytes -= step;
    }
    return status;
}

upsweep_status usw_ext_writer_close(usw_ext_writer *w, uint64_t order)
{
    upsweep_external *x = w->x;
    upsweep_status status = end_block(w);
    w->run.stored = w->flushed + w->held;
    status = status == UPSWEEP_OK ? flush(w, true) : status;
    w->run.raw = w->written;
    w->run.order = order;
    w->run.block_bytes_max = usw_max(w->run.block_bytes_max, (size_t)(w->written - w->block_begin));
    usw_ext_give_rest(x, w->run.file, w->run.at + w->flushed, w->run.at + w->reserved);
    pthread_mutex_lock(&x->lock);
    x->report.packed_from += w->packed_from;
    x->report.packed_to += w->packed_to;
    pthread_mutex_unlock(&x->lock);
    return status == UPSWEEP_OK ? usw_ext_add_run(x, &w->run) : status;
}

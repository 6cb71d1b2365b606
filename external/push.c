/* push.c - records come in: they fill a slot, and full slots are sorted and written by workers. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

enum { LOOK = 64 << 10, ORDERS = 1 << 20 /* runs of one slot, at most */ };

/* ---- workers ---- */

/* The full slot that holds the earliest records, or NULL. */
static usw_ext_slot *full_slot(upsweep_external *x)
{
    usw_ext_slot *found = NULL;
    for (unsigned i = 0; i < x->slot_count; i++) {
        usw_ext_slot *s = &x->slots[i];
        if (s->state == USW_SLOT_FULL && (found == NULL || s->order < found->order)) {
            found = s;
        }
    }
    return found;
}

static void *work(void *argument)
{
    upsweep_external *x = argument;
    usw_ext_sorting sorting;
    upsweep_status status = usw_ext_sorting_open(&sorting, x);
    if (status != UPSWEEP_OK) {
        (void)usw_ext_fail(x, status, "no memory for a worker");
    }
    pthread_mutex_lock(&x->lock);
    for (;;) {
        usw_ext_slot *slot = full_slot(x);
        if (slot == NULL && x->ending) {
            break;
        }
        if (slot == NULL || x->status != UPSWEEP_OK) {
            if (x->ending) {
                break;
            }
            pthread_cond_wait(&x->changed, &x->lock);
            continue;
        }
        slot->state = USW_SLOT_BUSY;
        pthread_mutex_unlock(&x->lock);
        (void)usw_ext_slot_to_runs(&sorting, slot);
        pthread_mutex_lock(&x->lock);
        slot->used = 0;
        slot->state = USW_SLOT_FREE;
        pthread_cond_broadcast(&x->changed);
    }
    pthread_mutex_unlock(&x->lock);
    usw_ext_sorting_close(&sorting);
    return NULL;
}

/* Workers begin with the first slot that is full, since most sorts of a library are small. */
static upsweep_status start_workers(upsweep_external *x)
{
    while (x->started < x->workers && pthread_create(&x->threads[x->started], NULL, work, x) == 0) {
        x->started++;
    }
    return x->started > 0 ? UPSWEEP_OK
                          : usw_ext_fail(x, UPSWEEP_ERROR_MEMORY, "no thread can be started");
}

void usw_ext_stop_workers(upsweep_external *x)
{
    pthread_mutex_lock(&x->lock);
    x->ending = true;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
    while (x->started > 0) {
        pthread_join(x->threads[--x->started], NULL);
    }
}

/* ---- slots ---- */

/* How many bytes of a slot records may fill, so that their keys have room behind them. */
static size_t fill_of(const upsweep_external *x, size_t record_bytes)
{
    size_t room = x->slot_bytes - x->write_bytes - USW_EXT_SLACK - 64;
    if (x->order.element != 0) { /* and as much scratch, and some more */
        room = room > 3u << 20 ? (room - (2u << 20)) / 2 : room / 3;
        return room / record_bytes * record_bytes;
    }
    size_t each = record_bytes;
    room -= usw_ext_sort_room(&x->order, room, &each);
    room -= x->slot_count == 1 ? usw_min(x->fill_least, room / 4) : 0;
    double share = (double)record_bytes / (double)each;
    size_t fill = (size_t)((double)room * share);
    size_t fixed = x->order.record_bytes;
    return fixed != 0 ? usw_max(fill / fixed, 1) * fixed : fill;
}

void usw_ext_share_slots(upsweep_external *x, unsigned count)
{
    x->slot_count = count;
    x->slot_bytes = usw_min(x->work_bytes / count, (size_t)UINT32_MAX) / 4096 * 4096;
    for (unsigned i = 0; i < count; i++) {
        x->slots[i].at = x->work + i * x->slot_bytes;
    }
}

upsweep_status usw_ext_start_filling(upsweep_external *x)
{
    x->filling = &x->slots[0];
    x->source = USW_EXT_NONE;
    x->fill_least = x->work_bytes / 10;
    x->slot_fill = x->order.record_bytes != 0 ? fill_of(x, x->order.record_bytes)
                                              : fill_of(x, 64) / 2; /* until lines are seen */
    x->fill_least = usw_min(x->fill_least, x->slot_fill);
    return UPSWEEP_OK;
}

/* The records of a slot are of this many bytes on the average, if one believes its beginning. */
static size_t average(const upsweep_external *x, const usw_ext_slot *slot)
{
    size_t look = usw_min(slot->used, LOOK), count = 1;
    const unsigned char *p = slot->at, *end = p + look;
    while ((p = memchr(p, x->order.end, (size_t)(end - p))) != NULL && ++p < end) {
        count++;
    }
    return usw_max(look / count, 1);
}

/* Bytes of whole records at the front. */
static size_t whole_records(const upsweep_external *x, const usw_ext_slot *slot)
{
    size_t fixed = x->order.record_bytes;
    if (fixed != 0) {
        return slot->used / fixed * fixed;
    }
    const unsigned char *last = memrchr(slot->at, x->order.end, slot->used);
    return last == NULL ? 0 : (size_t)(last - slot->at) + 1;
}

static usw_ext_slot *free_slot(upsweep_external *x)
{
    usw_ext_slot *found = NULL;
    pthread_mutex_lock(&x->lock);
    while (found == NULL && x->status == UPSWEEP_OK) {
        for (unsigned i = 0; i < x->slot_count && found == NULL; i++) {
            found = x->slots[i].state == USW_SLOT_FREE && &x->slots[i] != x->filling ? &x->slots[i]
                                                                                     : NULL;
        }
        if (found == NULL) {
            pthread_cond_wait(&x->changed, &x->lock);
        }
    }
    pthread_mutex_unlock(&x->lock);
    return found;
}

static void hand_over(upsweep_external *x, usw_ext_slot *slot)
{
    USW_EXT_ROUTE("a slot for a worker");
    pthread_mutex_lock(&x->lock);
    slot->order = x->next_order;
    x->next_order += ORDERS;
    slot->state = USW_SLOT_FULL;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
}

/* With a single slot what follows its last whole record waits at the slot's end. */
static upsweep_status turn_single(upsweep_external *x, size_t whole)
{
    usw_ext_slot *slot = x->filling;
    size_t rest = slot->used - whole;
    USW_EXT_ROUTE("one slot, sorted by the caller");
    usw_ext_sorting sorting;
    upsweep_status status = usw_ext_sorting_open(&sorting, x);
    unsigned char *kept = slot->at + x->slot_bytes - rest; /* slots end behind all of it */
    memmove(kept, slot->at + whole, rest);
    slot->used = whole;
    slot->order = x->next_order;
    x->next_order += ORDERS;
    size_t slot_bytes = x->slot_bytes;
    x->slot_bytes -= (rest + 4095) / 4096 * 4096;
    status = status == UPSWEEP_OK ? usw_ext_slot_to_runs(&sorting, slot)
                                  : usw_ext_fail(x, status, "no memory for a worker");
    x->slot_bytes = slot_bytes;
    usw_ext_sorting_close(&sorting);
    memmove(slot->at, kept, rest);
    slot->used = rest;
    usw_ext_move_spans(slot, slot, whole, whole + rest);
    return status;
}

/* Fewer slots, the first of which has what was in the one that is filled, and as much room again.
 * No worker has one then. */
static upsweep_status widen_slots(upsweep_external *x)
{
    usw_ext_slot *slot = x->filling, *first = &x->slots[0];
    pthread_mutex_lock(&x->lock);
    for (unsigned i = 0; i < x->slot_count && x->status == UPSWEEP_OK;) {
        if (x->slots[i].state == USW_SLOT_FREE) {
            i++;
        } else {
            pthread_cond_wait(&x->changed, &x->lock);
        }
    }
    upsweep_status status = x->status;
    if (status == UPSWEEP_OK) {
        USW_EXT_ROUTE("fewer slots for long records");
        unsigned count = x->slot_count;
        do {
            count = (count + 1) / 2;
        } while (count > 1 && x->work_bytes / count / 2 <= slot->used);
        memmove(first->at, slot->at, slot->used);
        first->used = slot->used;
        usw_ext_move_spans(first, slot, 0, slot->used);
        slot->used = slot == first ? slot->used : 0;
        x->filling = first;
        usw_ext_share_slots(x, count);
    }
    pthread_mutex_unlock(&x->lock);
    return status;
}

/* The slot has but a part of one record: it is filled further. */
static upsweep_status go_on(upsweep_external *x)
{
    upsweep_status status = UPSWEEP_OK;
    if (x->slot_fill >= x->slot_bytes / 2) {
        status = widen_slots(x);
    }
    x->slot_fill = usw_min(2 * x->slot_fill, x->slot_bytes / 2);
    return status;
}

/* The slot is full: it goes to the workers, and what follows its last whole record to the next. */
static upsweep_status turn(upsweep_external *x)
{
    usw_ext_slot *slot = x->filling;
    size_t whole = whole_records(x, slot), rest = slot->used - whole;
    slot->begin = x->bytes_in - slot->used;
    if (rest > x->record_most) {
        return usw_ext_refuse(x, slot->begin + whole);
    }
    if (whole == 0) {
        return go_on(x);
    }
    if (x->order.record_bytes == 0) {
        x->slot_fill = usw_max(fill_of(x, average(x, slot)), x->fill_least);
        x->slot_fill = usw_max(x->slot_fill, rest + LOOK);
    }
    if (x->slot_count == 1) {
        return turn_single(x, whole);
    }
    if (x->started == 0 && start_workers(x) != UPSWEEP_OK) {
        return x->status;
    }
    usw_ext_slot *next = free_slot(x);
    if (next == NULL) {
        return x->status;
    }
    next->used = rest;
    memcpy(next->at, slot->at + whole, next->used);
    usw_ext_move_spans(next, slot, whole, slot->used);
    slot->used = whole;
    x->filling = next;
    hand_over(x, slot);
    return UPSWEEP_OK;
}

/* ---- the calls ---- */

static upsweep_status may_push(upsweep_external *x)
{
    if (x == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    if (x->sorted) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&x->lock);
    upsweep_status status = x->status;
    pthread_mutex_unlock(&x->lock);
    return status;
}

upsweep_status upsweep_external_room(upsweep_external *x, void **at, size_t *count)
{
    upsweep_status status = at == NULL || count == NULL ? UPSWEEP_ERROR_ARGUMENT : may_push(x);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (x->filling->used >= x->slot_fill) {
        status = turn(x);
        if (status != UPSWEEP_OK) {
            return status;
        }
    }
    *at = x->filling->at + x->filling->used;
    *count = x->slot_fill - x->filling->used;
    return UPSWEEP_OK;
}

upsweep_status upsweep_external_pushed(upsweep_external *x, size_t count)
{
    upsweep_status status = may_push(x);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (x->filling->used > x->slot_fill || count > x->slot_fill - x->filling->used) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_ext_note_source(x, x->filling, count);
    x->filling->used += count;
    x->bytes_in += count;
    return UPSWEEP_OK;
}

upsweep_status upsweep_external_push(upsweep_external *x, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    upsweep_status status = bytes == NULL && count > 0 ? UPSWEEP_ERROR_ARGUMENT : may_push(x);
    while (status == UPSWEEP_OK && count > 0) {
        void *at;
        size_t room;
        status = upsweep_external_room(x, &at, &room);
        if (status == UPSWEEP_OK) {
            size_t step = usw_min(room, count);
            memcpy(at, p, step);
            status = upsweep_external_pushed(x, step);
            p += step;
            count -= step;
        }
    }
    return status;
}

/* The last record gets its end. */
static upsweep_status end_record(upsweep_external *x)
{
    usw_ext_slot *slot = x->filling;
    size_t fixed = x->order.record_bytes;
    if (fixed != 0) {
        return slot->used % fixed == 0
                   ? UPSWEEP_OK
                   : usw_ext_fail(x, UPSWEEP_ERROR_ARGUMENT,
                                  "%llu bytes are no whole number of records of %zu bytes",
                                  (unsigned long long)x->bytes_in, fixed);
    }
    if (slot->used > 0 && slot->at[slot->used - 1] != x->order.end) {
        x->source = USW_EXT_NONE;
        usw_ext_note_source(x, slot, 1);
        slot->at[slot->used++] = x->order.end; /* the slot has more room than is filled */
        x->bytes_in++;
    }
    return UPSWEEP_OK;
}

upsweep_status usw_ext_end_filling(upsweep_external *x)
{
    usw_ext_slot *slot = x->filling;
    upsweep_status status = end_record(x);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (x->next_order == 0) { /* nothing has been written */
        x->alone = slot;
        return UPSWEEP_OK;
    }
    slot->begin = x->bytes_in - slot->used;
    if (x->slot_count == 1) {
        return slot->used > 0 ? turn_single(x, slot->used) : UPSWEEP_OK;
    }
    if (slot->used > 0) {
        hand_over(x, slot);
    }
    usw_ext_stop_workers(x);
    return x->status;
}

/* sorted.c - after the last record has been pushed: the only slot is sorted where it is, or runs
 * are merged, and sorted records are pulled or written. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- a single slot ---- */

static unsigned char *alone_buffer(const upsweep_external *x)
{
    return x->alone->at + x->slot_bytes - x->write_bytes;
}

/* Where that is more than one sort has room for, it is runs all the same. */
static upsweep_status sort_alone(upsweep_external *x)
{
    usw_ext_slot *slot = x->alone;
    usw_ext_sorting *s = &x->alone_sorted;
    upsweep_status status = usw_ext_sorting_open(s, x);
    if (status != UPSWEEP_OK) {
        return usw_ext_fail(x, status, "no memory for a handle");
    }
    double begin = usw_ext_seconds();
    status = usw_ext_sort(s, slot->at, slot->used, alone_buffer(x));
    if (status != UPSWEEP_OK || s->bytes == slot->used) {
        x->records = s->n;
        x->longest = s->longest;
        x->report.sort_seconds += usw_ext_seconds() - begin;
        return status;
    }
    x->alone = NULL;
    if (s->turned) {
        usw_ext_turn_round(&x->order, slot->at, s->bytes);
    }
    status = usw_ext_slot_to_runs(s, slot); /* what has been sorted is so again, at once */
    usw_ext_sorting_close(s);
    return status;
}

/* Records as many as the buffer holds; one that is longer goes from where it is. */
static void pull_alone(upsweep_external *x, const void **records, size_t *bytes)
{
    usw_ext_sorting *s = &x->alone_sorted;
    if (s->in_order && (!x->order.unique || x->order.element != 0)) {
        USW_EXT_ROUTE("all from where they stand in order");
        *records = x->alone_from == 0 ? s->data : NULL;
        *bytes = x->alone_from == 0 ? s->kept : 0;
        x->alone_from = s->n;
        return;
    }
    USW_EXT_ROUTE("a single slot gathered");
    unsigned char *buffer = alone_buffer(x);
    *records = buffer;
    *bytes = usw_ext_gather(s, &x->alone_from, buffer, x->write_bytes);
    if (*bytes == 0 && x->alone_from < s->n) {
        usw_ext_record r = usw_ext_sorted(s, x->alone_from++);
        *records = r.p;
        *bytes = usw_ext_whole(&x->order, r);
    }
}

static upsweep_status write_alone(upsweep_external *x, int fd, int *number)
{
    const void *records;
    size_t bytes;
    int mode = fcntl(fd, F_GETFL);
    if (mode >= 0 && (mode & O_DIRECT) != 0) { /* which is for more bytes than these */
        (void)fcntl(fd, F_SETFL, mode & ~O_DIRECT);
    }
    for (pull_alone(x, &records, &bytes); bytes > 0; pull_alone(x, &records, &bytes)) {
        *number = usw_ext_write_all(fd, records, bytes, -1);
        if (*number != 0) {
            return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "the output cannot be written: %s",
                                strerror(*number));
        }
    }
    return UPSWEEP_OK;
}

/* ---- the calls ---- */

static upsweep_status status_of(upsweep_external *x)
{
    pthread_mutex_lock(&x->lock);
    upsweep_status status = x->status;
    pthread_mutex_unlock(&x->lock);
    return status;
}

upsweep_status upsweep_external_sort(upsweep_external *x)
{
    if (x == NULL || x->sorted) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    x->sorted = true;
    upsweep_status status = status_of(x);
    status = status == UPSWEEP_OK ? usw_ext_end_filling(x) : status;
    if (status == UPSWEEP_OK && x->alone != NULL) {
        status = sort_alone(x);
    }
    return status == UPSWEEP_OK && x->alone == NULL ? usw_ext_reduce_runs(x) : status;
}

upsweep_status upsweep_external_pull(upsweep_external *x, const void **records, size_t *bytes)
{
    if (x == NULL || records == NULL || bytes == NULL || !x->sorted || x->given) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    *records = NULL;
    *bytes = 0;
    upsweep_status status = status_of(x);
    if (status == UPSWEEP_OK && x->alone != NULL) {
        pull_alone(x, records, bytes);
        return status;
    }
    return status == UPSWEEP_OK ? usw_ext_merge_pull(x, records, bytes) : status;
}

upsweep_status upsweep_external_write(upsweep_external *x, int fd, int *number)
{
    int unasked = 0;
    number = number == NULL ? &unasked : number;
    *number = 0;
    if (x == NULL || !x->sorted || x->given || x->merge != NULL || x->alone_from > 0) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    x->given = true;
    upsweep_status status = status_of(x);
    if (status == UPSWEEP_OK) {
        status = x->alone != NULL ? write_alone(x, fd, number) : usw_ext_merge_to(x, fd, number);
    }
    return status;
}

/* sort_text_whole.c - whole lines by their bytes, which the library sorts as strings: an item is a
 * slice of the input (upsweep_sort_slices), and there are no keys. The slices of fields are made
 * here, too. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/parallel.h"

#include <stdatomic.h>
#include <string.h>

bool sort_is_whole(const sort_job *job)
{
    const sort_order *order = job->order;
    const sort_key *key = order->keys; /* NULL where there are none */
    return job->task->mode == SORT_SORT && !job->task->merge && order->count == 1 && key->whole &&
           key->kind == SORT_BYTES && !key->fold && key->ignore == NULL &&
           job->task->common.algorithm == NULL;
}

typedef struct slicing {
    sort_job *job;
    bool fields;
    atomic_bool too_long;
} slicing;

static void slice_chunk(void *context, size_t chunk, unsigned lane)
{
    slicing *s = context;
    sort_job *job = s->job;
    const unsigned char *bytes = job->in.bytes;
    size_t limit, at = io_lines_chunk(&job->lines, chunk, &limit), longest = 0;
    for (size_t i = job->lines.first[chunk]; at < limit; i++) {
        const unsigned char *end = memchr(bytes + at, job->order->end, job->in.size - at);
        sort_text slice = {bytes + at, end};
        if (s->fields) {
            slice = sort_field(job->order, job->order->keys, slice);
        }
        size_t length = (size_t)(slice.end - slice.p);
        job->items[i] = sort_item((size_t)(slice.p - bytes), length);
        longest = length > longest ? length : longest;
        at = (size_t)(end - bytes) + 1;
    }
    if (longest >= SORT_LONG_LINE) {
        atomic_store(&s->too_long, true);
    }
    sort_progress(job, lane, chunk, job->lines.chunks);
}

bool sort_make_slices(sort_job *job, bool fields)
{
    slicing s = {.job = job, .fields = fields};
    io_parallel(job->threads, job->lines.chunks, slice_chunk, &s);
    return !atomic_load(&s.too_long);
}

int sort_whole_lines(sort_job *job)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = job->order->keys[0].reverse ? UPSWEEP_DESCENDING : 0;
    size_t n = job->n;
    if (upsweep_sort_slices(job->u, job->in.bytes, job->in.size, job->items, NULL, n, 24,
                            job->order->unique ? &job->n : NULL, &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    sort_note_report(job);
    return APP_OK;
}

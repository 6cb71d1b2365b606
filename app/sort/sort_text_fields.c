/* sort_text_fields.c - a field by its bytes, which the library sorts as strings where many fields
 * begin alike: an item is the field's slice at first, and its line's only once the fields are in
 * order. Keys of seven bytes would look for the field again for each seven bytes more. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "app/sort/sort_small.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 512, LEAST = 1 << 12 };

static int compare_keys(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Whether of lines from all over the input every fourth has a field that begins like another one's
 * and goes on. */
static bool do_begin_alike(const sort_job *job)
{
    uint64_t keys[SAMPLE];
    size_t step = job->in.size / SAMPLE, ties = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
        const unsigned char *p = job->in.bytes + i * step, *end;
        p = i == 0 ? p : (const unsigned char *)memchr(p, job->order->end, job->in.size) + 1;
        p = p < job->in.bytes + job->in.size ? p : job->in.bytes;
        end = memchr(p, job->order->end, (size_t)(job->in.bytes + job->in.size - p));
        unsigned bits = 0;
        keys[i] = sort_stage_key(job, (sort_stage){0, 0}, (sort_text){p, end}, &bits);
    }
    qsort(keys, SAMPLE, sizeof *keys, compare_keys);
    for (size_t i = 1; i < SAMPLE; i++) {
        uint64_t key = job->order->keys[0].reverse ? ~keys[i] : keys[i];
        ties += keys[i] == keys[i - 1] && (key & 0xff) == 0xff;
    }
    return ties >= SAMPLE / 4;
}

bool sort_is_fields(const sort_job *job)
{
    return job->task->mode == SORT_SORT && !job->task->merge && !job->whole && job->n >= LEAST &&
           sort_is_plain(job, (sort_stage){0, 0}) && job->task->common.algorithm == NULL &&
           do_begin_alike(job);
}

int sort_fields(sort_job *job)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = job->order->keys[0].reverse ? UPSWEEP_DESCENDING : 0;
    sort_phase(job, "sort");
    if (upsweep_sort_slices(job->u, job->in.bytes, job->in.size, job->items, NULL, job->n, 24, NULL,
                            &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    sort_note_report(job);
    sort_phase(job, "ties");
    return sort_resolve_ties(job);
}

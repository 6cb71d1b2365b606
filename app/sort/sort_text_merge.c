/* sort_text_merge.c - the order of sort -m: always the least of the inputs' first lines, of equal
 * ones that of the earlier input. A binary heap of the inputs, by their first lines. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"

#include <stdlib.h>

typedef struct source {
    size_t next, end; /* lines */
} source;

typedef struct heap {
    sort_job *job;
    source *sources;
    size_t *at; /* numbers of sources; the least line is that of at[0] */
    size_t count;
} heap;

static bool is_less(const heap *h, size_t a, size_t b)
{
    const sort_job *job = h->job;
    size_t x = h->sources[a].next, y = h->sources[b].next;
    if (job->keys[x] != job->keys[y]) {
        return job->keys[x] < job->keys[y];
    }
    int order =
        sort_compare(job->order, 0, sort_line(job, job->items[x]), sort_line(job, job->items[y]));
    return order != 0 ? order < 0 : a < b;
}

static void sift_down(heap *h, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->count; child++) {
            least = is_less(h, h->at[child], h->at[least]) ? child : least;
        }
        if (least == i) {
            return;
        }
        size_t moved = h->at[i];
        h->at[i] = h->at[least];
        h->at[least] = moved;
        i = least;
    }
}

static void start(heap *h)
{
    const sort_job *job = h->job;
    size_t at = 0, line = 0;
    for (size_t p = 0; p < job->in.part_count; p++) {
        const io_part *part = &job->in.parts[p];
        if (part->begin == part->end) {
            continue;
        }
        size_t begin = io_lines_number_from(&job->lines, at, line, part->begin);
        line = part->end == job->in.size
                   ? job->n
                   : io_lines_number_from(&job->lines, part->begin, begin, part->end);
        at = part->end;
        h->sources[p] = (source){begin, line};
        h->at[h->count++] = p;
    }
    for (size_t i = h->count; i-- > 0;) {
        sift_down(h, i);
    }
}

static void run(heap *h, uint64_t *keys, uint64_t *items)
{
    start(h);
    for (size_t i = 0; i < h->job->n; i++) {
        source *s = &h->sources[h->at[0]];
        keys[i] = h->job->keys[s->next];
        items[i] = h->job->items[s->next];
        if (++s->next == s->end) {
            h->at[0] = h->at[--h->count];
        }
        sift_down(h, 0);
    }
}

int sort_merge(sort_job *job)
{
    heap h = {.job = job,
              .sources = calloc(job->in.part_count, sizeof(source)),
              .at = calloc(job->in.part_count, sizeof(size_t))};
    uint64_t *keys = io_memory_take(job->held), *items = io_memory_take(job->held);
    int status = APP_ERROR;
    if (h.sources != NULL && h.at != NULL && keys != NULL && items != NULL) {
        run(&h, keys, items);
        uint64_t *old_keys = job->keys, *old_items = job->items;
        job->keys = keys;
        job->items = items;
        keys = old_keys;
        items = old_items;
        status = APP_OK;
    }
    io_memory_give(keys, job->held);
    io_memory_give(items, job->held);
    free(h.sources);
    free(h.at);
    return status == APP_OK ? status : app_fail("out of memory");
}

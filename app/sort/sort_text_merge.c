/* sort_text_merge.c - the order of sort -m in memory: always the least of the inputs' next lines,
 * of equal ones that of the earlier input. Beyond memory: sort_external_merge.c. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_tournament.h"

#include "io/memory.h"

#include <stdlib.h>

typedef struct source {
    size_t next, end; /* lines; none is left where they are the same */
} source;

typedef struct merge {
    const sort_job *job;
    source *sources;
    sort_tournament t;
} merge;

static void set_head(merge *m, size_t k)
{
    const sort_job *job = m->job;
    const source *s = &m->sources[k];
    sort_head *head = &m->t.heads[k];
    head->ended = s->next == s->end;
    if (!head->ended) {
        head->key = job->keys[s->next];
        head->line = sort_line(job, job->items[s->next]);
    }
}

static void start(merge *m)
{
    const sort_job *job = m->job;
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
        m->sources[m->t.count] = (source){begin, line};
        set_head(m, m->t.count++);
    }
}

static void run(merge *m, uint64_t *keys, uint64_t *items)
{
    const sort_job *job = m->job;
    start(m);
    sort_tournament_begin(&m->t);
    for (size_t i = 0; i < job->n; i++) {
        size_t winner = m->t.winner;
        source *s = &m->sources[winner];
        keys[i] = job->keys[s->next];
        items[i] = job->items[s->next];
        s->next++;
        set_head(m, winner);
        sort_tournament_next(&m->t);
    }
}

int sort_merge(sort_job *job)
{
    size_t parts = job->in.part_count;
    merge m = {.job = job, .sources = calloc(parts, sizeof *m.sources)};
    m.t = (sort_tournament){.order = job->order,
                            .heads = calloc(parts, sizeof *m.t.heads),
                            .losers = calloc(parts, sizeof *m.t.losers)};
    uint64_t *keys = io_memory_take(job->held), *items = io_memory_take(job->held);
    int status = APP_ERROR;
    if (m.sources != NULL && m.t.heads != NULL && m.t.losers != NULL && keys != NULL &&
        items != NULL) {
        run(&m, keys, items);
        uint64_t *old_keys = job->keys, *old_items = job->items;
        job->keys = keys;
        job->items = items;
        keys = old_keys;
        items = old_items;
        status = APP_OK;
    }
    io_memory_give(keys, job->held);
    io_memory_give(items, job->held);
    free(m.sources);
    free(m.t.heads);
    free(m.t.losers);
    return status == APP_OK ? status : app_fail("out of memory");
}

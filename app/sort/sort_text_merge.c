/* sort_text_merge.c - the order of sort -m: always the least of the inputs' next lines, of equal
 * ones that of the earlier input. A tree of losers (Knuth 5.4.1): in each node the input that lost
 * there, so that a line costs one comparison a level. While one input is first again and again, it
 * is compared with the next best alone. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"

#include <stdlib.h>

typedef struct source {
    size_t next, end; /* lines; none is left where they are the same */
} source;

typedef struct tree {
    sort_job *job;
    source *sources;
    size_t
        *losers; /* of nodes 1 .. count - 1; source i is node count + i, 2 n and 2 n + 1 meet in n
                     */
    size_t count;
} tree;

/* Whether the next line of source a comes before that of source b. */
static bool is_first(const tree *t, size_t a, size_t b)
{
    const sort_job *job = t->job;
    const source *s = &t->sources[a], *other = &t->sources[b];
    if (s->next == s->end || other->next == other->end) {
        return other->next == other->end && (s->next != s->end || a < b);
    }
    size_t x = s->next, y = other->next;
    if (job->keys[x] != job->keys[y]) {
        return job->keys[x] < job->keys[y];
    }
    int order =
        sort_compare(job->order, 0, sort_line(job, job->items[x]), sort_line(job, job->items[y]));
    return order != 0 ? order < 0 : a < b;
}

/* The winner below a node. */
static size_t play(tree *t, size_t node)
{
    if (node >= t->count) {
        return node - t->count;
    }
    size_t a = play(t, 2 * node), b = play(t, 2 * node + 1);
    bool first = is_first(t, a, b);
    t->losers[node] = first ? b : a;
    return first ? a : b;
}

/* The winner of all, where `last`, the one before, has another line now. */
static size_t replay(tree *t, size_t last)
{
    size_t winner = last;
    for (size_t node = (t->count + last) / 2; node > 0; node /= 2) {
        if (is_first(t, t->losers[node], winner)) {
            size_t won = t->losers[node];
            t->losers[node] = winner;
            winner = won;
        }
    }
    return winner;
}

/* The next best has lost to the winner itself. */
static size_t next_best(const tree *t, size_t winner)
{
    size_t node = (t->count + winner) / 2, best = t->losers[node];
    while ((node /= 2) > 0) {
        best = is_first(t, t->losers[node], best) ? t->losers[node] : best;
    }
    return best;
}

static void start(tree *t)
{
    const sort_job *job = t->job;
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
        t->sources[t->count++] = (source){begin, line};
    }
}

static void run(tree *t, uint64_t *keys, uint64_t *items)
{
    const sort_job *job = t->job;
    start(t);
    size_t winner = t->count > 1 ? play(t, 1) : 0, second = 0;
    bool again = false; /* it has won twice, and the second is known */
    for (size_t i = 0; i < job->n; i++) {
        source *s = &t->sources[winner];
        keys[i] = job->keys[s->next];
        items[i] = job->items[s->next];
        s->next++;
        if (t->count == 1 || (again && is_first(t, winner, second))) {
            continue;
        }
        size_t last = winner;
        winner = replay(t, last);
        again = winner == last;
        second = again ? next_best(t, winner) : 0;
    }
}

int sort_merge(sort_job *job)
{
    tree t = {.job = job,
              .sources = calloc(job->in.part_count, sizeof(source)),
              .losers = calloc(job->in.part_count, sizeof(size_t))};
    uint64_t *keys = io_memory_take(job->held), *items = io_memory_take(job->held);
    int status = APP_ERROR;
    if (t.sources != NULL && t.losers != NULL && keys != NULL && items != NULL) {
        run(&t, keys, items);
        uint64_t *old_keys = job->keys, *old_items = job->items;
        job->keys = keys;
        job->items = items;
        keys = old_keys;
        items = old_items;
        status = APP_OK;
    }
    io_memory_give(keys, job->held);
    io_memory_give(items, job->held);
    free(t.sources);
    free(t.losers);
    return status == APP_OK ? status : app_fail("out of memory");
}

/* compare_passes.c - what starves a merge sort, and its cure, timed pass by pass. A pass merges
 * pairs of sorted lists. With a thread for each pair the last passes have fewer pairs than
 * threads. With every merge cut by rank (merge path) there are pieces enough in every pass. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"
#include "io/memory.h"
#include "io/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 22, RUNS = 25, LISTS_LEAST = 1 << 12, PIECES_A_THREAD = 4 };

typedef struct merging {
    upsweep **lone; /* a handle of one thread for each lane */
    const uint32_t *from;
    uint32_t *to;
    size_t list, piece; /* keys of a list; of the result that one task makes */
    bool failed;
} merging;

/* How many of the first `rank` keys of the merged lists come from a: merge path, by bisection. */
static size_t of_first(const uint32_t *a, const uint32_t *b, size_t list, size_t rank)
{
    size_t low = rank > list ? rank - list : 0, high = rank < list ? rank : list;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (a[middle] <= b[rank - middle - 1]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A task makes `piece` keys of the result of one pair: all of them, or as many as it was cut to. */
static void merge_piece(void *context, size_t task, unsigned lane)
{
    merging *m = context;
    size_t pieces = 2 * m->list / m->piece, from = task % pieces * m->piece;
    const uint32_t *a = m->from + task / pieces * 2 * m->list, *b = a + m->list;
    size_t i = of_first(a, b, m->list, from), end = of_first(a, b, m->list, from + m->piece);
    size_t j = from - i, other_end = from + m->piece - end;
    if (upsweep_merge(m->lone[lane], a + i, end - i, b + j, other_end - j,
                      m->to + (a - m->from) + from, UPSWEEP_U32, NULL) != UPSWEEP_OK) {
        m->failed = true;
    }
}

static double time_pass(const compare *c, merging *m, size_t piece)
{
    double from = app_seconds();
    m->piece = piece;
    io_parallel(c->pass_threads, KEYS / piece, merge_piece, m);
    return app_seconds() - from;
}

static void time_both(compare *c, merging *m, size_t list)
{
    double whole = INFINITY, cut = INFINITY;
    size_t least = KEYS;
    while (least > 1 && KEYS / least < (size_t)PIECES_A_THREAD * c->pass_threads) {
        least /= 2;
    }
    m->list = list;
    /* The least of the runs: what a pass takes when no other program is in its way. */
    for (int run = 0; run < RUNS; run++) {
        whole = fmin(whole, time_pass(c, m, 2 * list));
        cut = fmin(cut, time_pass(c, m, 2 * list < least ? 2 * list : least));
    }
    c->passes[c->pass_count++] = (compare_pass){list, whole, cut};
}

/* Sorted lists of `list` keys each. */
static bool make_lists(merging *m, const uint32_t *keys, uint32_t *lists, size_t list)
{
    memcpy(lists, keys, KEYS * sizeof *lists);
    return upsweep_sort_rows(m->lone[0], lists, KEYS, UPSWEEP_U32, NULL, KEYS / list, NULL, 0,
                             NULL) == UPSWEEP_OK;
}

static bool open_handles(const compare *c, merging *m)
{
    upsweep_config one = {.size = sizeof one, .threads = 1};
    bool ok = true;
    for (unsigned k = 0; k < c->pass_threads && ok; k++) {
        ok = upsweep_open(&m->lone[k], "cpu", &one) == UPSWEEP_OK;
    }
    return ok;
}

static int time_all(compare *c, merging *m)
{
    size_t bytes = KEYS * sizeof(uint32_t), count;
    uint32_t *keys = compare_numbers(c, KEYS, &count), *lists = io_memory_take(bytes);
    m->to = io_memory_take(bytes);
    bool ok = keys != NULL && lists != NULL && m->to != NULL && open_handles(c, m);
    size_t least = KEYS >> COMPARE_PASSES;
    for (size_t list = least > LISTS_LEAST ? least : LISTS_LEAST; list < KEYS && ok; list *= 2) {
        ok = make_lists(m, keys, lists, list);
        m->from = lists;
        if (ok) {
            time_both(c, m, list);
        }
    }
    free(keys);
    io_memory_give(lists, bytes);
    io_memory_give(m->to, bytes);
    return ok && !m->failed ? APP_OK : app_fail("out of memory");
}

int compare_time_passes(compare *c)
{
    if (c->counted_pass_count == 0) {
        return APP_OK;
    }
    merging m = {.lone = NULL};
    unsigned cores = io_processors(), wanted = (unsigned)c->settings->common.threads;
    c->pass_keys = KEYS;
    c->pass_threads = wanted > 0 && wanted < cores ? wanted : cores;
    c->pass_threads = c->pass_threads < IO_LANES_MAX ? c->pass_threads : IO_LANES_MAX;
    m.lone = calloc(c->pass_threads, sizeof(upsweep *));
    int status = m.lone != NULL ? time_all(c, &m) : app_fail("out of memory");
    for (unsigned k = 0; m.lone != NULL && k < c->pass_threads; k++) {
        upsweep_close(m.lone[k]);
    }
    free(m.lone);
    return status;
}

/* compare_passes.c - what starves a merge sort, and its cure, timed pass by pass. A pass merges
 * pairs of sorted lists. With a thread for each pair the last passes have fewer pairs than
 * threads; with every merge cut by rank (merge path) for all threads, all of them have work in
 * every pass. */
#include "compare.h"
#include "memory.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 22, RUNS = 5, LISTS_LEAST = 1 << 12 };

typedef struct merging {
    upsweep **lone; /* a handle of one thread for each lane */
    upsweep *all;
    const uint32_t *from;
    uint32_t *to;
    size_t list;
    bool failed;
} merging;

static void merge_pair(merging *m, upsweep *u, size_t pair)
{
    const uint32_t *a = m->from + 2 * pair * m->list;
    if (upsweep_merge(u, a, m->list, a + m->list, m->list, m->to + 2 * pair * m->list, UPSWEEP_U32,
                      NULL) != UPSWEEP_OK) {
        m->failed = true;
    }
}

static void merge_alone(void *context, size_t pair, unsigned lane)
{
    merging *m = context;
    merge_pair(m, m->lone[lane], pair);
}

static double median(double *seconds)
{
    for (int i = 1; i < RUNS; i++) {
        for (int k = i; k > 0 && seconds[k] < seconds[k - 1]; k--) {
            double other = seconds[k];
            seconds[k] = seconds[k - 1];
            seconds[k - 1] = other;
        }
    }
    return seconds[RUNS / 2];
}

static void time_pass(compare *c, merging *m, size_t list)
{
    double whole[RUNS], cut[RUNS];
    size_t pairs = KEYS / list / 2;
    m->list = list;
    for (int run = -1; run < RUNS; run++) { /* the first one is not counted */
        double from = app_seconds();
        io_parallel(c->pass_threads, pairs, merge_alone, m);
        double between = app_seconds();
        for (size_t pair = 0; pair < pairs; pair++) {
            merge_pair(m, m->all, pair);
        }
        if (run >= 0) {
            whole[run] = between - from;
            cut[run] = app_seconds() - between;
        }
    }
    c->passes[c->pass_count++] = (compare_pass){list, pairs, median(whole), median(cut)};
}

/* Sorted lists of `list` keys each. */
static bool make_lists(merging *m, const uint32_t *keys, uint32_t *lists, size_t list)
{
    memcpy(lists, keys, KEYS * sizeof *lists);
    return upsweep_sort_rows(m->all, lists, KEYS, UPSWEEP_U32, NULL, KEYS / list, NULL, 0, NULL) ==
           UPSWEEP_OK;
}

static bool open_handles(compare *c, merging *m)
{
    upsweep_config one = {.size = sizeof one, .threads = 1};
    upsweep_config all = {.size = sizeof all, .threads = c->pass_threads};
    bool ok = upsweep_open(&m->all, "cpu", &all) == UPSWEEP_OK;
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
            time_pass(c, m, list);
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
    upsweep_close(m.all);
    free(m.lone);
    return status;
}

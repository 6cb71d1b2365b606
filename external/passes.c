/* passes.c - where there are more runs than one merge has room for: neighbours are merged to longer
 * runs, no more of them than needed, so that as few bytes as possible are read and written twice
 * (Knuth 5.4.1 and 5.4.9; neighbours only, since equal records keep their order). */
/* SPDX-License-Identifier: MIT */
#include "external/ranges.h"

/* Whether all runs can be merged at once. */
static bool fit(const upsweep_external *x, const usw_ext_run *runs, size_t k)
{
    return (usw_ext_budget(x, runs, k, 1, x->order.unique ? 0 : x->write_bytes) != 0 &&
            usw_ext_budget(x, runs, k, 1, 0) != 0) ||
           usw_ext_tight_budget(x, runs, k) != 0;
}

/* How many runs from number `from` on can be merged at once. */
static size_t most_from(const upsweep_external *x, size_t from)
{
    size_t low = 1, high = x->run_count - from;
    while (low < high) {
        size_t k = high - (high - low) / 2;
        if (fit(x, x->runs + from, k)) {
            low = k;
        } else {
            high = k - 1;
        }
    }
    return low;
}

/* The neighbours, k of them, that have the fewest bytes. */
static size_t lightest(const upsweep_external *x, size_t k)
{
    uint64_t bytes = 0, least = UINT64_MAX;
    size_t found = 0;
    for (size_t i = 0; i < x->run_count; i++) {
        bytes += x->runs[i].raw;
        bytes -= i >= k ? x->runs[i - k].raw : 0;
        if (i + 1 >= k && bytes < least) {
            least = bytes;
            found = i + 1 - k;
        }
    }
    return found;
}

/* Blocks of runs that are gone leave room for those of new ones. */
static void pack_index(upsweep_external *x)
{
    usw_ext_block *to = x->blocks, *from = x->blocks;
    for (;;) {
        usw_ext_run *next = NULL;
        for (size_t i = 0; i < x->run_count; i++) {
            usw_ext_run *run = &x->runs[i];
            next = run->blocks >= from && (next == NULL || run->blocks < next->blocks) ? run : next;
        }
        if (next == NULL) {
            break;
        }
        from = next->blocks + next->block_count;
        memmove(to, next->blocks, next->block_count * sizeof *to);
        next->blocks = to;
        to += next->block_count;
    }
    x->blocks_used = (size_t)(to - x->blocks);
}

/* A range to the end of a run; elements are sorted, as in the last merge. */
static upsweep_status merge_range(usw_ext_range *r, usw_ext_sorting *s, unsigned char *end,
                                  usw_ext_sink *sink)
{
    if (r->x->order.element == 0) {
        return usw_ext_merge_range(r, sink);
    }
    upsweep_status status = usw_ext_sort_range(r, s, r->bytes, end);
    return status == UPSWEEP_OK ? usw_ext_writer_add_all(sink->writer, r->bytes, s->kept) : status;
}

static upsweep_status merge_ranges(usw_ext_plan *plan, usw_ext_range *r, usw_ext_sorting *s,
                                   unsigned char *end, usw_ext_sink *sink)
{
    upsweep_external *x = plan->x;
    bool none = false;
    for (;;) {
        upsweep_status status = usw_ext_plan_range(plan, r->stretches, &r->lower, &r->upper, &none);
        if (status != UPSWEEP_OK || none) {
            return status;
        }
        status = usw_ext_load(r);
        status = status == UPSWEEP_OK ? merge_range(r, s, end, sink) : status;
        if (status != UPSWEEP_OK) {
            return status;
        }
        for (size_t i = 0; i < plan->k; i++) {
            usw_ext_run *run = &plan->runs[i];
            size_t next = r->stretches[i].end;
            uint64_t until = !r->upper.any ? run->stored
                             : next == 0   ? 0
                                           : run->blocks[next - 1].stored;
            if (until > run->freed) {
                usw_ext_give_back(x, run, run->freed, until);
                run->freed = until;
            }
        }
    }
}

/* Runs [from, from + k) become one. */
static upsweep_status merge_group(upsweep_external *x, size_t from, size_t k)
{
    usw_ext_plan plan;
    usw_ext_range r;
    usw_ext_writer w;
    usw_ext_run *runs = x->runs + from;
    usw_ext_sorting sorting = {.u = NULL};
    bool elements = x->order.element != 0; /* half of the room is scratch then */
    size_t budget = usw_ext_budget(x, runs, k, 1, x->write_bytes) / (elements ? 2 : 1);
    bool tight = budget == 0;
    budget = tight ? usw_ext_tight_budget(x, runs, k) : budget;
    size_t page = USW_EXT_PAGE;
    size_t plan_bytes = (usw_ext_plan_bytes(x, k, tight) + page - 1) / page * page;
    unsigned char *buffer = x->work + plan_bytes;
    uint64_t bytes = 0, order = runs[0].order;
    for (size_t i = 0; i < k; i++) {
        bytes += runs[i].raw;
    }
    upsweep_status status = usw_ext_writer_open(&w, x, bytes, buffer, x->write_bytes);
    status = status == UPSWEEP_OK ? usw_ext_plan_begin(&plan, x, runs, k, budget, tight) : status;
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (elements && usw_ext_sorting_open(&sorting, x) != UPSWEEP_OK) {
        return usw_ext_fail(x, UPSWEEP_ERROR_MEMORY, "no memory for a handle");
    }
    usw_ext_range_open(&r, &plan, buffer + x->write_bytes);
    usw_ext_sink sink = {.writer = &w};
    status = merge_ranges(&plan, &r, &sorting, x->work + x->work_bytes, &sink);
    usw_ext_sorting_close(&sorting);
    if (status != UPSWEEP_OK) {
        return status;
    }
    memmove(runs, runs + k, (x->run_count - from - k) * sizeof *runs);
    x->run_count -= k;
    status = usw_ext_writer_close(&w, order);
    x->report.merges++;
    pack_index(x);
    return status;
}

upsweep_status usw_ext_reduce_runs(upsweep_external *x)
{
    upsweep_status status = UPSWEEP_OK;
    double begin = usw_ext_seconds();
    for (size_t from = 0; status == UPSWEEP_OK && !fit(x, x->runs, x->run_count);) {
        size_t most = most_from(x, from), surplus = x->run_count - most_from(x, 0);
        if (most < 2) { /* the end of the list, or records as long as the limit */
            if (from == 0) {
                return usw_ext_fail(x, UPSWEEP_ERROR_MEMORY,
                                    "the limit of %zu bytes is too small for such long records",
                                    x->limit);
            }
            from = 0;
            continue;
        }
        size_t k = usw_min(most, surplus + 1);
        USW_EXT_ROUTE("neighbours merged before the last merge");
        bool last = surplus + 1 <= most;
        size_t at = last && most_from(x, lightest(x, k)) >= k ? lightest(x, k) : from;
        status = merge_group(x, at, k);
        from = at + 1 < x->run_count ? at + 1 : 0;
    }
    x->report.merge_seconds += usw_ext_seconds() - begin;
    return status;
}

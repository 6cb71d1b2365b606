/* runs.c - merges a few long runs, rising or falling, in pairs. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/stretches.h"

enum { PIECES = 4 }; /* of a merge, for each thread */

typedef struct runs {
    const usw_pattern_search *f;
    size_t count, end[USW_RUNS_MAX + 1]; /* run i is [end[i], end[i + 1]); end[0] = 0 */
    /* one pass: the runs of `from`, in pairs, to `to` */
    const usw_merge_steps *merge;
    const unsigned char *from;
    unsigned char *to;
    size_t pieces;
} runs;

/* Piece i of the merge of a pair of runs; a run without a partner is copied. */
static void merge_piece(void *context, size_t i, unsigned lane)
{
    USW_ROUTE_OF("runs are merged", USW_WIDE_TYPES);
    const runs *r = context;
    const usw_pattern_search *f = r->f;
    size_t pair = i / r->pieces * 2, bytes = f->bytes;
    size_t begin = r->end[pair], middle = r->end[pair + 1];
    size_t end = pair + 2 <= r->count ? r->end[pair + 2] : middle;
    const unsigned char *a = r->from + begin * bytes, *b = r->from + middle * bytes;
    size_t na = middle - begin, nb = end - middle, share = usw_div_up(end - begin, r->pieces);
    size_t low = usw_min(end - begin, i % r->pieces * share);
    size_t high = usw_min(end - begin, low + share);
    size_t a0 = r->merge->split[f->width](a, na, b, nb, low);
    size_t a1 = r->merge->split[f->width](a, na, b, nb, high);
    (void)lane;
    r->merge->merge[f->width](a + a0 * bytes, a1 - a0, b + (low - a0) * bytes,
                              high - a1 - (low - a0), r->to + (begin + low) * bytes);
}

static void copy_back(void *context, size_t i, unsigned lane)
{
    USW_ROUTE_OF("an odd number of passes", USW_WIDE_TYPES);
    const runs *r = context;
    const usw_pattern_search *f = r->f;
    size_t begin = i * USW_PATTERN_CHUNK, n = usw_min(USW_PATTERN_CHUNK, f->n - begin);
    (void)lane;
    f->maps->unmap[f->width](f->keys + begin * f->bytes, r->from + begin * f->bytes, n,
                             &f->order->map);
}

/* Merges neighbouring runs, pass by pass, until one is left, and unmaps that one. */
static void merge_runs(runs *r, unsigned char *scratch)
{
    const usw_pattern_search *f = r->f;
    unsigned char *side[2] = {f->keys, scratch};
    unsigned at = 0;
    r->pieces = f->n < USW_PATTERN_CHUNK ? 1 : PIECES * (size_t)f->u->threads;
    for (; r->count > 1; at ^= 1) {
        size_t pairs = usw_div_up(r->count, 2);
        r->from = side[at];
        r->to = side[at ^ 1];
        usw_parallel(f->u, pairs * r->pieces, merge_piece, r);
        for (size_t i = 1; i <= pairs; i++) {
            r->end[i] = r->end[usw_min(2 * i, r->count)];
        }
        r->count = pairs;
    }
    r->from = side[at];
    if (at == 1) {
        usw_parallel(f->u, usw_div_up(f->n, USW_PATTERN_CHUNK), copy_back, r);
    } else {
        USW_ROUTE_OF("an even number of passes", USW_WIDE_TYPES);
        usw_pattern_map(f, true);
    }
}

/* Brings the runs together at the front, mapped, with the loose keys behind them as the last run.
 */
static void line_up(const usw_stretches *s, runs *r)
{
    const usw_pattern_search *f = s->f;
    size_t at = 0;
    for (size_t i = 0; i < s->runs; i++) {
        const usw_run *run = &s->run[i];
        size_t begin = at;
        for (size_t j = run->first; j < run->end; j++) {
            const usw_stretch *a = &s->stretch[j];
            memmove(f->keys + at * f->bytes, f->keys + a->begin * f->bytes, a->n * f->bytes);
            at += a->n;
        }
        if (run->falls) {
            USW_ROUTE_OF("a falling run is turned", USW_WIDE_TYPES);
            usw_pattern_reverse(f, begin, at - begin);
        }
        r->end[++r->count] = at;
    }
    usw_pattern_map(f, false);
    if (at < f->n) {
        USW_ROUTE_OF("loose keys are the last run", USW_WIDE_TYPES);
        memcpy(f->keys + at * f->bytes, s->loose, (f->n - at) * f->bytes);
        r->end[++r->count] = f->n;
    }
}

bool usw_merge_runs(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    runs r = {.f = f, .merge = USW_PICK(f->u->isa, usw_merge_steps)};
    line_up(s, &r);
    usw_scratch_reset(f->u, s->after_stretches);
    unsigned char *scratch = usw_scratch(f->u, f->n * f->bytes);
    if (scratch == NULL) {
        USW_ROUTE_OF("runs, but no scratch to merge them", USW_WIDE_TYPES);
        usw_pattern_map(f, true);
        s->stretch[0] = (usw_stretch){.n = f->n};
        s->count = 1;
        return false;
    }
    merge_runs(&r, scratch);
    return true;
}

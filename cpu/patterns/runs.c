/* runs.c - sorts keys that are a few long runs, rising or falling, by merging them, and nearly
 * sorted keys by taking out the few that are out of order, sorting these and merging them in. */
#include "cpu/patterns/pattern_steps.h"

enum {
    RUNS_MAX = 8,
    RUNS_MANY_FROM = 16 * 1024, /* fewer keys sort in less time than it takes to merge three runs */
    SHARE_MIN = 32,             /* a run shorter than n / SHARE_MIN is none */
    DROP_SHARE = 8,             /* at most n / DROP_SHARE keys may be out of order */
    DROP_PASSES = 4,
    PIECES = 4 /* of a merge, for each thread */
};

/* ---- long runs ---- */

typedef struct runs {
    const usw_pattern_search *f;
    size_t count, end[RUNS_MAX + 1]; /* run i is [end[i], end[i + 1]); end[0] = 0 */
    /* one pass: the runs of `from`, in pairs, to `to` */
    const usw_merge_steps *merge;
    const unsigned char *from;
    unsigned char *to;
    size_t pieces;
} runs;

/* Finds the runs and reverses falling ones; false if one is short or they are many: then some runs
 * may stay reversed. */
static bool find_runs(runs *r)
{
    const usw_pattern_search *f = r->f;
    size_t most = f->n < RUNS_MANY_FROM ? 2 : RUNS_MAX;
    for (size_t at = 0; at < f->n;) {
        const unsigned char *rest = f->keys + at * f->bytes;
        size_t left = f->n - at, n = usw_first_break(f->u, rest, left, f->width, f->order, true);
        size_t falling = n <= left / 64 + 1 && n < left
                             ? usw_first_break(f->u, rest, left, f->width, f->order, false)
                             : 0;
        size_t run = usw_max(n, falling);
        if (r->count == most || (run < f->n / SHARE_MIN && run < left)) {
            return false;
        }
        if (falling > n) {
            USW_ROUTE_OF("a falling run is turned", USW_WIDE_TYPES);
            usw_pattern_reverse(f, at, falling);
        }
        at += run;
        r->end[++r->count] = at;
    }
    return true;
}

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

bool usw_sort_runs(const usw_pattern_search *f)
{
    runs r = {.f = f, .merge = USW_PICK(f->u->isa, usw_merge_steps)};
    if (!find_runs(&r)) {
        return false;
    }
    usw_mark mark = usw_scratch_mark(f->u);
    unsigned char *scratch = usw_scratch(f->u, f->n * f->bytes);
    if (scratch == NULL) {
        USW_ROUTE_OF("runs, but no scratch to merge them", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
        return false;
    }
    size_t count = r.count;
    usw_pattern_map(f, false);
    merge_runs(&r, scratch);
    *f->found = (usw_found){USW_RUNS, count};
    return true;
}

/* ---- nearly sorted ---- */

/* Takes keys out until the others are in order: *kept is how many those are. False if too many keys
 * are out of order; then all keys are in the array again. */
static bool drop_wrong(const usw_pattern_search *f, unsigned char *dropped, size_t *kept)
{
    usw_key_order plain = {{.bits = (unsigned)f->bytes * 8}, 0, 0};
    size_t limit = f->n / DROP_SHARE, n = f->n, gone = 0;
    bool complete = true;
    for (unsigned pass = 0;; pass++) {
        size_t at = f->maps->first_break[f->width](f->keys, n, &plain, true, false);
        if (at == n) {
            *kept = n;
            return true;
        }
        if (pass == DROP_PASSES) {
            break;
        }
        size_t from = at - 1; /* the keys before it are in order and not greater */
        size_t stay = f->steps->drop[f->width](f->keys + from * f->bytes, n - from,
                                               dropped + gone * f->bytes, limit - gone, &complete);
        if (!complete) {
            break;
        }
        gone += n - from - stay;
        n = from + stay;
    }
    memcpy(f->keys + n * f->bytes, dropped, gone * f->bytes);
    return false;
}

bool usw_sort_nearly_sorted(const usw_pattern_search *f)
{
    size_t capacity = f->n / DROP_SHARE + 1024, kept;
    usw_mark mark = usw_scratch_mark(f->u);
    unsigned char *dropped = usw_scratch(f->u, capacity * f->bytes);
    if (dropped == NULL) {
        USW_ROUTE_OF("no scratch for the few that stand wrong", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
        return false;
    }
    usw_pattern_map(f, false);
    bool done = drop_wrong(f, dropped, &kept);
    if (done) {
        USW_ROUTE_OF("in order but for a few", USW_WIDE_TYPES);
        const usw_hybrid_steps *hybrid = USW_PICK(f->u->isa, usw_hybrid_steps);
        (void)hybrid->sort[f->width](f->u, dropped, f->n - kept, NULL, true);
        f->steps->weave[f->width](f->keys, kept, dropped, f->n - kept);
        *f->found = (usw_found){USW_NEARLY_SORTED, f->n - kept};
    } else {
        USW_ROUTE_OF("more than a few stand wrong", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
    }
    usw_pattern_map(f, true);
    return done;
}

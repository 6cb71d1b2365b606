/* runs.c - merges a few long runs, rising or falling: in pairs, pass by pass, or all at once where
 * threads share the way to memory.
 *
 * All at once: a thread takes as many keys from all runs as fit into its own cache, merges these in
 * pairs there, and writes them where they belong. Which keys these are is found by blocks of each
 * run: those with the least last keys are taken until there are enough, and of the other runs what
 * comes before the last of them. So an array is read and written once, and once more to come back,
 * however many runs there are; one thread by itself is faster pass by pass. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/runs.h"

enum {
    PIECES = 4,                      /* of a merge, for each thread */
    AT_ONCE_BYTES = 4 * 1024 * 1024, /* of an array whose runs are merged all at once */
    CACHE_BYTES = 256 * 1024,        /* that are merged in a thread's cache */
    RANGE_BLOCKS = 16,               /* of a range, of which there are PIECES for each thread */
    BLOCK_MIN = 256                  /* keys */
};

typedef struct runs {
    const usw_pattern_search *f;
    size_t count, end[USW_RUNS_MAX + 1]; /* run i is [end[i], end[i + 1]); end[0] = 0 */
    /* one pass: the runs of `from`, in pairs, to `to` */
    const usw_merge_steps *merge;
    const unsigned char *from;
    unsigned char *to;
    size_t pieces;
    usw_shares buffers; /* all at once: two for each thread */
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

/* ---- all at once ---- */

/* The first of places [low, high) of run i whose key is greater than x, or not less. */
static size_t bound(const usw_runs *r, size_t i, size_t low, size_t high, uint64_t x, bool greater)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key = usw_run_key(r, i, middle);
        bool before = greater ? key <= x : key < x;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}

/* Where a block of run i ends that begins at `at`. Equal keys of a run that falls stay together,
 * since they are in the order of their places there. */
static size_t block_end(const usw_runs *r, size_t i, size_t at, size_t end, size_t block)
{
    size_t stop = usw_min(end, at + block);
    while (r->falls[i] && stop < end && stop > at + 1 &&
           usw_run_key(r, i, stop) == usw_run_key(r, i, stop - 1)) {
        stop--;
    }
    return stop;
}

/* Moves at[i], places in the runs, which end at end[i], on past so many blocks of `block` keys:
 * those with the least last keys. Then no key before a place is greater than one behind any, and
 * fewer than (blocks + runs) * block keys are between the old places and the new ones. */
static void advance(const usw_runs *r, size_t *at, const size_t *end, size_t block, size_t blocks)
{
    size_t stop[USW_RUNS_MAX + 1], least = 0;
    uint64_t last[USW_RUNS_MAX + 1], x = 0;
    for (size_t i = 0; i < r->count; i++) {
        stop[i] = block_end(r, i, at[i], end[i], block);
        last[i] = at[i] < end[i] ? usw_run_key(r, i, stop[i] - 1) : 0;
    }
    for (; blocks > 0; blocks--) {
        size_t next = r->count;
        for (size_t i = 0; i < r->count; i++) {
            next = at[i] < end[i] && (next == r->count || last[i] < last[next]) ? i : next;
        }
        if (next == r->count) {
            return;
        }
        least = next;
        x = last[least];
        at[least] = stop[least];
        stop[least] = block_end(r, least, at[least], end[least], block);
        last[least] = at[least] < end[least] ? usw_run_key(r, least, stop[least] - 1) : 0;
    }
    for (size_t i = 0; i < r->count; i++) {
        if (i != least) {
            at[i] = bound(r, i, at[i], stop[i], x, i < least);
        }
    }
}

const unsigned char *usw_merge_lists(usw_lists *l, usw_merge_fn merge, size_t bytes,
                                     unsigned char *const side[2], size_t turn, unsigned char *out)
{
    for (; l->count > 1; turn ^= 1) {
        unsigned char *to = l->count == 2 && out != NULL ? out : side[turn];
        for (size_t i = 0; i < l->count; i += 2) {
            const unsigned char *other = i + 1 < l->count ? l->list[i + 1] : l->list[i];
            size_t more = i + 1 < l->count ? l->n[i + 1] : 0;
            merge(l->list[i], l->n[i], other, more, to);
            l->list[i / 2] = to;
            l->n[i / 2] = l->n[i] + more;
            to += l->n[i / 2] * bytes;
        }
        l->count = usw_div_up(l->count, 2);
    }
    return l->list[0];
}

static void merge_range(void *context, size_t c, unsigned lane)
{
    const usw_runs *r = context;
    const size_t *end = r->cut + (c + 1) * r->count;
    size_t at[USW_RUNS_MAX + 1], before[USW_RUNS_MAX + 1], left = 0, place = 0;
    for (size_t i = 0; i < r->count; i++) {
        at[i] = r->cut[c * r->count + i];
        place += at[i] - r->end[i];
        left += end[i] - at[i];
    }
    while (left > 0) {
        memcpy(before, at, r->count * sizeof *at);
        if (left <= r->part) {
            memcpy(at, end, r->count * sizeof *at);
        } else {
            advance(r, at, end, r->part / (2 * r->count), r->count);
        }
        r->merge_part(r, before, at, place, lane);
        for (size_t i = 0; i < r->count; i++) {
            place += at[i] - before[i];
            left -= at[i] - before[i];
        }
    }
}

bool usw_merge_in_parts(usw_runs *r)
{
    size_t threads = r->u->threads, parts = threads == 1 ? 1 : PIECES * threads, ranges = 0;
    size_t block = usw_max(BLOCK_MIN, r->n / (parts * RANGE_BLOCKS));
    /* Each range takes so many blocks, of which the last one of a run may be shorter. */
    size_t most = (r->n / block + r->count) / RANGE_BLOCKS + 1;
    r->cut = usw_scratch(r->u, (most + 1) * r->count * sizeof *r->cut);
    if (r->cut == NULL) {
        return false;
    }
    memcpy(r->cut, r->end, r->count * sizeof *r->cut);
    for (bool more = true; more; ranges++) {
        size_t *at = r->cut + (ranges + 1) * r->count;
        memcpy(at, at - r->count, r->count * sizeof *at);
        if (parts == 1) {
            memcpy(at, r->end + 1, r->count * sizeof *at);
        } else {
            advance(r, at, r->end + 1, block, RANGE_BLOCKS);
        }
        more = memcmp(at, r->end + 1, r->count * sizeof *at) != 0;
    }
    usw_parallel(r->u, ranges, merge_range, r);
    return true;
}

/* Keys alone: merged in a thread's cache, mapped, and written where they belong. */
static void merge_keys(const usw_runs *r, const size_t *at, const size_t *end, size_t place,
                       unsigned lane)
{
    USW_ROUTE_OF("runs are merged all at once", USW_WIDE_TYPES);
    const runs *all = r->context;
    const usw_pattern_search *f = all->f;
    unsigned char *buffer = usw_share(&all->buffers, lane), *to = buffer;
    unsigned char *side[2] = {buffer, buffer + CACHE_BYTES + USW_ASIDE_BYTES};
    unsigned char *out = all->to + place * f->bytes;
    bool plain = usw_keymap_is_identity(&f->order->map);
    usw_lists l = {.count = 0};
    for (size_t i = 0; i < r->count; i++) {
        size_t n = end[i] - at[i];
        if (n > 0) {
            l.list[l.count] = plain ? f->keys + at[i] * f->bytes : to;
            l.n[l.count++] = n;
            if (!plain) {
                f->maps->map[f->width](to, f->keys + at[i] * f->bytes, n, &f->order->map);
                to += n * f->bytes;
            }
        }
    }
    const unsigned char *merged =
        usw_merge_lists(&l, all->merge->merge[f->width], f->bytes, side, !plain, out);
    if (merged != out) {
        memcpy(out, merged, l.n[0] * f->bytes);
    }
}

/* Merges all runs to `to` at once; false: there is no scratch for that. */
static bool merge_at_once(runs *r)
{
    const usw_pattern_search *f = r->f;
    usw_runs all = {.u = f->u,
                    .keys = f->keys,
                    .n = f->n,
                    .bytes = f->bytes,
                    .order = *f->order,
                    .count = r->count,
                    .part = CACHE_BYTES / f->bytes,
                    .merge_part = merge_keys,
                    .context = r};
    memcpy(all.end, r->end, (r->count + 1) * sizeof *all.end);
    r->buffers = usw_scratch_shares(f->u, f->u->threads, 2 * (CACHE_BYTES + USW_ASIDE_BYTES));
    return r->buffers.at != NULL && usw_merge_in_parts(&all);
}

/* ---- pass by pass ---- */

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
    usw_pattern_map(f, false);
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

/* Brings the runs together at the front, with the loose keys behind them as the last run. */
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
    if (at < f->n) {
        USW_ROUTE_OF("loose keys are the last run", USW_WIDE_TYPES);
        f->maps->unmap[f->width](f->keys + at * f->bytes, s->loose, f->n - at, &f->order->map);
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
        s->stretch[0] = (usw_stretch){.n = f->n};
        s->count = 1;
        return false;
    }
    r.to = scratch;
    bool many = r.count > 2 && f->u->threads > 1 && f->n * f->bytes >= AT_ONCE_BYTES;
    if (many && merge_at_once(&r)) {
        r.from = scratch;
        usw_parallel(f->u, usw_div_up(f->n, USW_PATTERN_CHUNK), copy_back, &r);
    } else {
        merge_runs(&r, scratch);
    }
    return true;
}

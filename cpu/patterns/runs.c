/* runs.c - merges a few long runs, rising or falling: in pairs, pass by pass, or all at once where
 * threads share the way to memory.
 *
 * All at once: a thread takes as many keys from all runs as fit into its own cache, merges these in
 * pairs there, and writes them where they belong. Which keys these are is found by blocks of each
 * run: those with the least last keys are taken until there are enough, and of the other runs what
 * comes before the last of them. So an array is read and written once, and once more to come back,
 * however many runs there are; one thread by itself is faster pass by pass. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/stretches.h"

enum {
    PIECES = 4,                      /* of a merge, for each thread */
    AT_ONCE_BYTES = 4 * 1024 * 1024, /* of an array whose runs are merged all at once */
    CACHE_BYTES = 256 * 1024,        /* that are merged in a thread's cache, */
    ASIDE_BYTES = 2112,              /* in two buffers whose lines take other places there */
    RANGE_BLOCKS = 16                /* of a range, of which there are PIECES for each thread */
};

typedef struct runs {
    const usw_pattern_search *f;
    size_t count, end[USW_RUNS_MAX + 1]; /* run i is [end[i], end[i + 1]); end[0] = 0 */
    /* one pass: the runs of `from`, in pairs, to `to` */
    const usw_merge_steps *merge;
    const unsigned char *from;
    unsigned char *to;
    size_t pieces;
    /* all at once: where range c begins in run i is cut[c * count + i]; two buffers a thread */
    size_t *cut;
    usw_shares buffers;
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

/* The first of keys [low, high) that is greater than x, or not less. */
static size_t bound(const usw_pattern_search *f, size_t low, size_t high, uint64_t x, bool greater)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key = usw_key_at(f, middle);
        bool before = greater ? key <= x : key < x;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return low;
}

/* Moves at[i], places in the runs, which end at end[i], on past so many blocks of `block` keys:
 * those with the least last keys. Then no key before a place is greater than one behind any, and
 * fewer than (blocks + runs) * block keys are between the old places and the new ones. */
static void advance(const runs *r, size_t *at, const size_t *end, size_t block, size_t blocks)
{
    size_t stop[USW_RUNS_MAX + 1], least = 0;
    uint64_t last[USW_RUNS_MAX + 1], x = 0;
    for (size_t i = 0; i < r->count; i++) {
        stop[i] = usw_min(end[i], at[i] + block);
        last[i] = at[i] < end[i] ? usw_key_at(r->f, stop[i] - 1) : 0;
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
        stop[least] = usw_min(end[least], at[least] + block);
        last[least] = at[least] < end[least] ? usw_key_at(r->f, stop[least] - 1) : 0;
    }
    for (size_t i = 0; i < r->count; i++) {
        if (i != least) {
            at[i] = bound(r->f, at[i], stop[i], x, i < least);
        }
    }
}

/* Merges keys [at[i], end[i]) of all runs, no more than fit a buffer, to `out`. */
static void merge_in_cache(const runs *r, const size_t *at, const size_t *end, unsigned char *out,
                           unsigned char *buffer)
{
    const usw_pattern_search *f = r->f;
    const unsigned char *list[USW_RUNS_MAX + 1];
    unsigned char *side[2] = {buffer, buffer + CACHE_BYTES + ASIDE_BYTES}, *to = buffer;
    size_t n[USW_RUNS_MAX + 2] = {0}, count = 0, turn = 0;
    bool plain = usw_keymap_is_identity(&f->order->map);
    for (size_t i = 0; i < r->count; i++) {
        if (at[i] < end[i]) {
            n[count] = end[i] - at[i];
            list[count] = plain ? f->keys + at[i] * f->bytes : to;
            if (!plain) {
                f->maps->map[f->width](to, f->keys + at[i] * f->bytes, n[count], &f->order->map);
                to += n[count] * f->bytes;
            }
            count++;
        }
    }
    for (turn = !plain; count > 0; turn ^= 1) {
        to = count <= 2 ? out : side[turn];
        for (size_t i = 0; i < count; i += 2) {
            const unsigned char *other = i + 1 < count ? list[i + 1] : list[i];
            size_t more = i + 1 < count ? n[i + 1] : 0;
            r->merge->merge[f->width](list[i], n[i], other, more, to);
            list[i / 2] = to;
            n[i / 2] = n[i] + more;
            to += n[i / 2] * f->bytes;
        }
        count = count <= 2 ? 0 : usw_div_up(count, 2);
    }
}

static void merge_range(void *context, size_t c, unsigned lane)
{
    USW_ROUTE_OF("runs are merged all at once", USW_WIDE_TYPES);
    const runs *r = context;
    const usw_pattern_search *f = r->f;
    const size_t *end = r->cut + (c + 1) * r->count, most = CACHE_BYTES / f->bytes;
    size_t at[USW_RUNS_MAX + 1], before[USW_RUNS_MAX + 1], left = 0, place = 0;
    for (size_t i = 0; i < r->count; i++) {
        at[i] = r->cut[c * r->count + i];
        place += at[i] - r->end[i];
        left += end[i] - at[i];
    }
    while (left > 0) {
        memcpy(before, at, r->count * sizeof *at);
        if (left <= most) {
            memcpy(at, end, r->count * sizeof *at);
        } else {
            advance(r, at, end, most / (2 * r->count), r->count);
        }
        merge_in_cache(r, before, at, r->to + place * f->bytes, usw_share(&r->buffers, lane));
        for (size_t i = 0; i < r->count; i++) {
            place += at[i] - before[i];
            left -= at[i] - before[i];
        }
    }
}

/* Merges all runs to `to` at once; false: there is no scratch for that. */
static bool merge_at_once(runs *r)
{
    upsweep *u = r->f->u;
    size_t wanted = PIECES * (size_t)u->threads * RANGE_BLOCKS, ranges = 0;
    size_t block = usw_max(1, r->f->n / wanted);
    /* Each range takes so many blocks, of which the last one of a run may be shorter. */
    size_t most = (r->f->n / block + r->count) / RANGE_BLOCKS + 1;
    r->buffers = usw_scratch_shares(u, u->threads, 2 * (CACHE_BYTES + ASIDE_BYTES));
    r->cut = usw_scratch(u, (most + 1) * r->count * sizeof *r->cut);
    if (r->buffers.at == NULL || r->cut == NULL) {
        return false;
    }
    memcpy(r->cut, r->end, r->count * sizeof *r->cut);
    for (bool more = true; more; ranges++) {
        size_t *at = r->cut + (ranges + 1) * r->count;
        memcpy(at, at - r->count, r->count * sizeof *at);
        advance(r, at, r->end + 1, block, RANGE_BLOCKS);
        more = memcmp(at, r->end + 1, r->count * sizeof *at) != 0;
    }
    usw_parallel(u, ranges, merge_range, r);
    return true;
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

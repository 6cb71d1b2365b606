/* pair_stretches.c - finds keys that are in order but for some, and sorts these by themselves.
 *
 * All threads look at chunks. Where two neighbours are out of order, the key that stands wrong is
 * taken out: the second, if the keys go on above the first; the first, if they go on from the
 * second; else both, since one of any two that are out of order must go, so that at most twice as
 * many go as have to. Of a chunk that would lose many only its beginning or its end stays.
 * Nothing is moved for that:
 * the keys that are out, the loose ones, are known by their positions. They are sorted with their
 * positions, and merged in again (cpu/patterns/pair_weave.c). Source: the two that are dropped:
 * C. R. Cook and D. J. Kim, Best sorting algorithm for nearly sorted lists (1980). */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pair_stretches.h"
#include "cpu/patterns/pattern_steps.h"

enum {
    CHUNK = 32 * 1024, /* keys, a multiple of 64 */
    CHUNK_MIN = 1024,
    CHUNKS = 32,        /* of an array of less than CHUNKS chunks of CHUNK */
    LOOSE_SHARE = 24,   /* at most n / LOOSE_SHARE keys may be loose */
    CHUNK_SHARE = 4,    /* of a chunk that would lose more than a fourth one stretch stays, */
    PART_SHARE = 8,     /* unless it is shorter than an eighth */
    GATHER = 4096,      /* loose keys of a task */
    TRIM = 64,          /* keys that are taken from each side of the border of two chunks */
    FAR_BYTES = 2 << 20 /* of an array that is not in a core's own cache */
};

#define NONE SIZE_MAX

/* ---- one chunk ---- */

/* Of the keys of a chunk, bits: which are less than the key before, and which have been taken out.
 */
typedef struct chunk_keys {
    const unsigned char *keys;
    size_t n;
    uint64_t breaks[CHUNK / 64], out[CHUNK / 64];
    size_t count; /* of those that are out */
} chunk_keys;

static void take_out(chunk_keys *c, size_t i)
{
    c->out[i / 64] |= UINT64_C(1) << i % 64;
    c->count++;
}

/* The last key before i that is still in, or NONE. */
static size_t key_before(const chunk_keys *c, size_t i)
{
    do {
        if (i-- == 0) {
            return NONE;
        }
    } while (c->out[i / 64] >> i % 64 & 1);
    return i;
}

/* The first break from i on, or n. */
static size_t next_break(const chunk_keys *c, size_t i)
{
    if (i >= c->n) {
        return c->n;
    }
    size_t w = i / 64;
    uint64_t bits = c->breaks[w] & UINT64_MAX << i % 64;
    while (bits == 0) {
        if (++w * 64 >= c->n) {
            return c->n;
        }
        bits = c->breaks[w];
    }
    return w * 64 + (size_t)__builtin_ctzll(bits);
}

/* Takes keys out until the others are in order, or more than `limit` are out. */
static void loosen(const usw_pair_stretches *s, chunk_keys *c, size_t limit)
{
    size_t i = next_break(c, 1), top = i - 1; /* the last key that is in; i is less */
    while (i < c->n && c->count <= limit) {
        uint64_t x = usw_pair_key(s, c->keys, i), high = usw_pair_key(s, c->keys, top);
        uint64_t next = i + 1 < c->n ? usw_pair_key(s, c->keys, i + 1) : UINT64_MAX;
        size_t below = next >= high ? NONE : key_before(c, top);
        if (next >= high) {
            take_out(c, i);
        } else if (x <= next && (below == NONE || usw_pair_key(s, c->keys, below) <= x)) {
            take_out(c, top);
            top = i;
        } else {
            take_out(c, i);
            take_out(c, top);
            top = below;
        }
        i++;
        if (i < c->n && top != i - 1 &&
            (top == NONE || usw_pair_key(s, c->keys, top) <= usw_pair_key(s, c->keys, i))) {
            top = i++;
        }
        if (top == i - 1) {
            i = next_break(c, i);
            top = i - 1;
        }
    }
}

/* Room for m holes, or NONE: then all is given up. */
static size_t take_holes(usw_pair_stretches *s, size_t m)
{
    size_t at = atomic_load(&s->holes);
    do {
        if (m > s->holes_most - at) {
            atomic_store(&s->given_up, true);
            return NONE;
        }
    } while (!atomic_compare_exchange_weak(&s->holes, &at, at + m));
    return at;
}

/* All keys are taken out but those before the first break, or from the last one on, if they are
 * not few. */
static void loosen_most(chunk_keys *c)
{
    size_t first = next_break(c, 1), last = first;
    for (size_t i = first; i < c->n; i = next_break(c, i + 1)) {
        last = i;
    }
    bool front = first >= c->n - last;
    size_t begin = front ? 0 : last, end = front ? first : c->n;
    if (end - begin < c->n / PART_SHARE) {
        USW_ROUTE_OF("a chunk is loose", USW_WIDE_TYPES);
        end = begin;
    }
    for (size_t i = 0; i < c->n; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        bool out = i < begin || i >= end;
        c->out[i / 64] = out ? c->out[i / 64] | bit : c->out[i / 64] & ~bit;
    }
    c->count = c->n - (end - begin);
}

/* Notes what is in and what is out. */
static void note_chunk(usw_pair_stretches *s, usw_pair_stretch *to, size_t begin,
                       const chunk_keys *c)
{
    size_t hole = to->hole = take_holes(s, c->count);
    if (hole == NONE) {
        return;
    }
    to->holes = c->count;
    for (size_t w = 0; w * 64 < c->n; w++) {
        for (uint64_t bits = c->out[w]; bits != 0; bits &= bits - 1) {
            s->hole[hole++] = begin + w * 64 + (size_t)__builtin_ctzll(bits);
        }
    }
    to->end = begin + key_before(c, c->n) + 1; /* NONE + 1 is 0 */
    for (size_t i = 0; i < c->n && (c->out[i / 64] >> i % 64 & 1); i++) {
        to->begin++;
    }
}

static void examine_chunk(void *context, size_t i, unsigned lane)
{
    usw_pair_stretches *s = context;
    usw_pair_stretch *to = &s->stretch[i];
    size_t begin = i * s->chunk, n = usw_min(s->chunk, s->n - begin);
    const unsigned char *keys = s->keys + begin * s->bytes;
    (void)lane;
    *to = (usw_pair_stretch){.begin = begin, .end = begin + n};
    bool far = s->n * s->bytes >= FAR_BYTES;
    if (!atomic_load(&s->given_up) &&
        s->maps->first_break[s->width](keys, n, &s->order, true, far) < n) {
        chunk_keys c = {.keys = keys, .n = n};
        s->maps->mark_breaks[s->width](keys, n, &s->order, c.breaks);
        loosen(s, &c, n / CHUNK_SHARE);
        if (c.count > n / CHUNK_SHARE) {
            USW_ROUTE_OF("most keys of a chunk are loose", USW_WIDE_TYPES);
            loosen_most(&c);
        } else {
            USW_ROUTE_OF("some keys of a chunk are loose", USW_WIDE_TYPES);
        }
        note_chunk(s, to, begin, &c);
    }
    if (to->begin < to->end) {
        to->low = usw_pair_key(s, s->keys, to->begin);
        to->high = usw_pair_key(s, s->keys, to->end - 1);
    }
}

/* ---- the borders of chunks ---- */

static bool is_hole(const usw_pair_stretches *s, const usw_pair_stretch *a, size_t i)
{
    size_t low = a->hole, high = a->hole + a->holes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        *(s->hole[middle] < i ? &low : &high) = s->hole[middle] < i ? middle + 1 : middle;
    }
    return low < a->hole + a->holes && s->hole[low] == i;
}

static void drop_last(const usw_pair_stretches *s, usw_pair_stretch *a)
{
    do {
        a->end--;
    } while (a->end > a->begin && is_hole(s, a, a->end - 1));
    a->high = a->end > a->begin ? usw_pair_key(s, s->keys, a->end - 1) : 0;
}

static void drop_first(const usw_pair_stretches *s, usw_pair_stretch *b)
{
    do {
        b->begin++;
    } while (b->begin < b->end && is_hole(s, b, b->begin));
    b->low = b->begin < b->end ? usw_pair_key(s, s->keys, b->begin) : 0;
}

/* Takes the last keys of a and the first of b out until b follows a; false: they are many. */
static bool trim(usw_pair_stretches *s, usw_pair_stretch *a, usw_pair_stretch *b)
{
    for (unsigned i = 0; a->begin < a->end && b->begin < b->end && a->high > b->low; i++) {
        size_t at = i == TRIM ? NONE : take_holes(s, 2);
        if (at == NONE) {
            return false;
        }
        USW_ROUTE_OF("keys at the border of two chunks are loose", USW_WIDE_TYPES);
        s->hole[at] = a->end - 1;
        s->hole[at + 1] = b->begin;
        drop_last(s, a);
        drop_first(s, b);
    }
    return true;
}

/* Whether the stretches, without those that have no key left, follow one another in order. */
static bool join_stretches(usw_pair_stretches *s)
{
    size_t count = 0;
    for (size_t c = 0; c < s->count; c++) {
        usw_pair_stretch b = s->stretch[c];
        if (count > 0 && !trim(s, &s->stretch[count - 1], &b)) {
            return false;
        }
        count -= count > 0 && s->stretch[count - 1].begin == s->stretch[count - 1].end;
        s->stretch[count] = b;
        count += b.begin < b.end;
    }
    s->count = count;
    return count > 0;
}

/* ---- the loose keys ---- */

/* Loose keys as they are, and their positions. */
static void gather_loose(void *context, size_t c, unsigned lane)
{
    usw_pair_stretches *s = context;
    size_t pb = s->position_bytes, end = usw_min(s->loose, (c + 1) * GATHER);
    (void)lane;
    for (size_t i = c * GATHER; i < end; i++) {
        usw_store_raw(s->position + i * pb, pb, s->in_order[i]);
        usw_store_raw(s->key + i * s->bytes, s->bytes,
                      usw_load_raw(s->keys + s->in_order[i] * s->bytes, s->bytes));
    }
}

static bool sort_loose(usw_pair_stretches *s)
{
    upsweep *u = s->u;
    size_t m = s->loose = atomic_load(&s->holes), pb = s->n - 1 <= UINT32_MAX ? 4 : 8;
    usw_pattern none = USW_NO_PATTERN;
    s->in_order = usw_scratch(u, m * sizeof *s->in_order);
    s->position_bytes = pb;
    s->key = usw_scratch(u, m * s->bytes);
    s->position = usw_scratch(u, m * pb);
    if (s->in_order == NULL || s->position == NULL || s->key == NULL) {
        return false;
    }
    unsigned threads = usw_take_fewer_threads(u, m * sizeof *s->in_order);
    memcpy(s->in_order, s->hole, m * sizeof *s->in_order);
    const usw_hybrid_steps *hybrid = USW_PICK(u->isa, usw_hybrid_steps);
    (void)hybrid->sort[usw_log2_up(sizeof(size_t))](u, s->in_order, m, NULL, true);
    usw_parallel(u, usw_div_up(m, GATHER), gather_loose, s);
    usw_pair_sort q = {.n = m,
                       .keys = s->key,
                       .map = s->p->map,
                       .bit_begin = s->p->bit_begin,
                       .bit_end = s->p->bit_end,
                       .payloads = s->position,
                       .payload_bytes = pb,
                       .out_keys = s->key,
                       .out_payloads = s->position,
                       .found = &none};
    bool sorted = s->sort_pairs(u, &q, s->bytes) == UPSWEEP_OK;
    u->threads = threads;
    return sorted;
}

/* ---- the whole ---- */

static bool make_room(usw_pair_stretches *s)
{
    size_t chunk = usw_max(CHUNK_MIN, usw_div_up(s->n, CHUNKS));
    s->chunk = usw_min(CHUNK, usw_div_up(chunk, 64) * 64);
    s->count = usw_div_up(s->n, s->chunk);
    s->holes_most = s->n / LOOSE_SHARE;
    s->stretch = usw_scratch(s->u, s->count * sizeof *s->stretch);
    s->hole = usw_scratch(s->u, (s->holes_most + 1) * sizeof *s->hole);
    return s->stretch != NULL && s->hole != NULL;
}

/* In order but for some keys. */
static bool sort_nearly_sorted(usw_pair_stretches *s)
{
    const usw_pattern_steps *steps = USW_PICK(s->u->isa, usw_pattern_steps);
    if (steps->leaning[s->width](s->keys, s->n, &s->order.map) <= 0 || !make_room(s)) {
        return false;
    }
    atomic_init(&s->holes, 0);
    atomic_init(&s->given_up, false);
    usw_parallel(s->u, s->count, examine_chunk, s);
    return !atomic_load(&s->given_up) && join_stretches(s) && sort_loose(s) && usw_weave_pairs(s);
}

bool usw_sort_pair_stretches(upsweep *u, const usw_pair_sort *p, size_t key_bytes,
                             usw_sort_pairs sort_pairs)
{
    unsigned left = (unsigned)key_bytes * 8 - p->bit_end;
    usw_pair_stretches s = {.u = u,
                            .p = p,
                            .keys = p->keys,
                            .n = p->n,
                            .bytes = key_bytes,
                            .width = usw_log2_up(key_bytes),
                            .order = {p->map, left, left + p->bit_begin},
                            .maps = USW_PICK(u->isa, usw_keymap_steps),
                            .sort_pairs = sort_pairs};
    usw_glance glance;
    if (s.width < 2) {
        return false;
    }
    USW_PICK(u->isa, usw_pattern_steps)->glance[s.width](s.keys, s.n, &p->map, &glance);
    if (usw_looks_random(&glance)) {
        return false;
    }
    usw_mark mark = usw_scratch_mark(u);
    *p->found = USW_NO_PATTERN;
    if (sort_nearly_sorted(&s)) {
        USW_ROUTE_PAIRS_OF("in order but for some", USW_WIDE_TYPES);
        *p->found = USW_NEARLY_SORTED;
    } else {
        USW_ROUTE_OF("stretches, but not to be merged", USW_WIDE_TYPES);
        usw_scratch_reset(u, mark);
        *p->found = usw_merge_pair_runs(&s) ? USW_RUNS : USW_NO_PATTERN;
    }
    usw_scratch_reset(u, mark);
    return *p->found != USW_NO_PATTERN;
}

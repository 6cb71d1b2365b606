/* strings.c - the sort of strings by all threads: ranges are parted into buckets by splitters from
 * a sample until a bucket fits a core's cache.
 *
 * To part a range, each of its strings looks for its bucket in the tree of splitters.h, in the
 * order in which the texts lie in memory; then the items move to their buckets, stable. What lies
 * between two splitters shares the bytes that these share, and what equals a splitter is in order
 * already. So texts are read from memory about twice, and equal beginnings once (Bingmann and
 * Sanders, "Parallel string sample sort", 2013). */
/* SPDX-License-Identifier: MIT */
#include "cpu/strings/repeated.h"
#include "cpu/strings/splitters.h"

enum {
#ifdef USW_CHECKED /* so large that some are parted again, as of many more strings */
    BUCKET = 7000,
#else
    BUCKET = 2000, /* items of a bucket, about, that splitters are chosen for */
#endif
    SAMPLES = 4,             /* strings that are sampled for a splitter */
    LANE_SPLITTERS = 255,    /* at most, where one thread parts a range */
    REPEATED_FROM = 1 << 16, /* items, where repeated ones are to be dropped before the sort */
    CHUNK = 1 << 14,         /* items, at least, that a thread takes at once */
    AHEAD = 16
};

/* Items still to be sorted: [begin, begin + n) of side[turn], to end in side[0]. */
typedef struct range {
    size_t begin, n, depth;
    unsigned turn;
} range;

/* What a thread has for itself. */
typedef struct leaf_memory {
    usw_string strings[USW_LEAF_MOST];
    uint64_t words[USW_LEAF_MOST], items[USW_LEAF_MOST], values[USW_LEAF_MOST];
    uint8_t dropped[USW_LEAF_MOST];
} leaf_memory;

/* And where it parts ranges. */
typedef struct part_memory {
    USW_SPLITTER_MEMORY(LANE_SPLITTERS) splitters;
    uint64_t sample[LANE_SPLITTERS * SAMPLES];
    size_t ends[2 * LANE_SPLITTERS + 1], places[2 * LANE_SPLITTERS + 1]; /* of buckets */
} part_memory;

/* And all together. */
typedef struct tree_memory {
    USW_SPLITTER_MEMORY(USW_SPLITTERS_MOST) splitters;
    uint64_t sample[USW_SPLITTERS_MOST * SAMPLES];
    size_t ends[2 * USW_SPLITTERS_MOST + 1];
} tree_memory;
_Static_assert(USW_SPLITTERS_MOST *SAMPLES <= USW_LEAF_MOST, "a leaf sorts every sample");

#define SET_TREE(tree, memory)                                                                     \
    ((tree).splitters = (memory).splitters, (tree).nodes = (memory).nodes,                         \
     (tree).words = (memory).words, (tree).children = (memory).children,                           \
     (tree).begins = (memory).begins, (tree).heads = (memory).heads,                               \
     (tree).next_heads = (memory).next_heads, (tree).run_depths = (memory).run_depths,             \
     (tree).run_ends = (memory).run_ends)

typedef struct lane {
    usw_string_leaf leaf;
    usw_splitters splitters;
    part_memory *more;
    range *waiting; /* ranges too large for a leaf: at most one for each USW_LEAF_MOST items */
} lane;

typedef struct job {
    usw_string_sort *sort;
    upsweep *u;
    usw_string_items side[2];
    uint16_t *buckets; /* [n]: of the range that is parted */
    usw_shares lanes;
    /* of all threads together */
    usw_splitters splitters;
    tree_memory *tree;
    range now;
    size_t chunk, chunks, chunks_most;
    size_t *counts; /* [chunks][2 count + 1]: items of a bucket; then where its next one goes */
} job;

static void set_item(const usw_string_sort *s, const usw_string_items *to, size_t at,
                     const usw_string_items *from, size_t i)
{
    usw_set_item(to->items, s->item_bytes, at, usw_item(from->items, s->item_bytes, i));
    if (s->values != NULL) {
        to->values[at] = from->values[i];
    }
}

/* ---- buckets ---- */

/* Finds the buckets of items [begin, end) of a side, and counts them. */
static void find_buckets(const job *j, const usw_splitters *splitters, const range *r, size_t begin,
                         size_t end, size_t *counts)
{
    const usw_string_sort *s = j->sort;
    const void *items = j->side[r->turn].items;
    uint32_t buckets[USW_HEADS_AT_ONCE] = {0};
    memset(counts, 0, (2 * (size_t)splitters->count + 1) * sizeof *counts);
    for (size_t i = begin; i < end; i += USW_HEADS_AT_ONCE) {
        size_t n = usw_min(USW_HEADS_AT_ONCE, end - i);
        usw_string strings[USW_HEADS_AT_ONCE];
        for (size_t k = 0; k < n; k++) {
            if (i + k + 2 * AHEAD < end) {
                usw_fetch_offset(&s->strings, usw_item(items, s->item_bytes, i + k + 2 * AHEAD));
            }
            if (i + k + AHEAD < end) {
                usw_fetch_string(&s->strings, usw_item(items, s->item_bytes, i + k + AHEAD),
                                 r->depth);
            }
            strings[k] = usw_string_of(&s->strings, usw_item(items, s->item_bytes, i + k));
        }
        usw_find_string_buckets(splitters, j->u->isa, strings, n, buckets);
        for (size_t k = 0; k < n; k++) {
            uint32_t b = s->descending ? 2 * splitters->count - buckets[k] : buckets[k];
            j->buckets[i + k] = (uint16_t)b;
            counts[b]++;
        }
    }
}

/* Moves items [begin, end) to their buckets on the other side; places are relative to r->begin. */
static void move_items(const job *j, const range *r, size_t begin, size_t end, size_t *places)
{
    const usw_string_sort *s = j->sort;
    const usw_string_items *from = &j->side[r->turn], *to = &j->side[1 - r->turn];
    for (size_t i = begin; i < end; i++) {
        set_item(s, to, r->begin + places[j->buckets[i]]++, from, i);
    }
}

/* A bucket of what equals a splitter: its items are in order. */
static void settle_equal(const job *j, const range *r)
{
    const usw_string_sort *s = j->sort;
    const usw_string_items *from = &j->side[r->turn];
    for (size_t i = r->begin; i < r->begin + r->n; i++) {
        if (s->distinct && i > r->begin) {
            usw_set_item(j->side[0].items, s->item_bytes, i, USW_DROPPED);
        } else if (r->turn != 0) {
            set_item(s, &j->side[0], i, from, i);
        }
    }
}

/* Which range bucket b is, of those that range r was parted into; ends are relative to r->begin. */
static range bucket_range(const job *j, const usw_splitters *splitters, const range *r,
                          const size_t *ends, uint32_t b)
{
    size_t begin = b == 0 ? 0 : ends[b - 1];
    uint32_t natural = j->sort->descending ? 2 * splitters->count - b : b;
    size_t depth = natural % 2 == 0 ? usw_bucket_depth(splitters, natural / 2, r->depth) : r->depth;
    return (range){r->begin + begin, ends[b] - begin, depth, 1 - r->turn};
}

static void sort_leaf(const job *j, lane *l, const range *r)
{
    usw_sort_string_leaf(&l->leaf, &j->side[r->turn], &j->side[0], r->begin, r->n, r->depth);
}

/* ---- ranges of one thread ---- */

static void part_alone(job *j, lane *l, const range *r, size_t *waiting_count)
{
    USW_ROUTE_OF("a range parted by one thread", USW_NO_TYPES);
    usw_splitters *splitters = &l->splitters;
    size_t most = usw_min(r->n / (BUCKET / 2), LANE_SPLITTERS);
    usw_sample_splitters(splitters, most, SAMPLES, &l->leaf, &j->side[r->turn], r->begin, r->n,
                         r->depth, l->more->sample);
    size_t *places = l->more->places, at = 0;
    find_buckets(j, splitters, r, r->begin, r->begin + r->n, places);
    for (size_t b = 0; b <= 2 * (size_t)splitters->count; b++) {
        size_t count_b = places[b];
        places[b] = at;
        at += count_b;
        l->more->ends[b] = at;
    }
    move_items(j, r, r->begin, r->begin + r->n, places);
    for (uint32_t b = 0; b <= 2 * splitters->count; b++) {
        range next = bucket_range(j, splitters, r, l->more->ends, b);
        bool equal = (b & 1) != 0;
        if (next.n > USW_LEAF_MOST && !equal) {
            l->waiting[(*waiting_count)++] = next;
        } else if (equal || next.n == 1) {
            settle_equal(j, &next);
        } else if (next.n > 0) {
            sort_leaf(j, l, &next);
        }
    }
}

static void sort_alone(job *j, lane *l, range r)
{
    size_t waiting_count = 0;
    l->waiting[waiting_count++] = r;
    while (waiting_count > 0) {
        r = l->waiting[--waiting_count];
        if (r.n > USW_LEAF_MOST) {
            part_alone(j, l, &r, &waiting_count);
        } else {
            sort_leaf(j, l, &r);
        }
    }
}

/* ---- ranges of all threads ---- */

static void find_chunk(void *context, size_t c, unsigned lane_number)
{
    job *j = context;
    (void)lane_number;
    size_t begin = c * j->chunk, end = usw_min(begin + j->chunk, j->now.n);
    size_t stride = 2 * (size_t)j->splitters.count + 1;
    find_buckets(j, &j->splitters, &j->now, j->now.begin + begin, j->now.begin + end,
                 j->counts + c * stride);
}

static void move_chunk(void *context, size_t c, unsigned lane_number)
{
    job *j = context;
    (void)lane_number;
    size_t begin = c * j->chunk, end = usw_min(begin + j->chunk, j->now.n);
    size_t stride = 2 * (size_t)j->splitters.count + 1;
    move_items(j, &j->now, j->now.begin + begin, j->now.begin + end, j->counts + c * stride);
}

static void sort_bucket(void *context, size_t b, unsigned lane_number)
{
    job *j = context;
    range r = bucket_range(j, &j->splitters, &j->now, j->tree->ends, (uint32_t)b);
    bool equal = (b & 1) != 0;
    if (equal || r.n == 1) {
        settle_equal(j, &r);
    } else if (r.n > 0) {
        sort_alone(j, usw_share(&j->lanes, lane_number), r);
    }
}

/* Where each chunk's items of each bucket go, from how many there are. */
static void place_buckets(job *j)
{
    size_t stride = 2 * (size_t)j->splitters.count + 1, at = 0;
    for (size_t b = 0; b < stride; b++) {
        for (size_t c = 0; c < j->chunks; c++) {
            size_t count = j->counts[c * stride + b];
            j->counts[c * stride + b] = at;
            at += count;
        }
        j->tree->ends[b] = at;
    }
}

static void part_together(job *j)
{
    USW_ROUTE_OF("strings parted by all threads", USW_NO_TYPES);
    size_t n = j->now.n;
    const lane *l = usw_share(&j->lanes, 0);
    usw_sample_splitters(&j->splitters, usw_min(n / BUCKET, USW_SPLITTERS_MOST), SAMPLES, &l->leaf,
                         &j->side[0], 0, n, 0, j->tree->sample);
    j->chunk = usw_div_up(n, usw_max(1, usw_min(n / CHUNK, j->chunks_most)));
    j->chunks = usw_div_up(n, j->chunk);
    usw_parallel(j->u, j->chunks, find_chunk, j);
    place_buckets(j);
    usw_parallel(j->u, j->chunks, move_chunk, j);
    usw_parallel(j->u, 2 * (size_t)j->splitters.count + 1, sort_bucket, j);
}

/* ---- the call ---- */

static bool take_lanes(job *j, unsigned count, bool parts)
{
    usw_string_sort *s = j->sort;
    usw_shares lanes = usw_scratch_shares(j->u, count, sizeof(lane));
    usw_shares leaves = usw_scratch_shares(j->u, count, sizeof(leaf_memory));
    usw_shares more = {NULL, 0}, waiting = {NULL, 0};
    if (parts) {
        more = usw_scratch_shares(j->u, count, sizeof(part_memory));
        waiting = usw_scratch_shares(j->u, count, (s->n / USW_LEAF_MOST + 1) * sizeof(range));
    }
    if (!lanes.at || !leaves.at || (parts && (!more.at || !waiting.at))) {
        return false;
    }
    j->lanes = lanes;
    for (unsigned i = 0; i < count; i++) {
        lane *l = usw_share(&lanes, i);
        leaf_memory *m = usw_share(&leaves, i);
        l->leaf = (usw_string_leaf){.sort = s,
                                    .isa = j->u->isa,
                                    .strings = m->strings,
                                    .words = m->words,
                                    .items = m->items,
                                    .values = m->values,
                                    .dropped = s->distinct ? m->dropped : NULL};
        l->more = parts ? usw_share(&more, i) : NULL;
        l->waiting = parts ? usw_share(&waiting, i) : NULL;
        if (parts) {
            SET_TREE(l->splitters, l->more->splitters);
        }
    }
    return true;
}

/* One thread needs no tree for all where its own has splitters enough. */
static bool is_alone(upsweep *u, size_t n)
{
    return n <= (size_t)LANE_SPLITTERS * BUCKET && usw_parallel_threads(u) == 1;
}

static bool take_parts(job *j)
{
    const usw_string_sort *s = j->sort;
    size_t values = s->values != NULL ? s->n * sizeof *s->values : 0;
    j->side[1].items = usw_scratch(j->u, s->n * s->item_bytes);
    j->side[1].values = values > 0 ? usw_scratch(j->u, values) : NULL;
    j->buckets = usw_scratch(j->u, s->n * sizeof *j->buckets);
    bool taken = j->side[1].items && (values == 0 || j->side[1].values) && j->buckets;
    if (is_alone(j->u, s->n) || !taken) {
        return taken;
    }
    j->chunks_most = 4 * (size_t)usw_parallel_threads(j->u);
    j->counts = usw_scratch(j->u, j->chunks_most * sizeof j->tree->ends);
    j->tree = usw_scratch(j->u, sizeof *j->tree);
    if (j->tree != NULL) {
        SET_TREE(j->splitters, j->tree->splitters);
    }
    return j->counts && j->tree;
}

/* Closes the gaps that dropped items left. */
static size_t close_gaps(const usw_string_sort *s)
{
    uint64_t *items = s->items;
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (items[i] != USW_DROPPED) {
            items[kept] = items[i];
            if (s->values != NULL) {
                s->values[kept] = s->values[i];
            }
            kept++;
        }
    }
    return kept;
}

static void number_items(void *context, size_t c, unsigned lane_number)
{
    const usw_string_sort *s = context;
    (void)lane_number;
    for (size_t i = c * CHUNK; i < usw_min(s->n, (c + 1) * CHUNK); i++) {
        usw_set_item(s->items, s->item_bytes, i, i);
    }
}

upsweep_status usw_sort_strings(upsweep *u, usw_string_sort *s)
{
    job j = {.sort = s, .u = u, .side = {{s->items, s->values}, {NULL, NULL}}};
    bool parts = s->n > USW_LEAF_MOST;
    s->kept = s->n;
    if (!take_lanes(&j, parts ? usw_parallel_threads(u) : 1, parts) || (parts && !take_parts(&j))) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu strings", s->n);
    }
    if (s->positions) {
        usw_parallel(u, usw_div_up(s->n, CHUNK), number_items, s);
    }
    usw_repeated repeated;
    if (s->distinct && s->n >= REPEATED_FROM && usw_take_repeated(u, s, &repeated)) {
        s->n = usw_drop_repeated(u, s, &repeated);
        parts = s->n > USW_LEAF_MOST;
    }
    j.now = (range){0, s->n, 0, 0};
    if (parts && j.tree == NULL) {
        sort_alone(&j, usw_share(&j.lanes, 0), j.now);
    } else if (parts) {
        part_together(&j);
    } else {
        USW_ROUTE_OF("strings that fit a cache", USW_NO_TYPES);
        sort_leaf(&j, usw_share(&j.lanes, 0), &j.now);
    }
    if (s->distinct) {
        s->kept = close_gaps(s);
    }
    return UPSWEEP_OK;
}

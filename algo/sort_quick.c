/* Vector quicksort
 *
 * Idea     Read the keys a vector at a time, compare each vector with a pivot, and compress it: the
 *          keys that are not above the pivot close up at the left end of the range, the others at
 *          the right end. Both ends are ranges again. Parts of at most 8 keys are sorted by a
 *          network.
 *
 * Picture  keys      5 2 9 1 7 3 8 6 4 9 2 0     pivot 5
 *          held      5 2 9 1         4 9 2 0     the outermost vectors leave room
 *          load              7 3 8 6
 *          compress  3 . . . . . . . . 7 8 6     3 goes left, 7 8 6 go right
 *          held      3 5 2 1 . . . . 9 7 8 6     the vectors that were held: 5 2 1 and 9,
 *          held      3 5 2 1 4 2 0 9 9 7 8 6     then 4 2 0 and 9
 *          leaves    0 1 2 2 3 4 5|6 7 8 9 9     a network sorts each
 *
 * Rounds   They depend on the keys. A level partitions all its ranges side by side, in 2 ceil(m /
 * 4)
 *          rounds for a largest range of m keys: one chooses pivots, one holds the outermost
 *          vectors, two read and compress each of the others, two compress those that were held.
 *          The leaves take 6 rounds together. With pivots near the middle there are
 *          ceil(log2 (n / 8)) levels.
 *
 * Cost     A level compares every key once with its pivot and moves it twice, and compares up to
 *          three keys to choose a pivot; a leaf of 8 keys takes 19 to 24 compares. No branch
 *          depends on a key but where a range ends. With the worst of pivots there are about n / 2
 *          levels; the CPU form turns to heap sort before that.
 *
 * Why      Two vectors are held, so the places that are free at both ends add up to two vectors.
 *          The next one is read from the end with less room. Then that end has room for a whole
 *          vector, and so has the other, which had at least half of the two: no key is written
 *          over that was not read. Equal keys: a range knows `top`, which no key of it is above. A
 *          pivot of that value sends left only what is below it; what goes right equals the pivot,
 *          and is done. Any other pivot goes left itself and is that range's top. So a value costs
 *          one level more at most, and an array of equal keys two in all.
 *
 * Source   C. A. R. Hoare, Quicksort, Computer Journal 1962; S. Gueron, V. Krasnov, Fast quicksort
 *          implementation using AVX instructions, Computer Journal 2016; K. E. Batcher, 1968, for
 *          the network.
 *
 * Forms    explained (this file), CPU (sort_quick_cpu.h). On a GPU blocks cannot share one memory
 *          as cheaply as lanes share a vector: there sort/hybrid does this work by buckets.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

enum { LEAF = 8 };

/* The keys begin .. end - 1, none of them above top. Lane k of its vector is lane k of the
 * range. */
typedef struct range {
    size_t begin, end;
    uint32_t top;
    bool below;         /* the pivot is top: only keys below the pivot go left */
    size_t i, j;        /* the keys i .. j - 1 are not read yet */
    size_t left, right; /* the places left .. i - 1 and j .. right - 1 are free */
    size_t loaded;      /* keys of the vector that was read last */
} range;

/* The ranges of a level, and the leaves of all levels. Part p has the pivot pivots[p] and three
 * vectors from v[3 p * USW_VECTOR] on: the two that it holds, and the one that it reads. */
typedef struct level {
    usw_array a, v, pivots;
    range *ranges, *leaves;
    size_t count, leaf_count;
} level;

enum { HELD_LEFT, HELD_RIGHT, READ, VECTORS };

static size_t register_of(size_t p, size_t vector)
{
    return (p * VECTORS + vector) * USW_VECTOR;
}

/* The first, the middle or the last key: the one that is neither the least nor the greatest. */
static size_t middle_of_three(usw_explain *x, usw_array a, const range *p)
{
    size_t low = p->begin, middle = p->begin + (p->end - p->begin) / 2, high = p->end - 1;
    if (!in_order(x, a, low, a, middle)) {
        size_t was = low;
        low = middle;
        middle = was;
    }
    if (in_order(x, a, middle, a, high)) {
        return middle;
    }
    return in_order(x, a, low, a, high) ? high : low;
}

static void choose_pivots(usw_explain *x, level *l)
{
    ROUND(x, "pivot") {
        LANES(x, p, l->count) {
            range *q = &l->ranges[p];
            move(x, l->a, middle_of_three(x, l->a, q), l->pivots, p);
            q->below = l->pivots.v[p] == q->top;
        }
    }
    show(x, l->pivots);
}

/* The lanes of range p move `count` keys from a[i] on into a vector. */
static void load(usw_explain *x, const level *l, size_t p, size_t i, size_t count, size_t vector)
{
    for (size_t k = 0; k < count; k++) {
        usw_lane(x, p * USW_VECTOR + k);
        move(x, l->a, i + k, l->v, register_of(p, vector) + k);
    }
}

static void hold_outermost(usw_explain *x, level *l)
{
    ROUND(x, "hold") {
        for (size_t p = 0; p < l->count; p++) {
            range *q = &l->ranges[p];
            q->left = q->begin;
            q->right = q->end;
            q->i = q->begin + USW_VECTOR;
            q->j = q->end - USW_VECTOR;
            load(x, l, p, q->begin, USW_VECTOR, HELD_LEFT);
            load(x, l, p, q->j, USW_VECTOR, HELD_RIGHT);
        }
        show(x, l->v);
    }
}

/* Each range reads a vector, or what is left of its keys, from the end that has less room. */
static void load_next(usw_explain *x, level *l)
{
    ROUND(x, "load") {
        for (size_t p = 0; p < l->count; p++) {
            range *q = &l->ranges[p];
            q->loaded = usw_min(USW_VECTOR, q->j - q->i);
            if (q->i - q->left <= q->right - q->j) {
                load(x, l, p, q->i, q->loaded, READ);
                q->i += q->loaded;
            } else {
                q->j -= q->loaded;
                load(x, l, p, q->j, q->loaded, READ);
            }
        }
        show(x, l->v);
    }
}

/* Whether lane k's key goes left. */
static bool goes_left(usw_explain *x, const level *l, size_t p, size_t at)
{
    return l->ranges[p].below ? !in_order(x, l->pivots, p, l->v, at)
                              : in_order(x, l->v, at, l->pivots, p);
}

/* The keys of a vector close up to the left or to the right, in the order of their lanes. */
static void compress(usw_explain *x, const level *l, size_t p, size_t vector, size_t count)
{
    range *q = &l->ranges[p];
    bool left[USW_VECTOR] = {false};
    size_t to_left = 0;
    for (size_t k = 0; k < count; k++) {
        usw_lane(x, p * USW_VECTOR + k);
        left[k] = goes_left(x, l, p, register_of(p, vector) + k);
        to_left += left[k];
    }
    q->right -= count - to_left;
    for (size_t k = 0, others = 0; k < count; k++) {
        usw_lane(x, p * USW_VECTOR + k);
        size_t to = left[k] ? q->left++ : q->right + others++;
        move(x, l->v, register_of(p, vector) + k, l->a, to);
    }
}

/* A range is partitioned on the next level, or it is a leaf, or it has one key at most and is
 * sorted. */
static void keep(level *l, range *next, size_t *next_count, range p)
{
    if (p.end - p.begin > LEAF) {
        next[(*next_count)++] = p;
    } else if (p.end - p.begin > 1) {
        l->leaves[l->leaf_count++] = p;
    }
}

static size_t most_unread(const level *l)
{
    size_t most = 0;
    for (size_t p = 0; p < l->count; p++) {
        most = usw_max(most, l->ranges[p].j - l->ranges[p].i);
    }
    return most;
}

/* Partitions all ranges of a level side by side; a range that is done waits for the largest. */
static void partition_ranges(usw_explain *x, level *l)
{
    l->pivots.n = l->count;
    l->v.n = register_of(l->count, 0);
    choose_pivots(x, l);
    hold_outermost(x, l);
    while (most_unread(l) > 0) {
        load_next(x, l);
        ROUND(x, "compress") {
            for (size_t p = 0; p < l->count; p++) {
                compress(x, l, p, READ, l->ranges[p].loaded);
            }
            show(x, l->a);
        }
    }
    ROUNDS(x, held, 2, "held") {
        for (size_t p = 0; p < l->count; p++) {
            compress(x, l, p, held, USW_VECTOR);
        }
        show(x, l->a);
    }
}

/* The ranges that partitioned ones leave. */
static void next_level(usw_explain *x, level *l)
{
    range *next = new_memory(x, 2 * l->count * sizeof *next);
    size_t count = 0;
    for (size_t p = 0; p < l->count; p++) {
        range q = l->ranges[p];
        uint32_t pivot = l->pivots.v[p];
        keep(l, next, &count, (range){.begin = q.begin, .end = q.left, .top = pivot});
        if (!q.below) { /* else all of it equals the pivot */
            keep(l, next, &count, (range){.begin = q.left, .end = q.end, .top = q.top});
        }
    }
    l->ranges = next;
    l->count = count;
}

/* Round r of a merge of two halves: mirror images over both, then keys at a distance. */
static size_t reach_of(size_t half, size_t r)
{
    return r == 0 ? 2 * half : half >> r;
}

/* A bitonic network (sort/bitonic) of 8 places in each leaf; comparators that reach past its end
 * are left out. Lane t is pair t % 4 of leaf t / 4. */
static void sort_leaves(usw_explain *x, const level *l)
{
    for (size_t half = 1; half < LEAF; half *= 2) {
        phase(x, "leaves, merge %zu", 2 * half);
        size_t count = usw_log2_up(2 * half);
        ROUNDS(x, r, count, r == 0 ? "mirror %zu" : "distance %zu", reach_of(half, r)) {
            size_t d = half >> r;
            LANES(x, t, l->leaf_count * LEAF / 2) {
                const range *leaf = &l->leaves[t / (LEAF / 2)];
                size_t pair = t % (LEAF / 2), i = pair / d * 2 * d + pair % d;
                size_t j = r == 0 ? i ^ (2 * d - 1) : i + d;
                if (leaf->begin + j < leaf->end) {
                    compare_exchange(x, l->a, leaf->begin + i, leaf->begin + j);
                }
            }
            show(x, l->a);
        }
    }
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    level l = {.a = given(x, "a", in, n, out)};
    if (n < 2) {
        return;
    }
    l.ranges = new_memory(x, sizeof *l.ranges);
    l.leaves = new_memory(x, 2 * n * sizeof *l.leaves);
    if (n > LEAF) {
        l.pivots = new_array(x, "pivots", n / LEAF);
        l.v = new_array(x, "v", n / LEAF * VECTORS * USW_VECTOR);
        l.v.vector = USW_VECTOR;
    }
    keep(&l, l.ranges, &l.count, (range){.end = n, .top = UINT32_MAX});
    for (size_t depth = 1; l.count > 0; depth++) {
        phase(x, "level %zu", depth);
        note(x, "ranges to partition: %zu, leaves so far: %zu", l.count, l.leaf_count);
        partition_ranges(x, &l);
        next_level(x, &l);
    }
    sort_leaves(x, &l);
}

const usw_row usw_sort_quick_row = {
    .info = {.name = "sort/quick",
             .operation = "sort",
             .title = "Vector quicksort",
             .idea = "vectors compressed to both sides of a pivot, a network for the last few keys",
             .work = "about 1.2 n log2 (n / 8) + 3 n compares",
             .depth = "depends on the keys",
             .source = "Hoare 1962; Gueron and Krasnov 2016",
             .input = "keys",
             .example = "5 2 9 1 7 3 8 6 4 9 2 0",
             .text = usw_sort_quick_page,
             .claims = UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = sort,
};

/* classify.c - the bucket of each key among sorted edges, and from buckets to parts. */
/* SPDX-License-Identifier: MIT */
#include "ranks/cuts.h"

#include "io/parallel.h"

enum { BLOCK = 512, STRETCH = 1 << 17 }; /* keys searched side by side; keys of a thread's turn */

typedef struct classing {
    const usw_keys *keys;
    usw_cuts *cuts;
    uint64_t *counts; /* [lane][bucket] */
    uint64_t *words;  /* [lane][BLOCK keys] */
    uint64_t *ladder; /* one word a key: edges filled up to 2^steps - 1 by the greatest number */
    unsigned steps;
} classing;

/* Numbers: every step of the search is made for all keys of the block before the next one, so that
 * no key waits for its own memory. An edge that is the greatest number and one that fills up are
 * told apart by the count of edges. */
static void class_numbers(const classing *j, const uint64_t *key, size_t n, uint16_t *to)
{
    uint32_t at[BLOCK];
    memset(at, 0, sizeof at);
    for (unsigned s = j->steps; s-- > 0;) {
        const uint64_t *middle = j->ladder + (1u << s) - 1;
        for (size_t i = 0; i < n; i++) {
            at[i] += (uint32_t)(middle[at[i]] < key[i]) << s;
        }
    }
    size_t edges = j->cuts->edges;
    for (size_t i = 0; i < n; i++) {
        to[i] = (uint16_t)(2 * at[i] + (at[i] < edges && j->ladder[at[i]] == key[i]));
    }
}

static void class_words(const classing *j, const uint64_t *key, size_t n, uint16_t *to)
{
    const usw_cuts *cuts = j->cuts;
    unsigned words = j->keys->words;
    for (size_t i = 0; i < n; i++) {
        size_t at = usw_count_less(cuts->edge, cuts->edges, key + i * words, words, false);
        bool equal = at < cuts->edges &&
                     usw_compare_words(cuts->edge + at * words, key + i * words, words) == 0;
        to[i] = (uint16_t)(2 * at + equal);
    }
}

static void class_stretch(void *context, size_t task, unsigned lane)
{
    const classing *j = context;
    size_t begin = task * STRETCH, end = usw_min(begin + STRETCH, j->keys->n);
    size_t buckets = 2 * j->cuts->edges + 1;
    uint64_t *counts = j->counts + lane * buckets;
    uint64_t *words = j->words + (size_t)lane * BLOCK * j->keys->words;
    for (size_t i = begin; i < end; i += BLOCK) {
        size_t n = usw_min(BLOCK, end - i);
        uint16_t *to = j->cuts->to + i;
        usw_load_keys(j->keys, j->keys->data, i, n, words);
        (j->keys->words == 1 ? class_numbers : class_words)(j, words, n, to);
        for (size_t k = 0; k < n; k++) {
            counts[to[k]]++;
        }
    }
}

/* As many threads as the handle has for a sort of n keys, whatever its last call was. */
static unsigned threads_of(usw_call *c, size_t n)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    bool known = upsweep_explain_choice(c->u, n, UPSWEEP_U64, NULL, &report) == UPSWEEP_OK &&
                 report.threads > 0;
    return known ? (unsigned)usw_min(report.threads, IO_LANES_MAX) : 1;
}

/* How many of sorted elements [low, high) are less than key; with `equal`, or equal to it. */
static size_t find_in_sorted(const usw_keys *keys, size_t low, size_t high, const uint64_t *key,
                             bool equal, uint64_t *own)
{
    size_t n = high - low, from = low;
    while (n > 0) {
        size_t half = n / 2;
        usw_load_keys(keys, keys->data, low + half, 1, own);
        int order = usw_compare_words(own, key, keys->words);
        if (order < 0 || (equal && order == 0)) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low - from;
}

/* Of sorted keys: a bucket is where its edges would stand. */
static bool class_sorted(usw_call *c, const usw_keys *keys, usw_cuts *cuts)
{
    uint64_t *own = usw_take(c, keys->words, sizeof *own);
    cuts->here = usw_take_zeros(c, 2 * cuts->edges + 1, sizeof *cuts->here);
    if (own == NULL || cuts->here == NULL) {
        return false;
    }
    USW_RANKS_ROUTE(c, "buckets of sorted keys, by search", USW_ALL_TYPES);
    size_t at = 0;
    for (size_t e = 0; e < cuts->edges; e++) {
        const uint64_t *key = cuts->edge + e * keys->words;
        for (int equal = 0; equal < 2; equal++) {
            size_t n = find_in_sorted(keys, at, keys->n, key, equal, own);
            cuts->here[2 * e + (size_t)equal] = n;
            at += n;
        }
    }
    cuts->here[2 * cuts->edges] = keys->n - at;
    usw_give(c, own);
    return true;
}

bool usw_classify(usw_call *c, const usw_keys *keys, usw_cuts *cuts)
{
    if (keys->sorted) {
        return class_sorted(c, keys, cuts);
    }
    classing j = {.keys = keys, .cuts = cuts};
    size_t tasks = (keys->n + STRETCH - 1) / STRETCH, buckets = 2 * cuts->edges + 1;
    unsigned threads = tasks > 1 ? threads_of(c, keys->n) : 1;
    while ((1u << j.steps) - 1 < cuts->edges) {
        j.steps++;
    }
    j.counts = usw_take_zeros(c, buckets * threads, sizeof *j.counts);
    j.words = usw_take(c, (size_t)BLOCK * keys->words * threads, sizeof *j.words);
    j.ladder = usw_take(c, (size_t)1 << j.steps, sizeof *j.ladder);
    cuts->here = usw_take_zeros(c, buckets, sizeof *cuts->here);
    cuts->to = usw_take(c, keys->n, sizeof *cuts->to);
    if (j.counts == NULL || j.words == NULL || j.ladder == NULL || cuts->here == NULL ||
        cuts->to == NULL) {
        return false;
    }
    if (keys->words == 1) {
        USW_RANKS_ROUTE(c, "buckets of numbers, key by key", USW_ALL_TYPES);
        memset(j.ladder, 0xff, sizeof *j.ladder << j.steps);
        memcpy(j.ladder, cuts->edge, cuts->edges * sizeof *j.ladder);
    }
    USW_RANKS_ROUTE_IF(keys->words > 1, c, "buckets of several words, key by key", USW_NO_TYPES);
    USW_RANKS_ROUTE_IF(threads > 1, c, "by several threads", USW_NO_TYPES);
    io_parallel(threads, tasks, class_stretch, &j);
    for (size_t t = 0; t < threads; t++) {
        for (size_t b = 0; b < buckets; b++) {
            cuts->here[b] += j.counts[t * buckets + b];
        }
    }
    usw_give(c, j.counts);
    usw_give(c, j.words);
    usw_give(c, j.ladder);
    return true;
}

/* The part of a key in a bucket that has the cuts first .. end - 1 in it. seen[k] counts the keys
 * equal to that of cut k so far, where k is the first cut of its key. */
static uint16_t part_of(const usw_cuts *cuts, const uint64_t *key, unsigned words, size_t first,
                        size_t end, uint64_t *seen)
{
    for (size_t k = first; k < end; k++) {
        int order = usw_compare_words(key, cuts->key + k * words, words);
        if (order > 0) {
            continue;
        }
        if (order < 0) {
            return (uint16_t)k;
        }
        uint64_t place = seen[k]++;
        while (k < end && usw_compare_words(key, cuts->key + k * words, words) == 0 &&
               cuts->ties[k] <= place) {
            k++;
        }
        return (uint16_t)k;
    }
    return (uint16_t)end;
}

bool usw_buckets_to_parts(usw_call *c, const usw_keys *keys, usw_cuts *cuts,
                          const uint32_t *first_cut)
{
    uint64_t *seen = usw_take_zeros(c, cuts->count, sizeof *seen);
    uint64_t *key = usw_take(c, keys->words, sizeof *key);
    cuts->part = usw_take_zeros(c, cuts->count + 1, sizeof *cuts->part);
    if (seen == NULL || key == NULL || cuts->part == NULL) {
        return false;
    }
    if (keys->sorted) { /* before a cut are the keys less than its own, and its ties */
        size_t before = 0;
        for (size_t k = 0; k < cuts->count; k++) {
            size_t at = find_in_sorted(keys, 0, keys->n, cuts->key + k * keys->words, false, key) +
                        (size_t)cuts->ties[k];
            cuts->part[k] = at - before;
            before = at;
        }
        cuts->part[cuts->count] = keys->n - before;
    }
    for (size_t i = 0; !keys->sorted && i < keys->n; i++) {
        size_t b = cuts->to[i];
        cuts->to[i] = (uint16_t)first_cut[b];
        if (first_cut[b] != first_cut[b + 1]) {
            usw_load_keys(keys, keys->data, i, 1, key);
            cuts->to[i] = part_of(cuts, key, keys->words, first_cut[b], first_cut[b + 1], seen);
        }
        cuts->part[cuts->to[i]]++;
    }
    usw_give(c, seen);
    usw_give(c, key);
    return true;
}

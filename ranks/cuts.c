/* cuts.c - the steps to exact cuts: a sample of the whole gives edges around each cut, one pass
 * over the keys counts what lies between them, one reduction adds that up over all ranks, and what
 * is left is found among the few keys of the buckets that a cut falls into (choose_cuts.c).
 *
 * After Floyd and Rivest's selection by a sample, for many places at once; the count of samples
 * follows Harsh, Kale and Solomonik, Histogram Sort with Sampling, 2019. */
/* SPDX-License-Identifier: MIT */
#include "ranks/cuts.h"

#include <math.h>

/* Cuts at 0 and at the end, and empty parts, go: `rank` says whose the others are. */
static bool list_cuts(usw_call *c, const uint64_t *sizes, usw_cuts *cuts)
{
    size_t ranks = (size_t)c->t->size;
    cuts->target = usw_take(c, ranks, sizeof *cuts->target);
    cuts->rank = usw_take_zeros(c, ranks, sizeof *cuts->rank);
    if (cuts->target == NULL || cuts->rank == NULL) {
        return false;
    }
    uint64_t before = 0;
    for (size_t r = 0; r < ranks; r++) {
        if (sizes[r] > 0) {
            if (before > 0) {
                cuts->target[cuts->count++] = before;
            }
            cuts->rank[cuts->count] = (int)r;
            before += sizes[r];
        }
    }
    return true;
}

/* Place i of a sample of `count` from the whole: within its share of it, at a place that looks
 * random and is the same for any number of ranks. */
static uint64_t sample_place(uint64_t i, uint64_t count, uint64_t total)
{
    uint64_t begin = (uint64_t)((__uint128_t)i * total / count);
    uint64_t end = (uint64_t)((__uint128_t)(i + 1) * total / count);
    uint64_t x = i * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return begin + (x >> 32) % (end - begin);
}

/* All ranks get the same sample, sorted: each puts in what it has of it. */
static uint64_t *take_sample(usw_call *c, const usw_keys *keys, size_t count)
{
    uint64_t *sample = usw_take_zeros(c, count * keys->words, sizeof *sample);
    if (!usw_agree(c)) {
        return NULL;
    }
    uint64_t total = usw_total(c), first = c->first[c->t->rank];
    uint64_t i = (uint64_t)((__uint128_t)first * count / total);
    for (; i < count; i++) {
        uint64_t place = sample_place(i, count, total);
        if (place >= first + keys->n) {
            break;
        }
        if (place >= first) {
            usw_load_keys(keys, keys->data, (size_t)(place - first), 1, sample + i * keys->words);
        }
    }
    bool good = usw_sent(c, c->t->allreduce(c->t, sample, count * keys->words, USW_BITS)) &&
                usw_sort_words(c, sample, count, keys->words);
    return good ? sample : NULL;
}

static void add_edge(usw_cuts *cuts, const uint64_t *key, unsigned words)
{
    uint64_t *next = cuts->edge + cuts->edges * words;
    if (cuts->edges == 0 || usw_compare_words(next - words, key, words) < 0) {
        memcpy(next, key, words * sizeof *key);
        cuts->edges++;
    }
}

/* Around each cut edges at even distances, as far as the sample may be wrong: four times the
 * standard deviation of a quantile. */
static bool choose_edges(usw_call *c, const usw_keys *keys, usw_cuts *cuts, const uint64_t *sample,
                         size_t count)
{
    enum { EDGES_A_CUT = 16 };
    size_t each = usw_max(1, usw_min(EDGES_A_CUT, USW_EDGES_MOST / usw_max(1, cuts->count)));
    cuts->edge = usw_take(c, usw_max(1, each * cuts->count) * keys->words, sizeof *cuts->edge);
    if (cuts->edge == NULL) {
        return false;
    }
    size_t next = 0; /* edges ascend: the neighbourhoods of cuts may overlap */
    for (size_t k = 0; k < cuts->count; k++) {
        double share = (double)cuts->target[k] / (double)usw_total(c), all = (double)count;
        double wide = count >= usw_total(c) ? 1 : 4 * sqrt(all * share * (1 - share)) + 2;
        for (size_t e = 0; e < each; e++) {
            double at =
                share * all + (each > 1 ? wide * (2.0 * (double)e / (double)(each - 1) - 1) : 0);
            at = at < 0 ? 0 : at > all - 1 ? all - 1 : at;
            size_t place = (size_t)at;
            if (place >= next) {
                add_edge(cuts, sample + place * keys->words, keys->words);
                next = place + 1;
            }
        }
    }
    return true;
}

/* How many of this rank's keys equal to each cut's stand before it. `less` keys of all ranks are
 * below that key. */
static bool share_ties(usw_call *c, usw_cuts *cuts, const uint64_t *less,
                       const uint64_t *equal_here)
{
    cuts->ties = usw_take(c, cuts->count, sizeof *cuts->ties);
    uint64_t *before = usw_take(c, cuts->count, sizeof *before);
    if (!usw_agree(c)) {
        return false;
    }
    memcpy(before, equal_here, cuts->count * sizeof *before);
    if (!usw_sent(c, c->t->exscan(c->t, before, cuts->count))) {
        return false;
    }
    for (size_t k = 0; k < cuts->count; k++) {
        uint64_t wanted = cuts->target[k] - less[k];
        wanted = wanted > before[k] ? wanted - before[k] : 0;
        cuts->ties[k] = usw_min(wanted, equal_here[k]);
    }
    usw_give(c, before);
    return true;
}

bool usw_cut_by_sizes(usw_call *c, const usw_keys *keys, const uint64_t *sizes, usw_cuts *cuts)
{
    memset(cuts, 0, sizeof *cuts);
    bool listed = list_cuts(c, sizes, cuts);
    if (!usw_agree(c) || !listed) {
        return false;
    }
    if (cuts->count == 0) {
        USW_RANKS_ROUTE(c, "all goes to one rank", USW_ALL_TYPES);
        cuts->to = keys->sorted ? NULL : usw_take_zeros(c, keys->n, sizeof *cuts->to);
        cuts->part = usw_take(c, 1, sizeof *cuts->part);
        if (cuts->part != NULL) {
            cuts->part[0] = keys->n;
        }
        return usw_agree(c);
    }
    uint64_t most = usw_max(4096, USW_SAMPLE_WORDS / keys->words);
    most = c->t->sample > 0 ? c->t->sample : most;
    size_t count = (size_t)usw_min(usw_total(c), most);
    USW_RANKS_ROUTE_IF(count == usw_total(c), c, "the sample is the whole", USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(count < usw_total(c), c, "the sample is a part", USW_ALL_TYPES);
    uint64_t *sample = take_sample(c, keys, count);
    if (sample == NULL && !usw_agree(c)) {
        return false;
    }
    if (c->status == UPSWEEP_OK && sample != NULL && choose_edges(c, keys, cuts, sample, count)) {
        usw_classify(c, keys, cuts);
    }
    size_t buckets = 2 * cuts->edges + 1;
    uint64_t *all = usw_take(c, buckets, sizeof *all);
    uint64_t *less = usw_take(c, cuts->count, 2 * sizeof *less);
    uint64_t *equal = less == NULL ? NULL : less + cuts->count;
    uint32_t *first_cut = usw_take(c, buckets + 1, sizeof *first_cut);
    if (!usw_agree(c) || all == NULL || less == NULL) {
        return false;
    }
    usw_give(c, sample);
    memcpy(all, cuts->here, buckets * sizeof *all);
    if (!usw_sent(c, c->t->allreduce(c->t, all, buckets, USW_SUM)) ||
        !usw_choose_cuts(c, keys, cuts, all, less, first_cut) ||
        !share_ties(c, cuts, less, equal)) {
        return false;
    }
    usw_buckets_to_parts(c, keys, cuts, first_cut);
    usw_give(c, all);
    usw_give(c, less);
    usw_give(c, first_cut);
    return usw_agree(c);
}

bool usw_cut_by_splitters(usw_call *c, const usw_keys *keys, const void *splitters, usw_cuts *cuts)
{
    memset(cuts, 0, sizeof *cuts);
    size_t count = (size_t)c->t->size - 1;
    uint64_t *words = usw_take(c, (count + 1) * keys->words, sizeof *words);
    cuts->edge = usw_take(c, (count + 1) * keys->words, sizeof *words);
    cuts->rank = usw_take(c, count + 1, sizeof *cuts->rank);
    if (words != NULL && cuts->edge != NULL && cuts->rank != NULL) {
        usw_load_keys(keys, splitters, 0, count, words);
        cuts->count = count;
        for (size_t k = 0; k <= count; k++) {
            cuts->rank[k] = (int)k;
        }
        for (size_t k = 0; k < count; k++) {
            if (k > 0 && usw_compare_words(words + (k - 1) * keys->words, words + k * keys->words,
                                           keys->words) > 0) {
                usw_wrong(c, UPSWEEP_ERROR_RANGE, "splitter %zu is before the one before it", k);
                break;
            }
            add_edge(cuts, words + k * keys->words, keys->words);
        }
    }
    if (c->status == UPSWEEP_OK && words != NULL && usw_classify(c, keys, cuts)) {
        /* A bucket's part: the splitters that are less than its keys, or equal to them. */
        uint16_t *part = usw_take(c, 2 * cuts->edges + 1, sizeof *part);
        cuts->part = usw_take_zeros(c, count + 1, sizeof *cuts->part);
        if (cuts->part == NULL) {
            return usw_agree(c);
        }
        for (size_t e = 0, k = 0; part != NULL && e <= cuts->edges; e++) {
            part[2 * e] = (uint16_t)k;
            while (e < cuts->edges && k < count &&
                   usw_compare_words(words + k * keys->words, cuts->edge + e * keys->words,
                                     keys->words) == 0) {
                k++;
            }
            if (e < cuts->edges) {
                part[2 * e + 1] = (uint16_t)k;
            }
        }
        for (size_t b = 0; part != NULL && b < 2 * cuts->edges + 1; b++) {
            cuts->part[part[b]] += cuts->here[b];
        }
        for (size_t i = 0; part != NULL && !keys->sorted && i < keys->n; i++) {
            cuts->to[i] = part[cuts->to[i]];
        }
    }
    return usw_agree(c);
}

/* choose_cuts.c - the exact key of each cut. A bucket of keys equal to an edge tells it at once.
 * The keys of other buckets with cuts are few: each rank sorts its own, and rounds of probes, the
 * same keys on all ranks, close in on every cut at a time. A round costs three small reductions,
 * and leaves one of some hundred keys, or of the last ones none. */
/* SPDX-License-Identifier: MIT */
#include "ranks/cuts.h"

/* A cut that is looked for, among keys [low, high) of this rank's sorted ones. Of the `count` keys
 * of all ranks' stretches it is the one that has `target` before it. */
typedef struct open_cut {
    size_t cut, low, high;
    uint64_t count, target;
    uint64_t passed; /* keys of the bucket, of all ranks, before the stretches */
} open_cut;

typedef struct chooser {
    usw_call *c;
    const usw_keys *keys;
    usw_cuts *cuts;
    uint64_t *less, *equal_here;
    uint64_t *sorted; /* this rank's keys of buckets with cuts */
    open_cut *open;
    size_t open_count, probes; /* probes of a cut in a round */
    uint64_t *probe, *counts;
} chooser;

/* Which bucket each cut is in. Cuts in buckets between edges become open. */
static void place_cuts(chooser *h, const uint64_t *all, uint32_t *first_cut)
{
    usw_cuts *cuts = h->cuts;
    unsigned words = h->keys->words;
    size_t k = 0;
    uint64_t before = 0;
    for (size_t b = 0; b < 2 * cuts->edges + 1; b++) {
        first_cut[b] = (uint32_t)k;
        for (; k < cuts->count && cuts->target[k] < before + all[b]; k++) {
            h->less[k] = before;
            if (b % 2 == 1) {
                USW_RANKS_ROUTE(h->c, "a cut falls on keys equal to an edge", USW_ALL_TYPES);
                memcpy(cuts->key + k * words, cuts->edge + b / 2 * words, words * sizeof *h->less);
                h->equal_here[k] = cuts->here[b];
            } else {
                USW_RANKS_ROUTE(h->c, "a cut falls between edges", USW_ALL_TYPES);
                h->open[h->open_count++] = (open_cut){
                    .cut = k, .low = b, .count = all[b], .target = cuts->target[k] - before};
            }
        }
        before += all[b];
    }
    first_cut[2 * cuts->edges + 1] = (uint32_t)k;
}

/* Collects this rank's keys of the open cuts' buckets, and sorts them. */
static bool collect(chooser *h)
{
    usw_cuts *cuts = h->cuts;
    unsigned words = h->keys->words;
    size_t buckets = 2 * cuts->edges + 1, wanted = 0;
    uint8_t *is_open = usw_take_zeros(h->c, buckets, 1);
    for (size_t i = 0; i < h->open_count && is_open != NULL; i++) {
        open_cut *o = &h->open[i];
        size_t b = o->low;
        wanted += is_open[b] ? 0 : (size_t)cuts->here[b];
        is_open[b] = 1;
        o->high = wanted;
        o->low = wanted - (size_t)cuts->here[b];
    }
    h->sorted = usw_take(h->c, wanted * words, sizeof *h->sorted);
    if (is_open == NULL || h->sorted == NULL) {
        return false;
    }
    size_t got = 0, at = 0;
    for (size_t b = 0; b < buckets && h->keys->sorted; b++) {
        size_t n = (size_t)cuts->here[b];
        if (is_open[b]) {
            usw_load_keys(h->keys, h->keys->data, at, n, h->sorted + got * words);
            got += n;
        }
        at += n;
    }
    for (size_t i = 0; i < h->keys->n && !h->keys->sorted; i++) {
        if (is_open[cuts->to[i]]) {
            usw_load_keys(h->keys, h->keys->data, i, 1, h->sorted + got++ * words);
        }
    }
    usw_give(h->c, is_open);
    return h->keys->sorted || usw_sort_words(h->c, h->sorted, wanted, words);
}

/* Probes of one cut: keys at even distances of all ranks' stretches, one after another; where
 * there are no more than probes, each of them. `before` keys are in lower ranks' stretches. */
static void put_probes(const chooser *h, const open_cut *o, uint64_t before, uint64_t *probe)
{
    unsigned words = h->keys->words;
    uint64_t n = usw_min(o->count, h->probes), here = o->high - o->low;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t place = (uint64_t)((__uint128_t)(2 * i + 1) * o->count / (2 * n));
        if (place >= before && place - before < here) {
            memcpy(probe + i * words, h->sorted + (o->low + (size_t)(place - before)) * words,
                   words * sizeof *probe);
        }
    }
}

static bool share_probes(chooser *h)
{
    unsigned words = h->keys->words;
    usw_transport *t = h->c->t;
    size_t all = h->open_count * h->probes;
    for (size_t i = 0; i < h->open_count; i++) {
        h->counts[i] = h->open[i].high - h->open[i].low;
    }
    if (!usw_sent(h->c, t->exscan(t, h->counts, h->open_count))) {
        return false;
    }
    memset(h->probe, 0, all * words * sizeof *h->probe);
    for (size_t i = 0; i < h->open_count; i++) {
        put_probes(h, &h->open[i], h->counts[i], h->probe + i * h->probes * words);
    }
    return usw_sent(h->c, t->allreduce(t, h->probe, all * words, USW_BITS));
}

/* Sorts each cut's probes and counts the keys less than each, and those not greater. */
static bool count_probes(chooser *h)
{
    unsigned words = h->keys->words;
    usw_transport *t = h->c->t;
    for (size_t i = 0; i < h->open_count; i++) {
        const open_cut *o = &h->open[i];
        size_t n = (size_t)usw_min(o->count, h->probes);
        uint64_t *probe = h->probe + i * h->probes * words, *counts = h->counts + 2 * i * h->probes;
        const uint64_t *from = h->sorted + o->low * words;
        usw_sort_words(h->c, probe, n, words);
        memset(counts, 0, 2 * h->probes * sizeof *counts);
        for (size_t p = 0; p < n; p++) {
            counts[2 * p] = usw_count_less(from, o->high - o->low, probe + p * words, words, false);
            counts[2 * p + 1] =
                usw_count_less(from, o->high - o->low, probe + p * words, words, true);
        }
    }
    if (!usw_agree(h->c)) { /* a sort of probes may have had no memory */
        return false;
    }
    return usw_sent(h->c, t->allreduce(t, h->counts, 2 * h->open_count * h->probes, USW_SUM));
}

/* True if the cut is found; else it is closer. local: this rank's own counts, made again. */
static bool close_in(const chooser *h, open_cut *o, const uint64_t *probe, const uint64_t *counts)
{
    unsigned words = h->keys->words;
    size_t n = (size_t)usw_min(o->count, h->probes), p = 0;
    const uint64_t *from = h->sorted + o->low * words;
    size_t here = o->high - o->low;
    while (p < n && counts[2 * p + 1] <= o->target) {
        p++;
    }
    if (p < n && counts[2 * p] <= o->target) {
        USW_RANKS_ROUTE(h->c, "a probe is the key of the cut", USW_ALL_TYPES);
        const uint64_t *key = probe + p * words;
        memcpy(h->cuts->key + o->cut * words, key, words * sizeof *key);
        h->less[o->cut] += o->passed + counts[2 * p];
        h->equal_here[o->cut] = usw_count_less(from, here, key, words, true) -
                                usw_count_less(from, here, key, words, false);
        return true;
    }
    USW_RANKS_ROUTE(h->c, "the cut is between two probes",
                    USW_WIDE_TYPES); /* of few bits: seldom */
    uint64_t skipped = p == 0 ? 0 : counts[2 * p - 1];
    uint64_t end = p == n ? o->count : counts[2 * p];
    size_t low = p == 0 ? 0 : usw_count_less(from, here, probe + (p - 1) * words, words, true);
    size_t high = p == n ? here : usw_count_less(from, here, probe + p * words, words, false);
    *o = (open_cut){.cut = o->cut,
                    .low = o->low + low,
                    .high = o->low + high,
                    .count = end - skipped,
                    .target = o->target - skipped,
                    .passed = o->passed + skipped};
    return false;
}

bool usw_choose_cuts(usw_call *c, const usw_keys *keys, usw_cuts *cuts, const uint64_t *all,
                     uint64_t *less, uint32_t *first_cut)
{
    enum { PROBES_ALL = 1 << 14, PROBES_LEAST = 8, PROBES_MOST = 256 };
    chooser h = {
        .c = c, .keys = keys, .cuts = cuts, .less = less, .equal_here = less + cuts->count};
    cuts->key = usw_take(c, cuts->count * keys->words, sizeof *cuts->key);
    h.open = usw_take(c, cuts->count, sizeof *h.open);
    if (!usw_agree(c) || cuts->key == NULL || h.open == NULL) {
        return false;
    }
    place_cuts(&h, all, first_cut);
    if (h.open_count == 0) { /* on all ranks or on none */
        return true;
    }
    size_t each = PROBES_ALL / keys->words / h.open_count;
    h.probes = usw_max(PROBES_LEAST, usw_min(PROBES_MOST, each));
    h.probe = usw_take(c, h.open_count * h.probes * keys->words, sizeof *h.probe);
    h.counts = usw_take(c, 2 * h.open_count * h.probes, sizeof *h.counts);
    if (h.probe != NULL && h.counts != NULL) {
        collect(&h);
    }
    if (!usw_agree(c) || h.probe == NULL || h.counts == NULL || h.sorted == NULL) {
        return false;
    }
    while (h.open_count > 0) {
        if (!share_probes(&h) || !count_probes(&h)) {
            return false;
        }
        size_t left = 0;
        for (size_t i = 0; i < h.open_count; i++) {
            if (!close_in(&h, &h.open[i], h.probe + i * h.probes * keys->words,
                          h.counts + 2 * i * h.probes)) {
                h.open[left++] = h.open[i];
            }
        }
        h.open_count = left;
    }
    usw_give(c, h.sorted);
    usw_give(c, h.probe);
    usw_give(c, h.counts);
    usw_give(c, h.open);
    return true;
}

/* select.c - top-k, unique and histograms. */
/* SPDX-License-Identifier: MIT */
#include "ranks/calls.h"
#include "ranks/cuts.h"

enum {
    ORDER_FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW,
    TOP_FLAGS = ORDER_FLAGS | UPSWEEP_LARGEST | UPSWEEP_UNSTABLE,
    UNIQUE_FLAGS = ORDER_FLAGS | UPSWEEP_IN_PLACE,
    CALL_TOP_K = 10,
    CALL_UNIQUE,
    CALL_HISTOGRAM
};

/* ---- top-k: of each rank's own best those that are among the best of all ---- */

typedef struct top_job {
    usw_call c;
    usw_keys keys; /* this rank's best */
    upsweep_options options;
    upsweep_type type;
    size_t k;
    uint64_t *place, before; /* of the best in this rank; elements of lower ranks */
    void *best;
    uint64_t *all; /* 2 k: the keys' bits, and their places in the whole */
} top_job;

static bool own_best(top_job *j, const void *keys, size_t n)
{
    usw_call *c = &j->c;
    size_t k = usw_min(j->k, n), bytes = j->keys.bytes;
    j->best = usw_take(c, k, bytes);
    j->place = usw_take(c, k, sizeof *j->place);
    if (j->best == NULL || j->place == NULL) {
        return false;
    }
    j->keys.data = j->best;
    j->keys.n = k;
    return usw_done(c, upsweep_top_k(c->u, keys, n, k, j->type, j->best, j->place, &j->options)) &&
           usw_done(c, upsweep_wait(c->u));
}

/* Every rank puts those of its best that are among all's into its stretch of `all`. */
static bool gather_best(top_job *j, const usw_cuts *cuts)
{
    usw_call *c = &j->c;
    uint64_t taken = 0, at;
    size_t bytes = j->keys.bytes;
    for (size_t i = 0; i < j->keys.n; i++) {
        taken += cuts->to[i] == 0;
    }
    at = taken;
    if (!usw_sent(c, c->t->exscan(c->t, &at, 1))) {
        return false;
    }
    for (size_t i = 0; i < j->keys.n; i++) {
        if (cuts->to[i] == 0) {
            j->all[at] = usw_load_raw((const char *)j->best + i * bytes, bytes);
            j->all[j->k + at++] = j->before + j->place[i];
        }
    }
    return usw_sent(c, c->t->allreduce(c->t, j->all, 2 * j->k, USW_BITS));
}

static bool find_best(top_job *j)
{
    usw_call *c = &j->c;
    uint64_t *sizes = usw_take_zeros(c, (size_t)c->t->size + 1, sizeof *sizes);
    usw_cuts cuts;
    j->all = usw_take_zeros(c, j->k, 2 * sizeof *j->all);
    if (!usw_count_ranks(c, j->keys.n)) {
        return false;
    }
    sizes[0] =
        j->k; /* a part for those taken, and one for the others, whose rank does not matter */
    sizes[1] = usw_total(c) - j->k;
    if (c->t->size == 1) {
        USW_RANKS_ROUTE(c, "the best of one rank", USW_ALL_TYPES);
        memset(&cuts, 0, sizeof cuts);
        cuts.to = usw_take_zeros(c, j->keys.n, sizeof *cuts.to);
        return usw_agree(c) && gather_best(j, &cuts);
    }
    USW_RANKS_ROUTE(c, "the best of several ranks", USW_ALL_TYPES);
    return usw_cut_by_sizes(c, &j->keys, sizes, &cuts) && gather_best(j, &cuts);
}

static void give_best(top_job *j, void *out, uint64_t *index)
{
    usw_call *c = &j->c;
    size_t bytes = j->keys.bytes;
    char *keys = usw_take(c, j->k, bytes);
    upsweep_options o = j->options;
    o.flags = (o.flags & ~(unsigned)UPSWEEP_LARGEST) |
              (o.flags & UPSWEEP_LARGEST ? UPSWEEP_DESCENDING : 0u);
    o.flags &= ~(unsigned)UPSWEEP_UNSTABLE;
    if (keys == NULL) {
        return;
    }
    for (size_t i = 0; i < j->k; i++) {
        usw_store_raw(keys + i * bytes, bytes, j->all[i]);
    }
    if (usw_done(c, upsweep_sort_pairs(c->u, keys, j->all + j->k, j->k, j->type, 8, &o)) &&
        usw_done(c, upsweep_wait(c->u)) && usw_copy(c, out, keys, j->k, bytes) && index != NULL) {
        usw_copy(c, index, j->all + j->k, j->k, sizeof *index);
    }
}

upsweep_status usw_ranks_top_k(usw_transport *t, upsweep *u, const void *keys, size_t n, size_t k,
                               upsweep_type type, void *out, uint64_t *index,
                               const upsweep_options *options)
{
    top_job j = {.type = type, .k = k};
    usw_call *c = &j.c;
    usw_begin(c, t, u, CALL_TOP_K);
    usw_take_options(c, options, TOP_FLAGS, &j.options);
    upsweep_options order = j.options;
    order.flags |= order.flags & UPSWEEP_LARGEST ? UPSWEEP_DESCENDING : 0u;
    c->said[USW_SAID_TYPE] = type;
    c->said[USW_SAID_SIZE] = k;
    usw_number_keys(c, &j.keys, type, &order);
    if ((keys == NULL && n > 0) || (out == NULL && k > 0)) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "keys or out is NULL");
    }
    if (usw_agree_on_said(c) && usw_count_ranks(c, n)) {
        j.before = c->first[t->rank];
        if (usw_total(c) < k) {
            usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "%zu of %llu keys are asked for", k,
                      (unsigned long long)usw_total(c));
        } else if (k > 0) {
            own_best(&j, keys, n);
        }
        if (usw_agree(c) && k > 0 && find_best(&j)) {
            give_best(&j, out, index);
        }
        usw_agree(c);
    }
    return usw_end(c);
}

/* ---- unique ---- */

/* Whether this rank's first key has the bits of the last one before it. */
static bool begins_with_same(usw_call *c, const void *keys, size_t n, size_t bytes, bool *same)
{
    size_t ranks = (size_t)c->t->size;
    uint64_t *last = usw_take_zeros(c, ranks, sizeof *last), ends[2] = {0, 0};
    if (n > 0) {
        char two[16] = {0};
        usw_copy(c, two, keys, 1, bytes);
        usw_copy(c, two + 8, (const char *)keys + (n - 1) * bytes, 1, bytes);
        ends[0] = usw_load_raw(two, bytes);
        ends[1] = usw_load_raw(two + 8, bytes);
    }
    if (!usw_agree(c) || last == NULL) {
        return false;
    }
    last[c->t->rank] = ends[1];
    if (!usw_sent(c, c->t->allreduce(c->t, last, ranks, USW_BITS))) {
        return false;
    }
    int before = c->t->rank - 1;
    while (before >= 0 && c->first[before] == c->first[before + 1]) {
        before--;
    }
    *same = n > 0 && before >= 0 && last[before] == ends[0];
    usw_give(c, last);
    return true;
}

/* Takes the first of n elements away. */
static bool drop_first(usw_call *c, char *keys, size_t n, size_t bytes)
{
    USW_RANKS_ROUTE(c, "the first key stands on a lower rank, too", USW_ALL_TYPES);
    if (n == 1 || keys == NULL) {
        return true;
    }
    if (c->host) {
        memmove(keys, keys + bytes, (n - 1) * bytes);
        return true;
    }
    const void *rest = usw_on_host(c, keys + bytes, n - 1, bytes);
    return rest != NULL && usw_copy(c, keys, rest, n - 1, bytes);
}

upsweep_status usw_ranks_unique(usw_transport *t, upsweep *u, void *keys, size_t n,
                                upsweep_type type, size_t *kept, const upsweep_options *options)
{
    usw_call call, *c = &call;
    upsweep_options o;
    size_t bytes = upsweep_type_bytes(type), left = 0;
    bool same = false;
    usw_begin(c, t, u, CALL_UNIQUE);
    usw_take_options(c, options, UNIQUE_FLAGS, &o);
    c->said[USW_SAID_TYPE] = type;
    if (bytes == 0 || kept == NULL || (keys == NULL && n > 0)) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "no such type, or keys or kept is NULL");
    }
    if (usw_agree_on_said(c) && usw_count_ranks(c, n) &&
        begins_with_same(c, keys, n, bytes, &same)) {
        if (usw_done(c, upsweep_unique(u, keys, n, type, &left, &o)) &&
            usw_done(c, upsweep_wait(u)) && same && drop_first(c, keys, left, bytes)) {
            left--;
        }
        if (usw_agree(c) && kept != NULL) {
            *kept = left;
        }
    }
    return usw_end(c);
}

/* ---- histogram ---- */

/* The least and greatest key of all ranks, where the caller gives none. NaNs stand at the end
 * where they do not count. */
static bool find_range(usw_call *c, const void *keys, size_t n, upsweep_type type, uint64_t ends[2])
{
    size_t bytes = upsweep_type_bytes(type);
    usw_keymap up = usw_keymap_of(type, 0), down = usw_keymap_of(type, UPSWEEP_DESCENDING);
    uint64_t all = UINT64_MAX >> (64 - up.bits), most[2] = {0, 0}, low = 0, high = 0;
    if (n > 0 && usw_done(c, upsweep_minmax(c->u, keys, n, type, &low, &high, NULL)) &&
        usw_done(c, upsweep_wait(c->u))) {
        most[0] = all - usw_map_key(&up, usw_load_raw(&low, bytes));
        most[1] = all - usw_map_key(&down, usw_load_raw(&high, bytes));
    }
    if (!usw_agree(c) || !usw_sent(c, c->t->allreduce(c->t, most, 2, USW_MOST))) {
        return false;
    }
    memset(ends, 0, 2 * sizeof *ends);
    usw_store_raw(&ends[0], bytes, usw_unmap_key(&up, all - most[0]));
    usw_store_raw(&ends[1], bytes, usw_unmap_key(&down, all - most[1]));
    return true;
}

static bool is_nan(upsweep_type type, uint64_t raw)
{
    usw_keymap map = usw_keymap_of(type, 0);
    uint64_t infinity = map.bits == 64        ? UINT64_C(0x7ff) << 52
                        : map.bits == 32      ? UINT64_C(0xff) << 23
                        : type == UPSWEEP_F16 ? UINT64_C(0x1f) << 10
                                              : UINT64_C(0xff) << 7;
    return usw_type_is_float(type) && (raw & ~(UINT64_C(1) << (map.bits - 1))) > infinity;
}

/* What the ranks must agree on of their buckets. */
static void say_buckets(usw_call *c, const upsweep_bucketing *b, size_t bytes)
{
    uint64_t said[5] = {b->kind, b->bit, b->bits, b->low == NULL, b->high == NULL};
    uint64_t hash = usw_hash(3, said, sizeof said);
    if (b->kind == UPSWEEP_BUCKET_WIDTH && b->low != NULL && b->high != NULL) {
        hash = usw_hash(usw_hash(hash, b->low, bytes), b->high, bytes);
    } else if (b->kind == UPSWEEP_BUCKET_EDGES && b->edges != NULL) {
        hash = usw_hash(hash, b->edges, (b->count + 1) * bytes);
    }
    c->said[USW_SAID_SIZE] = b->count;
    c->said[USW_SAID_MORE] = hash;
}

upsweep_status usw_ranks_histogram(usw_transport *t, upsweep *u, const void *keys, size_t n,
                                   upsweep_type type, const upsweep_bucketing *buckets,
                                   uint64_t *counts, const upsweep_options *options)
{
    enum { COUNT_MOST = 1 << 24 }; /* as of upsweep_histogram */
    usw_call call, *c = &call;
    upsweep_options o;
    upsweep_bucketing b = {0};
    uint64_t ends[2] = {0}, *all = NULL;
    usw_begin(c, t, u, CALL_HISTOGRAM);
    usw_take_options(c, options, 0, &o);
    c->said[USW_SAID_TYPE] = type;
    if (buckets == NULL || counts == NULL || upsweep_type_bytes(type) == 0 ||
        (keys == NULL && n > 0) || (buckets->size != 0 && buckets->size != sizeof b) ||
        buckets->count == 0 || buckets->count > COUNT_MOST) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "no such type or buckets, or keys or counts is NULL");
    } else {
        b = *buckets;
        say_buckets(c, &b, upsweep_type_bytes(type));
        all = usw_take_zeros(c, b.count, sizeof *all);
    }
    bool ranged = b.kind == UPSWEEP_BUCKET_WIDTH && b.low == NULL && b.high == NULL;
    if (usw_agree_on_said(c) && usw_count_ranks(c, n) &&
        (!ranged || usw_total(c) == 0 || find_range(c, keys, n, type, ends))) {
        if (ranged && usw_total(c) > 0 && !is_nan(type, ends[0])) { /* else there are but NaNs */
            b.low = &ends[0];
            b.high = &ends[1];
        }
        usw_done(c, upsweep_histogram(u, keys, n, type, &b, all, &o));
        if (usw_agree(c) && usw_sent(c, t->allreduce(t, all, b.count, USW_SUM))) {
            usw_copy(c, counts, all, b.count, sizeof *counts);
            usw_agree(c);
        }
    }
    return usw_end(c);
}

/* ordered.c - sums and products of floating-point numbers in the one order of core/order.h, over
 * ranks.
 *
 * The order depends on places in the whole. So each rank first gets what it lacks of the tiles
 * that it has the ends of, at most 4095 elements on either side. A tile's sum belongs to the rank
 * that has its first element. The carry tree goes up level by level: to begin in the middle of a
 * group of 64, a rank needs the sums of the group that lower ranks have, at most 63 numbers a
 * level, of which there are five for 10^12 elements. */
/* SPDX-License-Identifier: MIT */
#include "ranks/ordered.h"

#include "core/half.h"
#include "core/order.h"

typedef struct job {
    usw_call *c;
    const char *data; /* of this rank, in the host's memory */
    size_t bytes;
    upsweep_type type;
    upsweep_op op;
    bool product, exclusive, scans;
    uint64_t begin, end;  /* this rank's elements in the whole */
    uint64_t low, high;   /* the elements of the tiles that it touches: [low, high) */
    char *before, *after; /* those of them that it lacks */
    uint64_t *tile;       /* size + 1: the first tile whose sum belongs to a rank */
    uint64_t start;       /* the tile before which the carry is wanted */
    usw_carry_tree tree;  /* as it is there */
} job;

/* Collective: of a whole that lies in order on the ranks, rank r having items [first[r], first[r +
 * 1]), each rank q gets the items [low[q], high[q]). */
static bool fetch(usw_call *c, const void *own, const uint64_t *first, const uint64_t *low,
                  const uint64_t *high, size_t bytes, void *out)
{
    int ranks = c->t->size, me = c->t->rank;
    uint64_t *send = usw_take(c, (size_t)ranks, sizeof *send), all = 0;
    uint64_t *receive = usw_take(c, (size_t)ranks, sizeof *receive);
    for (int q = 0; q < ranks && send != NULL && receive != NULL; q++) {
        uint64_t b = usw_max(low[q], first[me]), e = usw_min(high[q], first[me + 1]);
        send[q] = b < e ? e - b : 0;
        all += send[q];
        b = usw_max(low[me], first[q]);
        e = usw_min(high[me], first[q + 1]);
        receive[q] = b < e ? e - b : 0;
    }
    char *packed = usw_take(c, (size_t)all, bytes);
    if (!usw_agree(c) || send == NULL || receive == NULL || packed == NULL) {
        return false;
    }
    size_t at = 0;
    for (int q = 0; q < ranks; q++) {
        if (send[q] > 0 && own != NULL) {
            uint64_t b = usw_max(low[q], first[me]);
            memcpy(packed + at * bytes, (const char *)own + (b - first[me]) * bytes,
                   send[q] * bytes);
            at += (size_t)send[q];
        }
    }
    bool good = usw_sent(c, c->t->alltoallv(c->t, packed, send, out, receive, bytes));
    usw_give(c, packed);
    usw_give(c, send);
    usw_give(c, receive);
    return good;
}

static uint64_t up_to_tile(uint64_t i)
{
    return (i + USW_TILE - 1) / USW_TILE * USW_TILE;
}

/* Gets what lacks of the tiles at the ends of this rank's elements. */
static bool complete_tiles(job *j)
{
    usw_call *c = j->c;
    size_t ranks = (size_t)c->t->size, me = (size_t)c->t->rank;
    uint64_t *low = usw_take(c, ranks, 4 * sizeof *low);
    if (!usw_agree(c) || low == NULL) {
        return false;
    }
    uint64_t *high = low + ranks;
    const uint64_t *first = c->first;
    for (size_t r = 0; r < ranks; r++) {
        bool any = first[r] < first[r + 1];
        low[r] = first[r] / USW_TILE * USW_TILE;
        high[r] = any ? first[r] : low[r];
        low[2 * ranks + r] = first[r + 1];
        low[3 * ranks + r] = any ? usw_min(up_to_tile(first[r + 1]), first[ranks]) : first[r + 1];
    }
    j->low = low[me];
    j->high = low[3 * ranks + me];
    j->before = usw_take(c, (size_t)(high[me] - low[me]), j->bytes);
    j->after = usw_take(c, (size_t)(j->high - j->end), j->bytes);
    return usw_agree(c) && fetch(c, j->data, first, low, high, j->bytes, j->before) &&
           fetch(c, j->data, first, low + 2 * ranks, low + 3 * ranks, j->bytes, j->after);
}

/* The elements of a tile, from place k of the whole on, m of them; they are collected in `buffer`
 * where they do not lie together. */
static const char *tile_at(const job *j, uint64_t k, size_t m, char *buffer)
{
    if (k >= j->begin && k + m <= j->end) {
        USW_RANKS_ROUTE(j->c, "a tile of one rank", USW_FLOATS);
        return j->data + (k - j->begin) * j->bytes;
    }
    USW_RANKS_ROUTE(j->c, "a tile of several ranks", USW_FLOATS);
    for (size_t i = 0; i < m; i++) {
        uint64_t at = k + i;
        const char *from = at < j->begin ? j->before + (at - j->low) * j->bytes
                           : at < j->end ? j->data + (at - j->begin) * j->bytes
                                         : j->after + (at - j->end) * j->bytes;
        memcpy(buffer + i * j->bytes, from, j->bytes);
    }
    return buffer;
}

static double number_at(upsweep_type type, const char *at)
{
    double wide;
    float narrow;
    switch (type) {
    case UPSWEEP_F16: return usw_widen_f16((uint16_t)usw_load_raw(at, 2));
    case UPSWEEP_BF16: return usw_widen_bf16((uint16_t)usw_load_raw(at, 2));
    case UPSWEEP_F32: memcpy(&narrow, at, sizeof narrow); return narrow;
    default: memcpy(&wide, at, sizeof wide); return wide;
    }
}

static void store_number(upsweep_type type, char *at, double value)
{
    uint64_t nan = UINT64_C(0x7ff8) << 48;
    float narrow;
    uint32_t nan32 = UINT32_C(0x7fc00000);
    switch (type) {
    case UPSWEEP_F16: usw_store_raw(at, 2, usw_narrow(value, 10, 15)); break;
    case UPSWEEP_BF16: usw_store_raw(at, 2, usw_narrow(value, 7, 127)); break;
    case UPSWEEP_F32:
        narrow = (float)value;
        memcpy(at, narrow == narrow ? (const void *)&narrow : (const void *)&nan32, 4);
        break;
    default: memcpy(at, value == value ? (const void *)&value : (const void *)&nan, 8); break;
    }
}

/* ---- a tile of a scan: a tree of fan-out 8 ---- */

enum { RUNS = USW_TILE / USW_RUN };
typedef struct scan_tile {
    double v[USW_TILE], run[RUNS], group[RUNS / 8], top[RUNS / 64], sum;
} scan_tile;

/* Inclusive prefixes of each run of 8 of v; their totals to `above`. */
static void sweep_up(double *v, size_t n, double *above, bool product)
{
    for (size_t r = 0; r < n; r += USW_RUN) {
        for (size_t d = 1; d < USW_RUN; d *= 2) {
            for (size_t i = USW_RUN - 1; i >= d; i--) {
                v[r + i] = usw_join(product, v[r + i - d], v[r + i]);
            }
        }
        above[r / USW_RUN] = v[r + USW_RUN - 1];
    }
}

static void sweep_tile(const job *j, uint64_t k, scan_tile *t)
{
    char buffer[USW_TILE * 8];
    size_t m = (size_t)usw_min(USW_TILE, usw_total(j->c) - k);
    const char *x = tile_at(j, k, m, buffer);
    for (size_t i = 0; i < USW_TILE; i++) {
        t->v[i] = i < m ? number_at(j->type, x + i * j->bytes) : usw_neutral(j->product);
    }
    sweep_up(t->v, USW_TILE, t->run, j->product);
    sweep_up(t->run, RUNS, t->group, j->product);
    sweep_up(t->group, RUNS / 8, t->top, j->product);
    sweep_up(t->top, RUNS / 64, &t->sum, j->product);
}

/* What lies before child i: its parent's offset with the prefix of the children before it. */
static double child_offset(const double *v, size_t i, double parent, bool product)
{
    double before = i % USW_RUN == 0 ? usw_neutral(product) : v[i - 1];
    return usw_join(product, parent, before);
}

/* Writes this rank's results of a tile. */
static void write_tile(const job *j, uint64_t k, const scan_tile *t, double carry, char *out)
{
    uint64_t from = usw_max(k, j->begin), to = usw_min(k + USW_TILE, j->end);
    for (uint64_t at = from; at < to;) {
        size_t i = (size_t)(at - k), run = i / USW_RUN;
        double offset = child_offset(t->top, run / 64, carry, j->product);
        offset = child_offset(t->group, run / 8, offset, j->product);
        offset = child_offset(t->run, run, offset, j->product);
        uint64_t end = usw_min(to, k + (run + 1) * USW_RUN);
        for (; at < end; at++, i++) {
            double own = j->exclusive ? child_offset(t->v, i, offset, j->product)
                                      : usw_join(j->product, offset, t->v[i]);
            store_number(j->type, out + (at - j->begin) * j->bytes, own);
        }
    }
}

/* ---- sums of tiles, and the carry tree ---- */

static bool tile_sums(job *j, double *sums)
{
    char buffer[USW_TILE * 8];
    scan_tile *t = j->scans ? usw_take(j->c, 1, sizeof *t) : NULL;
    uint64_t me = (uint64_t)j->c->t->rank;
    for (uint64_t k = j->tile[me]; k < j->tile[me + 1] && j->c->status == UPSWEEP_OK; k++) {
        uint64_t at = k * USW_TILE;
        size_t m = (size_t)usw_min(USW_TILE, usw_total(j->c) - at);
        double *sum = &sums[k - j->tile[me]];
        if (t != NULL) {
            sweep_tile(j, at, t);
            *sum = t->sum;
        } else if (usw_done(j->c, upsweep_reduce(j->c->u, tile_at(j, at, m, buffer), m, j->type,
                                                 j->op, sum, NULL))) {
            usw_done(j->c, upsweep_wait(j->c->u));
        }
    }
    return j->c->status == UPSWEEP_OK;
}

/* A level's share of the tree at `start`: the sums of its group before it. wanted: starts of all
 * ranks. */
static bool begin_level(job *j, int level, const uint64_t *first, const double *own,
                        const uint64_t *wanted)
{
    size_t ranks = (size_t)j->c->t->size, me = (size_t)j->c->t->rank;
    double group[USW_CARRY_TREE_FANOUT];
    uint64_t *low = usw_take(j->c, ranks, 2 * sizeof *low);
    if (!usw_agree(j->c) || low == NULL) {
        return false;
    }
    uint64_t *high = low + ranks;
    for (size_t r = 0; r < ranks; r++) {
        high[r] = wanted[r] >> 6 * level;
        low[r] = high[r] & ~(uint64_t)(USW_CARRY_TREE_FANOUT - 1);
    }
    if (!fetch(j->c, own, first, low, high, sizeof *own, group)) {
        return false;
    }
    j->tree.added[level] = (unsigned)(high[me] - low[me]);
    for (unsigned i = 0; i < j->tree.added[level]; i++) {
        j->tree.level_sum[level] = usw_join(j->product, j->tree.level_sum[level], group[i]);
    }
    usw_give(j->c, low);
    return true;
}

/* The sums of the groups that end on this rank, which are the level above. */
static bool next_level(job *j, const uint64_t *first, double *own, uint64_t *next)
{
    size_t ranks = (size_t)j->c->t->size, me = (size_t)j->c->t->rank;
    double head[USW_CARRY_TREE_FANOUT];
    uint64_t *low = usw_take(j->c, ranks, 2 * sizeof *low);
    if (!usw_agree(j->c) || low == NULL) {
        return false;
    }
    uint64_t *high = low + ranks;
    for (size_t r = 0; r < ranks; r++) {
        high[r] = first[r];
        low[r] = first[r] & ~(uint64_t)(USW_CARRY_TREE_FANOUT - 1);
    }
    if (!fetch(j->c, own, first, low, high, sizeof *own, head)) {
        return false;
    }
    for (size_t r = 0; r <= ranks; r++) {
        next[r] = first[r] / USW_CARRY_TREE_FANOUT;
    }
    for (uint64_t g = next[me]; g < next[me + 1]; g++) {
        double sum = usw_neutral(j->product);
        for (uint64_t i = g * USW_CARRY_TREE_FANOUT; i < (g + 1) * USW_CARRY_TREE_FANOUT; i++) {
            sum = usw_join(j->product, sum, i < first[me] ? head[i - low[me]] : own[i - first[me]]);
        }
        own[g - next[me]] = sum; /* never ahead of what is read */
    }
    usw_give(j->c, low);
    return true;
}

static bool build_tree(job *j, double *sums)
{
    usw_call *c = j->c;
    size_t ranks = (size_t)c->t->size;
    uint64_t *first = usw_take(c, ranks + 1, 3 * sizeof *first);
    if (!usw_agree(c) || first == NULL) {
        return false;
    }
    uint64_t *next = first + ranks + 1, *wanted = next + ranks + 1;
    for (size_t r = 0; r <= ranks; r++) {
        first[r] = j->tile[r];
        bool any = r < ranks && c->first[r] < c->first[r + 1];
        wanted[r] = !j->scans ? j->tile[ranks] : any ? c->first[r] / USW_TILE : 0;
    }
    usw_carry_tree_start(&j->tree, j->product);
    for (int level = 0; first[ranks] > 0; level++) {
        if (!begin_level(j, level, first, sums, wanted) || !next_level(j, first, sums, next)) {
            return false;
        }
        memcpy(first, next, (ranks + 1) * sizeof *first);
    }
    usw_give(c, first);
    return true;
}

/* Everything up to the carry that is wanted: before this rank's first tile, or after the last of
 * all. */
static bool prepare(job *j, const void *data, size_t n)
{
    usw_call *c = j->c;
    size_t ranks = (size_t)c->t->size, me = (size_t)c->t->rank;
    j->bytes = upsweep_type_bytes(j->type);
    j->product = j->op == UPSWEEP_PRODUCT;
    j->begin = c->first[me];
    j->end = c->first[me + 1];
    j->data = usw_on_host(c, data, n, j->bytes);
    j->tile = usw_take(c, ranks + 1, sizeof *j->tile);
    if (!usw_agree(c) || j->tile == NULL || !complete_tiles(j)) {
        return false;
    }
    for (size_t r = 0; r <= ranks; r++) {
        j->tile[r] = up_to_tile(c->first[r]) / USW_TILE;
    }
    double *sums = usw_take(c, (size_t)(j->tile[me + 1] - j->tile[me]), sizeof *sums);
    if (sums != NULL) {
        tile_sums(j, sums);
    }
    return usw_agree(c) && build_tree(j, sums);
}

bool usw_reduce_in_order(usw_call *c, const void *data, size_t n, upsweep_type type, upsweep_op op,
                         void *result)
{
    job j = {.c = c, .type = type, .op = op};
    if (!prepare(&j, data, n)) {
        return false;
    }
    store_number(UPSWEEP_F64, result, usw_carry_tree_carry(&j.tree));
    return true;
}

bool usw_scan_in_order(usw_call *c, const void *in, void *out, size_t n, upsweep_type type,
                       upsweep_op op, bool exclusive)
{
    job j = {.c = c, .type = type, .op = op, .exclusive = exclusive, .scans = true};
    if (!prepare(&j, in, n)) {
        return false;
    }
    scan_tile *t = usw_take(c, 1, sizeof *t);
    char *results = c->host ? out : usw_take(c, n, j.bytes);
    if (t == NULL || results == NULL) {
        return n == 0;
    }
    for (uint64_t k = j.low; n > 0 && k < j.high; k += USW_TILE) {
        sweep_tile(&j, k, t);
        write_tile(&j, k, t, usw_carry_tree_carry(&j.tree), results);
        usw_carry_tree_add(&j.tree, t->sum, false);
    }
    return usw_copy(c, out, results, n, j.bytes);
}

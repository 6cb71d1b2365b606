/* merge.c - merges of two and of many sorted runs.
 *
 * A merge is split by rank into pieces of equal length, so that all threads have the same work
 * whatever the lists look like. The cuts are made from left to right, each behind the one before,
 * so that even lists that are not sorted fall into pieces that hold every key once. Equal keys have
 * equal bits, since the key maps lose none; which of them comes first cannot be seen. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/cpu.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW,
    PIECE_KEYS = 64 * 1024,
    TILE_KEYS = 4096
};

typedef struct piece {
    const unsigned char *a, *b;
    size_t na, nb;
    unsigned char *out;
} piece;

typedef struct job {
    upsweep *u;
    const usw_merge_steps *steps;
    const usw_keymap_steps *maps;
    unsigned width; /* index of the key width */
    size_t bytes;   /* of a key */
    usw_keymap map;
    bool plain; /* the keys in the lists are unsigned already: the map is not applied */
    piece *pieces;
    size_t count;
    usw_shares tiles; /* 3 tiles a lane */
} job;

static upsweep_status prepare(job *j, upsweep_type type, const usw_options *o, const char *call)
{
    j->bytes = upsweep_type_bytes(type);
    if (j->bytes == 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "%s: there is no type %d", call, (int)type);
    }
    if (o->bit_begin != 0 || o->bit_end != 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "%s takes no bit range", call);
    }
    if (o->algorithm != NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_ALGORITHM, "%s has no choice of algorithms", call);
    }
    j->width = j->bytes == 1 ? 0 : j->bytes == 2 ? 1 : j->bytes == 4 ? 2 : 3;
    j->map = usw_keymap_of(type, o->flags);
    j->plain = usw_keymap_is_identity(&j->map);
    j->steps = USW_PICK(j->u->isa, usw_merge_steps);
    j->maps = USW_PICK(j->u->isa, usw_keymap_steps);
    return UPSWEEP_OK;
}

static uint64_t key_at(const job *j, const unsigned char *list, size_t i)
{
    return usw_map_key(&j->map, usw_load_raw(list + i * j->bytes, j->bytes));
}

/* As usw_merge_steps.split, for keys that still need the map. */
static size_t split_raw(const job *j, const piece *p, size_t rank)
{
    size_t low = rank > p->nb ? rank - p->nb : 0, high = usw_min(rank, p->na);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (key_at(j, p->a, middle) <= key_at(j, p->b, rank - 1 - middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Appends the merge of a and b to the list of pieces, cut into parts of piece_keys. */
static void add_merge(job *j, piece rest, size_t piece_keys)
{
    while (rest.na + rest.nb > 0) {
        size_t rank = usw_min(piece_keys, rest.na + rest.nb);
        size_t i = j->plain ? j->steps->split[j->width](rest.a, rest.na, rest.b, rest.nb, rank)
                            : split_raw(j, &rest, rank);
        size_t b_keys = rank - i;
        j->pieces[j->count++] = (piece){rest.a, rest.b, i, b_keys, rest.out};
        rest.a += i * j->bytes;
        rest.b += b_keys * j->bytes;
        rest.na -= i;
        rest.nb -= b_keys;
        rest.out += rank * j->bytes;
    }
}

/* Merges a piece tile by tile: the next keys of both lists are mapped, merged and mapped back. */
static void merge_mapped(const job *j, piece p, unsigned char *tiles)
{
    USW_ROUTE("merged tile by tile");
    size_t tile_bytes = TILE_KEYS * j->bytes;
    unsigned char *a = tiles, *b = tiles + tile_bytes, *out = b + tile_bytes;
    while (p.na + p.nb > 0) {
        size_t na = usw_min(p.na, TILE_KEYS), nb = usw_min(p.nb, TILE_KEYS);
        size_t rank = usw_min(TILE_KEYS, na + nb);
        j->maps->map[j->width](a, p.a, na, &j->map);
        j->maps->map[j->width](b, p.b, nb, &j->map);
        size_t i = j->steps->split[j->width](a, na, b, nb, rank);
        j->steps->merge[j->width](a, i, b, rank - i, out);
        j->maps->unmap[j->width](p.out, out, rank, &j->map);
        p.a += i * j->bytes;
        p.b += (rank - i) * j->bytes;
        p.na -= i;
        p.nb -= rank - i;
        p.out += rank * j->bytes;
    }
}

static void piece_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    const piece *p = &j->pieces[t];
    if (p->na == 0 || p->nb == 0) {
        USW_ROUTE("a piece of one list");
        memcpy(p->out, p->na > 0 ? p->a : p->b, (p->na + p->nb) * j->bytes);
    } else if (j->plain) {
        USW_ROUTE("merged as they are");
        j->steps->merge[j->width](p->a, p->na, p->b, p->nb, p->out);
    } else {
        merge_mapped(j, *p, usw_share(&j->tiles, lane));
    }
}

static size_t piece_keys_for(const upsweep *u, size_t n)
{
    return u->threads == 1 ? usw_max(n, 1)
                           : usw_max(PIECE_KEYS, usw_div_up(n, (size_t)u->threads * 8));
}

static upsweep_status run_merge(job *j, const void *a, size_t na, const void *b, size_t nb,
                                void *out)
{
    size_t n = na + nb, keys = piece_keys_for(j->u, n);
    j->pieces = usw_scratch(j->u, usw_div_up(n, keys) * sizeof(piece));
    j->tiles = usw_scratch_shares(j->u, j->u->threads, j->plain ? 0 : 3 * TILE_KEYS * j->bytes);
    if (j->pieces == NULL || j->tiles.at == NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "merge: no scratch");
    }
    add_merge(j, (piece){a, b, na, nb, out}, keys);
    usw_parallel(j->u, j->count, piece_task, j);
    return UPSWEEP_OK;
}

upsweep_status upsweep_merge(upsweep *u, const void *a, size_t na, const void *b, size_t nb,
                             void *out, upsweep_type type, const upsweep_options *options)
{
    usw_options o;
    job j = {.u = u};
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = prepare(&j, type, &o, "merge");
    size_t n, bytes;
    if (status != UPSWEEP_OK) {
        return usw_leave(u, status);
    }
    if (__builtin_add_overflow(na, nb, &n) || usw_mul_overflows(n, j.bytes, &bytes)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge: %zu and %zu keys cannot be", na, nb);
    } else if ((na > 0 && a == NULL) || (nb > 0 && b == NULL) || (n > 0 && out == NULL)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge: an array is NULL");
    } else if (n > 0 && !usw_gpu_merge(u, a, na, b, nb, out, &j.map, &status)) {
        USW_SHARE_CALL(u, n * j.bytes, USW_LIKE_SCANNING, type);
        status = run_merge(&j, a, na, b, nb, out);
    }
    return usw_leave(u, status);
}

/* ---- many runs: a balanced tree of merges, level by level ---- */

typedef struct run {
    const unsigned char *at;
    size_t n;
} run;

typedef struct tree {
    job job;
    run *runs;
    size_t k; /* runs that are left */
    size_t n; /* keys in all */
    unsigned char *out, *spare;
} tree;

static void map_task(void *context, size_t t, unsigned lane)
{
    const tree *x = context;
    const job *j = &x->job;
    const piece *p = &j->pieces[t];
    (void)lane;
    j->maps->map[j->width](p->out, p->a, p->na, &j->map);
}

static void unmap_task(void *context, size_t t, unsigned lane)
{
    const tree *x = context;
    const job *j = &x->job;
    size_t begin = t * PIECE_KEYS, n = usw_min(x->n, begin + PIECE_KEYS) - begin;
    unsigned char *at = x->out + begin * j->bytes;
    (void)lane;
    j->maps->unmap[j->width](at, at, n, &j->map);
}

/* Copies the runs, mapped, into `to`. */
static void map_runs(tree *x, unsigned char *to)
{
    USW_ROUTE("runs are mapped");
    job *j = &x->job;
    j->count = 0;
    for (size_t r = 0; r < x->k; r++) {
        run *from = &x->runs[r];
        const unsigned char *start = to;
        for (size_t i = 0; i < from->n; i += PIECE_KEYS) {
            size_t n = usw_min(PIECE_KEYS, from->n - i);
            j->pieces[j->count++] = (piece){from->at + i * j->bytes, NULL, n, 0, to};
            to += n * j->bytes;
        }
        from->at = start;
    }
    usw_parallel(j->u, j->count, map_task, x);
}

/* Merges neighbours into `to`: half as many runs are left. */
static void merge_level(tree *x, unsigned char *to)
{
    job *j = &x->job;
    size_t keys = piece_keys_for(j->u, x->n);
    j->count = 0;
    for (size_t r = 0; r < x->k; r += 2) {
        run a = x->runs[r], b = r + 1 < x->k ? x->runs[r + 1] : (run){a.at, 0};
        add_merge(j, (piece){a.at, b.at, a.n, b.n, to}, keys);
        x->runs[r / 2] = (run){to, a.n + b.n};
        to += (a.n + b.n) * j->bytes;
    }
    x->k = usw_div_up(x->k, 2);
    usw_parallel(j->u, j->count, piece_task, j);
}

static upsweep_status run_tree(tree *x)
{
    job *j = &x->job;
    unsigned levels = usw_log2_up(x->k);
    if (levels == 0) {
        USW_ROUTE("one run is copied");
        memcpy(x->out, x->runs[0].at, x->n * j->bytes);
        return UPSWEEP_OK;
    }
    bool mapped = !j->plain;
    j->plain = true;
    x->spare = levels > 1 || mapped ? usw_scratch(j->u, x->n * j->bytes) : x->out;
    j->pieces = usw_scratch(j->u, (x->n / PIECE_KEYS + x->k) * sizeof(piece));
    if (x->spare == NULL || j->pieces == NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "merge_runs: no scratch for %zu keys", x->n);
    }
    /* The last level writes out, the one before spare, and so on. */
    unsigned char *to = levels % 2 ? x->out : x->spare;
    if (mapped) {
        map_runs(x, to == x->out ? x->spare : x->out);
    }
    for (; x->k > 1; to = to == x->out ? x->spare : x->out) {
        merge_level(x, to);
    }
    if (mapped) {
        usw_parallel(j->u, usw_div_up(x->n, PIECE_KEYS), unmap_task, x);
    }
    return UPSWEEP_OK;
}

/* Takes the runs that have keys; adds up n. */
static upsweep_status take_runs(tree *x, const void *const *runs, const size_t *counts, size_t k)
{
    upsweep *u = x->job.u;
    size_t bytes;
    if (k > 0 && (runs == NULL || counts == NULL)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge_runs: runs or counts is NULL");
    }
    if (usw_mul_overflows(k, sizeof(run), &bytes) || (x->runs = usw_scratch(u, bytes)) == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "merge_runs: no scratch for %zu runs", k);
    }
    for (size_t r = 0; r < k; r++) {
        if (counts[r] == 0) {
            continue;
        }
        if (runs[r] == NULL) {
            return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge_runs: run %zu is NULL", r);
        }
        if (__builtin_add_overflow(x->n, counts[r], &x->n) ||
            usw_mul_overflows(x->n, x->job.bytes, &bytes)) {
            return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge_runs: so many keys cannot be");
        }
        x->runs[x->k++] = (run){runs[r], counts[r]};
    }
    if (x->n > 0 && x->out == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "merge_runs: out is NULL");
    }
    return UPSWEEP_OK;
}

upsweep_status upsweep_merge_runs(upsweep *u, const void *const *runs, const size_t *counts,
                                  size_t k, void *out, upsweep_type type,
                                  const upsweep_options *options)
{
    usw_options o;
    tree x = {.job = {.u = u}, .out = out};
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = prepare(&x.job, type, &o, "merge_runs");
    if (status == UPSWEEP_OK) {
        status = take_runs(&x, runs, counts, k);
    }
    if (status == UPSWEEP_OK && x.n > 0 &&
        !usw_gpu_merge_runs(u, runs, counts, k, out, x.n, &x.job.map, &status)) {
        USW_SHARE_CALL(u, x.n * x.job.bytes * usw_log2_up(x.k), USW_LIKE_SCANNING, type);
        status = run_tree(&x);
    }
    return usw_leave(u, status);
}

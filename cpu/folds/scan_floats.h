/* scan_floats.h - scans blocks of floats by sums and products: widens a tile, sweeps it top by top
 * (cpu/folds/float_tile.h), takes the carry of the block before and writes results. Included by
 * algo/scan_sweep_cpu.h only, once. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_SCAN_FLOATS_H
#define USW_CPU_FOLDS_SCAN_FLOATS_H

#include "cpu/folds/halves.h"

/* The n elements of a tile as floats or doubles, filled up to whole groups with the identity: in
 * `buffer`, or, if they need be neither widened nor filled up, where they are. */
static const void *widen_tile(const work *w, const void *in, size_t n, void *buffer)
{
    upsweep_type type = w->s->type;
    bool product = w->s->op == UPSWEEP_PRODUCT;
    size_t filled = usw_div_up(n, GROUP) * GROUP;
    if (n == filled && w->bytes >= 4) {
        return in;
    }
    if (type == UPSWEEP_F64) {
        double *wide = buffer;
        memcpy(wide, in, n * sizeof *wide);
        for (size_t i = n; i < filled; i++) {
            wide[i] = usw_neutral(product);
        }
        return wide;
    }
    float *wide = buffer;
    if (type == UPSWEEP_F32) {
        memcpy(wide, in, n * sizeof *wide);
    } else {
        widen_halves(type, in, n, wide);
    }
    for (size_t i = n; i < filled; i++) {
        wide[i] = (float)usw_neutral(product);
    }
    return wide;
}

/* The sweeps by type, heads and operator, each a function of its own. */
#define SWEEPS(name, wide, cut, product)                                                           \
    static void up_##name(sweep_tile *t, size_t k, size_t groups, double *v, const void *x,        \
                          const uint8_t *heads)                                                    \
    {                                                                                              \
        sweep_up(t, k, groups, v, x, wide, (cut) ? heads : NULL, product);                         \
    }                                                                                              \
    static void down_##name(const sweep_tile *t, size_t k, size_t groups, const double *v,         \
                            double carry, void *out, bool exclusive)                               \
    {                                                                                              \
        sweep_down(t, k, groups, v, carry, out, wide, cut, exclusive, product);                    \
    }
SWEEPS(sum_f32, false, false, false)
SWEEPS(product_f32, false, false, true)
SWEEPS(cut_sum_f32, false, true, false)
SWEEPS(cut_product_f32, false, true, true)
SWEEPS(sum_f64, true, false, false)
SWEEPS(product_f64, true, false, true)
SWEEPS(cut_sum_f64, true, true, false)
SWEEPS(cut_product_f64, true, true, true)

typedef void (*up_fn)(sweep_tile *t, size_t k, size_t groups, double *v, const void *x,
                      const uint8_t *heads);
typedef void (*down_fn)(const sweep_tile *t, size_t k, size_t groups, const double *v, double carry,
                        void *out, bool exclusive);
static const up_fn ups[2][2][2] = {
    {{up_sum_f32, up_product_f32}, {up_cut_sum_f32, up_cut_product_f32}},
    {{up_sum_f64, up_product_f64}, {up_cut_sum_f64, up_cut_product_f64}}};
static const down_fn downs[2][2][2] = {
    {{down_sum_f32, down_product_f32}, {down_cut_sum_f32, down_cut_product_f32}},
    {{down_sum_f64, down_product_f64}, {down_cut_sum_f64, down_cut_product_f64}}};

typedef struct float_buffers {
    double in[USW_TILE], out[TOP];
    sweep_tile tiles[FLOAT_TILES];
} float_buffers;

/* The sweeps of one scan. */
typedef struct float_sweeps {
    up_fn up;
    down_fn down;
    size_t width; /* bytes of an element while it is swept */
    bool cut, product;
} float_sweeps;

static float_sweeps sweeps_of(const work *w)
{
    const usw_scan *s = w->s;
    bool cut = s->heads != NULL || s->keys != NULL, product = s->op == UPSWEEP_PRODUCT;
    bool wide = s->type == UPSWEEP_F64;
    return (float_sweeps){ups[wide][cut][product], downs[s->type != UPSWEEP_F32][cut][product],
                          wide ? sizeof(double) : sizeof(float), cut, product};
}

/* The heads of the n elements of a tile, filled up with none. */
static const uint8_t *tile_heads(const usw_scan *s, size_t begin, size_t n, uint8_t *buffer)
{
    const uint8_t *heads = heads_of(s, begin, n, buffer);
    if (heads != NULL && n < USW_TILE) {
        memmove(buffer, heads, n);
        memset(buffer + n, 0, USW_TILE - n);
        heads = buffer;
    }
    return heads;
}

/* The groups of a tile's top k that have any of the tile's n elements. */
static size_t groups_of(size_t k, size_t n)
{
    return usw_min(usw_div_up(n - k * TOP, GROUP), TOP / GROUP);
}

/* Sweeps up top k of a tile of n elements, x. */
static void up_top(const float_sweeps *sweeps, sweep_tile *t, size_t k, double *v, const void *x,
                   const uint8_t *heads, size_t n)
{
    sweeps->up(t, k, groups_of(k, n), v, (const unsigned char *)x + k * TOP * sweeps->width,
               heads == NULL ? NULL : heads + k * TOP);
}

/* Sweeps down top k and puts its results where the tile's n belong, at out. */
static void finish_top(const work *w, const float_sweeps *sweeps, const sweep_tile *t, size_t k,
                       const double *v, double carry, void *out, size_t n, double *buffer)
{
    unsigned char *to = (unsigned char *)out + k * TOP * w->bytes;
    size_t groups = groups_of(k, n);
    n = usw_min(n - k * TOP, TOP);
    if (n == groups * GROUP && w->bytes >= 4 && !w->stream) {
        sweeps->down(t, k, groups, v, carry, to, w->s->exclusive);
        return;
    }
    sweeps->down(t, k, groups, v, carry, buffer, w->s->exclusive);
    if (w->bytes == 2) {
        narrow_halves(w->s->type, buffer, n, (uint16_t *)(void *)to);
    } else if (w->stream) {
        stream_copy(to, buffer, n * w->bytes);
    } else {
        memcpy(to, buffer, n * w->bytes);
    }
}

/* Scans a block by one thread, which knows the carry: each top is swept up and down at once, and
 * stays in the first cache. */
static void float_block_one_thread(void *context, size_t block, unsigned thread)
{
    USW_ROUTE_OF("sums of floats by one thread", USW_FLOATS);
    work *w = context;
    const usw_scan *s = w->s;
    const float_sweeps sweeps = sweeps_of(w);
    float_buffers *f = usw_share(&w->buffers, thread);
    size_t begin = block * w->block, end = begin + usw_min(w->block, s->n - begin);
    for (size_t i = begin; i < end; i += USW_TILE) {
        size_t n = usw_min(USW_TILE, end - i);
        sweep_tile *t = f->tiles;
        uint8_t buffer[USW_TILE];
        const uint8_t *heads = tile_heads(s, i, n, buffer);
        const void *x = widen_tile(w, (const unsigned char *)s->in + i * w->bytes, n, f->in);
        double carry = usw_carry_tree_carry(&w->sums);
        sweep_start(t, sweeps.product);
        for (size_t k = 0; k * TOP < n; k++) {
            up_top(&sweeps, t, k, t->v, x, heads, n);
            finish_top(w, &sweeps, t, k, t->v, carry, (unsigned char *)s->out + i * w->bytes, n,
                       f->out);
        }
        usw_carry_tree_add(&w->sums, sweep_total(t, sweeps.product), t->heads3[0] != 0);
    }
    stream_end(w);
}

/* Scans a block beside others: sweeps its tiles up, waits for the carry, and sweeps them down. */
static void float_block(void *context, size_t block, unsigned thread)
{
    work *w = context;
    if (begin_block(w, block)) {
        float_block_one_thread(w, block, thread);
        end_turn(w, block);
        end_block(w);
        return;
    }
    USW_ROUTE_OF("sums of floats", USW_FLOATS);
    const usw_scan *s = w->s;
    const float_sweeps sweeps = sweeps_of(w);
    float_buffers *f = usw_share(&w->buffers, thread);
    size_t begin = block * w->block, end = begin + usw_min(w->block, s->n - begin), count = 0;
    double sum[FLOAT_TILES], carry[FLOAT_TILES];
    for (size_t i = begin; i < end; i += USW_TILE, count++) {
        size_t n = usw_min(USW_TILE, end - i);
        sweep_tile *t = &f->tiles[count];
        uint8_t buffer[USW_TILE];
        const uint8_t *heads = tile_heads(s, i, n, buffer);
        const void *x = widen_tile(w, (const unsigned char *)s->in + i * w->bytes, n, f->in);
        sweep_start(t, sweeps.product);
        for (size_t k = 0; k * TOP < n; k++) {
            up_top(&sweeps, t, k, t->v + k * TOP, x, heads, n);
        }
        sum[count] = sweep_total(t, sweeps.product);
    }
    wait_turn(w, block);
    for (size_t t = 0; t < count; t++) {
        carry[t] = usw_carry_tree_carry(&w->sums);
        usw_carry_tree_add(&w->sums, sum[t], f->tiles[t].heads3[0] != 0);
    }
    end_turn(w, block);
    for (size_t i = begin, t = 0; t < count; i += USW_TILE, t++) {
        size_t n = usw_min(USW_TILE, end - i);
        for (size_t k = 0; k * TOP < n; k++) {
            finish_top(w, &sweeps, &f->tiles[t], k, f->tiles[t].v + k * TOP, carry[t],
                       (unsigned char *)s->out + i * w->bytes, n, f->out);
        }
    }
    end_block(w);
    stream_end(w);
}

/* n elements of a run, filled up with the identity, and the same back. */
static inline run run_load(upsweep_type type, const void *in, size_t n, bool product)
{
    double x[RUN];
    if (n == RUN && type >= UPSWEEP_F32) {
        return type == UPSWEEP_F64 ? run_get(in) : run_widen(in);
    }
    for (size_t i = 0; i < RUN; i++) {
        x[i] = i >= n                ? usw_neutral(product)
               : type == UPSWEEP_F64 ? ((const double *)in)[i]
               : type == UPSWEEP_F32 ? (double)((const float *)in)[i]
               : type == UPSWEEP_F16 ? (double)usw_widen_f16(((const uint16_t *)in)[i])
                                     : (double)usw_widen_bf16(((const uint16_t *)in)[i]);
    }
    return run_get(x);
}

static inline void run_store(upsweep_type type, void *out, size_t n, run v)
{
    double wide[RUN];
    float narrow[RUN];
    if (n == RUN && type >= UPSWEEP_F32) {
        type == UPSWEEP_F64 ? run_out(out, v) : run_narrow(out, v);
        return;
    }
    if (type == UPSWEEP_F32) {
        run_narrow(narrow, v);
        memcpy(out, narrow, n * sizeof *narrow);
        return;
    }
    run_out(wide, v);
    if (type == UPSWEEP_F64) {
        memcpy(out, wide, n * sizeof *wide);
        return;
    }
    narrow_halves(type, wide, n, out);
}

/* Scans a row of no more than a group by the additions of a whole tile, but for those of the
 * identity with itself. */
static inline void group_row(const usw_scan *s, size_t bytes, const unsigned char *in,
                             unsigned char *out, size_t n, double carry, bool product)
{
    run v[RUN];
    double total[RUN], offset[RUN], last[RUN];
    if (n <= RUN) {
        v[0] = run_up(run_load(s->type, in, n, product), 0, product);
        v[0] = s->exclusive ? run_shift(v[0], product) : v[0];
        run_store(s->type, out, n, run_join(product, run_all(carry), v[0]));
        return;
    }
    for (size_t r = 0; r < RUN; r++) {
        total[r] = usw_neutral(product);
        if (r * RUN < n) {
            size_t at = r * RUN * bytes;
            v[r] =
                run_up(run_load(s->type, in + at, usw_min(RUN, n - r * RUN), product), 0, product);
            run_put(last, v[r]);
            total[r] = last[RUN - 1];
        }
    }
    run before = run_shift(run_up(run_get(total), 0, product), product);
    run_put(offset, run_join(product, run_all(carry), before));
    for (size_t r = 0; r * RUN < n; r++) {
        run values = s->exclusive ? run_shift(v[r], product) : v[r];
        values = run_join(product, run_all(offset[r]), values);
        run_store(s->type, out + r * RUN * bytes, usw_min(RUN, n - r * RUN), values);
    }
}

/* Scans a row of no more than a tile. carry: of nothing. */
static void float_row(const work *w, const float_sweeps *sweeps, float_buffers *f, const void *in,
                      void *out, size_t n, double carry)
{
    if (n <= GROUP) {
        USW_ROUTE_OF("rows of a group of floats", USW_FLOATS);
        sweeps->product ? group_row(w->s, w->bytes, in, out, n, carry, true)
                        : group_row(w->s, w->bytes, in, out, n, carry, false);
        return;
    }
    sweep_tile *t = f->tiles;
    const void *x = widen_tile(w, in, n, f->in);
    sweep_start(t, sweeps->product);
    for (size_t k = 0; k * TOP < n; k++) {
        up_top(sweeps, t, k, t->v, x, NULL, n);
        finish_top(w, sweeps, t, k, t->v, carry, out, n, f->out);
    }
}

#endif

/* reduce_columns.h - reduces an array of outer x length x inner elements along its middle axis,
 * where they lie: whole rows of `inner` elements are combined, and no column is gathered. Included
 * by algo/reduce_tree_cpu.h, once.
 *
 * A column gets the bits that a reduction of it alone gives. Sums of floats so have the 128 lanes
 * of core/order.h for each column, lane j of a tile having its rows j, j + 128, ..; where rows are
 * joined as they are read, memory is read in its order. Exact operators take as few lanes as make
 * loops of some hundred elements. Tiles' results meet in the carry tree, rows at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_REDUCE_COLUMNS_H
#define USW_CPU_FOLDS_REDUCE_COLUMNS_H

#include "core/order.h"

#include <math.h>

enum {
    COLUMN_BYTES = 128 << 10, /* accumulators of a thread: most of its second cache */
    COLUMN_LOOP = 256,        /* elements of a loop, from which its start costs little */
    COLUMN_TASK = 32 << 10,   /* elements of a task */
    COLUMN_PART = 16,         /* columns at least of a part */
    COLUMN_TREE = 512         /* columns of a part whose rows meet in a tree, in the first cache */
};

typedef struct column_job {
    const usw_reduce_columns *s;
    column_join join;
    column_meet meet;
    column_pair pair; /* of floats in order */
    column_map map;
    size_t acc_bytes, lanes;
    bool few;                    /* rows: no more than lanes, which are long */
    size_t room_rows;            /* rows of accumulators that a thread has room for */
    size_t tiles, levels;        /* of a column, and of its carry tree */
    size_t width, parts;         /* columns of a part, and parts of `inner` columns */
    size_t units, units_of_task; /* a unit: a tile of one part of one outer */
    usw_shares rooms;            /* accumulators or levels of a thread */
    unsigned char *partial;      /* where tiles are several: accumulators of each */
} column_job;

static column_job column_loops_of(const usw_reduce_columns *s)
{
    static const column_join sums[4] = {columns_sum_u8, columns_sum_u16, columns_sum_u32,
                                        columns_sum_u64};
    static const column_join products[4] = {columns_product_u8, columns_product_u16,
                                            columns_product_u32, columns_product_u64};
    static const column_join least[4] = {columns_least_u8, columns_least_u16, columns_least_u32,
                                         columns_least_u64};
    static const column_meet meet_least[4] = {least_meet_u8, least_meet_u16, least_meet_u32,
                                              least_meet_u64};
    static const column_join floats[2][4] = {
        {columns_sum_f16, columns_sum_bf16, columns_sum_f32, columns_sum_f64},
        {columns_product_f16, columns_product_bf16, columns_product_f32, columns_product_f64}};
    static const column_pair pairs[2][4] = {
        {sum_pair_f16, sum_pair_bf16, sum_pair_f32, sum_pair_f64},
        {product_pair_f16, product_pair_bf16, product_pair_f32, product_pair_f64}};
    static const column_join bits[3] = {columns_and, columns_or, columns_xor};
    static const column_meet meet_bits[3] = {and_meet, or_meet, xor_meet};
    column_job j = {.s = s, .acc_bytes = 8};
    unsigned width = usw_log2_up(s->bytes);
    bool product = s->op == UPSWEEP_PRODUCT;
    if (s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST) {
        USW_ROUTE_OF("least of columns", USW_ALL_TYPES);
        j.map.map = usw_keymap_of(s->type, s->op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
        j.join = least[width];
        j.meet = meet_least[width];
        j.acc_bytes = s->bytes;
    } else if (usw_type_is_float(s->type)) {
        USW_ROUTE_OF("columns of floats", USW_FLOATS);
        j.join = floats[product][s->type - UPSWEEP_F16];
        j.meet = product ? float_product_meet : float_sum_meet;
        j.pair = pairs[product][s->type - UPSWEEP_F16];
    } else if (s->op <= UPSWEEP_PRODUCT) {
        USW_ROUTE_OF("columns of integers", USW_INTEGERS);
        j.map.flip = usw_type_is_signed(s->type) ? UINT64_C(1) << (8 * s->bytes - 1) : 0;
        j.join = product ? products[width] : sums[width];
        j.meet = product ? integer_product_meet : integer_sum_meet;
    } else {
        USW_ROUTE_OF("bits of columns", USW_INTEGERS);
        j.join = bits[s->op - UPSWEEP_AND];
        j.meet = meet_bits[s->op - UPSWEEP_AND];
        j.acc_bytes = s->bytes;
    }
    return j;
}

/* The loops of bits count bytes. */
static bool counts_bytes(const column_job *j)
{
    return j->s->op >= UPSWEEP_AND;
}

static void join_rows(const column_job *j, unsigned char *acc, const unsigned char *x, size_t step,
                      size_t times, size_t count)
{
    size_t of = counts_bytes(j) ? j->s->bytes : 1;
    j->join(acc, x, step * of, times, count * of, &j->map);
}

static void meet_rows(const column_job *j, unsigned char *acc, const unsigned char *other,
                      size_t count)
{
    j->meet(acc, other, counts_bytes(j) ? count * j->acc_bytes : count);
}

static void start_rows(const column_job *j, unsigned char *acc, size_t count)
{
    bool is_float = usw_type_is_float(j->s->type);
    if (j->s->op == UPSWEEP_PRODUCT) {
        for (size_t i = 0; i < count; i++) {
            uint64_t one = 1;
            double real = 1;
            memcpy(acc + 8 * i, is_float ? (const void *)&real : (const void *)&one, 8);
        }
    } else {
        bool ones =
            j->s->op == UPSWEEP_LEAST || j->s->op == UPSWEEP_GREATEST || j->s->op == UPSWEEP_AND;
        memset(acc, ones ? 0xff : 0, count * j->acc_bytes);
    }
}

/* ---- a tile ---- */

/* Few rows, each of which is a lane: those at lane, lane + step, lane + 2 step .. are combined into
 * the first row of acc, in the order in which lanes meet, and need a row of acc for each distance:
 * so few that they stay in the first cache. Lanes start at +0, so that no sum is -0; here pairs do,
 * and a row that is added alone changes nothing about that. */
static void meet_in_tree(const column_job *j, unsigned char *acc, const unsigned char *x,
                         size_t lane, size_t step, size_t columns)
{
    const size_t rows = j->s->length, row_bytes = j->s->inner * j->s->bytes;
    const unsigned char *other = x + (lane + step) * row_bytes;
    if (lane + 2 * step >= rows) {
        j->pair(acc, x + lane * row_bytes, other, columns);
        return;
    }
    meet_in_tree(j, acc, x, lane, 2 * step, columns);
    if (lane + 3 * step >= rows) {
        join_rows(j, acc, other, 0, 1, columns);
    } else {
        unsigned char *second = acc + columns * j->acc_bytes;
        meet_in_tree(j, second, x, lane + step, 2 * step, columns);
        meet_rows(j, acc, second, columns);
    }
}

/* Combines `rows` rows of `columns` columns at x into the first row of acc. */
static void reduce_tile(const column_job *j, unsigned char *acc, const unsigned char *x,
                        size_t rows, size_t columns)
{
    enum { FOUR = 4 };
    if (j->few) {
        USW_ROUTE_OF("few rows of floats", USW_FLOATS);
        meet_in_tree(j, acc, x, 0, 1, columns);
        return;
    }
    size_t inner = j->s->inner, bytes = j->s->bytes, lanes = usw_min(rows, j->lanes);
    /* Rows that follow each other without a gap are one loop, whatever their length. */
    size_t together = columns == inner ? lanes : 1, times = rows / lanes, left = rows % lanes;
    start_rows(j, acc, lanes * columns);
    for (size_t t = 0; t < times; t += FOUR) {
        const unsigned char *from = x + t * lanes * inner * bytes;
        for (size_t lane = 0; lane < lanes; lane += together) {
            join_rows(j, acc + lane * columns * j->acc_bytes, from + lane * inner * bytes,
                      lanes * inner, usw_min(FOUR, times - t), together * columns);
        }
    }
    const unsigned char *rest = x + times * lanes * inner * bytes;
    size_t end = together == 1 ? left : left > 0 ? 1 : 0;
    for (size_t lane = 0; lane < end; lane++) {
        join_rows(j, acc + lane * columns * j->acc_bytes, rest + lane * inner * bytes, inner, 1,
                  together == 1 ? columns : left * columns);
    }
    for (size_t d = (size_t)1 << (usw_log2_up(lanes) - (lanes > 1)); lanes > 1; d /= 2) {
        meet_rows(j, acc, acc + d * columns * j->acc_bytes, (lanes - d) * columns);
        lanes = d;
    }
}

/* ---- results ---- */

/* Rounded once to the type of results, of which NaN has one. */
static void store_sums(upsweep_type to, const double *restrict sum, size_t columns,
                       unsigned char *results)
{
    if (to == UPSWEEP_F64) {
        double *restrict at = (double *)(void *)results, nan;
        store_sum(&nan, to, (double)NAN);
        for (size_t c = 0; c < columns; c++) {
            at[c] = sum[c] != sum[c] ? nan : sum[c];
        }
    } else if (to == UPSWEEP_F32) {
        float *restrict at = (float *)(void *)results, nan;
        store_sum(&nan, to, (double)NAN);
        for (size_t c = 0; c < columns; c++) {
            const float narrow = (float)sum[c];
            at[c] = narrow != narrow ? nan : narrow;
        }
    } else {
        for (size_t c = 0; c < columns; c++) {
            store_sum(results + 2 * c, to, sum[c]);
        }
    }
}

static void store_columns(const column_job *j, const unsigned char *acc, size_t columns,
                          unsigned char *results)
{
    const usw_reduce_columns *s = j->s;
    if (s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST) {
        (s->bytes == 1   ? columns_unmap_u8
         : s->bytes == 2 ? columns_unmap_u16
         : s->bytes == 4 ? columns_unmap_u32
                         : columns_unmap_u64)(results, acc, columns, &j->map);
    } else if (usw_type_is_float(s->type)) {
        store_sums(s->to, (const double *)(const void *)acc, columns, results);
    } else {
        memcpy(results, acc, columns * j->acc_bytes);
    }
}

/* The carry after the last of a column's tiles, whose results are rows at `row`, into the first row
 * of level. */
static void meet_tiles(const column_job *j, unsigned char *level, const unsigned char *row,
                       size_t columns)
{
    size_t bytes = columns * j->acc_bytes;
    start_rows(j, level, (j->levels + 1) * columns);
    for (size_t t = 1; t <= j->tiles; t++, row += j->s->inner * j->acc_bytes) {
        unsigned char *full = level + bytes;
        meet_rows(j, full, row, columns);
        for (size_t done = t; done % USW_CARRY_TREE_FANOUT == 0; done /= USW_CARRY_TREE_FANOUT) {
            meet_rows(j, full + bytes, full, columns);
            start_rows(j, full, columns);
            full += bytes;
        }
    }
    for (size_t l = j->levels; l > 0; l--) {
        meet_rows(j, level, level + l * bytes, columns);
    }
}

/* ---- to threads ---- */

typedef struct column_part {
    size_t outer, tile, first, columns;
} column_part;

static column_part part_of(const column_job *j, size_t unit, size_t tiles)
{
    column_part p;
    p.first = unit % j->parts * j->width;
    p.columns = usw_min(j->width, j->s->inner - p.first);
    p.tile = unit / j->parts % tiles;
    p.outer = unit / j->parts / tiles;
    return p;
}

static void column_tiles_task(void *context, size_t i, unsigned thread)
{
    const column_job *j = context;
    const usw_reduce_columns *s = j->s;
    unsigned char *acc = usw_share(&j->rooms, thread);
    size_t end = usw_min(j->units, (i + 1) * j->units_of_task);
    for (size_t unit = i * j->units_of_task; unit < end; unit++) {
        column_part p = part_of(j, unit, j->tiles);
        size_t row = p.outer * s->length + p.tile * USW_TILE;
        reduce_tile(j, acc, s->data + (row * s->inner + p.first) * s->bytes,
                    usw_min(USW_TILE, s->length - p.tile * USW_TILE), p.columns);
        size_t result = (p.outer * j->tiles + p.tile) * s->inner + p.first;
        if (j->tiles == 1) {
            store_columns(j, acc, p.columns, s->results + result * s->result_bytes);
        } else {
            memcpy(j->partial + result * j->acc_bytes, acc, p.columns * j->acc_bytes);
        }
    }
}

static void column_carry_task(void *context, size_t unit, unsigned thread)
{
    const column_job *j = context;
    const usw_reduce_columns *s = j->s;
    unsigned char *level = usw_share(&j->rooms, thread);
    column_part p = part_of(j, unit, 1);
    size_t row = p.outer * j->tiles * s->inner + p.first;
    USW_ROUTE_OF("columns of several tiles", USW_ALL_TYPES);
    meet_tiles(j, level, j->partial + row * j->acc_bytes, p.columns);
    store_columns(j, level, p.columns,
                  s->results + (p.outer * s->inner + p.first) * s->result_bytes);
}

/* Parts of columns: as wide as accumulators may be, but so many that all threads have one. */
static void cut_columns(column_job *j, unsigned threads)
{
    const usw_reduce_columns *s = j->s;
    bool in_order = usw_type_is_float(s->type) && s->op <= UPSWEEP_PRODUCT;
    size_t rows = usw_min(s->length, USW_TILE), most;
    j->tiles = usw_div_up(s->length, USW_TILE);
    for (size_t t = j->tiles; t > 0; t /= USW_CARRY_TREE_FANOUT) {
        j->levels++;
    }
    j->room_rows =
        usw_max(in_order ? usw_min(rows, USW_LANES) : 1, j->tiles > 1 ? j->levels + 1 : 1);
    j->few = in_order && s->length > 1 && s->length <= USW_LANES && s->inner >= COLUMN_LOOP;
    most = j->few ? COLUMN_TREE : COLUMN_BYTES / j->acc_bytes / j->room_rows;
    if (s->outer * j->tiles < threads && rows * s->inner >= COLUMN_TASK) {
        most = usw_min(most, usw_div_up(s->inner * s->outer * j->tiles, threads));
    }
    j->width = usw_min(usw_div_up(usw_max(most, COLUMN_PART), COLUMN_PART) * COLUMN_PART, s->inner);
    j->parts = usw_div_up(s->inner, j->width);
    j->lanes = in_order ? USW_LANES : j->parts > 1 ? 1 : usw_div_up(COLUMN_LOOP, j->width);
    j->lanes = usw_min(j->lanes, rows);
    j->room_rows = j->few ? usw_log2_up(rows) + 1 : usw_max(j->room_rows, j->lanes);
    j->units = s->outer * j->tiles * j->parts;
    j->units_of_task = usw_div_up(COLUMN_TASK, rows * j->width);
}

static upsweep_status columns(upsweep *u, const usw_reduce_columns *s)
{
    column_job j = column_loops_of(s);
    cut_columns(&j, u->threads);
    size_t row_bytes = s->inner * j.acc_bytes, partials = s->outer * j.tiles;
    size_t room = j.room_rows * j.width * j.acc_bytes;
    j.rooms = usw_scratch_shares(u, u->threads, room);
    j.partial = j.tiles > 1 ? usw_scratch(u, partials * row_bytes) : NULL;
    if (j.rooms.at == NULL || (j.tiles > 1 && j.partial == NULL)) {
        return no_scratch(u, partials * row_bytes + u->threads * room);
    }
    usw_parallel(u, usw_div_up(j.units, j.units_of_task), column_tiles_task, &j);
    if (j.tiles > 1) {
        usw_parallel(u, s->outer * j.parts, column_carry_task, &j);
    }
    return UPSWEEP_OK;
}

#endif

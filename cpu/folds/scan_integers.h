/* scan_integers.h - scans elements of one width with one running value: integers by any operator,
 * and all types by the least and the greatest, on mapped keys. Sums of integers take vectors
 * (integer_sums.h). Included by algo/scan_sweep_cpu.h for each width. */
/* SPDX-License-Identifier: MIT */
#if KEY_BITS <= 64

#include "cpu/folds/integer_sums.h"

static inline __attribute__((always_inline)) KEY FN(join)(upsweep_op op, KEY a, KEY b)
{
    switch (op) {
    case UPSWEEP_SUM: return (KEY)(a + b);
    case UPSWEEP_PRODUCT: return (KEY)((uint64_t)a * b);
    case UPSWEEP_AND: return a & b;
    case UPSWEEP_OR: return a | b;
    case UPSWEEP_XOR: return a ^ b;
    default: return a < b ? a : b;
    }
}

static inline __attribute__((always_inline)) KEY FN(map)(const usw_keymap *m, mapping how, KEY x)
{
    if (how == FLIPPED) {
        return x ^ (KEY)m->pos;
    }
    KEY below = (KEY)((KEY)m->neg & (KEY)(0 - (KEY)(x >> (KEY_BITS - 1))));
    return how == MAPPED ? (KEY)((KEY)(x ^ below ^ (KEY)m->pos) + (KEY)m->add) : x;
}

static inline __attribute__((always_inline)) KEY FN(unmap)(const usw_keymap *m, mapping how, KEY x)
{
    if (how == FLIPPED) {
        return x ^ (KEY)m->pos;
    }
    KEY y = (KEY)((KEY)(x - (KEY)m->add) ^ (KEY)m->pos);
    KEY below = (KEY)((KEY)m->neg & (KEY)(0 - (KEY)(y >> (KEY_BITS - 1))));
    return how == MAPPED ? (KEY)(y ^ below) : x;
}

/* Scans n elements from the running value on, and returns the last one. At a head it starts anew;
 * heads NULL: there are none. */
static inline __attribute__((always_inline)) KEY FN(run)(const work *w, const KEY *in, KEY *out,
                                                         size_t n, const uint8_t *heads, KEY value,
                                                         upsweep_op op, mapping how)
{
    bool exclusive = w->s->exclusive;
    KEY neutral = (KEY)w->neutral;
    for (size_t i = 0; i < n; i++) {
        KEY x = FN(map)(&w->map, how, in[i]);
        KEY before = heads != NULL && heads[i] != 0 ? neutral : value;
        value = FN(join)(op, before, x);
        out[i] = FN(unmap)(&w->map, how, exclusive ? before : value);
    }
    return value;
}

/* Scans a tile: sums without heads by vectors, all else element by element. */
static uint64_t FN(tile)(const work *w, const void *in, void *out, size_t n, const uint8_t *heads,
                         uint64_t carry)
{
    USW_ROUTE("a tile");
    const KEY *x = in;
    KEY *y = out, value = (KEY)carry;
    switch (w->s->op) {
    case UPSWEEP_SUM:
        if (heads == NULL) {
            size_t i = 0;
#if USW_LEVEL >= 1
            if (w->stream) {
                i = usw_min(n, (64 - (uintptr_t)y % 64) % 64 / sizeof(KEY));
                value = FN(run)(w, x, y, i, NULL, value, UPSWEEP_SUM, RAW);
                /* What this thread reads next: with several threads in its next block. */
                size_t ahead = w->totals ? w->ahead * sizeof(KEY) : 2048;
                i += FN(run_sums)(x + i, y + i, n - i, w->s->exclusive, true, ahead, &value);
            } else {
                i = FN(run_sums)(x, y, n, w->s->exclusive, false, 0, &value);
            }
#endif
            return FN(run)(w, x + i, y + i, n - i, NULL, value, UPSWEEP_SUM, RAW);
        }
        return FN(run)(w, x, y, n, heads, value, UPSWEEP_SUM, RAW);
    case UPSWEEP_PRODUCT: return FN(run)(w, x, y, n, heads, value, UPSWEEP_PRODUCT, RAW);
    case UPSWEEP_AND: return FN(run)(w, x, y, n, heads, value, UPSWEEP_AND, RAW);
    case UPSWEEP_OR: return FN(run)(w, x, y, n, heads, value, UPSWEEP_OR, RAW);
    case UPSWEEP_XOR: return FN(run)(w, x, y, n, heads, value, UPSWEEP_XOR, RAW);
    default:
        return usw_type_is_float(w->s->type)
                   ? FN(run)(w, x, y, n, heads, value, UPSWEEP_LEAST, MAPPED)
                   : FN(run)(w, x, y, n, heads, value, UPSWEEP_LEAST, FLIPPED);
    }
}

static inline __attribute__((always_inline)) KEY FN(total)(const work *w, const KEY *x, size_t n,
                                                           upsweep_op op)
{
    USW_ROUTE("a total");
    KEY value = (KEY)w->neutral;
    for (size_t i = 0; i < n; i++) {
        value = FN(join)(op, value, FN(map)(&w->map, op == UPSWEEP_LEAST ? MAPPED : RAW, x[i]));
    }
    return value;
}

/* The n elements combined: the total of a block's piece. */
static uint64_t FN(sweep_up)(const work *w, const void *in, size_t n)
{
    USW_ROUTE("up");
    const KEY *x = in;
    switch (w->s->op) {
    case UPSWEEP_SUM: return FN(total)(w, x, n, UPSWEEP_SUM);
    case UPSWEEP_PRODUCT: return FN(total)(w, x, n, UPSWEEP_PRODUCT);
    case UPSWEEP_AND: return FN(total)(w, x, n, UPSWEEP_AND);
    case UPSWEEP_OR: return FN(total)(w, x, n, UPSWEEP_OR);
    case UPSWEEP_XOR: return FN(total)(w, x, n, UPSWEEP_XOR);
    default: return FN(total)(w, x, n, UPSWEEP_LEAST);
    }
}

static uint64_t FN(join_any)(upsweep_op op, uint64_t a, uint64_t b)
{
    return FN(join)(op, (KEY)a, (KEY)b);
}

static const exact_loops FN(exact) = {FN(tile), FN(sweep_up), FN(join_any)};

#endif

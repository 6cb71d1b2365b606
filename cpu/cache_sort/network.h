/* network.h - sorts up to 16 vectors of keys in registers, included once per width after
 * the header with the vector operations.
 *
 * The keys lie in `rows` vectors; what stands in one lane is a column. First all columns are sorted
 * at once by Batcher's odd-even merge network over the rows. Then neighbouring columns merge into
 * sorted pairs of columns, pairs into fours, and so on, by bitonic merges whose order runs down one
 * column after the other:
 *
 *     columns sorted     two columns one run: the first step compares
 *     0 1 2 3            key i of the left with key i of the reversed right column,
 *     | | | |            the next ones lanes at halving distance, then rows at
 *     v v v v            halving distance
 *
 * At last rows and lanes change places, since memory runs along the lanes. */
/* SPDX-License-Identifier: MIT */

#ifndef LANE_SET
#define LANE_SET M
#endif

USW_IN_REGISTERS void FN(vpair)(V *v, unsigned i, unsigned j)
{
    V a = v[i], b = v[j];
    v[i] = FN(vmin)(a, b);
    v[j] = FN(vother)(a, b, v[i]);
}

USW_IN_REGISTERS void FN(columns4)(V *v)
{
    FN(vpair)(v, 0, 1), FN(vpair)(v, 2, 3);
    FN(vpair)(v, 0, 2), FN(vpair)(v, 1, 3);
    FN(vpair)(v, 1, 2);
}

USW_IN_REGISTERS void FN(columns8)(V *v)
{
    FN(columns4)(v), FN(columns4)(v + 4);
    FN(vpair)(v, 0, 4), FN(vpair)(v, 1, 5), FN(vpair)(v, 2, 6), FN(vpair)(v, 3, 7);
    FN(vpair)(v, 2, 4), FN(vpair)(v, 3, 5);
    FN(vpair)(v, 1, 2), FN(vpair)(v, 3, 4), FN(vpair)(v, 5, 6);
}

USW_IN_REGISTERS void FN(columns16)(V *v)
{
    FN(columns8)(v), FN(columns8)(v + 8);
    USW_UNROLL for (unsigned i = 0; i < 8; i++) FN(vpair)(v, i, i + 8);
    USW_UNROLL for (unsigned i = 4; i < 8; i++) FN(vpair)(v, i, i + 4);
    FN(vpair)(v, 2, 4), FN(vpair)(v, 3, 5), FN(vpair)(v, 6, 8), FN(vpair)(v, 7, 9);
    FN(vpair)(v, 10, 12), FN(vpair)(v, 11, 13);
    USW_UNROLL for (unsigned i = 1; i < 15; i += 2) FN(vpair)(v, i, i + 1);
}

/* One step of a bitonic merge over rows: rows i and i + d for all i without bit d. */
USW_IN_REGISTERS void FN(merge_rows)(V *v, const unsigned rows, const unsigned d)
{
    USW_UNROLL for (unsigned i = 0; i < rows / 2; i++)
    {
        unsigned j = (i & ~(d - 1)) * 2 + (i & (d - 1));
        FN(vpair)(v, j, j + d);
    }
}

/* Compares lanes at distance d: the one whose number has bit d gets the greater key. */
USW_IN_REGISTERS void FN(merge_lanes)(V *v, const unsigned rows, const unsigned d)
{
    const LANE_SET upper = FN(lanes_with)(d);
    USW_UNROLL for (unsigned i = 0; i < rows; i++)
    {
        v[i] = FN(vorder)(v[i], FN(vflip)(v[i], d), upper);
    }
}

/* Merges runs of `columns` columns in pairs. */
USW_IN_REGISTERS void FN(merge_columns)(V *v, const unsigned rows, const unsigned columns)
{
    const LANE_SET upper = FN(lanes_with)(columns);
    USW_UNROLL for (unsigned i = 0; i < (rows + 1) / 2; i++)
    {
        V a = v[i], b = v[rows - 1 - i];
        v[i] = FN(vorder)(a, FN(vflip)(b, 2 * columns - 1), upper);
        v[rows - 1 - i] = FN(vorder)(b, FN(vflip)(a, 2 * columns - 1), upper);
    }
    if (columns >= 16) {
        FN(merge_lanes)(v, rows, 8);
    }
    if (columns >= 8) {
        FN(merge_lanes)(v, rows, 4);
    }
    if (columns >= 4) {
        FN(merge_lanes)(v, rows, 2);
    }
    if (columns >= 2) {
        FN(merge_lanes)(v, rows, 1);
    }
    if (rows >= 16) {
        FN(merge_rows)(v, rows, 8);
    }
    if (rows >= 8) {
        FN(merge_rows)(v, rows, 4);
    }
    if (rows >= 4) {
        FN(merge_rows)(v, rows, 2);
    }
    if (rows >= 2) {
        FN(merge_rows)(v, rows, 1);
    }
}

/* Merges all columns into one run. Written out, since compilers do not unroll a loop over
 * unrolled loops, and then move registers about. */
USW_IN_REGISTERS void FN(merge_all)(V *v, const unsigned rows)
{
    FN(merge_columns)(v, rows, 1);
    if (LANES > 2) {
        FN(merge_columns)(v, rows, 2);
    }
    if (LANES > 4) {
        FN(merge_columns)(v, rows, 4);
    }
    if (LANES > 8) {
        FN(merge_columns)(v, rows, 8);
    }
    if (LANES > 16) {
        FN(merge_columns)(v, rows, 16);
    }
}

/* Sorts the keys of one vector. */
USW_IN_REGISTERS void FN(merge_one)(V *v)
{
    FN(merge_all)(v, 1);
}

/* Exchanges the bit d of the row number with the bit d of the lane number. */
USW_IN_REGISTERS void FN(exchange)(V *v, const unsigned rows, const unsigned d)
{
    const LANE_SET first = FN(lanes_without)(d), second = FN(lanes_with)(d);
    USW_UNROLL for (unsigned i = 0; i < rows / 2; i++)
    {
        unsigned j = (i & ~(d - 1)) * 2 + (i & (d - 1));
        V a = v[j], b = v[j + d];
        v[j] = FN(vpick_flip)(a, b, d, second);
        v[j + d] = FN(vpick_flip)(b, a, d, first);
    }
}

/* Rearranges the keys from column order to memory order; vector i then belongs at place
 * (i % LANES) * (rows / LANES) + i / LANES if there are more rows than lanes, else at place i. */
USW_IN_REGISTERS void FN(transpose)(V *v, const unsigned rows)
{
    if (rows > 1 && rows < LANES) {
        unsigned char from[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            from[i] = (unsigned char)(i % rows * (LANES / rows) + i / rows);
        }
        V index = FN(vindex)(from);
        USW_UNROLL for (unsigned i = 0; i < rows; i++) v[i] = FN(vpermute)(v[i], index);
    }
    if (rows >= 2) {
        FN(exchange)(v, rows, 1);
    }
    if (rows >= 4 && LANES >= 4) {
        FN(exchange)(v, rows, 2);
    }
    if (rows >= 8 && LANES >= 8) {
        FN(exchange)(v, rows, 4);
    }
    if (rows >= 16 && LANES >= 16) {
        FN(exchange)(v, rows, 8);
    }
}

/* How many of n keys are in the vector that begins with key number `at`. */
static inline size_t FN(keys_at)(size_t n, size_t at)
{
    size_t left = n > at ? n - at : 0;
    return left < LANES ? left : LANES;
}

#ifdef JOINS
#if USW_LEVEL == 2
/* As many lanes of a, then b, as end with the first `count` of b. */
static inline V FN(vjoin)(V a, V b, size_t count)
{
    unsigned char lane[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        lane[i] = (unsigned char)i;
    }
    V from = ELEMENT(add)(FN(vindex)(lane), FN(vset)((KEY)count));
    return ELEMENT(permutex2var)(a, from, b);
}
#endif

/* Stores n keys, v[0 .. rows - 1] in order, of which those from half of the rows on may be missing,
 * by whole vectors: the last ones overlap. */
USW_IN_REGISTERS void FN(store_joined)(KEY *k, size_t n, const V *v, const unsigned rows)
{
    V last = v[rows / 2 - 1];
    KEY *to = k + (rows / 2 - 1) * LANES;
    USW_UNROLL for (unsigned i = 0; i < rows / 2; i++) FN(vstore)(k + i * LANES, v[i]);
    USW_UNROLL for (unsigned i = rows / 2; i < rows; i++)
    {
        size_t count = FN(keys_at)(n, i * LANES);
        last = FN(vjoin)(last, v[i], count);
        FN(vstore)(to += count, last);
    }
}
#endif

/* Sorts n keys, of which the last vector or the last half of the vectors may be missing. No branch
 * but one depends on n, which within a quicksort is as good as random. `mapped`: the order is that
 * of the mapped keys. */
USW_IN_REGISTERS void FN(sort_rows)(KEY *k, size_t n, const unsigned rows, const bool mapped,
                                    const usw_keymap *map)
{
    V v[16];
    USW_UNROLL for (unsigned i = 0; i < rows; i++)
    {
        size_t at = i * LANES;
        v[i] = i < rows / 2 ? FN(vload)(k + at)
                            : FN(vload_some)(at < n ? k + at : k, FN(keys_at)(n, at));
    }
#ifdef MAPS
    for (unsigned i = 0; mapped && i < rows; i++) {
        v[i] = FN(vmap_some)(v[i], FN(vmap_of)(map), FN(keys_at)(n, i * LANES));
    }
#endif
    (void)mapped, (void)map;
#ifdef TURNS
    USW_UNROLL for (unsigned i = 0; i < rows; i++) v[i] = FN(vturn)(v[i]);
#endif
    if (rows == 2) {
        FN(vpair)(v, 0, 1);
    } else if (rows == 4) {
        FN(columns4)(v);
    } else if (rows == 8) {
        FN(columns8)(v);
    } else if (rows == 16) {
        FN(columns16)(v);
    }
    FN(merge_all)(v, rows);
    FN(transpose)(v, rows);
#ifdef TURNS
    USW_UNROLL for (unsigned i = 0; i < rows; i++) v[i] = FN(vturn)(v[i]);
#endif
#ifdef JOINS
    /* A masked store holds up the loads of what lies behind it, such as the next of many short
     * arrays. Ranges of a quicksort, for which this branch is as good as random, have more rows. */
    if ((rows == 2 || (rows == 4 && (USW_LEVEL == 2 || KEY_BITS == 32))) && n % LANES != 0) {
#ifdef MAPS
        for (unsigned i = 0; mapped && i < rows; i++) {
            v[i] = FN(vunmap)(v[i], FN(vmap_of)(map));
        }
#endif
        FN(store_joined)(k, n, v, rows);
        return;
    }
#if USW_LEVEL == 1
    if (rows == 1 && n >= LANES / 2) {
#ifdef MAPS
        v[0] = mapped ? FN(vunmap)(v[0], FN(vmap_of)(map)) : v[0];
#endif
        FN(vstore_pieces)(k, v[0], n);
        return;
    }
#endif
#endif
    const unsigned stack = rows > LANES ? rows / LANES : 1;
    USW_UNROLL for (unsigned i = 0; i < rows; i++)
    {
        unsigned place = stack > 1 ? i % LANES * stack + i / LANES : i;
        size_t at = place * LANES;
#ifdef MAPS
        v[i] = mapped ? FN(vunmap)(v[i], FN(vmap_of)(map)) : v[i];
#endif
        if (place < rows / 2) {
            FN(vstore)(k + at, v[i]);
        } else {
            FN(vstore_some)(at < n ? k + at : k, v[i], FN(keys_at)(n, at));
        }
    }
}

/* Sorts n <= 16 * LANES keys. */
USW_IN_REGISTERS void FN(sort_any)(KEY *k, size_t n, const bool mapped, const usw_keymap *map)
{
    if (n <= LANES) {
        USW_ROUTE_IF(!mapped, "1 rows of vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(mapped, "1 rows of vectors, mapped", USW_ROUTE_DEFAULT);
        FN(sort_rows)(k, n, 1, mapped, map);
    } else if (n <= 2 * LANES) {
        USW_ROUTE_IF(!mapped, "2 rows of vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(mapped, "2 rows of vectors, mapped", USW_ROUTE_DEFAULT);
        FN(sort_rows)(k, n, 2, mapped, map);
    } else if (n <= 4 * LANES) {
        USW_ROUTE_IF(!mapped, "4 rows of vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(mapped, "4 rows of vectors, mapped", USW_ROUTE_DEFAULT);
        FN(sort_rows)(k, n, 4, mapped, map);
    } else if (n <= 8 * LANES) {
        USW_ROUTE_IF(!mapped, "8 rows of vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(mapped, "8 rows of vectors, mapped", USW_ROUTE_DEFAULT);
        FN(sort_rows)(k, n, 8, mapped, map);
    } else {
        USW_ROUTE_IF(!mapped, "16 rows of vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(mapped, "16 rows of vectors, mapped", USW_ROUTE_DEFAULT);
        FN(sort_rows)(k, n, 16, mapped, map);
    }
}

/* Whether n keys sort sooner in vectors of half the width. These save steps across lanes where a
 * processor works on halves in any case; on other processors only if one of them holds all keys. */
#undef BY_HALVES
#ifdef HALF_BASE
#define BY_HALVES(n) ((n) <= LANES / 2 || ((n) <= HALF_BASE && usw_halves_vectors()))
#endif

static void FN(base_sort)(KEY *k, size_t n)
{
#ifdef HALF_BASE
    if (BY_HALVES(n)) {
        HALF(base_sort)(k, n);
        return;
    }
#endif
#ifdef BY_BLOCKS
    if (n > 16 * LANES) {
        FN(sort_many)(k, n);
        return;
    }
#endif
    FN(sort_any)(k, n, false, NULL);
}

#ifdef MAPS
static void FN(base_sort_mapped)(KEY *k, size_t n, const usw_keymap *map)
{
#ifdef HALF_BASE
    if (BY_HALVES(n)) {
        HALF(base_sort_mapped)(k, n, map);
        return;
    }
#endif
    FN(sort_any)(k, n, true, map);
}
#endif

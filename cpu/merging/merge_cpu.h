/* merge_cpu.h - merges two sorted lists of unsigned keys, a vector at a time.
 *
 * The step of vector merge sort: two sorted vectors are split into the lowest and the highest half
 * of their keys, low = min(a, reverse b), high = max(a, reverse b), and each half, which is
 * bitonic, is sorted inside the vector by a halving cascade of compare-exchanges. low is output,
 * high stays, and the next vector comes from the list with the smaller head. A merge is cut at
 * its middle rank and the two halves advance in turn, since a step waits for the one before it.
 * Where an instruction set has no vectors for the width, keys are merged one by one, with no branch
 * on the keys. Lists that are not sorted give a permutation: steps only move keys to out. Source:
 * Inoue et al., "AA-Sort", PACT 2007; Chhugani et al., VLDB 2008; merge path: Odeh, Green, Mwassi,
 * Shmueli and Birk, 2012. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#undef LANES
#undef VEC
#if USW_LEVEL == 2 && KEY_BITS <= 64
#define VEC __m512i
#define LANES (512 / KEY_BITS)
#elif USW_LEVEL == 1 && KEY_BITS == 32
#define VEC __m256i
#define LANES 8
#endif

#ifndef USW_CPU_MERGING_MERGE_CPU_H
#define USW_CPU_MERGING_MERGE_CPU_H
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
/* _mm512_min_epu32 and its like, for the width at hand. */
#define WIDE(stem) GLUE(stem, KEY_BITS)
#endif

/* ---- the cut: how many of the first `rank` keys of the merge come from a ---- */

static size_t FN(split)(const void *list_a, size_t na, const void *list_b, size_t nb, size_t rank)
{
    const KEY *a = list_a, *b = list_b;
    size_t low = rank > nb ? rank - nb : 0, high = rank < na ? rank : na;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a[middle] <= b[rank - 1 - middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- key by key ---- */

typedef struct FN(lists) {
    const KEY *a, *a_end, *b, *b_end;
    KEY *out;
} FN(lists);

static inline void FN(move_one)(FN(lists) * l)
{
    KEY x = *l->a, y = *l->b;
    bool right = y < x;
    *l->out++ = right ? y : x;
    l->a += !right;
    l->b += right;
}

/* How many keys can be moved before either list may be empty. */
static inline size_t FN(safe_moves)(const FN(lists) * l)
{
    return usw_min((size_t)(l->a_end - l->a), (size_t)(l->b_end - l->b));
}

static inline void FN(merge_key_by_key)(FN(lists) * l)
{
    for (size_t m; (m = FN(safe_moves)(l)) > 0;) {
        for (; m > 0; m--) {
            FN(move_one)(l);
        }
    }
    size_t left_a = (size_t)(l->a_end - l->a), left_b = (size_t)(l->b_end - l->b);
    memmove(l->out, l->a, left_a * sizeof(KEY));
    memmove(l->out + left_a, l->b, left_b * sizeof(KEY));
}

#ifdef VEC
/* ---- vector by vector ---- */

#if USW_LEVEL == 2

static inline VEC FN(load)(const KEY *at)
{
    return _mm512_loadu_si512(at);
}

static inline void FN(store)(KEY *at, VEC x)
{
    _mm512_storeu_si512(at, x);
}

static inline VEC FN(iota)(void)
{
    KEY lane[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        lane[i] = (KEY)i;
    }
    return FN(load)(lane);
}

static inline VEC FN(swapped)(VEC x, unsigned distance)
{
    VEC from = _mm512_xor_si512(FN(iota)(),
                                WIDE(_mm512_set1_epi)((GLUE(GLUE(int, KEY_BITS), _t))distance));
    return WIDE(_mm512_permutexvar_epi)(from, x);
}

static inline VEC FN(least)(VEC x, VEC y)
{
    return WIDE(_mm512_min_epu)(x, y);
}

static inline VEC FN(greatest)(VEC x, VEC y)
{
    return WIDE(_mm512_max_epu)(x, y);
}

/* Lanes i and i + distance are compare-exchanged; upper has the lanes that keep the greater. */
static inline VEC FN(exchange)(VEC x, unsigned distance, uint64_t upper)
{
    VEC y = FN(swapped)(x, distance);
    return WIDE(_mm512_mask_max_epu)(FN(least)(x, y), (USW_LANE_MASK)upper, x, y);
}
#else
static inline VEC FN(load)(const KEY *at)
{
    return _mm256_loadu_si256((const VEC *)(const void *)at);
}

static inline void FN(store)(KEY *at, VEC x)
{
    _mm256_storeu_si256((VEC *)(void *)at, x);
}

static inline VEC FN(swapped)(VEC x, unsigned distance)
{
    VEC lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_permutevar8x32_epi32(x,
                                       _mm256_xor_si256(lanes, _mm256_set1_epi32((int)distance)));
}

static inline VEC FN(least)(VEC x, VEC y)
{
    return _mm256_min_epu32(x, y);
}

static inline VEC FN(greatest)(VEC x, VEC y)
{
    return _mm256_max_epu32(x, y);
}

static inline VEC FN(exchange)(VEC x, unsigned distance, uint64_t upper)
{
    VEC y = FN(swapped)(x, distance), low = FN(least)(x, y), high = FN(greatest)(x, y);
    (void)upper;
    return distance == 4   ? _mm256_blend_epi32(low, high, 0xF0)
           : distance == 2 ? _mm256_blend_epi32(low, high, 0xCC)
                           : _mm256_blend_epi32(low, high, 0xAA);
}
#endif

/* Sorts a bitonic vector. */
static inline VEC FN(order_bitonic)(VEC x)
{
#if LANES >= 64
    x = FN(exchange)(x, 32, UINT64_C(0xFFFFFFFF00000000));
#endif
#if LANES >= 32
    x = FN(exchange)(x, 16, UINT64_C(0xFFFF0000FFFF0000));
#endif
#if LANES >= 16
    x = FN(exchange)(x, 8, UINT64_C(0xFF00FF00FF00FF00));
#endif
    x = FN(exchange)(x, 4, UINT64_C(0xF0F0F0F0F0F0F0F0));
    x = FN(exchange)(x, 2, UINT64_C(0xCCCCCCCCCCCCCCCC));
    return FN(exchange)(x, 1, UINT64_C(0xAAAAAAAAAAAAAAAA));
}

/* Splits two sorted vectors into their lowest keys, which are output, and their highest. */
static inline VEC FN(split_low_high)(VEC a, VEC b, KEY *out)
{
    VEC reversed = FN(swapped)(b, LANES - 1);
    FN(store)(out, FN(order_bitonic)(FN(least)(a, reversed)));
    return FN(order_bitonic)(FN(greatest)(a, reversed));
}

static inline VEC FN(first_vectors)(FN(lists) * l)
{
    VEC high = FN(split_low_high)(FN(load)(l->a), FN(load)(l->b), l->out);
    l->a += LANES;
    l->b += LANES;
    l->out += LANES;
    return high;
}

static inline VEC FN(next_vector)(FN(lists) * l, VEC high)
{
    bool right = *l->b < *l->a;
    /* Prefetches the line that is written 4 KB later, which need not be in the array. */
    _mm_prefetch((const char *)((uintptr_t)l->out + 4096), _MM_HINT_T1);
    VEC next = FN(load)(right ? l->b : l->a);
    l->a += right ? 0 : LANES;
    l->b += right ? LANES : 0;
    high = FN(split_low_high)(high, next, l->out);
    l->out += LANES;
    return high;
}

/* Merges while both lists have whole vectors. Then `high` and the list with less than a vector left
 * become one short list, which is merged with the other list key by key. */
static inline void FN(last_vectors)(FN(lists) * l, VEC high)
{
    for (size_t m; (m = FN(safe_moves)(l) / LANES) > 0;) {
        for (; m > 0; m--) {
            high = FN(next_vector)(l, high);
        }
    }
    KEY kept[LANES], both[2 * LANES];
    FN(store)(kept, high);
    bool a_short = l->a_end - l->a < LANES;
    const KEY *short_at = a_short ? l->a : l->b, *short_end = a_short ? l->a_end : l->b_end;
    FN(lists) tail = {kept, kept + LANES, short_at, short_end, both};
    FN(merge_key_by_key)(&tail);
    const KEY *both_end = both + LANES + (short_end - short_at);
    *l = a_short ? (FN(lists)){both, both_end, l->b, l->b_end, l->out}
                 : (FN(lists)){l->a, l->a_end, both, both_end, l->out};
    FN(merge_key_by_key)(l);
}

static inline bool FN(has_vectors)(const FN(lists) * l)
{
    return FN(safe_moves)(l) >= LANES;
}

static void FN(merge_one)(FN(lists) * l)
{
    if (FN(has_vectors)(l)) {
        USW_ROUTE("one merge by vectors");
        VEC high = FN(first_vectors)(l);
        FN(last_vectors)(l, high);
    } else {
        USW_ROUTE("one merge key by key");
        FN(merge_key_by_key)(l);
    }
}

static void FN(merge_two)(FN(lists) * l, FN(lists) * r)
{
    if (!FN(has_vectors)(l) || !FN(has_vectors)(r)) {
        FN(merge_one)(l);
        FN(merge_one)(r);
        return;
    }
    USW_ROUTE("two merges by vectors");
    FN(lists) x = *l, y = *r;
    VEC high_x = FN(first_vectors)(&x), high_y = FN(first_vectors)(&y);
    for (size_t m; (m = usw_min(FN(safe_moves)(&x), FN(safe_moves)(&y)) / LANES) > 0;) {
        for (; m > 0; m--) {
            high_x = FN(next_vector)(&x, high_x);
            high_y = FN(next_vector)(&y, high_y);
        }
    }
    FN(last_vectors)(&x, high_x);
    FN(last_vectors)(&y, high_y);
}

#else

static void FN(merge_one)(FN(lists) * l)
{
    FN(merge_key_by_key)(l);
}

static void FN(merge_two)(FN(lists) * l, FN(lists) * r)
{
    FN(lists) x = *l, y = *r;
    for (size_t m; (m = usw_min(FN(safe_moves)(&x), FN(safe_moves)(&y))) > 0;) {
        for (; m > 0; m--) {
            FN(move_one)(&x);
            FN(move_one)(&y);
        }
    }
    FN(merge_key_by_key)(&x);
    FN(merge_key_by_key)(&y);
}
#endif

/* ---- the whole ---- */

static void FN(merge_over)(const void *list_a, size_t na, const void *list_b, size_t nb, void *out)
{
    const KEY *a = list_a, *b = list_b;
    FN(lists) l = {a, a + na, b, b + nb, out};
    USW_ROUTE("a merge from below");
    if (na > 0 && nb > 0 && a[na - 1] > b[0]) {
        FN(merge_one)(&l);
    } else {
        memmove(out, a, na * sizeof(KEY));
        memmove((KEY *)out + na, b, nb * sizeof(KEY));
    }
}

static void FN(merge)(const void *list_a, size_t na, const void *list_b, size_t nb, void *list_out)
{
    enum { TWO_FROM = 128 }; /* keys; for fewer the search for the middle costs too much */
    const KEY *a = list_a, *b = list_b;
    KEY *out = list_out;
    if (na == 0 || nb == 0 || a[na - 1] <= b[0]) {
        USW_ROUTE("lists in order");
        memcpy(out, a, na * sizeof(KEY));
        memcpy(out + na, b, nb * sizeof(KEY));
    } else if (b[nb - 1] < a[0]) {
        USW_ROUTE("lists exchanged");
        memcpy(out, b, nb * sizeof(KEY));
        memcpy(out + nb, a, na * sizeof(KEY));
    } else if (na + nb < TWO_FROM) {
        USW_ROUTE("a short merge");
        FN(lists) l = {a, a + na, b, b + nb, out};
        FN(merge_one)(&l);
    } else {
        USW_ROUTE("two merges side by side");
        size_t rank = (na + nb) / 2, i = FN(split)(a, na, b, nb, rank), j = rank - i;
        FN(lists) l = {a, a + i, b, b + j, out};
        FN(lists) r = {a + i, a + na, b + j, b + nb, out + rank};
        FN(merge_two)(&l, &r);
    }
}

#if KEY_BITS == 128
#define ALL(name)                                                                                  \
    {                                                                                              \
        name##_u8, name##_u16, name##_u32, name##_u64, name##_u128                                 \
    }
const usw_merge_steps USW_SYMBOL(usw_merge_steps) = {
    .merge = ALL(merge),
    .merge_over = ALL(merge_over),
    .split = ALL(split),
};
#endif

/* merge_cpu.h - merges two sorted lists of unsigned keys, a vector at a time.
 *
 * The step of vector merge sort: two sorted vectors are split into the lowest and the highest half
 * of their keys (merge_vectors.h). The lowest are output, the highest stay, and the next vector
 * comes from the list with the smaller head. A merge is cut into two or four of equal length, which
 * advance in turn, since a step waits for the one before it and takes four times as long as its
 * instructions do.
 * Where an instruction set has no vectors for the width, keys are merged one by one, with no branch
 * on the keys. Lists that are not sorted give a permutation: steps only move keys to out. Source:
 * Inoue et al., "AA-Sort", PACT 2007; Chhugani et al., VLDB 2008; merge path: Odeh, Green, Mwassi,
 * Shmueli and Birk, 2012. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#include "cpu/merging/merge_vectors.h"

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

enum { FN(WAYS) = 4 }; /* merges side by side, at most */

typedef struct FN(lists) {
    const KEY *a, *a_end, *b, *b_end;
    KEY *out;
} FN(lists);

/* How many keys can be moved before either list may be empty. */
static inline size_t FN(safe_moves)(const FN(lists) * l)
{
    return usw_min((size_t)(l->a_end - l->a), (size_t)(l->b_end - l->b));
}

#ifdef VEC
/* ---- vector by vector ---- */

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

/* Merges the lists and `high`, the last `filled` keys of which are none. Lists are filled up to
 * whole vectors with greatest keys, which come out last: those behind the array go to `last`. They
 * do so whatever the other keys are, since where alone they would end up each place has a greatest
 * key if more keys are greatest ones, too: a network of exchanges is monotone. So nothing is lost
 * of lists that are not sorted. */
static void FN(last_vectors)(FN(lists) * l, VEC high, size_t filled)
{
    KEY last[3 * LANES], *spare = last, *kept = last + 2 * LANES;
    for (size_t m; (m = FN(safe_moves)(l) / LANES) > 0;) {
        for (; m > 0; m--) {
            high = FN(next_vector)(l, high);
        }
    }
    size_t na = (size_t)(l->a_end - l->a), nb = (size_t)(l->b_end - l->b);
    size_t left = LANES - filled + na + nb;
    while (na + nb > 0) {
        bool right = na == 0 || (nb > 0 && *l->b < *l->a), fits = left >= LANES;
        const KEY *from = right ? l->b : l->a;
        size_t n = usw_min(right ? nb : na, LANES), real = LANES - filled;
        if ((na == 0 || nb == 0) && spare == last) { /* the rest of a list may be behind all */
            FN(store)(kept, high);
            if (kept[real - 1] <= *from) {
                memcpy(l->out, kept, real * sizeof(KEY));
                memmove(l->out + real, from, (na + nb) * sizeof(KEY));
                return;
            }
        }
        VEC next = n == LANES ? FN(load)(from) : FN(load_some)(from, n);
        high = FN(split_low_high)(high, next, fits ? l->out : spare);
        filled += LANES - n;
        *(right ? &l->b : &l->a) += n;
        *(right ? &nb : &na) -= n;
        *(fits ? &l->out : &spare) += LANES;
        left -= fits ? LANES : 0;
    }
    FN(store)(spare, high);
    memcpy(l->out, last, left * sizeof(KEY));
}

static inline bool FN(has_vectors)(const FN(lists) * l)
{
    return FN(safe_moves)(l) >= LANES;
}

static void FN(merge_one)(FN(lists) * l)
{
    size_t na = (size_t)(l->a_end - l->a), nb = (size_t)(l->b_end - l->b);
    size_t n = usw_min(na > 0 ? na : nb, LANES);
    const KEY **from = na > 0 ? &l->a : &l->b;
    USW_ROUTE("one merge by vectors");
    if (n > 0) {
        VEC high = n == LANES ? FN(load)(*from) : FN(load_some)(*from, n);
        *from += n;
        FN(last_vectors)(l, high, LANES - n);
    }
}

/* All of the lists advance in turn. */
static inline void FN(merge_in_turn)(FN(lists) * lists, const unsigned ways)
{
    FN(lists) l[FN(WAYS)];
    VEC high[FN(WAYS)];
    bool vectors = true;
    for (unsigned w = 0; w < ways; w++) {
        vectors &= FN(has_vectors)(&lists[w]);
    }
    for (unsigned w = 0; w < ways && !vectors; w++) {
        FN(merge_one)(&lists[w]);
    }
    if (!vectors) {
        return;
    }
    for (unsigned w = 0; w < ways; w++) {
        l[w] = lists[w];
        high[w] = FN(first_vectors)(&l[w]);
    }
    for (;;) {
        size_t m = SIZE_MAX;
        for (unsigned w = 0; w < ways; w++) {
            m = usw_min(m, FN(safe_moves)(&l[w]) / LANES);
        }
        if (m == 0) {
            break;
        }
        for (; m > 0; m--) {
            for (unsigned w = 0; w < ways; w++) {
                high[w] = FN(next_vector)(&l[w], high[w]);
            }
        }
    }
    for (unsigned w = 0; w < ways; w++) {
        FN(last_vectors)(&l[w], high[w], 0);
    }
}

#else
/* ---- key by key ---- */

static inline void FN(move_one)(FN(lists) * l)
{
    KEY x = *l->a, y = *l->b;
    bool right = y < x;
    *l->out++ = right ? y : x;
    l->a += !right;
    l->b += right;
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

static void FN(merge_one)(FN(lists) * l)
{
    FN(merge_key_by_key)(l);
}

static inline void FN(merge_in_turn)(FN(lists) * l, const unsigned ways)
{
    for (;;) {
        size_t m = SIZE_MAX;
        for (unsigned w = 0; w < ways; w++) {
            m = usw_min(m, FN(safe_moves)(&l[w]));
        }
        if (m == 0) {
            break;
        }
        for (; m > 0; m--) {
            for (unsigned w = 0; w < ways; w++) {
                FN(move_one)(&l[w]);
            }
        }
    }
    for (unsigned w = 0; w < ways; w++) {
        FN(merge_key_by_key)(&l[w]);
    }
}
#endif

/* Cuts a merge into two of equal length. */
static inline void FN(halve)(const FN(lists) * l, FN(lists) * half)
{
    size_t na = (size_t)(l->a_end - l->a), nb = (size_t)(l->b_end - l->b), rank = (na + nb) / 2;
    const KEY *a = l->a + FN(split)(l->a, na, l->b, nb, rank),
              *b = l->b + (rank - (size_t)(a - l->a));
    half[0] = (FN(lists)){l->a, a, l->b, b, l->out};
    half[1] = (FN(lists)){a, l->a_end, b, l->b_end, l->out + rank};
}

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
    enum { TWO_FROM = 128, FOUR_FROM = 1024 }; /* keys; for fewer the searches cost too much */
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
    } else {
        FN(lists) l = {a, a + na, b, b + nb, out}, half[2], quarter[FN(WAYS)];
        if (na + nb < TWO_FROM) {
            USW_ROUTE("a short merge");
            FN(merge_one)(&l);
            return;
        }
        FN(halve)(&l, half);
        if (na + nb < FOUR_FROM) {
            USW_ROUTE("two merges side by side");
            FN(merge_in_turn)(half, 2);
            return;
        }
        USW_ROUTE("four merges side by side");
        FN(halve)(&half[0], quarter);
        FN(halve)(&half[1], quarter + 2);
        FN(merge_in_turn)(quarter, FN(WAYS));
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

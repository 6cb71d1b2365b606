/* double_keys.h - sorts doubles by comparing doubles and not mapped integers: no key is mapped, and
 * with AVX2 a pair takes two instructions instead of three. For plain doubles only, neither NaN nor
 * -0: the minimum and the maximum of two plain doubles are always the two, and plain doubles that
 * compare equal have the same bits. */
/* SPDX-License-Identifier: MIT */

#include "cpu/cache_sort/float_state.h"

#undef FN
#define FN(name) name##_f64
#define DOUBLES 1
#include "cpu/cache_sort/key_order.h"
#if USW_LEVEL == 2
#include "cpu/cache_sort/vectors_avx512.h"
#else
#include "cpu/cache_sort/vectors_avx2.h"
#endif
#include "cpu/cache_sort/network.h"
#include "cpu/cache_sort/merge_blocks.h"
#include "cpu/cache_sort/partition_vectors.h"
#include "cpu/cache_sort/quicksort.h"
#include "cpu/cache_sort/short_arrays_order.h"

/* Whether one of n keys is not plain. Compares integers: comparing doubles would raise flags of the
 * floating-point state. */
static inline bool others_among(const uint64_t *k, size_t n)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++) {
        found |= (int64_t)(k[i] & ~sign) > (int64_t)KEY_GREATEST || k[i] == sign ? UINT64_MAX : 0;
    }
    return found != 0;
}

static bool plain_doubles(const void *keys, size_t n)
{
    enum { BLOCK = 64 }; /* a constant: a loop of vectors alone */
    const uint64_t *k = keys;
    if (n < BLOCK) {
        return !others_among(k, n);
    }
    bool others = others_among(k + n - BLOCK, BLOCK);
    for (size_t i = 0; i + BLOCK <= n && !others; i += BLOCK) {
        others = others_among(k + i, BLOCK);
    }
    return !others;
}

/* ---- the steps on doubles ---- */

USW_NOINLINE static void sort_numbers(KEY *k, size_t n)
{
    FN(vsort)(k, n);
}

#if USW_LEVEL == 1
USW_NOINLINE static void select_numbers(KEY *keys, size_t n, size_t k)
{
    FN(vselect)(keys, n, k, NULL);
}
#endif

USW_NOINLINE static size_t partition_numbers(KEY *k, size_t n, KEY pivot)
{
    return FN(partition)(k, n, pivot);
}

USW_NOINLINE static usw_shape sort_few_numbers(KEY *k, size_t n)
{
    return FN(sort_shaped)(k, n);
}

/* ---- the steps in the usual floating-point state (float_state.h) ---- */

static void sort_doubles(void *keys, size_t n)
{
    unsigned state = begin_usual();
    sort_numbers(keys, n);
    end_usual(state);
}

#if USW_LEVEL == 1
/* False, with nothing done, if a key is not plain or the map is not that of rising doubles. */
static bool select_doubles(void *keys, size_t n, size_t k, const usw_keymap *map)
{
    if (!keeps_double_order(map) || !plain_doubles(keys, n)) {
        return false;
    }
    unsigned state = begin_usual();
    select_numbers(keys, n, k);
    end_usual(state);
    return true;
}
#endif

/* n >= PARTITION_MIN keys. */
static size_t partition_doubles(void *keys, size_t n, const void *pivot)
{
    KEY p;
    memcpy(&p, pivot, sizeof p);
    unsigned state = begin_usual();
    size_t left = partition_numbers(keys, n, p);
    end_usual(state);
    return left;
}

/* n <= USW_SMALL keys. */
static usw_shape sort_small_doubles(void *keys, size_t n)
{
    unsigned state = begin_usual();
    usw_shape shape = sort_few_numbers(keys, n);
    end_usual(state);
    return shape;
}

#undef DOUBLES
#define MAPS 1 /* of integers, again */
#if USW_LEVEL == 2
#define HALF_BASE 64
#endif
#undef FN
#define FN(name) name##_u64
#include "cpu/cache_sort/key_order.h"

/* sort_quick_cpu.h - vector quicksort, CPU form: in place, by one thread or by all.
 *
 * Same as the explained form: vectors of keys are compressed to both sides of a pivot, and a
 * network sorts the last few. Differs: a thread sorts one side of a cut before it cuts the other,
 * so that the keys stay in its cache; pivots come from larger samples; where many pivots were bad,
 * heap sort takes over. Few keys are sorted by one thread (cpu/cache_sort); of many, all threads
 * partition ranges until each has its own (cpu/buckets/quicksort_in_place.h). Keys of 8 bits are
 * counted, by one thread. Where an instruction set compares signed integers or doubles faster than
 * unsigned integers, such keys are sorted as they are, without a map. Keys that no vector serves
 * (portable code, 128 bits) are partitioned one by one, without a branch on the key.
 *
 * Source: C. A. R. Hoare, Quicksort (1962); for the vectors see cpu/cache_sort/cache_sort_cpu.h. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"
#include "cpu/cache_sort/key_order.h"
#include "cpu/patterns/patterns.h"

#if KEY_BITS == 8
static void FN(sort_in_place)(upsweep *u, KEY *keys, size_t n)
{
    (void)u;
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](keys, n);
}
#else
#include "cpu/buckets/quicksort_in_place.h"
#endif

#ifdef SORTS_SIGNED /* once more for signed integers */
#undef FN
#define FN(name) SIGNED_FN(name)
#define SIGNED_ORDER 1
#include "cpu/cache_sort/key_order.h"
#include "cpu/buckets/quicksort_in_place.h"
#undef SIGNED_ORDER
#undef FN
#define FN(name) UNSIGNED_FN(name)
#include "cpu/cache_sort/key_order.h"
#endif
#if KEY_BITS == 64 && defined(SORTS_DOUBLES) /* and for plain doubles */
#undef FN
#define FN(name) name##_f64
#define DOUBLES 1
#include "cpu/cache_sort/key_order.h"
#include "cpu/buckets/quicksort_in_place.h"
#undef DOUBLES
#undef FN
#define FN(name) name##_u64
#include "cpu/cache_sort/key_order.h"

enum { SEARCH_KEYS = 64 * 1024 }; /* that one task looks through for doubles that are not plain */

typedef struct plain_search {
    const uint64_t *keys;
    size_t n;
    atomic_bool other; /* some are not plain */
} plain_search;

static void search_chunk(void *context, size_t i, unsigned lane)
{
    plain_search *s = context;
    size_t begin = i * SEARCH_KEYS;
    (void)lane;
    if (!atomic_load(&s->other) &&
        !USW_SYMBOL(usw_cache_sort_steps)
             .plain_doubles(s->keys + begin, usw_min(SEARCH_KEYS, s->n - begin))) {
        atomic_store(&s->other, true);
    }
}

static bool are_plain(upsweep *u, const uint64_t *keys, size_t n)
{
    plain_search s = {.keys = keys, .n = n};
    usw_parallel(u, usw_div_up(n, SEARCH_KEYS), search_chunk, &s);
    return !atomic_load(&s.other);
}
#endif

static upsweep_status FN(sort_raw)(upsweep *u, void *keys, size_t n, const usw_keymap *map)
{
    map = map == NULL || usw_keymap_is_identity(map) ? NULL : map;
#ifdef SORTS_SIGNED
    if (map != NULL && keeps_signed_order(map)) {
        USW_ROUTE_OF("in signed order", USW_SIGNED);
        SIGNED_FN(sort_in_place)(u, keys, n);
        return UPSWEEP_OK;
    }
#endif
#if KEY_BITS == 64 && defined(SORTS_DOUBLES)
    if (map != NULL && doubles_pay() && keeps_double_order(map) && are_plain(u, keys, n)) {
        USW_ROUTE_OF("plain doubles", USW_TYPE_BIT(UPSWEEP_F64));
        sort_in_place_f64(u, keys, n);
        return UPSWEEP_OK;
    }
#endif
    USW_ROUTE("in unsigned order");
    if (map != NULL) {
        usw_map_keys(u, keys, n, USW_WIDTH, map, false);
    }
    FN(sort_in_place)(u, keys, n);
    if (map != NULL) {
        usw_map_keys(u, keys, n, USW_WIDTH, map, true);
    }
    return UPSWEEP_OK;
}

#if KEY_BITS < 128
/* As a form is asked; the sort is in place in any case. */
static upsweep_status FN(sort_mapped)(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                      bool in_place)
{
    (void)in_place;
    return FN(sort_raw)(u, keys, n, map);
}
#endif

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    (void)bit_begin, (void)bit_end;
    return FN(sort_raw)(u, keys, n, NULL);
}

#if KEY_BITS == 128
const usw_quick_steps USW_SYMBOL(usw_quick_steps) = {
    .sort = {sort_raw_u8, sort_raw_u16, sort_raw_u32, sort_raw_u64, sort_raw_u128}};
USW_SORT_FORM(sort_quick, .in_place = true,
              .sort_mapped = {sort_mapped_u8, sort_mapped_u16, sort_mapped_u32, sort_mapped_u64})
#endif

/* cache_sort_cpu.h - the sort of keys that fit the cache: a quicksort whose steps are vector
 * operations. Keys of 8 bits are counted instead.
 *
 * Partition: a vector of keys is compared with the pivot, the keys that go left and those that go
 * right are compressed to the two ends of the range, without one branch that depends on a key.
 * Short ranges are loaded into registers and sorted there by a network (columns first, then bitonic
 * merges across lanes). What cannot be vectorised on an instruction set takes the scalar steps
 * instead.
 *
 * Sources: C. A. R. Hoare, Quicksort (1962); K. E. Batcher, Sorting networks and their applications
 * (1968); the use of vector compression for the partition is known from S. Gueron and V. Krasnov,
 * Fast quicksort implementation using AVX instructions (2016), and its successors. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"
#include "cpu/cache_sort/key_order.h"

#ifndef USW_IN_REGISTERS
/* Inlined with a constant number of rows, so that v[] becomes registers. */
#define USW_IN_REGISTERS static inline __attribute__((always_inline))
#if defined(__clang__)
#define USW_UNROLL _Pragma("clang loop unroll(full)")
#else
#define USW_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

#if KEY_BITS == 8

/* ---- keys of 8 bits: each value is counted, then written as often ---- */

/* Neighbours count in different tables: equal keys in a row then do not wait for each other's
 * store. */
static void FN(vsort)(void *keys, size_t n)
{
    USW_ROUTE("bytes are counted");
    KEY *k = keys;
    size_t count[4][256] = {{0}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        count[0][k[i]]++;
        count[1][k[i + 1]]++;
        count[2][k[i + 2]]++;
        count[3][k[i + 3]]++;
    }
    for (; i < n; i++) {
        count[0][k[i]]++;
    }
    size_t at = 0;
    for (unsigned v = 0; v < 256; v++) {
        size_t c = count[0][v] + count[1][v] + count[2][v] + count[3][v];
        memset(k + at, (int)v, c);
        at += c;
    }
}

static void FN(vselect)(void *keys, size_t n, size_t k, const usw_keymap *map)
{
    USW_ROUTE("bytes are counted to select");
    (void)k;
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).map[USW_WIDTH](keys, keys, n, map);
    }
    FN(vsort)(keys, n);
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).unmap[USW_WIDTH](keys, keys, n, map);
    }
}

#elif USW_LEVEL == 2
#include "cpu/cache_sort/compress_table.h"
#if KEY_BITS == 32
#define HALF(name) half_##name##_u32
#elif KEY_BITS == 64
#undef HALF
#define HALF(name) half_##name##_u64
#endif
#if KEY_BITS == 32 || KEY_BITS == 64
#undef FN
#define FN(name) HALF(name)
#include "cpu/cache_sort/vectors_avx512_256.h"
#include "cpu/cache_sort/network.h"
#undef FN
#define FN(name) name##_u64
#endif
#if KEY_BITS == 64 /* signed keys have networks without maps */
#undef FN
#define SIGNED_ORDER 1
#define FN(name) signed_half_##name##_u64
#include "cpu/cache_sort/vectors_avx512_256.h"
#include "cpu/cache_sort/network.h"
#undef SIGNED_ORDER
#undef FN
#define FN(name) name##_u64
#elif KEY_BITS == 32 /* 5% of the time of 256 keys */
#undef FN
#define SIGNED_ORDER 1
#define FN(name) signed_half_##name##_u32
#include "cpu/cache_sort/vectors_avx512_256.h"
#include "cpu/cache_sort/network.h"
#undef FN
#define FN(name) signed_##name##_u32
#undef HALF
#define HALF(name) signed_half_##name##_u32
#include "cpu/cache_sort/vectors_avx512.h"
#include "cpu/cache_sort/network.h"
#undef SIGNED_ORDER
#undef HALF
#define HALF(name) half_##name##_u32
#undef FN
#define FN(name) name##_u32
#endif
#include "cpu/cache_sort/vectors_avx512.h"
#include "cpu/cache_sort/network.h"
#ifdef WHOLE_BLOCKS
#include "cpu/cache_sort/merge_blocks.h"
#endif
#include "cpu/cache_sort/partition_vectors.h"
#include "cpu/cache_sort/quicksort.h"
#elif USW_LEVEL == 1 && (KEY_BITS == 32 || KEY_BITS == 64)
#include "cpu/cache_sort/compress_table.h"
#include "cpu/cache_sort/vectors_avx2.h"
#include "cpu/cache_sort/network.h"
#include "cpu/cache_sort/merge_blocks.h"
#include "cpu/cache_sort/partition_vectors.h"
#include "cpu/cache_sort/quicksort.h"

/* ---- signed keys in AVX2, which compares these only: as they are, without maps ---- */

#undef FN
#define FN(name) SIGNED_FN(name)
#define SIGNED_ORDER 1
#include "cpu/cache_sort/key_order.h"
#include "cpu/cache_sort/vectors_avx2.h"
#include "cpu/cache_sort/network.h"
#include "cpu/cache_sort/merge_blocks.h"
#include "cpu/cache_sort/partition_vectors.h"
#include "cpu/cache_sort/quicksort.h"
#include "cpu/cache_sort/short_arrays_order.h"

/* n >= PARTITION_MIN keys. */
static size_t FN(partition_signed)(void *keys, size_t n, const void *pivot)
{
    KEY p;
    memcpy(&p, pivot, sizeof p);
    return FN(partition)(keys, n, p);
}

#undef SIGNED_ORDER
#undef FN
#define FN(name) UNSIGNED_FN(name)
#define MAPS 1 /* of unsigned keys, again */
#include "cpu/cache_sort/key_order.h"

#else
#include "cpu/cache_sort/partition_scalar.h"
#if KEY_BITS == 16
#include "cpu/cache_sort/short_keys.h"
#endif
#include "cpu/cache_sort/quicksort.h"
#endif
#if USW_LEVEL >= 1 && KEY_BITS == 64
#include "cpu/cache_sort/double_keys.h"
#endif

#if KEY_BITS > 8 && KEY_BITS < 128
#include "cpu/cache_sort/short_arrays.h"
#endif
#if KEY_BITS == 32 && USW_LEVEL == 1
#include "cpu/cache_sort/short_keys.h"
#endif

/* Moves the keys that compare <= *pivot to the front and returns how many they are. map NULL: they
 * compare as unsigned integers. */
static size_t FN(vpartition_as)(void *keys, size_t n, const void *pivot, const usw_keymap *map)
{
    KEY p, *k = keys;
    memcpy(&p, pivot, sizeof p);
#if KEY_BITS > 8
    if (n >= FN(PARTITION_MIN)) {
        USW_ROUTE("a partition by vectors");
        return FN(partition_compared)(k, n, p, map);
    }
#endif
    USW_ROUTE("a partition key by key");
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        KEY x = k[i], key = map == NULL ? x : (KEY)usw_map_key(map, (uint64_t)x);
        k[i] = k[left];
        k[left] = x;
        left += key <= p;
    }
    return left;
}

static size_t FN(vpartition)(void *keys, size_t n, const void *pivot)
{
    return FN(vpartition_as)(keys, n, pivot, NULL);
}

#if KEY_BITS < 128
static void FN(vpartition_two_arrays)(void *first, size_t n, void *second, size_t m,
                                      const void *pivot, const usw_keymap *map, size_t fronts[2])
{
    USW_ROUTE("a partition of two arrays");
    KEY *f = first, *g = second, *f_end = f + n, *g_end = g + m;
#if KEY_BITS > 8
    KEY p;
    memcpy(&p, pivot, sizeof p);
    if (map != NULL) { /* so that each call is compiled for its map */
        FN(partition_two_arrays)(&f, f_end, g, &g_end, p, map);
    } else {
        FN(partition_two_arrays)(&f, f_end, g, &g_end, p, NULL);
    }
#endif
    fronts[0] = (size_t)(f - (KEY *)first) + FN(vpartition_as)(f, (size_t)(f_end - f), pivot, map);
    fronts[1] = FN(vpartition_as)(g, (size_t)(g_end - g), pivot, map);
}
#endif

#if defined(USW_CHECKED) && KEY_BITS > 8
static void FN(vpivot)(const void *keys, size_t n, void *pivot)
{
    bool constant;
    KEY p = FN(choose_pivot)(keys, n, NULL, &constant);
    memcpy(pivot, &p, sizeof p);
}
#endif

#if KEY_BITS < 128 && USW_LEVEL >= 1
#include "cpu/cache_sort/short_positions.h"
#endif

#if KEY_BITS == 128
#ifdef USW_CHECKED
const usw_vsort_pivots USW_SYMBOL(usw_vsort_pivots) = {
    .choose = {NULL, vpivot_u16, vpivot_u32, vpivot_u64, vpivot_u128}};
#endif
const usw_cache_sort_steps USW_SYMBOL(usw_cache_sort_steps) = {
    .sort = {vsort_u8, vsort_u16, vsort_u32, vsort_u64, vsort_u128},
    .partition = {vpartition_u8, vpartition_u16, vpartition_u32, vpartition_u64, vpartition_u128},
    .select = {vselect_u8, vselect_u16, vselect_u32, vselect_u64},
    .partition_as = {vpartition_as_u8, vpartition_as_u16, vpartition_as_u32, vpartition_as_u64},
    .partition_two_arrays = {vpartition_two_arrays_u8, vpartition_two_arrays_u16,
                             vpartition_two_arrays_u32, vpartition_two_arrays_u64},
#if USW_LEVEL == 1
    .sort_small = {sort_short_u8, sort_short_u16, sort_small_u32, sort_small_u64},
#else
    .sort_small = {sort_small_u8, sort_small_u16, sort_small_u32, sort_small_u64},
#endif
    .sort_row = {NULL, sort_row_u16, sort_row_u32, sort_row_u64},
#if USW_LEVEL >= 1
    .positions = {sort_short_positions_u8, sort_short_positions_u16, sort_short_positions_u32,
                  sort_short_positions_u64},
#endif
#if USW_LEVEL < 2
    .by_bytes = sort_by_bytes,
#endif
#if USW_LEVEL == 1
    .sort_signed = {NULL, NULL, vsort_i32, vsort_i64},
    .partition_signed = {NULL, NULL, partition_signed_i32, partition_signed_i64},
#endif
#ifdef SORTS_DOUBLES
    .plain_doubles = plain_doubles,
    .sort_doubles = sort_doubles,
    .partition_doubles = partition_doubles,
#if USW_LEVEL == 1
    .select_doubles = select_doubles,
#endif
#endif
};
#endif

/* quicksort.h - the quicksort that cache_sort's vector and scalar forms share, included once
 * per width after one of them. They give BASE, base_sort (n <= BASE keys), choose_pivot and
 * partition.
 *
 * Equal keys: of every range the greatest value that it may hold is known, `top`. When the chosen
 * pivot is `top`, the range is split below it instead, and all keys that go right equal `top` and
 * are sorted. So every value costs at most one partition more, and an array of equal keys two. */
/* SPDX-License-Identifier: MIT */

static void FN(sift_down)(KEY *k, size_t root, size_t n)
{
    KEY x = k[root];
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        child += child + 1 < n && KEY_LESS(k[child], k[child + 1]);
        if (!KEY_LESS(x, k[child])) {
            break;
        }
        k[root] = k[child];
    }
    k[root] = x;
}

/* For ranges that bad pivots have split too often: slower than quicksort, but n log n at worst. */
static void FN(heap_sort)(KEY *k, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) {
        FN(sift_down)(k, i, n);
    }
    for (size_t i = n; i-- > 1;) {
        KEY x = k[0];
        k[0] = k[i];
        k[i] = x;
        FN(sift_down)(k, 0, i);
    }
}

static bool FN(all_equal)(const KEY *k, size_t n)
{
    enum { BLOCK = 128 }; /* a constant: a loop of vectors alone */
    KEY differ = 0;
    size_t i = 0;
    for (; i + BLOCK <= n && differ == 0; i += BLOCK) {
        for (size_t j = 0; j < BLOCK; j++) {
            differ |= k[i + j] ^ k[0];
        }
    }
    if (differ != 0) {
        return false;
    }
    for (; i < n; i++) {
        differ |= k[i] ^ k[0];
    }
    return differ == 0;
}

/* Sorts keys that are all <= top. */
static void FN(quick_sort)(KEY *k, size_t n, KEY top, unsigned depth)
{
    while (n > FN(BASE)) {
#if KEY_BITS == 16 && USW_LEVEL < 2
        if (sorted_short_range(k, n)) {
            return;
        }
#endif
        if (depth-- == 0) {
            USW_ROUTE_WORK("heap sort", n);
            FN(heap_sort)(k, n);
            return;
        }
        bool constant;
        KEY pivot = FN(choose_pivot)(k, n, NULL, &constant);
        if (constant && FN(all_equal)(k, n)) {
            USW_ROUTE("a range of equal keys");
            return;
        }
        if (pivot == top) {
            USW_ROUTE("the pivot is the greatest key");
            n = pivot == KEY_LEAST ? 0 : FN(partition)(k, n, KEY_BEFORE(pivot));
            top = KEY_BEFORE(pivot);
            continue;
        }
        USW_ROUTE_WORK("a partition", n);
        size_t left = FN(partition)(k, n, pivot);
        /* To ask which range is the larger would be a branch that cannot be predicted; depth
         * bounds the stack. */
        FN(quick_sort)(k, left, pivot, depth);
        k += left;
        n -= left;
    }
    FN(base_sort)(k, n);
}

static void FN(vsort)(void *keys, size_t n)
{
#ifdef WHOLE_BLOCKS
    if (n > FN(BASE) && n <= (size_t)WHOLE_BLOCKS * FN(BASE)) {
        USW_ROUTE("whole arrays of blocks");
        FN(sort_many)(keys, n);
        return;
    }
#endif
    FN(quick_sort)(keys, n, KEY_GREATEST, 2 * usw_log2_up(n) + 4);
}

#ifndef SIGNED_ORDER
/* Moves the keys <= pivot to the front, mapped ones where map is not NULL. */
static inline size_t FN(partition_compared)(KEY *k, size_t n, KEY pivot, const usw_keymap *map)
{
#ifdef COMPARES_MAPPED
    if (map != NULL) {
        USW_ROUTE("a partition by mapped keys");
        return FN(partition_mapped)(k, n, pivot, map);
    }
#endif
    (void)map;
    return FN(partition)(k, n, pivot);
}

#if KEY_BITS < 128 && !(defined(DOUBLES) && USW_LEVEL == 2)
/* Goes on with the side of each partition that has the k-th key: keys on the other side are where a
 * sort might put them. Only the range that is sorted at the end is mapped. */
static void FN(vselect)(void *keys, size_t n, size_t k, const usw_keymap *map)
{
    KEY *range = keys, top = KEY_GREATEST;
    unsigned depth = 2 * usw_log2_up(n) + 4;
    USW_ROUTE("selection");
    while (n > FN(SELECT_BASE) && depth-- > 0) {
        bool constant;
        KEY pivot = FN(choose_pivot)(range, n, map, &constant);
        bool below = pivot == top;
        if ((below && pivot == KEY_LEAST) || (constant && FN(all_equal)(range, n))) {
            USW_ROUTE("selection among equal keys");
            return;
        }
        size_t left = FN(partition_compared)(range, n, below ? KEY_BEFORE(pivot) : pivot, map);
        if (k < left) {
            n = left;
            top = below ? KEY_BEFORE(pivot) : pivot;
            continue;
        }
        if (below) {
            USW_ROUTE("selection: all others equal the greatest");
            return; /* all others equal top */
        }
        range += left;
        n -= left;
        k -= left;
    }
#ifdef COMPARES_MAPPED
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).map[USW_WIDTH](range, range, n, map);
    }
#endif
    FN(quick_sort)(range, n, top, 2 * usw_log2_up(n) + 4);
#ifdef COMPARES_MAPPED
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).unmap[USW_WIDTH](range, range, n, map);
    }
#endif
}
#endif
#endif

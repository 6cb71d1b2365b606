/* partition_scalar.h - the quicksort of cache_sort without vectors, included once per width.
 *
 * The partition never branches on a key: every key is exchanged with the first of the right range,
 * and the border moves by the outcome of the comparison (N. Lomuto's scheme, made branch-free).
 * Up to 16 keys go through sorting networks of 4, 8 and 16 keys. */
/* SPDX-License-Identifier: MIT */

enum { FN(BASE) = 16, FN(SELECT_BASE) = 16, FN(PARTITION_MIN) = 17 };

static inline void FN(order)(KEY *a, KEY *b)
{
    KEY x = *a, y = *b;
    bool less = y < x;
    KEY least = less ? y : x, other = less ? x : y;
#if KEY_BITS <= 64
    /* Compilers would put some pairs into vectors, which then wait for what the others stored. */
    __asm__("" : "+r"(least), "+r"(other));
#endif
    *a = least;
    *b = other;
}

static inline void FN(net4)(KEY *v)
{
    FN(order)(v + 0, v + 1), FN(order)(v + 2, v + 3);
    FN(order)(v + 0, v + 2), FN(order)(v + 1, v + 3);
    FN(order)(v + 1, v + 2);
}

/* Batcher's odd-even merge of v[0 .. n/2) and v[n/2 .. n). */
static inline void FN(net_merge8)(KEY *v)
{
    for (unsigned i = 0; i < 4; i++) {
        FN(order)(v + i, v + i + 4);
    }
    FN(order)(v + 2, v + 4), FN(order)(v + 3, v + 5);
    FN(order)(v + 1, v + 2), FN(order)(v + 3, v + 4), FN(order)(v + 5, v + 6);
}

static inline void FN(net_merge16)(KEY *v)
{
    for (unsigned i = 0; i < 8; i++) {
        FN(order)(v + i, v + i + 8);
    }
    for (unsigned i = 4; i < 8; i++) {
        FN(order)(v + i, v + i + 4);
    }
    for (unsigned i = 2; i < 14; i += 4) {
        FN(order)(v + i, v + i + 2), FN(order)(v + i + 1, v + i + 3);
    }
    for (unsigned i = 1; i < 15; i += 2) {
        FN(order)(v + i, v + i + 1);
    }
}

/* Sorts n <= BASE keys in a padded copy. */
static void FN(base_sort)(KEY *k, size_t n)
{
    KEY v[FN(BASE)];
    size_t space = n <= 4 ? 4 : n <= 8 ? 8 : 16;
    for (size_t i = 0; i < space; i++) {
        v[i] = i < n ? k[i] : (KEY)-1;
    }
    FN(net4)(v);
    USW_ROUTE("a network of 4 keys");
    if (space > 4) {
        USW_ROUTE("a network of 8 keys");
        FN(net4)(v + 4);
        FN(net_merge8)(v);
    }
    if (space > 8) {
        USW_ROUTE("a network of 16 keys");
        FN(net4)(v + 8), FN(net4)(v + 12);
        FN(net_merge8)(v + 8);
        FN(net_merge16)(v);
    }
    memcpy(k, v, n * sizeof(KEY));
}

/* What x is compared by: x itself where map is NULL, else x mapped. Without a branch on the sign of
 * x, which cannot be predicted. */
static inline KEY FN(compared)(KEY x, const usw_keymap *map)
{
    if (map == NULL) {
        return x;
    }
    KEY below = (KEY)map->neg & (KEY)(0 - (KEY)(x >> (KEY_BITS - 1)));
    return (KEY)((KEY)(x ^ below ^ (KEY)map->pos) + (KEY)map->add);
}

/* Moves the keys <= pivot to the front and returns how many they are. */
static inline __attribute__((always_inline)) size_t FN(partition_by)(KEY *k, size_t n, KEY pivot,
                                                                     const usw_keymap *map)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        KEY x = k[i];
        k[i] = k[left];
        k[left] = x;
        left += FN(compared)(x, map) <= pivot;
    }
    return left;
}

static size_t FN(partition)(KEY *k, size_t n, KEY pivot)
{
    return FN(partition_by)(k, n, pivot, NULL);
}

#undef COMPARES_MAPPED
#undef MAPS
#if KEY_BITS < 128
#define COMPARES_MAPPED 1
static size_t FN(partition_mapped)(KEY *k, size_t n, KEY pivot, const usw_keymap *shared)
{
    const usw_keymap map = *shared; /* keys cannot change a local */
    return FN(partition_by)(k, n, pivot, &map);
}
#endif

/* Leaves all to the caller, which then partitions each array by itself: that takes no longer where
 * there are no vectors. */
static inline void FN(partition_two_arrays)(KEY **f, KEY *f_end, KEY *g, KEY **g_end, KEY pivot,
                                            const usw_keymap *map)
{
    (void)f, (void)f_end, (void)g, (void)g_end, (void)pivot, (void)map;
}

/* A middle key of 16 spread evenly over k. */
static KEY FN(choose_pivot)(const KEY *k, size_t n, const usw_keymap *map, bool *constant)
{
    KEY sample[16];
    size_t stride = n / 16;
    for (size_t i = 0; i < 16; i++) {
        sample[i] = FN(compared)(k[i * stride + stride / 2], map);
    }
    FN(base_sort)(sample, 16);
    *constant = sample[0] == sample[15];
    return sample[7];
}

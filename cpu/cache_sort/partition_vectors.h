/* partition_vectors.h - the quicksort steps of cache_sort in vector operations, included once per
 * width after the header that has those.
 *
 *     left ->                                       <- right
 *     | <= pivot | room |  keys not read yet  | room | > pivot |
 *
 * Partition: one stretch of keys at either end is loaded into registers, which makes room. Then a
 * stretch is read from the side with less room, and each of its vectors is partitioned: that never
 * overwrites a key that was not read, and the side is chosen without a branch. */
/* SPDX-License-Identifier: MIT */

enum {
#ifdef BY_BLOCKS
    FN(BASE) = BLOCKS_MAX * BLOCK_ROWS * LANES, /* keys that are sorted without a partition */
#else
    FN(BASE) = 16 * LANES, /* keys that the network sorts */
#endif
    FN(SELECT_BASE) = 16 * LANES,   /* keys that a selection sorts */
    FN(PARTITION_MIN) = 16 * LANES, /* keys */
    FN(STRETCH) = 4,                /* vectors */
    /* vectors, from LONG_FROM keys on, where vectors are short: one choice of side for more keys */
    FN(LONG_STRETCH) = USW_LEVEL == 1 ? 8 : FN(STRETCH),
    FN(LONG_FROM) = 4 * FN(LONG_STRETCH) * LANES, /* keys */
    FN(SAMPLE_WIDE_FROM) =
        2048 * LANES /* keys from which on a pivot is worth a sample of 8 vectors */
};

/* What keys are partitioned by. With a map, keys compare as mapped and stay as they are; map NULL,
 * which the compiler knows at each call, they compare as they are. */
typedef struct FN(border) {
    KEY pivot;
    const usw_keymap *map;
    V pivots;
#ifdef COMPARES_MAPPED
    FN(vmap) maps;
#endif
} FN(border);

USW_IN_REGISTERS FN(border) FN(border_at)(KEY pivot, const usw_keymap *map)
{
    FN(border) b = {.pivot = pivot, .map = map, .pivots = FN(vset)(pivot)};
#ifdef COMPARES_MAPPED
    if (map != NULL) {
        b.maps = FN(vmap_of)(map);
    }
#endif
    return b;
}

USW_IN_REGISTERS SIDES FN(sides)(V x, const FN(border) * b)
{
#ifdef COMPARES_MAPPED
    if (b->map != NULL) {
        return FN(vsides_mapped)(x, b->pivots, b->maps);
    }
#endif
    return FN(vsides)(x, b->pivots);
}

/* Handles fewer than a stretch of keys, which the caller has room for on both sides. */
USW_IN_REGISTERS KEY *FN(split_some)(KEY *from, size_t n, const FN(border) * b, KEY **left,
                                     KEY **right)
{
    KEY *end = from + n;
    while (from + LANES <= end) {
        V x = FN(vload)(from);
        from += LANES;
        FN(vsplit)(x, FN(sides)(x, b), left, right);
    }
    size_t count = (size_t)(end - from);
#ifdef SPLITS_SOME
    V some = FN(vload_some)(from, count);
    FN(vsplit_some)(some, count, FN(sides)(some, b), left, right);
#else
    KEY rest[LANES];
    memcpy(rest, from, count * sizeof(KEY));
    for (size_t i = 0; i < count; i++) {
        KEY key = b->map != NULL ? (KEY)usw_map_key(b->map, rest[i]) : rest[i];
        bool above = KEY_LESS(b->pivot, key);
        **left = rest[i];
        *(*right - 1) = above ? rest[i] : *(*right - 1);
        *left += !above;
        *right -= above;
    }
#endif
    return end;
}

USW_IN_REGISTERS void FN(load_stretch)(V *x, const KEY *from, const size_t stretch)
{
    USW_UNROLL for (size_t i = 0; i < stretch; i++) x[i] = FN(vload)(from + i * LANES);
}

USW_IN_REGISTERS void FN(split_stretch)(const V *x, const FN(border) * b, KEY **left, KEY **right,
                                        const size_t stretch)
{
#ifdef SPLITS_BETWEEN
    size_t space = (size_t)(*right - *left);
    USW_UNROLL for (size_t i = 0; i < stretch; i++)
    {
        *left += FN(vsplit_between)(x[i], FN(sides)(x[i], b), *left, space - i * LANES);
    }
    *right = *left + (space - stretch * LANES);
#else
    USW_UNROLL for (size_t i = 0; i < stretch; i++)
        FN(vsplit)(x[i], FN(sides)(x[i], b), left, right);
#endif
}

/* Where the next stretch is read, from the side with less room; it is then no more of [low, high).
 * With AVX2 a choice between two values becomes a branch, which cannot be predicted: on Zen 3 that
 * costs a twentieth of the time, so the side is a mask. With AVX-512 that was not measured. */
USW_IN_REGISTERS const KEY *FN(next_stretch)(const KEY *left, KEY **low, KEY **high,
                                             const KEY *right, const char **soon,
                                             const ptrdiff_t keys)
{
    enum { AHEAD = 2048 / sizeof(KEY) };
#if USW_LEVEL == 1
    ptrdiff_t side = -(ptrdiff_t)(*low - left > right - *high);
    __asm__("" : "+r"(side)); /* all ones or all zeros; hidden from the compiler */
    const KEY *from = *low + ((*high - *low - keys) & side);
    *soon = (const char *)(from + AHEAD + ((keys - 2 * AHEAD) & side));
    *low += keys & ~side;
    *high -= keys & side;
#else
    bool from_low = *low - left <= right - *high;
    const KEY *from = from_low ? *low : *high - keys;
    *soon = (const char *)(from_low ? *low + AHEAD : *high - AHEAD);
    *low += from_low ? keys : 0;
    *high -= from_low ? 0 : keys;
#endif
    return from;
}

/* Partitions by stretches of `stretch` vectors; n is more than three stretches. A stretch is read
 * before the one before it is split, so that the choice of the side does not wait for the split. */
USW_IN_REGISTERS size_t FN(partition_by)(KEY *k, size_t n, KEY pivot, const usw_keymap *map,
                                         const size_t stretch)
{
    const size_t keys = stretch * LANES;
    KEY *left = k, *right = k + n;             /* written up to, down to */
    KEY *low = k + keys, *high = right - keys; /* not read yet: [low, high) */
    FN(border) b = FN(border_at)(pivot, map);
    V first[FN(LONG_STRETCH)], last[FN(LONG_STRETCH)];
    V x[FN(LONG_STRETCH)], y[FN(LONG_STRETCH)];
    FN(load_stretch)(first, k, stretch);
    FN(load_stretch)(last, high, stretch);
    low = FN(split_some)(low, (size_t)(high - low) % keys, &b, &left, &right);
    FN(load_stretch)(x, low, stretch);
    low += keys;
    while (low < high) {
        const char *soon;
        const KEY *from = FN(next_stretch)(left, &low, &high, right, &soon, (ptrdiff_t)keys);
        FN(load_stretch)(y, from, stretch);
        for (size_t line = 0; line < keys * sizeof(KEY); line += 64) {
            __builtin_prefetch(soon + line);
        }
        FN(split_stretch)(x, &b, &left, &right, stretch);
        USW_UNROLL for (size_t i = 0; i < stretch; i++) x[i] = y[i];
    }
    FN(split_stretch)(x, &b, &left, &right, stretch);
    FN(split_stretch)(first, &b, &left, &right, stretch);
    FN(split_stretch)(last, &b, &left, &right, stretch);
    return (size_t)(left - k);
}

/* Moves the keys <= pivot to the front and returns how many they are; n >= PARTITION_MIN. */
static size_t FN(partition)(KEY *k, size_t n, KEY pivot)
{
    USW_ROUTE("a partition by vectors");
    if (FN(LONG_STRETCH) != FN(STRETCH) && n >= FN(LONG_FROM)) {
        USW_ROUTE("a partition by long stretches");
        return FN(partition_by)(k, n, pivot, NULL, FN(LONG_STRETCH));
    }
    return FN(partition_by)(k, n, pivot, NULL, FN(STRETCH));
}

#ifdef COMPARES_MAPPED
static size_t FN(partition_mapped)(KEY *k, size_t n, KEY pivot, const usw_keymap *map)
{
    USW_ROUTE("a partition by vectors, mapped");
    if (FN(LONG_STRETCH) != FN(STRETCH) && n >= FN(LONG_FROM)) {
        USW_ROUTE("a partition by long stretches, mapped");
        return FN(partition_by)(k, n, pivot, map, FN(LONG_STRETCH));
    }
    return FN(partition_by)(k, n, pivot, map, FN(STRETCH));
}
#endif

#if !defined(DOUBLES) && !defined(SIGNED_ORDER)
/* The same for keys in two arrays: those <= pivot move to the front of [*f, f_end), those above it
 * to the back of [g, *g_end). Goes on until one of the arrays is done, but for less than three
 * stretches; [*f, f_end) and [g, *g_end) are then what is not partitioned. */
USW_IN_REGISTERS void FN(partition_two_arrays)(KEY **f, KEY *f_end, KEY *g, KEY **g_end, KEY pivot,
                                               const usw_keymap *map)
{
    enum { KEYS = FN(STRETCH) * LANES, AHEAD = 2048 / sizeof(KEY) };
    KEY *left = *f, *right = *g_end, *low = left + 2 * KEYS, *high = right - KEYS, rest[3 * KEYS];
    if (f_end - left < 4 * KEYS || right - g < 4 * KEYS) {
        return;
    }
    USW_ROUTE("a partition of two arrays by vectors");
    FN(border) b = FN(border_at)(pivot, map);
    V x[FN(STRETCH)], y[FN(STRETCH)];
    memcpy(rest, left, KEYS * sizeof(KEY));
    memcpy(rest + KEYS, high, KEYS * sizeof(KEY));
    FN(load_stretch)(x, left + KEYS, FN(STRETCH));
    for (;;) {
        bool from_low = low - left <= right - high;
        const KEY *from = from_low ? low : high - KEYS;
        const char *soon = (const char *)(from_low ? low + AHEAD : high - AHEAD);
        if ((from_low ? f_end - low : high - g) < KEYS) {
            break;
        }
        low += from_low ? KEYS : 0;
        high -= from_low ? 0 : KEYS;
        FN(load_stretch)(y, from, FN(STRETCH));
        for (size_t line = 0; line < KEYS * sizeof(KEY); line += 64) {
            __builtin_prefetch(soon + line);
        }
        FN(split_stretch)(x, &b, &left, &right, FN(STRETCH));
        USW_UNROLL for (size_t i = 0; i < FN(STRETCH); i++) x[i] = y[i];
    }
    for (size_t i = 0; i < FN(STRETCH); i++) {
        FN(vstore)(rest + 2 * KEYS + i * LANES, x[i]);
    }
    size_t space = (size_t)(low - left);
    memcpy(left, rest, space * sizeof(KEY));
    memcpy(high, rest + space, (3 * KEYS - space) * sizeof(KEY));
    *f = left;
    *g_end = right;
}
#endif

static inline V FN(vmedian)(V a, V b, V c)
{
#ifdef TURNS
    a = FN(vturn)(a), b = FN(vturn)(b), c = FN(vturn)(c);
    return FN(vturn)(FN(vmax)(FN(vmin)(a, b), FN(vmin)(FN(vmax)(a, b), c)));
#else
    return FN(vmax)(FN(vmin)(a, b), FN(vmin)(FN(vmax)(a, b), c));
#endif
}

/* A vector of keys, mapped where map is not NULL. */
static inline V FN(vkeys)(const KEY *k, const usw_keymap *map)
{
    V x = FN(vload)(k);
#ifdef COMPARES_MAPPED
    return map == NULL ? x : FN(vmapped)(x, FN(vmap_of)(map));
#else
    (void)map;
    return x;
#endif
}

/* The middle of 3 or 9 vectors of keys lane by lane, then of its lanes; of 8 vectors' worth of keys
 * from all over the range where that is large. *constant: all candidates are equal. */
static KEY FN(choose_pivot)(const KEY *k, size_t n, const usw_keymap *map, bool *constant)
{
    KEY sample[8 * LANES];
    size_t count = LANES;
    if (n >= FN(SAMPLE_WIDE_FROM)) {
        count = 8 * LANES;
        USW_ROUTE("a pivot from eight vectors");
        for (size_t i = 0, step = n / count; i < count; i++) {
            sample[i] = k[i * step + ((i * 0x9e37 & 0xffff) * step >> 16)];
        }
        for (size_t i = 0; i < count; i += LANES) {
            FN(vstore)(sample + i, FN(vkeys)(sample + i, map));
        }
    } else {
        /* Three stand at the quarters: the ends are alike where keys rise and then fall. */
        size_t groups = n < 64 * LANES ? 3 : 9, step = (n - LANES) / (groups == 3 ? 4 : 8);
        USW_ROUTE_IF(groups == 3, "a pivot from three vectors", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(groups == 9, "a pivot from nine vectors", USW_ROUTE_DEFAULT);
        V m[3];
        for (size_t g = 0; g < groups / 3; g++) {
            const KEY *at = k + (groups == 3 ? step : g * step);
            m[g] = FN(vmedian)(FN(vkeys)(at, map), FN(vkeys)(at + groups / 3 * step, map),
                               FN(vkeys)(at + 2 * (groups / 3) * step, map));
        }
        FN(vstore)(sample, groups == 3 ? m[0] : FN(vmedian)(m[0], m[1], m[2]));
    }
    FN(base_sort)(sample, count);
    *constant = sample[0] == sample[count - 1];
    return sample[count / 2 - 1];
}

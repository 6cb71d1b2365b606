/* digits_in_cache.h - the radix sort of keys that fit the cache: a few passes over the highest bits
 * in which the keys differ, from the lowest digit up, and an insertion pass for the few keys that
 * agree in all of these bits. Included once per width by sort_radix_cpu.h. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_BUCKETS_DIGITS_IN_CACHE_H
#define USW_CPU_BUCKETS_DIGITS_IN_CACHE_H
#define ALWAYS static inline __attribute__((always_inline))

enum {
    DIGIT_MAX = 11,
    BUCKETS_MAX = 1 << DIGIT_MAX,
    GROUP = 4,          /* passes whose histograms are taken in one read */
    SPARE_BITS = 6,     /* sorted by beyond log2(keys): one key in 256 is then inserted */
    INSERTION_MAX = 24, /* keys */
    SAMPLE_KEYS = 64,
    SAMPLE_FROM = 1024 /* keys from which on a sample is worth its time */
};
#endif

/* ---- words ---- */

static inline KEY FN(bits_between)(unsigned lo, unsigned hi)
{
    KEY all = (KEY) ~(KEY)0;
    return lo >= hi ? 0 : (KEY)((KEY)(all >> (KEY_BITS - (hi - lo))) << lo);
}

/* The number of the highest (lowest) bit set; x is not 0. */
static inline unsigned FN(high_bit)(KEY x)
{
#if KEY_BITS == 128
    uint64_t top = (uint64_t)(x >> 64);
    return top ? 127u - (unsigned)__builtin_clzll(top)
               : 63u - (unsigned)__builtin_clzll((uint64_t)x);
#else
    return 63u - (unsigned)__builtin_clzll(x);
#endif
}

static inline unsigned FN(low_bit)(KEY x)
{
#if KEY_BITS == 128
    uint64_t low = (uint64_t)x;
    return low ? (unsigned)__builtin_ctzll(low)
               : 64u + (unsigned)__builtin_ctzll((uint64_t)(x >> 64));
#else
    return (unsigned)__builtin_ctzll(x);
#endif
}

/* ---- insertion ---- */

/* What a key is compared by: the bits of the mask, those of `flip` as their opposites. */
ALWAYS KEY FN(rank)(KEY key, KEY mask, KEY flip)
{
    return (KEY)((key ^ flip) & mask);
}

/* Whether the next keys of `from` are in order, and not before the key `last`. */
ALWAYS bool FN(block_in_order)(const KEY *from, KEY last, KEY mask, KEY flip, const size_t block)
{
    KEY falls = FN(rank)(last, mask, flip) > FN(rank)(from[0], mask, flip);
    for (size_t j = 0; j + 1 < block; j++) {
        falls |= (KEY)(FN(rank)(from[j], mask, flip) > FN(rank)(from[j + 1], mask, flip));
    }
    return falls == 0;
}

/* Puts from[0 .. n) in order in to[0 .. n), which may be the same array. Gives up, with all keys in
 * `to`, once more than `budget` keys had to move. Blocks in order are copied at once, which most
 * are after the passes. */
static bool FN(insert)(const KEY *from, KEY *to, size_t n, KEY mask, KEY flip, size_t budget)
{
    enum { BLOCK = KEY_BITS >= 64 ? 8 : 16 };
    for (size_t i = 0; i < n;) {
        if (i > 0 && i + BLOCK <= n && FN(block_in_order)(from + i, to[i - 1], mask, flip, BLOCK)) {
            if (from != to) {
                memcpy(to + i, from + i, BLOCK * sizeof(KEY));
            }
            i += BLOCK;
            continue;
        }
        for (size_t end = usw_min(n, i + BLOCK); i < end; i++) {
            KEY k = from[i], rank = FN(rank)(k, mask, flip);
            size_t j = i;
            for (; j > 0 && FN(rank)(to[j - 1], mask, flip) > rank; j--) {
                to[j] = to[j - 1];
            }
            to[j] = k;
            if (i - j > budget) {
                memmove(to + i + 1, from + i + 1, (n - i - 1) * sizeof(KEY));
                return false;
            }
            budget -= i - j;
        }
    }
    return true;
}

/* ---- passes from the lowest digit up ---- */

/* Digits of bits [lo, lo + bits), [lo + bits, lo + 2 bits) and so on; the last one under `last`. */
ALWAYS void FN(count_digits)(uint32_t counts[GROUP][BUCKETS_MAX], const KEY *a, size_t n,
                             unsigned lo, unsigned bits, unsigned last, const unsigned passes)
{
    unsigned mask = (1u << bits) - 1;
    USW_UNROLL_4
    for (size_t i = 0; i < n; i++) {
        KEY k = (KEY)(a[i] >> lo);
        for (unsigned p = 0; p + 1 < passes; p++) {
            counts[p][(unsigned)k & mask]++;
            k = (KEY)(k >> bits);
        }
        counts[passes - 1][(unsigned)k & last]++;
    }
}

/* Scatters keys by one digit. offset: of size_t if `wide`, else of uint32_t, which leaves more of
 * the first cache to keys.
 *
 * Two keys at a time, the place of the second looked up before that of the first is written again.
 * One at a time, Zen 3 makes every look-up wait for the last place written once a few look-ups read
 * a place just written: where some keys are frequent that costs 2.8 ns a key instead of 0.8. */
ALWAYS void FN(move_keys)(const KEY *a, KEY *b, size_t n, void *offset, unsigned shift,
                          unsigned mask, const bool wide)
{
    uint32_t *narrow = offset;
    size_t *far = offset, i = 0;
    USW_UNROLL_4
    for (; i + 2 <= n; i += 2) {
        KEY x = a[i], y = a[i + 1];
        unsigned dx = (unsigned)(x >> shift) & mask, dy = (unsigned)(y >> shift) & mask;
        size_t to_x = wide ? far[dx] : narrow[dx];
        size_t to_y = wide ? far[dy] + (dx == dy) : (uint32_t)(narrow[dy] + (dx == dy));
        if (wide) {
            far[dx] = to_x + 1, far[dy] = to_y + 1;
        } else {
            narrow[dx] = (uint32_t)to_x + 1, narrow[dy] = (uint32_t)to_y + 1;
        }
        b[to_x] = x;
        b[to_y] = y;
    }
    if (i < n) {
        unsigned d = (unsigned)(a[i] >> shift) & mask;
        b[wide ? far[d]++ : narrow[d]++] = a[i];
    }
}

/* Sorts by the bits [lo, hi) in up to GROUP passes. Returns where the keys are: a or b. With
 * `flip`, the places of digits are in the order of flipped digits; the keys stay as they are. */
static KEY *FN(passes)(KEY *a, KEY *b, size_t n, unsigned lo, unsigned hi, unsigned digit_bits,
                       KEY flip)
{
    uint32_t counts[GROUP][BUCKETS_MAX];
    unsigned passes = (hi - lo + digit_bits - 1) / digit_bits;
    unsigned mask = (1u << digit_bits) - 1;
    unsigned last_mask = (1u << (hi - lo - (passes - 1) * digit_bits)) - 1;
    for (unsigned p = 0; p < passes; p++) {
        memset(counts[p], 0, (mask + 1) * sizeof counts[p][0]);
    }
    switch (passes) {
    case 1: FN(count_digits)(counts, a, n, lo, digit_bits, last_mask, 1); break;
    case 2: FN(count_digits)(counts, a, n, lo, digit_bits, last_mask, 2); break;
    case 3: FN(count_digits)(counts, a, n, lo, digit_bits, last_mask, 3); break;
    default: FN(count_digits)(counts, a, n, lo, digit_bits, last_mask, GROUP);
    }
    for (unsigned p = 0; p < passes; p++) {
        unsigned shift = lo + p * digit_bits, m = p + 1 == passes ? last_mask : mask;
        uint32_t *offset = counts[p], sum = 0;
        if (offset[(unsigned)(a[0] >> shift) & m] == n) {
            continue;
        }
        unsigned flip_digit = (unsigned)(flip >> shift) & m;
        for (unsigned i = 0; i <= m; i++) {
            uint32_t *at = &offset[i ^ flip_digit], count = *at;
            *at = sum;
            sum += count;
        }
        FN(move_keys)(a, b, n, offset, shift, m, false);
        KEY *t = a;
        a = b;
        b = t;
    }
    return a;
}

/* ---- in how many bits keys differ ---- */

/* The bits in which n > 0 keys are not all the same. */
static KEY FN(differences)(const KEY *k, size_t n)
{
    KEY differ = 0;
    for (size_t i = 0; i < n; i++) {
        differ |= k[i] ^ k[0];
    }
    return differ;
}

/* How many more of the highest bits in `differ` must be sorted by than if the keys were spread
 * evenly: counts the bits in which neighbours of a sorted sample agree. Of 64 evenly spread keys
 * four agree in 9 bits. */
static unsigned FN(crowded_bits)(const KEY *k, size_t n, KEY differ)
{
    enum { EVEN_BITS = 9, FEW = 4, CHANCE = 2 };
    KEY sample[SAMPLE_KEYS];
    /* [b]: pairs that agree in the b bits from the highest of `differ` down, and in no more */
    uint8_t pairs[KEY_BITS] = {0};
    if (n < SAMPLE_FROM) {
        return 0;
    }
    for (size_t i = 0, step = n / SAMPLE_KEYS; i < SAMPLE_KEYS; i++) {
        sample[i] = k[i * step + ((i * 0x9e37 & 0xffff) * step >> 16)] & differ;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](sample, SAMPLE_KEYS);
    unsigned hi = FN(high_bit)(differ), seen = 0, bits = hi;
    for (size_t i = 0; i + 1 < SAMPLE_KEYS; i++) {
        KEY other = sample[i] ^ sample[i + 1];
        if (other != 0) {
            pairs[hi - FN(high_bit)(other)]++;
        }
    }
    while (bits > 0 && (seen += pairs[bits]) <= FEW) {
        bits--;
    }
    return bits + 1 > EVEN_BITS + CHANCE ? bits + 1 - EVEN_BITS : 0;
}

/* ---- the whole ---- */

/* Sorts keys that differ in the bits `differ` only, from `from` to `to`. `to` is `from` or `spare`.
 * flip: as for rank. */
static void FN(leaf)(KEY *from, KEY *spare, KEY *to, size_t n, KEY differ, KEY flip)
{
    if (n <= INSERTION_MAX || differ == 0) {
        USW_ROUTE("a leaf by insertion");
        (void)FN(insert)(from, to, n, differ, flip, SIZE_MAX);
        return;
    }
    unsigned hi = FN(high_bit)(differ) + 1, lo = FN(low_bit)(differ), all = hi - lo;
    unsigned digit_max = (unsigned)usw_min(DIGIT_MAX, usw_max(usw_log2_up(n), 6));
    unsigned bits = (unsigned)usw_min(all, usw_log2_up(n) + SPARE_BITS);
    if (bits < all) {
        unsigned crowded = FN(crowded_bits)(from, n, differ);
        bits = (unsigned)usw_min(all, crowded > 0 ? bits + crowded : usw_min(bits, 2 * DIGIT_MAX));
    }
    unsigned passes = (bits + digit_max - 1) / digit_max;
    unsigned digit = (bits + passes - 1) / passes;
    bits = (unsigned)usw_min(all, passes * digit);
    KEY *at = passes <= GROUP ? FN(passes)(from, spare, n, hi - bits, hi, digit, flip) : from;
    if (bits == all && passes <= GROUP) {
        USW_ROUTE("a leaf by passes over all bits");
        if (at != to) {
            memcpy(to, at, n * sizeof(KEY));
        }
        return;
    }
    if (passes <= GROUP) {
        if (FN(insert)(at, to, n, differ, flip, n)) {
            USW_ROUTE("a leaf by passes over the highest bits, and insertion");
            return;
        }
        at = to;
        spare = to == from ? spare : from;
    }
    USW_ROUTE("a leaf by passes from the lowest bit");
    for (unsigned b = lo; b < hi; b += GROUP * DIGIT_MAX) {
        KEY *was = at;
        unsigned end = (unsigned)usw_min(hi, b + GROUP * DIGIT_MAX);
        at = FN(passes)(at, spare, n, b, end, DIGIT_MAX, flip);
        spare = at == was ? spare : was;
    }
    if (at != to) {
        memcpy(to, at, n * sizeof(KEY));
    }
}

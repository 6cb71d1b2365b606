/* least_keys.h - the least of an array of keys as a key map orders them, by 128 bytes of running
 * minima, which compilers keep in registers. Included by algo/reduce_tree_cpu.h for each width up
 * to 64 bits. */
/* SPDX-License-Identifier: MIT */
#ifndef SIGNED_KEY
#define SIGNED_OF_BITS(bits) int##bits##_t
#define SIGNED_OF(bits) SIGNED_OF_BITS(bits)
#define SIGNED_KEY SIGNED_OF(KEY_BITS)
#define SIGNED_GREATEST ((SIGNED_KEY)((KEY)-1 >> 1))
#define LEAST_INLINE static inline __attribute__((always_inline))
#endif

/* The key of an element, compared signed, as vectors do it with least: base + v, or base - v if
 * falling, where v is the element; of floats, with its other bits flipped if the top one is set. */
LEAST_INLINE SIGNED_KEY FN(signed_key)(KEY x, KEY base, bool floats, bool falling)
{
    KEY top = (KEY)(0 - (KEY)(x >> (KEY_BITS - 1)));
    KEY v = floats ? (KEY)(x ^ (top & (KEY)SIGNED_GREATEST)) : x;
    return (SIGNED_KEY)(KEY)(falling ? base - v : base + v);
}

LEAST_INLINE KEY FN(least_in)(const KEY *x, size_t n, KEY base, bool floats, bool falling)
{
    enum { LANES = 128 / sizeof(KEY) };
    SIGNED_KEY lane[LANES], least = SIGNED_GREATEST;
    for (size_t j = 0; j < LANES; j++) {
        lane[j] = least;
    }
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            SIGNED_KEY key = FN(signed_key)(x[i + j], base, floats, falling);
            lane[j] = key < lane[j] ? key : lane[j];
        }
    }
    for (; i < n; i++) {
        SIGNED_KEY key = FN(signed_key)(x[i], base, floats, falling);
        least = key < least ? key : least;
    }
    for (size_t j = 0; j < LANES; j++) {
        least = lane[j] < least ? lane[j] : least;
    }
    return (KEY)least;
}

/* Its pos flips the top bit, which is to add it, or all others (falling), which is to subtract from
 * them; one top bit more, since keys compare signed. */
static inline KEY FN(least_base)(const usw_keymap *map)
{
    return (KEY)(map->pos + map->add + ((KEY)1 << (KEY_BITS - 1)));
}

/* Least of n keys as map orders them. */
static inline KEY FN(least_of)(const KEY *x, size_t n, const usw_keymap *map)
{
    const KEY base = FN(least_base)(map);
    KEY least;
    if (map->pos & 1) {
        least = map->neg != 0 ? FN(least_in)(x, n, base, true, true)
                              : FN(least_in)(x, n, base, false, true);
    } else {
        least = map->neg != 0 ? FN(least_in)(x, n, base, true, false)
                              : FN(least_in)(x, n, base, false, false);
    }
    return least ^ (KEY)((KEY)1 << (KEY_BITS - 1));
}

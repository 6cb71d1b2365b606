/* key_order.h - how a quicksort compares two keys of type KEY: as unsigned integers, with
 * SIGNED_ORDER as signed ones, with DOUBLES as plain doubles, given by their bits. Included once
 * per width and order. SORT_KEYS and PARTITION_KEYS are the members of usw_cache_sort_steps
 * (cpu/cpu.h) for that order. SORTS_DOUBLES: these have functions for doubles; SORTS_SIGNED: for
 * signed integers of this width. */
/* SPDX-License-Identifier: MIT */

#undef KEY_LESS
#undef KEY_LEAST
#undef KEY_GREATEST
#undef KEY_BEFORE
#undef SORT_KEYS
#undef PARTITION_KEYS
#ifdef DOUBLES
#define KEY_LESS(a, b) (number_of(a) < number_of(b))
#define KEY_LEAST UINT64_C(0xfff0000000000000)
#define KEY_GREATEST UINT64_C(0x7ff0000000000000)
#define KEY_BEFORE(x) number_before(x)
#define SORT_KEYS sort_doubles
#define PARTITION_KEYS partition_doubles
#elif defined(SIGNED_ORDER)
#define KEY_LESS(a, b) (((a) ^ KEY_LEAST) < ((b) ^ KEY_LEAST))
#define KEY_LEAST ((KEY)1 << (KEY_BITS - 1))
#define KEY_GREATEST (KEY_LEAST - 1)
#define KEY_BEFORE(x) ((KEY)((x)-1))
#define SORT_KEYS sort_signed[USW_WIDTH]
#define PARTITION_KEYS partition_signed[USW_WIDTH]
#else
#define KEY_LESS(a, b) ((a) < (b))
#define KEY_LEAST 0
#define KEY_GREATEST ((KEY)-1)
#define KEY_BEFORE(x) ((KEY)((x)-1))
#define SORT_KEYS sort[USW_WIDTH]
#define PARTITION_KEYS partition[USW_WIDTH]
#endif

#undef SORTS_SIGNED
#if USW_LEVEL == 1 && (KEY_BITS == 32 || KEY_BITS == 64)
#define SORTS_SIGNED 1
#undef SIGNED_FN /* FN for signed and for unsigned keys */
#undef UNSIGNED_FN
#if KEY_BITS == 32
#define SIGNED_FN(name) name##_i32
#define UNSIGNED_FN(name) name##_u32
#else
#define SIGNED_FN(name) name##_i64
#define UNSIGNED_FN(name) name##_u64
#endif
#endif

#if USW_LEVEL == 1 && !defined(KEEPS_SIGNED_ORDER)
#define KEEPS_SIGNED_ORDER 1
/* Whether the map is that of rising signed integers. */
static inline bool keeps_signed_order(const usw_keymap *map)
{
    return (map->neg | map->add) == 0 && map->pos == UINT64_C(1) << (map->bits - 1);
}
#endif

#if USW_LEVEL >= 1 && !defined(SORTS_DOUBLES)
#define SORTS_DOUBLES 1

/* Whether the map is that of rising doubles. */
static inline bool keeps_double_order(const usw_keymap *map)
{
    return map->bits == 64 && map->neg != 0 && map->pos == UINT64_C(1) << 63;
}

/* Whether to compare doubles takes less than to map them: not on Zen 4 with 512 bits, where the
 * greater of two doubles takes twice as long as that of integers, by an exclusive or. Builds for
 * tests compare them everywhere. */
static inline bool doubles_pay(void)
{
#if USW_LEVEL == 2 && !defined(USW_CHECKED)
    return !usw_halves_vectors();
#else
    return true;
#endif
}

static inline double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The bits of the greatest number below that of x, but for -0, which no plain double is. */
static inline uint64_t number_before(uint64_t x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return x == 0 ? sign + 1 : (x & sign) != 0 ? x + 1 : x - 1;
}
#endif

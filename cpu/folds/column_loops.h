/* column_loops.h - loops that combine rows element by element, for the elements of one width: the
 * reduction of an array along another axis than its last. Included by algo/reduce_tree_cpu.h for
 * each width up to 64 bits, and once more for what no width has, floats and bits.
 *
 * A loop joins `times` rows of `count` elements, which lie `step` elements apart, to `count`
 * accumulators; four rows in a turn, so that accumulators beyond the first cache are read and
 * written once in four. Where lanes meet, accumulators are joined to accumulators. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_COLUMN_LOOPS_H
#define USW_CPU_FOLDS_COLUMN_LOOPS_H

typedef struct column_map {
    uint64_t flip; /* the top bit of signed elements, for sums and products */
    usw_keymap map;
} column_map;
typedef void (*column_join)(void *acc, const void *x, size_t step, size_t times, size_t count,
                            const column_map *m);
typedef void (*column_meet)(void *acc, const void *other, size_t count);
typedef void (*column_pair)(void *acc, const void *first, const void *second, size_t count);

/* VALUE of an element x is an accumulator, JOIN combines two. */
#define COLUMN_JOIN(name, ACC, TYPE, VALUE, JOIN)                                                  \
    static void name(void *acc, const void *data, size_t step, size_t times, size_t count,         \
                     const column_map *m)                                                          \
    {                                                                                              \
        ACC *restrict a = acc;                                                                     \
        const TYPE *restrict x = data;                                                             \
        size_t t = 0;                                                                              \
        COLUMN_CONSTANTS(m)                                                                        \
        for (; t + 4 <= times; t += 4, x += 4 * step) {                                            \
            for (size_t i = 0; i < count; i++) {                                                   \
                ACC v = JOIN(JOIN(a[i], VALUE(x[i])), VALUE(x[step + i]));                         \
                a[i] = JOIN(JOIN(v, VALUE(x[2 * step + i])), VALUE(x[3 * step + i]));              \
            }                                                                                      \
        }                                                                                          \
        for (; t < times; t++, x += step) {                                                        \
            for (size_t i = 0; i < count; i++) {                                                   \
                a[i] = JOIN(a[i], VALUE(x[i]));                                                    \
            }                                                                                      \
        }                                                                                          \
    }
#define COLUMN_MEET(name, ACC, JOIN)                                                               \
    static void name(void *acc, const void *other, size_t count)                                   \
    {                                                                                              \
        ACC *restrict a = acc;                                                                     \
        const ACC *restrict b = other;                                                             \
        for (size_t i = 0; i < count; i++) {                                                       \
            a[i] = JOIN(a[i], b[i]);                                                               \
        }                                                                                          \
    }
/* Accumulators begin at START and are not read. */
#define COLUMN_PAIR(name, ACC, TYPE, VALUE, JOIN, START)                                           \
    static void name(void *acc, const void *first, const void *second, size_t count)               \
    {                                                                                              \
        ACC *restrict a = acc;                                                                     \
        const TYPE *restrict x = first;                                                            \
        const TYPE *restrict y = second;                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            a[i] = JOIN(JOIN(START, VALUE(x[i])), VALUE(y[i]));                                    \
        }                                                                                          \
    }
#define COLUMN_ADD(a, b) ((a) + (b))
#define COLUMN_TIMES(a, b) ((a) * (b))
#define COLUMN_AND(a, b) ((a) & (b))
#define COLUMN_OR(a, b) ((a) | (b))
#define COLUMN_XOR(a, b) ((a) ^ (b))
#define COLUMN_LEAST(a, b) ((b) < (a) ? (b) : (a))
#endif

#if KEY_BITS <= 64

#define KEY_CONSTANTS(m)                                                                           \
    const KEY neg = (KEY)(m)->map.neg, pos = (KEY)(m)->map.pos, add = (KEY)(m)->map.add;

/* The key map and its way back, by arithmetic alone: compilers make vectors of it. */
static inline KEY FN(column_mapped)(KEY x, KEY neg, KEY pos, KEY add)
{
    KEY below = (KEY)(neg & (KEY)(0 - (KEY)(x >> (KEY_BITS - 1))));
    return (KEY)((KEY)(x ^ below ^ pos) + add);
}

static inline KEY FN(column_unmapped)(KEY x, KEY neg, KEY pos, KEY add)
{
    KEY y = (KEY)((KEY)(x - add) ^ pos);
    return (KEY)(y ^ (KEY)(neg & (KEY)(0 - (KEY)(y >> (KEY_BITS - 1)))));
}

/* The keys of least mapped ones. */
static void FN(columns_unmap)(void *results, const void *acc, size_t count, const column_map *m)
{
    const KEY *restrict a = acc;
    KEY *restrict r = results;
    KEY_CONSTANTS(m)
    for (size_t i = 0; i < count; i++) {
        r[i] = FN(column_unmapped)(a[i], neg, pos, add);
    }
}

#undef COLUMN_CONSTANTS
#define COLUMN_CONSTANTS KEY_CONSTANTS
#define MAPPED(x) FN(column_mapped)((x), neg, pos, add)
COLUMN_JOIN(FN(columns_least), KEY, KEY, MAPPED, COLUMN_LEAST)
COLUMN_MEET(FN(least_meet), KEY, COLUMN_LEAST)
#undef MAPPED
#undef KEY_CONSTANTS

#undef COLUMN_CONSTANTS
#define COLUMN_CONSTANTS(m)                                                                        \
    const KEY flip = (KEY)(m)->flip;                                                               \
    const uint64_t shift = (m)->flip;
#define WIDENED(x) ((uint64_t)(KEY)((x) ^ flip) - shift)
COLUMN_JOIN(FN(columns_sum), uint64_t, KEY, WIDENED, COLUMN_ADD)
COLUMN_JOIN(FN(columns_product), uint64_t, KEY, WIDENED, COLUMN_TIMES)
#undef WIDENED

#else /* once */

#undef COLUMN_CONSTANTS
#define COLUMN_CONSTANTS(m) (void)(m);
#define AS_IS(x) (x)
COLUMN_JOIN(columns_and, uint8_t, uint8_t, AS_IS, COLUMN_AND)
COLUMN_MEET(and_meet, uint8_t, COLUMN_AND)
COLUMN_JOIN(columns_or, uint8_t, uint8_t, AS_IS, COLUMN_OR)
COLUMN_MEET(or_meet, uint8_t, COLUMN_OR)
COLUMN_JOIN(columns_xor, uint8_t, uint8_t, AS_IS, COLUMN_XOR)
COLUMN_MEET(xor_meet, uint8_t, COLUMN_XOR)

COLUMN_MEET(integer_sum_meet, uint64_t, COLUMN_ADD)
COLUMN_MEET(integer_product_meet, uint64_t, COLUMN_TIMES)
COLUMN_MEET(float_sum_meet, double, COLUMN_ADD)
COLUMN_MEET(float_product_meet, double, COLUMN_TIMES)

#define AS_DOUBLE(x) ((double)(x))
#define OF_F16(x) ((double)usw_widen_f16(x))
#define OF_BF16(x) ((double)usw_widen_bf16(x))
COLUMN_JOIN(columns_sum_f16, double, uint16_t, OF_F16, COLUMN_ADD)
COLUMN_JOIN(columns_sum_bf16, double, uint16_t, OF_BF16, COLUMN_ADD)
COLUMN_JOIN(columns_sum_f32, double, float, AS_DOUBLE, COLUMN_ADD)
COLUMN_JOIN(columns_sum_f64, double, double, AS_DOUBLE, COLUMN_ADD)
COLUMN_JOIN(columns_product_f16, double, uint16_t, OF_F16, COLUMN_TIMES)
COLUMN_JOIN(columns_product_bf16, double, uint16_t, OF_BF16, COLUMN_TIMES)
COLUMN_JOIN(columns_product_f32, double, float, AS_DOUBLE, COLUMN_TIMES)
COLUMN_JOIN(columns_product_f64, double, double, AS_DOUBLE, COLUMN_TIMES)
COLUMN_PAIR(sum_pair_f16, double, uint16_t, OF_F16, COLUMN_ADD, 0.0)
COLUMN_PAIR(sum_pair_bf16, double, uint16_t, OF_BF16, COLUMN_ADD, 0.0)
COLUMN_PAIR(sum_pair_f32, double, float, AS_DOUBLE, COLUMN_ADD, 0.0)
COLUMN_PAIR(sum_pair_f64, double, double, AS_DOUBLE, COLUMN_ADD, 0.0)
COLUMN_PAIR(product_pair_f16, double, uint16_t, OF_F16, COLUMN_TIMES, 1.0)
COLUMN_PAIR(product_pair_bf16, double, uint16_t, OF_BF16, COLUMN_TIMES, 1.0)
COLUMN_PAIR(product_pair_f32, double, float, AS_DOUBLE, COLUMN_TIMES, 1.0)
COLUMN_PAIR(product_pair_f64, double, double, AS_DOUBLE, COLUMN_TIMES, 1.0)

#endif

/* test_histogram.c - histograms and splits into many buckets against plain loops: digits of every
 * type, equal widths by the rule written out edge by edge, edges with gaps and repeats, bucket
 * numbers. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_common.h"

#include <math.h>

static upsweep *handles[HANDLES];
static const size_t sizes[] = {0, 1, 2, 7, 9, 100, 2048, 2049, 4095, 4096, 4097, 70000, 200001};
enum { SIZES = sizeof sizes / sizeof sizes[0], N_MAX = 200001, COUNT_MAX = 1 << 16 };

static unsigned char *keys, *out;
static uint64_t counts[COUNT_MAX + 2], offsets[COUNT_MAX + 2], want[COUNT_MAX + 2];
static uint32_t *bucket; /* of each key; the number of buckets: none */

static double value_of(upsweep_type type, uint64_t raw)
{
    return usw_type_is_float(type)    ? float_value(type, raw)
           : usw_type_is_signed(type) ? (double)(int64_t)widened(raw, type)
                                      : (double)raw;
}

/* The order-preserving form, by its definition. */
static uint64_t ordered(upsweep_type type, uint64_t raw)
{
    unsigned size = 8 * (unsigned)upsweep_type_bytes(type);
    uint64_t all = UINT64_MAX >> (64 - size), sign = UINT64_C(1) << (size - 1);
    if (!usw_type_is_float(type)) {
        return usw_type_is_signed(type) ? raw ^ sign : raw;
    }
    uint64_t up = raw & sign ? raw ^ all : raw | sign; /* totalOrder: -NaN first */
    unsigned mantissa = type == UPSWEEP_F16 ? 10 : type == UPSWEEP_BF16 ? 7 : size == 32 ? 23 : 52;
    return (up - ((UINT64_C(1) << mantissa) - 1)) & all; /* NaNs of both signs come last */
}

static void check(size_t n, upsweep_type type, const upsweep_bucketing *b, int only)
{
    size_t none = 0, bytes = upsweep_type_bytes(type);
    memset(want, 0, (b->count + 1) * sizeof *want);
    for (size_t i = 0; i < n; i++) {
        want[bucket[i]] += bucket[i] < b->count;
        none += bucket[i] == b->count;
    }
    for (int h = 0; h < HANDLES; h++) {
        if (only >= 0 && h != only) {
            continue;
        }
        memset(counts, 0x5a, b->count * sizeof *counts); /* what was there does not count */
        counts[b->count] = 4711;
        assert_int_equal(upsweep_histogram(handles[h], keys, n, type, b, counts, NULL), UPSWEEP_OK);
        assert_memory_equal(counts, want, b->count * sizeof *counts);
        assert_int_equal(counts[b->count], 4711);
        upsweep_status status =
            upsweep_split_keys(handles[h], keys, out, n, type, b, offsets, NULL);
        assert_int_equal(status, none > 0 ? UPSWEEP_ERROR_RANGE : UPSWEEP_OK);
        if (none > 0) {
            continue;
        }
        uint64_t place = 0;
        for (size_t k = 0; k < b->count; k++) {
            assert_int_equal(offsets[k], place);
            place += want[k];
        }
        assert_int_equal(offsets[b->count], n);
        for (size_t i = 0; i < n; i++) { /* stable: each key is the next one of its bucket */
            assert_memory_equal(out + offsets[bucket[i]]++ * bytes, keys + i * bytes, bytes);
        }
    }
}

static void digits(void **state)
{
    (void)state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        unsigned size = 8 * (unsigned)upsweep_type_bytes(type);
        for (size_t s = 0; s < SIZES; s++) {
            unsigned widths[] = {8, 1, 5, size < 16 ? 3 : 16};
            unsigned bits = widths[(s + (size_t)type) % 4];
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_DIGIT, .bits = bits, .count = 1u << bits};
            b.bit = (unsigned)(s * 5) % (size - bits + 1);
            fill(keys, sizes[s], type, (int)(s % FILL_KINDS), s);
            for (size_t i = 0; i < sizes[s]; i++) {
                bucket[i] =
                    (uint32_t)(ordered(type, element(keys, i, type)) >> b.bit) & (b.count - 1);
            }
            check(sizes[s], type, &b, sizes[s] > 5000 ? (int)(s + (size_t)type) % HANDLES : -1);
        }
    }
}

/* numpy's edges, low + i * step and the last one high; a key belongs between two of them. */
static uint32_t width_bucket(double x, double low, double high, size_t count)
{
    double step = (high - low) / (double)count;
    if (!(x >= low && x <= high)) {
        return (uint32_t)count;
    }
    for (size_t i = 1; i < count; i++) {
        if (x < (double)i * step + low) {
            return (uint32_t)(i - 1);
        }
    }
    return (uint32_t)(count - 1);
}

static void equal_widths(void **state)
{
    (void)state;
    static const size_t count_of[] = {1, 3, 10, 49, 256};
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        size_t bytes = upsweep_type_bytes(type);
        for (size_t s = 0; s < SIZES - 1; s++) {
            uint64_t low = usw_type_is_float(type) ? float_bits(type, -0.7) : 3;
            uint64_t high = usw_type_is_float(type) ? float_bits(type, 1.3) : 100;
            bool open = s % 2 == 0 && type != UPSWEEP_F64; /* range taken from the keys */
            double least = value_of(type, low), most = value_of(type, high);
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = count_of[s % 5]};
            fill(keys, sizes[s], type, FILL_TAME, s);
            if (sizes[s] > 4 && !open) { /* both ends themselves, and keys on edges */
                memcpy(keys, &low, bytes);
                memcpy(keys + bytes, &high, bytes);
                uint64_t inner = usw_type_is_float(type) ? float_bits(type, -0.7 + 2.0 / 10) : 50;
                memcpy(keys + 2 * bytes, &inner, bytes);
            }
            b.low = open ? NULL : &low;
            b.high = open ? NULL : &high;
            for (size_t i = 0; open && i < sizes[s]; i++) {
                double x = value_of(type, element(keys, i, type));
                least = i == 0 || x < least ? x : least;
                most = i == 0 || x > most ? x : most;
            }
            if (least == most) {
                least -= 0.5;
                most += 0.5;
            }
            for (size_t i = 0; i < sizes[s]; i++) {
                bucket[i] =
                    width_bucket(value_of(type, element(keys, i, type)), least, most, b.count);
            }
            check(sizes[s], type, &b, sizes[s] > 5000 ? (int)(s + (size_t)type) % HANDLES : -1);
        }
    }
}

/* Where f64 has no number of its own for each integer: what is within [low, high] is told by
 * comparing integers, and the buckets are those of the nearest f64. */
static void far_integers(void **state)
{
    (void)state;
    static const uint64_t middles[] = {0, UINT64_C(1) << 53, UINT64_C(1) << 62, UINT64_C(1) << 63};
    static const size_t count_of[] = {1, 4, 7, 256};
    for (unsigned run = 0; run < 2 * 4 * 4 * 6; run++) {
        upsweep_type type = run % 2 ? UPSWEEP_I64 : UPSWEEP_U64;
        uint64_t sign =
            type == UPSWEEP_I64 ? UINT64_C(1) << 63 : 0; /* flipped: order as unsigned */
        uint64_t middle = middles[run / 2 % 4], span = UINT64_C(1) << (10 * (run / 32) + 3);
        uint64_t low = run / 8 % 2 ? middle : middle - span, high = low + span;
        upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = count_of[run / 8 % 4]};
        double least, most;
        uint64_t random = run, *x = (uint64_t *)(void *)keys;
        size_t n = 0, within = 0;
        if ((low ^ sign) > (high ^ sign)) {
            continue;
        }
        least = value_of(type, low);
        most = value_of(type, high);
        if (least == most) {
            continue; /* refused: no f64 lies between */
        }
        if ((most - least) / (double)b.count < 0x1p-50 * (fabs(least) + fabs(most))) {
            b.count = 1; /* edges would be the same f64, too: inside or not is what counts */
        }
        for (; n < 5000; n++) { /* the ends, their neighbours, and what lies between and around */
            uint64_t near = input_random(&random) % 9 - 4;
            x[n] = n % 3 == 0   ? low + near
                   : n % 3 == 1 ? high + near
                                : low - span + input_random(&random) % (3 * span);
        }
        for (size_t i = 0; i < n; i++) {
            bool inside = (x[i] ^ sign) >= (low ^ sign) && (x[i] ^ sign) <= (high ^ sign);
            bucket[i] = inside ? width_bucket(value_of(type, x[i]), least, most, b.count)
                               : (uint32_t)b.count;
            within += inside;
        }
        assert_true(within > n / 10 && within < n);
        b.low = &low;
        b.high = &high;
        check(n, type, &b, -1);
    }
    /* numpy.histogram([2^53 - 1, 2^53, 2^53 + 1], 4, (0, 2^53)) is [0, 0, 0, 2]. */
    uint64_t ends[2] = {0, UINT64_C(1) << 53}, three[3] = {ends[1] - 1, ends[1], ends[1] + 1};
    upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = 4};
    b.low = &ends[0];
    b.high = &ends[1];
    assert_int_equal(upsweep_histogram(handles[0], three, 3, UPSWEEP_U64, &b, counts, NULL),
                     UPSWEEP_OK);
    assert_int_equal(counts[3], 2);
    assert_int_equal(counts[0] + counts[1] + counts[2], 0);
    b.low = &three[2]; /* above high, though the same f64 */
    assert_int_equal(upsweep_histogram(handles[0], three, 3, UPSWEEP_U64, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
}

/* One value alone: a bucket of width 1 about it, in which no other integer lies. */
static void low_is_high(void **state)
{
    (void)state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        uint64_t at = usw_type_is_float(type) ? float_bits(type, 2) : 2;
        upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = 3, .low = &at, .high = &at};
        fill(keys, 300, type, FILL_TAME, 1);
        for (size_t i = 0; i < 300; i++) {
            if (i % 5 == 0) {
                memcpy(keys + i * upsweep_type_bytes(type), &at, upsweep_type_bytes(type));
            }
            bucket[i] = width_bucket(value_of(type, element(keys, i, type)), 1.5, 2.5, 3);
        }
        check(300, type, &b, -1);
    }
}

/* Keys that are edges themselves, where an estimate is off by one about every other time. */
static void keys_on_edges(void **state)
{
    (void)state;
    double low = 0.1, high = 0.9;
    enum { COUNT = 1000 };
    upsweep_bucketing b = {
        .kind = UPSWEEP_BUCKET_WIDTH, .count = COUNT, .low = &low, .high = &high};
    double *x = (double *)(void *)keys, step = (high - low) / COUNT;
    for (int i = 0; i <= COUNT; i++) {
        x[3 * i] = i == COUNT ? high : i * step + low;
        memcpy(&x[3 * i + 1], &(uint64_t){element(keys, (size_t)(3 * i), UPSWEEP_F64) + 1}, 8);
        memcpy(&x[3 * i + 2], &(uint64_t){element(keys, (size_t)(3 * i), UPSWEEP_F64) - 1}, 8);
    }
    for (int i = 0; i < 3 * COUNT + 3; i++) {
        bucket[i] = width_bucket(x[i], low, high, COUNT);
    }
    check(3 * COUNT + 3, UPSWEEP_F64, &b, -1);
}

static void edges(void **state)
{
    (void)state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        size_t bytes = upsweep_type_bytes(type);
        bool is_float = usw_type_is_float(type);
        for (size_t s = 0; s < SIZES; s++) {
            static const double places[] = {-1.5, -0.5, -0.5, 0, 0.25, 1, 1, 1.75, 1.75};
            enum { EDGES = 9 };
            unsigned char at[EDGES * 8];
            double value[EDGES];
            size_t count = s % 3 == 0 ? EDGES - 1 : s % 3 == 1 ? 1 : 5;
            for (size_t i = 0; i <= count; i++) {
                double offset = usw_type_is_signed(type) ? 0 : 50;
                uint64_t raw = is_float ? float_bits(type, places[i])
                                        : (uint64_t)(int64_t)(places[i] * 30 + offset);
                usw_store_raw(at + i * bytes, bytes, raw);
                value[i] = value_of(type, usw_load_raw(at + i * bytes, bytes));
            }
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_EDGES, .count = count, .edges = at};
            fill(keys, sizes[s], type, s % 4 == 3 ? FILL_SPECIAL : FILL_TAME, s);
            for (size_t i = 0; i < sizes[s]; i++) {
                double x = value_of(type, element(keys, i, type));
                bucket[i] = (uint32_t)count;
                for (size_t k = 0; k < count; k++) {
                    bool closed = k + 1 == count && x == value[count];
                    bucket[i] =
                        x >= value[k] && (x < value[k + 1] || closed) ? (uint32_t)k : bucket[i];
                }
            }
            check(sizes[s], type, &b, sizes[s] > 5000 ? (int)(s + (size_t)type) % HANDLES : -1);
        }
    }
}

static void bucket_numbers(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 2, 3, 4, 8, 13, 16};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (size_t s = 0; s < SIZES; s++) {
            size_t n = sizes[s] > 100000 ? 100000 : sizes[s], bytes = widths[w];
            upsweep_type type = (upsweep_type)(UPSWEEP_U8 + (int)((s + w) % 3));
            size_t count = type == UPSWEEP_U8 ? 200 : s % 2 ? 3 : 60000;
            unsigned char *ids = out, *to = out + N_MAX * 4;
            uint64_t random = s;
            fill(keys, (n * bytes + 7) / 8, UPSWEEP_U64, FILL_BITS, w);
            memset(want, 0, (count + 1) * sizeof *want);
            for (size_t i = 0; i < n; i++) {
                bucket[i] = (uint32_t)(input_random(&random) % count);
                usw_store_raw(ids + i * upsweep_type_bytes(type), upsweep_type_bytes(type),
                              bucket[i]);
                want[bucket[i] + 1]++;
            }
            for (size_t k = 0; k < count; k++) {
                want[k + 1] += want[k];
            }
            upsweep *u = handles[(s + w) % HANDLES];
            assert_int_equal(
                upsweep_split_ids(u, keys, ids, type, count, to, n, bytes, offsets, NULL),
                UPSWEEP_OK);
            assert_memory_equal(offsets, want, (count + 1) * sizeof *want);
            for (size_t i = 0; i < n; i++) {
                assert_memory_equal(to + want[bucket[i]]++ * bytes, keys + i * bytes, bytes);
            }
            if (n > 1) {
                memset(offsets, 3, sizeof offsets);
                assert_int_equal(upsweep_split_ids(u, keys, ids, type, bucket[n / 2], to, n, bytes,
                                                   offsets, NULL),
                                 UPSWEEP_ERROR_RANGE);
                assert_int_equal(offsets[0], UINT64_MAX / 255 * 3);
            }
        }
    }
}

static void errors(void **state)
{
    (void)state;
    upsweep *u = handles[1];
    float x[4] = {1, 2, 3, 1.0f / 0.0f}, to[4], nan = x[3] - x[3];
    float falling[3] = {3, 2, 1}, with_nan[3] = {1, nan, 2};
    upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = 2};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    counts[0] = 77;
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_RANGE);
    b.low = &x[1];
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b.high = &x[0];
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b.high = &x[3];
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_EDGES, .count = 2, .edges = falling};
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b.edges = with_nan;
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_DIGIT, .bits = 4, .count = 15};
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    b.count = 16;
    o.algorithm = "split/flags";
    assert_int_equal(upsweep_histogram(u, x, 4, UPSWEEP_F32, &b, counts, &o),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_split_keys(u, x, x, 4, UPSWEEP_F32, &b, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(counts[0], 77);
    assert_int_equal(upsweep_split_keys(u, x, to, 4, UPSWEEP_F32, &b, NULL, NULL), UPSWEEP_OK);
    /* Nothing but NaN has no range, and is in no bucket. */
    b = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_WIDTH, .count = 2};
    assert_int_equal(upsweep_histogram(u, &nan, 1, UPSWEEP_F32, &b, counts, NULL), UPSWEEP_OK);
    assert_int_equal(counts[0] + counts[1], 0);
}

static int open_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    keys = malloc(N_MAX * 16 + 64);
    out = malloc(N_MAX * 24 + 64);
    bucket = malloc(N_MAX * sizeof *bucket);
    return keys == NULL || out == NULL || bucket == NULL;
}

static int close_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    free(keys);
    free(out);
    free(bucket);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits),         cmocka_unit_test(equal_widths),
        cmocka_unit_test(keys_on_edges),  cmocka_unit_test(far_integers),
        cmocka_unit_test(low_is_high),    cmocka_unit_test(edges),
        cmocka_unit_test(bucket_numbers), cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

/* test_rounded.c - UPSWEEP_ROUNDED: sums and products of floating-point numbers, rounded once to
 * the type of the elements, of arrays, rows and columns. The oracle finds the nearest numbers of a
 * type by search among all of them, and knows nothing of how bits are rounded. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_plain.h"

#include <math.h>

static upsweep *handles[HANDLES];
static const upsweep_type types[] = {UPSWEEP_F16, UPSWEEP_BF16, UPSWEEP_F32, UPSWEEP_F64};
enum { N_MAX = 40000, GUARD = 0x5a };
static unsigned char data[N_MAX * 8], results[N_MAX * 8 + 1];

/* The bits of the positive quiet NaN. */
static uint64_t quiet_nan(upsweep_type type)
{
    return type == UPSWEEP_F16    ? 0x7e00
           : type == UPSWEEP_BF16 ? 0x7fc0
           : type == UPSWEEP_F32  ? 0x7fc00000
                                  : UINT64_C(0x7ff8) << 48;
}

/* The bits of infinity, which all finite positive numbers are below, in their order. */
static uint64_t infinity_bits(upsweep_type type)
{
    return type == UPSWEEP_F16 ? 0x7c00 : type == UPSWEEP_BF16 ? 0x7f80 : 0x7f800000;
}

/* What the number after the greatest would be: where rounding is concerned, infinity. */
static double after_greatest(upsweep_type type)
{
    return type == UPSWEEP_F16 ? 65536.0 : 0x1p128;
}

/* The number of the type that is nearest to v, of two the even one; found by halving. */
static uint64_t nearest(upsweep_type type, double v)
{
    uint64_t bits, low = 0, high = infinity_bits(type), sign;
    if (v != v) {
        return quiet_nan(type);
    }
    if (type == UPSWEEP_F64) {
        memcpy(&bits, &v, 8);
        return bits;
    }
    sign = signbit(v) ? UINT64_C(1) << (8 * upsweep_type_bytes(type) - 1) : 0;
    v = fabs(v);
    if (v >= after_greatest(type)) {
        return high | sign;
    }
    while (high - low > 1) { /* low is at most v, and high above it */
        uint64_t middle = low + (high - low) / 2;
        *(float_value(type, middle) <= v ? &low : &high) = middle;
    }
    double below = float_value(type, low);
    double above = high == infinity_bits(type) ? after_greatest(type) : float_value(type, high);
    double to_below = v - below, to_above = above - v; /* exact: all three are near one another */
    bool up = to_above < to_below || (to_above == to_below && low % 2 == 1);
    return (up ? high : low) | sign;
}

static uint64_t plain(const void *at, size_t n, upsweep_type type, upsweep_op op)
{
    uint64_t bits = plain_sum_of_floats(at, n, type, op);
    return nearest(type, float_value(UPSWEEP_F64, bits));
}

static void expect(const char *what, upsweep_type type, size_t at, size_t bytes, uint64_t want)
{
    uint64_t got = usw_load_raw(results + at * bytes, bytes);
    if (got != want) {
        fail_msg("%s of %s: result %zu is %llx, not %llx", what, upsweep_type_name(type), at,
                 (unsigned long long)got, (unsigned long long)want);
    }
}

/* ---- numbers whose sums lie where rounding by way of another type goes wrong ---- */

/* Two numbers, and the bits of their sum: ties go to the even number. */
static const struct {
    upsweep_type type;
    double a, b;
    uint64_t bits;
} middles[] = {
    {UPSWEEP_F16, 2048.0, 1.0, 0x6800},
    {UPSWEEP_F16, 2050.0, 1.0, 0x6802},
    {UPSWEEP_F16, 65504.0, 15.0, 0x7bff},
    {UPSWEEP_F16, 65504.0, 16.0, 0x7c00},
    {UPSWEEP_F16, -65504.0, -16.0, 0xfc00},
    {UPSWEEP_F16, 0x1p-24, -0x1p-24, 0x0000},
    {UPSWEEP_F16, 0x1p-14, -0x1p-24, 0x03ff},
    {UPSWEEP_BF16, 256.0, 1.0, 0x4380},
    {UPSWEEP_BF16, 258.0, 1.0, 0x4382},
    {UPSWEEP_BF16, 0x1.fep127, 0x1p119, 0x7f80},
    {UPSWEEP_BF16, 0x1p-133, 0x1p-133, 0x0002},
    {UPSWEEP_F32, 0x1p24, 1.0, 0x4b800000},
    {UPSWEEP_F32, 0x1.000002p24, 1.0, 0x4b800002},
    {UPSWEEP_F32, 0x1.fffffep127, 0x1p103, 0x7f800000},
    {UPSWEEP_F32, 0x1p-149, 0x1p-149, 0x00000002},
};

static void sum_of(upsweep *u, size_t n, upsweep_type type, upsweep_op op, unsigned more)
{
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_ROUNDED | more};
    size_t bytes = upsweep_type_bytes(type);
    memset(results, GUARD, bytes + 1);
    assert_int_equal(upsweep_reduce(u, data, n, type, op, results, &o), UPSWEEP_OK);
    assert_int_equal(results[bytes], GUARD);
}

static void put(upsweep_type type, size_t i, double v)
{
    usw_store_raw(data + i * upsweep_type_bytes(type), upsweep_type_bytes(type), nearest(type, v));
}

static void ties(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof middles / sizeof *middles; m++) {
        upsweep_type type = middles[m].type;
        put(type, 0, middles[m].a);
        put(type, 1, middles[m].b);
        for (int h = 0; h < HANDLES; h++) {
            sum_of(handles[h], 2, type, UPSWEEP_SUM, 0);
            expect("a sum of two", type, 0, upsweep_type_bytes(type), middles[m].bits);
        }
    }
}

/* Just beyond a tie, by what f32 cannot hold: rounded to f32 first, it would be the tie itself, and
 * go to the even number below. Of f16 and bf16 by a third number. */
static void beyond_ties(void **state)
{
    static const struct {
        upsweep_type type;
        double a, b, c;
        uint64_t above;
    } cases[] = {{UPSWEEP_F16, 4096.0, 2.0, 0x1p-24, 0x6c01},
                 {UPSWEEP_F16, 4100.0, 2.0, -0x1p-24, 0x6c01},
                 {UPSWEEP_BF16, 256.0, 1.0, 0x1p-30, 0x4381},
                 {UPSWEEP_BF16, 258.0, 1.0, -0x1p-30, 0x4381},
                 {UPSWEEP_F32, 0x1p24, 1.0, 0x1p-20, 0x4b800001},
                 {UPSWEEP_F32, 0x1.000002p24, 1.0, -0x1p-20, 0x4b800001}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        upsweep_type type = cases[k].type;
        double sum = cases[k].a + cases[k].b + cases[k].c;
        if (type != UPSWEEP_F32) { /* the case is one */
            assert_true((double)(float)sum == cases[k].a + cases[k].b);
        }
        assert_int_equal(nearest(type, sum), cases[k].above);
        put(type, 0, cases[k].a);
        put(type, 1, cases[k].b);
        put(type, 2, cases[k].c);
        for (int h = 0; h < HANDLES; h++) {
            sum_of(handles[h], 3, type, UPSWEEP_SUM, h % 2 == 0 ? 0 : UPSWEEP_UNORDERED);
            expect("beyond a tie", type, 0, upsweep_type_bytes(type), cases[k].above);
        }
    }
}

static void nans(void **state)
{
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        upsweep_type type = types[t];
        size_t bytes = upsweep_type_bytes(type);
        for (size_t n = 1; n <= 5000; n = n * 17 + 3) {
            for (int h = 0; h < HANDLES; h++) {
                fill(data, n, type, FILL_NAN, n + (size_t)h);
                sum_of(handles[h], n, type, h % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT, 0);
                expect("NaN", type, 0, bytes, quiet_nan(type));
            }
        }
    }
}

/* ---- arrays, rows and columns of all kinds of numbers ---- */

static void arrays(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 7, 128, 129, 4096, 4097, 20000, N_MAX};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (unsigned k = 0; k < 4 * 2 * FILL_KINDS; k++) {
            upsweep_type type = types[k % 4];
            upsweep_op op = k / 4 % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT;
            fill(data, sizes[s], type, (int)(k / 8), s + k);
            sum_of(handles[(s + k) % HANDLES], sizes[s], type, op, 0);
            uint64_t want = sizes[s] > 0            ? plain(data, sizes[s], type, op)
                            : op == UPSWEEP_PRODUCT ? nearest(type, 1)
                                                    : 0;
            expect("an array", type, 0, upsweep_type_bytes(type), want);
        }
    }
}

static void rows(void **state)
{
    static const uint64_t begin[] = {0, 0, 1, 9, 140, 141, 4400, 4400, 4528, 20000, N_MAX};
    enum { ROWS = sizeof begin / sizeof *begin - 1 };
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_ROUNDED};
    (void)state;
    for (unsigned k = 0; k < 4 * 2 * FILL_KINDS * HANDLES; k++) {
        upsweep_type type = types[k % 4];
        upsweep_op op = k / 4 % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT;
        size_t bytes = upsweep_type_bytes(type);
        fill(data, N_MAX, type, (int)(k / 8 % FILL_KINDS), k);
        memset(results, GUARD, ROWS * bytes + 1);
        assert_int_equal(upsweep_reduce_rows(handles[k / 8 / FILL_KINDS], data, N_MAX, type, begin,
                                             ROWS, op, results, &o),
                         UPSWEEP_OK);
        assert_int_equal(results[ROWS * bytes], GUARD);
        for (size_t r = 0; r < ROWS; r++) {
            size_t n = (size_t)(begin[r + 1] - begin[r]);
            expect("a row", type, r, bytes, plain(data + begin[r] * bytes, n, type, op));
        }
    }
}

static void columns(void **state)
{
    static const size_t extents[][3] = {{1, 3, 1000}, {2, 10, 700}, {3, 1, 50},  {4, 2, 3},
                                        {1, 129, 20}, {1, 5000, 7}, {7, 300, 1}, {2, 0, 5}};
    static unsigned char column[5000 * 8];
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_ROUNDED};
    (void)state;
    for (unsigned k = 0; k < 8 * 4 * 2 * FILL_KINDS; k++) {
        const size_t *e = extents[k / 8 % 8];
        upsweep_type type = types[k % 4];
        upsweep_op op = k / 4 % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT;
        size_t bytes = upsweep_type_bytes(type), count = e[0] * e[2];
        fill(data, count * e[1], type, (int)(k / 64), k);
        memset(results, GUARD, count * bytes + 1);
        assert_int_equal(upsweep_reduce_axis(handles[k % HANDLES], data, e[0], e[1], e[2], type, op,
                                             results, &o),
                         UPSWEEP_OK);
        assert_int_equal(results[count * bytes], GUARD);
        for (size_t c = 0; c < count; c++) {
            const unsigned char *top = data + (c / e[2] * e[1] * e[2] + c % e[2]) * bytes;
            for (size_t l = 0; l < e[1]; l++) {
                memcpy(column + l * bytes, top + l * e[2] * bytes, bytes);
            }
            expect("a column", type, c, bytes, plain(column, e[1], type, op));
        }
    }
}

/* Sums of -0 are +0, since every lane starts at +0; products keep their sign. */
static void zeros(void **state)
{
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_ROUNDED};
    (void)state;
    for (unsigned k = 0; k < 4 * 2 * 20; k++) {
        enum { COLUMNS = 270 };
        upsweep_type type = types[k % 4];
        upsweep_op op = k / 4 % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT;
        size_t bytes = upsweep_type_bytes(type), rows = k / 8 + 1, n = rows * COLUMNS;
        for (size_t i = 0; i < n; i++) {
            put(type, i, -0.0);
        }
        assert_int_equal(upsweep_reduce_axis(handles[k % HANDLES], data, 1, rows, COLUMNS, type, op,
                                             results, &o),
                         UPSWEEP_OK);
        uint64_t want = plain(data, rows, type, op);
        for (size_t c = 0; c < COLUMNS; c++) {
            expect("zeros", type, c, bytes, want);
        }
        assert_true(op == UPSWEEP_PRODUCT || want == 0);
    }
}

/* ---- what the flag does not change ---- */

static void integers_and_others(void **state)
{
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_ROUNDED};
    unsigned char without[8], with[8];
    (void)state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
            bool rounded = usw_type_is_float(type) && op <= UPSWEEP_PRODUCT;
            if (upsweep_reduce_type(type, op) == 0 || rounded) {
                continue;
            }
            fill(data, 1000, type, FILL_TAME, type);
            memset(without, GUARD, 8);
            memset(with, GUARD, 8);
            assert_int_equal(upsweep_reduce(handles[0], data, 1000, type, op, without, NULL),
                             UPSWEEP_OK);
            assert_int_equal(upsweep_reduce(handles[0], data, 1000, type, op, with, &o),
                             UPSWEEP_OK);
            assert_memory_equal(with, without, 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties),  cmocka_unit_test(beyond_ties),
        cmocka_unit_test(nans),  cmocka_unit_test(arrays),
        cmocka_unit_test(rows),  cmocka_unit_test(columns),
        cmocka_unit_test(zeros), cmocka_unit_test(integers_and_others),
    };
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    return failed;
}

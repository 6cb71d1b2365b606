/* test_reduce.c - reductions against plain serial loops, for every type, operator, instruction set
 * and several thread counts; floats against the order of core/order.h, written out serially. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_plain.h"

static upsweep *handles[HANDLES];

static const size_t sizes[] = {0,    1,     2,     3,      7,      8,      15,    31,   64,
                               127,  128,   129,   511,    512,    1000,   4095,  4096, 4097,
                               8192, 12289, 20000, 262143, 262144, 262145, 270000};
enum { SIZES = sizeof sizes / sizeof sizes[0], N_MAX = 270000 };

static void check_extremes(upsweep *u, const void *data, size_t n, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    for (int greatest = 0; greatest < 2; greatest++) {
        size_t at, index = 12345;
        unsigned char one[8] = {0}, least[8] = {0}, most[8] = {0};
        upsweep_op op = greatest ? UPSWEEP_GREATEST : UPSWEEP_LEAST;
        uint64_t want = plain_extreme(data, n, type, greatest, &at);
        assert_int_equal(upsweep_reduce(u, data, n, type, op, one, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_minmax(u, data, n, type, least, most, NULL), UPSWEEP_OK);
        assert_memory_equal(one, greatest ? most : least, 8);
        if (n == 0) {
            assert_int_equal(upsweep_argmin(u, data, n, type, &index, NULL),
                             UPSWEEP_ERROR_ARGUMENT);
            continue;
        }
        assert_int_equal(
            (greatest ? upsweep_argmax : upsweep_argmin)(u, data, n, type, &index, NULL),
            UPSWEEP_OK);
        assert_int_equal(index, at == n ? 0 : at);
        if (at == n) {
            assert_true(is_nan(type, usw_load_raw(one, bytes)));
        } else {
            assert_int_equal(usw_load_raw(one, bytes), want);
        }
    }
}

static void check_type(upsweep *u, const void *data, size_t n, upsweep_type type, int kind)
{
    for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
        unsigned char result[9] = {0};
        upsweep_type out = upsweep_reduce_type(type, op);
        if (out == 0) {
            memset(result, 7, sizeof result);
            assert_int_equal(upsweep_reduce(u, data, n, type, op, result, NULL),
                             UPSWEEP_ERROR_UNSUPPORTED);
            assert_int_equal(result[0], 7);
            continue;
        }
        if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
            continue;
        }
        size_t bytes = upsweep_type_bytes(out);
        result[bytes] = 99;
        assert_int_equal(upsweep_reduce(u, data, n, type, op, result, NULL), UPSWEEP_OK);
        uint64_t want = usw_type_is_float(type) ? plain_sum_of_floats(data, n, type, op)
                                                : plain_exact(data, n, type, op);
        uint64_t got = usw_load_raw(result, bytes);
        want &= UINT64_MAX >> (64 - 8 * bytes);
        if (got != want) {
            fail_msg("%s op %d n %zu kind %d: %llx, not %llx", upsweep_type_name(type), (int)op, n,
                     kind, (unsigned long long)got, (unsigned long long)want);
        }
        assert_int_equal(result[bytes], 99);
    }
    check_extremes(u, data, n, type);
}

static void all_types_and_sizes(void **state)
{
    (void)state;
    unsigned char *space = malloc((N_MAX + 8) * 8);
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (size_t s = 0; s < SIZES; s++) {
            /* An odd start: aligned to the element only. */
            unsigned char *data = space + upsweep_type_bytes(type) * (s % 5);
            int kinds = sizes[s] > 5000 ? 1 : FILL_KINDS;
            for (int k = 0; k < kinds; k++) {
                int kind = kinds == 1 ? (int)(s % 3) : k;
                fill(data, sizes[s], type, kind, s * 31 + (uint64_t)type);
                for (int h = 0; h < HANDLES; h++) {
                    if (sizes[s] <= 5000 || h % 3 == (int)(s % 3)) {
                        check_type(handles[h], data, sizes[s], type, kind);
                    }
                }
            }
        }
    }
    free(space);
}

/* Rows of lanes, what is left of one, tiles: all lengths up to more than a tile, and some beyond
 * the caches. */
static void floats_of_every_length(void **state)
{
    (void)state;
    enum { MOST = 5000, FAR = 1200000 };
    unsigned char *data = malloc(FAR * sizeof(double));
    for (upsweep_type type = UPSWEEP_F16; type <= UPSWEEP_F64; type++) {
        for (size_t n = 0; n <= MOST + 3; n++) {
            size_t count = n <= MOST ? n : FAR - 3001 * (n - MOST);
            upsweep_op op = n % 2 == 0 ? UPSWEEP_SUM : UPSWEEP_PRODUCT;
            fill(data, count, type, n % 8 == 1 ? FILL_SPECIAL : FILL_TAME, n);
            uint64_t want = plain_sum_of_floats(data, count, type, op), got = 0;
            for (int h = 0; h < HANDLES; h++) {
                assert_int_equal(upsweep_reduce(handles[h], data, count, type, op, &got, NULL),
                                 UPSWEEP_OK);
                if (got != want) {
                    fail_msg("%s op %d n %zu handle %d: %llx, not %llx", upsweep_type_name(type),
                             (int)op, count, h, (unsigned long long)got, (unsigned long long)want);
                }
            }
        }
    }
    free(data);
}

enum { ROWS = 3, ROW_MOST = 4097 };

static void check_rows(upsweep *u, const unsigned char *data, size_t n, upsweep_type type,
                       upsweep_op op)
{
    const uint64_t begin[ROWS + 1] = {0, n, 2 * n, 3 * n};
    size_t bytes = upsweep_type_bytes(upsweep_reduce_type(type, op)), at;
    unsigned char got[2][ROWS * 8];
    assert_int_equal(upsweep_reduce_rows(u, data, ROWS * n, type, NULL, ROWS, op, got[0], NULL),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_reduce_rows(u, data, ROWS * n, type, begin, ROWS, op, got[1], NULL),
                     UPSWEEP_OK);
    assert_memory_equal(got[0], got[1], ROWS * bytes);
    for (size_t r = 0; r < ROWS; r++) {
        const unsigned char *row = data + r * n * upsweep_type_bytes(type);
        uint64_t want = op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST
                            ? plain_extreme(row, n, type, op == UPSWEEP_GREATEST, &at)
                        : usw_type_is_float(type) ? plain_sum_of_floats(row, n, type, op)
                                                  : plain_exact(row, n, type, op);
        want &= UINT64_MAX >> (64 - 8 * bytes);
        if (usw_load_raw(got[0] + r * bytes, bytes) != want) {
            fail_msg("%s op %d row %zu of %zu: not %llx", upsweep_type_name(type), (int)op, r, n,
                     (unsigned long long)want);
        }
    }
}

/* Rows of every length around that of the lanes and of a tile; of nothing but -0, too, whose sum is
 * +0. */
static void rows_of_one_tile(void **state)
{
    (void)state;
    static const size_t longer[] = {255, 256, 257, 511, 513, 1000, 4095, 4096, ROW_MOST};
    unsigned char *data = malloc((ROWS * ROW_MOST + 1) * 8);
    for (size_t k = 1; k <= 130 + sizeof longer / sizeof *longer; k++) {
        size_t n = k <= 130 ? k : longer[k - 131];
        for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            size_t bytes = upsweep_type_bytes(type);
            for (int kind = FILL_TAME; kind <= FILL_SPECIAL; kind++) {
                fill(data, ROWS * n, type, kind, k);
                for (size_t i = 0; usw_type_is_float(type) && kind == FILL_BITS && i < n; i++) {
                    usw_store_raw(data + i * bytes, bytes, UINT64_C(1) << (8 * bytes - 1));
                }
                for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
                    bool nans = usw_type_is_float(type) && kind == FILL_BITS && op >= UPSWEEP_LEAST;
                    for (int h = 0; upsweep_reduce_type(type, op) != 0 && !nans && h < 3; h++) {
                        check_rows(handles[h], data, n, type, op);
                    }
                }
            }
        }
    }
    free(data);
}

static void identities(void **state)
{
    (void)state;
    double d;
    int8_t i8;
    uint16_t h;
    uint64_t u64;
    float f;
    upsweep *u = handles[0];
    assert_int_equal(upsweep_reduce(u, NULL, 0, UPSWEEP_F16, UPSWEEP_PRODUCT, &d, NULL),
                     UPSWEEP_OK);
    assert_true(d == 1.0);
    upsweep_reduce(u, NULL, 0, UPSWEEP_I8, UPSWEEP_LEAST, &i8, NULL);
    assert_int_equal(i8, 127);
    upsweep_reduce(u, NULL, 0, UPSWEEP_I8, UPSWEEP_GREATEST, &i8, NULL);
    assert_int_equal(i8, -128);
    upsweep_reduce(u, NULL, 0, UPSWEEP_BF16, UPSWEEP_GREATEST, &h, NULL);
    assert_int_equal(h, 0xff80);
    upsweep_reduce(u, NULL, 0, UPSWEEP_F16, UPSWEEP_LEAST, &h, NULL);
    assert_int_equal(h, 0x7c00);
    upsweep_reduce(u, NULL, 0, UPSWEEP_F32, UPSWEEP_LEAST, &f, NULL);
    assert_true(f == 1.0f / 0.0f);
    upsweep_reduce(u, NULL, 0, UPSWEEP_U64, UPSWEEP_AND, &u64, NULL);
    assert_true(u64 == UINT64_MAX);
    upsweep_reduce(u, NULL, 0, UPSWEEP_U8, UPSWEEP_PRODUCT, &u64, NULL);
    assert_true(u64 == 1);
}

/* -0 is less than +0, and the first of equals is found, across tiles too. */
static void ties(void **state)
{
    (void)state;
    enum { N = 20000 };
    double *data = calloc(N, sizeof *data);
    size_t at;
    data[9000] = -0.0;
    data[15000] = -0.0;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_argmin(handles[h], data, N, UPSWEEP_F64, &at, NULL);
        assert_int_equal(at, 9000);
        upsweep_argmax(handles[h], data, N, UPSWEEP_F64, &at, NULL);
        assert_int_equal(at, 0);
    }
    free(data);
}

static void errors(void **state)
{
    (void)state;
    upsweep *u = handles[1];
    uint32_t data[4] = {1, 2, 3, 4};
    uint64_t r = 77;
    size_t at;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    assert_int_equal(upsweep_reduce(u, NULL, 4, UPSWEEP_U32, UPSWEEP_SUM, &r, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(u, data, 4, (upsweep_type)99, UPSWEEP_SUM, &r, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(u, data, 4, UPSWEEP_U32, (upsweep_op)0, &r, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(u, data, 4, UPSWEEP_U32, (upsweep_op)8, &r, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(u, data, SIZE_MAX / 2, UPSWEEP_U32, UPSWEEP_SUM, &r, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_argmin(u, data, 4, UPSWEEP_U32, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_minmax(u, data, 4, UPSWEEP_U32, &r, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    o.algorithm = "sort/radix";
    assert_int_equal(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_SUM, &r, &o),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_argmax(u, data, 4, UPSWEEP_U32, &at, &o), UPSWEEP_ERROR_ALGORITHM);
    o.algorithm = NULL;
    o.flags = UPSWEEP_EXCLUSIVE;
    assert_int_equal(upsweep_reduce(u, data, 4, UPSWEEP_U32, UPSWEEP_SUM, &r, &o),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(r, 77);
    assert_int_equal(upsweep_reduce_type(UPSWEEP_F32, UPSWEEP_AND), 0);
    assert_int_equal(upsweep_reduce_type((upsweep_type)0, UPSWEEP_SUM), 0);
    assert_int_equal(upsweep_reduce_type(UPSWEEP_BF16, UPSWEEP_LEAST), UPSWEEP_BF16);
}

static void callers_operator(void **state)
{
    (void)state;
    enum { N = 50000 };
    affine *data = malloc(N * sizeof *data), want = {1, 0};
    fill(data, N, UPSWEEP_U64, FILL_BITS, 5);
    for (size_t n = 0; n <= N; n++) {
        if (n < 3 || n == 4096 || n == 4097 || n == N) {
            for (int h = 0; h < HANDLES; h++) {
                affine got = {1, 0};
                assert_int_equal(
                    upsweep_reduce_by(handles[h], data, n, sizeof *data, compose, NULL, &got, NULL),
                    UPSWEEP_OK);
                assert_memory_equal(&got, &want, sizeof got);
            }
        }
        if (n < N) {
            compose(&want, &data[n], NULL);
        }
    }
    assert_int_equal(upsweep_reduce_by(handles[0], data, N, 8, NULL, NULL, &want, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce_by(handles[0], data, N, 0, compose, NULL, &want, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    free(data);
}

/* Widening is exact and narrowing rounds to nearest even: every half comes back, every midpoint
 * between two neighbours goes to the even one. */
static void halves(void **state)
{
    (void)state;
    for (int kind = UPSWEEP_F16; kind <= UPSWEEP_BF16; kind++) {
        upsweep_type type = (upsweep_type)kind;
        uint32_t infinity = type == UPSWEEP_F16 ? 0x7c00 : 0x7f80;
        for (uint32_t h = 0; h < infinity; h++) {
            double here = float_value(type, h), next = float_value(type, h + 1);
            assert_int_equal(float_bits(type, here), h);
            assert_int_equal(float_bits(type, -here), h | 0x8000);
            if (h + 1 < infinity) {
                double middle = here + (next - here) / 2;
                assert_int_equal(float_bits(type, middle), h + (h & 1));
                assert_int_equal(float_bits(type, middle * (1 + 1e-15)), h + 1);
                assert_int_equal(float_bits(type, middle * (1 - 1e-15)), h);
            }
        }
        assert_int_equal(float_bits(type, 1e300), infinity);
        assert_int_equal(float_bits(type, 1e-300), 0);
        assert_true(float_value(type, infinity) == 1.0 / 0.0);
        assert_true(is_nan(type, infinity + 1));
    }
    assert_true(float_value(UPSWEEP_F16, 0x3555) == 0.333251953125);
    assert_true(float_value(UPSWEEP_F16, 1) == 0x1p-24);
}

static int open_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_and_sizes),
        cmocka_unit_test(floats_of_every_length),
        cmocka_unit_test(rows_of_one_tile),
        cmocka_unit_test(identities),
        cmocka_unit_test(ties),
        cmocka_unit_test(errors),
        cmocka_unit_test(callers_operator),
        cmocka_unit_test(halves),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

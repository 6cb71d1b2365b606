/* test_scan.c - scans against plain serial loops, for every type, operator, instruction set and
 * several thread counts; sums of floats against the order of core/order.h, written out recursively.
 */
/* SPDX-License-Identifier: MIT */
#include "test/shared/scan_plain.h"

static upsweep *handles[HANDLES];

static const size_t sizes[] = {1,    2,    3,     7,     8,     9,     15,     16,    17,
                               31,   33,   63,    64,    65,    100,   127,    129,   511,
                               512,  513,  575,   577,   1000,  3585,  4095,   4096,  4097,
                               8192, 9000, 16384, 16385, 65536, 65537, 140000, 300000};
enum { SIZES = sizeof sizes / sizeof sizes[0], N_MAX = 300000 };

/* ---- the tests ---- */

static unsigned char *in_space, *out_space, *want;
static uint8_t *heads;
static uint32_t *keys;

/* NaNs met by LEAST and GREATEST are any; others must have the same bits. */
static void check_same(const void *got, size_t n, upsweep_type type, upsweep_op op,
                       const char *what, int h)
{
    bool loose = op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST;
    if (memcmp(got, want, n * upsweep_type_bytes(type)) == 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t a = element(got, i, type), b = element(want, i, type);
        if (a != b && !(loose && is_nan(type, a) && is_nan(type, b))) {
            fail_msg("%s %s op %d n %zu handle %d: [%zu] is %llx, not %llx", what,
                     upsweep_type_name(type), (int)op, n, h, i, (unsigned long long)a,
                     (unsigned long long)b);
        }
    }
}

static void check_all_forms(size_t n, upsweep_type type, upsweep_op op, unsigned flags, int only,
                            size_t shift)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *in = in_space + shift * bytes, *out = out_space + (shift * 3 + 1) % 7 * bytes;
    upsweep_options o = {sizeof o, NULL, flags, 0, 0};
    bool exclusive = flags != 0;
    for (int way = 0; way < 3; way++) {
        plain_scan(in, way == 0 ? NULL : heads, want, n, type, op, exclusive);
        for (int h = 0; h < HANDLES; h++) {
            upsweep *u = handles[h];
            bool same = (h + way) % 2 == 0; /* out is in */
            unsigned char *to = same ? out : out_space;
            const unsigned char *from = same ? out : in;
            if (only >= 0 && h != only) {
                continue;
            }
            memset(out_space, 0xee, (n + 8) * bytes);
            if (same) {
                memcpy(out, in, n * bytes);
            }
            upsweep_status status =
                way == 0   ? upsweep_scan(u, from, to, n, type, op, &o)
                : way == 1 ? upsweep_scan_segmented(u, from, heads, to, n, type, op, &o)
                           : upsweep_scan_by_key(u, keys, UPSWEEP_U32, from, to, n, type, op, &o);
            assert_int_equal(status, UPSWEEP_OK);
            check_same(to, n, type, op, way == 0 ? "scan" : way == 1 ? "segmented" : "by key", h);
            assert_int_equal(to[n * bytes], 0xee);
        }
    }
}

/* Starts every 2^sparse elements or so; keys that change exactly there. */
static void make_heads(size_t n, unsigned sparse, uint64_t seed)
{
    uint64_t state = seed;
    uint32_t key = 5;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state);
        heads[i] = r % (UINT64_C(1) << sparse) == 0 ? (uint8_t)(1 + (r >> 56)) | 1 : 0;
        key += i > 0 && heads[i] != 0;
        keys[i] = key;
    }
}

static void all_types_and_sizes(void **state)
{
    (void)state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (size_t s = 0; s < SIZES; s++) {
            size_t n = sizes[s];
            bool small = n < 3000;
            for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
                if (upsweep_reduce_type(type, op) == 0 ||
                    (!small && op > UPSWEEP_SUM && (s + (size_t)op + (size_t)type) % 4 != 0)) {
                    continue;
                }
                int kind = (int)((s + (size_t)op) % FILL_KINDS);
                fill(in_space + s % 5 * upsweep_type_bytes(type), n, type, kind, s);
                make_heads(n, (unsigned)(s * 7 + (size_t)op) % 13, s);
                unsigned flags = (s + (size_t)op) % 3 == 0 ? UPSWEEP_EXCLUSIVE : 0;
                int only = small ? -1 : (int)((s + (size_t)type + (size_t)op) % HANDLES);
                check_all_forms(n, type, op, flags, only, s % 5);
                if (small) {
                    check_all_forms(n, type, op, flags ^ UPSWEEP_EXCLUSIVE, only, s % 5);
                }
            }
        }
    }
}

/* Sums of floats in all sizes of fill, on all handles: the same bits. */
static void floats_have_the_same_bits(void **state)
{
    (void)state;
    for (upsweep_type type = UPSWEEP_F16; type <= UPSWEEP_F64; type++) {
        for (int kind = 0; kind < FILL_KINDS; kind++) {
            fill(in_space, 70001, type, kind, 77);
            make_heads(70001, 10, 3);
            check_all_forms(70001, type, UPSWEEP_SUM, kind % 2 ? UPSWEEP_EXCLUSIVE : 0, -1, 0);
            check_all_forms(5001, type, UPSWEEP_PRODUCT, 0, -1, 0);
        }
    }
}

/* Results larger than the caches are streamed; starts at every alignment. */
static void large_results(void **state)
{
    (void)state;
    size_t n = 9 * 1000 * 1000 + 3;
    uint32_t *in = malloc((n + 16) * 4), *out = malloc((n + 16) * 4);
    float *f = malloc((n + 16) * 4);
    for (size_t i = 0; i < n + 16; i++) {
        in[i] = (uint32_t)(i * 2654435761u);
        f[i] = 0.5f;
    }
    for (int h = 0; h < HANDLES; h++) {
        size_t shift = (size_t)h * 3;
        uint32_t sum = 0;
        size_t wrong = 0;
        out[shift + n] = 4711;
        assert_int_equal(
            upsweep_scan(handles[h], in, out + shift, n, UPSWEEP_U32, UPSWEEP_SUM, NULL),
            UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) {
            sum += in[i];
            wrong += out[shift + i] != sum;
        }
        assert_int_equal(wrong, 0);
        assert_int_equal(out[shift + n], 4711);
        float *fout = (float *)(void *)out;
        assert_int_equal(
            upsweep_scan(handles[h], f, fout + shift, n, UPSWEEP_F32, UPSWEEP_SUM, NULL),
            UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) {
            wrong += fout[shift + i] != (float)(0.5 * (double)(i + 1));
        }
        assert_int_equal(wrong, 0);
        assert_int_equal(out[shift + n], 4711);
    }
    free(in);
    free(out);
    free(f);
}

/* ---- a caller's operator that does not commute ---- */

static void callers_operator(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 4095, 4096, 4097, 50000};
    enum { N = 50000 };
    affine *data = malloc(N * sizeof *data), *out = malloc(N * sizeof *out), one = {1, 0};
    fill(data, N, UPSWEEP_U64, FILL_BITS, 5);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        for (int h = 0; h < 2 * HANDLES; h++) {
            upsweep_options o = {sizeof o, NULL, h % 2 ? UPSWEEP_EXCLUSIVE : 0, 0, 0};
            bool same = h % 3 == 0;
            memcpy(out, data, N * sizeof *out);
            assert_int_equal(upsweep_scan_by(handles[h / 2], same ? out : data, out, counts[k],
                                             sizeof one, compose, NULL, &one, &o),
                             UPSWEEP_OK);
            affine value = one;
            for (size_t i = 0; i < counts[k]; i++) {
                affine before = value;
                compose(&value, &data[i], NULL);
                assert_memory_equal(&out[i], h % 2 ? &before : &value, sizeof value);
            }
        }
    }
    free(data);
    free(out);
}

static void errors(void **state)
{
    (void)state;
    upsweep *u = handles[1];
    uint32_t a[4] = {1, 2, 3, 4}, b[4] = {9, 9, 9, 9};
    uint8_t h[4] = {0};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    assert_int_equal(upsweep_scan(u, NULL, b, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan(u, a, NULL, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan(u, a, b, 4, (upsweep_type)0, UPSWEEP_SUM, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan(u, a, b, 4, UPSWEEP_U32, (upsweep_op)9, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan(u, a, b, 4, UPSWEEP_F32, UPSWEEP_XOR, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_int_equal(upsweep_scan_segmented(u, a, NULL, b, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(
        upsweep_scan_by_key(u, NULL, UPSWEEP_U8, a, b, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL),
        UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(
        upsweep_scan_by_key(u, h, (upsweep_type)77, a, b, 4, UPSWEEP_U32, UPSWEEP_SUM, NULL),
        UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan_by(u, a, b, 4, 4, NULL, NULL, a, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan_by(u, a, b, 4, 4, compose, NULL, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    o.algorithm = "reduce/tree";
    assert_int_equal(upsweep_scan(u, a, b, 4, UPSWEEP_U32, UPSWEEP_SUM, &o),
                     UPSWEEP_ERROR_ALGORITHM);
    o.algorithm = NULL;
    o.flags = UPSWEEP_DESCENDING;
    assert_int_equal(upsweep_scan(u, a, b, 4, UPSWEEP_U32, UPSWEEP_SUM, &o),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scan(u, NULL, NULL, 0, UPSWEEP_U32, UPSWEEP_SUM, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_scan_segmented(u, NULL, NULL, NULL, 0, UPSWEEP_F64, UPSWEEP_SUM, NULL),
                     UPSWEEP_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(b[i], 9);
    }
}

/* Every f16 and bf16 and a second one that is half of the first's last bit, or any: sums at ties,
 * beside them, among subnormals and at the greatest numbers, each rounded once. */
static void halves_are_rounded_once(void **state)
{
    (void)state;
    enum { N = 2 * 65536 };
    uint64_t random = 3;
    uint16_t *x = (uint16_t *)(void *)in_space, *out = (uint16_t *)(void *)out_space;
    for (int way = 0; way < 16; way++) {
        upsweep_type type = way % 2 == 0 ? UPSWEEP_F16 : UPSWEEP_BF16;
        int mantissa = type == UPSWEEP_F16 ? 10 : 7, fields = type == UPSWEEP_F16 ? 31 : 255;
        for (uint32_t a = 0; a < N / 2; a++) {
            uint16_t any = (uint16_t)input_random(&random);
            int field = (int)(a >> mantissa & (uint32_t)fields) - mantissa - 1;
            uint16_t tie = (uint16_t)((any & 0x8000) | (field > 0 ? field << mantissa : 0));
            x[2 * a] = (uint16_t)a;
            x[2 * a + 1] = way / 2 % 4 == 0   ? tie
                           : way / 2 % 4 == 1 ? (uint16_t)(tie ^ (any & 1))
                           : way / 2 % 4 == 2 ? (uint16_t)(any & 0x83ff)
                                              : any;
            heads[2 * a] = 1;
            heads[2 * a + 1] = 0;
        }
        for (int h = 0; h < HANDLES; h++) {
            upsweep *u = handles[h];
            assert_int_equal(
                way < 8 ? upsweep_scan_segmented(u, x, heads, out, N, type, UPSWEEP_SUM, NULL)
                        : upsweep_scan_rows(u, x, out, N, type, NULL, N / 2, UPSWEEP_SUM, NULL),
                UPSWEEP_OK);
            for (size_t i = 1; i < N; i += 2) {
                double sum = float_value(type, x[i - 1]) + float_value(type, x[i]);
                assert_int_equal(out[i], float_bits(type, 0.0 + sum)); /* order.h: no -0 */
            }
        }
    }
}

static int open_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    in_space = malloc((N_MAX + 16) * 8);
    out_space = malloc((N_MAX + 16) * 8);
    want = malloc((N_MAX + 16) * 8);
    heads = malloc(N_MAX);
    keys = malloc(N_MAX * sizeof *keys);
    return in_space == NULL || out_space == NULL || want == NULL || heads == NULL || keys == NULL;
}

static int close_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    free(in_space);
    free(out_space);
    free(want);
    free(heads);
    free(keys);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_and_sizes), cmocka_unit_test(floats_have_the_same_bits),
        cmocka_unit_test(large_results),       cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(callers_operator),    cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

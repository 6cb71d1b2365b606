/* test_move.c - gather, scatter, permute and reverse against plain loops: sizes of elements with
 * and without a loop of their own, both widths of index, odd addresses, and what errors leave
 * untouched. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_common.h"

static upsweep *handles[HANDLES];
static const size_t sizes[] = {0,   1,   2,   3,    7,    15,    31,    64,
                               127, 128, 129, 1000, 4097, 65535, 65537, 150001};
static const size_t widths[] = {1, 2, 3, 4, 7, 8, 12, 16, 24, 100};
enum { SIZES = sizeof sizes / sizeof sizes[0], WIDTHS = sizeof widths / sizeof widths[0] };
enum { N_MAX = 150001, BYTES = N_MAX * 100 + 512 };

static unsigned char *in, *out, *want;
static uint64_t index64[N_MAX];
static uint32_t index32[N_MAX];

static void set_index(size_t i, uint64_t to)
{
    index64[i] = to;
    index32[i] = (uint32_t)to;
}

static const void *index_of(unsigned bits)
{
    return bits == 32 ? (const void *)index32 : (const void *)index64;
}

static void check_gather_and_scatter(upsweep *u, size_t n, size_t bytes, unsigned bits,
                                     size_t shift)
{
    uint64_t random = n + bytes;
    size_t count = n / 2 + 1;
    unsigned char *to = out + shift, *plain = want + shift;
    const unsigned char *from = in + shift;
    for (size_t i = 0; i < n; i++) {
        set_index(i, input_random(&random) % count);
        memcpy(plain + i * bytes, from + index64[i] * bytes, bytes);
    }
    to[n * bytes] = 0x77;
    assert_int_equal(upsweep_gather(u, from, count, index_of(bits), bits, to, n, bytes, NULL),
                     UPSWEEP_OK);
    assert_memory_equal(to, plain, n * bytes);
    assert_int_equal(to[n * bytes], 0x77);
    memset(to, 0x11, (count + 1) * bytes);
    memset(plain, 0x11, (count + 1) * bytes);
    for (size_t i = 0; i < n; i++) {
        memcpy(plain + index64[i] * bytes, from + i * bytes, bytes);
    }
    assert_int_equal(upsweep_scatter(u, from, index_of(bits), bits, to, count, n, bytes, NULL),
                     UPSWEEP_OK);
    assert_memory_equal(to, plain, (count + 1) * bytes);
    if (n > 0) {
        set_index(n - 1, bits == 32 ? UINT32_MAX : UINT64_MAX);
        assert_int_equal(upsweep_scatter(u, from, index_of(bits), bits, to, count, n, bytes, NULL),
                         UPSWEEP_ERROR_RANGE);
        assert_memory_equal(to, plain, (count + 1) * bytes);
        set_index(n - 1, count);
        assert_int_equal(upsweep_gather(u, from, count, index_of(bits), bits, to, n, bytes, NULL),
                         UPSWEEP_ERROR_RANGE);
    }
}

static void check_permute_and_reverse(upsweep *u, size_t n, size_t bytes, unsigned bits,
                                      size_t shift)
{
    uint64_t random = n * 3 + bytes;
    unsigned char *data = out + shift, *plain = want + shift;
    const unsigned char *from = in + shift;
    for (size_t i = 0; i < n; i++) {
        set_index(i, i);
    }
    for (size_t i = n; i > 1; i--) {
        size_t k = input_random(&random) % i;
        uint64_t kept = index64[i - 1];
        set_index(i - 1, index64[k]);
        set_index(k, kept);
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(plain + index64[i] * bytes, from + i * bytes, bytes);
    }
    memcpy(data, from, n * bytes);
    data[n * bytes] = 0x77;
    assert_int_equal(upsweep_permute(u, data, index_of(bits), bits, n, bytes, NULL), UPSWEEP_OK);
    assert_memory_equal(data, plain, n * bytes);
    if (n > 1) {
        uint64_t kept = index64[n / 2];
        set_index(n / 2, index64[0]);
        assert_int_equal(upsweep_permute(u, data, index_of(bits), bits, n, bytes, NULL),
                         UPSWEEP_ERROR_RANGE);
        set_index(n / 2, n);
        assert_int_equal(upsweep_permute(u, data, index_of(bits), bits, n, bytes, NULL),
                         UPSWEEP_ERROR_RANGE);
        set_index(n / 2, kept);
        assert_memory_equal(data, plain, n * bytes);
    }
    assert_int_equal(upsweep_reverse(u, data, n, bytes, NULL), UPSWEEP_OK);
    assert_int_equal(data[n * bytes], 0x77);
    for (size_t i = 0; i < n; i++) {
        assert_memory_equal(data + i * bytes, plain + (n - 1 - i) * bytes, bytes);
    }
    memset(data, 0x55, n * bytes);
    assert_int_equal(upsweep_reverse_copy(u, plain, data, n, bytes, NULL), UPSWEEP_OK);
    assert_int_equal(data[n * bytes], 0x77);
    for (size_t i = 0; i < n; i++) {
        assert_memory_equal(data + i * bytes, plain + (n - 1 - i) * bytes, bytes);
    }
}

static void all_sizes(void **state)
{
    (void)state;
    for (size_t w = 0; w < WIDTHS; w++) {
        for (size_t s = 0; s < SIZES; s++) {
            for (int h = 0; h < HANDLES; h++) {
                if (sizes[s] < 2000 || (s + w + (size_t)h) % 3 == 0) {
                    unsigned bits = (s + (size_t)h) % 2 ? 32 : 64;
                    check_gather_and_scatter(handles[h], sizes[s], widths[w], bits, (w + s) % 5);
                    check_permute_and_reverse(handles[h], sizes[s], widths[w], bits, (w + s) % 5);
                }
            }
        }
    }
}

static void errors(void **state)
{
    (void)state;
    upsweep *u = handles[0];
    uint32_t a[3] = {1, 2, 3}, b[3] = {9, 9, 9}, at[3] = {0, 1, 2};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    assert_int_equal(upsweep_gather(u, a, 3, at, 16, b, 3, 4, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_gather(u, a, 3, at, 32, NULL, 3, 4, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scatter(u, NULL, at, 32, b, 3, 3, 4, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_scatter(u, a, at, 32, b, 3, 3, 0, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_permute(u, b, at, 32, SIZE_MAX / 8, 16, NULL), UPSWEEP_ERROR_ARGUMENT);
    o.algorithm = "split/flags";
    assert_int_equal(upsweep_gather(u, a, 3, at, 32, b, 3, 4, &o), UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_reverse(u, b, 3, 4, &o), UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(b[0], 9);
    assert_int_equal(upsweep_gather(u, NULL, 0, NULL, 32, NULL, 0, 4, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_scatter(u, NULL, NULL, 64, NULL, 0, 0, 4, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_permute(u, NULL, NULL, 64, 0, 4, NULL), UPSWEEP_OK);
}

/* A permutation that finds no scratch leaves the data as it was. */
static void no_scratch(void **state)
{
    (void)state;
    upsweep_config config = {.threads = 1, .scratch_limit = 100000};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    for (size_t i = 0; i < 100000; i++) {
        set_index(i, i ^ 1);
    }
    memcpy(out, in, 400000);
    assert_int_equal(upsweep_permute(u, out, index32, 32, 100000, 4, NULL), UPSWEEP_ERROR_MEMORY);
    assert_memory_equal(out, in, 400000);
    upsweep_close(u);
}

static int open_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    in = malloc(BYTES);
    out = malloc(BYTES);
    want = malloc(BYTES);
    fill(in, BYTES / 8, UPSWEEP_U64, FILL_BITS, 3);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    free(in);
    free(out);
    free(want);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes), cmocka_unit_test(errors),
                                       cmocka_unit_test(no_scratch)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}

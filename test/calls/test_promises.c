/* test_promises.c - single sentences of the public header, each as it reads: how NaNs lie among
 * themselves, which way records turn, how many buckets a digit has, where equal keys fall, what a
 * product may meet, and what the scratch limit counts. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "upsweep.h"

static upsweep *u;

/* ---- NaNs ---- */

static const struct format {
    upsweep_type type;
    unsigned bits, mantissa;
} formats[] = {
    {UPSWEEP_F16, 16, 10}, {UPSWEEP_BF16, 16, 7}, {UPSWEEP_F32, 32, 23}, {UPSWEEP_F64, 64, 52}};

/* The place of a key in the order that the header describes, as a number that rises with it: which
 * of the groups it is in, and where in the group. */
typedef struct place {
    int group;
    bool up; /* in the group by rising rank, else by falling */
    uint64_t rank;
} place;

static place place_of(const struct format *f, uint64_t key, unsigned flags)
{
    uint64_t sign = key >> (f->bits - 1), rest = key & ((UINT64_C(1) << (f->bits - 1)) - 1);
    uint64_t infinity = ((UINT64_C(1) << (f->bits - 1 - f->mantissa)) - 1) << f->mantissa;
    bool nan = rest > infinity;
    if (flags & UPSWEEP_NAN_RAW) { /* -NaN, numbers, +NaN */
        return (place){sign ? 0 : 1, !sign, rest};
    }
    if (nan) { /* without a sign by rising payload, then with a sign by falling payload */
        return (place){sign ? 1 : 0, !sign, rest};
    }
    return (place){sign ? 0 : 1, !sign, rest};
}

static int compare_places(place a, place b)
{
    if (a.group != b.group) {
        return a.group < b.group ? -1 : 1;
    }
    int order = (a.rank > b.rank) - (a.rank < b.rank);
    return a.up ? order : -order;
}

static bool is_nan(const struct format *f, uint64_t key)
{
    uint64_t rest = key & ((UINT64_C(1) << (f->bits - 1)) - 1);
    return rest > ((UINT64_C(1) << (f->bits - 1 - f->mantissa)) - 1) << f->mantissa;
}

/* Whether b may not stand right after a. */
static bool breaks(const struct format *f, uint64_t a, uint64_t b, unsigned flags)
{
    bool apart = !(flags & UPSWEEP_NAN_RAW) && is_nan(f, a) != is_nan(f, b);
    if (apart) { /* first or last, whether ascending or descending */
        return is_nan(f, a) != ((flags & UPSWEEP_NAN_FIRST) != 0);
    }
    int order = compare_places(place_of(f, a, flags), place_of(f, b, flags));
    return flags & UPSWEEP_DESCENDING ? order < 0 : order > 0;
}

static uint64_t load(const unsigned char *keys, size_t i, unsigned bytes)
{
    uint64_t key = 0;
    memcpy(&key, keys + i * bytes, bytes);
    return key;
}

static uint64_t random_state = 1;
static uint64_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state ^ random_state >> 29;
}

/* All keys of 16 bits; of others some of each kind, most of them NaNs. */
static size_t make_keys(const struct format *f, unsigned char *keys, size_t most)
{
    unsigned bytes = f->bits / 8;
    size_t n = f->bits == 16 ? 65536 : most;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = f->bits == 16 ? i * 40503 : draw();
        if (f->bits != 16 && i % 4 != 0) { /* an exponent of ones */
            key |= ((UINT64_C(1) << (f->bits - 1 - f->mantissa)) - 1) << f->mantissa;
        }
        memcpy(keys + i * bytes, &key, bytes);
    }
    return n;
}

static void test_nans(void **state)
{
    enum { MOST = 70000, FEW = 400 };
    static unsigned char keys[MOST * 8], sorted[MOST * 8];
    static const unsigned order[] = {0, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW};
    static uint32_t index[MOST];
    (void)state;
    for (size_t k = 0; k < 4 * 6 * 2; k++) {
        const struct format *f = &formats[k % 4];
        unsigned flags = order[k / 4 % 3] | (k / 12 % 2 ? UPSWEEP_DESCENDING : 0);
        unsigned bytes = f->bits / 8;
        upsweep_options o = {.size = sizeof o, .flags = flags};
        size_t n = make_keys(f, keys, MOST);
        n = k / 24 ? FEW : n; /* few keys go another way */
        memcpy(sorted, keys, n * bytes);
        assert_int_equal(upsweep_sort(u, sorted, n, f->type, &o), UPSWEEP_OK);
        for (size_t i = 1; i < n; i++) {
            assert_false(breaks(f, load(sorted, i - 1, bytes), load(sorted, i, bytes), flags));
        }
        assert_int_equal(upsweep_argsort(u, keys, n, f->type, index, 32, &o), UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) { /* the same keys, none lost */
            assert_true(load(keys, index[i], bytes) == load(sorted, i, bytes));
        }
    }
}

/* ---- records ---- */

static void test_records(void **state)
{
    typedef struct record {
        float x;
        uint32_t number;
    } record;
    (void)state;
    for (int count = 5; count <= 500; count += 495) { /* by comparing, and by keys */
        record r[500];
        for (uint32_t i = 0; i < 500; i++) {
            r[i] = (record){i % 5 == 2 ? NAN : (float)(i % 5), i / 5 % 2};
        }
        const upsweep_field f[] = {{.offset = offsetof(record, x), .type = UPSWEEP_F32},
                                   {.offset = offsetof(record, number), .type = UPSWEEP_U32}};
        upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_DESCENDING};
        assert_int_equal(upsweep_sort_records(u, r, (size_t)count, sizeof r[0], f, 2, &o),
                         UPSWEEP_OK);
        assert_true(r[0].x == 4 && isnan(r[count - 1].x)); /* turned, but NaN stays last */
        assert_true(r[0].number >= r[count / 5 - 1].number);
        o.flags |= UPSWEEP_NAN_FIRST;
        assert_int_equal(upsweep_sort_records(u, r, (size_t)count, sizeof r[0], f, 2, &o),
                         UPSWEEP_OK);
        assert_true(isnan(r[0].x) && r[count - 1].x == 0); /* for all fields */
    }
}

/* ---- buckets by digit ---- */

static void test_digits(void **state)
{
    static uint64_t counts[1 << 16];
    const uint32_t keys[] = {0, 5, 65535, UINT32_MAX};
    (void)state;
    for (unsigned bits = 0; bits <= 17; bits++) {
        for (int off = -1; off <= 1; off++) {
            upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bits = bits};
            b.count = ((size_t)1 << bits) + (size_t)off;
            bool good = bits >= 1 && bits <= 16 && off == 0;
            assert_int_equal(upsweep_histogram(u, keys, 4, UPSWEEP_U32, &b, counts, NULL),
                             good ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT);
            assert_true(!good || counts[b.count - 1] >= 1);
        }
    }
}

/* Buckets of equal width about keys that are all the same, however great: the middle one has
 * them. */
static void test_great_keys(void **state)
{
    (void)state;
    static const double greats[] = {3, 1e16, -7.5e51, 1e300, DBL_MAX};
    for (size_t g = 0; g < sizeof greats / sizeof *greats; g++) {
        upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_WIDTH, .count = 7};
        uint64_t counts[7];
        double keys[100];
        for (size_t i = 0; i < 100; i++) {
            keys[i] = greats[g];
        }
        assert_int_equal(upsweep_histogram(u, keys, 100, UPSWEEP_F64, &b, counts, NULL),
                         UPSWEEP_OK);
        size_t middle = greats[g] < DBL_MAX ? 3 : 6; /* nothing is above that */
        for (size_t i = 0; i < 7; i++) {
            assert_int_equal(counts[i], i == middle ? 100 : 0);
        }
    }
}

/* ---- products ---- */

/* The product of the same numbers is NaN in one order and 0 in another, and always the same of the
 * same array. */
static void test_products(void **state)
{
    const double late[] = {1e300, 0, 1e300}, early[] = {0, 1e300, 1e300};
    double product;
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(upsweep_reduce(u, late, 3, UPSWEEP_F64, UPSWEEP_PRODUCT, &product, NULL),
                         UPSWEEP_OK);
        assert_true(isnan(product));
        assert_int_equal(upsweep_reduce(u, early, 3, UPSWEEP_F64, UPSWEEP_PRODUCT, &product, NULL),
                         UPSWEEP_OK);
        assert_true(product == 0);
    }
}

/* ---- what the scratch limit counts ---- */

typedef struct account {
    size_t held, pieces, most; /* most: of held without 4 KB a piece */
} account;

static void *allocate(void *context, size_t bytes, size_t alignment)
{
    account *a = context;
    a->held += bytes;
    a->pieces++;
    size_t counted = a->held - 4096 * a->pieces;
    a->most = counted > a->most ? counted : a->most;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *pointer, size_t bytes)
{
    account *a = context;
    a->held -= bytes;
    a->pieces--;
    free(pointer);
}

static void test_limit(void **state)
{
    enum { N = 300000 };
    static uint64_t keys[N], index[N];
    (void)state;
    for (size_t limit = (size_t)1 << 16; limit <= (size_t)1 << 24; limit *= 2) {
        account a = {0, 0, 0};
        upsweep_config config = {sizeof config, 2, limit, allocate, release, &a};
        upsweep *limited;
        assert_int_equal(upsweep_open(&limited, "cpu", &config), UPSWEEP_OK);
        for (size_t n = 1000; n <= N; n *= 3) {
            for (size_t i = 0; i < n; i++) {
                keys[i] = draw();
            }
            (void)upsweep_argsort(limited, keys, n, UPSWEEP_U64, index, 64, NULL);
            (void)upsweep_sort(limited, keys, n, UPSWEEP_U64, NULL);
        }
        upsweep_close(limited);
        assert_true(a.most <= limit && a.most > 0);
        assert_true(a.held == 0 && a.pieces == 0);
    }
}

static int begin(void **state)
{
    (void)state;
    return upsweep_open(&u, "cpu", NULL) == UPSWEEP_OK ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    upsweep_close(u);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nans),     cmocka_unit_test(test_records),
        cmocka_unit_test(test_digits),   cmocka_unit_test(test_great_keys),
        cmocka_unit_test(test_products), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests_name("promises", tests, begin, end);
}

/* test_ways_pairs.c - all types on all instruction sets, where keys that carry something go ways
 * that they seldom go: payloads of all sizes, uneven keys, rows that all threads sort. The test
 * `routes` tells which ways there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>

#include "test/shared/ways.h"

/* ---- keys that carry something ---- */

/* NULL, or what is wrong with index as the stable order of the keys. */
static const char *wrong_order(upsweep_type type, const char *keys, size_t n, const uint32_t *index)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *seen = calloc(n, 1);
    const char *wrong = seen == NULL ? "no memory" : NULL;
    for (size_t i = 0; wrong == NULL && i < n; i++) {
        if (index[i] >= n || seen[index[i]]++ != 0) {
            wrong = "the index is no permutation";
        } else if (i > 0) {
            int order = oracle_order(type, 0, keys + index[i - 1] * bytes, keys + index[i] * bytes);
            wrong = order > 0                                ? "keys out of order"
                    : order == 0 && index[i - 1] >= index[i] ? "equal keys out of order"
                                                             : NULL;
        }
    }
    free(seen);
    return wrong;
}

static void try_pairs(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern, size_t n)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 6};
    size_t bytes = upsweep_type_bytes(type);
    char *before = malloc(n * bytes), *keys = malloc(n * bytes);
    char *values = malloc(n * 16), *moved = malloc(n * 16);
    uint32_t *index = malloc(n * sizeof *index);
    uint64_t *wide = malloc(n * sizeof *wide);
    fill(pattern, type, before, n);
    assert_int_equal(upsweep_argsort(u, before, n, type, index, 32, NULL), UPSWEEP_OK);
    require(wrong_order(type, before, n, index), "argsort", isa, type, pattern);
    assert_int_equal(upsweep_argsort(u, before, n, type, wide, 64, NULL), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        require(wide[i] == index[i] ? NULL : "64-bit indices differ", "argsort", isa, type,
                pattern);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t vb = sizes[s];
        input_fill_bytes(values, n * vb, s);
        memcpy(moved, values, n * vb);
        memcpy(keys, before, n * bytes);
        assert_int_equal(upsweep_sort_pairs(u, keys, moved, n, type, vb, NULL), UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) {
            bool right = memcmp(keys + i * bytes, before + index[i] * bytes, bytes) == 0 &&
                         memcmp(moved + i * vb, values + index[i] * vb, vb) == 0;
            require(right ? NULL : "a pair is wrong", "sort_pairs", isa, type, pattern);
        }
    }
    free(wide);
    free(index);
    free(moved);
    free(values);
    free(keys);
    free(before);
}

static void test_pairs(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM,         INPUT_ZIPF,    INPUT_TWO_CLUSTERS,
                                        INPUT_ONE_FULL_BUCKET, HALF_GREATEST, CLOSE};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            upsweep *u = handle_open(isa, threads);
            for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
                for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
                    size_t n = p == 1 || (p == 5 && threads == 3) ? 70001 : 9001;
                    try_pairs(u, isa, (upsweep_type)type, patterns[p], n);
                }
            }
            upsweep_close(u);
        }
    }
}

/* Three keys of five are the same, so that buckets are split again and again, by all threads, until
 * one has that key alone; with values so wide that few pairs fill a cache. */
static void try_heavy(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern)
{
    enum { N = 300000, VALUE = 16 };
    size_t bytes = upsweep_type_bytes(type);
    char *before = malloc(N * bytes), *keys = malloc(N * bytes);
    uint64_t *values = malloc(N * VALUE);
    uint32_t *index = malloc(N * sizeof *index);
    assert_true(before != NULL && keys != NULL && values != NULL && index != NULL);
    fill(pattern, type, before, N);
    memcpy(keys, before, N * bytes);
    for (size_t i = 0; i < N; i++) {
        values[2 * i] = i;
        values[2 * i + 1] = ~i;
    }
    assert_int_equal(upsweep_sort_pairs(u, keys, values, N, type, VALUE, NULL), UPSWEEP_OK);
    for (size_t i = 0; i < N; i++) {
        index[i] = (uint32_t)values[2 * i];
        bool whole = values[2 * i + 1] == ~values[2 * i] &&
                     memcmp(keys + i * bytes, before + index[i] * bytes, bytes) == 0;
        require(whole ? NULL : "a pair is wrong", "sort_pairs", isa, type, pattern);
    }
    require(wrong_order(type, before, N, index), "sort_pairs", isa, type, pattern);
    assert_int_equal(upsweep_argsort(u, before, N, type, values, 64, NULL), UPSWEEP_OK);
    for (size_t i = 0; i < N; i++) {
        require(values[i] == index[i] ? NULL : "positions differ", "argsort", isa, type, pattern);
    }
    free(index);
    free(values);
    free(keys);
    free(before);
}

/* Values of a size are numbers of the pairs, as far as they have room for them. */
static void try_numbered(upsweep *u, unsigned isa, upsweep_type type, size_t vb, size_t n)
{
    size_t bytes = upsweep_type_bytes(type);
    char *before = malloc(n * bytes), *keys = malloc(n * bytes), *values = malloc(n * vb);
    size_t *index = malloc(n * sizeof *index);
    assert_true(before != NULL && keys != NULL && values != NULL && index != NULL);
    fill(INPUT_UNIFORM, type, before, n);
    memcpy(keys, before, n * bytes);
    memset(values, 0, n * vb);
    for (size_t i = 0; i < n; i++) {
        memcpy(values + i * vb, &i, vb < sizeof i ? vb : sizeof i);
    }
    assert_int_equal(upsweep_sort_pairs(u, keys, values, n, type, vb, NULL), UPSWEEP_OK);
    oracle_argsort(type, 0, before, n, index);
    for (size_t i = 0; i < n; i++) {
        bool right = memcmp(keys + i * bytes, before + index[i] * bytes, bytes) == 0 &&
                     memcmp(values + i * vb, &index[i], vb < sizeof i ? vb : sizeof i) == 0;
        require(right ? NULL : "a pair is wrong", "sort_pairs", isa, type, (unsigned)vb);
    }
    free(index);
    free(values);
    free(keys);
    free(before);
}

/* Uneven keys of 64 bits whose positions are words of upper bits: FAR apart; with NEIGHBOURS that
 * differ in the bits that words have no room for, some of them equal; and CROWDED, nearly all of
 * them alike in the upper bits but for those that samples look at. */
enum { FAR, NEIGHBOURS, CROWDED, UPPER_KINDS };

static void fill_upper(unsigned kind, uint64_t *keys, size_t n)
{
    const size_t wide = n < 8192 ? 64 : 256, own = n / 128 < 64 ? 64 : n / 128;
    fill(INPUT_UNIFORM, UPSWEEP_U64, keys, n);
    for (size_t i = 0; i < n; i++) {
        const bool looked_at = (i % (n / wide) == 0) || (i % (n / own) == 0);
        const uint64_t low = keys[i] >> 54, spread = keys[i] >> keys[i] % 30;
        keys[i] = kind == CROWDED && !looked_at ? UINT64_C(1) << 40 | low : spread;
        if (kind == NEIGHBOURS && i % 40 > 36) {
            keys[i] = (keys[i - 1] & ~UINT64_C(7)) | (low & 7);
        }
    }
}

static void test_upper_words(void **state)
{
    (void)state;
    enum { MOST = 70001 };
    static const size_t sizes[] = {1500, 9001, MOST};
    static const upsweep_type types[] = {UPSWEEP_U64, UPSWEEP_I64, UPSWEEP_F64};
    uint64_t *keys = malloc(MOST * sizeof *keys), *wide = malloc(MOST * sizeof *wide);
    uint32_t *index = malloc(MOST * sizeof *index);
    assert_true(keys != NULL && index != NULL && wide != NULL);
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 3);
        for (unsigned c = 0; u != NULL && c < 3 * 3 * UPPER_KINDS; c++) {
            const unsigned kind = c % UPPER_KINDS;
            const upsweep_type type = types[c / UPPER_KINDS % 3];
            const size_t n = sizes[c / UPPER_KINDS / 3];
            fill_upper(kind, keys, n);
            assert_int_equal(upsweep_argsort(u, keys, n, type, index, 32, NULL), UPSWEEP_OK);
            require(wrong_order(type, (char *)keys, n, index), "argsort", isa, type, kind);
            assert_int_equal(upsweep_argsort(u, keys, n, type, wide, 64, NULL), UPSWEEP_OK);
            for (size_t i = 0; i < n; i++) {
                require(wide[i] == index[i] ? NULL : "64-bit indices differ", "argsort", isa, type,
                        kind);
            }
        }
        upsweep_close(u);
    }
    free(index);
    free(wide);
    free(keys);
}

/* So many pairs that they are scattered past the cache, and fewer that are scattered through it: a
 * handle that shares early begins early with the one, too. */
static void test_scatters(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (size_t vb = 1; vb <= 16; vb *= 2) {
                if (type <= UPSWEEP_U64 ||
                    vb == 16) { /* the size has ways of its own, not the type */
                    size_t bytes = upsweep_type_bytes((upsweep_type)type);
                    try_numbered(u, isa, (upsweep_type)type, vb, (512 << 10) / (bytes + vb) + 5000);
                }
            }
        }
        upsweep_close(u);
        u = handle_open(isa, 1);
        upsweep_tuning late = UPSWEEP_TUNING_INIT;
        if (u != NULL && upsweep_get_tuning(u, &late) == UPSWEEP_OK) {
            late.thread_bytes = 2 << 20;
            assert_int_equal(upsweep_set_tuning(u, &late), UPSWEEP_OK);
            for (size_t vb = 1; vb <= 16; vb *= 2) {
                try_numbered(u, isa, UPSWEEP_U32, vb, 70001);
                try_numbered(u, isa, UPSWEEP_U64, vb, 70001);
            }
        }
        upsweep_close(u);
    }
}

static void test_heavy(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 3);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            try_heavy(u, isa, (upsweep_type)type, type % 2 == 0 ? HALF_GREATEST : HALF_LEAST);
        }
        upsweep_close(u);
    }
}

/* ---- by name ---- */

/* A method by name, by a range of bits which it does not take itself, does what the library's own
 * choice does, which test_sort_bits.c compares with plain code. */
static void try_named_bits(upsweep *u, unsigned isa, upsweep_type type, const char *name)
{
    enum { N = 700 };
    size_t bytes = upsweep_type_bytes(type);
    uint64_t in[N], keys[2][N], values[2][N];
    upsweep_options o = {.size = sizeof o, .bit_begin = 1, .bit_end = (unsigned)(8 * bytes - 2)};
    input_fill(INPUT_ZIPF, type, in, N, 1);
    for (size_t vb = 1; vb <= 8; vb = vb == 1 ? 6 : vb + 2) {
        for (unsigned k = 0; k < 2; k++) {
            o.algorithm = k == 0 ? NULL : name;
            memcpy(keys[k], in, N * bytes);
            input_fill_bytes(values[k], sizeof values[k], vb);
            assert_int_equal(upsweep_sort_pairs(u, keys[k], values[k], N, type, vb, &o),
                             UPSWEEP_OK);
        }
        bool same =
            memcmp(keys[0], keys[1], N * bytes) == 0 && memcmp(values[0], values[1], N * vb) == 0;
        require(same ? NULL : "pairs differ", name, isa, type, (unsigned)vb);
    }
    memcpy(keys[0], in, N * bytes);
    size_t first = 0;
    assert_int_equal(upsweep_sort(u, keys[0], N, type, &o), UPSWEEP_OK);
    o.algorithm = NULL;
    assert_int_equal(upsweep_is_sorted(u, keys[0], N, type, &first, &o), UPSWEEP_OK);
    require(first == N ? oracle_same_keys(in, keys[0], N, bytes) : "not in order", name, isa, type,
            0);
}

/* Records by one short field by name, in words of 64 and 128 bits, as by the library's choice. */
static void try_named_records(upsweep *u, unsigned isa, upsweep_type type, const char *name)
{
    enum { N = 500, BYTES = 12 };
    unsigned char in[N * BYTES], out[2][N * BYTES];
    upsweep_field field = {.offset = 3, .type = type};
    input_fill_bytes(in, sizeof in, type);
    for (size_t i = 0; i < N; i++) { /* some are equal */
        memset(in + i * BYTES + 3, in[i * BYTES + 3] & 15, upsweep_type_bytes(type));
    }
    for (unsigned k = 0; k < 2; k++) {
        upsweep_options o = {.size = sizeof o, .algorithm = k == 0 ? NULL : name};
        memcpy(out[k], in, sizeof in);
        upsweep_status status = upsweep_sort_records(u, out[k], N, BYTES, &field, 1, &o);
        require(status != UPSWEEP_OK ? upsweep_error(u) : NULL, name, isa, type, k);
    }
    require(memcmp(out[0], out[1], sizeof in) == 0 ? NULL : "records differ", name, isa, type, 0);
}

/* Keys of 64 bits and their positions as numbers of 128 bits, by all threads. */
static void try_named_long(upsweep *u, unsigned isa, const char *name, unsigned pattern)
{
    enum { N = 140000 };
    uint64_t *keys = malloc(N * sizeof *keys), *index = malloc(2 * N * sizeof *index);
    assert_true(keys != NULL && index != NULL);
    fill(pattern, UPSWEEP_U64, keys, N);
    for (unsigned k = 0; k < 2; k++) {
        upsweep_options o = {.size = sizeof o, .algorithm = k == 0 ? NULL : name};
        upsweep_status status = upsweep_argsort(u, keys, N, UPSWEEP_U64, index + k * N, 64, &o);
        assert_int_equal(status, UPSWEEP_OK);
    }
    require(memcmp(index, index + N, N * sizeof *index) == 0 ? NULL : "positions differ", name, isa,
            UPSWEEP_U64, pattern);
    free(index);
    free(keys);
}

static void test_named(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 4);
        for (unsigned p = 0; u != NULL && p < PATTERNS; p++) {
            try_named_long(u, isa, p % 2 == 0 ? "sort/quick" : "sort/hybrid", p);
            try_named_long(u, isa, p % 2 == 0 ? "sort/hybrid" : "sort/quick", p);
        }
        upsweep_close(u);
    }
    static const char *const names[] = {"sort/bitonic", "sort/vmerge", "sort/radix"};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
                try_named_bits(u, isa, (upsweep_type)type, names[i]);
                try_named_records(u, isa, (upsweep_type)type, names[i]);
            }
        }
        upsweep_close(u);
    }
}

/* Rows that are too long for one core's cache: all threads sort each. */
static void try_rows(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern)
{
    size_t bytes = upsweep_type_bytes(type), row = 256 * 1024 / bytes + 100;
    const uint64_t begin[] = {0, row, 2 * row + 7};
    size_t n = (size_t)begin[2];
    char *before = malloc(n * bytes), *keys = malloc(n * bytes);
    uint32_t *index = malloc(n * sizeof *index);
    uint64_t *wide = malloc(n * sizeof *wide);
    for (unsigned index_bits = 0; index_bits <= 64; index_bits += 32) {
        fill(pattern, type, before, n);
        memcpy(keys, before, n * bytes);
        void *to = index_bits == 0 ? NULL : index_bits == 32 ? (void *)index : (void *)wide;
        upsweep_status status = upsweep_sort_rows(u, keys, n, type, begin, 2, to, index_bits, NULL);
        require(status != UPSWEEP_OK ? upsweep_error(u) : NULL, "sort_rows", isa, type, pattern);
        for (size_t i = 0; index_bits == 64 && i < n; i++) {
            index[i] = (uint32_t)wide[i];
        }
        for (unsigned r = 0; r < 2; r++) {
            size_t at = (size_t)begin[r], m = (size_t)begin[r + 1] - at;
            require(oracle_sorted(type, 0, before + at * bytes, keys + at * bytes, m), "sort_rows",
                    isa, type, pattern);
            require(index_bits == 0 ? NULL : wrong_order(type, before + at * bytes, m, index + at),
                    "sort_rows", isa, type, pattern);
        }
    }
    free(wide);
    free(index);
    free(keys);
    free(before);
}

static void test_rows(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM, INPUT_SORTED, INPUT_EQUAL};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
                try_rows(u, isa, (upsweep_type)type, patterns[p]);
            }
        }
        upsweep_close(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_scatters),
        cmocka_unit_test(test_heavy), cmocka_unit_test(test_named),
        cmocka_unit_test(test_rows),  cmocka_unit_test(test_upper_words),
    };
    return cmocka_run_group_tests_name("ways of pairs", tests, NULL, NULL);
}

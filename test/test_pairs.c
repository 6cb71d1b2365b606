/* test_pairs.c - sort_pairs and argsort against a serial stable merge sort of the mapped keys, for
 * every type, size, pattern, instruction set, thread count and sort that has a CPU form. Stability
 * shows in the values: they are the positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "keymap.h"
#include "registry.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D);
}

enum { UNIFORM, FEW, SORTED, REVERSED, EQUAL, HIGH, LOW, SKEWED, LUMP, PATTERNS };
/* Only for words: a sample sees nothing of a lone key, and little of keys that are dense late, of
 * the rare ones among 16 values, or of two values of which it meets one too often. Then uneven
 * keys: two ranges, nearly all in one range, and values each half as many as the last. */
enum { LONE = PATTERNS, LATE, RARE, MISLED, CLUSTERS, DENSE, HALVED, WORD_PATTERNS };
/* So many values, at once or half of them only late, where a look does not see them. */
enum { COUNTED = WORD_PATTERNS, COUNTED_LATE };
static uint64_t values_of_counted = 1;

static void fill(void *keys, size_t n, size_t bytes, int pattern)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t k = next();
        switch (pattern) {
        case FEW: k = (k >> 60) * UINT64_C(0x9E3779B97F4A7C15); break;
        case SORTED: k = i; break;
        case REVERSED: k = n - i; break;
        case EQUAL: k = 42; break;
        case HIGH: k = k >> 8 << (bytes * 8 - 4); break;
        case LOW: k = (k >> 61) | UINT64_C(0x1234567800000000); break;
        case LUMP: k = k >> 62 ? k : 0x77770000 | (k & 0xfff); break; /* a quarter */
        case LONE: k = i == 3 ? k | 0x80000001 : k & 0x07fffff0; break;
        case LATE: k = i < n - n / 10 ? k : 0x12340000 | (k & 0xffff); break;
        case MISLED: k = i % (n / 1024 + (n < 1024)) == 0 && i % 7 != 0 ? 77777 : 0x55555555; break;
        case CLUSTERS: k = (k >> 63) * 0xf0000000 | (k & 0xffff); break;
        case DENSE: k = k >> 32 & 63 ? 0x35700000 | (k & 0xfffff) : k; break;
        case HALVED: k = (uint64_t)__builtin_ctzll(k | 1 << 20) * 0x05050505 + (k >> 60); break;
        case RARE: k = i % 40000 == 33 ? 5 + i / 40000 % 16 : (k >> 60) * 0x11111111; break;
        case COUNTED: k = k % values_of_counted * UINT64_C(0x9E3779B97F4A7C15); break;
        case COUNTED_LATE:
            k = k % (i < n - n / 9 ? (values_of_counted + 1) / 2 : values_of_counted);
            k = k * UINT64_C(0x9E3779B97F4A7C15);
            break;
        case SKEWED: k = k >> 32 & 1 ? k >> 61 : k >> (k >> 58); break;
        default: break;
        }
        usw_store_raw((char *)keys + i * bytes, bytes, k);
    }
}

typedef struct item {
    uint64_t key;
    size_t at;
} item;

/* Top-down merge sort: the oracle. */
static void merge_sort(item *v, item *tmp, size_t n)
{
    if (n < 2) {
        return;
    }
    size_t half = n / 2, i = 0, j = half, k = 0;
    merge_sort(v, tmp, half);
    merge_sort(v + half, tmp, n - half);
    while (i < half || j < n) {
        bool right = i == half || (j < n && v[j].key < v[i].key);
        tmp[k++] = right ? v[j++] : v[i++];
    }
    memcpy(v, tmp, n * sizeof *v);
}

/* The stable order of keys by the bits [lo, hi) of the mapped key. */
static item *oracle(const void *keys, size_t n, upsweep_type type, unsigned flags, unsigned lo,
                    unsigned hi)
{
    usw_keymap map = usw_keymap_of(type, flags);
    size_t bytes = upsweep_type_bytes(type);
    item *v = malloc((n + 1) * sizeof *v), *tmp = malloc((n + 1) * sizeof *tmp);
    assert_non_null(v);
    assert_non_null(tmp);
    for (size_t i = 0; i < n; i++) {
        uint64_t k = usw_map_key(&map, usw_load_raw((const char *)keys + i * bytes, bytes));
        v[i] = (item){(k >> lo) & (UINT64_MAX >> (64 - (hi - lo))), i};
    }
    merge_sort(v, tmp, n);
    free(tmp);
    return v;
}

static upsweep *open_with(unsigned threads, size_t limit)
{
    upsweep *u = NULL;
    upsweep_config c = {.threads = threads, .scratch_limit = limit};
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    return u;
}

/* Value i of the given size: the position, repeated; short values keep its low bytes. */
static void put_value(unsigned char *at, size_t bytes, size_t i)
{
    for (size_t b = 0; b < bytes; b++) {
        at[b] = (unsigned char)((i >> (b % 8 * 8)) + b / 8);
    }
}

static void check_pairs(upsweep *u, size_t n, upsweep_type type, size_t value_bytes, int pattern,
                        upsweep_options o)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned lo = o.bit_begin, hi = o.bit_end ? o.bit_end : (unsigned)bytes * 8;
    char *keys = malloc(n * bytes + 1), *was = malloc(n * bytes + 1);
    unsigned char *values = malloc(n * value_bytes + 1), expected[64];
    keys[n * bytes] = 77;
    values[n * value_bytes] = 78;
    fill(keys, n, bytes, pattern);
    memcpy(was, keys, n * bytes);
    for (size_t i = 0; i < n; i++) {
        put_value(values + i * value_bytes, value_bytes, i);
    }
    item *v = oracle(keys, n, type, o.flags, lo, hi);
    assert_int_equal(upsweep_sort_pairs(u, keys, values, n, type, value_bytes, &o), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        put_value(expected, value_bytes, v[i].at);
        if (memcmp(keys + i * bytes, was + v[i].at * bytes, bytes) != 0 ||
            memcmp(values + i * value_bytes, expected, value_bytes) != 0) {
            fail_msg("pairs: n %zu type %s value %zu pattern %d flags %u bits %u-%u algorithm %s: "
                     "wrong at %zu",
                     n, upsweep_type_name(type), value_bytes, pattern, o.flags, lo, hi,
                     o.algorithm ? o.algorithm : "-", i);
        }
    }
    assert_int_equal(keys[n * bytes], 77);
    assert_int_equal(values[n * value_bytes], 78);
    free(v), free(keys), free(was), free(values);
}

static void check_argsort(upsweep *u, size_t n, upsweep_type type, unsigned index_bits, int pattern,
                          upsweep_options o)
{
    size_t bytes = upsweep_type_bytes(type), ib = index_bits / 8;
    unsigned lo = o.bit_begin, hi = o.bit_end ? o.bit_end : (unsigned)bytes * 8;
    char *keys = malloc(n * bytes + 1), *was = malloc(n * bytes + 1), *index = malloc(n * ib + 1);
    index[n * ib] = 79;
    fill(keys, n, bytes, pattern);
    memcpy(was, keys, n * bytes);
    item *v = oracle(keys, n, type, o.flags, lo, hi);
    assert_int_equal(upsweep_argsort(u, keys, n, type, index, index_bits, &o), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        if (usw_load_raw(index + i * ib, ib) != v[i].at) {
            fail_msg(
                "argsort: n %zu type %s index %u pattern %d flags %u algorithm %s: wrong at %zu", n,
                upsweep_type_name(type), index_bits, pattern, o.flags,
                o.algorithm ? o.algorithm : "-", i);
        }
    }
    assert_memory_equal(keys, was, n * bytes);
    assert_int_equal(index[n * ib], 79);
    free(v), free(keys), free(was), free(index);
}

static const size_t sizes[] = {0, 1, 2, 3, 7, 16, 24, 25, 33, 64, 100, 255, 257, 1000, 4097, 20011};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
static const size_t value_sizes[] = {1, 2, 3, 4, 8, 12, 16, 40};
enum { VALUE_SIZES = sizeof value_sizes / sizeof value_sizes[0] };
static const unsigned flag_sets[] = {0,
                                     UPSWEEP_DESCENDING,
                                     UPSWEEP_NAN_FIRST,
                                     UPSWEEP_NAN_RAW | UPSWEEP_DESCENDING,
                                     UPSWEEP_UNSTABLE,
                                     UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST};

static void all_types_and_sizes(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)isa;
        unsigned turn = 0;
        for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
            for (size_t s = 0; s < SIZES; s++) {
                for (int p = 0; p < PATTERNS; p++, turn++) {
                    upsweep_options o = {.flags = flag_sets[turn % 6]};
                    check_pairs(u, sizes[s], t, value_sizes[turn % VALUE_SIZES], p, o);
                    check_argsort(u, sizes[s], t, turn % 2 ? 32 : 64, p, o);
                }
            }
        }
        upsweep_close(u);
    }
}

static void big_arrays(void **state)
{
    (void)state;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_I32, UPSWEEP_F64, UPSWEEP_U64};
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            upsweep *u = open_with(threads, 0);
            u->isa = (usw_isa)isa;
            for (int p = 0; p < PATTERNS; p++) {
                upsweep_options o = {.flags = p % 2 ? UPSWEEP_DESCENDING : 0};
                upsweep_type t = types[(unsigned)p % 4],
                             t2 = types[(unsigned)(p + 1 + threads) % 4];
                check_pairs(u, 300007, t, value_sizes[(unsigned)p % VALUE_SIZES], p, o);
                check_argsort(u, 300007, t2, 32, p, o);
            }
            upsweep_close(u);
        }
    }
    /* Long enough for buckets that are split again. */
    upsweep *u = open_with(2, 0);
    for (int p = 0; p < PATTERNS; p++) {
        upsweep_options o = {.flags = p % 2 ? UPSWEEP_DESCENDING : 0};
        check_pairs(u, 900011, UPSWEEP_F32, 4, p, o);
        check_pairs(u, 300011, UPSWEEP_I64, p % 2 ? 16 : 8, p, o);
        check_argsort(u, 400011, UPSWEEP_U64, 32, p, o);
    }
    upsweep_close(u);
}

/* Keys of 32 bits and what they carry are words of 64 from the start. */
static void words(void **state)
{
    (void)state;
    static const size_t some[] = {300, 1000, 1024, 1025, 2049, 8191, 9001, 66001, 600011};
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_I32, UPSWEEP_F32};
    unsigned turn = 0;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        upsweep *u = open_with(threads, 0);
        for (size_t s = 0; s < sizeof some / sizeof some[0]; s++) {
            for (int p = 0; p < WORD_PATTERNS; p++, turn++) {
                upsweep_options o = {.flags = flag_sets[turn % 6]};
                check_pairs(u, some[s], types[turn % 3], 4, p, o);
                check_argsort(u, some[s], types[(turn + 1) % 3], 32, p, o);
                o.bit_begin = turn % 5;
                o.bit_end = 32 - turn % 7;
                check_pairs(u, some[s], types[(turn + 2) % 3], 4, p, o);
                check_argsort(u, some[s], types[turn % 3], 64, p, o);
            }
        }
        upsweep_close(u);
    }
    /* Round the cache by threads together, in ranges that begin within a line, too. */
    upsweep *u = open_with(3, 0);
    for (int p = 0; p < WORD_PATTERNS; p++) {
        upsweep_options o = {.flags = flag_sets[p % 6]};
        check_pairs(u, ((size_t)1 << 22) + 77, types[p % 3], 4, p, o);
    }
    upsweep_close(u);
}

/* As many values as are placed by value, and more; by several threads in the largest size. */
static void few_values(void **state)
{
    (void)state;
    static const size_t some[] = {1023, 1024, 1025, 9001, 530001};
    static const unsigned counts[] = {2, 3, 6, 15, 16, 17, 19, 20, 21, 22, 31, 32, 33, 40};
    unsigned turn = 0;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        for (size_t s = 0; s < sizeof some / sizeof some[0]; s++) {
            upsweep *u = open_with(s % 2 ? 1 : 3, 0);
            u->isa = (usw_isa)isa;
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++, turn++) {
                upsweep_type t = UPSWEEP_U8 + turn % (UPSWEEP_F64 - UPSWEEP_U8 + 1);
                upsweep_options o = {.flags = flag_sets[turn % 6]};
                int p = COUNTED + turn / 3 % 2;
                values_of_counted = counts[c];
                check_pairs(u, some[s], turn % 2 ? UPSWEEP_U64 : UPSWEEP_F32, turn % 2 ? 8 : 4, p,
                            o);
                check_argsort(u, some[s], t, turn % 3 ? 32 : 64, p, o);
                check_pairs(u, some[s] / 8 + 1000, t, value_sizes[turn % VALUE_SIZES], p, o);
            }
            upsweep_close(u);
        }
    }
}

static void bit_ranges(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    for (upsweep_type t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        unsigned bits = (unsigned)upsweep_type_bytes(t) * 8;
        for (unsigned lo = 0; lo < bits; lo += bits / 4 + 1) {
            for (unsigned hi = lo + 1; hi <= bits; hi += bits / 4 + 1) {
                upsweep_options o = {.bit_begin = lo, .bit_end = hi};
                check_pairs(u, 3001, t, value_sizes[(lo + hi) % VALUE_SIZES], UNIFORM, o);
                check_argsort(u, 3001, t, 64, SKEWED, o);
            }
        }
    }
    upsweep_close(u);
}

/* Every sort that has a CPU form is a stable argsort, since it sees distinct words. */
static void every_algorithm(void **state)
{
    (void)state;
    for (int isa = USW_PORTABLE; isa <= (int)usw_best_isa(); isa++) {
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)isa;
        for (size_t a = 0; usw_entry_at(a) != NULL; a++) {
            const usw_entry *e = usw_entry_at(a);
            if (!e->has_cpu || strcmp(e->row->info.operation, "sort") != 0) {
                continue;
            }
            for (int p = 0; p < PATTERNS; p++) {
                upsweep_options o = {.algorithm = e->row->info.name};
                check_pairs(u, 3001, UPSWEEP_I16, 4, p, o);
                check_pairs(u, 777, UPSWEEP_F32, 12, p, o);
                check_pairs(u, 1025, UPSWEEP_I64, 8, p, o);
                check_argsort(u, 2049, UPSWEEP_F64, 32, p, o);
                check_argsort(u, 2049, UPSWEEP_U32, 64, p, o);
                o.bit_begin = 3;
                o.bit_end = 13;
                check_pairs(u, 999, UPSWEEP_U64, 2, p, o);
                check_argsort(u, 999, UPSWEEP_U32, 32, p, o);
                upsweep_report r;
                upsweep_last_report(u, &r);
                assert_string_equal(r.algorithm, e->row->info.name);
            }
        }
        upsweep_close(u);
    }
}

/* With too little scratch a call fails as it says, and touches nothing. */
static void scratch_limits(void **state)
{
    (void)state;
    enum { N = 20000 };
    uint64_t *keys = malloc(N * 8), *values = malloc(N * 8), *index = malloc(N * 8);
    unsigned failed = 0, passed = 0;
    for (size_t limit = 1000; limit < 4000000; limit = limit * 5 / 4) {
        for (size_t vb = 4; vb <= 8; vb += 4) {
            upsweep *u = open_with(2, limit);
            for (size_t i = 0; i < N; i++) {
                keys[i] = N - i;
                values[i] = i;
                index[i] = 5;
            }
            upsweep_status s =
                upsweep_sort_pairs(u, keys, values, N / vb * 4, UPSWEEP_U32, vb, NULL);
            if (s != UPSWEEP_OK) {
                assert_int_equal(s, UPSWEEP_ERROR_MEMORY);
                assert_true(upsweep_error(u)[0] != 0);
                for (size_t i = 0; i < N; i++) {
                    assert_true(keys[i] == N - i && values[i] == i);
                }
                failed++;
            } else {
                passed++;
            }
            s = upsweep_argsort(u, keys, N, UPSWEEP_U64, index, 64, NULL);
            assert_true(s == UPSWEEP_OK || (s == UPSWEEP_ERROR_MEMORY && index[0] == 5));
            upsweep_close(u);
        }
    }
    assert_true(failed > 0 && passed > 0);
    free(keys), free(values), free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_and_sizes),
        cmocka_unit_test(big_arrays),
        cmocka_unit_test(words),
        cmocka_unit_test(few_values),
        cmocka_unit_test(bit_ranges),
        cmocka_unit_test(every_algorithm),
        cmocka_unit_test(scratch_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

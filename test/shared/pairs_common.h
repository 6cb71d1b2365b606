/* pairs_common.h - for test_pairs.c: keys, a serial stable sort of them, and checks of a call
 * against it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_PAIRS_COMMON_H
#define USW_TEST_SHARED_PAIRS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/shared/inputs.h"
#include "core/keymap.h"
#include "core/registry.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    return input_random(&seed);
}

enum { UNIFORM, FEW, SORTED, REVERSED, EQUAL, HIGH, LOW, SKEWED, LUMP, PATTERNS };
/* Only for words: a sample sees nothing of a lone key, and little of keys that are dense late, of
 * the rare ones among 16 values, or of two values of which it meets one too often. Then uneven
 * keys: two ranges, nearly all in one range, and values each half as many as the last. Keys that
 * differ in a few bits alone. */
enum { LONE = PATTERNS, LATE, RARE, MISLED, CLUSTERS, DENSE, HALVED, DIGIT, WORD_PATTERNS };
/* So many values, at once or half of them only late, where a look does not see them. */
enum { COUNTED = WORD_PATTERNS, COUNTED_LATE };
/* Only for 64 bits: keys close together but for those that a sample sees; keys in clusters within
 * clusters, which take several tags to tell apart; some frequent values. */
enum { HIDDEN = COUNTED_LATE + 1, NESTED, FREQUENT, WIDE_PATTERNS };
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
        case DIGIT: k = 0x12345008 | (k & 0xff0); break;
        case RARE: k = i % 40000 == 33 ? 5 + i / 40000 % 16 : (k >> 60) * 0x11111111; break;
        case HIDDEN: k = i % (n / 1024 + (n < 1024)) == 0 ? k : 0x5555555555 << 24 | k >> 44; break;
        case NESTED: k = (k & UINT64_C(0xe0000000e0000000)) | (k >> 6 & 0xe0) | (k & 3); break;
        case FREQUENT: k = k >> 62 ? k : (k >> 48 & 3) * UINT64_C(0x5555555555555555); break;
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

/* Sorts by the lowest `bits` bits, 8 at a time from the lowest on, by counting: the oracle. */
static void counting_sort(item *v, item *tmp, size_t n, unsigned bits)
{
    for (unsigned at = 0; at < bits; at += 8) {
        size_t begin[257] = {0};
        for (size_t i = 0; i < n; i++) {
            begin[(v[i].key >> at & 255) + 1]++;
        }
        if (n == 0 || begin[(v[0].key >> at & 255) + 1] == n) {
            continue; /* all have the same */
        }
        for (unsigned d = 0; d < 256; d++) {
            begin[d + 1] += begin[d];
        }
        for (size_t i = 0; i < n; i++) {
            tmp[begin[v[i].key >> at & 255]++] = v[i];
        }
        memcpy(v, tmp, n * sizeof *v);
    }
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
    counting_sort(v, tmp, n, hi - lo);
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

/* upsweep_sort_copy to another array and onto itself, with positions and without. */
static void check_copy(upsweep *u, size_t n, upsweep_type type, unsigned index_bits, int pattern,
                       upsweep_options o)
{
    size_t bytes = upsweep_type_bytes(type), ib = index_bits / 8;
    unsigned lo = o.bit_begin, hi = o.bit_end ? o.bit_end : (unsigned)bytes * 8;
    char *keys = malloc(n * bytes + 1), *was = malloc(n * bytes + 1), *index = malloc(n * ib + 1);
    char *out = malloc(n * bytes + 1);
    fill(was, n, bytes, pattern);
    item *v = oracle(was, n, type, o.flags, lo, hi);
    for (unsigned way = 0; way < 4; way++) {
        bool onto = way / 2 == 1, places = way % 2 == 1;
        char *to = onto ? keys : out;
        memcpy(keys, was, n * bytes);
        to[n * bytes] = index[n * ib] = 80;
        assert_int_equal(
            upsweep_sort_copy(u, keys, n, type, to, places ? index : NULL, index_bits, &o),
            UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) {
            if (memcmp(to + i * bytes, was + v[i].at * bytes, bytes) != 0 ||
                (places && usw_load_raw(index + i * ib, ib) != v[i].at)) {
                fail_msg("sort_copy: n %zu type %s way %u pattern %d flags %u bits %u-%u algorithm "
                         "%s: wrong at %zu",
                         n, upsweep_type_name(type), way, pattern, o.flags, lo, hi,
                         o.algorithm ? o.algorithm : "-", i);
            }
        }
        assert_true(onto || memcmp(keys, was, n * bytes) == 0);
        assert_int_equal(to[n * bytes], 80);
        assert_int_equal(index[n * ib], 80);
    }
    free(v), free(keys), free(was), free(index), free(out);
}

#endif

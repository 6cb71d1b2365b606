/* test_strings.c - sort_strings, argsort_strings, sort_slices against qsort by memcmp: texts of
 * many kinds, lengths around those at which the method changes, threads, offsets and indices of
 * both widths, both directions; slices that overlap, with values and without repetition; what is
 * refused, and that it leaves all arrays as they were. Texts end where their block ends. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/shared/inputs.h"
#include "test/shared/handles.h"
#include "upsweep.h"

enum { LONGEST = 170, KINDS = 11, LEAF = 1 << 14 };
static uint64_t random_state = 11;

static uint64_t draw(uint64_t below)
{
    return input_random(&random_state) % below;
}

/* n strings: string i is at[i], length[i]. */
typedef struct texts {
    size_t n, size, skipped; /* skipped: bytes before the first string */
    unsigned char *bytes;
    uint64_t *offsets;
    size_t *order; /* the stable order */
} texts;

static const texts *now; /* for qsort */

static int compare_texts(size_t x, size_t y)
{
    size_t a = now->offsets[x + 1] - now->offsets[x], b = now->offsets[y + 1] - now->offsets[y];
    size_t both = a < b ? a : b;
    int order =
        both > 0 ? memcmp(now->bytes + now->offsets[x], now->bytes + now->offsets[y], both) : 0;
    return order != 0 ? order : (a > b) - (a < b);
}

static int rising(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = compare_texts(x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

static int falling(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = compare_texts(y, x);
    return order != 0 ? order : (x > y) - (x < y);
}

static size_t write_text(unsigned char *to, unsigned kind, size_t i)
{
    size_t length = 0;
    switch (kind) {
    case 0: /* all bytes */
        length = draw(20);
        for (size_t k = 0; k < length; k++) {
            to[k] = (unsigned char)draw(256);
        }
        break;
    case 1: /* NULs and ones, or NULs alone, about as many as vectors compare */
        length = draw(3) == 0 ? 50 + draw(40) : draw(30);
        for (size_t k = 0; k < length; k++) {
            to[k] = length < 30 ? (unsigned char)draw(2) : 0;
        }
        break;
    case 2:
        length = draw(LONGEST);
        memset(to, 0xff, length);
        break;
    case 3: /* a long beginning, then a number, which may be cut off */
        length = (size_t)sprintf((char *)to, "https://long.example/of/all/%u/%u", (unsigned)draw(7),
                                 (unsigned)draw(5000));
        length -= draw(3) == 0 ? draw(12) : 0;
        break;
    case 4: /* a few short ones, empty ones among them */
        length = draw(3);
        memset(to, 'a' + (int)draw(2), length);
        break;
    case 5: /* rarely another byte */
        length = draw(60);
        for (size_t k = 0; k < length; k++) {
            to[k] = draw(20) == 0 ? 'b' : 'a';
        }
        break;
    case 6: length = (size_t)sprintf((char *)to, "user%u", (unsigned)draw(300)); break;
    case 7: break; /* empty */
    case 8:        /* beginnings that are longer than the heads of splitters */
    case 10:       /* and twice as long, differing between */
        length = kind == 8 ? 70 : 140;
        memset(to, kind == 8 ? 'a' + (int)draw(3) : 'a', length);
        to[70] = (unsigned char)('0' + draw(3));
        to[draw(length)] ^= draw(4) == 0;
        length += (size_t)sprintf((char *)to + length, "%u", (unsigned)draw(5000));
        length = draw(5) == 0 ? draw(length) : length;
        break;
    default: length = (size_t)sprintf((char *)to, "%08zu", i); break; /* in order */
    }
    return length;
}

static texts make_texts(size_t n, unsigned kind, size_t skipped, bool descending)
{
    texts t = {.n = n, .skipped = skipped};
    unsigned char *room = malloc(skipped + n * LONGEST + 1);
    t.offsets = malloc((n + 1) * sizeof *t.offsets);
    t.order = malloc((n + 1) * sizeof *t.order);
    size_t at = skipped;
    memset(room, 'x', skipped);
    for (size_t i = 0; i < n; i++) {
        t.offsets[i] = at;
        at += write_text(room + at, kind, i);
        t.order[i] = i;
    }
    t.offsets[n] = at;
    t.size = at;
    t.bytes = malloc(at + 1); /* the byte more comes first, so that they end with the block */
    t.bytes++;
    memcpy(t.bytes, room, at);
    free(room);
    now = &t;
    qsort(t.order, n, sizeof *t.order, descending ? falling : rising);
    return t;
}

static void free_texts(texts *t)
{
    free(t->bytes - 1);
    free(t->offsets);
    free(t->order);
}

/* An array of unsigned elements of 32 or 64 bits. */
static void *narrow(const uint64_t *from, size_t n, unsigned bits)
{
    unsigned char *to = malloc(n * (bits / 8) + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t half = (uint32_t)from[i];
        memcpy(to + i * (bits / 8), bits == 32 ? (const void *)&half : (const void *)&from[i],
               bits / 8);
    }
    return to;
}

static uint64_t element(const void *array, unsigned bits, size_t i)
{
    return bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* The instruction sets take turns. */
static upsweep *open_with(unsigned threads, size_t limit)
{
    static const char *const isas[] = {"portable", "avx2", "avx512"};
    static unsigned turn;
    setenv("UPSWEEP_ISA", isas[turn++ % 3], 1);
    upsweep_config c = {.size = sizeof c, .threads = threads, .scratch_limit = limit};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    return u;
}

static void check_sorted(const texts *t, const unsigned char *bytes, const void *offsets,
                         unsigned bits)
{
    size_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t from = t->offsets[t->order[i]], length = t->offsets[t->order[i] + 1] - from;
        assert_int_equal(element(offsets, bits, i), at);
        assert_memory_equal(bytes + at, t->bytes + from, length);
        at += length;
    }
    assert_int_equal(element(offsets, bits, t->n), at);
}

/* argsort_strings and sort_strings of the same texts. */
static void check_arrow(upsweep *u, const texts *t, const upsweep_options *o, unsigned offset_bits,
                        unsigned index_bits)
{
    void *offsets = narrow(t->offsets, t->n + 1, offset_bits);
    void *index = calloc(t->n + 1, index_bits / 8);
    assert_int_equal(
        upsweep_argsort_strings(u, t->bytes, offsets, offset_bits, t->n, index, index_bits, o),
        UPSWEEP_OK);
    for (size_t i = 0; i < t->n; i++) {
        assert_int_equal(element(index, index_bits, i), t->order[i]);
    }
    unsigned char *out = malloc(t->size - t->skipped + 1);
    void *out_offsets = calloc(t->n + 1, offset_bits / 8);
    assert_int_equal(
        upsweep_sort_strings(u, t->bytes, offsets, offset_bits, t->n, out, out_offsets, o),
        UPSWEEP_OK);
    check_sorted(t, out, out_offsets, offset_bits);
    free(offsets);
    free(index);
    free(out);
    free(out_offsets);
}

static void check_slices(upsweep *u, const texts *t, const upsweep_options *o, bool with_values,
                         bool distinct)
{
    enum { BITS = 20 };
    uint64_t *slices = malloc((t->n + 1) * sizeof *slices);
    uint64_t *values = malloc((t->n + 1) * sizeof *values);
    for (size_t i = 0; i < t->n; i++) {
        slices[i] = t->offsets[i] << BITS | (t->offsets[i + 1] - t->offsets[i]);
        values[i] = i * 3;
    }
    size_t kept = 77, wanted = 0;
    assert_int_equal(upsweep_sort_slices(u, t->bytes, t->size, slices, with_values ? values : NULL,
                                         t->n, BITS, distinct ? &kept : NULL, o),
                     UPSWEEP_OK);
    now = t;
    for (size_t i = 0; i < t->n; i++) {
        size_t x = t->order[i];
        if (distinct && i > 0 && compare_texts(t->order[i - 1], x) == 0) {
            continue;
        }
        assert_int_equal(slices[wanted] >> BITS, t->offsets[x]);
        assert_int_equal(slices[wanted] & ((1u << BITS) - 1), t->offsets[x + 1] - t->offsets[x]);
        if (with_values) {
            assert_int_equal(values[wanted], 3 * x);
        }
        wanted++;
    }
    assert_true(!distinct || kept == wanted);
    free(slices);
    free(values);
}

static void check_texts(size_t n, unsigned kind, unsigned threads)
{
    bool descending = draw(2) == 1;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = (descending ? UPSWEEP_DESCENDING : 0) | (draw(2) ? UPSWEEP_UNSTABLE : 0);
    texts t = make_texts(n, kind, draw(2) * draw(50), descending);
    upsweep *u = open_with(threads, 0);
    check_arrow(u, &t, &o, draw(2) ? 32 : 64, draw(2) ? 32 : 64);
    check_slices(u, &t, &o, draw(2), draw(2));
    upsweep_close(u);
    free_texts(&t);
}

static void small(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t n = 0; n < 40; n++) {
            check_texts(n, kind, 1 + (unsigned)draw(3));
        }
        for (int i = 0; i < 20; i++) {
            check_texts(40 + draw(3000), kind, 1 + (unsigned)draw(3));
        }
    }
}

static void around_a_leaf(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t n = LEAF - 1; n <= LEAF + 1; n++) {
            check_texts(n, kind, 1 + (unsigned)draw(3));
        }
        check_texts(2 * LEAF + draw(50000), kind, 1 + (unsigned)draw(4));
        check_texts(2 * LEAF + draw(50000), kind, 1 + (unsigned)draw(4));
    }
}

/* So many that some bucket is too large for a leaf. */
static void large(void **state)
{
    (void)state;
    static const unsigned kinds[] = {0, 3, 5, 8, 9, 10};
    for (unsigned i = 0; i < 18; i++) { /* each kind on each instruction set */
        check_texts(test_thorough() ? 500000 : 300000, kinds[i / 3], 1 + i % 4);
    }
}

/* So many that repeated ones are dropped before the sort; and that a thread gives that up. */
static void repeated(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        for (unsigned kind = 6; kind < KINDS; kind += 3) {
            texts t = make_texts(250000, kind, 0, false);
            upsweep *u = open_with(threads, 0);
            check_slices(u, &t, NULL, threads == 2, true);
            upsweep_close(u);
            free_texts(&t);
        }
    }
}

/* Strings of which each is the beginning of the next, and one that is very long. */
static void nested(void **state)
{
    (void)state;
    enum { N = 3000, BITS = 32 };
    size_t size = (size_t)1 << 20;
    unsigned char *bytes = malloc(size);
    memset(bytes, 'a', size);
    uint64_t *slices = malloc(N * sizeof *slices);
    for (size_t i = 0; i < N; i++) {
        slices[i] = (uint64_t)(i * 7 % 100) << BITS | (i * 1237 % N);
    }
    slices[5] = size;
    upsweep *u = open_with(2, 0);
    assert_int_equal(upsweep_sort_slices(u, bytes, size, slices, NULL, N, BITS, NULL, NULL),
                     UPSWEEP_OK);
    for (size_t i = 1; i < N; i++) {
        assert_true((uint32_t)slices[i - 1] <= (uint32_t)slices[i]);
    }
    assert_int_equal(slices[N - 1], size);
    upsweep_close(u);
    free(bytes);
    free(slices);
}

static void refused(void **state)
{
    (void)state;
    upsweep *u = open_with(1, 0);
    const char *bytes = "abcdef";
    uint32_t bad[] = {0, 3, 2, 6}, good[] = {0, 2, 3, 6}, index[3] = {7, 8, 9}, offsets[4];
    char out[6];
    upsweep_options wrong = UPSWEEP_OPTIONS_INIT;
    wrong.flags = UPSWEEP_NAN_FIRST;
    upsweep_options named = UPSWEEP_OPTIONS_INIT;
    named.algorithm = "sort/radix";
#define ARGSORT(...) upsweep_argsort_strings(u, __VA_ARGS__)
    assert_int_equal(ARGSORT(bytes, bad, 32, 3, index, 32, NULL), UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "string 1 ends before it begins");
    assert_int_equal(ARGSORT(bytes, good, 16, 3, index, 32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, good, 32, 3, index, 8, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, good, 32, 3, NULL, 32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, NULL, 32, 3, index, 32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(NULL, good, 32, 3, index, 32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, good, 32, SIZE_MAX, index, 64, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, good, 32, 3, index, 32, &wrong), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(ARGSORT(bytes, good, 32, 3, index, 32, &named), UPSWEEP_ERROR_ALGORITHM);
    assert_true(index[0] == 7 && index[1] == 8 && index[2] == 9);
    assert_int_equal(upsweep_sort_strings(u, bytes, good, 32, 3, NULL, offsets, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_strings(u, bytes, good, 32, 3, out, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    uint64_t slices[] = {0 << 8 | 6, 3 << 8 | 4}, none = 0;
    size_t kept = 5;
#define SLICES(...) upsweep_sort_slices(u, __VA_ARGS__)
    assert_int_equal(SLICES(bytes, 6, slices, NULL, 2, 8, &kept, NULL), UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "slice 1 reaches beyond 6 bytes");
    assert_int_equal(SLICES(bytes, 6, slices, NULL, 2, 0, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(SLICES(bytes, 6, slices, NULL, 2, 64, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(SLICES(NULL, 6, slices, NULL, 2, 8, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(SLICES(bytes, 6, NULL, NULL, 2, 8, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_true(kept == 5 && slices[0] == 6 && slices[1] == (3 << 8 | 4));
    assert_int_equal(SLICES(NULL, 0, NULL, NULL, 0, 8, &kept, NULL), UPSWEEP_OK);
    assert_int_equal(kept, 0);
    assert_int_equal(SLICES(NULL, 0, &none, NULL, 1, 8, &kept, NULL), UPSWEEP_OK);
    assert_int_equal(kept, 1);
    assert_int_equal(upsweep_sort_strings(u, NULL, NULL, 32, 0, NULL, offsets, NULL), UPSWEEP_OK);
    assert_int_equal(offsets[0], 0);
    upsweep_close(u);
}

static void little_scratch(void **state)
{
    (void)state;
    texts t = make_texts(40000, 0, 0, false);
    upsweep *u = open_with(2, 200000);
    uint32_t *index = calloc(t.n, sizeof *index);
    assert_int_equal(upsweep_argsort_strings(u, t.bytes, t.offsets, 64, t.n, index, 32, NULL),
                     UPSWEEP_ERROR_MEMORY);
    for (size_t i = 0; i < t.n; i++) {
        assert_int_equal(index[i], 0);
    }
    upsweep_close(u);
    free(index);
    free_texts(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),    cmocka_unit_test(around_a_leaf),
        cmocka_unit_test(large),    cmocka_unit_test(nested),
        cmocka_unit_test(refused),  cmocka_unit_test(little_scratch),
        cmocka_unit_test(repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_rows_in_order.c - rows that are in order but for some, sorted with their positions: stable,
 * whatever a thread takes out of them and merges in again. And rows of few keys, of every type. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/calls.h"
#include "core/keymap.h"
#include "test/shared/handles.h"

enum { ROWS = 3, LENGTH = 4000, N = ROWS * LENGTH, KINDS = 5 };

/* Of a row of small numbers, many of them equal: a random end, some changed, two runs, falling. */
static uint64_t number_at(unsigned kind, size_t i, uint64_t random)
{
    uint64_t rising = i / 3 * 5;
    switch (kind) {
    case 0: return i >= LENGTH - LENGTH / 50 ? random % LENGTH : rising;
    case 1: return random % 300 == 0 ? random % LENGTH : rising;
    case 2: return i % (LENGTH / 2) / 3 * 5;
    case 3: return LENGTH - rising / 3;
    default: return random % LENGTH;
    }
}

static void store_number(upsweep_type type, void *keys, size_t i, uint64_t number)
{
    switch (type) {
    case UPSWEEP_U16: ((uint16_t *)keys)[i] = (uint16_t)number; break;
    case UPSWEEP_U32: ((uint32_t *)keys)[i] = (uint32_t)number; break;
    case UPSWEEP_I64: ((int64_t *)keys)[i] = (int64_t)(number << 40) - (INT64_C(1) << 50); break;
    case UPSWEEP_F32: ((float *)keys)[i] = 1000.0f - (float)number; break;
    default: ((double *)keys)[i] = (double)number - 1000.25; break;
    }
}

static void check_row(const usw_keymap *map, const unsigned char *before,
                      const unsigned char *after, const uint32_t *index, size_t bytes)
{
    uint64_t last = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        assert_true(index[i] < LENGTH);
        assert_memory_equal(after + i * bytes, before + index[i] * bytes, bytes);
        uint64_t key = usw_map_key(map, usw_load_raw(after + i * bytes, bytes));
        assert_true(i == 0 || key > last || (key == last && index[i] > index[i - 1]));
        last = key;
    }
}

static void rows_in_order(void **state)
{
    (void)state;
    static const upsweep_type types[] = {UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_I64, UPSWEEP_F32,
                                         UPSWEEP_F64};
    unsigned char *before = malloc(N * 8), *after = malloc(N * 8);
    uint32_t *index = malloc(N * sizeof *index), seed = 7;
    for (unsigned run = 0; run < ISAS * 2; run++) {
        upsweep *u = handle_open(run / 2, run % 2 == 0 ? 1 : 3);
        for (unsigned c = 0; u != NULL && c < 2 * KINDS * 5; c++) {
            upsweep_type type = types[c % 5];
            upsweep_options o = UPSWEEP_OPTIONS_INIT;
            o.flags = c / 5 % 2 == 1 ? UPSWEEP_DESCENDING : 0;
            usw_keymap map = usw_keymap_of(type, o.flags);
            size_t bytes = upsweep_type_bytes(type);
            for (size_t i = 0; i < N; i++) {
                seed = seed * 1664525 + 1013904223;
                store_number(type, before, i, number_at(c / 10, i % LENGTH, seed >> 8));
            }
            memcpy(after, before, N * bytes);
            assert_int_equal(upsweep_sort_rows(u, after, N, type, NULL, ROWS, index, 32, &o),
                             UPSWEEP_OK);
            for (size_t r = 0; r < N; r += LENGTH) {
                check_row(&map, before + r * bytes, after + r * bytes, index + r, bytes);
            }
        }
        upsweep_close(u);
    }
    free(before);
    free(after);
    free(index);
}

/* Each row of few keys is what a plain sort makes of its bits, and what is in no row stays. */
static void rows_of_few(void **state)
{
    (void)state;
    enum { MOST = 140, FEW_ROWS = 5, BYTES = (FEW_ROWS * MOST + 1) * 8 };
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW};
    unsigned char *before = malloc(BYTES), *after = malloc(BYTES);
    uint64_t seed = 7;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (unsigned c = 0; u != NULL && c < MOST * UPSWEEP_F64; c++) {
            upsweep_type type = (upsweep_type)(1 + c % UPSWEEP_F64);
            size_t length = 1 + c / UPSWEEP_F64, n = FEW_ROWS * length;
            upsweep_options o = UPSWEEP_OPTIONS_INIT;
            o.flags = flags[(length + c) % 4];
            size_t bytes = upsweep_type_bytes(type);
            for (size_t i = 0; i < BYTES; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                before[i] = (unsigned char)(seed >> 61 == 0 ? 0xff : seed >> 56);
            }
            memcpy(after, before, BYTES);
            assert_int_equal(upsweep_sort_rows(u, after, n, type, NULL, FEW_ROWS, NULL, 0, &o),
                             UPSWEEP_OK);
            for (size_t r = 0; r < n; r += length) {
                assert_null(
                    oracle_sorted(type, o.flags, before + r * bytes, after + r * bytes, length));
            }
            assert_memory_equal(after + n * bytes, before + n * bytes, BYTES - n * bytes);
        }
        upsweep_close(u);
    }
    free(before);
    free(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_in_order),
                                       cmocka_unit_test(rows_of_few)};
    return cmocka_run_group_tests_name("rows in order", tests, NULL, NULL);
}

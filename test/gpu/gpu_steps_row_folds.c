/* gpu_steps_row_folds.c - reductions, places and scans of many rows on the GPU as on the CPU: short
 * rows side by side, rows of no, one and some tiles, few long ones. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/oracle.h"

enum { N_MAX = 300000 };
static uint64_t keys[N_MAX], want[N_MAX], got[N_MAX];

/* The rows in device memory, which does not begin at an aligned place. */
static usw_gpu_row_set put_rows(gpu_room *room, const uint64_t *begin, size_t rows, size_t n,
                                size_t bytes)
{
    return (usw_gpu_row_set){.data = gpu_put(room, keys, n * bytes, bytes * (n % 5)),
                             .begin =
                                 begin == NULL ? NULL : gpu_put(room, begin, (rows + 1) * 8, 8),
                             .rows = rows,
                             .row_length = begin == NULL ? n / rows : 0,
                             .n = n};
}

static void check_reduce(gpu_room *room, const uint64_t *begin, size_t rows, size_t n,
                         upsweep_type type, upsweep_op op)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_type as = upsweep_reduce_type(type, op);
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    if (as == UPSWEEP_F64 && (rows + n) % 2 == 0) {
        o.flags = UPSWEEP_ROUNDED;
        as = type;
    }
    assert_int_equal(upsweep_reduce_rows(room->cpu, keys, n, type, begin, rows, op, want, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_gpu_row_set set = put_rows(room, begin, rows, n, bytes);
    uint64_t identity = 0;
    upsweep_reduce(room->cpu, NULL, 0, type, op, &identity, NULL);
    set.identity = identity;
    void *results = gpu_put(room, NULL, rows * upsweep_type_bytes(as), 8);
    const usw_gpu_fold_rows_step *step = gpu_step(room, "fold_rows");
    assert_int_equal(step->reduce(room->g, &set, type, op, as, results), UPSWEEP_OK);
    gpu_get(room, got, results, rows * upsweep_type_bytes(as));
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got, want, rows * upsweep_type_bytes(as));
}

/* The place of the greatest of each row; integers, none of which is a NaN. */
static void check_place(gpu_room *room, const uint64_t *begin, size_t rows, size_t n,
                        upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    usw_keymap map = usw_keymap_of(type, UPSWEEP_DESCENDING);
    assert_int_equal(upsweep_argmax_rows(room->cpu, keys, n, type, begin, rows, want, 64, NULL),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_gpu_row_set set = put_rows(room, begin, rows, n, bytes);
    void *index = gpu_put(room, NULL, rows * 8, 8);
    const usw_gpu_fold_rows_step *step = gpu_step(room, "fold_rows");
    assert_int_equal(step->place(room->g, &set, &map, UINT64_MAX, index, 8), UPSWEEP_OK);
    gpu_get(room, got, index, rows * 8);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got, want, rows * 8);
}

static void check_scan(gpu_room *room, const uint64_t *begin, size_t rows, size_t n,
                       upsweep_type type, upsweep_op op, bool exclusive)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = {.flags = exclusive ? UPSWEEP_EXCLUSIVE : 0};
    memset(want, 0x77, n * bytes);
    assert_int_equal(upsweep_scan_rows(room->cpu, keys, want, n, type, begin, rows, op, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_gpu_row_set set = put_rows(room, begin, rows, n, bytes);
    memset(got, 0x77, n * bytes);
    usw_scan s = {.out = gpu_put(room, got, n * bytes, bytes), .type = type, .op = op, .n = n};
    s.exclusive = exclusive;
    uint64_t identity = 0; /* of the element's type: sums and products of a short type */
    if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST || op == UPSWEEP_AND) {
        upsweep_reduce(room->cpu, NULL, 0, type, op, &identity, NULL);
    }
    s.identity = identity;
    const usw_gpu_fold_rows_step *step = gpu_step(room, "fold_rows");
    assert_int_equal(step->scan(room->g, &set, &s), UPSWEEP_OK);
    gpu_get(room, got, s.out, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got, want, n * bytes);
}

/* Rows of no, one and some tiles, among short ones; all types and operators. */
static void folds_of_rows(void **state)
{
    static const size_t lengths[] = {3, 0, 500, 501, 4096, 4097, 1, 9000, 17, 0};
    enum { ROWS = sizeof lengths / sizeof *lengths };
    uint64_t begin[ROWS + 1] = {1};
    gpu_room *room = *state;
    for (size_t r = 0; r < ROWS; r++) {
        begin[r + 1] = begin[r] + lengths[r];
    }
    size_t n = (size_t)begin[ROWS] + 1;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < 7; i++) {
            upsweep_op op = (upsweep_op)(UPSWEEP_SUM + i);
            if (upsweep_reduce_type(type, op) == 0) {
                continue;
            }
            input_fill((unsigned)(type + i) % INPUT_PATTERNS, type, keys, n, i);
            if (oracle_mantissa_bits(type) != 0 && op > UPSWEEP_PRODUCT) {
                input_fill(INPUT_UNIFORM, type, keys, n, i); /* which NaN is least is not said */
            }
            check_reduce(room, begin, ROWS, n, type, op);
            check_scan(room, begin, ROWS, n, type, op, i % 2 == 0);
            check_reduce(room, NULL, 6, n / 6 * 6, type, op);
        }
    }
}

/* Short rows: reductions of them as well. */
static void check_short(gpu_room *room, const uint64_t *begin, size_t rows, size_t n,
                        upsweep_type type, upsweep_op op, bool exclusive)
{
    check_scan(room, begin, rows, n, type, op, exclusive);
    if (upsweep_reduce_type(type, op) != 0) {
        check_reduce(room, begin, rows, n, type, op);
    }
    if (type <= UPSWEEP_I64) {
        check_place(room, begin, rows, n, type);
    }
}

/* Rows that a warp scans, several at once or one by one: all of one length, some aligned, on either
 * side of every power of two of runs; and by offsets, where a row that a block scans stands among
 * them. */
static void folds_of_short_rows(void **state)
{
    static const size_t lengths[] = {1, 4, 7, 8, 9, 16, 17, 31, 64, 65, 100, 128, 129, 256, 257};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, ROWS = 70 };
    uint64_t begin[ROWS + 1] = {2}, seed = 5;
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        size_t top = 1024 / upsweep_type_bytes(type) * 4; /* a warp's, but for short floats */
        for (size_t i = 0; i < LENGTHS + 4; i++) {
            size_t n = i < LENGTHS ? lengths[i] : i < LENGTHS + 2 ? top / 4 + i % 2 : top + i % 2;
            size_t rows = 1 + 3000 / n;
            upsweep_op op = (upsweep_op)(UPSWEEP_SUM + (i + type) % 7);
            op = oracle_mantissa_bits(type) != 0 && op > UPSWEEP_PRODUCT ? UPSWEEP_SUM : op;
            input_fill((unsigned)(type + i) % INPUT_PATTERNS, type, keys, rows * n, i);
            check_short(room, NULL, rows, rows * n, type, op, i % 3 == 0);
        }
        for (size_t most = 5; most <= 6000; most *= 6) {
            for (size_t r = 0; r < ROWS; r++) {
                size_t n = input_random(&seed) % (r % 7 == 3 ? most : most / 4 + 1);
                begin[r + 1] = begin[r] + n;
            }
            input_fill(INPUT_UNIFORM, type, keys, (size_t)begin[ROWS] + 1, most);
            check_scan(room, begin, ROWS, (size_t)begin[ROWS] + 1, type, UPSWEEP_SUM,
                       most % 2 == 0);
        }
    }
}

/* Few long rows of one length, which are reduced and scanned in parts; and more tiles than a level
 * of the carry tree takes. */
static void folds_of_many_tiles(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < 7; i++) {
            upsweep_op op = (upsweep_op)(UPSWEEP_SUM + i);
            if (upsweep_reduce_type(type, op) != 0) {
                size_t n = 16385 + i + type;
                input_fill(INPUT_UNIFORM, type, keys, 3 * n, i);
                check_reduce(room, NULL, i % 3 + 1, (i % 3 + 1) * n, type, op);
                n = 3 * (oracle_mantissa_bits(type) != 0 ? 4096 : 16384 / upsweep_type_bytes(type));
                input_fill(INPUT_UNIFORM, type, keys, n + 5, i);
                check_scan(room, NULL, 1, n + 5, type, op, i % 2 == 0);
            }
        }
    }
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_I64; type++) {
        input_fill(INPUT_UNIFORM, type, keys, 3 * 16390, type);
        check_place(room, NULL, 3, 3 * (16385 + type % 5), type);
    }
    input_fill(INPUT_UNIFORM, UPSWEEP_F16, keys, 2 * 66 * 4096, 3);
    check_reduce(room, NULL, 2, 2 * 66 * 4096, UPSWEEP_F16, UPSWEEP_SUM);
    check_scan(room, NULL, 2, 2 * 66 * 4096, UPSWEEP_F16, UPSWEEP_SUM, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(folds_of_rows),
                                       cmocka_unit_test(folds_of_short_rows),
                                       cmocka_unit_test(folds_of_many_tiles)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}

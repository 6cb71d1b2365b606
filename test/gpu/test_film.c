/* test_film.c - films of an array in device memory: what each picture holds, on the emulated plugin
 * or the real one. Drawing into OpenGL is tested where there is a GPU, by the view. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 20000, ARENA_BYTES = 16 << 20 };

static uint32_t values[N], now[N], before[N], want[N];

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void fill(void)
{
    uint64_t state = 11;
    for (size_t i = 0; i < N; i++) {
        values[i] = (uint32_t)input_random(&state);
    }
    memcpy(want, values, sizeof want);
    qsort(want, N, sizeof *want, ascending);
}

/* The pictures begin with the values, end with the sorted ones, and each says rightly how many
 * elements it changed, which are some. */
static void check_film(upsweep_film *film, size_t most)
{
    size_t count = 0, number = 0;
    upsweep_picture p = UPSWEEP_PICTURE_INIT;
    assert_int_equal(upsweep_film_count(film, &count), UPSWEEP_OK);
    assert_in_range(count, 2, most);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(upsweep_film_at(film, i, &p), UPSWEEP_OK);
        assert_int_equal(upsweep_film_read(film, i, now), UPSWEEP_OK);
        size_t changed = 0;
        for (size_t k = 0; k < N; k++) {
            changed += now[k] != before[k];
        }
        if (i == 0) {
            assert_string_equal(p.kernel, "start");
            assert_memory_equal(now, values, sizeof now);
        } else {
            assert_true(p.number > number && changed > 0);
            assert_int_equal(p.changed, changed);
            assert_true(strlen(p.kernel) > 0 && strpbrk(p.kernel, "(<:") == NULL);
        }
        number = p.number;
        memcpy(before, now, sizeof now);
    }
    assert_memory_equal(now, want, sizeof now);
    assert_int_equal(upsweep_film_bytes_read(film), count * sizeof now);
    assert_int_equal(upsweep_film_at(film, count, &p), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_read(film, count, now), UPSWEEP_ERROR_ARGUMENT);
}

static void test_sorts(void **state)
{
    (void)state;
    static const char *const names[] = {"sort/oddeven", "sort/bitonic", "sort/radix",
                                        "sort/hybrid",  "sort/vmerge",  NULL};
    for (size_t k = 0; names[k] != NULL; k++) {
        upsweep_options options = UPSWEEP_OPTIONS_INIT;
        options.algorithm = names[k];
        for (size_t slots = 0; slots <= 5; slots += 5) { /* too few for all, and many */
            upsweep_film *film;
            size_t limit = slots == 0 ? 64 << 20 : slots * sizeof values;
            assert_int_equal(upsweep_film_open(gpu, values, N, UPSWEEP_U32, limit, &film),
                             UPSWEEP_OK);
            assert_int_equal(upsweep_sort(gpu, upsweep_film_array(film), N, UPSWEEP_U32, &options),
                             UPSWEEP_OK);
            check_film(film, slots == 0 ? 4096 : slots);
            upsweep_film_close(film);
        }
    }
}

/* Any type of numbers, and an array that lies on the device already. */
static void test_types(void **state)
{
    (void)state;
    for (int type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        size_t bytes = upsweep_type_bytes((upsweep_type)type), n = sizeof values / bytes, count;
        upsweep_film *film;
        void *there = device_take(sizeof values, 0);
        device_put(there, values, sizeof values);
        upsweep_status status = upsweep_film_open(gpu, there, n, (upsweep_type)type, 0, &film);
        if (type == UPSWEEP_F16 || type == UPSWEEP_BF16) {
            assert_int_equal(status, UPSWEEP_ERROR_UNSUPPORTED);
            continue;
        }
        assert_int_equal(status, UPSWEEP_OK);
        assert_int_equal(upsweep_film_count(film, &count), UPSWEEP_OK);
        assert_int_equal(count, 1);
        assert_int_equal(upsweep_film_read(film, 0, now), UPSWEEP_OK);
        assert_memory_equal(now, values, sizeof now);
        upsweep_film_close(film);
        device_reset();
    }
}

/* ---- cells ---- */

enum { MOST_CELLS = 1 << 20, MOST_ROWS = 4096 };
static uint8_t cells[2 * MOST_CELLS];

static size_t row_of(double value, double low, double high, size_t rows)
{
    double share = (value - low) * (high > low ? 1 / (high - low) : 0);
    share = share >= 1 ? 1 : share >= 0 ? share : 0;
    size_t row = (size_t)(share * (double)rows);
    return row < rows ? row : rows - 1;
}

/* Column c of a picture whose array is `now`, the picture before it `before`: shades may differ by
 * one where the logarithms of two machines do. */
static void check_column(size_t n, upsweep_type type, const double range[2], size_t c,
                         size_t columns, size_t rows)
{
    size_t counted[MOST_ROWS] = {0}, changed[MOST_ROWS] = {0};
    size_t begin = c * n / columns, end = (c + 1) * n / columns, bytes = upsweep_type_bytes(type);
    for (size_t i = begin; i < end; i++) {
        size_t r = row_of(input_number(now, i, type), range[0], range[1], rows);
        counted[r]++;
        changed[r] +=
            memcmp((const char *)now + i * bytes, (const char *)before + i * bytes, bytes) != 0;
    }
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *cell = cells + 2 * (c * rows + r);
        double shade = 1 + 254 * log2(1 + (double)counted[r]) / log2(1 + (double)(end - begin));
        size_t lit = counted[r] == 0 ? 0 : 255 * changed[r] / counted[r];
        lit = changed[r] > 0 && lit == 0 ? 1 : lit;
        if (counted[r] == 0 ? cell[0] != 0 : fabs((double)cell[0] - floor(shade)) > 1) {
            fail_msg("type %d, %zu x %zu: cell %zu, %zu has %zu elements and shade %d", type,
                     columns, rows, c, r, counted[r], cell[0]);
        }
        assert_int_equal(cell[1], lit);
    }
}

static void check_cells(upsweep_film *film, size_t n, upsweep_type type, const double range[2],
                        const size_t shape[2])
{
    size_t count = 0, bytes = n * upsweep_type_bytes(type);
    assert_int_equal(upsweep_film_count(film, &count), UPSWEEP_OK);
    for (size_t i = 0; i < count; i++) {
        uint64_t read = upsweep_film_bytes_read(film);
        assert_int_equal(upsweep_film_cells(film, i, range[0], range[1], shape[0], shape[1], cells),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_film_bytes_read(film) - read, 2 * shape[0] * shape[1]);
        assert_int_equal(upsweep_film_read(film, i, now), UPSWEEP_OK);
        if (i == 0) {
            memcpy(before, now, bytes);
        }
        for (size_t c = 0; c < shape[0]; c++) {
            check_column(n, type, range, c, shape[0], shape[1]);
        }
        memcpy(before, now, bytes);
    }
}

static void test_cells(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {7, 100}, {640, 333}, {20, MOST_ROWS}};
    static const struct {
        upsweep_type type;
        double low, high;
    } all[] = {{UPSWEEP_U8, 0, 255},      {UPSWEEP_I8, -100, 90}, {UPSWEEP_U16, 0, 65535},
               {UPSWEEP_I16, -2e4, 3e4},  {UPSWEEP_U32, 0, 4e9},  {UPSWEEP_I32, -2e9, 2e9},
               {UPSWEEP_U64, 0, 1.8e19},  {UPSWEEP_I64, 1, 1},    {UPSWEEP_F32, -1e30, 1e30},
               {UPSWEEP_F64, -1e30, 1e9}, {UPSWEEP_U32, 1e9, 1e9}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        upsweep_film *film;
        size_t n = sizeof values / upsweep_type_bytes(all[k].type) - k;
        const double range[2] = {all[k].low, all[k].high};
        assert_int_equal(upsweep_film_open(gpu, values, n, all[k].type, 64 << 20, &film),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_sort(gpu, upsweep_film_array(film), n, all[k].type, NULL),
                         UPSWEEP_OK);
        for (size_t shape = k == 4 ? 0 : 1; shape < (k == 4 ? 4 : 2); shape++) {
            check_cells(film, n, all[k].type, range, shapes[shape]);
        }
        upsweep_film_close(film);
    }
}

/* After a film is closed calls take no pictures, and another one may follow. */
static void test_one_after_another(void **state)
{
    (void)state;
    upsweep_film *film;
    size_t count;
    memcpy(now, values, sizeof now);
    assert_int_equal(upsweep_film_open(gpu, values, N, UPSWEEP_U32, 0, &film), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(gpu, now, N, UPSWEEP_U32, NULL), UPSWEEP_OK); /* of the host */
    assert_memory_equal(now, want, sizeof now);
    assert_int_equal(upsweep_film_count(film, &count), UPSWEEP_OK);
    assert_int_equal(count, 1); /* no kernel touched the film's array */
    upsweep_film_close(film);
    memcpy(now, values, sizeof now);
    assert_int_equal(upsweep_sort(gpu, now, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_film_close(NULL);
}

static void test_refused(void **state)
{
    (void)state;
    upsweep_film *film;
    assert_int_equal(upsweep_film_open(cpu, values, N, UPSWEEP_U32, 0, &film),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_null(film);
    assert_int_equal(upsweep_film_open(gpu, values, 0, UPSWEEP_U32, 0, &film),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_open(gpu, NULL, N, UPSWEEP_U32, 0, &film),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_open(gpu, values, N, (upsweep_type)77, 0, &film),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_open(gpu, values, N, UPSWEEP_U32, 0, &film), UPSWEEP_OK);
    assert_int_equal(upsweep_film_draw(film, 0, 0, 1), UPSWEEP_ERROR_ARGUMENT); /* no buffer */
    assert_int_equal(upsweep_film_attach(film, 1), UPSWEEP_ERROR_DEVICE);       /* no OpenGL */
    assert_int_equal(upsweep_film_draw(film, 0, 0, 1), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_attach(film, 0), UPSWEEP_OK);
    assert_int_equal(upsweep_film_attach_pixels(film, 1), UPSWEEP_ERROR_DEVICE);
    assert_int_equal(upsweep_film_attach_pixels(film, 0), UPSWEEP_OK);
    assert_int_equal(upsweep_film_attach_pixels(NULL, 0), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 0, 0, 1, 4, 4, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 1, 0, 1, 4, 4, cells), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 0, 0, 1, 0, 4, cells), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 0, 0, 1, 65537, 4, cells), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 0, 0, 1, 4, 0, cells), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_cells(film, 0, 0, 1, 4, 4097, cells), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_film_bytes_read(film), 0);
    upsweep_film_close(film);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts), cmocka_unit_test(test_types), cmocka_unit_test(test_cells),
        cmocka_unit_test(test_one_after_another), cmocka_unit_test(test_refused)};
    int status = device_group_start(ARENA_BYTES);
    fill();
    return status != 0 ? status : cmocka_run_group_tests(tests, NULL, device_group_end);
}

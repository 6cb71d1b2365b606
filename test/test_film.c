/* test_film.c - films of an array in device memory: what each picture holds, on the emulated plugin
 * or the real one. Drawing into OpenGL is tested where there is a GPU, by the view. */
#include "device.h"
#include "handles.h"
#include "inputs.h"

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
    upsweep_picture p;
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
    upsweep_film_close(film);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sorts), cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_one_after_another),
                                       cmocka_unit_test(test_refused)};
    int status = device_group_start(ARENA_BYTES);
    fill();
    return status != 0 ? status : cmocka_run_group_tests(tests, NULL, device_group_end);
}

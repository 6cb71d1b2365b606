/* test_gpu_handle.c - what a handle on a GPU promises beside results: errors that only the device
 * sees, streams and graphs, reserving, limits and want of memory, and a device's pointer on a CPU's
 * handle. As test_gpu.c, on the emulated plugin or the real one. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "test/shared/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 5000, ARENA_BYTES = 64 << 20 };

static uint32_t index_of[N], values[N], got[N], want[N];

/* A permutation, and values. */
static void fill(void)
{
    uint64_t state = 7;
    for (uint32_t i = 0; i < N; i++) {
        index_of[i] = i;
        values[i] = (uint32_t)input_random(&state);
    }
    for (uint32_t i = N - 1; i > 0; i--) {
        uint32_t k = (uint32_t)(input_random(&state) % (i + 1)), kept = index_of[i];
        index_of[i] = index_of[k];
        index_of[k] = kept;
    }
}

static void *on_device(const void *from, size_t bytes)
{
    void *at = device_take(bytes, 0);
    device_put(at, from, bytes);
    return at;
}

/* ---- errors that only the device sees ---- */

static void test_late_errors(void **state)
{
    (void)state;
    char on_cpu[256];
    fill();
    index_of[17] = N;
    assert_int_equal(upsweep_gather(cpu, values, N, index_of, 32, got, N, 4, NULL),
                     UPSWEEP_ERROR_RANGE);
    snprintf(on_cpu, sizeof on_cpu, "%s", upsweep_error(cpu));
    /* Arrays of the host: at once. */
    assert_int_equal(upsweep_gather(gpu, values, N, index_of, 32, got, N, 4, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(gpu), on_cpu);
    /* Arrays of the device: by the wait, once. */
    void *dv = on_device(values, sizeof values), *di = on_device(index_of, sizeof index_of);
    void *out = on_device(values, sizeof values);
    assert_int_equal(upsweep_gather(gpu, dv, N, di, 32, out, N, 4, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(gpu), on_cpu);
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
    /* A scatter or permute that fails leaves its output as it was. */
    device_put(out, values, sizeof values);
    assert_int_equal(upsweep_scatter(gpu, di, di, 32, out, N, N, 4, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_permute(gpu, dv, di, 32, N, 4, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_ERROR_RANGE);
    device_get(got, out, sizeof got);
    assert_memory_equal(got, values, sizeof got);
    device_get(got, dv, sizeof got);
    assert_memory_equal(got, values, sizeof got);
    index_of[17] = index_of[18];
    memcpy(want, values, sizeof want);
    assert_int_equal(upsweep_permute(gpu, want, index_of, 32, N, 4, NULL), UPSWEEP_ERROR_RANGE);
    assert_memory_equal(want, values, sizeof want);
    assert_non_null(strstr(upsweep_error(gpu), "no permutation"));
    /* And the handle goes on. */
    fill();
    assert_int_equal(upsweep_gather(gpu, values, N, index_of, 32, got, N, 4, NULL), UPSWEEP_OK);
    assert_true(device_intact());
    device_reset();
}

static void test_wrong_place(void **state)
{
    (void)state;
    upsweep *late = NULL;
    void *d = on_device(values, sizeof values);
    assert_int_equal(upsweep_open(&late, "cpu", NULL), UPSWEEP_OK);
    /* The emulated GPU has no driver by which a process is known to use CUDA. */
    if (!device_is_emulated()) {
        assert_int_equal(upsweep_sort(late, d, N, UPSWEEP_U32, NULL), UPSWEEP_ERROR_UNSUPPORTED);
        assert_non_null(strstr(upsweep_error(late), "device memory"));
        assert_int_equal(upsweep_reverse(late, d, N, 4, NULL), UPSWEEP_ERROR_UNSUPPORTED);
    }
    assert_int_equal(upsweep_set_stream(late, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_set_stream(late, &late), UPSWEEP_ERROR_UNSUPPORTED);
    assert_int_equal(upsweep_wait(late), UPSWEEP_OK);
    assert_int_equal(upsweep_reserve(late, 100000), UPSWEEP_OK);
    upsweep_close(late);
    assert_int_equal(upsweep_set_stream(NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_wait(NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reserve(NULL, 1), UPSWEEP_ERROR_ARGUMENT);
    const char *why;
    static const char *const none[] = {"cuda:99", "cuda:", "cuda:x", "cuda:1x", "cudaa", "plan"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(upsweep_open_why(&late, none[i], NULL, &why), UPSWEEP_ERROR_DEVICE);
        assert_null(late);
        assert_true(strlen(why) > 10);
    }
    device_reset();
}

/* Calls that compute on the CPU say so when an array is in device memory. */
static void test_host_arrays_only(void **state)
{
    (void)state;
    upsweep_graph *graph = NULL;
    uint32_t tail[] = {0, 1}, head[] = {1, 2}, source = 0, near[3], here[3];
    void *d = on_device(values, sizeof values);
    assert_int_equal(upsweep_graph_from_arcs(gpu, 3, 2, d, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(upsweep_error(gpu), "computes on the CPU"));
    assert_int_equal(upsweep_graph_from_rows(gpu, 3, d, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_int_equal(upsweep_graph_from_arcs(gpu, 3, 2, tail, head, NULL, 0, 0, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_bellman_ford(gpu, graph, &source, 1, d, NULL, NULL, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_int_equal(upsweep_bellman_ford(gpu, graph, d, 1, near, NULL, NULL, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(upsweep_error(gpu), "computes on the CPU"));
    assert_int_equal(upsweep_paths(gpu, graph, d, 1, near, NULL, NULL), UPSWEEP_ERROR_UNSUPPORTED);
    /* With arrays of the host a handle of a GPU does what one of the CPU does. */
    for (int h = 0; h < 2; h++) {
        upsweep *u = h == 0 ? cpu : gpu;
        assert_int_equal(upsweep_bellman_ford(u, graph, &source, 1, near, NULL, NULL, NULL),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_paths(u, graph, &source, 1, here, NULL, NULL), UPSWEEP_OK);
        assert_true(near[2] == 2 && here[2] == 2 && near[1] == 1 && here[1] == 1);
    }
    upsweep_graph_free(graph);
    device_reset();
}

/* ---- memory ---- */

static void test_limit(void **state)
{
    (void)state;
    upsweep *small = NULL;
    upsweep_config config = {.size = sizeof config, .scratch_limit = 30000};
    assert_int_equal(upsweep_open(&small, "cuda", &config), UPSWEEP_OK);
    fill();
    memcpy(got, values, sizeof got);
    /* 20,000 bytes of the array, as many of its copy: too much. */
    assert_int_equal(upsweep_permute(small, got, index_of, 32, N, 4, NULL), UPSWEEP_ERROR_MEMORY);
    assert_non_null(strstr(upsweep_error(small), "scratch_limit"));
    assert_memory_equal(got, values, sizeof got);
    assert_int_equal(upsweep_reverse(small, got, N, 4, NULL), UPSWEEP_OK);
    assert_int_equal(got[0], values[N - 1]);
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(small, &report);
    assert_true(report.scratch_bytes <= 30000 && report.scratch_bytes >= sizeof got);
    assert_int_equal(upsweep_reserve(small, 40000), UPSWEEP_ERROR_MEMORY);
    upsweep_close(small);
}

/* What a second copy of the pairs would make faster goes without it where the limit has no room. */
static void test_limit_of_pairs(void **state)
{
    (void)state;
    size_t n = device_is_emulated() ? 30011 : 4500011;
    uint32_t *keys[2], *places[2];
    upsweep_report report = {.scratch_bytes = 1};
    for (unsigned limited = 0; limited < 2; limited++) {
        uint64_t random = 11;
        keys[limited] = malloc(4 * n), places[limited] = malloc(4 * n);
        for (size_t i = 0; i < n; i++) { /* uneven, and of three digits */
            uint64_t key = input_random(&random) & input_random(&random) & input_random(&random);
            keys[limited][i] = (uint32_t)key & 0xffffff;
            places[limited][i] = (uint32_t)i;
        }
        upsweep *u = NULL;
        upsweep_config config = {.size = sizeof config, .scratch_limit = report.scratch_bytes - 1};
        assert_int_equal(upsweep_open(&u, "cuda", &config), UPSWEEP_OK);
        assert_int_equal(
            upsweep_sort_pairs(u, keys[limited], places[limited], n, UPSWEEP_U32, 4, NULL),
            UPSWEEP_OK);
        upsweep_last_report(u, &report);
        assert_true(limited == 0 || report.scratch_bytes <= config.scratch_limit);
        upsweep_close(u);
    }
    assert_memory_equal(keys[0], keys[1], 4 * n);
    assert_memory_equal(places[0], places[1], 4 * n);
    for (unsigned limited = 0; limited < 2; limited++) {
        free(keys[limited]), free(places[limited]);
    }
}

/* Takes nearly all memory of the device; what lacks memory then fails and changes nothing. */
static void test_memory_full(void **state)
{
    (void)state;
    typedef int (*info_fn)(size_t *, size_t *);
    info_fn info;
    void *symbol = device_symbol("cudaMemGetInfo");
    memcpy(&info, &symbol, sizeof info);
    if (info == NULL || test_small()) { /* a sanitizer would tell of the want of memory */
        skip();
    }
    upsweep *hog = NULL;
    size_t left, all, n = 8 << 20, step = (size_t)64 << 20;
    uint32_t *keys = malloc(n * 4), *copy = malloc(n * 4), *index = malloc(n * 4);
    for (size_t i = 0; i < n; i++) {
        keys[i] = copy[i] = (uint32_t)(i * 2654435761u);
        index[i] = (uint32_t)(n - 1 - i);
    }
    assert_int_equal(upsweep_open(&hog, "cuda", NULL), UPSWEEP_OK);
    upsweep_trim(gpu);
    assert_int_equal(info(&left, &all), 0);
    size_t take = left > 2 * step ? left - step : left / 2;
    while (take > 0 && upsweep_reserve(hog, take) != UPSWEEP_OK) {
        take -= take > step ? step : take;
    }
    assert_true(take > all / 4);
    assert_int_equal(upsweep_permute(gpu, keys, index, 32, n, 4, NULL), UPSWEEP_ERROR_MEMORY);
    assert_non_null(strstr(upsweep_error(gpu), "bytes for scratch"));
    assert_memory_equal(keys, copy, n * 4);
    upsweep_close(hog);
    assert_int_equal(upsweep_permute(gpu, keys, index, 32, n, 4, NULL), UPSWEEP_OK);
    assert_int_equal(keys[0], copy[n - 1]);
    free(keys);
    free(copy);
    free(index);
}

/* ---- streams and graphs ---- */

/* Reverses, permutes and, if it is there, sorts: in a graph, replayed on other contents. */
static upsweep_status queue_all(void *keys, void *data, void *index)
{
    upsweep_status status = upsweep_reverse(gpu, keys, N, 4, NULL);
    if (status == UPSWEEP_OK) {
        status = upsweep_permute(gpu, data, index, 32, N, 4, NULL);
    }
    if (status == UPSWEEP_OK) {
        status = upsweep_sort(gpu, keys, N, UPSWEEP_U32, NULL);
    }
    return status;
}

static void test_graph(void **state)
{
    (void)state;
    runtime_handle stream, graph = NULL, exec;
    if (!runtime_find()) {
        skip();
    }
    fill();
    void *keys = on_device(values, sizeof values), *data = on_device(values, sizeof values);
    void *index = on_device(index_of, sizeof index_of);
    upsweep_trim(gpu);
    assert_int_equal(cuda.stream_create(&stream), 0);
    assert_int_equal(upsweep_set_stream(gpu, stream), UPSWEEP_OK);
    /* Without scratch: refused, with the bytes to reserve; and no array of the host. */
    assert_int_equal(cuda.begin_capture(stream, CAPTURE_RELAXED), 0);
    assert_int_equal(upsweep_permute(gpu, data, index, 32, N, 4, NULL), UPSWEEP_ERROR_MEMORY);
    const char *number = strstr(upsweep_error(gpu), "upsweep_reserve with ");
    assert_non_null(number);
    size_t bytes = strtoull(number + strlen("upsweep_reserve with "), NULL, 10);
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_ERROR_UNSUPPORTED);
    if (cuda.end_capture(stream, &graph) == 0 && graph != NULL) {
        assert_int_equal(cuda.graph_destroy(graph), 0);
    }
    assert_true(bytes >= sizeof values);
    assert_int_equal(upsweep_reserve(gpu, 4 << 20), UPSWEEP_OK);

    assert_int_equal(cuda.begin_capture(stream, CAPTURE_RELAXED), 0);
    assert_int_equal(upsweep_reverse(gpu, got, N, 4, NULL), UPSWEEP_ERROR_UNSUPPORTED);
    upsweep_status status = queue_all(keys, data, index);
    assert_int_equal(cuda.end_capture(stream, &graph), 0);
    assert_int_equal(status, UPSWEEP_OK);
    device_get(got, keys, sizeof got);
    assert_memory_equal(got, values, sizeof got); /* nothing has run */
    assert_int_equal(cuda.instantiate(&exec, graph, 0), 0);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < N; i++) {
            values[i] = values[i] * 2654435761u + (uint32_t)round;
        }
        device_put(keys, values, sizeof values);
        device_put(data, values, sizeof values);
        assert_int_equal(cuda.launch(exec, stream), 0);
        assert_int_equal(cuda.synchronize(stream), 0);
        memcpy(want, values, sizeof want);
        assert_int_equal(upsweep_permute(cpu, want, index_of, 32, N, 4, NULL), UPSWEEP_OK);
        device_get(got, data, sizeof got);
        assert_memory_equal(got, want, sizeof got);
        memcpy(want, values, sizeof want);
        assert_int_equal(upsweep_sort(cpu, want, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
        device_get(got, keys, sizeof got);
        assert_memory_equal(got, want, sizeof got);
    }
    assert_int_equal(upsweep_set_stream(gpu, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
    assert_int_equal(cuda.exec_destroy(exec), 0);
    assert_int_equal(cuda.graph_destroy(graph), 0);
    assert_int_equal(cuda.stream_destroy(stream), 0);
    assert_true(device_intact());
    device_reset();
}

/* A handle whose stream is set while that is being captured, as libraries do: what was queued
 * before goes on, and the call is in the graph. */
static void test_stream_under_capture(void **state)
{
    (void)state;
    runtime_handle stream, graph = NULL, exec;
    if (!runtime_find()) {
        skip();
    }
    fill();
    void *keys = on_device(values, sizeof values), *before = on_device(values, sizeof values);
    assert_int_equal(cuda.stream_create(&stream), 0);
    assert_int_equal(upsweep_reserve(gpu, 4 << 20), UPSWEEP_OK);
    assert_int_equal(upsweep_reverse(gpu, before, N, 4, NULL), UPSWEEP_OK);
    assert_int_equal(cuda.begin_capture(stream, CAPTURE_GLOBAL), 0);
    assert_int_equal(upsweep_set_stream(gpu, stream), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(gpu, keys, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
    assert_int_equal(cuda.end_capture(stream, &graph), 0);
    assert_int_equal(upsweep_set_stream(gpu, NULL), UPSWEEP_OK);
    assert_int_equal(cuda.instantiate(&exec, graph, 0), 0);
    assert_int_equal(cuda.launch(exec, stream), 0);
    assert_int_equal(cuda.synchronize(stream), 0);
    for (size_t i = 0; i < N; i++) {
        want[i] = values[N - 1 - i];
    }
    device_get(got, before, sizeof got);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(upsweep_sort(cpu, want, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
    device_get(got, keys, sizeof got);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(cuda.exec_destroy(exec), 0);
    assert_int_equal(cuda.graph_destroy(graph), 0);
    assert_int_equal(cuda.stream_destroy(stream), 0);
    assert_true(device_intact());
    device_reset();
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_errors),
        cmocka_unit_test(test_wrong_place),
        cmocka_unit_test(test_host_arrays_only),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_limit_of_pairs),
        cmocka_unit_test(test_memory_full),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_stream_under_capture),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}

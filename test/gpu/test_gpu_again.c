/* test_gpu_again.c - sorts that a handle on a GPU has seen before and queues as graphs
 * (gpu/plugin/repeat_graph.cuh) give what the CPU gives: whatever changes between two calls, other
 * contents, sizes, orders, places, scratch or streams, and with more of them in turn than it
 * remembers. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/inputs.h"
#include "test/shared/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 6000, ROUNDS = 6, PLACES = 11, ARENA_BYTES = 64 << 20 };

static uint32_t keys[N], values[N], want_keys[N], want[N], got_keys[N], got[N];
static uint64_t seed = 5;
static void *on_device[PLACES], *values_there;

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

static int take(void **state)
{
    (void)state;
    for (unsigned p = 0; p < PLACES; p++) {
        on_device[p] = device_take(sizeof keys, 0);
    }
    values_there = device_take(sizeof values, 0);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    int bad = device_intact() ? 0 : 1;
    device_reset();
    return bad;
}

/* New contents, sorted at that place and on the CPU; values: of pairs. */
static void sort_at(void *at, size_t n, upsweep_type type, unsigned flags, bool pairs)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = flags;
    for (size_t i = 0; i < N; i++) {
        keys[i] = (uint32_t)input_random(&seed) & (pairs ? 0xff00ffu : ~0u);
        values[i] = (uint32_t)i;
    }
    memcpy(want_keys, keys, sizeof keys);
    memcpy(want, values, sizeof values);
    device_put(at, keys, sizeof keys);
    if (pairs) {
        device_put(values_there, values, sizeof values);
        assert_int_equal(upsweep_sort_pairs(gpu, at, values_there, n, type, 4, &o), UPSWEEP_OK);
        assert_int_equal(upsweep_sort_pairs(cpu, want_keys, want, n, type, 4, &o), UPSWEEP_OK);
        assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
        device_get(got, values_there, sizeof got);
        assert_memory_equal(got, want, sizeof got);
    } else {
        assert_int_equal(upsweep_sort(gpu, at, n, type, &o), UPSWEEP_OK);
        assert_int_equal(upsweep_sort(cpu, want_keys, n, type, &o), UPSWEEP_OK);
    }
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
    device_get(got_keys, at, sizeof got_keys);
    assert_memory_equal(got_keys, want_keys, sizeof got_keys);
}

static void test_contents(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 60, 190, 1000, 2000, N};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            sort_at(on_device[0], sizes[s], UPSWEEP_U32, 0, round % 2 != 0);
        }
    }
}

/* One thing differs from the call that is a graph by now. */
static void test_changes(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        sort_at(on_device[0], N, UPSWEEP_U32, 0, false);
    }
    sort_at(on_device[0], N - 1, UPSWEEP_U32, 0, false);
    sort_at(on_device[0], N, UPSWEEP_I32, 0, false);
    sort_at(on_device[0], N, UPSWEEP_F32, UPSWEEP_NAN_RAW, false);
    sort_at(on_device[0], N, UPSWEEP_U32, UPSWEEP_DESCENDING, false);
    sort_at(on_device[1], N, UPSWEEP_U32, 0, false);
    sort_at(on_device[0], N, UPSWEEP_U32, 0, true);
    sort_at(on_device[0], N, UPSWEEP_U32, 0, false);
}

static void test_more_than_remembered(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned p = 0; p < PLACES; p++) {
            sort_at(on_device[p], N - p, UPSWEEP_U32, 0, false);
        }
        for (unsigned p = 0; p < 3; p++) {
            sort_at(on_device[p], N - p, UPSWEEP_U32, 0, false);
        }
    }
}

/* The scratch moves: given back, and to a larger block. */
static void test_scratch(void **state)
{
    (void)state;
    upsweep_trim(gpu);
    for (unsigned round = 0; round < 3 * ROUNDS; round++) {
        if (round == ROUNDS) {
            upsweep_trim(gpu);
        } else if (round == 2 * ROUNDS) {
            assert_int_equal(upsweep_reserve(gpu, 24 << 20), UPSWEEP_OK);
        }
        sort_at(on_device[0], N, UPSWEEP_U32, 0, round % 2 != 0);
    }
}

/* On another stream, and while that is captured by the caller: his graph has all of it. */
static void test_streams(void **state)
{
    (void)state;
    runtime_handle stream, graph, exec;
    if (!runtime_find()) {
        skip();
    }
    assert_int_equal(cuda.stream_create(&stream), 0);
    for (unsigned round = 0; round < 3 * ROUNDS; round++) {
        if (round % ROUNDS == 0) {
            assert_int_equal(upsweep_set_stream(gpu, round == ROUNDS ? stream : NULL), UPSWEEP_OK);
        }
        sort_at(on_device[0], N, UPSWEEP_U32, 0, false);
    }
    assert_int_equal(upsweep_set_stream(gpu, stream), UPSWEEP_OK);
    assert_int_equal(cuda.begin_capture(stream, CAPTURE_RELAXED), 0);
    upsweep_status status = upsweep_sort(gpu, on_device[0], N, UPSWEEP_U32, NULL);
    assert_int_equal(cuda.end_capture(stream, &graph), 0);
    assert_int_equal(status, UPSWEEP_OK);
    assert_int_equal(cuda.instantiate(&exec, graph, 0), 0);
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        for (size_t i = 0; i < N; i++) {
            want_keys[i] = keys[i] = (uint32_t)input_random(&seed);
        }
        device_put(on_device[0], keys, sizeof keys);
        assert_int_equal(cuda.launch(exec, stream), 0);
        assert_int_equal(cuda.synchronize(stream), 0);
        assert_int_equal(upsweep_sort(cpu, want_keys, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
        device_get(got_keys, on_device[0], sizeof got_keys);
        assert_memory_equal(got_keys, want_keys, sizeof got_keys);
        sort_at(on_device[1], N, UPSWEEP_U32, 0, false);
    }
    assert_int_equal(upsweep_set_stream(gpu, NULL), UPSWEEP_OK);
    assert_int_equal(cuda.exec_destroy(exec), 0);
    assert_int_equal(cuda.graph_destroy(graph), 0);
    assert_int_equal(cuda.stream_destroy(stream), 0);
    upsweep_trim(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_contents, take, drop),
        cmocka_unit_test_setup_teardown(test_changes, take, drop),
        cmocka_unit_test_setup_teardown(test_more_than_remembered, take, drop),
        cmocka_unit_test_setup_teardown(test_scratch, take, drop),
        cmocka_unit_test_setup_teardown(test_streams, take, drop),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}

/* test_gpu_graph.c - every call on arrays, with all of them and its result in device memory, is
 * captured in a CUDA graph, in the mode in which any allocation and any wait in the process is an
 * error; the graph then runs twice and leaves the CPU's bytes. So calls on device arrays wait for
 * nothing, and allocate nothing once there is the scratch that a plan told. What must wait, since
 * the host reads something, says so. On the emulated plugin or the real one, as test_gpu.c. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20, COPIES = 4 };

static upsweep *plan;
static runtime_handle stream;
static unsigned long captured, waiting;

/* Copies that a job makes before its call: they are no part of what is captured. */
static struct copy {
    void *to;
    const void *from;
    size_t bytes;
} copies[COPIES];
static unsigned copy_count;

static void copy_later(void *to, const void *from, size_t bytes)
{
    assert_true(copy_count < COPIES);
    copies[copy_count++] = (struct copy){to, from, bytes};
}

static void complain(const job *j, const char *wrong)
{
    fail_msg("%s variant %u, captured: n = %zu, type %s, %s, seed %llu: %s", j->call->name,
             j->variant, j->n, upsweep_type_name(j->type), input_name(j->pattern),
             (unsigned long long)j->seed, wrong);
}

/* The job's arrays and its result on the device; where they are at home. */
static void *home[JOB_ARRAYS];

static void go_out(job *j)
{
    for (unsigned i = 0; i < j->arrays; i++) {
        guarded *g = &j->array[i].g;
        home[i] = g->at;
        g->at = device_take(g->bytes, 0);
    }
    j->result = device_take(sizeof *j->result, 0);
}

static void put_inputs(const job *j)
{
    for (unsigned i = 0; i < j->arrays; i++) {
        device_put(job_at(j, i), job_before(j, i), j->array[i].g.bytes);
    }
    device_put(j->result, &j->out, sizeof j->out);
    for (unsigned c = 0; c < copy_count; c++) {
        device_copy(copies[c].to, copies[c].from, copies[c].bytes);
    }
}

/* What is on the device, as the job's own; the device's arrays stay. */
static bool same_as(const job *expected, job *j)
{
    void *there[JOB_ARRAYS];
    for (unsigned i = 0; i < j->arrays; i++) {
        guarded *g = &j->array[i].g;
        there[i] = g->at;
        g->at = home[i];
        device_get(home[i], there[i], g->bytes);
    }
    size_t before = j->out;
    device_get(&j->out, j->result, sizeof j->out);
    /* nth_element promises what stands on either side of the k-th key, not where. */
    bool same = strcmp(j->call->name, "upsweep_nth_element") == 0 ? job_wrong(j) == NULL
                                                                  : job_same(expected, j);
    j->out = before;
    for (unsigned i = 0; i < j->arrays; i++) {
        j->array[i].g.at = there[i];
    }
    return same;
}

/* The scratch of the call, told without a device. */
static size_t planned_scratch(job *j)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    copy_count = 0;
    upsweep_status status = j->call->run(plan, j);
    if (status != UPSWEEP_OK) {
        complain(j, upsweep_error(plan));
    }
    upsweep_last_report(plan, &report);
    return report.scratch_bytes;
}

/* Bucket edges are read by the host. */
static bool must_wait(const job *j)
{
    bool buckets = strcmp(j->call->name, "upsweep_histogram") == 0 ||
                   strcmp(j->call->name, "upsweep_split_keys") == 0;
    return buckets && j->variant == 1;
}

static void replay(const job *expected, job *j, runtime_handle graph)
{
    runtime_handle exec;
    assert_int_equal(cuda.instantiate(&exec, graph, 0), 0);
    for (int round = 0; round < 2; round++) {
        put_inputs(j);
        assert_int_equal(cuda.launch(exec, stream), 0);
        assert_int_equal(cuda.synchronize(stream), 0);
        if (!same_as(expected, j)) {
            complain(j, "a graph's outcome is not the CPU's");
        }
    }
    assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
    assert_int_equal(cuda.exec_destroy(exec), 0);
    captured++;
}

static bool try_capture(const call *c, unsigned variant, size_t n, upsweep_type type,
                        unsigned pattern, uint64_t seed)
{
    job expected, j;
    runtime_handle graph = NULL;
    if (!job_start(&expected, c, variant, n, type, pattern, seed)) {
        return false;
    }
    assert_true(job_start(&j, c, variant, n, type, pattern, seed));
    assert_int_equal(c->run(cpu, &expected), UPSWEEP_OK);
    go_out(&j);
    j.copy = copy_later;
    size_t scratch = planned_scratch(&j);
    put_inputs(&j);
    upsweep_trim(gpu);
    assert_int_equal(upsweep_reserve(gpu, scratch), UPSWEEP_OK);
    copy_count = 0;
    assert_int_equal(cuda.begin_capture(stream, CAPTURE_GLOBAL), 0);
    upsweep_status status = c->run(gpu, &j);
    int ended = cuda.end_capture(stream, &graph);
    if (must_wait(&j) && n > 0) {
        if (status != UPSWEEP_ERROR_UNSUPPORTED ||
            strstr(upsweep_error(gpu), "being captured") == NULL) {
            complain(&j, status == UPSWEEP_OK ? "a call that must wait did not say so"
                                              : upsweep_error(gpu));
        }
        waiting++;
    } else if (status != UPSWEEP_OK || ended != 0) {
        complain(&j, status != UPSWEEP_OK ? upsweep_error(gpu) : "the capture was ended");
    } else {
        replay(&expected, &j, graph);
    }
    (void)(graph != NULL && cuda.graph_destroy(graph));
    for (unsigned i = 0; i < j.arrays; i++) {
        j.array[i].g.at = home[i];
    }
    device_reset();
    job_free(&j);
    job_free(&expected);
    return true;
}

static void test_call(void **state)
{
    const call *c = *state;
    static const size_t sizes[] = {1, 300, 20000};
    unsigned long jobs = 0;
    captured = waiting = 0;
    for (unsigned variant = 0; variant < (test_small() ? 1 : c->variants); variant++) {
        for (unsigned s = 0; s < 3; s++) {
            if (s == 2 && variant % 2 != 0 && device_is_emulated() && !test_thorough()) {
                continue;
            }
            upsweep_type type = variant % 2 ? UPSWEEP_F32 : s % 2 ? UPSWEEP_U64 : UPSWEEP_U16;
            jobs += try_capture(c, variant, sizes[s], type, INPUT_ZIPF, s) ||
                    try_capture(c, variant, sizes[s], UPSWEEP_U8, INPUT_UNIFORM, s) ||
                    try_capture(c, variant, sizes[s], UPSWEEP_I32, INPUT_UNIFORM, s);
        }
    }
    printf("%s: %lu captured, %lu refused\n", c->name, captured, waiting);
    assert_true(jobs > 0 && captured > 0);
}

/* Long enough for the forms of long arrays. */
static void test_long(void **state)
{
    (void)state;
    size_t n = device_is_emulated() ? 25001 : 1500007;
    for (size_t i = 0; call_at(i) != NULL; i++) {
        if (!call_has_function(call_at(i))) {
            (void)(try_capture(call_at(i), 0, n, UPSWEEP_U32, INPUT_UNIFORM, i) ||
                   try_capture(call_at(i), 0, n, UPSWEEP_U8, INPUT_UNIFORM, i));
        }
    }
}

static int start(void **state)
{
    const char *why;
    (void)state;
    int failed = device_group_start(ARENA_BYTES);
    if (failed != 0 || upsweep_open_why(&plan, "cuda:plan", NULL, &why) != UPSWEEP_OK) {
        return 1;
    }
    if (!runtime_find()) {
        exit(77);
    }
    return cuda.stream_create(&stream) != 0 || upsweep_set_stream(gpu, stream) != UPSWEEP_OK;
}

static int end(void **state)
{
    (void)upsweep_set_stream(gpu, NULL);
    (void)cuda.stream_destroy(stream);
    upsweep_close(plan);
    return device_group_end(state);
}

int main(void)
{
    enum { MOST = 100 };
    struct CMUnitTest tests[MOST];
    size_t count = 0;
    for (size_t i = 0; call_at(i) != NULL && count < MOST - 1; i++) {
        if (!call_has_function(call_at(i))) {
            tests[count++] = (struct CMUnitTest){call_at(i)->name, test_call, NULL, NULL,
                                                 (void *)(uintptr_t)call_at(i)};
        }
    }
    tests[count++] = (struct CMUnitTest){"long arrays", test_long, NULL, NULL, NULL};
    return _cmocka_run_group_tests("gpu_graph", tests, count, start, end);
}

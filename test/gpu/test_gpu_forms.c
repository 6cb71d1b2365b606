/* test_gpu_forms.c - walks the registry: every algorithm with a CUDA form, by name through every
 * call of its operation, for all types, many sizes and patterns, against the CPU's bytes and the
 * oracle. On the emulated plugin or the real one, as test_gpu.c. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/rows.h"

enum { ARENA_BYTES = 1 << 20 };

static unsigned long done, declined;

static const size_t sizes[] = {0,    1,    2,    3,    5,     31,    32,     33,     64,
                               65,   127,  255,  257,  511,   1000,  1023,   1025,   2049,
                               4095, 4097, 8193, 9999, 16385, 40000, 131073, 1000003};

/* Quadratic algorithms get short arrays only, and so does the emulator. */
static bool affordable(const usw_entry *e, size_t n)
{
    uint64_t work = e->row->work != NULL ? e->row->work(n) : n;
    return device_is_emulated() ? n < 10000 && work < 3000000
           : test_small()       ? n < 5000 && work < 2000000
                                : work < UINT64_C(20000000000);
}

static void try_form(const usw_entry *e, const call *c, unsigned variant, size_t n,
                     upsweep_type type, unsigned pattern)
{
    job expected, j;
    if (!job_start(&expected, c, variant, n, type, pattern, done % 1009)) {
        return;
    }
    assert_true(job_start(&j, c, variant, n, type, pattern, done % 1009));
    if (test_small()) {
        upsweep_trim(gpu);
    }
    j.algorithm = e->row->info.name;
    upsweep_status status = c->run(gpu, &j);
    const char *wrong = NULL;
    if (status == UPSWEEP_ERROR_UNSUPPORTED && strstr(upsweep_error(gpu), "on the GPU") != NULL) {
        wrong = job_untouched(&j) ? NULL : "declined, but an array has changed";
        declined++;
    } else if (status != UPSWEEP_OK) {
        wrong = upsweep_error(gpu);
    } else {
        assert_int_equal(c->run(cpu, &expected), UPSWEEP_OK);
        wrong = job_same(&expected, &j) ? NULL : job_wrong(&j);
        wrong = wrong == NULL && !job_same(&expected, &j) ? "other bytes than on the CPU" : wrong;
        done++;
    }
    if (wrong != NULL) {
        fail_msg("%s by %s, variant %u: n = %zu, type %s, %s: %s", e->row->info.name, c->name,
                 variant, n, upsweep_type_name(type), input_name(pattern), wrong);
    }
    job_free(&expected);
    job_free(&j);
}

static void walk(const usw_entry *e, const call *c)
{
    bool plain = strcmp(c->name, "upsweep_sort") == 0;
    unsigned long turn = 0, left = 0, begun = done;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] && affordable(e, sizes[s]); s++) {
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (unsigned variant = 0; variant < c->variants; variant++) {
                const bool fewer = device_is_emulated() && !test_thorough();
                unsigned stride = sizes[s] < 64          ? (fewer && sizes[s] > 2 ? 2 : 1)
                                  : fewer                ? 13
                                  : device_is_emulated() ? 9
                                  : sizes[s] < 20000     ? 3
                                                         : 7;
                if ((variant + type + s) % stride != 0 ||
                    (test_small() && done > begun && !input_one_in(113, ++left))) {
                    continue;
                }
                unsigned patterns = plain && variant == 0 && !device_is_emulated() ? 4 : 1;
                for (unsigned p = 0; p < patterns; p++) {
                    try_form(e, c, variant, sizes[s], (upsweep_type)type,
                             (unsigned)(turn++ % INPUT_PATTERNS));
                }
            }
        }
    }
}

static void test_row(void **state)
{
    const usw_entry *e = *state;
    unsigned long before = done;
    for (size_t i = 0; call_at(i) != NULL; i++) {
        if (row_call_runs(call_at(i), e->row->info.operation)) {
            walk(e, call_at(i));
        }
    }
    assert_true(done > before);
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    enum { MOST = 100 };
    struct CMUnitTest tests[MOST];
    size_t count = row_tests(tests, MOST, true, test_row);
    int failed = _cmocka_run_group_tests("gpu_forms", tests, count, start, device_group_end);
    printf("%lu runs, %lu declined\n", done, declined);
    return failed;
}

/* test_gpu_threads.c - two handles on one GPU, each in a thread of its own, whose calls go on at
 * once: what the one sets for a kernel must serve the other, too. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20, SORTED = 20000, COUNTED = 3000, MOST_BUCKETS = 30000 };

typedef struct thread_work {
    pthread_t thread;
    uint32_t seed;
    size_t buckets;  /* of its histograms */
    char wrong[200]; /* what went wrong first, or empty */
} thread_work;

static bool passes(thread_work *w, upsweep *u, upsweep_status status, const char *what)
{
    if (status != UPSWEEP_OK && w->wrong[0] == '\0') {
        snprintf(w->wrong, sizeof w->wrong, "%s: %s: %s", what, upsweep_status_name(status),
                 u != NULL ? upsweep_error(u) : "no handle");
    }
    return w->wrong[0] == '\0';
}

/* Sorts, of another length each round, beside the CPU. */
static void *sorts(void *context)
{
    thread_work *w = context;
    uint32_t *keys = malloc(SORTED * 4), *other = malloc(SORTED * 4);
    upsweep *u = NULL, *here = NULL;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = UPSWEEP_DESCENDING;
    bool good = passes(w, u, upsweep_open(&u, "cuda", NULL), "open") &&
                passes(w, here, upsweep_open(&here, "cpu", NULL), "open on the CPU");
    for (uint32_t round = 0; round < 10 && good; round++) {
        for (uint32_t i = 0; i < SORTED; i++) {
            keys[i] = other[i] = (i + round) * 2654435761u * w->seed;
        }
        size_t n = SORTED - round * 1111;
        good = passes(w, u, upsweep_sort(u, keys, n, UPSWEEP_U32, NULL), "sort") &&
               passes(w, u, upsweep_reverse(u, keys, n, 4, NULL), "reverse") &&
               passes(w, here, upsweep_sort(here, other, n, UPSWEEP_U32, &o), "sort on the CPU");
        if (good && memcmp(keys, other, n * 4) != 0) {
            snprintf(w->wrong, sizeof w->wrong, "other keys in round %u", round);
            good = false;
        }
    }
    upsweep_close(u);
    upsweep_close(here);
    free(keys);
    free(other);
    return NULL;
}

/* Histograms by one kernel, which needs as much shared memory as it has buckets. */
static void *histograms(void *context)
{
    thread_work *w = context;
    uint32_t *keys = malloc(COUNTED * sizeof *keys);
    uint64_t *counts = malloc(w->buckets * sizeof *counts), state = w->seed;
    uint64_t *want = calloc(w->buckets, sizeof *want);
    upsweep *u = NULL;
    for (size_t i = 0; i < COUNTED; i++) {
        keys[i] = (uint32_t)(input_random(&state) % w->buckets);
        want[keys[i]]++;
    }
    uint32_t low = 0, high = (uint32_t)w->buckets;
    upsweep_bucketing b = {sizeof b, UPSWEEP_BUCKET_WIDTH, 0, 0, w->buckets, &low, &high, NULL};
    bool good = passes(w, u, upsweep_open(&u, "cuda", NULL), "open");
    for (unsigned round = 0; round < (test_small() ? 10 : 300) && good; round++) {
        good = passes(w, u, upsweep_histogram(u, keys, COUNTED, UPSWEEP_U32, &b, counts, NULL),
                      "histogram");
        if (good && memcmp(counts, want, w->buckets * sizeof *counts) != 0) {
            snprintf(w->wrong, sizeof w->wrong, "other counts in round %u", round);
            good = false;
        }
    }
    upsweep_close(u);
    free(keys);
    free(counts);
    free(want);
    return NULL;
}

static void run_both(void *(*work)(void *))
{
    thread_work works[2] = {{.seed = 3, .buckets = 9000}, {.seed = 5, .buckets = MOST_BUCKETS}};
    for (int t = 0; t < 2; t++) {
        assert_int_equal(pthread_create(&works[t].thread, NULL, work, &works[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        pthread_join(works[t].thread, NULL);
    }
    for (int t = 0; t < 2; t++) {
        assert_string_equal(works[t].wrong, "");
    }
}

static void test_sorts(void **state)
{
    (void)state;
    run_both(sorts);
}

static void test_histograms(void **state)
{
    (void)state;
    run_both(histograms);
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_histograms),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}

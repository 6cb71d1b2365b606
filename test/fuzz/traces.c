/* traces.c - explained forms: their results, and sinks that stop them. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef struct watcher {
    uint64_t events, stop_at;
    bool begun, ended;
} watcher;

static int watch(void *context, const upsweep_event *event)
{
    watcher *w = context;
    w->begun = w->begun || event->kind == UPSWEEP_EVENT_BEGIN;
    w->ended = w->ended || event->kind == UPSWEEP_EVENT_END;
    return ++w->events == w->stop_at;
}

/* Distances from vertex 0, in a list of arcs; n: of vertices, all below it. */
static void plain_distances(const uint32_t *values, size_t n, uint64_t *distance)
{
    bool changed = true;
    for (size_t v = 0; v < n; v++) {
        distance[v] = v == 0 ? 0 : UINT32_MAX;
    }
    while (changed) {
        changed = false;
        for (size_t a = 0; a + 2 < n; a += 3) {
            uint64_t way = distance[values[a]] + values[a + 2];
            if (distance[values[a]] < UINT32_MAX && way < distance[values[a + 1]]) {
                distance[values[a + 1]] = way;
                changed = true;
            }
        }
    }
}

/* What the algorithm must give: results of them. */
static size_t want_of(const char *operation, const char *name, const uint32_t *values, size_t n,
                      uint64_t *want)
{
    size_t results = n, at = 0;
    uint32_t sum = 0;
    if (strcmp(operation, "sort") == 0) {
        uint32_t *sorted = malloc((n + 1) * sizeof *sorted);
        memcpy(sorted, values, n * sizeof *sorted);
        fuzz_sort_plainly(UPSWEEP_U32, 0, sorted, n);
        for (size_t i = 0; i < n; i++) {
            want[i] = sorted[i];
        }
        free(sorted);
    } else if (strcmp(operation, "path") == 0) {
        plain_distances(values, n, want);
        results = 0;
        for (size_t a = 0; a + 2 < n; a += 3) {
            uint32_t most = values[a] > values[a + 1] ? values[a] : values[a + 1];
            results = most + 1 > results ? most + 1 : results;
        }
    } else if (strcmp(operation, "split") == 0) {
        for (uint32_t bit = 0; bit < 2; bit++) {
            for (size_t i = 0; i < n; i++) {
                if ((values[i] & 1) == bit) {
                    want[at++] = values[i];
                }
            }
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            want[i] = sum;
            sum += values[i];
        }
        bool reduce = strcmp(operation, "reduce") == 0;
        for (size_t i = 0; i < n && reduce; i++) {
            want[i] = sum;
        }
        results = reduce && strcmp(name, "reduce/butterfly") != 0 && n > 0 ? 1 : n;
    }
    return results;
}

static void fill_values(fuzz *f, const upsweep_algorithm *a, uint32_t *values, size_t n)
{
    uint64_t below = fuzz_magnitude(f, 1, UINT32_MAX);
    bool paths = strcmp(a->operation, "path") == 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = (uint32_t)fuzz_draw(f, paths ? (i % 3 == 2 ? 50 : n / 3) : below);
    }
}

static void run_trace(fuzz *f)
{
    const upsweep_algorithm *a =
        upsweep_algorithm_at((size_t)fuzz_draw(f, upsweep_algorithm_count()));
    size_t n = (size_t)fuzz_magnitude(f, 1, 70);
    n = strcmp(a->operation, "path") == 0 ? (n + 3) / 3 * 3 : n;
    f->n = n < f->most ? n : f->most / 3 * 3;
    n = f->n;
    if (n == 0) {
        return;
    }
    f->type = UPSWEEP_U32;
    fuzz_detail(f, ", %s", a->name);
    uint64_t *want = malloc((n + 1) * sizeof *want);
    uint32_t *values = (void *)fuzz_array_new(f, FUZZ_INPUT, n, 4, 4);
    fill_values(f, a, values, n);
    uint32_t *result = (void *)fuzz_array_new(f, FUZZ_OUTPUT, n, 4, 4);
    fuzz_arrays_ready(f);
    watcher w = {.stop_at = fuzz_chance(f, 5) ? 1 + fuzz_draw(f, 3) : UINT64_MAX};
    bool watched = !fuzz_chance(f, 4);
    upsweep_status status = upsweep_trace(f->twist == TWIST_ALGORITHM ? "sort/none" : a->name,
                                          f->twist == TWIST_NULL ? NULL : values, n, result,
                                          watched ? watch : NULL, &w);
    f->calls++;
    upsweep_status expect = f->twist == TWIST_ALGORITHM        ? UPSWEEP_ERROR_ALGORITHM
                            : f->twist == TWIST_NULL           ? UPSWEEP_ERROR_ARGUMENT
                            : watched && w.events >= w.stop_at ? UPSWEEP_STOPPED
                                                               : UPSWEEP_OK;
    fuzz_arrays_check(f, status == UPSWEEP_OK ? KEPT_INPUTS : KEPT_ALL);
    if (status != expect || w.events > w.stop_at) {
        fuzz_wrong(f, "status '%s', not '%s', after %llu events", upsweep_status_name(status),
                   upsweep_status_name(expect), (unsigned long long)w.events);
    } else if (status == UPSWEEP_OK && watched && (!w.begun || !w.ended)) {
        fuzz_wrong(f, "the trace has no begin or no end");
    }
    size_t results = want_of(a->operation, a->name, values, n, want);
    for (size_t i = 0; i < results && status == UPSWEEP_OK; i++) {
        if (result[i] != want[i]) {
            fuzz_wrong(f, "result %zu is %u, not %llu", i, result[i], (unsigned long long)want[i]);
        }
    }
    f->succeeded = status == UPSWEEP_OK && f->wrong[0] == '\0';
    free(want);
}

const fuzz_call fuzz_traces[] = {
    {"upsweep_trace", 3, run_trace, true},
    {0},
};

/* place.c - arrays of a call that the host itself must read, or that must be the host's; and
 * what is told after a wait. Also the calls that are about the GPU alone. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"
#include "core/device.h"

#include <link.h>

upsweep_status usw_gpu_say_fault(upsweep *u, const usw_gpu_fault_found *fault, uint64_t limit)
{
    unsigned long long below = limit, at = fault->position;
    switch (fault->code) {
    case USW_FAULT_INDEX: return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_OUTSIDE, (size_t)limit);
    case USW_FAULT_PERMUTATION: return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_TWICE);
    case USW_FAULT_BUCKET:
        return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_NO_BUCKET, (unsigned)below);
    case USW_FAULT_DISTANCE:
        return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_NO_FIT, (unsigned)at, (size_t)limit);
    case USW_FAULT_WEIGHT:
        return usw_fail(
            u, UPSWEEP_ERROR_RANGE, "the arc from %zu to %zu has a weight that is negative or NaN",
            (size_t)(limit == 0 ? 0 : at / limit), (size_t)(limit == 0 ? 0 : at % limit));
    case USW_FAULT_ENDLESS:
        return usw_fail(u, UPSWEEP_ERROR_DEVICE,
                        "the search was given up after %llu rounds on the GPU, which is a bug; a "
                        "handle on \"cpu\" can answer it",
                        at);
    case USW_FAULT_ROWS: return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_ROW, (size_t)at);
    case USW_FAULT_STRINGS:
        return at < limit ? usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_STRING, (size_t)at)
                          : usw_fail(u, UPSWEEP_ERROR_RANGE,
                                     "bytes or out_bytes is NULL, but the strings have some");
    default: return usw_fail(u, UPSWEEP_ERROR_DEVICE, "an error of no known kind: %u", fault->code);
    }
}

static int count_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
    (void)bytes;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

void usw_gpu_notice(upsweep *u)
{
    unsigned long long loads = 0;
    if (u->plugin != NULL) {
        return;
    }
    dl_iterate_phdr(count_loads, &loads);
    if (loads == 0 || loads != u->loads_without_cuda) { /* 0: this loader does not count */
        usw_device_notice(u);
        u->loads_without_cuda = loads;
    }
}

bool usw_gpu_has(upsweep *u, const void *array)
{
    if (array == NULL || u->plugin == NULL || u->device == USW_CPU) {
        return false;
    }
    return u->plugin->place(u->gpu, array) != USW_ON_HOST;
}

bool usw_gpu_only_plans(const upsweep *u)
{
    return strcmp(u->device_name, "cuda:plan") == 0;
}

upsweep_status usw_gpu_refuse(upsweep *u, const void *array, const char *what, const char *call)
{
    return usw_gpu_has(u, array)
               ? usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                          "%s computes on the CPU, and %s is in device memory", call, what)
               : UPSWEEP_OK;
}

upsweep_status usw_gpu_refuse_list(upsweep *u, const void *list, const char *what)
{
    return !usw_gpu_only_plans(u) && usw_gpu_has(u, list)
               ? usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                          "the %s are in device memory, but are read by the host", what)
               : UPSWEEP_OK;
}

upsweep_status usw_gpu_device_pointer(upsweep *u, const void *array, const char *what)
{
    return array != NULL && u->plugin->place(NULL, array) != USW_ON_HOST
               ? usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                          "%s is in device memory, but the handle was opened on the CPU", what)
               : UPSWEEP_OK;
}

upsweep_status usw_gpu_host_reads(upsweep *u, const char *what)
{
    if (u->gpu == NULL || usw_gpu_only_plans(u)) {
        return UPSWEEP_OK;
    }
    u->plugin->begin(u->gpu, true);
    bool captured = u->plugin->capturing(u->gpu);
    u->plugin->end(u->gpu);
    return captured
               ? usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                          "the host reads %s, which it cannot while the stream is being captured",
                          what)
               : UPSWEEP_OK;
}

upsweep_status usw_gpu_bring_home(upsweep *u, const void **array, size_t bytes, const char *what)
{
    if (*array == NULL || !usw_gpu_has(u, *array)) {
        return UPSWEEP_OK;
    }
    void *copy = usw_scratch(u, bytes);
    if (copy == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu bytes", bytes);
    }
    memset(copy, 0, bytes);
    upsweep_status status = UPSWEEP_OK;
    if (!usw_gpu_only_plans(u) && usw_device_open_late(u)) {
        status = usw_gpu_host_reads(u, what);
        if (status != UPSWEEP_OK) {
            return status;
        }
        u->plugin->begin(u->gpu, false);
        status = u->plugin->download(u->gpu, copy, *array, bytes);
        u->plugin->end(u->gpu);
    }
    *array = copy;
    return status == UPSWEEP_OK ? status : usw_fail(u, status, "%s", u->plugin->error(u->gpu));
}

/* ---- the range of keys in device memory ---- */

typedef struct range_job {
    size_t n;
    const usw_keymap *maps;
} range_job;

static upsweep_status range_work(usw_gpu_call *c)
{
    const range_job *j = c->context;
    const char *algorithm;
    const usw_gpu_reduce_form *form = usw_gpu_form_for(c, USW_REDUCES, NULL, &algorithm);
    uint64_t *index = usw_gpu_words(c, 2);
    return form == NULL ? UPSWEEP_ERROR_UNSUPPORTED
           : index == NULL
               ? UPSWEEP_ERROR_MEMORY
               : form->least(c->g, c->arrays[0].at, j->n, j->maps, 2, c->arrays[1].at, index);
}

bool usw_gpu_range(upsweep *u, const void *keys, size_t n, const usw_keymap maps[2],
                   uint64_t found[2], upsweep_status *status)
{
    if (!usw_gpu_has(u, keys)) {
        return false;
    }
    range_job j = {n, maps};
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * maps[0].bits / 8),
                              usw_gpu_out("found", found, 2 * sizeof *found)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 2, .work = range_work, .context = &j};
    bool done = usw_gpu_run(&c, status);
    if (usw_gpu_only_plans(u)) {
        found[0] = usw_map_key(&maps[0], 0);
        found[1] = usw_map_key(&maps[1], 0);
    }
    return done;
}

/* ---- calls about the GPU alone ---- */

static upsweep_status gpu_failed(upsweep *u, upsweep_status status)
{
    return status == UPSWEEP_OK ? status : usw_fail(u, status, "%s", u->plugin->error(u->gpu));
}

upsweep_status upsweep_set_stream(upsweep *u, void *stream)
{
    upsweep_status status = UPSWEEP_OK;
    if (u == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_lock(u);
    bool late = u->device == USW_AUTO && stream != NULL && usw_device_open_late(u);
    if (u->gpu != NULL || late) {
        u->plugin->set_stream(u->gpu, stream);
    } else if (stream != NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "set_stream: the handle has no GPU");
    }
    usw_unlock(u);
    return status;
}

upsweep_status upsweep_wait(upsweep *u)
{
    usw_gpu_fault_found fault;
    upsweep_status status = UPSWEEP_OK;
    if (u == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_lock(u);
    if (u->gpu != NULL) {
        u->plugin->begin(u->gpu, false);
        status = gpu_failed(u, u->plugin->wait(u->gpu, &fault));
        /* Where only one call can be meant, its own sentence. */
        if (status == UPSWEEP_ERROR_RANGE && fault.code < USW_DEFERRED &&
            u->deferred[fault.code].calls == 1) {
            (void)usw_gpu_say_fault(u, &fault, u->deferred[fault.code].limit);
        }
        memset(u->deferred, 0, sizeof u->deferred);
        u->plugin->end(u->gpu);
    }
    usw_unlock(u);
    return status;
}

upsweep_status upsweep_reserve(upsweep *u, size_t bytes)
{
    upsweep_status status = UPSWEEP_OK;
    if (u == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_lock(u);
    if (u->gpu != NULL) {
        status = gpu_failed(u, u->plugin->reserve(u->gpu, bytes));
    } else {
        usw_scratch_begin(u);
        if (usw_scratch(u, bytes) == NULL) {
            status = usw_fail(u, UPSWEEP_ERROR_MEMORY, "reserve: no %zu bytes of scratch", bytes);
        }
    }
    usw_unlock(u);
    return status;
}

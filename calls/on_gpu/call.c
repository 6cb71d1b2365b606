/* call.c - runs one public call on a GPU.
 *
 * The steps run twice. The first time they only add up their scratch; then the handle makes room
 * for all of it, in one piece, so that a call that lacks memory fails before anything is touched.
 * The second time arrays of the host are copied to scratch and the steps are queued; if there are
 * outputs in the host's memory, the call waits, tells errors that the device found, and copies. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/call.h"
#include "core/device.h"
#include "calls/on_gpu/on_gpu.h"

#include <stdio.h>

/* Of the prediction for "auto". */
static const struct {
    double bytes_per_ns; /* between host and device */
    double start_ns;     /* of a call */
    double open_ns;      /* of CUDA in this process */
} rates = {40, 60e3, 400e6};

upsweep_status usw_gpu_failed(const usw_gpu_call *c, upsweep_status status)
{
    return usw_fail(c->u, status, "%s", c->p->error(c->g));
}

/* ---- forms ---- */

static const void *find_form(const usw_gpu_plugin *p, const char *stem)
{
    for (const usw_gpu_named *f = p->forms; f->stem != NULL; f++) {
        if (strcmp(f->stem, stem) == 0) {
            return f->form;
        }
    }
    return NULL;
}

const void *usw_gpu_form(const usw_gpu_call *c, const char *stem)
{
    const void *form = find_form(c->p, stem);
    if (form == NULL) {
        usw_say(c->u, "this call has no form on the GPU yet: the plugin lacks %s", stem);
    }
    return form;
}

const void *usw_gpu_form_named(const usw_gpu_call *c, const char *name, const char **algorithm)
{
    const upsweep_algorithm *row = upsweep_find(name);
    char stem[48];
    *algorithm = row != NULL ? row->name : "";
    snprintf(stem, sizeof stem, "%s", name);
    char *separator = strchr(stem, '/');
    if (separator != NULL) {
        *separator = '_';
    }
    const void *form = find_form(c->p, stem);
    if (form == NULL) {
        usw_say(c->u, "%s has no form on the GPU", *algorithm);
    }
    return form;
}

const void *usw_gpu_form_for(const usw_gpu_call *c, usw_operation operation, const char *name,
                             const char **algorithm)
{
    return usw_gpu_form_named(c, name != NULL ? name : usw_row_name(operation, NULL), algorithm);
}

upsweep_status usw_gpu_store(const usw_gpu_call *c, void *to, uint64_t bits, size_t bytes)
{
    const usw_gpu_results_step *results = usw_gpu_form(c, "results");
    return results == NULL ? UPSWEEP_ERROR_UNSUPPORTED : results->store(c->g, to, bits, bytes);
}

uint64_t *usw_gpu_words(const usw_gpu_call *c, size_t words)
{
    return c->p->scratch(c->g, words * sizeof(uint64_t));
}

/* ---- where to ---- */

static const char *device_of(const upsweep *u)
{
    return u->gpu != NULL ? u->device_name : "cuda";
}

/* Whether one of the arrays is in device memory. A handle on "auto" then opens the GPU. */
static bool any_on_device(usw_gpu_call *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->arrays[i].user != NULL &&
            c->u->plugin->place(c->u->gpu, c->arrays[i].user) != USW_ON_HOST) {
            return true;
        }
    }
    return false;
}

/* Host arrays on a handle on "auto": whether copies and GPU beat the CPU. */
static bool worth_the_way(usw_gpu_call *c)
{
    upsweep *u = c->u;
    double bytes = 0;
    for (size_t i = 0; i < c->count; i++) {
        const usw_gpu_array *a = &c->arrays[i];
        bytes += (double)a->bytes * ((a->use & USW_GPU_IN) + (a->use >> 1 & 1));
    }
    double gpu_ns = rates.start_ns + bytes / rates.bytes_per_ns + c->gpu_ns;
    if (u->gpu == NULL) {
        gpu_ns += rates.open_ns;
    }
    if (c->cpu_ns <= gpu_ns || !usw_device_open_late(u)) {
        if (u->plugin != NULL) {
            snprintf(u->note, sizeof u->note,
                     "%s was not used: with the copies it should take %.1f ms, the CPU %.1f ms",
                     device_of(u), gpu_ns / 1e6, c->cpu_ns / 1e6);
        } else if (u->gpu == NULL && !u->gpu_refused && c->cpu_ns > gpu_ns - rates.open_ns) {
            snprintf(u->note, sizeof u->note,
                     "no GPU was looked for: its start alone should take %.0f ms, the CPU %.1f ms",
                     rates.open_ns / 1e6, c->cpu_ns / 1e6);
        }
        return false;
    }
    snprintf(u->note, sizeof u->note,
             "%s was used: with the copies it should take %.1f ms, the CPU %.1f ms", device_of(u),
             gpu_ns / 1e6, c->cpu_ns / 1e6);
    return true;
}

/* False: the call stays on the CPU, or *status says why it fails. */
static bool belongs_on_gpu(usw_gpu_call *c, upsweep_status *status)
{
    upsweep *u = c->u;
    if (u->device == USW_CUDA || c->on_gpu) {
        return true;
    }
    size_t bytes = 0;
    for (size_t i = 0; i < c->count; i++) {
        bytes += c->arrays[i].bytes;
    }
    if (bytes >= 1 << 16) {
        usw_gpu_notice(u);
    }
    if (u->plugin != NULL && any_on_device(c)) {
        if (!usw_device_open_late(u)) {
            *status = usw_fail(u, UPSWEEP_ERROR_DEVICE,
                               "an array is in device memory, but the GPU cannot be opened");
        }
        return true;
    }
    return c->cpu_ns > rates.start_ns && worth_the_way(c);
}

/* ---- the arrays ---- */

/* Grids have up to 2^31 - 1 blocks, of 256 elements at least: proofs/offsets.py. */
#define USW_GPU_BYTES_MAX ((size_t)1 << 38)

static upsweep_status place_arrays(usw_gpu_call *c)
{
    c->host_output = false;
    for (size_t i = 0; i < c->count; i++) {
        usw_gpu_array *a = &c->arrays[i];
        if (a->bytes > USW_GPU_BYTES_MAX) {
            return usw_fail(c->u, UPSWEEP_ERROR_UNSUPPORTED,
                            "%s has %zu bytes, and the GPU takes arrays of up to 2^38", a->what,
                            a->bytes);
        }
        usw_gpu_place place = a->user == NULL ? USW_ON_DEVICE
                              : a->ours       ? USW_ON_HOST
                                              : c->p->place(c->g, a->user);
        if (place == USW_ON_OTHER_DEVICE) {
            return usw_fail(c->u, UPSWEEP_ERROR_ARGUMENT,
                            "%s is in the memory of another GPU than %s", a->what,
                            c->u->device_name);
        }
        a->on_host = place == USW_ON_HOST;
        c->host_output = c->host_output || (a->on_host && (a->use & USW_GPU_OUT));
    }
    return UPSWEEP_OK;
}

static usw_gpu_array *same_before(usw_gpu_call *c, size_t i)
{
    for (size_t k = 0; k < i && c->arrays[i].user != NULL; k++) {
        if (c->arrays[k].user == c->arrays[i].user) {
            return &c->arrays[k];
        }
    }
    return NULL;
}

/* Gives every array of the host its place in scratch, and copies what is read. */
static upsweep_status bring_arrays(usw_gpu_call *c)
{
    for (size_t i = 0; i < c->count; i++) {
        usw_gpu_array *a = &c->arrays[i], *same = same_before(c, i);
        if (!a->on_host) {
            a->at = (void *)(uintptr_t)a->user;
            continue;
        }
        if (same != NULL && same->bytes >= a->bytes) {
            a->at = same->at;
            continue;
        }
        a->at = c->p->scratch(c->g, a->bytes);
        if (a->at == NULL) {
            return usw_gpu_failed(c, UPSWEEP_ERROR_MEMORY);
        }
        upsweep_status status =
            a->use & USW_GPU_IN ? c->p->upload(c->g, a->at, a->user, a->bytes) : UPSWEEP_OK;
        if (status != UPSWEEP_OK) {
            return usw_gpu_failed(c, status);
        }
    }
    return UPSWEEP_OK;
}

/* Waits, and copies the outputs to the host: small ones come with the wait. */
static upsweep_status take_back(usw_gpu_call *c)
{
    usw_gpu_fault_found fault;
    upsweep_status status = UPSWEEP_OK;
    for (int small = 1; small >= 0 && status == UPSWEEP_OK; small--) {
        for (size_t i = 0; i < c->count && status == UPSWEEP_OK; i++) {
            usw_gpu_array *a = &c->arrays[i];
            if (!a->on_host || !(a->use & USW_GPU_OUT) ||
                (a->bytes <= USW_GPU_FETCH && a->count == NULL) != small) {
                continue;
            }
            void *to = (void *)(uintptr_t)a->user;
            size_t bytes = a->count == NULL ? a->bytes : *a->count * a->element;
            status = small ? c->p->fetch(c->g, to, a->at, bytes)
                           : c->p->download(c->g, to, a->at, usw_min(bytes, a->bytes));
        }
        if (small && status == UPSWEEP_OK) {
            status = c->p->wait(c->g, &fault);
            c->fault = fault;
            if (status == UPSWEEP_ERROR_RANGE) {
                uint64_t limit =
                    fault.code == c->risks[0].code ? c->risks[0].limit : c->risks[1].limit;
                return usw_gpu_say_fault(c->u, &fault, limit);
            }
        }
    }
    return status == UPSWEEP_OK ? status : usw_gpu_failed(c, status);
}

static void note_risks(usw_gpu_call *c)
{
    for (size_t i = 0; i < 2; i++) {
        unsigned code = c->risks[i].code;
        if (code != 0 && code < USW_DEFERRED) {
            c->u->deferred[code].limit = c->risks[i].limit;
            c->u->deferred[code].calls++;
        }
    }
}

/* ---- the whole ---- */

static upsweep_status run_work(usw_gpu_call *c, bool planning)
{
    c->p->begin(c->g, planning);
    upsweep_status status = bring_arrays(c);
    if (status == UPSWEEP_OK) {
        status = c->work(c);
        if (status != UPSWEEP_OK && c->p->error(c->g)[0] != '\0') {
            status = usw_gpu_failed(c, status);
        }
    }
    c->u->gpu_scratch = c->p->scratch_peak(c->g);
    if (status == UPSWEEP_OK && !planning && c->host_output) {
        status = take_back(c);
    } else if (status == UPSWEEP_OK && !planning) {
        note_risks(c);
    }
    c->p->end(c->g);
    return status;
}

bool usw_gpu_run(usw_gpu_call *c, upsweep_status *status)
{
    upsweep *u = c->u;
    if (u->device == USW_CPU) {
        return false;
    }
    *status = UPSWEEP_OK;
    if (!belongs_on_gpu(c, status) || *status != UPSWEEP_OK) {
        return *status != UPSWEEP_OK;
    }
    c->p = u->plugin;
    c->g = u->gpu;
    u->on_gpu = true;
    u->report.device = u->device_name;
    *status = place_arrays(c);
    if (*status == UPSWEEP_OK) {
        *status = run_work(c, true);
    }
    bool plan_only = strcmp(u->device_name, "cuda:plan") == 0;
    if (*status != UPSWEEP_OK || plan_only) {
        return true;
    }
    *status = c->p->reserve(c->g, u->gpu_scratch);
    *status = *status == UPSWEEP_OK ? run_work(c, false) : usw_gpu_failed(c, *status);
    return true;
}

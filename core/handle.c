/* handle.c - opening and closing a handle, and how a public call begins, fails and ends. */
#include "frame.h"
#include "device.h"
#include "order.h"
#include "plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static upsweep_status refuse(const char **why, upsweep_status status, const char *text)
{
    if (why != NULL) {
        *why = text;
    }
    return status;
}

upsweep_status upsweep_open_why(upsweep **handle, const char *device, const upsweep_config *config,
                                const char **why)
{
    if (why != NULL) {
        *why = "";
    }
    if (handle == NULL) {
        return refuse(why, UPSWEEP_ERROR_ARGUMENT, "upsweep_open: handle is NULL");
    }
    *handle = NULL;
    upsweep_config c = {0};
    if (config != NULL) {
        if (config->size != 0 && config->size < sizeof c) {
            return refuse(why, UPSWEEP_ERROR_ARGUMENT, "upsweep_open: config.size is too small");
        }
        c = *config;
    }
    if ((c.allocate == NULL) != (c.release == NULL)) {
        return refuse(why, UPSWEEP_ERROR_ARGUMENT,
                      "upsweep_open: allocate and release go together, or neither");
    }
    upsweep *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return refuse(why, UPSWEEP_ERROR_MEMORY, "upsweep_open: no memory for a handle");
    }
    pthread_mutex_init(&u->lock, NULL);
    u->isa = usw_best_isa();
    u->tuning = usw_tuning_of(u->isa);
    u->threads = c.threads != 0 ? c.threads : usw_core_count();
    u->scratch_limit = c.scratch_limit;
    u->allocate = c.allocate;
    u->release = c.release;
    u->context = c.context;
    const char *reason = "";
    upsweep_status status = usw_device_open(u, device, &reason);
    if (status != UPSWEEP_OK) {
        upsweep_close(u);
        return refuse(why, status, reason);
    }
    u->report = (upsweep_report){"", "", usw_isa_name(u->isa), "cpu", u->threads, 0};
    if (u->gpu != NULL) {
        u->report.device = u->device_name;
    }
    *handle = u;
    return UPSWEEP_OK;
}

upsweep_status upsweep_open(upsweep **handle, const char *device, const upsweep_config *config)
{
    return upsweep_open_why(handle, device, config, NULL);
}

void upsweep_close(upsweep *u)
{
    if (u != NULL) {
        usw_device_close(u);
        usw_pool_free(u);
        usw_scratch_free(u);
        pthread_mutex_destroy(&u->lock);
        free(u);
    }
}

void upsweep_trim(upsweep *u)
{
    if (u != NULL) {
        pthread_mutex_lock(&u->lock);
        usw_scratch_free(u);
        if (u->gpu != NULL) {
            u->plugin->trim(u->gpu);
        }
        pthread_mutex_unlock(&u->lock);
    }
}

const char *upsweep_error(const upsweep *u)
{
    return u == NULL ? "the handle is NULL" : u->error;
}

void usw_say(upsweep *u, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(u->error, sizeof u->error, format, args);
    va_end(args);
}

static void add_note(upsweep *u)
{
    if (u->note[0] != '\0') {
        size_t length = strlen(u->reason);
        snprintf(u->reason + length, sizeof u->reason - length, "; %s", u->note);
    }
}

void usw_report(upsweep *u, const char *algorithm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(u->reason, sizeof u->reason, format, args);
    va_end(args);
    add_note(u);
    u->tell = NULL;
    u->report.algorithm = algorithm;
    u->report.reason = u->reason;
}

void usw_report_later(upsweep *u, const char *algorithm, usw_reason tell, uint64_t fact0,
                      uint64_t fact1)
{
    u->tell = tell;
    u->fact[0] = fact0;
    u->fact[1] = fact1;
    u->report.algorithm = algorithm;
    u->report.reason = u->reason;
}

static void tell_tiles(char *text, size_t bytes, const uint64_t *fact)
{
    size_t n = (size_t)fact[0];
    snprintf(text, bytes, "%zu elements in %zu tiles of %d", n, usw_div_up(n, USW_TILE),
             (int)USW_TILE);
}

void usw_report_tiles(upsweep *u, const char *algorithm, size_t n)
{
    usw_report_later(u, algorithm, tell_tiles, n, 0);
}

void upsweep_last_report(const upsweep *u, upsweep_report *report)
{
    if (report == NULL) {
        return;
    }
    if (u == NULL) {
        *report = (upsweep_report){"", "", "", "", 0, 0};
        return;
    }
    if (u->tell != NULL || __atomic_load_n(&u->brief, __ATOMIC_RELAXED) != 0) {
        upsweep *own = (upsweep *)(uintptr_t)u; /* the words are no part of what const protects */
        pthread_mutex_lock(&own->lock);
        usw_report_brief(own);
        if (own->tell != NULL) {
            own->tell(own->reason, sizeof own->reason, own->fact);
            add_note(own);
            own->tell = NULL;
        }
        pthread_mutex_unlock(&own->lock);
    }
    *report = u->report;
}

static upsweep_status check_options(upsweep *u, const upsweep_options *o, unsigned allowed,
                                    usw_options *checked)
{
    *checked = (usw_options){0};
    if (o == NULL) {
        return UPSWEEP_OK;
    }
    if (o->size != 0 && o->size < sizeof *o) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "options.size is %zu, not %zu", o->size,
                        sizeof *o);
    }
    if (o->flags & ~allowed) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        "options.flags has bits this call does not take: 0x%x",
                        o->flags & ~allowed);
    }
    *checked = (usw_options){o->algorithm, o->flags, o->bit_begin, o->bit_end};
    return UPSWEEP_OK;
}

upsweep_status usw_enter_handle(upsweep *u, const upsweep_options *options, unsigned allowed,
                                usw_options *checked)
{
    pthread_mutex_lock(&u->lock);
    u->report.algorithm = "";
    u->report.reason = "";
    u->tell = NULL;
    __atomic_store_n(&u->brief, 0, __ATOMIC_RELAXED);
    u->report.device = "cpu";
    u->on_gpu = false;
    u->note[0] = '\0';
    usw_scratch_begin(u);
    USW_CALL_BEGINS(u->isa);
    upsweep_status status = check_options(u, options, allowed, checked);
    if (status != UPSWEEP_OK) {
        pthread_mutex_unlock(&u->lock);
    }
    return status;
}

void usw_lock(upsweep *u)
{
    pthread_mutex_lock(&u->lock);
}

void usw_unlock(upsweep *u)
{
    pthread_mutex_unlock(&u->lock);
}

upsweep_status usw_leave(upsweep *u, upsweep_status status)
{
    u->report.scratch_bytes = u->on_gpu ? u->gpu_scratch : u->scratch_peak;
    pthread_mutex_unlock(&u->lock);
    return status;
}

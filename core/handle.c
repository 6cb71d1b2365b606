/* handle.c - opening and closing a handle, and how a public call begins, fails and ends. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"
#include "core/device.h"
#include "core/order.h"
#include "core/plugin.h"
#include "core/structs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The last failure of a call on this thread, and the handle it was on. */
typedef struct failure {
    const upsweep *u;
    uint64_t opened_ns;
    char text[sizeof((upsweep *)NULL)->error];
} failure;
static _Thread_local failure last_failure;

static upsweep_status refuse(const char **why, upsweep_status status, const char *text)
{
    if (why != NULL) {
        *why = text;
    }
    return status;
}

/* Adds to the reason what the handle has to say to any call. */
static void add_note(upsweep *u)
{
    size_t length = strlen(u->reason);
    if (u->note[0] != '\0') {
        snprintf(u->reason + length, sizeof u->reason - length, "; %s", u->note);
        length = strlen(u->reason);
    }
    if (u->threads_asked > u->threads_most) {
        snprintf(u->reason + length, sizeof u->reason - length,
                 "%sof %u threads asked for, more than %u do not pay with %u cores",
                 length > 0 ? "; " : "", u->threads_asked, u->threads_most, usw_core_count());
    }
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
        if (usw_take_struct(&c, sizeof c, config, USW_CONFIG_FIRST) != NULL) {
            return refuse(why, UPSWEEP_ERROR_ARGUMENT,
                          "upsweep_open: config.size is that of no upsweep_config, or a field is "
                          "set that only later versions of the library know");
        }
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
    u->opened_ns = usw_now_ns();
    u->isa = usw_best_isa();
    usw_count_threads(u, c.threads);
    u->tuning = usw_tuning_of(u->isa, u->threads_most);
    u->shares_early =
        u->threads_least == 1 && !u->tuning.measured && u->tuning.thread_bytes == USW_EARLY_BYTES;
    u->threads_asked = c.threads;
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
    u->report = (usw_report_state){"", "", usw_isa_name(u->isa), "cpu", u->threads_most, 0};
    if (u->gpu != NULL) {
        u->report.device = u->device_name;
    }
    add_note(u);
    u->report.reason = u->reason;
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

/* The thread's own failure needs no lock: no other thread writes it. */
size_t upsweep_last_error(const upsweep *u, char *text, size_t bytes)
{
    const failure *own = &last_failure;
    upsweep *h = (upsweep *)(uintptr_t)u; /* the lock is no part of what const protects */
    bytes = text == NULL ? 0 : bytes;
    int length;
    if (u == NULL) {
        length = snprintf(text, bytes, "%s", upsweep_error(u));
    } else if (own->u == u && own->opened_ns == u->opened_ns) {
        length = snprintf(text, bytes, "%s", own->text);
    } else {
        pthread_mutex_lock(&h->lock);
        length = snprintf(text, bytes, "%s", u->error);
        pthread_mutex_unlock(&h->lock);
    }
    return length > 0 ? (size_t)length : 0;
}

void usw_say(upsweep *u, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(u->error, sizeof u->error, format, args);
    va_end(args);
    last_failure.u = u;
    last_failure.opened_ns = u->opened_ns;
    memcpy(last_failure.text, u->error, sizeof u->error);
}

/* What stands there already; the note comes when it is asked for. */
static void written(char *text, size_t bytes, const uint64_t *fact)
{
    (void)text, (void)bytes, (void)fact;
}

void usw_report(upsweep *u, const char *algorithm, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(u->reason, sizeof u->reason, format, args);
    va_end(args);
    u->write_reason = written;
    u->report.algorithm = algorithm;
    u->report.reason = u->reason;
}

void usw_report_later(upsweep *u, const char *algorithm, usw_reason write, uint64_t fact0,
                      uint64_t fact1)
{
    u->write_reason = write;
    u->fact[0] = fact0;
    u->fact[1] = fact1;
    u->report.algorithm = algorithm;
    u->report.reason = u->reason;
}

static void write_tiles(char *text, size_t bytes, const uint64_t *fact)
{
    size_t n = (size_t)fact[0];
    snprintf(text, bytes, "%zu elements in %zu tiles of %d", n, usw_div_up(n, USW_TILE),
             (int)USW_TILE);
}

void usw_report_tiles(upsweep *u, const char *algorithm, size_t n)
{
    usw_report_later(u, algorithm, write_tiles, n, 0);
}

void usw_settle_report(upsweep *u)
{
    usw_report_brief(u);
    if (u->write_reason != NULL) {
        u->write_reason(u->reason, sizeof u->reason, u->fact);
        add_note(u);
        u->write_reason = NULL;
    }
}

static const char *give_report(const usw_report_state *state, upsweep_report *report)
{
    upsweep_report all = {sizeof all,     state->algorithm,     state->isa, state->device,
                          state->threads, state->scratch_bytes, {0}};
    snprintf(all.reason, sizeof all.reason, "%s", state->reason);
    return usw_give_struct(report, &all, sizeof all, USW_REPORT_FIRST);
}

const char *usw_give_report(upsweep *u, upsweep_report *report)
{
    usw_settle_report(u);
    return give_report(&u->report, report);
}

upsweep_status upsweep_last_report(const upsweep *u, upsweep_report *report)
{
    static const usw_report_state nothing = {"", "", "", "", 0, 0};
    upsweep *own = (upsweep *)(uintptr_t)u; /* the words are no part of what const protects */
    if (report == NULL || u == NULL) {
        (void)(report == NULL ? NULL : give_report(&nothing, report));
        return UPSWEEP_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&own->lock);
    const char *wrong = usw_give_report(own, report);
    if (wrong != NULL) {
        usw_say(own, "report: %s", wrong);
    }
    pthread_mutex_unlock(&own->lock);
    return wrong == NULL ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT;
}

static upsweep_status check_options(upsweep *u, const upsweep_options *options, unsigned allowed,
                                    usw_options *checked)
{
    *checked = (usw_options){0};
    if (options == NULL) {
        return UPSWEEP_OK;
    }
    upsweep_options o;
    upsweep_status status =
        usw_take_struct_for(u, "options", &o, sizeof o, options, USW_OPTIONS_FIRST);
    if (status == UPSWEEP_OK && (o.flags & ~allowed) != 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        "options.flags has bits this call does not take: 0x%x%s",
                        o.flags & ~allowed, usw_flags_hint(o.flags & ~allowed));
    }
    if (status == UPSWEEP_OK) {
        *checked = (usw_options){o.algorithm, o.flags, o.bit_begin, o.bit_end};
    }
    return status;
}

upsweep_status usw_enter_handle(upsweep *u, const upsweep_options *options, unsigned allowed,
                                usw_options *checked)
{
    pthread_mutex_lock(&u->lock);
    u->report.algorithm = "";
    u->report.reason = "";
    u->write_reason = NULL;
    __atomic_store_n(&u->brief, 0, __ATOMIC_RELAXED);
    u->report.device = "cpu";
    u->on_gpu = false;
    u->threads = u->report.threads = u->threads_most;
    u->offered.kind = 0;
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
    if (u->offered.kind != 0 && status == UPSWEEP_OK) {
        usw_note_call(u);
    }
    u->report.threads = u->threads;
    u->report.scratch_bytes = u->on_gpu ? u->gpu_scratch : u->scratch_peak;
#ifdef USW_CHECKED
    usw_guard_drop(u, 0, "at the end of the call");
#endif
    pthread_mutex_unlock(&u->lock);
    return status;
}

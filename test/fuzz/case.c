/* case.c - one case: from its number to a handle, calls on it, and what is wrong with them. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/device.h"
#include "test/shared/handles.h"

static const char *const twist_names[TWIST_KINDS] = {
    "",           ", a flag not taken", ", an array is NULL", ", no type",
    ", too long", ", no algorithm",     ", out of range"};

void fuzz_wrong(fuzz *f, const char *format, ...)
{
    if (f->wrong[0] == '\0') {
        va_list args;
        va_start(args, format);
        vsnprintf(f->wrong, sizeof f->wrong, format, args);
        va_end(args);
    }
}

void fuzz_detail(fuzz *f, const char *format, ...)
{
    size_t length = strlen(f->detail);
    va_list args;
    va_start(args, format);
    vsnprintf(f->detail + length, sizeof f->detail - length, format, args);
    va_end(args);
}

void fuzz_describe(const fuzz *f, char *text, size_t bytes)
{
    char most[40] = "";
    if (f->most != SIZE_MAX) {
        snprintf(most, sizeof most, " --most %zu", f->most);
    }
    const char *type = f->type == 0 ? "-" : upsweep_type_name(f->type);
    snprintf(text, bytes,
             "fuzz_calls%s%s --case 0x%016llx%s: %s (call %u), type %s, n %zu, %s, "
             "flags 0x%x, bits [%u, %u), algorithm %s%s%s%s; isa %s, threads %u, scratch limit "
             "%zu%s%s: %s",
             f->device ? " --device cuda" : "", f->small ? " --small" : "",
             (unsigned long long)f->number, most, f->call == NULL ? "open" : f->call->name, f->step,
             type, f->n, f->pattern == NULL ? "no pattern" : f->pattern, fuzz_flags(f),
             f->o == NULL ? 0 : f->o->bit_begin, f->o == NULL ? 0 : f->o->bit_end,
             f->o == NULL || f->o->algorithm == NULL ? "of choice" : f->o->algorithm, f->detail,
             twist_names[f->twist], f->on_device ? ", in device memory" : "",
             isa_names[f->isa % ISAS], f->threads, f->limit,
             f->books == NULL ? "" : ", own allocator",
             f->books != NULL && f->books->fail_from != 0 ? " that fails" : "", f->wrong);
}

/* ---- after a call ---- */

bool fuzz_settle(fuzz *f, upsweep_status got)
{
    f->calls++;
    upsweep_status later = UPSWEEP_OK;
    if (f->device && got == UPSWEEP_OK) {
        later = upsweep_wait(f->u);
        got = later;
    }
    bool memory = got == UPSWEEP_ERROR_MEMORY && f->scarce;
    bool refused = (got == UPSWEEP_ERROR_UNSUPPORTED && f->may_refuse) ||
                   (got == UPSWEEP_ERROR_RANGE && f->may_be_far);
    fuzz_arrays_check(f, got == UPSWEEP_OK || (memory && f->partial) ? KEPT_INPUTS
                         : got == UPSWEEP_ERROR_RANGE                ? KEPT_IN_PLACE
                                                                     : KEPT_ALL);
    if (got != f->expect && !memory && !refused) {
        fuzz_wrong(f, "the status is '%s' (%s), not '%s'", upsweep_status_name(got),
                   got == UPSWEEP_OK ? "" : upsweep_error(f->u), upsweep_status_name(f->expect));
    }
    size_t words = strlen(upsweep_error(f->u));
    if (got != UPSWEEP_OK && (words < 8 || words > 254)) {
        fuzz_wrong(f, "'%s' is no sentence on status '%s'", upsweep_error(f->u),
                   upsweep_status_name(got));
    }
    f->succeeded = got == UPSWEEP_OK && f->wrong[0] == '\0';
    return f->succeeded;
}

bool fuzz_is_method(const char *name)
{
    if (strchr(name, '/') != NULL) {
        return upsweep_find(name) != NULL;
    }
    return name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz ")] == '\0';
}

void fuzz_report(fuzz *f, size_t scratch)
{
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(f->u, &r);
    if (f->device) {
        return;
    }
    if (r.algorithm == NULL || r.isa == NULL || r.device == NULL) {
        fuzz_wrong(f, "a string of the report is NULL");
    } else if (strcmp(r.isa, isa_names[f->isa]) != 0 || strcmp(r.device, "cpu") != 0 ||
               r.threads < 1 || r.threads > f->threads) {
        fuzz_wrong(f, "the report names %s, %u threads, on %s", r.isa, r.threads, r.device);
    } else if (r.algorithm[0] != '\0' && !fuzz_is_method(r.algorithm)) {
        fuzz_wrong(f, "the report names the algorithm %s", r.algorithm);
    } else if (r.scratch_bytes > scratch) {
        fuzz_wrong(f, "%zu bytes of scratch, which is more than the %zu that it may take",
                   r.scratch_bytes, scratch);
    } else if (f->limit != 0 && r.scratch_bytes > f->limit) {
        fuzz_wrong(f, "%zu bytes of scratch, with a limit of %zu", r.scratch_bytes, f->limit);
    }
}

/* ---- the handle ---- */

static void draw_memory(fuzz *f, upsweep_config *config)
{
    if (fuzz_chance(f, 9)) {
        config->scratch_limit = fuzz_magnitude(f, 1, 1 << 22);
    }
    bool own = fuzz_chance(f, 3), fails = fuzz_chance(f, 6), guarded = fuzz_chance(f, 6);
    uint64_t from = 1 + fuzz_draw(f, 8), every = fuzz_chance(f, 2) ? 1 : 1 + fuzz_draw(f, 4);
    if (own) {
        *f->books = (fuzz_books){.fail_from = fails ? from : 0, .fail_every = every};
        f->books->guarded = guarded;
        config->allocate = fuzz_allocate;
        config->release = fuzz_release;
        config->context = f->books;
    } else {
        f->books = NULL;
    }
    f->limit = config->scratch_limit;
    f->scarce = config->scratch_limit != 0 || (own && fails);
}

/* Methods for long arrays, on short ones. */
static void draw_tuning(fuzz *f)
{
    upsweep_tuning t = UPSWEEP_TUNING_INIT;
    if (upsweep_get_tuning(f->u, &t) != UPSWEEP_OK) {
        fuzz_wrong(f, "get_tuning failed");
        return;
    }
    if (fuzz_chance(f, 2)) {
        t.thread_bytes = fuzz_chance(f, 4) ? 0 : fuzz_magnitude(f, 64, 1 << 20);
    }
    for (int width = 0; width < 2; width++) {
        uint64_t scatter = fuzz_draw(f, 4), digits = fuzz_draw(f, 4);
        uint64_t size = fuzz_magnitude(f, 64, 1 << 20), keys = fuzz_magnitude(f, 16, 1 << 16);
        t.scatter_bytes[width] = scatter == 0   ? t.scatter_bytes[width]
                                 : scatter == 1 ? SIZE_MAX
                                 : scatter == 2 ? 0
                                                : size;
        t.digit_keys[width] = digits == 0 ? t.digit_keys[width] : digits == 1 ? SIZE_MAX : keys;
    }
    if (upsweep_set_tuning(f->u, &t) != UPSWEEP_OK) {
        fuzz_wrong(f, "set_tuning failed: %s", upsweep_error(f->u));
    }
}

static bool open_handle(fuzz *f)
{
    upsweep_config config = {.size = fuzz_chance(f, 4) ? 0 : sizeof config};
    uint64_t r = fuzz_draw(f, 16);
    const char *why = NULL;
    f->isa = (unsigned)fuzz_draw(f, ISAS);
    f->threads = r < 7 ? 1 : r < 10 ? 2 : 2 + (unsigned)fuzz_draw(f, 7);
    config.threads = f->threads = f->device ? 1 : f->threads;
    draw_memory(f, &config);
    if (f->device) { /* the host's memory plays no part there */
        f->books = NULL;
        f->scarce = false;
        f->limit = 0;
        config = (upsweep_config){.threads = 1};
    }
    setenv("UPSWEEP_ISA", isa_names[f->isa], 1);
    upsweep_status status = upsweep_open_why(&f->u, f->device ? "cuda" : "cpu", &config, &why);
    unsetenv("UPSWEEP_ISA");
    if (status != UPSWEEP_OK || f->u == NULL) {
        fuzz_wrong(f, "%s", why);
        return !(f->device && status == UPSWEEP_ERROR_DEVICE);
    }
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(f->u, &report);
    for (unsigned i = 0; i < ISAS; i++) { /* the machine may lack the one that was asked for */
        f->isa = i <= f->isa && strcmp(report.isa, isa_names[i]) == 0 ? i : f->isa;
    }
    if (fuzz_chance(f, 2)) {
        draw_tuning(f);
    }
    return true;
}

static void close_handle(fuzz *f)
{
    upsweep_close(f->u);
    f->u = NULL;
    if (f->books != NULL && f->books->wrong != NULL) {
        fuzz_wrong(f, "%s", f->books->wrong);
    } else if (f->books != NULL && f->books->live != 0) {
        fuzz_wrong(f, "%zu blocks of memory were not released", f->books->live);
    }
}

/* ---- the case ---- */

static size_t index_of_call(uint64_t number)
{
    uint64_t total = 0;
    for (size_t i = 0; i < fuzz_call_count(); i++) {
        total += fuzz_call_at(i)->weight;
    }
    uint64_t drawn = number % total;
    size_t i = 0;
    while (drawn >= fuzz_call_at(i)->weight) {
        drawn -= fuzz_call_at(i++)->weight;
    }
    return i;
}

const fuzz_call *fuzz_first_call(uint64_t number)
{
    return fuzz_call_at(index_of_call(fuzz_mix(number, 1)));
}

/* One call. */
static void run_step(fuzz *f, size_t index)
{
    static const unsigned devices_share = 2;
    f->call = fuzz_call_at(index);
    f->random = fuzz_mix(f->number, 100 + f->step);
    f->n = 0;
    f->type = (upsweep_type)0;
    f->pattern = NULL;
    f->options = (upsweep_options){0};
    f->o = NULL;
    f->expect = UPSWEEP_OK;
    f->may_refuse = f->may_be_far = f->partial = f->succeeded = false;
    f->detail[0] = '\0';
    f->twist = fuzz_chance(f, 16) ? (fuzz_twist)fuzz_draw(f, TWIST_KINDS) : TWIST_NONE;
    f->twist_at = (unsigned)fuzz_draw(f, 4);
    f->twist_at += f->twist == TWIST_NULL ? 0 : 4 * (unsigned)fuzz_draw(f, 16);
    f->edges_guarded = fuzz_chance(f, 8);
    f->on_device = f->device && !f->call->host_only && !fuzz_chance(f, devices_share);
    f->call->run(f);
    f->good[index] += f->succeeded;
    if (f->wrong[0] == '\0' && f->books != NULL && f->books->wrong != NULL) {
        fuzz_wrong(f, "%s", f->books->wrong);
    }
    fuzz_arrays_free(f);
}

bool fuzz_run(fuzz *f, uint64_t number)
{
    static fuzz_books own; /* outlives the case: it is described afterwards */
    own = (fuzz_books){0};
    f->number = number;
    f->random = fuzz_mix(number, 2);
    f->books = &own;
    f->call = NULL;
    f->o = NULL;
    f->twist = TWIST_NONE;
    f->on_device = false;
    f->arrays = 0;
    f->wrong[0] = f->detail[0] = '\0';
    size_t first = index_of_call(fuzz_mix(number, 1));
    unsigned steps = fuzz_chance(f, 2) ? 1 : 1 + (unsigned)fuzz_draw(f, FUZZ_STEPS);
    bool usable = open_handle(f);
    for (f->step = 0; f->u != NULL && f->wrong[0] == '\0' && f->step < steps; f->step++) {
        uint64_t r = fuzz_mix(number, 10 + f->step);
        bool same = f->step == 0 || r % 2 == 0;
        run_step(f, same ? first : index_of_call(fuzz_mix(r, 7)));
        if (f->wrong[0] != '\0') {
            break; /* step and arguments are still those of the call that is wrong */
        }
        if (r >> 8 & 1 && r >> 9 & 1) {
            upsweep_trim(f->u);
        }
    }
    close_handle(f);
    return usable;
}

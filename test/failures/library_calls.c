/* library_calls.c - makes one call of the library, watched by fail_calls.so from the opening of the
 * handle to its end:
 *
 *     library_calls NAME DEVICE [VARIANT N TYPE]
 *
 * NAME is one of the table of calls.h or of library_jobs.h. Ends with 0 if the outcome is right;
 * with 2 and a sentence if the library reported an error, all arrays are as they were, and the
 * handle then does the same call rightly; with 3 and what is wrong otherwise. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"
#include "test/failures/fail_calls.h"
#include "test/shared/handles.h"
#include "test/failures/library_jobs.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const call *call;
    const library_job *job;
    const char *device;
    unsigned variant;
    size_t n;
    upsweep_type type;
} request;

static void watch(int on)
{
    if (fail_calls_watch != NULL) {
        fail_calls_watch(on);
    }
}

static long live(void)
{
    return fail_calls_live != NULL ? fail_calls_live() : 0;
}

/* Closes the handle, and has the loader give back its last message. */
static void close_handle(upsweep *u)
{
    watch(2);
    upsweep_close(u);
    (void)dlerror();
    (void)dlerror();
    watch(0);
}

static int say(int status, const char *name, const char *kind, const char *text)
{
    fprintf(stderr, "upsweep: %s: %s: %s\n", name, kind, text);
    return status;
}

/* What an error must have: a sentence, and a kind that says that something was not to be had. */
static int judge_error(upsweep_status status, const char *text, const char *name)
{
    if (status != UPSWEEP_ERROR_MEMORY && status != UPSWEEP_ERROR_DEVICE) {
        return say(3, name, "a strange status", upsweep_status_name(status));
    }
    return text == NULL || *text == '\0' ? say(3, name, "no sentence", upsweep_status_name(status))
                                         : say(2, name, upsweep_status_name(status), text);
}

static upsweep_status open_handle(const request *r, upsweep **u, const char **why)
{
    upsweep_config config = {.size = sizeof config, .threads = r->n > 10000 ? 2 : 1};
    upsweep_status status = upsweep_open_why(u, r->device, &config, why);
    if (status == UPSWEEP_OK) {
        handle_share_early(*u);
    }
    return status;
}

static int run_job(const request *r)
{
    upsweep *u = NULL;
    const char *why = NULL, *wrong = NULL;
    char text[400] = "";
    watch(1);
    upsweep_status status = open_handle(r, &u, &why);
    bool opened = status == UPSWEEP_OK;
    if (opened) {
        status = r->job->run(u, &wrong);
        snprintf(text, sizeof text, "%s", upsweep_error(u));
    }
    watch(0);
    bool silent = strncmp(r->job->name, "trace", 5) == 0; /* it has no handle to say it by */
    const char *again = NULL;
    watch(2);
    bool good = !opened || (r->job->run(u, &again) == UPSWEEP_OK && again == NULL);
    close_handle(u);
    if (!good) {
        return say(3, r->job->name, "the call after it is wrong", again == NULL ? text : again);
    }
    if (wrong != NULL) {
        return say(3, r->job->name, "wrong", wrong);
    }
    return status == UPSWEEP_OK ? 0
                                : judge_error(status,
                                              !opened  ? why
                                              : silent ? "no memory"
                                                       : text,
                                              r->job->name);
}

static int run_again(const request *r, upsweep *u)
{
    job again;
    if (!job_start(&again, r->call, r->variant, r->n, r->type, INPUT_UNIFORM, 2)) {
        return 0;
    }
    watch(2);
    upsweep_status status = r->call->run(u, &again);
    watch(0);
    const char *wrong = status == UPSWEEP_OK ? job_wrong(&again) : upsweep_error(u);
    job_free(&again);
    return wrong == NULL ? 0 : say(3, r->call->name, "the call after it is wrong", wrong);
}

static int run_call(const request *r)
{
    job j;
    upsweep *u = NULL;
    const char *why = NULL;
    char text[400] = "";
    if (!job_start(&j, r->call, r->variant, r->n, r->type, INPUT_UNIFORM, 1)) {
        return say(4, r->call->name, "not for", upsweep_type_name(r->type));
    }
    watch(1);
    upsweep_status status = open_handle(r, &u, &why);
    bool opened = status == UPSWEEP_OK;
    if (opened) {
        status = r->call->run(u, &j);
        snprintf(text, sizeof text, "%s", upsweep_error(u));
    }
    watch(0);
    int outcome = 0;
    if (status == UPSWEEP_OK) {
        const char *wrong = job_wrong(&j);
        outcome = wrong == NULL ? 0 : say(3, r->call->name, "wrong", wrong);
    } else if (!job_untouched(&j)) {
        outcome = say(3, r->call->name, upsweep_status_name(status), "an array has changed");
    } else {
        outcome = judge_error(status, opened ? text : why, r->call->name);
    }
    if (opened && outcome != 3 && run_again(r, u) != 0) {
        outcome = 3;
    }
    close_handle(u);
    job_free(&j);
    return outcome;
}

int main(int argc, char **argv)
{
    request r = {.device = argc > 2 ? argv[2] : "cpu", .n = 100, .type = UPSWEEP_U32};
    for (size_t i = 0; argc > 1 && call_at(i) != NULL; i++) {
        r.call = strcmp(call_at(i)->name, argv[1]) == 0 ? call_at(i) : r.call;
    }
    for (const library_job *j = library_jobs; argc > 1 && j->name != NULL; j++) {
        r.job = strcmp(j->name, argv[1]) == 0 ? j : r.job;
    }
    if (argc > 5) {
        r.variant = (unsigned)strtoul(argv[3], NULL, 10);
        r.n = strtoul(argv[4], NULL, 10);
        r.type = upsweep_type_from_name(argv[5]);
    }
    if (r.call == NULL && r.job == NULL) {
        return say(4, "library_calls", "no such call", argc > 1 ? argv[1] : "");
    }
    int outcome = r.call != NULL ? run_call(&r) : run_job(&r);
    /* The plugin, once loaded, stays, and so does what its initialisers took. */
    if (strcmp(r.device, "cpu") == 0 && live() != 0 && outcome != 3) {
        outcome = say(3, argv[1], "wrong", "blocks of memory are lost");
    }
    return outcome;
}

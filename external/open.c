/* open.c - a sort is opened, reports, fails and is closed; how its memory is shared out. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "core/structs.h"

enum {
    THREAD_BYTES = 192 << 10, /* a worker's stack and handle, as far as they are touched */
    OWN_BYTES = 256 << 10,
    DIRECT_LEAST = 40 << 20, /* with less, whole pages of many runs are too much of a range */
    SLOT_LEAST = 6 << 20,    /* with less, a slot for each step costs more than it saves */
    CONFIG_FIRST = USW_FIRST_BYTES(upsweep_external_config, allocate_context),
    REPORT_FIRST = USW_FIRST_BYTES(upsweep_external_report, merge_seconds)
};

double usw_ext_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

upsweep_status usw_ext_fail(upsweep_external *x, upsweep_status status, const char *format, ...)
{
    pthread_mutex_lock(&x->lock);
    if (x->status == UPSWEEP_OK) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(x->error, sizeof x->error, format, arguments);
        va_end(arguments);
        x->status = status;
    }
    status = x->status;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
    return status;
}

upsweep_status usw_ext_refuse(upsweep_external *x, uint64_t at)
{
    pthread_mutex_lock(&x->lock);
    x->report.refused_at = x->status == UPSWEEP_OK ? at : x->report.refused_at;
    pthread_mutex_unlock(&x->lock);
    return usw_ext_fail(x, UPSWEEP_ERROR_RANGE,
                        "a record has more than the %zu bytes that a limit of %zu allows",
                        x->record_most, x->limit);
}

bool usw_ext_failed(upsweep_external *x)
{
    pthread_mutex_lock(&x->lock);
    bool failed = x->status != UPSWEEP_OK;
    pthread_mutex_unlock(&x->lock);
    return failed;
}

/* ---- memory ---- */

static unsigned char *take_arena(upsweep_external *x, size_t bytes)
{
    if (x->allocate != NULL) {
        return x->allocate(x->allocate_context, bytes, 4096);
    }
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void give_arena(upsweep_external *x)
{
    if (x->arena == NULL) {
        return;
    }
    if (x->allocate != NULL) {
        x->release(x->allocate_context, x->arena, x->arena_bytes);
    } else {
        munmap(x->arena, x->arena_bytes);
    }
}

/* Slots for the workers and one to be filled meanwhile, where memory is not too little for that. */
static void share_out_slots(upsweep_external *x)
{
    size_t least = usw_max(SLOT_LEAST, 4 * x->order.record_bytes);
    while (x->workers > 1 && x->work_bytes / (x->workers + 1) < least) {
        x->workers--;
    }
    usw_ext_share_slots(x, x->work_bytes / (x->workers + 1) < least ? 1 : x->workers + 1);
}

static upsweep_status share_out(upsweep_external *x)
{
    x->direct = x->limit >= DIRECT_LEAST;
    x->write_bytes = x->direct ? USW_EXT_WRITE_PAST : USW_EXT_WRITE;
    size_t each = x->direct ? 2 * THREAD_BYTES : THREAD_BYTES; /* two merge for each that sorts */
    size_t threads = x->workers * each + OWN_BYTES;
    while (x->workers > 1 && threads > x->limit / 8) {
        x->workers--;
        threads -= each;
    }
    x->arena_bytes = (x->limit - threads) / 4096 * 4096;
    x->arena = take_arena(x, x->arena_bytes);
    if (x->arena == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    x->runs = (usw_ext_run *)(void *)x->arena;
    x->runs_room = x->arena_bytes / 32 / sizeof *x->runs;
    size_t used = (x->runs_room * sizeof *x->runs + 63) / 64 * 64;
    x->blocks = (usw_ext_block *)(void *)(x->arena + used);
    x->blocks_room = x->arena_bytes / 8 / sizeof *x->blocks;
    used = (used + x->blocks_room * sizeof *x->blocks + 4095) / 4096 * 4096;
    x->work = x->arena + used;
    x->work_bytes = x->arena_bytes - used;
    x->block_bytes = usw_min(usw_max(x->work_bytes / 4096, 16 << 10), 256 << 10);
    /* A merge of two runs has five of them and what it writes; places have 32 bits. */
    x->record_most = usw_min(x->work_bytes / 6, (size_t)UINT32_MAX / 4);
    share_out_slots(x);
    return UPSWEEP_OK;
}

/* ---- opening ---- */

static upsweep_status take_directories(upsweep_external *x, const upsweep_external_config *config)
{
    const char *asked = getenv("TMPDIR");
    const char *only = asked != NULL && *asked != '\0' ? asked : "/tmp";
    size_t count = config->directory_count == 0 ? 1 : config->directory_count;
    for (size_t i = 0; i < count && i < USW_EXT_FOLDERS; i++) {
        const char *name = config->directory_count == 0 ? only : config->directories[i];
        x->files[i].fd = x->files[i].direct = -1;
        x->files[i].directory = name == NULL ? NULL : strdup(name);
        if (x->files[i].directory == NULL) {
            return name == NULL ? UPSWEEP_ERROR_ARGUMENT : UPSWEEP_ERROR_MEMORY;
        }
        x->file_count++;
    }
    return UPSWEEP_OK;
}

/* UPSWEEP_TEMPORARIES is for tests and measurements. */
static unsigned wish_of_packing(void)
{
    const char *asked = getenv("UPSWEEP_TEMPORARIES");
    if (!usw_pack_works() || (asked != NULL && strcmp(asked, "raw") == 0)) {
        return USW_PACK_NEVER;
    }
    return asked != NULL && strcmp(asked, "packed") == 0 ? USW_PACK_ALWAYS : USW_PACK_WHERE_FASTER;
}

static upsweep_status open_with(upsweep_external *x, const upsweep_external_config *config)
{
    if ((config->allocate == NULL) != (config->release == NULL) || config->reserved != 0 ||
        (config->limit != 0 && config->limit < USW_EXT_LEAST) ||
        (config->directory_count > 0 && config->directories == NULL) ||
        usw_ext_order_of(&x->order, config) != NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    x->allocate = config->allocate;
    x->release = config->release;
    x->packing.wish = wish_of_packing();
    x->allocate_context = config->allocate_context;
    x->limit = config->limit == 0 ? USW_EXT_LEAST : config->limit;
    unsigned threads = config->threads == 0 ? usw_core_count() : config->threads;
    x->workers = (unsigned)usw_min(usw_max(threads, 1), USW_EXT_WORKERS);
    upsweep_status status = take_directories(x, config);
    status = status == UPSWEEP_OK ? share_out(x) : status;
    /* Of two runs of such records a merge holds a dozen. */
    if (status == UPSWEEP_OK && x->order.record_bytes > x->work_bytes / 16) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    return status == UPSWEEP_OK ? usw_ext_start_filling(x) : status;
}

upsweep_status upsweep_external_open(upsweep_external **handle,
                                     const upsweep_external_config *given)
{
    upsweep_external_config config;
    if (handle == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    *handle = NULL;
    if (given == NULL || usw_take_struct(&config, sizeof config, given, CONFIG_FIRST) != NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_external *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    upsweep_status status = open_with(x, &config);
    if (status != UPSWEEP_OK) {
        upsweep_external_close(x);
        return status;
    }
    *handle = x;
    return UPSWEEP_OK;
}

void upsweep_external_close(upsweep_external *x)
{
    if (x == NULL) {
        return;
    }
    usw_ext_stop_workers(x);
    usw_ext_merge_free(x->merge);
    usw_ext_sorting_close(&x->alone_sorted);
    usw_ext_close_files(x);
    give_arena(x);
    free(x->order.fields);
    pthread_cond_destroy(&x->changed);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

const char *upsweep_external_error(const upsweep_external *x)
{
    return x == NULL ? "" : x->error;
}

upsweep_status upsweep_external_last_report(upsweep_external *x, upsweep_external_report *report)
{
    if (x == NULL || report == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    pthread_mutex_lock(&x->lock);
    upsweep_external_report now = x->report;
    now.size = sizeof now;
    now.bytes = x->bytes_in;
    now.records = x->records;
    now.merged = atomic_load(&x->merged);
    const char *wrong = usw_give_struct(report, &now, sizeof now, REPORT_FIRST);
    pthread_mutex_unlock(&x->lock);
    return wrong == NULL ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT;
}

/* sort_external.c - the sort of lines that do not fit into memory: they are streamed into the
 * library's external sort, whose order is made of the same keys and comparisons as in memory. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include "io/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 20, DEPTH_BITS = 40 };

/* ---- the order ---- */

static uint64_t stage_of(size_t key, size_t depth)
{
    return ((uint64_t)key << DEPTH_BITS | depth) + 1;
}

static uint64_t behind(const sort_order *order, size_t key)
{
    return key + 1 < order->count ? stage_of(key + 1, 0) : UPSWEEP_EXTERNAL_EQUAL;
}

/* The library's key function: sort_stage_key, and what its keys leave open. */
static uint64_t external_key(void *context, uint64_t stage, const void *record, size_t bytes,
                             uint64_t *next)
{
    const sort_job *job = context;
    uint64_t place = stage == 0 ? 0 : stage - 1;
    size_t k = (size_t)(place >> DEPTH_BITS);
    size_t depth = (size_t)(place & ((UINT64_C(1) << DEPTH_BITS) - 1));
    const sort_key *key = &job->order->keys[k];
    sort_text line = {record, (const unsigned char *)record + bytes};
    bool number = key->kind == SORT_PLAIN || key->kind == SORT_GENERAL;
    *next = UPSWEEP_EXTERNAL_COMPARE;
    unsigned bits = 0;
    uint64_t made = sort_stage_key(job, (sort_stage){k, depth}, line, &bits);
    uint64_t plain = key->reverse ? ~made : made;
    if (key->kind >= SORT_HUMAN) {
        sort_stage then;
        sort_step step = sort_kind_step(job->order, (sort_stage){k, depth}, plain, bits, &then);
        *next = step == SORT_KEYS   ? stage_of(then.key, then.depth)
                : step == SORT_DONE ? UPSWEEP_EXTERNAL_EQUAL
                                    : UPSWEEP_EXTERNAL_COMPARE;
        return made;
    }
    if (!number) {
        *next = (plain & 0xff) == 0xff ? stage_of(k, depth + 7) : behind(job->order, k);
    } else if ((bits & (IO_NUMBER_CUT | IO_NUMBER_LONG)) == 0 &&
               io_number_key_exact(&job->plans[k], plain)) {
        *next = behind(job->order, k);
    }
    return made;
}

static int external_compare(void *context, const void *a, size_t a_bytes, const void *b,
                            size_t b_bytes)
{
    const sort_job *job = context;
    sort_text x = {a, (const unsigned char *)a + a_bytes};
    sort_text y = {b, (const unsigned char *)b + b_bytes};
    return sort_compare(job->order, 0, x, y);
}

/* Plans of numbers are made of the first lines. Numbers for strtold get keys of one form, which
 * holds for all that may follow. */
int sort_external_plans(sort_job *job, const unsigned char *p, const unsigned char *end)
{
    const sort_order *order = job->order;
    job->plans = calloc(order->count + 1, sizeof *job->plans);
    if (job->plans == NULL) {
        return app_fail("out of memory");
    }
    for (size_t k = 0; k < order->count; k++) {
        const sort_key *key = &order->keys[k];
        io_number_plan *plan = &job->plans[k];
        io_number_sample sample = {0};
        plan->general = key->kind == SORT_GENERAL;
        plan->newline = order->end == '\0';
        const unsigned char *line = p, *stop;
        while ((stop = memchr(line, order->end, (size_t)(end - line))) != NULL) {
            sort_text text = sort_field(order, key, (sort_text){line, stop});
            io_number_look(&sample, plan, text.p, text.end);
            line = stop + 1;
        }
        io_number_decide(plan, &sample);
        plan->form = plan->general ? IO_DOUBLE : plan->form;
    }
    return APP_OK;
}

static bool is_plain_bytes(const sort_order *order)
{
    const sort_key *key = &order->keys[0];
    return order->count == 1 && key->whole && key->kind == SORT_BYTES && !key->fold &&
           key->ignore == NULL;
}

/* ---- failures ---- */

/* Which line of which file begins at a byte of the input: it is read again as far as that. */
static uint64_t line_at(const sort_job *job, const char *name, uint64_t bytes,
                        const io_reading *how)
{
    io_stream s;
    io_error error;
    uint64_t lines = 1;
    static unsigned char block[1 << 16];
    struct stat status;
    bool again = strcmp(name, "-") != 0 && stat(name, &status) == 0 && S_ISREG(status.st_mode);
    bool ok = again && io_stream_open(&s, NULL, &name, 1, how, &error);
    while (ok && bytes > 0) {
        size_t got = 0, room = bytes < sizeof block ? (size_t)bytes : sizeof block;
        ok = io_stream_read(&s, block, room, &got, &error) && got > 0;
        bytes -= got;
        for (size_t i = 0; i < got; i++) {
            lines += block[i] == job->order->end;
        }
    }
    if (again) {
        io_stream_close(&s);
    }
    return ok ? lines : 0;
}

int sort_external_fail(const sort_job *job, upsweep_external *x, const io_stream *s,
                       upsweep_status status)
{
    upsweep_external_report report = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (status != UPSWEEP_ERROR_RANGE || s == NULL || job->dropped ||
        upsweep_external_last_report(x, &report) != UPSWEEP_OK) {
        return app_fail("%s", upsweep_external_error(x));
    }
    uint64_t begin;
    const char *name = io_stream_part(s, report.refused_at, &begin);
    uint64_t line = io_stream_line(s, report.refused_at);
    line = line != 0 ? line : line_at(job, name, report.refused_at - begin, s->how);
    char where[64];
    if (line > 0) {
        snprintf(where, sizeof where, "%llu", (unsigned long long)line);
    } else {
        snprintf(where, sizeof where, "byte %llu", (unsigned long long)(report.refused_at - begin));
    }
    return app_fail("%s:%s: this line is too long for a memory limit of %zu MB; -S sets it",
                    io_input_name(name), where, job->limit >> 20);
}

/* ---- the phases ---- */

int sort_external_sample(sort_job *job, io_stream *s, unsigned char *sample, size_t *held)
{
    io_error error;
    for (size_t got = 1; got > 0 && *held < SORT_SAMPLE; *held += got) {
        if (!io_stream_read(s, sample + *held, SORT_SAMPLE - *held, &got, &error)) {
            return app_fail("%s", error.text);
        }
    }
    memset(sample + *held, 0, IO_SLACK);
    return sort_external_plans(job, sample, sample + *held);
}

/* What was read as numbers, in order, and the text behind it. Gives the memory back. */
static int push_begin(sort_job *job, upsweep_external *x, const io_stream *s, sort_begin *begin)
{
    uint64_t at = 0;
    ssize_t got = 1;
    upsweep_status status = UPSWEEP_OK;
    while (status == UPSWEEP_OK && got > 0) {
        void *to;
        size_t room;
        status = upsweep_external_room(x, &to, &room);
        if (status == UPSWEEP_OK) {
            got = pread(begin->fd, to, room < STEP ? room : STEP, (off_t)at);
            (void)upsweep_external_source(x, begin->fd, at);
            status = upsweep_external_pushed(x, got > 0 ? (size_t)got : 0);
        }
        at += got > 0 ? (uint64_t)got : 0;
    }
    if (status == UPSWEEP_OK && got == 0) {
        (void)upsweep_external_source(x, -1, 0);
        status = upsweep_external_push(x, begin->text, begin->held);
    }
    close(begin->fd);
    io_memory_give(begin->text, SORT_BEGIN_BYTES);
    return got < 0                ? app_fail("a temporary file cannot be read: %s", strerror(errno))
           : status == UPSWEEP_OK ? APP_OK
                                  : sort_external_fail(job, x, s, status);
}

static int push_all(sort_job *job, upsweep_external *x, io_stream *s, const io_output *out)
{
    uint64_t all = sort_external_bytes(job);
    io_error error;
    for (;;) {
        void *at;
        size_t room, got = 0;
        upsweep_status status = upsweep_external_room(x, &at, &room);
        if (status == UPSWEEP_OK) {
            if (!io_stream_read(s, at, room < STEP ? room : STEP, &got, &error)) {
                return app_fail("%s", error.text);
            }
            sort_external_source(x, s, got, out);
            status = upsweep_external_pushed(x, got);
        }
        if (status != UPSWEEP_OK) {
            return sort_external_fail(job, x, s, status);
        }
        if (got == 0) {
            return APP_OK;
        }
        sort_progress_bytes(job, s->at, all);
    }
}

static int sort_stream(sort_job *job, io_stream *s, upsweep_external *x, unsigned char *sample,
                       size_t held, bool strict, sort_begin *begin, io_output *out, bool *copied)
{
    sort_phase(job, "read, runs");
    int status = begin->odd ? push_begin(job, x, s, begin)
                 : strict   ? sort_external_strict(job, x, s, sample, held)
                            : sort_external_copy(job, x, s, sample, held, out, copied);
    if (*copied || status != APP_OK) {
        return sort_external_end(job, out, status);
    }
    status = strict ? APP_OK : push_all(job, x, s, out);
    if (status == APP_OK) {
        sort_phase(job, "last runs");
        upsweep_status sorted = upsweep_external_sort(x);
        status = sorted == UPSWEEP_OK ? APP_OK : sort_external_fail(job, x, s, sorted);
    }
    sort_phase(job, "merge and write");
    status = status == APP_OK ? sort_external_give(job, x, out) : status;
    return sort_external_end(job, out, status);
}

static int open_sort(sort_job *job, upsweep_external **x, const io_output *out)
{
    const char *one;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    if (sort_external_config(job, &config, &one, out) != APP_OK) {
        return APP_ERROR;
    }
    config.end = job->order->end;
    if (is_plain_bytes(job->order)) {
        config.flags = job->order->keys[0].reverse ? UPSWEEP_DESCENDING : 0;
    } else {
        config.key = external_key;
        config.compare = external_compare;
        config.context = job;
    }
    return upsweep_external_open(x, &config) == UPSWEEP_OK
               ? APP_OK
               : app_fail("out of memory: %zu MB are needed", config.limit >> 20);
}

int sort_external(sort_job *job, io_stream *s, unsigned char *sample, size_t held, bool strict,
                  io_output *out)
{
    upsweep_external *x = NULL;
    bool copied = false;
    sort_begin begin = {.fd = -1};
    int status = sort_external_sample(job, s, sample, &held);
    if (status == APP_OK && !strict && sort_external_are_numbers(job, sample, held) &&
        !sort_external_may_copy(job, s, sample, held, out)) {
        status = sort_external_numbers(job, s, sample, held, out, &begin);
        if (!begin.odd || status != APP_OK) {
            return status;
        }
    }
    job->dropped = begin.odd && job->order->unique;
    status = status == APP_OK ? open_sort(job, &x, out) : status;
    if (status == APP_OK) {
        status = sort_stream(job, s, x, sample, held, strict, &begin, out, &copied);
    } else {
        io_output_discard(out);
    }
    sort_phase(job, NULL);
    if (status == APP_OK && job->task->common.stats && copied) {
        sort_external_copy_stats(job);
    } else if (status == APP_OK && job->task->common.stats) {
        sort_external_stats(job, x);
    }
    upsweep_external_close(x);
    return status;
}

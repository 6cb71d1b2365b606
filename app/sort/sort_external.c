/* sort_external.c - the sort of lines that do not fit into memory: they are streamed into the
 * library's external sort, whose order is made of the same keys and comparisons as in memory. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include "io/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    STEP = 1 << 20,
    SAMPLE = 128 << 10,
    RESERVE = 2560 << 10, /* what the program touches later, besides the library's memory */
    DEPTH_BITS = 40
};

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
static int make_plans(sort_job *job, const unsigned char *p, const unsigned char *end)
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

/* ---- memory and room on the disk ---- */

size_t sort_external_room(const sort_job *job)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f != NULL) {
        if (fscanf(f, "%*u %llu", &pages) != 1) {
            pages = 0;
        }
        fclose(f);
    }
    size_t now = pages == 0 ? (size_t)8 << 20 : (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    size_t taken = now + RESERVE, least = (size_t)4 << 20;
    return job->limit > taken + least ? job->limit - taken : least;
}

/* The bytes of all inputs, where they are known: those of regular files. */
uint64_t sort_external_bytes(const sort_job *job)
{
    const app_common *common = &job->task->common;
    uint64_t bytes = 0;
    struct stat status;
    for (size_t i = 0; i < common->operand_count; i++) {
        const char *name = common->operands[i];
        bool known =
            strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) == 0 : stat(name, &status) == 0;
        bytes += known && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    }
    if (common->operand_count == 0 && fstat(STDIN_FILENO, &status) == 0 &&
        S_ISREG(status.st_mode)) {
        bytes = (uint64_t)status.st_size;
    }
    return bytes;
}

const char *const *sort_external_directories(const sort_job *job, const char **one, size_t *count)
{
    const char *asked = getenv("TMPDIR");
    if (job->task->temporary_count > 0) {
        *count = job->task->temporary_count;
        return job->task->temporary;
    }
    *one = asked != NULL && *asked != '\0' ? asked : "/tmp";
    *count = 1;
    return one;
}

/* Before anything is written: temporary files need as much as the input has. */
int sort_external_check_room(const sort_job *job, const char *const *directories, size_t count)
{
    uint64_t need = sort_external_bytes(job), room = 0;
    for (size_t i = 0; i < count; i++) {
        struct statvfs there;
        if (statvfs(directories[i], &there) != 0) {
            return app_fail("%s: %s", directories[i], strerror(errno));
        }
        room += (uint64_t)there.f_bavail * there.f_frsize;
    }
    if (need <= room) {
        return APP_OK;
    }
    return app_fail("%s%s: temporary files need %llu MB, and there are %llu MB left; -T names "
                    "another directory",
                    directories[0], count > 1 ? ", ..." : "", (unsigned long long)(need >> 20) + 1,
                    (unsigned long long)(room >> 20));
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
    bool ok = strcmp(name, "-") != 0 && io_stream_open(&s, NULL, &name, 1, how, &error);
    while (ok && bytes > 0) {
        size_t got = 0, room = bytes < sizeof block ? (size_t)bytes : sizeof block;
        ok = io_stream_read(&s, block, room, &got, &error) && got > 0;
        bytes -= got;
        for (size_t i = 0; i < got; i++) {
            lines += block[i] == job->order->end;
        }
    }
    if (strcmp(name, "-") != 0) {
        io_stream_close(&s);
    }
    return ok ? lines : 0;
}

int sort_external_fail(const sort_job *job, upsweep_external *x, const io_stream *s,
                       upsweep_status status)
{
    upsweep_external_report report = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (status != UPSWEEP_ERROR_RANGE || s == NULL ||
        upsweep_external_last_report(x, &report) != UPSWEEP_OK) {
        return app_fail("%s", upsweep_external_error(x));
    }
    uint64_t begin;
    const char *name = io_stream_part(s, report.refused_at, &begin);
    uint64_t line = line_at(job, name, report.refused_at - begin, s->how);
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

/* The first bytes, for the plans. */
static int take_sample(sort_job *job, io_stream *s, unsigned char *sample, size_t *held)
{
    io_error error;
    *held = 0;
    for (size_t got = 1; got > 0 && *held < SAMPLE; *held += got) {
        if (!io_stream_read(s, sample + *held, SAMPLE - *held, &got, &error)) {
            return app_fail("%s", error.text);
        }
    }
    memset(sample + *held, 0, IO_SLACK);
    return make_plans(job, sample, sample + *held);
}

static int push_all(sort_job *job, upsweep_external *x, io_stream *s, uint64_t all)
{
    io_error error;
    for (;;) {
        void *at;
        size_t room, got = 0;
        upsweep_status status = upsweep_external_room(x, &at, &room);
        if (status == UPSWEEP_OK) {
            if (!io_stream_read(s, at, room < STEP ? room : STEP, &got, &error)) {
                return app_fail("%s", error.text);
            }
            status = upsweep_external_pushed(x, got);
        }
        if (status != UPSWEEP_OK) {
            return sort_external_fail(job, x, s, status);
        }
        if (got == 0) {
            return APP_OK;
        }
        sort_progress(job, 0, (size_t)(s->at >> 10), (size_t)((all > s->at ? all : s->at) >> 10));
    }
}

int sort_external_write(sort_job *job, upsweep_external *x, io_output *out)
{
    int number = 0;
    io_error error;
    sort_phase(job, "merge and write");
    upsweep_status status = upsweep_external_write(x, out->fd, &number);
    if (status != UPSWEEP_OK) {
        if (number == 0) {
            app_fail("%s", upsweep_external_error(x));
        } else if (number != EPIPE) {
            errno = number;
            io_fail(&error, out->name, "cannot be written");
            app_fail("%s", error.text);
        }
        io_output_discard(out);
        return APP_ERROR;
    }
    sort_phase(job, out->plain ? "close" : "sync");
    return io_output_commit(out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}

static int sort_stream(sort_job *job, io_stream *s, upsweep_external *x, unsigned char *sample,
                       size_t held, io_output *out)
{
    sort_phase(job, "read, runs");
    upsweep_status pushed = upsweep_external_push(x, sample, held);
    int status = pushed == UPSWEEP_OK ? push_all(job, x, s, sort_external_bytes(job))
                                      : sort_external_fail(job, x, s, pushed);
    if (status == APP_OK) {
        sort_phase(job, "last runs");
        pushed = upsweep_external_sort(x);
        status = pushed == UPSWEEP_OK ? APP_OK : sort_external_fail(job, x, s, pushed);
    }
    if (status != APP_OK) {
        io_output_discard(out);
        return status;
    }
    return sort_external_write(job, x, out);
}

static int open_sort(sort_job *job, upsweep_external **x)
{
    const char *one;
    size_t count;
    const char *const *directories = sort_external_directories(job, &one, &count);
    int status = sort_external_check_room(job, directories, count);
    if (status != APP_OK) {
        return status;
    }
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = sort_external_room(job);
    config.threads = job->threads;
    config.directories = directories;
    config.directory_count = count;
    config.end = job->order->end;
    config.unique = job->order->unique;
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

/* What the sort in memory has made so far goes; its input stays where it cannot be read again. */
io_input *sort_external_begun(sort_job *job)
{
    const app_common *common = &job->task->common;
    struct stat status;
    bool again = common->operand_count > 0;
    for (size_t i = 0; i < common->operand_count && again; i++) {
        again = strcmp(common->operands[i], "-") != 0 && stat(common->operands[i], &status) == 0 &&
                S_ISREG(status.st_mode);
    }
    io_memory_give(job->keys, job->held);
    io_memory_give(job->items, job->held);
    io_lines_free(&job->lines);
    free(job->plans);
    job->keys = job->items = NULL;
    job->plans = NULL;
    if (again) {
        io_input_free(&job->in);
        return NULL;
    }
    return &job->in;
}

io_reading sort_external_reading(const sort_job *job)
{
    return (io_reading){.takes = 1u << IO_KIND_NPY,
                        .as_is = job->task->from == IO_TEXT,
                        .last = job->order->end,
                        .otherwise = "--from text takes its bytes as lines",
                        .window = job->limit / 8};
}

int sort_external(sort_job *job, io_output *out)
{
    static const char *const only_stdin[] = {"-"};
    const app_common *common = &job->task->common;
    bool none = common->operand_count == 0;
    io_reading how = sort_external_reading(job);
    io_input *begun = sort_external_begun(job);
    io_stream s;
    io_error error;
    upsweep_external *x = NULL;
    size_t held = 0;
    unsigned char *sample = malloc(SAMPLE + IO_SLACK);
    bool opened =
        io_stream_open(&s, begun, none ? only_stdin : (const char *const *)common->operands,
                       none ? 1 : common->operand_count, &how, &error);
    int status = sample == NULL ? app_fail("out of memory")
                 : !opened      ? app_fail("%s", error.text)
                                : take_sample(job, &s, sample, &held);
    status = status == APP_OK ? open_sort(job, &x) : status;
    if (status == APP_OK) {
        status = sort_stream(job, &s, x, sample, held, out);
    } else {
        io_output_discard(out);
    }
    sort_phase(job, NULL);
    if (status == APP_OK && common->stats) {
        sort_external_stats(job, x);
    }
    upsweep_external_close(x);
    io_stream_close(&s);
    free(sample);
    return status;
}

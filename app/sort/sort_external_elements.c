/* sort_external_elements.c - arrays and records beyond memory: those of one axis, and rows that are
 * longer than memory, by the library's external sort; shorter rows in chunks of whole ones. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_array.h"
#include "app/sort/sort_external.h"
#include "app/sort/sort_record.h"

#include "io/memory.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 20, COPY = 64 << 10, LEAST_CHUNK = 1 << 20, THREAD_BYTES = 2 << 20 };

/* ---- what is sorted ---- */

/* What upsweep_external_open is asked for, but for its memory. */
static void set_order(const sort_job *job, const io_elements *e, upsweep_external_config *config)
{
    const sort_task *task = job->task;
    config->flags = task->order.global.reverse ? UPSWEEP_DESCENDING : 0;
    config->type = e->type;
    if (e->type == 0) {
        config->record_bytes = e->element;
        config->fields = task->fields;
        config->field_count = task->field_count;
    }
}

static int open_sort(const sort_job *job, const io_elements *e, const io_output *out,
                     upsweep_external **x)
{
    const char *one;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    if (sort_external_config(job, &config, &one, out) != APP_OK) {
        return APP_ERROR;
    }
    set_order(job, e, &config);
    upsweep_status status = upsweep_external_open(x, &config);
    if (status == UPSWEEP_ERROR_ARGUMENT) {
        return app_fail("records of %zu bytes are too long for a memory limit of %zu MB; -S sets "
                        "it",
                        e->element, job->limit >> 20);
    }
    return status == UPSWEEP_OK ? APP_OK
                                : app_fail("out of memory: %zu MB are needed", config.limit >> 20);
}

/* All elements, or the next `bytes` bytes of them. */
static int push(sort_job *job, io_elements *e, upsweep_external *x, uint64_t bytes,
                const io_output *out)
{
    io_error error;
    uint64_t all = sort_external_bytes(job);
    while (bytes > 0) {
        void *at;
        size_t room, got = 0;
        upsweep_status status = upsweep_external_room(x, &at, &room);
        if (status == UPSWEEP_OK) {
            room = room < STEP ? room : STEP;
            if (!io_elements_read(e, at, bytes < room ? (size_t)bytes : room, &got, &error)) {
                return app_fail("%s", error.text);
            }
            sort_external_source(x, e->s, got + (e->held - e->at), out);
            status = upsweep_external_pushed(x, got);
        }
        if (status != UPSWEEP_OK) {
            return app_fail("%s", upsweep_external_error(x));
        }
        if (got == 0) {
            break;
        }
        bytes -= got;
        sort_progress_bytes(job, e->bytes, all);
    }
    return upsweep_external_sort(x) == UPSWEEP_OK ? APP_OK
                                                  : app_fail("%s", upsweep_external_error(x));
}

/* ---- the output, whose header says how many elements there are ---- */

static int write_header(io_output *out, const io_npy *like, uint64_t count)
{
    char header[IO_NPY_FORMAT_MAX];
    io_npy npy = *like;
    io_error error;
    if (count != npy.n) { /* of several files, or those that -u keeps */
        npy.axes = 1;
        npy.n = npy.shape[0] = (size_t)count;
    }
    return io_output_write(out, header, io_npy_format(header, &npy), &error) == 0
               ? APP_OK
               : sort_fail_output(out, &error);
}

/* A file for what must be counted before its header can be written. */
static int open_counted(const sort_job *job)
{
    const char *one;
    size_t count;
    const char *directory = sort_external_directories(job, &one, &count)[0];
    int fd = io_scratch_file(directory);
    if (fd < 0) {
        (void)sort_fail_temporary(directory);
    }
    return fd;
}

/* The elements that -u keeps go to a file of their own first, since only then their number is
 * known. */
static int give_counted(sort_job *job, const io_elements *e, upsweep_external *x, io_output *out)
{
    static unsigned char block[COPY];
    io_output counted = {.name = "a temporary file", .fd = open_counted(job)};
    io_error error;
    if (counted.fd < 0) {
        return APP_ERROR;
    }
    int status = sort_external_give(job, x, &counted);
    off_t bytes = lseek(counted.fd, 0, SEEK_CUR), at = 0;
    status = status == APP_OK ? write_header(out, &e->npy, (uint64_t)bytes / e->element) : status;
    while (status == APP_OK && at < bytes) {
        ssize_t got = pread(counted.fd, block, sizeof block, at);
        if (got <= 0) {
            status = app_fail("a temporary file cannot be read: %s",
                              got < 0 ? strerror(errno) : "it ends too early");
        } else if (io_output_write(out, block, (size_t)got, &error) != 0) {
            status = sort_fail_output(out, &error);
        }
        at += got;
    }
    close(counted.fd);
    return status;
}

static int give(sort_job *job, const io_elements *e, upsweep_external *x, io_output *out)
{
    sort_phase(job, "merge and write");
    if (e->format != IO_NPY) {
        return sort_external_give(job, x, out);
    }
    if (job->order->unique) {
        return give_counted(job, e, x, out);
    }
    int status = write_header(out, &e->npy, e->bytes / e->element);
    return status == APP_OK ? sort_external_give(job, x, out) : status;
}

static int sort_all(sort_job *job, io_elements *e, io_output *out)
{
    upsweep_external *x = NULL;
    int status = open_sort(job, e, out, &x);
    sort_phase(job, "read, runs");
    status = status == APP_OK ? push(job, e, x, UINT64_MAX, out) : status;
    status = status == APP_OK ? give(job, e, x, out) : status;
    status = sort_external_end(job, out, status);
    sort_phase(job, NULL);
    if (status == APP_OK && job->task->common.stats) {
        sort_external_stats(job, x);
    }
    upsweep_external_close(x);
    return status;
}

/* ---- rows ---- */

/* Each row by a sort of its own. */
static int sort_long_rows(sort_job *job, io_elements *e, size_t row_bytes, io_output *out)
{
    int status = APP_OK;
    size_t rows = e->npy.n / e->npy.shape[e->npy.axes - 1];
    for (size_t r = 0; r < rows && status == APP_OK; r++) {
        upsweep_external *x = NULL;
        status = open_sort(job, e, out, &x);
        status = status == APP_OK ? push(job, e, x, row_bytes, out) : status;
        status = status == APP_OK ? sort_external_give(job, x, out) : status;
        upsweep_external_close(x);
    }
    return status;
}

/* Chunks of whole rows: read, sorted, written. */
static int sort_chunks(sort_job *job, io_elements *e, unsigned char *chunk, size_t chunk_bytes,
                       io_output *out)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = job->task->common.algorithm;
    options.flags = job->task->order.global.reverse ? UPSWEEP_DESCENDING : 0;
    size_t length = e->npy.shape[e->npy.axes - 1], all = e->npy.n * e->element, got = 1;
    int status = app_open(&job->task->common, &job->u);
    while (status == APP_OK && got > 0) {
        io_error error;
        if (!io_elements_fill(e, chunk, chunk_bytes, &got, &error)) {
            return app_fail("%s", error.text);
        }
        size_t n = got / e->element;
        if (n > 0 && upsweep_sort_rows(job->u, chunk, n, e->type, NULL, n / length, NULL, 0,
                                       &options) != UPSWEEP_OK) {
            return app_fail_call(job->u);
        }
        if (io_output_write(out, chunk, got, &error) != 0) {
            return sort_fail_output(out, &error);
        }
        sort_progress_bytes(job, e->bytes, all);
    }
    return status;
}

/* Half of what is left goes to the chunk, since a long row takes as much again. */
static int sort_rows(sort_job *job, io_elements *e, io_output *out)
{
    size_t row_bytes = e->npy.shape[e->npy.axes - 1] * e->element;
    size_t room = sort_external_room(job), threads = job->threads * (size_t)THREAD_BYTES;
    room = room > threads + 2 * LEAST_CHUNK ? (room - threads) / 2 : LEAST_CHUNK;
    sort_phase(job, "rows");
    int status = write_header(out, &e->npy, e->npy.n);
    if (status == APP_OK && (row_bytes == 0 || row_bytes > room)) {
        status = row_bytes == 0 ? APP_OK : sort_long_rows(job, e, row_bytes, out);
    } else if (status == APP_OK) {
        size_t chunk_bytes = room / row_bytes * row_bytes;
        unsigned char *chunk = io_memory_take(chunk_bytes);
        status = chunk == NULL ? app_fail("out of memory: %zu MB are needed", chunk_bytes >> 20)
                               : sort_chunks(job, e, chunk, chunk_bytes, out);
        io_memory_give(chunk, chunk_bytes);
    }
    status = sort_external_end(job, out, status);
    sort_phase(job, NULL);
    if (status == APP_OK && job->task->common.json) {
        printf("{\"elements\": %zu, \"type\": \"%s\", \"bytes\": %zu, \"beyond_memory\": true, "
               "\"limit\": %zu, \"seconds\": %.6f, \"phases\": {",
               e->npy.n, upsweep_type_name(e->type), e->npy.n * e->element, job->limit,
               app_seconds() - job->begin);
        sort_print_phases(stdout, job, true);
        puts("}}");
    } else if (status == APP_OK && job->task->common.stats) {
        fprintf(stderr, "memory     a limit of %zu MB, so rows were sorted in pieces\n",
                job->limit >> 20);
    }
    return status;
}

int sort_external_elements(sort_job *job, io_elements *e, io_output *out)
{
    const sort_task *task = job->task;
    sort_array_task shape = {.common = &task->common, .unique = job->order->unique};
    app_output to;
    io_array like = {.format = e->format, .npy = e->npy, .type = e->type};
    if (e->type != 0 && (sort_check_shape(&shape, &e->npy) != APP_OK ||
                         app_output_use(&to, &task->common, &like, out) != APP_OK)) {
        io_output_discard(out);
        return APP_ERROR;
    }
    return e->format == IO_NPY && e->npy.axes > 1 ? sort_rows(job, e, out) : sort_all(job, e, out);
}

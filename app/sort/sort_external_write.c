/* sort_external_write.c - the last merge of a sort beyond memory: to the file itself by all
 * threads, or through the compressor; and how far it is. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include "io/parallel.h"

#include <fcntl.h>
#include <string.h>

typedef struct telling {
    sort_job *job;
    upsweep_external *x;
} telling;

/* How far the merge is. */
static void tell(void *context)
{
    telling *t = context;
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (upsweep_external_last_report(t->x, &r) == UPSWEEP_OK) {
        sort_progress_bytes(t->job, r.merged, r.bytes);
    }
}

/* To the file descriptor, from several threads where that is a file. */
static int write_plain(sort_job *job, upsweep_external *x, io_output *out)
{
    int number = 0;
    io_error error;
    telling t = {job, x};
    int mode = fcntl(out->fd, F_GETFL);
    /* What is synced anyway goes past the page cache. */
    bool past =
        !out->plain && out->over < 0 && mode >= 0 && fcntl(out->fd, F_SETFL, mode | O_DIRECT) == 0;
    io_ticker *ticker = job->show ? io_ticker_start(tell, &t) : NULL;
    upsweep_status status = upsweep_external_write(x, out->fd, &number);
    io_ticker_end(ticker);
    if (past) {
        (void)fcntl(out->fd, F_SETFL, mode);
    }
    if (status == UPSWEEP_OK) {
        return APP_OK;
    }
    if (number == 0) {
        return app_fail("%s", upsweep_external_error(x));
    }
    errno = number;
    io_fail(&error, out->name, "cannot be written");
    return sort_fail_output(out, &error);
}

/* --debug, in place of the output. */
static int print_debug(sort_job *job, upsweep_external *x)
{
    for (;;) {
        const void *bytes;
        size_t size;
        if (upsweep_external_pull(x, &bytes, &size) != UPSWEEP_OK) {
            return app_fail("%s", upsweep_external_error(x));
        }
        if (size == 0 || ferror(stdout)) {
            return sort_finish_debug();
        }
        sort_debug_text(job->order, bytes, size);
    }
}

static int write_packed(sort_job *job, upsweep_external *x, io_output *out)
{
    telling t = {job, x};
    for (;;) {
        const void *bytes;
        size_t size;
        io_error error;
        if (upsweep_external_pull(x, &bytes, &size) != UPSWEEP_OK) {
            return app_fail("%s", upsweep_external_error(x));
        }
        if (size == 0) {
            return APP_OK;
        }
        if (io_output_write(out, bytes, size, &error) != 0) {
            return sort_fail_output(out, &error);
        }
        tell(&t);
    }
}

int sort_external_give(sort_job *job, upsweep_external *x, io_output *out)
{
    if (job->task->debug) {
        return print_debug(job, x);
    }
    return out->packer == NULL ? write_plain(job, x, out) : write_packed(job, x, out);
}

int sort_external_end(sort_job *job, io_output *out, int status)
{
    io_error error;
    if (status != APP_OK) {
        io_output_discard(out);
        return status;
    }
    sort_phase(job, out->plain ? "close" : "sync");
    return io_output_commit(out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}

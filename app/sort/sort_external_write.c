/* sort_external_write.c - the last merge of a sort beyond memory: to the file itself by all threads,
 * or through the compressor; and how far it is. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>

/* A thread that tells how far the merge is, since the library's call does not return before its
 * end. */
typedef struct telling {
    sort_job *job;
    upsweep_external *x;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ended;
    pthread_t thread;
    bool started;
} telling;

static void tell_now(sort_job *job, upsweep_external *x)
{
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (upsweep_external_last_report(x, &r) == UPSWEEP_OK) {
        sort_progress_bytes(job, r.merged, r.bytes);
    }
}

static void *tell(void *argument)
{
    enum { EVERY_NS = 250000000 };
    telling *t = argument;
    pthread_mutex_lock(&t->lock);
    while (!t->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += EVERY_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&t->changed, &t->lock, &until);
        tell_now(t->job, t->x);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void start_telling(telling *t, sort_job *job, upsweep_external *x)
{
    *t = (telling){.job = job, .x = x};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->started = job->show && pthread_create(&t->thread, NULL, tell, t) == 0;
}

static void end_telling(telling *t)
{
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    if (t->started) {
        pthread_join(t->thread, NULL);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

/* To the file descriptor, from several threads where that is a file. */
static int write_plain(sort_job *job, upsweep_external *x, io_output *out)
{
    int number = 0;
    io_error error;
    telling t;
    int mode = fcntl(out->fd, F_GETFL);
    /* What is synced anyway goes past the page cache. */
    bool past =
        !out->plain && out->over < 0 && mode >= 0 && fcntl(out->fd, F_SETFL, mode | O_DIRECT) == 0;
    start_telling(&t, job, x);
    upsweep_status status = upsweep_external_write(x, out->fd, &number);
    end_telling(&t);
    if (past) {
        (void)fcntl(out->fd, F_SETFL, mode);
    }
    if (status == UPSWEEP_OK) {
        return APP_OK;
    }
    if (number == 0) {
        return app_fail("%s", upsweep_external_error(x));
    }
    if (number != EPIPE) {
        errno = number;
        io_fail(&error, out->name, "cannot be written");
        app_fail("%s", error.text);
    }
    return APP_ERROR;
}

static int write_packed(sort_job *job, upsweep_external *x, io_output *out)
{
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
            return error.number == EPIPE ? APP_ERROR : app_fail("%s", error.text);
        }
        tell_now(job, x);
    }
}

int sort_external_give(sort_job *job, upsweep_external *x, io_output *out)
{
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

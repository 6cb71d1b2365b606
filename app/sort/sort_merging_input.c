/* sort_merging_input.c - the inputs of sort -m beyond memory, line by line, and its temporaries. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_merging.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GIVE = 1 << 20 }; /* bytes of a temporary that are given back at once */

/* ---- temporaries ---- */

/* Where they go, and whether there is room. */
static int find_directories(merging *m)
{
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    if (sort_external_config(m->job, &config, &m->one_directory, m->out) != APP_OK) {
        return APP_ERROR;
    }
    m->files = calloc(config.directory_count, sizeof *m->files);
    if (m->files == NULL) {
        return app_fail("out of memory");
    }
    m->directories = config.directories;
    m->directory_count = config.directory_count;
    return APP_OK;
}

int merge_begin_temporary(merging *m)
{
    if (m->directories == NULL && find_directories(m) != APP_OK) {
        return APP_ERROR;
    }
    m->to = m->turn++ % (unsigned)m->directory_count;
    merge_file *file = &m->files[m->to];
    if (!file->made) {
        file->fd = io_scratch_file(m->directories[m->to]);
        file->made = file->fd >= 0;
    }
    m->to_at = file->size;
    return file->made ? APP_OK : sort_fail_temporary(m->directories[m->to]);
}

int merge_write_temporary(merging *m, const unsigned char *from, size_t bytes)
{
    merge_file *file = &m->files[m->to];
    m->temporary += bytes;
    while (bytes > 0) {
        ssize_t n = pwrite(file->fd, from, bytes, (off_t)file->size);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return app_fail("%s: a temporary file cannot be written: %s", m->directories[m->to],
                            strerror(n == 0 ? ENOSPC : errno));
        }
        size_t step = n > 0 ? (size_t)n : 0;
        from += step;
        bytes -= step;
        file->size += step;
    }
    return APP_OK;
}

static int read_temporary(merging *m, merge_reader *r, unsigned char *to, size_t room, size_t *got)
{
    merge_input *input = r->input;
    int fd = m->files[input->file].fd;
    size_t most = input->end - input->at < room ? (size_t)(input->end - input->at) : room;
    ssize_t n;
    do {
        n = most == 0 ? 0 : pread(fd, to, most, (off_t)input->at);
    } while (n < 0 && errno == EINTR);
    if (n < 0 || (n == 0 && most > 0)) {
        return app_fail("%s: a temporary file cannot be read: %s", m->directories[input->file],
                        n < 0 ? strerror(errno) : "it ends too early");
    }
    *got = (size_t)n;
    input->at += *got;
    if (input->at - r->freed >= GIVE || input->at == input->end) {
        (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r->freed,
                        (off_t)(input->at - r->freed));
        r->freed = input->at;
    }
    return APP_OK;
}

/* ---- readers ---- */

int merge_fail_long(const merging *m, const merge_reader *r, uint64_t line)
{
    char where[64] = "a temporary file";
    const char *name = r->input->name == NULL ? "" : io_input_name(r->input->name);
    if (*name != '\0') {
        snprintf(where, sizeof where, ":%llu", (unsigned long long)line);
    }
    return app_fail("%s%s: this line is too long for a memory limit of %zu MB beside those of the "
                    "other files; -S sets it",
                    name, where, m->job->limit >> 20);
}

static int read_more(merging *m, merge_reader *r)
{
    io_error error;
    size_t got = 0;
    if (r->streams) {
        if (!io_stream_read(&r->stream, r->buffer + r->held, r->room - r->held, &got, &error)) {
            return app_fail("%s", error.text);
        }
    } else if (read_temporary(m, r, r->buffer + r->held, r->room - r->held, &got) != APP_OK) {
        return APP_ERROR;
    }
    r->held += got;
    r->ended = got == 0;
    m->read += m->last ? got : 0;
    memset(r->buffer + r->held, 0, IO_SLACK);
    return APP_OK;
}

/* What is left of the buffer moves to its front; a line that fills it gets twice the room. */
static int fill(merging *m, merge_reader *r)
{
    memmove(r->buffer, r->buffer + r->at, r->held - r->at);
    r->held -= r->at;
    r->at = 0;
    if (r->held == r->room) {
        unsigned char *buffer =
            r->room > m->spare ? NULL : realloc(r->buffer, 2 * r->room + IO_SLACK);
        if (buffer == NULL) {
            return merge_fail_long(m, r, r->lines + 1);
        }
        m->spare -= r->room;
        r->buffer = buffer;
        r->room *= 2;
    }
    return read_more(m, r);
}

/* Whether the output is written to the file that is read, so that this has to be read before. */
static bool is_output(const merging *m, const io_stream *s)
{
    struct stat from, to;
    return m->out->plain && s->fd >= 0 && fstat(s->fd, &from) == 0 && S_ISREG(from.st_mode) &&
           fstat(m->out->fd, &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

/* Copies the rest of a file to a temporary, which is read in its place. */
static int set_aside(merging *m, merge_reader *r)
{
    unsigned to = m->to;
    uint64_t at = m->to_at;
    bool last = m->last;
    m->last = false;
    int status = merge_begin_temporary(m);
    while (status == APP_OK && !r->ended) {
        status = merge_write_temporary(m, r->buffer, r->held);
        r->held = 0;
        status = status == APP_OK ? read_more(m, r) : status;
    }
    io_stream_close(&r->stream);
    r->streams = r->ended = false;
    if (status == APP_OK) {
        *r->input = (merge_input){r->input->name, true, m->to, m->to_at, m->files[m->to].size};
        r->freed = m->to_at;
        m->last = last;
        status = read_more(m, r);
    }
    m->last = last;
    m->to = to;
    m->to_at = at;
    return status;
}

int merge_open(merging *m, merge_reader *r, merge_input *input)
{
    io_error error;
    *r = (merge_reader){.input = input, .room = m->base, .freed = input->at};
    r->buffer = malloc(r->room + IO_SLACK);
    if (r->buffer == NULL) {
        return app_fail("out of memory");
    }
    if (!input->aside) {
        r->streams = true;
        if (!io_stream_open(&r->stream, NULL, &input->name, 1, &m->how, &error) ||
            !io_stream_ahead(&r->stream, &error)) {
            return app_fail("%s", error.text);
        }
    }
    return APP_OK;
}

int merge_begin(merging *m, merge_reader *r)
{
    int status = read_more(m, r);
    if (status == APP_OK && r->streams && r->stream.arrays) {
        return sort_check_array_options(m->job->task);
    }
    /* What is packed is unpacked by itself: several at once would want several windows. */
    bool packed = r->streams && r->stream.unpacker != NULL;
    return status == APP_OK && r->streams && (packed || is_output(m, &r->stream)) ? set_aside(m, r)
                                                                                  : status;
}

void merge_close(merging *m, merge_reader *r)
{
    if (r->streams) {
        io_stream_close(&r->stream);
    }
    if (r->buffer != NULL) {
        m->spare += r->room - m->base;
    }
    free(r->buffer);
    *r = (merge_reader){0};
}

static int fail_strict(const merge_reader *r, sort_text line)
{
    size_t bytes = (size_t)(line.end - line.p) + 1;
    fprintf(stderr, "%s: %s:%llu: %s: ", app_command(), r->input->name,
            (unsigned long long)r->lines, sort_why_loose(line.p, bytes));
    fwrite(line.p, 1, bytes, stderr);
    return APP_ERROR;
}

int merge_next(merging *m, merge_reader *r, sort_head *head)
{
    const sort_job *job = m->job;
    size_t seen = 0;
    const unsigned char *stop;
    while ((stop = memchr(r->buffer + r->at + seen, job->order->end, r->held - r->at - seen)) ==
           NULL) {
        seen = r->held - r->at;
        if (r->ended) {
            head->ended = true;
            return APP_OK;
        }
        if (fill(m, r) != APP_OK) {
            return APP_ERROR;
        }
    }
    unsigned bits = 0;
    head->ended = false;
    head->line = (sort_text){r->buffer + r->at, stop};
    r->at = (size_t)(stop - r->buffer) + 1;
    r->lines++;
    if (job->task->strict && r->input->name != NULL && !sort_is_strict(job, head->line)) {
        return fail_strict(r, head->line);
    }
    head->key = sort_stage_key(job, (sort_stage){0, 0}, head->line, &bits);
    m->lines += r->input->name != NULL;
    return APP_OK;
}

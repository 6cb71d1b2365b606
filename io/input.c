/* input.c - reads regular files by several threads at once, everything else by one. */
/* SPDX-License-Identifier: MIT */
#include "io/input.h"

#include "io/memory.h"
#include "io/parallel.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 2 << 20, FIRST_ROOM = 1 << 16 };

/* Makes room for `more` bytes and the slack behind in->size; grows by doubling. */
int io_input_room(io_input *in, size_t more)
{
    if (more > SIZE_MAX / 2 - in->size - IO_SLACK) {
        errno = ENOMEM;
        return -1;
    }
    size_t need = in->size + more + IO_SLACK;
    if (need <= in->held) {
        return 0;
    }
    size_t room = in->held == 0 ? need : need > 2 * in->held ? need : 2 * in->held;
    void *bytes = io_memory_resize(in->bytes, in->held, room);
    if (bytes == NULL && room > need + need / 16) { /* less in advance may still be had */
        room = need + need / 16;
        bytes = io_memory_resize(in->bytes, in->held, room);
    }
    if (bytes == NULL) {
        errno = ENOMEM;
        return -1;
    }
    in->bytes = bytes;
    in->held = room;
    return 0;
}

typedef struct bulk {
    int fd;
    unsigned char *to;
    off_t from;
    size_t size;
    atomic_int error;
    atomic_size_t got; /* bytes that came without a gap, once all is done: the least short end */
} bulk;

static void read_chunk(void *context, size_t task, unsigned lane)
{
    (void)lane;
    bulk *b = context;
    size_t at = task * CHUNK, end = at + CHUNK < b->size ? at + CHUNK : b->size;
    while (at < end) {
        ssize_t n = pread(b->fd, b->to + at, end - at, b->from + (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            if (n < 0) {
                atomic_store(&b->error, errno);
            }
            size_t got = atomic_load(&b->got);
            while (at < got && !atomic_compare_exchange_weak(&b->got, &got, at)) {
            }
            return;
        }
        at += (size_t)n;
    }
}

/* There is more than the input may hold. */
static int give_up(io_input *in)
{
    in->full = true;
    errno = ENOMEM;
    return -1;
}

/* What is left of a regular file, by its size; what grows behind that is left to read_rest. */
static int read_bulk(io_input *in, int fd, const struct stat *status, unsigned threads)
{
    off_t from = lseek(fd, 0, SEEK_CUR);
    if (!S_ISREG(status->st_mode) || from < 0 || status->st_size <= from) {
        return 0;
    }
    size_t size = (size_t)(status->st_size - from);
    if (in->most != 0 && size > in->most - (in->size < in->most ? in->size : in->most)) {
        return give_up(in);
    }
    if (io_input_room(in, size + FIRST_ROOM) != 0) {
        return -1;
    }
    bulk b = {.fd = fd, .to = in->bytes + in->size, .from = from, .size = size};
    atomic_store(&b.got, size);
    io_parallel(threads, (size + CHUNK - 1) / CHUNK, read_chunk, &b);
    errno = atomic_load(&b.error);
    if (errno != 0) {
        return -1;
    }
    in->size += atomic_load(&b.got);
    return lseek(fd, from + (off_t)atomic_load(&b.got), SEEK_SET) < 0 ? -1 : 0;
}

static int read_rest(io_input *in, int fd)
{
    for (;;) {
        if (io_input_room(in, FIRST_ROOM) != 0) {
            return -1;
        }
        size_t room = in->held - IO_SLACK - in->size;
        if (in->most != 0) {
            if (in->size >= in->most) {
                return give_up(in);
            }
            room = room < in->most - in->size ? room : in->most - in->size;
        }
        ssize_t n = read(fd, in->bytes + in->size, room);
        if (n == 0) {
            return 0;
        }
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        in->size += n > 0 ? (size_t)n : 0;
    }
}

static int open_file(const char *name)
{
    int fd;
    do {
        fd = open(name, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR); /* a named pipe, whose writer is waited for */
    return fd;
}

static int read_part(io_input *in, io_part *part, unsigned threads, io_error *error)
{
    bool is_stdin = strcmp(part->name, "-") == 0;
    const char *name = io_input_name(part->name);
    int fd = is_stdin ? STDIN_FILENO : open_file(part->name);
    if (fd < 0) {
        return io_fail(error, name, "cannot be read");
    }
    struct stat status;
    part->begin = in->size;
    int failed = fstat(fd, &status) != 0 || read_bulk(in, fd, &status, threads) != 0 ||
                 read_rest(in, fd) != 0;
    if (failed) {
        char what[IO_MEMORY_WHY + 30], why[IO_MEMORY_WHY];
        int number = errno;
        snprintf(what, sizeof what, "does not fit into memory%s", io_memory_why(why));
        errno = number;
        io_fail(error, name, number == ENOMEM ? what : "cannot be read");
    }
    if (failed && in->full) {
        in->left = fd; /* for whoever goes on */
    } else if (!is_stdin) {
        close(fd);
    }
    if (failed) {
        return -1;
    }
    part->end = in->size;
    part->device = status.st_dev;
    part->inode = status.st_ino;
    return 0;
}

int io_input_begin(io_input *in, size_t count, io_error *error)
{
    *in = (io_input){.left = -1};
    in->parts = calloc(count, sizeof *in->parts);
    if (in->parts == NULL) {
        errno = ENOMEM;
        return io_fail(error, "the input", "cannot be read");
    }
    return 0;
}

int io_input_add(io_input *in, const char *name, unsigned threads, io_error *error)
{
    io_part *part = &in->parts[in->part_count++];
    part->name = name;
    return read_part(in, part, threads, error);
}

void io_input_end(io_input *in, int last)
{
    io_part *part = &in->parts[in->part_count - 1];
    if (in->size > part->begin && in->bytes[in->size - 1] != last) {
        in->bytes[in->size++] = (unsigned char)last;
    }
    part->end = in->size;
}

void io_input_finish(io_input *in)
{
    size_t need = in->size + 1 + IO_SLACK;
    void *bytes = in->held - need < FIRST_ROOM ? NULL : io_memory_resize(in->bytes, in->held, need);
    if (bytes != NULL) {
        in->bytes = bytes;
        in->held = need;
    }
    memset(in->bytes + in->size, 0, IO_SLACK);
}

const char *io_input_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

void io_input_free(io_input *in)
{
    io_memory_give(in->bytes, in->held);
    free(in->parts);
    if (in->full && in->left > STDERR_FILENO) {
        close(in->left);
    }
    *in = (io_input){0};
}

const io_part *io_input_part(const io_input *in, size_t at)
{
    const io_part *part = in->parts;
    while (part < in->parts + in->part_count - 1 && at >= part->end) {
        part++;
    }
    return part;
}

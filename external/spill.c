/* spill.c - temporary files: one in each directory, without a name, so that nothing is left behind
 * however the process ends. Runs lie in them one behind the other. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WRITE_MOST = 1 << 30,
    FILE_BLOCK = USW_EXT_PAGE,
    TRIAL_BYTES = 64 << 20,
    SLOW = 200 << 20 /* bytes a second, which the page cache takes on any machine */
};

/* Where files cannot be made without a name, one is made and its name removed at once. */
static int make_file(const char *directory)
{
    int fd;
    do {
        fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT &&
                    errno != ENOSYS)) {
        return fd;
    }
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s/upsweep-XXXXXX", directory) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) {
        (void)unlink(name);
    }
    return fd;
}

int usw_ext_open_again(int fd, int flags)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return open(name, flags | O_CLOEXEC);
}

static void open_direct(const upsweep_external *x, usw_ext_file *f)
{
    f->direct = x->direct ? usw_ext_open_again(f->fd, O_RDWR | O_DIRECT) : -1;
#ifdef POSIX_FADV_RANDOM
    if (f->direct >= 0) { /* what is read through the cache then is the beginning of a block */
        (void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
    }
#endif
}

/* A directory's file, made when it is first wanted; false: it cannot be. */
static bool has_file(const upsweep_external *x, usw_ext_file *f)
{
    if (f->fd < 0) {
        f->fd = make_file(f->directory);
        if (f->fd >= 0) {
            open_direct(x, f);
        }
    }
    return f->fd >= 0;
}

/* Which directory is next: of several the first one, by turns, that has the room, which is set
 * aside there; where none has, that whose turn it is, and the write will say so. */
static unsigned next_file(upsweep_external *x, uint64_t bytes)
{
    unsigned first = x->next_file, i = 0;
    for (; x->file_count > 1 && i < x->file_count; i++) {
        usw_ext_file *f = &x->files[(first + i) % x->file_count];
        if (!has_file(x, f) || bytes == 0 ||
            fallocate(f->fd, 0, (off_t)f->size, (off_t)bytes) == 0 || errno != ENOSPC) {
            break;
        }
    }
    unsigned number = (first + i) % x->file_count;
    x->next_file = (number + 1) % x->file_count;
    return number;
}

upsweep_status usw_ext_place(upsweep_external *x, uint64_t bytes, unsigned *file, uint64_t *at)
{
    bytes = (bytes + FILE_BLOCK - 1) / FILE_BLOCK * FILE_BLOCK; /* so that all of it can go */
    pthread_mutex_lock(&x->lock);
    unsigned number = next_file(x, bytes);
    usw_ext_file *f = &x->files[number];
    bool made = has_file(x, f);
    int error = errno;
    *file = number;
    *at = f->size;
    f->size += bytes;
    pthread_mutex_unlock(&x->lock);
    /* Behind the end of a file writers wait for one another, so blocks are set aside. Where there
     * is no room, the write will say so. */
    if (made && x->file_count == 1 && f->direct >= 0 && bytes > 0) {
        (void)fallocate(f->fd, 0, (off_t)*at, (off_t)bytes);
    }
    return made ? UPSWEEP_OK
                : usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s: no temporary file can be made: %s",
                               f->directory, strerror(error));
}

int usw_ext_write_all(int fd, const void *from, size_t bytes, int64_t at)
{
    const unsigned char *p = from;
    while (bytes > 0) {
        size_t step = usw_min(bytes, WRITE_MOST);
        ssize_t n = at < 0 ? write(fd, p, step) : pwrite(fd, p, step, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n == 0 ? ENOSPC : errno;
        }
        p += n;
        bytes -= (size_t)n;
        at += at < 0 ? 0 : n;
    }
    return 0;
}

/* Past the page cache, and a look whether that pays: a disk may be slower than its cache. */
static int write_pages(upsweep_external *x, const usw_ext_file *f, const void *from, size_t bytes,
                       uint64_t at)
{
    USW_EXT_ROUTE("pages of a run past the page cache");
    double begin = usw_ext_seconds();
    int error = usw_ext_write_all(f->direct, from, bytes, (int64_t)at);
    pthread_mutex_lock(&x->lock);
    x->direct_bytes += bytes;
    x->direct_seconds += usw_ext_seconds() - begin;
    if (x->direct_bytes >= TRIAL_BYTES &&
        (double)x->direct_bytes * x->workers < SLOW * x->direct_seconds) {
        atomic_store(&x->slow, true);
    }
    pthread_mutex_unlock(&x->lock);
    return error;
}

upsweep_status usw_ext_write(upsweep_external *x, unsigned file, const void *from, size_t bytes,
                             uint64_t at)
{
    const usw_ext_file *f = &x->files[file];
    bool pages = ((uintptr_t)from | at | bytes) % FILE_BLOCK == 0;
    double begin = usw_ext_seconds();
    int error = EINVAL;
    if (pages && f->direct >= 0 && !atomic_load(&x->slow)) {
        error = write_pages(x, f, from, bytes, at);
    }
    if (error == EINVAL) { /* as a file system says that cannot do it after all */
        error = usw_ext_write_all(f->fd, from, bytes, (int64_t)at);
    }
    if (error != 0) {
        return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s: a temporary file cannot be written: %s",
                            f->directory, strerror(error));
    }
    uint64_t held = atomic_fetch_add(&x->held, bytes) + bytes;
    double seconds = usw_ext_seconds() - begin;
    pthread_mutex_lock(&x->lock);
    usw_packing_note_write(&x->packing, bytes, seconds);
    x->report.written += bytes;
    x->report.temporary = held > x->report.temporary ? held : x->report.temporary;
    pthread_mutex_unlock(&x->lock);
    return UPSWEEP_OK;
}

upsweep_status usw_ext_read(upsweep_external *x, unsigned file, void *to, size_t bytes, uint64_t at)
{
    const usw_ext_file *f = &x->files[file];
    unsigned char *p = to;
    while (bytes > 0) {
        ssize_t n = pread(f->fd, p, usw_min(bytes, WRITE_MOST), (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            bool source = f->directory == NULL;
            return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s%s cannot be read%s: %s",
                                source ? "" : f->directory,
                                source ? "the input" : ": a temporary file", source ? " again" : "",
                                n < 0 ? strerror(errno) : "it ends too early");
        }
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return UPSWEEP_OK;
}

void usw_ext_fetch(const upsweep_external *x, unsigned file, uint64_t at, size_t bytes)
{
#ifdef POSIX_FADV_WILLNEED
    if (x->files[file].direct < 0) { /* the page cache has them */
        return;
    }
    (void)posix_fadvise(x->files[file].fd, (off_t)at, (off_t)bytes, POSIX_FADV_WILLNEED);
#else
    (void)x, (void)file, (void)at, (void)bytes;
#endif
}

upsweep_status usw_ext_read_pages(upsweep_external *x, unsigned file, unsigned char *to,
                                  size_t bytes, uint64_t at)
{
    int fd = x->files[file].direct;
    size_t before = (size_t)(at % FILE_BLOCK), got = 0;
    size_t all = (before + bytes + FILE_BLOCK - 1) / FILE_BLOCK * FILE_BLOCK;
    while (fd >= 0 && !atomic_load(&x->slow) && got < before + bytes) {
        ssize_t n = pread(fd, to - before + got, usw_min(all - got, WRITE_MOST),
                          (off_t)(at - before + got));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0 || n % FILE_BLOCK != 0) { /* the cache reads it, or says why it cannot */
            got += n > 0 ? (size_t)n : 0;
            break;
        }
        got += (size_t)n;
    }
    return got >= before + bytes ? UPSWEEP_OK : usw_ext_read(x, file, to, bytes, at);
}

/* All before `end` is done with, so that a block of the file system goes once its last byte is. One
 * that cannot do it keeps the bytes until the file is closed. */
void usw_ext_give_back(upsweep_external *x, const usw_ext_run *run, uint64_t begin, uint64_t end)
{
    if (usw_ext_in_source(run)) {
        return;
    }
    uint64_t from = (run->at + begin) / FILE_BLOCK * FILE_BLOCK;
    uint64_t to =
        (run->at + end + (end == run->stored ? FILE_BLOCK - 1 : 0)) / FILE_BLOCK * FILE_BLOCK;
    if (from < to && fallocate(x->files[run->file].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                               (off_t)from, (off_t)(to - from)) == 0) {
        atomic_fetch_sub(&x->held, end - begin);
    }
}

void usw_ext_give_rest(upsweep_external *x, unsigned file, uint64_t from, uint64_t to)
{
    to = (to + FILE_BLOCK - 1) / FILE_BLOCK * FILE_BLOCK;
    if (from < to) {
        (void)fallocate(x->files[file].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                        (off_t)(to - from));
    }
}

void usw_ext_close_files(upsweep_external *x)
{
    for (unsigned i = 0; i < x->source_count; i++) {
        close(x->files[USW_EXT_FOLDERS + i].fd);
    }
    for (unsigned i = 0; i < x->file_count; i++) {
        if (x->files[i].fd >= 0) {
            close(x->files[i].fd);
            if (x->files[i].direct >= 0) {
                close(x->files[i].direct);
            }
        }
        free(x->files[i].directory);
    }
}

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

enum { WRITE_MOST = 1 << 30, FILE_BLOCK = 4096 };

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

upsweep_status usw_ext_place(upsweep_external *x, uint64_t bytes, unsigned *file, uint64_t *at)
{
    pthread_mutex_lock(&x->lock);
    unsigned number = x->next_file;
    usw_ext_file *f = &x->files[number];
    x->next_file = (number + 1) % x->file_count;
    if (f->fd < 0) {
        f->fd = make_file(f->directory);
    }
    int error = errno;
    bool made = f->fd >= 0;
    *file = number;
    *at = f->size;
    f->size += (bytes + FILE_BLOCK - 1) / FILE_BLOCK * FILE_BLOCK; /* so that all of it can go */
    pthread_mutex_unlock(&x->lock);
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

upsweep_status usw_ext_write(upsweep_external *x, unsigned file, const void *from, size_t bytes,
                             uint64_t at)
{
    const usw_ext_file *f = &x->files[file];
    int error = usw_ext_write_all(f->fd, from, bytes, (int64_t)at);
    if (error != 0) {
        return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s: a temporary file cannot be written: %s",
                            f->directory, strerror(error));
    }
    uint64_t held = atomic_fetch_add(&x->held, bytes) + bytes;
    pthread_mutex_lock(&x->lock);
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
            return usw_ext_fail(x, UPSWEEP_ERROR_FILE, "%s: a temporary file cannot be read: %s",
                                f->directory, n < 0 ? strerror(errno) : "it ends too early");
        }
        p += n;
        at += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return UPSWEEP_OK;
}

/* All before `end` is done with, so that a block of the file system goes once its last byte is. One
 * that cannot do it keeps the bytes until the file is closed. */
void usw_ext_give_back(upsweep_external *x, const usw_ext_run *run, uint64_t begin, uint64_t end)
{
    uint64_t from = (run->at + begin) / FILE_BLOCK * FILE_BLOCK;
    uint64_t to =
        (run->at + end + (end == run->raw ? FILE_BLOCK - 1 : 0)) / FILE_BLOCK * FILE_BLOCK;
    if (from < to && fallocate(x->files[run->file].fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                               (off_t)from, (off_t)(to - from)) == 0) {
        atomic_fetch_sub(&x->held, end - begin);
    }
}

void usw_ext_close_files(upsweep_external *x)
{
    for (unsigned i = 0; i < x->file_count; i++) {
        if (x->files[i].fd >= 0) {
            close(x->files[i].fd);
        }
        free(x->files[i].directory);
    }
}

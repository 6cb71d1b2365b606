/* place.c - link and rename; or, where the target is to stay the file it is, copying. */
/* SPDX-License-Identifier: MIT */
#include "io/place.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void io_place_name(io_output *out, unsigned k)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *p = out->target; *p != '\0'; p++) {
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    }
    snprintf(out->moment, sizeof out->moment, ".upsweep-%016llx-%u", (unsigned long long)hash, k);
}

bool io_place_hold(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* The lock belongs to the open file: the parent and the keeper have it together, and it ends with
 * the last of them. */
bool io_place_clean(const io_output *out)
{
    /* Step replace_file/clean of proofs/models. */
    int fd = openat(out->directory, out->moment, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    bool left = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                unlinkat(out->directory, out->moment, 0) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return left;
}

static int link_file(const io_output *out, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd);
    /* Step replace_file/link of proofs/models. */
    if (linkat(AT_FDCWD, path, out->directory, name, AT_SYMLINK_FOLLOW) == 0) {
        return 0;
    }
    /* Without /proc; most systems allow it to few. */
    return errno == ENOENT ? linkat(out->fd, "", out->directory, name, AT_EMPTY_PATH) : -1;
}

/* Whether the name is one of our file. */
static bool is_ours(const io_output *out, const char *name)
{
    struct stat own, other;
    return fstat(out->fd, &own) == 0 &&
           fstatat(out->directory, name, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* A name for the moment: one that the file has already, or else a new one. Returns 0 or errno. */
static int name_for_the_moment(io_output *out)
{
    int error = EEXIST;
    for (unsigned k = 0; k < IO_PLACE_NAMES; k++) {
        io_place_name(out, k);
        if (is_ours(out, out->moment)) {
            return 0;
        }
    }
    for (unsigned k = 0; k < IO_PLACE_NAMES && error == EEXIST; k++) {
        io_place_name(out, k);
        error = link_file(out, out->moment) == 0 ? 0 : errno;
        if (error == EEXIST && io_place_clean(out)) {
            error = link_file(out, out->moment) == 0 ? 0 : errno;
        }
    }
    return error;
}

/* A new name is taken in one step; only a target that exists needs two. A rename of one name of a
 * file over another one of the same file does nothing and succeeds, so that the name for the moment
 * must go by itself then. */
static int link_and_rename(io_output *out)
{
    /* Step replace_file/find of proofs/models. */
    if (is_ours(out, out->target)) {
        return 0;
    }
    if (!out->named) {
        struct stat own;
        if (fstat(out->fd, &own) == 0 && own.st_nlink == 0) {
            if (link_file(out, out->target) == 0) {
                return 0;
            }
            if (errno != EEXIST) {
                return errno;
            }
        }
        int error = name_for_the_moment(out);
        if (error != 0) {
            return error;
        }
    }
    int error = 0;
    /* Step replace_file/rename of proofs/models. */
    if (renameat(out->directory, out->moment, out->directory, out->target) != 0) {
        error = errno;
    }
    if (is_ours(out, out->moment)) {
        (void)unlinkat(out->directory, out->moment, 0);
    }
    return error;
}

int io_scratch_file(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    char name[PATH_MAX];
    if (fd < 0 && snprintf(name, sizeof name, "%s/.upsweep-XXXXXX", directory) < PATH_MAX) {
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0) {
            (void)unlink(name);
        }
    }
    return fd;
}

/* From the start of one file to the start of the other, within the kernel where it can. */
static int copy_bytes(int from, int to, off_t size)
{
    static char block[1 << 16];
    bool kernel = true;
    for (off_t at = 0; at < size;) {
        off_t in = at, there = at;
        ssize_t n = kernel ? copy_file_range(from, &in, to, &there, (size_t)(size - at), 0) : 0;
        if (kernel && n <= 0 && (n == 0 || errno != EINTR)) {
            kernel = false;
            continue;
        }
        if (!kernel) {
            n = pread(from, block, sizeof block, at);
            n = n > 0 ? pwrite(to, block, (size_t)n, at) : n;
            if (n == 0) {
                return EIO;
            }
        }
        if (n < 0 && errno != EINTR) {
            return errno;
        }
        at += n > 0 ? n : 0;
    }
    return 0;
}

/* Room for all bytes is there before the first one is written, where the file system can promise
 * it. */
static int copy_over(const io_output *out)
{
    struct stat new, old;
    if (fstat(out->fd, &new) != 0 || fstat(out->over, &old) != 0) {
        return errno;
    }
    if (new.st_size > 0 && fallocate(out->over, FALLOC_FL_KEEP_SIZE, 0, new.st_size) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        int error = errno;
        (void)!ftruncate(out->over, old.st_size); /* gives back what was set aside */
        return error;
    }
    int error = copy_bytes(out->fd, out->over, new.st_size);
    if (error == 0 && (ftruncate(out->over, new.st_size) != 0 || fsync(out->over) != 0)) {
        error = errno;
    }
    return error;
}

void io_place_set_aside(const io_output *out, size_t bytes)
{
    enum { LEAST = 8 << 20 };
    if (!out->plain && out->packer == NULL && out->over < 0 && bytes >= LEAST) {
        (void)fallocate(out->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes);
    }
}

int io_place_put(io_output *out)
{
    return out->over >= 0 ? copy_over(out) : link_and_rename(out);
}

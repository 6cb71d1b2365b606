/* output.c - opens, writes, and puts in place; what the keeper does is in keeper.c. */
/* SPDX-License-Identifier: MIT */
#include "io/output.h"

#include "io/keeper.h"
#include "io/place.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { WRITE_MAX = 1 << 30, EARLY_BYTES = 8 << 20 };

static int close_fd(int *fd)
{
    int status = *fd >= 0 ? close(*fd) : 0;
    *fd = -1;
    return status;
}

/* Follows symbolic links by hand, since the last one may point to what does not exist yet. path has
 * PATH_MAX bytes. */
static int follow(char *path)
{
    for (int links = 0; links < 40; links++) {
        char to[PATH_MAX], from[PATH_MAX], joined[2 * PATH_MAX];
        ssize_t n = readlink(path, to, sizeof to - 1);
        if (n < 0) {
            return errno == EINVAL || errno == ENOENT ? 0 : -1;
        }
        to[n] = '\0';
        memcpy(from, path, PATH_MAX);
        int bytes = to[0] == '/' ? snprintf(joined, sizeof joined, "%s", to)
                                 : snprintf(joined, sizeof joined, "%s/%s", dirname(from), to);
        if (bytes >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(path, joined, (size_t)bytes + 1);
    }
    errno = ELOOP;
    return -1;
}

/* Opens the target's directory and splits off its name. */
static int open_directory(io_output *out, const char *name)
{
    char path[PATH_MAX], copy[PATH_MAX];
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof path || name[length - 1] == '/') {
        errno = length == 0 ? ENOENT : length >= sizeof path ? ENAMETOOLONG : EISDIR;
        return -1;
    }
    memset(path, 0, sizeof path);
    memcpy(path, name, length);
    if (follow(path) != 0) {
        return -1;
    }
    memcpy(copy, path, sizeof copy);
    const char *base = basename(copy);
    size_t bytes = strlen(base);
    if (bytes > NAME_MAX || bytes == 0) {
        errno = bytes == 0 ? ENOENT : ENAMETOOLONG;
        return -1;
    }
    memcpy(out->target, base, bytes + 1);
    const char *directory = dirname(path);
    out->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->directory < 0 && errno == EACCES) { /* to be passed through, not read */
        out->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    return out->directory < 0 ? -1 : 0;
}

/* Access lists and whatever else is attached to the old file; what cannot be copied is let go. */
static void copy_attributes(int from, int to)
{
    char names[4096], value[4096];
    ssize_t size = flistxattr(from, names, sizeof names);
    for (ssize_t i = 0; i < size; i += (ssize_t)strlen(names + i) + 1) {
        ssize_t bytes = fgetxattr(from, names + i, value, sizeof value);
        if (bytes >= 0) {
            (void)fsetxattr(to, names + i, value, (size_t)bytes, 0);
        }
    }
}

/* False if the new file cannot be made like the old one. */
static bool copy_mode(const io_output *out, const struct stat *old)
{
    struct stat new;
    bool same = fstat(out->fd, &new) == 0 && new.st_uid == old->st_uid &&new.st_gid == old->st_gid;
    if (!same && fchown(out->fd, old->st_uid, old->st_gid) != 0) {
        return false;
    }
    (void)fchmod(out->fd, old->st_mode & 07777);
    copy_attributes(out->over, out->fd);
    return true;
}

/* Holds a named file: 1 if it is ours alone, 0 if another process has taken it for one that was
 * left behind and takes its name away, -1 after a failure, when the name is gone as well. */
static int hold(const io_output *out)
{
    struct stat status;
    if (!io_place_hold(out->fd)) {
        return 0;
    }
    if (fstat(out->fd, &status) == 0) {
        return status.st_nlink == 1;
    }
    int error = errno;
    (void)unlinkat(out->directory, out->moment, 0);
    errno = error;
    return -1;
}

/* A file without a name, or else one that has a name for the moment. */
static int open_unnamed(io_output *out)
{
    errno = EOPNOTSUPP;
    out->fd = out->shared ? -1 : openat(out->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (out->fd >= 0) {
        (void)io_place_hold(out->fd);
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT &&
        errno != ENOSYS) {
        return -1;
    }
    /* Step replace_file/open of proofs/models. */
    for (unsigned k = 0; k < IO_PLACE_NAMES && !out->named; k++) {
        io_place_name(out, k);
        out->fd = openat(out->directory, out->moment, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (out->fd < 0 && errno != EEXIST) {
            return -1;
        }
        int held = out->fd >= 0 ? hold(out) : 0;
        out->named = held > 0;
        if (!out->named) {
            int error = errno;
            close_fd(&out->fd);
            errno = error;
        }
        if (held < 0) {
            return -1;
        }
    }
    return out->named ? 0 : -1;
}

static int open_scratch(io_output *out)
{
    const char *asked = getenv("TMPDIR");
    out->fd = io_scratch_file(asked != NULL && *asked != '\0' ? asked : "/tmp");
    return out->fd < 0 ? -1 : 0;
}

/* What earlier outputs to this target left behind when they were killed. */
static void clean(io_output *out)
{
    enum { LIKELY = 4 };
    for (unsigned k = 0; k < LIKELY; k++) {
        io_place_name(out, k);
        (void)io_place_clean(out);
    }
}

/* A target that does not exist, or is to be replaced. */
static int open_beside(io_output *out, const struct stat *old)
{
    clean(out);
    if (open_unnamed(out) != 0) {
        return -1;
    }
    if (old != NULL && !copy_mode(out, old)) {
        io_keeper_end(out); /* a named file is removed */
        close_fd(&out->fd);
        errno = EPERM;
        return -1;
    }
    return 0;
}

/* A target that exists is opened, whatever is done with it then: whoever may not write to it may
 * not replace it either. */
static int open_target(io_output *out, const char *name, const struct stat *old)
{
    if (open_directory(out, name) != 0) {
        return -1;
    }
    if (old == NULL) {
        return open_beside(out, NULL);
    }
    out->over = openat(out->directory, out->target, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (out->over < 0 && errno == EACCES) { /* to be written, not read */
        out->over = openat(out->directory, out->target, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (out->over < 0 && errno != ETXTBSY) { /* a program that runs can only be replaced */
        return -1;
    }
    if (old->st_nlink == 1 && open_beside(out, old) == 0) {
        close_fd(&out->over);
        return 0;
    }
    if (out->shared) { /* what is collected elsewhere others would not find */
        errno = old->st_nlink > 1 ? EMLINK : errno;
        return -1;
    }
    bool other = old->st_nlink > 1 || errno == EACCES || errno == EPERM || errno == EROFS;
    return other && out->over >= 0 ? open_scratch(out) : -1;
}

/* A name of what the process, and maybe its parent, has open: that stays the file it is. */
static bool is_descriptor(const char *name)
{
    return strncmp(name, "/dev/fd/", 8) == 0 || strncmp(name, "/dev/std", 8) == 0 ||
           strncmp(name, "/proc/self/fd/", 14) == 0;
}

static int open_descriptor(io_output *out, const char *name)
{
    out->over = open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    return out->over < 0 ? -1 : open_scratch(out);
}

static int open_as(io_output *out, const char *name, bool shared, io_error *error)
{
    *out = (io_output){.name = "standard output",
                       .fd = STDOUT_FILENO,
                       .is_stdout = true,
                       .plain = true,
                       .shared = shared,
                       .directory = -1,
                       .over = -1,
                       .keeper = -1,
                       .to_keeper = -1,
                       .from_keeper = -1};
    if (name == NULL || strcmp(name, "-") == 0) {
        return 0;
    }
    out->name = name;
    out->is_stdout = false;
    struct stat old;
    bool exists = stat(name, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) {
        errno = S_ISDIR(old.st_mode) ? EISDIR : ESPIPE;
        out->fd = shared ? -1 : open(name, O_WRONLY | O_CLOEXEC);
        return out->fd < 0 ? io_fail(error, name, "cannot be written") : 0;
    }
    out->plain = false;
    out->fd = -1;
    bool open = exists && !shared && is_descriptor(name);
    if ((open ? open_descriptor(out, name) : open_target(out, name, exists ? &old : NULL)) != 0) {
        io_fail(error, name, exists ? "cannot be written" : "cannot be made");
        io_output_discard(out);
        return -1;
    }
    io_keeper_start(out);
    return 0;
}

int io_output_open(io_output *out, const char *name, io_error *error)
{
    return open_as(out, name, false, error);
}

int io_output_open_shared(io_output *out, const char *name, char path[PATH_MAX], io_error *error)
{
    char link[64];
    if (open_as(out, name, true, error) != 0) {
        return -1;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", out->directory);
    ssize_t bytes = readlink(link, path, PATH_MAX - 1);
    if (bytes < 0 || (size_t)bytes + 1 + strlen(out->moment) >= PATH_MAX) {
        errno = bytes < 0 ? errno : ENAMETOOLONG;
        io_fail(error, name, "has no path that other processes could open");
        io_output_discard(out);
        return -1;
    }
    snprintf(path + bytes, PATH_MAX - (size_t)bytes, "/%s", out->moment);
    return 0;
}

static int write_plain(io_output *out, const void *bytes, size_t size, io_error *error)
{
    const char *p = bytes;
    out->tried += size;
    while (size > 0) {
        ssize_t n = write(out->fd, p, size < WRITE_MAX ? size : WRITE_MAX);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return io_fail(error, out->name,
                           out->over < 0 ? "cannot be written"
                                         : "its new bytes cannot be collected in $TMPDIR or /tmp");
        }
        p += n;
        size -= (size_t)n;
        out->written += (size_t)n;
    }
    if (!out->plain && out->over < 0 && out->written - out->synced >= EARLY_BYTES) {
        /* The disk starts now, and fsync will have less to wait for. */
        (void)sync_file_range(out->fd, (off_t)out->synced, (off_t)(out->written - out->synced),
                              SYNC_FILE_RANGE_WRITE);
        out->synced = out->written;
    }
    return 0;
}

/* ---- what is packed on its way ---- */

typedef struct packing_of {
    io_output *out;
    io_error *error;
    bool failed; /* and error says why */
} packing_of;

static int take_packed(void *context, const void *bytes, size_t size)
{
    packing_of *p = context;
    int status = write_plain(p->out, bytes, size, p->error);
    p->failed = status != 0;
    return status;
}

int io_output_pack(io_output *out, io_packing packing, int level, unsigned threads, io_error *error)
{
    out->packer = io_packer_new(packing, level, threads);
    if (out->packer == NULL) {
        errno = ENOMEM;
        return io_fail(error, out->name, "cannot be compressed");
    }
    return 0;
}

static int end_of(const packing_of *p, int status)
{
    bool told = status == 0 || p->failed;
    return told ? status : io_fail(p->error, p->out->name, "cannot be compressed");
}

int io_output_write(io_output *out, const void *bytes, size_t size, io_error *error)
{
    packing_of p = {out, error, false};
    return out->packer == NULL
               ? write_plain(out, bytes, size, error)
               : end_of(&p, io_packer_add(out->packer, bytes, size, take_packed, &p));
}

int io_output_commit(io_output *out, io_error *error)
{
    packing_of p = {out, error, false};
    int status = out->packer == NULL ? 0 : io_packer_end(out->packer, take_packed, &p);
    if (status != 0) {
        status = end_of(&p, status);
        io_output_discard(out);
        return status;
    }
    io_packer_free(out->packer);
    out->packer = NULL;
    if (out->plain) {
        if (!out->is_stdout && close_fd(&out->fd) != 0) {
            return io_fail(error, out->name, "cannot be written");
        }
        return 0;
    }
    /* Step replace_file/sync of proofs/models. */
    if (out->over < 0 && fsync(out->fd) != 0) {
        status = io_fail(error, out->name, "cannot be written");
    } else if (io_keeper_commit(out) != 0) {
        status = io_fail(error, out->name,
                         out->over < 0 ? "cannot be put in place" : "cannot be written over");
    } else if (out->over < 0 && fsync(out->directory) != 0 && errno != EINVAL && errno != EBADF) {
        status = io_fail(error, out->name, "is in place, but its directory is not synced");
    }
    io_output_discard(out);
    return status;
}

void io_output_discard(io_output *out)
{
    io_packer_free(out->packer);
    out->packer = NULL;
    if (!out->plain) {
        io_keeper_end(out);
        close_fd(&out->fd);
        close_fd(&out->over);
        close_fd(&out->directory);
    } else if (!out->is_stdout) {
        close_fd(&out->fd);
    }
}

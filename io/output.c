/* output.c - opens, writes, and puts in place; what the keeper does is in keeper.c. */
#include "output.h"

#include "keeper.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { WRITE_MAX = 1 << 30, EARLY_BYTES = 8 << 20 };

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
    if (strlen(name) >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(path, 0, sizeof path);
    memcpy(path, name, strlen(name));
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
    out->directory = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

static void copy_mode(const io_output *out, const struct stat *old)
{
    mode_t mode = old->st_mode & 07777;
    if (fchown(out->fd, old->st_uid, old->st_gid) != 0 && fchown(out->fd, (uid_t)-1, old->st_gid)) {
        mode &= 0777; /* not for the owner or group it was meant for */
    }
    (void)fchmod(out->fd, mode);
    int from = openat(out->directory, out->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (from >= 0) {
        copy_attributes(from, out->fd);
        close(from);
    }
}

/* A file without a name, or else one with a random name. */
static int open_unnamed(io_output *out)
{
    out->fd = openat(out->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (out->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
                         errno != ENOENT && errno != ENOSYS)) {
        return out->fd < 0 ? -1 : 0;
    }
    for (int tries = 0; tries < 100; tries++) {
        io_keeper_name(out);
        out->fd = openat(out->directory, out->moment, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (out->fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    out->named = out->fd >= 0;
    return out->fd < 0 ? -1 : 0;
}

int io_output_open(io_output *out, const char *name, io_error *error)
{
    *out = (io_output){.name = "standard output",
                       .fd = STDOUT_FILENO,
                       .is_stdout = true,
                       .plain = true,
                       .directory = -1,
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
        out->fd = open(name, O_WRONLY | O_CLOEXEC);
        return out->fd < 0 ? io_fail(error, name, "cannot be written") : 0;
    }
    out->plain = false;
    if (exists && access(name, W_OK) != 0) {
        return io_fail(error, name, "cannot be written");
    }
    if (open_directory(out, name) != 0 || open_unnamed(out) != 0) {
        io_fail(error, name, "cannot be made");
        io_output_discard(out);
        return -1;
    }
    if (exists) {
        copy_mode(out, &old);
    }
    io_keeper_start(out);
    return 0;
}

int io_output_write(io_output *out, const void *bytes, size_t size, io_error *error)
{
    const char *p = bytes;
    while (size > 0) {
        ssize_t n = write(out->fd, p, size < WRITE_MAX ? size : WRITE_MAX);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return io_fail(error, out->name, "cannot be written");
        }
        p += n;
        size -= (size_t)n;
        out->written += (size_t)n;
    }
    if (!out->plain && out->written - out->synced >= EARLY_BYTES) {
        /* The disk starts now, and fsync will have less to wait for. */
        (void)sync_file_range(out->fd, (off_t)out->synced, (off_t)(out->written - out->synced),
                              SYNC_FILE_RANGE_WRITE);
        out->synced = out->written;
    }
    return 0;
}

static int close_fd(int *fd)
{
    int status = *fd >= 0 ? close(*fd) : 0;
    *fd = -1;
    return status;
}

int io_output_commit(io_output *out, io_error *error)
{
    int status = 0;
    if (out->plain) {
        if (!out->is_stdout && close_fd(&out->fd) != 0) {
            return io_fail(error, out->name, "cannot be written");
        }
        return 0;
    }
    if (fsync(out->fd) != 0) {
        status = io_fail(error, out->name, "cannot be written");
    } else if (io_keeper_commit(out) != 0) {
        status = io_fail(error, out->name, "cannot be put in place");
    } else if (fsync(out->directory) != 0 && errno != EINVAL) {
        status = io_fail(error, out->name, "is in place, but its directory is not synced");
    }
    io_output_discard(out);
    return status;
}

void io_output_discard(io_output *out)
{
    if (!out->plain) {
        io_keeper_end(out);
        close_fd(&out->fd);
        close_fd(&out->directory);
    } else if (!out->is_stdout) {
        close_fd(&out->fd);
    }
}

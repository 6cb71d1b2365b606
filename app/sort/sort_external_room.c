/* sort_external_room.c - the memory that a sort beyond memory may take, where its temporary files
 * go, and whether they and the output have room on the disk. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"
#include "app/quote.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { RESERVE = 2560 << 10 /* what the program touches later, besides the library's memory */ };

size_t sort_external_room(const sort_job *job)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f != NULL) {
        if (fscanf(f, "%*u %llu", &pages) != 1) {
            pages = 0;
        }
        fclose(f);
    }
    size_t now = pages == 0 ? (size_t)8 << 20 : (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    size_t taken = now + RESERVE + sort_packing_bytes(job), least = (size_t)4 << 20;
    return job->limit > taken + least ? job->limit - taken : least;
}

uint64_t sort_external_bytes(const sort_job *job)
{
    const app_common *common = &job->task->common;
    uint64_t bytes = 0;
    struct stat status;
    for (size_t i = 0; i < common->operand_count; i++) {
        const char *name = common->operands[i];
        bool known =
            strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &status) == 0 : stat(name, &status) == 0;
        bytes += known && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    }
    if (common->operand_count == 0 && fstat(STDIN_FILENO, &status) == 0 &&
        S_ISREG(status.st_mode)) {
        bytes = (uint64_t)status.st_size;
    }
    return bytes;
}

const char *const *sort_external_directories(const sort_job *job, const char **one, size_t *count)
{
    const char *asked = getenv("TMPDIR");
    if (job->task->temporary_count > 0) {
        *count = job->task->temporary_count;
        return job->task->temporary;
    }
    *one = asked != NULL && *asked != '\0' ? asked : "/tmp";
    *count = 1;
    return one;
}

/* Where the output is a file of whose size one knows: its file system, and what is free there. */
static bool output_room(const sort_job *job, const io_output *out, dev_t *device, uint64_t *room)
{
    struct stat status;
    struct statvfs there;
    bool known = !job->order->unique && out->packer == NULL && fstat(out->fd, &status) == 0 &&
                 S_ISREG(status.st_mode) && fstatvfs(out->fd, &there) == 0;
    *device = known ? status.st_dev : 0;
    *room = known ? (uint64_t)there.f_bavail * there.f_frsize : 0;
    return known;
}

static int fail_room(const char *what, const char *where, const char *rest, uint64_t need,
                     uint64_t room)
{
    return app_fail("%s%s: %s need%s %llu MB, and there are %llu MB left%s", where, rest, what,
                    strcmp(what, "the output") == 0 ? "s" : "",
                    (unsigned long long)(need >> 20) + 1, (unsigned long long)(room >> 20),
                    strcmp(what, "the output") == 0 ? "" : "; -T names another directory");
}

int sort_fail_temporary(const char *directory)
{
    return app_fail("cannot create temporary file in %s: %s", app_quote_always(directory),
                    strerror(errno));
}

static bool is_folder(const struct stat *status)
{
    errno = ENOTDIR;
    return S_ISDIR(status->st_mode);
}

/* Temporary files need as much as the input has, and the output as much again. Where both lie on
 * one file system they share it, since runs are given back while the output grows, all but the
 * blocks that are at work. */
static int check_room(const sort_job *job, const char *const *directories, size_t count,
                      const io_output *out)
{
    uint64_t need = sort_external_bytes(job), room = 0, out_room;
    dev_t seen[64], device;
    size_t systems = 0;
    bool known = output_room(job, out, &device, &out_room), shared = known;
    for (size_t i = 0; i < count; i++) {
        struct statvfs there;
        struct stat status;
        if (statvfs(directories[i], &there) != 0 || stat(directories[i], &status) != 0 ||
            !is_folder(&status) || euidaccess(directories[i], W_OK | X_OK) != 0) {
            return sort_fail_temporary(directories[i]);
        }
        bool again = false;
        for (size_t k = 0; k < systems; k++) {
            again |= seen[k] == status.st_dev;
        }
        room += again ? 0 : (uint64_t)there.f_bavail * there.f_frsize;
        shared &= status.st_dev == device;
        if (!again && systems < sizeof seen / sizeof *seen) {
            seen[systems++] = status.st_dev;
        }
    }
    const char *rest = count > 1 ? ", ..." : "";
    uint64_t both = need + need / 20;
    if ((shared ? both : need) > room) {
        return fail_room(shared ? "temporary files and the output" : "temporary files",
                         directories[0], rest, shared ? both : need, room);
    }
    return !known || need <= out_room ? APP_OK
                                      : fail_room("the output", out->name, "", need, out_room);
}

int sort_external_config(const sort_job *job, upsweep_external_config *config, const char **one,
                         const io_output *out)
{
    config->directories = sort_external_directories(job, one, &config->directory_count);
    config->limit = sort_external_room(job);
    config->threads = job->threads;
    config->unique = job->order->unique;
    return check_room(job, config->directories, config->directory_count, out);
}

void sort_external_source(upsweep_external *x, const io_stream *s, uint64_t back,
                          const io_output *out)
{
    uint64_t at = 0;
    struct stat from, to;
    int fd = io_stream_place(s, back, &at);
    if (fd >= 0 && out->plain) {
        bool known = fstat(fd, &from) == 0 && fstat(out->fd, &to) == 0 && S_ISREG(to.st_mode);
        bool same = known && from.st_dev == to.st_dev && from.st_ino == to.st_ino;
        fd = known && !same ? fd : -1;
    }
    (void)upsweep_external_source(x, fd, at);
}

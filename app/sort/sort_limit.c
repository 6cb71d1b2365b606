/* sort_limit.c - how much memory `upsweep sort` may take, and what is likely to fit. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEAST = 16 << 20, /* less counts as this */
    SAMPLE = 64 << 10,
    PROGRAM = 8 << 20, /* of the limit, for the program itself */
    PACKED = 6         /* times its size is what a compressed file unpacks to, mostly */
};

static size_t memory_free(void)
{
    FILE *f = fopen("/proc/meminfo", "re");
    char line[256];
    unsigned long long kilobytes = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) {
            break;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return kilobytes == 0 ? SIZE_MAX / 2 : (size_t)kilobytes << 10;
}

size_t sort_memory_limit(const sort_task *task)
{
    if (task->memory_limit != 0) {
        return task->memory_limit < LEAST ? LEAST : task->memory_limit;
    }
    size_t free = memory_free(), room = io_memory_room();
    size_t least = free < room ? free : room;
    least = least / 10 * 7;
    return least < LEAST ? LEAST : least;
}

/* The beginning of a regular file; false where the name is none. */
static bool look_at(const char *name, unsigned char *bytes, size_t *got, uint64_t *size)
{
    struct stat status;
    bool is_stdin = strcmp(name, "-") == 0;
    if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(name, &status)) != 0 ||
        !S_ISREG(status.st_mode)) {
        return false;
    }
    int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    off_t from = is_stdin ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t n = fd < 0 || from < 0 ? -1 : pread(fd, bytes, SAMPLE, from);
    if (fd >= 0 && !is_stdin) {
        close(fd);
    }
    *got = n > 0 ? (size_t)n : 0;
    *size = from >= 0 && status.st_size > from ? (uint64_t)(status.st_size - from) : 0;
    return n >= 0;
}

static size_t lines_in(const unsigned char *p, size_t size, int end)
{
    const unsigned char *limit = p + size;
    size_t count = 0;
    while ((p = memchr(p, end, (size_t)(limit - p))) != NULL) {
        count++;
        p++;
    }
    return count;
}

/* Arrays are sorted in memory, whatever they take. */
size_t sort_most_bytes(const sort_job *job)
{
    static const char *const only_stdin[] = {"-"};
    static unsigned char bytes[SAMPLE];
    const app_common *common = &job->task->common;
    size_t count = common->operand_count == 0 ? 1 : common->operand_count;
    const char *const *names =
        common->operand_count == 0 ? only_stdin : (const char *const *)common->operands;
    size_t prefix = job->limit > 2 * (size_t)PROGRAM ? (job->limit - PROGRAM) / 4 : PROGRAM / 4;
    double need = 0;
    size_t each = sort_is_whole(job) ? SORT_ITEM_BYTES : SORT_LINE_BYTES;
    if (common->type != 0 || job->task->from == IO_NPY) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        size_t got;
        uint64_t size;
        if (!look_at(names[i], bytes, &got, &size)) {
            return prefix;
        }
        io_file_kind kind = io_file_kind_of(bytes, got);
        bool packed = kind == IO_KIND_GZIP || kind == IO_KIND_ZSTD;
        bool array = kind == IO_KIND_NPY;
        size_t lines = lines_in(bytes, got, job->order->end);
        double line = array || packed ? 0 : (double)lines / (double)(got == 0 ? 1 : got);
        need += (double)size * (packed ? PACKED : array ? 0 : 1 + (double)each * line);
        if (packed && need < (double)job->limit) {
            return prefix;
        }
    }
    return need > (double)job->limit ? 1 : 0;
}

/* sort_limit.c - how much memory `upsweep sort` may take, and what is likely to fit. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"
#include "io/npy.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEAST = 16 << 20, /* less counts as this */
    SAMPLE = 64 << 10,
    PACKED = 6 /* times its size is what a compressed file unpacks to, mostly */
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

/* Times their size is what elements need: an array of one axis is sorted in place where there is no
 * more; rows may want as much again, and records 32 bytes each besides (upsweep.h). */
static double elements_need(const sort_task *task, const unsigned char *bytes, size_t got,
                            bool array)
{
    io_npy npy;
    io_error error;
    if (task->record_bytes != 0) {
        return 2 + 32.0 / (double)task->record_bytes;
    }
    bool rows = array && (!io_npy_read_header("", bytes, got, &npy, &error) || npy.axes > 1);
    return rows ? 2 : 1;
}

/* Memory that an input needs of whose beginning `got` bytes are there; *packed: it is a guess. */
static double memory_need(const sort_job *job, const unsigned char *bytes, size_t got,
                          uint64_t size, bool *packed)
{
    const sort_task *task = job->task;
    io_file_kind kind =
        task->from == IO_RAW || task->from == IO_TEXT ? IO_KIND_PLAIN : io_file_kind_of(bytes, got);
    bool array = kind == IO_KIND_NPY;
    *packed = kind == IO_KIND_GZIP || kind == IO_KIND_ZSTD;
    if (array || task->common.type != 0 || task->record_bytes != 0) {
        double share = *packed ? 2 : elements_need(task, bytes, got, array);
        return (double)size * (*packed ? PACKED : 1) * share;
    }
    size_t each = sort_is_whole(job) ? SORT_ITEM_BYTES : SORT_LINE_BYTES;
    size_t lines = lines_in(bytes, got, job->order->end);
    double line = *packed ? 0 : (double)lines / (double)(got == 0 ? 1 : got);
    if (!*packed && sort_look_like_numbers(job, bytes, got)) {
        double held = 1 + sizeof *job->keys * line, sorted = SORT_NUMBER_BYTES * line;
        return (double)size * (held > sorted ? held : sorted);
    }
    return (double)size * (*packed ? PACKED : 1 + (double)each * line);
}

size_t sort_most_bytes(const sort_job *job)
{
    static const char *const only_stdin[] = {"-"};
    static unsigned char bytes[SAMPLE + IO_SLACK];
    const app_common *common = &job->task->common;
    size_t count = common->operand_count == 0 ? 1 : common->operand_count;
    const char *const *names =
        common->operand_count == 0 ? only_stdin : (const char *const *)common->operands;
    size_t room = job->limit - SORT_OWN_BYTES - sort_packing_bytes(job), prefix = room / 4;
    double need = 0;
    for (size_t i = 0; i < count; i++) {
        size_t got;
        uint64_t size;
        bool packed = false;
        if (!look_at(names[i], bytes, &got, &size)) {
            return prefix;
        }
        need += memory_need(job, bytes, got, size, &packed);
        if (packed && need < (double)job->limit) {
            return prefix;
        }
    }
    return need > (double)room ? 1 : 0;
}

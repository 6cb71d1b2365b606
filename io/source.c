/* source.c - one part after the other: read, looked at, unpacked, looked at again. */
/* SPDX-License-Identifier: MIT */
#include "io/source.h"

#include "io/packed.h"

#include <string.h>
#include <sys/stat.h>

static bool is_packed(io_file_kind kind)
{
    return kind == IO_KIND_GZIP || kind == IO_KIND_ZSTD;
}

static bool take_part(io_input *in, const io_reading *how, io_error *error)
{
    io_part *part = &in->parts[in->part_count - 1];
    if (how->as_is) {
        return true;
    }
    const char *name = io_input_name(part->name);
    part->kind = io_file_kind_of(in->bytes + part->begin, part->end - part->begin);
    if (is_packed(part->kind)) {
        if (!io_unpack(in, part->kind, how->progress, error)) {
            return false;
        }
        part->packed = true;
        part->kind = io_file_kind_of(in->bytes + part->begin, part->end - part->begin);
        if (is_packed(part->kind)) {
            return io_because(error, "%s: is compressed twice: unpack it once", name);
        }
    }
    bool taken = part->kind == IO_KIND_PLAIN || (how->takes >> part->kind & 1) != 0;
    return taken || io_file_kind_refuse(name, part->kind, how->otherwise, error);
}

bool io_source_read(io_input *in, const char *const *names, size_t count, const io_reading *how,
                    io_error *error)
{
    static const char *const only_stdin[] = {"-"};
    names = count == 0 ? only_stdin : names;
    count = count == 0 ? 1 : count;
    if (io_input_begin(in, count, error) != 0) {
        return false;
    }
    in->most = how->most;
    for (size_t i = 0; i < count; i++) {
        if (io_input_add(in, names[i], how->threads, error) != 0 || !take_part(in, how, error)) {
            return false;
        }
        if (how->last >= 0 && in->parts[i].kind == IO_KIND_PLAIN) {
            io_input_end(in, how->last);
        }
    }
    io_input_finish(in);
    return true;
}

bool io_source_take_marks(io_input *in, io_error *error)
{
    for (size_t i = 0; i < in->part_count; i++) {
        const io_part *part = &in->parts[i];
        unsigned char *p = in->bytes + part->begin;
        size_t size = part->end - part->begin;
        if (size >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
            memset(p, ' ', 3);
        }
        if ((size >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0)) ||
            (size >= 4 && memcmp(p, "\0\0\xfe\xff", 4) == 0)) {
            return io_because(error,
                              "%s: is text in UTF-16 or UTF-32; it must be UTF-8, as `iconv -t "
                              "UTF-8` makes it",
                              io_input_name(part->name));
        }
    }
    return true;
}

bool io_source_is_packed(const io_part *part, const char *name)
{
    struct stat status;
    return part->packed && name != NULL && strcmp(name, "-") != 0 && stat(name, &status) == 0 &&
           part->device == status.st_dev && part->inode == status.st_ino;
}

/* files.c - files that all ranks read and write parts of, at exact offsets. */
/* SPDX-License-Identifier: MIT */
#include "ranks/program/program.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_kind.h"
#include "io/npy.h"

enum { AT_ONCE = 1 << 30 };

static bool system_fails(program *p, const char *name, const char *what)
{
    return fails(p, "%s: %s: %s", name, what, strerror(errno));
}

bool read_at(program *p, const input_file *f, uint64_t at, void *to, uint64_t count)
{
    char *out = to;
    while (count > 0) {
        ssize_t n = pread(f->fd, out, count < AT_ONCE ? count : AT_ONCE, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? system_fails(p, f->name, "cannot be read")
                         : fails(p, "%s: became shorter while it was read", f->name);
        }
        out += n;
        at += (uint64_t)n;
        count -= (uint64_t)n;
    }
    return true;
}

bool read_elements(program *p, const inputs *in, uint64_t from, uint64_t to, char *out)
{
    uint64_t first = 0;
    for (size_t i = 0; i < in->file_count; i++) {
        const input_file *f = &in->files[i];
        uint64_t begin = from > first ? from : first;
        uint64_t end = to < first + f->count ? to : first + f->count;
        if (begin < end && !read_at(p, f, f->begin + (begin - first) * in->bytes,
                                    out + (begin - from) * in->bytes, (end - begin) * in->bytes)) {
            return false;
        }
        first += f->count;
    }
    return true;
}

/* Opens a file, and reads what it begins with. */
static bool open_file(program *p, input_file *f, const char *name, unsigned char *head,
                      size_t *head_bytes, uint64_t *size)
{
    struct stat status;
    f->name = name;
    f->fd = open(name, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &status) != 0) {
        return system_fails(p, name, "cannot be read");
    }
    if (!S_ISREG(status.st_mode)) {
        return fails(p, "%s: is no regular file, which several processes could read parts of",
                     name);
    }
    *size = (uint64_t)status.st_size;
    *head_bytes = *size < IO_NPY_HEADER_MAX ? (size_t)*size : IO_NPY_HEADER_MAX;
    return read_at(p, f, 0, head, *head_bytes);
}

static bool take_npy(program *p, inputs *in, input_file *f, const unsigned char *head,
                     size_t head_bytes, uint64_t size, bool first)
{
    io_npy npy;
    if (!io_npy_read_header(f->name, head, head_bytes, &npy, &p->error)) {
        p->failed = true;
        return false;
    }
    size_t bytes = upsweep_type_bytes(npy.type);
    if (npy.axes != 1 || npy.boolean) {
        return fails(p, "%s: an array of one axis of numbers is wanted", f->name);
    }
    if (size - npy.header_bytes < npy.n * bytes) {
        return fails(p, "%s: ends before its %zu elements do", f->name, npy.n);
    }
    if (!first && (!in->npy || in->type != npy.type)) {
        return fails(p, "%s: is of another kind or type than %s", f->name, in->files[0].name);
    }
    in->npy = true;
    in->type = npy.type;
    in->bytes = bytes;
    f->begin = npy.header_bytes;
    f->count = npy.n;
    return true;
}

static bool take_file(program *p, inputs *in, size_t i, unsigned char *head, bool text)
{
    const options *o = &p->options;
    input_file *f = &in->files[i];
    size_t head_bytes = 0;
    uint64_t size = 0;
    if (!open_file(p, f, o->inputs[i], head, &head_bytes, &size)) {
        return false;
    }
    bool plain = o->as_text || o->type != 0 || o->record_bytes != 0;
    io_file_kind kind = plain ? IO_KIND_PLAIN : io_file_kind_of(head, head_bytes);
    if (kind == IO_KIND_NPY && !text) {
        return take_npy(p, in, f, head, head_bytes, size, i == 0);
    }
    if (kind != IO_KIND_PLAIN || in->npy) {
        return kind == IO_KIND_NPY || in->npy
                   ? fails(p, "%s: arrays and lines are not sorted together", f->name)
                   : fails(p, "%s: is %s, which several processes cannot read parts of", f->name,
                           io_file_kind_name(kind));
    }
    if (size % in->bytes != 0) {
        return fails(p, "%s: its %llu bytes are no multiple of %zu, an element's", f->name,
                     (unsigned long long)size, in->bytes);
    }
    f->count = size / in->bytes;
    return true;
}

bool is_text(program *p, bool *text)
{
    const options *o = &p->options;
    unsigned char head[16];
    *text = o->as_text;
    if (o->as_text || o->type != 0 || o->record_bytes != 0) {
        return true;
    }
    int fd = open(o->inputs[0], O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? pread(fd, head, sizeof head, 0) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (n < 0) {
        return system_fails(p, o->inputs[0], "cannot be read");
    }
    *text = io_file_kind_of(head, (size_t)n) != IO_KIND_NPY;
    return true;
}

bool open_inputs(program *p, inputs *in, bool text)
{
    const options *o = &p->options;
    memset(in, 0, sizeof *in);
    in->type = o->type;
    in->bytes = o->record_bytes > 0 ? o->record_bytes : text ? 1 : upsweep_type_bytes(o->type);
    in->bytes = in->bytes > 0 ? in->bytes : 1;
    in->files = calloc(o->input_count, sizeof *in->files);
    unsigned char *head = malloc(IO_NPY_HEADER_MAX);
    if (in->files == NULL || head == NULL) {
        fails(p, "there is no memory");
    }
    for (size_t i = 0; i < o->input_count && in->files != NULL && !p->failed; i++) {
        in->file_count = i + 1;
        in->files[i].fd = -1;
        if (take_file(p, in, i, head, text)) {
            in->total += in->files[i].count;
        }
    }
    free(head);
    return together(p);
}

void close_inputs(inputs *in)
{
    for (size_t i = 0; i < in->file_count; i++) {
        if (in->files[i].fd >= 0) {
            close(in->files[i].fd);
        }
    }
    free(in->files);
    in->files = NULL;
    in->file_count = 0;
}

bool open_output(program *p, shared_output *out)
{
    char path[PATH_MAX] = "";
    out->fd = -1;
    out->open = false;
    if (p->rank == 0) {
        out->open = io_output_open_shared(&out->whole, p->options.output, path, &p->error) == 0;
        p->failed = !out->open;
    }
    if (!together(p)) {
        return false;
    }
    MPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, p->comm);
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0) {
        system_fails(p, path, "cannot be written by all processes");
    }
    return true;
}

bool write_at(program *p, const shared_output *out, uint64_t at, const void *bytes, uint64_t count)
{
    const char *from = bytes;
    while (count > 0 && !p->failed) {
        ssize_t n = pwrite(out->fd, from, count < AT_ONCE ? count : AT_ONCE, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return system_fails(p, p->options.output, "cannot be written");
        }
        from += n;
        at += (uint64_t)n;
        count -= (uint64_t)n;
    }
    return !p->failed;
}

bool close_output(program *p, shared_output *out)
{
    if (out->fd >= 0) {
        if (!p->failed && fsync(out->fd) != 0) {
            system_fails(p, p->options.output, "cannot be written");
        }
        close(out->fd);
    }
    bool good = together(p);
    if (out->open && !good) {
        io_output_discard(&out->whole);
    } else if (out->open && io_output_commit(&out->whole, &p->error) != 0) {
        p->failed = true;
    }
    return good && together(p);
}

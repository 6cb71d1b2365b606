/* array.c - reads arrays of numbers from files of three formats. The bytes of raw and .npy files
 * are used where they were read to; only a header that breaks the alignment makes them move. */
#include "array.h"

#include "npy.h"
#include "numbers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char *shown(const char *name)
{
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Several texts need an end of line between them, which must be known before they are read. */
static bool begins_as_npy(const char *name)
{
    char magic[IO_NPY_MAGIC_BYTES];
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : pread(fd, magic, sizeof magic, 0);
    if (fd >= 0) {
        close(fd);
    }
    return got > 0 && io_npy_is(magic, (size_t)got);
}

static bool read_raw(io_array *a, io_error *error)
{
    size_t bytes = upsweep_type_bytes(a->type);
    for (size_t i = 0; i < a->input.part_count; i++) {
        const io_part *part = &a->input.parts[i];
        if ((part->end - part->begin) % bytes != 0) {
            return io_because(
                error, "%s: %zu bytes are no whole number of %s elements of %zu bytes",
                shown(part->name), part->end - part->begin, upsweep_type_name(a->type), bytes);
        }
    }
    a->data = a->input.bytes;
    a->n = a->input.size / bytes;
    return true;
}

/* The header of one file, checked against the size of the file and the type that is expected. */
static bool read_npy_part(const io_array *a, const io_part *part, io_npy *npy, io_error *error)
{
    const char *name = shown(part->name);
    size_t bytes = part->end - part->begin;
    if (!io_npy_read_header(name, a->input.bytes + part->begin, bytes, npy, error)) {
        return false;
    }
    if (a->type != 0 && npy->type != a->type) {
        return io_because(error, "%s: holds elements of type %s, not %s", name,
                          upsweep_type_name(npy->type), upsweep_type_name(a->type));
    }
    size_t want = npy->n * upsweep_type_bytes(npy->type), have = bytes - npy->header_bytes;
    if (have != want) {
        return io_because(error,
                          "%s: the .npy header promises %zu bytes of elements, the file has %zu",
                          name, want, have);
    }
    return true;
}

static bool read_npy(io_array *a, io_error *error)
{
    size_t kept = 0;
    unsigned char *bytes = a->input.bytes;
    for (size_t i = 0; i < a->input.part_count; i++) {
        const io_part *part = &a->input.parts[i];
        io_npy npy;
        if (!read_npy_part(a, part, &npy, error)) {
            return false;
        }
        a->type = npy.type;
        size_t from = part->begin + npy.header_bytes;
        if (a->input.part_count == 1 && from % upsweep_type_bytes(npy.type) == 0) {
            a->data = bytes + from;
            a->n = npy.n;
            return true;
        }
        memmove(bytes + kept, bytes + from, part->end - from);
        kept += part->end - from;
    }
    a->data = bytes;
    a->n = kept / upsweep_type_bytes(a->type);
    return true;
}

bool io_array_read(io_array *a, const char *const *names, size_t count, upsweep_type type,
                   bool text, unsigned threads, io_error *error)
{
    *a = (io_array){.type = type, .format = IO_RAW};
    bool may_be_text = type == 0 || text;
    int last = count > 1 && may_be_text && !begins_as_npy(names[0]) ? '\n' : -1;
    if (io_input_read(&a->input, names, count, last, threads, error) != 0) {
        return false;
    }
    const io_part *first = a->input.parts;
    if (io_npy_is(a->input.bytes + first->begin, first->end - first->begin)) {
        a->format = IO_NPY;
        return read_npy(a, error);
    }
    if (!may_be_text) {
        return read_raw(a, error);
    }
    a->format = IO_TEXT;
    const char *name = a->input.part_count == 1 ? shown(first->name) : "the input";
    bool done = io_numbers_read(name, (const char *)a->input.bytes, a->input.size, &a->type,
                                &a->numbers, &a->n, error);
    a->data = a->numbers;
    return done;
}

void io_array_free(io_array *a)
{
    free(a->numbers);
    io_input_free(&a->input);
    *a = (io_array){.data = NULL};
}

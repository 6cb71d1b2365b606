/* array.c - reads arrays of numbers from files of three formats. The bytes of raw and .npy files
 * are used where they were read to; only a header that breaks the alignment makes them move. */
/* SPDX-License-Identifier: MIT */
#include "io/array.h"

#include "io/numbers.h"
#include "io/source.h"

#include <stdlib.h>

static bool read_raw(io_array *a, io_error *error)
{
    size_t bytes = upsweep_type_bytes(a->type);
    for (size_t i = 0; i < a->input.part_count; i++) {
        const io_part *part = &a->input.parts[i];
        if ((part->end - part->begin) % bytes != 0) {
            return io_because(error,
                              "%s: %zu bytes are no whole number of %s elements of %zu bytes",
                              io_input_name(part->name), part->end - part->begin,
                              upsweep_type_name(a->type), bytes);
        }
    }
    a->data = a->input.bytes;
    a->n = a->input.size / bytes;
    return true;
}

/* What the array is called in a sentence on its type. */
static const char *type_name(const io_npy *npy)
{
    return npy->boolean ? "bool" : upsweep_type_name(npy->type);
}

/* The header of one file, checked against the size of the file and the type that is expected, and
 * against the file before it, if there is one. */
static bool read_npy_part(const io_array *a, const io_part *part, io_npy *npy, io_error *error)
{
    const char *name = io_input_name(part->name);
    size_t bytes = part->end - part->begin;
    if (!io_npy_read_header(name, a->input.bytes + part->begin, bytes, npy, error)) {
        return false;
    }
    bool first = part == a->input.parts, alone = a->input.part_count == 1;
    if ((a->type != 0 && npy->type != a->type) || (!first && npy->boolean != a->npy.boolean)) {
        return io_because(error, "%s: holds elements of type %s, not %s", name, type_name(npy),
                          first ? upsweep_type_name(a->type) : type_name(&a->npy));
    }
    char shape[IO_NPY_SHAPE_MAX];
    if (!alone && npy->axes != 1) {
        return io_because(error,
                          "%s: has the shape %s; several arrays are taken together only if each "
                          "has one axis",
                          name, io_npy_shape(npy, shape));
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
        a->npy = npy;
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

static bool read_text(io_array *a, io_error *error)
{
    const io_part *first = a->input.parts;
    const char *name = a->input.part_count == 1 ? io_input_name(first->name) : "the input";
    bool done = io_source_take_marks(&a->input, error) &&
                io_numbers_read(name, (const char *)a->input.bytes, a->input.size, &a->type,
                                &a->numbers, &a->n, error);
    a->data = a->numbers;
    return done;
}

/* All parts are .npy, or none is. */
static bool decide_format(io_array *a, bool text, io_format from, io_error *error)
{
    const io_part *npy = NULL, *other = NULL;
    for (size_t i = 0; i < a->input.part_count; i++) {
        const io_part *part = &a->input.parts[i];
        *(part->kind == IO_KIND_NPY ? &npy : &other) = part;
    }
    if (npy != NULL && other != NULL) {
        return io_because(error,
                          "%.1000s is a .npy array and %.1000s is none: they are not taken "
                          "together",
                          io_input_name(npy->name), io_input_name(other->name));
    }
    if (from == IO_NPY && other != NULL) {
        return io_because(error, "%s: is no .npy file", io_input_name(other->name));
    }
    a->format = npy != NULL ? IO_NPY : text ? IO_TEXT : IO_RAW;
    return true;
}

static bool is_text(const io_array_wish *wish)
{
    return wish->from == IO_TEXT || (wish->from != IO_RAW && (wish->type == 0 || wish->text));
}

bool io_array_take(io_array *a, io_input *in, const io_array_wish *wish, io_error *error)
{
    *a = (io_array){.type = wish->type, .input = *in};
    *in = (io_input){0};
    if (!decide_format(a, is_text(wish), wish->from, error)) {
        return false;
    }
    if (!(a->format == IO_NPY    ? read_npy(a, error)
          : a->format == IO_TEXT ? read_text(a, error)
                                 : read_raw(a, error))) {
        return false;
    }
    if (a->format != IO_NPY || a->input.part_count > 1) {
        a->npy.type = a->type;
        a->npy.axes = 1;
        a->npy.n = a->npy.shape[0] = a->n;
    }
    return true;
}

bool io_array_read(io_array *a, const char *const *names, size_t count, const io_array_wish *wish,
                   io_error *error)
{
    bool text = is_text(wish);
    io_reading how = {.takes = 1u << IO_KIND_NPY,
                      .as_is = wish->from == IO_RAW || wish->from == IO_TEXT,
                      .last = text && count > 1 ? '\n' : -1,
                      .threads = wish->threads,
                      .otherwise = wish->otherwise};
    io_input in;
    *a = (io_array){.type = wish->type};
    if (!io_source_read(&in, names, count, &how, error)) {
        io_input_free(&in);
        return false;
    }
    return io_array_take(a, &in, wish, error);
}

void io_array_free(io_array *a)
{
    free(a->numbers);
    io_input_free(&a->input);
    *a = (io_array){.data = NULL};
}

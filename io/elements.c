/* elements.c - part after part: its header, its elements, and whether there are as many as there
 * must be. */
/* SPDX-License-Identifier: MIT */
#include "io/elements.h"

#include <string.h>

enum { FIRST = 16 }; /* bytes that a stream looks at, and more than the lengths in a header need */

static const char *type_name(const io_npy *npy)
{
    return npy->boolean ? "bool" : upsweep_type_name(npy->type);
}

/* ---- headers ---- */

/* How long the header is that begins in head, as far as its first bytes tell. */
static size_t header_size(const io_elements *e)
{
    const unsigned char *p = e->head;
    bool first = e->held > 6 && p[6] == 1;
    if (e->held < 12) {
        return FIRST;
    }
    size_t bytes =
        first ? 10 + (p[8] | (size_t)p[9] << 8)
              : 12 + (p[8] | (size_t)p[9] << 8 | (size_t)p[10] << 16 | (size_t)p[11] << 24);
    return bytes < IO_NPY_HEADER_MAX ? bytes : IO_NPY_HEADER_MAX;
}

/* Reads to head as long as the part has bytes and the header is not complete. What a stream gives
 * is of one part, so that bytes of the next one show that this one has ended. */
static bool read_header(io_elements *e, io_error *error)
{
    for (size_t need = header_size(e); e->held < need; need = header_size(e)) {
        size_t got = 0;
        if (!io_stream_read(e->s, e->head + e->held, need - e->held, &got, error)) {
            return false;
        }
        if (got == 0 || e->s->parts != e->part) {
            break; /* and the header is truncated */
        }
        e->held += got;
    }
    return true;
}

/* The header of a part, beside those before it. */
static bool take_header(io_elements *e, io_error *error)
{
    io_npy npy;
    char shape[IO_NPY_SHAPE_MAX];
    bool first = e->part == 1, alone = first && e->s->count <= 1;
    const char *name = io_input_name(e->name);
    if (!read_header(e, error) || !io_npy_read_header(name, e->head, e->held, &npy, error)) {
        return false;
    }
    if ((e->type != 0 && npy.type != e->type) || (!first && npy.boolean != e->npy.boolean)) {
        return io_because(error, "%s: holds elements of type %s, not %s", name, type_name(&npy),
                          first ? upsweep_type_name(e->type) : type_name(&e->npy));
    }
    if (!alone && npy.axes != 1) {
        return io_because(error,
                          "%s: has the shape %s; several arrays are taken together only if each "
                          "has one axis",
                          name, io_npy_shape(&npy, shape));
    }
    e->npy = first ? npy : e->npy;
    e->type = npy.type;
    e->element = upsweep_type_bytes(npy.type);
    e->promised = (uint64_t)npy.n * e->element;
    e->at = npy.header_bytes < e->held ? npy.header_bytes : e->held;
    return true;
}

/* ---- parts ---- */

static bool begin_part(io_elements *e, io_error *error)
{
    e->part = e->s->parts;
    e->name = e->s->name;
    e->part_bytes = 0;
    e->at = 0;
    return e->format == IO_RAW || take_header(e, error);
}

/* What the part that has ended, with `more` bytes than it has given, lacks. */
static bool end_part(const io_elements *e, uint64_t more, io_error *error)
{
    const char *name = io_input_name(e->name);
    unsigned long long bytes = e->part_bytes + more;
    if (e->format == IO_NPY && bytes != e->promised) {
        return io_because(error,
                          "%s: the .npy header promises %llu bytes of elements, the file has %llu",
                          name, (unsigned long long)e->promised, bytes);
    }
    if (bytes % e->element != 0) {
        return e->type != 0
                   ? io_because(error,
                                "%s: %llu bytes are no whole number of %s elements of %zu bytes",
                                name, bytes, upsweep_type_name(e->type), e->element)
                   : io_because(error, "%s: %llu bytes are no whole number of records of %zu bytes",
                                name, bytes, e->element);
    }
    return true;
}

bool io_elements_begin(io_elements *e, io_stream *s, upsweep_type type, size_t record_bytes,
                       unsigned char *head, size_t held, io_error *error)
{
    *e = (io_elements){.s = s,
                       .type = type,
                       .element = record_bytes != 0 ? record_bytes : upsweep_type_bytes(type),
                       .format = s->arrays ? IO_NPY : IO_RAW,
                       .npy = {.type = type, .axes = 1},
                       .head = head,
                       .held = held};
    return begin_part(e, error);
}

/* Bytes behind the elements that a header promises: how many, for the sentence. */
static bool drain(io_elements *e, size_t got, io_error *error)
{
    uint64_t more = got;
    while (got > 0) {
        if (!io_stream_read(e->s, e->head, IO_NPY_HEADER_MAX, &got, error)) {
            return false;
        }
        got = e->s->parts == e->part ? got : 0;
        more += got;
    }
    return end_part(e, more, error);
}

/* The next bytes of the stream, to `to` or to head. A part's first ones need room to be looked at,
 * and a header is read in head. */
static bool read_on(io_elements *e, unsigned char *to, size_t room, size_t *got, bool *aside,
                    io_error *error)
{
    bool array = e->format == IO_NPY;
    uint64_t left = array ? e->promised - e->part_bytes : UINT64_MAX;
    *aside = array ? left == 0 : room < FIRST;
    room = *aside ? FIRST : left < room ? (size_t)left : room;
    if (!io_stream_read(e->s, *aside ? e->head : to, room, got, error)) {
        return false;
    }
    e->at = 0;
    e->held = *aside ? *got : 0;
    if (*got > 0 && e->s->parts == e->part) {
        return left > 0 || drain(e, *got, error);
    }
    return end_part(e, 0, error) && (*got == 0 || begin_part(e, error));
}

bool io_elements_read(io_elements *e, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    bool aside = false;
    do {
        if (e->at < e->held) {
            *got = e->held - e->at < room ? e->held - e->at : room;
            memcpy(to, e->head + e->at, *got);
            e->at += *got;
            aside = false;
        } else if (!read_on(e, to, room, got, &aside, error)) {
            return false;
        }
    } while (aside && *got > 0);
    e->part_bytes += *got;
    e->bytes += *got;
    return true;
}

bool io_elements_fill(io_elements *e, unsigned char *to, size_t room, size_t *got, io_error *error)
{
    size_t held = 0, more = 1;
    while (held < room && more > 0) {
        if (!io_elements_read(e, to + held, room - held, &more, error)) {
            return false;
        }
        held += more;
    }
    *got = held;
    return true;
}

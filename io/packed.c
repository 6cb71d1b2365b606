/* packed.c - unpacks a whole file in memory, stream after stream. */
/* SPDX-License-Identifier: MIT */
#include "io/packed.h"

#include "io/memory.h"

#include <stdint.h>

#ifdef UPSWEEP_ZLIB
#include <zlib.h>
#endif
#ifdef UPSWEEP_ZSTD
#include <zstd.h>
#endif

/* Where the text goes: a block that grows by doubling and keeps the slack behind it free. */
typedef struct text {
    unsigned char *bytes;
    size_t size, held;
} text;

typedef struct job {
    const char *name;
    const unsigned char *from;
    size_t size, at; /* of from: all, and what has been read */
    text to;
    size_t most; /* bytes of the text; 0: any */
    bool full;
    io_progress *progress;
    io_error *error;
} job;

#if defined(UPSWEEP_ZLIB) || defined(UPSWEEP_ZSTD)
enum { STEP = 1 << 20 };

/* Room for one more step behind to.size; *room gets how much there is. */
static bool make_room(job *j, size_t *room)
{
    j->full = j->most != 0 && j->to.size > j->most;
    if (j->full) {
        return io_because(j->error, "%s: unpacked, it does not fit into memory", j->name);
    }
    if (j->to.held < j->to.size + STEP + IO_SLACK + 1) {
        size_t held = 2 * j->to.held + 4 * j->size + 2 * (STEP + IO_SLACK);
        void *bytes = held < j->to.held ? NULL : io_memory_resize(j->to.bytes, j->to.held, held);
        if (bytes == NULL) {
            return io_because(j->error, "%s: unpacked, it does not fit into memory", j->name);
        }
        j->to.bytes = bytes;
        j->to.held = held;
    }
    *room = j->to.held - j->to.size - IO_SLACK - 1;
    *room = *room < STEP ? *room : STEP;
    io_progress_step(j->progress, j->at, j->size);
    return true;
}

static bool ends_early(const job *j, const char *format)
{
    return io_because(j->error, "%s: the %s stream ends early, after %zu bytes that unpack to %zu",
                      j->name, format, j->size, j->to.size);
}
#endif

#ifdef UPSWEEP_ZLIB
static bool is_gzip(const unsigned char *p, size_t size)
{
    return size >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

static bool gunzip_stream(job *j, z_stream *z)
{
    for (;;) {
        size_t room = 0, left = j->size - j->at;
        if (!make_room(j, &room)) {
            return false;
        }
        unsigned step = left < STEP ? (unsigned)left : STEP;
        z->next_in = (unsigned char *)(uintptr_t)(j->from + j->at); /* zlib only reads it */
        z->avail_in = step;
        z->next_out = j->to.bytes + j->to.size;
        z->avail_out = (unsigned)room;
        int status = inflate(z, Z_NO_FLUSH);
        j->at += step - z->avail_in;
        j->to.size += room - z->avail_out;
        if (status == Z_STREAM_END) {
            return true;
        }
        if (status == Z_BUF_ERROR || (status == Z_OK && j->at == j->size && z->avail_out > 0)) {
            return ends_early(j, "gzip");
        }
        if (status != Z_OK) {
            return io_because(j->error, "%s: the gzip stream is damaged near byte %zu: %s", j->name,
                              j->at, z->msg != NULL ? z->msg : "bad data");
        }
    }
}

static bool gunzip(job *j)
{
    while (j->at < j->size) {
        if (!is_gzip(j->from + j->at, j->size - j->at)) {
            /* A lone first byte of a stream is one that ends early. */
            return j->size - j->at == 1 && j->from[j->at] == 0x1f
                       ? ends_early(j, "gzip")
                       : io_because(j->error, "%s: byte %zu begins no gzip stream", j->name, j->at);
        }
        z_stream z = {0};
        if (inflateInit2(&z, 15 + 16) != Z_OK) {
            return io_because(j->error, "%s: no memory to unpack it", j->name);
        }
        bool ok = gunzip_stream(j, &z);
        inflateEnd(&z);
        if (!ok) {
            return false;
        }
    }
    return true;
}
#else
static bool gunzip(job *j)
{
    return io_because(
        j->error, "%s: is compressed by gzip, and this program was built without zlib", j->name);
}
#endif

#ifdef UPSWEEP_ZSTD
static bool unzstd_all(job *j, ZSTD_DStream *stream)
{
    size_t hint = 0;
    ZSTD_inBuffer in = {j->from, j->size, 0};
    do {
        size_t room = 0;
        if (!make_room(j, &room)) {
            return false;
        }
        ZSTD_outBuffer out = {j->to.bytes + j->to.size, room, 0};
        hint = ZSTD_decompressStream(stream, &out, &in);
        j->at = in.pos;
        j->to.size += out.pos;
        if (ZSTD_isError(hint)) {
            return io_because(j->error, "%s: the zstd stream is damaged near byte %zu: %s", j->name,
                              j->at, ZSTD_getErrorName(hint));
        }
        if (in.pos == in.size && out.pos < room) {
            break;
        }
    } while (in.pos < in.size || hint != 0);
    return hint == 0 || ends_early(j, "zstd");
}

static bool unzstd(job *j)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL) {
        return io_because(j->error, "%s: no memory to unpack it", j->name);
    }
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 31);
    bool ok = unzstd_all(j, stream);
    ZSTD_freeDStream(stream);
    return ok;
}
#else
static bool unzstd(job *j)
{
    return io_because(
        j->error, "%s: is compressed by zstd, and this program was built without libzstd", j->name);
}
#endif

/* Both io_input_read and make_room have left room for one more byte. */
void io_text_close(io_input *in, int last)
{
    if (in->size > 0 && in->bytes[in->size - 1] != last) {
        in->bytes[in->size++] = (unsigned char)last;
    }
    memset(in->bytes + in->size, 0, IO_SLACK);
    in->parts[0].end = in->size;
}

/* Puts the text in the place of the part: where that is all there is, without a copy. */
static bool replace_part(io_input *in, io_part *part, job *j)
{
    bool ok = true;
    if (part->begin == 0) {
        io_memory_give(in->bytes, in->held);
        in->bytes = j->to.bytes;
        in->held = j->to.held;
    } else {
        in->size = part->begin;
        ok = io_input_room(in, j->to.size + 1) == 0;
        if (ok && j->to.bytes != NULL) {
            memcpy(in->bytes + part->begin, j->to.bytes, j->to.size);
        }
        io_memory_give(j->to.bytes, j->to.held);
    }
    in->size = part->end = part->begin + (ok ? j->to.size : 0);
    return ok || io_because(j->error, "%s: unpacked, it does not fit into memory", j->name);
}

bool io_unpack(io_input *in, io_file_kind kind, io_progress *progress, io_error *error)
{
    io_part *part = &in->parts[in->part_count - 1];
    job j = {.name = io_input_name(part->name),
             .from = in->bytes + part->begin,
             .size = part->end - part->begin,
             .most = in->most,
             .progress = progress,
             .error = error};
    if (progress != NULL) {
        io_progress_begin(progress, "unpacking");
    }
    bool ok = kind == IO_KIND_GZIP ? gunzip(&j) : unzstd(&j);
    io_progress_end(progress);
    if (!ok) {
        io_memory_give(j.to.bytes, j.to.held);
        in->full = j.full;
        return false;
    }
    return replace_part(in, part, &j);
}

const char *io_unpack_knows(void)
{
#if defined(UPSWEEP_ZLIB) && defined(UPSWEEP_ZSTD)
    return "gzip, zstd";
#elif defined(UPSWEEP_ZLIB)
    return "gzip";
#elif defined(UPSWEEP_ZSTD)
    return "zstd";
#else
    return "nothing";
#endif
}

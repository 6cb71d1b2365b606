/* packed_stream.c - unpacks gzip and zstd piece by piece; packed.c does whole files. */
/* SPDX-License-Identifier: MIT */
#include "io/stream.h"

#include <stdlib.h>

#ifdef UPSWEEP_ZLIB
#include <zlib.h>
#endif
#ifdef UPSWEEP_ZSTD
#include <zstd.h>
#endif

struct io_unpacker {
    const char *name;
    bool gzip;
    bool within; /* a stream has begun and not ended */
    uint64_t in, out;
#ifdef UPSWEEP_ZLIB
    z_stream z;
#endif
#ifdef UPSWEEP_ZSTD
    ZSTD_DStream *zstd;
#endif
};

#if defined(UPSWEEP_ZLIB) || defined(UPSWEEP_ZSTD)
static bool ends_early(const io_unpacker *u, const char *format, io_error *error)
{
    return io_because(error, "%s: the %s stream ends early, after %llu bytes that unpack to %llu",
                      u->name, format, (unsigned long long)u->in, (unsigned long long)u->out);
}
#endif

#ifdef UPSWEEP_ZLIB
static bool begin_gzip(io_unpacker *u, io_error *error)
{
    u->z = (z_stream){0};
    u->within = inflateInit2(&u->z, 15 + 16) == Z_OK;
    return u->within || io_because(error, "%s: no memory to unpack it", u->name);
}

static bool step_gzip(io_unpacker *u, const unsigned char *from, size_t *from_bytes, bool ended,
                      unsigned char *to, size_t room, size_t *got, bool *done, io_error *error)
{
    size_t left = *from_bytes;
    *from_bytes = 0;
    if (left == 0 && ended) {
        *done = !u->within;
        return *done || ends_early(u, "gzip", error);
    }
    if (!u->within) { /* two bytes tell whether a stream begins */
        if (left < 2 && !ended) {
            return true;
        }
        if (left < 2 || from[0] != 0x1f || from[1] != 0x8b) {
            return left == 1 && from[0] == 0x1f
                       ? ends_early(u, "gzip", error)
                       : io_because(error, "%s: byte %llu begins no gzip stream", u->name,
                                    (unsigned long long)u->in);
        }
        if (!begin_gzip(u, error)) {
            return false;
        }
    }
    unsigned step = (unsigned)(left < 1u << 20 ? left : 1u << 20);
    unsigned space = (unsigned)(room < 1u << 30 ? room : 1u << 30);
    u->z.next_in = (unsigned char *)(uintptr_t)from; /* zlib only reads it */
    u->z.avail_in = step;
    u->z.next_out = to;
    u->z.avail_out = space;
    int status = inflate(&u->z, Z_NO_FLUSH);
    *from_bytes = step - u->z.avail_in;
    *got = space - u->z.avail_out;
    u->in += *from_bytes;
    u->out += *got;
    if (status == Z_STREAM_END) {
        inflateEnd(&u->z);
        u->within = false;
        return true;
    }
    return status == Z_OK || status == Z_BUF_ERROR ||
           io_because(error, "%s: the gzip stream is damaged near byte %llu: %s", u->name,
                      (unsigned long long)u->in, u->z.msg != NULL ? u->z.msg : "bad data");
}
#endif

#ifdef UPSWEEP_ZSTD
static bool step_zstd(io_unpacker *u, const unsigned char *from, size_t *from_bytes, bool ended,
                      unsigned char *to, size_t room, size_t *got, bool *done, io_error *error)
{
    ZSTD_inBuffer in = {from, *from_bytes, 0};
    ZSTD_outBuffer out = {to, room, 0};
    bool last = *from_bytes == 0 && ended;
    if (last && !u->within) {
        *done = true;
        return true;
    }
    size_t hint = ZSTD_decompressStream(u->zstd, &out, &in);
    *from_bytes = in.pos;
    *got = out.pos;
    u->in += in.pos;
    u->out += out.pos;
    if (ZSTD_isError(hint)) {
        return io_because(error, "%s: the zstd stream is damaged near byte %llu: %s", u->name,
                          (unsigned long long)u->in, ZSTD_getErrorName(hint));
    }
    u->within = hint != 0;
    return !(last && out.pos == 0 && u->within) || ends_early(u, "zstd", error);
}

static unsigned window_log(size_t most)
{
    unsigned log = 10;
    while (log < 31 && (size_t)2 << log <= most) {
        log++;
    }
    return log;
}
#endif

io_unpacker *io_unpacker_new(io_file_kind kind, const char *name, size_t most, io_error *error)
{
    io_unpacker *u = calloc(1, sizeof *u);
    (void)most;
    if (u == NULL) {
        (void)io_because(error, "%s: no memory to unpack it", name);
        return NULL;
    }
    u->name = name;
    u->gzip = kind == IO_KIND_GZIP;
    bool known = false;
#ifdef UPSWEEP_ZLIB
    known = u->gzip;
#endif
#ifdef UPSWEEP_ZSTD
    if (!u->gzip) {
        u->zstd = ZSTD_createDStream();
        known = u->zstd != NULL;
        if (known) {
            ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, (int)window_log(most));
        }
    }
#endif
    if (!known) {
        (void)io_because(error, "%s: is compressed by %s, which this program cannot unpack", name,
                         u->gzip ? "gzip" : "zstd");
        io_unpacker_free(u);
        return NULL;
    }
    return u;
}

void io_unpacker_free(io_unpacker *u)
{
    if (u == NULL) {
        return;
    }
#ifdef UPSWEEP_ZLIB
    if (u->gzip && u->within) {
        inflateEnd(&u->z);
    }
#endif
#ifdef UPSWEEP_ZSTD
    ZSTD_freeDStream(u->zstd);
#endif
    free(u);
}

bool io_unpacker_step(io_unpacker *u, const unsigned char *from, size_t *from_bytes, bool ended,
                      unsigned char *to, size_t room, size_t *got, bool *done, io_error *error)
{
#ifdef UPSWEEP_ZLIB
    if (u->gzip) {
        return step_gzip(u, from, from_bytes, ended, to, room, got, done, error);
    }
#endif
#ifdef UPSWEEP_ZSTD
    return step_zstd(u, from, from_bytes, ended, to, room, got, done, error);
#else
    (void)from, (void)from_bytes, (void)ended, (void)to, (void)room, (void)got, (void)done;
    return io_because(error, "%s: cannot be unpacked", u->name);
#endif
}

/* packer.c - fills a block for each thread, packs all of them at once, and hands them on in order.
 */
/* SPDX-License-Identifier: MIT */
#include "io/packer.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/parallel.h"

#ifdef UPSWEEP_ZLIB
#include <zlib.h>
#endif
#ifdef UPSWEEP_ZSTD
#include <zstd.h>
#endif

enum {
    BLOCK = 512 << 10, /* unpacked; zstd's window at its usual level for such a size */
    PACKED = BLOCK + BLOCK / 64 + 1024, /* what a block that cannot be packed takes at most */
    STATE = 1536 << 10,                 /* of zlib or libzstd, for a thread */
    THREADS_MOST = 64
};

struct io_packer {
    io_packing packing;
    int level;
    unsigned blocks; /* that are filled before they are packed: one for each thread */
    unsigned full;
    size_t held;          /* bytes in the block behind the full ones */
    bool any;             /* something has been handed on */
    unsigned char *plain; /* BLOCK bytes for each */
    unsigned char *packed;
    size_t plain_bytes[THREADS_MOST], packed_bytes[THREADS_MOST]; /* 0 of these: out of memory */
};

io_packing io_packing_of_name(const char *name)
{
    size_t length = name == NULL ? 0 : strlen(name);
    return length > 3 && strcmp(name + length - 3, ".gz") == 0    ? IO_PACK_GZIP
           : length > 4 && strcmp(name + length - 4, ".zst") == 0 ? IO_PACK_ZSTD
                                                                  : IO_PACK_NONE;
}

bool io_packing_is_known(io_packing packing)
{
#ifdef UPSWEEP_ZLIB
    if (packing == IO_PACK_GZIP) {
        return true;
    }
#endif
#ifdef UPSWEEP_ZSTD
    if (packing == IO_PACK_ZSTD) {
        return true;
    }
#endif
    return packing == IO_PACK_NONE;
}

int io_packing_level_most(io_packing packing)
{
    return packing == IO_PACK_GZIP ? 9 : 19;
}

size_t io_packer_bytes(unsigned threads)
{
    return threads * (size_t)(BLOCK + PACKED + STATE);
}

io_packer *io_packer_new(io_packing packing, int level, unsigned threads)
{
    io_packer *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->packing = packing;
    p->level = level != 0 ? level : packing == IO_PACK_GZIP ? 6 : 3;
    p->blocks = threads < 1 ? 1 : threads < THREADS_MOST ? threads : THREADS_MOST;
    p->plain = malloc(p->blocks * (size_t)BLOCK);
    p->packed = malloc(p->blocks * (size_t)PACKED);
    if (p->plain == NULL || p->packed == NULL) {
        io_packer_free(p);
        return NULL;
    }
    return p;
}

void io_packer_free(io_packer *p)
{
    if (p != NULL) {
        free(p->plain);
        free(p->packed);
        free(p);
    }
}

#ifdef UPSWEEP_ZLIB
static size_t pack_gzip(const unsigned char *from, size_t bytes, unsigned char *to, int level)
{
    z_stream z = {0};
    if (deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return 0;
    }
    z.next_in = (unsigned char *)(uintptr_t)from; /* zlib only reads it */
    z.avail_in = (unsigned)bytes;
    z.next_out = to;
    z.avail_out = PACKED;
    int status = deflate(&z, Z_FINISH);
    size_t packed = status == Z_STREAM_END ? PACKED - z.avail_out : 0;
    deflateEnd(&z);
    return packed;
}
#endif

static void pack_block(void *context, size_t b, unsigned lane)
{
    io_packer *p = context;
    const unsigned char *from = p->plain + b * BLOCK;
    unsigned char *to = p->packed + b * PACKED;
    size_t bytes = p->plain_bytes[b];
    (void)lane;
    (void)from, (void)to, (void)bytes;
    p->packed_bytes[b] = 0;
#ifdef UPSWEEP_ZLIB
    if (p->packing == IO_PACK_GZIP) {
        p->packed_bytes[b] = pack_gzip(from, bytes, to, p->level);
    }
#endif
#ifdef UPSWEEP_ZSTD
    if (p->packing == IO_PACK_ZSTD) {
        size_t packed = ZSTD_compress(to, PACKED, from, bytes, p->level);
        p->packed_bytes[b] = ZSTD_isError(packed) ? 0 : packed;
    }
#endif
}

/* Packs the full blocks and hands them on. */
static int flush(io_packer *p, io_packer_take take, void *context)
{
    int status = 0;
    io_parallel(p->blocks, p->full, pack_block, p);
    for (unsigned b = 0; b < p->full && status == 0; b++) {
        if (p->packed_bytes[b] == 0) {
            errno = ENOMEM;
            return -1;
        }
        status = take(context, p->packed + b * (size_t)PACKED, p->packed_bytes[b]);
    }
    p->any |= p->full > 0;
    p->full = 0;
    return status;
}

int io_packer_add(io_packer *p, const void *bytes, size_t size, io_packer_take take, void *context)
{
    const unsigned char *from = bytes;
    int status = 0;
    while (size > 0 && status == 0) {
        size_t room = BLOCK - p->held, step = size < room ? size : room;
        memcpy(p->plain + p->full * (size_t)BLOCK + p->held, from, step);
        p->held += step;
        from += step;
        size -= step;
        if (p->held == BLOCK) {
            p->plain_bytes[p->full++] = BLOCK;
            p->held = 0;
        }
        status = p->full == p->blocks ? flush(p, take, context) : 0;
    }
    return status;
}

/* Of nothing at all one packed block is made, too, since an empty file is none that was packed. */
int io_packer_end(io_packer *p, io_packer_take take, void *context)
{
    if (p->held > 0 || (p->full == 0 && !p->any)) {
        p->plain_bytes[p->full++] = p->held;
        p->held = 0;
    }
    return flush(p, take, context);
}

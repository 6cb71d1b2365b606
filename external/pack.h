/* pack.h - blocks of temporary files packed by liblz4, and whether that pays.
 *
 * The library is not linked with it: it is opened when a sort beyond memory begins, and where it
 * is not there, or is older than 1.9.3, no block is packed. Stored is a checksum of 4 bytes and a
 * block in LZ4's format. Thread-safe.
 *
 * Source: Collet, "LZ4 block format description", github.com/lz4/lz4, 2011 to 2022; lz4.h there,
 * "in-place compression and decompression". */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_PACK_H
#define USW_EXTERNAL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    USW_PACK_HEAD = 16 << 10, /* a block whose first record is longer is not packed */
    USW_PACK_SUM = 4,         /* bytes of the checksum */
    USW_PACK_MOST = 1 << 20,  /* a block has fewer bytes */
    /* What has to lie between a block as it is unpacked and its stored bytes, if these end so many
     * bytes behind it: they may begin within it. */
    USW_PACK_MARGIN = (USW_PACK_MOST >> 8) + 64
};

/* Whether blocks can be packed. */
bool usw_pack_works(void);

/* Bytes that have to be there of a packed block to unpack its first `bytes`: with what says how
 * many bytes match nothing, a byte for each 255 of them. */
static inline size_t usw_pack_begin_bytes(size_t bytes)
{
    return USW_PACK_SUM + bytes + USW_PACK_MOST / 255 + 64;
}

/* Packs less than USW_PACK_MOST bytes into at most `room`; 0: they don't fit, or are more. Takes
 * 16 KB of the stack. Returns the bytes. */
size_t usw_pack(const unsigned char *from, size_t bytes, unsigned char *to, size_t room);
/* Unpacks a whole block of `bytes` bytes; false: it is damaged. */
bool usw_unpack(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes);
/* Its first `bytes`, without a look at the checksum; `stored` of it are there. */
bool usw_unpack_begin(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes);

/* What writing and packing took lately, each by one thread. */
typedef struct usw_ext_packing {
    enum { USW_PACK_WHERE_FASTER, USW_PACK_NEVER, USW_PACK_ALWAYS } wish;
    double written, write_seconds;
    double from, to, pack_seconds; /* bytes that were packed, and what became of them */
} usw_ext_packing;

void usw_packing_note_write(usw_ext_packing *p, size_t bytes, double seconds);
void usw_packing_note_pack(usw_ext_packing *p, size_t from, size_t to, double seconds);
bool usw_packing_pays(const usw_ext_packing *p);

#endif

/* pack.h - blocks of temporary files packed by a codec of our own, and whether that pays.
 *
 * Source of the format: Collet, "LZ4 block format description", github.com/lz4/lz4, 2011 to 2022;
 * of its idea: Ziv, Lempel, "A universal algorithm for sequential data compression", 1977. Stored
 * is a checksum of 4 bytes and such a block. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_PACK_H
#define USW_EXTERNAL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    USW_PACK_HEAD = 16 << 10, /* a block whose first record is longer is not packed */
    USW_PACK_SUM = 4,         /* bytes of the checksum */
    /* What has to lie between a block of less than 1 MB as it is unpacked and its stored bytes, if
     * these end so many bytes behind it: they may begin within it. */
    USW_PACK_MARGIN = 4096 + 64
};

/* Bytes that have to be there of a packed block to unpack its first `bytes`. */
static inline size_t usw_pack_begin_bytes(size_t bytes)
{
    return USW_PACK_SUM + bytes + bytes / 255 + 64;
}

/* Packs less than 1 MB into at most `room` bytes; 0: it does not fit, or hardly shrinks. 16 bytes
 * behind `from` may be read. Returns the bytes. */
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

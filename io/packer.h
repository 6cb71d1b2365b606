/* packer.h - compresses what is written, by gzip or zstd, in blocks by several threads: each block
 * is a gzip member or a zstd frame of its own, which readers of both take one after the other. The
 * bytes do not depend on the number of threads. zlib and libzstd do the work. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PACKER_H
#define IO_PACKER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum io_packing { IO_PACK_NONE, IO_PACK_GZIP, IO_PACK_ZSTD } io_packing;

/* What a file of this name is packed by: .gz, .zst, or nothing. NULL is allowed. */
io_packing io_packing_of_name(const char *name);
/* Whether this program was built with the library for it. */
bool io_packing_is_known(io_packing packing);
/* The greatest level; the least is 1. */
int io_packing_level_most(io_packing packing);

typedef struct io_packer io_packer;

/* Takes packed bytes. 0, or -1, which ends the packing. */
typedef int (*io_packer_take)(void *context, const void *bytes, size_t size);

/* level 0: that of the gzip and zstd commands, 6 and 3. NULL: out of memory. */
io_packer *io_packer_new(io_packing packing, int level, unsigned threads);
/* Memory that a packer takes, at the levels that it has without being asked. */
size_t io_packer_bytes(unsigned threads);
/* Appends; what is packed goes to take. 0, or -1 if take failed, or errno is ENOMEM. */
int io_packer_add(io_packer *p, const void *bytes, size_t size, io_packer_take take, void *context);
/* The last block. */
int io_packer_end(io_packer *p, io_packer_take take, void *context);
void io_packer_free(io_packer *p);

#endif

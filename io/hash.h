/* hash.h - XXH64, a checksum of 64 bits: github.com/Cyan4973/xxHash, doc/xxhash_spec.md. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_HASH_H
#define IO_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of a range with seed 0. */
uint64_t io_hash(const void *bytes, size_t size);
/* The checksum of the checksums of all pieces of 1 MiB, which several threads make. */
uint64_t io_hash_pieces(const void *bytes, size_t size, unsigned threads);

#endif

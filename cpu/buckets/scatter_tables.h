/* scatter_tables.h - constants and tables of cpu/buckets/scatter.h that are the same for all
 * widths. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_BUCKETS_SCATTER_TABLES_H
#define USW_CPU_BUCKETS_SCATTER_TABLES_H
#include "core/frame.h"
#include "cpu/buckets/write_combining.h"

enum {
    BLOCK_KEYS = 512,        /* mapped and classified at a time */
    LINE_BYTES = 256,        /* of keys of one bucket, which are written together */
    BUCKETS_MAX = 2048,      /* so that all lines fit 512 KB */
    STREAM_BYTES = 8u << 20, /* arrays of this size are written past the cache */
    CHUNK_KEYS = 64 * 1024   /* of a chunk, at least: fewer are not worth its tables */
};

static inline void copy_line(void *to, const void *from, bool stream)
{
    if (stream) {
        stream_line(to, from, LINE_BYTES);
    } else {
        memcpy(to, from, LINE_BYTES);
    }
}

/* Tables of a scatter; a sort takes them once, for all of its levels. */
typedef struct scatter_tables {
    size_t *next;     /* [chunks][buckets]: counts, then where a chunk writes next */
    usw_shares first; /* [lanes][buckets]: where the chunk began to write */
    usw_shares lines; /* [lanes][buckets][LINE_BYTES] */
    size_t chunks_max;
} scatter_tables;

static bool take_scatter_tables(upsweep *u, scatter_tables *tables)
{
    size_t lanes = u->threads;
    tables->chunks_max = 2 * lanes;
    tables->next = usw_scratch(u, tables->chunks_max * BUCKETS_MAX * sizeof(size_t));
    tables->first = usw_scratch_shares(u, lanes, BUCKETS_MAX * sizeof(size_t));
    tables->lines = usw_scratch_shares(u, lanes, (size_t)BUCKETS_MAX * LINE_BYTES);
    return tables->next != NULL && tables->first.at != NULL && tables->lines.at != NULL;
}

#endif

/* many_sources.h - searches from many sources side by side, each thread in memory of its own, a
 * lane; each search writes a row of distances and parents. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATHS_MANY_SOURCES_H
#define USW_CPU_PATHS_MANY_SOURCES_H

#include "cpu/paths/contract.h"

#include <stdatomic.h>

/* The arrays that one row is written to, with room for all its columns. */
typedef struct usw_path_slot {
    size_t count;
    uint32_t *vertex; /* NULL, or gets the vertices of the columns */
    void *distance;
    uint32_t *parent; /* NULL: not asked for */
} usw_path_slot;

/* What one thread searches in, clean between two searches: no distance, parent or mark is set. */
typedef struct usw_path_lane {
    usw_path_scratch scratch;
    void *distance;
    uint32_t *parent, *work; /* n and 2 n, where parents are asked for */
    uint32_t *list;          /* the vertices that the last search touched, ascending */
    uint64_t *marks, *upper; /* a bit for each vertex, and one for each word of marks */
    usw_climb climb;         /* distance NULL: no search takes the core */
    bool everywhere;         /* the last search touched all vertices */
    size_t failed;           /* the first source whose search failed but for memory, or SIZE_MAX */
    upsweep_status status;   /* of that search */
} usw_path_lane;

typedef struct usw_path_batch {
    upsweep *u;
    const upsweep_graph *graph;
    const usw_path_form *form;
    const uint32_t *sources;
    size_t source_count, distance_bytes;
    upsweep_batch_options o;
    double delta; /* as asked for, or 0; o.delta is the width that searches use */
    bool parents;
    usw_path_lane *lane;
    size_t lanes, slab_bytes;
    /* The sources that usw_path_lanes_run searches from: begin to begin + count. */
    size_t begin, count;
    unsigned char *done; /* [i] whether the search from source begin + i is done */
    atomic_size_t next;
    atomic_bool stop;
    usw_path_slot *slot;   /* [i] where the row of source begin + i goes, or NULL: */
    unsigned char *rows;   /* then rows go to the caller's matrix of distances, */
    uint32_t *parent_rows; /* and of parents, if that is not NULL */
} usw_path_batch;

/* Takes scratch for as many lanes as the scratch limit allows, up to one a thread. */
upsweep_status usw_path_lanes_begin(usw_path_batch *b);
/* How many columns the row of source s has, and where the row begins in the matrix of all rows. */
size_t usw_path_columns(const usw_path_batch *b, size_t s);
size_t usw_path_row_begin(const usw_path_batch *b, size_t s);
/* Searches with all lanes from the `count` sources from `begin` on; `first`, unless NULL, runs
 * beside the searches. */
upsweep_status usw_path_lanes_run(usw_path_batch *b, void (*first)(void *context), void *context);

#endif

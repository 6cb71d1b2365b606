/* many_sources.h - searches from many sources side by side, each thread in a lane of its own. */
#ifndef USW_CPU_PATHS_MANY_SOURCES_H
#define USW_CPU_PATHS_MANY_SOURCES_H

#include "cpu/paths/contract.h"

#include <stdatomic.h>

/* One row, with room for all its columns. */
typedef struct usw_path_slot {
    size_t count;
    uint32_t *vertex; /* NULL, or which vertices the columns are */
    void *distance;
    uint32_t *parent; /* NULL: not asked for */
} usw_path_slot;

/* What one thread searches in, clean between two searches: no distance, parent or mark is set. */
typedef struct usw_path_lane {
    usw_path_scratch room;
    void *distance;
    uint32_t *parent, *work; /* n and 2 n, where parents are asked for */
    uint32_t *list;          /* n / 4, the vertices of the last search, ascending */
    uint64_t *marks, *upper; /* a bit a vertex, and a bit for each word of those */
    usw_climb climb;         /* distance NULL: searches do without the core */
    bool everywhere;         /* the last search touched all vertices */
    size_t failed;           /* the first source whose search failed for good, or SIZE_MAX */
    upsweep_status status;   /* and how */
} usw_path_lane;

typedef struct usw_path_batch {
    upsweep *u;
    const upsweep_graph *graph;
    const usw_path_form *form;
    const uint32_t *sources;
    size_t source_count, distance_bytes;
    upsweep_batch_options o;
    double delta; /* that was asked for; o.delta is what searches use */
    bool parents;
    usw_path_lane *lane;
    size_t lanes, slab_bytes;
    /* The sources of the run at hand: begin + i goes to slot_of(batch, i). */
    size_t begin, count;
    unsigned char *done; /* of the run, by i: its search came to an end */
    atomic_size_t next;
    atomic_bool stop;
    usw_path_slot *slot;   /* slots of the run, or NULL: */
    unsigned char *rows;   /* the caller's array of distances, */
    uint32_t *parent_rows; /* and of parents, or NULL */
} usw_path_batch;

/* Takes the lanes out of scratch, as many as it allows. */
upsweep_status usw_path_lanes_begin(usw_path_batch *b);
/* Columns of the row of source s, and where it begins in the matrix of all rows. */
size_t usw_path_columns(const usw_path_batch *b, size_t s);
size_t usw_path_row_begin(const usw_path_batch *b, size_t s);
/* Searches with all lanes until every source of the run is done; `first`, unless NULL, is run
 * beside them. */
upsweep_status usw_path_lanes_run(usw_path_batch *b, void (*first)(void *context), void *context);

#endif

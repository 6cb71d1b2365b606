/* paths.h - queries for shortest paths, as the public calls hand them to a form. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_PATHS_H
#define USW_PATHS_H

#include "core/forms.h"
#include "core/graph.h"

typedef struct usw_path_query {
    const upsweep_graph *graph;
    const uint32_t *sources, *targets;
    size_t source_count, target_count;
    void *distance;
    const void *cutoff;  /* NULL: none */
    double delta;        /* width of a bucket, > 0 */
    const void *offsets; /* NULL, or how far each source is to begin with */
} usw_path_query;

/* What one search works in. It may be kept for another query. */
typedef struct usw_path_scratch {
    upsweep *u;  /* whose scratch it may take more of; NULL: what is here must do (in a task) */
    void *queue; /* usw_path_form.queue_bytes */
    unsigned char *slab;
    size_t slab_bytes;
    bool wiped;        /* distances are "not reached" everywhere before the search */
    uint32_t *touched; /* NULL, or where the search may note touched_most vertices for itself */
    size_t touched_most;
    uint32_t *relaxed; /* NULL, or room for a number a vertex: where the graph's rows are sorted */
    uint32_t culprit;  /* the vertex whose distance does not fit */
    size_t patience;   /* 0, or after how many entries the search gives up: */
    bool gave_up;      /* then distances are set here and there */
} usw_path_scratch;

/* A query whose matrix is given instead of a graph; upsweep.h says what it means. */
typedef struct usw_dense_query {
    usw_path_query q;
    const void *matrix;
    size_t n;
    upsweep_type type;
} usw_dense_query;

struct usw_path_form {
    size_t queue_bytes;
    /* Fills distance on the calling thread; of the handle it uses only the scratch of room->u.
     * UPSWEEP_ERROR_MEMORY: the slab was too small; UPSWEEP_ERROR_RANGE: see culprit. With targets,
     * vertices beyond the farthest of them may be left with too great a distance. */
    upsweep_status (*search)(usw_path_scratch *scratch, const usw_path_query *q);
    /* After a search: how many vertices stand in room->touched, among them all whose distance it
     * has set, some more than once; SIZE_MAX when they were too many. NULL: it never notes any. */
    size_t (*touched)(const usw_path_scratch *scratch, const upsweep_graph *g);
    /* NULL, or the same by all of the handle's threads, for queries without targets. relaxed: as in
     * usw_path_scratch. UPSWEEP_ERROR_MEMORY: there was too little scratch, or there are no
     * threads, or (*held_up) other programs kept these from working; a search by one thread may
     * do. held_up NULL: threads are waited for, however long. */
    upsweep_status (*parallel)(upsweep *u, const usw_path_query *q, uint32_t *relaxed,
                               uint32_t *culprit, bool *held_up);
    /* NULL, or the paths in a matrix. */
    upsweep_status (*dense)(upsweep *u, const usw_dense_query *q, uint32_t *parent);
};

/* ---- cpu/paths/parents.c: what is the same for every form ---- */

/* Makes the distances of these vertices (list NULL: of the first count) "not reached". */
void usw_distances_clear(const upsweep_graph *g, void *distance, const uint32_t *list,
                         size_t count);
bool usw_distance_is_set(const upsweep_graph *g, const void *distance, size_t v);
/* Makes all distances beyond the farthest target "not reached". */
void usw_distances_forget(const usw_path_query *q);
/* Whether a vertex is left unreached only because its distance does not fit: *culprit is one. For
 * searches that met such a sum and went on to their end; without the check the vertex would pass
 * for one that no path leads to. Queries with a cutoff have none. */
bool usw_distance_lost(const usw_path_query *q, uint32_t *culprit);

/* From finished distances, the parents of the vertices in list (NULL: of all), in ascending order:
 * they must be all that are reached, and have no parent yet. Of nearer vertices the one with the
 * least id, so the same for every order of work. work has room for 2 n ids. */
void usw_path_parents(const usw_path_query *q, const uint32_t *list, size_t count, uint32_t *parent,
                      uint32_t *work);
/* The same where weights may be negative: along paths of the fewest arcs, then the least id. */
void usw_path_parents_by_rounds(const usw_path_query *q, uint32_t *parent, uint32_t *work);

/* ---- calls/paths.c: what several calls share ---- */

upsweep_status usw_check_ids(upsweep *u, const char *what, const uint32_t *ids, size_t count,
                             size_t vertices);
/* The graph is one that the path forms take. */
upsweep_status usw_check_graph(upsweep *u, const upsweep_graph *g);
upsweep_status usw_take_path_options(upsweep *u, const upsweep_path_options *options,
                                     upsweep_path_options *o);
upsweep_status usw_check_path_options(upsweep *u, const upsweep_path_options *o, size_t vertices);
/* The form by this name, or that for NULL; NULL with *status set and usw_fail called. */
const usw_path_form *usw_path_form_for(upsweep *u, const char *algorithm, upsweep_status *status);
double usw_choose_delta(const upsweep_graph *g);
/* Says why a search failed. */
upsweep_status usw_path_failure(upsweep *u, upsweep_status status, const usw_path_scratch *scratch,
                                upsweep_type type);

#endif

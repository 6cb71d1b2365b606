/* paths.h - a query for shortest paths, as core/api_paths.c hands it to a form. */
#ifndef USW_PATHS_H
#define USW_PATHS_H

#include "graph.h"

typedef struct usw_path_query {
    const upsweep_graph *graph;
    const uint32_t *sources, *targets;
    size_t source_count, target_count;
    void *distance;
    const void *cutoff; /* NULL: none */
    double delta;       /* width of a bucket, > 0 */
} usw_path_query;

/* Fills distance. All ids are in range. Scratch runs out with UPSWEEP_ERROR_MEMORY. */
typedef struct usw_path_form {
    upsweep_status (*run)(upsweep *u, const usw_path_query *q);
    /* From finished distances; least id first, so the same for every order of work. */
    upsweep_status (*parents)(upsweep *u, const usw_path_query *q, uint32_t *parent);
} usw_path_form;

USW_DECLARE_PER_ISA(usw_path_form, usw_path_bucket_cpu);

#endif

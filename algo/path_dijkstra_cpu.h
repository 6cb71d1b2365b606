/* path_dijkstra_cpu.h - Dijkstra's shortest paths with the minimum found by vectors.
 *
 * Same as the explained form: settle the nearest open vertex, relax its arcs, find the nearest
 * again. Differs: in a matrix, relaxing a row and reducing to the minimum is one sweep, so a step
 * reads each array once; the sweep keeps the least key of each block, and the vertex is found in
 * the first block that has it. The time is that of V^2 steps whatever the arcs, and for matrices
 * beyond the cache that of reading the matrix once. With few arcs (a graph by rows) the minimum
 * alone costs as much, which is why path/bucket is the form for those.
 *
 * penalty[v] is DIST_MAX once v is settled, else 0: the key of v is the greater of it and its
 * distance. No distance is negative, so keys compare as the unsigned integers of their bits, floats
 * too, and compilers turn the minimum into vectors. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/paths.h"

enum { BLOCK = 1024 };

/* The nearest open vertex, found block by block. */
typedef struct nearest {
    uint64_t key; /* bits of its distance */
    size_t begin; /* of the first block that has it */
} nearest;

#define PATH_BODY "cpu/paths/dense_matrix.h"
#include "cpu/paths/each_weight_kind.h"

static upsweep_status search(usw_path_scratch *scratch, const usw_path_query *q)
{
    size_t n = q->graph->vertices, bytes = n * 8;
    void *penalty = scratch->slab_bytes >= bytes ? scratch->slab
                    : scratch->u != NULL         ? usw_scratch(scratch->u, bytes)
                                                 : NULL;
    return penalty == NULL ? UPSWEEP_ERROR_MEMORY : BY_KIND(q->graph, search)(scratch, q, penalty);
}

static upsweep_status dense(upsweep *u, const usw_dense_query *d, uint32_t *parent)
{
    size_t n = d->n;
    void *penalty = usw_scratch(u, n * 8);
    uint32_t *work = parent == NULL ? NULL : usw_scratch(u, 2 * n * sizeof *work);
    if (penalty == NULL || (parent != NULL && work == NULL)) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu vertices", n);
    }
    switch (d->type) {
    case UPSWEEP_U32: return dense_u32(u, d, penalty, parent, work);
    case UPSWEEP_U64: return dense_u64(u, d, penalty, parent, work);
    case UPSWEEP_F32: return dense_f32(u, d, penalty, parent, work);
    default: return dense_f64(u, d, penalty, parent, work);
    }
}

const usw_path_form USW_SYMBOL(usw_path_dijkstra_cpu) = {.search = search, .dense = dense};

/* paths_verify.c - `--verify`: a certificate in one look at every arc, without the library.
 *
 * The distances are the shortest if and only if
 *   - sources have distance 0,
 *   - no arc shows a shorter way: distance[head] <= distance[tail] + weight,
 *   - every other vertex that is reached has a parent with an arc of just the right weight, and the
 *     parents lead to a source and not round in a circle.
 * With a cutoff, or when a query stopped at its farthest target, the second holds for what lies
 * within it. The arcs are those that were read from the file. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/paths_verb.h"

#include "io/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const io_graph *g;
    upsweep_type type;
    const void *distance;
    const uint32_t *parent;
    const void *limit;             /* one distance; NULL: none */
    _Atomic unsigned char *proven; /* vertices whose parent has the right arc */
    atomic_size_t fault;           /* the first arc that shows a shorter way */
} check;

#define DISTANCE uint32_t
#define FN(name) name##_u32
#define UNREACHED(d) ((d) == UINT32_MAX)
#include "app/paths/paths_verify_arcs.h"
#define DISTANCE uint64_t
#define FN(name) name##_u64
#define UNREACHED(d) ((d) == UINT64_MAX)
#include "app/paths/paths_verify_arcs.h"
#define DISTANCE int64_t
#define FN(name) name##_i64
#define UNREACHED(d) ((d) == INT64_MAX)
#include "app/paths/paths_verify_arcs.h"
#define DISTANCE float
#define FLOATING
#define FN(name) name##_f32
#define UNREACHED(d) (isinf(d))
#include "app/paths/paths_verify_arcs.h"
#define DISTANCE double
#define FLOATING
#define FN(name) name##_f64
#define UNREACHED(d) (isinf(d))
#include "app/paths/paths_verify_arcs.h"

static void check_arcs(check *c, unsigned threads)
{
    size_t tasks = (c->g->arcs + VERIFY_PIECE - 1) / VERIFY_PIECE;
    switch (c->type) {
    case UPSWEEP_U32: io_parallel(threads, tasks, check_piece_u32, c); break;
    case UPSWEEP_U64: io_parallel(threads, tasks, check_piece_u64, c); break;
    case UPSWEEP_I64: io_parallel(threads, tasks, check_piece_i64, c); break;
    case UPSWEEP_F32: io_parallel(threads, tasks, check_piece_f32, c); break;
    default: io_parallel(threads, tasks, check_piece_f64, c); break;
    }
}

static void name_vertex(const app_paths *p, uint32_t v, char text[64])
{
    app_vertex_name(&p->g, v, text, 64);
}

/* The least of the cutoff and, if all targets were reached, the farthest of them. */
static const void *find_limit(const app_paths *p, const app_answer *a)
{
    const void *limit = p->settings->cutoff != NULL ? &p->cutoff : NULL, *farthest = NULL;
    for (size_t i = 0; a->targets != NULL && i < a->target_count; i++) {
        const void *d = app_paths_distance(p, a->targets[i]);
        if (!app_paths_reached(p, a->targets[i])) {
            return limit;
        }
        if (farthest == NULL || io_number_value(p->type, d) > io_number_value(p->type, farthest)) {
            farthest = d;
        }
    }
    bool nearer = farthest != NULL && (limit == NULL || io_number_value(p->type, farthest) <
                                                            io_number_value(p->type, limit));
    return nearer ? farthest : limit;
}

static int check_sources(const app_paths *p, const app_answer *a, unsigned char *state)
{
    for (size_t i = 0; i < a->source_count; i++) {
        uint32_t v = a->sources[i];
        char name[64];
        name_vertex(p, v, name);
        if (!app_paths_reached(p, v) || io_number_value(p->type, app_paths_distance(p, v)) != 0 ||
            p->parent[v] != UPSWEEP_NO_VERTEX) {
            app_fail("verify: the source %s has a distance that is not 0, or a parent", name);
            return APP_NO;
        }
        state[v] = 2;
    }
    return APP_OK;
}

/* Follows parents until a vertex that is known to hang on a source; marks the way as such. */
static int check_tree(const app_paths *p, const check *c, unsigned char *state)
{
    char name[64];
    for (size_t i = 0; i < p->g.vertices; i++) {
        uint32_t v = (uint32_t)i;
        name_vertex(p, v, name);
        if (!app_paths_reached(p, v)) {
            if (p->parent[v] != UPSWEEP_NO_VERTEX) {
                app_fail("verify: vertex %s is not reached and has a parent", name);
                return APP_NO;
            }
            continue;
        }
        for (; state[v] == 0; v = p->parent[v]) {
            if (!c->proven[v]) {
                name_vertex(p, v, name);
                app_fail("verify: no arc from its parent gives vertex %s its distance", name);
                return APP_NO;
            }
            state[v] = 1;
        }
        if (state[v] == 1) {
            name_vertex(p, v, name);
            app_fail("verify: the parents of vertex %s run in a circle", name);
            return APP_NO;
        }
        for (v = (uint32_t)i; state[v] == 1; v = p->parent[v]) {
            state[v] = 2;
        }
    }
    return APP_OK;
}

int app_paths_verify(app_paths *p, const app_answer *a)
{
    size_t n = p->g.vertices;
    check c = {.g = &p->g,
               .type = p->type,
               .distance = p->distance,
               .parent = p->parent,
               .limit = find_limit(p, a),
               .proven = calloc(n + 1, 1)};
    unsigned char *state = calloc(n + 1, 1);
    int status = APP_ERROR;
    if (c.proven == NULL || state == NULL || !io_graph_to_list(&p->g)) {
        app_fail("verify: no memory for %zu vertices", n);
    } else {
        atomic_store(&c.fault, SIZE_MAX);
        check_arcs(&c, app_io_threads(&p->settings->common));
        size_t fault = atomic_load(&c.fault);
        status = check_sources(p, a, state);
        if (status == APP_OK && fault != SIZE_MAX) {
            char tail[64], head[64];
            name_vertex(p, p->g.tail[fault], tail);
            name_vertex(p, p->g.head[fault], head);
            app_fail("verify: the arc between %s and %s shows a shorter way", tail, head);
            status = APP_NO;
        }
        status = status == APP_OK ? check_tree(p, &c, state) : status;
    }
    free((void *)c.proven);
    free(state);
    return status;
}

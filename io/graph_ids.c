/* graph_ids.c - ids far apart, as road files of surveys have them: the vertices are those that arcs
 * name, numbered by rising id, and the graph keeps the ids. All ids of all arcs are sorted along
 * with their places, so that equal ones lie side by side and their number goes back to each. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_table.h"

#include "io/memory.h"

enum { FEW = 1 << 20 }; /* vertices that cost nothing */

bool io_ids_sparse(const io_graph_options *o, const io_records *r)
{
    bool wide = r->type[0] == UPSWEEP_U64;
    bool rare = r->ids > FEW && r->ids / 4 > r->count; /* most ids have no arc */
    return o->ids == IO_IDS_USED || (o->ids == IO_IDS_FIND && (wide || rare));
}

typedef struct job {
    size_t count; /* ids: two for each arc */
    uint64_t *key;
    uint32_t *place32; /* which of the ids it is; one of the two arrays is there */
    uint64_t *place64;
} job;

static void gather(job *j, const io_records *r)
{
    for (size_t i = 0; i < j->count; i++) {
        size_t k = i < r->count ? i : i - r->count;
        const void *column = r->column[i >= r->count];
        j->key[i] = r->type[0] == UPSWEEP_U64 ? ((const uint64_t *)column)[k]
                                              : ((const uint32_t *)column)[k];
        if (j->place32 != NULL) {
            j->place32[i] = (uint32_t)i;
        } else {
            j->place64[i] = i;
        }
    }
}

static bool sort(const job *j, const io_graph_file *f)
{
    upsweep_config config = {.size = sizeof config, .threads = f->options->threads};
    upsweep *u = NULL;
    upsweep_status status = upsweep_open(&u, "cpu", &config);
    if (status == UPSWEEP_OK) {
        void *places = j->place32 != NULL ? (void *)j->place32 : (void *)j->place64;
        status = upsweep_sort_pairs(u, j->key, places, j->count, UPSWEEP_U64,
                                    j->place32 != NULL ? 4 : 8, NULL);
    }
    bool ok = status == UPSWEEP_OK;
    if (!ok) {
        io_because(f->error, "%s: its ids cannot be sorted: %s", f->name,
                   u != NULL ? upsweep_error(u) : upsweep_status_name(status));
    }
    upsweep_close(u);
    return ok;
}

/* Numbers the sorted ids and takes the numbers back to the arcs. */
static bool number_ids(io_graph *g, const io_graph_file *f, const job *j, size_t arcs)
{
    size_t different = 1;
    for (size_t i = 1; i < j->count; i++) {
        different += j->key[i] != j->key[i - 1];
    }
    if (different > IO_VERTICES_MAX) {
        return io_because(f->error, "%s: has %zu vertices, more than 2^32 - 2", f->name, different);
    }
    g->ids = io_graph_take(g, different * sizeof *g->ids);
    if (g->ids == NULL) {
        return io_because(f->error, "%s: no memory for %zu ids", f->name, different);
    }
    for (size_t i = 0; i < j->count; i++) {
        if (i == 0 || j->key[i] != j->key[i - 1]) {
            g->ids[g->vertices++] = j->key[i] + g->base;
        }
        size_t place = j->place32 != NULL ? j->place32[i] : (size_t)j->place64[i];
        uint32_t *to = place < arcs ? g->tail : g->head;
        to[place < arcs ? place : place - arcs] = (uint32_t)(g->vertices - 1);
    }
    return true;
}

bool io_ids_number(io_graph *g, const io_graph_file *f, const io_records *r)
{
    job j = {.count = 2 * r->count};
    bool narrow = j.count <= UINT32_MAX;
    size_t place_bytes = j.count * (narrow ? 4 : 8);
    void *places = io_memory_take(place_bytes);
    j.key = io_memory_take(j.count * sizeof *j.key);
    j.place32 = narrow ? places : NULL;
    j.place64 = narrow ? NULL : places;
    g->tail = io_graph_take(g, r->count * sizeof *g->tail);
    g->head = io_graph_take(g, r->count * sizeof *g->head);
    bool ok = places != NULL && j.key != NULL && g->tail != NULL && g->head != NULL;
    if (!ok) {
        io_because(f->error, "%s: no memory to number its %zu ids", f->name, j.count);
    } else {
        gather(&j, r);
        ok = sort(&j, f) && number_ids(g, f, &j, r->count);
    }
    io_memory_give(places, place_bytes);
    io_memory_give(j.key, j.count * sizeof *j.key);
    return ok;
}

uint64_t io_graph_id(const io_graph *g, uint32_t v)
{
    return g->ids != NULL ? g->ids[v] : (uint64_t)v + g->base;
}

bool io_graph_find_id(const io_graph *g, uint64_t id, uint32_t *v)
{
    if (g->ids == NULL) {
        *v = (uint32_t)(id - g->base);
        return id >= g->base && id - g->base < g->vertices;
    }
    size_t from = 0, to = g->vertices;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        from = g->ids[middle] < id ? middle + 1 : from;
        to = g->ids[middle] < id ? to : middle;
    }
    *v = (uint32_t)from;
    return from < g->vertices && g->ids[from] == id;
}

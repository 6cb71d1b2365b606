/* fuzz_graph.c - hostile graph files. The first byte picks the format and what is asked of it, the
 * second what is asked of tables, the rest is the file. What is read must be a graph that the
 * library takes, and what is written of it must read back as the same; what is refused must be
 * refused with a reason, the same by one thread and by three. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/graph_file.h"
#include "io/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of these bytes that has a name but lies in memory. */
static int open_file(const uint8_t *data, size_t size, char name[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(name, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static int same(const io_graph *a, const io_graph *b)
{
    size_t bytes = a->weight == NULL ? 0 : upsweep_type_bytes(a->weight_type);
    return a->vertices == b->vertices && a->arcs == b->arcs && a->weight_type == b->weight_type &&
           (a->arcs == 0 || (memcmp(a->tail, b->tail, a->arcs * 4) == 0 &&
                             memcmp(a->head, b->head, a->arcs * 4) == 0 &&
                             (bytes == 0 || memcmp(a->weight, b->weight, a->arcs * bytes) == 0)));
}

static int same_vertices(const io_graph *a, const io_graph *b)
{
    for (uint32_t v = 0; v < a->vertices; v++) {
        if (a->names != NULL
                ? strcmp(io_names_word(a->names, v, NULL), io_names_word(b->names, v, NULL)) != 0
                : io_graph_id(a, v) != io_graph_id(b, v)) {
            return 0;
        }
    }
    return 1;
}

/* Ids and rows within bounds, weights not negative: by hand, since the library might need gigabytes
 * for a few words that name a far vertex. */
static void check(io_graph *g)
{
    if (!io_graph_to_list(g)) {
        abort();
    }
    for (size_t v = 1; g->ids != NULL && v < g->vertices; v++) {
        if (g->ids[v - 1] >= g->ids[v]) {
            abort();
        }
    }
    for (size_t i = 0; i < g->arcs; i++) {
        if (g->tail[i] >= g->vertices || g->head[i] >= g->vertices) {
            abort();
        }
        if (!g->negative && g->weight_type == UPSWEEP_I64) {
            abort();
        }
        if (g->negative) {
            continue;
        }
        if ((g->weight_type == UPSWEEP_F64 && !(((const double *)g->weight)[i] >= 0)) ||
            (g->weight_type == UPSWEEP_F32 && !(((const float *)g->weight)[i] >= 0))) {
            abort();
        }
    }
}

/* Text goes out and comes back; the graph must be the same. Names and ids far apart go through a
 * table. */
static void there_and_back(io_graph *g)
{
    io_output out = {.name = "fuzz", .fd = memfd_create("back", MFD_CLOEXEC), .plain = true};
    io_error error = {0};
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", out.fd);
    int table = g->names != NULL || g->ids != NULL;
    io_graph again;
    io_graph_options options = {.format = table ? IO_GRAPH_CSV : IO_GRAPH_MTX,
                                .threads = 1,
                                .by_names = g->names != NULL,
                                .header = table ? IO_HEADER_YES : IO_HEADER_FIND,
                                .ids = g->ids != NULL ? IO_IDS_USED : IO_IDS_FIND,
                                .negative = g->negative,
                                .weight_type = g->weight == NULL ? 0 : g->weight_type};
    if (!io_graph_write(g, &out, options.format, 1, NULL, &error)) {
        abort();
    }
    if (!io_graph_read(&again, name, &options, &error) || (!g->undirected && !same(g, &again)) ||
        (table && !same_vertices(g, &again))) {
        abort();
    }
    io_graph_free(&again);
    close(out.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    static const char *const columns[] = {NULL, "1,2", "2,1,3", "from,to"};
    if (size < 2) {
        return 0;
    }
    unsigned wish = data[1];
    io_graph_options options = {.format = (io_graph_format)(1 + data[0] % 9),
                                .threads = 1,
                                .weight_type = types[data[0] / 9 % 5],
                                .by_names = data[0] >= 200,
                                .header = (io_header)(wish % 3),
                                .ids = (io_ids)(wish / 3 % 3),
                                .columns = columns[wish / 9 % 4],
                                .negative = wish / 36 % 2 == 1,
                                .delimiter = wish / 72 % 2 == 1 ? ';' : '\0'};
    if (options.negative &&
        (options.weight_type == UPSWEEP_U32 || options.weight_type == UPSWEEP_U64)) {
        options.weight_type = UPSWEEP_I64;
    }
    char name[64];
    int fd = open_file(data + 2, size - 2, name);
    io_graph one = {0}, three = {0};
    io_error error = {0}, other = {0};
    bool good = io_graph_read(&one, name, &options, &error);
    options.threads = 3;
    if (io_graph_read(&three, name, &options, &other) != good ||
        (!good && (error.text[0] == '\0' || strcmp(error.text, other.text) != 0))) {
        abort();
    }
    if (good) {
        check(&one);
        check(&three);
        if (!same(&one, &three)) {
            abort();
        }
        if (one.names == NULL || one.format != IO_GRAPH_USG) { /* whose names may be empty */
            there_and_back(&one);
        }
    }
    io_graph_free(&one);
    io_graph_free(&three);
    close(fd);
    return 0;
}

/* abi_0_1.c - what programs that were linked with 0.1.0 find in the shared library: the calls whose
 * structs or numbers are others now, as they were (docs/abi.md). cmake/upsweep.map has the
 * versions; the static library has none of this, since a program is compiled anew to link it. */
/* SPDX-License-Identifier: MIT */
#include "core/structs.h"

/* Declares and begins a function that the shared library exports as name@UPSWEEP_0.1. */
#if __has_attribute(symver)
#define USW_AS_OF_0_1(type, name, ...)                                                             \
    UPSWEEP_API __attribute__((symver(#name "@UPSWEEP_0.1"))) type usw_0_1_##name(__VA_ARGS__);    \
    type usw_0_1_##name(__VA_ARGS__)
#else
#define USW_AS_OF_0_1(type, name, ...)                                                             \
    __asm__(".symver usw_0_1_" #name "," #name "@UPSWEEP_0.1");                                    \
    UPSWEEP_API type usw_0_1_##name(__VA_ARGS__);                                                  \
    type usw_0_1_##name(__VA_ARGS__)
#endif

/* ---- structs as they were: none had a size ---- */

typedef struct report_0_1 {
    const char *algorithm, *reason, *isa, *device;
    unsigned threads;
    size_t scratch_bytes;
} report_0_1;

typedef struct machine_0_1 {
    char cpu[128];
    unsigned cores;
    const char *isa;
    size_t cache_bytes[3];
    size_t memory_bytes;
    unsigned gpus;
    char gpu[256];
    char gpu_plugin[512];
} machine_0_1;

typedef struct graph_info_0_1 {
    size_t vertices, arcs;
    upsweep_type weight_type, distance_type;
    double weight_mean, weight_max;
    size_t degree_max, bytes;
} graph_info_0_1;

typedef struct picture_0_1 {
    const char *kernel;
    size_t number, changed;
} picture_0_1;

typedef struct field_0_1 {
    size_t offset;
    upsweep_type type;
    size_t bytes;
    unsigned flags;
} field_0_1;

/* The reason stays in the handle, as it did. */
static void report_of(const upsweep *u, report_0_1 *report)
{
    upsweep *own = (upsweep *)(uintptr_t)u; /* the words are no part of what const protects */
    usw_lock(own);
    usw_settle_report(own);
    *report = (report_0_1){u->report.algorithm, u->report.reason,  u->report.isa,
                           u->report.device,    u->report.threads, u->report.scratch_bytes};
    usw_unlock(own);
}

USW_AS_OF_0_1(void, upsweep_last_report, const upsweep *u, report_0_1 *report)
{
    if (report != NULL && u == NULL) {
        *report = (report_0_1){"", "", "", "", 0, 0};
    } else if (report != NULL) {
        report_of(u, report);
    }
}

USW_AS_OF_0_1(upsweep_status, upsweep_explain_choice, upsweep *u, size_t n, upsweep_type type,
              const upsweep_options *options, report_0_1 *report)
{
    upsweep_report all = UPSWEEP_REPORT_INIT;
    upsweep_status status =
        upsweep_explain_choice(u, n, type, options, report == NULL ? NULL : &all);
    if (status == UPSWEEP_OK && report != NULL) {
        report_of(u, report);
    }
    return status;
}

USW_AS_OF_0_1(void, upsweep_describe_machine, machine_0_1 *machine)
{
    upsweep_machine all = UPSWEEP_MACHINE_INIT;
    if (machine == NULL || upsweep_describe_machine(&all) != UPSWEEP_OK) {
        return;
    }
    machine_0_1 m = {.cores = all.cores, .isa = all.isa, .gpus = all.gpus};
    m.memory_bytes = all.memory_bytes;
    memcpy(m.cpu, all.cpu, sizeof m.cpu);
    memcpy(m.cache_bytes, all.cache_bytes, sizeof m.cache_bytes);
    memcpy(m.gpu, all.gpu, sizeof m.gpu);
    memcpy(m.gpu_plugin, all.gpu_plugin, sizeof m.gpu_plugin);
    *machine = m;
}

USW_AS_OF_0_1(void, upsweep_graph_describe, const upsweep_graph *graph, graph_info_0_1 *info)
{
    upsweep_graph_info all = UPSWEEP_GRAPH_INFO_INIT;
    if (info != NULL) {
        (void)upsweep_graph_describe(graph, &all);
        *info =
            (graph_info_0_1){all.vertices,    all.arcs,       all.weight_type, all.distance_type,
                             all.weight_mean, all.weight_max, all.degree_max,  all.bytes};
    }
}

USW_AS_OF_0_1(upsweep_status, upsweep_film_at, const upsweep_film *film, size_t i,
              picture_0_1 *picture)
{
    upsweep_picture all = UPSWEEP_PICTURE_INIT;
    upsweep_status status = upsweep_film_at(film, i, picture == NULL ? NULL : &all);
    if (status == UPSWEEP_OK && picture != NULL) {
        *picture = (picture_0_1){all.kernel, all.number, all.changed};
    }
    return status;
}

/* The tuning had a size, but this call did not read it. */
USW_AS_OF_0_1(upsweep_status, upsweep_get_tuning, upsweep *u, upsweep_tuning *tuning)
{
    if (tuning != NULL) {
        tuning->size = USW_TUNING_FIRST;
    }
    return upsweep_get_tuning(u, tuning);
}

static void convert_fields(upsweep_field *to, const field_0_1 *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (upsweep_field){.offset = from[i].offset,
                                .type = from[i].type,
                                .bytes = from[i].bytes,
                                .flags = from[i].flags};
    }
}

USW_AS_OF_0_1(upsweep_status, upsweep_sort_records, upsweep *u, void *records, size_t n,
              size_t record_bytes, const field_0_1 *fields, size_t field_count,
              const upsweep_options *options)
{
    enum { FEW = 32 };
    upsweep_field few[FEW] = {{0}}, *all = few;
    size_t bytes = 0;
    if (u == NULL || fields == NULL) {
        return upsweep_sort_records(u, records, n, record_bytes, NULL, field_count, options);
    }
    if (field_count > FEW) {
        usw_lock(u);
        all = usw_mul_overflows(field_count, sizeof *all, &bytes)
                  ? NULL
                  : usw_allocate(u, bytes, sizeof(void *));
        if (all == NULL) {
            usw_say(u, "no memory for %zu fields", field_count);
        }
        usw_unlock(u);
        if (all == NULL) {
            return UPSWEEP_ERROR_MEMORY;
        }
    }
    convert_fields(all, fields, field_count);
    upsweep_status status =
        upsweep_sort_records(u, records, n, record_bytes, all, field_count, options);
    if (all != few) {
        usw_lock(u);
        usw_release(u, all, bytes);
        usw_unlock(u);
    }
    return status;
}

/* ---- flags that had lower numbers; others than those are refused as they were ---- */

static unsigned graph_flags(unsigned flags)
{
    unsigned known = UPSWEEP_GRAPH_UNDIRECTED | UPSWEEP_GRAPH_SYMMETRIC | UPSWEEP_GRAPH_NEGATIVE;
    return flags >> 16 == 0 ? (flags << 16 & known) | (flags & ~(known >> 16)) : ~known;
}

USW_AS_OF_0_1(upsweep_status, upsweep_graph_from_arcs, upsweep *u, size_t vertex_count,
              size_t arc_count, const uint32_t *tail, const uint32_t *head, const void *weight,
              upsweep_type weight_type, unsigned flags, upsweep_graph **graph)
{
    return upsweep_graph_from_arcs(u, vertex_count, arc_count, tail, head, weight, weight_type,
                                   graph_flags(flags), graph);
}

USW_AS_OF_0_1(upsweep_status, upsweep_graph_from_rows, upsweep *u, size_t vertex_count,
              const uint64_t *begin, const uint32_t *head, const void *weight,
              upsweep_type weight_type, unsigned flags, upsweep_graph **graph)
{
    return upsweep_graph_from_rows(u, vertex_count, begin, head, weight, weight_type,
                                   graph_flags(flags), graph);
}

USW_AS_OF_0_1(upsweep_status, upsweep_paths_batch, upsweep *u, const upsweep_graph *graph,
              const uint32_t *sources, size_t source_count, const upsweep_batch_options *options,
              upsweep_path_sink sink, void *context)
{
    upsweep_batch_options o = {.size = 0};
    const unsigned known = UPSWEEP_PATHS_PARENTS | UPSWEEP_PATHS_REACHED;
    if (options == NULL ||
        usw_take_struct(&o, sizeof o, options, USW_BATCH_OPTIONS_FIRST) != NULL) {
        return upsweep_paths_batch(u, graph, sources, source_count, options, sink, context);
    }
    o.size = sizeof o;
    o.flags = o.flags >> 20 == 0 ? (o.flags << 20 & known) | (o.flags & ~(known >> 20)) : ~known;
    return upsweep_paths_batch(u, graph, sources, source_count, &o, sink, context);
}

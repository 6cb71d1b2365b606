/* move.c - splits, buckets and moves on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"

typedef struct move_job {
    const usw_options *o;
    size_t n, bytes, limit; /* elements, of so many bytes; what indices are below */
    enum { GATHER, SCATTER, PERMUTE, REVERSE } move;
    unsigned index_bits;
    bool keep;
    const usw_buckets *b;
    size_t extents[3]; /* of a transposition: outer, length, inner */
} move_job;

static bool run(upsweep *u, usw_gpu_array *arrays, size_t count,
                upsweep_status (*work)(usw_gpu_call *), move_job *j, unsigned risk,
                unsigned other_risk, upsweep_status *status)
{
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = count, .work = work, .context = j};
    c.risks[0] = (usw_gpu_risk){risk, j->limit};
    c.risks[1] = (usw_gpu_risk){other_risk, j->limit};
    return usw_gpu_run(&c, status);
}

static const usw_gpu_move_step *moves(const usw_gpu_call *c)
{
    const move_job *j = c->context;
    usw_report(c->u, "", "%zu elements of %zu bytes on the GPU", j->n, j->bytes);
    return usw_gpu_form(c, "moves");
}

/* ---- split and compact ---- */

static upsweep_status split_work(usw_gpu_call *c)
{
    const move_job *j = c->context;
    const char *algorithm;
    const usw_gpu_split_form *form = usw_gpu_form_for(c, USW_SPLITS, j->o->algorithm, &algorithm);
    if (form == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_report(c->u, algorithm, "%zu elements on the GPU", j->n);
    uint64_t *count = c->arrays[3].at != NULL ? c->arrays[3].at : c->arrays[4].at;
    if (j->n == 0) {
        return count == NULL ? UPSWEEP_OK : usw_gpu_store(c, count, 0, sizeof *count);
    }
    upsweep_status status = (j->keep ? form->compact : form->split)(
        c->g, c->arrays[0].at, c->arrays[1].at, c->arrays[2].at, j->n, j->bytes, count);
    return status == UPSWEEP_OK && c->arrays[4].at != NULL && c->arrays[4].at != count
               ? c->p->copy(c->g, c->arrays[4].at, count, sizeof *count)
               : status;
}

bool usw_gpu_split(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                   size_t bytes, bool keep, size_t *count, const usw_options *o,
                   upsweep_status *status)
{
    uint64_t kept = 0;
    move_job j = {.o = o, .n = n, .bytes = bytes, .keep = keep};
    /* Of a host's array only what was kept is written. */
    bool partial = keep && (u->gpu == NULL || u->plugin->place(u->gpu, out) == USW_ON_HOST);
    usw_gpu_array arrays[] = {usw_gpu_in("in", in, n * bytes), usw_gpu_in("flags", flags, n),
                              usw_gpu_part("out", out, n * bytes, partial ? &kept : NULL, bytes),
                              usw_gpu_out(keep ? "kept" : "zeros", count, sizeof *count),
                              usw_gpu_out("", partial ? &kept : NULL, sizeof kept)};
    return run(u, arrays, 5, split_work, &j, 0, 0, status);
}

/* ---- buckets ---- */

static const usw_gpu_bucket_step *buckets(const usw_gpu_call *c, usw_buckets *b, size_t edges)
{
    const move_job *j = c->context;
    *b = *j->b;
    b->edges = c->arrays[edges].at;
    usw_report(c->u, "", "%zu elements, %u buckets on the GPU", j->n, b->count);
    return usw_gpu_form(c, "histogram");
}

static usw_gpu_array edges_of(const usw_buckets *b)
{
    bool has = b->kind == UPSWEEP_BUCKET_EDGES;
    usw_gpu_array edges = usw_gpu_in("edges", has ? b->edges : NULL,
                                     has ? ((size_t)b->count + 1) * sizeof *b->edges : 0);
    edges.ours = true;
    return edges;
}

static upsweep_status histogram_work(usw_gpu_call *c)
{
    const move_job *j = c->context;
    usw_buckets b;
    const usw_gpu_bucket_step *step = buckets(c, &b, 2);
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    return j->n == 0 ? c->p->fill(c->g, c->arrays[1].at, 0, b.count * sizeof(uint64_t))
                     : step->histogram(c->g, &b, c->arrays[0].at, j->n, c->arrays[1].at);
}

bool usw_gpu_histogram(upsweep *u, const usw_buckets *b, const void *keys, size_t n,
                       uint64_t *counts, upsweep_status *status)
{
    move_job j = {.n = n, .b = b};
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * b->key_bytes),
                              usw_gpu_out("counts", counts, b->count * sizeof *counts),
                              edges_of(b)};
    return run(u, arrays, 3, histogram_work, &j, 0, 0, status);
}

static upsweep_status split_many_work(usw_gpu_call *c)
{
    const move_job *j = c->context;
    usw_buckets b;
    const usw_gpu_bucket_step *step = buckets(c, &b, 4);
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    void *offsets = c->arrays[3].at;
    if (j->n == 0) {
        return offsets == NULL
                   ? UPSWEEP_OK
                   : c->p->fill(c->g, offsets, 0, ((size_t)b.count + 1) * sizeof(uint64_t));
    }
    return step->split(c->g, &b, c->arrays[0].at, c->arrays[1].at, usw_log2_up(b.key_bytes),
                       b.count, c->arrays[2].at, j->n, j->bytes, offsets);
}

bool usw_gpu_split_many(upsweep *u, const usw_buckets *b, const void *in, const void *ids,
                        void *out, size_t n, size_t bytes, uint64_t *offsets,
                        upsweep_status *status)
{
    move_job j = {.n = n, .bytes = bytes, .limit = b->count, .b = b};
    usw_gpu_array arrays[] = {
        usw_gpu_in("the input", in, n * bytes), usw_gpu_in("ids", ids, n * b->key_bytes),
        usw_gpu_out("out", out, n * bytes),
        usw_gpu_out("offsets", offsets, ((size_t)b->count + 1) * sizeof *offsets), edges_of(b)};
    return run(u, arrays, 5, split_many_work, &j, USW_FAULT_BUCKET, 0, status);
}

/* ---- moves by index ---- */

static upsweep_status move_work(usw_gpu_call *c)
{
    const move_job *j = c->context;
    const usw_gpu_move_step *step = moves(c);
    void *first = c->arrays[0].at, *index = c->count > 1 ? c->arrays[1].at : NULL;
    void *out = c->count > 2 ? c->arrays[2].at : NULL;
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    if (j->n == 0) {
        return UPSWEEP_OK;
    }
    switch (j->move) {
    case GATHER:
        return step->gather(c->g, first, j->limit, index, j->index_bits, out, j->n, j->bytes);
    case SCATTER:
        return step->scatter(c->g, first, index, j->index_bits, out, j->limit, j->n, j->bytes);
    case PERMUTE: return step->permute(c->g, first, index, j->index_bits, j->n, j->bytes);
    case REVERSE: /* to a second array, or in place */
        return step->reverse(c->g, first, c->count > 1 ? index : first, j->n, j->bytes);
    }
    return UPSWEEP_ERROR_UNSUPPORTED;
}

bool usw_gpu_gather(upsweep *u, const void *in, size_t in_count, const void *index,
                    unsigned index_bits, void *out, size_t n, size_t bytes, upsweep_status *status)
{
    move_job j = {
        .move = GATHER, .n = n, .bytes = bytes, .limit = in_count, .index_bits = index_bits};
    usw_gpu_array arrays[] = {usw_gpu_in("in", in, in_count * bytes),
                              usw_gpu_in("index", index, n * (index_bits / 8)),
                              usw_gpu_out("out", out, n * bytes)};
    return run(u, arrays, 3, move_work, &j, USW_FAULT_INDEX, 0, status);
}

bool usw_gpu_scatter(upsweep *u, const void *in, const void *index, unsigned index_bits, void *out,
                     size_t out_count, size_t n, size_t bytes, upsweep_status *status)
{
    move_job j = {
        .move = SCATTER, .n = n, .bytes = bytes, .limit = out_count, .index_bits = index_bits};
    usw_gpu_array arrays[] = {usw_gpu_in("in", in, n * bytes),
                              usw_gpu_in("index", index, n * (index_bits / 8)),
                              usw_gpu_inout("out", out, out_count * bytes)};
    return run(u, arrays, 3, move_work, &j, USW_FAULT_INDEX, 0, status);
}

bool usw_gpu_permute(upsweep *u, void *data, const void *index, unsigned index_bits, size_t n,
                     size_t bytes, upsweep_status *status)
{
    move_job j = {.move = PERMUTE, .n = n, .bytes = bytes, .limit = n, .index_bits = index_bits};
    usw_gpu_array arrays[] = {usw_gpu_inout("data", data, n * bytes),
                              usw_gpu_in("index", index, n * (index_bits / 8))};
    return run(u, arrays, 2, move_work, &j, USW_FAULT_INDEX, USW_FAULT_PERMUTATION, status);
}

bool usw_gpu_reverse(upsweep *u, const void *in, void *out, size_t n, size_t bytes,
                     upsweep_status *status)
{
    move_job j = {.move = REVERSE, .n = n, .bytes = bytes};
    const bool in_place = in == out;
    usw_gpu_array arrays[] = {in_place ? usw_gpu_inout("data", out, n * bytes)
                                       : usw_gpu_in("in", in, n * bytes),
                              usw_gpu_out("out", out, n * bytes)};
    return run(u, arrays, in_place ? 1 : 2, move_work, &j, 0, 0, status);
}

static upsweep_status transpose_work(usw_gpu_call *c)
{
    const move_job *j = c->context;
    const usw_gpu_move_step *step = moves(c);
    return step == NULL
               ? UPSWEEP_ERROR_UNSUPPORTED
               : step->transpose(c->g, c->arrays[0].at, j->extents, c->arrays[1].at, j->bytes);
}

bool usw_gpu_transpose(upsweep *u, const void *in, size_t outer, size_t length, size_t inner,
                       void *out, size_t bytes, upsweep_status *status)
{
    size_t n = outer * length * inner;
    move_job j = {.n = n, .bytes = bytes, .extents = {outer, length, inner}};
    usw_gpu_array arrays[] = {usw_gpu_in("in", in, n * bytes), usw_gpu_out("out", out, n * bytes)};
    return run(u, arrays, 2, transpose_work, &j, 0, 0, status);
}

/* fold.c - reductions and scans on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"

typedef struct fold_job {
    const usw_options *o;
    size_t n;
    upsweep_type type;
    upsweep_op op;
    upsweep_type to; /* of the result of a reduction */
    usw_keymap maps[2];
    size_t map_count;
    uint64_t last;    /* the last key that is a number */
    bool to_place[2]; /* a result is a position */
    const usw_scan *scan;
} fold_job;

static const usw_gpu_reduce_form *form_for(const usw_gpu_call *c)
{
    const fold_job *j = c->context;
    const char *algorithm;
    const usw_gpu_reduce_form *form = usw_gpu_form_for(c, USW_REDUCES, j->o->algorithm, &algorithm);
    usw_report(c->u, algorithm, "%zu elements on the GPU", j->n);
    return form;
}

/* ---- least and greatest ---- */

/* Finds the least by each map; its value or its place goes to array 1, 2. */
static upsweep_status least_work(usw_gpu_call *c)
{
    const fold_job *j = c->context;
    const usw_gpu_reduce_form *form = form_for(c);
    const usw_gpu_results_step *results = usw_gpu_form(c, "results");
    if (form == NULL || results == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    uint64_t *keys = usw_gpu_words(c, 2), *index = usw_gpu_words(c, 2);
    if (keys == NULL || index == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    upsweep_status status =
        form->least(c->g, c->arrays[0].at, j->n, j->maps, j->map_count, keys, index);
    for (size_t m = 0; m < j->map_count && status == UPSWEEP_OK; m++) {
        void *to = c->arrays[1 + m].at;
        status = results->least(c->g, keys + m, index + m, &j->maps[m], j->last,
                                j->to_place[m] ? NULL : to, j->to_place[m] ? to : NULL);
    }
    return status;
}

static upsweep_status identity_work(usw_gpu_call *c)
{
    const fold_job *j = c->context;
    upsweep_status status = UPSWEEP_OK;
    for (size_t m = 1; m < c->count && status == UPSWEEP_OK; m++) {
        upsweep_op op = c->count == 3 && m == 2 ? UPSWEEP_GREATEST : j->op;
        status = usw_gpu_store(c, c->arrays[m].at, usw_identity_bits(j->to, op),
                               upsweep_type_bytes(j->to));
    }
    return status;
}

static bool run(upsweep *u, usw_gpu_array *arrays, size_t count,
                upsweep_status (*work)(usw_gpu_call *), fold_job *j, upsweep_status *status)
{
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = count, .work = work, .context = j};
    return usw_gpu_run(&c, status);
}

bool usw_gpu_position(upsweep *u, const void *data, size_t n, const usw_keymap *map, uint64_t last,
                      const usw_options *o, size_t *index, upsweep_status *status)
{
    fold_job j = {.o = o, .n = n, .maps = {*map}, .map_count = 1, .last = last};
    j.to_place[0] = true;
    usw_gpu_array arrays[] = {usw_gpu_in("data", data, n * map->bits / 8),
                              usw_gpu_out("index", index, sizeof *index)};
    return run(u, arrays, 2, least_work, &j, status);
}

bool usw_gpu_minmax(upsweep *u, const void *data, size_t n, upsweep_type type, const usw_options *o,
                    void *least, void *greatest, upsweep_status *status)
{
    size_t bytes = upsweep_type_bytes(type);
    fold_job j = {.o = o, .n = n, .type = type, .to = type, .op = UPSWEEP_LEAST, .map_count = 2};
    j.maps[0] = usw_keymap_of(type, 0);
    j.maps[1] = usw_keymap_of(type, UPSWEEP_DESCENDING);
    usw_gpu_array arrays[] = {usw_gpu_in("data", data, n * bytes),
                              usw_gpu_out("least", least, bytes),
                              usw_gpu_out("greatest", greatest, bytes)};
    return run(u, arrays, 3, n == 0 ? identity_work : least_work, &j, status);
}

static upsweep_status reduce_work(usw_gpu_call *c)
{
    const fold_job *j = c->context;
    const usw_gpu_reduce_form *form = form_for(c);
    return form == NULL ? UPSWEEP_ERROR_UNSUPPORTED
                        : form->reduce(c->g, c->arrays[0].at, j->n, j->type, j->op, j->to,
                                       (j->o->flags & UPSWEEP_UNORDERED) != 0, c->arrays[1].at);
}

bool usw_gpu_reduce(upsweep *u, const void *data, size_t n, upsweep_type type, upsweep_op op,
                    upsweep_type to, const usw_options *o, void *result, upsweep_status *status)
{
    fold_job j = {.o = o, .n = n, .type = type, .op = op, .to = to};
    usw_gpu_array arrays[] = {usw_gpu_in("data", data, n * upsweep_type_bytes(type)),
                              usw_gpu_out("result", result, upsweep_type_bytes(to))};
    return run(u, arrays, 2, n == 0 ? identity_work : reduce_work, &j, status);
}

/* ---- scans ---- */

static upsweep_status scan_work(usw_gpu_call *c)
{
    const fold_job *j = c->context;
    const char *algorithm;
    const usw_gpu_scan_form *form = usw_gpu_form_for(c, USW_SCANS, j->o->algorithm, &algorithm);
    if (form == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_report(c->u, algorithm, "%zu elements on the GPU", j->n);
    usw_scan s = *j->scan;
    s.in = c->arrays[0].at;
    s.out = c->arrays[1].at;
    s.heads = c->arrays[2].at;
    s.keys = c->arrays[3].at;
    return j->n == 0 ? UPSWEEP_OK : form->scan(c->g, &s, (j->o->flags & UPSWEEP_UNORDERED) != 0);
}

bool usw_gpu_scan(upsweep *u, const usw_scan *s, const usw_options *o, upsweep_status *status)
{
    size_t bytes = s->n * upsweep_type_bytes(s->type);
    fold_job j = {.o = o, .n = s->n, .scan = s};
    usw_gpu_array arrays[] = {usw_gpu_in("in", s->in, bytes), usw_gpu_out("out", s->out, bytes),
                              usw_gpu_in("heads", s->heads, s->n),
                              usw_gpu_in("keys", s->keys, s->n * s->key_bytes)};
    return run(u, arrays, 4, scan_work, &j, status);
}

/* rows.c - what each of many rows gives, and positions split by bucket, on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"

typedef struct rows_job {
    usw_gpu_row_set set; /* its arrays are the call's first two */
    upsweep_type type;
    upsweep_op op;
    upsweep_type to; /* of the results of reductions */
    size_t k, index_bytes;
    const usw_keymap *map;
    uint64_t last;
    const usw_scan *scan;
    const usw_gpu_ids *ids;
} rows_job;

static rows_job job_of(size_t n, const uint64_t *begin, size_t rows)
{
    rows_job j = {.set = {.begin = begin, .rows = rows, .n = n}};
    j.set.row_length = begin == NULL ? n / rows : 0;
    return j;
}

static usw_gpu_array offsets_of(const rows_job *j)
{
    size_t bytes = j->set.begin == NULL ? 0 : (j->set.rows + 1) * sizeof *j->set.begin;
    return usw_gpu_in("begin", j->set.begin, bytes);
}

static usw_gpu_row_set set_of(const usw_gpu_call *c)
{
    const rows_job *j = c->context;
    usw_gpu_row_set set = j->set;
    set.data = c->arrays[0].at;
    set.begin = c->arrays[1].at;
    return set;
}

static bool run(upsweep *u, usw_gpu_array *arrays, size_t count,
                upsweep_status (*work)(usw_gpu_call *), rows_job *j, upsweep_status *status)
{
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = count, .work = work, .context = j};
    c.risks[0].code = USW_FAULT_ROWS;
    return usw_gpu_run(&c, status);
}

/* Positions of 32 bits must do for any row by offsets that only the device can see. */
static bool positions_fit(upsweep *u, const rows_job *j, const void *data, unsigned index_bits,
                          upsweep_status *status)
{
    bool fit = index_bits != 32 || j->set.begin == NULL || j->set.n <= (size_t)UINT32_MAX + 1;
    bool on_cpu = u->device != USW_CUDA &&
                  (u->plugin == NULL || u->plugin->place(u->gpu, data) == USW_ON_HOST);
    if (!fit && !on_cpu) {
        *status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                           "rows by offsets of %zu keys need 64-bit indices on the GPU", j->set.n);
    }
    return fit;
}

/* ---- the best of each row ---- */

static upsweep_status top_work(usw_gpu_call *c)
{
    const rows_job *j = c->context;
    const usw_gpu_top_step *step = usw_gpu_form(c, "top_rows");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_gpu_row_set set = set_of(c);
    usw_gpu_top t = {.keys = set.data,
                     .begin = set.begin,
                     .rows = set.rows,
                     .row_keys = set.row_length,
                     .n = set.n,
                     .k = j->k,
                     .width = usw_log2_up(j->map->bits / 8),
                     .map = *j->map,
                     .out = c->arrays[2].at,
                     .index = c->arrays[3].at,
                     .index_bytes = j->index_bytes};
    usw_report(c->u, "", "the %zu best of each of %zu rows on the GPU", j->k, set.rows);
    return step->rows(c->g, &t);
}

bool usw_gpu_top_k_rows(upsweep *u, const usw_gpu_top_rows *t, upsweep_status *status)
{
    rows_job j = job_of(t->n, t->begin, t->rows);
    size_t bytes = t->map->bits / 8, places = t->rows * t->k;
    j.k = t->k;
    j.map = t->map;
    j.index_bytes = t->index == NULL ? 0 : t->index_bits / 8;
    if (t->index != NULL && !positions_fit(u, &j, t->keys, t->index_bits, status)) {
        return *status != UPSWEEP_OK;
    }
    usw_gpu_array arrays[] = {usw_gpu_in("keys", t->n == 0 ? NULL : t->keys, t->n * bytes),
                              offsets_of(&j), usw_gpu_out("out", t->out, places * bytes),
                              usw_gpu_out("index", t->index, places * j.index_bytes)};
    return run(u, arrays, 4, top_work, &j, status);
}

/* ---- folds ---- */

static const usw_gpu_fold_rows_step *fold_step(const usw_gpu_call *c)
{
    const rows_job *j = c->context;
    usw_report(c->u, "", "%zu rows on the GPU", j->set.rows);
    return usw_gpu_form(c, "fold_rows");
}

static upsweep_status reduce_work(usw_gpu_call *c)
{
    const rows_job *j = c->context;
    const usw_gpu_fold_rows_step *step = fold_step(c);
    usw_gpu_row_set set = set_of(c);
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED
                        : step->reduce(c->g, &set, j->type, j->op, j->to, c->arrays[2].at);
}

bool usw_gpu_reduce_rows(upsweep *u, const usw_gpu_fold_rows *r, upsweep_op op, upsweep_type to,
                         void *results, upsweep_status *status)
{
    rows_job j = job_of(r->n, r->begin, r->rows);
    j.type = r->type;
    j.op = op;
    j.to = to;
    j.set.identity = usw_identity_bits(r->type, op);
    usw_gpu_array arrays[] = {
        usw_gpu_in("data", r->n == 0 ? NULL : r->data, r->n * upsweep_type_bytes(r->type)),
        offsets_of(&j), usw_gpu_out("results", results, r->rows * upsweep_type_bytes(to))};
    return run(u, arrays, 3, reduce_work, &j, status);
}

static upsweep_status axis_work(usw_gpu_call *c)
{
    const usw_reduce_columns *s = c->context;
    const usw_gpu_fold_columns_step *step = usw_gpu_form(c, "fold_columns");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_reduce_columns g = *s;
    g.data = c->arrays[0].at;
    g.results = c->arrays[1].at;
    usw_report(c->u, "", "%zu columns on the GPU", s->outer * s->inner);
    return step->reduce(c->g, &g);
}

bool usw_gpu_reduce_axis(upsweep *u, const usw_reduce_columns *s, upsweep_status *status)
{
    usw_reduce_columns copy = *s;
    size_t columns = s->outer * s->inner;
    usw_gpu_array arrays[] = {usw_gpu_in("data", s->data, columns * s->length * s->bytes),
                              usw_gpu_out("results", s->results, columns * s->result_bytes)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 2, .work = axis_work, .context = &copy};
    return usw_gpu_run(&c, status);
}

static upsweep_status place_work(usw_gpu_call *c)
{
    const rows_job *j = c->context;
    const usw_gpu_fold_rows_step *step = fold_step(c);
    usw_gpu_row_set set = set_of(c);
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED
                        : step->place(c->g, &set, j->map, j->last, c->arrays[2].at, j->index_bytes);
}

bool usw_gpu_position_rows(upsweep *u, const usw_gpu_fold_rows *r, const usw_keymap *map,
                           uint64_t last, void *index, unsigned index_bits, upsweep_status *status)
{
    rows_job j = job_of(r->n, r->begin, r->rows);
    j.map = map;
    j.last = last;
    j.index_bytes = index_bits / 8;
    if (!positions_fit(u, &j, r->data, index_bits, status)) {
        return *status != UPSWEEP_OK;
    }
    usw_gpu_array arrays[] = {usw_gpu_in("data", r->n == 0 ? NULL : r->data, r->n * map->bits / 8),
                              offsets_of(&j), usw_gpu_out("index", index, r->rows * j.index_bytes)};
    return run(u, arrays, 3, place_work, &j, status);
}

/* One row of a length that is known, or few so long ones that reading them once in place of twice
 * is worth a call for each. */
static bool one_by_one(const rows_job *j, size_t bytes)
{
    bool few = j->set.rows <= 64 && j->set.row_length >= ((size_t)1 << 25) / bytes;
    return j->set.begin == NULL && j->set.row_length > 0 && (j->set.rows == 1 || few);
}

static upsweep_status scan_one_by_one(usw_gpu_call *c, usw_scan *s, size_t bytes)
{
    const rows_job *j = c->context;
    const char *algorithm;
    const usw_gpu_scan_form *form = usw_gpu_form_for(c, USW_SCANS, NULL, &algorithm);
    upsweep_status status = form == NULL ? UPSWEEP_ERROR_UNSUPPORTED : UPSWEEP_OK;
    s->n = j->set.row_length;
    for (size_t r = 0; r < j->set.rows && status == UPSWEEP_OK; r++) {
        s->in = (const char *)c->arrays[0].at + r * s->n * bytes;
        s->out = (char *)c->arrays[2].at + r * s->n * bytes;
        status = form->scan(c->g, s, false);
    }
    return status;
}

static upsweep_status scan_work(usw_gpu_call *c)
{
    const rows_job *j = c->context;
    const usw_gpu_fold_rows_step *step = fold_step(c);
    usw_gpu_row_set set = set_of(c);
    usw_scan s = *j->scan;
    s.in = set.data;
    s.out = c->arrays[2].at;
    if (one_by_one(j, upsweep_type_bytes(s.type))) {
        return scan_one_by_one(c, &s, upsweep_type_bytes(s.type));
    }
    return step == NULL                      ? UPSWEEP_ERROR_UNSUPPORTED
           : set.n == 0 && set.begin == NULL ? UPSWEEP_OK
                                             : step->scan(c->g, &set, &s);
}

bool usw_gpu_scan_rows(upsweep *u, const usw_scan *s, const uint64_t *begin, size_t rows,
                       upsweep_status *status)
{
    rows_job j = job_of(s->n, begin, rows);
    size_t bytes = s->n * upsweep_type_bytes(s->type);
    j.scan = s;
    /* Elements in no row keep their value, so that a host's out comes along. */
    usw_gpu_array arrays[] = {usw_gpu_in("in", s->n == 0 ? NULL : s->in, bytes), offsets_of(&j),
                              usw_gpu_inout("out", s->n == 0 ? NULL : s->out, bytes)};
    return run(u, arrays, 3, scan_work, &j, status);
}

/* ---- positions by bucket ---- */

static upsweep_status index_work(usw_gpu_call *c)
{
    const usw_gpu_ids *ids = ((const rows_job *)c->context)->ids;
    const usw_gpu_index_step *step = usw_gpu_form(c, "split_index");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_gpu_split_index s = {.ids = c->arrays[0].at,
                             .id_width = usw_log2_up(ids->id_bytes),
                             .count = ids->count,
                             .n = ids->n,
                             .multiple = ids->multiple,
                             .room = ids->room,
                             .index = c->arrays[1].at,
                             .index_bytes = ids->index_bits / 8,
                             .offsets = c->arrays[2].at,
                             .counts = c->arrays[3].at};
    usw_report(c->u, "", "%zu ids in %zu buckets on the GPU", ids->n, ids->count);
    return step->split(c->g, &s);
}

bool usw_gpu_split_ids_index(upsweep *u, const usw_gpu_ids *s, upsweep_status *status)
{
    rows_job j = {.ids = s};
    usw_gpu_array arrays[] = {
        usw_gpu_in("ids", s->n == 0 ? NULL : s->ids, s->n * s->id_bytes),
        usw_gpu_out("index", s->room == 0 ? NULL : s->index, s->room * s->index_bits / 8),
        usw_gpu_out("offsets", s->offsets, (s->count + 1) * sizeof *s->offsets),
        usw_gpu_out("counts", s->count == 0 ? NULL : s->counts, s->count * sizeof *s->counts)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 4, .work = index_work, .context = &j};
    c.risks[0].code = USW_FAULT_BUCKET;
    c.risks[0].limit = s->count;
    return usw_gpu_run(&c, status);
}

/* select.c - selection, runs of equals, tests of order and merges on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"

typedef struct select_job {
    usw_gpu_sort s; /* keys are those of the call's first array */
    size_t k, na, nb;
    uint64_t infinity;    /* of keys that are equal as numbers, else 0 */
    const size_t *counts; /* of runs */
    const void **runs;
} select_job;

static select_job job_of(size_t n, const usw_keymap *map)
{
    select_job j = {.s = {.n = n, .width = usw_log2_up(map->bits / 8), .map = *map}};
    j.s.bit_end = map->bits;
    return j;
}

/* The step, with a report of what the call does. */
static const usw_gpu_select_step *step_for(usw_gpu_call *c, const char *what)
{
    select_job *j = c->context;
    j->s.keys = c->arrays[0].at;
    usw_report(c->u, "", "%s of %zu keys on the GPU", what, j->s.n);
    return usw_gpu_form(c, "select");
}

static bool run(upsweep *u, usw_gpu_array *arrays, size_t count,
                upsweep_status (*work)(usw_gpu_call *), select_job *j, upsweep_status *status)
{
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = count, .work = work, .context = j};
    return usw_gpu_run(&c, status);
}

/* ---- order ---- */

static upsweep_status is_sorted_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_select_step *step = step_for(c, "the order");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    return j->s.n < 2 ? usw_gpu_store(c, c->arrays[1].at, j->s.n, 8)
                      : step->is_sorted(c->g, &j->s, c->arrays[1].at);
}

bool usw_gpu_is_sorted(upsweep *u, const void *keys, size_t n, upsweep_type type,
                       const usw_options *o, size_t *first, upsweep_status *status)
{
    usw_keymap map = usw_keymap_of(type, o->flags);
    select_job j = job_of(n, &map);
    j.s.bit_begin = o->bit_begin;
    j.s.bit_end = o->bit_end == 0 ? map.bits : o->bit_end;
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * map.bits / 8),
                              usw_gpu_out("first", first, sizeof *first)};
    return run(u, arrays, 2, is_sorted_work, &j, status);
}

/* ---- selection ---- */

static upsweep_status nth_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_select_step *step = step_for(c, "one rank");
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED
           : j->s.n < 2 ? UPSWEEP_OK
                        : step->nth(c->g, &j->s, j->k);
}

bool usw_gpu_nth(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map,
                 upsweep_status *status)
{
    select_job j = job_of(n, map);
    j.k = k;
    usw_gpu_array arrays[] = {usw_gpu_inout("keys", keys, n * map->bits / 8)};
    return run(u, arrays, 1, nth_work, &j, status);
}

static upsweep_status top_k_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_select_step *step = step_for(c, "the best");
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED
                        : step->top_k(c->g, &j->s, j->k, c->arrays[1].at, c->arrays[2].at);
}

bool usw_gpu_top_k(upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                   void *out, uint64_t *index, upsweep_status *status)
{
    select_job j = job_of(n, map);
    j.k = k;
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * map->bits / 8),
                              usw_gpu_out("out", out, k * map->bits / 8),
                              usw_gpu_out("index", index, k * sizeof *index)};
    return run(u, arrays, 3, top_k_work, &j, status);
}

/* ---- searches ---- */

static upsweep_status search_work(usw_gpu_call *c)
{
    usw_search s = *(const usw_search *)c->context;
    s.keys = c->arrays[0].at;
    s.wanted = c->arrays[1].at;
    s.places = c->arrays[2].at;
    usw_report(c->u, "", "searches for %zu keys among %zu on the GPU", s.m, s.n);
    const usw_gpu_search_step *step = usw_gpu_form(c, "search");
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED : step->search(c->g, &s);
}

bool usw_gpu_search_sorted(upsweep *u, const usw_search *s, upsweep_status *status)
{
    size_t bytes = s->map.bits / 8;
    usw_search job = *s;
    usw_gpu_array arrays[] = {usw_gpu_in("keys", s->n == 0 ? NULL : s->keys, s->n * bytes),
                              usw_gpu_in("wanted", s->wanted, s->m * bytes),
                              usw_gpu_out("places", s->places, s->m * s->place_bytes)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 3, .work = search_work, .context = &job};
    return usw_gpu_run(&c, status);
}

/* ---- runs of equals ---- */

/* Where the count goes: to the caller, and to a word of ours if a host array's length is it. */
static upsweep_status spread_count(usw_gpu_call *c, size_t own, size_t callers)
{
    return c->arrays[own].at == c->arrays[callers].at || c->arrays[own].user == NULL
               ? UPSWEEP_OK
               : c->p->copy(c->g, c->arrays[own].at, c->arrays[callers].at, sizeof(uint64_t));
}

static upsweep_status unique_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_select_step *step = step_for(c, "different neighbours");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    upsweep_status status = j->s.n == 0 ? usw_gpu_store(c, c->arrays[1].at, 0, 8)
                                        : step->unique(c->g, c->arrays[0].at, j->s.n, j->s.width,
                                                       j->infinity, c->arrays[1].at);
    return status == UPSWEEP_OK ? spread_count(c, 2, 1) : status;
}

bool usw_gpu_unique(upsweep *u, void *keys, size_t n, size_t bytes, uint64_t infinity, size_t *kept,
                    upsweep_status *status)
{
    uint64_t count = 0;
    usw_keymap map = {.bits = (unsigned)bytes * 8};
    select_job j = job_of(n, &map);
    j.infinity = infinity;
    bool keys_at_home = u->gpu == NULL || u->plugin->place(u->gpu, keys) == USW_ON_HOST;
    usw_gpu_array arrays[] = {usw_gpu_part("keys", keys, n * bytes, &count, bytes),
                              usw_gpu_out("kept", kept, sizeof *kept),
                              usw_gpu_out("", keys_at_home ? &count : NULL, sizeof count)};
    arrays[0].use = USW_GPU_INOUT;
    return run(u, arrays, 3, unique_work, &j, status);
}

static upsweep_status runs_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_select_step *step = step_for(c, "runs of equals");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    upsweep_status status = j->s.n == 0
                                ? usw_gpu_store(c, c->arrays[3].at, 0, 8)
                                : step->runs(c->g, c->arrays[0].at, j->s.n, j->s.width, j->infinity,
                                             c->arrays[1].at, c->arrays[2].at, c->arrays[3].at);
    return status == UPSWEEP_OK ? spread_count(c, 4, 3) : status;
}

bool usw_gpu_runs(upsweep *u, const void *keys, size_t n, size_t bytes, uint64_t infinity,
                  void *out_keys, uint64_t *out_counts, size_t *runs, upsweep_status *status)
{
    uint64_t count = 0;
    usw_keymap map = {.bits = (unsigned)bytes * 8};
    select_job j = job_of(n, &map);
    j.infinity = infinity;
    bool outputs_at_home =
        n > 0 && (u->gpu == NULL || u->plugin->place(u->gpu, out_keys) == USW_ON_HOST ||
                  u->plugin->place(u->gpu, out_counts) == USW_ON_HOST);
    usw_gpu_array arrays[] = {
        usw_gpu_in("keys", keys, n * bytes),
        usw_gpu_part("out_keys", out_keys, n * bytes, &count, bytes),
        usw_gpu_part("out_counts", out_counts, n * sizeof *out_counts, &count, 8),
        usw_gpu_out("runs", runs, sizeof *runs),
        usw_gpu_out("", outputs_at_home ? &count : NULL, sizeof count)};
    return run(u, arrays, 5, runs_work, &j, status);
}

/* ---- merges ---- */

static upsweep_status merge_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_merge_step *step = usw_gpu_form(c, "merge");
    usw_report(c->u, "", "two runs of %zu keys in all on the GPU", j->s.n);
    return step == NULL ? UPSWEEP_ERROR_UNSUPPORTED
                        : step->merge(c->g, c->arrays[0].at, j->na, c->arrays[1].at, j->nb,
                                      c->arrays[2].at, j->s.width, &j->s.map);
}

bool usw_gpu_merge(upsweep *u, const void *a, size_t na, const void *b, size_t nb, void *out,
                   const usw_keymap *map, upsweep_status *status)
{
    size_t bytes = map->bits / 8;
    select_job j = job_of(na + nb, map);
    j.na = na;
    j.nb = nb;
    usw_gpu_array arrays[] = {usw_gpu_in("a", na == 0 ? NULL : a, na * bytes),
                              usw_gpu_in("b", nb == 0 ? NULL : b, nb * bytes),
                              usw_gpu_out("out", out, (na + nb) * bytes)};
    return run(u, arrays, 3, merge_work, &j, status);
}

static upsweep_status merge_runs_work(usw_gpu_call *c)
{
    const select_job *j = c->context;
    const usw_gpu_merge_step *step = usw_gpu_form(c, "merge");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_report(c->u, "", "%zu runs of %zu keys in all on the GPU", j->k, j->s.n);
    for (size_t r = 0; r < j->k; r++) {
        j->runs[r] = c->arrays[r].at;
    }
    return step->merge_runs(c->g, j->runs, j->counts, j->k, c->arrays[j->k].at, j->s.width,
                            &j->s.map);
}

bool usw_gpu_merge_runs(upsweep *u, const void *const *runs, const size_t *counts, size_t k,
                        void *out, size_t n, const usw_keymap *map, upsweep_status *status)
{
    if (u->device == USW_CPU || n == 0) {
        return false;
    }
    select_job j = job_of(n, map);
    usw_gpu_array *arrays = usw_scratch(u, (k + 1) * sizeof *arrays);
    size_t *own = usw_scratch(u, k * sizeof *own);
    j.runs = usw_scratch(u, k * sizeof *j.runs);
    if (arrays == NULL || own == NULL || j.runs == NULL) {
        *status = usw_fail(u, UPSWEEP_ERROR_MEMORY, "merge_runs: no scratch for %zu runs", k);
        return true;
    }
    for (size_t r = 0; r < k; r++) { /* those that have keys */
        if (counts[r] != 0) {
            arrays[j.k] = usw_gpu_in("a run", runs[r], counts[r] * map->bits / 8);
            own[j.k++] = counts[r];
        }
    }
    arrays[j.k] = usw_gpu_out("out", out, n * map->bits / 8);
    j.counts = own;
    return run(u, arrays, j.k + 1, merge_runs_work, &j, status);
}

/* paths_dense.c - upsweep_paths_dense: checks, and the form that takes a matrix. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/paths.h"

static upsweep_status check(upsweep *u, const usw_dense_query *d)
{
    size_t cells, bytes = upsweep_type_bytes(d->type);
    if (d->type != UPSWEEP_U32 && d->type != UPSWEEP_U64 && d->type != UPSWEEP_F32 &&
        d->type != UPSWEEP_F64) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        "a matrix has weights of type u32, u64, f32 or f64");
    }
    if (d->n > UINT32_MAX - 1 || usw_mul_overflows(d->n, d->n, &cells) ||
        cells > SIZE_MAX / bytes) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a matrix of %zu vertices: not a size", d->n);
    }
    if (d->n > 0 && (d->matrix == NULL || d->q.distance == NULL)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "matrix or distance is NULL");
    }
    upsweep_status status = usw_gpu_refuse_list(u, d->q.sources, "sources");
    return status == UPSWEEP_OK ? usw_check_ids(u, "source", d->q.sources, d->q.source_count, d->n)
                                : status;
}

static const usw_path_form *form_for(upsweep *u, const char *algorithm, upsweep_status *status)
{
    const usw_path_form *form = usw_form_for(u, USW_MATRIX_PATHS, algorithm, status);
    if (form != NULL && form->dense == NULL) {
        *status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "%s does not take a matrix", algorithm);
        return NULL;
    }
    return form;
}

static upsweep_status run(upsweep *u, const usw_dense_query *d, const usw_path_form *form,
                          const char *algorithm, uint32_t *parent)
{
    usw_report(u, usw_row_name(USW_MATRIX_PATHS, algorithm),
               "the graph is a matrix of %zu vertices", d->n);
    return form->dense(u, d, parent);
}

upsweep_status upsweep_paths_dense(upsweep *u, const void *matrix, size_t n, upsweep_type type,
                                   const uint32_t *sources, size_t source_count, void *distance,
                                   uint32_t *parent, const upsweep_path_options *options)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    upsweep_path_options o;
    status = usw_take_path_options(u, options, &o);
    usw_dense_query d = {
        {NULL, sources, o.targets, source_count, o.target_count, distance, o.cutoff, 1, NULL},
        matrix,
        n,
        type};
    status = status == UPSWEEP_OK ? check(u, &d) : status;
    const void *const arrays[] = {matrix, distance, parent};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == UPSWEEP_OK; i++) {
        status = usw_check_place(u, arrays[i], "an array");
    }
    status = status == UPSWEEP_OK ? usw_check_path_options(u, &o, n) : status;
    const usw_path_form *form = status == UPSWEEP_OK ? form_for(u, o.algorithm, &status) : NULL;
    if (form != NULL && !usw_gpu_paths_dense(u, &d, o.algorithm, parent, &status)) {
        status = run(u, &d, form, o.algorithm, parent);
    }
    return usw_leave(u, status);
}

/* sort_by.c - upsweep_sort_by: a parallel, stable qsort_r. The merge sort is in
 * cpu/merging/sort_by.c. */
/* SPDX-License-Identifier: MIT */
#include "cpu/merging/merging.h"
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/sort_choice.h"

typedef struct reversed {
    upsweep_compare compare;
    void *context;
} reversed;

static int compare_reversed(const void *a, const void *b, void *context)
{
    const reversed *r = context;
    return r->compare(b, a, r->context);
}

static upsweep_status check(upsweep *u, const usw_options *o, const void *base, size_t n,
                            size_t bytes, upsweep_compare compare)
{
    upsweep_status status = usw_check_array(u, base, n, bytes, "base");
    if (status == UPSWEEP_OK && compare == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_by: compare is NULL");
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_refuse(u, base, "base", "sort_by");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_sort_by(upsweep *u, void *base, size_t n, size_t bytes,
                               upsweep_compare compare, void *context,
                               const upsweep_options *options)
{
    usw_options o;
    unsigned allowed = UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE;
    upsweep_status status = usw_enter(u, options, allowed, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = check(u, &o, base, n, bytes, compare);
    if (status == UPSWEEP_OK) {
        reversed r = {compare, context};
        bool descending = (o.flags & UPSWEEP_DESCENDING) != 0;
        bool in_place = (o.flags & UPSWEEP_IN_PLACE) != 0;
        USW_SHARE_CALL(u, 4 * n, USW_LIKE_CALLING, bytes);
        usw_sort_case c = {u, USW_BY_COMPARE, n, 0, in_place ? USW_IF_IN_PLACE : 0};
        usw_report_choice(u, usw_choose_sort(&c), n, 0);
        usw_sort_by(u, base, n, bytes, descending ? compare_reversed : compare,
                    descending ? &r : context, in_place);
    }
    return usw_leave(u, status);
}

/* calls_reverse.c - arrays turned about, in place and to another array. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <string.h>

static const char *wrong_order(const job *j, const char *in, const char *out)
{
    for (size_t i = 0; i < j->n; i++) {
        if (memcmp(out + (j->n - 1 - i) * j->element, in + i * j->element, j->element) != 0) {
            return "an element is wrong";
        }
    }
    return NULL;
}

static upsweep_status run_reverse(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_reverse(u, job_at(j, 0), j->n, j->element, &o);
}

static const char *wrong_reverse(job *j)
{
    return wrong_order(j, job_before(j, 0), job_at(j, 0));
}

static bool prepare_copy(job *j)
{
    bool takes = job_add_elements(j);
    job_add(j, j->n * j->element, true);
    return takes;
}

static upsweep_status run_copy(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_reverse_copy(u, job_at(j, 0), job_at(j, 1), j->n, j->element, &o);
}

static const char *wrong_copy(job *j)
{
    const char *wrong = wrong_order(j, job_before(j, 0), job_at(j, 1));
    return wrong != NULL ? wrong : job_untouched(j) ? NULL : "reverse_copy changed its input";
}

const call calls_of_reverse[] = {
    {"upsweep_reverse", JOB_SIZES, job_add_elements, run_reverse, wrong_reverse},
    {"upsweep_reverse_copy", JOB_SIZES, prepare_copy, run_copy, wrong_copy},
    {0},
};

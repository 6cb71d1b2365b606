/* paths_answer.c - reads an answer of the library: whether a place has a distance, and which one;
 * and says why there is no answer. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/paths_verb.h"

#include <math.h>

bool app_paths_reached(const app_paths *p, size_t place)
{
    switch (p->type) {
    case UPSWEEP_U32: return ((const uint32_t *)p->distance)[place] != UINT32_MAX;
    case UPSWEEP_U64: return ((const uint64_t *)p->distance)[place] != UINT64_MAX;
    case UPSWEEP_I64: return ((const int64_t *)p->distance)[place] != INT64_MAX;
    case UPSWEEP_F32: return !isinf(((const float *)p->distance)[place]);
    default: return !isinf(((const double *)p->distance)[place]);
    }
}

const void *app_paths_distance(const app_paths *p, size_t place)
{
    return (const char *)p->distance + place * upsweep_type_bytes(p->type);
}

int app_paths_fail(const app_paths *p, upsweep_status status)
{
    char why[1024];
    app_graph_error(p->u, &p->g, why, sizeof why);
    bool narrow = p->type == UPSWEEP_U32 || p->type == UPSWEEP_F32;
    if (status == UPSWEEP_ERROR_RANGE && narrow) {
        return app_fail("%s: %s; --weight %s gives distances more room", p->file, why,
                        p->type == UPSWEEP_U32 ? "u64" : "f64");
    }
    return app_fail("%s: %s", p->file, why);
}

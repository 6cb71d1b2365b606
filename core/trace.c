/* trace.c - upsweep_trace: an explained form, run for someone who watches. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "core/explain.h"

upsweep_status upsweep_trace(const char *name, const uint32_t *values, size_t n, uint32_t *result,
                             upsweep_sink sink, void *context)
{
    const usw_entry *entry = usw_entry_find(name);
    if (entry == NULL) {
        return UPSWEEP_ERROR_ALGORITHM;
    }
    if (values == NULL && n > 0) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    if (n > UINT32_MAX) {
        return UPSWEEP_ERROR_UNSUPPORTED; /* positions are kept in arrays of u32 */
    }
    /* The form works in a buffer of its own: an error leaves result as it was. */
    uint32_t *out = calloc(usw_max(n, 1), sizeof *out);
    if (out == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    usw_explain x = {.sink = sink, .context = context};
    upsweep_status status = usw_explain_run(&x, entry->row, values, n, out);
    if (status == UPSWEEP_OK && result != NULL) {
        memcpy(result, out, x.results * sizeof *out);
    }
    free(out);
    return status;
}

/* callbacks.c - a whole input and a whole output by functions of the caller's, on the calls that
 * push and pull. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

static upsweep_status fail(upsweep_external *x, upsweep_status status, const char *who)
{
    return usw_ext_fail(x, status, "%s has failed: %s", who, upsweep_status_name(status));
}

upsweep_status upsweep_external_push_from(upsweep_external *x,
                                          upsweep_status (*next)(void *context, const void **piece,
                                                                 size_t *bytes),
                                          void *context)
{
    upsweep_status status =
        next == NULL ? UPSWEEP_ERROR_ARGUMENT : upsweep_external_push(x, NULL, 0);
    while (status == UPSWEEP_OK) {
        const void *piece = NULL;
        size_t bytes = 0;
        status = next(context, &piece, &bytes);
        if (status != UPSWEEP_OK) {
            return fail(x, status, "what gives the records");
        }
        if (piece == NULL) {
            return bytes == 0
                       ? status
                       : usw_ext_fail(x, UPSWEEP_ERROR_ARGUMENT,
                                      "what gives the records gave %zu bytes at NULL", bytes);
        }
        status = upsweep_external_push(x, piece, bytes);
    }
    return status;
}

upsweep_status upsweep_external_pull_to(upsweep_external *x,
                                        upsweep_status (*take)(void *context, const void *records,
                                                               size_t bytes),
                                        void *context)
{
    upsweep_status status = UPSWEEP_OK;
    size_t bytes = 1;
    if (take == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    while (status == UPSWEEP_OK && bytes > 0) {
        const void *records;
        status = upsweep_external_pull(x, &records, &bytes);
        if (status == UPSWEEP_OK && bytes > 0) {
            status = take(context, records, bytes);
            status = status == UPSWEEP_OK ? status : fail(x, status, "what takes the records");
        }
    }
    return status;
}

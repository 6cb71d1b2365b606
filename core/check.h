/* check.h - what public calls check of their arguments before they work. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CHECK_H
#define USW_CHECK_H

#include "core/forms.h"
#include "core/registry.h"
#include "core/structs.h"

/* Sentences that the CPU and the GPU share. */
#define USW_SAY_OUTSIDE "an index is not below %zu"
#define USW_SAY_TWICE "index is no permutation: a place comes twice"
#define USW_SAY_NO_BUCKET "an element is in none of the %u buckets"
#define USW_SAY_NO_FIT "the distance of vertex %u does not fit %zu bits"
#define USW_SAY_WEIGHT "the arc from %zu to %zu has the weight %g"
#define USW_SAY_ROW "row %zu ends before it begins, or beyond n"
#define USW_SAY_STRING "string %zu ends before it begins"

/* Calls that have no choice of algorithm take no name. */
static inline upsweep_status usw_no_choice(upsweep *u, const usw_options *o)
{
    return o->algorithm == NULL
               ? UPSWEEP_OK
               : usw_fail(u, UPSWEEP_ERROR_ALGORITHM,
                          "this call has one algorithm only, not '%.60s'", o->algorithm);
}

/* UPSWEEP_ERROR_UNSUPPORTED for device memory on a CPU's handle, if that can be known. */
upsweep_status usw_gpu_device_pointer(upsweep *u, const void *array, const char *what);
static inline upsweep_status usw_check_place(upsweep *u, const void *array, const char *what)
{
    return u->device == USW_CPU && u->plugin != NULL ? usw_gpu_device_pointer(u, array, what)
                                                     : UPSWEEP_OK;
}

/* n elements of `bytes` bytes, at `array` (what: its name for the message). */
static inline upsweep_status usw_check_array(upsweep *u, const void *array, size_t n, size_t bytes,
                                             const char *what)
{
    size_t total;
    if (n > 0 && array == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%s is NULL, but n is %zu", what, n);
    }
    if (bytes == 0 || usw_mul_overflows(n, bytes, &total) || total > PTRDIFF_MAX) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu elements of %zu bytes: not a size", n,
                        bytes);
    }
    return usw_check_place(u, array, what);
}

static inline upsweep_status usw_check_type(upsweep *u, upsweep_type type)
{
    return upsweep_type_bytes(type) != 0
               ? UPSWEEP_OK
               : usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%d is no element type%s", (int)type,
                          (unsigned)type & USW_OP_MARK ? ": it is an operator" : "");
}

/* calls/reduce.c: an operator's identity, as an element's bits; the type that a result has. */
uint64_t usw_identity_bits(upsweep_type type, upsweep_op op);
upsweep_type usw_result_type(upsweep_type type, upsweep_op op, unsigned flags);

/* Keys of a sort, and what of them is to be compared. */
static inline upsweep_status usw_check_keys(upsweep *u, const void *keys, size_t n,
                                            upsweep_type type, const usw_options *o)
{
    size_t bytes = upsweep_type_bytes(type), total;
    if (bytes == 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "type %d is no type", (int)type);
    }
    if (keys == NULL && n > 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "keys is NULL but n is %zu", n);
    }
    if (usw_mul_overflows(n, bytes, &total) || total > PTRDIFF_MAX) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu keys of %zu bytes fit no memory", n, bytes);
    }
    if ((o->flags & UPSWEEP_NAN_FIRST) && (o->flags & UPSWEEP_NAN_RAW)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "NAN_FIRST and NAN_RAW exclude each other");
    }
    bool all = o->bit_begin == 0 && o->bit_end == 0;
    if (!all && (o->bit_begin >= o->bit_end || o->bit_end > bytes * 8)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "bits [%u, %u) are no range within %zu bits",
                        o->bit_begin, o->bit_end, bytes * 8);
    }
    return usw_check_place(u, keys, "keys");
}

#endif

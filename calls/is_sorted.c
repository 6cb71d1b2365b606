/* is_sorted.c - upsweep_is_sorted: the first key that is out of order. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "cpu/patterns/patterns.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/keymap.h"
#include "cpu/cpu.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE |
            UPSWEEP_IN_PLACE
};

upsweep_status upsweep_is_sorted(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                 size_t *first, const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_check_keys(u, keys, n, type, &o);
    if (status == UPSWEEP_OK && first == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "first is NULL");
    }
    if (status == UPSWEEP_OK && !usw_gpu_is_sorted(u, keys, n, type, &o, first, &status)) {
        unsigned bits = (unsigned)upsweep_type_bytes(type) * 8;
        unsigned end = o.bit_end == 0 ? bits : o.bit_end;
        usw_key_order order = {usw_keymap_of(type, o.flags), bits - end, bits - end + o.bit_begin};
        USW_SHARE_CALL(u, n * bits / 8, USW_LIKE_READING, type);
        *first = usw_first_break(u, keys, n, usw_log2_up(bits / 8), &order, true);
    }
    return usw_leave(u, status);
}

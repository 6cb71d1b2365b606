/* structs.h - the structs of the public header that carry their size, as callers of other versions
 * of the library give them and want them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_STRUCTS_H
#define USW_STRUCTS_H

#include "core/frame.h"

/* Bytes that a struct had when it first had a size, of which `last` was the last member: what a
 * size of 0 means for ever, since a program of that time may have no more. */
#define USW_FIRST_BYTES(type, last)                                                                \
    ((offsetof(type, last) + sizeof(((type *)NULL)->last) + sizeof(size_t) - 1) / sizeof(size_t) * \
     sizeof(size_t))

enum {
    /* of 0.1.0 */
    USW_OPTIONS_FIRST = USW_FIRST_BYTES(upsweep_options, bit_end),
    USW_CONFIG_FIRST = USW_FIRST_BYTES(upsweep_config, context),
    USW_TUNING_FIRST = USW_FIRST_BYTES(upsweep_tuning, measured),
    USW_BUCKETING_FIRST = USW_FIRST_BYTES(upsweep_bucketing, edges),
    USW_PATH_OPTIONS_FIRST = USW_FIRST_BYTES(upsweep_path_options, delta),
    USW_BATCH_OPTIONS_FIRST = USW_FIRST_BYTES(upsweep_batch_options, flags),
    /* of 0.2.0 */
    USW_REPORT_FIRST = USW_FIRST_BYTES(upsweep_report, reason),
    USW_MACHINE_FIRST = USW_FIRST_BYTES(upsweep_machine, gpu_plugin),
    USW_GRAPH_INFO_FIRST = USW_FIRST_BYTES(upsweep_graph_info, bytes),
    USW_PICTURE_FIRST = USW_FIRST_BYTES(upsweep_picture, changed)
};

/* Copies the caller's struct `from`, which begins with its size, to the library's own of to_bytes
 * bytes, with 0 for what it has not. Returns NULL, or the end of a sentence on what is wrong. */
const char *usw_take_struct(void *to, size_t to_bytes, const void *from, size_t first_bytes);
/* The same with a handle, whose lock is held: UPSWEEP_ERROR_ARGUMENT and a sentence. */
upsweep_status usw_take_struct_for(upsweep *u, const char *what, void *to, size_t to_bytes,
                                   const void *from, size_t first_bytes);
/* Copies the library's struct `from`, without its size, to the caller's, as far as that has room,
 * and sets the size in it to what was written. Returns as above. */
const char *usw_give_struct(void *to, const void *from, size_t from_bytes, size_t first_bytes);

/* ---- numbers of one family where another belongs ---- */

/* Of the numbers of operators, so that one that stands among flags or types is noticed. */
enum { USW_OP_MARK = 0x100 };
/* ": flags of a graph", ...: what bits are that a call does not take; "". */
const char *usw_flags_hint(unsigned flags);
/* The operator, which 0.1 numbered without the mark. */
static inline upsweep_op usw_op_of(upsweep_op op)
{
    unsigned n = (unsigned)op;
    return n >= 1 && n <= (unsigned)UPSWEEP_XOR - USW_OP_MARK ? (upsweep_op)(n | USW_OP_MARK) : op;
}

#endif

/* structs.c - takes and gives structs that carry their size, whichever version of the header the
 * caller was compiled with. */
/* SPDX-License-Identifier: MIT */
#include "core/structs.h"

enum { STRUCT_MAX = 4096 }; /* no struct will be larger, so that a wild size is not followed */

static const char no_size[] = "its size is that of no struct: set it to sizeof, or zero-initialise";

/* The size that the caller's struct has, or 0. */
static size_t size_of(const void *from, size_t first_bytes)
{
    size_t size;
    memcpy(&size, from, sizeof size);
    return size == 0 ? first_bytes : size > STRUCT_MAX || size % sizeof size != 0 ? 0 : size;
}

const char *usw_take_struct(void *to, size_t to_bytes, const void *from, size_t first_bytes)
{
    size_t size = size_of(from, first_bytes);
    if (size == 0) {
        return no_size;
    }
    const unsigned char *bytes = from;
    for (size_t i = to_bytes; i < size; i++) {
        if (bytes[i] != 0) {
            return "it has a field set that only later versions of the library know";
        }
    }
    size_t known = usw_min(size, to_bytes);
    memcpy(to, from, known);
    memset((unsigned char *)to + known, 0, to_bytes - known);
    return NULL;
}

upsweep_status usw_take_struct_for(upsweep *u, const char *what, void *to, size_t to_bytes,
                                   const void *from, size_t first_bytes)
{
    const char *wrong = usw_take_struct(to, to_bytes, from, first_bytes);
    return wrong == NULL ? UPSWEEP_OK : usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%s: %s", what, wrong);
}

const char *usw_give_struct(void *to, const void *from, size_t from_bytes, size_t first_bytes)
{
    size_t size = size_of(to, first_bytes);
    if (size == 0) {
        return no_size;
    }
    size = usw_min(size, from_bytes);
    memcpy(to, &size, sizeof size);
    memcpy((unsigned char *)to + sizeof size, (const unsigned char *)from + sizeof size,
           size - sizeof size);
    return NULL;
}

const char *usw_flags_hint(unsigned flags)
{
    const unsigned graph =
        UPSWEEP_GRAPH_UNDIRECTED | UPSWEEP_GRAPH_SYMMETRIC | UPSWEEP_GRAPH_NEGATIVE;
    const unsigned paths = UPSWEEP_PATHS_PARENTS | UPSWEEP_PATHS_REACHED;
    return flags & USW_OP_MARK ? ": this is an operator, as UPSWEEP_GREATEST is, and no flag"
           : flags & graph     ? ": flags of a graph"
           : flags & paths     ? ": flags of upsweep_paths_batch"
                               : "";
}

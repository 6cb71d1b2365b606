/* refused.c - calls that must fail on all ranks alike, and end. */
/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "test/ranks/checks.h"

static int refused(const rank_calls *r, const char *what, upsweep_status status,
                   upsweep_status wanted, const char *word)
{
    if (status != wanted || strstr(r->error(), word) == NULL) {
        fprintf(stderr, "rank %d of %d: %s: %s, \"%s\", not %s and \"%s\"\n", r->rank, r->size,
                what, upsweep_status_name(status), r->error(), upsweep_status_name(wanted), word);
        return 1;
    }
    return 0;
}

int check_refused(const rank_calls *r, upsweep *u)
{
    uint32_t keys[16] = {3, 1, 2}, out[16];
    uint64_t result;
    size_t room = 16;
    int faults = 0;
    bool last = r->rank == r->size - 1, alone = r->size == 1;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    upsweep_mpi_layout layout = UPSWEEP_MPI_LAYOUT_INIT;
    void *w = r->world;
    /* Nothing at all. */
    faults += r->sort(w, u, NULL, 0, UPSWEEP_U32, NULL, NULL, NULL, NULL) != UPSWEEP_OK;
    faults += r->reduce(w, u, NULL, 0, UPSWEEP_U32, UPSWEEP_SUM, &result, NULL) != UPSWEEP_OK;
    faults += r->scan(w, u, NULL, NULL, 0, UPSWEEP_F32, UPSWEEP_SUM, NULL) != UPSWEEP_OK;
    /* One rank is wrong: all hear of it. */
    faults +=
        refused(r, "NULL", r->sort(w, u, last ? NULL : keys, 3, UPSWEEP_U32, NULL, out, NULL, NULL),
                UPSWEEP_ERROR_ARGUMENT, "keys is NULL");
    faults += refused(r, "no handle",
                      r->sort(w, last ? NULL : u, keys, 3, UPSWEEP_U32, NULL, out, NULL, NULL),
                      UPSWEEP_ERROR_ARGUMENT, "handle");
    o.flags = last ? UPSWEEP_LARGEST : 0u;
    faults += refused(r, "flags", r->sort(w, u, keys, 3, UPSWEEP_U32, NULL, out, NULL, &o),
                      UPSWEEP_ERROR_ARGUMENT, alone ? "flags" : "disagree on the flags");
    o.flags = 0;
    o.bit_begin = 40;
    o.bit_end = 50;
    faults += refused(r, "bits", r->sort(w, u, keys, 3, UPSWEEP_U32, NULL, out, NULL, &o),
                      UPSWEEP_ERROR_ARGUMENT, "bits");
    o.bit_begin = o.bit_end = 0;
    layout.kind = UPSWEEP_MPI_EVEN;
    room = last ? 0 : 16;
    faults += refused(r, "room", r->sort(w, u, keys, 3, UPSWEEP_U32, &layout, out, &room, NULL),
                      UPSWEEP_ERROR_ARGUMENT, "room");
    faults += room != 3;
    faults += refused(
        r, "top_k", r->top_k(w, u, keys, 3, 3 * (size_t)r->size + 1, UPSWEEP_U32, out, NULL, NULL),
        UPSWEEP_ERROR_ARGUMENT, "asked for");
    faults +=
        refused(r, "operator", r->reduce(w, u, keys, 3, UPSWEEP_F32, UPSWEEP_XOR, &result, NULL),
                UPSWEEP_ERROR_ARGUMENT, "operator");
    if (alone) {
        return faults;
    }
    faults += refused(
        r, "type", r->sort(w, u, keys, 3, last ? UPSWEEP_I32 : UPSWEEP_U32, NULL, out, NULL, NULL),
        UPSWEEP_ERROR_ARGUMENT, "disagree on the type");
    o.flags = last ? UPSWEEP_DESCENDING : 0u;
    faults += refused(r, "options", r->sort(w, u, keys, 3, UPSWEEP_U32, NULL, out, NULL, &o),
                      UPSWEEP_ERROR_ARGUMENT, "disagree on the flags");
    room = 16;
    faults += refused(r, "layout",
                      r->sort(w, u, keys, 3, UPSWEEP_U32, last ? NULL : &layout, out, &room, NULL),
                      UPSWEEP_ERROR_ARGUMENT, "disagree on the layout");
    faults += refused(r, "call",
                      last ? r->reduce(w, u, keys, 3, UPSWEEP_U32, UPSWEEP_SUM, &result, NULL)
                           : r->sort(w, u, keys, 3, UPSWEEP_U32, NULL, out, NULL, NULL),
                      UPSWEEP_ERROR_ARGUMENT, "disagree on the call");
    /* And then all is well again. */
    faults += r->sort(w, u, keys, 3, UPSWEEP_U32, NULL, out, NULL, NULL) != UPSWEEP_OK;
    return faults;
}

/* sort_elements.c - raw arrays, .npy and records: each rank reads its even part, and writes it
 * again. */
/* SPDX-License-Identifier: MIT */
#include "ranks/program/program.h"

#include <stdlib.h>

#include "io/npy.h"

static bool sort_part(program *p, const inputs *in, char *part, uint64_t count)
{
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    upsweep_mpi_layout layout = UPSWEEP_MPI_LAYOUT_INIT;
    size_t room = (size_t)count;
    const options *given = &p->options;
    o.flags = given->flags;
    layout.kind = UPSWEEP_MPI_EVEN;
    upsweep_status status =
        given->record_bytes > 0
            ? upsweep_mpi_sort_records(p->u, p->comm, part, room, in->bytes, given->fields,
                                       given->field_count, &layout, part, &room, &o)
            : upsweep_mpi_sort(p->u, p->comm, part, room, in->type, &layout, part, &room, &o);
    return status == UPSWEEP_OK || fails(p, "%s", upsweep_mpi_error());
}

static void write_part(program *p, const inputs *in, const shared_output *out, const char *part,
                       uint64_t from, uint64_t count)
{
    char header[IO_NPY_WRITTEN_BYTES];
    uint64_t begin = in->npy ? sizeof header : 0;
    if (in->npy && p->rank == 0) {
        if (io_npy_write_header(header, in->type, (size_t)in->total)) {
            write_at(p, out, 0, header, sizeof header);
        } else {
            fails(p, "%s: NumPy has no such type", p->options.output);
        }
    }
    write_at(p, out, begin + from * in->bytes, part, count * in->bytes);
}

bool sort_elements(program *p)
{
    inputs in;
    shared_output out = {.fd = -1};
    char *part = NULL;
    bool good = open_inputs(p, &in, false) && open_output(p, &out);
    uint64_t size = (uint64_t)p->size, me = (uint64_t)p->rank;
    uint64_t from = (uint64_t)((__uint128_t)in.total * me / size);
    uint64_t to = (uint64_t)((__uint128_t)in.total * (me + 1) / size);
    if (good && !p->failed) {
        part = malloc((to - from) * in.bytes + 1);
        if (part == NULL) {
            fails(p, "rank %d: there is no memory for %llu elements", p->rank,
                  (unsigned long long)(to - from));
        } else {
            read_elements(p, &in, from, to, part);
        }
    }
    if (good) {
        good = together(p) && sort_part(p, &in, part, to - from);
        if (good) {
            write_part(p, &in, &out, part, from, to - from);
        }
        good = close_output(p, &out) && good;
    }
    free(part);
    close_inputs(&in);
    return good;
}

/* main.c - upsweep-mpi: `mpirun -n P upsweep-mpi sort ... -o OUTPUT`. */
/* SPDX-License-Identifier: MIT */
#include "ranks/program/program.h"

#include <stdarg.h>
#include <stdio.h>

bool fails(program *p, const char *format, ...)
{
    if (!p->failed) {
        va_list list;
        va_start(list, format);
        vsnprintf(p->error.text, sizeof p->error.text, format, list);
        va_end(list);
        p->failed = true;
    }
    return false;
}

bool together(program *p)
{
    if (p->told) {
        return false;
    }
    int mine = p->failed ? p->rank : p->size, first = p->size;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, p->comm);
    if (first < p->size && first == p->rank) {
        fprintf(stderr, "upsweep-mpi: %s\n", p->error.text);
    }
    p->failed = p->told = first < p->size;
    return !p->failed;
}

static bool sort(program *p)
{
    upsweep_config config = {.size = sizeof config};
    const char *why;
    int alone = 1;
    MPI_Comm here;
    /* Ranks of one machine share its processors. */
    MPI_Comm_split_type(p->comm, MPI_COMM_TYPE_SHARED, p->rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &alone);
    MPI_Comm_free(&here);
    upsweep_machine machine = UPSWEEP_MACHINE_INIT;
    upsweep_describe_machine(&machine);
    config.threads = machine.cores > (unsigned)alone ? machine.cores / (unsigned)alone : 1;
    bool text = false;
    if (upsweep_open_why(&p->u, "cpu", &config, &why) != UPSWEEP_OK) {
        fails(p, "%s", why);
    } else {
        is_text(p, &text);
    }
    return together(p) && (text ? sort_lines : sort_elements)(p);
}

int main(int argc, char **argv)
{
    program p = {0};
    MPI_Init(&argc, &argv);
    p.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.size);
    int status = read_options(&p.options, argc, argv, p.rank == 0);
    if (status < 0) {
        status = sort(&p) ? 0 : 2;
    }
    upsweep_close(p.u);
    MPI_Finalize();
    return status;
}

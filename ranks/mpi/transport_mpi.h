/* transport_mpi.h - MPI as the transport of one call. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_MPI_TRANSPORT_MPI_H
#define USW_RANKS_MPI_TRANSPORT_MPI_H

#include <mpi.h>

#include "ranks/transport.h"
#include "upsweep.h"

typedef struct usw_mpi {
    usw_transport t;
    MPI_Comm comm;
    int code; /* of the last call that failed */
} usw_mpi;

/* Collective. Duplicates comm; its errors are returned, not raised. After a failure, which
 * usw_ranks_error has words for, nothing needs to be closed. */
upsweep_status usw_mpi_open(usw_mpi *m, MPI_Comm comm);
void usw_mpi_close(usw_mpi *m);

#endif

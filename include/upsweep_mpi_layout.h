/* upsweep_mpi_layout.h - how much of a sorted whole each rank gets. A part of upsweep_mpi.h, which
 * includes it; this file needs no mpi.h. */
/* SPDX-License-Identifier: MIT */
#ifndef UPSWEEP_MPI_LAYOUT_H
#define UPSWEEP_MPI_LAYOUT_H

#include "upsweep.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum upsweep_mpi_layout_kind {
    UPSWEEP_MPI_AS_GIVEN = 0, /* each rank gets as many elements as it gave */
    UPSWEEP_MPI_EVEN = 1, /* of N elements rank r of p gets those from N r / p to N (r + 1) / p */
    UPSWEEP_MPI_SPLITTERS =
        2 /* rank r gets what is not before splitter r - 1 and before splitter r */
} upsweep_mpi_layout_kind;

/* NULL in its place means UPSWEEP_MPI_AS_GIVEN. The same on all ranks. */
typedef struct upsweep_mpi_layout {
    size_t size; /* sizeof(upsweep_mpi_layout) */
    upsweep_mpi_layout_kind kind;
    /* For UPSWEEP_MPI_SPLITTERS: p - 1 elements (keys; records for records) in the order that the
     * call sorts by, in the host's memory; some may be equal. */
    const void *splitters;
} upsweep_mpi_layout;
#define UPSWEEP_MPI_LAYOUT_INIT                                                                    \
    {                                                                                              \
        sizeof(upsweep_mpi_layout), UPSWEEP_MPI_AS_GIVEN, NULL                                     \
    }

#ifdef __cplusplus
}
#endif
#endif

/* calls_mpi.c - the calls of upsweep_mpi.h: a communicator becomes a transport for the time of a
 * call. */
/* SPDX-License-Identifier: MIT */
#include "upsweep_mpi.h"

#include "ranks/call.h"
#include "ranks/calls.h"
#include "ranks/mpi/transport_mpi.h"

#ifndef USW_BUILT_WITH
#define USW_BUILT_WITH "an MPI without a name"
#endif

const char *upsweep_mpi_error(void)
{
    return usw_ranks_error();
}

const char *upsweep_mpi_built_with(void)
{
    return USW_BUILT_WITH;
}

unsigned upsweep_mpi_version_number(void)
{
    return UPSWEEP_VERSION;
}

/* Runs call, which names the transport &m.t, on a copy of comm. */
#define OVER_MPI(call)                                                                             \
    usw_mpi m;                                                                                     \
    upsweep_status status = usw_mpi_open(&m, comm);                                                \
    if (status == UPSWEEP_OK) {                                                                    \
        status = (call);                                                                           \
        usw_mpi_close(&m);                                                                         \
    }                                                                                              \
    return status

upsweep_status upsweep_mpi_sort(upsweep *u, MPI_Comm comm, const void *keys, size_t n,
                                upsweep_type type, const upsweep_mpi_layout *layout, void *out,
                                size_t *n_out, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_sort(&m.t, u, keys, n, type, layout, out, n_out, options));
}

upsweep_status upsweep_mpi_sort_pairs(upsweep *u, MPI_Comm comm, const void *keys,
                                      const void *values, size_t n, upsweep_type type,
                                      size_t value_bytes, const upsweep_mpi_layout *layout,
                                      void *out_keys, void *out_values, size_t *n_out,
                                      const upsweep_options *options)
{
    OVER_MPI(usw_ranks_sort_pairs(&m.t, u, keys, values, n, type, value_bytes, layout, out_keys,
                                  out_values, n_out, options));
}

upsweep_status upsweep_mpi_argsort(upsweep *u, MPI_Comm comm, const void *keys, size_t n,
                                   upsweep_type type, const upsweep_mpi_layout *layout,
                                   uint64_t *index, size_t *n_out, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_argsort(&m.t, u, keys, n, type, layout, index, n_out, options));
}

upsweep_status upsweep_mpi_sort_records(upsweep *u, MPI_Comm comm, const void *records, size_t n,
                                        size_t record_bytes, const upsweep_field *fields,
                                        size_t field_count, const upsweep_mpi_layout *layout,
                                        void *out, size_t *n_out, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_sort_records(&m.t, u, records, n, record_bytes, fields, field_count, layout,
                                    out, n_out, options));
}

upsweep_status upsweep_mpi_top_k(upsweep *u, MPI_Comm comm, const void *keys, size_t n, size_t k,
                                 upsweep_type type, void *out, uint64_t *index,
                                 const upsweep_options *options)
{
    OVER_MPI(usw_ranks_top_k(&m.t, u, keys, n, k, type, out, index, options));
}

upsweep_status upsweep_mpi_unique(upsweep *u, MPI_Comm comm, void *keys, size_t n,
                                  upsweep_type type, size_t *kept, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_unique(&m.t, u, keys, n, type, kept, options));
}

upsweep_status upsweep_mpi_histogram(upsweep *u, MPI_Comm comm, const void *keys, size_t n,
                                     upsweep_type type, const upsweep_bucketing *buckets,
                                     uint64_t *counts, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_histogram(&m.t, u, keys, n, type, buckets, counts, options));
}

upsweep_status upsweep_mpi_reduce(upsweep *u, MPI_Comm comm, const void *data, size_t n,
                                  upsweep_type type, upsweep_op op, void *result,
                                  const upsweep_options *options)
{
    OVER_MPI(usw_ranks_reduce(&m.t, u, data, n, type, op, result, options));
}

upsweep_status upsweep_mpi_scan(upsweep *u, MPI_Comm comm, const void *in, void *out, size_t n,
                                upsweep_type type, upsweep_op op, const upsweep_options *options)
{
    OVER_MPI(usw_ranks_scan(&m.t, u, in, out, n, type, op, options));
}

/* calls.h - the calls of upsweep_mpi.h over any transport: what they take and give is said there.
 * Each is collective, and returns the same status on all ranks. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_CALLS_H
#define USW_RANKS_CALLS_H

#include "upsweep_mpi_layout.h"
#include "ranks/transport.h"

upsweep_status usw_ranks_sort(usw_transport *t, upsweep *u, const void *keys, size_t n,
                              upsweep_type type, const upsweep_mpi_layout *layout, void *out,
                              size_t *n_out, const upsweep_options *options);
upsweep_status usw_ranks_sort_pairs(usw_transport *t, upsweep *u, const void *keys,
                                    const void *values, size_t n, upsweep_type type,
                                    size_t value_bytes, const upsweep_mpi_layout *layout,
                                    void *out_keys, void *out_values, size_t *n_out,
                                    const upsweep_options *options);
upsweep_status usw_ranks_argsort(usw_transport *t, upsweep *u, const void *keys, size_t n,
                                 upsweep_type type, const upsweep_mpi_layout *layout,
                                 uint64_t *index, size_t *n_out, const upsweep_options *options);
upsweep_status usw_ranks_sort_records(usw_transport *t, upsweep *u, const void *records, size_t n,
                                      size_t record_bytes, const upsweep_field *fields,
                                      size_t field_count, const upsweep_mpi_layout *layout,
                                      void *out, size_t *n_out, const upsweep_options *options);
upsweep_status usw_ranks_top_k(usw_transport *t, upsweep *u, const void *keys, size_t n, size_t k,
                               upsweep_type type, void *out, uint64_t *index,
                               const upsweep_options *options);
upsweep_status usw_ranks_unique(usw_transport *t, upsweep *u, void *keys, size_t n,
                                upsweep_type type, size_t *kept, const upsweep_options *options);
upsweep_status usw_ranks_histogram(usw_transport *t, upsweep *u, const void *keys, size_t n,
                                   upsweep_type type, const upsweep_bucketing *buckets,
                                   uint64_t *counts, const upsweep_options *options);
upsweep_status usw_ranks_reduce(usw_transport *t, upsweep *u, const void *data, size_t n,
                                upsweep_type type, upsweep_op op, void *result,
                                const upsweep_options *options);
upsweep_status usw_ranks_scan(usw_transport *t, upsweep *u, const void *in, void *out, size_t n,
                              upsweep_type type, upsweep_op op, const upsweep_options *options);

#endif

/* checks.h - what every call over ranks must give, whatever carries the data: threads
 * (test_ranks.c) or MPI (ranks_mpi.c). Each rank knows the whole array, gives its stretch of it,
 * and compares what it gets with what one process makes of the whole. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_RANKS_CHECKS_H
#define TEST_RANKS_CHECKS_H

#include "upsweep_mpi_layout.h"

/* The calls, as upsweep_mpi.h has them; world stands for the communicator. */
typedef struct rank_calls {
    void *world;
    int rank, size;
    upsweep_status (*sort)(void *world, upsweep *u, const void *keys, size_t n, upsweep_type type,
                           const upsweep_mpi_layout *layout, void *out, size_t *n_out,
                           const upsweep_options *options);
    upsweep_status (*sort_pairs)(void *world, upsweep *u, const void *keys, const void *values,
                                 size_t n, upsweep_type type, size_t value_bytes,
                                 const upsweep_mpi_layout *layout, void *out_keys, void *out_values,
                                 size_t *n_out, const upsweep_options *options);
    upsweep_status (*argsort)(void *world, upsweep *u, const void *keys, size_t n,
                              upsweep_type type, const upsweep_mpi_layout *layout, uint64_t *index,
                              size_t *n_out, const upsweep_options *options);
    upsweep_status (*sort_records)(void *world, upsweep *u, const void *records, size_t n,
                                   size_t record_bytes, const upsweep_field *fields,
                                   size_t field_count, const upsweep_mpi_layout *layout, void *out,
                                   size_t *n_out, const upsweep_options *options);
    upsweep_status (*top_k)(void *world, upsweep *u, const void *keys, size_t n, size_t k,
                            upsweep_type type, void *out, uint64_t *index,
                            const upsweep_options *options);
    upsweep_status (*unique)(void *world, upsweep *u, void *keys, size_t n, upsweep_type type,
                             size_t *kept, const upsweep_options *options);
    upsweep_status (*histogram)(void *world, upsweep *u, const void *keys, size_t n,
                                upsweep_type type, const upsweep_bucketing *buckets,
                                uint64_t *counts, const upsweep_options *options);
    upsweep_status (*reduce)(void *world, upsweep *u, const void *data, size_t n, upsweep_type type,
                             upsweep_op op, void *result, const upsweep_options *options);
    upsweep_status (*scan)(void *world, upsweep *u, const void *in, void *out, size_t n,
                           upsweep_type type, upsweep_op op, const upsweep_options *options);
    const char *(*error)(void);
} rank_calls;

/* How the whole lies on the ranks. */
enum { SPREAD_EVEN, SPREAD_HOLES, SPREAD_LAST, SPREAD_RANDOM, SPREADS };

/* One case: n elements of a pattern (test/shared/inputs.h). Faults are printed; returns how
 * many. */
int check_case(const rank_calls *r, upsweep *u, unsigned pattern, upsweep_type type, size_t n,
               int spread, unsigned number);
/* Ranks that disagree, arguments that are none, room that is too small: an error on all, and no
 * hang. */
int check_refused(const rank_calls *r, upsweep *u);

#endif

/* upsweep_mpi.h - sort, scan, reduce and select over the processes of an MPI communicator.
 *
 *     upsweep_open(&u, "cpu", NULL);
 *     upsweep_mpi_sort(u, MPI_COMM_WORLD, keys, n, UPSWEEP_U64, NULL, keys, NULL, NULL);
 *
 * What holds for every call, on top of what upsweep.h says of all
 *   The whole  is the arrays of all ranks, one after another in the order of ranks; n is this
 *              rank's count, which may be 0, and may differ from one rank to the next. Places are
 *              places in the whole, counted from 0.
 *   Collective all ranks of the communicator make the call, with their own handle, arrays and n,
 *              and with the same type, options, layout and other numbers. The communicator is
 *              duplicated for the call, so that no message of the caller's can be taken for one of
 *              it; MPI must have been initialised by the caller. Calls on communicators that share
 *              processes must be in the same order on all of them, as for any collective call of
 *              MPI. Only the calling thread calls MPI.
 *   Status     is the same on all ranks, and so is the sentence of upsweep_mpi_error: when one rank
 *              fails, or ranks disagree, all return the error. UPSWEEP_ERROR_DEVICE means that MPI
 *              itself reported an error (where its errors do not end the program). After an error
 *              the outputs are undefined; inputs are as they were unless they are outputs, too.
 *   Same bits  what comes out is, byte by byte, what one process with the whole array gets from the
 *              call of the same name in upsweep.h, cut into pieces: for any number of ranks, and
 *              any n on each, sums of floating-point numbers included (docs/order.md).
 *   Memory     of the host, beyond what the call on this rank's piece takes of the handle's
 *              scratch: at most the elements that the rank gives, and 2 bytes for each, and some
 *              hundred KB; a few bytes for each rank. n elements may be more than 2^31.
 *   Devices    handles on "cuda" take arrays in device memory, and sort there; the elements cross
 *              by the host's memory. A handle on "auto" takes arrays in the host's memory.
 *   Limits     16384 ranks for sorts and top-k. Communicators between two groups are refused.
 *
 * Link with libupsweep_mpi, which is built for one MPI, and libupsweep: pkg-config upsweep_mpi.
 */
/* SPDX-License-Identifier: MIT */
#ifndef UPSWEEP_MPI_H
#define UPSWEEP_MPI_H

#include <mpi.h>

#include "upsweep.h"
#include "upsweep_mpi_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One sentence on the calling thread's last call of this header that failed; "" if none did. It
 * names the rank that failed first. Valid until the thread's next call of this header. */
UPSWEEP_API const char *upsweep_mpi_error(void);
/* The MPI that the library was built with, in words: "Open MPI v4.1.4, ..." */
UPSWEEP_API const char *upsweep_mpi_built_with(void);
/* UPSWEEP_VERSION of this library. It works with a libupsweep of the same major and minor version
 * only, else every call is UPSWEEP_ERROR_UNSUPPORTED. */
UPSWEEP_API unsigned upsweep_mpi_version_number(void);

/* Sorts the keys of all ranks; rank r gets its piece of the result in out, as large as layout says.
 * *n_out: on entry the elements that out has room for, afterwards how many the piece has. If some
 * rank's room is too small all get UPSWEEP_ERROR_ARGUMENT, and *n_out says what is needed. n_out
 * may be NULL if the sizes stay as given. out may be keys, but may not overlap it otherwise. Each
 * key crosses to the rank that gets it once, if it is not there already. Scratch: as upsweep_sort
 * of the piece. Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE (for the sort of the
 * piece). */
UPSWEEP_API upsweep_status upsweep_mpi_sort(upsweep *u, MPI_Comm comm, const void *keys, size_t n,
                                            upsweep_type type, const upsweep_mpi_layout *layout,
                                            void *out, size_t *n_out,
                                            const upsweep_options *options);
/* The same with a value of value_bytes bytes for each key. Stable. out_keys may be keys, and
 * out_values may be values.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_mpi_sort_pairs(upsweep *u, MPI_Comm comm, const void *keys,
                                                  const void *values, size_t n, upsweep_type type,
                                                  size_t value_bytes,
                                                  const upsweep_mpi_layout *layout, void *out_keys,
                                                  void *out_values, size_t *n_out,
                                                  const upsweep_options *options);
/* The permutation that sorts: piece by piece, the places in the whole that the sorted keys came
 * from. Stable. Keys stay as they are.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_mpi_argsort(upsweep *u, MPI_Comm comm, const void *keys,
                                               size_t n, upsweep_type type,
                                               const upsweep_mpi_layout *layout, uint64_t *index,
                                               size_t *n_out, const upsweep_options *options);
/* Sorts records by fields, of 65536 bytes in all at most, as upsweep_sort_records does. Stable.
 * out may be records.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_mpi_sort_records(upsweep *u, MPI_Comm comm, const void *records,
                                                    size_t n, size_t record_bytes,
                                                    const upsweep_field *fields, size_t field_count,
                                                    const upsweep_mpi_layout *layout, void *out,
                                                    size_t *n_out, const upsweep_options *options);

/* The k best keys of all ranks and their places (index may be NULL), the same on all ranks: k
 * elements each. k <= the count of the whole. Scratch and messages of O(k).
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, LARGEST. */
UPSWEEP_API upsweep_status upsweep_mpi_top_k(upsweep *u, MPI_Comm comm, const void *keys, size_t n,
                                             size_t k, upsweep_type type, void *out,
                                             uint64_t *index, const upsweep_options *options);
/* Removes every key of the whole whose bits equal those of the key before it, in place; *kept gets
 * how many are left on this rank.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_mpi_unique(upsweep *u, MPI_Comm comm, void *keys, size_t n,
                                              upsweep_type type, size_t *kept,
                                              const upsweep_options *options);
/* counts, the same on all ranks: the keys of all ranks in each bucket.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_mpi_histogram(upsweep *u, MPI_Comm comm, const void *keys,
                                                 size_t n, upsweep_type type,
                                                 const upsweep_bucketing *buckets, uint64_t *counts,
                                                 const upsweep_options *options);
/* *result, the same on all ranks: all elements combined. Sums and products of floating-point
 * numbers have the bits of upsweep_reduce on the whole: each rank gets at most 4095 elements of
 * its neighbours, which complete the tiles of docs/order.md.
 * Flags: UNORDERED (changes nothing here). */
UPSWEEP_API upsweep_status upsweep_mpi_reduce(upsweep *u, MPI_Comm comm, const void *data, size_t n,
                                              upsweep_type type, upsweep_op op, void *result,
                                              const upsweep_options *options);
/* Prefix combinations over the whole; each rank gets those of its own elements. out may be in.
 * Sums and products of floating-point numbers have the bits of upsweep_scan on the whole, and are
 * computed by one thread.
 * Flags: EXCLUSIVE, UNORDERED (changes nothing here). */
UPSWEEP_API upsweep_status upsweep_mpi_scan(upsweep *u, MPI_Comm comm, const void *in, void *out,
                                            size_t n, upsweep_type type, upsweep_op op,
                                            const upsweep_options *options);

#ifdef __cplusplus
}
#endif
#endif

/* transport.h - how ranks exchange data: a table of five calls, all that the algorithms of this
 * room know of it. transport_mpi.c is MPI; test/ranks/transport_threads.c has every rank as a
 * thread of one process. Another one (NCCL) would be another table.
 *
 * All calls are collective: every rank calls the same ones in the same order. Counts have 64 bits.
 * Each returns 0, or something else if the exchange failed; no later call will succeed then. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_TRANSPORT_H
#define USW_RANKS_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

typedef enum usw_reduction { USW_SUM, USW_MOST, USW_BITS } usw_reduction; /* +, max, or; of u64 */

typedef struct usw_transport usw_transport;
struct usw_transport {
    int rank, size;
    /* Elements of `bytes` bytes: send_counts[r] of them to rank r, one stretch after another in the
     * order of ranks, and received likewise. send and recv do not overlap. */
    int (*alltoallv)(usw_transport *t, const void *send, const uint64_t *send_counts, void *recv,
                     const uint64_t *recv_counts, size_t bytes);
    /* values[i] becomes the reduction of all ranks' values[i]. */
    int (*allreduce)(usw_transport *t, uint64_t *values, size_t count, usw_reduction reduction);
    /* values[i] becomes the sum of values[i] of all lower ranks. */
    int (*exscan)(usw_transport *t, uint64_t *values, size_t count);
    int (*barrier)(usw_transport *t);
    /* One sentence on the failure. */
    void (*say)(usw_transport *t, char *text, size_t room);
    /* What this rank has sent to others by alltoallv, in bytes; how many collective calls there
     * were, and how many bytes the others took. */
    uint64_t sent_bytes, calls, reduced_bytes;
    /* For tests: the allocation, counted from 1, that fails on this rank; 0: none. */
    uint64_t fail_allocation, allocations;
    uint64_t sample; /* for tests: keys of a sample; 0: as many as pay */
    void *context;
};

#endif

/* transport_mpi.c - the transport's table by MPI's collectives, with counts of 64 bits.
 *
 * Where MPI is of version 4, MPI_Alltoallv_c takes such counts. Before it, counts are ints: as
 * long as all ranks' bytes fit them MPI_Alltoallv is called, else each pair of ranks exchanges its
 * bytes in chunks, one partner after another. UPSWEEP_MPI_CHUNK=bytes sets the chunk, which tests
 * make small. */
/* SPDX-License-Identifier: MIT */
#include "ranks/mpi/transport_mpi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ranks/call.h"

enum { TAG = 1 };

/* Notes the code; 0 is good. */
static int note(usw_mpi *m, int code)
{
    if (code != MPI_SUCCESS) {
        m->code = code;
    }
    return code != MPI_SUCCESS;
}

static uint64_t chunk_bytes(void)
{
    const char *text = getenv("UPSWEEP_MPI_CHUNK");
    uint64_t bytes = text != NULL ? strtoull(text, NULL, 10) : 0;
    return bytes > 0 && bytes < INT_MAX ? bytes : INT_MAX;
}

/* One pair of partners: this rank sends to one and receives from the other, chunk by chunk. */
static int exchange_chunks(usw_mpi *m, const char *send, uint64_t send_bytes, int to, char *recv,
                           uint64_t recv_bytes, int from, uint64_t chunk)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0; code == MPI_SUCCESS && (at < send_bytes || at < recv_bytes);
         at += chunk) {
        uint64_t out = at < send_bytes ? send_bytes - at : 0;
        uint64_t in = at < recv_bytes ? recv_bytes - at : 0;
        code = MPI_Sendrecv(send + send_bytes - out, (int)(out < chunk ? out : chunk), MPI_BYTE,
                            out > 0 ? to : MPI_PROC_NULL, TAG, recv + recv_bytes - in,
                            (int)(in < chunk ? in : chunk), MPI_BYTE, in > 0 ? from : MPI_PROC_NULL,
                            TAG, m->comm, MPI_STATUS_IGNORE);
    }
    return note(m, code);
}

/* Where the stretch for each rank begins, in bytes. */
static uint64_t *offsets_of(const uint64_t *counts, int size, size_t bytes)
{
    uint64_t *at = malloc(((size_t)size + 1) * sizeof *at);
    if (at != NULL) {
        at[0] = 0;
        for (int r = 0; r < size; r++) {
            at[r + 1] = at[r] + counts[r] * bytes;
        }
    }
    return at;
}

static int by_chunks(usw_mpi *m, const char *send, const uint64_t *send_at, char *recv,
                     const uint64_t *recv_at, uint64_t chunk)
{
    int size = m->t.size, me = m->t.rank, failed = 0;
    for (int step = 0; step < size && !failed; step++) {
        int to = (me + step) % size, from = (me - step + size) % size;
        uint64_t out = send_at[to + 1] - send_at[to], in = recv_at[from + 1] - recv_at[from];
        if (step == 0) {
            memcpy(recv + recv_at[me], send + send_at[me], out);
        } else {
            failed = exchange_chunks(m, send + send_at[to], out, to, recv + recv_at[from], in, from,
                                     chunk);
        }
    }
    return failed;
}

/* Counts and offsets as MPI's own type of them. */
#if MPI_VERSION >= 4
typedef MPI_Count count_type;
typedef MPI_Aint offset_type;
#define ALLTOALLV MPI_Alltoallv_c
#else
typedef int count_type;
typedef int offset_type;
#define ALLTOALLV MPI_Alltoallv
#endif

static int at_once(usw_mpi *m, const char *send, const uint64_t *send_at, char *recv,
                   const uint64_t *recv_at)
{
    size_t size = (size_t)m->t.size;
    char nothing = 0; /* some MPIs refuse NULL even where nothing is sent */
    count_type *counts = malloc(2 * size * sizeof *counts);
    offset_type *offsets = malloc(2 * size * sizeof *offsets);
    int code = MPI_ERR_NO_MEM;
    if (counts != NULL && offsets != NULL) {
        for (size_t r = 0; r < size; r++) {
            counts[r] = (count_type)(send_at[r + 1] - send_at[r]);
            counts[size + r] = (count_type)(recv_at[r + 1] - recv_at[r]);
            offsets[r] = (offset_type)send_at[r];
            offsets[size + r] = (offset_type)recv_at[r];
        }
        code = ALLTOALLV(send_at[size] > 0 ? send : &nothing, counts, offsets, MPI_BYTE,
                         recv_at[size] > 0 ? recv : &nothing, counts + size, offsets + size,
                         MPI_BYTE, m->comm);
    }
    free(counts);
    free(offsets);
    return note(m, code);
}

static int mpi_alltoallv(usw_transport *t, const void *send, const uint64_t *send_counts,
                         void *recv, const uint64_t *recv_counts, size_t bytes)
{
    usw_mpi *m = t->context;
    uint64_t *send_at = offsets_of(send_counts, t->size, bytes);
    uint64_t *recv_at = offsets_of(recv_counts, t->size, bytes);
    uint64_t chunk = chunk_bytes(), most = UINT64_MAX; /* without memory: others must not wait */
    if (send_at != NULL && recv_at != NULL) {
        most = send_at[t->size] > recv_at[t->size] ? send_at[t->size] : recv_at[t->size];
        t->sent_bytes += send_at[t->size] - send_counts[t->rank] * bytes;
    }
    t->calls++;
    int failed = note(m, MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, m->comm));
    if (!failed && (most == UINT64_MAX || send_at == NULL || recv_at == NULL)) {
        failed = note(m, MPI_ERR_NO_MEM);
    } else if (!failed) {
        bool large =
            MPI_VERSION < 4 || chunk < INT_MAX; /* with version 4 only tests go by chunks */
        failed = large && most > chunk ? by_chunks(m, send, send_at, recv, recv_at, chunk)
                                       : at_once(m, send, send_at, recv, recv_at);
    }
    free(send_at);
    free(recv_at);
    return failed;
}

/* Reductions are of few numbers, or go in chunks. */
enum { REDUCED_AT_ONCE = 1 << 24 };

static int mpi_allreduce(usw_transport *t, uint64_t *values, size_t count, usw_reduction reduction)
{
    usw_mpi *m = t->context;
    MPI_Op op = reduction == USW_SUM ? MPI_SUM : reduction == USW_MOST ? MPI_MAX : MPI_BOR;
    t->calls++;
    t->reduced_bytes += count * sizeof *values;
    int failed = 0;
    for (size_t at = 0; at < count && !failed; at += REDUCED_AT_ONCE) {
        size_t n = count - at < REDUCED_AT_ONCE ? count - at : REDUCED_AT_ONCE;
        failed =
            note(m, MPI_Allreduce(MPI_IN_PLACE, values + at, (int)n, MPI_UINT64_T, op, m->comm));
    }
    return failed;
}

static int mpi_exscan(usw_transport *t, uint64_t *values, size_t count)
{
    usw_mpi *m = t->context;
    t->calls++;
    t->reduced_bytes += count * sizeof *values;
    int failed = 0;
    for (size_t at = 0; at < count && !failed; at += REDUCED_AT_ONCE) {
        size_t n = count - at < REDUCED_AT_ONCE ? count - at : REDUCED_AT_ONCE;
        failed =
            note(m, MPI_Exscan(MPI_IN_PLACE, values + at, (int)n, MPI_UINT64_T, MPI_SUM, m->comm));
    }
    if (t->rank == 0) { /* what MPI leaves as it was */
        memset(values, 0, count * sizeof *values);
    }
    return failed;
}

static int mpi_barrier(usw_transport *t)
{
    usw_mpi *m = t->context;
    t->calls++;
    return note(m, MPI_Barrier(m->comm));
}

static void mpi_say(usw_transport *t, char *text, size_t room)
{
    usw_mpi *m = t->context;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(m->code, words, &length);
    snprintf(text, room, "%s", words);
}

static upsweep_status refuse(const char *sentence)
{
    usw_set_ranks_error(sentence);
    return UPSWEEP_ERROR_ARGUMENT;
}

upsweep_status usw_mpi_open(usw_mpi *m, MPI_Comm comm)
{
    int begun = 0, ended = 0, between = 0;
    memset(m, 0, sizeof *m);
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended) {
        return refuse("MPI is not initialised, or has been finalised");
    }
    if (comm == MPI_COMM_NULL) {
        return refuse("the communicator is MPI_COMM_NULL");
    }
    MPI_Comm_test_inter(comm, &between);
    if (between) {
        return refuse("the communicator is between two groups");
    }
    m->t = (usw_transport){.alltoallv = mpi_alltoallv,
                           .allreduce = mpi_allreduce,
                           .exscan = mpi_exscan,
                           .barrier = mpi_barrier,
                           .say = mpi_say,
                           .context = m};
    if (note(m, MPI_Comm_dup(comm, &m->comm))) {
        char words[MPI_MAX_ERROR_STRING];
        mpi_say(&m->t, words, sizeof words);
        usw_set_ranks_error(words);
        return UPSWEEP_ERROR_DEVICE;
    }
    MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->comm, &m->t.rank);
    MPI_Comm_size(m->comm, &m->t.size);
    return UPSWEEP_OK;
}

void usw_mpi_close(usw_mpi *m)
{
    MPI_Comm_free(&m->comm);
}

/* ranks_mpi.c - the checks of checks.c through upsweep_mpi.h, under mpirun: `ranks_mpi FROM TO`
 * takes the cases of these numbers; `ranks_mpi time N` times a sort of N u64 keys on all ranks
 * together. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/ranks/checks.h"
#include "test/shared/inputs.h"
#include "upsweep_mpi.h"

static MPI_Comm world_of(void *w)
{
    return *(MPI_Comm *)w;
}

static upsweep_status mpi_sort(void *w, upsweep *u, const void *keys, size_t n, upsweep_type type,
                               const upsweep_mpi_layout *layout, void *out, size_t *n_out,
                               const upsweep_options *o)
{
    return upsweep_mpi_sort(u, world_of(w), keys, n, type, layout, out, n_out, o);
}
static upsweep_status mpi_sort_pairs(void *w, upsweep *u, const void *keys, const void *values,
                                     size_t n, upsweep_type type, size_t bytes,
                                     const upsweep_mpi_layout *layout, void *out, void *out_values,
                                     size_t *n_out, const upsweep_options *o)
{
    return upsweep_mpi_sort_pairs(u, world_of(w), keys, values, n, type, bytes, layout, out,
                                  out_values, n_out, o);
}
static upsweep_status mpi_argsort(void *w, upsweep *u, const void *keys, size_t n,
                                  upsweep_type type, const upsweep_mpi_layout *layout,
                                  uint64_t *index, size_t *n_out, const upsweep_options *o)
{
    return upsweep_mpi_argsort(u, world_of(w), keys, n, type, layout, index, n_out, o);
}
static upsweep_status mpi_sort_records(void *w, upsweep *u, const void *records, size_t n,
                                       size_t bytes, const upsweep_field *fields, size_t count,
                                       const upsweep_mpi_layout *layout, void *out, size_t *n_out,
                                       const upsweep_options *o)
{
    return upsweep_mpi_sort_records(u, world_of(w), records, n, bytes, fields, count, layout, out,
                                    n_out, o);
}
static upsweep_status mpi_top_k(void *w, upsweep *u, const void *keys, size_t n, size_t k,
                                upsweep_type type, void *out, uint64_t *index,
                                const upsweep_options *o)
{
    return upsweep_mpi_top_k(u, world_of(w), keys, n, k, type, out, index, o);
}
static upsweep_status mpi_unique(void *w, upsweep *u, void *keys, size_t n, upsweep_type type,
                                 size_t *kept, const upsweep_options *o)
{
    return upsweep_mpi_unique(u, world_of(w), keys, n, type, kept, o);
}
static upsweep_status mpi_histogram(void *w, upsweep *u, const void *keys, size_t n,
                                    upsweep_type type, const upsweep_bucketing *buckets,
                                    uint64_t *counts, const upsweep_options *o)
{
    return upsweep_mpi_histogram(u, world_of(w), keys, n, type, buckets, counts, o);
}
static upsweep_status mpi_reduce(void *w, upsweep *u, const void *data, size_t n, upsweep_type type,
                                 upsweep_op op, void *result, const upsweep_options *o)
{
    return upsweep_mpi_reduce(u, world_of(w), data, n, type, op, result, o);
}
static upsweep_status mpi_scan(void *w, upsweep *u, const void *in, void *out, size_t n,
                               upsweep_type type, upsweep_op op, const upsweep_options *o)
{
    return upsweep_mpi_scan(u, world_of(w), in, out, n, type, op, o);
}

static int run_cases(const rank_calls *r, upsweep *u, unsigned from, unsigned to)
{
    int faults = 0;
    for (unsigned number = from; number < to; number++) {
        uint64_t state = number;
        uint64_t x = input_random(&state);
        size_t sizes[4] = {1200, 700, (size_t)r->size / 2, number % 9 == 0 ? 90000 : 330};
        faults += check_case(r, u, number % INPUT_PATTERNS,
                             (upsweep_type)(UPSWEEP_U8 + number / INPUT_PATTERNS % 12),
                             sizes[x % 4], (int)(x / 4 % SPREADS), number);
    }
    faults += check_refused(r, u);
    uint32_t key = 1;
    if (upsweep_mpi_sort(u, MPI_COMM_NULL, &key, 1, UPSWEEP_U32, NULL, &key, NULL, NULL) !=
            UPSWEEP_ERROR_ARGUMENT ||
        strstr(upsweep_mpi_error(), "MPI_COMM_NULL") == NULL) {
        fprintf(stderr, "MPI_COMM_NULL is taken\n");
        faults++;
    }
    /* A communicator of one, and one of every second rank, whose calls have nothing to do with
     * others'. */
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, r->rank % 2, r->rank, &half);
    uint64_t mine = (uint64_t)r->rank, least = 0;
    int first = r->rank % 2;
    faults += upsweep_mpi_reduce(u, half, &mine, 1, UPSWEEP_U64, UPSWEEP_LEAST, &least, NULL) !=
                  UPSWEEP_OK ||
              least != (uint64_t)first;
    faults += upsweep_mpi_reduce(u, MPI_COMM_SELF, &mine, 1, UPSWEEP_U64, UPSWEEP_SUM, &least,
                                 NULL) != UPSWEEP_OK ||
              least != mine;
    MPI_Comm_free(&half);
    return faults;
}

static void time_sort(upsweep *u, int rank, int size, size_t all)
{
    size_t n = all / (size_t)size;
    uint64_t *keys = malloc(n * 8), *out = malloc(n * 8);
    input_fill(INPUT_UNIFORM, UPSWEEP_U64, keys, n, (uint64_t)rank);
    for (int i = 0; i < 7; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        upsweep_mpi_sort(u, MPI_COMM_WORLD, keys, n, UPSWEEP_U64, NULL, out, NULL, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            printf("%.4f\n", MPI_Wtime() - begin);
        }
    }
    free(keys);
    free(out);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, faults = 0, all = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    upsweep *u;
    upsweep_config config = {.size = sizeof config, .threads = 1};
    if (argc < 3 || upsweep_open(&u, "cpu", &config) != UPSWEEP_OK) {
        MPI_Abort(world, 2);
        return 2;
    }
    rank_calls r = {
        &world,           rank,      size,       mpi_sort,      mpi_sort_pairs, mpi_argsort,
        mpi_sort_records, mpi_top_k, mpi_unique, mpi_histogram, mpi_reduce,     mpi_scan,
        upsweep_mpi_error};
    if (strcmp(argv[1], "time") == 0) {
        time_sort(u, rank, size, strtoull(argv[2], NULL, 10));
    } else {
        faults = run_cases(&r, u, (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
    }
    upsweep_close(u);
    MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, world);
    MPI_Finalize();
    return all != 0;
}

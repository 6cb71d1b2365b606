/* sort_mpi.c - a million random doubles on every rank, sorted over all of them, and their sum,
 * which has the same bits for any number of ranks. Build with mpicc and `pkg-config --cflags
 * --libs upsweep_mpi`, run with `mpirun -n 4 ./sort_mpi`. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include <upsweep_mpi.h>

int main(int argc, char **argv)
{
    enum { EACH = 1000000 };
    int rank, size, status = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    upsweep *u = NULL;
    upsweep_config config = {.size = sizeof config, .threads = 1}; /* a rank for each core */
    double *numbers = malloc(EACH * sizeof *numbers), sum, median[1];
    if (numbers != NULL && upsweep_open(&u, "cpu", &config) == UPSWEEP_OK) {
        srand((unsigned)rank);
        for (int i = 0; i < EACH; i++) {
            numbers[i] = rand() / (double)RAND_MAX;
        }
        upsweep_mpi_reduce(u, MPI_COMM_WORLD, numbers, EACH, UPSWEEP_F64, UPSWEEP_SUM, &sum, NULL);
        if (upsweep_mpi_sort(u, MPI_COMM_WORLD, numbers, EACH, UPSWEEP_F64, NULL, numbers, NULL,
                             NULL) == UPSWEEP_OK) {
            median[0] = numbers[size % 2 == 0 ? 0 : EACH / 2]; /* of the rank in the middle */
            MPI_Bcast(median, 1, MPI_DOUBLE, size / 2, MPI_COMM_WORLD);
            if (rank == 0) {
                printf("%d ranks: least %.9f, median %.9f, sum %.6f\n", size, numbers[0], median[0],
                       sum);
            }
            status = 0;
        } else if (rank == 0) {
            fprintf(stderr, "%s\n", upsweep_mpi_error());
        }
    }
    upsweep_close(u);
    free(numbers);
    MPI_Finalize();
    return status;
}

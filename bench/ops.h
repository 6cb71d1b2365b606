/* ops.h - the operations of a worker: what a cell asks for, its arrays, running and checking it. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include "bench/rival.h"

typedef struct cell {
    char op[16], type_name[8], pattern[16];
    enum bench_type type;
    size_t n, batch; /* batch arrays of n elements */
    unsigned threads, seed;
} cell;

typedef struct buffers {
    void *input, *work, *values;
    uint32_t *index;
    uint64_t *counts; /* these three only for operations from merge on */
    uint8_t *flags;
    bench_record *records;
    size_t bytes, more; /* room in each of the arrays: bytes of the first four, elements */
    size_t result;      /* of the last array of a batch */
} buffers;

extern const size_t type_bytes[BENCH_TYPES];
uint64_t random_u64(void);

/* Room for `total` elements and what each run starts from; false: no memory. */
int prepare_more(const cell *c, buffers *b, size_t total);
/* Runs the cell's operation on array k of the batch: 1 if the rival does not offer it. */
int run_one(const cell *c, buffers *b, size_t k);
/* Whether all arrays of the batch came out right. */
int right(const cell *c, const buffers *b);

#endif

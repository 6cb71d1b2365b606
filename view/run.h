/* run.h - a real run, on the CPU or a GPU, as pictures of the array that it works on.
 *
 * On a GPU there is one after each kernel that changed the array; they stay in device memory, and a
 * kernel makes vertices or pixels of them where OpenGL draws them. On the CPU the array's pages are
 * locked against writing: the first write to each stops in a handler, which counts it, and whenever
 * a sixteenth of them has been written to a picture is taken and all are locked again. Where
 * elements lie in scratch meanwhile no picture shows. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_RUN_H
#define VIEW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/levels.h"
#include "view/show.h"
#include "io/why.h"

typedef struct view_run_wish {
    const upsweep_algorithm *algorithm; /* of sort, scan, split or path */
    const char *device;                 /* as for upsweep_open: cpu, cuda or cuda:K */
    unsigned threads;
    upsweep_type type; /* of numbers */
    const void *numbers;
    size_t n;
    const view_graph *graph; /* of paths, instead of numbers */
} view_run_wish;

typedef struct view_run {
    const upsweep_algorithm *algorithm;
    char device[32];
    upsweep_type type;
    size_t n, bytes, count; /* elements, of bytes each; pictures */
    double range[2];        /* of what the array holds */
    double seconds;         /* of the call, not filmed; 0: not known for itself */
    bool sorts;
    bool in_order;       /* the outcome is */
    const void *numbers; /* the caller's; of paths start: no vertex is reached */
    uint32_t *start;
    const view_graph *graph; /* of paths; NULL: others */
    uint8_t *flags;          /* of a split */
    /* CPU: pictures one after another. */
    unsigned char *pictures;
    size_t *order; /* picture i is at pictures + order[i] * n * bytes */
    upsweep_graph *net;
    /* GPU */
    upsweep *handle;
    upsweep_film *film;
    bool attached;           /* OpenGL draws from device memory */
    size_t mapped[2];        /* how often a kernel wrote vertices, pixels there */
    unsigned buffer, pixels; /* OpenGL's, of vertices and pixels */
    unsigned char *fetched;  /* two pictures, where OpenGL cannot */
    size_t in_buffer;        /* picture that the buffer holds + 1 */
    /* Of the picture that was asked for last. */
    uint32_t *levels;
    uint8_t *marks;
    size_t marked; /* + 1 */
    /* Density */
    uint8_t *cells;
    size_t cells_room, celled, columns, rows; /* celled: the picture they are of + 1 */
} view_run;

/* Why there is no real run of this to be seen, in a sentence; NULL: there is one. */
const char *view_run_lacks(const upsweep_algorithm *a, const char *device);
/* Calls the algorithm on copies of the numbers, for the time and for the pictures. The numbers and
 * the graph must outlive the run. To be called while the process has one thread. */
bool view_run_make(view_run *r, const view_run_wish *wish, io_error *error);
void view_run_free(view_run *r);
/* The call itself, on an array that holds the numbers. */
upsweep_status view_run_call(const view_run *r, upsweep *u, void *array);

/* Picture i as levels in the host's memory, and which elements differ from the picture before
 * (marks). NULL: it could not be fetched. */
const uint32_t *view_run_picture(view_run *r, size_t i);
/* Its density, in the host's memory. NULL: likewise, or there is no memory. */
const uint8_t *view_run_cells(view_run *r, size_t i, size_t columns, size_t rows);
/* What led to picture i: a kernel's name, or "". */
const char *view_run_step(const view_run *r, size_t i);

/* An OpenGL context that may share the GPU is current: tries to draw from device memory. */
void view_run_attach(view_run *r, unsigned buffer, unsigned pixels);
void view_run_detach(view_run *r);
/* Makes the buffer of vertices, or that of pixels, hold picture i. */
bool view_run_fill(view_run *r, size_t i);
bool view_run_paint(view_run *r, size_t i, size_t columns, size_t rows);

/* run_cpu.c */
bool view_run_film_cpu(view_run *r, upsweep *u, io_error *error);

#endif

/* run.h - a real run, on the CPU or a GPU, as pictures of the array that it works on.
 *
 * On a GPU there is one after each kernel that changed the array; they stay in device memory, and a
 * kernel makes vertices of them where OpenGL draws them. On the CPU the array's pages are locked
 * against writing: the first write to each stops in a handler, which counts it, and whenever a
 * sixteenth of them has been written to a picture is taken and all are locked again. Where elements
 * lie in scratch meanwhile no picture shows. */
#ifndef VIEW_RUN_H
#define VIEW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"
#include "why.h"

typedef struct view_run {
    char algorithm[64], device[32];
    size_t n, count; /* elements, pictures */
    uint32_t top;    /* the greatest value */
    double seconds;  /* of the sort, not filmed */
    bool in_order;   /* the outcome is */
    /* CPU: pictures one after another. */
    uint32_t *pictures;
    size_t *order; /* picture i is at pictures + order[i] * n */
    size_t pictures_bytes;
    /* GPU */
    upsweep *handle;
    upsweep_film *film;
    bool attached;      /* OpenGL draws from device memory */
    bool attached_once; /* it has done so */
    unsigned buffer;
    uint32_t *fetched; /* two pictures, where OpenGL cannot */
    size_t in_buffer;  /* picture that the buffer holds + 1 */
    /* For the picture that was asked for last. */
    uint8_t *marks;
    size_t marked; /* + 1 */
} view_run;

/* Sorts a copy of the values twice, once for the time and once for the pictures. device as for
 * upsweep_open. To be called while the process has one thread. */
bool view_run_make(view_run *r, const char *algorithm, const char *device, unsigned threads,
                   const uint32_t *values, size_t n, io_error *error);
void view_run_free(view_run *r);

/* Picture i in the host's memory, and which elements differ from the picture before (marks). NULL:
 * it could not be fetched. */
const uint32_t *view_run_picture(view_run *r, size_t i);
/* What led to picture i: a kernel's name, or "". */
const char *view_run_step(const view_run *r, size_t i);

/* An OpenGL context that may share the GPU is current: tries to draw from device memory. */
void view_run_attach(view_run *r, unsigned buffer);
void view_run_detach(view_run *r);
/* Makes the buffer hold picture i. */
bool view_run_fill(view_run *r, size_t i);

/* run_cpu.c */
bool view_run_film_cpu(view_run *r, upsweep *u, const uint32_t *values, io_error *error);

#endif

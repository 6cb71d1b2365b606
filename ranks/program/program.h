/* program.h - upsweep-mpi: what its files share. Every rank runs the same steps; a failure of one
 * is told once, and ends all with status 2. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_PROGRAM_PROGRAM_H
#define USW_RANKS_PROGRAM_PROGRAM_H

#include <stdbool.h>

#include "io/error.h"
#include "io/output.h"
#include "ranks/mpi/transport_mpi.h"
#include "upsweep_mpi.h"

enum { FIELDS_MOST = 16 };

typedef struct options {
    const char *const *inputs;
    size_t input_count;
    const char *output;
    upsweep_type type;   /* 0: lines of text, records, or what .npy says */
    size_t record_bytes; /* 0: no records */
    upsweep_field fields[FIELDS_MOST];
    size_t field_count;
    unsigned flags;
    bool as_text; /* --from text: .npy is text, too */
} options;

typedef struct program {
    options options;
    MPI_Comm comm;
    int rank, size;
    upsweep *u;
    bool failed, told; /* told: on all ranks */
    io_error error;    /* of this rank */
} program;

/* "upsweep-mpi: " and the sentence, on standard error, of the lowest rank that failed; false if
 * any did. Collective. */
bool together(program *p);
/* Notes a failure; returns false. */
bool fails(program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* options.c: 0, or the status to end with. Every rank reads the same arguments; one says what is
 * wrong. */
int read_options(options *o, int argc, char **argv, bool says);

/* ---- the inputs, one after another, as one array of elements or one text ---- */

typedef struct input_file {
    const char *name;
    int fd;
    uint64_t begin, count; /* bytes before its elements; elements (bytes, of text) */
} input_file;

typedef struct inputs {
    input_file *files;
    size_t file_count;
    uint64_t total; /* elements */
    size_t bytes;   /* of an element; 1 for text */
    bool npy;
    upsweep_type type;
} inputs;

/* Opens all files; text: their bytes are lines. */
bool open_inputs(program *p, inputs *in, bool text);
void close_inputs(inputs *in);
/* What the files are: lines of text, unless the options or .npy say otherwise. Decided by the
 * first one. */
bool is_text(program *p, bool *text);
/* Reads `count` bytes from `at` of a file. */
bool read_at(program *p, const input_file *f, uint64_t at, void *to, uint64_t count);
/* Elements [from, to) of all files. */
bool read_elements(program *p, const inputs *in, uint64_t from, uint64_t to, char *out);

/* ---- the output: one file, written by all at their places ---- */

typedef struct shared_output {
    io_output whole; /* of rank 0 */
    int fd;
    bool open;
} shared_output;

bool open_output(program *p, shared_output *out);
bool write_at(program *p, const shared_output *out, uint64_t at, const void *bytes, uint64_t count);
/* Ends it: the file takes its name if all went well on all ranks, else the old one stays. */
bool close_output(program *p, shared_output *out);

bool sort_elements(program *p);
bool sort_lines(program *p);

#endif

/* graph_file.h - graphs in files, read into arrays that upsweep_graph_from_arcs or _from_rows
 * takes, and written back.
 *
 *   gr     DIMACS shortest paths: `p sp VERTICES ARCS`, then `a TAIL HEAD WEIGHT`; ids from 1
 *   mtx    Matrix Market, coordinate: an entry of row i and column j is an arc i -> j; ids from 1;
 *          of a symmetric matrix every entry off the diagonal is two arcs
 *   el     `TAIL HEAD` a line, ids from 0; wel: `TAIL HEAD WEIGHT` (both of the GAP benchmark)
 *   wsg    the GAP benchmark's binary graph with weights; sg: without
 *   csv    a table, commas between its columns; tsv: tabs; ids from 0
 *   usg    upsweep's own, binary and checksummed: io/graph_usg.c describes it
 *
 * All of them may be compressed by gzip or zstd. What is wrong with a file is told in one sentence
 * with its name and, if it is text, the number of the line. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_GRAPH_FILE_H
#define IO_GRAPH_FILE_H

#include <stdint.h>

#include "io/input.h"
#include "io/output.h"
#include "io/progress.h"
#include "upsweep.h"
#include "io/why.h"

typedef enum io_graph_format {
    IO_GRAPH_NONE = 0,
    IO_GRAPH_GR,
    IO_GRAPH_MTX,
    IO_GRAPH_EL,
    IO_GRAPH_WEL,
    IO_GRAPH_WSG,
    IO_GRAPH_SG,
    IO_GRAPH_CSV,
    IO_GRAPH_TSV,
    IO_GRAPH_USG
} io_graph_format;

/* "gr" ...; the format of that name, or NONE. The words are also the ends of files' names, which
 * ".gz" or ".zst" may follow. */
const char *io_graph_format_name(io_graph_format format);
io_graph_format io_graph_format_from_name(const char *name);
io_graph_format io_graph_format_of_file(const char *file);

enum { IO_GRAPH_BLOCKS = 12 };

typedef struct io_names io_names; /* names.h */

/* What a table was taken for. */
typedef struct io_table_form {
    bool is_table;
    char delimiter;       /* 0: blanks */
    size_t cells;         /* of a line */
    size_t header_line;   /* 0: it has no header */
    unsigned column[3];   /* of tail, head and weight, from 0 */
    size_t rows, skipped; /* arcs, and lines that are empty or comments */
} io_table_form;

/* Which ids of a list or table are vertices: all up to the greatest, or those that arcs name. FIND:
 * the latter if ids need more than 32 bits, or if there are more than 2^20 and four times as many
 * as arcs, so that most would have none. */
typedef enum io_ids { IO_IDS_FIND = 0, IO_IDS_ALL, IO_IDS_USED } io_ids;

typedef enum io_header { IO_HEADER_FIND = 0, IO_HEADER_YES, IO_HEADER_NO } io_header;

/* By list: arc i goes from tail[i] to head[i]. By rows: tail is NULL, and the arcs of vertex v are
 * begin[v] .. begin[v + 1] - 1. */
typedef struct io_graph {
    size_t vertices, arcs;
    uint32_t *tail, *head;
    uint64_t *begin;
    void *weight;             /* NULL: every arc counts 1 */
    upsweep_type weight_type; /* u32, u64, f32, f64, i64; 0: no weights */
    bool undirected;          /* every arc off the diagonal also goes from its head to its tail */
    bool symmetric;           /* every arc is there both ways already */
    bool negative;            /* weights may be negative */
    uint32_t base;            /* what the file calls the first vertex: 0 or 1 */
    uint64_t *ids;            /* what the file calls the vertices, rising; NULL: base and more */
    double *x, *y;            /* coordinates of the vertices; NULL: none */
    io_names *names;          /* what the file calls the vertices; NULL: by their numbers */
    io_graph_format format;
    io_table_form form; /* of csv and tsv */
    struct {
        void *memory;
        size_t bytes;
    } blocks[IO_GRAPH_BLOCKS]; /* what the arrays lie in */
    io_input input;            /* or else this */
    io_part source;            /* the file */
} io_graph;

typedef struct io_graph_options {
    io_graph_format format;   /* NONE: by the first bytes or the end of the name */
    upsweep_type weight_type; /* 0: u32 if all weights fit, else u64; f64 if some are no whole
                                 numbers, but for .mtx, which says what it has. A whole number that
                                 needs more than 64 bits, or that f64 would round, is refused: only
                                 a type that was asked for rounds. */
    bool no_weights;          /* weights in the file are not looked at */
    bool negative;            /* those of a text may be negative: i64, or f64 as above */
    /* Of tables: "TAIL,HEAD" or "TAIL,HEAD,WEIGHT", by number from 1 or by the words of the first
     * line; NULL: those that a header calls so (io/graph_header.c has the words), else the first
     * three columns, or two if there are no more. */
    const char *columns;
    char delimiter;   /* of tables, ' ' being blanks; 0: comma (csv) or tab (tsv) if it parts the
                        first lines, else what does of tab, semicolon, comma and blanks */
    io_header header; /* of tables: whether the first line is a header */
    bool by_names;    /* of tables: vertices are words, numbered as they first appear */
    io_ids ids;       /* of tables and of .el, .wel, where vertices are numbers */
    bool base_given;  /* of tables and .el, .wel: base is set */
    uint32_t base;
    unsigned threads;
    io_progress *progress; /* NULL: nothing is told */
} io_graph_options;

/* Reads the file, "-" being standard input. *g can be freed in any case. */
bool io_graph_read(io_graph *g, const char *file, const io_graph_options *options, io_error *error);
void io_graph_free(io_graph *g);

/* What the file calls vertex v, if it has no names; and the vertex that it calls so, or false. */
uint64_t io_graph_id(const io_graph *g, uint32_t v);
bool io_graph_find_id(const io_graph *g, uint64_t id, uint32_t *v);

/* Zeroed memory that io_graph_free gives back, or NULL. */
void *io_graph_take(io_graph *g, size_t bytes);
/* Turns a list into rows, the arcs of a vertex in the order of the list; and rows into a list.
 * False when there is no memory: the graph is as it was. */
bool io_graph_to_rows(io_graph *g);
bool io_graph_to_list(io_graph *g);

/* Reads coordinates (.co) of the graph's vertices into x and y. */
bool io_graph_read_places(io_graph *g, const char *file, unsigned threads, io_error *error);

/* Vertices of a file: DIMACS .ss (`s ID`), or one id or name a line, a name that has blanks in
 * quotes. *ids is from malloc. */
bool io_graph_read_vertices(const io_graph *g, const char *file, uint32_t **ids, size_t *count,
                            io_error *error);
/* Pairs of them: DIMACS .p2p (`q FROM TO`), or two a line. from and to are from malloc. */
bool io_graph_read_pairs(const io_graph *g, const char *file, uint32_t **from, uint32_t **to,
                         size_t *count, io_error *error);
/* One vertex as a person calls it. */
bool io_graph_vertex(const io_graph *g, const char *text, uint32_t *vertex, io_error *error);

/* Makes an undirected graph one whose arcs are there both ways. */
bool io_graph_both_ways(io_graph *g);

/* Appends the graph in a format; NONE is no format. Arcs come in the order they have; in usg, sg
 * and wsg by their tails. What the format cannot hold (fractions in gr, weights in el, names in all
 * but csv, tsv and usg) is an error, told with the name of out. The graph may change its form,
 * undirected ones are written both ways but in mtx and usg. */
bool io_graph_write(io_graph *g, io_output *out, io_graph_format format, unsigned threads,
                    io_progress *progress, io_error *error);
/* Appends the coordinates as .co. */
bool io_graph_write_places(const io_graph *g, io_output *out, io_error *error);

#endif

/* plugin.h - the C boundary between the library and libupsweep_cuda.so: plain C types, no CUDA.
 *
 * The library loads the plugin by name at run time and calls its one exported symbol, which returns
 * a usw_gpu_plugin. It is linked on its own, with the CUDA runtime, and needs nothing from here.
 *
 * All array pointers below are device memory of g's device, aligned to their element; n > 0. A form
 * or step queues its work on g's stream and returns without waiting for it; what it finds (counts,
 * positions) it writes to device memory. Scratch comes from g and lasts until the call ends. Of two
 * calls on one g the second starts after the first in stream order. A failure is said by
 * usw_gpu_fail (gpu.cuh) and returned; arrays are then as they were unless kernels had begun. What
 * only the device can see (an index out of range) is in its fault word, and told by wait(). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_PLUGIN_H
#define USW_PLUGIN_H

#include "core/forms.h"

#define USW_GPU_ABI 13
enum { USW_GPU_FETCH = 64, USW_GPU_FETCHES = 8 };

typedef struct usw_gpu usw_gpu; /* the plugin's side of a handle (gpu.cuh) */

/* ---- sorting ---- */

/* Sorts keys by the bits [bit_begin, bit_end) of the mapped key (keymap.h), in place or from
 * another array. stable: keys that compare equal keep their order, which matters where the bits are
 * not all of the key. */
typedef struct usw_gpu_sort {
    void *keys;
    size_t n;
    unsigned width; /* log2(bytes of a key), 0 .. 3 */
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool stable, in_place;
    const void *from; /* the keys are read here and left as they are; NULL: in place */
} usw_gpu_sort;

/* Sorts keys with values. values NULL: value i is i (argsort), and no index array is read. */
typedef struct usw_gpu_pairs {
    const void *keys;
    void *out_keys; /* may be keys; NULL: not wanted */
    const void *values;
    void *out_values;   /* may be values */
    size_t value_bytes; /* any; of an index 4 or 8 */
    size_t n;
    unsigned width;
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool stable;
} usw_gpu_pairs;

/* Many rows of keys, each sorted on its own: row r is keys[begin[r] .. begin[r + 1]), u64 begin. */
typedef struct usw_gpu_rows {
    void *keys;
    const uint64_t *begin; /* NULL: all rows have row_keys keys */
    size_t rows, row_keys, n;
    unsigned width;
    usw_keymap map;
    void *index; /* NULL, or gets each key's position within its row, index_bytes each */
    size_t index_bytes;
} usw_gpu_rows;

typedef struct usw_gpu_sort_form {
    upsweep_status (*sort)(usw_gpu *g, const usw_gpu_sort *s);
    upsweep_status (*pairs)(usw_gpu *g, const usw_gpu_pairs *p); /* NULL: keys only */
    size_t n_max;                                                /* 0: no limit */
    bool takes_bits; /* honours a bit range that is not the whole key, and is then stable */
    bool in_place;   /* takes no scratch that grows with n */
} usw_gpu_sort_form;
typedef usw_gpu_sort_form usw_gpu_sort_step; /* gpu/sort_choice.cu: by the row that fits best */

/* What a report says of the method that the GPU's side chose. */
typedef struct usw_gpu_said {
    const char *name;    /* of a row, or words where no row does it */
    const char *because; /* a clause about the keys */
} usw_gpu_said;

/* ---- folds: docs/order.md's order of additions, so that bits equal the CPU's ---- */

typedef struct usw_gpu_reduce_form {
    /* result: one element of type `to`. unordered: floats may be added in any order. */
    upsweep_status (*reduce)(usw_gpu *g, const void *data, size_t n, upsweep_type type,
                             upsweep_op op, upsweep_type to, bool unordered, void *result);
    /* As usw_reduce_form.least: for each map the least mapped key and the first place of it; keys
     * and index are device memory (index 8 bytes each). */
    upsweep_status (*least)(usw_gpu *g, const void *data, size_t n, const usw_keymap *maps,
                            size_t map_count, uint64_t *keys, uint64_t *index);
} usw_gpu_reduce_form;

typedef struct usw_gpu_scan_form {
    upsweep_status (*scan)(usw_gpu *g, const usw_scan *s, bool unordered);
} usw_gpu_scan_form;

typedef struct usw_gpu_split_form {
    /* As usw_split_form; zeros and kept are device memory, 8 bytes, and may be NULL. */
    upsweep_status (*split)(usw_gpu *g, const void *in, const uint8_t *flags, void *out, size_t n,
                            size_t bytes, uint64_t *zeros);
    upsweep_status (*compact)(usw_gpu *g, const void *in, const uint8_t *flags, void *out, size_t n,
                              size_t bytes, uint64_t *kept);
} usw_gpu_split_form;

/* ---- shortest paths ---- */

enum { USW_GPU_ROW_BITS = 24, USW_GPU_ROW_MOST = (1 << USW_GPU_ROW_BITS) - 1 };

/* A graph in device memory, with weights >= 0, by rows or as a matrix. row[v], of vertices + 1: the
 * number of the first arc of v, above USW_GPU_ROW_BITS bits with the number of its arcs; where that
 * does not fit, USW_GPU_ROW_MOST: they go on to where row[v + 1] begins. */
typedef struct usw_gpu_net {
    size_t vertices, arcs;
    upsweep_type weight_type; /* 0: none, every arc counts 1 */
    const uint64_t *row;
    const void *arc;    /* weights of 32 bits: head and weight by turns; else the heads */
    const void *weight; /* of 64 bits */
    const void *matrix; /* NULL, or instead of rows: vertices * vertices weights, as the API says */
    double weight_mean;
} usw_gpu_net;

/* Distances are bits: of floats too, and "not reached" is infinity or the greatest number. */
typedef struct usw_gpu_path_query {
    usw_gpu_net net;
    const uint32_t *sources, *targets;
    size_t source_count, target_count;
    /* Every source is a query of its own (the form's batch): distance and parent are rows, one
     * after another, with a column a vertex or a target. target_begin, if not NULL: source s has
     * the targets target_begin[s] - target_begin[0] .. target_begin[s + 1] - target_begin[0] -
     * 1. */
    bool each;
    const uint64_t *target_begin;
    size_t cells;    /* of all rows */
    bool has_cutoff; /* what lies farther than cutoff, a distance's bits, is not reached */
    uint64_t cutoff;
    const void *cutoffs; /* or, with each, one distance a source */
    bool may_overflow;   /* a distance may not fit its type */
    double delta;        /* of buckets; 0: the form's own choice */
    void *distance;
    uint32_t *parent; /* or NULL */
} usw_gpu_path_query;

typedef struct usw_gpu_path_form {
    /* A distance that does not fit is USW_FAULT_DISTANCE at its vertex, a weight of a matrix that
     * is negative or NaN and is met USW_FAULT_WEIGHT at its place. */
    upsweep_status (*search)(usw_gpu *g, const usw_gpu_path_query *q);
    upsweep_status (*batch)(usw_gpu *g, const usw_gpu_path_query *q); /* or NULL */
} usw_gpu_path_form;

/* ---- steps that are no rows of the table ---- */

typedef struct usw_gpu_select_step { /* gpu/selection/select.cu */
    /* first: 8 bytes, the least i in [1, n) out of order, or n. */
    upsweep_status (*is_sorted)(usw_gpu *g, const usw_gpu_sort *s, uint64_t *first);
    upsweep_status (*nth)(usw_gpu *g, const usw_gpu_sort *s, size_t k);
    /* out: k keys, best first; index may be NULL; ties and order as upsweep_top_k says. */
    upsweep_status (*top_k)(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out,
                            uint64_t *index);
    /* infinity: 0, or the bits of the type's: then keys are equal that are so as numbers. */
    upsweep_status (*unique)(usw_gpu *g, void *keys, size_t n, unsigned width, uint64_t infinity,
                             uint64_t *kept);
    upsweep_status (*runs)(usw_gpu *g, const void *keys, size_t n, unsigned width,
                           uint64_t infinity, void *out_keys, uint64_t *out_counts, uint64_t *runs);
} usw_gpu_select_step;

typedef struct usw_gpu_bucket_step { /* gpu/selection/histogram.cu; b->edges: on the device */
    upsweep_status (*histogram)(usw_gpu *g, const usw_buckets *b, const void *keys, size_t n,
                                uint64_t *counts);
    /* Stable; offsets (count + 1, may be NULL). An id out of range is a fault. ids NULL: by b. */
    upsweep_status (*split)(usw_gpu *g, const usw_buckets *b, const void *in, const void *ids,
                            unsigned id_width, size_t count, void *out, size_t n, size_t bytes,
                            uint64_t *offsets);
} usw_gpu_bucket_step;

typedef struct usw_gpu_move_step { /* gpu/selection/moves.cu */
    upsweep_status (*gather)(usw_gpu *g, const void *in, size_t in_count, const void *index,
                             unsigned index_bits, void *out, size_t n, size_t bytes);
    upsweep_status (*scatter)(usw_gpu *g, const void *in, const void *index, unsigned index_bits,
                              void *out, size_t out_count, size_t n, size_t bytes);
    upsweep_status (*permute)(usw_gpu *g, void *data, const void *index, unsigned index_bits,
                              size_t n, size_t bytes);
    upsweep_status (*reverse)(usw_gpu *g, const void *in, void *out, size_t n, size_t bytes);
    upsweep_status (*transpose)(usw_gpu *g, const void *in, const size_t *extents, void *out,
                                size_t bytes);
} usw_gpu_move_step;

typedef struct usw_gpu_merge_step { /* gpu/merging/merge.cu */
    upsweep_status (*merge)(usw_gpu *g, const void *a, size_t na, const void *b, size_t nb,
                            void *out, unsigned width, const usw_keymap *map);
    /* runs: k device pointers in host memory. */
    upsweep_status (*merge_runs)(usw_gpu *g, const void *const *runs, const size_t *counts,
                                 size_t k, void *out, unsigned width, const usw_keymap *map);
    /* Stable merge sort of records by their fields (checked), descending: the whole order. */
    upsweep_status (*sort_records)(usw_gpu *g, void *records, size_t n, size_t record_bytes,
                                   const upsweep_field *fields, size_t field_count,
                                   bool descending);
} usw_gpu_merge_step;

/* Rows of keys (gpu/short_sort/rows.cu). Where begin does not ascend or goes beyond n there is a
 * fault, and nothing is done. */
typedef struct usw_gpu_rows_step {
    upsweep_status (*sort)(usw_gpu *g, const usw_gpu_rows *r);
} usw_gpu_rows_step;

/* As upsweep_top_k_rows; begin as usw_gpu_rows, index may be NULL. Bad offsets are a fault. */
typedef struct usw_gpu_top {
    const void *keys;
    const uint64_t *begin;
    size_t rows, row_keys, n, k, index_bytes;
    unsigned width;
    usw_keymap map;
    void *out, *index;
} usw_gpu_top;
typedef struct usw_gpu_top_step { /* gpu/selection/top_rows.cu */
    upsweep_status (*rows)(usw_gpu *g, const usw_gpu_top *t);
} usw_gpu_top_step;

typedef struct usw_gpu_row_set {
    const void *data;
    const uint64_t *begin; /* NULL: all rows have row_length elements */
    size_t rows, row_length, n;
    uint64_t identity; /* of a reduction, as a result's bits */
} usw_gpu_row_set;
/* gpu/folds/fold_rows.cu: a row's bits are those of the forms; bad offsets are a fault. */
typedef struct usw_gpu_fold_rows_step {
    upsweep_status (*reduce)(usw_gpu *g, const usw_gpu_row_set *r, upsweep_type type, upsweep_op op,
                             upsweep_type to, void *results);
    /* The first place of each row's least mapped key, 0 where that is above last. */
    upsweep_status (*place)(usw_gpu *g, const usw_gpu_row_set *r, const usw_keymap *map,
                            uint64_t last, void *index, size_t index_bytes);
    upsweep_status (*scan)(usw_gpu *g, const usw_gpu_row_set *r, const usw_scan *s);
} usw_gpu_fold_rows_step;

typedef struct usw_gpu_fold_columns_step { /* gpu/folds/fold_columns.cu */
    upsweep_status (*reduce)(usw_gpu *g, const usw_reduce_columns *c);
} usw_gpu_fold_columns_step;

/* n > 0 strings in Arrow's layout: string i begins at bytes[offsets[i] - first]. One of `stride` of
 * them is sorted; sample is the index of one of USW_GPU_STRING_SAMPLE of those. */
enum { USW_GPU_MANY_STRINGS = 1 << 14, USW_GPU_STRING_SAMPLE = 64 };
typedef struct usw_gpu_strings {
    const void *bytes, *offsets, *sample;
    size_t n, stride, offset_bytes, index_bytes; /* 4 or 8, of out_offsets and sample too */
    uint64_t first;
    bool descending;
    void *index, *out_bytes, *out_offsets; /* out_offsets NULL: the index alone */
    void *facts, *keys, *beginnings;       /* of begin and keys, in scratch */
    unsigned text_bits;
} usw_gpu_strings;
/* gpu/strings/strings.cu: begin looks at offsets; where they fall all strings count as empty. few
 * writes the index; of many, keys writes keys, which the caller sorts, stably, with the index, and
 * tied sorts those with equal keys. lengths writes lengths in order and a 0, copy the bytes. */
typedef struct usw_gpu_strings_step {
    upsweep_status (*begin)(usw_gpu *g, usw_gpu_strings *s);
    upsweep_status (*few)(usw_gpu *g, const usw_gpu_strings *s);
    upsweep_status (*keys)(usw_gpu *g, usw_gpu_strings *s);
    upsweep_status (*tied)(usw_gpu *g, const usw_gpu_strings *s);
    upsweep_status (*lengths)(usw_gpu *g, const usw_gpu_strings *s);
    upsweep_status (*copy)(usw_gpu *g, const usw_gpu_strings *s);
} usw_gpu_strings_step;

/* As upsweep_split_ids_index; offsets and counts may be NULL. An id out of range is a fault. */
typedef struct usw_gpu_split_index {
    const void *ids;
    unsigned id_width; /* log2(bytes), 0 .. 2 */
    size_t count, n, multiple, room, index_bytes;
    void *index;
    uint64_t *offsets, *counts;
} usw_gpu_split_index;
typedef struct usw_gpu_index_step { /* gpu/selection/split_index.cu */
    upsweep_status (*split)(usw_gpu *g, const usw_gpu_split_index *s);
} usw_gpu_index_step;

typedef struct usw_gpu_search_step { /* gpu/selection/search.cu */
    upsweep_status (*search)(usw_gpu *g, const usw_search *s);
} usw_gpu_search_step;

typedef struct usw_gpu_results_step { /* gpu/plugin/results.cu: the small ends of calls */
    /* The low `bytes` bytes (1, 2, 4, 8) of bits. */
    upsweep_status (*store)(usw_gpu *g, void *to, uint64_t bits, size_t bytes);
    /* What usw_gpu_reduce_form.least found: value (may be NULL) gets *key unmapped, place (may be
     * NULL) *index, or 0 where *key > last, so that only NaNs were there. */
    upsweep_status (*least)(usw_gpu *g, const uint64_t *key, const uint64_t *index,
                            const usw_keymap *map, uint64_t last, void *value, uint64_t *place);
} usw_gpu_results_step;

/* Pictures of an array (gpu/film/film.cu). Calls stand between begin and end, as all do. */
typedef struct usw_gpu_film usw_gpu_film;
enum { USW_FILM_ROWS = 4096 };
typedef struct usw_gpu_cells {
    double low, high; /* the range of the rows */
    size_t columns, rows;
} usw_gpu_cells;
typedef struct usw_gpu_film_step {
    /* values: on the host or the device; *array gets the address of the film's array. */
    upsweep_status (*open)(usw_gpu *g, const void *values, size_t n, upsweep_type type,
                           size_t bytes, size_t limit, usw_gpu_film **film, void **array);
    void (*close)(usw_gpu *g, usw_gpu_film *film);
    upsweep_status (*count)(usw_gpu *g, usw_gpu_film *film, size_t *count);
    void (*at)(const usw_gpu_film *film, size_t i, upsweep_picture *picture);
    upsweep_status (*read)(usw_gpu *g, usw_gpu_film *film, size_t i, void *values);
    upsweep_status (*attach)(usw_gpu *g, usw_gpu_film *film, unsigned gl_buffer);
    upsweep_status (*draw)(usw_gpu *g, usw_gpu_film *film, size_t i, double low, double high);
    upsweep_status (*attach_pixels)(usw_gpu *g, usw_gpu_film *film, unsigned gl_buffer);
    /* to: on the host; NULL: into the pixel buffer. */
    upsweep_status (*cells)(usw_gpu *g, usw_gpu_film *film, size_t i, const usw_gpu_cells *cells,
                            uint8_t *to);
} usw_gpu_film_step;

/* ---- the plugin ---- */

/* Errors that only the device can see. */
enum {
    USW_FAULT_PERMUTATION = 1,
    USW_FAULT_BUCKET = 2,
    USW_FAULT_ROWS = 3,
    USW_FAULT_INDEX = 4,
    USW_FAULT_DISTANCE = 5, /* a vertex's does not fit */
    USW_FAULT_WEIGHT = 6,   /* of a matrix: negative or NaN */
    USW_FAULT_ENDLESS = 7,  /* a search took as many rounds as its bound: a bug */
    USW_FAULT_STRINGS = 8,  /* a string ends before it begins; at n: their bytes are nowhere */
    USW_FAULTS = 9
};
typedef struct usw_gpu_fault_found {
    unsigned code; /* 0: none */
    uint64_t position;
} usw_gpu_fault_found;

typedef enum usw_gpu_place {
    USW_ON_HOST = 0,
    USW_ON_DEVICE = 1,
    USW_ON_OTHER_DEVICE = 2
} usw_gpu_place;

typedef struct usw_gpu_named {
    const char *stem; /* "sort_radix"; "select", "histogram", ... for steps; NULL ends the table */
    const void *form;
} usw_gpu_named;

typedef struct usw_gpu_plugin {
    uint32_t abi;     /* USW_GPU_ABI */
    uint32_t bytes;   /* sizeof(usw_gpu_plugin) */
    const char *name; /* "CUDA 13.0 for sm_80, sm_90 and PTX" */
    const usw_gpu_named *forms;
    /* How many devices can be used; text gets their names, or why there are none. */
    unsigned (*devices)(char *text, size_t bytes);
    /* device -1: a plan handle, which needs no GPU: calls take scratch and launch nothing.
     * On failure *g is NULL and error has a sentence. */
    upsweep_status (*open)(usw_gpu **g, int device, size_t scratch_limit, char *error,
                           size_t error_bytes);
    void (*close)(usw_gpu *g);
    const char *(*error)(const usw_gpu *g);
    void (*set_stream)(usw_gpu *g, void *stream); /* a cudaStream_t; NULL: the handle's own */
    usw_gpu_place (*place)(const usw_gpu *g, const void *pointer); /* g NULL: of any device */
    /* How the staging copies from host to host: move(context, to, from, bytes), on the calling
     * thread; until then by memcpy. */
    void (*set_move)(usw_gpu *g, void (*move)(void *, void *, const void *, size_t), void *context);
    /* A call begins: the scratch is empty again. planning: its steps launch nothing and only add up
     * their scratch. Between begin and end g's device is the thread's current one. */
    void (*begin)(usw_gpu *g, bool planning);
    void (*end)(usw_gpu *g);
    bool (*capturing)(const usw_gpu *g); /* whether the stream is being captured, since begin */
    void *(*scratch)(usw_gpu *g, size_t bytes); /* NULL: none left; aligned to 256 */
    size_t (*scratch_peak)(const usw_gpu *g);   /* of this call */
    /* How the call, or its plan, sorts; NULL: it has not come to a choice. */
    const usw_gpu_said *(*sorted_by)(const usw_gpu *g);
    /* Makes room for a call that takes that much, in one piece, between calls. */
    upsweep_status (*reserve)(usw_gpu *g, size_t bytes);
    void (*trim)(usw_gpu *g);
    /* Between host (any memory; staged through pinned buffers, overlapped) and device. After upload
     * the host's bytes may be changed; download returns when the bytes are there. */
    upsweep_status (*upload)(usw_gpu *g, void *device, const void *host, size_t bytes);
    upsweep_status (*download)(usw_gpu *g, void *host, const void *device, size_t bytes);
    /* The same for up to USW_GPU_FETCH bytes, which are there after the next wait that finds no
     * failure; at most USW_GPU_FETCHES between two waits. */
    upsweep_status (*fetch)(usw_gpu *g, void *host, const void *device, size_t bytes);
    upsweep_status (*copy)(usw_gpu *g, void *to, const void *from, size_t bytes);
    upsweep_status (*fill)(usw_gpu *g, void *to, int byte, size_t bytes);
    /* Memory of g's device that outlives calls; *at is NULL in a plan. Not while a stream is being
     * captured. drop needs no handle, waits for the device, and may be called by any thread. */
    upsweep_status (*keep)(usw_gpu *g, size_t bytes, void **at);
    void (*drop)(int device, void *at);
    int (*device)(const usw_gpu *g); /* its number; -1: a plan */
    /* Waits for the stream; the first failure or fault since the last wait, which it clears. */
    upsweep_status (*wait)(usw_gpu *g, usw_gpu_fault_found *fault);
} usw_gpu_plugin;

/* The one symbol: */
#define USW_GPU_SYMBOL "upsweep_cuda_plugin"
typedef const usw_gpu_plugin *(*usw_gpu_plugin_fn)(void);

#endif

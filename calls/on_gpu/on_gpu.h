/* on_gpu.h - the public calls on a GPU, as the files of calls/ see them. Arguments have been
 * checked. Each function returns true, with *status, if the call was run on a GPU or failed there;
 * false if the call belongs on the CPU. So a call checks, asks usw_gpu_X, and computes on the CPU
 * where that returned false. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_ON_GPU_ON_GPU_H
#define USW_CALLS_ON_GPU_ON_GPU_H

#include "core/forms.h"

/* Whether a call on this handle may run on a GPU. Calls that can be short ask before they call
 * a function of this header: on a handle of the CPU the code for GPUs stays out of the cache. */
static inline bool usw_may_leave(const upsweep *u)
{
    return u->device != USW_CPU;
}

/* ---- calls/on_gpu/sort.c ---- */
/* keys go sorted to out, which may be keys. */
bool usw_gpu_sort_keys(upsweep *u, const void *keys, void *out, size_t n, upsweep_type type,
                       const usw_options *o, upsweep_status *status);
bool usw_gpu_sort_pairs(upsweep *u, void *keys, void *values, size_t value_bytes, size_t n,
                        upsweep_type type, const usw_options *o, upsweep_status *status);
/* index gets the permutation; out the sorted keys, if it is not NULL; it may be keys. */
bool usw_gpu_argsort(upsweep *u, const void *keys, size_t n, upsweep_type type, void *out,
                     void *index, unsigned index_bits, const usw_options *o,
                     upsweep_status *status);
bool usw_gpu_sort_rows(upsweep *u, void *keys, size_t n, upsweep_type type, const uint64_t *begin,
                       size_t rows, void *index, unsigned index_bits, const usw_options *o,
                       upsweep_status *status);
bool usw_gpu_sort_records(upsweep *u, void *records, size_t n, size_t record_bytes,
                          const upsweep_field *fields, size_t field_count, const usw_options *o,
                          upsweep_status *status);

/* ---- calls/on_gpu/strings.c ---- */
/* n strings in Arrow's layout, whose index is asked for, or the strings in order. */
typedef struct usw_gpu_string_sort {
    const void *bytes, *offsets;
    size_t n;
    unsigned offset_bytes;
    uint64_t first, end; /* offsets[0] and offsets[n]; end UINT64_MAX: the host cannot read them */
    bool descending;
    void *index; /* or NULL */
    unsigned index_bytes;
    void *out_bytes, *out_offsets; /* or NULL */
} usw_gpu_string_sort;
/* Whether the host cannot read the offsets. */
bool usw_gpu_strings_are_far(upsweep *u, const usw_gpu_string_sort *s);
bool usw_gpu_sort_strings(upsweep *u, const usw_gpu_string_sort *s, upsweep_status *status);

/* ---- calls/on_gpu/select.c; map: the order that is asked for ---- */
bool usw_gpu_is_sorted(upsweep *u, const void *keys, size_t n, upsweep_type type,
                       const usw_options *o, size_t *first, upsweep_status *status);
bool usw_gpu_nth(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map,
                 upsweep_status *status);
bool usw_gpu_top_k(upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                   void *out, uint64_t *index, upsweep_status *status);
/* upsweep_top_k_rows, k > 0 and rows > 0. */
typedef struct usw_gpu_top_rows {
    const void *keys;
    size_t n;
    const usw_keymap *map;
    const uint64_t *begin;
    size_t rows, k;
    void *out, *index;
    unsigned index_bits;
} usw_gpu_top_rows;
bool usw_gpu_top_k_rows(upsweep *u, const usw_gpu_top_rows *t, upsweep_status *status);
/* infinity: 0, or the bits of the type's, where keys are equal as numbers. */
bool usw_gpu_unique(upsweep *u, void *keys, size_t n, size_t bytes, uint64_t infinity, size_t *kept,
                    upsweep_status *status);
bool usw_gpu_runs(upsweep *u, const void *keys, size_t n, size_t bytes, uint64_t infinity,
                  void *out_keys, uint64_t *out_counts, size_t *runs, upsweep_status *status);
bool usw_gpu_search_sorted(upsweep *u, const usw_search *s, upsweep_status *status);
bool usw_gpu_merge(upsweep *u, const void *a, size_t na, const void *b, size_t nb, void *out,
                   const usw_keymap *map, upsweep_status *status);
bool usw_gpu_merge_runs(upsweep *u, const void *const *runs, const size_t *counts, size_t k,
                        void *out, size_t n, const usw_keymap *map, upsweep_status *status);

/* ---- calls/on_gpu/fold.c ---- */
bool usw_gpu_reduce(upsweep *u, const void *data, size_t n, upsweep_type type, upsweep_op op,
                    upsweep_type to, const usw_options *o, void *result, upsweep_status *status);
/* index gets the place of the least (greatest), 0 where all are NaN: keys above `last`. */
bool usw_gpu_position(upsweep *u, const void *data, size_t n, const usw_keymap *map, uint64_t last,
                      const usw_options *o, size_t *index, upsweep_status *status);
bool usw_gpu_minmax(upsweep *u, const void *data, size_t n, upsweep_type type, const usw_options *o,
                    void *least, void *greatest, upsweep_status *status);
/* ---- calls/on_gpu/rows.c: rows, of which there are some ---- */
typedef struct usw_gpu_fold_rows {
    const void *data;
    size_t n;
    upsweep_type type;
    const uint64_t *begin;
    size_t rows;
} usw_gpu_fold_rows;
bool usw_gpu_reduce_rows(upsweep *u, const usw_gpu_fold_rows *r, upsweep_op op, upsweep_type to,
                         void *results, upsweep_status *status);
bool usw_gpu_reduce_axis(upsweep *u, const usw_reduce_columns *c, upsweep_status *status);
bool usw_gpu_position_rows(upsweep *u, const usw_gpu_fold_rows *r, const usw_keymap *map,
                           uint64_t last, void *index, unsigned index_bits, upsweep_status *status);
/* s->n and s->in are those of all rows. */
bool usw_gpu_scan_rows(upsweep *u, const usw_scan *s, const uint64_t *begin, size_t rows,
                       upsweep_status *status);
bool usw_gpu_scan(upsweep *u, const usw_scan *s, const usw_options *o, upsweep_status *status);

/* ---- calls/on_gpu/move.c ---- */
bool usw_gpu_split(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                   size_t bytes, bool keep, size_t *count, const usw_options *o,
                   upsweep_status *status);
bool usw_gpu_histogram(upsweep *u, const usw_buckets *b, const void *keys, size_t n,
                       uint64_t *counts, upsweep_status *status);
/* ids NULL: the buckets of the elements, which are keys, by b. */
bool usw_gpu_split_many(upsweep *u, const usw_buckets *b, const void *in, const void *ids,
                        void *out, size_t n, size_t bytes, uint64_t *offsets,
                        upsweep_status *status);
/* upsweep_split_ids_index. */
typedef struct usw_gpu_ids {
    const void *ids;
    size_t id_bytes, count, n, multiple, room;
    void *index;
    unsigned index_bits;
    uint64_t *offsets, *counts;
} usw_gpu_ids;
bool usw_gpu_split_ids_index(upsweep *u, const usw_gpu_ids *s, upsweep_status *status);
bool usw_gpu_gather(upsweep *u, const void *in, size_t in_count, const void *index,
                    unsigned index_bits, void *out, size_t n, size_t bytes, upsweep_status *status);
bool usw_gpu_scatter(upsweep *u, const void *in, const void *index, unsigned index_bits, void *out,
                     size_t out_count, size_t n, size_t bytes, upsweep_status *status);
bool usw_gpu_permute(upsweep *u, void *data, const void *index, unsigned index_bits, size_t n,
                     size_t bytes, upsweep_status *status);
bool usw_gpu_reverse(upsweep *u, const void *in, void *out, size_t n, size_t bytes,
                     upsweep_status *status);
bool usw_gpu_transpose(upsweep *u, const void *in, size_t outer, size_t length, size_t inner,
                       void *out, size_t bytes, upsweep_status *status);

/* ---- path.c and path_rows.c: arrays of distances and parents may be in device memory ---- */
struct usw_path_query;
struct usw_dense_query;
struct usw_path_batch;
/* delta 0: chosen for the GPU. */
bool usw_gpu_paths(upsweep *u, const struct usw_path_query *q, const char *algorithm, double delta,
                   uint32_t *parent, upsweep_status *status);
bool usw_gpu_paths_dense(upsweep *u, const struct usw_dense_query *q, const char *algorithm,
                         uint32_t *parent, upsweep_status *status);
/* Many sources; the sink's wish to stop is UPSWEEP_STOPPED. */
bool usw_gpu_path_matrix(struct usw_path_batch *b, upsweep_status *status);
bool usw_gpu_path_batch(struct usw_path_batch *b, upsweep_path_sink sink, void *context,
                        upsweep_status *status);
/* Copies of a graph in device memory: their size, and their end. */
size_t usw_gpu_graph_bytes(const upsweep_graph *g);
void usw_gpu_graph_drop(upsweep_graph *g);

/* ---- calls/on_gpu/place.c: what the host reads itself, and what must be the host's ---- */

/* The keys of a bucketing: where they are in device memory their range is found there (keys of the
 * two maps); true if that was so. A plan gets any range. */
bool usw_gpu_range(upsweep *u, const void *keys, size_t n, const usw_keymap maps[2],
                   uint64_t found[2], upsweep_status *status);
/* UPSWEEP_ERROR_UNSUPPORTED, with `what` in the sentence, while the stream is being captured. */
upsweep_status usw_gpu_host_reads(upsweep *u, const char *what);
/* Makes *array readable here: where it is in device memory it becomes a copy in scratch (of zeros
 * in a plan). */
upsweep_status usw_gpu_bring_home(upsweep *u, const void **array, size_t bytes, const char *what);
/* As usw_device_notice, where the process has loaded a library since that found no CUDA: to be told
 * so by the loader takes 15 us, which is long for a call on 64 KB. */
void usw_gpu_notice(upsweep *u);
/* Whether the array is in device memory that u may use. */
bool usw_gpu_has(upsweep *u, const void *array);
/* Whether u only plans: pointers then mean nothing. */
bool usw_gpu_only_plans(const upsweep *u);
/* UPSWEEP_ERROR_UNSUPPORTED if the list is in device memory: the host reads it. */
upsweep_status usw_gpu_refuse_list(upsweep *u, const void *list, const char *what);
/* UPSWEEP_ERROR_UNSUPPORTED if the array is in device memory: `call` computes on the CPU. */
upsweep_status usw_gpu_refuse(upsweep *u, const void *array, const char *what, const char *call);

#endif

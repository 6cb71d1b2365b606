/* explain_steps.h - steps that one explained form explains and others build upon. Each is defined
 * in the file of the algorithm that it belongs to. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CORE_EXPLAIN_STEPS_H
#define USW_CORE_EXPLAIN_STEPS_H

#include "core/explain.h"

/* ---- reduce_tree.c ---- */

typedef uint32_t (*usw_operator)(uint32_t a, uint32_t b);
/* Combines all of a, which has at least one element, into a[0]; the rest of a is used up. */
void usw_tree(usw_explain *x, usw_array a, usw_operator op);
/* The greatest, or the least, element of a by usw_tree on a copy; 0 if a is empty. */
uint32_t usw_greatest(usw_explain *x, usw_array a);
uint32_t usw_least(usw_explain *x, usw_array a);

/* ---- scan_sweep.c ---- */

/* Every element becomes the sum of those before it. */
void usw_exclusive_scan(usw_explain *x, usw_array a);

/* ---- split_flags.c ---- */

/* The arrays that a split works in, each as long as the keys. */
typedef struct usw_split_arrays {
    usw_array F, I_down, I_up, index, ones;
} usw_split_arrays;
usw_split_arrays usw_split_arrays_new(usw_explain *x, size_t n);
/* b gets the keys of a, those with a 0 at this bit first, otherwise in their old order. */
void usw_split_by_bit(usw_explain *x, usw_split_arrays w, usw_array a, unsigned bit, usw_array b);

/* ---- sort_radix.c ---- */

/* A stable scatter into buckets is done by this many workers, each with a stretch of the keys. */
enum { USW_WORKERS = 4 };
/* counts[b * USW_WORKERS + w] = how many keys of worker w's stretch go to bucket b = ids[i]. */
void usw_count(usw_explain *x, usw_array ids, usw_array counts);
/* The keys of `from` go to `to`, bucket by bucket, in their old order. Afterwards
 * counts[b * USW_WORKERS + USW_WORKERS - 1] is where bucket b ends. */
void usw_scatter(usw_explain *x, usw_array from, usw_array ids, usw_array counts, usw_array to);
static inline size_t usw_bucket_end(usw_array counts, size_t bucket)
{
    return counts.v[bucket * USW_WORKERS + USW_WORKERS - 1];
}
static inline size_t usw_bucket_begin(usw_array counts, size_t bucket)
{
    return bucket == 0 ? 0 : usw_bucket_end(counts, bucket - 1);
}

/* ---- sort_sample.c ---- */

/* ids[i] = how many of the sorted splitters are <= keys[i]: the bucket of the key. There are a
 * power of two less one splitters. */
void usw_find_buckets(usw_explain *x, usw_array keys, usw_array splitters, usw_array ids);

/* ---- sort_vmerge.c ---- */

enum { USW_VECTOR = 4 };
/* Sorts each bucket of a by vector merge sort; bucket k is the vectors begin[k] .. begin[k + 1]
 * - 1. b is as long as a. Returns a or b: the one that holds the result. */
usw_array usw_vector_merge_sort(usw_explain *x, usw_array a, usw_array b, const size_t *begin,
                                size_t buckets);

/* ---- path_dijkstra.c ---- */

typedef struct usw_arc3 {
    uint32_t from, to, weight;
} usw_arc3;
typedef struct usw_arcs {
    const usw_arc3 *arc;
    size_t count, vertices; /* numbered from 0; the source is 0 */
} usw_arcs;
/* Reads numbers as arcs. The outcome has room for as many vertices as there are numbers. */
usw_arcs usw_read_arcs(usw_explain *x, const uint32_t *in, size_t n);
/* Makes dist and open those of a search that has found nothing yet but its source, vertex 0. */
void usw_begin_paths(usw_explain *x, usw_array dist, usw_array open);
/* Arc k, whose tail lies `far` away, offers a way to its head: it is way[k], and dist and open of
 * the head if it is shorter. */
void usw_offer_way(usw_explain *x, uint32_t far, usw_arc3 arc, usw_array way, size_t k,
                   usw_array dist, usw_array open);

#endif

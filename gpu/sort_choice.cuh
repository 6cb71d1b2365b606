/* sort_choice.cuh - which method sorts what on a GPU: what rows' forms and the steps of calls ask
 * of the table in sort_choice.cu, and the sorts by what it says. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SORT_CHOICE_CUH
#define USW_GPU_SORT_CHOICE_CUH

#include "gpu/gpu.cuh"

typedef enum usw_gpu_method {
    USW_GPU_BY_NETWORK,    /* in place, by compare-exchanges */
    USW_GPU_BY_COUNTS,     /* values of 8 and 16 bits counted and written (gpu/bucket_sort) */
    USW_GPU_BY_BUCKETS,    /* buckets that fit shared memory (gpu/bucket_sort) */
    USW_GPU_BY_ONE_LAUNCH, /* digits, by blocks that keep their keys (gpu/digit_sort) */
    USW_GPU_BY_RUNS,       /* blocks' runs, merged by ranks (gpu/short_sort) */
    USW_GPU_BY_ONE_BLOCK,  /* the same room's sort by one block */
    USW_GPU_BY_SAMPLES,    /* the same room's sort by regular sampling */
    USW_GPU_BY_PASSES,     /* a pass a digit, with a spine (gpu/digit_sort) */
    USW_GPU_BY_SPLITS,     /* a split a bit, which needs no spine */
    USW_GPU_BY_MERGES,     /* records merged (gpu/merging) */
    USW_GPU_BY_ROW,        /* rows one after another, each as if it were the only one */
    USW_GPU_BY_LENGTHS     /* rows side by side, by their lengths (gpu/short_sort) */
} usw_gpu_method;

/* What a choice depends on beside the keys. */
enum {
    USW_GPU_IF_IN_PLACE = 1, /* no second array may be taken */
    USW_GPU_IF_DIGITS = 2    /* the row that sorts by digits was asked for */
};

typedef struct usw_gpu_chosen {
    usw_gpu_method method;
    unsigned carried; /* bytes that travel with a key: of a value, or of its position */
    bool by_position; /* the values follow afterwards, by the positions */
} usw_gpu_chosen;

/* The first line of the table that fits. The first choice of a call is noted for its report
 * (g->sorted_by). facts: bits USW_GPU_IF_... */
usw_gpu_chosen usw_gpu_choose_keys(usw_gpu *g, const usw_gpu_sort *s, unsigned facts);
usw_gpu_chosen usw_gpu_choose_pairs(usw_gpu *g, const usw_gpu_pairs *p, unsigned facts);
usw_gpu_method usw_gpu_choose_records(usw_gpu *g, size_t key_bytes);
usw_gpu_method usw_gpu_choose_rows(usw_gpu *g, const usw_gpu_rows *r);

/* Where the keys of a sort are read. */
static inline const void *usw_gpu_keys_from(const usw_gpu_sort *s)
{
    return s->from != nullptr ? s->from : s->keys;
}

/* Sort by the form of the row that the table names; or, the next two, by digits where equal keys
 * must keep their order or only some bits count. */
upsweep_status usw_gpu_sort_keys(usw_gpu *g, const usw_gpu_sort *s);
upsweep_status usw_gpu_sort_pairs(usw_gpu *g, const usw_gpu_pairs *p);
upsweep_status usw_gpu_sort_keys_by_digits(usw_gpu *g, const usw_gpu_sort *s);
upsweep_status usw_gpu_sort_pairs_by_digits(usw_gpu *g, const usw_gpu_pairs *p);
/* Rows, each on its own (gpu/short_sort/rows.cu). */
upsweep_status usw_gpu_sort_rows(usw_gpu *g, const usw_gpu_rows *r);

#endif

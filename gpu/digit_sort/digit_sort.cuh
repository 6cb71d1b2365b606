/* digit_sort.cuh - what other rooms call of the radix sort (algo/sort_radix.cu): sorts by digits or
 * by the methods for fewer keys, and passes that the device itself may switch off. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH
#define USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH

#include "gpu/sort_choice.cuh"

/* Arrays of n elements; NULL: taken from the scratch. keys_out: used where the caller wants no
 * keys. If values are as wide as keys, keys_tmp is an array of n pairs and values_tmp is not used.
 * spare: NULL, or memory for n more such pairs, which saves a copy where an odd number of passes
 * sorts in place. control: NULL, or a usw_radix_control that is zero when the first kernel runs. */
struct usw_digit_scratch {
    void *keys_tmp, *keys_out, *values_tmp, *spare, *control;
};

/* Sort by a method of gpu/digit_sort or gpu/short_sort, or USW_GPU_BY_SPLITS, as
 * gpu/sort_choice.cu says. Pairs are sorted stably. */
upsweep_status usw_radix_sort(usw_gpu *g, const usw_gpu_sort *s, usw_gpu_method method);
upsweep_status usw_radix_sort_pairs(usw_gpu *g, const usw_gpu_pairs *p, usw_gpu_chosen chosen);

/* Whether two blocks of a pass run at once: one is the spine, for which the others wait. carried:
 * bytes of a value. */
bool usw_radix_has_spine(const usw_gpu *g, unsigned width, unsigned carried);

/* Queues a sort of whole keys, which uses keys_tmp and control of `scratch`. enabled: a word on the
 * device; if it is 0 when the kernels run, they do nothing. */
upsweep_status usw_radix_queue(usw_gpu *g, const usw_gpu_sort *s, const usw_digit_scratch &scratch,
                               const unsigned *enabled);

/* The same for a stable sort of pairs. Keys have 4 or 8 bytes, and values, too, aligned.
 * few_values: NULL, or a hybrid_few of the keys' type; if that has values, 256 at most, one pass
 * sorts keys by the numbers of their values, and *enabled should be 0. */
upsweep_status usw_radix_queue_pairs(usw_gpu *g, const usw_gpu_pairs *p,
                                     const usw_digit_scratch &scratch, const unsigned *enabled,
                                     const void *few_values);

/* Whether usw_radix_queue_pairs can sort these pairs by a table of few values. */
bool usw_radix_takes_few(const usw_gpu *g, const usw_gpu_pairs *p);

#endif

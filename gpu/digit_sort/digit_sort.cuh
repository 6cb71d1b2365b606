/* digit_sort.cuh - what other rooms call of the radix sort (algo/sort_radix.cu): sorts by passes
 * that the device itself may switch off. */
#ifndef USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH
#define USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH

#include "gpu/gpu.cuh"

/* Arrays of n elements; NULL: taken from the scratch. keys_out: used where the caller wants no
 * keys. If values are as wide as keys, keys_tmp is an array of n pairs and values_tmp is not used.
 * spare: NULL, or memory for n more such pairs, which saves a copy where an odd number of passes
 * sorts in place. control: NULL, or a usw_radix_control that is zero when the first kernel runs. */
struct usw_digit_scratch {
    void *keys_tmp, *keys_out, *values_tmp, *spare, *control;
};

/* Queues a sort of whole keys, which uses keys_tmp and control of `room`. go: a word on the device;
 * if it is 0 when the kernels run, they do nothing. go NULL: sorts in any case, as the row
 * sort/radix does, and does not use `room`. */
upsweep_status usw_radix_queue(usw_gpu *g, const usw_gpu_sort *s, const usw_digit_scratch &room,
                               const unsigned *go);

/* Queues a stable sort of pairs. With go, keys have 4 or 8 bytes, and values, too, aligned. few:
 * NULL, or a hybrid_few of the keys' type; if that has values, 256 at most, one pass sorts keys by
 * the numbers of their values, and *go should be 0. */
upsweep_status usw_radix_queue_pairs(usw_gpu *g, const usw_gpu_pairs *p,
                                     const usw_digit_scratch &room, const unsigned *go,
                                     const void *few);

/* Whether usw_radix_queue_pairs can sort these pairs by a table of few values. */
bool usw_radix_takes_few(const usw_gpu *g, const usw_gpu_pairs *p);

#endif

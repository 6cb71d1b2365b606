/* digit_sort.cuh - the radix sort's passes, for forms that decide on the device. */
#ifndef USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH
#define USW_GPU_DIGIT_SORT_DIGIT_SORT_CUH

#include "gpu/gpu.cuh"

/* Arrays of n elements; NULL: from the scratch. keys_out: where the caller wants no keys. Of values
 * as wide as keys both tmp are one array, of n pairs, at keys_tmp. spare: NULL, or room for n more
 * such pairs, which saves a copy where an odd number of passes sorts in place. control: NULL, or a
 * usw_radix_control of zeros when the first kernel runs. */
struct usw_digit_scratch {
    void *keys_tmp, *keys_out, *values_tmp, *spare, *control;
};

/* Queues a sort of whole keys (sort_radix.cu), of which room's keys_tmp and control are used. go: a
 * word on the device; where it is 0 when the kernels run, they do nothing. go NULL: as the form,
 * room is not used. */
upsweep_status usw_radix_queue(usw_gpu *g, const usw_gpu_sort *s, const usw_digit_scratch &room,
                               const unsigned *go);

/* The same of pairs, stable; with go: of keys of 4 or 8 bytes and values of 4 or 8, aligned. few:
 * NULL, or a hybrid_few of the keys' type; where it has values, 256 at most, their numbers are
 * sorted by, in one pass, and go should be 0. */
upsweep_status usw_radix_queue_pairs(usw_gpu *g, const usw_gpu_pairs *p,
                                     const usw_digit_scratch &room, const unsigned *go,
                                     const void *few);

/* Whether few need not be NULL. */
bool usw_radix_takes_few(const usw_gpu *g, const usw_gpu_pairs *p);

#endif

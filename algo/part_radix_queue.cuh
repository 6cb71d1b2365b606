/* part_radix_queue.cuh - the radix sort's passes, for forms that decide on the device. */
#ifndef USW_PART_RADIX_QUEUE_CUH
#define USW_PART_RADIX_QUEUE_CUH

#include "gpu.cuh"

/* Queues a sort of whole keys (sort_radix.cu). go: a word on the device; where it is 0 when the
 * kernels run, they do nothing; tmp: room for n keys. go NULL: as the form, tmp is not used. */
upsweep_status usw_radix_queue(usw_gpu *g, const usw_gpu_sort *s, void *tmp, const unsigned *go);

#endif

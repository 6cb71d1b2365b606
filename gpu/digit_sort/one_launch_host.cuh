/* one_launch_host.cuh - sorts of up to a few million keys, with or without values, in one launch
 * (gpu/digit_sort/one_launch.cu). */
#ifndef USW_GPU_DIGIT_SORT_ONE_LAUNCH_HOST_CUH
#define USW_GPU_DIGIT_SORT_ONE_LAUNCH_HOST_CUH

#include "gpu/short_sort/short_sort.cuh"

/* The greatest n that usw_gpu_one_launch_sort takes for such keys, with values of 0, 4 or 8 bytes;
 * 0: none. A plan counts on none, so that it tells scratch enough. */
size_t usw_gpu_one_launch_fits(const usw_gpu *g, unsigned width, unsigned value_bytes);
/* Whether it takes such a sort, and is the fastest that does. */
bool usw_gpu_one_launch_pays(const usw_gpu *g, const usw_small_sort *s);
/* Up to so many keys this sort or usw_gpu_small_sort is faster than sorts by buckets. */
size_t usw_gpu_one_launch_max(const usw_gpu *g, unsigned width, unsigned value_bytes);
/* As usw_gpu_small_sort; value_bytes is 0, 4 or 8. stable false: of equal keys reversed ones will
 * do. go: NULL, or a word on the device; where it is 0 when the kernel runs, it does nothing.
 * Scratch: 150 KB, and the keys where they are not wanted. */
upsweep_status usw_gpu_one_launch_sort(usw_gpu *g, const usw_small_sort *s, bool stable,
                                       const unsigned *go);

#endif

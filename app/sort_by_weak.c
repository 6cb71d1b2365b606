/* sort_by_weak.c - stands in for upsweep_sort_by until the library has it. */
#include "upsweep.h"
#include <stdlib.h>
__attribute__((weak)) upsweep_status upsweep_sort_by(upsweep *u, void *base, size_t n, size_t bytes,
                                                     upsweep_compare compare, void *context,
                                                     const upsweep_options *options)
{
    (void)u;
    (void)options;
    qsort_r(base, n, bytes, compare, context);
    return UPSWEEP_OK;
}

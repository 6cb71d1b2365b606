/* CPU form of the sample sort. */
#include "core/cpu_body.h"
#include "core/parts.h"

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    enum {
        WIDTH = KEY_BITS == 8    ? 0
                : KEY_BITS == 16 ? 1
                : KEY_BITS == 32 ? 2
                : KEY_BITS == 64 ? 3
                                 : 4
    };
    (void)u, (void)bit_begin, (void)bit_end;
    USW_SYMBOL(usw_part_vsort).sort[WIDTH](keys, n);
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_sample, .in_place = false)
#endif

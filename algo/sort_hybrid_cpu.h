/* CPU form of the hybrid sort. */
#include "core/cpu_body.h"
#include "core/parts.h"

static upsweep_status FN(sort_mapped)(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                      bool in_place)
{
    (void)u, (void)in_place;
    enum {
        WIDTH = KEY_BITS == 8    ? 0
                : KEY_BITS == 16 ? 1
                : KEY_BITS == 32 ? 2
                : KEY_BITS == 64 ? 3
                                 : 4
    };
    const usw_part_vsort *vsort = &USW_SYMBOL(usw_part_vsort);
#if KEY_BITS != 128
    const usw_part_keymap *maps = &USW_SYMBOL(usw_part_keymap);
    if (map != NULL) {
        maps->map[WIDTH](keys, keys, n, map);
    }
#endif
    vsort->sort[WIDTH](keys, n);
#if KEY_BITS != 128
    if (map != NULL) {
        maps->unmap[WIDTH](keys, keys, n, map);
    }
#else
    (void)map;
#endif
    return UPSWEEP_OK;
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    (void)bit_begin, (void)bit_end;
    return FN(sort_mapped)(u, keys, n, NULL, false);
}

#if KEY_BITS == 128
const usw_part_hybrid USW_SYMBOL(usw_part_hybrid) = {
    .sort = {sort_mapped_u8, sort_mapped_u16, sort_mapped_u32, sort_mapped_u64, sort_mapped_u128}};
USW_SORT_FORM(sort_hybrid, .in_place = false)
#endif

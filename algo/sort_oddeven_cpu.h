/* CPU form of the odd-even sort (to be written). */
#include "core/cpu_body.h"

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin, unsigned bit_end)
{
    KEY *k = keys;
    (void)u, (void)bit_begin, (void)bit_end;
    for (size_t r = 0; r < n; r++) {
        for (size_t i = r % 2; i + 1 < n; i += 2) {
            KEY a = k[i], b = k[i + 1];
            k[i] = a < b ? a : b;
            k[i + 1] = a < b ? b : a;
        }
    }
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_oddeven, .in_place = true)
#endif

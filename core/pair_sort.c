/* pair_sort.c - scratch for the sort of keys that carry something, and the sort. */
#include "pair_sort.h"

#include <math.h>

/* Room beyond that of n pairs in which one thread splits keys of 32 bits without counting them
 * first: five deviations of the sizes of its buckets. */
static size_t spare_bytes(const upsweep *u, size_t n, size_t key_bytes)
{
    bool splits = key_bytes == 4 && u->threads == 1 && u->scratch_limit == 0 && n <= UINT32_MAX;
    size_t words = usw_min(n / 3, (size_t)(170 * sqrt((double)n))) + 4096;
    return splits ? words * sizeof(uint64_t) : 0;
}

upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes)
{
    size_t n = p->n, bytes, first = (n * key_bytes + 63) & ~(size_t)63, both;
    if (usw_mul_overflows(n, p->payload_bytes, &bytes) ||
        __builtin_add_overflow(first, bytes, &both)) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", n);
    }
    p->way_keys[0] = p->out_keys != NULL ? p->out_keys : usw_scratch(u, n * key_bytes);
    p->way_payloads[0] = p->out_payloads != NULL ? p->out_payloads : usw_scratch(u, bytes);
    p->way_room = both + spare_bytes(u, n, key_bytes);
    p->way_keys[1] = usw_scratch(u, p->way_room);
    if (!p->way_keys[0] || !p->way_payloads[0] || !p->way_keys[1]) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", n);
    }
    p->way_payloads[1] = (char *)p->way_keys[1] + first;
    p->out_payloads = p->way_payloads[0];
    return USW_PICK(u->isa, usw_part_pairsort)->sort[usw_log2_up(key_bytes)](u, p);
}

/* pair_sort.c - scratch for the sort of keys that carry something, and the sort. */
#include "pair_sort.h"

upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes)
{
    size_t n = p->n, bytes, first = (n * key_bytes + 63) & ~(size_t)63, both;
    if (usw_mul_overflows(n, p->payload_bytes, &bytes) ||
        __builtin_add_overflow(first, bytes, &both)) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", n);
    }
    p->way_keys[0] = p->out_keys != NULL ? p->out_keys : usw_scratch(u, n * key_bytes);
    p->way_payloads[0] = p->out_payloads != NULL ? p->out_payloads : usw_scratch(u, bytes);
    p->way_keys[1] = usw_scratch(u, both);
    if (!p->way_keys[0] || !p->way_payloads[0] || !p->way_keys[1]) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", n);
    }
    p->way_payloads[1] = (char *)p->way_keys[1] + first;
    p->out_payloads = p->way_payloads[0];
    return USW_PICK(u->isa, usw_part_pairsort)->sort[usw_log2_up(key_bytes)](u, p);
}

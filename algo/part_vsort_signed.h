/* part_vsort_signed.h - signed keys in AVX2 sorted as such: compared as they are, with no maps.
 * Included after the quicksort of the width's unsigned keys. */

#undef FN
#define FN(name) SIGNED_FN(name)
#define SIGNED_ORDER 1
#include "part_key_order.h"
#include "part_vsort_avx2.h"
#include "part_vsort_network.h"
#include "part_vsort_blocks.h"
#include "part_vsort_vector.h"
#include "part_vsort_quick.h"
#include "part_vsort_shape.h"

/* n >= PARTITION_MIN keys. */
static size_t FN(part_signed)(void *keys, size_t n, const void *pivot)
{
    KEY p;
    memcpy(&p, pivot, sizeof p);
    return FN(partition)(keys, n, p);
}

#undef SIGNED_ORDER
#undef FN
#define FN(name) UNSIGNED_FN(name)
#include "part_key_order.h"

/* signed_keys.h - signed keys in AVX2 sorted as such: compared as they are, with no maps.
 * Included after the quicksort of the width's unsigned keys. */

#undef FN
#define FN(name) SIGNED_FN(name)
#define SIGNED_ORDER 1
#include "cpu/cache_sort/key_order.h"
#include "cpu/cache_sort/vectors_avx2.h"
#include "cpu/cache_sort/network.h"
#include "cpu/cache_sort/merge_blocks.h"
#include "cpu/cache_sort/partition_vectors.h"
#include "cpu/cache_sort/quicksort.h"
#include "cpu/cache_sort/short_arrays_order.h"

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
#include "cpu/cache_sort/key_order.h"

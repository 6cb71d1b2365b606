/* double_keys.h - the sort in place once more, for plain doubles as such (cache_sort in
 * cpu/cpu.h), and whether all keys are. */

#undef FN
#define FN(name) name##_f64
#define DOUBLES 1
#include "cpu/cache_sort/key_order.h"
#include "cpu/buckets/quicksort_in_place.h"
#undef DOUBLES
#undef FN
#define FN(name) name##_u64
#include "cpu/cache_sort/key_order.h"

typedef struct plain_search {
    const uint64_t *keys;
    size_t n;
    atomic_bool other; /* some are not plain */
} plain_search;

static void search_chunk(void *context, size_t i, unsigned lane)
{
    plain_search *s = context;
    size_t begin = i * MAP_KEYS;
    (void)lane;
    if (!atomic_load(&s->other) &&
        !USW_SYMBOL(usw_cache_sort_steps)
             .plain_doubles(s->keys + begin, usw_min(MAP_KEYS, s->n - begin))) {
        atomic_store(&s->other, true);
    }
}

static bool are_plain(upsweep *u, const uint64_t *keys, size_t n)
{
    plain_search s = {.keys = keys, .n = n};
    usw_parallel(u, usw_div_up(n, MAP_KEYS), search_chunk, &s);
    return !atomic_load(&s.other);
}

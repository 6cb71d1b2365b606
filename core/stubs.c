/* stubs.c - weak, slow, correct stand-ins while the real calls are being written. */
#include "keymap.h"
#include <stdlib.h>

typedef struct item { uint64_t key; size_t i; } item;
static int by_key(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->i < y->i ? -1 : x->i > y->i;
}
static item *sorted(const void *keys, size_t n, upsweep_type type, const upsweep_options *o)
{
    usw_keymap m = usw_keymap_of(type, o ? o->flags : 0);
    size_t b = upsweep_type_bytes(type);
    item *v = malloc((n + 1) * sizeof *v);
    for (size_t i = 0; v && i < n; i++) v[i] = (item){usw_map_key(&m, usw_load_raw((const char *)keys + i * b, b)), i};
    if (v) qsort(v, n, sizeof *v, by_key);
    return v;
}
__attribute__((weak)) upsweep_status upsweep_sort(upsweep *u, void *keys, size_t n, upsweep_type type, const upsweep_options *o)
{
    (void)u;
    item *v = sorted(keys, n, type, o);
    usw_keymap m = usw_keymap_of(type, o ? o->flags : 0);
    size_t b = upsweep_type_bytes(type);
    if (!v) return UPSWEEP_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) usw_store_raw((char *)keys + i * b, b, usw_unmap_key(&m, v[i].key));
    free(v);
    return UPSWEEP_OK;
}

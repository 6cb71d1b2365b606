/* patterns.c - inputs that need no sort, recognised before one starts.
 *
 * Sorted and reversed keys end at the first break of their order, which random keys have at once.
 * Then a few keys from all over the array say what is worth trying: few values, or a narrow range
 * of them, are counted (cpu/patterns/few_values.c); long stretches in order are merged with what
 * lies between them (cpu/patterns/stretches.c). Every attempt gives up at the first block without
 * its pattern, or when too many keys are loose, so an array without a pattern costs the time to
 * read a few of its keys. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pattern_steps.h"

#include <stdatomic.h>

enum { FIRST_LOOK = 4096 }; /* keys that one thread examines before the others are woken */

/* ---- the first break of the order ---- */

typedef enum order_kind { RISING, FALLING, EQUAL } order_kind;

typedef struct break_search {
    const usw_pattern_search *f;
    order_kind kind;
    atomic_size_t found; /* the least break so far, or n */
} break_search;

/* The first break within n keys from `begin` on, or n. EQUAL: 0 if two keys differ. */
static size_t break_within(const usw_pattern_search *f, size_t begin, size_t n, order_kind kind)
{
    if (n == 0) { /* keys may be NULL */
        return 0;
    }
    const unsigned char *at = f->keys + begin * f->bytes;
    return kind == EQUAL ? (USW_PICK(f->u->isa, usw_all_same)(at, n * f->bytes, f->width) ? n : 0)
                         : f->maps->first_break[f->width](at, n, f->order, kind == RISING,
                                                          f->n * f->bytes >= USW_PATTERN_FAR_BYTES);
}

static void find_break(void *context, size_t i, unsigned lane)
{
    USW_ROUTE("all threads look for the first break");
    break_search *s = context;
    const usw_pattern_search *f = s->f;
    size_t begin = i * USW_PATTERN_CHUNK, n = usw_min(USW_PATTERN_CHUNK + 1, f->n - begin);
    (void)lane;
    if (begin >= atomic_load(&s->found)) {
        return;
    }
    size_t at = break_within(f, begin, n, s->kind);
    size_t least = atomic_load(&s->found);
    while (at < n && begin + at < least &&
           !atomic_compare_exchange_weak(&s->found, &least, begin + at)) {
    }
}

static size_t first_break(const usw_pattern_search *f, order_kind kind)
{
    size_t look = f->n * f->bytes < f->u->tuning.thread_bytes ? f->n : usw_min(f->n, FIRST_LOOK);
    size_t at = break_within(f, 0, look, kind);
    if (at < look || f->n == look) {
        return at;
    }
    break_search s = {.f = f, .kind = kind};
    atomic_init(&s.found, f->n);
    usw_parallel(f->u, usw_div_up(f->n, USW_PATTERN_CHUNK), find_break, &s);
    return atomic_load(&s.found);
}

static usw_pattern_search search_of(upsweep *u, void *keys, size_t n, unsigned width,
                                    const usw_key_order *order)
{
    return (usw_pattern_search){.u = u,
                                .keys = keys,
                                .n = n,
                                .bytes = (size_t)1 << width,
                                .width = width,
                                .order = order,
                                .maps = USW_PICK(u->isa, usw_keymap_steps),
                                .steps = USW_PICK(u->isa, usw_pattern_steps)};
}

size_t usw_first_break(upsweep *u, const void *keys, size_t n, unsigned width,
                       const usw_key_order *order, bool rising)
{
    usw_pattern_search f = search_of(u, (void *)(uintptr_t)keys, n, width, order);
    return first_break(&f, rising ? RISING : FALLING);
}

/* ---- passes over all keys ---- */

typedef struct map_pass {
    const usw_pattern_search *f;
    void (*move)(void *out, const void *in, size_t n, const usw_keymap *map);
} map_pass;

static void map_chunk(void *context, size_t i, unsigned lane)
{
    USW_ROUTE("keys are mapped in a pass");
    const map_pass *p = context;
    const usw_pattern_search *f = p->f;
    size_t begin = i * USW_PATTERN_CHUNK;
    unsigned char *at = f->keys + begin * f->bytes;
    (void)lane;
    p->move(at, at, usw_min(USW_PATTERN_CHUNK, f->n - begin), &f->order->map);
}

void usw_pattern_map(const usw_pattern_search *f, bool back)
{
    map_pass p = {f, back ? f->maps->unmap[f->width] : f->maps->map[f->width]};
    if (!usw_keymap_is_identity(&f->order->map)) {
        usw_parallel(f->u, usw_div_up(f->n, USW_PATTERN_CHUNK), map_chunk, &p);
    }
}

void usw_map_keys(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                  bool back)
{
    usw_key_order order = {*map, 0, 0};
    usw_pattern_search f = search_of(u, keys, n, width, &order);
    usw_pattern_map(&f, back);
}

static void reverse_chunk(void *context, size_t i, unsigned lane)
{
    USW_ROUTE("reversed");
    const usw_pattern_search *f = context;
    size_t begin = i * USW_PATTERN_CHUNK, end = usw_min(f->n / 2, begin + USW_PATTERN_CHUNK);
    (void)lane;
    f->maps->mirror[f->width](f->keys + begin * f->bytes, f->keys + (f->n - end) * f->bytes,
                              end - begin);
}

void usw_pattern_reverse(const usw_pattern_search *f, size_t begin, size_t n)
{
    usw_pattern_search range = *f;
    range.keys = f->keys + begin * f->bytes;
    range.n = n;
    usw_parallel(f->u, usw_div_up(n / 2, USW_PATTERN_CHUNK), reverse_chunk, &range);
}

/* ---- the whole ---- */

/* Keys that mostly fall are reversed. */
static bool sort_stretches(const usw_pattern_search *f, unsigned looks)
{
    if (f->steps->leaning[f->width](f->keys, f->n, &f->order->map) < 0) {
        USW_ROUTE_OF("mostly falling", USW_WIDE_TYPES);
        usw_pattern_reverse(f, 0, f->n);
    }
    return usw_sort_stretches(f, (looks >> USW_RUNS & 1) == 0);
}

/* Examined only in the direction in which the first keys go. */
bool usw_sort_ordered(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      usw_glance *glance, usw_found *found)
{
    *glance = (usw_glance){{0}, {0}};
    if (n >= 4 * USW_GLANCE) {
        USW_PICK(u->isa, usw_pattern_steps)->glance[width](keys, n, map, glance);
    }
    usw_key_order order = {*map, 0, 0};
    usw_pattern_search f = search_of(u, keys, n, width, &order);
    bool rising = glance->falls[0] == 0, falling = glance->rises[0] == 0;
    if (rising && ((falling && first_break(&f, EQUAL) == n) || first_break(&f, RISING) == n)) {
        USW_ROUTE("in order already");
        *found = (usw_found){USW_IN_ORDER, 0};
        return true;
    }
    if (falling && first_break(&f, FALLING) == n) {
        USW_ROUTE("in falling order");
        usw_pattern_reverse(&f, 0, n);
        *found = (usw_found){USW_REVERSED, 0};
        return true;
    }
    return false;
}

bool usw_sort_pattern(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      unsigned looks, const usw_glance *glance, usw_found *found)
{
    usw_key_order order = {*map, 0, 0};
    usw_pattern_search f = search_of(u, keys, n, width, &order);
    f.found = found;
    unsigned values = 1u << USW_FEW_VALUES | 1u << USW_NARROW_RANGE;
    return ((looks & values) && usw_sort_values(&f)) ||
           ((looks >> USW_NEARLY_SORTED & 1) && !usw_looks_random(glance) &&
            sort_stretches(&f, looks));
}

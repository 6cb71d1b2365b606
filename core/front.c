/* front.c - inputs that need no sort, recognised before one starts.
 *
 * Sorted and reversed keys end at the first break of their order, which random keys have at
 * once. Two runs (an organ pipe, or new keys behind sorted ones) are merged. Keys of few values,
 * as a sample suggests, are counted value by value and written again; the first block with
 * another value ends that. So keys without a pattern cost a few blocks. */
#include "front.h"

#include <stdatomic.h>

enum {
    FIRST_LOOK = 4096,       /* keys that one thread looks at before the others are woken */
    CHUNK_KEYS = 128 * 1024, /* of one task */
    FEW = 16,                /* values worth counting one by one */
    FEW_FROM = 32 * 1024,    /* keys, from which on a sample of them costs nothing */
    FEW_SAMPLE = 128
};

typedef struct front {
    upsweep *u;
    unsigned char *keys;
    size_t n, bytes;
    unsigned width;
    const usw_key_order *order;
    const usw_part_keymap *part;
    bool rising;
    atomic_size_t found; /* the least break so far, or n */
    unsigned values;
    uint64_t value[FEW];
    atomic_size_t count[FEW];
    atomic_bool other; /* a key has none of the values */
} front;

static void find_break(void *context, size_t i, unsigned lane)
{
    front *f = context;
    size_t begin = i * CHUNK_KEYS, n = usw_min(CHUNK_KEYS + 1, f->n - begin);
    (void)lane;
    if (begin >= atomic_load(&f->found)) {
        return;
    }
    size_t at = f->part->first_break[f->width](f->keys + begin * f->bytes, n, f->order, f->rising);
    size_t least = atomic_load(&f->found);
    while (at < n && begin + at < least &&
           !atomic_compare_exchange_weak(&f->found, &least, begin + at)) {
    }
}

size_t usw_first_break(upsweep *u, const void *keys, size_t n, unsigned width,
                       const usw_key_order *order, bool rising)
{
    const usw_part_keymap *part = USW_PICK(u->isa, usw_part_keymap);
    size_t look = usw_min(n, FIRST_LOOK);
    size_t at = part->first_break[width](keys, look, order, rising);
    if (at < look || n == look) {
        return at;
    }
    front f = {.u = u,
               .keys = (unsigned char *)(uintptr_t)keys,
               .n = n,
               .bytes = (size_t)1 << width,
               .width = width,
               .order = order,
               .part = part,
               .rising = rising};
    atomic_init(&f.found, n);
    usw_parallel(u, usw_div_up(n, CHUNK_KEYS), find_break, &f);
    return atomic_load(&f.found);
}

/* ---- reversing ---- */

static void reverse_chunk(void *context, size_t i, unsigned lane)
{
    const front *f = context;
    size_t begin = i * CHUNK_KEYS, end = usw_min(f->n / 2, begin + CHUNK_KEYS);
    (void)lane;
    f->part->mirror[f->width](f->keys + begin * f->bytes, f->keys + (f->n - end) * f->bytes,
                              end - begin);
}

static void reverse_keys(front *f, size_t begin, size_t n)
{
    front part = {.keys = f->keys + begin * f->bytes,
                  .n = n,
                  .bytes = f->bytes,
                  .width = f->width,
                  .part = f->part};
    usw_parallel(f->u, usw_div_up(n / 2, CHUNK_KEYS), reverse_chunk, &part);
}

/* ---- few values ---- */

static bool sample_values(front *f)
{
    for (size_t i = 0; i < FEW_SAMPLE; i++) {
        size_t at = (size_t)((double)f->n / FEW_SAMPLE * ((double)i + 0.5));
        uint64_t x = usw_load_raw(f->keys + at * f->bytes, f->bytes);
        unsigned v = 0;
        while (v < f->values && f->value[v] != x) {
            v++;
        }
        if (v == FEW) {
            return false;
        }
        f->value[v] = x;
        f->values = f->values > v ? f->values : v + 1;
    }
    return true;
}

static void count_values(void *context, size_t i, unsigned lane)
{
    front *f = context;
    size_t begin = i * CHUNK_KEYS, n = usw_min(CHUNK_KEYS, f->n - begin), count[FEW] = {0};
    (void)lane;
    if (atomic_load(&f->other)) {
        return;
    }
    if (!f->part->count_values[f->width](f->keys + begin * f->bytes, n, f->value, f->values,
                                         count)) {
        atomic_store(&f->other, true);
        return;
    }
    for (unsigned v = 0; v < f->values; v++) {
        atomic_fetch_add(&f->count[v], count[v]);
    }
}

static void write_values(void *context, size_t i, unsigned lane)
{
    front *f = context;
    size_t at = i * CHUNK_KEYS, end = usw_min(f->n, at + CHUNK_KEYS), stop = 0;
    (void)lane;
    for (unsigned v = 0; v < f->values; v++) {
        stop += atomic_load(&f->count[v]);
        size_t to = usw_min(stop, end);
        if (at < to) {
            f->part->fill[f->width](f->keys + at * f->bytes, to - at, f->value[v]);
            at = to;
        }
    }
}

static bool count_few(front *f)
{
    const usw_keymap *map = &f->order->map;
    atomic_init(&f->other, false);
    if (f->n < FEW_FROM || !sample_values(f)) {
        return false;
    }
    for (unsigned i = 1; i < f->values; i++) { /* in the order asked for */
        for (unsigned j = i;
             j > 0 && usw_map_key(map, f->value[j]) < usw_map_key(map, f->value[j - 1]); j--) {
            uint64_t x = f->value[j];
            f->value[j] = f->value[j - 1];
            f->value[j - 1] = x;
        }
    }
    count_values(f, f->n / CHUNK_KEYS / 2, 0); /* one chunk tells whether to go on */
    for (unsigned v = 0; v < FEW; v++) {
        atomic_store(&f->count[v], 0);
    }
    usw_parallel(f->u, atomic_load(&f->other) ? 0 : usw_div_up(f->n, CHUNK_KEYS), count_values, f);
    if (atomic_load(&f->other)) {
        return false;
    }
    usw_parallel(f->u, usw_div_up(f->n, CHUNK_KEYS), write_values, f);
    usw_report(f->u, "sort/hybrid", "%u values only: counted", f->values);
    return true;
}

/* ---- two runs ---- */

typedef struct merge_pass {
    const front *f;
    const usw_part_merge *merge;
    unsigned char *out;
    size_t na, pieces;
} merge_pass;

static void merge_piece(void *context, size_t i, unsigned lane)
{
    const merge_pass *m = context;
    const front *f = m->f;
    const unsigned char *a = f->keys, *b = f->keys + m->na * f->bytes;
    size_t nb = f->n - m->na, share = usw_div_up(f->n, m->pieces);
    size_t begin = usw_min(f->n, i * share), end = usw_min(f->n, begin + share);
    size_t a0 = m->merge->split[f->width](a, m->na, b, nb, begin);
    size_t a1 = m->merge->split[f->width](a, m->na, b, nb, end);
    (void)lane;
    m->merge->merge[f->width](a + a0 * f->bytes, a1 - a0, b + (begin - a0) * f->bytes,
                              end - a1 - (begin - a0), m->out + begin * f->bytes);
}

static void bring_back(void *context, size_t i, unsigned lane)
{
    const merge_pass *m = context;
    const front *f = m->f;
    size_t begin = i * CHUNK_KEYS, n = usw_min(CHUNK_KEYS, f->n - begin);
    (void)lane;
    f->part->unmap[f->width](f->keys + begin * f->bytes, m->out + begin * f->bytes, n,
                             &f->order->map);
}

static void map_forth(void *context, size_t i, unsigned lane)
{
    const front *f = context;
    unsigned char *at = f->keys + i * CHUNK_KEYS * f->bytes;
    (void)lane;
    f->part->map[f->width](at, at, usw_min(CHUNK_KEYS, f->n - i * CHUNK_KEYS), &f->order->map);
}

/* keys[0 .. run) is in order, rising or falling; is the rest one run as well? */
static bool merge_two_runs(front *f, size_t run, bool rising)
{
    unsigned char *rest = f->keys + run * f->bytes;
    size_t n = f->n - run;
    bool up = usw_first_break(f->u, rest, n, f->width, f->order, true) == n;
    if (!up && usw_first_break(f->u, rest, n, f->width, f->order, false) != n) {
        return false;
    }
    unsigned char *out = usw_scratch(f->u, f->n * f->bytes);
    if (out == NULL) {
        return false;
    }
    if (!rising) {
        reverse_keys(f, 0, run);
    }
    if (!up) {
        reverse_keys(f, run, n);
    }
    size_t chunks = usw_div_up(f->n, CHUNK_KEYS);
    merge_pass m = {f, USW_PICK(f->u->isa, usw_part_merge), out, run, 4 * (size_t)f->u->threads};
    if (!usw_keymap_is_identity(&f->order->map)) {
        usw_parallel(f->u, chunks, map_forth, f);
    }
    usw_parallel(f->u, m.pieces, merge_piece, &m);
    usw_parallel(f->u, chunks, bring_back, &m);
    usw_report(f->u, "sort/vmerge", "two runs, of %zu and %zu keys: merged", run, n);
    return true;
}

bool usw_sort_pattern(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      bool in_place)
{
    usw_key_order order = {*map, 0, 0};
    front f = {.u = u,
               .keys = keys,
               .n = n,
               .bytes = (size_t)1 << width,
               .width = width,
               .order = &order,
               .part = USW_PICK(u->isa, usw_part_keymap)};
    size_t rising = usw_first_break(u, keys, n, width, &order, true);
    if (rising == n) {
        usw_report(u, "sort/hybrid", "%zu keys, already in order", n);
        return true;
    }
    size_t falling = rising > n / 64 ? 1 : usw_first_break(u, keys, n, width, &order, false);
    if (falling == n) {
        reverse_keys(&f, 0, n);
        usw_report(u, "sort/hybrid", "%zu keys in falling order: reversed", n);
        return true;
    }
    size_t run = usw_max(rising, falling);
    if (!in_place && n >= FEW_FROM && run > n / 64 && merge_two_runs(&f, run, rising > falling)) {
        return true;
    }
    return width >= 2 && count_few(&f);
}

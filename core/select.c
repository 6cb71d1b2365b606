/* select.c - finding the k-th key: a sample gives a narrow band of keys in which it must almost
 * surely lie; the keys above the band are parted from the others, then those below it, and the
 * search goes on in what is left. The first step touches all keys, the second half of them.
 *
 * Parting is in place and goes by blocks, which are mapped to unsigned keys, parted by vectors and
 * mapped back while they lie in the cache. Then what stands on the wrong side of the border is
 * exchanged. There are so many blocks whatever the threads, so the outcome does not depend on them.
 *
 * A part that has not halved was split by a bad band. Then the band is made of one key of the
 * sample, which settles inputs with few different keys; if that does not help either, of the middle
 * third of the keys still possible, which bounds the number of passes by the bits of a key: O(n)
 * for any input.
 *
 * Source: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection" (1975). */
#include "select.h"

enum {
    SORT_BELOW = 512,       /* keys; so few are sorted */
    BLOCK_KEYS = 64 * 1024, /* at least, of a block */
    BLOCKS_MAX = 256,
    TRADE_BYTES = 256 * 1024, /* that one task exchanges */
    STRIP_BYTES = 1024
};

typedef struct select_job {
    upsweep *u;
    unsigned width; /* log2 of the bytes of a key */
    size_t bytes;
    const usw_keymap *map;
    bool plain;          /* the map changes nothing */
    unsigned char *keys; /* the part that is searched, n keys */
    size_t n;
    uint64_t least, greatest; /* mapped keys in the part lie between these */
    uint64_t low, high;       /* the band */
    /* one parting: */
    uint64_t limit; /* mapped: keys up to it go to the front */
    size_t block, blocks, total, trades;
    size_t front[BLOCKS_MAX]; /* how many of each block */
} select_job;

size_t usw_sample_keys(const upsweep *u, const void *keys, size_t n, const usw_keymap *map,
                       size_t wanted, uint64_t sample[USW_SAMPLE_MAX])
{
    size_t bytes = map->bits / 8;
    size_t count = usw_min(USW_SAMPLE_MAX, usw_max(wanted, usw_min(n, 64)));
    size_t stratum = n / count; /* one key out of each, anywhere in it */
    uint64_t random = n;
    for (size_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t at = i * stratum + (size_t)((random >> 33) * usw_min(stratum, UINT32_MAX) >> 31);
        sample[i] = usw_map_key(map, usw_load_raw((const char *)keys + at * bytes, bytes));
    }
    USW_PICK(u->isa, usw_part_vsort)->sort[3](sample, count);
    return count;
}

/* ---- parting ---- */

static void part_block(void *context, size_t b, unsigned lane)
{
    (void)lane;
    select_job *j = context;
    size_t at = b * j->block, n = usw_min(j->block, j->n - at);
    unsigned char *keys = j->keys + at * j->bytes, pivot[8];
    const usw_part_keymap *maps = USW_PICK(j->u->isa, usw_part_keymap);
    usw_store_raw(pivot, j->bytes, j->limit);
    if (!j->plain) {
        maps->map[j->width](keys, keys, n, j->map);
    }
    j->front[b] = USW_PICK(j->u->isa, usw_part_vsort)->partition[j->width](keys, n, pivot);
    if (!j->plain) {
        maps->unmap[j->width](keys, keys, n, j->map);
    }
}

/* A place among the keys that are on the wrong side: those before the border that belong behind it,
 * or the other way round. */
typedef struct cursor {
    const select_job *j;
    bool behind;
    size_t block, at, end; /* the current stretch */
} cursor;

/* The stretch of block b: where in the part its wrong keys are. */
static void set_stretch(cursor *c, size_t b)
{
    const select_job *j = c->j;
    size_t start = b * j->block, middle = start + j->front[b];
    size_t end = usw_min(start + j->block, j->n);
    c->block = b;
    c->at = c->behind ? usw_max(start, j->total) : middle;
    c->end = c->behind ? middle : usw_min(end, j->total);
    c->end = usw_max(c->end, c->at);
}

static cursor cursor_at(const select_job *j, bool behind, size_t skip)
{
    cursor c = {.j = j, .behind = behind};
    for (size_t b = 0;; b++) {
        set_stretch(&c, b);
        if (skip < c.end - c.at || b + 1 == j->blocks) {
            c.at += usw_min(skip, c.end - c.at);
            return c;
        }
        skip -= c.end - c.at;
    }
}

static void exchange(unsigned char *x, unsigned char *y, size_t bytes)
{
    unsigned char strip[STRIP_BYTES];
    for (size_t i = 0; i < bytes; i += STRIP_BYTES) {
        size_t n = usw_min(bytes - i, STRIP_BYTES);
        memcpy(strip, x + i, n);
        memcpy(x + i, y + i, n);
        memcpy(y + i, strip, n);
    }
}

static void trade(void *context, size_t t, unsigned lane)
{
    (void)lane;
    const select_job *j = context;
    size_t each = TRADE_BYTES / j->bytes, left = usw_min(each, j->trades - t * each);
    cursor x = cursor_at(j, false, t * each), y = cursor_at(j, true, t * each);
    while (left > 0) {
        size_t n = usw_min(left, usw_min(x.end - x.at, y.end - y.at));
        exchange(j->keys + x.at * j->bytes, j->keys + y.at * j->bytes, n * j->bytes);
        x.at += n;
        y.at += n;
        left -= n;
        if (x.at == x.end && left > 0) {
            set_stretch(&x, x.block + 1);
        }
        if (y.at == y.end && left > 0) {
            set_stretch(&y, y.block + 1);
        }
    }
}

/* Moves the keys up to limit, mapped, to the front of the part and returns how many they are. */
static size_t part_keys(select_job *j, uint64_t limit)
{
    j->limit = limit;
    j->block = usw_max(BLOCK_KEYS, usw_div_up(j->n, BLOCKS_MAX));
    j->blocks = usw_div_up(j->n, j->block);
    usw_parallel(j->u, j->blocks, part_block, j);
    j->total = j->trades = 0;
    for (size_t b = 0; b < j->blocks; b++) {
        j->total += j->front[b];
    }
    for (size_t b = 0; b < j->blocks; b++) {
        cursor c = {.j = j};
        set_stretch(&c, b);
        j->trades += c.end - c.at;
    }
    usw_parallel(j->u, usw_div_up(j->trades * j->bytes, TRADE_BYTES), trade, j);
    return j->total;
}

/* ---- searching ---- */

/* attempt 0: a band around the k-th of the sample; 1: that key alone; 2: the middle third. */
static void choose_band(select_job *j, size_t k, unsigned attempt)
{
    if (attempt > 1) {
        uint64_t third = (j->greatest - j->least) / 3;
        j->low = j->least + third;
        j->high = third == 0 ? j->least : j->greatest - third;
        return;
    }
    uint64_t sample[USW_SAMPLE_MAX];
    size_t count = usw_sample_keys(j->u, j->keys, j->n, j->map, j->n / 256, sample);
    size_t rank = (size_t)((double)k / (double)j->n * (double)count), gap = 0;
    rank = usw_min(rank, count - 1);
    while (attempt == 0 && gap * gap < count) { /* two deviations for the middle ranks */
        gap++;
    }
    if (attempt == 1) {
        j->low = j->high = sample[rank];
        return;
    }
    j->low = rank < gap ? j->least : sample[rank - gap];
    j->high = rank + gap >= count ? j->greatest : sample[rank + gap];
}

/* Goes on with the first `front` keys, none above limit, or with the others, whichever has the
 * k-th; returns its rank there. */
static size_t keep_side(select_job *j, size_t k, uint64_t limit, size_t front)
{
    if (k < front) {
        j->n = front;
        j->greatest = limit;
        return k;
    }
    j->keys += front * j->bytes;
    j->n -= front;
    j->least = limit + 1;
    return k - front;
}

/* Cuts off what is above the band, or what is below it; returns the new rank. */
static size_t cut(select_job *j, size_t k, bool above)
{
    bool useful = above ? j->high >= j->least && j->high < j->greatest
                        : j->low > j->least && j->low <= j->greatest;
    uint64_t limit = above ? j->high : j->low - 1;
    return useful ? keep_side(j, k, limit, part_keys(j, limit)) : k;
}

static void sort_part(const select_job *j)
{
    const usw_part_keymap *keymap = USW_PICK(j->u->isa, usw_part_keymap);
    keymap->map[j->width](j->keys, j->keys, j->n, j->map);
    USW_PICK(j->u->isa, usw_part_vsort)->sort[j->width](j->keys, j->n);
    keymap->unmap[j->width](j->keys, j->keys, j->n, j->map);
}

void usw_select(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map)
{
    select_job j = {.u = u, .bytes = map->bits / 8, .map = map, .keys = keys, .n = n};
    j.width = usw_log2_up(j.bytes);
    j.plain = usw_keymap_is_identity(map);
    j.greatest = UINT64_MAX >> (64 - map->bits);
    unsigned attempt = 0;
    while (j.n > SORT_BELOW && j.bytes > 1) { /* bytes are sorted by counting */
        size_t before = j.n;
        choose_band(&j, k, attempt);
        bool above = k < j.n / 2; /* the larger side first */
        k = cut(&j, k, above);
        k = cut(&j, k, !above);
        if (j.least == j.greatest) {
            return; /* all keys that are left are equal */
        }
        attempt = j.n <= before / 2 ? 0 : attempt + 1;
    }
    sort_part(&j);
}

/* select.c - finding the k-th key: a sample gives a narrow band of keys in which it must almost
 * surely lie; one pass splits the keys into those below, within and above the band, and the search
 * goes on in one part, mostly the small one within.
 *
 * Splitting is stable and goes by blocks: every block is counted and split into scratch by one
 * task, and when all counts are known the three pieces of each are copied to their places. So the
 * outcome depends neither on the threads nor on the instruction set.
 *
 * A part that has not halved was split by a bad band. Then the band is made of one key of the
 * sample, which settles inputs with few different keys; if that does not help either, of the middle
 * third of the keys still possible, which bounds the number of passes by the bits of a key: O(n)
 * for any input.
 *
 * Source: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection" (1975). */
#include "select.h"

enum { SORT_BELOW = 4096 }; /* keys; so few are sorted */

typedef struct select_job {
    upsweep *u;
    const usw_part_select *part;
    unsigned width; /* log2 of the bytes of a key */
    size_t bytes;
    const usw_keymap *map;
    unsigned char *keys; /* the part that is searched, n keys */
    size_t n;
    uint64_t least, greatest; /* mapped keys in the part lie between these */
    uint64_t low, high;       /* the band */
    unsigned char *spare;
    size_t (*counts)[2]; /* of each block; then where its first and second piece go */
    size_t totals[2];
} select_job;

usw_select_scratch usw_select_take(upsweep *u, size_t n, size_t key_bytes)
{
    usw_select_scratch s = {NULL, NULL};
    if (n > SORT_BELOW) {
        s.spare = usw_scratch(u, n * key_bytes);
        s.counts = usw_scratch(u, usw_div_up(n, USW_SELECT_BLOCK) * sizeof *s.counts);
    }
    return s.spare == NULL || s.counts == NULL ? (usw_select_scratch){NULL, NULL} : s;
}

size_t usw_sample_keys(const upsweep *u, const void *keys, size_t n, const usw_keymap *map,
                       uint64_t sample[USW_SAMPLE_MAX])
{
    size_t bytes = map->bits / 8, count = usw_min(USW_SAMPLE_MAX, usw_max(n / 64, 1));
    size_t stratum = n / count; /* one key out of each, anywhere in it */
    uint64_t random = n;
    for (size_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t at = i * stratum + (size_t)((random >> 33) % stratum);
        sample[i] = usw_map_key(map, usw_load_raw((const char *)keys + at * bytes, bytes));
    }
    USW_PICK(u->isa, usw_part_vsort)->sort[3](sample, count);
    return count;
}

static size_t block_keys(const select_job *j, size_t block)
{
    return usw_min(USW_SELECT_BLOCK, j->n - block * USW_SELECT_BLOCK);
}

static void split_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const select_job *j = context;
    size_t at = block * USW_SELECT_BLOCK * j->bytes, n = block_keys(j, block);
    j->part->count[j->width](j->keys + at, n, j->map, j->low, j->high, j->counts[block]);
    j->part->split[j->width](j->keys + at, n, j->map, j->low, j->high, j->counts[block],
                             j->spare + at);
}

/* Copies the three pieces of a block; counts hold where the first two go, and the third follows
 * from how many keys there are before the block. */
static void place_block(void *context, size_t block, unsigned lane)
{
    (void)lane;
    const select_job *j = context;
    size_t blocks = usw_div_up(j->n, USW_SELECT_BLOCK), before = block * USW_SELECT_BLOCK;
    const size_t *here = j->counts[block], *next = j->counts[block + 1];
    bool last = block + 1 == blocks;
    size_t n = block_keys(j, block);
    size_t below = (last ? j->totals[0] : next[0]) - here[0];
    size_t within = (last ? j->totals[1] : next[1]) - here[1];
    size_t above_at = j->totals[1] + before - here[0] - (here[1] - j->totals[0]);
    const unsigned char *from = j->spare + before * j->bytes;
    memcpy(j->keys + here[0] * j->bytes, from, below * j->bytes);
    memcpy(j->keys + here[1] * j->bytes, from + below * j->bytes, within * j->bytes);
    memcpy(j->keys + above_at * j->bytes, from + (below + within) * j->bytes,
           (n - below - within) * j->bytes);
}

/* Splits the part by the band; totals get the keys below, and those not above. */
static void split_part(select_job *j)
{
    size_t blocks = usw_div_up(j->n, USW_SELECT_BLOCK), below = 0, within = 0;
    usw_parallel(j->u, blocks, split_block, j);
    for (size_t b = 0; b < blocks; b++) {
        size_t less = j->counts[b][0], more = j->counts[b][1] - less;
        j->counts[b][0] = below;
        j->counts[b][1] = within;
        below += less;
        within += more;
    }
    for (size_t b = 0; b < blocks; b++) {
        j->counts[b][1] += below;
    }
    j->totals[0] = below;
    j->totals[1] = below + within;
    usw_parallel(j->u, blocks, place_block, j);
}

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
    size_t count = usw_sample_keys(j->u, j->keys, j->n, j->map, sample);
    size_t rank = (size_t)((double)k / (double)j->n * (double)count), gap = 0;
    rank = usw_min(rank, count - 1);
    while (attempt == 0 && gap * gap < 2 * count) { /* three deviations for the middle ranks */
        gap++;
    }
    if (attempt == 1) {
        j->low = j->high = sample[rank];
        return;
    }
    j->low = rank < gap ? j->least : sample[rank - gap];
    j->high = rank + gap >= count ? j->greatest : sample[rank + gap];
}

static void sort_part(const select_job *j)
{
    const usw_part_keymap *keymap = USW_PICK(j->u->isa, usw_part_keymap);
    keymap->map[j->width](j->keys, j->keys, j->n, j->map);
    USW_PICK(j->u->isa, usw_part_vsort)->sort[j->width](j->keys, j->n);
    keymap->unmap[j->width](j->keys, j->keys, j->n, j->map);
}

void usw_select(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map,
                usw_select_scratch scratch)
{
    select_job j = {.u = u, .part = USW_PICK(u->isa, usw_part_select), .bytes = map->bits / 8};
    j.width = usw_log2_up(j.bytes);
    j.map = map;
    j.keys = keys;
    j.n = n;
    j.greatest = UINT64_MAX >> (64 - map->bits);
    j.spare = scratch.spare;
    j.counts = scratch.counts;
    unsigned attempt = 0;
    while (j.spare != NULL && j.n > SORT_BELOW) {
        choose_band(&j, k, attempt);
        split_part(&j);
        size_t begin = 0, end = j.totals[0], before = j.n;
        if (k >= j.totals[1]) {
            begin = j.totals[1];
            end = j.n;
            j.least = j.high + 1;
        } else if (k >= j.totals[0]) {
            if (j.low == j.high) {
                return; /* all keys in the band are equal */
            }
            begin = j.totals[0];
            end = j.totals[1];
            j.least = j.low;
            j.greatest = j.high;
        } else {
            j.greatest = j.low - 1;
        }
        j.keys += begin * j.bytes;
        k -= begin;
        j.n = end - begin;
        attempt = j.n <= before / 2 ? 0 : attempt + 1;
    }
    sort_part(&j);
}

/* sort_by.c - the stable merge sort by a caller's order, by all threads.
 *
 * The array is cut into chunks; each is sorted by one thread (merge_sort.h). Then neighbours are
 * merged in rounds, array to scratch and back. Every merge of a round is cut into pieces of equal
 * output by merge path: where piece k begins in a and in b is found by a binary search on the
 * diagonal, so that the last merge keeps all threads as busy as the first. Neighbours that are in
 * order already, or wholly exchanged, cost one or two compares; a round in which all neighbours are
 * in order moves nothing. If compare contradicts itself the result is still a permutation, since
 * each search starts at the cut before it, so that the pieces tile both runs.
 *
 * Elements over 64 bytes are sorted by pointer and moved once. If there is no scratch for that, or
 * the caller wants it in place, chunks are sorted and merged with a buffer of up to 1 MB a thread.
 *
 * Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge path" (2012). */
/* SPDX-License-Identifier: MIT */
#include "cpu/merging/merging.h"
#include "cpu/merging/merge_sort.h"

enum {
    CHUNK_MIN = 2048,      /* elements; below, threads do not pay */
    DIRECT_BYTES_MAX = 64, /* larger elements are sorted by pointer */
    PIECES_A_THREAD = 4,
    IN_PLACE_BYTES = 1 << 20, /* of a thread's buffer */
    MOVE_BYTES = 1 << 18      /* of one task of a copy */
};

typedef enum pair_order { IN_ORDER, EXCHANGED, MIXED } pair_order;

typedef struct job {
    upsweep_compare compare;
    void *context;
    bool by_pointer; /* as in usw_sorter */
    bool in_place;
    size_t n, bytes, chunks;
    unsigned char *base, *scratch;
    usw_shares buffers;   /* in place: lane_elements elements a lane */
    size_t lane_elements; /* in place: elements of scratch that each lane has */
    /* Of the round of merges that runs: */
    unsigned char *from, *to;
    size_t width;  /* chunks in a sorted run */
    size_t pieces; /* in which each merge is cut */
    size_t *cuts;  /* [pair][pieces + 1] how many of the left run come before the cut */
    pair_order *orders;
} job;

static size_t chunk_start(const job *j, size_t i)
{
    size_t longer = j->n % j->chunks; /* the first `longer` chunks have one element more */
    return j->n / j->chunks * i + usw_min(i, longer);
}

static void merge_sort(usw_sorter s, unsigned char *base, size_t n, size_t bytes)
{
    if (s.by_pointer) {
        USW_ROUTE_OF("sorted: pointers", USW_NO_TYPES);
        usw_merge_sort(s, base, n, sizeof(void *));
        return;
    }
    s.by_pointer = false; /* a constant from here on */
    switch (bytes) {
    case 4:
        USW_ROUTE_OF("sorted: 4 bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, 4);
        break;
    case 8:
        USW_ROUTE_OF("sorted: 8 bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, 8);
        break;
    case 16:
        USW_ROUTE_OF("sorted: 16 bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, 16);
        break;
    case 24:
        USW_ROUTE_OF("sorted: 24 bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, 24);
        break;
    case 32:
        USW_ROUTE_OF("sorted: 32 bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, 32);
        break;
    default:
        USW_ROUTE_OF("sorted: any bytes", USW_NO_TYPES);
        usw_merge_sort(s, base, n, bytes);
        break;
    }
}

static void merge_runs(usw_sorter s, unsigned char *out, const unsigned char *a, size_t na,
                       const unsigned char *b, size_t nb, size_t bytes)
{
    if (s.by_pointer) {
        USW_ROUTE_OF("merged: pointers", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, sizeof(void *));
        return;
    }
    s.by_pointer = false;
    switch (bytes) {
    case 4:
        USW_ROUTE_OF("merged: 4 bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, 4);
        break;
    case 8:
        USW_ROUTE_OF("merged: 8 bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, 8);
        break;
    case 16:
        USW_ROUTE_OF("merged: 16 bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, 16);
        break;
    case 24:
        USW_ROUTE_OF("merged: 24 bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, 24);
        break;
    case 32:
        USW_ROUTE_OF("merged: 32 bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, 32);
        break;
    default:
        USW_ROUTE_OF("merged: any bytes", USW_NO_TYPES);
        usw_merge_halves(s, out, a, na, b, nb, bytes);
        break;
    }
}

static usw_sorter sorter_of(const job *j, unsigned char *buffer, size_t elements)
{
    return (usw_sorter){j->compare, j->context, elements == 0 ? NULL : buffer, elements,
                        j->by_pointer};
}

static usw_sorter sorter_in_place(const job *j, unsigned lane)
{
    return sorter_of(j, j->lane_elements == 0 ? NULL : usw_share(&j->buffers, lane),
                     j->lane_elements);
}

static void sort_chunk(void *context, size_t i, unsigned lane)
{
    const job *j = context;
    size_t start = chunk_start(j, i), n = chunk_start(j, i + 1) - start;
    usw_sorter s =
        j->in_place ? sorter_in_place(j, lane) : sorter_of(j, j->scratch + start * j->bytes, n);
    merge_sort(s, j->base + start * j->bytes, n, j->bytes);
}

typedef struct pair {
    const unsigned char *a, *b;
    size_t na, nb, start;
} pair;

static pair pair_of(const job *j, size_t i)
{
    size_t start = chunk_start(j, 2 * i * j->width),
           middle = chunk_start(j, (2 * i + 1) * j->width);
    size_t end = chunk_start(j, (2 * i + 2) * j->width);
    return (pair){j->from + start * j->bytes, j->from + middle * j->bytes, middle - start,
                  end - middle, start};
}

static pair_order order_of(const job *j, const pair *p)
{
    const unsigned char *a_last = p->b - j->bytes, *b_last = p->b + (p->nb - 1) * j->bytes;
    usw_sorter s = sorter_of(j, NULL, 0);
    return !usw_before(s, p->b, a_last)  ? IN_ORDER
           : usw_before(s, b_last, p->a) ? EXCHANGED
                                         : MIXED;
}

static size_t piece_start(const job *j, const pair *p, size_t i)
{
    size_t n = p->na + p->nb;
    return n / j->pieces * i + usw_min(i, n % j->pieces);
}

static void cut_pair(const job *j, size_t i)
{
    USW_ROUTE_OF("merges are cut in pieces", USW_NO_TYPES);
    pair p = pair_of(j, i);
    usw_sorter s = sorter_of(j, NULL, 0);
    size_t *cuts = j->cuts + i * (j->pieces + 1);
    cuts[0] = 0;
    for (size_t c = 1; c <= j->pieces; c++) {
        size_t k = piece_start(j, &p, c), step = k - piece_start(j, &p, c - 1);
        size_t low = usw_max(cuts[c - 1], k > p.nb ? k - p.nb : 0);
        size_t high = usw_min(cuts[c - 1] + step, p.na);
        cuts[c] = j->orders[i] == IN_ORDER    ? high
                  : j->orders[i] == EXCHANGED ? low
                                              : usw_merge_cut(s, p.a, p.b, k, low, high, j->bytes);
    }
}

static void merge_piece(void *context, size_t task, unsigned lane)
{
    (void)lane;
    const job *j = context;
    size_t i = task / j->pieces, c = task % j->pieces, bytes = j->bytes;
    pair p = pair_of(j, i);
    const size_t *cuts = j->cuts + i * (j->pieces + 1);
    size_t k0 = piece_start(j, &p, c), k1 = piece_start(j, &p, c + 1);
    size_t na = cuts[c + 1] - cuts[c], nb = k1 - k0 - na;
    const unsigned char *a = p.a + cuts[c] * bytes, *b = p.b + (k0 - cuts[c]) * bytes;
    unsigned char *out = j->to + (p.start + k0) * bytes;
    if (j->orders[i] == MIXED) {
        usw_sorter s = sorter_of(j, NULL, 0);
        merge_runs(s, out, a, na, b, nb, bytes);
        return;
    }
    USW_ROUTE_IF(j->orders[i] == IN_ORDER, "a pair in order is copied", USW_NO_TYPES);
    USW_ROUTE_IF(j->orders[i] == EXCHANGED, "an exchanged pair is copied", USW_NO_TYPES);
    size_t a_at = j->orders[i] == IN_ORDER ? 0 : nb, b_at = j->orders[i] == IN_ORDER ? na : 0;
    memcpy(out + a_at * bytes, a, na * bytes);
    memcpy(out + b_at * bytes, b, nb * bytes);
}

static size_t pieces_for(const upsweep *u, size_t pairs)
{
    return usw_max(1, (size_t)PIECES_A_THREAD * u->threads / pairs);
}

static void merge_rounds(upsweep *u, job *j)
{
    j->from = j->base;
    j->to = j->scratch;
    for (j->width = 1; j->width < j->chunks; j->width *= 2) {
        size_t pairs = j->chunks / (2 * j->width);
        bool moves = false;
        for (size_t i = 0; i < pairs; i++) {
            pair p = pair_of(j, i);
            j->orders[i] = order_of(j, &p);
            moves |= j->orders[i] != IN_ORDER;
        }
        if (!moves) {
            USW_ROUTE_OF("a round in which nothing moves", USW_NO_TYPES);
            continue;
        }
        j->pieces = pieces_for(u, pairs);
        for (size_t i = 0; i < pairs; i++) {
            cut_pair(j, i);
        }
        usw_parallel(u, pairs * j->pieces, merge_piece, j);
        unsigned char *done = j->to;
        j->to = j->from;
        j->from = done;
    }
}

typedef struct copy_job {
    unsigned char *to;
    const unsigned char *from;
    unsigned char *const *pointers; /* not NULL: element i comes from pointers[i] */
    size_t n, bytes, step;
} copy_job;

static void copy_piece(void *context, size_t i, unsigned lane)
{
    (void)lane;
    const copy_job *c = context;
    size_t start = i * c->step, end = usw_min(start + c->step, c->n);
    if (c->pointers == NULL) {
        memcpy(c->to + start * c->bytes, c->from + start * c->bytes, (end - start) * c->bytes);
        return;
    }
    for (size_t k = start; k < end; k++) {
        memcpy(c->to + k * c->bytes, c->pointers[k], c->bytes);
    }
}

static void copy_all(upsweep *u, copy_job c)
{
    USW_ROUTE_OF("copied back or by pointers", USW_NO_TYPES);
    c.step = usw_max(1, MOVE_BYTES / c.bytes);
    usw_parallel(u, usw_div_up(c.n, c.step), copy_piece, &c);
}

/* A power of 4, so that an even number of rounds brings the elements back to the array. */
static size_t chunks_for(const upsweep *u, size_t n)
{
    size_t chunks = 1;
    while (u->threads > 1 && chunks < 4 * (size_t)u->threads && n / (chunks * 4) >= CHUNK_MIN) {
        chunks *= 4;
    }
    return chunks;
}

/* False, with nothing done, if there is no scratch for n elements. */
static bool sort_with_scratch(upsweep *u, job *j)
{
    j->chunks = chunks_for(u, j->n);
    size_t pairs = j->chunks / 2;
    size_t cuts = 2 * pairs + PIECES_A_THREAD * (size_t)u->threads;
    if (j->scratch == NULL) {
        j->scratch = usw_scratch(u, j->n * j->bytes);
    }
    j->cuts = usw_scratch(u, cuts * sizeof *j->cuts);
    j->orders = usw_scratch(u, (pairs + 1) * sizeof *j->orders);
    if (j->scratch == NULL || j->cuts == NULL || j->orders == NULL) {
        return false;
    }
    usw_parallel(u, j->chunks, sort_chunk, j);
    merge_rounds(u, j);
    if (j->from != j->base) {
        USW_ROUTE_OF("the result is in the scratch", USW_NO_TYPES);
        copy_all(u, (copy_job){j->base, j->from, NULL, j->n, j->bytes, 0});
    }
    return true;
}

static void merge_in_place(void *context, size_t i, unsigned lane)
{
    USW_ROUTE_OF("merged in place", USW_NO_TYPES);
    const job *j = context;
    size_t start = chunk_start(j, 2 * i * j->width),
           middle = chunk_start(j, (2 * i + 1) * j->width);
    size_t end = chunk_start(j, (2 * i + 2) * j->width);
    usw_sorter s = sorter_in_place(j, lane);
    usw_merge_in_place(s, j->base + start * j->bytes, middle - start, end - middle, j->bytes);
}

static void sort_in_place(upsweep *u, job *j)
{
    size_t elements = usw_min(usw_scratch_left(u) / u->threads, IN_PLACE_BYTES) / j->bytes;
    j->in_place = true;
    j->lane_elements = usw_min(elements, j->n);
    j->buffers.at = NULL;
    while (j->lane_elements != 0 && j->buffers.at == NULL) {
        j->buffers = usw_scratch_shares(u, u->threads, j->lane_elements * j->bytes);
        j->lane_elements = j->buffers.at == NULL ? j->lane_elements / 2 : j->lane_elements;
    }
    j->chunks = chunks_for(u, j->n);
    usw_parallel(u, j->chunks, sort_chunk, j);
    for (j->width = 1; j->width < j->chunks; j->width *= 2) {
        usw_parallel(u, j->chunks / (2 * j->width), merge_in_place, j);
    }
}

static bool sort_pointers(upsweep *u, job *j)
{
    unsigned char **pointers = usw_scratch(u, j->n * sizeof *pointers);
    unsigned char *copy = usw_scratch(u, j->n * j->bytes);
    if (pointers == NULL || copy == NULL) {
        return false;
    }
    for (size_t i = 0; i < j->n; i++) {
        pointers[i] = j->base + i * j->bytes;
    }
    job pointed = {.compare = j->compare,
                   .context = j->context,
                   .by_pointer = true,
                   .n = j->n,
                   .bytes = sizeof *pointers,
                   .base = (unsigned char *)pointers,
                   .scratch = copy};
    if (!sort_with_scratch(u, &pointed)) {
        return false;
    }
    copy_all(u, (copy_job){copy, NULL, pointers, j->n, j->bytes, 0});
    copy_all(u, (copy_job){j->base, copy, NULL, j->n, j->bytes, 0});
    return true;
}

void usw_sort_by(upsweep *u, void *base, size_t n, size_t bytes, upsweep_compare compare,
                 void *context, bool in_place)
{
    if (n < 2) {
        return;
    }
    job j = {.compare = compare, .context = context, .n = n, .bytes = bytes, .base = base};
    usw_mark mark = usw_scratch_mark(u);
    bool done =
        !in_place && (bytes > DIRECT_BYTES_MAX ? sort_pointers(u, &j) : sort_with_scratch(u, &j));
    if (!done) {
        USW_ROUTE_OF("in place", USW_NO_TYPES);
        usw_scratch_reset(u, mark);
        sort_in_place(u, &j);
    }
    usw_scratch_reset(u, mark);
}

/* ---- keys by a range of their bits ---- */

typedef struct bit_order {
    usw_keymap map;
    unsigned left, right;
} bit_order;

static int compare_bits(const void *a, const void *b, void *context)
{
    const bit_order *o = context;
    size_t bytes = o->map.bits / 8;
    uint64_t x = usw_map_key(&o->map, usw_load_raw(a, bytes)) << o->left >> o->right;
    uint64_t y = usw_map_key(&o->map, usw_load_raw(b, bytes)) << o->left >> o->right;
    return (x > y) - (x < y);
}

void usw_sort_bits_in_place(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                            unsigned bit_begin, unsigned bit_end)
{
    bit_order order = {*map, 64 - bit_end, 64 - bit_end + bit_begin};
    usw_sort_by(u, keys, n, map->bits / 8, compare_bits, &order, true);
}

/* pair_pieces.c - merges keys in order with loose keys, and what they carry, in place.
 *
 * It is known which key each loose one comes before. Between two such keys and the holes that loose
 * keys leave, pairs stay together: a block, which moves right by as many places as there are more
 * loose keys than holes before it. Of neighbours that move right the last goes first, of such as
 * move left the first: so none is overwritten before it has moved, and a loose pair, which was
 * copied aside, finds its place free. A block that keeps its place is not touched.
 * A thread takes a piece of the array; what of it lies where another piece goes is saved before. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pair_weave.h"

enum {
    PIECES = 2,         /* for each thread */
    SAVE_SHARE = 4,     /* at most n / SAVE_SHARE pairs are saved */
    AHEAD = 4096,       /* bytes that are asked for ahead where pairs move right, */
    FAR_BYTES = 2 << 20 /* of an array that is not in a core's own cache */
};

/* A place in the array between two pairs; how many holes and loose keys come before. */
typedef struct place {
    size_t at, hole, loose;
} place;

typedef struct piece {
    place begin, end;
    size_t head, tail; /* pairs before head and from tail on are saved */
    unsigned char *saved[2];
} piece;

typedef struct pieces {
    const usw_pair_weave *w;
    piece *piece;
    size_t count;
} pieces;

/* ---- pieces ---- */

static place place_of(const usw_pair_weave *w, size_t i)
{
    const usw_pair_stretches *s = w->s;
    if (i == s->n) {
        return (place){i, s->loose, s->loose};
    }
    return (place){i, usw_count_below(s->in_order, s->loose, i),
                   usw_count_below(w->before, s->loose, i)};
}

static size_t result_of(place x)
{
    return x.at + x.loose - x.hole;
}

/* Cuts the array into pieces; returns how many pairs are to be saved. */
static size_t cut(pieces *all, size_t most)
{
    size_t n = all->w->s->n, share = usw_div_up(n, most), saved = 0;
    all->count = usw_div_up(n, share);
    for (size_t c = 0; c < all->count; c++) {
        piece *p = &all->piece[c];
        size_t begin = c * share, end = usw_min(n, begin + share);
        *p = (piece){.end = place_of(all->w, end)};
        if (c > 0) {
            p->begin = p[-1].end;
        }
        p->head = usw_min(end, usw_max(begin, result_of(p->begin)));
        p->tail = usw_max(p->head, usw_min(end, usw_max(begin, result_of(p->end))));
        saved += p->head - begin + end - p->tail;
    }
    return saved;
}

/* Takes scratch for what is saved; false: there is none. */
static bool take_pieces(pieces *all)
{
    const usw_pair_stretches *s = all->w->s;
    size_t most = s->u->threads > 1 ? PIECES * (size_t)s->u->threads : 1, limit = s->n / SAVE_SHARE;
    all->piece = usw_scratch(s->u, most * sizeof *all->piece);
    if (all->piece == NULL) {
        return false;
    }
    size_t pairs = cut(all, most);
    for (; pairs > limit && most > 1; most /= 2) {
        pairs = cut(all, most / 2);
    }
    for (unsigned k = 0; k < 2; k++) {
        const usw_pair_array *a = &all->w->array[k];
        bool saves = usw_is_in_place(a) && pairs > 0;
        unsigned char *saved = saves ? usw_scratch(s->u, pairs * a->bytes) : NULL;
        if (saves && saved == NULL) {
            return false;
        }
        for (size_t c = 0; c < all->count && saves; c++) {
            piece *p = &all->piece[c];
            p->saved[k] = saved;
            saved += (p->head - p->begin.at + p->end.at - p->tail) * a->bytes;
        }
    }
    return true;
}

static void save_piece(void *context, size_t c, unsigned lane)
{
    const pieces *all = context;
    const piece *p = &all->piece[c];
    (void)lane;
    for (unsigned k = 0; k < 2; k++) {
        const usw_pair_array *a = &all->w->array[k];
        if (p->saved[k] != NULL) {
            size_t head = (p->head - p->begin.at) * a->bytes;
            memcpy(p->saved[k], a->from + p->begin.at * a->bytes, head);
            memcpy(p->saved[k] + head, a->from + p->tail * a->bytes,
                   (p->end.at - p->tail) * a->bytes);
        }
    }
}

/* ---- one block ---- */

/* Elements [begin, end) of an array that is sorted in place go to `to`. What was not saved goes
 * first, since what was saved may go to where it lies. */
static void move_within(const usw_pair_weave *w, const piece *p, unsigned k, size_t begin,
                        size_t end, unsigned char *to)
{
    const usw_pair_array *a = &w->array[k];
    bool far = w->s->n * a->bytes >= FAR_BYTES;
    size_t b = a->bytes, head = usw_min(end, usw_max(begin, p->head));
    size_t tail = usw_max(head, usw_min(end, usw_max(begin, p->tail)));
    size_t first = begin * b, last = far && to > a->from + first && first > AHEAD ? end * b : 0;
    for (size_t i = first; i < last; i += 64) { /* backwards no processor looks far ahead */
        __builtin_prefetch(a->from + i - AHEAD, 1);
    }
    memmove(to + (head - begin) * b, a->from + head * b, (tail - head) * b);
    if (head > begin) {
        memcpy(to, p->saved[k] + (begin - p->begin.at) * b, (head - begin) * b);
    }
    if (tail < end) {
        size_t saved = p->head - p->begin.at + tail - p->tail;
        memcpy(to + (tail - begin) * b, p->saved[k] + saved * b, (end - tail) * b);
    }
}

/* The block [begin, end) of the array goes to place `at`. */
static void move_block(const usw_pair_weave *w, const piece *p, size_t begin, size_t end, size_t at)
{
    usw_put_pairs(w, begin, end, at);
    for (unsigned k = 0; k < 2 && at != begin; k++) {
        if (usw_is_in_place(&w->array[k])) {
            move_within(w, p, k, begin, end, w->array[k].to + at * w->array[k].bytes);
        }
    }
}

/* ---- the ways of a piece ---- */

/* From x on to the end of a block, or over what stands there: a loose key's place or a hole. */
static place step(const usw_pair_weave *w, const piece *p, place x)
{
    const size_t *hole = w->s->in_order, *before = w->before;
    size_t next = p->end.at;
    next = x.hole < p->end.hole ? usw_min(next, hole[x.hole]) : next;
    next = x.loose < p->end.loose ? usw_min(next, before[x.loose]) : next;
    if (next > x.at) {
        return (place){next, x.hole, x.loose};
    }
    bool loose = x.loose < p->end.loose && before[x.loose] == x.at;
    return loose ? (place){x.at, x.hole, x.loose + 1} : (place){x.at + 1, x.hole + 1, x.loose};
}

/* The step before x, which begins at `first` or behind it. */
static place step_back(const usw_pair_weave *w, place first, place x)
{
    const size_t *hole = w->s->in_order, *before = w->before;
    size_t last = first.at;
    last = x.hole > first.hole ? usw_max(last, hole[x.hole - 1] + 1) : last;
    last = x.loose > first.loose ? usw_max(last, before[x.loose - 1]) : last;
    if (last < x.at) {
        return (place){last, x.hole, x.loose};
    }
    bool loose = x.loose > first.loose && before[x.loose - 1] == x.at;
    return loose ? (place){x.at, x.hole, x.loose - 1} : (place){x.at - 1, x.hole - 1, x.loose};
}

/* Writes what lies between two places one step apart. */
static void write_step(const usw_pair_weave *w, const piece *p, place x, place y)
{
    if (y.loose > x.loose) {
        usw_put_loose(w, x.loose, result_of(x));
    } else if (y.hole == x.hole) {
        move_block(w, p, x.at, y.at, result_of(x));
    }
}

static bool is_end(place x, place end)
{
    return x.at == end.at && x.hole == end.hole && x.loose == end.loose;
}

static void weave_piece(void *context, size_t c, unsigned lane)
{
    const pieces *all = context;
    const usw_pair_weave *w = all->w;
    const piece *p = &all->piece[c];
    (void)lane;
    for (place x = p->begin, first = x; !is_end(x, p->end); first = x) {
        while (!is_end(x, p->end) && result_of(x) <= x.at) {
            place y = step(w, p, x);
            if (result_of(y) > y.at) {
                break; /* the first loose key before keys that move right */
            }
            USW_ROUTE_IF(result_of(x) < x.at, "pairs move left", USW_WIDE_TYPES);
            write_step(w, p, x, y);
            first = x = y;
        }
        while (!is_end(x, p->end) && (result_of(x) > x.at || is_end(x, first))) {
            x = step(w, p, x);
        }
        USW_ROUTE_IF(!is_end(x, first), "pairs move right", USW_WIDE_TYPES);
        for (place y = x; !is_end(y, first);) {
            place z = step_back(w, first, y);
            write_step(w, p, z, y);
            y = z;
        }
    }
}

bool usw_weave_pieces(usw_pair_weave *w)
{
    pieces all = {.w = w};
    if (!take_pieces(&all)) {
        return false;
    }
    usw_parallel(w->s->u, all.count, save_piece, &all);
    usw_parallel(w->s->u, all.count, weave_piece, &all);
    return true;
}

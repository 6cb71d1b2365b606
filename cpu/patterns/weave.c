/* weave.c - merges one long run with loose keys, in place, so that every key moves once.
 *
 * Each stretch of the run, with the loose keys that belong between its keys, has its place in the
 * result, which is mostly where it lies already or a little off. A thread takes a piece of the run:
 * stretch after stretch is copied to a buffer in the thread's cache, and merged from there to its
 * place. A stretch whose keys lie at the place of the one before it is copied first, too; so a
 * piece goes from its end to its beginning where keys move right, and the other way where they move
 * left. Keys of a piece where the result of another piece will be are saved before all. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/stretches.h"

enum {
    PIECES = 2,       /* for each thread */
    PIECES_MORE = 64, /* at most, where keys move to and fro */
    SAVE_SHARE = 4    /* at most n / SAVE_SHARE keys are saved */
};

typedef struct piece {
    size_t first, end; /* stretches */
    bool forward;      /* the order in which they move */
    size_t head, tail; /* the first keys and the last ones that are saved: up to place `head`, and
                           * from place `tail` on */
    unsigned char *saved; /* the head, then the tail */
} piece;

typedef struct weave {
    const usw_pattern_search *f;
    const usw_stretch *stretch;
    size_t count;
    const unsigned char *loose;
    size_t *place, *rank; /* of each stretch in the result, and of its first loose key; one more */
    piece *piece;
    size_t pieces, pieces_most;
    usw_shares buffers; /* two stretches for each thread */
    size_t buffer_bytes;
} weave;

/* How many loose keys are less than x. */
static size_t rank_of(const usw_stretches *s, uint64_t x)
{
    size_t bytes = s->f->bytes, low = 0, high = s->loose_n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool less = usw_load_raw(s->loose + middle * bytes, bytes) < x;
        *(less ? &low : &high) = less ? middle + 1 : middle;
    }
    return low;
}

static void find_places(weave *w, const usw_stretches *s)
{
    size_t before = 0;
    for (size_t i = 0; i < w->count; i++) {
        w->rank[i] = i == 0 ? 0 : rank_of(s, w->stretch[i].low);
        w->place[i] = before + w->rank[i];
        before += w->stretch[i].n;
    }
    w->rank[w->count] = s->loose_n;
    w->place[w->count] = s->f->n;
}

/* ---- pieces ---- */

/* Cuts the run into about `most` pieces, or more where keys move right after such as move left;
 * returns how many keys are to be saved. Forward, stretch i is written when i + 1 has been copied,
 * so it must end before i + 2; backward it must not begin before i - 1. */
static size_t cut(weave *w, size_t most)
{
    const usw_stretch *a = w->stretch;
    size_t share = usw_div_up(w->f->n, most), saved = 0;
    w->pieces = 0;
    for (size_t first = 0, end; first < w->count; first = end) {
        if (w->pieces == w->pieces_most) {
            return SIZE_MAX;
        }
        bool forward = true, backward = true;
        for (end = first + 1; end < w->count && w->place[end] - w->place[first] < share; end++) {
            bool third = end >= first + 2;
            bool f = forward && (!third || w->place[end - 1] <= a[end].begin);
            bool b = backward && (!third || w->place[end] >= a[end - 1].begin);
            if (!f && !b) {
                break;
            }
            forward = f;
            backward = b;
        }
        piece *p = &w->piece[w->pieces++];
        size_t begin = a[first].begin, stop = a[end - 1].begin + a[end - 1].n;
        *p = (piece){.first = first, .end = end, .forward = !backward};
        p->head = usw_min(stop, usw_max(begin, w->place[first]));
        p->tail = usw_max(p->head, usw_min(stop, usw_max(begin, w->place[end])));
        saved += p->head - begin + stop - p->tail;
    }
    return saved;
}

static void save_piece(void *context, size_t i, unsigned lane)
{
    const weave *w = context;
    const usw_stretch *a = w->stretch;
    const piece *p = &w->piece[i];
    size_t bytes = w->f->bytes, begin = a[p->first].begin, stop = a[p->end - 1].begin;
    (void)lane;
    stop += a[p->end - 1].n;
    memcpy(p->saved, w->f->keys + begin * bytes, (p->head - begin) * bytes);
    memcpy(p->saved + (p->head - begin) * bytes, w->f->keys + p->tail * bytes,
           (stop - p->tail) * bytes);
}

/* Takes scratch for what is saved; false: there is none. */
static bool take_pieces(weave *w, size_t most, size_t limit)
{
    const usw_pattern_search *f = w->f;
    size_t keys = cut(w, most);
    for (; keys > limit && most > 1; most /= 2) {
        keys = cut(w, most / 2);
    }
    unsigned char *saved = keys > limit ? NULL : usw_scratch(f->u, (keys + 1) * f->bytes);
    for (size_t i = 0; i < w->pieces && saved != NULL; i++) {
        piece *p = &w->piece[i];
        const usw_stretch *last = &w->stretch[p->end - 1];
        p->saved = saved;
        saved +=
            (p->head - w->stretch[p->first].begin + last->begin + last->n - p->tail) * f->bytes;
    }
    return saved != NULL;
}

/* ---- one piece ---- */

/* Copies, mapped, the keys at [begin, end) of the array, of which some were saved. */
static void copy_mapped(const weave *w, const piece *p, size_t begin, size_t end, unsigned char *to)
{
    const usw_pattern_search *f = w->f;
    size_t start = w->stretch[p->first].begin, at = begin;
    while (at < end) {
        size_t stop = at < p->head   ? usw_min(end, p->head)
                      : at < p->tail ? usw_min(end, p->tail)
                                     : end;
        const unsigned char *from = at < p->head ? p->saved + (at - start) * f->bytes
                                    : at < p->tail
                                        ? f->keys + at * f->bytes
                                        : p->saved + (p->head - start + at - p->tail) * f->bytes;
        f->maps->map[f->width](to, from, stop - at, &f->order->map);
        to += (stop - at) * f->bytes;
        at = stop;
    }
}

/* Whether a stretch lies where it belongs, and no loose key does. */
static bool stays(const weave *w, size_t i)
{
    return w->place[i] == w->stretch[i].begin && w->rank[i] == w->rank[i + 1];
}

static void load_stretch(const weave *w, const piece *p, size_t i, unsigned char *to)
{
    const usw_stretch *a = &w->stretch[i];
    if (!stays(w, i)) {
        copy_mapped(w, p, a->begin, a->begin + a->n, to);
    }
}

void usw_merge_loose(usw_isa isa, unsigned width, const void *kept, size_t n, const void *loose,
                     size_t m, void *out)
{
    enum { DENSE = 16 };
    if (m > n / DENSE) {
        USW_ROUTE_OF("many loose keys are merged in", USW_WIDE_TYPES);
        USW_PICK(isa, usw_merge_steps)->merge[width](kept, n, loose, m, out);
    } else {
        USW_ROUTE_OF("few loose keys are woven in", USW_WIDE_TYPES);
        USW_PICK(isa, usw_pattern_steps)->weave[width](kept, n, loose, m, out);
    }
}

static void write_stretch(const weave *w, size_t i, const unsigned char *from)
{
    const usw_pattern_search *f = w->f;
    size_t n = w->stretch[i].n, loose = w->rank[i + 1] - w->rank[i];
    unsigned char *out = f->keys + w->place[i] * f->bytes;
    const unsigned char *in = w->loose + w->rank[i] * f->bytes;
    if (stays(w, i)) {
        USW_ROUTE_OF("a stretch stays where it is", USW_WIDE_TYPES);
        return;
    }
    usw_merge_loose(f->u->isa, f->width, from, n, in, loose, out);
    if (!usw_keymap_is_identity(&f->order->map)) {
        f->maps->unmap[f->width](out, out, n + loose, &f->order->map);
    }
}

static void weave_piece(void *context, size_t i, unsigned lane)
{
    const weave *w = context;
    const piece *p = &w->piece[i];
    unsigned char *buffer[2] = {usw_share(&w->buffers, lane), NULL};
    size_t count = p->end - p->first;
    buffer[1] = buffer[0] + w->buffer_bytes;
    USW_ROUTE_IF(p->forward, "keys move left", USW_WIDE_TYPES);
    USW_ROUTE_IF(!p->forward, "keys move right", USW_WIDE_TYPES);
    for (size_t t = 0; t <= count; t++) {
        if (t < count) {
            load_stretch(w, p, p->forward ? p->first + t : p->end - 1 - t, buffer[t % 2]);
        }
        if (t > 0) {
            write_stretch(w, p->forward ? p->first + t - 1 : p->end - t, buffer[(t - 1) % 2]);
        }
    }
}

bool usw_weave_loose(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    weave w = {.f = f, .stretch = s->stretch, .count = s->count, .loose = s->loose};
    w.buffer_bytes = s->chunk * f->bytes;
    w.place = usw_scratch(f->u, 2 * (w.count + 1) * sizeof *w.place);
    w.pieces_most = PIECES_MORE + PIECES * (size_t)f->u->threads;
    w.piece = usw_scratch(f->u, w.pieces_most * sizeof *w.piece);
    w.buffers = usw_scratch_shares(f->u, f->u->threads, 2 * w.buffer_bytes);
    if (w.place == NULL || w.piece == NULL || w.buffers.at == NULL) {
        return false;
    }
    w.rank = w.place + w.count + 1;
    find_places(&w, s);
    size_t limit = f->n / SAVE_SHARE, in_place = USW_SAVED_IN_PLACE * f->u->threads / f->bytes;
    limit = s->in_place ? usw_min(limit, in_place) : limit;
    if (!take_pieces(&w, f->u->threads > 1 ? PIECES * (size_t)f->u->threads : 1, limit)) {
        return false;
    }
    usw_parallel(f->u, w.pieces, save_piece, &w);
    usw_parallel(f->u, w.pieces, weave_piece, &w);
    return true;
}

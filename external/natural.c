/* natural.c - natural runs of a slot (Knuth 5.2.4): records that rise or fall where they stand in
 * the file that they came from. A slot that has few of them is not sorted, and nothing of it is
 * written: each is a run in that file. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

enum {
    PIECES = 64,          /* of a slot, at most; */
    PIECE_MEAN = 1 << 20, /* in the mean they have so many bytes, but for two, */
    RUNS_ROOM = 32,       /* as long as so many blocks of each run fit into memory, then */
    PIECE_MEAN_LATER = 4 << 20,
    PIECE_LEAST = 1 << 18 /* and the last one so many, unless they are all of the slot */
};

typedef struct piece {
    size_t begin, end; /* bytes of the slot */
    uint64_t records;
    const usw_ext_span *span; /* that it is in */
    bool falling;
} piece;

typedef struct search {
    usw_ext_sorting *s;
    const usw_ext_order *order;
    const unsigned char *data;
    size_t bytes, longest; /* as far as the span goes that is looked at */
    piece pieces[PIECES + 1];
    size_t count, most;
} search;

/* ---- pieces ---- */

typedef struct place {
    usw_ext_record r;
    uint64_t key;
    bool more;
} place;

static inline place look(const search *f, size_t at)
{
    place p = {.more = false};
    p.r = usw_ext_record_at(f->order, f->data + at, f->data + f->bytes);
    p.key = usw_ext_key(f->order, p.r, &p.more);
    return p;
}

static inline int compare(const search *f, const place *a, const place *b)
{
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->more || b->more ? usw_ext_compare(f->order, a->r, b->r) : 0;
}

/* Whether b may follow a: in a rising run, where equal records are a part unless one of them must
 * go; in a falling one, where only those are that nobody can tell apart; or in either. */
enum { RISES = 1, FALLS = 2 };
static inline int follows(const search *f, const place *a, const place *b)
{
    int order = compare(f, a, b);
    if (order != 0) {
        return order < 0 ? RISES : FALLS;
    }
    bool alike = a->r.bytes == b->r.bytes && memcmp(a->r.p, b->r.p, a->r.bytes) == 0;
    return f->order->unique ? 0 : alike ? RISES | FALLS : RISES;
}

/* How far elements from `begin` on are in the order of the flags. */
static size_t elements_in_order(const search *f, size_t begin, unsigned flags)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    size_t fixed = f->order->record_bytes, n = (f->bytes - begin) / fixed, first = 1;
    options.flags = flags;
    upsweep_status status =
        upsweep_is_sorted(f->s->u, f->data + begin, n, f->order->element, &first, &options);
    return begin + (status == UPSWEEP_OK ? first : 1) * fixed;
}

/* Elements need no keys. All that rises falls in the order the other way round, where NaNs are at
 * the other end. */
static piece next_elements(search *f, size_t begin)
{
    unsigned flags = f->order->element_flags, turned = flags ^ UPSWEEP_DESCENDING;
    turned ^= (flags & UPSWEEP_NAN_RAW) != 0 ? 0 : UPSWEEP_NAN_FIRST;
    size_t fixed = f->order->record_bytes, end = elements_in_order(f, begin, flags);
    bool same = memcmp(f->data + begin, f->data + end - fixed, fixed) == 0;
    size_t falls = same ? elements_in_order(f, begin, turned) : end;
    bool falling = falls > end;
    end = falling ? falls : end;
    f->longest = fixed;
    return (piece){begin, end, (end - begin) / fixed, NULL, falling};
}

/* The longest run that begins with the record at `begin`. */
static piece next_piece(search *f, size_t begin)
{
    place before = look(f, begin), now = before;
    size_t whole = usw_ext_whole(f->order, before.r);
    piece p = {begin, begin + whole, 1, NULL, false};
    int ways = RISES | FALLS;
    f->longest = usw_max(f->longest, whole);
    for (; p.end < f->bytes; before = now) {
        now = look(f, p.end);
        int next = ways & follows(f, &before, &now);
        if (next == 0) {
            break;
        }
        ways = next;
        whole = usw_ext_whole(f->order, now.r);
        f->longest = usw_max(f->longest, whole);
        p.records++;
        p.end += whole;
    }
    p.falling = ways == FALLS;
    return p;
}

/* Pieces of a span as long as they are few. Whether they are all of it. */
static bool find_pieces(search *f, const usw_ext_span *span, size_t end)
{
    size_t fixed = f->order->record_bytes, at = span->begin;
    bool elements = f->order->element != 0 && !f->order->unique;
    bool whole = at == 0 || (fixed != 0 ? at % fixed == 0 : f->data[at - 1] == f->order->end);
    if (span->source == USW_EXT_NONE || !whole) {
        return false;
    }
    const unsigned char *last = fixed != 0 ? NULL : memrchr(f->data + at, f->order->end, end - at);
    f->bytes = fixed != 0 ? end / fixed * fixed : last == NULL ? at : (size_t)(last - f->data) + 1;
    while (at < f->bytes && f->count <= f->most) {
        f->pieces[f->count] = elements ? next_elements(f, at) : next_piece(f, at);
        f->pieces[f->count].span = span;
        at = f->pieces[f->count++].end;
    }
    return at == end;
}

/* What is behind the last long piece is sorted, unless pieces are all of the slot; and all of it,
 * if that is more than half or there are many runs, for which a merge has less room each. */
static void find_all(search *f, const usw_ext_slot *slot)
{
    upsweep_external *x = f->s->x;
    bool all = true;
    pthread_mutex_lock(&x->lock);
    bool few = x->run_count < x->work_bytes / x->block_bytes / RUNS_ROOM;
    pthread_mutex_unlock(&x->lock);
    f->most = usw_min(slot->used / (few ? PIECE_MEAN : PIECE_MEAN_LATER) + 2, (size_t)PIECES);
    for (unsigned i = 0; all && i < slot->span_count && slot->spans[i].begin < slot->used; i++) {
        size_t end = i + 1 < slot->span_count ? slot->spans[i + 1].begin : slot->used;
        all = find_pieces(f, &slot->spans[i], usw_min(end, slot->used));
    }
    while (f->count > 0 && !all &&
           f->pieces[f->count - 1].end - f->pieces[f->count - 1].begin < PIECE_LEAST) {
        f->count--;
    }
    if (!all && (!few || (f->count > 0 && f->pieces[f->count - 1].end < slot->used / 2))) {
        f->count = 0;
    }
}

/* ---- runs ---- */

/* The record behind `bytes` bytes of a piece or, of a falling one, the end of that before them. */
static size_t boundary(const search *f, const piece *p, size_t bytes)
{
    size_t fixed = f->order->record_bytes, all = p->end - p->begin;
    const unsigned char *data = f->data + p->begin;
    if (bytes >= all) {
        return all;
    }
    if (fixed != 0) {
        return (bytes + fixed - 1) / fixed * fixed;
    }
    if (!p->falling) {
        const unsigned char *end = memchr(data + bytes - 1, f->order->end, all - bytes + 1);
        return (size_t)(end - data) + 1;
    }
    const unsigned char *end = memrchr(data, f->order->end, all - bytes);
    return end == NULL ? all : all - ((size_t)(end - data) + 1);
}

/* The first record in order of what is behind `raw` bytes of a piece. */
static usw_ext_record first_behind(const search *f, const piece *p, size_t raw)
{
    const unsigned char *data = f->data + p->begin;
    size_t fixed = f->order->record_bytes, end = p->end - p->begin - raw;
    if (!p->falling) {
        return usw_ext_record_at(f->order, data + raw, f->data + p->end);
    }
    if (fixed != 0) {
        return (usw_ext_record){data + end - fixed, fixed};
    }
    const unsigned char *before = memrchr(data, f->order->end, end - 1);
    const unsigned char *from = before == NULL ? data : before + 1;
    return (usw_ext_record){from, (size_t)(data + end - 1 - from)};
}

static upsweep_status add_piece(const search *f, const piece *p, uint64_t order)
{
    upsweep_external *x = f->s->x;
    size_t room, least, all = p->end - p->begin;
    bool more;
    usw_ext_run run = {.order = order,
                       .at = p->span->from + (p->begin - p->span->begin),
                       .raw = all,
                       .stored = all,
                       .file = p->span->source,
                       .falling = p->falling};
    run.blocks = usw_ext_take_blocks(x, all, &room, &least);
    if (run.blocks == NULL) {
        return UPSWEEP_ERROR_MEMORY;
    }
    for (size_t raw = 0; raw < all;) {
        size_t next = boundary(f, p, raw + least);
        usw_ext_record r = first_behind(f, p, raw);
        run.blocks[run.block_count++] = (usw_ext_block){usw_ext_key(f->order, r, &more), raw, raw};
        run.block_bytes_max = usw_max(run.block_bytes_max, next - raw);
        raw = next;
    }
    piece last = *p;
    last.falling = !p->falling;
    run.last_key = usw_ext_key(f->order, first_behind(f, &last, 0), &more);
    pthread_mutex_lock(&x->lock);
    x->report.runs++;
    x->records += p->records;
    x->longest = usw_max(x->longest, f->longest);
    x->sources[run.file - USW_EXT_FOLDERS].used = true;
    pthread_mutex_unlock(&x->lock);
    return usw_ext_add_run(x, &run);
}

upsweep_status usw_ext_natural_runs(usw_ext_sorting *s, const usw_ext_slot *slot, size_t *done,
                                    uint64_t *order)
{
    search f = {.s = s, .order = &s->x->order, .data = slot->at};
    upsweep_status status = UPSWEEP_OK;
    memset(slot->at + slot->used, 0, USW_EXT_SLACK);
    s->spare = s->spare_at = s->spare_end = NULL; /* which the slot before had */
    find_all(&f, slot);
    s->longest = f.count > 0 ? f.longest : 0;
    for (size_t i = 0; i < f.count && status == UPSWEEP_OK; i++) {
        USW_EXT_ROUTE("a run in the file that its records came from");
        status = add_piece(&f, &f.pieces[i], (*order)++);
        *done = f.pieces[i].end;
    }
    return status;
}

/* range.c - one range of a merge: reads its blocks, finds its ends in them, and merges by a tree of
 * losers (Knuth 5.4.1). */
/* SPDX-License-Identifier: MIT */
#include "external/ranges.h"

size_t usw_ext_range_bytes(const upsweep_external *x, size_t k, bool tight)
{
    return k * (sizeof(usw_ext_stretch) + 2 * sizeof(void *) + sizeof(uint64_t) + sizeof(size_t) +
                sizeof(bool) + sizeof(uint32_t) + (x->direct ? 2 * USW_EXT_PAGE : 0)) +
           (x->direct ? 4 * USW_EXT_PAGE : 0) + USW_PACK_MARGIN +
           (tight ? 1 : 2) * usw_ext_record_room(x) + USW_EXT_SLACK + 10 * 64;
}

static void *carve(unsigned char **room, size_t bytes)
{
    unsigned char *at = *room;
    *room += (bytes + 63) / 64 * 64;
    return at;
}

void usw_ext_range_open(usw_ext_range *r, usw_ext_plan *plan, unsigned char *room)
{
    size_t k = plan->k;
    *r = (usw_ext_range){.x = plan->x, .plan = plan};
    r->stretches = carve(&room, k * sizeof *r->stretches);
    r->at = carve(&room, k * sizeof *r->at);
    r->end = carve(&room, k * sizeof *r->end);
    r->keys = carve(&room, k * sizeof *r->keys);
    r->sizes = carve(&room, k * sizeof *r->sizes);
    r->more = carve(&room, k * sizeof *r->more);
    r->tree = carve(&room, k * sizeof *r->tree);
    r->lower.at = carve(&room, usw_ext_record_room(plan->x));
    r->upper.at = plan->tight ? plan->last.at : carve(&room, usw_ext_record_room(plan->x));
    r->bytes = room;
}

/* ---- the ends ---- */

/* Whether a record of run i lies below the splitter. With -u equal records stay together. */
static bool is_below(const usw_ext_range *r, size_t i, usw_ext_record q, const usw_ext_splitter *s)
{
    const usw_ext_order *order = &r->x->order;
    bool more;
    uint64_t key = usw_ext_key(order, q, &more);
    if (key != s->key) {
        return key < s->key;
    }
    int difference = usw_ext_compare(order, q, (usw_ext_record){s->at, s->bytes});
    return difference != 0 ? difference < 0 : i < s->run && !order->unique;
}

/* The first record in [p, end) that is not below the splitter. */
static const unsigned char *find_end(const usw_ext_range *r, size_t i, const unsigned char *p,
                                     const unsigned char *end, const usw_ext_splitter *s)
{
    const usw_ext_order *order = &r->x->order;
    while (p < end) {
        usw_ext_record q = usw_ext_record_at(order, p, end);
        if (!is_below(r, i, q, s)) {
            return p;
        }
        p += usw_ext_whole(order, q);
    }
    return end;
}

/* Bytes [from, until) of a run as they are in its file, to *to, or to where their pages lie as
 * there. */
static upsweep_status read_plain(usw_ext_range *r, const usw_ext_run *run, uint64_t from,
                                 uint64_t until, unsigned char **to)
{
    uint64_t at = usw_ext_run_at(run, from, until);
    if (!r->x->direct) {
        return usw_ext_read(r->x, run->file, *to, (size_t)(until - from), at);
    }
    *to += (USW_EXT_PAGE - (uintptr_t)*to % USW_EXT_PAGE) % USW_EXT_PAGE + at % USW_EXT_PAGE;
    return usw_ext_read_pages(r->x, run->file, *to, (size_t)(until - from), at);
}

/* Stored bytes are read so far behind where their blocks go that each lies behind its place. */
static upsweep_status read_packed(usw_ext_range *r, const usw_ext_run *run, usw_ext_stretch s,
                                  unsigned char *to)
{
    uint64_t from = run->blocks[s.first].raw, begin = run->blocks[s.first].stored;
    size_t stored = (size_t)(usw_ext_stored(run, s.end) - begin), bytes = 0;
    for (size_t b = s.first; b < s.end; b++) {
        bytes += usw_ext_block_bytes(run, b);
    }
    uint64_t at = run->at + begin;
    unsigned char *p = to + (bytes - stored) + USW_PACK_MARGIN;
    p += r->x->direct ? (size_t)(at - (uintptr_t)p) % USW_EXT_PAGE : 0;
    upsweep_status status = r->x->direct ? usw_ext_read_pages(r->x, run->file, p, stored, at)
                                         : usw_ext_read(r->x, run->file, p, stored, at);
    for (size_t b = s.first; b < s.end && status == UPSWEEP_OK; b++) {
        const unsigned char *in = p + (run->blocks[b].stored - begin);
        size_t packed = (size_t)(usw_ext_stored(run, b + 1) - run->blocks[b].stored);
        unsigned char *out = to + (run->blocks[b].raw - from);
        bytes = usw_ext_block_bytes(run, b);
        if (packed == bytes) {
            memmove(out, in, bytes);
        } else if (!usw_unpack(in, packed, out, bytes)) {
            status = usw_ext_fail_changed(r->x, run);
        }
    }
    return status;
}

/* The blocks of run i, read to *place or a little behind it, where *place is then. */
static upsweep_status load_run(usw_ext_range *r, size_t i, unsigned char **place, size_t *bytes)
{
    const usw_ext_run *run = &r->plan->runs[i];
    usw_ext_stretch s = r->stretches[i];
    uint64_t from = s.first < run->block_count ? run->blocks[s.first].raw : run->raw;
    uint64_t until = s.end < run->block_count ? run->blocks[s.end].raw : run->raw;
    until = s.first == s.end ? from : until;
    *bytes = (size_t)(until - from);
    r->at[i] = r->end[i] = *place;
    r->offset += from;
    if (*bytes == 0) {
        return UPSWEEP_OK;
    }
    upsweep_status status = usw_ext_is_packed(run) ? read_packed(r, run, s, *place)
                                                   : read_plain(r, run, from, until, place);
    unsigned char *to = *place;
    r->at[i] = r->end[i] = to;
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (to[*bytes - 1] != r->x->order.end && r->x->order.record_bytes == 0) {
        return usw_ext_fail_changed(r->x, run);
    }
    if (usw_ext_in_source(run)) {
        status = usw_ext_take_source(r->x, run, to, s.first, s.end);
        if (status != UPSWEEP_OK) {
            return status;
        }
    }
    const unsigned char *end = to + *bytes;
    if (r->lower.any) {
        r->at[i] = find_end(r, i, to, end, &r->lower);
        r->offset += (uint64_t)(r->at[i] - to);
    }
    r->end[i] = end;
    if (r->upper.any && i != r->upper.run) {
        const unsigned char *last = to + (run->blocks[s.end - 1].raw - from);
        r->end[i] = find_end(r, i, last > r->at[i] ? last : r->at[i], end, &r->upper);
    }
    r->raw += (uint64_t)(r->end[i] - r->at[i]);
    return UPSWEEP_OK;
}

upsweep_status usw_ext_load(usw_ext_range *r)
{
    unsigned char *to = r->bytes + (r->x->direct ? USW_EXT_PAGE : 0);
    upsweep_status status = UPSWEEP_OK;
    r->offset = r->raw = 0;
    for (size_t i = 0; i < r->plan->k && status == UPSWEEP_OK; i++) {
        size_t bytes = 0;
        status = load_run(r, i, &to, &bytes);
        to += bytes;
    }
    memset(to, 0, USW_EXT_SLACK);
    return status;
}

/* ---- the merge ---- */

/* Pieces of elements are moved together and sorted, which is faster than to merge them one by one:
 * the library's sorts pass over them a few times, without a comparison. */
upsweep_status usw_ext_sort_range(usw_ext_range *r, usw_ext_sorting *s, unsigned char *begin,
                                  unsigned char *end)
{
    USW_EXT_ROUTE("a range of elements sorted");
    unsigned char *to = begin;
    for (size_t i = 0; i < r->plan->k; i++) {
        size_t bytes = (size_t)(r->end[i] - r->at[i]);
        memmove(to, r->at[i], bytes);
        to += bytes;
    }
    upsweep_status status = usw_ext_sort(s, begin, (size_t)(to - begin), end);
    upsweep_trim(s->u); /* whose scratch the next range is read over */
    return status;
}

/* Lines between two splitters have what these share; the keys are those of what is behind it. */
static size_t shared_by_all(const usw_ext_range *r)
{
    const usw_ext_splitter *a = &r->lower, *b = &r->upper;
    size_t shared = 0;
    if (r->x->order.kind == USW_EXT_LINES && a->any && b->any) {
        USW_EXT_ROUTE("lines merged by what follows that all of them share");
        size_t most = usw_min(a->bytes, b->bytes);
        while (shared < most && a->at[shared] == b->at[shared]) {
            shared++;
        }
    }
    return shared;
}

/* Of a file that is changed meanwhile, which is found out later, a line may be shorter. */
static inline usw_ext_record behind_shared(const usw_ext_range *r, size_t i)
{
    size_t shared = usw_min(r->shared, r->sizes[i]);
    return (usw_ext_record){r->at[i] + shared, r->sizes[i] - shared};
}

static inline void look(usw_ext_range *r, size_t i)
{
    const usw_ext_order *order = &r->x->order;
    r->sizes[i] = usw_ext_record_at(order, r->at[i], r->end[i]).bytes;
    r->keys[i] = usw_ext_key(order, behind_shared(r, i), &r->more[i]);
}

/* Whether run a's record comes before run b's; a run that has ended comes last. */
static inline bool comes_first(const usw_ext_range *r, uint32_t a, uint32_t b)
{
    if (r->at[a] == r->end[a] || r->at[b] == r->end[b]) {
        return r->at[a] != r->end[a];
    }
    if (r->keys[a] != r->keys[b]) {
        return r->keys[a] < r->keys[b];
    }
    if (r->more[a] || r->more[b]) {
        int order = usw_ext_compare(&r->x->order, behind_shared(r, a), behind_shared(r, b));
        if (order != 0) {
            return order < 0;
        }
    }
    return a < b;
}

/* tree[0] is the winner, tree[1 .. k - 1] the losers of the matches above leaves k .. 2k - 1. */
static uint32_t play(usw_ext_range *r, size_t node)
{
    size_t k = r->plan->k;
    if (node >= k) {
        return (uint32_t)(node - k);
    }
    uint32_t a = play(r, 2 * node), b = play(r, 2 * node + 1);
    bool first = comes_first(r, a, b);
    r->tree[node] = first ? b : a;
    return first ? a : b;
}

static inline void replay(usw_ext_range *r, uint32_t winner)
{
    for (size_t node = (winner + r->plan->k) / 2; node > 0; node /= 2) {
        uint32_t loser = r->tree[node];
        if (comes_first(r, loser, winner)) {
            r->tree[node] = winner;
            winner = loser;
        }
    }
    r->tree[0] = winner;
}

/* The buffer goes when it is full to the last byte, so that whole pages are written, unless it gets
 * whole records only. */
static upsweep_status put_bytes(usw_ext_sink *sink, const unsigned char *p, size_t bytes)
{
    while (bytes > sink->room - sink->held) {
        size_t step = sink->whole ? 0 : sink->room - sink->held;
        memcpy(sink->buffer + sink->held, p, step);
        sink->held += step;
        upsweep_status status = sink->take(sink);
        if (status != UPSWEEP_OK) {
            return status;
        }
        p += step;
        bytes -= step;
    }
    memcpy(sink->buffer + sink->held, p, bytes);
    sink->held += bytes;
    return UPSWEEP_OK;
}

static inline upsweep_status put(usw_ext_sink *sink, usw_ext_record q, size_t whole, uint64_t key)
{
    if (sink->writer != NULL) {
        sink->writer->run.last_key = key;
        return usw_ext_writer_add(sink->writer, q);
    }
    return put_bytes(sink, q.p, whole);
}

/* What is left when only one run has records: they go as they are. */
static upsweep_status put_rest(usw_ext_range *r, usw_ext_sink *sink, size_t i)
{
    USW_EXT_ROUTE("the rest of a range, of one run");
    return put_bytes(sink, r->at[i], (size_t)(r->end[i] - r->at[i]));
}

static size_t begin_runs(usw_ext_range *r)
{
    size_t live = 0;
    for (size_t i = 0; i < r->plan->k; i++) {
        if (r->at[i] < r->end[i]) {
            look(r, i);
            live++;
        }
    }
    if (live > 0) {
        r->tree[0] = play(r, 1);
    }
    return live;
}

upsweep_status usw_ext_merge_range(usw_ext_range *r, usw_ext_sink *sink)
{
    const usw_ext_order *order = &r->x->order;
    r->shared = sink->writer == NULL ? shared_by_all(r) : 0; /* the writer is told whole keys */
    size_t live = begin_runs(r);
    usw_ext_record last = {NULL, 0};
    uint64_t last_key = 0;
    bool bulk = sink->writer == NULL && !sink->whole && !order->unique;
    upsweep_status status = UPSWEEP_OK;
    while (live > 0 && status == UPSWEEP_OK) {
        uint32_t i = r->tree[0];
        if (live == 1 && bulk) {
            return put_rest(r, sink, i);
        }
        usw_ext_record q = {r->at[i], r->sizes[i]};
        size_t whole = usw_ext_whole(order, q);
        bool repeated = order->unique && last.p != NULL && last_key == r->keys[i] &&
                        usw_ext_compare(order, last, q) == 0;
        if (repeated) {
            USW_EXT_ROUTE("a record left out for an equal one");
        } else {
            status = put(sink, q, whole, r->keys[i]);
            last = q;
            last_key = r->keys[i];
        }
        r->at[i] += whole;
        if (r->at[i] < r->end[i]) {
            look(r, i);
        } else {
            live--;
        }
        replay(r, i);
    }
    return status;
}

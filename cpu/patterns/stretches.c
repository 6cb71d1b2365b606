/* stretches.c - sorts keys that are in order over long stretches: logs with new keys at their end,
 * files one behind the other, sorted keys some of which were changed.
 *
 * One pass looks at chunks of the array by all threads. A chunk that rises, or falls, is a stretch,
 * one with a single break two; of few chunks one that rises again and again is as many. Of others
 * the keys out of order are taken out, or all keys, if these are many: loose ones, sorted by
 * themselves. Stretches that follow one another in order make a run. One run is woven with the
 * loose keys in place (weave.c), a few are merged with them (runs.c). Source: the idea of
 * V. Estivill-Castro and D. Wood, A survey of adaptive sorting algorithms (1992). */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/stretches.h"

enum {
    CHUNK_BYTES = 256 * 1024, /* of the longest chunk: it stays in a core's own cache */
    CHUNK_MIN = 2048,         /* keys */
    CHUNKS = 64,              /* of an array of less than CHUNKS chunks of CHUNK_BYTES */
    CHUNK_SHARE = 4,          /* chunks of which more than a fourth is wrong are loose as a whole */
    PREFIX_SHARE = 8,         /* a shorter beginning of such a chunk is loose, too */
    DROP_SLACK = 1024,        /* keys more than its limit that `drop` may write */
    DROP_PASSES = 6,
    PASSES_ALONE = 2, /* where what is still out of order is sorted with the loose keys */
    TRIM = 8,         /* keys that are taken from each side of the border of two chunks */
    FILE_MIN = 32,    /* keys of a stretch within a chunk */
    RUN_MIN = 256,    /* keys of a run on average: to merge shorter ones takes longer than a sort */
    RUNS_OR_DIGITS = 8 /* more are not merged where digits sort keys as they are */
};

/* ---- one chunk ---- */

static void note_stretch(const usw_pattern_search *f, usw_stretch *to, size_t begin, size_t n,
                         bool falls)
{
    *to = (usw_stretch){.begin = begin, .n = n, .falls = falls};
    if (n > 0) {
        to->low = usw_key_at(f, begin);
        to->high = usw_key_at(f, begin + n - 1);
    }
}

/* Room for n loose keys, or NULL: then all is given up. */
static unsigned char *take_loose(usw_stretches *s, size_t n)
{
    size_t at = atomic_load(&s->loose_n);
    do {
        if (n > s->loose_most - at) {
            atomic_store(&s->given_up, true);
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&s->loose_n, &at, at + n));
    return s->loose + at * s->f->bytes;
}

/* Takes keys out of n mapped keys, whose first break is at `at`, until the others are in order:
 * *kept is how many those are; the n - *kept others are in dropped. False: too many are out of
 * order, and all are in `keys`; the first *kept are in order. */
static bool drop_wrong(const usw_pattern_search *f, unsigned char *keys, size_t n, size_t at,
                       size_t limit, unsigned passes, unsigned char *dropped, size_t *kept)
{
    usw_key_order plain = {{.bits = (unsigned)f->bytes * 8}, 0, 0};
    size_t left = n, gone = 0;
    bool complete = true;
    for (unsigned pass = 0; pass < passes; pass++) {
        size_t from = *kept = at - 1; /* the keys before it are in order and not greater */
        size_t stay = f->steps->drop[f->width](keys + from * f->bytes, left - from,
                                               dropped + gone * f->bytes, limit - gone, &complete);
        if (!complete) {
            break;
        }
        gone += left - from - stay;
        left = from + stay;
        at = *kept = f->maps->first_break[f->width](keys, left, &plain, true, false);
        if (at == left) {
            return true;
        }
    }
    memcpy(keys + left * f->bytes, dropped, gone * f->bytes);
    return false;
}

size_t usw_dropping_room(size_t n)
{
    return n / USW_LOOSE_SHARE + DROP_SLACK + n;
}

bool usw_sort_by_dropping(const upsweep *u, void *keys, size_t n, unsigned width, void *room)
{
    usw_pattern_search f = {.keys = keys,
                            .n = n,
                            .bytes = (size_t)1 << width,
                            .width = width,
                            .maps = USW_PICK(u->isa, usw_keymap_steps),
                            .steps = USW_PICK(u->isa, usw_pattern_steps)};
    usw_key_order plain = {{.bits = (unsigned)f.bytes * 8}, 0, 0};
    usw_glance glance;
    f.steps->glance[width](keys, n, &plain.map, &glance);
    if (usw_looks_random(&glance)) {
        return false;
    }
    size_t at = f.maps->first_break[width](keys, n, &plain, true, false), kept = at;
    size_t most = n / USW_LOOSE_SHARE;
    bool dropped = n - at > most && drop_wrong(&f, keys, n, at, most, PASSES_ALONE, room, &kept);
    if (n - kept > most) {
        USW_ROUTE_OF("more than one thread takes out are out of order", USW_WIDE_TYPES);
        return false;
    }
    if (!dropped) {
        memcpy(room, f.keys + kept * f.bytes, (n - kept) * f.bytes);
    }
    USW_ROUTE_OF("one thread takes out what is out of order", USW_WIDE_TYPES);
    if (kept < n) {
        unsigned char *copy = (unsigned char *)room + (usw_dropping_room(n) - n) * f.bytes;
        memcpy(copy, keys, kept * f.bytes);
        USW_PICK(u->isa, usw_cache_sort_steps)->sort[width](room, n - kept);
        usw_merge_loose(u->isa, width, copy, kept, room, n - kept, keys);
    }
    return true;
}

static void map_some(const usw_pattern_search *f, unsigned char *keys, size_t n, bool back)
{
    if (!usw_keymap_is_identity(&f->order->map)) {
        (back ? f->maps->unmap : f->maps->map)[f->width](keys, keys, n, &f->order->map);
    }
}

/* Takes the loose keys out of the chunk [begin, begin + n), whose first break is at `at`. */
static void loosen(usw_stretches *s, usw_stretch *to, size_t begin, size_t n, size_t at,
                   unsigned char *room)
{
    const usw_pattern_search *f = s->f;
    unsigned char *keys = f->keys + begin * f->bytes;
    map_some(f, keys, n, false);
    size_t kept = 0;
    bool dropped = drop_wrong(f, keys, n, at, n / CHUNK_SHARE, DROP_PASSES, room, &kept);
    if (!dropped && kept < n / PREFIX_SHARE) {
        kept = 0;
    }
    unsigned char *from = dropped ? room : keys + kept * f->bytes,
                  *to_loose = take_loose(s, n - kept);
    if (to_loose == NULL) { /* the keys go back */
        USW_ROUTE_OF("more keys than may be are loose", USW_WIDE_TYPES);
        memmove(keys + kept * f->bytes, from, (n - kept) * f->bytes);
        kept = n;
    } else {
        USW_ROUTE_IF(dropped, "some keys of a chunk are loose", USW_WIDE_TYPES);
        USW_ROUTE_IF(!dropped && kept > 0, "the rest of a chunk is loose", USW_WIDE_TYPES);
        USW_ROUTE_IF(kept == 0, "a chunk is loose", USW_WIDE_TYPES);
        memcpy(to_loose, from, (n - kept) * f->bytes);
    }
    map_some(f, keys, kept, true);
    note_stretch(f, to, begin, kept, false);
}

/* Whether the chunk, which breaks at `at`, is rising stretches that begin well below the last one's
 * end, as keys that merely stand wrong do not. Too many of them: all is given up. */
static bool is_files(usw_stretches *s, usw_stretch *to, size_t begin, size_t n, size_t at)
{
    const usw_pattern_search *f = s->f;
    size_t from = 0, i = 0;
    for (; i < s->each; i++) {
        note_stretch(f, &to[i], begin + from, at - from, false);
        if (at == n) {
            USW_ROUTE_OF("a chunk is several stretches", USW_WIDE_TYPES);
            return true;
        }
        bool is_short = i > 0 && at - from < FILE_MIN;
        if (is_short || at + TRIM >= n ||
            (at > TRIM &&
             usw_key_at(f, begin + at - 1 - TRIM) <= usw_key_at(f, begin + at + TRIM))) {
            break;
        }
        from = at;
        at += f->maps->first_break[f->width](f->keys + (begin + at) * f->bytes, n - at, f->order,
                                             true, false);
    }
    for (size_t k = 0; k <= i && k < s->each; k++) {
        to[k].n = 0;
    }
    if (i < s->each) {
        return false;
    }
    USW_ROUTE_OF("a chunk is too many stretches", USW_WIDE_TYPES);
    to[0] = (usw_stretch){.begin = begin, .n = n};
    atomic_store(&s->given_up, true);
    return true;
}

/* Chunk i gives stretches from each i on. */
static void examine_chunk(void *context, size_t i, unsigned lane)
{
    usw_stretches *s = context;
    const usw_pattern_search *f = s->f;
    usw_stretch *to = s->stretch + s->each * i;
    size_t begin = i * s->chunk, n = usw_min(s->chunk, f->n - begin);
    unsigned char *keys = f->keys + begin * f->bytes;
    bool far = f->n * f->bytes >= USW_PATTERN_FAR_BYTES;
    to[0].begin = begin;
    for (size_t k = 0; k < s->each; k++) {
        to[k].n = 0;
    }
    if (atomic_load(&s->given_up)) {
        to[0].n = n;
        return;
    }
    size_t rise = f->maps->first_break[f->width](keys, n, f->order, true, far);
    size_t fall = rise <= n / 64 + 1 && rise < n
                      ? f->maps->first_break[f->width](keys, n, f->order, false, far)
                      : 0;
    size_t at = fall > n / 64 + 1 ? fall : rise, left = n - at;
    unsigned char *rest = keys + at * f->bytes;
    bool rests = at == n || f->maps->first_break[f->width](rest, left, f->order, true, far) == left;
    bool turns = !rests && f->maps->first_break[f->width](rest, left, f->order, false, far) == left;
    if (rests || turns) {
        USW_ROUTE_OF("a chunk is one or two stretches", USW_WIDE_TYPES);
        note_stretch(f, &to[0], begin, at, at != rise);
        note_stretch(f, &to[1], begin + at, left, turns);
    } else if (s->each == 2 || !is_files(s, to, begin, n, rise)) {
        loosen(s, to, begin, n, rise, usw_share(&s->room, lane));
    }
}

/* ---- runs of stretches ---- */

/* The border of two rising stretches: keys that stand wrong there are made loose, if that helps. */
static void trim(usw_stretches *s, usw_stretch *a, usw_stretch *b)
{
    const usw_pattern_search *f = s->f;
    if (a->n <= TRIM || b->n <= TRIM ||
        usw_key_at(f, a->begin + a->n - 1 - TRIM) > usw_key_at(f, b->begin + TRIM)) {
        return;
    }
    while (a->high > b->low) {
        unsigned char *loose = take_loose(s, 2);
        if (loose == NULL) {
            return;
        }
        USW_ROUTE_OF("keys at the border of two chunks are loose", USW_WIDE_TYPES);
        usw_store_raw(loose, f->bytes, a->high);
        usw_store_raw(loose + f->bytes, f->bytes, b->low);
        note_stretch(f, a, a->begin, a->n - 1, false);
        note_stretch(f, b, b->begin + 1, b->n - 1, false);
    }
}

static bool follows(const usw_stretch *a, const usw_stretch *b)
{
    return a->falls == b->falls && (a->falls ? a->high >= b->low : a->high <= b->low);
}

static void drop_empty(usw_stretches *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->stretch[i].n > 0) {
            s->stretch[count++] = s->stretch[i];
        }
    }
    s->count = count;
}

/* Joins the stretches to runs; false: they are too many. */
static bool join_stretches(usw_stretches *s)
{
    for (size_t i = 0; i < s->count; i++) {
        usw_stretch *b = &s->stretch[i], *a = b - 1;
        if (i > 0 && !follows(a, b) && !a->falls && !b->falls) {
            trim(s, a, b);
        }
        if (i == 0 || !follows(a, b)) {
            if (s->runs == s->runs_most) {
                return false;
            }
            s->run[s->runs++] = (usw_run){.first = i, .falls = b->falls};
        }
        s->run[s->runs - 1].end = i + 1;
    }
    for (size_t r = 0; r < s->runs; r++) {
        for (size_t i = s->run[r].first; i < s->run[r].end; i++) {
            s->run[r].n += s->stretch[i].n;
        }
    }
    return s->runs > 0 && !atomic_load(&s->given_up);
}

/* One long run, and others that are short: their keys become loose, too. */
static void loosen_short_runs(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    size_t longest = 0, all = 0;
    for (size_t r = 0; r < s->runs; r++) {
        longest = s->run[r].n > s->run[longest].n ? r : longest;
        all += s->run[r].n;
    }
    size_t others = all - s->run[longest].n;
    if (s->runs == 1 || s->run[longest].falls || others > s->loose_most - s->loose_n) {
        return;
    }
    USW_ROUTE_OF("short runs are loose", USW_WIDE_TYPES);
    for (size_t r = 0; r < s->runs; r++) {
        for (size_t i = s->run[r].first; r != longest && i < s->run[r].end; i++) {
            const usw_stretch *a = &s->stretch[i];
            f->maps->map[f->width](take_loose(s, a->n), f->keys + a->begin * f->bytes, a->n,
                                   &f->order->map);
        }
    }
    usw_run run = s->run[longest];
    memmove(s->stretch, s->stretch + run.first, (run.end - run.first) * sizeof *s->stretch);
    s->count = run.end - run.first;
    s->run[0] = (usw_run){0, s->count, run.n, false};
    s->runs = 1;
}

/* ---- the whole ---- */

/* All keys are in the array again: loose ones fill the gaps between the stretches. */
static void put_back(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    const unsigned char *loose = s->loose;
    size_t at = 0;
    for (size_t i = 0; i <= s->count; i++) {
        const usw_stretch end = {.begin = f->n}, *a = i < s->count ? &s->stretch[i] : &end;
        if (i < s->count && a->n == 0) {
            continue;
        }
        f->maps->unmap[f->width](f->keys + at * f->bytes, loose, a->begin - at, &f->order->map);
        loose += (a->begin - at) * f->bytes;
        at = a->begin + a->n;
    }
}

/* Takes the scratch; false: there is none. */
static bool make_room(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    size_t most = (size_t)CHUNK_BYTES / f->bytes;
    s->chunk = usw_min(most, usw_max(CHUNK_MIN, usw_div_up(f->n, CHUNKS)));
    size_t chunks = usw_div_up(f->n, s->chunk);
    bool digits = f->order->map.neg == 0 && f->n >= f->u->tuning.digit_keys[f->width == 3];
    s->runs_most = usw_min(digits ? RUNS_OR_DIGITS : USW_RUNS_MAX, f->n / RUN_MIN);
    s->each = chunks <= CHUNKS && s->chunk < most ? usw_max(2, s->runs_most) : 2;
    s->count = s->each * chunks;
    s->loose_most = f->n / USW_LOOSE_SHARE;
    if (s->in_place) {
        if (chunks > (size_t)USW_CHUNKS_IN_PLACE * f->u->threads) {
            return false;
        }
        size_t most_in_place = (size_t)USW_LOOSE_IN_PLACE * f->u->threads / f->bytes;
        s->loose_most = usw_min(s->loose_most, most_in_place);
    }
    s->stretch = usw_scratch(f->u, s->count * sizeof *s->stretch);
    s->after_stretches = usw_scratch_mark(f->u);
    s->loose = usw_scratch(f->u, s->loose_most * f->bytes);
    s->room =
        usw_scratch_shares(f->u, f->u->threads, (s->chunk / CHUNK_SHARE + DROP_SLACK) * f->bytes);
    return s->stretch != NULL && s->loose != NULL && s->room.at != NULL;
}

/* The runs and the loose keys are known. */
static bool finish(usw_stretches *s)
{
    const usw_pattern_search *f = s->f;
    size_t loose = s->loose_n;
    const usw_hybrid_steps *hybrid = USW_PICK(f->u->isa, usw_hybrid_steps);
    unsigned threads = usw_take_fewer_threads(f->u, loose * f->bytes);
    (void)hybrid->sort[f->width](f->u, s->loose, loose, NULL, true);
    f->u->threads = threads;
    if (s->runs == 1 && !s->run[0].falls) {
        *f->found = (usw_found){USW_NEARLY_SORTED, loose};
        return usw_weave_loose(s);
    }
    *f->found = (usw_found){USW_RUNS, s->runs + (loose > 0)};
    return !s->in_place && s->runs + (loose > 0) <= USW_RUNS_MAX && usw_merge_runs(s);
}

bool usw_sort_stretches(const usw_pattern_search *f, bool in_place)
{
    usw_stretches s = {.f = f, .in_place = in_place};
    usw_mark mark = usw_scratch_mark(f->u);
    bool done = false;
    if (!make_room(&s)) {
        USW_ROUTE_OF("no scratch for the few that stand wrong", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
        return false;
    }
    atomic_init(&s.loose_n, 0);
    atomic_init(&s.given_up, false);
    usw_parallel(f->u, s.count / s.each, examine_chunk, &s);
    drop_empty(&s);
    if (!atomic_load(&s.given_up) && join_stretches(&s)) {
        loosen_short_runs(&s);
        done = finish(&s);
    }
    if (!done) {
        USW_ROUTE_OF("stretches, but not to be merged", USW_WIDE_TYPES);
        put_back(&s);
    }
    usw_scratch_reset(f->u, mark);
    return done;
}

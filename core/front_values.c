/* front_values.c - keys of few values, and of a narrow range: counted, and written again in order.
 * A sample says which of the two may be; a key that is outside ends the attempt, and the keys are
 * as they were. */
#include "front_steps.h"

#include <stdatomic.h>
#include <stdio.h>

enum {
    PROBES = 64,
    PROBES_MORE = 128,                  /* before the others are believed in too */
    ONE_THREAD_BYTES = 8 * 1024 * 1024, /* a second may take longer to wake than to count these */
    SPAN_MAX = 64 * 1024,               /* of a range that is counted */
    KEYS_PER_VALUE = 16                 /* of a range, at least */
};

/* ---- few values ---- */

typedef struct few_count {
    const usw_front *f;
    size_t chunk; /* keys of one task */
    usw_few few;
    atomic_size_t count[USW_FEW];
    atomic_bool other; /* a key has none of the values */
} few_count;

static void count_chunk(void *context, size_t i, unsigned lane)
{
    few_count *c = context;
    const usw_front *f = c->f;
    size_t begin = i * c->chunk, count[USW_FEW] = {0};
    (void)lane;
    if (atomic_load(&c->other)) {
        return;
    }
    if (!f->steps->count_few[f->width](f->keys + begin * f->bytes, usw_min(c->chunk, f->n - begin),
                                       &c->few, count)) {
        atomic_store(&c->other, true);
        return;
    }
    for (unsigned v = 0; v < c->few.values; v++) {
        atomic_fetch_add(&c->count[v], count[v]);
    }
}

static void write_chunk(void *context, size_t i, unsigned lane)
{
    const few_count *c = context;
    const usw_front *f = c->f;
    size_t at = i * c->chunk, end = usw_min(f->n, at + c->chunk), stop = 0;
    (void)lane;
    for (unsigned v = 0; v < c->few.values; v++) {
        stop += atomic_load(&c->count[v]);
        size_t to = usw_min(stop, end);
        if (at < to) {
            f->part->fill[f->width](f->keys + at * f->bytes, to - at, c->few.value[v]);
            at = to;
        }
    }
}

/* Puts x among the values, in the order of their mapped forms; false if there are too many. */
static bool add_value(usw_few *few, uint64_t x, const usw_keymap *map)
{
    unsigned v = 0;
    for (; v < few->values; v++) {
        if (few->value[v] == x) {
            return true;
        }
    }
    if (v == USW_FEW) {
        return false;
    }
    for (; v > 0 && usw_map_key(map, x) < usw_map_key(map, few->value[v - 1]); v--) {
        few->value[v] = few->value[v - 1];
    }
    few->value[v] = x;
    few->values++;
    return true;
}

enum { SEEN_BITS = 6 };

/* Adds the values of a sample. seen[]: some value with each hash, so that few keys are compared
 * with more than one. */
static bool note_values(usw_few *few, const uint64_t *sample, size_t n, uint64_t *seen,
                        const usw_keymap *map)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = sample[i];
        uint64_t *known = &seen[x * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SEEN_BITS)];
        if (*known != x || few->values == 0) {
            if (!add_value(few, x, map)) {
                return false;
            }
            *known = x;
        }
    }
    return true;
}

static unsigned slot_of(uint64_t x, uint64_t multiplier, unsigned bits)
{
    return (unsigned)(x * multiplier << (64 - bits) >> (64 - USW_FEW_SLOT_BITS));
}

static void fill_slots(usw_few *few, unsigned bits)
{
    for (unsigned s = 0; s < USW_FEW_SLOTS; s++) { /* what stands elsewhere is found nowhere */
        few->at[s] = few->value[0];
        few->id[s] = 0;
    }
    unsigned first = slot_of(few->value[0], few->multiplier, bits);
    few->at[first] = few->value[0];
    for (unsigned v = 1; v < few->values; v++) {
        unsigned s = slot_of(few->value[v], few->multiplier, bits);
        few->at[s] = few->value[v];
        few->id[s] = (uint8_t)v;
    }
}

static void tell_few(char *text, size_t bytes, const uint64_t *fact)
{
    snprintf(text, bytes, "%u values only: counted", (unsigned)fact[0]);
}

static bool count_few(const usw_front *f, const uint64_t *sample)
{
    few_count c = {.f = f};
    uint64_t more[PROBES_MORE];
    unsigned bits = (unsigned)f->bytes * 8;
    uint64_t seen[1 << SEEN_BITS];
    for (size_t i = 0; i < 1 << SEEN_BITS; i++) {
        seen[i] = sample[0];
    }
    if (!note_values(&c.few, sample, PROBES, seen, &f->order->map)) {
        return false;
    }
    f->steps->sample[f->width](f->keys, f->n, more, PROBES_MORE);
    if (!note_values(&c.few, more, PROBES_MORE, seen, &f->order->map)) {
        return false;
    }
    if (!f->steps->find_hash[f->width](&c.few)) {
        return false;
    }
    fill_slots(&c.few, bits);
    c.chunk = f->n * f->bytes <= ONE_THREAD_BYTES ? f->n : USW_FRONT_CHUNK;
    size_t chunks = usw_div_up(f->n, c.chunk);
    usw_parallel(f->u, chunks, count_chunk, &c);
    if (atomic_load(&c.other)) {
        return false;
    }
    usw_parallel(f->u, chunks, write_chunk, &c);
    usw_report_later(f->u, "sort/hybrid", tell_few, c.few.values, 0);
    return true;
}

/* ---- a narrow range ---- */

typedef struct range_count {
    const usw_front *f;
    uint64_t low;
    size_t span, pieces;
    uint32_t *count; /* [lane][2][span] */
    size_t *start;   /* [span + 1] */
    atomic_bool other;
} range_count;

static void count_piece(void *context, size_t i, unsigned lane)
{
    range_count *c = context;
    const usw_front *f = c->f;
    size_t begin = i * USW_FRONT_CHUNK;
    if (!atomic_load(&c->other) &&
        !f->steps->count_range[f->width](f->keys + begin * f->bytes,
                                         usw_min(USW_FRONT_CHUNK, f->n - begin), &f->order->map,
                                         c->low, c->span, c->count + lane * 2 * c->span)) {
        atomic_store(&c->other, true);
    }
}

static void write_piece(void *context, size_t i, unsigned lane)
{
    const range_count *c = context;
    const usw_front *f = c->f;
    size_t share = usw_div_up(f->n, c->pieces);
    size_t begin = usw_min(f->n, i * share), end = usw_min(f->n, begin + share);
    (void)lane;
    if (begin < end) {
        f->steps->write_range[f->width](f->keys, begin, end, &f->order->map, c->low, c->start,
                                        c->span);
    }
}

/* The least and the greatest of the sample, with as much room on both sides again. */
static bool choose_range(range_count *c, const uint64_t *sample)
{
    const usw_front *f = c->f;
    uint64_t most = UINT64_MAX >> (64 - 8 * f->bytes), low = most, high = 0;
    uint64_t limit = usw_min(f->n / KEYS_PER_VALUE, SPAN_MAX) / 3;
    for (size_t i = 0; i < PROBES; i++) {
        uint64_t x = usw_map_key(&f->order->map, sample[i]);
        low = x < low ? x : low;
        high = x > high ? x : high;
        if (high - low > limit - 8) {
            return false;
        }
    }
    uint64_t room = high - low + 8;
    low -= low < room ? low : room;
    high += most - high < room ? most - high : room;
    c->low = low;
    c->span = (size_t)(high - low) + 1;
    return f->n <= UINT32_MAX;
}

static void tell_range(char *text, size_t bytes, const uint64_t *fact)
{
    snprintf(text, bytes, "%zu keys within a range of %zu values: counted", (size_t)fact[0],
             (size_t)fact[1]);
}

static bool count_range(const usw_front *f, const uint64_t *sample)
{
    range_count c = {.f = f};
    size_t lanes = f->u->threads;
    usw_mark mark = usw_scratch_mark(f->u);
    if (!choose_range(&c, sample)) {
        return false;
    }
    c.count = usw_scratch(f->u, lanes * 2 * c.span * sizeof *c.count);
    c.start = c.count == NULL ? NULL : usw_scratch(f->u, (c.span + 1) * sizeof *c.start);
    if (c.start == NULL) {
        usw_scratch_reset(f->u, mark);
        return false;
    }
    memset(c.count, 0, lanes * 2 * c.span * sizeof *c.count);
    usw_parallel(f->u, usw_div_up(f->n, USW_FRONT_CHUNK), count_piece, &c);
    if (atomic_load(&c.other)) {
        usw_scratch_reset(f->u, mark);
        return false;
    }
    size_t sum = 0;
    for (size_t x = 0; x < c.span; x++) {
        c.start[x] = sum;
        for (size_t way = 0; way < 2 * lanes; way++) {
            sum += c.count[way * c.span + x];
        }
    }
    c.start[c.span] = sum;
    c.pieces = f->n < USW_FRONT_CHUNK ? 1 : 4 * lanes;
    usw_parallel(f->u, c.pieces, write_piece, &c);
    usw_report_later(f->u, "sort/hybrid", tell_range, f->n, c.span);
    return true;
}

/* Whether some probes alone have more values than are counted one by one: fewer slots than values
 * are taken, so this is never said of few, and it takes no list. */
static bool are_many(const uint64_t *sample)
{
    uint64_t taken = 0;
    for (size_t i = 0; i < PROBES / 2; i++) {
        taken |= UINT64_C(1) << (sample[i] * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    }
    return __builtin_popcountll(taken) > USW_FEW;
}

bool usw_front_values(const usw_front *f)
{
    uint64_t sample[PROBES];
    f->steps->sample[f->width](f->keys, f->n, sample, PROBES);
    return (!are_many(sample) && count_few(f, sample)) || count_range(f, sample);
}

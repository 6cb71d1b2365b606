/* few_values.c - sorts keys of few values and keys of a narrow range: their values are counted,
 * then written in order. A sample says which of the two may be; a key with another value ends the
 * attempt, and the keys are as they were. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pattern_steps.h"

#include <stdatomic.h>

enum {
    PROBES = 64,
    PROBES_MORE =
        128, /* before more than FEW_AT_ONCE keys are counted, or where another value turned up */
    FEW_AT_ONCE = 16 * 1024,            /* keys that are counted after the first probes */
    ONE_THREAD_BYTES = 4 * 1024 * 1024, /* a second may take longer to wake than to count these */
    FAR_BYTES =
        6 * 1024 * 1024,  /* so many bytes have left a core's own cache when they are written */
    SPAN_MAX = 64 * 1024, /* values of a range that is counted */
    KEYS_PER_VALUE = 16   /* keys, at least, for each value of a range */
};

/* ---- few values ---- */

typedef struct values_count {
    const usw_pattern_search *f;
    size_t chunk; /* keys of one task */
    usw_value_set few;
    atomic_size_t count[USW_VALUES_MAX];
    atomic_bool other; /* a key has none of the values */
} values_count;

static void count_chunk(void *context, size_t i, unsigned lane)
{
    values_count *c = context;
    const usw_pattern_search *f = c->f;
    size_t begin = i * c->chunk, count[USW_VALUES_MAX] = {0};
    (void)lane;
    if (atomic_load(&c->other)) {
        return;
    }
    if (!f->steps->count_values[f->width](f->keys + begin * f->bytes,
                                          usw_min(c->chunk, f->n - begin), &c->few, count)) {
        atomic_store(&c->other, true);
        return;
    }
    for (unsigned v = 0; v < c->few.values; v++) {
        atomic_fetch_add(&c->count[v], count[v]);
    }
}

static void write_chunk(void *context, size_t i, unsigned lane)
{
    const values_count *c = context;
    const usw_pattern_search *f = c->f;
    size_t at = i * c->chunk, end = usw_min(f->n, at + c->chunk), stop = 0;
    bool far = f->n * f->bytes >= FAR_BYTES;
    (void)lane;
    for (unsigned v = 0; v < c->few.values; v++) {
        stop += atomic_load(&c->count[v]);
        size_t to = usw_min(stop, end);
        if (at < to) {
            f->maps->fill[f->width](f->keys + at * f->bytes, to - at, c->few.value[v], far);
            at = to;
        }
    }
}

/* Counts the keys of each value in `few`, and writes the values in order if no key has another. */
static bool count_noted(const usw_pattern_search *f, usw_value_set *few)
{
    if (!f->steps->hash_values(few, (unsigned)f->bytes * 8, &f->order->map)) {
        return false;
    }
    values_count c = {.f = f, .few = *few};
    /* With AVX-512 a second thread for less gained in one run and lost in another. */
    size_t one_thread = f->u->isa == USW_AVX512 ? 2 * ONE_THREAD_BYTES : ONE_THREAD_BYTES;
    c.chunk = f->n * f->bytes <= one_thread ? f->n : USW_PATTERN_CHUNK;
    size_t chunks = usw_div_up(f->n, c.chunk);
    usw_parallel(f->u, chunks, count_chunk, &c);
    if (atomic_load(&c.other)) {
        USW_ROUTE_OF("other values turn up", USW_WIDE_TYPES);
        return false;
    }
    USW_ROUTE_OF("few values: counted", USW_WIDE_TYPES);
    USW_ROUTE_IF(chunks > 1, "few values: by all threads", USW_WIDE_TYPES);
    usw_parallel(f->u, chunks, write_chunk, &c);
    *f->found = (usw_found){USW_FEW_VALUES, c.few.values};
    return true;
}

/* A sample seldom misses one of 16 values. Of up to FEW_AT_ONCE keys, reading more probes takes as
 * long as beginning to count: so these are read only after a key with another value. */
static bool count_few(const usw_pattern_search *f, const uint64_t *sample)
{
    usw_value_set few = {0};
    uint64_t more[PROBES_MORE];
    if (!f->steps->note_values(&few, sample, PROBES)) {
        return false;
    }
    if (f->n <= FEW_AT_ONCE && count_noted(f, &few)) {
        USW_ROUTE_OF("few values, by the first probes", USW_WIDE_TYPES);
        return true;
    }
    USW_ROUTE_OF("few values, by more probes", USW_WIDE_TYPES);
    unsigned values = few.values;
    f->steps->sample[f->width](f->keys, f->n, more, PROBES_MORE);
    return f->steps->note_values(&few, more, PROBES_MORE) &&
           (f->n > FEW_AT_ONCE || few.values > values) && count_noted(f, &few);
}

/* ---- a narrow range ---- */

typedef struct range_count {
    const usw_pattern_search *f;
    uint64_t low;
    size_t span, pieces;
    uint32_t *count; /* [lane][2][span] */
    size_t *start;   /* [span + 1] */
    atomic_bool other;
} range_count;

static void count_piece(void *context, size_t i, unsigned lane)
{
    range_count *c = context;
    const usw_pattern_search *f = c->f;
    size_t begin = i * USW_PATTERN_CHUNK;
    if (!atomic_load(&c->other) &&
        !f->steps->count_range[f->width](f->keys + begin * f->bytes,
                                         usw_min(USW_PATTERN_CHUNK, f->n - begin), &f->order->map,
                                         c->low, c->span, c->count + lane * 2 * c->span)) {
        atomic_store(&c->other, true);
    }
}

static void write_piece(void *context, size_t i, unsigned lane)
{
    const range_count *c = context;
    const usw_pattern_search *f = c->f;
    size_t share = usw_div_up(f->n, c->pieces);
    size_t begin = usw_min(f->n, i * share), end = usw_min(f->n, begin + share);
    (void)lane;
    if (begin < end) {
        f->steps->write_range[f->width](f->keys, begin, end, &f->order->map, c->low, c->start,
                                        c->span);
    }
}

/* From the least to the greatest of the sample, and as far again on both sides. */
static bool choose_range(range_count *c, const uint64_t *sample)
{
    const usw_pattern_search *f = c->f;
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
    uint64_t margin = high - low + 8;
    low -= low < margin ? low : margin;
    high += most - high < margin ? most - high : margin;
    c->low = low;
    c->span = (size_t)(high - low) + 1;
    return f->n <= UINT32_MAX;
}

static bool count_range(const usw_pattern_search *f, const uint64_t *sample)
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
        USW_ROUTE_OF("a narrow range, but no scratch", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
        return false;
    }
    memset(c.count, 0, lanes * 2 * c.span * sizeof *c.count);
    usw_parallel(f->u, usw_div_up(f->n, USW_PATTERN_CHUNK), count_piece, &c);
    if (atomic_load(&c.other)) {
        USW_ROUTE_OF("a narrow range, but for some keys", USW_WIDE_TYPES);
        usw_scratch_reset(f->u, mark);
        return false;
    }
    USW_ROUTE_OF("a narrow range: counted", USW_WIDE_TYPES);
    size_t sum = 0;
    for (size_t x = 0; x < c.span; x++) {
        c.start[x] = sum;
        for (size_t table = 0; table < 2 * lanes; table++) {
            sum += c.count[table * c.span + x];
        }
    }
    c.start[c.span] = sum;
    c.pieces = f->n < USW_PATTERN_CHUNK ? 1 : 4 * lanes;
    usw_parallel(f->u, c.pieces, write_piece, &c);
    *f->found = (usw_found){USW_NARROW_RANGE, c.span};
    return true;
}

/* Whether half of the probes alone have more than USW_VALUES_MAX values. Counts slots of a hash, of
 * which values take at most one each: so few values are never taken for many. */
static bool are_many(const uint64_t *sample)
{
    uint64_t taken = 0;
    for (size_t i = 0; i < PROBES / 2; i++) {
        taken |= UINT64_C(1) << (sample[i] * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    }
    return __builtin_popcountll(taken) > USW_VALUES_MAX;
}

bool usw_sort_values(const usw_pattern_search *f)
{
    uint64_t sample[PROBES];
    f->steps->sample[f->width](f->keys, f->n, sample, PROBES);
    return (!are_many(sample) && count_few(f, sample)) || count_range(f, sample);
}

bool usw_some_are_frequent(const upsweep *u, const void *keys, size_t n, unsigned width)
{
    enum { FROM = 256 * 1024, OFTEN = 3 };
    uint64_t sample[PROBES];
    unsigned same = 0;
    if (n < FROM || u->isa == USW_PORTABLE) {
        return false;
    }
    USW_PICK(u->isa, usw_pattern_steps)->sample[width](keys, n, sample, PROBES);
    USW_PICK(u->isa, usw_cache_sort_steps)->sort[3](sample, PROBES);
    for (size_t i = 0; i + 1 < PROBES; i++) {
        same += sample[i] == sample[i + 1];
    }
    return same >= OFTEN;
}

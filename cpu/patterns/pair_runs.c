/* pair_runs.c - merges a few long runs of keys that carry something: files one behind the other.
 *
 * All threads look for runs that rise or fall, chunk by chunk. Then each takes parts of all runs
 * that fit its cache (runs.c) and merges words there that have a key above its position: the keys
 * of a part lie close together, so that what they are more than the least of them mostly fits
 * above the position, and the merges are those of 64-bit integers. Of words that agree in all that
 * fits, the whole keys are looked at. So keys are read twice, what they carry once. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pair_stretches.h"
#include "cpu/patterns/runs.h"

enum {
    CHUNK = 32 * 1024, /* keys of a task that looks for runs, at least, */
    CHUNKS = 256,      /* in an array of more than CHUNKS of them */
    RUN_MIN = 256,     /* keys of a run on average */
    RUNS_NARROW = 8,   /* runs that are merged by vectors of less than 512 bits, or by none */
    EQUAL = 32,        /* no key of a run that falls is equal to the one so far behind it */
    PART = 32 * 1024,  /* words that are merged in a thread's cache, */
    COPY = 128 * 1024, /* pairs of a task that copies */
    STRIP = 64         /* of which so many are looked at without a branch */
};

typedef struct stretch {
    size_t begin, end;
    bool falls;
} stretch;

typedef struct pair_runs {
    usw_runs r;
    const usw_pair_stretches *s;
    size_t chunk, runs_most;
    stretch *stretch; /* runs_most of each chunk */
    size_t *count;    /* of each chunk's stretches */
    atomic_bool given_up;
    usw_shares buffers; /* two of PART words for each thread */
    unsigned place_bits;
} pair_runs;

/* ---- the runs ---- */

/* Where the stretch ends that begins at `begin`. */
static size_t stretch_end(const pair_runs *m, size_t begin, size_t end, bool *falls)
{
    const usw_pair_stretches *s = m->s;
    const unsigned char *keys = s->keys + begin * s->bytes;
    size_t n = end - begin, fall = 0;
    size_t rise = s->maps->first_break[s->width](keys, n, &s->order, true, true);
    if (rise <= EQUAL && rise < n) {
        fall = s->maps->first_break[s->width](keys, n, &s->order, false, true);
    }
    for (size_t i = 0; i + EQUAL < fall; i += EQUAL) {
        if (usw_order_key(&m->r, begin + i) == usw_order_key(&m->r, begin + i + EQUAL)) {
            fall = 0;
        }
    }
    *falls = fall > rise;
    return begin + (*falls ? fall : rise);
}

static void examine_chunk(void *context, size_t c, unsigned lane)
{
    pair_runs *m = context;
    size_t begin = c * m->chunk, end = usw_min(m->r.n, begin + m->chunk);
    stretch *to = m->stretch + c * m->runs_most;
    (void)lane;
    for (m->count[c] = 0; begin < end && !atomic_load(&m->given_up); m->count[c]++) {
        if (m->count[c] == m->runs_most) {
            atomic_store(&m->given_up, true);
            return;
        }
        bool falls;
        size_t stop = stretch_end(m, begin, end, &falls);
        to[m->count[c]] = (stretch){begin, stop, falls};
        begin = stop;
    }
}

/* Joins the stretches of all chunks to runs; false: they are too many. */
static bool join_stretches(pair_runs *m, size_t chunks)
{
    usw_runs *r = &m->r;
    for (size_t c = 0; c < chunks; c++) {
        for (size_t k = 0; k < m->count[c]; k++) {
            const stretch *b = &m->stretch[c * m->runs_most + k];
            uint64_t last = b->begin > 0 ? usw_order_key(r, b->begin - 1) : 0;
            uint64_t first = usw_order_key(r, b->begin);
            bool follows = r->count > 0 && r->falls[r->count - 1] == b->falls &&
                           (b->falls ? last >= first : last <= first);
            if (!follows && r->count == m->runs_most) {
                return false;
            }
            r->count += !follows;
            r->falls[r->count - 1] = b->falls;
            r->end[r->count] = b->end;
        }
    }
    return true;
}

static bool find_runs(pair_runs *m)
{
    usw_runs *r = &m->r;
    m->chunk = usw_max(CHUNK, usw_div_up(r->n, CHUNKS));
    m->runs_most = usw_min(r->u->isa == USW_AVX512 ? USW_RUNS_MAX : RUNS_NARROW, r->n / RUN_MIN);
    size_t chunks = usw_div_up(r->n, m->chunk);
    m->stretch = usw_scratch(r->u, chunks * m->runs_most * sizeof *m->stretch);
    m->count = usw_scratch(r->u, chunks * sizeof *m->count);
    if (m->stretch == NULL || m->count == NULL) {
        return false;
    }
    usw_parallel(r->u, chunks, examine_chunk, m);
    return !atomic_load(&m->given_up) && join_stretches(m, chunks);
}

/* ---- one part ---- */

/* The first word from i on that agrees with the next one above the positions, or n. */
static size_t next_tie(const pair_runs *m, const uint64_t *words, size_t i, size_t n)
{
    const uint64_t mask = (UINT64_C(1) << m->place_bits) - 1;
    for (size_t end; i + 1 < n; i = end) {
        bool tied = false;
        end = usw_min(i + STRIP, n - 1);
        for (size_t k = i; k < end; k++) {
            tied |= (words[k] ^ words[k + 1]) <= mask;
        }
        if (tied) {
            while ((words[i] ^ words[i + 1]) > mask) {
                i++;
            }
            return i;
        }
    }
    return n;
}

/* The end of the words that agree with word i. */
static size_t tie_end(const pair_runs *m, const uint64_t *words, size_t i, size_t n)
{
    size_t end = i + 1;
    while (end < n && (words[end] ^ words[i]) >> m->place_bits == 0) {
        end++;
    }
    return end;
}

/* Words [0, n) of a run that falls, which were packed in the order of their positions. */
static void turn(const pair_runs *m, uint64_t *words, size_t n)
{
    USW_ROUTE_OF("a falling run is turned, with positions", USW_WIDE_TYPES);
    m->s->maps->mirror[3](words, words + n - n / 2, n / 2);
    for (size_t i = 0, end; (i = next_tie(m, words, i, n)) < n; i = end) {
        end = tie_end(m, words, i, n); /* equal keys keep their order */
        m->s->maps->mirror[3](words + i, words + end - (end - i) / 2, (end - i) / 2);
    }
}

/* Packs places [at[i], end[i]) of all runs. */
static usw_close_keys pack_part(const pair_runs *m, const size_t *at, const size_t *end,
                                uint64_t *words, usw_lists *l)
{
    const usw_runs *r = &m->r;
    const usw_pack_steps *steps = USW_PICK(r->u->isa, usw_pack_steps);
    usw_close_keys close = {r->order, UINT64_MAX, 0, m->place_bits};
    uint64_t high = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (at[i] < end[i]) {
            close.low = usw_min(close.low, usw_run_key(r, i, at[i]));
            high = usw_max(high, usw_run_key(r, i, end[i] - 1));
        }
    }
    unsigned bits = 64 - (unsigned)__builtin_clzll((high - close.low) | 1);
    close.drop = bits > 64 - m->place_bits ? bits - (64 - m->place_bits) : 0;
    for (size_t i = 0; i < r->count; i++) {
        size_t n = end[i] - at[i];
        size_t first = r->falls[i] ? r->end[i] + r->end[i + 1] - end[i] : at[i];
        if (n == 0) {
            continue;
        }
        steps->pack_close(&close, r->keys + first * r->bytes, n, first, words);
        if (r->falls[i]) {
            turn(m, words, n);
        }
        l->list[l->count] = (const unsigned char *)words;
        l->n[l->count++] = n;
        words += n;
    }
    return close;
}

/* Words that agree above the positions, though keys differ: what was dropped of the keys takes the
 * place of what agrees, and they are sorted. */
static void order_ties(const pair_runs *m, uint64_t *words, size_t n, const usw_close_keys *close)
{
    USW_ROUTE_OF("runs whose words may agree", USW_NO_TYPES);
    uint64_t mask = (UINT64_C(1) << m->place_bits) - 1, dropped = (UINT64_C(1) << close->drop) - 1;
    for (size_t i = 0, end; (i = next_tie(m, words, i, n)) < n; i = end) {
        bool in_order = true;
        end = tie_end(m, words, i, n);
        for (size_t k = i; k < end; k++) {
            uint64_t position = words[k] & mask, key = usw_order_key(&m->r, position) - close->low;
            words[k] = (key & dropped) << m->place_bits | position;
            in_order = in_order && (k == i || words[k - 1] < words[k]);
        }
        if (!in_order) {
            USW_ROUTE_OF("words of what was dropped of keys", USW_NO_TYPES);
            USW_PICK(m->r.u->isa, usw_cache_sort_steps)->sort[3](words + i, end - i);
        }
    }
}

/* The payloads that belong to a part mostly are in the cache, so they are not asked for ahead. */
static void gather_payloads(const char *from, const uint64_t *positions, size_t n, size_t bytes,
                            const usw_pack_steps *steps, unsigned char *to)
{
    for (size_t i = 0; bytes == 4 && i < n; i++) {
        memcpy(to + 4 * i, from + 4 * positions[i], 4);
    }
    for (size_t i = 0; bytes == 8 && i < n; i++) {
        memcpy(to + 8 * i, from + 8 * positions[i], 8);
    }
    if (bytes != 4 && bytes != 8) {
        steps->gather(positions, 8, 4, from, to, bytes, 0, n);
    }
}

static void write_part(const pair_runs *m, uint64_t *words, size_t n, const usw_close_keys *close,
                       size_t place)
{
    const usw_pair_stretches *s = m->s;
    const usw_pair_sort *p = s->p;
    const usw_pack_steps *steps = USW_PICK(s->u->isa, usw_pack_steps);
    size_t pb = p->payload_bytes;
    unsigned char *to = s->out_payloads + place * pb, *to_keys = s->out_keys;
    uint64_t mask = (UINT64_C(1) << m->place_bits) - 1;
    if (to_keys != NULL) {
        to_keys += place * s->bytes;
        if (close->drop == 0 && (s->order.left | s->order.right) == 0) {
            steps->unpack_close(close, words, n, to_keys);
            to_keys = NULL;
        }
    }
    for (size_t i = 0; i < n; i++) {
        words[i] &= mask;
    }
    if (p->payloads != NULL) {
        gather_payloads(p->payloads, words, n, pb, steps, to);
    } else {
        for (size_t i = 0; pb == 4 && i < n; i++) {
            uint32_t position = (uint32_t)words[i];
            memcpy(to + 4 * i, &position, 4);
        }
        memcpy(to, words, pb == 8 ? 8 * n : 0);
    }
    if (to_keys != NULL) {
        steps->gather(words, 8, 4, s->keys, to_keys, s->bytes, 0, n);
    }
}

static void merge_part(const usw_runs *r, const size_t *at, const size_t *end, size_t place,
                       unsigned lane)
{
    USW_ROUTE_PAIRS_OF("runs are merged in a cache", USW_WIDE_TYPES);
    pair_runs *m = r->context;
    unsigned char *buffer = usw_share(&m->buffers, lane);
    unsigned char *side[2] = {buffer, buffer + PART * sizeof(uint64_t) + USW_ASIDE_BYTES};
    usw_lists l = {.count = 0};
    usw_close_keys close = pack_part(m, at, end, (uint64_t *)(void *)buffer, &l);
    const unsigned char *merged = usw_merge_lists(
        &l, USW_PICK(r->u->isa, usw_merge_steps)->merge[3], sizeof(uint64_t), side, 1, NULL);
    uint64_t *words = (uint64_t *)(void *)(merged == buffer ? buffer : side[1]);
    if (close.drop > 0) {
        order_ties(m, words, l.n[0], &close);
    }
    write_part(m, words, l.n[0], &close, place);
}

/* ---- where the result goes ---- */

static void copy_back(void *context, size_t c, unsigned lane)
{
    const usw_pair_stretches *s = context;
    const usw_pair_sort *p = s->p;
    size_t begin = c * COPY, n = usw_min(COPY, s->n - begin), pb = p->payload_bytes;
    (void)lane;
    if (s->out_keys != NULL) {
        memcpy((unsigned char *)p->out_keys + begin * s->bytes, s->out_keys + begin * s->bytes,
               n * s->bytes);
    }
    if (p->payloads != NULL) {
        memcpy((unsigned char *)p->out_payloads + begin * pb, s->out_payloads + begin * pb, n * pb);
    }
}

/* Takes scratch for what is written where the outputs are read; false: there is none. */
static bool take_outputs(usw_pair_stretches *s)
{
    const usw_pair_sort *p = s->p;
    bool keys = p->out_keys != NULL, payloads = p->payloads != NULL;
    s->out_keys = keys ? usw_scratch(s->u, s->n * s->bytes) : NULL;
    s->out_payloads =
        payloads ? usw_scratch(s->u, s->n * p->payload_bytes) : (unsigned char *)p->out_payloads;
    return (!keys || s->out_keys != NULL) && s->out_payloads != NULL;
}

static void copy_all_back(usw_pair_stretches *s)
{
    if (s->out_keys != NULL || s->p->payloads != NULL) {
        usw_parallel(s->u, usw_div_up(s->n, COPY), copy_back, s);
    }
}

/* ---- the whole ---- */

bool usw_merge_pair_runs(usw_pair_stretches *s)
{
    pair_runs m = {.s = s, .place_bits = usw_log2_up(s->n)};
    m.r = (usw_runs){.u = s->u,
                     .keys = s->keys,
                     .n = s->n,
                     .bytes = s->bytes,
                     .order = s->order,
                     .part = PART,
                     .merge_part = merge_part,
                     .context = &m};
    atomic_init(&m.given_up, false);
    if (m.place_bits > 32 || !find_runs(&m) || !take_outputs(s)) {
        return false;
    }
    m.buffers =
        usw_scratch_shares(s->u, s->u->threads, 2 * (PART * sizeof(uint64_t) + USW_ASIDE_BYTES));
    if (m.buffers.at == NULL || !usw_merge_in_parts(&m.r)) {
        return false;
    }
    copy_all_back(s);
    return true;
}

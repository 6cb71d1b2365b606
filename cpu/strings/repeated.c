/* repeated.c - a table of strings that a thread has seen, so that of many equal ones few are left to
 * be sorted.
 *
 * Each thread has a table of its own, of sets of four strings that share some bits of a hash. A
 * string that is found there is dropped: the one in the table stands before it, since a thread
 * takes its chunks in order. A string that is not found takes a place, if need be another's; what
 * is lost so, and what several threads have seen, comes together in the sort. A thread that finds
 * too little at first looks no further. */
/* SPDX-License-Identifier: MIT */
#include "cpu/strings/repeated.h"

enum {
    CHUNK = 1 << 13, /* items */
    BATCH = 32,      /* strings that are looked up side by side */
    WAYS = 4,
    SET_BITS = 15,
    TRIAL = 8, /* chunks of a thread, after which it goes on if at least */
    WORTH = 4  /* one in so many was dropped */
};

typedef struct set {
    uint32_t tag[WAYS];
    uint64_t item[WAYS]; /* USW_DROPPED: free */
} __attribute__((aligned(64))) set;

typedef struct table {
    set sets[1 << SET_BITS];
    size_t seen, dropped;
    bool begun;
} table;

typedef struct job {
    usw_string_sort *sort;
    usw_repeated *r;
} job;

static uint64_t hash_of(const usw_strings *strings, usw_string s)
{
    uint64_t h = s.bytes * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < s.bytes; i += 8) {
        uint64_t word = usw_load_word(s.at + i, strings->end);
        size_t rest = s.bytes - i;
        word = rest >= 8 ? word : word & ~UINT64_C(0) << (64 - 8 * rest);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return h * UINT64_C(0x9e3779b97f4a7c15);
}

/* One string of a batch. */
typedef struct search {
    usw_string string;
    uint64_t hash, item;
    int way; /* that has its tag; -1: none */
} search;

static set *set_of(table *t, uint64_t hash)
{
    return &t->sets[hash >> (64 - SET_BITS)];
}

static int way_of(const set *s, uint64_t hash)
{
    for (int w = 0; w < WAYS; w++) {
        if (s->tag[w] == (uint32_t)hash && s->item[w] != USW_DROPPED) {
            return w;
        }
    }
    return -1;
}

/* Whether the string is in the table; else it is there now. */
static bool is_repeated(const usw_strings *strings, table *t, const search *q)
{
    set *s = set_of(t, q->hash);
    int w = way_of(s, q->hash);
    if (w >= 0) {
        usw_string there = usw_string_of(strings, s->item[w]);
        if (there.bytes == q->string.bytes && usw_compare_strings(there, q->string, 0) == 0) {
            return true;
        }
    }
    for (w = 0; w < WAYS - 1 && s->item[w] != USW_DROPPED; w++) {
    }
    w = s->item[w] == USW_DROPPED ? w : (int)(q->hash >> 32 & (WAYS - 1));
    s->tag[w] = (uint32_t)q->hash;
    s->item[w] = q->item;
    return false;
}

/* Looks n <= BATCH items up, in three steps so that memory is waited for side by side. Returns how
 * many are kept, which come to `to` and, with their values, to the same places. */
static size_t look_up(const usw_string_sort *s, table *t, size_t at, size_t n, size_t to)
{
    search batch[BATCH];
    uint64_t *items = s->items;
    size_t kept = to;
    for (size_t i = 0; i < n; i++) {
        search *q = &batch[i];
        q->item = items[at + i];
        q->string = usw_string_of(&s->strings, q->item);
        q->hash = hash_of(&s->strings, q->string);
        __builtin_prefetch(set_of(t, q->hash));
    }
    for (size_t i = 0; i < n; i++) {
        const set *there = set_of(t, batch[i].hash);
        int w = way_of(there, batch[i].hash);
        if (w >= 0) {
            usw_fetch_string(&s->strings, there->item[w], 0);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_repeated(&s->strings, t, &batch[i])) {
            items[kept] = batch[i].item;
            if (s->values != NULL) {
                s->values[kept] = s->values[at + i];
            }
            kept++;
        }
    }
    return kept - to;
}

static void drop_chunk(void *context, size_t chunk, unsigned lane)
{
    const job *j = context;
    table *t = usw_share(&j->r->tables, lane);
    size_t begin = chunk * CHUNK, end = usw_min(begin + CHUNK, j->sort->n), to = begin;
    if (!t->begun) {
        memset(t->sets, 0xff, sizeof t->sets);
        t->begun = true;
    }
    if (t->seen >= TRIAL * CHUNK && t->dropped < t->seen / WORTH) {
        j->r->kept[chunk] = end - begin;
        return;
    }
    for (size_t at = begin; at < end; at += BATCH) {
        to += look_up(j->sort, t, at, usw_min(BATCH, end - at), to);
    }
    t->seen += end - begin;
    t->dropped += end - to;
    j->r->kept[chunk] = to - begin;
}

bool usw_take_repeated(upsweep *u, const usw_string_sort *s, usw_repeated *r)
{
    unsigned lanes = usw_parallel_threads(u);
    r->tables = usw_scratch_shares(u, lanes, sizeof(table));
    r->kept = usw_scratch(u, usw_div_up(s->n, CHUNK) * sizeof *r->kept);
    for (unsigned i = 0; r->tables.at != NULL && i < lanes; i++) {
        table *t = usw_share(&r->tables, i);
        t->seen = t->dropped = 0;
        t->begun = false;
    }
    return r->tables.at != NULL && r->kept != NULL;
}

size_t usw_drop_repeated(upsweep *u, usw_string_sort *s, usw_repeated *r)
{
    USW_ROUTE_OF("strings seen before are dropped", USW_NO_TYPES);
    job j = {s, r};
    size_t chunks = usw_div_up(s->n, CHUNK), kept = 0;
    uint64_t *items = s->items;
    usw_parallel(u, chunks, drop_chunk, &j);
    for (size_t c = 0; c < chunks; c++) {
        size_t begin = c * CHUNK;
        if (kept != begin) {
            memmove(items + kept, items + begin, r->kept[c] * sizeof *items);
            if (s->values != NULL) {
                memmove(s->values + kept, s->values + begin, r->kept[c] * sizeof *items);
            }
        }
        kept += r->kept[c];
    }
    return kept;
}

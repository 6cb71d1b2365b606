/* pair_weave.c - merges stretches of keys in order with loose keys, and what they carry.
 *
 * Each stretch has a place in the result, which the loose keys before it decide, and is a task.
 * Between two loose keys the pairs of a stretch stay together: they are copied as they lie, and
 * where positions are asked for, these are counted up, so that keys are only read near a loose key.
 * Equal keys keep their order: a loose key comes behind such as stood before it. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pair_stretches.h"

enum {
    CHUNK = 128 * 1024, /* pairs of a task that copies */
    AHEAD = 8           /* loose keys that are asked for before they are written */
};

typedef struct loose_key {
    uint64_t key;
    size_t position;
} loose_key;

static loose_key loose_at(const usw_pair_stretches *s, size_t j)
{
    size_t pb = s->position_bytes;
    return (loose_key){usw_pair_key(s, s->key, j), (size_t)usw_load_raw(s->position + j * pb, pb)};
}

/* Whether the key at i of the array comes before the loose one. */
static bool is_before(const usw_pair_stretches *s, size_t i, const loose_key *x)
{
    uint64_t key = usw_pair_key(s, s->keys, i);
    return key < x->key || (key == x->key && i < x->position);
}

/* How many loose keys come before key i of the array. */
static size_t rank_of(const usw_pair_stretches *s, size_t i)
{
    size_t low = 0, high = s->loose;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        loose_key x = loose_at(s, middle);
        bool before = is_before(s, i, &x);
        *(before ? &high : &low) = before ? middle : middle + 1;
    }
    return low;
}

/* How many holes lie in a stretch. */
static size_t holes_within(const usw_pair_stretches *s, const usw_pair_stretch *a)
{
    size_t count = 0;
    for (size_t h = a->hole; h < a->hole + a->holes; h++) {
        count += s->hole[h] >= a->begin && s->hole[h] < a->end;
    }
    return count;
}

static void find_places(usw_pair_stretches *s)
{
    size_t before = 0;
    for (size_t c = 0; c < s->count; c++) {
        usw_pair_stretch *a = &s->stretch[c];
        a->rank = c == 0 ? 0 : rank_of(s, a->begin);
        a->place = before + a->rank;
        before += a->end - a->begin - holes_within(s, a);
    }
}

/* ---- what is written ---- */

/* Pairs [begin, end) of the array go to `at`. */
static void put_pairs(const usw_pair_stretches *s, size_t at, size_t begin, size_t end)
{
    const usw_pair_sort *p = s->p;
    size_t n = end - begin, pb = p->payload_bytes;
    if (s->out_keys != NULL) {
        memcpy(s->out_keys + at * s->bytes, s->keys + begin * s->bytes, n * s->bytes);
    }
    unsigned char *to = s->out_payloads + at * pb;
    if (p->payloads != NULL) {
        memcpy(to, (const unsigned char *)p->payloads + begin * pb, n * pb);
        return;
    }
    for (size_t i = 0; pb == 4 && i < n; i++) {
        uint32_t position = (uint32_t)(begin + i);
        memcpy(to + 4 * i, &position, 4);
    }
    for (size_t i = 0; pb == 8 && i < n; i++) {
        uint64_t position = begin + i;
        memcpy(to + 8 * i, &position, 8);
    }
}

/* Loose pairs lie anywhere in the array. */
static void fetch_ahead(const usw_pair_stretches *s, size_t j)
{
    const usw_pair_sort *p = s->p;
    if (j < s->loose && p->payloads != NULL) {
        size_t at = loose_at(s, j).position;
        __builtin_prefetch((const unsigned char *)p->payloads + at * p->payload_bytes);
        __builtin_prefetch(s->keys + at * s->bytes);
    }
}

/* The first of the keys [i, end) that does not come before the loose one: i, then by doubled
 * steps. */
static size_t follow(const usw_pair_stretches *s, size_t i, size_t end, const loose_key *x)
{
    size_t step = 1;
    while (step <= end - i && is_before(s, i + step - 1, x)) {
        i += step;
        step *= 2;
    }
    size_t high = usw_min(end, i + step - 1);
    while (i < high) {
        size_t middle = i + (high - i) / 2;
        bool before = is_before(s, middle, x);
        *(before ? &i : &high) = before ? middle + 1 : middle;
    }
    return i;
}

static void weave_stretch(void *context, size_t c, unsigned lane)
{
    const usw_pair_stretches *s = context;
    const usw_pair_stretch *a = &s->stretch[c];
    size_t j = a->rank, stop = c + 1 < s->count ? a[1].rank : s->loose, at = a->place;
    size_t hole = a->hole, holes_end = a->hole + a->holes;
    loose_key x = j < stop ? loose_at(s, j) : (loose_key){0};
    (void)lane;
    for (size_t i = a->begin; i < a->end;) {
        while (hole < holes_end && s->hole[hole] < i) {
            hole++;
        }
        if (hole < holes_end && s->hole[hole] == i) {
            i++;
            continue;
        }
        size_t end = usw_min(a->end, hole < holes_end ? s->hole[hole] : a->end);
        while (i < end) {
            size_t next = j < stop ? follow(s, i, end, &x) : end;
            put_pairs(s, at, i, next);
            at += next - i;
            i = next;
            for (; j < stop && i < end && !is_before(s, i, &x); at++) {
                put_pairs(s, at, x.position, x.position + 1);
                fetch_ahead(s, j + AHEAD);
                x = ++j < stop ? loose_at(s, j) : x;
            }
        }
    }
    for (; j < stop; j++, at++) {
        x = loose_at(s, j);
        put_pairs(s, at, x.position, x.position + 1);
    }
}

static void copy_back(void *context, size_t c, unsigned lane)
{
    const usw_pair_stretches *s = context;
    const usw_pair_sort *p = s->p;
    size_t begin = c * CHUNK, n = usw_min(CHUNK, s->n - begin), pb = p->payload_bytes;
    (void)lane;
    if (s->out_keys != NULL) {
        memcpy((unsigned char *)p->out_keys + begin * s->bytes, s->out_keys + begin * s->bytes,
               n * s->bytes);
    }
    if (p->payloads != NULL) {
        memcpy((unsigned char *)p->out_payloads + begin * pb, s->out_payloads + begin * pb, n * pb);
    }
}

bool usw_take_pair_outputs(usw_pair_stretches *s)
{
    const usw_pair_sort *p = s->p;
    bool keys = p->out_keys != NULL, payloads = p->payloads != NULL;
    s->out_keys = keys ? usw_scratch(s->u, s->n * s->bytes) : NULL;
    s->out_payloads =
        payloads ? usw_scratch(s->u, s->n * p->payload_bytes) : (unsigned char *)p->out_payloads;
    return (!keys || s->out_keys != NULL) && s->out_payloads != NULL;
}

void usw_copy_pairs_back(usw_pair_stretches *s)
{
    if (s->out_keys != NULL || s->p->payloads != NULL) {
        usw_parallel(s->u, usw_div_up(s->n, CHUNK), copy_back, s);
    }
}

bool usw_weave_pairs(usw_pair_stretches *s)
{
    if (!usw_take_pair_outputs(s)) {
        return false;
    }
    find_places(s);
    usw_parallel(s->u, s->count, weave_stretch, s);
    usw_copy_pairs_back(s);
    return true;
}

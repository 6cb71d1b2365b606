/* pair_weave.c - merges stretches of keys in order with loose keys, and what they carry.
 *
 * Each stretch has a place in the result, which the loose keys before it decide, and is a task.
 * Between two loose keys the pairs of a stretch stay together: they are copied as they lie, and
 * where positions are asked for, these are counted up, so that keys are only read near a loose key.
 * Where the result goes to where the keys are, it is only noted which of them each loose one comes
 * before; then all moves in place (pair_pieces.c).
 * Equal keys keep their order: a loose key comes behind such as stood before it. */
/* SPDX-License-Identifier: MIT */
#include "cpu/patterns/pair_weave.h"

enum { GATHER = 4096 }; /* loose keys of a task */

typedef struct loose_key {
    uint64_t key;
    size_t position;
} loose_key;

static loose_key loose_at(const usw_pair_stretches *s, size_t j)
{
    return (loose_key){usw_pair_key(s, s->key, j), usw_loose_position(s, j)};
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

/* ---- the stretches ---- */

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

/* Loose key j comes before key i of the array, to place `at` of the result. */
static void note_loose(const usw_pair_weave *w, size_t j, size_t i, size_t at)
{
    if (w->in_place) {
        w->before[j] = i;
    } else {
        usw_put_loose(w, j, at);
    }
}

/* Loose keys that follow the last key of a stretch come before its end. */
static void weave_stretch(void *context, size_t c, unsigned lane)
{
    const usw_pair_weave *w = context;
    const usw_pair_stretches *s = w->s;
    const usw_pair_stretch *a = &s->stretch[c];
    size_t j = a->rank, stop = c + 1 < s->count ? a[1].rank : s->loose;
    size_t hole = a->hole, holes_end = a->hole + a->holes;
    size_t at = a->begin - usw_count_below(s->in_order, s->loose, a->begin) + j;
    loose_key x = j < stop ? loose_at(s, j) : (loose_key){0};
    (void)lane;
    for (size_t i = a->begin; i < a->end && (j < stop || !w->in_place);) {
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
            if (!w->in_place) {
                usw_put_pairs(w, i, next, at);
            }
            at += next - i;
            i = next;
            for (; j < stop && i < end && !is_before(s, i, &x); at++) {
                note_loose(w, j, i, at);
                x = ++j < stop ? loose_at(s, j) : x;
            }
        }
    }
    for (; j < stop; j++, at++) {
        note_loose(w, j, a->end, at);
    }
}

/* Copies aside what loose keys carry. */
static void gather_payloads(void *context, size_t c, unsigned lane)
{
    const usw_pair_stretches *s = context;
    const unsigned char *from = s->p->payloads;
    size_t pb = s->p->payload_bytes, end = usw_min(s->loose, (c + 1) * GATHER);
    (void)lane;
    for (size_t j = c * GATHER; j < end; j++) {
        memcpy(s->loose_payloads + j * pb, from + usw_loose_position(s, j) * pb, pb);
    }
}

bool usw_weave_pairs(usw_pair_stretches *s)
{
    const usw_pair_sort *p = s->p;
    size_t m = s->loose;
    usw_pair_weave w = {.s = s};
    w.before = usw_scratch(s->u, m * sizeof *w.before);
    s->loose_payloads = p->payloads != NULL ? usw_scratch(s->u, m * p->payload_bytes) : NULL;
    if (w.before == NULL || (p->payloads != NULL && s->loose_payloads == NULL)) {
        return false;
    }
    w.array[0] = (usw_pair_array){s->keys, s->key, p->out_keys, s->bytes};
    w.array[1] =
        (usw_pair_array){p->payloads, s->loose_payloads, p->out_payloads, p->payload_bytes};
    w.in_place = usw_is_in_place(&w.array[0]) || usw_is_in_place(&w.array[1]);
    for (size_t c = 0; c < s->count; c++) {
        s->stretch[c].rank = c == 0 ? 0 : rank_of(s, s->stretch[c].begin);
    }
    if (p->payloads != NULL) {
        usw_parallel(s->u, usw_div_up(m, GATHER), gather_payloads, s);
    }
    usw_parallel(s->u, s->count, weave_stretch, &w);
    return !w.in_place || usw_weave_pieces(&w);
}

/* pair_sort.c - the entry to the sort of pairs: finds keys that are in order already, takes scratch
 * for the buffers, and calls the steps of the instruction set. */
/* SPDX-License-Identifier: MIT */
#include "cpu/pair_sort/pair_sort.h"
#include "cpu/patterns/patterns.h"

#include <math.h>

enum {
    CHUNK = 128 * 1024,   /* positions of one task */
    STRETCHES_FROM = 4096 /* keys; fewer are sorted as fast as they are looked through */
};

/* Bytes that the uncounted scatter of 32-bit keys needs beyond n pairs (narrow_even.h): four to
 * five standard deviations of each bucket's size; there are more buckets without AVX-512. 0 if
 * several threads sort. */
static size_t spare_bytes(const upsweep *u, size_t n, size_t key_bytes)
{
    bool splits = key_bytes == 4 && u->threads == 1 && u->scratch_limit == 0 && n <= UINT32_MAX;
    size_t words =
        usw_min(n / (u->isa == USW_AVX512 ? 3 : 2), (size_t)(170 * sqrt((double)n))) + 4096;
    return splits ? words * sizeof(uint64_t) : 0;
}

static void write_positions(void *context, size_t t, unsigned lane)
{
    const usw_pair_sort *p = context;
    size_t bytes = p->payload_bytes, begin = t * CHUNK, n = usw_min(p->n - begin, CHUNK);
    (void)lane;
    usw_put_positions((unsigned char *)p->out_payloads + begin * bytes, bytes, begin, n);
}

/* Whether the keys are in order, which mostly the first few deny. If they are, payloads stay as
 * they are, or become the positions 0, 1, 2, ... */
static bool is_done(upsweep *u, const usw_pair_sort *p, size_t key_bytes)
{
    unsigned width = usw_log2_up(key_bytes), left = (unsigned)key_bytes * 8 - p->bit_end;
    usw_key_order order = {p->map, left, left + p->bit_begin};
    size_t bytes = p->n * key_bytes;
    const char *first = p->keys, *last = first + bytes - key_bytes;
    bool equal = bytes < u->tuning.thread_bytes && memcmp(first, last, key_bytes) == 0 &&
                 USW_PICK(u->isa, usw_all_same)(first, bytes, width);
    if (!equal && usw_first_break(u, first, p->n, width, &order, true) != p->n) {
        return false;
    }
    if (p->payloads == NULL) {
        usw_parallel(u, usw_div_up(p->n, CHUNK), write_positions, (void *)(uintptr_t)p);
    }
    return true;
}

/* Where the payloads of the second buffer begin, in bytes. */
static size_t payloads_at(const usw_pair_sort *p, size_t key_bytes)
{
    return (p->n * key_bytes + 63) & ~(size_t)63;
}

/* Gives p its buffers, whose size is decided here alone: usw_pair_sort_steps has no other caller.
 * Steps may use a buffer's bytes otherwise, for instance for words of 8 bytes in place of keys and
 * payloads of 4. */
static bool take_buffers(upsweep *u, usw_pair_sort *p, size_t key_bytes)
{
    size_t n = p->n, at = payloads_at(p, key_bytes), both = at + n * p->payload_bytes;
    p->buffer_keys[0] = p->out_keys != NULL ? p->out_keys : usw_scratch(u, n * key_bytes);
    p->buffer_payloads[0] = p->out_payloads;
    p->buffer_bytes = both + spare_bytes(u, n, key_bytes);
    p->buffer_keys[1] = usw_scratch(u, p->buffer_bytes);
    if (!p->buffer_keys[0] || !p->buffer_payloads[0] || !p->buffer_keys[1]) {
        return false;
    }
    p->buffer_payloads[1] = (char *)p->buffer_keys[1] + at;
    return true;
}

static upsweep_status sort_mixed(upsweep *u, usw_pair_sort *p, size_t key_bytes)
{
    if (!take_buffers(u, p, key_bytes)) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", p->n);
    }
    USW_ROUTE_PAIRS("keys are sorted with their payloads");
    return USW_PICK(u->isa, usw_pair_sort_steps)->sort[usw_log2_up(key_bytes)](u, p);
}

/* Sorts the positions of few keys; false, and nothing done: sort_mixed is the way. */
static bool sort_short(upsweep *u, const usw_pair_sort *p, size_t key_bytes)
{
    bool (*sort)(const usw_short_positions *) =
        USW_PICK(u->isa, usw_cache_sort_steps)->positions[usw_log2_up(key_bytes)];
    if (p->n > USW_SHORT_POSITIONS || p->payloads != NULL || sort == NULL ||
        p->bit_end - p->bit_begin != 8 * key_bytes) {
        return false;
    }
    const usw_mark mark = usw_scratch_mark(u);
    usw_short_positions s = {p->keys,          p->n, &p->map, p->out_keys, p->out_payloads,
                             p->payload_bytes, NULL, NULL};
    s.mapped = usw_scratch(u, p->n * key_bytes);
    s.tags = usw_scratch(u, p->n * sizeof *s.tags);
    const bool done = s.mapped != NULL && s.tags != NULL && sort(&s);
    usw_scratch_reset(u, mark);
    return done;
}

upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes)
{
    size_t n = p->n, bytes, both;
    if (usw_mul_overflows(n, p->payload_bytes, &bytes) ||
        __builtin_add_overflow(payloads_at(p, key_bytes), bytes, &both)) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu pairs", n);
    }
    *p->found = USW_NO_PATTERN;
    p->out_payloads = p->out_payloads != NULL ? p->out_payloads : usw_scratch(u, bytes);
    if (n > 1 && n <= USW_FEW_PAIRS && p->out_payloads != NULL) {
        usw_sort_few_pairs(u, p, key_bytes);
        return UPSWEEP_OK;
    }
    if (p->out_payloads != NULL && is_done(u, p, key_bytes)) {
        USW_ROUTE_PAIRS("keys in order already");
        *p->found = USW_IN_ORDER;
        return UPSWEEP_OK;
    }
    if (p->out_payloads != NULL && n >= STRETCHES_FROM &&
        usw_sort_pair_stretches(u, p, key_bytes, sort_mixed)) {
        return UPSWEEP_OK;
    }
    return p->out_payloads != NULL && sort_short(u, p, key_bytes) ? UPSWEEP_OK
                                                                  : sort_mixed(u, p, key_bytes);
}

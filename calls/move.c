/* move.c - upsweep_gather, upsweep_scatter, upsweep_permute, upsweep_reverse, upsweep_reverse_copy.
 *
 * Of equal indices in a scatter the highest i wins, so one thread writes all of it, in order:
 * threads would let chance decide. A permutation has no equal indices, hence needs no such care.
 * Indices are checked before anything is written, except by a gather, whose result is undefined
 * after an error anyway. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/order.h"
#include "cpu/cpu.h"

#include <stdatomic.h>

enum { CHUNK = 16 * USW_TILE };

typedef struct move {
    const usw_move_steps *steps;
    const unsigned char *in;
    unsigned char *out;
    const void *index;
    size_t index_bytes, limit, n, bytes;
    atomic_bool outside; /* an index is out of range */
    atomic_bool twice;   /* an index of a permutation comes twice */
    atomic_uchar *seen;  /* n bits */
} move;

static upsweep_status check(upsweep *u, const usw_options *o, move *m, unsigned index_bits)
{
    upsweep_status status = usw_no_choice(u, o);
    if (status == UPSWEEP_OK && index_bits != 32 && index_bits != 64) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "index_bits is 32 or 64, not %u", index_bits);
    }
    m->index_bytes = index_bits / 8;
    m->steps = USW_PICK(u->isa, usw_move_steps_cpu);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->index, m->n, m->index_bytes, "index");
    }
    return status;
}

static upsweep_status outside(upsweep *u, const move *m)
{
    return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_OUTSIDE, m->limit);
}

static void below_task(void *context, size_t c, unsigned thread)
{
    move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n - begin);
    (void)thread;
    if (!m->steps->below(m->index, m->index_bytes, m->limit, begin, end)) {
        atomic_store_explicit(&m->outside, true, memory_order_relaxed);
    }
}

/* ---- gather ---- */

static void gather_task(void *context, size_t c, unsigned thread)
{
    USW_ROUTE_OF("gather", USW_NO_TYPES);
    move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n - begin);
    (void)thread;
    if (!m->steps->gather(m->in, m->limit, m->index, m->index_bytes, m->out, m->bytes, begin,
                          end)) {
        atomic_store_explicit(&m->outside, true, memory_order_relaxed);
    }
}

static upsweep_status gather(upsweep *u, const usw_options *o, move *m, unsigned index_bits)
{
    upsweep_status status = check(u, o, m, index_bits);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->in, m->limit, m->bytes, "in");
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->out, m->n, m->bytes, "out");
    }
    if (status != UPSWEEP_OK ||
        usw_gpu_gather(u, m->in, m->limit, m->index, index_bits, m->out, m->n, m->bytes, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, m->n * m->bytes, USW_LIKE_GATHERING, m->bytes);
    usw_parallel(u, usw_div_up(m->n, CHUNK), gather_task, m);
    return atomic_load(&m->outside) ? outside(u, m) : UPSWEEP_OK;
}

upsweep_status upsweep_gather(upsweep *u, const void *in, size_t in_count, const void *index,
                              unsigned index_bits, void *out, size_t n, size_t bytes,
                              const upsweep_options *options)
{
    usw_options o;
    move m = {.in = in, .out = out, .index = index, .limit = in_count, .n = n, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, gather(u, &o, &m, index_bits));
}

/* ---- scatter ---- */

static upsweep_status scatter(upsweep *u, const usw_options *o, move *m, unsigned index_bits)
{
    upsweep_status status = check(u, o, m, index_bits);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->in, m->n, m->bytes, "in");
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->out, m->limit, m->bytes, "out");
    }
    if (status != UPSWEEP_OK || usw_gpu_scatter(u, m->in, m->index, index_bits, m->out, m->limit,
                                                m->n, m->bytes, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, m->n * m->index_bytes, USW_LIKE_READING,
                   m->bytes); /* what threads do of it */
    usw_parallel(u, usw_div_up(m->n, CHUNK), below_task, m);
    if (atomic_load(&m->outside)) {
        return outside(u, m);
    }
    USW_ROUTE_OF("scatter", USW_NO_TYPES);
    m->steps->scatter(m->in, m->index, m->index_bytes, m->out, m->bytes, 0, m->n);
    return UPSWEEP_OK;
}

upsweep_status upsweep_scatter(upsweep *u, const void *in, const void *index, unsigned index_bits,
                               void *out, size_t out_count, size_t n, size_t bytes,
                               const upsweep_options *options)
{
    usw_options o;
    move m = {.in = in, .out = out, .index = index, .limit = out_count, .n = n, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, scatter(u, &o, &m, index_bits));
}

/* ---- permute ---- */

/* n indices below n that are all different are a permutation. */
static void seen_task(void *context, size_t c, unsigned thread)
{
    move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n - begin);
    bool again = false;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        uint64_t at =
            usw_load_raw((const unsigned char *)m->index + i * m->index_bytes, m->index_bytes);
        unsigned char bit = (unsigned char)(1u << at % 8);
        again |= (atomic_fetch_or_explicit(&m->seen[at / 8], bit, memory_order_relaxed) & bit) != 0;
    }
    if (again) {
        atomic_store_explicit(&m->twice, true, memory_order_relaxed);
    }
}

static void scatter_task(void *context, size_t c, unsigned thread)
{
    USW_ROUTE_OF("permute", USW_NO_TYPES);
    const move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n - begin);
    (void)thread;
    m->steps->scatter(m->in, m->index, m->index_bytes, m->out, m->bytes, begin, end);
}

static void copy_back_task(void *context, size_t c, unsigned thread)
{
    const move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n - begin);
    (void)thread;
    memcpy((unsigned char *)(uintptr_t)m->in + begin * m->bytes, m->out + begin * m->bytes,
           (end - begin) * m->bytes);
}

static upsweep_status permute(upsweep *u, const usw_options *o, move *m, unsigned index_bits)
{
    upsweep_status status = check(u, o, m, index_bits);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->in, m->n, m->bytes, "data");
    }
    void *data = (void *)(uintptr_t)m->in;
    if (status != UPSWEEP_OK ||
        usw_gpu_permute(u, data, m->index, index_bits, m->n, m->bytes, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, m->n * m->bytes, USW_LIKE_GATHERING, m->bytes);
    size_t chunks = usw_div_up(m->n, CHUNK), seen_bytes = usw_div_up(m->n, 8);
    m->seen = usw_scratch(u, seen_bytes);
    m->out = usw_scratch(u, m->n * m->bytes);
    if (m->seen == NULL || m->out == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for a copy of %zu elements", m->n);
    }
    usw_parallel(u, chunks, below_task, m);
    if (atomic_load(&m->outside)) {
        return outside(u, m);
    }
    memset((void *)m->seen, 0, seen_bytes);
    usw_parallel(u, chunks, seen_task, m);
    if (atomic_load(&m->twice)) {
        return usw_fail(u, UPSWEEP_ERROR_RANGE, USW_SAY_TWICE);
    }
    usw_parallel(u, chunks, scatter_task, m);
    usw_parallel(u, chunks, copy_back_task, m);
    return UPSWEEP_OK;
}

upsweep_status upsweep_permute(upsweep *u, void *data, const void *index, unsigned index_bits,
                               size_t n, size_t bytes, const upsweep_options *options)
{
    usw_options o;
    move m = {.in = data, .index = index, .limit = n, .n = n, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, permute(u, &o, &m, index_bits));
}

/* ---- reverse ---- */

static void reverse_task(void *context, size_t c, unsigned thread)
{
    USW_ROUTE_OF("reverse", USW_NO_TYPES);
    const move *m = context;
    size_t begin = c * CHUNK, end = begin + usw_min(CHUNK, m->n / 2 - begin);
    (void)thread;
    m->steps->reverse(m->out, m->n, m->bytes, begin, end);
}

/* A chunk of the result is copied from the other end, and reversed where it then is. */
static void reverse_copy_task(void *context, size_t c, unsigned thread)
{
    USW_ROUTE_OF("reverse to another array", USW_NO_TYPES);
    const move *m = context;
    size_t begin = c * CHUNK, count = usw_min(CHUNK, m->n - begin);
    unsigned char *to = m->out + begin * m->bytes;
    (void)thread;
    memcpy(to, m->in + (m->n - begin - count) * m->bytes, count * m->bytes);
    m->steps->reverse(to, count, m->bytes, 0, count / 2);
}

static upsweep_status reverse(upsweep *u, const usw_options *o, move *m)
{
    upsweep_status status = check(u, o, m, 32);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, m->in, m->n, m->bytes, m->in == m->out ? "data" : "in");
    }
    if (status == UPSWEEP_OK && m->in != m->out) {
        status = usw_check_array(u, m->out, m->n, m->bytes, "out");
    }
    if (status != UPSWEEP_OK || usw_gpu_reverse(u, m->in, m->out, m->n, m->bytes, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, m->n * m->bytes, m->in == m->out ? USW_LIKE_READING : USW_LIKE_SCANNING,
                   m->bytes);
    if (m->in == m->out) {
        usw_parallel(u, usw_div_up(m->n / 2, CHUNK), reverse_task, m);
    } else {
        usw_parallel(u, usw_div_up(m->n, CHUNK), reverse_copy_task, m);
    }
    return UPSWEEP_OK;
}

upsweep_status upsweep_reverse(upsweep *u, void *data, size_t n, size_t bytes,
                               const upsweep_options *options)
{
    return upsweep_reverse_copy(u, data, data, n, bytes, options);
}

upsweep_status upsweep_reverse_copy(upsweep *u, const void *in, void *out, size_t n, size_t bytes,
                                    const upsweep_options *options)
{
    usw_options o;
    move m = {.in = in, .out = out, .index = in, .n = n, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, reverse(u, &o, &m));
}

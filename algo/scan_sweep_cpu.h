/* CPU form of the scan by two sweeps.
 *
 * Same as the explained form: an upward sweep leaves partial results in a tree, a downward sweep
 * hands every node what lies before it. Differs: the tree is flat. Threads take blocks in order; a
 * block's upward sweep needs nothing from others; then it waits for the carry of the block before
 * it, passes its own on, and sweeps down while its elements are still in the second cache. So
 * memory is read once and written once, and a large result is written past the caches. A thread
 * that finds its carry there and no other one at work leaves the upward sweep out: where other
 * programs use the cores, one thread often has a call to itself.
 *
 * Floats are swept tile by tile in the order of core/order.h (cpu/folds/float_tile.h). All other
 * operators are exact, so within a block one running value does; sums of integers run a vector at a
 * time by adding shifted copies. The least and greatest run on mapped keys (core/keymap.h). With
 * one thread nobody waits for a block's total, and integers skip the upward sweep. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/half.h"
#include "core/order.h"

#include <sched.h>
#include <stdatomic.h>

#ifndef USW_SCAN_SWEEP_ONCE
#define USW_SCAN_SWEEP_ONCE

/* ---- writing past the caches ----
 *
 * A result larger than the caches costs a read for every write, since a core fetches a line before
 * it changes it. Non-temporal stores of whole lines do without; so a tile is made in the first
 * cache and then copied out line by line. */

/* Bytes of output from which streaming pays: the last-level cache's share of a core or two. */
#define STREAM_FROM ((size_t)32 << 20)

static inline void stream_copy(void *to, const void *from, size_t bytes)
{
#if USW_HAVE_X86
    enum { LINE = 64 };
    unsigned char *out = to;
    const unsigned char *in = from;
    size_t head = usw_min(bytes, (LINE - (uintptr_t)out % LINE) % LINE);
    memcpy(out, in, head);
    size_t i = head;
    for (; i + LINE <= bytes; i += LINE) {
#if USW_LEVEL == 2
        _mm512_stream_si512((__m512i *)(void *)(out + i), _mm512_loadu_si512(in + i));
#elif USW_LEVEL == 1
        for (int k = 0; k < LINE; k += 32) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(in + i + k));
            _mm256_stream_si256((__m256i *)(void *)(out + i + k), v);
        }
#else
        for (int k = 0; k < LINE; k += 16) {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(in + i + k));
            _mm_stream_si128((__m128i *)(void *)(out + i + k), v);
        }
#endif
    }
    memcpy(out + i, in + i, bytes - i);
#else
    memcpy(to, from, bytes);
#endif
}

/* ---- one scan ---- */

enum {
    BLOCK_BYTES = 256 * 1024,
    BLOCK = 16 * USW_TILE,
    FLOAT_TILES = 4,
    FLOAT_BLOCK = FLOAT_TILES * USW_TILE,
    ONE_THREAD_BYTES = 2 * 1024 * 1024 /* fewer floats are swept before a second thread is awake */
};

typedef struct work {
    const usw_scan *s;
    size_t bytes;     /* of an element */
    usw_keymap map;   /* of LEAST and GREATEST; else the identity map */
    uint64_t neutral; /* of the operator, on mapped keys */
    bool totals;      /* blocks need an upward sweep, for others run beside them */
    bool stream;
    size_t block; /* elements */
    size_t ahead; /* elements from a block to the next one of the same thread, probably */
    /* What travels from block to block, owned by the one whose turn it is. */
    uint64_t exact;
    usw_carry_tree sums;
    _Atomic size_t turn;
    _Atomic unsigned inside; /* threads that are at a block */
    usw_shares buffers;      /* one a thread: tiles; for sums only */
} work;

/* Streamed lines are seen by other threads only after a fence, which waits for all stores. */
static inline void stream_end(const work *w)
{
#if USW_HAVE_X86
    if (w->stream) {
        _mm_sfence();
    }
#endif
}

/* How elements become keys that compare as unsigned: not at all, by flipping bits (integers), or by
 * the whole formula of keymap.h (floats). */
typedef enum mapping { RAW, FLIPPED, MAPPED } mapping;

/* One width's loops over exact operators, on raw elements or mapped keys. */
typedef struct exact_loops {
    uint64_t (*tile)(const work *w, const void *in, void *out, size_t n, const uint8_t *heads,
                     uint64_t carry); /* scans n elements, returns the next carry */
    uint64_t (*sweep_up)(const work *w, const void *in, size_t n);
    uint64_t (*join)(upsweep_op op, uint64_t a, uint64_t b);
} exact_loops;

/* Elements [begin, begin + n) start anew where heads is not 0; NULL: nowhere. room has n bytes. */
static const uint8_t *heads_of(const usw_scan *s, size_t begin, size_t n, uint8_t *flags)
{
    if (s->keys == NULL) {
        return s->heads == NULL ? NULL : s->heads + begin;
    }
    const unsigned char *k = (const unsigned char *)s->keys + begin * s->key_bytes;
    size_t i = 0;
    if (begin == 0 && n > 0) {
        flags[i++] = 1;
    }
#define DIFFERS(TYPE)                                                                              \
    for (const TYPE *key = (const TYPE *)(const void *)k; i < n; i++) {                            \
        flags[i] = *(key + i) != *(key + i - 1);                                                   \
    }
    switch (s->key_bytes) {
    case 1: DIFFERS(uint8_t) break;
    case 2: DIFFERS(uint16_t) break;
    case 4: DIFFERS(uint32_t) break;
    default: DIFFERS(uint64_t) break;
    }
#undef DIFFERS
    return flags;
}
#endif

#include "cpu/folds/scan_integers.h"

#if KEY_BITS == 128 /* included last, once */

#include "cpu/folds/float_tile.h"

/* ---- turns ---- */

/* Blocks are handed out in order, so the block before this one is done or on some thread. */
static void wait_turn(work *w, size_t block)
{
    for (unsigned spins = 0; atomic_load_explicit(&w->turn, memory_order_acquire) != block;
         spins++) {
        if (spins >= 256) {
            sched_yield();
        }
    }
}

static void end_turn(work *w, size_t block)
{
    atomic_store_explicit(&w->turn, block + 1, memory_order_release);
}

/* Whether the carry is there and no other thread is at a block: then nobody waits for this one's
 * total, and it needs no upward sweep, however many threads were asked to come. */
static bool begin_block(work *w, size_t block)
{
    bool alone = atomic_fetch_add_explicit(&w->inside, 1, memory_order_relaxed) == 0;
#ifdef USW_CHECKED
    alone = alone && block % 2 == 0; /* tests take both ways, whoever comes */
#endif
    return alone && atomic_load_explicit(&w->turn, memory_order_acquire) == block;
}

static void end_block(work *w)
{
    atomic_fetch_sub_explicit(&w->inside, 1, memory_order_relaxed);
}

/* ---- exact operators ---- */

/* What follows the block's last head, combined; *cut tells whether it has a head. */
static uint64_t exact_sweep_up(const work *w, const exact_loops *loops, size_t begin, size_t n,
                               bool *cut)
{
    USW_ROUTE_OF("totals before turns", USW_ALL_TYPES);
    const unsigned char *in = (const unsigned char *)w->s->in + begin * w->bytes;
    uint64_t total = w->neutral;
    *cut = false;
    for (size_t i = usw_div_up(n, USW_TILE) * USW_TILE; i > 0 && !*cut; i -= USW_TILE) {
        uint8_t flags[USW_TILE];
        size_t first = i - USW_TILE, from = 0, count = usw_min(USW_TILE, n - first);
        const uint8_t *heads = heads_of(w->s, begin + first, count, flags);
        if (heads != NULL) {
            for (from = count; from > 0 && heads[from - 1] == 0; from--) {
            }
            *cut = from > 0;
            from -= *cut;
        }
        total = loops->join(
            w->s->op, loops->sweep_up(w, in + (first + from) * w->bytes, count - from), total);
    }
    return total;
}

static const exact_loops *loops_of(const work *w)
{
    return w->bytes == 1   ? &exact_u8
           : w->bytes == 2 ? &exact_u16
           : w->bytes == 4 ? &exact_u32
                           : &exact_u64;
}

/* With nothing combined the result is the type's own identity; the running value cannot tell that
 * from having met only NaN. */
static void put_identities(const work *w, size_t begin, size_t n, void *out, const uint8_t *heads)
{
    USW_ROUTE_OF("identities", USW_ALL_TYPES);
    for (size_t i = 0; heads != NULL && i < n; i++) {
        if (heads[i] != 0) {
            usw_store_raw((unsigned char *)out + i * w->bytes, w->bytes, w->s->identity);
        }
    }
    if (begin == 0) {
        usw_store_raw(out, w->bytes, w->s->identity);
    }
}

static void exact_block(void *context, size_t block, unsigned thread)
{
    USW_ROUTE_OF("exact operators", USW_ALL_TYPES);
    work *w = context;
    const usw_scan *s = w->s;
    const exact_loops *loops = loops_of(w);
    size_t begin = block * w->block, end = begin + usw_min(w->block, s->n - begin);
    bool cut = false, totals = !begin_block(w, block) && w->totals;
    uint64_t total = totals ? exact_sweep_up(w, loops, begin, end - begin, &cut) : 0;
    wait_turn(w, block);
    uint64_t carry = w->exact;
    if (totals) {
        w->exact = cut ? total : loops->join(s->op, carry, total);
        end_turn(w, block);
    }
    (void)thread;
    for (size_t i = begin; i < end; i += USW_TILE) {
        size_t n = usw_min(USW_TILE, end - i);
        unsigned char *out = (unsigned char *)s->out + i * w->bytes;
        uint8_t starts[USW_TILE];
        const uint8_t *heads = heads_of(s, i, n, starts);
        carry = loops->tile(w, (const unsigned char *)s->in + i * w->bytes, out, n, heads, carry);
        if (s->exclusive && (s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST)) {
            put_identities(w, i, n, out, heads);
        }
    }
    if (!totals) {
        w->exact = carry;
        end_turn(w, block);
    }
    end_block(w);
    stream_end(w);
}

#include "cpu/folds/scan_floats.h"

/* ---- the whole ---- */

static uint64_t neutral_of(upsweep_op op)
{
    return op == UPSWEEP_PRODUCT ? 1 : op >= UPSWEEP_LEAST && op <= UPSWEEP_AND ? UINT64_MAX : 0;
}

static bool is_of_float_sums(const usw_scan *s)
{
    return usw_type_is_float(s->type) && s->op <= UPSWEEP_PRODUCT;
}

/* What does not depend on the number of elements. */
static work work_of(const usw_scan *s)
{
    work w = {.s = s, .bytes = usw_type_bytes(s->type), .neutral = neutral_of(s->op)};
    w.exact = w.neutral;
    usw_carry_tree_start(&w.sums, s->op == UPSWEEP_PRODUCT);
    if (s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST) {
        w.map = usw_keymap_of(s->type, s->op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
    }
    return w;
}

static upsweep_status scan(upsweep *u, const usw_scan *s)
{
    bool sums = is_of_float_sums(s);
    size_t bytes = usw_type_bytes(s->type);
    size_t block = sums ? FLOAT_BLOCK : usw_min(BLOCK, BLOCK_BYTES / bytes);
    bool one_thread = u->threads == 1 || s->n * bytes < ONE_THREAD_BYTES;
    if (sums && one_thread) {
        block = usw_div_up(s->n, USW_TILE) * USW_TILE;
    }
    size_t blocks = usw_div_up(s->n, block);
    work w = work_of(s);
    w.totals = u->threads > 1 && blocks > 1;
    w.stream = s->in != s->out && s->n * bytes >= STREAM_FROM;
    w.block = block;
    w.ahead = u->threads * block;
    if (sums) {
        _Static_assert(sizeof(float_buffers) <= USW_SCAN_ROOM, "a scan's room holds its tiles");
        w.buffers = s->room != NULL ? (usw_shares){s->room, 0}
                                    : usw_scratch_shares(u, u->threads, sizeof(float_buffers));
        if (w.buffers.at == NULL) {
            return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for a tile a thread");
        }
    }
    usw_parallel(u, blocks,
                 !sums        ? exact_block
                 : one_thread ? float_block_one_thread
                              : float_block,
                 &w);
    return UPSWEEP_OK;
}

/* What a scan prepares is most of its time where rows are short; so they share it. */
static void rows(const usw_scan *s, const uint64_t *begin, size_t length, size_t first, size_t end)
{
    work w = work_of(s);
    const exact_loops *loops = loops_of(&w);
    bool sums = is_of_float_sums(s), extremes = s->op == UPSWEEP_LEAST || s->op == UPSWEEP_GREATEST;
    float_sweeps sweeps = sums ? sweeps_of(&w) : (float_sweeps){0};
    double carry = usw_carry_tree_carry(&w.sums);
    for (size_t r = first; r < end; r++) {
        size_t at = begin == NULL ? r * length : (size_t)begin[r];
        size_t n = begin == NULL ? length : (size_t)begin[r + 1] - at;
        if (n == 0 || n > USW_TILE) {
            continue;
        }
        const unsigned char *in = (const unsigned char *)s->in + at * w.bytes;
        unsigned char *out = (unsigned char *)s->out + at * w.bytes;
        if (sums) {
            USW_ROUTE_OF("rows of sums of floats", USW_FLOATS);
            float_row(&w, &sweeps, s->room, in, out, n, carry);
        } else {
            USW_ROUTE_OF("rows of exact operators", USW_ALL_TYPES);
            loops->tile(&w, in, out, n, NULL, w.neutral);
        }
        if (s->exclusive && extremes) {
            put_identities(&w, 0, n, out, NULL);
        }
    }
}

const usw_scan_form USW_SYMBOL(usw_scan_sweep_cpu) = {scan, rows};
#endif

/* waits.cpp - how threads wait for one another: the barriers of a block and of a
 * cluster, the meetings of a warp. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/blocks.h"

/* Names of places are literals, mostly the same one. */
static bool same_name(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* ---- barriers ---- */

void emulated_release(block *b)
{
    emulated_vain = 0;
    b->votes = {b->votes_true, b->votes_true != 0, b->votes_true == b->arrived};
    b->arrived = b->votes_true = 0;
    for (warp &w : b->warps) {
        uint32_t lanes = w.at_barrier;
        w.at_barrier = 0;
        emulated_ready(&w, lanes);
    }
}

emulated_votes emulated_barrier(const char *what, bool predicate, const char *file, int line)
{
    if (emulated_self == nullptr) {
        emulated_fail("%s at %s:%d", what, file, line);
    }
    block *b = emulated_self->of;
    warp *w = emulated_self->group;
    uint32_t bit = 1u << emulated_self->lane;
    if (b->arrived == 0) {
        b->barrier_file = file, b->barrier_line = line;
    } else if (b->barrier_line != line || !same_name(b->barrier_file, file)) {
        emulated_fail("%s at %s:%d, while others of the block wait at the barrier %s:%d", what,
                      file, line, b->barrier_file, b->barrier_line);
    }
    for (const meeting &m : w->meetings) {
        if (m.open && (m.mask & bit) != 0) {
            emulated_fail("%s at %s:%d, while lanes of its warp wait for it at %s:%d", what, file,
                          line, m.file, m.line);
        }
    }
    b->arrived++;
    b->votes_true += predicate;
    w->at_barrier |= bit;
    if (b->arrived == b->live) {
        emulated_release(b);
    }
    // The last to come waits too: its warp is ready again, and somebody else may go first.
    emulated_leave(what, file, line);
    return b->votes;
}

/* ---- clusters, whose blocks are all resident ---- */

static block *block_of_rank(unsigned rank)
{
    const unsigned own = emulated_self->of->index.x;
    return emulated_resident(own - own % emulated_now()->cluster + rank);
}

void *emulated_cluster_shared(void *own, unsigned rank)
{
    const unsigned blocks = emulated_now()->cluster;
    if (rank >= blocks) {
        emulated_fail("block %u of a cluster of %u", rank, blocks);
    }
    emulated_touch();
    return block_shared_of(emulated_self->of, own, block_of_rank(rank),
                           emulated_now()->shared_bytes);
}

void emulated_cluster_barrier(const char *file, int line)
{
    emulated_barrier("a cluster's barrier", false, file, line);
    if (emulated_self == emulated_self->of->threads[0]) {
        block *first = block_of_rank(0);
        const unsigned round = first->rounds;
        if (++first->came == emulated_now()->cluster) {
            first->came = 0;
            first->rounds++;
        }
        while (first->rounds == round) {
            emulated_yield();
        }
    }
    emulated_barrier("a cluster's barrier", false, file, line);
}

/* ---- meetings of a warp ---- */

static meeting *find_meeting(warp *w, const char *what, uint32_t mask, uint32_t bit,
                             const char *file, int line)
{
    for (meeting &m : w->meetings) {
        if (!m.open) {
            continue;
        }
        if (m.mask == mask && same_name(m.what, what)) {
            return &m;
        }
        if ((m.mask & bit) != 0 && (m.arrived & mask) != 0) {
            emulated_fail(
                "%s(%08x) at %s:%d, while lanes that it names wait for it in %s(%08x) at %s:%d",
                what, mask, file, line, m.what, m.mask, m.file, m.line);
        }
    }
    for (meeting &m : w->meetings) {
        if (!m.open && m.arrived == 0) {
            m.what = what, m.file = file, m.line = line, m.mask = mask, m.open = true;
            m.brought.not_zero = 0, m.brought.is_reduced = false;
            return &m;
        }
    }
    w->meetings.emplace_back();
    return find_meeting(w, what, mask, bit, file, line);
}

emulated_brought &emulated_meet(const char *what, unsigned &mask, uint64_t value, const char *file,
                                int line)
{
    if (emulated_self == nullptr) {
        emulated_fail("%s at %s:%d", what, file, line);
    }
    warp *w = emulated_self->group;
    uint32_t bit = 1u << emulated_self->lane;
    if ((mask & bit) == 0) {
        emulated_fail("%s(%08x) at %s:%d leaves out the calling lane %u", what, mask, file, line,
                      emulated_self->lane);
    }
    mask &= w->exists;
    if ((mask & w->exited) != 0) {
        emulated_fail("%s(%08x) at %s:%d names lanes that have exited: %08x", what, mask, file,
                      line, mask & w->exited);
    }
    if ((mask & w->at_barrier) != 0) {
        emulated_fail("%s(%08x) at %s:%d names lanes that wait at the barrier %s:%d: %08x", what,
                      mask, file, line, emulated_self->of->barrier_file,
                      emulated_self->of->barrier_line, mask & w->at_barrier);
    }
    meeting *m = find_meeting(w, what, mask, bit, file, line);
    m->brought.values[emulated_self->lane] = value;
    m->brought.not_zero |= value != 0 ? bit : 0;
    m->arrived |= bit;
    if (m->arrived == mask) {
        emulated_vain = 0;
        m->open = false;
        emulated_ready(w, mask & ~bit);
    } else {
        emulated_leave(what, file, line);
    }
    m->arrived &= ~bit; // who comes last from a meeting leaves it to the next, but reads it first
    return m->brought;
}

unsigned emulated_equal(const emulated_brought &b, unsigned mask, uint64_t value)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < 32; i++) {
        lanes |= static_cast<unsigned>(b.values[i] == value) << i;
    }
    return lanes & mask;
}

static uint32_t reduced(emulated_op op, bool is_signed, uint32_t x, uint32_t y)
{
    bool less = is_signed ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
    switch (op) {
    case EMULATED_add: return x + y;
    case EMULATED_min: return less ? x : y;
    case EMULATED_max: return less ? y : x;
    case EMULATED_and: return x & y;
    case EMULATED_or: return x | y;
    default: return x ^ y;
    }
}

uint32_t emulated_reduce(emulated_brought &b, unsigned mask, emulated_op op, bool is_signed)
{
    if (b.is_reduced) {
        return b.reduced;
    }
    uint32_t all = static_cast<uint32_t>(b.values[__builtin_ctz(mask)]);
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        all = reduced(op, is_signed, all, static_cast<uint32_t>(b.values[__builtin_ctz(mask)]));
    }
    b.is_reduced = true;
    return b.reduced = all;
}

/* scheduler.cpp - runs the threads of a grid as fibers, in an order that the seed shuffles.
 *
 * Several blocks are resident at once. A warp with threads that can go on is picked at random,
 * these threads run one after the other until each waits (or is preempted at a memory operation),
 * then the next warp is picked. A grid where nobody can go on is a deadlock; the report says who
 * waits where. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/scheduler.h"
#include "test/emulate/blocks.h"

#include <cstdarg>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
int emulated_preempt_left;

static const emulated_grid *now; // the grid that runs
thread *emulated_self;
static fiber scheduler;
/* A warp that can go on is in one of these, or has the turn. */
static std::vector<warp *> runnable, spinning;
static std::vector<block *> resident;
static uint64_t random_state, grids_run;
uint64_t emulated_vain;
enum : uint64_t { waits_bound = 1ull << 26 };

static uint32_t any_number()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return static_cast<uint32_t>(random_state * 0x9e3779b97f4a7c15ull >> 32);
}
static uint32_t any_below(uint32_t n)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(any_number()) * n >> 32);
}

/* ---- reports ---- */

std::string emulated_whereabouts()
{
    if (emulated_self == nullptr) {
        return now == nullptr ? "outside of any kernel" : std::string("around kernel ") + now->name;
    }
    char text[256];
    const uint3 &b = emulated_self->of->index, &t = emulated_self->index;
    snprintf(text, sizeof text, "kernel %s, block %u %u %u, thread %u %u %u", now->name, b.x, b.y,
             b.z, t.x, t.y, t.z);
    return text;
}

void emulated_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "emulated CUDA: %s: ", emulated_whereabouts().c_str());
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* Lists where the threads of the resident blocks wait, and how many. */
static std::string waiting_places()
{
    std::map<std::string, unsigned> places;
    for (const block *b : resident) {
        for (unsigned i = 0; i < b->size; i++) {
            const thread &t = *b->threads[i];
            if (!t.done) {
                char text[512];
                snprintf(text, sizeof text, "%s at %s:%d, first thread %u of block %u %u %u",
                         t.what, t.file, t.line, i, b->index.x, b->index.y, b->index.z);
                std::string place = text;
                std::string key = place.substr(0, place.find(", first"));
                auto found = places.lower_bound(key);
                if (found == places.end() || found->first.compare(0, key.size(), key) != 0) {
                    places[place] = 1;
                } else {
                    found->second++;
                }
            }
        }
    }
    std::string text;
    for (auto &[place, count] : places) {
        text += "\n    " + std::to_string(count) + " wait: " + place;
    }
    return text;
}

/* ---- running and waiting ---- */

void emulated_ready(warp *w, uint32_t lanes)
{
    w->ready |= lanes;
    if (!w->queued && w->ready != 0) {
        w->queued = true;
        (w->spins ? spinning : runnable).push_back(w);
    }
}

/* The warp whose turn it is, and those of its threads that are still to run in it. */
static struct {
    warp *of = nullptr;
    unsigned next, count;
    thread *order[32];
} turn;

/* Each of the warp's ready threads once, from a random one on, in random strides. */
static void begin_turn(warp *w)
{
    uint32_t batch = w->ready, at = any_number(), stride = at >> 8 | 1;
    w->ready = 0;
    w->spins = false;
    turn.of = w;
    turn.next = turn.count = 0;
    if ((batch & (batch - 1)) == 0) {
        turn.order[turn.count++] = w->lanes[__builtin_ctz(batch)];
        return;
    }
    for (; batch != 0; at += stride) {
        if ((batch >> (at & 31) & 1) != 0) {
            batch &= ~(1u << (at & 31));
            __builtin_prefetch(w->lanes[at & 31]);
            turn.order[turn.count++] = w->lanes[at & 31];
        }
    }
}

/* Takes a warp of those that can go on. One that spins waits for others, so others have the turn
 * before it, but for once in a while; who says that nothing ever happens but spinning is
 * emulated_yield. */
static warp *take_runnable()
{
    enum : uint32_t { ONCE_IN = 16 };
    bool spins = runnable.empty() || (!spinning.empty() && any_below(ONCE_IN) == 0);
    std::vector<warp *> &from = spins ? spinning : runnable;
    std::swap(from[any_below(static_cast<uint32_t>(from.size()))], from.back());
    warp *w = from.back();
    from.pop_back();
    return w;
}

/* Who goes on next, or nobody if the scheduler itself has something to do: a block has ended, or
 * nobody can go on. */
static thread *next_thread()
{
    enum { AHEAD = 2, LINES = 4, LINE = 64 };
    warp *w = turn.of;
    if (w != nullptr && turn.next == turn.count) {
        if (w->ready != 0 && !w->spins && (any_number() & 7) != 0) {
            begin_turn(w);
        } else {
            turn.of = nullptr;
            w->queued = false;
            emulated_ready(w, 0);
            if (w->of->live == 0) {
                return nullptr;
            }
        }
    }
    if (turn.of == nullptr) {
        if (runnable.empty() && spinning.empty()) {
            return nullptr;
        }
        begin_turn(take_runnable());
    }
    if (turn.next + AHEAD < turn.count) { // stacks lie too far apart for a processor to guess
        const char *top = static_cast<char *>(turn.order[turn.next + AHEAD]->run.place);
        for (unsigned i = 0; i < LINES; i++) {
            __builtin_prefetch(top + i * LINE);
        }
    }
    return turn.order[turn.next++];
}

/* From whoever runs to t. All switches are made here: so processors guess where one leads. */
static __attribute__((noinline)) void switch_to(thread *t, fiber *from)
{
    emulated_self = t;
    if (t != nullptr) {
        threadIdx = t->index;
        blockIdx = t->of->index;
    }
    fiber_switch(from, t == nullptr ? &scheduler : &t->run);
}

void emulated_leave(const char *what, const char *file, int line)
{
    thread *t = emulated_self, *next = next_thread();
    t->what = what, t->file = file, t->line = line;
    if (next != t) {
        switch_to(next, &t->run);
    }
}

void emulated_yield()
{
    if (emulated_self == nullptr) {
        return;
    }
    if (++emulated_vain > waits_bound) {
        emulated_fail("threads spin and nothing happens:%s", waiting_places().c_str());
    }
    emulated_self->group->ready |= 1u << emulated_self->lane;
    emulated_self->group->spins = true;
    emulated_leave("a spinning load", "?", 0);
}

void emulated_preempt()
{
    emulated_preempt_left = static_cast<int>(1 + any_below(64));
    if (emulated_self != nullptr) {
        emulated_self->group->ready |= 1u << emulated_self->lane;
        emulated_leave("a memory operation", "?", 0);
    }
}

unsigned emulated_lane()
{
    return emulated_self->lane;
}

/* ---- the life of threads and blocks ---- */

static void thread_ends()
{
    thread *t = emulated_self;
    block *b = t->of;
    warp *w = t->group;
    uint32_t bit = 1u << t->lane;
    emulated_vain = 0;
    for (const meeting &m : w->meetings) {
        if (m.open && (m.mask & bit) != 0) {
            emulated_fail("it exits, while lanes of its warp wait for it in %s(%08x) at %s:%d",
                          m.what, m.mask, m.file, m.line);
        }
    }
    t->done = true;
    w->exited |= bit;
    if (--b->live != 0 && b->arrived == b->live) {
        emulated_release(b);
    }
}

/* A fiber serves one thread after the other. */
static void thread_body()
{
    for (;;) {
        now->body();
        thread_ends();
        emulated_leave("nothing", "?", 0);
    }
}

/* The `number`-th block starts in b, with its memory poisoned. */
static void start_block(block *b, uint64_t number)
{
    uint64_t row = number / gridDim.x;
    b->index = {static_cast<unsigned>(number % gridDim.x), static_cast<unsigned>(row % gridDim.y),
                static_cast<unsigned>(row / gridDim.y)};
    b->live = b->size;
    b->arrived = b->votes_true = 0;
    b->came = b->rounds = 0;
    block_clean(b, now->shared_bytes);
    for (warp &w : b->warps) {
        w.exited = w.at_barrier = w.ready = 0;
        w.queued = w.spins = false;
        for (thread *t : w.lanes) {
            if (t != nullptr) {
                t->done = false;
            }
        }
        emulated_ready(&w, w.exists);
    }
}

/* Numbers from a window of `wide`, so that blocks start out of order, but not by far. */
struct block_order {
    uint64_t next, end;
    std::vector<uint64_t> window;
    bool take(uint64_t *number)
    {
        while (window.size() < 8 && next < end) {
            window.push_back(next++);
        }
        if (window.empty()) {
            return false;
        }
        std::swap(window[any_below(static_cast<uint32_t>(window.size()))], window.back());
        *number = window.back();
        window.pop_back();
        return true;
    }
};

static void run_blocks(block_order *order)
{
    uint64_t number;
    size_t left = resident.size();
    for (block *b : resident) {
        if (order->take(&number)) {
            start_block(b, number);
        }
    }
    while (left != 0) {
        thread *first = next_thread();
        if (first == nullptr) {
            emulated_fail("a deadlock:%s", waiting_places().c_str());
        }
        switch_to(first, &scheduler);
        for (block *b : resident) {
            if (b->size != 0 && b->live == 0) {
                block_check(b, now->shared_bytes);
                if (order->take(&number)) {
                    start_block(b, number);
                } else {
                    b->size = 0;
                    left--;
                }
            }
        }
    }
}

void emulated_run(const emulated_grid &g)
{
    emulated_watch_faults();
    random_state =
        (emulated_seed() * 0x9e3779b97f4a7c15ull + ++grids_run * 0xd1342543de82ef95ull) | 1;
    any_number();
    now = &g;
    gridDim = g.grid, blockDim = g.block;
    emulated_preempt_left = 1;
    emulated_vain = 0;
    uint64_t blocks = static_cast<uint64_t>(g.grid.x) * g.grid.y * g.grid.z;
    // About as many threads as the caches hold, but blocks that wait for others find some, if the
    // device runs two.
    uint64_t threads = static_cast<uint64_t>(g.block.x) * g.block.y * g.block.z;
    uint64_t most = std::clamp<uint64_t>(2048 / threads, 2, 8);
    uint64_t fit = static_cast<uint64_t>(emulated_sms()) * emulated_blocks_most();
    uint64_t together =
        g.cooperative || g.cluster > 1
            ? blocks
            : std::min<uint64_t>({blocks, fit, 2 + any_below(static_cast<uint32_t>(most - 1))});
    for (uint64_t i = 0; i < together; i++) {
        resident.push_back(block_take(g.block, thread_body));
    }
    block_order order{0, blocks, {}};
    run_blocks(&order);
    for (block *b : resident) {
        block_give(b);
    }
    resident.clear();
    now = nullptr;
}

void *emulated_shared(const void *site, size_t bytes, size_t align)
{
    return block_static(emulated_self->of, site, bytes, align, now->shared_bytes);
}

void *emulated_dynamic_shared()
{
    return block_dynamic(emulated_self->of, now->shared_bytes);
}

const emulated_grid *emulated_now()
{
    return now;
}

block *emulated_resident(unsigned number)
{
    for (block *b : resident) {
        if (b->size != 0 && b->live != 0 && b->index.x == number) {
            return b;
        }
    }
    emulated_fail("block %u has ended", number);
}

std::string emulated_describe_shared(const void *address)
{
    for (const block *b : resident) {
        long behind = block_distance(b, address);
        if (behind >= 0) {
            return std::to_string(behind) + " bytes behind the shared memory of " +
                   std::to_string(now->shared_bytes) + " bytes";
        }
    }
    return "";
}

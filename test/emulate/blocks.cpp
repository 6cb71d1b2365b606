/* blocks.cpp - the threads and the shared memory of resident blocks, kept from launch to launch. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/blocks.h"

#include <sys/mman.h>

enum : size_t {
    fence_bytes = 64,
    static_room = 64 * 1024,
    dynamic_room = 228 * 1024,
    room = static_room + dynamic_room,
    page = 64 * 1024, // without access, behind it all
    dynamic_align = 128,
};

/* Never given back, so that a program may end while they are in use. */
static std::vector<thread *> &idle_threads = *new std::vector<thread *>;
static std::vector<block *> &idle_blocks = *new std::vector<block *>;

static thread *new_thread(void (*body)())
{
    static size_t made;
    thread *t = new thread();
    t->run = fiber_make(body, made++);
    t->what = "a start", t->file = "?";
    return t;
}

static void shape_block(block *b, dim3 shape, void (*body)())
{
    unsigned size = shape.x * shape.y * shape.z;
    while (b->threads.size() > size) {
        idle_threads.push_back(b->threads.back());
        b->threads.pop_back();
    }
    while (b->threads.size() < size) {
        if (idle_threads.empty()) {
            idle_threads.push_back(new_thread(body));
        }
        b->threads.push_back(idle_threads.back());
        idle_threads.pop_back();
    }
    b->size = size;
    b->warps.resize((size + 31) / 32);
    for (unsigned g = 0; g < b->warps.size(); g++) {
        warp *w = &b->warps[g];
        w->of = b;
        w->exists = 0;
        w->meetings.reserve(32);
        std::fill(w->lanes, w->lanes + 32, nullptr);
        for (unsigned i = g * 32; i < size && i < g * 32 + 32; i++) {
            thread *t = b->threads[i];
            t->index = {i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y};
            t->of = b, t->group = w, t->lane = i % 32;
            w->lanes[t->lane] = t;
            w->exists |= 1u << t->lane;
        }
    }
}

block *block_take(dim3 shape, void (*body)())
{
    if (idle_blocks.empty()) {
        block *b = new block();
        void *p = mmap(nullptr, room + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (p == MAP_FAILED) {
            emulated_fail("there is no memory for another block");
        }
        b->shared = static_cast<unsigned char *>(p);
        mprotect(b->shared + room, page, PROT_NONE);
        idle_blocks.push_back(b);
    }
    block *b = idle_blocks.back();
    idle_blocks.pop_back();
    shape_block(b, shape, body);
    b->sites.clear();
    b->static_bytes = 0;
    return b;
}

void block_give(block *b)
{
    for (const thread *t : b->threads) {
        if (fiber_overflowed(t->run)) {
            emulated_fail("a thread used more than its %d bytes of stack", fiber_stack_bytes);
        }
    }
    idle_blocks.push_back(b);
}

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

static unsigned char *dynamic_start(const block *b, size_t bytes)
{
    return b->shared + room - rounded(bytes, dynamic_align);
}

void block_clean(block *b, size_t dynamic_bytes)
{
    memset(b->shared, emulated_poison(), b->static_bytes);
    unsigned char *start = dynamic_start(b, dynamic_bytes) - fence_bytes;
    memset(start, emulated_poison(), static_cast<size_t>(b->shared + room - start));
}

static void check_fence(const unsigned char *fence, size_t bytes, const char *what, size_t of)
{
    for (size_t i = 0; i < bytes; i++) {
        if (fence[i] != emulated_poison()) {
            emulated_fail("a block wrote %zu bytes behind %s shared memory of %zu bytes", i, what,
                          of);
        }
    }
}

void block_check(const block *b, size_t dynamic_bytes)
{
    for (const shared_site &s : b->sites) {
        check_fence(b->shared + s.offset + s.bytes, fence_bytes, "static", s.bytes);
    }
    const unsigned char *start = dynamic_start(b, dynamic_bytes);
    check_fence(start + dynamic_bytes,
                static_cast<size_t>(b->shared + room - start) - dynamic_bytes, "dynamic",
                dynamic_bytes);
    check_fence(start - fence_bytes, fence_bytes, "(that is: before) dynamic", dynamic_bytes);
}

void *block_static(block *b, const void *site, size_t bytes, size_t align, size_t dynamic_bytes)
{
    for (const shared_site &s : b->sites) {
        if (s.site == site) {
            return b->shared + s.offset;
        }
    }
    size_t offset = rounded(b->static_bytes, std::max<size_t>(align, 16));
    size_t taken = bytes;
    for (const shared_site &s : b->sites) {
        taken += s.bytes;
    }
    if (taken > emulated_shared_default || offset + bytes + fence_bytes > static_room) {
        emulated_fail("%zu bytes of static shared memory; a block may have %zu", taken,
                      static_cast<size_t>(emulated_shared_default));
    }
    if (taken + dynamic_bytes > emulated_shared_limit ||
        (dynamic_bytes <= emulated_shared_default &&
         taken + dynamic_bytes > emulated_shared_default)) {
        emulated_fail("%zu bytes of static and %zu of dynamic shared memory are more than was set",
                      taken, dynamic_bytes);
    }
    size_t end = offset + bytes + fence_bytes;
    memset(b->shared + b->static_bytes, emulated_poison(), end - b->static_bytes);
    b->static_bytes = end;
    b->sites.push_back({site, offset, bytes});
    return b->shared + offset;
}

void *block_dynamic(const block *b, size_t dynamic_bytes)
{
    return dynamic_start(b, dynamic_bytes);
}

void *block_shared_of(const block *b, const void *p, block *other, size_t dynamic_bytes)
{
    const unsigned char *own = static_cast<const unsigned char *>(p);
    if (own >= dynamic_start(b, dynamic_bytes) && own < b->shared + room) {
        return other->shared + (own - b->shared);
    }
    for (const shared_site &s : b->sites) {
        const unsigned char *start = b->shared + s.offset;
        if (own >= start && own < start + s.bytes) {
            void *its = block_static(other, s.site, s.bytes, 16, dynamic_bytes);
            return static_cast<unsigned char *>(its) + (own - start);
        }
    }
    emulated_fail("%p is not in the shared memory of its block", p);
}

long block_distance(const block *b, const void *address)
{
    const unsigned char *p = static_cast<const unsigned char *>(address);
    return p >= b->shared + room && p < b->shared + room + page ? p - (b->shared + room) : -1;
}

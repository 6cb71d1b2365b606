/* arena.c - scratch memory of a handle: blocks that only grow during a call and are reused by the
 * next. When a call needed several blocks, the next one starts with a single block as large as all
 * that were there at once: so calls that are alike soon ask the system for nothing. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <stdlib.h>
#include <sys/mman.h>

#undef usw_scratch /* in builds for tests macros that note who asks */
#undef usw_scratch_shares

struct usw_block {
    usw_block *older;
    unsigned char *bytes;
    size_t size, used;
};

enum {
    SMALL = 64,
    PAGE = 4096,
    PAGE_FROM = 64 * 1024,
    BLOCK_MIN = 64 * 1024,
    LARGE_PAGE = 2 << 20,
    LARGE_FROM = 4 << 20
};

void *usw_allocate(upsweep *u, size_t bytes, size_t alignment)
{
    if (u->allocate != NULL) {
        return u->allocate(u->context, bytes, alignment);
    }
    void *p = NULL;
    bool large = bytes >= LARGE_FROM;
    if (posix_memalign(&p, large ? LARGE_PAGE : alignment, bytes) != 0) {
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    if (large) {
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* speed only: random looks need fewer page walks */
    }
#endif
    return p;
}

void usw_release(upsweep *u, void *p, size_t bytes)
{
    if (u->release != NULL) {
        u->release(u->context, p, bytes);
    } else {
        free(p);
    }
}

/* The block's own header lies in front of its bytes, in the first page. */
static usw_block *block_new(upsweep *u, size_t size)
{
    size_t total;
    if (__builtin_add_overflow(size, (size_t)PAGE, &total) ||
        (u->scratch_limit != 0 &&
         (u->scratch_held > u->scratch_limit || size > u->scratch_limit - u->scratch_held))) {
        return NULL;
    }
    unsigned char *at = usw_allocate(u, total, PAGE);
    if (at == NULL) {
        return NULL;
    }
    usw_block *b = (usw_block *)(void *)at;
    *b = (usw_block){u->blocks, at + PAGE, size, 0};
    u->blocks = b;
    u->scratch_held += size;
    u->scratch_most = usw_max(u->scratch_most, u->scratch_held);
    return b;
}

static void block_free_newest(upsweep *u)
{
    usw_block *b = u->blocks;
    u->blocks = b->older;
    u->scratch_held -= b->size;
    usw_release(u, b, b->size + PAGE);
}

void usw_scratch_free(upsweep *u)
{
#ifdef USW_CHECKED
    usw_guard_drop(u, 0, "when scratch was freed");
#endif
    while (u->blocks != NULL) {
        block_free_newest(u);
    }
}

void usw_scratch_begin(upsweep *u)
{
#ifdef USW_CHECKED
    usw_guard_drop(u, 0, "when the next call began");
    u->guard_calls++;
#endif
    size_t most = u->scratch_most; /* more than is held where blocks were taken away half way */
    if (u->blocks != NULL && (u->blocks->older != NULL || most > u->scratch_held)) {
        usw_scratch_free(u);
        (void)block_new(u, most); /* without it the next request makes its own */
    }
    u->scratch_most = u->scratch_held;
    if (u->blocks != NULL) {
        u->blocks->used = 0;
    }
    u->scratch_used = 0;
    u->scratch_peak = 0;
}

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

void *usw_scratch(upsweep *u, size_t bytes)
{
    size_t alignment = bytes >= PAGE_FROM ? PAGE : SMALL;
    if (bytes > SIZE_MAX - 2 * PAGE) {
        return NULL;
    }
    bytes = round_up(usw_max(bytes, 1), SMALL);
    usw_block *b = u->blocks;
    size_t start = b == NULL ? 0 : round_up(b->used, alignment);
    if (b == NULL || start > b->size || bytes > b->size - start) {
        b = block_new(u, usw_max(bytes, BLOCK_MIN));
        if (b == NULL) {
            b = block_new(u, bytes); /* the limit may just allow the exact size */
        }
        start = 0;
    }
    if (b == NULL) {
        return NULL;
    }
    u->scratch_used += start + bytes - b->used;
    b->used = start + bytes;
    u->scratch_peak = usw_max(u->scratch_peak, u->scratch_used);
    return b->bytes + start;
}

usw_shares usw_scratch_shares(upsweep *u, size_t count, size_t bytes)
{
    size_t all;
    return usw_mul_overflows(count, bytes, &all) ? (usw_shares){NULL, bytes}
                                                 : (usw_shares){usw_scratch(u, all), bytes};
}

size_t usw_scratch_left(const upsweep *u)
{
    return u->scratch_limit == 0                 ? SIZE_MAX
           : u->scratch_used >= u->scratch_limit ? 0
                                                 : u->scratch_limit - u->scratch_used;
}

usw_mark usw_scratch_mark(const upsweep *u)
{
    return (usw_mark){u->blocks, u->blocks == NULL ? 0 : u->blocks->used, u->scratch_used};
}

/* Blocks that came after the mark stay until the call ends, empty, if they are the newest: taking
 * them away would only make the next round allocate them again. */
void usw_scratch_reset(upsweep *u, usw_mark mark)
{
    while (u->blocks != mark.block && u->blocks->older != mark.block) {
        block_free_newest(u);
    }
    if (u->blocks != mark.block) {
        u->blocks->used = 0;
    } else if (mark.block != NULL) {
        mark.block->used = mark.used;
    }
    u->scratch_used = mark.total;
#ifdef USW_CHECKED
    usw_guard_drop(u, mark.total, "when a mark was taken back");
#endif
}

#ifdef USW_CHECKED
void *usw_scratch_at(upsweep *u, size_t bytes, const char *file, int line)
{
    return usw_scratch_shares_at(u, 1, bytes, file, line).at;
}

usw_shares usw_scratch_shares_at(upsweep *u, size_t count, size_t bytes, const char *file, int line)
{
    usw_guard_check(u, "when more scratch was asked for");
    usw_shares s = usw_scratch_shares(u, count, bytes);
    size_t alignment = s.at != NULL && count * bytes >= PAGE_FROM ? PAGE : SMALL;
    return s.at == NULL ? s : usw_guard_new(u, count, bytes, alignment, file, line);
}
#endif

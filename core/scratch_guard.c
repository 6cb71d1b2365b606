/* scratch_guard.c - builds for tests (USW_CHECKED): each piece of scratch stands by itself between
 * bytes that nobody may write, or ends at a page that nobody may touch.
 *
 * The arena (arena.c) does all it does in a release, so that limits, reports and what is asked of
 * the caller's allocator are the same; only the address that a step gets is another one. The bytes
 * around a piece are looked at when scratch is asked for again, when a mark is taken back and when
 * the call ends. A piece that was given back is unmapped or overwritten, so that whoever still uses
 * it is seen, too. A byte that was written ends the program with a sentence that names the line
 * that asked for the piece.
 *
 * UPSWEEP_CHECK_PAGES=N puts about one piece in N at the end of its pages (1: all, 0: none). Which
 * ones is told by the number of the call, the line and the size: the same in every run. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#ifdef USW_CHECKED
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    UNIT = 64,
    PAGE = 4096,
    LARGE = 64 * 1024,
    PAGES_EVERY = 16,
    CHECKED_AT_ONCE = 64, /* of the newest pieces, when another is taken */
    CANARY = 0xc5,
    FRESH = 0xdd, /* contents are undefined: let them look so */
    GONE = 0xde
};

struct usw_piece {
    usw_piece *older;
    unsigned char *from, *at, *to;      /* from .. at and at + bytes .. to hold the canary */
    size_t bytes;                       /* from the first share's begin to the last one's end */
    size_t shares, share_bytes, stride; /* what lies between them holds it, too */
    size_t used;                        /* scratch_used once it was taken */
    void *memory;
    size_t mapped; /* bytes; 0: allocated */
    const char *file;
    int line;
};

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

static size_t pages_every(upsweep *u)
{
    if (u->guard_every == 0) {
        const char *every = getenv("UPSWEEP_CHECK_PAGES");
        size_t n = every == NULL ? PAGES_EVERY : (size_t)strtoul(every, NULL, 10);
        u->guard_every = n == 0 ? SIZE_MAX : n;
    }
    return u->guard_every;
}

/* Whether this piece is to end at a page that cannot be touched. */
static bool wants_page(upsweep *u, size_t bytes, int line)
{
    uint64_t x = u->guard_calls * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)line * 0x2545f491u;
    x = (x ^ (x >> 29) ^ bytes) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t every = pages_every(u);
    return every != SIZE_MAX && (x >> 32) % every == 0;
}

static bool place_by_pages(usw_piece *p, size_t alignment)
{
    size_t inner = round_up(p->bytes, PAGE);
    p->mapped = inner + 2 * PAGE;
    p->memory = mmap(NULL, p->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p->memory == MAP_FAILED) {
        return false;
    }
    p->from = (unsigned char *)p->memory + PAGE;
    p->to = p->from + inner;
    p->at = p->to - round_up(p->bytes, alignment);
    if (mprotect(p->from, inner, PROT_READ | PROT_WRITE) != 0) {
        (void)munmap(p->memory, p->mapped);
        return false;
    }
    return true;
}

static bool place_in_heap(usw_piece *p, size_t alignment)
{
    size_t behind = p->bytes >= LARGE ? PAGE : UNIT, inner = round_up(p->bytes, UNIT) + behind;
    if (posix_memalign(&p->memory, alignment, alignment + inner) != 0) {
        return false;
    }
    p->at = (unsigned char *)p->memory + alignment;
    p->from = p->at - UNIT;
    p->to = p->at + inner;
    return true;
}

usw_shares usw_guard_new(upsweep *u, size_t count, size_t bytes, size_t alignment, const char *file,
                         int line)
{
    const usw_shares none = {NULL, bytes};
    usw_piece *p = malloc(sizeof *p);
    if (p == NULL || count * bytes > SIZE_MAX / 4 - count * UNIT) {
        free(p);
        return none;
    }
    *p = (usw_piece){.older = u->pieces, .used = u->scratch_used, .file = file, .line = line};
    p->shares = bytes == 0 ? 1 : usw_max(count, 1);
    p->share_bytes = count == 0 ? 0 : bytes;
    p->stride = bytes + UNIT; /* a release aligns the second share no better */
    p->bytes = usw_max((p->shares - 1) * p->stride + p->share_bytes, 1);
    if (!(wants_page(u, p->bytes, line) ? place_by_pages(p, alignment)
                                        : place_in_heap(p, alignment))) {
        free(p);
        return none;
    }
    memset(p->from, CANARY, (size_t)(p->at - p->from));
    memset(p->at, FRESH, usw_min(p->bytes, LARGE));
    for (size_t i = 0; i + 1 < p->shares; i++) {
        memset(p->at + i * p->stride + p->share_bytes, CANARY, UNIT);
    }
    memset(p->at + p->bytes, CANARY, (size_t)(p->to - (p->at + p->bytes)));
    u->pieces = p;
    return (usw_shares){p->at, p->stride};
}

/* The first byte of [from, to) that is not the canary, or NULL. */
static const unsigned char *broken(const unsigned char *from, const unsigned char *to)
{
    while (from < to && *from == CANARY) {
        from++;
    }
    return from == to ? NULL : from;
}

static void check(const upsweep *u, const usw_piece *p, const char *when)
{
    const unsigned char *at = broken(p->from, p->at);
    at = at != NULL ? at : broken(p->at + p->bytes, p->to);
    for (size_t i = 0; at == NULL && i + 1 < p->shares; i++) {
        const unsigned char *end = p->at + i * p->stride + p->share_bytes;
        at = broken(end, end + UNIT);
    }
    if (at != NULL) {
        fprintf(
            stderr,
            "upsweep: somebody wrote byte %td of a piece of scratch of %zu bytes (%zu shares of "
            "%zu and %d between them), asked for at %s:%d; seen %s (%s, %u threads)\n",
            at - p->at, p->bytes, p->shares, p->share_bytes, (int)UNIT, p->file, p->line, when,
            usw_isa_name(u->isa), u->threads);
        abort();
    }
}

void usw_guard_check(const upsweep *u, const char *when)
{
    int left = CHECKED_AT_ONCE;
    for (const usw_piece *p = u->pieces; p != NULL && left > 0; p = p->older, left--) {
        check(u, p, when);
    }
}

void usw_guard_drop(upsweep *u, size_t used, const char *when)
{
    while (u->pieces != NULL && u->pieces->used > used) {
        usw_piece *p = u->pieces;
        check(u, p, when);
        u->pieces = p->older;
        if (p->mapped != 0) {
            (void)munmap(p->memory, p->mapped);
        } else {
            memset(p->at, GONE, usw_min(p->bytes, PAGE));
            free(p->memory);
        }
        free(p);
    }
    usw_guard_check(u, when);
}
#else
typedef int usw_no_guards; /* a file of C holds something */
#endif

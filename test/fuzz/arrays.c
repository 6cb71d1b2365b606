/* arrays.c - arrays with edges, so that a step outside is seen, and an allocator likewise. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test/shared/device.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

/* Behind an array the sanitizer has an edge of its own, which sees reads as well. */
#ifdef HAS_ADDRESS_SANITIZER
enum { BEHIND = 0 };
#else
enum { BEHIND = 64 };
#endif
enum { FRONT = 64, EDGE = 0xa5, PAGE = 4096 };

static unsigned char *map_pages(size_t inner, size_t *map_bytes)
{
    *map_bytes = inner + 2 * PAGE;
    void *map = mmap(NULL, *map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED ||
        (inner > 0 && mprotect((char *)map + PAGE, inner, PROT_READ | PROT_WRITE) != 0)) {
        perror("fuzz_calls: mmap");
        exit(2);
    }
    return map;
}

/* Between closed pages: it ends at one, or begins at one. */
static void place_in_pages(fuzz_array *a, bool at_front)
{
    size_t inner = (a->bytes + PAGE - 1) / PAGE * PAGE;
    a->block = map_pages(inner, &a->map_bytes) + PAGE;
    a->block_bytes = inner;
    a->at = a->block + (at_front ? 0 : inner - a->bytes);
}

static void place_in_heap(fuzz_array *a, size_t shift)
{
    a->block_bytes = FRONT + shift + a->bytes + BEHIND;
    void *block;
    if (posix_memalign(&block, 64, a->block_bytes + 1) != 0) {
        exit(2);
    }
    a->block = block;
    a->at = a->block + FRONT + shift;
}

unsigned char *fuzz_array_new(fuzz *f, fuzz_use use, size_t n, size_t bytes, size_t align)
{
    fuzz_array *a = &f->array[f->arrays++];
    uint64_t r = fuzz_random(f);
    *a = (fuzz_array){.use = use, .bytes = n * bytes};
    if (f->edges_guarded) {
        place_in_pages(a, r % 4 == 0);
    } else {
        place_in_heap(a, r % (64 / align) * align);
    }
    memset(a->block, EDGE, (size_t)(a->at - a->block));
    unsigned char *end = a->at + a->bytes;
    memset(end, EDGE, (size_t)(a->block + a->block_bytes - end));
    memset(a->at, (int)(r >> 32 & 0xff), a->bytes);
    return a->at;
}

void fuzz_arrays_ready(fuzz *f)
{
    for (unsigned i = 0; i < f->arrays; i++) {
        fuzz_array *a = &f->array[i];
        a->before = malloc(a->bytes + 1);
        memcpy(a->before, a->at, a->bytes);
        if (f->on_device && a->bytes > 0) {
            a->device = device_take(a->bytes, (size_t)(a->at - a->block) % 64);
            device_put(a->device, a->at, a->bytes);
        }
    }
}

void *fuzz_at(fuzz *f, unsigned i)
{
    const fuzz_array *a = &f->array[i];
    if (a->bytes == 0 && f->n == 0 && f->twist_at % 2 == 0) {
        return NULL;
    }
    if (f->twist == TWIST_NULL && f->twist_at == i && a->bytes > 0 && !a->may_be_null) {
        f->expect = UPSWEEP_ERROR_ARGUMENT;
        return NULL;
    }
    return a->device != NULL ? a->device : a->at;
}

static bool is_edge(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at == EDGE) {
        at++;
    }
    return at == end;
}

void fuzz_arrays_check(fuzz *f, fuzz_kept kept)
{
    for (unsigned i = 0; i < f->arrays; i++) {
        fuzz_array *a = &f->array[i];
        if (a->device != NULL) {
            device_get(a->at, a->device, a->bytes);
        }
        if (!is_edge(a->block, a->at) || !is_edge(a->at + a->bytes, a->block + a->block_bytes)) {
            fuzz_wrong(f, "something was written outside of array %u", i);
        }
        if ((int)a->use <= (int)kept && memcmp(a->at, a->before, a->bytes) != 0) {
            fuzz_wrong(f, "array %u, %s, has changed", i,
                       a->use == FUZZ_INPUT ? "an input" : "after a failure");
        }
    }
    if (f->on_device && !device_intact()) {
        fuzz_wrong(f, "something was written outside of an array in device memory");
    }
}

void fuzz_arrays_free(fuzz *f)
{
    for (unsigned i = 0; i < f->arrays; i++) {
        fuzz_array *a = &f->array[i];
        if (a->map_bytes > 0) {
            munmap(a->block - PAGE, a->map_bytes);
        } else {
            free(a->block);
        }
        free(a->before);
    }
    if (f->on_device) {
        device_reset();
    }
    f->arrays = 0;
}

/* ---- the allocator: in front of a block stands what it was asked for ---- */

typedef struct head {
    size_t bytes, before, map_bytes;
    pthread_t owner;
    uint64_t mark;
} head;
static const uint64_t mark = UINT64_C(0x66757a7a626f6f6b);

static void complain(fuzz_books *b, const char *what)
{
    b->wrong = b->wrong == NULL ? what : b->wrong;
}

static unsigned char *new_block(const fuzz_books *b, size_t bytes, size_t before, size_t *map_bytes)
{
    *map_bytes = 0;
    if (b->guarded) {
        size_t behind = (bytes + PAGE - 1) / PAGE * PAGE;
        size_t front = (before + PAGE - 1) / PAGE * PAGE;
        return map_pages(front + behind, map_bytes) + PAGE + front;
    }
    void *at;
    return posix_memalign(&at, before, before + bytes + BEHIND) != 0 ? NULL
                                                                     : (unsigned char *)at + before;
}

/* The bytes behind a block, as far as they can be looked at. */
static size_t behind_block(const head *h)
{
    return h->map_bytes > 0 ? (h->bytes + PAGE - 1) / PAGE * PAGE - h->bytes : (size_t)BEHIND;
}

void *fuzz_allocate(void *context, size_t bytes, size_t alignment)
{
    fuzz_books *b = context;
    b->calls++;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
        complain(b, "an alignment is no power of two");
    }
    if (b->fail_from != 0 && b->calls >= b->fail_from &&
        (b->calls - b->fail_from) % b->fail_every == 0) {
        return NULL;
    }
    head h = {.bytes = bytes, .before = alignment < 64 ? 64 : alignment, .mark = mark};
    unsigned char *block = new_block(b, bytes, h.before, &h.map_bytes);
    if (block == NULL) {
        return NULL;
    }
    h.owner = pthread_self();
    memcpy(block - sizeof h, &h, sizeof h);
    memset(block, 0xdd, bytes < 128 * 1024 ? bytes : 128 * 1024); /* it is undefined */
    memset(block + bytes, EDGE, behind_block(&h));
    b->live++;
    b->held += bytes;
    return block;
}

void fuzz_release(void *context, void *pointer, size_t bytes)
{
    fuzz_books *b = context;
    unsigned char *block = pointer;
    head h;
    memcpy(&h, block - sizeof h, sizeof h);
    if (h.mark != mark) {
        complain(b, "what is released was never allocated, or something wrote in front of it");
        return;
    }
    if (h.bytes != bytes || !pthread_equal(h.owner, pthread_self())) {
        complain(b, "memory is released with another size, or from another thread");
    }
    if (!is_edge(block + h.bytes, block + h.bytes + behind_block(&h))) {
        complain(b, "something was written behind memory of the allocator");
    }
    b->live--;
    b->held -= h.bytes;
    if (h.map_bytes > 0) {
        size_t front = (h.before + PAGE - 1) / PAGE * PAGE;
        munmap(block - front - PAGE, h.map_bytes);
    } else {
        h.mark = 0;
        memcpy(block - sizeof h, &h, sizeof h);
        free(block - h.before);
    }
}

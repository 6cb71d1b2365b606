/* scratch.cu - scratch memory of a handle on the device.
 *
 * It is a chain of blocks of device memory that only grows during a call; when the next call
 * begins, several blocks are replaced by one of their sum. The library asks for all of a call's
 * scratch before (usw_gpu_begin with planning, then usw_gpu_reserve), so that as a rule there is
 * one block, and a call that lacks memory fails before its first launch.
 *
 * A stream that is being captured allows no allocation, and a graph keeps the addresses it was
 * captured with: from then on no block is given back before usw_gpu_trim or usw_gpu_close. */
/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/repeat_graph.cuh"

#include <new>

struct usw_gpu_block {
    usw_gpu_block *older;
    unsigned char *bytes;
    size_t size, used;
    size_t pieces; /* with a guard, under the emulator */
};

namespace
{

enum : size_t {
    ALIGNMENT = 256,
    BLOCK_MIN = size_t(1) << 20,
    PLAN_BASE = size_t(1) << 40, /* where the memory of a plan would begin */
#ifdef USW_EMULATE
    /* Pieces stand apart, and the emulator checks the bytes between them after each kernel. Limits,
     * plans and reports do not count these bytes. */
    GUARD = ALIGNMENT,
    GUARDS = GUARD * 256 /* in a block; pieces beyond have what rounding leaves */
#else
    GUARDS = 0
#endif
};

size_t round_up(size_t bytes)
{
    return bytes > SIZE_MAX - ALIGNMENT ? SIZE_MAX
                                        : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- blocks ---- */

bool within_limit(const usw_gpu *g, size_t bytes)
{
    return g->scratch_limit == 0 ||
           (g->scratch_held <= g->scratch_limit && bytes <= g->scratch_limit - g->scratch_held);
}

/* Returns NULL where there is no memory, and clears the device's error. */
usw_gpu_block *block_new(usw_gpu *g, size_t bytes)
{
    void *at = nullptr;
    if (!within_limit(g, bytes)) {
        return nullptr;
    }
    if (bytes > SIZE_MAX - GUARDS || cudaMalloc(&at, bytes + GUARDS) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    usw_gpu_block *b = new (std::nothrow) usw_gpu_block;
    if (b == nullptr) {
        (void)cudaFree(at);
        return nullptr;
    }
    *b = {g->blocks, static_cast<unsigned char *>(at), bytes, 0, 0};
    g->blocks = b;
    g->scratch_held += bytes;
    return b;
}

void *take_from(usw_gpu *g, usw_gpu_block *b, size_t asked, size_t bytes)
{
    unsigned char *at = b->bytes + b->used;
#ifdef USW_EMULATE
    at += b->pieces * GUARD;
    b->pieces += b->pieces < GUARDS / GUARD ? 1 : 0;
    unsigned char *end = b->bytes + b->used + bytes + b->pieces * GUARD;
    (void)usw_gpu_check(g, emulated_guard(at, asked, static_cast<size_t>(end - at), g->stream),
                        "a guard behind scratch");
#else
    (void)asked;
#endif
    b->used += bytes;
    g->scratch_used += bytes;
    g->scratch_peak = g->scratch_used;
    return at;
}

} // namespace

/* Waits, since earlier calls may still work in the blocks. */
void usw_gpu_scratch_free(usw_gpu *g)
{
    if (g->blocks != nullptr) {
        (void)cudaStreamSynchronize(g->stream);
    }
    while (g->blocks != nullptr) {
        usw_gpu_block *b = g->blocks;
        g->blocks = b->older;
        (void)cudaFree(b->bytes);
        delete b;
    }
    g->scratch_held = 0;
}

const void *usw_gpu_scratch_start(const usw_gpu *g)
{
    return g->blocks == nullptr ? nullptr : g->blocks->bytes;
}

void *usw_gpu_scratch(usw_gpu *g, size_t bytes)
{
    const size_t asked = bytes;
    bytes = round_up(bytes == 0 ? 1 : bytes);
    if (bytes > SIZE_MAX / 2 - g->scratch_used) {
        usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "the scratch of this call overflows size_t");
        return nullptr;
    }
    if (usw_gpu_plans(g)) {
        g->scratch_used += bytes;
        g->scratch_peak = g->scratch_used;
        return reinterpret_cast<void *>(PLAN_BASE + g->scratch_used - bytes);
    }
    for (usw_gpu_block *b = g->blocks; b != nullptr; b = b->older) {
        if (bytes <= b->size - b->used) {
            return take_from(g, b, asked, bytes);
        }
    }
    if (g->capturing) {
        usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY,
                     "no memory can be allocated while the stream is being captured: this call "
                     "takes %zu bytes of scratch or more, call upsweep_reserve before",
                     g->scratch_used + bytes);
        return nullptr;
    }
    usw_gpu_block *b = block_new(g, bytes < BLOCK_MIN ? size_t(BLOCK_MIN) : bytes);
    if (b == nullptr) {
        b = block_new(g, bytes); /* the limit may allow the exact size, and no more */
    }
    if (b == nullptr) {
        usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "cuda:%d has no %zu more bytes for scratch%s",
                     g->device, bytes,
                     within_limit(g, bytes) ? "" : ": scratch_limit is too small");
        return nullptr;
    }
    return take_from(g, b, asked, bytes);
}

namespace
{

upsweep_status grow_to(usw_gpu *g, size_t bytes)
{
    for (usw_gpu_block *b = g->blocks; b != nullptr; b = b->older) {
        if (bytes <= b->size) {
            return UPSWEEP_OK;
        }
    }
    if (usw_gpu_is_capturing(g->stream)) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY,
                            "no memory can be allocated while the stream is being captured: call "
                            "upsweep_reserve with %zu bytes before",
                            bytes);
    }
    if (!g->captured) {
        usw_gpu_scratch_free(g);
    }
    if (!within_limit(g, bytes)) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY,
                            "%zu bytes of scratch on cuda:%d are more than scratch_limit allows, "
                            "%zu",
                            bytes, g->device, g->scratch_limit);
    }
    if (block_new(g, bytes) == nullptr) {
        size_t left = 0, all = 0;
        (void)cudaMemGetInfo(&left, &all);
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY,
                            "cuda:%d has no %zu bytes for scratch: %zu of %zu are free", g->device,
                            bytes, left, all);
    }
    return UPSWEEP_OK;
}

} // namespace

upsweep_status usw_gpu_reserve(usw_gpu *g, size_t bytes)
{
    if (g->device < 0 || bytes == 0) {
        return UPSWEEP_OK;
    }
    g->status = UPSWEEP_OK;
    usw_gpu_make_current(g);
    upsweep_status status = grow_to(g, round_up(bytes));
    usw_gpu_end(g);
    return status;
}

void usw_gpu_trim(usw_gpu *g)
{
    if (g->device >= 0) {
        usw_gpu_make_current(g);
        usw_gpu_scratch_free(g);
        usw_gpu_end(g);
        g->captured = false;
    }
}

void usw_gpu_scratch_begin(usw_gpu *g)
{
    if (g->blocks != nullptr && g->blocks->older != nullptr && !g->captured) {
        size_t sum = g->scratch_held;
        usw_gpu_scratch_free(g);
        (void)block_new(g, sum); /* if that fails, the next request makes its own block */
    }
    for (usw_gpu_block *b = g->blocks; b != nullptr; b = b->older) {
        b->used = b->pieces = 0;
#ifdef USW_EMULATE
        if (!g->planning) {
            (void)emulated_guard(b->bytes, b->size + GUARDS, b->size + GUARDS, g->stream);
        }
#endif
    }
}

/* ---- memory that outlives calls ---- */

upsweep_status usw_gpu_keep(usw_gpu *g, size_t bytes, void **at)
{
    *at = nullptr;
    if (usw_gpu_plans(g)) {
        return UPSWEEP_OK;
    }
    if (g->capturing) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                            "no memory can be allocated while the stream is being captured: the "
                            "graph must have been used on cuda:%d before",
                            g->device);
    }
    if (cudaMalloc(at, bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        *at = nullptr;
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "cuda:%d has no %zu bytes for the graph",
                            g->device, bytes);
    }
    return UPSWEEP_OK;
}

void usw_gpu_drop(int device, void *at)
{
    int before = device;
    if (cudaGetDevice(&before) == cudaSuccess && before != device) {
        (void)cudaSetDevice(device);
    }
    (void)cudaFree(at);
    if (before != device) {
        (void)cudaSetDevice(before);
    }
    (void)cudaGetLastError();
}

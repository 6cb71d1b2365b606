/* memory.cpp - device and pinned memory: poisoned, and between fences: bytes that must not change
 * up to the next page, then a page without access. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/scheduler.h"
#include "test/emulate/streams.h"

#include <sys/mman.h>

enum : size_t { page = 4096, unit = 256, poisoned_ends = size_t(1) << 20, all_poisoned = 64 << 20 };

struct piece {
    size_t bytes;
    char *mapped; // null: the caller's memory, registered
    size_t mapped_bytes;
    cudaMemoryType type;
};
static std::map<uintptr_t, piece> pieces; // by address
static size_t device_bytes;

static size_t device_room()
{
    static const size_t bytes = emulated_setting("UPSWEEP_EMULATE_MEMORY", size_t(4) << 30);
    return bytes;
}

/* The piece that holds p, or whose fences do. */
static const std::pair<const uintptr_t, piece> *find_piece(const void *p, bool fences)
{
    uintptr_t a = reinterpret_cast<uintptr_t>(p);
    for (auto at = pieces.upper_bound(a + (fences ? 2 * page : 0)); at != pieces.begin();) {
        --at;
        if (a >= at->first && a < at->first + std::max<size_t>(at->second.bytes, 1)) {
            return &*at;
        }
        uintptr_t from = reinterpret_cast<uintptr_t>(at->second.mapped);
        if (fences && from != 0 && a >= from - page && a < from + at->second.mapped_bytes) {
            return &*at;
        }
        if (at->first + at->second.bytes + 2 * page < a) {
            break;
        }
    }
    return nullptr;
}

cudaMemoryType memory_type(const void *p, size_t *left)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    auto *found = find_piece(p, false);
    *left = SIZE_MAX;
    if (found == nullptr) {
        return cudaMemoryTypeUnregistered;
    }
    *left = found->first + found->second.bytes - reinterpret_cast<uintptr_t>(p);
    return found->second.type;
}

std::string emulated_describe(const void *address)
{
    std::string shared = emulated_describe_shared(address);
    if (!shared.empty()) {
        return shared;
    }
    auto *found = find_piece(address, true);
    if (found == nullptr) {
        return "no memory of the device (or a thread's stack is exhausted)";
    }
    long offset = static_cast<long>(reinterpret_cast<uintptr_t>(address) - found->first);
    return "at byte " + std::to_string(offset) + " of a device array of " +
           std::to_string(found->second.bytes) + " bytes";
}

static void fill(char *p, size_t bytes, int byte)
{
    if (bytes <= all_poisoned) {
        memset(p, byte, bytes);
    } else { // the ends: touching it all would cost the memory that nobody uses
        memset(p, byte, poisoned_ends);
        memset(p + bytes - poisoned_ends, byte, poisoned_ends);
    }
}

static size_t rounded(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

cudaError_t emulated_malloc(void **p, size_t bytes, cudaMemoryType type)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    *p = nullptr;
    cudaError_t e = stream_no_capture();
    if (e != cudaSuccess || bytes == 0) {
        return e;
    }
    bool device = type == cudaMemoryTypeDevice;
    if (bytes > SIZE_MAX / 2 || (device && bytes > device_room() - device_bytes)) {
        return emulated_error(cudaErrorMemoryAllocation);
    }
    // A page of fence, the array up against the last page, which has no access.
    size_t mapped_bytes = page + rounded(rounded(bytes, unit), page) + page;
    void *m = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) {
        return emulated_error(cudaErrorMemoryAllocation);
    }
    char *mapped = static_cast<char *>(m), *end = mapped + mapped_bytes - page;
    char *start = end - rounded(bytes, unit);
    mprotect(end, page, PROT_NONE);
    memset(mapped, emulated_poison(), static_cast<size_t>(start - mapped));
    fill(start, bytes, emulated_poison() ^ 0x11);
    memset(start + bytes, emulated_poison(), static_cast<size_t>(end - (start + bytes)));
    pieces[reinterpret_cast<uintptr_t>(start)] = {bytes, mapped, mapped_bytes, type};
    device_bytes += device ? bytes : 0;
    *p = start;
    return cudaSuccess;
}

/* Ends the program if a byte of [from, to) is no longer poison: it is told as one of the array. */
static void check_poison(const unsigned char *from, const unsigned char *to, uintptr_t array,
                         size_t bytes, const char *what, const char *kernel)
{
    const unsigned char poison = emulated_poison();
    const unsigned char *b = from;
    if (from == to ||
        (*from == poison && memcmp(from, from + 1, static_cast<size_t>(to - from) - 1) == 0)) {
        return;
    }
    while (*b == poison) {
        b++;
    }
    emulated_fail("%s wrote to byte %td of %s of %zu bytes", kernel,
                  b - reinterpret_cast<const unsigned char *>(array), what, bytes);
}

static void check_fences(uintptr_t address, const piece &p, const char *kernel)
{
    if (p.mapped == nullptr) {
        return;
    }
    const unsigned char *start = reinterpret_cast<const unsigned char *>(address);
    const unsigned char *from = reinterpret_cast<const unsigned char *>(p.mapped);
    check_poison(from, start, address, p.bytes, "a device array", kernel);
    check_poison(start + p.bytes, from + p.mapped_bytes - page, address, p.bytes, "a device array",
                 kernel);
}

/* ---- pieces within an array ---- */

struct guard {
    size_t bytes; // of guard, from the piece's end on
    uintptr_t piece;
    size_t piece_bytes;
};
static std::map<uintptr_t, guard> guards; // by address

static void forget_guards(uintptr_t from, size_t bytes)
{
    auto at = guards.lower_bound(from);
    if (at != guards.begin() && std::prev(at)->first + std::prev(at)->second.bytes > from) {
        --at;
    }
    while (at != guards.end() && at->first < from + bytes) {
        at = guards.erase(at);
    }
}

cudaError_t emulated_guard(void *p, size_t bytes, size_t whole, cudaStream_t s)
{
    return stream_add(s, [=] {
        uintptr_t at = reinterpret_cast<uintptr_t>(p);
        forget_guards(at, whole);
        if (bytes < whole) {
            memset(static_cast<char *>(p) + bytes, emulated_poison(), whole - bytes);
            guards[at + bytes] = {whole - bytes, at, bytes};
        }
    });
}

void check_memory(const char *kernel)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    for (const auto &p : pieces) {
        check_fences(p.first, p.second, kernel);
    }
    for (const auto &g : guards) {
        const unsigned char *from = reinterpret_cast<const unsigned char *>(g.first);
        check_poison(from, from + g.second.bytes, g.second.piece, g.second.piece_bytes,
                     "a piece of scratch", kernel);
    }
}

static cudaError_t release(void *p, cudaMemoryType type)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    if (p == nullptr) {
        return cudaSuccess;
    }
    auto at = pieces.find(reinterpret_cast<uintptr_t>(p));
    if (at == pieces.end() || at->second.type != type || at->second.mapped == nullptr) {
        return emulated_error(cudaErrorInvalidValue);
    }
    check_fences(at->first, at->second, "somebody");
    forget_guards(at->first, at->second.bytes);
    device_bytes -= type == cudaMemoryTypeDevice ? at->second.bytes : 0;
    munmap(at->second.mapped, at->second.mapped_bytes);
    pieces.erase(at);
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    cudaError_t e = stream_no_capture();
    if (e == cudaSuccess) {
        stream_drain_all();
        e = release(p, cudaMemoryTypeDevice);
    }
    return e;
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s)
{
    return stream_add(s, [p] { release(p, cudaMemoryTypeDevice); });
}
cudaError_t cudaFreeHost(void *p)
{
    stream_drain_all();
    return release(p, cudaMemoryTypeHost);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    *total = device_room();
    *available = device_room() - device_bytes;
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    if (p == nullptr || bytes == 0) {
        return emulated_error(cudaErrorInvalidValue);
    }
    if (find_piece(p, false) != nullptr) {
        return emulated_error(cudaErrorHostMemoryAlreadyRegistered);
    }
    pieces[reinterpret_cast<uintptr_t>(p)] = {bytes, nullptr, 0, cudaMemoryTypeHost};
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p)
{
    std::lock_guard<std::recursive_mutex> held(emulated_lock());
    stream_drain_all();
    auto at = pieces.find(reinterpret_cast<uintptr_t>(p));
    if (at == pieces.end() || at->second.mapped != nullptr) {
        return emulated_error(cudaErrorHostMemoryNotRegistered);
    }
    pieces.erase(at);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
    size_t left;
    a->type = memory_type(p, &left);
    a->device = a->type == cudaMemoryTypeDevice ? 0 : -1;
    a->devicePointer = a->hostPointer = nullptr;
    if (a->type != cudaMemoryTypeUnregistered) {
        a->devicePointer = const_cast<void *>(p);
        a->hostPointer = a->type == cudaMemoryTypeHost ? a->devicePointer : nullptr;
    }
    return cudaSuccess;
}

/* emulated_threads.h - what threads of a kernel do with one another: shared memory, barriers, warp
 * collectives, waiting. Each call notes its file and line, so that a report can name them. */
/* SPDX-License-Identifier: MIT */
#ifndef EMULATED_THREADS_H
#define EMULATED_THREADS_H

#include "test/emulate/emulated_types.h"

#define EMULATED_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* ---- the scheduler's calls (scheduler.cpp) ---- */

struct emulated_votes {
    unsigned count; /* threads whose predicate was true */
    bool any, all;
};
emulated_votes emulated_barrier(const char *what, bool predicate, const char *file, int line);
/* What lanes bring to a meeting: a value each; and which of them brought more than 0. */
struct emulated_brought {
    uint64_t values[32];
    uint32_t not_zero;
    uint32_t reduced; // the same for all lanes: the first that asks has it made
    bool is_reduced;
};
/* Waits for exactly the lanes of mask, which loses the lanes that the block never had; returns
 * what they brought, to be read before the next call. */
emulated_brought &emulated_meet(const char *what, unsigned &mask, uint64_t value, const char *file,
                                int line);
/* The lanes of mask that brought this value. */
unsigned emulated_equal(const emulated_brought &b, unsigned mask, uint64_t value);
enum emulated_op {
    EMULATED_add,
    EMULATED_min,
    EMULATED_max,
    EMULATED_and,
    EMULATED_or,
    EMULATED_xor
};
/* The values of the lanes of mask, 32 bits each, reduced. */
uint32_t emulated_reduce(emulated_brought &b, unsigned mask, emulated_op op, bool is_signed);
unsigned emulated_lane();
/* Storage of this block for the declaration `site`, poisoned and fenced. */
void *emulated_shared(const void *site, size_t bytes, size_t align);
void *emulated_dynamic_shared();
/* Of clusters: the barrier of its blocks, and what an object in this block's shared memory is to
 * the block of that rank. */
void emulated_cluster_barrier(EMULATED_HERE);
void *emulated_cluster_shared(void *own, unsigned rank);
/* Lets others run; counts as waiting. */
void emulated_yield();
void emulated_preempt();
extern int emulated_preempt_left; /* memory operations until some other thread runs */
[[noreturn]] void emulated_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Every operation on memory that threads exchange may lose the processor to another thread. */
static inline void emulated_touch()
{
    if (--emulated_preempt_left <= 0) {
        emulated_preempt();
    }
}
static inline void usw_yield()
{
    emulated_yield();
}

/* ---- shared memory ---- */

#define USW_SHARED(type, name)                                                                     \
    static const char name##_site = 0;                                                             \
    type &name = *static_cast<type *>(emulated_shared(&name##_site, sizeof(type), alignof(type)))
#define USW_SHARED_ARRAY(type, name, dims)                                                         \
    static const char name##_site = 0;                                                             \
    typedef type name##_array dims;                                                                \
    name##_array &name = *static_cast<name##_array *>(                                             \
        emulated_shared(&name##_site, sizeof(name##_array), alignof(name##_array)))
#define USW_DYNAMIC_SHARED(type, name) type *name = static_cast<type *>(emulated_dynamic_shared())

/* ---- barriers and fences ---- */

static inline void __syncthreads(EMULATED_HERE)
{
    emulated_barrier("__syncthreads", false, file, line);
}
static inline int __syncthreads_or(int predicate, EMULATED_HERE)
{
    return emulated_barrier("__syncthreads_or", predicate != 0, file, line).any;
}
static inline int __syncthreads_and(int predicate, EMULATED_HERE)
{
    return emulated_barrier("__syncthreads_and", predicate != 0, file, line).all;
}
static inline int __syncthreads_count(int predicate, EMULATED_HERE)
{
    return static_cast<int>(
        emulated_barrier("__syncthreads_count", predicate != 0, file, line).count);
}
static inline void __syncwarp(unsigned mask = ~0u, EMULATED_HERE)
{
    emulated_meet("__syncwarp", mask, 0, file, line);
}
static inline void __threadfence_block()
{
    emulated_touch();
}
static inline void __threadfence()
{
    emulated_touch();
}
static inline void __threadfence_system()
{
    emulated_touch();
}
static inline void __nanosleep(unsigned)
{
    emulated_touch();
}
/* A thread knows only of itself to be active: the least that CUDA promises. */
static inline unsigned __activemask()
{
    return 1u << emulated_lane();
}

/* ---- shuffles ---- */

template <typename T> static inline uint64_t emulated_pack(T v)
{
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "a warp exchanges plain numbers");
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    return bits;
}
template <typename T> static inline T emulated_unpack(uint64_t bits)
{
    T v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
/* The value of lane `from`; of a lane that the mask leaves out, something wrong. */
template <typename T>
static inline T emulated_take(const uint64_t *values, unsigned mask, unsigned from)
{
    return emulated_unpack<T>((mask >> from & 1) != 0 ? values[from] : 0xbad0bad0bad0bad0ull);
}
static inline unsigned emulated_segment(int width)
{
    if (width <= 0 || width > 32 || (width & (width - 1)) != 0) {
        emulated_fail("a shuffle's width is %d, which is no power of two up to 32", width);
    }
    return ~static_cast<unsigned>(width - 1) & 31;
}
template <typename T>
static inline T __shfl_sync(unsigned mask, T v, int from, int width = 32, EMULATED_HERE)
{
    unsigned high = emulated_segment(width);
    const uint64_t *values =
        emulated_meet("__shfl_sync", mask, emulated_pack(v), file, line).values;
    return emulated_take<T>(values, mask,
                            (emulated_lane() & high) | (static_cast<unsigned>(from) & ~high & 31));
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, EMULATED_HERE)
{
    unsigned lane = emulated_lane(), first = lane & emulated_segment(width);
    const uint64_t *values =
        emulated_meet("__shfl_up_sync", mask, emulated_pack(v), file, line).values;
    return lane >= first + delta ? emulated_take<T>(values, mask, lane - delta) : v;
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, EMULATED_HERE)
{
    unsigned lane = emulated_lane(), last = lane | (~emulated_segment(width) & 31);
    const uint64_t *values =
        emulated_meet("__shfl_down_sync", mask, emulated_pack(v), file, line).values;
    return lane + delta <= last ? emulated_take<T>(values, mask, lane + delta) : v;
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, EMULATED_HERE)
{
    unsigned lane = emulated_lane(), last = lane | (~emulated_segment(width) & 31);
    unsigned from = lane ^ static_cast<unsigned>(bits);
    const uint64_t *values =
        emulated_meet("__shfl_xor_sync", mask, emulated_pack(v), file, line).values;
    return from <= last ? emulated_take<T>(values, mask, from) : v;
}

/* ---- votes, matches, reductions ---- */

static inline unsigned emulated_ballot(const char *what, unsigned mask, int p, const char *file,
                                       int line)
{
    return emulated_meet(what, mask, p != 0, file, line).not_zero;
}
static inline unsigned __ballot_sync(unsigned mask, int p, EMULATED_HERE)
{
    return emulated_ballot("__ballot_sync", mask, p, file, line);
}
static inline int __any_sync(unsigned mask, int p, EMULATED_HERE)
{
    return emulated_ballot("__any_sync", mask, p, file, line) != 0;
}
static inline int __all_sync(unsigned mask, int p, EMULATED_HERE)
{
    return emulated_ballot("__all_sync", mask, p == 0, file, line) == 0;
}
template <typename T> static inline unsigned __match_any_sync(unsigned mask, T v, EMULATED_HERE)
{
    uint64_t own = emulated_pack(v);
    const emulated_brought &b = emulated_meet("__match_any_sync", mask, own, file, line);
    return emulated_equal(b, mask, own);
}
template <typename T>
static inline unsigned __match_all_sync(unsigned mask, T v, int *all, EMULATED_HERE)
{
    uint64_t own = emulated_pack(v);
    const emulated_brought &b = emulated_meet("__match_all_sync", mask, own, file, line);
    *all = emulated_equal(b, mask, own) == mask;
    return *all != 0 ? mask : 0;
}
#define EMULATED_REDUCE(T, name)                                                                   \
    static inline T __reduce_##name##_sync(unsigned mask, T v, EMULATED_HERE)                      \
    {                                                                                              \
        emulated_brought &b =                                                                      \
            emulated_meet("__reduce_" #name "_sync", mask, emulated_pack(v), file, line);          \
        return static_cast<T>(emulated_reduce(b, mask, EMULATED_##name, std::is_signed_v<T>));     \
    }
EMULATED_REDUCE(unsigned, add)
EMULATED_REDUCE(unsigned, min)
EMULATED_REDUCE(unsigned, max)
EMULATED_REDUCE(unsigned, and)
EMULATED_REDUCE(unsigned, or)
EMULATED_REDUCE(unsigned, xor)
EMULATED_REDUCE(int, add)
EMULATED_REDUCE(int, min)
EMULATED_REDUCE(int, max)
#undef EMULATED_REDUCE

#endif

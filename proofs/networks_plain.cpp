/* networks_plain.cpp - proves the networks of the CPU that networks.py takes out of the sources:
 * those without vectors, the merges of sorted vectors, bitonic and odd-even sort. */
/* SPDX-License-Identifier: MIT */
#include "proofs/networks.hpp"

#include <cstdlib>
#include <cstring>

#define KEY Key
#define restrict __restrict

static inline size_t usw_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline size_t usw_max(size_t a, size_t b)
{
    return a < b ? b : a;
}

static std::string sized(const char *name, size_t n)
{
    return std::string(name) + ", " + std::to_string(n) + " keys";
}

/* Inputs, and behind them what no network may read. */
static std::vector<Key> inputs(size_t n, size_t room = 0)
{
    std::vector<Key> k;
    circuit.begin(n);
    for (size_t i = 0; i < n + room; i++) {
        k.push_back(Key::of(i < n ? i : 0x80000000u + i));
    }
    return k;
}

/* ---- sorts of short arrays, in C ---- */

namespace scalar
{
#define FN(name) name
#include "scalar.inc"
static void prove(Proof *p)
{
    for (size_t n = 1; n <= BASE; n++) {
        std::vector<Key> k = inputs(n);
        base_sort(k.data(), n);
        p->check(circuit_sorts(sized("cpu/cache_sort/partition_scalar.h base_sort", n), k));
    }
}
} // namespace scalar

namespace vmerge
{
#include "vmerge.inc"
static void prove(Proof *p)
{
    std::vector<Key> k = inputs(LENGTH * ROW), out(k);
    sort_inside_vectors(k.data(), out.data());
    p->check(circuit_sorts(sized("sort_vmerge_cpu.h vectors", LENGTH), out,
                           std::vector<size_t>(LENGTH * ROW, 1), std::vector<size_t>(ROW, LENGTH)));
}
} // namespace vmerge

namespace oddeven
{
#include "oddeven.inc"
static void prove(Proof *p)
{
    for (size_t n = 1; n <= FIRST; n++) {
        std::vector<Key> k = inputs(n);
        sort_first(k.data(), n);
        p->check(neighbours_sort(sized("sort_oddeven_cpu.h sort_first", n), k));
    }
}
} // namespace oddeven

/* ---- the bitonic sort; a tile has 16 rows of as many columns as a cache line has keys ---- */

#define ROWS 16
template <unsigned columns> struct bitonic {
    enum { COLUMNS_HERE = columns };
#include "bitonic.inc"
    static void prove(Proof *p, size_t most)
    {
        for (size_t n = 1; n <= most; n++) {
            size_t size = TILE;
            while (size < n) {
                size *= 2;
            }
            std::vector<Key> k = inputs(n);
            stages(k.data(), size, n);
            p->check(circuit_sorts(sized("sort_bitonic_cpu.h stages", n), k));
        }
    }
};
#undef ROWS

/* ---- the merge of two sorted vectors ---- */

#define MERGE_VECTORS(lanes)                                                                       \
    struct VEC {                                                                                   \
        Key lane[lanes];                                                                           \
    };                                                                                             \
    static inline void store(Key *at, VEC x)                                                       \
    {                                                                                              \
        memcpy(static_cast<void *>(at), &x, sizeof x);                                             \
    }                                                                                              \
    static inline VEC swapped(VEC x, unsigned distance)                                            \
    {                                                                                              \
        VEC y;                                                                                     \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            y.lane[i] = x.lane[i ^ distance];                                                      \
        }                                                                                          \
        return y;                                                                                  \
    }                                                                                              \
    static inline VEC least(VEC x, VEC y)                                                          \
    {                                                                                              \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            x.lane[i] = LESSER(x.lane[i], y.lane[i]);                                              \
        }                                                                                          \
        return x;                                                                                  \
    }                                                                                              \
    static inline VEC greatest(VEC x, VEC y)                                                       \
    {                                                                                              \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            x.lane[i] = GREATER(x.lane[i], y.lane[i]);                                             \
        }                                                                                          \
        return x;                                                                                  \
    }                                                                                              \
    static inline VEC exchange(VEC x, unsigned distance, uint64_t upper)                           \
    {                                                                                              \
        VEC y = swapped(x, distance), low = least(x, y), high = greatest(x, y);                    \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            x.lane[i] = (upper >> i & 1) != 0 ? high.lane[i] : low.lane[i];                        \
        }                                                                                          \
        return x;                                                                                  \
    }

#define PROVE_MERGE                                                                                \
    static void prove(Proof *p)                                                                    \
    {                                                                                              \
        std::vector<Key> k = inputs(2 * LANES), out(k);                                            \
        VEC a, b;                                                                                  \
        memcpy(static_cast<void *>(&a), k.data(), sizeof a);                                       \
        memcpy(static_cast<void *>(&b), k.data() + LANES, sizeof b);                               \
        store(out.data() + LANES, split_low_high(a, b, out.data()));                               \
        p->check(circuit_sorts(sized("cpu/merging/merge_cpu.h split_low_high", LANES), out,        \
                               {LANES, LANES}, {2 * LANES}));                                      \
    }

#define LANES 8
namespace merge_8
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_8
#undef LANES
#define LANES 16
namespace merge_16
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_16
#undef LANES
#define LANES 32
namespace merge_32
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_32
#undef LANES
#define LANES 64
namespace merge_64
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_64
#undef LANES

void prove_plain_networks(Proof *p)
{
    scalar::prove(p);
    vmerge::prove(p);
    oddeven::prove(p);
    bitonic<4>::prove(p, 130);
    bitonic<8>::prove(p, 260);
    bitonic<16>::prove(p, 300);
    bitonic<32>::prove(p, 130);
    bitonic<64>::prove(p, 66);
    merge_8::prove(p);
    merge_16::prove(p);
    merge_32::prove(p);
    merge_64::prove(p);
}

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
    static inline VEC reversed(VEC x)                                                              \
    {                                                                                              \
        return swapped(x, lanes - 1);                                                              \
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
    static inline VEC exchange_within(VEC x, unsigned distance, uint64_t upper)                    \
    {                                                                                              \
        VEC y = swapped(x, distance), low = least(x, y), high = greatest(x, y);                    \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            x.lane[i] = (upper >> i & 1) != 0 ? high.lane[i] : low.lane[i];                        \
        }                                                                                          \
        return x;                                                                                  \
    }

/* Shuffles of two vectors. Lane i of the outcome is lane from(i) of x, or, from LANES on, of y. */
#define MERGE_SHUFFLES(lanes)                                                                      \
    enum { PART_LANES = 128 / KEY_BITS };                                                          \
    template <class From> static VEC shuffled(VEC x, VEC y, From from)                             \
    {                                                                                              \
        VEC z;                                                                                     \
        for (unsigned i = 0; i < lanes; i++) {                                                     \
            const unsigned at = from(i);                                                           \
            z.lane[i] = at < lanes ? x.lane[at] : y.lane[at - lanes];                              \
        }                                                                                          \
        return z;                                                                                  \
    }                                                                                              \
    /* Units of so many lanes within each 128 bits: a unit of x, then one of y, and so on. */      \
    static VEC unpacked(VEC x, VEC y, unsigned unit, unsigned high)                                \
    {                                                                                              \
        return shuffled(x, y, [=](unsigned i) {                                                    \
            const unsigned in = i % PART_LANES;                                                    \
            return i - in + in / (2 * unit) * unit + high * PART_LANES / 2 + in % unit +           \
                   in / unit % 2 * lanes;                                                          \
        });                                                                                        \
    }                                                                                              \
    struct Places {                                                                                \
        unsigned lane[lanes];                                                                      \
    };                                                                                             \
    static inline Places places_of(const unsigned *lane)                                           \
    {                                                                                              \
        Places p;                                                                                  \
        memcpy(p.lane, lane, sizeof p.lane);                                                       \
        return p;                                                                                  \
    }                                                                                              \
    static inline VEC _mm512_permutex2var_epi(VEC x, Places p, VEC y)                              \
    {                                                                                              \
        return shuffled(x, y, [&](unsigned i) { return p.lane[i]; });                              \
    }                                                                                              \
    static inline VEC _mm512_shuffle_i64x2(VEC x, VEC y, unsigned imm)                             \
    {                                                                                              \
        return shuffled(x, y, [=](unsigned i) {                                                    \
            const unsigned part = i / PART_LANES;                                                  \
            return (imm >> 2 * part & 3) * PART_LANES + i % PART_LANES + part / 2 * lanes;         \
        });                                                                                        \
    }                                                                                              \
    static inline VEC _mm256_permute2x128_si256(VEC x, VEC y, unsigned imm)                        \
    {                                                                                              \
        return shuffled(x, y, [=](unsigned i) { /* its parts of x are 0 and 1, of y 2 and 3 */     \
                                                return (imm >> i / PART_LANES * 4 & 3) *           \
                                                           PART_LANES +                            \
                                                       i % PART_LANES;                             \
        });                                                                                        \
    }                                                                                              \
    static inline VEC shuffled_ps(VEC x, VEC y, unsigned imm)                                      \
    {                                                                                              \
        return shuffled(x, y, [=](unsigned i) {                                                    \
            return i / 4 * 4 + (imm >> i % 4 * 2 & 3) + i % 4 / 2 * lanes;                         \
        });                                                                                        \
    }
#define WIDE(stem) stem
#define __m512 VEC
#define __m256 VEC
#define _mm512_unpacklo_epi64(x, y) unpacked(x, y, 64 / KEY_BITS, 0)
#define _mm512_unpackhi_epi64(x, y) unpacked(x, y, 64 / KEY_BITS, 1)
#define _mm256_unpacklo_epi64(x, y) unpacked(x, y, 64 / KEY_BITS, 0)
#define _mm256_unpackhi_epi64(x, y) unpacked(x, y, 64 / KEY_BITS, 1)
#define _mm256_unpacklo_epi32(x, y) unpacked(x, y, 1, 0)
#define _mm256_unpackhi_epi32(x, y) unpacked(x, y, 1, 1)
#define _mm512_castsi512_ps(x) x
#define _mm512_castps_si512(x) x
#define _mm256_castsi256_ps(x) x
#define _mm256_castps_si256(x) x
#define _mm512_shuffle_ps(x, y, imm) shuffled_ps(x, y, imm)
#define _mm256_shuffle_ps(x, y, imm) shuffled_ps(x, y, imm)

#define PROVE_MERGE                                                                                \
    static void prove(Proof *p)                                                                    \
    {                                                                                              \
        std::vector<Key> k = inputs(2 * LANES), out(k);                                            \
        VEC a, b;                                                                                  \
        memcpy(static_cast<void *>(&a), k.data(), sizeof a);                                       \
        memcpy(static_cast<void *>(&b), k.data() + LANES, sizeof b);                               \
        store(out.data() + LANES, split_low_high(a, b, out.data()));                               \
        p->check(circuit_sorts(sized("cpu/merging/merge_vectors.h split_low_high", LANES), out,    \
                               {LANES, LANES}, {2 * LANES}));                                      \
    }

#define MERGE_FORM 1
#define KEY_BITS 64
#define LANES 4
namespace merge_1_4
{
MERGE_VECTORS(LANES)
MERGE_SHUFFLES(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_1_4
#undef MERGE_FORM
#undef KEY_BITS
#undef LANES
#define MERGE_FORM 1
#define KEY_BITS 32
#define LANES 8
namespace merge_1_8
{
MERGE_VECTORS(LANES)
MERGE_SHUFFLES(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_1_8
#undef MERGE_FORM
#undef KEY_BITS
#undef LANES
#define MERGE_FORM 2
#define KEY_BITS 64
#define LANES 8
namespace merge_2_8
{
MERGE_VECTORS(LANES)
MERGE_SHUFFLES(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_2_8
#undef MERGE_FORM
#undef KEY_BITS
#undef LANES
#define MERGE_FORM 2
#define KEY_BITS 32
#define LANES 16
namespace merge_2_16
{
MERGE_VECTORS(LANES)
MERGE_SHUFFLES(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_2_16
#undef MERGE_FORM
#undef KEY_BITS
#undef LANES
#define MERGE_FORM 0
#define KEY_BITS 16
#define LANES 32
namespace merge_0_32
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_0_32
#undef MERGE_FORM
#undef KEY_BITS
#undef LANES
#define MERGE_FORM 0
#define KEY_BITS 8
#define LANES 64
namespace merge_0_64
{
MERGE_VECTORS(LANES)
#include "merge.inc"
PROVE_MERGE
} // namespace merge_0_64
#undef MERGE_FORM
#undef KEY_BITS
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
    merge_1_4::prove(p);
    merge_1_8::prove(p);
    merge_2_8::prove(p);
    merge_2_16::prove(p);
    merge_0_32::prove(p);
    merge_0_64::prove(p);
}

/* prefix_tree.cuh - a tree in shared memory that gives a key its bucket, for keys that their
 * leading bits do not spread evenly.
 *
 * The root's slots are the values of the first varying bits; or, where most keys are small, as
 * ids of a power law and log-normal numbers are, of the leading one and the bits that follow it,
 * so that a small key needs no more nodes than a large one. A slot is a node, which goes on with
 * the bits that follow, or a leaf, whose keys go to as many buckets as their share asks for, each
 * of the same part of the leaf's range. So the map from keys to buckets is monotone and linear
 * within a leaf. Where few keys are, neighbouring leaves share a bucket. Keys outside of the
 * window of bits that the sample has seen have buckets of their own before and behind.
 *
 * All keys of a bucket lie in a range of 2^low values, so that their last `low` bits tell them
 * apart. What is above these in a key can thus be overwritten once its bucket is known: the first
 * scatter writes the digit of the second one there (hybrid_coded), which is then looked up once.
 *
 * The sample makes the nodes (grow.cuh), a larger sample weighs the leaves
 * (gpu/bucket_sort/2_weigh_tree.cuh), and the buckets are numbered (number_buckets.cuh). This is
 * the refinement of the pivots of the explained form. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_PREFIX_TREE_CUH
#define USW_GPU_PREFIX_TREE_PREFIX_TREE_CUH

#include "gpu/gpu.cuh"

#include <type_traits>

/* SLOTS: of all nodes together. ROOT_BITS: of the root, whose slots are
 * ROOT_SCALED at most where they are of leading ones. LEVELS: of nodes, at most. LEAF: keys of
 * the sample that a leaf should have, at least; a slot with MORE times as many becomes a node, and
 * where one with HEAVY times as many as that cannot, there is no tree. */
enum {
    TREE_BUCKETS = 1 << 16, /* at most */
    TREE_REGIONS = 256,     /* buckets of a first scatter, at most */
    TREE_SLOTS = 4096,
    TREE_ROOT_BITS = 11,
    TREE_ROOT_SCALED = 2560,
    TREE_LEVELS = 5,
    TREE_LEAF = 16,
    TREE_MORE = 4,
    TREE_HEAVY = 4
};

/* Whether keys lie near their places, in the plan: they go by a tree only if they do; they do, so
 * that one scatter takes them to their buckets. And where these are when they are sorted. */
enum { TREE_IF_NEAR = 1, TREE_NEAR = 2 };
/* In the plan, that keys go by a tree which is yet to be grown. */
enum { TREE_UNGROWN = 2 };
enum { TREE_IN_KEYS = 1, TREE_IN_TMP = 2 };

/* Buckets with so few bits left are written by the counts of their values, whatever their size;
 * with COUNTED_LEFT or fewer if they are too large for the sort of step 5, by the same blocks if
 * they are no more than COUNTED_TIMES as large. */
enum { TREE_FEW_LEFT = 5, TREE_COUNTED_LEFT = 10, TREE_COUNTED_TIMES = 4 };

/* A slot is one word, so that lanes that read different ones seldom meet in a bank. A leaf: its
 * first bucket in the low half, TREE_ALIKE if each of its buckets has one value, and from bit
 * TREE_NUMBER on how many they are. A node: TREE_NODE, log2 of its size from bit TREE_LOG2 on, its
 * first slot in the low half. */
static constexpr unsigned TREE_NODE = 1u << 31, TREE_LOG2 = 26, TREE_FIRST = 0xffff;
static constexpr unsigned TREE_ALIKE = 1u << 16, TREE_NUMBER = 17;
static constexpr unsigned TREE_LEAF_MOST = (1u << 14) - 1; /* buckets of a leaf */

/* Ways that keys take by a tree, for the test `routes`, under the emulator. */
#ifdef USW_EMULATE
enum tree_way {
    TREE_PIECES,
    TREE_TOGETHER,
    TREE_COUNTS,
    TREE_COUNTS_LARGE,
    TREE_SCALES,
    TREE_SCATTERS_ONCE,
    TREE_ALONE,
    TREE_LATE,
    TREE_LEANS,
    TREE_LARGER,
    TREE_BEFORE,
    TREE_BEHIND,
    TREE_WAYS
};
static const char *const tree_ways[] = {"equal keys are written in several pieces",
                                        "a block writes a piece of equal keys",
                                        "a bucket of few values is written where others are sorted",
                                        "a larger one is written by a block for itself",
                                        "the root is of leading ones",
                                        "one scatter takes keys to their buckets",
                                        "a key is far from the others of its tile",
                                        "a tree of single keys is grown late",
                                        "keys lean to one side of leaves",
                                        "many buckets are large",
                                        "a key is before the window",
                                        "a key is behind the window"};
static inline void hybrid_tree_took(unsigned way, bool taken = true)
{
    const unsigned widths = way == TREE_LARGER ? 4 : 12; /* keys of 32 bits, and of 64 */
    emulated_choice("tree", tree_ways[way], widths, taken);
}
#define TREE_WAY(way, condition)                                                                   \
    if (condition) {                                                                               \
        hybrid_tree_took(way);                                                                     \
    }
#else
#define TREE_WAY(way, condition)
#endif

/* The tree in global memory. */
struct alignas(16) hybrid_tree {
    unsigned slots[TREE_SLOTS];
    unsigned counts[TREE_SLOTS];         /* keys of a sample in each slot */
    unsigned long long from[TREE_SLOTS]; /* its least key */
    uint16_t node[TREE_SLOTS];           /* the first slot of each slot's node */
    unsigned char size[TREE_SLOTS];      /* log2 of it, 0 for no node: the outside */
    unsigned char bits[TREE_SLOTS];  /* a slot has 1 << bits values; once numbered, a bucket's */
    uint16_t leaf[TREE_BUCKETS];     /* of each bucket */
    unsigned long long least;        /* the window begins here */
    unsigned long long last;         /* and ends with this key */
    unsigned shift, root, scale;     /* of hybrid_window */
    unsigned low;                    /* a bucket's keys lie in a range of 1 << low */
    unsigned before, until, outside; /* the window's first bucket, the one behind it; others */
    unsigned behind;                 /* a key behind the window is in behind + (key >> low) */
    unsigned leaf_keys;              /* of the sample, for which a slot is made, at least */
    unsigned levels;                 /* of nodes */
    unsigned begin[TREE_LEVELS + 1]; /* the first slots of each level, and the end */
    unsigned done;                   /* blocks that have weighed */
    unsigned alike;                  /* 1: a bucket of equal keys is larger than step 5 holds */
    unsigned crowded;                /* 1: some bucket is many times as large as the mean */
    unsigned shares[TREE_REGIONS];   /* keys of a sample in each bucket of the first scatter */
    unsigned neighbours, measured;   /* pairs of neighbours in one of them; blocks that are done */
    unsigned enough, unwanted;       /* 1: the tree that a cluster has grown serves; it need not go
                                      * on, since nobody asks for it */
    unsigned alone, far;             /* 1: keys may lie near their places, so that a sample is of
                                      * single ones; those that are far from their stretch's */
    unsigned long long regions[TREE_REGIONS + 1]; /* where those begin, if they are not counted */
};

/* The last bits that tell the keys of a bucket apart: all but the digit of a second scatter, which
 * are half of those that say a bucket, or one more. */
__host__ __device__ constexpr unsigned hybrid_tree_low(size_t key_bytes, unsigned bits)
{
    return static_cast<unsigned>(key_bytes) * 8 - (bits + 1) / 2;
}

/* What is known of a root when a kernel is compiled. */
enum tree_root { TREE_ANY_ROOT, TREE_LINEAR_ROOT, TREE_SCALED_ROOT };

/* How a key finds its slot; slots: in shared memory, the `root` slots of the root before that of
 * keys outside. scale 0: the root is linear, a slot is of 1 << shift keys. Else a key's leading
 * one and the `scale` bits that follow say its slot; behind `shift` zeros a one is no longer
 * looked for, and a slot is one key. */
template <typename K, tree_root kind = TREE_ANY_ROOT> struct hybrid_window {
    const unsigned *slots;
    const hybrid_tree *tree; /* of which the slots are a copy, if it is there */
    K least;
    unsigned shift, root, scale;
    __device__ __forceinline__ hybrid_window(const unsigned *table, const hybrid_tree *of)
        : slots(table), tree(of), least(static_cast<K>(of->least)), shift(of->shift),
          root(of->root), scale(of->scale)
    {
    }
    /* A linear root for keys that vary in `bits` bits. */
    __device__ __forceinline__ hybrid_window(const unsigned *table, K from, unsigned bits)
        : slots(table), tree(nullptr), least(from),
          shift(bits < TREE_ROOT_BITS ? 0 : bits - TREE_ROOT_BITS), root(1u << (bits - shift)),
          scale(0)
    {
    }
    __device__ __forceinline__ bool is_scaled() const
    {
        return kind == TREE_SCALED_ROOT || (kind == TREE_ANY_ROOT && scale != 0);
    }
    /* The root's slot of a key; rest: its bits that this does not say, at the upper end. */
    template <bool scaled> __device__ __forceinline__ unsigned root_slot(K key, K &rest) const
    {
        constexpr unsigned width = sizeof(K) * 8;
        const K x = static_cast<K>(key - least);
        if constexpr (scaled) {
            const unsigned zeros = static_cast<unsigned>(width == 64 ? __clzll(x) : __clz(x));
            const unsigned z = zeros < shift ? zeros : shift;
            rest = static_cast<K>(x << z);
            const unsigned i = ((shift - z) << scale) + (top(rest) >> (31 - scale));
            rest = static_cast<K>(rest << (scale + 1));
            return i < root ? i : root;
        } else {
            const K i = x >> shift;
            rest = static_cast<K>(key << ((width - shift) & (width - 1)));
            return i < root ? static_cast<unsigned>(i) : root;
        }
    }
    /* Goes on from a node's slot: returns the slot that the first bits of `rest` say, and takes
     * them away. */
    __device__ __forceinline__ static unsigned child(unsigned slot, K &rest)
    {
        const unsigned bits = slot >> TREE_LOG2 & 31;
        const unsigned at = (slot & TREE_FIRST) + (top(rest) >> ((32 - bits) & 31));
        rest = static_cast<K>(rest << bits);
        return at;
    }
    /* Takes N keys from nodes to leaves. at: their slots; s: what these say. All go down a level at
     * a time, and those that are there read their slots again, so that none waits for another. */
    template <int N>
    __device__ __forceinline__ void descend(unsigned (&at)[N], unsigned (&s)[N], K (&rest)[N]) const
    {
        unsigned kinds = 0;
#pragma unroll
        for (int i = 0; i < N; i++) {
            kinds |= s[i];
        }
        while ((kinds & TREE_NODE) != 0) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                K further = rest[i];
                const unsigned next = child(s[i], further);
                const bool goes = (s[i] & TREE_NODE) != 0;
                at[i] = goes ? next : at[i];
                rest[i] = goes ? further : rest[i];
            }
            kinds = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
                s[i] = slots[at[i]];
            }
#pragma unroll
            for (int i = 0; i < N; i++) {
                kinds |= s[i];
            }
        }
    }
    __device__ __forceinline__ static unsigned top(K rest)
    {
        return static_cast<unsigned>(rest >> (sizeof(K) * 8 - 32));
    }
    /* The numbers of the leaves' slots of N keys. */
    template <int N>
    __device__ __forceinline__ void leaves(const K (&keys)[N], unsigned (&at)[N]) const
    {
        unsigned s[N];
        K rest[N];
#pragma unroll
        for (int i = 0; i < N; i++) {
            at[i] = is_scaled() ? root_slot<true>(keys[i], rest[i])
                                : root_slot<false>(keys[i], rest[i]);
            s[i] = slots[at[i]];
        }
        descend(at, s, rest);
    }
    /* The buckets of N keys, and a bit for each whose bucket has no other value. */
    template <int N>
    __device__ __forceinline__ void buckets(const K (&keys)[N], unsigned (&found)[N],
                                            unsigned &alike) const
    {
        unsigned s[N], at[N];
        bool outside = false;
        K rest[N];
        alike = 0;
        const auto begin = [&](auto scaled) {
#pragma unroll
            for (int i = 0; i < N; i++) {
                at[i] = root_slot<decltype(scaled)::value>(keys[i], rest[i]);
                s[i] = slots[at[i]];
                outside |= at[i] == root;
            }
        };
        is_scaled() ? begin(std::true_type()) : begin(std::false_type());
        descend(at, s, rest);
#pragma unroll
        for (int i = 0; i < N; i++) {
            found[i] = (s[i] & TREE_FIRST) + __umulhi(top(rest[i]), s[i] >> TREE_NUMBER);
            alike |= (s[i] & TREE_ALIKE) != 0 ? 1u << i : 0;
        }
        if (outside) {
            const unsigned low = tree->low, behind = tree->behind;
            const K last = static_cast<K>(tree->last);
#pragma unroll
            for (int i = 0; i < N; i++) {
                const unsigned high = static_cast<unsigned>(keys[i] >> low);
                TREE_WAY(TREE_BEFORE, keys[i] < least)
                TREE_WAY(TREE_BEHIND, keys[i] > last)
                found[i] = keys[i] < least ? high : keys[i] > last ? behind + high : found[i];
            }
        }
    }
    template <int N>
    __device__ __forceinline__ void buckets(const K (&keys)[N], unsigned (&found)[N]) const
    {
        unsigned alike;
        buckets(keys, found, alike);
    }
    __device__ __forceinline__ unsigned bucket(K key) const
    {
        const K keys[1] = {key};
        unsigned found[1];
        buckets(keys, found);
        return found[0];
    }
};

/* Where stretches of 32 keys begin that are evenly spread over n keys. */
struct hybrid_stretch {
    unsigned long long step; /* of whole stretches, in 2^-24 */
    __device__ __forceinline__ hybrid_stretch(unsigned long long n, unsigned long long stretches)
        : step(((n / 32) << 24) / stretches)
    {
    }
    __device__ __forceinline__ unsigned long long place(unsigned long long number) const
    {
        return number * step >> 24 << 5;
    }
};

/* A block of NT threads copies the slots to shared memory, all that there is room for, since a
 * fixed number of turns is quick: what lies beyond the last slot was never written, and nobody
 * reads it from the copy. The caller has a barrier. */
constexpr size_t TREE_TABLE_BYTES = TREE_SLOTS * sizeof(unsigned);
template <int NT>
__device__ __forceinline__ void hybrid_copy_slots(const hybrid_tree *tree, unsigned *slots)
{
    for (unsigned i = threadIdx.x; i < TREE_SLOTS / 4; i += NT) {
        reinterpret_cast<uint4 *>(slots)[i] = reinterpret_cast<const uint4 *>(tree->slots)[i];
    }
}

/* Adds 1 to counts[at] for each lane of a warp, once for neighbours that agree, since many keys may
 * be equal. (Asking for all lanes that agree takes as many turns as there are different ones.) All
 * lanes call. */
__device__ __forceinline__ void hybrid_count_slot(unsigned *counts, unsigned at)
{
    const unsigned lane = threadIdx.x % 32, left = __shfl_up_sync(~0u, at, 1);
    const bool first = lane == 0 || at != left;
    const unsigned firsts = __ballot_sync(~0u, first) >> lane >> 1; /* of the lanes above */
    if (first) {
        atomicAdd(&counts[at],
                  firsts != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(firsts))) : 32 - lane);
    }
}

/* Sums over a block of 1024 threads: returns the sum of all c, before: of the threads below. sums:
 * 32 words. There are two barriers. */
__device__ __forceinline__ unsigned hybrid_sum_before(unsigned c, unsigned *sums, unsigned &before)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const auto sum_lanes = [lane](unsigned in) { /* of a warp, up to this lane */
                                                 for (int o = 1; o < 32; o <<= 1) {
                                                     const unsigned up = __shfl_up_sync(~0u, in, o);
                                                     in +=
                                                         lane >= static_cast<unsigned>(o) ? up : 0;
                                                 }
                                                 return in;
    };
    const unsigned in = sum_lanes(c);
    if (lane == 31) {
        sums[warp] = in;
    }
    __syncthreads();
    const unsigned warps = sum_lanes(sums[lane]);
    const unsigned total = __shfl_sync(~0u, warps, 31);
    const unsigned above = __shfl_sync(~0u, warps, (warp - 1) % 32);
    before = in - c + (warp != 0 ? above : 0);
    __syncthreads();
    return total;
}

#endif

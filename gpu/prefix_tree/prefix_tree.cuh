/* prefix_tree.cuh - a tree in shared memory that gives a key its bucket, for keys that their
 * leading bits do not spread evenly.
 *
 * The root's slots are the values of the first varying bits. A slot is a node, which goes on with
 * the bits that follow, or a leaf, whose keys go to as many buckets as their share asks for, each
 * of the same part of the leaf's range. So the map from keys to buckets is monotone and linear
 * within a leaf. Where few keys are, neighbouring leaves share a bucket. Keys outside of the window
 * of bits that the sample has seen go to the first bucket or to the last.
 *
 * The sample makes the nodes (grow.cuh), a larger sample weighs the leaves and numbers the buckets
 * (gpu/bucket_sort/2_weigh_tree.cuh). This is the refinement of the pivots of the explained
 * form. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_PREFIX_TREE_CUH
#define USW_GPU_PREFIX_TREE_PREFIX_TREE_CUH

#include "gpu/gpu.cuh"

/* SLOTS: of all nodes together. ROOT_BITS: of the root. LEVELS: of nodes, at most. LEAF: keys of
 * the sample that a leaf should have, at least; a slot with MORE times as many becomes a node, and
 * where one with HEAVY times as many as that cannot, there is no tree. */
enum {
    TREE_BUCKETS = 1 << 16, /* at most */
    TREE_REGIONS = 256,     /* buckets of a first scatter, at most */
    TREE_SLOTS = 2048,
    TREE_ROOT_BITS = 10,
    TREE_LEVELS = 5,
    TREE_LEAF = 16,
    TREE_MORE = 4,
    TREE_HEAVY = 4
};

/* Buckets with so few bits left are written by the counts of their values, whatever their size. */
enum { TREE_FEW_LEFT = 5 };

/* Of a slot's second word: where its first slot or bucket stands, and what it is; the low bits say
 * by how much a key is shifted to the left for the slot's range to fill the word. */
enum { TREE_FIRST = 16, TREE_NODE = 1 << 8, TREE_OUTSIDE = 1 << 9, TREE_TURN = 63 };

/* The first 32 bits of a key, shifted to the left by the low bits of `turn`. */
__device__ __forceinline__ unsigned hybrid_turned_left(uint32_t key, unsigned turn)
{
    return __funnelshift_l(0, key, turn);
}
__device__ __forceinline__ unsigned hybrid_turned_left(uint64_t key, unsigned turn)
{
    const unsigned lo = static_cast<unsigned>(key), hi = static_cast<unsigned>(key >> 32);
    return (turn & 32) != 0 ? __funnelshift_l(0, lo, turn) : __funnelshift_l(lo, hi, turn);
}

/* The tree in global memory. A slot: {number of slots} for a node, {buckets << 16, less 64 where
 * they are not as many as the values} for a leaf, {0} for a leaf of one bucket. */
struct alignas(16) hybrid_tree {
    uint2 slots[TREE_SLOTS];
    unsigned counts[TREE_SLOTS];         /* keys of a sample in each slot */
    unsigned long long from[TREE_SLOTS]; /* its least key */
    uint16_t node[TREE_SLOTS];           /* the first slot of each slot's node */
    unsigned char size[TREE_SLOTS];      /* log2 of it, 0 for no node: the outside */
    unsigned char bits[TREE_SLOTS];  /* a slot has 1 << bits values; once numbered, a bucket's */
    uint16_t leaf[TREE_BUCKETS];     /* of each bucket */
    unsigned long long least;        /* the window begins here */
    unsigned shift, root;            /* a root's slot is of 1 << shift keys; their number */
    unsigned leaf_keys;              /* of the sample, for which a slot is made, at least */
    unsigned levels;                 /* of nodes */
    unsigned begin[TREE_LEVELS + 1]; /* the first slots of each level, and the end */
    unsigned done;                   /* blocks that have weighed */
    unsigned buckets;                /* those in use */
    unsigned alike;                  /* 1: a bucket of equal keys is larger than step 5 holds */
    unsigned crowded;                /* 1: some bucket is many times as large as the mean */
    unsigned shares[TREE_REGIONS];   /* keys of a sample in each bucket of the first scatter */
    unsigned neighbours, measured;   /* pairs of neighbours in one of them; blocks that are done */
    unsigned long long regions[TREE_REGIONS + 1]; /* where those begin, if they are not counted */
};

/* How a key finds its slot; slots: in shared memory, the root's before that of keys outside. */
template <typename K> struct hybrid_window {
    const uint2 *slots;
    K least;
    unsigned shift, root;
    __device__ __forceinline__ hybrid_window(const uint2 *table, const hybrid_tree *tree)
        : slots(table), least(static_cast<K>(tree->least)), shift(tree->shift), root(tree->root)
    {
    }
    __device__ __forceinline__ hybrid_window(const uint2 *table, K from, unsigned low, unsigned n)
        : slots(table), least(from), shift(low), root(n)
    {
    }
    __device__ __forceinline__ unsigned root_slot(K key) const
    {
        const K i = static_cast<K>(key - least) >> shift;
        return i < root ? static_cast<unsigned>(i) : root;
    }
    __device__ __forceinline__ static unsigned child(uint2 s, K key)
    {
        return (s.y >> TREE_FIRST) + __umulhi(hybrid_turned_left(key, s.y), s.x);
    }
    /* The number of the leaf's slot. */
    __device__ __forceinline__ unsigned slot(K key) const
    {
        unsigned at = root_slot(key);
        uint2 s = slots[at];
        while ((s.y & TREE_NODE) != 0) {
            at = child(s, key);
            s = slots[at];
        }
        return at;
    }
    /* The buckets of N keys, in the upper halves of words. All go down a level at a time, so that
     * they do not wait for one another's slots. */
    template <int N>
    __device__ __forceinline__ void buckets(const K (&keys)[N], unsigned (&found)[N]) const
    {
        uint2 s[N];
        unsigned kinds = 0;
#pragma unroll
        for (int i = 0; i < N; i++) {
            s[i] = slots[root_slot(keys[i])];
            kinds |= s[i].y;
        }
        while ((kinds & TREE_NODE) != 0) {
            kinds = 0;
#pragma unroll
            for (int i = 0; i < N; i++) {
                if ((s[i].y & TREE_NODE) != 0) {
                    s[i] = slots[child(s[i], keys[i])];
                }
                kinds |= s[i].y;
            }
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            found[i] = __umulhi(hybrid_turned_left(keys[i], s[i].y), s[i].x) + s[i].y;
            if ((s[i].y & TREE_OUTSIDE) != 0) {
                found[i] = keys[i] < least ? 0 : s[i].x;
            }
        }
    }
    __device__ __forceinline__ unsigned bucket(K key) const
    {
        const K keys[1] = {key};
        unsigned found[1];
        buckets(keys, found);
        return found[0];
    }
};

/* A block of NT threads copies the slots to shared memory; the caller has a barrier. */
template <int NT>
__device__ __forceinline__ void hybrid_copy_slots(const hybrid_tree *tree, uint2 *slots)
{
    for (unsigned i = threadIdx.x; i < TREE_SLOTS / 2; i += NT) {
        reinterpret_cast<uint4 *>(slots)[i] = reinterpret_cast<const uint4 *>(tree->slots)[i];
    }
}

/* Of each bucket: see hybrid_extent. */
struct hybrid_extents {
    unsigned long long *least;
    unsigned char *left;
};

/* The least key of bucket b; the most that a key of it can be above that, and the bits of this. */
struct hybrid_extent {
    unsigned long long least, most;
    unsigned left;
    __device__ __forceinline__ hybrid_extent(const hybrid_tree *tree, unsigned b, unsigned key_bits)
        : least(0), most(~0ull >> (64 - key_bits)), left(key_bits)
    {
        if (b == 0 || b + 1 >= tree->buckets) {
            return; /* outside */
        }
        const unsigned slot = tree->leaf[b], bits = tree->bits[slot];
        const uint2 s = tree->slots[slot];
        const unsigned i = b - (s.y >> TREE_FIRST);
        least = begin(s, bits, i);
        const bool last = s.x == 0 || i + 1 >= (s.x + 65535) >> 16;
        const unsigned long long end =
            last ? (bits < 64 ? 1ull << bits : 0) : begin(s, bits, i + 1);
        most = end - 1 - least;
        left = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(most)));
        least += tree->from[slot];
    }
    /* The least of a leaf's 1 << bits values that goes to its bucket i. */
    __device__ __forceinline__ static unsigned long long begin(uint2 s, unsigned bits, unsigned i)
    {
        if (i == 0) {
            return 0;
        }
        const unsigned long long at =
            (static_cast<unsigned long long>(i) << 16) - (s.y & ((1u << TREE_FIRST) - 1));
        const unsigned long long t = ((at << 32) + s.x - 1) / s.x;
        return bits >= 32 ? t << (bits - 32) : (t + (1ull << (32 - bits)) - 1) >> (32 - bits);
    }
};

/* Sums over a block of 1024 threads: returns the sum of all c, before: of the threads below. sums:
 * 32 words. There are two barriers. */
__device__ __forceinline__ unsigned hybrid_sum_before(unsigned c, unsigned *sums, unsigned &before)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned in = c, total = 0;
    for (int o = 1; o < 32; o <<= 1) {
        const unsigned up = __shfl_up_sync(~0u, in, o);
        in += lane >= static_cast<unsigned>(o) ? up : 0;
    }
    if (lane == 31) {
        sums[warp] = in;
    }
    __syncthreads();
    before = in - c;
    for (unsigned w = 0; w < 32; w++) {
        before += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    __syncthreads();
    return total;
}

#endif

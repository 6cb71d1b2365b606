/* pairs_place.cuh - the bucket sort of pairs: what is to be done, and where buckets begin.
 *
 * Keys are counted by gpu/bucket_sort/2_count.cuh: the size of each bucket, and whether there is
 * anything to sort. So all that follows is decided before the first pair is scattered. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_PLACE_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_PLACE_CUH

#include "gpu/bucket_sort/plan.cuh"
#include "gpu/prefix_tree/extents.cuh"

/* EQUAL: up to so many equal keys of a tree's bucket are written by one block. */
#ifdef USW_EMULATE
enum { PAIRS_DIGITS = 256, PAIRS_EQUAL = 4096 };
#else
enum { PAIRS_DIGITS = 256, PAIRS_EQUAL = 1 << 18 };
#endif

/* Ways that pairs take, for the test `routes`, under the emulator: of keys of 32 and of 64 bits. */
#ifdef USW_EMULATE
#define PAIRS_WAY(why, taken) emulated_choice("pairs", why, 12, taken)
#else
#define PAIRS_WAY(why, taken) (void)0
#endif

struct pairs_plan {
    hybrid_plan keys;
    unsigned split, radix;   /* 1: all is sorted by buckets; all is left to the radix sort */
    unsigned rest;           /* buckets in the list of those for pairs_sort_rest.cuh */
    unsigned alike;          /* those of more than PAIRS_EQUAL equal keys, from the list's end on */
    unsigned tiles_taken[2]; /* of each scatter */
    unsigned tiles[2];
};

/* The digits of both scatters: the first makes segments, which the second splits. */
struct pairs_digits {
    unsigned bits1, bits2;
    __host__ __device__ unsigned bits() const
    {
        return bits1 + bits2;
    }
};

/* Whether the sort of a tree's bucket is another than that of its size: its keys are equal, or
 * their bits leave no room in a word for so many of a place. */
__device__ __forceinline__ bool pairs_apart(unsigned left, unsigned place_bits, unsigned key_bits)
{
    return left == 0 || left + place_bits > key_bits;
}

struct pairs_place_args {
    pairs_plan *plan;
    const unsigned *counts, *handed; /* of each digit: counts + 2^15 handed */
    pairs_digits digits;
    unsigned long long n;
    unsigned tile, tree_tile;   /* pairs of a tile of a scatter, and of that by a tree */
    unsigned capacity, middle;  /* pairs that a bucket may have for the sort, for the larger one */
    unsigned place_bits;        /* of the sort */
    unsigned spare;             /* bits that the larger sort needs beside the undecided ones */
    unsigned long long *starts; /* buckets + 1 */
    unsigned *tile_begin;       /* segments + 1: first tiles of the second scatter */
    unsigned *rest;             /* a list of buckets, see pairs_plan */
    const hybrid_tree *tree;    /* where keys may go by one, or NULL */
    hybrid_extents extents;     /* of its buckets */
    unsigned key_bits;
    bool in_place; /* keys and values are sorted where they are */
};

/* The sum of `own` over the threads before this one. sums: 32 words. A block calls. */
__device__ __forceinline__ unsigned pairs_sum_before(unsigned own, unsigned *sums)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = own;
    for (unsigned o = 1; o < 32; o <<= 1) {
        unsigned up = __shfl_up_sync(~0u, sum, o);
        sum += lane >= o ? up : 0;
    }
    __syncthreads();
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) {
        sum += sums[w];
    }
    return sum - own;
}

static __device__ __forceinline__ unsigned pairs_counted(const pairs_place_args &a, unsigned digit)
{
    return a.counts[digit] + (a.handed[digit] << 15);
}

/* Notes of which keys the buckets of a tree are that have any, and which of them
 * pairs_sort_rest.cuh sorts: all blocks but the first, which places. */
static __device__ void pairs_note_extents(const pairs_place_args &a)
{
    const unsigned buckets = 1u << a.digits.bits(), step = (gridDim.x - 1) * 1024;
    for (unsigned b = (blockIdx.x - 1) * 1024 + threadIdx.x; b < buckets; b += step) {
        const unsigned c = pairs_counted(a, b);
        if (c == 0) {
            continue; /* perhaps no leaf's */
        }
        const hybrid_extent e(a.tree, b);
        a.extents.note(b, e);
        if (e.left == 0 && c > PAIRS_EQUAL) {
            a.rest[buckets - 1 - atomicAdd(&a.plan->alike, 1u)] = b;
        } else if (c > a.capacity || pairs_apart(e.left, a.place_bits, a.key_bits)) {
            a.rest[atomicAdd(&a.plan->rest, 1u)] = b;
        }
    }
}

/* The pairs of a bucket, numbered by its digit, as far as they decide what is to be done: none for
 * equal keys of a tree's bucket, which are in order already. Without a tree those of many are put
 * on the list. number: in the order of their keys. */
static __device__ __forceinline__ unsigned pairs_to_sort(const pairs_place_args &a, unsigned number,
                                                         unsigned c)
{
    if (c <= a.capacity) {
        return c;
    }
    if (a.plan->keys.by_tree) {
        return hybrid_extent(a.tree, number).left != 0 ? c : 0;
    }
    a.rest[atomicAdd(&a.plan->rest, 1u)] = number;
    return c;
}

/* Decides what is to be done: nothing where pairs are in order and in place. most: pairs in the
 * largest bucket. */
static __device__ void pairs_decide(const pairs_place_args &a, unsigned most)
{
    pairs_plan *p = a.plan;
    const bool by_tree = p->keys.by_tree != 0;
    const unsigned long long differ = p->keys.any ^ p->keys.all;
    const bool ordered = p->keys.falls == 0 || p->keys.rises == 0;
    const bool larger = by_tree || p->keys.shift + a.spare <= a.key_bits;
    p->split = most <= (larger ? a.middle : a.capacity) && !ordered &&
               (by_tree || differ >> p->keys.shift >> a.digits.bits() == 0);
    p->radix = !p->split && !(p->keys.falls == 0 && a.in_place);
    PAIRS_WAY("they are in order already", !p->split && !p->radix);
    PAIRS_WAY("a tree, and then digits after all", by_tree && p->radix);
}

/* Writes where the buckets begin, in the order of their keys: digits go round from the plan's
 * first one. Returns the pairs in the largest bucket of this warp's stretch.
 * sums: 32 words. */
static __device__ __forceinline__ unsigned pairs_start_buckets(const pairs_place_args &a,
                                                               unsigned *sums)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned buckets = 1u << a.digits.bits(), each = buckets / 32;
    const unsigned from = threadIdx.x / 32 * each;
    const unsigned turn = a.plan->keys.first;
    const auto counted = [&](unsigned b) { return pairs_counted(a, (b + turn) & (buckets - 1)); };
    unsigned sum = 0, most = 0;
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = counted(b);
        sum += c;
        most = most > c ? most : c;
    }
    if (__reduce_max_sync(~0u, most) > a.capacity) {
        most = 0;
        for (unsigned b = from + lane; b < from + each; b += 32) {
            const unsigned c = pairs_to_sort(a, b, counted(b));
            most = most > c ? most : c;
        }
    }
    unsigned at = __shfl_sync(~0u, pairs_sum_before(sum, sums), 0);
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = counted(b);
        unsigned in = c;
        for (unsigned o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= o ? up : 0;
        }
        a.starts[b] = at + in - c;
        at += __shfl_sync(~0u, in, 31);
    }
    if (threadIdx.x == 0) {
        a.starts[buckets] = a.n;
    }
    return __reduce_max_sync(~0u, most);
}

/* Places all buckets: one block of 1024 threads; n < 2^32. A warp takes a stretch of the buckets.
 * Where keys may go by a tree there are more blocks, which note its extents. */
__global__ __launch_bounds__(1024) static void pairs_place(pairs_place_args a)
{
    USW_SHARED_ARRAY(unsigned, sums, [33]);
    usw_chained();
    if (blockIdx.x != 0) {
        if (a.plan->keys.by_tree) {
            pairs_note_extents(a);
        }
        return;
    }
    const unsigned t = threadIdx.x;
    if (a.plan->radix || a.plan->keys.few_values || a.plan->keys.radix) {
        if (t == 0 && a.plan->keys.radix) { /* there was no tree after all */
            a.plan->radix = 1;
        }
        return;
    }
    const unsigned most = pairs_start_buckets(a, sums);
    if (t == 0) {
        sums[32] = 0;
    }
    __syncthreads();
    if (t % 32 == 0) {
        atomicMax(&sums[32], most);
    }
    __syncthreads();
    const unsigned segments = 1u << a.digits.bits1;
    unsigned tiles = 0;
    if (t < segments) {
        const unsigned long long size = a.starts[static_cast<size_t>(t + 1) << a.digits.bits2] -
                                        a.starts[static_cast<size_t>(t) << a.digits.bits2];
        tiles = static_cast<unsigned>((size + a.tile - 1) / a.tile);
    }
    const unsigned before = pairs_sum_before(tiles, sums);
    if (t < segments) {
        a.tile_begin[t] = before;
        if (t + 1 == segments) {
            a.tile_begin[t + 1] = a.plan->tiles[1] = before + tiles;
        }
    }
    if (t == 0) {
        const unsigned tile = a.plan->keys.by_tree ? a.tree_tile : a.tile;
        a.plan->tiles[0] = static_cast<unsigned>((a.n + tile - 1) / tile);
        pairs_decide(a, sums[32]);
    }
}

#endif

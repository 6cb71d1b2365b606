/* part_hybrid_pairs_plan.cuh - the hybrid sort of pairs: what to do, and where buckets begin.
 *
 * The keys are counted as the hybrid sort's are (part_hybrid_count.cuh): each bucket's number, and
 * whether there is anything to sort. So all that follows is decided before the first pair moves. */
#ifndef USW_PART_HYBRID_PAIRS_PLAN_CUH
#define USW_PART_HYBRID_PAIRS_PLAN_CUH

#include "part_hybrid_count.cuh"

enum { PAIRS_DIGITS = 256 };

struct pairs_plan {
    hybrid_plan keys;
    unsigned split, radix;   /* to be done: all by buckets; all by the radix sort */
    unsigned tiles_taken[2]; /* of each move */
    unsigned tiles[2];
};

/* Both moves' digits; digits of the first make segments, which the second splits. */
struct pairs_digits {
    unsigned bits1, bits2;
    __host__ __device__ unsigned bits() const
    {
        return bits1 + bits2;
    }
};

/* ---- sample ---- */

/* Clears `words` words, and chooses the leading bits by a sample of the keys, in block 0. spare:
 * bits that a local sort needs beside the undecided ones. */
template <typename K>
__global__ __launch_bounds__(1024) void pairs_sample(const K *keys, unsigned long long n,
                                                     usw_gpu_keymap<K> map, pairs_digits digits,
                                                     unsigned spare, pairs_plan *plan,
                                                     unsigned *zero, size_t words)
{
    USW_SHARED_ARRAY(unsigned long long, seen, [2]);
    const unsigned t = threadIdx.x;
    for (size_t i = blockIdx.x * 1024ull + t; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
    if (blockIdx.x != 0) {
        return;
    }
    if (t == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
    }
    __syncthreads();
    unsigned long long any = 0, all = ~0ull;
#pragma unroll 8
    for (unsigned i = t / 32; i < 512; i += 32) {
        /* Stretches of 32 keys, evenly spread. */
        const unsigned long long p = i * (n / 32) / 512 * 32 + t % 32;
        const K k = map.map(keys[p < n ? p : n - 1]);
        any |= k;
        all &= k;
    }
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (t % 32 == 0) {
        atomicOr(&seen[0], any);
        atomicAnd(&seen[1], all);
    }
    __syncthreads();
    if (t == 0) {
        const unsigned bits = digits.bits();
        const unsigned varying =
            64 - static_cast<unsigned>(__clzll(static_cast<long long>(seen[0] ^ seen[1])));
        pairs_plan p = {};
        p.keys.all = ~0ull;
        p.keys.shift = varying > bits ? varying - bits : 0;
        p.radix = p.keys.shift + spare > sizeof(K) * 8;
        *plan = p;
    }
}

/* ---- place ---- */

struct pairs_place_args {
    pairs_plan *plan;
    const unsigned *counts, *handed; /* of each bucket: counts + 2^15 handed */
    pairs_digits digits;
    unsigned long long n;
    unsigned tile, capacity;    /* pairs of a move's tile, of a local sort */
    unsigned long long *starts; /* buckets + 1 */
    unsigned *tile_begin;       /* segments + 1: the first tiles of the second move */
};

/* Sums over a block of what each thread has, of those before. sums: 32 words. All threads call. */
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

static __device__ void pairs_decide(const pairs_place_args &a, bool over)
{
    pairs_plan *p = a.plan;
    const unsigned long long differ = p->keys.any ^ p->keys.all;
    const bool ordered = p->keys.falls == 0 || p->keys.rises == 0;
    p->split = !p->radix && !over && !ordered && differ >> p->keys.shift >> a.digits.bits() == 0;
    p->radix = !p->split;
}

/* One block of 1024 threads; n < 2^32. A warp takes a stretch of the buckets. */
__global__ __launch_bounds__(1024) static void pairs_place(pairs_place_args a)
{
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    const unsigned buckets = 1u << a.digits.bits(), each = buckets / 32, from = warp * each;
    unsigned sum = 0, most = 0;
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = a.counts[b] + (a.handed[b] << 15);
        sum += c;
        most = most > c ? most : c;
    }
    unsigned at = __shfl_sync(~0u, pairs_sum_before(sum, sums), 0);
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = a.counts[b] + (a.handed[b] << 15);
        unsigned in = c;
        for (unsigned o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= o ? up : 0;
        }
        a.starts[b] = at + in - c;
        at += __shfl_sync(~0u, in, 31);
    }
    if (t == 0) {
        a.starts[buckets] = a.n;
    }
    const bool over = __syncthreads_or(most > a.capacity);
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
        a.plan->tiles[0] = static_cast<unsigned>((a.n + a.tile - 1) / a.tile);
        pairs_decide(a, over);
    }
}

#endif

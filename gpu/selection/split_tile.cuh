/* split_tile.cuh - the places of one tile's elements in a split by flags.
 *
 * The two scans of the explained form, in short: a flag is a bit, 32 of them are a word, the ones
 * before an element are the set bits before it, and the zeros before it are the rest. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_SPLIT_TILE_CUH
#define USW_GPU_SELECTION_SPLIT_TILE_CUH

#include "gpu/carry/carry_tree.cuh"

enum : unsigned { USW_SPLIT_THREADS = 128, USW_SPLIT_WARPS = USW_SPLIT_THREADS / 32 };

/* Counts of ones, as elements of the carry tree. */
struct usw_split_counts {
    typedef uint64_t Acc;
    static constexpr bool exact = true;
    __device__ __forceinline__ Acc neutral() const
    {
        return 0;
    }
    __device__ __forceinline__ Acc join(Acc a, Acc b) const
    {
        return a + b;
    }
};

/* The flags at [0, count), count <= 32, as bits. */
__device__ __forceinline__ uint32_t usw_flags_word(const uint8_t *flags, unsigned count)
{
    uint32_t word = 0;
    if (count == 32 && reinterpret_cast<uintptr_t>(flags) % 16 == 0) {
#pragma unroll
        for (unsigned half = 0; half < 2; half++) {
            const uint4 v = reinterpret_cast<const uint4 *>(flags)[half];
            const uint32_t low = usw_bytes_set(v.x) | usw_bytes_set(v.y) << 4;
            word |= (low | usw_bytes_set(v.z) << 8 | usw_bytes_set(v.w) << 12) << (16 * half);
        }
        return word;
    }
    for (unsigned j = 0; j < count; j++) {
        word |= flags[j] != 0 ? 1u << j : 0;
    }
    return word;
}

/* Ones before some place, and in all. */
struct usw_split_sums {
    unsigned before, all;
};

/* A whole block adds up its threads' sums. Has barriers. */
__device__ __forceinline__ usw_split_sums usw_split_sum(usw_split_sums mine)
{
    USW_SHARED_ARRAY(usw_split_sums, of_warp, [USW_SPLIT_WARPS]);
    usw_split_sums sums = {0, 0};
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        mine.before += __shfl_xor_sync(~0u, mine.before, distance);
        mine.all += __shfl_xor_sync(~0u, mine.all, distance);
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    for (unsigned w = 0; w < USW_SPLIT_WARPS; w++) {
        sums.before += of_warp[w].before;
        sums.all += of_warp[w].all;
    }
    return sums;
}

/* A whole block counts the ones of n flags, and of the first `begin`, a multiple of 32. Has
 * barriers. */
__device__ __forceinline__ usw_split_sums usw_split_count(const uint8_t *flags, unsigned n,
                                                          unsigned begin)
{
    usw_split_sums mine = {0, 0};
    for (unsigned i = 32 * threadIdx.x; i < n; i += 32 * USW_SPLIT_THREADS) {
        const unsigned ones =
            static_cast<unsigned>(__popc(usw_flags_word(flags + i, n - i < 32 ? n - i : 32)));
        mine.before += i < begin ? ones : 0;
        mine.all += ones;
    }
    return usw_split_sum(mine);
}

/* A whole block adds up the ones of `tiles` tiles, and of the tiles before t. Has barriers. */
__device__ __forceinline__ usw_split_sums usw_split_add(const uint32_t *ones, unsigned tiles,
                                                        unsigned t)
{
    usw_split_sums mine = {0, 0};
    for (unsigned i = threadIdx.x; i < tiles; i += USW_SPLIT_THREADS) {
        const uint32_t here = usw_load_relaxed(&ones[i]);
        mine.before += i < t ? here : 0;
        mine.all += here;
    }
    return usw_split_sum(mine);
}

/* A tile's flags in a block: lane l of a warp holds the word of the warp's l-th 32 elements. */
struct usw_split_ranks {
    uint32_t word;   /* this lane's */
    unsigned before; /* ones of the tile before this lane's word */
    unsigned ones;   /* of the tile */
};

/* A whole block; warps own `words` words each (at most 32). bits: the tile's flags as bits, counted
 * before, or NULL. Has barriers. */
__device__ __forceinline__ usw_split_ranks usw_split_rank(const uint8_t *flags,
                                                          const uint32_t *bits, unsigned count,
                                                          unsigned words)
{
    USW_SHARED_ARRAY(unsigned, of_warp, [USW_SPLIT_WARPS]);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned first = (warp * words + lane) * 32;
    usw_split_ranks r = {0, 0, 0};
    if (lane < words && first < count) {
        r.word = bits != nullptr
                     ? bits[first / 32]
                     : usw_flags_word(flags + first, count - first < 32 ? count - first : 32);
    }
    const unsigned mine = static_cast<unsigned>(__popc(r.word));
    unsigned sum = mine;
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(~0u, sum, distance);
        sum += lane >= distance ? left : 0;
    }
    if (lane == 31) {
        of_warp[warp] = sum;
    }
    __syncthreads();
    r.before = sum - mine;
#pragma unroll
    for (unsigned w = 0; w < USW_SPLIT_WARPS; w++) {
        r.before += w < warp ? of_warp[w] : 0;
        r.ones += of_warp[w];
    }
    return r;
}

/* Element `lane` of the warp's k-th 32: whether its flag is set, and the ones of the tile before
 * it. A whole warp. */
__device__ __forceinline__ bool usw_split_place(const usw_split_ranks &r, unsigned k,
                                                unsigned *ones_before)
{
    const unsigned lane = threadIdx.x % 32;
    const uint32_t word = __shfl_sync(~0u, r.word, static_cast<int>(k));
    const unsigned before = __shfl_sync(~0u, r.before, static_cast<int>(k));
    *ones_before = before + static_cast<unsigned>(__popc(word & ((1u << lane) - 1)));
    return ((word >> lane) & 1) != 0;
}

/* A whole block: a thread's elements, each 32 behind the one before and the first at `first`, go to
 * shared memory, behind `zeros` zeros of the tile. keep: ones only. */
template <bool keep, typename W, unsigned words>
__device__ __forceinline__ void usw_split_order(const usw_split_ranks &r, const W (&v)[words],
                                                unsigned first, unsigned count, unsigned zeros,
                                                W *x)
{
#pragma unroll
    for (unsigned k = 0; k < words; k++) {
        unsigned ones_before;
        const bool one = usw_split_place(r, k, &ones_before);
        const unsigned i = first + 32 * k;
        if (i < count && (one || !keep)) {
            x[one ? zeros + ones_before : i - ones_before] = v[k];
        }
    }
}

/* A whole block writes count elements from shared memory to `to`, by whole lines of memory where
 * these are whole. */
template <typename W>
__device__ __forceinline__ void usw_split_put(W *to, const W *x, unsigned count)
{
    const unsigned skew = static_cast<unsigned>(reinterpret_cast<uintptr_t>(to) / sizeof(W) % 32);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count + skew; i += USW_SPLIT_THREADS) {
        if (i >= skew) {
            to[i - skew] = x[i - skew];
        }
    }
}

#endif

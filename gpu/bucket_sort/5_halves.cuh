/* 5_halves.cuh - step 5 of the bucket sort as halves of words (5_sort_as_halves.cuh): which bin a
 * key has, and how full bins are put in order that have few values. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_HALVES_CUH
#define USW_GPU_BUCKET_SORT_5_HALVES_CUH

#include "gpu/block/bins_by_warps.cuh"

/* A key turned so that the bits from `shift` on begin at bit 2. Whoever takes a bin of it masks
 * the bits above, which may be any in a tree's bucket. */
struct hybrid_turned {
    unsigned turn;
    __device__ __forceinline__ explicit hybrid_turned(unsigned shift) : turn((shift + 30) % 32)
    {
    }
    __device__ __forceinline__ unsigned operator()(uint32_t k) const
    {
        return __funnelshift_r(k, k, turn);
    }
};

/* The bins of halves for usw_sort_bins_by_warps, where they have been placed. Places are in units
 * of 4, so that the first bit of a begin may mark its bin. Block: hybrid_halves_block, whose sums
 * say where ranges begin, less `spacing` halves for each before. */
template <typename Block, int B, int ranges> struct hybrid_half_bins {
    const Block &b;
    unsigned wrap, all, below, extra; /* below: bits of a half that do not say its bin */
    __device__ __forceinline__ uint16_t &item(unsigned p) const
    {
        return *b.half(Block::unit * p, wrap);
    }
    __device__ __forceinline__ static unsigned order(uint16_t half)
    {
        return half;
    }
    /* No two keys of one bin are the most and the least that a half can be. */
    __device__ __forceinline__ bool falls(unsigned p) const
    {
        const unsigned key = item(p), before = item(p - 1);
        return key < before && (ranges == 1 || before - key != 0xffff);
    }
    __device__ __forceinline__ unsigned of(unsigned p) const
    {
        unsigned range = 0;
        for (unsigned q = 1; q < ranges; q++) {
            range += q >> extra == 0 && p >= b.sums[q - 1] + Block::spacing * q;
        }
        return (range << 16 | item(p)) >> below & ((1u << B) - 1);
    }
    __device__ __forceinline__ unsigned begin(unsigned bin) const
    {
        const unsigned word = b.bins[bin & ((1u << (B - 1)) - 1)];
        return (bin >> (B - 1) != 0 ? word >> 16 : word & 0xffff) / Block::unit;
    }
    __device__ __forceinline__ unsigned end(unsigned bin) const
    {
        const unsigned next = bin + 1;
        const bool ends_range = (next & ((1u << (B - extra)) - 1)) == 0;
        return next >> B != 0 ? all : begin(next) - (ends_range ? Block::spacing : 0);
    }
    __device__ __forceinline__ bool mark(unsigned bin) const
    {
        const unsigned bit = bin >> (B - 1) != 0 ? 1u << 16 : 1;
        return (atomicOr(&b.bins[bin & ((1u << (B - 1)) - 1)], bit) & bit) != 0;
    }
};

#endif

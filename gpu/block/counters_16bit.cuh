/* counters_16bit.cuh - a block's bins, counted in shared memory two to a word.
 *
 * The bin is the first B bits of a word of 32; bins d and d + 2^(B - 1) share one, so that one
 * addition scans the counts of both. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_COUNTERS_16BIT_CUH
#define USW_GPU_BLOCK_COUNTERS_16BIT_CUH

#include "gpu/gpu.cuh"

/* What lies so many bytes behind p. */
template <typename T> __device__ __forceinline__ T *hybrid_byte(void *p, unsigned offset)
{
    return reinterpret_cast<T *>(static_cast<unsigned char *>(p) + offset);
}

/* A scan over what all threads of a block count: begin[w] becomes the sum of all counts before
 * count[w], and the sum of all is returned. count[w] belongs to the w-th stretch, in which every
 * thread has one count. Two stretches, of less than 2^16 each, are scanned at once. */
template <int NT, int counts>
__device__ __forceinline__ unsigned hybrid_scan_counts(const unsigned (&count)[counts],
                                                       unsigned (&begin)[counts], unsigned *sums)
{
    constexpr int packs = (counts + 1) / 2, warps = NT / 32;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned pack[packs], in_scan[packs];
#pragma unroll
    for (int w = 0; w < counts; w++) {
        pack[w / 2] = w % 2 == 0 ? count[w] : pack[w / 2] + (count[w] << 16);
    }
#pragma unroll
    for (int q = 0; q < packs; q++) {
        in_scan[q] = pack[q];
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in_scan[q], o);
            in_scan[q] += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[q * warps + warp] = in_scan[q];
        }
    }
    __syncthreads();
    unsigned stretch = 0;
#pragma unroll
    for (int q = 0; q < packs; q++) {
        unsigned before = in_scan[q] - pack[q], total = 0;
#pragma unroll
        for (unsigned w = 0; w < warps; w += 4) {
            uint4 s = *reinterpret_cast<const uint4 *>(sums + q * warps + w);
            before += (w < warp ? s.x : 0) + (w + 1 < warp ? s.y : 0) + (w + 2 < warp ? s.z : 0) +
                      (w + 3 < warp ? s.w : 0);
            total += s.x + s.y + s.z + s.w;
        }
#pragma unroll
        for (int h = 0; h < 2 && 2 * q + h < counts; h++) {
            begin[2 * q + h] = stretch + (before >> (16 * h) & 0xffff);
            stretch += total >> (16 * h) & 0xffff;
        }
    }
    return stretch;
}

template <int B> struct hybrid_paired_bin {
    static constexpr unsigned words = 1u << (B - 1);
    unsigned offset, turn; /* bytes to the word; bits to the count in it */
    __device__ __forceinline__ explicit hybrid_paired_bin(unsigned bits)
        : offset(bits >> (30 - B) & (words - 1) * 4), turn(bits >> 27 & 16)
    {
    }
    /* Adds one to the count if `one` is set; returns the word as it was. */
    __device__ __forceinline__ unsigned count(unsigned *bins, bool one) const
    {
        return atomicAdd(hybrid_byte<unsigned>(bins, offset), one ? 1u << turn : 0);
    }
    __device__ __forceinline__ unsigned read(unsigned *bins) const
    {
        return *hybrid_byte<uint16_t>(bins, offset + (turn >> 3));
    }
};

template <int NT, int B> __device__ __forceinline__ void hybrid_clear_paired(unsigned *bins)
{
    constexpr int vectors = hybrid_paired_bin<B>::words / NT / 4;
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
    }
}

/* The counts, of less than 2^16 keys, become the sums of all before, and more(w) is added to the
 * word w and the three behind it, for w that four divides. sums: NT / 32 words for each 4 NT words
 * of bins. All threads call it, after a barrier; it has one. */
template <int NT, int B, typename F>
__device__ __forceinline__ void hybrid_scan_paired(unsigned *bins, unsigned *sums, F more)
{
    constexpr int warps = NT / 32, vectors = hybrid_paired_bin<B>::words / NT / 4;
    static_assert(vectors >= 1 && hybrid_paired_bin<B>::words % (4 * NT) == 0, "whole vectors");
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    uint4 *v = reinterpret_cast<uint4 *>(bins), c[vectors];
    unsigned before[vectors];
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        c[w] = v[tid + w * NT];
        const unsigned sum = c[w].x + c[w].y + c[w].z + c[w].w;
        unsigned in = sum;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[w * warps + warp] = in;
        }
        before[w] = in - sum;
    }
    __syncthreads();
    unsigned total = 0;
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        before[w] += total;
#pragma unroll
        for (unsigned u = 0; u < warps; u += 4) {
            uint4 s = *reinterpret_cast<const uint4 *>(sums + w * warps + u);
            before[w] += (u < warp ? s.x : 0) + (u + 1 < warp ? s.y : 0) +
                         (u + 2 < warp ? s.z : 0) + (u + 3 < warp ? s.w : 0);
            total += s.x + s.y + s.z + s.w;
        }
    }
    /* The upper halves' bins come after all of the lower ones'. */
    const unsigned low = total << 16;
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        uint4 o;
        o.x = before[w] + low + more(4 * (tid + w * NT));
        o.y = o.x + c[w].x;
        o.z = o.y + c[w].y;
        o.w = o.z + c[w].z;
        v[tid + w * NT] = o;
    }
}
template <int NT, int B>
__device__ __forceinline__ void hybrid_scan_paired(unsigned *bins, unsigned *sums)
{
    hybrid_scan_paired<NT, B>(bins, sums, [](unsigned) { return 0u; });
}

/* Turns the counts of bins, in place, into the sums of all counts before. Vector w is in the w-th
 * stretch. */
template <int NT, int words>
__device__ __forceinline__ void hybrid_scan_bins(unsigned *bins, unsigned *sums)
{
    constexpr int own = words / NT, vectors = own / 4;
    static_assert(own >= 4 && words % (4 * NT) == 0, "a thread scans whole vectors of words");
    uint4 *v = reinterpret_cast<uint4 *>(bins) + threadIdx.x;
    uint4 c[vectors];
    unsigned count[vectors], begin[vectors];
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        c[w] = v[w * NT];
        count[w] = c[w].x + c[w].y + c[w].z + c[w].w;
    }
    hybrid_scan_counts<NT>(count, begin, sums);
#pragma unroll
    for (int w = 0; w < vectors; w++) {
        const unsigned y = begin[w] + c[w].x, z = y + c[w].y;
        v[w * NT] = make_uint4(begin[w], y, z, z + c[w].z);
    }
}

#endif

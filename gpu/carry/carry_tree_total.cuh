/* carry_tree_total.cuh - adds up the sums of all tiles, which are in memory, to one sum in the
 * order of core/order.h, many groups of a level at a time.
 *
 * 64 sums are a group, added up from left to right by one thread or, where there are many groups,
 * by one warp each; so are the groups' sums, and so on. What is left over of a level, fewer than 64
 * sums, is what the level adds at the end. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_CARRY_TREE_TOTAL_CUH
#define USW_GPU_CARRY_CARRY_TREE_TOTAL_CUH

#include "gpu/carry/carry_tree.cuh"

enum : unsigned {
    USW_CARRY_TOTAL_ONCE = USW_CARRY_FANOUT * USW_CARRY_FANOUT, /* sums that a block has at once */
    USW_TOTAL_LEVELS = USW_CARRY_LEVELS + 2,
};

/* Shared memory of a block. Groups lie so that threads that walk along them use different banks. */
struct usw_carry_total_shared {
    double sums[USW_CARRY_FANOUT][USW_CARRY_FANOUT + 1], groups[USW_CARRY_FANOUT];
    double level_sum[USW_TOTAL_LEVELS];
};

/* Adds up `count` sums, one after the other. */
template <typename E>
__device__ __forceinline__ double usw_carry_total_chain(const E &e, const double *sums,
                                                        unsigned count)
{
    constexpr unsigned ahead = 16;
    double level_sum = e.neutral();
    unsigned i = 0;
    for (; i + ahead <= count; i += ahead) {
        double x[ahead];
#pragma unroll
        for (unsigned j = 0; j < ahead; j++) {
            x[j] = sums[i + j];
        }
#pragma unroll
        for (unsigned j = 0; j < ahead; j++) {
            level_sum = e.join(level_sum, x[j]);
        }
    }
    for (; i < count; i++) {
        level_sum = e.join(level_sum, sums[i]);
    }
    return level_sum;
}

/* A warp adds up a group in memory, two sums to a lane, for all lanes. */
template <typename E>
__device__ __forceinline__ double usw_carry_total_group(const E &e, const double *sums,
                                                        unsigned count)
{
    const unsigned lane = threadIdx.x % 32;
    double level_sum = e.neutral();
    for (unsigned half = 0; half < USW_CARRY_FANOUT; half += 32) {
        const double mine = half + lane < count ? __ldcg(sums + half + lane) : e.neutral();
#pragma unroll 8
        for (unsigned i = 0; i < 32; i++) {
            level_sum = e.join(level_sum, __shfl_sync(~0u, mine, static_cast<int>(i)));
        }
    }
    return level_sum;
}

/* Whether this block is the last to finish, and sees what all blocks have written. finished: 0
 * between kernels. */
__device__ __forceinline__ bool usw_carry_total_is_last(uint32_t *finished)
{
    USW_SHARED(uint32_t, before);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        before = atomicAdd(finished, 1u);
        __threadfence();
    }
    __syncthreads();
    if (before + 1 < gridDim.x) {
        return false;
    }
    *finished = 0;
    return true;
}

/* One thread adds the groups' sums to the levels, when a block has added up the groups of the sums
 * [base, base + count). */
template <typename E>
__device__ __forceinline__ void usw_carry_total_turn(const E &e, uint64_t base, unsigned count,
                                                     usw_carry_total_shared &shared)
{
    const unsigned full = count / USW_CARRY_FANOUT;
    double sum = usw_carry_total_chain(e, shared.groups, full);
    if (count % USW_CARRY_FANOUT != 0) {
        shared.level_sum[0] = shared.groups[full];
    }
    if (full < USW_CARRY_FANOUT) {
        shared.level_sum[1] = sum;
        return;
    }
    uint64_t turned = base / USW_CARRY_TOTAL_ONCE + 1;
    for (unsigned l = 2; l < USW_TOTAL_LEVELS; l++, turned /= USW_CARRY_FANOUT) {
        sum = shared.level_sum[l] = e.join(shared.level_sum[l], sum);
        if (turned % USW_CARRY_FANOUT != 0) {
            return;
        }
        shared.level_sum[l] = e.neutral();
    }
}

/* A block of `threads` threads adds up all `count` sums, for thread 0. get(base, count, to): the
 * threads together call to(i, sum base + i) for all i < count. */
template <unsigned threads, typename E, typename G>
__device__ __forceinline__ double usw_carry_total_read(const E &e, uint64_t count,
                                                       usw_carry_total_shared &shared, G get)
{
    static_assert(threads >= USW_CARRY_FANOUT, "a thread for each group");
    if (threadIdx.x < USW_TOTAL_LEVELS) {
        shared.level_sum[threadIdx.x] = e.neutral();
    }
    for (uint64_t base = 0; base < count; base += USW_CARRY_TOTAL_ONCE) {
        const uint64_t left = count - base;
        const unsigned here =
            left < USW_CARRY_TOTAL_ONCE ? static_cast<unsigned>(left) : +USW_CARRY_TOTAL_ONCE;
        __syncthreads();
        get(base, here, [&](unsigned i, double sum) {
            shared.sums[i / USW_CARRY_FANOUT][i % USW_CARRY_FANOUT] = sum;
        });
        __syncthreads();
        const unsigned g = threadIdx.x, first = g * USW_CARRY_FANOUT;
        if (first < here) {
            shared.groups[g] = usw_carry_total_chain(
                e, shared.sums[g],
                here - first < USW_CARRY_FANOUT ? here - first : +USW_CARRY_FANOUT);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            usw_carry_total_turn(e, base, here, shared);
        }
    }
    double all = e.neutral();
    if (threadIdx.x == 0) {
        for (unsigned l = USW_TOTAL_LEVELS; l-- > 0;) {
            all = e.join(all, shared.level_sum[l]);
        }
    }
    return all;
}

#endif

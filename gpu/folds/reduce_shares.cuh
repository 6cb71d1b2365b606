/* reduce_shares.cuh - reductions in any order, whatever the operator: which vectors each thread
 * takes, and how the results of threads and blocks are joined.
 *
 * Every thread takes vectors of 16 bytes, several on their way at once, and joins them; then the
 * threads of a block are joined at halving distance, as in the explained form, and one block joins
 * the results of all blocks (gpu/carry/last_block_collects.cuh). In place of vectors beyond the
 * array a thread takes neutral elements; the elements of vectors that reach beyond the array's ends
 * are taken one by one by one warp. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_REDUCE_SHARES_CUH
#define USW_GPU_FOLDS_REDUCE_SHARES_CUH

#include "gpu/folds/elements.cuh"
#include "gpu/carry/last_block_collects.cuh"

enum : unsigned {
    USW_FOLD_THREADS = 512, /* of a block at most, a power of two */
    USW_FOLD_AHEAD = 8,
};

/* The result of a thread, of a block, or of all blocks. */
template <unsigned words> struct usw_fold_found {
    uint64_t v[words];
};

struct usw_fold_args {
    const void *data; /* aligned down to 16 bytes */
    uint64_t lead, n; /* elements to leave out in front, and to take */
    usw_gather gather;
    uint64_t *keys, *index;
    void *result;
};

template <typename K> union usw_fold_vector {
    uint4 q;
    uint32_t w[4];
    K v[16 / sizeof(K)];
};

template <typename K> __device__ __forceinline__ usw_fold_vector<K> usw_fold_filled(K neutral)
{
    usw_fold_vector<K> x;
#pragma unroll
    for (unsigned j = 0; j < 16 / sizeof(K); j++) {
        x.v[j] = neutral;
    }
    return x;
}

/* The elements before the first whole vector and behind the last one, of which each lane of one
 * warp takes one, or none. */
template <typename K> struct usw_fold_edge {
    K element;
    uint64_t vector;
    bool there;

    __device__ __forceinline__ usw_fold_edge(const usw_fold_args &a, uint64_t whole_end)
    {
        constexpr unsigned per = 16 / sizeof(K);
        const unsigned lane = threadIdx.x % 16;
        const bool front = threadIdx.x < 16;
        const uint64_t end = a.lead + a.n, i = (front ? 0 : whole_end * per) + lane;
        const bool partial = front ? a.lead > 0 || whole_end == 0 : whole_end > 0;
        there =
            blockIdx.x == 0 && threadIdx.x < 32 && lane < per && partial && i >= a.lead && i < end;
        element = there ? static_cast<const K *>(a.data)[i] : K(0);
        vector = i / per;
    }
};

/* Calls f(vectors, number of the first one, distance from one to the next, a bit for each that is
 * there, whether they are at the edge) for this thread's share. Vectors that are not there are
 * `none`; an element of the edge becomes the vector single(element). */
template <typename K, typename S, typename F>
__device__ __forceinline__ void usw_fold_share(const usw_fold_args &a,
                                               const usw_fold_vector<K> &none, S single, F f)
{
    constexpr unsigned all = (1u << USW_FOLD_AHEAD) - 1;
    const uint64_t whole_end = (a.lead + a.n) / (16 / sizeof(K));
    const uint64_t step = uint64_t(blockDim.x) * gridDim.x;
    const uint4 *data = static_cast<const uint4 *>(a.data);
    const usw_fold_edge<K> edge(a, whole_end);
    uint64_t at = uint64_t(blockDim.x) * blockIdx.x + threadIdx.x + (a.lead > 0 ? 1 : 0);
    usw_fold_vector<K> x[USW_FOLD_AHEAD];
    for (; at < whole_end; at += USW_FOLD_AHEAD * step) {
        if (at + (USW_FOLD_AHEAD - 1) * step < whole_end) {
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
                x[i].q = __ldcs(data + at + i * step);
            }
            f(x, at, step, all, false);
        } else {
            unsigned there = 0;
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
                x[i] = none;
                if (at + i * step < whole_end) {
                    x[i].q = __ldcs(data + at + i * step);
                    there |= 1u << i;
                }
            }
            f(x, at, step, there, false);
        }
    }
    if (edge.there) {
#pragma unroll
        for (unsigned i = 1; i < USW_FOLD_AHEAD; i++) {
            x[i] = none;
        }
        x[0] = single(edge.element);
        f(x, edge.vector, 0, 1, true);
    }
}

/* The lanes of a warp are joined at halving distance; lane 0 gets the result of the first `lanes`
 * lanes. */
template <unsigned words, typename J>
__device__ __forceinline__ usw_fold_found<words> usw_fold_warp(usw_fold_found<words> mine,
                                                               unsigned lanes, J join)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        if (distance < lanes) {
            usw_fold_found<words> other;
#pragma unroll
            for (unsigned w = 0; w < words; w++) {
                other.v[w] = __shfl_down_sync(~0u, mine.v[w], distance);
            }
            mine = join(mine, other);
        }
    }
    return mine;
}

/* The threads of a block, a power of two, are joined; thread 0 gets the result. A barrier must lie
 * between two such calls. */
template <unsigned words, typename J>
__device__ __forceinline__ usw_fold_found<words> usw_fold_block(usw_fold_found<words> mine, J join)
{
    typedef usw_fold_found<words> found;
    USW_SHARED_ARRAY(found, of_warp, [USW_FOLD_THREADS / 32]);
    const unsigned warps = blockDim.x / 32;
    mine = usw_fold_warp(mine, 32, join);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = usw_fold_warp(of_warp[threadIdx.x % warps], warps, join);
    }
    return mine;
}

/* Joins the results of all threads of all blocks. Returns true in one thread, thread 0 of the block
 * that drew last, which then has the result in `mine`. drawn: the number that usw_fold_draw drew
 * before the block's work. */
template <unsigned words, typename J>
__device__ __forceinline__ bool usw_fold_all(const usw_fold_args &a, unsigned long long drawn,
                                             const usw_fold_found<words> &neutral,
                                             usw_fold_found<words> &mine, J join)
{
    USW_SHARED(usw_call, call);
    mine = usw_fold_block(mine, join);
    if (gridDim.x == 1) {
        return threadIdx.x == 0;
    }
    if (threadIdx.x == 0) {
        call = usw_call_of(drawn, a.gather.calls, gridDim.x);
#pragma unroll
        for (unsigned w = 0; w < words; w++) {
            usw_gather_put(a.gather, call.tag, uint64_t(blockIdx.x) * words + w, mine.v[w]);
        }
    }
    __syncthreads();
    if (call.number + 1 < gridDim.x) {
        return false;
    }
    mine = neutral;
    usw_gather_all<words, 4>(a.gather, call.tag, gridDim.x,
                             [&](unsigned, const uint64_t(&v)[words]) {
                                 usw_fold_found<words> other;
#pragma unroll
                                 for (unsigned w = 0; w < words; w++) {
                                     other.v[w] = v[w];
                                 }
                                 mine = join(mine, other);
                             });
    mine = usw_fold_block(mine, join);
    return threadIdx.x == 0;
}

/* Thread 0 draws the block's number, before its work, if there are several blocks. */
__device__ __forceinline__ unsigned long long usw_fold_draw(const usw_fold_args &a)
{
    return threadIdx.x == 0 && gridDim.x > 1 ? usw_call_draw(a.gather.calls) : 0;
}

#endif

/* top_row_args.cuh - rows of which the k best are wanted: what the kernels of a warp and of a block
 * a row share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_ROW_ARGS_CUH
#define USW_GPU_SELECTION_TOP_ROW_ARGS_CUH

#include "gpu/row_list.cuh"
#include "gpu/selection/top_limit.cuh"

struct usw_top_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned threads = 64;
#else
    static constexpr unsigned threads = 512; /* of a block that takes a row; or twice as many */
#endif
    static constexpr unsigned warp_threads = 128; /* of a block whose warps take rows */
    static constexpr unsigned warp_items = 32;    /* keys of a lane */
    static constexpr unsigned warp_best = 32;     /* k at most */
    static constexpr unsigned warp_room = 512;    /* numbers that a warp sorts */
    static constexpr unsigned held = 8;           /* numbers of a thread's registers: a sample */
};
/* Vectors of 16 bytes that a thread has on their way at once: of narrow keys, which take a register
 * each, fewer. */
template <typename K>
constexpr unsigned USW_TOP_VECTORS = sizeof(K) == 1   ? 1
                                     : sizeof(K) == 4 ? 4
                                                      : 2;
constexpr unsigned USW_TOP_WARP_ROW = 32 * usw_top_tuning::warp_items;

/* Numbers of a thread that its block can sort; k is at most half of what the block sorts. */
template <typename E> constexpr unsigned USW_TOP_ITEMS = sizeof(E) == 16 ? 4 : 8;

template <typename K> struct usw_top_args {
    const K *keys;
    usw_row_list rows;
    uint64_t k;
    usw_gpu_keymap<K> map;
    K *out;
    void *index; /* or NULL */
    unsigned index_bytes;
};

template <typename K>
__device__ __forceinline__ void usw_top_put(const usw_top_args<K> &a, uint64_t at, K key,
                                            uint64_t position)
{
    a.out[at] = key;
    if (a.index_bytes == 4) {
        static_cast<uint32_t *>(a.index)[at] = static_cast<uint32_t>(position);
    } else if (a.index_bytes == 8) {
        static_cast<uint64_t *>(a.index)[at] = position;
    }
}

/* The places of a row that has no key for them. */
template <typename K>
__device__ __forceinline__ void usw_top_fill_rest(const usw_top_args<K> &a, uint64_t row,
                                                  uint64_t have, unsigned thread, unsigned threads)
{
    for (uint64_t j = have + thread; j < a.k; j += threads) {
        usw_top_put(a, row * a.k + j, K(0), ~uint64_t(0));
    }
}

#endif

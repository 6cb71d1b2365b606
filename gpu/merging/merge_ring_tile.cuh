/* merge_ring_tile.cuh - shapes, buffers and arguments of the blocks of merge_ring.cuh, and the
 * merge of one warp's piece of a tile in shared memory.
 *
 * Each warp finds where its piece begins and ends in the tile's ranges of a and b, each lane where
 * its keys do in the piece; then each lane merges its keys one by one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_MERGE_RING_TILE_CUH
#define USW_GPU_MERGING_MERGE_RING_TILE_CUH

#include "gpu/block/bulk_copy.cuh"
#include "gpu/merging/merge.cuh"

enum usw_merge_ring_warp : unsigned {
    USW_MERGE_RING_MOVER,
    USW_MERGE_RING_CUTTER,
    USW_MERGE_RING_MERGER,
    USW_MERGE_RING_GROUP = 8, /* warps that merge one tile */
#ifdef USW_EMULATE            /* so that tests take more than one batch */
    USW_MERGE_RING_BATCH = 2,
#else
    USW_MERGE_RING_BATCH = 16, /* cuts that are found together, at most as many as mergers */
#endif
};

/* Groups, buffers and gates of a block; blocks of a multiprocessor. */
template <typename K> struct usw_merge_ring_shape {
    static constexpr unsigned groups = sizeof(K) == 8 ? 3 : 2, buffers = sizeof(K) == 8 ? 4 : 3;
    /* Gates that open when a tile has come. Each opens for one group only: a group that missed an
     * opening could not tell the next opening from the last but one. */
    static constexpr unsigned gates = groups * buffers;
    static constexpr unsigned blocks = sizeof(K) == 8 ? 1 : 2;
    /* Of more tiles a block for each tile is faster. */
    static constexpr uint64_t tiles_most = sizeof(K) == 8 ? 4000 : UINT64_MAX;
    static constexpr unsigned threads =
        32 * (USW_MERGE_RING_MERGER + groups * USW_MERGE_RING_GROUP);
    static constexpr unsigned items = USW_MERGE_ITEMS_OF(sizeof(K)), piece = 32 * items;
    static constexpr unsigned tile = piece * USW_MERGE_RING_GROUP; /* USW_MERGE_TILE */
    static constexpr unsigned per = 16 / sizeof(K);
};

/* A tile's ranges of a and b. In x each begins at the same place of a vector of 16 bytes as in
 * memory. */
template <typename K> struct alignas(128) usw_merge_ring_buffer {
    /* A vector more before and behind each range, and a key that is read and not used. */
    K x[usw_merge_ring_shape<K>::tile + 4 * usw_merge_ring_shape<K>::per];
    unsigned a, na, b, nb; /* places in x, and counts */
    usw_gate free;
};

template <typename K> struct usw_merge_ring_args {
    const K *a, *b;
    K *out;
    uint64_t na, nb, tiles;
    usw_gpu_keymap<K> map;
    unsigned *barrier;

    /* Tiles [first, last) are this block's. */
    __device__ __forceinline__ uint64_t first(unsigned block) const
    {
        return tiles / gridDim.x * block + (block < tiles % gridDim.x ? block : tiles % gridDim.x);
    }
    __device__ __forceinline__ uint64_t rank(uint64_t tile) const
    {
        const uint64_t r = tile * usw_merge_ring_shape<K>::tile;
        return r < na + nb ? r : na + nb;
    }
    /* plain: the map changes nothing. */
    template <bool plain> __device__ __forceinline__ K key(K raw) const
    {
        return plain ? raw : map.map(raw);
    }
};

/* One thread begins a copy to memory and does not wait for its end. */
template <typename K>
__device__ __forceinline__ void usw_merge_ring_put(K *to, const K *from, uint32_t bytes)
{
#ifdef USW_EMULATE
    memcpy(to, from, bytes);
#else
    usw_bulk_put(to, from, bytes);
#endif
}

/* A warp's piece of a tile: how many keys of a and b it has, and their places in x. */
struct usw_merge_ring_piece {
    unsigned a, na, b, nb;
};

/* How many of the first `rank` keys are a's. */
template <bool plain, typename K>
__device__ __forceinline__ unsigned usw_merge_ring_rank(const usw_merge_ring_args<K> &a, const K *x,
                                                        const usw_merge_ring_piece &p,
                                                        unsigned rank)
{
    unsigned low = rank > p.nb ? rank - p.nb : 0, high = rank < p.na ? rank : p.na;
    const K *left = x + p.a, *right = x + p.b + rank - 1;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (a.template key<plain>(*(right - middle)) < a.template key<plain>(left[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The piece of a tile that is warp `w`'s of a group. Each warp finds all pieces of the tile, so
 * that all warps agree on them. */
template <bool plain, typename K>
__device__ __forceinline__ usw_merge_ring_piece usw_merge_ring_pieces(
    const usw_merge_ring_args<K> &a, const usw_merge_ring_buffer<K> &buffer, unsigned w)
{
    constexpr unsigned piece = usw_merge_ring_shape<K>::piece;
    const usw_merge_ring_piece all = {buffer.a, buffer.na, buffer.b, buffer.nb};
    const unsigned count = all.na + all.nb, lane = threadIdx.x % 32;
    const unsigned at = lane * piece, rank = at < count ? at : count;
    unsigned cut = usw_merge_ring_rank<plain>(a, buffer.x, all, rank);
    const unsigned before = __shfl_up_sync(~0u, cut, 1);
    const unsigned rank_before = __shfl_up_sync(~0u, rank, 1);
    if (__any_sync(~0u, lane > 0 && (cut < before || cut - before > rank - rank_before))) {
        cut = rank < all.na ? rank : all.na; /* a, then b */
    }
    const unsigned begin = __shfl_sync(~0u, cut, static_cast<int>(w));
    const unsigned end = __shfl_sync(~0u, cut, static_cast<int>(w + 1));
    const unsigned from = w * piece < count ? w * piece : count;
    const unsigned to = from + piece < count ? from + piece : count;
    return {all.a + begin, end - begin, all.b + from - begin, to - from - (end - begin)};
}

/* A lane merges its keys of the piece; returns false where lanes disagree about the places of their
 * keys. */
template <bool plain, typename K>
__device__ __forceinline__ bool usw_merge_ring_keys(const usw_merge_ring_args<K> &args, const K *x,
                                                    const usw_merge_ring_piece &p,
                                                    K (&mine)[usw_merge_ring_shape<K>::items])
{
    constexpr unsigned items = usw_merge_ring_shape<K>::items;
    const unsigned lane = threadIdx.x % 32, count = p.na + p.nb;
    const unsigned rank = lane * items < count ? lane * items : count;
    const unsigned start = usw_merge_ring_rank<plain>(args, x, p, rank);
    const unsigned a_end = p.a + p.na, b_end = p.b + p.nb;
    unsigned a = p.a + start, b = p.b + rank - start;
    K left = x[a], right = x[b], left_key = args.template key<plain>(left),
      right_key = args.template key<plain>(right);
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const bool take_b = b < b_end && (a >= a_end || right_key < left_key);
        mine[i] = take_b ? right : left;
        a += take_b ? 0 : 1;
        b += take_b ? 1 : 0;
        if (i + 1 < items) {
            const K next = x[take_b ? b : a], next_key = args.template key<plain>(next);
            left = take_b ? left : next;
            left_key = take_b ? left_key : next_key;
            right = take_b ? next : right;
            right_key = take_b ? next_key : right_key;
        }
    }
    const unsigned next = __shfl_down_sync(~0u, start, 1);
    const bool full = (lane + 1) * items <= count;
    return __all_sync(~0u, !full || a - p.a == (lane == 31 ? p.na : next));
}

/* The lane's keys of the piece where the runs are not sorted: a's, then b's. */
template <typename K>
__device__ __forceinline__ void usw_merge_ring_copy(const K *x, const usw_merge_ring_piece &p,
                                                    K (&mine)[usw_merge_ring_shape<K>::items])
{
    constexpr unsigned items = usw_merge_ring_shape<K>::items;
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const unsigned at = threadIdx.x % 32 * items + i;
        mine[i] = at < p.na ? x[p.a + at] : at < p.na + p.nb ? x[p.b + at - p.na] : K(0);
    }
}

#endif

/* pairs_scatter.cuh - the bucket sort of pairs: every pair is scattered to its digit's next place.
 *
 * Ranking, reordering, the check of the order and the look-back are those of
 * gpu/digit_sort/tile_steps.cuh. The first scatter is over the whole array and leaves a key beside
 * its value, where both are as wide, since longer runs are written faster. The second is within the
 * segments that the first one made, so a look-back ends where the tile's segment begins.
 *
 * Where keys go by a prefix tree, the first scatter has tiles of a shape of its own: a block has
 * the tree in shared memory, looks each key's bucket up, keeps its digit, and writes that of the
 * second scatter in place of the key's leading bits (hybrid_coded). So the second is the same for
 * all. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_SCATTER_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_SCATTER_CUH

#include "gpu/pair_buckets/pairs_place.cuh"
#include "gpu/carry/look_back_digits.cuh"
#include "gpu/digit_sort/tile_steps.cuh"

template <typename K> struct pairs_scatter_args {
    const void *keys_in;   /* in the second scatter: pairs, where keys and values are joined */
    const void *values_in; /* NULL: value i is i */
    void *keys_out, *values_out;
    unsigned long long n;
    usw_gpu_keymap<K> map; /* of the first scatter */
    pairs_plan *plan;
    pairs_digits digits;
    const unsigned long long *starts;
    const unsigned *tile_begin;
    uint32_t *ring;
    unsigned ring_tiles, wait_tiles; /* a power of two; blocks of a scatter */
    const hybrid_tree *tree;         /* where keys may go by one, or NULL */
};

/* The segment of a tile. */
struct pairs_spot {
    unsigned segment, stop; /* stop: the first tile of the segment */
};

/* Sets what is the same for all tiles of a scatter. */
template <bool first, typename K, unsigned value_bytes, typename Shape, bool kept>
__device__ __forceinline__ void pairs_begin(scatter_block<K, value_bytes, Shape, kept> &b,
                                            const pairs_scatter_args<K> &a)
{
    using V = typename usw_value_of<value_bytes>::type;
    b.first = first;
    b.last = false;
    b.keys_in = static_cast<const K *>(a.keys_in);
    b.keys_out = static_cast<K *>(a.keys_out);
    b.values_in = static_cast<const V *>(a.values_in);
    b.values_out = static_cast<V *>(a.values_out);
    b.joined_in = !first && b.joins ? static_cast<const usw_joined<K> *>(a.keys_in) : nullptr;
    b.joined_out = first && b.joins ? static_cast<usw_joined<K> *>(a.keys_out) : nullptr;
    b.values_base = 0;
    b.map = a.map;
    b.shift = kept ? 0 : a.plan->keys.shift + (first ? a.digits.bits2 : 0);
    b.mask = (1u << (first ? a.digits.bits1 : a.digits.bits2)) - 1;
}

/* Finds a tile. found: a shared word. All threads call; the second scatter has a barrier. */
template <bool first, typename K, unsigned value_bytes, typename Shape, bool kept>
__device__ __forceinline__ pairs_spot pairs_find(scatter_block<K, value_bytes, Shape, kept> &b,
                                                 const pairs_scatter_args<K> &a, unsigned tile,
                                                 unsigned *found)
{
    pairs_spot place = {0, 0};
    unsigned long long end = a.n;
    b.begin = 0;
    if (!first) {
        const unsigned t = threadIdx.x;
        if (t < 1u << a.digits.bits1 && a.tile_begin[t] <= tile && tile < a.tile_begin[t + 1]) {
            *found = t;
        }
        __syncthreads();
        place.segment = *found;
        place.stop = a.tile_begin[place.segment];
        b.begin = a.starts[place.segment << a.digits.bits2];
        end = a.starts[(place.segment + 1) << a.digits.bits2];
    }
    b.begin += static_cast<unsigned long long>(tile - place.stop) * Shape::tile;
    b.count = static_cast<unsigned>(end - b.begin < Shape::tile ? end - b.begin : Shape::tile);
    return place;
}

/* Scatters a tile that was found and loaded. by: the thread's keys, or their digits. */
template <bool first, typename K, unsigned value_bytes, typename Shape, bool kept, typename T>
__device__ __forceinline__ void pairs_scatter_loaded(scatter_block<K, value_bytes, Shape, kept> &b,
                                                     const pairs_scatter_args<K> &a,
                                                     const look_ring<uint32_t> &ring, unsigned tile,
                                                     pairs_spot place, const T (&by)[Shape::items])
{
    const unsigned t = threadIdx.x, padding = Shape::tile - b.count;
    unsigned ranks[scatter_block<K, value_bytes, Shape, kept>::ranks] = {};
    uint32_t early[2] = {0, 0};
    if (t < 128) { /* loaded now, used when the counts are known */
        early[0] = ring.before(tile, a.wait_tiles, 2 * t);
        early[1] = ring.before(tile, a.wait_tiles, 2 * t + 1);
    }
    __syncwarp();
    b.rank(by, ranks);
    __syncthreads();
    start_digits<Shape::warps>(
        b.counters, b.digit_start, b.warp_sums, [&](unsigned d, unsigned count) {
            ring.wait(tile, a.wait_tiles, d, early[d & 1]);
            ring.publish(tile, d, false, count - (d == b.mask ? padding : 0));
        });
    b.place(by, ranks);
    if (t < PAIRS_DIGITS) {
        const unsigned count = b.digit_start[t + 1] - b.digit_start[t];
        const uint32_t sum =
            ring.template look_back<Shape::window, Shape::backoff>(tile, t, place.stop);
        ring.publish(tile, t, true, sum + count - (t == b.mask ? padding : 0));
        if (t <= b.mask) {
            const unsigned turn = a.plan->keys.first >> a.digits.bits2;
            const size_t bucket = first ? size_t((t - turn) & b.mask) << a.digits.bits2
                                        : (place.segment << a.digits.bits2) + t;
            b.target[t] = static_cast<long long>(a.starts[bucket] + sum) - b.digit_start[t];
        }
    }
    b.finish();
}

/* The digits of a thread's keys by the tree, kept in shared memory beside the coded keys. below:
 * the bits of the second scatter's digits. */
template <typename K, unsigned value_bytes, typename Shape>
__device__ __forceinline__ void pairs_code(const scatter_block<K, value_bytes, Shape, true> &b,
                                           const hybrid_window<K> &window, unsigned low,
                                           unsigned below, const K (&keys)[Shape::items],
                                           unsigned (&digits)[Shape::items])
{
    constexpr unsigned I = Shape::items, U = I % 4 == 0 ? 4 : I % 5 == 0 ? 5 : 2;
    static_assert(I % U == 0, "keys are looked up U at a time");
    const unsigned at = b.my_place();
#pragma unroll
    for (unsigned i0 = 0; i0 < I; i0 += U) {
        K some[U];
        unsigned found[U];
#pragma unroll
        for (unsigned i = 0; i < U; i++) {
            some[i] = keys[i0 + i];
        }
        window.buckets(some, found);
#pragma unroll
        for (unsigned i = 0; i < U; i++) {
            const unsigned p = at + 32 * (i0 + i);
            digits[i0 + i] = p < b.count ? found[i] >> below & b.mask : b.mask;
            b.digits[p] = static_cast<unsigned char>(digits[i0 + i]);
            b.key[p] = hybrid_coded(keys[i0 + i], found[i], low);
        }
    }
}

/* Scatters a tile that was found. */
template <bool first, typename K, unsigned value_bytes, typename Shape, bool kept>
__device__ __forceinline__ void pairs_scatter_tile(scatter_block<K, value_bytes, Shape, kept> &b,
                                                   const pairs_scatter_args<K> &a,
                                                   const look_ring<uint32_t> &ring, unsigned tile,
                                                   pairs_spot place, const hybrid_window<K> &window)
{
    K keys[Shape::items];
    b.template load<!kept>(keys);
    if constexpr (kept) {
        unsigned digits[Shape::items];
        pairs_code(b, window, a.plan->keys.shift, a.digits.bits2, keys, digits);
        pairs_scatter_loaded<first>(b, a, ring, tile, place, digits);
    } else {
        pairs_scatter_loaded<first>(b, a, ring, tile, place, keys);
    }
}

/* Shared memory: kept: the slots of the tree first. */
template <typename K, unsigned value_bytes, typename Shape, bool kept>
constexpr size_t pairs_scatter_shared()
{
    return (kept ? TREE_TABLE_BYTES : 0) +
           scatter_block<K, value_bytes, Shape, kept>::shared_bytes();
}

/* Scatters tile after tile. note: two shared words. */
template <bool first, bool kept, typename K, unsigned value_bytes, typename Shape>
__device__ __forceinline__ void pairs_scatter_tiles(const pairs_scatter_args<K> &a,
                                                    unsigned char *shared, unsigned *note)
{
    unsigned *slots = reinterpret_cast<unsigned *>(shared);
    if (kept) {
        hybrid_copy_slots<Shape::threads>(a.tree, slots);
    }
    const hybrid_window<K> window =
        kept ? hybrid_window<K>(slots, a.tree) : hybrid_window<K>(slots, K(0), 1);
    scatter_block<K, value_bytes, Shape, kept> b;
    b.carve(shared + (kept ? TREE_TABLE_BYTES : 0));
    pairs_begin<first>(b, a);
    const unsigned tiles = a.plan->tiles[first ? 0 : 1];
    const unsigned laps = (a.plan->tiles[0] + a.ring_tiles - 1) / a.ring_tiles;
    const look_ring<uint32_t> ring = {a.ring, a.ring_tiles, first ? 1 : 1 + laps};
    for (;;) {
        if (threadIdx.x == 0) {
            note[0] = atomicAdd(&a.plan->tiles_taken[first ? 0 : 1], 1u);
        }
        for (unsigned i = threadIdx.x; i < Shape::warps * 128; i += Shape::threads) {
            b.counters[i] = 0;
        }
        __syncthreads();
        const unsigned tile = note[0];
        if (tile >= tiles) {
            return;
        }
        const pairs_spot place = pairs_find<first>(b, a, tile, &note[1]);
        pairs_scatter_tile<first>(b, a, ring, tile, place, window);
    }
}

/* kept: the first scatter by a tree; else that by leading bits, or the second one of all. */
template <typename K, unsigned value_bytes, typename Shape, bool first, bool kept>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    pairs_scatter(const pairs_scatter_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED_ARRAY(unsigned, note, [2]);
    usw_chained();
    if (a.plan->split && (!first || (a.plan->keys.by_tree != 0) == kept)) {
        pairs_scatter_tiles<first, kept, K, value_bytes, Shape>(a, shared, note);
    }
}

#endif

/* scan_one_launch.cuh - the scan of an array that fits in the shared memory of all multiprocessors.
 *
 * All blocks run at once, each with up to four neighbouring tiles. They read the array, publish
 * their tiles' sums, wait for the sums of the tiles before, and write the scan: one launch, in
 * which no tile is drawn. Every block adds up all sums before its own by itself, a warp for each
 * 64. If one block added them up for the others, these would wait for two more trips to the level 2
 * cache. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_ONE_LAUNCH_CUH
#define USW_GPU_FOLDS_SCAN_ONE_LAUNCH_CUH

#include "gpu/folds/scan_tile.cuh"

enum : unsigned {
    USW_SCAN_ONCE_THREADS = USW_SWEEP_RUNS, /* each has one run of each of the block's tiles */
    USW_SCAN_ONCE_WARPS = USW_SCAN_ONCE_THREADS / 32,
    USW_SCAN_ONCE_BLOCKS = 2, /* of a multiprocessor */
};

/* Tiles of a block, at most: of f64, more would not fit in shared memory, nor in registers. */
template <typename E>
constexpr unsigned USW_SCAN_ONCE_TILES = usw_sweep_shape<E>::vectors == 4 ? 2 : 4;

struct usw_scan_once_args {
    const void *in;
    void *out;
    uint64_t n;
    unsigned count; /* tiles of a block, at most USW_SCAN_ONCE_TILES<E> */
    bool exclusive, vectors_in, vectors_out;
    usw_carry_levels tree;     /* only its lowest level is used */
    unsigned long long *calls; /* NULL if there is one tile */
};

/* A block's shared memory. */
template <typename E> struct usw_scan_once_shared {
    typename E::Acc sum[USW_SCAN_ONCE_TILES<E>]; /* of the tiles */
    typename E::Acc group[USW_CARRY_FANOUT];     /* of 64 tiles each, the last one of fewer */
    typename E::Acc children[E::exact ? 1 : +USW_SCAN_ONCE_WARPS][USW_CARRY_FANOUT];
    uint64_t tag;
    usw_scan_shared<E, false> tile[USW_SCAN_ONCE_TILES<E>]; /* as many as the block has are there */
};
template <typename E> constexpr size_t USW_SCAN_ONCE_BYTES(unsigned count)
{
    return sizeof(usw_scan_once_shared<E>) -
           (USW_SCAN_ONCE_TILES<E> - count) * sizeof(usw_scan_shared<E, false>);
}

/* Where vector i of a thread's share of a tile is, so that a warp's lie together. */
template <typename E> __device__ __forceinline__ unsigned usw_scan_once_vector(unsigned i)
{
    constexpr unsigned vectors = usw_sweep_shape<E>::vectors;
    return threadIdx.x / 32 * 32 * vectors + i * 32 + threadIdx.x % 32;
}

/* Loads the block's tiles, all before the first has come, and sweeps them upward, to their groups.
 * before: the totals before a thread's runs, within their groups. A barrier must follow. */
template <typename E, unsigned most>
__device__ __forceinline__ void
usw_scan_once_up(const E &e, const usw_scan_once_args &a, uint64_t first,
                 usw_scan_shared<E, false> (&tiles)[most], typename E::Acc (&before)[most][1])
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile, vectors = usw_sweep_shape<E>::vectors;
    const R *in = static_cast<const R *>(a.in) + first * tile;
    const uint64_t behind = a.n - first * tile, own = uint64_t(a.count) * tile;
    const uint64_t left = behind < own ? behind : own;
    uint4 q[most][vectors];
#pragma unroll
    for (unsigned k = 0; k < most; k++) {
#pragma unroll
        for (unsigned i = 0; i < vectors; i++) {
            if (a.vectors_in && (k + 1) * tile <= left) {
                q[k][i] = __ldcs(reinterpret_cast<const uint4 *>(in + k * tile) +
                                 usw_scan_once_vector<E>(i));
            }
        }
    }
#pragma unroll
    for (unsigned k = 0; k < most && k * tile < left; k++) {
        if (a.vectors_in && (k + 1) * tile <= left) {
#pragma unroll
            for (unsigned i = 0; i < vectors; i++) {
                tiles[k].x[usw_scan_once_vector<E>(i)] = q[k][i];
            }
            __syncwarp(); /* a warp loads the runs that it sweeps */
        } else {
            usw_tile_in<USW_SCAN_ONCE_THREADS>(
                e, tiles[k].x, in + k * tile,
                static_cast<unsigned>(left - k * tile < tile ? left - k * tile : tile),
                a.vectors_in);
            __syncthreads();
        }
        usw_sweep_up<false>(e, tiles[k], threadIdx.x / 32, before[k]);
    }
}

/* Writes a tile that all threads have turned into its scan. */
template <typename E>
__device__ __forceinline__ void usw_scan_once_out(const usw_scan_once_args &a, uint64_t t,
                                                  const usw_scan_shared<E, false> &shared)
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    R *out = static_cast<R *>(a.out) + t * tile;
    const uint64_t left = a.n - t * tile;
    if (a.vectors_out && tile <= left) {
        __syncwarp(); /* a warp writes the runs that it swept */
#pragma unroll
        for (unsigned i = 0; i < usw_sweep_shape<E>::vectors; i++) {
            __stcs(reinterpret_cast<uint4 *>(out) + usw_scan_once_vector<E>(i),
                   shared.x[usw_scan_once_vector<E>(i)]);
        }
    } else {
        __syncthreads();
        usw_tile_out<E, USW_SCAN_ONCE_THREADS>(
            shared.x, out, static_cast<unsigned>(left < tile ? left : tile), a.vectors_out);
    }
}

/* Warps publish the sums of the block's own tiles, and add up those of all tiles before, in groups
 * of 64 tiles. The block's own tiles are of one group. */
template <typename E>
__device__ __forceinline__ void usw_scan_once_exchange(const E &e, const usw_scan_once_args &a,
                                                       uint64_t first, usw_scan_once_shared<E> &s)
{
    const unsigned warp = threadIdx.x / 32, count = a.count;
    usw_carry_levels tree = a.tree;
    tree.tag = s.tag;
    if (warp < count && first + warp < tree.tiles) {
        bool head = false;
        const typename E::Acc total = usw_sweep_tops<false>(e, s.tile[warp], &head);
        if (threadIdx.x % 32 == 0) {
            s.sum[warp] = total;
            if (first + warp + 1 < tree.tiles) {
                usw_carry_tree_publish(tree, 0, first + warp, total, false);
            }
        }
    }
    for (uint64_t g = (warp + USW_SCAN_ONCE_WARPS - count) % USW_SCAN_ONCE_WARPS;
         g * USW_CARRY_FANOUT < first; g += USW_SCAN_ONCE_WARPS) {
        const uint64_t from = g * USW_CARRY_FANOUT, left = first - from;
        uint64_t heads = 0;
        const typename E::Acc sum =
            usw_carry_tree_sum(e, tree.nodes + from, tree.tag,
                               left < USW_CARRY_FANOUT ? static_cast<unsigned>(left) : 64,
                               s.children[E::exact ? 0 : warp], &heads);
        if (threadIdx.x % 32 == 0) {
            s.group[g] = sum;
        }
    }
}

template <typename E>
__global__ void __launch_bounds__(USW_SCAN_ONCE_THREADS, USW_SCAN_ONCE_BLOCKS)
    usw_scan_once(usw_scan_once_args a, E e)
{
    typedef typename E::Acc A;
    typedef usw_scan_once_shared<E> once_shared;
    USW_DYNAMIC_SHARED(once_shared, shared);
    once_shared &s = *shared;
    const uint64_t first = uint64_t(blockIdx.x) * a.count;
    const unsigned r = threadIdx.x, warp = r / 32;
    unsigned long long drawn = 0;
    if (r == 0 && a.calls != nullptr) {
        drawn = usw_call_draw(a.calls);
    }
    A before[USW_SCAN_ONCE_TILES<E>][1], level = e.neutral(), upper = e.neutral();
    usw_scan_once_up(e, a, first, s.tile, before);
    if (r == 0 && a.calls != nullptr) {
        s.tag = usw_call_of(drawn, a.calls, gridDim.x).tag;
    }
    __syncthreads();
    usw_scan_once_exchange(e, a, first, s);
    __syncthreads();
    for (unsigned g = 0; g < first / USW_CARRY_FANOUT; g++) {
        upper = e.join(upper, s.group[g]);
    }
    level = first % USW_CARRY_FANOUT != 0 ? s.group[first / USW_CARRY_FANOUT] : level;
#pragma unroll
    for (unsigned k = 0; k < USW_SCAN_ONCE_TILES<E> && k < a.count && first + k < a.tree.tiles;
         k++) {
        const A carry = e.join(upper, level);
        usw_sweep_down<false>(e, s.tile[k], warp, carry, before[k], a.exclusive, first + k == 0);
        usw_scan_once_out(a, first + k, s.tile[k]);
        level = e.join(level, s.sum[k]);
    }
}

/* ---- host ---- */

/* How many tiles a block would have; 0 if there are too many tiles. */
template <typename E>
static inline unsigned usw_scan_one_launch_takes(const usw_gpu *g, uint64_t tiles)
{
#ifdef USW_EMULATE
    const uint64_t sms = 1; /* so that tests of few elements take the ring, too */
#else
    const uint64_t sms = g->sms;
#endif
    for (unsigned count = 1; count <= USW_SCAN_ONCE_TILES<E>; count *= 2) {
        const size_t bytes = USW_SCAN_ONCE_BYTES<E>(count);
        const bool fits = USW_SCAN_ONCE_BLOCKS * (bytes + 1024) <= g->shared_bytes + 1024;
        if (fits && tiles <= count * USW_SCAN_ONCE_BLOCKS * sms && tiles <= USW_KEPT_TILES) {
            return count;
        }
    }
    return 0;
}

#ifdef USW_EMULATE
/* So that the test `routes` knows which numbers of tiles a block has had. */
static inline void usw_scan_once_took(unsigned count)
{
    emulated_choice("scan in one launch", "a tile a block", 15, count == 1);
    emulated_choice("scan in one launch", "two tiles a block", 15, count == 2);
    emulated_choice("scan in one launch", "four tiles a block", 15, count == 4);
}
#endif

/* count: what usw_scan_one_launch_takes has returned. */
template <typename E>
static inline upsweep_status
usw_scan_one_launch(usw_gpu *g, const usw_scan *s, const usw_carry_levels &tree,
                    unsigned long long *calls, unsigned count, const E &e)
{
    const usw_scan_once_args a = {
        s->in, s->out, s->n, count, s->exclusive, usw_bulk_takes(s->in), usw_bulk_takes(s->out),
        tree,  calls};
#ifdef USW_EMULATE
    usw_scan_once_took(count);
#endif
    const dim3 blocks(static_cast<unsigned>((tree.tiles + count - 1) / count));
    return USW_LAUNCH_COOPERATIVE(g, (usw_scan_once<E>), blocks, dim3(USW_SCAN_ONCE_THREADS),
                                  USW_SCAN_ONCE_BYTES<E>(count), a, e);
}

#endif

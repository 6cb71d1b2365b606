/* select_ring.cuh - writes the elements of a large array that are picked, in order, by blocks that
 * stay, one a multiprocessor, each of whose warps takes one step; tiles go through a ring of
 * buffers in shared memory, as in gpu/folds/scan_ring.cuh.
 *
 * Tile t belongs to block t mod blocks. Warps, and what they wait for (gates of
 * gpu/block/bulk_copy.cuh):
 *     mover    gets the next tile into a buffer that is empty
 *     up       when a tile has come: a bit for each element, set if it is picked
 *     tops     when all bits are there: ranks of every 32 elements, and the tile's sum to its node
 *     spine    of the first block only: from sums to carries (gpu/carry/spine_ring.cuh)
 *     asker    asks for the carry of the block's own tiles
 *     down     when it is there: a warp takes its stretch of the tile into registers, puts what is
 *              picked back side by side, and writes it by whole lines of memory
 * So other buffers are filled while one waits for its carry, and memory is never without work. A
 * carry is known only when all tiles before have come, so that the result may overwrite the input.
 *
 * Traffic: each element is read once, its flag or bit once; an element that is picked is written
 * once. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_SELECT_RING_CUH
#define USW_GPU_SELECTION_SELECT_RING_CUH

#include "gpu/selection/select_tile.cuh"

typedef usw_ring_warps<usw_select_tuning.up, usw_select_tuning.down> usw_select_warps;

template <typename S> using usw_select_place = usw_ring_place<usw_select_buffer<S>>;

/* ---- steps ---- */

/* A whole warp gets the last tile, if that is not whole. */
template <typename S>
__device__ __forceinline__ void usw_select_get_last(const usw_select_args &a,
                                                    usw_select_buffer<S> &buffer, uint64_t t,
                                                    unsigned before)
{
    typedef typename S::Key K;
    const unsigned lane = threadIdx.x % 32, count = usw_select_there<S>(a, t);
    const K *from = static_cast<const K *>(a.in) + t * S::tile - before;
    for (unsigned i = lane; i < count + before; i += 32) {
        buffer.keys[S::per - before + i] = from[i];
    }
    for (unsigned i = lane; S::flagged && i < count; i += 32) {
        reinterpret_cast<uint8_t *>(buffer.flags)[i] = a.flags[t * S::tile + i];
    }
    for (unsigned i = lane; S::split && i < S::words; i += 32) {
        buffer.words[i] = 32 * i < count ? a.bits[t * S::words + i] : 0;
    }
    usw_gate_arrive_warp(&buffer.gates.came);
}

template <typename S>
__device__ __forceinline__ void usw_select_get(const usw_select_args &a,
                                               usw_select_buffer<S> &buffer, uint64_t t)
{
    typedef typename S::Key K;
    const unsigned before = S::heads && t > 0 ? S::per : 0;
    if (usw_select_there<S>(a, t) < S::tile) {
        usw_select_get_last<S>(a, buffer, t, before);
    } else {
        const K *from = static_cast<const K *>(a.in) + t * S::tile - before;
        K *to = buffer.keys + S::per - before;
        const uint32_t bytes = (S::tile + before) * sizeof(K);
        if constexpr (S::flagged) {
            usw_gate_get(&buffer.gates.came, to, from, bytes, buffer.flags, a.flags + t * S::tile,
                         S::tile);
        } else if constexpr (S::split) {
            usw_gate_get(&buffer.gates.came, to, from, bytes, buffer.words, a.bits + t * S::words,
                         S::tile / 8);
        } else {
            usw_gate_get(&buffer.gates.came, to, from, bytes);
        }
    }
}

template <typename S>
__device__ __forceinline__ void usw_select_move(const usw_select_args &a, usw_select_place<S> p)
{
    for (const uint64_t lap = p.t + a.buffers * uint64_t(gridDim.x); p.t < a.books.tiles;
         p.next()) {
        if (p.t >= lap) { /* the buffer holds an earlier tile */
            usw_gate_wait(&p.buffer->gates.swept, p.phase ^ 1);
            usw_bulk_written();
        }
        usw_select_get<S>(a, *p.buffer, p.t);
    }
}

template <typename S>
__device__ __forceinline__ void usw_select_up(const usw_select_args &a, usw_select_place<S> p,
                                              unsigned warp)
{
    const unsigned lane = threadIdx.x % 32, row = warp * S::up_words;
    for (; p.t < a.books.tiles; p.next()) {
        const unsigned count = usw_select_there<S>(a, p.t), at = (row + lane) * 32;
        usw_gate_wait(&p.buffer->gates.came, p.phase);
        uint32_t word = 0;
        if constexpr (S::heads) {
            word = usw_select_heads<S>(a, *p.buffer, p.t, row, count);
        } else if (lane < S::up_words && at < count) {
            word = usw_flags_word(reinterpret_cast<const uint8_t *>(p.buffer->flags) + at,
                                  count - at < 32 ? count - at : 32);
        }
        if (lane < S::up_words) {
            p.buffer->words[row + lane] = word;
        }
        usw_gate_arrive_warp(&p.buffer->gates.upward);
    }
}

template <typename S>
__device__ __forceinline__ void usw_select_tops(const usw_select_args &a, usw_select_place<S> p)
{
    for (; p.t < a.books.tiles; p.next()) {
        usw_gate_wait(S::split ? &p.buffer->gates.came : &p.buffer->gates.upward, p.phase);
        usw_select_rank<S>(*p.buffer);
        if (!S::split && threadIdx.x % 32 == 0) {
            const uint64_t last =
                S::runs && p.buffer->last != 0 ? p.t * S::tile + p.buffer->last : 0;
            usw_node_publish(a.books.nodes + p.t, last << 32 | p.buffer->ones, USW_RING_SUM);
        }
        usw_gate_arrive_warp(&p.buffer->gates.carried);
    }
}

template <typename S>
__device__ __forceinline__ void usw_select_down(const usw_select_args &a, usw_select_place<S> p,
                                                unsigned warp)
{
    const uint64_t zeros = S::split ? a.n - *a.all_ones : 0;
    for (; p.t < a.books.tiles; p.next()) {
        usw_gate_wait(&p.buffer->gates.carried, p.phase);
        usw_select_stretch<S>(a, *p.buffer, p.t, warp, zeros);
        if (warp == 0 && threadIdx.x % 32 == 0 && p.t + 1 == a.books.tiles) {
            usw_select_finish<S>(a, *p.buffer, p.t);
        }
        usw_gate_arrive_warp(&p.buffer->gates.swept);
    }
}

template <typename S>
__global__ void __launch_bounds__(usw_select_warps::threads, 1) usw_select_ring(usw_select_args a)
{
#if USW_GATES /* on other devices the kernel is never launched */
    typedef usw_select_sums<S::runs> sums;
    typedef usw_ring_spine_state<sums> spine_state;
    USW_DYNAMIC_SHARED(usw_select_buffer<S>, buffers);
    USW_SHARED(spine_state, spine);
    typedef usw_select_warps warps;
    const unsigned warp = threadIdx.x / 32;
    const sums e = {};
    warps::open(buffers, a.buffers, e, spine);
    __syncthreads();
    const usw_select_place<S> place(buffers, a.buffers);
    if (warp == warps::mover) {
        usw_select_move<S>(a, place);
    } else if (warp == warps::tops) {
        usw_select_tops<S>(a, place);
    } else if (warp == warps::asker) {
        usw_ring_ask(a.books, place);
    } else if (warp < warps::up) {
        if (blockIdx.x == 0 && warp - warps::spine < a.books.spine_warps) {
            usw_ring_spine(e, a.books, spine, warp - warps::spine);
        }
    } else if (warp < warps::down) {
        if (!S::split) { /* whose bits are there already */
            usw_select_up<S>(a, place, warp - warps::up);
        }
    } else {
        usw_select_down<S>(a, place, warp - warps::down);
    }
#endif
}

/* ---- host ---- */

template <typename S> static inline uint64_t usw_select_tiles(uint64_t n)
{
    return (n + S::tile - 1) / S::tile;
}

template <typename S> static inline unsigned usw_select_buffers(const usw_gpu *g)
{
    const unsigned fit = usw_ring_fit<usw_select_sums<S::runs>, usw_select_buffer<S>>(g);
    return fit < USW_SELECT_BUFFERS ? fit : +USW_SELECT_BUFFERS;
}

/* Whether n elements are for the ring: many, aligned, on a device with the copy engine. In a plan
 * for any device the answer is no; usw_select_count adds the ring's scratch to that of the other
 * method. */
template <typename S>
static inline bool usw_select_takes(const usw_gpu *g, const void *in, const void *flags, uint64_t n)
{
    return g->device >= 0 && usw_bulk_takes(in) && usw_bulk_takes(flags) &&
           (!S::runs || n >> 32 == 0) && usw_select_buffers<S>(g) >= 3 &&
           usw_select_tiles<S>(n) >= usw_select_tuning.tiles_least * g->sms &&
           usw_gate_works(usw_select_ring<S>);
}

/* a.books.nodes: zeroed, or in a split with the tiles' sums. */
template <typename S> static inline upsweep_status usw_select_launch(usw_gpu *g, usw_select_args a)
{
    a.buffers = usw_select_buffers<S>(g);
    a.books.tiles = usw_select_tiles<S>(a.n);
    a.books.spine_warps = S::flagged ? usw_select_tuning.spines_flagged : usw_select_tuning.spines;
    return USW_LAUNCH_COOPERATIVE(g, usw_select_ring<S>, dim3(g->sms),
                                  dim3(usw_select_warps::threads),
                                  a.buffers * sizeof(usw_select_buffer<S>), a);
}

/* The scratch for the nodes of all tiles, or NULL. */
template <typename S> static inline usw_node *usw_select_nodes(usw_gpu *g, uint64_t n)
{
    return static_cast<usw_node *>(usw_gpu_scratch(g, usw_select_tiles<S>(n) * sizeof(usw_node)));
}

/* A plan for any device counts the scratch of the other method; this adds the ring's nodes. */
template <typename S> static inline void usw_select_count(usw_gpu *g, uint64_t n)
{
    if (g->device < 0) {
        (void)usw_select_nodes<S>(g, n);
    }
}

/* Selects in one pass, without a count of flags before it. */
template <typename S> static inline upsweep_status usw_select_run(usw_gpu *g, usw_select_args a)
{
    a.books.nodes = usw_select_nodes<S>(g, a.n);
    if (a.books.nodes == nullptr ||
        usw_gpu_fill(g, a.books.nodes, 0, usw_select_tiles<S>(a.n) * sizeof(usw_node)) !=
            UPSWEEP_OK) {
        return g->status;
    }
    return usw_select_launch<S>(g, a);
}

#endif

/* scan_ring.cuh - the scan of a large array by blocks that stay, one a multiprocessor, each of
 * whose warps takes one step of the scan; tiles go through a ring of buffers in shared memory.
 *
 * Tile t belongs to block t mod blocks. Warps, and what they wait for (gates of
 * gpu/block/bulk_copy.cuh):
 *     mover    when a tile is swept: writes it, and gets the next tile into its buffer
 *     up       when a tile has come: the upward sweep from its runs to its groups
 *     tops     when all groups are there: the tile's sum, which goes to its node in memory
 *     spine    of the first block only: from sums to carries (gpu/carry/spine_ring.cuh)
 *     asker    waits for the carries of the block's own tiles
 *     down     when a carry is there: the downward sweep, after which the tile is its scan
 * So a buffer is empty for no longer than a copy takes, the next tile is on its way from the moment
 * a buffer is free, and a block has 200 KB of tiles under way. A node is read by the spine warps
 * and by the block that owns its tile, and by nobody else: when all blocks read all nodes, the
 * reads kept the sums from being written. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_RING_CUH
#define USW_GPU_FOLDS_SCAN_RING_CUH

#include "gpu/carry/spine_ring.cuh"
#include "gpu/folds/scan_tile.cuh"

constexpr struct {
    unsigned up, down;     /* warps that share each tile, upward and downward */
    unsigned spines_long;  /* spine warps where tiles have more than tile_is_long bytes */
    unsigned tile_is_long; /* bytes */
    unsigned tiles_least;  /* of a block */
} usw_ring_tuning = {8, 8, 2, 16384, 3};

typedef usw_ring_warps<usw_ring_tuning.up, usw_ring_tuning.down> usw_scan_ring_warps;

/* A tile's place, its carry, and the gates that its steps pass. */
template <typename E> struct alignas(128) usw_ring_buffer {
    usw_scan_shared<E, false> tile;
    typename E::Acc carry;
    usw_ring_gates gates;
};

struct usw_ring_args {
    const void *in;
    void *out;
    uint64_t n;
    uint64_t tiles;
    unsigned buffers;
    bool exclusive;
    usw_ring_books books;
    unsigned *barrier; /* blocks that have cleared their nodes; spine warps that have seen it */
};

template <typename E> using usw_sweep_place = usw_ring_place<usw_ring_buffer<E>>;

template <typename E>
__device__ __forceinline__ void usw_ring_get(const E &e, const usw_ring_args &a,
                                             usw_ring_buffer<E> &buffer, uint64_t t)
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    const R *from = static_cast<const R *>(a.in) + t * tile;
    const bool whole = (t + 1) * tile <= a.n;
    if (whole) {
        usw_gate_get(&buffer.gates.came, buffer.tile.x, from, tile * sizeof(R));
    } else {
        usw_tile_in<32>(e, buffer.tile.x, from, static_cast<unsigned>(a.n - t * tile), true);
        usw_gate_arrive_warp(&buffer.gates.came);
    }
}

template <typename E>
__device__ __forceinline__ void usw_ring_put(const usw_ring_args &a, usw_ring_buffer<E> &buffer,
                                             uint64_t t)
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    R *to = static_cast<R *>(a.out) + t * tile;
    if ((t + 1) * tile <= a.n) {
        if (threadIdx.x % 32 == 0) {
            usw_gate_put(to, buffer.tile.x, tile * sizeof(R));
        }
    } else {
        usw_tile_out<E, 32>(buffer.tile.x, to, static_cast<unsigned>(a.n - t * tile), true);
    }
    __syncwarp();
}

template <typename E>
__device__ __forceinline__ void usw_ring_move(const E &e, const usw_ring_args &a,
                                              usw_sweep_place<E> p)
{
    const uint64_t lap = a.buffers * uint64_t(gridDim.x);
    for (usw_sweep_place<E> first = p; first.phase == 0 && first.t < a.tiles; first.next()) {
        usw_ring_get(e, a, *first.buffer, first.t);
    }
    for (; p.t < a.tiles; p.next()) {
        usw_gate_wait(&p.buffer->gates.swept, p.phase);
        usw_ring_put(a, *p.buffer, p.t);
        if (p.t + lap < a.tiles) {
            usw_ring_get(e, a, *p.buffer, p.t + lap);
        }
    }
}

template <typename E>
__device__ __forceinline__ void usw_ring_up(const E &e, const usw_ring_args &a,
                                            usw_sweep_place<E> p, unsigned warp)
{
    for (; p.t < a.tiles; p.next()) {
        typename E::Acc before[USW_SWEEP_RUNS / 32 / usw_ring_tuning.up];
        usw_gate_wait(&p.buffer->gates.came, p.phase);
        usw_sweep_up<false>(e, p.buffer->tile, warp, before);
        usw_gate_arrive_warp(&p.buffer->gates.upward);
    }
}

template <typename E>
__device__ __forceinline__ void usw_ring_tops(const E &e, const usw_ring_args &a,
                                              usw_sweep_place<E> p)
{
    for (; p.t < a.tiles; p.next()) {
        bool head = false;
        usw_gate_wait(&p.buffer->gates.upward, p.phase);
        const typename E::Acc total = usw_sweep_tops<false>(e, p.buffer->tile, &head);
        if (threadIdx.x % 32 == 0) {
            /* Step spine_ring/publish_sum of proofs/models. */
            usw_node_publish(a.books.nodes + p.t, usw_bits_of(total), USW_RING_SUM);
        }
        usw_gate_arrive_warp(&p.buffer->gates.carried);
    }
}

template <typename E>
__device__ __forceinline__ void usw_ring_down(const E &e, const usw_ring_args &a,
                                              usw_sweep_place<E> p, unsigned warp)
{
    for (; p.t < a.tiles; p.next()) {
        usw_gate_wait(&p.buffer->gates.carried, p.phase);
        const typename E::Acc carry = p.buffer->carry;
        usw_sweep_down_remade<E, USW_SWEEP_RUNS / 32 / usw_ring_tuning.down>(
            e, p.buffer->tile, warp, carry, a.exclusive, p.t == 0);
        usw_bulk_written();
        usw_gate_arrive_warp(&p.buffer->gates.swept);
    }
}

/* ---- nodes ---- */

/* A block clears its own tiles' nodes, since a fill before the kernel takes 3 us. A barrier must
 * follow, and then usw_ring_cleared by one thread, for the spine warps, which alone read other
 * blocks' nodes. */
__device__ __forceinline__ void usw_ring_clear(const usw_ring_args &a)
{
    for (uint64_t t = blockIdx.x + threadIdx.x * uint64_t(gridDim.x); t < a.tiles;
         t += usw_scan_ring_warps::threads * uint64_t(gridDim.x)) {
        /* Step spine_ring/clear of proofs/models. */
        usw_node_publish(a.books.nodes + t, 0, 0);
    }
}
__device__ __forceinline__ void usw_ring_cleared(const usw_ring_args &a)
{
    __threadfence();
    /* Step spine_ring/cleared of proofs/models. */
    atomicAdd(&a.barrier[0], 1u);
}

/* A spine warp waits until all blocks have cleared their nodes. The last spine warp makes the words
 * 0 again. */
__device__ __forceinline__ void usw_ring_wait_cleared(const usw_ring_args &a)
{
    if (threadIdx.x % 32 == 0) {
        /* Step spine_ring/wait_cleared of proofs/models. */
        while (usw_load_acquire(&a.barrier[0]) < gridDim.x) {
            usw_yield();
        }
        if (atomicAdd(&a.barrier[1], 1u) == a.books.spine_warps - 1) {
            a.barrier[0] = 0;
            a.barrier[1] = 0;
        }
    }
    __syncwarp();
}

template <typename E>
__global__ void __launch_bounds__(usw_scan_ring_warps::threads, 1) usw_ring(usw_ring_args a, E e)
{
#if USW_GATES /* on other devices the kernel is never launched, and compiling it takes minutes */
    typedef usw_ring_spine_state<E> spine_state;
    USW_DYNAMIC_SHARED(usw_ring_buffer<E>, buffers);
    USW_SHARED(spine_state, spine);
    typedef usw_scan_ring_warps warps;
    const unsigned warp = threadIdx.x / 32;
    warps::open(buffers, a.buffers, e, spine);
    usw_ring_clear(a);
    __syncthreads();
    if (threadIdx.x == 32 * warps::tops) {
        usw_ring_cleared(a);
    }
    const usw_sweep_place<E> place(buffers, a.buffers);
    if (warp == warps::mover) {
        usw_ring_move(e, a, place);
    } else if (warp == warps::tops) {
        usw_ring_tops(e, a, place);
    } else if (warp == warps::asker) {
        usw_ring_ask(a.books, place);
    } else if (warp < warps::up) {
        if (blockIdx.x == 0 && warp - warps::spine < a.books.spine_warps) {
            usw_ring_wait_cleared(a);
            usw_ring_spine(e, a.books, spine, warp - warps::spine);
        }
    } else if (warp < warps::down) {
        usw_ring_up(e, a, place, warp - warps::up);
    } else {
        usw_ring_down(e, a, place, warp - warps::down);
    }
#endif
}

/* ---- host ---- */

/* Whether a scan without heads is for the ring: long, aligned, on a device with the copy engine. */
template <typename E>
static inline bool usw_ring_takes(const usw_gpu *g, const usw_scan *s, uint64_t tiles)
{
    return s->heads == nullptr && s->keys == nullptr && usw_bulk_takes(s->in) &&
           usw_bulk_takes(s->out) && usw_ring_fit<E, usw_ring_buffer<E>>(g) >= 2 &&
           tiles >= usw_ring_tuning.tiles_least * g->sms &&
           (usw_gpu_plans(g) || usw_gate_works(usw_ring<E>));
}

/* Queues the scan; the kernel clears tree.nodes. */
template <typename E>
static inline upsweep_status usw_ring_scan(usw_gpu *g, const usw_scan *s,
                                           const usw_carry_levels &tree, const E &e)
{
    const unsigned buffers = usw_ring_fit<E, usw_ring_buffer<E>>(g);
    const unsigned spines =
        sizeof(uint4[USW_SWEEP_RUNS * usw_sweep_shape<E>::vectors]) > usw_ring_tuning.tile_is_long
            ? usw_ring_tuning.spines_long
            : +USW_RING_SPINE_WARPS;
    const usw_ring_args a = {s->in,
                             s->out,
                             s->n,
                             tree.tiles,
                             buffers,
                             s->exclusive,
                             {tree.nodes, tree.tiles, spines},
                             g->barrier};
    return USW_LAUNCH_COOPERATIVE(g, usw_ring<E>, dim3(g->sms), dim3(usw_scan_ring_warps::threads),
                                  buffers * sizeof(usw_ring_buffer<E>), a, e);
}

#endif

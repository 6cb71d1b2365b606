/* scan_sweep.cu - scan by two sweeps, CUDA form.
 *
 * Same as the explained form: an upward sweep leaves partial results in a tree, a downward sweep
 * gives every node the total before it. Differs: the tree has fan-out 8 within a tile, so that a
 * lane owns a run of 8 elements and the levels above are shuffles (gpu/folds/scan_tile.cuh), and
 * fan-out 64 above tiles, where a block reads the few nodes that lie left of its path
 * (gpu/carry/carry_tree.cuh). So there is one pass: memory is read once and written once.
 *
 * Shape: a block of 128 threads a tile of 512 runs, 16 KB of shared memory (halves 8, f64 32), as
 * many blocks on a multiprocessor as fit, about 12. A tile lies in shared memory from the copy that
 * brings it (gpu/block/bulk_copy.cuh) to the copy that writes its scan; a block that waits for its
 * carry costs nothing but that shared memory, and other blocks keep the memory busy meanwhile.
 *
 * Two kinds of arrays without heads have kernels of their own, with the same tree and the same
 * bits: those that fit in shared memory, whose blocks run all at once
 * (gpu/folds/scan_one_launch.cuh), and large aligned ones on devices with a copy engine, by blocks
 * that stay and a ring of tiles (gpu/folds/scan_ring.cuh).
 *
 * Traffic: 2 elements an element, 1 byte for a head, a key for a key, and 16 bytes a tile.
 *
 * Floats are joined in f64 in the order of core/order.h, also where the caller allows any order,
 * since no order is faster. */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/scan_one_launch.cuh"
#include "gpu/folds/scan_ring.cuh"

namespace
{

/* Every number that may be tuned. */
struct tuning {
    /* Blocks that a multiprocessor has registers for, at least. */
    unsigned blocks_exact, blocks_float, blocks_cut;
};
constexpr tuning tune = {12, 10, 8};

struct scan_args {
    const void *in;
    void *out;
    uint64_t n;
    const uint8_t *heads;
    const void *keys;
    unsigned key_bytes;
    bool exclusive, bulk_in, bulk_out;
    unsigned long long *calls; /* tiles are drawn from here, or, if it is NULL, from ticket */
    uint32_t *ticket;          /* both are NULL where there is one tile */
    usw_carry_levels tree;
};

/* ---- heads ---- */

template <typename K> __device__ __forceinline__ bool key_changes(const void *keys, uint64_t i)
{
    const K *k = static_cast<const K *>(keys);
    return i == 0 || k[i] != k[i - 1];
}

__device__ __forceinline__ bool is_head(const scan_args &a, uint64_t i)
{
    if (a.keys == nullptr) {
        return a.heads[i] != 0;
    }
    return a.key_bytes == 1   ? key_changes<uint8_t>(a.keys, i)
           : a.key_bytes == 2 ? key_changes<uint16_t>(a.keys, i)
           : a.key_bytes == 4 ? key_changes<uint32_t>(a.keys, i)
                              : key_changes<uint64_t>(a.keys, i);
}

/* A bit for each element i .. i + run that is a head. */
template <unsigned run> __device__ __forceinline__ unsigned heads_of(const scan_args &a, uint64_t i)
{
    unsigned bits = 0;
    if (i + run <= a.n && a.keys == nullptr && reinterpret_cast<uintptr_t>(a.heads + i) % 4 == 0) {
#pragma unroll
        for (unsigned j = 0; j < run; j += 4) {
            bits |= usw_bytes_set(*reinterpret_cast<const uint32_t *>(a.heads + i + j)) << j;
        }
        return bits;
    }
    for (unsigned j = 0; j < run && i + j < a.n; j++) {
        bits |= is_head(a, i + j) ? 1u << j : 0;
    }
    return bits;
}

/* ---- a block a tile ---- */

/* A block's shared memory. */
template <typename E, bool cut> struct sweep_shared {
    usw_scan_shared<E, cut> tile;
    uint64_t arrived; /* barrier of gpu/block/bulk_copy.cuh */
    usw_carry_tree_shared<typename E::Acc, E::exact> carry;
    usw_call call;
};

/* Draws the block's tile and begins the copy of it to shared memory. */
template <typename E, bool cut>
__device__ __forceinline__ uint64_t begin_tile(const scan_args &a, sweep_shared<E, cut> &s)
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    if (threadIdx.x == 0) {
        s.call = {0, 0};
        if (a.calls != nullptr) {
            s.call = usw_call_of(usw_call_draw(a.calls), a.calls, gridDim.x);
        } else if (a.ticket != nullptr) {
            s.call.number = atomicAdd(a.ticket, 1u);
        }
        const uint64_t t = s.call.number;
        if (USW_BULK && a.bulk_in && (t + 1) * tile <= a.n) {
            usw_bulk_open(&s.arrived);
            usw_bulk_expect(&s.arrived, tile * sizeof(R));
            usw_bulk_get(s.tile.x, static_cast<const R *>(a.in) + t * tile, tile * sizeof(R),
                         &s.arrived);
        }
    }
    __syncthreads();
    return s.call.number;
}

template <typename E, bool cut>
__global__ void __launch_bounds__(USW_SWEEP_THREADS, cut        ? tune.blocks_cut
                                                     : E::exact ? tune.blocks_exact
                                                                : tune.blocks_float)
    sweep(scan_args a, E e)
{
    typedef typename E::Raw R;
    typedef typename E::Acc A;
    typedef sweep_shared<E, cut> shared;
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    USW_SHARED(shared, s);
    const uint64_t t = begin_tile<E, cut>(a, s), begin = t * tile;
    usw_carry_levels tree = a.tree;
    tree.tag = s.call.tag;
    const bool whole = begin + tile <= a.n;
    const unsigned count = whole ? tile : static_cast<unsigned>(a.n - begin);
    if (cut) {
        for (unsigned r = threadIdx.x; r < USW_SWEEP_RUNS; r += USW_SWEEP_THREADS) {
            s.tile.heads[r] = heads_of<E::run>(a, begin + r * E::run);
        }
    }
    if (USW_BULK && a.bulk_in && whole) {
        usw_bulk_wait(&s.arrived, 0);
    } else {
        usw_tile_in<USW_SWEEP_THREADS>(e, s.tile.x, static_cast<const R *>(a.in) + begin, count,
                                       a.bulk_in);
        __syncthreads();
    }
    A before[USW_SWEEP_MINE], total = e.neutral();
    bool head = false;
    if (cut) {
        __syncthreads();
    }
    usw_sweep_up<cut>(e, s.tile, threadIdx.x / 32, before);
    __syncthreads();
    if (threadIdx.x < 32) {
        total = usw_sweep_tops<cut>(e, s.tile, &head);
        if (threadIdx.x == 0 && tree.levels > 0) {
            usw_carry_tree_publish(tree, 0, t, total, head);
        }
    }
    usw_carry_tree_turn(e, tree, t, total, head, s.carry);
    __syncthreads();
    const A before_tile = usw_carry_tree_read(e, tree, t, total, head, s.carry);
    usw_sweep_down<cut>(e, s.tile, threadIdx.x / 32, before_tile, before, a.exclusive, t == 0);
    R *out = static_cast<R *>(a.out) + begin;
    if (USW_BULK && a.bulk_out && whole) {
        constexpr unsigned mine = tile / USW_SWEEP_WARPS; /* of a warp */
        usw_bulk_written();
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            const unsigned at = threadIdx.x / 32 * mine;
            usw_bulk_put(out + at, reinterpret_cast<const R *>(s.tile.x) + at, mine * sizeof(R));
            usw_bulk_put_done();
        }
    } else {
        __syncthreads();
        usw_tile_out<E, USW_SWEEP_THREADS>(s.tile.x, out, count, a.bulk_out);
    }
}

/* ---- the whole ---- */

template <typename E> upsweep_status scan_elements(usw_gpu *g, const usw_scan *s, const E &e)
{
    const uint64_t tile = usw_sweep_shape<E>::tile, tiles = (s->n + tile - 1) / tile;
    scan_args a = {};
    a.in = s->in;
    a.out = s->out;
    a.n = s->n;
    a.heads = s->heads;
    a.keys = s->keys;
    a.key_bytes = static_cast<unsigned>(s->key_bytes);
    a.exclusive = s->exclusive;
    a.bulk_in = usw_bulk_takes(s->in);
    a.bulk_out = usw_bulk_takes(s->out);
    const bool has_heads = s->heads != nullptr || s->keys != nullptr;
    const unsigned once = has_heads || g->device < 0 ? 0 : usw_scan_one_launch_takes<E>(g, tiles);
    const bool ring = once == 0 && usw_ring_takes<E>(g, s, tiles);
    if (tiles > 1 && (ring || !usw_carry_tree_keeps(g, tiles, &a.tree, &a.calls)) &&
        usw_carry_tree_make(g, tiles, !ring, &a.tree, &a.ticket) != UPSWEEP_OK) {
        return g->status;
    }
    if (once != 0) {
        a.tree.tiles = tiles;
        return usw_scan_one_launch(g, s, a.tree, a.calls, once, e);
    }
    if (ring) {
        return usw_ring_scan(g, s, a.tree, e);
    }
    const dim3 blocks(static_cast<unsigned>(tiles)), threads(USW_SWEEP_THREADS);
    return has_heads ? USW_LAUNCH(g, (sweep<E, true>), blocks, threads, 0, a, e)
                     : USW_LAUNCH(g, (sweep<E, false>), blocks, threads, 0, a, e);
}

upsweep_status scan(usw_gpu *g, const usw_scan *s, bool unordered)
{
    (void)unordered;
    return usw_gpu_elements(s->type, s->op, s->identity,
                            [&](const auto &e) { return scan_elements(g, s, e); });
}

} // namespace

USW_GPU_FORM(usw_gpu_scan_form, usw_scan_sweep_cuda) = {scan};

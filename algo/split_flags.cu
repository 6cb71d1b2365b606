/* split_flags.cu - split by flags, CUDA form.
 *
 * Same as the explained form: an element with flag 0 goes where as many zeros are before it
 * (I_down), one with flag 1 behind all zeros and the ones before it (I_up); then all of them move.
 * Differs: no index is ever stored. A block takes a tile and permutes it in shared memory, zeros
 * first (gpu/selection/split_tile.cuh), so that it is written as two ranges; only the two places
 * where these begin depend on the whole array (gpu/carry/carry_tree.cuh).
 *
 * Where the ones of a split begin depends on the last flag, so flags are counted first, by a kernel
 * that leaves the counts in a carry tree, and the flags as bits; then no block waits for another,
 * for which a large compaction counts first, too. While there are few tiles each block counts all
 * flags by itself, and there is one launch.
 *
 * While all tiles fit the device at once, their blocks publish their ones and wait at a barrier, in
 * one launch, too; few elements of a power of two bytes have smaller tiles, whose blocks publish
 * their ones in nodes that stay (gpu/selection/split_one_launch.cuh).
 *
 * Large aligned arrays go through blocks that stay, on devices with a copy engine
 * (gpu/selection/select_ring.cuh): elements of 4 bytes, and of 8 if they are compacted, in one
 * pass; a split after its count.
 *
 * Other compactions are one pass: blocks draw their tiles in order and publish their counts when
 * they have read their elements. A block that knows its carry knows that all tiles before have been
 * read, so that it may write in place, too.
 *
 * Shape: a block of 128 threads a tile of 16 KB (bytes 4 KB, halves 8), 32 elements a thread or
 * less, all on their way at once. Elements of any other size or address go in columns of at most 64
 * bytes, each column a split by itself with the same flags (move_column). Traffic: an element
 * twice, if it is kept, and a flag once, plus two bits of it if counted. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/select_ring.cuh"
#include "gpu/selection/split_counted.cuh"
#include "gpu/selection/split_one_launch.cuh"

namespace
{

/* Every number that may be tuned. */
struct tuning {
    unsigned tile_bytes, tile_most; /* a tile: so many bytes of elements, or elements */
    unsigned column_bytes;          /* widest column of an element */
    unsigned few;                   /* elements at most for which each block counts all flags */
    uint64_t counted;               /* elements at least for which a compaction counts first */
    unsigned blocks;                /* that a multiprocessor has registers for, at least */
};
constexpr tuning tune = {16384, 4096, 64, 65536, 1 << 25, 8};

struct split_args {
    const unsigned char *in;
    const uint8_t *flags;
    unsigned char *out;
    uint64_t n;
    uint64_t *count;          /* of zeros, or of elements kept; NULL: not wanted */
    const uint64_t *all_ones; /* found by the count */
    const uint32_t *bits;     /* the flags as bits, from the count; NULL: there was no count */
    uint32_t *ticket;         /* where blocks draw their tiles and publish their ones in order */
    uint32_t *ones;           /* of each tile, where all blocks run at once and wait at a barrier */
    unsigned *barrier;        /* that barrier */
    usw_cleared_tree tree;    /* without levels where there are few tiles */
    /* Of columns: an element's bytes, a column's, a tile's elements, a column's nodes (compact). */
    uint64_t bytes, column, tile, nodes;
};

/* ---- a tile, in order, to memory ---- */

/* Where a tile's zeros and ones begin in the result. */
struct places {
    uint64_t zeros, ones;
};

/* Finds the places of tile t, for all threads, waiting for the ones of tiles before where these are
 * not counted. keep: ones only. Has barriers. A tree that was counted is complete, and tiles
 * publish in it only what it has. */
template <bool keep>
__device__ __forceinline__ places find_places(const split_args &a, uint64_t t, uint64_t begin,
                                              unsigned ones, bool last, uint64_t *count_to,
                                              usw_carry_tree_shared<uint64_t, true> &shared)
{
    const usw_split_counts e;
    uint64_t before, all;
    if (a.tree.levels == 0) {
        usw_split_sums sums;
        if (a.ones != nullptr) {
            if (threadIdx.x == 0) {
                usw_store_relaxed(&a.ones[t], ones);
            }
            usw_grid_barrier(a.barrier, 1, true);
            sums = usw_split_add(a.ones, gridDim.x, static_cast<unsigned>(t));
        } else {
            sums =
                usw_split_count(a.flags, static_cast<unsigned>(a.n), static_cast<unsigned>(begin));
        }
        before = sums.before;
        all = sums.all;
    } else {
        usw_carry_tree_turn(e, a.tree, t, uint64_t(ones), false, shared);
        __syncthreads();
        before = usw_carry_tree_read(e, a.tree, t, uint64_t(ones), false, shared);
        all = a.all_ones != nullptr ? *a.all_ones : before + ones;
    }
    if (last && threadIdx.x == 0 && count_to != nullptr) {
        *count_to = keep ? all : a.n - all;
    }
    return {begin - before, keep ? before : a.n - all + before};
}

/* ---- elements of a power of two bytes, aligned ---- */

template <typename W> struct shape {
    static constexpr unsigned by_bytes = tune.tile_bytes / sizeof(W);
    static constexpr unsigned tile = by_bytes < tune.tile_most ? by_bytes : tune.tile_most;
    static constexpr unsigned words = tile / 32 / USW_SPLIT_WARPS; /* of flags, a warp */
};

/* Where no block waits for another the last tile goes first, since the count read its flags
 * last. */
__device__ __forceinline__ uint64_t tile_number(const split_args &a)
{
    if (a.ticket == nullptr) {
        return gridDim.x - 1 - blockIdx.x;
    }
    USW_SHARED(uint32_t, drawn);
    if (threadIdx.x == 0) {
        drawn = atomicAdd(a.ticket, 1u);
    }
    __syncthreads();
    return drawn;
}

/* Publishes a tile's ones, where tiles are drawn, when all threads of the block have read their
 * elements. */
__device__ __forceinline__ void publish(const split_args &a, uint64_t t, unsigned ones)
{
    if (a.ticket != nullptr && threadIdx.x == 0) {
        __threadfence();
        usw_carry_tree_publish(a.tree, 0, t, uint64_t(ones), false);
    }
}

template <typename W, bool keep>
__global__ void __launch_bounds__(USW_SPLIT_THREADS, tune.blocks) move_tile(split_args a)
{
    typedef usw_carry_tree_shared<uint64_t, true> carry_shared;
    constexpr unsigned tile = shape<W>::tile, words = shape<W>::words;
    USW_SHARED_ARRAY(W, x, [tile]);
    USW_SHARED(carry_shared, shared);
    const uint64_t t = tile_number(a), begin = t * tile;
    const bool last = begin + tile >= a.n;
    const unsigned count = last ? static_cast<unsigned>(a.n - begin) : tile;
    const unsigned first = threadIdx.x / 32 * words * 32 + threadIdx.x % 32;
    const W *in = reinterpret_cast<const W *>(a.in) + begin;
    W v[words];
#pragma unroll
    for (unsigned k = 0; k < words; k++) {
        if (first + 32 * k < count) {
            v[k] = __ldcs(in + first + 32 * k);
        }
    }
    const usw_split_ranks r = usw_split_rank(
        a.flags + begin, a.bits == nullptr ? nullptr : a.bits + begin / 32, count, words);
    const unsigned zeros = keep ? 0 : count - r.ones;
    places to = {0, 0};
    if (a.ticket == nullptr) {
        to = find_places<keep>(a, t, begin, r.ones, last, a.count, shared);
    }
    usw_split_order<keep>(r, v, first, count, zeros, x);
    __syncthreads();
    if (a.ticket != nullptr) {
        publish(a, t, r.ones);
        to = find_places<keep>(a, t, begin, r.ones, last, a.count, shared);
    }
    W *out = reinterpret_cast<W *>(a.out);
    if (!keep) {
        usw_split_put(out + to.zeros, x, zeros);
    }
    usw_split_put(out + to.ones, x + zeros, r.ones);
}

/* ---- any other elements, a column at a time ---- */

/* W divides the element's size, the column's and all addresses. */
template <typename W, bool keep>
__global__ void __launch_bounds__(USW_SPLIT_THREADS) move_column(split_args a)
{
    typedef usw_carry_tree_shared<uint64_t, true> carry_shared;
    constexpr unsigned most = 1024;
    USW_SHARED_ARRAY(W, x, [tune.tile_bytes / sizeof(W)]);
    USW_SHARED_ARRAY(uint16_t, from, [most]); /* which element goes to a place of the tile */
    USW_SHARED(carry_shared, shared);
    const uint64_t id = tile_number(a), tiles = (a.n + a.tile - 1) / a.tile;
    const uint64_t c = id / tiles, t = id % tiles, begin = t * a.tile, offset = c * a.column;
    const unsigned width = static_cast<unsigned>(
        (a.bytes - offset < a.column ? a.bytes - offset : a.column) / sizeof(W));
    const bool last = begin + a.tile >= a.n;
    const unsigned count = static_cast<unsigned>(last ? a.n - begin : a.tile);
    const unsigned words = static_cast<unsigned>(a.tile) / 32 / USW_SPLIT_WARPS;
    const usw_split_ranks r = usw_split_rank(
        a.flags + begin, a.bits == nullptr ? nullptr : a.bits + begin / 32, count, words);
    const unsigned zeros = keep ? 0 : count - r.ones;
    for (unsigned k = 0; k < words; k++) {
        unsigned ones_before;
        const bool one = usw_split_place(r, k, &ones_before);
        const unsigned i = (threadIdx.x / 32 * words + k) * 32 + threadIdx.x % 32;
        if (i < count && (one || !keep)) {
            from[one ? zeros + ones_before : i - ones_before] = static_cast<uint16_t>(i);
        }
    }
    __syncthreads();
    const unsigned moved = zeros + r.ones;
    const uint64_t step = a.bytes / sizeof(W);
    const W *in = reinterpret_cast<const W *>(a.in + offset) + begin * step;
    for (unsigned i = threadIdx.x; i < moved * width; i += USW_SPLIT_THREADS) {
        x[i] = in[from[i / width] * step + i % width];
    }
    __syncthreads();
    split_args column = a;
    column.tree.nodes += c * a.nodes;
    publish(column, t, r.ones);
    const places to =
        find_places<keep>(column, t, begin, r.ones, last, c == 0 ? a.count : nullptr, shared);
    W *out = reinterpret_cast<W *>(a.out + offset);
    for (unsigned i = threadIdx.x; i < moved * width; i += USW_SPLIT_THREADS) {
        const unsigned place = i / width;
        const uint64_t at = keep || place >= zeros ? to.ones + (place - zeros) : to.zeros + place;
        out[at * step + i % width] = x[i];
    }
}

/* ---- the whole ---- */

/* For tiles in order: an empty tree for each column, and a ticket. */
upsweep_status prepare_order(usw_gpu *g, split_args *a, uint64_t tiles, uint64_t columns)
{
    a->nodes = usw_carry_tree_nodes(tiles);
    const size_t bytes = (columns * a->nodes + 1) * sizeof(usw_node);
    usw_node *all = static_cast<usw_node *>(usw_gpu_scratch(g, bytes));
    if (all == nullptr) {
        return g->status;
    }
    a->tree = usw_carry_tree_place<usw_no_tag>(all, tiles);
    a->ticket = reinterpret_cast<uint32_t *>(all + columns * a->nodes);
    return usw_gpu_fill(g, all, 0, bytes);
}

/* Counts the flags: a tree, of which `levels` levels are wanted, and the flags as bits. */
upsweep_status prepare_count(usw_gpu *g, split_args *a, uint64_t tiles, unsigned levels)
{
    usw_split_count_args count = {};
    uint32_t *sum = nullptr; /* the ticket's place in the scratch, which gets the sum of all ones */
    uint32_t *bits = static_cast<uint32_t *>(usw_gpu_scratch(g, (a->n + 31) / 32 * sizeof *bits));
    if (bits == nullptr || usw_carry_tree_make(g, tiles, true, &a->tree, &sum) != UPSWEEP_OK) {
        return g->status;
    }
    a->bits = bits;
    a->all_ones = reinterpret_cast<uint64_t *>(sum);
    count.flags = a->flags;
    count.n = a->n;
    count.tree = a->tree;
    count.tree.levels = levels < a->tree.levels ? levels : a->tree.levels;
    count.bits = bits;
    count.all_ones = reinterpret_cast<unsigned long long *>(sum);
    return usw_split_count_all(g, count, static_cast<unsigned>(a->tile));
}

/* Prepares the tree that the tiles need, empty or counted. */
template <bool keep>
upsweep_status prepare(usw_gpu *g, split_args *a, uint64_t tiles, uint64_t columns)
{
    if (tiles == 1 || (a->n <= tune.few && a->in != a->out)) {
        return UPSWEEP_OK;
    }
    if (keep && (a->in == a->out || a->n < tune.counted)) {
        return prepare_order(g, a, tiles, columns);
    }
    return prepare_count(g, a, tiles, USW_CARRY_LEVELS);
}

/* Whether the blocks of all tiles can run at once. */
bool fits_at_once(const usw_gpu *g, uint64_t tiles, size_t shared)
{
    const uint64_t fit = (g->shared_bytes + 1024) / (shared + 2048);
    return tiles <= (fit < tune.blocks ? fit : tune.blocks) * g->sms;
}

template <typename W, bool keep> upsweep_status move_at_once(usw_gpu *g, split_args a)
{
    const unsigned tiles = static_cast<unsigned>((a.n + a.tile - 1) / a.tile);
    a.ones = static_cast<uint32_t *>(usw_gpu_scratch(g, tiles * sizeof *a.ones));
    a.barrier = g->barrier;
    return a.ones == nullptr ? g->status
                             : USW_LAUNCH_COOPERATIVE(g, (move_tile<W, keep>), dim3(tiles),
                                                      dim3(USW_SPLIT_THREADS), 0, a);
}

template <typename S> upsweep_status move_ring(usw_gpu *g, split_args a)
{
    a.tile = S::tile;
    const uint64_t tiles = usw_select_tiles<S>(a.n);
    const upsweep_status status =
        S::split ? prepare_count(g, &a, tiles, 1) : prepare_order(g, &a, tiles, 1);
    usw_select_args r = {};
    r.in = a.in;
    r.out = a.out;
    r.n = a.n;
    r.flags = a.flags;
    r.bits = a.bits;
    r.all_ones = a.all_ones;
    r.count = a.count;
    r.books.nodes = a.tree.nodes;
    return status == UPSWEEP_OK ? usw_select_launch<S>(g, r) : status;
}

template <typename W, bool keep> upsweep_status move_aligned(usw_gpu *g, split_args a)
{
    if (usw_split_one_launch_takes(g, a.n)) {
        return usw_split_one_launch<W, keep>(
            g, {a.in, a.flags, a.out, static_cast<unsigned>(a.n), a.count, {}});
    }
    a.tile = shape<W>::tile;
    const uint64_t tiles = (a.n + a.tile - 1) / a.tile;
    if (a.in != a.out && a.n > tune.few && fits_at_once(g, tiles, a.tile * sizeof(W))) {
        return move_at_once<W, keep>(g, a);
    }
    if constexpr (sizeof(W) == 4 || (keep && sizeof(W) == 8)) {
        typedef usw_select_shape<W, keep ? USW_SELECT_FLAGGED : USW_SELECT_SPLIT> S;
        if (a.n > tune.few && usw_select_takes<S>(g, a.in, keep ? a.flags : nullptr, a.n)) {
            return move_ring<S>(g, a);
        }
    }
    return prepare<keep>(g, &a, tiles, 1) != UPSWEEP_OK
               ? g->status
               : USW_LAUNCH(g, (move_tile<W, keep>), dim3(static_cast<unsigned>(tiles)),
                            dim3(USW_SPLIT_THREADS), 0, a);
}

template <typename W, bool keep> upsweep_status move_columns(usw_gpu *g, split_args a)
{
    a.column = a.bytes < tune.column_bytes ? a.bytes : tune.column_bytes;
    a.tile = a.column <= 16 ? 1024 : a.column <= 32 ? 512 : 256;
    const uint64_t tiles = (a.n + a.tile - 1) / a.tile;
    const uint64_t columns = (a.bytes + a.column - 1) / a.column;
    if (columns > INT32_MAX / tiles) { /* more blocks than a grid has */
        return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                            "split/flags takes no %zu elements of %zu bytes on a GPU",
                            static_cast<size_t>(a.n), static_cast<size_t>(a.bytes));
    }
    return prepare<keep>(g, &a, tiles, columns) != UPSWEEP_OK
               ? g->status
               : USW_LAUNCH(g, (move_column<W, keep>), dim3(static_cast<unsigned>(tiles * columns)),
                            dim3(USW_SPLIT_THREADS), 0, a);
}

template <bool keep>
upsweep_status move(usw_gpu *g, const void *in, const uint8_t *flags, void *out, size_t n,
                    size_t bytes, uint64_t *count)
{
    split_args a = {};
    a.in = static_cast<const unsigned char *>(in);
    a.flags = flags;
    a.out = static_cast<unsigned char *>(out);
    a.n = n;
    a.count = count;
    a.bytes = bytes;
    const uintptr_t at = reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out);
    const uintptr_t unit = at | bytes;
    if (at % bytes == 0) {
        switch (bytes) {
        case 1: return move_aligned<uint8_t, keep>(g, a);
        case 2: return move_aligned<uint16_t, keep>(g, a);
        case 4: return move_aligned<uint32_t, keep>(g, a);
        case 8: return move_aligned<uint64_t, keep>(g, a);
        case 16: return move_aligned<uint4, keep>(g, a);
        default: break;
        }
    }
    return unit % 16 == 0  ? move_columns<uint4, keep>(g, a)
           : unit % 8 == 0 ? move_columns<uint64_t, keep>(g, a)
           : unit % 4 == 0 ? move_columns<uint32_t, keep>(g, a)
           : unit % 2 == 0 ? move_columns<uint16_t, keep>(g, a)
                           : move_columns<uint8_t, keep>(g, a);
}

} // namespace

USW_GPU_FORM(usw_gpu_split_form, usw_split_flags_cuda) = {move<false>, move<true>};

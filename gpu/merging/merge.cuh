/* merge.cuh - merges of sorted runs, split by rank (merge path, Green, McColl and Bader 2012).
 *
 * A level is a number of merges side by side, each of two runs a and b. The kernel usw_merge_split
 * finds where each tile of the output begins in a and b, by halving along the tile's diagonal; then
 * a block of usw_merge_tiles reads the tile's ranges of a and b, splits them again, thread by
 * thread, and each thread merges a few items one by one. Of equal items those of a come first.
 * Shape: 256 threads; a tile has 256 x ITEMS items, in shared memory. Traffic: a level reads each
 * item once, writes it once, and searches twice a tile.
 *
 * Two runs whose tiles fit the device at once are merged in one cooperative launch
 * (usw_merge_once), in which every block finds its own two cuts; two of up to 5,120 items by one
 * block (usw_merge_few); two long runs of keys by merge_ring.cuh.
 *
 * Runs that are not sorted make cuts that contradict each other. The kernels compare neighbouring
 * cuts, and where these contradict, the merge or the tile copies a and b instead, so that the
 * output always holds every item once.
 *
 * Operations O say what an item is:
 *     stored, item            in memory, and as it is compared
 *     load(const stored *), store(stored *, item), before(x, y): x comes strictly before y */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_MERGE_CUH
#define USW_GPU_MERGING_MERGE_CUH

#include "gpu/block/merge_path.cuh"

#include <cstring>

enum : unsigned { USW_MERGE_THREADS = 256 };

/* Items of a thread: odd, so that threads side by side read from different banks. */
#ifndef USW_MERGE_ITEMS_OF
#define USW_MERGE_ITEMS_OF(bytes) ((bytes) <= 4 ? 19 : (bytes) == 8 ? 15 : 7)
#endif
template <typename O>
constexpr unsigned USW_MERGE_ITEMS = USW_MERGE_ITEMS_OF(sizeof(typename O::item));
template <typename O> constexpr unsigned USW_MERGE_TILE = USW_MERGE_ITEMS<O> *USW_MERGE_THREADS;

template <typename O> struct usw_merge_pair {
    const typename O::stored *a, *b;
    typename O::stored *out;
    uint64_t na, nb;
    uint64_t tile_begin; /* tiles of the merges before this one in its level */
};

/* A merge and one of its tiles, or of its cuts: tile t of merge m lies between cuts t + m and t + m
 * + 1 of the level. */
struct usw_merge_place {
    unsigned merge;
    uint64_t tile;
};

/* A level whose merges are a list in device memory. */
template <typename O> struct usw_merge_list {
    const usw_merge_pair<O> *list;
    unsigned count;

    __device__ __forceinline__ usw_merge_pair<O> pair(unsigned m) const
    {
        return list[m];
    }
    /* each: 1 for cuts, of which a merge has one more than tiles; 0 for tiles. */
    __device__ __forceinline__ usw_merge_place find(uint64_t at, unsigned each) const
    {
        unsigned low = 0, high = count - 1;
        while (low < high) {
            const unsigned middle = low + (high - low + 1) / 2;
            if (list[middle].tile_begin + middle * each <= at) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return {low, at - list[low].tile_begin - low * each};
    }
};

/* A level of one merge. */
template <typename O> struct usw_merge_one {
    usw_merge_pair<O> only;

    __device__ __forceinline__ usw_merge_pair<O> pair(unsigned) const
    {
        return only;
    }
    __device__ __forceinline__ usw_merge_place find(uint64_t at, unsigned) const
    {
        return {0, at};
    }
};

/* A level that merges runs of equal length, a multiple of the tile, two by two. */
template <typename O> struct usw_merge_uniform {
    const typename O::stored *from;
    typename O::stored *to;
    uint64_t n, run, tiles; /* tiles of two runs */

    __device__ __forceinline__ usw_merge_pair<O> pair(unsigned m) const
    {
        const uint64_t begin = 2 * run * m, left = n - begin;
        const uint64_t na = left < run ? left : run, nb = left - na < run ? left - na : run;
        return {from + begin, from + begin + na, to + begin, na, nb, tiles * m};
    }
    __device__ __forceinline__ usw_merge_place find(uint64_t at, unsigned each) const
    {
        const uint64_t m = at / (tiles + each);
        return {static_cast<unsigned>(m), at - m * (tiles + each)};
    }
};

struct usw_merge_cuts {
    uint64_t *cuts; /* of a level: how many items of a come before each */
    unsigned *bad;  /* for each merge: 1 if its cuts contradict each other */
};

/* How many of the first `rank` items of the merge are a's. get_a(i) and get_b(i) return items. */
template <typename O, typename I, typename A, typename B>
__device__ __forceinline__ I usw_merge_rank(const O &o, I na, I nb, I rank, A get_a, B get_b)
{
    I low = rank > nb ? rank - nb : 0, high = rank < na ? rank : na;
    while (low < high) {
        const I middle = low + (high - low) / 2;
        if (!o.before(get_b(rank - 1 - middle), get_a(middle))) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

template <typename O, typename L>
__global__ void __launch_bounds__(USW_MERGE_THREADS)
    usw_merge_split(const __grid_constant__ O o, const __grid_constant__ L level, usw_merge_cuts to,
                    uint64_t cuts)
{
    /* Blocks overlap by one cut, so that every cut is compared with the one before. */
    USW_SHARED_ARRAY(uint64_t, cut_of, [USW_MERGE_THREADS]);
    const uint64_t at = blockIdx.x * uint64_t(USW_MERGE_THREADS - 1) + threadIdx.x;
    usw_merge_place p = {0, 0};
    uint64_t rank = 0, cut = 0;
    if (at < cuts) {
        p = level.find(at, 1);
        const usw_merge_pair<O> m = level.pair(p.merge);
        rank = p.tile * USW_MERGE_TILE<O>;
        rank = rank < m.na + m.nb ? rank : m.na + m.nb;
        cut = usw_merge_rank(
            o, m.na, m.nb, rank, [&](uint64_t i) { return o.load(m.a + i); },
            [&](uint64_t i) { return o.load(m.b + i); });
        to.cuts[at] = cut;
    }
    cut_of[threadIdx.x] = cut;
    __syncthreads();
    if (at < cuts && threadIdx.x > 0 && p.tile > 0) {
        const uint64_t before = cut_of[threadIdx.x - 1];
        const uint64_t rank_before = (p.tile - 1) * USW_MERGE_TILE<O>;
        if (cut < before || cut - before > rank - rank_before) {
            to.bad[p.merge] = 1;
        }
    }
}

/* Merges buffer[a, a_end) and buffer[b, b_end) until `mine` is full. Returns the place in buffer of
 * the first item of a that was not taken. */
template <typename O, unsigned items>
__device__ __forceinline__ unsigned
usw_merge_serial(const O &o, const typename O::item *buffer, unsigned a, unsigned a_end, unsigned b,
                 unsigned b_end, typename O::item (&mine)[items])
{
    typename O::item left = buffer[a], right = buffer[b];
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const bool take_b = b < b_end && (a >= a_end || o.before(right, left));
        mine[i] = take_b ? right : left;
        a += take_b ? 0 : 1;
        b += take_b ? 1 : 0;
        if (i + 1 < items) {
            const typename O::item next = buffer[take_b ? b : a];
            left = take_b ? left : next;
            right = take_b ? next : right;
        }
    }
    return a;
}

/* What a block merges: buffer[0 .. na) with buffer[na .. na + nb), from a and b to out. */
template <typename O> struct usw_merge_job {
    const typename O::stored *a, *b;
    typename O::stored *out;
    unsigned na, nb;
    bool bad;
};

/* whole: na + nb is a whole tile, of threads x items. */
template <bool whole, unsigned threads, unsigned items, typename O>
__device__ __forceinline__ void usw_merge_block(const O &o, const usw_merge_job<O> &job,
                                                typename O::item *buffer, unsigned short *starts)
{
    typedef typename O::item item;
    const unsigned na = job.na, nb = job.nb, count = whole ? threads * items : na + nb;
    item mine[items];
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const unsigned at = i * threads + threadIdx.x;
        if (whole || at < count) {
            mine[i] = o.load(at < na ? job.a + at : job.b + (at - na));
        }
    }
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const unsigned at = i * threads + threadIdx.x;
        if (whole || at < count) {
            buffer[at] = mine[i];
        }
    }
    __syncthreads();
    const unsigned begin = threadIdx.x * items, here = whole || begin < count ? begin : count;
    const unsigned start = usw_merge_rank(
        o, na, nb, here, [&](unsigned i) { return buffer[i]; },
        [&](unsigned i) { return buffer[na + i]; });
    starts[threadIdx.x] = static_cast<unsigned short>(start);
    if (threadIdx.x == 0) {
        starts[threads] = static_cast<unsigned short>(na);
    }
    const unsigned stop =
        usw_merge_serial<O, items>(o, buffer, start, na, na + here - start, count, mine);
    __syncthreads();
    const bool full = whole || here + items <= count;
    if (__syncthreads_or(job.bad || (full && stop != starts[threadIdx.x + 1])) == 0) {
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            if (whole || here + i < count) {
                buffer[here + i] = mine[i];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < items; i++) {
        const unsigned at = i * threads + threadIdx.x;
        if (whole || at < count) {
            o.store(job.out + at, buffer[at]);
        }
    }
}

/* The tile of the merge that begins at `rank`, between two cuts; where `bad` is set the tile is
 * copied, a first, then b. */
template <typename O>
__device__ __forceinline__ void
usw_merge_tile(const O &o, const usw_merge_pair<O> &m, uint64_t rank, uint64_t cut,
               uint64_t cut_end, bool bad, typename O::item *buffer, unsigned short *starts)
{
    constexpr unsigned tile = USW_MERGE_TILE<O>;
    const uint64_t left = m.na + m.nb - rank;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
    if (bad) {
        cut = rank < m.na ? rank : m.na;
        cut_end = rank + count < m.na ? rank + count : m.na;
    }
    const unsigned na = static_cast<unsigned>(cut_end - cut);
    const usw_merge_job<O> job = {m.a + cut, m.b + (rank - cut), m.out + rank, na, count - na, bad};
    if (count == tile) {
        usw_merge_block<true, USW_MERGE_THREADS, USW_MERGE_ITEMS<O>>(o, job, buffer, starts);
    } else {
        usw_merge_block<false, USW_MERGE_THREADS, USW_MERGE_ITEMS<O>>(o, job, buffer, starts);
    }
}

template <typename O, typename L>
__global__ void __launch_bounds__(USW_MERGE_THREADS)
    usw_merge_tiles(const __grid_constant__ O o, const __grid_constant__ L level,
                    usw_merge_cuts from)
{
    constexpr unsigned tile = USW_MERGE_TILE<O>;
    USW_SHARED_ARRAY(typename O::item, buffer, [tile + 1]); /* the last one is not used */
    USW_SHARED_ARRAY(unsigned short, starts, [USW_MERGE_THREADS + 1]);
    const usw_merge_place p = level.find(blockIdx.x, 0);
    const uint64_t cut_at = blockIdx.x + p.merge;
    usw_merge_tile(o, level.pair(p.merge), p.tile * tile, from.cuts[cut_at], from.cuts[cut_at + 1],
                   from.bad[p.merge] != 0, buffer, starts);
}

/* ---- two runs in one launch ---- */

/* A barrier for all blocks of a cooperative launch, once, at g->barrier: whether `yes` is true in
 * any block. */
__device__ __forceinline__ bool usw_merge_any(unsigned *barrier, bool yes)
{
    USW_SHARED(unsigned, found);
    if (threadIdx.x == 0) {
        atomicAdd(&barrier[0], yes ? 0x10001u : 1u);
        unsigned seen = usw_load_relaxed(&barrier[0]);
        while ((seen & 0xffff) < gridDim.x) {
            usw_yield();
            seen = usw_load_relaxed(&barrier[0]);
        }
        found = seen >> 16;
        if (atomicAdd(&barrier[1], 1u) == gridDim.x - 1) {
            barrier[0] = 0;
            barrier[1] = 0;
        }
    }
    __syncthreads();
    return found != 0;
}

/* A block a tile, all blocks at once: each finds its own cuts. */
#ifdef USW_EMULATE /* so that tests of few keys take the ring of merge_ring.cuh, too */
enum : unsigned { USW_MERGE_ONCE_BLOCKS = 2 };
#else
enum : unsigned { USW_MERGE_ONCE_BLOCKS = 4 }; /* a multiprocessor */
#endif
template <typename O>
__global__ void __launch_bounds__(USW_MERGE_THREADS, USW_MERGE_ONCE_BLOCKS)
    usw_merge_once(O o, usw_merge_pair<O> m, unsigned *barrier)
{
    constexpr unsigned tile = USW_MERGE_TILE<O>;
    USW_SHARED_ARRAY(typename O::item, buffer, [tile + 1]);
    USW_SHARED_ARRAY(unsigned short, starts, [USW_MERGE_THREADS + 1]);
    USW_SHARED_ARRAY(uint64_t, cuts, [2]);
    const uint64_t rank = blockIdx.x * uint64_t(tile), left = m.na + m.nb - rank;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile, w = threadIdx.x / 32;
    if (w < 2) {
        const uint64_t cut = usw_merge_path_wide(
            m.na, m.nb, w == 0 ? rank : rank + count,
            [&](uint64_t i, uint64_t j) { return !o.before(o.load(m.b + j), o.load(m.a + i)); });
        if (threadIdx.x % 32 == 0) {
            cuts[w] = cut;
        }
    }
    __syncthreads();
    const bool bad = cuts[1] < cuts[0] || cuts[1] - cuts[0] > count;
    usw_merge_tile(o, m, rank, cuts[0], cuts[1], usw_merge_any(barrier, bad), buffer, starts);
}

/* Up to 5,120 items: one block merges all of them, so that no cut is searched in memory. Its
 * threads are more and have fewer items each, since the steps of one thread take most of the
 * time. */
enum : unsigned { USW_MERGE_FEW_THREADS = 1024, USW_MERGE_FEW_ITEMS = 5 };
enum : unsigned { USW_MERGE_FEW = USW_MERGE_FEW_THREADS * USW_MERGE_FEW_ITEMS };
template <typename O>
__global__ void __launch_bounds__(USW_MERGE_FEW_THREADS) usw_merge_few(O o, usw_merge_pair<O> m)
{
    USW_SHARED_ARRAY(typename O::item, buffer, [USW_MERGE_FEW + 1]);
    USW_SHARED_ARRAY(unsigned short, starts, [USW_MERGE_FEW_THREADS + 1]);
    usw_merge_block<false, USW_MERGE_FEW_THREADS, USW_MERGE_FEW_ITEMS>(
        o, {m.a, m.b, m.out, static_cast<unsigned>(m.na), static_cast<unsigned>(m.nb), false},
        buffer, starts);
}

/* Queues one level. cuts.bad has a 0 for each merge, cuts.cuts has memory for tiles + merges. */
template <typename O, typename L>
static inline upsweep_status usw_merge_level(usw_gpu *g, const O &o, const L &level, uint64_t tiles,
                                             uint64_t merges, const usw_merge_cuts &cuts)
{
    const uint64_t all = tiles + merges, each = USW_MERGE_THREADS - 1;
    const unsigned blocks = static_cast<unsigned>((all + each - 1) / each);
    upsweep_status status =
        USW_LAUNCH(g, (usw_merge_split<O, L>), blocks, USW_MERGE_THREADS, 0, o, level, cuts, all);
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, (usw_merge_tiles<O, L>), static_cast<unsigned>(tiles),
                            USW_MERGE_THREADS, 0, o, level, cuts);
}

/* ---- tables for the device ---- */

/* Small tables go from host to device as arguments of kernels: unlike a copy from memory that is
 * not pinned, an argument neither waits nor leaves a graph with an address that is gone. */
struct usw_table_piece {
    uint64_t words[448];
};

static __global__ void usw_table_write(usw_table_piece piece, uint64_t *to, unsigned words)
{
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) {
        to[i] = piece.words[i];
    }
}

/* to: device memory, from: host memory, both of whole words of 8 bytes. */
static inline upsweep_status usw_table_send(usw_gpu *g, void *to, const void *from, size_t bytes)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t at = 0; at < bytes && status == UPSWEEP_OK; at += sizeof(usw_table_piece)) {
        usw_table_piece piece;
        const size_t here = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        memcpy(&piece, static_cast<const char *>(from) + at, here);
        status = USW_LAUNCH(g, usw_table_write, 1, 128, 0, piece,
                            reinterpret_cast<uint64_t *>(static_cast<char *>(to) + at),
                            static_cast<unsigned>(here / sizeof(uint64_t)));
    }
    return status;
}

#endif

/* split_index.cu - positions by bucket, from the caller's bucket ids, with buckets that begin at
 * multiples of a number: what sends tokens to experts.
 *
 * Up to 64 Ki ids below 512: one launch, in which up to 32 blocks each count their ids, publish the
 * counts in nodes that bear the number of this call (as gpu/short_sort/runs.cuh does), and each
 * find from all counts where the buckets are and where their own positions go. A warp owns
 * neighbouring ids; equal ones among 32 are told apart by votes.
 *
 * More ids or buckets: positions are split as elements are (histogram.cu, `split`), which gives
 * them without gaps; then the gaps are made: offsets by one block, all places filled with n, and
 * positions copied to where they belong.
 *
 * Traffic: few ids: each is read once, each place is written once, and every block reads the counts
 * of all, 2 KB a block.
 * Else 16 bytes a position more. */
/* SPDX-License-Identifier: MIT */
#include "gpu/carry/tagged_value.cuh"

extern "C" {
extern const usw_gpu_bucket_step usw_histogram_cuda;
}

namespace
{

struct tuning {
#ifdef USW_EMULATE /* so that tests of few ids reach all of it */
    static constexpr unsigned threads = 64, few_buckets = 64, few_ids = 2048;
#else
    static constexpr unsigned threads = 512, few_buckets = 512, few_ids = 1 << 16;
#endif
    static constexpr unsigned items = 4; /* ids of a thread */
};
enum : unsigned {
    WARPS = tuning::threads / 32,
    BLOCK_IDS = tuning::threads * tuning::items,
    BUCKETS = tuning::few_buckets,
    COLUMNS = BUCKETS / 4,               /* nodes of a block */
    GROUPS = tuning::threads / COLUMNS,  /* of threads, each of which looks at a node a block */
    BLOCKS = tuning::few_ids / BLOCK_IDS /* at most */
};

template <typename I> struct index_args {
    const void *ids;
    unsigned id_width; /* log2 of bytes */
    uint64_t count, n, multiple, room;
    I *index;
    uint64_t *offsets, *counts; /* or NULL */
    unsigned long long *fault;
    usw_node *nodes; /* of few ids: counts of every block, four buckets a node */
    uint64_t *last;  /* number of the last call or sort that published so */
};

template <typename A> __device__ __forceinline__ uint32_t id_at(const A &a, uint64_t i)
{
    return a.id_width == 0   ? static_cast<const uint8_t *>(a.ids)[i]
           : a.id_width == 1 ? static_cast<const uint16_t *>(a.ids)[i]
                             : static_cast<const uint32_t *>(a.ids)[i];
}

/* The least multiple that is not below x. */
template <typename T> __device__ __forceinline__ T whole(T x, T multiple)
{
    return multiple == 1 ? x : (x + multiple - 1) / multiple * multiple;
}

/* ---- few ids ---- */

struct index_shared {
    uint16_t warp[WARPS][BUCKETS]; /* counts, then those of the warps before */
    unsigned lower[GROUPS][BUCKETS], total[GROUPS][BUCKETS]; /* of blocks before this one, of all */
    unsigned begin[BUCKETS]; /* of the block's positions in a bucket */
    unsigned sums[WARPS];
};

/* A warp's ids: item i of lane l is number 32 i + l of its neighbours. */
template <typename A>
__device__ __forceinline__ void load_ids(const A &a, uint32_t (&id)[tuning::items])
{
    const uint64_t first = (blockIdx.x * uint64_t(WARPS) + threadIdx.x / 32) * 32 * tuning::items;
#pragma unroll
    for (unsigned i = 0; i < tuning::items; i++) {
        const uint64_t at = first + 32 * i + threadIdx.x % 32;
        id[i] = at < a.n ? id_at(a, at) : ~0u;
        if (at < a.n && id[i] >= a.count) {
            usw_gpu_fault(a.fault, USW_FAULT_BUCKET, at);
            id[i] = ~0u;
        }
    }
}

/* Counts the warp's ids, and says of each how many equal ones of the warp are before it. */
__device__ __forceinline__ void count_ids(const uint32_t (&id)[tuning::items],
                                          unsigned (&before)[tuning::items], uint16_t *counts)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned i = 0; i < tuning::items; i++) {
        const unsigned same = __match_any_sync(~0u, id[i]);
        const unsigned below = static_cast<unsigned>(__popc(same & ((1u << lane) - 1)));
        before[i] = id[i] == ~0u ? 0 : counts[id[i]] + below;
        __syncwarp();
        if (id[i] != ~0u && below == 0) {
            counts[id[i]] = static_cast<uint16_t>(counts[id[i]] + __popc(same));
        }
        __syncwarp();
    }
}

/* The sum of a block's values before a thread's own. */
template <typename T> __device__ __forceinline__ T sum_before(T value, T *sums, T &all)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T upto = value, before = 0;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const T left = __shfl_up_sync(~0u, upto, d);
        upto += lane >= d ? left : 0;
    }
    if (lane == 31) {
        sums[warp] = upto;
    }
    __syncthreads();
    all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? sums[w] : 0;
        all += sums[w];
    }
    return before + upto - value;
}

/* Thread b has bucket b: `total` of its ids in all blocks begin at `begin`, the next bucket at
 * `end`. */
template <typename I>
__device__ __forceinline__ void write_bucket(const index_args<I> &a, unsigned b, unsigned begin,
                                             unsigned total, unsigned end)
{
    if (blockIdx.x == 0) {
        if (a.offsets != nullptr) {
            a.offsets[b] = begin;
        }
        if (a.counts != nullptr) {
            a.counts[b] = total;
        }
    }
    if (b % gridDim.x == blockIdx.x) {
        for (unsigned at = begin + total; at < end; at++) {
            a.index[at] = static_cast<I>(a.n);
        }
    }
}

/* Publishes the block's counts, `mine` of bucket threadIdx.x, waits for those of all blocks, and
 * adds them up by columns: a field of 16 bits holds what a group of blocks counts. */
template <typename I>
__device__ __forceinline__ void exchange(const index_args<I> &a, index_shared &s, unsigned mine,
                                         uint64_t number)
{
    constexpr unsigned looks = (BLOCKS + GROUPS - 1) / GROUPS;
    static_assert(looks * BLOCK_IDS < 1 << 16 && BLOCK_IDS < 1 << 16, "a field holds the counts");
    if (threadIdx.x < BUCKETS) {
        s.begin[threadIdx.x] = mine;
    }
    __syncthreads();
    if (threadIdx.x < COLUMNS) {
        const unsigned *four = s.begin + 4 * threadIdx.x;
        usw_node_publish(a.nodes + blockIdx.x * COLUMNS + threadIdx.x,
                         uint64_t(four[3]) << 48 | uint64_t(four[2]) << 32 |
                             uint64_t(four[1]) << 16 | four[0],
                         number);
    }
    const unsigned column = threadIdx.x % COLUMNS, group = threadIdx.x / COLUMNS;
    usw_node x[looks];
    bool there;
    do {
        usw_yield();
        there = true;
#pragma unroll
        for (unsigned l = 0; l < looks; l++) {
            const unsigned block = l * GROUPS + group;
            x[l] = usw_tagged_look_back(
                a.nodes + (block < gridDim.x ? block : blockIdx.x) * COLUMNS + column);
        }
#pragma unroll
        for (unsigned l = 0; l < looks; l++) {
            there = there && x[l].state == number;
        }
    } while (!there);
    uint64_t lower = 0, total = 0;
#pragma unroll
    for (unsigned l = 0; l < looks; l++) {
        const unsigned block = l * GROUPS + group;
        total += block < gridDim.x ? x[l].value : 0;
        lower += block < blockIdx.x ? x[l].value : 0;
    }
#pragma unroll
    for (unsigned f = 0; f < 4; f++) {
        s.lower[group][4 * column + f] = static_cast<unsigned>(lower >> 16 * f & 0xffff);
        s.total[group][4 * column + f] = static_cast<unsigned>(total >> 16 * f & 0xffff);
    }
    __syncthreads();
}

template <typename I>
__global__ void __launch_bounds__(tuning::threads) usw_index_few(const index_args<I> a)
{
    USW_SHARED(index_shared, s);
    static_assert(unsigned(BUCKETS) <= tuning::threads, "a thread a bucket");
    const uint64_t number = gridDim.x > 1 ? usw_load_relaxed(a.last) + 1 : 0;
    const unsigned b = threadIdx.x, warp = threadIdx.x / 32;
    for (unsigned i = threadIdx.x; i < WARPS * BUCKETS; i += tuning::threads) {
        s.warp[i / BUCKETS][i % BUCKETS] = 0;
    }
    uint32_t id[tuning::items];
    unsigned before[tuning::items], mine = 0, lower = 0, total;
    load_ids(a, id);
    __syncthreads();
    count_ids(id, before, s.warp[warp]);
    __syncthreads();
    if (b < BUCKETS) {
#pragma unroll
        for (unsigned w = 0; w < WARPS; w++) {
            const unsigned here = s.warp[w][b];
            s.warp[w][b] = static_cast<uint16_t>(mine);
            mine += here;
        }
    }
    total = mine;
    if (gridDim.x > 1) {
        exchange(a, s, mine, number);
        total = 0;
        for (unsigned g = 0; g < GROUPS && b < BUCKETS; g++) {
            lower += s.lower[g][b];
            total += s.total[g][b];
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) { /* all blocks have read the last number */
            usw_store_relaxed(a.last, number);
        }
    }
    unsigned all;
    total = b < a.count ? total : 0;
    const unsigned room = whole(total, static_cast<unsigned>(a.multiple));
    const unsigned begin = sum_before(room, s.sums, all);
    if (b < a.count) {
        s.begin[b] = begin + lower;
        write_bucket(a, b, begin, total, begin + room);
    }
    __syncthreads();
    const uint64_t first = (blockIdx.x * uint64_t(WARPS) + warp) * 32 * tuning::items;
#pragma unroll
    for (unsigned i = 0; i < tuning::items; i++) {
        if (id[i] != ~0u) {
            a.index[s.begin[id[i]] + s.warp[warp][id[i]] + before[i]] =
                static_cast<I>(first + 32 * i + threadIdx.x % 32);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && a.offsets != nullptr) {
        a.offsets[a.count] = all;
    }
    for (uint64_t at = all + blockIdx.x * uint64_t(tuning::threads) + threadIdx.x; at < a.room;
         at += gridDim.x * uint64_t(tuning::threads)) {
        a.index[at] = static_cast<I>(a.n);
    }
}

template <typename I> upsweep_status few_ids(usw_gpu *g, index_args<I> a)
{
    const unsigned blocks = static_cast<unsigned>((a.n + BLOCK_IDS - 1) / BLOCK_IDS);
    usw_node *nodes = static_cast<usw_node *>(g->nodes); /* node 0 counts; a plan has none */
    if (nodes != nullptr) {
        static_assert((BLOCKS * COLUMNS + 1) * sizeof(usw_node) <= USW_GPU_NODE_BYTES, "room");
        a.nodes = nodes + 1;
        a.last = &nodes->value;
    }
    return blocks > 1 ? USW_LAUNCH_COOPERATIVE(g, usw_index_few<I>, blocks, tuning::threads, 0, a)
                      : USW_LAUNCH(g, usw_index_few<I>, 1, tuning::threads, 0, a);
}

/* ---- many ids ---- */

/* to[i] = first + i step. */
template <typename I>
__global__ void __launch_bounds__(tuning::threads) fill(I *to, uint64_t n, I first, I step)
{
    for (uint64_t i = blockIdx.x * uint64_t(tuning::threads) + threadIdx.x; i < n;
         i += gridDim.x * uint64_t(tuning::threads)) {
        to[i] = static_cast<I>(first + i * step);
    }
}

/* One block turns offsets without gaps into those with, in to, and counts. */
__global__ void __launch_bounds__(tuning::threads)
    make_gaps(const uint64_t *offsets, uint64_t count, uint64_t multiple, uint64_t *to,
              uint64_t *callers, uint64_t *counts)
{
    USW_SHARED_ARRAY(uint64_t, sums, [WARPS]);
    uint64_t at = 0, all;
    for (uint64_t first = 0; first < count; first += tuning::threads) {
        const uint64_t b = first + threadIdx.x;
        const uint64_t here = b < count ? offsets[b + 1] - offsets[b] : 0;
        const uint64_t begin = at + sum_before(whole(here, multiple), sums, all);
        if (b < count) {
            to[b] = begin;
            if (callers != nullptr) {
                callers[b] = begin;
            }
            if (counts != nullptr) {
                counts[b] = here;
            }
        }
        at += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        to[count] = at;
        if (callers != nullptr) {
            callers[count] = at;
        }
    }
}

template <typename I>
__global__ void __launch_bounds__(tuning::threads)
    spread(const index_args<I> a, const I *positions, const uint64_t *from, const uint64_t *to)
{
    for (uint64_t i = blockIdx.x * uint64_t(tuning::threads) + threadIdx.x; i < a.n;
         i += gridDim.x * uint64_t(tuning::threads)) {
        const uint64_t position = positions[i];
        const uint32_t id = position < a.n ? id_at(a, position) : ~0u;
        if (id < a.count) { /* it is not where an id was out of range */
            const uint64_t at = to[id] + (i - from[id]);
            if (at < a.room) {
                a.index[at] = static_cast<I>(position);
            }
        }
    }
}

template <typename I> upsweep_status many_ids(usw_gpu *g, const index_args<I> &a)
{
    const uint64_t n = a.n > 0 ? a.n : 1;
    I *numbers = static_cast<I *>(usw_gpu_scratch(g, n * sizeof(I)));
    I *positions = static_cast<I *>(usw_gpu_scratch(g, n * sizeof(I)));
    uint64_t *from = static_cast<uint64_t *>(usw_gpu_scratch(g, (a.count + 1) * sizeof *from));
    uint64_t *to = static_cast<uint64_t *>(usw_gpu_scratch(g, (a.count + 1) * sizeof *to));
    if (g->status != UPSWEEP_OK) {
        return g->status;
    }
    const auto grid = [&](uint64_t elements) {
        const uint64_t blocks = (elements + tuning::threads - 1) / tuning::threads;
        const uint64_t most = uint64_t(g->sms) * 8;
        return static_cast<unsigned>(blocks == 0 ? 1 : blocks < most ? blocks : most);
    };
    USW_LAUNCH(g, fill<I>, grid(a.n), tuning::threads, 0, numbers, a.n, I(0), I(1));
    usw_buckets b = {};
    b.count = static_cast<uint32_t>(a.count);
    b.key_bytes = size_t(1) << a.id_width;
    upsweep_status status =
        a.n == 0 ? usw_gpu_fill(g, from, 0, (a.count + 1) * sizeof *from)
                 : usw_histogram_cuda.split(g, &b, numbers, a.ids, a.id_width, a.count, positions,
                                            a.n, sizeof(I), from);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_LAUNCH(g, make_gaps, 1, tuning::threads, 0, from, a.count, a.multiple, to, a.offsets,
               a.counts);
    USW_LAUNCH(g, fill<I>, grid(a.room), tuning::threads, 0, a.index, a.room, static_cast<I>(a.n),
               I(0));
    return USW_LAUNCH(g, spread<I>, grid(a.n), tuning::threads, 0, a, positions, from, to);
}

/* ---- the whole ---- */

template <typename I> upsweep_status split_as(usw_gpu *g, const usw_gpu_split_index *s)
{
    index_args<I> a = {};
    a.ids = s->ids;
    a.id_width = s->id_width;
    a.count = s->count;
    a.n = s->n;
    a.multiple = s->multiple;
    a.room = s->room;
    a.index = static_cast<I *>(s->index);
    a.offsets = s->offsets;
    a.counts = s->counts;
    a.fault = g->fault;
    /* Offsets of few ids are numbers of 32 bits. */
    return s->n <= tuning::few_ids && s->count <= BUCKETS && s->multiple <= 1 << 16
               ? few_ids(g, a)
               : many_ids(g, a);
}

upsweep_status split(usw_gpu *g, const usw_gpu_split_index *s)
{
    return s->index_bytes == 4 ? split_as<uint32_t>(g, s) : split_as<uint64_t>(g, s);
}

} // namespace

USW_GPU_FORM(usw_gpu_index_step, usw_split_index_cuda) = {split};

/* top_rows.cu - the k best keys of each of many rows.
 *
 * Idea     Numbers of key and position (gpu/selection/top_limit.cuh) all differ, so that the k least
 *          are what is wanted, in order. A limit that a little more than k numbers do not exceed is
 *          found, those are collected in shared memory, and sorted there.
 *
 *          Up to 1024 keys, k <= 32: a warp a row. The keys are in registers; the limit is the k-th
 *          least of the lanes' least numbers. Where keys stand so that more than 256 do not exceed
 *          it, the best are taken one by one.
 *          Else, k <= 2048 (1024 for keys of 64 bits): a block a row. A row that fits the threads'
 *          registers is counted by digits there. Of a longer one a sample is, one read collects,
 *          and where the sample was wrong the row itself is counted by digits.
 *          Greater k: a copy of the rows is sorted (gpu/short_sort), and the best are copied. Few very
 *          long rows of one length: one after another, each by all blocks (select.cu, `top_k`).
 *
 * Traffic  each key is read once and, of long rows, 4096 keys a row twice; k keys and positions are
 *          written. Sorted rows: two reads and two writes, and the positions. */
/* SPDX-License-Identifier: MIT */
#include "gpu/row_list.cuh"
#include "gpu/selection/top_limit.cuh"
#include "gpu/sort_choice.cuh"

#include <type_traits>

extern "C" {
extern const usw_gpu_select_step usw_select_cuda;
}

namespace
{

struct tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned threads = 64;
#else
    static constexpr unsigned threads = 512; /* of a block that takes a row; or twice as many */
#endif
    static constexpr unsigned warp_threads = 128; /* of a block whose warps take rows */
    static constexpr unsigned warp_items = 32;    /* keys of a lane */
    static constexpr unsigned warp_best = 32;     /* k at most */
    static constexpr unsigned warp_room = 256;    /* numbers that a warp sorts */
    static constexpr unsigned held = 8;           /* numbers of a thread's registers: a sample */
    static constexpr unsigned load_vectors = 4;   /* that a thread has on their way at once */
};
constexpr unsigned WARP_ROW = 32 * tuning::warp_items;

/* Numbers of a thread that its block can sort; k is at most half of what the block sorts. */
template <typename E> constexpr unsigned ITEMS = sizeof(E) == 16 ? 4 : 8;

template <typename K> struct top_args {
    const K *keys;
    usw_row_list rows;
    uint64_t k;
    usw_gpu_keymap<K> map;
    K *out;
    void *index; /* or NULL */
    unsigned index_bytes;
};

template <typename K>
__device__ __forceinline__ void put(const top_args<K> &a, uint64_t at, K key, uint64_t position)
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
__device__ __forceinline__ void fill_rest(const top_args<K> &a, uint64_t row, uint64_t have,
                                          unsigned thread, unsigned threads)
{
    for (uint64_t j = have + thread; j < a.k; j += threads) {
        put(a, row * a.k + j, K(0), ~uint64_t(0));
    }
}

/* ---- a warp a row ---- */

template <typename E> __device__ __forceinline__ E from_lane(E v, unsigned lane)
{
    if constexpr (sizeof(E) == 16) {
        const uint64_t high = __shfl_sync(~0u, static_cast<uint64_t>(v >> 64), int(lane));
        const uint64_t low = __shfl_sync(~0u, static_cast<uint64_t>(v), int(lane));
        return static_cast<E>(high) << 64 | low;
    } else {
        return __shfl_sync(~0u, v, int(lane));
    }
}

template <typename E> __device__ __forceinline__ E least_of_warp(E v)
{
    for (unsigned d = 16; d > 0; d /= 2) {
        const E other = usw_shuffle_xor(v, d);
        v = other < v ? other : v;
    }
    return v;
}

/* Sorts a warp's buffer of `count` numbers, up to 32 I, and writes the k best. */
template <unsigned I, typename K, typename E>
__device__ __forceinline__ void sort_buffer(const top_args<K> &a, const usw_top_numbers<K, E> &by,
                                            const E *buffer, unsigned count, uint64_t row,
                                            unsigned k)
{
    const unsigned lane = threadIdx.x % 32;
    E x[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        x[i] = lane * I + i < count ? buffer[lane * I + i] : static_cast<E>(~E(0));
    }
    usw_block_sort<E, I>::template sort_lanes<32>(x);
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        if (lane * I + i < k) {
            put(a, row * a.k + lane * I + i, by.key(x[i]), by.position(x[i]));
        }
    }
}

/* A lane's keys of a row, mapped: key i stands at 32 i + lane. */
template <typename K, unsigned items> struct warp_row {
    K x[items];
    unsigned n;

    __device__ __forceinline__ void load(const K *keys, unsigned count,
                                         const usw_gpu_keymap<K> &map)
    {
        n = count;
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            const unsigned j = 32 * i + threadIdx.x % 32;
            x[i] = j < n ? map.map(keys[j]) : K(0);
        }
    }
    template <typename F> __device__ __forceinline__ void each(F f) const
    {
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            const unsigned j = 32 * i + threadIdx.x % 32;
            if (j < n) {
                f(x[i], j);
            }
        }
    }
};

/* Takes the k best one by one, by the least number above the one before. */
template <typename K, typename E, unsigned items>
__device__ __forceinline__ void take_one_by_one(const warp_row<K, items> &mine,
                                                const usw_top_numbers<K, E> &by, unsigned k,
                                                E *buffer)
{
    E last = 0;
    for (unsigned t = 0; t < k; t++) {
        E least = static_cast<E>(~E(0));
        mine.each([&](K mapped, unsigned j) {
            const E number = by.make(mapped, j);
            least = (t == 0 || number > last) && number < least ? number : least;
        });
        last = least_of_warp(least);
        if (threadIdx.x % 32 == 0) {
            buffer[t] = last;
        }
    }
}

template <typename K, typename E, unsigned items>
__device__ __forceinline__ void best_of_warp(const top_args<K> &a, uint64_t row, const K *keys,
                                             unsigned n, E *buffer)
{
    const unsigned lane = threadIdx.x % 32, k = a.k < n ? static_cast<unsigned>(a.k) : n;
    const usw_top_numbers<K, E> by(a.map, n);
    warp_row<K, items> mine;
    mine.load(keys, n, a.map);
    K best = static_cast<K>(~K(0));
    unsigned at = ~0u;
    mine.each([&](K mapped, unsigned j) {
        at = mapped < best || at == ~0u ? j : at;
        best = mapped < best ? mapped : best;
    });
    E least[1] = {at == ~0u ? static_cast<E>(~E(0)) : by.make(best, at)};
    usw_block_sort<E, 1>::template sort_lanes<32>(least);
    const E limit = from_lane(least[0], k - 1);
    unsigned count = 0;
    mine.each([&](K mapped, unsigned j) { count += by.make(mapped, j) <= limit ? 1 : 0; });
    unsigned upto = count;
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned left = __shfl_up_sync(~0u, upto, d);
        upto += lane >= d ? left : 0;
    }
    unsigned all = __shfl_sync(~0u, upto, 31), place = upto - count;
    if (all <= tuning::warp_room) {
        mine.each([&](K mapped, unsigned j) {
            const E number = by.make(mapped, j);
            if (number <= limit) {
                buffer[place++] = number;
            }
        });
    } else {
        take_one_by_one(mine, by, k, buffer);
        all = k;
    }
    __syncwarp();
    if (all <= 32) {
        sort_buffer<1>(a, by, buffer, all, row, k);
    } else if (all <= 64) {
        sort_buffer<2>(a, by, buffer, all, row, k);
    } else {
        sort_buffer<tuning::warp_room / 32>(a, by, buffer, all, row, k);
    }
    __syncwarp();
}

template <typename K, typename E, unsigned items>
__global__ void __launch_bounds__(tuning::warp_threads) usw_top_warps(const top_args<K> a)
{
    constexpr unsigned warps = tuning::warp_threads / 32;
    USW_SHARED_ARRAY(E, buffers, [warps][tuning::warp_room]);
    if (a.rows.bad()) {
        return;
    }
    const size_t step = size_t(gridDim.x) * warps;
    for (size_t r = blockIdx.x * size_t(warps) + threadIdx.x / 32; r < a.rows.rows; r += step) {
        size_t n, at = a.rows.row(r, n);
        if (n > 32 * items) {
            continue;
        }
        if (n > 0) {
            best_of_warp<K, E, items>(a, r, a.keys + at, static_cast<unsigned>(n),
                                      buffers[threadIdx.x / 32]);
        }
        fill_rest(a, r, n, threadIdx.x % 32, 32);
    }
}

/* ---- a block a row ---- */

/* Collects the numbers up to limit, and returns how many there are; those beyond `room` are not
 * kept. each(f) calls f(mapped key, position, there). */
template <typename K, typename E, typename F>
__device__ __forceinline__ unsigned collect(usw_top_shared<E> &s, const usw_top_numbers<K, E> &by,
                                            E limit, E *numbers, unsigned room, F each)
{
    const K most = static_cast<E>(limit >> by.position_bits) > static_cast<E>(static_cast<K>(~K(0)))
                       ? static_cast<K>(~K(0))
                       : by.mapped(limit);
    if (threadIdx.x == 0) {
        s.count = 0;
    }
    __syncthreads();
    each([&](K mapped, uint64_t position, bool there) {
        if (there && mapped <= most) {
            const E number = by.make(mapped, position);
            if (number <= limit) {
                const unsigned place = atomicAdd(&s.count, 1u);
                if (place < room) {
                    numbers[place] = number;
                }
            }
        }
    });
    __syncthreads();
    return s.count;
}

/* Sorts `count` collected numbers where they are, up to I a thread, and writes the k best. */
template <unsigned I, typename K, typename E>
__device__ __forceinline__ void sort_collected(const top_args<K> &a,
                                               const usw_top_numbers<K, E> &by, E *numbers,
                                               unsigned count, uint64_t row, unsigned k)
{
    using sorter = usw_block_sort<E, I>;
    E x[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        const unsigned j = sorter::first(i);
        x[i] = j < count ? numbers[j] : static_cast<E>(~E(0));
    }
    __syncthreads();
    sorter::sort(x, numbers, count);
    for (unsigned j = threadIdx.x; j < k; j += blockDim.x) {
        const E number = numbers[sorter::at(j)];
        put(a, row * a.k + j, by.key(number), by.position(number));
    }
}

/* How many numbers of a sample of `count` keys of n are to be within the limit: what k keys are in
 * it, and four deviations and 8 more, but so few that what they stand for has room. */
__device__ __forceinline__ unsigned sample_rank(uint64_t n, unsigned count, unsigned k,
                                                unsigned room)
{
    const float share = static_cast<float>(count) / static_cast<float>(n);
    const float rank = static_cast<float>(k) * share,
                most = 0.8f * static_cast<float>(room) * share;
    float r = rank + 4.0f * sqrtf(rank) + 8.0f;
    const float least = 0.5f * (rank + most);
    r = r > most ? (least < most ? least : most) : r;
    return r < 1.0f ? 1 : static_cast<unsigned>(r);
}

/* The limit of a row that the threads' registers do not hold, by a sample. */
template <typename K, typename E>
__device__ __forceinline__ E limit_of_sample(usw_top_shared<E> &s, const usw_top_numbers<K, E> &by,
                                             const K *keys, uint64_t n, unsigned k, unsigned room)
{
    E x[tuning::held];
    const unsigned count = blockDim.x * tuning::held;
#pragma unroll
    for (unsigned i = 0; i < tuning::held; i++) {
        const uint64_t at = usw_top_sample_place(n, count, i * blockDim.x + threadIdx.x);
        x[i] = by.make(by.map.map(keys[at]), at);
    }
    const unsigned rank = sample_rank(n, count, k, room);
    return usw_top_limit<E>(
        s,
        [&](auto f) {
#pragma unroll
            for (unsigned i = 0; i < tuning::held; i++) {
                f(x[i], true);
            }
        },
        by.bits(), rank, rank + rank / 8);
}

template <typename K, typename E>
__device__ __forceinline__ unsigned collect_short(usw_top_shared<E> &s,
                                                  const usw_top_numbers<K, E> &by, const K *keys,
                                                  uint64_t n, unsigned k, E *numbers, unsigned room)
{
    K x[tuning::held];
    const unsigned count = static_cast<unsigned>(n);
#pragma unroll
    for (unsigned i = 0; i < tuning::held; i++) {
        const unsigned j = i * blockDim.x + threadIdx.x;
        x[i] = j < count ? by.map.map(keys[j]) : K(0);
    }
    const auto each = [&](auto f) {
#pragma unroll
        for (unsigned i = 0; i < tuning::held; i++) {
            const unsigned j = i * blockDim.x + threadIdx.x;
            f(x[i], uint64_t(j), j < count);
        }
    };
    E limit = static_cast<E>(~E(0));
    const unsigned few = k + k / 4 > blockDim.x ? k + k / 4 : blockDim.x;
    if (count > 2 * blockDim.x) {
        const auto numbers_of = [&](auto f) {
            each([&](K mapped, uint64_t j, bool there) { f(by.make(mapped, j), there); });
        };
        limit = usw_top_limit<E>(s, numbers_of, by.bits(), k, few < room ? few : room);
    }
    return collect(s, by, limit, numbers, room, each);
}

template <typename K, typename E>
__device__ __forceinline__ unsigned collect_long(usw_top_shared<E> &s,
                                                 const usw_top_numbers<K, E> &by, const K *keys,
                                                 uint64_t n, unsigned k, E *numbers, unsigned room)
{
    const auto each = [&](auto f) {
        usw_top_each_key<tuning::load_vectors>(
            keys, n, threadIdx.x, blockDim.x,
            [&](K key, uint64_t position, bool there) { f(by.map.map(key), position, there); });
    };
    const E guess = limit_of_sample(s, by, keys, n, k, room);
    unsigned count = collect(s, by, guess, numbers, room, each);
    if (count < k || count > room) {
        __syncthreads();
        const auto numbers_of = [&](auto f) {
            each([&](K mapped, uint64_t j, bool there) { f(by.make(mapped, j), there); });
        };
        const E limit = usw_top_limit<E>(s, numbers_of, by.bits(), k, room);
        count = collect(s, by, limit, numbers, room, each);
    }
    return count;
}

template <typename K, typename E>
__global__ void __launch_bounds__(2 * tuning::threads) usw_top_blocks(const top_args<K> a)
{
    USW_DYNAMIC_SHARED(E, numbers);
    USW_SHARED(usw_top_shared<E>, s);
    if (a.rows.bad()) {
        return;
    }
    const unsigned room = blockDim.x * ITEMS<E>;
    const size_t rows = a.rows.longs();
    for (size_t i = blockIdx.x; i < rows; i += gridDim.x) {
        const size_t row = a.rows.long_row(i);
        size_t n, at = a.rows.row(row, n);
        const unsigned k = static_cast<unsigned>(a.k < n ? a.k : n);
        if (n > 0) {
            const usw_top_numbers<K, E> by(a.map, n);
            const unsigned count = n <= size_t(blockDim.x) * tuning::held
                                       ? collect_short(s, by, a.keys + at, n, k, numbers, room)
                                       : collect_long(s, by, a.keys + at, n, k, numbers, room);
            if (count <= 2 * blockDim.x) {
                sort_collected<2>(a, by, numbers, count, row, k);
            } else {
                sort_collected<ITEMS<E>>(a, by, numbers, count, row, k);
            }
        }
        fill_rest(a, row, n, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

/* ---- sorted rows ---- */

template <typename K>
__global__ void __launch_bounds__(256) copy_best(const top_args<K> a, const void *index, uint64_t n)
{
    const uint64_t places = a.rows.rows * a.k;
    for (uint64_t p = blockIdx.x * uint64_t(256) + threadIdx.x; p < places;
         p += gridDim.x * uint64_t(256)) {
        const uint64_t row = p / a.k, j = p % a.k;
        size_t count, at = a.rows.row(row, count);
        if (at + count > n || count > n) {
            continue; /* the offsets are bad */
        }
        uint64_t position = ~uint64_t(0);
        if (j < count && index != nullptr) {
            position = a.index_bytes == 4 ? static_cast<const uint32_t *>(index)[at + j]
                                          : static_cast<const uint64_t *>(index)[at + j];
        }
        put(a, p, j < count ? a.keys[at + j] : K(0), position);
    }
}

template <typename K>
upsweep_status by_sorting(usw_gpu *g, const usw_gpu_top *t, const top_args<K> &args)
{
    top_args<K> a = args;
    usw_gpu_rows r = {};
    r.keys = usw_gpu_scratch(g, t->n * sizeof(K));
    r.index = t->index == nullptr ? nullptr : usw_gpu_scratch(g, t->n * t->index_bytes);
    r.begin = t->begin;
    r.rows = t->rows;
    r.row_keys = t->row_keys;
    r.n = t->n;
    r.width = t->width;
    r.map = t->map;
    r.index_bytes = t->index_bytes;
    if (g->status != UPSWEEP_OK) {
        return g->status;
    }
    upsweep_status status =
        t->n == 0 ? UPSWEEP_OK : usw_gpu_copy(g, r.keys, t->keys, t->n * sizeof(K));
    if (status == UPSWEEP_OK && t->n > 0) {
        status = usw_gpu_sort_rows(g, &r);
    }
    a.keys = static_cast<const K *>(r.keys);
    a.rows = {t->begin, t->rows, t->row_keys, nullptr, nullptr};
    const uint64_t blocks = (t->rows * t->k + 255) / 256, most = uint64_t(g->sms) * 16;
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, copy_best<K>, static_cast<unsigned>(blocks < most ? blocks : most),
                            256, 0, a, r.index, t->n);
}

/* ---- few long rows, one after another ---- */

/* Whether that is faster than a block a row: a block reads `block` bytes a nanosecond, all of them
 * together `all`, and a call takes `call` nanoseconds beside. */
bool rows_are_few(const usw_gpu_top *t)
{
#ifdef USW_EMULATE
    return t->begin == nullptr && t->rows <= 2 && t->row_keys >= 4000;
#else
    constexpr double block = 60, all = 3500, call = 40000;
    const double bytes = static_cast<double>(t->row_keys) * static_cast<double>(1u << t->width);
    return t->begin == nullptr && t->rows <= 16 &&
           bytes / block > static_cast<double>(t->rows) * (call + bytes / all);
#endif
}

__global__ void __launch_bounds__(256) narrow(const uint64_t *from, uint32_t *to, uint64_t n)
{
    for (uint64_t i = blockIdx.x * uint64_t(256) + threadIdx.x; i < n;
         i += gridDim.x * uint64_t(256)) {
        to[i] = static_cast<uint32_t>(from[i]);
    }
}

upsweep_status one_by_one(usw_gpu *g, const usw_gpu_top *t)
{
    const bool narrower = t->index != nullptr && t->index_bytes == 4;
    const uint64_t places = t->rows * t->k;
    uint64_t *index = static_cast<uint64_t *>(
        narrower ? usw_gpu_scratch(g, places * sizeof(uint64_t)) : t->index);
    upsweep_status status = g->status;
    for (size_t r = 0; r < t->rows && status == UPSWEEP_OK; r++) {
        usw_gpu_sort s = {};
        s.keys = static_cast<char *>(const_cast<void *>(t->keys)) + ((r * t->row_keys) << t->width);
        s.n = t->row_keys;
        s.width = t->width;
        s.map = t->map;
        s.bit_end = t->map.bits;
        status = usw_select_cuda.top_k(g, &s, t->k,
                                       static_cast<char *>(t->out) + ((r * t->k) << t->width),
                                       index == nullptr ? nullptr : index + r * t->k);
    }
    const uint64_t blocks = (places + 255) / 256, most = uint64_t(g->sms) * 8;
    return narrower && status == UPSWEEP_OK
               ? USW_LAUNCH(g, narrow, static_cast<unsigned>(blocks < most ? blocks : most), 256, 0,
                            index, static_cast<uint32_t *>(t->index), places)
               : status;
}

/* ---- the whole ---- */

template <typename K, typename E>
upsweep_status launch_warps(usw_gpu *g, const top_args<K> &a, size_t longest)
{
    constexpr unsigned warps = tuning::warp_threads / 32;
    const size_t blocks = (a.rows.rows + warps - 1) / warps, most = size_t(g->sms) * 32;
    const unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
    return longest <= WARP_ROW / 4 ? USW_LAUNCH(g, (usw_top_warps<K, E, tuning::warp_items / 4>),
                                                grid, tuning::warp_threads, 0, a)
                                   : USW_LAUNCH(g, (usw_top_warps<K, E, tuning::warp_items>), grid,
                                                tuning::warp_threads, 0, a);
}

/* Twice the threads where rows are few, or where their registers then hold a row. */
template <typename K, typename E> upsweep_status launch_blocks(usw_gpu *g, const top_args<K> &a)
{
    const bool fixed = a.rows.begin == nullptr;
    const size_t held = size_t(tuning::threads) * tuning::held;
    const bool twice =
        a.rows.rows <= g->sms || (fixed && a.rows.length > held && a.rows.length <= 2 * held);
    const unsigned threads = twice ? 2 * tuning::threads : tuning::threads;
    const size_t bytes = usw_block_sort<E, 2>::padded(threads * ITEMS<E>) * sizeof(E);
    const size_t fits = g->shared_bytes / (bytes + 4096), by_threads = 2048 / threads;
    const size_t each = fits < by_threads ? (fits > 0 ? fits : 1) : by_threads;
    const size_t full = g->sms * each;
    return USW_LAUNCH(g, (usw_top_blocks<K, E>),
                      static_cast<unsigned>(a.rows.rows < full ? a.rows.rows : full), threads,
                      bytes, a);
}

template <typename K, typename E>
upsweep_status by_numbers(usw_gpu *g, const usw_gpu_top *t, top_args<K> a)
{
    const bool warps = t->k <= tuning::warp_best;
    const bool fixed = t->begin == nullptr;
    if (!usw_rows_take(g, t->begin, t->rows, t->row_keys, t->n, warps ? WARP_ROW + 1 : 0,
                       &a.rows)) {
        return g->status;
    }
    upsweep_status status = UPSWEEP_OK;
    if (warps && (!fixed || t->row_keys <= WARP_ROW)) {
        status = launch_warps<K, E>(g, a, fixed ? t->row_keys : WARP_ROW);
    }
    const bool longs = fixed ? !warps || t->row_keys > WARP_ROW : !warps || t->n > WARP_ROW;
    return status == UPSWEEP_OK && longs ? launch_blocks<K, E>(g, a) : status;
}

/* k at most of rows that are not sorted whole. */
template <typename E> constexpr size_t MOST = size_t(tuning::threads) * ITEMS<E> / 2;

upsweep_status rows_best(usw_gpu *g, const usw_gpu_top *t)
{
    if (rows_are_few(t)) {
        return one_by_one(g, t);
    }
    return usw_gpu_by_width(t->width, [&](auto key) {
        using K = decltype(key);
        top_args<K> a = {};
        a.keys = static_cast<const K *>(t->keys);
        a.k = t->k;
        a.map = usw_gpu_keymap_of<K>(t->map);
        a.out = static_cast<K *>(t->out);
        a.index = t->index;
        a.index_bytes = t->index == nullptr ? 0 : static_cast<unsigned>(t->index_bytes);
        using E = std::conditional_t<sizeof(K) == 8, usw_u128, uint64_t>;
        if (sizeof(K) < 8 && (t->begin == nullptr ? t->row_keys : t->n) > 0xffffffff) {
            return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                                "rows of this type may have 2^32 - 1 keys on the GPU");
        }
        return t->k > MOST<E> ? by_sorting<K>(g, t, a) : by_numbers<K, E>(g, t, a);
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_top_step, usw_top_rows_cuda) = {rows_best};

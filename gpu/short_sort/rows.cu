/* rows.cu - many rows of keys, each sorted on its own.
 *
 * Idea     A row of up to 512 keys is sorted by a warp, or by so many lanes of it as it needs, 32
 *          rows of up to 8 keys side by side. Of up to 8192 by a block of 2 to 16 warps
 *          (gpu/block/sort_network.cuh). Longer ones by all blocks together, tile by tile
 * (gpu/short_sort/long_rows.cuh). No
 *          step depends on the keys. Rows of fixed length that are very long are sorted one after
 *          another, each as if it were the only one (gpu/sort_choice.cu).
 *
 * Shape    rows of fixed length: one kernel. Rows by offsets: these are checked; the warps take the
 *          short rows and list the others by length; one kernel for each of the four lists, one for
 *          long rows. What a kernel finds to do is decided on the device.
 *
 * Traffic  rows of up to 8192 keys: read once, written once; longer ones once more for each
 *          doubling. Where all rows are of numbers wider than 8 bytes (index with keys of 8) the
 *          lengths are half of these.
 */
/* SPDX-License-Identifier: MIT */
#include "gpu/short_sort/long_rows.cuh"
#include "gpu/sort_choice.cuh"

/* ---- the offsets ---- */

static __global__ void __launch_bounds__(256)
    usw_rows_check(const uint64_t *begin, size_t rows, size_t n, rows_control *control,
                   unsigned long long *fault)
{
    for (size_t r = blockIdx.x * size_t(256) + threadIdx.x; r < rows;
         r += gridDim.x * size_t(256)) {
        const uint64_t from = begin[r], to = begin[r + 1];
        if (from > to || to > n) {
            usw_gpu_fault(fault, USW_FAULT_ROWS, r);
            control->bad = 1;
        }
    }
}

/* ---- short rows: a few lanes, or a warp, a row ---- */

/* A warp's part of shared memory. */
template <typename K, bool indexed> struct rows_warp_buffer {
    using numbers = rows_number<K, indexed>;
    alignas(16) typename numbers::type number[numbers::sorter::padded(numbers::warp_max)];
    uint64_t at[32]; /* of the rows of one class */
    unsigned count[32];
};

/* Sorts rows [first, rows) of the buffer's, those that fit side by side, in `lanes` lanes each, a
 * power of two, I keys a lane. */
template <typename K, bool indexed, unsigned I>
__device__ __forceinline__ void sort_beside(const rows_args<K> &a,
                                            rows_warp_buffer<K, indexed> &buffer, unsigned first,
                                            unsigned rows, unsigned lanes)
{
    using numbers = rows_number<K, indexed>;
    using E = typename numbers::type;
    using sorter = usw_block_sort<E, I>;
    const unsigned lane = threadIdx.x % 32, r = first + lane / lanes;
    const unsigned count = r < rows ? buffer.count[r] : 0;
    const K *keys = a.keys + (r < rows ? buffer.at[r] : 0);
    E x[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        const unsigned j = lanes * i + lane % lanes;
        x[i] = j < count ? numbers::make(a.map.map(keys[j]), j) : static_cast<E>(~E(0));
    }
    sorter::sort_thread(x);
    if (lanes > 1) {
        sorter::template merge_lanes<1>(x);
    }
    if (lanes > 2) {
        sorter::template merge_lanes<2>(x);
    }
    if (lanes > 4) {
        sorter::template merge_lanes<4>(x);
    }
    if (lanes > 8) {
        sorter::template merge_lanes<8>(x);
    }
    if (lanes > 16) {
        sorter::template merge_lanes<16>(x);
    }
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        buffer.number[sorter::at(lane * I + i)] = x[i];
    }
    __syncwarp();
    const unsigned each = lanes * I;
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        const unsigned p = 32 * i + lane, row = first + p / each, j = p & (each - 1);
        if (row < rows && j < buffer.count[row]) {
            rows_store<K, indexed>(a, buffer.at[row] + j, buffer.number[sorter::at(p)]);
        }
    }
    __syncwarp();
}

/* The lanes' rows of more than `above` keys, up to `most`. */
template <typename K, bool indexed, unsigned I>
__device__ __forceinline__ void sort_class(const rows_args<K> &a,
                                           rows_warp_buffer<K, indexed> &buffer, uint64_t at,
                                           uint64_t count, unsigned above, unsigned lanes)
{
    const bool mine = count > above && count <= lanes * I;
    const unsigned lane = threadIdx.x % 32, all = __ballot_sync(~0u, mine);
    const unsigned rows = static_cast<unsigned>(__popc(all));
    if (rows == 0) {
        return;
    }
    if (mine) {
        const unsigned place = static_cast<unsigned>(__popc(all & ((1u << lane) - 1)));
        buffer.at[place] = at;
        buffer.count[place] = static_cast<unsigned>(count);
    }
    __syncwarp();
    for (unsigned first = 0; first < rows; first += 32 / lanes) {
        sort_beside<K, indexed, I>(a, buffer, first, rows, lanes);
    }
}

template <typename K, bool indexed>
__device__ __forceinline__ void list_row(const rows_args<K> &a, uint64_t row, uint64_t at,
                                         uint64_t count)
{
    using numbers = rows_number<K, indexed>;
    if (count > numbers::tile) {
        const unsigned long long tiles = (count + numbers::tile - 1) / numbers::tile;
        const unsigned long long place =
            atomicAdd(&a.control->long_rows, static_cast<unsigned long long>(tiles << 32 | 1));
        a.long_list[place & 0xffffffff] = {at, count, place >> 32};
        atomicMax(&a.control->longest, tiles);
    } else if (count > numbers::warp_max) {
        unsigned k = 0;
        while (count > size_t(numbers::warp_max * rows_tuning::block_warps) << k) {
            k++;
        }
        a.list[k][atomicAdd(&a.control->listed[k], 1u)] = row;
    }
}

template <typename K, bool indexed>
__global__ void __launch_bounds__(rows_tuning::warp_threads)
    usw_rows_warps(const __grid_constant__ rows_args<K> a)
{
    using numbers = rows_number<K, indexed>;
    constexpr unsigned warps = rows_tuning::warp_threads / 32,
                       few = numbers::items < 8 ? numbers::items : 8;
    using buffer_type = rows_warp_buffer<K, indexed>;
    USW_SHARED_ARRAY(buffer_type, buffers, [warps]);
    buffer_type &buffer = buffers[threadIdx.x / 32];
    if (a.begin != nullptr && a.control->bad != 0) {
        return;
    }
    const unsigned lane = threadIdx.x % 32;
    const size_t step = static_cast<size_t>(gridDim.x) * warps * a.chunk;
    for (size_t base = (blockIdx.x * size_t(warps) + threadIdx.x / 32) * a.chunk; base < a.rows;
         base += step) {
        size_t count = 0, at = 0;
        if (lane < a.chunk && base + lane < a.rows) {
            at = a.row(base + lane, count);
            list_row<K, indexed>(a, base + lane, at, count);
        }
        unsigned above = indexed ? 0 : 1; /* of a row of one key only the index is written */
        for (unsigned lanes = 1; lanes <= 32; lanes *= 2) {
            sort_class<K, indexed, few>(a, buffer, at, count, above, lanes);
            above = lanes * few;
        }
        if constexpr (numbers::items > few) {
            sort_class<K, indexed, numbers::items>(a, buffer, at, count, above, 32);
        }
    }
}

/* ---- longer rows: a block a row ---- */

/* Blocks of any class have 64 registers a thread, so one kernel serves all of them. */
template <typename K, bool indexed>
__global__ void __launch_bounds__(rows_tuning::long_threads, 1024 / rows_tuning::long_threads)
    usw_rows_block(const __grid_constant__ rows_args<K> a, unsigned list)
{
    using numbers = rows_number<K, indexed>;
    using E = typename numbers::type;
    using sorter = typename numbers::sorter;
    constexpr unsigned I = numbers::items;
    USW_DYNAMIC_SHARED(E, shared);
    const size_t rows = a.begin == nullptr ? a.rows : a.control->listed[list];
    for (size_t r = blockIdx.x; r < rows; r += gridDim.x) {
        size_t n, at = a.row(a.begin == nullptr ? r : a.list[list][r], n);
        const unsigned count = static_cast<unsigned>(n);
        const K *keys = a.keys + at;
        E x[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            const unsigned j = sorter::first(i);
            x[i] = j < count ? numbers::make(a.map.map(keys[j]), j) : static_cast<E>(~E(0));
        }
        sorter::sort(x, shared, count);
        for (unsigned j = threadIdx.x; j < count; j += blockDim.x) {
            rows_store<K, indexed>(a, at + j, shared[sorter::at(j)]);
        }
        __syncthreads();
    }
}

/* ---- the whole ---- */

/* Queues the kernel for the rows of class k, of which there are `most` at most. */
template <typename K, bool indexed>
static void launch_block(usw_gpu *g, const rows_args<K> &a, unsigned k, size_t most)
{
    using numbers = rows_number<K, indexed>;
    const unsigned threads = 32 * (rows_tuning::block_warps << k);
    const size_t bytes =
        numbers::sorter::padded(threads * numbers::items) * sizeof(typename numbers::type);
    const size_t fits = g->shared_bytes / (bytes + 1024), regs = 1024 / threads;
    const size_t full = g->sms * (fits < regs ? fits : regs);
    USW_LAUNCH(g, (usw_rows_block<K, indexed>), static_cast<unsigned>(most < full ? most : full),
               threads, bytes, a, k);
}

template <typename K, bool indexed> static void launch_long(usw_gpu *g, const rows_args<K> &a)
{
    using numbers = rows_number<K, indexed>;
    constexpr unsigned threads = rows_tuning::long_threads;
    const size_t bytes = numbers::sorter::padded(numbers::tile) * sizeof(typename numbers::type);
    const unsigned each = 2 * (bytes + 2048) <= g->shared_bytes ? 2 : 1;
    USW_LAUNCH_COOPERATIVE(g, (usw_rows_long<K, indexed>), g->sms * each, threads, bytes, a);
}

/* longest: what a row may have. */
template <typename K, bool indexed>
static upsweep_status launch_rows(usw_gpu *g, const rows_args<K> &a, size_t n, size_t longest)
{
    using numbers = rows_number<K, indexed>;
    const bool fixed = a.begin == nullptr;
    if (!fixed || longest <= numbers::warp_max) {
        constexpr unsigned warps = rows_tuning::warp_threads / 32;
        const size_t blocks = (a.rows + size_t(warps) * a.chunk - 1) / (size_t(warps) * a.chunk);
        const size_t most = size_t(g->sms) * 16;
        USW_LAUNCH(g, (usw_rows_warps<K, indexed>),
                   static_cast<unsigned>(blocks < most ? blocks : most), rows_tuning::warp_threads,
                   0, a);
    }
    for (unsigned k = 0; k < rows_tuning::classes; k++) {
        const size_t up_to = size_t(numbers::warp_max * rows_tuning::block_warps) << k;
        const size_t above = k == 0 ? size_t(numbers::warp_max) : up_to / 2;
        if (longest <= above || (fixed && longest > up_to)) {
            continue;
        }
        const size_t rows = fixed || n / above > a.rows ? a.rows : n / above;
        launch_block<K, indexed>(g, a, k, rows);
    }
    if (longest > numbers::tile) {
        launch_long<K, indexed>(g, a);
    }
    return g->status;
}

/* Rows of fixed length, one after another. */
static upsweep_status rows_by_machine(usw_gpu *g, const usw_gpu_rows *r)
{
    upsweep_status status = UPSWEEP_OK;
    size_t key_bytes = size_t(1) << r->width;
    for (size_t i = 0; i < r->rows && status == UPSWEEP_OK; i++) {
        void *keys = static_cast<char *>(r->keys) + i * r->row_keys * key_bytes;
        if (r->index == nullptr) {
            usw_gpu_sort s = {keys,           r->row_keys, r->width, r->map, 0,
                              8u << r->width, false,       false,    nullptr};
            status = usw_gpu_sort_keys(g, &s);
        } else {
            void *index = static_cast<char *>(r->index) + i * r->row_keys * r->index_bytes;
            usw_gpu_pairs p = {keys,        keys,     nullptr, index, r->index_bytes,
                               r->row_keys, r->width, r->map,  0,     8u << r->width,
                               true};
            status = usw_gpu_sort_pairs(g, &p);
        }
    }
    return status;
}

/* Scratch of rows by offsets: the lists. False: there is none. */
template <typename K, bool indexed> static bool take_lists(usw_gpu *g, rows_args<K> &a, size_t n)
{
    using numbers = rows_number<K, indexed>;
    a.control = static_cast<rows_control *>(usw_gpu_scratch(g, sizeof *a.control));
    for (unsigned k = 0; k < rows_tuning::classes; k++) {
        const size_t above = k == 0 ? size_t(numbers::warp_max) : size_t(numbers::warp_max) << k;
        const size_t rows = n / above < a.rows ? n / above : a.rows;
        a.list[k] = static_cast<uint64_t *>(usw_gpu_scratch(g, rows * sizeof(uint64_t)));
    }
    const size_t long_rows = n / numbers::tile < a.rows ? n / numbers::tile : a.rows;
    a.long_list =
        static_cast<rows_long_row *>(usw_gpu_scratch(g, long_rows * sizeof(rows_long_row)));
    return g->status == UPSWEEP_OK;
}

template <typename K, bool indexed>
static upsweep_status sort_by_lengths(usw_gpu *g, const usw_gpu_rows *r, rows_args<K> a)
{
    const size_t longest = r->begin == nullptr ? r->row_keys : r->n;
    if (longest > rows_number<K, indexed>::tile) {
        a.keys_tmp = static_cast<K *>(usw_gpu_scratch(g, r->n * sizeof(K)));
        a.index_tmp = indexed ? usw_gpu_scratch(g, r->n * a.index_bytes) : nullptr;
    }
    if (r->begin != nullptr && take_lists<K, indexed>(g, a, r->n)) {
        const size_t blocks = r->rows / 256 + 1, most = size_t(g->sms) * 8;
        usw_gpu_fill(g, a.control, 0, sizeof *a.control);
        USW_LAUNCH(g, usw_rows_check, static_cast<unsigned>(blocks < most ? blocks : most), 256, 0,
                   r->begin, r->rows, r->n, a.control, g->fault);
    }
    return g->status != UPSWEEP_OK ? g->status : launch_rows<K, indexed>(g, a, r->n, longest);
}

static upsweep_status sort_rows(usw_gpu *g, const usw_gpu_rows *r)
{
    if (usw_gpu_choose_rows(g, r) == USW_GPU_BY_ROW) {
        return rows_by_machine(g, r);
    }
    return usw_gpu_by_width(r->width, [&](auto k) {
        using K = decltype(k);
        rows_args<K> a = {};
        a.keys = static_cast<K *>(r->keys);
        a.begin = r->begin;
        a.rows = r->rows;
        a.row_keys = r->row_keys;
        a.map = usw_gpu_keymap_of<K>(r->map);
        a.index = r->index;
        a.index_bytes = r->index == nullptr ? 0 : static_cast<unsigned>(r->index_bytes);
        a.barrier = g->barrier;
        const size_t chunk = r->rows / (size_t(g->sms) * 64);
        a.chunk = chunk < 1 ? 1 : chunk > 32 ? 32 : static_cast<unsigned>(chunk);
        return r->index == nullptr ? sort_by_lengths<K, false>(g, r, a)
                                   : sort_by_lengths<K, true>(g, r, a);
    });
}

USW_GPU_FORM(usw_gpu_rows_step, usw_rows_cuda) = {sort_rows};

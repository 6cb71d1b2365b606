/* top_rows.cu - the k best keys of each of many rows.
 *
 * Idea     Numbers of key and position (gpu/selection/top_limit.cuh) all differ, so that the k
 *          least are what is wanted, in order.
 *          Up to 1024 keys, k <= 32: a warp a row (top_rows_warp.cuh). Else, k <= 2048 (1024 for
 *          keys of 64 bits): a block a row (top_rows_block.cuh). Greater k: a copy of the rows is
 *          sorted (gpu/short_sort), and the best are copied. Few very long rows of one length: one
 *          after another, each by all blocks (top_k.cuh).
 *
 * Traffic  Each key is read once and, of rows of more than 4096, so many a row twice; k keys and
 *          positions are written. Sorted rows: two reads and two writes, and the positions. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/top_rows_block.cuh"
#include "gpu/selection/top_rows_warp.cuh"
#include "gpu/sort_choice.cuh"

#include <type_traits>

extern "C" {
extern const usw_gpu_select_step usw_select_cuda;
}

namespace
{

/* ---- sorted rows ---- */

template <typename K>
__global__ void __launch_bounds__(256)
    copy_best(const usw_top_args<K> a, const void *index, uint64_t n)
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
        usw_top_put(a, p, j < count ? a.keys[at + j] : K(0), position);
    }
}

template <typename K>
upsweep_status by_sorting(usw_gpu *g, const usw_gpu_top *t, const usw_top_args<K> &args)
{
    usw_top_args<K> a = args;
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
upsweep_status launch_warps(usw_gpu *g, const usw_top_args<K> &a, size_t longest)
{
    constexpr unsigned warps = usw_top_tuning::warp_threads / 32;
    const size_t blocks = (a.rows.rows + warps - 1) / warps, most = size_t(g->sms) * 32;
    const unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
    return longest <= USW_TOP_WARP_ROW / 4
               ? USW_LAUNCH(g, (usw_top_warps<K, E, usw_top_tuning::warp_items / 4>), grid,
                            usw_top_tuning::warp_threads, 0, a)
               : USW_LAUNCH(g, (usw_top_warps<K, E, usw_top_tuning::warp_items>), grid,
                            usw_top_tuning::warp_threads, 0, a);
}

/* Twice the threads where rows are few, or where their registers then hold a row. */
template <typename K, typename E> upsweep_status launch_blocks(usw_gpu *g, const usw_top_args<K> &a)
{
    const bool fixed = a.rows.begin == nullptr;
    const size_t held = size_t(usw_top_tuning::threads) * usw_top_tuning::held;
    const bool twice =
        a.rows.rows <= g->sms || (fixed && a.rows.length > held && a.rows.length <= 2 * held);
    const unsigned threads = twice ? 2 * usw_top_tuning::threads : usw_top_tuning::threads;
    const size_t bytes = usw_block_sort<E, 2>::padded(threads * USW_TOP_ITEMS<E>) * sizeof(E);
    const size_t full = size_t(g->sms) * 1024; /* the device hands rows out as blocks end */
    const unsigned blocks = static_cast<unsigned>(a.rows.rows < full ? a.rows.rows : full);
    /* Keys of 32 bits take 0.93 of the time with three blocks at once, of fewer registers; others
     * would not be kept in registers so. */
    constexpr unsigned few = (sizeof(K) == 4 ? 1 : 2) * usw_top_tuning::threads;
    return threads <= few ? USW_LAUNCH(g, (usw_top_blocks<K, E, few>), blocks, threads, bytes, a)
                          : USW_LAUNCH(g, (usw_top_blocks<K, E, 2 * usw_top_tuning::threads>),
                                       blocks, threads, bytes, a);
}

template <typename K, typename E>
upsweep_status by_numbers(usw_gpu *g, const usw_gpu_top *t, usw_top_args<K> a)
{
    const bool warps = t->k <= usw_top_tuning::warp_best;
    const bool fixed = t->begin == nullptr;
    if (!usw_rows_take(g, t->begin, t->rows, t->row_keys, t->n, warps ? USW_TOP_WARP_ROW + 1 : 0,
                       &a.rows)) {
        return g->status;
    }
    upsweep_status status = UPSWEEP_OK;
    if (warps && (!fixed || t->row_keys <= USW_TOP_WARP_ROW)) {
        status = launch_warps<K, E>(g, a, fixed ? t->row_keys : USW_TOP_WARP_ROW);
    }
    const bool longs =
        fixed ? !warps || t->row_keys > USW_TOP_WARP_ROW : !warps || t->n > USW_TOP_WARP_ROW;
    return status == UPSWEEP_OK && longs ? launch_blocks<K, E>(g, a) : status;
}

/* k at most of rows that are not sorted whole. */
template <typename E>
constexpr size_t MOST = size_t(usw_top_tuning::threads) * USW_TOP_ITEMS<E> / 2;

upsweep_status rows_best(usw_gpu *g, const usw_gpu_top *t)
{
    if (rows_are_few(t)) {
        return one_by_one(g, t);
    }
    return usw_gpu_by_width(t->width, [&](auto key) {
        using K = decltype(key);
        usw_top_args<K> a = {};
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

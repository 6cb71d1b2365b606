/* fold_rows.cu - reductions and scans of many rows, each on its own.
 *
 * Reductions: a warp takes a row of up to 4096 elements, a block of 8 warps a longer one; few long
 * rows of one length are cut into parts, so that all multiprocessors have some. Sums and products
 * of floats follow core/order.h within each row, a warp a tile; everything else is exact, so that
 * threads take elements by turns, those of a block vectors. Rows of up to 128 elements go by fours,
 * 8 lanes a row. Scans are those of gpu/folds/scan_rows.cuh.
 *
 * Traffic: each element is read once, of few long rows that are scanned twice; of scans one is
 * written for each. A long row by offsets is reduced at the speed of one block, some 60 GB/s, and
 * scanned at 5, however long it is. */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/column_carries.cuh"
#include "gpu/folds/scan_rows.cuh"
#include "gpu/folds/sum_rows.cuh"

namespace
{

/* ---- launches ---- */

unsigned grid_of(const usw_gpu *g, uint64_t blocks)
{
    const uint64_t most = uint64_t(g->sms) * (2048 / usw_row_tuning::threads);
    return static_cast<unsigned>(blocks == 0 ? 1 : blocks < most ? blocks : most);
}

/* Whether blocks that take a row each would leave multiprocessors without any. */
bool few_long_rows(const usw_gpu *g, const usw_gpu_row_set *r)
{
    return r->begin == nullptr && r->row_length > 4 * usw_row_tuning::warp_row &&
           r->rows < grid_of(g, UINT64_MAX) / 2;
}

/* Elements of a row in the mean. */
size_t mean_length(const usw_gpu_row_set *r)
{
    return r->begin == nullptr ? r->row_length : r->n / (r->rows + 1);
}

/* Queues `few` for rows of up to warp_row elements and `many` for longer ones, where there may be
 * such: functions of the rows and of the blocks. */
template <typename A, typename B>
upsweep_status by_length(usw_gpu *g, const usw_gpu_row_set *r, A few, B many)
{
    usw_row_list rows;
    const bool fixed = r->begin == nullptr;
    const size_t longest = fixed ? r->row_length : r->n;
    if (!usw_rows_take(g, r->begin, r->rows, r->row_length, r->n, usw_row_tuning::warp_row + 1,
                       &rows)) {
        return g->status;
    }
    upsweep_status status = UPSWEEP_OK;
    if (!fixed || longest <= usw_row_tuning::warp_row) {
        status = few(rows, grid_of(g, (r->rows + USW_ROW_WARPS - 1) / USW_ROW_WARPS));
    }
    return status == UPSWEEP_OK && longest > usw_row_tuning::warp_row
               ? many(rows, grid_of(g, r->rows))
               : status;
}

template <typename F> upsweep_status fold_by_parts(usw_gpu *g, const usw_gpu_row_set *r, const F &f)
{
    typedef typename F::Value V;
    const size_t blocks = grid_of(g, UINT64_MAX), share = r->rows * r->row_length / blocks + 1;
    const size_t part = (share + usw_row_tuning::warp_row - 1) / usw_row_tuning::warp_row *
                        usw_row_tuning::warp_row;
    const size_t parts = (r->row_length + part - 1) / part;
    V *const found = static_cast<V *>(usw_gpu_scratch(g, r->rows * parts * sizeof(V)));
    if (found == nullptr) {
        return g->status;
    }
    const upsweep_status status = USW_LAUNCH(
        g, usw_fold_row_parts<F>, grid_of(g, r->rows * parts), usw_row_tuning::threads, 0, r->rows,
        r->row_length, parts, part, static_cast<const typename F::Raw *>(r->data), found, f);
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, usw_join_row_parts<F>, grid_of(g, r->rows / USW_ROW_WARPS + 1),
                            usw_row_tuning::threads, 0, r->rows, parts, found, f);
}

template <typename F> upsweep_status fold_with(usw_gpu *g, const usw_gpu_row_set *r, const F &f)
{
    typedef typename F::Raw R;
    const R *data = static_cast<const R *>(r->data);
    if (few_long_rows(g, r)) {
        return fold_by_parts(g, r, f);
    }
    return by_length(
        g, r,
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, usw_fold_short_rows<F>, blocks, usw_row_tuning::threads, 0, rows,
                              mean_length(r) <= USW_REDUCE_LANES, data, f);
        },
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, usw_fold_long_rows<F>, blocks, usw_row_tuning::threads, 0, rows,
                              data, f);
        });
}

template <typename E>
upsweep_status sum_by_parts(usw_gpu *g, const usw_gpu_row_set *r, const usw_sums &results,
                            const E &e)
{
    const size_t tiles = (r->row_length + USW_REDUCE_TILE - 1) / USW_REDUCE_TILE;
    usw_column_carries<double> carries = {};
    if (!usw_column_carries_take(g, r->rows, tiles, &carries)) {
        return g->status;
    }
    const uint64_t blocks = r->rows * tiles / (usw_row_parts::threads / 32) + 1;
    const uint64_t most = uint64_t(g->sms) * usw_row_parts::blocks;
    const upsweep_status status =
        USW_LAUNCH(g, usw_sum_row_parts<E>, static_cast<unsigned>(blocks < most ? blocks : most),
                   usw_row_parts::threads, 0, r->rows, r->row_length, tiles,
                   static_cast<const typename E::Raw *>(r->data), carries.sums[0], e);
    return status != UPSWEEP_OK
               ? status
               : usw_column_carries_join(g, carries, usw_ordered_sums<E>{e, results});
}

template <typename E>
upsweep_status sum_with(usw_gpu *g, const usw_gpu_row_set *r, const usw_sums &results, const E &e)
{
    typedef typename E::Raw R;
    const R *data = static_cast<const R *>(r->data);
    if (few_long_rows(g, r)) {
        return sum_by_parts(g, r, results, e);
    }
    return by_length(
        g, r,
        [&](const usw_row_list &rows, unsigned blocks) {
            const size_t mean = mean_length(r);
            return mean > USW_REDUCE_LANES
                       ? USW_LAUNCH(g, usw_sum_short_rows<E>, blocks, usw_row_tuning::threads, 0,
                                    rows, data, results, e)
                       : USW_LAUNCH(g, usw_sum_rows_by_8_lanes<E>, blocks, usw_row_tuning::threads,
                                    0, rows, mean > USW_ROW_TINY ? 4 : 16, data, results, e);
        },
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, usw_sum_long_rows<E>, blocks, usw_row_tuning::threads, 0, rows,
                              data, results, e);
        });
}

template <typename K, int op>
upsweep_status integers(usw_gpu *g, const usw_gpu_row_set *r, upsweep_type type, void *results)
{
    const K flip = usw_type_is_signed(type) ? static_cast<K>(K(1) << (8 * sizeof(K) - 1)) : K(0);
    return fold_with(g, r, usw_row_integers<K, op>{results, flip});
}

upsweep_status reduce(usw_gpu *g, const usw_gpu_row_set *r, upsweep_type type, upsweep_op op,
                      upsweep_type to, void *results)
{
    if (usw_type_is_float(type) && op <= UPSWEEP_PRODUCT) {
        const usw_sums sums = {results, to == type};
        const auto with = [&](const auto &e) { return sum_with(g, r, sums, e); };
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(type, with)
                                     : usw_gpu_float_elements<false>(type, with);
    }
    return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
        typedef decltype(key) K;
        if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
            const usw_keymap map =
                usw_keymap_of(type, op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
            return fold_with(g, r,
                             usw_row_least<K>{static_cast<K *>(results), usw_gpu_keymap_of<K>(map),
                                              static_cast<K>(r->identity)});
        }
        return op == UPSWEEP_SUM       ? integers<K, UPSWEEP_SUM>(g, r, type, results)
               : op == UPSWEEP_PRODUCT ? integers<K, UPSWEEP_PRODUCT>(g, r, type, results)
               : op == UPSWEEP_AND     ? integers<K, UPSWEEP_AND>(g, r, type, results)
               : op == UPSWEEP_OR      ? integers<K, UPSWEEP_OR>(g, r, type, results)
                                       : integers<K, UPSWEEP_XOR>(g, r, type, results);
    });
}

upsweep_status place(usw_gpu *g, const usw_gpu_row_set *r, const usw_keymap *map, uint64_t last,
                     void *index, size_t index_bytes)
{
    const unsigned width = map->bits == 8 ? 0 : map->bits == 16 ? 1 : map->bits == 32 ? 2 : 3;
    return usw_gpu_by_width(width, [&](auto key) {
        typedef decltype(key) K;
        return fold_with(g, r,
                         usw_row_place<K>{index, static_cast<unsigned>(index_bytes),
                                          usw_gpu_keymap_of<K>(*map), last});
    });
}

upsweep_status scan(usw_gpu *g, const usw_gpu_row_set *r, const usw_scan *s)
{
    return usw_gpu_elements(s->type, s->op, s->identity,
                            [&](const auto &e) { return usw_scan_rows(g, r, s, e); });
}

} // namespace

USW_GPU_FORM(usw_gpu_fold_rows_step, usw_fold_rows_cuda) = {reduce, place, scan};

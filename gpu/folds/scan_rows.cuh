/* scan_rows.cuh - scans of rows, each on its own: which kernels take them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_ROWS_CUH
#define USW_GPU_FOLDS_SCAN_ROWS_CUH

#include "gpu/folds/scan_long_rows.cuh"
#include "gpu/folds/scan_short_rows.cuh"

enum : unsigned { USW_FEW_ROWS_TILES = 4 }; /* of a row, from which on few rows go by tiles */

/* Rows of a warp's turn: as many as fit, of the mean length, but so that all warps have some. */
template <typename E> unsigned usw_rows_of_turn(const usw_gpu *g, const usw_gpu_row_set *r)
{
    const uint64_t warps = uint64_t(g->sms) * USW_WARPS_OF_SM;
    const uint64_t length = r->begin == nullptr ? r->row_length : r->n / r->rows;
    uint64_t each = USW_WARP_ROWS;
    while (each > 1 && (each * (length + 1) > usw_warp_row<E>::most || r->rows / each < warps)) {
        each /= 2;
    }
    return static_cast<unsigned>(each);
}

template <typename E>
upsweep_status usw_scan_few_rows(usw_gpu *g, const usw_gpu_row_set *r, const usw_scan *s,
                                 size_t tiles, const E &e)
{
    typedef typename E::Raw R;
    typedef typename E::Acc A;
    const size_t all = r->rows * tiles, most = size_t(g->sms) * 16;
    const size_t groups = (tiles + usw_row_carry<A>::FANOUT - 1) / usw_row_carry<A>::FANOUT;
    const unsigned blocks = static_cast<unsigned>(all < most ? all : most);
    const R *in = static_cast<const R *>(r->data);
    A *const totals = static_cast<A *>(usw_gpu_scratch(g, all * sizeof(A)));
    A *const of_groups = static_cast<A *>(usw_gpu_scratch(g, r->rows * groups * sizeof(A)));
    if (totals == nullptr || of_groups == nullptr) {
        return g->status;
    }
    const auto tiles_to = [&](R *out) {
        return USW_LAUNCH(g, usw_scan_row_tiles<E>, blocks, +USW_SWEEP_THREADS, 0, r->rows,
                          r->row_length, tiles, in, out, totals, s->exclusive, e);
    };
    upsweep_status status = tiles_to(nullptr);
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, usw_scan_row_carries<E>, static_cast<unsigned>(r->rows),
                            +USW_SWEEP_THREADS, 0, r->rows, tiles, groups, totals, of_groups, e);
    }
    return status == UPSWEEP_OK ? tiles_to(static_cast<R *>(s->out)) : status;
}

template <typename E>
upsweep_status usw_scan_rows(usw_gpu *g, const usw_gpu_row_set *r, const usw_scan *s, const E &e)
{
    typedef typename E::Raw R;
    const uint64_t most = uint64_t(g->sms) * 16;
    const auto grid = [&](uint64_t blocks) {
        return static_cast<unsigned>(blocks < most ? blocks : most);
    };
    const R *in = static_cast<const R *>(r->data);
    R *out = static_cast<R *>(s->out);
    const size_t longest = r->begin == nullptr ? r->row_length : r->n;
    usw_row_list rows;
    if (r->rows == 0) {
        return UPSWEEP_OK;
    }
    const size_t tiles = (longest + usw_sweep_shape<E>::tile - 1) / usw_sweep_shape<E>::tile;
    if (r->begin == nullptr && tiles >= USW_FEW_ROWS_TILES && r->rows <= size_t(g->sms)) {
        return usw_scan_few_rows(g, r, s, tiles, e);
    }
    if (!usw_rows_take(g, r->begin, r->rows, r->row_length, r->n, usw_warp_row<E>::most + 1,
                       &rows)) {
        return g->status;
    }
    upsweep_status status = UPSWEEP_OK;
    if (r->begin != nullptr || longest <= usw_warp_row<E>::most) {
        const unsigned each = usw_rows_of_turn<E>(g, r);
        status = USW_LAUNCH(g, usw_scan_short_rows<E>, grid(r->rows / (each * USW_SWEEP_WARPS) + 1),
                            +USW_SWEEP_THREADS, 0, rows, each, in, out, s->exclusive, e);
    }
    return status != UPSWEEP_OK || longest <= usw_warp_row<E>::most
               ? status
               : USW_LAUNCH(g, usw_scan_long_rows<E>, grid(r->rows), +USW_SWEEP_THREADS, 0, rows,
                            in, out, s->exclusive, e);
}

#endif

/* scan_short_rows.cuh - scans of short rows: a warp scans as many at once as its shared memory
 * holds.
 *
 * The warp's memory is 128 runs, a quarter of a tile. A row has the next power of two of runs that
 * it needs, so that its runs and groups are children of the same nodes as those of a tile that
 * begins with the row: nothing of a row's tree lies across a boundary but what the row ends before.
 * What lies behind a row's end is left as it was; no result depends on it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_SHORT_ROWS_CUH
#define USW_GPU_FOLDS_SCAN_SHORT_ROWS_CUH

#include "gpu/folds/scan_tile.cuh"
#include "gpu/row_list.cuh"

enum : unsigned {
    USW_WARP_RUNS = 128,
    USW_WARP_GROUPS = USW_WARP_RUNS / 8,
    USW_WARP_MINE = USW_WARP_RUNS / 32, /* runs of a lane */
    USW_WARP_ROWS = 32,                 /* rows of a turn, at most */
    USW_WARP_AHEAD = 8,                 /* loads of a lane that are on their way at once */
#ifdef USW_EMULATE                      /* so that tests of few rows have some in a turn */
    USW_WARPS_OF_SM = 1
#else
    USW_WARPS_OF_SM = 2048 / 32
#endif
};

template <typename E> struct usw_warp_row {
    static constexpr uint64_t most = uint64_t(USW_WARP_RUNS) * E::run; /* elements */
};

template <typename E> struct usw_warp_shared {
    uint4 x[USW_WARP_RUNS * usw_sweep_shape<E>::vectors];
    typename E::Acc group[USW_WARP_GROUPS]; /* totals of groups; then all before each, in its row */
    uint32_t end[USW_WARP_ROWS];            /* of each row, from where the first begins */
};

/* Copies `total` elements T of neighbouring rows between memory and places in x, `slot` of them a
 * row: to x, or back. */
template <bool back, typename T>
__device__ __forceinline__ void usw_warp_move(T *x, const uint32_t *end, unsigned slot, const T *in,
                                              T *out, unsigned total)
{
    unsigned row = 0, begin = 0, next = end[0];
    for (unsigned first = threadIdx.x % 32; first < total; first += 32 * USW_WARP_AHEAD) {
        T v[USW_WARP_AHEAD];
        if (!back) {
#pragma unroll
            for (unsigned k = 0; k < USW_WARP_AHEAD; k++) {
                if (first + 32 * k < total) {
                    v[k] = __ldcs(in + first + 32 * k);
                }
            }
        }
#pragma unroll
        for (unsigned k = 0; k < USW_WARP_AHEAD; k++) {
            const unsigned i = first + 32 * k;
            if (i < total) {
                while (i >= next) {
                    begin = next;
                    next = end[++row];
                }
                T *const at = x + row * slot + (i - begin);
                if (back) {
                    __stcs(out + i, *at);
                } else {
                    *at = v[k];
                }
            }
        }
    }
}

/* A bit for each of 8 children that begins a row, where a row has `children` of them. */
__device__ __forceinline__ unsigned usw_heads_of_rows(unsigned children)
{
    return children >= 8 ? 0x01 : children == 4 ? 0x11 : children == 2 ? 0x55 : 0xff;
}

/* Both sweeps over `used` runs, of which `slot` are a row's. */
template <typename E>
__device__ __forceinline__ void usw_warp_sweep(const E &e, usw_warp_shared<E> &s, unsigned slot,
                                               unsigned used, bool exclusive)
{
    typedef typename E::Acc A;
    const unsigned lane = threadIdx.x % 32;
    A before[USW_WARP_MINE];
#pragma unroll
    for (unsigned k = 0; k < USW_WARP_MINE; k++) {
        if (k * 32 < used) {
            usw_sweep_run<E> run;
            usw_run_get<E>(s.x, k * 32 + lane, run);
            const A v =
                usw_lanes_up<true>(e, usw_run_total<false>(e, run, 0), usw_heads_of_rows(slot));
            before[k] = usw_lanes_shift(e, v);
            before[k] = lane % (slot < 8 ? slot : 8) == 0 ? e.neutral() : before[k];
            if (lane % 8 == 7) {
                s.group[k * 4 + lane / 8] = v;
            }
        }
    }
    __syncwarp();
    const unsigned groups = slot < 8 ? 1 : slot / 8, group = lane % USW_WARP_GROUPS;
    A v = s.group[group];
    __syncwarp();
    v = usw_lanes_up<true>(e, v, usw_heads_of_rows(groups));
    A first = usw_lanes_shift(e, v);
    first = group % (groups < 8 ? groups : 8) == 0 ? e.neutral() : first;
    const A top = __shfl_sync(~0u, v, 7);
    if (lane < USW_WARP_GROUPS) {
        const bool second = groups > 8 && lane >= 8;
        s.group[lane] = e.join(e.join(e.neutral(), second ? top : e.neutral()), first);
    }
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < USW_WARP_MINE; k++) {
        if (k * 32 < used) {
            const unsigned r = k * 32 + lane;
            usw_sweep_run<E> run;
            usw_run_get<E>(s.x, r, run);
            usw_run_down<false>(e, run, 0, r % slot == 0 ? 1 : 0, e.join(s.group[r / 8], before[k]),
                                exclusive);
            usw_run_put<E>(s.x, r, run);
        }
    }
    __syncwarp();
}

/* Neighbouring rows that fit in the warp's memory, `count` elements in all, which begin at `in`. */
template <typename E>
__device__ __forceinline__ void
usw_warp_rows(const E &e, usw_warp_shared<E> &s, unsigned slot, unsigned used, bool vectors,
              const typename E::Raw *in, typename E::Raw *out, unsigned count, bool exclusive)
{
    typedef typename E::Raw R;
    constexpr unsigned per = usw_sweep_shape<E>::per_vector;
    R *x = reinterpret_cast<R *>(s.x);
    const uint4 *in4 = reinterpret_cast<const uint4 *>(in);
    uint4 *out4 = reinterpret_cast<uint4 *>(out);
    if (vectors) {
        usw_warp_move<false>(s.x, s.end, slot * E::run / per, in4, out4, count / per);
    } else {
        usw_warp_move<false>(x, s.end, slot * E::run, in, out, count);
    }
    __syncwarp();
    usw_warp_sweep(e, s, slot, used, exclusive);
    if (vectors) {
        usw_warp_move<true>(s.x, s.end, slot * E::run / per, in4, out4, count / per);
    } else {
        usw_warp_move<true>(x, s.end, slot * E::run, in, out, count);
    }
    __syncwarp();
}

/* Rows first .. first + each - 1, a row a lane to begin with. */
template <typename E>
__device__ __forceinline__ void
usw_warp_turn(const E &e, usw_warp_shared<E> &s, const usw_row_list &rows, size_t first,
              unsigned each, const typename E::Raw *in, typename E::Raw *out, bool exclusive)
{
    typedef typename E::Raw R;
    const unsigned lane = threadIdx.x % 32;
    const size_t left = rows.rows - first;
    const unsigned here = left < each ? static_cast<unsigned>(left) : each;
    size_t n, at = rows.row(first + (lane < here ? lane : here - 1), n);
    if (lane >= here) {
        at += n;
        n = 0;
    }
    const bool small = n <= usw_warp_row<E>::most, all_small = __all_sync(~0u, small) != 0;
    const unsigned mine = small ? static_cast<unsigned>(n + E::run - 1) / E::run : +USW_WARP_RUNS;
    const unsigned runs = __reduce_max_sync(~0u, mine);
    unsigned slot = 1; /* runs of every row of the turn */
    while (slot < runs) {
        slot *= 2;
    }
    const unsigned count = all_small ? USW_WARP_RUNS / slot : 1;
    for (unsigned q = 0; q < here; q += count) {
        const unsigned last = (q + count < here ? q + count : here) - 1;
        const uint64_t base = __shfl_sync(~0u, uint64_t(at), static_cast<int>(q));
        const uint64_t end = at + n - base;
        const uint64_t total = __shfl_sync(~0u, end, static_cast<int>(last));
        if (total == 0 || total > usw_warp_row<E>::most) { /* the latter is for a block */
            continue;
        }
        const uintptr_t odd = reinterpret_cast<uintptr_t>(in + base) |
                              reinterpret_cast<uintptr_t>(out + base) | n * sizeof(R);
        const bool taken = lane >= q && lane <= last;
        const bool vectors = __all_sync(~0u, !taken || odd % 16 == 0) != 0;
        if (taken) {
            s.end[lane - q] =
                static_cast<uint32_t>(end) / (vectors ? usw_sweep_shape<E>::per_vector : 1);
        }
        __syncwarp();
        usw_warp_rows(e, s, slot, (last - q + 1) * slot, vectors, in + base, out + base,
                      static_cast<unsigned>(total), exclusive);
    }
}

/* A warp takes `each` neighbouring rows by turns. */
template <typename E>
__global__ void __launch_bounds__(USW_SWEEP_THREADS, 6)
    usw_scan_short_rows(usw_row_list rows, unsigned each, const typename E::Raw *in,
                        typename E::Raw *out, bool exclusive, E e)
{
    USW_SHARED_ARRAY(usw_warp_shared<E>, s, [USW_SWEEP_WARPS]);
    if (rows.bad()) {
        return;
    }
    const unsigned warp = threadIdx.x / 32;
    const size_t step = size_t(gridDim.x) * USW_SWEEP_WARPS * each;
    for (size_t r = (blockIdx.x * size_t(USW_SWEEP_WARPS) + warp) * each; r < rows.rows;
         r += step) {
        usw_warp_turn(e, s[warp], rows, r, each, in, out, exclusive);
    }
}

#endif

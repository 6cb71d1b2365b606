/* scan_tile.cuh - the two sweeps over one tile that lies in shared memory.
 *
 * Same steps and same tree as cpu/folds/float_tile.h: 512 runs, 64 groups of 8 runs, 8 tops of 8
 * groups; a run is 8 floats, or 32 bytes of anything else. Lanes of a warp own neighbouring runs,
 * so that the level above a run is three shuffles within 8 lanes; one warp does the two levels
 * above the groups. A run's prefixes are not kept between the sweeps but computed twice: additions
 * cost less here than registers, and a block that waits for its carry holds little else than its
 * tile.
 *
 * Bank conflicts: runs are 1, 2 or 4 vectors of 16 bytes. Lanes whose vectors lie in the same bank
 * read theirs in another order, so that every access of a warp takes the least number of cycles. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_TILE_CUH
#define USW_GPU_FOLDS_SCAN_TILE_CUH

#include "gpu/block/bulk_copy.cuh"
#include "gpu/folds/elements.cuh"
#include "gpu/carry/carry_tree.cuh"

enum : unsigned {
    USW_SWEEP_RUNS = 512,
    USW_SWEEP_GROUPS = 64,
    USW_SWEEP_TOPS = 8,
    USW_SWEEP_THREADS = 128,
    USW_SWEEP_WARPS = USW_SWEEP_THREADS / 32,
    USW_SWEEP_MINE = USW_SWEEP_RUNS / USW_SWEEP_THREADS, /* runs of a thread */
};

template <typename E> struct usw_sweep_shape {
    static constexpr unsigned tile = USW_SWEEP_RUNS * E::run;                  /* elements */
    static constexpr unsigned vectors = E::run * sizeof(typename E::Raw) / 16; /* of a run */
    static constexpr unsigned per_vector = 16 / sizeof(typename E::Raw);
};

/* A tile in shared memory, and the totals that the upward sweep leaves for the downward sweep. */
template <typename E, bool cut> struct usw_scan_shared {
    uint4 x[USW_SWEEP_RUNS * usw_sweep_shape<E>::vectors]; /* the tile, then its scan */
    typename E::Acc group
        [USW_SWEEP_GROUPS]; /* totals of groups; then the total before each group, in its top */
    typename E::Acc top[USW_SWEEP_TOPS];               /* the total before each top, in the tile */
    uint32_t head_runs[cut ? USW_SWEEP_RUNS / 32 : 1]; /* a bit for each run that has a head */
    uint32_t heads[cut ? +USW_SWEEP_RUNS : 1];         /* a bit for each element of a run */
};

/* ---- a tile in and out, where the copy engine does not copy it ---- */

/* `threads` threads fill x with count elements, and with neutral ones behind them. vectors: `in` is
 * aligned to 16 bytes. */
template <unsigned threads, typename E>
__device__ __forceinline__ void usw_tile_in(const E &e, uint4 *x, const void *in, unsigned count,
                                            bool vectors)
{
    typedef typename E::Raw R;
    constexpr unsigned tile = usw_sweep_shape<E>::tile, per = usw_sweep_shape<E>::per_vector;
    R *elements = reinterpret_cast<R *>(x);
    unsigned done = 0;
    if (vectors) {
        const unsigned whole = count / per;
#pragma unroll 4
        for (unsigned i = threadIdx.x % threads; i < whole; i += threads) {
            x[i] = __ldcs(static_cast<const uint4 *>(in) + i);
        }
        done = whole * per;
    }
#pragma unroll 8
    for (unsigned i = done + threadIdx.x % threads; i < tile; i += threads) {
        elements[i] = i < count ? static_cast<const R *>(in)[i] : e.neutral_raw();
    }
}

template <typename E, unsigned threads>
__device__ __forceinline__ void usw_tile_out(const uint4 *x, void *out, unsigned count,
                                             bool vectors)
{
    typedef typename E::Raw R;
    constexpr unsigned per = usw_sweep_shape<E>::per_vector;
    const R *elements = reinterpret_cast<const R *>(x);
    unsigned done = 0;
    if (vectors) {
        const unsigned whole = count / per;
#pragma unroll 4
        for (unsigned i = threadIdx.x % threads; i < whole; i += threads) {
            __stcs(static_cast<uint4 *>(out) + i, x[i]);
        }
        done = whole * per;
    }
#pragma unroll 8
    for (unsigned i = done + threadIdx.x % threads; i < count; i += threads) {
        static_cast<R *>(out)[i] = elements[i];
    }
}

/* ---- a run, in registers ---- */

template <typename E> union usw_sweep_run {
    uint4 q[usw_sweep_shape<E>::vectors];
    typename E::Raw v[E::run];
};

template <unsigned count>
__device__ __forceinline__ void usw_exchange(uint4 (&q)[count], unsigned s)
{
    auto swap = [&](unsigned i, unsigned j, bool really) {
        const uint4 a = q[i], b = q[j];
        q[i] = really ? b : a;
        q[j] = really ? a : b;
    };
    if constexpr (count >= 2) {
        swap(0, 1, (s & 1) != 0);
    }
    if constexpr (count == 4) {
        swap(2, 3, (s & 1) != 0);
        swap(0, 2, (s & 2) != 0);
        swap(1, 3, (s & 2) != 0);
    }
}

/* The number by which the vectors of run r are exchanged: 8 neighbouring lanes must reach 8
 * different groups of four banks. */
template <unsigned count> __device__ __forceinline__ unsigned usw_exchange_of(unsigned r)
{
    return count == 1 ? 0 : count == 2 ? (r >> 2) & 1 : (r >> 1) & 3;
}

template <typename E>
__device__ __forceinline__ void usw_run_get(const uint4 *x, unsigned r, usw_sweep_run<E> &run)
{
    constexpr unsigned count = usw_sweep_shape<E>::vectors;
    const unsigned s = usw_exchange_of<count>(r);
#pragma unroll
    for (unsigned c = 0; c < count; c++) {
        run.q[c] = x[r * count + (c ^ s)];
    }
    usw_exchange(run.q, s);
}

template <typename E>
__device__ __forceinline__ void usw_run_put(uint4 *x, unsigned r, usw_sweep_run<E> &run)
{
    constexpr unsigned count = usw_sweep_shape<E>::vectors;
    const unsigned s = usw_exchange_of<count>(r);
    usw_exchange(run.q, s);
#pragma unroll
    for (unsigned c = 0; c < count; c++) {
        x[r * count + (c ^ s)] = run.q[c];
    }
}

/* All bits from the lowest set one up. */
__device__ __forceinline__ unsigned usw_behind(unsigned heads)
{
    return 0u - (heads & (0u - heads));
}

/* Inclusive prefixes of a run of 8 floats, in rounds of distance 1, 2, 4. */
template <bool cut, typename E>
__device__ __forceinline__ void usw_run_up(const E &e, const usw_sweep_run<E> &run, unsigned heads,
                                           typename E::Acc (&v)[E::run])
{
#pragma unroll
    for (unsigned j = 0; j < E::run; j++) {
        v[j] = e.widen(run.v[j]);
    }
#pragma unroll
    for (unsigned d = 1; d < E::run; d *= 2) {
#pragma unroll
        for (unsigned j = E::run - 1; j >= d; j--) {
            const typename E::Acc joined = e.join(v[j - d], v[j]);
            v[j] = cut && ((heads >> j) & 1) != 0 ? v[j] : joined;
        }
        heads |= heads << d;
    }
}

/* A run's total; where the run has heads, the total from its last head on. */
template <bool cut, typename E>
__device__ __forceinline__ typename E::Acc usw_run_total(const E &e, const usw_sweep_run<E> &run,
                                                         unsigned heads)
{
    if constexpr (E::exact) {
        typename E::Acc total = e.widen(run.v[0]);
#pragma unroll
        for (unsigned j = 1; j < E::run; j++) {
            total = e.join(cut && ((heads >> j) & 1) != 0 ? e.neutral() : total, e.widen(run.v[j]));
        }
        return total;
    } else {
        typename E::Acc v[E::run];
        usw_run_up<cut>(e, run, heads, v);
        return v[E::run - 1];
    }
}

/* Turns a run into its scan. offset: the total before the run, which counts up to the run's first
 * head. bare: a bit for each element before which nothing lies. */
template <bool cut, typename E>
__device__ __forceinline__ void usw_run_down(const E &e, usw_sweep_run<E> &run, unsigned heads,
                                             unsigned bare, typename E::Acc offset, bool exclusive)
{
    typedef typename E::Acc A;
    if constexpr (E::exact) {
        A value = offset;
#pragma unroll
        for (unsigned j = 0; j < E::run; j++) {
            const A before = cut && ((heads >> j) & 1) != 0 ? e.neutral() : value;
            value = e.join(before, e.widen(run.v[j]));
            run.v[j] = e.narrow(exclusive ? before : value);
            if (E::patches && exclusive && ((bare >> j) & 1) != 0) {
                run.v[j] = e.nothing();
            }
        }
    } else {
        A v[E::run];
        usw_run_up<cut>(e, run, heads, v);
        const unsigned behind = usw_behind(heads);
#pragma unroll
        for (unsigned j = E::run; j-- > 0;) {
            A here = v[j];
            if (exclusive) {
                here = j == 0 || (cut && ((heads >> j) & 1) != 0) ? e.neutral()
                                                                  : v[j == 0 ? 0 : j - 1];
            }
            run.v[j] =
                e.narrow(e.join(cut && ((behind >> j) & 1) != 0 ? e.neutral() : offset, here));
        }
    }
}

/* ---- levels above the runs: 8 lanes are the children of one node ---- */

/* Inclusive prefixes over each 8 lanes; heads: a bit for each of the 8. */
template <bool cut, typename E>
__device__ __forceinline__ typename E::Acc usw_lanes_up(const E &e, typename E::Acc v,
                                                        unsigned heads)
{
    const unsigned j = threadIdx.x % 8;
#pragma unroll
    for (unsigned d = 1; d < 8; d *= 2) {
        const typename E::Acc left = __shfl_up_sync(~0u, v, d, 8);
        v = j < d || (cut && ((heads >> j) & 1) != 0) ? v : e.join(left, v);
        heads |= heads << d;
    }
    return v;
}

/* Each lane gets its left neighbour's value, the first of each 8 the neutral one. */
template <typename E>
__device__ __forceinline__ typename E::Acc usw_lanes_shift(const E &e, typename E::Acc v)
{
    const typename E::Acc left = __shfl_up_sync(~0u, v, 1, 8);
    return threadIdx.x % 8 == 0 ? e.neutral() : left;
}

/* Whether any of the first `j` bits of byte `b` of the words is set. */
__device__ __forceinline__ bool usw_head_before(const uint32_t *words, unsigned b, unsigned j)
{
    return ((words[b / 4] >> (b % 4 * 8)) & ((1u << j) - 1)) != 0;
}

/* ---- the sweeps ---- */

/* Upward, from the runs to the groups: warp `warp` of those that share the tile takes mine x 32
 * runs. before[k] gets the total before a thread's k-th run, within its group. A barrier must
 * follow. */
template <bool cut, typename E, unsigned mine>
__device__ __forceinline__ void usw_sweep_up(const E &e, usw_scan_shared<E, cut> &s, unsigned warp,
                                             typename E::Acc (&before)[mine])
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll(cut ? 1 : mine)
    for (unsigned k = 0; k < mine; k++) {
        const unsigned r = (warp * mine + k) * 32 + lane;
        usw_sweep_run<E> run;
        usw_run_get<E>(s.x, r, run);
        const unsigned heads = cut ? s.heads[r] : 0;
        typename E::Acc v = usw_run_total<cut>(e, run, heads);
        unsigned head_lanes = 0;
        if (cut) {
            const unsigned all = __ballot_sync(~0u, heads != 0);
            s.head_runs[cut ? r / 32 : 0] = all;
            head_lanes = (all >> (lane & 24)) & 0xff;
        }
        v = usw_lanes_up<cut>(e, v, head_lanes);
        before[k] = usw_lanes_shift(e, v);
        if (lane % 8 == 7) {
            s.group[r / 8] = v;
        }
    }
}

/* One warp, from the groups to the tile's total, which all its lanes get. s.group and s.top get the
 * total before each group and each top. *head becomes true if the tile has a head. */
template <bool cut, typename E>
__device__ __forceinline__ typename E::Acc usw_sweep_tops(const E &e, usw_scan_shared<E, cut> &s,
                                                          bool *head)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned low_heads = 0, high_heads = 0, top_heads = 0;
    if (cut) {
        low_heads = __ballot_sync(~0u, usw_head_before(s.head_runs, lane, 8));
        high_heads = __ballot_sync(~0u, usw_head_before(s.head_runs, lane + 32, 8));
        const unsigned bytes[2] = {low_heads, high_heads};
        top_heads = __ballot_sync(~0u, lane < 8 && usw_head_before(bytes, lane & 7, 8));
    }
    const unsigned eight = lane & 24;
    typename E::Acc low = usw_lanes_up<cut>(e, s.group[lane], (low_heads >> eight) & 0xff);
    typename E::Acc high = usw_lanes_up<cut>(e, s.group[lane + 32], (high_heads >> eight) & 0xff);
    const int last = static_cast<int>(lane % 4 * 8 + 7);
    const typename E::Acc a = __shfl_sync(~0u, low, last), b = __shfl_sync(~0u, high, last);
    const typename E::Acc top = usw_lanes_up<cut>(e, lane % 8 < 4 ? a : b, top_heads);
    s.group[lane] = usw_lanes_shift(e, low);
    s.group[lane + 32] = usw_lanes_shift(e, high);
    const typename E::Acc before = usw_lanes_shift(e, top);
    if (lane < 8) {
        s.top[lane] = before;
    }
    *head = top_heads != 0;
    return __shfl_sync(~0u, top, 7);
}

/* The total before run r: down the tree from the tile's carry. */
template <bool cut, typename E>
__device__ __forceinline__ typename E::Acc
usw_sweep_offset(const E &e, const usw_scan_shared<E, cut> &s, typename E::Acc carry, unsigned r,
                 typename E::Acc before)
{
    const unsigned g = r / 8, t = g / 8;
    bool cut_run = false, cut_group = false, cut_top = false;
    if (cut) {
        cut_run = usw_head_before(s.head_runs, g, r % 8);
        for (unsigned i = 0; i < g % 8; i++) {
            cut_group = cut_group || usw_head_before(s.head_runs, g - 1 - i, 8);
        }
        for (unsigned i = 0; i < 2 * t; i++) {
            cut_top = cut_top || s.head_runs[i] != 0;
        }
    }
    typename E::Acc offset = e.join(cut_top ? e.neutral() : carry, s.top[t]);
    offset = e.join(cut_group ? e.neutral() : offset, s.group[g]);
    return e.join(cut_run ? e.neutral() : offset, before);
}

/* Downward: warp `warp`'s runs become their scan. first: the tile begins the array. */
template <bool cut, typename E, unsigned mine>
__device__ __forceinline__ void
usw_sweep_down(const E &e, usw_scan_shared<E, cut> &s, unsigned warp, typename E::Acc carry,
               const typename E::Acc (&before)[mine], bool exclusive, bool first)
{
#pragma unroll(cut ? 1 : mine)
    for (unsigned k = 0; k < mine; k++) {
        const unsigned r = (warp * mine + k) * 32 + threadIdx.x % 32;
        const typename E::Acc offset = usw_sweep_offset<cut>(e, s, carry, r, before[k]);
        const unsigned heads = cut ? s.heads[r] : 0;
        usw_sweep_run<E> run;
        usw_run_get<E>(s.x, r, run);
        usw_run_down<cut>(e, run, heads, heads | (first && r == 0 ? 1u : 0u), offset, exclusive);
        usw_run_put<E>(s.x, r, run);
    }
}

/* The downward sweep without heads by other warps than those of the upward sweep, so that the total
 * before a run is computed again. */
template <typename E, unsigned mine>
__device__ __forceinline__ void usw_sweep_down_remade(const E &e, usw_scan_shared<E, false> &s,
                                                      unsigned warp, typename E::Acc carry,
                                                      bool exclusive, bool first)
{
    usw_sweep_run<E> run[mine];
#pragma unroll
    for (unsigned k = 0; k < mine; k++) {
        usw_run_get<E>(s.x, (warp * mine + k) * 32 + threadIdx.x % 32, run[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < mine; k++) {
        const unsigned r = (warp * mine + k) * 32 + threadIdx.x % 32;
        const typename E::Acc total = usw_run_total<false>(e, run[k], 0);
        const typename E::Acc before = usw_lanes_shift(e, usw_lanes_up<false>(e, total, 0));
        const typename E::Acc offset = usw_sweep_offset<false>(e, s, carry, r, before);
        usw_run_down<false>(e, run[k], 0, first && r == 0 ? 1 : 0, offset, exclusive);
        usw_run_put<E>(s.x, r, run[k]);
    }
}

#endif

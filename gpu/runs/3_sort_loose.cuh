/* 3_sort_loose.cuh - step 3 of the weave: the loose keys are sorted by merging, so that their time
 * does not depend on their values: tiles by a network, then run with run, level by level. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_3_SORT_LOOSE_CUH
#define USW_GPU_RUNS_3_SORT_LOOSE_CUH

#include "gpu/block/merge_path.cuh"
#include "gpu/block/sort_network.cuh"
#include "gpu/runs/control.cuh"

/* Sorts a tile of the list. */
template <typename K>
__device__ __forceinline__ void weave_sort_tile(K *list, unsigned n, unsigned tile, K *s)
{
    using sort = usw_block_sort<K, weave_shape<K>::sort_items>;
    static_assert(sort::padded(weave_shape<K>::sort_tile) <= weave_shape<K>::unit, "it fits");
    list += tile * static_cast<size_t>(weave_shape<K>::sort_tile);
    n -= tile * weave_shape<K>::sort_tile;
    n = n < weave_shape<K>::sort_tile ? n : weave_shape<K>::sort_tile;
    K x[weave_shape<K>::sort_items];
#pragma unroll
    for (unsigned i = 0; i < weave_shape<K>::sort_items; i++) {
        x[i] = sort::first(i) < n ? list[sort::first(i)] : static_cast<K>(~K(0));
    }
    sort::sort(x, s, n);
    for (unsigned p = threadIdx.x; p < n; p += blockDim.x) {
        list[p] = s[sort::at(p)];
    }
}

/* What a unit of output is merged from: na keys of a, nb of b. */
template <typename K> struct weave_pieces {
    const K *a, *b;
    unsigned na, nb;
};

/* Where the keys of ranks [rank, rank + count) of two sorted lists come from. All threads call. */
template <typename K>
__device__ __forceinline__ weave_pieces<K> weave_cut(const weave_pieces<K> &all, unsigned rank,
                                                     unsigned count)
{
    USW_SHARED_ARRAY(unsigned, cuts, [2]);
    const unsigned w = threadIdx.x / 32;
    if (w < 2) {
        const unsigned cut =
            usw_merge_path_wide(all.na, all.nb, rank + w * count,
                                [&](unsigned i, unsigned j) { return !(all.b[j] < all.a[i]); });
        if (threadIdx.x % 32 == 0) {
            cuts[w] = cut;
        }
    }
    __syncthreads();
    const unsigned begin = cuts[0], na = cuts[1] - begin;
    return {all.a + begin, all.b + (rank - begin), na, count - na};
}

/* Merges s[0 .. na) with s[na .. na + nb), in place. All threads call; s holds one key more. */
template <unsigned items, typename K>
__device__ __forceinline__ void weave_merge(K *s, unsigned na, unsigned nb)
{
    const unsigned count = na + nb, rank = threadIdx.x * items;
    K mine[items];
    if (rank < count) {
        unsigned i = usw_merge_path(s, na, s + na, nb, rank), j = na + rank - i;
        K left = s[i], right = s[j];
#pragma unroll
        for (unsigned k = 0; k < items; k++) {
            const bool take_b = j < count && (i >= na || right < left);
            mine[k] = take_b ? right : left;
            i += take_b ? 0 : 1;
            j += take_b ? 1 : 0;
            if (k + 1 < items) {
                const unsigned at = take_b ? j : i;
                const K next = s[at < count ? at : count];
                left = take_b ? left : next;
                right = take_b ? next : right;
            }
        }
    }
    __syncthreads();
    if (rank < count) {
#pragma unroll
        for (unsigned k = 0; k < items; k++) {
            if (rank + k < count) {
                s[rank + k] = mine[k];
            }
        }
    }
    __syncthreads();
}

/* Merges runs of `run` keys two by two, a tile of the output a task. */
template <typename K>
__device__ __forceinline__ void weave_merge_tile(const K *from, K *to, unsigned n, unsigned run,
                                                 unsigned tile, K *s)
{
    constexpr unsigned each = weave_shape<K>::sort_tile;
    const unsigned at = tile * each, pair = at / (2 * run) * (2 * run), left = n - pair;
    const unsigned na = left < run ? left : run, nb = left - na < run ? left - na : run;
    const unsigned count = n - at < each ? n - at : each;
    const weave_pieces<K> p =
        weave_cut<K>({from + pair, from + pair + na, na, nb}, at - pair, count);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        s[i] = i < p.na ? p.a[i] : p.b[i - p.na];
    }
    __syncthreads();
    if (p.na != 0 && p.nb != 0) {
        weave_merge<weave_shape<K>::sort_items>(s, p.na, p.nb);
    }
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        to[at + i] = s[i];
    }
}

/* The number of the phase that comes behind the last one; a.loose[0] then has the keys in order, or
 * a.loose[1], as `turn` says. */
template <typename K>
__device__ __forceinline__ unsigned weave_sort_loose(const weave_args<K> &a, unsigned phase,
                                                     unsigned n, unsigned &turn, K *s)
{
    constexpr unsigned each = weave_shape<K>::sort_tile;
    const unsigned tiles = (n + each - 1) / each;
    weave_phase(a.control, phase++, tiles,
                [&](unsigned t) { weave_sort_tile(a.loose[0], n, t, s); });
    turn = 0;
    for (unsigned run = each; run < n; run *= 2) {
        weave_phase(a.control, phase++, tiles, [&](unsigned t) {
            weave_merge_tile(a.loose[turn], a.loose[1 - turn], n, run, t, s);
        });
        turn = 1 - turn;
        WEAVE_WAY(WEAVE_LEVELS, threadIdx.x == 0)
    }
    return phase;
}

#endif

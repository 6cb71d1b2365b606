/* least_and_place.cuh - the least key under one key map or two, and the first place where the key
 * stands, in one pass.
 *
 * A thread keeps its least key and the number of the vector with that key. The key's position in
 * the vector is found when all vectors are done. Of equal keys the one in the first vector
 * counts. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_LEAST_AND_PLACE_CUH
#define USW_GPU_FOLDS_LEAST_AND_PLACE_CUH

#include "gpu/folds/reduce_exact.cuh"
#include "gpu/launch_chain.cuh"

enum : unsigned { USW_LEAST_THREADS = 256, USW_LEAST_BLOCKS = 3 }; /* of a multiprocessor */

/* The least mapped key of a vector. */
template <typename K>
__device__ __forceinline__ typename usw_acc_of<sizeof(K) == 8>::type
usw_least_of(const usw_gpu_keymap<K> &map, const usw_fold_vector<K> &x)
{
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    A least = static_cast<K>(~K(0));
#pragma unroll
    for (unsigned j = 0; j < 16 / sizeof(K); j++) {
        const A key = map.map(x.v[j]);
        least = key < least ? key : least;
    }
    return least;
}

template <typename K, unsigned count> struct usw_least_maps {
    usw_gpu_keymap<K> map[count];
};

/* The position of the first element of a vector whose mapped key is `key`. */
template <typename K>
__device__ __forceinline__ uint64_t usw_least_first(const usw_fold_args &a,
                                                    const usw_gpu_keymap<K> &map, uint64_t vector,
                                                    K key)
{
    constexpr unsigned per = 16 / sizeof(K);
    const K *data = static_cast<const K *>(a.data);
    uint64_t first = 0;
#pragma unroll
    for (unsigned j = per; j-- > 0;) {
        const uint64_t i = vector * per + j;
        const bool there = i >= a.lead && i < a.lead + a.n;
        first = there && map.map(data[there ? i : a.lead]) == key ? i : first;
    }
    return first - a.lead;
}

/* Joins two results: a key and its place for each map. */
template <unsigned words>
__device__ __forceinline__ usw_fold_found<words> usw_least_join(usw_fold_found<words> x,
                                                                const usw_fold_found<words> &y)
{
#pragma unroll
    for (unsigned w = 0; w < words; w += 2) {
        if (y.v[w] < x.v[w] || (y.v[w] == x.v[w] && y.v[w + 1] < x.v[w + 1])) {
            x.v[w] = y.v[w];
            x.v[w + 1] = y.v[w + 1];
        }
    }
    return x;
}

template <typename K, unsigned count>
__global__ void __launch_bounds__(USW_LEAST_THREADS, USW_LEAST_BLOCKS)
    usw_least(usw_fold_args a, usw_least_maps<K, count> maps)
{
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    const A none = static_cast<K>(~K(0));
    A best[count];
    uint64_t where[count];
    usw_chained();
    const unsigned long long drawn = usw_fold_draw(a);
#pragma unroll
    for (unsigned m = 0; m < count; m++) {
        best[m] = none;
        where[m] = 0;
    }
    usw_fold_share<K>(
        a, usw_fold_filled(K(0)), [](K element) { return usw_fold_filled(element); },
        [&](const usw_fold_vector<K>(&x)[USW_FOLD_AHEAD], uint64_t at, uint64_t step,
            unsigned there, bool edge) {
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
                for (unsigned m = 0; m < count; m++) {
                    const A here = (there >> i & 1) != 0 ? usw_least_of(maps.map[m], x[i]) : none;
                    const uint64_t vector = at + i * step;
                    const bool better =
                        here < best[m] || (edge && here == best[m] && vector < where[m]);
                    where[m] = better ? vector : where[m];
                    best[m] = better ? here : best[m];
                }
            }
        });
    usw_fold_found<2 * count> mine, neutral;
#pragma unroll
    for (unsigned m = 0; m < count; m++) {
        /* Where no key is less than the greatest one there is, all elements are that key, and the
         * first place is 0. */
        mine.v[2 * m] = best[m];
        mine.v[2 * m + 1] =
            best[m] == none ? 0
                            : usw_least_first<K>(a, maps.map[m], where[m], static_cast<K>(best[m]));
        neutral.v[2 * m] = none;
        neutral.v[2 * m + 1] = 0;
    }
    if (usw_fold_all(a, drawn, neutral, mine, usw_least_join<2 * count>)) {
#pragma unroll
        for (unsigned m = 0; m < count; m++) {
            a.keys[m] = mine.v[2 * m];
            a.index[m] = mine.v[2 * m + 1];
        }
    }
}

#endif

/* part_least.cuh - the least key under one map or two, and where it is first, in one pass.
 *
 * A thread remembers its least key and the vector it came from, not the position: that is looked up
 * when all vectors are done. Of equal keys the one that was met first stays. */
#ifndef USW_PART_LEAST_CUH
#define USW_PART_LEAST_CUH

#include "part_fold_exact.cuh"

enum : unsigned { USW_LEAST_BLOCKS = 3 }; /* a multiprocessor has registers for */

/* The least mapped key of vector `at`; elements beyond the array's ends have the greatest. */
template <typename K>
__device__ __forceinline__ typename usw_acc_of<sizeof(K) == 8>::type
usw_least_of(const usw_fold_args &a, const usw_gpu_keymap<K> &map, const usw_fold_vector<K> &x,
             uint64_t at)
{
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    constexpr unsigned per = 16 / sizeof(K);
    A least = static_cast<K>(~K(0));
    const uint64_t first = at * per, end = a.lead + a.n;
    const bool whole = first >= a.lead && first + per <= end;
#pragma unroll
    for (unsigned j = 0; j < per; j++) {
        const A key = map.map(x.v[j]);
        const bool counts = whole || (first + j >= a.lead && first + j < end);
        least = counts && key < least ? key : least;
    }
    return least;
}

template <typename K, unsigned count> struct usw_least_maps {
    usw_gpu_keymap<K> map[count];
};

__device__ __forceinline__ usw_fold_part usw_least_part(const usw_fold_part &x,
                                                        const usw_fold_part &y)
{
    return y.value < x.value || (y.value == x.value && y.index < x.index) ? y : x;
}

/* The first of a vector's elements with that key. */
template <typename K>
__device__ __forceinline__ uint64_t usw_least_first(const usw_fold_args &a,
                                                    const usw_gpu_keymap<K> &map, uint64_t vector,
                                                    K key)
{
    const K worst = map.unmap(static_cast<K>(~K(0)));
    const usw_fold_vector<K> x = usw_fold_load<K>(a, vector, worst);
    unsigned first = 0;
#pragma unroll
    for (unsigned j = 16 / sizeof(K); j-- > 0;) {
        first = map.map(x.v[j]) == key ? j : first;
    }
    return vector * (16 / sizeof(K)) + first - a.lead;
}

template <typename K, unsigned count>
__global__ void __launch_bounds__(USW_FOLD_THREADS, USW_LEAST_BLOCKS)
    usw_least(usw_fold_args a, usw_least_maps<K, count> maps)
{
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    A best[count];
    uint64_t where[count];
    for (unsigned m = 0; m < count; m++) {
        best[m] = static_cast<K>(~K(0));
        where[m] = 0;
    }
    usw_fold_share<K>(
        a, K(0), [&](const usw_fold_vector<K>(&x)[USW_FOLD_AHEAD], uint64_t at, uint64_t step) {
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
                for (unsigned m = 0; m < count; m++) {
                    A here = usw_least_of(a, maps.map[m], x[i], at + i * step);
                    where[m] = here < best[m] ? at + i * step : where[m];
                    best[m] = here < best[m] ? here : best[m];
                }
            }
        });
    const A none = static_cast<K>(~K(0));
    usw_fold_part mine[count];
    for (unsigned m = 0; m < count; m++) {
        /* Where nothing is less than the greatest key, all elements have it, the first one too. */
        mine[m] = {best[m], best[m] == none ? 0
                                            : usw_least_first<K>(a, maps.map[m], where[m],
                                                                 static_cast<K>(best[m]))};
    }
    if (usw_fold_all(a, usw_fold_part{none, 0}, mine, count, usw_least_part)) {
        for (unsigned m = 0; m < count; m++) {
            a.keys[m] = mine[m].value;
            a.index[m] = mine[m].index;
        }
    }
}

#endif

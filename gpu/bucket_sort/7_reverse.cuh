/* 7_reverse.cuh - the hybrid sort's way with keys that fall: their order is reversed; and
 * with keys of few values: each is written as often as it was counted. */
#ifndef USW_GPU_BUCKET_SORT_7_REVERSE_CUH
#define USW_GPU_BUCKET_SORT_7_REVERSE_CUH

#include "gpu/bucket_sort/7_write_few_values.cuh"

/* Keys from both ends change places, some of a thread's at a time. */
template <typename K>
__global__
    __launch_bounds__(512) void hybrid_reverse(K *keys, unsigned long long n, usw_gpu_keymap<K> map,
                                               const hybrid_plan *plan, const hybrid_few<K> *few)
{
    constexpr unsigned U = 8;
    if (plan->few) {
        hybrid_fill_few<K, 512>(keys, n, map, plan->few, few);
        return;
    }
    if (!plan->reverse) {
        return;
    }
    unsigned long long step = gridDim.x * 512ull, i = blockIdx.x * 512ull + threadIdx.x;
    for (; i + (U - 1) * step < n / 2; i += U * step) {
        K a[U], b[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            a[u] = keys[i + u * step];
            b[u] = keys[n - 1 - (i + u * step)];
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            keys[i + u * step] = b[u];
            keys[n - 1 - (i + u * step)] = a[u];
        }
    }
    for (; i < n / 2; i += step) {
        K a = keys[i], b = keys[n - 1 - i];
        keys[i] = b;
        keys[n - 1 - i] = a;
    }
}

#endif

/* sort_bitonic.cu - Batcher's bitonic network, CUDA form.
 *
 * Same as the explained form: merges of doubling size; a merge begins by comparing each key with
 * its mirror image in its block (which makes all exchanges ascending), then halves the distance
 * down to 1. Keys past the end count as the greatest, so exchanges with them are left out: any n.
 * Differs: rounds whose distance lies within a tile are done there, in shared memory, all of a
 * merge in one kernel; a round of greater distance is a kernel of its own.
 *
 * Shape    sort_tiles, merge_tiles: grid ceil(n / tile), block 512, shared 16 KB, which is a tile.
 *          mirror, halve: grid ceil(pairs / 256), block 256; one lane a pair.
 * Traffic  with a tile of 2^T keys: one read and one write of each key for the tiles, and p - T + 1
 *          of each for every merge of 2^p keys, p > T.
 * Source   Batcher, "Sorting networks and their applications", AFIPS 1968. */
/* SPDX-License-Identifier: MIT */
#include "gpu/block/bitonic.cuh"
#include "gpu/textbook/packed_pairs.cuh"

namespace
{

struct tuning {
    static constexpr unsigned tile_bytes = 16 * 1024;
    static constexpr unsigned tile_threads = 512;
    static constexpr unsigned pair_threads = 256;
};

template <typename E> constexpr unsigned tile_keys = tuning::tile_bytes / sizeof(E);

/* ---- inside a tile ---- */

template <typename E> __device__ __forceinline__ unsigned load_tile(E *a, const E *keys, size_t n)
{
    const size_t begin = static_cast<size_t>(blockIdx.x) * tile_keys<E>;
    const unsigned here =
        n - begin < tile_keys<E> ? static_cast<unsigned>(n - begin) : tile_keys<E>;
    for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
        a[i] = keys[begin + i];
    }
    __syncthreads();
    return here;
}

template <typename E> __device__ __forceinline__ void store_tile(const E *a, E *keys, unsigned here)
{
    const size_t begin = static_cast<size_t>(blockIdx.x) * tile_keys<E>;
    for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
        keys[begin + i] = a[i];
    }
}

template <typename E>
__global__ void __launch_bounds__(tuning::tile_threads) sort_tiles(E *keys, size_t n)
{
    USW_SHARED_ARRAY(E, a, [tile_keys<E>]);
    const unsigned here = load_tile<E>(a, keys, n);
    usw_bitonic_sort(a, here);
    store_tile<E>(a, keys, here);
}

/* The rounds of a merge whose distance is below a tile. */
template <typename E>
__global__ void __launch_bounds__(tuning::tile_threads) merge_tiles(E *keys, size_t n)
{
    USW_SHARED_ARRAY(E, a, [tile_keys<E>]);
    const unsigned here = load_tile<E>(a, keys, n);
    for (unsigned distance = tile_keys<E> / 2; distance > 0; distance /= 2) {
        usw_bitonic_halve(a, here, distance);
    }
    store_tile<E>(a, keys, here);
}

/* ---- over all keys: a round is a kernel ---- */

/* Blocks of 2^p keys; a key of the lower half meets its mirror image, those in the middle first. */
template <typename E>
__global__ void __launch_bounds__(tuning::pair_threads) mirror(E *keys, size_t n, unsigned p)
{
    const size_t t = usw_own_element(), half = static_cast<size_t>(1) << (p - 1);
    const size_t within = t & (half - 1), middle = (t >> (p - 1) << p) + half;
    if (middle + within < n) {
        usw_compare_exchange(keys, middle - 1 - within, middle + within);
    }
}

/* Pairs at the distance 2^p. */
template <typename E>
__global__ void __launch_bounds__(tuning::pair_threads) halve(E *keys, size_t n, unsigned p)
{
    const size_t t = usw_own_element(), distance = static_cast<size_t>(1) << p;
    const size_t i = t >> p << (p + 1) | (t & (distance - 1));
    if (i + distance < n) {
        usw_compare_exchange(keys, i, i + distance);
    }
}

/* ---- the whole ---- */

struct elements {
    template <typename E> static upsweep_status sort(usw_gpu *g, E *keys, size_t n)
    {
        const unsigned tiles = usw_blocks_for(n, tile_keys<E>);
        const unsigned pair_blocks = usw_blocks_for(n, 2 * tuning::pair_threads);
        unsigned tile_log2 = 0;
        while ((1u << tile_log2) < tile_keys<E>) {
            tile_log2++;
        }
        USW_LAUNCH(g, sort_tiles<E>, tiles, tuning::tile_threads, 0, keys, n);
        for (unsigned p = tile_log2 + 1; n > static_cast<size_t>(1) << (p - 1); p++) {
            USW_LAUNCH(g, mirror<E>, pair_blocks, tuning::pair_threads, 0, keys, n, p);
            for (unsigned d = p - 2; d >= tile_log2; d--) {
                USW_LAUNCH(g, halve<E>, pair_blocks, tuning::pair_threads, 0, keys, n, d);
            }
            USW_LAUNCH(g, merge_tiles<E>, tiles, tuning::tile_threads, 0, keys, n);
            if (g->status != UPSWEEP_OK) {
                break;
            }
        }
        return g->status;
    }
};

} // namespace

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_bitonic_cuda) = {
    usw_gpu_sort_elements<elements>, usw_gpu_pairs_elements<elements>, 0, false, true};

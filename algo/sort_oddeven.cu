/* sort_oddeven.cu - odd-even transposition sort, CUDA form.
 *
 * Same as the explained form: rounds that compare-exchange neighbours, even pairs and odd pairs in
 * turn, lane t owning the pair that begins at 2 t and in odd rounds the one at 2 t + 1. The keys of
 * a block lie in shared memory, all lanes go through the barrier after each round, those without a
 * pair too. Two rounds in succession that exchange nothing are the last.
 * Differs: beyond one block, sorted tiles take the place of keys. In a round every second pair of
 * neighbouring tiles exchanges by merging: the lower half stays on the left. As many rounds as
 * there are tiles sort them all; a round after two that exchanged nothing does nothing.
 *
 * Shape    sort_tiles: grid ceil(n / 1024), block 512, shared 1024 elements; one lane a pair.
 *          exchange_tiles: grid ceil(n / 2048), block 512, shared 2048 elements; a lane merges 4.
 * Traffic  each key once read and once written by sort_tiles and, at most, by each of the n / 1024
 *          rounds over tiles.
 * Source   Habermann, 1972; tiles: Baudet and Stevenson, "Optimal sorting algorithms for parallel
 *          computers", IEEE ToC 1978. */
/* SPDX-License-Identifier: MIT */
#include "gpu/block/merge_path.cuh"
#include "gpu/textbook/packed_pairs.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 512;
    static constexpr unsigned tile = 2 * threads; /* keys: a pair for each lane */
    static constexpr unsigned merged = 2 * tile / threads;
    static constexpr size_t n_max = size_t(1) << 26; /* 65536 rounds over all keys */
};

/* ---- one block: rounds over keys ---- */

/* Returns whether the keys changed places. */
template <typename E> __device__ __forceinline__ bool compare_exchange(E *a, unsigned i, unsigned j)
{
    const E low = a[i], high = a[j];
    const bool change = high < low;
    if (change) {
        a[i] = high;
        a[j] = low;
    }
    return change;
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads) sort_tiles(E *keys, size_t n)
{
    USW_SHARED_ARRAY(E, a, [tuning::tile]);
    const size_t begin = static_cast<size_t>(blockIdx.x) * tuning::tile;
    const unsigned here =
        n - begin < tuning::tile ? static_cast<unsigned>(n - begin) : tuning::tile;
    for (unsigned i = threadIdx.x; i < here; i += tuning::threads) {
        a[i] = keys[begin + i];
    }
    __syncthreads();
    const unsigned even = 2 * threadIdx.x, odd = even + 1;
    for (unsigned r = 0; r < here; r += 2) {
        bool changed = even + 1 < here && compare_exchange(a, even, even + 1);
        __syncthreads();
        changed |= odd + 1 < here && compare_exchange(a, odd, odd + 1);
        if (__syncthreads_or(changed) == 0) {
            break;
        }
    }
    for (unsigned i = threadIdx.x; i < here; i += tuning::threads) {
        keys[begin + i] = a[i];
    }
}

/* ---- tiles of tiles: rounds over sorted tiles ---- */

/* Lowest keys to the left tile, highest to the right one. changed[r % 4] tells whether round r
 * exchanged anything; the word of the next round is cleared by this one. */
template <typename E>
__global__ void __launch_bounds__(tuning::threads)
    exchange_tiles(E *keys, size_t n, unsigned r, unsigned *changed)
{
    USW_SHARED_ARRAY(E, a, [2 * tuning::tile]);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        changed[(r + 1) % 4] = 0;
    }
    const size_t begin = (2 * static_cast<size_t>(blockIdx.x) + r % 2) * tuning::tile;
    const bool over = r >= 2 && changed[(r - 1) % 4] == 0 && changed[(r - 2) % 4] == 0;
    if (over || begin + tuning::tile >= n ||
        keys[begin + tuning::tile - 1] <= keys[begin + tuning::tile]) {
        return; /* the same for all lanes of the block */
    }
    const unsigned here =
        n - begin < 2 * tuning::tile ? static_cast<unsigned>(n - begin) : 2 * tuning::tile;
    __syncthreads(); /* all lanes have compared the two tiles' ends before these change */
    for (unsigned i = threadIdx.x; i < here; i += tuning::threads) {
        a[i] = keys[begin + i];
    }
    __syncthreads();
    E merged[tuning::merged];
    const unsigned first = threadIdx.x * tuning::merged;
    usw_merge_some<tuning::merged>(a, tuning::tile, a + tuning::tile, here - tuning::tile, first,
                                   merged);
    __syncthreads();
    for (unsigned k = 0; k < tuning::merged; k++) {
        if (first + k < here) {
            a[first + k] = merged[k];
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < here; i += tuning::threads) {
        keys[begin + i] = a[i];
    }
    if (threadIdx.x == 0) {
        changed[r % 4] = 1;
    }
}

/* ---- the whole ---- */

struct elements {
    template <typename E> static upsweep_status sort(usw_gpu *g, E *keys, size_t n)
    {
        if (n > tuning::n_max) {
            return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED, "sort/oddeven takes up to %zu keys",
                                tuning::n_max);
        }
        unsigned *changed = static_cast<unsigned *>(usw_gpu_scratch(g, 4 * sizeof(unsigned)));
        if (changed == nullptr) {
            return g->status;
        }
        const unsigned tiles = usw_blocks_for(n, tuning::tile);
        USW_LAUNCH(g, sort_tiles<E>, tiles, tuning::threads, 0, keys, n);
        usw_gpu_fill(g, changed, 0, 4 * sizeof(unsigned));
        for (unsigned r = 0; r < tiles && tiles > 1 && g->status == UPSWEEP_OK; r++) {
            USW_LAUNCH(g, exchange_tiles<E>, (tiles + 1) / 2, tuning::threads, 0, keys, n, r,
                       changed);
        }
        return g->status;
    }
};

} // namespace

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_oddeven_cuda) = {
    usw_gpu_sort_elements<elements>, usw_gpu_pairs_elements<elements>, tuning::n_max, false, true};

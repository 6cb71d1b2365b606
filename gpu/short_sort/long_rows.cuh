/* long_rows.cuh - rows of more keys than a block holds, all of them by all blocks together.
 *
 * Idea     Every row is cut into tiles; a block sorts a tile. Then, level by level, neighbouring
 *          runs are merged: where a tile of the result begins in its two runs is found by a warp,
 *          32 places at a time. Work is dealt out by tiles, so that one very long row among many
 *          keeps all blocks busy. A row moves between keys and keys_tmp so that it ends in keys.
 *
 * Shape    one cooperative launch, a barrier a level. Traffic: all keys of such rows read and
 *          written once, and once more for every doubling of the longest. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SHORT_SORT_LONG_ROWS_CUH
#define USW_GPU_SHORT_SORT_LONG_ROWS_CUH

#include "gpu/block/merge_path.cuh"
#include "gpu/short_sort/rows.cuh"

template <typename K, bool indexed> struct rows_merger {
    using numbers = rows_number<K, indexed>;
    using E = typename numbers::type;
    using sorter = typename numbers::sorter;
    static constexpr unsigned I = numbers::items, T = numbers::tile,
                              threads = rows_tuning::long_threads;
    const rows_args<K> &a;
    E *shared;
    unsigned *cut; /* 2 words of shared memory */
    /* The row at hand. */
    size_t number, rows, at, count, tile_begin;

    static __device__ __forceinline__ size_t tiles_of(size_t count)
    {
        return (count + T - 1) / T;
    }
    static __device__ __forceinline__ unsigned levels_of(size_t tiles)
    {
        return tiles < 2 ? 0 : 64 - __clzll(static_cast<long long>(tiles - 1));
    }
    __device__ __forceinline__ void load_row(size_t r)
    {
        number = r;
        if (a.begin == nullptr) {
            at = r * a.row_keys;
            count = a.row_keys;
            tile_begin = r * tiles_of(count);
        } else {
            const rows_long_row &row = a.long_list[r];
            at = row.at;
            count = row.count;
            tile_begin = row.tile_begin;
        }
    }
    /* Finds the row of a tile, by its number among the tiles of all long rows. */
    __device__ __forceinline__ void find(size_t tile)
    {
        if (a.begin == nullptr) {
            load_row(tile / tiles_of(a.row_keys));
            return;
        }
        size_t low = 0, high = rows - 1;
        while (low < high) {
            const size_t middle = (low + high + 1) / 2;
            const bool right = a.long_list[middle].tile_begin <= tile;
            low = right ? middle : low;
            high = right ? high : middle - 1;
        }
        load_row(low);
    }

    __device__ __forceinline__ K *keys_of(bool tmp) const
    {
        return (tmp ? a.keys_tmp : a.keys) + at;
    }
    /* The position in its row of the key that lies at `p`. */
    __device__ __forceinline__ uint64_t index_at(bool tmp, size_t p) const
    {
        const void *from = tmp ? a.index_tmp : a.index;
        return a.index_bytes == 4 ? static_cast<const uint32_t *>(from)[at + p]
                                  : static_cast<const uint64_t *>(from)[at + p];
    }

    /* Sorts a tile of the row, to where the first level reads it. */
    __device__ __forceinline__ void sort_tile(size_t tile)
    {
        const size_t first = tile * T;
        const unsigned here = count - first < T ? static_cast<unsigned>(count - first) : T;
        const bool tmp = levels_of(tiles_of(count)) % 2 != 0;
        const K *from = a.keys + at + first;
        E x[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            const unsigned j = sorter::first(i);
            x[i] = j < here ? numbers::make(a.map.map(from[j]), j) : static_cast<E>(~E(0));
        }
        sorter::sort(x, shared, here);
        K *to = keys_of(tmp) + first;
        for (unsigned j = threadIdx.x; j < here; j += threads) {
            const E n = shared[sorter::at(j)];
            to[j] = numbers::key(n);
            if constexpr (indexed) {
                rows_store_index(tmp ? a.index_tmp : a.index, a.index_bytes, at + first + j,
                                 first + static_cast<uint32_t>(n));
            }
        }
        __syncthreads();
    }

    /* Merges one tile of the row's next level from two runs of `run` keys. */
    __device__ __forceinline__ void merge_tile(size_t tile, size_t run, bool from_tmp, bool last)
    {
        const size_t first = tile * T, pair = first / (2 * run) * (2 * run);
        const size_t nx = count - pair < run ? count - pair : run;
        const size_t ny = count - pair - nx < run ? count - pair - nx : run;
        const size_t diagonal = first - pair, left = nx + ny - diagonal;
        const unsigned here = left < T ? static_cast<unsigned>(left) : T;
        const K *x = keys_of(from_tmp) + pair, *y = x + nx;
        if (threadIdx.x < 64) {
            const unsigned w = threadIdx.x / 32;
            const size_t c = usw_merge_path_wide(nx, ny, w == 0 ? diagonal : diagonal + here,
                                                 [&](size_t i, size_t j) { return x[i] <= y[j]; });
            if (threadIdx.x % 32 == 0) {
                reinterpret_cast<size_t *>(cut)[w] = c;
            }
        }
        __syncthreads();
        const size_t x_cut = reinterpret_cast<const size_t *>(cut)[0], y_cut = diagonal - x_cut;
        const unsigned own =
            static_cast<unsigned>(reinterpret_cast<const size_t *>(cut)[1] - x_cut);
        for (unsigned j = threadIdx.x; j < here; j += threads) {
            const K key = j < own ? x[x_cut + j] : y[y_cut + (j - own)];
            shared[sorter::at(j)] = numbers::make(key, j);
        }
        __syncthreads();
        const unsigned mine = threadIdx.x * I;
        E z[I];
        if (mine < here) {
            sorter::merge(shared, 0, own, here - own, mine, z);
        }
        __syncthreads();
        if (mine < here) {
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                shared[sorter::at(mine + i)] = z[i];
            }
        }
        __syncthreads();
        K *to = keys_of(!from_tmp) + first;
        for (unsigned j = threadIdx.x; j < here; j += threads) {
            const E n = shared[sorter::at(j)];
            to[j] = last ? a.map.unmap(numbers::key(n)) : numbers::key(n);
            if constexpr (indexed) {
                const unsigned p = static_cast<uint32_t>(n);
                const size_t from = pair + (p < own ? x_cut + p : nx + y_cut + (p - own));
                rows_store_index(from_tmp ? a.index : a.index_tmp, a.index_bytes, at + first + j,
                                 index_at(from_tmp, from));
            }
        }
        __syncthreads();
    }

    /* Level 0 sorts; level l merges runs of T << (l - 1) keys. This block's share of the tiles. */
    __device__ __forceinline__ void level(unsigned l, size_t begin, size_t end)
    {
        if (begin >= end) {
            return;
        }
        find(begin);
        for (size_t t = begin; t < end; t++) {
            while (t - tile_begin >= tiles_of(count)) {
                load_row(number + 1);
            }
            const unsigned levels = levels_of(tiles_of(count));
            if (l == 0) {
                sort_tile(t - tile_begin);
            } else if (l <= levels) {
                merge_tile(t - tile_begin, size_t(T) << (l - 1), (levels - l + 1) % 2 != 0,
                           l == levels);
            }
        }
    }
};

template <typename K, bool indexed>
__global__ void __launch_bounds__(rows_tuning::long_threads, 2)
    usw_rows_long(const __grid_constant__ rows_args<K> a)
{
    using merger = rows_merger<K, indexed>;
    using E = typename rows_number<K, indexed>::type;
    USW_DYNAMIC_SHARED(E, shared);
    USW_SHARED_ARRAY(unsigned long long, cut, [2]);
    merger m = {a, shared, reinterpret_cast<unsigned *>(cut), 0, 0, 0, 0, 0};
    size_t tiles, longest;
    if (a.begin == nullptr) {
        longest = m.tiles_of(a.row_keys);
        m.rows = a.rows;
        tiles = a.rows * longest;
    } else {
        m.rows = a.control->long_rows & 0xffffffff;
        tiles = a.control->long_rows >> 32;
        longest = a.control->longest;
    }
    if (tiles == 0) {
        return;
    }
    const unsigned levels = m.levels_of(longest);
    const size_t share = (tiles + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
    for (unsigned l = 0; l <= levels; l++) {
        m.level(l, begin, begin + share < tiles ? begin + share : tiles);
        if (l < levels) {
            usw_grid_barrier(a.barrier, l + 1, l + 1 == levels);
        }
    }
}

#endif

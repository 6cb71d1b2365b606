/* tied.cuh - puts strings in order whose keys are equal: runs of positions, in the order of keys.
 *
 * A block takes the runs that begin in its 640 places, and sorts those of their strings that have
 * a key in common with another (tied_tile.cuh). Runs that reach more than 384 places beyond these
 * are left to usw_sort_long_runs, a block a run, which has those of up to 1024 strings sorted
 * likewise, and of others tiles, by comparisons, which it merges. Of a sample of one in 64 there
 * are hardly any. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_TIED_CUH
#define USW_GPU_STRINGS_TIED_CUH

#include "gpu/strings/splitters.cuh"
#include "gpu/strings/tied_tile.cuh"

enum : unsigned { USW_TIED_PLACES = 640 }; /* of a block */

/* Blocks that a multiprocessor is to hold: those before sm_80 have room for 1024 threads. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define USW_TIED_BLOCKS 4
#else
#define USW_TIED_BLOCKS 5
#endif

/* Runs that no block takes: where they begin and end, and bytes that are known to be equal. */
struct usw_long_run {
    uint64_t begin, end, known;
};
struct usw_long_runs {
    unsigned long long *count;
    usw_long_run *runs;
};
static inline size_t usw_long_runs_most(size_t n)
{
    return n / (USW_TIED_TILE - USW_TIED_PLACES) + 1;
}

struct usw_sorted_keys {
    usw_string_keys keys;
    uint64_t n;

    __device__ __forceinline__ bool same(uint64_t i, uint64_t j) const
    {
        return keys.keys[i] == keys.keys[j] && !keys.whole(keys.keys[i]);
    }
    /* The first place from i on at which a run begins, or n. */
    __device__ uint64_t run_from(uint64_t i) const
    {
        if (i == 0 || i >= n || !same(i - 1, i)) {
            return i;
        }
        uint64_t low = i, high = i + 1; /* low is in the run */
        for (uint64_t step = 1; high < n && same(low, high); step *= 2) {
            low = high;
            high = n - low > step ? low + step : n;
        }
        return bound(low, high);
    }
    /* Where the run begins to which `i` belongs; not before `first`, where one does. */
    __device__ uint64_t run_of(uint64_t i, uint64_t first) const
    {
        uint64_t low = first, high = i; /* high is in the run */
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (same(middle, i)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

  private:
    __device__ uint64_t bound(uint64_t low, uint64_t high) const
    {
        while (high - low > 1) {
            const uint64_t middle = low + (high - low) / 2;
            if (same(low, middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
};

/* The tile's range: the runs that begin in the block's places, but for one that is too long. */
__device__ __forceinline__ void usw_tied_range(usw_tied_tile &tile, const usw_sorted_keys &keys,
                                               const usw_long_runs &longs)
{
    const uint64_t first = blockIdx.x * uint64_t(USW_TIED_PLACES);
    if (threadIdx.x == 0) {
        tile.begin = keys.run_from(first);
    }
    if (threadIdx.x == 32) {
        tile.end =
            keys.run_from(keys.n - first > USW_TIED_PLACES ? first + USW_TIED_PLACES : keys.n);
    }
    __syncthreads();
    if (tile.end > tile.begin && tile.end - tile.begin > USW_TIED_TILE) { /* by its last run */
        __syncthreads();
        if (threadIdx.x == 0) {
            const uint64_t end = tile.end;
            tile.end = keys.run_of(end - 1, tile.begin);
            longs.runs[atomicAdd(longs.count, 1ull)] = {tile.end, end,
                                                        keys.keys.known(keys.keys.keys[tile.end])};
        }
        __syncthreads();
    }
}

/* The strings of the range that have their key in common with another. */
template <typename I>
__device__ __forceinline__ unsigned usw_tied_begin(usw_tied_tile &tile, const usw_sorted_keys &keys,
                                                   const I *index)
{
    return usw_tied_keep(
        tile, tile.sides[0],
        [&](unsigned k, bool &head) {
            const uint64_t at = tile.begin + k;
            const bool some = at < tile.end;
            const bool before = some && k > 0 && keys.same(at, at - 1);
            const bool behind = some && at + 1 < tile.end && keys.same(at, at + 1);
            head = behind && !before;
            return before || behind;
        },
        [&](unsigned k) {
            const uint64_t at = tile.begin + k;
            return usw_tied_kept{index[at], k,
                                 static_cast<unsigned>(keys.keys.known(keys.keys.keys[at]))};
        });
}

template <typename I>
static __global__ void __launch_bounds__(USW_MERGE_THREADS, USW_TIED_BLOCKS)
    usw_sort_tied(const __grid_constant__ usw_string_order order, usw_sorted_keys keys, I *index,
                  usw_long_runs longs)
{
    USW_SHARED(usw_tied_tile, tile);
    usw_tied_range(tile, keys, longs);
    const unsigned count = usw_tied_begin(tile, keys, index);
    usw_tied_rounds(tile, order, count, keys.keys.text_bits / 8, index);
}

/* Merges sorted runs of `run` places, two by two, from -> to, by the whole block. */
template <typename I>
__device__ __forceinline__ void usw_merge_long(const usw_tied_bytes_order &order, const I *from,
                                               I *to, uint64_t n, uint64_t run)
{
    for (uint64_t p = threadIdx.x * uint64_t(USW_ITEM_EACH); p < n; p += USW_ITEM_TILE) {
        const uint64_t first = p / (2 * run) * (2 * run), left = n - first;
        const uint64_t na = left < run ? left : run, nb = left - na < run ? left - na : run;
        const I *const a = from + first, *const b = a + na;
        const uint64_t rank = p - first;
        uint64_t i = usw_merge_rank(
            order, na, nb, rank,
            [&](uint64_t k) {
                return usw_merge_item{0, a[k]};
            },
            [&](uint64_t k) {
                return usw_merge_item{0, b[k]};
            });
        uint64_t j = rank - i;
        for (unsigned k = 0; k < USW_ITEM_EACH && p + k < first + na + nb; k++) {
            const bool take_b = j < nb && (i >= na || order.before(usw_merge_item{0, b[j]},
                                                                   usw_merge_item{0, a[i]}));
            to[p + k] = take_b ? b[j++] : a[i++];
        }
    }
    __syncthreads();
}

/* A run of more strings than a tile has. buffer: USW_ITEM_TILE + 1 items. other: as many places as
 * there are of index. */
template <typename I>
__device__ __noinline__ void usw_sort_long_run(const usw_tied_bytes_order &order,
                                               usw_merge_item *buffer, uint64_t n, I *index,
                                               I *other)
{
    for (uint64_t at = 0; at < n; at += USW_ITEM_TILE) {
        const unsigned count =
            static_cast<unsigned>(n - at < USW_ITEM_TILE ? n - at : +USW_ITEM_TILE);
        for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
            buffer[i] = {0, index[at + i]};
        }
        __syncthreads();
        usw_sort_item_tile<USW_ITEM_EACH>(order, buffer, count);
        for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
            index[at + i] = static_cast<I>(buffer[i].position);
        }
        __syncthreads();
    }
    I *from = index, *to = other;
    for (uint64_t run = USW_ITEM_TILE; run < n; run *= 2) {
        usw_merge_long(order, from, to, n, run);
        I *const swap = from;
        from = to;
        to = swap;
    }
    for (uint64_t i = threadIdx.x; i < n && from != index; i += USW_MERGE_THREADS) {
        index[i] = from[i];
    }
    __syncthreads();
}

/* since: bytes of keys. other: as many as there are of index. */
template <typename I>
static __global__ void __launch_bounds__(USW_MERGE_THREADS, 4)
    usw_sort_long_runs(const __grid_constant__ usw_string_order order, usw_long_runs longs,
                       unsigned since, I *index, I *other)
{
    USW_SHARED(usw_tied_tile, tile);
    for (uint64_t r = blockIdx.x; r < *longs.count; r += gridDim.x) {
        const usw_long_run it = longs.runs[r];
        const uint64_t n = it.end - it.begin;
        if (n > USW_TIED_TILE) {
            static_assert(sizeof tile > USW_ITEM_TILE * sizeof(usw_merge_item), "a larger tile");
            usw_sort_long_run(usw_tied_bytes_order{order, it.known},
                              reinterpret_cast<usw_merge_item *>(&tile), n, index + it.begin,
                              other + it.begin);
            continue;
        }
        if (threadIdx.x == 0) {
            tile.begin = it.begin;
        }
        const unsigned count = usw_tied_keep(
            tile, tile.sides[0],
            [&](unsigned k, bool &head) {
                head = k == 0;
                return k < n;
            },
            [&](unsigned k) {
                return usw_tied_kept{index[it.begin + k], k, static_cast<unsigned>(it.known)};
            });
        usw_tied_rounds(tile, order, count, since, index);
        __syncthreads();
    }
}

#endif

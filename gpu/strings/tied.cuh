/* tied.cuh - puts strings in order whose keys are equal: runs of positions, in the order of keys.
 *
 * A block takes the runs that begin in its 1280 places, and of these the strings that have a key in
 * common with another. Round by round it loads their next 8 bytes, sorts by run and by these in
 * shared memory, and goes on with those that are still alike. Each round reads a string once, where
 * a sort by comparisons would read it many times. After 32 rounds strings are compared.
 *
 * Runs that reach more than 512 places beyond the block's are left to usw_sort_long_runs, a block a
 * run: tiles sorted by comparisons, then merged. Of a sample of one in 256 there are hardly any. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_TIED_CUH
#define USW_GPU_STRINGS_TIED_CUH

#include "gpu/block/scan.cuh"
#include "gpu/strings/splitters.cuh"

enum : unsigned {
    USW_TIED_PLACES = 1280, /* of a block */
    USW_TIED_ROUNDS = 32,
    USW_TIED_RUN_BIT = 53, /* an item's position: run, bytes left up to a limit, position */
    USW_TIED_LEFT_BIT = 48,
    USW_TIED_LEFT = 31,
};

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
    return n / (USW_ITEM_TILE - USW_TIED_PLACES) + 1;
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

/* By run, by the next 8 bytes, by bytes left, by position. */
struct usw_tied_order {
    typedef usw_merge_item item;

    __device__ __forceinline__ bool before(usw_merge_item x, usw_merge_item y) const
    {
        const uint64_t a = x.position >> USW_TIED_RUN_BIT, b = y.position >> USW_TIED_RUN_BIT;
        return a != b ? a < b : x.chunk != y.chunk ? x.chunk < y.chunk : x.position < y.position;
    }
};
/* By run, by bytes behind `known`, by position. */
struct usw_tied_bytes_order {
    typedef usw_merge_item item;
    usw_string_order order;
    uint64_t known;

    __device__ __forceinline__ bool before(usw_merge_item x, usw_merge_item y) const
    {
        const uint64_t positions = (uint64_t(1) << USW_TIED_LEFT_BIT) - 1;
        const uint64_t a = x.position >> USW_TIED_RUN_BIT, b = y.position >> USW_TIED_RUN_BIT;
        return a != b
                   ? a < b
                   : order.before_by_bytes(x.position & positions, y.position & positions, known);
    }
};

/* The tied strings of a block, in the order of their runs. */
struct usw_tied_tile {
    usw_merge_item items[USW_ITEM_TILE + 1];
    unsigned short slots[USW_ITEM_TILE]; /* the places that they take, in ascending order */
    unsigned sums[USW_MERGE_THREADS / 32];
    uint64_t begin, end;
};

/* What a thread has of them. */
struct usw_tied_mine {
    uint64_t position[USW_ITEM_EACH];
    unsigned short slot[USW_ITEM_EACH];
    unsigned kept, heads; /* bits: stays in the list; begins a run, and stays */
};

/* Leaves in the tile what threads keep, and returns how many these are. */
__device__ __forceinline__ unsigned usw_tied_keep(usw_tied_tile &tile, const usw_tied_mine &mine)
{
    unsigned all;
    const unsigned own =
        static_cast<unsigned>(__popc(mine.heads)) << 16 | static_cast<unsigned>(__popc(mine.kept));
    const unsigned before = usw_block_exclusive_scan(own, tile.sums, &all);
    unsigned to = before & 0xffff, run = before >> 16;
#pragma unroll
    for (unsigned i = 0; i < USW_ITEM_EACH; i++) {
        run += mine.heads >> i & 1;
        if ((mine.kept >> i & 1) != 0) {
            tile.items[to].position = uint64_t(run) << USW_TIED_RUN_BIT | mine.position[i];
            tile.slots[to++] = mine.slot[i];
        }
    }
    __syncthreads();
    return all & 0xffff;
}

/* The tile's range, and in it the strings that have their key in common with another. */
template <typename I>
__device__ __forceinline__ unsigned usw_tied_begin(usw_tied_tile &tile, const usw_sorted_keys &keys,
                                                   const I *index, const usw_long_runs &longs)
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
    if (tile.end > tile.begin && tile.end - tile.begin > USW_ITEM_TILE) { /* by its last run */
        __syncthreads();
        if (threadIdx.x == 0) {
            const uint64_t end = tile.end;
            tile.end = keys.run_of(end - 1, tile.begin);
            longs.runs[atomicAdd(longs.count, 1ull)] = {tile.end, end,
                                                        keys.keys.known(keys.keys.keys[tile.end])};
        }
        __syncthreads();
    }
    usw_tied_mine mine = {};
#pragma unroll
    for (unsigned i = 0; i < USW_ITEM_EACH; i++) {
        const unsigned slot = threadIdx.x * USW_ITEM_EACH + i;
        const uint64_t at = tile.begin + slot;
        const bool some = at < tile.end;
        const bool last = some && at > tile.begin && keys.same(at, at - 1);
        const bool next = some && at + 1 < tile.end && keys.same(at, at + 1);
        mine.kept |= unsigned(last || next) << i;
        mine.heads |= unsigned(next && !last) << i;
        mine.slot[i] = static_cast<unsigned short>(slot);
        mine.position[i] = last || next ? index[at] : 0;
    }
    return usw_tied_keep(tile, mine);
}

/* Writes those of the sorted items that differ from their neighbours or have no bytes left, and
 * keeps the others. more: what an item's bytes left say if there are more than 8. */
template <typename I>
__device__ __forceinline__ unsigned usw_tied_settle(usw_tied_tile &tile, unsigned count,
                                                    unsigned more, I *index)
{
    usw_tied_mine mine = {};
#pragma unroll
    for (unsigned i = 0; i < USW_ITEM_EACH; i++) {
        const unsigned k = threadIdx.x * USW_ITEM_EACH + i;
        if (k >= count) {
            break;
        }
        const usw_merge_item x = tile.items[k];
        const auto same = [&](unsigned other) {
            const usw_merge_item y = tile.items[other];
            return x.chunk == y.chunk &&
                   x.position >> USW_TIED_LEFT_BIT == y.position >> USW_TIED_LEFT_BIT;
        };
        const bool on = (x.position >> USW_TIED_LEFT_BIT & USW_TIED_LEFT) == more;
        const bool last = on && k > 0 && same(k - 1), next = on && k + 1 < count && same(k + 1);
        mine.kept |= unsigned(last || next) << i;
        mine.heads |= unsigned(next && !last) << i;
        mine.slot[i] = tile.slots[k];
        mine.position[i] = x.position & ((uint64_t(1) << USW_TIED_LEFT_BIT) - 1);
        if (!last && !next) {
            index[tile.begin + mine.slot[i]] = static_cast<I>(mine.position[i]);
        }
    }
    __syncthreads();
    return usw_tied_keep(tile, mine);
}

template <typename I>
static __global__ void __launch_bounds__(USW_MERGE_THREADS)
    usw_sort_tied(usw_string_order order, usw_sorted_keys keys, I *index, usw_long_runs longs)
{
    USW_SHARED(usw_tied_tile, tile);
    unsigned count = usw_tied_begin(tile, keys, index, longs);
    for (unsigned round = 0; count > 0; round++) {
        if (round == USW_TIED_ROUNDS) {
            const usw_tied_bytes_order bytes = {order, order.strings.beginning()};
            usw_sort_item_tile(bytes, tile.items, count);
            usw_tied_settle(tile, count, USW_TIED_LEFT, index);
            return;
        }
        /* Strings may end within the bytes of their key. */
        const unsigned since = round == 0 ? keys.keys.text_bits / 8 : 0, most = since + 9;
        for (unsigned k = threadIdx.x; k < count; k += USW_MERGE_THREADS) {
            usw_merge_item *const item = &tile.items[k];
            const usw_string x =
                order.strings.string(item->position & ((uint64_t(1) << USW_TIED_LEFT_BIT) - 1));
            const uint64_t key = keys.keys.keys[tile.begin + tile.slots[k]];
            const uint64_t known = keys.keys.known(key) + 8 * round;
            const uint64_t left = x.length - (known - since), few = left < most ? left : most;
            item->chunk = order.text(x, known, x.length > known ? x.length - known : 0);
            item->position |= (order.descending ? most - few : few) << USW_TIED_LEFT_BIT;
        }
        __syncthreads();
        usw_sort_item_tile(usw_tied_order(), tile.items, count);
        count = usw_tied_settle(tile, count, order.descending ? 0 : most, index);
    }
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

/* other: as many as there are of index. */
template <typename I>
static __global__ void __launch_bounds__(USW_MERGE_THREADS)
    usw_sort_long_runs(usw_string_order order, usw_long_runs longs, I *index, I *other)
{
    USW_SHARED_ARRAY(usw_merge_item, buffer, [USW_ITEM_TILE + 1]);
    for (uint64_t r = blockIdx.x; r < *longs.count; r += gridDim.x) {
        const usw_long_run it = longs.runs[r];
        const usw_tied_bytes_order bytes = {order, it.known};
        const uint64_t n = it.end - it.begin;
        I *from = index + it.begin, *to = other + it.begin;
        for (uint64_t at = 0; at < n; at += USW_ITEM_TILE) {
            const unsigned count =
                static_cast<unsigned>(n - at < USW_ITEM_TILE ? n - at : +USW_ITEM_TILE);
            for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
                buffer[i] = {0, from[at + i]};
            }
            __syncthreads();
            usw_sort_item_tile(bytes, buffer, count);
            for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
                from[at + i] = static_cast<I>(buffer[i].position);
            }
            __syncthreads();
        }
        for (uint64_t run = USW_ITEM_TILE; run < n; run *= 2) {
            usw_merge_long(bytes, from, to, n, run);
            I *const swap = from;
            from = to;
            to = swap;
        }
        for (uint64_t i = threadIdx.x; i < n && from != index + it.begin; i += USW_MERGE_THREADS) {
            index[it.begin + i] = from[i];
        }
        __syncthreads();
    }
}

#endif

/* tied_tile.cuh - sorts runs of strings that are alike, as many as a block has in shared memory.
 *
 * Round by round the block loads each string's next 8 bytes, sorts by run and by these, and goes on
 * with those that are still alike. So a string is read a few times, where a sort by comparisons
 * would read it at each. After 32 rounds strings are compared. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_TIED_TILE_CUH
#define USW_GPU_STRINGS_TIED_TILE_CUH

#include "gpu/strings/string_order.cuh"

enum : unsigned {
    USW_TIED_EACH = 4, /* strings of a thread */
    USW_TIED_TILE = USW_TIED_EACH * USW_MERGE_THREADS,
    USW_TIED_RUNS = USW_TIED_TILE / 2 + 2, /* runs count from 1, and have an end */
    USW_TIED_ROUNDS = 32,
    USW_TIED_WORK = 64 * USW_TIED_TILE, /* squares of runs that are sorted by counting, at most */
    USW_TIED_RUN_BIT = 53, /* an item's position: run, bytes left up to a limit, position */
    USW_TIED_LEFT_BIT = 48,
    USW_TIED_LEFT = 31,
};

__device__ __forceinline__ uint64_t usw_tied_position(uint64_t position)
{
    return position & ((uint64_t(1) << USW_TIED_LEFT_BIT) - 1);
}

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

/* The places that strings take, in ascending order; where runs begin; bytes that a run has in
 * common. */
struct usw_tied_side {
    unsigned short slots[USW_TIED_TILE], begins[USW_TIED_RUNS];
    unsigned known[USW_TIED_RUNS];
};

/* The tied strings of a block, in the order of their runs. */
struct usw_tied_tile {
    usw_merge_item items[USW_TIED_TILE + 1], sorted[USW_TIED_TILE + 1];
    usw_tied_side sides[2]; /* of this round, and of the next one */
    unsigned sums[USW_MERGE_THREADS / 32], work;
    uint64_t begin, end;
};

/* A string that stays, and bytes of it that are known if it begins a run. */
struct usw_tied_kept {
    uint64_t position;
    unsigned slot, known;
};

/* Leaves those strings in the tile that stay, and returns how many these are. stays(k, head):
 * whether string k stays, and begins a run; kept(k): what is left of it. */
template <typename F, typename G>
__device__ __forceinline__ unsigned usw_tied_keep(usw_tied_tile &tile, usw_tied_side &side, F stays,
                                                  G kept)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, below = (1u << lane) - 1;
    unsigned keep[USW_TIED_EACH], heads[USW_TIED_EACH], own = 0;
#pragma unroll
    for (unsigned i = 0; i < USW_TIED_EACH; i++) {
        bool head = false;
        const bool stay = stays((warp * USW_TIED_EACH + i) * 32 + lane, head);
        keep[i] = __ballot_sync(~0u, stay);
        heads[i] = __ballot_sync(~0u, head);
        own +=
            static_cast<unsigned>(__popc(heads[i])) << 16 | static_cast<unsigned>(__popc(keep[i]));
    }
    if (lane == 0) {
        tile.sums[warp] = own;
    }
    if (threadIdx.x == 0) {
        tile.work = 0;
    }
    __syncthreads();
    unsigned before = 0, all = 0;
    for (unsigned w = 0; w < USW_MERGE_THREADS / 32; w++) {
        before += w < warp ? tile.sums[w] : 0;
        all += tile.sums[w];
    }
    unsigned to = before & 0xffff, run = before >> 16;
#pragma unroll
    for (unsigned i = 0; i < USW_TIED_EACH; i++) {
        if ((keep[i] >> lane & 1) != 0) {
            const usw_tied_kept x = kept((warp * USW_TIED_EACH + i) * 32 + lane);
            const unsigned at = to + static_cast<unsigned>(__popc(keep[i] & below));
            const unsigned r = run + static_cast<unsigned>(__popc(heads[i] & (2 * below + 1)));
            tile.items[at].position = uint64_t(r) << USW_TIED_RUN_BIT | x.position;
            side.slots[at] = static_cast<unsigned short>(x.slot);
            if ((heads[i] >> lane & 1) != 0) {
                side.begins[r] = static_cast<unsigned short>(at);
                side.known[r] = x.known;
            }
        }
        to += static_cast<unsigned>(__popc(keep[i]));
        run += static_cast<unsigned>(__popc(heads[i]));
    }
    if (threadIdx.x == 0) {
        side.begins[(all >> 16) + 1] = static_cast<unsigned short>(all);
    }
    __syncthreads();
    for (unsigned r = 1 + threadIdx.x; r <= all >> 16; r += USW_MERGE_THREADS) {
        const unsigned length = side.begins[r + 1] - side.begins[r];
        atomicAdd(&tile.work, length * length);
    }
    __syncthreads();
    return all & 0xffff;
}

template <typename O>
__device__ __noinline__ void usw_tied_merge(const O &order, usw_tied_tile &tile, unsigned count)
{
    for (unsigned k = threadIdx.x; k < count; k += USW_MERGE_THREADS) {
        tile.sorted[k] = tile.items[k];
    }
    __syncthreads();
    usw_sort_item_tile<USW_TIED_EACH>(order, tile.sorted, count);
}

/* items to sorted: those of short runs by counting, for each, those that come before it. */
__device__ __forceinline__ void usw_tied_sort(usw_tied_tile &tile, const usw_tied_side &side,
                                              unsigned count)
{
    const usw_tied_order order = {};
    if (tile.work > USW_TIED_WORK) {
        usw_tied_merge(order, tile, count);
        return;
    }
    for (unsigned k = threadIdx.x; k < count; k += USW_MERGE_THREADS) {
        const usw_merge_item mine = tile.items[k];
        const unsigned run = static_cast<unsigned>(mine.position >> USW_TIED_RUN_BIT);
        const unsigned begin = side.begins[run], end = side.begins[run + 1];
        unsigned to = begin;
        for (unsigned j = begin; j < end; j++) {
            to += order.before(tile.items[j], mine) ? 1 : 0;
        }
        tile.sorted[to] = mine;
    }
    __syncthreads();
}

/* Loads each string's next 8 bytes. since: bytes before `known` in which strings may end. */
__device__ __forceinline__ void usw_tied_load(usw_tied_tile &tile, const usw_tied_side &side,
                                              const usw_string_order &order, unsigned count,
                                              unsigned since)
{
    const unsigned most = since + 9;
    for (unsigned k = threadIdx.x; k < count; k += USW_MERGE_THREADS) {
        usw_merge_item item = tile.items[k];
        const unsigned run = static_cast<unsigned>(item.position >> USW_TIED_RUN_BIT);
        const usw_string x = order.strings.string(usw_tied_position(item.position));
        const uint64_t known = side.known[run];
        const uint64_t left = x.length - (known - since), few = left < most ? left : most;
        item.chunk = order.text(x, known, x.length > known ? x.length - known : 0);
        item.position |= (order.descending ? most - few : few) << USW_TIED_LEFT_BIT;
        tile.items[k] = item;
    }
    __syncthreads();
}

/* Writes those of the sorted items that differ from their neighbours or have no bytes left, and
 * keeps the others. more: what an item's bytes left say if there are more than 8. */
template <typename I>
__device__ __forceinline__ unsigned usw_tied_settle(usw_tied_tile &tile, const usw_tied_side &side,
                                                    usw_tied_side &next, unsigned count,
                                                    unsigned more, I *index)
{
    const auto same = [&](usw_merge_item x, unsigned other) {
        const usw_merge_item y = tile.sorted[other];
        return x.chunk == y.chunk &&
               x.position >> USW_TIED_LEFT_BIT == y.position >> USW_TIED_LEFT_BIT;
    };
    return usw_tied_keep(
        tile, next,
        [&](unsigned k, bool &head) {
            if (k >= count) {
                return false;
            }
            const usw_merge_item x = tile.sorted[k];
            const bool on = (x.position >> USW_TIED_LEFT_BIT & USW_TIED_LEFT) == more;
            const bool before = on && k > 0 && same(x, k - 1);
            const bool behind = on && k + 1 < count && same(x, k + 1);
            head = behind && !before;
            if (!before && !behind) {
                index[tile.begin + side.slots[k]] = static_cast<I>(usw_tied_position(x.position));
            }
            return before || behind;
        },
        [&](unsigned k) {
            const uint64_t position = tile.sorted[k].position;
            return usw_tied_kept{usw_tied_position(position), side.slots[k],
                                 side.known[position >> USW_TIED_RUN_BIT] + 8};
        });
}

/* Sorts the strings that are in the tile, by side 0. */
template <typename I>
__device__ __forceinline__ void usw_tied_rounds(usw_tied_tile &tile, const usw_string_order &order,
                                                unsigned count, unsigned since, I *index)
{
    for (unsigned round = 0; count > 0; round++) {
        usw_tied_side &side = tile.sides[round % 2], &next = tile.sides[(round + 1) % 2];
        if (round == USW_TIED_ROUNDS) {
            usw_tied_merge(usw_tied_bytes_order{order, order.strings.beginning()}, tile, count);
            usw_tied_settle(tile, side, next, count, USW_TIED_LEFT, index);
            return;
        }
        usw_tied_load(tile, side, order, count, since);
        usw_tied_sort(tile, side, count);
        count = usw_tied_settle(tile, side, next, count, order.descending ? 0 : since + 9, index);
        since = 0;
    }
}

#endif

/* pick.cuh - writes the keys of one class or two of an array in one pass, each class in order with
 * ranks from 0; unique, run lengths, nth and top-k use it.
 *
 * Shape: 256 threads, a tile of up to 16 KB; a warp owns a range of the tile. Steps: load (16 bytes
 * a lane), flags, ranks within the tile (warp shuffles on four counts packed in 64 bits), the sum
 * over earlier tiles (gpu/carry/look_back_sum.cuh, one warp a class), exchange through shared
 * memory, emit. Traffic: each key is read once and those picked are written once.
 *
 * A tile's keys are in registers before any later tile learns its place, so that output may
 * overwrite input at or before the tile. A policy says which keys are picked and where they go:
 *     bool NEEDS_BEFORE               flags() gets the key before each
 *     bool NEEDS_PLACES               emit() gets the key's position
 *     bool IN_PLACE                   output is input: keys that stay are not written
 *     unsigned CLASSES                1 or 2
 *     prepare()                       reads what kernels before found
 *     flags(key, before, first)       bit c: the key is of class c; first: nothing is before it
 *     emit(c, rank, key, position)
 *     finish(total of class 0)        by one thread, at the end
 * A policy with RUNS has one class, of heads, and gets instead
 *     emit_run(rank, key, position, position of the head before), finish_runs(total, last head) */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_PICK_CUH
#define USW_GPU_SELECTION_PICK_CUH

#include "gpu/carry/look_back_sum.cuh"
#include "gpu/vector_span.cuh"

enum : unsigned { USW_PICK_THREADS = 256, USW_PICK_WARPS = USW_PICK_THREADS / 32 };

/* Vectors of a thread: as many as let the tile and the places of its keys fit the shared memory. */
template <typename K> constexpr unsigned USW_PICK_VECTORS = sizeof(K) == 1 ? 2 : 4;
template <typename K>
constexpr unsigned USW_PICK_TILE = USW_PICK_THREADS *USW_PICK_VECTORS<K> *(16 / sizeof(K));

struct usw_pick_chains {
    usw_chain_word *words[2]; /* tiles each */
    unsigned *ticket;
    unsigned tiles;
};

/* Flags of a thread's keys, vector by vector. */
template <unsigned vectors> struct usw_pick_flags {
    unsigned bits[vectors];
};

/* Gives the rank within the warp's range of each vector's first flagged key, and returns the number
 * of flagged keys in that range. A warp's vectors follow each other lane by lane, then row by
 * row. */
template <unsigned vectors>
__device__ __forceinline__ unsigned usw_pick_rank(const usw_pick_flags<vectors> &flags,
                                                  unsigned (&rank)[vectors])
{
    const unsigned lane = threadIdx.x % 32;
    uint64_t mine = 0;
#pragma unroll
    for (unsigned j = 0; j < vectors; j++) {
        mine |= static_cast<uint64_t>(__popc(flags.bits[j])) << 16 * j;
    }
    uint64_t sum = mine;
    for (unsigned step = 1; step < 32; step *= 2) {
        const uint64_t other = __shfl_up_sync(~0u, sum, step);
        sum += lane >= step ? other : 0;
    }
    const uint64_t rows = __shfl_sync(~0u, sum, 31);
    unsigned before = 0;
#pragma unroll
    for (unsigned j = 0; j < vectors; j++) {
        rank[j] = before + static_cast<unsigned>((sum - mine) >> 16 * j & 0xffff);
        before += static_cast<unsigned>(rows >> 16 * j & 0xffff);
    }
    return before;
}

template <typename K, bool with_places> struct usw_pick_shared {
    K keys[USW_PICK_TILE<K>];
    uint16_t places[with_places ? USW_PICK_TILE<K> : 1];
    unsigned totals[2][USW_PICK_WARPS];
    unsigned last_head; /* the place of the tile's last head + 1, or 0 */
    uint64_t before[2];
};

/* A block's tile, in the registers of its threads. */
template <typename K, typename P> struct usw_pick_tile {
    static constexpr unsigned per = usw_span<K>::per, vectors = USW_PICK_VECTORS<K>;
    K key[vectors][per], before_first;
    usw_pick_flags<vectors> flags[P::CLASSES];
    unsigned rank[P::CLASSES][vectors], totals[P::CLASSES], starts[P::CLASSES];
    uint64_t first;  /* this thread's first vector; its others follow at distance 32 */
    unsigned place;  /* of this thread's first key in the tile */
    bool whole;      /* all keys of the tile are there */
    uint64_t origin; /* position of the tile's first key, modulo 2^64 */

    __device__ __forceinline__ void load(const usw_span<K> &span, unsigned tile)
    {
        const unsigned lane = threadIdx.x % 32, at = threadIdx.x / 32 * (32 * vectors) + lane;
        const uint64_t tile_first = static_cast<uint64_t>(tile) * (USW_PICK_THREADS * vectors);
        first = tile_first + at;
        place = at * per;
        origin = tile_first * per - span.lead;
        whole = span.whole(tile_first, USW_PICK_THREADS * vectors);
        if (whole) {
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                span.load_whole(first + j * 32, key[j]);
            }
        } else {
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                span.load(first + j * 32, key[j]);
            }
        }
        before_first = 0;
        if (P::NEEDS_BEFORE && lane == 0 && first * per > span.lead && first * per <= span.end) {
            before_first = span.base[first * per - 1];
        }
    }

    __device__ __forceinline__ void flag(const usw_span<K> &span, const P &policy)
    {
        /* Most tiles are whole and do not begin the array, so that no key of theirs is tested for
         * being there. */
        whole &&origin != 0 ? flag_keys<true>(span, policy) : flag_keys<false>(span, policy);
    }

    template <bool plain>
    __device__ __forceinline__ void flag_keys(const usw_span<K> &span, const P &policy)
    {
        K before_row = before_first; /* in lane 0 */
#pragma unroll
        for (unsigned j = 0; j < vectors; j++) {
            const uint64_t v = first + j * 32;
            const unsigned there = plain ? ~0u : span.valid(v);
            K before = 0;
            if (P::NEEDS_BEFORE) {
                const K last = key[j][per - 1];
                before = static_cast<K>(__shfl_up_sync(~0u, last, 1));
                before = threadIdx.x % 32 == 0 ? before_row : before;
                before_row = static_cast<K>(__shfl_sync(~0u, last, 31));
            }
#pragma unroll
            for (unsigned c = 0; c < P::CLASSES; c++) {
                flags[c].bits[j] = 0;
            }
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                const unsigned classes =
                    policy.flags(key[j][e], before, !plain && v * per + e == span.lead);
#pragma unroll
                for (unsigned c = 0; c < P::CLASSES; c++) {
                    const unsigned bit = classes >> c & (plain ? 1 : there >> e & 1);
                    flags[c].bits[j] |= bit << e;
                }
                before = key[j][e];
            }
        }
    }

    /* Ends with a barrier. */
    __device__ __forceinline__ void number(usw_pick_shared<K, P::NEEDS_PLACES> &shared)
    {
        const unsigned warp = threadIdx.x / 32;
#pragma unroll
        for (unsigned c = 0; c < P::CLASSES; c++) {
            const unsigned total = usw_pick_rank<vectors>(flags[c], rank[c]);
            if (threadIdx.x % 32 == 0) {
                shared.totals[c][warp] = total;
            }
        }
        __syncthreads();
        if constexpr (P::RUNS) {
            unsigned last = 0;
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                if (flags[0].bits[j] != 0) {
                    const int bits = static_cast<int>(flags[0].bits[j]);
                    last = place + j * 32 * per + 32 - static_cast<unsigned>(__clz(bits));
                }
            }
            last = __reduce_max_sync(~0u, last);
            if (threadIdx.x % 32 == 0 && last != 0) {
                atomicMax(&shared.last_head, last);
            }
            __syncthreads();
        }
#pragma unroll
        for (unsigned c = 0; c < P::CLASSES; c++) {
            totals[c] = 0;
            starts[c] = c == 0 ? 0 : totals[0];
            for (unsigned w = 0; w < USW_PICK_WARPS; w++) {
                starts[c] += w < warp ? shared.totals[c][w] : 0;
                totals[c] += shared.totals[c][w];
            }
        }
    }

    /* The position behind the tile's last head, or 0. */
    __device__ __forceinline__ uint64_t
    last_head(const usw_pick_shared<K, P::NEEDS_PLACES> &shared) const
    {
        return shared.last_head == 0 ? 0 : origin + shared.last_head;
    }

    __device__ __forceinline__ void look_back(const usw_pick_chains &chains, unsigned tile,
                                              usw_pick_shared<K, P::NEEDS_PLACES> &shared) const
    {
        const unsigned warp = threadIdx.x / 32;
        uint64_t before = 0;
        if (warp == 0) {
            before = usw_chain_before(chains.words[0], tile, totals[0]);
        } else if (warp == 1 && P::CLASSES == 2) {
            before = usw_chain_before(chains.words[1], tile, totals[P::CLASSES - 1]);
        } else if (warp == 1 && P::RUNS) {
            const uint64_t last = last_head(shared);
            before = usw_chain_before(chains.words[1], tile, last, last != 0);
        }
        if (warp < 2 && threadIdx.x % 32 == 0) {
            shared.before[warp] = before;
        }
    }

    __device__ __forceinline__ void exchange(usw_pick_shared<K, P::NEEDS_PLACES> &shared) const
    {
#pragma unroll
        for (unsigned c = 0; c < P::CLASSES; c++) {
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                unsigned at = starts[c] + rank[c][j];
#pragma unroll
                for (unsigned e = 0; e < per; e++) {
                    if (flags[c].bits[j] >> e & 1) {
                        shared.keys[at] = key[j][e];
                        if (P::NEEDS_PLACES) {
                            shared.places[at] = static_cast<uint16_t>(place + j * 32 * per + e);
                        }
                        at++;
                    }
                }
            }
        }
    }

    __device__ __forceinline__ void emit(const P &policy,
                                         const usw_pick_shared<K, P::NEEDS_PLACES> &shared) const
    {
        unsigned begin = 0;
        if (P::IN_PLACE && whole && shared.before[0] == origin && totals[0] == USW_PICK_TILE<K>) {
            return;
        }
#pragma unroll
        for (unsigned c = 0; c < P::CLASSES; c++) {
            for (unsigned i = threadIdx.x; i < totals[c]; i += USW_PICK_THREADS) {
                const unsigned at = begin + i;
                const uint64_t position = P::NEEDS_PLACES ? origin + shared.places[at] : 0;
                if constexpr (P::RUNS) {
                    policy.emit_run(shared.before[0] + i, shared.keys[at], position,
                                    i == 0 ? shared.before[1] - 1 : origin + shared.places[at - 1]);
                } else {
                    policy.emit(c, shared.before[c] + i, shared.keys[at], position);
                }
            }
            begin += totals[c];
        }
    }

    /* By one thread of the last tile. */
    __device__ __forceinline__ void finish(const P &policy,
                                           const usw_pick_shared<K, P::NEEDS_PLACES> &shared) const
    {
        if constexpr (P::RUNS) {
            const uint64_t last = shared.last_head == 0 ? shared.before[1] : last_head(shared);
            policy.finish_runs(shared.before[0] + totals[0], last - 1);
        } else {
            policy.finish(shared.before[0] + totals[0]);
        }
    }
};

template <typename K, typename P>
__global__ void __launch_bounds__(USW_PICK_THREADS)
    usw_pick(usw_span<K> span, P policy, usw_pick_chains chains)
{
    typedef usw_pick_shared<K, P::NEEDS_PLACES> pick_shared;
    USW_SHARED(pick_shared, shared);
    if (threadIdx.x == 0) {
        shared.last_head = 0;
    }
    const unsigned tile = usw_chain_tile(chains.ticket);
    usw_pick_tile<K, P> t;
    t.load(span, tile);
    policy.prepare();
    t.flag(span, policy);
    t.number(shared);
    t.look_back(chains, tile, shared);
    t.exchange(shared);
    __syncthreads();
    t.emit(policy, shared);
    if (threadIdx.x == 0 && tile == chains.tiles - 1) {
        t.finish(policy, shared);
    }
}

template <typename K> static inline unsigned usw_pick_tiles(const usw_span<K> &span)
{
    const uint64_t vectors = USW_PICK_THREADS * USW_PICK_VECTORS<K>;
    return static_cast<unsigned>((span.vectors() + vectors - 1) / vectors);
}

/* Takes scratch for two look-back chains, which usw_pick_run clears. */
template <typename K>
static inline upsweep_status usw_pick_take(usw_gpu *g, const void *keys, size_t n,
                                           usw_pick_chains *chains)
{
    chains->tiles = usw_pick_tiles(usw_span_of<K>(keys, n));
    const size_t words = chains->tiles + size_t(1);
    chains->words[0] =
        static_cast<usw_chain_word *>(usw_gpu_scratch(g, (2 * words) * sizeof(usw_chain_word)));
    if (chains->words[0] == nullptr) {
        return UPSWEEP_ERROR_MEMORY;
    }
    chains->words[1] = chains->words[0] + words;
    chains->ticket = reinterpret_cast<unsigned *>(chains->words[1] + chains->tiles);
    return UPSWEEP_OK;
}

template <typename K, typename P>
static inline upsweep_status usw_pick_run(usw_gpu *g, const void *keys, size_t n, const P &policy,
                                          const usw_pick_chains &chains)
{
    const usw_span<K> span = usw_span_of<K>(keys, n);
    const size_t words = chains.tiles + size_t(1);
    const upsweep_status status =
        usw_gpu_fill(g, chains.words[0], 0, 2 * words * sizeof(usw_chain_word));
    return status != UPSWEEP_OK ? status
                                : USW_LAUNCH(g, (usw_pick<K, P>), chains.tiles, USW_PICK_THREADS, 0,
                                             span, policy, chains);
}

#endif

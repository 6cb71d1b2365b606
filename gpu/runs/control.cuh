/* control.cuh - what the blocks of a weave share: its arguments, and phases of tasks, of which a
 * block takes one after another. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_CONTROL_CUH
#define USW_GPU_RUNS_CONTROL_CUH

#include "gpu/block/scan.cuh"
#include "gpu/bucket_sort/job.cuh"
#include "gpu/runs/tuning.cuh"

enum { WEAVE_PHASES = 40, WEAVE_APART = 8 };

/* All is 0 at first. */
struct weave_control {
    unsigned taken[WEAVE_PHASES], done[WEAVE_PHASES]; /* tasks */
    unsigned loose;                                   /* keys */
    unsigned failed;       /* 1: the keys are left to the other methods */
    unsigned saved, extra; /* tiles; units of tiles that have several */
    unsigned crowded;      /* 1: some tile has more loose keys than are sorted while it is woven */
};
static_assert(sizeof(weave_control) <= HYBRID_ORDERED_WORDS * 4, "it is part of the job's scratch");

/* Tile i has the keys [begin(i), begin(i + 1)) of the array, edge i lies before it. Tables have an
 * entry a tile, or one more. */
template <typename K> struct weave_args {
    const K *from;
    K *keys;
    unsigned long long n;
    unsigned lead; /* keys that lack before the first one to a whole vector of 16 bytes */
    unsigned tiles, loose_most, saved_most;
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    weave_control *control;
    K *edges;
    K *lows, *highs;           /* the edges in use between which a tile's keys lie that stay */
    unsigned char *body;       /* 1: some may stay; else both edges are the next one in use */
    unsigned *chain;           /* how many runs of edges the body has; where each begins and ends */
    K *loose[2];               /* mapped keys */
    K *saved;                  /* mapped keys of tiles that several units read */
    unsigned *masks, *kept;    /* which keys of a tile stay in order, and how many */
    unsigned *counts;          /* loose keys between its edges: see count */
    unsigned *below;           /* and before its first edge */
    uint2 *home;               /* of a loose key: its tile, and how many came to it before */
    unsigned long long *place; /* where a tile's keys and its loose ones begin in the end */
    unsigned long long *published; /* of a share of the tiles: twice the keys that stay, and 1 */
    uint2 *groups;     /* of a share: the first tile that is woven before others, 1 + the last */
    unsigned *units;   /* of a tile */
    unsigned *tile_at; /* the tiles in the order in which they are woven */
    uint2 *extra;      /* units of tiles that have several: tile, number of the unit */
    unsigned *saved_at, *saved_tile; /* the tile's place among the saved ones */
    unsigned *loaded;                /* 1: a tile has been read and may be overwritten */

    /* How many loose keys lie between the edges of a tile. Counters are APART, since those of one
     * sector of the cache are added to one after the other. */
    __device__ __forceinline__ unsigned &count(unsigned tile) const
    {
        return counts[tile * WEAVE_APART];
    }
    /* Where tile i begins, counted from `lead` places before the array. */
    __device__ __forceinline__ unsigned long long first(unsigned tile) const
    {
        return tile * static_cast<unsigned long long>(weave_shape<K>::tile);
    }
    __device__ __forceinline__ unsigned long long begin(unsigned tile) const
    {
        const unsigned long long at = first(tile);
        return at < lead ? 0 : at - lead < n ? at - lead : n;
    }
    /* Whether all places of the tile are keys. */
    __device__ __forceinline__ bool full(unsigned tile) const
    {
        return begin(tile + 1) - begin(tile) == weave_shape<K>::tile;
    }
};

/* Ways that only the device decides on. Under the emulator they are lines of a table of choices, so
 * that the test `routes` knows which ones tests take. */
#ifdef USW_EMULATE
enum weave_way : unsigned {
    WEAVE_IN_ORDER,
    WEAVE_NO_BODY,
    WEAVE_TOO_MANY,
    WEAVE_DROPPED_EDGE,
    WEAVE_CHAIN,
    WEAVE_OUTSIDE,
    WEAVE_WHOLE,
    WEAVE_SOME_LOOSE,
    WEAVE_BORDER,
    WEAVE_DISAGREES,
    WEAVE_FEW,
    WEAVE_LEVELS,
    WEAVE_STAYS,
    WEAVE_BACKWARDS,
    WEAVE_SEVERAL,
    WEAVE_COPIES,
    WEAVE_DONE,
    WEAVE_WAYS
};
static const char *const weave_ways[] = {"all keys are in order",
                                         "most edges do not rise",
                                         "more keys than may be are loose",
                                         "an edge lies outside of its neighbours",
                                         "several runs of edges are the body",
                                         "a part of a tile outside of the body is loose",
                                         "a whole tile outside of the body is loose",
                                         "some keys of a tile are loose",
                                         "keys at a border of two stretches are loose",
                                         "a stretch does not agree with those before it",
                                         "loose keys of a tile are sorted in its unit",
                                         "loose keys are merged",
                                         "a tile stays where it is",
                                         "tiles are woven from the last to the first",
                                         "a tile is several units, and is saved",
                                         "keys are woven to another array",
                                         "keys were woven"};
static inline void weave_took(weave_way way, bool taken = true)
{
    emulated_choice("weave", weave_ways[way], 12, taken); /* of 32 and 64 bits */
}
#define WEAVE_WAY(way, condition)                                                                  \
    if (condition) {                                                                               \
        weave_took(way);                                                                           \
    }
#else
#define WEAVE_WAY(way, condition)
#endif

/* Does task(0) .. task(tasks - 1), each by one block, and waits for all of them. A block waits only
 * for tasks that running blocks have taken, so it does not matter how many run at once. All threads
 * call, and the shared memory of a task is free when the next one begins. */
template <typename F>
__device__ __forceinline__ void weave_phase(weave_control *c, unsigned phase, unsigned tasks,
                                            F task)
{
    USW_SHARED(unsigned, ticket);
    /* The next ticket comes while a task is done: of the tasks that are not done the first one is
     * then that of a block which waits for no other. */
    unsigned next = threadIdx.x == 0 ? atomicAdd(&c->taken[phase], 1u) : 0, own = 0;
    for (;; own++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ticket = next;
        }
        __syncthreads();
        const unsigned t = ticket;
        if (t >= tasks) {
            break;
        }
        next = threadIdx.x == 0 ? atomicAdd(&c->taken[phase], 1u) : 0;
        task(t);
    }
    if (threadIdx.x == 0) { /* behind a barrier, so all threads have done these tasks */
        __threadfence();
        atomicAdd(&c->done[phase], own);
        while (usw_load_acquire(&c->done[phase]) < tasks) {
            usw_yield();
        }
    }
    __syncthreads();
}

/* The greatest v of the threads before this one, or 0. All threads call; sums: a number a warp. */
template <typename T> __device__ __forceinline__ T weave_most_before(T v, T *sums)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T most = v;
    for (unsigned d = 1; d < 32; d *= 2) {
        const T other = __shfl_up_sync(~0u, most, d);
        most = lane >= d && other > most ? other : most;
    }
    if (lane == 31) {
        sums[warp] = most;
    }
    most = __shfl_up_sync(~0u, most, 1);
    most = lane == 0 ? T(0) : most;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) {
        most = sums[w] > most ? sums[w] : most;
    }
    __syncthreads();
    return most;
}

/* This thread's share of `count` entries: neighbours. */
struct weave_share {
    unsigned begin, end;
    __device__ __forceinline__ explicit weave_share(unsigned count)
    {
        const unsigned each = (count + blockDim.x - 1) / blockDim.x, at = threadIdx.x * each;
        begin = at < count ? at : count;
        end = count - begin < each ? count : begin + each;
    }
};

#endif

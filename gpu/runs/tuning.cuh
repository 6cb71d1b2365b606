/* tuning.cuh - numbers of the weave that can be tuned: from how many keys on it is tried, and the
 * shapes of its blocks and tiles. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_TUNING_CUH
#define USW_GPU_RUNS_TUNING_CUH

#include "gpu/gpu.cuh"

/* FROM: fewer keys are never looked at. LOOSE_SHARE: at most n / LOOSE_SHARE keys may be loose.
 * FALLS_SHARE: the sample's neighbours of which more than one in so many fall are not in order. */
#ifdef USW_EMULATE /* several tiles, units of one tile and saved tiles at sizes of tests */
#define WEAVE_FROM(bytes) 20000
#else
#define WEAVE_FROM(bytes) (1ull << ((bytes) == 8 ? 21 : 23))
#endif
static constexpr unsigned WEAVE_LOOSE_SHARE = 16, WEAVE_FALLS_SHARE = 10;

/* A tile is read by one block: `tile` keys, of which each thread looks at 32 neighbours. A unit is
 * more, so that a tile and its loose keys are as a rule one. */
template <typename K> struct weave_shape {
#ifdef USW_EMULATE
    static constexpr unsigned threads = 64, tile = 512, blocks = 2;
#else
    static constexpr unsigned threads = 512, tile = 65536 / sizeof(K), blocks = 2;
#endif
    static constexpr unsigned words = tile / 32, unit = tile + tile / 8;
    /* Loose keys: of a tile that is sorted, and of one that is still sorted while it is woven. */
    static constexpr unsigned sort_items = 8, sort_tile = threads * sort_items, few = threads;
    static constexpr size_t shared = (unit + 1) * sizeof(K);
    static_assert(words <= threads && unit > tile + tile / 32, "a word of a mask a thread");
    static_assert(few <= unit - tile, "few loose keys make no second unit");
};

/* Long runs of edges of which a body is chosen; an edge is one tile's. */
static constexpr unsigned WEAVE_RUNS_MAX = 64, WEAVE_RUN_LEAST = 4;
#ifdef USW_EMULATE
static constexpr unsigned WEAVE_BREAKS = 256; /* between runs, at most */
static constexpr unsigned WEAVE_TRIM = 3;     /* edges beside a break that may be wrong */
#else
static constexpr unsigned WEAVE_BREAKS = 4096, WEAVE_TRIM = 8;
#endif

#endif

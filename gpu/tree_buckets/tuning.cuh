/* tuning.cuh - numbers of the scatters by a prefix tree that can be tuned: shapes of tiles, and
 * what is near. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_TUNING_CUH
#define USW_GPU_TREE_BUCKETS_TUNING_CUH

#include "gpu/gpu.cuh"

/* DIGITS: buckets of a tile of scatter_near.cuh. Whether keys are such: PROBES stretches
 * of SPAN places a block are looked at, of which one key in FAR_PART may be far from the others. */
#ifdef USW_EMULATE
enum { NEAR_DIGITS = 64, NEAR_SPAN = 1024 };
#else
enum { NEAR_DIGITS = 2048, NEAR_SPAN = 16384 };
#endif
enum { NEAR_PROBES = 4, NEAR_FAR_PART = 32 };
template <typename K> struct hybrid_near_shape {
#ifdef USW_EMULATE
    static constexpr int threads = 256, keys = 3, blocks = 1, batch = 2;
#else
    static constexpr int threads = 512, keys = sizeof(K) == 8 ? 11 : 16, blocks = 2, batch = 4;
#endif
    static constexpr int tile = threads * keys;
};

/* Tiles of the scatters by a prefix tree, of that which counts and of the others; slots of all
 * digits, or 0; blocks a multiprocessor; keys that are looked up at a time. */
template <typename K, bool counts> struct hybrid_tree_shape {
    static constexpr bool wide = sizeof(K) == 8;
#ifdef USW_EMULATE
    static constexpr int threads = 256, keys = counts ? 4 : 3, blocks = 1, batch = 2;
    static constexpr int slots = wide ? 0 : 16 * 65;
#else
    static constexpr int threads = wide && !counts ? 512 : 1024;
    static constexpr int keys = !wide ? 16 : counts ? 12 : 11, batch = wide && counts ? 3 : 4;
    static constexpr int blocks = wide && !counts ? 2 : 1;
    static constexpr int slots = wide ? 0 : counts ? 256 * 91 : 256 * 123;
#endif
    static constexpr int tile = threads * keys;
};

#endif

/* runs.cu - sorts keys that are in order but for a few: the launch of the weave, between the sample
 * of a bucket sort and its other steps, which have nothing to do where it succeeds.
 *
 * Idea     Keys that stand wrong are taken out, sorted, and merged with the others, which move by
 *          less than the number of loose keys. All steps are phases of one launch, since a launch
 *          that finds nothing to do takes 1 us of every other sort's time. Nothing is overwritten
 *          before all is decided.
 *
 * Traffic  keys are read twice and written once: 12 bytes a u32 key, 24 a u64; loose keys three
 *          times more, or those that crowd some tile as often as their merge sort has levels.
 *
 * Source   V. Estivill-Castro and D. Wood, A survey of adaptive sorting algorithms, 1992, as
 *          cpu/patterns; merges by rank as gpu/merging. */
/* SPDX-License-Identifier: MIT */
#include "gpu/runs/1_edges.cuh"
#include "gpu/runs/4_place.cuh"
#include "gpu/runs/5_weave.cuh"
#include "gpu/runs/runs.cuh"

/* One thread says that the keys are sorted, or, in_order, are so in a.from. */
static __device__ __forceinline__ void weave_sorted(hybrid_plan *plan, bool in_order)
{
    plan->skip = 1;
    plan->radix = plan->few_values = plan->uncounted = plan->by_tree = 0;
    plan->in_order = in_order;
}

/* Edges, body, look: how many keys are loose, or ~0: the keys are left to the bucket sort. */
template <typename K, bool identity>
__device__ __forceinline__ unsigned weave_find_loose(const weave_args<K> &a, K *s)
{
    weave_control *c = a.control;
    const unsigned warps = weave_shape<K>::threads / 32;
    weave_phase(c, 0, a.tiles / warps + 1,
                [&](unsigned t) { weave_find_edges<K, identity>(a, t); });
    weave_phase(c, 1, 1, [&](unsigned) { weave_choose_body(a, reinterpret_cast<unsigned *>(s)); });
    if (c->failed == 0) {
        const unsigned shares = (a.tiles + blockDim.x - 1) / blockDim.x;
        weave_phase(c, 2, shares, [&](unsigned t) { weave_find_bounds(a, t); });
        weave_phase(c, 3, a.tiles, [&](unsigned t) { weave_look<K, identity>(a, t, s); });
    }
    return usw_load_relaxed(&c->failed) != 0 ? ~0u : usw_load_relaxed(&c->loose);
}

template <typename K, bool identity>
__global__ void __launch_bounds__(weave_shape<K>::threads, weave_shape<K>::blocks)
    weave(weave_args<K> a)
{
    USW_DYNAMIC_SHARED(K, s);
    usw_chained();
    if (a.plan->ordered == 0) {
        return;
    }
    weave_control *c = a.control;
    const unsigned loose = weave_find_loose<K, identity>(a, s);
    unsigned phase = 4, turn = 0;
    if (loose == ~0u || loose == 0) {
        if (loose == 0 && threadIdx.x == 0) {
            weave_sorted(a.plan, true); /* all blocks say the same */
        }
        WEAVE_WAY(WEAVE_IN_ORDER, loose == 0 && threadIdx.x == 0)
        return;
    }
    const unsigned homes = loose / (blockDim.x * WEAVE_AT_ONCE) + 1;
    const unsigned shares = (a.tiles + blockDim.x - 1) / blockDim.x;
    const unsigned log2 = weave_copy_lows(a, s);
    weave_phase(c, phase++, homes, [&](unsigned t) { weave_find_homes(a, t, loose, s, log2); });
    const bool sorted = usw_load_relaxed(&c->crowded) != 0;
    if (sorted) {
        phase = weave_sort_loose(a, phase, loose, turn, s);
        weave_phase(c, phase++, shares,
                    [&](unsigned t) { weave_count_loose(a, t, a.loose[turn], loose); });
    }
    weave_phase(c, phase++, shares, [&](unsigned t) { weave_place(a, t); });
    if (usw_load_relaxed(&c->failed) != 0) {
        return;
    }
    if (threadIdx.x == 0) {
        weave_sorted(a.plan, false);
        WEAVE_WAY(WEAVE_COPIES, a.from != a.keys)
        WEAVE_WAY(WEAVE_DONE, true)
    }
    const unsigned moves = sorted ? usw_load_relaxed(&c->saved) : homes;
    weave_phase(c, phase++, shares + moves, [&](unsigned t) {
        if (t < shares) {
            weave_order(a, t, shares);
        } else if (sorted) {
            weave_save<K, identity>(a, t - shares, s);
        } else {
            weave_bring_home(a, t - shares, loose);
        }
    });
    const K *list = a.loose[sorted ? turn : 1];
    weave_phase(c, phase, a.tiles + usw_load_relaxed(&c->extra),
                [&](unsigned t) { weave_task<K, identity>(a, t, list, sorted, s); });
}

/* ---- host ---- */

/* Takes `bytes` of the memory at `at`; its end is the least multiple of 16 behind it. */
template <typename T> static inline T *weave_take(unsigned char *&at, size_t count)
{
    T *taken = reinterpret_cast<T *>(at);
    at += (count * sizeof(T) + 15) / 16 * 16;
    return taken;
}

/* All memory is the job's copy of the keys, which no step has used yet. */
template <typename K, bool identity> static void weave_queue(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = weave_shape<K>;
    weave_args<K> a = {};
    a.from = j.from;
    a.keys = j.keys;
    a.n = j.n;
    a.lead = reinterpret_cast<uintptr_t>(j.from) % 16 / sizeof(K);
    a.tiles = static_cast<unsigned>((j.n + a.lead + shape::tile - 1) / shape::tile);
    a.loose_most = static_cast<unsigned>(j.n / WEAVE_LOOSE_SHARE);
    a.map = j.map;
    a.plan = j.plan;
    a.control = reinterpret_cast<weave_control *>(j.ordered);
    auto *at = reinterpret_cast<unsigned char *>(j.tmp);
    const unsigned char *end = at + j.n * sizeof(K);
    const size_t tiles = a.tiles + 1;
    a.edges = weave_take<K>(at, tiles);
    a.lows = weave_take<K>(at, tiles);
    a.highs = weave_take<K>(at, tiles);
    a.body = weave_take<unsigned char>(at, tiles);
    a.chain = weave_take<unsigned>(at, 1 + 2 * WEAVE_RUNS_MAX);
    a.loose[0] = weave_take<K>(at, a.loose_most);
    a.loose[1] = weave_take<K>(at, a.loose_most);
    a.home = weave_take<uint2>(at, a.loose_most);
    a.masks = weave_take<unsigned>(at, tiles * shape::words);
    a.place = weave_take<unsigned long long>(at, tiles);
    a.published = weave_take<unsigned long long>(at, tiles);
    a.groups = weave_take<uint2>(at, tiles);
    a.extra = weave_take<uint2>(at, 2 * tiles);
    a.counts = weave_take<unsigned>(at, tiles * WEAVE_APART);
    for (unsigned **table :
         {&a.kept, &a.below, &a.units, &a.tile_at, &a.saved_at, &a.saved_tile, &a.loaded}) {
        *table = weave_take<unsigned>(at, tiles);
    }
    a.saved = reinterpret_cast<K *>(at);
    a.saved_most =
        at < end ? static_cast<unsigned>(static_cast<size_t>(end - at) / sizeof(K) / shape::tile)
                 : 0;
#ifdef USW_EMULATE
    for (unsigned way = 0; way < WEAVE_WAYS; way++) {
        weave_took(static_cast<weave_way>(way), false);
    }
#endif
    USW_LAUNCH_CHAINED(g, (weave<K, identity>), g->sms * shape::blocks, shape::threads,
                       shape::shared, a);
}

template <typename K> void usw_queue_weave(usw_gpu *g, const hybrid_job<K> &j)
{
    j.map.identity() ? weave_queue<K, true>(g, j) : weave_queue<K, false>(g, j);
}
template void usw_queue_weave(usw_gpu *g, const hybrid_job<uint32_t> &j);
template void usw_queue_weave(usw_gpu *g, const hybrid_job<uint64_t> &j);

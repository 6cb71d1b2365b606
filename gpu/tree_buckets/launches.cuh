/* launches.cuh - queues the steps of this room. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_LAUNCHES_CUH
#define USW_GPU_TREE_BUCKETS_LAUNCHES_CUH

#include "gpu/bucket_sort/job.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/tree_buckets/scatter.cuh"
#include "gpu/tree_buckets/scatter_near.cuh"
#include "gpu/tree_buckets/weigh_regions.cuh"

/* Queues the first scatter of keys that go by a tree, which counts them or finds them counted. */
template <typename K, bool counts>
static void hybrid_queue_tree_scatter(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = hybrid_tree_shape<K, counts>;
    const hybrid_tree_scatter_args<K> args = {
        {j.from, j.tmp, j.n, j.map, j.plan, j.begin, j.stop, j.tile_begin, j.cursor},
        j.tree,
        j.bits,
        j.bits1,
        j.plan,
        j.scatter_counts};
    const size_t counters = counts ? hybrid_tree_counters(j.bits) : 0;
    USW_LAUNCH_CHAINED(g, (hybrid_scatter_tree<K, shape, counts>), g->sms * shape::blocks,
                       shape::threads,
                       hybrid_tree_scatter_shared<K>(shape::tile, shape::slots, counters), args);
}

/* Queues the one scatter of keys that lie near their places. */
template <typename K> static void hybrid_queue_near_scatter(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = hybrid_near_shape<K>;
    const hybrid_near_args<K> args = {j.from, j.tmp, j.n, j.map, j.plan, j.tree, j.ends};
    USW_LAUNCH_CHAINED(g, (hybrid_scatter_near<K, shape>), g->sms * shape::blocks, shape::threads,
                       hybrid_near_scatter_shared<K>(shape::tile), args);
}

/* Queues what lets the first scatter of many keys count them, and that scatter. */
template <typename K> static void hybrid_queue_tree_counts(usw_gpu *g, const hybrid_job<K> &j)
{
    USW_LAUNCH_CHAINED(g, (hybrid_weigh_regions<K>), g->sms, 1024, TREE_TABLE_BYTES, j.from, j.n,
                       j.map, j.bits, j.bits1, j.plan, j.tree,
                       hybrid_regions_stretches(j.n, j.bits1), j.tree_room, j.cursor);
    hybrid_queue_tree_scatter<K, true>(g, j);
}

/* Queues the sorts of the buckets that are too large for the sorts of all buckets, or of which a
 * tree leaves too many bits for them (sort_rest.cu). */
template <typename K> void usw_queue_rest_sorts(usw_gpu *g, const hybrid_job<K> &j);
/* Sets which buckets these are. */
template <typename K> void usw_choose_rest_sorts(hybrid_job<K> &j);

/* Whether the device's blocks may have the shared memory that these scatters take. */
template <typename K> static bool hybrid_tree_scatters_fit(const usw_gpu *g, unsigned bits)
{
    using counts = hybrid_tree_shape<K, true>;
    using moves = hybrid_tree_shape<K, false>;
    using near = hybrid_near_shape<K>;
    return hybrid_near_scatter_shared<K>(near::tile) <= g->shared_bytes &&
           hybrid_tree_scatter_shared<K>(moves::tile, moves::slots, 0) <= g->shared_bytes &&
           hybrid_tree_scatter_shared<K>(counts::tile, counts::slots, hybrid_tree_counters(bits)) <=
               g->shared_bytes;
}

#endif

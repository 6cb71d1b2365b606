/* launches.cuh - queues the bucket sort's scatters, each by the kernel that suits the width of the
 * keys; and declares what queues the sorts of buckets, which is compiled by itself. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_LAUNCHES_CUH
#define USW_GPU_BUCKET_SORT_LAUNCHES_CUH

#include "gpu/bucket_sort/4_scatter_slots.cuh"
#include "gpu/bucket_sort/job.cuh"
#include "gpu/bucket_sort/tuning.cuh"

/* Queues a scatter. The second one finds keys mapped. */
template <typename K, bool first>
static void hybrid_queue_scatter(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int tile = shape::threads * shape::keys;
    hybrid_scatter_args<K> a = {
        first ? j.from : j.tmp, first ? j.tmp : j.keys,   j.n, j.map, j.plan, j.begin, j.stop,
        j.tile_begin,           first ? j.cursor : j.ends};
    const unsigned buckets = 1u << (j.fine != 0 ? FINE_BITS_1 : j.bits1);
    const unsigned tiles = static_cast<unsigned>((j.n + tile - 1) / tile) + (first ? 0 : buckets);
    /* Where the first scatter may find the keys scattered already, a block takes several tiles. */
    const bool several = first && j.uncounted;
    const unsigned whole = 2 * static_cast<unsigned>(g->sms), some = tiles / shape::several;
    const unsigned blocks = !several ? tiles : some > whole ? some : tiles < whole ? tiles : whole;
    if constexpr (sizeof(K) == 4) {
        constexpr size_t shared = hybrid_slots_shared<K>(shape::slots);
        if (several) {
            USW_LAUNCH_CHAINED(g,
                               (hybrid_scatter_slots < K, shape::threads, shape::keys, first, 2,
                                shape::slots, first ? shape::several_batch : shape::batch, first >),
                               blocks, shape::threads, shared, a);
        } else {
            USW_LAUNCH_CHAINED(g,
                               (hybrid_scatter_slots<K, shape::threads, shape::keys, first, 2,
                                                     shape::slots, shape::batch, false>),
                               blocks, shape::threads, shared, a);
        }
        if (j.fine != 0) {
            using crowd = hybrid_crowd_shape;
            static_assert(2 * crowd::threads * crowd::keys == tile, "halves");
            USW_LAUNCH_CHAINED(
                g, (hybrid_scatter_crowd<K, crowd::threads, crowd::keys, first, crowd::blocks>),
                g->sms * crowd::blocks, crowd::threads, hybrid_close_shared<K>(tile / 2), a, tiles);
        }
    } else {
        USW_LAUNCH_CHAINED(g, (hybrid_scatter_close<K, shape::threads, shape::keys, first, 2>),
                           blocks, shape::threads, hybrid_close_shared<K>(tile), a, tiles);
    }
}

/* Queue the sorts of all buckets, and of bins, for keys of 32 and 64 bits (5_sort.cu). */
template <typename K> void usw_queue_bucket_sorts(usw_gpu *g, const hybrid_job<K> &j);
template <typename K> void usw_queue_bin_sorts(usw_gpu *g, const hybrid_job<K> &j);

#endif

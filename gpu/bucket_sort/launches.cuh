/* launches.cuh - the hybrid sort's scatters and sorts of buckets are queued, each by the
 * kernel that suits the width of the keys and the number of buckets. */
#ifndef USW_GPU_BUCKET_SORT_LAUNCHES_CUH
#define USW_GPU_BUCKET_SORT_LAUNCHES_CUH

#include "gpu/bucket_sort/5_sort_as_halves.cuh"
#include "gpu/bucket_sort/job.cuh"
#include "gpu/bucket_sort/4_scatter_slots.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/bucket_sort/5_sort_by_counts.cuh"
#include "gpu/bucket_sort/5_sort_as_words.cuh"

template <typename K, bool first, bool identity>
static void hybrid_queue_scatter(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int tile = shape::threads * shape::keys;
    hybrid_scatter_args<K> a = {
        first ? j.keys : j.tmp, first ? j.tmp : j.keys,   j.n, j.map, j.plan, j.begin, j.stop,
        j.tile_begin,           first ? j.cursor : j.ends};
    const unsigned buckets = 1u << (j.fine != 0 ? FINE_BITS_1 : j.bits1);
    const unsigned tiles = static_cast<unsigned>((j.n + tile - 1) / tile) + (first ? 0 : buckets);
    if constexpr (sizeof(K) == 4) {
        constexpr size_t shared = hybrid_rooms_shared<K>(shape::room);
        /* If the keys may have been scattered otherwise, a block takes several tiles. */
        if (first && j.flat) {
            USW_LAUNCH_CHAINED(g,
                               (hybrid_scatter_rooms < K, shape::threads, shape::keys, first,
                                identity, 2, shape::room,
                                first ? shape::several_batch : shape::batch, first >),
                               tiles / shape::several + 1, shape::threads, shared, a);
        } else {
            USW_LAUNCH_CHAINED(
                g,
                (hybrid_scatter_rooms<K, shape::threads, shape::keys, first, identity, 2,
                                      shape::room, shape::batch, false>),
                tiles, shape::threads, shared, a);
        }
        if (j.fine != 0) {
            using crowd = hybrid_crowd_shape;
            static_assert(2 * crowd::threads * crowd::keys == tile, "halves");
            USW_LAUNCH_CHAINED(g,
                               (hybrid_scatter_crowd<K, crowd::threads, crowd::keys, first,
                                                     identity, crowd::blocks>),
                               g->sms * crowd::blocks, crowd::threads,
                               hybrid_close_shared<K>(tile / 2), a, tiles);
        }
    } else {
        USW_LAUNCH_CHAINED(
            g, (hybrid_scatter_close<K, shape::threads, shape::keys, first, identity, 2>), tiles,
            shape::threads, hybrid_close_shared<K>(tile), a);
    }
}

template <typename K, int size, bool identity>
static void hybrid_queue_buckets(usw_gpu *g, const hybrid_job<K> &j)
{
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    bool two = j.bits1 < j.bits;
    /* A scatter leaves its cursors at the ends of the buckets. */
    hybrid_local_args<K> a = {two ? j.keys : j.tmp, j.keys, two ? j.ends : j.cursor, j.map, j.plan};
    if constexpr (sizeof(K) == 8) {
        using words = hybrid_words_shape<size>;
        static_assert(BITS_MAX >= WORDS_FROM + 2, "buckets of many keys have all bits: words");
        if (size > 0 || j.bits >= WORDS_FROM + local::times) {
            USW_LAUNCH_CHAINED(
                g,
                (hybrid_local_words<local::threads, local::keys, local::bits, words::rounds,
                                    words::number, words::blocks, words::batch, identity>),
                1u << j.bits, local::threads,
                hybrid_words_shared(local::threads, local::keys, local::bits), a,
                words::ahead(g->sms));
            return;
        }
    }
    constexpr int blocks = local::blocks(shape::local_blocks);
    if constexpr (sizeof(K) == 4 && size == 2) { /* a quarter of a key a value */
        hybrid_sort_by_values<local, shape::rounds, blocks, identity>(g, j, a);
    } else if constexpr (sizeof(K) == 4) {
        constexpr int together = local::halves_blocks;
        const auto by_halves = [&](auto kernel) {
            USW_LAUNCH_CHAINED(g, kernel, 1u << j.bits, local::threads,
                               hybrid_halves_shared(local::threads, local::keys, local::bits), a,
                               g->sms * together / 4);
        };
        if (j.bits == BITS_MAX) {
            by_halves(hybrid_local_halves<local::threads, local::keys, local::bits, together, 1,
                                          identity>);
            return;
        }
        if constexpr (size <= 0) {
            if (j.bits + 2 >= BITS_MAX) {
                by_halves(hybrid_local_halves<local::threads, local::keys, local::bits, together, 4,
                                              identity>);
                return;
            }
        }
    }
    if constexpr (size == -1 || size == 0) {
        USW_LAUNCH_CHAINED(g,
                           (hybrid_local<K, local::threads, local::keys, local::bits, shape::rounds,
                                         blocks, identity>),
                           1u << j.bits, local::threads,
                           hybrid_local_shared<K>(local::threads, local::keys, local::bits), a,
                           g->sms * blocks / 4);
    }
}

template <typename K, int size, bool identity>
static void hybrid_queue_bins(usw_gpu *g, const hybrid_job<K> &j)
{
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int blocks = local::blocks(shape::local_blocks);
    hybrid_bins_args<K> a = {j.keys, j.tmp, j.map, j.plan, j.lists};
    USW_LAUNCH_CHAINED(g,
                       (hybrid_local_bins<K, local::threads, local::keys, local::bits,
                                          shape::rounds, blocks, identity>),
                       g->sms * blocks, local::threads,
                       hybrid_local_shared<K>(local::threads, local::keys, local::bits), a,
                       size != 0);
}

#endif

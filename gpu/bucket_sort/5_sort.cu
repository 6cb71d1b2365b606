/* 5_sort.cu - queues the bucket sort's last step: each bucket is sorted by the kernel that suits
 * the width of its keys, its size and the bits that are left.
 *
 * These kernels are most of the bucket sort's machine code. They have a file of their own, so that
 * nvcc compiles them while it compiles algo/sort_hybrid.cu. */
/* SPDX-License-Identifier: MIT */
#include "gpu/bucket_sort/5_local_halves.cuh"
#include "gpu/bucket_sort/5_sort_as_words.cuh"
#include "gpu/bucket_sort/5_sort_by_counts.cuh"
#include "gpu/bucket_sort/launches.cuh"

/* The same sorts of twice as many buckets, if the sample has chosen that. */
template <typename K, int size>
static void queue_twice(usw_gpu *g, const hybrid_job<K> &j, hybrid_local_args<K> a)
{
    a.extents = {}; /* of half as many buckets, if there may be a tree */
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int blocks = local::blocks(shape::local_blocks);
    const auto queue = [&](auto kernel, int together, size_t shared) {
        USW_LAUNCH_BESIDE(g, a.begun, kernel, g->sms * together, local::threads, shared, a);
    };
    if constexpr (sizeof(K) == 4) {
        if (j.bits + 3 >= BITS_MAX) {
            constexpr int together = local::halves_blocks;
            queue(hybrid_halves_twice<local::threads, local::keys, local::bits, together, 4>,
                  together, hybrid_halves_shared(local::threads, local::keys, local::bits));
            return;
        }
    }
    if constexpr (sizeof(K) == 8 || size > -2) { /* such small buckets are always halves */
        queue(
            hybrid_local_twice<K, local::threads, local::keys, local::bits, shape::rounds, blocks>,
            blocks, hybrid_local_shared<K>(local::threads, local::keys, local::bits));
    }
}

/* The sorts of all buckets, in the shape for buckets of that size. */
template <typename K, int size> static void queue_buckets(usw_gpu *g, const hybrid_job<K> &j)
{
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    bool two = j.bits1 < j.bits;
    /* A scatter leaves its cursors at the ends of the buckets. */
    constexpr int blocks = local::blocks(shape::local_blocks);
    hybrid_local_args<K> a = {two ? j.keys : j.tmp,
                              j.keys,
                              two ? j.ends : j.cursor,
                              j.map,
                              j.plan,
                              j.extents,
                              j.tmp,
                              j.tree != nullptr ? &j.plan->begun : nullptr,
                              usw_gpu_asking(g, local::threads)};
    if constexpr (size <= 0) { /* there are no others of fewer bits than BITS_MAX */
        if (j.more != 0) {
            queue_twice<K, size>(g, j, a);
        }
    }
    if constexpr (sizeof(K) == 8) {
        using words = hybrid_words_shape<size>;
        static_assert(BITS_MAX >= WORDS_FROM + 2, "buckets of many keys have all bits: words");
        if (size > 0 || j.bits >= WORDS_FROM + local::times) {
            USW_LAUNCH_BESIDE(
                g, a.begun,
                (hybrid_local_words<local::threads, local::keys, local::bits, words::rounds,
                                    words::number, words::blocks, words::batch>),
                1u << j.bits, local::threads,
                hybrid_words_shared(local::threads, local::keys, local::bits), a,
                words::ahead(g->sms));
            return;
        }
    }
    if constexpr (sizeof(K) == 4 && size == 2) { /* a quarter of a key a value */
        hybrid_sort_by_values<local, shape::rounds, blocks>(g, j, a);
    } else if constexpr (sizeof(K) == 4) {
        constexpr int together = local::halves_blocks;
        const auto by_halves = [&](auto kernel) {
            USW_LAUNCH_BESIDE(g, a.begun, kernel, 1u << j.bits, local::threads,
                              hybrid_halves_shared(local::threads, local::keys, local::bits), a,
                              g->sms * together / 4);
        };
        if (j.bits == BITS_MAX) {
            by_halves(hybrid_local_halves<local::threads, local::keys, local::bits, together, 1>);
            return;
        }
        if constexpr (size <= 0) {
            if (j.bits + 2 >= BITS_MAX) {
                by_halves(
                    hybrid_local_halves<local::threads, local::keys, local::bits, together, 4>);
                return;
            }
        }
    }
    if constexpr (size == -1 || size == 0) {
        USW_LAUNCH_BESIDE(
            g, a.begun,
            (hybrid_local<K, local::threads, local::keys, local::bits, shape::rounds, blocks>),
            1u << j.bits, local::threads,
            hybrid_local_shared<K>(local::threads, local::keys, local::bits), a,
            g->sms * blocks / 4);
    }
}

/* The sorts of one list of bins: the small ones (size 0) or the others (1). */
template <typename K, int size> static void queue_bins(usw_gpu *g, const hybrid_job<K> &j)
{
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int blocks = local::blocks(shape::local_blocks);
    hybrid_bins_args<K> a = {j.keys, j.tmp, j.map, j.plan, j.lists};
    USW_LAUNCH_CHAINED(
        g, (hybrid_local_bins<K, local::threads, local::keys, local::bits, shape::rounds, blocks>),
        g->sms * blocks, local::threads,
        hybrid_local_shared<K>(local::threads, local::keys, local::bits), a, size != 0);
}

template <typename K> void usw_queue_bucket_sorts(usw_gpu *g, const hybrid_job<K> &j)
{
    hybrid_by_size<K>(j.n, j.bits, [&](auto size) {
        queue_buckets<K, size>(g, j);
        return true;
    });
}
template void usw_queue_bucket_sorts(usw_gpu *g, const hybrid_job<uint32_t> &j);
template void usw_queue_bucket_sorts(usw_gpu *g, const hybrid_job<uint64_t> &j);

template <typename K> void usw_queue_bin_sorts(usw_gpu *g, const hybrid_job<K> &j)
{
    queue_bins<K, 0>(g, j);
    queue_bins<K, 1>(g, j);
}
template void usw_queue_bin_sorts(usw_gpu *g, const hybrid_job<uint32_t> &j);
template void usw_queue_bin_sorts(usw_gpu *g, const hybrid_job<uint64_t> &j);

/* sort_rest.cu - queues the sorts of what is left of a prefix tree's buckets (sort_rest.cuh). A
 * file of its own, which nvcc compiles while it compiles others. */
/* SPDX-License-Identifier: MIT */
#include "gpu/bucket_sort/5_sort_as_words.cuh"
#include "gpu/tree_buckets/sort_rest.cuh"
#include "gpu/tree_buckets/launches.cuh"

/* The most bits that may be left in a bucket that 5_sort.cu has sorted. */
template <typename K, int size> static unsigned most_bits(unsigned bits)
{
    using words = hybrid_words_shape<size>;
    using local = hybrid_local_shape<size>;
    if (sizeof(K) == 8) {
        return size > 0 || bits >= WORDS_FROM + local::times ? 64 - words::number : 64;
    }
    return bits == BITS_MAX ? 16 : size <= 0 && bits + 2 >= BITS_MAX ? 18 : 32;
}

template <typename K, typename rest, bool large>
static void queue_rest(usw_gpu *g, const hybrid_rest_args<K> &a)
{
    using shape = typename hybrid_shape_of<K>::shape;
    USW_LAUNCH_CHAINED(g,
                       (hybrid_local_rest<K, rest::threads, rest::keys, rest::bits, shape::rounds,
                                          rest::blocks, large>),
                       g->sms * rest::blocks, rest::threads,
                       hybrid_local_shared<K>(rest::threads, rest::keys, rest::bits), a);
}

template <typename K> void usw_choose_rest_sorts(hybrid_job<K> &j)
{
    using wide = hybrid_wide_shape<K>;
    hybrid_by_size<K>(j.n, j.bits, [&](auto size) {
        j.rest.small = hybrid_local_shape<size>::capacity;
        j.rest.most = most_bits<K, size>(j.bits);
        return true;
    });
    j.rest.wide = wide::threads * wide::keys - 32;
    if (sizeof(K) == 8 && j.rest.wide > j.rest.small) {
        j.rest.wide = j.rest.small; /* larger ones have equal keys, for which large blocks do */
    }
}
template void usw_choose_rest_sorts(hybrid_job<uint32_t> &j);
template void usw_choose_rest_sorts(hybrid_job<uint64_t> &j);

template <typename K> void usw_queue_rest_sorts(usw_gpu *g, const hybrid_job<K> &j)
{
#ifdef USW_EMULATE
    for (unsigned way = 0; way < TREE_WAYS; way++) { /* they are known, taken or not */
        hybrid_tree_took(way, false);
    }
#endif
    const hybrid_rest_args<K> a = {j.keys, j.tmp, j.ends, j.map, j.plan, j.tree, j.extents, j.rest};
    queue_rest<K, hybrid_rest_shape, true>(g, a);
    queue_rest<K, hybrid_wide_shape<K>, false>(g, a);
}
template void usw_queue_rest_sorts(usw_gpu *g, const hybrid_job<uint32_t> &j);
template void usw_queue_rest_sorts(usw_gpu *g, const hybrid_job<uint64_t> &j);

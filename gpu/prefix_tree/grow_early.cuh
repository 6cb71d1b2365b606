/* grow_early.cuh - the prefix tree of a sample is grown by a cluster of blocks (grow.cuh): beside
 * those that find out by the same sample whether keys need a tree at all, or, of single keys, when
 * that is known. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_GROW_EARLY_CUH
#define USW_GPU_PREFIX_TREE_GROW_EARLY_CUH

#include "gpu/prefix_tree/grown.cuh"

/* Blocks of the cluster; each has two rows of the sample, or more. */
#ifdef USW_EMULATE
enum { TREE_RANKS = 2 };
#else
enum { TREE_RANKS = 8 };
#endif

/* Grows the tree of a sample, of single keys or of stretches, by a cluster of TREE_RANKS blocks of
 * 1024 threads, which call. Returns whether it serves (hybrid_grow_by). unwanted: see
 * hybrid_grow::grow, or NULL. memory: hybrid_grow_shared_of<TREE_RANKS>. */
template <typename K>
__device__ __forceinline__ bool
hybrid_grow_together(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map,
                     unsigned bucket_bits, unsigned repeats, bool alone, const unsigned *unwanted,
                     hybrid_tree *tree, void *memory)
{
    using cluster = usw_cluster<TREE_RANKS>;
    constexpr unsigned rows = HYBRID_SAMPLE_ROWS / TREE_RANKS;
    USW_SHARED_ARRAY(unsigned long long, seen, [2]);
    USW_SHARED_ARRAY(unsigned long long, ored, [TREE_RANKS]);
    USW_SHARED_ARRAY(unsigned long long, anded, [TREE_RANKS]);
    if (threadIdx.x == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
    }
    __syncthreads();
    cluster::arrive();
    unsigned long long any = 0, all = ~0ull;
#pragma unroll
    for (unsigned i = 0; i < rows; i++) {
        const K key = map.map(hybrid_sample_key(keys, n, cluster::rank() * rows + i, alone));
        any |= key;
        all &= key;
    }
    hybrid_note_seen(any, all, seen);
    cluster::wait();
    if (threadIdx.x < TREE_RANKS) {
        *cluster::at(&anded[cluster::rank()], threadIdx.x) = seen[1];
    }
    cluster::share(seen[0], ored);
    for (unsigned r = 0; r < TREE_RANKS; r++) {
        any |= ored[r];
        all &= anded[r];
    }
    const unsigned varying = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(any ^ all)));
    return hybrid_grow_by<K, TREE_RANKS>(keys, n, map, static_cast<K>(all), varying, bucket_bits,
                                         alone, repeats, unwanted, tree, memory);
}

/* Grows the tree of stretches, and says in tree->enough whether it serves, unless the launch that
 * runs beside it finds it unwanted. */
template <typename K>
__global__ __launch_bounds__(1024) void hybrid_grow_early(const K *keys, unsigned long long n,
                                                          usw_gpu_keymap<K> map,
                                                          unsigned bucket_bits, unsigned repeats,
                                                          hybrid_tree *tree)
{
    using cluster = usw_cluster<TREE_RANKS>;
    USW_DYNAMIC_SHARED(unsigned char, memory);
    if (threadIdx.x == 0 && cluster::rank() == 0) {
        usw_store_relaxed(&tree->unwanted, 0u);
        __threadfence(); /* before the next launch, which may set it, can start */
    }
    __syncthreads();
    usw_chained();
    const bool enough = hybrid_grow_together<K>(keys, n, map, bucket_bits, repeats, false,
                                                &tree->unwanted, tree, memory);
    if (cluster::rank() == 0 && threadIdx.x == 0) {
        tree->enough = enough;
    }
    cluster::barrier(); /* no block writes to another's memory from here on */
}

/* Grows the tree of single keys, if the plan asks for it still: the weave may have sorted the keys
 * meanwhile. A tree that does not serve leaves them to the radix sort. */
template <typename K, typename Plan>
__global__ __launch_bounds__(1024) void hybrid_grow_late(const K *keys, unsigned long long n,
                                                         usw_gpu_keymap<K> map,
                                                         unsigned bucket_bits, unsigned repeats,
                                                         Plan *plan, hybrid_tree *tree)
{
    using cluster = usw_cluster<TREE_RANKS>;
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    if (plan->by_tree != TREE_UNGROWN) {
        return;
    }
    const bool enough =
        hybrid_grow_together<K>(keys, n, map, bucket_bits, repeats, true, nullptr, tree, memory);
    cluster::barrier(); /* all have read the plan, and nobody writes to another's memory */
    if (cluster::rank() == 0 && threadIdx.x == 0) {
        TREE_WAY(TREE_LATE, true)
        plan->by_tree = enough;
        if (!enough) {
            plan->radix = plan->skip = 1;
        }
    }
}

/* Queues the first, where there are clusters; returns whether it did. The next launch is chained,
 * calls usw_chained_early, and reads the tree after usw_chained_late. */
template <typename K>
static inline bool hybrid_queue_grow(usw_gpu *g, const K *keys, unsigned long long n,
                                     const usw_gpu_keymap<K> &map, unsigned bits, unsigned repeats,
                                     hybrid_tree *tree)
{
    if (!usw_gpu_clusters(g) || hybrid_grow_shared_of < TREE_RANKS >> g->shared_bytes) {
        return false;
    }
    USW_LAUNCH_CLUSTER(g, TREE_RANKS, false, (hybrid_grow_early<K>), TREE_RANKS, 1024,
                       hybrid_grow_shared_of<TREE_RANKS>, keys, n, map, bits, repeats, tree);
    return true;
}
/* Queues the second, where the first was. */
template <typename K, typename Plan>
static inline void hybrid_queue_grow_late(usw_gpu *g, const K *keys, unsigned long long n,
                                          const usw_gpu_keymap<K> &map, unsigned bits,
                                          unsigned repeats, Plan *plan, hybrid_tree *tree)
{
    USW_LAUNCH_CLUSTER(g, TREE_RANKS, true, (hybrid_grow_late<K, Plan>), TREE_RANKS, 1024,
                       hybrid_grow_shared_of<TREE_RANKS>, keys, n, map, bits, repeats, plan, tree);
}

#endif

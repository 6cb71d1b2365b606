/* weigh_regions.cuh - step 2 of the bucket sort, for many keys that go by a prefix tree: a still
 * larger sample says how large the buckets of the first scatter are, so that it can be done before
 * the keys are counted, and counts them (scatter.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_WEIGH_REGIONS_CUH
#define USW_GPU_TREE_BUCKETS_WEIGH_REGIONS_CUH

#include "gpu/bucket_sort/2_count.cuh"
#include "gpu/tree_buckets/scatter_args.cuh"

/* The sample: KEYS for each region, and no more than one key in PART. Each region has five
 * deviations more than the sample says, 4% of so many keys; hybrid_regions_keys says how many they
 * may have together. */
#ifdef USW_EMULATE
enum { REGION_PART = 2 };
#else
enum { REGION_PART = 8 };
#endif
static constexpr unsigned long long REGION_KEYS = 1 << 14;

static inline unsigned long long hybrid_regions_stretches(unsigned long long n, unsigned bits1)
{
    const unsigned long long keys = n / REGION_PART, wanted = REGION_KEYS << bits1;
    return (keys < wanted ? keys : wanted) / 32;
}

/* The keys of the sample in each region, and how many neighbours share one. regions, pairs: in
 * shared memory, zeros. */
template <typename K>
__device__ __forceinline__ void
hybrid_count_regions(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map,
                     const hybrid_window<K> &window, unsigned below, unsigned long long stretches,
                     unsigned *regions, unsigned *pairs)
{
    constexpr int U = 4;
    const unsigned lane = threadIdx.x % 32;
    const unsigned long long warps = gridDim.x * 32ull;
    const hybrid_stretch stretch(n, stretches);
    unsigned same = 0;
    for (unsigned long long l = blockIdx.x * 32ull + threadIdx.x / 32; l < stretches;
         l += warps * U) {
        K k[U];
        unsigned found[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const unsigned long long line = l + u * warps;
            k[u] = line < stretches ? keys[stretch.place(line) + lane] : K(0);
        }
        map.map_all(k);
        window.buckets(k, found);
#pragma unroll
        for (int u = 0; u < U; u++) {
            const unsigned region = found[u] >> below;
            const unsigned left = __shfl_up_sync(~0u, region, 1);
            if (l + u * warps < stretches) {
                atomicAdd(&regions[region], 1u);
                same += lane != 0 && left == region;
            }
        }
    }
    same = __reduce_add_sync(~0u, same);
    if (lane == 0) {
        atomicAdd(pairs, same);
    }
}

/* A key of a stretch of NEAR_SPAN places; NEAR_PROBES stretches share a block's threads. */
template <typename K>
__device__ __forceinline__ K hybrid_load_probe(const K *keys, unsigned long long n)
{
    constexpr unsigned each = 1024 / NEAR_PROBES;
    const unsigned long long apart = (n - NEAR_SPAN) / (gridDim.x * NEAR_PROBES);
    const unsigned probe = blockIdx.x * NEAR_PROBES + threadIdx.x / each;
    return keys[probe * apart + threadIdx.x % each * (NEAR_SPAN / each)];
}

/* How many of these are far from the one in the middle of their stretch, so that scatter_near.cuh
 * had to write them alone. middle, far: shared words, far[0] is 0. */
template <typename K>
__device__ __forceinline__ void hybrid_count_far(K key, const hybrid_window<K> &window,
                                                 unsigned *middle, unsigned *far)
{
    constexpr unsigned most = NEAR_DIGITS / 2 - NEAR_DIGITS / 16, each = 1024 / NEAR_PROBES;
    const K k[1] = {key};
    unsigned found[1], alike;
    window.buckets(k, found, alike);
    if (threadIdx.x % each == each / 2) {
        middle[threadIdx.x / each] = found[0];
    }
    __syncthreads();
    const unsigned m = middle[threadIdx.x / each], d = found[0] > m ? found[0] - m : m - found[0];
    const unsigned away = __popc(__ballot_sync(~0u, alike == 0 && d > most));
    if (threadIdx.x % 32 == 0) {
        atomicAdd(far, away);
    }
}

/* Notes in the plan whether keys lie near their places; those of which a sample said that they go
 * by a tree only then are else left to the radix sort. Returns whether neither is so. far: of all
 * probes. The last block calls. */
static __device__ __forceinline__ bool hybrid_decide_near(hybrid_plan *plan, unsigned far)
{
    const bool near = far <= gridDim.x * 1024 / NEAR_FAR_PART;
    const bool leaves = !near && plan->near == TREE_IF_NEAR;
    __syncthreads();
    if (threadIdx.x == 0) {
        plan->near = near ? TREE_NEAR : 0;
        if (leaves) {
            plan->by_tree = 0;
            plan->radix = plan->skip = 1;
        }
    }
    return !near && !leaves;
}

/* Places the regions, if neighbours are in one as seldom as by chance: else the sample's keys say
 * less than as many that are drawn one by one. The last block calls. c: of the sample, in this
 * thread's region, and in all the neighbours that share one. regions: shared, 256 words. cursor: of
 * the first scatter. */
static __device__ __forceinline__ void
hybrid_place_regions(hybrid_plan *plan, hybrid_tree *tree, unsigned long long n,
                     unsigned long long most, unsigned number, unsigned c, unsigned neighbours,
                     unsigned *regions, unsigned long long *cursor)
{
    USW_SHARED(float, chance);
    const unsigned t = threadIdx.x;
    unsigned before;
    const unsigned all = hybrid_sum_before(c, regions, before);
    if (t == 0) {
        chance = 0;
    }
    __syncthreads();
    const float share = static_cast<float>(c) / static_cast<float>(all);
    const float each = static_cast<float>(n) / static_cast<float>(all);
    float pairs_here = share * share * static_cast<float>(all);
    for (int o = 16; o > 0; o >>= 1) {
        pairs_here += __shfl_xor_sync(~0u, pairs_here, o);
    }
    if (t < number && t % 32 == 0) {
        atomicAdd(&chance, pairs_here);
    }
    const float keys = (static_cast<float>(c) + 5 * sqrtf(static_cast<float>(c)) + 8) * each;
    const unsigned size = t < number ? static_cast<unsigned>(keys) / 32 * 32 + 64 : 0;
    const unsigned long long total = hybrid_sum_before(size, regions, before);
    const float pairs = static_cast<float>(neighbours);
    if (total > most || pairs > chance * 1.1f + 6 * sqrtf(chance)) {
        return;
    }
    if (t < number) {
        tree->regions[t] = cursor[t] = before;
    }
    if (t == 0) {
        tree->regions[number] = total;
        plan->rises = plan->falls = 1; /* as a count would find them */
        plan->uncounted = HYBRID_UNCOUNTED_TREE;
        plan->skip = 1;
    }
}

/* most: keys of all regions together, at most; cursor: of the first scatter, of bits1 bits. */
template <typename K>
__global__ __launch_bounds__(1024, 1) void hybrid_weigh_regions(
    const K *keys, unsigned long long n, usw_gpu_keymap<K> map, unsigned bits, unsigned bits1,
    hybrid_plan *plan, hybrid_tree *tree, unsigned long long stretches, unsigned long long most,
    unsigned long long *cursor)
{
    USW_DYNAMIC_SHARED(unsigned, slots);
    USW_SHARED_ARRAY(unsigned, regions, [TREE_REGIONS]);
    USW_SHARED_ARRAY(unsigned, middle, [NEAR_PROBES]);
    USW_SHARED_ARRAY(unsigned, note, [3]); /* neighbours; blocks that are done; far keys */
    usw_chained();
    if (!plan->by_tree) {
        return;
    }
    const unsigned t = threadIdx.x, number = 1u << bits1;
    const K probe = hybrid_load_probe(keys, n);
    hybrid_copy_slots<1024>(tree, slots);
    if (t < TREE_REGIONS) {
        regions[t] = 0;
    }
    if (t == 0) {
        note[0] = note[2] = 0;
    }
    __syncthreads();
    const hybrid_window<K> window(slots, tree);
    for (unsigned from = (t / 32 * gridDim.x + blockIdx.x) * 32; from < TREE_SLOTS;
         from += gridDim.x * 1024) {
        hybrid_note_leaves(tree, slots, from);
    }
    hybrid_count_far(map.map(probe), window, middle, &note[2]);
    const bool counts = !tree->crowded && plan->near == 0; /* others go elsewhere or are counted */
    if (counts) {
        hybrid_count_regions<K>(keys, n, map, window, bits - bits1, stretches, regions, &note[0]);
    }
    __syncthreads();
    if (t < number && regions[t] != 0) {
        atomicAdd(&tree->shares[t], regions[t]);
    }
    if (t == 0) {
        atomicAdd(&tree->neighbours, note[0]);
        atomicAdd(&tree->far, note[2]);
    }
    __threadfence();
    __syncthreads();
    if (t == 0) {
        note[1] = atomicAdd(&tree->measured, 1u);
    }
    __syncthreads();
    if (note[1] + 1 == gridDim.x) {
        __threadfence();
        const unsigned c = t < number ? usw_load_relaxed(&tree->shares[t]) : 0;
        const unsigned neighbours = usw_load_relaxed(&tree->neighbours);
        if (hybrid_decide_near(plan, usw_load_relaxed(&tree->far)) && counts) {
            hybrid_place_regions(plan, tree, n, most, number, c, neighbours, regions, cursor);
        }
    }
}

#endif

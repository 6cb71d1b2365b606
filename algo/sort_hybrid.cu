/* sort_hybrid.cu - hybrid sort on a GPU: buckets by leading bits, each sorted in shared memory.
 *
 * Idea     As the explained form: see how the keys are spread (count), choose pivots (place),
 *          scatter into buckets, sort each bucket in fast memory. The pivots are digits of the key:
 *          bucket b holds the keys whose leading varying bits are b. n / 4096 buckets, 65,536 at
 *          most, so that a bucket fits in shared memory. Where the explained form refines its
 *          pivots, a few buckets too large are split again, or written by their counts. Of 2^28
 *          keys of 32 bits or more, uneven ones are counted by 16 bits, so that 16 at most are left
 *          and a bucket of any size can be written by counts. Keys that have many large buckets or
 *          differ in two bytes are left to the radix sort. All of it is decided on the device.
 *
 *          Many keys that leading bits do not spread evenly go by a prefix tree of a sample
 *          (gpu/prefix_tree): each leaf gets as many buckets as its share of the keys asks for.
 *          These are the explained form's refined pivots: linear between two edges, and closer
 *          where the keys are. Keys that lie near their places go by one, too, and are scattered
 *          once (gpu/tree_buckets/scatter_near.cuh).
 *
 * Steps    each is a file of gpu/bucket_sort, whose README.md leads through them.
 *          sample   1_sample.cuh: 16,384 keys: the highest bit in which keys differ, or the window
 *                   of values in which they lie, whose digits go round; and how many buckets.
 *          weave    gpu/runs: keys in order but for a few; then nothing else is to be done.
 *          count    2_count.cuh: keys of each bucket; sorted or reversed already?
 *          place    3_place.cuh: where the buckets begin; what is to be done.
 *          scatter  4_scatter.cuh: by the first half of the bits, keys to tmp; then by the second
 *                   half, back. Equal keys are the same bits, so ranks need not be stable. Keys of
 *                   32 bits of which many have the same digits have their own kernel. From 2^22 on,
 *                   if keys are even in some range by the sample, there is no count before: the
 *                   first scatter counts them into regions with some slack,
 *                   4_scatter_uncounted.cuh.
 *          sort     5_sort.cuh: each bucket by the bits still undecided; most keys of 64 bits as
 *                   words of 32, 5_sort_as_words.cuh; keys of 32 bits of which 18 are left or fewer
 *                   as halves, 5_sort_as_halves.cuh, and if buckets are too large for that by
 *                   counts of the values, 5_sort_by_counts.cuh.
 *          large    6_large.cuh: the large buckets, which may become more to sort.
 *          write    7_write_counts.cuh: keys of 8 and 16 bits are written by the counts of step 2;
 *                   so are wider keys of few values by the counts of 7_write_few_values.cuh.
 *
 * Shape    count: 1 block of 1024 threads a multiprocessor, 128 KB of shared memory. scatter: tiles
 *          of 16,384 keys of 32 bits (1024 threads, 108 KB) or 8,192 of 64 (512 threads, 67 KB),
 *          2 blocks a multiprocessor; where it counts 1 block of 1024 threads a multiprocessor,
 *          tiles of 16,384 keys (161 KB) or 13,312 of 64 bits (173 KB). sort: a block of 128 to
 *          1024 threads a bucket. large: 1 cooperative block of 1024 threads a multiprocessor, 128
 *          KB.
 *
 * Traffic  u32 keys 4 + 8 + 8 + 8 = 28 bytes a key, u64 56; uncounted 24 and 48; of n up to 2^20
 *          one scatter: 20 and 40. Sorted keys 4 or 8; reversed ones 12 or 24. u16 and u8: read
 *          once, written once, and so are keys of few values.
 *
 * Scratch  one copy of the keys, and 1%, from 2^22 keys on 5%, for the regions' slack, the buckets
 *          and the lists of what is left.
 *
 * Source   E. Stehle, H.-A. Jacobsen, A memory bandwidth-efficient hybrid radix sort on GPUs, 2017;
 *          E. Sintorn, U. Assarsson, JPDC 2008. */
/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/repeat_graph.cuh"
#include "gpu/bucket_sort/job.cuh"
#include "gpu/bucket_sort/bucket_sort.cuh"
#include "gpu/bucket_sort/3_place.cuh"
#include "gpu/bucket_sort/launches.cuh"
#include "gpu/bucket_sort/6_large.cuh"
#include "gpu/bucket_sort/7_write_few_values.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/digit_sort/digit_sort.cuh"
#include "gpu/runs/runs.cuh"
#include "gpu/tree_buckets/launches.cuh"

/* ---- the whole ---- */

/* The number of bits for n keys of so many bytes: buckets then have fewer than BUCKET_KEYS keys on
 * average. Keys of 32 bits get one bit more where that leaves 16 bits, or 18 in buckets of
 * BUCKET_KEYS * 3 / 4 keys or more, for such buckets are sorted as halves, which is faster
 * (gpu/bucket_sort/5_sort_as_halves.cuh); keys of 64 bits where they are then sorted as words. */
static unsigned bits_for(unsigned long long n, size_t bytes)
{
    unsigned bits = 1;
    while (bits < BITS_MAX && ((n - 1) >> bits) >= BUCKET_KEYS) {
        bits++;
    }
    if (bytes == 4 && (bits + 1 == BITS_MAX ||
                       (bits + 3 == BITS_MAX && (n - 1) >> bits >= BUCKET_KEYS / 4 * 3))) {
        bits++;
    }
    const bool soon_words = bits < WORDS_FROM && bits + 2 >= WORDS_FROM;
    if (bytes == 8 && soon_words && (n - 1) >> bits >= HALF_KEYS) {
        bits++;
    }
    return bits;
}

template <typename K>
static void count(usw_gpu *g, const hybrid_job<K> &j, unsigned bits, bool second)
{
    /* A block adds its table of counters to that of all blocks in the end, so each block takes a
     * share that is worth this: the table of 16 bits is 32,768 words. */
    const unsigned long long share = sizeof(K) == 2 ? 65536 : 16384;
    const unsigned long long tiles = (j.n + share - 1) / share;
    const unsigned blocks = static_cast<unsigned>(tiles < g->sms ? tiles : g->sms);
    auto *counts = reinterpret_cast<unsigned long long *>(j.counts);
    if constexpr (sizeof(K) >= 4) {
        if (j.few_values != nullptr && !second) {
            const size_t few = hybrid_few_shared<K>(bits);
            const size_t tree = j.tree != nullptr ? hybrid_tree_shared(bits) : 0;
            USW_LAUNCH_CHAINED(g, (hybrid_count_any<K>), blocks, 1024, few > tree ? few : tree,
                               j.from, j.n, j.map, j.plan, counts, j.handed, j.few_values,
                               static_cast<unsigned *>(nullptr),
                               static_cast<const hybrid_tree *>(j.tree));
            return;
        }
    }
    USW_LAUNCH_CHAINED(g, (hybrid_count<K>), blocks, 1024, hybrid_count_shared(bits), j.from, j.n,
                       j.map, j.plan, counts, j.handed);
}

/* Keys are counted by the leading bits that the sample has seen. Uneven keys are counted a second
 * time, by j.fine bits. */
template <typename K>
static void count_and_place(usw_gpu *g, const hybrid_job<K> &j, unsigned capacity, unsigned tile,
                            bool second)
{
    const unsigned bits = second ? j.fine : j.bits, bits1 = second ? FINE_BITS_1 : j.bits1;
    count<K>(g, j, second ? bits : bits + j.more, second);
    hybrid_place_args a = {j.plan,
                           j.n,
                           j.counts,
                           j.handed,
                           j.scatter_counts,
                           bits,
                           bits1,
                           capacity,
                           tile,
                           j.fine,
                           second,
                           second ? bits - j.bits : 0,
                           LARGE_FROM(sizeof(K)),
                           sizeof(K) == 8     ? 64u
                           : j.map.identity() ? 24u
                                              : 1u,
                           j.published,
                           j.ends,
                           j.begin,
                           j.stop,
                           j.cursor,
                           j.tile_begin,
                           j.lists,
                           second ? nullptr : j.tree,
                           j.extents,
                           sizeof(K) * 8,
                           hybrid_spares(j),
                           j.rest};
    USW_LAUNCH_CHAINED(g, hybrid_place, 1u << bits1, 256, 0, a);
}

/* What the sample of 16,384 keys must show for keys to go to the radix sort at once. A bucket that
 * step 5 cannot hold is expected to have `keys` keys of the sample; so much is added that chance
 * seldom shows one (proofs/chance.py; four deviations and 3 did of one array of 60). */
template <typename K> static hybrid_crowded crowded_for(const hybrid_job<K> &j, unsigned capacity)
{
    if (sizeof(K) < 4) {
        return {};
    }
    const bool small = j.n < LARGE_FROM(sizeof(K));
    const unsigned most = small ? capacity : unsigned(HYBRID_BIN_KEYS);
    const double keys = most * 16384.0 / static_cast<double>(j.n);
    const unsigned buckets = small ? 0 : j.fine != 0 ? unsigned(FINE_CROWDED) : HYBRID_LARGE_MAX;
    return {static_cast<unsigned>(keys + 5.5 * std::sqrt(keys) + 4),
            buckets,
            true,
            j.bits1,
            EVEN_KEYS(capacity),
            j.more != 0,
            j.ordered != nullptr ? 16384 / WEAVE_FALLS_SHARE : 0,
            j.tree != nullptr && j.tree_room != 0 ? NEAR_DIGITS / 2u : 0u,
            hybrid_most_repeats<K>(j.n, j.bits, TREE_CAPACITY),
            hybrid_spares(j)};
}

/* A larger sample weighs the leaves of the tree, for keys that go by one; of many keys the first
 * scatter may then count them. */
template <typename K> static void weigh_tree(usw_gpu *g, const hybrid_job<K> &j)
{
    USW_LAUNCH_CHAINED(g, (hybrid_weigh_tree<K>), g->sms, 1024, hybrid_weigh_shared, j.from, j.n,
                       j.map, j.bits, j.plan, j.tree, hybrid_weigh_stretches<K>(j.n, j.bits), true,
                       j.tree_room == 0);
    if (j.tree_room != 0) {
        hybrid_queue_tree_counts<K>(g, j);
    }
}

/* sample, count and place. */
template <typename K>
static void plan_buckets(usw_gpu *g, const hybrid_job<K> &j, unsigned capacity, unsigned tile)
{
    const hybrid_crowded c = crowded_for(j, capacity);
    bool early = j.tree != nullptr;
    if constexpr (sizeof(K) >= 4) {
        early = early && hybrid_queue_grow<K>(g, j.from, j.n, j.map, j.bits, c.repeats, j.tree);
    }
    const auto sample = [&](auto ranks) {
        USW_LAUNCH_CLUSTER(g, ranks(), early, (hybrid_sample<K, ranks()>), SAMPLE_BLOCKS, 1024,
                           hybrid_sample_shared<K>(j.bits + j.more), j.from, j.n, j.map, j.bits,
                           j.plan, static_cast<unsigned *>(j.radix), j.clear, c,
                           hybrid_even{j.uncounted ? j.bits1 : 0, j.cursor, j.room}, j.few_values,
                           j.tree, early);
    };
    if (sizeof(K) >= 4 && usw_gpu_clusters(g)) {
        sample(std::integral_constant<unsigned, (sizeof(K) >= 4 ? SAMPLE_RANKS : 1)>());
    } else {
        sample(std::integral_constant<unsigned, 1>());
    }
    if constexpr (sizeof(K) >= 4) {
        if (j.ordered != nullptr) {
            usw_queue_weave(g, j);
        }
        if (early) {
            hybrid_queue_grow_late<K>(g, j.from, j.n, j.map, j.bits, c.repeats, j.plan, j.tree);
        }
        if (j.tree != nullptr) {
            weigh_tree<K>(g, j);
        }
        if (j.uncounted) {
            hybrid_queue_uncounted<K>(g, j);
        }
    }
    count_and_place<K>(g, j, capacity, tile, false);
    if (j.fine != 0) {
        count_and_place<K>(g, j, capacity, tile, true);
    }
}

/* What the buckets leave to be done, where large ones are not left to the radix sort. */
template <typename K> static void sort_large(usw_gpu *g, const hybrid_job<K> &j)
{
    hybrid_large_args<K> args = {j.keys, j.tmp,   j.from,     j.map,
                                 j.plan, j.lists, g->barrier, hybrid_one_block_keys(j.n)};
    USW_LAUNCH_COOPERATIVE(g, (hybrid_sort_large<K>), g->sms, 1024, hybrid_large_shared<K>(), args);
    usw_queue_bin_sorts(g, j);
}

/* Queues all steps. capacity: keys of a bucket that step 5 can hold. */
template <typename K>
static upsweep_status sort_in_buckets(usw_gpu *g, const usw_gpu_sort *s, const hybrid_job<K> &j,
                                      unsigned capacity)
{
    using shape = typename hybrid_shape_of<K>::shape;
    plan_buckets<K>(g, j, capacity, shape::threads * shape::keys);
    hybrid_queue_scatter<K, true>(g, j);
    if (j.tree != nullptr) {
        hybrid_queue_tree_scatter<K, false>(g, j);
        if (j.tree_room != 0) {
            hybrid_queue_near_scatter<K>(g, j);
        }
    }
    if (j.bits1 < j.bits) {
        hybrid_queue_scatter<K, false>(g, j);
    }
    if (j.tree != nullptr) {
        usw_queue_rest_sorts(g, j);
    }
    usw_queue_bucket_sorts(g, j);
    if (j.lists_large) {
        sort_large<K>(g, j);
    }
    USW_LAUNCH(g, (hybrid_reverse<K>), g->sms * 4, 512, 0, j.from, j.keys, j.n, j.map, j.plan,
               static_cast<const hybrid_few<K> *>(j.few_values));
    usw_digit_scratch scratch = {};
    scratch.keys_tmp = j.tmp;
    scratch.control = j.radix;
    return usw_radix_queue(g, s, scratch, &j.plan->radix);
}

/* Whether the device's blocks may have the shared memory that the kernels take. */
template <typename K, int size> static bool has_shared_memory(const usw_gpu *g, unsigned bits)
{
    using shape = typename hybrid_shape_of<K>::shape;
    using local = hybrid_local_shape<size>;
    size_t count = hybrid_count_shared(bits), scatter_bytes;
    if constexpr (sizeof(K) == 4) {
        scatter_bytes = hybrid_slots_shared<K>(shape::slots);
    } else {
        scatter_bytes = hybrid_close_shared<K>(shape::threads * shape::keys);
    }
    return count <= g->shared_bytes && scatter_bytes <= g->shared_bytes &&
           hybrid_large_shared<K>() <= g->shared_bytes &&
           hybrid_local_shared<K>(512, 19, 13) <= g->shared_bytes &&
           hybrid_local_shared<K>(local::threads, local::keys, local::bits) <= g->shared_bytes;
}

/* Whether n keys may go by a prefix tree on this device: not keys of 32 bits in buckets so large
 * that they are sorted by the counts of their values. */
template <typename K> static bool tree_fits(const usw_gpu *g, unsigned long long n, unsigned bits)
{
    using rest = hybrid_rest_shape;
    const bool by_values =
        sizeof(K) == 4 && hybrid_by_size<K>(n, bits, [](auto size) { return size == 2; });
    return n >= (sizeof(K) == 4 ? TREE_FROM_32 : TREE_FROM_64) && !by_values &&
           hybrid_tree_shared(bits) <= g->shared_bytes && hybrid_tree_scatters_fit<K>(g, bits) &&
           hybrid_local_shared<K>(rest::threads, rest::keys, rest::bits) <= g->shared_bytes;
}

template <typename K>
static upsweep_status sort_wide(usw_gpu *g, const usw_gpu_sort *s, hybrid_job<K> j)
{
    j.bits = bits_for(j.n, sizeof(K));
    j.bits1 = j.bits <= SCATTER_BITS ? j.bits : j.bits / 2;
    j.fine = sizeof(K) == 4 && j.n >= LARGE_FROM(sizeof(K)) ? FINE_BITS : 0;
    j.may_tree = j.bits1 < j.bits && tree_fits<K>(g, j.n, j.bits);
    const bool may_count = j.n >= TREE_COUNTS_FROM && j.n <= HYBRID_UNCOUNTED_MOST;
    j.tree_room = j.may_tree && may_count ? hybrid_regions_keys(j.n) : 0;
    j.lists_large = j.n >= LARGE_FROM(sizeof(K));
    j.more = (!j.may_tree || j.n < MORE_BELOW(sizeof(K))) && j.bits1 < j.bits &&
                     j.bits < BITS_MAX && j.fine == 0
                 ? 1
                 : 0;
    hybrid_choose_uncounted(g, j);
    j.may_weave = j.n >= WEAVE_FROM(sizeof(K)) && weave_shape<K>::shared <= g->shared_bytes;
    j.lists.small = hybrid_local_shape<0>::capacity;
    j.lists.tile = hybrid_large_shape<K>::tile;
    if (!hybrid_take_scratch(g, j, true)) {
        return g->status;
    }
    usw_choose_rest_sorts(j);
    return sort_in_buckets<K>(g, s, j, j.rest.small);
}

/* Up to so many keys of 16 bits are written by warps with equal shares. */
#ifdef USW_EMULATE
static constexpr unsigned long long FILL_SHARES = 80000;
#else
static constexpr unsigned long long FILL_SHARES = 5u << 22;
#endif

/* Keys of 8 and 16 bits: the counts of their values are all that has to be known. */
template <typename K> static upsweep_status sort_narrow(usw_gpu *g, hybrid_job<K> j)
{
    j.bits = sizeof(K) * 8;
    j.bits1 = j.bits - 8;
    if (!hybrid_take_scratch(g, j, false)) {
        return g->status;
    }
    plan_buckets<K>(g, j, 0, 1);
    hybrid_filling<K> filling = {j.keys, j.ends, 1u << j.bits, 0, K(0)};
    if constexpr (sizeof(K) == 2) {
        if (j.n <= FILL_SHARES) {
            const unsigned long long shares = (j.n + (1u << j.bits)) / HYBRID_FILL_SHARE + 1;
            return USW_LAUNCH_CHAINED(g, (hybrid_fill_shares<K>),
                                      static_cast<unsigned>((shares + 7) / 8), 256, 0, filling, j.n,
                                      j.map, j.plan, j.from != j.keys);
        }
    }
    /* Where keys are few a stretch may hold many values, and one block should not have to write
     * them all: the stretches are shorter then. */
    const unsigned stretch = j.n <= 3u << 21 ? 2048 : j.n <= 3u << 23 ? 4096 : 8192;
    return USW_LAUNCH_CHAINED(g, (hybrid_fill<K>),
                              static_cast<unsigned>((j.n + stretch - 1) / stretch), 256, 0, filling,
                              j.n, stretch, j.map, j.plan, j.from != j.keys);
}

bool usw_bucket_sort_fits(const usw_gpu *g, size_t n, unsigned width)
{
    auto fits = [&](auto k) {
        using K = decltype(k);
        const unsigned bits = bits_for(n, sizeof(K));
        return hybrid_by_size<K>(n, bits,
                                 [&](auto size) { return has_shared_memory<K, size>(g, bits); });
    };
    return width == 3 ? fits(uint64_t()) : fits(uint32_t());
}

static upsweep_status sort_keys(usw_gpu *g, const usw_gpu_sort *s)
{
    const usw_gpu_method method = usw_gpu_choose_keys(g, s, 0).method;
    if (method != USW_GPU_BY_BUCKETS && method != USW_GPU_BY_COUNTS) {
        return usw_radix_sort(g, s, method);
    }
    return usw_gpu_by_width(s->width, [&](auto k) {
        using K = decltype(k);
        hybrid_job<K> j = {};
        j.keys = static_cast<K *>(s->keys);
        j.from = static_cast<const K *>(usw_gpu_keys_from(s));
        j.n = s->n;
        j.map = usw_gpu_keymap_of<K>(s->map);
        if constexpr (sizeof(K) < 4) {
            return sort_narrow<K>(g, j);
        } else {
            return sort_wide<K>(g, s, j);
        }
    });
}

static upsweep_status sort_repeat(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_gpu_sort_repeat(g, s, sort_keys);
}
static upsweep_status pairs_repeat(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_gpu_pairs_repeat(g, p, usw_bucket_pairs);
}

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_hybrid_cuda) = {sort_repeat, pairs_repeat, 0, false,
                                                         false};

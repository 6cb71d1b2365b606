/* pairs.cu - the bucket sort of pairs on a GPU, stable: scatter twice, sort the buckets.
 *
 * Idea     As algo/sort_hybrid.cu: by the leading bits into buckets that fit in shared memory.
 *          Equal keys carry different values, so every step keeps their order. For an argsort the
 *          first scatter makes the values up.
 *
 * Steps    sample   gpu/pair_buckets/pairs_sample.cuh: 16,384 keys: the highest bit in which keys
 *                   differ; reversed, or uneven?
 *          count    gpu/bucket_sort/2_count.cuh: keys of each bucket; sorted or reversed already?
 *          place    gpu/pair_buckets/pairs_place.cuh: where the buckets begin; what is to be done.
 *          Keys that leading bits do not spread evenly go by the buckets of a tree
 *          (gpu/prefix_tree), from tree_from pairs on.
 *          scatter  gpu/pair_buckets/pairs_scatter.cuh: to tmp by the first half of the bits, then
 *                   back, within the segments that this made, by the second half.
 *          sort     gpu/pair_buckets/pairs_sort.cuh: each bucket by the bits still undecided.
 *          rest     gpu/pair_buckets/pairs_sort_rest.cuh: buckets of up to twice as many pairs, and
 *                   those of a tree that have many bits left.
 *          These are left to the radix sort, decided on the device before the first scatter:
 *          reversed and uneven keys, keys that differ in two bytes or fewer, a sample that missed a
 *          bit, and buckets that no sort holds. Keys of which the sample has up to 256 values are
 *          counted by value (gpu/bucket_sort/7_write_few_values.cuh), and sorted by one pass of the
 *          radix sort, whose digit is the number of the value.
 *
 * Shape    count: a block of 1024 threads a multiprocessor. scatter: 1024 threads a multiprocessor
 *          in one block or two, tiles of 8192 pairs. sort: a block of 256 threads a bucket of about
 *          4096 pairs.
 *
 * Traffic  u32 pairs 4 + 16 + 16 + 16 = 52 bytes, argsort of u32 44, u64 pairs 104.
 *
 * Scratch  one copy of keys and values (two of the keys where the caller wants none back; two of
 *          both where up to SPARE_PAIRS bytes of keys are sorted in place with values as wide), 20
 *          bytes a bucket, up to 1 MB of look-back words, and for a tree up to 1.2 MB. */
/* SPDX-License-Identifier: MIT */
#include "gpu/pair_buckets/pairs_sort_rest.cuh"
#include "gpu/pair_buckets/pairs_sample.cuh"
#include "gpu/bucket_sort/2_weigh_tree.cuh"
#include "gpu/bucket_sort/bucket_sort.cuh"
#include "gpu/digit_sort/count_all_digits.cuh"
#include "gpu/digit_sort/digit_sort.cuh"

/* ---- tuning ---- */

template <unsigned key_bytes, unsigned value_bytes> struct pairs_tuning {
#ifdef USW_EMULATE /* sizes that the emulator can sort */
    using scatter = usw_radix_shape<2, 1, 256>;
    using tree_scatter = usw_radix_shape<4, 1, 256>;
    static constexpr size_t tree_from = 16384;
    using less = pairs_local_shape<256, 4, 11, 4, 2, key_bytes + value_bytes <= 12>;
    using local = pairs_local_shape<256, 8, 11, 8, 2, key_bytes + value_bytes <= 12>;
    using more = local;
    static constexpr unsigned bits_min = 11, bits_less = 11, bits_local = 11, bits_more = 11;
    static constexpr unsigned heavy = 1000;
#else
    static constexpr unsigned pair = key_bytes + value_bytes;
    static constexpr int rounds = key_bytes == 8 ? 7 : 8;
    using scatter = usw_radix_shape<(pair > 12  ? 8
                                     : pair > 8 ? 12
                                                : 16),
                                    (pair > 12 ? 1 : 2), (pair > 12 ? 1024 : 512)>;
    /* Smaller tiles where two blocks and their trees would not fit a multiprocessor. */
    using tree_scatter = usw_radix_shape<(pair > 12  ? 8
                                          : pair > 8 ? 10
                                                     : 12),
                                         scatter::blocks, scatter::threads>;
    /* Uneven keys of fewer pairs are sorted by digits. */
    static constexpr size_t tree_from = key_bytes == 8 ? 1 << 22 : pair > 8 ? 1 << 23 : 1 << 25;
    /* For buckets of 2048, 4096 and 8192 pairs on average; bits_...: the most bits for each. */
    using less = pairs_local_shape<256, 10, 11, rounds, 4, (pair <= 12)>;
    using local = pairs_local_shape<256, 19, 12, rounds, (pair > 12 ? 2 : 3), (pair <= 12)>;
    using more = pairs_local_shape<512, 19, 13, rounds, (pair > 12 ? 1 : 2), (pair <= 12)>;
    static constexpr unsigned bits_min = 12, bits_less = pair > 8 ? 16 : 13, bits_local = 16;
    static constexpr unsigned bits_more = 16;
    static constexpr unsigned heavy = 48; /* of 16,384 keys; 4 are to be expected */
#endif
};

/* SPARE_PAIRS: up to so many bytes of keys the radix sort may have a second copy of the pairs, if
 * the caller's limit allows that and SPARE_LEFT bytes for all else. */
static constexpr size_t SPARE_PAIRS = size_t(1) << 27, SPARE_LEFT = size_t(1) << 23;

/* ---- the whole ---- */

template <typename K> struct pairs_job {
    const usw_gpu_pairs *p;
    usw_gpu_keymap<K> map;
    pairs_plan *plan;
    pairs_digits digits;
    usw_digit_scratch scratch;
    unsigned *zero; /* to be cleared: counts, handed, ring, the control of the radix sort */
    unsigned *counts, *handed, *ring;
    size_t zero_words;
    hybrid_few<K> *few_values; /* or NULL */
    unsigned ring_tiles, grid;
    unsigned long long *starts;
    unsigned *tile_begin, *rest;
    hybrid_tree *tree; /* for uneven keys, or NULL */
    hybrid_extents extents;
};

/* Whether uneven pairs may go by a prefix tree on this device. */
template <typename K, typename tuning, unsigned value_bytes>
static bool tree_fits(const usw_gpu *g, size_t n, unsigned bits)
{
    return n >= tuning::tree_from && hybrid_tree_shared(bits) <= g->shared_bytes &&
           hybrid_sample_shared<K>(bits) <= g->shared_bytes &&
           pairs_scatter_shared<K, value_bytes, typename tuning::tree_scatter, true>() <=
               g->shared_bytes;
}

template <typename K> static bool take_tree(usw_gpu *g, pairs_job<K> &j)
{
    const size_t buckets = size_t(1) << j.digits.bits();
    const size_t bytes = sizeof *j.tree + hybrid_extents::bytes(buckets);
    j.tree = static_cast<hybrid_tree *>(usw_gpu_scratch(g, bytes));
    if (j.tree == nullptr) {
        return false;
    }
    j.extents = hybrid_extents::behind(j.tree, buckets, 0);
    return true;
}

template <typename K, unsigned value_bytes, typename tuning>
static bool take_scratch(usw_gpu *g, pairs_job<K> &j)
{
    using scatter = typename tuning::scatter;
    constexpr size_t tree_tile = tuning::tree_scatter::tile;
    constexpr size_t tile = tree_tile < scatter::tile ? tree_tile : size_t(scatter::tile);
    const size_t n = j.p->n, buckets = size_t(1) << j.digits.bits();
    const size_t segments = size_t(1) << j.digits.bits1;
    const size_t tiles = (n + tile - 1) / tile + segments;
    j.grid = g->sms * scatter::blocks;
    j.ring_tiles = usw_look_back_ring_tiles(j.grid);
    while (j.ring_tiles / 2 >= tiles) {
        j.ring_tiles /= 2;
    }
    const size_t mine = buckets * 2 + size_t(j.ring_tiles) * PAIRS_DIGITS;
    j.zero_words = mine + sizeof(usw_radix_control) / 4;
    j.plan = static_cast<pairs_plan *>(usw_gpu_scratch(g, sizeof *j.plan));
    j.zero = static_cast<unsigned *>(usw_gpu_scratch(g, j.zero_words * 4));
    j.starts = static_cast<unsigned long long *>(usw_gpu_scratch(g, (buckets + 1) * 8));
    j.rest = static_cast<unsigned *>(usw_gpu_scratch(g, buckets * 4));
    j.tile_begin = static_cast<unsigned *>(usw_gpu_scratch(g, (segments + 1) * 4));
    auto *tmp = static_cast<unsigned char *>(usw_gpu_scratch(g, n * (sizeof(K) + value_bytes)));
    j.few_values = nullptr;
    if (hybrid_few_shared<K>(j.digits.bits()) <= g->shared_bytes && sizeof *j.few_values <= n &&
        usw_radix_takes_few(g, j.p)) {
        j.few_values = static_cast<hybrid_few<K> *>(usw_gpu_scratch(g, sizeof *j.few_values));
    }
    if (tree_fits<K, tuning, value_bytes>(g, n, j.digits.bits()) && !take_tree(g, j)) {
        return false;
    }
    if (sizeof(K) == value_bytes && j.p->keys == j.p->out_keys && n <= SPARE_PAIRS / sizeof(K) &&
        (g->scratch_limit == 0 ||
         g->scratch_used + n * 2 * sizeof(K) + SPARE_LEFT <= g->scratch_limit)) {
        j.scratch.spare = usw_gpu_scratch(g, n * 2 * sizeof(K));
    }
    j.scratch.keys_out = j.p->out_keys;
    if (j.scratch.keys_out == nullptr) {
        j.scratch.keys_out = usw_gpu_scratch(g, n * sizeof(K));
    }
    if (j.plan == nullptr || j.zero == nullptr || j.starts == nullptr || j.tile_begin == nullptr ||
        j.rest == nullptr || tmp == nullptr || j.scratch.keys_out == nullptr) {
        return false;
    }
    j.counts = j.zero;
    j.handed = j.counts + buckets;
    j.ring = j.handed + buckets;
    j.scratch.control = j.zero + mine;
    /* The wider of keys and values comes first, so that both are aligned. */
    const bool values_first = value_bytes > sizeof(K);
    j.scratch.keys_tmp = values_first ? tmp + n * value_bytes : tmp;
    j.scratch.values_tmp = values_first ? tmp : tmp + n * sizeof(K);
    return true;
}

/* Queues sample, weighing, count and place. */
template <typename K, typename S, typename larger, typename tuning>
static void plan_pairs(usw_gpu *g, const pairs_job<K> &j)
{
    const K *keys = static_cast<const K *>(j.p->keys);
    const unsigned long long n = j.p->n, stretches = (n + 16383) / 16384;
    const unsigned bits = j.digits.bits();
    size_t count_bytes =
        j.few_values != nullptr ? hybrid_few_shared<K>(bits) : hybrid_count_shared(bits);
    if (j.tree != nullptr && count_bytes < hybrid_tree_shared(bits)) {
        count_bytes = hybrid_tree_shared(bits);
    }
    const bool early =
        j.tree != nullptr && hybrid_queue_grow<K>(g, keys, n, j.map, bits, ~0u, j.tree);
    USW_LAUNCH_CLUSTER(g, 1, early, (pairs_sample<K>), 64, 1024,
                       j.tree != nullptr ? hybrid_sample_shared<K>(bits) : hybrid_tables_bytes<K>(),
                       keys, n, j.map, j.digits, S::place_bits, unsigned(S::capacity),
                       tuning::heavy, j.plan, j.zero, j.zero_words, j.few_values, j.tree, early);
    if (j.tree != nullptr) {
        USW_LAUNCH_CHAINED(g, (hybrid_weigh_tree<K>), g->sms, 1024, hybrid_weigh_shared, keys, n,
                           j.map, bits, &j.plan->keys, j.tree, hybrid_weigh_stretches<K>(n, bits),
                           false, true);
    }
    USW_LAUNCH_CHAINED(g, (hybrid_count_any<K>),
                       static_cast<unsigned>(stretches < g->sms ? stretches : g->sms), 1024,
                       count_bytes, keys, n, j.map, &j.plan->keys,
                       reinterpret_cast<unsigned long long *>(j.counts), j.handed, j.few_values,
                       &j.plan->radix, static_cast<const hybrid_tree *>(j.tree));
    const bool in_place = j.p->keys == j.p->out_keys && j.p->values == j.p->out_values;
    const pairs_place_args place = {j.plan,
                                    j.counts,
                                    j.handed,
                                    j.digits,
                                    n,
                                    tuning::scatter::tile,
                                    tuning::tree_scatter::tile,
                                    S::capacity,
                                    larger::capacity,
                                    S::place_bits,
                                    larger::place_bits,
                                    j.starts,
                                    j.tile_begin,
                                    j.rest,
                                    j.tree,
                                    j.extents,
                                    sizeof(K) * 8,
                                    in_place};
    USW_LAUNCH_CHAINED(g, pairs_place, j.tree != nullptr ? 64 : 1, 1024, 0, place);
}

/* Queues a scatter: by leading bits and, where keys may go by a tree, the first one by it. */
template <bool first, typename K, unsigned value_bytes, typename tuning>
static void scatter_pairs(usw_gpu *g, const pairs_job<K> &j, const pairs_scatter_args<K> &a)
{
    const auto queue = [&](auto *of, auto kept) {
        using shape = std::remove_reference_t<decltype(*of)>;
        const size_t tiles = (j.p->n + shape::tile - 1) / shape::tile;
        const unsigned blocks = first && tiles < j.grid ? static_cast<unsigned>(tiles) : j.grid;
        USW_LAUNCH_CHAINED(g, (pairs_scatter<K, value_bytes, shape, first, kept>), blocks,
                           shape::threads, (pairs_scatter_shared<K, value_bytes, shape, kept>()),
                           a);
    };
    queue(static_cast<typename tuning::scatter *>(nullptr), std::false_type());
    if constexpr (first) {
        if (j.tree != nullptr) {
            queue(static_cast<typename tuning::tree_scatter *>(nullptr), std::true_type());
        }
    }
}

template <typename K, unsigned value_bytes, typename tuning, typename S, typename larger>
static upsweep_status sort_in_buckets(usw_gpu *g, const pairs_job<K> &j)
{
    const usw_gpu_pairs *p = j.p;
    plan_pairs<K, S, larger, tuning>(g, j);
    pairs_scatter_args<K> a = {
        p->keys, p->values, j.scratch.keys_tmp, j.scratch.values_tmp, p->n,   j.map,
        j.plan,  j.digits,  j.starts,           j.tile_begin,         j.ring, j.ring_tiles,
        j.grid,  j.tree};
    scatter_pairs<true, K, value_bytes, tuning>(g, j, a);
    a.keys_in = j.scratch.keys_tmp;
    a.values_in = j.scratch.values_tmp;
    a.keys_out = j.scratch.keys_out;
    a.values_out = p->out_values;
    scatter_pairs<false, K, value_bytes, tuning>(g, j, a);
    pairs_local_args<K> local = {static_cast<const K *>(j.scratch.keys_out),
                                 p->out_values,
                                 static_cast<K *>(p->out_keys),
                                 j.map,
                                 j.plan,
                                 nullptr,
                                 usw_gpu_asking(g, S::threads),
                                 j.starts,
                                 j.rest,
                                 j.extents};
    const unsigned buckets = 1u << j.digits.bits();
    const auto queue_rest = [&]() {
        USW_LAUNCH_CHAINED(g, (pairs_local_rest<K, value_bytes, larger>), g->sms * larger::blocks,
                           larger::threads, (pairs_local_shared<K, value_bytes, larger>()), local,
                           buckets);
    };
    if (j.tree != nullptr) { /* there are some, and they take long */
        local.begun = &j.plan->keys.begun;
        queue_rest();
    }
    USW_LAUNCH_BESIDE(g, local.begun, (pairs_local<K, value_bytes, S>), buckets, S::threads,
                      (pairs_local_shared<K, value_bytes, S>()), local);
    if (j.tree == nullptr) {
        queue_rest();
    }
    return usw_radix_queue_pairs(g, p, j.scratch, &j.plan->radix, j.few_values);
}

template <typename K, unsigned value_bytes, typename S, typename larger>
static bool has_shared_memory(const usw_gpu *g, unsigned bits)
{
    using scatter = typename pairs_tuning<sizeof(K), value_bytes>::scatter;
    return pairs_local_shared<K, value_bytes, S>() <= g->shared_bytes &&
           pairs_local_shared<K, value_bytes, larger>() <= g->shared_bytes &&
           size_t(2) << bits <= g->shared_bytes &&
           pairs_scatter_shared<K, value_bytes, scatter, false>() <= g->shared_bytes;
}

/* The number of bits, `least` to `most`, with which a bucket has few enough pairs on average for
 * the shape; 0: there is none. */
template <typename shape> static unsigned bits_for(size_t n, unsigned least, unsigned most)
{
    const unsigned mean = shape::tile / 32 * 27;
    unsigned bits = least;
    while ((n - 1) >> bits >= mean) {
        bits++;
    }
    return bits <= most ? bits : 0;
}

/* Returns f(shape, larger shape, bits) by the number of pairs, with 0 bits if there are too many;
 * the shapes are null pointers. */
template <typename T, typename F> static auto by_number(size_t n, F f)
{
    typename T::less *less = nullptr;
    typename T::local *local = nullptr;
    typename T::more *more = nullptr;
    const unsigned few = bits_for<typename T::less>(n, T::bits_min, T::bits_less);
    const unsigned some = bits_for<typename T::local>(n, T::bits_min, T::bits_local);
    return few != 0    ? f(less, local, few)
           : some != 0 ? f(local, more, some)
                       : f(more, more, bits_for<typename T::more>(n, T::bits_min, T::bits_more));
}

template <typename K, unsigned value_bytes>
static upsweep_status sort_plain(usw_gpu *g, const usw_gpu_pairs *p)
{
    using T = pairs_tuning<sizeof(K), value_bytes>;
    pairs_job<K> j = {};
    j.p = p;
    j.map = usw_gpu_keymap_of<K>(p->map);
    return by_number<T>(p->n, [&](auto *shape, auto *larger, unsigned bits) {
        j.digits.bits1 = (bits + 1) / 2;
        j.digits.bits2 = bits / 2;
        return take_scratch<K, value_bytes, T>(g, j)
                   ? sort_in_buckets<K, value_bytes, T, std::remove_reference_t<decltype(*shape)>,
                                     std::remove_reference_t<decltype(*larger)>>(g, j)
                   : g->status;
    });
}

/* Calls f(K(), bytes of a value) for whole keys of 4 or 8 bytes and such values. */
template <typename F> static auto by_types(const usw_gpu_pairs *p, F f)
{
    using four = std::integral_constant<unsigned, 4>;
    using eight = std::integral_constant<unsigned, 8>;
    return p->width == 3 ? p->value_bytes == 8 ? f(uint64_t(), eight()) : f(uint64_t(), four())
           : p->value_bytes == 8 ? f(uint32_t(), eight())
                                 : f(uint32_t(), four());
}

bool usw_bucket_pairs_fit(const usw_gpu *g, const usw_gpu_pairs *p)
{
    return by_types(p, [&](auto k, auto values) {
        using K = decltype(k);
        constexpr unsigned bytes = decltype(values)::value;
        return by_number<pairs_tuning<sizeof(K), bytes>>(
            p->n, [&](auto *shape, auto *larger, unsigned bits) {
                return bits != 0 &&
                       has_shared_memory<K, bytes, std::remove_reference_t<decltype(*shape)>,
                                         std::remove_reference_t<decltype(*larger)>>(g, bits);
            });
    });
}

upsweep_status usw_bucket_pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    const usw_gpu_chosen chosen = usw_gpu_choose_pairs(g, p, 0);
    if (chosen.method != USW_GPU_BY_BUCKETS) {
        return usw_radix_sort_pairs(g, p, chosen);
    }
    return by_types(p, [&](auto k, auto values) {
        return sort_plain<decltype(k), decltype(values)::value>(g, p);
    });
}

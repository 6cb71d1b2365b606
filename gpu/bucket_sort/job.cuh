/* job.cuh - what the host knows of a bucket sort: keys, scratch, limits of even keys. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_JOB_CUH
#define USW_GPU_BUCKET_SORT_JOB_CUH

#include "gpu/bucket_sort/4_scatter_uncounted.cuh"
#include "gpu/bucket_sort/6_large_lists.cuh"
#include "gpu/bucket_sort/1_sample.cuh"
#include "gpu/prefix_tree/extents.cuh"
#include "gpu/digit_sort/count_all_digits.cuh"

#include <cmath>

/* ---- tuning: the scatter of gpu/bucket_sort/4_scatter_uncounted.cuh ---- */

/* FROM: fewer keys are not worth a look whether they are even. */
#ifdef USW_EMULATE
static constexpr unsigned long long HYBRID_UNCOUNTED_FROM = 12289;
template <typename K> struct hybrid_uncounted_shape {
    static constexpr int threads = 256, keys = 4, slots = sizeof(K) == 4 ? 16 * 65 : 0, batch = 2;
};
#else
static constexpr unsigned long long HYBRID_UNCOUNTED_FROM = 1ull << 22;
template <typename K> struct hybrid_uncounted_shape {
    static constexpr int threads = 1024, keys = sizeof(K) == 4 ? 16 : 13;
    static constexpr int slots = sizeof(K) == 4 ? 256 * 91 : 0, batch = 8;
};
#endif
static constexpr unsigned long long HYBRID_UNCOUNTED_MOST = 1ull << 30;

/* Words of gpu/runs that the sample clears. */
enum { HYBRID_ORDERED_WORDS = 96 };

/* ---- the job ---- */

template <typename K> struct hybrid_job {
    K *keys, *tmp;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    unsigned bits, bits1;    /* bits of the buckets; bits of the first scatter */
    unsigned more;           /* 1: the sample may choose one bit more */
    unsigned fine;           /* bits by which keys may be counted again, or 0 */
    unsigned long long room; /* of even keys' regions, if the first scatter may count; or 0 */
    bool uncounted;          /* it may on this device */
    bool lists_large;        /* large buckets are not left to the radix sort, but put in lists */
    hybrid_plan *plan;
    hybrid_few<K> *few_values; /* in tmp; or NULL */
    unsigned *counts, *handed, *scatter_counts;
    size_t clear;      /* words that the sample clears, from radix on */
    bool may_weave;    /* gpu/runs may look at the keys */
    unsigned *ordered; /* its words, or NULL */
    void *radix;       /* a usw_radix_control */
    unsigned long long *ends, *published, *begin, *stop, *cursor;
    unsigned *tile_begin;
    hybrid_lists lists;
    bool may_tree;                /* keys may go by a prefix tree */
    unsigned long long tree_room; /* keys of its regions, if the first scatter may count; or 0 */
    hybrid_tree *tree;            /* it, or NULL */
    hybrid_extents extents;
    hybrid_rest_lists rest; /* what is left of a tree's buckets, and of others */
    const K *from;          /* where the keys are at first: keys, or an array that stays as it is */
};

/* Whether buckets that step 5 cannot hold are sorted by gpu/tree_buckets/sort_rest.cuh, whose
 * launches are there where keys may go by a tree. Others are left to the radix sort, or to
 * step 6. */
template <typename K> static inline bool hybrid_spares(const hybrid_job<K> &j)
{
    return sizeof(K) == 4 && j.tree != nullptr && j.n < LARGE_FROM(sizeof(K));
}

/* Takes memory for a copy of the keys or for the regions, whichever is larger. Cells and ranges are
 * used only after the scatters from the regions, so they lie there, behind the keys. */
template <typename K> static bool hybrid_take_copy(usw_gpu *g, hybrid_job<K> &j)
{
    const size_t ranges = j.lists_large ? hybrid_ranges_max(j.n) * sizeof(hybrid_range) : 0;
    const size_t cells = j.lists_large ? hybrid_cells_max(j.n) * sizeof(uint4) : 0;
    const size_t keys = (j.n * sizeof(K) + 15) / 16 * 16, all = keys + cells + ranges;
    const size_t regions = (j.tree_room > j.room ? j.tree_room : j.room) * sizeof(K);
    auto *copy = static_cast<unsigned char *>(usw_gpu_scratch(g, all > regions ? all : regions));
    if (copy != nullptr) {
        j.tmp = reinterpret_cast<K *>(copy);
        const bool fits = hybrid_few_shared<K>(j.bits + j.more) <= g->shared_bytes;
        j.few_values = fits && sizeof *j.few_values <= keys
                           ? reinterpret_cast<hybrid_few<K> *>(copy)
                           : nullptr;
    }
    if (copy != nullptr && j.lists_large) {
        const size_t bins = 2 * hybrid_bins_max(j.n);
        j.lists.bins = static_cast<unsigned long long *>(usw_gpu_scratch(g, bins * 8));
        j.lists.bins_max = static_cast<unsigned>(bins);
        j.lists.cells = reinterpret_cast<uint4 *>(copy + keys);
        j.lists.ranges[0] = static_cast<hybrid_range *>(usw_gpu_scratch(g, ranges));
        j.lists.ranges[1] = reinterpret_cast<hybrid_range *>(copy + keys + cells);
    }
    return g->status == UPSWEEP_OK && copy != nullptr;
}

template <typename K> static bool hybrid_take_scratch(usw_gpu *g, hybrid_job<K> &j, bool copy)
{
    const size_t buckets = size_t(1) << (j.fine != 0 ? j.fine : j.bits + j.more);
    j.plan = static_cast<hybrid_plan *>(usw_gpu_scratch(g, sizeof *j.plan));
    /* These are cleared together: radix, published, counts, handed, scatter_counts, ordered. These
     * are not: ends, begin, stop, cursor, tile_begin. */
    constexpr size_t control = sizeof(usw_radix_control) / 4;
    const bool scatter_counts = j.room != 0 || j.tree_room != 0;
    const size_t unordered = control + 1024 + buckets * (scatter_counts ? 3 : 2);
    j.clear = unordered + (j.may_weave ? unsigned(HYBRID_ORDERED_WORDS) : 0);
    auto *clear = static_cast<unsigned *>(usw_gpu_scratch(g, j.clear * 4));
    const size_t words = (buckets + 3 * 256) * 2 + 257 + buckets;
    auto *tables = static_cast<unsigned long long *>(usw_gpu_scratch(g, words * 4));
    if (j.plan == nullptr || clear == nullptr || tables == nullptr ||
        (copy && !hybrid_take_copy(g, j))) {
        return false;
    }
    j.tree = nullptr;
    if (j.may_tree && j.few_values != nullptr) {
        const size_t number = size_t(1) << j.bits;
        const size_t bytes = sizeof *j.tree + hybrid_extents::bytes(number);
        j.tree = static_cast<hybrid_tree *>(usw_gpu_scratch(g, bytes));
        if (j.tree == nullptr) {
            return false;
        }
        j.extents = hybrid_extents::behind(j.tree, number, hybrid_tree_low(sizeof(K), j.bits));
    }
    j.radix = clear;
    j.ordered = j.may_weave ? clear + unordered : nullptr;
    j.published = reinterpret_cast<unsigned long long *>(clear + control);
    j.counts = clear + control + 1024;
    j.handed = j.counts + buckets;
    j.scatter_counts = j.handed + buckets;
    j.ends = tables;
    j.begin = j.ends + buckets;
    j.stop = j.begin + 256;
    j.cursor = j.stop + 256;
    j.tile_begin = reinterpret_cast<unsigned *>(j.cursor + 256);
    j.rest.buckets = j.tile_begin + 257;
    j.rest.room = static_cast<unsigned>(buckets);
    return true;
}

/* ---- even keys ---- */

/* Chooses whether even keys may be scattered by gpu/bucket_sort/4_scatter_uncounted.cuh: its
 * counters of 8 bits must not overflow by chance. The scratch is the same on every device. */
template <typename K> static void hybrid_choose_uncounted(const usw_gpu *g, hybrid_job<K> &j)
{
    using shape = hybrid_uncounted_shape<K>;
    constexpr int tile = shape::threads * shape::keys;
    const bool sized = j.n >= HYBRID_UNCOUNTED_FROM && j.n <= HYBRID_UNCOUNTED_MOST;
    j.room = sized && j.bits1 < j.bits ? hybrid_regions_keys(j.n) : 0;
    j.uncounted =
        j.room != 0 &&
        hybrid_uncounted_shared<K>(j.bits + j.more, tile, shape::slots) <= g->shared_bytes &&
        j.n >> j.bits <= 160ull * g->sms;
}

/* Queues the first scatter that counts. */
template <typename K> static void hybrid_queue_uncounted(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = hybrid_uncounted_shape<K>;
    constexpr int tile = shape::threads * shape::keys;
    hybrid_uncounted_args<K> a = {j.from,  j.tmp,    j.n,    j.map,           j.plan,
                                  j.bits1, j.cursor, j.room, j.scatter_counts};
    const unsigned long long tiles = j.n / tile;
    USW_LAUNCH_CHAINED(
        g, (hybrid_scatter_uncounted<K, shape::threads, shape::keys, shape::slots, shape::batch>),
        static_cast<unsigned>(tiles < g->sms ? tiles : g->sms), shape::threads,
        hybrid_uncounted_shared<K>(j.bits + j.more, tile, shape::slots), a);
}

#endif

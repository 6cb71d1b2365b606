/* part_hybrid_job.cuh - the hybrid sort's tuning, and what it takes before its first launch. */
#ifndef USW_PART_HYBRID_JOB_CUH
#define USW_PART_HYBRID_JOB_CUH

#include "part_hybrid_flat.cuh"
#include "part_hybrid_place.cuh"
#include "part_hybrid_rest.cuh"
#include "small.cuh"

#include <cmath>

/* ---- tuning ---- */

#ifdef USW_EMULATE /* two scatters at sizes that the emulator can sort */
enum { BUCKET_KEYS = 256, BITS_MAX = 8, SCATTER_BITS = 2, FINE_CROWDED = 20 };
enum {
    ROOM_DEVIATIONS = 3,
    SLOT_DEVIATIONS = 2,
    ALIKE_MOST = 64
}; /* so that now and then one is too small */
#define SMALL_KEYS(g, width) 100
#define LARGE_FROM(bytes) ((bytes) == 8 ? 30000 : 32769)
#else
/* FINE_CROWDED: with more crowded buckets the radix sort is faster than counts and fills. */
enum { BUCKET_KEYS = 4096, BITS_MAX = 16, SCATTER_BITS = 8, FINE_CROWDED = 16 };
/* What a region and a slot have above the mean; how many leading bits all keys with slots may
 * share: none, for one key with others among 2^28 would cost more than slots win. */
enum { ROOM_DEVIATIONS = 6, SLOT_DEVIATIONS = 7, ALIKE_MOST = 0 };
#define SMALL_KEYS(g, width) usw_gpu_small_max(g, width, false)
#define LARGE_FROM(bytes) (1ull << ((bytes) == 8 ? 23 : 28))
#endif
/* By how many bits uneven keys of 32 bits are counted again: so many are left at most. */
static constexpr unsigned FINE_BITS = 16, FINE_BITS_1 = 8;

struct hybrid_shape_32 {
    static constexpr int threads = 1024, keys = 16, room = 27136, batch = 8;
    static constexpr int local_blocks = 4, rounds = 8;
};
struct hybrid_crowd_shape {
    static constexpr int threads = 512, keys = 16, blocks = 3;
};
struct hybrid_shape_64 {
    static constexpr int threads = 512, keys = 16;
    static constexpr int local_blocks = 3, rounds = 7;
};
template <typename K> struct hybrid_shape_of {
    using shape = hybrid_shape_32;
};
template <> struct hybrid_shape_of<uint64_t> {
    using shape = hybrid_shape_64;
};

/* The local sort, for buckets of 2^(12 + size) keys on average. */
template <int size> struct hybrid_local_shape {
    static constexpr int threads = 256 << size, keys = size < 2 ? 19 : 17, bits = 12 + size;
    static constexpr unsigned capacity = threads * keys - 32;
    static constexpr int blocks(int of_256)
    {
        return of_256 >> size > 0 ? of_256 >> size : 1;
    }
};

/* The same for slots, two keys to a word. */
template <int size> struct hybrid_halves_shape {
    static constexpr int threads = 256 << size, pairs = 10, bits = 12 + size, rounds = 7;
    static constexpr int blocks = size == 0 ? 6 : 3 - size;
    static_assert(2 * threads * pairs - 32 >= hybrid_local_shape<size>::capacity, "a slot's");
};

/* ---- the whole ---- */

template <typename K> struct hybrid_job {
    K *keys, *tmp;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    unsigned bits, bits1; /* of the buckets, of the first scatter */
    unsigned fine;        /* FINE_BITS where keys may be counted again, or 0 */
    hybrid_plan *plan;
    unsigned *counts, *handed;
    unsigned long long *ends, *said, *begin, *cursor;
    unsigned *tile_begin;
    hybrid_slots slots;
    unsigned long long *starts;
    hybrid_lists lists;
};

/* So many bits that a bucket has BUCKET_KEYS keys on average, or less. */
static unsigned bits_for(unsigned long long n)
{
    unsigned bits = 1;
    while (bits < BITS_MAX && ((n - 1) >> bits) >= BUCKET_KEYS) {
        bits++;
    }
    return bits;
}

template <typename K> static bool take_lists(usw_gpu *g, hybrid_job<K> &j)
{
    const size_t parts = hybrid_parts_max(j.n), bins = 2 * hybrid_bins_max(j.n);
    for (auto &list : j.lists.parts) {
        list = static_cast<hybrid_part *>(usw_gpu_scratch(g, parts * sizeof(hybrid_part)));
    }
    j.lists.bins = static_cast<unsigned long long *>(usw_gpu_scratch(g, bins * 8));
    j.lists.bins_max = static_cast<unsigned>(bins);
    j.lists.small = hybrid_local_shape<0>::capacity;
    j.lists.cells = static_cast<uint4 *>(usw_gpu_scratch(g, hybrid_cells_max(j.n) * sizeof(uint4)));
    j.lists.tile = hybrid_rest_shape<K>::tile;
    return g->status == UPSWEEP_OK && j.lists.cells != nullptr;
}

/* What the sample clears: said, counts and handed, and where there are slots what it sees. */
template <typename K> static size_t hybrid_clear_words(const hybrid_job<K> &j)
{
    const size_t buckets = size_t(1) << (j.fine != 0 ? j.fine : j.bits);
    return buckets * 2 + 512 + (j.slots.room != 0 ? 256 + (size_t(1) << j.bits) : 0);
}

/* How large regions and slots are, where keys may have such. capacity: of the local sort. */
template <typename K> static void shape_slots(hybrid_job<K> &j, unsigned long long capacity)
{
    auto above = [&](unsigned bits, unsigned deviations) {
        const double mean = static_cast<double>(j.n) / static_cast<double>(1ull << bits);
        return static_cast<unsigned long long>(mean + deviations * std::sqrt(mean));
    };
    const unsigned long long cap = (above(j.bits, SLOT_DEVIATIONS) + 63) / 64 * 64;
    const unsigned long long bytes = cap * HYBRID_SLOT_BITS / 8;
    if (sizeof(K) != 4 || j.bits != BITS_MAX || j.bits1 == j.bits || cap > capacity ||
        (bytes << j.bits) + 128 > j.n * sizeof(K)) {
        return;
    }
    j.slots.room = (above(j.bits1, ROOM_DEVIATIONS) + 63) / 64 * 64;
    j.slots.cap = static_cast<unsigned>(cap);
    j.slots.bytes = static_cast<unsigned>(bytes);
    const uintptr_t end = (reinterpret_cast<uintptr_t>(j.keys) + j.n * sizeof(K)) / 128 * 128;
    j.slots.at = reinterpret_cast<unsigned char *>(end - (bytes << j.bits));
}

template <typename K> static bool take_scratch(usw_gpu *g, hybrid_job<K> &j, bool copy)
{
    size_t buckets = size_t(1) << (j.fine != 0 ? j.fine : j.bits);
    j.plan = static_cast<hybrid_plan *>(usw_gpu_scratch(g, sizeof *j.plan));
    /* counts and handed and said, cleared together; then ends, begin, cursor, tile_begin */
    size_t words = hybrid_clear_words(j);
    auto *clear = static_cast<unsigned *>(usw_gpu_scratch(g, words * 4));
    auto *rest = static_cast<unsigned long long *>(
        usw_gpu_scratch(g, (buckets + 257 + 256 + 256) * 8 + 257 * 4));
    const unsigned long long regions = j.slots.room << j.bits1,
                             most = j.n > regions ? j.n : regions;
    j.tmp = copy ? static_cast<K *>(usw_gpu_scratch(g, most * sizeof(K))) : nullptr;
    if (j.plan == nullptr || clear == nullptr || rest == nullptr || (copy && j.tmp == nullptr) ||
        (copy && !take_lists(g, j))) {
        return false;
    }
    j.said = reinterpret_cast<unsigned long long *>(clear);
    j.counts = clear + 512;
    j.handed = j.counts + buckets;
    j.ends = rest;
    j.begin = j.ends + buckets;
    j.cursor = j.begin + 257;
    j.starts = j.cursor + 256;
    j.tile_begin = reinterpret_cast<unsigned *>(j.starts + 256);
    j.slots.sizes = j.counts;
    j.slots.loaded = j.handed;
    j.slots.seen = j.handed + buckets;
    j.slots.lost = j.plan->lost;
    j.slots.alike_most = ALIKE_MOST;
    return true;
}

#endif

/* sort_hybrid_pairs.cu - the hybrid sort of pairs on a GPU, stable: split twice, sort the buckets.
 *
 * Idea     As sort_hybrid.cu: by the leading bits into buckets that fit in shared memory. Equal keys
 *          carry different values, so every step keeps their order. For an argsort the first move
 *          makes the values up.
 *
 * Steps    sample   16,384 keys: the highest bit in which keys differ; whether they look sorted.
 *          count    part_hybrid_pairs_count.cuh: each chunk's digits.
 *          place    where each chunk's pairs of each digit go.
 *          move     part_hybrid_pairs_move.cuh: to tmp by the first digit. All three again, within
 *                   the first digit's segments, by the second digit, and back.
 *          sort     part_hybrid_pairs_local.cuh: each bucket by the bits still undecided.
 *          Sorted keys, a sample that missed a bit, and buckets that no local sort holds are left
 *          to the radix sort, decided on the device before the second move.
 *
 * Shape    count: 512 threads a chunk. move: 2 blocks of 512 threads a multiprocessor, a chunk
 *          each. sort: a block of 256 threads a bucket of about 4096 pairs.
 *
 * Traffic  u32 pairs 4 + 16 + 4 + 16 + 16 = 56 bytes, argsort of u32 48, u64 pairs 112.
 *
 * Scratch  one copy of keys and values (two of the keys where the caller wants none back), and the
 *          table: 1 KB a chunk. */
#include "part_hybrid_pairs_local.cuh"
#include "part_hybrid_pairs_queue.cuh"
#include "part_radix_queue.cuh"

/* ---- tuning ---- */

template <unsigned key_bytes, unsigned value_bytes> struct pairs_tuning {
    /* bits: of both moves. A chunk of more than one tile has its blocks write too far apart. */
#ifdef USW_EMULATE /* sizes that the emulator can sort */
    using move = usw_radix_shape<2, 1, 256>;
    using local = pairs_local_shape<256, 8, 11, 8, 2, key_bytes + value_bytes <= 12>;
    using local_less = local;
    static constexpr unsigned bits_min = 11, bits_max = 11, chunk_tiles = 2, groups = 3;
    static constexpr size_t n_min = 300;
#else
    static constexpr unsigned pair = key_bytes + value_bytes;
    using move = usw_radix_shape<(pair > 12  ? 8
                                  : pair > 8 ? 12
                                             : 16),
                                 (pair > 12 ? 1 : 2), (pair > 12 ? 1024 : 512)>;
    using local =
        pairs_local_shape<256, 19, 12, (key_bytes == 8 ? 7 : 8), (pair > 12 ? 2 : 3), (pair <= 12)>;
    using local_less = pairs_local_shape<256, 10, 11, (key_bytes == 8 ? 7 : 8), 4, (pair <= 12)>;
    static constexpr unsigned bits_min = 12, bits_max = 16, chunk_tiles = 1, groups = 64;
    static constexpr size_t n_min = size_t(1) << 23;
#endif
};

/* ---- the whole ---- */

template <typename K> struct pairs_job {
    pairs_level<K> level[2];
    pairs_plan *plan;
    usw_radix_room room;
    unsigned long long *begin; /* of the first level */
    unsigned *chunk_begin;
    unsigned bits, chunks;
};

/* What of the scratch grows with n: tables, and arrays. */
template <typename K, unsigned value_bytes>
static bool take_scratch(usw_gpu *g, const usw_gpu_pairs *p, pairs_job<K> &j, unsigned segments)
{
    size_t buckets = size_t(1) << j.bits, rows = j.chunks + segments;
    j.plan = static_cast<pairs_plan *>(usw_gpu_scratch(g, sizeof *j.plan));
    auto *wide = static_cast<unsigned long long *>(
        usw_gpu_scratch(g, (2 + segments + 1 + buckets + 1) * sizeof(unsigned long long)));
    auto *words = static_cast<unsigned *>(usw_gpu_scratch(
        g, (2 + segments + 1 + segments + buckets + j.level[0].groups * PAIRS_DIGITS) *
               sizeof(unsigned)));
    auto *table = static_cast<unsigned *>(usw_gpu_scratch(g, rows * PAIRS_DIGITS * 4));
    j.room.keys_tmp = usw_gpu_scratch(g, p->n * sizeof(K));
    j.room.values_tmp = usw_gpu_scratch(g, p->n * value_bytes);
    j.room.keys_out = p->out_keys != nullptr ? p->out_keys : usw_gpu_scratch(g, p->n * sizeof(K));
    if (j.plan == nullptr || wide == nullptr || words == nullptr || table == nullptr ||
        j.room.keys_tmp == nullptr || j.room.values_tmp == nullptr || j.room.keys_out == nullptr) {
        return false;
    }
    pairs_level<K> &one = j.level[0], &two = j.level[1];
    j.begin = wide;
    one.begin = wide;
    one.starts = wide + 2;
    two.begin = one.starts;
    two.starts = one.starts + segments + 1;
    j.chunk_begin = words;
    one.chunk_begin = words;
    one.next_chunks = words + 2;
    two.chunk_begin = one.next_chunks;
    one.totals = one.next_chunks + segments + 1;
    two.totals = one.totals + segments;
    one.said = two.totals + buckets;
    one.table = two.table = table;
    one.plan = two.plan = j.plan;
    return true;
}

/* count, place, move. */
template <typename K, unsigned value_bytes, typename shape, bool first>
static void split(usw_gpu *g, const pairs_job<K> &j, const pairs_moved &to)
{
    const pairs_level<K> &a = j.level[first ? 0 : 1];
    const unsigned blocks = j.chunks + (first ? 0 : a.segments);
    USW_LAUNCH(g, (pairs_count<K, first>), blocks, 512, 0, a);
    USW_LAUNCH(g, (pairs_place<K>), a.segments * a.groups * (PAIRS_DIGITS / 32), 1024, 0, a, first,
               j.bits);
    USW_LAUNCH(g, (pairs_move<K, value_bytes, shape, first>), blocks, shape::threads,
               (scatter_block<K, value_bytes, shape>::shared_bytes()), a, to);
}

template <typename K, unsigned value_bytes, typename tuning, typename S>
static void sort_buckets(usw_gpu *g, const usw_gpu_pairs *p, pairs_job<K> &j)
{
    using move = typename tuning::move;
    const pairs_level<K> &one = j.level[0];
    j.level[1].capacity = S::capacity;
    USW_LAUNCH(g, (pairs_sample<K>), 1, 1024, 0, one, j.bits, S::place_bits, j.begin,
               j.chunk_begin);
    split<K, value_bytes, move, true>(g, j, {j.room.keys_tmp, p->values, j.room.values_tmp});
    split<K, value_bytes, move, false>(g, j, {j.room.keys_out, j.room.values_tmp, p->out_values});
    pairs_local_args<K> a = {static_cast<const K *>(j.room.keys_out),
                             p->out_values,
                             static_cast<K *>(p->out_keys),
                             one.map,
                             j.plan,
                             j.level[1].starts};
    USW_LAUNCH(g, (pairs_local<K, value_bytes, S>), 1u << j.bits, S::threads,
               (pairs_local_shared<K, value_bytes, S>()), a);
}

template <typename K, unsigned value_bytes, typename tuning = pairs_tuning<sizeof(K), value_bytes>>
static upsweep_status sort_plain(usw_gpu *g, const usw_gpu_pairs *p)
{
    using local = typename tuning::local;
    using less = typename tuning::local_less;
    constexpr size_t mean = local::tile / 1024 * 1024, tile = tuning::move::tile;
    if (p->n < tuning::n_min || p->n > mean << tuning::bits_max ||
        pairs_local_shared<K, value_bytes, local>() > g->shared_bytes ||
        scatter_block<K, value_bytes, typename tuning::move>::shared_bytes() > g->shared_bytes) {
        return usw_radix_queue_pairs(g, p, {}, nullptr);
    }
    pairs_job<K> j = {};
    j.bits = tuning::bits_min;
    while (j.bits < tuning::bits_max && (p->n - 1) >> j.bits >= less::tile / 1024 * 1024) {
        j.bits++;
    }
    const unsigned bits1 = (j.bits + 1) / 2;
    pairs_level<K> &one = j.level[0], &two = j.level[1];
    one.in = static_cast<const K *>(p->keys);
    one.n = p->n;
    one.map = usw_gpu_keymap_of<K>(p->map);
    one.below = j.bits - bits1;
    one.digits = 1u << bits1;
    one.segments = 1;
    one.groups = tuning::groups;
    one.chunk_keys = static_cast<unsigned>(tile * tuning::chunk_tiles);
    j.chunks = static_cast<unsigned>((p->n + one.chunk_keys - 1) / one.chunk_keys);
    two = one;
    two.below = 0;
    two.groups = 1;
    two.segments = one.digits;
    two.digits = 1u << (j.bits - bits1);
    if (!take_scratch<K, value_bytes>(g, p, j, one.digits)) {
        return g->status;
    }
    two.in = static_cast<const K *>(j.room.keys_tmp);
    if ((p->n - 1) >> j.bits < less::tile / 1024 * 1024) {
        sort_buckets<K, value_bytes, tuning, less>(g, p, j);
    } else {
        sort_buckets<K, value_bytes, tuning, local>(g, p, j);
    }
    return usw_radix_queue_pairs(g, p, j.room, &j.plan->radix);
}

upsweep_status usw_hybrid_pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    uintptr_t odd =
        reinterpret_cast<uintptr_t>(p->values) | reinterpret_cast<uintptr_t>(p->out_values);
    const bool plain = (p->value_bytes == 4 || p->value_bytes == 8) && odd % p->value_bytes == 0;
    const bool whole = p->bit_begin == 0 && p->bit_end == 8u << p->width;
    if (!plain || !whole || p->width < 2) {
        return usw_radix_queue_pairs(g, p, {}, nullptr);
    }
    return p->width == 3
               ? p->value_bytes == 8 ? sort_plain<uint64_t, 8>(g, p) : sort_plain<uint64_t, 4>(g, p)
           : p->value_bytes == 8 ? sort_plain<uint32_t, 8>(g, p)
                                 : sort_plain<uint32_t, 4>(g, p);
}

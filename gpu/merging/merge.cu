/* merge.cu - merges of two and of many sorted runs, and the stable sort of records.
 *
 *   merge, merge_runs   a balanced tree of merges by rank (merge.cuh), level by level; all merges
 *                       of a level in one launch. Traffic: ceil(log2 k) times n keys read and
 *                       written.
 *   sort_records        Keys of up to 32 bytes: each 8 bytes of the normalised key, the last first,
 *                       are packed into a number, by which sort_radix sorts the records as values,
 *                       stably. Longer keys: items of the first 8 bytes and the position are sorted
 *                       tile by tile, in shared memory, and merged; where 8 bytes are equal the
 *                       records themselves are compared. Then the records move, once. */
/* SPDX-License-Identifier: MIT */
#include "gpu/merging/merge_ring.cuh"
#include "gpu/merging/record_merge.cuh"
#include "gpu/sort_choice.cuh"

#include <memory>
#include <new>

namespace
{

constexpr struct {
    unsigned threads;
} tuning = {256};

/* ---- runs of keys ---- */

template <typename K> struct key_order {
    typedef K stored;
    typedef K item;
    usw_gpu_keymap<K> map;

    __device__ __forceinline__ K load(const K *p) const
    {
        return map.map(*p);
    }
    __device__ __forceinline__ void store(K *p, K x) const
    {
        *p = map.unmap(x);
    }
    __device__ __forceinline__ bool before(K x, K y) const
    {
        return x < y;
    }
};

template <typename K> struct run {
    const K *at;
    uint64_t n;
};

/* The merges of all levels, and the lists of them in device memory. */
template <typename K> struct tree {
    using order = key_order<K>;
    using pair = usw_merge_pair<order>;
    std::unique_ptr<run<K>[]> runs;
    std::unique_ptr<pair[]> pairs;
    size_t k, pair_count;
    uint64_t n, cut_count; /* keys; the most cuts of a level */
    pair *list;
    unsigned *bad;
    uint64_t *cuts;
    K *out, *spare;
};

/* Plans a level, in which neighbouring runs are merged into `to`: writes pairs[0 ..), halves t.k,
 * returns how many tiles the level has. */
template <typename K> uint64_t plan_level(tree<K> &t, typename tree<K>::pair *pairs, K *to)
{
    uint64_t tiles = 0;
    const size_t merges = usw_div_up(t.k, 2);
    for (size_t m = 0; m < merges; m++) {
        const run<K> a = t.runs[2 * m];
        const run<K> b = 2 * m + 1 < t.k ? t.runs[2 * m + 1] : run<K>{a.at, 0};
        pairs[m] = {a.at, b.at, to, a.n, b.n, tiles};
        tiles += usw_div_up(a.n + b.n, USW_MERGE_TILE<key_order<K>>);
        t.runs[m] = {to, a.n + b.n};
        to += a.n + b.n;
    }
    t.k = merges;
    return tiles;
}

unsigned levels_of(size_t k)
{
    unsigned levels = 0;
    while (k > size_t(1) << levels) {
        levels++;
    }
    return levels;
}

template <typename K> upsweep_status take_tree(usw_gpu *g, tree<K> &t)
{
    t.pair_count = 0;
    for (size_t k = t.k; k > 1; k = usw_div_up(k, 2)) {
        t.pair_count += usw_div_up(k, 2);
    }
    t.cut_count = t.n / USW_MERGE_TILE<key_order<K>> + 2 * t.k + 2;
    t.pairs.reset(new (std::nothrow) typename tree<K>::pair[t.pair_count]);
    using pair = typename tree<K>::pair;
    t.list = static_cast<pair *>(usw_gpu_scratch(g, t.pair_count * sizeof(pair)));
    t.bad = static_cast<unsigned *>(usw_gpu_scratch(g, t.pair_count * sizeof(unsigned)));
    t.cuts = static_cast<uint64_t *>(usw_gpu_scratch(g, t.cut_count * sizeof(uint64_t)));
    t.spare = t.k > 2 ? static_cast<K *>(usw_gpu_scratch(g, t.n * sizeof(K))) : t.out;
    if (t.pairs == nullptr) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "no memory for a list of %zu runs", t.k);
    }
    return t.list == nullptr || t.bad == nullptr || t.cuts == nullptr || t.spare == nullptr
               ? UPSWEEP_ERROR_MEMORY
               : UPSWEEP_OK;
}

template <typename K> upsweep_status run_tree(usw_gpu *g, tree<K> &t, const key_order<K> &order)
{
    using level = usw_merge_list<key_order<K>>;
    const unsigned levels = levels_of(t.k);
    size_t done = 0;
    upsweep_status status = usw_gpu_fill(g, t.bad, 0, t.pair_count * sizeof(unsigned));
    for (unsigned l = 0; l < levels && status == UPSWEEP_OK; l++) {
        /* The last level writes to `out`, the one before to `spare`, and so on in turn. */
        K *to = (levels - l) % 2 != 0 ? t.out : t.spare;
        const uint64_t tiles = plan_level(t, &t.pairs[done], to);
        status =
            usw_table_send(g, t.list + done, &t.pairs[done], t.k * sizeof(typename tree<K>::pair));
        if (status == UPSWEEP_OK) {
            status = usw_merge_level(g, order, level{t.list + done, static_cast<unsigned>(t.k)},
                                     tiles, t.k, {t.cuts, t.bad + done});
        }
        done += t.k;
    }
    return status;
}

/* Two runs: the merge is an argument of its kernels, so that no list is sent to the device. */
template <typename K> upsweep_status merge_two(usw_gpu *g, tree<K> &t, const key_order<K> &order)
{
    using pair = typename tree<K>::pair;
    const uint64_t tiles = plan_level(t, t.pairs.get(), t.out);
    const pair &only = t.pairs[0];
    /* A multiprocessor may have no more shared memory for all its blocks than for one. */
    const size_t fit = g->shared_bytes / (USW_MERGE_TILE<key_order<K>> * sizeof(K) + 2048);
    const uint64_t each = usw_min(fit, size_t(USW_MERGE_ONCE_BLOCKS));
    if (t.n <= USW_MERGE_FEW) {
        return USW_LAUNCH(g, (usw_merge_few<key_order<K>>), 1, USW_MERGE_FEW_THREADS, 0, order,
                          only);
    }
    if (tiles <= g->sms * each) {
        return USW_LAUNCH_COOPERATIVE(g, (usw_merge_once<key_order<K>>),
                                      static_cast<unsigned>(tiles), USW_MERGE_THREADS, 0, order,
                                      only, g->barrier);
    }
    const usw_merge_ring_args<K> ring = {only.a,  only.b, only.out,  only.na,
                                         only.nb, tiles,  order.map, g->barrier};
    if (usw_merge_ring_takes(g, ring)) {
        return usw_merge_ring_two(g, ring);
    }
    const upsweep_status status = usw_gpu_fill(g, t.bad, 0, sizeof(unsigned));
    return status != UPSWEEP_OK ? status
                                : usw_merge_level(g, order, usw_merge_one<key_order<K>>{only},
                                                  tiles, 1, {t.cuts, t.bad});
}

template <typename K>
upsweep_status merge_keys(usw_gpu *g, const void *const *runs, const size_t *counts, size_t k,
                          void *out, const usw_keymap &map)
{
    tree<K> t = {};
    t.runs.reset(new (std::nothrow) run<K>[k + 1]);
    if (t.runs == nullptr) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "no memory for a list of %zu runs", k);
    }
    for (size_t r = 0; r < k; r++) {
        if (counts[r] > 0) {
            t.runs[t.k++] = {static_cast<const K *>(runs[r]), counts[r]};
            t.n += counts[r];
        }
    }
    t.out = static_cast<K *>(out);
    if (t.k < 2) {
        return t.k == 0 ? UPSWEEP_OK : usw_gpu_copy(g, out, t.runs[0].at, t.n * sizeof(K));
    }
    const key_order<K> order{usw_gpu_keymap_of<K>(map)};
    const upsweep_status status = take_tree(g, t);
    return status != UPSWEEP_OK ? status
           : t.k == 2           ? merge_two(g, t, order)
                                : run_tree(g, t, order);
}

upsweep_status merge_runs(usw_gpu *g, const void *const *runs, const size_t *counts, size_t k,
                          void *out, unsigned width, const usw_keymap *map)
{
    return usw_gpu_by_width(
        width, [&](auto key) { return merge_keys<decltype(key)>(g, runs, counts, k, out, *map); });
}

upsweep_status merge(usw_gpu *g, const void *a, size_t na, const void *b, size_t nb, void *out,
                     unsigned width, const usw_keymap *map)
{
    const void *const runs[] = {a, b};
    const size_t counts[] = {na, nb};
    return merge_runs(g, runs, counts, 2, out, width, map);
}

/* ---- records by digits ---- */

template <typename K>
__global__ void __launch_bounds__(tuning.threads)
    pack_chunks(usw_key_plan plan, const unsigned char *records, uint64_t n, size_t record_bytes,
                unsigned down, K *keys)
{
    for (uint64_t i = blockIdx.x * uint64_t(tuning.threads) + threadIdx.x; i < n;
         i += uint64_t(gridDim.x) * tuning.threads) {
        keys[i] = static_cast<K>(usw_record_chunk(plan, records + i * record_bytes) >> down);
    }
}

unsigned blocks_for(const usw_gpu *g, uint64_t n)
{
    const uint64_t blocks = usw_div_up(n, tuning.threads), most = 8 * g->sms;
    return static_cast<unsigned>(blocks < most ? blocks : most);
}

/* How many bytes of a chunk are in use. */
size_t used_bytes(const usw_record_keys &keys, size_t chunk)
{
    return usw_min(keys.key_bytes - chunk * USW_CHUNK_BYTES, USW_CHUNK_BYTES);
}

/* log2 of the bytes of the number by which a chunk is sorted: 1, 2, 4 or 8 bytes. */
unsigned width_for(size_t used)
{
    return used == 1 ? 0 : used == 2 ? 1 : used <= 4 ? 2 : 3;
}

/* Sorts the records by one chunk of their keys. packed: memory for n numbers of the first chunk's
 * width, which is the greatest. */
upsweep_status sort_by_chunk(usw_gpu *g, void *records, size_t n, const usw_record_keys &keys,
                             size_t chunk, void *packed)
{
    const usw_key_plan plan = usw_plan_chunk(&keys, chunk);
    const size_t used = used_bytes(keys, chunk);
    usw_gpu_pairs pairs = {};
    pairs.width = width_for(used);
    upsweep_status status = usw_gpu_by_width(pairs.width, [&](auto key) {
        using K = decltype(key);
        return USW_LAUNCH(g, pack_chunks<K>, blocks_for(g, n), tuning.threads, 0, plan,
                          static_cast<const unsigned char *>(records), n, keys.record_bytes,
                          static_cast<unsigned>(8 * (USW_CHUNK_BYTES - used)),
                          static_cast<K *>(packed));
    });
    pairs.keys = packed;
    pairs.values = records;
    pairs.out_values = records;
    pairs.value_bytes = keys.record_bytes;
    pairs.n = n;
    pairs.map.bits = 8u << pairs.width;
    pairs.bit_end = static_cast<unsigned>(8 * used);
    pairs.stable = true;
    return status == UPSWEEP_OK ? usw_gpu_sort_pairs_by_digits(g, &pairs) : status;
}

/* ---- records ---- */

void take_fields(const upsweep_field *fields, size_t count, bool descending, usw_record_field *to,
                 usw_record_keys *keys)
{
    for (size_t i = 0; i < count; i++) {
        const upsweep_field &f = fields[i];
        const unsigned flags = descending ? f.flags ^ UPSWEEP_DESCENDING : f.flags;
        usw_record_field field = {};
        field.offset = f.offset;
        field.text = f.bytes != 0;
        field.bytes = f.bytes;
        field.at = keys->key_bytes;
        field.descending = (flags & UPSWEEP_DESCENDING) != 0;
        if (!field.text) {
            field.map = usw_keymap_of(f.type, flags);
            field.bytes = field.map.bits / 8;
        }
        keys->key_bytes += field.bytes;
        to[i] = field;
    }
    keys->fields = to;
    keys->field_count = count;
}

upsweep_status sort_records(usw_gpu *g, void *records, size_t n, size_t record_bytes,
                            const upsweep_field *fields, size_t field_count, bool descending)
{
    const std::unique_ptr<usw_record_field[]> own(new (std::nothrow)
                                                      usw_record_field[field_count + 1]);
    if (own == nullptr) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "no memory for %zu fields", field_count);
    }
    usw_record_keys keys = {};
    keys.record_bytes = record_bytes;
    take_fields(fields, field_count, descending, own.get(), &keys);
    if (n < 2 || keys.key_bytes == 0) {
        return UPSWEEP_OK;
    }
    if (usw_gpu_choose_records(g, keys.key_bytes) == USW_GPU_BY_MERGES) {
        return sort_by_merging(g, records, n, keys);
    }
    void *packed = usw_gpu_scratch(g, n << width_for(used_bytes(keys, 0)));
    upsweep_status status = packed == nullptr ? UPSWEEP_ERROR_MEMORY : UPSWEEP_OK;
    for (size_t chunk = usw_div_up(keys.key_bytes, USW_CHUNK_BYTES); chunk-- > 0;) {
        status = status == UPSWEEP_OK ? sort_by_chunk(g, records, n, keys, chunk, packed) : status;
    }
    return status;
}

} // namespace

USW_GPU_FORM(usw_gpu_merge_step, usw_merge_cuda) = {merge, merge_runs, sort_records};

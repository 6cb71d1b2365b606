/* select.cu - order tested, the k-th key found, the k best picked, and runs of equal keys.
 *
 *   is_sorted   one read; tiles behind a break that was found are left out.
 *   nth         the k-th key by digits (kth.cuh); then one pass (pick.cuh) moves the keys below it
 *               to the front, in place, and those above to scratch, and a last one fills up what
 *               lies between with the key itself (keys that are equal have equal bits) and copies
 *               the rest back. Traffic: two reads for the digits, 3 more of n for the median.
 *   top_k       up to a 16th of many keys: by a sample and one read (top_one.cuh). Few of few keys:
 *               as one row (top_rows.cu). Else the k-th key by digits; one pass picks the keys below
 *               it, with their positions, and as many equal to it as are wanted, both in order of
 *               position; then they are sorted by the stable sort. Traffic: three reads of n.
 *   unique      one pass, in place.
 *   runs        one pass; a tile also learns where the last run before it began. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/select_ring.cuh"
#include "gpu/selection/kth.cuh"
#include "gpu/selection/pick.cuh"
#include "gpu/selection/top_one.cuh"
#include "gpu/sort_choice.cuh"

#include <type_traits>

extern "C" {
extern const usw_gpu_top_step usw_top_rows_cuda;
}

namespace
{

constexpr struct {
    unsigned threads, blocks_a_sm;
    size_t share; /* top-k keeps n / share candidates at most */
} tuning = {512, 4, 16};

/* ---- is_sorted ---- */

__global__ void set_word(unsigned long long *word, unsigned long long value)
{
    *word = value;
}

template <typename K>
__global__ void __launch_bounds__(tuning.threads)
    find_break(usw_span<K> span, usw_gpu_keymap<K> map, unsigned shift, K mask,
               unsigned long long *first)
{
    constexpr unsigned per = usw_span<K>::per;
    const auto field = [&](K raw) { return static_cast<K>(map.map(raw) >> shift) & mask; };
    const auto note = [&](uint64_t i) {
        atomicMin(first, static_cast<unsigned long long>(i - span.lead));
    };
    usw_span_tiles<2>(
        span,
        [&](uint64_t v, const K(&key)[per]) {
            K before = static_cast<K>(__shfl_up_sync(~0u, key[per - 1], 1));
            if (threadIdx.x % 32 == 0 && v * per > span.lead) {
                before = span.base[v * per - 1];
            }
            auto last = field(v * per > span.lead ? before : key[0]);
            unsigned breaks = 0;
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                const auto next = field(key[e]);
                breaks |= static_cast<unsigned>(last > next) << e;
                last = next;
            }
            if (breaks != 0) {
                note(v * per + __ffs(static_cast<int>(breaks)) - 1);
            }
        },
        [&](uint64_t i, K key, bool there) {
            if (there && i > span.lead && field(span.base[i - 1]) > field(key)) {
                note(i);
            }
        },
        [&](uint64_t v) {
            return v * per <= __shfl_sync(~0u, usw_load_relaxed(first), 0) + span.lead;
        });
}

upsweep_status is_sorted(usw_gpu *g, const usw_gpu_sort *s, uint64_t *first)
{
    unsigned long long *word = reinterpret_cast<unsigned long long *>(first);
    upsweep_status status = USW_LAUNCH(g, set_word, 1, 1, 0, word, s->n);
    if (status != UPSWEEP_OK || s->bit_end <= s->bit_begin) {
        return status;
    }
    return usw_gpu_by_width(s->width, [&](auto k) {
        using K = decltype(k);
        const usw_span<K> span = usw_span_of<K>(s->keys, s->n);
        const uint64_t tile = uint64_t(tuning.threads) * 2;
        const uint64_t tiles = (span.vectors() + tile - 1) / tile;
        const uint64_t most = uint64_t(tuning.blocks_a_sm) * g->sms;
        const unsigned blocks = static_cast<unsigned>(tiles < most ? tiles : most);
        const K mask = static_cast<K>(~0ull >> (64 - (s->bit_end - s->bit_begin)));
        return USW_LAUNCH(g, find_break<K>, blocks, tuning.threads, 0, span,
                          usw_gpu_keymap_of<K>(s->map), s->bit_begin, mask, word);
    });
}

/* ---- nth ---- */

/* Writes keys below the found one to the front of `keys`, those above it to `above`. */
template <typename K> struct partition_keys {
    static constexpr bool NEEDS_BEFORE = false, NEEDS_PLACES = false, RUNS = false,
                          IN_PLACE = false;
    static constexpr unsigned CLASSES = 2;
    usw_gpu_keymap<K> map;
    const usw_kth *found;
    K *keys, *above;
    K limit;

    __device__ __forceinline__ void prepare()
    {
        limit = static_cast<K>(found->prefix);
    }
    __device__ __forceinline__ unsigned flags(K key, K, bool) const
    {
        const K mapped = map.map(key);
        return (mapped < limit ? 1 : 0) | (mapped > limit ? 2 : 0);
    }
    __device__ __forceinline__ void emit(unsigned c, uint64_t rank, K key, uint64_t) const
    {
        (c == 0 ? keys : above)[rank] = key;
    }
    __device__ __forceinline__ void finish(uint64_t) const
    {
    }
};

template <typename K>
__global__ void __launch_bounds__(tuning.threads)
    fill_equal(K *keys, const K *above, uint64_t n, usw_gpu_keymap<K> map, const usw_kth *found)
{
    const uint64_t less = found->less, bound = less + found->equal;
    const K key = map.unmap(static_cast<K>(found->prefix));
    constexpr unsigned flight = 8; /* keys of a thread that are on their way at once */
    const uint64_t tile = uint64_t(tuning.threads) * flight;
    for (uint64_t at = less + blockIdx.x * tile + threadIdx.x; at < n; at += gridDim.x * tile) {
        K rest[flight];
#pragma unroll
        for (unsigned j = 0; j < flight; j++) {
            const uint64_t i = at + j * tuning.threads;
            rest[j] = i < bound || i >= n ? key : above[i - bound];
        }
#pragma unroll
        for (unsigned j = 0; j < flight; j++) {
            const uint64_t i = at + j * tuning.threads;
            if (i < n) {
                keys[i] = rest[j];
            }
        }
    }
}

template <typename K> upsweep_status nth_of(usw_gpu *g, const usw_gpu_sort *s, size_t k)
{
    K *above = static_cast<K *>(usw_gpu_scratch(g, s->n * sizeof(K)));
    usw_pick_chains chains = {};
    usw_kth_search<K> search = {};
    if (above == nullptr || usw_pick_take<K>(g, s->keys, s->n, &chains) != UPSWEEP_OK ||
        search.take(g) != UPSWEEP_OK) {
        return UPSWEEP_ERROR_MEMORY;
    }
    search.keep[0] = above;
    search.capacity = s->n / 2 / usw_span<K>::per * usw_span<K>::per;
    search.keep[1] = above + search.capacity;
    const usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(s->map);
    K *keys = static_cast<K *>(s->keys);
    upsweep_status status = search.run(g, keys, s->n, map, k);
    if (status == UPSWEEP_OK) {
        const partition_keys<K> policy = {map, search.state, keys, above, 0};
        status = usw_pick_run<K>(g, keys, s->n, policy, chains);
    }
    const uint64_t blocks = (s->n + tuning.threads - 1) / tuning.threads, most = 4 * g->sms;
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, fill_equal<K>, static_cast<unsigned>(blocks < most ? blocks : most),
                            tuning.threads, 0, keys, above, s->n, map, search.state);
}

upsweep_status nth(usw_gpu *g, const usw_gpu_sort *s, size_t k)
{
    if (s->in_place) {
        return usw_gpu_sort_keys_by_digits(g, s); /* a sorted array is partitioned at k, too */
    }
    return usw_gpu_by_width(s->width, [&](auto key) { return nth_of<decltype(key)>(g, s, k); });
}

/* ---- top_k ---- */

template <typename K> struct best_keys {
    static constexpr bool NEEDS_BEFORE = false, NEEDS_PLACES = true, RUNS = false, IN_PLACE = false;
    static constexpr unsigned CLASSES = 2;
    usw_gpu_keymap<K> map;
    const usw_kth *found;
    K *out;
    uint64_t *index;
    uint64_t k;
    K limit;
    uint64_t less;

    __device__ __forceinline__ void prepare()
    {
        limit = static_cast<K>(found->prefix);
        less = found->less;
    }
    __device__ __forceinline__ unsigned flags(K key, K, bool) const
    {
        const K mapped = map.map(key);
        return (mapped < limit ? 1 : 0) | (mapped == limit ? 2 : 0);
    }
    __device__ __forceinline__ void emit(unsigned c, uint64_t rank, K key, uint64_t position) const
    {
        const uint64_t at = c == 0 ? rank : less + rank;
        if (at < k) {
            out[at] = key;
            if (index != nullptr) {
                index[at] = position;
            }
        }
    }
    __device__ __forceinline__ void finish(uint64_t) const
    {
    }
};

/* Sorts the k best, which out and index hold in order of position. */
upsweep_status sort_best(usw_gpu *g, const usw_gpu_sort *s, const void *keys, size_t k, void *out,
                         uint64_t *index, bool indices_too)
{
    if (index == nullptr) {
        usw_gpu_sort sort = *s;
        sort.keys = out;
        sort.n = k;
        sort.bit_begin = 0;
        sort.bit_end = s->map.bits;
        sort.stable = false;
        return usw_gpu_sort_keys_by_digits(g, &sort);
    }
    usw_gpu_pairs pairs = {};
    pairs.keys = keys;
    pairs.out_keys = out;
    pairs.values = indices_too ? nullptr : index;
    pairs.out_values = index;
    pairs.value_bytes = sizeof *index;
    pairs.n = k;
    pairs.width = s->width;
    pairs.map = s->map;
    pairs.bit_end = s->map.bits;
    pairs.stable = true;
    return usw_gpu_sort_pairs_by_digits(g, &pairs);
}

template <typename K>
upsweep_status top_of(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out, uint64_t *index)
{
    usw_pick_chains chains = {};
    usw_kth_search<K> search = {};
    search.capacity = s->n / tuning.share / usw_span<K>::per * usw_span<K>::per;
    search.keep[0] = static_cast<K *>(usw_gpu_scratch(g, 2 * search.capacity * sizeof(K) + 16));
    search.keep[1] = search.keep[0] + search.capacity;
    if (search.keep[0] == nullptr || usw_pick_take<K>(g, s->keys, s->n, &chains) != UPSWEEP_OK ||
        search.take(g) != UPSWEEP_OK) {
        return UPSWEEP_ERROR_MEMORY;
    }
    const usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(s->map);
    upsweep_status status = search.run(g, static_cast<const K *>(s->keys), s->n, map, k - 1);
    if (status == UPSWEEP_OK) {
        const best_keys<K> policy = {map, search.state, static_cast<K *>(out), index, k, 0, 0};
        status = usw_pick_run<K>(g, s->keys, s->n, policy, chains);
    }
    return status == UPSWEEP_OK ? sort_best(g, s, out, k, out, index, false) : status;
}

/* ---- top_k by a sample and one read ---- */

/* Sorted numbers become keys and positions. */
template <typename K, typename E>
__global__ void __launch_bounds__(tuning.threads)
    take_apart(const E *numbers, usw_top_numbers<K, E> by, uint64_t k, K *out, uint64_t *index)
{
    for (uint64_t i = blockIdx.x * uint64_t(tuning.threads) + threadIdx.x; i < k;
         i += gridDim.x * uint64_t(tuning.threads)) {
        out[i] = by.key(numbers[i]);
        if (index != nullptr) {
            index[i] = by.position(numbers[i]);
        }
    }
}

/* Numbers of 128 bits become keys and positions, which are then sorted. */
template <typename K>
upsweep_status sort_wide(usw_gpu *g, const usw_gpu_sort *s, const usw_u128 *best, size_t k,
                         unsigned blocks, K *out, uint64_t *index)
{
    const usw_top_numbers<K, usw_u128> by(usw_gpu_keymap_of<K>(s->map), s->n);
    upsweep_status status = USW_LAUNCH(g, (take_apart<K, usw_u128>), blocks, tuning.threads, 0,
                                       best, by, k, out, index);
    if (status != UPSWEEP_OK || index == nullptr) {
        return status == UPSWEEP_OK ? sort_best(g, s, out, k, out, index, false) : status;
    }
    usw_gpu_pairs pairs = {}; /* by their positions first */
    pairs.keys = index;
    pairs.out_keys = index;
    pairs.values = out;
    pairs.out_values = out;
    pairs.value_bytes = sizeof(K);
    pairs.n = k;
    pairs.width = 3;
    pairs.map = usw_keymap_of(UPSWEEP_U64, 0);
    pairs.bit_end = by.position_bits == 0 ? 1 : by.position_bits;
    pairs.stable = true;
    status = usw_gpu_sort_pairs_by_digits(g, &pairs);
    return status == UPSWEEP_OK ? sort_best(g, s, out, k, out, index, false) : status;
}

template <typename K, typename E>
upsweep_status top_by_sample(usw_gpu *g, const usw_gpu_sort *s, size_t k, K *out, uint64_t *index)
{
    E *best = static_cast<E *>(usw_gpu_scratch(g, k * sizeof(E)));
    if (best == nullptr) {
        return g->status;
    }
    const uint64_t wanted = (k + tuning.threads - 1) / tuning.threads, most = 4 * g->sms;
    const unsigned blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    upsweep_status status =
        usw_top_one<K, E>(g, static_cast<const K *>(s->keys), s->n, k, s->map, best);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if constexpr (sizeof(E) == 16) {
        return sort_wide<K>(g, s, best, k, blocks, out, index);
    } else {
        const usw_top_numbers<K, E> by(usw_gpu_keymap_of<K>(s->map), s->n);
        usw_gpu_sort sort = {};
        sort.keys = best;
        sort.n = k;
        sort.width = 3;
        sort.map = usw_keymap_of(UPSWEEP_U64, 0);
        sort.bit_end = 64;
        status = usw_gpu_sort_keys(g, &sort);
        return status == UPSWEEP_OK ? USW_LAUNCH(g, (take_apart<K, E>), blocks, tuning.threads, 0,
                                                 best, by, k, out, index)
                                    : status;
    }
}

/* So few keys, and of them so few, are one block's. */
#ifdef USW_EMULATE
constexpr size_t ROW_KEYS = 3000, ROW_BEST = 100;
#else
constexpr size_t ROW_KEYS = 1 << 16, ROW_BEST = 1024;
#endif

upsweep_status top_as_row(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out, uint64_t *index)
{
    usw_gpu_top t = {};
    t.keys = s->keys;
    t.rows = 1;
    t.row_keys = t.n = s->n;
    t.k = k;
    t.width = s->width;
    t.map = s->map;
    t.out = out;
    t.index = index;
    t.index_bytes = index == nullptr ? 0 : sizeof *index;
    return usw_top_rows_cuda.rows(g, &t);
}

upsweep_status top_k(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out, uint64_t *index)
{
    if (k == 0) {
        return UPSWEEP_OK;
    }
    if (k <= ROW_BEST && s->n <= ROW_KEYS) {
        return top_as_row(g, s, k, out, index);
    }
    if (usw_top_one_takes(s->n, k) && (s->width == 3 || s->n <= 0xffffffff)) {
        return usw_gpu_by_width(s->width, [&](auto key) {
            using K = decltype(key);
            using E = std::conditional_t<sizeof(K) == 8, usw_u128, uint64_t>;
            return top_by_sample<K, E>(g, s, k, static_cast<K *>(out), index);
        });
    }
    if (k == s->n) {
        const upsweep_status status =
            index != nullptr ? UPSWEEP_OK : usw_gpu_copy(g, out, s->keys, k << s->width);
        return status == UPSWEEP_OK ? sort_best(g, s, s->keys, k, out, index, true) : status;
    }
    return usw_gpu_by_width(s->width,
                            [&](auto key) { return top_of<decltype(key)>(g, s, k, out, index); });
}

/* ---- runs of equal keys ---- */

template <typename K> struct keep_heads {
    static constexpr bool NEEDS_BEFORE = true, NEEDS_PLACES = false, RUNS = false, IN_PLACE = true;
    static constexpr unsigned CLASSES = 1;
    K *out;
    uint64_t *kept;

    __device__ __forceinline__ void prepare()
    {
    }
    __device__ __forceinline__ unsigned flags(K key, K before, bool first) const
    {
        return first || key != before ? 1 : 0;
    }
    __device__ __forceinline__ void emit(unsigned, uint64_t rank, K key, uint64_t) const
    {
        out[rank] = key;
    }
    __device__ __forceinline__ void finish(uint64_t total) const
    {
        *kept = total;
    }
};

template <typename K> struct measure_runs {
    static constexpr bool NEEDS_BEFORE = true, NEEDS_PLACES = true, RUNS = true, IN_PLACE = false;
    static constexpr unsigned CLASSES = 1;
    K *out_keys;
    uint64_t *out_counts, *runs, n;

    __device__ __forceinline__ void prepare()
    {
    }
    __device__ __forceinline__ unsigned flags(K key, K before, bool first) const
    {
        return first || key != before ? 1 : 0;
    }
    __device__ __forceinline__ void emit_run(uint64_t rank, K key, uint64_t position,
                                             uint64_t before) const
    {
        out_keys[rank] = key;
        if (rank > 0) {
            out_counts[rank - 1] = position - before;
        }
    }
    __device__ __forceinline__ void finish_runs(uint64_t total, uint64_t last) const
    {
        *runs = total;
        out_counts[total - 1] = n - last;
    }
};

upsweep_status unique(usw_gpu *g, void *keys, size_t n, unsigned width, uint64_t *kept)
{
    return usw_gpu_by_width(width, [&](auto key) {
        using K = decltype(key);
        if constexpr (sizeof(K) >= 4) {
            using S = usw_select_shape<K, USW_SELECT_HEADS>;
            if (usw_select_takes<S>(g, keys, nullptr, n)) {
                usw_select_args a = {};
                a.in = keys;
                a.out = keys;
                a.n = n;
                a.count = kept;
                return usw_select_run<S>(g, a);
            }
            usw_select_count<S>(g, n);
        }
        usw_pick_chains chains = {};
        const upsweep_status status = usw_pick_take<K>(g, keys, n, &chains);
        const keep_heads<K> policy = {static_cast<K *>(keys), kept};
        return status == UPSWEEP_OK ? usw_pick_run<K>(g, keys, n, policy, chains) : status;
    });
}

upsweep_status runs(usw_gpu *g, const void *keys, size_t n, unsigned width, void *out_keys,
                    uint64_t *out_counts, uint64_t *count)
{
    return usw_gpu_by_width(width, [&](auto key) {
        using K = decltype(key);
        if constexpr (sizeof(K) >= 4) {
            using S = usw_select_shape<K, USW_SELECT_RUNS>;
            if (usw_select_takes<S>(g, keys, nullptr, n)) {
                usw_select_args a = {};
                a.in = keys;
                a.out = out_keys;
                a.n = n;
                a.count = count;
                a.lengths = out_counts;
                return usw_select_run<S>(g, a);
            }
            usw_select_count<S>(g, n);
        }
        usw_pick_chains chains = {};
        const upsweep_status status = usw_pick_take<K>(g, keys, n, &chains);
        const measure_runs<K> policy = {static_cast<K *>(out_keys), out_counts, count, n};
        return status == UPSWEEP_OK ? usw_pick_run<K>(g, keys, n, policy, chains) : status;
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_select_step, usw_select_cuda) = {is_sorted, nth, top_k, unique, runs};

/* select.cu - order tested, the k-th key found, the k best picked, and runs of equal keys.
 *
 *   is_sorted   one read; tiles behind a break that was found are left out.
 *   nth         the k-th key by digits (kth.cuh); then one pass (pick.cuh) moves the keys below it
 *               to the front, in place, and those above to scratch, and a last one fills up what
 *               lies between with the key itself (keys that are equal have equal bits) and copies
 *               the rest back. Traffic: two reads for the digits, 3 more of n for the median.
 *   top_k       top_k.cuh.
 *   unique      one pass, in place.
 *   runs        one pass; a tile also learns where the last run before it began. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/select_ring.cuh"
#include "gpu/selection/kth.cuh"
#include "gpu/selection/pick.cuh"
#include "gpu/selection/top_k.cuh"
#include "gpu/sort_choice.cuh"

#include <type_traits>

namespace
{

constexpr struct {
    unsigned threads, blocks_a_sm;
} tuning = {512, 4};

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

/* ---- runs of equal keys ---- */

template <typename K, bool numbers> struct keep_heads {
    static constexpr bool NEEDS_BEFORE = true, NEEDS_PLACES = false, RUNS = false, IN_PLACE = true;
    static constexpr unsigned CLASSES = 1;
    K *out;
    uint64_t *kept;
    K infinity;

    __device__ __forceinline__ void prepare()
    {
    }
    __device__ __forceinline__ unsigned flags(K key, K before, bool first) const
    {
        return first || usw_keys_differ<numbers>(key, before, infinity) ? 1 : 0;
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

template <typename K, bool numbers> struct measure_runs {
    static constexpr bool NEEDS_BEFORE = true, NEEDS_PLACES = true, RUNS = true, IN_PLACE = false;
    static constexpr unsigned CLASSES = 1;
    K *out_keys;
    uint64_t *out_counts, *runs, n;
    K infinity;

    __device__ __forceinline__ void prepare()
    {
    }
    __device__ __forceinline__ unsigned flags(K key, K before, bool first) const
    {
        return first || usw_keys_differ<numbers>(key, before, infinity) ? 1 : 0;
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

/* Calls f(key, numbers), numbers a std::bool_constant. */
template <typename F> upsweep_status by_equality(unsigned width, uint64_t infinity, F f)
{
    return usw_gpu_by_width(width, [&](auto key) {
        if constexpr (sizeof key > 1) {
            if (infinity != 0) {
                return f(key, std::true_type());
            }
        }
        return f(key, std::false_type());
    });
}

upsweep_status unique(usw_gpu *g, void *keys, size_t n, unsigned width, uint64_t infinity,
                      uint64_t *kept)
{
    return by_equality(width, infinity, [&](auto key, auto equal) {
        using K = decltype(key);
        constexpr bool numbers = decltype(equal)::value;
        if constexpr (sizeof(K) >= 4) {
            using S = usw_select_shape<K, USW_SELECT_HEADS, numbers>;
            if (usw_select_takes<S>(g, keys, nullptr, n)) {
                usw_select_args a = {};
                a.in = keys;
                a.out = keys;
                a.n = n;
                a.count = kept;
                a.infinity = infinity;
                return usw_select_run<S>(g, a);
            }
            usw_select_count<S>(g, n);
        }
        usw_pick_chains chains = {};
        const upsweep_status status = usw_pick_take<K>(g, keys, n, &chains);
        const keep_heads<K, numbers> policy = {static_cast<K *>(keys), kept,
                                               static_cast<K>(infinity)};
        return status == UPSWEEP_OK ? usw_pick_run<K>(g, keys, n, policy, chains) : status;
    });
}

upsweep_status runs(usw_gpu *g, const void *keys, size_t n, unsigned width, uint64_t infinity,
                    void *out_keys, uint64_t *out_counts, uint64_t *count)
{
    return by_equality(width, infinity, [&](auto key, auto equal) {
        using K = decltype(key);
        constexpr bool numbers = decltype(equal)::value;
        if constexpr (sizeof(K) >= 4) {
            using S = usw_select_shape<K, USW_SELECT_RUNS, numbers>;
            if (usw_select_takes<S>(g, keys, nullptr, n)) {
                usw_select_args a = {};
                a.in = keys;
                a.out = out_keys;
                a.n = n;
                a.count = count;
                a.lengths = out_counts;
                a.infinity = infinity;
                return usw_select_run<S>(g, a);
            }
            usw_select_count<S>(g, n);
        }
        usw_pick_chains chains = {};
        const upsweep_status status = usw_pick_take<K>(g, keys, n, &chains);
        const measure_runs<K, numbers> policy = {static_cast<K *>(out_keys), out_counts, count, n,
                                                 static_cast<K>(infinity)};
        return status == UPSWEEP_OK ? usw_pick_run<K>(g, keys, n, policy, chains) : status;
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_select_step, usw_select_cuda) = {is_sorted, nth, usw_top_k, unique, runs};

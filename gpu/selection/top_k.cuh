/* top_k.cuh - the k best keys of one array, by the first of these that takes it:
 *
 *   few keys, and few of them: as one row (top_rows.cu).
 *   up to a 16th of many keys: a sample and one read (top_one.cuh); then k numbers are sorted.
 *   all keys: they are sorted.
 *   else the k-th key by digits (kth.cuh); one pass (pick.cuh) picks the keys below it, with their
 *   positions, and as many equal to it as are wanted, both in order of position; then they are
 *   sorted by the stable sort. Traffic: three reads of n. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_K_CUH
#define USW_GPU_SELECTION_TOP_K_CUH

#include "gpu/selection/kth.cuh"
#include "gpu/selection/pick.cuh"
#include "gpu/selection/top_one.cuh"
#include "gpu/sort_choice.cuh"

#include <type_traits>

extern "C" {
extern const usw_gpu_top_step usw_top_rows_cuda;
}

enum : unsigned { USW_TOP_K_THREADS = 512 };
enum : uint64_t { USW_TOP_K_SHARE = 16 }; /* by digits: n / share candidates are kept at most */

template <typename K> struct usw_top_k_policy {
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
static upsweep_status usw_top_k_sort(usw_gpu *g, const usw_gpu_sort *s, const void *keys, size_t k,
                                     void *out, uint64_t *index, bool indices_too)
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
static upsweep_status usw_top_k_by_digits(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out,
                                          uint64_t *index)
{
    usw_pick_chains chains = {};
    usw_kth_search<K> search = {};
    search.capacity = s->n / USW_TOP_K_SHARE / usw_span<K>::per * usw_span<K>::per;
    search.keep[0] = static_cast<K *>(usw_gpu_scratch(g, 2 * search.capacity * sizeof(K) + 16));
    search.keep[1] = search.keep[0] + search.capacity;
    if (search.keep[0] == nullptr || usw_pick_take<K>(g, s->keys, s->n, &chains) != UPSWEEP_OK ||
        search.take(g) != UPSWEEP_OK) {
        return UPSWEEP_ERROR_MEMORY;
    }
    const usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(s->map);
    upsweep_status status = search.run(g, static_cast<const K *>(s->keys), s->n, map, k - 1);
    if (status == UPSWEEP_OK) {
        const usw_top_k_policy<K> policy = {map, search.state, static_cast<K *>(out), index, k, 0,
                                            0};
        status = usw_pick_run<K>(g, s->keys, s->n, policy, chains);
    }
    return status == UPSWEEP_OK ? usw_top_k_sort(g, s, out, k, out, index, false) : status;
}

/* ---- top_k by a sample and one read ---- */

/* Sorted numbers become keys and positions. */
template <typename K, typename E>
__global__ void __launch_bounds__(USW_TOP_K_THREADS)
    usw_top_k_take_apart(const E *numbers, usw_top_numbers<K, E> by, uint64_t k, K *out,
                         uint64_t *index)
{
    for (uint64_t i = blockIdx.x * uint64_t(USW_TOP_K_THREADS) + threadIdx.x; i < k;
         i += gridDim.x * uint64_t(USW_TOP_K_THREADS)) {
        out[i] = by.key(numbers[i]);
        if (index != nullptr) {
            index[i] = by.position(numbers[i]);
        }
    }
}

/* Numbers of 128 bits become keys and positions, which are then sorted. */
template <typename K>
static upsweep_status usw_top_k_sort_wide(usw_gpu *g, const usw_gpu_sort *s, const usw_u128 *best,
                                          size_t k, unsigned blocks, K *out, uint64_t *index)
{
    const usw_top_numbers<K, usw_u128> by(usw_gpu_keymap_of<K>(s->map), s->n);
    upsweep_status status = USW_LAUNCH(g, (usw_top_k_take_apart<K, usw_u128>), blocks,
                                       USW_TOP_K_THREADS, 0, best, by, k, out, index);
    if (status != UPSWEEP_OK || index == nullptr) {
        return status == UPSWEEP_OK ? usw_top_k_sort(g, s, out, k, out, index, false) : status;
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
    return status == UPSWEEP_OK ? usw_top_k_sort(g, s, out, k, out, index, false) : status;
}

template <typename K, typename E>
static upsweep_status usw_top_k_by_sample(usw_gpu *g, const usw_gpu_sort *s, size_t k, K *out,
                                          uint64_t *index)
{
    E *best = static_cast<E *>(usw_gpu_scratch(g, k * sizeof(E)));
    if (best == nullptr) {
        return g->status;
    }
    const uint64_t wanted = (k + USW_TOP_K_THREADS - 1) / USW_TOP_K_THREADS, most = 4 * g->sms;
    const unsigned blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    upsweep_status status =
        usw_top_one<K, E>(g, static_cast<const K *>(s->keys), s->n, k, s->map, best);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if constexpr (sizeof(E) == 16) {
        return usw_top_k_sort_wide<K>(g, s, best, k, blocks, out, index);
    } else {
        const usw_top_numbers<K, E> by(usw_gpu_keymap_of<K>(s->map), s->n);
        usw_gpu_sort sort = {};
        sort.keys = best;
        sort.n = k;
        sort.width = 3;
        sort.map = usw_keymap_of(UPSWEEP_U64, 0);
        sort.bit_end = 64;
        status = usw_gpu_sort_keys(g, &sort);
        return status == UPSWEEP_OK ? USW_LAUNCH(g, (usw_top_k_take_apart<K, E>), blocks,
                                                 USW_TOP_K_THREADS, 0, best, by, k, out, index)
                                    : status;
    }
}

/* So few keys, and of them so few, are one block's. */
#ifdef USW_EMULATE
constexpr size_t USW_TOP_K_ROW = 3000, USW_TOP_K_ROW_BEST = 100;
#else
constexpr size_t USW_TOP_K_ROW = 1 << 16, USW_TOP_K_ROW_BEST = 1024;
#endif

static upsweep_status usw_top_k_as_row(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out,
                                       uint64_t *index)
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

static upsweep_status usw_top_k(usw_gpu *g, const usw_gpu_sort *s, size_t k, void *out,
                                uint64_t *index)
{
    if (k == 0) {
        return UPSWEEP_OK;
    }
    if (k <= USW_TOP_K_ROW_BEST && s->n <= USW_TOP_K_ROW) {
        return usw_top_k_as_row(g, s, k, out, index);
    }
    if (usw_top_one_takes(s->n, k) && (s->width == 3 || s->n <= 0xffffffff)) {
        return usw_gpu_by_width(s->width, [&](auto key) {
            using K = decltype(key);
            using E = std::conditional_t<sizeof(K) == 8, usw_u128, uint64_t>;
            return usw_top_k_by_sample<K, E>(g, s, k, static_cast<K *>(out), index);
        });
    }
    if (k == s->n) {
        const upsweep_status status =
            index != nullptr ? UPSWEEP_OK : usw_gpu_copy(g, out, s->keys, k << s->width);
        return status == UPSWEEP_OK ? usw_top_k_sort(g, s, s->keys, k, out, index, true) : status;
    }
    return usw_gpu_by_width(s->width, [&](auto key) {
        return usw_top_k_by_digits<decltype(key)>(g, s, k, out, index);
    });
}

#endif

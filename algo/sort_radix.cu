/* sort_radix.cu - radix sort on a GPU, lowest digit first, one pass over memory a digit.
 *
 * Idea     As the explained form: count, scan, move, digit by digit. One read counts all digits and
 *          sees what need not be done (gpu/digit_sort/count_all_digits.cuh); then one pass a digit
 *          (gpu/digit_sort/pass.cuh), all queued at once. Passes beyond the plan's number end at
 *          once, so that nothing waits for the host.
 *
 * Shape    fill of 17 KB, count, a pass for each digit of the bit range, finish
 *          (gpu/digit_sort/copy_out.cuh). Pairs of few values, which the hybrid sort has counted:
 *          one cooperative launch (gpu/digit_sort/few_values_pass.cuh).
 *
 * Traffic  u32 keys 4 + 4 * 8 = 36 bytes a key; u64 136; u32 with u32 values 68; argsort of u32 60,
 *          or 56 without the sorted keys. Sorted keys: 4 and what must be copied.
 *
 * Scratch  one copy of keys and values (two of the keys where the caller wants none back), and 1 to
 *          2 MB of tiles' words; of n below a few millions less.
 *
 * Values   of 4 and 8 bytes move with their keys. Others: the positions move, and one gather ends.
 */
/* SPDX-License-Identifier: MIT */
#include "gpu/plugin/repeat_graph.cuh"
#include "gpu/digit_sort/one_launch_host.cuh"
#include "gpu/digit_sort/digit_sort.cuh"
#include "gpu/digit_sort/few_values_pass.cuh"

#include <type_traits>

extern "C" const usw_gpu_sort_form usw_sort_split_cuda; /* for a device without a spine */

/* ---- the whole ---- */

struct radix_job {
    const void *keys_in;
    void *keys_out; /* NULL: not wanted */
    const void *values_in;
    void *values_out;
    size_t n;
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool stable;
    usw_digit_scratch scratch;
    const unsigned *enabled; /* NULL, or as usw_radix_queue */
    const void *few_values;  /* as usw_radix_queue_pairs */
};

/* Sets r to the arrays that a sort works in: those of j.scratch, else new ones of the handle's;
 * keys_out is the caller's if the caller wants keys. */
template <typename K, unsigned value_bytes>
static bool take_arrays(usw_gpu *g, const radix_job &j, usw_digit_scratch &r)
{
    constexpr bool joins = sizeof(K) == value_bytes;
    r = j.scratch;
    if (r.keys_tmp == nullptr) {
        r.keys_tmp = usw_gpu_scratch(g, j.n * (sizeof(K) + (joins ? value_bytes : 0)));
    }
    if (value_bytes != 0 && r.values_tmp == nullptr) {
        r.values_tmp = joins ? r.keys_tmp : usw_gpu_scratch(g, j.n * value_bytes);
    }
    if (j.keys_out != nullptr) {
        r.keys_out = j.keys_out;
    } else if (r.keys_out == nullptr) {
        r.keys_out = usw_gpu_scratch(g, j.n * sizeof(K));
    }
    return r.keys_tmp != nullptr && r.keys_out != nullptr &&
           (value_bytes == 0 || r.values_tmp != nullptr);
}

/* Whether all blocks of a pass run at the same time, as a barrier of all blocks needs. */
template <typename K, unsigned value_bytes> static bool run_together(const usw_gpu *g)
{
    using shape = typename usw_pass_tuning<K, value_bytes>::shape;
    constexpr size_t bytes = radix_tile<K, value_bytes, shape, uint32_t>::shared_bytes() + 1280;
    return shape::blocks * bytes <= g->shared_bytes + 1024;
}

/* A launch for each step; `blocks` for a pass; cleared: the control words have been. */
template <typename K, unsigned value_bytes, typename shape>
static upsweep_status queue_steps(usw_gpu *g, const usw_radix_steps<K> &a, unsigned blocks,
                                  bool cleared)
{
    using counting = usw_radix_count_tuning;
    const size_t n = a.pass.n;
    const bool narrow = usw_spine_narrow(n);
    if (!cleared) {
        usw_gpu_fill(g, a.pass.control, 0, sizeof *a.pass.control);
    }
    size_t stretch = counting::threads * counting::vectors * (16 / sizeof(K));
    size_t counters = (n + stretch - 1) / stretch;
    counters = counters < g->sms * counting::blocks ? counters : g->sms * counting::blocks;
    const bool signs =
        a.count.map.neg != 0 && a.count.map.add == 0 && a.pass.bits.end == sizeof(K) * 8;
    /* If the caller has cleared the control, it has queued kernels of a chain before, which count
     * must wait for on the device. */
    auto count = signs ? usw_radix_count<K, true> : usw_radix_count<K, false>;
    const unsigned count_blocks = static_cast<unsigned>(counters);
    if (cleared) {
        USW_LAUNCH_CHAINED(g, count, count_blocks, counting::threads, 0, a.count);
    } else {
        USW_LAUNCH(g, count, count_blocks, counting::threads, 0, a.count);
    }
    auto kernel = narrow ? usw_radix_scatter<K, value_bytes, shape, uint32_t>
                         : usw_radix_scatter<K, value_bytes, shape, uint64_t>;
    size_t shared = narrow ? radix_tile<K, value_bytes, shape, uint32_t>::shared_bytes()
                           : radix_tile<K, value_bytes, shape, uint64_t>::shared_bytes();
    for (unsigned p = 0; p < a.pass.bits.digits; p++) {
        USW_LAUNCH_CHAINED(g, kernel, blocks, shape::threads, shared, a.pass, p);
    }
    size_t copy_blocks = (n + 4095) / 4096;
    copy_blocks = copy_blocks < g->sms * 4 ? copy_blocks : g->sms * 4;
    return USW_LAUNCH_CHAINED(g, (usw_radix_copy_out<K, value_bytes>),
                              static_cast<unsigned>(copy_blocks), 512, 0, a.copy_out);
}

template <typename K, unsigned value_bytes,
          typename shape = typename usw_pass_tuning<K, value_bytes>::shape>
static upsweep_status sort_radix(usw_gpu *g, const radix_job &j)
{
    size_t n = j.n, tiles = (n + shape::tile - 1) / shape::tile;
    unsigned grid = g->sms * shape::blocks, ring_tiles = usw_look_back_ring_tiles(grid);
    const bool narrow = usw_spine_narrow(n);
    size_t slots = tiles < ring_tiles ? tiles : ring_tiles;
    size_t ring_words = usw_spine_ring_words(slots, narrow) + slots;
    auto *control = static_cast<usw_radix_control *>(
        j.scratch.control != nullptr ? j.scratch.control
                                     : usw_gpu_scratch(g, sizeof(usw_radix_control)));
    unsigned *ring = static_cast<unsigned *>(usw_gpu_scratch(g, ring_words * 4));
    usw_digit_scratch arrays;
    if (!take_arrays<K, value_bytes>(g, j, arrays) || control == nullptr || ring == nullptr) {
        return g->status;
    }
    K *keys_tmp = static_cast<K *>(arrays.keys_tmp), *keys_out = static_cast<K *>(arrays.keys_out);
    usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(j.map);
    usw_radix_bits bits = {j.bit_begin, j.bit_end, (j.bit_end - j.bit_begin + 7) / 8};
    const bool last_in_tmp =
        j.keys_in == keys_out || (value_bytes != 0 && j.values_in == j.values_out);
    const auto *few_values = static_cast<const hybrid_few<K> *>(j.few_values);
    const usw_radix_count_args<K> count = {static_cast<const K *>(j.keys_in),
                                           n,
                                           map,
                                           bits,
                                           j.stable,
                                           control,
                                           ring,
                                           ring_words,
                                           j.enabled};
    const usw_radix_pass_args<K> pass = {static_cast<const K *>(j.keys_in),
                                         keys_out,
                                         keys_tmp,
                                         j.values_in,
                                         j.values_out,
                                         arrays.values_tmp,
                                         last_in_tmp ? arrays.spare : nullptr,
                                         n,
                                         last_in_tmp,
                                         j.keys_out == nullptr,
                                         map,
                                         bits,
                                         control,
                                         ring,
                                         ring + usw_spine_ring_words(slots, narrow),
                                         ring_tiles,
                                         few_values};
    const usw_copy_out_args<K> copy_out = {pass.keys_in,
                                           static_cast<K *>(j.keys_out),
                                           keys_tmp,
                                           j.values_in,
                                           j.values_out,
                                           arrays.values_tmp,
                                           n,
                                           last_in_tmp,
                                           pass.spare,
                                           control,
                                           j.enabled};
    const usw_radix_steps<K> a = {count, pass, copy_out};
    const unsigned some = static_cast<unsigned>(tiles + 1 < grid ? tiles + 1 : grid);
    if constexpr (value_bytes != 0 && sizeof(K) >= 4) {
        if (few_values != nullptr) {
            USW_LAUNCH_COOPERATIVE(
                g, (usw_radix_numbered<K, value_bytes, shape, uint32_t>), some, shape::threads,
                (radix_tile<K, value_bytes, shape, uint32_t>::shared_bytes()), a, g->barrier);
        }
    }
    return queue_steps<K, value_bytes, shape>(g, a, some, j.scratch.control != nullptr);
}

/* Calls f(K(), values) with the key type and the number of bytes of a value, 0, 4 or 8. */
template <typename F> static auto by_types(unsigned width, unsigned value_bytes, F f)
{
    return usw_gpu_by_width(width, [&](auto k) {
        return value_bytes == 0   ? f(k, std::integral_constant<unsigned, 0>())
               : value_bytes == 4 ? f(k, std::integral_constant<unsigned, 4>())
                                  : f(k, std::integral_constant<unsigned, 8>());
    });
}

bool usw_radix_has_spine(const usw_gpu *g, unsigned width, unsigned carried)
{
    if (g->sms >= 2 || g->device < 0) {
        return true; /* each multiprocessor runs a block */
    }
    return by_types(width, carried, [&](auto k, auto values) {
        using K = decltype(k);
        constexpr unsigned bytes = decltype(values)::value;
        using shape = typename usw_pass_tuning<K, bytes>::shape;
        return usw_gpu_blocks_at_once(g, usw_radix_scatter<K, bytes, shape, uint64_t>,
                                      shape::threads,
                                      radix_tile<K, bytes, shape, uint64_t>::shared_bytes()) >= 2;
    });
}

/* value_bytes: 0, 4 or 8; of few keys 1 or 2 too. */
static upsweep_status sort_job(usw_gpu *g, const radix_job &j, unsigned width, unsigned value_bytes,
                               usw_gpu_method method)
{
    const usw_small_sort s = {j.keys_in, j.keys_out, j.values_in, j.values_out, value_bytes,
                              j.n,       width,      j.map,       j.bit_begin,  j.bit_end};
    return method == USW_GPU_BY_ONE_LAUNCH ? usw_gpu_one_launch_sort(g, &s, j.stable, nullptr)
           : method == USW_GPU_BY_PASSES
               ? by_types(width, value_bytes,
                          [&](auto k, auto values) {
                              return sort_radix<decltype(k), decltype(values)::value>(g, j);
                          })
               : usw_gpu_small_sort(g, &s, method);
}

upsweep_status usw_radix_sort(usw_gpu *g, const usw_gpu_sort *s, usw_gpu_method method)
{
    if (method == USW_GPU_BY_SPLITS) {
        return usw_sort_split_cuda.sort(g, s);
    }
    const bool whole = s->bit_begin == 0 && s->bit_end == 8u << s->width;
    const radix_job job = {usw_gpu_keys_from(s), s->keys,    nullptr, nullptr, s->n,    s->map,
                           s->bit_begin,         s->bit_end, !whole,  {},      nullptr, nullptr};
    return sort_job(g, job, s->width, 0, method);
}

upsweep_status usw_radix_queue(usw_gpu *g, const usw_gpu_sort *s, const usw_digit_scratch &scratch,
                               const unsigned *enabled)
{
    if (s->n <= usw_gpu_one_launch_fits(g, s->width, 0)) {
        const usw_small_sort small = {
            usw_gpu_keys_from(s), s->keys, nullptr, nullptr, 0, s->n, s->width, s->map, 0,
            8u << s->width};
        return usw_gpu_one_launch_sort(g, &small, false, enabled);
    }
    const radix_job job = {usw_gpu_keys_from(s), s->keys, nullptr, nullptr, s->n,   s->map, 0,
                           8u << s->width,       false,   scratch, enabled, nullptr};
    return usw_gpu_by_width(s->width, [&](auto k) { return sort_radix<decltype(k), 0>(g, job); });
}

/* ---- values of other sizes: positions, then a gather ---- */

/* bytes a value in units of U, a power of two that divides it; from may be misaligned for nothing
 * wider than U. */
template <typename U, typename I>
__global__ void __launch_bounds__(512)
    usw_radix_gather(const U *from, U *to, const I *index, size_t n, unsigned units)
{
    size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t total = n * units;
    for (size_t u = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; u < total;
         u += step) {
        size_t i = u / units;
        to[u] = from[static_cast<size_t>(index[i]) * units + (u - i * units)];
    }
}

template <typename I>
static upsweep_status gather_values(usw_gpu *g, const usw_gpu_pairs *p, const void *from,
                                    const I *index)
{
    size_t blocks = (p->n * p->value_bytes + 16383) / 16384;
    unsigned grid = static_cast<unsigned>(blocks < g->sms * 8 ? blocks : g->sms * 8);
    uintptr_t odd = p->value_bytes | reinterpret_cast<uintptr_t>(from) |
                    reinterpret_cast<uintptr_t>(p->out_values);
    auto run = [&](auto unit) {
        using U = decltype(unit);
        return USW_LAUNCH(g, (usw_radix_gather<U, I>), grid, 512, 0, static_cast<const U *>(from),
                          static_cast<U *>(p->out_values), index, p->n,
                          static_cast<unsigned>(p->value_bytes / sizeof(U)));
    };
    return odd % 4 == 0 ? run(uint32_t()) : odd % 2 == 0 ? run(uint16_t()) : run(uint8_t());
}

template <typename I>
static upsweep_status sort_by_position(usw_gpu *g, const usw_gpu_pairs *p, radix_job job,
                                       usw_gpu_method method)
{
    I *index = static_cast<I *>(usw_gpu_scratch(g, p->n * sizeof(I)));
    const void *from = p->values;
    if (from == p->out_values) {
        void *copy = usw_gpu_scratch(g, p->n * p->value_bytes);
        if (copy == nullptr) {
            return g->status;
        }
        usw_gpu_copy(g, copy, from, p->n * p->value_bytes);
        from = copy;
    }
    if (index == nullptr) {
        return g->status;
    }
    job.values_in = nullptr;
    job.values_out = index;
    upsweep_status status = sort_job(g, job, p->width, sizeof(I), method);
    return status != UPSWEEP_OK ? status : gather_values(g, p, from, index);
}

upsweep_status usw_radix_sort_pairs(usw_gpu *g, const usw_gpu_pairs *p, usw_gpu_chosen chosen)
{
    if (chosen.method == USW_GPU_BY_SPLITS) {
        return usw_sort_split_cuda.pairs(g, p);
    }
    const radix_job job = {p->keys, p->out_keys, p->values,    p->out_values,
                           p->n,    p->map,      p->bit_begin, p->bit_end,
                           true,    {},          nullptr,      nullptr};
    return !chosen.by_position   ? sort_job(g, job, p->width, chosen.carried, chosen.method)
           : chosen.carried == 4 ? sort_by_position<uint32_t>(g, p, job, chosen.method)
                                 : sort_by_position<uint64_t>(g, p, job, chosen.method);
}

bool usw_radix_takes_few(const usw_gpu *g, const usw_gpu_pairs *p)
{
    if (p->n >> 29 != 0) {
        return false;
    }
    return p->width == 3
               ? p->value_bytes == 4 ? run_together<uint64_t, 4>(g) : run_together<uint64_t, 8>(g)
           : p->value_bytes == 4 ? run_together<uint32_t, 4>(g)
                                 : run_together<uint32_t, 8>(g);
}

upsweep_status usw_radix_queue_pairs(usw_gpu *g, const usw_gpu_pairs *p,
                                     const usw_digit_scratch &scratch, const unsigned *enabled,
                                     const void *few_values)
{
    const radix_job job = {p->keys, p->out_keys,    p->values, p->out_values, p->n,    p->map,
                           0,       8u << p->width, true,      scratch,       enabled, few_values};
    auto queue = [&](auto k) {
        using K = decltype(k);
        return p->value_bytes == 4 ? sort_radix<K, 4>(g, job) : sort_radix<K, 8>(g, job);
    };
    return p->width == 3 ? queue(uint64_t()) : queue(uint32_t());
}

static upsweep_status sort_keys(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_radix_sort(g, s, usw_gpu_choose_keys(g, s, USW_GPU_IF_DIGITS).method);
}
static upsweep_status sort_pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_radix_sort_pairs(g, p, usw_gpu_choose_pairs(g, p, USW_GPU_IF_DIGITS));
}
static upsweep_status sort_repeat(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_gpu_sort_repeat(g, s, sort_keys);
}
static upsweep_status pairs_repeat(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_gpu_pairs_repeat(g, p, sort_pairs);
}

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_radix_cuda) = {sort_repeat, pairs_repeat, 0, true, false};

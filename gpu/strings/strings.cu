/* strings.cu - the stable sort of strings of any lengths by their bytes, on a GPU.
 *
 *   check    offsets must not fall, else there is a fault and all strings count as empty
 *   common   how many bytes all strings begin with, up to 4096: those tell nothing apart
 *   sort     items of the next 8 bytes and the position, by merges (string_order.cuh)
 *   index    the positions
 * Sorted strings are made of them: lengths, which are scanned elsewhere, and bytes, 16 of the
 * output a thread, wherever strings begin.
 *
 * Traffic: the offsets three times and 32 bytes an item for each of log2(n / 1792) levels; bytes as
 * far as strings are alike, for the common beginning once and for each comparison of equal items
 * two sectors a string and more. Nothing waits for the host. */
/* SPDX-License-Identifier: MIT */
#include "gpu/strings/string_order.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256, blocks = 8; /* of a multiprocessor, at most */
    static constexpr unsigned common = 4096;             /* bytes that are looked at */
    static constexpr unsigned piece = 16; /* bytes of the output that a thread copies */
};

__device__ __forceinline__ uint64_t first_of_thread()
{
    return blockIdx.x * uint64_t(tuning::threads) + threadIdx.x;
}
__device__ __forceinline__ uint64_t all_threads()
{
    return uint64_t(gridDim.x) * tuning::threads;
}

/* nowhere: there is no array of bytes, to read or to write; then the strings must have none. */
__global__ void __launch_bounds__(tuning::threads)
    check_offsets(usw_string_list strings, uint64_t n, bool nowhere, usw_string_facts *facts,
                  unsigned long long *fault)
{
    for (uint64_t i = first_of_thread(); i < n; i += all_threads()) {
        if (strings.offset(i) > strings.offset(i + 1)) {
            usw_gpu_fault(fault, USW_FAULT_STRINGS, i);
            facts->bad = 1;
        }
    }
    if (first_of_thread() == 0) {
        if (nowhere && strings.offset(n) != strings.offset(0)) {
            usw_gpu_fault(fault, USW_FAULT_STRINGS, n);
            facts->bad = 1;
        }
        facts->common = tuning::common;
        facts->end = strings.offset(n);
    }
}

/* Bytes, up to `most`, with which both strings begin. */
__device__ __forceinline__ unsigned common_of(const usw_string_list &strings,
                                              const unsigned char *a, const unsigned char *b,
                                              unsigned most)
{
    for (unsigned at = 0; at < most; at += 8) {
        const uint64_t differ = strings.word(a + at, most - at) ^ strings.word(b + at, most - at);
        if (differ != 0) {
            return at + static_cast<unsigned>(__clzll(static_cast<long long>(differ))) / 8;
        }
    }
    return most;
}

__global__ void __launch_bounds__(tuning::threads)
    find_common(usw_string_list strings, uint64_t n, usw_string_facts *facts)
{
    uint64_t length;
    const unsigned char *const first = strings.string(0, length);
    unsigned most = length < tuning::common ? static_cast<unsigned>(length) : tuning::common;
    for (uint64_t i = first_of_thread(); i < n && most > 0; i += all_threads()) {
        const unsigned known = usw_load_relaxed(&facts->common);
        most = most < known ? most : known;
        const unsigned char *const at = strings.string(i, length);
        most = length < most ? static_cast<unsigned>(length) : most;
        most = common_of(strings, first, at, most);
    }
    for (unsigned d = 16; d > 0; d /= 2) {
        const unsigned other = __shfl_xor_sync(~0u, most, static_cast<int>(d));
        most = other < most ? other : most;
    }
    if (threadIdx.x % 32 == 0 && most < usw_load_relaxed(&facts->common)) {
        atomicMin(&facts->common, most);
    }
}

template <typename I>
__global__ void __launch_bounds__(tuning::threads)
    write_index(const usw_merge_item *items, uint64_t n, const usw_string_facts *facts, I *index)
{
    for (uint64_t i = first_of_thread(); i < n && facts->bad == 0; i += all_threads()) {
        index[i] = static_cast<I>(items[i].position);
    }
}

/* out: n + 1 lengths, the last being 0. */
template <typename I, typename P>
__global__ void __launch_bounds__(tuning::threads)
    write_lengths(usw_string_list strings, const P *index, uint64_t n, I *out)
{
    for (uint64_t i = first_of_thread(); i <= n; i += all_threads()) {
        uint64_t length = 0;
        if (i < n && strings.facts->bad == 0) {
            strings.string(index[i], length);
        }
        out[i] = static_cast<I>(length);
    }
}

/* The last of strings from `low` on that begins at `place` of the output or before: of some that
 * begin there all but the last are empty. */
template <typename I>
__device__ __forceinline__ uint64_t string_at(const I *offsets, uint64_t low, uint64_t n,
                                              uint64_t place)
{
    uint64_t high = n - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= place) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

template <typename I, typename P>
__global__ void __launch_bounds__(tuning::threads)
    copy_bytes(usw_string_list strings, const P *index, uint64_t n, const I *offsets,
               unsigned char *out)
{
    const uint64_t total = offsets[n];
    for (uint64_t p = first_of_thread() * tuning::piece; p < total;
         p += all_threads() * tuning::piece) {
        const uint64_t end = total - p < tuning::piece ? total : p + tuning::piece;
        uint64_t s = 0;
        for (uint64_t place = p; place < end;) {
            uint64_t length;
            s = string_at(offsets, s, n, place);
            const unsigned char *const from = strings.string(index[s], length);
            const uint64_t begin = offsets[s], stop = begin + length < end ? begin + length : end;
            for (; place < stop; place++) {
                out[place] = from[place - begin];
            }
        }
    }
}

unsigned grid_of(const usw_gpu *g, uint64_t threads)
{
    const uint64_t all = threads / tuning::threads + 1, most = uint64_t(g->sms) * tuning::blocks;
    return static_cast<unsigned>(all < most ? all : most);
}

usw_string_list list_of(const usw_gpu_strings *s)
{
    return {static_cast<const unsigned char *>(s->bytes), s->offsets, s->first,
            s->offset_bytes == 8, static_cast<const usw_string_facts *>(s->facts)};
}

upsweep_status sort(usw_gpu *g, usw_gpu_strings *s)
{
    usw_string_facts *const facts =
        static_cast<usw_string_facts *>(usw_gpu_scratch(g, sizeof *facts));
    usw_item_scratch scratch = {};
    if (facts == nullptr || !usw_item_scratch_take(g, s->n, &scratch)) {
        return g->status;
    }
    s->facts = facts;
    const usw_string_list strings = list_of(s);
    const usw_string_order order = {strings, s->descending};
    const unsigned blocks = grid_of(g, s->n);
    const bool nowhere =
        s->bytes == nullptr || (s->out_offsets != nullptr && s->out_bytes == nullptr);
    upsweep_status status = usw_gpu_fill(g, facts, 0, sizeof *facts);
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, check_offsets, blocks, tuning::threads, 0, strings, s->n, nowhere,
                            facts, g->fault);
    }
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, find_common, blocks, tuning::threads, 0, strings, s->n, facts);
    }
    if (status == UPSWEEP_OK) {
        status = usw_sort_items(g, s->n, order, order, &scratch);
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    return s->index_bytes == 4
               ? USW_LAUNCH(g, write_index<uint32_t>, blocks, tuning::threads, 0, scratch.items,
                            s->n, facts, static_cast<uint32_t *>(s->index))
               : USW_LAUNCH(g, write_index<uint64_t>, blocks, tuning::threads, 0, scratch.items,
                            s->n, facts, static_cast<uint64_t *>(s->index));
}

/* Calls f(I(), P()) with the types of offsets and of positions. */
template <typename F> upsweep_status by_types(const usw_gpu_strings *s, F f)
{
    return s->offset_bytes == 4
               ? (s->index_bytes == 4 ? f(uint32_t(), uint32_t()) : f(uint32_t(), uint64_t()))
               : (s->index_bytes == 4 ? f(uint64_t(), uint32_t()) : f(uint64_t(), uint64_t()));
}

upsweep_status lengths(usw_gpu *g, const usw_gpu_strings *s)
{
    return by_types(s, [&](auto offset, auto position) {
        typedef decltype(offset) I;
        typedef decltype(position) P;
        return USW_LAUNCH(g, (write_lengths<I, P>), grid_of(g, s->n), tuning::threads, 0,
                          list_of(s), static_cast<const P *>(s->index), s->n,
                          static_cast<I *>(s->out_offsets));
    });
}

upsweep_status copy(usw_gpu *g, const usw_gpu_strings *s)
{
    return by_types(s, [&](auto offset, auto position) {
        typedef decltype(offset) I;
        typedef decltype(position) P;
        return USW_LAUNCH(g, (copy_bytes<I, P>), g->sms * tuning::blocks, tuning::threads, 0,
                          list_of(s), static_cast<const P *>(s->index), s->n,
                          static_cast<const I *>(s->out_offsets),
                          static_cast<unsigned char *>(s->out_bytes));
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_strings_step, usw_strings_cuda) = {sort, lengths, copy};

/* strings.cu - the stable sort of strings of any lengths by their bytes, on a GPU.
 *
 *   check    offsets must not fall, else there is a fault and all strings count as empty
 *   common   how many bytes all strings begin with, up to 4096: those tell nothing apart
 *   few      items of the next 8 bytes and the position, merged (string_order.cuh)
 *   many     a sample, sorted likewise, gives keys (splitters.cuh), which are sorted elsewhere;
 *            where keys are equal the next bytes decide (tied.cuh)
 * Sorted strings are made of the index: lengths, which are scanned elsewhere, and bytes
 * (gather.cuh).
 *
 * Traffic of many: the offsets three times, 24 bytes a string for keys and positions and what their
 * sort moves, the string's beginning for the search, and a sector or two for each 8 bytes more that
 * tell it from others. Nothing waits for the host. */
/* SPDX-License-Identifier: MIT */
#include "gpu/strings/gather.cuh"
#include "gpu/strings/tied.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256, blocks = 8; /* of a multiprocessor, at most */
    static constexpr unsigned common = 4096;             /* bytes that are looked at */
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

__global__ void __launch_bounds__(tuning::threads)
    find_common(usw_string_list strings, uint64_t n, usw_string_facts *facts)
{
    const usw_string a = strings.string(0);
    unsigned most = a.length < tuning::common ? static_cast<unsigned>(a.length) : tuning::common;
    for (uint64_t i = first_of_thread(); i < n && most > 0; i += all_threads()) {
        const unsigned known = usw_load_relaxed(&facts->common);
        most = most < known ? most : known;
        const usw_string b = strings.string(i);
        most = b.length < most ? static_cast<unsigned>(b.length) : most;
        most = strings.common_of(a.at, b.at, most);
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
    write_index(const usw_merge_item *items, uint64_t n, I *index)
{
    for (uint64_t i = first_of_thread(); i < n; i += all_threads()) {
        index[i] = static_cast<I>(items[i].position);
    }
}

/* out: n + 1 lengths, the last being 0. */
template <typename I, typename P>
__global__ void __launch_bounds__(tuning::threads)
    write_lengths(usw_string_list strings, const P *index, uint64_t n, I *out)
{
    for (uint64_t i = first_of_thread(); i <= n; i += all_threads()) {
        out[i] = i < n ? static_cast<I>(strings.string(index[i]).length) : I(0);
    }
}

unsigned grid_of(const usw_gpu *g, uint64_t threads)
{
    const uint64_t all = threads / tuning::threads + 1, most = uint64_t(g->sms) * tuning::blocks;
    return static_cast<unsigned>(all < most ? all : most);
}

usw_string_list list_of(const usw_gpu_strings *s)
{
    const usw_string_facts *const facts = static_cast<const usw_string_facts *>(s->facts);
    return {static_cast<const unsigned char *>(s->bytes),
            s->offsets,
            s->first,
            s->offset_bytes == 8,
            facts,
            static_cast<unsigned>(s->stride)};
}

usw_string_keys keys_of(const usw_gpu_strings *s)
{
    return {static_cast<uint64_t *>(s->keys), static_cast<unsigned *>(s->beginnings), s->text_bits};
}

usw_string_order order_of(const usw_gpu_strings *s)
{
    return {list_of(s), s->descending};
}

upsweep_status begin(usw_gpu *g, usw_gpu_strings *s)
{
    usw_string_facts *const facts =
        static_cast<usw_string_facts *>(usw_gpu_scratch(g, sizeof *facts));
    if (facts == nullptr) {
        return g->status;
    }
    s->facts = facts;
    const usw_string_list strings = list_of(s);
    const unsigned blocks = grid_of(g, s->n);
    const bool nowhere =
        s->bytes == nullptr || (s->out_offsets != nullptr && s->out_bytes == nullptr);
    upsweep_status status = usw_gpu_fill(g, facts, 0, sizeof *facts);
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, check_offsets, blocks, tuning::threads, 0, strings, s->n, nowhere,
                            facts, g->fault);
    }
    return status == UPSWEEP_OK
               ? USW_LAUNCH(g, find_common, blocks, tuning::threads, 0, strings, s->n, facts)
               : status;
}

upsweep_status few(usw_gpu *g, const usw_gpu_strings *s)
{
    const uint64_t n = s->n / s->stride;
    usw_item_scratch scratch = {};
    if (!usw_item_scratch_take(g, n, &scratch)) {
        return g->status;
    }
    const usw_string_order order = order_of(s);
    const upsweep_status status = usw_sort_items(g, n, order, order, &scratch);
    if (status != UPSWEEP_OK) {
        return status;
    }
    return s->index_bytes == 4
               ? USW_LAUNCH(g, write_index<uint32_t>, grid_of(g, n), tuning::threads, 0,
                            scratch.items, n, static_cast<uint32_t *>(s->index))
               : USW_LAUNCH(g, write_index<uint64_t>, grid_of(g, n), tuning::threads, 0,
                            scratch.items, n, static_cast<uint64_t *>(s->index));
}

template <typename I>
upsweep_status write_splitters(usw_gpu *g, const usw_gpu_strings *s, const usw_splitters &to)
{
    usw_string_order sample = order_of(s);
    sample.strings.stride *= USW_GPU_STRING_SAMPLE;
    const uint64_t threads = (to.count + 1) * USW_SPLITTER_WORDS;
    return USW_LAUNCH(g, usw_write_splitters<I>,
                      static_cast<unsigned>(threads / USW_SPLITTER_THREADS + 1),
                      USW_SPLITTER_THREADS, 0, sample, static_cast<const I *>(s->sample),
                      tuning::common, to, keys_of(s));
}

upsweep_status keys(usw_gpu *g, usw_gpu_strings *s)
{
    const uint64_t n = s->n / s->stride, count = n / USW_GPU_STRING_SAMPLE;
    const usw_splitters splitters = {
        static_cast<usw_string *>(usw_gpu_scratch(g, (count + 1) * sizeof(usw_string))),
        static_cast<uint64_t *>(usw_gpu_scratch(g, count * USW_SPLITTER_WORDS * sizeof(uint64_t))),
        count};
    s->beginnings = usw_gpu_scratch(g, (count + 1) * sizeof(unsigned));
    s->keys = usw_gpu_scratch(g, n * sizeof(uint64_t));
    if (splitters.strings == nullptr || splitters.words == nullptr || s->beginnings == nullptr ||
        s->keys == nullptr) {
        return g->status;
    }
    s->text_bits = 63;
    for (uint64_t left = count; left > 0; left /= 2) {
        s->text_bits--;
    }
    const upsweep_status status = s->index_bytes == 4 ? write_splitters<uint32_t>(g, s, splitters)
                                                      : write_splitters<uint64_t>(g, s, splitters);
    return status == UPSWEEP_OK
               ? USW_LAUNCH(g, usw_write_string_keys, grid_of(g, n), USW_SPLITTER_THREADS, 0,
                            order_of(s), n, splitters, keys_of(s))
               : status;
}

template <typename I> upsweep_status sort_tied(usw_gpu *g, const usw_gpu_strings *s)
{
    const usw_string_order order = order_of(s);
    const uint64_t n = s->n / s->stride;
    const unsigned blocks = static_cast<unsigned>((n - 1) / USW_TIED_PLACES + 1);
    const usw_long_runs longs = {
        static_cast<unsigned long long *>(usw_gpu_scratch(g, sizeof *longs.count)),
        static_cast<usw_long_run *>(
            usw_gpu_scratch(g, usw_long_runs_most(n) * sizeof *longs.runs))};
    if (longs.count == nullptr || longs.runs == nullptr) {
        return g->status;
    }
    upsweep_status status = usw_gpu_fill(g, longs.count, 0, sizeof *longs.count);
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, usw_sort_tied<I>, blocks, USW_MERGE_THREADS, 0, order,
                            (usw_sorted_keys{keys_of(s), n}), static_cast<I *>(s->index), longs);
    }
    /* The keys are not needed any more. */
    return status != UPSWEEP_OK ? status
                                : USW_LAUNCH(g, usw_sort_long_runs<I>, 2 * g->sms,
                                             USW_MERGE_THREADS, 0, order, longs, s->text_bits / 8,
                                             static_cast<I *>(s->index), static_cast<I *>(s->keys));
}

upsweep_status tied(usw_gpu *g, const usw_gpu_strings *s)
{
    return s->index_bytes == 4 ? sort_tied<uint32_t>(g, s) : sort_tied<uint64_t>(g, s);
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
        return USW_LAUNCH(g, (usw_gather_strings<I, P>), g->sms * tuning::blocks,
                          USW_GATHER_THREADS, 0, list_of(s), static_cast<const P *>(s->index), s->n,
                          static_cast<const I *>(s->out_offsets),
                          static_cast<unsigned char *>(s->out_bytes));
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_strings_step, usw_strings_cuda) = {begin, few, keys, tied, lengths, copy};

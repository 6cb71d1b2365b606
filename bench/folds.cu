/* folds.cu - scan, reduce, split, compact, unique, runs, merge and histogram on a GPU beside CUB's,
 * in turns in one process, over n: ms, the bytes that must be moved over that time, the share of a
 * device copy's rate in the same run, and CUB's time over ours. Medians of eleven. Outcomes are
 * checked by the tests, not here.
 *     bench_folds [WORD ...]      only entries whose name contains a word */
/* SPDX-License-Identifier: MIT */
#include "bench/folds_keys.cuh"

namespace
{

std::function<void()> scan_of(arrays *a, upsweep_type type, size_t n)
{
    return ours(a, [=] {
        usw_scan s = {};
        s.in = a->in;
        s.out = a->out;
        s.n = n;
        s.type = type;
        s.op = UPSWEEP_SUM;
        return usw_scan_sweep_cuda.scan(a->g, &s, false);
    });
}

std::function<void()> reduce_of(arrays *a, upsweep_type type, upsweep_op op, size_t n)
{
    return ours(
        a, [=] { return usw_reduce_tree_cuda.reduce(a->g, a->in, n, type, op, false, a->result); });
}

std::function<void()> split_of(arrays *a, bool keep, size_t n, size_t bytes)
{
    return ours(a, [=] {
        auto form = keep ? usw_split_flags_cuda.compact : usw_split_flags_cuda.split;
        return form(a->g, a->in, a->flags, a->out, n, bytes, a->result);
    });
}

template <typename T>
void add_scan_and_reduce(race *r, upsweep_type type, const std::string &name, size_t words)
{
    arrays *a = r->a;
    const size_t n = words * 4 / sizeof(T);
    const double bytes = 4.0 * words;
    T *in = reinterpret_cast<T *>(a->in), *out = reinterpret_cast<T *>(a->out);
    T *result = reinterpret_cast<T *>(a->result);
    r->add("scan " + name, 2 * bytes, scan_of(a, type, n), [=](void *room, size_t &size) {
        return cub::DeviceScan::InclusiveSum(room, size, in, out, n, a->g->stream);
    });
    r->add("reduce " + name, bytes, reduce_of(a, type, UPSWEEP_SUM, n),
           [=](void *room, size_t &size) {
               return cub::DeviceReduce::Sum(room, size, in, result, n, a->g->stream);
           });
    r->add("least " + name, bytes, reduce_of(a, type, UPSWEEP_LEAST, n),
           [=](void *room, size_t &size) {
               return cub::DeviceReduce::Min(room, size, in, result, n, a->g->stream);
           });
}

template <typename T> void add_splits(race *r, const std::string &name, size_t words)
{
    arrays *a = r->a;
    const size_t n = words * 4 / sizeof(T);
    const double bytes = sizeof(T) * static_cast<double>(n);
    T *in = reinterpret_cast<T *>(a->in), *out = reinterpret_cast<T *>(a->out);
    r->add("split " + name, 2 * bytes + n, split_of(a, false, n, sizeof(T)),
           [=](void *room, size_t &size) {
               return cub::DevicePartition::Flagged(room, size, in, a->flags, out, a->result, n,
                                                    a->g->stream);
           });
    r->add("compact " + name + ", half kept", 1.5 * bytes + n, split_of(a, true, n, sizeof(T)),
           [=](void *room, size_t &size) {
               return cub::DeviceSelect::Flagged(room, size, in, a->flags, out, a->result, n,
                                                 a->g->stream);
           });
}

/* Words without a pattern. */
void add_folds(arrays *a, const std::vector<std::string> &wanted, size_t words)
{
    race r = {a, wanted, words, {}};
    r.prepare([=] {
        fill<<<FILL_BLOCKS, FILL_THREADS, 0, a->g->stream>>>(reinterpret_cast<uint32_t *>(a->in),
                                                             a->flags, words);
    });
    r.add_copy();
    add_scan_and_reduce<uint32_t>(&r, UPSWEEP_U32, "u32", words);
    add_scan_and_reduce<uint64_t>(&r, UPSWEEP_U64, "u64", words);
    add_scan_and_reduce<float>(&r, UPSWEEP_F32, "f32", words);
    add_scan_and_reduce<double>(&r, UPSWEEP_F64, "f64", words);
    r.add("scan f16", 8.0 * words, scan_of(a, UPSWEEP_F16, 2 * words));
    r.add("reduce f16", 4.0 * words, reduce_of(a, UPSWEEP_F16, UPSWEEP_SUM, 2 * words));
    r.add("reduce u8", 4.0 * words, reduce_of(a, UPSWEEP_U8, UPSWEEP_SUM, 4 * words));
    add_splits<uint32_t>(&r, "u32", words);
    add_splits<uint64_t>(&r, "u64", words);
    add_histograms(&r, words);
    r.run();
}

} // namespace

int main(int count, char **words_wanted)
{
    const std::vector<std::string> wanted(words_wanted + 1, words_wanted + count);
    arrays a = {};
    if (!open(&a)) {
        return 1;
    }
    for (size_t log2 = 10; log2 <= WORDS_LOG2 && !a.failed; log2 += log2 < 24 ? 2 : 4) {
        const size_t words = size_t(1) << log2;
        add_folds(&a, wanted, words);
        add_merges<uint32_t>(&a, wanted, "u32", words);
        add_merges<uint64_t>(&a, wanted, "u64", words);
        for (const unsigned length : {1u, 3u, 1000u}) {
            add_runs(&a, wanted, length, words);
        }
    }
    return a.failed ? 1 : 0;
}

// Boost.Sort: block_indirect_sort (parallel), spreadsort (hybrid radix, one thread),
// flat_stable_sort (one thread) and parallel_stable_sort. BOOST_RIVAL picks one.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

#include <algorithm>
#include <boost/sort/sort.hpp>
#include <numeric>
#include <vector>

#if BOOST_RIVAL == 1
static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        boost::sort::block_indirect_sort(a, a + n, threads);
        return 0;
    });
}
static int stable(enum bench_type type, void *k, size_t n, unsigned threads)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        boost::sort::sample_sort(a, a + n, threads);
        return 0;
    });
}
extern "C" const bench_rival rival = {"boost_block", nullptr, keys, stable};
#elif BOOST_RIVAL == 2
static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        boost::sort::spreadsort::spreadsort(a, a + n);
        return 0;
    });
}
static int records(bench_call *c)
{
    boost::sort::spreadsort::integer_sort(
        c->records, c->records + c->n,
        [](const bench_record &r, unsigned shift) { return r.key >> shift; }, by_key{});
    return 0;
}
extern "C" const bench_rival rival = {
    .name = "boost_spread", .keys = keys, .stable = nullptr, .records = records};
#else
template <class It, class Compare>
static void sort_stably(It a, It end, Compare less, unsigned threads)
{
    if (threads == 1) {
        boost::sort::flat_stable_sort(a, end, less);
    } else {
        boost::sort::parallel_stable_sort(a, end, less, threads);
    }
}
static int stable(enum bench_type type, void *k, size_t n, unsigned threads)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<T *>(k);
        sort_stably(a, a + n, std::less<T>{}, threads);
        return 0;
    });
}
static int argsort(enum bench_type type, const void *k, uint32_t *index, size_t n, unsigned threads)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<const decltype(zero) *>(k);
        std::iota(index, index + n, 0u);
        sort_stably(
            index, index + n, [a](uint32_t i, uint32_t j) { return a[i] < a[j]; }, threads);
        return 0;
    });
}
static int by(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        using T = std::remove_reference_t<decltype(*work)>;
        sort_stably(work, work + c->n, by_call<T>{c->compare}, c->threads);
        return 0;
    });
}
static int records(bench_call *c)
{
    sort_stably(c->records, c->records + c->n, by_key{}, c->threads);
    return 0;
}
extern "C" const bench_rival rival = {
    .name = "boost_stable", .stable = stable, .argsort = argsort, .by = by, .records = records};
#endif

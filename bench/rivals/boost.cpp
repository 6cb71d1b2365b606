// Boost.Sort: block_indirect_sort (parallel), spreadsort (hybrid radix, one thread), sample_sort
// (parallel, stable). BOOST_RIVAL picks one.
#include "typed.hpp"

#include <boost/sort/sort.hpp>

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
extern "C" const bench_rival rival = {"boost_block", nullptr, keys,    stable,
                                      nullptr,       nullptr, nullptr, nullptr};
#else
static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        boost::sort::spreadsort::spreadsort(a, a + n);
        return 0;
    });
}
extern "C" const bench_rival rival = {"boost_spread", nullptr, keys,    nullptr,
                                      nullptr,        nullptr, nullptr, nullptr};
#endif

// Highway's vqsort, one thread; pairs of 32 bits as packed 64-bit keys.
#include "bench/rivals/typed.hpp"

#include <hwy/contrib/sort/vqsort.h>

static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        static hwy::Sorter sorter;
        sorter(static_cast<decltype(zero) *>(k), n, hwy::SortAscending());
        return 0;
    });
}

extern "C" const bench_rival rival = {.name = "vqsort", .keys = keys};

// Highway's vqsort, one thread; pairs of 32 bits as packed 64-bit keys.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

static int open_sorter(unsigned)
{
#ifdef VQSORT_AVX2
    hwy::DisableTargets(HWY_AVX2 - 1); // better ones have lower bits
#endif
    return 0;
}

static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        static hwy::Sorter sorter;
        sorter(static_cast<decltype(zero) *>(k), n, hwy::SortAscending());
        return 0;
    });
}

extern "C" const bench_rival rival = {.name = "vqsort", .open = open_sorter, .keys = keys};

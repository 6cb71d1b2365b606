// The GNU parallel mode of libstdc++ (OpenMP).
#include "typed.hpp"

#include <omp.h>
#include <parallel/algorithm>

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    omp_set_num_threads(static_cast<int>(threads));
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        __gnu_parallel::sort(a, a + n);
        return 0;
    });
}

static int stable(enum bench_type type, void *k, size_t n, unsigned threads)
{
    omp_set_num_threads(static_cast<int>(threads));
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        __gnu_parallel::stable_sort(a, a + n);
        return 0;
    });
}

extern "C" const bench_rival rival = {"gnu_parallel", nullptr, keys,    stable,
                                      nullptr,        nullptr, nullptr, nullptr};

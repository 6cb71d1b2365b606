// Intel's x86-simd-sort, by its headers; with OpenMP where there is more than one thread.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

#include <omp.h>
#include <x86simdsort-static-incl.h>

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    omp_set_num_threads(static_cast<int>(threads));
    return with_type(type, [&](auto zero) {
        x86simdsortStatic::qsort(static_cast<decltype(zero) *>(k), n);
        return 0;
    });
}

extern "C" const bench_rival rival = {.name = "simd_sort", .keys = keys};

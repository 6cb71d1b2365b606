// The GNU parallel mode of libstdc++ (OpenMP).
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

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

static int merge(bench_call *c)
{
    omp_set_num_threads(static_cast<int>(c->threads));
    return with_arrays(c, [c](auto *, auto *in, auto *out) { // it takes no constant input
        __gnu_parallel::merge(in, in + c->n / 2, in + c->n / 2, in + c->n, out);
        return 0;
    });
}

static int nth(bench_call *c)
{
    omp_set_num_threads(static_cast<int>(c->threads));
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        __gnu_parallel::nth_element(work, work + c->k, work + c->n);
        return 0;
    });
}

static int by(bench_call *c)
{
    omp_set_num_threads(static_cast<int>(c->threads));
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        using T = std::remove_reference_t<decltype(*work)>;
        __gnu_parallel::stable_sort(work, work + c->n, by_call<T>{c->compare});
        return 0;
    });
}

static int records(bench_call *c)
{
    omp_set_num_threads(static_cast<int>(c->threads));
    __gnu_parallel::stable_sort(c->records, c->records + c->n, by_key{});
    return 0;
}

extern "C" const bench_rival rival = {.name = "gnu_parallel",
                                      .keys = keys,
                                      .stable = stable,
                                      .merge = merge,
                                      .nth = nth,
                                      .by = by,
                                      .records = records};

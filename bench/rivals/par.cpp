// The parallel algorithms of libstdc++ on oneTBB: std::execution::par, and par_unseq for folds.
// SPDX-License-Identifier: MIT
#include "bench/rivals/onetbb.hpp"
#include "bench/rivals/typed.hpp"

#include <algorithm>
#include <execution>
#include <numeric>

static int stable(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        std::stable_sort(std::execution::par, a, a + n);
        return 0;
    });
}

static int reduce(enum bench_type type, const void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(k);
        using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
        volatile sum_type sum = std::reduce(std::execution::par_unseq, a, a + n, sum_type{});
        (void)sum;
        return 0;
    });
}

static int scan(enum bench_type type, const void *in, void *out, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(in);
        std::inclusive_scan(std::execution::par, a, a + n, static_cast<T *>(out));
        return 0;
    });
}

static int merge(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        std::merge(std::execution::par, in, in + c->n / 2, in + c->n / 2, in + c->n, out);
        return 0;
    });
}

static int nth(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        std::nth_element(std::execution::par, work, work + c->k, work + c->n);
        return 0;
    });
}

static int top(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        std::partial_sort_copy(std::execution::par, in, in + c->n, out, out + c->k);
        return 0;
    });
}

static int unique(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        auto *end = std::unique(std::execution::par, work, work + c->n);
        c->result = static_cast<size_t>(end - work);
        return 0;
    });
}

static int by(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        using T = std::remove_reference_t<decltype(*work)>;
        std::stable_sort(std::execution::par, work, work + c->n, by_call<T>{c->compare});
        return 0;
    });
}

static int records(bench_call *c)
{
    std::stable_sort(std::execution::par, c->records, c->records + c->n, by_key{});
    return 0;
}

extern "C" const bench_rival rival = {.name = "par",
                                      .open = open_tbb,
                                      .stable = stable,
                                      .reduce = reduce,
                                      .scan = scan,
                                      .merge = merge,
                                      .nth = nth,
                                      .top = top,
                                      .unique = unique,
                                      .by = by,
                                      .records = records};

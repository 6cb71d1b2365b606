// oneTBB: parallel_sort, parallel_reduce and parallel_scan.
// SPDX-License-Identifier: MIT
#include "bench/rivals/onetbb.hpp"
#include "bench/rivals/typed.hpp"

#include <type_traits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        tbb::parallel_sort(a, a + n);
        return 0;
    });
}

static int reduce(enum bench_type type, const void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(k);
        using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
        volatile sum_type sum = tbb::parallel_reduce(
            tbb::blocked_range<size_t>(0, n), sum_type{},
            [a](const tbb::blocked_range<size_t> &r, sum_type s) {
                for (size_t i = r.begin(); i != r.end(); i++) {
                    s += a[i];
                }
                return s;
            },
            [](sum_type x, sum_type y) { return x + y; });
        (void)sum;
        return 0;
    });
}

static int scan(enum bench_type type, const void *in, void *out, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(in);
        auto *o = static_cast<T *>(out);
        tbb::parallel_scan(
            tbb::blocked_range<size_t>(0, n), T{},
            [a, o](const tbb::blocked_range<size_t> &r, T s, bool final) {
                for (size_t i = r.begin(); i != r.end(); i++) {
                    s = static_cast<T>(s + a[i]);
                    if (final) {
                        o[i] = s;
                    }
                }
                return s;
            },
            [](T x, T y) { return static_cast<T>(x + y); });
        return 0;
    });
}

static int by(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        using T = std::remove_reference_t<decltype(*work)>;
        tbb::parallel_sort(work, work + c->n, by_call<T>{c->compare});
        return 0;
    });
}

static int records(bench_call *c)
{
    tbb::parallel_sort(c->records, c->records + c->n, by_key{});
    return 0;
}

extern "C" const bench_rival rival = {.name = "tbb",
                                      .open = open_tbb,
                                      .keys = keys,
                                      .reduce = reduce,
                                      .scan = scan,
                                      .by = by,
                                      .records = records};

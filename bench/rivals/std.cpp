// std::sort, std::stable_sort, std::accumulate and std::inclusive_scan, one thread.
#include "typed.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

static int keys(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        std::sort(a, a + n);
        return 0;
    });
}

static int stable(enum bench_type type, void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        std::stable_sort(a, a + n);
        return 0;
    });
}

// Zipped into structs, sorted, and unzipped: what a careful C++ user writes.
static int pairs(enum bench_type type, void *k, void *v, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<T *>(k), *b = static_cast<T *>(v);
        std::vector<pair_of<T>> p(n);
        for (size_t i = 0; i < n; i++) {
            p[i] = {a[i], b[i]};
        }
        std::stable_sort(p.begin(), p.end());
        for (size_t i = 0; i < n; i++) {
            a[i] = p[i].key, b[i] = p[i].value;
        }
        return 0;
    });
}

static int argsort(enum bench_type type, const void *k, uint32_t *index, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<const decltype(zero) *>(k);
        std::iota(index, index + n, 0u);
        std::stable_sort(index, index + n, [a](uint32_t i, uint32_t j) { return a[i] < a[j]; });
        return 0;
    });
}

static int reduce(enum bench_type type, const void *k, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(k);
        using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;
        volatile sum_type sum = std::reduce(a, a + n, sum_type{});
        (void)sum;
        return 0;
    });
}

static int scan(enum bench_type type, const void *in, void *out, size_t n, unsigned)
{
    return with_type(type, [&](auto zero) {
        using T = decltype(zero);
        auto *a = static_cast<const T *>(in);
        std::inclusive_scan(a, a + n, static_cast<T *>(out));
        return 0;
    });
}

extern "C" const bench_rival rival = {"std", nullptr, keys, stable, pairs, argsort, reduce, scan};

// What the C++ standard library offers on one thread, and plain loops where it has nothing.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

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

static int merge(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        std::merge(in, in + c->n / 2, in + c->n / 2, in + c->n, out);
        return 0;
    });
}

static int nth(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        std::nth_element(work, work + c->k, work + c->n);
        return 0;
    });
}

static int top(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        std::partial_sort_copy(in, in + c->n, out, out + c->k);
        return 0;
    });
}

static int unique(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        c->result = static_cast<size_t>(std::unique(work, work + c->n) - work);
        return 0;
    });
}

static int runs(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        size_t at = 0;
        for (size_t i = 0, j; i < c->n; i = j, at++) {
            for (j = i + 1; j < c->n && in[j] == in[i]; j++) {
            }
            out[at] = in[i], c->counts[at] = j - i;
        }
        c->result = at;
        return 0;
    });
}

static int by(bench_call *c)
{
    return with_arrays(c, [c](auto *, auto *work, auto *) {
        using T = std::remove_reference_t<decltype(*work)>;
        std::stable_sort(work, work + c->n, by_call<T>{c->compare});
        return 0;
    });
}

static int records(bench_call *c)
{
    std::stable_sort(c->records, c->records + c->n, by_key{});
    return 0;
}

// Without a branch, as flags are not to be guessed.
static int split(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        size_t zeros = static_cast<size_t>(std::count(c->flags, c->flags + c->n, 0)), zero = 0;
        for (size_t i = 0; i < c->n; i++) {
            bool up = c->flags[i] != 0;
            out[up ? zeros : zero] = in[i];
            zeros += up, zero += !up;
        }
        return 0;
    });
}

static int compact(bench_call *c)
{
    return with_arrays(c, [c](auto *in, auto *, auto *out) {
        size_t at = 0;
        for (size_t i = 0; i < c->n; i++) {
            out[at] = in[i];
            at += c->flags[i] != 0;
        }
        c->result = at;
        return 0;
    });
}

// Four tables, so that equal neighbours do not wait for each other.
static int histogram(bench_call *c)
{
    if (c->type != BENCH_U32 && c->type != BENCH_U64) {
        return 1;
    }
    return with_arrays(c, [c](auto *in, auto *, auto *) {
        static uint32_t table[4][256];
        std::fill(table[0], table[4], 0);
        size_t i = 0;
        for (; i + 4 <= c->n; i += 4) {
            table[0][static_cast<uint64_t>(in[i]) & 255]++;
            table[1][static_cast<uint64_t>(in[i + 1]) & 255]++;
            table[2][static_cast<uint64_t>(in[i + 2]) & 255]++;
            table[3][static_cast<uint64_t>(in[i + 3]) & 255]++;
        }
        for (; i < c->n; i++) {
            table[0][static_cast<uint64_t>(in[i]) & 255]++;
        }
        for (int d = 0; d < 256; d++) {
            c->counts[d] = 0ull + table[0][d] + table[1][d] + table[2][d] + table[3][d];
        }
        return 0;
    });
}

extern "C" const bench_rival rival = {"std",  nullptr, keys,    stable, pairs,   argsort,
                                      reduce, scan,    merge,   nth,    top,     unique,
                                      runs,   by,      records, split,  compact, histogram};

// hpp.cpp - what upsweep.hpp gives, beside std's algorithms: sorts and what goes with order here,
// folds, moves and paths in hpp_folds.cpp.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "test/cpp/hpp.hpp"

template <class T> static void sorts(upsweep *u, std::size_t n)
{
    const std::vector<T> keys = numbers<T>(n);
    std::vector<T> right = keys, a = keys, b = keys, c = keys, d = keys;
    std::stable_sort(right.begin(), right.end());
    usw::sort(u, a);
    usw::sort(u, b.begin(), b.end());
    usw::stable_sort(u, c.data(), c.data() + n, std::less<>());
    usw::sort(u, usw::span<T>(d), usw::options().by("sort/radix"));
    CHECK(a == right && b == right && c == right && d == right);
    usw::sort(u, a, std::greater<>());
    usw::sort(u, b.begin(), b.end(), std::greater<T>());
    usw::sort(u, c, usw::descending | usw::unstable);
    usw::sort(u, d, [](T x, T y) { return x > y; });
    std::reverse(right.begin(), right.end());
    CHECK(a == right && b == right && c == right && d == right);

    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return keys[i] < keys[j]; });
    CHECK(usw::argsort(u, keys) == order);
    const std::vector<std::uint64_t> wide(order.begin(), order.end());
    CHECK(usw::argsort<std::uint64_t>(u, keys) == wide);
    auto copy = keys;
    std::vector<std::uint64_t> places(keys.size());
    usw::sort_copy(u, keys, copy, places);
    CHECK(places == wide);
    for (std::size_t i = 0; i < keys.size(); i++) {
        CHECK(copy[i] == keys[wide[i]]);
    }
    usw::sort_copy(u, keys, copy, usw::descending);
    CHECK(n == 0 || copy.front() == keys[wide.back()]);
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 0u);
    a = keys;
    usw::sort_by_key(u, a, values);
    CHECK(values == order && std::is_sorted(a.begin(), a.end()));
    std::vector<double> more(wide.begin(), wide.end());
    std::iota(more.begin(), more.end(), 0.0);
    b = keys;
    usw::stable_sort_by_key(u, b.begin(), b.end(), more.begin());
    CHECK(b == a && std::equal(more.begin(), more.end(), order.begin()));
}

template <class T> static void orders(upsweep *u, std::size_t n)
{
    const std::vector<T> keys = numbers<T>(n);
    std::vector<T> sorted = keys, a = keys;
    std::sort(sorted.begin(), sorted.end());
    CHECK(usw::is_sorted(u, sorted) && usw::is_sorted_until(u, sorted) == n);
    CHECK(usw::is_sorted_until(u, keys) ==
          static_cast<std::size_t>(std::is_sorted_until(keys.begin(), keys.end()) - keys.begin()));

    std::vector<std::uint32_t> lower(n), upper(n);
    usw::search_sorted(u, sorted, keys, lower);
    usw::search_sorted(u, sorted, keys, upper, usw::upper);
    for (std::size_t i = 0; i < n; i++) {
        const auto range = std::equal_range(sorted.begin(), sorted.end(), keys[i]);
        CHECK(lower[i] == range.first - sorted.begin() &&
              upper[i] == range.second - sorted.begin());
    }

    std::vector<T> out(2 * n), right(2 * n);
    usw::merge(u, sorted, sorted, out);
    std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), right.begin());
    CHECK(out == right);

    usw::nth_element(u, a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n / 3), a.end());
    CHECK(n == 0 || a[n / 3] == sorted[n / 3]);
    if (n > 0) {
        usw::nth_element(u, a, n - 1);
        CHECK(a[n - 1] == sorted[n - 1]);
    }
    auto best = usw::top_k(u, keys, n / 2, usw::largest);
    CHECK(std::equal(best.keys.begin(), best.keys.end(), sorted.rbegin()));
    for (std::size_t i = 0; i < n / 2; i++) {
        CHECK(keys[best.index[i]] == best.keys[i]);
    }

    auto lengths = usw::run_lengths(u, sorted);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < lengths.keys.size(); i++) {
        auto range = std::equal_range(sorted.begin(), sorted.end(), lengths.keys[i]);
        CHECK(static_cast<std::uint64_t>(range.second - range.first) == lengths.counts[i]);
        total += lengths.counts[i];
    }
    CHECK(total == n);
    a = sorted;
    std::vector<T> b = sorted;
    usw::span<T> kept = usw::unique(u, a);
    auto end = usw::unique(u, b.begin(), b.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    CHECK(std::equal(kept.begin(), kept.end(), sorted.begin(), sorted.end()));
    CHECK(std::equal(b.begin(), end, sorted.begin(), sorted.end()));
}

struct person {
    char name[8];
    std::int16_t age;
    double size;
};

static void records(upsweep *u)
{
    std::vector<person> people;
    for (unsigned i = 0; i < 1000; i++) {
        person p = {{}, static_cast<std::int16_t>(i * 7919 % 50), i * 0.5};
        p.name[0] = static_cast<char>('a' + i % 3);
        people.push_back(p);
    }
    std::vector<person> right = people;
    std::stable_sort(right.begin(), right.end(), [](const person &a, const person &b) {
        int names = std::memcmp(a.name, b.name, sizeof a.name);
        return names != 0 ? names < 0 : a.age > b.age;
    });
    std::vector<person> by_order = people;
    usw::sort_records(u, people, &person::name, usw::key(&person::age, usw::descending));
    usw::sort(u, by_order.begin(), by_order.end(), [](const person &a, const person &b) {
        int names = std::memcmp(a.name, b.name, sizeof a.name);
        return names != 0 ? names < 0 : a.age > b.age;
    });
    for (std::size_t i = 0; i < right.size(); i++) {
        CHECK(people[i].size == right[i].size && by_order[i].size == right[i].size);
    }
    std::vector<person> none;
    usw::sort_records(u, none, &person::size);

    std::vector<int> keys = {3, 1, 2, 9, 8, 7};
    const std::vector<std::uint64_t> begin{0, 3, 6};
    auto best = usw::top_k_rows(u, keys, begin, 2, usw::largest);
    CHECK((best.keys == std::vector<int>{3, 2, 9, 8}));
    CHECK((best.index == std::vector<std::uint64_t>{0, 2, 0, 1}));
    CHECK((usw::reduce_rows(u, keys, begin) == std::vector<std::int64_t>{6, 24}));
    CHECK((usw::reduce_axis(u, keys, 1, 2, 3) == std::vector<std::int64_t>{12, 9, 9}));
    CHECK((usw::reduce_axis(u, keys, 2, 3, 1) == std::vector<std::int64_t>{6, 24}));
    const std::string words = "peachfigpearfig";
    const std::vector<std::int32_t> ends{0, 5, 8, 12, 15};
    CHECK((usw::argsort_strings(u, words, ends) == std::vector<std::uint32_t>{1, 3, 0, 2}));
    CHECK(usw::argsort_strings(u, words, std::vector<std::uint64_t>{0}).empty());
    std::string sorted(words.size(), ' ');
    std::vector<std::int32_t> starts(ends.size(), 9);
    usw::sort_strings(u, words, ends, sorted, starts);
    CHECK(sorted == "figfigpeachpear");
    CHECK((starts == std::vector<std::int32_t>{0, 3, 6, 11, 15}));
    usw::sort_rows(u, keys, begin);
    CHECK((keys == std::vector<int>{1, 2, 3, 7, 8, 9}));
}

static void special_numbers(upsweep *u)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    double x[] = {nan, 1, -0.0, 0.0, -1};
    usw::sort(u, x);
    CHECK(x[0] == -1 && std::signbit(x[1]) && !std::signbit(x[2]) && x[3] == 1 && std::isnan(x[4]));
    usw::sort(u, x, std::greater<>()); // NaN stays last
    CHECK(x[0] == 1 && x[3] == -1 && std::isnan(x[4]));
    usw::sort(u, x, usw::options(usw::nan_first));
    CHECK(std::isnan(x[0]) && x[4] == 1);
    usw::f16 halves[] = {{0x3c00}, {0xc000}, {0x3800}}; // 1, -2, 0.5
    usw::sort(u, halves);
    CHECK(halves[0].bits == 0xc000 && halves[2].bits == 0x3c00 && usw::reduce(u, halves) == -0.5);
    std::array<std::uint8_t, 4> bits = {0x12, 0x01, 0x11, 0x02};
    usw::sort(u, bits, usw::options().bits(0, 4));
    CHECK((bits == std::array<std::uint8_t, 4>{0x01, 0x11, 0x12, 0x02}));
    // An order that can be moved only.
    std::vector<int> three{3, 2, 1};
    auto two = [m = std::make_unique<int>(2)](int a, int b) { return a % *m < b % *m; };
    usw::sort(u, three.begin(), three.end(), std::move(two));
    CHECK((three == std::vector<int>{2, 3, 1}));
    std::vector<float> zeros{-0.0f, 0.0f};
    CHECK(usw::unique(u, zeros).size() == 2 && usw::unique(u, zeros, usw::numbers).size() == 1);
}

template <class F> static upsweep_status thrown(F f)
{
    try {
        f();
    } catch (const usw::error &e) {
        CHECK(std::strlen(e.what()) > 5);
        return e.status();
    }
    return UPSWEEP_OK;
}

static void errors(upsweep *u)
{
    std::vector<int> keys(100), out(150);
    std::vector<std::uint32_t> index(99);
    std::vector<float> floats;
    CHECK(thrown([&] { usw::argsort(u, keys, index); }) == UPSWEEP_ERROR_ARGUMENT);
    std::string sorted(2, ' ');
    const std::vector<std::uint64_t> ends{0, 1, 2};
    CHECK(thrown([&] {
              usw::sort_strings(u, std::string("ba"), ends, sorted, std::vector<std::uint64_t>(2));
          }) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(thrown([&] { usw::merge(u, keys, keys, out); }) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(thrown([&] { usw::top_k(u, keys, 101); }) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(thrown([&] { usw::nth_element(u, keys, 100); }) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(thrown([&] { usw::min_element(u, floats); }) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(thrown([&] { usw::sort(u, keys, usw::options().by("sort/none")); }) ==
          UPSWEEP_ERROR_ALGORITHM);
    CHECK(thrown([] { usw::handle none("no such device"); }) != UPSWEEP_OK);
    // What an order or an operator throws comes out, and the call is over.
    std::vector<int> many = numbers<int>(5000);
    std::string said;
    try {
        usw::sort(u, many, [](int a, int b) -> bool {
            if (a == 7 || b == 7) {
                throw std::runtime_error("seven");
            }
            return a < b;
        });
    } catch (const std::runtime_error &e) {
        said = e.what();
    }
    CHECK(said == "seven");
    said = "";
    try {
        usw::reduce(u, many, 0, [](int, int) -> int { throw std::runtime_error("at once"); });
    } catch (const std::runtime_error &e) {
        said = e.what();
    }
    CHECK(said == "at once");
}

int main()
{
    upsweep_config config = {};
    config.size = sizeof config;
    config.threads = 2;
    usw::handle first("cpu", &config), u(std::move(first));
    CHECK(first.get() == nullptr);
    for (std::size_t n : {0u, 1u, 2u, 1001u, 100000u}) {
        sorts<std::uint16_t>(u, n);
        sorts<long long>(u, n);
        sorts<float>(u, n);
        sorts<double>(u, n);
        orders<signed char>(u, n);
        orders<float>(u, n);
        folds(u, n);
    }
    records(u);
    special_numbers(u);
    errors(u);
    moves(u);
    paths(u);
    CHECK(std::strlen(u.report().reason) > 0);
    return failures == 0 ? 0 : 1;
}

// hpp_folds.cpp - folds, scans, histograms, moves and paths of upsweep.hpp beside std's algorithms.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <numeric>

#include "test/cpp/hpp.hpp"

int failures = 0;

// std::accumulate in the type that sums have.
template <class T> static void reduces(upsweep *u, std::size_t n)
{
    const std::vector<T> x = numbers<T>(n);
    usw::sum_t<T> right = std::accumulate(x.begin(), x.end(), usw::sum_t<T>(0));
    auto sum = usw::reduce(u, x);
    static_assert(std::is_same_v<decltype(sum), usw::sum_t<T>>);
    if constexpr (std::is_integral_v<T>) {
        CHECK(sum == right && usw::reduce(u, x.begin(), x.end()) == right);
        CHECK(usw::reduce(u, x, std::bit_xor<>()) ==
              std::accumulate(x.begin(), x.end(), T(0), [](T a, T b) { return T(a ^ b); }));
    } else {
        double difference = sum - right, scale = 1e-9 * double(n + 1) * 500;
        CHECK(difference < scale && -difference < scale);
    }
    if (n > 0) {
        auto least = std::min_element(x.begin(), x.end()),
             most = std::max_element(x.begin(), x.end());
        CHECK(usw::reduce(u, x, usw::minimum()) == *least &&
              usw::reduce(u, x, usw::maximum()) == *most);
        CHECK(usw::min_element(u, x) == static_cast<std::size_t>(least - x.begin()));
        CHECK(usw::max_element(u, x) == static_cast<std::size_t>(most - x.begin()));
        CHECK(usw::minmax(u, x) == std::make_pair(*least, *most));
    }
}

// Integers alone, since std adds floats up in another order.
template <class T> static void scans(upsweep *u, std::size_t n)
{
    std::vector<T> x = numbers<T>(n), out(n), right(n);
    auto add = [](T a, T b) { return static_cast<T>(a + b); };
    std::inclusive_scan(x.begin(), x.end(), right.begin(), add);
    usw::inclusive_scan(u, x, out);
    CHECK(out == right);
    CHECK(usw::inclusive_scan(u, x.begin(), x.end(), out.begin()) == out.end() && out == right);
    usw::inclusive_scan(u, x, out, T(0), add);
    CHECK(out == right);
    std::exclusive_scan(x.begin(), x.end(), right.begin(), T(0), add);
    usw::exclusive_scan(u, x, out);
    CHECK(out == right);
    CHECK(usw::exclusive_scan(u, x.data(), x.data() + n, out.data()) == out.data() + n &&
          out == right);
    usw::exclusive_scan(u, x, out, T(0), add);
    CHECK(out == right);
    std::inclusive_scan(x.begin(), x.end(), right.begin(), [](T a, T b) { return std::max(a, b); });
    usw::inclusive_scan(u, x, out, usw::maximum());
    CHECK(out == right);

    std::vector<std::uint16_t> keys(n);
    for (std::size_t i = 0; i < n; i++) {
        keys[i] = static_cast<std::uint16_t>(i / 10);
        right[i] = i % 10 == 0 ? x[i] : static_cast<T>(right[i - 1] + x[i]);
    }
    usw::inclusive_scan_by_key(u, keys, x, out);
    CHECK(out == right);
    for (std::size_t i = 0; i < n; i++) {
        right[i] = i % 10 == 0 ? T(0) : static_cast<T>(right[i - 1] + x[i - 1]);
    }
    usw::exclusive_scan_by_key(u, keys, x, out);
    CHECK(out == right);
}

void folds(upsweep *u, std::size_t n)
{
    reduces<short>(u, n);
    reduces<std::uint64_t>(u, n);
    reduces<float>(u, n);
    scans<std::uint32_t>(u, n);

    // An operator that does not commute: of affine maps.
    struct affine {
        std::uint32_t a, b;
    };
    std::vector<affine> maps(n);
    for (std::size_t i = 0; i < n; i++) {
        maps[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i)};
    }
    auto after = [](const affine &f, const affine &g) {
        return affine{f.a * g.a, f.b * g.a + g.b};
    };
    affine right = std::accumulate(maps.begin(), maps.end(), affine{1, 0}, after);
    affine whole = usw::reduce(u, maps, affine{1, 0}, after);
    CHECK(whole.a == right.a && whole.b == right.b);

    const std::vector<double> x = numbers<double>(n);
    std::vector<std::uint64_t> counts = usw::histogram(u, x, 3, -100.0, 100.0);
    const std::vector<double> edges = {-100, -30, 0, 250};
    std::vector<std::uint64_t> by_edges = usw::histogram(u, x, edges), wide(3), uneven(3);
    for (double v : x) {
        for (std::size_t i = 0; i < 3; i++) {
            double low = -100.0 + double(i) * (200.0 / 3),
                   high = -100.0 + double(i + 1) * (200.0 / 3);
            wide[i] += v >= low && (v < high || (i == 2 && v == 100.0));
            uneven[i] += v >= edges[i] && (v < edges[i + 1] || (i == 2 && v == edges[3]));
        }
    }
    CHECK(counts == wide && by_edges == uneven);
}

struct triple {
    std::uint32_t a, b, c;
};

void moves(upsweep *u)
{
    std::vector<triple> in(1000), out(1000), back(1000);
    std::vector<std::uint8_t> flags(1000);
    std::vector<std::uint32_t> index(1000);
    for (std::uint32_t i = 0; i < 1000; i++) {
        in[i] = {i, i * i, ~i};
        flags[i] = i % 3 == 0;
        index[i] = i * 7 % 1000;
    }
    std::size_t zeros = usw::partition_copy(u, in, flags, out);
    CHECK(zeros == 666 && out[0].a == 1 && out[665].a == 998 && out[666].a == 0 &&
          out[999].a == 999);
    std::vector<triple> kept = usw::copy_flagged(u, in, flags);
    CHECK(kept.size() == 334 && kept[1].b == 9);
    usw::gather(u, index, in, out);
    CHECK(out[999].a == 993 && out[2].c == ~14u);
    usw::scatter(u, out, index, back);
    usw::reverse(u, back);
    for (std::uint32_t i = 0; i < 1000; i++) {
        CHECK(back[i].a == 999 - i && back[i].b == in[999 - i].b);
    }
    usw::reverse_copy(u, back, out);
    CHECK(out[0].a == 0 && out[999].a == 999 && out[7].b == in[7].b);
}

// A ring with a chord: distances are known in closed form.
template <class W> static void ring(upsweep *u)
{
    const std::uint32_t n = 100;
    std::vector<std::uint32_t> tails, heads;
    std::vector<W> weights;
    for (std::uint32_t i = 0; i < n; i++) {
        tails.push_back(i);
        heads.push_back((i + 1) % n);
        weights.push_back(W(2));
    }
    tails.push_back(0);
    heads.push_back(50);
    weights.push_back(W(10));
    usw::graph<W> first(u, n, tails, heads, weights), g(std::move(first));
    auto p = usw::shortest_paths(u, g, 0);
    static_assert(std::is_same_v<decltype(p.distance), std::vector<W>>);
    for (std::uint32_t i = 0; i < n; i++) {
        CHECK(p.distance[i] == W(i < 50 ? 2 * i : 10 + 2 * (i - 50)));
    }
    CHECK((p.to(51) == std::vector<std::uint32_t>{0, 50, 51}) && p.parent[0] == usw::no_vertex);
    if constexpr (!std::is_signed_v<W> || std::is_floating_point_v<W>) {
        const std::vector<std::uint32_t> sources = {0, 90}, targets = {50, 3};
        CHECK((usw::distance_matrix(u, g, sources, targets) == std::vector<W>{10, 6, 30, 26}));
    }
}

void paths(upsweep *u)
{
    ring<std::uint32_t>(u);
    ring<std::uint64_t>(u);
    ring<std::int64_t>(u);
    ring<float>(u);
    ring<double>(u);
    const std::vector<std::uint32_t> tails = {0, 1}, heads = {1, 2};
    usw::graph<usw::unweighted> line(u, 4, tails, heads);
    auto p = usw::shortest_paths(u, line, 0);
    CHECK((p.distance == std::vector<std::uint32_t>{0, 1, 2, UINT32_MAX}));
    const std::vector<std::int64_t> below = {5, -3};
    usw::graph<std::int64_t> falls(u, 3, tails, heads, below);
    CHECK(usw::shortest_paths(u, falls, 0).distance[2] == 2);
}

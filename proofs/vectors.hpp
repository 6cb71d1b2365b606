/* vectors.hpp - the vectors of zeros and ones that a set of signals can have, for circuit.cpp. */
/* SPDX-License-Identifier: MIT */
#ifndef PROOFS_VECTORS_HPP
#define PROOFS_VECTORS_HPP

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

using bits = std::vector<uint64_t>;

/* Signals that have met, and all vectors of zeros and ones that they can have: bit v of a signal's
 * row is its value in vector v. */
struct Part {
    std::vector<uint32_t> signals;
    std::vector<bits> rows;
    size_t vectors;
    std::vector<std::pair<size_t, size_t>> to_do; /* exchanges of rows: the lesser to the first */
};

/* Does what is to do, for some vectors after the others, so that their rows stay in the cache. */
inline void exchange_rows(Part &p)
{
    constexpr size_t WORDS = 32;
    const size_t words = (p.vectors + 63) / 64;
    for (size_t begin = 0; begin < words; begin += WORDS) {
        const size_t end = std::min(begin + WORDS, words);
        for (const auto &[i, j] : p.to_do) {
            uint64_t *low = p.rows[i].data(), *high = p.rows[j].data();
            for (size_t w = begin; w < end; w++) {
                const uint64_t x = low[w], y = high[w];
                low[w] = x & y;
                high[w] = x | y;
            }
        }
    }
    p.to_do.clear();
}

inline size_t ones(const bits &row)
{
    size_t n = 0;
    for (uint64_t w : row) {
        n += static_cast<size_t>(__builtin_popcountll(w));
    }
    return n;
}

inline bool within(const bits &a, const bits &b)
{
    for (size_t i = 0; i < a.size(); i++) {
        if ((a[i] & ~b[i]) != 0) {
            return false;
        }
    }
    return true;
}

inline Part sorted_run(uint32_t first, size_t n)
{
    Part p;
    p.vectors = n + 1;
    for (size_t i = 0; i < n; i++) {
        bits row((p.vectors + 63) / 64, 0);
        for (size_t v = n - i; v <= n; v++) { /* vector v has v ones, at the end */
            row[v / 64] |= uint64_t(1) << v % 64;
        }
        p.signals.push_back(first + static_cast<uint32_t>(i));
        p.rows.push_back(row);
    }
    return p;
}

/* If the signals are sorted in some order, keeps one vector of each number of ones that occurs. */
inline void reduce(Part &p)
{
    std::vector<std::pair<size_t, size_t>> order;
    for (size_t i = 0; i < p.rows.size(); i++) {
        order.push_back({ones(p.rows[i]), i});
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i + 1 < order.size(); i++) {
        if (!within(p.rows[order[i].second], p.rows[order[i + 1].second])) {
            return;
        }
    }
    /* Vectors with k ones exist if the k-th signal from the end has more ones than the one
     * before. */
    std::vector<size_t> kept; /* numbers of ones */
    const size_t n = order.size();
    for (size_t k = 0; k <= n; k++) {
        size_t with = k == 0 ? p.vectors : order[n - k].first;
        size_t more = k == n ? 0 : order[n - k - 1].first;
        if (with > more) {
            kept.push_back(k);
        }
    }
    for (size_t i = 0; i < n; i++) {
        bits row((kept.size() + 63) / 64, 0);
        for (size_t v = 0; v < kept.size(); v++) {
            row[v / 64] |= static_cast<uint64_t>(kept[v] >= n - i) << v % 64;
        }
        p.rows[order[i].second] = row;
    }
    p.vectors = kept.size();
}

/* All pairs of vectors: vector v of one and w of the other is v * other.vectors + w. */
inline Part product(const Part &one, const Part &other)
{
    Part p;
    p.vectors = one.vectors * other.vectors;
    const size_t words = (p.vectors + 63) / 64;
    p.signals = one.signals;
    p.signals.insert(p.signals.end(), other.signals.begin(), other.signals.end());
    for (const bits &row : one.rows) {
        bits wide(words, 0);
        for (size_t v = 0; v < one.vectors; v++) {
            if ((row[v / 64] >> v % 64 & 1) == 0) {
                continue;
            }
            size_t at = v * other.vectors, end = at + other.vectors;
            for (; at < end && (at % 64 != 0 || end - at < 64); at++) {
                wide[at / 64] |= uint64_t(1) << at % 64;
            }
            for (; at + 64 <= end; at += 64) {
                wide[at / 64] = UINT64_MAX;
            }
            for (; at < end; at++) {
                wide[at / 64] |= uint64_t(1) << at % 64;
            }
        }
        p.rows.push_back(std::move(wide));
    }
    for (const bits &row : other.rows) {
        bits wide(words + 1, 0);
        for (size_t v = 0; v < one.vectors; v++) {
            const size_t at = v * other.vectors;
            for (size_t i = 0; i < row.size();
                 i++) { /* the last word has no bits beyond the vectors */
                const size_t to = at + 64 * i;
                wide[to / 64] |= row[i] << to % 64;
                if (to % 64 != 0 && to / 64 + 1 < wide.size()) {
                    wide[to / 64 + 1] |= row[i] >> (64 - to % 64);
                }
            }
        }
        wide.resize(words);
        p.rows.push_back(std::move(wide));
    }
    return p;
}

#endif

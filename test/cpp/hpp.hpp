// hpp.hpp - what hpp.cpp and hpp_folds.cpp share: a check that counts failures, and test numbers.
// SPDX-License-Identifier: MIT
#ifndef TEST_HPP_HPP
#define TEST_HPP_HPP

#include <cstdio>
#include <upsweep.hpp>

extern int failures;

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #holds);                                \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

// n numbers with equal ones among them.
template <class T> std::vector<T> numbers(std::size_t n)
{
    std::vector<T> v(n);
    std::uint64_t state = 12345;
    for (T &x : v) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = static_cast<T>(static_cast<double>(state >> 33) / (1 << 21) - (T(-1) < T(0) ? 500 : 0));
        if constexpr (sizeof(T) == 1) {
            x = static_cast<T>(state >> 56);
        }
    }
    return v;
}

void folds(upsweep *u, std::size_t n);
void moves(upsweep *u);
void paths(upsweep *u);

#endif

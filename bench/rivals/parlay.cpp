// Parlaylib's sample sort in place, and its integer sort where keys are unsigned. Its scheduler has
// as many threads as the first call asks for: a process measures one number of threads.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <parlay/primitives.h>

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    static unsigned first = threads;
    if (threads != first) {
        return 1;
    }
    setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1);
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        auto s = parlay::make_slice(a, a + n);
        if constexpr (std::is_unsigned_v<decltype(zero)>) {
            parlay::integer_sort_inplace(s);
        } else {
            parlay::sort_inplace(s);
        }
        return 0;
    });
}

extern "C" const bench_rival rival = {.name = "parlay", .keys = keys};

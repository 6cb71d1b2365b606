// IPS4o, in-place super scalar samplesort: serial for one thread, else with so many.
// SPDX-License-Identifier: MIT
#include "bench/rivals/typed.hpp"

#include <ips4o.hpp>

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    return with_type(type, [&](auto zero) {
        auto *a = static_cast<decltype(zero) *>(k);
        if (threads == 1) {
            ips4o::sort(a, a + n);
        } else {
            ips4o::parallel::sort(a, a + n, std::less<>{}, static_cast<int>(threads));
        }
        return 0;
    });
}

extern "C" const bench_rival rival = {.name = "ips4o", .keys = keys};

/* Mirror images first, then distances n / 4, .. 2, 1. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    ROUND("mirror") {
        LANES(t, n / 2) {
            compare_exchange(a, t, n - 1 - t);
        }
    }
    for (size_t d = n / 4; d > 0; d /= 2) {
        ROUND("distance") {
            LANES(t, n / 2) {
                size_t i = t / d * 2 * d + t % d;
                compare_exchange(a, i, i + d);
            }
        }
    }
}

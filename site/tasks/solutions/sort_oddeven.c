/* Even pairs and odd pairs in turn, n rounds. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    for (size_t r = 0; r < n; r++) {
        ROUND(r % 2 == 0 ? "even" : "odd") {
            LANES(t, n / 2) {
                size_t i = 2 * t + r % 2;
                if (i + 1 < n) {
                    compare_exchange(a, i, i + 1);
                }
            }
        }
    }
}

/* A knockout tournament of vertices; of two at one distance the lower number goes on. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *nearest = new_array(n);
    ROUND("candidates") {
        LANES(t, n) {
            set(nearest, t, (uint32_t)t);
        }
    }
    for (size_t m = n; m > 1; m -= m / 2) {
        size_t half = m - m / 2;
        ROUND("match") {
            LANES(t, m - half) {
                uint32_t v = get(nearest, t), w = get(nearest, t + half);
                uint32_t x = get(a, v), y = get(a, w);
                bool better = y < x || (y == x && w < v);
                set(nearest, t, better ? w : v);
            }
        }
    }
    ROUND("tell") {
        LANES(t, 1) {
            set(a, t, get(nearest, 0));
        }
    }
}

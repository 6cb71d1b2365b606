/* Blelloch: up the tree with sums, down with what lies to the left. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    for (size_t d = 1; d < n; d *= 2) {
        ROUND("up") {
            LANES(t, n / (2 * d)) {
                size_t left = 2 * d * t + d - 1, right = left + d;
                set(a, right, get(a, left) + get(a, right));
            }
        }
    }
    ROUND("root") {
        LANES(t, 1) {
            set(a, n - 1 + t, 0);
        }
    }
    for (size_t d = n / 2; d > 0; d /= 2) {
        ROUND("down") {
            LANES(t, n / (2 * d)) {
                size_t left = 2 * d * t + d - 1, right = left + d;
                uint32_t before = get(a, right);
                set(a, right, before + get(a, left));
                set(a, left, before);
            }
        }
    }
}

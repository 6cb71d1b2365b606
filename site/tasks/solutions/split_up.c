/* n less the inclusive scan of F read backwards. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *ones = new_array(n);
    ROUND("backwards") {
        LANES(t, n) {
            set(ones, n - 1 - t, get(a, t));
        }
    }
    scan(ones);
    ROUND("up") {
        LANES(t, n) {
            uint32_t inclusive = get(ones, n - 1 - t) + get(a, t);
            set(a, t, (uint32_t)n - inclusive);
        }
    }
}

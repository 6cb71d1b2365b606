/* Hillis and Steele: each adds what stands d places before it, d = 1, 2, 4, .. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *from = a, *to = new_array(n);
    for (size_t d = 1; d < n; d *= 2) {
        ROUND("add") {
            LANES(t, n) {
                set(to, t, get(from, t) + (t >= d ? get(from, t - d) : 0));
            }
        }
        array *was = from;
        from = to;
        to = was;
    }
    if (from != a) {
        ROUND("back") {
            LANES(t, n) {
                set(a, t, get(from, t));
            }
        }
    }
}

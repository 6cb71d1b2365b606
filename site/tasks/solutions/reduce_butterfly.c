/* Partner t XOR b; two arrays take turns, since all read and all write. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *from = a, *to = new_array(n);
    for (size_t b = n / 2; b > 0; b /= 2) {
        ROUND("butterfly") {
            LANES(t, n) {
                set(to, t, get(from, t) + get(from, t ^ b));
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

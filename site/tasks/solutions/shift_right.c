/* By way of another array: what is read in a round is not written in it. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *b = new_array(n);
    ROUND("out") {
        LANES(t, n) {
            set(b, t, t == 0 ? 0 : get(a, t - 1));
        }
    }
    ROUND("back") {
        LANES(t, n) {
            set(a, t, get(b, t));
        }
    }
}

/* Three rounds with 4, 2 and 1 lanes. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    for (size_t half = 4; half > 0; half /= 2) {
        ROUND("fold") {
            LANES(t, half) {
                set(a, t, get(a, t) + get(a, t + half));
            }
        }
    }
}

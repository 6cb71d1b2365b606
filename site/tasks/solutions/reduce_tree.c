/* With m left, lane t adds the one ceil(m / 2) places on; for an odd m the middle waits. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    for (size_t m = length(a); m > 1; m -= m / 2) {
        size_t half = m - m / 2;
        ROUND("fold") {
            LANES(t, m - half) {
                set(a, t, get(a, t) + get(a, t + half));
            }
        }
    }
}

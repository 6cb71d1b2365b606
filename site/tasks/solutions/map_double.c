/* One lane a number. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    ROUND("double") {
        LANES(t, length(a)) {
            set(a, t, 2 * get(a, t));
        }
    }
}

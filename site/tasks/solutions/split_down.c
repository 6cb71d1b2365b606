/* The exclusive scan of the flags turned round. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    ROUND("not F") {
        LANES(t, length(a)) {
            set(a, t, 1 - get(a, t));
        }
    }
    scan(a);
}

/* Zeros go to how many zeros stand before them, ones to n less the ones from them on. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a);
    array *zeros = new_array(n), *ones = new_array(n), *b = new_array(n);
    ROUND("flags") {
        LANES(t, n) {
            uint32_t flag = get(a, t) % 2;
            set(zeros, t, 1 - flag);
            set(ones, n - 1 - t, flag);
        }
    }
    scan(zeros);
    scan(ones);
    ROUND("permute") {
        LANES(t, n) {
            uint32_t value = get(a, t), flag = value % 2;
            uint32_t up = (uint32_t)n - get(ones, n - 1 - t) - flag;
            set(b, flag != 0 ? up : get(zeros, t), value);
        }
    }
    ROUND("back") {
        LANES(t, n) {
            set(a, t, get(b, t));
        }
    }
}

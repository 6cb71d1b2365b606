/* One stable split a bit, the lowest first. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

static void split(array *from, unsigned bit, array *to)
{
    size_t n = length(from);
    array *zeros = new_array(n), *ones = new_array(n);
    ROUND("flags") {
        LANES(t, n) {
            uint32_t flag = get(from, t) >> bit & 1;
            set(zeros, t, 1 - flag);
            set(ones, n - 1 - t, flag);
        }
    }
    scan(zeros);
    scan(ones);
    ROUND("permute") {
        LANES(t, n) {
            uint32_t value = get(from, t), flag = value >> bit & 1;
            uint32_t up = (uint32_t)n - get(ones, n - 1 - t) - flag;
            set(to, flag != 0 ? up : get(zeros, t), value);
        }
    }
}

void solve(array *a)
{
    array *b = new_array(length(a));
    for (unsigned bit = 0; bit < 4; bit += 2) {
        split(a, bit, b);
        split(b, bit + 1, a);
    }
}

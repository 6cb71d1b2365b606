/* Sorts half of the keys as a sample; seven of these, at equal distances, are the splitters, among
 * which each key then finds its place by halves. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

void solve(array *a)
{
    size_t n = length(a), m = n / 2, apart = m / 8;
    array *sample = new_array(m), *splitters = new_array(7), *ids = new_array(n);
    ROUND("sample") {
        LANES(t, m) {
            set(sample, t, get(a, 2 * t));
        }
    }
    for (size_t r = 0; r < m; r++) {
        ROUND(r % 2 == 0 ? "even" : "odd") {
            LANES(t, m / 2) {
                size_t i = 2 * t + r % 2;
                if (i + 1 < m) {
                    compare_exchange(sample, i, i + 1);
                }
            }
        }
    }
    ROUND("splitters") {
        LANES(t, 7) {
            set(splitters, t, get(sample, (t + 1) * apart));
        }
    }
    for (size_t half = 4; half > 0; half /= 2) {
        ROUND("halve") {
            LANES(t, n) {
                size_t id = get(ids, t);
                if (get(splitters, id + half - 1) <= get(a, t)) {
                    set(ids, t, (uint32_t)(id + half));
                }
            }
        }
    }
    ROUND("buckets") {
        LANES(t, n) {
            set(a, t, get(ids, t));
        }
    }
}

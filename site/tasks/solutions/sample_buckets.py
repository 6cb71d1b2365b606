"""Sorts half of the keys as a sample; seven of these, at equal distances, are the splitters, among
which each key then finds its place by halves."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, compare_exchange, lanes, new_array


def solve(a):
    n = len(a)
    m = n // 2
    sample, splitters, ids = new_array(m), new_array(7), new_array(n)
    with Round("sample"):
        for t in lanes(m):
            sample[t] = a[2 * t]
    for r in range(m):
        with Round("even" if r % 2 == 0 else "odd"):
            for t in lanes(m // 2):
                i = 2 * t + r % 2
                if i + 1 < m:
                    compare_exchange(sample, i, i + 1)
    with Round("splitters"):
        for t in lanes(7):
            splitters[t] = sample[(t + 1) * (m // 8)]
    for half in (4, 2, 1):
        with Round("halve"):
            for t in lanes(n):
                number = ids[t]
                if splitters[number + half - 1] <= a[t]:
                    ids[t] = number + half
    with Round("buckets"):
        for t in lanes(n):
            a[t] = ids[t]

"""A knockout tournament of vertices; of two at one distance the lower number goes on."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array


def solve(a):
    n = len(a)
    nearest = new_array(n)
    with Round("candidates"):
        for t in lanes(n):
            nearest[t] = t
    m = n
    while m > 1:
        half = m - m // 2
        with Round("match"):
            for t in lanes(m - half):
                v, w = nearest[t], nearest[t + half]
                x, y = a[v], a[w]
                better = y < x or (y == x and w < v)
                nearest[t] = w if better else v
        m = half
    with Round("tell"):
        for t in lanes(1):
            a[0] = nearest[0]

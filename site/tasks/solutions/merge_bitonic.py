"""Mirror images first, then distances n / 4, .. 2, 1."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, compare_exchange, lanes


def solve(a):
    n = len(a)
    with Round("mirror"):
        for t in lanes(n // 2):
            compare_exchange(a, t, n - 1 - t)
    d = n // 4
    while d > 0:
        with Round("distance"):
            for t in lanes(n // 2):
                i = t // d * 2 * d + t % d
                compare_exchange(a, i, i + d)
        d //= 2

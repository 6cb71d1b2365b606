"""Even pairs and odd pairs in turn, n rounds."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, compare_exchange, lanes


def solve(a):
    n = len(a)
    for r in range(n):
        with Round("even" if r % 2 == 0 else "odd"):
            for t in lanes(n // 2):
                i = 2 * t + r % 2
                if i + 1 < n:
                    compare_exchange(a, i, i + 1)

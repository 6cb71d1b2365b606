"""Three rounds with 4, 2 and 1 lanes."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes


def solve(a):
    for half in (4, 2, 1):
        with Round("fold"):
            for t in lanes(half):
                a[t] += a[t + half]

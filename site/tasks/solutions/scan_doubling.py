"""Hillis and Steele: each adds what stands d places before it, d = 1, 2, 4, .."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array


def solve(a):
    n = len(a)
    source, target = a, new_array(n)
    d = 1
    while d < n:
        with Round("add"):
            for t in lanes(n):
                target[t] = source[t] + (source[t - d] if t >= d else 0)
        source, target = target, source
        d *= 2
    if source is not a:
        with Round("back"):
            for t in lanes(n):
                a[t] = source[t]

"""Partner t XOR b; two arrays take turns, since all read and all write."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array


def solve(a):
    n = len(a)
    source, target = a, new_array(n)
    b = n // 2
    while b > 0:
        with Round("butterfly"):
            for t in lanes(n):
                target[t] = source[t] + source[t ^ b]
        source, target = target, source
        b //= 2
    if source is not a:
        with Round("back"):
            for t in lanes(n):
                a[t] = source[t]

"""n less the inclusive scan of F read backwards."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array, scan


def solve(a):
    n = len(a)
    ones = new_array(n)
    with Round("backwards"):
        for t in lanes(n):
            ones[n - 1 - t] = a[t]
    scan(ones)
    with Round("up"):
        for t in lanes(n):
            inclusive = ones[n - 1 - t] + a[t]
            a[t] = n - inclusive

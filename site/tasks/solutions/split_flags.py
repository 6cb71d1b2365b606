"""Zeros go to how many zeros stand before them, ones to n less the ones from them on."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array, scan


def solve(a):
    n = len(a)
    zeros, ones, b = new_array(n), new_array(n), new_array(n)
    with Round("flags"):
        for t in lanes(n):
            flag = a[t] % 2
            zeros[t] = 1 - flag
            ones[n - 1 - t] = flag
    scan(zeros)
    scan(ones)
    with Round("permute"):
        for t in lanes(n):
            value = a[t]
            if value % 2 == 0:
                b[zeros[t]] = value
            else:
                b[n - ones[n - 1 - t] - 1] = value
    with Round("back"):
        for t in lanes(n):
            a[t] = b[t]

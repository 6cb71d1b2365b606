"""One stable split a bit, the lowest first."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array, scan


def split(source, bit, target):
    n = len(source)
    zeros, ones = new_array(n), new_array(n)
    with Round("flags"):
        for t in lanes(n):
            flag = source[t] >> bit & 1
            zeros[t] = 1 - flag
            ones[n - 1 - t] = flag
    scan(zeros)
    scan(ones)
    with Round("permute"):
        for t in lanes(n):
            value = source[t]
            if value >> bit & 1 == 0:
                target[zeros[t]] = value
            else:
                target[n - ones[n - 1 - t] - 1] = value


def solve(a):
    b = new_array(len(a))
    for bit in (0, 2):
        split(a, bit, b)
        split(b, bit + 1, a)

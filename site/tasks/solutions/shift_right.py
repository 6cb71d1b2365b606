"""By way of another array: what is read in a round is not written in it."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, new_array


def solve(a):
    n = len(a)
    b = new_array(n)
    with Round("out"):
        for t in lanes(n):
            b[t] = 0 if t == 0 else a[t - 1]
    with Round("back"):
        for t in lanes(n):
            a[t] = b[t]

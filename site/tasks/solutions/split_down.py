"""The exclusive scan of the flags turned round."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes, scan


def solve(a):
    with Round("not F"):
        for t in lanes(len(a)):
            a[t] = 1 - a[t]
    scan(a)

"""One lane a number."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes


def solve(a):
    with Round("double"):
        for t in lanes(len(a)):
            a[t] = 2 * a[t]

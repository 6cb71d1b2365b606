"""With m left, lane t adds the one ceil(m / 2) places on; for an odd m the middle waits."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes


def solve(a):
    m = len(a)
    while m > 1:
        half = m - m // 2
        with Round("fold"):
            for t in lanes(m - half):
                a[t] += a[t + half]
        m = half

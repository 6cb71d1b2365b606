"""Blelloch: up the tree with sums, down with what lies to the left."""
# SPDX-License-Identifier: MIT
from upsweep.lanes import Round, lanes


def solve(a):
    n = len(a)
    d = 1
    while d < n:
        with Round("up"):
            for t in lanes(n // (2 * d)):
                left = 2 * d * t + d - 1
                a[left + d] += a[left]
        d *= 2
    with Round("root"):
        for t in lanes(1):
            a[n - 1 + t] = 0
    d = n // 2
    while d > 0:
        with Round("down"):
            for t in lanes(n // (2 * d)):
                left = 2 * d * t + d - 1
                before = a[left + d]
                a[left + d] = before + a[left]
                a[left] = before
        d //= 2

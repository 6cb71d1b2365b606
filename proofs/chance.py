#!/usr/bin/env python3
"""chance.py - how seldom chance makes even keys look uneven to the bucket sort on a GPU, which then takes a slower way.

Of even keys a bucket has a Poisson number, in all and of the sample. The limits are read out of the sources; for all
numbers of buckets, and all sizes that these are chosen for, the chance that one bucket is above them is summed up.
"""
# SPDX-License-Identifier: MIT
import math
import re
import sys

from csource import ROOT
from prover import Prover

SAMPLE = 16384  # keys
CROWDED = re.compile(r"static_cast<unsigned>\(keys \+ ([\d.]+) \* std::sqrt\(keys\) \+ (\d+)\)")
ABOVE = re.compile(r"n >= LARGE_FROM\(sizeof\(K\)\) \? 1 : ([\d.]+)f;")
SPARE = 8 / 7  # a shape holds at least so many times the mean (gpu/bucket_sort/tuning.cuh)


def above(mean, most):
    """The chance that a Poisson number of that mean is greater than `most`."""
    at = most + 1
    term = math.exp(at * math.log(mean) - mean - math.lgamma(at + 1))
    total = 0.0
    while term > total * 1e-12:
        total += term
        at += 1
        term *= mean / at
    return total


def read(pattern, path):
    found = pattern.search((ROOT / path).read_text())
    if found is None:
        sys.exit(f"proof: chance: {path} no longer has what is read there: {pattern.pattern}")
    return [float(x) for x in found.groups()]


def main():
    prover = Prover()
    times, more = read(CROWDED, "algo/sort_hybrid.cu")
    deviations, = read(ABOVE, "gpu/bucket_sort/1_sample_looks.cuh")
    for bits in range(6, 17):
        buckets = 1 << bits
        for step in range(0, 60):
            held = SAMPLE / buckets * SPARE * 1.03**step  # keys of the sample that a full bucket has
            limit = int(held + times * math.sqrt(held) + more)
            mean = held * 0.9  # even keys fill a bucket no more than that, or they have other buckets
            chance = buckets * above(mean, limit)
            prover.check(f"2^{bits} buckets, {mean:.2f} keys", chance < 1e-3, f"above {limit} in {chance:.1e} arrays")
    for mean in range(1000, 17000, 50):
        most = int(mean + deviations * math.sqrt(mean))
        chance = 65536 * above(mean, most)
        prover.check(f"buckets of {mean} keys", chance < 5e-3, f"one has more than {most} in {chance:.1e} arrays")
    return prover.end("chance")


if __name__ == "__main__":
    sys.exit(main())

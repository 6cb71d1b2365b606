#!/usr/bin/env python3
"""sort_external_numbers.py - `upsweep sort -n` of more numbers than its limit of memory holds, alone on their lines:
the same bytes as sort(1), from their keys where each is written in the usual way, and as lines from the first that is
not; the limit itself.

    sort_external_numbers.py PROGRAM
"""
# SPDX-License-Identifier: MIT
import os
import random
import subprocess
import sys
import tempfile

from array_files import ENV, SANITIZED, run, same

EXTRA = 2 << 20  # bytes that the limit may be passed by
COUNT = 600000  # lines, two files of which are more than the limit holds
AGAIN = "from which its line is written again"
problems = []


def make(path, seed, decimals=False, odd=()):
    """odd: lines that are written otherwise, by where they stand. No list of all: run() says why."""
    rng, odd = random.Random(seed), dict(odd)
    top = 10 ** (6 if decimals else 18)
    with open(path, "w", encoding="ascii") as f:
        for i in range(COUNT):
            line = str(rng.randrange(-top, top)) + (f".{rng.randrange(100):02}" if decimals else "")
            f.write(odd.get(i, line) + "\n" * (i + 1 < COUNT))  # the last one lacks its end


def make_want(want, folder, options, inputs):
    """By sort(1), which sorts each file once and merges them: that takes a third of sorting all together."""
    pieces = [f"{folder}/{name}{''.join(options)}" for name in inputs]
    for name, piece in zip(inputs, pieces):
        if not os.path.exists(piece):
            subprocess.run(["sort", *options, "-o", piece, folder + "/" + name], env=ENV, check=True)
    subprocess.run(["sort", "-m", *options, "-o", want, *pieces], env=ENV, check=True)


def check(program, folder, options, inputs, again, source=None, limit=34):
    want, got = folder + "/want", folder + "/got"
    if SANITIZED and not source:  # the program holds more of its own
        inputs, limit = inputs * 2, limit + 24
    make_want(want, folder, options, inputs)
    names = ["-"] if source else [folder + "/" + name for name in inputs]
    feeder = subprocess.Popen(source, shell=True, cwd=folder, stdout=subprocess.PIPE) if source else None
    status, error, most = run([program, "sort", "--stats", *options, "-S", f"{limit}M", "-T", folder, "-o", got, *names],
                              feeder.stdout if feeder else None)
    if feeder:
        feeder.stdout.close()
        feeder.wait()
    what = f"sort {' '.join(options)} of {inputs}{' by a pipe' if source else ''}"
    if status != 0 or not same(want, got):
        problems.append(f"{what}: status {status}, {error!r}, or other bytes than sort(1)")
    if "since the input does not fit" not in error or (AGAIN in error) != again:
        problems.append(f"{what}: went another way: {error!r}")
    megabytes = sum(os.path.getsize(folder + "/" + name) for name in inputs) >> 20
    if f"records, {megabytes} MB" not in error:
        problems.append(f"{what}: says of other bytes than it has read: {error!r}")
    if most > (limit << 20) + EXTRA:
        problems.append(f"{what}: held {most >> 10} KB")
    left = [name for name in os.listdir(folder) if name.startswith(".")]
    if left or os.listdir(ENV["TMPDIR"]):
        problems.append(f"{what}: left {left}")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        ENV["TMPDIR"] = folder + "/temporary"
        os.mkdir(ENV["TMPDIR"])
        make(folder + "/plain", 1)
        make(folder + "/prices", 2, decimals=True)
        make(folder + "/late", 3, odd=[(COUNT - 5, "007"), (COUNT - 9, "7 apples"), (7, "7")])
        make(folder + "/long", 4, odd=[(COUNT // 2, "5" * 400000)])
        for options in (["-nr"], ["-nu"], ["-k1,1n", "-s"]):
            check(program, folder, options, ["plain", "plain"], True)
        check(program, folder, ["-n"], ["plain", "prices"], False)
        check(program, folder, ["-n"], ["prices"] * 4, True)
        for name, again in (("plain", True), ("prices", False)):  # a quarter of the limit is read before the sort
            check(program, folder, ["-n"], ["plain"] * 3 + [name], again, f"for f in plain plain plain {name}; do cat $f; echo; done", 48)
        for options in (["-nr", "-s"], ["-nu"]):
            check(program, folder, options, ["late", "late"], False)
        check(program, folder, ["-n"], ["long", "long"], False)
    for problem in problems:
        print("FAILED:", problem)
    print(f"sort_external_numbers: {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

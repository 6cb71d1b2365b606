#!/usr/bin/env python3
"""fuzz_verbs.py - the program's verbs beside their rivals, on random input and options.

    fuzz_verbs.py PROGRAM [--verbs sort,paths,arrays] [--seconds S] [--cases N] [--seed X] [--case X]

sort:   `upsweep sort` beside sort(1), in the C locale and in those of fuzz_sort.py that are installed: the same
        bytes and exit status, and words on standard error where the other has some; with --debug the same
        words. Half of the cases call the program by the name sort. Needs nothing but Python and sort(1).
paths:  `upsweep paths` beside scipy.sparse.csgraph; left out where scipy is not installed.
arrays: sort, reduce, scan, histogram and select of .npy files beside numpy; left out likewise.

A case is one number. One that differs is printed with its command, its input is kept, and the exit status
is 1; --case X runs it again. 77: nothing could be compared.
"""
# SPDX-License-Identifier: MIT
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the tests
from fuzz_case import ENVIRONMENT, Different  # noqa: E402
from fuzz_numbers import arrays_case, paths_case  # noqa: E402
from fuzz_sort import INSTALLED, sort_case  # noqa: E402

VERBS = {"sort": sort_case, "paths": paths_case, "arrays": arrays_case}


def available(verb):
    """Whether its rival is here; says so if not."""
    try:
        if verb == "sort":
            found = subprocess.run(["sort", "--version"], capture_output=True, env=ENVIRONMENT).stdout
            missing = None if b"GNU" in found else "sort(1) is not GNU's"
        else:
            __import__("numpy")
            missing = None
            if verb == "paths":
                __import__("scipy.sparse.csgraph")
    except (ImportError, OSError) as why:
        missing = str(why)
    if missing is not None:
        print(f"fuzz_verbs: {verb} is left out: {missing}")
    return missing is None


def run_case(verb, number, program, keep):
    with tempfile.TemporaryDirectory(prefix="fuzz_verbs.") as name:
        folder = Path(name)
        try:
            return VERBS[verb](random.Random(number), program, folder)
        except (Different, subprocess.TimeoutExpired) as why:
            os.makedirs(keep, exist_ok=True)
            for f in filter(Path.is_file, folder.iterdir()):
                (Path(keep) / f.name).write_bytes(f.read_bytes())
            print(f"fuzz_verbs: {why}\nfuzz_verbs: --verbs {verb} --case {number}; its files are in {keep}")
            sys.exit(1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("program", type=os.path.abspath)
    arguments.add_argument("--verbs", default="sort")
    arguments.add_argument("--seconds", type=float, default=25)
    arguments.add_argument("--cases", type=int, default=sys.maxsize)
    arguments.add_argument("--seed", type=lambda text: int(text, 0), default=time.time_ns())
    arguments.add_argument("--case", type=lambda text: int(text, 0))
    arguments.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "fuzz_verbs.differs"))
    a = arguments.parse_args()
    verbs = [verb for verb in a.verbs.split(",") if available(verb)]
    if not verbs:
        sys.exit(77)
    if a.case is not None:
        run_case(verbs[0], a.case, a.program, a.keep)
        print(f"fuzz_verbs: {verbs[0]}: case {a.case} is right")
        return
    for verb in verbs:
        if verb == "sort" and not INSTALLED:
            print("fuzz_verbs: sort: none of the locales is installed: the C locale alone is compared")
        start, cases, known, numbers = time.monotonic(), 0, 0, random.Random(a.seed)
        print(f"fuzz_verbs: {verb}: seed {a.seed}", flush=True)
        while cases < a.cases and time.monotonic() - start < a.seconds / len(verbs):
            compared = run_case(verb, numbers.getrandbits(63), a.program, a.keep)
            cases += compared
            known += not compared
        print(f"fuzz_verbs: {verb}: {cases} cases, none differs; {known} have a difference that is known",
              flush=True)


main()

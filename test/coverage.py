#!/usr/bin/env python3
"""coverage.py - how many lines and branches of the library the tests took, by gcov (gcc).

    coverage.py ROOT BUILD OUT

BUILD was configured with UPSWEEP_COVERAGE=ON, and its tests have run. A line or a branch is taken if it was taken
in any of the objects that have it: bodies are compiled for five widths and three instruction sets, and inlined. OUT/coverage.txt
gets a line a file and the lines that were never taken; OUT/branches.txt the branches. Prints the sums.
"""
# SPDX-License-Identifier: MIT
import json
import subprocess
import sys
from pathlib import Path

ROOMS = ("core", "calls", "cpu", "algo", "external", "ranks")
root, build, out = (Path(a).resolve() for a in sys.argv[1:4])
lines, branches = {}, {}  # file -> line -> times; file -> line -> lists of times

notes = sorted(gcda for kind in ("objects", "ranks_checked") for gcda in build.glob(f"CMakeFiles/upsweep_{kind}.dir/**/*.gcda"))
for start in range(0, len(notes), 20):
    said = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *map(str, notes[start:start + 20])],
                          capture_output=True, text=True, cwd=build).stdout  # what of another build is left out
    for text in said.splitlines():
        data = json.loads(text)
        for file in data["files"]:
            path = Path(data["current_working_directory"], file["file"]).resolve()
            if not path.is_relative_to(root) or path.relative_to(root).parts[0] not in ROOMS:
                continue
            name = str(path.relative_to(root))
            for line in file["lines"]:
                at, times = line["line_number"], lines.setdefault(name, {})
                times[at] = times.get(at, 0) + line["count"]
                counts = [b["count"] for b in line["branches"] if not b["throw"]]
                if counts:
                    branches.setdefault(name, {}).setdefault(at, []).append(counts)


def laid_over(copies):
    """A line's branches, of all functions that have it: where others have copies of it inlined, one has it once."""
    once = min(map(len, copies))
    return [sum(times for copy in copies for times in copy[i::once]) for i in range(once)]


def ranges(numbers):
    """[1, 2, 3, 7] as 1-3 7"""
    found = []
    for n in numbers:
        if found and found[-1][1] == n - 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return " ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


out.mkdir(parents=True, exist_ok=True)
sums = [0, 0, 0, 0]
with open(out / "coverage.txt", "w") as whole, open(out / "branches.txt", "w") as split:
    for name in sorted(lines):
        never = sorted(n for n, times in lines[name].items() if times == 0)
        of_line = {n: laid_over(b) for n, b in branches.get(name, {}).items()}
        all_branches = [t for b in of_line.values() for t in b]
        here = [len(lines[name]) - len(never), len(lines[name]), sum(t > 0 for t in all_branches), len(all_branches)]
        sums = [a + b for a, b in zip(sums, here)]
        print(f"{here[0]:5} of {here[1]:5} lines {here[2]:5} of {here[3]:5} branches  {name}  {ranges(never)}", file=whole)
        text = (root / name).read_text(encoding="utf-8").splitlines()
        for n in sorted(of_line):
            if 0 in of_line[n] and lines[name].get(n, 0) > 0:
                taken = "".join("+" if t > 0 else "-" for t in of_line[n])
                print(f"{name}:{n}: {taken}  {text[n - 1].strip()}", file=split)
if sums[1] == 0:
    sys.exit("coverage.py: no object of the library was counted")
print(f"lines {100 * sums[0] / sums[1]:.1f}% of {sums[1]}, branches {100 * sums[2] / max(sums[3], 1):.1f}% of {sums[3]}")

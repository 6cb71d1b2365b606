#!/usr/bin/env python3
"""learn_test.py - the tasks of `upsweep learn`: our solutions are taken, skeletons compile, and wrong
solutions are refused for the right reason.

    learn_test.py PROGRAM SOURCE_DIR [--all]    --all: every kind of mistake in every task
"""
# SPDX-License-Identifier: MIT
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

program, root = sys.argv[1], Path(sys.argv[2])
every = "--all" in sys.argv
solutions = root / "site/tasks/solutions"
work = tempfile.TemporaryDirectory(prefix="upsweep_learn_test_")

# Mistakes that can be made in every task: (what, how the solution is changed, what is said).
INSTEAD = '#include "lanes.h"\n#include <stdlib.h>\nvoid solve(array *a)\n{\n    (void)a;\n    %s\n}\n'


def idle_round(text):
    return text.rstrip()[:-1] + '    ROUND("idle") {\n        LANES(t, 1) {\n            get(a, t);\n        }\n    }\n}\n'


def more_work(text):
    text = re.sub(r"(LANES\(t, .*\) \{\n)", r"\1set(idle, t, 0); set(idle, t, 1); set(idle, t, 2);\n", text)
    text = re.sub(r"(#include .*\n)", r"\1static array *idle;\n", text, count=1)
    return re.sub(r"(void solve\(array \*a\)\n\{\n)", r"\1    idle = new_array(length(a));\n", text)


GENERAL = [
    ("nothing is done", INSTEAD % "", r"Not yet: (a\[\d+\] is \d+ in the end|key )"),
    ("a loop without an end", INSTEAD % "for (volatile int i = 0;; i = 1) {}", r"takes too long"),
    ("rounds without an end", INSTEAD % 'for (;;) { ROUND("r") { } }', r"more than 20000 rounds"),
    ("a NULL pointer", INSTEAD % "*(volatile int *)0 = 1;", r"it crashes: it uses memory"),
    ("an exit", INSTEAD % "exit(0);", r"it ends the program"),
    ("a step outside lanes", INSTEAD % "set(a, 0, 1);", r"set stands outside LANES"),
    ("lanes outside a round", INSTEAD % "LANES(t, 1) { set(a, t, 1); }", r"LANES stands outside a round"),
    ("past the end", INSTEAD % 'ROUND("r") { LANES(t, 1) { set(a, length(a) + t, 1); } }', r"lane 0 takes a\[\d+\], which has"),
    ("two write one place", INSTEAD % 'ROUND("r") { LANES(t, 2) { set(a, 0, (uint32_t)t); } }', r"lanes 0 and 1 both write a\[0\]"),
    ("read what another writes", INSTEAD % 'ROUND("r") { LANES(t, 2) { set(a, t, get(a, (t + 1) % 2)); } }', r"in the same round"),
    ("one lane does all", INSTEAD % 'ROUND("r") { LANES(t, 1) { for (int i = 0; i < 20; i++) { get(a, t); } } }', r"takes more than 16 steps"),
    ("an array in a round", INSTEAD % 'ROUND("r") { new_array(8); }', r"new_array stands in a round"),
    ("a round in a round", INSTEAD % 'ROUND("r") { ROUND("s") { } }', r'ROUND\("s"\) stands within another round'),
    ("a round is left", INSTEAD % 'ROUND("r") { return; }', r"left a round before its end"),
    ("too much memory", INSTEAD % 'new_array((size_t)1 << 40);', r"not enough memory"),
    ("no C", '#include "lanes.h"\nvoid solve(array *a) { int x = ; }\n', r"does not compile"),
    ("an idle round", idle_round, r"the outcome is right, but it takes \d+ rounds; at most \d+ = "),
    ("idle work", more_work, r"the outcome is right, but the work is \d+; at most \d+ = "),
]

# Mistakes of one task: (old, new, what is said).
WRONG = r"Not yet: a\[\d+\] is \d+ in the end and should be \d+\."
SPECIAL = {
    "map/double": [("2 * get(a, t)", "3 * get(a, t)", WRONG), ("LANES(t, length(a))", "LANES(t, length(a) - 1)", WRONG)],
    "shift/right": [("get(a, t - 1)", "get(a, t)", WRONG), ("set(b, t, t == 0 ? 0 : get(a, t - 1))", "set(a, t, t == 0 ? 0 : get(a, t - 1))", r"in the same round"),
                    ("t == 0 ? 0 : get(a, t - 1)", "get(a, t - 1)", r"takes a\[18446744073709551615\]")],
    "reduce/eight": [("half > 0", "half > 1", WRONG), ("t + half", "t + 1", r"in the same round"), ("half = 4", "half = 2", WRONG)],
    "reduce/tree": [("m - m / 2;\n", "m / 2;\n", r"Not yet"), ("LANES(t, m - half)", "LANES(t, half)", r"takes a\[|Not yet: a\[0\]"),
                    ("m > 1", "m > 2", WRONG)],
    "reduce/butterfly": [("t ^ b", "(t + b) % n", None), ("t ^ b", "t | b", WRONG), ("b = n / 2", "b = n / 4", WRONG),
                         ("if (from != a)", "if (from == NULL)", WRONG)],
    "scan/doubling": [("t >= d", "t > d", WRONG), ("d *= 2", "d += 1", r"Not yet"), (": 0)", ": 1)", WRONG)],
    "scan/sweep": [("set(a, n - 1 + t, 0);", "set(a, n - 1 + t, 1);", WRONG), ("set(a, left, before);", "", WRONG),
                   ("d = n / 2; d > 0", "d = n / 2; d > 1", WRONG), ("set(a, right, before + get(a, left))", "set(a, right, get(a, left))", WRONG)],
    "split/down": [("1 - get(a, t)", "get(a, t)", WRONG), ("    scan(a);\n", "", WRONG)],
    "split/up": [("inclusive = get(ones, n - 1 - t) + get(a, t)", "inclusive = get(ones, n - 1 - t)", WRONG),
                 ("set(ones, n - 1 - t, get(a, t))", "set(ones, t, get(a, t))", WRONG), ("(uint32_t)n - inclusive", "inclusive", WRONG)],
    "split/flags": [("- flag;", ";", r"Not yet"), ("set(ones, n - 1 - t, flag)", "set(ones, t, flag)", r"Not yet"),
                    ("value % 2;", "value / 2 % 2;", r"Not yet")],
    "sort/oddeven": [("r < n", "r + 1 < n", WRONG), ("2 * t + r % 2", "2 * t", WRONG), ("i + 1 < n", "i < n", r"takes a\[8\]"),
                     ("compare_exchange(a, i, i + 1)", "compare_exchange(a, i + 1, i)", WRONG),
                     ("r < n", "r < 2 * n", r"takes \d+ rounds")],
    "merge/bitonic": [("n - 1 - t)", "t + n / 2)", WRONG), ("d > 0", "d > 1", WRONG), ("d = n / 4", "d = n / 2", r"takes \d+ rounds|the work")],
    "sort/split": [("bit < 4", "bit < 2", WRONG), ("split(a, bit, b);\n        split(b, bit + 1, a);", "split(a, 3 - bit, b);\n        split(b, 2 - bit, a);", WRONG),
                   ("- flag;", ";", r"Not yet")],
    "sample/buckets": [("(t + 1) * apart", "t", r"bucket \d has \d+ of \d+ keys, more than a quarter"), ("<= get(a, t)", ">= get(a, t)", r"key \d+ is in bucket"),
                       ("half = 4; half > 0", "half = 4; half > 4", r"more than a quarter"), ("r < m", "r < 2", r"Not yet: (key|bucket)")],
    "path/minimum": [("y == x && w < v", "y == x && w > v", WRONG), ("y < x", "y > x", WRONG), ("m > 1", "m > 2", WRONG)],
}


def run(*arguments):
    r = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return r.returncode, r.stdout + r.stderr


def check(job):
    """Returns what is wrong, or None."""
    task, what, text, code, says = job
    file = Path(work.name) / f"{abs(hash((task, what)))}.c"
    file.write_text(text)
    status, out = run("learn", task, str(file))
    if status != code or not re.search(says, out):
        return f"{task}, {what}: exit {status}, not {code} with '{says}':\n{out}"
    return None


def main():
    listed = re.findall(r"^ *\d+  (\S+)", run("learn")[1], re.M)
    problems, jobs = [], []
    if len(listed) < 12 or set(listed) != set(SPECIAL):
        problems.append(f"the tasks are {listed}")
    for task in listed:
        text = (solutions / f"{task.replace('/', '_')}.c").read_text()
        jobs.append((task, "our solution", text, 0, r"^Right: \d+ cases"))
        jobs.append((task, "the skeleton", run("learn", task, "--skeleton")[1], 1, r"^Not yet: "))
        for old, new, says in SPECIAL[task]:
            if old not in text:
                problems.append(f"{task}: '{old}' is not in the solution")
            elif says is not None:
                jobs.append((task, f"{old} -> {new}", text.replace(old, new), 1, says))
        for what, change, says in GENERAL:
            if every or task == "scan/sweep":
                jobs.append((task, what, change if isinstance(change, str) else change(text), 1, says))
        shown, hints = run("learn", task, "--hint", "9")[1], run("learn", task)[1]
        if "Hint 1: " not in shown or "Hint 1: " in hints:
            problems.append(f"{task}: hints are shown unasked, or not when asked")
    with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 2))) as pool:
        problems += [p for p in pool.map(check, jobs) if p]
    # The first wrong round is shown.
    text = (solutions / "scan_sweep.c").read_text().replace("set(a, left, before);", "")
    says = check(("scan/sweep", "the first wrong round", text, 1,
                  r"round 5 \(down\):\n  yours    .*\n  ours     .*"))
    problems += [says] if says else []
    for arguments, says in ((["learn", "no/task"], "there is no task"), (["learn", "map/double", "/no/file.c"], "No such file"),
                            (["learn", "a", "b", "c"], "takes a task and one file")):
        status, out = run(*arguments)
        if status != 2 or says not in out:
            problems.append(f"{arguments}: exit {status}: {out}")
    print("\n".join(problems))
    print(f"learn: {len(listed)} tasks, {len(jobs)} solutions, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

#!/usr/bin/env python3
"""learn_test.py - the tasks of `upsweep learn`: our solutions are taken, skeletons compile, and wrong
solutions are refused for the right reason, in C and in Python.

    learn_test.py PROGRAM SOURCE_DIR [--all]    --all: all mistakes, every kind in every task
"""
# SPDX-License-Identifier: MIT
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import learn_python  # noqa: E402

program, root = sys.argv[1], Path(sys.argv[2])
every = "--all" in sys.argv
sys.dont_write_bytecode = True
os.environ.setdefault("PYTHON", sys.executable)
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
    ("a loop without an end", INSTEAD % "for (volatile int i = 0;; i = 1) {}", r"takes too long: a loop without an end, perhaps\.\n"),
    ("rounds without an end", INSTEAD % 'for (;;) { ROUND("r") { } }', r"more than 20000 rounds"),
    ("a NULL pointer", INSTEAD % "*(volatile int *)0 = 1;", r"it crashes: it uses memory"),
    ("an exit", INSTEAD % "exit(0);", r"it ends the program"),
    ("a step outside lanes", INSTEAD % "set(a, 0, 1);", r"set stands outside LANES: .* write LANES\(t, 1\) \{ \.\. \} for a single lane\."),
    ("lanes outside a round", INSTEAD % "LANES(t, 1) { set(a, t, 1); }", r"LANES stands outside a round"),
    ("past the end", INSTEAD % 'ROUND("r") { LANES(t, 1) { set(a, length(a) + t, 1); } }', r"lane 0 takes a\[\d+\]; a has elements 0 to \d+\."),
    ("two write one place", INSTEAD % 'ROUND("r") { LANES(t, 2) { set(a, 0, (uint32_t)t); } }', r"lanes 0 and 1 both write a\[0\]"),
    ("read what another writes", INSTEAD % 'ROUND("r") { LANES(t, 2) { set(a, t, get(a, (t + 1) % 2)); } }', r"in the same round"),
    ("one lane does all", INSTEAD % 'ROUND("r") { LANES(t, 1) { for (int i = 0; i < 20; i++) { get(a, t); } } }', r"takes more than 16 steps"),
    ("an array in a round", INSTEAD % 'ROUND("r") { new_array(8); }', r"new_array stands in a round"),
    ("a round in a round", INSTEAD % 'ROUND("r") { ROUND("s") { } }', r'ROUND\("s"\) stands within another round'),
    ("a round is left", INSTEAD % 'ROUND("r") { return; }', r"left a round before its end"),
    ("too much memory", INSTEAD % 'new_array((size_t)1 << 40);', r"not enough memory"),
    ("no C", '#include "lanes.h"\nvoid solve(array *a) { int x = ; }\n', r"does not compile; .*\nAn array is read with get\(a, i\) and written with set\(a, i, v\)\."),
    ("an idle round", idle_round, r"the outcome is right, but it takes \d+ rounds?; at most \d+ (is|are) needed: .*\."),
    ("idle work", more_work, r"the outcome is right, but the work is \d+; at most \d+ is needed: .*\."),
]

# Mistakes of one task: (old, new, what is said).
WRONG = r"Not yet: a\[\d+\] is \d+ in the end and should be \d+\."
SPECIAL = {
    "map/double": [("2 * get(a, t)", "3 * get(a, t)", WRONG), ("LANES(t, length(a))", "LANES(t, length(a) - 1)", WRONG)],
    "shift/right": [("get(a, t - 1)", "get(a, t)", WRONG), ("set(b, t, t == 0 ? 0 : get(a, t - 1))", "set(a, t, t == 0 ? 0 : get(a, t - 1))", r"in the same round"),
                    ("t == 0 ? 0 : get(a, t - 1)", "get(a, t - 1)", r"takes a\[-1\]; a has elements 0 to 7\.")],
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


# What the judge says of rounds and places: (task, old, new, exit status, what is said).
READS = "get(from, t) + (t >= d ? get(from, t - d) : 0)"
VERDICTS = [
    ("scan/sweep", "set(a, left, before);", "", 1, r"after which a differs from ours is round 5 \(down\):\n  yours    .*\n  ours     .*"),
    # The mistake of round 1, which writes another array, is told of round 1.
    ("scan/doubling", READS, "t >= d ? get(from, t) + get(from, t - d) : 7", 1,
     r"after which the array from your 1st new_array differs from ours is round 1 \(add\):\n  yours    7 4 .*\n  ours     3 4 "),
    ("scan/doubling", f"set(to, t, {READS});", "", 1, r"Your round 1 \(add\) writes nothing; in ours it leaves:\n  ours     3 4 8 "),
    ("scan/doubling", "if (from != a)", "if (from == NULL)", 1, r"ends after round 3; in ours round 4 \(back\)"),
    # Where a round writes several arrays, it is said that these are not compared.
    ("split/flags", "flag != 0 ? up : get(zeros, t)", "up > n ? up : t", 1,
     r"first difference shows after round 16 \(permute\), in the array from your 3rd new_array; a round that .*\nis not compared, so the mistake may be in an earlier round:\n  yours    3 1 7"),
    # A result in the other array.
    ("map/double", '    ROUND("double") {\n        LANES(t, length(a)) {\n            set(a,', '    array *b = new_array(length(a));\n    ROUND("double") {\n        LANES(t, length(a)) {\n            set(b,', 1, r"in the end they do not stand in a\."),
    # The copy back may always be made, but only once.
    ("scan/doubling", "if (from != a)", "if (true)", 0, r"^Right: "),
    ("reduce/butterfly", "if (from != a)", "if (true)", 0, r"^Right: "),
    ("scan/doubling", "if (from != a)", "for (int k = 0; k < 2; k++)", 1,
     r"takes 5 rounds; at most 4 are needed: ceil\(log2 n\), plus one to copy back\.\n"),
    ("scan/doubling", "get(from, t - d) : 0", "get(to, t - length(to)) : 0", 1,
     r"lane 1 takes element -7 of the array from your 1st new_array; it has elements 0 to 7\."),
    ("scan/doubling", "set(to, t,", "set(to, 0,", 1, r"lanes 0 and 1 both write element 0 of the array from your 1st new_array\."),
    # One lane that does all is told at n = 8 or 12, not at n = 1.
    ("map/double", "LANES(t, length(a)) {\n            set(a, t, 2 * get(a, t));",
     "LANES(t, 1) {\n            for (size_t i = 0; i < length(a); i++) { set(a, i, 2 * get(a, i)); }", 1, r"takes more than 16 steps(.*\n)+  numbers  (\d+ ?){12}\n"),
]


def run(*arguments):
    r = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return r.returncode, r.stdout + r.stderr


def check(job):
    """Returns what is wrong, or None."""
    task, what, text, code, says, ending = job
    file = Path(work.name) / f"{abs(hash((task, what)))}.{ending}"
    file.write_text(text)
    status, out = run("learn", task, str(file))
    if status != code or not re.search(says, out):
        return f"{task}, {what}: exit {status}, not {code} with '{says}':\n{out}"
    return None


def changed(problems, task, text, old, new):
    if old not in text:
        problems.append(f"{task}: '{old}' is not in the solution")
    return text.replace(old, new)


def jobs_of(problems, listed, ending, option, general, special, verdicts):
    """The solutions of one language, whose options, and mistakes these are."""
    jobs, ours = [], {task: (solutions / f"{task.replace('/', '_')}.{ending}").read_text() for task in listed}
    for task, text in ours.items():
        # As many rounds and as much work as ours in C, which the judge runs beside it.
        jobs.append((task, "our solution", text, 0, r"^Right: \d+ cases; for \d+ numbers (\d+) rounds? and work (\d+) \(ours: \1 and \2\)\.\n"))
        jobs.append((task, "the skeleton", run("learn", task, "--skeleton", *option)[1], 1, r"^Not yet: "))
        plain = [s for s in special[task] if s[2] == WRONG]  # of those with the plain sentence one, unless --all
        for old, new, says in [s for s in special[task] if every or s not in plain[1:]]:
            text_then = changed(problems, task, text, old, new)
            jobs += [(task, f"{old} -> {new}", text_then, 1, says)] if says is not None else []
        for what, change, says in general:
            if every or task == "scan/sweep":
                jobs.append((task, what, change if isinstance(change, str) else change(text), 1, says))
        shown, hints = run("learn", task, "--hint", "9", *option)[1], run("learn", task, *option)[1]
        see = " ".join(["see upsweep learn map/double", *option]) + "\n"
        if "reads and idle lanes are free" not in hints or (task in listed[2:]) != (see in hints):
            problems.append(f"{task}: does not say what work is, or where the calls are told")
        if "Hint 1: " not in shown or "Hint 1: " in hints:
            problems.append(f"{task}: hints are shown unasked, or not when asked")
        foreign = r"LANES|ROUND|\(\w+, \w+\);|length\(|uint32_t|->|&&" if option else r"lanes\(|Round|len\(| // |\bsource\b"
        if re.search(rf"^(C|Python): |^-- |{foreign}", shown + hints, re.M):
            problems.append(f"{task}: words of another language:\n{shown}{hints}")
    for task, old, new, code, says in verdicts:
        jobs.append((task, f"{old} -> {new}, verdict", changed(problems, task, ours[task], old, new), code, says))
    return [(*job, ending) for job in jobs]


def without_python(problems):
    """What is said where Python cannot be run, or is not one."""
    for interpreter in ("/no/python", "/bin/true", "/bin/cat"):
        r = subprocess.run([program, "learn", "map/double", str(solutions / "map_double.py")], capture_output=True, text=True,
                           env={**os.environ, "PYTHON": interpreter})
        if r.returncode != 2 or f"{interpreter} does not run it; PYTHON names the Python to take" not in r.stderr:
            problems.append(f"PYTHON={interpreter}: exit {r.returncode}: {r.stdout}{r.stderr}")


def main():
    listed = re.findall(r"^ *\d+  (\S+)", run("learn")[1], re.M)
    problems = []
    if len(listed) < 12 or set(listed) != set(SPECIAL) or set(listed) != set(learn_python.SPECIAL):
        problems.append(f"the tasks are {listed}")
    jobs = jobs_of(problems, listed, "c", [], GENERAL, SPECIAL, VERDICTS)
    jobs += jobs_of(problems, listed, "py", ["--python"], learn_python.GENERAL, learn_python.SPECIAL, learn_python.VERDICTS)
    with concurrent.futures.ThreadPoolExecutor(max(2, (os.cpu_count() or 2))) as pool:
        problems += [p for p in pool.map(check, jobs) if p]
    without_python(problems)
    for word in ("LANES", "ROUND", "get", "set", "compare_exchange", "length", "new_array", "log2_up"):
        status, out = run("explain", word)
        if status != 0 or not out.startswith(f"{word}: {word}("):
            problems.append(f"explain {word}: exit {status}: {out}")
    for arguments, says in ((["learn", "no/task"], "there is no task"), (["learn", "map/double", "/no/file.c"], "No such file"),
                            (["learn", "map/double", "/no/file.py"], "No such file"), (["learn", "a", "b", "c"], "takes a task and one file")):
        status, out = run(*arguments)
        if status != 2 or says not in out:
            problems.append(f"{arguments}: exit {status}: {out}")
    print("\n".join(problems))
    print(f"learn: {len(listed)} tasks, {len(jobs)} solutions, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

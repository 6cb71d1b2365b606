"""learn_python.py - mistakes in Python solutions of `upsweep learn`, and what is said of each: for
learn_test.py. The big set, a dozen mistakes in each task, is in C; the rules are the same."""
# SPDX-License-Identifier: MIT
import re

INSTEAD = "from upsweep.lanes import *\n\n\ndef solve(a):\n    %s\n"


def in_round(*lines):
    return INSTEAD % "\n    ".join(['with Round("r"):', *("    " + line for line in lines)])


def idle_round(text):
    return text + '    with Round("idle"):\n        for t in lanes(1):\n            a[t]\n'


def more_work(text):
    text = re.sub(r"( *)(for t in lanes\(.*\):\n)", r"\1\2\1    idle[t] = 0; idle[t] = 1; idle[t] = 2\n", text)
    return re.sub(r"(def solve\(a\):\n)", r"\1    global idle; idle = new_array(len(a))\n",
                  text.replace("import Round", "import new_array, Round"))


# Mistakes that can be made in every task: (what, how the solution is changed, what is said).
GENERAL = [
    ("nothing is done", INSTEAD % "pass", r"Not yet: (a\[\d+\] is \d+ in the end|key )"),
    ("a loop without an end", INSTEAD % "while True: pass", r"takes too long: a loop without an end, perhaps\.\n"),
    ("rounds without an end", INSTEAD % 'while True:\n        with Round("r"): pass', r"more than 20000 rounds"),
    ("another's memory", INSTEAD % "import ctypes; ctypes.string_at(0)", r"it crashes: it uses memory"),
    ("an abort", INSTEAD % "import os; os.abort()", r"it crashes: it calls abort"),
    ("an exit", INSTEAD % "raise SystemExit(0)", r"it ends the program; solve has to return\."),
    ("a hard exit", INSTEAD % "import os; os._exit(3)", r"it ends the program; solve has to return\."),
    ("an exception", INSTEAD % "x = 1 // 0",
     r"^Not yet: it raises ZeroDivisionError: integer division or modulo by zero \(line 5\)\.\n  (?:numbers .*|with \d+ numbers)\n"
     r"Traceback .*\n  File .*, line 5, in solve\n"),
    ("a step outside lanes", INSTEAD % "a[0] = 1", r"a\[0\] is written outside lanes: .* write `for t in lanes\(1\):` for a single lane\."),
    ("a read after lanes", in_round("for t in lanes(1): a[t] = 1", "a[0] += 1"), r"a\[0\] is read outside lanes"),
    ("lanes outside a round", INSTEAD % "for t in lanes(1): a[t] = 1", r"lanes stands outside a round; write `with Round\("),
    ("lanes in a lane", in_round("for t in lanes(2):", "    for u in lanes(2): a[u] = 1"), r"lanes stands within a lane"),
    ("past the end", in_round("for t in lanes(1): a[len(a) + t] = 1"), r"lane 0 takes a\[\d+\]; a has elements 0 to \d+\."),
    ("before the beginning", in_round("for t in lanes(1): a[t - 1] = 1"), r"lane 0 takes a\[-1\]; a has elements 0 to \d+\."),
    ("two write one place", in_round("for t in lanes(2): a[0] = t"), r"lanes 0 and 1 both write a\[0\]"),
    ("read what another writes", in_round("for t in lanes(2): a[t] = a[(t + 1) % 2]"), r"lane 1 reads a\[0\], which lane 0 writes in the same round"),
    ("write what another reads", in_round("for t in lanes(2): a[1 - t]", "for t in lanes(2): a[t] = 1"), r"writes a\[0\], which another lane reads in the same round"),
    ("one lane does all", in_round("for t in lanes(1):", "    for i in range(20): a[t]"), r"takes more than 16 steps"),
    ("a sum over an array", in_round("for t in lanes(1): a[0] = sum(a)"), r"an array is read element by element"),
    ("a slice", in_round("for t in lanes(1): a[0:2]"), r"a lane takes one element at a time, a\[i\], and no slice"),
    ("a fraction of an index", in_round("for t in lanes(1): a[t / 2]"), r"an index of a is 0\.0, which is not a whole number \(// divides"),
    ("a fraction", in_round("for t in lanes(1): a[t] = 1 / 2"), r"what lane 0 writes to a\[0\] is 0\.5, which is not a whole number"),
    ("half a lane", in_round("for t in lanes(len(a) / 2): a[t] = 1"), r"the number of lanes is \d+\.\d+, which is not a whole number"),
    ("an array in a round", in_round("new_array(8)"), r"new_array stands in a round"),
    ("a round in a round", in_round('with Round("s"): pass'), r'Round\("s"\) stands within another round'),
    ("a round is left", INSTEAD % 'Round("r").__enter__()', r"left a round before its end"),
    ("what is caught is told, too", INSTEAD % "try: a[0]\n    except BaseException: pass", r"outside lanes"),
    ("too large an array", INSTEAD % "new_array(2**40)", r"not enough memory for an array of 1099511627776 elements"),
    ("too much memory", INSTEAD % "x = bytearray(2**31)", r"more memory than the gigabyte that it may \(line 5\)"),
    ("no Python", "def solve(a):\n    x = = 1\n", r"is not Python; .*\nAn array is read with a\[i\] and written with a\[i\] = v\.\n  File .*, line 2\n(.*\n)+SyntaxError"),
    ("no solve", "def solved(a):\n    pass\n", r"^Not yet: there is no function solve\(a\) in the file\.\n$"),
    ("an exception at once", "import no_such_module\n", r"it raises ModuleNotFoundError: No module named 'no_such_module' \(line 1\)\.\nTraceback "),
    ("an idle round", idle_round, r"the outcome is right, but it takes \d+ rounds?; at most \d+ (is|are) needed: .*\."),
    ("idle work", more_work, r"the outcome is right, but the work is \d+; at most \d+ is needed: .*\."),
]

# Mistakes of one task: (old, new, what is said).
WRONG = r"Not yet: a\[\d+\] is \d+ in the end and should be \d+\."
SPECIAL = {
    "map/double": [("2 * a[t]", "3 * a[t]", WRONG), ("lanes(len(a))", "lanes(len(a) - 1)", WRONG), ("a[t] = 2 * a[t]", "a[t] *= 2; a[t] = a[t] * 2", WRONG)],
    "shift/right": [("a[t - 1]", "a[t]", WRONG), ("b[t] = 0 if", "a[t] = 0 if", r"in the same round"),
                    ("0 if t == 0 else a[t - 1]", "a[t - 1]", r"takes a\[-1\]; a has elements 0 to 7\.")],
    "reduce/eight": [("(4, 2, 1)", "(4, 2)", WRONG), ("a[t + half]", "a[t + 1]", r"in the same round"), ("(4, 2, 1)", "(2, 1)", WRONG)],
    "reduce/tree": [("half = m - m // 2", "half = m // 2", r"Not yet"), ("lanes(m - half)", "lanes(half)", r"takes a\[|Not yet: a\[0\]"),
                    ("m > 1", "m > 2", WRONG)],
    "reduce/butterfly": [("t ^ b", "t | b", WRONG), ("b = n // 2", "b = n // 4", WRONG), ("if source is not a", "if source is None", WRONG)],
    "scan/doubling": [("t >= d", "t > d", WRONG), ("d *= 2", "d += 1", r"Not yet"), ("else 0", "else 1", WRONG)],
    "scan/sweep": [("a[n - 1 + t] = 0", "a[n - 1 + t] = 1", WRONG), ("a[left] = before", "pass", WRONG),
                   ("d > 0", "d > 1", WRONG), ("before + a[left]", "a[left]", WRONG)],
    "split/down": [("1 - a[t]", "a[t]", WRONG), ("    scan(a)\n", "", WRONG), ("scan(a)", "scan(a); scan(a)", WRONG)],
    "split/up": [("ones[n - 1 - t] + a[t]", "ones[n - 1 - t]", WRONG), ("ones[n - 1 - t] = a[t]", "ones[t] = a[t]", WRONG),
                 ("n - inclusive", "inclusive", WRONG)],
    "split/flags": [("- t] - 1] = value", "- t]] = value", r"Not yet"), ("ones[n - 1 - t] = flag", "ones[t] = flag", r"Not yet"),
                    ("value % 2", "value // 2 % 2", r"Not yet")],
    "sort/oddeven": [("range(n)", "range(n - 1)", WRONG), ("2 * t + r % 2", "2 * t", WRONG), ("i + 1 < n", "i < n", r"takes a\[8\]"),
                     ("(a, i, i + 1)", "(a, i + 1, i)", WRONG), ("range(n)", "range(2 * n)", r"takes \d+ rounds")],
    "merge/bitonic": [("n - 1 - t)", "t + n // 2)", WRONG), ("d > 0", "d > 1", WRONG), ("d = n // 4", "d = n // 2", r"takes \d+ rounds|the work")],
    "sort/split": [("(0, 2)", "(0,)", WRONG), ("split(a, bit, b)\n        split(b, bit + 1, a)", "split(a, 3 - bit, b)\n        split(b, 2 - bit, a)", WRONG),
                   ("- t] - 1] = value", "- t]] = value", r"Not yet")],
    "sample/buckets": [("(t + 1) * (m // 8)", "t", r"bucket \d has \d+ of \d+ keys, more than a quarter"), ("<= a[t]", ">= a[t]", r"key \d+ is in bucket"),
                       ("(4, 2, 1)", "(4,)", r"more than a quarter"), ("range(m)", "range(2)", r"Not yet: (key|bucket)")],
    "path/minimum": [("y == x and w < v", "y == x and w > v", WRONG), ("y < x", "y > x", WRONG), ("m > 1", "m > 2", WRONG)],
}

# What the judge says of rounds and places: (task, old, new, exit status, what is said).
READS = "source[t] + (source[t - d] if t >= d else 0)"
VERDICTS = [
    ("scan/sweep", "a[left] = before", "pass", 1, r"after which a differs from ours is round 5 \(down\):\n  yours    .*\n  ours     .*"),
    ("scan/doubling", READS, "source[t] + source[t - d] if t >= d else 7", 1,
     r"after which the array from your 1st new_array differs from ours is round 1 \(add\):\n  yours    7 4 .*\n  ours     3 4 "),
    ("scan/doubling", f"target[t] = {READS}", "pass", 1, r"Your round 1 \(add\) writes nothing; in ours it leaves:\n  ours     3 4 8 "),
    ("scan/doubling", "if source is not a", "if source is None", 1, r"ends after round 3; in ours round 4 \(back\)"),
    ("scan/doubling", "if source is not a", "if True", 0, r"^Right: "),
    ("scan/doubling", "target[t] =", "target[0] =", 1, r"lanes 0 and 1 both write element 0 of the array from your 1st new_array\."),
    # Elements are of 32 bits: 2^32 and 2 less than nothing is what C makes of it.
    ("map/double", "2 * a[t]", "2**40 + (2 * a[t] - 2**32)", 0, r"^Right: "),
    ("map/double", "2 * a[t]", "-a[t]", 1, r"a\[0\] is 4294967293 in the end and should be 6\."),
    # What a solution prints is for its author, and cannot be taken for what it did.
    ("map/double", "def solve(a):\n", "def solve(a):\n    print('end 0 0', a)\n", 0, r"end 0 0 \[3, 1, 7, "),
]

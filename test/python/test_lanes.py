"""upsweep.lanes: lanes and rounds; solutions of `upsweep learn` through the package's program."""
# SPDX-License-Identifier: MIT
import concurrent.futures
import os
import subprocess
import sys

import pytest
from upsweep.lanes import LanesError, Outcome, Round, compare_exchange, lanes, log2_up, new_array, run, scan


def doubled(a):
    with Round("double"):
        for t in lanes(len(a)):
            a[t] = 2 * a[t]


def oddeven(a):
    for r in range(len(a)):
        with Round("pairs"):
            for t in lanes(len(a) // 2):
                if 2 * t + r % 2 + 1 < len(a):
                    compare_exchange(a, 2 * t + r % 2, 2 * t + r % 2 + 1)


def test_rounds_and_work_are_counted():
    assert run(doubled, [3, 1, 2**31]) == Outcome([6, 2, 0], 1, 3)
    assert run(oddeven, [5, 4, 3, 2, 1]) == Outcome([1, 2, 3, 4, 5], 5, 10)
    assert run(doubled, []) == Outcome([], 1, 0)
    assert run(doubled, [-1]).values == [2**32 - 2]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 12, 33])
def test_scan(n):
    values = [(7 * i + 3) % 11 for i in range(n)]
    got = run(scan, values)
    assert got.values == [sum(values[:i]) for i in range(n)]
    assert got.rounds == 2 * log2_up(n) + 1 and got.work == (3 * (n - 1) + 1 if n else 0)


@pytest.mark.parametrize("n, least", [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (2**40 + 1, 41)])
def test_log2_up(n, least):
    assert log2_up(n) == least


def test_what_is_not_allowed_is_an_error():
    def two_write(a):
        with Round("r"):
            for t in lanes(2):
                a[0] = t

    def nested(a):
        doubled(a)
        with Round("r"):
            new_array(3)

    with pytest.raises(LanesError, match=r"^round 1: lanes 0 and 1 both write a\[0\]$"):
        run(two_write, [1, 2])
    with pytest.raises(LanesError, match="^new_array stands in a round"):
        run(nested, [1, 2])
    with pytest.raises(LanesError, match=r"^lanes stands outside solve"):
        list(lanes(3))
    with pytest.raises(ZeroDivisionError):
        run(lambda a: 1 // 0, [])
    assert run(doubled, [1]).values == [2]  # what failed before leaves nothing behind


def test_each_thread_runs_its_own():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for k, got in enumerate(pool.map(lambda k: run(oddeven, range(k, 0, -1)), range(40))):
            assert got == Outcome(list(range(1, k + 1)), k, k * (k - 1) // 2)


def test_the_program_judges(tmp_path):
    # In the task's directory: the program brings upsweep.lanes along, and takes the package's Python.
    task = tmp_path / "my.py"
    task.write_text("import sys\nfrom upsweep.lanes import Round, lanes\nassert sys.executable == %r\n\n\ndef solve(a):\n"
                    '    with Round("double"):\n        for t in lanes(len(a)):\n            a[t] *= 2\n' % sys.executable)
    env = {k: v for k, v in os.environ.items() if k != "PYTHON"}
    for text, code, says in ((task.read_text(), 0, "Right: "), (task.read_text().replace("*= 2", "*= 3"), 1, "Not yet: a[0] is ")):
        task.write_text(text)
        r = subprocess.run([sys.executable, "-m", "upsweep", "learn", "map/double", str(task)], capture_output=True, text=True,
                           env=env)
        assert (r.returncode, r.stdout[:len(says)]) == (code, says), r
    assert os.listdir(tmp_path) == ["my.py"]

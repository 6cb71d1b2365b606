"""upsweep.lanes: lanes and rounds, what solutions of `upsweep learn` in Python are written with.

    from upsweep.lanes import *

    def solve(a):
        with Round("distance 4"):         # rounds follow one another
            for t in lanes(4):            # lanes 0 .. 3 act at once
                a[t] = a[t] + a[t + 4]

What a lane writes in a round, no other lane may read or write in that round: on a real machine nobody
knows who comes first; a lane's own steps come one after another. A lane takes at most LANE_STEPS steps
(a read, a write) in a round. Rounds are counted, and so is work: every write and every compare_exchange
counts 1; reads and idle lanes are free. Elements are whole numbers of 32 bits, as in C: they wrap.

`upsweep learn TASK my.py` judges a solution; run(solve, values) just runs one:

>>> def solve(a):
...     with Round("double"):
...         for t in lanes(len(a)):
...             a[t] = 2 * a[t]
>>> run(solve, [3, 1, 7])
Outcome(values=[6, 2, 14], rounds=1, work=3)

The rules and the protocol are those of site/tasks/lanes.c. Neither numpy nor the library is needed.
"""
# SPDX-License-Identifier: MIT
from __future__ import annotations

import operator
import os
import sys
import threading
import traceback
import types
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, NoReturn, Optional, TextIO

__all__ = ["Array", "LANE_STEPS", "LanesError", "Outcome", "Round", "compare_exchange", "lanes", "log2_up",
           "new_array", "run", "scan"]

LANE_STEPS = 16
_ROUNDS_MOST, _STATE_MOST, _NOBODY, _MANY = 20000, 64, -1, -2


class LanesError(Exception):
    """What a solution may not do, in a sentence."""


class Outcome(NamedTuple):
    """What run returns: what stands in the array in the end, and what was counted."""
    values: List[int]
    rounds: int
    work: int


class _Run:
    """What is counted while a solution runs. tell: takes the lines for the judge, or is None."""

    def __init__(self, tell: Optional[Callable[[str], None]]) -> None:
        self.tell = tell
        self.rounds = self.work = self.arrays = self.steps = 0
        self.label: Optional[str] = None  # of the round at hand
        self.lane = _NOBODY
        self.given: Optional[Array] = None
        self.wrote: List[Array] = []  # in this round

    def wrong(self, text: str) -> NoReturn:
        if self.tell is None:
            raise LanesError(text)
        self.tell("error " + text)
        _leave()


class _Now(threading.local):
    run: Optional[_Run] = None


_now = _Now()


def _leave() -> NoReturn:
    """Ends the program at once, whatever the solution catches."""
    for stream in (_Judge.out, sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


def _running(what: str) -> _Run:
    if _now.run is None:
        raise LanesError(f"{what} stands outside solve; run(solve, values) runs one, and `upsweep learn` judges it")
    return _now.run


def _whole(run: _Run, value: int, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        shown = repr(value)
        shown = shown if len(shown) < 40 else f"of type {type(value).__name__}"
        run.wrong(f"{what} is {shown}, which is not a whole number (// divides whole numbers)")


class Array:
    """An array of whole numbers of 32 bits. In lanes a[i] reads and a[i] = v writes; len(a) is its length,
    and print(a) shows it. new_array makes one."""

    __slots__ = ("_values", "_number", "_round", "_readers", "_writers")

    def __init__(self, values: List[int], number: int) -> None:
        self._values, self._number = values, number  # 0: the array that was given
        self._round = 0  # that the following two are of: which lane read and wrote an element
        self._readers: Dict[int, int] = {}
        self._writers: Dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __iter__(self) -> Iterator[int]:
        _running("an array").wrong("an array is read element by element, with a[i]")

    def _name(self) -> str:
        k = self._number
        if k == 0:
            return "a"
        end = "th" if k % 100 // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
        return f"the array from your {k}{end} new_array"

    def _element(self, i: int) -> str:
        return f"a[{i}]" if self._number == 0 else f"element {i} of {self._name()}"

    def _step(self, i: int, what: str) -> _Run:
        """Of the lane at hand; `what` it does to the element."""
        run = _running("an array")
        if run.lane == _NOBODY:
            run.wrong(f"{self._element(i)} is {what} outside lanes: only lanes of a round read and write; "
                      "write `for t in lanes(1):` for a single lane")
        if not 0 <= i < len(self._values):
            where = f"round {run.rounds + 1}: lane {run.lane} takes "
            if not self._values:
                run.wrong(f"{where}{self._name()}, which has no elements")
            run.wrong(f"{where}{self._element(i)}; {'a' if self._number == 0 else 'it'} has elements 0 to "
                      f"{len(self._values) - 1}")
        run.steps += 1
        if run.steps > LANE_STEPS:
            run.wrong(f"round {run.rounds + 1}: lane {run.lane} takes more than {LANE_STEPS} steps; share them "
                      "out among lanes and rounds")
        if self._round != run.rounds + 1:
            self._round = run.rounds + 1
            self._readers.clear()
            self._writers.clear()
        return run

    def _index(self, i: int) -> int:
        run = _running("an array")
        if isinstance(i, slice):
            run.wrong("a lane takes one element at a time, a[i], and no slice")
        return _whole(run, i, f"an index of {self._name()}")

    def __getitem__(self, i: int) -> int:
        i = self._index(i)
        run = self._step(i, "read")
        writer = self._writers.get(i, run.lane)
        if writer != run.lane:
            run.wrong(f"round {run.rounds + 1}: lane {run.lane} reads {self._element(i)}, which lane {writer} "
                      "writes in the same round")
        if self._readers.setdefault(i, run.lane) != run.lane:
            self._readers[i] = _MANY
        return self._values[i]

    def __setitem__(self, i: int, value: int) -> None:
        self._write(i, value)
        _running("an array").work += 1

    def _write(self, i: int, value: int) -> None:
        i = self._index(i)
        run = self._step(i, "written")
        writer = self._writers.get(i, run.lane)
        if writer != run.lane:
            run.wrong(f"round {run.rounds + 1}: lanes {writer} and {run.lane} both write {self._element(i)}")
        if self._readers.get(i, run.lane) != run.lane:
            run.wrong(f"round {run.rounds + 1}: lane {run.lane} writes {self._element(i)}, which another lane "
                      "reads in the same round")
        if not any(a is self for a in run.wrote):
            run.wrote.append(self)
        self._writers[i] = run.lane
        self._values[i] = _whole(run, value, f"round {run.rounds + 1}: what lane {run.lane} writes to "
                                             f"{self._element(i)}") % 2**32


class Round:
    """with Round("its name"): a round; within it lanes act at once."""

    def __init__(self, label: str) -> None:
        self._label = " ".join(str(label).split())

    def __enter__(self) -> Round:
        run = _running(f'Round("{self._label}")')
        if run.label is not None:
            run.wrong(f'Round("{self._label}") stands within another round')
        if run.rounds == _ROUNDS_MOST:
            run.wrong(f"there are more than {_ROUNDS_MOST} rounds")
        run.label, run.lane, run.wrote = self._label, _NOBODY, []
        if run.tell is not None:
            run.tell(f"round {self._label}")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            _end_round(_running("a round"))


def _told(head: str, a: Array) -> str:
    return " ".join([head, *map(str, a._values)])


def _end_round(run: _Run) -> None:
    run.label, run.lane = None, _NOBODY
    run.rounds += 1
    if run.tell is not None:
        if len(run.wrote) == 1 and len(run.wrote[0]) <= _STATE_MOST:
            run.tell(f"array {run.wrote[0]._name()}\n" + _told("wrote", run.wrote[0]))
        elif run.wrote:
            run.tell("several")
        if run.given is not None and len(run.given) <= _STATE_MOST:
            run.tell(_told("state", run.given))


def lanes(count: int) -> Iterator[int]:
    """for t in lanes(count): what lane t of count does, t = 0 .. count - 1; within a round."""
    run = _running("lanes")
    if run.label is None:
        run.wrong('lanes stands outside a round; write `with Round("its name"):` around it')
    if run.lane != _NOBODY:
        run.wrong("lanes stands within a lane; the lanes of a round are not nested")
    count = _whole(run, count, "the number of lanes")
    try:
        for t in range(count):
            run.lane, run.steps = t, 0
            yield t
    finally:
        run.lane = _NOBODY


def new_array(n: int) -> Array:
    """Between rounds: another array of n zeros."""
    run = _running("new_array")
    if run.label is not None:
        run.wrong("new_array stands in a round; arrays are made between rounds")
    n = _whole(run, n, "the length of an array")
    if n < 0:
        run.wrong(f"an array cannot have {n} elements")
    try:
        values = [0] * n
    except (MemoryError, OverflowError):
        run.wrong(f"there is not enough memory for an array of {n} elements")
    run.arrays += 1
    return Array(values, run.arrays)


def compare_exchange(a: Array, i: int, j: int) -> None:
    """In lanes: the smaller of a[i] and a[j] goes to a[i]; one piece of work."""
    x, y = a[i], a[j]
    a._write(i, min(x, y))
    a._write(j, max(x, y))
    _running("compare_exchange").work += 1


def log2_up(n: int) -> int:
    """The least L such that 2**L >= n."""
    return max(0, operator.index(n) - 1).bit_length()


def scan(a: Array) -> None:
    """Between rounds: every element becomes the sum of those before it, in 2 log2_up(n) + 1 rounds."""
    n = len(a)

    def children(d: int) -> Iterator[tuple[int, int]]:
        """Of the nodes over 2 d leaves: each child is kept at its last leaf."""
        for t in lanes(-(-n // (2 * d))):
            left, right = min(2 * d * t + d, n) - 1, min(2 * d * t + 2 * d, n) - 1
            if left < right:
                yield left, right

    for level in range(log2_up(n)):
        with Round("scan, up"):
            for left, right in children(1 << level):
                a[right] = a[left] + a[right]
    with Round("scan, root"):
        for t in lanes(min(n, 1)):
            a[n - 1 - t] = 0
    for level in reversed(range(log2_up(n))):
        with Round("scan, down"):
            for left, right in children(1 << level):
                before = a[right]
                a[right] = before + a[left]
                a[left] = before


def _run_on(solve: Callable[[Array], None], values: List[int], tell: Optional[Callable[[str], None]]) -> Outcome:
    outside, _now.run = _now.run, _Run(tell)
    try:
        _now.run.given = Array(values, 0)
        solve(_now.run.given)
        if _now.run.label is not None:
            _now.run.wrong("solve left a round before its end")
        return Outcome(values, _now.run.rounds, _now.run.work)
    finally:
        _now.run = outside


def run(solve: Callable[[Array], None], values: Iterable[int]) -> Outcome:
    """Runs solve on an array of these values. What breaks a rule of lanes and rounds is a LanesError."""
    return _run_on(solve, [operator.index(v) % 2**32 for v in values], None)


class _Judge:
    """What `upsweep learn` is told: lines as site/tasks/lanes.c writes them, after a line "python"."""
    out: TextIO = sys.stdout  # where they go

    @classmethod
    def tell(cls, line: str) -> None:
        cls.out.write(line + "\n")


def _refuse(error: BaseException, file: str) -> NoReturn:
    """Tells an exception of the solution, and ends the program."""
    line, trace = 0, None
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == file:
            line, trace = at.tb_lineno, trace or at  # what came before the file is not for its author
        at = at.tb_next
    said = (str(error).strip().split("\n") or [""])[0]
    text = f"it raises {type(error).__name__}{': ' if said else ''}{said}{f' (line {line})' if line else ''}"
    if isinstance(error, MemoryError):
        text = f"it takes more memory than the gigabyte that it may{f' (line {line})' if line else ''}"
    elif isinstance(error, SystemExit):
        text = "it ends the program; solve has to return"
    else:
        traceback.print_exception(type(error), error, trace)
    _Judge.tell("error " + text)
    _leave()


def _load(file: str) -> types.ModuleType:
    module = types.ModuleType("solution")
    module.__file__ = file
    sys.modules["solution"] = module
    sys.path[0] = os.path.dirname(os.path.abspath(file))  # what stands beside the file is found
    with open(file, "rb") as f:
        text = f.read()
    try:
        code = compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        _Judge.tell("unreadable")
        _leave()
    exec(code, module.__dict__)
    if not callable(getattr(module, "solve", None)):
        _Judge.tell("error there is no function solve(a) in the file")
        _leave()
    return module


def _main(file: str) -> None:
    """Reads lines "n value value ...", each a case, and tells what the solution in the file does."""
    _Judge.out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the solution prints is for its author
    cases = [[int(word) for word in line.split()[1:]] for line in sys.stdin]
    _Judge.tell("python")
    _Judge.out.flush()
    try:
        module = _load(file)
        for values in cases:
            _Judge.tell("case")
            _Judge.out.flush()  # so that a crash is known to be in this case
            done = _run_on(module.solve, values, _Judge.tell)
            _Judge.tell(" ".join(map(str, ["result", *done.values])))
            _Judge.tell(f"end {done.rounds} {done.work}")
    except BaseException as error:
        _refuse(error, file)
    _leave()


if __name__ == "__main__":  # as the judge runs it, where no package need be installed
    sys.modules["upsweep"] = types.ModuleType("upsweep")
    sys.modules["upsweep"].lanes = sys.modules["upsweep.lanes"] = sys.modules["__main__"]  # type: ignore[attr-defined]
    _main(sys.argv[1])

"""What ran and why, the algorithms, their traces, and pictures of them."""
# SPDX-License-Identifier: MIT
import collections
import operator

import numpy as np

from . import _core
from ._dtypes import DESCENDING, NAMES, code_of

__all__ = ["Event", "Picture", "algorithms", "explain", "last_report", "machine", "set_threads",
           "trace", "trim", "view", "wait"]

KINDS = ("", "begin", "phase", "round", "compare", "swap", "move", "combine", "set", "array",
         "end_round", "note", "end")

Event = collections.namedtuple(
    "Event", "kind round lane array other i j a b text values")
Event.__doc__ = """A step of an explained form; docs/trace.md describes every kind.

kind is one of begin, phase, round, compare, swap, move, combine, set, array, end_round, note, end;
values is a tuple for array, else None."""


def algorithms():
    """All algorithms, a dict each: name, operation, title, idea, work, depth, source, input,
    example, text, claims, forms.

    >>> import upsweep
    >>> "sort/bitonic" in [a["name"] for a in upsweep.algorithms()]
    True
    """
    return _core.algorithms()


def _row(name):
    for a in _core.algorithms():
        if a["name"] == name:
            return a
    names = ", ".join(a["name"] for a in _core.algorithms())
    raise ValueError(f"there is no algorithm {name!r}; there are {names}")


def machine():
    """What this machine has: cpu, cores, isa, cache_bytes, memory_bytes, gpus, gpu, gpu_plugin.

    >>> import upsweep
    >>> upsweep.machine()["cores"] > 0
    True
    """
    return _core.machine()


def last_report(device=None):
    """What this thread's last call did, on the CPU or on the GPU of that number: a dict of
    algorithm, isa, device, threads, scratch_bytes and reason.

    >>> import numpy as np, upsweep
    >>> _ = upsweep.sort(np.arange(1000))
    >>> upsweep.last_report()["algorithm"]
    'in order'
    """
    return _core.report(device)


def set_threads(threads=0, *, scratch_limit=0):
    """How many threads a call may use (0: one a core) and how many bytes of scratch (0: no limit).
    It holds for all threads of Python, from their next call on. Raises ValueError, TypeError."""
    threads, scratch_limit = operator.index(threads), operator.index(scratch_limit)
    if not (0 <= threads < 2**32 and 0 <= scratch_limit < 2**64):
        raise ValueError("threads and scratch_limit are 0 or more, and fit 32 and 64 bits")
    _core.configure(threads, scratch_limit)


def wait():
    """Waits for the GPUs that this thread's calls went to, and raises what only they found out: IndexError for
    a position out of range in `take`, `put` or `permute` of arrays in device memory, whose results are then
    undefined; unless a call since then has waited by itself, as `sum` does, and raised it. Calls on other
    arrays say so at once.

    >>> import upsweep
    >>> upsweep.wait()
    """
    _core.wait()


def trim():
    """Gives back the memory that this thread's calls have kept to work in, on the CPU and on GPUs, as much as the
    largest of them needed. The next calls take it anew. What a captured graph uses is kept.

    >>> import upsweep
    >>> upsweep.trim()
    """
    _core.trim()


def explain(what, n=None, /, *, dtype=None, descending=False):
    """Says how an algorithm works, or which one a sort would take.

    explain("sort/bitonic") : the page of the algorithm, as text.
    explain(array) or explain("sort", n, dtype="f32") : which method `sort` would take for so many
    keys in which it sees no pattern, a dict as of `last_report`. dtype: of numpy or a name as f32.

    >>> import upsweep
    >>> print(upsweep.explain("sort/bitonic").splitlines()[0][:12])
    sort/bitonic
    >>> sorted(upsweep.explain("sort", 1000, dtype="f4"))[:2]
    ['algorithm', 'device']
    """
    if isinstance(what, str) and what != "sort":
        a = _row(what)
        return "\n".join((f"{a['name']} - {a['title']}", "", a["text"]))
    if not isinstance(what, str):
        n, dtype = int(np.size(what)), np.asarray(what).dtype
    if n is None:
        raise TypeError("explain('sort', n, dtype=...) needs n")
    n = operator.index(n)
    if n < 0:
        raise ValueError("n is 0 or more")
    code = NAMES.get(dtype) if isinstance(dtype, str) else None
    given = np.dtype("f8" if dtype is None else dtype) if code is None else None
    code = code or code_of(np.dtype("i8") if given.kind in "mM" else given)  # times are sorted as integers
    if code == 0:
        raise TypeError(f"explain tells how keys are sorted that are numbers, not of {dtype}")
    return _core.explain_choice(n, code, DESCENDING if descending else 0)


def _numbers(a, values):
    if values is None:
        values = [int(v) for v in a["example"].replace(",", " ").split()]
    numbers = np.asarray(values)
    if numbers.ndim != 1 or numbers.size == 0 or numbers.dtype.kind not in "iu":
        raise TypeError("a trace takes one or more integers in one dimension")
    if int(numbers.min()) < 0 or int(numbers.max()) > 2**32 - 1:
        raise ValueError("a trace takes numbers from 0 to 4294967295")
    return np.ascontiguousarray(numbers, np.uint32)


def trace(name, values=None, /):
    """Every step of an algorithm on some numbers, an iterator of `Event`.

    name : as in `algorithms`; values : integers from 0 to 2^32 - 1, None: the algorithm's example.
    Raises ValueError for a name that is none, and for numbers that it does not take.

    >>> import upsweep
    >>> [e.kind for e in upsweep.trace("sort/oddeven", [2, 1])][:3]
    ['begin', 'array', 'round']
    """
    a = _row(name)
    events = []

    def keep(kind, *rest):
        events.append(Event(KINDS[kind], *rest))

    numbers = _numbers(a, values)
    try:
        _core.trace(name.encode(), numbers, None, keep)
    except (ValueError, IndexError):
        raise ValueError(f"{name} does not take these numbers; it takes {a['input']}") from None
    return iter(events)


# ---- pictures ----

class Picture:
    """An SVG of an algorithm's rounds; shows itself in a notebook."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_html_(self):
        return self.svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes the SVG to a file."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg)

    def __repr__(self):
        return f"<upsweep.Picture, {len(self.svg)} bytes of SVG>"


_LIT = {"compare": "#4477aa", "swap": "#ee7733", "move": "#ee7733", "combine": "#ee7733",
        "set": "#ee7733"}


def _frames(name, values):
    """(label, numbers, {position: colour}) for the start and after each round of the main array."""
    events = list(trace(name, values))
    first = next(e for e in events if e.kind == "array")
    main, now = first.array, list(first.values)
    frames, lit, label = [("start", list(now), {})], {}, ""
    for e in events[events.index(first) + 1:]:
        if e.kind == "round":
            lit, label = {}, e.text or f"round {e.round + 1}"
        elif e.kind == "array" and e.array == main:
            now = list(e.values)
        elif e.kind in _LIT:
            _apply(e, main, now, lit)
        elif e.kind == "end_round":
            frames.append((label, list(now), dict(lit)))
    return frames


def _apply(e, main, now, lit):
    places = [(e.array, e.i)] + ([(e.other, e.j)] if e.kind in ("compare", "swap") else [])
    if e.kind == "move":
        places = [(e.other, e.j)]
    for array, at in places:
        if array == main and at < len(now):
            lit[at] = _LIT[e.kind]
    if e.kind == "swap":
        for (array, at), value in zip(places, (e.a, e.b)):
            if array == main and at < len(now):
                now[at] = value
    elif e.kind == "move" and e.other == main and e.j < len(now):
        now[e.j] = e.a
    elif e.kind in ("set", "combine") and e.array == main and e.i < len(now):
        now[e.i] = e.a


def _bars(numbers, lit, width, height):
    top = max(max((n for n in numbers if n < 2**32 - 1), default=1), 1)
    step = width / len(numbers)
    parts = []
    for i, n in enumerate(numbers):
        h = height * min(n, top) / top
        parts.append(f'<rect x="{i * step:.2f}" y="{height - h:.2f}" width="{step * 0.85:.2f}" '
                     f'height="{h:.2f}" fill="{lit.get(i, "#bbbbbb")}"/>')
    return "".join(parts)


def view(name, values=None, /, *, film=False, size=(720, 360), seconds=8):
    """A picture of an algorithm at work, as SVG that a notebook shows.

    name, values : as for `trace`. film : one picture that plays the rounds, in `seconds`; else
    all rounds from top to bottom, what is compared in blue, what is written in orange.

    Returns a `Picture`; `.save(path)` writes it. `python -m upsweep view` opens a window, where
    that program was built with one.

    >>> import upsweep
    >>> upsweep.view("sort/bitonic", [3, 1, 2, 0]).svg[:4]
    '<svg'
    """
    frames = _frames(name, values)
    width, height = size
    if not film:
        row = max(24, min(height // 4, 2400 // len(frames)))
        body = []
        for k, (label, numbers, lit) in enumerate(frames):
            body.append(f'<g transform="translate(0,{k * (row + 14)})"><text x="0" y="10" '
                        f'font-size="10" font-family="sans-serif">{_escaped(label)}</text>'
                        f'<g transform="translate(0,12)">{_bars(numbers, lit, width, row)}</g></g>')
        height = len(frames) * (row + 14)
        return Picture(_svg(width, height, "".join(body)))
    body = []
    for k, (label, numbers, lit) in enumerate(frames):
        begin, end = k / len(frames), (k + 1) / len(frames)
        shown = (f'<animate attributeName="visibility" dur="{seconds}s" repeatCount="indefinite" '
                 f'calcMode="discrete" values="hidden;visible;hidden;hidden" '
                 f'keyTimes="0;{begin:.5f};{end:.5f};1"/>') if 0 < k < len(frames) - 1 else (
            f'<animate attributeName="visibility" dur="{seconds}s" repeatCount="indefinite" '
            f'calcMode="discrete" values="{"visible;hidden" if k == 0 else "hidden;visible"}" '
            f'keyTimes="0;{end if k == 0 else begin:.5f}"/>')
        body.append(f'<g visibility="hidden">{shown}<text x="0" y="12" font-size="12" '
                    f'font-family="sans-serif">{_escaped(label)}</text><g transform='
                    f'"translate(0,18)">{_bars(numbers, lit, width, height - 18)}</g></g>')
    return Picture(_svg(width, height, "".join(body)))


def _svg(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">{body}</svg>')


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""Threads, forks, the GIL, what a call costs beyond its own, traces, and the program."""
# SPDX-License-Identifier: MIT
import concurrent.futures
import doctest
import importlib
import json
import os
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest
import upsweep
from shared import same


CORES = upsweep.machine()["cores"]


def test_threads_have_handles_of_their_own():
    rng = np.random.default_rng(2)
    inputs = [rng.standard_normal(20000) for _ in range(32)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for a, got in zip(inputs, pool.map(upsweep.sort, inputs)):
            same(got, np.sort(a))


def test_threads_beside_each_other():
    """Calls of many kinds by eight threads at once give what they give alone: also where Python has no GIL."""
    rng = np.random.default_rng(6)
    a, few = rng.standard_normal(700), rng.integers(0, 40, 300)
    words = np.array([f"{v:x}" for v in few])
    arcs = upsweep.Graph(few[:-1], few[1:], a[:299] ** 2)
    calls = [lambda: upsweep.sort(a), lambda: upsweep.argsort(few), lambda: upsweep.lexsort((a[:300], few)),
             lambda: upsweep.unique(few, return_inverse=True)[1], lambda: upsweep.top_k(a, 9)[1], lambda: upsweep.cumsum(a),
             lambda: upsweep.sum(a), lambda: upsweep.sort(words), lambda: upsweep.histogram(a, 7)[0],
             lambda: upsweep.partition(a, 90)[90], lambda: upsweep.take(a, few), lambda: arcs.distances(int(few[0])),
             lambda: upsweep.Graph(few[:-1], few[1:], a[:299] ** 2).distances(int(few[0])),
             lambda: upsweep.sort(a.reshape(7, 100), axis=0), lambda: upsweep.searchsorted(np.sort(a), a)]
    wanted = [np.asarray(call()) for call in calls]

    def work(turn):
        for i in np.random.default_rng(turn).integers(0, len(calls), 200):
            same(np.asarray(calls[i]()), wanted[i])
        with pytest.raises(IndexError, match="not below 700"):
            upsweep.take(a, [700 + turn])
        return turn
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == list(range(16))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_a_python_without_gil_stays_without():
    code = "import sys, upsweep; assert not sys._is_gil_enabled()"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_threads_that_end_give_their_handles_back():
    def work():
        upsweep.sort(np.random.default_rng(3).standard_normal(200000))

    def run(count):
        for _ in range(count):
            t = threading.Thread(target=work)
            t.start()
            t.join()

    def here():
        return len(os.listdir("/proc/self/task"))

    run(3)
    before = here()
    run(20)
    for _ in range(100):  # join returns before the system's thread has ended
        if here() <= before:
            return
        time.sleep(0.05)
    pytest.fail(f"{here()} threads, before {before}")


def test_calls_let_go_of_the_gil():
    a = np.random.default_rng(4).standard_normal(1 << 22)
    ticks, done = [], threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    t = threading.Thread(target=count)
    t.start()
    begin = time.perf_counter()
    upsweep.argsort(a)
    end = time.perf_counter()
    done.set()
    t.join()
    inside = [x for x in ticks if begin < x < end]
    assert len(inside) > (end - begin) / 0.05


def test_fork():
    a = np.random.default_rng(5).standard_normal(1 << 20)
    wanted = upsweep.sort(a)  # the parent's threads are started
    graph = upsweep.Graph([0, 1], [1, 2])
    child = os.fork()
    if child == 0:
        ok = (upsweep.sort(a) == wanted).all()
        # A handle of its own has threads of its own.
        ok = ok and (CORES == 1 or len(os.listdir("/proc/self/task")) > 1)
        ok = ok and graph.distances(0).tolist() == [0, 1, 2]
        ok = ok and upsweep.Graph([0], [1]).distances(0).tolist() == [0, 1]
        os._exit(0 if ok else 1)
    for _ in range(600):
        got, status = os.waitpid(child, os.WNOHANG)
        if got:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child did not end")
    assert status == 0
    same(upsweep.sort(a), wanted)


def test_a_limit_of_scratch_is_a_memory_error():
    a = np.random.default_rng(6).standard_normal(1 << 20)
    before = a.copy()
    try:
        upsweep.set_threads(0, scratch_limit=4096)
        with pytest.raises(MemoryError):
            upsweep.argsort(a)
    finally:
        upsweep.set_threads(0)
    same(a, before)


def test_docstrings():
    for name in ("", "._sorting", "._folding", "._scanning", "._counting", "._moving", "._graph",
                 "._csgraph", "._clusters", "._about", ".lanes"):
        module = importlib.import_module("upsweep" + name)
        result = doctest.testmod(module)
        assert result.failed == 0
    for name in upsweep.__all__:
        assert getattr(upsweep, name).__doc__, name


def test_the_first_page_names_every_function():
    for name in upsweep.__all__:
        assert name in upsweep.__doc__ or name in ("Event", "Picture", "NegativeCycleError"), name


def test_types_are_known():
    folder = os.path.dirname(upsweep.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed"))
    stub = open(os.path.join(folder, "__init__.pyi"), encoding="utf-8").read()
    for name in upsweep.__all__:
        assert f"def {name}(" in stub or f"class {name}" in stub, name


def cost(f, n=3000):
    best = 1e9
    for _ in range(15):
        begin = time.perf_counter_ns()
        for _ in range(n):
            f()
        best = min(best, (time.perf_counter_ns() - begin) / n)
    return best


def test_a_call_costs_little_beyond_its_own():
    """The bar is 0.8 us beyond the call of C; twice that here, since the machine may be busy."""
    a, out = np.arange(1000, dtype="i8"), np.empty(1000, "i8")
    core = upsweep._core
    for name, f, own in [
            ("sort", lambda: upsweep.sort(a), lambda: core.sort(a, 0)),
            ("argsort", lambda: upsweep.argsort(a), lambda: core.argsort(a, out, 0)),
            ("is_sorted", lambda: upsweep.is_sorted(a), lambda: core.is_sorted(a, 0)),
            ("sum", lambda: upsweep.sum(a), lambda: core.reduce(a, 0x101, 0, 1)),
            ("min", lambda: upsweep.min(a), lambda: core.reduce(a, 0x103, 0, 1)),
            ("argmax", lambda: upsweep.argmax(a), lambda: core.argmax(a, 0)),
            ("cumsum", lambda: upsweep.cumsum(a), lambda: core.scan(a, out, 0x101, 0))]:
        beyond = min(cost(f, 1000) - cost(own, 1000) for _ in range(2))
        for _ in range(20):  # a busy machine: some moment is quiet
            if beyond < 1600:
                break
            beyond = min(beyond, cost(f, 1000) - cost(own, 1000))
        assert beyond < 1600, name


def test_import_is_quick():
    code = ("import time; a = time.perf_counter(); import numpy; b = time.perf_counter(); import upsweep; "
            "print(b - a, time.perf_counter() - b)")
    numpys, ours = [], []
    for _ in range(30):
        two = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        numpy_took, took = map(float, two.stdout.split())
        numpys.append(numpy_took)
        ours.append(took)
        # The aim is 30 ms on a machine with nothing else to do; a busy one is busy for numpy, too.
        if len(ours) >= 5 and min(ours) < max(0.06, 0.6 * min(numpys)):
            return
    raise AssertionError(f"upsweep takes {min(ours)} s, numpy {min(numpys)} s")


# ---- traces, pictures, the program ----

def test_trace_is_that_of_the_program():
    numbers = [5, 3, 9, 1, 7, 2]
    for name in ("sort/bitonic", "sort/radix", "scan/sweep"):
        out = subprocess.run([sys.executable, "-m", "upsweep", "trace", name, "--format", "jsonl",
                              *map(str, numbers)], capture_output=True, check=True, text=True).stdout
        theirs = [json.loads(line) for line in out.splitlines()]
        ours = list(upsweep.trace(name, numbers))
        assert len(ours) == len(theirs)
        last = [e for e in ours if e.kind == "array"][-1]
        if name.startswith("sort"):
            assert list(last.values) == sorted(numbers)


def test_every_algorithm_has_a_trace_and_a_picture():
    for a in upsweep.algorithms():
        events = list(upsweep.trace(a["name"]))
        assert events[0].kind == "begin" and events[-1].kind == "end"
        for film in (False, True):
            svg = upsweep.view(a["name"], film=film)._repr_html_()
            assert svg.startswith("<svg") and svg.endswith("</svg>")
            import xml.etree.ElementTree
            xml.etree.ElementTree.fromstring(svg)


def test_trace_errors():
    for call, kind in [(lambda: upsweep.trace("sort/none"), ValueError),
                       (lambda: upsweep.trace("sort/bitonic", [-1]), ValueError),
                       (lambda: upsweep.trace("sort/bitonic", [0.5]), TypeError),
                       (lambda: upsweep.trace("sort/bitonic", []), TypeError),
                       (lambda: upsweep.explain("sort/none"), ValueError),
                       (lambda: upsweep.explain("sort"), TypeError)]:
        with pytest.raises(kind):
            call()


def test_reports():
    upsweep.sort(np.arange(5000)[::-1].copy())
    assert upsweep.last_report()["algorithm"] == "reversed"
    choice = upsweep.explain(np.empty(10**6, "f4"))
    assert choice["device"] == "cpu" and choice["algorithm"]


def test_program(tmp_path):
    def run(*words):
        return subprocess.run([sys.executable, "-m", "upsweep", *words], capture_output=True,
                              text=True, input="3\n1\n2\n", check=False)
    assert run("sort", "-n").stdout == "1\n2\n3\n"
    assert run("sort", "--nonsense").returncode == 2
    assert upsweep.__version__ in run("version").stdout

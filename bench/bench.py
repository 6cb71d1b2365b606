#!/usr/bin/env python3
"""bench.py BUILD_DIR [options] - upsweep beside its rivals on this machine.

Each rival is a process of its own (worker.c). For every cell (operation, type, n, pattern, threads)
the rivals take turns, round after round, each on a fresh copy of the same input, so that drift of the
machine hits all alike; the figure is the median of the rounds. A rival whose answer is wrong is named
and left out. Results go to a table on stdout and to a JSON file; plot.py draws them.
"""
# SPDX-License-Identifier: MIT

import argparse
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import time

PATTERNS = ["uniform", "sorted", "reversed", "few", "zipf", "equal", "swapped", "organ"]
SORTS = ["keys", "stable", "pairs", "argsort", "by", "records"]
CALLS = ["stable", "pairs", "argsort", "by", "records", "merge", "nth", "top100", "top1%", "unique"]
CALLS += ["runs", "split", "compact", "histogram", "reduce", "scan"]
ONE_PATTERN = {"merge": "halves", "unique": "runs", "runs": "runs"}
ADVERSARIES = ["top24", "clusters", "bucket99"]
STRETCHES = ["uniform", "tail1%", "tail10%", "changed0.1%", "changed1%", "2files", "8files", "organ"]
SETTLE = 0.03  # s: OpenMP's threads look for work for 20 ms after a call, and would take the next rival's cores


class Rival:
    def __init__(self, path):
        self.name = os.path.basename(path)[len("bench_") :]
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def ask(self, cell):
        self.process.stdin.write(" ".join(str(x) for x in cell) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def run(self, cell):
        self.ask(cell)
        return self.answer()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def rounds_for(n):
    return 9 if n <= 1 << 16 else 5 if n <= 1 << 22 else 3


def measure(rivals, cell, rounds):
    """{rival: median ns per element} for one cell."""
    times = {r.name: [] for r in rivals}
    playing = list(rivals)
    slow = set()
    for r in playing:  # all make their input at once, warm up and are checked
        r.ask((*cell, 7))
    for r in list(playing):
        answer = r.answer()
        if answer in ("skip", "bad", "wrong", ""):
            if answer != "skip":
                print(f"  {r.name}: {answer or 'died'} at {cell}", file=sys.stderr)
            playing.remove(r)
            times.pop(r.name)
    for turn in range(rounds):
        first = turn % max(1, len(playing))  # who comes after whom tells in a few microseconds
        for r in playing[first:] + playing[:first]:
            if r.name in slow:
                continue  # seconds per run: one timed run says enough
            if cell[4] > 1:
                time.sleep(SETTLE)
            started = time.monotonic()
            times[r.name].append(float(r.run((*cell, 7))))
            if time.monotonic() - started > 2.0:
                slow.add(r.name)
    return {name: statistics.median(t) for name, t in times.items() if t}


def machine():
    name = platform.processor()
    try:
        with open("/proc/cpuinfo") as f:
            name = next(l.split(":", 1)[1].strip() for l in f if l.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": name, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}


def cells(o):
    for threads in o.threads:
        for op in o.ops:
            for type_ in o.types:
                for log in o.sizes:
                    patterns = o.patterns if op in SORTS else [ONE_PATTERN.get(op, "uniform")]
                    for pattern in patterns:
                        yield (op, type_, 1 << log, pattern, threads)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build")
    p.add_argument("--ops", nargs="+", default=["keys"])
    p.add_argument("--types", nargs="+", default=["u32", "u64"])
    p.add_argument("--sizes", nargs="+", type=int, default=[10, 16, 20, 24], help="log2 of n")
    p.add_argument("--patterns", nargs="+", default=PATTERNS + ADVERSARIES)
    p.add_argument("--threads", nargs="+", type=int, default=[1, os.cpu_count()])
    p.add_argument("--rivals", nargs="+", help="only these (default: all that were built)")
    p.add_argument("--also", nargs="+", default=[], help="programs built elsewhere from worker.c")
    p.add_argument("--rounds", type=int, help="timed ones a cell (default: 9 to 3, by n)")
    p.add_argument("--json", default="bench.json")
    p.add_argument("--calls", action="store_true", help="all other calls, uniform, of 2^16 and 2^22")
    p.add_argument("--stretches", action="store_true", help="keys in order over long stretches")
    o = p.parse_args()
    if o.calls:
        o.ops, o.patterns, o.sizes = CALLS, ["uniform"], [16, 22]
    if o.stretches:
        o.patterns = STRETCHES

    folder = os.path.join(o.build, "bench")
    paths = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.startswith("bench_")]
    paths += o.also
    paths = [f for f in paths if os.access(f, os.X_OK) and os.path.isfile(f)]
    if o.rivals:
        wanted = ["bench_" + name for name in o.rivals + ["upsweep"]]
        paths = [f for f in paths if os.path.basename(f) in wanted]
    rivals = []
    threads = None
    rows = []
    print("ns per element, medians; ratio = best rival / upsweep, above 1 we win; x unif = how many times")
    print("the speed of uniform keys, where these were measured first")
    print(f"{'op':10}{'type':5}{'n':>6} {'pattern':9}{'thr':>3} {'upsweep':>9} {'ratio':>6} {'x unif':>6}  rivals")
    uniform = {}
    loads = []  # programs that want a core, ours among them
    ended = []  # by SIGTERM, as timeout(1) sends it: what is measured by then is written
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    for cell in cells(o):
        if ended:
            print("ended before the last cell")
            break
        if cell[4] != threads:  # some rivals keep the number of threads of their first call
            threads = cell[4]
            for r in rivals:
                r.end()
            rivals = [Rival(f) for f in paths]
        times = measure(rivals, cell, o.rounds or rounds_for(cell[2]))
        loads.append(os.getloadavg()[0])
        ours = times.get("upsweep")
        others = sorted((t, name) for name, t in times.items() if name != "upsweep")
        ratio = others[0][0] / ours if ours and others else None
        if cell[3] == "uniform" and ours:
            uniform[cell[:3] + cell[4:]] = ours
        faster = uniform.get(cell[:3] + cell[4:], float("nan")) / ours if ours else float("nan")
        rows.append(dict(zip(("op", "type", "n", "pattern", "threads"), cell), times=times, ratio=ratio))
        print(
            f"{cell[0]:10}{cell[1]:5}{'2^' + str(cell[2].bit_length() - 1):>6} {cell[3]:9}{cell[4]:>3} "
            f"{ours if ours else float('nan'):9.3f} {ratio if ratio else float('nan'):6.2f} {faster:6.2f}  "
            + ", ".join(f"{name} {t:.2f}" for t, name in others),
            flush=True,
        )
    with open(o.json, "w") as f:
        load = [min(loads, default=0), statistics.median(loads or [0]), max(loads, default=0)]
        about = {"machine": {**machine(), "load": load}, "time": time.strftime("%F"), "stretches": o.stretches}
        json.dump({**about, "rows": rows}, f, indent=1)
    losses = [r for r in rows if r["ratio"] and r["ratio"] < 1]
    print(f"{len(rows)} cells, below 1.0 in {len(losses)}; written to {o.json}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""paths.py BUILD_DIR [options] - upsweep's shortest paths beside its rivals on this machine.

Each rival is a process of its own (paths_worker.c). For every graph and number of threads they take
turns, each round from another source; the figure is the median of the rounds. All must find the same
distances. A rival that knows one thread only is compared with one thread only.
"""
# SPDX-License-Identifier: MIT

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from bench import machine


class Rival:
    def __init__(self, path):
        self.name = os.path.basename(path)[len("paths_") :]
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, cell):
        self.process.stdin.write(" ".join(str(x) for x in cell) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()


def measure(rivals, graph, threads, rounds):
    """{rival: median ms} for one graph."""
    times = {r.name: [] for r in rivals}
    for turn in range(rounds + 1):
        sums = {}
        for r in rivals:
            answer = r.run((*graph, threads, 7919 * turn))
            if len(answer) == 2:
                sums[r.name] = answer[1]
                if turn > 0:  # the first round warms up
                    times[r.name].append(float(answer[0]))
        if len(set(sums.values())) > 1:
            sys.exit(f"the distances differ: {graph}: {sums}")
    return {name: statistics.median(t) for name, t in times.items() if t}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build")
    p.add_argument("--graphs", nargs="+", default=["grid:300", "grid:1000", "uniform:18", "hubs:18"])
    p.add_argument("--threads", nargs="+", type=int, default=[1, os.cpu_count()])
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--json", default="paths.json")
    o = p.parse_args()
    folder = os.path.join(o.build, "bench")
    rivals = [Rival(os.path.join(folder, f)) for f in sorted(os.listdir(folder))
              if f.startswith("paths_") and os.access(os.path.join(folder, f), os.X_OK)
              and os.path.isfile(os.path.join(folder, f))]
    rows = []
    print("ms from one source to all, medians; ratio = best rival / upsweep, above 1 we win")
    for text in o.graphs:
        graph = tuple(text.split(":"))
        for threads in o.threads:
            times = measure(rivals, graph, threads, o.rounds)
            ours = times.get("upsweep")
            others = sorted((t, name) for name, t in times.items() if name != "upsweep")
            ratio = others[0][0] / ours if ours and others else None
            rows.append({"graph": text, "threads": threads, "times": times, "ratio": ratio})
            print(f"{text:12} {threads:>3} threads {ours or float('nan'):9.2f} "
                  f"{ratio or float('nan'):6.2f}  "
                  + ", ".join(f"{name} {t:.2f}" for t, name in others), flush=True)
    with open(o.json, "w") as f:
        json.dump({"machine": machine(), "time": time.strftime("%F"), "rows": rows}, f, indent=1)


if __name__ == "__main__":
    main()

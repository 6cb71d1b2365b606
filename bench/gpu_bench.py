#!/usr/bin/env python3
"""gpu_bench.py BUILD_DIR [options] - upsweep on a GPU beside CUB, torch.sort and cupy.sort.

Each program bench_gpu_* of the build directory measures upsweep and CUB in turn within one process, on
device arrays (gpu_sort.cu says how). torch and cupy, where they are installed, sort the same kind of
keys in this process between the cells. Results go to a table on stdout and to a JSON file;
gpu_plot.py draws them. The last column is the share of the roofline: the bytes that any sort must
move (each key and value read once and written once) over time, over the copy rate of that run.
"ratio" is of calls on arrays that are new to the library, "again" of calls that it has seen before,
"queued" of both programs' work where all of it is queued before it begins: the host's speed is in
the first, in the last it is not.
Scan, reduce, split, selection, merges and histograms follow: bench_folds (folds.cu) prints them.
"""
# SPDX-License-Identifier: MIT

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

PATTERNS = ["reals", "normal", "lognormal", "powerlaw", "log99", "times", "uniform", "sorted",
            "reversed", "equal", "few16", "and3", "zipf", "clusters", "top24", "bucket99", "sparse",
            "unit", "v5000", "v65536", "moved100", "moved1000", "late", "turned", "files2", "files8", "near1000",
            "near1e6", "rising", "walk", "v1e6", "v4e6", "cents", "around9", "below6", "part70"]


class Program:
    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def run(self, *cell):
        self.process.stdin.write(" ".join(str(x) for x in cell) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line == "":
            sys.exit(f"gpu_bench.py: bench_gpu_sort ended at {cell}")
        return None if line.strip() == "skip" else json.loads(line)


def framework_times(row, rounds):
    """{name: median us} of torch.sort and cupy.sort on uniform keys of this type."""
    times = {}
    n, kind = row["n"], row["type"]
    if row["op"] != "keys" or row["pattern"] != "uniform" or kind not in ("f32", "f64"):
        return times
    try:
        import torch

        keys = torch.rand(n, device="cuda", dtype={"f32": torch.float32, "f64": torch.float64}[kind])
        took = []
        for _ in range(rounds + 1):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            torch.sort(keys)
            end.record()
            end.synchronize()
            took.append(begin.elapsed_time(end) * 1000)
        times["torch"] = statistics.median(took[1:])
        del keys
        torch.cuda.empty_cache()
    except (ImportError, RuntimeError):
        pass
    try:
        import cupy

        keys = cupy.random.random(n, dtype={"f32": cupy.float32, "f64": cupy.float64}[kind])
        took = []
        for _ in range(rounds + 1):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            cupy.sort(keys)
            end.record()
            end.synchronize()
            took.append(cupy.cuda.get_elapsed_time(begin, end) * 1000)
        times["cupy"] = statistics.median(took[1:])
        del keys
        cupy.get_default_memory_pool().free_all_blocks()
    except (ImportError, RuntimeError):
        pass
    return times


def folds(path):
    """What bench_folds measures, a dict a line; it prints ours, then CUB's where CUB has the like."""
    line = re.compile(r" *(\d+) x 4 bytes  (.{30}) +([\d.]+) ms +([\d.]+) TB/s +([\d.]+) of a copy")
    rows = []
    with subprocess.Popen([path], stdout=subprocess.PIPE, text=True) as process:
        for text in process.stdout:
            print(text, end="", flush=True)
            found = line.match(text)
            if found is None:
                sys.exit(f"gpu_bench.py: bench_folds says: {text}")
            name, ms, share = found[2].strip(), float(found[3]), float(found[5])
            if name == "CUB":
                rows[-1].update({"cub_ms": ms, "cub_share": share})
            else:
                rows.append({"words": int(found[1]), "name": name, "ms": ms, "share": share})
    if process.returncode != 0:
        sys.exit("gpu_bench.py: bench_folds failed")
    return rows


def machine():
    """The GPU and its driver, as nvidia-smi names them."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        text = subprocess.run(query, capture_output=True, text=True, check=True).stdout
        return "one " + text.split("\n")[0].replace(", ", ", driver ")
    except (OSError, subprocess.CalledProcessError):
        return "an unknown GPU"


def cells(o):
    for op in o.ops:
        for kind in o.types:
            for size in o.sizes:
                for pattern in o.patterns if size in o.adversary_sizes else ["uniform"]:
                    yield op, kind, size, pattern


def show(row):
    ours, best = row["times"]["upsweep"], min(v for k, v in row["times"].items() if k != "upsweep")
    row["ratio"] = best / ours
    row["again_ratio"] = row["times"]["cub"] / row["again"]["upsweep"]
    row["queued_ratio"] = row["queued"]["cub"] / row["queued"]["upsweep"]
    row["roofline"] = row["least_bytes"] / ours / 1e6 / row["copy_tbs"]
    rivals = "  ".join(f"{k} {v:9.1f}" for k, v in row["times"].items() if k != "upsweep")
    print(
        f"{row['op']:8}{row['type']:5}{row['n']:11} {row['pattern']:9} upsweep {ours:9.1f} us "
        f"{row['n'] / ours / 1e3:8.2f} Gkeys/s  {rivals}  ratio {row['ratio']:5.2f}  "
        f"again {row['again_ratio']:5.2f}  queued {row['queued_ratio']:5.2f}  "
        f"roofline {100 * row['roofline']:5.1f}%{'' if row['right'] else '  WRONG'}",
        flush=True,
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--json", default="bench_gpu.json")
    p.add_argument("--ops", nargs="*", default=["keys", "pairs", "argsort"])
    p.add_argument("--no-folds", action="store_true")
    p.add_argument("--types", nargs="+", default=["u32", "u64", "f32", "f64", "u16", "u8"])
    # Up to 63 it is the logarithm of n. Sizes between powers of two show what shapes cost that do not fit.
    sizes = [*range(10, 31, 2), *(10**k for k in range(4, 10))]
    p.add_argument("--sizes", nargs="+", type=int, default=sizes)
    p.add_argument("--adversary-sizes", nargs="+", type=int, default=[16, 24, 28])
    p.add_argument("--patterns", nargs="+", default=PATTERNS)
    p.add_argument("--rounds", type=int, default=11)
    o = p.parse_args()
    program = Program(f"{o.build}/bench_gpu_sort")
    rows, fold_rows = [], []
    ended = []  # by SIGTERM, as timeout(1) sends it: what is measured by then is written
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    for op, kind, size, pattern in cells(o):
        if ended:
            print("ended before the last cell")
            break
        row = program.run(op, kind, size, pattern, o.rounds)
        if row is not None:
            row["times"].update(framework_times(row, o.rounds))
            show(row)
            rows.append(row)
    path = f"{o.build}/bench_folds"
    if not o.no_folds and os.path.exists(path):
        fold_rows = folds(path)
    with open(o.json, "w", encoding="utf-8") as f:
        json.dump({"machine": machine(), "time": time.strftime("%F"), "rows": rows, "folds": fold_rows}, f, indent=1)
    wrong = [r for r in rows if not r["right"]]
    if wrong:
        sys.exit(f"gpu_bench.py: {len(wrong)} results differ from CUB's")


if __name__ == "__main__":
    main()

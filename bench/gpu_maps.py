#!/usr/bin/env python3
"""gpu_maps.py BUILD_DIR [ROUNDS] - what the bucket sort's kernels for keys without a map gain on a GPU.

u32 and u64 need no map, and their last steps have kernels of their own. i32 and i64 take the kernels that
map, by the one formula that all maps are (core/keymap.h). So the time of uniform i32 over that of uniform u32, sorted in
turn in one process (bench_gpu_sort), is what u32 would take without kernels of its own. Each line says
type, n, both medians in us, and the ratio; the last one the greatest ratio and the verdict by the rule of
2%.
"""
# SPDX-License-Identifier: MIT
import json
import statistics
import subprocess
import sys


def main():
    build, rounds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "15"
    bench = subprocess.Popen([f"{build}/bench_gpu_sort"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(kind, size):
        bench.stdin.write(f"keys {kind} {size} uniform {rounds}\n")
        bench.stdin.flush()
        line = bench.stdout.readline()
        if not line or line.strip() == "skip":
            sys.exit(f"gpu_maps.py: bench_gpu_sort does not sort {kind} of 2^{size}")
        row = json.loads(line)
        if not row["right"]:
            sys.exit(f"gpu_maps.py: {kind} of 2^{size} came out wrong")
        return row["queued"]["upsweep"]

    worst = 0.0
    for plain, mapped in (("u32", "i32"), ("u64", "i64")):
        for size in (22, 24, 25, 26, 27, 28, 29):
            times = [(ask(plain, size), ask(mapped, size)) for _ in range(3)]
            a, b = (statistics.median(t[k] for t in times) for k in (0, 1))
            worst = max(worst, b / a)
            print(f"{plain} 2^{size}: {a:.1f} us, {mapped} {b:.1f} us, ratio {b / a:.3f}")
    print(f"greatest ratio {worst:.3f}: " + ("one kind of kernels does" if worst < 1.02 else "both kinds stay"))


main()

#!/usr/bin/env python3
"""python_gpu.py - the Python package on a GPU beside torch, cupy and cuda.compute, in one process.

    python_gpu.py [--markdown FILE] [--only sorts,cupy,rows,public] [--rounds N] [--most N]

sorts: torch.sort (keys and positions). cupy: cupy.sort and cupy.argsort, all of them given cupy's arrays. rows:
torch.topk by rows. public: the problems sort, prefix sum and histogram that GPU MODE ranks, with inputs made by the
same rule and of the same sizes (github.com/gpu-mode/reference-kernels, problems/pmpp_v2).

A package that is not installed is found by PYTHONPATH: an unpacked wheel with libupsweep_cuda.so beside its
_core.abi3.so. Before a sort or a selection is timed its keys are compared with the rival's, and its positions
must lead to them. "(bar x)": less than what was aimed at. --most leaves out what is longer.

Ours and each option of the rivals take turns, round by round, each between two events on one
stream; medians are compared, and a rival counts by its best option. A rival that is not installed is
left out, with a sentence.
"""
# SPDX-License-Identifier: MIT
import argparse
import statistics
import sys

import torch
import upsweep

SIZES = [1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28]
TORCH_BAR, CUPY_BAR, ROWS_BAR = 2.5, 2, 2  # times as fast as the rival, which was aimed at
WARM = 4  # rounds before: ours keeps a sort that comes for the third time as a graph
ROWS = [(64, 128_256, 50), (64, 8192, 512), (2048, 131_072, 1024), (65_536, 1024, 8)]


def medians(ways, rounds):
    """Microseconds of each way."""
    times = {name: [] for name in ways}
    for _ in range(WARM):
        for way in ways.values():
            way()
    for _ in range(rounds):
        for name, way in ways.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            way()
            end.record()
            end.synchronize()
            times[name].append(begin.elapsed_time(end) * 1000)
    return {name: statistics.median(t) for name, t in times.items()}


def gathered(x, index):
    """x at the positions, which are those of the last axis."""
    if isinstance(x, torch.Tensor):
        return x.gather(-1, index.to(torch.int64))
    return x[index]


def check(what, n, ways, x):
    """Whether ours gives the rival's keys: those of x that the positions lead to, where there are any."""
    (_, ours), (_, theirs) = list(ways.items())[:2]
    found, expected = ours(), theirs()
    if what.startswith("cupy's arrays, positions"):
        pairs = [(gathered(x, found), gathered(x, expected))]
    elif isinstance(expected, tuple):
        pairs = [(found[0], expected[0]), (gathered(x, found[1]), expected[0])]
    else:
        pairs = [(found, expected)]
    for a, b in pairs:
        if a.shape != b.shape or not bool((a == b).all()):
            sys.exit(f"python_gpu.py: {what} of {n}: ours and the rival's differ")


def random(n, dtype):
    if dtype.is_floating_point:
        return torch.randn(n, device="cuda").to(dtype)
    return torch.randint(-(1 << 62), 1 << 62, (n,), device="cuda", dtype=dtype)


def sorts(sizes):
    for dtype in (torch.float32, torch.int64, torch.bfloat16):
        for n in sizes:
            x = random(n, dtype)
            name = str(dtype).partition(".")[2]
            yield f"keys and positions, {name}", n, TORCH_BAR, x, {
                "ours": lambda x=x: upsweep.sort(x, return_index=True),
                "torch.sort": lambda x=x: torch.sort(x),
                "torch.sort stable": lambda x=x: torch.sort(x, stable=True)}


def cupys(sizes):
    try:
        import cupy
    except ImportError:
        print("cupy is not installed")
        return
    for name, dtype in (("f4", torch.float32), ("i8", torch.int64), ("f8", torch.float64), ("u4", torch.int64)):
        for n in sizes:
            x = cupy.from_dlpack(random(n, dtype)).astype(name, copy=False)
            ways = {"ours": lambda x=x: upsweep.sort(x), "cupy.sort": lambda x=x: cupy.sort(x)}
            yield f"cupy's arrays, keys, {name}", n, CUPY_BAR, x, ways
            ways = {"ours": lambda x=x: upsweep.argsort(x), "cupy.argsort": lambda x=x: cupy.argsort(x)}
            yield f"cupy's arrays, positions, {name}", n, CUPY_BAR, x, ways


def rows(sizes):
    for count, length, k in ROWS:
        if count * length > sizes[-1]:
            continue
        x = torch.randn((count, length), device="cuda")
        yield f"top {k} of {count} rows, f32", count * length, ROWS_BAR, x, {
            "ours": lambda x=x, k=k: upsweep.top_k(x, k),
            "torch.topk": lambda x=x, k=k: torch.topk(x, k),
            "torch.topk, not sorted": lambda x=x, k=k: torch.topk(x, k, sorted=False)}


def with_scratch(maker, arguments, call):
    """An algorithm of cuda.compute as a function without arguments, its scratch taken beforehand."""
    made = maker(**arguments)
    scratch = torch.empty(made(temp_storage=None, **call), dtype=torch.uint8, device="cuda")
    return lambda: made(temp_storage=scratch, **call)


def compute():
    """cuda.compute, or None."""
    try:
        import cuda.compute
        return cuda.compute
    except ImportError as why:
        print(f"cuda.compute is left out: {why}")
        return None


def their_way(ways, name, make):
    """Adds a rival's way, or says why it can't be had."""
    try:
        ways[name] = make()
        ways[name]()
    except Exception as why:  # whatever its compiler or bindings raise
        ways.pop(name, None)
        print(f"{name} is left out: {type(why).__name__}: {why}")


def public_sort(cc):
    for n, seed in ((100_000, 54352), (500_000, 93246), (1_000_000, 6256), (10_000_000, 8841),
                    (100_000_000, 6252)):
        count = int(n**0.5)
        torch.manual_seed(seed)
        means = torch.arange(seed, seed + count, device="cuda", dtype=torch.float32)
        x = (torch.randn((count, -(-n // count)), device="cuda") + means[:, None]).flatten()[:n]
        x, y = x.contiguous(), torch.empty(n, device="cuda")
        ways = {"ours": lambda x=x, y=y: upsweep.sort(x, out=y),
                "torch.sort": lambda x=x: torch.sort(x)}
        if cc is not None:
            arrays = {"d_in_keys": x, "d_out_keys": y, "d_in_values": None, "d_out_values": None}
            their_way(ways, "cuda.compute", lambda: with_scratch(
                cc.make_radix_sort, {**arrays, "order": cc.SortOrder.ASCENDING},
                {**arrays, "num_items": n}))
        yield "GPU MODE's sort, f32", n, None, None, ways


def public_scan(cc):
    import numpy as np

    for exponent in range(18, 29, 2):
        n = 1 << exponent
        torch.manual_seed(exponent)
        x, y = torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
        ways = {"ours": lambda x=x, y=y: upsweep.cumsum(x, out=y),
                "torch.cumsum": lambda x=x, y=y: torch.cumsum(x, 0, out=y)}
        if cc is not None:
            zero = np.zeros(1, np.float32)
            their_way(ways, "cuda.compute", lambda: with_scratch(
                cc.make_inclusive_scan,
                {"d_in": x, "d_out": y, "op": cc.OpKind.PLUS, "init_value": zero},
                {"d_in": x, "d_out": y, "op": cc.OpKind.PLUS, "init_value": zero, "num_items": n}))
        yield "GPU MODE's prefix sum, f32", n, None, None, ways


def public_histogram(cc):
    import numpy as np

    for n, percent in ((1_310_720, 10), (2_621_440, 10), (2_621_440, 40), (2_621_440, 90),
                       (5_242_880, 10), (10_485_760, 10)):
        torch.manual_seed(n + percent)
        x = torch.randint(0, 256, (n,), device="cuda", dtype=torch.uint8)
        x[torch.rand(n, device="cuda") < percent / 100] = 77
        ways = {"ours": lambda x=x: upsweep.bincount(x, minlength=256),
                "torch.bincount": lambda x=x: torch.bincount(x, minlength=256)}
        if cc is not None:
            counts = torch.zeros(256, dtype=torch.int32, device="cuda")
            fixed = {"d_samples": x, "d_histogram": counts,
                     "h_num_output_levels": np.array([257], np.int32),
                     "h_lower_level": np.array([0], np.int32),
                     "h_upper_level": np.array([256], np.int32), "num_samples": n}
            call = {k: v for k, v in fixed.items()}
            their_way(ways, "cuda.compute",
                      lambda: with_scratch(cc.make_histogram_even, fixed, call))
        yield f"GPU MODE's histogram, u8, {percent}% one value", n, None, None, ways


def public(sizes):
    cc = compute()
    yield from public_sort(cc)
    yield from public_scan(cc)
    yield from public_histogram(cc)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--markdown")
    p.add_argument("--only", default="sorts,cupy,rows,public")
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--most", type=int, default=SIZES[-1])
    o = p.parse_args()
    sizes = [n for n in SIZES if n <= o.most] or SIZES[:1]
    if not torch.cuda.is_available():
        sys.exit("python_gpu.py: there is no GPU that torch can use")
    lines = [f"{torch.cuda.get_device_name()}, torch {torch.__version__}, upsweep {upsweep.__version__}", "",
             "| what | n | ours, us | rival, us | rival's best | ratio |", "|---|---|---|---|---|---|"]
    print(lines[0])
    for part in o.only.split(","):
        for what, n, bar, x, ways in {"sorts": sorts, "cupy": cupys, "rows": rows, "public": public}[part](sizes):
            if x is not None:
                check(what, n, ways, x)
            times = medians(ways, o.rounds)
            ours = min(t for name, t in times.items() if name.startswith("ours"))
            name, best = min((t, k) for k, t in times.items() if not k.startswith("ours"))[::-1]
            mark = "" if bar is None or best / ours >= bar else f" (bar {bar})"
            lines.append(f"| {what} | {n:,} | {ours:,.1f} | {best:,.1f} | {name} | {best / ours:.2f}{mark} |")
            print(lines[-1], flush=True)
    if o.markdown:
        with open(o.markdown, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

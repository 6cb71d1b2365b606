#!/usr/bin/env python3
"""python.py - the Python package beside numpy, polars, pandas and scipy, in one process.

    python.py [--quick] [--markdown FILE]

Every line measures ours and each option of the rival in turn, round by round, so that a busy moment
meets all of them; the medians are compared, and the rival counts by its best option. Inputs are made
anew from a seed. UPSWEEP_ISA=avx2 in the environment caps ours; numpy's own dispatch goes by
NPY_DISABLE_CPU_FEATURES, which this sets likewise: by the names of numpy before 2.4, and by X86_V4 since.
"""
# SPDX-License-Identifier: MIT
import argparse
import os
import statistics
import sys
import time

AVX2 = os.environ.get("UPSWEEP_ISA") == "avx2"
if AVX2:
    os.environ.setdefault("NPY_DISABLE_CPU_FEATURES",
                          "X86_V4 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR")
import numpy as np  # noqa: E402
import upsweep  # noqa: E402


def left_of_avx512():
    """What numpy may still choose that AVX2 has not: its names change, and one that it does not know it passes over."""
    from numpy._core import _multiarray_umath as m
    return [name for name in m.__cpu_dispatch__ if name.startswith(("AVX512", "X86_V4")) and m.__cpu_features__[name]]


def medians(ways, budget):
    """Seconds of each way, by rounds in which each comes once."""
    runs = {}
    for name, way in ways.items():  # how many times make a round long enough to be measured
        way()
        begin = time.perf_counter()
        way()
        runs[name] = max(1, int(2e-4 / max(time.perf_counter() - begin, 1e-7)))
    times = {name: [] for name in ways}
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(next(iter(times.values()))) < 5:
        for name, way in ways.items():
            begin = time.perf_counter()
            for _ in range(runs[name]):
                way()
            times[name].append((time.perf_counter() - begin) / runs[name])
    return {name: statistics.median(t) for name, t in times.items()}


def keys(rng, n, dtype):
    if dtype[0] == "f":
        return rng.standard_normal(n).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, n, dtype=dtype)


def numpy_lines(sizes):
    rng = np.random.default_rng(1)
    for n in sizes:
        for dtype in ("i4", "i8", "f4", "f8"):
            a = keys(rng, n, dtype)
            yield f"sort {dtype}", n, 1.0 if n < 1e5 else 1.3, {
                "ours": lambda a=a: upsweep.sort(a), "np.sort": lambda a=a: np.sort(a),
                "np.sort stable": lambda a=a: np.sort(a, kind="stable")}
    for n in [s for s in sizes if s >= 1000]:
        for dtype in ("i4", "f8"):
            a = keys(rng, n, dtype)
            few = rng.integers(0, n // 10 + 1, n).astype(dtype)
            k = n // 2
            yield f"argsort stable {dtype}", n, 4, {
                "ours": lambda a=a: upsweep.argsort(a),
                "np.argsort stable": lambda a=a: np.argsort(a, kind="stable")}
            yield f"partition {dtype}", n, 1, {
                "ours": lambda a=a, k=k: upsweep.partition(a, k),
                "np.partition": lambda a=a, k=k: np.partition(a, k)}
            yield f"argpartition {dtype}", n, 1, {
                "ours": lambda a=a, k=k: upsweep.argpartition(a, k),
                "np.argpartition": lambda a=a, k=k: np.argpartition(a, k)}
            yield f"top 10 {dtype}", n, 1, {
                "ours": lambda a=a: upsweep.top_k(a, 10),
                "np.argpartition, take, argsort": lambda a=a: top_by_numpy(a, 10)}
            yield f"unique {dtype}, n / 10 values", n, 2, {
                "ours": lambda a=few: upsweep.unique(a), "np.unique": lambda a=few: np.unique(a)}
            yield f"unique with inverse {dtype}", n, 1, {
                "ours": lambda a=few: upsweep.unique(a, return_inverse=True),
                "np.unique": lambda a=few: np.unique(a, return_inverse=True)}
            b = rng.integers(0, 100, n).astype("i4")
            yield f"sort with positions {dtype}", n, 1, {
                "ours": lambda a=a: upsweep.sort(a, return_index=True),
                "np.argsort stable, take": lambda a=a: taken_by_numpy(a)}
            yield f"lexsort i4 of 100, {dtype}", n, 5, {
                "ours": lambda a=a, b=b: upsweep.lexsort((a, b)),
                "np.lexsort": lambda a=a, b=b: np.lexsort((a, b))}
        for dtype in ("f4", "f8", "i8"):
            a = keys(rng, n, dtype)
            yield f"sum {dtype}", n, 1, {"ours": lambda a=a: upsweep.sum(a),
                                         "np.sum": lambda a=a: np.sum(a)}
            yield f"cumsum {dtype}", n, 1, {"ours": lambda a=a: upsweep.cumsum(a),
                                            "np.cumsum": lambda a=a: np.cumsum(a)}
        a = keys(rng, n, "f8")
        yield "histogram f8, 100 bins", n, 1, {"ours": lambda a=a: upsweep.histogram(a, 100),
                                               "np.histogram": lambda a=a: np.histogram(a, 100)}
        i = rng.integers(0, 1000, n)
        yield "bincount i8 of 1,000", n, 1, {"ours": lambda i=i: upsweep.bincount(i),
                                             "np.bincount": lambda i=i: np.bincount(i)}
        s, v = np.sort(a), keys(rng, n, "f8")
        yield "searchsorted f8", n, 1, {"ours": lambda s=s, v=v: upsweep.searchsorted(s, v),
                                        "np.searchsorted": lambda s=s, v=v: np.searchsorted(s, v)}
        rows = a[:n // 100 * 100].reshape(-1, 100)
        yield "rows of 100, sort f8", n, 1, {"ours": lambda r=rows: upsweep.sort(r),
                                             "np.sort": lambda r=rows: np.sort(r)}
        yield "sum of rows of 100, f8", n, 1, {"ours": lambda r=rows: upsweep.sum(r, axis=1),
                                               "np.sum": lambda r=rows: np.sum(r, axis=1)}
        yield "rows of 100, sort along axis 0", n, 1, {
            "ours": lambda r=rows: upsweep.sort(r, axis=0), "np.sort": lambda r=rows: np.sort(r, axis=0)}


def taken_by_numpy(a):
    order = np.argsort(a, kind="stable")
    return a[order], order


def text_lines(sizes):
    for n in sizes:
        words = np.array([f"{v:x}" for v in np.random.default_rng(n).integers(0, 2**40, n)])
        for kind in "UST" if hasattr(np, "dtypes") and hasattr(np.dtypes, "StringDType") else "US":
            a = words.astype(kind)
            yield f"sort text {kind}", n, 1, {
                "ours": lambda a=a: upsweep.sort(a), "np.sort": lambda a=a: np.sort(a)}
            yield f"argsort text {kind}", n, 1, {
                "ours": lambda a=a: upsweep.argsort(a),
                "np.argsort stable": lambda a=a: np.argsort(a, kind="stable")}


def top_by_numpy(a, k):
    index = np.argpartition(a, a.size - k)[-k:]
    index = index[np.argsort(-a[index])]
    return a[index], index


def table_lines(sizes):
    rng = np.random.default_rng(2)
    try:
        import polars as pl
    except ImportError:
        pl = None
    try:
        import pandas as pd
    except ImportError:
        pd = None
    for n in [s for s in sizes if s >= 10000]:
        for dtype in ("i4", "f8"):
            a = keys(rng, n, dtype)
            if pl:
                s = pl.Series("a", a)
                yield f"polars Series.sort {dtype}", n, 2, {
                    "ours": lambda s=s: upsweep.sort(s),
                    "polars": lambda s=s: s.sort(),
                    "polars, one thread": lambda s=s: s.sort(multithreaded=False)}
                yield f"polars Series.arg_sort {dtype}", n, 2, {
                    "ours": lambda s=s: upsweep.argsort(s), "polars": lambda s=s: s.arg_sort()}
            if pd:
                f = pd.DataFrame({"a": a, "b": np.arange(n), "c": rng.standard_normal(n)})
                yield f"pandas sort_values {dtype}, 3 columns", n, 3, {
                    "ours": lambda f=f: upsweep.take_rows(f, upsweep.argsort(f["a"])),
                    **{f"pandas {kind}": lambda f=f, kind=kind: f.sort_values("a", kind=kind)
                       for kind in ("quicksort", "stable", "heapsort")}}


def graph_lines(quick):
    try:
        import scipy.sparse as sp
        from scipy.sparse import csgraph
    except ImportError:
        return
    rng = np.random.default_rng(3)
    for side in (100, 300) if quick else (100, 1000):
        n = side * side
        v = np.arange(n).reshape(side, side)
        tail = np.concatenate([v[:, :-1].ravel(), v[:-1].ravel()])
        head = np.concatenate([v[:, 1:].ravel(), v[1:].ravel()])
        w = rng.integers(1, 100, tail.size).astype("f8")
        g = sp.coo_array((np.tile(w, 2), (np.append(tail, head), np.append(head, tail))),
                         (n, n)).tocsr()
        made = upsweep.Graph.from_scipy(g)
        yield f"dijkstra, grid {side} x {side}, Graph", n, 8, {
            "ours": lambda made=made: upsweep.dijkstra(made, indices=0),
            "scipy": lambda g=g: csgraph.dijkstra(g, indices=0)}
        yield f"dijkstra, grid {side} x {side}, from the matrix", n, None, {
            "ours": lambda g=g: upsweep.dijkstra(g, indices=0),
            "scipy": lambda g=g: csgraph.dijkstra(g, indices=0)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if AVX2 and left_of_avx512():
        sys.exit(f"numpy still computes by {', '.join(left_of_avx512())}: switch it off in NPY_DISABLE_CPU_FEATURES")
    sizes = [16, 100, 1000, 10**5, 10**6] if options.quick else [16, 100, 1000, 10**4, 10**5, 10**6,
                                                                 10**7]
    rows = []
    for lines in (numpy_lines(sizes), text_lines([n for n in sizes if n >= 1000]), table_lines(sizes),
                  graph_lines(options.quick)):
        for what, n, bar, ways in lines:
            if options.only not in what:
                continue
            times = medians(ways, 0.1 if options.quick else 0.5)
            ours = times.pop("ours")
            best = min(times, key=times.get)
            ratio = times[best] / ours
            mark = "" if bar is None or ratio >= bar else f" (bar {bar})"
            rows.append(f"| {what} | {n:,} | {1e6 * ours:,.1f} | {1e6 * times[best]:,.1f} | {best} "
                        f"| {ratio:.2f}{mark} |")
            print(rows[-1], flush=True)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as f:
            f.write("| call | n | ours, us | rival, us | rival's best | ratio |\n"
                    "|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()

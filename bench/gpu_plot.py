#!/usr/bin/env python3
"""gpu_plot.py BENCH_GPU.json OUT - draws what gpu_bench.py measured on uniform keys: throughput over n,
and the share of the roofline, one column an operation and type, as OUT.svg and OUT.png; and of scans,
reductions and splits the share of a copy's rate over n, as OUT_folds.svg and OUT_folds.png."""
# SPDX-License-Identifier: MIT

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from plot_colours import dress  # noqa: E402


FOLDS = ["scan u32", "scan u64", "scan f32", "reduce u32", "reduce f32", "split u32",
         "compact u32, half kept"]


def save(figure, axis, path):
    """With the legend of that axis below."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path + ".svg")
    dress(path + ".svg")
    figure.savefig(path + ".png", dpi=110)


def draw_folds(rows, path):
    names = [n for n in FOLDS if any(r["name"] == n for r in rows)]
    if not names:
        return
    figure, axes = plt.subplots(
        1, len(names), figsize=(2.4 * len(names), 3), sharey=True, squeeze=False
    )
    for name, axis in zip(names, axes[0]):
        some = [r for r in rows if r["name"] == name]
        axis.plot([4 * r["words"] for r in some], [100 * r["share"] for r in some],
                  label="upsweep", linewidth=2.4, color="#c1121f", marker="o", markersize=4)
        theirs = [r for r in some if "cub_share" in r]
        axis.plot([4 * r["words"] for r in theirs], [100 * r["cub_share"] for r in theirs],
                  label="cub", linewidth=1, marker=".", markersize=4)
        axis.set_title(name, fontsize=10)
        axis.set_xscale("log", base=2)
        axis.set_xlabel("bytes")
        axis.grid(True, alpha=0.3)
    axes[0][0].set_ylabel("% of a copy's rate")
    save(figure, axes[0][0], path)


def main():
    measured = json.load(open(sys.argv[1]))
    draw_folds(measured.get("folds", []), sys.argv[2] + "_folds")
    rows = [r for r in measured["rows"] if r["pattern"] == "uniform"]
    kinds = [k for k in dict.fromkeys((r["op"], r["type"]) for r in rows) if k[1] in ("u32", "u64")]
    figure, axes = plt.subplots(
        2, len(kinds), figsize=(3.4 * len(kinds), 5.6), sharex=True, squeeze=False
    )
    for k, kind in enumerate(kinds):
        some = [r for r in rows if (r["op"], r["type"]) == kind]
        for name in sorted({n for r in some for n in r["times"]}, key=lambda n: n != "upsweep"):
            points = sorted((r["n"], r["times"][name], r) for r in some if name in r["times"])
            style = {
                "label": name,
                "linewidth": 2.4 if name == "upsweep" else 1,
                "color": "#c1121f" if name == "upsweep" else None,
                "marker": "o" if name == "upsweep" else ".",
                "markersize": 4,
            }
            axes[0][k].plot([p[0] for p in points], [p[0] / p[1] / 1e3 for p in points], **style)
            share = [100 * p[2]["least_bytes"] / p[1] / 1e6 / p[2]["copy_tbs"] for p in points]
            axes[1][k].plot([p[0] for p in points], share, **style)
        axes[0][k].set_title(" ".join(kind), fontsize=10)
        axes[1][k].set_xlabel("n")
        for axis in (axes[0][k], axes[1][k]):
            axis.set_xscale("log", base=2)
            axis.grid(True, alpha=0.3)
    axes[0][0].set_ylabel("Gkeys/s")
    axes[1][0].set_ylabel("% of one copy")
    save(figure, axes[0][0], sys.argv[2])


if __name__ == "__main__":
    main()

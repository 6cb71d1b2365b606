#!/usr/bin/env python3
"""gpu_plot.py BENCH_GPU.json OUT - draws what gpu_bench.py measured on uniform keys: throughput over n,
and the share of the roofline, one column an operation and type, as OUT.svg and OUT.png."""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def main():
    rows = [r for r in json.load(open(sys.argv[1]))["rows"] if r["pattern"] == "uniform"]
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
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(sys.argv[2] + ".svg")
    figure.savefig(sys.argv[2] + ".png", dpi=110)


if __name__ == "__main__":
    main()

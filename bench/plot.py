#!/usr/bin/env python3
"""plot.py BENCH.json... OUT - draws what bench.py measured: ns per key over n, one panel a pattern, as
OUT.svg and OUT.png. Of several files, the last that has a cell counts."""
# SPDX-License-Identifier: MIT

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from plot_colours import NAMES, dress  # noqa: E402


def main():
    files = [json.load(open(name)) for name in sys.argv[1:-1]]
    data, out = files[-1], sys.argv[-1]
    cells = {
        (r["type"], r["n"], r["pattern"], r["threads"]): r
        for file in files
        for r in file["rows"]
        if r["op"] == "keys"
    }
    rows = list(cells.values())
    patterns = list(dict.fromkeys(r["pattern"] for r in rows))
    type_ = rows[0]["type"]
    threads = max(r["threads"] for r in rows)
    titles = {"uniform": "uniform", "few": "16 values", "equal": "all equal", "swapped": "1% swapped"}
    columns = min(4, len(patterns))
    lines = -(-len(patterns) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(3.4 * columns, 2.8 * lines), sharex=True, squeeze=False
    )
    for k, pattern in enumerate(patterns):
        axis = axes[k // columns][k % columns]
        some = [
            r for r in rows if (r["pattern"], r["type"], r["threads"]) == (pattern, type_, threads)
        ]
        names = sorted({n for r in some for n in r["times"]}, key=lambda n: n != "upsweep")
        for name in names:
            points = sorted((r["n"], r["times"][name]) for r in some if name in r["times"])
            ours = name == "upsweep"
            axis.plot(
                [p[0] for p in points],
                [p[1] for p in points],
                label=NAMES.get(name, name),
                linewidth=2.4 if ours else 1,
                color="#c1121f" if ours else None,
                zorder=3 if ours else 2,
                marker="o" if ours else ".",
                markersize=4,
            )
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_title(titles.get(pattern, pattern), fontsize=10)
        axis.grid(True, alpha=0.3)
    axes[0][0].set_ylabel("ns per key")
    for axis in axes[-1]:
        axis.set_xlabel("n")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=8, frameon=False)
    figure.suptitle(f"sorting {type_} keys, {threads} thread{'s' if threads > 1 else ''}, {data['machine']['cpu']}", fontsize=11)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(out + ".svg")
    dress(out + ".svg")
    figure.savefig(out + ".png", dpi=110)


if __name__ == "__main__":
    main()

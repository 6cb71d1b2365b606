#!/usr/bin/env python3
"""tables.py OUT_DIR FILE.json ... - writes what the benches measured as pages of tables.

A page is written whole, from one run: bench.py's and paths.py's files become cpu_PAGE.md, gpu_bench.py's
gpu_PAGE.md. docs/numbers/tables holds the pages of the last runs; nobody edits them. Every cell of a
sort is there, with the rival that was best in it; where that rival was faster the ratio is bold, and the cell named.
"""
# SPDX-License-Identifier: MIT
import json
import os
import sys

CPU_PAGES = {
    "sorts": ["keys", "stable"],
    "pairs": ["pairs", "argsort"],
    "merges": ["by", "records", "merge"],
    "selection": ["nth", "top100", "top1%", "unique", "runs", "split", "compact"],
    "histograms": ["histogram"],
    "folds": ["reduce", "scan"],
}
WRITTEN = "Written by bench/tables.py from one run; not edited by hand. [Back to the summary](../../numbers.md)."


def number(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"


def figure(x):
    return f"{x:.2f}" if x < 10 else f"{x:.1f}" if x < 1000 else f"{x:,.0f}"


def ratio(value):
    """To two places, bold where we are slower."""
    text = f"{value:.2f}"
    return f"**{text}**" if value < 1 else text


def beside(times, names):
    """Ours, and how much faster it is than the best rival, whose letter follows."""
    ours = times.get("upsweep")
    others = sorted((t, name) for name, t in times.items() if name != "upsweep")
    if ours is None:
        return "-"
    if not others:
        return figure(ours)
    return f"{figure(ours)} ({ratio(others[0][0] / ours)}{names[others[0][1]]})"


def letters(rows):
    """A letter for each rival, the first of its name that is free."""
    chosen = {}
    for name in sorted({name for row in rows for name in row["times"]} - {"upsweep"}):
        free = [c for c in name.replace("_", "") + "abcdefghijklmnopqrstuvwxyz" if c not in chosen.values()]
        chosen[name] = free[0]
    return chosen


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def in_order(values):
    return list(dict.fromkeys(values))


def grid(rows, down, across, cell):
    """A table of the rows by two of their fields."""
    found = {(row[down], row[across]): cell(row) for row in rows}
    columns = in_order(row[across] for row in rows)
    name = number if across == "n" else str
    body = [[str(d) if down != "n" else number(d), *(found.get((d, a), "") for a in columns)]
            for d in in_order(row[down] for row in rows)]
    return table([down, *map(name, columns)], body)


def below(rows):
    """How many cells are lost, in a sentence."""
    lost = [row for row in rows if row.get("ratio") and row["ratio"] < 1]
    named = [f"{row['op']} {row.get('type')} {number(row['n'])} {row['pattern']}"
             + (f" by {row['threads']}" if row.get("threads", 1) > 1 else "") + f" {row['ratio']:.2f}"
             for row in lost if "pattern" in row]
    return f"{len(rows)} cells, {len(lost)} of them below 1" + ": " * bool(named) + "; ".join(named) + "."


def load(machine):
    """How many programs wanted a core meanwhile, in a sentence."""
    least, middle, most = machine["load"]
    return f"Meanwhile {least:.1f} to {most:.1f} programs wanted a core, {middle:.1f} in the middle, the bench among them."


def cpu_page(page, rows, machine, date):
    names = letters(rows)
    text = [f"# CPU, {page}: measured", "", WRITTEN, "",
            f"`make bench`, {date}: {machine['cpu']}, {machine['cores']} cores, {machine['system']}. Each rival is a",
            "process of its own; they take turns, each on a fresh copy of the same input; medians. ns an element, and",
            "in brackets best rival / upsweep: above 1 we are faster. Rivals: "
            + ", ".join(f"{letter} {name}" for name, letter in names.items()) + ".", load(machine), "", below(rows)]
    for op in in_order(row["op"] for row in rows):
        for threads in in_order(row["threads"] for row in rows):
            for kind in in_order(row["type"] for row in rows):
                some = [r for r in rows if (r["op"], r["threads"], r["type"]) == (op, threads, kind)]
                if some:
                    plural = "thread" if threads == 1 else "threads"
                    text += ["", f"## {op}, {kind}, {threads} {plural}", ""]
                    text += grid(some, "pattern", "n", lambda r: beside(r["times"], names))
    return text


def paths_page(rows, machine, date):
    names = letters(rows)
    text = ["# cpu/paths: measured", "", WRITTEN, "",
            f"`make bench`, {date}: {machine['cpu']}, {machine['cores']} cores, {machine['system']}. From one source to",
            "all, ms, medians; in brackets best rival / upsweep. Rivals: "
            + (", ".join(f"{letter} {name}" for name, letter in names.items()) or "none was built") + ".", below(rows), ""]
    return text + grid(rows, "graph", "threads", lambda r: beside(r["times"], names))


def gpu_page(rows, machine, date):
    names = letters(rows)
    text = ["# gpu/bucket_sort and gpu/digit_sort: measured", "", WRITTEN, "",
            f"`make bench-gpu`, {date}: {machine}. Arrays in device memory, the public call by its own choice, both in",
            "one process in turn, inputs restored, medians by events. us, and in brackets best rival / upsweep: above 1",
            "we are faster. Rivals: " + ", ".join(f"{letter} {name}" for name, letter in names.items()) + ".", below(rows)]
    for op in in_order(row["op"] for row in rows):
        for pattern in in_order(row["pattern"] for row in rows if row["op"] == op):
            some = [r for r in rows if (r["op"], r["pattern"]) == (op, pattern)]
            text += ["", f"## {op}, {pattern}", ""]
            text += grid(some, "n", "type", lambda r: beside(r["times"], names))
    return text


def folds_page(folds, machine, date):
    text = ["# gpu/folds and gpu/selection: measured", "", WRITTEN, "",
            f"`make bench-gpu`, {date}: {machine}. Elements of 4 bytes in device memory; ms, and the share of the",
            "bandwidth of a copy that the fewest possible bytes took, beside CUB's where CUB has the like.", ""]
    body = []
    for row in folds:
        cub = row.get("cub_ms")
        body.append([row["name"], number(row["words"]), f"{row['ms']:.4f}", f"{row['share']:.2f}",
                     "" if cub is None else f"{cub:.4f} ({ratio(cub / row['ms'])})"])
    return text + table(["operation", "n", "ms", "share of a copy", "CUB"], body)


def pages_of(data):
    """{file name: lines} of what one bench wrote."""
    date, machine, rows = data["time"], data["machine"], data["rows"]
    if "folds" in data:
        found = {"gpu_sorts.md": gpu_page(rows, machine, date)} if rows else {}
        if data["folds"]:
            found["gpu_folds.md"] = folds_page(data["folds"], machine, date)
        return found
    if data.get("stretches"):
        return {"cpu_patterns.md": cpu_page("patterns", rows, machine, date)}
    if rows and "graph" in rows[0]:
        return {"cpu_paths.md": paths_page(rows, machine, date)}
    pages = {page: [row for row in rows if row["op"] in ops] for page, ops in CPU_PAGES.items()}
    return {f"cpu_{page}.md": cpu_page(page, some, machine, date) for page, some in pages.items() if some}


def joined(files):
    """The data of the files; runs of the same bench are one, as those of `make bench` for sorts and calls."""
    kinds = {}
    for name in files:
        with open(name, encoding="utf-8") as f:
            data = json.load(f)
        kind = "gpu" if "folds" in data else "paths" if data["rows"] and "graph" in data["rows"][0] else "cpu"
        kind = "stretches" if data.get("stretches") else kind
        if kind in kinds:
            kinds[kind]["rows"] += data["rows"]
        else:
            kinds[kind] = data
    return kinds.values()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for data in joined(sys.argv[2:]):
        for name, lines in pages_of(data).items():
            with open(os.path.join(out, name), "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
            print(f"tables: {os.path.join(out, name)}")


if __name__ == "__main__":
    main()

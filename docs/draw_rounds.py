#!/usr/bin/env python3
"""draw_rounds.py PROGRAM OUT.svg - draws docs/rounds.svg from traces: what `upsweep trace --format
jsonl` tells is all it knows. Two sorts as the paths of their keys from place to place, and a scan as
the tree it climbs up and down."""
# SPDX-License-Identifier: MIT

import colorsys
import json
import subprocess
import sys

KEYS = [11, 4, 14, 1, 9, 16, 6, 2, 13, 8, 3, 15, 7, 12, 5, 10]
WIDTH, HEIGHT, TOP, LEFT = 300, 330, 46, 34


def trace(program, name, values):
    command = [program, "trace", name, "--format", "jsonl", *map(str, values)]
    return [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]


def colour(value):
    red, green, blue = colorsys.hls_to_rgb(0.62 - 0.6 * (value - 1) / (len(KEYS) - 1), 0.5, 0.75)
    return f"#{int(255 * red):02x}{int(255 * green):02x}{int(255 * blue):02x}"


def panel(x, title, words, body):
    return (
        f'<g transform="translate({x},0)"><text x="{LEFT}" y="20" class="title">{title}</text>'
        f'<text x="{LEFT}" y="36" class="words">{words}</text>{body}</g>'
    )


def sort_panel(x, program, name, title):
    """Every key is a line; a swap lets two lines cross."""
    events = trace(program, name, KEYS)
    places = [list(KEYS)]
    compares = 0
    for e in events:
        if e["event"] == "round":
            places.append(list(places[-1]))
        elif e["event"] == "compare":
            compares += 1
        elif e["event"] == "swap":
            row = places[-1]
            row[e["i"]], row[e["j"]] = row[e["j"]], row[e["i"]]
    rounds = len(places) - 1
    step, gap = (WIDTH - 2 * LEFT) / rounds, (HEIGHT - TOP - 30) / (len(KEYS) - 1)
    body = ""
    for value in KEYS:
        at = [(LEFT + r * step, TOP + 14 + gap * row.index(value)) for r, row in enumerate(places)]
        path = f"M{at[0][0]:.1f},{at[0][1]:.1f}"
        for (x0, y0), (x1, y1) in zip(at, at[1:]):
            middle = (x0 + x1) / 2
            path += f"C{middle:.1f},{y0:.1f} {middle:.1f},{y1:.1f} {x1:.1f},{y1:.1f}"
        body += f'<path d="{path}" stroke="{colour(value)}"/>'
        for px, py in (at[0], at[-1]):
            side = -8 if px == at[0][0] else 8
            anchor = "end" if side < 0 else "start"
            body += f'<text x="{px + side:.1f}" y="{py + 3.5:.1f}" text-anchor="{anchor}">{value}</text>'
    return panel(x, title, f"{rounds} rounds, {compares} compares", body)


def scan_panel(x, program, values):
    """Every cell that a round changes is a node, joined to the cells it was combined from."""
    events = trace(program, "scan/sweep", values)
    row, body, cells, lines = 0, "", "", ""
    last = [0] * len(values)
    state = list(values)
    rounds = sum(e["event"] == "round" for e in events)
    combines = sum(e["event"] == "combine" for e in events)
    dx, dy = (WIDTH - 2 * LEFT) / (len(values) - 1), (HEIGHT - TOP - 30) / rounds

    def point(i, r):
        return LEFT + i * dx, TOP + 14 + r * dy

    def cell(i, r, value, kind):
        px, py = point(i, r)
        return (
            f'<rect x="{px - 12:.1f}" y="{py - 8:.1f}" width="24" height="16" rx="5" class="{kind}"/>'
            f'<text x="{px:.1f}" y="{py + 3.8:.1f}" text-anchor="middle">{value}</text>'
        )

    cells += "".join(cell(i, 0, v, "start") for i, v in enumerate(values))
    changed, label = {}, ""
    for e in events + [{"event": "end_round"}]:
        if e["event"] == "round":
            row, label, changed = row + 1, e["label"], {}
        elif e["event"] in ("combine", "set"):
            changed.setdefault(e["i"], set()).add(e["i"])
            if e["event"] == "combine":
                changed[e["i"]].add(e["j"])
                if label == "down":
                    changed.setdefault(e["j"], set()).add(e["i"])
            state[e["i"]] = e["a"]
        elif e["event"] == "array" and row > 0 and changed:
            for i, sources in changed.items():
                for j in sources:
                    (x0, y0), (x1, y1) = point(j, last[j]), point(i, row)
                    kind = "edge" if last[j] + 1 == row or label == "up" else "edge kept"
                    lines += f'<path d="M{x0:.1f},{y0:.1f}L{x1:.1f},{y1:.1f}" class="{kind}"/>'
                cells += cell(i, row, e["values"][i], "up" if label == "up" else "down")
            for i in changed:
                last[i] = row
            changed = {}
    body = lines + cells
    return panel(x, "scan: up the tree and down", f"{rounds} rounds, {combines} additions", body)


def main():
    program, out = sys.argv[1:3]
    panels = [
        sort_panel(0, program, "sort/oddeven", "odd-even sort"),
        sort_panel(WIDTH + 14, program, "sort/bitonic", "bitonic sort"),
        scan_panel(2 * (WIDTH + 14), program, [3, 1, 7, 0, 4, 1, 6, 3]),
    ]
    width = 3 * WIDTH + 28
    style = (
        "text{font:11px system-ui,sans-serif;fill:#333}.title{font-size:14px;font-weight:600}"
        ".words{fill:#777}path{fill:none;stroke-width:2.4}.edge{stroke:#9aa;stroke-width:1.2}"
        ".kept{stroke-dasharray:2 4;stroke:#c3cccc}"
        "rect{stroke:#889;stroke-width:.8}.start{fill:#fff}.up{fill:#d8e8ff}.down{fill:#ffe3cf}"
        ".paper{fill:#fff;stroke:none}@media(prefers-color-scheme:dark){.paper{fill:#0d1117}"
        "text{fill:#e6edf3}.words{fill:#9da7b3}.edge{stroke:#768390}.kept{stroke:#444c56}"
        ".start{fill:#161b22}.up{fill:#16345e}.down{fill:#5a3210}}"
    )
    with open(out, "w", encoding="utf-8") as f:
        f.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" '
            f'height="{HEIGHT}"><style>{style}</style><rect width="{width}" height="{HEIGHT}" '
            f'class="paper"/>{"".join(panels)}</svg>\n'
        )


if __name__ == "__main__":
    main()

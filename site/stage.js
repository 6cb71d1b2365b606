// stage.js - draws a frame: a row of cells for each array, what the lanes read in blue and dashed, what
// they wrote in orange and bold, and which elements they brought together.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
function svg(name, attributes, ...inside) {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    node.append(...inside);
    return node;
}

// Brackets get levels so that of two which overlap the wider lies deeper and no two lie on one line.
function levelsOf(pairs) {
    const levels = [];
    const sorted = pairs.slice().sort((p, q) => (p.j - p.i) - (q.j - q.i) || p.i - q.i);
    for (const p of sorted) {
        let level = 0;
        while ((levels[level] || []).some((q) => p.i <= q.j && q.i <= p.j)) level++;
        (levels[level] = levels[level] || []).push(p);
        p.level = level;
    }
    return levels.length;
}

// What the steps of a frame did: marks of cells, pairs within an array, links from one to another.
function actionsOf(frame) {
    const marks = new Map(), pairs = new Map(), links = [];
    const mark = (how) => ([name, i]) => {
        if (marks.get(`${name} ${i}`) !== "written") marks.set(`${name} ${i}`, how);
    };
    for (const s of frame.steps) {
        readsOf(s).forEach(mark("read"));
        writesOf(s).forEach(mark("written"));
        if (s.other === undefined) continue;
        if (s.array === s.other) {
            const i = Math.min(s.i, s.j), j = Math.max(s.i, s.j), key = `${s.array} ${i} ${j}`;
            const pair = pairs.get(key) || { array: s.array, i, j, lane: s.lane, written: false };
            pair.written = pair.written || s.kind !== KIND.compare;
            if (i !== j) pairs.set(key, pair);
        } else if (s.kind === KIND.combine) {
            links.push({ from: [s.other, s.j], to: [s.array, s.i], lane: s.lane, written: true });
        } else {
            links.push({ from: [s.array, s.i], to: [s.other, s.j], lane: s.lane, written: s.kind === KIND.move });
        }
    }
    return { marks, pairs: [...pairs.values()], links };
}

// The arrays to draw at a frame: those that its phase uses, in the order of their first use.
function arraysAt(play, at) {
    const { frames, order } = play, phase = frames[at].phase, used = new Set();
    const same = (k) => frames[k] && frames[k].phase === phase && frames[k].number > 0;
    let from = at, to = at;
    while (same(from - 1) && same(at)) from--;
    while (same(to + 1) && same(at)) to++;
    for (let k = from; k <= to; k++) {
        for (const s of frames[k].steps) used.add(s.array).add(s.other);
        for (const s of frames[k].shown) used.add(s.name);
    }
    return { from, to, names: order.filter((name) => used.has(name) && frames[at].arrays.has(name)) };
}

const BAR = 84, BOX = 26, HEAD = 20, INDEX = 14, GAP = 12, LEVEL = 11;

// What stays as it is for a phase: rows with their heights, the width of a cell.
function layoutOf(play, at, width) {
    const { from, to, names } = arraysAt(play, at), rows = new Map();
    const key = `${from} ${to} ${width} ${names}`, known = play.layouts.get(key);
    if (known) return known;
    let longest = 1, digits = 1, y = 0;
    for (const name of names) {
        let levels = 0, n = 0, vector = 0, greatest = 1, bars = false;
        for (let k = from; k <= to; k++) {
            const a = play.frames[k].arrays.get(name);
            const pairs = actionsOf(play.frames[k]).pairs.filter((p) => p.array === name);
            levels = Math.max(levels, levelsOf(pairs));
            if (!a) continue;
            n = Math.max(n, a.values.length);
            vector = a.vector || vector;
            for (const v of a.values) {
                if (v === undefined || v === UNREACHED) continue;
                greatest = Math.max(greatest, v);
                digits = Math.max(digits, String(v).length);
            }
            bars = bars || name === play.order[0] || a.role === "result";
        }
        bars = bars && !play.path;
        const bar = !bars ? 0 : names.length > 3 ? BAR / 2 : names.length > 1 ? BAR : 2 * BAR;
        rows.set(name, { y, bar, n, vector, greatest, levels });
        longest = Math.max(longest, n + (vector > 0 ? n / vector * 0.3 : 0));
        y += HEAD + bar + BOX + INDEX + levels * LEVEL + GAP;
    }
    const least = Math.max(20, 8.4 * digits + 6);
    const cell = Math.max(least, Math.min(84, (width - 4) / longest));
    const layout = { rows, cell, width: Math.max(width, cell * longest + 4), height: y, path: play.path };
    play.layouts.set(key, layout);
    return layout;
}

function leftOf(layout, name, i) {
    const row = layout.rows.get(name);
    return 2 + i * layout.cell + (row.vector > 0 ? Math.floor(i / row.vector) * 0.3 * layout.cell : 0);
}
function centreOf(layout, [name, i]) {
    const row = layout.rows.get(name);
    return row && { x: leftOf(layout, name, i) + layout.cell / 2, y: row.y + HEAD + row.bar + BOX / 2 };
}

function drawCell(layout, name, a, i, mark) {
    const row = layout.rows.get(name), x = leftOf(layout, name, i), w = layout.cell - 3;
    const value = a.values[i], none = value === undefined || i >= a.n;
    const lost = value === UNREACHED && (a.role === "distances" || a.vector > 0 || layout.path);
    const top = row.y + HEAD, tall = none || lost ? 0 : row.bar * value / row.greatest;
    const group = svg("g", { class: `cell ${mark || ""} ${none ? "none" : ""}`, "data-array": name, "data-i": i });
    if (row.bar > 0) group.append(svg("rect", { class: "well", x, y: top, width: w, height: row.bar, rx: 3 }));
    if (tall > 0) {
        group.append(svg("rect", { class: "bar", x, y: top + row.bar - tall, width: w, height: tall, rx: 2 }));
    }
    group.append(svg("rect", { class: "box", x, y: top + row.bar, width: w, height: BOX, rx: 4 }));
    const text = none ? "" : !lost ? String(value) : a.vector > 0 ? "~" : "-";
    const size = Math.min(w > 50 ? 18 : 15, (w - 3) / Math.max(1, text.length) / 0.62);
    group.append(svg("text", { class: "value", x: x + w / 2, y: top + row.bar + BOX / 2 + size * 0.35,
        "font-size": size }, text));
    group.append(svg("text", { class: "index", x: x + w / 2, y: top + row.bar + BOX + 11 }, String(i)));
    return group;
}

function drawPair(layout, p, depth) {
    const row = layout.rows.get(p.array), half = layout.cell / 2 - 1.5;
    const x = leftOf(layout, p.array, p.i) + half, to = leftOf(layout, p.array, p.j) + half;
    const top = row.y + HEAD + row.bar + BOX + INDEX, y = top + p.level * depth + 5, r = 4;
    const d = `M${x} ${top}V${y - r}q0 ${r} ${r} ${r}H${to - r}q${r} 0 ${r} ${-r}V${top}`;
    const group = svg("g", { class: `pair ${p.written ? "written" : "read"}` }, svg("path", { d }));
    group.append(svg("title", {}, `lane ${p.lane}: ${p.array}[${p.i}] and ${p.array}[${p.j}]`));
    return group;
}

function drawLink(layout, link) {
    const a = centreOf(layout, link.from), b = centreOf(layout, link.to);
    if (!a || !b) return "";
    const down = b.y > a.y, y = a.y + (down ? BOX / 2 : -BOX / 2);
    const row = layout.rows.get(link.to[0]);
    const end = down ? b.y - BOX / 2 - row.bar - 3 : b.y + BOX / 2 + 2, middle = (y + end) / 2;
    const d = `M${a.x} ${y}C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${end}`;
    return svg("path", { class: `link ${link.written ? "written" : "read"}`, d });
}

// Draws frame `at` of a replayed trace into the element; returns the layout. named: pairs to draw instead
// of what the frame's lanes did, while the next round is asked for; or null.
function drawStage(node, play, at, named) {
    const frame = play.frames[at], layout = layoutOf(play, at, node.clientWidth || 640);
    const { marks, pairs, links } = named ? { marks: new Map(), pairs: named, links: [] } : actionsOf(frame);
    const picture = svg("svg", { width: layout.width, height: layout.height, class: "stage",
        viewBox: `0 0 ${layout.width} ${layout.height}`, "aria-hidden": "true" });
    picture.append(...links.map((link) => drawLink(layout, link)));
    for (const [name, row] of layout.rows) {
        const a = frame.arrays.get(name);
        const role = a.role === "scan" ? ": scanned" : a.role === "buckets" ? ": bucket of each element" : "";
        picture.append(svg("text", { class: "name", x: 2, y: row.y + 14 }, name + role));
        for (let i = 0; i < row.n; i++) picture.append(drawCell(layout, name, a, i, marks.get(`${name} ${i}`)));
        const here = pairs.filter((p) => p.array === name);
        levelsOf(here);
        picture.append(...here.map((p) => drawPair(layout, p, LEVEL)));
    }
    node.replaceChildren(picture);
    return layout;
}

// Values fly from where they were read to where they were written.
function animateStage(node, layout, frame, milliseconds) {
    const at = new Map();
    for (const cell of node.querySelectorAll(".cell")) at.set(`${cell.dataset.array} ${cell.dataset.i}`, cell);
    const fly = (from, to) => {
        const a = centreOf(layout, from), b = centreOf(layout, to), cell = at.get(to.join(" "));
        const text = cell && cell.querySelector(".value");
        if (!a || !b || !text || !text.animate) return;
        text.animate([{ transform: `translate(${a.x - b.x}px,${a.y - b.y}px)` }, { transform: "none" }],
            { duration: milliseconds, easing: "cubic-bezier(.4,0,.2,1)" });
    };
    for (const s of frame.steps) {
        if (s.kind === KIND.swap) {
            fly([s.array, s.i], [s.array, s.j]);
            fly([s.array, s.j], [s.array, s.i]);
        } else if (s.kind === KIND.move) {
            fly([s.array, s.i], [s.other, s.j]);
        } else if (s.kind === KIND.combine) {
            fly([s.other, s.j], [s.array, s.i]);
        }
    }
}

if (typeof module !== "undefined") module.exports = { levelsOf, actionsOf };

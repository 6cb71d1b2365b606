// graph.js - for shortest paths: the graph that the numbers describe, with weights, distances, the source,
// and which arcs and vertices the round is about.
"use strict";

function drawGraph(node, play, at) {
    const input = play.trace.input, frame = play.frames[at], arcs = [];
    for (let k = 0; k + 2 < input.length; k += 3) arcs.push({ from: input[k], to: input[k + 1], weight: input[k + 2] });
    const count = 1 + Math.max(0, ...arcs.map((a) => Math.max(a.from, a.to)));
    const width = Math.min(node.clientWidth || 640, 620), height = Math.min(300, 120 + 30 * count);
    const place = (v) => {
        const angle = Math.PI + 2 * Math.PI * v / count;
        return { x: width / 2 + (width / 2 - 44) * Math.cos(angle), y: height / 2 + (height / 2 - 40) * Math.sin(angle) };
    };
    const value = (name, i) => frame.arrays.has(name) ? frame.arrays.get(name).values[i] : undefined;
    const wrote = new Set(frame.steps.flatMap((s) => writesOf(s).map(([name, i]) => `${name} ${i}`)));
    const picture = svg("svg", { width, height, class: "graph", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    arcs.forEach((arc, k) => {
        const a = place(arc.from), b = place(arc.to), dx = b.x - a.x, dy = b.y - a.y, far = Math.hypot(dx, dy) || 1;
        const cut = 21 / far, bend = 14 / far; // arcs there and back do not lie on one another
        const x = (a.x + b.x) / 2 - dy * bend, y = (a.y + b.y) / 2 + dx * bend, out = 4 / far;
        const lit = wrote.has(`way ${k}`) ? "written" : "";
        picture.append(svg("path", { class: `arc ${lit}`, "marker-end": `url(#tip${lit})`,
            d: `M${a.x + dx * cut} ${a.y + dy * cut}Q${x} ${y} ${b.x - dx * cut} ${b.y - dy * cut}` }));
        picture.append(svg("text", { class: `weight ${lit}`, x: x - dy * out, y: y + dx * out + 4 }, String(arc.weight)));
    });
    for (let v = 0; v < count; v++) {
        const p = place(v), dist = value("dist", v), open = value("open", v);
        const state = dist === undefined || dist === UNREACHED ? "far" : open === UNREACHED ? "settled" : "waits";
        const lit = wrote.has(`dist ${v}`) || wrote.has(`open ${v}`) ? "written" : "";
        picture.append(svg("circle", { class: `vertex ${state} ${lit}`, cx: p.x, cy: p.y, r: 17 }));
        if (v === 0) picture.append(svg("circle", { class: "origin", cx: p.x, cy: p.y, r: 21 }));
        picture.append(svg("text", { class: `number ${state}`, x: p.x, y: p.y + 5 }, String(v)));
        const text = dist === undefined || dist === UNREACHED ? "not reached" : `distance ${dist}`;
        picture.append(svg("text", { class: "dist", x: p.x, y: p.y + (p.y > height / 2 ? 36 : -26) }, text));
    }
    for (const lit of ["", "written"]) {
        picture.prepend(svg("marker", { id: `tip${lit}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7,
            markerHeight: 7, orient: "auto", class: `tip ${lit}` }, svg("path", { d: "M0 0L10 5L0 10z" })));
    }
    const legend = document.createElement("p");
    legend.className = "legend";
    legend.textContent = "Vertex 0, ringed twice, is the source. Filled: settled. Outlined: reached and open. Dashed: not reached.";
    node.replaceChildren(picture, legend);
}

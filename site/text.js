// text.js - what the page says in words: rounds as sentences, the explanation with its words of the field
// explained, the source with the line that acts, the list of all rounds, and the worksheet.
"use strict";

function make(name, attributes, ...inside) {
    const node = document.createElement(name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    node.append(...inside);
    return node;
}

// "lane 0 compares a[1] = 7 with a[2] = 4 and exchanges them"
function sentenceOf(s) {
    const at = (name, i) => `${name}[${i}]`;
    switch (s.kind) {
    case KIND.compare: return `compares ${at(s.array, s.i)} = ${s.a} with ${at(s.other, s.j)} = ${s.b}`;
    case KIND.swap: return `exchanges ${at(s.array, s.i)} and ${at(s.array, s.j)}`;
    case KIND.move: return `copies ${s.a} from ${at(s.array, s.i)} to ${at(s.other, s.j)}`;
    case KIND.combine: return `combines ${at(s.array, s.i)} with ${at(s.other, s.j)} = ${s.b}, which gives ${s.a}`;
    default: return `sets ${at(s.array, s.i)} to ${s.a}`;
    }
}

// The lanes of a round: ["lane 0 compares .. and exchanges ..", ...].
function lanesOf(frame) {
    const lanes = new Map();
    for (const s of frame.steps) lanes.set(s.lane, [...(lanes.get(s.lane) || []), sentenceOf(s)]);
    return [...lanes].map(([lane, did]) => `lane ${lane} ${did.join(", ")}`);
}

function headOf(play, at) {
    const f = play.frames[at], last = play.frames.length - 1;
    if (at === 0) return `start, before ${last} ${last === 1 ? "round" : "rounds"}`;
    const lanes = `${f.lanes} ${f.lanes === 1 ? "lane acts" : "lanes act"}`;
    return `round ${at} of ${last}: ${f.phase ? `${f.phase}, ` : ""}${f.label}; ${lanes}`;
}

// A frame for who listens: its head, its first lanes, and what the arrays it touched hold now.
function spoken(play, at, most = 8) {
    const f = play.frames[at], lanes = lanesOf(f), names = new Set(f.steps.flatMap((s) => writesOf(s).map((w) => w[0])));
    for (const s of f.shown) names.add(s.name);
    const said = lanes.slice(0, most);
    if (lanes.length > most) said.push(`and ${lanes.length - most} lanes more`);
    const arrays = [...names].map((name) => `${name} is ${valuesText(f.arrays.get(name))}`);
    return [headOf(play, at) + (f.note ? ` (${f.note})` : ""), ...said, ...arrays].join(". ") + ".";
}

// ---- the explanation ----

// The page comment of a source: { title, parts: [[head, text]], code, first }, first being the line number
// of the code.
function readSource(source) {
    const end = source.indexOf("*/"), comment = source.slice(3, end).split("\n").map((l) => l.replace(/^ \* ?/, ""));
    const parts = [];
    for (const line of comment.slice(1)) {
        const head = /^([A-Z][a-z]+) {2,}(.*)$/.exec(line);
        if (head) parts.push([head[1], [head[2]]]);
        else if (parts.length > 0) parts[parts.length - 1][1].push(line.slice(9));
    }
    const before = source.slice(0, end + 3).split("\n").length - 1;
    return { title: comment[0], parts: parts.map(([head, lines]) => [head, lines.join("\n").trimEnd()]),
        code: source.slice(end + 3).split("\n"), first: before + 1 };
}

// "lane, lanes: one of .." -> [{ forms: ["lane", "lanes"], text }]
function readGlossary(text) {
    return text.split("\n").filter((l) => /^[^#].*: /.test(l)).map((l) => {
        const at = l.indexOf(": ");
        return { forms: l.slice(0, at).split(", "), text: l.slice(at + 2) };
    });
}

// The text with each word of the glossary, where it first appears, as something to point at.
function explained(text, glossary, seen) {
    const all = glossary.flatMap((g) => g.forms).sort((a, b) => b.length - a.length);
    const pattern = new RegExp(`(?<![\\w/-])(${all.map((w) => w.replace(/[-/]/g, "\\$&")).join("|")})(?![\\w-])`, "gi");
    const nodes = [];
    let from = 0;
    for (const found of text.matchAll(pattern)) {
        const entry = glossary.find((g) => g.forms.includes(found[0].toLowerCase()));
        if (!entry || seen.has(entry)) continue;
        seen.add(entry);
        nodes.push(text.slice(from, found.index), make("dfn", { tabindex: "0", "data-means": entry.text }, found[0]));
        from = found.index + found[0].length;
    }
    return [...nodes, text.slice(from)];
}

const CLAIMS = ["stable", "in place", "oblivious", "deterministic"]; // by the bits of a row's claims

function writeExplanation(node, source, row, glossary) {
    const seen = new Set(), list = make("dl", {});
    for (const [head, text] of readSource(source).parts) {
        const drawn = head === "Picture";
        const body = drawn ? make("pre", { tabindex: "0", "aria-label": "the picture, as text" }, text) :
            make("p", {}, ...explained(text.replace(/\s+/g, " "), glossary, seen));
        list.append(make("dt", {}, head), make("dd", {}, body));
    }
    const claims = CLAIMS.filter((_, bit) => (row.claims >> bit & 1) === 1).join(", ");
    list.append(make("dt", {}, "Claims"), make("dd", {}, make("p", {}, ...explained(claims + "; each is a test.", glossary, seen))));
    node.replaceChildren(list);
}

// ---- the source ----

// Lights the lines that act; file: "sort_bitonic.c".
function writeSource(node, sources, file, lit, round) {
    if (node.dataset.file !== file) {
        const { code, first } = readSource(sources[file] || "/* */");
        node.dataset.file = file;
        node.replaceChildren(...code.map((line, k) => make("span", { class: /^\s*(\/\*|\*)/.test(line) ?
            "line comment" : "line", "data-line": first + k }, line + "\n")));
    }
    let top = null;
    for (const span of node.children) {
        const line = Number(span.dataset.line);
        span.classList.toggle("lit", lit.has(line));
        span.classList.toggle("round", line === round);
        if (lit.has(line) && top === null) top = span;
    }
    if (top !== null) {
        const above = top.offsetTop, room = node.clientHeight; // the list is its lines' offset parent
        if (above < node.scrollTop + 20 || above > node.scrollTop + room - 60) node.scrollTop = above - room / 2.5;
    }
}

// Where a frame acts: { file, lit, round }; of several files the one of the first step.
function placeOf(frame) {
    const lines = frame.steps.map((s) => s.line.split(":")), own = frame.line ? frame.line.split(":") : null;
    const file = lines.length > 0 ? lines[0][0] : own ? own[0] : null;
    const lit = new Set(lines.filter((l) => l[0] === file).map((l) => Number(l[1])));
    return { file, lit, round: own && own[0] === file ? Number(own[1]) : 0 };
}

// ---- all rounds, and the worksheet ----

// The arrays whose values a frame changed or showed, as text.
function changedText(frame) {
    const names = new Set([...frame.steps.flatMap((s) => writesOf(s).map((w) => w[0])), ...frame.shown.map((s) => s.name)]);
    return [...names].map((name) => [name, valuesText(frame.arrays.get(name))]);
}

function writeRounds(node, play, go) {
    node.replaceChildren(...play.frames.map((f, at) => {
        const jump = make("button", { type: "button" }, at === 0 ? "start" : `${at} ${f.label}`);
        jump.addEventListener("click", () => go(at));
        const values = changedText(f).map(([name, text]) => make("span", {}, make("b", {}, name), ` ${text} `));
        return make("tr", { "data-at": at }, make("th", { scope: "row" }, jump), make("td", {}, ...values));
    }));
}

function writeWorksheet(node, play, algorithm) {
    const rounds = play.frames.filter((f) => f.shown.length > 0).slice(0, 24), rows = [];
    const boxes = (frame, s, filled) => {
        const a = frame.arrays.get(s.name);
        const values = a.values.slice(0, s.n).map((v) => make("i", {}, filled ? valuesText({ ...a, values: [v], n: 1, vector: 0 }) : ""));
        return make("div", { class: "boxes" }, make("b", {}, s.name), ...values);
    };
    const sheet = (filled) => rounds.map((f) => make("section", {}, make("h3", {}, f.number === 0 ? "start" :
        `after round ${f.number}: ${f.phase && f.phase !== f.label ? `${f.phase}, ` : ""}${f.label}`),
        ...f.shown.map((s) => boxes(f, s, filled || f.number === 0))));
    rows.push(make("h2", {}, `${algorithm.title}: worksheet`), make("p", {}, algorithm.idea[0].toUpperCase() + algorithm.idea.slice(1) + "."),
        make("p", {}, `Fill in what the arrays hold after each round. How many rounds are there (${algorithm.depth})? ` +
            `How much work (${algorithm.work})?`), ...sheet(false),
        make("div", { class: "solution" }, make("h2", {}, "Solution"), ...sheet(true)));
    node.replaceChildren(...rows);
}

if (typeof module !== "undefined") module.exports = { CLAIMS, readSource, readGlossary };

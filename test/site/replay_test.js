// replay_test.js - the player's own JavaScript, run by node: it replays every golden trace to its arrays,
// its numbers are traced as the program traces them, and its questions know their answers.
//     node replay_test.js PROGRAM SOURCE_DIR
"use strict";
const assert = require("assert");
const { execFileSync, spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");

const [program, source] = process.argv.slice(2);
const site = (name) => require(path.resolve(source, "site", name));
Object.assign(globalThis, site("replay.js"));
const { openForms, fromBase64, readNumbers } = site("forms.js");
const { CLAIMS, readSource, readGlossary } = site("text.js");
Object.assign(globalThis, { levelsOf: site("stage.js").levelsOf, actionsOf: site("stage.js").actionsOf });
const { questionOf, answer, isAnswered } = site("quiz.js");

let checks = 0;
const same = (a, b, what) => { checks++; assert.deepStrictEqual(a, b, what); };
const run = (...args) => execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26, input: "" });

function dataOf(page) {
    return JSON.parse(/<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page)[1]);
}

// ---- golden traces ----

// What `upsweep trace` prints above its totals, made from what the steps left in the arrays.
function textOf(trace, play) {
    const rows = [], shown = play.frames.flatMap((f) => f.shown), first = shown.length > 0 ? shown[0].name : "";
    let row = null, phase = "start", label = null, round = 0, at = 0;
    const end = () => { row = null; };
    for (const event of trace.events) {
        const e = readEvent(trace, event);
        if (e.kind === KIND.phase) { end(); phase = e.text; }
        if (e.kind === KIND.round) { label = e.text; round++; }
        if (e.kind === KIND.note) { end(); rows.push({ note: e.text }); }
        if (e.kind === KIND.endRound) { if (row && row.inside) end(); label = null; }
        if (e.kind !== KIND.array) continue;
        const s = shown[at++], inside = label !== null;
        if (row && row.inside !== inside) end();
        if (!row) rows.push(row = { head: inside ? `${round} ${label}` : phase, inside, cells: [] });
        const name = s.role === "result" ? "-> " : s.role === "scan" ? "scan " : s.name === first ? "" : `${s.name} `;
        row.cells.push(name + valuesText({ values: s.replayed, n: s.n, role: s.role, vector: s.vector }));
    }
    const wide = Math.max(...rows.map((r) => r.note ? 0 : r.head.length));
    return rows.map((r) => {
        if (r.note) return " ".repeat(wide) + ` (${r.note})`;
        const long = wide + 1 + r.cells.reduce((sum, c) => sum + c.length + 2, 0) > 102;
        const start = (head) => head.padEnd(wide) + " ";
        return (start(r.head) + r.cells.join(long ? "\n" + start("") : "  ")).split("\n").map((l) => l.trimEnd()).join("\n");
    }).join("\n").split("\n");
}

function goldenTraces() {
    const found = [];
    for (const name of fs.readdirSync(path.join(source, "test/golden"))) {
        if (!/^trace_.*[.]txt$/.test(name)) continue;
        const [command, ...lines] = fs.readFileSync(path.join(source, "test/golden", name), "utf8").split("\n");
        const words = command.split(" ").filter((w) => w !== "" && !w.startsWith("<"));
        if (words[0] !== "trace" || words.includes("--every")) continue;
        const page = run(...words, "--format", "html"), data = dataOf(page), trace = data.traces[0];
        const play = replay(trace), what = `${name}: `;
        same(play.problems, [], what + "problems");
        const totals = lines.findIndex((l) => l.startsWith("rounds "));
        const shownLines = lines.slice(0, totals).filter((l) => !l.startsWith("("));
        same(textOf(trace, play), shownLines.map((l) => l.trimEnd()), what + "arrays");
        const last = play.frames[play.frames.length - 1];
        same(play.frames.length - 1, Number(/^rounds (\d+)/.exec(lines[totals])[1]), what + "rounds");
        for (const kind of ["compare", "swap", "move", "combine", "set"]) {
            const line = lines.find((l) => l.startsWith(`${kind}s `) && /^\w+ \d/.test(l));
            same(last.counts[KIND[kind]], line ? Number(/\d+/.exec(line)[0]) : 0, what + kind);
        }
        assert(page.includes(fs.readFileSync(path.join(source, "site/replay.js"), "utf8")), "the page has another replay.js");
        found.push({ name, trace, data });
    }
    assert(found.length >= 16, `only ${found.length} golden traces`);
    return found;
}

// A trace with one value changed must not replay: the checks above can fail.
function brokenTraces(found) {
    for (const { name, trace } of found) {
        const broken = JSON.parse(JSON.stringify(trace));
        const first = (kind) => broken.events.find((e) => e[0] === kind);
        const step = first(KIND.compare) || first(KIND.move) || first(KIND.combine);
        if (!step) continue;
        step[4] += 1;
        checks++;
        assert.notStrictEqual(replay(broken).problems.length, 0, `${name}: a wrong value went unnoticed`);
    }
}

// ---- the explained forms in the page ----

async function formsInThePage(data) {
    if (data.wasm === "") {
        console.log("the program was built without clang for WebAssembly: its forms are not compared");
        return;
    }
    const trace = await openForms(fromBase64(data.wasm));
    let seed = 7;
    const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
    data.algorithms.forEach((a, row) => {
        const paths = a.operation === "path", inputs = [readNumbers(a.example), []];
        for (const n of paths ? [1, 4, 9] : [1, 2, 3, 7, 16, 33]) {
            inputs.push(paths ? Array.from({ length: 3 * n }, (_, k) => random(k % 3 === 2 ? 20 : n + 1)) :
                Array.from({ length: n }, () => random(n % 2 === 0 ? 5 : 1000)));
        }
        inputs.push(paths ? [0, 1, 4000000000] : [4294967295, 0, 4294967295]);
        for (const input of inputs) {
            if (input.length === 0) continue; // the program would take its example
            const theirs = dataOf(run("page", a.name, ...input.map(String))).traces[0];
            same(trace(row, input), theirs, `${a.name} of ${input}`);
            same(replay(theirs).problems, [], `${a.name} of ${input}`);
        }
        same(trace(row, []).input, [], `${a.name} of nothing`);
    });
    const dijkstra = data.algorithms.findIndex((a) => a.name === "path/dijkstra");
    checks++;
    assert.throws(() => trace(dijkstra, [0, 1]), /do not suit/);
    assert.throws(() => trace(0, Array.from({ length: 256 }, (_, k) => 256 - k)), /more steps/);
    assert.throws(() => readNumbers("1 two"), /'two' is no whole number/);
    assert.throws(() => readNumbers("4294967296"), /no whole number/);
}

// ---- brackets, questions, words ----

function brackets(found) {
    for (const { name, trace } of found) {
        for (const frame of replay(trace).frames) {
            const { pairs } = actionsOf(frame);
            for (const array of new Set(pairs.map((p) => p.array))) {
                const here = pairs.filter((p) => p.array === array);
                levelsOf(here);
                for (const p of here) for (const q of here) {
                    if (p === q || p.level !== q.level) continue;
                    assert(p.j < q.i || q.j < p.i, `${name}, ${frame.label}: ${p.i}-${p.j} meets ${q.i}-${q.j}`);
                }
                checks++;
            }
        }
    }
}

function questions(found) {
    for (const { name, trace } of found) {
        for (const frame of replay(trace).frames.slice(1)) {
            const q = questionOf(frame);
            let turns = 0;
            while (!isAnswered(q) && turns++ < 500) {
                const before = q.found.length;
                if (q.kind === "pairs") {
                    answer(q, [0, 0]);
                    answer(q, [q.pairs[before].j, q.pairs[before].i], q.pairs[before].array);
                } else {
                    answer(q, [q.values[before][2] + 1]);
                    assert.strictEqual(q.found.length, before, `${name}: a wrong value was taken`);
                    answer(q, [q.values[before][2]]);
                }
                assert.strictEqual(q.found.length, before + 1, `${name}, ${frame.label}: a right answer was refused`);
                assert(q.missed > before, `${name}: a wrong answer was not counted`);
            }
            checks++;
        }
    }
}

function words(data) {
    const glossary = readGlossary(data.glossary), forms = glossary.flatMap((g) => g.forms);
    same(forms.filter((w, k) => forms.indexOf(w) !== k), [], "words explained twice");
    const course = path.join(source, "docs/course");
    const chapters = fs.readdirSync(course).map((name) => fs.readFileSync(path.join(course, name), "utf8"));
    const pages = [...Object.values(data.sources), ...chapters, ...CLAIMS].join(" ").toLowerCase();
    same(glossary.filter((g) => !g.forms.some((w) => pages.includes(w))).map((g) => g.forms[0]), [], "words on no page");
    for (const file in data.sources) {
        const { parts, code, first } = readSource(data.sources[file]);
        same(parts.map((p) => p[0]), ["Idea", "Picture", "Rounds", "Cost", "Why", "Source", "Forms"], file);
        same(data.sources[file].split("\n")[first - 1], code[0], `${file}: line numbers`);
    }
}

// The numbers of a page comment's picture are those of the trace.
function pictures(data) {
    const rows = (file, pattern) => [...data.sources[file].slice(0, data.sources[file].indexOf("*/")).matchAll(pattern)]
        .map((m) => m[1].replace(/\|/g, " ").trim().split(/\s+/).map(Number));
    const traceOf = (name) => replay(dataOf(run("page", name)).traces[0]);
    const shown = (play, name, role) => play.frames.flatMap((f) => f.shown).filter((s) => s.name === name && (role === undefined || s.role === role)).map((s) => s.replayed);
    const radix = traceOf("sort/radix"), digits = (m) => [...m.replace(/ /g, "")].map(Number);
    const comment = data.sources["sort_radix.c"];
    same(digits(/\n \* {18}(\d{4} \d{4} \d{4} \d{4})\n/.exec(comment)[1]), shown(radix, "counts", "")[0], "sort/radix: counts");
    same(digits(/scan {4}(\d{4} \d{4} \d{4} \d{4}) /.exec(comment)[1]), shown(radix, "counts", "scan")[0], "sort/radix: scan");
    same(rows("sort_radix.c", /result {3}([\d ]+?) {6}/g)[0], shown(radix, "b")[0], "sort/radix: result");
    const sweep = rows("scan_sweep.c", /\n \* (?:Picture)? *(?:up|root|down)? +((?:\d+ +){7}\d+)/g);
    same(sweep, shown(traceOf("scan/sweep"), "a"), "scan/sweep");
    const flags = traceOf("split/flags");
    for (const name of ["F", "I_down", "I_up"]) {
        same(rows("split_flags.c", new RegExp(`\\* +${name} +((?:\\d +){7}\\d)`, "g"))[0], shown(flags, name)[0], `split/flags: ${name}`);
    }
    same(rows("reduce_butterfly.c", /b = \d {4}((?:\d +){7}\d)/g), shown(traceOf("reduce/butterfly"), "partner"), "reduce/butterfly");
}

async function main() {
    const found = goldenTraces();
    brokenTraces(found);
    brackets(found);
    questions(found);
    words(found[0].data);
    pictures(found[0].data);
    await formsInThePage(found[0].data);
    const refused = spawnSync(program, ["page", "sort/oddeven", ...Array.from({ length: 257 }, (_, k) => String(k))], { encoding: "utf8" });
    same([refused.status, refused.stderr], [2, "upsweep page: a page plays at most 256 numbers, and there are 257\n"], "too many numbers");
    console.log(`replay: ${found.length} golden traces, ${checks} checks`);
}
main().catch((error) => {
    console.error(error.message);
    process.exit(1);
});

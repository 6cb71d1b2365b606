// player.js - the page: its panes, controls and keys. One position, the number of rounds that are over,
// holds for all panes.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const glossary = readGlossary(data.glossary);
const $ = (id) => document.getElementById(id);
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
const state = { panes: [], at: 0, timer: null, quiz: null, picked: null, trace: null };
const rowOf = (name) => data.algorithms.find((a) => a.name === name);
const lastFrame = () => Math.max(...state.panes.map((p) => p.play.frames.length - 1));

// ---- panes ----

function fillPane(pane, trace) {
    pane.row = rowOf(trace.algorithm);
    pane.play = replay(trace);
    Object.assign(pane.play, { trace, path: pane.row.operation === "path", layouts: new Map() });
    const q = pane.find;
    q("select").value = pane.row.name;
    q(".idea").textContent = pane.row.idea[0].toUpperCase() + pane.row.idea.slice(1) + ".";
    q(".graph").hidden = !pane.play.path;
    q(".source").removeAttribute("data-file");
}

function newPane(trace) {
    const node = $("pane").content.firstElementChild.cloneNode(true);
    const pane = { node, find: (s) => node.querySelector(s) };
    const names = data.wasm ? data.algorithms.map((a) => a.name) : data.traces.map((t) => t.algorithm);
    pane.find("select").append(...names.map((name) => make("option", { value: name }, name)));
    pane.find("select").setAttribute("aria-label", `algorithm ${state.panes.length + 1}`);
    pane.find("select").addEventListener("change", (e) => choose(pane, e.target.value));
    pane.find(".drawing").addEventListener("click", (e) => pickCell(pane, e.target.closest(".cell")));
    state.panes.push(pane);
    fillPane(pane, trace);
    $("panes").append(node);
    $("panes").classList.toggle("two", state.panes.length > 1);
}

// The numbers go from one algorithm to another of the same operation; else its own example is taken.
function choose(pane, name) {
    const same = rowOf(name).operation === pane.row.operation;
    const numbers = same ? $("numbers").value : rowOf(name).example;
    if (pane === state.panes[0]) $("numbers").value = numbers;
    retrace(pane, name, numbers);
}

function retrace(pane, name, numbers) {
    try {
        const kept = data.traces.find((t) => t.algorithm === name && t.input.join(" ") === readNumbers(numbers).join(" "));
        const row = data.algorithms.findIndex((a) => a.name === name);
        fillPane(pane, kept || state.trace(row, readNumbers(numbers)));
        $("refused").textContent = "";
    } catch (error) {
        $("refused").textContent = `${name}: ${error.message}. It takes ${rowOf(name).input}.`;
        pane.find("select").value = pane.row.name;
        return;
    }
    about();
    go(0);
}

// What does not change with the position.
function about() {
    const { row, play } = state.panes[0];
    document.title = `${row.name}: ${row.title}`;
    $("title").textContent = state.panes.map((p) => p.row.title).join(" and ");
    $("place").max = lastFrame();
    $("input").textContent = `${row.name} takes ${row.input}. Each is a whole number from 0 to 4294967295.`;
    writeExplanation($("explanation"), data.sources[row.name.replace("/", "_") + ".c"], row, glossary);
    writeRounds($("rounds"), play, (at) => go(at));
    writeWorksheet($("worksheet"), play, row);
    $("remove").hidden = state.panes.length < 2;
    $("beside").hidden = state.panes.length > 1 || !data.wasm;
    const names = state.panes.map((p) => p.row.name).join("+");
    if (data.wasm) history.replaceState(null, "", `#${names}=${play.trace.input.join(",")}`);
}

function facts(pane, at) {
    const { row, play } = pane, last = play.frames.length - 1, f = play.frames[at];
    const unit = row.work.split(" ").pop(), kind = KIND[unit.replace(/s$/, "")];
    const line = (q, what, count, all, words, number) => {
        const formula = number > 0 ? `${number} = ${words}` : words;
        const verdict = number > 0 && at === last ? (all === number ? ", as counted" : `, but ${all} were counted`) : "";
        q(".text").textContent = `${what} ${count} of ${all}`;
        q(".formula").textContent = `formula: ${formula}${verdict}`;
        q("progress").max = Math.max(1, all);
        q("progress").value = count;
    };
    const part = (name) => (s) => pane.find(`.${name} ${s}`);
    line(part("depth"), "rounds", at, last, row.depth, play.trace.rounds);
    if (kind) line(part("work"), unit, f.counts[kind], play.frames[last].counts[kind], row.work, play.trace.work);
    const others = ["compare", "swap", "move", "combine", "set"].filter((k) => KIND[k] !== kind && play.frames[last].counts[KIND[k]]);
    pane.find(".others").textContent = others.map((k) => `${k}s ${f.counts[KIND[k]]}`).join(", ");
    const most = Math.min(64, Math.max(1, ...play.frames.map((g) => g.lanes)));
    const acting = new Set(f.steps.map((s) => s.lane));
    pane.find(".lanes").replaceChildren(`lanes ${acting.size}`, ...Array.from({ length: most },
        (_, k) => make("i", acting.has(k) ? { class: "acts" } : {})));
}

function draw(pane, at, milliseconds) {
    const { play } = pane, f = play.frames[at], stage = pane.find(".drawing");
    const asking = state.quiz !== null && pane === state.panes[0] ? state.quiz : null;
    pane.find(".head").textContent = headOf(play, at);
    pane.find(".note").textContent = f.note;
    const layout = drawStage(stage, play, at, asking && (asking.kind === "pairs" ? asking.found : []));
    const lit = stage.querySelector(".cell.written, .cell.read"); // on a narrow screen, where it can be seen
    if (lit && stage.scrollWidth > stage.clientWidth) stage.scrollLeft = lit.getBBox().x - stage.clientWidth / 3;
    if (play.path) drawGraph(pane.find(".graph"), play, at);
    const place = placeOf(f), file = place.file || `${pane.row.name.replace("/", "_")}.c`;
    pane.find(".file").textContent = `algo/${file}`;
    writeSource(pane.find(".source"), data.sources, file, place.lit, place.round);
    facts(pane, at);
    pane.find(".words").replaceChildren(...lanesOf(f).map((text) => make("li", {}, text)));
    if (milliseconds > 0 && !calm.matches && !document.hidden) animateStage(stage, layout, f, milliseconds);
}

// ---- position ----

function go(to, milliseconds = 0) {
    const at = Math.max(0, Math.min(lastFrame(), to));
    if (at !== state.at) state.quiz = null;
    state.at = at;
    for (const pane of state.panes) draw(pane, Math.min(at, pane.play.frames.length - 1), at < pane.play.frames.length ? milliseconds : 0);
    $("place").value = at;
    $("place").setAttribute("aria-valuetext", headOf(state.panes[0].play, Math.min(at, state.panes[0].play.frames.length - 1)));
    for (const tr of $("rounds").children) tr.classList.toggle("now", Number(tr.dataset.at) === at);
    $("back").disabled = $("first").disabled = at === 0;
    $("next").disabled = $("last").disabled = at === lastFrame();
    ask();
    if (state.timer === null || at === lastFrame()) {
        $("spoken").textContent = state.panes.map((p) => spoken(p.play, Math.min(at, p.play.frames.length - 1))).join(" ");
    }
}

const pace = () => 1600 / Math.pow(2, Number($("speed").value));

function next() {
    if ($("quiz").checked && state.at < state.panes[0].play.frames.length - 1 && !(state.quiz && isAnswered(state.quiz))) {
        $("answer").focus();
        return;
    }
    go(state.at + 1, Math.min(700, pace() * 0.6));
}

function play(on) {
    clearInterval(state.timer);
    state.timer = null;
    if (on && !$("quiz").checked) {
        if (state.at === lastFrame()) go(0);
        const tick = () => {
            if (state.at === lastFrame()) return play(false);
            go(state.at + 1, Math.min(700, pace() * 0.6));
            state.timer = setTimeout(tick, pace());
        };
        state.timer = setTimeout(tick, 150);
    }
    $("play").textContent = state.timer === null ? "Play" : "Pause";
    $("play").setAttribute("aria-pressed", String(state.timer !== null));
}

// ---- what comes next? ----

function ask() {
    const pane = state.panes[0], on = $("quiz").checked && state.at < pane.play.frames.length - 1;
    $("ask").hidden = !on;
    document.body.classList.toggle("asking", on);
    if (!on) return;
    const coming = pane.play.frames[state.at + 1];
    if (state.quiz === null) {
        state.quiz = questionOf(coming);
        state.picked = null;
        $("verdict").textContent = "";
        draw(pane, state.at, 0);
    }
    $("question").textContent = isAnswered(state.quiz) ? `That is all of "${coming.label}".` : questionText(state.quiz, coming);
}

function take(numbers, array) {
    if (state.quiz === null || isAnswered(state.quiz)) return go(state.at + 1, 500);
    $("verdict").textContent = answer(state.quiz, numbers, array);
    $("answer").value = "";
    if (isAnswered(state.quiz)) return go(state.at + 1, 600);
    draw(state.panes[0], state.at, 0);
    ask();
}

function pickCell(pane, cell) {
    if (cell === null || state.quiz === null || pane !== state.panes[0] || state.quiz.kind !== "pairs") return;
    const picked = { array: cell.dataset.array, i: Number(cell.dataset.i) };
    if (state.picked === null || state.picked.array !== picked.array || state.picked.i === picked.i) {
        pane.node.querySelectorAll(".picked").forEach((c) => c.classList.remove("picked"));
        cell.classList.add("picked");
        state.picked = picked;
        return;
    }
    const numbers = [state.picked.i, picked.i];
    state.picked = null;
    take(numbers, picked.array);
}

// ---- the reader's hands ----

function onKey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input[type=text], select, textarea")) return;
    const range = e.target.matches("input[type=range]"), button = e.target.matches("button, summary, input, dfn");
    const keys = { ArrowRight: next, ArrowLeft: () => go(state.at - 1), Home: () => go(0), End: () => go(lastFrame()),
        " ": () => play(state.timer === null), "+": () => faster(1), "-": () => faster(-1),
        "?": () => $("quiz").click() };
    if (!(e.key in keys) || (range && e.key.startsWith("Arrow")) || (button && e.key === " ")) return;
    e.preventDefault();
    if (e.key !== " ") play(false);
    keys[e.key]();
}

function faster(by) {
    $("speed").value = Number($("speed").value) + by;
}

function onTouch() {
    let x = null, y = null;
    $("panes").addEventListener("touchstart", (e) => { x = e.touches[0].clientX; y = e.touches[0].clientY; }, { passive: true });
    $("panes").addEventListener("touchend", (e) => {
        const dx = e.changedTouches[0].clientX - x, dy = e.changedTouches[0].clientY - y;
        if (Math.abs(dx) < 50 || Math.abs(dx) < 2 * Math.abs(dy) || e.target.closest(".wide")) return;
        play(false);
        if (dx < 0) next(); else go(state.at - 1);
    });
}

// One bubble for all words of the glossary; what a word means is also its description.
function onWords() {
    const show = (word) => {
        $("bubble").textContent = word.dataset.means;
        $("bubble").hidden = false;
        word.setAttribute("aria-describedby", "bubble");
        const at = word.getBoundingClientRect(), wide = $("bubble").offsetWidth;
        $("bubble").style.left = `${Math.max(8, Math.min(at.left, innerWidth - wide - 8)) + scrollX}px`;
        $("bubble").style.top = `${at.bottom + 6 + scrollY}px`;
    };
    const hide = () => { $("bubble").hidden = true; };
    const on = (event, how) => document.addEventListener(event, (e) => { if (e.target.matches && e.target.matches("dfn")) how(e.target); });
    on("mouseover", show);
    on("focusin", show);
    on("mouseout", hide);
    on("focusout", hide);
    document.addEventListener("keydown", (e) => { if (e.key === "Escape") hide(); });
}

const ORDERS = {
    shuffled: (v) => v.map((x) => [Math.random(), x]).sort((a, b) => a[0] - b[0]).map((p) => p[1]),
    reversed: (v) => v.slice().sort((a, b) => b - a),
    sorted: (v) => v.slice().sort((a, b) => a - b),
    random: (v) => v.map(() => Math.floor(Math.random() * 100)),
};

function onNumbers() {
    $("own").addEventListener("submit", (e) => {
        e.preventDefault();
        play(false);
        for (const pane of state.panes) retrace(pane, pane.row.name, $("numbers").value);
    });
    for (const name in ORDERS) {
        const button = make("button", { type: "button" }, name);
        button.addEventListener("click", () => {
            try {
                $("numbers").value = ORDERS[name](readNumbers($("numbers").value)).join(" ");
            } catch (error) {
                $("refused").textContent = error.message + ".";
                return;
            }
            $("own").requestSubmit();
        });
        $("orders").append(button);
    }
    $("beside").addEventListener("click", () => {
        const row = state.panes[0].row, other = data.algorithms.find((a) => a.operation === row.operation && a !== row) || row;
        newPane(state.trace(data.algorithms.indexOf(other), state.panes[0].play.trace.input));
        about();
        go(state.at);
        state.panes[1].find("select").focus();
    });
    $("remove").addEventListener("click", () => {
        state.panes.pop().node.remove();
        $("panes").classList.remove("two");
        about();
        go(Math.min(state.at, lastFrame()));
    });
}

function onControls() {
    const paused = (how) => () => { play(false); how(); };
    $("play").addEventListener("click", () => play(state.timer === null));
    $("next").addEventListener("click", paused(next));
    $("back").addEventListener("click", paused(() => go(state.at - 1)));
    $("first").addEventListener("click", paused(() => go(0)));
    $("last").addEventListener("click", paused(() => go(lastFrame())));
    $("place").addEventListener("input", paused(() => go(Number($("place").value))));
    $("quiz").addEventListener("change", paused(() => { state.quiz = null; go(state.at); }));
    $("ask").addEventListener("submit", (e) => {
        e.preventDefault();
        try { take(readNumbers($("answer").value), null); } catch (error) { $("verdict").textContent = error.message; }
    });
    $("reveal").addEventListener("click", () => go(state.at + 1, 600));
    $("theme").addEventListener("click", () => {
        const root = document.documentElement, dark = getComputedStyle(root).colorScheme === "dark";
        root.dataset.theme = dark ? "light" : "dark";
    });
    document.addEventListener("keydown", onKey);
    let width = innerWidth;
    addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; go(state.at); } });
}

// #sort/bitonic+sort/radix=3,1,2@4 asks for other algorithms and numbers than the page was made with, and
// for round 4.
function fromAddress() {
    const asked = /^#([a-z/]+)(?:\+([a-z/]+))?=([\d,]*)(?:@(\d+))?$/.exec(decodeURIComponent(location.hash));
    if (!asked || !state.trace || !rowOf(asked[1])) return;
    $("numbers").value = asked[3].replace(/,/g, " ");
    retrace(state.panes[0], asked[1], asked[3]);
    const second = rowOf(asked[2]) && data.algorithms.indexOf(rowOf(asked[2]));
    if (second >= 0 && state.panes.length === 1) newPane(state.trace(second, readNumbers(asked[3])));
    about();
    go(Number(asked[4] || 0));
}

async function start() {
    const address = location.hash;
    document.documentElement.classList.toggle("framed", window !== window.parent); // within a chapter
    for (const trace of data.traces) newPane(trace);
    $("numbers").value = data.traces[0].input.join(" ");
    onControls();
    onTouch();
    onWords();
    const wasm = data.wasm;
    data.wasm = "";
    about();
    go(0);
    if (wasm) {
        state.trace = await openForms(fromBase64(wasm));
        data.wasm = "open";
        for (const pane of state.panes) {
            pane.find("select").replaceChildren(...data.algorithms.map((a) => make("option", { value: a.name }, a.name)));
            pane.find("select").value = pane.row.name;
        }
        onNumbers();
        about();
        if (address) { location.hash = address; fromAddress(); }
    } else {
        $("own").replaceChildren(make("p", {}, "This page was made by a build without clang, so it plays the numbers it was made " +
            "with. To see others: upsweep page " + state.panes[0].row.name + " 3 1 2 -o page.html"));
    }
    document.documentElement.dataset.ready = "yes";
}
start();

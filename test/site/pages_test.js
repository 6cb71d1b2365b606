// pages_test.js - every page in a headless Chromium: it opens in under a second without a network, plays to
// its end, shows what the trace says in DOM and pixels, and can be used by keys, in the dark and on a phone.
// The course is looked at, too, where it was made.
//     node pages_test.js PROGRAM WORK_DIR SITE_DIR
"use strict";
const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { Browser, find } = require("./chromium.js");

const [program, work, site] = process.argv.slice(2);
const chromium = find();
if (chromium === null) {
    console.log("pages: there is no chromium here, so no page is opened");
    process.exit(77);
}
fs.mkdirSync(work, { recursive: true });
const run = (...args) => execFileSync(program, args, { encoding: "utf8" });
// The check opens two pages of each operation, which are made of one template; all with UPSWEEP_TEST_LONG.
const every = run("list", "--markdown").match(/`\w+\/\w+`/g).map((n) => n.slice(1, -1));
const like = (name) => every.filter((other) => other.split("/")[0] === name.split("/")[0]);
const names = process.env.UPSWEEP_TEST_LONG ? every : every.filter((name) => like(name).indexOf(name) < 2 ||
    ["sort/bitonic", "scan/sweep"].includes(name)); // which hands() and withoutForms() open again
const kept = process.env.UPSWEEP_PICTURES ? (name) => path.join(work, name) : () => null;
let checks = 0;
const ok = (value, what) => { checks++; assert(value, what); };

// Text in the page whose contrast with what lies behind it is below 4.5.
const CONTRAST = `(() => {
    const parse = (c) => { const m = (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number); return { rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1 }; };
    const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (n) => { for (; n && n.nodeType === 1; n = n.parentNode) { const c = parse(getComputedStyle(n).backgroundColor);
        if (c.a === 1) return c.rgb; } return parse(getComputedStyle(document.body).backgroundColor).rgb; };
    const bad = [];
    for (const n of document.querySelectorAll("body *")) {
        const own = [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim() !== "");
        const style = getComputedStyle(n), box = n.getBoundingClientRect();
        if (!own || box.width === 0 || style.visibility === "hidden" || n.closest("script, style, template, .unseen, :disabled")) continue;
        const svgText = n instanceof SVGElement, color = parse(svgText ? style.fill : style.color);
        let under = behind(n);
        if (svgText) { const box = n.parentNode.querySelector(":scope > .box");
            if (box) { const f = parse(getComputedStyle(box).fill); if (f.a === 1) under = f.rgb; } 
            if (n.classList.contains("number")) { const f = parse(getComputedStyle(n.previousElementSibling.classList.contains("vertex") ?
                n.previousElementSibling : n.previousElementSibling.previousElementSibling).fill); under = f.rgb; } }
        if (svgText && (n.tagName === "title" || style.opacity === "0")) continue;
        const a = light(color.rgb), b = light(under), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) bad.push(n.tagName + "." + (n.getAttribute("class") || n.id) + " " + ratio.toFixed(2) + " " + n.textContent.slice(0, 20));
    }
    return [...new Set(bad)].slice(0, 8);
})()`;

// What Tab must reach: everything that can be pressed, typed or moved and is seen.
const CONTROLS = `[...document.querySelectorAll("button, select, input, summary, dfn, [tabindex='0']")]
    .filter((n) => !n.disabled && n.offsetParent !== null && n.getBoundingClientRect().width > 0)`;
const NAMELESS = `${CONTROLS}.filter((n) => !(n.textContent.trim() || n.getAttribute("aria-label") || (n.labels && n.labels.length)))
    .map((n) => n.outerHTML.slice(0, 80))`;

async function reachAll(b, name) {
    const all = await b.ask(`(window.all = ${CONTROLS}).length`);
    await b.ask(`document.activeElement.blur(), window.reached = new Set(), scrollTo(0, 0)`);
    for (let k = 0; k < all + 3; k++) {
        await b.key("Tab");
        await b.ask("reached.add(document.activeElement), 0");
    }
    const missed = await b.ask("all.filter((n) => !reached.has(n)).map((n) => n.outerHTML.slice(0, 80))");
    ok(missed.length === 0, `${name}: keys do not reach ${missed}`);
}

// Every value that the last frame holds is on the stage, and the picture has the colours of its marks.
async function looksRight(b, name) {
    const wrong = await b.ask(`(() => {
        const pane = state.panes[0], frame = pane.play.frames[state.at], bad = [];
        for (const cell of document.querySelectorAll(".drawing .cell")) {
            const a = frame.arrays.get(cell.dataset.array), v = a.values[cell.dataset.i], text = cell.querySelector(".value").textContent;
            const want = v === undefined || cell.dataset.i >= a.n ? "" : v === 4294967295 && /[~-]/.test(text) ? text : String(v);
            if (want !== text) bad.push(cell.dataset.array + cell.dataset.i + ": " + text + " for " + want);
        }
        if (document.querySelectorAll(".drawing .cell").length === 0) bad.push("no cells");
        return bad;
    })()`);
    ok(wrong.length === 0, `${name}: the stage shows ${wrong}`);
}

async function colours(b, name, file) {
    await b.ask("scrollTo(0, 0)");
    const boxes = await b.ask(`[...document.querySelectorAll(".drawing .cell.written .box")].map((n) => n.getBoundingClientRect())
        .filter((r) => r.top > 0 && r.bottom < innerHeight - 130 && r.right <= document.querySelector(".drawing").getBoundingClientRect().right).map((r) => [r.left + 3, r.top + r.height - 4])`);
    const picture = await b.picture(file);
    const soft = boxes.filter(([x, y]) => { const [r, , blue] = picture.at(Math.round(x), Math.round(y)); return r > blue + 12; });
    ok(boxes.length > 0 && soft.length === boxes.length, `${name}: ${soft.length} of ${boxes.length} written cells are orange`);
}

async function page(b, name) {
    const file = path.resolve(work, name.replace("/", "_") + ".html");
    run("page", name, "-o", file);
    ok(fs.statSync(file).size < 300000, `${name}: the page has ${fs.statSync(file).size} bytes`);
    await b.media({ "prefers-reduced-motion": "reduce", "prefers-color-scheme": "light" });
    let took = Infinity;
    for (let k = 0; k < 3 && took > 1000; k++) took = await b.open(file); // others may be at work here
    ok(took < 1000, `${name}: opens in ${took} ms`);
    const last = await b.ask("lastFrame()"), example = await b.ask("data.traces[0].input.length");
    ok(last > 0 && example > 0, `${name}: there is nothing to play`);
    await b.ask(`document.activeElement.blur(), $("speed").max = $("speed").value = 9, 0`);
    await b.key(" ", "Space", " ");
    for (let k = 0; k < 2000 && await b.ask("state.at") < last; k++) await new Promise((r) => setTimeout(r, 20));
    ok(await b.ask("state.at") === last, `${name}: it stops at ${await b.ask("state.at")} of ${last}`);
    await looksRight(b, name);
    const said = await b.ask(`$("spoken").textContent`);
    ok(said.startsWith(`round ${last} of ${last}`), `${name}: at the end is said: ${said}`);
    const formula = await b.ask(`[...document.querySelectorAll(".formula")].map((n) => n.textContent)`);
    ok(!formula.some((f) => f.includes("were counted")), `${name}: ${formula}`);
    await b.key("Home");
    ok(await b.ask("state.at") === 0, `${name}: Home does not go to the start`);
    await b.key("ArrowRight");
    await b.key("ArrowRight");
    await b.key("ArrowLeft");
    ok(await b.ask("state.at") === 1, `${name}: the arrows do not step`);
    ok(await b.ask(`document.querySelectorAll(".line.lit").length > 0`), `${name}: no line is lit`);
    const middle = await b.ask(`(() => { const at = state.panes[0].play.frames.findIndex((f, k) => k >= ${last >> 1} && actionsOf(f).marks.size > 0 &&
        f.steps.some((s) => writesOf(s).length > 0)); go(at); return at; })()`);
    await looksRight(b, `${name} at ${middle}`);
    await colours(b, name, kept(name.replace("/", "_") + ".png"));
    for (const theme of ["light", "dark"]) {
        await b.ask(`document.documentElement.dataset.theme = "${theme}", 0`);
        const bad = await b.ask(CONTRAST);
        ok(bad.length === 0, `${name}, ${theme}: contrast below 4.5: ${bad.join("; ")}`);
    }
    ok((await b.ask(NAMELESS)).length === 0, `${name}: controls without a name: ${await b.ask(NAMELESS)}`);
    ok(b.problems.length === 0, `${name}: ${b.problems.join("; ")}`);
}

// The reader's own numbers, a second algorithm, questions, a phone, and paper: on one page.
async function hands(b) {
    const file = path.resolve(work, "sort_bitonic.html");
    await b.open(file);
    await reachAll(b, "sort/bitonic");
    if (await b.ask("state.trace !== null")) {
        await b.ask(`$("numbers").select(), $("numbers").focus(), 0`);
        await b.type("9 8 7 6 5 4 3 2 1 0");
        await b.key("Enter", "Enter", "\r");
        ok(await b.ask(`state.panes[0].play.frames[lastFrame()].arrays.get("a").values.join()`) === "0,1,2,3,4,5,6,7,8,9", "own numbers are not sorted");
        await b.ask(`$("numbers").value = "1 x", $("own").requestSubmit(), 0`);
        ok((await b.ask(`$("refused").textContent`)).includes("'x' is no whole number"), "a word is taken for a number");
        await b.ask(`$("beside").click(), 0`);
        ok(await b.ask(`document.querySelectorAll(".pane").length`) === 2, "there is no second algorithm");
        await b.key("End");
        ok((await b.ask(`[...document.querySelectorAll(".head")].map((n) => n.textContent)`)).length === 2, "two heads");
        await b.ask(`go(3)`);
        await b.picture(kept("two.png"));
        await b.ask(`$("remove").click(), 0`);
        await b.open(file, "#path/dijkstra=0,1,4,0,2,1,2,1,2@3");
        ok(await b.ask(`state.at === 3 && state.panes[0].row.name === "path/dijkstra"`), "the address is not obeyed");
    }
    await b.open(file);
    await b.ask(`$("quiz").click(), 0`);
    ok(await b.ask(`!$("ask").hidden`), "nothing is asked");
    await b.ask(`$("next").click(), 0`);
    ok(await b.ask("state.at") === 0, "the round is shown before it is named");
    await b.ask(`take([0, 2], null)`);
    ok((await b.ask(`$("verdict").textContent`)).includes("do not meet"), "a wrong pair is taken");
    await b.picture(kept("quiz.png"));
    const cell = async (i) => {
        const r = await b.ask(`(() => { const r = document.querySelectorAll(".drawing .cell")[${i}].getBoundingClientRect(); return [r.left + 9, r.top + 9]; })()`);
        for (const type of ["mousePressed", "mouseReleased"]) await b.send("Input.dispatchMouseEvent", { type, x: r[0], y: r[1], button: "left", clickCount: 1 });
    };
    await b.ask("scrollTo(0, 0)");
    for (const i of [0, 1, 3, 2, 4, 5, 6, 7]) await cell(i);
    ok(await b.ask("state.at") === 1, "all pairs are named, and the round stays hidden");
    await b.ask(`$("quiz").click(), 0`);
    await b.size(390, 800);
    await b.ask("go(3), scrollTo(0, 0)");
    ok(await b.ask("document.documentElement.scrollWidth") <= 390, "on a phone the page is wider than the screen");
    await b.picture(kept("phone.png"));
    await b.size(1280, 800);
    await b.media({}, "print");
    const sheet = await b.ask(`[getComputedStyle($("worksheet")).display, getComputedStyle($("panes")).display,
        document.querySelectorAll("#worksheet .boxes i").length, document.querySelectorAll("#worksheet .solution .boxes").length]`);
    assert.deepStrictEqual(sheet, ["block", "none", 2 * 7 * 8, 7], "the worksheet");
    if (process.env.UPSWEEP_PICTURES) await b.pdf(path.join(work, "worksheet.pdf"));
    ok(b.problems.length === 0, b.problems.join("; "));
}

// A page of a build without clang: it plays its numbers, and says why it takes no others.
async function withoutForms(b) {
    const file = path.resolve(work, "without_forms.html"), page = fs.readFileSync(path.resolve(work, "scan_sweep.html"), "utf8");
    fs.writeFileSync(file, page.replace(/"wasm":"[^"]*"/, '"wasm":""'));
    await b.open(file);
    ok((await b.ask(`$("own").textContent`)).includes("made by a build without clang"), "nothing is said of other numbers");
    ok(await b.ask(`$("beside") === null && document.querySelectorAll(".top option").length === 1`), "other algorithms are offered");
    await b.ask("document.activeElement.blur()");
    await b.key("End");
    await looksRight(b, "without forms");
    ok(b.problems.length === 0, b.problems.join("; "));
}

// The chapters and contents that site/course.py and site/make.sh made; their playing pages are those above.
async function course(b) {
    const made = (folder) => fs.readdirSync(folder).filter((name) => /^(?!play_).*[.]html$/.test(name)).map((name) => path.join(folder, name));
    const pages = fs.existsSync(path.join(site, "course")) ? [...made(path.join(site, "course")), path.join(site, "index.html")] : [];
    for (const file of pages) {
        const name = path.basename(file);
        await b.size(1280, 800);
        await b.media({ "prefers-color-scheme": "light" });
        await b.open(path.resolve(file), "", "document.readyState === 'complete'");
        const links = await b.ask(`[...document.querySelectorAll("a[href], iframe")].map((n) => n.getAttribute("href") || n.getAttribute("src"))`);
        const dead = links.filter((to) => !/^https?:/.test(to) && !fs.existsSync(path.join(path.dirname(file), to)));
        ok(links.length > 0 && dead.length === 0, `${name}: leads to ${dead}, which is not there`);
        for (const theme of ["light", "dark"]) {
            await b.media({ "prefers-color-scheme": theme });
            const bad = await b.ask(CONTRAST);
            ok(bad.length === 0, `${name}, ${theme}: contrast below 4.5: ${bad.join("; ")}`);
        }
        ok((await b.ask(NAMELESS)).length === 0, `${name}: controls without a name: ${await b.ask(NAMELESS)}`);
        await b.size(390, 800);
        ok(await b.ask("document.documentElement.scrollWidth") <= 390, `${name}: on a phone the page is wider than the screen`);
        ok(b.problems.length === 0, `${name}: ${b.problems.join("; ")}`);
    }
    return pages.length;
}

async function main() {
    const b = new Browser(chromium);
    try {
        await b.start();
        await b.size(1280, 800);
        for (const name of names) await page(b, name);
        await b.media({});
        await hands(b);
        await b.media({});
        await withoutForms(b);
        await b.media({});
        const chapters = await course(b);
        console.log(`pages: ${names.length} pages, ${chapters} of the course, ${checks} checks`);
    } finally {
        b.stop();
    }
}
main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
});

// replay.js - does the steps of a trace once more on arrays of its own: a frame for each round, and what
// is wrong with the trace, if anything is. docs/trace.md says what events mean. Needs no page: node runs
// it, too (test/site/replay_test.js).
"use strict";

const KIND = { phase: 2, round: 3, compare: 4, swap: 5, move: 6, combine: 7, set: 8, array: 9, endRound: 10,
    note: 11, end: 12 };
const UNREACHED = 4294967295; // among distances; in vectors: a place that is filled up

// The members of an event [kind, ...], with names instead of numbers.
function readEvent(trace, event) {
    const kind = event[0], line = trace.lines[event[event.length - 1]];
    if (kind === KIND.phase || kind === KIND.round || kind === KIND.note) return { kind, text: event[1], line };
    if (kind === KIND.array) {
        return { kind, array: trace.arrays[event[1]], role: event[2], vector: event[3], values: event[4], line };
    }
    if (kind < KIND.compare || kind > KIND.set) return { kind };
    const step = { kind, line, lane: event[1], array: trace.arrays[event[2]], i: event[3], a: event[4] };
    if (kind !== KIND.set) {
        step.other = trace.arrays[event[5]];
        step.j = event[6];
        step.b = event[7];
    }
    return step;
}

// The places [array, index, value] that a step writes, and those that it reads.
function writesOf(s) {
    if (s.kind === KIND.swap) return [[s.array, s.i, s.a], [s.array, s.j, s.b]];
    if (s.kind === KIND.move) return [[s.other, s.j, s.a]];
    return s.kind === KIND.compare ? [] : [[s.array, s.i, s.a]];
}
function readsOf(s) {
    if (s.kind === KIND.compare) return [[s.array, s.i, s.a], [s.other, s.j, s.b]];
    if (s.kind === KIND.move) return [[s.array, s.i, s.a]];
    return s.kind === KIND.combine ? [[s.other, s.j, s.b]] : [];
}

// Returns { frames, problems, order }. Frame 0 is the start and frame r what round r, counted from 1, has
// done: { number, label, phase, note, line, steps, lanes, counts, arrays, shown }. arrays: name ->
// { values, n, vector, role }, where a place without a value was never written; frames share what no round
// between them changed. shown: the `array` events of the round, replayed being what the steps had left in
// the array. order: the arrays' names by first use.
function replay(trace) {
    const frames = [], problems = [], order = [];
    let fresh = new Set(), frame = null, phase = "", note = "";
    const wrong = (text) => problems.push(`round ${frame.number}: ${text}`);

    function begin(label, line) {
        const last = frame;
        frame = { number: frames.length, label, phase, note, line, steps: [], lanes: 0, shown: [],
            counts: last ? last.counts.slice() : new Array(13).fill(0), arrays: new Map(last ? last.arrays : []) };
        fresh = new Set();
        note = "";
        frames.push(frame);
    }
    // The array, as this frame's own.
    function own(name) {
        let a = frame.arrays.get(name);
        if (!a) order.push(name);
        if (!a || !fresh.has(name)) {
            a = a ? { ...a, values: a.values.slice() } : { values: [], n: 0, vector: 0, role: "" };
            frame.arrays.set(name, a);
            fresh.add(name);
        }
        return a;
    }
    function step(s) {
        for (const [name, i, value] of s.kind === KIND.swap ? [] : readsOf(s)) {
            const a = own(name);
            if (a.values[i] === undefined) a.values[i] = value;
            a.n = Math.max(a.n, i + 1);
            if (a.values[i] !== value) wrong(`${name}[${i}] is ${a.values[i]}, and the step reads ${value}`);
        }
        if (s.kind === KIND.swap) {
            const v = own(s.array).values;
            if (v[s.i] !== s.b || v[s.j] !== s.a) wrong(`the swap of ${s.array}[${s.i}] and [${s.j}] is none`);
        }
        for (const [name, i, value] of writesOf(s)) {
            const a = own(name);
            a.values[i] = value;
            a.n = Math.max(a.n, i + 1);
        }
        frame.steps.push(s);
        frame.counts[s.kind]++;
    }
    function state(e) {
        const known = frame.arrays.has(e.array), a = own(e.array);
        const replayed = e.values.map((value, k) => known ? a.values[k] || 0 : value);
        e.values.forEach((value, k) => {
            const have = a.values[k];
            if (known && have !== value && (have !== undefined || value !== 0)) {
                wrong(`${e.array}[${k}] is ${have}, and is shown as ${value}`);
            }
            a.values[k] = value;
        });
        Object.assign(a, { n: e.values.length, vector: e.vector, role: e.role });
        frame.shown.push({ name: e.array, role: e.role, n: a.n, vector: e.vector, replayed });
    }

    begin("start", null);
    for (const event of trace.events) {
        const e = readEvent(trace, event);
        if (e.kind === KIND.phase) phase = e.text;
        else if (e.kind === KIND.note) note = e.text;
        else if (e.kind === KIND.round) begin(e.text, e.line);
        else if (e.kind === KIND.array) state(e);
        else if (e.kind === KIND.endRound) frame.lanes = new Set(frame.steps.map((s) => s.lane)).size;
        else if (e.kind !== KIND.end) step(e);
    }
    return { frames, problems, order };
}

// "1 2 3", or "[1 2 3 4][5 6 7 ~]" for vectors; - among distances is one that is not reached.
function valuesText(a) {
    const words = a.values.slice(0, a.n).map((v) => v === undefined ? "." :
        v === UNREACHED && a.role === "distances" ? "-" : v === UNREACHED && a.vector > 0 ? "~" : String(v));
    if (!(a.vector > 0)) return words.join(" ");
    let text = "";
    for (let k = 0; k < words.length; k += a.vector) text += `[${words.slice(k, k + a.vector).join(" ")}]`;
    return text;
}

if (typeof module !== "undefined") module.exports = { KIND, replay, readEvent, writesOf, readsOf, valuesText };

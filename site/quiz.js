// quiz.js - "What comes next?": the next round stays hidden until the reader has named the pairs that its
// lanes bring together, or values that they write.
"use strict";

// What to ask about a round: { kind: "pairs", pairs } or { kind: "values", values: [[name, i, value]] }.
function questionOf(frame) {
    const { pairs } = actionsOf(frame), last = new Map();
    if (pairs.length > 0) return { kind: "pairs", pairs, found: [], missed: 0 };
    for (const s of frame.steps) for (const [name, i, value] of writesOf(s)) last.set(`${name} ${i}`, [name, i, value]);
    const all = [...last.values()], some = new Set([0, all.length >> 1, all.length - 1].filter((k) => all[k]));
    return { kind: "values", values: [...some].map((k) => all[k]), found: [], missed: 0 };
}

function isAnswered(q) {
    return q.found.length >= (q.kind === "pairs" ? q.pairs : q.values).length;
}

function questionText(q, frame) {
    if (q.kind === "pairs") {
        const left = q.pairs.length - q.found.length;
        return `Next comes "${frame.label}". Which elements meet? ${left} ${left === 1 ? "pair" : "pairs"} to name: ` +
            "press two cells, or type two places.";
    }
    const [name, i] = q.values[q.found.length];
    return `Next comes "${frame.label}". Which value does ${name}[${i}] get?`;
}

// Takes the numbers that were typed or pressed; returns the verdict. array: of the cells, or null.
function answer(q, numbers, array = null) {
    if (q.kind === "values") {
        const [name, i, value] = q.values[q.found.length];
        if (numbers.length === 1 && numbers[0] === value) {
            q.found.push(q.values[q.found.length]);
            return `Right: ${name}[${i}] becomes ${value}.`;
        }
        q.missed++;
        return `Not ${numbers.join(" ")}. Look at what the lane reads.`;
    }
    if (numbers.length !== 2) return "A pair is two places, such as 2 5.";
    const [i, j] = numbers.slice().sort((a, b) => a - b);
    const same = (p) => p.i === i && p.j === j && (array === null || p.array === array);
    if (q.found.some(same)) return `${i} and ${j} are named already.`;
    const pair = q.pairs.find(same);
    if (pair === undefined) {
        q.missed++;
        return `${i} and ${j} do not meet in this round.`;
    }
    q.found.push(pair);
    return `Right: lane ${pair.lane} brings ${pair.array}[${i}] and ${pair.array}[${j}] together.`;
}

if (typeof module !== "undefined") module.exports = { questionOf, answer, isAnswered };

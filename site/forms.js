// forms.js - runs the explained forms, which are C compiled to WebAssembly (site/wasm/wasm.c), on the
// reader's numbers. There is no second implementation of an algorithm in the page.
"use strict";

const STATUS = { 4: "there is not enough memory", 7: "that takes more steps than a page plays" }; // upsweep_status

// bytes: of the module. Returns trace(row, numbers): what `upsweep page` would have written, or an Error.
async function openForms(bytes) {
    const module = await WebAssembly.compile(bytes);
    return function trace(row, numbers, most = 40000) {
        let left = null;
        const leave = (status) => {
            left = status;
            throw new Error("left"); // the instance is given up, and its memory with it
        };
        const forms = new WebAssembly.Instance(module, { page: { leave } }).exports;
        try {
            const at = forms.input(numbers.length);
            new Uint32Array(forms.memory.buffer, at, numbers.length).set(numbers);
            const size = forms.trace(row, most);
            if (size > 0) {
                const text = new Uint8Array(forms.memory.buffer, forms.text(), size);
                return JSON.parse(new TextDecoder().decode(text));
            }
        } catch (error) {
            if (left === null) throw error;
        }
        throw new Error(STATUS[left === null ? 4 : left] || "these numbers do not suit it");
    };
}

function fromBase64(text) {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

// "3, 7 1" -> [3, 7, 1]; an Error names the word that is no number.
function readNumbers(text, most = 256) {
    const words = text.split(/[\s,]+/).filter((w) => w !== "");
    const bad = words.find((w) => !/^\d+$/.test(w) || Number(w) > 4294967295);
    if (bad !== undefined) throw new Error(`'${bad}' is no whole number from 0 to 4294967295`);
    if (words.length > most) throw new Error(`a page plays at most ${most} numbers`);
    return words.map(Number);
}

if (typeof module !== "undefined") module.exports = { openForms, fromBase64, readNumbers };

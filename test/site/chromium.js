// chromium.js - a headless Chromium, spoken to over a pipe: pages are opened, keys pressed, pictures taken.
"use strict";
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const zlib = require("zlib");

// The browser's program, or null.
function find() {
    const names = process.env.UPSWEEP_CHROMIUM ? [process.env.UPSWEEP_CHROMIUM] : ["chromium", "chromium-browser", "google-chrome"];
    return names.find((name) => spawnSync(name, ["--version"]).status === 0) || null;
}

class Browser {
    constructor(program) {
        this.home = fs.mkdtempSync(path.join(os.tmpdir(), "upsweep_chromium_"));
        this.process = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-extensions", "--disable-background-networking", "--force-device-scale-factor=1",
            `--user-data-dir=${this.home}`, "--remote-debugging-pipe", "about:blank"],
        { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        this.waiting = new Map();
        this.number = 0;
        this.problems = [];
        this.once = [];
        let text = "";
        this.process.stdio[4].on("data", (bytes) => {
            text += bytes;
            const parts = text.split("\0");
            text = parts.pop();
            parts.forEach((part) => this.heard(JSON.parse(part)));
        });
    }
    heard(m) {
        if (m.id !== undefined) {
            const { resolve, reject } = this.waiting.get(m.id);
            this.waiting.delete(m.id);
            return m.error ? reject(new Error(m.error.message)) : resolve(m.result);
        }
        if (m.method === "Runtime.exceptionThrown") this.problems.push(JSON.stringify(m.params.exceptionDetails).slice(0, 400));
        if (m.method === "Runtime.consoleAPICalled" && m.params.type !== "log") this.problems.push(JSON.stringify(m.params.args));
        if (m.method === "Log.entryAdded" && m.params.entry.level === "error") this.problems.push(m.params.entry.text);
        if (m.method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(m.params.request.url)) this.problems.push(`asks for ${m.params.request.url}`);
        this.once = this.once.filter(([method, resolve]) => method !== m.method || resolve(m.params));
    }
    send(method, params = {}) {
        const id = ++this.number;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
        });
    }
    event(method) {
        return new Promise((resolve) => this.once.push([method, resolve]));
    }
    async start() {
        const { targetInfos } = await this.send("Target.getTargets");
        const targetId = targetInfos.find((t) => t.type === "page").targetId;
        this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
        for (const domain of ["Page", "Runtime", "Log", "Network"]) await this.send(`${domain}.enable`);
    }
    size(width, height) {
        return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    }
    media(features, media = "") {
        return this.send("Emulation.setEmulatedMedia", { media, features: Object.entries(features).map(([name, value]) => ({ name, value })) });
    }
    // Opens a file and waits until its script says that it is ready; the milliseconds that took.
    async open(file, hash = "", ready = "document.documentElement.dataset.ready === 'yes'") {
        await this.send("Page.navigate", { url: "about:blank" });
        const begin = Date.now(), loaded = this.event("Page.loadEventFired");
        await this.send("Page.navigate", { url: `file://${file}${hash}` });
        await loaded;
        while (!await this.ask(`!!document.documentElement && ${ready}`)) await new Promise((r) => setTimeout(r, 5));
        return Date.now() - begin;
    }
    async ask(expression) {
        const r = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
        if (r.exceptionDetails) throw new Error(`${expression.slice(0, 80)}: ${r.exceptionDetails.exception.description}`);
        return r.result.value;
    }
    async key(key, code = key, text = undefined) {
        const codes = { Tab: 9, Enter: 13, Escape: 27, " ": 32, End: 35, Home: 36, ArrowLeft: 37, ArrowRight: 39 };
        const params = { key, code, text, windowsVirtualKeyCode: codes[key] || key.toUpperCase().charCodeAt(0) };
        await this.send("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...params });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
    }
    async type(text) {
        await this.send("Input.insertText", { text });
    }
    async picture(file = null) {
        const bytes = Buffer.from((await this.send("Page.captureScreenshot", { format: "png" })).data, "base64");
        if (file) fs.writeFileSync(file, bytes);
        return pixels(bytes);
    }
    async pdf(file) {
        fs.writeFileSync(file, Buffer.from((await this.send("Page.printToPDF", { printBackground: true })).data, "base64"));
    }
    stop() {
        this.process.kill();
        // Processes of the browser may outlive it for a moment and write there still.
        this.process.on("exit", () => fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
    }
}

// A PNG of 8 bits a channel: { width, height, at(x, y) -> [r, g, b] }.
function pixels(png) {
    const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = png[25] === 6 ? 4 : 3, parts = [];
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
        if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
    const raw = zlib.inflateSync(Buffer.concat(parts)), stride = width * channels, out = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const a = x >= channels ? out[y * stride + x - channels] : 0, b = y > 0 ? out[(y - 1) * stride + x] : 0;
            const c = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0, p = a + b - c;
            const paeth = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a : Math.abs(p - b) <= Math.abs(p - c) ? b : c;
            out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + [0, a, b, (a + b) >> 1, paeth][filter];
        }
    }
    return { width, height, at: (x, y) => [...out.subarray((y * width + x) * channels, (y * width + x) * channels + 3)] };
}

module.exports = { Browser, find };

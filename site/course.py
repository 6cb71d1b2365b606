#!/usr/bin/env python3
"""course.py PROGRAM SOURCE_DIR DIR - makes the course: every chapter of docs/course as a page of DIR, with
what it shows made by the program itself: {{play NAME NUMBER...}} is a page that plays, {{trace ...}} and
{{run ...}} are what the program prints, {{task NAME}} is a task of `upsweep learn`. A word in *stars* is
explained where it stands, and must be in site/glossary.txt. Ends with 1 if a chapter names what is not there."""
# SPDX-License-Identifier: MIT
import html
import re
import subprocess
import sys
from pathlib import Path

program, root, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
problems = []
glossary = {}
for line in (root / "site/glossary.txt").read_text().split("\n"):
    if line and not line.startswith("#"):
        forms, meaning = line.split(": ", 1)
        for form in forms.split(", "):
            glossary[form] = meaning

STYLE = """:root{color-scheme:light dark}body{font:18px/1.6 system-ui,"DejaVu Sans",sans-serif;max-width:44em;margin:2em auto 4em;
padding:0 1em;color:#1b2230;background:#faf9f6}h1{line-height:1.2}h2{margin-top:1.8em}a{color:#1d5fc4}
pre{font:14px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;background:#f1efe9;padding:.8em 1em;border-radius:8px;overflow-x:auto}
code{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.9em}
iframe{width:min(1180px,94vw);margin-left:calc(50% - min(590px,47vw));height:min(700px,92vh);border:1px solid #d9d6cd;
border-radius:14px}dfn{font-style:normal;text-decoration:underline dotted #1d5fc4;text-underline-offset:3px;cursor:help;position:relative}
dfn:hover::after,dfn:focus::after{content:attr(data-means);position:absolute;left:0;top:1.7em;width:18em;background:#1b2230;color:#fff;
padding:.5em .8em;border-radius:8px;font-size:.85em;z-index:2;line-height:1.4}table{border-collapse:collapse;display:block;overflow-x:auto}td,th{text-align:left;
padding:.3em .8em;border-bottom:1px solid #d9d6cd}nav{display:flex;justify-content:space-between;gap:1em;margin-top:3em}
.play{font-size:.85em;margin:.3em 0 1.5em;text-align:center}dt{font-weight:600;margin-top:.8em}
@media(prefers-color-scheme:dark){body{color:#e9edf4;background:#11151c}a{color:#86b7ff}pre{background:#1f2733}
dfn{text-decoration-color:#86b7ff}dfn:hover::after,dfn:focus::after{background:#e9edf4;color:#11151c}td,th,iframe{border-color:#313a49}}
@media print{iframe,.play,nav{display:none}body{background:#fff;color:#000}}"""


def run(*words):
    r = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if r.returncode != 0:
        problems.append(f"upsweep {' '.join(words)}: {r.stderr.strip()}")
    return r.stdout


def play(words):
    name = "_".join(word.replace("/", "_") for word in words)
    if len(name) > 60:
        name = name[:60]
    run("page", *words, "-o", str(out / f"play_{name}.html"))
    title = html.escape(" ".join(words))
    return (f'<iframe src="play_{name}.html" title="{title}, played" loading="lazy"></iframe>'
            f'<p class="play"><a href="play_{name}.html">{title}, on a page of its own</a></p>')


def task(name):
    text = run("learn", name)
    title = text.split("\n", 1)[0].split(": ", 1)[-1]
    return f"{html.escape(title[:1].upper() + title[1:])}: <code>upsweep learn {html.escape(name)}</code>"


def explained(match):
    word = match.group(1)
    meaning = glossary.get(" ".join(word.lower().split()))
    if meaning is None:
        problems.append(f"{chapter.name}: '{word}' is not in the glossary")
    return f'<dfn tabindex="0" data-means="{html.escape(meaning or "", quote=True)}">{word}</dfn>'


def code(match):
    text = match.group(1)
    path = re.fullmatch(r"[a-z]+(/[\w.]+)+\.(c|h|cu|cuh|md)", html.unescape(text))
    if path and not (root / html.unescape(text)).is_file():
        problems.append(f"{chapter.name}: there is no {text}")
    return f"<code>{text}</code>"


def inline(text):
    parts = re.split(r"(\{\{task \S+\}\}|`[^`]*`)", text)
    done = []
    for part in parts:
        if part.startswith("{{task "):
            done.append(task(part[7:-2]))
        elif part.startswith("`"):
            done.append(code(re.match(r"`(.*)`", html.escape(part, quote=False), re.S)))
        else:
            part = html.escape(part, quote=False)
            part = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', part)
            part = re.sub(r"\*([^*]+)\*(?!\w)", explained, part.replace("**", "\x01"))
            done.append(re.sub("\x01(.+?)\x01", r"<strong>\1</strong>", part, flags=re.S))
    return "".join(done)


def block(text):
    lines = text.split("\n")
    if text.startswith("{{"):
        made = []
        for kind, words in re.findall(r"\{\{(play|trace|run) (.*?)\}\}", text, re.S):
            words = words.split()
            if kind == "play":
                made.append(play(words))
            else:
                shown = words if kind == "run" else ["trace", *words]
                made.append(f"<pre tabindex=\"0\">$ upsweep {html.escape(' '.join(shown))}\n{html.escape(run(*shown))}</pre>")
        return "\n".join(made)
    if lines[0].startswith("#"):
        level = len(lines[0]) - len(lines[0].lstrip("#"))
        return f"<h{level}>{inline(lines[0][level:].strip())}</h{level}>"
    if all(line.startswith("    ") for line in lines):
        return "<pre>" + html.escape("\n".join(line[4:] for line in lines)) + "</pre>"
    if lines[0].startswith("|"):
        rows = [[inline(c.strip()) for c in line.strip("|").split("|")] for line in lines if not re.match(r"\|[-|]+$", line)]
        cell = [("th" if k == 0 else "td") for k in range(len(rows))]
        return "<table>" + "".join("<tr>" + "".join(f"<{t}>{c}</{t}>" for c in r) + "</tr>" for r, t in zip(rows, cell)) + "</table>"
    items = re.split(r"\n(?=- |\d+\. )", "\n" + text)[1:]
    if re.match(r"- |\d+\. ", text) and items:
        kind = "ul" if text.startswith("-") else "ol"
        return f"<{kind}>" + "".join("<li>" + inline(re.sub(r"^(- |\d+\. )", "", i)) + "</li>" for i in items) + f"</{kind}>"
    return "<p>" + inline(text) + "</p>"


def page(title, body, before, after):
    if after:
        body += f'\n<h2>What comes next</h2>\n<p><a href="{after[0]}">{html.escape(after[1])}</a>: {inline(after[2])}</p>'
    links = [f'<a href="{before[0]}">Before: {html.escape(before[1])}</a>' if before else '<a href="index.html">All chapters</a>',
             f'<a href="{after[0]}">Next: {html.escape(after[1])}</a>' if after else '<a href="index.html">All chapters</a>']
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
            f'initial-scale=1"><title>{html.escape(title)}</title><style>{STYLE}</style></head><body>\n{body}\n'
            f'<nav>{"".join(links)}</nav></body></html>\n')


out.mkdir(parents=True, exist_ok=True)
chapters = sorted((root / "docs/course").glob("[0-9]*.md"))
contents = (root / "docs/course/README.md").read_text().strip().replace("Glossary:", "[Glossary](15_glossary.md):")
about = {f"{name}.html": text for name, text in re.findall(r"^\d+\. \[.+?\]\((\d.+?)\.md\): (.+)$", contents, re.M)}
titles = [(f"{c.stem}.html", c.read_text().split("\n", 1)[0].lstrip("# ")) for c in chapters] + [("15_glossary.html", "Glossary")]
titles = [(name, title, about.get(name, "")) for name, title in titles]
for k, chapter in enumerate(chapters):
    body = "\n".join(block(b) for b in re.split(r"\n{2,}", chapter.read_text().strip()))
    (out / titles[k][0]).write_text(page(titles[k][1], body, titles[k - 1] if k > 0 else None, titles[k + 1]))
words = {}
for form, meaning in glossary.items():
    words.setdefault(meaning, []).append(form)
entries = "".join(f"<dt>{html.escape(', '.join(f))}</dt><dd>{html.escape(m)}</dd>" for m, f in sorted(words.items(), key=lambda e: e[1]))
(out / titles[-1][0]).write_text(page("Glossary", f"<h1>Glossary</h1><dl>{entries}</dl>", titles[-2], None))
chapter = root / "docs/course/README.md"  # the contents; its links become those of the pages
if re.findall(r"\[(.+?)\]\((\d.+?)\.md\)", contents) != [(title, name[:-5]) for name, title, _ in titles]:
    problems.append("docs/course/README.md: its list is not that of the chapters and their titles")
contents = contents.replace(".md)", ".html)").replace("../gallery.html", "../index.html")
body = "\n".join(block(b) for b in re.split(r"\n{2,}", contents))
(out / "index.html").write_text(page("Parallel algorithms: a course", body, None, titles[0]))
for problem in problems:
    print(problem, file=sys.stderr)
print(f"course: {len(titles)} chapters, {len(problems)} problems: file://{out.resolve()}/index.html")
sys.exit(1 if problems else 0)

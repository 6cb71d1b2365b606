#!/usr/bin/env python3
"""filter.py HEADER - the header as doxygen wants it, on standard output. The headers' comments are plain
sentences, without marks for any tool; this gives them the marks:

- the comment that opens the file becomes the file's page, laid out as it is;
- a comment before a declaration documents it, and those that follow it without a blank line;
- a comment behind a member or an enumerator documents that; one without a comment is told by its type.

Declarations that no comment stands before get none, so that doxygen warns.
"""
# SPDX-License-Identifier: MIT
import re
import sys


def escaped(text):
    """Text without doxygen's commands, HTML and markdown."""
    return re.sub(r"([\\@#%<>&$~`*|])", r"\\\1", text).replace("\\*", "&lowast;").replace(
        "\\|", "|").replace("\\`", "&#96;").replace("_", "_")


def page(lines, name):
    body = "\n".join(re.sub(r"^(/\*| \*/?|//) ?", "", line) for line in lines)
    body = re.sub(r" ?\*/\s*$", "", body)
    return [f"/** @file {name}", " * @verbatim"] + [" " + line for line in body.split("\n")] + [
        "@endverbatim */"]


def documented(lines):
    """Comments as doxygen has them; blank lines end what a comment documents."""
    out, last, inside = [], None, False
    i = 0
    while i < len(lines):
        line = lines[i]
        indent = re.match(r"\s*", line).group()
        if re.match(r"\s*/\*", line):  # a whole comment of lines
            block = []
            while True:
                block.append(lines[i])
                if "*/" in lines[i]:
                    break
                i += 1
            text = re.sub(r"\s*\n\s*\*? ?", " ", "\n".join(block).strip()[2:-2].strip())
            rule = re.match(r"-{4}", text)
            rule = rule or text.startswith("SPDX")
            last = None if rule else f"{indent}/** {escaped(text)} */"
            if last:
                out.append(last)
        elif re.match(r"\s*// ", line):
            block = []
            while i < len(lines) and re.match(r"\s*//", lines[i]):
                block.append(re.sub(r"^\s*// ?", "", lines[i]))
                i += 1
            i -= 1
            last = None if block[0].startswith("----") else f"{indent}/** {escaped(' '.join(block))} */"
            if last:
                out.append(last)
        else:
            several = re.match(r"(    )([\w ]+?)(\*? ?)(\w+), (\w+)(, (\w+))?;(.*)", line)
            if several and inside:  # one declaration each, under the same comment
                names = [n for n in several.group(4, 5, 7) if n]
                lines[i:i + 1] = [f"    {several.group(2)} {several.group(3)}{n};{several.group(8)}"
                                  for n in names]
                if out and out[-1].lstrip().startswith("/**"):
                    comment = out.pop()
                    lines[i:i + len(names)] = [
                        f"    {several.group(2)} {several.group(3)}{n}; /* {comment.strip()[4:-3]} */"
                        for n in names]
                continue
            starts = re.match(r"(UPSWEEP_API|typedef|enum|inline|static inline|class|struct|template|#define UPSWEEP)", line)
            if starts and last and out and not out[-1].lstrip().startswith("/**") and out[-1].strip():
                out.append(last)  # the next of several declarations under one comment
            if not line.strip():
                last = None
            # Behind a member: it may go on over the next lines.
            cpp = re.match(r"(\s+[^/]*;) *// (.*)", line)
            if cpp:
                line = f"{cpp.group(1)} /**< {escaped(cpp.group(2))} */"
            m = None if cpp else re.match(r"(\s+[^/]*?[;,{a-zA-Z0-9_)] *)/\* (.*)", line)
            if line.startswith("#define") and "/* " in line:
                line = re.sub(r"/\* (.*?) ?\*/", r"/**< \1 */", line)
            elif m and not line.startswith("#"):
                text = m.group(2)
                while "*/" not in text:
                    i += 1
                    text += " " + lines[i].strip()
                line = f"{m.group(1)}/**< {escaped(text.replace('*/', '').strip())} */"
            elif re.match(r"    [A-Za-z_].*[;,]$", line) and inside and ("(" not in line or "(*" in line) and not (
                    out and out[-1].lstrip().startswith("/**")):
                line += " /**< See the type. */"
            out.append(line)
            if re.match(r"(typedef )?(struct|enum)\b.*\{$", line):
                inside = True
            elif line.startswith("}"):
                inside = False
        i += 1
    return out


def main():
    name = sys.argv[1].split("/")[-1]
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().split("\n")
    end = next(i for i, line in enumerate(lines)
               if "*/" in line or (lines[0].startswith("//") and not line.startswith("//")))
    end += lines[0].startswith("/*")
    print("\n".join(page(lines[:end], name) + documented(lines[end:])))


main()

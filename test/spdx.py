#!/usr/bin/env python3
"""spdx.py - the line that names the licence, one in every source, after the comment that opens the file.

    spdx.py SOURCE_DIR          says which sources lack it, or have it twice; ends with 1 if any does
    spdx.py SOURCE_DIR --add    puts it where it is missing
"""
# SPDX-License-Identifier: MIT
import re
import subprocess
import sys
from pathlib import Path

LINE = "SPDX-License-Identifier: MIT"
C = (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".rs", ".def", ".map", ".pml")
HASH = (".py", ".sh", ".cmake", ".yml", ".dict")
HASH_NAMES = ("CMakeLists.txt", "Makefile", "bootstrap", "Doxyfile")
# A header as it was when it was released, and what programs printed.
LEFT_OUT = ("test/abi/upsweep_0_1_0", "test/golden/", ".ci/")


def is_source(path):
    if str(path).startswith(LEFT_OUT):
        return False
    return path.suffix in C + HASH or path.name in HASH_NAMES


def style(path, lines):
    """How a comment is written in a file: as the one that opens it."""
    if path.suffix in C:
        return "// {}" if lines[0].startswith("//") else "/* {} */"
    return "# {}"


def place(lines, form):
    """The number of lines that stand before the licence: the opening comment, or the shebang."""
    at = 0
    if lines and lines[0].startswith("#!"):
        at = 1
    if form.startswith(("/*", "//")):
        if lines[at].startswith("/*"):
            while "*/" not in lines[at]:
                at += 1
            return at + 1
        while at < len(lines) and lines[at].startswith("//"):
            at += 1
        return at
    if at < len(lines) and lines[at].startswith('"""'):
        at += 1 if lines[at].count('"""') < 2 else 0
        while '"""' not in lines[at]:
            at += 1
        return at + 1
    while at < len(lines) and lines[at].startswith("#"):
        at += 1
    return at


def sources(root):
    """The files of the tree: those git knows or, outside a checkout, all that were not built."""
    try:
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                               capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*")]
        names = [n for n in names if not n.startswith((".git/", "build"))]
    paths = (Path(n) for n in sorted(set(names)) if n)
    return [p for p in paths if is_source(p) and (root / p).is_file() and not (root / p).is_symlink()]


def missing(root):
    """Sources that do not have the line, once."""
    mark = re.compile(r"^(#|//|/\*) " + re.escape(LINE) + r"( \*/)?$", re.M)
    return [p for p in sources(root)
            if len(mark.findall((root / p).read_text(encoding="utf-8", errors="replace"))) != 1]


def main():
    root = Path(sys.argv[1])
    left = missing(root)
    if sys.argv[2:] == ["--add"]:
        for p in left:
            text = (root / p).read_text(encoding="utf-8")
            if LINE + "\n" in text or LINE + " */" in text:
                continue
            lines = text.split("\n")
            form = style(p, lines)
            lines.insert(place(lines, form), form.format(LINE))
            (root / p).write_text("\n".join(lines), encoding="utf-8")
        left = missing(root)
    for p in left:
        print(f"{p}: has not one line '{LINE}'")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())

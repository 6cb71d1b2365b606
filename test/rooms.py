#!/usr/bin/env python3
"""rooms.py - the rooms of the house as a test: which room may include which, in one order without a
circle; that includes are written from the root; that every room has a page that names all its files;
that no algorithm is named outside algo/ and the tables of choice.

    rooms.py SOURCE_DIR          what is wrong, a line each; ends with 1 if anything is
    rooms.py SOURCE_DIR --order  the rooms with their lines and what they include
"""
# SPDX-License-Identifier: MIT
import collections
import re
import shutil
import subprocess
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SOURCES = (".c", ".h", ".cu", ".cuh", ".cpp", ".hpp", ".def")

# The rooms of the machinery, lowest first: a room includes only rooms of lower lines of its side.
CPU = [["cache_sort", "folds", "paths"], ["patterns", "buckets", "selection"], ["pair_sort", "strings"], ["merging"]]
GPU = [["block", "plugin", "film", "paths"], ["carry"],
       ["short_sort", "folds", "selection", "merging", "textbook"], ["digit_sort", "prefix_tree", "strings"], ["bucket_sort"], ["pair_buckets", "tree_buckets", "runs"]]
# Lines and files that a room has at most.
MOST = {"core": (4000, 32), "cpu": (4000, 22), "gpu": (6500, 30)}
PAGE_LINES = 60
# What may name an algorithm: the tables of choice; and the chart of the passes of sort/vmerge, which no other has.
CHOICE = {"calls/sort_choice.c", "gpu/sort_choice.cu", "app/compare/compare_count.c", "app/learn/tasks.def"}


def tracked(root):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                         capture_output=True, text=True).stdout.split("\n")
    return sorted(n for n in set(out) if n and (root / n).is_file())


def level(room):
    """Where a room of cpu/ or gpu/ stands in its order; the headers beside the rooms stand below all."""
    side, _, name = room.partition("/")
    order = CPU if side == "cpu" else GPU
    return next((i for i, names in enumerate(order) if name in names), -1 if not name else None)


def room_of(name):
    parts = name.split("/")
    if parts[0] in ("cpu", "gpu") and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


ALGO = {  # by how a form's name ends: files and rooms that it may include
    ".c": r"core/explain(_steps)?\.h",
    "_cpu.h": r"cpu/.*|core/(order|half|paths)\.h",
    ".cu": r"gpu/.*",
}
OTHERS = {  # room: what it may include
    "include": r"upsweep(_\w+)?\.(h|hpp)",
    "core": r"upsweep\.h|core/.*",
    "calls": r"upsweep\.h|core/.*|calls/.*|cpu/cpu\.h|cpu/\w+/[a-z_]+\.h",
    "external": r"upsweep\.h|core/.*|external/.*",
    "io": r"upsweep\.h|io/.*",
    "app": r"upsweep\.h|io/.*|app/.*|view/.*",
    "view": r"upsweep\.h|io/.*|view/.*",
    "site": r"upsweep\.h|site/.*|core/explain\.h|app/page/page_events\.h",  # explained forms in a page
    "python": r"upsweep\.h|python/.*",
    "ranks": r"upsweep(_mpi|_mpi_layout)?\.h|core/(keymap|half|order|routes)\.h|io/.*|ranks/.*",
}


def may(name, target):
    """Whether the file may include the target, both from the root."""
    room, other = room_of(name), room_of(target)
    if target == "algo/algos.def":
        return name in ("core/registry.c", "core/explain.h", "gpu/plugin/plugin.cu", "site/wasm/wasm.c")
    if room == "algo":
        suffix = "_cpu.h" if name.endswith("_cpu.h") else Path(name).suffix
        return re.fullmatch(ALGO.get(suffix, ""), target) is not None
    if room.startswith(("cpu", "gpu")):
        side = room[:3]
        if target == "upsweep.h" or other == "core" or (name == "gpu/sort_choice.cu" and other[:3] == "gpu"):
            return True  # the table of choice stands above the rooms
        if name == "gpu/gpu.cuh" and target == "test/emulate/cuda_emulated.h":
            return True  # the one place where the emulator takes CUDA's place
        return other == room or (other[:3] == side and None not in (level(other), level(room))
                                 and level(other) < level(room))
    return room not in OTHERS or re.fullmatch(OTHERS[room], target) is not None


def lines_of(root, names):
    """Lines of files, without the one in each that names the licence."""
    texts = [(root / n).read_text(encoding="utf-8") for n in names]
    return sum(t.count("\n") - ("SPDX-License-Identifier" in t) for t in texts)


def check_includes(root, sources, problems):
    uses = collections.defaultdict(collections.Counter)
    for name in sources:
        if name.startswith(("test/abi/program", "test/install/", "examples/", "site/tasks/")):
            continue  # programs of users
        text = (root / name).read_text(encoding="utf-8")
        for m in INCLUDE.finditer(text):
            target, line = m.group(1), text.count("\n", 0, m.start()) + 1
            there = target if not re.fullmatch(r"upsweep(_\w+)?\.h(pp)?", target) else f"include/{target}"
            if not (root / there).is_file() and not target.endswith(".inc"):
                problems.append(f'{name}:{line}: "{target}" is not written from the root')
            elif not may(name, target):
                problems.append(f'{name}:{line}: {room_of(name)} may not include "{target}"')
            if room_of(name) != room_of(target):
                uses[room_of(name)][room_of(target)] += 1
    return uses


def check_sizes(root, sources, problems):
    rooms = collections.defaultdict(list)
    for name in sources:
        rooms[room_of(name)].append(name)
    for room, names in sorted(rooms.items()):
        if room.split("/")[0] in ("cpu", "gpu") and level(room) is None:
            problems.append(f"{room}: a room that is in no order (test/rooms.py)")
        most = MOST.get(room.split("/")[0])
        lines = lines_of(root, names)
        if most and (lines > most[0] or len(names) > most[1]):
            problems.append(f"{room}: {lines} lines in {len(names)} files; at most {most[0]} in {most[1]}")
    return rooms


def check_room_tests(root, problems):
    """test/room.sh knows the tests of every room, and make what runs it."""
    text = (root / "test/room.sh").read_text(encoding="utf-8")
    known = set(re.findall(r"[a-z_]+(?:/[a-z_]+)?", " ".join(re.findall(r"^([a-z_/ |]+)\) tests=", text, re.M))))
    rooms = [f"cpu/{n}" for names in CPU for n in names] + [f"gpu/{n}" for names in GPU for n in names]
    for room in ["algo", "core", "calls", "external", *rooms]:
        if room not in known:
            problems.append(f"test/room.sh: {room} has no tests there")
    for room in ["algo", "core", "calls", "external", *rooms] if shutil.which("make") else []:
        command = ["make", "-n", "--no-print-directory", f"check-{room}"]
        said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        if not said.stdout.endswith(f" {room}\n"):
            problems.append(f"Makefile: `make check-{room}` does not run test/room.sh")


def check_pages(root, rooms, files, problems):
    """A page names every file of its room, and no other."""
    for room, names in sorted(rooms.items()):
        if room.split("/")[0] not in ("core", "calls", "cpu", "external", "gpu", "python", "ranks") or room in ("cpu", "gpu"):
            continue
        page = f"{room}/README.md"
        if page not in files:
            problems.append(f"{page}: is not there: a page says what the room holds")
            continue
        text = (root / page).read_text(encoding="utf-8")
        if text.count("\n") > PAGE_LINES:
            problems.append(f"{page}: {text.count(chr(10))} lines; a page has at most {PAGE_LINES}")
        here = {n[len(room) + 1:] for n in names}
        said = set(re.findall(r"`((?:on_gpu/|binding/|plugin/|mpi/|program/)?[\w.]+\.(?:c|h|cu|cuh|def|map))`", text))
        for n in sorted(here - said):
            problems.append(f"{page}: does not name {n}")
        for n in sorted(said - here):
            if not any(f.endswith("/" + n) for f in files):
                problems.append(f"{page}: names {n}, which is nowhere")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def check_stems(root, sources, problems):
    """Only algo/ and the tables of choice name an algorithm in code or in a string that is its name; calls
    ask for the standard row. Examples in the program's help are users' words: whole commands."""
    stems = re.findall(r"^ALGO\((\w+),", (root / "algo/algos.def").read_text(encoding="utf-8"), re.M)
    names = "|".join(stems + [s.replace("_", "/", 1) for s in stems])
    named = re.compile(rf'"(?:{names})"|(?<!/)\b(?:\w+_)?(?:{"|".join(stems)})(?:_\w+)?\b(?!\.)')
    for name in sources:
        if name.split("/")[0] not in ("core", "calls", "cpu", "gpu", "io", "view", "app") or name in CHOICE:
            continue
        text = without_comments((root / name).read_text(encoding="utf-8"))
        for m in named.finditer(text):
            problems.append(f"{name}:{text.count(chr(10), 0, m.start()) + 1}: names {m.group()}; "
                            "the standard row is in algos.def, a choice in sort_choice")


def main():
    root = Path(sys.argv[1])
    files = tracked(root)
    sources = [f for f in files if f.endswith(SOURCES)]
    problems = []
    uses = check_includes(root, sources, problems)
    rooms = check_sizes(root, sources, problems)
    check_pages(root, rooms, set(files), problems)
    check_stems(root, sources, problems)
    check_room_tests(root, problems)
    if "--order" in sys.argv:
        for room, names in sorted(rooms.items()):
            lines = lines_of(root, names)
            print(f"{room}: {len(names)} files, {lines} lines, includes {dict(uses[room])}")
    for f in files:
        if re.search(r"(^|/)part_", f):
            problems.append(f"{f}: a file is named after what it does, not part_")
        if f.startswith("algo/") and not re.fullmatch(r"algo/(algos\.def|[a-z_]+?(\.c|_cpu\.h|\.cu))", f):
            problems.append(f"{f}: algo/ holds algos.def and the three files of each stem")
    print("\n".join(problems))
    print(f"rooms: {len(rooms)} rooms, {len(sources)} sources, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

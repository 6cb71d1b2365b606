#!/usr/bin/env python3
"""tree.py - the style of upsweep as a test: one noun in one room, lengths, names, and that header,
library, table and README agree. Who may include whom is asked by rooms.py.

    tree.py SOURCE_DIR [LIBRARY.so PROGRAM [LIBRARY.a]]
"""
# SPDX-License-Identifier: MIT
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left beside the tests
import spdx  # noqa: E402

root = Path(sys.argv[1])
problems = []
checks = 0


def tracked():
    """The files of the tree: those git knows or, outside a checkout, all that were not built."""
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                             capture_output=True, text=True).stdout
        names = out.split("\n")
    except (OSError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*")]
        names = [n for n in names if not n.startswith((".git/", "build"))]
    return sorted(Path(n) for n in set(names) if n and (root / n).is_file())


def read(path):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def problem(path, line, text):
    problems.append(f"{path}:{line}: {text}" if line else f"{path}: {text}")


files = tracked()
sources = [f for f in files if f.suffix in (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".def")]
bodies = {f: read(f) for f in sources}


def without_comments(text):
    """Comments and strings become blanks; line numbers stay."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


code = {f: without_comments(t) for f, t in bodies.items()}

# ---- one noun, one room ---------------------------------------------------------------------------

LIBRARY = ("core", "calls", "algo", "cpu", "include")
NOUNS = [  # what, where it may stand, in which rooms we look
    (r"\bpthread_(?!mutex_|t\b)\w+|\bthrd_\w+", {"core/threads.c"}, LIBRARY),
    (r"\bpthread_mutex_\w+", {"core/threads.c", "core/handle.c", "core/frame.h"},
     LIBRARY),
    (r"\bdl(open|sym|close)\b", {"core/device.c"}, LIBRARY + ("io", "app")),
    (r"__builtin_cpu_\w+|\bcpuid\b", {"core/isa.c"}, LIBRARY + ("io", "app")),
    (r"\bgetenv\b", {"core/isa.c", "core/device.c", "core/scratch_guard.c"}, LIBRARY),
    (r"\b(malloc|calloc|realloc|posix_memalign|aligned_alloc|mmap)\b\s*\(",
     {"core/arena.c", "core/handle.c", "core/threads.c", "core/trace.c", "core/explain.c",
      "calls/graph.c", "core/scratch_guard.c"},
     LIBRARY),
    (r"\b_mm\d*_\w+|__m(128|256|512)\w*|immintrin\.h", {"cpu/body.h"}, ("core", "calls", "include")),
    (r"\b(printf|fprintf|puts|fputs|putchar|perror|abort|exit|_Exit|assert)\s*\(", {"core/scratch_guard.c"},
     LIBRARY),
    (r"\b(gl[A-Z]|egl[A-Z]|glfw[A-Z])\w+", {"view/draw.c", "view/draw_cells.c", "view/program.c", "view/offscreen.c", "view/window.c", "view/headless.c", "view/attach.c"},
     LIBRARY + ("io", "app", "view")),
    (r"\bpthread_(create|join|detach|cancel|kill)\w*", {"io/parallel.c"}, ("io", "app")),
    # Whoever calls it must know how much room its ways need: one place does.
    (r"\busw_pair_sort_steps\b", {"cpu/pair_sort/pair_sort.c", "cpu/cpu.h", "cpu/pair_sort/pair_sort_cpu.h"},
     LIBRARY),
    (r"\b(strcpy|strcat|sprintf|gets|atoi|atof|strtok)\s*\(", set(),
     LIBRARY + ("io", "app")),
]
for pattern, allowed, rooms in NOUNS:
    for f, text in code.items():
        if f.parts[0] not in rooms or str(f) in allowed:
            continue
        for m in re.finditer(pattern, text):
            checks += 1
            problem(f, text.count("\n", 0, m.start()) + 1, f"{m.group().strip('( ')} does not belong here")

# No writable data in the library: what is neither const nor thread-local is global state.
for f, text in code.items():
    if f.parts[0] in LIBRARY and f.suffix == ".c":
        for m in re.finditer(r"^\s*static (?!const\b|inline\b|_Thread_local\b)([^;(){}=]*)(=|;)", text, re.M):
            if "const" not in m.group(1):
                problem(f, text.count("\n", 0, m.start()) + 1, "writable static data in the library")

# ---- style ----------------------------------------------------------------------------------------

LONG_FILES = {"include/upsweep.h", "test/abi/upsweep_0_1_0.h"}
for f in files:
    if f.suffix in (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".def", ".py", ".js", ".sh"):
        checks += 1
        length = read(f).count("\n")
        if length > 400 and str(f) not in LONG_FILES:
            problem(f, 0, f"{length} lines; a file has at most 400")
for f, text in bodies.items():
    lines = text.split("\n")
    checks += 1
    if f.suffix != ".def" and not re.match(r"\s*(/\*|//)", text):
        problem(f, 1, "a file opens with a comment that says what it is")
    for number, line in enumerate(lines, 1):
        if len(line) > 100 and not re.fullmatch(r"[\s{}0-9a-fx,]+", line):  # but tables of numbers
            problem(f, number, f"{len(line)} columns; a line has at most 100")
        if "\t" in line:
            problem(f, number, "a tab")
        if line.rstrip() != line:
            problem(f, number, "blanks at the end of a line")
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
            problem(f, number, "a note to ourselves was left behind")
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start is not None:
            if number - start + 1 > 70:
                problem(f, start, f"a function of {number - start + 1} lines; at most 70")
            start = None

for f in spdx.missing(root):
    problem(f, 0, f"has not one line '{spdx.LINE}': python3 test/spdx.py . --add")

# ---- words that name a workplace ------------------------------------------------------------------

WORDS = [r"/root/", r"/home/\w", r"\.internal\b"]
for f in files:
    if f.suffix in (".png", ".gif", ".npy", ".bin") or str(f) == "test/tree.py":
        continue
    for number, line in enumerate(read(f).split("\n"), 1):
        for word in WORDS:
            if re.search(word, line):
                problem(f, number, f"names a place: {re.search(word, line).group()}")

# ---- the list of algorithms and the files -----------------------------------------------------------

stems = re.findall(r"^ALGO\((\w+), (\w+), (yes|no), (yes|no), (standard|matrices|named)\)", read("algo/algos.def"), re.M)
named = {s[0] for s in stems}
for stem, operation, cpu, cuda, taken in stems:
    checks += 1
    for present, suffix in ((True, ".c"), (cpu == "yes", "_cpu.h"), (cuda == "yes", ".cu")):
        there = (root / f"algo/{stem}{suffix}").is_file()
        if present and not there:
            problem("algo/algos.def", 0, f"{stem} claims algo/{stem}{suffix}, which is not there")
        if there and not present:
            problem("algo/algos.def", 0, f"algo/{stem}{suffix} is there, but {stem} does not say so")
for stem in named:
    checks += 1
    for suffix in (".png", ".gif"):
        picture = root / f"docs/gallery/{stem}{suffix}"
        if not picture.is_file() or picture.stat().st_size > 400_000:
            problem("docs/gallery", 0, f"{stem}{suffix} is not there or over 400 KB; see `make gallery`")
for name, kind, cuda in re.findall(r"^STEP\((\w+), (\w+), (yes|no)\)", read("gpu/plugin/steps.def"), re.M):
    checks += 1
    there = [f for f in files if f.parts[0] == "gpu" and f.name == f"{name}.cu"]
    if (cuda == "yes") != (len(there) == 1):
        problem("gpu/plugin/steps.def", 0, f"{name} says {cuda}, but {len(there)} files are of that name")
for f in files:
    if f.parts[0] == "algo" and f.suffix == ".c" and f.stem not in named:
        problem(f, 0, "is not in algo/algos.def")

# ---- header, library, README ------------------------------------------------------------------------

header = re.sub(r"/\*.*?\*/", "", read("include/upsweep.h"), flags=re.S)
declared = set(re.findall(r"UPSWEEP_API[^;]*?\b(upsweep_\w+)\(", header))
for name in re.findall(r"^#define\s+(\w+)|\b(?:typedef\s+(?:struct|enum)\s+(\w+))", header, re.M):
    word = name[0] or name[1]
    checks += 1
    if not re.match(r"(UPSWEEP_|upsweep)", word):
        problem("include/upsweep.h", 0, f"the public name {word} lacks the prefix")

if len(sys.argv) > 2:
    out = subprocess.run(["nm", "-D", "--defined-only", sys.argv[2]], check=True, capture_output=True,
                         text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in out.splitlines()
                if line.strip() and line.split()[-2] != "A"}  # A: the names of versions
    checks += len(exported)
    for name in sorted(exported - declared):
        problem("libupsweep.so", 0, f"exports {name}, which upsweep.h does not declare")
    for name in sorted(declared - exported):
        problem("libupsweep.so", 0, f"lacks {name}, which upsweep.h declares")

# ---- one version everywhere -------------------------------------------------------------------------

version = re.search(r'^#define UPSWEEP_VERSION_TEXT "(.+)"', read("include/upsweep.h"), re.M).group(1)
numbers = ".".join(re.search(rf"^#define UPSWEEP_VERSION_{part} (\d+)", read("include/upsweep.h"), re.M).group(1)
                   for part in ("MAJOR", "MINOR", "PATCH"))
for path, pattern in (("CMakeLists.txt", r"project\(upsweep VERSION ([\d.]+)"), ("CITATION.cff", r"^version: (.+)$"),
                      ("packaging/vcpkg/upsweep/vcpkg.json", r'"version": "(.+)"')):
    checks += 1
    said = re.search(pattern, read(path), re.M)
    if not said or said.group(1) != version or numbers != version:
        problem(path, 0, f"says version {said and said.group(1)}, the header {version} and {numbers}")

# ---- the recipe for conan takes all folders that the library and the program are made of -----------

checks += 1
taken = set(re.findall(r'"(\w+)"', re.search(r"^FOLDERS = \((.*?)\)", read("packaging/conan/conanfile.py"), re.M | re.S).group(1)))
apart = {"bench", "demo", "examples", "gpu", "packaging", "proofs", "test"}  # of none of both
folders = {f.parts[0] for f in files if len(f.parts) > 1 and not f.parts[0].startswith(".")}
for name in sorted((taken | apart) ^ (folders | apart)):
    problem("packaging/conan/conanfile.py", 0, f"FOLDERS and the tree differ in {name}")

# ---- versions of names: what 0.1.0 had is there as it was, by its own name or in abi_0_1.c ----------

of_0_1 = set(re.findall(r"UPSWEEP_API[^;]*?\b(upsweep_\w+)\(",
                        without_comments(read("test/abi/upsweep_0_1_0.h"))))
nodes = dict(re.findall(r"(UPSWEEP_[\d.]+) \{(.*?)\}", without_comments(read("cmake/upsweep.map")), re.S))
nodes = {node: set(re.findall(r"(upsweep_\w+);", text)) for node, text in nodes.items()}
again = set(re.findall(r"^USW_AS_OF_0_1\([^,]+, (\w+)", read("calls/abi_0_1.c"), re.M))
checks += len(declared)
for name in sorted((nodes["UPSWEEP_0.1"] | again) ^ of_0_1):
    problem("cmake/upsweep.map", 0, f"UPSWEEP_0.1 and calls/abi_0_1.c differ from 0.1.0 in {name}")
for name in sorted(again - nodes["UPSWEEP_0.2"]):
    problem("cmake/upsweep.map", 0, f"{name} is in calls/abi_0_1.c, but has no new version")
for name in sorted(declared ^ set().union(*nodes.values())):
    problem("cmake/upsweep.map", 0, f"{name} is in the header or in the map, but not in both")
if len(sys.argv) > 2:
    bound = set(re.findall(r"\b(upsweep_\w+)@@?UPSWEEP_0\.1\b", out))
    for name in sorted(bound ^ of_0_1):
        problem("libupsweep.so", 0, f"{name}@UPSWEEP_0.1 is exported, or was in 0.1.0, but not both")

if len(sys.argv) > 4:  # a program may have functions of any name that upsweep.h has not
    out = subprocess.run(["nm", "-g", "--defined-only", sys.argv[4]], check=True, capture_output=True,
                         text=True).stdout
    symbols = {line.split()[2] for line in out.splitlines() if len(line.split()) == 3}
    checks += len(symbols)
    for name in sorted(symbols):
        if name not in declared:
            problem("libupsweep.a", 0, f"defines {name}, which a program may also call something of its own")
    for name in sorted(declared - symbols):
        problem("libupsweep.a", 0, f"lacks {name}, which upsweep.h declares")

if len(sys.argv) > 3 and "<!-- algorithms -->" in (read("README.md") if (root / "README.md").is_file() else ""):
    table = subprocess.run([sys.argv[3], "list", "--markdown"], check=True, capture_output=True,
                           text=True).stdout.strip()
    checks += 1
    if table not in read("README.md"):
        problem("README.md", 0, "its table is not what `upsweep list --markdown` prints")

for text in problems:
    print(text)
print(f"{len(files)} files, {checks} checks, {len(problems)} problems")
sys.exit(1 if problems else 0)

#!/usr/bin/env python3
"""routes.py - every way that a call can take is taken by a test (core/routes.h, test/routes/routes.c).

    routes.py COUNTS LIST OUT PROGRAMS [PLUGIN...]

COUNTS is the directory where the test programs wrote what they took, LIST the program that lists
all ways of the library, OUT the file that gets the list with its counts, PROGRAMS a file with the
names of the test programs, PLUGIN a binary whose kernels and lines of choices are ways, too. Ends with 1 if a way was
never taken, or for fewer types than it serves, unless test/routes/routes.txt says why; with 77 if some of
the programs did not run, as then nothing can be said. What lacks is also in OUT with the ending
.lacking, in the form of test/routes/routes.txt.
"""
# SPDX-License-Identifier: MIT
import re
import subprocess
import sys
from pathlib import Path

here_dir = Path(__file__).resolve().parent
root = here_dir.parent.parent
TYPES = ["none", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"]
ISAS = ["portable", "avx2", "avx512"]
CARRIED = ["keys alone", "with values", "with positions"]
OF_WIDTH = {"8": ["u8", "i8"], "16": ["u16", "i16", "f16", "bf16"], "32": ["u32", "i32", "f32"],
            "64": ["u64", "i64", "f64"], "128": []}
DEFAULT = 1 << 30
# Which ways are taken depends on the processor's caches, too: test/routes/routes.txt was made on one of these.
JUDGED_ON = "AuthenticAMD"


def vendor():
    """Who made the processor, as Linux says it, or nothing."""
    try:
        found = re.search(r"^vendor_id\s*: (\w+)", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found.group(1) if found else ""


def isas_of(unit):
    """The instruction set that a unit is compiled for: forms/NAME_ISA.c, or None for all."""
    found = re.fullmatch(r".*_(portable|avx2|avx512)\.c", unit)
    return found.group(1) if found and "forms/" in unit else None


class Route:
    """One way: what it is called, what it serves, and what was taken: (isa, type, carried)."""

    def __init__(self, fields):
        unit, function, file, line, name, bits, copy, types, carried, isas = fields
        self.isa = isas_of(unit)
        self.place = f"{Path(file).name}:{line}"
        unit = re.sub(r"_(portable|avx2|avx512)$", "", Path(unit).stem)
        self.name = f"{unit} {function} {self.isa or '*'}: {name}"
        self.types = self.served(bits, copy, int(types))
        self.carried = [c for c in range(3) if int(carried) >> c & 1]
        self.isas = [i for k, i in enumerate(ISAS) if int(isas) >> k & 1]
        self.taken = {}

    @staticmethod
    def served(bits, copy, types):
        served = OF_WIDTH.get(bits, TYPES[1:])
        if types != DEFAULT:
            served = [t for t in served if types >> TYPES.index(t) & 1]
        if "_f64" in copy:
            return ["f64"]
        if "_i32" in copy or "_i64" in copy or "signed" in copy:
            return [t for t in served if t.startswith("i")]
        return served

    def add(self, counts):
        for what, count in counts:
            self.taken[what] = self.taken.get(what, 0) + count

    def missing(self, isas):
        """What it was not taken for; "never" if for nothing."""
        lacks = []
        if not self.taken:
            return ["never"]
        # What is compiled once and knows no types does the same on all instruction sets.
        apart = self.isa is None and self.types
        for isa in [i for i in isas if i in self.isas] if apart else [None]:
            here = [w for w in self.taken if isa is None or ISAS[w[0]] == isa]
            label = f"{isa} " if isa else ""
            if not here:
                lacks.append(isa)
                continue
            types = {TYPES[w[1]] for w in here}
            lacks += [label + t for t in self.types if t not in types]
            lacks += [label + CARRIED[c] for c in self.carried if c not in {w[2] for w in here}]
        return lacks

    def line(self):
        types = sorted({TYPES[w[1]] for w in self.taken}, key=TYPES.index)
        return f"{sum(self.taken.values()):>12}  {self.name} [{self.place}] {' '.join(types)}"


def read_routes(lines, routes, know):
    for line in lines:
        *fields, counts = line.rstrip("\n").split("\t")
        new = Route(fields)
        old = routes.setdefault(new.name, new) if know else routes[new.name]
        if know and old is not new and old.place != new.place:
            sys.exit(f"two ways have the same name, {new.name}: {old.place}, {new.place}")
        old.add((tuple(map(int, w.split(","))), int(c))
                for w, c in (item.split(":") for item in counts.split()))


# ---- kernels -------------------------------------------------------------------------------------

def kernel_names():
    """Names of kernels by the file (stem of a .cu) that has them; "" for those of headers."""
    names = {}
    for f in [*(root / "algo").glob("*.cu"), *(root / "gpu").rglob("*.cu*")]:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", f.read_text(), flags=re.S)
        for m in re.finditer(r"__global__", text):
            head = re.sub(r"__launch_bounds__\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "",
                          text[m.end():m.end() + 400])
            name = re.match(r"[\s\w]*?(\w+)\s*\(", head).group(1)
            names.setdefault(f.stem if f.suffix == ".cu" else "", set()).add(name)
    return names


def without_arguments(symbol):
    symbol = re.sub(r"^void ", "", symbol.replace("(anonymous namespace)::", ""))
    depth = 0
    for i, c in enumerate(symbol):
        depth += (c == "<") - (c == ">")
        if c == "(" and depth == 0:
            return symbol[:i]
    return symbol


def read_kernels(binary, names):
    """Address -> kernel, for all kernels compiled into a binary. Kernels of the same name in
    several files are told apart by the file, which a table of symbols says before them."""
    kernels, file = {}, ""
    out = subprocess.run(["nm", "-aCp", binary], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        m = re.match(r"([0-9a-f]+) (\w) (.*)", line)
        if m and m.group(2) == "a":
            file = Path(m.group(3)).stem
        if not m or m.group(2) not in "tTwW" or "[clone" in m.group(3):
            continue
        name = without_arguments(m.group(3))
        base = re.match(r"\w+", name)
        there = names.get(file, set()) | names[""] if file else set().union(*names.values())
        if base and base.group() in there and "(" in m.group(3):
            kernels.setdefault(int(m.group(1), 16), f"kernel {file}: {name}")
    return kernels


def kernel_counts(counts, plugins):
    names = kernel_names()
    tables = {str(Path(p).resolve()): read_kernels(p, names) for p in plugins}
    taken = {name: {} for table in tables.values() for name in table.values()}
    for f in counts.glob("*.kernels"):
        for line in f.read_text().splitlines():
            binary, address, kind, count = line.split("\t")
            kernel = tables.get(str(Path(binary).resolve()), {}).get(int(address, 16))
            if kernel is not None:
                kind = TYPES[int(kind)]
                taken[kernel][kind] = taken[kernel].get(kind, 0) + int(count)
    return taken


# ---- the choices on the host's side of a GPU ----------------------------------------------------

def choices(counts):
    """Every line of the tables of choices (gpu/sort_choice.cu) with its counts by type, and the
    types of the widths that it is for."""
    taken, served = {}, {}
    for f in counts.glob("*.choices"):
        for line in f.read_text().splitlines():
            what, because, widths, kind, count = line.split("\t")
            name = f"choice of {what}: {because}"
            served[name] = [t for w in range(4) if int(widths) >> w & 1 for t in OF_WIDTH[str(8 << w)]]
            kinds = taken.setdefault(name, {})
            if int(count):
                kinds[TYPES[int(kind)]] = kinds.get(TYPES[int(kind)], 0) + int(count)
    return taken, served


# ---- what is said in routes.txt ------------------------------------------------------------------

class Excuses:
    """Lines `route :: what` (known not to be taken for this: "never", types, ...) or `? route`
    (taken or not, as it happens) below a line `# why`."""

    def __init__(self, path):
        self.sure, self.open, self.seen = {}, set(), set()
        why = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.strip()
            name, _, lacks = line.removeprefix("? ").partition(" :: ")
            if line.startswith("# "):
                why = line
            elif line and (why is None or (not lacks and not line.startswith("? "))):
                sys.exit(f"{path}:{number}: no reason, or not what it is not taken for: {line}")
            elif line.startswith("? "):
                self.open.add(name)
            elif line:
                self.sure.setdefault(name, set()).update(lacks.split(", "))

    def left(self, name, lacks):
        """What of it is not excused."""
        self.seen.add(name)
        return [] if name in self.open else [x for x in lacks if x not in self.sure.get(name, ())]

    def needless(self, lacking, isas):
        """What is excused though it was taken, or is no way; what only an instruction set or a
        plugin that is not here could tell stays. lacking: of each way on this machine."""
        absent = [i for i in ISAS if i not in isas]
        kernels = any(name.startswith("kernel ") for name in lacking)
        for name, items in self.sure.items():
            if any(f" {i}:" in name for i in absent) or (
                    name.startswith(("kernel ", "choice ")) and not kernels):
                continue
            here = [x for x in items if x.split()[0] not in absent]
            if name not in lacking:
                yield f"{name}: there is no such way"
            elif lacking[name] != ["never"]:
                taken = [x for x in here if x not in lacking[name]]
                if taken:
                    yield f"{name}: was taken ({', '.join(sorted(taken))})"


# ---- the whole -----------------------------------------------------------------------------------

def absent_programs(counts, programs):
    """Test programs that left no file."""
    ran = {f.name.split(".")[0] for f in counts.glob("*.routes")}
    return [p for p in Path(programs).read_text().split() if p not in ran]


def main():
    counts, lister, out, programs, *plugins = sys.argv[1:]
    counts = Path(counts)
    listed = subprocess.run([lister], check=True, capture_output=True, text=True,
                            env={"UPSWEEP_ROUTES": "-"}).stdout.splitlines()
    isas = listed[0].split()[1:]
    routes = {}
    read_routes(listed[2:], routes, True)
    for f in sorted(counts.glob("*.routes")):
        with open(f) as lines:
            read_routes(lines, routes, False)
    here = [r for r in routes.values() if r.isa is None or r.isa in isas]
    kernels = kernel_counts(counts, [p for p in plugins if Path(p).is_file()])
    chosen, served = choices(counts)
    with open(out, "w") as text:
        for r in sorted(here, key=lambda r: r.name):
            print(r.line(), file=text)
        for name in sorted(kernels):
            types = sorted(kernels[name], key=TYPES.index)
            print(f"{sum(kernels[name].values()):>12}  {name} {' '.join(types)}", file=text)
        for name in sorted(chosen):
            types = sorted(chosen[name], key=TYPES.index)
            print(f"{sum(chosen[name].values()):>12}  {name} {' '.join(types)}", file=text)
    print(f"{len(here)} ways on {', '.join(isas)}, {len(kernels)} kernels, {len(chosen)} choices: see {out}")
    absent = absent_programs(counts, programs)
    if absent:
        print(f"nothing is judged, as these did not run: {' '.join(absent)}")
        return 77
    if listed[1] != "optimised yes":
        print("nothing is judged: without optimisation, ways that are never reached are listed too")
        return 77
    said = here_dir / "routes.txt"
    excuses = Excuses(said)
    lacking = {r.name: r.missing(isas) for r in here}
    lacking.update({name: [] if taken else ["never"] for name, taken in kernels.items()})
    lacking.update({name: [t for t in served[name] if t not in taken] if taken else ["never"]
                    for name, taken in chosen.items()})
    problems = []
    with open(Path(out).with_suffix(".lacking"), "w") as text:
        for name, lacks in sorted(lacking.items()):
            if lacks:
                print(f"{name} :: {', '.join(lacks)}", file=text)
            left = excuses.left(name, lacks)
            if left:
                problems.append(f"not taken: {name} :: {', '.join(left)}")
    print(*problems, sep="\n")
    for text in excuses.needless(lacking, isas):
        print(f"{said.name} can be shorter: {text}")
    if len(isas) < len(ISAS) or vendor() != JUDGED_ON:
        print(f"nothing is judged: {said.name} is of a processor of {JUDGED_ON} with {', '.join(ISAS)}")
        return 77
    told = sum(len(items) for items in excuses.sure.values()) + len(excuses.open)
    print(f"{len(problems)} problems, {told} excused in {said.name}")
    return 1 if problems else 0


sys.exit(main())

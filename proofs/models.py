#!/usr/bin/env python3
"""models.py SOURCE_DIR BUILD_DIR - checks the SPIN models of proofs/models.

Each model is searched whole, in every variant of the table below (with UPSWEEP_TEST_LONG, as `make proofs`
and the long check have it; else in those that reach all lines and find all faults): no assertion fails, no
process waits for ever, no line is never reached. Each fault of the table is then put into the model's text
and must be found. And each step of a model stands in the sources, in a comment "Step MODEL/STEP of
proofs/models", and the other way round. Ends with 77 where spin or a C compiler is missing.
"""
# SPDX-License-Identifier: MIT
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

source, build = Path(sys.argv[1]), Path(sys.argv[2])
folder = source / "proofs" / "models"
compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
problems = []

# model -> what is defined for each variant
VARIANTS = {
    "look_back": ["-DRESIDENT=1", "-DRESIDENT=2", "-DRESIDENT=3", "-DRESIDENT=4"],
    "carry_tree": ["-DRESIDENT=1", "-DRESIDENT=2", "-DRESIDENT=3"],
    "last_block": ["-DRESIDENT=1", "-DRESIDENT=2", "-DRESIDENT=3 -DCALLS=2"],
    "grid_barrier": [""],
    "spine_ring": ["-DTILES=1", "-DTILES=4", "-DTILES=5"],
    "spine_digits": ["-DRESIDENT=2", "-DRESIDENT=3"],
    "replace_file": [f"-DKILLED={k} -DNAMED={n}" for k in range(4) for n in range(2)],
}
# model -> the variants of the check, which reach all lines and find all faults; others differ in number alone
FEW = {
    "look_back": ["-DRESIDENT=3"],
    "carry_tree": ["-DRESIDENT=2"],
    "last_block": ["-DRESIDENT=1", "-DRESIDENT=3 -DCALLS=2"],
    "grid_barrier": [""],
    "spine_ring": ["-DTILES=4"],
    "spine_digits": ["-DRESIDENT=3"],
    "replace_file": ["-DKILLED=3 -DNAMED=1", "-DKILLED=3 -DNAMED=0"],
}
every = "UPSWEEP_TEST_LONG" in os.environ
# model -> (text, what a careless change makes of it): each must be found
FAULTS = {
    "look_back": [
        ("value[tile] = before + (1 << tile);", "value[tile] = before;"),
        ("(tile == 0 -> SUM : ALONE)", "SUM"),
        ("seen[r] = (last - r >= 0 -> NONE : SUM)", "seen[r] = SUM"),
    ],
    "carry_tree": [
        ("tag[BEGIN(l) + at - 1] == mine + 1;", "tag[BEGIN(l) + at - 1] != 0;"),
        ("l == 0 && CLOSES(tile, 0)", "false"),
        ("drawn = drawn - TILES; calls++", "drawn = drawn - TILES"),
    ],
    "last_block": [
        ("atomic { tag[i] == call + 1; sum", "atomic { tag[i] != 0; sum"),
        ("mine == BLOCKS - 1 ->\n        i = 0;", "mine == 0 ->\n        i = 0;"),
    ],
    "grid_barrier": [
        ("arrived >= round * BLOCKS;", "arrived >= BLOCKS;"),
        ("left == BLOCKS - 1 -> left++", "left == BLOCKS - 2 -> left++"),
    ],
    "spine_ring": [
        (":: done == 0 -> groups == g; base = upper", ":: done == 0 -> base = upper"),
        ("cleared == BLOCKS;", "true;"),
        ("groups = g + 1", "skip"),
    ],
    "spine_digits": [
        (":: next > RING && next <= TILES -> said[SLOT(next - 1)] == EPOCH(next - 1) - 1", ":: false -> skip"),
        ("top[SLOT(at + i)] = true;", ""),
        ("#define EPOCH(t) (1 + pass * LAPS + (t) / RING)", "#define EPOCH(t) (1)"),
    ],
    "replace_file": [
        ("synced = true;", "skip;"),
        (":: target == NEW -> skip\n    :: else ->", ":: true ->"),
        (":: up_closed && !answered -> keeper_over; put_in_place(named)", ":: up_closed -> skip"),
        ("/* step remove */\n            if\n            :: named -> moment = false",
         "/* step remove */\n            if\n            :: named -> skip"),
    ],
}


def search(text, define, level="-O1"):
    """What the verifier says of a model's text, and the lines that it did not reach."""
    with tempfile.TemporaryDirectory(dir=build) as place:
        Path(place, "model.pml").write_text(text)
        run = dict(cwd=place, capture_output=True, text=True, check=False)
        made = subprocess.run(["spin", "-a", *define.split(), "model.pml"], **run)
        if made.returncode != 0:
            return "spin: " + made.stdout.strip(), set()
        made = subprocess.run([compiler, level, "-w", "-DSAFETY", "-o", "pan", "pan.c"], **run)
        if made.returncode != 0:
            return "compiler: " + made.stderr.strip()[:500], set()
        out = subprocess.run(["./pan", "-m200000", "-w22"], **run).stdout
        found = re.search(r"^pan:\d+: (.*)$", out, re.M)
        whole = "errors: 0" in out and "Search not completed" not in out and "too small" not in out
        states = re.search(r"(\d+) states, stored", out)
        unreached = {int(n) for n in re.findall(r"^\s+model\.pml:(\d+), state", out, re.M)}
        if whole:
            return int(states.group(1)), unreached
        return found.group(1) if found else "the search did not end", unreached


def check_model(name):
    text = (folder / f"{name}.pml").read_text()
    began = time.monotonic()
    states, never, variants = 0, None, (VARIANTS if every else FEW)[name]
    for define in variants:
        # Compiling takes longer than a search, but for the largest ones.
        verdict, unreached = search(text, define, "-O1" if every else "-O0")
        if not isinstance(verdict, int):
            problems.append(f"{name} {define}: {verdict}")
            return
        states += verdict
        never = unreached if never is None else never & unreached
    for line in sorted(never):
        problems.append(f"{name}.pml:{line}: no variant reaches this line")
    for old, new in FAULTS[name]:
        if text.count(old) != 1:
            problems.append(f"{name}: the fault's text is not there once: {old!r}")
        elif all(isinstance(search(text.replace(old, new), d, "-O0")[0], int) for d in variants):
            problems.append(f"{name}: a fault is not found: {old!r} -> {new!r}")
    print(f"proof: model {name}: holds ({len(variants)} variants, {states} states, "
          f"{len(FAULTS[name])} faults found, {time.monotonic() - began:.1f} s)", flush=True)


def steps_of_sources():
    """model -> step names that comments of the sources have."""
    steps = {}
    for room in ("algo", "calls", "core", "cpu", "gpu", "io"):
        for path in sorted((source / room).rglob("*")):
            if path.suffix not in (".c", ".h", ".cu", ".cuh"):
                continue
            for comment in re.findall(r"/\*.*?\*/", path.read_text(), re.S):
                for said in re.findall(r"Step ((?:\w+/\w+(?: and )?)+)\s+\*?\s*of", comment):
                    for model, step in re.findall(r"(\w+)/(\w+)", said):
                        steps.setdefault(model, {}).setdefault(step, path)
    return steps


def check_steps():
    there = steps_of_sources()
    count = 0
    for name in VARIANTS:
        text = (folder / f"{name}.pml").read_text()
        mine = set(re.findall(r"/\* step (\w+)", text))
        count += len(mine)
        for step in sorted(mine - set(there.get(name, {}))):
            problems.append(f"{name}.pml: no source has a comment that names its step {step}")
        for step in sorted(set(there.get(name, {})) - mine):
            problems.append(f"{there[name][step]}: {name}.pml has no step {step}")
        head = text[:text.index("*/")]
        for step, path in there.get(name, {}).items():
            if path.name not in head:
                problems.append(f"{name}.pml: its first comment does not name {path.name} ({step})")
    for name in sorted(set(there) - set(VARIANTS)):
        problems.append(f"proofs/models has no {name}.pml, which the sources name")
    for path in folder.glob("*.pml"):
        if path.stem not in VARIANTS:
            problems.append(f"{path.name} is in no table of models.py")
    print(f"proof: steps of models and sources: {count} steps name one another", flush=True)


if not shutil.which("spin") or not compiler:
    print("skipped: spin or a C compiler is not installed")
    sys.exit(77)
build.mkdir(parents=True, exist_ok=True)
check_steps()
with ThreadPoolExecutor(max_workers=2) as pool:
    list(pool.map(check_model, VARIANTS))
for text in problems:
    print("FAILED: " + text)
sys.exit(1 if problems else 0)

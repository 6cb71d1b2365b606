#!/usr/bin/env python3
"""offsets.py - numbers of tiles, buckets and chunks, offsets and packed positions do not overflow below
2^48 elements, nor on a GPU for arrays of up to USW_GPU_BYTES_MAX bytes, beyond which calls/on_gpu/call.c refuses.

Every expression is read out of its source by the text around it; a text that is not found any more fails.
It is run twice: as C does, in the types it has there, and in 192 bits. Both must be the same.
"""
# SPDX-License-Identifier: MIT
import re
import sys

import z3

from csource import Int, ROOT, Source, number
from offsets_casts import BOUNDED as BOUNDED_CASTS, KINDS
from offsets_table import BOUNDED, CPU, GPU, GUARDS, NUMBERS
from prover import Prover

WIDE = 192
TYPES = {"u64": (64, False), "u32": (32, False), "i32": (32, True), "u16": (16, False), "u128": (128, False)}
DIV_UP = re.search(r"static inline size_t usw_div_up.*?\n\}", (ROOT / "core/frame.h").read_text(), re.S)[0]
POWER = re.compile(r"2\^(\d+)")


class Exact(Source):
    """C's expressions in numbers that have no end: no conversion loses anything."""

    def convert(self, value, kind):
        return value

    def operate(self, op, a, b):
        x, y = (v.bv if v.bits == WIDE else (z3.SignExt if v.signed else z3.ZeroExt)(WIDE - v.bits, v.bv)
                for v in (a, b))
        made = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "/": lambda: z3.UDiv(x, y),
                "%": lambda: z3.URem(x, y), "|": lambda: x | y, "&": lambda: x & y,
                "<<": lambda: x << y, ">>": lambda: z3.LShR(x, y)}
        if op in made:
            return Int(made[op](), True)
        one = {"<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "==": x == y, "!=": x != y}[op]
        return Int(z3.If(one, z3.BitVecVal(1, WIDE), z3.BitVecVal(0, WIDE)), True)


def literal(text):
    """A bound as a number: 2^48 - 1, 4096, ..."""
    return eval(POWER.sub(lambda m: str(1 << int(m[1])), text), {"__builtins__": {}}, {})


def found(p, file, pattern):
    text = (ROOT / file).read_text(encoding="utf-8")
    m = re.search(pattern, re.sub(r"\s+", " ", text))
    if m is None:
        p.fail(f"{file}: {pattern}", "the source has no such text any more")
    return m


def tidy(text, words):
    """A text of the source as an expression of plain names."""
    text = re.sub(r"static_cast<([^<>]*)>\(", r"(\1)(", text)
    text = re.sub(r"\b(?:std::)?size_t\(", "(size_t)(", text)
    for old, new in words.items():
        text = text.replace(old, new)
    return re.sub(r"(?:->|\.|::)", "_", text)


def prove_row(p, row, limit):
    """row: file, pattern with one group, variables {name: (type, least, most)}, words to replace, and what is
    taken for granted as expressions of the variables."""
    m = found(p, row["file"], row["find"])
    if m is None:
        return
    expression = tidy(m.group(1), row.get("words", {}))
    given, values, exact = [], {}, {}
    for name, (kind, least, most) in row["of"].items():
        bits, signed = TYPES[kind]
        most = literal(most.replace("LIMIT", f"({limit})")) if isinstance(most, str) else most
        if least == most:
            values[name] = number(least, bits, signed)
        else:
            x = z3.BitVec(name, bits)
            values[name] = Int(x, signed)
            given += [z3.UGE(x, least), z3.ULE(x, most)]
        exact[name] = values[name]
    text = f"static {row.get('type', 'size_t')} value(void) {{ return {expression}; }}\n{DIV_UP}"
    c, e = Source(text), Exact(text)
    try:
        body = c.function("value")[2]
        for condition in row.get("given", ()):
            parsed = Source(f"static size_t value(void) {{ return {condition}; }}").function("value")[2]
            given.append(e.run(parsed, dict(exact)).bv != 0)
        got = c.convert(c.run(body, dict(values)), row.get("type", "size_t"))
        wanted = e.run(e.function("value")[2], dict(exact))
    except Exception as why:  # whatever the reader of C does not know
        p.fail(f"{row['file']}: {expression}", f"cannot be read: {why!r}")
        return
    wide = z3.ZeroExt(WIDE - got.bits, got.bv)
    want = wanted.bv if wanted.bits == WIDE else z3.ZeroExt(WIDE - wanted.bits, wanted.bv)
    name = f"{row['file']}: {expression}"
    shown = [v.bv for v in values.values() if not z3.is_bv_value(v.bv)]
    p.possible(name, z3.BoolVal(True), given)
    p.prove(f"{name} is exact", wide == want, *shown, given=given)
    if "most" in row:
        p.prove(f"{name} is at most {row['most']}", z3.ULE(want, literal(row["most"])), *shown, given=given)


def main():
    p = Prover()
    for file, pattern, least, most in NUMBERS:
        m = found(p, file, pattern)
        if m is not None:
            value = literal(m.group(1))
            p.check(f"{file}: {m.group(0)}", least <= value <= most, f"{value} is not in [{least}, {most}]")
    for file, pattern in GUARDS:
        p.check(f"{file}: the check {pattern}", found(p, file, pattern) is not None)
    m = found(p, "calls/on_gpu/call.c", r"USW_GPU_BYTES_MAX \(\(size_t\)(1 << \d+)\)")
    limit = "2^48 - 1" if m is None else str(literal(m.group(1)))
    for row in CPU:
        prove_row(p, row, "2^48 - 1")
    for row in GPU:
        prove_row(p, row, limit)
    unread_grids(p)
    unread_casts(p)
    return p.end("offsets")


def unread_grids(p):
    """Every 32-bit number of tiles or blocks that is made of a 64-bit one is in the table, or is the lesser of
    it and a number that fits."""
    lesser = re.compile(r"^\(?(\w+(?:\.\w+)*(?: \+ 1)?) < (.+?) \? \1 : (?:size_t\()?\2\)?$")
    read = {(r["file"], re.sub(r"\\", "", r.get("cast", ""))) for r in GPU}
    for path in sorted(q for room in ("algo", "gpu") for q in (ROOT / room).rglob("*.cu*")):
        text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.S))
        name = str(path.relative_to(ROOT))
        for m in re.finditer(r"static_cast<(?:unsigned|uint32_t)>\(", text):
            end, depth = m.end(), 1
            while depth > 0:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            inside = text[m.end():end - 1]
            if not re.search(r"\b(tiles|blocks|chunks|pieces|turns|shares|stretch|tile)\b", inside):
                continue
            p.cases += 1
            bounded = re.search(r"(\S+) < (\S+) \? $", text[:m.start()])  # a < b ? (unsigned)(a) : b
            if lesser.match(inside) or bounded and bounded[1] == inside or (name, inside) in read:
                continue
            if (name, inside) in BOUNDED:
                continue
            p.fail(f"{name}: static_cast<unsigned>({inside})", "no proof reads it")


def cast_operand(text, at):
    """The operand of a cast that ends before `at`: a unary expression of C."""
    begin = at
    while text[at] in "-~!*&":
        at += 1
    cast = re.match(r"\((?:uint32_t|unsigned|int|size_t|uint64_t|usw_u128|KEY)\)(?=[\w(~])", text[at:])
    if cast:
        return text[begin:at] + cast[0] + cast_operand(text, at + cast.end())
    at += re.match(r"\w*", text[at:]).end()
    while at < len(text) and (text[at] in "([" or re.match(r"(->|\.)\w+", text[at:])):
        if text[at] in "([":
            depth = 0
            while True:
                depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
        else:
            at += re.match(r"(->|\.)\w+", text[at:]).end()
    return text[begin:at]


def unread_casts(p):
    """Every cast to 32 bits on the CPU is proved, of a kind, or bounded by what offsets_casts.py says. The
    explained forms take no more elements than a trace has numbers of 32 bits."""
    bounded = {(file, operand): False for files in BOUNDED_CASTS.values() for file, of in files.items() for operand in of}
    proved = {(r["file"], tidy(re.sub(r"\\", "", r["find"]), {})) for r in CPU}
    for path in sorted(q for room in ("core", "calls", "cpu", "algo") for q in (ROOT / room).rglob("*.[ch]")):
        name = str(path.relative_to(ROOT))
        if path.parent.name == "algo" and path.suffix == ".c":
            continue
        text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.S).replace("\\\n", " "))
        for m in re.finditer(r"(?<![\w\]])\((?:uint32_t|unsigned|int32_t|int)\)(?=[\w(~!*&_-])", text):
            operand = cast_operand(text, m.end())
            p.cases += 1
            if (name, operand) in bounded:
                bounded[name, operand] = True
            elif not any(kind.search(operand) for kind, _ in KINDS) and \
                    not any(f == name and tidy(operand, {}) in find for f, find in proved):
                p.fail(f"{name}: {m[0]}{operand}", "a number that may have 64 bits is cast to 32, and nothing says why it may")
    for (name, operand), there in bounded.items():
        if not there:
            print(f"  offsets_casts.py can be shorter: {name} has no cast of {operand}")


if __name__ == "__main__":
    sys.exit(main())

"""lanes.py - what the vector instructions in the sources' formulas do in one lane, as Intel's manual
says, for csource.py. An instruction of another element width than the lane's is refused, but for those
that work bit by bit."""
# SPDX-License-Identifier: MIT
import re

import z3

from cparse import Unread
from csource import Bit, Int, Lane


def truth_table(a, b, c, imm):
    """Bit by bit, the bit of imm that a, b and c number."""
    out = z3.BitVecVal(0, a.size())
    for row in range(8):
        if imm >> row & 1:
            out = out | ((a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c))
    return out




def set1(s, x):
    return Lane(x.to(s.lane_bits, False).bv)


def top(x):
    return z3.Extract(x.size() - 1, x.size() - 1, x) == 1


def all_ones(c, bits):
    return z3.If(c, z3.BitVecVal(-1, bits), z3.BitVecVal(0, bits))


def picked(c, a, b):
    return Lane(z3.If(c, a.bv, b.bv))


# By the name without register and element: what it does in a lane.
LANEWISE = {
    "set1": set1,
    "add": lambda s, a, b: Lane(a.bv + b.bv),
    "sub": lambda s, a, b: Lane(a.bv - b.bv),
    "srai": lambda s, a, n: Lane(a.bv >> n.known()),
    "srli": lambda s, a, n: Lane(z3.LShR(a.bv, n.known())),
    "mask_add": lambda s, old, m, a, b: picked(m.on, Lane(a.bv + b.bv), old),
    "maskz_mov": lambda s, m, a: picked(m.on, a, Lane(z3.BitVecVal(0, s.lane_bits))),
    "mask_mov": lambda s, old, m, a: picked(m.on, a, old),
    "mask_ternarylogic": lambda s, a, m, b, c, imm:
        picked(m.on, Lane(truth_table(a.bv, b.bv, c.bv, imm.known())), a),
    "cmpgt": lambda s, a, b: Lane(all_ones(a.bv > b.bv, s.lane_bits)),
    "cmpeq": lambda s, a, b: Lane(all_ones(a.bv == b.bv, s.lane_bits)),
}
UNSIGNED = {
    "min": lambda s, a, b: picked(z3.ULT(a.bv, b.bv), a, b),
    "max": lambda s, a, b: picked(z3.ULT(a.bv, b.bv), b, a),
    "mask_max": lambda s, old, m, a, b: picked(m.on, picked(z3.ULT(a.bv, b.bv), b, a), old),
}
SIGNED = {
    "min": lambda s, a, b: picked(a.bv < b.bv, a, b),
    "max": lambda s, a, b: picked(a.bv < b.bv, b, a),
}
MASKS = {"cmpgt": lambda a, b: z3.UGT(a.bv, b.bv), "cmplt": lambda a, b: z3.ULT(a.bv, b.bv),
         "cmple": lambda a, b: z3.ULE(a.bv, b.bv)}
# Bit by bit, or of no effect on bits: the element's width does not matter.
ANY = {
    "ternarylogic": lambda s, a, b, c, imm: Lane(truth_table(a.bv, b.bv, c.bv, imm.known())),
    "xor": lambda s, a, b: Lane(a.bv ^ b.bv),
    "and": lambda s, a, b: Lane(a.bv & b.bv),
    "or": lambda s, a, b: Lane(a.bv | b.bv),
    "andnot": lambda s, a, b: Lane(~a.bv & b.bv),
    "loadu": lambda s, p: Lane(p.cells[p.at].to(s.lane_bits, False).bv),
    "setzero": lambda s: Lane(z3.BitVecVal(0, s.lane_bits)),
}


def bytewise(s, a, b, m):
    """blendv_epi8: each byte by its own top bit."""
    parts = [z3.If(z3.Extract(i + 7, i + 7, m.bv) == 1, z3.Extract(i + 7, i, b.bv), z3.Extract(i + 7, i, a.bv))
             for i in reversed(range(0, s.lane_bits, 8))]
    return Lane(z3.Concat(*parts) if len(parts) > 1 else parts[0])


def smaller_double(s, a, b):
    """min_pd, max_pd: the second where neither is less."""
    x, y = (z3.fpBVToFP(v.bv, z3.FPSort(11, 53)) for v in (a, b))
    return picked(z3.fpLT(x, y), a, b)


def greater_double(s, a, b):
    x, y = (z3.fpBVToFP(v.bv, z3.FPSort(11, 53)) for v in (a, b))
    return picked(z3.fpLT(y, x), a, b)


DOUBLES = {"min": smaller_double, "max": greater_double,
           "mask_max": lambda s, old, m, a, b: picked(m.on, greater_double(s, a, b), old)}


def of_element(name, bits, run):
    def checked(s, *values):
        if bits != s.lane_bits:
            raise Unread(f"{name} in lanes of {s.lane_bits} bits")
        return run(s, *values)
    return checked


class Instructions(dict):
    """Finds an instruction by its name, which says register, what is done, and the element."""

    def __missing__(self, name):
        m = re.fullmatch(r"_mm512_movepi(\d+)_mask", name)
        if m is not None:
            self[name] = of_element(name, int(m[1]), lambda s, a: Bit(top(a.bv)))
            return self[name]
        m = re.fullmatch(r"_mm(?:256|512)_(\w+?)_(epi|epu|si|ps|pd)(\d*)(x|_mask)?", name)
        if m is None:
            raise Unread(name)
        what, kind, bits, end = m.groups()
        bits = {"ps": 32, "pd": 64}.get(kind) or int(bits)
        if re.fullmatch(r"castsi(256|512)", what) or re.fullmatch(r"castp[sd]", what):
            run = lambda s, a: a
        elif name == "_mm256_blendv_epi8":
            run = bytewise
        elif what == "set1" and kind == "epi":  # of a narrower element: as often as it fits
            run = lambda s, x: Lane(z3.Concat(*[x.to(bits, False).bv] * (s.lane_bits // bits))
                                    if s.lane_bits > bits else set1(s, x).bv)
        elif kind == "pd" and what in DOUBLES:
            run = of_element(name, 64, DOUBLES[what])
        elif what == "blendv":
            run = of_element(name, 8 if kind == "epi" else bits, lambda s, a, b, m: picked(top(m.bv), b, a))
        elif what == "movemask":
            run = of_element(name, bits, lambda s, a: Bit(top(a.bv)))
        elif what in ANY:
            run = ANY[what]
        elif end == "_mask" and kind == "epu":
            run = of_element(name, bits, lambda s, a, b: Bit(MASKS[what](a, b)))
        else:
            table = LANEWISE if what in LANEWISE else UNSIGNED if kind == "epu" else SIGNED
            if what not in table:
                raise Unread(name)
            run = of_element(name, bits, table[what])
        self[name] = run
        return run

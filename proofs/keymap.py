#!/usr/bin/env python3
"""keymap.py - the key maps of core/keymap.h are bijections that keep the promised order, and every
other place that maps keys computes the same.

usw_keymap_of, usw_map_key and usw_unmap_key are read out of the source and run on bit-vectors. The
order is stated here on its own: integers by value, floats by z3's theory of IEEE 754.
"""
# SPDX-License-Identifier: MIT
import os
import sys

import z3

import keymap_forms
from csource import Int, Source, number, preprocessed
from prover import Prover

INTEGER_TYPES = {f"{s}{b}": (b, s == "I") for b in (8, 16, 32, 64) for s in "UI"}
FLOAT_TYPES = {"F16": (5, 11), "BF16": (8, 8), "F32": (8, 24), "F64": (11, 53)}
DESCENDING, NAN_FIRST, NAN_RAW = 1, 2, 4


def sign(x):
    return z3.Extract(x.size() - 1, x.size() - 1, x) == 1


def nan_before(x, y):
    """NaNs among themselves, ascending: positive ones by rising bits, then negative ones by falling bits."""
    return z3.If(sign(x), z3.And(sign(y), z3.UGT(x, y)), z3.Or(sign(y), z3.ULT(x, y)))


def float_before(x, y, sort, flags):
    """Whether x comes before y in ascending order, or the reverse of the descending one."""
    a, b = z3.fpBVToFP(x, sort), z3.fpBVToFP(y, sort)
    number_before = z3.Or(z3.fpLT(a, b), z3.And(z3.fpIsZero(a), z3.fpIsZero(b), sign(x), z3.Not(sign(y))))
    nan_x, nan_y = z3.fpIsNaN(a), z3.fpIsNaN(b)
    if flags & NAN_RAW:  # IEEE 754 totalOrder
        both = z3.If(sign(x), z3.Or(z3.Not(sign(y)), z3.UGT(x, y)), z3.And(z3.Not(sign(y)), z3.ULT(x, y)))
        return z3.If(z3.Or(nan_x, nan_y),
                     z3.If(z3.And(nan_x, nan_y), both, z3.If(nan_x, sign(x), z3.Not(sign(y)))), number_before)
    # Before or after all numbers, whether ascending or descending.
    first = bool(flags & NAN_FIRST) != bool(flags & DESCENDING)
    mixed = nan_x if first else nan_y
    return z3.If(z3.And(nan_x, nan_y), nan_before(x, y), z3.If(z3.Or(nan_x, nan_y), mixed, number_before))


def before(kind, x, y, flags):
    """Whether x is promised to come before y."""
    if flags & DESCENDING:
        x, y = y, x
    if kind in FLOAT_TYPES:
        return float_before(x, y, z3.FPSort(*FLOAT_TYPES[kind]), flags)
    return x < y if INTEGER_TYPES[kind][1] else z3.ULT(x, y)


def prove_map(p, source, kind, flags):
    bits = INTEGER_TYPES[kind][0] if kind in INTEGER_TYPES else sum(FLOAT_TYPES[kind])
    kind_number = source.constants["UPSWEEP_" + kind].to(32, False)
    keymap = source.call("usw_keymap_of", kind_number, number(flags, 32, False))
    x, y = z3.BitVecs("x y", bits)

    def mapped(v):
        return source.call("usw_map_key", keymap, Int(v, False).to(64, False)).bv

    def unmapped(v):
        return source.call("usw_unmap_key", keymap, Int(v, False).to(64, False)).bv

    def short(v):
        return z3.Extract(bits - 1, 0, v)

    name = f"{kind} flags {flags}"
    wide = z3.ZeroExt(64 - bits, x) if bits < 64 else x
    p.prove(f"{name}: unmap(map(x)) = x", unmapped(short(mapped(x))) == wide, x)
    p.prove(f"{name}: map(unmap(x)) = x", mapped(short(unmapped(x))) == wide, x)
    p.prove(f"{name}: x before y exactly if map(x) < map(y)",
            before(kind, x, y, flags) == z3.ULT(mapped(x), mapped(y)), x, y)


def main():
    p = Prover()
    source = Source(preprocessed("core/keymap.h"))
    for name, value in (("DESCENDING", DESCENDING), ("NAN_FIRST", NAN_FIRST), ("NAN_RAW", NAN_RAW)):
        p.check(f"UPSWEEP_{name} is {value}", source.constants["UPSWEEP_" + name].known() == value)
    for kind in list(INTEGER_TYPES) + list(FLOAT_TYPES):
        # Integers take no heed of what is said of NaN: all flags of theirs are for UPSWEEP_TEST_LONG.
        for flags in range(8) if kind in FLOAT_TYPES or "UPSWEEP_TEST_LONG" in os.environ else (0, DESCENDING, 7):
            prove_map(p, source, kind, flags)
    keymap_forms.prove(p, source)
    return p.end("keymap")


if __name__ == "__main__":
    sys.exit(main())

"""cvalues.py - the values of csource.py: C's integers as bit-vectors, lanes of vectors, bits of masks."""
# SPDX-License-Identifier: MIT
import z3

INTEGERS = {"char": (8, True), "short": (16, True), "int": (32, True), "long": (64, True), "bool": (1, False),
            "_Bool": (1, False), "unsigned char": (8, False), "unsigned short": (16, False),
            "unsigned": (32, False), "unsigned long": (64, False), "size_t": (64, False),
            "ptrdiff_t": (64, True), "uintptr_t": (64, False), "usw_u128": (128, False)}
for bits in (8, 16, 32, 64):
    INTEGERS[f"int{bits}_t"] = (bits, True)
    INTEGERS[f"uint{bits}_t"] = (bits, False)
VECTORS = {"__m512i", "__m256i", "__m512d", "__m256d", "__m256", "__m128i"}
MASKS = {"__mmask8", "__mmask16", "__mmask32", "__mmask64"}


class Int:
    """An integer of C: a bit-vector and whether it is signed."""

    def __init__(self, bv, signed):
        self.bv, self.signed = bv, signed

    @property
    def bits(self):
        return self.bv.size()

    def to(self, bits, signed):
        if bits == 1 and self.bits != 1:  # bool
            return Int(z3.If(self.bv != 0, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)), False)
        bv = self.bv
        if bits < self.bits:
            bv = z3.Extract(bits - 1, 0, bv)
        elif bits > self.bits:
            bv = (z3.SignExt if self.signed else z3.ZeroExt)(bits - self.bits, bv)
        return Int(z3.simplify(bv), signed)

    def known(self):
        v = z3.simplify(self.bv)
        if not z3.is_bv_value(v):
            return None
        return v.as_signed_long() if self.signed else v.as_long()


class Lane:
    """One lane of a vector register."""

    def __init__(self, bv):
        self.bv = bv


class Bit:
    """One lane's bit of a mask."""

    def __init__(self, on):
        self.on = on


class Pointer:
    def __init__(self, cells, at=0):
        self.cells, self.at = cells, at


def number(value, bits=32, signed=True):
    return Int(z3.BitVecVal(value, bits), signed)


def truth(c):
    return Int(z3.If(c, z3.BitVecVal(1, 32), z3.BitVecVal(0, 32)), True)


def promoted(v):
    """C's integer promotion: what is narrower than int becomes int."""
    return v.to(32, True) if v.bits < 32 else v


def together(a, b):
    """C's usual conversions: both of the wider type, unsigned if one of that width is."""
    a, b = promoted(a), promoted(b)
    bits = max(a.bits, b.bits)
    signed = all(v.signed for v in (a, b) if v.bits == bits)
    return a.to(bits, signed), b.to(bits, signed)


def like(old, value):
    """What an assignment stores: converted to the type of what is there."""
    return value.to(old.bits, old.signed) if isinstance(old, Int) and isinstance(value, Int) else value


def either(c, one, two):
    if isinstance(one, dict):
        return {k: either(c, one[k], two[k]) for k in one}
    if isinstance(one, Lane):
        return Lane(z3.If(c, one.bv, two.bv))
    a, b = (one, two) if one.bits == two.bits and one.signed == two.signed else together(one, two)
    return Int(z3.If(c, a.bv, b.bv), a.signed)


def copied(env):
    return {k: dict(v) if isinstance(v, dict) else v for k, v in env.items()}

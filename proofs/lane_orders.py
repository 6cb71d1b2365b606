"""lane_orders.py - what the vector sorts take for the lesser, the greater and the other of two keys is that,
for all values, in every instruction set: read out of the sources, a lane at a time."""
# SPDX-License-Identifier: MIT
import z3

from cvalues import Bit, Lane

# File, level, width, the ending of names, and how keys compare once they are turned.
KINDS = [("cpu/cache_sort/cache_sort_cpu.h", 1, 32, "u32", "unsigned"), ("cpu/cache_sort/cache_sort_cpu.h", 1, 64, "u64", "signed"),
         ("cpu/cache_sort/cache_sort_cpu.h", 1, 32, "i32", "signed"), ("cpu/cache_sort/cache_sort_cpu.h", 1, 64, "i64", "signed"),
         ("cpu/cache_sort/cache_sort_cpu.h", 1, 64, "f64", "doubles"),
         ("cpu/cache_sort/cache_sort_cpu.h", 2, 16, "u16", "unsigned"), ("cpu/cache_sort/cache_sort_cpu.h", 2, 32, "u32", "unsigned"),
         ("cpu/cache_sort/cache_sort_cpu.h", 2, 64, "u64", "unsigned"), ("cpu/cache_sort/cache_sort_cpu.h", 2, 64, "f64", "doubles"),
         ("cpu/cache_sort/cache_sort_cpu.h", 2, 32, "half_u32", "unsigned"), ("cpu/cache_sort/cache_sort_cpu.h", 2, 32, "signed_u32", "signed"),
         ("cpu/cache_sort/cache_sort_cpu.h", 2, 32, "signed_half_u32", "signed"),
         ("cpu/merging/merge_cpu.h", 1, 32, "u32", "unsigned"), ("cpu/merging/merge_cpu.h", 2, 8, "u8", "unsigned"),
         ("cpu/merging/merge_cpu.h", 2, 16, "u16", "unsigned"), ("cpu/merging/merge_cpu.h", 2, 32, "u32", "unsigned"),
         ("cpu/merging/merge_cpu.h", 2, 64, "u64", "unsigned"), ("cpu/merging/merge_cpu.h", 1, 64, "u64", "signed")]


def named(step, ending):
    """vmin, u32: vmin_u32; half_u32: half_vmin_u32."""
    front, _, width = ending.rpartition("_")
    return f"{front}_{step}_{width}" if front else f"{step}_{ending}"


def prove_kind(p, source, where, bits, ending, order):
    a, b = z3.BitVecs("a b", bits)
    less, given = (z3.ULT(a, b), []) if order == "unsigned" else (a < b, [])
    if order == "doubles":
        x, y = (z3.fpBVToFP(v, z3.FPSort(11, 53)) for v in (a, b))
        less = z3.fpLT(x, y)
        given = [z3.Not(z3.fpIsNaN(v)) for v in (x, y)] + [v != 1 << 63 for v in (a, b)]  # plain ones
    least, greatest = z3.If(less, a, b), z3.If(less, b, a)
    va, vb, upper = Lane(a), Lane(b), Bit(z3.Bool("upper"))
    if "/merging/" in where:
        p.prove(f"{where}: least", source.call(f"least_{ending}", va, vb).bv == least, a, b)
        p.prove(f"{where}: greatest", source.call(f"greatest_{ending}", va, vb).bv == greatest, a, b)
        return
    low = source.call(named("vmin", ending), va, vb)
    other = source.call(named("vother", ending), va, vb, low)
    p.prove(f"{where}: the lesser", low.bv == least, a, b, given=given)
    p.prove(f"{where}: the other", other.bv == greatest, a, b, given=given)
    source.instructions[named("vblend", ending)] = \
        lambda s, one, two, second: Lane(z3.If(second.on, two.bv, one.bv))
    ordered = source.call(named("vorder", ending), va, vb, upper)
    p.prove(f"{where}: lanes of upper get the greater, the others the lesser",
            ordered.bv == z3.If(upper.on, greatest, least), a, b, given=given)
    if order == "signed" and ending.startswith("u"):  # turned to signed order on the way
        turned = [source.call(named("vturn", ending), v).bv for v in (va, vb)]
        p.prove(f"{where}: turned keys compare as signed", (turned[0] < turned[1]) == z3.ULT(a, b), a, b)


def prove(p, sources):
    for file, level, bits, ending, order in KINDS:
        source = sources.of(file, level, bits)
        where = f"{file} {ending} {'portable avx2 avx512'.split()[level]}"
        try:
            prove_kind(p, source, where, bits, ending, order)
        except (Exception,) as why:  # pylint: disable=broad-except
            p.fail(where, f"the source cannot be read: {why!r}")

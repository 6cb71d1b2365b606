"""keymap_orders.py - where sorts compare keys as they are, or bins compare edges, because the sources say
that the map keeps some order: that it does, for every map that the condition in the source lets through."""
# SPDX-License-Identifier: MIT
import re

import z3

from csource import Int, ROOT, Source, number

F64 = z3.FPSort(11, 53)


def expression(p, file, pattern, head, fix=()):
    """A function made of one expression of a source."""
    m = re.search(pattern, (ROOT / file).read_text(), re.S)
    if m is None:
        p.fail(f"{file}: {pattern}", "the source has no such text any more")
        return None
    text = re.sub(r"\s+", " ", m.group(1))
    for old, new in fix:
        text = text.replace(old, new)
    return Source(f"{head} {{ return {text}; }}")


def number_value(x):
    return z3.fpBVToFP(x, F64)


def signed_orders(p, core, form_of):
    source = expression(p, "cpu/cache_sort/key_order.h", r"keeps_signed_order\(.*?return (.*?);",
                        "static bool keeps(usw_keymap *map)")
    small = [(expression(p, "cpu/cache_sort/short_arrays.h", r"rises_signed\)\(.*?return (.*?);",
                         "static bool keeps(usw_keymap *map)", [("(KEY_BITS - 1)", str(bits - 1))]), (bits,))
             for bits in (32, 64)]
    for src, widths in ((source, (32, 64)), *small):
        for bits in widths if src else ():
            f, g = form_of(core, bits), form_of(core, bits)
            g.mapped = z3.substitute(g.mapped, (g.raw, z3.BitVec("other", bits)))
            src.text = src.text.replace("UINT64_C(1)", "1ul")
            c = src.call("keeps", f.map).bv != 0
            p.possible(f"maps that keep the order of signed integers of {bits} bits", c)
            p.prove(f"signed integers of {bits} bits compare as they are",
                    (f.raw < z3.BitVec("other", bits)) == z3.ULT(f.mapped, g.mapped), f.raw, given=[c])


def double_orders(p, core):
    keeps = expression(p, "cpu/cache_sort/key_order.h", r"keeps_double_order\(.*?return (.*?);",
                       "static bool keeps(usw_keymap *map)", [("UINT64_C(1)", "1ul")])
    greatest = re.search(r"KEY_GREATEST UINT64_C\((\w+)\)", (ROOT / "cpu/cache_sort/key_order.h").read_text())
    others = expression(p, "cpu/cache_sort/double_keys.h", r"found \|= (.*?) \? UINT64_MAX",
                        "static bool others(uint64_t key, uint64_t sign)",
                        [("k[i]", "key"), ("KEY_GREATEST", greatest[1] + "ul")])
    before = Source(re.search(r"static inline uint64_t number_before.*?\n\}", (ROOT / "cpu/cache_sort/key_order.h")
                              .read_text(), re.S)[0].replace("UINT64_C(1)", "1ul"))
    if keeps is None or others is None:
        return
    x, y, z = z3.BitVecs("x y z", 64)

    def plain(v):
        return others.call("others", Int(v, False), number(1 << 63, 64, False)).bv == 0
    v = number_value(x)
    p.prove("plain doubles are those that are neither NaN nor -0",
            plain(x) == z3.And(z3.Not(z3.fpIsNaN(v)), x != z3.BitVecVal(1 << 63, 64)), x)
    kept = 0
    for kind in ("U64", "I64", "F64", "F32"):
        for flags in range(8):
            keymap = core.call("usw_keymap_of", core.constants["UPSWEEP_" + kind], number(flags, 32, False))
            if keeps.call("keeps", keymap).known():
                kept += 1
                mapped = [core.call("usw_map_key", keymap, Int(k, False)).bv for k in (x, y)]
                p.prove(f"plain doubles compare as they are: {kind} flags {flags}",
                        z3.ULT(*mapped) == z3.fpLT(number_value(x), number_value(y)), x, y,
                        given=[plain(x), plain(y)])
    p.check("some maps keep the order of doubles", kept > 0)
    r = before.call("number_before", Int(x, False)).bv
    given = [plain(x), plain(z), x != z3.BitVecVal(0xfff << 52, 64)]
    p.prove("number_before gives a plain double that is less", z3.And(
        z3.Or(plain(r), r == x), z3.fpLT(number_value(r), number_value(x))), x, given=given[:1] + given[2:])
    p.prove("number_before: none lies between", z3.Not(z3.And(
        z3.fpLT(number_value(r), number_value(z)), z3.fpLT(number_value(z), number_value(x)))), x, z, given=given)


def edges_of_bins(p, core, form_of):
    """Zeros are equal in bins: the mapped edge is not above the mapped key exactly if it is not as values."""
    head = "static uint64_t zero(bool is_float, uint64_t raw, uint64_t sign)"
    fix = [("b->map.neg != 0", "is_float"), ("K(0)", "0ul")]
    places = [("calls/bucketing.c", r"raw = (b->map\.neg.*?);"), ("cpu/buckets/histogram_cpu.h", r"raw = (b->map\.neg.*?);"),
              ("gpu/selection/bucket_of_key.cuh", r"map\.map\((is_float.*?)\);")]
    for file, pattern in places:
        src = expression(p, file, pattern, head, fix)
        for kind, (e, m) in {"F16": (5, 11), "BF16": (8, 8), "F32": (8, 24), "F64": (11, 53)}.items() if src else ():
            bits, sort = e + m, z3.FPSort(e, m)
            keymap = core.call("usw_keymap_of", core.constants["UPSWEEP_" + kind], number(0, 32, False))
            x, y = z3.BitVecs("edge key", bits)

            def mapped(v):
                raw = src.call("zero", number(1, 1, False), Int(v, False).to(64, False),
                               number(1 << (bits - 1), 64, False))
                return core.call("usw_map_key", keymap, raw).bv
            a, b = z3.fpBVToFP(x, sort), z3.fpBVToFP(y, sort)
            p.prove(f"{file}: edges of {kind} as values", z3.ULE(mapped(x), mapped(y)) ==
                    z3.Or(z3.fpIsNaN(b), z3.fpLEQ(a, b)), x, y, given=[z3.Not(z3.fpIsNaN(a))])


def prove(p, core, form_of):
    signed_orders(p, core, form_of)
    double_orders(p, core)
    edges_of_bins(p, core, form_of)

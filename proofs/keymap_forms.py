"""keymap_forms.py - every place in the sources that maps keys by a formula of its own computes what
core/keymap.h does, for every constant a map can have. The formulas are read out of the sources."""
# SPDX-License-Identifier: MIT
import os
import re

import z3

import keymap_orders
import lane_orders
from csource import Bit, Int, Lane, Pointer, ROOT, Source, Unread, number, plain, preprocessed
from keymap_places import find_places
from lanes import Instructions

KEYS = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}
LEVELS = {0: "portable", 1: "avx2", 2: "avx512"}
LEVEL_OF = {8: 2, 16: 1, 32: 0, 64: 2}  # at which the check looks at scalar forms of a width


class Form:
    """A map's constants, a key, and what core/keymap.h makes of it, for keys of some width."""

    def __init__(self, core, bits):
        self.bits = bits
        self.raw, self.neg, self.pos, self.add, self.limit = z3.BitVecs("raw neg pos add limit", bits)
        wide = {f: Int(v, False).to(64, False) for f, v in self.constants()}
        self.map = {"bits": number(bits, 32, False), **wide}
        self.mapped = self.narrow(core.call("usw_map_key", self.map, self.key().to(64, False)))
        self.unmapped = self.narrow(core.call("usw_unmap_key", self.map, self.key().to(64, False)))

    def constants(self):
        return ("neg", self.neg), ("pos", self.pos), ("add", self.add)

    def key(self):
        return Int(self.raw, False)

    def narrow(self, value):
        return z3.Extract(self.bits - 1, 0, value.bv) if value.bits > self.bits else value.bv

    def triple(self):
        return [Int(v, False) for _, v in self.constants()]

    def small(self):
        """The map with constants as wide as keys."""
        return {f: Int(v, False) for f, v in self.constants()}


class Sources:
    """Preprocessed sources for a level of instructions, read once."""

    def __init__(self, core):
        self.core, self.read = core, {}

    def of(self, name, level, lane_bits):
        if (name, level) not in self.read:
            defines = [f"USW_ISA {LEVELS[level]}", f"USW_LEVEL {level}"]
            text = preprocessed(name, defines, (8, 16, 32, 64, 128))
            self.read[name, level] = Source(text, lane_bits, Instructions())
        source = self.read[name, level]
        source.lane_bits = lane_bits
        return source


def value_of(form, value):
    return form.narrow(value) if isinstance(value, Int) else value.bv


def prove_equal(p, name, form, run, wanted, given=()):
    """run() gives the mapped key by the place's own formula."""
    try:
        value = value_of(form, run())
    except Unread as why:
        p.fail(name, f"the source cannot be read: {why}")
        return
    p.prove(name, value == wanted, form.raw, form.neg, form.pos, form.add, given=given)


def prove_array(p, place, source, name, form, wanted):
    """A function over arrays, for an array of one key; it has a loop of its own for maps that only flip."""
    for given in ((form.neg | form.add) == 0, (form.neg | form.add) != 0):
        def run():
            out = Pointer([number(0, form.bits, False)])
            source.assumed = [given]
            source.call(name, out, Pointer([form.key()]), number(1, 64, False), form.map)
            return out.cells[0]
        prove_equal(p, place, form, run, wanted, [given])
    source.assumed = []


def scalar_forms(p, s, core):
    """Functions of one key, in C that compilers make vectors of."""
    for level, isa in LEVELS.items():
        for bits in KEYS:
            # The text is the same for all levels; every width is proved once, and at each with UPSWEEP_TEST_LONG.
            if "UPSWEEP_TEST_LONG" not in os.environ and level != LEVEL_OF[bits]:
                continue
            f, w = Form(core, bits), f"u{bits}"
            ones = {"cpu/patterns/map_keys_cpu.h": "mapped", "cpu/selection/select_cpu.h": "mapped", "cpu/patterns/patterns_cpu.h": "mapped",
                    "cpu/selection/search_cpu.h": "search_key"}
            for file, name in ones.items():
                src = s.of(file, level, bits)
                prove_equal(p, f"{file} {name}_{w} {isa}", f,
                            lambda: src.call(f"{name}_{w}", f.key(), *f.triple()), f.mapped)
            src = s.of("cpu/patterns/map_keys_cpu.h", level, bits)
            prove_array(p, f"cpu/patterns/map_keys_cpu.h map_{w} {isa}", src, f"map_{w}", f, f.mapped)
            prove_array(p, f"cpu/patterns/map_keys_cpu.h unmap_{w} {isa}", src, f"unmap_{w}", f, f.unmapped)
            src = s.of("cpu/buckets/histogram_cpu.h", level, bits)
            prove_equal(p, f"cpu/buckets/histogram_cpu.h mapped_{w} {isa}", f,
                        lambda: src.call(f"mapped_{w}", f.key(), f.map), f.mapped)
            src = s.of("cpu/pair_sort/pair_sort_cpu.h", level, bits)
            prove_equal(p, f"cpu/pair_sort/pair_sort_cpu.h mapped_{w} {isa}", f,
                        lambda: src.call(f"mapped_{w}", f.small(), f.key()), f.mapped)
            prove_equal(p, f"cpu/pair_sort/pair_sort_cpu.h unmapped_{w} {isa}", f,
                        lambda: src.call(f"unmapped_{w}", f.map, f.key()), f.unmapped)
            src = s.of("algo/scan_sweep_cpu.h", level, bits)
            flips = [(f.neg | f.add) == 0]
            for how, given in (("MAPPED", []), ("FLIPPED", flips)):
                prove_equal(p, f"cpu/folds/scan_integers.h map_{w} {how} {isa}", f,
                            lambda: src.call(f"map_{w}", f.map, src.constants[how], f.key()), f.mapped, given)
                prove_equal(p, f"cpu/folds/scan_integers.h unmap_{w} {how} {isa}", f,
                            lambda: src.call(f"unmap_{w}", f.map, src.constants[how], f.key()), f.unmapped, given)
            src = s.of("algo/reduce_tree_cpu.h", level, bits)
            for floats in (False, True):
                for falling in (False, True):
                    low = (1 << bits - 1) - 1
                    given = [f.neg == (low if floats else 0), f.pos & low == (low if falling else 0)]
                    prove_equal(p, f"cpu/folds/least_keys.h signed_key_{w} {floats} {falling} {isa}", f,
                                lambda: src.call(f"signed_key_{w}", f.key(), src.call(f"least_base_{w}", f.map),
                                                 number(floats, 1, False), number(falling, 1, False)),
                                f.mapped ^ (1 << bits - 1), given)
            for back, wanted in (("mapped", f.mapped), ("unmapped", f.unmapped)):
                prove_equal(p, f"cpu/folds/column_loops.h column_{back}_{w} {isa}", f,
                            lambda: src.call(f"column_{back}_{w}", f.key(), *f.triple()), wanted)
            src = s.of("algo/sort_radix_cpu.h", level, bits)
            all_bits = number(-1, bits, False)
            prove_equal(p, f"cpu/buckets/digits_in_cache.h rank_{w} {isa}", f,
                        lambda: src.call(f"rank_{w}", f.key(), all_bits, Int(f.pos, False)), f.mapped, flips)
            if level == 1 and bits <= 16:
                src = s.of("cpu/cache_sort/cache_sort_cpu.h", level, bits)
                m = {k: Int(v, False).to(32, False) for k, v in f.constants()}
                for name, wanted in (("key_as_32", f.mapped), ("key_of_32", f.unmapped)):
                    prove_equal(p, f"cpu/cache_sort/short_keys.h {name} {w}", f,
                                lambda: src.call(name, f.key().to(32, False), number(bits // 8, 64, False), m), wanted)
            if level < 2 and bits >= 32:
                src = s.of("cpu/cache_sort/cache_sort_cpu.h", level, bits)
                prove_equal(p, f"cache_sort unmap_key_{w} {isa}", f,
                            lambda: src.call(f"unmap_key_{w}", f.key(), f.map), f.unmapped)
            if level == 0 and bits > 8 or level == 1 and bits == 16:
                src = s.of("cpu/cache_sort/cache_sort_cpu.h", level, bits)
                prove_equal(p, f"cpu/cache_sort/partition_scalar.h compared_{w} {isa}", f,
                            lambda: src.call(f"compared_{w}", f.key(), f.map), f.mapped)


def vector_forms(p, s, core):
    """One lane of vectors."""
    for level, bits in ((1, 32), (1, 64), (2, 8), (2, 16), (2, 32), (2, 64)):
        f, w, isa = Form(core, bits), f"u{bits}", LEVELS[level]
        key, on = Lane(f.raw), Bit(z3.Bool("on"))
        src = s.of("cpu/selection/select_cpu.h", level, bits)
        band = [f.map, Int(f.limit, False)] if level == 1 else \
            [f.map, number(0, 64, False), Int(f.limit, False).to(64, False)]
        prove_equal(p, f"select map_vector_{w} {isa}", f,
                    lambda: src.call(f"map_vector_{w}", key, src.call(f"band_of_{w}", *band)), f.mapped)
        if level == 1:
            hit = src.call(f"hits_of_{w}", key, src.call(f"band_of_{w}", *band))
            p.prove(f"cpu/selection/select_avx2.h hits_of_{w}: keys up to the limit", hit.on == z3.ULE(f.raw, f.limit),
                    f.raw, f.limit)
        if bits == 8:
            continue
        src = s.of("cpu/cache_sort/cache_sort_cpu.h", level, bits)
        maps = src.call(f"vmap_of_{w}", f.map)
        prove_equal(p, f"cache_sort vmapped_{w} {isa}", f, lambda: src.call(f"vmapped_{w}", key, maps), f.mapped)
        side = src.call(f"vsides_mapped_{w}", key, Lane(f.limit), dict(maps))
        side = side.on if isinstance(side, Bit) else side.bv != 0
        p.prove(f"cache_sort vsides_mapped_{w} {isa}: above the pivot", side == z3.UGT(f.mapped, f.limit),
                f.raw, f.neg, f.pos, f.add, f.limit)
        prove_equal(p, f"cache_sort map_key_{w} {isa}", f, lambda: src.call(f"map_key_{w}", f.key(), f.map), f.mapped)
        plain_side = src.call(f"vsides_{w}", key, Lane(f.limit))
        p.prove(f"cache_sort vsides_{w} {isa}", plain_side.on == z3.UGT(f.raw, f.limit), f.raw, f.limit)
        if level == 2 and bits in (32, 64):
            src = s.of("cpu/patterns/map_keys_cpu.h", level, bits)
            prove_equal(p, f"cpu/patterns/map_keys_cpu.h read_mapped_{w} {isa}", f,
                        lambda: src.call(f"read_mapped_{w}", Pointer([f.key()]), f.map), f.mapped)
        if level >= 1 and bits in (32, 64):
            registers(p, s, f, on, level, bits)


def registers(p, s, f, on, level, bits):
    """Short arrays, mapped in registers; lanes past the end are as great as a key can be."""
    lane = Lane(z3.If(on.on, z3.BitVecVal(-1, bits), z3.BitVecVal(0, bits)))  # a mask of AVX2
    for half in ("", "half_")[:level]:
        src = s.of("cpu/cache_sort/cache_sort_cpu.h", level, bits)
        src.instructions[f"{half}first_lanes_u{bits}"] = lambda src, count: on if level == 2 else lane
        maps = src.call(f"{half}vmap_of_u{bits}", f.map)
        wanted = z3.If(on.on, f.mapped, z3.BitVecVal(-1, bits))
        prove_equal(p, f"cache_sort {half}vmap_some_u{bits} {LEVELS[level]}", f,
                    lambda: src.call(f"{half}vmap_some_u{bits}", Lane(f.raw), maps, number(1, 64, False)), wanted)
        prove_equal(p, f"cache_sort {half}vunmap_u{bits} {LEVELS[level]}", f,
                    lambda: src.call(f"{half}vunmap_u{bits}", Lane(f.raw), maps), f.unmapped)


def histogram_digits(p, core):
    """Where a map only flips, digits of keys as they lie are counted, and moved by the flip."""
    text = (ROOT / "cpu/buckets/histogram_cpu.h").read_text()
    m = re.search(r"uint32_t flip = plain \? (.*?) : 0;", text)
    if m is None:
        p.fail("cpu/buckets/histogram_cpu.h flip", "the source has no such line any more")
        return
    src = Source("static uint32_t flip(uint64_t pos, unsigned shift, uint32_t mask) { return " +
                 m.group(1).replace("b->map.", "").replace("b->", "") + "; }")
    for bits in KEYS:
        f = Form(core, bits)
        shift, mask = z3.BitVecs("shift mask", 32)
        flip = src.call("flip", Int(f.pos, False).to(64, False), Int(shift, False), Int(mask, False)).bv

        def digit(key):
            wide = z3.ZeroExt(64 - bits, key) if bits < 64 else key
            return z3.Extract(31, 0, z3.LShR(wide, z3.ZeroExt(32, shift))) & mask
        p.prove(f"cpu/buckets/histogram_cpu.h digits of u{bits}, flipped", digit(f.mapped) == digit(f.raw) ^ flip,
                f.raw, f.pos, shift, mask, given=[(f.neg | f.add) == 0, z3.ULT(shift, bits), z3.ULE(mask, 255)])


def cuda_forms(p, core):
    """The same on GPUs: methods of usw_gpu_keymap, records, short arrays, the least key."""
    override = Instructions()
    for bits, kind in KEYS.items():
        f = Form(core, bits)
        src = Source(plain("gpu/gpu.cuh", {"K": kind}), bits)
        src.constants.update({n: Int(v, False) for n, v in f.constants()})
        prove_equal(p, f"gpu/gpu.cuh map {kind}", f, lambda: src.call("map", f.key()), f.mapped)
        prove_equal(p, f"gpu/gpu.cuh unmap {kind}", f, lambda: src.call("unmap", f.key()), f.unmapped)
        same = src.call("identity").to(32, False).bv != 0
        p.prove(f"gpu/gpu.cuh identity {kind}: map(x) = x and unmap(x) = x",
                z3.Implies(same, z3.And(f.mapped == f.raw, f.unmapped == f.raw)), f.raw, f.neg, f.pos, f.add)
        src = Source(plain("gpu/merging/records.cuh"), bits)
        prove_equal(p, f"gpu/merging/records.cuh usw_map_field {bits}", f,
                    lambda: src.call("usw_map_field", f.map, f.key().to(64, False)), f.mapped)
        finish = plain("gpu/plugin/results.cu")
        m = re.search(r"uint64_t all = (.*?);\s*uint64_t y = (.*?);\s*store_low_bytes\(value, (.*), bits / 8\);", finish)
        if m is None:
            p.fail("gpu/plugin/results.cu store_least", "the source has no such lines any more")
            continue
        body = f"{{ uint64_t all = {m[1]}; uint64_t y = {m[2].replace('*key', 'key')}; return {m[3]}; }}"
        src = Source("static uint64_t least(uint64_t key, usw_keymap map, unsigned bits) " + body.replace("map.", "map."))
        src.structs["usw_keymap"] = core.struct("usw_keymap")
        prove_equal(p, f"gpu/plugin/results.cu store_least {bits}", f,
                    lambda: src.call("least", f.key().to(64, False), f.map, number(bits, 32, False)), f.unmapped)
        width = {8: 0, 16: 1, 32: 2, 64: 3}[bits]
        override["load_element"] = lambda s, *_: f.key().to(64, False)
        src = Source(plain("gpu/short_sort/key_and_place.cuh", {"E": "uint64_t"}), bits, override)
        wide = {n: Int(v, False).to(64, False) for n, v in f.constants()}
        args = {"width": number(width, 32, False), "begin": number(0, 32, False), "end": number(bits, 32, False),
                "pairs": number(0, 1, False), "whole": number(1, 1, False), "keys": Pointer([None]), **wide}
        prove_equal(p, f"gpu/short_sort/key_and_place.cuh number_of {bits}", f,
                    lambda: src.call("number_of", args, number(0, 32, False)), f.mapped)
        prove_equal(p, f"gpu/short_sort/key_and_place.cuh key_of {bits}", f,
                    lambda: src.call("key_of", args, f.key().to(64, False)), f.unmapped)


def prove(p, core):
    s = Sources(core)
    scalar_forms(p, s, core)
    vector_forms(p, s, core)
    histogram_digits(p, core)
    cuda_forms(p, core)
    keymap_orders.prove(p, core, Form)
    lane_orders.prove(p, s)
    find_places(p)

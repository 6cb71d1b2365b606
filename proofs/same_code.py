#!/usr/bin/env python3
"""same_code.py - hashes of all machine code of a build, so that a change that claims to move nothing
can show it.

    same_code.py list BUILD_DIR              a line for each function and kernel: hash, bytes, name
    same_code.py compare BUILD_DIR BUILD_DIR   what differs between two builds; ends with 1 if anything
    same_code.py check BUILD_DIR         one changed bit in any function of the sort is seen

A function is hashed with the relocations in it, by the names that they point to; a kernel by its
section in the cubin of each target. Names of files do not count, so that files may move. Build both
sides with the same compilers and options.
"""
# SPDX-License-Identifier: MIT
import collections
import hashlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

PROGBITS, SYMTAB, RELA, REL = 1, 2, 4, 9
EXECUTED = 4
FUNCTION, SECTION = 2, 3


def text_at(table, at):
    """A name; nvcc's names of unnamed namespaces hold a hash of the file's path, which is left out."""
    name = table[at:table.index(b"\0", at)].decode()
    return re.sub(r"\d*_GLOBAL__N__[0-9a-f]{8}_\d+_\w+?_cu_[0-9a-f]{8}(_\d+)?", "_GLOBAL_", name)


class Elf:
    """The sections, symbols and relocations of a 64-bit little-endian ELF file."""

    def __init__(self, data):
        at, = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        if count == 0:  # more sections than 16 bits count: the number is in the first one
            count, = struct.unpack_from("<Q", data, at + 32)
        if names == 0xFFFF:
            names, = struct.unpack_from("<I", data, at + 40)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        self.heads = heads
        self.bytes = [b"" if h[1] == 8 else data[h[4]:h[4] + h[5]] for h in heads]
        self.names = [text_at(self.bytes[names], h[0]) for h in heads]
        self.symbols = []
        for i, h in enumerate(heads):
            if h[1] == SYMTAB:
                strings = self.bytes[h[6]]
                for name, info, _, section, value, length in struct.iter_unpack(
                        "<IBBHQQ", self.bytes[i]):
                    kind = info & 15
                    said = text_at(strings, name)
                    if kind == SECTION and section < count:
                        said = self.names[section]
                    self.symbols.append((said, kind, section, value, length))

    def relocations(self, section):
        """(offset, type, symbol, addend) of a section, in order."""
        found = []
        for i, h in enumerate(self.heads):
            if h[1] in (RELA, REL) and h[7] == section:
                form = "<QQq" if h[1] == RELA else "<QQ"
                for entry in struct.iter_unpack(form, self.bytes[i]):
                    symbol = self.symbols[entry[1] >> 32][0] if self.symbols else ""
                    found.append((entry[0], entry[1] & 0xFFFFFFFF, symbol, *entry[2:]))
        return sorted(found)


def digest(code, relocations, base):
    h = hashlib.sha256(code)
    for offset, kind, symbol, *addend in relocations:
        h.update(f"{offset - base} {kind} {symbol} {addend}".encode())
    return h.hexdigest()[:16]


def functions_of(data):
    """(name, bytes, hash) of each function of an object file."""
    elf = Elf(data)
    for section, head in enumerate(elf.heads):
        if head[1] != PROGBITS or not head[2] & EXECUTED:
            continue
        code, relocations = elf.bytes[section], elf.relocations(section)
        for name, kind, where, value, length in elf.symbols:
            if kind == FUNCTION and where == section:
                inside = [r for r in relocations if value <= r[0] < value + length]
                # The compiler numbers clones: the number moves with what stands elsewhere.
                short = re.sub(r"\.(part|constprop|isra|cold|lto_priv)\.\d+", r".\1", name)
                yield short, length, digest(code[value:value + length], inside, value)


def kernels_of(data, target):
    """(name, bytes, hash) of each kernel and device function of a cubin."""
    elf = Elf(data)
    for section, name in enumerate(elf.names):
        if name.startswith(".text."):
            code = elf.bytes[section]
            yield (f"{target} {name[6:]}", len(code), digest(code, elf.relocations(section), 0))


def plugin_kernels(build):
    plugin = (build / "libupsweep_cuda.so").resolve()
    if not plugin.exists():
        return
    if not shutil.which("cuobjdump"):
        print("cuobjdump is not installed: kernels are left out", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["cuobjdump", "-xelf", "all", str(plugin)], cwd=place, check=True,
                       capture_output=True)
        for cubin in sorted(Path(place).iterdir()):
            target = re.search(r"sm_\w+", cubin.name)
            yield from kernels_of(cubin.read_bytes(), target.group() if target else "?")


def code_of(build):
    """(name, bytes, hash) of all machine code of the library and the plugin."""
    found = []
    for item in sorted(build.glob("CMakeFiles/upsweep_objects.dir/**/*.o")):
        found += functions_of(item.read_bytes())
    if not found:
        sys.exit(f"{build} has no objects of the library: build it first")
    found += plugin_kernels(build)
    return sorted(found)


def compare(before, after):
    """Prints what differs; returns how many names that is."""
    old, new = collections.Counter(before), collections.Counter(after)
    gone, come = old - new, new - old
    names = collections.Counter(n for n, _, _ in gone.elements())
    names |= collections.Counter(n for n, _, _ in come.elements())
    for name in sorted(names):
        a = sum(b for n, b, _ in gone.elements() if n == name)
        b = sum(b for n, b, _ in come.elements() if n == name)
        print(f"  {'gone' if b == 0 else 'new' if a == 0 else 'changed'}: {name}: {a} -> {b} bytes")
    same = sum((old & new).values())
    print(f"same code: {same} functions and kernels are the same, {sum(names.values())} are not")
    return sum(names.values())


def check(build):
    """Turns a bit in the middle of each function of one object, and asks whether its hash differs."""
    item = sorted(build.glob("CMakeFiles/upsweep_objects.dir/**/*hybrid*portable*.o"))[0]
    data = item.read_bytes()
    before = sorted(functions_of(data))
    elf, seen = Elf(data), 0
    for name, kind, where, value, length in elf.symbols:
        if kind == FUNCTION and 0 < where < len(elf.heads) and length > 0:
            changed = bytearray(data)
            changed[elf.heads[where][4] + value + length // 2] ^= 1
            seen += sorted(functions_of(bytes(changed))) != before
    print(f"proof: same code: a changed bit was seen in {seen} of {len(before)} functions")
    return 0 if seen == len(before) > 0 else 1


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "list":
        found = code_of(Path(sys.argv[2]))
        for name, length, code in found:
            print(code, length, name)
        whole = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
        print(f"{whole} {sum(b for _, b, _ in found)} all {len(found)} functions and kernels")
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(1 if compare(code_of(Path(sys.argv[2])), code_of(Path(sys.argv[3]))) else 0)
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        sys.exit(check(Path(sys.argv[2])))
    else:
        sys.exit(__doc__.strip())


main()

#!/usr/bin/env python3
"""networks.py - takes the networks that are no vector operations out of the sources, for
networks_plain.cpp: the choice of the lesser and greater of two keys becomes LESSER and GREATER, and the
rest stays as it is.

    networks.py OUT_DIR
"""
# SPDX-License-Identifier: MIT
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def function(text, name):
    """A function by its name, from `static` or `template` to the bracket in column 0."""
    m = re.search(rf"^(?:static|template)[^;{{}}]*?(?:FN\({name}\)|\b{name})\s*\([^;]*?\)\n\{{.*?^\}}", text, re.M | re.S)
    if m is None:
        sys.exit(f"networks.py: no function {name}")
    return m.group() + "\n"


def joined(text, least):
    """Choices between two keys become words; at least so many must be there."""
    count = 0
    for pattern, word in ((r"\b(\w+) < (\w+) \? \1 : \2", r"LESSER(\1, \2)"),
                          (r"\b(\w+) < (\w+) \? \2 : \1", r"GREATER(\1, \2)")):
        text, n = re.subn(pattern, word, text)
        count += n
    if count < least:
        sys.exit(f"networks.py: {count} choices of keys found where there were {least}")
    return text


def replaced(text, old, new):
    if old not in text:
        sys.exit(f"networks.py: no '{old}' in the source")
    return text.replace(old, new)


def scalar():
    text = read("cpu/cache_sort/partition_scalar.h")
    order = function(text, "order")
    order = replaced(order, "bool less = y < x;", "")
    order = replaced(order, "less ? y : x", "LESSER(x, y)")
    order = replaced(order, "less ? x : y", "GREATER(x, y)")
    order = re.sub(r"#if.*?#endif\n", "", order, flags=re.S)
    return "enum { FN(BASE) = 16 };\n" + order + "".join(
        function(text, n) for n in ("net4", "net_merge8", "net_merge16", "base_sort"))


def vmerge():
    text = read("algo/sort_vmerge_cpu.h")
    row = re.search(r"enum \{ FN\(ROW\).*?;\n", text).group()
    length = re.search(r"LENGTH = (\d+)", text).group(1)
    return f"enum {{ LENGTH = {length} }};\n" + replaced(row, "64 / sizeof(KEY)", "2") + \
        joined(function(text, "exchange_rows"), 2) + function(text, "sort_inside_vectors")


def bitonic():
    text = read("algo/sort_bitonic_cpu.h")
    text = text[text.index("enum { FN(COLUMNS)"):text.index("typedef struct FN(job)")]
    return joined(replaced(text, "64 / sizeof(KEY)", "COLUMNS_HERE"), 4)


def oddeven():
    text = read("algo/sort_oddeven_cpu.h")
    exchange = joined(function(text, "exchange"), 2)
    exchange = replaced(exchange, "(KEY)(a ^ least)", "true")
    both = exchange + function(text, "sort_first")
    both = re.sub(r"\bKEY changed\b", "bool changed", both)
    both = re.sub(r"KEY (FN\(exchange\))", r"bool \1", both)
    first = re.search(r"FIRST = (\d+)", text).group(1)
    return f"enum {{ FIRST = {first} }};\n" + both


def merge():
    """All three forms of the step; the file that includes them says which one by MERGE_FORM."""
    text = read("cpu/merging/merge_vectors.h").replace("(FN(rows)){", "FN(rows){")  # as C++ writes it
    places = function(text, "places")
    for old, new in (("static inline VEC", "static inline Places"), ("KEY lane", "unsigned lane"), ("(KEY)(", "(unsigned)("),
                     ("return FN(load)(lane)", "return places_of(lane)")):
        places = replaced(places, old, new)
    start = text.index("#if USW_LEVEL == 2 && KEY_BITS >= 32\n\n")
    wide, narrow, within = (function(part, "split_low_high") for part in re.split(r"^#el.*$", text[start:], flags=re.M))
    rows = re.search(r"typedef struct FN\(rows\).*?;\n\} FN\(rows\);\n", text, re.S).group() + function(text, "exchange")
    return f"#if MERGE_FORM == 2\n{rows}{places}{wide}#elif MERGE_FORM == 1\n{rows}{narrow}#else\n" \
        f"{function(text, 'order_bitonic')}{within}#endif\n"


def device(text):
    text = re.sub(r"__device__|__forceinline__|__host__", " ", text)
    return re.sub(r"^\s*#\s*(pragma|include|ifndef USW|define USW)[^\n]*", "", text, flags=re.M)


def block_sort():
    """A warp's lanes side by side: what one keeps of its own and another lane's number."""
    text = device(read("gpu/block/sort_network.cuh"))
    order = joined(function(text, "usw_order_two"), 2)
    order = re.sub(r"template <typename E>", "", order)
    steps = text[text.index("static void sort_thread"):text.index("/* The numbers at [diagonal")]
    steps, n = re.subn(r"\((\w+) < (a\[[^\]]*\])\) == (\w+) \? \1 : \2", r"kept(\1, \2, \3)", steps)
    if n < 4:
        sys.exit(f"networks.py: {n} exchanges between lanes found where there were 4")
    steps = replaced(steps, "const unsigned lane = threadIdx.x & 31;", "const Numbers lane;")
    steps = re.sub(r"const bool (low|first) =", r"const Mask \1 =", steps)
    return order + "template <unsigned I> struct block_sort {\n" + steps + "};\n"


def shared_bitonic():
    text = device(read("gpu/block/bitonic.cuh"))
    exchange = function(text, "usw_compare_exchange")
    exchange = replaced(exchange, "high < low", "true")
    exchange = replaced(exchange, "a[i] = high;", "a[i] = LESSER(low, high);")
    exchange = replaced(exchange, "a[j] = low;", "a[j] = GREATER(low, high); note(i, j);")
    return exchange + "".join(function(text, n) for n in (
        "usw_bitonic_halve", "usw_bitonic_mirror", "usw_bitonic_sort"))


def cuda_vmerge():
    text = device(read("algo/sort_vmerge.cu"))
    vector = "template <typename E> struct vector {\n    E lane[LENGTH];\n};\n"
    if vector not in text:
        sys.exit("networks.py: struct vector of sort_vmerge.cu is another")
    length = re.search(r"LENGTH = (\d+)", text).group(1)
    parts = [joined(function(text, "compare_and_select"), 2), function(text, "sort_vector")]
    split = function(text, "split_low_high")
    return f"enum {{ LENGTH = {length} }};\n" + vector + "".join(parts) + joined(split, 2)


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, make in (("scalar", scalar), ("vmerge", vmerge), ("bitonic", bitonic), ("oddeven", oddeven),
                       ("merge", merge), ("block_sort", block_sort), ("shared_bitonic", shared_bitonic),
                       ("cuda_vmerge", cuda_vmerge)):
        text = f"/* made by proofs/networks.py */\n{make()}"
        path = out / f"{name}.inc"
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()

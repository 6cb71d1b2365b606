"""keymap_places.py - finds every function that touches a key map's constants, so that none has a
formula that no proof reads."""
# SPDX-License-Identifier: MIT
import re

from csource import ROOT

# What the proofs of keymap_forms.py and keymap_orders.py read. A name stands for its file alone.
PROVED = {
    "core/keymap.h": {"usw_keymap_of", "usw_map_key", "usw_unmap_key", "usw_keymap_is_identity"},
    "calls/bucketing.c": {"make_edges"},
    "cpu/patterns/map_keys_cpu.h": {"mapped", "turn", "map", "unmap", "read_mapped"},
    "cpu/selection/select_cpu.h": {"mapped", "band_of", "map_vector"},
    "cpu/selection/select_avx2.h": {"band_of", "map_vector"},
    "cpu/patterns/patterns_cpu.h": {"mapped"},
    "cpu/selection/search_cpu.h": {"search_key"},
    "cpu/buckets/histogram_cpu.h": {"mapped", "count_by", "between_edges"},
    "cpu/pair_sort/pair_sort_cpu.h": {"mapped", "unmapped"},
    "cpu/folds/scan_integers.h": {"map", "unmap"},
    "cpu/folds/column_loops.h": {"column_mapped", "column_unmapped"},
    "cpu/folds/least_keys.h": {"least_base"},
    "cpu/cache_sort/short_keys.h": {"key_as_32", "key_of_32"},
    "cpu/cache_sort/partition_scalar.h": {"compared"},
    "cpu/cache_sort/vectors_avx2.h": {"vmap_of", "vmapped", "vunmap", "vsides_mapped"},
    "cpu/cache_sort/vectors_avx512.h": {"vmap_of", "vmap_bits", "vmapped", "vmap_some", "vunmap"},
    "cpu/cache_sort/vectors_avx512_256.h": {"vmap_of", "vmap_some", "vunmap"},
    "cpu/cache_sort/short_arrays.h": {"rises_signed", "map_key", "unmap_key"},
    "cpu/cache_sort/key_order.h": {"keeps_signed_order", "keeps_double_order"},
    "gpu/gpu.cuh": {"map", "unmap", "identity", "usw_gpu_keymap_of"},
    "gpu/merging/records.cuh": {"usw_map_field"},
    "gpu/plugin/results.cu": {"store_least"},
    "gpu/short_sort/key_and_place.cuh": {"number_of", "key_of"},
}
# What hands the constants to one of those, or asks only whether there are any.
HANDS_ON = {
    "cpu/patterns/map_keys_cpu.h": {"breaks_mapped", "breaks", "breaks_of_64"},
    "cpu/selection/select_cpu.h": {"count", "hits", "sample"},
    "cpu/folds/column_loops.h": {"columns_unmap"},
    "cpu/folds/least_keys.h": {"least_of"},
    "cpu/selection/search_cpu.h": {"halve", "take_wanted", "search_sample", "search"},
    "cpu/patterns/patterns_cpu.h": {"glance", "leaning", "count_range"},
    "cpu/pair_sort/pair_sort_cpu.h": {"enter_range"},
    "cpu/pair_sort/wide_keys.h": {"put_units"},
    # leave_out_integers has the map of integers, x ^ pos, which test_histogram tries and no proof reads.
    "cpu/buckets/histogram_cpu.h": {"equal_widths", "leave_out_integers"},
    "calls/bucketing.c": {"make_width"},
    "gpu/prefix_tree/sample_keys.cuh": {"hybrid_differ"},  # which bits differ, not their order
    "algo/sort_radix.cu": {"queue_steps"},
    "calls/sort.c": {"sort_by_digits", "choose"},
    "cpu/patterns/stretches.c": {"make_room"},
    "cpu/cache_sort/short_positions.h": {"map_values", "sort_short_positions"},
    "gpu/plugin/repeat_graph.cu": {"usw_gpu_sort_repeat", "usw_gpu_pairs_repeat"},
    "gpu/merging/merge_ring.cuh": {"usw_merge_ring_two"},
    "gpu/short_sort/short_sort.cu": {"sort_without_runs"},
}
BY_NAME = {"turn", "usw_keymap_is_identity"}  # what sees a constant under another name
WORD = re.compile(r"(?:\.|->)\s*(?:neg|pos|add)\b(?!\()|\b(?:neg|pos|add)\b\s*[,)&^=;]")
HEAD = re.compile(r"(?:FN\(\s*(\w+)\s*\)|\b(\w+))\s*\(")


def without_comments(text):
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.S)
    text = re.sub(r"\bELEMENT\(\w+\)", lambda m: " " * len(m.group()), text)  # instructions have such names
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.M)


def functions(text):
    """(name, begin, end) of every function; namespaces and structs are looked into."""
    at, head = 0, 0
    while at < len(text):
        c = text[at]
        if c in ";}":
            head = at + 1
        if c == "{":
            before = re.sub(r"__attribute__\s*\(\(.*?\)\)|__launch_bounds__\s*\([^()]*\)", " ", text[head:at])
            names = [m for m in HEAD.finditer(before) if (m[1] or m[2]) not in ("FN", "USW_ALIGNED")]
            if re.search(r"\b(namespace|struct|class|extern)\b[^()]*$", before) or not names:
                head = at + 1
            else:
                begin, depth = at, 0
                while True:
                    depth += {"{": 1, "}": -1}.get(text[at], 0)
                    at += 1
                    if depth == 0:
                        break
                yield names[0][1] or names[0][2], begin, at
                head = at
                continue
        at += 1


def find_places(p):
    touched = set()
    for path in sorted(q for room in ("core", "calls", "algo", "cpu", "gpu")
                       for q in (ROOT / room).rglob("*") if q.is_file()):
        if path.suffix not in (".c", ".h", ".cu", ".cuh"):
            continue
        name = str(path.relative_to(ROOT))
        text = without_comments(path.read_text(encoding="utf-8"))
        if name not in PROVED and "map" not in text:
            continue
        for function, begin, end in functions(text):
            body = text[begin:end]
            known = PROVED.get(name, set()) | HANDS_ON.get(name, set())
            if WORD.search(body):
                touched.add((name, function))
            if WORD.search(body) and function not in known:
                m = WORD.search(body)
                line = text.count("\n", 0, begin + m.start()) + 1
                p.fail(f"{name}:{line}: {function}", "touches a key map, and no proof reads it")
            p.cases += 1
    for listed in (PROVED, HANDS_ON):
        for name, known in listed.items():
            for function in known - {f for n, f in touched if n == name} - BY_NAME:
                p.fail(f"{name}: {function}", "is listed here, and touches no key map any more")

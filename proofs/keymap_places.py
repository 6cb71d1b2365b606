"""keymap_places.py - finds every function that touches a key map's constants, so that none has a
formula that no proof reads."""
import re

from csource import ROOT

# What the proofs of keymap_forms.py and keymap_orders.py read. A name stands for its file alone.
PROVED = {
    "core/keymap.h": {"usw_keymap_of", "usw_map_key", "usw_unmap_key", "usw_keymap_is_identity"},
    "core/buckets.c": {"make_edges"},
    "algo/part_keymap_cpu.h": {"mapped", "turn", "map", "unmap", "read_mapped"},
    "algo/part_select_cpu.h": {"mapped", "band_of", "map_vector"},
    "algo/part_select_avx2.h": {"band_of", "map_vector"},
    "algo/part_front_cpu.h": {"mapped"},
    "algo/part_histogram_cpu.h": {"mapped", "count_by", "between_edges"},
    "algo/part_pairsort_cpu.h": {"mapped", "unmapped"},
    "algo/part_scan_exact.h": {"map", "unmap"},
    "algo/reduce_tree_cpu.h": {"least_of"},
    "algo/part_vsort_scalar.h": {"compared"},
    "algo/part_vsort_avx2.h": {"vmap_of", "vmapped", "vsides_mapped"},
    "algo/part_vsort_avx512.h": {"vmap_of", "vmap_bits", "vmapped", "vmap_some", "vunmap"},
    "algo/part_vsort_half.h": {"vmap_of", "vmap_some", "vunmap"},
    "algo/part_vsort_small.h": {"sort_small_mapped"},
    "algo/part_key_order.h": {"keeps_signed_order", "keeps_double_order"},
    "cuda/gpu.cuh": {"map", "unmap", "usw_gpu_keymap_of"},
    "cuda/records.cuh": {"usw_map_field"},
    "cuda/finish.cu": {"store_least"},
    "cuda/small_numbers.cuh": {"number_of", "key_of"},
}
# What hands the constants to one of those, or asks only whether there are any.
HANDS_ON = {
    "algo/part_keymap_cpu.h": {"breaks_mapped", "breaks"},
    "algo/part_select_cpu.h": {"count", "hits", "sample"},
    "algo/part_front_cpu.h": {"glance", "leaning", "count_range"},
    "algo/part_pairsort_cpu.h": {"enter"},
    "algo/part_pairsort_units.h": {"put_units"},
    # leave_out_integers has the map of integers, x ^ pos, which test_histogram tries and no proof reads.
    "algo/part_histogram_cpu.h": {"equal_widths", "leave_out_integers"},
    "core/buckets.c": {"make_width"},
    "algo/part_hybrid_few_sample.cuh": {"hybrid_differ"},  # which bits differ, not their order
    "algo/sort_radix.cu": {"queue_steps"},
    "core/api_sort.c": {"sort_by_digits", "choose_method"},
    "cuda/again.cu": {"usw_gpu_sort_again", "usw_gpu_pairs_again"},
    "cuda/merge_ring.cuh": {"usw_merge_ring_two"},
    "cuda/small.cu": {"sort_without_runs"},
}
BY_NAME = {"turn", "usw_keymap_is_identity"}  # what sees a constant under another name
WORD = re.compile(r"(?:\.|->)\s*(?:neg|pos|add)\b(?!\()|\b(?:neg|pos|add)\b\s*[,)&^=;]")
HEAD = re.compile(r"(?:FN\(\s*(\w+)\s*\)|\b(\w+))\s*\(")


def without_comments(text):
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.S)
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
    for path in sorted(q for room in ("core", "algo", "cuda") for q in (ROOT / room).iterdir()):
        if path.suffix not in (".c", ".h", ".cu", ".cuh"):
            continue
        name = f"{path.parent.name}/{path.name}"
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

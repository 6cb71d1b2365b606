#!/usr/bin/env python3
"""strings.py - argsort_strings and sort_strings on a GPU, of strings that are made up there.

    UPSWEEP_CUDA_PLUGIN=build/libupsweep_cuda.so python3 bench/strings.py build/libupsweep.so [N [KIND ...]]

letters: 8 to 23 random letters. words: of 50,000 different ones. paths, urls: as texts.py makes them, a directory of a
tree, a name and an ending; urls behind a host, hosts being popular or not. Offsets of 32 bits below 2^31 bytes. Before
anything is timed it is seen that neighbours are in order by their bytes; index and outputs are poisoned. Times are
medians in ms, by events around one call, beside those of argsort of as many random u64.
"""
# SPDX-License-Identifier: MIT
import random
import sys

import torch

from rows import Handle, events
from texts import tree, word

KINDS = ("letters", "words", "paths", "urls")


def table(strings):
    """Strings as one array of bytes and their offsets, on the GPU."""
    ends = [0]
    for s in strings:
        ends.append(ends[-1] + len(s))
    return (torch.frombuffer(bytearray("".join(strings).encode()), dtype=torch.uint8).cuda(),
            torch.tensor(ends, device="cuda"))


def joined(parts, n):
    """n strings, string i of it the concatenation of entry chosen[i] of each (table, chosen)."""
    lengths = [(t[1][1:] - t[1][:-1])[chosen] for t, chosen in parts]
    offsets = torch.zeros(n + 1, device="cuda", dtype=torch.int64)
    torch.cumsum(sum(lengths), 0, out=offsets[1:])
    out = torch.empty(int(offsets[-1]), device="cuda", dtype=torch.uint8)
    begin = offsets[:-1].clone()
    for (t, chosen), length in zip(parts, lengths):
        ends = torch.cumsum(length, 0)
        inside = torch.arange(int(ends[-1]), device="cuda") - torch.repeat_interleave(ends - length, length)
        come_from = torch.repeat_interleave(t[1][chosen], length) + inside
        out[torch.repeat_interleave(begin, length) + inside] = t[0][come_from]
        begin += length
    return out, offsets


def make(kind, n):
    r = random.Random(n)
    torch.manual_seed(n)

    def pick(count, power=1):
        return (torch.rand(n, device="cuda", dtype=torch.float64) ** power * count).long()
    if kind == "letters":
        length = torch.randint(8, 24, (n,), device="cuda")
        offsets = torch.zeros(n + 1, device="cuda", dtype=torch.int64)
        torch.cumsum(length, 0, out=offsets[1:])
        return torch.randint(97, 123, (int(offsets[-1]),), device="cuda", dtype=torch.uint8), offsets
    if kind == "words":
        known = sorted({word(r, 2, 6) + str(r.randrange(1000)) for _ in range(50000)})
        return joined([(table(known), pick(len(known)))], n)
    dirs = table([d + "/" for d in tree(r, max(100, n // 40))])
    names = table([word(r, 1, 4) for _ in range(max(50, n // 100))])
    ends = table([".c", ".h", ".o", ".so", ".html", ".py", ".txt", ".png", ".gz", ""])
    parts = [(dirs, pick(len(dirs[1]) - 1)), (names, pick(len(names[1]) - 1)), (ends, pick(10))]
    if kind == "urls":
        hosts = table(["https://www." + word(r, 2, 4) + r.choice([".com", ".org", ".net"])
                       for _ in range(max(20, n // 20000))])
        parts.insert(0, (hosts, pick(len(hosts[1]) - 1, 3)))
    return joined(parts, n)


def in_order(data, offsets, index):
    """Whether index is a permutation by which neighbours do not fall, and equal ones keep their places."""
    n = len(index)
    if not torch.equal(torch.sort(index)[0], torch.arange(n, device="cuda", dtype=index.dtype)):
        return False
    index = index.long()
    a, b = index[:-1], index[1:]
    begins, ends, at = offsets[:-1].long(), offsets[1:].long(), 0
    while len(a):
        place_a, place_b = begins[a] + at, begins[b] + at
        none_a, none_b = place_a >= ends[a], place_b >= ends[b]
        x = torch.where(none_a, -1, data[place_a.clamp(max=len(data) - 1)].int())
        y = torch.where(none_b, -1, data[place_b.clamp(max=len(data) - 1)].int())
        if bool((x > y).any()) or bool((none_a & none_b & (a > b)).any()):
            return False
        undecided = (x == y) & ~none_a
        a, b, at = a[undecided], b[undecided], at + 1
    return True


def gathered(data, offsets, index, out, out_offsets):
    """Whether out has the strings in the order of index."""
    length = (offsets[1:] - offsets[:-1]).long()[index.long()]
    want = torch.cumsum(length, 0)
    if int(out_offsets[0]) != 0 or not torch.equal(want, out_offsets[1:].long()):
        return False
    shift = torch.repeat_interleave(offsets[:-1].long()[index.long()] - (want - length), length)
    shift += torch.arange(len(out), device="cuda")
    return torch.equal(data[shift], out)


def measure(handle, kind, n):
    data, offsets = make(kind, n)
    bits = 32 if len(data) < 1 << 32 else 64
    offsets = offsets.to(torch.int32 if bits == 32 and len(data) < 1 << 31 else torch.int64)
    bits = 8 * offsets.itemsize
    index = torch.full((n,), -7, device="cuda", dtype=torch.int32)
    out, out_offsets = torch.full_like(data, 7), torch.full_like(offsets, -7)

    def argsort(_):
        handle("argsort_strings", data, offsets, bits, n, index, 32, None)

    def sort(_):
        handle("sort_strings", data, offsets, bits, n, out, out_offsets, None)
    argsort(0)
    right = in_order(data, offsets, index)
    sort(0)
    right = right and gathered(data, offsets, index, out, out_offsets)
    keys = torch.randint(-2**63, 2**63 - 1, (n,), device="cuda")
    numbers = events(lambda x: handle("argsort", x, n, 4, index, 32, None), [keys], 10) / 1e3
    print(f"{kind:8} {n:>10} {len(data) / 1e6:9.1f} MB {events(argsort, [0], 10) / 1e3:9.3f} "
          f"{events(sort, [0], 10) / 1e3:9.3f} {numbers:9.3f} {'' if right else 'WRONG'}", flush=True)


def main():
    handle = Handle(sys.argv[1])
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 24
    print(f"{'':8} {'strings':>10} {'bytes':>12} {'argsort':>9} {'sort':>9} {'argsort u64':>11}")
    for kind in sys.argv[3:] or KINDS:
        measure(handle, kind, n)


if __name__ == "__main__":
    main()

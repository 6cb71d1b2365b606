#!/usr/bin/env python3
"""rows.py - top_k, top_k of rows, folds of rows and positions by bucket on a GPU beside torch, in one process.

    UPSWEEP_CUDA_PLUGIN=build/libupsweep_cuda.so python3 bench/rows.py build/libupsweep.so [one|rows|folds|split ...]

Arrays are random, rotate where they are small, and lie in device memory; outputs are poisoned and each outcome is
compared with a stable sort by torch before anything is timed. Times are medians in us: by events around one call, and
of ten calls in a CUDA graph. Where flashinfer can be imported, its top_k of rows is timed, too: as it finds them, and
sorted.
"""
# SPDX-License-Identifier: MIT
import ctypes
import statistics
import sys

import torch

try:
    import flashinfer
except ImportError:
    flashinfer = None

TYPES = {torch.float16: 9, torch.bfloat16: 10, torch.float32: 11, torch.float64: 12}
U32, SUM, LARGEST = 3, 0x101, 1 << 6
SAME_BITS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("algorithm", ctypes.c_char_p), ("flags", ctypes.c_uint),
                ("bit_begin", ctypes.c_uint), ("bit_end", ctypes.c_uint)]


class Handle:
    """upsweep on the GPU that torch uses, on torch's current stream."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.upsweep_error.restype = ctypes.c_char_p
        self.u = ctypes.c_void_p()
        self.largest = ctypes.byref(Options(ctypes.sizeof(Options), None, LARGEST, 0, 0))
        if self.lib.upsweep_open(ctypes.byref(self.u), b"cuda", None) != 0:
            sys.exit("upsweep cannot open the GPU")
        self.stream()

    def stream(self):
        self("set_stream", ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))

    def __call__(self, name, *arguments):
        wide = [ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor)
                else ctypes.c_size_t(a) if isinstance(a, int) else a for a in arguments]
        if getattr(self.lib, "upsweep_" + name)(self.u, *wide) != 0:
            sys.exit(f"upsweep_{name}: {self.lib.upsweep_error(self.u).decode()}")


def events(run, inputs, count=40):
    for x in inputs[:2]:
        run(x)
    marks = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
    for i, (begin, end) in enumerate(marks):
        begin.record()
        run(inputs[i % len(inputs)])
        end.record()
    torch.cuda.synchronize()
    return 1e3 * statistics.median(begin.elapsed_time(end) for begin, end in marks)


def in_graph(handle, run, inputs):
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        handle.stream()
        for x in inputs[:2]:
            run(x)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=side):
            handle.stream()
            for i in range(10):
                run(inputs[i % len(inputs)])
    handle.stream()
    return events(lambda _: graph.replay(), [0]) / 10


def say(what, ours, graph, rival, right, others=()):
    more = "".join(f" {other:9.1f}" for other in others)
    print(f"{what:60} {ours:9.1f} {graph:9.1f} {rival:9.1f} {rival / ours:6.2f}{more} {'' if right else 'WRONG'}",
          flush=True)


def keys_of(shape, kind, dtype):
    x = torch.rand(shape, device="cuda") if kind == "uniform" else torch.randn(shape, device="cuda")
    x = (3 * x).round() if kind == "ties" else x.sort(-1)[0] if kind == "sorted" else x
    return x.to(dtype)


def best(handle, rows, n, k, kind="normal", dtype=torch.float32):
    sets = 1 if rows * n >= 1 << 27 else 4
    inputs = [keys_of((rows, n), kind, dtype) for _ in range(sets)]
    out = torch.full((rows, k), 7, device="cuda", dtype=dtype)
    index = torch.full((rows, k), -7, device="cuda", dtype=torch.int64 if rows == 1 else torch.int32)

    def run(x):
        if rows == 1:
            handle("top_k", x, n, k, TYPES[dtype], out, index, handle.largest)
        else:
            handle("top_k_rows", x, rows * n, TYPES[dtype], None, rows, k, out, index, 32, handle.largest)
    run(inputs[0])
    some = min(rows, max(1, (1 << 28) // n // 8))
    value, place = torch.sort(inputs[0][:some], dim=-1, descending=True, stable=True)
    bits = SAME_BITS[dtype.itemsize]
    right = (torch.equal(value[:, :k].contiguous().view(bits), out[:some].view(bits))
             and torch.equal(place[:, :k], index[:some].long()))
    del value, place
    others = [events(lambda x: flashinfer.top_k(x, k, sorted=order), inputs, 20) for order in (False, True)
              if flashinfer and rows > 1 and dtype != torch.float64]
    say(f"top_k {rows} x {n}, k {k}, {kind}, {str(dtype)[6:]}", events(run, inputs), in_graph(handle, run, inputs),
        events(lambda x: torch.topk(x, k, dim=-1), inputs, 5), right, others)


def positions(handle, n, count, multiple):
    inputs = [torch.randint(0, count, (n,), device="cuda", dtype=torch.int32) for _ in range(8)]
    room = n + min(n, count) * (multiple - 1)
    index = torch.full((room,), -7, device="cuda", dtype=torch.int32)
    offsets = torch.full((count + 1,), -7, device="cuda", dtype=torch.int64)

    def run(x):
        handle("split_ids_index", x, U32, count, n, multiple, index, 32, room, offsets, None, None)
    run(inputs[0])
    ids, order = torch.sort(inputs[0].long(), stable=True)
    held = torch.bincount(ids, minlength=count)
    begin = torch.zeros(count + 1, device="cuda", dtype=torch.int64)
    begin[1:] = ((held + multiple - 1) // multiple * multiple).cumsum(0)
    want = torch.full((room,), n, device="cuda", dtype=torch.int64)
    want[begin[ids] + torch.arange(n, device="cuda") - (held.cumsum(0) - held)[ids]] = order
    right = torch.equal(want, index.long()) and torch.equal(begin, offsets)
    say(f"split_ids_index {n} ids, {count} buckets, multiple {multiple}; torch.sort", events(run, inputs),
        in_graph(handle, run, inputs), events(lambda x: torch.sort(x, stable=True), inputs), right)


def folds(handle, rows, n):
    inputs = [torch.randn(rows, n, device="cuda") for _ in range(1 if rows * n >= 1 << 27 else 4)]
    sums = torch.full((rows,), -7, device="cuda", dtype=torch.float64)
    place = torch.full((rows,), -7, device="cuda", dtype=torch.int64)
    out = torch.full((rows, n), -7.0, device="cuda")
    x, f32 = inputs[0], TYPES[torch.float32]
    calls = [("sum", lambda x: handle("reduce_rows", x, rows * n, f32, None, rows, SUM, sums, None),
              lambda x: x.sum(-1), lambda: torch.allclose(sums, x.double().sum(-1))),
             ("argmax", lambda x: handle("argmax_rows", x, rows * n, f32, None, rows, place, 64, None),
              lambda x: x.argmax(-1), lambda: torch.equal(place, x.argmax(-1))),
             ("scan", lambda x: handle("scan_rows", x, out, rows * n, f32, None, rows, SUM, None),
              lambda x: x.cumsum(-1),
              lambda: torch.allclose(out, x.double().cumsum(-1).float(), rtol=1e-4, atol=1e-3))]
    for name, run, rival, right in calls:
        run(x)
        same = right()
        say(f"{name} of {rows} rows of {n} f32", events(run, inputs), in_graph(handle, run, inputs),
            events(rival, inputs, 10), same)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    handle, what = Handle(sys.argv[1]), sys.argv[2:] or ["one", "rows", "folds", "split"]
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; us: ours, in a graph, torch, torch / ours"
          f"{', FlashInfer, FlashInfer sorted' if flashinfer else ''}")
    if "one" in what:
        for n, k in ((1 << 28, 1000), (1 << 28, 65536), (1 << 24, 1000), (1 << 20, 1000), (1 << 16, 100)):
            best(handle, 1, n, k, "uniform")
        best(handle, 1, 1 << 26, 1000, "sorted")
        best(handle, 1, 1 << 26, 1000, "ties")
        best(handle, 1, 1 << 27, 1000, "uniform", torch.float64)
    if "rows" in what:
        for rows, n, k in ((64, 128256, 50), (2048, 131072, 1024), (65536, 1024, 8), (64, 8192, 512), (4096, 1024, 32),
                           (256, 262144, 256), (128, 131072, 2048), (1024, 1024, 1024), (64, 20000, 5000)):
            best(handle, rows, n, k)
        best(handle, 65536, 1024, 8, "ties")
        best(handle, 65536, 1024, 8, dtype=torch.bfloat16)
    if "folds" in what:
        for rows, n in ((64, 128256), (65536, 1024), (1 << 20, 64), (2048, 131072), (1 << 22, 8), (100000, 1000),
                        (300000, 333), (8, 1 << 24), (1, 1 << 28)):
            folds(handle, rows, n)
    if "split" in what:
        for n, count, multiple in ((65536, 511, 1), (65536, 256, 64), (8192, 256, 16), (1024, 64, 16),
                                   (1 << 20, 512, 1)):
            positions(handle, n, count, multiple)


if __name__ == "__main__":
    main()

"""The way of tensors on a GPU, without a GPU: fake_torch.py and fake_cupy.py over the emulator of GPUs. Results are
compared with numpy's; on a GPU gpu_torch.py and gpu_cupy.py do the same with the real libraries."""
# SPDX-License-Identifier: MIT
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PLUGIN = os.path.join(os.environ.get("UPSWEEP_BUILD", ""), "test", "libupsweep_cuda_emulated.so")

PROGRAM = """
import numpy as np
from fake_torch import Tensor
import upsweep

rng = np.random.default_rng(7)


def same(got, wanted):
    assert type(got) is Tensor and got.a.dtype == wanted.dtype, (got, wanted)
    assert np.array_equal(got.a, wanted, equal_nan=wanted.dtype.kind == "f"), (got.a, wanted)


for dtype in ("f4", "i8", "f2", "u1"):
    for n in (0, 1, 2, 1000, 5000):
        a = rng.integers(0, 100, n).astype(dtype)
        before, x = a.copy(), Tensor(a)
        order = np.argsort(a, kind="stable")
        same(upsweep.sort(x), a[order])
        same(upsweep.argsort(x), order)
        values, index = upsweep.sort(x, return_index=True)
        same(values, a[order])
        same(index, order)
        out = Tensor(np.zeros(n, dtype))
        assert upsweep.sort(x, out=out) is out
        same(out, a[order])
        down, places = upsweep.sort(x, descending=True, return_index=True)
        same(down, a[order][::-1])
        assert np.array_equal(a[places.a], down.a)
        keys, moved = upsweep.sort_pairs(x, Tensor(np.arange(n)))
        same(keys, a[order])
        same(moved, order)
        keys, moved = upsweep.sort_pairs(x, Tensor((a < 50).astype("?")), descending=True)
        same(keys, down.a)
        same(moved, (a < 50)[places.a])
        assert np.array_equal(a, before)
        assert upsweep.sort(x, out=x) is x
        same(x, before[order])
        x = Tensor(before)
        if dtype in ("f4", "i8"):
            same(upsweep.cumsum(x), np.cumsum(before))
            assert upsweep.cumsum(x, out=out) is out
            same(out, np.cumsum(before))
            if n:
                assert upsweep.sum(x) == before.sum()
part = Tensor(np.arange(100.0, dtype="f4"))
over = Tensor(part.a[:50])
assert upsweep.sort(Tensor(part.a[25:75]), descending=True, out=over) is over  # they overlap
same(over, np.arange(74.0, 24.0, -1, dtype="f4"))
grid = rng.integers(0, 9, (30, 40)).astype("i4")
for axis in (0, 1, -1, None):
    same(upsweep.sort(Tensor(grid), axis=axis), np.sort(grid, axis=axis))
    values, index = upsweep.sort(Tensor(grid), axis=axis, return_index=True)
    same(index, np.argsort(grid, axis=axis, kind="stable"))
    same(upsweep.argsort(Tensor(grid), axis=axis), index.a)
same(upsweep.cumsum(Tensor(grid.astype("i8")), axis=1), np.cumsum(grid, 1, dtype="i8"))
for dtype in ("i4", "f4", "u1", "?"):
    some = (grid - 3).astype(dtype)
    for axis in (0, 1):
        same(upsweep.sum(Tensor(some), axis=axis), some.sum(axis, dtype=None if dtype == "f4" else "i8"))
        same(upsweep.max(Tensor(some), axis=axis, keepdims=True), some.max(axis, keepdims=True))
    same(upsweep.max(Tensor(some), keepdims=True), some.max(keepdims=True))
same(upsweep.sum(Tensor(np.array(3)), keepdims=True), np.array(3))
for dtype in ("f2", "f4", "f8", "i1", "u2", "i4", "u8", "?"):  # as the same arrays of numpy, but for signed sums
    for shape in ((7,), (3, 1000), (2, 3, 4), (5000, 2)):
        some = rng.integers(-3, 4, shape).astype(dtype)
        for call in (upsweep.sum, upsweep.prod, upsweep.min, upsweep.max):
            signed = call in (upsweep.sum, upsweep.prod) and dtype in ("i1", "u2", "i4", "?")
            for axis in range(-len(shape), len(shape)):
                for keep in (False, True):
                    wanted = call(some, axis=axis, keepdims=keep)
                    same(call(Tensor(some), axis=axis, keepdims=keep), wanted.astype("i8") if signed else wanted)
            got, wanted = call(Tensor(some)), call(some)
            wanted = wanted.astype("i8") if signed else wanted
            assert got == wanted and type(got) is type(wanted), (dtype, shape, got, wanted)
tie = np.array([[4096.0, 1.0], [2.0, 1.0], [2.0**-24, 1.0]], "f2")  # beyond the middle of two f16 by what f32 lacks
nothing = np.array([[np.nan, -np.nan]] * 3, "f2")
for dtype, bits, nan in (("f2", "u2", 0x7e00), ("f4", "u4", 0x7fc00000), ("f8", "u8", 0x7ff8 << 48)):
    total = upsweep.sum(Tensor(tie[:, 0].astype(dtype)))
    summed = upsweep.sum(Tensor(tie.astype(dtype)), axis=0).a
    assert summed[0] == total == {"f2": 4100, "f4": 4098, "f8": 4098 + 2.0**-24}[dtype], (summed, total)
    lost = nothing.astype(dtype)
    assert (upsweep.sum(Tensor(lost), axis=0).a.view(bits) == nan).all()
    assert (upsweep.prod(Tensor(lost), axis=1).a.view(bits) == nan).all()
    assert upsweep.sum(Tensor(lost)).view(bits) == nan
same(upsweep.sum(Tensor(grid.astype("f4").T), axis=0), grid.astype("f4").sum(1))  # not in one piece
same(upsweep.sum(Tensor(grid[:0]), axis=0), np.zeros(40, "i8"))
for call in (upsweep.min, upsweep.max):
    for axis in (None, 0):
        try:
            call(Tensor(grid[:0]), axis=axis)
        except ValueError:
            continue
        raise AssertionError("no ValueError")
best, where = upsweep.top_k(Tensor(grid), 3)
same(best, np.sort(grid)[:, ::-1][:, :3])
counts = upsweep.bincount(Tensor(grid.reshape(-1).astype("u1")), minlength=256)
same(counts, np.bincount(grid.reshape(-1), minlength=256))
counts, edges = upsweep.histogram(Tensor(grid.astype("f4")), 5)
same(counts, np.histogram(grid.astype("f4"), 5)[0])
for dtype in ("i4", "f4", "u1", "f8"):
    line = np.sort(grid.reshape(-1).astype(dtype))
    for side in ("left", "right"):
        same(upsweep.searchsorted(Tensor(line), Tensor(grid.astype(dtype)), side=side),
             np.searchsorted(line, grid.astype(dtype), side))
for wrong in (lambda: upsweep.searchsorted(Tensor(line), line),
              lambda: upsweep.searchsorted(Tensor(line), Tensor(grid)),
              lambda: upsweep.searchsorted(Tensor(line), Tensor(line), sorter=line)):
    try:
        wrong()
    except TypeError:
        continue
    raise AssertionError("no TypeError")
for wrong in (lambda: upsweep.sort(Tensor(grid), out=Tensor(grid[:1].copy())),
              lambda: upsweep.sort(Tensor(grid), axis=2)):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError("no ValueError")
counts, edges = upsweep.histogram(Tensor(grid.astype("u1") // 9 + 254), 5)  # one value, no key above it
same(counts, np.histogram(grid.astype("u1") // 9 + 254, 5)[0])
for bins in ([-300, -1.5, 3, 300], [0.2, 0.5, 0.7], [500, 600], [-9, -8]):
    same(upsweep.histogram(Tensor(grid.astype("i1")), bins)[0], np.histogram(grid, bins)[0])
line = grid.reshape(-1)
for dtype, wide in (("i4", "i8"), ("u1", "i8"), ("?", "i8"), ("u8", "u8"), ("f4", "f4")):  # as torch has it
    some = (line * 29).astype(dtype)
    same(upsweep.cumsum(Tensor(some)), np.cumsum(some).astype(wide))
    same(upsweep.cumprod(Tensor(some)), np.cumprod(some.astype(wide)))
    wanted = upsweep.scan(some, "sum", heads=line == 0).astype(wide)
    same(upsweep.scan(Tensor(some), "sum", heads=Tensor(line == 0)), wanted)
    same(upsweep.cummax(Tensor(some)), np.maximum.accumulate(some))
    total = upsweep.sum(Tensor(some))
    assert total == upsweep.sum(some) and total.dtype == wide, (total, total.dtype)
floats = np.array([0.0, np.nan, -0.0, 1.5, np.nan, -np.inf, 1.5], "f4")
for a in (grid, grid[:0], line[:1], floats, line > 4, line.astype("u1")):
    for nan in (True, False):
        same(upsweep.unique(Tensor(a), equal_nan=nan), np.unique(a, equal_nan=nan))
        every = upsweep.unique(Tensor(a), return_index=True, return_inverse=True, return_counts=True, equal_nan=nan)
        wanted = np.unique(a, return_index=True, return_inverse=True, return_counts=True, equal_nan=nan)
        for got, want in zip(every, wanted):
            same(got, want.reshape(got.shape))
        assert tuple(every[2].shape) == a.shape
        for some in ({"return_counts": True}, {"return_inverse": True}, {"return_index": True, "return_inverse": True}):
            for got, want in zip(upsweep.unique(Tensor(a), equal_nan=nan, **some),
                                 np.unique(a, equal_nan=nan, **some)):
                same(got, want.reshape(got.shape))
from upsweep import _selecting
for limit in (0, 1 << 22):  # the inverse by the order of a sort, by searches
    _selecting.INVERSE_SEARCHED = limit
    for dtype in ("f4", "f8", "i8", "u1", "f2"):
        a = rng.integers(0, 1000, 5000).astype(dtype) - 50
        if dtype[0] == "f":
            a[::7] *= -1
            a[3::50] = np.nan
            a[4::50] = np.copysign(np.nan, -1)
        for got, want in zip(upsweep.unique(Tensor(a), return_index=True, return_inverse=True, return_counts=True),
                             np.unique(a, return_index=True, return_inverse=True, return_counts=True)):
            same(got, want)
        same(upsweep.unique(Tensor(a[::3])), np.unique(a[::3]))
for a in (part.a, line, line > 4, floats, floats[::2], line[:0], line[:1]):
    same(upsweep.reverse(Tensor(a)), a[::-1])
    out = Tensor(np.zeros(a.shape, a.dtype))
    assert upsweep.reverse(Tensor(a), out=out) is out
    same(out, a[::-1])
    where = np.arange(a.size)[::2]
    for kind in ("i4", "i8"):
        same(upsweep.take(Tensor(a), Tensor(where.astype(kind))), a[where])
    same(upsweep.take(Tensor(a), Tensor(where.reshape(1, -1))), a[where.reshape(1, -1)])
    for bits in (a == a[:1].sum(), np.ones(a.size, bool), np.zeros(a.size, "u1")):
        same(upsweep.compress(Tensor(bits), Tensor(a)), a[bits != 0])
    for descending in (False, True):
        assert upsweep.is_sorted(Tensor(a), descending=descending) is upsweep.is_sorted(a, descending=descending)
    for call in (upsweep.argmin, upsweep.argmax, upsweep.minmax):
        if a.size:
            assert call(Tensor(a)) == call(a)
        else:
            try:
                call(Tensor(a))
            except ValueError:
                continue
            raise AssertionError("no ValueError")
same(upsweep.take(Tensor(grid), Tensor(np.array([2, 0]))), grid.reshape(-1)[[2, 0]])
same(upsweep.take(Tensor(grid), Tensor(np.array([2, 0])), axis=0), grid[[2, 0]])
assert upsweep.argmax(Tensor(grid)) == grid.argmax() and upsweep.is_sorted(Tensor(np.sort(line)))
again = Tensor(line.copy())
assert upsweep.reverse(again, out=again) is again
same(again, line[::-1])
for wrong in (lambda: upsweep.reverse(Tensor(grid)), lambda: upsweep.is_sorted(Tensor(grid)),
              lambda: upsweep.compress(Tensor(line > 4), Tensor(line[1:]))):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError("no ValueError")
for ids in (line.astype(dtype) for dtype in ("u1", "i2", "i4", "u4", "i8")):
    out, offsets = upsweep.split_by_id(Tensor(line * 7), Tensor(ids), 11)
    same(out, np.sort(line * 7))
    same(offsets, np.searchsorted(np.sort(line), np.arange(12)))
pairs, offsets = upsweep.split_by_id(Tensor(grid), Tensor(np.arange(30) % 3), 3)  # whole rows
same(pairs, grid[np.argsort(np.arange(30) % 3, kind="stable")])
same(upsweep.split_by_id(Tensor(line[:0]), Tensor(line[:0]), 2)[1], np.zeros(3, "i8"))
for ids in (line - 1, line + 3):
    try:
        upsweep.split_by_id(Tensor(line), Tensor(ids), 11)
    except IndexError:
        continue
    raise AssertionError("no IndexError")
upsweep.wait()
try:  # of memory that only looks like a device's it is found at once, else later
    upsweep.take(Tensor(np.arange(3)), Tensor(np.array([0, 7])))
    upsweep.wait()
    raise AssertionError("no IndexError")
except IndexError as error:
    assert "3" in str(error)
upsweep.trim()
upsweep.wait()
bits = Tensor(line > 4)
for call in (upsweep.min, upsweep.max, upsweep.bitwise_or, lambda x: upsweep.minmax(x)[0]):
    assert call(bits) == call(bits.a) and type(call(bits)) is np.bool_
same(upsweep.take(bits, Tensor(np.array([3, 1]))), bits.a[[3, 1]])
same(upsweep.merge(upsweep.sort(bits), upsweep.sort(bits)), np.sort(np.concatenate([bits.a] * 2)))
same(upsweep.sort(bits), np.sort(bits.a))
row = Tensor(np.arange(5, dtype="i8")[::-1].copy().reshape(1, 5))  # one row of two dimensions
same(upsweep.sort(row), np.sort(row.a))
same(upsweep.argsort(row), np.argsort(row.a))
same(upsweep.sort(row, return_index=True)[1], np.argsort(row.a))
same(upsweep.cumsum(row), np.cumsum(row.a))
for step in (Tensor(part.a[::2]), Tensor(part.a[::-1])):  # not in one piece
    same(upsweep.sort(step), np.sort(step.a))
    same(upsweep.cumsum(step), np.cumsum(step.a))
for out in (Tensor(np.zeros(100, "f8")), Tensor(np.zeros((1, 100), "f4"))):  # another type, another shape
    try:
        upsweep.sort(part, out=out)
    except (TypeError, ValueError):
        continue
    raise AssertionError("no error")
from fake_torch import asked
if asked["views"]:
    before = dict(asked)
    same(upsweep.sort(part), np.sort(part.a))
    assert asked["views"] == before["views"] + 2 and asked["streams"] == before["streams"] + 1, asked
    def steps(views, call):  # asked once for each tensor, and once for the stream of each call of C
        before = dict(asked)
        call()
        assert asked["views"] == before["views"] + views and asked["streams"] == before["streams"] + 1, (views, asked)
    rising, where = upsweep.sort(part), Tensor(np.arange(9))
    steps(2, lambda: upsweep.unique(part))
    steps(2, lambda: upsweep.reverse(part))
    steps(5, lambda: upsweep.sort_pairs(part, rising))
    steps(3, lambda: upsweep.take(part, where))
    steps(3, lambda: upsweep.compress(Tensor(part.a > 4), part))
    steps(3, lambda: upsweep.searchsorted(rising, part))
    for call in (upsweep.is_sorted, upsweep.argmin, upsweep.argmax, upsweep.minmax):
        steps(1, lambda: call(part))
    steps(2, lambda: upsweep.sum(part, axis=0))
    steps(2, lambda: upsweep.max(part, axis=-1, keepdims=True))
    for call in (upsweep.sum, upsweep.prod, upsweep.min):
        steps(1, lambda: call(part))
    part.refuses = True
    same(upsweep.sort(part), np.sort(part.a))  # by its attributes
    same(upsweep.sum(part, axis=0, keepdims=True), part.a.sum(0, keepdims=True))
    assert upsweep.sum(part) == part.a.sum()
strange = Tensor(np.zeros(3, "f4"))
strange.requires_grad = True
for call in (upsweep.sort, upsweep.argsort, upsweep.cumsum, upsweep.sum, upsweep.max, lambda x: upsweep.sum(x, axis=0)):
    try:
        call(strange)
    except TypeError:
        continue
    raise AssertionError("no TypeError")
def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"no {kind}: {words}")


five, order = Tensor(np.arange(5)), Tensor(np.array([4, 2, 0, 1, 3]))
in_strides = Tensor(np.arange(10)[::2])
refuses(ValueError, "contiguous", lambda: upsweep.put(in_strides, Tensor(np.array([0, 2])), Tensor(np.array([8, 9]))))
refuses(ValueError, "contiguous", lambda: upsweep.sort_pairs(in_strides, Tensor(np.arange(5)), in_place=True))
assert np.array_equal(in_strides.a, np.arange(0, 10, 2))
refuses(ValueError, "dtype", lambda: upsweep.put(five, order, Tensor(np.arange(5, dtype="i4"))))
refuses(TypeError, "32 or 64 bits", lambda: upsweep.permute(five, Tensor(np.zeros(5, "f4"))))
refuses(TypeError, "differ in dtype", lambda: upsweep.merge(Tensor(np.ones(2, "?")), Tensor(np.ones(2, "u1"))))
for other in ([4, 2, 0, 1, 3], order.a):
    for call in (lambda: upsweep.take(five, other), lambda: upsweep.permute(five, other),
                 lambda: upsweep.put(five, other, five), lambda: upsweep.put(five, order, other),
                 lambda: upsweep.sort_pairs(five, other), lambda: upsweep.compress(other, five),
                 lambda: upsweep.split(five, other), lambda: upsweep.scan(five, heads=other),
                 lambda: upsweep.scan(five, keys=other)):
        refuses(TypeError, "of the same library", call)
itself = Tensor(order.a.copy())
upsweep.put(itself, itself, five)
same(itself, np.argsort(order.a))
for role in ("heads", "keys"):
    x, flags = Tensor(np.ones(5000, "u1")), (rng.integers(0, 5, 5000) == 0).astype("u1")
    itself = Tensor(flags.copy())
    assert upsweep.scan(x, "max", out=itself, exclusive=True, **{role: itself}) is itself
    same(itself, upsweep.scan(x, "max", exclusive=True, **{role: Tensor(flags)}).a)
for op in ("and", "min"):
    same(upsweep.scan(Tensor(np.array([True, False])), op, exclusive=True), np.array([True, True]))
    assert upsweep.scan(Tensor(np.array([True, False])), op, exclusive=True).a.view("u1").max() == 1
print("fine", asked["views"] > 0)
"""


@pytest.mark.skipif(not os.path.exists(PLUGIN), reason="the emulator of GPUs is not built")
def test_arrays_of_cupy():
    """What is tested on a GPU with cupy's own arrays."""
    environment = dict(os.environ, UPSWEEP_CUDA_PLUGIN=PLUGIN, PYTHONPATH=HERE, FUZZ_SECONDS="4")
    tests = [os.path.join(HERE, "gpu_cupy.py"), os.path.join(HERE, "gpu_fuzz.py::test_beside_numpy[Cupy]")]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fake_cupy", *tests],
                          env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout


@pytest.mark.skipif(not os.path.exists(PLUGIN), reason="the emulator of GPUs is not built")
@pytest.mark.parametrize("exchange", ["", "1"], ids=["attributes", "exchange"])
def test_tensors(exchange):
    environment = dict(os.environ, UPSWEEP_CUDA_PLUGIN=PLUGIN, FAKE_EXCHANGE=exchange, PYTHONPATH=os.pathsep.join(
        [HERE, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == f"fine {exchange == '1'}\n", done.stderr

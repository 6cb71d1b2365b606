"""Selection, unique elements and searches beside numpy: all dtypes, shapes, strides, axes."""
# SPDX-License-Identifier: MIT
import os
import subprocess
import sys

import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import DTYPES, INTS, arrays, axes, falling, long_vectors, ordered, same


@given(st.data())
def test_partition(data):
    a = data.draw(arrays(dims=(1, 3)))
    axis = data.draw(axes(a))
    length = a.size if axis is None else a.shape[axis]
    if length == 0:
        same(upsweep.partition(a, 0, axis=axis), np.partition(a, 0, axis=axis))
        return
    kth = data.draw(st.lists(st.integers(-length, length - 1), min_size=1, max_size=3))
    got = upsweep.partition(a, kth if len(kth) > 1 else kth[0], axis=axis)
    wanted = ordered(a, axis=axis)
    assert got.shape == wanted.shape and got.dtype == a.dtype
    place = np.take(got, kth, axis=0 if axis is None else axis)
    same(place, np.take(wanted, kth, axis=0 if axis is None else axis))
    same(ordered(got, axis=-1 if axis is None else axis), wanted)
    for k in (kth, kth[0]):
        index = upsweep.argpartition(a, k, axis=axis)
        picked = np.take_along_axis(a.ravel() if axis is None else a, index, 0 if axis is None else axis)
        same(np.take(picked, k, axis=0 if axis is None else axis),
             np.take(wanted, k, axis=0 if axis is None else axis))


PARTED = """
import numpy as np
import upsweep
random = np.random.default_rng(7)
for dtype in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split():
    for n in [*range(1, 40), 1000, 4099]:
        for values in (3, 120):
            a = random.integers(-values if dtype[0] != "u" else 0, values, n).astype(dtype)
            a[random.random(n) < 0.2] = np.nan if dtype[0] == "f" and values == 3 else 1
            k = int(random.integers(0, n))
            for descending in (False, True):
                index = upsweep.argpartition(a, k, descending=descending)
                assert np.array_equal(np.sort(index), np.arange(n))
                wanted = upsweep.argsort(a, descending=descending)
                for part in (slice(0, k), slice(k, k + 1), slice(k, n)):
                    # numpy's default sort of f16 errs with AVX-512.
                    picked, right = (np.sort(a[at[part]], kind="stable") for at in (index, wanted))
                    assert np.array_equal(picked, right, equal_nan=dtype[0] == "f")
"""


def test_argpartition_by_all_instructions():
    """Keys of 32 and 64 bits go eight or four at a time where the processor can, unless UPSWEEP_ISA says less."""
    for isa in ("", "avx2", "portable"):
        env = {name: value for name, value in os.environ.items() if name != "UPSWEEP_ISA"}
        subprocess.run([sys.executable, "-c", PARTED], env=env | ({"UPSWEEP_ISA": isa} if isa else {}), check=True)


@given(long_vectors(), st.integers(0, 2**30))
def test_partition_long(a, k):
    if a.size == 0:
        return
    k %= a.size
    got, wanted = upsweep.partition(a, k), ordered(a)
    same(got[k], wanted[k])
    same(ordered(got[:k]), wanted[:k])
    same(ordered(got[k:]), wanted[k:])
    index = upsweep.argpartition(a, k)
    same(ordered(index), np.arange(a.size))
    same(ordered(a[index[:k]]), wanted[:k])
    same(a[index[k]], wanted[k])


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 7), (4, 256), (3, 257), (2, 5000), (2, 2, 300)])
@pytest.mark.parametrize("descending", [False, True])
def test_partition_of_rows(dtype, shape, descending):
    rng = np.random.default_rng(6)
    a = (rng.standard_normal(shape) * 3).astype(dtype)
    if dtype[0] == "f":
        a[rng.random(shape) < 0.2] = np.nan
        a[rng.random(shape) < 0.1] = -0.0
    wanted = falling(a) if descending else ordered(a)
    length = shape[-1]
    for k in (0, length // 2, -1):
        got = upsweep.partition(a, k, descending=descending)
        index = upsweep.argpartition(a, k, descending=descending)
        same(np.sort(index), np.broadcast_to(np.arange(length), shape))
        picked, place = np.take_along_axis(a, index, -1), k % length
        for rows in (got, picked):
            same(rows[..., place], wanted[..., place])
            before = rows[..., :place]
            same(falling(before) if descending else ordered(before), wanted[..., :place])
    for k in (length, -length - 1):
        for call in (upsweep.partition, upsweep.argpartition):
            with pytest.raises(ValueError, match="out of bounds"):
                call(a, k, descending=descending)


@given(st.data(), st.booleans())
def test_top_k(data, largest):
    a = data.draw(arrays(dims=(1, 3), plain=True))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    k = data.draw(st.integers(0, a.shape[axis]))
    values, index = upsweep.top_k(a, k, axis=axis, largest=largest)
    order = upsweep.argsort(a, axis=axis, descending=largest)
    same(index, np.take(order, range(k), axis=axis))
    same(values, np.take_along_axis(a, index, axis))


def test_rows_longer_than_those_that_are_sorted_whole():
    a = np.random.default_rng(4).standard_normal((3, 20000)).astype("f4")
    values, index = upsweep.top_k(a, 5)
    same(values, falling(a)[:, :5])
    same(np.take_along_axis(a, index, 1), values)
    same(upsweep.partition(a, 777)[:, 777], ordered(a)[:, 777])


@given(arrays(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_unique(a, index, inverse, counts, equal_nan):
    if a.ndim == 0:
        a = a.reshape(1)
    wanted = np.unique(a, index, inverse, counts, equal_nan=equal_nan)
    got = upsweep.unique(a, return_index=index, return_inverse=inverse, return_counts=counts,
                         equal_nan=equal_nan)
    if not isinstance(wanted, tuple):
        wanted, got = (wanted,), (got,)
    assert len(got) == len(wanted)
    same(got[0], wanted[0])
    nan = a.dtype.kind == "f" and np.isnan(a).any() and not equal_nan
    for g, w in zip(got[1:], wanted[1:]):
        if not nan:  # which NaN is which numpy leaves to its sort
            same(np.reshape(g, -1), np.reshape(w, -1))


@given(long_vectors(INTS + ["f4", "f8"]))  # np.unique of f16 is made by the sort that is wrong
def test_unique_long(a):
    same(upsweep.unique(a), np.unique(a))
    for g, w in zip(upsweep.unique(a, return_index=True, return_inverse=True, return_counts=True),
                    np.unique(a, True, True, True)):
        same(g, w)


@given(arrays(dims=(1, 1), side=30))
def test_run_lengths(a):
    values, counts = upsweep.run_lengths(a)
    native = np.ascontiguousarray(a, a.dtype.newbyteorder("="))
    raw = native.view(f"u{a.dtype.itemsize}")
    heads = np.flatnonzero(np.append(True, raw[1:] != raw[:-1])) if a.size else np.empty(0, int)
    same(values, a[heads])
    same(counts, np.diff(np.append(heads, a.size)))


@given(st.data())
def test_searchsorted(data):
    dtype = data.draw(st.sampled_from(DTYPES))
    a = ordered(data.draw(arrays([dtype], dims=(1, 1), side=30)))
    v = data.draw(arrays([dtype], dims=(0, 2)))
    side = data.draw(st.sampled_from(["left", "right"]))
    same(upsweep.searchsorted(a, v, side=side), np.searchsorted(a, v, side))
    if v.size:  # so many that numpy does not search for them
        v = np.resize(v, (5, 120))
        same(upsweep.searchsorted(a, v, side=side), np.searchsorted(a, v, side))


@pytest.mark.parametrize("dtype", ["i8", "u8", "f8"])
@pytest.mark.parametrize("n", [499, 500, 511, 1000, 4099, 100000, 1 << 20, (1 << 20) + 1])
def test_unique_of_few(dtype, n):
    """Of keys of 64 bits with many repetitions the different ones are found first, and then sorted."""
    rng = np.random.default_rng(n)
    for values in (1, 2, 33, n // 10, n // 8, n // 7, n) if n < 1 << 20 else (33, n):
        a = (rng.integers(0, values, n) - (0 if dtype == "u8" else values // 2)).astype(dtype)
        if dtype == "f8":
            a = np.where(rng.random(n) < 0.1, np.float64("nan"), a / 3)
            a[rng.random(n) < 0.1] = -0.0
        for keys in (a, np.sort(a), np.concatenate([np.resize(a[:3], n // 2), a[n // 2:]])):
            same(upsweep.unique(keys), np.unique(keys))
        few = upsweep._core.few_distinct(a)
        if few is not None:
            same(np.unique(few), np.unique(a))
        if values in (2, 33, n):
            assert (few is not None) == (500 <= n <= 1 << 20 and values < n)


def test_unique_of_keys_that_meet():
    """Keys that are all wanted at one place of the table are sorted instead, after few steps."""
    inverse = pow(0x9e3779b97f4a7c15, -1, 1 << 64)
    keys = np.array([inverse * j % (1 << 64) for j in range(4000)], dtype="u8")
    a = np.random.default_rng(3).choice(keys, 100000)
    assert upsweep._core.few_distinct(a) is None
    same(upsweep.unique(a), np.unique(a))


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(0,), (1,), (2,), (1000,), (3, 50)])
def test_unique_with(dtype, shape):
    rng = np.random.default_rng(7)
    a = (rng.standard_normal(shape) * 5).astype(dtype)
    if dtype[0] == "f":
        a[rng.random(shape) < 0.2] = np.nan
        a[rng.random(shape) < 0.2] = 0.0
        a[rng.random(shape) < 0.2] = -0.0
    for given in (a, np.ascontiguousarray(a[::-1]), a[::-1]):
        for index, inverse, counts in np.ndindex(2, 2, 2):
            wanted = {"return_index": index, "return_inverse": inverse, "return_counts": counts}
            got, want = upsweep.unique(given, **wanted), np.unique(given, **wanted)
            if index + inverse + counts == 0:
                got, want = (got,), (want,)
            assert len(got) == len(want)
            for x, y in zip(got, want):
                assert x.dtype == y.dtype
                same(x, y)

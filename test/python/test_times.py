"""Minima, maxima, sums and scans of times, and reductions along several axes, beside numpy."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import upsweep

RANGE = st.one_of(st.integers(-3, 3), st.integers(-2**40, 2**40), st.just(-2**63))  # the last is NaT


def same(got, wanted):
    got, wanted = np.asarray(got), np.asarray(wanted)
    return got.dtype == wanted.dtype and got.shape == wanted.shape and \
        bool((got.view("i8") == wanted.view("i8")).all())


@given(hnp.arrays("i8", hnp.array_shapes(max_dims=3, max_side=5), elements=RANGE), st.data())
def test_beside_numpy(numbers, data):
    dtype = data.draw(st.sampled_from(["M8[s]", "m8[ns]", "m8[D]"]))
    axis = data.draw(st.sampled_from([None, *range(-numbers.ndim, numbers.ndim)]))
    keep = data.draw(st.booleans())
    x = numbers.view(dtype)
    assert same(upsweep.min(x, axis=axis, keepdims=keep), np.fmin.reduce(x, axis=axis, keepdims=keep))
    assert same(upsweep.max(x, axis=axis, keepdims=keep), np.fmax.reduce(x, axis=axis, keepdims=keep))
    flat, along = (x.reshape(-1), 0) if axis is None else (x, axis)
    assert same(upsweep.cummin(x, axis=axis), np.fmin.accumulate(flat, axis=along))
    assert same(upsweep.cummax(x, axis=axis), np.fmax.accumulate(flat, axis=along))
    least, greatest = upsweep.minmax(x)
    assert same(least, np.fmin.reduce(x, axis=None)) and same(greatest, np.fmax.reduce(x, axis=None))
    if not np.isnat(x).any():
        assert upsweep.argmin(x) == np.argmin(x) and upsweep.argmax(x) == np.argmax(x)
    if dtype[0] == "m":
        assert same(upsweep.sum(x, axis=axis, keepdims=keep), np.sum(x, axis=axis, keepdims=keep))
        assert same(upsweep.cumsum(x, axis=axis), np.cumsum(x, axis=axis))
    else:
        for call in (upsweep.sum, upsweep.cumsum):
            with pytest.raises(TypeError, match="datetime64"):
                call(x)


def test_times_of_other_kinds():
    t = np.array(["2020", "NaT", "2019"], "M8[s]")
    assert upsweep.min(t.astype(">M8[s]")) == upsweep.min(list(t)) == t[2]
    assert upsweep.argmin(t) == 2 and upsweep.argmax(t) == 0
    assert np.isnat(upsweep.max(t[1:2])) and upsweep.max(t[0]) == t[0]
    out = np.empty(3, "M8[s]")
    assert upsweep.cummax(t, out=out) is out and out[1] == t[0]
    assert isinstance(upsweep.min(t), np.datetime64) and isinstance(upsweep.sum(t - t[0]), np.timedelta64)
    assert upsweep.sum(np.array([], "m8[s]")) == np.timedelta64(0, "s")
    for call in (upsweep.min, upsweep.minmax, upsweep.argmin, upsweep.argmax):
        with pytest.raises(ValueError):
            call(t[:0])
    for call in (upsweep.prod, upsweep.bitwise_and, upsweep.cumprod, upsweep.histogram):
        with pytest.raises(TypeError):
            call(t - t[0])


@given(hnp.array_shapes(min_dims=0, max_dims=4, max_side=4), st.data())
def test_several_axes(shape, data):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = x.T if data.draw(st.booleans()) else x
    axes = tuple(data.draw(st.permutations(range(x.ndim)))[:data.draw(st.integers(0, x.ndim))])
    axes = tuple(a - x.ndim if data.draw(st.booleans()) else a for a in axes)
    keep = data.draw(st.booleans())
    for ours, theirs in ((upsweep.sum, np.sum), (upsweep.max, np.max), (upsweep.bitwise_xor, np.bitwise_xor.reduce)):
        got, wanted = ours(x, axis=axes, keepdims=keep), theirs(x, axis=axes, keepdims=keep)
        assert np.array_equal(got, wanted) and np.shape(got) == np.shape(wanted) and got.dtype == wanted.dtype
    if axes:
        with pytest.raises(ValueError, match="duplicate"):
            upsweep.sum(x, axis=axes + axes[:1])
    with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError):
        upsweep.sum(x, axis=(x.ndim,))


def test_the_axis_of_no_dimension():
    x = np.array(3, "i2")
    for axis in (0, -1):
        assert upsweep.sum(x, axis=axis) == upsweep.max(x, axis=axis) == 3
        assert np.shape(upsweep.sum(x, axis=axis, keepdims=True)) == np.shape(np.sum(x, axis=axis, keepdims=True))
    with pytest.raises(IndexError):
        upsweep.sum(x, axis=1)


def test_what_is_not_aligned():
    def apart(a):
        b = np.zeros(a.nbytes + 1, "u1")[1:].view(a.dtype).reshape(a.shape)
        b[...] = a
        return b
    x, at = np.arange(10) * 3, apart(np.array([[4, -1], [0, 9]]))
    assert upsweep.take(x, at).tolist() == [[12, 27], [0, 27]]
    assert upsweep.take(x.reshape(5, 2), apart(np.array([1])), axis=0).tolist() == [[6, 9]]
    upsweep.put(x, apart(np.array([0, 1])), apart(np.array([7, 8])))
    assert x[:2].tolist() == [7, 8]
    assert upsweep.sort(apart(np.array(["b", "a"]))).tolist() == ["a", "b"]
    assert upsweep.Graph.path(apart(np.array([2**32 - 1, 0], "u4")), 1).tolist() == [0, 1]

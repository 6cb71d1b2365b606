"""Reductions, scans and histograms beside numpy."""
# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import FLOATS, INTS, arrays, long_vectors, same


@given(arrays(), st.data())
def test_sums_of_integers(a, data):
    if a.dtype.kind not in "iu?b":
        return
    axis = data.draw(st.one_of(st.none(), st.integers(0, a.ndim - 1))) if a.ndim else None
    with np.errstate(over="ignore"):
        same(upsweep.sum(a, axis=axis), np.sum(a, axis=axis))
        same(upsweep.prod(a, axis=axis), np.prod(a, axis=axis))
        same(upsweep.cumsum(a, axis=axis), np.cumsum(a, axis=axis))
        same(upsweep.cumprod(a, axis=axis), np.cumprod(a, axis=axis))
        same(upsweep.sum(a, axis=axis, keepdims=True), np.sum(a, axis=axis, keepdims=True))


@given(arrays(), st.data())
def test_extremes(a, data):
    axis = data.draw(st.one_of(st.none(), st.integers(0, a.ndim - 1))) if a.ndim else None
    if a.size == 0:
        return
    same(upsweep.min(a, axis=axis), np.fmin.reduce(a, axis=axis))
    same(upsweep.max(a, axis=axis), np.fmax.reduce(a, axis=axis))
    least, greatest = upsweep.minmax(a)
    same(least, np.fmin.reduce(a, axis=None))
    same(greatest, np.fmax.reduce(a, axis=None))
    if not (a.dtype.kind == "f" and np.isnan(a).any()):
        b = a + a.dtype.type(0) if a.dtype.kind == "f" else a
        assert upsweep.argmin(b) == np.argmin(b) and upsweep.argmax(b) == np.argmax(b)
        if a.ndim:
            same(upsweep.argmin(b, axis), np.argmin(b, axis))
            same(upsweep.argmax(b, axis=axis), np.argmax(b, axis=axis))
    same(upsweep.cummin(a, axis=axis), np.fmin.accumulate(a.ravel() if axis is None else a,
                                                          axis=axis or 0))
    same(upsweep.cummax(a, axis=axis), np.fmax.accumulate(a.ravel() if axis is None else a,
                                                          axis=axis or 0))


@given(st.sampled_from(["f4", "f8"]), st.integers(0, 2**32), st.sampled_from([0, 1, 7, 1000, 70000]))
def test_sums_of_floats_are_near_the_exact_ones(dtype, seed, n):
    a = np.random.default_rng(seed).standard_normal(n).astype(dtype)
    exact = math.fsum(a.tolist())
    tiny = 1e-13 * float(np.abs(a).sum(dtype="f8")) + 1e-300
    assert abs(float(upsweep.sum(a, dtype="f8")) - exact) <= tiny
    got = upsweep.sum(a)
    assert got.dtype == a.dtype and abs(float(got) - exact) <= tiny + abs(exact) * 6e-8
    np.testing.assert_allclose(upsweep.cumsum(a), np.cumsum(a, dtype="f8").astype(dtype), rtol=1e-6,
                               atol=1e-9 * max(n, 1))


@pytest.mark.parametrize("dtype", ["f2", "f4"])
@pytest.mark.parametrize("shape", [(40,), (3, 2000), (10, 700), (300, 5), (2, 3, 4)])
def test_sums_are_rounded_once(dtype, shape):
    a = np.random.default_rng(3).integers(-2**10, 2**10, shape) * 2.0**-9  # whose sums are exact as f64
    a[..., 0] *= 8
    a = a.astype(dtype)
    same(upsweep.sum(a), a.astype("f8").sum().astype(dtype))
    for axis in range(a.ndim):
        for keep in (False, True):
            same(upsweep.sum(a, axis=axis, keepdims=keep), a.astype("f8").sum(axis, keepdims=keep).astype(dtype))


def test_a_sum_beyond_the_middle_of_two_numbers():
    a = np.array([4096.0, 2.0, 2.0**-24], "f2")  # rounded to f32 first, it would be the middle: 4096
    assert upsweep.sum(a) == 4100 and upsweep.sum(a[:, None], axis=0)[0] == 4100
    b = np.array([2.0**24, 1.0, 2.0**-20], "f4")
    assert upsweep.sum(b) == 2**24 + 2 and upsweep.sum(b[:, None], axis=0)[0] == 2**24 + 2
    assert upsweep.sum(np.full(100, 65504, "f2")) == np.inf  # without a warning
    assert upsweep.sum(np.full((100, 2), 65504, "f2"), axis=0).tolist() == [np.inf] * 2


@pytest.mark.parametrize("dtype, bits, nan", [("f2", "u2", 0x7e00), ("f4", "u4", 0x7fc00000)])
def test_nan_has_one_pattern(dtype, bits, nan):
    a = np.full((3, 300), -np.nan, dtype)
    for made in (upsweep.sum(a), upsweep.sum(a, axis=0), upsweep.prod(a, axis=1), upsweep.sum(a.T, axis=0)):
        assert np.all(np.asarray(made).view(bits) == nan)


def test_sums_are_the_same_for_any_number_of_threads():
    a = np.random.default_rng(5).standard_normal(1 << 20).astype("f4")
    wanted, scanned = upsweep.sum(a), upsweep.cumsum(a)
    try:
        for threads in (1, 2, 7):
            upsweep.set_threads(threads)
            assert upsweep.sum(a).tobytes() == wanted.tobytes()
            assert upsweep.cumsum(a).tobytes() == scanned.tobytes()
    finally:
        upsweep.set_threads(0)


@given(arrays(INTS, dims=(1, 2)))
def test_bits(a):
    for ours, theirs in ((upsweep.bitwise_and, np.bitwise_and), (upsweep.bitwise_or, np.bitwise_or),
                         (upsweep.bitwise_xor, np.bitwise_xor)):
        same(ours(a), theirs.reduce(a, axis=None))
        same(ours(a, axis=0), theirs.reduce(a, axis=0))


@given(st.data())
def test_scan(data):
    a = data.draw(arrays(["i8", "u8"], dims=(1, 1), side=40))
    heads = np.array(data.draw(st.lists(st.booleans(), min_size=a.size, max_size=a.size)), bool)
    keys = np.cumsum(heads).astype("u4")
    exclusive = data.draw(st.booleans())
    wanted = np.empty(a.shape, a.dtype.newbyteorder("="))
    with np.errstate(over="ignore"):
        for begin in np.flatnonzero(np.append(True, heads[1:])) if a.size else []:
            later = np.flatnonzero(heads[begin + 1:])
            end = begin + 1 + later[0] if later.size else a.size
            part = np.cumsum(a[begin:end])
            wanted[begin:end] = part - a[begin:end] if exclusive else part
    same(upsweep.scan(a, heads=heads, exclusive=exclusive), wanted)
    same(upsweep.scan(a, keys=keys, exclusive=exclusive), wanted)


def test_scan_into_out_and_errors():
    a = np.array([3, 1, 2])
    out = np.empty(3, int)
    assert upsweep.cumsum(a, out=out) is out and out.tolist() == [3, 4, 6]
    assert upsweep.cumsum(a, out=a) is a and a.tolist() == [3, 4, 6]
    for call, kind in [(lambda: upsweep.scan(a, "avg"), ValueError),
                       (lambda: upsweep.scan(a, heads=[1, 0]), ValueError),
                       (lambda: upsweep.scan(a, heads=a, keys=a), ValueError),
                       (lambda: upsweep.bitwise_or(a * 1.0), TypeError),
                       (lambda: upsweep.scan(a * 1.0, "xor"), TypeError),
                       (lambda: upsweep.sum(np.array(["a"])), TypeError),
                       (lambda: upsweep.sum(np.array(["2020"], "M8[Y]")), TypeError),
                       (lambda: upsweep.min(np.empty(0)), ValueError),
                       (lambda: upsweep.argmin(np.empty(0)), ValueError),
                       (lambda: upsweep.cumsum(a, axis=1), ValueError),
                       (lambda: upsweep.cumsum(a, out=np.empty(2, int)), ValueError),
                       (lambda: upsweep.bincount([-1]), ValueError),
                       (lambda: upsweep.histogram(a, bins=[3, 1]), ValueError)]:
        with pytest.raises(kind):
            call()


@given(st.data())
def test_histogram(data):
    a = data.draw(long_vectors(INTS + FLOATS, most=9000))
    if a.dtype.kind == "f":
        a = a[np.isfinite(a)]
    elif a.dtype.itemsize == 8:
        a = a % 1000  # beyond 2^53 numpy's own edges are not exact
    bins = data.draw(st.one_of(st.integers(1, 300), st.just("sturges"),
                               st.lists(st.floats(-4, 4), min_size=2, max_size=9).map(sorted)))
    span = data.draw(st.sampled_from([None, (-1.5, 2.25), (0, 100)]))
    try:
        wanted = np.histogram(a, bins, span)
    except (ValueError, IndexError, FloatingPointError) as error:
        with pytest.raises(type(error)):
            upsweep.histogram(a, bins, span)
        return
    got = upsweep.histogram(a, bins, span)
    same(got[1], wanted[1])
    same(got[0], wanted[0])


def test_histogram_density_and_nan():
    a = np.random.default_rng(1).standard_normal(1000)
    for g, w in zip(upsweep.histogram(a, 20, density=True), np.histogram(a, 20, density=True)):
        same(g, w)
    with pytest.raises(ValueError):
        upsweep.histogram(np.array([1.0, np.nan]))
    same(upsweep.histogram(np.array([1.0, np.nan]), range=(0, 2))[0],
         np.histogram(np.array([1.0, np.nan]), range=(0, 2))[0])


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 1000, 50000, 140000]),
       st.sampled_from([1, 5, 255, 65536, 10**6]), st.sampled_from(INTS))
def test_bincount(seed, n, most, dtype):
    most = min(most, int(np.iinfo(dtype).max))
    a = np.random.default_rng(seed).integers(0, most, n).astype(dtype)
    if dtype != "u8":  # numpy takes none such
        same(upsweep.bincount(a), np.bincount(a))
        same(upsweep.bincount(a, minlength=77), np.bincount(a, minlength=77))
        same(upsweep.bincount(a, a), np.bincount(a, a))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
@pytest.mark.parametrize("n", [1, 100, 3000])
def test_bincount_of_negative_numbers(dtype, n):
    a = np.arange(n).astype("u1").view("i1").astype(dtype) & 0x7f
    a[n // 2] = -1
    with pytest.raises(ValueError, match="negative"):
        upsweep.bincount(a)


def test_positions_of_extremes_along_an_axis():
    a = np.array([[np.nan, 2, 1], [np.nan, np.nan, np.nan], [3, np.nan, 3]])
    same(upsweep.argmin(a, 1), np.array([2, 0, 0]))
    same(upsweep.argmax(a, -1), np.array([1, 0, 0]))
    days = np.array([["NaT", "2020-01-02"], ["2020-01-01", "2019-01-01"]], "M8[D]")
    same(upsweep.argmin(days, axis=0), np.array([1, 1]))
    same(upsweep.argmax(days, axis=1), np.array([1, 0]))
    same(upsweep.argmin(np.empty((0, 3)), axis=1), np.empty(0, np.int64))
    with pytest.raises(ValueError, match="argmax of no element"):
        upsweep.argmax(np.empty((3, 0)), axis=1)
    for axis in (2, -3):
        with pytest.raises(IndexError):
            upsweep.argmin(a, axis=axis)
    assert upsweep.argmax([1, 3, 2], axis=0) == 1

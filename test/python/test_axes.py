"""Sorts, positions, scans and reductions along an axis, of arrays of more than one block."""
# SPDX-License-Identifier: MIT
import os

import numpy as np
import pytest
import upsweep
from shared import DTYPES, same

# One block and several, of columns and of whole outer slices; sides that are no multiple of a line.
SHAPES = [(7, 100), (100, 1), (1, 9), (70001, 9), (3, 40000, 2), (2, 41, 1301), (30, 50, 33), (2, 9, 17, 5)]
if "UPSWEEP_LONG" in os.environ:  # larger ones, whose oracle takes the time
    SHAPES += [(70001, 13), (2, 41, 13001), (300, 50, 33)]


def filled(shape, dtype):
    rng = np.random.default_rng(len(shape) + shape[0])
    if dtype[0] in "f?":
        return (rng.standard_normal(shape) * 100).astype(dtype)
    return rng.integers(-2**63, 2**63 - 1, shape).astype(dtype)


def of_columns(call, a, axis):
    """What the call gives for every column by itself, along the last axis."""
    rows = np.ascontiguousarray(np.moveaxis(a, axis, -1)).reshape(-1, a.shape[axis])
    return rows, [call(row.copy()) for row in rows[:: max(1, len(rows) // 40)]], max(1, len(rows) // 40)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sorts_along_axes(shape):
    for dtype in DTYPES if np.prod(shape) < 10000 else ["u1", "i2", "f4", "i8"]:
        a = filled(shape, dtype)
        for axis in range(-len(shape), len(shape)):
            wanted = np.sort(a, axis=axis, kind="stable")
            same(upsweep.sort(a, axis=axis), wanted)
            same(upsweep.sort(a, axis=axis, descending=True), np.flip(wanted, axis))
            same(upsweep.argsort(a, axis=axis), np.argsort(a, axis=axis, kind="stable"))
            b = a.copy()
            assert upsweep.sort(b, axis=axis, out=b) is b
            same(b, wanted)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_folds_along_axes(shape):
    for dtype in ("i8", "u4", "f4", "f8"):
        a = filled(shape, dtype)
        for axis in range(-len(shape), len(shape)):
            for ours, theirs in ((upsweep.min, np.min), (upsweep.max, np.max), (upsweep.sum, np.sum)):
                for keep in (False, True):
                    got, wanted = (f(a, axis=axis, keepdims=keep) for f in (ours, theirs))
                    if dtype[0] != "f" or ours is not upsweep.sum:
                        same(got, wanted)
                    else:
                        assert got.shape == wanted.shape and got.dtype == wanted.dtype
            scanned = upsweep.cumsum(a, axis=axis)
            if dtype[0] != "f":
                same(scanned, np.cumsum(a, axis=axis))
                continue
            # A column gives the bits that it gives as an array of its own.
            rows, sums, step = of_columns(upsweep.sum, a, axis)
            same(upsweep.sum(a, axis=axis).reshape(-1)[::step], np.array(sums, a.dtype))
            np.testing.assert_allclose(sums, rows[::step].sum(-1, dtype="f8"), rtol=1e-5, atol=1e-3)
            _, scans, _ = of_columns(upsweep.cumsum, a, axis)
            same(np.moveaxis(scanned, axis, -1).reshape(rows.shape)[::step], np.array(scans))


def test_axes_that_are_none():
    a = np.arange(6).reshape(2, 3)
    for axis in (2, -3, 10**30):
        for call in (upsweep.sort, upsweep.argsort, upsweep.sum, upsweep.cumsum):
            with pytest.raises((ValueError, IndexError, OverflowError)):
                call(a, axis=axis)

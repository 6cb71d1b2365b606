"""Splits and moves beside numpy."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import arrays, same


@given(st.data())
def test_split_and_compress(data):
    a = data.draw(arrays(dims=(1, 3)))
    flags = np.array(data.draw(st.lists(st.booleans(), min_size=a.shape[0], max_size=a.shape[0])),
                     bool)
    got, zeros = upsweep.split(a, flags)
    assert zeros == (~flags).sum()
    same(got, np.concatenate([a[~flags], a[flags]]).astype(a.dtype))
    same(upsweep.compress(flags, a), a[flags])


@given(st.data())
def test_take_and_put(data):
    a = data.draw(arrays(dims=(1, 3)))
    if a.shape[0] == 0:
        return
    index = data.draw(st.lists(st.integers(-a.shape[0], a.shape[0] - 1), max_size=9))
    index = np.array(index, data.draw(st.sampled_from(["i1", "i4", "i8"])))
    same(upsweep.take(a, index, axis=0), np.take(a, index, axis=0))
    if a.size:
        flat = index.astype(int) % a.size
        same(upsweep.take(a, flat), np.take(a, flat))
        if a.flags.c_contiguous and a.flags.writeable and a.dtype.isnative and a.flags.aligned:
            wanted, got, values = a.copy(), a.copy(), np.resize(a, flat.size)
            np.put(wanted, flat, values)
            upsweep.put(got, flat, values)
            same(got, wanted)


@given(st.data())
def test_permute_and_reverse(data):
    a = data.draw(arrays(dims=(1, 2)))
    order = np.array(data.draw(st.permutations(range(a.shape[0]))), int)
    wanted = np.empty(a.shape, a.dtype)
    wanted[order] = a
    same(upsweep.permute(a, order), wanted)
    flat = a.reshape(-1)
    same(upsweep.reverse(flat), flat[::-1])


@given(st.data())
def test_split_by_id(data):
    a = data.draw(arrays(dims=(1, 2)))
    ids = np.array(data.draw(st.lists(st.integers(0, 6), min_size=a.shape[0], max_size=a.shape[0])),
                   "u1")
    got, offsets = upsweep.split_by_id(a, ids, 7)
    same(got, a[np.argsort(ids, kind="stable")])
    same(offsets, np.append(0, np.cumsum(np.bincount(ids, minlength=7))))


def test_moves_take_any_dtype():
    for a in (np.array(["x", "yyy", "z"]), np.array([1j, 2, 3]), np.zeros(3, "i4,f8"),
              np.array([b"abc", b"", b"x"]), np.array(["2020", "NaT", "2021"], "M8[Y]")):
        same(upsweep.take(a, [2, 0]), a[[2, 0]])
        same(upsweep.permute(a, [1, 2, 0]), a[[2, 0, 1]])
        same(upsweep.compress([1, 0, 1], a), a[[0, 2]])


def test_errors():
    a = np.arange(3)
    for call, kind in [(lambda: upsweep.take(a, [3]), IndexError),
                       (lambda: upsweep.take(a, [-4]), IndexError),
                       (lambda: upsweep.take(a, [0.5]), TypeError),
                       (lambda: upsweep.put(a, [3], [1]), IndexError),
                       (lambda: upsweep.put(a, [0, 1, 2], [1, 2]), ValueError),
                       (lambda: upsweep.put(a, [0], [1.5]), TypeError),
                       (lambda: upsweep.put(a[::2], [0], [1]), ValueError),
                       (lambda: upsweep.permute(a, [0, 0, 1], out=a), IndexError),
                       (lambda: upsweep.permute(a, [0, 1]), ValueError),
                       (lambda: upsweep.split(a, [1]), ValueError),
                       (lambda: upsweep.split_by_id(a, [0, 1, 7], 2), IndexError),
                       (lambda: upsweep.take(np.array([object()]), [0]), TypeError)]:
        with pytest.raises(kind):
            call()
    same(a, np.arange(3))

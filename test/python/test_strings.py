"""Sorts of numpy's StringDType beside sorts of Python's strings by their bytes, and numpy's own."""
# SPDX-License-Identifier: MIT
import threading

import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st

StringDType = getattr(getattr(np, "dtypes", None), "StringDType", None)
if StringDType is None:
    pytest.skip("this numpy has no StringDType", allow_module_level=True)

# Inside of an element, in a buffer with one byte for the length, and with eight; each kind beginning like others.
LONG = ["", "\0", "a", "a\0", "a" * 15, "a" * 16, "b" * 255, "b" * 256, "b" * 255 + "\0", "\u65e5" * 100, "z" * 5000]
TEXTS = st.one_of(st.sampled_from(LONG), st.text(max_size=20), st.text("ab\0", max_size=40))


def order_of(texts, descending=False):
    """The stable order of strings by their bytes, of missing ones, which are None, behind them."""
    given = [i for i, text in enumerate(texts) if text is not None]
    ranks = {t: r for r, t in enumerate(sorted({texts[i].encode() for i in given}, reverse=descending))}
    return sorted(given, key=lambda i: ranks[texts[i].encode()]) + [i for i, text in enumerate(texts) if text is None]


def laid_out(a, way):
    """The same elements with other strides."""
    if way == "step":
        wide = np.full(3 * a.size, "between", a.dtype)
        wide[::3] = a
        return wide[::3]
    return a[::-1].copy()[::-1] if way == "back" else a


@given(st.lists(st.one_of(st.none(), TEXTS), max_size=40), st.sampled_from(["nan", "None", "NA", "no"]),
       st.sampled_from(["as it is", "step", "back"]), st.integers(1, 40), st.booleans())
def test_strings(texts, missing, way, times, descending):
    """Those that are missing come last, stable, whatever stands for them."""
    pandas = pytest.importorskip("pandas")
    na = {"nan": np.nan, "None": None, "NA": pandas.NA, "no": ""}[missing]
    dtype = StringDType() if missing == "no" else StringDType(na_object=na)
    texts = [("" if missing == "no" else None) if t is None else t for t in texts] * times
    a = np.empty(len(texts), dtype)
    for i, text in enumerate(texts):
        a[i] = na if text is None else text
    a = laid_out(a, way)
    before = a.tolist()
    order = order_of(texts, descending)
    wanted = [na if texts[i] is None else texts[i] for i in order]
    values, index = upsweep.sort(a, descending=descending, return_index=True)
    for made in (values, upsweep.sort(a, descending=descending), upsweep.sort(a, axis=0, descending=descending)):
        assert made.dtype == dtype and repr(made.tolist()) == repr(wanted)
    for made in (index, upsweep.argsort(a, descending=descending), upsweep.argsort(a, 0, descending=descending)):
        assert made.dtype == np.int64 and made.tolist() == order
    assert repr(a.tolist()) == repr(before)
    if not descending and None not in texts and not any("\0" in text for text in texts):  # numpy stops there
        assert np.argsort(a, kind="stable").tolist() == order


def test_missing_strings_beside_numpys():
    for na in (np.nan, "m"):  # a string is ordered as itself, and stays a missing one
        dtype = StringDType(na_object=na)
        a = np.array(["z", na, "a", "", "m", na, "n"] * 100, dtype)
        known = 700 if na == "m" else 500  # numpy 2.0 does not keep the order of missing ones
        assert np.array_equal(upsweep.argsort(a)[:known], np.argsort(a, kind="stable")[:known])
        assert repr(upsweep.sort(a).tolist()) == repr(np.sort(a, kind="stable").tolist())
    assert upsweep.argsort(np.array([None, "a", None], StringDType(na_object=None))).tolist() == [1, 0, 2]
    assert upsweep.argsort(np.array([None, None], StringDType(na_object=None))).tolist() == [0, 1]


def test_results_are_arrays_of_their_own():
    """The strings lie in memory of the array, which a result must not share."""
    a = np.array(["y" * 400, "x" * 30, "w"] * 200, StringDType())
    wanted = sorted(a.tolist())
    made = upsweep.sort(a)
    a[:] = "q" * 500
    assert made.tolist() == wanted
    made[::2] = "longer than it was " * 30
    assert made[1::2].tolist() == wanted[1::2] and a[0] == "q" * 500
    out = np.empty(600, StringDType())
    assert upsweep.sort(made, out=out) is out and out.tolist() == sorted(made.tolist())
    assert upsweep.sort(made, out=made) is made and made.tolist() == out.tolist()
    with pytest.raises(TypeError, match="^out has the dtype int64, not StringDType"):
        upsweep.sort(made, out=np.empty(600, np.int64))


def test_strings_in_threads():
    """numpy has a lock for an array's strings, and the GIL is let go meanwhile."""
    a = np.array([str(i * 7919 % 5000) * (i % 30) for i in range(5000)], StringDType())
    wanted, length, right = sorted(a.tolist()), int(np.strings.str_len(a).sum()), []

    def work():
        for _ in range(20):
            right.append(upsweep.sort(a).tolist() == wanted and np.strings.str_len(a).sum() == length)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 80


def test_strings_of_any_length():
    few = ["b", "a", "b\0", "", "\u00e9", "\0", "b", "\u65e5", "\U0001f600", "ab"]
    for texts in (few, few * 30 + ["x" * 4000], [t for t in few if "\0" not in t] * 40, [], ["", ""]):
        for dtype in (StringDType(), StringDType(na_object=np.nan)):
            a = np.array(texts, dtype)
            order = np.array(sorted(range(len(texts)), key=lambda i: texts[i].encode()), np.int64)
            assert upsweep.argsort(a).tolist() == order.tolist()
            assert upsweep.sort(a).dtype == dtype and upsweep.sort(a).tolist() == [texts[i] for i in order]
            down = sorted(range(len(texts)), key=lambda i: texts[i].encode(), reverse=True)
            values, index = upsweep.sort(a, descending=True, return_index=True)
            assert values.tolist() == [texts[i] for i in down] and sorted(index.tolist()) == list(range(len(texts)))
            assert all(texts[i] == t for i, t in zip(index.tolist(), values.tolist()))
    grid = np.array(few[:6], StringDType()).reshape(2, 3)
    for axis in (0, 1, None):
        assert upsweep.sort(grid, axis=axis).tolist() == np.sort(grid, axis=axis, kind="stable").tolist()

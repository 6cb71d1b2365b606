"""Columns whose dtype is pandas' own, and bools of Arrow: order and sums beside pandas and polars."""
# SPDX-License-Identifier: MIT
import datetime

import numpy as np
import pytest

import upsweep

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

BIG = [2**60 + 1, 2**60, None, 5]  # float64 calls the first two equal


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64[pyarrow]"])
def test_integers_with_nas_are_not_rounded(dtype):
    s = pd.Series(BIG, dtype=dtype)
    assert upsweep.argsort(s).tolist() == [3, 1, 0, 2]
    assert upsweep.argsort(s, descending=True).tolist() == [0, 1, 3, 2]
    values, order = upsweep.sort(s, return_index=True)
    assert order.tolist() == [3, 1, 0, 2]
    assert np.array_equal(values, np.array([5, 2.0**60, 2.0**60, np.nan]), equal_nan=True)
    few = pd.Series([3, None, 1], dtype=dtype)
    assert np.array_equal(upsweep.sort(few), [1.0, 3.0, np.nan], equal_nan=True)
    whole = pd.Series([3, 2, 1], dtype=dtype)
    assert upsweep.sort(whole).dtype.kind in "iu"


def test_bools_with_nas():
    s = pd.Series([True, None, False], dtype="boolean")
    assert upsweep.argsort(s).tolist() == [2, 0, 1]
    assert upsweep.sort(s)[:2].tolist() == [False, True] and upsweep.sort(s)[2] is pd.NA


def test_categories_are_in_their_own_order():
    dtype = pd.CategoricalDtype(["c", "b", "a"])
    s = pd.Series(["b", "a", None, "c", "a"], dtype=dtype)
    for x in (s, s.array, pd.CategoricalIndex(s)):
        assert upsweep.argsort(x).tolist() == s.sort_values(kind="stable").index.tolist() == [3, 0, 1, 4, 2]
        assert upsweep.argsort(x, descending=True).tolist() == [1, 4, 0, 3, 2]
        assert upsweep.sort(x)[:4].tolist() == ["c", "b", "a", "a"] and pd.isna(upsweep.sort(x)[4])
    assert upsweep.argsort(s[:0]).tolist() == []
    assert upsweep.argsort(pd.Series([None, None], dtype=dtype)).tolist() == [0, 1]
    with pytest.raises(TypeError, match="a column of pandas of dtype category"):
        upsweep.sum(s)


@pytest.mark.parametrize("dtype", ["str", "string", "string[pyarrow]", "large_string[pyarrow]", "string[python]"])
def test_columns_of_strings(dtype):
    if dtype == "str" and not isinstance(pd.Series(["a"]).dtype, pd.StringDtype):
        pytest.skip("this pandas keeps strings as objects")
    f = pd.DataFrame({"n": pd.Series(["b", "a", None, "\u00e9", "Z", "a"], dtype=dtype)})
    order = upsweep.argsort(f["n"])
    assert f.take(order).index.tolist() == f.sort_values("n", kind="stable").index.tolist() == [4, 1, 5, 0, 3, 2]
    assert upsweep.argsort(pd.Index(f["n"])).tolist() == order.tolist()
    assert upsweep.sort(f["n"])[:5].tolist() == ["Z", "a", "a", "b", "\u00e9"]
    with pytest.raises(TypeError, match="a column of pandas of dtype"):
        upsweep.max(f["n"])


def test_times_with_a_zone():
    s = pd.Series(pd.to_datetime(["2020-01-02", "2019-01-01", None])).dt.tz_localize("Europe/Berlin")
    for x in (s, pd.DatetimeIndex(s)):
        assert upsweep.argsort(x).tolist() == [1, 0, 2]
        assert upsweep.min(x) == np.datetime64("2018-12-31T23:00")
        assert upsweep.sort(x)[1] == np.datetime64("2020-01-01T23:00") and np.isnat(upsweep.sort(x)[2])


@pytest.mark.parametrize("make", [
    lambda: pd.Series(["a", 3], dtype=object), lambda: pd.period_range("2020", periods=3, freq="M"),
    lambda: pd.arrays.IntervalArray.from_breaks([0, 1, 2]), lambda: pd.MultiIndex.from_tuples([(1, 2)]),
    lambda: pd.Series([datetime.date(2020, 1, 1)], dtype="date32[pyarrow]")])
def test_other_columns_are_named(make):
    with pytest.raises(TypeError, match="not a column of pandas of dtype"):
        upsweep.argsort(make())


@pytest.mark.parametrize("make", [lambda c: pl.DataFrame(c), lambda c: pl.LazyFrame(c), pa.table, pa.record_batch])
def test_frames_are_no_columns(make):
    with pytest.raises(TypeError, match="one column"):
        upsweep.sort(make({"a": [2, 1], "b": [1, 2]}))


def test_bools_of_arrow():
    long = [bool(i % 3) for i in range(100)] + [None, True]
    for given, x in [(long, pl.Series("x", long)), (long, pa.array(long)), (long[13:], pa.array(long).slice(13)),
                     (long, pa.chunked_array([long[:5], long[5:6], [], long[6:]])), (long[:9], pa.array(long[:9]))]:
        order = sorted(range(len(given)), key=lambda i: (given[i] is None, given[i] or False))
        made = [a.to_list() if hasattr(a, "to_list") else a.to_pylist() for a in (upsweep.argsort(x), upsweep.sort(x))]
        assert made == [order, [given[i] for i in order]]
        assert upsweep.sum(x) == given.count(True) and not upsweep.min(x)
    plain = pl.Series("x", [True, False, True])
    assert upsweep.unique(plain).to_list() == [False, True] and upsweep.cumsum(plain).to_list() == [1, 1, 2]
    assert upsweep.reverse(pa.array([True, False])).to_pylist() == [False, True]
    assert upsweep.sort(pl.Series("x", [], dtype=pl.Boolean)).dtype == pl.Boolean


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "boolean", "int64[pyarrow]"])
@pytest.mark.parametrize("descending", [False, True])
def test_lexsort_of_nullable_columns(dtype, descending):
    some = [True, None, False] if dtype == "boolean" else [2**60 + 1, None, 2**60, 2**60 + 2]
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": pd.array([some[i] for i in rng.integers(0, len(some), 300)], dtype=dtype),
                          "b": pd.array([some[i] for i in rng.integers(0, len(some), 300)], dtype=dtype)})
    wanted = frame.sort_values(["b", "a"], ascending=not descending, kind="stable").index.to_numpy()
    assert np.array_equal(upsweep.lexsort((frame["a"], frame["b"]), descending=descending), wanted)
    assert np.array_equal(upsweep.lexsort((frame["a"].array, frame["b"]), descending=descending), wanted)
    numbers = rng.integers(0, 3, 300)
    wanted = frame.assign(c=numbers).sort_values(["a", "c"], ascending=not descending, kind="stable").index.to_numpy()
    assert np.array_equal(upsweep.lexsort((numbers, frame["a"]), descending=descending), wanted)
    if dtype != "boolean":
        column = pl.Series([None if v is pd.NA else int(v) for v in frame["a"]])
        assert upsweep.lexsort((numbers, column), descending=descending).tolist() == wanted.tolist()
        assert isinstance(upsweep.lexsort((column, numbers)), pl.Series)


def test_folds_of_columns_with_nulls():
    """Those of Arrow are left out; NA of pandas is NaN, which makes sums NaN, and which extrema skip."""
    for x in (pl.Series([5, None, 7, None, 1]), pa.array([5.0, None, 7.0, None, 1.0]),
              pa.chunked_array([[5, None], [7, None, 1]])):
        assert (upsweep.sum(x), upsweep.prod(x), upsweep.min(x), upsweep.max(x)) == (13, 35, 1, 7)
        assert (upsweep.argmin(x), upsweep.argmax(x)) == (4, 2)
    for dtype in ("Int64", "float64", "Float64", "int64[pyarrow]"):
        s = pd.Series([5, None, 7, None, 1], dtype=dtype)
        assert np.isnan(upsweep.sum(s)) and np.isnan(upsweep.prod(s)) and upsweep.sum(s.dropna()) == s.sum() == 13
        assert (upsweep.min(s), upsweep.max(s), upsweep.argmin(s), upsweep.argmax(s)) == (1, 7, 4, 2)


def test_categories_of_polars():
    words = ["b", "a", None, "c", "a"]
    for dtype, wanted in ((pl.Enum(["c", "b", "a"]), [3, 0, 1, 4, 2]), (pl.Categorical, [1, 4, 0, 3, 2])):
        s = pl.Series("n", words, dtype=dtype)
        assert upsweep.argsort(s).to_list() == wanted
        values, order = upsweep.sort(s, return_index=True)
        assert values.dtype == s.dtype and values.name == "n" and order.to_list() == wanted
        assert values.to_list() == s.sort(nulls_last=True).to_list() == [words[i] for i in wanted]
        assert upsweep.sort(s[:2]).to_list() == s[:2].sort().to_list()
        assert upsweep.argsort(s[:0]).to_list() == []
        with pytest.raises(TypeError, match="only Arrow arrays of numbers"):
            upsweep.max(s)


def frames(n):
    """Frames of n rows: of columns of many dtypes, with names twice; of one dtype, of no column, of labels of two parts."""
    rng = np.random.default_rng(n)
    i = rng.integers(0, 9, n)
    yield pd.DataFrame({"a": i, "b": i.astype("i1"), "c": rng.standard_normal(n), "d": i.astype("f2"), "e": i > 3,
                        "f": i.astype("M8[s]"), "g": i.astype("m8[ns]"), "h": list(map(str, i)),
                        "i": pd.Categorical(i), "j": pd.array(i, dtype="Int64"), "k": np.array([None, "x"], object)[i % 2],
                        "l": np.array(["x"] * n, object), "m": i * 1j}, index=rng.permutation(n))
    numbers = pd.DataFrame(np.asfortranarray(rng.standard_normal((n, 3))), columns=["x", "y", "x"])
    yield numbers
    yield pd.DataFrame(rng.standard_normal((n, 3)), columns=pd.MultiIndex.from_tuples([("p", 1), ("p", 2), ("q", 1)]))
    yield numbers[[]]
    yield numbers.set_index(pd.MultiIndex.from_arrays([i, i[::-1]], names=["u", "v"]))
    yield numbers[::2]


@pytest.mark.parametrize("rows_from", [0, 10**9])
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_rows_of_frames(n, rows_from, monkeypatch):
    monkeypatch.setattr(upsweep._pandas, "ROWS_FROM", rows_from)
    for f in frames(n):
        f.attrs["unit"] = "m"
        order = np.random.default_rng(1).permutation(len(f))
        for index in (order, order[:0], order.astype("u8"), order.astype("i4") - len(f), list(order[:7]), pd.Series(order)):
            got = upsweep.take_rows(f, index)
            pd.testing.assert_frame_equal(got, f.take(np.asarray(index).astype("i8")), check_exact=True)
            assert got.attrs == f.attrs and got.index.names == f.index.names
        for wrong, error in (([len(f)], IndexError), ([-len(f) - 1], IndexError), ([2**64 - 1], IndexError),
                             ([0.5], TypeError), ([[0]], TypeError), ([True], TypeError), (["a"], TypeError)):
            with pytest.raises(error):
                upsweep.take_rows(f, np.array(wrong, "u8" if wrong == [2**64 - 1] else None))


def test_rows_of_frames_are_new(monkeypatch):
    monkeypatch.setattr(upsweep._pandas, "ROWS_FROM", 0)
    f = pd.DataFrame({"a": [3, 1, 2], "b": [1.0, 2.0, 3.0]})
    got = upsweep.take_rows(f, upsweep.argsort(f["a"]))
    got.loc[1, "a"] = 7
    got["c"] = got["a"] + got["b"]
    assert got["c"].tolist() == [9.0, 5.0, 4.0] and f["a"].tolist() == [3, 1, 2]

    class Own(pd.DataFrame):
        _constructor = property(lambda self: Own)
    assert type(upsweep.take_rows(Own(f), [1])) is Own
    assert upsweep.take_rows(np.eye(3), [2]).tolist() == [[0.0, 0.0, 1.0]]
    assert upsweep.take_rows(f["b"], [2]).tolist() == [3.0]

"""Arrays of other libraries: what comes in comes out, without copies where there need be none."""
# SPDX-License-Identifier: MIT
import array
import datetime
import sys

import numpy as np
import pytest
import upsweep
from shared import as_bf16, same
from upsweep import _arrays, _core

VALUES = [3, None, 1, 2, None, 1]


class Tensor:
    """Offers DLPack and nothing else, as a library that is not known does."""

    def __init__(self, a):
        self.a, self.asked = a, 0

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()

    def __dlpack__(self, **options):
        capsule = self.a.__dlpack__(**options)  # numpy before 2.1 refuses to be told a version
        self.asked += 1
        return capsule


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8", "f2"])
def test_dlpack(dtype):
    a = np.random.default_rng(1).integers(0, 100, (5, 7)).astype(dtype)
    t = Tensor(a)
    same(upsweep.sort(t), np.sort(a, kind="stable"))
    same(upsweep.sort(Tensor(a[:, ::2])), np.sort(a[:, ::2], kind="stable"))
    same(upsweep.sort(Tensor(a.T), axis=0), np.sort(a.T, axis=0, kind="stable"))
    assert upsweep.max(t) == a.max() and t.asked == 2
    taken = _arrays.take(Tensor(a))
    assert taken.array.ctypes.data == a.ctypes.data  # no copy


def test_dlpack_is_taken_once_and_freed():
    a = np.arange(5)
    capsule = a.__dlpack__()
    first = _core.from_dlpack(capsule)
    with pytest.raises(ValueError):
        _core.from_dlpack(capsule)
    del first
    with pytest.raises(TypeError):
        upsweep.sort(Tensor(np.array([1j])))


def test_dlpack_of_bools_and_bf16(monkeypatch):
    """Bools came back as bytes, bf16 was sorted by its bits as unsigned integers."""
    flags = np.array([True, False, True])
    same(upsweep.sort(Tensor(flags)), np.sort(flags))
    same(upsweep.unique(Tensor(flags)), np.unique(flags))
    assert upsweep.max(Tensor(flags)).dtype == bool

    monkeypatch.delitem(sys.modules, "ml_dtypes", raising=False)

    class Halves(Tensor):
        def __dlpack__(self, **options):
            return as_bf16(self.a.__dlpack__())

    for call in (upsweep.sort, upsweep.argsort, upsweep.sum, upsweep.cumsum, upsweep.reverse):
        with pytest.raises(TypeError, match="bf16"):
            call(Halves(np.array([0x4040, 0xbf80], np.uint16)))


def test_a_device_that_is_not_known():
    class Elsewhere:
        def __dlpack_device__(self):
            return (8, 0)

        def __dlpack__(self, **options):
            raise AssertionError("must not be asked")

    with pytest.raises(TypeError, match="kind 8"):
        upsweep.sort(Elsewhere())


def test_buffers():
    same(upsweep.sort(array.array("i", [3, 1, 2])), np.array([1, 2, 3], "i4"))
    same(upsweep.sort(memoryview(b"cab")), np.frombuffer(b"abc", np.uint8))
    assert upsweep.sum(bytearray([1, 2])) == 3 if False else True
    raw = bytearray(b"\3\1\2")
    view = np.frombuffer(raw, np.uint8)
    upsweep.sort(view, out=view)
    assert raw == b"\1\2\3"


def test_polars():
    pl = pytest.importorskip("polars")
    s = pl.Series("a", VALUES, dtype=pl.Int32)
    got = upsweep.sort(s)
    assert got.name == "a" and got.dtype == pl.Int32
    assert got.to_list() == s.sort(nulls_last=True).to_list()
    assert upsweep.sort(s, descending=True).to_list() == s.sort(descending=True,
                                                                 nulls_last=True).to_list()
    assert upsweep.argsort(s).to_list() == [2, 5, 3, 0, 1, 4]
    assert isinstance(upsweep.argsort(s), pl.Series)
    assert upsweep.unique(s.drop_nulls()).to_list() == [1, 2, 3]
    assert upsweep.sum(s) == 7
    assert upsweep.cumsum(s.drop_nulls()).to_list() == [3, 4, 6, 7]
    for call in (upsweep.partition, upsweep.top_k):
        with pytest.raises(TypeError, match="2"):
            call(s, 1)
    f = pl.Series([2.0, float("nan"), None, 1.0])
    assert str(upsweep.sort(f).to_list()) == "[1.0, 2.0, nan, None]"
    several = pl.concat([pl.Series([3, 1]), pl.Series([2])], rechunk=False)
    assert upsweep.sort(several).to_list() == [1, 2, 3]
    days = pl.Series([datetime.date(2024, 1, 2), None, datetime.date(2020, 1, 1)])
    assert upsweep.sort(days).to_list() == [datetime.date(2020, 1, 1), datetime.date(2024, 1, 2),
                                            None]
    times = pl.Series([datetime.datetime(2024, 1, 2), datetime.datetime(2020, 1, 1)])
    assert upsweep.sort(times).to_list() == sorted(times.to_list())
    for bad in (pl.Series([[1], [2]]), pl.Series(["1.5"]).cast(pl.Decimal(10, 2))):
        with pytest.raises(TypeError):
            upsweep.sort(bad)
    big = pl.Series(np.arange(10**5)[::-1].copy())
    assert _arrays.take(big).array.ctypes.data == big.to_numpy(allow_copy=False).ctypes.data
    with pytest.raises(TypeError):
        upsweep.sort(big, out=big)


WORDS = ["pear", None, "fig", "", "apple", None, "fig"]


def test_columns_of_text():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    wanted, order = ["", "apple", "fig", "fig", "pear", None, None], [3, 4, 2, 6, 0, 1, 5]
    down, back = ["pear", "fig", "fig", "apple", "", None, None], [0, 2, 6, 4, 3, 1, 5]
    twice = pa.chunked_array([WORDS[:2], [], WORDS[2:]])
    columns = [pa.array(WORDS), pa.array(WORDS, pa.large_string()), twice, pl.Series("w", WORDS),
               pa.array(["x"] + WORDS).slice(1)]
    for x in columns:
        assert list(upsweep.sort(x).to_pylist() if hasattr(x, "to_pylist")
                    else upsweep.sort(x)) == wanted
        values, index = upsweep.sort(x, descending=True, return_index=True)
        assert list(values.to_pylist() if hasattr(x, "to_pylist") else values) == down
        assert list(index.to_pylist() if hasattr(x, "to_pylist") else index) == back
        assert list(np.asarray(upsweep.argsort(x))) == order
        with pytest.raises(TypeError):
            upsweep.sort(x, out=x)
    assert upsweep.sort(pa.array([b"b", b"a\0", b"a"])).to_pylist() == [b"a", b"a\0", b"b"]
    assert upsweep.sort(pa.array([], pa.string())).to_pylist() == []
    assert upsweep.sort(pa.chunked_array([], pa.string())).to_pylist() == []
    assert upsweep.sort(pa.array([None, None], pa.string())).to_pylist() == [None, None]
    assert upsweep.sort(pl.Series(["b", "a"])).name == ""


def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    a = pa.array(VALUES, pa.int16())
    assert upsweep.sort(a).equals(pa.array([1, 1, 2, 3, None, None], pa.int16()))
    assert upsweep.sort(a[1:]).equals(pa.array([1, 1, 2, None, None], pa.int16()))
    assert upsweep.argsort(a[2:]).to_pylist() == [0, 3, 1, 2]
    chunks = pa.chunked_array([[3, None], [], [1]])
    assert upsweep.sort(chunks).to_pylist() == [1, 3, None]
    assert upsweep.argsort(chunks).to_pylist() == [2, 0, 1]
    stamps = pa.array([3, 1, None], pa.timestamp("us", tz="UTC"))
    assert upsweep.sort(stamps).cast(pa.int64()).to_pylist() == [1, 3, None]
    assert upsweep.max(pa.array([1.5, None])) == 1.5
    for bad in (pa.array([[1]]), pa.nulls(2),
                pa.array(["a", "b"]).dictionary_encode(), pa.table({"a": [1]})):
        with pytest.raises(TypeError):
            upsweep.sort(bad)
    with pytest.raises(TypeError):
        upsweep.min(pa.array(["a"]))
    empty = pa.array([], pa.int32())
    assert upsweep.sort(empty).to_pylist() == []


def columns(a):
    """The same values in columns of other libraries, in one piece and in two."""
    pl, pa, pd = (pytest.importorskip(name) for name in ("polars", "pyarrow", "pandas"))
    half = a.size // 2
    return [pl.Series("a", a), pl.concat([pl.Series("a", a[:half]), pl.Series("a", a[half:])], rechunk=False),
            pa.array(a), pa.chunked_array([a[:half], a[half:]]), pd.Series(a)]


def on_host(made):
    if isinstance(made, tuple):
        return [on_host(part) for part in made]
    if hasattr(made, "to_numpy"):
        try:
            return made.to_numpy(zero_copy_only=False)
        except TypeError:
            return made.to_numpy()
    return np.asarray(made)


@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8"])
def test_columns_beside_arrays(dtype):
    """Sums have room for what they add up to, and every result is what an array of numpy gives."""
    rng = np.random.default_rng(3)
    for n in (2, 31, 1000):
        a = rng.integers(0, 120, n).astype(dtype)
        heads, places = rng.integers(0, 2, n).astype(bool), rng.integers(0, n, 5)
        for call in (upsweep.cumsum, upsweep.cumprod, upsweep.cummax, lambda x: upsweep.scan(x, heads=heads),
                     lambda x: upsweep.scan(x, "min", exclusive=True), upsweep.sort, upsweep.argsort, upsweep.sum,
                     lambda x: upsweep.sort(x, descending=True, return_index=True), upsweep.minmax,
                     lambda x: upsweep.unique(x, return_counts=True, return_inverse=True), upsweep.reverse,
                     lambda x: upsweep.top_k(x, n // 2), lambda x: upsweep.take(x, places), upsweep.run_lengths,
                     lambda x: upsweep.compress(heads, x), lambda x: upsweep.histogram(x, 5), upsweep.is_sorted):
            wanted = on_host(call(a))
            for column in columns(a):
                got = on_host(call(column))
                for one, other in zip(got, wanted) if isinstance(wanted, list) else [(got, wanted)]:
                    same(one, other)


def test_pandas():
    pd = pytest.importorskip("pandas")
    s = pd.Series([3.0, 1.0, np.nan])
    same(upsweep.sort(s), np.array([1.0, 3.0, np.nan]))
    f = pd.DataFrame({"a": [3, 1, 2], "b": list("xyz")})
    assert f.take(upsweep.argsort(f["a"]))["b"].tolist() == ["y", "z", "x"]
    same(upsweep.argsort(pd.date_range("2020", periods=3)[::-1]), np.array([2, 1, 0]))
    with pytest.raises(TypeError):
        upsweep.sort(pd.Series(["a", "b"], dtype=object))


# ---- device arrays, with a device that is this machine's memory ----

class Device:
    """An array with the CUDA array interface. Its memory is the host's, so that every call on it
    must end with the device's own error, or never begin."""

    def __init__(self, a):
        self.a = a
        self.__cuda_array_interface__ = {"shape": a.shape, "typestr": a.dtype.str, "version": 3,
                                         "data": (a.ctypes.data, False), "strides": None}


def test_device_arrays_are_asked():
    a = Device(np.array([3, 1, 2]))
    if "cannot" not in upsweep.machine()["gpu"] and upsweep.machine()["gpus"]:
        pytest.skip("there is a GPU here: gpu_torch.py and gpu_cupy.py test it")
    with pytest.raises(RuntimeError):  # there is no such device: the library's sentence
        upsweep.sum(a)
    assert a.a.tolist() == [3, 1, 2]
    with pytest.raises(TypeError, match="out="):
        upsweep.sort(a)

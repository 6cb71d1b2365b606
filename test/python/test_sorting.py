"""Sorts and their kin beside numpy: all dtypes, shapes, strides, axes."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import DTYPES, FLOATS, INTS, arrays, falling, long_vectors, one_zero_one_nan, ordered, same


def axes(a):
    return st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)) if a.ndim else st.none()


@given(st.data())
def test_sort(data):
    a = data.draw(arrays())
    axis = data.draw(axes(a))
    before = a.copy()
    same(upsweep.sort(a, axis=axis), ordered(a, axis=axis))
    same(upsweep.sort(a, axis=axis, descending=True), falling(a if axis is not None else a.ravel(),
                                                              -1 if axis is None else axis))
    same(a, before)


@given(st.data())
def test_sort_out_and_in_place(data):
    a = data.draw(arrays(dims=(1, 3)))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    wanted = ordered(a, axis=axis)
    out = np.empty(a.shape, a.dtype)
    assert upsweep.sort(a, axis=axis, out=out) is out
    same(out, wanted)
    if a.flags.writeable:
        assert upsweep.sort(a, axis=axis, out=a) is a
        same(a, wanted)
    else:
        with pytest.raises(ValueError):
            upsweep.sort(a, axis=axis, out=a)


@given(long_vectors())
def test_sort_long(a):
    same(upsweep.sort(a), ordered(a))
    same(upsweep.sort(a, descending=True), falling(a))
    b = one_zero_one_nan(a)
    same(upsweep.argsort(b), np.argsort(b, kind="stable"))
    order = upsweep.argsort(b, descending=True)
    same(b[order], falling(b))
    ties = (b[order][1:] == b[order][:-1])
    assert (order[1:][ties] > order[:-1][ties]).all()  # stable, descending too


@given(st.data())
def test_sort_with_positions(data):
    a = data.draw(arrays(plain=True))
    axis = data.draw(axes(a))
    before = a.copy()
    values, index = upsweep.sort(a, axis=axis, return_index=True)
    same(values, ordered(a, axis=axis))
    same(index, np.argsort(a, axis=axis, kind="stable"))
    same(a, before)
    if a.ndim:
        out = np.empty(values.shape, a.dtype)
        down, places = upsweep.sort(a, axis=axis, descending=True, out=out, return_index=True)
        assert down is out
        same(places, upsweep.argsort(a, axis=axis, descending=True))


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_results_that_overlap(dtype):
    """out may be x or lie apart; what overlaps is no way to lose elements."""
    for n in (5, 3000):
        rng = np.random.default_rng(n)
        for shift in (0, 1, n // 2, n):
            store = rng.integers(0, 100, 2 * n).astype(dtype)
            x, out = store[:n], store[shift:shift + n]
            wanted, sums = np.sort(x), np.cumsum(x)
            if dtype == np.float64:
                again = store.copy()
                assert upsweep.cumsum(again[:n], out=again[shift:shift + n]) is not None
                same(again[shift:shift + n], sums)
            assert upsweep.sort(x, out=out) is out
            same(out, wanted)


TEXTS = ["", "a", "b", "ab", "a\u0301", "\u00e9", "\u65e5\u672c", "zz", "\U0001f600"]


@given(st.lists(st.one_of(st.sampled_from(TEXTS), st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)), max_size=40))
def test_text(words):
    for a in (np.array(words, dtype=str), np.array([w.encode() for w in words], dtype=bytes),
              np.array(words, dtype=str).astype(">U8")):
        if a.dtype.kind == "U" and a.dtype.byteorder == ">":
            same(upsweep.sort(a), np.sort(a))
        order = np.argsort(a, kind="stable")
        same(upsweep.argsort(a), order)
        assert upsweep.sort(a).tolist() == a[order].tolist()
        values, index = upsweep.sort(a[::-1], return_index=True, descending=True)
        assert values.tolist() == a[order][::-1].tolist()
        assert a[::-1][index].tolist() == values.tolist()
    grid = np.resize(np.array(words or ["x"]), (3, 4))
    for axis in (0, 1, -1, None):
        same(upsweep.sort(grid, axis=axis), np.sort(grid, axis=axis))
        same(upsweep.argsort(grid, axis=axis), np.argsort(grid, axis=axis, kind="stable"))


@given(st.data())
def test_argsort(data):
    a = data.draw(arrays(plain=True))
    axis = data.draw(axes(a))
    same(upsweep.argsort(a, axis=axis), np.argsort(a, axis=axis, kind="stable"))


def test_zeros_and_nans_keep_their_bits():
    a = np.array([0x7fc00001, 0x80000000, 0, 0xffc00000, 0x3f800000], np.uint32).view(np.float32)
    got = upsweep.sort(a).view(np.uint32)
    assert got.tolist() == [0x80000000, 0, 0x3f800000, 0x7fc00001, 0xffc00000]


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ns]", ">M8[D]"])
def test_datetimes(dtype):
    rng = np.random.default_rng(3)
    a = rng.integers(-5, 5, 100).astype("i8").astype(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    a[::7] = "NaT"
    same(upsweep.sort(a), ordered(a))
    same(upsweep.argsort(a), np.argsort(a, kind="stable"))
    down = upsweep.sort(a, descending=True)
    assert np.isnat(down[-15:]).all() and not np.isnat(down[:-15]).any()
    same(down[:85], ordered(a)[:85][::-1])
    same(upsweep.unique(a), np.unique(a))


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


@given(st.data())
def test_merge(data):
    dtype = data.draw(st.sampled_from(INTS + FLOATS))
    a = data.draw(arrays([dtype], dims=(1, 1), side=40))
    b = data.draw(arrays([dtype], dims=(1, 1), side=40))
    a, b = a.astype(dtype), b.astype(dtype)
    same(upsweep.merge(upsweep.sort(a), upsweep.sort(b)), ordered(np.concatenate([a, b])))
    assert upsweep.is_sorted(upsweep.sort(a, descending=True), descending=True)
    same(upsweep.merge(upsweep.sort(a, descending=True), upsweep.sort(b, descending=True),
                       descending=True), falling(np.concatenate([a, b])))


@given(arrays(dims=(1, 1), side=30))
def test_is_sorted(a):
    raw = upsweep.sort(a)
    assert upsweep.is_sorted(raw)
    assert upsweep.is_sorted(a) == (a.tobytes() == raw.tobytes())


@given(st.data())
def test_lexsort(data):
    n = data.draw(st.sampled_from([0, 1, 7, 1000]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    keys = [rng.integers(0, 5, n).astype(data.draw(st.sampled_from(INTS + FLOATS)))
            for _ in range(data.draw(st.integers(1, 4)))]
    same(upsweep.lexsort(keys), np.lexsort(keys))


def test_lexsort_of_ranges():
    """Columns of integers whose ranges just fit into 64 bits with the position, and those that don't."""
    rng = np.random.default_rng(7)
    for trial in range(300):
        n, keys = int(rng.integers(0, 300)), []
        for _ in range(rng.integers(2, 6)):
            dtype = np.dtype(str(rng.choice(INTS)))
            least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
            span = [0, 1, 100, 2**16, 2**27, 2**31, 2**55, 2**62, 2**64][rng.integers(9)]
            low = [least, 0, max(least, -5), max(least, most - span)][rng.integers(4)]
            keys.append(rng.integers(low, min(most, low + span), n, dtype=dtype, endpoint=True))
            if n > 1:  # the ends of the range are there
                keys[-1][:2] = low, min(most, low + span)
        same(upsweep.lexsort(keys), np.lexsort(keys))
        rows = list(zip(*(k.tolist() for k in reversed(keys))))
        wanted = sorted(range(n), key=lambda i: tuple(-v for v in rows[i]))
        assert upsweep.lexsort(keys, descending=True).tolist() == wanted


@given(st.data())
def test_sort_pairs(data):
    a = one_zero_one_nan(data.draw(long_vectors(most=5000)))
    values = np.arange(a.size * 3, dtype="i4").reshape(a.size, 3)
    order = np.argsort(a, kind="stable")
    keys, moved = upsweep.sort_pairs(a, values)
    same(keys, a[order])
    same(moved, values[order])
    b, v = a.copy(), values.copy()
    upsweep.sort_pairs(b, v, in_place=True)
    same(b, keys)
    same(v, moved)


def test_sort_pairs_moves_any_dtype():
    for values in (np.array(["x", "yyy", "z"]), np.array([1j, 2j, 3j]),
                   np.array([(1, 2.0), (3, 4.0), (5, 6.0)], "i4,f8")):
        same(upsweep.sort_pairs(np.array([3, 1, 2]), values)[1], values[[1, 2, 0]])


@given(st.integers(0, 2**32), st.sampled_from([0, 1, 50, 3000]))
def test_sort_records(seed, n):
    rng = np.random.default_rng(seed)
    r = np.empty(n, [("a", "i2"), ("name", "S3"), ("x", "f4"), ("tail", "u1", 5)])
    r["a"], r["x"] = rng.integers(-2, 2, n), rng.integers(-2, 2, n)
    r["name"] = rng.choice([b"", b"a", b"ab", b"b"], n)
    r["tail"] = rng.integers(0, 255, (n, 5))
    for order in (["a"], ["name", "a"], ["x", "a", "name"]):
        same(upsweep.sort_records(r, order), r[np.lexsort([r[f] for f in reversed(order)])])
    same(upsweep.sort_records(r, ["-a", "x"]), r[np.lexsort([r["x"], -r["a"]])])
    again = r.copy()
    assert upsweep.sort_records(again, "x", out=again) is again
    same(again["x"], ordered(r["x"]))


@given(st.data())
def test_sort_rows(data):
    a = data.draw(long_vectors(INTS, most=5000))
    cuts = sorted(data.draw(st.lists(st.integers(0, a.size), max_size=20)))
    begin = np.array([0, *cuts, a.size])
    got, index = upsweep.sort_rows(a, begin, return_index=True)
    for b, e in zip(begin[:-1], begin[1:]):
        same(got[b:e], ordered(a[b:e]))
        same(index[b:e], np.argsort(a[b:e], kind="stable"))
    two = a[:a.size // 10 * 10].reshape(-1, 10)
    same(upsweep.sort_rows(two), ordered(two))


def test_errors():
    x = np.arange(3)
    for call, kind in [
        (lambda: upsweep.sort(x, axis=1), np.exceptions.AxisError if hasattr(np, "exceptions")
         else ValueError),
        (lambda: upsweep.partition(np.array(["a", "b"]), 0), TypeError),
        (lambda: upsweep.sort(np.array([1j])), TypeError),
        (lambda: upsweep.sort(np.array([object()])), TypeError),
        (lambda: upsweep.sort(np.ma.array([1, 2], mask=[0, 1])), TypeError),
        (lambda: upsweep.sort(x, out=np.empty(4, int)), ValueError),
        (lambda: upsweep.sort(x, out=np.empty(3, "f4")), TypeError),
        (lambda: upsweep.partition(x, 3), ValueError),
        (lambda: upsweep.partition(x, 1.5), TypeError),
        (lambda: upsweep.top_k(x, 4), ValueError),
        (lambda: upsweep.sort_pairs(x, x[:2]), ValueError),
        (lambda: upsweep.lexsort([]), ValueError),
        (lambda: upsweep.lexsort([x, x[:2]]), ValueError),
        (lambda: upsweep.merge(x, x.astype("f4")), TypeError),
        (lambda: upsweep.sort_records(x), TypeError),
        (lambda: upsweep.sort_rows(x, [0, 9]), IndexError),
        (lambda: upsweep.sort_rows(x, [0, -1]), IndexError),
        (lambda: upsweep.searchsorted(x, x, side="up"), ValueError),
    ]:
        with pytest.raises(kind):
            call()
    same(x, np.arange(3))


def test_lists_and_scalars():
    same(upsweep.sort([3, 1, 2]), np.array([1, 2, 3]))
    same(upsweep.sort(7, axis=None), np.array([7]))
    with pytest.raises(ValueError):
        upsweep.sort(7)


def test_huge_memory_is_an_exception():
    a = np.broadcast_to(np.float64(0), (1 << 50,))
    with pytest.raises(MemoryError):
        upsweep.sort(a)


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

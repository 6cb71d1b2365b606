"""Sorts and their kin beside numpy: all dtypes, shapes, strides, axes."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import upsweep
from hypothesis import given, strategies as st
from shared import DTYPES, FLOATS, INTS, arrays, axes, falling, long_vectors, one_zero_one_nan, ordered, same


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
        values, index = upsweep.sort(a, return_index=True)
        same(values, a[order])
        same(index, order)
    grid = np.resize(np.array(words or ["x"]), (3, 4))
    for axis in (0, 1, -1, None):
        same(upsweep.sort(grid, axis=axis), np.sort(grid, axis=axis))
        same(upsweep.argsort(grid, axis=axis), np.argsort(grid, axis=axis, kind="stable"))


@pytest.mark.parametrize("top", [0x80, 0x100, 0x101, 0x300, 0x10000, 0x10001, 0x110000])
def test_text_by_its_greatest_code_point(top):
    points = np.random.default_rng(top).integers(1, top, 600, dtype="u4")
    points[7] = top - 1
    for a in (points.view("U1"), points.view("U3")):
        same(upsweep.argsort(a), np.argsort(a, kind="stable"))
        same(upsweep.sort(a), np.sort(a))


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


def by_one_key_after_another(keys, down):
    order = np.arange(keys[0].size)
    for k in keys:
        order = order[upsweep.argsort(k[order], descending=down)]
    return order


@pytest.mark.parametrize("n", [2, 3, 16, 70, 1000, 20_000])
def test_lexsort_of_floats(n):
    """NaNs, too, whose bits differ, and zeros of both signs; few rows that are equal in the last key, and all."""
    rng = np.random.default_rng(n)
    for case in range(60 if n < 2000 else 12):
        keys = []
        for _ in range(int(rng.integers(2, 5))):
            dtype = np.dtype(str(rng.choice(["f2", "f4", "f8", "i8", "u1", "i4"])))
            bits = rng.integers(0, 256, (n, dtype.itemsize), np.uint8).view(dtype).reshape(-1)  # NaNs of all bits
            values = [bits, rng.choice(bits, n), rng.choice(bits[:2], n), np.resize(bits[:1], n),
                      np.where(rng.random(n) < 0.2, np.roll(bits, 1), bits)]
            if dtype.kind == "f":
                values.append(rng.choice(np.array([0.0, -0.0, np.nan, -np.nan, 1, -np.inf], dtype), n))
            keys.append(values[rng.integers(len(values))])
        for down in (False, True):
            same(upsweep.lexsort(keys, descending=down), by_one_key_after_another(keys, down))


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


def test_lexsort_of_ends():
    """The greatest double of a row, and the least of the row behind it, whatever lies between them."""
    rng = np.random.default_rng(5)
    for trial in range(200):
        ends = np.sort(rng.standard_normal(2) * 10.0 ** rng.integers(-9, 9))
        real, few = rng.uniform(*ends, 300), rng.integers(0, 9, 300).astype("u1")
        real[:2], few[:2] = ends[::-1], (3, 4)
        same(upsweep.lexsort((real, few)), np.lexsort((real, few)))
        same(upsweep.lexsort((real, few), descending=True), by_one_key_after_another((real, few), True))
        same(upsweep.lexsort((few, real)), np.lexsort((few, real)))
        same(upsweep.lexsort((few, real), descending=True), by_one_key_after_another((few, real), True))


@pytest.mark.parametrize("n", [40, 900, 9000])
def test_lexsort_of_neighbours(n):
    """Columns too wide for one number with the position, whose rows differ in the lowest bits alone."""
    rng = np.random.default_rng(n)
    whole = np.repeat(rng.integers(-2**62, 2**62, n // 4), 4) + rng.integers(0, 3, n)
    real = np.repeat(rng.standard_normal(n // 4), 4)
    real = np.where(rng.random(n) < 0.5, np.nextafter(real, 9), real)
    small, few = rng.integers(0, 9, n).astype("i2"), rng.integers(0, 3, n).astype("u1")
    for a in (whole, real):
        for keys in ((a, few), (few, a), (few, a, few), (small, a, few), (a, real, few), (a, few, whole)):
            shuffled = [k[rng.permutation(n)] if k is few else k for k in keys]
            for down in (False, True):
                same(upsweep.lexsort(shuffled, descending=down), by_one_key_after_another(shuffled, down))


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


@given(st.data())
def test_arguments_as_numpy_has_them(data):
    """The axis by its place, and every kind, which is stable here as merge sort is."""
    a = data.draw(arrays(dims=(1, 3), plain=True))
    axis = data.draw(st.integers(-a.ndim, a.ndim - 1))
    kind = data.draw(st.sampled_from([None, "quicksort", "mergesort", "heapsort", "stable", "quick", "m", "Stable"]))
    for call in (lambda m: m.sort(a, axis, "stable"), lambda m: m.argsort(a, axis, "stable"),
                 lambda m: m.argsort(a, axis=axis, kind="mergesort")):
        same(call(upsweep), call(np))
    same(upsweep.sort(a, axis, kind), ordered(a, axis))
    same(upsweep.argsort(a, None, kind=kind), np.argsort(a, None, "stable"))
    wide = "f8" if a.dtype.kind == "f" else "i8"
    whole = np.nan_to_num(a.astype(wide)) % 7
    for name in ("cumsum", "cumprod", "sum", "prod"):
        same(getattr(upsweep, name)(whole, axis, wide), getattr(np, name)(whole, axis, wide))
    if a.shape[axis]:
        k = a.shape[axis] - 1
        last = (slice(None),) * (axis % a.ndim) + (k,)
        same(upsweep.partition(a, k, axis)[last], ordered(a, axis)[last])
        same(np.take_along_axis(a, upsweep.argpartition(a, k, axis), axis)[last], ordered(a, axis)[last])
        same(upsweep.take(a, [], 0), np.take(a, np.empty(0, int), 0))
        if a.dtype != bool:
            same(upsweep.top_k(a, k + 1, axis)[0], falling(a, axis))
        for name, theirs in (("min", np.fmin), ("max", np.fmax)):
            same(getattr(upsweep, name)(a, axis), theirs.reduce(a, axis))


def test_kinds_that_are_none():
    for call in (upsweep.sort, upsweep.argsort):
        for kind, error in (("bubble", ValueError), ("", ValueError), (True, TypeError), (3, TypeError)):
            with pytest.raises(error, match="^kind must be"):
                call([3, 1], -1, kind)
        with pytest.raises(TypeError, match="positional"):
            call([3, 1], -1, None, True)


def test_lexsort_of_one_array():
    for keys in (np.arange(3), [1, 2], np.array(["a", "b"]), 7 * [np.float32(1)]):
        with pytest.raises(ValueError, match=r"^lexsort takes keys, each .* one key as \(x,\)$"):
            upsweep.lexsort(keys)
    same(upsweep.lexsort((np.array([2, 1]),)), np.array([1, 0]))


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

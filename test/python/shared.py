"""What the tests of the package share: arrays of all dtypes, shapes and strides, and comparisons."""
# SPDX-License-Identifier: MIT
import ctypes

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

INTS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
FLOATS = ["f2", "f4", "f8"]
DTYPES = INTS + FLOATS + ["?"]


def elements(dtype):
    """Few values, all values, and for floats NaN, infinities and both zeros."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        some = st.sampled_from([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5])
        return st.one_of(some, hnp.from_dtype(dtype, allow_nan=True, allow_infinity=True))
    if dtype.kind == "b":
        return st.booleans()
    limits = np.iinfo(dtype)
    few = st.sampled_from([0, 1, 2, 3, int(limits.max), int(limits.min)])
    return st.one_of(few, hnp.from_dtype(dtype))


def one_zero_one_nan(a):
    """numpy calls zeros equal, and NaNs, where ours have an order by their bits: positions may differ there."""
    return np.where(np.isnan(a), np.array(np.nan, a.dtype), a + a.dtype.type(0)) if a.dtype.kind == "f" else a


@st.composite
def arrays(draw, dtypes=None, dims=(0, 3), side=9, strided=True, plain=False):
    """Arrays of the dtypes, contiguous or not; plain: with one zero and one NaN."""
    dtype = np.dtype(draw(st.sampled_from(dtypes or DTYPES)))
    shape = draw(hnp.array_shapes(min_dims=dims[0], max_dims=dims[1], min_side=0, max_side=side)
                 if dims[1] else st.just(()))
    a = draw(hnp.arrays(dtype, shape, elements=elements(dtype)))
    a = one_zero_one_nan(a) if plain else a
    return draw(laid_out(a)) if strided and a.ndim else a


@st.composite
def laid_out(draw, a):
    """The same elements with other strides, order of bytes or protection."""
    way = draw(st.sampled_from(["C", "F", "step", "back", "swapped", "read-only", "apart"]))
    if way == "F":
        return np.asfortranarray(a)
    if way == "step":
        wide = np.zeros(a.shape[:-1] + (2 * a.shape[-1],), a.dtype)
        wide[..., ::2] = a
        return wide[..., ::2]
    if way == "back":
        return a[::-1].copy()[::-1]
    if way == "swapped" and a.dtype.kind in "iuf":
        return a.astype(a.dtype.newbyteorder(">"))
    if way == "read-only":
        b = a.copy()
        b.flags.writeable = False
        return b
    if way == "apart":  # not aligned
        raw = np.zeros(a.nbytes + 1, np.uint8)
        b = raw[1:].view(a.dtype).reshape(a.shape)
        b[...] = a
        return b
    return a


@st.composite
def long_vectors(draw, dtypes=None, most=40000):
    """Long arrays of one dimension by a seed: uniform, few values, sorted, with NaNs."""
    dtype = np.dtype(draw(st.sampled_from(dtypes or INTS + FLOATS)))
    n = draw(st.sampled_from([0, 1, 2, 100, 499, 500, 1000, 4097, most]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    way = draw(st.sampled_from(["uniform", "few", "sorted", "special"]))
    if dtype.kind == "f":
        a = rng.standard_normal(n)
        if way == "special" and n:
            a[rng.integers(0, n, n // 5)] = np.nan
            a[rng.integers(0, n, n // 5)] = -0.0
            a[rng.integers(0, n, n // 5)] = 0.0
    else:
        limits = np.iinfo(dtype)
        a = rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
    if way == "few" and n:
        a = a[rng.integers(0, min(n, 5), n)]
    a = a.astype(dtype)
    return ordered(a) if way == "sorted" else a


def same(a, b):
    """Equal shape, dtype and elements, NaN equal to NaN."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype, (a.dtype, b.dtype)
    assert a.shape == b.shape, (a.shape, b.shape)
    np.testing.assert_array_equal(a, b)


def ordered(a, axis=-1):
    """np.sort by its stable method: the default one sorts f16 wrongly with AVX-512 (numpy 2.0 to
    2.5)."""
    return np.sort(a, axis=axis, kind="stable")


def falling(a, axis=-1):
    """np.sort in descending order with NaN last."""
    a = np.asarray(a)
    if a.dtype.kind != "f":
        return np.flip(ordered(a, axis), axis).astype(a.dtype)
    return (-ordered(-a, axis)).astype(a.dtype)


def axes(a):
    return st.one_of(st.none(), st.integers(-a.ndim, a.ndim - 1)) if a.ndim else st.none()


def as_bf16(capsule):
    """A DLPack capsule of 16-bit elements, whose type code becomes bf16's."""
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    ctypes.c_uint8.from_address(address(capsule, b"dltensor") + 20).value = 4  # DLTensor.dtype.code
    return capsule

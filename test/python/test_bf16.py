"""Arrays of numpy of the dtype bfloat16 of ml_dtypes, beside the same numbers as f32."""
# SPDX-License-Identifier: MIT
import types

import numpy as np
import pytest

import upsweep
from shared import as_bf16

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = ml_dtypes.bfloat16


def bits(a):
    return np.asarray(a).astype(BF16).view("u2").tolist()


def given(n, special):
    rng = np.random.default_rng(n)
    x = rng.standard_normal(n).astype(BF16)
    if n and special:
        x[rng.integers(0, n, n // 2 + 1)] = rng.choice(np.array([np.nan, -0.0, 0.0, np.inf, -np.inf], BF16), n // 2 + 1)
    return x


CASES = [(0, False), (1, True), (7, True), (300, True), (5000, True), (70000, True), (5000, False)]


@pytest.mark.parametrize("n,special", CASES)
def test_order(n, special):
    x = given(n, special)
    f = x.astype("f4")
    made = upsweep.sort(x)
    assert made.dtype == BF16 and bits(made) == bits(upsweep.sort(f))
    for down in (False, True):
        assert upsweep.argsort(x, descending=down).tolist() == upsweep.argsort(f, descending=down).tolist()
    assert bits(upsweep.sort(x[::2])) == bits(upsweep.sort(f[::2]))
    assert bits(upsweep.top_k(x, n // 2)[0]) == bits(upsweep.top_k(f, n // 2)[0])
    if n:
        assert bits(upsweep.partition(x, n // 2)[n // 2]) == bits(made[n // 2])
    assert upsweep.lexsort((f, x)).tolist() == upsweep.lexsort((f, f)).tolist()
    assert bits(upsweep.merge(made, made)) == bits(upsweep.merge(made.astype("f4"), made.astype("f4")))
    x2 = x.copy()
    assert upsweep.sort(x2, out=x2) is x2 and bits(x2) == bits(made)


@pytest.mark.parametrize("n,special", CASES)
def test_unique(n, special):
    x = given(n, special)
    f = x.astype("f4")
    for equal in (True, False):
        for asked in ({}, {"return_counts": True}, {"return_index": True, "return_inverse": True}):
            got = upsweep.unique(x, equal_nan=equal, **asked)
            wanted = upsweep.unique(f, equal_nan=equal, **asked)
            got, wanted = (got, wanted) if asked else ((got,), (wanted,))
            assert got[0].dtype == BF16 and np.array_equal(got[0].astype("f4"), wanted[0], equal_nan=True)
            assert all(np.array_equal(a, b) for a, b in zip(got[1:], wanted[1:]))


@pytest.mark.parametrize("n,special", CASES)
def test_reductions(n, special):
    x = given(n, special)
    f = x.astype("f4")
    total = upsweep.sum(x)
    assert type(total) is BF16
    if not special:  # the sum in f64, rounded once
        assert total == upsweep.sum(f, dtype="f8").astype(BF16)
    assert upsweep.sum(x, dtype="f4").dtype == np.float32
    assert bits(upsweep.cummax(x)) == bits(upsweep.cummax(f)) and upsweep.cumsum(x).dtype == BF16
    if n == 0:
        return
    for ours in (upsweep.min, upsweep.max):
        assert type(ours(x)) is BF16 and bits(ours(x)) == bits(ours(f))
        rows = ours(x[:n - n % 5].reshape(-1, 5) if n >= 5 else x.reshape(1, -1), axis=1)
        assert rows.dtype == BF16
    assert bits(upsweep.minmax(x)) == bits(upsweep.minmax(f)) and type(upsweep.minmax(x)[0]) is BF16
    assert upsweep.argmin(x) == upsweep.argmin(f) and upsweep.argmax(x) == upsweep.argmax(f)


def test_refused():
    x = given(10, False)
    with pytest.raises(TypeError, match="bf16 as f32"):
        upsweep.histogram(x, 3)
    with pytest.raises(TypeError):
        upsweep.bitwise_or(x)
    with pytest.raises(TypeError, match="float8"):
        upsweep.sort(np.zeros(3, ml_dtypes.float8_e5m2))


def test_dlpack():
    class Tensor:  # as jax has it: its type code is bf16's
        def __init__(self, a):
            self.a = a

        def __array_namespace__(self):
            return types.SimpleNamespace(asarray=lambda a: ("made", a))

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()

        def __dlpack__(self, **options):
            return as_bf16(self.a.__dlpack__())

    x = np.array([3.0, -1.0, 2.0], BF16)
    for call in (upsweep.sort, upsweep.unique, lambda a: upsweep.unique(a, return_counts=True)[0]):
        made, values = call(Tensor(x.view("u2")))
        assert made == "made" and values.dtype == BF16 and values.tolist() == [-1.0, 2.0, 3.0]
    assert upsweep.sum(Tensor(x.view("u2"))) == 4.0 and upsweep.argsort(Tensor(x.view("u2")))[1].tolist() == [1, 2, 0]

"""Arrays of cupy: pytest test/python/gpu_cupy.py, on a machine with a GPU and cupy."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest
import upsweep

cupy = pytest.importorskip("cupy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    pytest.skip("there is no GPU that cupy can use", allow_module_level=True)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 1000, 100_003])
def test_sort(dtype, n):
    a = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
    x = cupy.asarray(a)
    got = upsweep.sort(x)
    assert isinstance(got, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(got), np.sort(a, kind="stable"))
    np.testing.assert_array_equal(cupy.asnumpy(upsweep.argsort(x)), np.argsort(a, kind="stable"))
    values, index = upsweep.sort(x, return_index=True)
    np.testing.assert_array_equal(cupy.asnumpy(index), np.argsort(a, kind="stable"))
    np.testing.assert_array_equal(cupy.asnumpy(values), np.sort(a, kind="stable"))
    out = cupy.zeros_like(x)
    assert upsweep.sort(x, out=out) is out
    np.testing.assert_array_equal(cupy.asnumpy(out), np.sort(a, kind="stable"))
    np.testing.assert_array_equal(cupy.asnumpy(x), a)
    two = x[:n // 10 * 10].reshape(10, -1)
    np.testing.assert_array_equal(cupy.asnumpy(upsweep.sort(two, axis=0)),
                                  np.sort(cupy.asnumpy(two), axis=0, kind="stable"))


def test_folds():
    a = np.random.default_rng(1).standard_normal(1 << 20).astype("f4")
    x = cupy.asarray(a)
    assert upsweep.sum(x).tobytes() == upsweep.sum(a).tobytes()  # the same bits, rounded once
    np.testing.assert_array_equal(cupy.asnumpy(upsweep.cumsum(x)), upsweep.cumsum(a))
    index = cupy.asarray(np.random.default_rng(2).permutation(a.size))
    np.testing.assert_array_equal(cupy.asnumpy(upsweep.take(x, index)), a[cupy.asnumpy(index)])


def test_streams():
    with cupy.cuda.Stream(non_blocking=True):
        x = cupy.random.random(1 << 22)
        assert bool((cupy.diff(upsweep.sort(x * 2)) >= 0).all())

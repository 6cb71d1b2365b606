"""Arrays of cupy: pytest test/python/gpu_cupy.py, on a machine with a GPU and cupy."""
# SPDX-License-Identifier: MIT
import gc
import threading
import time
import weakref

import numpy as np
import pytest
import upsweep

cupy = pytest.importorskip("cupy")
try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    pytest.skip("there is no GPU that cupy can use", allow_module_level=True)
LONG = 20_003 if hasattr(cupy, "emulated") else 100_003


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 1000, LONG])
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


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f4"])
def test_kinds_of_arrays(dtype):
    """Views with strides, in columns, of one element, of none and of no dimension; along every axis."""
    a = (np.random.default_rng(3).integers(0, 9, 3000) - 4).astype(dtype)
    x = cupy.asarray(a)
    for of in (lambda v: v, lambda v: v[::3], lambda v: v[::-1], lambda v: v.reshape(1, -1), lambda v: v[:1],
               lambda v: v[:0], lambda v: v.reshape(30, 100).T, lambda v: v.reshape(10, 20, 15), lambda v: v[7:2000],
               lambda v: v.reshape(30, 100)[::2, 5:], lambda v: v.reshape(3, -1)[:0]):
        here, there = of(a), of(x)
        for axis in [None, *range(here.ndim)]:
            wanted = np.argsort(here, axis=axis, kind="stable")
            values, index = upsweep.sort(there, axis=axis, return_index=True)
            for got in (index, upsweep.argsort(there, axis=axis)):
                assert type(got) is cupy.ndarray and got.dtype == "i8"
                np.testing.assert_array_equal(cupy.asnumpy(got), wanted)
            for got in (values, upsweep.sort(there, axis=axis)):
                assert type(got) is cupy.ndarray and got.dtype == dtype
                np.testing.assert_array_equal(cupy.asnumpy(got), np.sort(here, axis=axis, kind="stable"))
        assert upsweep.sort(there).device == there.device
    np.testing.assert_array_equal(cupy.asnumpy(x), a)
    none = cupy.asarray(np.array(3, dtype))
    assert upsweep.sort(none, axis=None).shape == (1,) and upsweep.sum(none) == np.sum(cupy.asnumpy(none))
    with pytest.raises(np.exceptions.AxisError):
        upsweep.sort(none)


def test_what_comes_out():
    x = cupy.asarray(np.arange(12.0).reshape(3, 4))
    for call in (upsweep.sum, upsweep.prod, upsweep.max):
        for axis in (None, 0, 1, (0, 1)):
            got = call(x, axis=axis, keepdims=True)
            assert type(got) is cupy.ndarray and got.dtype == "f8" and got.ndim == 2
            np.testing.assert_array_equal(cupy.asnumpy(got), call(cupy.asnumpy(x), axis=axis, keepdims=True))
    for wrong in (cupy.asarray(np.zeros(3, "c8")), cupy.asarray(np.zeros((2, 3), "c16"))):
        with pytest.raises(TypeError):
            upsweep.sort(wrong)
    with pytest.raises(TypeError):
        upsweep.sort(x, out=np.zeros((3, 4)))
    with pytest.raises((TypeError, ValueError)):
        upsweep.sort(x, out=cupy.zeros((4, 3)))


def test_streams():
    n = 1 << 12 if hasattr(cupy, "emulated") else 1 << 22
    with cupy.cuda.Stream(non_blocking=True):
        x = cupy.random.random(n)
        assert bool((cupy.diff(upsweep.sort(x * 2)) >= 0).all())
    one, other = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
    for stream in (one, other, one):  # each call goes to the stream that is current, behind what is there
        with stream:
            y = cupy.asarray(np.arange(n)[::-1].copy())
            for _ in range(20):
                y = y + 1
            got = upsweep.sort(y)
            assert bool((got == cupy.arange(20, 20 + n)).all())


def test_streams_that_end():
    """A stream ends with its object: not while a handle may wait for it, nor is it kept for ever."""
    x = cupy.asarray(np.arange(5000)[::-1].copy())
    sliced, seen = x[::2], []

    def sort(array):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            seen.append(weakref.ref(stream))
            got = upsweep.sort(array)
            stream.synchronize()
            return got

    for array in (x, sliced, x, sliced):  # by its attributes in the module, and in Python
        sort(array)
        gc.collect()
        assert seen[-1]() is not None and all(before() is None for before in seen[:-1])
    wrong = []

    def work():
        for turn in range(20):  # each of another length: the emulator takes no memory while a graph is captured
            got = cupy.asnumpy(sort(x[turn:]))
            wrong.extend([] if np.array_equal(got, np.arange(5000 - turn)) else [turn])

    for _ in range(5):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    end = time.monotonic() + 20
    while any(stream() is not None for stream in seen) and time.monotonic() < end:
        time.sleep(0.01)  # a thread's handles are closed after it was joined
        upsweep.sort(x)  # in the stream of all; lets go of those of threads that ended
        gc.collect()
    assert not wrong and all(stream() is None for stream in seen)

"""A module `cupy` whose arrays say that they are on a GPU and lie in the host's memory, over the emulator
of GPUs, as fake_torch.py has it for tensors. numpy is not given such an array, as it is not given cupy's.

    UPSWEEP_CUDA_PLUGIN=libupsweep_cuda_emulated.so python -m pytest -p fake_cupy gpu_cupy.py gpu_fuzz.py
"""
# SPDX-License-Identifier: MIT
import sys
import threading
import types

import numpy as np

cupy = types.ModuleType("cupy")
cupy.emulated = True


class Device:
    id = 0

    def __eq__(self, other):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def bare(x):
    """What numpy computes with for x, which may be an array of ours, or hold some."""
    return x.a if isinstance(x, ndarray) else tuple(map(bare, x)) if isinstance(x, tuple) else x


class ndarray:
    device = Device()

    def __init__(self, shape, dtype=float):
        self.a = shape if isinstance(shape, np.ndarray) else np.empty(shape, dtype)

    def __getattr__(self, name):
        if name not in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes", "flags", "strides", "tobytes", "item"):
            raise AttributeError(name)
        return getattr(self.a, name)

    data = property(lambda self: types.SimpleNamespace(ptr=self.a.ctypes.data, device_id=0))
    T = property(lambda self: ndarray(self.a.T))

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __setitem__(self, key, value):
        self.a[bare(key)] = bare(value)

    def __len__(self):
        return len(self.a)


def by_numpy(name):
    def operate(x, *rest, **named):
        made = getattr(x.a, name)(*map(bare, rest), **named)
        return made if made is NotImplemented else ndarray(np.asarray(made))
    return operate


for method in ("reshape", "copy", "astype", "transpose", "view", "ravel", "all", "sum", "__getitem__", "__invert__"):
    setattr(ndarray, method, by_numpy(method))
for operator in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "add", "radd", "sub", "rsub", "mul", "rmul"):
    setattr(ndarray, f"__{operator}__", by_numpy(f"__{operator}__"))
for name in ("bool", "int", "float", "index"):
    setattr(ndarray, f"__{name}__", lambda self, name=name: getattr(self.a, f"__{name}__")())

ndarray.__module__ = "cupy"
cupy.ndarray = ndarray
cupy.asarray = lambda x: x if isinstance(x, ndarray) else ndarray(np.array(x))
cupy.asnumpy = bare
for name in ("moveaxis", "ascontiguousarray", "empty", "zeros", "empty_like", "zeros_like", "arange", "diff"):
    setattr(cupy, name, lambda *rest, name=name, **named: ndarray(getattr(np, name)(*map(bare, rest), **named)))
cupy.random = types.SimpleNamespace(random=lambda n: ndarray(np.random.default_rng(n).random(n)))


class Stream:
    ptr = 0

    def synchronize(self):
        pass

    def __init__(self, non_blocking=False):
        self.before = []

    def __enter__(self):
        self.before.append(get_current_stream())
        current.stream = self
        return self

    def __exit__(self, *_):
        current.stream = self.before.pop()


Stream.null = Stream()
current = threading.local()


def get_current_stream():
    return getattr(current, "stream", Stream.null)


cupy.cuda = types.SimpleNamespace(
    runtime=types.SimpleNamespace(getDevice=lambda: 0, getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError),
    get_current_stream=get_current_stream, Stream=Stream, Device=lambda _: Device())
sys.modules["cupy"] = cupy

"""A module `torch` whose tensors say that they are on a GPU and lie in the host's memory, over the
emulator of GPUs: so that the package's way for tensors runs on any machine. test_devices.py starts it
with UPSWEEP_CUDA_PLUGIN=libupsweep_cuda_emulated.so, with FAKE_EXCHANGE=1 also with DLPack's C exchange
API, as torch has it from 2.10 on; `asked` counts what was asked by it."""
# SPDX-License-Identifier: MIT
import ctypes
import os
import sys
import types

import numpy as np

torch = types.ModuleType("torch")
NAMES = {"uint8": "u1", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "float16": "f2",
         "float32": "f4", "float64": "f8", "bool": "?", "uint16": "u2", "uint32": "u4", "uint64": "u8"}
for name, code in NAMES.items():
    setattr(torch, name, np.dtype(code))
torch.bfloat16 = "bfloat16"
torch.contiguous_format = "contiguous"
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)


class Device:
    type = "cuda"
    index = 0

    def __eq__(self, other):
        return True


torch.strided = "strided"


class Tensor:
    is_cuda, requires_grad, device, layout = True, False, Device(), torch.strided

    def __init__(self, a):
        self.a = a
        self.dtype, self.shape, self.ndim = a.dtype, a.shape, a.ndim

    def data_ptr(self):
        return self.a.ctypes.data

    def numel(self):
        return self.a.size

    def element_size(self):
        return self.a.itemsize

    def is_neg(self):
        return False

    def is_contiguous(self):
        return self.a.flags.c_contiguous

    def contiguous(self):
        return self if self.is_contiguous() else Tensor(np.ascontiguousarray(self.a))

    def clone(self, memory_format=None):
        return Tensor(np.array(self.a, order="C", copy=True))

    def new_empty(self, shape, dtype=None):
        return Tensor(np.empty(shape, dtype or self.dtype))

    def reshape(self, *shape):
        return Tensor(self.a.reshape(*shape))

    def to(self, where):
        return Tensor(self.a.astype(where)) if isinstance(where, np.dtype) else self

    def __getitem__(self, key):
        return Tensor(self.a[key.a if isinstance(key, Tensor) else key])

    def __setitem__(self, key, value):
        self.a[key.a if isinstance(key, Tensor) else key] = value.a if isinstance(value, Tensor) else value

    def __int__(self):
        return int(self.a)

    def __invert__(self):
        return Tensor(~self.a)


def by_numpy(name):
    """An operator that numpy's arrays have, on tensors and numbers."""
    def operate(x, y):
        return Tensor(np.asarray(getattr(x.a, name)(y.a if isinstance(y, Tensor) else y)))
    return operate


for operator in ("eq", "ne", "and", "or", "add", "sub", "rsub"):
    setattr(Tensor, f"__{operator}__", by_numpy(f"__{operator}__"))


# ---- DLPack's C exchange API, as dlpack.h 1.3 has it ----

asked = {"views": 0, "streams": 0}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("byte_offset", ctypes.c_uint64)]


View = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
Stream = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("before", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("managed_from", ctypes.c_void_p),
                ("managed_to", ctypes.c_void_p), ("view", View), ("stream", Stream)]


def view(x, to):
    asked["views"] += 1
    if getattr(x, "refuses", False):
        return -1
    numbers = ctypes.c_int64 * max(x.ndim, 1)
    x.kept = numbers(*x.shape), numbers(*(s // x.a.itemsize for s in x.a.strides))
    code = {"i": 0, "u": 1, "f": 2, "b": 6}[x.dtype.kind]
    to[0] = DLTensor(x.a.ctypes.data, 2, 0, x.ndim, code, 8 * x.a.itemsize, 1,
                     ctypes.addressof(x.kept[0]), ctypes.addressof(x.kept[1]), 0)
    return 0


def stream(device_type, device, to):
    assert (device_type, device) == (2, 0)
    asked["streams"] += 1
    to[0] = None
    return 0


if os.environ.get("FAKE_EXCHANGE"):
    later = Exchange(2, 0)  # a version that nobody knows, with one that is known behind it
    exchange = Exchange(1, 3, None, None, None, None, View(view), Stream(stream))
    later.before = ctypes.addressof(exchange)
    name = ctypes.c_char_p(b"dlpack_exchange_api")  # which the capsule does not copy
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    Tensor.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(later), name, None)

Tensor.__module__ = "torch"
torch.Tensor = Tensor
torch.empty_like = lambda t, dtype=None: Tensor(np.empty(t.shape, dtype or t.dtype))
torch.movedim = lambda t, a, b: Tensor(np.moveaxis(t.a, a, b))


def from_numpy(a):
    assert isinstance(a, np.ndarray), type(a)
    return Tensor(a)


torch.from_numpy = from_numpy
sys.modules["torch"] = torch

"""A module `torch` whose tensors say that they are on a GPU and lie in the host's memory, over the
emulator of GPUs: so that the package's way for tensors runs on any machine. test_devices.py starts it
with UPSWEEP_CUDA_PLUGIN=libupsweep_cuda_emulated.so."""
# SPDX-License-Identifier: MIT
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


class Tensor:
    is_cuda, requires_grad, device = True, False, Device()

    def __init__(self, a):
        self.a = a
        self.dtype, self.shape, self.ndim = a.dtype, a.shape, a.ndim

    def data_ptr(self):
        return self.a.ctypes.data

    def numel(self):
        return self.a.size

    def element_size(self):
        return self.a.itemsize

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
        return Tensor(self.a[key])

    def __setitem__(self, key, value):
        self.a[key] = value.a if isinstance(value, Tensor) else value

    def __int__(self):
        return int(self.a)


Tensor.__module__ = "torch"
torch.Tensor = Tensor
torch.empty_like = lambda t, dtype=None: Tensor(np.empty(t.shape, dtype or t.dtype))
torch.movedim = lambda t, a, b: Tensor(np.moveaxis(t.a, a, b))
torch.from_numpy = Tensor
sys.modules["torch"] = torch

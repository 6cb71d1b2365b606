"""Device arrays that are known by protocol only, as a kind (_kinds.py)."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._dtypes import code_of


class Bare:
    """A device array of a library that upsweep knows by protocol only: it can be sorted in place
    and reduced, but results need arrays that the caller gives."""

    device = True

    def __init__(self, interface, device):
        self.interface, self.index = interface, device
        self.shape = interface["shape"]
        self.ndim = len(self.shape)


class BareKind:
    device = True

    @staticmethod
    def contiguous(a):
        if a.interface.get("strides") is not None:
            raise ValueError("a device array of this library must be contiguous")
        return a

    @staticmethod
    def empty(shape, code, like):
        raise TypeError("upsweep cannot make device arrays of this library: give out=, or use "
                        "torch or cupy")

    @staticmethod
    def copy(a):
        return BareKind.empty(None, None, a)

    empty_like = index_like = copy

    @staticmethod
    def new(a, shape):
        return BareKind.empty(None, None, a)

    @staticmethod
    def takes(out, a):
        return False

    @staticmethod
    def moveaxis(a, source, target):
        if source not in (target, a.ndim - 1):
            raise TypeError("a device array of this library is taken along its last axis only")
        return a

    @staticmethod
    def code(a):
        return code_of(np.dtype(a.interface["typestr"]))

    @staticmethod
    def view(a):
        address, read_only = a.interface["data"]
        dtype = np.dtype(a.interface["typestr"])
        n = int(np.prod(a.shape, dtype=np.int64))
        return (address, n, code_of(dtype), dtype.itemsize, int(not read_only), a.index, a)

    @staticmethod
    def ready(a):
        _core.set_stream(a.index, 0, None)

    @staticmethod
    def begin(a):
        BareKind.ready(a)
        return BareKind.view(a)

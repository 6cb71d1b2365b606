"""Kinds of arrays: what the functions of the package ask of numpy, torch, cupy and device arrays that
are known by protocol only. A call on a device array costs the host some us; so what a kind is asked
for here makes no array that it need not, and looks nothing up twice. A view of an array has the array
as its last element, so that it lives as long as the view: the call may be all that needs it."""
# SPDX-License-Identifier: MIT
import sys
from functools import partial

import numpy as np

from . import _core
from ._dtypes import BF16, DTYPES, F16, F32, F64, I16, I32, I64, I8, U16, U32, U64, U8, code_of, refuse

BYTES = (0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8)  # of an element, by the number of its type


class Numpy:
    """Arrays in the host's memory."""

    device = False

    @staticmethod
    def contiguous(a):
        return np.ascontiguousarray(a)

    @staticmethod
    def moveaxis(a, source, target):
        order = list(range(a.ndim))  # numpy.moveaxis takes 4 us for this
        order.insert(target % a.ndim, order.pop(source % a.ndim))
        return a.transpose(order)

    @staticmethod
    def copy(a):
        return np.array(a, order="C", copy=True)

    @staticmethod
    def empty(shape, code, like):
        return np.empty(shape, DTYPES[code])

    @staticmethod
    def empty_like(a):
        return np.empty(a.shape, a.dtype)

    @staticmethod
    def new(a, shape):
        """An array of a's dtype."""
        return np.empty(shape, a.dtype)

    @staticmethod
    def index_like(a):
        """An array of a's shape for positions."""
        return np.empty(a.shape, np.int64)

    @staticmethod
    def cast(a, code, like):
        """a in the dtype of that number, or in like's, which may be bool, if the number is like's."""
        if a.dtype == DTYPES[code]:
            return a
        with np.errstate(over="ignore"):
            return a.astype(DTYPES[code])

    @staticmethod
    def given(values, like):
        return values

    @staticmethod
    def takes(out, a):
        """Whether a result like `a` can be written to `out` at once, and not to some of `a`."""
        return (isinstance(out, np.ndarray) and out.dtype == a.dtype and out.shape == a.shape
                and out.flags.c_contiguous and out.flags.aligned and out.flags.writeable
                and not np.may_share_memory(a, out))

    @staticmethod
    def code(a):
        return code_of(a.dtype)

    @staticmethod
    def view(a):
        return a

    @staticmethod
    def ready(a):
        pass

    @staticmethod
    def begin(a):
        """A view of a for a call; on a GPU, the call's stream is set."""
        return a

    @staticmethod
    def beside(view, made, code=0):
        """A view of a new array of as many elements as that of `view`: of its type, or of `code`."""
        return made


class Torch:
    """Tensors, on the CPU or on a GPU's current stream."""

    device = True

    _dtypes = None  # {dtype of torch: number of the library}, made once
    _by_code = None  # the other way round
    _raw_stream = None  # device -> address of its current stream
    _empty_like = None

    @classmethod
    def _names(cls):
        torch = sys.modules["torch"]
        if cls._dtypes is None:
            names = {torch.uint8: U8, torch.int8: I8, torch.int16: I16, torch.int32: I32,
                     torch.int64: I64, torch.float16: F16, torch.bfloat16: BF16,
                     torch.float32: F32, torch.float64: F64}
            for bits, code in ((16, U16), (32, U32), (64, U64)):
                if hasattr(torch, f"uint{bits}"):
                    names[getattr(torch, f"uint{bits}")] = code
            cls._by_code = {code: dtype for dtype, code in names.items()}
            cls._empty_like = staticmethod(torch.empty_like)
            cls._dtypes = {**names, torch.bool: U8}
            # An address within a fifth of a us, where an object of torch takes three and more.
            cls._raw_stream = staticmethod(getattr(
                torch._C, "_cuda_getCurrentRawStream",
                lambda device: torch.cuda.current_stream(device).cuda_stream))
        return cls._dtypes

    @staticmethod
    def makers():
        """The type of a plain array, and what makes one like another: of its dtype, of int64; n of either;
        and one of another shape: of its dtype, for sums of its integers. Then what is asked for the current
        stream of arrays that have cupy's attributes, None if DLPack's C exchange API tells all."""
        torch = sys.modules["torch"]
        return (torch.Tensor, torch.empty_like, partial(torch.empty_like, dtype=torch.int64),
                lambda x, n, places: x.new_empty((n,), dtype=torch.int64 if places else x.dtype),
                torch.Tensor.new_empty, partial(torch.Tensor.new_empty, dtype=torch.int64), None)

    @staticmethod
    def checked(a):
        if a.requires_grad:
            raise TypeError("upsweep computes no gradients: give it x.detach()")
        if a.layout is not sys.modules["torch"].strided:
            raise TypeError(f"upsweep takes dense tensors, not of layout {a.layout}: give it x.to_dense()")
        return a.resolve_neg() if a.is_neg() else a  # of z.conj().imag, say

    @staticmethod
    def contiguous(a):
        return a.resolve_neg().contiguous() if a.is_neg() else a.contiguous()

    @staticmethod
    def copy(a):
        return a.clone(memory_format=sys.modules["torch"].contiguous_format)

    @staticmethod
    def moveaxis(a, source, target):
        return sys.modules["torch"].movedim(a, source, target)

    @classmethod
    def empty(cls, shape, code, like):
        cls._names()
        if code not in cls._by_code:
            refuse("a dtype that this version of torch lacks")
        return like.new_empty(shape, dtype=cls._by_code[code])

    @classmethod
    def empty_like(cls, a):
        return cls._empty_like(a if a.is_contiguous() else a.contiguous())

    @staticmethod
    def new(a, shape):
        return a.new_empty(shape)

    @classmethod
    def cast(cls, a, code, like):
        return a.to(like.dtype if cls._dtypes[like.dtype] == code else cls._by_code[code])

    @classmethod
    def index_like(cls, a):
        return cls._empty_like(a if a.is_contiguous() else a.contiguous(), dtype=cls._by_code[I64])

    @staticmethod
    def given(values, like):
        """An array of numpy as a tensor beside like."""
        return sys.modules["torch"].from_numpy(values).to(like.device)

    @staticmethod
    def takes(out, a):
        return (type(out) is type(a) and out.dtype == a.dtype and out.shape == a.shape
                and out.is_contiguous() and not out.requires_grad and not out.is_neg() and out.device == a.device
                and abs(a.data_ptr() - out.data_ptr()) >= a.numel() * a.element_size())

    @classmethod
    def code(cls, a):
        return (cls._dtypes or cls._names()).get(a.dtype, 0)

    @classmethod
    def view(cls, a):
        known = _core.tensor_view(a)
        if known is not None:
            return known
        code = cls._dtypes[a.dtype]
        return (a.data_ptr(), a.numel(), code, BYTES[code], 1, a.device.index if a.is_cuda else -1, a)

    @classmethod
    def ready(cls, a):
        cls.begin(a)

    @classmethod
    def begin(cls, a):
        known = _core.tensor_begin(a)
        if known is not None:
            return known
        view = cls.view(a)
        device = view[5]
        if device >= 0:
            _core.set_stream(device, cls._raw_stream(device), None)
        elif a.device.type != "cpu":
            raise TypeError(f"upsweep takes tensors on the CPU and on CUDA, not on {a.device}")
        return view

    @staticmethod
    def beside(view, made, code=0):
        _, n, given, bytes_, _, device, _ = view
        return (made.data_ptr(), n, code or given, BYTES[code] if code else bytes_, 1, device, made)


class Cupy:
    """Arrays of cupy, on its current stream."""

    device = True

    @classmethod
    def makers(cls):
        return (sys.modules["cupy"].ndarray, cls.empty_like, cls.index_like,
                lambda x, n, places: cls.empty((n,), I64, x) if places else cls.new(x, (n,)),
                cls.new, lambda x, shape: cls.empty(shape, U64 if x.dtype.kind == "u" else I64, x),
                cls.stream)

    @staticmethod
    def stream(device):
        """A device's current stream, which ends with this object: the module holds it."""
        cuda = sys.modules["cupy"].cuda
        if cuda.runtime.getDevice() == device:
            return cuda.get_current_stream()
        with cuda.Device(device):
            return cuda.get_current_stream()

    @staticmethod
    def contiguous(a):
        return a if a.flags.c_contiguous else sys.modules["cupy"].ascontiguousarray(a)

    @staticmethod
    def copy(a):
        return a.copy(order="C")

    @staticmethod
    def moveaxis(a, source, target):
        return sys.modules["cupy"].moveaxis(a, source, target)

    @staticmethod
    def _empty(shape, dtype, like):
        cupy = sys.modules["cupy"]
        device = like.device
        if cupy.cuda.runtime.getDevice() == device.id:
            return cupy.ndarray(shape, dtype)
        with device:
            return cupy.ndarray(shape, dtype)

    @classmethod
    def empty(cls, shape, code, like):
        return cls._empty(shape, DTYPES[code], like)

    @classmethod
    def empty_like(cls, a):
        return cls._empty(a.shape, a.dtype, a)

    @classmethod
    def new(cls, a, shape):
        return cls._empty(shape, a.dtype, a)

    @classmethod
    def index_like(cls, a):
        return cls._empty(a.shape, DTYPES[I64], a)

    @staticmethod
    def cast(a, code, like):
        return a.astype(like.dtype if code_of(like.dtype) == code else DTYPES[code], copy=False)

    @staticmethod
    def given(values, like):
        with like.device:
            return sys.modules["cupy"].asarray(values)

    @staticmethod
    def takes(out, a):
        return (type(out) is type(a) and out.dtype == a.dtype and out.shape == a.shape
                and out.flags.c_contiguous and out.device == a.device
                and abs(a.data.ptr - out.data.ptr) >= a.nbytes)

    @staticmethod
    def code(a):
        return code_of(a.dtype)

    @staticmethod
    def view(a):
        known = _core.tensor_view(a)
        if known is not None:
            return known
        code = code_of(a.dtype)
        return (a.data.ptr, a.size, code, a.itemsize, 1, a.device.id, a)

    @staticmethod
    def ready(a):
        device = a.device.id
        stream = Cupy.stream(device)
        _core.set_stream(device, stream.ptr, stream)

    @classmethod
    def begin(cls, a):
        known = _core.tensor_begin(a)
        if known is not None:
            return known
        cls.ready(a)
        return cls.view(a)

    @staticmethod
    def beside(view, made, code=0):
        _, n, given, bytes_, _, device, _ = view
        return (made.data.ptr, n, code or given, BYTES[code] if code else bytes_, 1, device, made)


def same(a):
    return a


class Taken:
    """An array as the library takes it. `back` turns an array of its type into what the caller
    uses, `other` does so for positions, counts and flags; `nulls` are those of an Arrow column,
    which `array` is without, and `valid` the positions of the others; `times` names a type of times."""

    __slots__ = ("kind", "array", "code", "back", "other", "nulls", "valid", "writable", "times")

    def __init__(self, kind, array, code, back=same, other=same, nulls=0, valid=None,
                 writable=True, times=None):
        self.kind, self.array, self.code, self.back = kind, array, code, back
        self.other, self.nulls, self.valid, self.writable, self.times = other, nulls, valid, writable, times

    def whole(self, what):
        """Refuses nulls where they have no place."""
        if self.nulls:
            raise TypeError(f"{what} takes no nulls; this column has {self.nulls}")
        return self


class Text:
    """Strings, of numpy or of a column: `_strings.py` sorts them. `back` of a column takes positions."""

    device = False

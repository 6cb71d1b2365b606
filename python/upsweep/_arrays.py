"""Arrays of other libraries: what comes in, as the library takes it, and how results go out.

`take(x)` gives a `Taken`: an array of a *kind* (numpy, torch, cupy) whose elements are numbers of
one type, and two functions that turn results into what the caller uses. Nothing is guessed: a
tensor, a column of Arrow or a device array is asked by its own protocol.
"""
# SPDX-License-Identifier: MIT
import sys

import numpy as np

from . import _core

U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64 = range(1, 13)
DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE, EXCLUSIVE, LARGEST, UNORDERED = (
    1 << i for i in range(8))
NAMES = dict(zip("u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64".split(), range(1, 13)))
_NUMPY = {U8: "u1", U16: "u2", U32: "u4", U64: "u8", I8: "i1", I16: "i2", I32: "i4", I64: "i8",
          F16: "f2", F32: "f4", F64: "f8"}
DTYPES = {code: np.dtype(name) for code, name in _NUMPY.items()}
_CODES = {dtype.str[1:]: code for code, dtype in DTYPES.items()}
_CODES["b1"] = U8
FLOATS = (F16, BF16, F32, F64)


def code_of(dtype):
    """The library's number for a dtype of numpy, 0 if it takes none such."""
    return _CODES.get(dtype.str[1:], 0)


def refuse(what):
    raise TypeError(f"upsweep takes arrays of integers, bool and floats of 16 to 64 bits, not {what}")


class Numpy:
    """Arrays in the host's memory."""

    device = False

    @staticmethod
    def contiguous(a):
        return np.ascontiguousarray(a)

    @staticmethod
    def moveaxis(a, source, target):
        return np.moveaxis(a, source, target)

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
    def given(values, like):
        return values

    @staticmethod
    def code(a):
        return code_of(a.dtype)

    @staticmethod
    def view(a):
        return a

    @staticmethod
    def ready(a):
        pass


class Torch:
    """Tensors, on the CPU or on a GPU's current stream."""

    device = True

    _dtypes = None  # {dtype of torch: number of the library}, made once

    @classmethod
    def _names(cls):
        torch = sys.modules["torch"]
        if cls._dtypes is None:
            names = {torch.uint8: U8, torch.int8: I8, torch.int16: I16, torch.int32: I32,
                     torch.int64: I64, torch.float16: F16, torch.bfloat16: BF16,
                     torch.float32: F32, torch.float64: F64, torch.bool: U8}
            for bits, code in ((16, U16), (32, U32), (64, U64)):
                if hasattr(torch, f"uint{bits}"):
                    names[getattr(torch, f"uint{bits}")] = code
            cls._dtypes = names
        return torch, cls._dtypes

    @staticmethod
    def contiguous(a):
        return a.contiguous()

    @staticmethod
    def copy(a):
        return a.clone(memory_format=sys.modules["torch"].contiguous_format)

    @staticmethod
    def moveaxis(a, source, target):
        return sys.modules["torch"].movedim(a, source, target)

    @classmethod
    def empty(cls, shape, code, like):
        torch, names = cls._names()
        dtype = next((d for d, c in names.items() if c == code and d is not torch.bool), None)
        if dtype is None:
            refuse("a dtype that this version of torch lacks")
        return torch.empty(shape, dtype=dtype, device=like.device)

    @staticmethod
    def empty_like(a):
        return sys.modules["torch"].empty(a.shape, dtype=a.dtype, device=a.device)

    @staticmethod
    def given(values, like):
        """An array of numpy as a tensor beside like."""
        return sys.modules["torch"].from_numpy(values).to(like.device)

    @classmethod
    def code(cls, a):
        return cls._names()[1].get(a.dtype, 0)

    @classmethod
    def view(cls, a):
        device = a.device.index if a.is_cuda else -1
        return (a.data_ptr(), a.numel(), cls.code(a), a.element_size(), 1, device)

    @staticmethod
    def ready(a):
        if a.is_cuda:
            stream = sys.modules["torch"].cuda.current_stream(a.device).cuda_stream
            _core.set_stream(a.device.index, stream)
        elif a.device.type != "cpu":
            raise TypeError(f"upsweep takes tensors on the CPU and on CUDA, not on {a.device}")


class Cupy:
    """Arrays of cupy, on its current stream."""

    device = True

    @staticmethod
    def contiguous(a):
        return sys.modules["cupy"].ascontiguousarray(a)

    @staticmethod
    def copy(a):
        return a.copy(order="C")

    @staticmethod
    def moveaxis(a, source, target):
        return sys.modules["cupy"].moveaxis(a, source, target)

    @staticmethod
    def empty(shape, code, like):
        with like.device:
            return sys.modules["cupy"].empty(shape, DTYPES[code])

    @staticmethod
    def empty_like(a):
        with a.device:
            return sys.modules["cupy"].empty(a.shape, a.dtype)

    @staticmethod
    def given(values, like):
        with like.device:
            return sys.modules["cupy"].asarray(values)

    @staticmethod
    def code(a):
        return code_of(a.dtype)

    @staticmethod
    def view(a):
        return (a.data.ptr, a.size, code_of(a.dtype), a.itemsize, 1, a.device.id)

    @staticmethod
    def ready(a):
        with a.device:
            _core.set_stream(a.device.id, sys.modules["cupy"].cuda.get_current_stream().ptr)


def same(a):
    return a


class Taken:
    """An array as the library takes it. `back` turns an array of its type into what the caller
    uses, `other` does so for positions, counts and flags; `nulls` are those of an Arrow column,
    which `array` is without, and `valid` the positions of the others."""

    __slots__ = ("kind", "array", "code", "back", "other", "nulls", "valid", "writable")

    def __init__(self, kind, array, code, back=same, other=same, nulls=0, valid=None,
                 writable=True):
        self.kind, self.array, self.code, self.back = kind, array, code, back
        self.other, self.nulls, self.valid, self.writable = other, nulls, valid, writable

    def whole(self, what):
        """Refuses nulls where they have no place."""
        if self.nulls:
            raise TypeError(f"{what} takes no nulls; this column has {self.nulls}")
        return self


def _from_numpy(a, descending):
    dtype = a.dtype
    kind = dtype.kind
    if kind in "mM":  # NaT comes last, as in numpy: for ascending order the least becomes greatest
        native = a.astype(dtype.newbyteorder("="), copy=False)
        if descending:
            return Taken(Numpy, native.view("i8"), I64,
                         lambda r: r.view(native.dtype).astype(dtype, copy=False),
                         writable=False)
        shift = np.uint64(2**63 - 1)
        keys = np.asarray(native.view("u8") + shift)
        return Taken(Numpy, keys, U64,
                     lambda r: (r - shift).view(native.dtype).astype(dtype, copy=False),
                     writable=False)
    if not dtype.isnative and code_of(dtype):
        return Taken(Numpy, a.astype(dtype.newbyteorder("=")), code_of(dtype),
                     lambda r: r.astype(dtype), writable=False)
    code = code_of(dtype)
    if code == 0:
        if dtype.name == "bfloat16":
            return Taken(Numpy, a, BF16)
        refuse(f"{dtype}")
    if not a.flags.aligned:
        return Taken(Numpy, a.copy(), code, writable=False)
    return Taken(Numpy, a, code)


# ---- Arrow: pyarrow, polars and all that exports its C data interface ----

_ARROW = {"C": "u1", "c": "i1", "S": "u2", "s": "i2", "I": "u4", "i": "i4", "L": "u8", "l": "i8",
          "e": "f2", "f": "f4", "g": "f8", "tdD": "i4", "tdm": "i8", "tts": "i4", "ttm": "i4",
          "ttu": "i8", "ttn": "i8"}


class _Foreign:
    """Memory of another library, for numpy to look at."""

    def __init__(self, address, shape, dtype, owner, writable, strides=None):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, not writable), "shape": shape,
                                    "typestr": dtype.str, "strides": strides}


def _arrow_dtype(text):
    name = _ARROW.get(text)
    if name is None and text[:2] in ("ts", "tD"):
        name = "i8"
    if name is None:
        refuse(f"an Arrow column of format {text!r}")
    return np.dtype(name)


def _chunk(part, dtype):
    """The values of one Arrow array, and which are no nulls (None: all)."""
    owner, data, bits, offset, length, nulls = part
    if length == 0:
        return np.empty(0, dtype), None
    values = np.asarray(_Foreign(data + offset * dtype.itemsize, (length,), dtype, owner, False))
    if bits == 0 or nulls == 0:
        return values, None
    octets = np.asarray(_Foreign(bits, ((offset + length + 7) // 8,), np.dtype("u1"), owner, False))
    valid = np.unpackbits(octets, bitorder="little")[offset:offset + length].astype(bool)
    return values, None if valid.all() else valid


def _to_polars(x, pl):
    def back(values, nulls=0):
        made = pl.Series(x.name, values)
        made = made if made.dtype == x.dtype else made.cast(x.dtype)
        return made.extend_constant(None, nulls) if nulls else made
    return back, lambda values: pl.Series(x.name, values)


def _to_pyarrow(x, pa):
    def back(values, nulls=0):
        data = pa.Array.from_buffers(x.type, len(values), [None, pa.py_buffer(values)])
        return pa.concat_arrays([data, pa.nulls(nulls, x.type)]) if nulls else data
    return back, lambda values: pa.array(values)


def _from_arrow(x, module):
    if hasattr(x, "__arrow_c_array__"):
        text, parts = _core.from_arrow(*x.__arrow_c_array__())
    else:
        text, parts = _core.from_arrow_stream(x.__arrow_c_stream__())
    dtype = _arrow_dtype(text)
    chunks = [_chunk(part, dtype) for part in parts]
    nulls, valid = 0, None
    values = chunks[0][0] if len(chunks) == 1 else np.concatenate(
        [c[0] for c in chunks] or [np.empty(0, dtype)])
    if any(c[1] is not None for c in chunks):
        mask = np.concatenate([np.ones(len(c[0]), bool) if c[1] is None else c[1] for c in chunks])
        valid = np.flatnonzero(mask)
        nulls = len(values) - len(valid)
        values = values[valid]
    back, other = same, same
    if module == "polars":
        back, other = _to_polars(x, sys.modules["polars"])
    elif module == "pyarrow":
        back, other = _to_pyarrow(x, sys.modules["pyarrow"])
    elif nulls:
        refuse("a column with nulls of a library whose columns it cannot make")
    return Taken(Numpy, values, code_of(dtype), back, other, nulls, valid, writable=False)


# ---- devices and DLPack ----

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

    @staticmethod
    def empty_like(a):
        return BareKind.empty(None, None, a)

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
        return (address, n, code_of(dtype), dtype.itemsize, int(not read_only), a.index)

    @staticmethod
    def ready(a):
        _core.set_stream(a.index, 0)


def _from_device(x):
    interface = x.__cuda_array_interface__
    device = 0
    if hasattr(x, "__dlpack_device__"):
        device = x.__dlpack_device__()[1]
    elif hasattr(x, "device"):
        device = getattr(x.device, "id", 0)
    bare = Bare(interface, device)
    code = BareKind.code(bare)
    if code == 0:
        refuse(interface["typestr"])
    return Taken(BareKind, bare, code)


def _from_dlpack(x, descending):
    where = x.__dlpack_device__()[0]
    if where not in (1, 3, 11):  # the host's, pinned, managed
        raise TypeError(f"upsweep takes arrays of DLPack in the host's memory, of torch and of cupy,"
                        f" not on a device of kind {int(where)}")
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__()
    owner, address, code, bytes_, writable, _, _, shape, strides = _core.from_dlpack(capsule)
    if code == 0:
        refuse("a tensor of that dtype")
    dtype = DTYPES.get(code, np.dtype("u2"))
    strides = None if strides is None else tuple(s * bytes_ for s in strides)
    if address == 0:
        array = np.empty(shape, dtype)
    else:
        array = np.asarray(_Foreign(address, shape, dtype, owner, bool(writable), strides))
    back = same
    if hasattr(x, "__array_namespace__"):
        names = x.__array_namespace__()
        back = names.from_dlpack if hasattr(names, "from_dlpack") else names.asarray
    return Taken(Numpy, array, code, back, back)


def take(x, descending=False):
    """What the library takes for x; TypeError if it is no array of numbers."""
    kind = type(x)
    if kind is np.ndarray:
        return _from_numpy(x, descending)
    module = kind.__module__.partition(".")[0]
    if module == "torch" and hasattr(x, "data_ptr"):
        if x.requires_grad:
            raise TypeError("upsweep computes no gradients: give it x.detach()")
        code = Torch.code(x)
        return Taken(Torch, x, code) if code else refuse(f"{x.dtype}")
    if module == "cupy":
        code = code_of(x.dtype)
        return Taken(Cupy, x, code) if code else refuse(f"{x.dtype}")
    if isinstance(x, np.ma.MaskedArray):
        refuse("masked arrays: give it x.compressed() or x.filled(value)")
    if module != "pandas" and not isinstance(x, np.ndarray):
        if hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__"):
            return _from_arrow(x, module)
        if hasattr(x, "__cuda_array_interface__"):
            return _from_device(x)
        if hasattr(x, "__dlpack_device__") and not isinstance(x, np.generic):
            return _from_dlpack(x, descending)
    return _from_numpy(np.asarray(x), descending)


def host(x, dtype=None):
    """x as a contiguous array of numpy, for small arguments: weights, edges, positions."""
    taken = take(x)
    if taken.kind is not Numpy:
        raise TypeError("an array in the host's memory was expected")
    a = taken.whole("this argument").array
    return np.ascontiguousarray(a, dtype)


def normal(axis, ndim):
    """The axis as a number from 0; AxisError as numpy raises it."""
    if not isinstance(axis, (int, np.integer)):
        raise TypeError("axis must be an integer or None")
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return int(axis) % ndim


AxisError = getattr(getattr(np, "exceptions", np), "AxisError")

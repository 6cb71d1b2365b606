"""Arrays of other libraries: what comes in, as the library takes it, and how results go out.

`take(x)` gives a `Taken`: an array of a *kind* (`_kinds.py`: numpy, torch, cupy) whose elements are
numbers of one type, and two functions that turn results into what the caller uses. Nothing is
guessed: a tensor, a column of Arrow or a device array is asked by its own protocol.
"""
# SPDX-License-Identifier: MIT
import threading

import numpy as np

from . import _core
from ._arrow import from_arrow, from_dlpack
from ._bare import Bare, BareKind
from ._dtypes import I64, U64, U8, code_of, refuse
from ._kinds import Cupy, Numpy, Taken, Text, Torch
from ._pandas import keys_of_column, strings_of_column, values_of_column


def _from_numpy(a, descending, text=False):
    dtype = a.dtype
    kind = dtype.kind
    if kind in "mM":  # NaT comes last, as in numpy: for ascending order the least becomes greatest
        native = a.astype(dtype.newbyteorder("="), copy=False)
        if descending:
            return Taken(Numpy, native.view("i8"), I64,
                         lambda r: r.view(native.dtype).astype(dtype, copy=False),
                         writable=False, times=native.dtype.str)
        shift = np.uint64(2**63 - 1)
        keys = np.asarray(native.view("u8") + shift)
        return Taken(Numpy, keys, U64,
                     lambda r: (r - shift).view(native.dtype).astype(dtype, copy=False),
                     writable=False, times=native.dtype.str)
    if not dtype.isnative and code_of(dtype):
        return Taken(Numpy, a.astype(dtype.newbyteorder("=")), code_of(dtype),
                     lambda r: r.astype(dtype), writable=False)
    code = code_of(dtype)
    if code == 0:
        if text and kind in "SUT":
            return Taken(Text, a, 0)
        refuse(f"{dtype}")
    if not a.flags.aligned:
        return Taken(Numpy, a.copy(), code, writable=False)
    return Taken(Numpy, a, code)


def _from_pandas(x, descending, text):
    if text is not None:
        strings = strings_of_column(x, text)
        if strings is not None:
            return strings
        found = keys_of_column(x)
        if found is not None:
            keys, valid, back = found
            made = _from_numpy(keys, descending)
            made.back, made.valid, made.nulls, made.writable = back, valid, len(x) - len(valid), False
            return made
    try:
        made = _from_numpy(values_of_column(x), descending, text is not None)
    except TypeError:
        refuse(f"a column of pandas of dtype {getattr(x, 'dtype', 'object')}")
    made.writable = False  # pandas may share it
    return made


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


_KNOWN = {}  # types of arrays that were met: {type: kind}
_MEETING = threading.Lock()  # a type is registered once, by one thread


def known(x):
    """The kind of a tensor or an array of cupy, None for others. Where its type offers DLPack's C
    exchange API, the module knows such arrays by themselves from now on."""
    kind = type(x)
    if kind in _KNOWN:
        return _KNOWN[kind]
    module = kind.__module__.partition(".")[0]
    found = Torch if module == "torch" and hasattr(x, "data_ptr") else Cupy if module == "cupy" else None
    if found is not None:
        exact, *makers = found.makers()
        with _MEETING:
            if kind is exact and kind not in _KNOWN:
                _core.register_tensors(kind, *makers)
            _KNOWN[kind] = found
    return found


def take(x, descending=False, text=None):
    """What the library takes for x; TypeError if it is no array of numbers, nor of strings, where
    `text` is what takes a column of them (_strings.py)."""
    kind = type(x)
    if kind is np.ndarray:
        return _from_numpy(x, descending, text is not None)
    found = _KNOWN.get(kind) or known(x)
    if found is not None:
        if found is Torch:
            x = found.checked(x)
        code = found.code(x)
        return Taken(found, x, code) if code else refuse(f"{x.dtype}")
    unmasked(x)
    module = kind.__module__.partition(".")[0]
    if module in ("polars", "pyarrow") and kind.__name__ in ("DataFrame", "LazyFrame", "Table", "RecordBatch"):
        refuse(f"a {kind.__name__} of {module}: give it one column")
    if module == "pandas":
        return _from_pandas(x, descending, text)
    if not isinstance(x, np.ndarray):
        if hasattr(x, "__arrow_c_array__") or hasattr(x, "__arrow_c_stream__"):
            strings = None if text is None else text(x, module)
            return from_arrow(x, module) if strings is None else strings
        if hasattr(x, "__cuda_array_interface__"):
            return _from_device(x)
        if hasattr(x, "__dlpack_device__") and not isinstance(x, np.generic):
            return from_dlpack(x)
    a = np.asarray(x)
    made = _from_numpy(a, descending, text is not None)
    made.writable = made.writable and not a.flags.owndata  # of a list it is a copy
    return made


def columns_of(key, descending, text):
    """A key of lexsort as a column of numbers and, if it has nulls, which come last, one that says where."""
    taken = take(key, descending, text)
    if getattr(taken.array, "ndim", 1) == 0:
        raise ValueError("lexsort takes keys, each of them an array of one dimension: give it one key as (x,)")
    if taken.kind is Text:
        refuse("text as a key of lexsort")
    if taken.array.ndim != 1:
        raise ValueError(f"lexsort takes an array of one dimension, not of {taken.array.ndim}")
    if not taken.nulls:
        return [taken]
    n = taken.array.shape[0] + taken.nulls
    values, missing = np.zeros(n, taken.array.dtype), np.full(n, not descending)
    values[taken.valid] = taken.array
    missing[taken.valid] = descending
    return [Taken(Numpy, values, taken.code, other=taken.other), Taken(Numpy, missing, U8)]


def beside(kind, x, what):
    """x, which must be a tensor, or an array of cupy, as the array is that it goes with."""
    if known(x) is not kind:
        raise TypeError(f"{what} must be an array of the same library as the first, not of type {type(x).__name__}")
    return x


def unmasked(x):
    """x, unless it has masked elements, which numpy.asarray would show again."""
    if isinstance(x, np.ma.MaskedArray):
        refuse("masked arrays: give it x.compressed() or x.filled(value)")
    return x


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

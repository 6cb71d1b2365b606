"""Columns of Arrow (pyarrow, polars and all that exports its C data interface) and tensors of DLPack in
the host's memory, as arrays of numpy that look at their memory."""
# SPDX-License-Identifier: MIT
import sys

import numpy as np

from . import _core
from ._dtypes import BF16, DTYPES, code_of, refuse
from ._kinds import Numpy, Taken, same

# ---- Arrow ----

_ARROW = {"b": "?", "C": "u1", "c": "i1", "S": "u2", "s": "i2", "I": "u4", "i": "i4", "L": "u8", "l": "i8",
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

    def bools(address):
        octets = np.asarray(_Foreign(address, ((offset + length + 7) // 8,), np.dtype("u1"), owner, False))
        return np.unpackbits(octets, bitorder="little")[offset:offset + length].view(bool)
    values = bools(data) if dtype.kind == "b" else \
        np.asarray(_Foreign(data + offset * dtype.itemsize, (length,), dtype, owner, False))
    if bits == 0 or nulls == 0:
        return values, None
    valid = bools(bits)
    return values, None if valid.all() else valid


def _to_polars(x, pl):
    def back(values, nulls=0):
        made = pl.Series(x.name, values)
        made = made if made.dtype == x.dtype else made.cast(x.dtype)
        return made.extend_constant(None, nulls) if nulls else made
    return back, lambda values: pl.Series(x.name, values)


def _to_pyarrow(x, pa):
    def back(values, nulls=0):
        data = pa.array(values) if values.dtype == bool else pa.Array.from_buffers(
            x.type, len(values), [None, pa.py_buffer(values)])
        return pa.concat_arrays([data, pa.nulls(nulls, x.type)]) if nulls else data
    return back, lambda values: pa.array(values)


def from_arrow(x, module):
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
    return Taken(Numpy, values, code_of(dtype), back, other, nulls, valid, False, text if text[0] == "t" else None)


# ---- DLPack ----

def _knows_bf16():
    """Whether numpy has arrays of bf16, by the package that jax and others use."""
    ml_dtypes = sys.modules.get("ml_dtypes")
    return ml_dtypes is not None and code_of(np.dtype(ml_dtypes.bfloat16)) == BF16


def from_dlpack(x):
    where = x.__dlpack_device__()[0]
    if where not in (1, 3, 11):  # the host's, pinned, managed
        raise TypeError(f"upsweep takes arrays of DLPack in the host's memory, of torch and of cupy,"
                        f" not on a device of kind {int(where)}")
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__()
    owner, address, code, bytes_, writable, _, family, shape, strides = _core.from_dlpack(capsule)
    if code == 0:
        refuse("a tensor of that dtype")
    if code == BF16 and not _knows_bf16():
        refuse("bf16 in the host's memory of another library than torch, without ml_dtypes: give it as f32")
    dtype = np.dtype(bool) if family == 6 else DTYPES[code]
    strides = None if strides is None else tuple(s * bytes_ for s in strides)
    if address == 0:
        array = np.empty(shape, dtype)
    else:
        array = np.asarray(_Foreign(address, shape, np.dtype("u2") if code == BF16 else dtype, owner, bool(writable),
                                    strides)).view(dtype)
    back = same
    if hasattr(x, "__array_namespace__"):
        names = x.__array_namespace__()
        back = names.from_dlpack if hasattr(names, "from_dlpack") and family != 6 and code != BF16 else names.asarray
    return Taken(Numpy, array, code, back, back)

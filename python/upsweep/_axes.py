"""Axes, rows and results: what sorts, selections, reductions and scans share."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import known, normal, take, unmasked
from ._dtypes import DESCENDING, I64, UNSTABLE
from ._kinds import Cupy, Numpy, Torch, same


def flags_of(descending, stable=True):
    return (DESCENDING if descending else 0) | (0 if stable else UNSTABLE)


KINDS = ("quicksort", "mergesort", "heapsort", "stable")


def check_kind(kind):
    """numpy's kind of a sort; None, its default, is not asked about."""
    if not isinstance(kind, str):
        raise TypeError(f"kind must be a string or None, not {type(kind).__name__}")
    if not kind or not any(name.startswith(kind.lower()) for name in KINDS):  # "q" and "quick", too
        raise ValueError(f"kind must be one of {', '.join(KINDS)} or None, not {kind!r}")


def product(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def turned(kind, a, axis):
    """A new array with axis last, or None where the kind moves it: torch takes 4 to 14 times as long."""
    if kind is not Torch and kind is not Cupy:
        return None
    if not (a.is_contiguous() if kind is Torch else a.flags.c_contiguous):
        return None
    shape = tuple(a.shape)
    made = kind.new(a, shape[:axis] + shape[axis + 1:] + shape[axis:axis + 1])
    _core.transpose(kind.begin(a), product(shape[:axis]), shape[axis], product(shape[axis + 1:]), kind.view(made))
    return made


def joined(x, axes):
    """x with the axes of a tuple as one, which axis that is, and x's shape with a 1 for each of them."""
    a = x if known(x) is not None else np.asarray(unmasked(x))
    found = sorted(normal(axis, a.ndim) for axis in axes)
    if len(set(found)) < len(found):
        raise ValueError("duplicate value in 'axis'")
    shape = tuple(a.shape)
    ones = tuple(1 if d in found else size for d, size in enumerate(shape))
    at = found[0] if found else a.ndim
    if found != list(range(at, at + len(found))):
        left = [d for d in range(a.ndim) if d not in found]
        order = left + found
        a, at = a.permute(order) if hasattr(a, "permute") else a.transpose(order), len(left)
    moved = tuple(a.shape)
    whole = product(moved[at:at + len(found)])
    return a.reshape(moved[:at] + (whole,) + moved[at + len(found):]), at, ones


def axis_last(kind, a, axis):
    """a, contiguous and with that axis last."""
    made = None if axis == a.ndim - 1 else turned(kind, a, axis)
    if made is not None:
        return made
    return kind.contiguous(a if axis == a.ndim - 1 else kind.moveaxis(a, axis, -1))


def rows_of(taken, axis):
    """The array with axis last, the axis as a number, keys a row and rows; whether it is a new array."""
    a = taken.array
    if axis is None:
        a = a.reshape(-1)
        axis = 0
    elif a.ndim == 0:
        normal(axis, 0)
    axis = normal(axis, a.ndim)
    made = None if axis == a.ndim - 1 else turned(taken.kind, a, axis)
    moved = made if made is not None else a if axis == a.ndim - 1 else taken.kind.moveaxis(a, axis, -1)
    shape = moved.shape
    return moved, axis, shape[-1], product(shape[:-1]), made is not None


def laid_out(taken, a, axis):
    """a, whose last axis was `axis`, in the order of bytes that a new array has."""
    if axis == a.ndim - 1 or a.ndim < 2:
        return a
    kind, shape = taken.kind, tuple(a.shape)
    if kind is not Torch and kind is not Cupy:
        return kind.contiguous(kind.moveaxis(a, -1, axis))
    made = kind.new(a, shape[:axis] + shape[-1:] + shape[axis:-1])
    _core.transpose(kind.begin(a), product(shape[:axis]), product(shape[axis:-1]), shape[-1], kind.view(made))
    return made


def positions_of(taken, index, axis, length):
    """Positions as the caller gets them; those of nulls come last."""
    index = laid_out(taken, index, axis)
    if taken.nulls:
        missing = np.ones(length + taken.nulls, bool)
        missing[taken.valid] = False
        index = np.concatenate([taken.valid[index], np.flatnonzero(missing)])
    return taken.other(index)


def _refuse_no_array(out):
    if not hasattr(out, "shape") or not hasattr(out, "dtype"):
        raise TypeError(f"out must be an array, not of type {type(out).__name__}")


def check_out(taken, out, code=None):
    """out as an array of the kind of x, which results are written to."""
    _refuse_no_array(out)
    if taken.back is not same and taken.kind is Numpy and not isinstance(out, np.ndarray):
        raise TypeError("out= is for arrays whose memory can be written: this library's cannot")
    if taken.kind is not Numpy and type(out) is type(taken.array):
        return out
    given = take(out)
    if given.kind is not taken.kind:
        raise TypeError("out must be of the same library as the input")
    if given.kind is Numpy and not given.array.flags.writeable:
        raise ValueError("out is read-only")
    return out


def _native(dtype):
    """A dtype of numpy in the machine's order of bytes, which StringDType has not and refuses."""
    return dtype if dtype.kind == "T" else dtype.newbyteorder("=")


def into(out, values):
    _refuse_no_array(out)
    if tuple(out.shape) != tuple(values.shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}, not {tuple(values.shape)}")
    if not (_native(out.dtype) == _native(values.dtype)
            if isinstance(out, np.ndarray) else out.dtype == values.dtype):
        raise TypeError(f"out has the dtype {out.dtype}, not {values.dtype}")
    out[...] = values
    return out


def result_like(taken, a, axis, out):
    """Where a result like `a`, whose last axis was `axis`, is made: in `out` if it can be written
    there at once, else in a new array."""
    if (out is not None and taken.back is same and (axis == a.ndim - 1 or a.ndim < 2)
            and taken.kind.takes(out, a)):
        return out
    return taken.kind.empty_like(a)


def finished(taken, made, axis, out):
    """What the caller gets for `made`, which is out or has its axis last."""
    if made is out:
        return out
    made = laid_out(taken, made, axis)
    made = taken.back(made, taken.nulls) if taken.nulls else taken.back(made)
    return made if out is None else into(out, made)


def argsort_array(kind, a, rows, flags):
    index = kind.index_like(a)
    view = kind.begin(a)
    places = kind.beside(view, index, I64)
    if rows == 1:
        _core.argsort(view, places, flags)
    elif rows > 1:
        _core.sort_rows(view, None, rows, places, flags)
    return index


def one_row(x, what, descending=False):
    taken = take(x, descending)
    if taken.array.ndim != 1:
        raise ValueError(f"{what} takes an array of one dimension, not of {taken.array.ndim}")
    return taken


def apart(kind, a, x):
    """a, or a copy where its memory may be some of x's, which is written to while a is read."""
    if kind is Numpy:
        shared = isinstance(x, np.ndarray) and np.may_share_memory(a, x)
    elif known(x) is kind:
        one, other = kind.view(a), kind.view(x)
        shared = one[0] < other[0] + other[1] * other[3] and other[0] < one[0] + one[1] * one[3]
    else:
        shared = False
    return kind.copy(a) if shared else a


def values_of(values):
    """(array of numpy, what turns one like it into what the caller uses), for elements of any dtype."""
    if isinstance(values, np.ndarray) or not any(hasattr(values, name) for name in (
            "__arrow_c_array__", "__arrow_c_stream__", "__dlpack_device__")):
        return np.asarray(unmasked(values)), same
    try:
        taken = take(values)
    except TypeError:  # of a type that numpy alone has
        return np.asarray(values), same
    return (taken.array, taken.back) if taken.kind is Numpy and not taken.nulls else (np.asarray(values), same)


def bytes_view(kind, b):
    if kind is Numpy:
        return b
    view = kind.view(b)
    return (view[0], view[1] * view[3], 1, 1, view[4], view[5], b)

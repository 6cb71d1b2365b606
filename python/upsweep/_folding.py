"""Reductions."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import normal, take
from ._axes import joined, product, rows_of
from ._dtypes import BF16, DTYPES, FLOATS, I64, ROUNDED, U64, UNORDERED, refuse
from ._kinds import Cupy, Numpy, Torch
from ._times import end_of_times, reduce_times, times_of

__all__ = ["sum", "prod", "min", "max", "minmax", "argmin", "argmax", "bitwise_and", "bitwise_or",
           "bitwise_xor"]

SUM, PRODUCT, LEAST, GREATEST, AND, OR, XOR = range(0x101, 0x108)
OF_TIMES = {SUM: None, LEAST: True, GREATEST: False}  # what `least` is to _times.py
OPS = {"sum": SUM, "prod": PRODUCT, "min": LEAST, "max": GREATEST, "and": AND, "or": OR, "xor": XOR}


def plain_numbers(x, what):
    taken = take(x)
    if taken.times is not None:
        refuse(f"datetimes in {what}")
    return taken


def is_bool(a):
    """Of any library."""
    return str(getattr(a, "dtype", "")).endswith("bool")


def widened(taken, op, dtype):
    """The array, and the number of the dtype that its sums and products have: in numpy and cupy
    unsigned integers stay so, in torch all below 64 bits become int64."""
    kind, a = taken.kind, taken.array
    if dtype is not None:
        if kind is not Numpy:
            raise TypeError("dtype= is for arrays of numpy: convert the array before")
        a = a.astype(dtype, copy=False)
    code = kind.code(a)
    if code == 0:
        refuse(f"{a.dtype}")
    if op in (SUM, PRODUCT) and dtype is None and code not in FLOATS and code != U64:
        code = U64 if kind in (Numpy, Cupy) and a.dtype.kind == "u" else I64
    return a, code


def of_bools(x, op, dtype, what):
    """(x, op, dtype): sums and products of dtype bool are OR and AND of what is not 0, as in numpy."""
    if dtype is None or op not in (SUM, PRODUCT) or np.dtype(dtype) != np.bool_:
        return x, op, dtype
    taken = plain_numbers(x, what)
    return (taken.array != 0, OR if op == SUM else AND, None) if taken.kind is Numpy else (x, op, dtype)


def _along(taken, a, axis, op, flags, code, keepdims):
    """Reduces every column along an axis."""
    kind, shape = taken.kind, tuple(a.shape)
    a = kind.contiguous(a)
    left = shape[:axis] + shape[axis + 1:]
    outer, inner = product(shape[:axis]), product(shape[axis + 1:])
    real = code in FLOATS
    made = kind.empty((outer * inner,), code if real else _core.reduce_type(kind.code(a), op), a)
    if outer * inner:
        _core.reduce_axis(kind.begin(a), outer, shape[axis], inner, kind.view(made), op, flags | ROUNDED)
    if not real:
        made = kind.cast(made, code, a)
    return made.reshape(shape[:axis] + (1,) + shape[axis + 1:] if keepdims else left)


def _reduce(x, op, axis, dtype, keepdims, reproducible, what):
    if type(axis) is int and dtype is None:
        made = _core.reduce_along(x, axis, op, 0 if reproducible else UNORDERED, 1 if keepdims else 0)
        if made is not None:
            return made
    if isinstance(axis, tuple):
        return _reduce_along_several(x, op, axis, dtype, keepdims, reproducible, what)
    times = times_of(x) if dtype is None and op in OF_TIMES else None
    if times is not None:
        return reduce_times(times, OF_TIMES[op], lambda keys: _reduce(
            keys, op, axis, None, keepdims, True, what), axis, keepdims, what)
    x, op, dtype = of_bools(x, op, dtype, what)
    taken = plain_numbers(x, what)
    a, code = widened(taken, op, dtype)
    flags = 0 if reproducible else UNORDERED
    kind = taken.kind
    if axis is not None and a.ndim == 0 and axis in (0, -1):  # as in numpy
        axis = None
    if op in (AND, OR, XOR) and code in FLOATS:
        raise TypeError(f"{what} is defined for integers, not for floats")
    if op in (LEAST, GREATEST) and product(a.shape) == 0 and axis is None:
        raise ValueError(f"zero-size array to reduction operation {what} which has no identity")
    boolean = is_bool(a) and op not in (SUM, PRODUCT)
    if axis is not None:
        if kind not in (Numpy, Torch, Cupy):
            raise TypeError("axis= is for arrays of numpy, torch and cupy")
        axis = normal(axis, a.ndim)
        if op in (LEAST, GREATEST) and a.shape[axis] == 0:
            raise ValueError(f"zero-size array to reduction operation {what} which has no identity")
        made = _along(taken, a, axis, op, flags, code, keepdims)
        return made.astype(bool) if boolean and kind is Numpy else made
    flat = kind.contiguous(a)
    kind.ready(flat)
    made = _core.reduce(kind.view(flat), op, flags, 1 if code == BF16 and kind is not Numpy else 0)
    if op in (SUM, PRODUCT) and code not in FLOATS:
        made = made.astype(DTYPES[code])
    if boolean:
        made = np.bool_(made)
    if code == BF16 and kind is Numpy:
        made = DTYPES[BF16].type(made)
    if not keepdims:
        return made
    if kind not in (Torch, Cupy):
        return np.reshape(made, (1,) * a.ndim)
    return kind.cast(kind.given(np.asarray(made).reshape((1,) * a.ndim), a), code, a)


def _reduce_along_several(x, op, axes, dtype, keepdims, reproducible, what):
    a, axis, ones = joined(x, axes)
    made = _reduce(a, op, None if a.ndim == 1 and axes else axis, dtype, keepdims, reproducible, what)
    return made.reshape(ones) if keepdims else made


def sum(x, /, axis=None, dtype=None, *, keepdims=False, reproducible=True):
    """Sum of the elements, as numpy.sum: integers as int64 or uint64 modulo 2^64, floats in their
    own dtype. Nulls of Arrow and polars are left out; a NaN, as which NA of pandas comes, makes the
    sum NaN, where pandas skips it: sum(x.dropna()).

    Floats are added in f64 in an order that depends on their number only, and rounded once: the
    same bits for any number of threads, on any machine, on a GPU too. dtype=np.float64 keeps the
    whole f64. reproducible=False allows any order, which is faster on a GPU.

    axis : along which axis, or a tuple of some, which gives an array where x is; None: of all elements, a
    scalar of numpy. timedelta64 is added, too; NaT makes the sum NaT, and dates have none.
    Raises TypeError, AxisError, MemoryError.

    >>> import numpy as np, upsweep
    >>> int(upsweep.sum(np.array([1, 2, 3], np.int32)))
    6
    """
    if axis is None and dtype is None and not keepdims:
        made = _core.fast_reduce(x, SUM, 0 if reproducible else UNORDERED)
        if made is not None:
            return made
    return _reduce(x, SUM, axis, dtype, keepdims, reproducible, "sum")


def prod(x, /, axis=None, dtype=None, *, keepdims=False, reproducible=True):
    """Product of the elements; all is as for `sum`.

    >>> import numpy as np, upsweep
    >>> float(upsweep.prod(np.array([2.0, 4.0])))
    8.0
    """
    if axis is None and dtype is None and not keepdims:
        made = _core.fast_reduce(x, PRODUCT, 0 if reproducible else UNORDERED)
        if made is not None:
            return made
    return _reduce(x, PRODUCT, axis, dtype, keepdims, reproducible, "prod")


def min(x, /, axis=None, *, keepdims=False):
    """Least element. NaNs are skipped unless all are NaN, as numpy.nanmin does and numpy.min does
    not; -0 is less than +0. Of times, too, NaT skipped. ValueError where there is no element.

    >>> import numpy as np, upsweep
    >>> float(upsweep.min(np.array([2.0, np.nan, 1.0])))
    1.0
    """
    if axis is None and not keepdims:
        made = _core.fast_reduce(x, LEAST, 0)
        if made is not None:
            return made
    return _reduce(x, LEAST, axis, None, keepdims, True, "min")


def max(x, /, axis=None, *, keepdims=False):
    """Greatest element; all is as for `min`.

    >>> import numpy as np, upsweep
    >>> int(upsweep.max(np.array([2, 7, 1])))
    7
    """
    if axis is None and not keepdims:
        made = _core.fast_reduce(x, GREATEST, 0)
        if made is not None:
            return made
    return _reduce(x, GREATEST, axis, None, keepdims, True, "max")


def bitwise_and(x, /, *, axis=None, keepdims=False):
    """AND of all integers; all ones where there is none. numpy.bitwise_and.reduce.

    >>> import numpy as np, upsweep
    >>> int(upsweep.bitwise_and(np.array([6, 3])))
    2
    """
    return _reduce(x, AND, axis, None, keepdims, True, "bitwise_and")


def bitwise_or(x, /, *, axis=None, keepdims=False):
    """OR of all integers; 0 where there is none. numpy.bitwise_or.reduce.

    >>> import numpy as np, upsweep
    >>> int(upsweep.bitwise_or(np.array([4, 1])))
    5
    """
    return _reduce(x, OR, axis, None, keepdims, True, "bitwise_or")


def bitwise_xor(x, /, *, axis=None, keepdims=False):
    """Exclusive OR of all integers; 0 where there is none. numpy.bitwise_xor.reduce.

    >>> import numpy as np, upsweep
    >>> int(upsweep.bitwise_xor(np.array([6, 3])))
    5
    """
    return _reduce(x, XOR, axis, None, keepdims, True, "bitwise_xor")


def _flat(x, what):
    taken = plain_numbers(x, what)
    a = taken.kind.contiguous(taken.array)
    if product(a.shape) == 0:
        raise ValueError(f"{what} of no element")
    taken.kind.ready(a)
    return taken.kind.view(a), taken


def _position(call, x, what):
    """What the call finds, as a position in x, of whose column the nulls were left out."""
    view, taken = _flat(x, what)
    made = call(view, 0)
    return int(taken.valid[made]) if taken.nulls else made


def _arg(x, axis, greatest, what):
    """argmin and argmax, where the call of the module did not take x."""
    times = times_of(x)
    if times is not None:
        if axis is None and times.size == 0:
            raise ValueError(f"{what} of no element")
        return end_of_times(times, not greatest, lambda keys: _arg(keys, axis, greatest, what))
    if axis is None:
        return _position(_core.argmax if greatest else _core.argmin, x, what)
    taken = plain_numbers(x, what)
    rows, _, length, count, _ = rows_of(taken, axis)
    if rows.ndim == 1:
        return _position(_core.argmax if greatest else _core.argmin, x, what)
    if count and not length:
        raise ValueError(f"{what} of no element")
    kind, rows = taken.kind, taken.kind.contiguous(rows)
    index = kind.empty(tuple(rows.shape[:-1]), I64, rows)
    if count:
        kind.ready(rows)
        _core.arg_rows(kind.view(rows), count, kind.view(index), greatest)
    return index


def minmax(x, /):
    """Least and greatest element in one pass, NaNs skipped; ValueError where there is none.

    >>> import numpy as np, upsweep
    >>> [int(v) for v in upsweep.minmax(np.array([2, 7, 1]))]
    [1, 7]
    """
    if _core.plain(x) and x.size and x.dtype.kind != "b" and x.dtype.num < 256:  # which bf16's is not
        return _core.minmax(x, 0)
    made = _core.fast_minmax(x)
    if made is not None:
        return made
    if times_of(x) is not None:
        return min(x), max(x)
    view, taken = _flat(x, "minmax")
    least, greatest = _core.minmax(view, 0)
    if is_bool(taken.array):
        return np.bool_(least), np.bool_(greatest)
    if taken.code == BF16 and taken.kind is Numpy:
        return DTYPES[BF16].type(least), DTYPES[BF16].type(greatest)
    return least, greatest


def argmin(x, /, axis=None):
    """Position of the least element in the flat array or along an axis, the first of equals, as
    numpy.argmin but with NaNs skipped; 0 where all are NaN. ValueError where there is no element.

    >>> import numpy as np, upsweep
    >>> upsweep.argmin(np.array([2, 1, 1]))
    1
    """
    if axis is None and _core.plain(x) and x.size:
        return _core.argmin(x, 0)
    made = _core.fast_arg(x, False) if axis is None else None
    return _arg(x, axis, False, "argmin") if made is None else made


def argmax(x, /, axis=None):
    """Position of the greatest element; all is as for `argmin`.

    >>> import numpy as np, upsweep
    >>> upsweep.argmax(np.array([2, 7, 7]))
    1
    """
    if axis is None and _core.plain(x) and x.size:
        return _core.argmax(x, 0)
    made = _core.fast_arg(x, True) if axis is None else None
    return _arg(x, axis, True, "argmax") if made is None else made

"""Reductions and scans."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import beside, host, normal, take
from ._axes import apart, axis_last, check_out, finished, product, result_like
from ._dtypes import BF16, DTYPES, EXCLUSIVE, FLOATS, I64, ROUNDED, U64, UNORDERED, refuse
from ._kinds import Cupy, Numpy, Torch, same

__all__ = ["sum", "prod", "min", "max", "minmax", "argmin", "argmax", "bitwise_and", "bitwise_or",
           "bitwise_xor", "cumsum", "cumprod", "cummin", "cummax", "scan"]

SUM, PRODUCT, LEAST, GREATEST, AND, OR, XOR = range(0x101, 0x108)
OPS = {"sum": SUM, "prod": PRODUCT, "min": LEAST, "max": GREATEST, "and": AND, "or": OR, "xor": XOR}


def plain_numbers(x, what):
    taken = take(x)
    if taken.times is not None:
        refuse(f"datetimes in {what}")
    return taken


def _is_bool(a):
    """Of any library."""
    return str(getattr(a, "dtype", "")).endswith("bool")


def _widened(taken, op, dtype):
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


def _of_bools(x, op, dtype, what):
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
    x, op, dtype = _of_bools(x, op, dtype, what)
    taken = plain_numbers(x, what)
    a, code = _widened(taken, op, dtype)
    flags = 0 if reproducible else UNORDERED
    kind = taken.kind
    if op in (AND, OR, XOR) and code in FLOATS:
        raise TypeError(f"{what} is defined for integers, not for floats")
    if op in (LEAST, GREATEST) and product(a.shape) == 0 and axis is None:
        raise ValueError(f"zero-size array to reduction operation {what} which has no identity")
    boolean = _is_bool(a) and op not in (SUM, PRODUCT)
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
    made = _core.reduce(kind.view(flat), op, flags, 1 if code == BF16 else 0)
    if op in (SUM, PRODUCT) and code not in FLOATS:
        made = made.astype(DTYPES[code])
    if boolean:
        made = np.bool_(made)
    return np.reshape(made, (1,) * a.ndim) if keepdims else made


def sum(x, /, *, axis=None, dtype=None, keepdims=False, reproducible=True):
    """Sum of the elements, as numpy.sum: integers as int64 or uint64 modulo 2^64, floats in their
    own dtype.

    Floats are added in f64 in an order that depends on their number only, and rounded once: the
    same bits for any number of threads, on any machine, on a GPU too. dtype=np.float64 keeps the
    whole f64. reproducible=False allows any order, which is faster on a GPU.

    axis : along which axis, which gives an array where x is; None: of all elements, a scalar of numpy.
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


def prod(x, /, *, axis=None, dtype=None, keepdims=False, reproducible=True):
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


def min(x, /, *, axis=None, keepdims=False):
    """Least element. NaNs are skipped unless all are NaN, as numpy.nanmin does and numpy.min does
    not; -0 is less than +0. ValueError where there is no element.

    >>> import numpy as np, upsweep
    >>> float(upsweep.min(np.array([2.0, np.nan, 1.0])))
    1.0
    """
    if axis is None and not keepdims:
        made = _core.fast_reduce(x, LEAST, 0)
        if made is not None:
            return made
    return _reduce(x, LEAST, axis, None, keepdims, True, "min")


def max(x, /, *, axis=None, keepdims=False):
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


def minmax(x, /):
    """Least and greatest element in one pass, NaNs skipped; ValueError where there is none.

    >>> import numpy as np, upsweep
    >>> [int(v) for v in upsweep.minmax(np.array([2, 7, 1]))]
    [1, 7]
    """
    if _core.plain(x) and x.size and x.dtype != np.bool_:
        return _core.minmax(x, 0)
    made = _core.fast_minmax(x)
    if made is not None:
        return made
    view, taken = _flat(x, "minmax")
    least, greatest = _core.minmax(view, 0)
    if _is_bool(taken.array):
        return np.bool_(least), np.bool_(greatest)
    return least, greatest


def argmin(x, /):
    """Position of the least element in the flat array, the first of equals, as numpy.argmin but
    with NaNs skipped. ValueError where there is no element.

    >>> import numpy as np, upsweep
    >>> upsweep.argmin(np.array([2, 1, 1]))
    1
    """
    if _core.plain(x) and x.size:
        return _core.argmin(x, 0)
    made = _core.fast_arg(x, False)
    return _core.argmin(_flat(x, "argmin")[0], 0) if made is None else made


def argmax(x, /):
    """Position of the greatest element; all is as for `argmin`.

    >>> import numpy as np, upsweep
    >>> upsweep.argmax(np.array([2, 7, 7]))
    1
    """
    if _core.plain(x) and x.size:
        return _core.argmax(x, 0)
    made = _core.fast_arg(x, True)
    return _core.argmax(_flat(x, "argmax")[0], 0) if made is None else made


def _scan(x, op, axis, dtype, out, flags, what, heads=None, keys=None):
    if type(axis) is int and dtype is None and heads is None and keys is None:
        made = _core.scan_along(x, axis, op, flags, out)
        if made is not None:
            return made
    x, op, dtype = _of_bools(x, op, dtype, what)
    taken = plain_numbers(x, what).whole(what)
    kind = taken.kind
    a, code = _widened(taken, op, dtype)
    if op in (AND, OR, XOR) and code in FLOATS:
        raise TypeError(f"{what} is defined for integers, not for floats")
    if kind in (Numpy, Torch, Cupy) and kind.code(a) != code:
        a = kind.cast(a, code, a)
    if flags & EXCLUSIVE and op in (AND, LEAST) and _is_bool(a):
        op = PRODUCT  # of bools the same, and 1 of none, not all ones
    if a.ndim > 1 and axis is None:
        a = kind.contiguous(a).reshape(-1)
    a = a.reshape(1) if a.ndim == 0 else a
    where = a.ndim - 1 if axis is None else axis
    where = normal(where, a.ndim)
    if out is not None:
        check_out(taken, out)
    rows = axis_last(kind, a, where)
    if out is rows and where == a.ndim - 1 and heads is None and keys is None:
        made = out  # the scan may work in place
    else:
        made = result_like(taken, rows, where, out)
    length = rows.shape[-1]
    count = product(rows.shape[:-1])
    if length and count:
        given = kind.begin(rows)
        to = kind.beside(given, made)
        if heads is not None:
            _core.scan_segmented(given, heads, to, op, flags)
        elif keys is not None:
            _core.scan_by_key(given, keys, to, op, flags)
        elif count == 1:
            _core.scan(given, to, op, flags)
        else:
            _core.scan_rows(given, to, count, op, flags)
    if made is out:
        return out
    if isinstance(x, np.ndarray):  # numpy gives its own order of bytes
        taken.back = same
    elif kind is Numpy and code != taken.code:  # a column of another dtype than x's
        taken.back = taken.other
    return finished(taken, made, where, out)


def cumsum(x, /, *, axis=None, dtype=None, out=None):
    """Running sums, as numpy.cumsum: integers as int64 or uint64 (of torch int64), floats in their own dtype.

    Floats are added in f64 in a fixed order, and each result is rounded once. axis None: of the
    flat array. Raises TypeError, AxisError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.cumsum(np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    if dtype is None and (axis is None or axis == 0 or axis == -1):
        made = _core.fast_scan(x, SUM, 0, out)
        if made is not None:
            return made
    return _scan(x, SUM, axis, dtype, out, 0, "cumsum")


def cumprod(x, /, *, axis=None, dtype=None, out=None):
    """Running products; all is as for `cumsum`.

    >>> import numpy as np, upsweep
    >>> upsweep.cumprod(np.array([1, 2, 3]))
    array([1, 2, 6])
    """
    return _scan(x, PRODUCT, axis, dtype, out, 0, "cumprod")


def cummin(x, /, *, axis=None, out=None):
    """Running minima, in x's dtype. NaNs are skipped, as numpy.fmin.accumulate does.

    >>> import numpy as np, upsweep
    >>> upsweep.cummin(np.array([2, 3, 1]))
    array([2, 2, 1])
    """
    made = None if axis is not None else _core.fast_scan(x, LEAST, 0, out)
    return _scan(x, LEAST, axis, None, out, 0, "cummin") if made is None else made


def cummax(x, /, *, axis=None, out=None):
    """Running maxima, in x's dtype. NaNs are skipped, as numpy.fmax.accumulate does.

    >>> import numpy as np, upsweep
    >>> upsweep.cummax(np.array([2, 3, 1]))
    array([2, 3, 3])
    """
    made = None if axis is not None else _core.fast_scan(x, GREATEST, 0, out)
    return _scan(x, GREATEST, axis, None, out, 0, "cummax") if made is None else made


def scan(x, op="sum", /, *, heads=None, keys=None, exclusive=False, dtype=None, out=None,
         reproducible=True):
    """Prefix combinations of an array of one dimension.

    op : "sum", "prod", "min", "max", "and", "or" or "xor".
    heads : bool or bytes of x's length; the scan starts anew where they are not 0.
    keys : array of x's length; the scan starts anew where a key has other bits than the one before.
    exclusive : element i of the result combines what stands before i.

    dtype and floats as for `cumsum`. Raises ValueError, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.scan(np.array([1, 2, 3, 4]), heads=np.array([0, 0, 1, 0], bool))
    array([1, 3, 3, 7])
    >>> upsweep.scan(np.array([1, 2, 3]), exclusive=True)
    array([0, 1, 3])
    """
    if op not in OPS:
        raise ValueError(f"op must be one of {', '.join(OPS)}")
    if heads is not None and keys is not None:
        raise ValueError("give heads or keys, not both")
    taken = take(x)
    if taken.array.ndim != 1:
        raise ValueError("scan takes an array of one dimension")
    flags = (EXCLUSIVE if exclusive else 0) | (0 if reproducible else UNORDERED)
    for given in (heads, keys):
        if given is not None and tuple(given.shape if hasattr(given, "shape")
                                       else np.shape(given)) != tuple(taken.array.shape):
            raise ValueError("heads and keys must be of x's length")
    if taken.kind is Numpy:
        heads = None if heads is None else np.ascontiguousarray(np.asarray(heads) != 0)
        keys = None if keys is None else apart(Numpy, host(keys), out)
    else:
        heads, keys = (None if given is None else taken.kind.view(apart(taken.kind, taken.kind.contiguous(
            beside(taken.kind, given, "heads and keys")), out)) for given in (heads, keys))
    return _scan(x, OPS[op], 0, dtype, out, flags, f"scan {op}", heads, keys)


# ---- histograms ----

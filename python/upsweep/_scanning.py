"""Scans."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import beside, host, normal, take, unmasked
from ._axes import apart, axis_last, check_out, finished, product, result_like
from ._dtypes import EXCLUSIVE, FLOATS, UNORDERED
from ._folding import (AND, GREATEST, LEAST, OF_TIMES, OPS, OR, PRODUCT, SUM, XOR, is_bool, of_bools, plain_numbers,
                       widened)
from ._kinds import Cupy, Numpy, Torch, same
from ._times import scan_times, times_of

__all__ = ["cumsum", "cumprod", "cummin", "cummax", "scan"]


def _scan(x, op, axis, dtype, out, flags, what, heads=None, keys=None):
    if type(axis) is int and dtype is None and heads is None and keys is None:
        made = _core.scan_along(x, axis, op, flags, out)
        if made is not None:
            return made
    times = times_of(x) if dtype is None and heads is None and keys is None and not flags & EXCLUSIVE else None
    if times is not None and op in OF_TIMES:
        return scan_times(times, OF_TIMES[op], lambda keys: _scan(
            keys, op, axis, None, None, flags, what), axis, out, what)
    x, op, dtype = of_bools(x, op, dtype, what)
    taken = plain_numbers(x, what).whole(what)
    kind = taken.kind
    a, code = widened(taken, op, dtype)
    if op in (AND, OR, XOR) and code in FLOATS:
        raise TypeError(f"{what} is defined for integers, not for floats")
    if kind in (Numpy, Torch, Cupy) and kind.code(a) != code:
        a = kind.cast(a, code, a)
    if flags & EXCLUSIVE and op in (AND, LEAST) and is_bool(a):
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


def cumsum(x, /, axis=None, dtype=None, *, out=None):
    """Running sums, as numpy.cumsum: integers as int64 or uint64 (of torch int64), floats in their own dtype.

    Floats are added in f64 in a fixed order, and each result is rounded once. Of timedelta64, too: from a
    NaT on all is NaT. axis None: of the flat array. Raises TypeError, AxisError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.cumsum(np.array([1, 2, 3]))
    array([1, 3, 6])
    """
    if dtype is None and (axis is None or axis == 0 or axis == -1):
        made = _core.fast_scan(x, SUM, 0, out)
        if made is not None:
            return made
    return _scan(x, SUM, axis, dtype, out, 0, "cumsum")


def cumprod(x, /, axis=None, dtype=None, *, out=None):
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
        heads = None if heads is None else np.ascontiguousarray(np.asarray(unmasked(heads)) != 0)
        keys = None if keys is None else apart(Numpy, host(keys), out)
    else:
        heads, keys = (None if given is None else taken.kind.view(apart(taken.kind, taken.kind.contiguous(
            beside(taken.kind, given, "heads and keys")), out)) for given in (heads, keys))
    return _scan(x, OPS[op], 0, dtype, out, flags, f"scan {op}", heads, keys)

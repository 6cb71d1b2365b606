"""Sorts, merges, and whether an array is in order."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import beside, columns_of, host, normal, take, unmasked
from ._axes import (argsort_array, bytes_view, check_kind, check_out, finished, flags_of, into, one_row,
                    positions_of, product, result_like, rows_of, values_of)
from ._dtypes import DESCENDING, I64, code_of, refuse
from ._kinds import Numpy, Text, same
from ._strings import column_of_text, order_of_text, sorted_text

__all__ = ["sort", "argsort", "sort_pairs", "lexsort", "sort_records", "sort_rows", "merge",
           "is_sorted"]


def _in_place(x, taken, axis, flags):
    """Sorts x itself where its memory allows that without a copy."""
    a = taken.array
    if taken.kind is Numpy:
        if not (taken.writable and taken.back is same and a.flags.c_contiguous
                and a.flags.writeable):
            return False
    elif hasattr(a, "is_contiguous") and not a.is_contiguous():
        return False
    elif hasattr(a, "flags") and not a.flags.c_contiguous:
        return False
    if axis is None or a.ndim == 0 or normal(axis, a.ndim) != a.ndim - 1:
        return False
    length = a.shape[-1]
    if length > 1:
        kind, rows = taken.kind, product(a.shape) // length
        kind.ready(a)
        if rows == 1:
            _core.sort(kind.view(a), flags)
        elif rows > 1:
            _core.sort_rows(kind.view(a), None, rows, None, flags)
    return True


def sort(x, /, axis=-1, kind=None, *, descending=False, stable=True, out=None, return_index=False):
    """Sorted copy of an array, as numpy.sort and the array API have it.

    Parameters
    ----------
    x : array of integers, bool, floats of 16 to 64 bits, datetimes, or strings (S, U, StringDType)
        Of numpy, torch, cupy, polars, pyarrow, or anything that offers DLPack, the CUDA array
        interface, Arrow's C data interface or the buffer protocol. 0 or more dimensions.
    axis : int or None
        Along which axis; None: of all elements in one row.
    kind : None, "quicksort", "mergesort", "heapsort" or "stable"
        As numpy's, and all the same here: every one is stable.
    descending : bool
    stable : bool
        False allows a method that is not; equal keys differ in nothing but that.
    out : array, optional
        Takes the result, of x's shape and dtype. `out=x` sorts in place.
    return_index : bool
        Also gives the int64 position that each element had, as torch.sort does: what `argsort`
        returns, by the same sort. Stable.

    Returns
    -------
    An array of the library that x came from; of x's shape (flat for axis None) and dtype. With
    return_index (array, positions).

    NaN and nulls come last, descending too (numpy has no descending). -0 comes before +0, where
    numpy calls them equal. No bit of an element changes.

    Raises TypeError for other dtypes, AxisError (a ValueError and IndexError), MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.sort(np.array([3, 1, 2]))
    array([1, 2, 3])
    >>> upsweep.sort(np.array([3, 1, 2]), return_index=True)
    (array([1, 2, 3]), array([1, 2, 0]))
    >>> upsweep.sort([[3., np.nan, 1.], [2., 1., 0.]], descending=True)
    array([[ 3.,  1., nan],
           [ 2.,  1.,  0.]])
    """
    if kind is not None:
        check_kind(kind)
    flags = DESCENDING if descending else 0
    if type(axis) is int and not return_index:
        made = (_core.fast_sort(x, flags, out) if axis == -1 or axis == getattr(x, "ndim", 0) - 1
                else _core.sort_along(x, axis, flags, out))
        if made is not None:
            return made
    if return_index and axis == -1 and out is None:
        both = _core.fast_sort_index(x, flags)
        if both is not None:
            return both
    taken = take(x, descending, column_of_text)
    if taken.kind is Text:
        if out is not None and taken.back is not same:
            raise TypeError("out= is for arrays whose memory can be written: a column's cannot")
        order = order_of_text(taken, axis, descending)
        made = sorted_text(taken, order, axis)
        made = made if out is None else into(out, made)
        return (made, taken.other(order)) if return_index else made
    if out is not None and not return_index and out is x and _in_place(x, taken, axis, flags):
        return out
    if out is not None:
        check_out(taken, out)
    kind = taken.kind
    moved, axis, length, rows, fresh = rows_of(taken, axis)
    if rows == 1:
        a = kind.contiguous(moved)
        made = result_like(taken, a, axis, out)
    else:
        a = made = moved if fresh else kind.copy(moved)  # rows are sorted in place
    index = kind.index_like(a) if return_index else None
    if length and rows:
        view = kind.begin(a)
        places = None if index is None else kind.beside(view, index, I64)
        if rows == 1:
            _core.sort_copy(view, kind.beside(view, made), places, flags)
        else:
            _core.sort_rows(view, None, rows, places, flags)
    made = finished(taken, made, axis, out)
    return (made, positions_of(taken, index, axis, length)) if return_index else made


def argsort(x, /, axis=-1, kind=None, *, descending=False, stable=True, out=None):
    """Positions that sort an array, as numpy.argsort(kind="stable") and the array API have it.

    Parameters are those of `sort`. Returns int64 positions of x's shape, in the library that x
    came from. Stable, descending too: equal keys keep their order. NaN and nulls come last; -0
    comes before +0, where numpy calls them equal.

    Raises TypeError, AxisError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.argsort(np.array([3, 1, 2, 1]))
    array([1, 3, 2, 0])
    """
    if kind is not None:
        check_kind(kind)
    flags = DESCENDING if descending else 0
    if type(axis) is int and out is None:
        made = (_core.fast_argsort(x, flags) if axis == -1 or axis == getattr(x, "ndim", 0) - 1
                else _core.argsort_along(x, axis, flags))
        if made is not None:
            return made
    taken = take(x, descending, column_of_text)
    if taken.kind is Text:
        index = taken.other(order_of_text(taken, axis, descending))
        return index if out is None else into(out, index)
    moved, axis, length, rows, fresh = rows_of(taken, axis)
    if out is not None:
        check_out(taken, out)
    # Rows are sorted along with their positions, so that they need an array of their own.
    a = moved if fresh else taken.kind.contiguous(moved) if rows == 1 else taken.kind.copy(moved)
    index = positions_of(taken, argsort_array(taken.kind, a, rows, flags), axis, length)
    return index if out is None else into(out, index)


def sort_pairs(keys, values, /, *, descending=False, stable=True, in_place=False):
    """Sorts keys and moves values[i] with keys[i].

    keys : array of shape (n,); values : array of shape (n, ...), any dtype without references.
    in_place : sorts both where they are; they must be contiguous, writable and apart from one another.

    Returns (keys, values), new arrays unless in_place. Stable. Order as `sort` has it.

    Raises ValueError if the lengths differ, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.sort_pairs(np.array([2, 1, 1]), np.array([10., 20., 30.]))
    (array([1, 1, 2]), array([20., 30., 10.]))
    """
    if not in_place:
        made = _core.fast_sort_pairs(keys, values, flags_of(descending, stable))
        if made is not None:
            return made
    taken = one_row(keys, "sort_pairs", descending).whole("sort_pairs")
    moved, back = values_of(values) if taken.kind is Numpy else (beside(taken.kind, values, "values"), same)
    if moved.ndim == 0 or moved.shape[0] != taken.array.shape[0]:
        raise ValueError("keys and values differ in length")
    if isinstance(moved, np.ndarray) and moved.dtype.hasobject:
        raise TypeError("values of Python objects cannot be moved: sort their positions")
    kind, a = taken.kind, taken.array
    if in_place:
        if kind is Numpy and not (taken.writable and taken.back is same and moved is values
                                  and moved.flags.c_contiguous and a.flags.c_contiguous):
            raise ValueError("in_place takes contiguous, writable arrays in native order of bytes")
        if kind is Numpy and np.may_share_memory(a, moved):
            raise ValueError("in_place takes keys and values that share no memory")
        if kind.contiguous(a) is not a or kind.contiguous(moved) is not moved:
            raise ValueError("in_place takes contiguous arrays")
        a, b = kind.contiguous(a), kind.contiguous(moved)
    else:
        a, b = kind.copy(a), kind.copy(moved)
    kind.ready(a)
    if a.shape[0] > 1 and product(b.shape[1:]) > 0:
        _core.sort_pairs(kind.view(a), bytes_view(kind, b), flags_of(descending, stable))
    elif a.shape[0] > 1:
        _core.sort(kind.view(a), flags_of(descending))
    return (keys, values) if in_place else (taken.back(a), back(b))


def lexsort(keys, /, *, descending=False):
    """Positions that sort by several keys, the last the most important, as numpy.lexsort.

    keys : sequence of arrays of one length n and one dimension, or an array of shape (k, n); of columns nulls come last.
    descending : turns the direction of all keys; equal rows keep their order.

    Returns n int64 positions.

    Raises ValueError if lengths differ or there are no keys, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.lexsort(([1, 0, 2], [5, 5, 1]))
    array([2, 1, 0])
    """
    keys, flags = tuple(keys), DESCENDING if descending else 0
    made = _core.fast_lexsort(keys, flags)
    if made is not None:
        return made
    columns = [c for k in keys for c in columns_of(k, descending, column_of_text)]
    if not columns:
        raise ValueError("lexsort takes one key or more")
    n = columns[0].array.shape[0]
    if any(c.array.shape[0] != n for c in columns):
        raise ValueError("the keys of lexsort differ in length")
    if all(c.kind is Numpy for c in columns):
        made = _core.fast_lexsort(tuple(np.ascontiguousarray(c.array) for c in columns), flags)
        if made is not None:
            return columns[0].other(made)
    order = None
    for c in columns:
        kind, a = c.kind, c.kind.contiguous(c.array)
        if order is None:
            order = argsort_array(kind, a, 1, flags)
        else:
            moved = kind.empty_like(a)
            kind.ready(a)
            _core.gather(kind.view(a), n, kind.view(order), kind.view(moved))
            _core.sort_pairs(kind.view(moved), kind.view(order), flags)
    return columns[0].other(order)


def _field(dtype, name, flags):
    kind, offset = dtype.fields[name][:2]
    if kind.kind == "S":
        return (offset, 0, kind.itemsize, flags)
    code = code_of(kind)
    if code == 0 or not kind.isnative:
        refuse(f"the field {name!r} of dtype {kind} as a key")
    return (offset, code, 0, flags)


def sort_records(x, /, order=None, *, descending=False, out=None):
    """Sorts records by fields, as numpy.sort(x, order=order, kind="stable").

    x : array of a structured dtype, of one dimension; fields of numbers or bytes (S).
    order : name or names of fields, the first the most important; None: all, in their order. A
        name that begins with "-" is sorted in descending order.
    descending : turns the direction of every field.
    out : takes the result; `out=x` sorts in place.

    Stable. Raises TypeError, ValueError for a name that is no field, MemoryError.

    >>> import numpy as np, upsweep
    >>> r = np.array([(2, 0.5), (1, 0.25), (2, 0.25)], dtype=[("a", "i4"), ("b", "f4")])
    >>> upsweep.sort_records(r, order=["-a", "b"])["b"]
    array([0.25, 0.5 , 0.25], dtype=float32)
    """
    x = np.asarray(unmasked(x))
    if x.dtype.names is None or x.ndim != 1:
        raise TypeError("sort_records takes an array of records, of one dimension")
    if x.dtype.hasobject:
        raise TypeError("records with Python objects cannot be moved: sort their positions")
    names = x.dtype.names if order is None else [order] if isinstance(order, str) else list(order)
    fields = []
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"order has names of fields, not {name!r}")
        down = name not in x.dtype.names and name[:1] == "-"
        name = name[1:] if down else name
        if name not in x.dtype.names:
            raise ValueError(f"there is no field {name!r}")
        if x.dtype[name].itemsize:  # what has no bytes is equal
            fields.append(_field(x.dtype, name, DESCENDING if down else 0))
    if out is not None and (not isinstance(out, np.ndarray) or out.dtype != x.dtype
                            or out.shape != x.shape or not out.flags.writeable):
        raise ValueError("out must be a writable array of x's shape and dtype")
    straight = out is x and x.flags.c_contiguous and x.flags.aligned
    a = x if straight else np.require(x.copy(), requirements=["C", "A"])
    if a.shape[0] > 1 and (fields or not names):
        raw = (a.ctypes.data, a.shape[0], 0, a.dtype.itemsize, 1, -1)
        _core.sort_records(raw, tuple(fields), flags_of(descending))
    if out is None or straight:
        return a
    out[...] = a
    return out


def sort_rows(x, begin=None, /, *, descending=False, return_index=False):
    """Sorts every row of keys on its own, rows of any lengths.

    x : array of shape (n,) whose row r is x[begin[r]:begin[r + 1]]; begin : rows + 1 positions
    that never decrease. Without begin x is of two dimensions.
    return_index : also gives for every place the position that its key had in its row.

    Returns a new array, or (array, positions). Keys in no row stay as they are.

    Raises IndexError for rows that are none, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.sort_rows(np.array([3, 1, 2, 9, 8]), [0, 3, 5])
    array([1, 2, 3, 8, 9])
    """
    taken = take(x, descending).whole("sort_rows")
    if begin is None:
        if taken.array.ndim != 2:
            raise ValueError("without begin, sort_rows takes an array of two dimensions")
        if not return_index:
            return sort(x, descending=descending)
    elif taken.array.ndim != 1:
        raise ValueError("with begin, sort_rows takes an array of one dimension")
    kind = taken.kind
    a = kind.copy(taken.array)
    index = None
    if return_index:
        index = kind.empty(a.shape, 8, a)
        if begin is not None:
            index[...] = 0
    rows, limits = a.shape[0], None
    if begin is not None:
        limits = host(begin)
        if limits.dtype.kind not in "iu" or limits.ndim != 1 or limits.size < 1:
            raise TypeError("begin must be integers, one more than there are rows")
        if limits.dtype.kind == "i" and limits.size and limits.min() < 0:
            raise IndexError("begin has a negative position")
        limits, rows = np.ascontiguousarray(limits, "u8"), limits.size - 1
    kind.ready(a)
    if rows > 0 and product(a.shape) > 0:
        _core.sort_rows(kind.view(a), limits, rows, None if index is None else kind.view(index),
                        flags_of(descending))
    made = taken.back(a)
    return (made, taken.other(index)) if return_index else made


def merge(a, b, /, *, descending=False, out=None):
    """One sorted array of two sorted ones, of one dimension and dtype; equal keys: a's first.

    descending : both are in falling order. Arrays that are not sorted give some order of their
    elements. Raises TypeError if dtypes differ, ValueError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.merge(np.array([1, 4]), np.array([2, 3, 9]))
    array([1, 2, 3, 4, 9])
    """
    first = one_row(a, "merge", descending).whole("merge")
    second = one_row(b, "merge", descending).whole("merge")
    if (first.code != second.code or first.kind is not second.kind or first.times != second.times
            or getattr(first.array, "dtype", None) != getattr(second.array, "dtype", None)):
        raise TypeError("the arrays of a merge differ in dtype or library")
    kind = first.kind
    x, y = kind.contiguous(first.array), kind.contiguous(second.array)
    total = x.shape[0] + y.shape[0]
    if out is not None:
        check_out(first, out)
        if tuple(out.shape) != (total,):
            raise ValueError(f"out has the shape {tuple(out.shape)}, not ({total},)")
    made = kind.new(x, (total,))
    kind.ready(x)
    _core.merge(kind.view(x), kind.view(y), kind.view(made), flags_of(descending))
    made = first.back(made)
    return made if out is None else into(out, made)


def is_sorted(x, /, *, descending=False):
    """Whether an array of one dimension is in order, NaN last and -0 before +0.

    >>> import numpy as np, upsweep
    >>> upsweep.is_sorted(np.array([1, 2, 2]))
    True
    """
    flags = DESCENDING if descending else 0
    if _core.plain(x):
        return _core.is_sorted(x, flags) == x.shape[0]
    made = _core.fast_is_sorted(x, flags)
    if made is not None:
        return made
    taken = one_row(x, "is_sorted", descending).whole("is_sorted")
    a = taken.kind.contiguous(taken.array)
    taken.kind.ready(a)
    return _core.is_sorted(taken.kind.view(a), flags) == a.shape[0]

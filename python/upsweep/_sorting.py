"""Sorts, and what goes with them: selection, merging, searching, unique."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import (DESCENDING, FLOATS, LARGEST, Numpy, UNSTABLE, DTYPES, code_of, host, normal,
                      refuse, same, take)

__all__ = ["sort", "argsort", "sort_pairs", "lexsort", "sort_records", "sort_rows", "partition",
           "argpartition", "top_k", "unique", "run_lengths", "searchsorted", "merge", "is_sorted"]

SORTED_WHOLE = 4096  # keys up to which a sort is the quickest selection
ROW_BY_ROW = 1 << 14  # rows of more keys are selected from one by one, shorter ones are sorted


def _flags(descending, stable=True):
    return (DESCENDING if descending else 0) | (0 if stable else UNSTABLE)


def _rows(taken, axis):
    """The array with axis last, the axis as a number, keys a row and rows."""
    a = taken.array
    if axis is None:
        a = a.reshape(-1)
        axis = 0
    elif a.ndim == 0:
        normal(axis, 0)
    axis = normal(axis, a.ndim)
    moved = taken.kind.moveaxis(a, axis, -1)
    length = moved.shape[-1]
    count = 1
    for size in moved.shape[:-1]:
        count *= size
    return moved, axis, length, count


def _laid_out(taken, a, axis):
    """a, whose last axis was `axis`, in the order of bytes that a new array has."""
    if axis == a.ndim - 1 or a.ndim < 2:
        return a
    return taken.kind.contiguous(taken.kind.moveaxis(a, -1, axis))


def _check_out(taken, out, code=None):
    """out as an array of the kind of x, which results are written to."""
    if taken.back is not same and taken.kind is Numpy and not isinstance(out, np.ndarray):
        raise TypeError("out= is for arrays whose memory can be written: this library's cannot")
    given = take(out)
    if given.kind is not taken.kind:
        raise TypeError("out must be of the same library as the input")
    if given.kind is Numpy and not given.array.flags.writeable:
        raise ValueError("out is read-only")
    return out


def _into(out, values):
    if tuple(out.shape) != tuple(values.shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}, not {tuple(values.shape)}")
    if not (out.dtype.newbyteorder("=") == values.dtype.newbyteorder("=")
            if isinstance(out, np.ndarray) else out.dtype == values.dtype):
        raise TypeError(f"out has the dtype {out.dtype}, not {values.dtype}")
    out[...] = values
    return out


def _sort_into(kind, a, rows, flags):
    kind.ready(a)
    view = kind.view(a)
    if rows == 1:
        _core.sort(view, flags)
    elif rows > 1:
        _core.sort_rows(view, None, rows, None, flags)


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
        _sort_into(taken.kind, a, _product(a.shape) // length, flags)
    return True


def _product(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def sort(x, /, *, axis=-1, descending=False, stable=True, out=None):
    """Sorted copy of an array, as numpy.sort and the array API have it.

    Parameters
    ----------
    x : array of integers, bool, floats of 16 to 64 bits, or datetimes
        Of numpy, torch, cupy, polars, pyarrow, or anything that offers DLPack, the CUDA array
        interface, Arrow's C data interface or the buffer protocol. 0 or more dimensions.
    axis : int or None
        Along which axis; None: of all elements in one row.
    descending : bool
    stable : bool
        False allows a method that is not; equal keys differ in nothing but that.
    out : array, optional
        Takes the result, of x's shape and dtype. `out=x` sorts in place.

    Returns
    -------
    An array of the library that x came from; of x's shape (flat for axis None) and dtype.

    NaN and nulls come last, descending too (numpy has no descending). -0 comes before +0, where
    numpy calls them equal. No bit of an element changes.

    Raises TypeError for other dtypes, AxisError (a ValueError and IndexError), MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.sort(np.array([3, 1, 2]))
    array([1, 2, 3])
    >>> upsweep.sort([[3., np.nan, 1.], [2., 1., 0.]], descending=True)
    array([[ 3.,  1., nan],
           [ 2.,  1.,  0.]])
    """
    flags = DESCENDING if descending else 0
    if axis == -1 and out is None:
        made = _core.fast_sort(x, flags)
        if made is not None:
            return made
    taken = take(x, descending)
    if out is not None and out is x and _in_place(x, taken, axis, flags):
        return out
    moved, axis, _, rows = _rows(taken, axis)
    if out is not None:
        _check_out(taken, out)
    a = taken.kind.copy(moved)
    if a.shape[-1] > 1:
        _sort_into(taken.kind, a, rows, flags)
    a = _laid_out(taken, a, axis)
    made = taken.back(a, taken.nulls) if taken.nulls else taken.back(a)
    return made if out is None else _into(out, made)


def _argsort_array(kind, a, rows, flags):
    index = kind.empty(a.shape, 8, a)
    kind.ready(a)
    if rows == 1:
        _core.argsort(kind.view(a), kind.view(index), flags)
    elif rows > 1:
        _core.sort_rows(kind.view(a), None, rows, kind.view(index), flags)
    return index


def argsort(x, /, *, axis=-1, descending=False, stable=True, out=None):
    """Positions that sort an array, as numpy.argsort(kind="stable") and the array API have it.

    Parameters are those of `sort`. Returns int64 positions of x's shape, in the library that x
    came from. Stable, descending too: equal keys keep their order. NaN and nulls come last; -0
    comes before +0, where numpy calls them equal.

    Raises TypeError, AxisError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.argsort(np.array([3, 1, 2, 1]))
    array([1, 3, 2, 0])
    """
    flags = DESCENDING if descending else 0
    if axis == -1 and out is None:
        made = _core.fast_argsort(x, flags)
        if made is not None:
            return made
    taken = take(x, descending)
    moved, axis, length, rows = _rows(taken, axis)
    if out is not None:
        _check_out(taken, out)
    # Rows are sorted along with their positions, so that they need an array of their own.
    a = taken.kind.contiguous(moved) if rows == 1 else taken.kind.copy(moved)
    index = _laid_out(taken, _argsort_array(taken.kind, a, rows, flags), axis)
    if taken.nulls:
        missing = np.ones(length + taken.nulls, bool)
        missing[taken.valid] = False
        index = np.concatenate([taken.valid[index], np.flatnonzero(missing)])
    index = taken.other(index)
    return index if out is None else _into(out, index)


def _one_row(x, what, descending=False):
    taken = take(x, descending)
    if taken.array.ndim != 1:
        raise ValueError(f"{what} takes an array of one dimension, not of {taken.array.ndim}")
    return taken


def sort_pairs(keys, values, /, *, descending=False, stable=True, in_place=False):
    """Sorts keys and moves values[i] with keys[i].

    keys : array of shape (n,); values : array of shape (n, ...), any dtype without references.
    in_place : sorts both where they are; they must be contiguous and writable.

    Returns (keys, values), new arrays unless in_place. Stable. Order as `sort` has it.

    Raises ValueError if the lengths differ, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.sort_pairs(np.array([2, 1, 1]), np.array([10., 20., 30.]))
    (array([1, 1, 2]), array([20., 30., 10.]))
    """
    taken = _one_row(keys, "sort_pairs", descending).whole("sort_pairs")
    moved = values if taken.kind is not Numpy else np.asarray(values)
    if moved.ndim == 0 or moved.shape[0] != taken.array.shape[0]:
        raise ValueError("keys and values differ in length")
    if isinstance(moved, np.ndarray) and moved.dtype.hasobject:
        raise TypeError("values of Python objects cannot be moved: sort their positions")
    kind, a = taken.kind, taken.array
    if in_place:
        if kind is Numpy and not (taken.writable and taken.back is same and moved is values
                                  and moved.flags.c_contiguous and a.flags.c_contiguous):
            raise ValueError("in_place takes contiguous, writable arrays in native order of bytes")
        a, b = kind.contiguous(a), kind.contiguous(moved)
    else:
        a, b = kind.copy(a), kind.copy(moved)
    kind.ready(a)
    if a.shape[0] > 1 and _product(b.shape[1:]) > 0:
        _core.sort_pairs(kind.view(a), _bytes_view(kind, b), _flags(descending, stable))
    elif a.shape[0] > 1:
        _core.sort(kind.view(a), _flags(descending))
    return (keys, values) if in_place else (taken.back(a), b if moved is values else b)


def _bytes_view(kind, b):
    if kind is Numpy:
        return b
    view = kind.view(b)
    return (view[0], view[1] * view[3], 1, 1, view[4], view[5])


def lexsort(keys, /, *, descending=False):
    """Positions that sort by several keys, the last the most important, as numpy.lexsort.

    keys : sequence of arrays of one length n and one dimension, or an array of shape (k, n).
    descending : turns the direction of all keys; equal rows keep their order.

    Returns n int64 positions.

    Raises ValueError if lengths differ or there are no keys, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.lexsort(([1, 0, 2], [5, 5, 1]))
    array([2, 1, 0])
    """
    columns = [_one_row(k, "lexsort", descending).whole("lexsort") for k in keys]
    if not columns:
        raise ValueError("lexsort takes one key or more")
    n = columns[0].array.shape[0]
    if any(c.array.shape[0] != n for c in columns):
        raise ValueError("the keys of lexsort differ in length")
    flags = _flags(descending)
    order = None
    for c in columns:
        kind, a = c.kind, c.kind.contiguous(c.array)
        if order is None:
            order = _argsort_array(kind, a, 1, flags)
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
    x = np.asarray(x)
    if x.dtype.names is None or x.ndim != 1:
        raise TypeError("sort_records takes an array of records, of one dimension")
    if x.dtype.hasobject:
        raise TypeError("records with Python objects cannot be moved: sort their positions")
    names = x.dtype.names if order is None else [order] if isinstance(order, str) else list(order)
    fields = []
    for name in names:
        down = name not in x.dtype.names and name[:1] == "-"
        name = name[1:] if down else name
        if name not in x.dtype.names:
            raise ValueError(f"there is no field {name!r}")
        fields.append(_field(x.dtype, name, DESCENDING if down else 0))
    if out is not None and (not isinstance(out, np.ndarray) or out.dtype != x.dtype
                            or out.shape != x.shape or not out.flags.writeable):
        raise ValueError("out must be a writable array of x's shape and dtype")
    straight = out is x and x.flags.c_contiguous and x.flags.aligned
    a = x if straight else np.require(x.copy(), requirements=["C", "A"])
    if a.shape[0] > 1:
        raw = (a.ctypes.data, a.shape[0], 0, a.dtype.itemsize, 1, -1)
        _core.sort_records(raw, tuple(fields), _flags(descending))
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
    if rows > 0 and _product(a.shape) > 0:
        _core.sort_rows(kind.view(a), limits, rows, None if index is None else kind.view(index),
                        _flags(descending))
    made = taken.back(a)
    return (made, taken.other(index)) if return_index else made


def _places(kth, length, empty=False):
    """The positions kth from 0, in rising order; an empty array has any."""
    places = np.atleast_1d(np.asarray(kth))
    if places.dtype.kind not in "iu" or places.ndim > 1:
        raise TypeError("kth must be an integer or a sequence of integers")
    found = set()
    for k in places.tolist():
        if empty:
            continue
        if not -length <= k < length:
            raise ValueError(f"kth(={k}) out of bounds ({length})")
        found.add(k % length)
    return sorted(found)


def _select(kind, row, places, flags):
    """Puts the keys of all places where a sort would; the last place first."""
    end = row.shape[0]
    for k in reversed(places):
        part = row[:end]
        _core.nth_element(kind.view(part), k, flags)
        end = k


def partition(x, kth, /, *, axis=-1, descending=False, out=None):
    """Rearranges a copy so that the elements at kth are where a sort would put them, as
    numpy.partition: nothing before them is greater, nothing after is less.

    kth : int or sequence of ints, negative from the end. Other parameters are those of `sort`.

    Where the others stand is not said, and differs from numpy. NaN last, -0 before +0.

    Raises ValueError for a kth out of range, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> int(upsweep.partition(np.array([3, 1, 2, 0]), 1)[1])
    1
    """
    if type(kth) is int and axis == -1 and out is None and _core.plain(x) and x.size:
        n = x.shape[0]
        if not -n <= kth < n:
            raise ValueError(f"kth(={kth}) out of bounds ({n})")
        if n <= SORTED_WHOLE:
            return _core.fast_sort(x, _flags(descending))
        a = x.copy()
        _core.nth_element(a, kth % n, _flags(descending))
        return a
    taken = take(x, descending).whole("partition")
    moved, axis, length, rows = _rows(taken, axis)
    places = _places(kth, length, _product(moved.shape) == 0)
    kind, flags = taken.kind, _flags(descending)
    straight = (out is not None and out is x and kind is Numpy and taken.back is same
                and taken.writable and taken.array is x and moved.flags.c_contiguous)
    if out is not None:
        _check_out(taken, out)
    a = moved if straight else kind.copy(moved)
    if _product(a.shape) > 0 and places:
        kind.ready(a)
        if rows == 1 and length <= SORTED_WHOLE:
            _core.sort(kind.view(a), flags)
        elif rows == 1:
            _select(kind, a.reshape(-1), places, flags)
        elif length <= ROW_BY_ROW:
            _core.sort_rows(kind.view(a), None, rows, None, flags)
        else:
            for row in a.reshape(rows, length):
                _select(kind, row, places, flags)
    if straight:
        return out
    made = taken.back(_laid_out(taken, a, axis))
    return made if out is None else _into(out, made)


def argpartition(x, kth, /, *, axis=-1, descending=False):
    """Positions that partition an array, as numpy.argpartition.

    Parameters and errors are those of `partition`; returns int64 positions. Which of the positions
    of equal elements stand before kth is not said.

    >>> import numpy as np, upsweep
    >>> int(upsweep.argpartition(np.array([3, 1, 2, 0]), 0)[0])
    3
    """
    taken = take(x, descending).whole("argpartition")
    moved, _, length, rows = _rows(taken, axis)
    places = _places(kth, length, _product(moved.shape) == 0)
    if taken.kind is not Numpy or rows != 1 or len(places) != 1 or length <= SORTED_WHOLE:
        return argsort(x, axis=axis, descending=descending)
    a = np.ascontiguousarray(moved).reshape(-1)
    copy = a.copy()
    _core.nth_element(copy, places[0], _flags(descending))
    index = _parted(a, copy[places[0]], descending)
    if index is None:  # NaNs at kth: all that is no NaN comes first
        return argsort(x, axis=axis, descending=descending)
    shape = taken.array.shape if axis is not None else (length,)
    return taken.other(index.reshape(shape))


def _parted(a, pivot, descending):
    """Positions of what comes before the pivot, of what equals it, and of the others."""
    if pivot != pivot:
        return None
    before, after = (a > pivot, a < pivot) if descending else (a < pivot, a > pivot)
    if a.dtype.kind == "f":
        after |= a != a
    first, last = np.flatnonzero(before), np.flatnonzero(after)
    middle = np.flatnonzero(~(before | after))
    return np.concatenate([first, middle, last])


def _top_row(kind, row, k, flags):
    values, index = kind.empty_like(row[:k]), kind.empty((k,), 8, row)
    _core.top_k(kind.view(row), kind.view(values), kind.view(index), flags)
    return values, index


def top_k(x, k, /, *, axis=-1, largest=True):
    """The k greatest (or least) elements of each row and their positions, best first.

    x : array of one or more dimensions; k : at most the length of the axis.

    Returns (values, positions), positions int64. Of equal elements those of the lowest positions
    are taken, in the order of positions. NaN counts as worst in both directions.

    Raises ValueError for a k out of range, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.top_k(np.array([3, 1, 5, 5]), 2)
    (array([5, 5]), array([2, 3]))
    """
    if type(k) is int and axis == -1 and _core.plain(x) and 0 <= k <= x.shape[0]:
        values, index = np.empty(k, x.dtype), np.empty(k, np.int64)
        _core.top_k(x, values, index, LARGEST if largest else 0)
        return values, index
    taken = take(x, largest).whole("top_k")
    moved, axis, length, rows = _rows(taken, axis)
    if not isinstance(k, (int, np.integer)) or not 0 <= k <= length:
        raise ValueError(f"k must be an integer from 0 to {length}")
    kind, flags = taken.kind, LARGEST if largest else 0
    kind.ready(taken.array)
    if rows == 1:
        values, index = _top_row(kind, kind.contiguous(moved).reshape(-1), k, flags)
    else:
        a = kind.contiguous(moved).reshape(rows, length)
        values, index = kind.empty_like(a[:, :k]), kind.empty((rows, k), 8, a)
        _core.top_k_rows(kind.view(a), rows, kind.view(values), kind.view(index), flags)
    shape = tuple(moved.shape[:-1]) + (k,)
    values, index = values.reshape(shape), index.reshape(shape)
    return taken.back(_laid_out(taken, values, axis)), taken.other(_laid_out(taken, index, axis))


def _one_value(keys, code, equal_nan, index=None):
    """Makes what numpy calls equal equal in bits, in sorted keys: zeros, and NaNs if asked. index
    is put in rising order there, since such keys are ties."""
    if code not in FLOATS or keys.size == 0:
        return
    low = keys.searchsorted(keys.dtype.type(0))
    spans = []
    if low + 1 < keys.size and keys[low] == 0 and keys[low + 1] == 0:
        spans.append((low, keys.searchsorted(keys.dtype.type(0), "right"), 0.0))
    if equal_nan and keys[-1] != keys[-1]:
        first = np.searchsorted(keys, np.nan, "left")
        spans.append((first, keys.size, np.nan))
    for begin, end, value in spans:
        keys[begin:end] = value
        if index is not None:
            _core.sort(index[begin:end], 0)


def _shortened(a, n):
    return a[:n].copy() if 2 * n < a.shape[0] else a[:n]


def unique(x, /, *, return_index=False, return_inverse=False, return_counts=False,
           equal_nan=True):
    """The different elements of an array in rising order, as numpy.unique with axis=None.

    return_index : also the first position of each; return_inverse : also the positions in the
    result that give x again, of x's shape; return_counts : also how often each occurs (int64).
    equal_nan : NaNs are one element; else each is one.

    -0 and +0 are one element. Returns an array or a tuple, as numpy does.

    Raises TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    if not (return_index or return_inverse or return_counts) and _core.plain(x) \
            and x.dtype.kind != "f":
        keys = _core.fast_sort(x, 0)
        return _shortened(keys, _core.unique(keys, 0))
    taken = take(x).whole("unique")
    if taken.kind is not Numpy or taken.code not in DTYPES:
        raise TypeError("unique takes arrays in the host's memory")
    shape = taken.array.shape
    flat = np.ascontiguousarray(taken.array).reshape(-1)
    code, n = taken.code, flat.shape[0]
    if not (return_index or return_inverse):
        keys = _core.fast_sort(flat, 0)
        _one_value(keys, code, equal_nan)
        if not return_counts:
            if equal_nan or code not in FLOATS:
                return taken.back(_shortened(keys, _core.unique(keys, 0)))
            return taken.back(keys[_heads(keys, equal_nan)])
    else:
        index = _core.fast_argsort(flat, 0)
        keys = np.empty_like(flat)
        _core.gather(flat, n, index, keys)
        _one_value(keys, code, equal_nan, index)
    heads = _heads(keys, equal_nan)
    begins = np.flatnonzero(heads)
    made = [taken.back(keys[begins])]
    if return_index:
        made.append(taken.other(index[begins]))
    if return_inverse:
        rank = np.cumsum(heads) - 1
        inverse = np.empty(n, np.intp)
        _core.scatter(rank, index, inverse, n)
        made.append(taken.other(inverse.reshape(shape)))
    if return_counts:
        made.append(taken.other(np.diff(np.append(begins, n))))
    return tuple(made)


def _heads(keys, equal_nan):
    """Where sorted keys differ from the one before; NaNs do unless equal_nan."""
    heads = np.empty(keys.shape[0], bool)
    heads[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=heads[1:])
    if equal_nan and keys.dtype.kind == "f" and keys.size and keys[-1] != keys[-1]:
        heads[int(np.searchsorted(keys, np.nan, "left")) + 1:] = False
    return heads


def run_lengths(x, /):
    """Runs of equal elements: (values, counts), values of x's dtype, counts int64.

    x : array of one dimension. Elements are equal if their bits are: -0 and +0 are not, NaNs may
    be. Raises TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.run_lengths(np.array([7, 7, 1, 7]))
    (array([7, 1, 7]), array([2, 1, 1]))
    """
    taken = _one_row(x, "run_lengths").whole("run_lengths")
    kind, a = taken.kind, taken.kind.contiguous(taken.array)
    values, counts = kind.empty_like(a), kind.empty(a.shape, 8, a)
    kind.ready(a)
    runs = _core.run_lengths(kind.view(a), kind.view(values), kind.view(counts), 0)
    if kind is Numpy:
        values, counts = _shortened(values, runs), _shortened(counts, runs)
    return taken.back(values[:runs]), taken.other(counts[:runs])


def searchsorted(a, v, /, *, side="left", sorter=None):
    """Where elements would go in a sorted array, as numpy.searchsorted.

    a : sorted array of shape (n,), or with `sorter` one that a[sorter] sorts; v : elements, of any
    shape; side : "left" before equal elements, "right" after them.

    Returns int64 positions of v's shape (an int64 for a scalar). NaN last; -0 and +0 are equal.

    >>> import numpy as np, upsweep
    >>> upsweep.searchsorted(np.array([1, 2, 2, 3]), [2, 4], side="right")
    array([3, 4])
    """
    if side not in ("left", "right"):
        raise ValueError('side must be "left" or "right"')
    keys, wanted = np.asarray(a), np.asarray(v)
    if keys.ndim != 1:
        raise ValueError("searchsorted takes a sorted array of one dimension")
    return np.searchsorted(keys, wanted, side, sorter)


def merge(a, b, /, *, descending=False, out=None):
    """One sorted array of two sorted ones, of one dimension and dtype; equal keys: a's first.

    descending : both are in falling order. Arrays that are not sorted give some order of their
    elements. Raises TypeError if dtypes differ, ValueError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.merge(np.array([1, 4]), np.array([2, 3, 9]))
    array([1, 2, 3, 4, 9])
    """
    first = _one_row(a, "merge", descending).whole("merge")
    second = _one_row(b, "merge", descending).whole("merge")
    if first.code != second.code or first.kind is not second.kind:
        raise TypeError("the arrays of a merge differ in dtype or library")
    kind = first.kind
    x, y = kind.contiguous(first.array), kind.contiguous(second.array)
    total = x.shape[0] + y.shape[0]
    if out is not None:
        _check_out(first, out)
        if tuple(out.shape) != (total,):
            raise ValueError(f"out has the shape {tuple(out.shape)}, not ({total},)")
    made = kind.empty((total,), first.code, x)
    if kind is Numpy:
        made = made.view(x.dtype)
    kind.ready(x)
    _core.merge(kind.view(x), kind.view(y), kind.view(made), _flags(descending))
    made = first.back(made)
    return made if out is None else _into(out, made)


def is_sorted(x, /, *, descending=False):
    """Whether an array of one dimension is in order, NaN last and -0 before +0.

    >>> import numpy as np, upsweep
    >>> upsweep.is_sorted(np.array([1, 2, 2]))
    True
    """
    flags = DESCENDING if descending else 0
    if _core.plain(x):
        return _core.is_sorted(x, flags) == x.shape[0]
    taken = _one_row(x, "is_sorted", descending).whole("is_sorted")
    a = taken.kind.contiguous(taken.array)
    taken.kind.ready(a)
    return _core.is_sorted(taken.kind.view(a), flags) == a.shape[0]

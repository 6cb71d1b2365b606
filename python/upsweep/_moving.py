"""Splits and moves: elements of any dtype that holds no references."""
# SPDX-License-Identifier: MIT
import operator

import numpy as np

from . import _core
from ._arrays import beside, host, unmasked
from ._arrays import take as _take
from ._axes import apart, bytes_view, into
from ._dtypes import FLOATS, I32, I64, U16, U32, U8
from ._kinds import Numpy, same
from ._pandas import frame_by_columns, is_frame

__all__ = ["split", "compress", "split_by_id", "take", "take_rows", "put", "permute", "reverse"]


def _elements(x, what):
    """The array with its kind; elements of any dtype, where numpy has it."""
    if isinstance(x, np.ndarray) and not isinstance(x, np.ma.MaskedArray):
        a = np.asarray(x)
        if a.dtype.hasobject:
            raise TypeError(f"{what} cannot move Python objects")
        return Numpy, a if a.flags.aligned else a.copy(), same, same
    taken = _take(x).whole(what)
    return taken.kind, taken.array, taken.back, taken.other


def _first_axis(x, what):
    kind, a, back, other = _elements(x, what)
    if a.ndim < 1:
        raise ValueError(f"{what} takes an array of one dimension or more")
    a = kind.contiguous(a)
    kind.ready(a)
    return kind, a, back, other


def _size(a):
    n = 1
    for s in a.shape[1:]:
        n *= s
    return n


def _flags_for(kind, flags, n, what):
    if kind is Numpy:
        flags = np.ascontiguousarray(np.asarray(unmasked(flags)) != 0)
        if flags.shape != (n,):
            raise ValueError(f"{what} takes a flag for each element of the first axis")
        return flags
    if tuple(beside(kind, flags, "flags").shape) != (n,):
        raise ValueError(f"{what} takes a flag for each element of the first axis")
    return kind.view(kind.contiguous(flags))


def split(x, flags, /):
    """Stable partition along the first axis: elements whose flag is 0 first, then the others.

    Returns (array, number of the former). Raises ValueError, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.split(np.array([5, 6, 7, 8]), [1, 0, 1, 0])
    (array([6, 8, 5, 7]), 2)
    """
    kind, a, back, _ = _first_axis(x, "split")
    flags = _flags_for(kind, flags, a.shape[0], "split")
    out = kind.empty_like(a)
    if _size(a) == 0:  # elements of no bytes
        return back(out), int((flags == 0).sum()) if kind is Numpy else a.shape[0]
    zeros = _core.split(bytes_view(kind, a), flags, bytes_view(kind, out))
    return back(out), zeros


def compress(condition, x, /):
    """The elements of the first axis where the condition is not 0, as numpy.compress(axis=0).

    >>> import numpy as np, upsweep
    >>> upsweep.compress([0, 1, 1], np.array([5, 6, 7]))
    array([6, 7])
    """
    made = _core.fast_compress(condition, x)
    if made is not None:
        out, kept = made
        short = out if kept == out.shape[0] else out[:kept]
        return short.copy() if 2 * kept < out.shape[0] and type(out) is np.ndarray else short
    kind, a, back, _ = _first_axis(x, "compress")
    flags = _flags_for(kind, condition, a.shape[0], "compress")
    out = kind.empty_like(a)
    if _size(a) == 0 or a.shape[0] == 0:
        return back(a[np.asarray(condition, bool)] if kind is Numpy else a[:0])
    kept = _core.compact(bytes_view(kind, a), flags, bytes_view(kind, out))
    short = out[:kept]
    return back(short.copy() if kind is Numpy and 2 * kept < a.shape[0] else short)


def split_by_id(x, ids, count, /):
    """Stable split of the first axis into buckets: (array, offsets).

    ids : bucket of each element, integers below count, where x is; offsets : where each bucket
    begins, count + 1 int64. IndexError for an id out of range; TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.split_by_id(np.array([5, 6, 7]), [1, 0, 1], 2)
    (array([6, 5, 7]), array([0, 1, 3]))
    """
    kind, a, back, other = _first_axis(x, "split_by_id")
    count = operator.index(count)
    if count < 0:
        raise ValueError("count is 0 or more")
    if kind is not Numpy:
        return _split_tensor(kind, a, ids, count, back, other)
    ids = _integers(host(ids))
    if ids.dtype.kind not in "iu" or ids.shape != (a.shape[0],):
        raise TypeError("ids must be integers, one for each element of the first axis")
    if ids.size and (int(ids.min()) < 0 or int(ids.max()) >= count):
        raise IndexError(f"an id is not in 0 .. {count - 1}")
    ids = ids if ids.dtype in (np.uint8, np.uint16, np.uint32) else ids.astype(np.uint32)
    out, offsets = np.empty_like(a), np.zeros(count + 1, np.int64)
    if _size(a) and a.shape[0]:
        _core.split_ids(a, ids, count, out, offsets)
    else:
        np.cumsum(np.bincount(ids, minlength=count), out=offsets[1:])
    return back(out), other(offsets)


def _split_tensor(kind, a, ids, count, back, other):
    ids = _take(ids)
    given = ids.array
    if ids.kind is not kind or tuple(given.shape) != (a.shape[0],) or ids.code in FLOATS:
        raise TypeError("ids must be integers where the array is, one for each element of its first axis")
    given = kind.contiguous(given)
    if a.shape[0]:
        least, most = _core.minmax(kind.begin(given), 0)
        if least < 0 or most >= count:
            raise IndexError(f"an id is not in 0 .. {count - 1}")
    if ids.code not in (U8, U16, U32, I32):
        given = kind.cast(given, I32, given)  # older versions of torch have no uint32
    out, offsets = kind.empty_like(a), kind.empty((count + 1,), I64, given)
    if a.shape[0]:
        kind.ready(a)
        moved, to = (a, out) if _size(a) else (given, kind.empty_like(given))  # rows of nothing: offsets alone
        address, n, code, *rest = kind.view(given)
        numbers = (address, n, U32 if code == I32 else code, *rest)
        _core.split_ids(bytes_view(kind, moved), numbers, count, bytes_view(kind, to), kind.view(offsets))
    else:
        offsets[:] = 0
    return back(out), other(offsets)


def _integers(a):
    """An empty list is an array of floats to numpy."""
    return a.astype(np.intp) if a.size == 0 and a.dtype.kind == "f" else a


def _positions(kind, indices, length):
    """Positions as the library takes them, and their shape; negative ones of the host count from the end."""
    if kind is not Numpy:
        index = kind.contiguous(beside(kind, indices, "positions"))
        if kind.code(index) not in (3, 4, 7, 8):
            raise TypeError("positions on a device must be integers of 32 or 64 bits")
        return index, tuple(index.shape)
    index = _integers(np.asarray(unmasked(indices)))
    shape = index.shape
    if index.dtype.kind not in "iu":
        raise TypeError("positions must be integers")
    if index.dtype not in (np.int64, np.uint64, np.int32, np.uint32) or not index.dtype.isnative:
        index = index.astype(np.intp)
    index = np.require(index, requirements="CA")
    if index.dtype.kind == "i" and index.size and _core.reduce(index.reshape(-1), 0x103, 0, 1) < 0:
        index = np.where(index < 0, index + length, index)
        if _core.reduce(index.reshape(-1), 0x103, 0, 1) < 0:
            raise IndexError(f"a position is out of bounds for an axis of {length}")
    return index, shape


def take(x, indices, /, axis=None, *, out=None):
    """Elements at given positions, as numpy.take.

    indices : integers of any shape, or one, which gives an element; negative ones count from the end.
    axis : None takes from the flat array, 0 takes whole rows. out : takes the result.

    IndexError for a position out of range, on a GPU by `wait`, where negative ones are out of range, too;
    TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.take(np.array([5, 6, 7]), [2, 0, -1])
    array([7, 5, 7])
    """
    if out is None and _core.plain(x) and _core.plain(indices) and axis in (None, 0) \
            and indices.dtype.kind == "i" and indices.itemsize >= 4:
        made = np.empty(indices.shape[0], x.dtype)
        try:
            _core.gather(x, x.shape[0], indices, made)
            return made
        except IndexError:  # perhaps negative ones, which count from the end
            pass
    if out is None and axis in (None, 0):
        made = _core.fast_take(x, indices, axis is not None)
        if made is not None:
            return made
    kind, a, back, _ = _elements(x, "take")
    if axis not in (None, 0):
        raise ValueError("axis must be None or 0")
    a = kind.contiguous(a)
    a = a.reshape(-1) if axis is None else a
    if a.ndim == 0:
        raise ValueError("take along axis 0 needs a dimension")
    kind.ready(a)
    index, shape = _positions(kind, indices, a.shape[0])
    shape = tuple(shape if back is same else index.shape) + tuple(a.shape[1:])  # no column is a single element
    made = kind.new(a, shape)
    if _size(a) and _size_all(index.shape):
        _core.gather(bytes_view(kind, a), a.shape[0], kind.view(index), bytes_view(kind, made))
    elif kind is Numpy and index.size and int(index.max()) >= a.shape[0]:  # elements of no bytes
        raise IndexError(f"a position is out of bounds for an axis of {a.shape[0]}")
    made = back(made)
    if shape == () and kind is Numpy and out is None:
        return made[()]
    return made if out is None else into(out, made)


def take_rows(x, indices, /):
    """Rows of a DataFrame of pandas at given positions, as x.take(indices); of an array or tensor, as take with axis=0.

    x : columns of any dtype; those of numbers and times, each in a piece of memory, go by take, the others by pandas.
    indices : a list or an array of integers, as argsort, lexsort and top_k give them; negative ones count from the end.

    Returns a DataFrame with the rows' own labels. IndexError for a position out of range; TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.take_rows(np.array([[5, 6], [7, 8]]), [1, 1])
    array([[7, 8],
           [7, 8]])
    """
    if not is_frame(x):
        return take(x, indices, 0)
    index = np.asarray(unmasked(indices))
    if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
        raise TypeError("indices must be integers, in one dimension")
    if index.dtype == np.uint64:  # those beyond all rows stay so
        index = np.minimum(index, np.uint64(2**63 - 1))
    index = index.astype(np.intp, copy=False)
    made = frame_by_columns(x, index, take)
    return x.take(index) if made is None else made


def _size_all(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def put(x, indices, values, /):
    """Sets x.flat[indices[i]] = values[i] in place, as numpy.put; of equal positions the last wins.

    x : contiguous, writable array; values : as many as positions, or one for all, of x's dtype. indices
    and values may be parts of x, and count as they were before the call.
    IndexError for a position out of range, and x is as it was; on a GPU by `wait`. Returns None.

    >>> import numpy as np, upsweep
    >>> a = np.zeros(3, int); upsweep.put(a, [2, 0], [7, 8]); a
    array([8, 0, 7])
    """
    kind, a, _, _ = _elements(x, "put")
    if kind is Numpy and (a is not x or not a.flags.c_contiguous or not a.flags.writeable):
        raise ValueError("put takes a contiguous array that can be written")
    if kind is not Numpy and kind.contiguous(a) is not a:
        raise ValueError("put takes a contiguous array")
    kind.ready(a)
    flat = a.reshape(-1)
    index, shape = _positions(kind, indices, flat.shape[0])
    if kind is Numpy:
        given = _values_for(values, a.dtype)
        values = np.require(np.broadcast_to(given.reshape(-1), (index.size,))
                            if given.size == 1 else given.reshape(-1), a.dtype, "CA")
        if values.size != index.size:
            raise ValueError("positions and values differ in number")
    elif beside(kind, values, "values").dtype != a.dtype or _size_all(values.shape) != _size_all(shape):
        raise ValueError("put takes as many values as positions, of the array's dtype")
    if _size_all(shape):
        index, values = apart(kind, index.reshape(-1), flat), apart(kind, kind.contiguous(values), flat)
        _core.scatter(bytes_view(kind, values), kind.view(index), bytes_view(kind, flat), flat.shape[0])


def _values_for(values, dtype):
    """An array of numpy that can be cast to the dtype: numbers of Python are of any type that holds them."""
    given = np.asarray(unmasked(values))
    if not hasattr(values, "dtype"):
        given = _integers(given)
        if given.size and given.dtype.kind in "iu" and dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if int(given.min()) < limits.min or int(given.max()) > limits.max:
                raise OverflowError(f"a value does not fit {dtype}")
            return given.astype(dtype)
    if not np.can_cast(given.dtype, dtype, "same_kind"):
        raise TypeError(f"values of {given.dtype} cannot be put into an array of {dtype}")
    return given


def permute(x, index, /, *, out=None):
    """Moves element i of the first axis to index[i]; `out=x` rearranges in place. (x[index], the
    opposite, is `take`.)

    IndexError if index is no permutation of 0 .. n - 1, and out is as it was; on a GPU by `wait`.

    >>> import numpy as np, upsweep
    >>> upsweep.permute(np.array([5, 6, 7]), [2, 0, 1])
    array([6, 7, 5])
    """
    kind, a, back, _ = _elements(x, "permute")
    if a.ndim < 1:
        raise ValueError("permute takes an array of one dimension or more")
    index = _integers(host(index)) if kind is Numpy else _positions(kind, index, 0)[0]
    if tuple(index.shape) != (a.shape[0],):
        raise ValueError("permute takes one position for each element of the first axis")
    if kind is Numpy:
        if index.dtype.kind not in "iu":
            raise TypeError("positions must be integers")
        index = index if index.itemsize >= 4 else index.astype(np.intp)
    straight = out is x and kind is Numpy and a is x and a.flags.c_contiguous and a.flags.writeable
    made = a if straight else kind.copy(a)
    kind.ready(made)
    if _size(a) and a.shape[0]:
        _core.permute(bytes_view(kind, made), kind.view(index))
    if straight:
        return out
    made = back(made)
    return made if out is None else into(out, made)


def reverse(x, /, *, out=None):
    """The elements of an array of one dimension in the opposite order; `out=x`: in place.

    >>> import numpy as np, upsweep
    >>> upsweep.reverse(np.array([5, 6, 7]))
    array([7, 6, 5])
    """
    made = _core.fast_reverse(x, out)
    if made is not None:
        return made
    kind, a, back, _ = _elements(x, "reverse")
    if a.ndim != 1:
        raise ValueError("reverse takes an array of one dimension")
    straight = out is x and kind is Numpy and a is x and a.flags.c_contiguous and a.flags.writeable
    a = a if straight else kind.contiguous(a)
    made = a if straight else kind.empty_like(a)
    kind.ready(a)
    if a.shape[0]:
        _core.reverse(kind.view(a), kind.view(made))
    if straight:
        return out
    made = back(made)
    return made if out is None else into(out, made)

"""Selection, unique elements, runs and searches."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core
from ._arrays import known, take, unmasked
from ._axes import check_out, flags_of, into, laid_out, one_row, product, rows_of
from ._dtypes import BF16, DTYPES, EXCLUSIVE, FLOATS, I64, LARGEST, NUMBERS, UPPER, code_of
from ._folding import SUM
from ._kinds import Numpy, same
from ._moving import compress
from ._moving import take as elements_at
from ._scanning import cumsum, scan
from ._sorting import argsort, sort

__all__ = ["partition", "argpartition", "top_k", "unique", "run_lengths", "searchsorted"]

SEARCHED_BY_NUMPY = 512  # fewer elements that must be converted are found before our call pays
SORTED_WHOLE = 4096  # keys of a tensor up to which a sort is the quickest selection
INVERSE_SEARCHED = 1 << 22  # tensors of more elements get their inverse by the order of a sort; not tuned
ROW_BY_ROW = 1 << 11  # rows of more keys are selected from one by one, shorter ones are sorted
TENSOR_ROW = 1 << 14  # the same, of tensors


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


def partition(x, kth, /, axis=-1, *, descending=False, out=None):
    """Rearranges a copy so that the elements at kth are where a sort would put them, as
    numpy.partition: nothing before them is greater, nothing after is less.

    kth : int or sequence of ints, negative from the end. Other parameters are those of `sort`.

    Where the others stand is not said, and differs from numpy. NaN last, -0 before +0.

    Raises ValueError for a kth out of range, TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> int(upsweep.partition(np.array([3, 1, 2, 0]), 1)[1])
    1
    """
    if type(kth) is int and axis == -1 and out is None:
        made = _core.fast_partition(x, kth, flags_of(descending))
        if made is not None:
            return made
    taken = take(x, descending).whole("partition")
    moved, axis, length, rows, fresh = rows_of(taken, axis)
    places = _places(kth, length, product(moved.shape) == 0)
    kind, flags = taken.kind, flags_of(descending)
    straight = (out is not None and out is x and kind is Numpy and taken.back is same
                and taken.writable and taken.array is x and moved.flags.c_contiguous)
    if out is not None:
        check_out(taken, out)
    a = moved if straight or fresh else kind.copy(moved)
    if product(a.shape) > 0 and places:
        kind.ready(a)
        if rows == 1 and length <= SORTED_WHOLE and kind is not Numpy:
            _core.sort(kind.view(a), flags)
        elif rows == 1:
            _select(kind, a.reshape(-1), places, flags)
        elif length <= (ROW_BY_ROW if kind is Numpy else TENSOR_ROW):
            _core.sort_rows(kind.view(a), None, rows, None, flags)
        else:
            for row in a.reshape(rows, length):
                _select(kind, row, places, flags)
    if straight:
        return out
    made = taken.back(laid_out(taken, a, axis))
    return made if out is None else into(out, made)


def argpartition(x, kth, /, axis=-1, *, descending=False):
    """Positions that partition an array, as numpy.argpartition.

    Parameters and errors are those of `partition`; returns int64 positions. Which of the positions
    of equal elements stand before kth is not said.

    >>> import numpy as np, upsweep
    >>> int(upsweep.argpartition(np.array([3, 1, 2, 0]), 0)[0])
    3
    """
    if type(kth) is int and axis == -1:
        made = _core.fast_argpartition(x, kth, flags_of(descending))
        if made is not None:
            return made
    taken = take(x, descending).whole("argpartition")
    moved, _, length, rows, _ = rows_of(taken, axis)
    places = _places(kth, length, product(moved.shape) == 0)
    if taken.kind is not Numpy or rows != 1 or len(places) != 1:
        return argsort(x, axis=axis, descending=descending)
    a = np.ascontiguousarray(moved).reshape(-1)
    index = _core.fast_argpartition(a, places[0], flags_of(descending))
    if index is None:  # NaNs at kth: all that is no NaN comes first
        return argsort(x, axis=axis, descending=descending)
    shape = taken.array.shape if axis is not None else (length,)
    return taken.other(index.reshape(shape))


def top_k(x, k, /, axis=-1, *, largest=True):
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
    moved, axis, length, rows, _ = rows_of(taken, axis)
    if not isinstance(k, (int, np.integer)) or not 0 <= k <= length:
        raise ValueError(f"k must be an integer from 0 to {length}")
    kind, flags = taken.kind, LARGEST if largest else 0
    a = kind.contiguous(moved)
    values = kind.new(a, tuple(a.shape[:-1]) + (k,))
    index = kind.index_like(values)
    view = kind.begin(a)
    if rows == 1:
        _core.top_k(view, kind.view(values), kind.view(index), flags)
    else:
        _core.top_k_rows(view, rows, kind.view(values), kind.view(index), flags)
    return taken.back(laid_out(taken, values, axis)), taken.other(laid_out(taken, index, axis))


def _one_value(keys, code, equal_nan, index=None):
    """Makes what numpy calls equal equal in bits, in sorted keys: zeros, and NaNs if asked. index
    is put in rising order there, since such keys are ties."""
    if code in FLOATS and keys.size:
        for begin, end in _core.one_value(keys, equal_nan):
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

    -0 and +0 are one element, of either sign. Returns an array or a tuple, as numpy does.

    Raises TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    beside = bool(return_index), bool(return_inverse), bool(return_counts)
    if not any(beside) and _core.plain(x) and equal_nan:
        few = _core.few_distinct(x)
        keys = _core.fast_sort(x if few is None else few, 0, None)
        _core.one_value(keys, 1)
        return _shortened(keys, _core.unique(keys, 0))
    if equal_nan and not any(beside):
        made = _core.fast_unique(x, False, False)
        if made is not None:
            return _beginning(made[0], made[3])
    elif equal_nan:
        made = _core.unique_with(x, *beside)
        if made is not None:
            return _uniques(made, return_index, None)
    taken = take(x).whole("unique")
    if taken.kind is not Numpy and hasattr(taken.kind, "given"):
        return _unique_of_tensors(taken, return_index, return_inverse, return_counts, equal_nan)
    if taken.kind is not Numpy or taken.code not in DTYPES:
        raise TypeError("unique takes arrays of numpy, torch, cupy and columns")
    if taken.code == BF16:  # whose operators are slow, and which f32 holds
        made = unique(taken.array.astype("f4"), return_index=return_index, return_inverse=return_inverse,
                      return_counts=return_counts, equal_nan=equal_nan)
        values = taken.back((made[0] if any(beside) else made).astype(DTYPES[BF16]))
        return (values, *(taken.other(a) for a in made[1:])) if any(beside) else values
    shape = taken.array.shape
    flat = np.ascontiguousarray(taken.array).reshape(-1)
    code, n = taken.code, flat.shape[0]
    made = _core.unique_with(flat, *beside) if equal_nan and any(beside) else None
    if made is not None:
        return _uniques(made, return_index, taken)
    if not (return_index or return_inverse):
        keys = _core.fast_sort(flat, 0, None)
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


def _uniques(made, return_index, taken):
    """What numpy gives, of what _core.unique_with does; taken: what was given, if no plain array."""
    keys, index, inverse, counts, n = made
    keys = _shortened(keys, n)
    results = [keys if taken is None else taken.back(keys)]
    for a in (_shortened(index, n) if return_index else None,
              inverse if inverse is None or taken is None else inverse.reshape(taken.array.shape),
              None if counts is None else _shortened(counts, n)):
        if a is not None:
            results.append(a if taken is None else taken.other(a))
    return tuple(results)


def _beginning(a, n):
    """Of a the first n; a copy where they are so few that the rest had better be given back."""
    if a.shape[0] == n:
        return a
    part = a[:n]
    return part if 2 * n > a.shape[0] or a.shape[0] < 4096 else part.clone() if hasattr(part, "clone") else part.copy()


def _unique_of_tensors(taken, return_index, return_inverse, return_counts, equal_nan):
    """The same of tensors of torch and arrays of cupy: keys are sorted, and neighbours that are equal
    as numbers are one. The places of all elements among the result are their inverse."""
    kind = taken.kind
    flat = given = kind.contiguous(taken.array).reshape(-1)
    if taken.code in FLOATS:
        if return_index:  # the first of equal ones is sought, so that they get the same bits
            flat = flat + 0
            flat[flat != flat] = np.nan
        if not equal_nan:
            return _unique_by_order(taken, flat, return_index, return_inverse, return_counts, False)
    if return_inverse and flat.shape[0] > INVERSE_SEARCHED:
        return _unique_by_order(taken, flat, return_index, return_inverse, return_counts, equal_nan)
    keys, lengths, order, n = _sorted_runs(kind, flat, return_counts or return_index, return_index)
    made = [_beginning(keys, n)]
    lengths = None if lengths is None else _beginning(lengths, n)
    if return_index:
        begins = _core.fast_scan(lengths, SUM, EXCLUSIVE, None)
        made.append(elements_at(order, scan(lengths, exclusive=True) if begins is None else begins))
    if return_inverse:
        made.append(searchsorted(made[0], given).reshape(taken.array.shape))
    if return_counts:
        made.append(lengths)
    return made[0] if len(made) == 1 else tuple(made)


def _sorted_runs(kind, flat, with_lengths, with_order):
    """What _core.fast_unique gives, for arrays that it does not know."""
    made = _core.fast_unique(flat, with_lengths, with_order)
    if made is not None:
        return made
    keys, order = sort(flat, return_index=True) if with_order else (sort(flat), None)
    kind.ready(keys)
    if not with_lengths:
        return keys, None, order, _core.unique(kind.view(keys), NUMBERS)
    values, lengths = kind.empty_like(keys), kind.index_like(keys)
    runs = _core.run_lengths(kind.view(keys), kind.view(values), kind.view(lengths), NUMBERS)
    return values, lengths, order, runs


def _unique_by_order(taken, flat, return_index, return_inverse, return_counts, equal_nan):
    """The same by the operators that such arrays have in common: of NaNs that are not one, and where a
    search for each element would take longer than the order of a sort."""
    kind = taken.kind
    keys, index = sort(flat, return_index=True) if return_index or return_inverse else (sort(flat), None)
    heads = keys != keys
    differs = keys[1:] != keys[:-1]
    if taken.code in FLOATS and equal_nan:
        differs = differs & ((keys[1:] == keys[1:]) | (keys[:-1] == keys[:-1]))
    heads[:1], heads[1:] = True, differs
    made = [compress(heads, keys)]
    if return_index:
        made.append(compress(heads, index))
    rank = cumsum(heads) if return_inverse or return_counts else None  # from 1
    if return_inverse:
        inverse = kind.empty(tuple(flat.shape), I64, flat)
        inverse[index] = rank - 1
        made.append(inverse.reshape(taken.array.shape))
    if return_counts:
        made.append(run_lengths(rank)[1])
    return made[0] if len(made) == 1 else tuple(made)


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
    taken = one_row(x, "run_lengths").whole("run_lengths")
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

    Returns int64 positions of v's shape (an int64 for a scalar). NaN last; -0 and +0 are equal. For
    tensors and device arrays v is of a's dtype, and there is no sorter. Few elements of another
    dtype, strings, times and arrays with a sorter are searched for by numpy.

    >>> import numpy as np, upsweep
    >>> upsweep.searchsorted(np.array([1, 2, 2, 3]), [2, 4], side="right")
    array([3, 4])
    """
    if side not in ("left", "right"):
        raise ValueError('side must be "left" or "right"')
    flags = UPPER if side == "right" else 0
    made = None if sorter is not None else _core.fast_search(a, v, flags)
    if made is not None:
        return made
    if known(a) is not None:
        return _search_tensor(a, v, flags, sorter)
    keys, wanted = np.asarray(unmasked(a)), np.asarray(unmasked(v))
    if keys.ndim != 1:
        raise ValueError("searchsorted takes a sorted array of one dimension")
    numbers = keys.dtype.kind in "biuf" and wanted.dtype.kind in "biuf"
    dtype = np.result_type(keys, wanted) if numbers else None
    if not numbers or code_of(dtype) == 0 or sorter is not None or wanted.size < SEARCHED_BY_NUMPY:
        return np.searchsorted(keys, wanted, side, unmasked(sorter))
    flat = np.require(wanted, dtype, "CA").reshape(-1)
    places = np.empty(flat.shape, np.int64)
    _core.search_sorted(np.require(keys, dtype, "CA"), flat, places, flags)
    return places.reshape(wanted.shape)


def _search_tensor(a, v, flags, sorter):
    keys, wanted = take(a), take(v)
    kind = keys.kind
    if sorter is not None:
        raise TypeError("searchsorted takes no sorter for tensors and device arrays")
    if wanted.kind is not kind or wanted.code != keys.code or len(keys.array.shape) != 1:
        raise TypeError("searchsorted takes a of one dimension, and v of the same kind and dtype")
    keys, flat = kind.contiguous(keys.array), kind.contiguous(wanted.array)
    places = kind.empty(tuple(flat.shape), 8, flat)
    kind.ready(flat)
    _core.search_sorted(kind.view(keys), kind.view(flat), kind.view(places), flags)
    return places

"""Histograms and counts of numbers."""
# SPDX-License-Identifier: MIT
import operator

import numpy as np

from . import _core
from ._arrays import unmasked
from ._axes import product
from ._dtypes import BF16, DTYPES, FLOATS, I64, U8
from ._folding import SUM, plain_numbers
from ._kinds import Numpy

__all__ = ["histogram", "bincount"]

FEW = 1 << 17  # numbers that numpy counts as fast as two threads of ours do


def _edges_as_keys(edges, dtype):
    """(keys, empty): keys of the dtype that decide as the edges do, the least ones that are not below
    each edge, and last the greatest that is not above; so many that no edge is missing but those
    beyond the dtype, whose bins hold nothing. empty: whether the last of their bins does, too, since
    no key lies between its edges. No keys: all bins are empty."""
    edges = np.asarray(edges)
    if edges.dtype == dtype and dtype.kind == "f":
        return edges, False
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        up = np.ceil(edges) if edges.dtype.kind == "f" else edges
        last = np.floor(edges[-1]) if edges.dtype.kind == "f" else edges[-1]
        within = int(np.count_nonzero(up[:-1] < limits.max + 1))
        if within == 0 or last < limits.min:
            return np.empty(0, dtype), False
        keys, first = np.empty(within + 1, dtype), np.array(up[:within])
        first[first < limits.min] = limits.min
        keys[:-1] = first.astype(dtype)
        beyond = within < edges.size - 1 or last >= limits.max + 1
        keys[-1] = limits.max if beyond else dtype.type(last)
    else:
        with np.errstate(over="ignore"):
            keys = edges.astype(dtype)
        below, above = keys < edges, keys[-1] > edges[-1]
        keys[:-1][below[:-1]] = np.nextafter(keys[:-1][below[:-1]], dtype.type(np.inf))
        if above:
            keys[-1] = np.nextafter(keys[-1], dtype.type(-np.inf))
    empty = bool(keys[-1] < keys[-2])
    if empty:
        keys[-1] = keys[-2]
    return keys, empty


def _range_of(keys, given):
    """The least and greatest edge; keys() gives those of the array, in its own dtype."""
    if given is not None:
        low, high = float(given[0]), float(given[1])
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    else:
        low, high = keys()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return low, high


def _spaced(span, bins, one):
    """numpy.histogram_bin_edges(one, bins, span), without its checks where nothing can be wrong."""
    if type(bins) is int and bins > 0:
        low, high = span
        if low == high:
            low, high = low - 0.5, high + 0.5
        dtype = np.result_type(low, high, one)
        edges = np.linspace(low, high, bins + 1, dtype=np.result_type(dtype, float) if dtype.kind in "iu" else dtype)
        if (edges[:-1] < edges[1:]).all():
            return edges
    return np.histogram_bin_edges(one, bins, span)


def _edges_of(flat, kind, code, bins, range):
    """The edges of the bins by numpy's rule; where they come from the elements, NaNs are left out."""
    if not isinstance(bins, str) and np.ndim(bins) != 0:
        edges = np.asarray(bins)
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        if not (edges[:-1] <= edges[1:]).all():  # NaN rises nowhere
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    if isinstance(bins, str):
        if kind is not Numpy:
            raise TypeError(f"bins={bins!r} is for arrays in the host's memory")
        return np.histogram_bin_edges(flat, bins, range)
    n = product(flat.shape)
    span = _range_of(lambda: _ends_of(flat, kind) if n else (0.0, 1.0), range)
    one = np.full(1 if n else 0, span[0], DTYPES[code])  # numpy makes edges of the array's dtype
    return _spaced(span, bins, one)


def _ends_of(flat, kind):
    made = _core.fast_minmax(flat)
    return _core.minmax(kind.view(flat), 0) if made is None else made


def histogram(x, bins=10, range=None, density=None):
    """How many elements fall into each bin, by numpy.histogram's rule.

    x : of any shape and library; on a GPU counts and edges are arrays there.
    bins : number of bins of equal width, or their edges, which rise; or one of numpy's names for
    a rule ("auto", ...). range : (low, high) for bins of equal width; None: the least and greatest
    element. density : counts become a density, f64.

    NaNs are in no bin where edges or range are given; else they are a ValueError, as in numpy. Integers
    beyond 2^53 are compared with edges as they are, where numpy rounds them to f64.
    Returns (counts, edges): counts int64.

    >>> import numpy as np, upsweep
    >>> upsweep.histogram(np.array([1, 2, 1, 4]), bins=3)
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    taken = plain_numbers(x, "histogram").whole("histogram")
    kind, code = taken.kind, taken.code
    if code not in DTYPES or code == BF16 or not hasattr(kind, "given"):
        raise TypeError("histogram takes arrays of numpy, torch and cupy, bf16 as f32")
    flat = kind.contiguous(taken.array)
    flat = flat if flat.ndim == 1 else flat.reshape(-1)
    flat = flat.view("u1") if kind is Numpy and flat.dtype == bool else flat
    kind.ready(flat)
    edges = _edges_of(flat, kind, code, bins, range)
    whole = code in FLOATS and range is None and np.ndim(bins) == 0 and not isinstance(bins, str)
    bins_all = edges.size - 1 if edges.size else 0
    keys, empty = _edges_as_keys(edges, DTYPES[code]) if bins_all else (np.empty(0), False)
    counted = keys.size - 1 if product(flat.shape) and keys.size else 0
    counts, total = _counted(flat, kind, keys, counted, bins_all, whole)
    if whole and total != product(flat.shape):  # NaNs are in no bin
        raise ValueError("autodetected range of [nan, nan] is not finite")
    if counted and empty:
        counts[counted - 1:counted] = 0
    edges_given = kind.given(edges, flat)
    if density:
        return counts / kind.given(np.array(np.diff(edges), float), flat) / counts.sum(), edges_given
    return counts, edges_given


def _counted(flat, kind, keys, counted, bins_all, whole):
    """How many elements lie between the keys, in the first of all bins, and if asked, how many in all."""
    if counted and counted == bins_all:
        made = _core.fast_histogram(flat, keys, whole)
        if made is not None:
            return made
        counts = kind.empty((bins_all,), I64, flat)
    else:
        counts = kind.given(np.zeros(bins_all, np.int64), flat)
    if counted:
        _core.histogram(kind.view(flat), 3, 0, 0, counted, None, keys, kind.view(counts[:counted]))
    return counts, int(_core.reduce(kind.view(counts), SUM, 0, 1)) if whole else 0


def _bincount_on_device(taken, minlength):
    kind, code = taken.kind, taken.code
    flat = kind.contiguous(taken.array)
    n = product(flat.shape)
    view = kind.begin(flat)
    high = 255 if code == U8 and minlength >= 256 else -1  # what its dtype says needs no look
    if high < 0 and n:
        low, high = (int(v) for v in _core.minmax(view, 0))
        if low < 0:
            raise ValueError("'list' argument must have no negative elements")
    length = high + 1 if high + 1 > minlength else minlength
    bits = high.bit_length() if high > 0 else 1
    if bits > 16:
        raise ValueError("bincount on a GPU takes numbers below 65536")
    table = 1 << bits
    if n and table == length:
        counts = kind.empty((length,), I64, flat)
    else:
        counts = kind.given(np.zeros(length if length > table else table, np.int64), flat)
    whole = table == counts.shape[0]  # a slice of a tensor takes 3 us
    if n:
        _core.histogram(view, 1, 0, bits, table, None, None,
                        kind.view(counts if whole else counts[:table]))
    return counts if length == counts.shape[0] else counts[:length]


def bincount(x, /, weights=None, minlength=0):
    """How often each number 0, 1, 2, ... occurs, as numpy.bincount.

    x : integers of one dimension, none negative; on a GPU below 65536, and counts are an array
    there. weights : added up instead of counted, in f64 in
    the order of x (by numpy). minlength : least length of the result.

    Returns int64 counts (f64 sums with weights). Raises ValueError for negative numbers,
    TypeError, MemoryError.

    >>> import numpy as np, upsweep
    >>> upsweep.bincount(np.array([0, 2, 2]))
    array([1, 0, 2])
    """
    if weights is None:
        made = _core.fast_bincount(x, minlength)
        if made is not None:
            return made
    if type(x) is np.ndarray and x.size < FEW and x.dtype != np.uint64:  # numpy's loop is as fast as a call can be
        return np.bincount(x, unmasked(weights), minlength)
    minlength = operator.index(minlength)
    a = plain_numbers(x if hasattr(x, "dtype") or len(x) else np.empty(0, np.intp), "bincount").whole("bincount")
    if a.code in FLOATS or a.code == 0 or not hasattr(a.kind, "given"):
        raise TypeError("bincount takes integers, of numpy, torch and cupy")
    flat = a.array
    if flat.ndim != 1:
        raise ValueError("bincount takes an array of one dimension")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if a.kind is not Numpy:
        if weights is not None:
            raise TypeError("weights are for arrays in the host's memory")
        return _bincount_on_device(a, minlength)
    if weights is not None:
        return np.bincount(flat, unmasked(weights), minlength)
    flat = np.ascontiguousarray(flat.view("u1") if flat.dtype == bool else flat)
    if flat.size == 0:
        return np.zeros(minlength, np.intp)
    low, high = (int(v) for v in _core.minmax(flat, 0))
    if low < 0:
        raise ValueError("'list' argument must have no negative elements")
    length = high + 1 if high + 1 > minlength else minlength
    counts = np.zeros(length, np.intp)
    bits = high.bit_length() or 1
    if bits <= 16:
        table = np.empty(1 << bits, np.int64)
        _core.histogram(flat, 1, 0, bits, table.size, None, None, table)
        counts[:high + 1] = table[:high + 1]
    else:
        keys = _core.fast_sort(flat, 0, None)
        runs = np.empty(keys.size, np.int64)
        values = np.empty_like(keys)
        n = _core.run_lengths(keys, values, runs, 0)
        counts[values[:n]] = runs[:n]
    return counts

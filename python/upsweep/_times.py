"""Reductions and scans of datetime64 and timedelta64, by those of integers.

NaT is the least of int64. Greatest elements are found among these, so that NaT is what a greatest
element is if nothing else is there; least ones among uint64, moved on so far that NaT is the greatest.
"""
# SPDX-License-Identifier: MIT
import numpy as np

from ._arrays import unmasked
from ._axes import into
from ._dtypes import refuse
from ._pandas import own_dtype, values_of_column

_SHIFT = np.uint64(2**63 - 1)


def times_of(x):
    """x as an array of numpy of times in native order, if it is of times; None for others."""
    if isinstance(x, (list, tuple, np.generic)):
        x = np.asarray(x)
    kind = getattr(getattr(x, "dtype", None), "kind", None)
    if kind != "m" and kind != "M":
        return None
    a = np.asarray(unmasked(x)) if own_dtype(x) is None else values_of_column(x)
    return a.astype(a.dtype.newbyteorder("="), copy=False) if a.dtype.kind in "mM" else None


def _keys(a, least):
    return a.view("u8") + _SHIFT if least else a.view("i8")


def _back(made, dtype, least):
    """Times of keys: an array, or a scalar."""
    shape, made = np.shape(made), np.atleast_1d(made)  # of scalars numpy would tell the overflow
    return (made - _SHIFT if least else made).view(dtype).reshape(shape)[()]


def reduce_times(a, least, reduce, axis, keepdims, what):
    """least: whether the least is wanted; False: the greatest; None: the sum, which is NaT where one is.
    reduce(keys) reduces integers."""
    if least is not None:
        return _back(reduce(_keys(a, least)), a.dtype, least)
    _refuse_dates(a, what)
    made = np.asarray(reduce(a.view("i8"))).astype("i8").view(a.dtype)
    return np.where(np.isnat(a).any(axis=axis, keepdims=keepdims), np.array("NaT", a.dtype), made)[()]


def scan_times(a, least, scan, axis, out, what):
    """The same of running minima, maxima and sums."""
    if least is not None:
        made = _back(scan(_keys(a, least)), a.dtype, least)
    else:
        _refuse_dates(a, what)
        made = scan(a.view("i8")).view(a.dtype)
        flat = a.reshape(-1) if axis is None else a
        made[np.logical_or.accumulate(np.isnat(flat), axis=0 if axis is None else axis)] = "NaT"
    return made if out is None else into(out, made)


def end_of_times(a, least, end):
    """The position of the first of the least or greatest times."""
    return end(np.ascontiguousarray(_keys(a, least)))


def _refuse_dates(a, what):
    if a.dtype.kind == "M":
        refuse(f"{a.dtype} in {what}")

"""Sorts of text: arrays of numpy's S, U and StringDType, columns of strings or bytes of pyarrow and polars,
and of polars' categories."""
# SPDX-License-Identifier: MIT
import sys

import numpy as np

from . import _core
from ._arrays import normal
from ._arrow import from_arrow
from ._axes import flags_of, laid_out
from ._kinds import Numpy, Taken, Text, same

def column_of_text(x, module):
    """A Taken for a column of strings, bytes or categories, None for other columns."""
    if module == "polars":
        pl, name = sys.modules["polars"], str(x.dtype).partition("(")[0]
        if name == "Enum":  # in the order of its categories
            made = from_arrow(x.to_physical(), module)
            codes = made.back
            made.back = lambda values, nulls=0: \
                x.dtype.categories.gather(codes(values, nulls)).cast(x.dtype).alias(x.name)
            return made
        if name in ("String", "Utf8", "Binary", "Categorical"):
            text = x.cast(pl.String) if name == "Categorical" else x
            return Taken(Text, text.to_arrow(), 0, lambda order: x.gather(order),
                         lambda order: pl.Series(x.name, order))
        return None
    if module != "pyarrow" or not hasattr(x, "is_valid"):
        return None
    pa = sys.modules["pyarrow"]
    types = pa.types
    if not any(is_one(x.type) for is_one in (types.is_string, types.is_large_string,
                                             types.is_binary, types.is_large_binary)):
        return None
    return Taken(Text, x, 0, lambda order: x.take(pa.array(order)), pa.array)


def _order_of_column(x, flags):
    """Positions that sort a column of pyarrow, those of nulls last."""
    pa = sys.modules["pyarrow"]
    valid = np.asarray(x.is_valid()) if x.null_count else None
    whole = x if valid is None else x.filter(pa.array(valid))
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], x.type)
    if not pa.types.is_large_binary(whole.type) and not pa.types.is_large_string(whole.type):
        text = pa.types.is_string(whole.type) or str(whole.type) == "string_view"
        whole = whole.cast(pa.large_string() if text else pa.large_binary())
    n = len(whole)
    index = np.empty(n, np.int64)
    if n:
        _, ends, data = whole.buffers()
        ends = np.frombuffer(ends, np.int64)[whole.offset:whole.offset + n + 1]
        data = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(1, "u1")
        _core.argsort_strings(data, ends, index, flags)
    if valid is None:
        return index
    return np.concatenate([np.flatnonzero(valid)[index], np.flatnonzero(~valid)])


def order_of_text(taken, axis, descending):
    """The stable positions along an axis: an array of numpy; equal strings keep their order."""
    x, flags = taken.array, flags_of(descending)
    if not isinstance(x, np.ndarray):
        return _order_of_column(x, flags)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = normal(axis, x.ndim)
    moved = np.moveaxis(x, axis, -1)
    if x.dtype.kind != "T":
        moved = np.require(moved, x.dtype.newbyteorder("="), "CA")
    index = np.empty(moved.shape, np.int64)
    if index.size:
        for row, places in zip(moved.reshape(-1, moved.shape[-1]),
                               index.reshape(-1, moved.shape[-1])):
            places[...] = _core.fast_argsort(row, flags)
    return laid_out(Taken(Numpy, x, 0), index, axis)


def sorted_text(taken, order, axis):
    """The strings in that order, as what they came as."""
    x = taken.array
    if taken.back is not same:
        return taken.back(order)
    if x.dtype.kind == "T" and (axis is None or x.ndim == 1):
        return x.reshape(-1)[order]
    if axis is None or x.ndim == 1:
        x = np.require(x, requirements="CA").reshape(-1)
        made = np.empty_like(x)
        if x.nbytes:
            _core.gather(x, x.size, order, made)
        return made
    return np.take_along_axis(x, order, axis)

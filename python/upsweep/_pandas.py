"""Columns of pandas whose dtype is pandas' own: times with a zone, nullable numbers, categories, strings; and frames."""
# SPDX-License-Identifier: MIT
import sys

import numpy as np

from ._kinds import same

# What becomes of a column: an array of numpy, and for sorts the positions of what is no NA, and what
# makes a result of sorted values and so many NAs, as numpy.asarray gives the column.


def own_dtype(x):
    """x's dtype, if it is pandas' own."""
    dtype = getattr(x, "dtype", None)
    return None if dtype is None or isinstance(dtype, np.dtype) else dtype


def values_of_column(x):
    """x as an array of numpy; times with a zone are those of UTC."""
    dtype = own_dtype(x)
    if dtype is None and hasattr(x, "to_numpy"):
        return x.to_numpy()  # a fifth of numpy.asarray's time
    if dtype is not None and getattr(dtype, "kind", "") == "M" and getattr(dtype, "tz", None) is not None \
            and hasattr(dtype, "unit"):
        return np.asarray(x, f"M8[{dtype.unit}]")
    return np.asarray(x)


def keys_of_column(x):
    """(keys, positions of the keys, back) of a column of categories, which are in the order of their
    codes, or of integers and bools with NAs, which float64 might round; None for others."""
    dtype = own_dtype(x)
    if dtype is None:
        return None
    if dtype.name == "category":
        codes = np.asarray(getattr(x, "array", x).codes)
        valid = np.flatnonzero(codes >= 0)
        return codes[valid], valid, lambda values, nulls=0: np.asarray(
            sys.modules["pandas"].Categorical.from_codes(_with(values, [-1] * nulls), dtype=dtype))
    if getattr(dtype, "kind", "") not in "biu" or not hasattr(x, "isna"):
        return None
    missing = np.asarray(x.isna())
    if not missing.any():
        return None

    def back(values, nulls):
        if values.dtype == bool:
            return _with(values.astype(object), [dtype.na_value] * nulls)
        return _with(values.astype(np.float64), [np.nan] * nulls)
    return np.asarray(x[~missing]), np.flatnonzero(~missing), back


def _with(values, more):
    return np.concatenate([values, np.array(more, values.dtype)])


def column_as_arrow(x):
    """A column of strings as one of pyarrow, None for others."""
    dtype = own_dtype(x)
    if dtype is None or not dtype.name.startswith(("str", "large_string")):
        return None
    try:
        import pyarrow  # noqa: F401: pandas keeps strings without it, too
    except ImportError:
        return None
    return getattr(x, "array", x).__arrow_array__()


def strings_of_column(x, text):
    """A Taken of a column of strings for sorts, by what takes such a column of pyarrow; None for others."""
    column = column_as_arrow(x)
    made = None if column is None else text(column, "pyarrow")
    if made is not None:
        made.back, made.other = (lambda order: np.asarray(x.take(order))), same
    return made


ROWS_FROM = 80_000  # rows from which a frame's columns go one by one


def is_frame(x):
    """Whether x is a DataFrame of pandas, which nothing is where pandas was not imported."""
    return isinstance(x, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def frame_by_columns(frame, index, take):
    """The rows of a frame at positions: columns of numbers by `take`, the others by pandas. None where pandas' own way
    is as fast, or keeps what this one does not know: of few rows, of columns side by side in rows, and of subclasses."""
    pandas = sys.modules["pandas"]
    if index.size < ROWS_FROM or type(frame) is not pandas.DataFrame:
        return None
    labels = frame.index.take(index)
    columns = {}
    for at, (_, column) in enumerate(frame.items()):
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufmM":
            values = column.to_numpy()
            if not values.flags.c_contiguous:
                return None
            columns[at] = take(values.view(f"u{values.itemsize}"), index).view(values.dtype)
        else:
            columns[at] = pandas.Series(column.array.take(index), labels, dtype=column.dtype, copy=False)
    made = pandas.DataFrame(columns, labels, copy=False)
    made.columns = frame.columns
    return made.__finalize__(frame, "take")

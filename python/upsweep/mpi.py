"""upsweep over the processes of an MPI communicator of mpi4py: the calls of upsweep_mpi.h on numpy arrays.

The whole is the arrays of all ranks, one after another. Every rank makes the same call with its own array of
one axis, and gets its part of the result, which has the bytes of one process with the whole, for any number
of ranks; sums of floats too.

>>> from mpi4py import MPI                                  # doctest: +SKIP
>>> import upsweep.mpi                                      # doctest: +SKIP
>>> upsweep.mpi.sort(x)                                     # doctest: +SKIP
>>> upsweep.mpi.sum(x, comm=MPI.COMM_WORLD)                 # doctest: +SKIP

Needs libupsweep_mpi.so of `make install`, built for the MPI that mpi4py uses: the loader finds it, or the
environment variable UPSWEEP_MPI_LIBRARY names it. Errors are raised on all ranks alike.
"""
# SPDX-License-Identifier: MIT
import ctypes
import os

import numpy as np

__all__ = ["argsort", "cumsum", "histogram", "prod", "scan", "sort", "sort_pairs", "sum", "min", "max",
           "top_k", "unique"]

TYPES = {name: 1 + i for i, name in enumerate(("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2"))}
TYPES.update({"f4": 11, "f8": 12})
OPS = {"sum": 0x101, "prod": 0x102, "min": 0x103, "max": 0x104, "and": 0x105, "or": 0x106, "xor": 0x107}
DESCENDING, EXCLUSIVE, LARGEST = 1 << 0, 1 << 5, 1 << 6
ERRORS = {1: ValueError, 3: NotImplementedError, 4: MemoryError, 5: IndexError}
VENDORS = ("Open MPI", "MPICH")


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("algorithm", ctypes.c_char_p), ("flags", ctypes.c_uint),
                ("bit_begin", ctypes.c_uint), ("bit_end", ctypes.c_uint)]


class _Layout(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_int), ("splitters", ctypes.c_void_p)]


class _Config(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_uint), ("scratch_limit", ctypes.c_size_t),
                ("allocate", ctypes.c_void_p), ("release", ctypes.c_void_p), ("context", ctypes.c_void_p)]


class _Bucketing(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_int), ("bit", ctypes.c_uint),
                ("bits", ctypes.c_uint), ("count", ctypes.c_size_t), ("low", ctypes.c_void_p),
                ("high", ctypes.c_void_p), ("edges", ctypes.c_void_p)]


_loaded = None


class _Library:
    """The library, a handle of it, and how a communicator of mpi4py is passed."""

    def __init__(self):
        from mpi4py import MPI
        path = os.environ.get("UPSWEEP_MPI_LIBRARY", "libupsweep_mpi.so.0")
        try:
            self.c = ctypes.CDLL(path)
        except OSError as e:
            raise ImportError(f"libupsweep_mpi cannot be loaded ({e}); UPSWEEP_MPI_LIBRARY names it") from None
        self.c.upsweep_mpi_error.restype = ctypes.c_char_p
        self.c.upsweep_mpi_built_with.restype = ctypes.c_char_p
        built, runs = self.c.upsweep_mpi_built_with().decode(), MPI.Get_library_version()
        if [v for v in VENDORS if v in built] != [v for v in VENDORS if v in runs]:
            raise ImportError(f"libupsweep_mpi is built for {built}, and mpi4py runs with {runs.splitlines()[0]}")
        self.world = MPI.COMM_WORLD
        self.address = MPI._addressof
        self.comm_type = ctypes.c_int if MPI._sizeof(MPI.Comm) == 4 else ctypes.c_void_p
        # A rank for each core is the custom: threads only where there are more cores than ranks.
        here = self.world.Split_type(MPI.COMM_TYPE_SHARED)
        cores = len(os.sched_getaffinity(0)) // here.size
        here.Free()
        self.handle = ctypes.c_void_p()
        config = _Config(size=ctypes.sizeof(_Config), threads=cores if cores > 1 else 1)
        if self.c.upsweep_open(ctypes.byref(self.handle), b"cpu", ctypes.byref(config)) != 0:
            raise MemoryError("no handle of libupsweep could be opened")

    def comm(self, comm):
        return self.comm_type.from_address(self.address(self.world if comm is None else comm))

    def call(self, name, comm, *arguments):
        status = getattr(self.c, name)(self.handle, self.comm(comm), *arguments)
        if status != 0:
            raise ERRORS.get(status, RuntimeError)(self.c.upsweep_mpi_error().decode())


def _library():
    global _loaded
    if _loaded is None:
        _loaded = _Library()
    return _loaded


def _array(x, what="x"):
    """A contiguous array of one axis, and the number of its type."""
    x = np.ascontiguousarray(x)
    if x.ndim != 1 or x.dtype.str[1:] not in TYPES or x.dtype.byteorder == ">":
        raise TypeError(f"{what} is wanted as an array of one axis of integers or floats, not {x.dtype} {x.shape}")
    return x, ctypes.c_int(TYPES[x.dtype.str[1:]])


def _at(x):
    return ctypes.c_void_p(x.ctypes.data)


def _n(x):
    return ctypes.c_size_t(len(x))


def _flags(flags):
    return ctypes.byref(_Options(size=ctypes.sizeof(_Options), flags=flags))


def _layout(layout, x, comm):
    """The layout and how many elements this rank gets at most; splitters keep their array alive."""
    if layout == "given":
        return None, len(x), None
    if isinstance(layout, str):
        if layout != "even":
            raise ValueError(f"a layout is 'given', 'even', or an array of splitters, not {layout!r}")
        size = (_library().world if comm is None else comm).size
        total = int(sum(np.array([len(x)]), comm=comm))
        return ctypes.byref(_Layout(ctypes.sizeof(_Layout), 1, None)), -(-total // size), None
    keys = np.ascontiguousarray(layout, dtype=x.dtype)
    total = int(sum(np.array([len(x)]), comm=comm))
    return ctypes.byref(_Layout(ctypes.sizeof(_Layout), 2, keys.ctypes.data)), total, keys


def sort(x, /, *, descending=False, layout="given", comm=None):
    """This rank's part of the sorted whole. layout: 'given', each rank gets as many as it gave; 'even';
    or size - 1 ascending keys, the same on all ranks: rank r gets what is not below key r - 1 and below
    key r."""
    x, kind = _array(x)
    how, room, _keys = _layout(layout, x, comm)
    out, got = np.empty(room, x.dtype), ctypes.c_size_t(room)
    _library().call("upsweep_mpi_sort", comm, _at(x), _n(x), kind, how, _at(out), ctypes.byref(got),
                    _flags(DESCENDING if descending else 0))
    return out[:got.value]


def argsort(x, /, *, descending=False, layout="given", comm=None):
    """This rank's part of the stable permutation that sorts the whole: places in the whole, u64."""
    x, kind = _array(x)
    how, room, _keys = _layout(layout, x, comm)
    out, got = np.empty(room, np.uint64), ctypes.c_size_t(room)
    _library().call("upsweep_mpi_argsort", comm, _at(x), _n(x), kind, how, _at(out), ctypes.byref(got),
                    _flags(DESCENDING if descending else 0))
    return out[:got.value]


def sort_pairs(keys, values, /, *, descending=False, layout="given", comm=None):
    """Sorts keys, stably, and moves values, of any dtype and row shape, with them: (keys, values)."""
    keys, kind = _array(keys, "keys")
    values = np.ascontiguousarray(values)
    if len(values) != len(keys) or values.dtype.hasobject:
        raise ValueError("values: one for each key, and no Python objects")
    how, room, _keys = _layout(layout, keys, comm)
    out, got = np.empty(room, keys.dtype), ctypes.c_size_t(room)
    moved = np.empty((room, *values.shape[1:]), values.dtype)
    width = values.dtype.itemsize * int(np.prod(values.shape[1:], dtype=np.int64))
    _library().call("upsweep_mpi_sort_pairs", comm, _at(keys), _at(values), _n(keys), kind,
                    ctypes.c_size_t(width), how, _at(out), _at(moved), ctypes.byref(got),
                    _flags(DESCENDING if descending else 0))
    return out[:got.value], moved[:got.value]


def top_k(x, k, /, *, largest=True, comm=None):
    """The k best of the whole and their places in it, the same on all ranks."""
    x, kind = _array(x)
    out, index = np.empty(k, x.dtype), np.empty(k, np.uint64)
    _library().call("upsweep_mpi_top_k", comm, _at(x), _n(x), ctypes.c_size_t(k), kind, _at(out), _at(index),
                    _flags(LARGEST if largest else 0))
    return out, index


def unique(x, /, *, comm=None):
    """This rank's part of the sorted distinct elements of the whole."""
    x = sort(x, comm=comm)
    kept = ctypes.c_size_t()
    _library().call("upsweep_mpi_unique", comm, _at(x), _n(x), _array(x)[1], ctypes.byref(kept), None)
    return x[:kept.value]


def histogram(x, bins=10, range=None, *, comm=None):
    """numpy.histogram of the whole, of equal widths: (counts, edges), the same on all ranks."""
    x, kind = _array(x)
    if range is None:
        range = min(x, comm=comm), max(x, comm=comm)
    ends = np.array(range, dtype=x.dtype)
    counts = np.empty(bins, np.uint64)
    b = _Bucketing(size=ctypes.sizeof(_Bucketing), kind=2, count=bins, low=ends.ctypes.data,
                   high=ends.ctypes.data + x.dtype.itemsize)
    _library().call("upsweep_mpi_histogram", comm, _at(x), _n(x), kind, ctypes.byref(b), _at(counts), None)
    return counts.astype(np.int64), np.linspace(float(ends[0]), float(ends[1]), bins + 1)


def _reduce(x, op, comm):
    x, kind = _array(x)
    sums = {"u": np.uint64, "i": np.int64, "f": np.float64}
    out = np.zeros(1, sums[x.dtype.kind] if op in ("sum", "prod") else x.dtype)
    _library().call("upsweep_mpi_reduce", comm, _at(x), _n(x), kind, ctypes.c_int(OPS[op]), _at(out), None)
    return out[0]


def sum(x, /, *, comm=None):  # noqa: A001
    """The sum of the whole, in u64, i64 or f64; of floats the same bits for any number of ranks."""
    return _reduce(x, "sum", comm)


def prod(x, /, *, comm=None):
    """The product of the whole, in u64, i64 or f64."""
    return _reduce(x, "prod", comm)


def min(x, /, *, comm=None):  # noqa: A001
    """The least element of the whole; NaNs are skipped unless there is nothing else."""
    return _reduce(x, "min", comm)


def max(x, /, *, comm=None):  # noqa: A001
    """The greatest element of the whole, likewise."""
    return _reduce(x, "max", comm)


def scan(x, op="sum", /, *, exclusive=False, comm=None):
    """This rank's part of the prefix combinations of the whole, in the array's type. op: sum, prod, min,
    max, and, or, xor."""
    x, kind = _array(x)
    out = np.empty_like(x)
    _library().call("upsweep_mpi_scan", comm, _at(x), _at(out), _n(x), kind, ctypes.c_int(OPS[op]),
                    _flags(EXCLUSIVE if exclusive else 0))
    return out


def cumsum(x, /, *, comm=None):
    """The same as scan(x, "sum")."""
    return scan(x, "sum", comm=comm)

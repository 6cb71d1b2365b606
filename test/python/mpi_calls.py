"""upsweep.mpi under mpirun, beside numpy on the whole: `mpirun -n 3 python mpi_calls.py`. Prints one line, and
ends with 1 if anything differs on any rank."""
# SPDX-License-Identifier: MIT
import sys

import numpy as np
from mpi4py import MPI

import upsweep.mpi as um

comm = MPI.COMM_WORLD
rng = np.random.default_rng(5)
cuts = np.sort(rng.integers(0, 3000, comm.size - 1)) if comm.size > 1 else np.array([], int)
ends = np.concatenate([[0], cuts, [3000]])
here = slice(ends[comm.rank], ends[comm.rank + 1])
even = slice(3000 * comm.rank // comm.size, 3000 * (comm.rank + 1) // comm.size)
faults = []


def same(what, got, wanted):
    if not np.array_equal(np.asarray(got), np.asarray(wanted), equal_nan=np.asarray(wanted).dtype.kind == "f"):
        faults.append(what)


for dtype in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"):
    whole = (rng.integers(0, 100, 3000) if dtype[0] != "f" else rng.normal(size=3000) * 50).astype(dtype)
    if dtype[0] == "f":
        whole[17] = np.nan
    x = whole[here]
    in_order, order = np.sort(whole), np.argsort(whole, kind="stable")
    same(f"sort {dtype}", um.sort(x), in_order[here])
    same(f"sort even {dtype}", um.sort(x, layout="even"), in_order[even])
    same(f"argsort {dtype}", um.argsort(x), order[here])
    keys, values = um.sort_pairs(x, np.arange(6000).reshape(3000, 2)[here])
    same(f"pairs {dtype}", values, np.arange(6000).reshape(3000, 2)[order][here])
    best, places = um.top_k(x, 9)
    clean = np.where(np.isnan(whole), -np.inf, whole) if dtype[0] == "f" else whole.astype("i8" if dtype != "u8" else "u8")
    same(f"top_k {dtype}", best, np.sort(clean)[::-1][:9])
    if dtype[0] != "f":
        same(f"sum {dtype}", um.sum(x), whole.sum())
        same(f"cumsum {dtype}", um.cumsum(x), np.cumsum(whole, dtype=dtype)[here])
        got = comm.allgather(um.unique(x))
        same(f"unique {dtype}", np.concatenate(got), np.unique(whole))
        same(f"histogram {dtype}", um.histogram(x, 7)[0], np.histogram(whole, 7)[0])
    splitters = in_order[[1000 * k // comm.size for k in range(1, comm.size)]]
    parts = comm.allgather(um.sort(x, layout=splitters))
    same(f"splitters {dtype}", np.concatenate(parts), in_order)
# Sums have the same bits on any communicator.
x = np.random.default_rng(1).normal(size=3000)
alone = um.sum(x, comm=MPI.COMM_SELF)
same("sum f8", um.sum(x[here]), alone)
if comm.size > 1:
    try:
        um.sort(x.astype("f4") if comm.rank else x)
        faults.append("ranks that disagree are not told")
    except ValueError as e:
        if "disagree on the type" not in str(e):
            faults.append(str(e))
all_faults = comm.allgather(faults)
if comm.rank == 0:
    print(all_faults if any(all_faults) else f"upsweep.mpi: {comm.size} ranks give numpy's results")
sys.exit(any(all_faults))

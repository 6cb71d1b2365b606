"""Splitters and parts for engines that hold partitions; Dask, Ray and MPI where they are installed."""
# SPDX-License-Identifier: MIT
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import upsweep

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("dtype", ["u1", "u4", "i8", "f4", "f8"])
@pytest.mark.parametrize("parts", [1, 2, 7])
def test_parts_are_those_of_a_sort(dtype, parts):
    rng = np.random.default_rng(parts)
    x = (rng.normal(size=5000) * 40).astype(dtype)
    cuts = upsweep.splitters(x, parts)
    assert len(cuts) == parts - 1 and cuts.dtype == x.dtype
    pieces = upsweep.split_at(x, cuts)
    assert len(pieces) == parts
    assert np.array_equal(np.concatenate([np.sort(p) for p in pieces]), np.sort(x))
    if dtype == "f8":  # all different, and the sample is the whole
        assert max(map(len, pieces)) - min(map(len, pieces)) <= 1


def test_counts_weigh_samples():
    few, many = np.arange(100), np.arange(1000, 1100)
    assert upsweep.splitters([few, many], 2, counts=[100, 1_000_000])[0] >= 1000
    assert upsweep.splitters([few, many], 2, counts=[1_000_000, 100])[0] < 100
    assert upsweep.splitters([few, np.array([], int)], 2)[0] == 50


def test_descending_and_others():
    x = np.array([5, 1, 9, 3, 7])
    cuts = upsweep.splitters(x, 2, descending=True)
    high, low = upsweep.split_at(x, cuts, np.arange(5), descending=True)
    assert min(high[0]) > max(low[0])
    assert np.array_equal(x[high[1]], high[0]) and np.array_equal(x[low[1]], low[0])


def test_a_key_that_fills_several_parts():
    cuts = upsweep.splitters(np.full(100, 7), 4)
    assert cuts.tolist() == [7, 7, 7]
    assert [len(p) for p in upsweep.split_at(np.full(10, 7), cuts)] == [0, 0, 0, 10]


def test_refused():
    for samples, parts in (([], 2), (np.array([]), 2), (np.zeros((2, 2)), 2), (np.zeros(3), 0)):
        with pytest.raises(ValueError):
            upsweep.splitters(samples, parts)
    with pytest.raises(ValueError):
        upsweep.splitters([np.zeros(3)], 2, counts=[1, 2])


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_example(engine):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine])
    done = subprocess.run([sys.executable, str(EXAMPLES / f"cluster_{engine}.py")], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "as numpy sorts it" in done.stdout


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_mpi(mpi, tmp_path):
    pytest.importorskip("mpi4py")
    library = Path(os.environ.get("UPSWEEP_BUILD", "build")) / "mpi" / mpi / "libupsweep_mpi.so.0"
    if shutil.which(f"mpirun.{mpi}") is None or not library.is_file():
        pytest.skip(f"there is no {mpi} here, or libupsweep_mpi was not built for it")
    env = dict(os.environ, UPSWEEP_MPI_LIBRARY=str(library.resolve()), MPI4PY_MPIABI=mpi,
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_rmaps_base_oversubscribe="1")
    if mpi == "mpich":  # mpi4py's wheel asks for the name that Debian's library has not
        known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
        there = re.search(r"libmpich\.so\.12 .*=> (.*)", known)
        if there:
            (tmp_path / "libmpi.so.12").symlink_to(there.group(1))
            env["LD_LIBRARY_PATH"] = str(tmp_path)
    done = subprocess.run([f"mpirun.{mpi}", "-n", "2", sys.executable,
                           str(Path(__file__).with_name("mpi_calls.py"))],
                          capture_output=True, text=True, timeout=300, env=env)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

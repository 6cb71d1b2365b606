#!/bin/sh
# run.sh BUILD_DIR [long] - builds the wheel, installs it into a fresh environment as a user would, and runs the
# package's tests beside numpy, scipy, pandas, polars, pyarrow and networkx of PyPI. long: more cases, numpy's
# thousands of long arrays, and the package from its archive of sources. Ends with 77 and a sentence where
# PyPI cannot be reached.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
build=$(cd "$1" && pwd)
long=${2:-}
python=${PYTHON:-python3}
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    { echo "skipped: $python has no venv (Debian: python3-venv)"; exit 77; }
"$python" -c 'import os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' \
    2>/dev/null || { echo "skipped: $python has no Python.h (Debian: python3-dev)"; exit 77; }
if [ -n "$long" ]; then options=; else options="--no-sdist --built"; fi
# shellcheck disable=SC2086
sh python/wheel.sh "$build" $options || exit $?
wheel=$(ls "$build"/dist/*.whl)
case $wheel in *-cp39-abi3-*manylinux_2_28_x86_64*) ;; *) echo "$wheel bears another name"; exit 1 ;; esac

# A user's machine: no compiler, nothing but the wheel and what it asks for.
rm -rf "$build/venv-user"
"$python" -m venv "$build/venv-user"
PATH=/nowhere "$build/venv-user/bin/python" -m pip install -q --no-compile --disable-pip-version-check "$wheel"
cd "$build"
PATH=/nowhere "$build/venv-user/bin/python" - <<'PY'
import numpy as np
import upsweep
assert upsweep.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]
assert np.array_equal(upsweep.argsort(np.array([3., 1., np.nan])), [1, 0, 2])
PY
"$build/venv-user/bin/upsweep" version
# The instruction set that the wheel finds is the one that a program of the same compiler finds.
for isa in "" avx2 portable; do
    export UPSWEEP_ISA=$isa
    wanted=$("$build/upsweep" info | sed -n 's/^instruction set  *//p')
    for found in "$("$build/venv-user/bin/upsweep" info | sed -n 's/^instruction set  *//p')" \
        "$("$build/venv-user/bin/python" -c 'import upsweep; print(upsweep.machine()["isa"])')"; do
        [ "$found" = "$wanted" ] || { echo "the wheel computes by $found, the program by $wanted"; exit 1; }
    done
done
unset UPSWEEP_ISA
cd - >/dev/null

tests=$build/venv-python
if [ ! -f "$tests/whole" ]; then
    rm -rf "$tests"
    "$python" -m venv "$tests"
    # --no-compile: most of what these bring is never imported; what is, is compiled once, into pycache.
    "$tests/bin/pip" install -q --no-compile --disable-pip-version-check numpy scipy pandas polars pyarrow networkx pytest \
        hypothesis dask distributed mpi4py ray 2>"$build/venv-python.txt" ||
        { echo "skipped: PyPI cannot be reached: $(tail -n 1 "$build/venv-python.txt")"; exit 77; }
    touch "$tests/whole"
fi
"$tests/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel"
[ -z "$long" ] || export UPSWEEP_LONG=1
export UPSWEEP_BUILD=$build # for test_clusters.py: libupsweep_mpi.so of each MPI
test() { # PYTHON
    "$1" -m pytest -q -p no:cacheprovider --rootdir test/python test/python
}
PYTHONPYCACHEPREFIX=$build/venv-python/pycache
export PYTHONPYCACHEPREFIX
test "$tests/bin/python"
if [ -n "$long" ]; then
    # Whether all sources are in it, not what nvcc's optimiser makes of them.
    "$tests/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall \
        --config-settings=cmake.define.UPSWEEP_CUDA_QUICK=ON "$build"/dist/*.tar.gz
    unset UPSWEEP_LONG
    test "$tests/bin/python"
fi

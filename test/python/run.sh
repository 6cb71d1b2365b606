#!/bin/sh
# run.sh BUILD_DIR [long] - builds the wheel, installs it into a fresh environment as a user would, and runs the
# package's tests beside numpy, scipy, pandas, polars, pyarrow and networkx of PyPI. long: the wheel for all systems
# since 2018, which takes zig, and the engines of clusters (dask, ray, mpi4py), whose packages are large; more cases,
# numpy's thousands of long arrays, and the package from its archive of sources, also in a free-threaded Python where
# there is one: FREE_PYTHON, python3.14t or python3.13t. Ends with 77 and a sentence where
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
purelib() { # ENVIRONMENT: where its packages are
    "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

# The tests' environment; the check's has the tools that build a wheel for this machine, too.
tests=$build/venv-python
packages="numpy scipy pandas polars pyarrow networkx ml_dtypes pytest hypothesis build scikit-build-core>=0.10"
[ -z "$long" ] || packages="$packages dask distributed mpi4py ray"
if [ ! -f "$tests/whole" ] || [ "$(cat "$tests/whole")" != "$packages" ]; then
    rm -rf "$tests"
    "$python" -m venv "$tests"
    # --no-compile: most of what these bring is never imported; what is, is compiled once, into pycache.
    # shellcheck disable=SC2086
    "$tests/bin/pip" install -q --no-compile --disable-pip-version-check $packages 2>"$build/venv-python.txt" ||
        { echo "skipped: PyPI cannot be reached: $(tail -n 1 "$build/venv-python.txt")"; exit 77; }
    echo "$packages" >"$tests/whole"
fi

if [ -n "$long" ]; then
    sh python/wheel.sh "$build" || exit $?
    name=manylinux_2_28_x86_64
else
    TOOLS=$tests sh python/wheel.sh "$build" --no-sdist --built --here
    name=-cp39-abi3-linux_x86_64
fi
wheel=$(ls "$build"/dist/*.whl)
case $wheel in
*"$name"*) ;;
*) echo "$wheel bears another name than $name"; exit 1 ;;
esac

# A user's machine: no compiler, nothing but the wheel and what it asks for. Its pip is a copy, since ensurepip
# compiles one for five seconds.
user=$build/venv-user
rm -rf "$user"
"$python" -m venv --without-pip "$user"
cp -pR "$(purelib "$tests")"/pip "$(purelib "$tests")"/pip-* "$(purelib "$user")"
PATH=/nowhere "$user/bin/python" -m pip install -q --no-compile --disable-pip-version-check "$wheel"
cd "$build"
PATH=/nowhere "$user/bin/python" - <<'PY'
import numpy as np
import upsweep
assert upsweep.sort(np.array([3, 1, 2])).tolist() == [1, 2, 3]
assert np.array_equal(upsweep.argsort(np.array([3., 1., np.nan])), [1, 0, 2])
PY
"$user/bin/upsweep" version
# The instruction set that the wheel finds is the one that a program of the same compiler finds.
for isa in "" avx2 portable; do
    export UPSWEEP_ISA=$isa
    [ -n "$isa" ] || unset UPSWEEP_ISA
    wanted=$("$build/upsweep" info | sed -n 's/^instruction set  *//p')
    for found in "$("$user/bin/upsweep" info | sed -n 's/^instruction set  *//p')" \
        "$("$user/bin/python" -c 'import upsweep; print(upsweep.machine()["isa"])')"; do
        [ "$found" = "$wanted" ] || { echo "the wheel computes by $found, the program by $wanted"; exit 1; }
    done
done
unset UPSWEEP_ISA
cd - >/dev/null

"$tests/bin/pip" install -q --no-compile --disable-pip-version-check --no-deps --force-reinstall "$wheel"
[ -z "$long" ] || export UPSWEEP_LONG=1
export UPSWEEP_BUILD="$build" # for test_clusters.py: libupsweep_mpi.so of each MPI
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
    free=$(command -v "${FREE_PYTHON:-python3.14t}" || command -v python3.13t || true)
    [ -n "$free" ] || { echo "not tested: a free-threaded Python, which is not here"; exit 0; }
    "$free" -m venv --clear "$build/venv-free"
    # What has no wheel for it is left out, and the tests that want that are skipped.
    for package in numpy scipy pandas hypothesis pytest 'scikit-build-core>=0.10'; do
        "$build/venv-free/bin/pip" install -q --no-compile --disable-pip-version-check --only-binary=:all: "$package" || true
    done
    "$build/venv-free/bin/pip" install -q --disable-pip-version-check --no-deps --no-build-isolation \
        --config-settings=cmake.define.UPSWEEP_CUDA=OFF "$build"/dist/*.tar.gz
    test "$build/venv-free/bin/python"
fi

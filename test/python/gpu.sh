#!/bin/sh
# gpu.sh BUILD_DIR - the package's tests on a GPU, with the torch and the cupy that this machine's Python (PYTHON) has;
# check-gpu runs them. The package is the one that this Python finds, or else is made from the library in BUILD_DIR. Ends
# with 77 and a sentence where none of them can be.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "$1" && pwd)
python=${PYTHON:-python3}
has() { # MODULE
    "$python" -c "import importlib.util as u; raise SystemExit(u.find_spec('$1') is None)" 2>/dev/null
}
for module in numpy pytest; do
    has $module || { echo "skipped: $python has no $module"; exit 77; }
done
has torch || has cupy || { echo "skipped: $python has neither torch nor cupy"; exit 77; }
if ! has upsweep; then
    { has build && has scikit_build_core; } ||
        { echo "skipped: $python has neither upsweep nor build and scikit-build-core, which make its wheel"; exit 77; }
    TOOLS=$("$python" -c 'import sys; print(sys.prefix)') sh python/wheel.sh "$build" --no-sdist --built --here || exit 1
    "$python" -m pip install -q --no-deps --no-index --no-compile --disable-pip-version-check --upgrade \
        --target "$build/gpu_python" "$build"/dist/*.whl || exit 1
    PYTHONPATH=$build/gpu_python${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
fi
failed=0 said=
for library in torch cupy; do
    if ! has $library; then
        said="$said$library is not installed; "
        continue
    fi
    log=$build/gpu_$library.txt
    "$python" -m pytest -q -p no:cacheprovider -rs --rootdir test/python \
        -k "$library and not figures and not host_time" test/python/gpu_$library.py test/python/gpu_fuzz.py >"$log" 2>&1
    case $? in
    0 | 5) said="$said$library: $(tail -n 1 "$log"); " ;; # 5: all of them were left out
    *)
        failed=1
        cat "$log"
        ;;
    esac
done
echo "${said}compared"
exit $failed

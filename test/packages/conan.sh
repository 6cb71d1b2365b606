#!/bin/sh
# conan.sh WORK_DIR - makes the conan package of this tree, without vector instructions: shared with the program,
# then static without it, and runs its test program. Nothing is downloaded. Ends with 77 where conan is not
# installed; CONAN may name it. What the recipe takes along is looked at by tree.py, too.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
: "${CONAN:=conan}"
command -v "$CONAN" >/dev/null || { echo "conan is not installed: left out"; exit 77; }
mkdir -p "$1"
CONAN_HOME=$(cd "$1" && pwd)/home
export CONAN_HOME
rm -rf "$CONAN_HOME"
"$CONAN" profile detect >/dev/null 2>&1
for shared in True False; do
    "$CONAN" create "$source/packaging/conan" --no-remote -s build_type=Debug -o "&:portable=True" \
        -o "&:shared=$shared" -o "&:program=$shared" \
        -c tools.cmake.cmaketoolchain:generator=Ninja -c tools.build:jobs=2 >"$1/log.txt" 2>&1 ||
        { tail -30 "$1/log.txt"; exit 1; }
    grep '^upsweep ' "$1/log.txt" || { echo "the test program did not run"; exit 1; }
done
rm -rf "$CONAN_HOME" "$source/packaging/conan/test_package/build" "$source/packaging/conan/test_package/CMakeUserPresets.json"

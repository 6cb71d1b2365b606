#!/bin/sh
# nested.sh WORK_DIR - builds projects that have upsweep as a part of them, by add_subdirectory with the
# static library and by FetchContent with the shared one. Looks at what comes of it: the library alone, a
# program that runs, and no setting that passes from one to the other. Without vector instructions, which
# are slow to compile; the shared one is compiled with UPSWEEP_TEST_LONG. CC and LAUNCHER (a compiler cache) may be set.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
: "${CC:=cc}" "${LAUNCHER:=}"
rm -rf "$work"
mkdir -p "$work"

fail() {
    echo "$*"
    exit 1
}
configure() { # NAME FLAGS...
    name=$1
    shift
    cmake -S "$source/test/install/nested" -B "$work/$name" -G Ninja "-DSOURCE=$source" "-DCMAKE_C_COMPILER=$CC" \
        "-DCMAKE_C_COMPILER_LAUNCHER=$LAUNCHER" -DUPSWEEP_PORTABLE=ON "$@" >"$work/$name.log" 2>&1 ||
        { cat "$work/$name.log"; fail "$name: not configured"; }
}
build() { # NAME
    cmake --build "$work/$1" -j 2 >"$work/$1.log" 2>&1 || { tail -40 "$work/$1.log"; fail "$1: not built"; }
    "$work/$1/nested"
}
command_of() { # NAME OBJECT: how it is compiled
    grep '"command"' "$work/$1/compile_commands.json" | grep -e " -o [^ ]*$2" | head -n 1 | grep . ||
        fail "$1: nothing compiles $2"
}

echo "== add_subdirectory, static"
configure subdirectory -DCMAKE_BUILD_TYPE=Debug
build subdirectory
[ -e "$work/subdirectory/upsweep/libupsweep.a" ] || fail "no static library"
[ ! -e "$work/subdirectory/upsweep/upsweep" ] || fail "the program was built, too"
find "$work/subdirectory" -name '*.so*' | grep . && fail "a shared library was built, too"
ctest --test-dir "$work/subdirectory" -N | grep -q 'Total Tests: 0' || fail "the parent has tests of upsweep"
DESTDIR=$work/stage cmake --install "$work/subdirectory" >/dev/null
[ "$(find "$work/stage" -type f | sed 's|.*/||')" = nested ] || fail "the parent installs upsweep"
grep -q '^CMAKE_BUILD_TYPE:.*=Debug$' "$work/subdirectory/CMakeCache.txt" || fail "the build type has changed"
grep -E '^CMAKE_C_FLAGS(_[A-Z]*)?:.*(-ffp-contract|-g1)' "$work/subdirectory/CMakeCache.txt" && fail "flags have changed"
command_of subdirectory nested.dir/ | grep -E -e ' -w |-DUSW_|_GNU_SOURCE|-ffp-contract|-fno-(math|trapping|fast)|-O3' && fail "flags of ours in the parent"
command_of subdirectory nested.dir/ | grep -q -e "/include " || fail "the parent does not see include/"
command_of subdirectory core/arena.c | grep -q -e '-ffast-math.*-fno-fast-math' || fail "-ffast-math has come through"

echo "== FetchContent, shared"
configure fetched -DFETCH=ON -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Debug
if [ -z "${UPSWEEP_TEST_LONG:-}" ]; then # the library is compiled once in the check
    ninja -C "$work/fetched" -t query nested | grep -q 'libupsweep[.]so' || fail "it does not link the shared library"
    ninja -C "$work/fetched" -t targets all | grep 'libupsweep[.]a' && fail "there is a static library, too"
else
    build fetched
    readelf -d "$work/fetched/nested" | grep -q 'libupsweep[.]so[.]0' || fail "it is not the shared library"
    find "$work/fetched" -name 'libupsweep.a' | grep . && fail "a static library was built, too"
fi

echo "== without a build type the library is optimised, the parent is as it was"
configure untyped
command_of untyped core/arena.c | grep -q -e ' -O3 .*-DNDEBUG\|-DNDEBUG.* -O3 ' || fail "the library is not optimised"
command_of untyped nested.dir/ | grep -e '-O3\|NDEBUG' && fail "the parent is"

echo "== the program, where it is asked for"
configure program -DUPSWEEP_PROGRAM=ON -DUPSWEEP_VIEW=OFF
ninja -C "$work/program" -t targets all | grep -q '^upsweep/upsweep:' || fail "there is no program"
ninja -C "$work/program" -t targets all | grep -q 'view/draw' && fail "the view is there though it is off"
echo "== outside of the source tree, beside it: where nvcc looks is there"
outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cmake -S "$source" -B "$outside" -G Ninja "-DCMAKE_C_COMPILER=$CC" -Wno-dev --log-level=WARNING >"$work/outside.log" 2>&1 ||
    { cat "$work/outside.log"; fail "outside: not configured"; }
ninja -C "$outside" -t commands all | grep '/nvcc ' | grep -o -e ' -I[^ ]*' | sed 's/ -I//' | sort -u >"$work/outside.txt"
[ -s "$work/outside.txt" ] || [ -s "$outside/gpu.txt" ] || fail "outside: nvcc compiles nothing"
while read -r directory; do
    (cd "$outside" && cd "$directory") || fail "outside: nvcc looks into $directory"
done <"$work/outside.txt"
echo "all of them are built and run"

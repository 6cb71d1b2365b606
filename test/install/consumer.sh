#!/bin/sh
# consumer.sh BUILD_DIR - installs into a scratch directory, moves the tree elsewhere, and builds
# programs against it: by pkg-config, by find_package, in C and in C++, with the shared and with the
# static library. Checks what was installed, in which component, and that it can be removed.
# SPDX-License-Identifier: MIT
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"
: "${CC:=cc}" "${CXX:=c++}"
fail() {
    echo "$*"
    exit 1
}

DESTDIR=$work/stage cmake --install "$build" --strip >"$work/install.log"
cp "$build/install_manifest.txt" "$work/manifest.txt"
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
cp -a "$work/stage$prefix" "$work/prefix" # the installed tree may be moved
p=$work/prefix

for file in include/upsweep.h include/upsweep_typed.h bin/upsweep share/doc/upsweep/LICENSE \
    share/doc/upsweep/README.md share/doc/upsweep/docs/abi.md share/man/man1/upsweep.1; do
    [ -e "$p/$file" ] || fail "not installed: $file"
done
find "$p" -name 'libupsweep.so.0' | grep -q . || fail "no libupsweep.so.0"
find "$p" -name 'libupsweep.a' | grep -q . || fail "no libupsweep.a"
lib=$(dirname "$(find "$p" -name libupsweep.so)")
"$p/bin/upsweep" --version
for file in "$lib/libupsweep.a" "$lib/libupsweep.so" "$p/bin/upsweep"; do
    readelf -SW "$file" | grep -q '\.debug_line' && fail "$file is not stripped"
done

echo "== components: every file is in one"
for component in runtime development program plugin mpi doc; do
    DESTDIR=$work/part/$component cmake --install "$build" --component $component >/dev/null
    mkdir -p "$work/part/$component"
    (cd "$work/part/$component" && find . ! -type d) >"$work/part/$component.txt"
done
cat "$work"/part/*.txt | sort >"$work/parts.txt"
(cd "$work/stage" && find . ! -type d) | sort | diff - "$work/parts.txt" || fail "components and installed files differ"
grep -v 'libupsweep[.]so[.]' "$work/part/runtime.txt" && fail "more in runtime than the library"
grep -E 'upsweep[.]h$' "$work/part/development.txt" | grep -q . || fail "no header in development"
grep -q 'libupsweep[.]so$' "$work/part/development.txt" || fail "no libupsweep.so in development"

echo "== removed"
DESTDIR=$work/stage sh "$source/cmake/uninstall.sh" "$work/manifest.txt" >/dev/null
left=$(find "$work/stage" ! -type d -o -name upsweep)
[ -z "$left" ] || fail "left behind: $left"

echo "== pkg-config"
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion upsweep)" = "$("$p/bin/upsweep" --version | sed 's/^[^0-9]*//;s/ .*//')" ]
# shellcheck disable=SC2046
$CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$source/test/install/use.c" -o "$work/use" \
    $(pkg-config --cflags --libs upsweep) "-Wl,-rpath,$lib"
"$work/use"
readelf -d "$work/use" | grep -q 'libupsweep\.so\.0' || fail "the SONAME is not versioned"
# shellcheck disable=SC2046
$CC -std=c11 "$source/test/install/use.c" -o "$work/use_archive" \
    $(pkg-config --cflags --libs --static upsweep | sed 's/-lupsweep/-l:libupsweep.a/')
"$work/use_archive"
readelf -d "$work/use_archive" | grep -q 'libupsweep' && fail "the static library was not taken"

echo "== the programs of README.md and examples/README.md, with the line that make install says"
said=$(DESTDIR='' sh "$source/cmake/after_install.sh" "$build" "$p")
echo "$said"
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/README.md" >"$work/demo.c"
grep -q upsweep_argsort "$work/demo.c" || fail "README.md has no program in C"
flag=$(echo "$said" | sed -n 's/.*: \(-Wl,-rpath,.*\)/\1/p')
# shellcheck disable=SC2046,SC2086
$CC "$work/demo.c" -o "$work/demo" $(pkg-config --cflags --libs upsweep) ${flag:?no flag was said}
"$work/demo"
{
    printf '#include <upsweep.hpp>\nint main()\n{\n'
    awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/examples/README.md"
    printf 'return sum == 14 && order[0] == 1 && keys[0] == 5 ? 0 : 1;\n}\n'
} >"$work/demo.cpp"
# shellcheck disable=SC2046
$CXX -std=c++17 "$work/demo.cpp" -o "$work/demo_cpp" $(pkg-config --cflags --libs upsweep) "$flag"
"$work/demo_cpp"

echo "== find_package"
for kind in "" static; do
    cmake -S "$source/test/install/found" -B "$work/found$kind" -DCMAKE_PREFIX_PATH="$p" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Release "-DKIND=$kind" >"$work/cmake.log"
    cmake --build "$work/found$kind" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
done
for program in found/use_shared found/use_static found/use_cpp foundstatic/use_cpp; do
    "$work/$program"
done
readelf -d "$work/found/use_cpp" | grep -q libupsweep || fail "upsweep::upsweep is not the shared library"
readelf -d "$work/foundstatic/use_cpp" | grep -q libupsweep && fail "COMPONENTS static is not the static one"

echo "== the headers by themselves: C11 and C++11 to C++20, pedantic"
for c in gcc clang; do
    command -v $c >/dev/null || { echo "$c is not installed: left out"; continue; }
    printf '#include <%s>\n' upsweep.h upsweep.h upsweep_typed.h upsweep_typed.h >"$work/h.c"
    echo 'int main(void) { return 0; }' >>"$work/h.c"
    $c -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -I "$p/include" "$work/h.c"
done
for c in g++ clang++; do
    command -v $c >/dev/null || { echo "$c is not installed: left out"; continue; }
    cp "$work/h.c" "$work/h.cpp"
    for std in 11 14 17 20; do
        $c -std=c++$std -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$p/include" "$work/h.cpp"
    done
    printf '#include <%s.hpp>\n' upsweep_graph upsweep_folds upsweep_functions upsweep_basics upsweep >"$work/h.cpp"
    $c -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$p/include" "$work/h.cpp"
done
echo "== what the types are for: a float where sums are double does not compile"
printf '#include <upsweep_typed.h>\nfloat s;\nint f(upsweep *u, const float *x)\n{\n    return upsweep_sum_f32(u, x, 9, &s, NULL);\n}\n' >"$work/wrong.c"
sed 's/^float/double/' "$work/wrong.c" >"$work/right.c"
for side in right wrong; do
    for c in "$CC -std=c11 -Werror -x c" "$CXX -std=c++11 -x c++"; do
        said=yes
        $c -fsyntax-only -I "$p/include" "$work/$side.c" >/dev/null 2>&1 || said=no
        case $side$said in rightyes | wrongno) ;; *) echo "$c took $side.c: $said"; exit 1 ;; esac
    done
done
echo "all consumers run"

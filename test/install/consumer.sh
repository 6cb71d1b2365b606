#!/bin/sh
# consumer.sh BUILD_DIR - installs into a scratch directory, moves the tree elsewhere, and builds
# programs against it: by pkg-config, by find_package, in C and in C++. Checks what was installed.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/consumer
rm -rf "$work"
mkdir -p "$work"
: "${CC:=cc}" "${CXX:=c++}"

DESTDIR=$work/stage cmake --install "$build" >"$work/install.log"
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
mv "$work/stage$prefix" "$work/prefix" # the installed tree may be moved
p=$work/prefix

for file in include/upsweep.h include/upsweep_typed.h bin/upsweep; do
    [ -e "$p/$file" ] || { echo "not installed: $file"; exit 1; }
done
find "$p" -name 'libupsweep.so.0' | grep -q . || { echo "no libupsweep.so.0"; exit 1; }
find "$p" -name 'libupsweep.a' | grep -q . || { echo "no libupsweep.a"; exit 1; }
lib=$(dirname "$(find "$p" -name libupsweep.so)")
"$p/bin/upsweep" --version

echo "== pkg-config"
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion upsweep)" = "$("$p/bin/upsweep" --version | sed 's/^[^0-9]*//;s/ .*//')" ]
# shellcheck disable=SC2046
$CC -std=c11 -Wall -Wextra -Wpedantic -Werror "$source/test/install/use.c" -o "$work/use" \
    $(pkg-config --cflags --libs upsweep) "-Wl,-rpath,$lib"
"$work/use"
readelf -d "$work/use" | grep -q 'libupsweep\.so\.0' || { echo "the SONAME is not versioned"; exit 1; }

echo "== find_package"
cmake -S "$source/test/install" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$p" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE=Release >"$work/cmake.log"
cmake --build "$work/cmake" >>"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
for program in use_shared use_static use_cpp; do
    "$work/cmake/$program"
done

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

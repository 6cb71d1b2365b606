#!/bin/sh
# cpp.sh LIBRARY.a WORK_DIR - upsweep.hpp compiled by g++ and clang++ as C++17 and C++20, warnings as
# errors, upsweep_typed.h also as C++11, and its results beside std's; and that no trap of traps.cpp compiles. LAUNCHER may be a compiler
# cache. UPSWEEP_TEST_LONG: each compiler with each; else clang++ only reads the sources and the traps, since a
# program of these templates takes long to compile. Ends with 77 where there is no C++ compiler.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
library=$1
work=$2
: "${LAUNCHER:=}"
rm -rf "$work"
mkdir -p "$work"
cd "$source"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror"
tried=

build() { # NAME COMPILER STD; -O0, since the time goes into templates
    # shellcheck disable=SC2086
    $LAUNCHER $2 "-std=$3" $warnings -I include -I . -c test/cpp/hpp_folds.cpp -o "$work/$1.hpp_folds.o" &
    # shellcheck disable=SC2086
    $LAUNCHER $2 "-std=$3" $warnings -I include -I . -c test/cpp/hpp.cpp -o "$work/$1.hpp.o" || return 1
    wait $! || return 1
    $2 "$work/$1.hpp.o" "$work/$1.hpp_folds.o" "$library" -pthread -lm -o "$work/$1"
}
last=$(sed -n 's/^#elif TRAP == \([0-9]*\).*/\1/p' test/cpp/traps.cpp | tail -n 1)
traps() { # NAME COMPILER STD; the headers are read once
    mkdir "$work/$1.once"
    printf '#include <%s>\n' deque string upsweep.hpp upsweep_typed.h >"$work/$1.once/all.hpp"
    $2 "-std=$3" -I include -x c++-header "$work/$1.once/all.hpp" -o "$work/$1.once/all.hpp.gch"
    for trap in $(seq 0 "$last"); do
        said=taken
        $2 "-std=$3" -DTRAP="$trap" -fsyntax-only -I include -include "$work/$1.once/all.hpp" \
            test/cpp/traps.cpp >"$work/$1.$trap.txt" 2>&1 || said=refused
        case $trap/$said in
        0/taken | [1-9]*/refused) ;;
        *) echo "$2 "-std=$3": trap $trap is $said"; sed 5q "$work/$1.$trap.txt"; return 1 ;;
        esac
    done
    ! grep -l "no_more_traps" "$work/$1".*.txt || return 1
    echo "$2 "-std=$3": none of $last traps compiles"
}

typed() { # NAME COMPILER; the typed calls, from the oldest C++ that they take to the newest
    extra=
    [ "$2" = clang++ ] || extra=-Wuseless-cast
    for std in c++11 c++17 c++2b; do
        # shellcheck disable=SC2086
        $2 "-std=$std" $warnings $extra -I include -fsyntax-only test/cpp/typed.cpp || return 1
    done
    # shellcheck disable=SC2086
    $2 -std=c++11 $warnings $extra -I include test/cpp/typed.cpp "$library" -pthread -lm -o "$work/$1.typed"
    "$work/$1.typed" && echo "$2: typed calls without a warning"
}

for compiler in g++ clang++; do
    command -v $compiler >/dev/null || { echo "$compiler is not installed: left out"; continue; }
    typed $compiler $compiler
    for std in c++17 c++20; do
        case $compiler/$std in # one of each a compiler; all in the long check
        g++/c++20 | clang++/c++17) [ -n "${UPSWEEP_TEST_LONG:-}" ] || continue ;;
        esac
        tried=yes
        if [ $compiler = g++ ] || [ -n "${UPSWEEP_TEST_LONG:-}" ]; then
            build $compiler.$std $compiler $std
            "$work/$compiler.$std"
            echo "$compiler -std=$std: as std has it"
        else
            # shellcheck disable=SC2086
            $compiler "-std=$std" $warnings -I include -I . -fsyntax-only test/cpp/hpp.cpp
            echo "$compiler -std=$std: takes all calls"
        fi
        case $compiler/$std in # once a compiler
        g++/c++17 | clang++/c++20) traps $compiler.$std $compiler $std ;;
        esac
    done
done
[ -n "$tried" ] || { echo "no C++ compiler is installed"; exit 77; }
